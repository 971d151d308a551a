// Painleve's sliding rod, with the numbers of [Brogliato2002] as worked out for a uniform rod of
// mass m, half length l and J = m l^2 / 3 whose lower end slides to the left, inclination theta:
//
//     W = 1/m [ 1 + 3 c^2   -3 s c   ]     (N, T),   s = sin theta, c = cos theta.
//             [ -3 s c     1 + 3 s^2 ]
//
// The lower end is at (-l c, -l s) from the centre, so u_N = y' - l c w, u_T = x' + l s w, and with
// centripetal terms the free acceleration of the end is (l w^2 s - g, l w^2 c). Sliding left, u_T
// < 0, means r_T = mu r_N: the sliding problem is A N + B with A = W_NN + mu W_NT, B = l w^2 s - g.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "nonsmooth/friction_enumerate.h"
#include "support/fixture.h"
#include "support/near.h"

enum { KEPT = 8 };
static const double GRAVITY = 9.81, THETA = 1.0471975511965976; // 60 degrees

typedef struct fixture {
    pcs_test_memory memory;
} fixture;

static int set_up(void **state)
{
    return pcs_test_fixture_create(state, sizeof(fixture));
}

// One contact of any size as a friction problem
typedef struct single {
    int32_t offset[2], row_start[2], column[1], diagonal[1];
    int64_t value_start[1];
    double value[9], q[3], mu[1];
    pcs_block_matrix W;
    pcs_friction_contact problem;
} single;

static void single_init(single *c, int32_t size, const double *W, const double *q, double mu)
{
    *c = (single){.offset = {0, size}, .row_start = {0, 1}};
    memcpy(c->value, W, (size_t)(size * size) * sizeof *W);
    memcpy(c->q, q, (size_t)size * sizeof *q);
    c->mu[0] = mu;
    c->W = (pcs_block_matrix){1,           c->offset, c->row_start, c->column, c->value_start,
                              c->diagonal, c->value};
    c->problem = (pcs_friction_contact){.W = &c->W, .q = c->q, .mu = c->mu};
}

static void rod_matrix(double theta, double *W)
{
    const double s = sin(theta), c = cos(theta);
    W[0] = 1.0 + 3.0 * c * c;
    W[1] = W[2] = -3.0 * s * c;
    W[3] = 1.0 + 3.0 * s * s;
}

// The impulse step (70): free velocity of the end after h, u_T starting from -v0
static void rod_step(double rate, double h, double *q)
{
    q[0] = h * (rate * rate * sin(THETA) - GRAVITY);
    q[1] = -1.0 + h * rate * rate * cos(THETA);
}

// All solutions of the planar problem, each checked against the data.
static int32_t enumerate_planar(fixture *f, const double *W, const double *q, double mu,
                                double *solutions)
{
    single c;
    int32_t count = -1;
    single_init(&c, 2, W, q, mu);
    assert_int_equal(pcs_friction_enumerate(&c.problem, &f->memory.arena, KEPT, solutions, &count),
                     PCS_OK);
    for (int32_t i = 0; i < count && i < KEPT; i++)
        assert_at_most(pcs_friction_contact_measure(&c.problem, solutions + 2 * i, NULL).unscaled,
                       64.0 * DBL_EPSILON);
    return count;
}

// The LCP (70) of [Brogliato2002], z = (N, b1, b2, lambda) with r_T = b1 - b2: where the contact
// sticks inside the cone b1 and b2 are determined only up to b1 + b2 <= mu N.
static pcs_status enumerate_step_lcp(fixture *f, const double *W, const double *q, double mu,
                                     int32_t *count)
{
    const double M[16] = {W[0],  W[1],  -W[1], 0.0, W[2], W[3], -W[3], 1.0,
                          -W[2], -W[3], W[3],  1.0, mu,   -1.0, -1.0,  0.0};
    const double b[4] = {q[0], q[1], -q[1], 0.0};
    const pcs_mlcp problem = {4, M, b, NULL};
    return pcs_mlcp_enumerate(&problem, &f->memory.arena, 0, NULL, count);
}

// The LCP without that ambiguity: z = (N, s1, x2), w = (u_N, x1, s2) with the distances s1, s2 of
// r_T from its bounds, s1 = mu N - r_T, s2 = mu N + r_T, and u_T = x2 - x1.
static int32_t enumerate_lcp(fixture *f, const double *W, const double *q, double mu,
                             double *solutions)
{
    const double M[9] = {W[0] + mu * W[1], -W[1], 0.0, -(W[2] + mu * W[3]), W[3], 1.0,
                         2.0 * mu,         -1.0,  0.0};
    const double b[3] = {q[0], -q[1], 0.0};
    const pcs_mlcp problem = {3, M, b, NULL};
    int32_t count = -1;
    assert_int_equal(pcs_mlcp_enumerate(&problem, &f->memory.arena, KEPT, solutions, &count),
                     PCS_OK);
    for (int32_t i = 0; i < count && count <= KEPT; i++)
        assert_at_most(pcs_mlcp_measure(&problem, solutions + 3 * i, NULL).unscaled,
                       64.0 * DBL_EPSILON);
    return count;
}

// A N + B at 60 degrees, mu = 1.5: A = -0.19856.
static void sliding_force(void **state)
{
    fixture *f = *state;
    double W[4], solution[2];
    rod_matrix(THETA, W);
    const double mu = 1.5, A = W[0] + mu * W[1];
    assert_digits(A, -0.19856, 1e-5);
    assert_true(mu > (tan(THETA) * tan(THETA) + 4.0) / (3.0 * tan(THETA)));
    const struct {
        double A, B;
        int32_t count;
        double N[2];
    } cases[] = {
        {A, -GRAVITY, 0, {0.0, 0.0}}, // inconsistent
        {A, 25.0 * sin(THETA) - GRAVITY, 2, {0.0, -(25.0 * sin(THETA) - GRAVITY) / A}},
        {W[0] + 0.3 * W[1], -GRAVITY, 1, {GRAVITY / (W[0] + 0.3 * W[1]), 0.0}},
        {W[0] + 0.3 * W[1], 2.385, 1, {0.0, 0.0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pcs_mlcp problem = {1, &cases[i].A, &cases[i].B, NULL};
        int32_t count = -1;
        assert_int_equal(pcs_mlcp_enumerate(&problem, &f->memory.arena, 2, solution, &count),
                         PCS_OK);
        assert_int_equal(count, cases[i].count);
        for (int32_t k = 0; k < count; k++)
            assert_near(solution[k], cases[i].N[k], 4.0 * DBL_EPSILON * (1.0 + cases[i].N[k]));
    }
}

// The inconsistent force problem through `auto`: it must say that there is no solution, and count.
static void auto_reports(void **state)
{
    fixture *f = *state;
    double W[4], z = 0.0, w;
    rod_matrix(THETA, W);
    const double A = W[0] + 1.5 * W[1], B[2] = {-GRAVITY, 25.0 * sin(THETA) - GRAVITY};
    pcs_solve_opts opts = {.tolerance = 1e-12, .measure = PCS_MEASURE_RELATIVE, .threads = 1};
    opts.count_solutions = 1;
    pcs_solve_info info;
    const pcs_mlcp none = {1, &A, &B[0], NULL}, two = {1, &A, &B[1], NULL};
    assert_int_equal(
        pcs_mlcp_solver_row(0)->solve(&none, &opts, NULL, &f->memory.arena, &z, &w, &info),
        PCS_NOT_CONVERGED);
    assert_int_equal(info.solutions, 0);
    assert_non_null(strstr(info.reason, "no solution"));
    assert_int_equal(
        pcs_mlcp_solver_row(0)->solve(&two, &opts, NULL, &f->memory.arena, &z, &w, &info), PCS_OK);
    assert_int_equal(info.solutions, 2);
}

// Impact without collision: (N, b1 - b2) for three steps, and the limit 3/4 s c v0, (1 + 3 c^2)/4
// v0.
static void impulse_step(void **state)
{
    fixture *f = *state;
    static const double expected[3][3] = {
        {1e-2, 0.404466, 0.469359}, {1e-3, 0.332730, 0.440686}, {1e-4, 0.325557, 0.437819}};
    double W[4], q[2], r[2 * KEPT], z[3 * KEPT];
    rod_matrix(THETA, W);
    for (int i = 0; i < 3; i++) {
        rod_step(0.0, expected[i][0], q);
        assert_int_equal(enumerate_planar(f, W, q, 1.5, r), 1);
        assert_digits(r[0], expected[i][1], 1e-6);
        assert_digits(r[1], expected[i][2], 1e-6);
        assert_int_equal(enumerate_lcp(f, W, q, 1.5, z), 1);
        assert_near(z[0], r[0], 1e-14);
        assert_near(1.5 * z[0] - z[1], r[1], 1e-14);
        int32_t count = -1;
        assert_int_equal(enumerate_step_lcp(f, W, q, 1.5, &count), PCS_OK);
        assert_int_equal(count, PCS_SOLUTIONS_MANY);
    }
    const double s = sin(THETA), c = cos(THETA);
    rod_step(0.0, 1e-6, q);
    assert_int_equal(enumerate_planar(f, W, q, 1.5, r), 1);
    assert_near(r[0], 0.75 * s * c, 1e-5); // the step changes it by 8 h
    assert_near(r[1], 0.25 * (1.0 + 3.0 * c * c), 1e-5);
    // Without h the null impulse is a second solution.
    rod_step(0.0, 0.0, q);
    assert_int_equal(enumerate_planar(f, W, q, 1.5, r), 2);
}

// Open, slipping and sticking. As LCPs both forms have more: an open contact leaves x1, x2 (lambda)
// free as long as u_T = x2 - x1.
static void three_solutions(void **state)
{
    fixture *f = *state;
    static const double N[3] = {0.0, 0.059633, 0.311080};
    double W[4], q[2], r[2 * KEPT], z[3 * KEPT];
    int32_t count = -1;
    rod_matrix(THETA, W);
    rod_step(5.0, 1e-3, q);
    assert_int_equal(enumerate_planar(f, W, q, 1.5, r), 3);
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (int k = 0; k < 3; k++)
            found = found || fabs(r[2 * k] - N[i]) <= 0.5e-6;
        assert_true(found);
    }
    assert_int_equal(enumerate_lcp(f, W, q, 1.5, z), PCS_SOLUTIONS_MANY);
    assert_int_equal(enumerate_step_lcp(f, W, q, 1.5, &count), PCS_OK);
    assert_int_equal(count, PCS_SOLUTIONS_MANY);
}

static void small_friction_slides(void **state)
{
    fixture *f = *state;
    double W[4], q[2], r[2 * KEPT];
    rod_matrix(THETA, W);
    rod_step(0.0, 1e-3, q);
    assert_int_equal(enumerate_planar(f, W, q, 0.3, r), 1);
    assert_digits(r[0], 0.00721171, 1e-8);
    assert_near(r[1], 0.3 * r[0], 4.0 * DBL_EPSILON);
}

// The rod as a spatial contact: a second tangent without coupling changes nothing, in any frame.
static void rod_in_space(void **state)
{
    fixture *f = *state;
    static const double angles[4] = {0.0, 0.7, 2.0, 4.5};
    double plane[4], q2[2], r2[2 * KEPT], r3[3 * KEPT];
    rod_matrix(THETA, plane);
    for (int i = 0; i < 4; i++) {
        const double c = cos(angles[i]), s = sin(angles[i]);
        const double t = 2.385; // mobility across the rod
        const double T[4] = {c * c * plane[3] + s * s * t, c * s * (plane[3] - t),
                             c * s * (plane[3] - t), s * s * plane[3] + c * c * t};
        const double W[9] = {plane[0], plane[1] * c, plane[1] * s, plane[2] * c, T[0],
                             T[1],     plane[2] * s, T[2],         T[3]};
        for (int step = 0; step < 2; step++) {
            single contact;
            int32_t count = -1;
            rod_step(step == 0 ? 5.0 : 0.0, 1e-3, q2);
            const double q[3] = {q2[0], c * q2[1], s * q2[1]};
            const int32_t planar = enumerate_planar(f, plane, q2, 1.5, r2);
            single_init(&contact, 3, W, q, 1.5);
            assert_int_equal(
                pcs_friction_enumerate(&contact.problem, &f->memory.arena, KEPT, r3, &count),
                PCS_OK);
            assert_int_equal(count, planar);
            for (int32_t k = 0; k < count; k++) {
                assert_at_most(
                    pcs_friction_contact_measure(&contact.problem, r3 + 3 * k, NULL).unscaled,
                    1e-13);
                bool same = false;
                for (int32_t l = 0; l < planar; l++)
                    same = same ||
                           (fabs(r3[3 * k] - r2[2 * l]) <= 1e-13 &&
                            fabs(c * r3[3 * k + 1] + s * r3[3 * k + 2] - r2[2 * l + 1]) <= 1e-13);
                assert_true(same);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_force),         cmocka_unit_test(auto_reports),
        cmocka_unit_test(impulse_step),          cmocka_unit_test(three_solutions),
        cmocka_unit_test(small_friction_slides), cmocka_unit_test(rod_in_space),
    };
    return cmocka_run_group_tests(tests, set_up, pcs_test_fixture_destroy);
}

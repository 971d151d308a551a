// The independent verifier on problems whose solutions are known in closed form: every state of a
// contact, bilateral rows, all classes of problems, and what a small error of r does.
#include <float.h>
#include <math.h>
#include <string.h>

#include "nonsmooth/friction_contact.h"
#include "nonsmooth/problem.h"
#include "percuss/problem.h"
#include "support/near.h"

enum { ROWS_MAX = 16, ENTRIES_MAX = 256 };

static pcs_context *create_context(void)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    assert_non_null(ctx);
    return ctx;
}

// A matrix in triplets from a dense one, zeros left out.
typedef struct dense_triplets {
    int32_t row[ENTRIES_MAX], column[ENTRIES_MAX];
    double value[ENTRIES_MAX];
    pcs_triplets view;
} dense_triplets;

static const pcs_triplets *triplets(dense_triplets *out, int32_t m, int32_t n, const double *A)
{
    int32_t count = 0;
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < n; j++)
            if (A[i * n + j] != 0.0) {
                assert_true(count < ENTRIES_MAX);
                out->row[count] = i;
                out->column[count] = j;
                out->value[count++] = A[i * n + j];
            }
    out->view = (pcs_triplets){m, n, count, out->row, out->column, out->value};
    return &out->view;
}

static pcs_problem *local(pcs_context *ctx, int32_t dimension, int32_t contacts, int32_t bilateral,
                          const double *W, const double *q, const double *mu)
{
    const int32_t n = dimension * contacts + bilateral;
    dense_triplets t;
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_local(ctx, dimension, contacts, bilateral,
                                              triplets(&t, n, n, W), q, mu, &problem),
                     PCS_OK);
    return problem;
}

static pcs_verdict verify(const pcs_problem *problem, const double *r)
{
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(problem, r, &verdict), PCS_OK);
    return verdict;
}

static void assert_solved(const pcs_verdict *verdict)
{
    const double tolerance = 4.0 * DBL_EPSILON; // r, W and q are rounded decimals
    assert_at_most(verdict->residual.scaled, tolerance);
    assert_at_most(verdict->residual.relative, tolerance);
    assert_at_most(verdict->cone, tolerance);
    assert_at_most(verdict->dual, tolerance);
    assert_at_most(verdict->complementarity, tolerance);
    assert_at_most(verdict->bilateral, tolerance);
    assert_at_most(verdict->equation, tolerance);
}

// One spatial contact with W = diag(2, 3, 3) in each of its states.
static void states_of_one_contact(void **state)
{
    (void)state;
    static const double W[9] = {2.0, 0, 0, 0, 3.0, 0, 0, 0, 3.0};
    static const struct {
        double mu, q[3], r[3];
        int32_t open, stick, slip;
        double dissipation;
    } cases[] = {
        {0.5, {0.75, -3.0, 2.0}, {0, 0, 0}, 1, 0, 0, 0.0},
        {0.5, {-2.0, 0.75, -0.375}, {1.0, -0.25, 0.125}, 0, 1, 0, 0.0},
        // r_T = -0.25 (0.6, 0.8) has u_T = q_T + 3 r_T = 1.25 (0.6, 0.8) for q_T = 2 (0.6, 0.8)
        {0.25, {-2.0, 1.2, 1.6}, {1.0, -0.15, -0.2}, 0, 0, 1, -0.25 * 1.25},
        {0.0, {-2.0, 2.0, -5.0}, {1.0, 0, 0}, 0, 0, 1, 0.0},
        {0.0, {0.5, 1.0, 0}, {0, 0, 0}, 1, 0, 0, 0.0},
        {5.0, {-2.0, 9.0, 12.0}, {1.0, -3.0, -4.0}, 0, 1, 0, 0.0}, // on the edge of the cone
    };
    pcs_context *ctx = create_context();
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        pcs_problem *problem = local(ctx, 3, 1, 0, W, cases[c].q, &cases[c].mu);
        pcs_verdict verdict = verify(problem, cases[c].r);
        assert_solved(&verdict);
        assert_int_equal(verdict.open, cases[c].open);
        assert_int_equal(verdict.stick + verdict.slip, cases[c].stick + cases[c].slip);
        if (cases[c].mu < 5.0)
            assert_int_equal(verdict.slip, cases[c].slip);
        assert_near(verdict.dissipation, cases[c].dissipation, 4.0 * DBL_EPSILON);
        pcs_problem_destroy(problem);
    }
    pcs_context_destroy(ctx);
}

// Errors d of r in the regular states of one planar contact, W = [[2, 0.5], [0.5, 3]], mu = 0.5:
//     open   F = d, as long as r - u stays in the polar cone
//     stick  F = uhat(W d): the natural map is the velocity
//     slip   F = d - e e.(d - uhat(W d)) along the ray e = (1, -mu sign u_T)/sqrt(1 + mu^2);
//            uhat is affine in d while u_T keeps its sign.
static void perturbations(void **state)
{
    (void)state;
    static const double W[4] = {2.0, 0.5, 0.5, 3.0};
    static const double mu = 0.5, d[2] = {3.1e-7, -2.3e-7};
    const double Wd[2] = {W[0] * d[0] + W[1] * d[1], W[2] * d[0] + W[3] * d[1]};
    pcs_context *ctx = create_context();
    const struct {
        double r[2], u[2];
    } at[3] = {{{0, 0}, {0.5, 1.0}}, {{1.0, 0.25}, {0, 0}}, {{2.0, -1.0}, {0, 0.75}}};
    double expected[3], scaled[3];
    const double rho = 3.0 / 5.0;
    // open: both maps are |d|; the scaled one is divided by rho
    expected[0] = hypot(d[0], d[1]);
    scaled[0] = expected[0] / rho;
    expected[1] = scaled[1] = hypot(Wd[0] + mu * fabs(Wd[1]), Wd[1]);
    const double e[2] = {1.0 / sqrt(1.25), -0.5 / sqrt(1.25)};
    const double uhat[2] = {Wd[0] + mu * Wd[1], Wd[1]};
    double along = e[0] * (d[0] - uhat[0]) + e[1] * (d[1] - uhat[1]);
    expected[2] = hypot(d[0] - along * e[0], d[1] - along * e[1]);
    along = e[0] * (d[0] - rho * uhat[0]) + e[1] * (d[1] - rho * uhat[1]);
    scaled[2] = hypot(d[0] - along * e[0], d[1] - along * e[1]) / rho;
    for (int c = 0; c < 3; c++) {
        const double *r0 = at[c].r, *u0 = at[c].u;
        double q[2] = {u0[0] - W[0] * r0[0] - W[1] * r0[1], u0[1] - W[2] * r0[0] - W[3] * r0[1]};
        double r[2] = {r0[0] + d[0], r0[1] + d[1]};
        double u[2] = {u0[0] + Wd[0], u0[1] + Wd[1]};
        pcs_problem *problem = local(ctx, 2, 1, 0, W, q, &mu);
        pcs_verdict exact = verify(problem, r0), verdict = verify(problem, r);
        // the rounding of r0 + d is all that stands between the two
        const double tolerance = 16.0 * DBL_EPSILON;
        assert_solved(&exact);
        assert_near(verdict.residual.unscaled, expected[c], tolerance);
        assert_near(verdict.residual.scaled, scaled[c] / fmax(fabs(q[0]), fabs(q[1])), tolerance);
        double largest = fmax(hypot(q[0], q[1]), fmax(hypot(r[0], r[1]), hypot(u[0], u[1])));
        assert_near(verdict.residual.relative, expected[c] / largest, tolerance);
        pcs_problem_destroy(problem);
    }
    pcs_context_destroy(ctx);
}

// r outside the cone, u outside the dual cone: distances worked out by hand.
static void cones(void **state)
{
    (void)state;
    static const double W[4] = {1.0, 0, 0, 1.0}, mu = 0.75;
    static const double q[2] = {-3.0, 0.0};
    pcs_context *ctx = create_context();
    pcs_problem *problem = local(ctx, 2, 1, 0, W, q, &mu);
    // r = (1, 3): |r_T| - mu r_N = 2.25, the distance is 2.25/sqrt(1 + mu^2) = 1.8. u = (-2, 3),
    // uhat = (0.25, 3): -uhat is at mu 3 - 0.25 = 2 along the edge, P = 2/1.25 long.
    pcs_verdict verdict = verify(problem, (double[2]){1.0, 3.0});
    assert_near(verdict.cone, 1.8 / sqrt(10.0), 4.0 * DBL_EPSILON);
    assert_near(verdict.dual, 1.6 / sqrt(13.0), 4.0 * DBL_EPSILON);
    assert_near(verdict.dissipation, 9.0, 16.0 * DBL_EPSILON);
    const double product = 0.25 + 9.0, bound = sqrt(10.0) * sqrt(13.0);
    assert_near(verdict.complementarity, product / bound, 4.0 * DBL_EPSILON);
    // r = 0: u = q in the polar side; the distance of uhat = (-3, 0) to K* is 3
    verdict = verify(problem, (double[2]){0.0, 0.0});
    assert_near(verdict.dual, 1.0, 4.0 * DBL_EPSILON);
    assert_near(verdict.residual.unscaled, 3.0, 4.0 * DBL_EPSILON);
    assert_near(verdict.residual.relative, 1.0, 4.0 * DBL_EPSILON);
    assert_true(verdict.cone == 0.0 && verdict.complementarity == 0.0);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

// A contact that slips and a bilateral row coupled with it. r_N = 1, r_T = -0.25, r_b = -2 and
// u = (0, 0.5, 0) give q = u - W r.
static void bilateral_rows(void **state)
{
    (void)state;
    static const double W[9] = {2.0, 0.25, 0.5, 0.25, 3.0, -0.75, 0.5, -0.75, 4.0};
    static const double r[3] = {1.0, -0.25, -2.0}, mu = 0.25;
    double q[3] = {0.0, 0.5, 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            q[i] -= W[3 * i + j] * r[j];
    pcs_context *ctx = create_context();
    pcs_problem *problem = local(ctx, 2, 1, 1, W, q, &mu);
    pcs_verdict verdict = verify(problem, r);
    assert_solved(&verdict);
    assert_int_equal(verdict.slip, 1);
    assert_int_equal(verdict.open + verdict.stick, 0);
    // An error of the bilateral impulse shows in all rows; 4 d in its own, which is the worst.
    const double d = 1.5e-6;
    verdict = verify(problem, (double[3]){r[0], r[1], r[2] + d});
    double q_block = hypot(q[0], q[1]), q_inf = fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2])));
    assert_near(verdict.bilateral, 4.0 * d / fmax(q_block, fabs(q[2])), 16.0 * DBL_EPSILON);
    assert_near(verdict.residual.scaled, 4.0 * d / q_inf, 16.0 * DBL_EPSILON);
    assert_int_equal(verdict.residual.worst, 1);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

// w = M z + q with a solution of one positive and one zero component, then with an equality row.
static void complementarity(void **state)
{
    (void)state;
    static const double M[4] = {2.0, 1.0, 1.0, 2.0}, q[2] = {-3.0, 1.0};
    const uint8_t equality[2] = {0, 1};
    dense_triplets t;
    pcs_context *ctx = create_context();
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_mlcp(ctx, 2, triplets(&t, 2, 2, M), q, NULL, &problem), 0);
    pcs_verdict verdict = verify(problem, (double[2]){1.5, 0.0}); // w = (0, 2.5)
    assert_solved(&verdict);
    assert_int_equal(verdict.open, 1);
    assert_int_equal(verdict.stick, 1);
    // z = (1, -0.5): w = (-1.5, 1), F = (-1.5, -0.5); scaled with rho = 1/2: min(z, w/2) * 2
    verdict = verify(problem, (double[2]){1.0, -0.5});
    assert_near(verdict.residual.unscaled, sqrt(2.5), 4.0 * DBL_EPSILON);
    assert_near(verdict.residual.relative, sqrt(2.5) / sqrt(10.0), 4.0 * DBL_EPSILON);
    assert_near(verdict.residual.scaled, 1.5 / 3.0, 4.0 * DBL_EPSILON);
    assert_near(verdict.cone, 0.5 / 1.0, 4.0 * DBL_EPSILON);
    assert_near(verdict.dual, 1.5 / 3.0, 4.0 * DBL_EPSILON);
    assert_int_equal(verdict.residual.worst, 0);
    pcs_problem_destroy(problem);
    // with the second row an equality: z_2 = (-1 - z_1)/2, w_1 = 1.5 z_1 - 3.5
    assert_int_equal(pcs_problem_create_mlcp(ctx, 2, triplets(&t, 2, 2, M), q, equality, &problem),
                     0);
    verdict = verify(problem, (double[2]){7.0 / 3.0, -5.0 / 3.0});
    assert_solved(&verdict);
    assert_int_equal(verdict.open + verdict.stick + verdict.slip, 1);
    verdict = verify(problem, (double[2]){7.0 / 3.0, -5.0 / 3.0 + 1e-6});
    assert_near(verdict.bilateral, 2e-6 / 3.0, 4.0 * DBL_EPSILON);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

// Three degrees of freedom, the first two coupled by M (not symmetric), a planar contact on them
// and a bilateral column on the third. v, r chosen; f = M v - H r, w = u - H^T v.
static void global_class(void **state)
{
    (void)state;
    static const double M[9] = {4.0, 1.0, 0, 0.5, 3.0, 0, 0, 0, 2.0};
    static const double H[9] = {1.0, 0.25, 0, -0.5, 1.0, 0, 0, 0.75, 1.5};
    static const double v[3] = {0.5, -1.25, 2.0}, r[3] = {1.5, -0.375, 0.875}, mu = 0.25;
    double f[3] = {0}, w[3] = {0.0, 0.625, 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            f[i] += M[3 * i + j] * v[j] - H[3 * i + j] * r[j];
            w[j] -= H[3 * i + j] * v[i];
        }
    dense_triplets Mt, Ht;
    pcs_context *ctx = create_context();
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_global(ctx, 2, 1, 1, triplets(&Mt, 3, 3, M),
                                               triplets(&Ht, 3, 3, H), f, w, &mu, &problem),
                     PCS_OK);
    pcs_verdict verdict = verify(problem, r);
    assert_solved(&verdict);
    assert_int_equal(verdict.slip, 1);
    // d on the bilateral impulse: dv = (0, 0, 1.5 d/2), du = (0, 0.75 dv, 1.5 dv)
    const double d = 1e-6, dv = 0.75 * d;
    verdict = verify(problem, (double[3]){r[0], r[1], r[2] + d});
    double r_norm = hypot(hypot(r[0], r[1]), r[2]);
    // u_T = 0.625 + 0.75 dv > 0 moves along the ray's normal alone: F = e e.uhat, which is
    // (mu u_T, u_T).(1, -mu) = 0: only the bilateral row is left.
    assert_near(verdict.residual.unscaled, 1.5 * dv, 16.0 * DBL_EPSILON);
    assert_near(verdict.residual.relative, 1.5 * dv / r_norm, 1e-6 * dv); // |r| changes by d
    assert_int_equal(verdict.residual.worst, 1);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

// The scaled measure of the global form is that of the reduced problem W = H^T M^-1 H.
static void global_scale(void **state)
{
    (void)state;
    static const double M[4] = {2.0, 0, 0, 8.0}, H[4] = {1.0, 0.5, -1.0, 2.0};
    static const double f[2] = {1.0, -4.0}, w[2] = {-2.25, -3.0}, mu = 0.375, r[2] = {0.3, -0.7};
    // W = [[1/2 + 1/8, 1/4 - 1/4], [0, 1/8 + 1/2]], M^-1 f = (0.5, -0.5)
    static const double W[4] = {0.625, 0, 0, 0.625}, q[2] = {-1.25, -3.75};
    dense_triplets Mt, Ht;
    pcs_context *ctx = create_context();
    pcs_problem *global = NULL, *reduced = local(ctx, 2, 1, 0, W, q, &mu);
    assert_int_equal(pcs_problem_create_global(ctx, 2, 1, 0, triplets(&Mt, 2, 2, M),
                                               triplets(&Ht, 2, 2, H), f, w, &mu, &global),
                     PCS_OK);
    pcs_verdict a = verify(global, r), b = verify(reduced, r);
    assert_near(a.residual.scaled, b.residual.scaled, 4.0 * DBL_EPSILON);
    assert_near(a.residual.unscaled, b.residual.unscaled, 4.0 * DBL_EPSILON);
    assert_near(a.dual, b.dual, 4.0 * DBL_EPSILON);
    assert_true(a.residual.scaled > 0.1);
    pcs_problem_destroy(global);
    pcs_problem_destroy(reduced);
    pcs_context_destroy(ctx);
}

static void bad_input(void **state)
{
    (void)state;
    static const double W[4] = {2.0, 0.5, 0.5, 3.0}, q[2] = {-1.0, 0.3}, mu = 0.4;
    pcs_context *ctx = create_context();
    pcs_problem *problem = local(ctx, 2, 1, 0, W, q, &mu);
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(problem, (double[2]){0.1, NAN}, &verdict),
                     PCS_ERROR_NUMERIC);
    assert_non_null(strstr(pcs_context_error(ctx), "row 1"));
    assert_int_equal(pcs_problem_verify(problem, (double[2]){INFINITY, 0.0}, &verdict),
                     PCS_ERROR_NUMERIC);
    problem->W.value[1] = NAN; // a problem that was spoilt after its creation
    assert_int_equal(pcs_problem_verify(problem, (double[2]){0.1, 0.1}, &verdict),
                     PCS_ERROR_NUMERIC);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

static void singular_mass(void **state)
{
    (void)state;
    static const double M[9] = {4.0, 0, 0, 0, 1.0, 2.0, 0, 2.0, 4.0};
    static const double H[6] = {1.0, 0, 0, 1.0, 0, 1.0}, f[3] = {0}, w[2] = {-1.0, 0};
    const double mu = 0.5;
    dense_triplets Mt, Ht;
    pcs_context *ctx = create_context();
    pcs_problem *problem = NULL;
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_create_global(ctx, 2, 1, 0, triplets(&Mt, 3, 3, M),
                                               triplets(&Ht, 3, 2, H), f, w, &mu, &problem),
                     PCS_OK);
    assert_int_equal(pcs_problem_verify(problem, (double[2]){0.1, 0.1}, &verdict),
                     PCS_ERROR_SINGULAR);
    assert_non_null(strstr(pcs_context_error(ctx), "degree of freedom 2"));
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

// Every request for memory fails once: a status, no leak.
static void failing_memory(void **state)
{
    (void)state;
    enum { CHAIN = 60 }; // one group above the dense limit of the verifier
    double f[CHAIN], w[2] = {-1.0, 0.5};
    int32_t row[3 * CHAIN], column[3 * CHAIN], h_row[2] = {3, 40}, h_column[2] = {0, 1};
    double value[3 * CHAIN], h_value[2] = {1.0, 0.5};
    const double mu = 0.5;
    int32_t count = 0;
    for (int32_t i = 0; i < CHAIN; i++) {
        f[i] = 0.01 * i;
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < CHAIN; j++) {
            row[count] = i;
            column[count] = j;
            value[count++] = i == j ? 2.5 : -1.0;
        }
    }
    const pcs_triplets M = {CHAIN, CHAIN, count, row, column, value};
    const pcs_triplets H = {CHAIN, 2, 2, h_row, h_column, h_value};
    pcs_context *ctx = create_context();
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_global(ctx, 2, 1, 0, &M, &H, f, w, &mu, &problem), PCS_OK);
    const uint64_t bytes = pcs_context_heap_bytes(ctx);
    pcs_verdict verdict;
    pcs_status status = PCS_ERROR_MEMORY;
    for (uint64_t n = 1; status == PCS_ERROR_MEMORY; n++) {
        assert_true(n < 100);
        pcs_context_fail_heap_call(ctx, n);
        status = pcs_problem_verify(problem, (double[2]){0.1, 0.05}, &verdict);
        assert_true(pcs_context_heap_bytes(ctx) == bytes);
    }
    assert_int_equal(status, PCS_OK);
    assert_at_most(verdict.equation, DBL_EPSILON);
    pcs_context_fail_heap_call(ctx, 0);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

static void no_contacts(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    const double none = 0.0;
    pcs_problem *problem = local(ctx, 3, 0, 0, &none, &none, &none);
    pcs_verdict verdict = verify(problem, &none);
    assert_int_equal(verdict.residual.worst, -1);
    assert_solved(&verdict);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_one_contact),
        cmocka_unit_test(perturbations),
        cmocka_unit_test(cones),
        cmocka_unit_test(bilateral_rows),
        cmocka_unit_test(complementarity),
        cmocka_unit_test(global_class),
        cmocka_unit_test(global_scale),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(singular_mass),
        cmocka_unit_test(failing_memory),
        cmocka_unit_test(no_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

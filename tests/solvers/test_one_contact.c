// One contact solved exactly. A solution is judged by pcs_friction_contact_measure and by the law
// itself, written out here: u_N >= 0, r in the cone, u_N r_N = 0, friction against the slip.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/friction_contact.h"
#include "nonsmooth/one_contact.h"

static const double PI = 3.14159265358979323846;
enum { RANDOM_CASES = 100000 };

typedef struct verdict {
    double error;     // largest violation of the law, a velocity
    double residual;  // of pcs_friction_contact_measure, as a velocity
    double tolerance; // what rounding allows, a velocity
    bool open, stick;
} verdict;

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        print_error("%.17g, expected %.17g within %.3g\n", value, expected, tolerance);
    assert_true(fabs(value - expected) <= tolerance);
}

static double norm_T(int32_t size, const double *x)
{
    return size == 1 ? 0.0 : size == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

static double measure_one(int32_t size, const double *W, const double *q, double mu,
                          const double *r)
{
    const int32_t offset[2] = {0, size}, row_start[2] = {0, 1}, zero = 0;
    const int64_t value_start = 0;
    double value[9];
    memcpy(value, W, (size_t)(size * size) * sizeof *W);
    pcs_block_matrix matrix = {1, offset, row_start, &zero, &value_start, &zero, value};
    pcs_friction_contact problem = {.W = &matrix, .q = q, .mu = &mu};
    double scale = 0.0;
    for (int32_t k = 0; k < size; k++)
        scale = fmax(scale, fabs(q[k]));
    return pcs_friction_contact_measure(&problem, r, NULL).scaled * (scale > 0.0 ? scale : 1.0);
}

// Rounding of u is eps |W| |r|, and eps |q|. Friction multiplies an error of u_T by mu in uhat, and
// eliminating r_N multiplies one of r_T by |W_NT| / W_NN; 16 roundings in all.
static verdict judge(int32_t size, const double *W, const double *q, double mu, const double *r)
{
    double u[3], scale = 0.0, coupling = 0.0;
    for (int32_t i = 0; i < size; i++) {
        double sum = fabs(q[i]);
        u[i] = q[i];
        for (int32_t j = 0; j < size; j++) {
            u[i] += W[i * size + j] * r[j];
            sum += fabs(W[i * size + j] * r[j]);
        }
        scale = fmax(scale, sum);
        if (i > 0 && W[0] > 0.0)
            coupling = fmax(coupling, fabs(W[i]) / W[0]);
    }
    verdict v = {0.0, measure_one(size, W, q, mu, r), 0.0, false, false};
    v.tolerance = 16.0 * DBL_EPSILON * (1.0 + mu) * (1.0 + coupling) * scale;
    double w = 0.0; // turns an impulse error into a velocity
    for (int32_t i = 0; i < size; i++)
        w = fmax(w, W[i * size + i]);
    double r_T = norm_T(size, r), u_T = norm_T(size, u);
    v.error = fmax(v.error, -u[0]);
    v.error = fmax(v.error, -r[0] * w);
    v.error = fmax(v.error, (r_T - mu * r[0]) * w);
    v.error = fmax(v.error, fmin(r[0] * w, u[0]));
    double dot = size == 1 ? 0.0 : r[1] * u[1] + (size == 3 ? r[2] * u[2] : 0.0);
    double slip_error = dot + mu * r[0] * u_T; // 0 for r_T = -mu r_N u_T/|u_T|, >= 0 in the cone
    if (r[0] > 0.0 && mu > 0.0)
        v.error = fmax(v.error, fmin(slip_error / (mu * r[0]), u_T));
    v.open = r[0] == 0.0;
    v.stick = !v.open && u_T <= v.tolerance;
    return v;
}

// Random positive definite matrix: eigenvalues between 1 and 1/condition, times a random scale.
static void random_matrix(pcs_random *random, int32_t n, double condition, double *W)
{
    double Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, D[3];
    for (int k = 0; k < 6; k++) {
        int a = n == 2 ? 0 : k % 3, b = n == 2 ? 1 : (k + 1) % 3;
        double angle = pcs_random_between(random, 0.0, 2.0 * PI);
        for (int i = 0; i < 3; i++) {
            double x = Q[3 * i + a], y = Q[3 * i + b];
            Q[3 * i + a] = cos(angle) * x - sin(angle) * y;
            Q[3 * i + b] = sin(angle) * x + cos(angle) * y;
        }
    }
    double scale = pow(10.0, pcs_random_between(random, -12.0, 12.0));
    for (int k = 0; k < 3; k++)
        D[k] = scale * pow(condition, -pcs_random_uniform(random));
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            W[i * n + j] = 0.0;
            for (int32_t k = 0; k < n; k++)
                W[i * n + j] += Q[3 * i + k] * D[k] * Q[3 * j + k];
        }
}

static void random_velocity(pcs_random *random, int32_t n, double *q)
{
    double scale = pow(10.0, pcs_random_between(random, -3.0, 3.0));
    for (int32_t k = 0; k < n; k++)
        q[k] = scale * pcs_random_between(random, -1.0, 1.0) *
               pow(10.0, pcs_random_between(random, -2.0, 0.0));
}

static void assert_solved(verdict v)
{
    if (!(v.error <= v.tolerance) || !(v.residual <= v.tolerance))
        print_error("law violated by %.3e, residual %.3e, tolerance %.3e\n", v.error, v.residual,
                    v.tolerance);
    assert_true(v.error <= v.tolerance);
    assert_true(v.residual <= v.tolerance);
}

static void run_random(int32_t size, uint64_t seed)
{
    pcs_random random;
    int open = 0, stick = 0, slip = 0;
    pcs_random_init(&random, seed);
    for (int k = 0; k < RANDOM_CASES; k++) {
        double W[9], q[3], r[3];
        random_matrix(&random, size, pow(10.0, pcs_random_between(&random, 0.0, 8.0)), W);
        random_velocity(&random, size, q);
        double mu = k % 16 == 0 ? 0.0 : 5.0 * pow(pcs_random_uniform(&random), 2.0);
        pcs_one_contact_solve(size, W, q, mu, r);
        verdict v = judge(size, W, q, mu, r);
        assert_solved(v);
        open += v.open;
        stick += v.stick;
        slip += !v.open && !v.stick;
    }
    assert_true(open > RANDOM_CASES / 10 && stick > RANDOM_CASES / 10 && slip > RANDOM_CASES / 10);
}

static void random_contacts_in_the_plane(void **state)
{
    (void)state;
    run_random(2, 20385);
}

static void random_contacts_in_space(void **state)
{
    (void)state;
    run_random(3, 30417);
}

static void contact_without_friction(void **state)
{
    (void)state;
    const double W = 2.385, closing = -1.7, opening = 0.3, none = 0.0;
    double r;
    pcs_one_contact_solve(1, &W, &closing, 0.4, &r);
    assert_near(r, 1.7 / 2.385, DBL_EPSILON);
    pcs_one_contact_solve(1, &W, &opening, 0.4, &r);
    assert_true(r == 0.0);
    pcs_one_contact_solve(1, &none, &closing, 0.4, &r); // immobile: no impulse helps
    assert_true(r == 0.0);
}

// All solutions of a planar contact, in long double: open, stick, slip forward, slip backward.
static int enumerate_plane(const double *W, const double *q, double mu, long double list[4][2])
{
    const long double a = W[0], b = W[1], c = W[2], d = W[3], m = mu;
    int count = 0;
    if (q[0] >= 0.0) {
        list[count][0] = list[count][1] = 0.0L;
        count++;
    }
    long double det = a * d - b * c;
    long double n = (-q[0] * d + q[1] * b) / det, t = (-q[1] * a + q[0] * c) / det;
    if (n >= 0.0L && fabsl(t) <= m * n) {
        list[count][0] = n;
        list[count++][1] = t;
    }
    for (int sign = -1; sign <= 1; sign += 2) { // r_T = -sign mu r_N with sign u_T >= 0
        n = -q[0] / (a - sign * m * b);
        long double u_T = (c - sign * m * d) * n + q[1];
        if (n > 0.0L && sign * u_T >= 0.0L) {
            list[count][0] = n;
            list[count++][1] = -sign * m * n;
        }
    }
    return count;
}

static void plane_agrees_with_enumeration(void **state)
{
    (void)state;
    pcs_random random;
    int several = 0;
    pcs_random_init(&random, 51);
    for (int k = 0; k < RANDOM_CASES; k++) {
        double W[9], q[3], r[3];
        long double list[4][2];
        random_matrix(&random, 2, 1e4, W);
        random_velocity(&random, 2, q);
        double mu = 5.0 * pcs_random_uniform(&random);
        pcs_one_contact_solve(2, W, q, mu, r);
        int count = enumerate_plane(W, q, mu, list);
        several += count > 1;
        // A case on the border of two states may be lost to rounding; it must be rare, and random
        // data do not meet it.
        assert_true(count >= 1);
        // the first of the list is the rule: open before stick before slip; forward error cond eps
        double scale = fabs((double)list[0][0]) + fabs((double)list[0][1]);
        double coupling = 1.0 + mu * fabs(W[1]) / W[0];
        double det = (W[0] * W[3] - W[1] * W[2]) / (W[0] * W[3]);
        double denominator = fmin(fabs(W[0] - mu * W[1]), fabs(W[0] + mu * W[1])) / W[0];
        double tolerance = 32.0 * DBL_EPSILON * coupling / fmin(det, denominator) *
                           (scale + hypot(q[0], q[1]) / fmin(W[0], W[3]));
        assert_true(fabs(r[0] - (double)list[0][0]) <= tolerance);
        assert_true(fabs(r[1] - (double)list[0][1]) <= tolerance);
    }
    assert_true(several > 0); // Painleve cases were among them
}

// Turning the tangent frame by an angle turns the solution.
static void space_is_isotropic(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 77);
    for (int k = 0; k < 20000; k++) {
        double W[9], q[3], r[3], V[9], p[3], s[3];
        random_matrix(&random, 3, 100.0, W);
        random_velocity(&random, 3, q);
        // below the first mu at which r_N/|r_T| may fail to grow with s the solution is unique
        double mu = pcs_random_uniform(&random) * 0.5 * W[0] / (hypot(W[1], W[2]) + W[0]);
        double angle = pcs_random_between(&random, -PI, PI), c = cos(angle), d = sin(angle);
        const double R[9] = {1, 0, 0, 0, c, -d, 0, d, c};
        for (int i = 0; i < 3; i++) {
            p[i] = 0.0;
            for (int j = 0; j < 3; j++) {
                p[i] += R[3 * i + j] * q[j];
                V[3 * i + j] = 0.0;
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++)
                        V[3 * i + j] += R[3 * i + a] * W[3 * a + b] * R[3 * j + b];
            }
        }
        pcs_one_contact_solve(3, W, q, mu, r);
        pcs_one_contact_solve(3, V, p, mu, s);
        double size = fabs(r[0]) + fabs(r[1]) + fabs(r[2]);
        for (int i = 0; i < 3; i++) {
            double turned = R[3 * i] * r[0] + R[3 * i + 1] * r[1] + R[3 * i + 2] * r[2];
            assert_true(fabs(s[i] - turned) <= 1e3 * 100.0 * DBL_EPSILON * size); // cond eps
        }
    }
}

static void extreme_friction(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 5);
    for (int k = 0; k < 20000; k++) {
        double W[9], q[3], r[3];
        int32_t size = 2 + k % 2;
        random_matrix(&random, size, 1e3, W);
        random_velocity(&random, size, q);
        pcs_one_contact_solve(size, W, q, 0.0, r);
        assert_true(norm_T(size, r) == 0.0);
        assert_solved(judge(size, W, q, 0.0, r));
        pcs_one_contact_solve(size, W, q, 1e6, r);
        assert_solved(judge(size, W, q, 1e6, r));
        pcs_one_contact_solve(size, W, q, 1e-9, r);
        assert_solved(judge(size, W, q, 1e-9, r));
    }
}

// Slightly unsymmetric matrices keep their positive symmetric part.
static void unsymmetric_matrices(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 6);
    for (int k = 0; k < 20000; k++) {
        double W[9], q[3], r[3];
        int32_t size = 2 + k % 2;
        random_matrix(&random, size, 10.0, W);
        for (int32_t i = 0; i < size * size; i++)
            W[i] += 1e-2 * W[0] * pcs_random_between(&random, -1.0, 1.0);
        random_velocity(&random, size, q);
        double mu = pcs_random_uniform(&random);
        pcs_one_contact_solve(size, W, q, mu, r);
        assert_solved(judge(size, W, q, mu, r));
    }
}

// W = H H^T of rank 1 or 2 with q in its range: what a mechanism with few freedoms gives.
static void singular_matrices(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 8);
    for (int k = 0; k < 50000; k++) {
        double H[3][2], v[2], W[9], q[3], r[3];
        int32_t size = 2 + k % 2, rank = size == 2 ? 1 : 1 + (k / 2) % 2;
        for (int a = 0; a < 2; a++)
            v[a] = pcs_random_between(&random, -1.0, 1.0);
        for (int i = 0; i < 3; i++)
            for (int a = 0; a < 2; a++)
                H[i][a] = k % 5 == 0 && i == 2 ? 0.0 : pcs_random_between(&random, -1.0, 1.0);
        for (int32_t i = 0; i < size; i++) {
            q[i] = 0.0;
            for (int a = 0; a < rank; a++)
                q[i] += H[i][a] * v[a];
            for (int32_t j = 0; j < size; j++) {
                W[i * size + j] = 0.0;
                for (int a = 0; a < rank; a++)
                    W[i * size + j] += H[i][a] * H[j][a];
            }
        }
        double mu = 2.0 * pcs_random_uniform(&random);
        pcs_one_contact_solve(size, W, q, mu, r);
        assert_solved(judge(size, W, q, mu, r));
    }
}

static void degenerate_data(void **state)
{
    (void)state;
    const double none[9] = {0}, q[3] = {-1.3, 0.4, 0.7}, zero[3] = {0};
    const double W[9] = {2.1, 0.3, -0.2, 0.3, 1.4, 0.1, -0.2, 0.1, 1.9};
    double r[3], scaled[3], V[9], p[3];
    pcs_one_contact_solve(3, none, q, 0.5, r);
    assert_true(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
    pcs_one_contact_solve(3, W, zero, 0.5, r);
    assert_true(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
    // units: W and q scaled by powers of two scale r exactly, far beyond 1e-12..1e12
    pcs_one_contact_solve(3, W, q, 0.2, r);
    for (int k = 0; k < 9; k++)
        V[k] = ldexp(W[k], 600);
    for (int k = 0; k < 3; k++)
        p[k] = ldexp(q[k], -300);
    pcs_one_contact_solve(3, V, p, 0.2, scaled);
    for (int k = 0; k < 3; k++)
        assert_near(ldexp(scaled[k], 900), r[k], 8.0 * DBL_EPSILON);
}

// [Brogliato2002] benchmark of the review's section 3.1: point mass m = 1, f = 0.5, v = (1, -1).
// The Coulomb step of Moreau with e = 0 gives P = (-0.5, 1), v+ = (0.5, 0), (tangent, normal).
static void point_mass_on_a_plane(void **state)
{
    (void)state;
    const double W2[4] = {1, 0, 0, 1}, q2[2] = {-1, 1};
    const double W3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q3[3] = {-1, 0, 1};
    double r[3];
    pcs_one_contact_solve(2, W2, q2, 0.5, r);
    assert_near(r[0], 1.0, DBL_EPSILON);
    assert_near(r[1], -0.5, DBL_EPSILON);
    pcs_one_contact_solve(3, W3, q3, 0.5, r);
    assert_near(r[0], 1.0, 4.0 * DBL_EPSILON);
    assert_near(r[1], 0.0, 4.0 * DBL_EPSILON);
    assert_near(r[2], -0.5, 4.0 * DBL_EPSILON);
}

// Painleve's slender rod [Brogliato2002, section 8.1], m = l = 1, J = 1/3, inclination 60 degrees,
// lower end sliding at v_T = -1: W_NN = 1 + 3 cos^2, W_TT = 1 + 3 sin^2, W_NT = -3 sin cos,
// q = (h (w^2 sin - g), -1 + h w^2 cos) with the angular velocity w.
static void painleve_rod(double mu, double h, double w, double *W, double *q, double *r)
{
    const double c = cos(PI / 3.0), s = sin(PI / 3.0), g = 9.81;
    W[0] = 1.0 + 3.0 * c * c;
    W[1] = W[2] = -3.0 * s * c;
    W[3] = 1.0 + 3.0 * s * s;
    q[0] = h * (w * w * s - g);
    q[1] = -1.0 + h * w * w * c;
    pcs_one_contact_solve(2, W, q, mu, r);
    assert_solved(judge(2, W, q, mu, r));
}

static void rod_with_one_solution(void **state)
{
    (void)state;
    // h, r_N, r_T as printed, to half a unit of the last digit; the limit is (3/4 s c, (1+3c^2)/4)
    static const double table[3][3] = {
        {1e-2, 0.404466, 0.469359}, {1e-3, 0.332730, 0.440686}, {1e-4, 0.325557, 0.437819}};
    double W[4], q[2], r[2];
    for (int k = 0; k < 3; k++) {
        painleve_rod(1.5, table[k][0], 0.0, W, q, r);
        assert_near(r[0], table[k][1], 0.5e-6);
        assert_near(r[1], table[k][2], 0.5e-6);
    }
    painleve_rod(0.3, 1e-3, 0.0, W, q, r);
    assert_near(r[0], 0.00721171, 0.5e-8);
    assert_near(r[1], 0.3 * r[0], 1e-15); // slides on
}

static void rod_with_three_solutions(void **state)
{
    (void)state;
    double W[4], q[2], r[2];
    long double list[4][2];
    painleve_rod(1.5, 1e-3, 5.0, W, q, r);
    assert_int_equal(enumerate_plane(W, q, 1.5, list), 3);
    assert_near((double)list[0][0], 0.0, 0.0);
    assert_near((double)list[1][0], 0.311080, 0.5e-6);
    assert_near((double)list[2][0], 0.059633, 0.5e-6);
    assert_true(r[0] == 0.0);     // the rule: open first
    for (int k = 0; k < 3; k++) { // and each of the three has no residual
        double candidate[2] = {(double)list[k][0], (double)list[k][1]};
        assert_solved(judge(2, W, q, 1.5, candidate));
    }
}

// Inside an iteration a root is followed with fewer steps, and a well-conditioned contact is not
// refined, which may cost two digits: where q comes to rest the contact must be solved all the
// same.
static void iterated_contact(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 77);
    for (int k = 0; k < RANDOM_CASES / 4; k++) {
        double W[9], q[3], r[3], slip = 0.0;
        const double mu = 2.0 * pcs_random_uniform(&random);
        pcs_one_contact contact;
        random_matrix(&random, 3, pow(10.0, pcs_random_between(&random, 0.0, 6.0)), W);
        random_velocity(&random, 3, q);
        pcs_one_contact_prepare(&contact, 3, W, mu);
        for (int sweep = 0; sweep < 8; sweep++) {
            pcs_one_contact_update(&contact, q, &slip, r);
            for (int i = 0; i < 3 && sweep < 6; i++)
                q[i] *= 1.0 + pow(10.0, -sweep) * pcs_random_between(&random, -0.2, 0.2);
        }
        verdict v = judge(3, W, q, mu, r);
        v.tolerance *= 100.0;
        assert_solved(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_without_friction), cmocka_unit_test(random_contacts_in_the_plane),
        cmocka_unit_test(random_contacts_in_space), cmocka_unit_test(plane_agrees_with_enumeration),
        cmocka_unit_test(space_is_isotropic),       cmocka_unit_test(extreme_friction),
        cmocka_unit_test(unsymmetric_matrices),     cmocka_unit_test(singular_matrices),
        cmocka_unit_test(degenerate_data),          cmocka_unit_test(point_mass_on_a_plane),
        cmocka_unit_test(rod_with_one_solution),    cmocka_unit_test(rod_with_three_solutions),
        cmocka_unit_test(iterated_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

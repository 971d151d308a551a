// Enumeration of complementarity and friction problems: known counts, and agreement of independent
// ways to the same solutions.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/friction_enumerate.h"
#include "support/fixture.h"
#include "support/near.h"

enum { ROWS_MAX = 24, KEPT = 64 };

typedef struct fixture {
    pcs_test_memory memory;
    pcs_random random;
} fixture;

static int set_up(void **state)
{
    if (pcs_test_fixture_create(state, sizeof(fixture)) != 0)
        return -1;
    pcs_random_init(&((fixture *)*state)->random, 887);
    return 0;
}

static int32_t count_mlcp(fixture *f, int32_t n, const double *M, const double *q,
                          const uint8_t *equality)
{
    double solutions[KEPT * ROWS_MAX];
    int32_t count = -1;
    const pcs_mlcp problem = {n, M, q, equality};
    assert_int_equal(pcs_mlcp_enumerate(&problem, &f->memory.arena, KEPT, solutions, &count),
                     PCS_OK);
    for (int32_t i = 0; i < count && count <= KEPT; i++)
        assert_at_most(pcs_mlcp_measure(&problem, solutions + i * n, NULL).relative, 1e-9);
    return count;
}

// Published examples: [CottlePangStone2009] 4.4.7, 4.1.14, 4.4.16 and the bimatrix game 4.4.23 with
// its three equilibria.
static void literature(void **state)
{
    fixture *f = *state;
    const double ex447[9] = {0.0, -1.0, 2.0, 2.0, 0.0, -2.0, -1.0, 1.0, 0.0};
    assert_int_equal(count_mlcp(f, 3, ex447, (const double[]){-3.0, 6.0, -1.0}, NULL), 1);
    const double ones[4] = {1.0, 1.0, 1.0, 1.0};
    assert_int_equal(count_mlcp(f, 2, ones, (const double[]){-1.0, -1.0}, NULL),
                     PCS_SOLUTIONS_MANY); // z1 + z2 = 1
    const double edge[4] = {1.0, -1.0, -1.0, 1.0};
    assert_int_equal(count_mlcp(f, 2, edge, (const double[]){1.0, -1.0}, NULL), PCS_SOLUTIONS_MANY);
    const double game[16] = {0.0,  0.0,  10.0, 20.0, 0.0,  0.0,  30.0, 15.0,
                             10.0, 20.0, 0.0,  0.0,  30.0, 15.0, 0.0,  0.0};
    assert_int_equal(count_mlcp(f, 4, game, (const double[]){-1.0, -1.0, -1.0, -1.0}, NULL), 3);
}

// M = -I, q > 0: z_i is 0 or q_i, 2^n solutions. With one q_i = 0 half of them coincide; with one
// q_i < 0 there is none.
static void all_corners(void **state)
{
    fixture *f = *state;
    enum { N = 5 };
    double M[N * N] = {0}, q[N] = {1.3, 0.7, 2.385, 1.1, 0.4};
    for (int i = 0; i < N; i++)
        M[i * N + i] = -1.0;
    assert_int_equal(count_mlcp(f, N, M, q, NULL), 32);
    q[3] = 0.0;
    assert_int_equal(count_mlcp(f, N, M, q, NULL), 16);
    q[3] = -1e-3;
    assert_int_equal(count_mlcp(f, N, M, q, NULL), 0);
}

// Equality rows: w_e = 0 fixes the free variable, or a redundant pair of equalities leaves it free.
static void mixed(void **state)
{
    fixture *f = *state;
    const uint8_t first[2] = {1, 0}, both[2] = {1, 1};
    const double M[4] = {2.0, 1.0, -1.0, 0.5}, singular[4] = {1.0, 2.0, 2.0, 4.0};
    assert_int_equal(count_mlcp(f, 2, M, (const double[]){1.0, -2.0}, first), 1);
    assert_int_equal(count_mlcp(f, 2, singular, (const double[]){1.0, 2.0}, both),
                     PCS_SOLUTIONS_MANY);
    assert_int_equal(count_mlcp(f, 2, singular, (const double[]){1.0, 2.5}, both), 0);
}

static void make_dominant(fixture *f, int32_t n, double *M, double *q)
{
    for (int32_t i = 0; i < n; i++) {
        q[i] = pcs_random_between(&f->random, -1.0, 1.0);
        for (int32_t j = 0; j < n; j++)
            M[i * n + j] = i == j ? 8.0 : pcs_random_between(&f->random, -0.4, 0.4);
    }
}

// All 2^n bases of a P-matrix have one solution between them. More than twenty rows are refused.
static void size_limit(void **state)
{
    fixture *f = *state;
    enum { N = PCS_ENUMERATE_MAX + 1, SAMPLE = 15 };
    static double M[N * N], q[N], z[N];
    int32_t count = 0;
    make_dominant(f, N, M, q);
    const pcs_mlcp large = {N, M, q, NULL};
    assert_int_equal(pcs_mlcp_enumerate(&large, &f->memory.arena, 1, z, &count), PCS_NOT_CONVERGED);
    assert_int_equal(count, -1);
    make_dominant(f, SAMPLE, M, q);
    assert_int_equal(count_mlcp(f, SAMPLE, M, q, NULL), 1);
}

// Matrices without structure, some with small integers, some with equalities: `auto` finds a
// solution exactly where there is one, and says so where there is none.
static void auto_agrees(void **state)
{
    fixture *f = *state;
    enum { N = 7 };
    const pcs_solve_opts opts = {
        .tolerance = 1e-12, .measure = PCS_MEASURE_RELATIVE, .threads = 1, .max_time = 20.0};
    for (int trial = 0; trial < 400; trial++) {
        const int32_t n = 1 + trial % N;
        double M[N * N], q[N], z[N] = {0}, w[N];
        uint8_t equality[N];
        pcs_solve_info info;
        for (int32_t i = 0; i < n * n; i++) {
            M[i] = pcs_random_between(&f->random, -1.0, 1.0);
            M[i] = trial % 3 == 1 ? round(2.0 * M[i]) : M[i];
        }
        for (int32_t i = 0; i < n; i++) {
            q[i] = pcs_random_between(&f->random, -1.0, 1.0);
            q[i] = trial % 3 == 1 ? round(2.0 * q[i]) : q[i];
            equality[i] = trial % 3 == 2 && i % 3 == 2;
        }
        const int32_t count = count_mlcp(f, n, M, q, equality);
        const pcs_mlcp problem = {n, M, q, equality};
        const pcs_status status = pcs_mlcp_solver_row(0)->solve(&problem, &opts, NULL,
                                                                &f->memory.arena, z, w, &info);
        assert_int_equal(status, count > 0 ? PCS_OK : PCS_NOT_CONVERGED);
        if (status == PCS_OK)
            assert_at_most(pcs_mlcp_measure(&problem, z, NULL).relative, 1e-12);
        else
            assert_true(strncmp(info.reason, "no solution", 11) == 0);
    }
}

typedef struct friction {
    int32_t n, rows;
    int32_t offset[9], row_start[9], column[64], diagonal[8];
    int64_t value_start[64];
    double value[ROWS_MAX * ROWS_MAX], dense[ROWS_MAX * ROWS_MAX], q[ROWS_MAX], mu[8];
    uint8_t kind[8];
    pcs_block_matrix W;
    pcs_friction_contact problem;
} friction;

// A full block matrix from dense rows and block sizes; negative sizes are bilateral.
static void friction_init(friction *c, int32_t n, const int32_t *size)
{
    int64_t place = 0;
    c->n = n;
    c->offset[0] = c->row_start[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        c->kind[i] = (uint8_t)(size[i] < 0 ? PCS_BLOCK_BILATERAL : PCS_BLOCK_CONTACT);
        c->offset[i + 1] = c->offset[i] + (size[i] < 0 ? -size[i] : size[i]);
        c->row_start[i + 1] = (i + 1) * n;
        c->diagonal[i] = i * n + i;
    }
    c->rows = c->offset[n];
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            c->column[i * n + j] = j;
            c->value_start[i * n + j] = place;
            for (int32_t k = c->offset[i]; k < c->offset[i + 1]; k++)
                for (int32_t l = c->offset[j]; l < c->offset[j + 1]; l++)
                    c->value[place++] = c->dense[k * c->rows + l];
        }
    c->W = (pcs_block_matrix){n,           c->offset, c->row_start, c->column, c->value_start,
                              c->diagonal, c->value};
    c->problem = (pcs_friction_contact){.W = &c->W, .q = c->q, .mu = c->mu, .kind = c->kind};
}

static void random_friction(friction *c, pcs_random *random, int32_t n, const int32_t *size,
                            double shift)
{
    int32_t rows = 0;
    for (int32_t i = 0; i < n; i++)
        rows += size[i] < 0 ? -size[i] : size[i];
    double A[ROWS_MAX * ROWS_MAX];
    for (int32_t i = 0; i < rows * rows; i++)
        A[i] = pcs_random_between(random, -1.0, 1.0);
    for (int32_t i = 0; i < rows; i++) {
        c->q[i] = pcs_random_between(random, -1.0, 1.0);
        for (int32_t j = 0; j < rows; j++) {
            double sum = i == j ? shift : 0.0;
            for (int32_t l = 0; l < rows; l++)
                sum += A[i * rows + l] * A[j * rows + l];
            c->dense[i * rows + j] = sum;
        }
    }
    for (int32_t i = 0; i < n; i++)
        c->mu[i] = pcs_random_between(random, 0.1, 0.6);
    friction_init(c, n, size);
}

static int32_t count_friction(fixture *f, const friction *c, double *solutions)
{
    int32_t count = -1;
    assert_int_equal(pcs_friction_enumerate(&c->problem, &f->memory.arena, KEPT, solutions, &count),
                     PCS_OK);
    for (int32_t i = 0; i < count && count <= KEPT; i++)
        assert_at_most(
            pcs_friction_contact_measure(&c->problem, solutions + i * c->rows, NULL).unscaled,
            1e-9);
    return count;
}

// Definite W and small mu: there is a solution, mostly one; with bilateral rows and contacts of one
// row in the mixture.
static void planar_mixtures(void **state)
{
    fixture *f = *state;
    static friction c;
    static double solutions[KEPT * ROWS_MAX];
    static const int32_t sizes[4][5] = {
        {2, 0, 0, 0, 0}, {2, 1, 2, 0, 0}, {2, -2, 1, -1, 2}, {2, 2, 2, 2, -3}};
    static const int32_t blocks[4] = {1, 3, 5, 5};
    for (int trial = 0; trial < 40; trial++) {
        random_friction(&c, &f->random, blocks[trial % 4], sizes[trial % 4], 0.5);
        const int32_t count = count_friction(f, &c, solutions);
        assert_true(count >= 1 && count <= KEPT);
    }
}

// A box on two corners, W of rank 3 for four rows: sticking is statically indeterminate.
static void hyperstatic(void **state)
{
    fixture *f = *state;
    static friction c;
    double solutions[KEPT * ROWS_MAX];
    static const double H[4][3] = {
        {0.0, 1.0, -1.0}, {1.0, 0.0, 0.5}, {0.0, 1.0, 1.0}, {1.0, 0.0, 0.5}};
    static const double q[4] = {-1.0, 0.1, -1.0, 0.1};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c.dense[4 * i + j] = H[i][0] * H[j][0] + H[i][1] * H[j][1] + 3.0 * H[i][2] * H[j][2];
    memcpy(c.q, q, sizeof q);
    c.mu[0] = c.mu[1] = 0.5;
    friction_init(&c, 2, (const int32_t[]){2, 2});
    assert_int_equal(count_friction(f, &c, solutions), PCS_SOLUTIONS_MANY);
    assert_at_most(pcs_friction_contact_measure(&c.problem, solutions, NULL).unscaled, 1e-9);
}

// The exact one-contact solver must be among the solutions, and for definite W and small mu be the
// only one; a bilateral block between body and contact changes nothing in the counting.
static void spatial_contact(void **state)
{
    fixture *f = *state;
    static friction c;
    double solutions[KEPT * ROWS_MAX];
    for (int trial = 0; trial < 200; trial++) {
        const int32_t size[2] = {3, -2};
        random_friction(&c, &f->random, 1 + trial % 2, size, 0.5);
        const int32_t count = count_friction(f, &c, solutions);
        assert_true(count >= 1 && count <= PCS_ONE_CONTACT_SOLUTIONS);
        if (c.n > 1)
            continue;
        double r[3];
        bool found = false;
        pcs_one_contact_solve(3, c.dense, c.q, c.mu[0], r);
        for (int32_t i = 0; i < count; i++)
            found = found || hypot(hypot(solutions[3 * i] - r[0], solutions[3 * i + 1] - r[1]),
                                   solutions[3 * i + 2] - r[2]) <= 1e-9;
        assert_true(found);
    }
}

// Slip roots of indefinite, nonsymmetric W against a scan of all directions.
static void slip_roots_by_scan(void **state)
{
    fixture *f = *state;
    enum { STEPS = 20000 };
    static friction c;
    for (int trial = 0; trial < 100; trial++) {
        double W[9], q[3], solutions[3 * PCS_ONE_CONTACT_SOLUTIONS];
        for (int i = 0; i < 9; i++)
            W[i] = pcs_random_between(&f->random, -1.0, 1.0);
        for (int i = 0; i < 3; i++)
            q[i] = pcs_random_between(&f->random, -1.0, 1.0);
        const double mu = pcs_random_between(&f->random, 0.1, 2.0);
        memcpy(c.dense, W, sizeof W);
        memcpy(c.q, q, sizeof q);
        c.mu[0] = mu;
        friction_init(&c, 1, (const int32_t[]){3});
        const int32_t count = pcs_one_contact_enumerate(W, q, mu, PCS_ONE_CONTACT_SOLUTIONS,
                                                        solutions);
        assert_true(count <= PCS_ONE_CONTACT_SOLUTIONS);
        int32_t slips = 0, scanned = 0;
        for (int32_t i = 0; i < count; i++) {
            const double *r = solutions + 3 * i;
            double u[3];
            for (int k = 0; k < 3; k++)
                u[k] = q[k] + W[3 * k] * r[0] + W[3 * k + 1] * r[1] + W[3 * k + 2] * r[2];
            assert_at_most(pcs_friction_contact_measure(&c.problem, r, NULL).unscaled,
                           1e-9 * fmax(1.0, r[0]));
            slips += r[0] > 0.0 && hypot(u[1], u[2]) > 1e-7;
        }
        double before = NAN;
        for (int k = 0; k <= STEPS; k++) {
            const double a = 6.283185307179586 * k / STEPS, d[2] = {cos(a), sin(a)};
            const double r_N = -q[0] / (W[0] + mu * (W[1] * d[0] + W[2] * d[1]));
            double v[2];
            for (int i = 0; i < 2; i++)
                v[i] = q[i + 1] +
                       r_N * (W[3 * i + 3] + mu * (W[3 * i + 4] * d[0] + W[3 * i + 5] * d[1]));
            const double across = -d[1] * v[0] + d[0] * v[1];
            if (r_N > 0.0 && across * before < 0.0 && d[0] * v[0] + d[1] * v[1] < 0.0)
                scanned++;
            before = r_N > 0.0 ? across : NAN;
        }
        assert_int_equal(slips, scanned);
    }
}

static void too_large_and_wrong(void **state)
{
    fixture *f = *state;
    static friction c;
    int32_t count = 0;
    random_friction(&c, &f->random, 2, (const int32_t[]){3, 2}, 0.5);
    assert_int_equal(pcs_friction_enumerate(&c.problem, &f->memory.arena, 0, NULL, &count),
                     PCS_NOT_CONVERGED);
    assert_int_equal(count, -1);
    c.q[1] = NAN;
    assert_int_equal(pcs_friction_enumerate(&c.problem, &f->memory.arena, 0, NULL, &count),
                     PCS_ERROR_NUMERIC);
    c.q[1] = 0.0;
    c.mu[0] = -0.1;
    assert_int_equal(pcs_friction_enumerate(&c.problem, &f->memory.arena, 0, NULL, &count),
                     PCS_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literature),
        cmocka_unit_test(all_corners),
        cmocka_unit_test(mixed),
        cmocka_unit_test(size_limit),
        cmocka_unit_test(auto_agrees),
        cmocka_unit_test(planar_mixtures),
        cmocka_unit_test(hyperstatic),
        cmocka_unit_test(spatial_contact),
        cmocka_unit_test(slip_roots_by_scan),
        cmocka_unit_test(too_large_and_wrong),
    };
    return cmocka_run_group_tests(tests, set_up, pcs_test_fixture_destroy);
}

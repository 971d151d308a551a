// Complementarity problems with known solutions, every solver on every class of matrices that it
// claims; the answer is judged by a residual that this file computes from the data.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/mlcp.h"
#include "support/fixture.h"
#include "support/near.h"

enum { N_MAX = 48, TRIALS = 25 };

typedef struct fixture {
    pcs_test_memory memory;
    pcs_random random;
} fixture;

static int set_up(void **state)
{
    if (pcs_test_fixture_create(state, sizeof(fixture)) != 0)
        return -1;
    pcs_random_init(&((fixture *)*state)->random, 20260611);
    return 0;
}

typedef struct known {
    int32_t n;
    double M[N_MAX * N_MAX], q[N_MAX], z[N_MAX];
    uint8_t equality[N_MAX];
    pcs_mlcp problem;
} known;

static double normal(pcs_random *random)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++)
        sum += pcs_random_uniform(random);
    return sum;
}

// q such that a random z solves the problem; one row in `degenerate` has z = w = 0.
static void choose_solution(known *k, pcs_random *random, int degenerate)
{
    for (int32_t i = 0; i < k->n; i++) {
        const double size = pcs_random_between(random, 0.2, 2.0);
        const bool zero = degenerate > 0 && pcs_random_next(random) % (uint64_t)degenerate == 0;
        const bool active = pcs_random_next(random) % 2 == 0;
        k->z[i] = k->equality[i] ? normal(random) : (zero || !active ? 0.0 : size);
        k->q[i] = k->equality[i] || zero || active ? 0.0 : size; // w for now
    }
    for (int32_t i = 0; i < k->n; i++)
        for (int32_t j = 0; j < k->n; j++)
            k->q[i] -= k->M[i * k->n + j] * k->z[j];
    k->problem = (pcs_mlcp){k->n, k->M, k->q, k->equality};
}

// M = A A^T / n of the given rank
static void gram(known *k, pcs_random *random, int32_t rank)
{
    static double A[N_MAX * N_MAX];
    for (int32_t i = 0; i < k->n * rank; i++)
        A[i] = normal(random);
    for (int32_t i = 0; i < k->n; i++)
        for (int32_t j = 0; j < k->n; j++) {
            double sum = 0.0;
            for (int32_t l = 0; l < rank; l++)
                sum += A[i * rank + l] * A[j * rank + l];
            k->M[i * k->n + j] = sum / k->n;
        }
}

static void add_skew(known *k, pcs_random *random, double size)
{
    for (int32_t i = 0; i < k->n; i++)
        for (int32_t j = 0; j < i; j++) {
            const double entry = size * normal(random);
            k->M[i * k->n + j] += entry;
            k->M[j * k->n + i] -= entry;
        }
}

static void make_definite(known *k, pcs_random *random)
{
    gram(k, random, k->n);
    for (int32_t i = 0; i < k->n; i++)
        k->M[i * k->n + i] += 0.5;
}

static void make_p(known *k, pcs_random *random)
{
    make_definite(k, random);
    add_skew(k, random, 0.5);
}

static void make_semidefinite(known *k, pcs_random *random)
{
    gram(k, random, k->n / 2);
}

static void make_monotone(known *k, pcs_random *random)
{
    gram(k, random, k->n / 3);
    add_skew(k, random, 0.5);
}

static void make_m_matrix(known *k, pcs_random *random)
{
    for (int32_t i = 0; i < k->n; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < k->n; j++) {
            k->M[i * k->n + j] = i == j ? 0.0 : -pcs_random_uniform(random);
            sum -= k->M[i * k->n + j];
        }
        k->M[i * k->n + i] = sum + pcs_random_between(random, 0.2, 1.0);
    }
}

// Positive entries: strictly copositive, far from definite
static void make_copositive(known *k, pcs_random *random)
{
    for (int32_t i = 0; i < k->n * k->n; i++)
        k->M[i] = pcs_random_between(random, 0.1, 2.0);
}

static double spread(pcs_random *random)
{
    return pow(10.0, pcs_random_between(random, -8.0, 8.0));
}

static void make_scaled_definite(known *k, pcs_random *random)
{
    double d[N_MAX];
    make_p(k, random);
    for (int32_t i = 0; i < k->n; i++)
        d[i] = sqrt(spread(random));
    for (int32_t i = 0; i < k->n; i++)
        for (int32_t j = 0; j < k->n; j++)
            k->M[i * k->n + j] *= d[i] * d[j];
}

// The equality block is zero, as for the multipliers of a quadratic program
static void make_saddle(known *k, pcs_random *random)
{
    make_definite(k, random);
    for (int32_t i = 0; i < k->n; i++)
        k->equality[i] = i < k->n / 3;
    for (int32_t i = 0; i < k->n; i++)
        for (int32_t j = 0; j < k->n; j++)
            if (k->equality[i] && k->equality[j])
                k->M[i * k->n + j] = 0.0;
            else if (k->equality[i])
                k->M[i * k->n + j] = -k->M[j * k->n + i];
}

static void make_mixed_definite(known *k, pcs_random *random)
{
    make_p(k, random);
    for (int32_t i = 0; i < k->n; i++)
        k->equality[i] = pcs_random_next(random) % 3 == 0;
}

// Equalities spread over a rank-deficient monotone matrix
static void make_mixed_monotone(known *k, pcs_random *random)
{
    gram(k, random, k->n / 3);
    for (int32_t i = 0; i < k->n; i++)
        k->equality[i] = pcs_random_next(random) % 2 == 0;
}

typedef enum problem_kind {
    DEFINITE,
    P_MATRIX,
    SEMIDEFINITE,
    MONOTONE,
    M_MATRIX,
    COPOSITIVE,
    SCALED,
    SADDLE,
    MIXED_DEFINITE,
    MIXED_MONOTONE,
    KINDS
} problem_kind;

static const struct {
    const char *name;
    void (*make)(known *k, pcs_random *random);
} kinds[KINDS] = {
    [DEFINITE] = {"definite", make_definite},
    [P_MATRIX] = {"P", make_p},
    [SEMIDEFINITE] = {"semidefinite", make_semidefinite},
    [MONOTONE] = {"monotone", make_monotone},
    [M_MATRIX] = {"M", make_m_matrix},
    [COPOSITIVE] = {"copositive", make_copositive},
    [SCALED] = {"scaled", make_scaled_definite},
    [SADDLE] = {"saddle", make_saddle},
    [MIXED_DEFINITE] = {"mixed definite", make_mixed_definite},
    [MIXED_MONOTONE] = {"mixed monotone", make_mixed_monotone},
};

static void make_problem(known *k, pcs_random *random, problem_kind kind, int32_t n, int degenerate)
{
    memset(k, 0, sizeof *k);
    k->n = n;
    kinds[kind].make(k, random);
    choose_solution(k, random, degenerate);
}

// |min(z, M z + q)| / |q| in extended precision, from the data alone
static double residual_of(const pcs_mlcp *problem, const double *z)
{
    long double sum = 0.0L, size = 0.0L;
    for (int32_t i = 0; i < problem->n; i++) {
        long double w = problem->q[i], F;
        for (int32_t j = 0; j < problem->n; j++)
            w += (long double)problem->M[i * problem->n + j] * z[j];
        F = pcs_mlcp_is_equality(problem, i) || w < z[i] ? w : z[i];
        sum += F * F;
        size += (long double)problem->q[i] * problem->q[i];
    }
    return (double)(sqrtl(sum) / (size > 0.0L ? sqrtl(size) : 1.0L));
}

static pcs_solve_opts options(double tolerance)
{
    return (pcs_solve_opts){
        .tolerance = tolerance, .measure = PCS_MEASURE_RELATIVE, .threads = 1, .max_time = 20.0};
}

static void expect_solved(fixture *f, const known *k, const char *solver, const double *option,
                          double tolerance, const char *what)
{
    double z[N_MAX] = {0}, w[N_MAX];
    const pcs_solve_opts opts = options(tolerance);
    pcs_solve_info info;
    const pcs_status status = pcs_mlcp_solver_find(solver)->solve(&k->problem, &opts, option,
                                                                  &f->memory.arena, z, w, &info);
    const double residual = residual_of(&k->problem, z);
    const double reached = pcs_mlcp_rounding(&k->problem, z).relative;
    if (status != PCS_OK || !(residual <= fmax(tolerance, reached)))
        fail_msg("%s on %s, n = %d: status %d, residual %g; %s", solver, what, k->n, status,
                 residual, info.reason);
    double again[N_MAX];
    (void)pcs_mlcp_measure(&k->problem, z, again);
    for (int32_t i = 0; i < k->n; i++)
        assert_true(w[i] == again[i]);
}

typedef struct claim {
    const char *solver;
    double option;
    problem_kind kind[KINDS];
    int count;
    int32_t n_max;
} claim;

static const claim claims[] = {
    {"auto",
     14,
     {DEFINITE, P_MATRIX, SEMIDEFINITE, MONOTONE, M_MATRIX, COPOSITIVE, SCALED, SADDLE,
      MIXED_DEFINITE, MIXED_MONOTONE},
     10,
     40},
    {"lemke",
     1,
     {DEFINITE, P_MATRIX, SEMIDEFINITE, MONOTONE, M_MATRIX, COPOSITIVE, SCALED, SADDLE,
      MIXED_DEFINITE, MIXED_MONOTONE},
     10,
     40},
    {"pivot",
     0,
     {DEFINITE, P_MATRIX, SEMIDEFINITE, MONOTONE, M_MATRIX, SCALED, SADDLE, MIXED_DEFINITE,
      MIXED_MONOTONE},
     9,
     30},
    {"pivot", 1, {DEFINITE, P_MATRIX, M_MATRIX, SCALED, MIXED_DEFINITE}, 5, 12},
    {"gauss-seidel", 0, {DEFINITE, M_MATRIX}, 2, 30},
    {"sor", 1.2, {DEFINITE, M_MATRIX}, 2, 30},
    {"newton-fb",
     10,
     {DEFINITE, P_MATRIX, SEMIDEFINITE, MONOTONE, M_MATRIX, SCALED, SADDLE, MIXED_DEFINITE,
      MIXED_MONOTONE},
     9,
     30},
    {"newton-min",
     10,
     {DEFINITE, P_MATRIX, SEMIDEFINITE, MONOTONE, M_MATRIX, SCALED, SADDLE, MIXED_DEFINITE,
      MIXED_MONOTONE},
     9,
     30},
    {"interior-point",
     0,
     {DEFINITE, P_MATRIX, SEMIDEFINITE, MONOTONE, SCALED, SADDLE, MIXED_DEFINITE, MIXED_MONOTONE},
     8,
     30},
    {"enumerate",
     0,
     {DEFINITE, P_MATRIX, SEMIDEFINITE, MONOTONE, M_MATRIX, COPOSITIVE, SCALED, SADDLE,
      MIXED_DEFINITE, MIXED_MONOTONE},
     10,
     8},
};

static void solvers_and_classes(void **state)
{
    fixture *f = *state;
    static known k;
    for (size_t c = 0; c < sizeof claims / sizeof *claims; c++)
        for (int i = 0; i < claims[c].count; i++)
            for (int trial = 0; trial < TRIALS; trial++) {
                const problem_kind kind = claims[c].kind[i];
                const int32_t n = 1 + (int32_t)(pcs_random_next(&f->random) %
                                                (uint64_t)claims[c].n_max);
                make_problem(&k, &f->random, kind, n, trial % 3 == 2 ? 3 : 0);
                expect_solved(f, &k, claims[c].solver, &claims[c].option, 1e-10, kinds[kind].name);
            }
}

// Columns scaled apart by up to 1e16: not monotone any more, but still a P-matrix.
static void lopsided_scaling(void **state)
{
    fixture *f = *state;
    static known k;
    for (int trial = 0; trial < TRIALS; trial++) {
        double column[N_MAX];
        make_problem(&k, &f->random, P_MATRIX, 2 + trial, 0);
        for (int32_t i = 0; i < k.n; i++)
            column[i] = spread(&f->random);
        for (int32_t i = 0; i < k.n; i++)
            for (int32_t j = 0; j < k.n; j++)
                k.M[i * k.n + j] *= column[j];
        // z and w have no common unit now: the scaled residual is the one that means something.
        const pcs_solve_opts opts = {
            .tolerance = 1e-12, .measure = PCS_MEASURE_SCALED, .threads = 1, .max_time = 20.0};
        static const char *const names[] = {"auto", "lemke"};
        for (int s = 0; s < 2; s++) {
            double z[N_MAX] = {0}, w[N_MAX];
            pcs_solve_info info;
            const pcs_mlcp_solver *solver = pcs_mlcp_solver_find(names[s]);
            assert_int_equal(solver->solve(&k.problem, &opts, NULL, &f->memory.arena, z, w, &info),
                             PCS_OK);
            for (int32_t i = 0; i < k.n; i++) // z = z* / column, to the condition of the P-matrix
                assert_near(z[i] * column[i], k.z[i], 1e-10);
        }
    }
}

// Bard's rule cycles on this P-matrix [Murty1988, ch. 4]; ties everywhere: equal entries of q with
// the covering vector of ones.
static void cycling_and_ties(void **state)
{
    fixture *f = *state;
    static known k;
    static const double circulant[9] = {1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0};
    k = (known){.n = 3, .q = {-1.0, -1.0, -1.0}};
    memcpy(k.M, circulant, sizeof circulant);
    k.problem = (pcs_mlcp){3, k.M, k.q, NULL};
    static const char *const names[] = {"auto", "lemke", "pivot", "newton-min", "newton-fb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_solved(f, &k, names[i], NULL, 1e-14, "circulant");
    for (int32_t n = 2; n <= 40; n++) {
        // Triangular with q = -1: [Murty1988, ch. 6]; then all-equal rows, then a zero matrix block
        for (int kind = 0; kind < 3; kind++) {
            memset(&k, 0, sizeof k);
            k.n = n;
            for (int32_t i = 0; i < n; i++) {
                k.q[i] = -1.0;
                for (int32_t j = 0; j < n; j++)
                    k.M[i * n + j] = kind == 0   ? (i == j ? 1.0 : (j < i ? 2.0 : 0.0))
                                     : kind == 1 ? 1.0
                                                 : ((i + j) % 2 == 0 ? 1.0 : 0.0);
            }
            k.problem = (pcs_mlcp){n, k.M, k.q, NULL};
            expect_solved(f, &k, "lemke", NULL, 1e-12, "ties");
            expect_solved(f, &k, "auto", NULL, 1e-12, "ties");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_and_classes),
        cmocka_unit_test(lopsided_scaling),
        cmocka_unit_test(cycling_and_ties),
    };
    return cmocka_run_group_tests(tests, set_up, pcs_test_fixture_destroy);
}

// Global problems: reduction to the local form against dense algebra, the implicit operator, and
// mass matrices that cannot be used.
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "linalg/dense.h"
#include "nonsmooth/global_contact.h"
#include "nonsmooth/mass_matrix.h"
#include "percuss/problem.h"
#include "support/contact_problems.h"
#include "support/near.h"

enum { ENTRIES_MAX = 60000 };

static pcs_context *create_context(void)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    assert_non_null(ctx);
    return ctx;
}

// A matrix as triplets that grow.
typedef struct builder {
    int32_t count, row[ENTRIES_MAX], column[ENTRIES_MAX];
    double value[ENTRIES_MAX];
} builder;

static void add(builder *b, int32_t row, int32_t column, double value)
{
    assert_true(b->count < ENTRIES_MAX);
    b->row[b->count] = row;
    b->column[b->count] = column;
    b->value[b->count++] = value;
}

static pcs_triplets finish(const builder *b, int32_t rows, int32_t columns)
{
    return (pcs_triplets){rows, columns, b->count, b->row, b->column, b->value};
}

// Random system: groups of the given sizes (from 1 to far above the dense limit, where only
// neighbours are coupled), strictly dominant diagonal; contacts and bilateral rows on one or two.
typedef struct system_def {
    int32_t dimension, contacts, bilateral;
    double skew;
    int32_t skew_most; // size of the largest group with a skew part
    int32_t groups, size[16];
} system_def;

static const system_def systems[] = {
    {3, 12, 0, 0.0, 99, 4, {6, 6, 6, 6}},
    {3, 14, 5, 0.0, 99, 9, {6, 1, 1, 1, 3, 6, 24, 2, 5}},
    {2, 20, 3, 0.3, 99, 8, {3, 3, 3, 1, 2, 6, 3, 3}},
    {3, 10, 4, 0.0, 99, 3, {6, 60, 30}},
    {3, 10, 4, 0.2, 99, 4, {6, 60, 30, 6}},
    {3, 10, 4, 0.2, 6, 4, {6, 60, 30, 6}}, // the large groups alone are symmetric
    {3, 30, 4, 0.2, 6, 3, {6, 30, 6}},     // and have fewer degrees of freedom than rows
    {3, 1, 0, 0.0, 99, 1, {1}},
    {3, 12, 5, 0.0, 99, 16, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, // lumped masses
    {2, 12, 3, 0.0, 99, 9, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

typedef struct test_system {
    pcs_problem *problem;
    int32_t dofs, rows;
    double *M, *H; // dense, row-major
    double f[256], w[256];
} test_system;

static void fill_M(const system_def *def, pcs_random *random, builder *M)
{
    int32_t first = 0;
    for (int32_t g = 0; g < def->groups; g++) {
        const int32_t n = def->size[g], reach = n > PCS_MASS_DENSE_MAX ? 2 : n;
        const double unit = pow(10.0, pcs_random_between(random, -2.0, 2.0));
        for (int32_t a = 0; a < n; a++) {
            add(M, first + a, first + a, unit * (1.0 + 0.5 * (reach < n ? 4 : n)));
            for (int32_t b = a + 1; b < n && b <= a + reach; b++) {
                const double even = 0.45 * unit * pcs_random_between(random, -1.0, 1.0);
                const double part = def->skew * unit * pcs_random_between(random, -1.0, 1.0);
                const double odd = n <= def->skew_most ? part : 0.0;
                add(M, first + a, first + b, even + odd);
                add(M, first + b, first + a, even - odd);
            }
        }
        first += n;
    }
}

static void fill_H(const system_def *def, pcs_random *random, builder *H)
{
    const int32_t blocks = def->contacts + def->bilateral;
    int32_t column = 0;
    for (int32_t i = 0; i < blocks; i++) {
        const int32_t size = i < def->contacts ? def->dimension : 1;
        int32_t start[16] = {0}, picked = (int32_t)(pcs_random_next(random) % 2 + 1);
        for (int32_t g = 1; g < def->groups; g++)
            start[g] = start[g - 1] + def->size[g - 1];
        while (picked-- > 0) {
            const int32_t g = (int32_t)(pcs_random_next(random) % (uint64_t)def->groups);
            for (int32_t a = 0; a < def->size[g] && a < 6; a++)
                for (int32_t k = 0; k < size; k++)
                    add(H, start[g] + (a * 7) % def->size[g], column + k,
                        pcs_random_between(random, -1.0, 1.0));
        }
        column += size;
    }
}

static double *to_dense(const builder *b, int32_t rows, int32_t columns)
{
    double *A = calloc((size_t)rows * (size_t)columns, sizeof *A);
    assert_non_null(A);
    for (int32_t k = 0; k < b->count; k++)
        A[b->row[k] * columns + b->column[k]] += b->value[k];
    return A;
}

static test_system create_system(pcs_context *ctx, const system_def *def, uint64_t seed)
{
    static builder M, H;
    test_system s = {0};
    double mu[64];
    pcs_random random;
    M.count = H.count = 0;
    pcs_random_init(&random, seed);
    for (int32_t g = 0; g < def->groups; g++)
        s.dofs += def->size[g];
    s.rows = def->dimension * def->contacts + def->bilateral;
    assert_true(s.dofs <= 256 && s.rows <= 256 && def->contacts <= 64);
    fill_M(def, &random, &M);
    fill_H(def, &random, &H);
    for (int32_t i = 0; i < s.dofs; i++)
        s.f[i] = pcs_random_between(&random, -1.0, 1.0);
    for (int32_t i = 0; i < s.rows; i++)
        s.w[i] = pcs_random_between(&random, -1.0, 1.0);
    for (int32_t i = 0; i < def->contacts; i++)
        mu[i] = pcs_random_between(&random, 0.0, 1.0);
    const pcs_triplets Mt = finish(&M, s.dofs, s.dofs), Ht = finish(&H, s.dofs, s.rows);
    assert_int_equal(pcs_problem_create_global(ctx, def->dimension, def->contacts, def->bilateral,
                                               &Mt, &Ht, s.f, s.w, mu, &s.problem),
                     PCS_OK);
    s.M = to_dense(&M, s.dofs, s.dofs);
    s.H = to_dense(&H, s.dofs, s.rows);
    return s;
}

static void destroy_system(test_system *s)
{
    pcs_problem_destroy(s->problem);
    free(s->M);
    free(s->H);
}

// W = H^T M^-1 H and q = H^T M^-1 f + w by LAPACK; X becomes M^-1 [H f] in rows.
static void dense_reduction(const test_system *s, double *W, double *q)
{
    const int32_t n = s->dofs, m = s->rows;
    double *LU = malloc(sizeof(double) * (size_t)n * (size_t)n);
    double *X = malloc(sizeof(double) * (size_t)n * (size_t)(m + 1));
    int32_t *pivot = malloc(sizeof(int32_t) * (size_t)n);
    assert_true(LU && X && pivot);
    memcpy(LU, s->M, sizeof(double) * (size_t)n * (size_t)n);
    assert_int_equal(pcs_dense_lu_factor(n, LU, pivot), -1);
    for (int32_t j = 0; j <= m; j++)
        for (int32_t i = 0; i < n; i++)
            X[j * n + i] = j < m ? s->H[i * m + j] : s->f[i];
    pcs_dense_lu_solve(n, LU, pivot, m + 1, X);
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j <= m; j++) {
            double sum = j < m ? 0.0 : s->w[i];
            for (int32_t k = 0; k < n; k++)
                sum += s->H[k * m + i] * X[j * n + k];
            if (j < m)
                W[i * m + j] = sum;
            else
                q[i] = sum;
        }
    free(LU);
    free(X);
    free(pivot);
}

// M is diagonally dominant with a condition number below 100 inside a group, so that each entry has
// an error of at most 100 dofs eps times the largest |W|.
static void against_dense_algebra(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t c = 0; c < SYSTEMS; c++) {
        test_system s = create_system(ctx, &systems[c], 31 + (uint64_t)c);
        const int32_t m = s.rows;
        pcs_problem *local = NULL;
        double *W = calloc((size_t)m * (size_t)m, sizeof *W), largest = 1.0;
        double *reduced = calloc((size_t)m * (size_t)m, sizeof *W), q[256];
        assert_true(W && reduced);
        assert_int_equal(pcs_problem_reduce(s.problem, &local), PCS_OK);
        assert_int_equal(pcs_problem_get_class(local), PCS_PROBLEM_LOCAL);
        assert_int_equal(pcs_problem_rows(local), m);
        assert_int_equal(pcs_problem_bilateral_rows(local), systems[c].bilateral);
        dense_reduction(&s, W, q);
        pcs_block_matrix_to_dense(&local->W, reduced);
        for (int32_t k = 0; k < m * m; k++)
            largest = fmax(largest, fabs(W[k]));
        const double tolerance = 100.0 * s.dofs * DBL_EPSILON * largest;
        for (int32_t i = 0; i < m; i++) {
            assert_near(local->q[i], q[i], tolerance);
            for (int32_t j = 0; j < m; j++) {
                assert_near(reduced[i * m + j], W[i * m + j], tolerance);
                if (systems[c].skew == 0.0)
                    assert_true(reduced[i * m + j] == reduced[j * m + i]);
            }
        }
        for (int32_t i = 0; i < local->W.n; i++) { // pattern: ascending, with the diagonal
            assert_int_equal(local->W.column[local->W.diagonal[i]], i);
            for (int32_t e = local->W.row_start[i] + 1; e < local->W.row_start[i + 1]; e++)
                assert_true(local->W.column[e] > local->W.column[e - 1]);
        }
        free(W);
        free(reduced);
        pcs_problem_destroy(local);
        destroy_system(&s);
    }
    assert_true(pcs_context_heap_bytes(ctx) == 0);
    pcs_context_destroy(ctx);
}

// The operator is the product with the formed W; v solves the equation of motion; both forms of the
// problem have the same verdict.
static void operator_and_velocity(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t c = 0; c < SYSTEMS; c++) {
        test_system s = create_system(ctx, &systems[c], 57 + (uint64_t)c);
        pcs_problem *local = NULL;
        pcs_delassus_operator *op = NULL;
        double r[256], u[256], formed[256], v[256], largest = 1.0;
        assert_int_equal(pcs_problem_reduce(s.problem, &local), PCS_OK);
        assert_int_equal(pcs_delassus_operator_create(s.problem, &op), PCS_OK);
        for (int32_t k = 0; k < s.rows; k++)
            r[k] = sin(1.7 * k + c);
        pcs_block_matrix_multiply(&local->W, r, formed);
        for (int32_t k = 0; k < s.rows; k++)
            largest = fmax(largest, fabs(formed[k]));
        const double tolerance = 100.0 * s.dofs * DBL_EPSILON * largest;
        const uint64_t calls = pcs_context_heap_calls(ctx);
        pcs_delassus_operator_multiply(op, r, u);
        for (int32_t k = 0; k < s.rows; k++)
            assert_near(u[k], formed[k], tolerance);
        pcs_delassus_operator_velocity(op, r, u);
        for (int32_t k = 0; k < s.rows; k++)
            assert_near(u[k], formed[k] + local->q[k], tolerance);
        pcs_delassus_operator_global_velocity(op, r, v);
        assert_true(pcs_context_heap_calls(ctx) == calls);
        assert_int_equal(pcs_global_velocity(s.problem, r, v), PCS_OK);
        for (int32_t i = 0; i < s.dofs; i++) {
            double rest = -s.f[i], size = fabs(s.f[i]);
            for (int32_t j = 0; j < s.dofs; j++) {
                rest += s.M[i * s.dofs + j] * v[j];
                size += fabs(s.M[i * s.dofs + j] * v[j]);
            }
            for (int32_t j = 0; j < s.rows; j++) {
                rest -= s.H[i * s.rows + j] * r[j];
                size += fabs(s.H[i * s.rows + j] * r[j]);
            }
            assert_at_most(fabs(rest), 100.0 * s.dofs * DBL_EPSILON * size);
        }
        pcs_verdict a, b;
        assert_int_equal(pcs_problem_verify(s.problem, r, &a), PCS_OK);
        assert_int_equal(pcs_problem_verify(local, r, &b), PCS_OK);
        assert_near(a.residual.unscaled, b.residual.unscaled, s.rows * tolerance);
        assert_near(a.residual.scaled, b.residual.scaled, s.rows * tolerance * b.residual.scaled);
        assert_at_most(a.equation, DBL_EPSILON);
        pcs_delassus_operator_destroy(op);
        pcs_problem_destroy(local);
        destroy_system(&s);
    }
    pcs_context_destroy(ctx);
}

// Contacts that share no body have no block: the pile's W has one for each pair of contacts on a
// sphere.
static void pile_pattern(void **state)
{
    (void)state;
    enum { N = 5 };
    pcs_context *ctx = create_context();
    pcs_problem *pile = NULL, *local = NULL;
    assert_int_equal(pcs_test_pile_create(ctx, N, 0.02, 3, &pile), PCS_OK);
    assert_int_equal(pcs_problem_reduce(pile, &local), PCS_OK);
    const int32_t contacts = pcs_problem_contacts(pile);
    int64_t expected = contacts;
    for (int32_t sphere = 0; sphere < N * N * N; sphere++) {
        const int32_t x = sphere % N, y = sphere / N % N, z = sphere / (N * N);
        const int64_t on = 1 + (z < N - 1) + (x > 0) + (x < N - 1) + (y > 0) + (y < N - 1);
        expected += on * (on - 1); // two contacts share one sphere at most
    }
    assert_int_equal(local->W.row_start[local->W.n], expected);
    double *r = calloc((size_t)pcs_problem_rows(pile), sizeof *r);
    pcs_verdict a, b;
    assert_non_null(r);
    for (int32_t k = 0; k < pcs_problem_rows(pile); k++)
        r[k] = 1e-2 * cos(0.3 * k);
    assert_int_equal(pcs_problem_verify(pile, r, &a), PCS_OK);
    assert_int_equal(pcs_problem_verify(local, r, &b), PCS_OK);
    assert_near(a.residual.scaled, b.residual.scaled, 1e3 * DBL_EPSILON * b.residual.scaled);
    assert_near(a.residual.unscaled, b.residual.unscaled, 1e3 * DBL_EPSILON * b.residual.unscaled);
    free(r);
    pcs_problem_destroy(local);
    pcs_problem_destroy(pile);
    pcs_context_destroy(ctx);
}

// n degrees of freedom, all coupled to their neighbours, `weak` with the diagonal entry `mass`.
static pcs_status reduce_chain(pcs_context *ctx, int32_t n, int32_t weak, double mass)
{
    static builder M, H;
    double f[256] = {0.0};
    const double w[2] = {-1.0, 0.0}, mu = 0.5;
    pcs_problem *problem = NULL, *local = NULL;
    M.count = H.count = 0;
    for (int32_t i = 0; i < n; i++) {
        add(&M, i, i, i == weak ? mass : 3.0);
        if (i + 1 < n) {
            add(&M, i, i + 1, -1.0);
            add(&M, i + 1, i, -1.0);
        }
    }
    add(&H, 0, 0, 1.0);
    add(&H, n - 1, 1, 1.0);
    const pcs_triplets Mt = finish(&M, n, n), Ht = finish(&H, n, 2);
    assert_int_equal(pcs_problem_create_global(ctx, 2, 1, 0, &Mt, &Ht, f, w, &mu, &problem), 0);
    const pcs_status status = pcs_problem_reduce(problem, &local);
    assert_true((status == PCS_OK) == (local != NULL));
    pcs_problem_destroy(local);
    pcs_problem_destroy(problem);
    return status;
}

static void unusable_masses(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    const int32_t sizes[] = {1, 6, 24, 25, 200};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int32_t n = sizes[k];
        assert_int_equal(reduce_chain(ctx, n, n / 2, 3.0), PCS_OK);
        const uint64_t bytes = pcs_context_heap_bytes(ctx);
        const double bad[] = {0.0, -2.0, 0.1}; // 0.1 < the Schur complement of its neighbours
        for (int32_t b = 0; b < (n > 2 ? 3 : 2); b++) {
            assert_int_equal(reduce_chain(ctx, n, n / 2, bad[b]), PCS_ERROR_SINGULAR);
            const char *text = strstr(pcs_context_error(ctx), "degree of freedom ");
            assert_non_null(text);
            const int dof = atoi(text + strlen("degree of freedom "));
            assert_in_range(dof, n / 2 > 0 ? n / 2 - 1 : 0, n / 2 + 1);
        }
        assert_true(pcs_context_heap_bytes(ctx) == bytes);
    }
    pcs_context_destroy(ctx);
}

static void other_classes(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    const pcs_triplets none = {0, 0, 0, NULL, NULL, NULL};
    pcs_problem *problem = NULL, *local = NULL;
    assert_int_equal(pcs_problem_create_mlcp(ctx, 0, &none, NULL, NULL, &problem), PCS_OK);
    assert_int_equal(pcs_problem_reduce(problem, &local), PCS_ERROR_ARGUMENT);
    assert_null(local);
    pcs_problem_destroy(problem);
    // bodies without contacts
    const int32_t zero = 0;
    const double mass = 2.0, f = 1.0;
    const pcs_triplets M = {1, 1, 1, &zero, &zero, &mass}, H = {1, 0, 0, NULL, NULL, NULL};
    assert_int_equal(pcs_problem_create_global(ctx, 3, 0, 0, &M, &H, &f, NULL, NULL, &problem), 0);
    assert_int_equal(pcs_problem_reduce(problem, &local), PCS_OK);
    assert_int_equal(pcs_problem_rows(local), 0);
    pcs_problem_destroy(local);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

static void failing_memory(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    test_system s = create_system(ctx, &systems[4], 5);
    const uint64_t bytes = pcs_context_heap_bytes(ctx);
    pcs_status status = PCS_ERROR_MEMORY;
    pcs_problem *local = NULL;
    for (uint64_t n = 1; status == PCS_ERROR_MEMORY; n++) {
        assert_true(n < 500);
        pcs_context_fail_heap_call(ctx, n);
        status = pcs_problem_reduce(s.problem, &local);
        if (status < 0) {
            assert_null(local);
            assert_true(pcs_context_heap_bytes(ctx) == bytes);
        }
    }
    assert_int_equal(status, PCS_OK);
    pcs_context_fail_heap_call(ctx, 0);
    pcs_problem_destroy(local);
    destroy_system(&s);
    pcs_context_destroy(ctx);
}

// Problems from files, where they are at hand: reduced and global form have the same natural map.
static void files(void **state)
{
    (void)state;
    const char *source = getenv("PERCUSS_SOURCE");
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%s/../shared/data/contact-problems/global",
             source != NULL ? source : ".");
    DIR *directory = opendir(folder);
    if (directory == NULL)
        skip();
    pcs_context *ctx = create_context();
    for (struct dirent *file = readdir(directory); file != NULL; file = readdir(directory)) {
        if (file->d_name[0] == '.')
            continue;
        pcs_problem *problem = NULL, *local = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        assert_int_equal(pcs_problem_read(ctx, path, &problem), PCS_OK);
        const int32_t rows = pcs_problem_rows(problem);
        double *r = calloc((size_t)rows + 1, sizeof *r);
        pcs_verdict a, b;
        assert_non_null(r);
        assert_int_equal(pcs_problem_reduce(problem, &local), PCS_OK);
        for (int32_t k = 0; k < rows; k++)
            r[k] = sin(0.9 * k);
        assert_int_equal(pcs_problem_verify(problem, r, &a), PCS_OK);
        assert_int_equal(pcs_problem_verify(local, r, &b), PCS_OK);
        // The same W and q up to the rounding and the conditioning of M, below 1e3 in the set.
        assert_near(a.residual.unscaled, b.residual.unscaled, 1e-12 * b.residual.unscaled);
        assert_near(a.residual.scaled, b.residual.scaled, 1e-12 * b.residual.scaled);
        free(r);
        pcs_problem_destroy(local);
        pcs_problem_destroy(problem);
    }
    closedir(directory);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_dense_algebra),
        cmocka_unit_test(operator_and_velocity),
        cmocka_unit_test(pile_pattern),
        cmocka_unit_test(unusable_masses),
        cmocka_unit_test(other_classes),
        cmocka_unit_test(failing_memory),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

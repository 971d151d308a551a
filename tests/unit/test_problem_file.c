// Files of contact problems: the storages of a matrix mean the same, what is written reads
// back to the last bit, FCLIB's own library agrees, and every failure leaves nothing behind.
#include <float.h>
#include <hdf5.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef PERCUSS_HAVE_FCLIB
#include <fclib.h>
#endif

#include "base/random.h"
#include "nonsmooth/problem.h"
#include "support/triplet_list.h"

enum { ROWS_MAX = 64 };

typedef struct fixture {
    char folder[64], path[96], part[128];
    pcs_context *ctx;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    snprintf(f->folder, sizeof f->folder, "/tmp/percuss-problem-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    snprintf(f->path, sizeof f->path, "%s/problem", f->folder);
    snprintf(f->part, sizeof f->part, "%s.part", f->path);
    f->ctx = pcs_context_create(NULL);
    return f->ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[128];
    const uint64_t left = pcs_context_heap_bytes(f->ctx);
    pcs_context_destroy(f->ctx);
    // Every HDF5 identifier was closed.
    const bool open = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0;
    snprintf(command, sizeof command, "rm -r '%s'", f->folder);
    const int status = system(command);
    free(f);
    return left == 0 && !open ? status : -1;
}

// ---- Random problems ----

// Numbers with 53 random bits over many decades; both signs of zero now and then.
static double number(pcs_random *random)
{
    const double x = pcs_random_between(random, -1.0, 1.0);
    const double decade = pcs_random_between(random, -30.0, 30.0);
    return fabs(x) < 0.05 ? copysign(0.0, x) : x * pow(10.0, decade);
}

// A matrix whose part in the corner (contacts, bilateral) is symmetric, so that FCLIB can hold it.
static void fill_local(triplet_list *e, pcs_random *random, int32_t contact_rows, int32_t rows)
{
    triplets_begin(e, rows, rows);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < rows; j++) {
            const bool coupling = (i < contact_rows) != (j < contact_rows);
            if (pcs_random_uniform(random) < 0.7 || (coupling && i > j))
                continue;
            const double value = number(random);
            triplets_add(e, i, j, value);
            if (coupling)
                triplets_add(e, j, i, value);
        }
    }
}

static void fill_vector(pcs_random *random, int32_t count, double *x)
{
    for (int32_t i = 0; i < count; i++)
        x[i] = number(random);
}

static void fill_friction(pcs_random *random, int32_t count, double *mu)
{
    for (int32_t i = 0; i < count; i++)
        mu[i] = pcs_random_between(random, 0.0, 1.5);
}

static pcs_problem *make_local(pcs_context *ctx, uint64_t seed, int32_t dimension, int32_t contacts,
                               int32_t bilateral)
{
    static triplet_list e;
    pcs_random random;
    pcs_random_init(&random, seed);
    double q[ROWS_MAX], mu[ROWS_MAX];
    pcs_problem *problem = NULL;
    const int32_t rows = dimension * contacts + bilateral;
    fill_local(&e, &random, dimension * contacts, rows);
    fill_vector(&random, rows, q);
    fill_friction(&random, contacts, mu);
    assert_int_equal(
        pcs_problem_create_local(ctx, dimension, contacts, bilateral, &e.A, q, mu, &problem),
        PCS_OK);
    return problem;
}

static pcs_problem *make_global(pcs_context *ctx, uint64_t seed, int32_t dimension,
                                int32_t contacts, int32_t bilateral)
{
    static triplet_list M, H;
    enum { DOFS = 13 };
    pcs_random random;
    pcs_random_init(&random, seed);
    double w[ROWS_MAX], f[DOFS], mu[ROWS_MAX];
    pcs_problem *problem = NULL;
    const int32_t rows = dimension * contacts + bilateral;
    triplets_begin(&M, DOFS, DOFS);
    triplets_begin(&H, DOFS, rows);
    for (int32_t i = 0; i < DOFS; i++) {
        triplets_add(&M, i, i, pcs_random_between(&random, 1.0, 3.0));
        triplets_add(&M, i, (5 * i + 2) % DOFS, pcs_random_between(&random, -0.3, 0.3));
        for (int32_t j = 0; j < rows; j++)
            if (pcs_random_uniform(&random) < 0.3)
                triplets_add(&H, i, j, pcs_random_between(&random, -2.0, 2.0));
    }
    fill_vector(&random, DOFS, f);
    fill_vector(&random, rows, w);
    fill_friction(&random, contacts, mu);
    assert_int_equal(pcs_problem_create_global(ctx, dimension, contacts, bilateral, &M.A, &H.A, f,
                                               w, mu, &problem),
                     PCS_OK);
    return problem;
}

static pcs_problem *make_mlcp(pcs_context *ctx, uint64_t seed, int32_t n, bool with_equalities)
{
    static triplet_list e;
    pcs_random random;
    pcs_random_init(&random, seed);
    double q[ROWS_MAX];
    uint8_t equality[ROWS_MAX];
    pcs_problem *problem = NULL;
    triplets_begin(&e, n, n);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            triplets_add(&e, i, j, number(&random));
    fill_vector(&random, n, q);
    for (int32_t i = 0; i < n; i++)
        equality[i] = pcs_random_uniform(&random) < 0.5;
    assert_int_equal(
        pcs_problem_create_mlcp(ctx, n, &e.A, q, with_equalities ? equality : NULL, &problem),
        PCS_OK);
    return problem;
}

// ---- Equality to the last bit ----

static void same_bytes(const void *a, const void *b, int64_t count, size_t size)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a && count > 0)
        assert_memory_equal(a, b, (size_t)count * size);
}

static void same_sparse(const pcs_sparse *A, const pcs_sparse *B)
{
    const int32_t columns = A->pattern.n_columns;
    assert_int_equal(A->pattern.n_rows, B->pattern.n_rows);
    assert_int_equal(columns, B->pattern.n_columns);
    same_bytes(A->pattern.start, B->pattern.start, A->pattern.start ? columns + 1 : 0, 4);
    const int32_t count = A->pattern.start ? A->pattern.start[columns] : 0;
    same_bytes(A->pattern.index, B->pattern.index, count, 4);
    same_bytes(A->value, B->value, count, 8);
}

static void same_blocks(const pcs_block_matrix *A, const pcs_block_matrix *B)
{
    assert_int_equal(A->n, B->n);
    assert_int_equal(A->offset == NULL, B->offset == NULL);
    if (!A->offset)
        return;
    const int32_t count = A->row_start[A->n];
    same_bytes(A->offset, B->offset, A->n + 1, 4);
    same_bytes(A->row_start, B->row_start, A->n + 1, 4);
    same_bytes(A->column, B->column, count, 4);
    same_bytes(A->value_start, B->value_start, count + 1, 8);
    same_bytes(A->diagonal, B->diagonal, A->n, 4);
    same_bytes(A->value, B->value, A->value_start[count], 8);
}

static void same_problem(const pcs_problem *a, const pcs_problem *b)
{
    assert_int_equal(pcs_problem_get_class(a), pcs_problem_get_class(b));
    assert_int_equal(pcs_problem_dimension(a), pcs_problem_dimension(b));
    assert_int_equal(pcs_problem_contacts(a), pcs_problem_contacts(b));
    assert_int_equal(pcs_problem_bilateral_rows(a), pcs_problem_bilateral_rows(b));
    assert_int_equal(pcs_problem_rows(a), pcs_problem_rows(b));
    assert_int_equal(pcs_problem_dofs(a), pcs_problem_dofs(b));
    const int64_t n = a->rows, blocks = a->contacts + a->bilateral_rows;
    same_bytes(a->q, b->q, n, 8);
    same_bytes(a->f, b->f, a->dofs, 8);
    same_bytes(a->mu, b->mu, blocks, 8);
    same_bytes(a->kind, b->kind, blocks, 1);
    same_bytes(a->M_dense, b->M_dense, n * n, 8);
    same_blocks(&a->W, &b->W);
    same_sparse(&a->M, &b->M);
    same_sparse(&a->H, &b->H);
}

static void check_round_trip(const fixture *f, pcs_problem *problem, pcs_problem_format format)
{
    pcs_problem *again = NULL;
    if (pcs_problem_write(problem, f->path, format, NULL) != PCS_OK ||
        pcs_problem_read(f->ctx, f->path, &again) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    same_problem(problem, again);
    assert_int_not_equal(access(f->part, F_OK), 0);
    pcs_problem_destroy(again);
    pcs_problem_destroy(problem);
}

static void test_round_trips(void **state)
{
    const fixture *f = *state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const int32_t d = 2 + (int32_t)(seed % 2), contacts = (int32_t)seed - 1;
        check_round_trip(f, make_mlcp(f->ctx, seed, contacts, false), PCS_PROBLEM_TEXT);
        check_round_trip(f, make_mlcp(f->ctx, seed, contacts, true), PCS_PROBLEM_TEXT);
        check_round_trip(f, make_local(f->ctx, seed, d, contacts, 0), PCS_PROBLEM_TEXT);
        check_round_trip(f, make_local(f->ctx, seed, d, contacts, 0), PCS_PROBLEM_FCLIB);
        check_round_trip(f, make_local(f->ctx, seed, d, contacts, 5), PCS_PROBLEM_FCLIB);
        check_round_trip(f, make_global(f->ctx, seed, d, contacts, 0), PCS_PROBLEM_TEXT);
        check_round_trip(f, make_global(f->ctx, seed, d, contacts, 0), PCS_PROBLEM_FCLIB);
        check_round_trip(f, make_global(f->ctx, seed, d, contacts, 3), PCS_PROBLEM_FCLIB);
    }
}

// ---- Texts ----

static pcs_problem *read_text(pcs_context *ctx, const char *text)
{
    pcs_problem *problem = NULL;
    if (pcs_problem_read_text(ctx, "text", text, strlen(text), &problem) != PCS_OK)
        fail_msg("%s", pcs_context_error(ctx));
    return problem;
}

// W = [2.5 0 | 0 -1; 0 3 | 0 0; 0.5 0 | 4 1; 0 0 | 1 5], two planar contacts.
#define VECTORS "-1.25 0.5 -2 0\n0.3 0.7\n"
static const char *const storages[] = {
    "2\n2\n0\n4\n4\n4\t4\n2.5 0 0.5 0\n0 3 0 0\n0 0 4 1\n-1 0 1 5\n" VECTORS "0\n",
    "2\n2\n1\n4\n4\n4\n2\n2\n2 4\n2 4\n3\n4\n0 2 4\n0 1 0 1\n0\n2.5\n0\n0\n3\n1\n0\n0\n-1\n0\n"
    "2\n0.5\n0\n0\n0\n3\n4\n1\n1\n5\n" VECTORS,
    "2\n2\n2\n4\n4\n2\nCSparse Version 3.1.9\n4-by-4, nzmax: 9 nnz: 8, 1-norm: 7\n"
    "    col 0 : locations 0 to 1\n      0 : 2.5\n      2 : 0.5\n"
    "    col 1 : locations 2 to 2\n      1 : 3\n    col 2 : locations 3 to 4\n"
    "      3 : 1\n      2 : 4\n    col 3 : locations 5 to 7\n      0 : -1\n      3 : 5\n"
    "      2 : 1\n" VECTORS,
    "2\n2\n2\n4\n4\n3\nCSparse\n4-by-4, nzmax: 8 nnz: 8, 1-norm: 7\n"
    "    col 0 : locations 0 to 1\n      0 : 2.5\n      3 : -1\n"
    "    col 1 : locations 2 to 2\n      1 : 3\n    col 2 : locations 3 to 5\n"
    "      0 : 0.5\n      3 : 1\n      2 : 4\n    col 3 : locations 6 to 7\n      2 : 1\n"
    "      3 : 5\n" VECTORS,
    "2\n2\n2\n4\n4\n1\nCSparse\ntriplet: 4-by-4, nzmax: 20 nnz: 9\n"
    "    0 0 : 2.5\n    1 1 : 3\n    2 0 : 5e-1\n    2 2 : 4\n    3 2 : 1\n    0 3 : -1\n"
    "    2 3 : 0.5\n    3e+0 3 : 5\n    2 3 : 0.5\n" VECTORS,
};

static void test_storages(void **state)
{
    const fixture *f = *state;
    const double expected[16] = {2.5, 0, 0, -1, 0, 3, 0, 0, 0.5, 0, 4, 1, 0, 0, 1, 5};
    const double q[4] = {-1.25, 0.5, -2, 0};
    for (size_t k = 0; k < sizeof storages / sizeof *storages; k++) {
        pcs_problem *problem = read_text(f->ctx, storages[k]);
        double W[16];
        assert_int_equal(pcs_problem_get_class(problem), PCS_PROBLEM_LOCAL);
        assert_int_equal(pcs_problem_contacts(problem), 2);
        pcs_block_matrix_to_dense(&problem->W, W);
        assert_memory_equal(W, expected, sizeof W);
        assert_memory_equal(problem->q, q, sizeof q);
        assert_true(problem->mu[1] == 0.7);
        pcs_problem_destroy(problem);
    }
}

static void test_zero_blocks(void **state)
{
    const fixture *f = *state;
    // Dense: the zero blocks (0,1) and (1,0) go; the zero block (1,1) stays as the diagonal.
    pcs_problem *problem = read_text(f->ctx, "2 2 0 4 4 4 4 1 0 0 0  0 1 0 0  0 0 0 0  0 0 0 0 "
                                             "-1 0 -1 0 0.5 0.5");
    assert_int_equal(problem->W.row_start[2], 2);
    pcs_problem_destroy(problem);
    // Blocks: what is in the file stays, and its mirror comes.
    problem = read_text(f->ctx, "2 2 1 4 4 1 2 2 2 4 2 4 2 1 0 1 1 0 0 0 0 0 -1 0 -1 0 0.5 0.5");
    assert_int_equal(problem->W.row_start[2], 4);
    pcs_problem_destroy(problem);
}

static void test_classes(void **state)
{
    const fixture *f = *state;
    static const struct {
        const char *text;
        pcs_problem_class problem_class;
        int32_t contacts, rows, dofs;
    } cases[] = {
        {"1 0 1 1 1 1 2 -3", PCS_PROBLEM_LCP, 1, 1, 0},
        {"2 0 2 2 2 2 2 1 1 2 -5 -6", PCS_PROBLEM_LCP, 2, 2, 0},
        {"2 1 2 2 1 1 1 2 2 2 1 0 1 0 0 2 1 1 2 -5 -6", PCS_PROBLEM_LCP, 2, 2, 0},
        {"2 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 0 : 1\n-5 -6", PCS_PROBLEM_LCP, 2,
         2, 0},
        {"0 0 0 0 0 0", PCS_PROBLEM_LCP, 0, 0, 0},
        {"4 0 4 4 4 4 0 0 1 3 0 0 2 1 1 3 0 0 2 1 0 0 -1 -1 -1 -1\n\nBimatrix game, 4.4",
         PCS_PROBLEM_LCP, 4, 4, 0},
        {"1 0 1 1 0 1 2 0 1 0 2 2 2 2 1 0 -1 1 -1 1", PCS_PROBLEM_MLCP, 1, 2, 0},
        {"1 1 1 1 0 1 2 0 1 0 2 2 2 2 1 0 -1 1 -1 1 1 1 -1 0 -1 1 0.0 1.0", PCS_PROBLEM_MLCP, 1, 2,
         0},
        {"0 1 1 1 1 1 -1 0 -1 1", PCS_PROBLEM_MLCP, 1, 2, 0},
        {"2 1 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 0 : 1\n-5 -6 0.5",
         PCS_PROBLEM_LOCAL, 1, 2, 0},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 3 0.5", PCS_PROBLEM_LOCAL, 1, 3, 0},
        {"3 0 0 0 0 0 0", PCS_PROBLEM_LOCAL, 0, 0, 0},
        {"2 0 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n1 1 : 1\n"
         "2 2 0 2\nCSparse\n2-by-0, nzmax: 1 nnz: 0, 1-norm: 0\n0.5 0.25",
         PCS_PROBLEM_GLOBAL, 0, 0, 2},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 -1 -1 0 0 0 0.1 0",
         PCS_PROBLEM_GLOBAL, 1, 3, 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        pcs_problem *problem = read_text(f->ctx, cases[k].text);
        assert_int_equal(pcs_problem_get_class(problem), cases[k].problem_class);
        assert_int_equal(pcs_problem_contacts(problem), cases[k].contacts);
        assert_int_equal(pcs_problem_rows(problem), cases[k].rows);
        assert_int_equal(pcs_problem_dofs(problem), cases[k].dofs);
        assert_string_not_equal(pcs_problem_class_name(cases[k].problem_class), "unknown");
        pcs_problem_destroy(problem);
    }
}

// Both forms of an MLCP say the same: M = [A C; D B], and the whole matrix goes by columns.
static void test_mlcp_forms(void **state)
{
    const fixture *f = *state;
    pcs_problem *whole = read_text(f->ctx,
                                   "1 0 1 2 0 1 3 0 1 0 3 3 3 3 1 4 7 2 5 8 3 6 9 -1 -2 -3");
    pcs_problem *parts = read_text(f->ctx, "0 1 1 2  1  5 6 8 9  2 3  4 7  -1  -2 -3");
    same_problem(whole, parts);
    const double expected[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const pcs_mlcp view = pcs_problem_mlcp_view(whole);
    assert_memory_equal(view.M, expected, sizeof expected);
    assert_int_equal(view.equality[0], 1);
    assert_int_equal(view.equality[1], 0);
    pcs_problem_destroy(whole);
    pcs_problem_destroy(parts);
}

static void test_locale(void **state)
{
    const fixture *f = *state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "de_DE"};
    const char *chosen = NULL;
    for (size_t k = 0; !chosen && k < sizeof names / sizeof *names; k++)
        chosen = setlocale(LC_NUMERIC, names[k]);
    check_round_trip(f, make_local(f->ctx, 3, 3, 4, 0), PCS_PROBLEM_TEXT);
    check_round_trip(f, make_global(f->ctx, 3, 3, 4, 0), PCS_PROBLEM_TEXT);
    setlocale(LC_NUMERIC, "C");
}

// ---- Failures ----

static void expect_refusal(const fixture *f, const pcs_problem *problem, const char *path,
                           pcs_problem_format format, const char *part)
{
    assert_true(pcs_problem_write(problem, path, format, NULL) < 0);
    if (!strstr(pcs_context_error(f->ctx), part))
        fail_msg("\"%s\" should contain \"%s\"", pcs_context_error(f->ctx), part);
}

static void test_refused_writes(void **state)
{
    const fixture *f = *state;
    char missing[128];
    snprintf(missing, sizeof missing, "%s/no/such", f->folder);
    pcs_problem *lcp = make_mlcp(f->ctx, 2, 3, false);
    pcs_problem *local = make_local(f->ctx, 2, 3, 2, 2);
    pcs_problem *global = make_global(f->ctx, 2, 3, 2, 0);
    expect_refusal(f, lcp, f->path, PCS_PROBLEM_FCLIB, "write it as text");
    expect_refusal(f, local, f->path, PCS_PROBLEM_TEXT, "write it in FCLIB's format");
    expect_refusal(f, global, missing, PCS_PROBLEM_TEXT, "no such file or folder");
    expect_refusal(f, global, missing, PCS_PROBLEM_FCLIB, "no such file or folder");
    expect_refusal(f, global, f->folder, PCS_PROBLEM_TEXT, "not a regular file");
    expect_refusal(f, global, "", PCS_PROBLEM_TEXT, "needs a file name");
    expect_refusal(f, global, f->path, (pcs_problem_format)7, "unknown format");
    // W that couples contacts and bilateral rows in one direction only
    const int32_t row = 0, column = 3;
    const double value = 1.5, q[4] = {0}, mu = 0.5;
    const pcs_triplets W = {4, 4, 1, &row, &column, &value};
    pcs_problem *lopsided = NULL;
    assert_int_equal(pcs_problem_create_local(f->ctx, 3, 1, 1, &W, q, &mu, &lopsided), PCS_OK);
    expect_refusal(f, lopsided, f->path, PCS_PROBLEM_FCLIB, "not symmetric between");
    const double r[8] = {0.0, NAN};
    assert_int_equal(pcs_problem_write(local, f->path, PCS_PROBLEM_FCLIB, r), PCS_ERROR_NUMERIC);
    assert_int_not_equal(access(f->path, F_OK), 0);
    assert_int_not_equal(access(f->part, F_OK), 0);
    pcs_problem_destroy(lopsided);
    pcs_problem_destroy(global);
    pcs_problem_destroy(local);
    pcs_problem_destroy(lcp);
}

// A full disk: the old file stays, nothing is left beside it.
static void test_full_disk(void **state)
{
    const fixture *f = *state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    pcs_problem *problem = make_local(f->ctx, 4, 3, 6, 0), *old = NULL;
    assert_int_equal(pcs_problem_write(problem, f->path, PCS_PROBLEM_TEXT, NULL), PCS_OK);
    for (int format = PCS_PROBLEM_TEXT; format <= PCS_PROBLEM_FCLIB; format++) {
        assert_int_equal(symlink("/dev/full", f->part), 0);
        const pcs_status status = pcs_problem_write(problem, f->path, (pcs_problem_format)format,
                                                    NULL);
        if (format == PCS_PROBLEM_TEXT) // HDF5 removes the link before it writes
            assert_int_equal(status, PCS_ERROR_IO);
        assert_int_not_equal(access(f->part, F_OK), 0);
        assert_int_equal(pcs_problem_read(f->ctx, f->path, &old), PCS_OK);
        same_problem(problem, old);
        pcs_problem_destroy(old);
    }
    pcs_problem_destroy(problem);
}

static void test_missing_file(void **state)
{
    const fixture *f = *state;
    pcs_problem *problem = (pcs_problem *)&problem;
    assert_int_equal(pcs_problem_read(f->ctx, f->path, &problem), PCS_ERROR_IO);
    assert_null(problem);
    assert_non_null(strstr(pcs_context_error(f->ctx), "no such file"));
    assert_int_equal(pcs_problem_read(f->ctx, f->folder, &problem), PCS_ERROR_IO);
    assert_non_null(strstr(pcs_context_error(f->ctx), "that is a folder"));
}

// The n-th request for memory fails, for every n until the call succeeds.
static void check_memory(const fixture *f, bool writing, pcs_problem *problem,
                         pcs_problem_format format, const double *r)
{
    const uint64_t before = pcs_context_heap_bytes(f->ctx);
    pcs_status status = PCS_ERROR_MEMORY;
    for (uint64_t n = 1; status == PCS_ERROR_MEMORY; n++) {
        pcs_problem *read = (pcs_problem *)&read;
        pcs_context_fail_heap_call(f->ctx, n);
        status = writing ? pcs_problem_write(problem, f->path, format, r)
                         : pcs_problem_read(f->ctx, f->path, &read);
        pcs_context_fail_heap_call(f->ctx, 0);
        assert_int_not_equal(access(f->part, F_OK), 0);
        if (!writing && status < 0)
            assert_null(read);
        if (!writing && status >= 0)
            pcs_problem_destroy(read);
        assert_int_equal(pcs_context_heap_bytes(f->ctx), before);
        assert_true(n < 500);
    }
    assert_int_equal(status, PCS_OK);
}

static void test_failing_memory(void **state)
{
    const fixture *f = *state;
    const double r[ROWS_MAX] = {1.0};
    pcs_problem *problems[] = {make_mlcp(f->ctx, 7, 4, false), make_mlcp(f->ctx, 7, 4, true),
                               make_local(f->ctx, 7, 3, 3, 2), make_global(f->ctx, 7, 2, 3, 2),
                               make_local(f->ctx, 8, 2, 3, 0), make_global(f->ctx, 8, 3, 3, 0)};
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        for (int format = PCS_PROBLEM_TEXT; format <= PCS_PROBLEM_FCLIB; format++) {
            if ((k < 2 && format == PCS_PROBLEM_FCLIB) ||
                ((k == 2 || k == 3) && format == PCS_PROBLEM_TEXT))
                continue; // not in this format
            check_memory(f, true, problems[k], (pcs_problem_format)format, r);
            check_memory(f, false, problems[k], (pcs_problem_format)format, r);
        }
    }
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        pcs_problem_destroy(problems[k]);
}

// ---- FCLIB's own library ----

#ifdef PERCUSS_HAVE_FCLIB

// Dense row-major copy of a matrix of FCLIB.
static void to_dense(const struct fclib_matrix *A, double *dense)
{
    memset(dense, 0, sizeof(double) * (size_t)A->m * (size_t)A->n);
    for (int line = 0; A->nz < 0 && line < (A->nz == -1 ? A->n : A->m); line++)
        for (int k = A->p[line]; k < A->p[line + 1]; k++)
            dense[A->nz == -1 ? A->i[k] * A->n + line : line * A->n + A->i[k]] += A->x[k];
    for (int k = 0; k < A->nz; k++)
        dense[A->i[k] * A->n + A->p[k]] += A->x[k];
}

// The block of `whole` (with `width` columns) that begins at (row, column) is A.
static void same_part(const struct fclib_matrix *A, const double *whole, int width, int row,
                      int column)
{
    static double dense[ROWS_MAX * ROWS_MAX];
    to_dense(A, dense);
    for (int i = 0; i < A->m; i++)
        for (int j = 0; j < A->n; j++)
            assert_true(dense[i * A->n + j] == whole[(row + i) * width + column + j]);
}

static void sparse_to_dense(const pcs_sparse *A, double *dense)
{
    const pcs_sparse_pattern *P = &A->pattern;
    memset(dense, 0, sizeof(double) * (size_t)P->n_rows * (size_t)P->n_columns);
    for (int32_t j = 0; j < P->n_columns; j++)
        for (int32_t e = P->start[j]; e < P->start[j + 1]; e++)
            dense[P->index[e] * P->n_columns + j] = A->value[e];
}

static void test_fclib_reads_local(void **state)
{
    const fixture *f = *state;
    enum { CONTACTS = 4, BILATERAL = 3, ROWS = 3 * CONTACTS + BILATERAL };
    pcs_problem *problem = make_local(f->ctx, 12, 3, CONTACTS, BILATERAL);
    double r[ROWS], u[ROWS], whole[ROWS * ROWS];
    for (int i = 0; i < ROWS; i++)
        r[i] = 0.37 + i;
    pcs_block_matrix_multiply(&problem->W, r, u);
    for (int i = 0; i < ROWS; i++)
        u[i] += problem->q[i];
    assert_int_equal(pcs_problem_write(problem, f->path, PCS_PROBLEM_FCLIB, r), PCS_OK);
    struct fclib_local *read = fclib_read_local(f->path);
    assert_non_null(read);
    assert_int_equal(read->spacedim, 3);
    pcs_block_matrix_to_dense(&problem->W, whole);
    same_part(read->W, whole, ROWS, 0, 0);
    same_part(read->V, whole, ROWS, 0, 3 * CONTACTS);
    same_part(read->R, whole, ROWS, 3 * CONTACTS, 3 * CONTACTS);
    assert_memory_equal(read->q, problem->q, 3 * CONTACTS * sizeof(double));
    assert_memory_equal(read->s, problem->q + 3 * CONTACTS, BILATERAL * sizeof(double));
    assert_memory_equal(read->mu, problem->mu, CONTACTS * sizeof(double));
    struct fclib_solution *solution = fclib_read_solution(f->path);
    assert_non_null(solution);
    assert_memory_equal(solution->u, u, 3 * CONTACTS * sizeof(double));
    assert_memory_equal(solution->r, r, 3 * CONTACTS * sizeof(double));
    assert_memory_equal(solution->l, r + 3 * CONTACTS, BILATERAL * sizeof(double));
    fclib_delete_solutions(solution, 1);
    fclib_delete_local(read);
    free(read);
    pcs_problem_destroy(problem);
}

static void test_fclib_reads_global(void **state)
{
    const fixture *f = *state;
    enum { CONTACTS = 5, BILATERAL = 2, ROWS = 2 * CONTACTS + BILATERAL };
    pcs_problem *problem = make_global(f->ctx, 12, 2, CONTACTS, BILATERAL);
    static double dense[ROWS_MAX * ROWS_MAX];
    double r[ROWS];
    for (int i = 0; i < ROWS; i++)
        r[i] = 0.37 - i;
    assert_int_equal(pcs_problem_write(problem, f->path, PCS_PROBLEM_FCLIB, r), PCS_OK);
    struct fclib_global *read = fclib_read_global(f->path);
    assert_non_null(read);
    assert_int_equal(read->spacedim, 2);
    sparse_to_dense(&problem->M, dense);
    same_part(read->M, dense, problem->dofs, 0, 0);
    sparse_to_dense(&problem->H, dense);
    same_part(read->H, dense, ROWS, 0, 0);
    same_part(read->G, dense, ROWS, 0, 2 * CONTACTS);
    assert_memory_equal(read->f, problem->f, (size_t)problem->dofs * sizeof(double));
    assert_memory_equal(read->w, problem->q, 2 * CONTACTS * sizeof(double));
    assert_memory_equal(read->b, problem->q + 2 * CONTACTS, BILATERAL * sizeof(double));
    assert_memory_equal(read->mu, problem->mu, CONTACTS * sizeof(double));
    struct fclib_solution *solution = fclib_read_solution(f->path);
    assert_non_null(solution);
    assert_memory_equal(solution->r, r, 2 * CONTACTS * sizeof(double));
    assert_memory_equal(solution->l, r + 2 * CONTACTS, BILATERAL * sizeof(double));
    // M v = H r + f up to the rounding of an LU solution; M is well conditioned.
    double *v = solution->v, left[ROWS_MAX], right[ROWS_MAX], size = 0.0;
    pcs_sparse_multiply(&problem->M, v, left);
    pcs_sparse_multiply(&problem->H, r, right);
    for (int32_t i = 0; i < problem->dofs; i++)
        size = fmax(size, fmax(fabs(left[i]), fabs(problem->f[i])));
    for (int32_t i = 0; i < problem->dofs; i++)
        assert_true(fabs(left[i] - right[i] - problem->f[i]) <= 100 * DBL_EPSILON * size);
    fclib_delete_solutions(solution, 1);
    fclib_delete_global(read);
    free(read);
    pcs_problem_destroy(problem);
}

// A matrix of FCLIB in one of its three forms, from dense row-major values.
static struct fclib_matrix *new_matrix(int m, int n, int form, const double *dense)
{
    struct fclib_matrix *A = calloc(1, sizeof *A);
    const int lines = form == -2 ? m : n;
    A->m = m;
    A->n = n;
    A->p = calloc((size_t)(m * n + lines + 1), sizeof(int));
    A->i = calloc((size_t)(m * n + 1), sizeof(int));
    A->x = calloc((size_t)(m * n + 1), sizeof(double));
    int count = 0;
    for (int line = 0; line < lines; line++) {
        for (int k = 0; k < (form == -2 ? n : m); k++) {
            const double value = form == -2 ? dense[line * n + k] : dense[k * n + line];
            if (value == 0.0)
                continue;
            A->x[count] = value;
            A->i[count] = k;
            if (form >= 0)
                A->p[count] = line;
            count++;
        }
        if (form < 0)
            A->p[line + 1] = count;
    }
    A->nzmax = count;
    A->nz = form < 0 ? form : count;
    return A;
}

static void free_matrix(struct fclib_matrix *A)
{
    free(A->p);
    free(A->i);
    free(A->x);
    free(A);
}

static void test_reads_fclib(void **state)
{
    const fixture *f = *state;
    double W[36], V[12], R[4] = {2, -0.5, 0.25, 3}, q[6], s[2] = {0.7, -0.3}, mu[2] = {0.4, 0.9};
    for (int k = 0; k < 36; k++)
        W[k] = k % 5 == 3 ? 0.0 : sin(1.7 * k);
    for (int k = 0; k < 12; k++)
        V[k] = k % 3 == 1 ? 0.0 : cos(0.9 * k);
    for (int k = 0; k < 6; k++)
        q[k] = tan(k + 0.3);
    for (int form = -2; form <= 0; form++) {
        struct fclib_local local = {.W = new_matrix(6, 6, form, W),
                                    .V = new_matrix(6, 2, form, V),
                                    .R = new_matrix(2, 2, form, R),
                                    .mu = mu,
                                    .q = q,
                                    .s = s,
                                    .spacedim = 3};
        unlink(f->path);
        assert_int_equal(fclib_write_local(&local, f->path), 1);
        pcs_problem *problem = NULL;
        if (pcs_problem_read(f->ctx, f->path, &problem) != PCS_OK)
            fail_msg("%s", pcs_context_error(f->ctx));
        double dense[64];
        pcs_block_matrix_to_dense(&problem->W, dense);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                assert_true(dense[i * 8 + j] == (i < 6   ? j < 6 ? W[i * 6 + j] : V[i * 2 + j - 6]
                                                   : j < 6 ? V[j * 2 + i - 6]
                                                         : R[(i - 6) * 2 + j - 6]));
        assert_memory_equal(problem->q, q, sizeof q);
        assert_memory_equal(problem->q + 6, s, sizeof s);
        assert_memory_equal(problem->mu, mu, sizeof mu);
        assert_int_equal(pcs_problem_bilateral_rows(problem), 2);
        pcs_problem_destroy(problem);
        free_matrix(local.W);
        free_matrix(local.V);
        free_matrix(local.R);
    }
}

static void test_reads_fclib_global(void **state)
{
    const fixture *f = *state;
    double M[16] = {2, 0, 0, 0.5, 0, 3, 0, 0, 0, 0, 4, 0, 0.5, 0, 0, 5}, H[8], G[4] = {1, 0, 0, -2};
    double force[4] = {1, 2, 3, 4}, w[2] = {-0.1, 0.2}, b = 0.75, mu = 0.6;
    for (int k = 0; k < 8; k++)
        H[k] = k % 3 == 1 ? 0.0 : cos(0.9 * k);
    for (int form = -2; form <= 0; form++) {
        struct fclib_global global = {.M = new_matrix(4, 4, form, M),
                                      .H = new_matrix(4, 2, form, H),
                                      .G = new_matrix(4, 1, form, G),
                                      .mu = &mu,
                                      .f = force,
                                      .b = &b,
                                      .w = w,
                                      .spacedim = 2};
        unlink(f->path);
        assert_int_equal(fclib_write_global(&global, f->path), 1);
        pcs_problem *problem = NULL;
        if (pcs_problem_read(f->ctx, f->path, &problem) != PCS_OK)
            fail_msg("%s", pcs_context_error(f->ctx));
        double dense[16];
        sparse_to_dense(&problem->M, dense);
        assert_memory_equal(dense, M, sizeof M);
        sparse_to_dense(&problem->H, dense);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++)
                assert_true(dense[i * 3 + j] == (j < 2 ? H[i * 2 + j] : G[i]));
        assert_memory_equal(problem->f, force, sizeof force);
        assert_memory_equal(problem->q, w, sizeof w);
        assert_true(problem->q[2] == b);
        pcs_problem_destroy(problem);
        free_matrix(global.M);
        free_matrix(global.H);
        free_matrix(global.G);
    }
}
#endif

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_round_trips),       TEST(test_storages),
        TEST(test_zero_blocks),       TEST(test_classes),
        TEST(test_mlcp_forms),        TEST(test_locale),
        TEST(test_refused_writes),    TEST(test_full_disk),
        TEST(test_missing_file),      TEST(test_failing_memory),
#ifdef PERCUSS_HAVE_FCLIB
        TEST(test_fclib_reads_local), TEST(test_fclib_reads_global),
        TEST(test_reads_fclib),       TEST(test_reads_fclib_global),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

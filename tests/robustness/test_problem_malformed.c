// Damaged contact-problem files: every one gets a message with its place, none of them crashes,
// leaks, or makes the reader believe a size that the file cannot hold.
#include <hdf5.h>
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

#include "percuss/problem.h"

// What a reader may take beyond the size of the text, in bytes for each byte and in all.
enum { MEMORY_FACTOR = 64, MEMORY_EXTRA = 1 << 20 };

static pcs_context *ctx;
static size_t largest_request;
static char path[64];

// malloc that notes the largest request.
static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    largest_request = new_size > largest_request ? new_size : largest_request;
    return realloc(block, new_size);
}

static int set_up(void **state)
{
    (void)state;
    pcs_context_def def = pcs_context_default();
    def.resize = resize;
    ctx = pcs_context_create(&def);
    snprintf(path, sizeof path, "/tmp/percuss-malformed-%ld", (long)getpid());
    return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    const uint64_t left = pcs_context_heap_bytes(ctx);
    pcs_context_destroy(ctx);
    unlink(path);
    return left == 0 && H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0 ? 0 : -1;
}

// ---- Texts ----

static void expect_error(const char *text, int line, const char *part)
{
    pcs_problem *problem = (pcs_problem *)&problem; // must become NULL
    char start[40];
    snprintf(start, sizeof start, line > 0 ? "bad.dat:%d: " : "bad.dat: ", line);
    // A copy without a zero at its end: the sanitizer sees a read beyond it.
    const size_t length = strlen(text);
    char *copy = malloc(length > 0 ? length : 1);
    memcpy(copy, text, length);
    largest_request = 0;
    const pcs_status status = pcs_problem_read_text(ctx, "bad.dat", copy, length, &problem);
    free(copy);
    const char *error = pcs_context_error(ctx);
    if (status >= 0)
        fail_msg("'%.60s' is accepted; expected \"%s\"", text, part);
    if (strncmp(error, start, strlen(start)) != 0)
        fail_msg("'%.60s': \"%s\" should start with \"%s\"", text, error, start);
    if (!strstr(error, part))
        fail_msg("'%.60s': \"%s\" should contain \"%s\"", text, error, part);
    assert_null(problem);
    assert_true(largest_request < length * MEMORY_FACTOR + MEMORY_EXTRA);
}

#define LOCAL "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n"
#define BLOCKS "2\n2\n1\n4\n4\n"
#define SPARSE "2\n1\n2\n2\n2\n"

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *part;
    } cases[] = {
        // not a problem at all
        {"", 0, "the file is empty"},
        {" \n\t\n", 1, "not a contact problem"},
        {"hello world", 1, "not a contact problem"},
        {"3", 1, "not a contact problem"},
        {"3.0 1 0", 1, "not a contact problem"},
        {"99999999999999999999 1 0 3 3", 1, "not a contact problem"},
        // head
        {"4\n1\n0\n5\n5\n5 5\n", 1, "dimension 4; contacts have 2 or 3 components"},
        {"-3\n1\n0\n3\n3\n", 1, "the dimension is '-3'"},
        {"5\n1\n0\n5\n5\n5 5\n1", 1, "rolling friction is not supported"},
        {"3\n-1\n0\n3\n3\n", 2, "the number of contacts is '-1'"},
        {"3\n1000000000\n0\n3\n3\n", 2, "expected an integer from 0 to 715827882"},
        {"3\n1\n7\n3\n3\n", 3, "storage type of a matrix (0 dense, 1 blocks, 2 sparse) is '7'"},
        {"3\n1\nx\n3\n3\n", 3, "is 'x'"},
        {"3\n1\n0\n", 4, "the file ends where the number of rows should be"},
        {"3\n1\n0\n-3\n3\n", 4, "the number of rows is '-3'; expected an integer from 0 on"},
        {"3\n1\n0\n3000000000\n3\n", 4, "below 2^31"},
        // dense
        {"3\n1\n0\n3\n3\n3 4\n", 6, "W is said to be 3 x 4 here and 3 x 3 above"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3 4\n", 8, "ends in the middle of W: 4 of 9 values"},
        {"3\n1\n0\n3\n3\n3 3\n1.000000000000000 2.0000000000000 3\n4 5", 8,
         "ends in the middle of W: 5 of 9 values"},
        {"3 100000000 0 300000000 300000000 300000000 300000000 1 2 3", 1,
         "ends in the middle of W: 3 of 90000000000000000 values"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 nan 4 5 6 7 8 9\n", 7, "'nan' in W (value 3 of 9)"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3 4 -inf 6 7 8 9\n", 7, "all data must be finite"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3 4 1e999 6 7 8 9\n", 7, "all data must be finite"},
        {"3\n1\n0\n3\n3\n3 3\n1 2 3\n4 5,5 6 7 8 9\n", 8, "'5,5' in W (value 5 of 9) is not a"},
        {"3\n1\n0\n3\n2\n3 2\n1 2 3 4 5 6 0 0 0 0.5", 3, "W is 3 x 2; it must be square"},
        // vectors
        {LOCAL "1 2", 10, "ends in the middle of q: 2 of 3 values"},
        {LOCAL "1 2 3\n", 11, "ends in the middle of mu: 0 of 1 values"},
        {LOCAL "1 2 inf\n0.5\n", 10, "'inf' in q"},
        {LOCAL "1 2 3\n-0.5\n", 11, "mu of contact 0 is -0.5; it must be 0 or more"},
        {LOCAL "1 2 3\nNaN\n", 11, "'NaN' in mu"},
        // sizes that do not fit
        {"3\n2\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n1 2 3\n4 5 6\n0.5 0.5\n", 3,
         "has 3 rows, but 2 contacts of 3 components have 6"},
        {LOCAL "0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 -1 -1 0 0\n", 11, "in the middle of w: 2 of 3"},
        {"3\n1\n0\n2\n2\n2 2\n1 0\n0 1\n0\n2\n3\n2 3\n1 0 0 1 0\n", 14,
         "in the middle of H: 5 of 6"},
        // blocks
        {BLOCKS "3000000000\n", 6, "the number of blocks is '3000000000'"},
        {BLOCKS "1\n9\n2\n", 7, "the number of block rows is '9'"},
        {BLOCKS "1\n2\n2\n2 5\n", 9, "the end of a block row is '5'"},
        {BLOCKS "1\n2\n2\n2 3\n", 9, "the last end of a block row is 3; it must be 4"},
        {BLOCKS "1\n2\n2\n3 2\n", 9, "the end of a block row is '2'"},
        {BLOCKS "1\n2\n2\n2 4\n2 4\n9\n", 11, "the number of block row pointers is '9'"},
        {BLOCKS "1\n2\n2\n2 4\n2 4\n3\n2\n", 12, "the number of stored blocks is '2'; expected 1"},
        {BLOCKS "1\n2\n2\n2 4\n2 4\n3\n1\n1 1 1\n", 13, "the first block row pointer is 1"},
        {BLOCKS "1\n2\n2\n2 4\n2 4\n3\n1\n0 1 0\n", 13, "the block row pointer is '0'"},
        {BLOCKS "1\n2\n2\n2 4\n2 4\n3\n1\n0 1 1\n2\n", 14, "the block column is '2'"},
        {BLOCKS "1\n2\n2\n2 4\n2 4\n3\n1\n0 1 1\n0\n5\n1 2 3 4", 15, "number of the block is '5'"},
        {BLOCKS "1\n2\n2\n2 4\n2 4\n3\n1\n0 1 1\n0\n0\n1 2 3", 16, "middle of W: 3 of 4 values"},
        {"2 1000000000 1 2000000000 2000000000 1 1000000000 1 2", 1, "1 of 1000000000 values"},
        // sparse
        {SPARSE "4\nCSparse\n2-by-2, nzmax: 1 nnz: 1\n", 6, "the sparse format"},
        {SPARSE "1\nCSparse\nnothing\n\n\n\n0 0 : 1", 6, "no line 'm-by-n, nzmax: a nnz: b'"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-3, nzmax: 1 nnz: 1\n0 0 : 1", 8, "2 x 3 here"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-x, nzmax: 1 nnz: 1\n0 0 : 1", 8, "'x'"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-2\n0 0 : 1", 8, "must read"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: -1\n", 8, "number of entries is '-1'"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 2 : 1\n", 9, "column of an entry"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n-1 0 : 1\n", 9, "row of an entry"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0.5 0 : 1\n", 9, "is '0.5'"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 0 1 1\n", 9, "expected ':'"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 2\n0 0 : 1\n", 10,
         "ends in the middle of W: 1 of 2 values"},
        {SPARSE "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 2000000000\n0 0 : 1\n", 10,
         "1 of 2000000000 values"},
        {SPARSE "2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\ncol 1 : locations 0 to 0\n", 9,
         "the number of the column is '1'; expected 0"},
        {SPARSE "2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\ncol 0 : locations 0 to 5\n", 9,
         "the last location is '5'"},
        {SPARSE "2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\ncol 0 : locations 0 to 0\n0 : 1\n",
         11, "ends in the middle of W, before 'col'"},
        {SPARSE "2\nCSparse\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\ncol 0 : locations 0 to 0\n0 : 1\n"
                "col 1 : locations 1 to 0\n-1 -1 0.5",
         11, "W has 1 entries; 2 are announced"},
        // LCP
        {"4\n0\n4\n5\n4 5\n", 2, "M is 4 x 5; the sizes before it ask for 4 x 4"},
        {"4\n0\n4\n4\n4 4\n1 2 3", 6, "ends in the middle of M: 3 of 16 values"},
        {"1\n0\n1\n1\n1 1\n2\n", 7, "ends in the middle of q: 0 of 1 values"},
        {"2\n0\n2\n2\n2 2\n2 1 1 2\n-5 -6\n-1 -1\n1 1\n", 7, "relay problem"},
        {"30000\n2\n30000\n30000\n1\nCSparse\ntriplet: 30000-by-30000, nzmax: 1 nnz: 0\n", 8,
         "ends in the middle of q: 0 of 30000 values"},
        // MLCP
        {"0\n0\n1\n1\n", 4, "neither a whole matrix nor parts"},
        {"1\n0\n-1\n2\n0 1\n", 3, "the number of equalities is '-1'"},
        {"1\n0\n2\n3\n1 2\n0 1\n", 5, "first end of a block of rows is '1'; expected 0"},
        {"1\n0\n2\n3\n0 1 6\n0 1\n", 5, "the end of a block of rows is '6'"},
        {"1\n0\n1\n1\n0 1 2\n0 2\n", 6, "kind of a block of rows"},
        {"1\n0\n1\n1\n0 1 2\n0 0\n0\n2\n2\n2 2\n1 0 0 1\n1 1", 6, "2 rows are marked as equal"},
        {"1\n0\n1\n1\n0 1 2\n0 1\n0\n3\n3\n3 3\n1 0 0 1 1 1 1 1 1\n1 1", 7, "M is 3 x 3"},
        {"0\n1\n1\n1\n1 2 3", 5, "ends in the middle of D"},
        {"0\n1\n1\n1\n1 2 3 4 5", 5, "ends in the middle of a and b: 1 of 2 values"},
        {"0\n1\n1000000000\n1000000000\n1 2 3", 5, "ends in the middle of q: 3 of 2000000000"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_error(cases[k].text, cases[k].line, cases[k].part);
}

static void test_bytes(void **state)
{
    (void)state;
    pcs_problem *problem = (pcs_problem *)&problem;
    static const char zeros[] = "3\n1\n\0\n";
    assert_int_equal(pcs_problem_read_text(ctx, "zeros", zeros, sizeof zeros, &problem),
                     PCS_ERROR_INPUT);
    assert_null(problem);
    assert_non_null(strstr(pcs_context_error(ctx), "zeros: a binary file"));
    // Odd bytes do not get into the message.
    static const char odd[] = "3 1 0 3 3 3 3 1 2 \x1b[31m\xff\xfe 4";
    assert_int_equal(pcs_problem_read_text(ctx, "odd", odd, sizeof odd - 1, &problem),
                     PCS_ERROR_INPUT);
    for (const char *c = pcs_context_error(ctx); *c; c++)
        assert_true(*c >= ' ' && *c < 127);
}

// A good file of each class and storage, cut at every byte, then with every byte replaced.
static void test_cuts(void **state)
{
    (void)state;
    static const char *const good[] = {
        LOCAL "-1.5 0.25 1e-3\n0.5\n0\n",
        BLOCKS "3\n2\n2\n2 4\n2 4\n3\n3\n0 2 3\n0 1 1\n0\n2.5\n0\n0\n3\n1\n0\n0\n-1\n0\n2\n4\n1\n"
               "1\n5\n-1.25 0.5 -2 0\n0.3 0.7\n",
        SPARSE "2\nCSparse 3\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n col 0 : locations 0 to 0\n"
               "  0 : 1\n col 1 : locations 1 to 1\n  1 : 1\n-1.5 0.5\n0.25\n",
        SPARSE "1\nCSparse 3\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n 0 0 : 1\n 1 1 : 1\n2\n2\n2\n1\n"
               "CSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n 0 1 : 1\n 1 2 0.5 -1 0.75\n",
        "2\n0\n2\n2\n2 2\n2.5 1 1 2\n-5.25 -6\n",
        "1\n1\n1\n1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 0\n-1 1\n-1.5 1\n1\n1\n-1\n0\n-1.5\n1\n0 1\n",
    };
    static const char replacements[] = "\n 0-9e.:x";
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        const size_t length = strlen(good[k]);
        pcs_problem *problem = NULL;
        if (pcs_problem_read_text(ctx, "good", good[k], length, &problem) != PCS_OK)
            fail_msg("%zu: %s", k, pcs_context_error(ctx));
        pcs_problem_destroy(problem);
        for (size_t cut = 0; cut < length; cut++) {
            char *copy = malloc(cut + 1);
            memcpy(copy, good[k], cut);
            if (pcs_problem_read_text(ctx, "cut", copy, cut, &problem) >= 0)
                pcs_problem_destroy(problem); // cut within the last number or behind the data
            else
                assert_null(problem);
            free(copy);
            assert_int_equal(pcs_context_heap_bytes(ctx), 0);
        }
        char *copy = malloc(length);
        for (size_t place = 0; place < length; place++) {
            for (const char *c = replacements; *c; c++) {
                memcpy(copy, good[k], length);
                copy[place] = *c;
                largest_request = 0;
                if (pcs_problem_read_text(ctx, "changed", copy, length, &problem) >= 0)
                    pcs_problem_destroy(problem);
                assert_true(largest_request < length * MEMORY_FACTOR + MEMORY_EXTRA);
            }
        }
        free(copy);
        assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    }
}

// ---- FCLIB ----

// A good local or global file, then one object replaced by something else.
static void put(hid_t file, const char *object, hid_t type, int64_t count, const void *data)
{
    const hsize_t size = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    assert_true(H5Pset_create_intermediate_group(links, 1) >= 0);
    hid_t dataset = H5Dcreate2(file, object, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0);
    if (data)
        assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(dataset);
    H5Pclose(links);
    H5Sclose(space);
}

static void write_good(bool global)
{
    pcs_problem *problem = NULL;
    const int32_t row[] = {0, 1, 2, 3}, column[] = {0, 1, 2, 3};
    const double value[] = {2, 3, 4, 5}, q[] = {-1, 0.5, 0.25, 1}, mu = 0.5;
    const pcs_triplets A = {4, 4, 4, row, column, value};
    assert_int_equal(global ? pcs_problem_create_global(ctx, 3, 1, 1, &A, &A, q, q, &mu, &problem)
                            : pcs_problem_create_local(ctx, 3, 1, 1, &A, q, &mu, &problem),
                     PCS_OK);
    assert_int_equal(pcs_problem_write(problem, path, PCS_PROBLEM_FCLIB, NULL), PCS_OK);
    pcs_problem_destroy(problem);
}

static void expect_file_error(const char *part)
{
    pcs_problem *problem = (pcs_problem *)&problem;
    largest_request = 0;
    const pcs_status status = pcs_problem_read(ctx, path, &problem);
    if (status >= 0)
        fail_msg("accepted; expected \"%s\"", part);
    const char *error = pcs_context_error(ctx);
    if (strncmp(error, path, strlen(path)) != 0 || !strstr(error, part))
        fail_msg("\"%s\" should name the file and contain \"%s\"", error, part);
    assert_null(problem);
    assert_true(largest_request < 3 * MEMORY_EXTRA);
}

static void test_objects(void **state)
{
    (void)state;
    static const int32_t integer[] = {-7, -3, 0, 1, 2, 3, 4, 9, 1, 1, 1, 0};
    static const double real[] = {NAN, INFINITY, -0.5, 1, 2, 3, 4, 5};
    enum { NOTHING = -1, GROUP = -2, HUGE_SET = 1000000000 };
    static const struct {
        bool global;
        const char *object;
        int64_t count; // of numbers from data; NOTHING: removed, GROUP: a group instead
        const int32_t *integers;
        const double *reals;
        const char *part;
    } cases[] = {
        {false, "/fclib_local", NOTHING, NULL, NULL, "without /fclib_local and /fclib_global"},
        {false, "/fclib_local/W", NOTHING, NULL, NULL, "/fclib_local/W is missing"},
        {false, "/fclib_local/W/x", NOTHING, NULL, NULL, "/fclib_local/W/x is missing"},
        {false, "/fclib_local/W/x", GROUP, NULL, NULL, "is not a dataset"},
        {false, "/fclib_local/W/x", 3, NULL, real + 3, "holds 3 numbers where 9 belong"},
        {false, "/fclib_local/W/x", HUGE_SET, NULL, NULL, "more numbers than the file can hold"},
        {false, "/fclib_local/W/p", 2, integer + 2, NULL, "holds 2 numbers where 4 belong"},
        {false, "/fclib_local/W/p", 4, integer + 8, NULL, "do not ascend"},
        {false, "/fclib_local/W/p", 4, integer + 3, NULL, "do not begin at 0"},
        {false, "/fclib_local/W/i", 9, integer, NULL, "entries outside of the matrix"},
        {false, "/fclib_local/W/i", 4, NULL, real, "does not hold integers"},
        {false, "/fclib_local/W/nz", 1, integer, NULL, "/fclib_local/W/nz has an impossible"},
        {false, "/fclib_local/W/nz", 1, integer + 7, NULL, "W/p holds 4 numbers where 9 belong"},
        {false, "/fclib_local/W/m", 1, integer + 6, NULL, "W/p holds 4 numbers where 5 belong"},
        {false, "/fclib_local/W/n", 1, integer + 6, NULL, "is not square"},
        {false, "/fclib_local/W/m", 2, integer + 5, NULL, "is not one integer"},
        {false, "/fclib_local/spacedim", 1, integer + 7, NULL, "spacedim is 9"},
        {false, "/fclib_local/spacedim", 1, integer + 4, NULL, "not a multiple of the dimension"},
        {false, "/fclib_local/vectors/q", 3, NULL, real, "vectors/q[0] is not a number"},
        {false, "/fclib_local/vectors/q", 3, NULL, real + 1, "vectors/q[0] is infinite"},
        {false, "/fclib_local/vectors/q", 4, NULL, real + 3, "holds 4 numbers where 3 belong"},
        {false, "/fclib_local/vectors/mu", 1, NULL, real + 2, "mu[0] is -0.5; it must be 0"},
        {false, "/fclib_local/V", NOTHING, NULL, NULL, "/fclib_local/V is missing"},
        {false, "/fclib_local/R", NOTHING, NULL, NULL, "/fclib_local/R is missing"},
        {false, "/fclib_local/R/m", 1, integer + 5, NULL, "does not fit the other matrices"},
        {false, "/fclib_local/vectors/s", NOTHING, NULL, NULL, "vectors/s is missing"},
        {true, "/fclib_global/M/n", 1, integer + 7, NULL, "is not square"},
        {true, "/fclib_global/M/x", 4, NULL, real, "M/x[0] is not a number"},
        {true, "/fclib_global/H/m", 1, integer + 5, NULL, "does not fit the other matrices"},
        {true, "/fclib_global/H/nz", 1, integer + 7, NULL, "p holds 3 numbers where 9 belong"},
        {true, "/fclib_global/vectors/b", NOTHING, NULL, NULL, "vectors/b is missing"},
        {true, "/fclib_global/vectors/f", HUGE_SET, NULL, NULL, "more numbers than the file"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_good(cases[k].global);
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(H5Ldelete(file, cases[k].object, H5P_DEFAULT) >= 0);
        if (cases[k].count == GROUP)
            H5Gclose(H5Gcreate2(file, cases[k].object, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        else if (cases[k].integers)
            put(file, cases[k].object, H5T_NATIVE_INT32, cases[k].count, cases[k].integers);
        else if (cases[k].count != NOTHING)
            put(file, cases[k].object, H5T_NATIVE_DOUBLE, cases[k].count, cases[k].reals);
        H5Fclose(file);
        expect_file_error(cases[k].part);
    }
    // rolling friction
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put(file, "/fclib_global_rolling/spacedim", H5T_NATIVE_INT32, 1, integer + 5);
    H5Fclose(file);
    expect_file_error("rolling friction is not supported");
}

static void write_bytes(const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

// Cut HDF5 files.
static void test_cut_files(void **state)
{
    (void)state;
    static char bytes[1 << 16];
    for (int global = 0; global <= 1; global++) {
        write_good(global != 0);
        FILE *file = fopen(path, "rb");
        const size_t length = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_true(length > 1000 && length < sizeof bytes);
        for (size_t cut = 0; cut < length; cut += cut < 128 ? 1 : 97) {
            pcs_problem *problem = (pcs_problem *)&problem;
            write_bytes(bytes, cut);
            assert_true(pcs_problem_read(ctx, path, &problem) < 0);
            assert_null(problem);
            assert_int_equal(pcs_context_heap_bytes(ctx), 0);
        }
    }
}

// ---- Overflow ----

// A diagonal block or an unsymmetric entry of W and one of q near the ends of the range: whatever a solver makes of it, its impulses
// are finite, and it does not report a success that cannot be measured.
static void solve_near_overflow(bool beside, double in_W, double in_q, pcs_measure measure)
{
    static const int32_t row[] = {0, 1, 2, 3, 0, 3, 0}, column[] = {0, 1, 2, 3, 3, 0, 2};
    const double W[] = {2, beside ? 1 : in_W, 1.5, 3, 0.2, 0.2, beside ? in_W : 0};
    const double q[] = {-1, 0.3, in_q, 0.1}, mu = 0.7;
    const pcs_triplets entries = {4, 4, 7, row, column, W};
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_local(ctx, 3, 1, 1, &entries, q, &mu, &problem), PCS_OK);
    const char *solver;
    for (int32_t i = 0;
         (solver = pcs_problem_solver(PCS_PROBLEM_LOCAL, i, NULL, NULL, NULL)) != NULL; i++) {
        double r[4] = {0}, u[4];
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info;
        opts.max_iterations = 50;
        opts.measure = measure;
        const pcs_status status = pcs_problem_solve(problem, solver, &opts, NULL, r, u, &info);
        for (int k = 0; k < 4; k++)
            if (!isfinite(r[k]) || (status == PCS_OK && !isfinite(u[k])))
                fail_msg("%s, %g in W, %g in q: status %d with r[%d] = %g, u = %g", solver, in_W,
                         in_q, (int)status, k, r[k], u[k]);
        const double residual = measure == PCS_MEASURE_SCALED     ? info.residual.scaled
                                : measure == PCS_MEASURE_UNSCALED ? info.residual.unscaled
                                                                  : info.residual.relative;
        if (status == PCS_OK && !(residual <= opts.tolerance))
            fail_msg("%s, %g in W, %g in q: success with residual %g", solver, in_W, in_q,
                     residual);
    }
    pcs_problem_destroy(problem);
}

static void test_overflow(void **state)
{
    (void)state;
    static const double size[] = {0.2, -2.3e154, 1e155, 3.1e200, -1e300, 1.7e308, 1e-300};
    enum { SIZES = sizeof size / sizeof *size };
    for (int a = 0; a < SIZES; a++)
        for (int b = 0; b < SIZES; b++)
            for (int m = PCS_MEASURE_SCALED; m <= PCS_MEASURE_RELATIVE; m++)
                for (int beside = 0; beside <= 1; beside++)
                    solve_near_overflow(beside != 0, size[a], size[b], (pcs_measure)m);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(test_texts),     TEST(test_bytes),
                                       TEST(test_cuts),      TEST(test_objects),
                                       TEST(test_cut_files), TEST(test_overflow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

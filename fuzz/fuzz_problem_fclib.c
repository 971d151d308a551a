// libFuzzer target: a contact problem in FCLIB's HDF5 layout. Bytes that begin as an HDF5 file are one;
// of others the first chooses a right file and the rest edit its structure (support/hdf5_edit.h).
// Whatever it is, reading ends with a problem that can be solved and written, or with one line of error
// text; memory and HDF5 identifiers are given back. Seeds in fuzz/corpus/problem_fclib.
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percuss/problem.h"
#include "support/checks.h"
#include "support/hdf5_edit.h"

enum { RIGHT_FILES = 3, ROWS_MOST = 200 };

// ---- Right files ----

static pcs_triplets triplets(int32_t rows, int32_t columns, int32_t count, const int32_t *row,
                             const int32_t *column, const double *value)
{
    return (pcs_triplets){rows, columns, count, row, column, value};
}

// One contact in space with a bilateral row, as local problem; two in the plane, with M and H.
static pcs_problem *make_problem(pcs_context *ctx, bool local)
{
    static const int32_t row[] = {0, 1, 2, 3, 0, 3}, column[] = {0, 1, 2, 3, 3, 0};
    static const double W[] = {2, 1, 1.5, 3, 0.2, 0.2}, H[] = {1, 1, 1, 1, 0.5, 0.5};
    static const double q[] = {-1, 0.3, 0.2, 0.1}, f[] = {0, -1, 0.4, 0}, mu[] = {0.7, 0.2};
    const pcs_triplets first = triplets(4, 4, 6, row, column, W);
    const pcs_triplets second = triplets(4, 4, 6, row, column, H);
    pcs_problem *problem = NULL;
    const pcs_status status = local
                                  ? pcs_problem_create_local(ctx, 3, 1, 1, &first, q, mu, &problem)
                                  : pcs_problem_create_global(ctx, 2, 2, 0, &first, &second, f, q,
                                                              mu, &problem);
    fuzz_require(status >= 0, "a problem cannot be made", ctx);
    return problem;
}

static fuzz_image store_problem(int number)
{
    static const double r[] = {0.5, 0, 0, 0};
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_problem *problem = make_problem(ctx, number != 1);
    fuzz_require(pcs_problem_write(problem, fuzz_path("right"), PCS_PROBLEM_FCLIB,
                                   number == 2 ? r : NULL) >= 0,
                 "a problem cannot be written", ctx);
    pcs_problem_destroy(problem);
    fuzz_end(ctx);
    return fuzz_image_of_file(fuzz_path("right"));
}

static const char *edited_file(const uint8_t *data, size_t size)
{
    static fuzz_image right[RIGHT_FILES];
    for (int i = 0; i < RIGHT_FILES && !right[i].bytes; i++)
        right[i] = store_problem(i);
    fuzz_choices c = {data, size, 0};
    const int number = fuzz_pick(&c, RIGHT_FILES);
    return fuzz_edit_hdf5(&right[number], &c);
}

// ---- What was read ----

static void use(pcs_context *ctx, const pcs_problem *problem)
{
    double r[ROWS_MOST] = {0};
    const int32_t rows = pcs_problem_rows(problem);
    if (rows <= ROWS_MOST) {
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info;
        opts.max_iterations = 50;
        if (pcs_problem_solve(problem, NULL, &opts, NULL, r, NULL, &info) < 0)
            fuzz_check_error(ctx);
        for (int32_t i = 0; i < rows; i++)
            fuzz_require(isfinite(r[i]), "impulses are not finite", ctx);
        if (pcs_problem_write(problem, fuzz_path("written"), PCS_PROBLEM_FCLIB, r) < 0)
            fuzz_check_error(ctx);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const bool whole = size >= sizeof signature && memcmp(data, signature, sizeof signature) == 0;
    const char *path = whole ? fuzz_file(data, size) : edited_file(data, size);
    const ssize_t open_before = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
    pcs_context *ctx = pcs_context_create(NULL);
    if (!ctx)
        return 0;
    pcs_problem *problem = NULL;
    if (pcs_problem_read(ctx, path, &problem) < 0) {
        fuzz_check_error(ctx);
        fuzz_require(problem == NULL, "a problem in spite of an error", ctx);
    } else {
        use(ctx, problem);
    }
    pcs_problem_destroy(problem);
    fuzz_require(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == open_before,
                 "open HDF5 objects", ctx);
    fuzz_end(ctx);
    return 0;
}

// Writes friction problems in FCLIB's HDF5 layout (docs/problem-file.md), as FCLIB 3 reads it: W, V
// and R by rows (nz = -2), M, H and G as triplets (nz = their number, i rows, p columns). A
// solution is stored with u = W r + q, or v = M^-1 (H r + f) and u = H^T v + w.
#include <string.h>
#include <unistd.h>

#include "io/hdf5_driver.h"
#include "io/hdf5_file.h"
#include "io/problem_file.h"

enum { PATH_SIZE = 64, ROWS_MARK = -2 };

typedef struct writer {
    const pcs_problem *problem;
    pcs_context *ctx;
    const char *path; // the name that the file will get
    pcs_hdf5_guard guard;
    pcs_hdf5_note note;
    hid_t driver, file;
} writer;

static pcs_status cannot(writer *wr)
{
    if (wr->note.error_number != 0)
        wr->guard.error_number = wr->note.error_number;
    return pcs_hdf5_error(wr->ctx, &wr->guard, wr->path, "write the contact problem");
}

// ---- Parts of the file ----

static pcs_status create_group(writer *wr, const char *group)
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    hid_t id = H5I_INVALID_HID;
    if (creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
        id = H5Gcreate2(wr->file, group, H5P_DEFAULT, creation, H5P_DEFAULT);
    pcs_hdf5_close(creation);
    pcs_hdf5_close(id);
    return id >= 0 ? PCS_OK : cannot(wr);
}

static pcs_status put(writer *wr, const char *group, const char *name, bool real, int64_t count,
                      const void *data)
{
    char object[PATH_SIZE];
    snprintf(object, sizeof object, "%s/%s", group, name);
    const hsize_t size = (hsize_t)count;
    const hid_t file_type = real ? H5T_IEEE_F64LE : H5T_STD_I32LE;
    const hid_t memory_type = real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;
    if (space >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
        dataset = H5Dcreate2(wr->file, object, file_type, space, H5P_DEFAULT, creation,
                             H5P_DEFAULT);
    const bool ok = dataset >= 0 && (count == 0 || H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL,
                                                            H5P_DEFAULT, data) >= 0);
    pcs_hdf5_close(dataset);
    pcs_hdf5_close(creation);
    pcs_hdf5_close(space);
    return ok && !wr->note.write_failed ? PCS_OK : cannot(wr);
}

static pcs_status put_integer(writer *wr, const char *group, const char *name, int32_t value)
{
    return put(wr, group, name, false, 1, &value);
}

static pcs_status put_reals(writer *wr, const char *group, const char *name, int64_t count,
                            const double *x)
{
    return put(wr, group, name, true, count, x);
}

// The arrays of a matrix in FCLIB's form.
typedef struct arrays {
    int32_t rows, columns, mark, p_count, count;
    int32_t *p, *i;
    double *x;
} arrays;

static pcs_status allocate(pcs_context *ctx, arrays *A)
{
    A->p = PCS_NEW_ARRAY(ctx, int32_t, A->p_count);
    A->i = PCS_NEW_ARRAY(ctx, int32_t, A->count);
    A->x = PCS_NEW_ARRAY(ctx, double, A->count);
    return A->p && A->i && A->x ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status put_arrays(writer *wr, const char *group, const arrays *A)
{
    PCS_TRY(create_group(wr, group));
    PCS_TRY(put_integer(wr, group, "nzmax", A->count));
    PCS_TRY(put_integer(wr, group, "m", A->rows));
    PCS_TRY(put_integer(wr, group, "n", A->columns));
    PCS_TRY(put_integer(wr, group, "nz", A->mark));
    PCS_TRY(put(wr, group, "p", false, A->p_count, A->p));
    PCS_TRY(put(wr, group, "i", false, A->count, A->i));
    return put_reals(wr, group, "x", A->count, A->x);
}

static void free_arrays(pcs_context *ctx, arrays *A)
{
    pcs_free(ctx, A->p);
    pcs_free(ctx, A->i);
    pcs_free(ctx, A->x);
}

// ---- Local problems ----

// Calls for block rows [first_row, end_row) and block columns [first_column, end_column) of W.
typedef struct part {
    int32_t first_row, end_row, first_column, end_column;
} part;

// Entries of the part of W, all blocks in full; with A->x given they are stored by rows.
static int64_t gather_rows(const pcs_block_matrix *W, part range, arrays *A)
{
    int64_t count = 0;
    int32_t line = 0;
    const int32_t shift = W->offset[range.first_column];
    for (int32_t b = range.first_row; b < range.end_row; b++) {
        const int32_t height = W->offset[b + 1] - W->offset[b];
        for (int32_t r = 0; r < height; r++) {
            for (int32_t e = W->row_start[b]; e < W->row_start[b + 1]; e++) {
                const int32_t j = W->column[e], width = W->offset[j + 1] - W->offset[j];
                if (j < range.first_column || j >= range.end_column)
                    continue;
                for (int32_t c = 0; A->x && c < width; c++) {
                    A->i[count + c] = W->offset[j] + c - shift;
                    A->x[count + c] = W->value[W->value_start[e] + (int64_t)r * width + c];
                }
                count += width;
            }
            line++;
            if (A->x)
                A->p[line] = (int32_t)count;
        }
    }
    return count;
}

static pcs_status put_part(writer *wr, const char *group, part range)
{
    const pcs_block_matrix *W = &wr->problem->W;
    arrays A = {.rows = W->offset[range.end_row] - W->offset[range.first_row],
                .columns = W->offset[range.end_column] - W->offset[range.first_column],
                .mark = ROWS_MARK};
    const int64_t count = gather_rows(W, range, &A);
    if (count > INT32_MAX)
        return pcs_error(wr->ctx, PCS_ERROR_IO,
                         "%s: cannot write the contact problem: %s has more than 2^31 entries, "
                         "which FCLIB cannot count; write it as text",
                         wr->path, group);
    A.count = (int32_t)count;
    A.p_count = A.rows + 1;
    pcs_status status = allocate(wr->ctx, &A);
    if (status >= 0) {
        (void)gather_rows(W, range, &A);
        status = put_arrays(wr, group, &A);
    }
    free_arrays(wr->ctx, &A);
    return status;
}

// FCLIB keeps V alone for the coupling of contacts and bilateral rows.
static bool is_coupling_symmetric(const pcs_problem *problem)
{
    const pcs_block_matrix *W = &problem->W;
    for (int32_t i = problem->contacts; i < W->n; i++) {
        for (int32_t e = W->row_start[i]; e < W->row_start[i + 1]; e++) {
            const int32_t j = W->column[e];
            if (j >= problem->contacts)
                break;
            const int32_t size = problem->dimension;
            int32_t mirror = W->row_start[j];
            while (W->column[mirror] != i) // the pattern is symmetric
                mirror++;
            if (memcmp(W->value + W->value_start[e], W->value + W->value_start[mirror],
                       sizeof(double) * (size_t)size) != 0)
                return false;
        }
    }
    return true;
}

static pcs_status put_local(writer *wr)
{
    const pcs_problem *problem = wr->problem;
    static const char vectors[] = "/fclib_local/vectors";
    const int32_t contacts = problem->contacts, n = problem->W.n;
    const int32_t rows = problem->dimension * contacts;
    if (!is_coupling_symmetric(problem))
        return pcs_error(wr->ctx, PCS_ERROR_ARGUMENT,
                         "%s: W is not symmetric between contacts and bilateral rows, which FCLIB "
                         "cannot express; there is no format for this problem",
                         wr->path);
    PCS_TRY(create_group(wr, "/fclib_local"));
    PCS_TRY(put_integer(wr, "/fclib_local", "spacedim", problem->dimension));
    PCS_TRY(put_part(wr, "/fclib_local/W", (part){0, contacts, 0, contacts}));
    PCS_TRY(create_group(wr, vectors));
    PCS_TRY(put_reals(wr, vectors, "q", rows, problem->q));
    PCS_TRY(put_reals(wr, vectors, "mu", contacts, problem->mu));
    if (problem->bilateral_rows == 0)
        return PCS_OK;
    PCS_TRY(put_part(wr, "/fclib_local/V", (part){0, contacts, contacts, n}));
    PCS_TRY(put_part(wr, "/fclib_local/R", (part){contacts, n, contacts, n}));
    return put_reals(wr, vectors, "s", problem->bilateral_rows, problem->q + rows);
}

// ---- Global problems ----

// Columns [first, end) of a matrix as triplets.
static pcs_status put_columns(writer *wr, const char *group, const pcs_sparse *A, int32_t first,
                              int32_t end)
{
    const pcs_sparse_pattern *P = &A->pattern;
    const int32_t begin = P->start[first];
    arrays B = {.rows = P->n_rows, .columns = end - first, .count = P->start[end] - begin};
    B.mark = B.p_count = B.count;
    pcs_status status = allocate(wr->ctx, &B);
    if (status >= 0) {
        for (int32_t j = first; j < end; j++) {
            for (int32_t e = P->start[j]; e < P->start[j + 1]; e++) {
                B.i[e - begin] = P->index[e];
                B.p[e - begin] = j - first;
                B.x[e - begin] = A->value[e];
            }
        }
        status = put_arrays(wr, group, &B);
    }
    free_arrays(wr->ctx, &B);
    return status;
}

static pcs_status put_global(writer *wr)
{
    const pcs_problem *problem = wr->problem;
    static const char vectors[] = "/fclib_global/vectors";
    const int32_t rows = problem->dimension * problem->contacts;
    PCS_TRY(create_group(wr, "/fclib_global"));
    PCS_TRY(put_integer(wr, "/fclib_global", "spacedim", problem->dimension));
    PCS_TRY(put_columns(wr, "/fclib_global/M", &problem->M, 0, problem->dofs));
    PCS_TRY(put_columns(wr, "/fclib_global/H", &problem->H, 0, rows));
    PCS_TRY(create_group(wr, vectors));
    PCS_TRY(put_reals(wr, vectors, "f", problem->dofs, problem->f));
    PCS_TRY(put_reals(wr, vectors, "w", rows, problem->q));
    PCS_TRY(put_reals(wr, vectors, "mu", problem->contacts, problem->mu));
    if (problem->bilateral_rows == 0)
        return PCS_OK;
    PCS_TRY(put_columns(wr, "/fclib_global/G", &problem->H, rows, problem->rows));
    return put_reals(wr, vectors, "b", problem->bilateral_rows, problem->q + rows);
}

// ---- Solution ----

// v = M^-1 (H r + f)
static pcs_status compute_velocities(const pcs_problem *problem, const double *r, double *v)
{
    pcs_sparse_lu *lu = NULL;
    PCS_TRY(pcs_sparse_lu_create(problem->ctx, &problem->M.pattern, &lu));
    pcs_status status = pcs_sparse_lu_factor(lu, problem->M.value);
    if (status >= 0) {
        pcs_sparse_multiply(&problem->H, r, v);
        for (int32_t i = 0; i < problem->dofs; i++)
            v[i] += problem->f[i];
        pcs_sparse_lu_solve(lu, 1, v);
    }
    pcs_sparse_lu_destroy(lu);
    return status;
}

static pcs_status compute_solution(const pcs_problem *problem, const double *r, double *v,
                                   double *u)
{
    if (problem->problem_class == PCS_PROBLEM_GLOBAL) {
        PCS_TRY(compute_velocities(problem, r, v));
        pcs_sparse_multiply_transposed(&problem->H, v, u);
    } else {
        pcs_block_matrix_multiply(&problem->W, r, u);
    }
    for (int32_t i = 0; i < problem->rows; i++)
        u[i] += problem->q[i];
    return PCS_OK;
}

// Parts without numbers are left out: FCLIB does not look for them.
static pcs_status put_solution(writer *wr, const double *r)
{
    const pcs_problem *problem = wr->problem;
    static const char group[] = "/solution";
    const int32_t rows = problem->dimension * problem->contacts;
    double *v = PCS_NEW_ARRAY(wr->ctx, double, problem->dofs);
    double *u = v ? PCS_NEW_ARRAY(wr->ctx, double, problem->rows) : NULL;
    pcs_status status = u ? compute_solution(problem, r, v, u) : PCS_ERROR_MEMORY;
    if (u && status < 0)
        (void)pcs_error_prefix(wr->ctx, status, "%s: velocities of the solution", wr->path);
    if (status >= 0)
        status = create_group(wr, group);
    if (status >= 0 && problem->dofs > 0)
        status = put_reals(wr, group, "v", problem->dofs, v);
    if (status >= 0 && rows > 0)
        status = put_reals(wr, group, "u", rows, u);
    if (status >= 0 && rows > 0)
        status = put_reals(wr, group, "r", rows, r);
    if (status >= 0 && problem->bilateral_rows > 0)
        status = put_reals(wr, group, "l", problem->bilateral_rows, r + rows);
    pcs_free(wr->ctx, u);
    pcs_free(wr->ctx, v);
    return status;
}

// ---- The file ----

static pcs_status create_file(writer *wr, const char *part_path)
{
    hid_t access_properties = pcs_hdf5_driver_properties(&wr->note, &wr->driver);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    (void)unlink(part_path); // the leftover of a killed run
    // No time stamps: equal problems give equal files. The format is that of HDF5 1.8.
    if (access_properties >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
        H5Pset_libver_bounds(access_properties, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0)
        wr->file = H5Fcreate(part_path, H5F_ACC_EXCL, creation, access_properties);
    pcs_hdf5_close(creation);
    pcs_hdf5_close(access_properties);
    if (wr->file < 0)
        return cannot(wr);
    wr->note.error_number = 0; // HDF5 first tries to open a file that is not there
    return PCS_OK;
}

static pcs_status write_all(writer *wr, const char *part_path, const double *r)
{
    PCS_TRY(create_file(wr, part_path));
    PCS_TRY(wr->problem->problem_class == PCS_PROBLEM_LOCAL ? put_local(wr) : put_global(wr));
    return r ? put_solution(wr, r) : PCS_OK;
}

pcs_status pcs_problem_write_fclib(const pcs_problem *problem, const char *path,
                                   const char *part_path, const double *r)
{
    writer wr = {.problem = problem,
                 .ctx = problem->ctx,
                 .path = path,
                 .driver = H5I_INVALID_HID,
                 .file = H5I_INVALID_HID};
    pcs_hdf5_enter(&wr.guard);
    pcs_status status = write_all(&wr, part_path, r);
    const bool closed = wr.file < 0 || H5Fclose(wr.file) >= 0;
    if (status >= 0 && (!closed || wr.note.write_failed))
        status = cannot(&wr);
    pcs_hdf5_driver_close(wr.driver);
    pcs_hdf5_leave(&wr.guard);
    return status;
}

// Reads contact problems in FCLIB's HDF5 layout (docs/problem-file.md), with HDF5 directly, because
// FCLIB's own library ends the process on a file that it dislikes.
//     /fclib_local    u = W r + V l + q,  0 = V^T r + R l + s     -> W <- [W V; V^T R], q <- [q; s]
//     /fclib_global   M v = H r + G l + f,  G^T v + b = 0         -> H <- [H G],        w <- [w; b]
// Sizes are believed only as far as the file could hold as many numbers.
#include <math.h>
#include <string.h>

#include "io/hdf5_file.h"
#include "io/problem_file.h"

enum {
    PATH_SIZE = 64,
    TRIPLETS_MARK = 0, // nz: number of triplets, or one of the marks below
    COLUMNS_MARK = -1,
    ROWS_MARK = -2,
    // A chunk may be compressed; deflate, the densest filter, reaches 1032 to 1.
    COMPRESSION_MAX = 1032
};

typedef struct reader {
    pcs_context *ctx;
    pcs_hdf5_guard guard;
    const char *path;
    hid_t file;
    uint64_t file_size;
} reader;

// Numbers of a dataset: int32_t or double.
typedef struct numbers {
    int64_t count;
    void *data;
} numbers;

static pcs_status damaged(const reader *rd, const char *object, const char *what)
{
    return pcs_error(rd->ctx, PCS_ERROR_INPUT, "%s: %s %s; write the file again", rd->path, object,
                     what);
}

// ---- Datasets ----

// True if every part of the path exists; HDF5 itself wants to be asked part by part.
static bool has_object(const reader *rd, const char *object)
{
    char part[PATH_SIZE];
    for (const char *end = strchr(object + 1, '/'); end; end = strchr(end + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(end - object), object);
        if (H5Lexists(rd->file, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Lexists(rd->file, object, H5P_DEFAULT) > 0;
}

// The ordinary number types; odd ones of a damaged file are not given to HDF5's conversions.
static bool is_ordinary(hid_t type, bool real)
{
    const hid_t integers[] = {H5T_STD_I32LE, H5T_STD_I32BE, H5T_STD_I64LE, H5T_STD_I64BE,
                              H5T_STD_U32LE, H5T_STD_U32BE, H5T_STD_U64LE, H5T_STD_U64BE};
    const hid_t reals[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE};
    bool found = false;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        found = found || H5Tequal(type, integers[i]) > 0;
    for (size_t i = 0; real && i < sizeof reals / sizeof *reals; i++)
        found = found || H5Tequal(type, reals[i]) > 0;
    return found;
}

// True if the file can hold as many numbers of this size. Data in other files are not followed.
static bool is_plausible(const reader *rd, hid_t dataset, int64_t count, size_t size)
{
    hid_t creation = H5Dget_create_plist(dataset);
    if (creation < 0)
        return false;
    const H5D_layout_t layout = H5Pget_layout(creation);
    const bool own = (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT || layout == H5D_CHUNKED) &&
                     H5Pget_external_count(creation) == 0;
    pcs_hdf5_close(creation);
    const uint64_t room = layout == H5D_CHUNKED ? rd->file_size * COMPRESSION_MAX : rd->file_size;
    return own && (uint64_t)count <= room / size;
}

static pcs_status read_dataset(const reader *rd, const char *object, hid_t dataset, bool real,
                               numbers *out)
{
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    const bool fits = space >= 0 && type >= 0 && is_ordinary(type, real);
    const size_t size = fits ? H5Tget_size(type) : 1;
    out->count = fits ? (int64_t)H5Sget_simple_extent_npoints(space) : -1;
    pcs_hdf5_close(type);
    pcs_hdf5_close(space);
    if (out->count < 0)
        return damaged(rd, object, real ? "does not hold real numbers" : "does not hold integers");
    if (out->count > INT32_MAX || !is_plausible(rd, dataset, out->count, size))
        return damaged(rd, object, "claims more numbers than the file can hold");
    out->data = pcs_calloc(rd->ctx, (size_t)out->count, real ? sizeof(double) : sizeof(int32_t));
    if (!out->data)
        return PCS_ERROR_MEMORY;
    const hid_t memory_type = real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    if (out->count > 0 &&
        H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->data) < 0)
        return damaged(rd, object, "cannot be read");
    return PCS_OK;
}

// All numbers of "group/name". The data belong to the caller, also after an error.
static pcs_status read_numbers(const reader *rd, const char *group, const char *name, bool real,
                               numbers *out)
{
    char object[PATH_SIZE];
    snprintf(object, sizeof object, "%s/%s", group, name);
    *out = (numbers){0};
    if (!has_object(rd, object))
        return damaged(rd, object, "is missing");
    hid_t dataset = H5Dopen2(rd->file, object, H5P_DEFAULT);
    if (dataset < 0)
        return damaged(rd, object, "is not a dataset");
    pcs_status status = read_dataset(rd, object, dataset, real, out);
    pcs_hdf5_close(dataset);
    return status;
}

static pcs_status read_integer(const reader *rd, const char *group, const char *name,
                               int32_t smallest, int32_t *value)
{
    char object[PATH_SIZE];
    numbers found;
    pcs_status status = read_numbers(rd, group, name, false, &found);
    snprintf(object, sizeof object, "%s/%s", group, name);
    if (status >= 0 && found.count != 1)
        status = damaged(rd, object, "is not one integer");
    if (status >= 0) {
        *value = *(const int32_t *)found.data;
        if (*value < smallest || *value == INT32_MAX)
            status = damaged(rd, object, "has an impossible value");
    }
    pcs_free(rd->ctx, found.data);
    return status;
}

static pcs_status wrong_count(const reader *rd, const char *group, const char *name, int64_t found,
                              int64_t needed)
{
    return pcs_error(rd->ctx, PCS_ERROR_INPUT,
                     "%s: %s/%s holds %lld numbers where %lld belong; write the file again",
                     rd->path, group, name, (long long)found, (long long)needed);
}

static pcs_status check_finite(const reader *rd, const char *group, const char *name, int64_t count,
                               const double *x)
{
    for (int64_t k = 0; k < count; k++) {
        if (!isfinite(x[k]))
            return pcs_error(rd->ctx, PCS_ERROR_INPUT,
                             "%s: %s/%s[%lld] is %s; all data must be finite", rd->path, group,
                             name, (long long)k, isnan(x[k]) ? "not a number" : "infinite");
    }
    return PCS_OK;
}

// `count` finite numbers to the end of *x, which has `used` numbers and grows.
static pcs_status append_vector(const reader *rd, const char *group, const char *name,
                                int32_t count, int32_t used, double **x)
{
    numbers found;
    pcs_status status = read_numbers(rd, group, name, true, &found);
    if (status >= 0 && found.count != count)
        status = wrong_count(rd, group, name, found.count, count);
    if (status >= 0)
        status = check_finite(rd, group, name, count, found.data);
    if (status >= 0) {
        double *grown = pcs_realloc(rd->ctx, *x, (size_t)used + (size_t)count, sizeof *grown);
        status = grown ? PCS_OK : PCS_ERROR_MEMORY;
        *x = grown ? grown : *x;
    }
    if (status >= 0 && count > 0)
        memcpy(*x + used, found.data, sizeof(double) * (size_t)count);
    pcs_free(rd->ctx, found.data);
    return status;
}

// ---- Matrices ----

typedef struct matrix {
    const char *group;
    int32_t rows, columns, mark;
    numbers p, i, x;
} matrix;

static void free_matrix(pcs_context *ctx, matrix *A)
{
    pcs_free(ctx, A->p.data);
    pcs_free(ctx, A->i.data);
    pcs_free(ctx, A->x.data);
}

static bool is_in_range(const numbers *list, int64_t count, int32_t limit)
{
    const int32_t *x = list->data;
    for (int64_t k = 0; k < count; k++) {
        if (x[k] < 0 || x[k] >= limit)
            return false;
    }
    return true;
}

// Number of entries; for compressed forms the pointers are checked. Negative: an error is recorded.
static pcs_status count_matrix(const reader *rd, const matrix *A, int64_t *entries)
{
    if (A->mark >= TRIPLETS_MARK) {
        *entries = A->mark;
        return A->p.count < *entries ? wrong_count(rd, A->group, "p", A->p.count, *entries)
                                     : PCS_OK;
    }
    const int32_t lines = A->mark == COLUMNS_MARK ? A->columns : A->rows;
    const int32_t *p = A->p.data;
    if (A->p.count < (int64_t)lines + 1)
        return wrong_count(rd, A->group, "p", A->p.count, (int64_t)lines + 1);
    for (int32_t k = 0; k < lines; k++) {
        if (p[k + 1] < p[k])
            return damaged(rd, A->group, "has pointers p that do not ascend");
    }
    if (p[0] != 0)
        return damaged(rd, A->group, "has pointers p that do not begin at 0");
    *entries = p[lines];
    return PCS_OK;
}

// The entries with the block's first row and column added, and once more transposed if asked.
static void add_entries(const matrix *A, int64_t entries, int32_t row, int32_t column,
                        bool also_transposed, pcs_triplet_list *list)
{
    const int32_t *p = A->p.data, *i = A->i.data;
    const double *x = A->x.data;
    // Triplets: i has the rows and p the columns, as CSparse has it. FCLIB's own description says
    // the opposite; files of that kind are told by indices that do not fit.
    const bool swapped = A->mark >= TRIPLETS_MARK && (!is_in_range(&A->i, entries, A->rows) ||
                                                      !is_in_range(&A->p, entries, A->columns));
    int32_t line = 0;
    for (int64_t k = 0; k < entries; k++) {
        int32_t r, c;
        if (A->mark >= TRIPLETS_MARK) {
            r = swapped ? p[k] : i[k];
            c = swapped ? i[k] : p[k];
        } else {
            while (k >= p[line + 1])
                line++;
            r = A->mark == COLUMNS_MARK ? i[k] : line;
            c = A->mark == COLUMNS_MARK ? line : i[k];
        }
        pcs_triplet_list_add(list, row + r, column + c, x[k]);
        if (also_transposed)
            pcs_triplet_list_add(list, column + c, row + r, x[k]);
    }
}

static bool has_valid_indices(const matrix *A, int64_t entries)
{
    if (A->mark == COLUMNS_MARK)
        return is_in_range(&A->i, entries, A->rows);
    if (A->mark == ROWS_MARK)
        return is_in_range(&A->i, entries, A->columns);
    return (is_in_range(&A->i, entries, A->rows) && is_in_range(&A->p, entries, A->columns)) ||
           (is_in_range(&A->p, entries, A->rows) && is_in_range(&A->i, entries, A->columns));
}

static pcs_status read_entries(const reader *rd, matrix *A, int64_t *entries)
{
    PCS_TRY(read_numbers(rd, A->group, "p", false, &A->p));
    PCS_TRY(read_numbers(rd, A->group, "i", false, &A->i));
    PCS_TRY(read_numbers(rd, A->group, "x", true, &A->x));
    PCS_TRY(count_matrix(rd, A, entries));
    if (A->i.count < *entries)
        return wrong_count(rd, A->group, "i", A->i.count, *entries);
    if (A->x.count < *entries)
        return wrong_count(rd, A->group, "x", A->x.count, *entries);
    if (!has_valid_indices(A, *entries))
        return damaged(rd, A->group, "has entries outside of the matrix");
    return check_finite(rd, A->group, "x", *entries, A->x.data);
}

// Appends a matrix at (row, column) of the list; *rows and *columns are its size, which must be the
// given one where that is not negative.
static pcs_status append_matrix(const reader *rd, const char *group, int32_t row, int32_t column,
                                bool also_transposed, int32_t *rows, int32_t *columns,
                                pcs_triplet_list *list)
{
    matrix A = {.group = group};
    if (!has_object(rd, group))
        return damaged(rd, group, "is missing");
    PCS_TRY(read_integer(rd, group, "m", 0, &A.rows));
    PCS_TRY(read_integer(rd, group, "n", 0, &A.columns));
    PCS_TRY(read_integer(rd, group, "nz", ROWS_MARK, &A.mark));
    if ((*rows >= 0 && *rows != A.rows) || (*columns >= 0 && *columns != A.columns))
        return pcs_error(rd->ctx, PCS_ERROR_INPUT,
                         "%s: %s is %d x %d, which does not fit the other matrices; write the file "
                         "again",
                         rd->path, group, (int)A.rows, (int)A.columns);
    if (A.rows > INT32_MAX - 1 - row || A.columns > INT32_MAX - 1 - column)
        return damaged(rd, group, "is too large");
    *rows = A.rows;
    *columns = A.columns;
    int64_t entries = 0;
    pcs_status status = read_entries(rd, &A, &entries);
    if (status >= 0)
        status = pcs_triplet_list_reserve(rd->ctx, list, group,
                                          also_transposed ? 2 * entries : entries);
    if (status >= 0)
        add_entries(&A, entries, row, column, also_transposed, list);
    free_matrix(rd->ctx, &A);
    return status;
}

// ---- Problems ----

typedef struct problem_data {
    int32_t dimension, contacts, bilateral_rows;
    pcs_triplet_list M, H; // M: W of a local problem
    double *q, *f, *mu;
} problem_data;

static pcs_status read_sizes(const reader *rd, const char *group, problem_data *data)
{
    PCS_TRY(read_integer(rd, group, "spacedim", INT32_MIN, &data->dimension));
    if (data->dimension != 2 && data->dimension != 3)
        return pcs_error(rd->ctx, PCS_ERROR_INPUT,
                         "%s: %s/spacedim is %d; contacts have 2 or 3 components", rd->path, group,
                         (int)data->dimension);
    return PCS_OK;
}

static pcs_status read_friction(const reader *rd, const char *group, int32_t rows,
                                problem_data *data)
{
    if (rows % data->dimension != 0)
        return pcs_error(rd->ctx, PCS_ERROR_INPUT,
                         "%s: %d contact rows are not a multiple of the dimension %d; write the "
                         "file again",
                         rd->path, (int)rows, (int)data->dimension);
    data->contacts = rows / data->dimension;
    PCS_TRY(append_vector(rd, group, "mu", data->contacts, 0, &data->mu));
    for (int32_t i = 0; i < data->contacts; i++) {
        if (data->mu[i] < 0.0)
            return pcs_error(rd->ctx, PCS_ERROR_INPUT, "%s: %s/mu[%d] is %g; it must be 0 or more",
                             rd->path, group, (int)i, data->mu[i]);
    }
    return PCS_OK;
}

static pcs_status read_local(const reader *rd, problem_data *data, pcs_problem **out)
{
    static const char vectors[] = "/fclib_local/vectors";
    int32_t rows = -1, bilateral = -1;
    PCS_TRY(read_sizes(rd, "/fclib_local", data));
    PCS_TRY(append_matrix(rd, "/fclib_local/W", 0, 0, false, &rows, &data->M.columns, &data->M));
    if (rows != data->M.columns)
        return damaged(rd, "/fclib_local/W", "is not square");
    PCS_TRY(append_vector(rd, vectors, "q", rows, 0, &data->q));
    PCS_TRY(read_friction(rd, vectors, rows, data));
    const bool has_V = has_object(rd, "/fclib_local/V"), has_R = has_object(rd, "/fclib_local/R");
    if (has_V != has_R)
        return damaged(rd, has_V ? "/fclib_local/R" : "/fclib_local/V",
                       "is missing: bilateral rows need V, R and s");
    data->M.rows = data->M.columns = rows;
    if (has_V) {
        PCS_TRY(append_matrix(rd, "/fclib_local/V", 0, rows, true, &rows, &bilateral, &data->M));
        PCS_TRY(append_matrix(rd, "/fclib_local/R", rows, rows, false, &bilateral, &bilateral,
                              &data->M));
        PCS_TRY(append_vector(rd, vectors, "s", bilateral, rows, &data->q));
        data->bilateral_rows = bilateral;
        data->M.rows = data->M.columns = rows + bilateral;
    }
    const pcs_triplets W = pcs_triplet_list_view(&data->M);
    return pcs_problem_create_local(rd->ctx, data->dimension, data->contacts, data->bilateral_rows,
                                    &W, data->q, data->mu, out);
}

static pcs_status read_global(const reader *rd, problem_data *data, pcs_problem **out)
{
    static const char vectors[] = "/fclib_global/vectors";
    int32_t dofs = -1, rows = -1, bilateral = -1;
    PCS_TRY(read_sizes(rd, "/fclib_global", data));
    PCS_TRY(append_matrix(rd, "/fclib_global/M", 0, 0, false, &dofs, &data->M.columns, &data->M));
    if (dofs != data->M.columns)
        return damaged(rd, "/fclib_global/M", "is not square");
    PCS_TRY(append_matrix(rd, "/fclib_global/H", 0, 0, false, &dofs, &rows, &data->H));
    PCS_TRY(append_vector(rd, vectors, "f", dofs, 0, &data->f));
    PCS_TRY(append_vector(rd, vectors, "w", rows, 0, &data->q));
    PCS_TRY(read_friction(rd, vectors, rows, data));
    if (has_object(rd, "/fclib_global/G")) {
        PCS_TRY(append_matrix(rd, "/fclib_global/G", 0, rows, false, &dofs, &bilateral, &data->H));
        PCS_TRY(append_vector(rd, vectors, "b", bilateral, rows, &data->q));
        data->bilateral_rows = bilateral;
    }
    data->M.rows = dofs;
    data->H.rows = dofs;
    data->H.columns = rows + data->bilateral_rows;
    const pcs_triplets M = pcs_triplet_list_view(&data->M), H = pcs_triplet_list_view(&data->H);
    return pcs_problem_create_global(rd->ctx, data->dimension, data->contacts, data->bilateral_rows,
                                     &M, &H, data->f, data->q, data->mu, out);
}

static hid_t open_file(const char *path)
{
    hid_t access_properties = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
#if H5_VERSION_GE(1, 10, 7)
    if (access_properties >= 0 && H5Pset_file_locking(access_properties, false, true) < 0) {
        H5Pclose(access_properties);
        return H5I_INVALID_HID;
    }
#endif
    if (access_properties >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, access_properties);
    pcs_hdf5_close(access_properties);
    return file;
}

static pcs_status read_problem(reader *rd, problem_data *data, pcs_problem **out)
{
    hsize_t size = 0;
    rd->file = open_file(rd->path);
    if (rd->file < 0 || H5Fget_filesize(rd->file, &size) < 0)
        return pcs_hdf5_error(rd->ctx, &rd->guard, rd->path, "read the contact problem");
    rd->file_size = size;
    if (has_object(rd, "/fclib_local"))
        return read_local(rd, data, out);
    if (has_object(rd, "/fclib_global"))
        return read_global(rd, data, out);
    if (has_object(rd, "/fclib_global_rolling") || has_object(rd, "/fclib_local_rolling"))
        return pcs_error(rd->ctx, PCS_ERROR_INPUT,
                         "%s: rolling friction is not supported; give contacts of 2 or 3 "
                         "components",
                         rd->path);
    return pcs_error(rd->ctx, PCS_ERROR_INPUT,
                     "%s: an HDF5 file without /fclib_local and /fclib_global; not a contact "
                     "problem",
                     rd->path);
}

pcs_status pcs_problem_read_fclib(pcs_context *ctx, const char *path, pcs_problem **out)
{
    reader rd = {.ctx = ctx, .path = path, .file = H5I_INVALID_HID};
    problem_data data = {.M = {.columns = -1}};
    *out = NULL;
    pcs_hdf5_enter(&rd.guard);
    pcs_status status = read_problem(&rd, &data, out);
    if (rd.guard.error_number != 0 && status != PCS_ERROR_MEMORY) {
        // A part that the system did not read is not a part that the file does not have.
        status = pcs_hdf5_error(ctx, &rd.guard, path, "read the contact problem");
        pcs_problem_destroy(*out);
        *out = NULL;
    }
    pcs_hdf5_close(rd.file);
    pcs_hdf5_leave(&rd.guard);
    pcs_triplet_list_free(ctx, &data.M);
    pcs_triplet_list_free(ctx, &data.H);
    pcs_free(ctx, data.q);
    pcs_free(ctx, data.f);
    pcs_free(ctx, data.mu);
    if (status < 0 && strncmp(pcs_context_error(ctx), path, strlen(path)) != 0)
        (void)pcs_error_prefix(ctx, status, "%s", path);
    return status;
}

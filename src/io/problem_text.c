// Contact problems in the text formats of Siconos' numerics (docs/problem-file.md):
//     LCP      n; M; q                       MLCP   storages, n, m; [blocks; M; q] [A B C D a b]
//     local    dimension; contacts; W; q; mu [; flag]
//     global   dimension; contacts; M; H; f; w; mu [; flag]
// The files do not say what they are. The first integers tell the classes apart, because the sizes
// of the matrix repeat the sizes before it. What follows the data (a flag, a solution, remarks) is
// not read.
#include <string.h>

#include "io/problem_matrix.h"

enum { ROLLING_DIMENSION = 5, HEAD_MAX = 4 };

// All that the classes read before a problem is made of it.
typedef struct problem_data {
    pcs_triplet_list M, H;
    double *q, *f, *mu;
    uint8_t *equality;
} problem_data;

static void free_data(pcs_context *ctx, problem_data *data)
{
    pcs_triplet_list_free(ctx, &data->M);
    pcs_triplet_list_free(ctx, &data->H);
    pcs_free(ctx, data->q);
    pcs_free(ctx, data->f);
    pcs_free(ctx, data->mu);
    pcs_free(ctx, data->equality);
}

// ---- Friction contact ----

static pcs_status scan_friction(pcs_scan *scan, int32_t contacts, double **mu)
{
    pcs_scan place = *scan;
    PCS_TRY(pcs_scan_vector(scan, "mu", contacts, mu));
    for (int32_t i = 0; i < contacts; i++) {
        const pcs_token_text token = pcs_scan_token(&place);
        if ((*mu)[i] < 0.0)
            return pcs_scan_error(scan, token.text, "mu of contact %d is %g; it must be 0 or more",
                                  (int)i, (*mu)[i]);
    }
    return PCS_OK;
}

// True if a matrix of this size follows, not a vector: its header is three integers, and there are
// more numbers than the vectors of a local problem and its flag.
static bool matrix_follows(const pcs_scan *scan, int32_t rows, int32_t columns, int64_t vectors)
{
    pcs_scan copy = *scan;
    int32_t storage, found_rows, found_columns;
    return pcs_scan_peek_integer(&copy, &storage) && storage >= 0 && storage <= 2 &&
           pcs_scan_peek_integer(&copy, &found_rows) && found_rows == rows &&
           pcs_scan_peek_integer(&copy, &found_columns) && found_columns == columns &&
           pcs_scan_count(scan, vectors + 2) > vectors + 1;
}

static pcs_status scan_global(pcs_scan *scan, int32_t dimension, int32_t contacts,
                              problem_data *data, pcs_problem **out)
{
    const int32_t rows = dimension * contacts, dofs = data->M.rows;
    PCS_TRY(pcs_problem_scan_matrix(scan, "H", dofs, rows, &data->H));
    PCS_TRY(pcs_scan_vector(scan, "f", dofs, &data->f));
    PCS_TRY(pcs_scan_vector(scan, "w", rows, &data->q));
    PCS_TRY(scan_friction(scan, contacts, &data->mu));
    const pcs_triplets M = pcs_triplet_list_view(&data->M), H = pcs_triplet_list_view(&data->H);
    return pcs_problem_create_global(scan->ctx, dimension, contacts, 0, &M, &H, data->f, data->q,
                                     data->mu, out);
}

static pcs_status scan_contacts(pcs_scan *scan, problem_data *data, pcs_problem **out)
{
    int32_t dimension, contacts;
    const char *start = pcs_scan_place(scan);
    PCS_TRY(pcs_scan_integer(scan, "dimension", 0, INT32_MAX, &dimension));
    if (dimension == ROLLING_DIMENSION)
        return pcs_scan_error(scan, start,
                              "dimension 5: rolling friction is not supported; give contacts of 2 "
                              "or 3 components");
    if (dimension != 2 && dimension != 3)
        return pcs_scan_error(scan, start,
                              "dimension %d; contacts have 2 or 3 components (an LCP repeats its "
                              "size behind the storage type)",
                              (int)dimension);
    PCS_TRY(
        pcs_scan_integer(scan, "number of contacts", 0, (INT32_MAX - 1) / dimension, &contacts));
    const int32_t rows = dimension * contacts;
    const char *place = pcs_scan_place(scan);
    PCS_TRY(pcs_problem_scan_matrix(scan, "W", -1, -1, &data->M));
    if (data->M.rows != data->M.columns)
        return pcs_scan_error(scan, place, "W is %d x %d; it must be square", (int)data->M.rows,
                              (int)data->M.columns);
    if (matrix_follows(scan, data->M.rows, rows, (int64_t)rows + contacts))
        return scan_global(scan, dimension, contacts, data, out);
    if (data->M.rows != rows)
        return pcs_scan_error(scan, place,
                              "the matrix has %d rows, but %d contacts of %d components have %d "
                              "(local problem), and no matrix H of size %d x %d follows (global "
                              "problem)",
                              (int)data->M.rows, (int)contacts, (int)dimension, (int)rows,
                              (int)data->M.rows, (int)rows);
    PCS_TRY(pcs_scan_vector(scan, "q", rows, &data->q));
    PCS_TRY(scan_friction(scan, contacts, &data->mu));
    const pcs_triplets W = pcs_triplet_list_view(&data->M);
    return pcs_problem_create_local(scan->ctx, dimension, contacts, 0, &W, data->q, data->mu, out);
}

// ---- LCP ----

// A relay problem is laid out as an LCP with n lower and n upper bounds behind it.
static bool bounds_follow(const pcs_scan *scan, int32_t n)
{
    const int64_t count = 2 * (int64_t)n;
    if (n == 0 || pcs_scan_count(scan, count + 1) != count)
        return false;
    pcs_scan lower = *scan, upper = *scan;
    for (int32_t i = 0; i < n; i++)
        (void)pcs_scan_token(&upper);
    for (int32_t i = 0; i < n; i++) {
        const pcs_token_text a = pcs_scan_token(&lower), b = pcs_scan_token(&upper);
        double low, high;
        if (!pcs_decimal_read(a.text, a.length, &low) ||
            !pcs_decimal_read(b.text, b.length, &high) || !(low <= high))
            return false;
    }
    return true;
}

static pcs_status scan_lcp(pcs_scan *scan, problem_data *data, pcs_problem **out)
{
    int32_t n;
    PCS_TRY(pcs_scan_integer(scan, "size of the LCP", 0, INT32_MAX - 1, &n));
    PCS_TRY(pcs_problem_scan_matrix(scan, "M", n, n, &data->M));
    PCS_TRY(pcs_scan_vector(scan, "q", n, &data->q));
    if (bounds_follow(scan, n))
        return pcs_scan_error(scan, scan->at,
                              "bounds follow q: this is a relay problem, which is not supported; "
                              "write it as an MLCP");
    const pcs_triplets M = pcs_triplet_list_view(&data->M);
    return pcs_problem_create_mlcp(scan->ctx, n, &M, data->q, NULL, out);
}

// ---- MLCP ----

// Ends of blocks of rows, from 0 to n, and whether each holds equalities (0) or complementarity
// rows (1).
static pcs_status scan_row_blocks(pcs_scan *scan, int32_t n, int32_t equalities, uint8_t *equality)
{
    pcs_scan ends = *scan;
    int32_t blocks = 0, end = 0, found = 0;
    PCS_TRY(pcs_scan_integer(scan, "first end of a block of rows", 0, 0, &end));
    for (; end < n; blocks++)
        PCS_TRY(pcs_scan_integer(scan, "end of a block of rows", (int64_t)end + 1, n, &end));
    (void)pcs_scan_token(&ends);
    int32_t row = 0;
    for (int32_t b = 0; b < blocks; b++) {
        int32_t flag;
        PCS_TRY(pcs_scan_integer(scan, "kind of a block of rows (0 equalities, 1 complementarity)",
                                 0, 1, &flag));
        PCS_TRY(pcs_scan_integer(&ends, "end of a block of rows", row, n, &end));
        for (; row < end; row++) {
            equality[row] = flag == 0;
            found += flag == 0;
        }
    }
    if (found != equalities)
        return pcs_scan_error(scan, scan->at,
                              "%d rows are marked as equalities, but the head says %d", (int)found,
                              (int)equalities);
    return PCS_OK;
}

// The parts A (equalities), B (complementarity), C and D by rows: M = [A C; D B] in the order of
// the marked rows. With `data` complete they only have to be there.
static pcs_status scan_parts(pcs_scan *scan, int32_t equalities, int32_t complementarities,
                             bool keep, problem_data *data)
{
    const int32_t n[2] = {equalities, complementarities}, start[2] = {0, equalities};
    static const struct {
        const char *name;
        int32_t row, column;
    } parts[] = {{"A", 0, 0}, {"B", 1, 1}, {"C", 0, 1}, {"D", 1, 0}};
    for (int p = 0; p < 4; p++) {
        const int32_t rows = n[parts[p].row], columns = n[parts[p].column];
        const int64_t count = (int64_t)rows * columns;
        PCS_TRY(pcs_scan_expect(scan, parts[p].name, count, 1));
        for (int64_t k = 0; k < count; k++) {
            double value = 0.0;
            PCS_TRY(pcs_scan_real(scan, parts[p].name, k, count, &value));
            if (!keep || value == 0.0)
                continue;
            PCS_TRY(pcs_triplet_list_reserve(scan->ctx, &data->M, "M", 1));
            pcs_triplet_list_add(&data->M, start[parts[p].row] + (int32_t)(k / columns),
                                 start[parts[p].column] + (int32_t)(k % columns), value);
        }
    }
    double *vector = NULL;
    PCS_TRY(pcs_scan_vector(scan, "a and b", equalities + complementarities, &vector));
    if (keep)
        data->q = vector;
    else
        pcs_free(scan->ctx, vector);
    return PCS_OK;
}

static pcs_status scan_mlcp(pcs_scan *scan, problem_data *data, pcs_problem **out)
{
    int32_t has_matrix, has_parts, equalities, complementarities;
    PCS_TRY(pcs_scan_integer(scan, "mark of the whole matrix", 0, 1, &has_matrix));
    PCS_TRY(pcs_scan_integer(scan, "mark of the parts", 0, 1, &has_parts));
    PCS_TRY(pcs_scan_integer(scan, "number of equalities", 0, INT32_MAX / 2, &equalities));
    PCS_TRY(pcs_scan_integer(scan, "number of complementarity rows", 0, INT32_MAX / 2,
                             &complementarities));
    const int32_t n = equalities + complementarities;
    if (!has_matrix && !has_parts)
        return pcs_scan_error(scan, scan->at,
                              "an MLCP with neither a whole matrix nor parts; one of the first two "
                              "numbers must be 1");
    PCS_TRY(pcs_scan_expect(scan, "q", n, 1));
    data->equality = PCS_NEW_ARRAY(scan->ctx, uint8_t, n);
    if (!data->equality)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < equalities; i++)
        data->equality[i] = 1;
    if (has_matrix) {
        memset(data->equality, 0, (size_t)n);
        PCS_TRY(scan_row_blocks(scan, n, equalities, data->equality));
        PCS_TRY(pcs_problem_scan_matrix(scan, "M", n, n, &data->M));
        PCS_TRY(pcs_scan_vector(scan, "q", n, &data->q));
    }
    data->M.rows = data->M.columns = n;
    if (has_parts)
        PCS_TRY(scan_parts(scan, equalities, complementarities, !has_matrix, data));
    const pcs_triplets M = pcs_triplet_list_view(&data->M);
    return pcs_problem_create_mlcp(scan->ctx, n, &M, data->q, data->equality, out);
}

// ---- Which class ----

// The integers at the beginning, as many as there are without another word between.
typedef struct head {
    int32_t value[HEAD_MAX];
    int32_t count;
} head;

// True if the k-th token of the file is there and not a number.
static bool is_word_at(const pcs_scan *scan, int32_t k)
{
    pcs_scan copy = *scan;
    double number;
    for (int32_t i = 0; i < k; i++)
        (void)pcs_scan_token(&copy);
    const pcs_token_text token = pcs_scan_token(&copy);
    return token.length > 0 && !pcs_decimal_read(token.text, token.length, &number);
}

// "n storage n n". In two dimensions a friction problem with a sparse matrix may begin with the
// same integers, "2 contacts 2 2 2 format"; then the first word is behind the format.
static bool is_lcp(const head *h, const pcs_scan *scan)
{
    const int32_t *v = h->value;
    if (h->count < 4 || v[1] < 0 || v[1] > 2 || v[2] != v[0] || v[3] != v[0])
        return false;
    return v[0] != 2 || is_word_at(scan, 5) || !is_word_at(scan, 6);
}

// "marks, n, m" and, with a whole matrix, the ends of blocks of rows from 0 to n + m.
static bool is_mlcp(const head *h, const pcs_scan *scan)
{
    const int32_t *v = h->value;
    if (h->count < 4 || v[0] < 0 || v[0] > 1 || v[1] < 0 || v[1] > 1 || v[2] < 0 || v[3] < 0)
        return false;
    if (v[0] == 0)
        return v[1] == 1;
    pcs_scan copy = *scan;
    for (int i = 0; i < 4; i++)
        (void)pcs_scan_token(&copy);
    const int64_t n = (int64_t)v[2] + v[3];
    int32_t end = -1, next;
    while (end < n && pcs_scan_peek_integer(&copy, &next)) {
        if (next <= end || (end < 0 && next != 0))
            return false;
        end = next;
    }
    return end == n;
}

static pcs_status scan_problem(pcs_scan *scan, problem_data *data, pcs_problem **out)
{
    head h = {.count = 0};
    pcs_scan copy = *scan;
    while (h.count < HEAD_MAX && pcs_scan_peek_integer(&copy, &h.value[h.count]))
        h.count++;
    if (h.count < 2)
        return pcs_scan_error(scan, scan->at,
                              "not a contact problem: two or more integers must come first");
    if (is_mlcp(&h, scan))
        return scan_mlcp(scan, data, out);
    if (is_lcp(&h, scan))
        return scan_lcp(scan, data, out);
    const int32_t *v = h.value;
    const bool like_lcp = h.count >= 4 && v[1] >= 0 && v[1] <= 2 && v[0] != ROLLING_DIMENSION &&
                          (v[2] == v[0] || v[3] == v[0]) && v[0] != 2 && v[0] != 3;
    if (like_lcp)
        return scan_lcp(scan, data, out);
    return v[0] == 0 || v[0] == 1 ? scan_mlcp(scan, data, out) : scan_contacts(scan, data, out);
}

pcs_status pcs_problem_read_text(pcs_context *ctx, const char *name, const char *text,
                                 size_t length, pcs_problem **out)
{
    *out = NULL;
    if (length == 0)
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: the file is empty", name);
    pcs_scan scan = {.ctx = ctx, .name = name, .start = text, .at = text, .end = text + length};
    if (memchr(text, '\0', length))
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s: a binary file, but not in HDF5 format; give a contact problem as "
                         "text or in FCLIB's format",
                         name);
    problem_data data = {0};
    pcs_status status = scan_problem(&scan, &data, out);
    free_data(ctx, &data);
    // Everything with a line is found above; what is left concerns the whole problem.
    const char *recorded = pcs_context_error(ctx);
    if (status < 0 && strncmp(recorded, name, strlen(name)) != 0)
        (void)pcs_error_prefix(ctx, status, "%s", name);
    return status;
}

// Matrices of contact-problem texts:
//     0  dense      rows columns, again, values by columns
//     1  blocks     by block rows: ends of rows and columns, pointers, block columns, then each
//                   block's number and its values by columns
//     2  sparse     what CSparse prints: triplets, or columns with their locations
// Sizes are believed only as far as the rest of the text could hold as many numbers.
#include "io/problem_matrix.h"

#include <string.h>

enum { STORAGE_DENSE = 0, STORAGE_BLOCKS = 1, STORAGE_SPARSE = 2 };
enum { ORIGIN_TRIPLETS = 1, ORIGIN_COLUMNS = 2, ORIGIN_ROWS = 3 };
// CSparse prints two lines of header; files of several versions have up to three.
enum { HEADER_LINES_MAX = 4 };

// ---- Triplets ----

pcs_status pcs_triplet_list_reserve(pcs_context *ctx, pcs_triplet_list *list, const char *name,
                                    int64_t more)
{
    int64_t needed = list->count + more;
    if (needed <= list->capacity)
        return PCS_OK;
    if (needed > INT32_MAX)
        return pcs_error(ctx, PCS_ERROR_MEMORY, "%s has more than 2^31 - 1 entries", name);
    if (needed < 2 * (int64_t)list->capacity)
        needed = 2 * (int64_t)list->capacity < INT32_MAX ? 2 * (int64_t)list->capacity : INT32_MAX;
    int32_t *row = pcs_realloc(ctx, list->row, (size_t)needed, sizeof *row);
    if (!row)
        return PCS_ERROR_MEMORY;
    list->row = row;
    int32_t *column = pcs_realloc(ctx, list->column, (size_t)needed, sizeof *column);
    if (!column)
        return PCS_ERROR_MEMORY;
    list->column = column;
    double *value = pcs_realloc(ctx, list->value, (size_t)needed, sizeof *value);
    if (!value)
        return PCS_ERROR_MEMORY;
    list->value = value;
    list->capacity = (int32_t)needed;
    return PCS_OK;
}

void pcs_triplet_list_free(pcs_context *ctx, pcs_triplet_list *list)
{
    pcs_free(ctx, list->row);
    pcs_free(ctx, list->column);
    pcs_free(ctx, list->value);
    memset(list, 0, sizeof *list);
}

pcs_triplets pcs_triplet_list_view(const pcs_triplet_list *list)
{
    return (pcs_triplets){.rows = list->rows,
                          .columns = list->columns,
                          .count = list->count,
                          .row = list->row,
                          .column = list->column,
                          .value = list->value};
}

// ---- Dense ----

static pcs_status scan_dense(pcs_scan *scan, const char *name, pcs_triplet_list *list)
{
    int32_t rows, columns;
    const char *place = pcs_scan_place(scan);
    PCS_TRY(pcs_scan_integer(scan, "number of rows", 0, INT32_MAX, &rows));
    PCS_TRY(pcs_scan_integer(scan, "number of columns", 0, INT32_MAX, &columns));
    if (rows != list->rows || columns != list->columns)
        return pcs_scan_error(scan, place,
                              "%s is said to be %d x %d here and %d x %d above; the two lines must "
                              "agree",
                              name, (int)rows, (int)columns, (int)list->rows, (int)list->columns);
    const int64_t count = (int64_t)rows * columns;
    PCS_TRY(pcs_scan_expect(scan, name, count, 1));
    for (int32_t j = 0; j < columns; j++) {
        PCS_TRY(pcs_triplet_list_reserve(scan->ctx, list, name, rows));
        for (int32_t i = 0; i < rows; i++) {
            double value = 0.0;
            PCS_TRY(pcs_scan_real(scan, name, (int64_t)j * rows + i, count, &value));
            if (value != 0.0)
                pcs_triplet_list_add(list, i, j, value);
        }
    }
    return PCS_OK;
}

// ---- Blocks ----

typedef struct block_layout {
    int32_t blocks, block_rows, block_columns, filled_rows;
    int32_t *row_end, *column_end, *pointer, *index;
} block_layout;

static void free_layout(pcs_context *ctx, block_layout *layout)
{
    pcs_free(ctx, layout->row_end);
    pcs_free(ctx, layout->column_end);
    pcs_free(ctx, layout->pointer);
    pcs_free(ctx, layout->index);
}

// `count` ascending integers that end at `last`; the first is `first` or more.
static pcs_status scan_ascending(pcs_scan *scan, const char *what, int32_t count, int64_t first,
                                 int32_t last, int32_t **out)
{
    PCS_TRY(pcs_scan_expect(scan, what, count, 1));
    *out = PCS_NEW_ARRAY(scan->ctx, int32_t, count);
    if (!*out)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < count; i++) {
        PCS_TRY(pcs_scan_integer(scan, what, first, last, &(*out)[i]));
        first = (*out)[i];
    }
    if (first != last)
        return pcs_scan_error(scan, scan->at, "the last %s is %d; it must be %d", what, (int)first,
                              (int)last);
    return PCS_OK;
}

static pcs_status scan_layout(pcs_scan *scan, const pcs_triplet_list *list, block_layout *layout)
{
    int32_t filled;
    PCS_TRY(pcs_scan_integer(scan, "number of blocks", 0, INT32_MAX, &layout->blocks));
    PCS_TRY(pcs_scan_integer(scan, "number of block rows", 0, list->rows, &layout->block_rows));
    PCS_TRY(pcs_scan_integer(scan, "number of block columns", 0, list->columns,
                             &layout->block_columns));
    PCS_TRY(scan_ascending(scan, "end of a block row", layout->block_rows, 0, list->rows,
                           &layout->row_end));
    PCS_TRY(scan_ascending(scan, "end of a block column", layout->block_columns, 0, list->columns,
                           &layout->column_end));
    // Trailing empty block rows may be left out.
    PCS_TRY(pcs_scan_integer(scan, "number of block row pointers", 1,
                             (int64_t)layout->block_rows + 1, &filled));
    layout->filled_rows = filled - 1;
    PCS_TRY(
        pcs_scan_integer(scan, "number of stored blocks", layout->blocks, layout->blocks, &filled));
    PCS_TRY(scan_ascending(scan, "block row pointer", layout->filled_rows + 1, 0, layout->blocks,
                           &layout->pointer));
    if (layout->pointer[0] != 0)
        return pcs_scan_error(scan, scan->at, "the first block row pointer is %d; it must be 0",
                              (int)layout->pointer[0]);
    PCS_TRY(pcs_scan_expect(scan, "the block columns", layout->blocks, 1));
    layout->index = PCS_NEW_ARRAY(scan->ctx, int32_t, layout->blocks);
    if (!layout->index)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < layout->blocks; k++)
        PCS_TRY(pcs_scan_integer(scan, "block column", 0, (int64_t)layout->block_columns - 1,
                                 &layout->index[k]));
    return PCS_OK;
}

static pcs_status scan_block(pcs_scan *scan, const char *name, const block_layout *layout,
                             int32_t i, int32_t k, pcs_triplet_list *list)
{
    int32_t number;
    const int32_t j = layout->index[k];
    const int32_t row = i > 0 ? layout->row_end[i - 1] : 0;
    const int32_t column = j > 0 ? layout->column_end[j - 1] : 0;
    const int32_t rows = layout->row_end[i] - row, columns = layout->column_end[j] - column;
    const int64_t count = (int64_t)rows * columns;
    PCS_TRY(pcs_scan_integer(scan, "number of the block", k, k, &number));
    PCS_TRY(pcs_scan_expect(scan, name, count, 1));
    PCS_TRY(pcs_triplet_list_reserve(scan->ctx, list, name, count));
    for (int32_t c = 0; c < columns; c++) {
        for (int32_t r = 0; r < rows; r++) {
            double value = 0.0;
            PCS_TRY(pcs_scan_real(scan, name, (int64_t)c * rows + r, count, &value));
            pcs_triplet_list_add(list, row + r, column + c, value);
        }
    }
    return PCS_OK;
}

static pcs_status scan_blocks(pcs_scan *scan, const char *name, pcs_triplet_list *list)
{
    block_layout layout = {0};
    pcs_status status = scan_layout(scan, list, &layout);
    for (int32_t i = 0; status >= 0 && i < layout.filled_rows; i++) {
        for (int32_t k = layout.pointer[i]; status >= 0 && k < layout.pointer[i + 1]; k++)
            status = scan_block(scan, name, &layout, i, k, list);
    }
    free_layout(scan->ctx, &layout);
    return status;
}

// ---- Sparse ----

static const char *line_end(const pcs_scan *scan, const char *at)
{
    const char *end = memchr(at, '\n', (size_t)(scan->end - at));
    return end ? end : scan->end;
}

static const char *find_text(const char *at, const char *end, const char *text)
{
    const size_t length = strlen(text);
    for (; (size_t)(end - at) >= length; at++) {
        if (memcmp(at, text, length) == 0)
            return at;
    }
    return NULL;
}

// Moves to the line "[triplet: ]m-by-n, nzmax: a nnz: b[, 1-norm: c]", past the line of CSparse's
// version, and reads it. The scanner is left behind that line.
static pcs_status scan_sparse_header(pcs_scan *scan, const char *name, const pcs_triplet_list *list,
                                     bool *is_triplet, int32_t *entries)
{
    const char *first = scan->at, *end = line_end(scan, scan->at), *by = NULL;
    for (int i = 0; i < HEADER_LINES_MAX && scan->at < scan->end; i++) {
        by = find_text(scan->at, end, "-by-");
        if (by)
            break;
        scan->at = end < scan->end ? end + 1 : end;
        end = line_end(scan, scan->at);
    }
    if (!by)
        return pcs_scan_error(scan, first,
                              "%s is sparse, but no line 'm-by-n, nzmax: a nnz: b' follows", name);
    *is_triplet = pcs_scan_word(scan, "triplet:");
    pcs_scan head = *scan, size = *scan, rest = *scan;
    size.end = by;
    head.at = by + 4;
    const char *comma = memchr(head.at, ',', (size_t)(end - head.at));
    const char *nnz = find_text(head.at, end, "nnz:");
    if (!comma || !nnz)
        return pcs_scan_error(scan, by, "the size line of %s must read 'm-by-n, nzmax: a nnz: b'",
                              name);
    head.end = comma;
    int32_t rows, columns;
    PCS_TRY(pcs_scan_index(&size, "number of rows", 0, INT32_MAX, &rows));
    PCS_TRY(pcs_scan_index(&head, "number of columns", 0, INT32_MAX, &columns));
    if (rows != list->rows || columns != list->columns)
        return pcs_scan_error(scan, by,
                              "%s is said to be %d x %d here and %d x %d above; the two must agree "
                              "(from 1e6 on this format drops digits: use FCLIB)",
                              name, (int)rows, (int)columns, (int)list->rows, (int)list->columns);
    rest.at = nnz + 4;
    rest.end = memchr(rest.at, ',', (size_t)(end - rest.at));
    if (!rest.end)
        rest.end = end;
    PCS_TRY(pcs_scan_index(&rest, "number of entries", 0, INT32_MAX, entries));
    scan->at = end;
    return PCS_OK;
}

static pcs_status expect_word(pcs_scan *scan, const char *name, const char *word)
{
    if (pcs_scan_word(scan, word))
        return PCS_OK;
    const pcs_token_text token = pcs_scan_token(scan);
    return pcs_scan_error(scan, token.text,
                          token.length == 0 ? "the file ends in the middle of %s, before '%s'; it "
                                              "is cut off: copy or write it again"
                                            : "%s: expected '%s' here; check the number of entries "
                                              "above",
                          name, word);
}

static pcs_status scan_triplets(pcs_scan *scan, const char *name, int32_t entries,
                                pcs_triplet_list *list)
{
    PCS_TRY(pcs_scan_expect(scan, name, entries, 4)); // "i j : value"
    PCS_TRY(pcs_triplet_list_reserve(scan->ctx, list, name, entries));
    for (int32_t k = 0; k < entries; k++) {
        int32_t i, j;
        double value = 0.0;
        PCS_TRY(pcs_scan_index(scan, "row of an entry", 0, (int64_t)list->rows - 1, &i));
        PCS_TRY(pcs_scan_index(scan, "column of an entry", 0, (int64_t)list->columns - 1, &j));
        PCS_TRY(expect_word(scan, name, ":"));
        PCS_TRY(pcs_scan_real(scan, name, k, entries, &value));
        pcs_triplet_list_add(list, i, j, value);
    }
    return PCS_OK;
}

// "col j : locations a to b", then b - a + 1 times "i : value"; with rows, j is a row and i a
// column.
static pcs_status scan_columns(pcs_scan *scan, const char *name, bool by_rows, int32_t entries,
                               pcs_triplet_list *list)
{
    const int32_t major = by_rows ? list->rows : list->columns;
    const int32_t minor = by_rows ? list->columns : list->rows;
    PCS_TRY(pcs_scan_expect(scan, name, entries, 3)); // "i : value"
    PCS_TRY(pcs_triplet_list_reserve(scan->ctx, list, name, entries));
    int32_t done = 0;
    for (int32_t j = 0; j < major; j++) {
        int32_t number, from, to, i;
        if (!pcs_scan_word(scan, "row"))
            PCS_TRY(expect_word(scan, name, "col"));
        PCS_TRY(pcs_scan_index(scan, "number of the column", j, j, &number));
        PCS_TRY(expect_word(scan, name, ":"));
        PCS_TRY(expect_word(scan, name, "locations"));
        PCS_TRY(pcs_scan_index(scan, "first location", done, done, &from));
        PCS_TRY(expect_word(scan, name, "to"));
        PCS_TRY(
            pcs_scan_index(scan, "last location", (int64_t)done - 1, (int64_t)entries - 1, &to));
        for (; done <= to; done++) {
            double value = 0.0;
            PCS_TRY(pcs_scan_index(scan, "index of an entry", 0, (int64_t)minor - 1, &i));
            PCS_TRY(expect_word(scan, name, ":"));
            PCS_TRY(pcs_scan_real(scan, name, done, entries, &value));
            pcs_triplet_list_add(list, by_rows ? j : i, by_rows ? i : j, value);
        }
    }
    if (done != entries)
        return pcs_scan_error(scan, scan->at, "%s has %d entries; %d are announced", name,
                              (int)done, (int)entries);
    return PCS_OK;
}

static pcs_status scan_sparse(pcs_scan *scan, const char *name, pcs_triplet_list *list)
{
    int32_t origin, entries;
    bool is_triplet = false;
    PCS_TRY(pcs_scan_integer(scan, "sparse format (1 triplets, 2 by columns, 3 by rows)",
                             ORIGIN_TRIPLETS, ORIGIN_ROWS, &origin));
    PCS_TRY(scan_sparse_header(scan, name, list, &is_triplet, &entries));
    return is_triplet ? scan_triplets(scan, name, entries, list)
                      : scan_columns(scan, name, origin == ORIGIN_ROWS, entries, list);
}

pcs_status pcs_problem_scan_matrix(pcs_scan *scan, const char *name, int32_t rows, int32_t columns,
                                   pcs_triplet_list *list)
{
    int32_t storage;
    const char *place = pcs_scan_place(scan);
    PCS_TRY(pcs_scan_integer(scan, "storage type of a matrix (0 dense, 1 blocks, 2 sparse)",
                             STORAGE_DENSE, STORAGE_SPARSE, &storage));
    PCS_TRY(pcs_scan_integer(scan, "number of rows", 0, INT32_MAX - 1, &list->rows));
    PCS_TRY(pcs_scan_integer(scan, "number of columns", 0, INT32_MAX - 1, &list->columns));
    if (rows >= 0 && (list->rows != rows || list->columns != columns))
        return pcs_scan_error(scan, place, "%s is %d x %d; the sizes before it ask for %d x %d",
                              name, (int)list->rows, (int)list->columns, (int)rows, (int)columns);
    switch (storage) {
    case STORAGE_DENSE:
        return scan_dense(scan, name, list);
    case STORAGE_BLOCKS:
        return scan_blocks(scan, name, list);
    default:
        return scan_sparse(scan, name, list);
    }
}

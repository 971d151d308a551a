// Contact problems as objects: creation from triplets with all checks, sizes, views. Local problems
// become a block matrix whose pattern is symmetric and holds every diagonal block, because the
// solvers walk rows and columns by the same lists: blocks that only one of (i,j), (j,i) had are
// completed by a block of zeros.
#include "nonsmooth/problem.h"

#include <math.h>
#include <string.h>

// LCP and MLCP are stored dense; the largest one fills 3.2 GB.
enum { MLCP_ROWS_MAX = 20000 };

// ---- Checks ----

static pcs_status check_vector(pcs_context *ctx, const char *name, int32_t count, const double *x)
{
    if (count > 0 && !x)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact problem: %s is missing", name);
    for (int32_t i = 0; i < count; i++) {
        if (!isfinite(x[i]))
            return pcs_error(ctx, PCS_ERROR_NUMERIC,
                             "contact problem: %s[%d] is %s; all data must be finite", name, (int)i,
                             isnan(x[i]) ? "not a number" : "infinite");
    }
    return PCS_OK;
}

static pcs_status check_friction(pcs_context *ctx, int32_t contacts, const double *mu)
{
    PCS_TRY(check_vector(ctx, "mu", contacts, mu));
    for (int32_t i = 0; i < contacts; i++) {
        if (mu[i] < 0.0)
            return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                             "contact problem: mu of contact %d is %g; give 0 or more", (int)i,
                             mu[i]);
    }
    return PCS_OK;
}

static pcs_status check_triplets(pcs_context *ctx, const char *name, const pcs_triplets *A,
                                 int32_t rows, int32_t columns)
{
    if (!A || A->rows != rows || A->columns != columns)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact problem: %s is %d x %d, not %d x %d",
                         name, A ? (int)A->rows : 0, A ? (int)A->columns : 0, (int)rows,
                         (int)columns);
    if (A->count < 0 || (A->count > 0 && (!A->row || !A->column)))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact problem: the entries of %s are missing",
                         name);
    for (int32_t t = 0; t < A->count; t++) {
        const int32_t i = A->row[t], j = A->column[t];
        if (i < 0 || i >= rows || j < 0 || j >= columns)
            return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                             "contact problem: entry (%d, %d) lies outside of %s (%d x %d)", (int)i,
                             (int)j, name, (int)rows, (int)columns);
    }
    return check_vector(ctx, name, A->count, A->value);
}

// Rows of r and u in all; -1 if that is no number of rows.
static int32_t count_rows(int32_t dimension, int32_t contacts, int32_t bilateral_rows)
{
    if (contacts < 0 || bilateral_rows < 0)
        return -1;
    const int64_t rows = (int64_t)dimension * contacts + bilateral_rows;
    return rows < INT32_MAX ? (int32_t)rows : -1;
}

static pcs_status check_sizes(pcs_context *ctx, int32_t dimension, int32_t contacts,
                              int32_t bilateral_rows)
{
    if (dimension != 2 && dimension != 3)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "contact problem: dimension %d; contacts have 2 or 3 components",
                         (int)dimension);
    if (count_rows(dimension, contacts, bilateral_rows) < 0)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "contact problem: %d contacts and %d bilateral rows; both must be 0 or "
                         "more, and all rows less than 2^31",
                         (int)contacts, (int)bilateral_rows);
    return PCS_OK;
}

// ---- Construction ----

static double *copy_vector(pcs_context *ctx, int32_t count, const double *x)
{
    double *copy = PCS_NEW_ARRAY(ctx, double, count);
    if (copy && count > 0)
        memcpy(copy, x, sizeof(double) * (size_t)count);
    return copy;
}

pcs_problem *pcs_problem_new(pcs_context *ctx)
{
    pcs_problem *problem = PCS_NEW(ctx, pcs_problem);
    if (!problem)
        return NULL;
    problem->ctx = ctx;
    problem->work = PCS_NEW(ctx, pcs_problem_work);
    if (!problem->work) {
        pcs_problem_destroy(problem);
        return NULL;
    }
    pcs_arena_init(&problem->work->arena, ctx);
    return problem;
}

static pcs_problem *new_problem(pcs_context *ctx, pcs_problem_class problem_class,
                                int32_t dimension, int32_t contacts, int32_t bilateral_rows,
                                const double *q)
{
    pcs_problem *problem = pcs_problem_new(ctx);
    if (!problem)
        return NULL;
    problem->problem_class = problem_class;
    problem->dimension = dimension;
    problem->contacts = contacts;
    problem->bilateral_rows = bilateral_rows;
    problem->rows = count_rows(dimension, contacts, bilateral_rows);
    problem->q = copy_vector(ctx, problem->rows, q);
    if (problem->q)
        return problem;
    pcs_problem_destroy(problem);
    return NULL;
}

// mu and kind of each block; false when memory is out.
static bool set_blocks(pcs_problem *problem, const double *mu)
{
    const int32_t contacts = problem->contacts, n = contacts + problem->bilateral_rows;
    problem->mu = PCS_NEW_ARRAY(problem->ctx, double, n);
    problem->kind = PCS_NEW_ARRAY(problem->ctx, uint8_t, n);
    if (!problem->mu || !problem->kind)
        return false;
    if (contacts > 0)
        memcpy(problem->mu, mu, sizeof(double) * (size_t)contacts);
    for (int32_t b = contacts; b < n; b++)
        problem->kind[b] = PCS_BLOCK_BILATERAL;
    return true;
}

void pcs_problem_destroy(pcs_problem *problem)
{
    if (!problem)
        return;
    pcs_context *ctx = problem->ctx;
    pcs_free(ctx, problem->q);
    pcs_free(ctx, problem->mu);
    pcs_free(ctx, problem->kind);
    pcs_free(ctx, problem->M_dense);
    pcs_free(ctx, (void *)problem->W.offset);
    pcs_free(ctx, (void *)problem->W.row_start);
    pcs_free(ctx, (void *)problem->W.column);
    pcs_free(ctx, (void *)problem->W.value_start);
    pcs_free(ctx, (void *)problem->W.diagonal);
    pcs_free(ctx, problem->W.value);
    pcs_sparse_destroy(ctx, &problem->M);
    pcs_sparse_destroy(ctx, &problem->H);
    pcs_free(ctx, problem->f);
    if (problem->work) {
        pcs_arena_free(&problem->work->arena);
        pcs_tasks_destroy(problem->work->tasks);
    }
    pcs_free(ctx, problem->work);
    pcs_free(ctx, problem);
}

// ---- Block matrix of a local problem ----

// Work space and growing parts of the block matrix.
typedef struct block_builder {
    const pcs_problem *problem;
    const pcs_triplets *A;
    int32_t n;
    int32_t *offset, *row_start, *column, *diagonal;
    int64_t *value_start;
    int64_t *pair_start; // n+1: candidates of block row i, with repetitions
    int32_t *pair;
    int32_t *mark; // n: last row in which a column was seen
} block_builder;

static int32_t block_of(const pcs_problem *problem, int32_t row)
{
    const int32_t contact_rows = problem->dimension * problem->contacts;
    return row < contact_rows ? row / problem->dimension : problem->contacts + (row - contact_rows);
}

// Visits the block pair of every triplet, both ways, consecutive repetitions once. The first visit
// counts the candidates of each block row, the second one stores them.
static void visit_pairs(block_builder *b, bool store)
{
    int32_t last_i = -1, last_j = -1;
    for (int32_t t = 0; t < b->A->count; t++) {
        const int32_t i = block_of(b->problem, b->A->row[t]);
        const int32_t j = block_of(b->problem, b->A->column[t]);
        if (i == last_i && j == last_j)
            continue;
        last_i = i;
        last_j = j;
        if (i == j)
            continue; // every diagonal block is there anyway
        if (store) {
            b->pair[b->pair_start[i]++] = j;
            b->pair[b->pair_start[j]++] = i;
        } else {
            b->pair_start[i + 1]++;
            b->pair_start[j + 1]++;
        }
    }
}

// row_start <- entries of each block row; pairs are reduced to the different ones, still unsorted.
static pcs_status count_entries(block_builder *b)
{
    int64_t entries = 0, from = 0, kept = 0;
    for (int32_t i = 0; i < b->n; i++) {
        const int64_t end = b->pair_start[i]; // visit_pairs moved it to the row's end
        b->mark[i] = i;
        const int64_t first = kept;
        for (int64_t p = from; p < end; p++) {
            const int32_t j = b->pair[p];
            if (b->mark[j] == i)
                continue;
            b->mark[j] = i;
            b->pair[kept++] = j;
        }
        entries += 1 + kept - first;
        if (entries > INT32_MAX)
            return pcs_error(b->problem->ctx, PCS_ERROR_MEMORY,
                             "contact problem: W has more than 2^31 blocks");
        b->row_start[i + 1] = (int32_t)entries;
        from = end;
    }
    return PCS_OK;
}

// The pattern is symmetric: walking the rows in ascending order and appending i to each of row i's
// columns leaves every row sorted.
static void sort_columns(block_builder *b)
{
    int32_t *next = b->mark;
    memcpy(next, b->row_start, sizeof(int32_t) * (size_t)b->n);
    int64_t p = 0;
    for (int32_t i = 0; i < b->n; i++) {
        const int64_t others = b->row_start[i + 1] - b->row_start[i] - 1;
        b->diagonal[i] = next[i];
        b->column[next[i]++] = i;
        for (int64_t end = p + others; p < end; p++) {
            const int32_t j = b->pair[p];
            b->column[next[j]++] = i;
        }
    }
}

static void set_value_starts(block_builder *b)
{
    int64_t values = 0;
    for (int32_t i = 0; i < b->n; i++) {
        const int64_t rows = b->offset[i + 1] - b->offset[i];
        for (int32_t e = b->row_start[i]; e < b->row_start[i + 1]; e++) {
            const int32_t j = b->column[e];
            b->value_start[e] = values;
            values += rows * (b->offset[j + 1] - b->offset[j]);
        }
    }
    b->value_start[b->row_start[b->n]] = values;
}

static int32_t find_entry(const block_builder *b, int32_t i, int32_t j)
{
    int32_t low = b->row_start[i], high = b->row_start[i + 1] - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (b->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_values(const block_builder *b, double *value)
{
    int32_t last_i = -1, last_j = -1, entry = 0;
    for (int32_t t = 0; t < b->A->count; t++) {
        const int32_t row = b->A->row[t], column = b->A->column[t];
        const int32_t i = block_of(b->problem, row), j = block_of(b->problem, column);
        if (i != last_i || j != last_j)
            entry = find_entry(b, i, j);
        last_i = i;
        last_j = j;
        const int64_t width = b->offset[j + 1] - b->offset[j];
        value[b->value_start[entry] + (row - b->offset[i]) * width + (column - b->offset[j])] +=
            b->A->value[t];
    }
}

// Allocates all parts whose size is known from the number of blocks.
static bool begin_blocks(block_builder *b)
{
    pcs_context *ctx = b->problem->ctx;
    const int32_t n = b->n, d = b->problem->dimension, contacts = b->problem->contacts;
    b->offset = PCS_NEW_ARRAY(ctx, int32_t, (int64_t)n + 1);
    b->row_start = PCS_NEW_ARRAY(ctx, int32_t, (int64_t)n + 1);
    b->diagonal = PCS_NEW_ARRAY(ctx, int32_t, n);
    b->mark = PCS_NEW_ARRAY(ctx, int32_t, n);
    b->pair_start = PCS_NEW_ARRAY(ctx, int64_t, (int64_t)n + 1);
    if (!b->offset || !b->row_start || !b->diagonal || !b->mark || !b->pair_start)
        return false;
    for (int32_t i = 0; i < n; i++) {
        b->offset[i + 1] = b->offset[i] + (i < contacts ? d : 1);
        b->mark[i] = -1;
    }
    visit_pairs(b, false);
    for (int32_t i = 0; i < n; i++)
        b->pair_start[i + 1] += b->pair_start[i];
    b->pair = PCS_NEW_ARRAY(ctx, int32_t, b->pair_start[n]);
    return b->pair != NULL;
}

// W of the problem from triplets. Whatever fails, all parts belong to the problem at the end.
static pcs_status set_local_matrix(pcs_problem *problem, const pcs_triplets *A)
{
    pcs_context *ctx = problem->ctx;
    block_builder b = {
        .problem = problem, .A = A, .n = problem->contacts + problem->bilateral_rows};
    double *value = NULL;
    pcs_status status = PCS_ERROR_MEMORY;
    if (begin_blocks(&b)) {
        visit_pairs(&b, true);
        status = count_entries(&b);
    }
    if (status >= 0) {
        const int32_t entries = b.row_start[b.n];
        b.column = PCS_NEW_ARRAY(ctx, int32_t, entries);
        b.value_start = PCS_NEW_ARRAY(ctx, int64_t, (int64_t)entries + 1);
        status = b.column && b.value_start ? PCS_OK : PCS_ERROR_MEMORY;
    }
    if (status >= 0) {
        sort_columns(&b);
        set_value_starts(&b);
        value = PCS_NEW_ARRAY(ctx, double, b.value_start[b.row_start[b.n]]);
        status = value ? PCS_OK : PCS_ERROR_MEMORY;
    }
    if (status >= 0)
        add_values(&b, value);
    pcs_free(ctx, b.mark);
    pcs_free(ctx, b.pair);
    pcs_free(ctx, b.pair_start);
    problem->W = (pcs_block_matrix){.n = b.n,
                                    .offset = b.offset,
                                    .row_start = b.row_start,
                                    .column = b.column,
                                    .value_start = b.value_start,
                                    .diagonal = b.diagonal,
                                    .value = value};
    return status;
}

// ---- The three constructors ----

// Sums of duplicates may overflow although every entry is finite.
static pcs_status check_sums(pcs_problem *problem)
{
    pcs_context *ctx = problem->ctx;
    const int32_t n = problem->rows;
    switch (problem->problem_class) {
    case PCS_PROBLEM_LOCAL: {
        const pcs_block_matrix *W = &problem->W;
        const int64_t count = W->value_start[W->row_start[W->n]];
        for (int64_t k = 0; k < count; k++) {
            if (!isfinite(W->value[k]))
                return pcs_error(ctx, PCS_ERROR_NUMERIC,
                                 "contact problem: duplicate entries of W "
                                 "add up to infinity");
        }
        return PCS_OK;
    }
    case PCS_PROBLEM_GLOBAL:
        PCS_TRY(check_vector(ctx, "M", problem->M.pattern.start[problem->M.pattern.n_columns],
                             problem->M.value));
        return check_vector(ctx, "H", problem->H.pattern.start[problem->H.pattern.n_columns],
                            problem->H.value);
    default:
        for (int64_t k = 0; k < (int64_t)n * n; k++) {
            if (!isfinite(problem->M_dense[k]))
                return pcs_error(ctx, PCS_ERROR_NUMERIC,
                                 "contact problem: duplicate entries of M "
                                 "add up to infinity");
        }
        return PCS_OK;
    }
}

// Hands over a finished problem, or destroys a half-made one.
static pcs_status finish(pcs_problem *problem, pcs_status status, pcs_problem **out)
{
    if (status >= 0)
        status = check_sums(problem);
    problem->is_checked = status >= 0;
    if (status >= 0)
        *out = problem;
    else
        pcs_problem_destroy(problem);
    return status;
}

pcs_status pcs_problem_create_mlcp(pcs_context *ctx, int32_t n, const pcs_triplets *M,
                                   const double *q, const uint8_t *equality, pcs_problem **out)
{
    *out = NULL;
    if (n < 0 || n > MLCP_ROWS_MAX)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "contact problem: LCP with %d rows; 0 to %d rows are possible", (int)n,
                         (int)MLCP_ROWS_MAX);
    PCS_TRY(check_triplets(ctx, "M", M, n, n));
    PCS_TRY(check_vector(ctx, "q", n, q));
    int32_t equalities = 0;
    for (int32_t i = 0; equality && i < n; i++)
        equalities += equality[i] != 0;
    pcs_problem *problem = new_problem(ctx, equality ? PCS_PROBLEM_MLCP : PCS_PROBLEM_LCP, 1,
                                       n - equalities, equalities, q);
    if (!problem)
        return PCS_ERROR_MEMORY;
    problem->M_dense = PCS_NEW_ARRAY(ctx, double, (int64_t)n *n);
    if (equality)
        problem->kind = PCS_NEW_ARRAY(ctx, uint8_t, n);
    if (!problem->M_dense || (equality && !problem->kind))
        return finish(problem, PCS_ERROR_MEMORY, out);
    for (int32_t i = 0; equality && i < n; i++)
        problem->kind[i] = equality[i] != 0;
    for (int32_t t = 0; t < M->count; t++)
        problem->M_dense[(int64_t)M->row[t] * n + M->column[t]] += M->value[t];
    return finish(problem, PCS_OK, out);
}

pcs_status pcs_problem_create_local(pcs_context *ctx, int32_t dimension, int32_t contacts,
                                    int32_t bilateral_rows, const pcs_triplets *W, const double *q,
                                    const double *mu, pcs_problem **out)
{
    *out = NULL;
    PCS_TRY(check_sizes(ctx, dimension, contacts, bilateral_rows));
    const int32_t rows = count_rows(dimension, contacts, bilateral_rows);
    PCS_TRY(check_triplets(ctx, "W", W, rows, rows));
    PCS_TRY(check_vector(ctx, "q", rows, q));
    PCS_TRY(check_friction(ctx, contacts, mu));
    pcs_problem *problem = new_problem(ctx, PCS_PROBLEM_LOCAL, dimension, contacts, bilateral_rows,
                                       q);
    if (!problem)
        return PCS_ERROR_MEMORY;
    pcs_status status = set_blocks(problem, mu) ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0)
        status = set_local_matrix(problem, W);
    return finish(problem, status, out);
}

static pcs_status create_sparse(pcs_context *ctx, const pcs_triplets *A, pcs_sparse *out)
{
    return pcs_sparse_create(ctx, A->rows, A->columns, A->count, A->row, A->column, A->value, NULL,
                             out);
}

pcs_status pcs_problem_create_global(pcs_context *ctx, int32_t dimension, int32_t contacts,
                                     int32_t bilateral_rows, const pcs_triplets *M,
                                     const pcs_triplets *H, const double *f, const double *w,
                                     const double *mu, pcs_problem **out)
{
    *out = NULL;
    PCS_TRY(check_sizes(ctx, dimension, contacts, bilateral_rows));
    const int32_t rows = count_rows(dimension, contacts, bilateral_rows);
    const int32_t dofs = M ? M->rows : -1;
    if (dofs < 0 || dofs == INT32_MAX)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact problem: M is missing or has no size");
    PCS_TRY(check_triplets(ctx, "M", M, dofs, dofs));
    PCS_TRY(check_triplets(ctx, "H", H, dofs, rows));
    PCS_TRY(check_vector(ctx, "f", dofs, f));
    PCS_TRY(check_vector(ctx, "w", rows, w));
    PCS_TRY(check_friction(ctx, contacts, mu));
    pcs_problem *problem = new_problem(ctx, PCS_PROBLEM_GLOBAL, dimension, contacts, bilateral_rows,
                                       w);
    if (!problem)
        return PCS_ERROR_MEMORY;
    problem->dofs = dofs;
    problem->f = copy_vector(ctx, dofs, f);
    pcs_status status = problem->f && set_blocks(problem, mu) ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0)
        status = create_sparse(ctx, M, &problem->M);
    if (status >= 0)
        status = create_sparse(ctx, H, &problem->H);
    return finish(problem, status, out);
}

// ---- What a problem is ----

pcs_problem_class pcs_problem_get_class(const pcs_problem *problem)
{
    return problem->problem_class;
}

const char *pcs_problem_class_name(pcs_problem_class problem_class)
{
    switch (problem_class) {
    case PCS_PROBLEM_LCP:
        return "LCP";
    case PCS_PROBLEM_MLCP:
        return "MLCP";
    case PCS_PROBLEM_LOCAL:
        return "local";
    case PCS_PROBLEM_GLOBAL:
        return "global";
    }
    return "unknown";
}

int32_t pcs_problem_contacts(const pcs_problem *problem)
{
    return problem->contacts;
}

int32_t pcs_problem_dimension(const pcs_problem *problem)
{
    return problem->dimension;
}

int32_t pcs_problem_rows(const pcs_problem *problem)
{
    return problem->rows;
}

int32_t pcs_problem_dofs(const pcs_problem *problem)
{
    return problem->dofs;
}

int32_t pcs_problem_bilateral_rows(const pcs_problem *problem)
{
    return problem->bilateral_rows;
}

pcs_friction_contact pcs_problem_local_view(const pcs_problem *problem)
{
    return (pcs_friction_contact){.W = &problem->W,
                                  .q = problem->q,
                                  .mu = problem->mu,
                                  .kind = problem->kind,
                                  .is_checked = problem->is_checked};
}

pcs_mlcp pcs_problem_mlcp_view(const pcs_problem *problem)
{
    return (pcs_mlcp){
        .n = problem->rows, .M = problem->M_dense, .q = problem->q, .equality = problem->kind};
}

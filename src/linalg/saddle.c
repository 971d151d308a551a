// The saddle system: pattern, islands, inversion of the node blocks, and the solve by block
// elimination. linalg/saddle.h has the equations, saddle_internal.h the three kinds of islands.
#include "linalg/saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/saddle_internal.h"

// Pivots of S below this fraction of their diagonal entry are rounding error: with 16 digits and
// a few hundred operations on a row, dependent rows leave 1e-14 to 1e-13; two digits of safety.
#define REDUNDANCY_TOLERANCE 1e-11
// Refinement of graded systems: the backward error that needs none, and the most corrections. A
// pivot of 1e-13 S_kk has three digits, and each correction gains as many.
#define BACKWARD_ERROR (16.0 * DBL_EPSILON)
#define REFINEMENTS 6

pcs_saddle_def pcs_saddle_default(void)
{
    return (pcs_saddle_def){.redundancy_tolerance = REDUNDANCY_TOLERANCE};
}

static pcs_status validate(pcs_context *ctx, const pcs_saddle_def *def)
{
    for (int32_t i = 0; i < def->n_nodes; ++i)
        if (def->node_size[i] <= 0)
            return pcs_error(ctx, PCS_ERROR_ARGUMENT, "node %d has size %d", (int)i,
                             (int)def->node_size[i]);
    for (int32_t k = 0; k < def->n_couplings; ++k)
        if (def->coupling[k][0] < 0 || def->coupling[k][0] >= def->coupling[k][1] ||
            def->coupling[k][1] >= def->n_nodes)
            return pcs_error(ctx, PCS_ERROR_ARGUMENT, "coupling %d joins nodes %d and %d", (int)k,
                             (int)def->coupling[k][0], (int)def->coupling[k][1]);
    for (int32_t r = 0; r < def->n_rows; ++r) {
        const pcs_row_block *row = &def->rows[r];
        if (row->size <= 0 || row->n_nodes < 0 || row->n_nodes > PCS_ROW_NODES_MAX)
            return pcs_error(ctx, PCS_ERROR_ARGUMENT, "row block %d has size %d and %d nodes",
                             (int)r, (int)row->size, (int)row->n_nodes);
        for (int32_t s = 0; s < row->n_nodes; ++s) {
            if (row->node[s] < 0 || row->node[s] >= def->n_nodes)
                return pcs_error(ctx, PCS_ERROR_ARGUMENT, "row block %d touches node %d", (int)r,
                                 (int)row->node[s]);
            for (int32_t q = 0; q < s; ++q)
                if (row->node[q] == row->node[s])
                    return pcs_error(ctx, PCS_ERROR_ARGUMENT, "row block %d touches node %d twice",
                                     (int)r, (int)row->node[s]);
        }
    }
    if (!(def->redundancy_tolerance >= 0.0 && def->redundancy_tolerance < 1.0))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "redundancy tolerance %g is not in [0, 1)",
                         def->redundancy_tolerance);
    return PCS_OK;
}

// Sizes, offsets and the storage of A
static pcs_status copy_pattern(pcs_saddle *s, const pcs_saddle_def *def)
{
    pcs_context *ctx = s->ctx;
    s->node_size = PCS_NEW_ARRAY(ctx, int32_t, s->n_nodes);
    s->node_offset = PCS_NEW_ARRAY(ctx, int32_t, s->n_nodes + 1);
    s->row_offset = PCS_NEW_ARRAY(ctx, int32_t, s->n_rows + 1);
    s->coupling = pcs_calloc(ctx, (size_t)s->n_couplings, sizeof *s->coupling);
    s->coupling_first = PCS_NEW_ARRAY(ctx, int32_t, s->n_nodes + 1);
    s->diagonal_start = PCS_NEW_ARRAY(ctx, int64_t, s->n_nodes);
    s->coupling_start = PCS_NEW_ARRAY(ctx, int64_t, 2 * (int64_t)s->n_couplings);
    if (!s->node_size || !s->node_offset || !s->row_offset || !s->coupling || !s->coupling_first ||
        !s->diagonal_start || !s->coupling_start)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < s->n_nodes; ++i) {
        s->node_size[i] = def->node_size[i];
        s->node_offset[i + 1] = s->node_offset[i] + def->node_size[i];
        s->diagonal_start[i] = s->n_values;
        s->n_values += (int64_t)def->node_size[i] * def->node_size[i];
    }
    for (int32_t k = 0; k < s->n_couplings; ++k) {
        const int32_t i = def->coupling[k][0], j = def->coupling[k][1];
        const int64_t size = (int64_t)def->node_size[i] * def->node_size[j];
        s->coupling[k][0] = i;
        s->coupling[k][1] = j;
        s->coupling_start[2 * k] = s->n_values;
        s->coupling_start[2 * k + 1] = s->n_values + size;
        s->n_values += 2 * size;
        ++s->coupling_first[i + 1];
    }
    for (int32_t i = 0; i < s->n_nodes; ++i)
        s->coupling_first[i + 1] += s->coupling_first[i];
    for (int32_t r = 0; r < s->n_rows; ++r)
        s->row_offset[r + 1] = s->row_offset[r] + def->rows[r].size;
    s->n = s->node_offset[s->n_nodes];
    s->m = s->row_offset[s->n_rows];
    s->value = PCS_NEW_ARRAY(ctx, double, s->n_values);
    s->redundant = PCS_NEW_ARRAY(ctx, uint8_t, s->m);
    return s->value && s->redundant ? PCS_OK : PCS_ERROR_MEMORY;
}

static int32_t find_root(int32_t *island, int32_t i)
{
    while (island[i] != i) {
        island[i] = island[island[i]]; // path halving
        i = island[i];
    }
    return i;
}

// The smaller root stays, so that the result does not depend on the order of the unions
static void unite(int32_t *island, int32_t i, int32_t j)
{
    i = find_root(island, i);
    j = find_root(island, j);
    if (i < j)
        island[j] = i;
    else
        island[i] = j;
}

static pcs_status find_islands(pcs_saddle *s)
{
    s->island = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_nodes);
    s->kind = PCS_NEW_ARRAY(s->ctx, uint8_t, s->n_nodes);
    if (!s->island || !s->kind)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < s->n_nodes; ++i)
        s->island[i] = i;
    for (int32_t r = 0; r < s->n_rows; ++r)
        for (int32_t q = 1; q < s->rows[r].n_nodes; ++q)
            unite(s->island, s->rows[r].node[0], s->rows[r].node[q]);
    for (int32_t k = 0; k < s->n_couplings; ++k)
        unite(s->island, s->coupling[k][0], s->coupling[k][1]);
    for (int32_t i = 0; i < s->n_nodes; ++i)
        s->island[i] = find_root(s->island, i);
    for (int32_t r = 0; r < s->n_rows; ++r)
        if (s->rows[r].n_nodes > 0)
            s->kind[s->island[s->rows[r].node[0]]] = PCS_ISLAND_JOINTED;
    for (int32_t k = 0; k < s->n_couplings; ++k)
        s->kind[s->island[s->coupling[k][0]]] = PCS_ISLAND_COUPLED;
    for (int32_t i = 0; i < s->n_nodes; ++i)
        s->kind[i] = s->kind[s->island[i]];
    return PCS_OK;
}

// By node, the blocks of S that touch it
static pcs_status list_touching(pcs_saddle *s)
{
    const pcs_schur *S = &s->schur;
    s->touch_start = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_nodes + 1);
    s->touch = PCS_NEW_ARRAY(s->ctx, pcs_saddle_touch, (int64_t)S->n * PCS_ROW_NODES_MAX);
    if (!s->touch_start || !s->touch)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < S->n; ++k)
        for (int32_t q = 0; q < s->rows[S->order[k]].n_nodes; ++q)
            ++s->touch_start[s->rows[S->order[k]].node[q]];
    for (int32_t i = 1; i <= s->n_nodes; ++i)
        s->touch_start[i] += s->touch_start[i - 1];
    for (int32_t k = S->n - 1; k >= 0; --k) // from behind; the ends become the starts
        for (int32_t q = 0; q < s->rows[S->order[k]].n_nodes; ++q)
            s->touch[--s->touch_start[s->rows[S->order[k]].node[q]]] = (pcs_saddle_touch){k, q};
    return PCS_OK;
}

static pcs_status create_schur(pcs_saddle *s)
{
    int32_t *selected = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_rows), n = 0;
    if (!selected)
        return PCS_ERROR_MEMORY;
    for (int32_t r = 0; r < s->n_rows; ++r)
        if (s->rows[r].n_nodes == 0 || s->kind[s->rows[r].node[0]] != PCS_ISLAND_COUPLED)
            selected[n++] = r;
    const pcs_status status = pcs_schur_create(s->ctx, s->n_nodes, s->node_size, n, selected,
                                               s->rows, &s->schur);
    pcs_free(s->ctx, selected);
    PCS_TRY(status);
    s->schur_offset = PCS_NEW_ARRAY(s->ctx, int32_t, n);
    s->multiplier = PCS_NEW_ARRAY(s->ctx, double, s->schur.m);
    if (!s->schur_offset || !s->multiplier)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < n; ++k)
        s->schur_offset[k] = s->row_offset[s->schur.order[k]];
    return list_touching(s);
}

static pcs_status create_inverses(pcs_saddle *s)
{
    s->inverse = PCS_NEW_ARRAY(s->ctx, pcs_node_inverse, s->n_nodes);
    int64_t total = 0;
    int32_t largest = 1;
    for (int32_t i = 0; i < s->n_nodes; ++i) {
        total += (int64_t)s->node_size[i] * s->node_size[i];
        largest = s->node_size[i] > largest ? s->node_size[i] : largest;
    }
    s->inverse_value = PCS_NEW_ARRAY(s->ctx, double, total);
    s->work = PCS_NEW_ARRAY(s->ctx, double, (int64_t)largest *largest + largest);
    if (!s->inverse || !s->inverse_value || !s->work)
        return PCS_ERROR_MEMORY;
    double *value = s->inverse_value;
    for (int32_t i = 0; i < s->n_nodes; ++i) {
        s->inverse[i].size = s->node_size[i];
        s->inverse[i].value = value;
        value += (int64_t)s->node_size[i] * s->node_size[i];
    }
    return PCS_OK;
}

static pcs_status build(pcs_saddle *s, const pcs_saddle_def *def)
{
    PCS_TRY(copy_pattern(s, def));
    PCS_TRY(find_islands(s));
    PCS_TRY(create_schur(s));
    PCS_TRY(create_inverses(s));
    PCS_TRY(pcs_rank_create(s));
    return s->n_couplings > 0 ? pcs_kkt_create(s) : PCS_OK;
}

pcs_status pcs_saddle_create(pcs_context *ctx, const pcs_saddle_def *def, pcs_saddle **out)
{
    *out = NULL;
    PCS_TRY(validate(ctx, def));
    pcs_saddle *s = PCS_NEW(ctx, pcs_saddle);
    if (!s)
        return PCS_ERROR_MEMORY;
    s->ctx = ctx;
    s->n_nodes = def->n_nodes;
    s->n_couplings = def->n_couplings;
    s->n_rows = def->n_rows;
    s->rows = def->rows;
    s->left = def->left;
    s->redundancy_tolerance = def->redundancy_tolerance;
    s->singular_node = -1;
    const pcs_status status = build(s, def);
    if (status < 0) {
        pcs_saddle_destroy(s);
        return status;
    }
    *out = s;
    return PCS_OK;
}

void pcs_saddle_destroy(pcs_saddle *s)
{
    if (!s)
        return;
    pcs_context *ctx = s->ctx;
    pcs_kkt_destroy(s);
    pcs_rank_destroy(s);
    pcs_schur_destroy(&s->schur);
    pcs_free(ctx, s->node_size);
    pcs_free(ctx, s->node_offset);
    pcs_free(ctx, s->row_offset);
    pcs_free(ctx, s->coupling);
    pcs_free(ctx, s->coupling_first);
    pcs_free(ctx, s->diagonal_start);
    pcs_free(ctx, s->coupling_start);
    pcs_free(ctx, s->value);
    pcs_free(ctx, s->island);
    pcs_free(ctx, s->kind);
    pcs_free(ctx, s->schur_offset);
    pcs_free(ctx, s->touch_start);
    pcs_free(ctx, s->touch);
    pcs_free(ctx, s->inverse);
    pcs_free(ctx, s->inverse_value);
    pcs_free(ctx, s->multiplier);
    pcs_free(ctx, s->work);
    pcs_free(ctx, s->redundant);
    pcs_free(ctx, s);
}

void pcs_saddle_set_rows(pcs_saddle *s, const pcs_row_block *rows, const pcs_row_block *left)
{
    s->rows = s->schur.rows = rows;
    s->left = left != rows ? left : NULL;
    if (s->kkt)
        s->kkt->search.rows = s->kkt->whole.rows = rows;
}

void pcs_saddle_set_rank(pcs_saddle *s, pcs_rank_mode mode)
{
    s->rank = mode;
}

void pcs_saddle_set_tasks(pcs_saddle *s, pcs_tasks *tasks)
{
    s->tasks = tasks;
    if (s->kkt && s->kkt->full.blocks)
        pcs_kkt_blocks_set_tasks(s->kkt->full.blocks, tasks);
    if (s->kkt && s->kkt->free.blocks)
        pcs_kkt_blocks_set_tasks(s->kkt->free.blocks, tasks);
}

int32_t pcs_saddle_unknowns(const pcs_saddle *saddle)
{
    return saddle->n;
}

int32_t pcs_saddle_row_count(const pcs_saddle *saddle)
{
    return saddle->m;
}

double *pcs_saddle_values(pcs_saddle *saddle, int64_t *count)
{
    *count = saddle->n_values;
    return saddle->value;
}

double *pcs_saddle_diagonal(pcs_saddle *saddle, int32_t node)
{
    return saddle->value + saddle->diagonal_start[node];
}

double *pcs_saddle_coupling(pcs_saddle *saddle, int32_t k, bool transposed)
{
    return saddle->value + saddle->coupling_start[2 * k + (transposed ? 1 : 0)];
}

int32_t pcs_saddle_find_coupling(const pcs_saddle *saddle, int32_t i, int32_t j)
{
    int32_t low = saddle->coupling_first[i], high = saddle->coupling_first[i + 1];
    const int32_t end = high;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (saddle->coupling[middle][1] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && saddle->coupling[low][1] == j ? low : -1;
}

int32_t pcs_saddle_singular_node(const pcs_saddle *saddle)
{
    return saddle->singular_node;
}

int64_t pcs_saddle_factorisations(const pcs_saddle *saddle)
{
    return saddle->factorisations;
}

const uint8_t *pcs_saddle_redundant_rows(const pcs_saddle *saddle)
{
    return saddle->redundant;
}

double pcs_saddle_smallest_pivot(const pcs_saddle *saddle)
{
    const pcs_schur *S = &saddle->schur;
    double most = 1; // of S_kk / pivot
    for (int32_t r = 0; r < S->m; ++r)
        most = fmax(most, fabs(S->inverse_pivot[r] * S->diagonal[r])); // 0 for dropped rows
    return 1 / most;
}

static bool is_diagonal(int32_t n, const double *A)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            if (i != j && A[i * n + j] != 0.0)
                return false;
    return true;
}

// 6 x 6 with diagonal translation and nothing between translation and rotation
static bool is_spatial(const double *A)
{
    if (A[1] != 0.0 || A[2] != 0.0 || A[6] != 0.0 || A[8] != 0.0 || A[12] != 0.0 || A[13] != 0.0)
        return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 3; j < 6; ++j)
            if (A[6 * i + j] != 0.0 || A[6 * j + i] != 0.0)
                return false;
    return true;
}

static bool invert_diagonal(int32_t n, int32_t row_length, const double *A, double *inverse)
{
    for (int32_t i = 0; i < n; ++i) {
        const double d = A[i * (row_length + 1)];
        if (!(fabs(d) > 0.0) || isinf(d))
            return false;
        inverse[i * (row_length + 1)] = 1.0 / d;
    }
    return true;
}

// Inverts a node block by its structure; *symmetric is cleared for an unsymmetric block
static bool invert_node(const double *A, pcs_node_inverse *node, double *work, bool *symmetric)
{
    const int32_t n = node->size;
    double *inverse = node->value;
    if (n == 6 && is_spatial(A)) {
        node->kind = PCS_INVERSE_SPATIAL;
        *symmetric = *symmetric && A[22] == A[27] && A[23] == A[33] && A[29] == A[34];
        return invert_diagonal(3, 6, A, inverse) && pcs_dense_inverse3(A + 21, 6, inverse + 21, 6);
    }
    if (is_diagonal(n, A)) {
        node->kind = PCS_INVERSE_DIAGONAL;
        return invert_diagonal(n, n, A, inverse);
    }
    node->kind = PCS_INVERSE_FULL;
    *symmetric = *symmetric && pcs_dense_is_symmetric(n, A);
    if (n == 3)
        return pcs_dense_inverse3(A, 3, inverse, 3);
    return pcs_dense_small_inverse(n, A, inverse, work) < 0;
}

pcs_status pcs_saddle_factor(pcs_saddle *s)
{
    s->singular_node = -1;
    s->symmetric = !s->left;
    for (int32_t i = 0; i < s->n_nodes; ++i) {
        if (s->kind[i] == PCS_ISLAND_COUPLED)
            continue;
        if (!invert_node(s->value + s->diagonal_start[i], &s->inverse[i], s->work, &s->symmetric)) {
            s->singular_node = i;
            return pcs_error(s->ctx, PCS_ERROR_SINGULAR, "matrix of node %d is singular", (int)i);
        }
    }
    const pcs_schur *S = &s->schur;
    PCS_TRY(pcs_rank_factor(s));
    for (int32_t k = 0; k < S->n; ++k)
        for (int32_t r = 0; r < S->size[k]; ++r)
            s->redundant[s->schur_offset[k] + r] = S->inverse_pivot[S->offset[k] + r] == 0.0;
    if (!s->kkt || s->kkt->n_nodes < s->n_nodes)
        ++s->factorisations;
    return s->kkt ? pcs_kkt_factorise(s) : PCS_OK;
}

// Gathers the coupled part of (b, c), solves it and scatters the result
static void solve_coupled(pcs_saddle *s, double *x, double *p)
{
    pcs_kkt *kkt = s->kkt;
    for (int32_t q = 0; q < kkt->n_nodes; ++q) {
        const int32_t i = kkt->node[q];
        memcpy(kkt->rhs + kkt->place[i], x + s->node_offset[i],
               sizeof(double) * (size_t)s->node_size[i]);
    }
    for (int32_t q = 0; q < kkt->n_rows; ++q)
        memcpy(kkt->rhs + kkt->n + kkt->row_place[q], p + s->row_offset[kkt->row[q]],
               sizeof(double) * (size_t)s->rows[kkt->row[q]].size);
    pcs_kkt_solve(kkt, 1, kkt->rhs, kkt->work);
    for (int32_t q = 0; q < kkt->n_nodes; ++q) {
        const int32_t i = kkt->node[q];
        memcpy(x + s->node_offset[i], kkt->rhs + kkt->place[i],
               sizeof(double) * (size_t)s->node_size[i]);
    }
    for (int32_t q = 0; q < kkt->n_rows; ++q)
        memcpy(p + s->row_offset[kkt->row[q]], kkt->rhs + kkt->n + kkt->row_place[q],
               sizeof(double) * (size_t)s->rows[kkt->row[q]].size);
}

// x += factor A^{-1} B^T t and p += factor t, t in elimination order
static void add_multipliers(const pcs_saddle *s, double factor, const double *t, double *x,
                            double *p)
{
    const pcs_schur *S = &s->schur;
    for (int32_t k = 0; k < S->n; ++k) {
        const pcs_row_block *row = &s->rows[S->order[k]];
        const double *t_k = t + S->offset[k];
        for (int32_t r = 0; r < S->size[k]; ++r)
            p[s->schur_offset[k] + r] += factor * t_k[r];
        for (int32_t q = 0; q < row->n_nodes; ++q)
            pcs_kernel_vector(factor, s->node_size[row->node[q]], S->size[k],
                              S->product[0] + S->slot_value[(int64_t)k * PCS_ROW_NODES_MAX + q],
                              t_k, x + s->node_offset[row->node[q]]);
    }
}

// residual = c - G x with the G of the factorisation, zero in redundant rows; returns the
// componentwise backward error max |c - G x| / (|G||x| + |c|)
static double row_residual(const pcs_saddle *s, const double *x, const double *c, double *residual)
{
    const pcs_schur *S = &s->schur;
    double error = 0.0;
    for (int32_t k = 0; k < S->n; ++k) {
        const pcs_row_block *row = &s->rows[S->order[k]];
        for (int32_t r = 0; r < S->size[k]; ++r) {
            const int32_t at = S->offset[k] + r;
            double sum = c[at], scale = fabs(c[at]);
            for (int32_t q = 0; q < row->n_nodes; ++q) {
                const int32_t size = s->node_size[row->node[q]];
                const double *J = s->graded_J + S->slot_value[(int64_t)k * PCS_ROW_NODES_MAX + q] +
                                  r * size;
                for (int32_t i = 0; i < size; ++i) {
                    const double g = J[i] * x[s->node_offset[row->node[q]] + i];
                    sum -= g;
                    scale += fabs(g);
                }
            }
            residual[at] = S->inverse_pivot[at] == 0.0 ? 0.0 : sum;
            if (fabs(residual[at]) > error * scale)
                error = fabs(residual[at]) / scale;
        }
    }
    return error;
}

// Corrections S dp = c - G x, dx = A^{-1} B^T dp, as long as each at least halves the backward
// error; one that makes it larger is taken back. The other equation, x = A^{-1} (b + B^T p), needs
// none: it holds to the rounding of its own terms before and after.
static void refine(pcs_saddle *s, const double *c, double *x, double *p)
{
    const pcs_schur *S = &s->schur;
    double *t = s->multiplier, *residual = s->refinement + S->m;
    double error = row_residual(s, x, c, residual);
    for (int step = 0; step < REFINEMENTS && error > BACKWARD_ERROR; ++step) {
        pcs_kernel_copy(S->m, residual, t);
        pcs_schur_solve(S, t);
        add_multipliers(s, 1.0, t, x, p);
        const double before = error;
        error = row_residual(s, x, c, residual);
        if (!(error <= before))
            add_multipliers(s, -1.0, t, x, p);
        if (!(error <= 0.5 * before))
            return;
    }
}

void pcs_saddle_solve(pcs_saddle *s, double *x, double *p)
{
    const pcs_schur *S = &s->schur;
    double *t = s->multiplier;
    for (int32_t k = 0; s->graded && k < S->n; ++k)
        pcs_kernel_copy(S->size[k], p + s->schur_offset[k], s->refinement + S->offset[k]);
    for (int32_t k = 0; k < S->n; ++k) { // t = c - G A^{-1} b
        const pcs_row_block *row = &s->rows[S->order[k]];
        double *t_k = t + S->offset[k];
        pcs_kernel_copy(S->size[k], p + s->schur_offset[k], t_k);
        for (int32_t q = 0; q < row->n_nodes; ++q)
            pcs_kernel_transposed_vector(-1.0, s->node_size[row->node[q]], S->size[k],
                                         S->product[1] +
                                             S->slot_value[(int64_t)k * PCS_ROW_NODES_MAX + q],
                                         x + s->node_offset[row->node[q]], t_k);
    }
    pcs_schur_solve(S, t);                   // t = S^{-1} t
    for (int32_t i = 0; i < s->n_nodes; ++i) // x = A^{-1} b
        if (s->kind[i] != PCS_ISLAND_COUPLED)
            pcs_node_inverse_solve(&s->inverse[i], x + s->node_offset[i], s->work);
    for (int32_t k = 0; k < S->n; ++k) { // x += A^{-1} B^T t
        const pcs_row_block *row = &s->rows[S->order[k]];
        const double *t_k = t + S->offset[k];
        pcs_kernel_copy(S->size[k], t_k, p + s->schur_offset[k]);
        for (int32_t q = 0; q < row->n_nodes; ++q)
            pcs_kernel_vector(1.0, s->node_size[row->node[q]], S->size[k],
                              S->product[0] + S->slot_value[(int64_t)k * PCS_ROW_NODES_MAX + q],
                              t_k, x + s->node_offset[row->node[q]]);
    }
    if (s->graded)
        refine(s, s->refinement, x, p);
    if (s->kkt)
        solve_coupled(s, x, p);
}

void pcs_saddle_solve_free(pcs_saddle *s, double *x)
{
    for (int32_t i = 0; i < s->n_nodes; ++i)
        if (s->kind[i] != PCS_ISLAND_COUPLED)
            pcs_node_inverse_solve(&s->inverse[i], x + s->node_offset[i], s->work);
    if (!s->kkt)
        return;
    pcs_kkt *kkt = s->kkt;
    for (int32_t q = 0; q < kkt->n_nodes; ++q)
        memcpy(kkt->rhs + kkt->place[kkt->node[q]], x + s->node_offset[kkt->node[q]],
               sizeof(double) * (size_t)s->node_size[kkt->node[q]]);
    pcs_kkt_solve_free(s, kkt->rhs);
    for (int32_t q = 0; q < kkt->n_nodes; ++q)
        memcpy(x + s->node_offset[kkt->node[q]], kkt->rhs + kkt->place[kkt->node[q]],
               sizeof(double) * (size_t)s->node_size[kkt->node[q]]);
}

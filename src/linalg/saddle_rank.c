// Which rows of the saddle system are redundant.
//
// The rank of G does not depend on A, but the pivots of S = G A^{-1} G^T do: where a body of mass m
// is held between bodies of mass M, an independent row has a pivot of 1/M out of S_kk = 1/m. The
// search takes S = G B G^T with a diagonal B instead: for component r of a node
//
//     B_rr = |A_00| / |A_rr|,
//
// 1 for translations and 1/(radius of gyration)^2 for rotations. Lengths enter, masses do not.
//
// Jointed islands: the factorisation with A^{-1} settles the matter when its pivots are either
// large or, for exactly the rows that the last search confirmed, vanish. Otherwise the search
// decides, and S is factorised again with its rows. Both eliminate in the same order, so that they
// name the same ones of several dependent rows. The search looks at G alone, also where B differs.
#include <math.h>
#include <string.h>

#include "linalg/saddle_internal.h"

// S_kk / pivot from which a kept row is suspicious. Earlier pivots with this ratio amplify the
// rounding error of later ones to 1e6 eps S_kk, 1e-10 S_kk; a dependent row is then still far below
// the limit itself, so that none passes unseen.
#define GRADED_RATIO 1e6
// PCS_RANK_RENEW: pivot / diagonal above which a dropped row returns. Rows that the joints make
// dependent differ by delta where the joints are open by about delta times their size, and leave a
// pivot of delta^2; 1e-6 allows for a drift of 1e-3, far more than an accepted step has.
#define RETURN_TOLERANCE 1e-6

pcs_status pcs_rank_create(pcs_saddle *s)
{
    int64_t total = 0;
    for (int32_t i = 0; i < s->n_nodes; ++i)
        total += (int64_t)s->node_size[i] * s->node_size[i];
    s->weight = PCS_NEW_ARRAY(s->ctx, pcs_node_inverse, s->n_nodes);
    s->weight_value = PCS_NEW_ARRAY(s->ctx, double, total);
    s->confirmed = PCS_NEW_ARRAY(s->ctx, uint8_t, s->schur.m);
    s->graded_J = PCS_NEW_ARRAY(s->ctx, double, s->schur.product_size);
    s->refinement = PCS_NEW_ARRAY(s->ctx, double, 2 * (int64_t)s->schur.m);
    if (!s->weight || !s->weight_value || !s->confirmed || !s->graded_J || !s->refinement)
        return PCS_ERROR_MEMORY;
    double *value = s->weight_value;
    for (int32_t i = 0; i < s->n_nodes; ++i) {
        const int32_t size = s->node_size[i];
        s->weight[i] = (pcs_node_inverse){
            .kind = PCS_INVERSE_DIAGONAL, .size = size, .value = value};
        value += (int64_t)size * size;
    }
    return PCS_OK;
}

void pcs_rank_destroy(pcs_saddle *s)
{
    pcs_free(s->ctx, s->weight);
    pcs_free(s->ctx, s->weight_value);
    pcs_free(s->ctx, s->confirmed);
    pcs_free(s->ctx, s->graded_J);
    pcs_free(s->ctx, s->refinement);
}

// B of a node. Where the diagonal of A vanishes, the node's largest entry stands in.
static void set_weights(int32_t size, const double *A, double *B)
{
    double largest = 0.0;
    for (int32_t r = 0; r < size; ++r)
        largest = fmax(largest, fabs(A[r * (size + 1)]));
    const double first = A[0] != 0.0 ? fabs(A[0]) : largest;
    for (int32_t r = 0; r < size; ++r) {
        const double a = fabs(A[r * (size + 1)]);
        const double weight = first / (a > 0.0 ? a : largest);
        B[r * (size + 1)] = weight > 0.0 && isfinite(weight) ? weight : 1.0;
    }
}

static pcs_status not_finite(pcs_saddle *s, int32_t row)
{
    return pcs_error(s->ctx, PCS_ERROR_NUMERIC,
                     "the gradient of a constraint (number %d among joints and systems) is not "
                     "finite",
                     (int)row + 1);
}

pcs_status pcs_rank_search(pcs_saddle *s, pcs_island_kind kind, const uint8_t *flagged,
                           pcs_schur *S)
{
    for (int32_t i = 0; i < s->n_nodes; ++i)
        if (s->kind[i] == kind)
            set_weights(s->node_size[i], s->value + s->diagonal_start[i], s->weight[i].value);
    S->left = NULL;
    const pcs_schur_rule rule = {s->redundancy_tolerance, RETURN_TOLERANCE,
                                 s->rank == PCS_RANK_RENEW ? flagged : NULL};
    const int32_t bad = pcs_schur_factor(S, s->weight, true, &rule);
    return bad >= 0 ? not_finite(s, bad) : PCS_OK;
}

// Rows with a node that no other row touches take part in no dependency, if they are independent on
// that node: what they add to the pivots there nothing takes away. Coupled islands, with a row for
// each node of a clamped or guided face, leave them out of the search.
bool pcs_rank_is_clear(pcs_saddle *s, const pcs_row_block *row, int32_t slot)
{
    const int32_t size = row->size, width = s->node_size[row->node[slot]];
    double *M = s->work, *whole = M + (int64_t)size * size; // G B G^T of the slot, and S_kk
    memset(M, 0, sizeof(double) * (size_t)(size * (size + 1)));
    for (int32_t q = 0; q < row->n_nodes; ++q) {
        const int32_t node = row->node[q], n = s->node_size[node];
        double *B = s->weight[node].value;
        set_weights(n, s->value + s->diagonal_start[node], B);
        for (int32_t r = 0; r < size; ++r)
            for (int32_t c = 0; c < n; ++c)
                whole[r] += row->J[q][r * n + c] * B[c * (n + 1)] * row->J[q][r * n + c];
    }
    const double *J = row->J[slot], *B = s->weight[row->node[slot]].value;
    for (int32_t r = 0; r < size; ++r)
        for (int32_t t = 0; t <= r; ++t)
            for (int32_t c = 0; c < width; ++c)
                M[r * size + t] += J[r * width + c] * B[c * (width + 1)] * J[t * width + c];
    for (int32_t k = 0; k < size; ++k) { // pivots of M by its lower triangle
        if (!(M[k * size + k] > RETURN_TOLERANCE * whole[k]))
            return false;
        for (int32_t r = k + 1; r < size; ++r) {
            const double f = M[r * size + k] / M[k * size + k];
            for (int32_t t = k + 1; t <= r; ++t)
                M[r * size + t] -= f * M[t * size + k];
        }
    }
    return true;
}

// S = G A^{-1} B^T without the rows that the last search confirmed
static pcs_status factor_without(pcs_saddle *s)
{
    pcs_schur *S = &s->schur;
    S->left = s->left;
    const pcs_schur_rule rule = {0.0, HUGE_VAL, s->confirmed};
    const int32_t bad = pcs_schur_factor(S, s->inverse, s->symmetric, &rule);
    return bad >= 0 ? not_finite(s, bad) : PCS_OK;
}

// Search of the jointed islands, then the factorisation with the rows it confirmed
static pcs_status factor_confirmed(pcs_saddle *s)
{
    pcs_schur *S = &s->schur;
    PCS_TRY(pcs_rank_search(s, PCS_ISLAND_JOINTED, s->confirmed, S));
    for (int32_t r = 0; r < S->m; ++r)
        s->confirmed[r] = S->inverse_pivot[r] == 0.0;
    return factor_without(s);
}

static bool keeps_small_pivot(const pcs_schur *S)
{
    int32_t small = 0; // counted, not left early: a loop without branches is the faster one
    for (int32_t r = 0; r < S->m; ++r)
        small += fabs(S->inverse_pivot[r] * S->diagonal[r]) >= GRADED_RATIO;
    return small > 0;
}

static bool drops_confirmed(const pcs_saddle *s)
{
    int32_t different = 0;
    for (int32_t r = 0; r < s->schur.m; ++r)
        different += (s->schur.inverse_pivot[r] == 0.0) != s->confirmed[r];
    return different == 0;
}

static void copy_rows(pcs_saddle *s)
{
    const pcs_schur *S = &s->schur;
    for (int32_t k = 0; k < S->n; ++k) {
        const pcs_row_block *row = &s->rows[S->order[k]];
        for (int32_t q = 0; q < row->n_nodes; ++q)
            memcpy(s->graded_J + S->slot_value[(int64_t)k * PCS_ROW_NODES_MAX + q], row->J[q],
                   sizeof(double) * (size_t)(row->size * s->node_size[row->node[q]]));
    }
}

pcs_status pcs_rank_factor(pcs_saddle *s)
{
    pcs_schur *S = &s->schur;
    if (s->rank == PCS_RANK_HOLD) {
        PCS_TRY(factor_without(s));
        s->graded = keeps_small_pivot(S);
        if (s->graded)
            copy_rows(s);
        return PCS_OK;
    }
    if (!s->graded) { // a graded system stays so, as a rule: it goes to the search at once
        S->left = s->left;
        const pcs_schur_rule rule = {s->redundancy_tolerance, RETURN_TOLERANCE,
                                     s->rank == PCS_RANK_RENEW ? s->confirmed : NULL};
        const int32_t bad = pcs_schur_factor(S, s->inverse, s->symmetric, &rule);
        if (bad >= 0)
            return not_finite(s, bad);
        if (!keeps_small_pivot(S) && drops_confirmed(s))
            return PCS_OK;
    }
    PCS_TRY(factor_confirmed(s));
    s->graded = keeps_small_pivot(S);
    if (s->graded)
        copy_rows(s);
    return PCS_OK;
}

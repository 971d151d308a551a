// Reduction of an MLCP to an LCP for the pivoting methods.
//
// Equality rows w_e = 0 are pivoted against free variables z_e: z_e becomes basic (it may take any
// value, so its row blocks nothing and is set aside) and w_e nonbasic at zero (its column is
// dropped). Principal pivots, of one row or of two, keep a monotone M monotone
// [CottlePangStone2009, 4.1.5], and if the equality block is monotone they find its whole rank:
// where the diagonal vanishes the block is skew, and two rows with e_ij = -e_ji /= 0 are a pivot.
// Other blocks may need a pivot off the diagonal. Rows without a pivot among the equalities form
// one with a complementary pair, whose w and z change roles; what is left after that is split
// (mlcp_internal.h).

#include <float.h>
#include <math.h>
#include <string.h>

#include "nonsmooth/mlcp_internal.h"

// Smaller pivots, relative to the largest entry of the equality block, would cost more than half
// the digits; splitting the variable instead costs nothing but two rows.
static const double PIVOT_LEAST = 1.5e-8;
// A principal pivot is preferred while it is not this much smaller than the best one anywhere; in a
// monotone block it is never below half of it.
static const double PRINCIPAL_PREFERENCE = 0.1;
// Worse exchanges are left to the split; those of a monotone M have size 1.
static const double EXCHANGE_LEAST = 1e-2;

typedef struct elimination {
    pcs_tableau *tableau;
    uint8_t *row, *column; // n flags each: equality not yet eliminated
    double *size;          // largest term that was added in each row, 0: the row is untouched
    uint8_t *aside;        // rows that hold an eliminated free variable
    int32_t *pair_row, *pair_column; // where the complementary pair i stands; -1: an equality
} elimination;

typedef struct pivot_choice {
    double size;
    int32_t row, column, second; // second >= 0: the principal block {row, second}
} pivot_choice;

static double entry(const elimination *e, int32_t i, int32_t j)
{
    return pcs_tableau_row(e->tableau, i)[j];
}

static pivot_choice largest_entry(const elimination *e)
{
    pivot_choice best = {0.0, -1, -1, -1};
    for (int32_t i = 0; i < e->tableau->rows; i++)
        for (int32_t j = 0; e->row[i] && j < e->tableau->columns; j++)
            if (e->column[j] && fabs(entry(e, i, j)) > best.size)
                best = (pivot_choice){fabs(entry(e, i, j)), i, j, -1};
    return best;
}

// The best pivot on the diagonal: |e_ii|, or |det| / max|e| for two rows.
static pivot_choice largest_principal(const elimination *e)
{
    pivot_choice best = {0.0, -1, -1, -1};
    for (int32_t i = 0; i < e->tableau->rows; i++) {
        if (!e->row[i] || !e->column[i])
            continue;
        const double a = entry(e, i, i);
        if (fabs(a) > best.size)
            best = (pivot_choice){fabs(a), i, i, -1};
        for (int32_t j = i + 1; j < e->tableau->rows; j++) {
            if (!e->row[j] || !e->column[j])
                continue;
            const double b = entry(e, i, j), c = entry(e, j, i), d = entry(e, j, j);
            const double most = fmax(fmax(fabs(a), fabs(d)), fmax(fabs(b), fabs(c)));
            // The pivots used are b, then c - d a / b: b must not vanish.
            const double size = b != 0.0 && c != 0.0 ? fabs(a * d - b * c) / most : 0.0;
            if (size > 2.0 * best.size && fabs(b) >= PRINCIPAL_PREFERENCE * size)
                best = (pivot_choice){size, i, i, j};
        }
    }
    return best;
}

// Pivots, and notes the size of the terms that come into each row.
static void pivot(elimination *e, int32_t row, int32_t column)
{
    pcs_tableau *tableau = e->tableau;
    const int32_t n = tableau->columns;
    double before = 0.0;
    for (int32_t j = 0; j <= n; j++)
        before = fmax(before, fabs(pcs_tableau_row(tableau, row)[j]));
    const double factor = before / fabs(entry(e, row, column));
    for (int32_t i = 0; i < n; i++) {
        const double *other = pcs_tableau_row(tableau, i);
        double size = factor * fabs(other[column]);
        if (size == 0.0)
            continue;
        for (int32_t j = 0; j <= n; j++)
            size = fmax(size, fabs(other[j]));
        e->size[i] = fmax(e->size[i], size);
    }
    pcs_tableau_pivot(tableau, row, column);
}

static void eliminate_one(elimination *e, int32_t row, int32_t column)
{
    pivot(e, row, column);
    e->row[row] = e->column[column] = 0;
    e->aside[row] = 1;
}

static void eliminate(elimination *e)
{
    double least = -1.0;
    for (;;) {
        const pivot_choice largest = largest_entry(e);
        if (least < 0.0)
            least = PIVOT_LEAST * largest.size;
        if (!(largest.size > least))
            return;
        const pivot_choice principal = largest_principal(e);
        if (principal.size < PRINCIPAL_PREFERENCE * largest.size) {
            eliminate_one(e, largest.row, largest.column);
        } else if (principal.second < 0) {
            eliminate_one(e, principal.row, principal.row);
        } else {
            eliminate_one(e, principal.row, principal.second);
            eliminate_one(e, principal.second, principal.row);
        }
    }
}

// The pivot {e, pair} of [0 c; d b] for an equality row and a free column without a pivot of their
// own: w_e leaves for z_j, then w_j for z_e. Size: the smaller of |c|, |d|, relative to the largest
// entry in the equality's row and column.
static pivot_choice largest_exchange(const elimination *e, int32_t row, int32_t column)
{
    const int32_t n = e->tableau->columns;
    pivot_choice best = {0.0, row, column, -1};
    double most = 0.0;
    for (int32_t j = 0; j < n; j++) {
        if (e->pair_row[j] < 0)
            continue;
        const double c = fabs(entry(e, row, e->pair_column[j]));
        const double d = fabs(entry(e, e->pair_row[j], column));
        most = fmax(most, fmax(c, d));
        if (fmin(c, d) > best.size) {
            best.size = fmin(c, d);
            best.second = j;
        }
    }
    best.size = most > 0.0 ? best.size / most : 0.0;
    return best;
}

static int32_t next_flag(const uint8_t *flag, int32_t n, int32_t from)
{
    while (from < n && !flag[from])
        from++;
    return from;
}

// Exchanges rows and columns that are left, in pairs as they come, while good pivots are found.
static void exchange(elimination *e)
{
    const int32_t n = e->tableau->columns;
    for (;;) {
        pivot_choice best = {0.0, -1, -1, -1};
        int32_t row = next_flag(e->row, n, 0), column = next_flag(e->column, n, 0);
        while (row < n) {
            const pivot_choice choice = largest_exchange(e, row, column);
            if (choice.size > best.size)
                best = choice;
            row = next_flag(e->row, n, row + 1);
            column = next_flag(e->column, n, column + 1);
        }
        if (best.size < EXCHANGE_LEAST)
            return;
        const int32_t j = best.second, old_row = e->pair_row[j], old_column = e->pair_column[j];
        pivot(e, best.row, old_column);
        pivot(e, old_row, best.column);
        e->row[best.row] = e->column[best.column] = 0;
        e->aside[old_row] = 1;
        e->pair_row[j] = best.row;
        e->pair_column[j] = best.column;
    }
}

// Clears what rounding left of sums that cancel: a row that follows from the others must read 0 >=
// 0, not -1e-17 >= 0, which no z would meet.
static void clear_rounding(const elimination *e)
{
    const int32_t n = e->tableau->columns;
    for (int32_t i = 0; i < n; i++) {
        double *row = pcs_tableau_row(e->tableau, i);
        const double noise = 16.0 * DBL_EPSILON * (double)n * e->size[i];
        for (int32_t j = 0; j <= n && !e->aside[i]; j++)
            row[j] = fabs(row[j]) <= noise ? 0.0 : row[j];
    }
}

static pcs_status elimination_init(elimination *e, const pcs_mlcp *problem, pcs_tableau *tableau,
                                   pcs_arena *arena)
{
    const int32_t n = problem->n;
    e->tableau = tableau;
    e->row = PCS_ARENA_ARRAY(arena, uint8_t, n);
    e->column = PCS_ARENA_ARRAY(arena, uint8_t, n);
    e->aside = PCS_ARENA_ARRAY(arena, uint8_t, n);
    e->size = PCS_ARENA_ARRAY(arena, double, n);
    e->pair_row = PCS_ARENA_ARRAY(arena, int32_t, n);
    e->pair_column = PCS_ARENA_ARRAY(arena, int32_t, n);
    PCS_TRY(pcs_tableau_init(tableau, arena, n, n));
    if (!e->row || !e->column || !e->aside || !e->size || !e->pair_row || !e->pair_column)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        double *row = pcs_tableau_row(tableau, i);
        memcpy(row, problem->M + (int64_t)i * n, (size_t)n * sizeof *row);
        row[n] = problem->q[i];
        tableau->basic[i] = i;        // w_i
        tableau->nonbasic[i] = n + i; // z_i
        e->row[i] = e->column[i] = pcs_mlcp_is_equality(problem, i);
        e->pair_row[i] = e->pair_column[i] = e->row[i] ? -1 : i;
        e->size[i] = 0.0;
        e->aside[i] = 0;
    }
    return PCS_OK;
}

// The rows and columns of the LCP: complementary pairs, then split equalities.
static void list_rows(const elimination *e, pcs_mlcp_reduction *out)
{
    int32_t row = -1, column = -1;
    for (int32_t i = 0; i < out->n; i++) {
        if (e->pair_row[i] < 0)
            continue;
        out->row[out->m] = e->pair_row[i];
        out->column[out->m] = e->pair_column[i];
        out->sign[out->m++] = 1.0;
    }
    out->complementary = out->m;
    while ((row = next_flag(e->row, out->n, row + 1)) < out->n) {
        column = next_flag(e->column, out->n, column + 1);
        for (int side = 0; side < 2; side++) {
            out->row[out->m] = row;
            out->column[out->m] = column;
            out->sign[out->m++] = side == 0 ? 1.0 : -1.0;
        }
    }
}

pcs_status pcs_mlcp_reduce(const pcs_mlcp *problem, pcs_arena *arena, pcs_mlcp_reduction *out)
{
    const int32_t n = problem->n;
    elimination e;
    *out = (pcs_mlcp_reduction){.n = n};
    PCS_TRY(elimination_init(&e, problem, &out->tableau, arena));
    eliminate(&e);
    clear_rounding(&e); // before the exchanges, which must not pivot on it
    exchange(&e);
    clear_rounding(&e);
    out->row = PCS_ARENA_ARRAY(arena, int32_t, 2 * n);
    out->column = PCS_ARENA_ARRAY(arena, int32_t, 2 * n);
    out->sign = PCS_ARENA_ARRAY(arena, double, 2 * n);
    if (!out->row || !out->column || !out->sign)
        return PCS_ERROR_MEMORY;
    list_rows(&e, out);
    const int32_t m = out->m;
    const int64_t square = (int64_t)m * m;
    out->A = PCS_ARENA_ARRAY(arena, double, square);
    out->b = PCS_ARENA_ARRAY(arena, double, m);
    out->values = PCS_ARENA_ARRAY(arena, double, n);
    if (!out->A || !out->b || !out->values)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < m; i++) {
        const double *row = pcs_tableau_row(&out->tableau, out->row[i]);
        out->b[i] = out->sign[i] * row[n];
        for (int32_t j = 0; j < m; j++)
            out->A[(int64_t)i * m + j] = out->sign[i] * out->sign[j] * row[out->column[j]];
    }
    return PCS_OK;
}

void pcs_mlcp_recover(const pcs_mlcp_reduction *reduction, const double *x, bool direction,
                      double *z)
{
    const pcs_tableau *tableau = &reduction->tableau;
    const int32_t n = reduction->n;
    double *value =
        reduction->values; // of the nonbasic variables; those not in the LCP are w_e = 0
    memset(value, 0, (size_t)n * sizeof *value);
    memset(z, 0, (size_t)n * sizeof *z);
    for (int32_t k = 0; k < reduction->m; k++)
        value[reduction->column[k]] += reduction->sign[k] * x[k];
    for (int32_t i = 0; i < n; i++) {
        if (tableau->nonbasic[i] >= n)
            z[tableau->nonbasic[i] - n] = value[i];
        if (tableau->basic[i] >= n) {
            const double *row = pcs_tableau_row(tableau, i);
            double sum = direction ? 0.0 : row[n];
            for (int32_t j = 0; j < n; j++)
                sum += row[j] * value[j];
            z[tableau->basic[i] - n] = sum;
        }
    }
}

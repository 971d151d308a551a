// Lemke's complementary pivoting [CottlePangStone2009, alg. 4.4.5] on w = b + A z + d z0.
//
// z0 enters first and makes all rows nonnegative; then the complement of the variable that left
// last enters, until z0 leaves (solved) or nothing blocks (a secondary ray). Ties are broken by the
// lexicographic rule, that is as if b were b + (eps, eps^2, ..): no basis comes twice. For
// copositive-plus A, monotone ones among them, a ray means that the problem is infeasible.
//
// The tableau is computed anew from A every REFACTOR_EVERY pivots, and before a ray is believed
// unless it comes after few pivots. The last basis is refined against the data by the common
// polish.

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "nonsmooth/mlcp_internal.h"

enum {
    REFACTOR_EVERY = 40,
    RAY_BELIEVED = 8,     // pivots after which a ray is looked at again on a tableau computed anew
    PIVOTS_PER_ROW = 100, // the practice is 1 to 3; only built counterexamples need more
    PIVOTS_LEAST = 2000,
    STOP_CHECK_EVERY = 16
};
// Entries of the entering column below this part of its largest one are rounding.
static const double PIVOT_TOLERANCE = 1e-11;
// Ratios closer than this are a tie, left to the lexicographic rule.
static const double TIE_TOLERANCE = 1e-12;

// Variables: w_i = i, z_i = m + i, z0 = 2 m.
typedef struct lemke_work {
    int32_t m;
    const double *A, *b;
    double *d;
    pcs_tableau tableau;
    int32_t *column_of; // where w_j is nonbasic, or -1
    double *work;       // of pcs_tableau_recompute
    int32_t *pivot;
    int32_t age; // pivots since the tableau was computed
} lemke_work;

static pcs_status lemke_init(lemke_work *k, const pcs_mlcp_reduction *lcp, uint64_t random,
                             pcs_arena *arena)
{
    const int32_t m = lcp->m;
    *k = (lemke_work){.m = m, .A = lcp->A, .b = lcp->b};
    k->d = PCS_ARENA_ARRAY(arena, double, m);
    k->column_of = PCS_ARENA_ARRAY(arena, int32_t, m);
    k->work = PCS_ARENA_ARRAY(arena, double, m *(2 * (int64_t)m + 2));
    k->pivot = PCS_ARENA_ARRAY(arena, int32_t, m);
    PCS_TRY(pcs_tableau_init(&k->tableau, arena, m, m + 1));
    if (!k->d || !k->column_of || !k->work || !k->pivot)
        return PCS_ERROR_MEMORY;
    pcs_random source;
    pcs_random_init(&source, random);
    for (int32_t i = 0; i < m; i++) {
        double *row = pcs_tableau_row(&k->tableau, i);
        k->d[i] = random == 0 ? 1.0 : pcs_random_between(&source, 1.0, 4.0);
        memcpy(row, k->A + (int64_t)i * m, (size_t)m * sizeof *row);
        row[m] = k->d[i];
        row[m + 1] = k->b[i];
        k->tableau.basic[i] = i;
        k->tableau.nonbasic[i] = m + i;
    }
    k->tableau.nonbasic[m] = 2 * m;
    k->age = 0;
    return PCS_OK;
}

static bool refactor(lemke_work *k)
{
    k->age = 0;
    return pcs_tableau_recompute(&k->tableau, k->A, k->b, k->d, k->work, k->pivot);
}

// Coefficient of eps^(j+1) in the value of row r: w_j stands for w_j - eps^(j+1) everywhere.
static double perturbation(const lemke_work *k, int32_t r, int32_t j)
{
    if (k->column_of[j] >= 0)
        return -pcs_tableau_row(&k->tableau, r)[k->column_of[j]];
    return k->tableau.basic[r] == j ? 1.0 : 0.0;
}

// Whether row r goes before row s in the lexicographic ratio test with denominators p, t > 0.
static bool goes_before(const lemke_work *k, int32_t r, double p, int32_t s, double t)
{
    for (int32_t j = 0; j < k->m; j++) {
        const double a = perturbation(k, r, j) / p, b = perturbation(k, s, j) / t;
        if (fabs(a - b) > TIE_TOLERANCE * fmax(1.0, fmax(fabs(a), fabs(b))))
            return a < b;
    }
    return false;
}

static void locate_columns(lemke_work *k)
{
    for (int32_t j = 0; j < k->m; j++)
        k->column_of[j] = -1;
    for (int32_t c = 0; c < k->m + 1; c++)
        if (k->tableau.nonbasic[c] < k->m)
            k->column_of[k->tableau.nonbasic[c]] = c;
}

// Row of the variable that blocks first when `column` grows, or -1. z0 is preferred in a tie: the
// problem is then solved.
static int32_t blocking_row(lemke_work *k, int32_t column)
{
    const int32_t m = k->m;
    double largest = 0.0, first = INFINITY;
    for (int32_t i = 0; i < m; i++)
        largest = fmax(largest, fabs(pcs_tableau_row(&k->tableau, i)[column]));
    const double least = PIVOT_TOLERANCE * largest;
    for (int32_t i = 0; i < m; i++) {
        const double *row = pcs_tableau_row(&k->tableau, i);
        if (row[column] < -least)
            first = fmin(first, fmax(row[m + 1], 0.0) / -row[column]);
    }
    if (isinf(first))
        return -1;
    const double last = first + TIE_TOLERANCE * fmax(1.0, first);
    int32_t best = -1;
    double best_rate = 0.0;
    locate_columns(k);
    for (int32_t i = 0; i < m; i++) {
        const double *row = pcs_tableau_row(&k->tableau, i);
        const double rate = -row[column];
        if (rate <= least || fmax(row[m + 1], 0.0) / rate > last)
            continue;
        if (k->tableau.basic[i] == 2 * m)
            return i;
        if (best < 0 || goes_before(k, i, rate, best, best_rate)) {
            best = i;
            best_rate = rate;
        }
    }
    return best;
}

// The row that z0 enters in: the lexicographically smallest (b_i + eps^(i+1)) / d_i, hence the last
// one of a tie.
static int32_t first_row(const lemke_work *k)
{
    int32_t best = -1;
    double smallest = 0.0;
    for (int32_t i = 0; i < k->m; i++) {
        if (k->b[i] < 0.0 && k->b[i] / k->d[i] <= smallest) {
            smallest = k->b[i] / k->d[i];
            best = i;
        }
    }
    return best;
}

static int32_t column_with(const lemke_work *k, int32_t variable)
{
    for (int32_t c = 0; c < k->m + 1; c++)
        if (k->tableau.nonbasic[c] == variable)
            return c;
    return -1;
}

// z of the basis, or with column >= 0 of the ray in which it grows.
static void read_z(const lemke_work *k, int32_t column, double *x)
{
    const int32_t m = k->m;
    memset(x, 0, (size_t)m * sizeof *x);
    for (int32_t i = 0; i < m; i++) {
        const int32_t variable = k->tableau.basic[i];
        if (variable >= m && variable < 2 * m)
            x[variable - m] = fmax(0.0,
                                   pcs_tableau_row(&k->tableau, i)[column >= 0 ? column : m + 1]);
    }
    if (column >= 0 && k->tableau.nonbasic[column] >= m && k->tableau.nonbasic[column] < 2 * m)
        x[k->tableau.nonbasic[column] - m] = 1.0;
}

static pcs_lemke_end lemke_iterate(lemke_work *k, int32_t max_pivots, pcs_mlcp_run *run, double *x,
                                   int32_t *pivots)
{
    const int32_t m = k->m;
    int32_t column = m, row = first_row(k);
    memset(x, 0, (size_t)m * sizeof *x);
    if (row < 0)
        return PCS_LEMKE_SOLVED;
    for (int32_t count = 1;; count++) {
        const int32_t leaving = k->tableau.basic[row];
        pcs_tableau_pivot(&k->tableau, row, column);
        k->age++;
        ++*pivots;
        if (leaving == 2 * m) {
            read_z(k, -1, x);
            return PCS_LEMKE_SOLVED;
        }
        if (count >= max_pivots)
            return PCS_LEMKE_LIMIT;
        if (run && count % STOP_CHECK_EVERY == 0 && pcs_mlcp_is_stopped(run))
            return PCS_LEMKE_STOPPED;
        if (k->age >= REFACTOR_EVERY && !refactor(k))
            return PCS_LEMKE_BREAKDOWN;
        column = column_with(k, leaving < m ? leaving + m : leaving - m);
        row = blocking_row(k, column);
        if (row < 0 && k->age > RAY_BELIEVED) {
            if (!refactor(k))
                return PCS_LEMKE_BREAKDOWN;
            row = blocking_row(k, column);
        }
        if (row < 0) {
            read_z(k, column, x);
            return PCS_LEMKE_RAY;
        }
    }
}

pcs_status pcs_lemke_solve(const pcs_mlcp *problem, uint64_t random, int32_t max_pivots,
                           pcs_mlcp_run *run, pcs_arena *arena, double *y, pcs_lemke_end *end,
                           int32_t *pivots)
{
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    pcs_mlcp_reduction lcp;
    lemke_work work;
    pcs_status status = pcs_mlcp_reduce(problem, arena, &lcp);
    if (status == PCS_OK)
        status = lemke_init(&work, &lcp, random, arena);
    double *x = status == PCS_OK ? PCS_ARENA_ARRAY(arena, double, lcp.m) : NULL;
    if (status == PCS_OK && !x)
        status = PCS_ERROR_MEMORY;
    if (status == PCS_OK) {
        const int32_t fallback = lcp.m < PIVOTS_LEAST / PIVOTS_PER_ROW ? PIVOTS_LEAST
                                                                       : PIVOTS_PER_ROW * lcp.m;
        *end = lemke_iterate(&work, max_pivots > 0 ? max_pivots : fallback, run, x, pivots);
        pcs_mlcp_recover(&lcp, x, *end == PCS_LEMKE_RAY, y);
    }
    pcs_arena_release(arena, mark);
    return status;
}

static void explain_end(pcs_mlcp_run *run, pcs_lemke_end end, int32_t pivots, int32_t covers)
{
    if (end == PCS_LEMKE_RAY)
        pcs_mlcp_explain(run,
                         "ray termination: nothing blocks after %d pivots, with %d covering "
                         "vectors; infeasible if M is copositive-plus",
                         pivots, covers);
    else if (end == PCS_LEMKE_LIMIT)
        pcs_mlcp_explain(run, "Lemke: no end after %d pivots; raise max_iterations", pivots);
    else if (end == PCS_LEMKE_BREAKDOWN)
        pcs_mlcp_explain(run, "Lemke: a basis is singular to rounding after %d pivots", pivots);
    else if (end == PCS_LEMKE_SOLVED)
        pcs_mlcp_explain(run, "Lemke: the last basis is too ill-conditioned for the tolerance");
}

pcs_status pcs_mlcp_lemke(pcs_mlcp_run *run, const double *option, double *y, int32_t *iterations)
{
    const int32_t covers = (int32_t)option[0];
    pcs_lemke_end end = PCS_LEMKE_STOPPED;
    for (int32_t trial = 0; trial < covers && !run->done && !run->stopped; trial++) {
        PCS_TRY(pcs_lemke_solve(&run->scaled, (uint64_t)trial, run->opts->max_iterations, run,
                                run->arena, y, &end, iterations));
        if (end == PCS_LEMKE_SOLVED && !pcs_mlcp_offer(run, y))
            PCS_TRY(pcs_mlcp_polish(run, y));
    }
    if (!run->done)
        explain_end(run, end, *iterations, covers);
    return PCS_OK;
}

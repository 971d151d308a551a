// Principal pivoting for P and for monotone matrices, on the LCP without equalities.
//
// dantzig [CottlePangStone2009, alg. 4.2.2 and 4.3.2; Baraff1994]: a row r with a negative variable
// drives its nonbasic complement upward until its own variable reaches zero, while nonnegative rows
// stay so: a row s that would become negative is pivoted in its own place if t_ss > 0; if t_ss = 0
// it changes places with row r (a pivot of two rows), and the driving variable is from then on the
// complement of what it was. If nothing falls at all a monotone problem is infeasible: t_rr = 0
// makes t_rj = -t_jr <= 0, so that row r can never rise.
//
// murty: pivot on the first negative row until there is none; finite for P-matrices.
// Row i and column i always hold a complementary pair, so that every basis is complementary.
#include <math.h>
#include <string.h>

#include "nonsmooth/mlcp_internal.h"

enum {
    PIVOTS_PER_ROW = 200,
    PIVOTS_LEAST = 5000,
    RECOMPUTE_EVERY = 20, // pivots, after which the tableau is computed anew
    ROUNDS_MAX = 5        // over the rows, on tableaus computed anew
};
enum { RULE_DANTZIG, RULE_MURTY }; // order of the choices in the option table
// Entries of the tableau below `entry` are zero, constants above -`constant` nonnegative (data ~
// 1). Rounding may make a zero into a pivot or negative, and on singular matrices nothing good
// comes of it. A failure is followed by a try with the next pair.
typedef struct zero_level {
    double entry, constant;
} zero_level;
static const zero_level zero_levels[] = {{1e-11, 1e-14}, {1e-8, 1e-11}, {1e-6, 1e-8}};

typedef enum pivot_end {
    END_SOLVED,
    END_NOTHING_FALLS,  // and the driving row cannot rise
    END_NEGATIVE_FALLS, // only rows that are negative anyway fall, for every driving row
    END_UNSUITABLE,     // a diagonal entry of the wrong sign
    END_LIMIT
} pivot_end;

typedef struct pivot_work {
    pcs_tableau tableau;
    const pcs_mlcp_reduction *lcp;
    double *work; // of pcs_tableau_recompute
    int32_t *pivot;
    pcs_mlcp_run *run;
    int32_t limit, pivots;
    zero_level zero;
    int32_t row;      // where it ended
    uint8_t *guarded; // rows that must stay nonnegative
} pivot_work;

static double at(const pivot_work *k, int32_t i, int32_t j)
{
    return pcs_tableau_row(&k->tableau, i)[j];
}

static bool recompute(pivot_work *k)
{
    return pcs_tableau_recompute(&k->tableau, k->lcp->A, k->lcp->b, NULL, k->work, k->pivot);
}

static bool count_pivot(pivot_work *k)
{
    k->pivots++;
    if (k->pivots % RECOMPUTE_EVERY == 0)
        return recompute(k) && k->pivots < k->limit && !pcs_mlcp_is_stopped(k->run);
    return k->pivots < k->limit;
}

// The guarded row that reaches zero first when column p grows from t; *at_value there. *falling
// tells whether any row falls, guarded or not.
static int32_t blocking_row(const pivot_work *k, int32_t p, bool flipped, double t,
                            double *at_value, bool *falling)
{
    int32_t best = -1;
    *at_value = INFINITY;
    *falling = false;
    for (int32_t i = 0; i < k->tableau.rows; i++) {
        const double rate = at(k, i, p);
        if ((i == p && !flipped) || rate >= -k->zero.entry)
            continue;
        *falling = true;
        const double value = fmax(t, -pcs_tableau_constant(&k->tableau, i) / rate);
        if (k->guarded[i] && value < *at_value) {
            *at_value = value;
            best = i;
        }
    }
    return best;
}

// Places of the pivot of two rows change: what drove is basic at s, its complement drives there.
static bool exchange_places(pivot_work *k, int32_t p, int32_t s)
{
    pcs_tableau_pivot(&k->tableau, s, p);
    if (fabs(at(k, p, s)) <= k->zero.entry)
        return false;
    pcs_tableau_pivot(&k->tableau, p, s);
    k->guarded[p] = k->guarded[s] = 1;
    return true;
}

// Makes row r's variable, which is negative, zero; the rows that are nonnegative stay so.
static pivot_end drive(pivot_work *k, int32_t r)
{
    pcs_tableau *tableau = &k->tableau;
    int32_t p = r;        // place of the driving pair
    bool flipped = false; // the negative variable itself is nonbasic, at t < 0
    double t = 0.0;       // value of the driving variable
    for (int32_t i = 0; i < tableau->rows; i++)
        k->guarded[i] = pcs_tableau_constant(tableau, i) >= -k->zero.constant;
    for (;;) {
        double blocked = 0.0, end = INFINITY;
        bool falling;
        const int32_t s = blocking_row(k, p, flipped, t, &blocked, &falling);
        if (flipped)
            end = fmax(t, 0.0);
        else if (at(k, p, p) > k->zero.entry)
            end = fmax(t, -pcs_tableau_constant(tableau, p) / at(k, p, p));
        k->row = p;
        if (s < 0 && isinf(end)) {
            if (at(k, p, p) < -k->zero.entry)
                return END_UNSUITABLE;
            return falling ? END_NEGATIVE_FALLS : END_NOTHING_FALLS;
        }
        if (!count_pivot(k))
            return END_LIMIT;
        if (end <= blocked + k->zero.constant) { // in a tie the row is mended
            if (!flipped)
                pcs_tableau_pivot(tableau, p, p);
            return END_SOLVED;
        }
        k->row = s;
        if (at(k, s, s) < -k->zero.entry || s == p)
            return END_UNSUITABLE;
        if (at(k, s, s) > k->zero.entry) {
            pcs_tableau_pivot(tableau, s, s);
            t = blocked;
            continue;
        }
        t = pcs_tableau_constant(tableau, p) + at(k, p, p) * blocked;
        if (!exchange_places(k, p, s))
            return END_UNSUITABLE;
        p = s;
        flipped = !flipped;
    }
}

// Drives the negative rows in turn. One that only pushes other negative rows down waits until those
// are mended. At the end the tableau of the last basis is computed anew, in case rounding hid
// something.
static pivot_end solve_dantzig(pivot_work *k)
{
    for (int round = 0; round < ROUNDS_MAX;) {
        pivot_end last = END_SOLVED;
        bool progress = false;
        for (int32_t r = 0; r < k->tableau.rows; r++) {
            if (pcs_tableau_constant(&k->tableau, r) >= -k->zero.constant)
                continue;
            const pivot_end end = drive(k, r);
            if (end != END_SOLVED && end != END_NEGATIVE_FALLS)
                return end;
            progress = progress || end == END_SOLVED;
            last = end != END_SOLVED ? end : last;
        }
        if (last != END_SOLVED && !progress)
            return last;
        if (!progress || !recompute(k))
            return END_SOLVED;
        round += last == END_SOLVED;
    }
    return END_SOLVED;
}

static pivot_end solve_murty(pivot_work *k)
{
    for (;;) {
        int32_t r = 0;
        while (r < k->tableau.rows && pcs_tableau_constant(&k->tableau, r) >= -k->zero.constant)
            r++;
        if (r == k->tableau.rows)
            return END_SOLVED;
        k->row = r;
        if (at(k, r, r) <= k->zero.entry)
            return END_UNSUITABLE;
        pcs_tableau_pivot(&k->tableau, r, r);
        if (!count_pivot(k))
            return END_LIMIT;
    }
}

static pcs_status work_init(pivot_work *k, pcs_mlcp_run *run, const pcs_mlcp_reduction *lcp,
                            zero_level zero)
{
    const int32_t m = lcp->m;
    const int32_t fallback = m < PIVOTS_LEAST / PIVOTS_PER_ROW ? PIVOTS_LEAST : PIVOTS_PER_ROW * m;
    *k = (pivot_work){.lcp = lcp, .run = run, .zero = zero, .limit = pcs_mlcp_limit(run, fallback)};
    k->work = PCS_ARENA_ARRAY(run->arena, double, m *(2 * (int64_t)m + 1));
    k->pivot = PCS_ARENA_ARRAY(run->arena, int32_t, m);
    PCS_TRY(pcs_tableau_init(&k->tableau, run->arena, m, m));
    k->guarded = PCS_ARENA_ARRAY(run->arena, uint8_t, m);
    if (!k->work || !k->pivot || !k->guarded)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < m; i++) {
        double *row = pcs_tableau_row(&k->tableau, i);
        memcpy(row, lcp->A + (int64_t)i * m, (size_t)m * sizeof *row);
        row[m] = lcp->b[i];
        k->tableau.basic[i] = i;
        k->tableau.nonbasic[i] = m + i;
    }
    return PCS_OK;
}

static pcs_status explain_end(pcs_mlcp_run *run, pivot_end end, const pivot_work *k, int32_t rule)
{
    bool monotone = false;
    PCS_TRY(pcs_mlcp_is_monotone(&run->scaled, run->arena, &monotone));
    if (end == END_NOTHING_FALLS && monotone)
        pcs_mlcp_explain(run,
                         "pivoting: nothing stops row %d of the reduced problem; M is "
                         "monotone, so that the problem is infeasible",
                         k->row);
    else if (end == END_NOTHING_FALLS)
        pcs_mlcp_explain(run,
                         "pivoting: nothing stops row %d of the reduced problem, and M is not "
                         "monotone; use auto or lemke",
                         k->row);
    else if (end == END_UNSUITABLE)
        pcs_mlcp_explain(run,
                         "pivoting: M is not %s, which shows in row %d after %d pivots; use auto "
                         "or lemke",
                         rule == RULE_MURTY ? "a P-matrix" : "monotone nor a P-matrix", k->row,
                         k->pivots);
    else if (end == END_LIMIT)
        pcs_mlcp_explain(run, "pivoting: no end after %d pivots; raise max_iterations", k->pivots);
    else
        pcs_mlcp_explain(run, "pivoting: the last basis is too ill-conditioned for the tolerance");
    return PCS_OK;
}

static pcs_status pivot_once(pcs_mlcp_run *run, int32_t rule, zero_level zero, double *y,
                             int32_t *iterations)
{
    pcs_mlcp_reduction lcp;
    pivot_work work;
    PCS_TRY(pcs_mlcp_reduce(&run->scaled, run->arena, &lcp));
    PCS_TRY(work_init(&work, run, &lcp, zero));
    double *x = PCS_ARENA_ARRAY(run->arena, double, lcp.m);
    if (!x)
        return PCS_ERROR_MEMORY;
    const pivot_end end = rule == RULE_MURTY ? solve_murty(&work) : solve_dantzig(&work);
    *iterations += work.pivots;
    memset(x, 0, (size_t)lcp.m * sizeof *x);
    for (int32_t i = 0; i < lcp.m; i++)
        if (work.tableau.basic[i] >= lcp.m)
            x[work.tableau.basic[i] - lcp.m] = fmax(0.0, pcs_tableau_constant(&work.tableau, i));
    pcs_mlcp_recover(&lcp, x, false, y);
    if (!pcs_mlcp_offer(run, y) && end == END_SOLVED)
        PCS_TRY(pcs_mlcp_polish(run, y));
    return run->done ? PCS_OK : explain_end(run, end, &work, rule);
}

pcs_status pcs_mlcp_pivot(pcs_mlcp_run *run, const double *option, double *y, int32_t *iterations)
{
    pcs_status status = PCS_OK;
    for (size_t i = 0; i < sizeof zero_levels / sizeof *zero_levels; i++) {
        const pcs_arena_mark mark = pcs_arena_get_mark(run->arena);
        status = pivot_once(run, (int32_t)option[0], zero_levels[i], y, iterations);
        pcs_arena_release(run->arena, mark);
        if (status < 0 || run->done || run->stopped)
            break;
    }
    return status;
}

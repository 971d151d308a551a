// All solutions of a small MLCP: for each of the 2^m sets a of complementarity rows the system
//
//     w_i = 0 (i in a),   z_j = 0 (j not in a),   with z_a >= 0 and w >= 0 elsewhere,
//
// after the free variables are eliminated as far as they can be; the others stay in every system
// (and where the elimination needed it a pair has changed the roles of z and w, which changes
// nothing). A solution is counted for its support alone, a = { z_i > 0 }, so that a degenerate
// one, found in several bases, counts once. A singular system has no solution, or a polyhedron of
// them (face.h): where that is more than a point the problem has a continuum, and conversely every
// continuum shows up in this way, because infinitely many of its points have the same support.
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "nonsmooth/face.h"
#include "nonsmooth/mlcp_run.h"

enum { STOP_CHECK_EVERY = 4096 };
// z_i below this (of the largest, at least 1) is not in the support, w_i above minus it is >= 0.
static const double SIGN_TOLERANCE = 1e-10;
// Pivots that span more than this may belong to a singular matrix, which is left to the face.
static const double RANK_TOLERANCE = 1e-10;

typedef struct enumeration {
    pcs_mlcp problem;           // scaled
    const double *column_scale; // z = column_scale y
    pcs_mlcp_reduction reduced;
    int32_t m;             // complementary pairs
    int32_t leftover;      // free variables that are in every system
    int32_t k;             // unknowns of the present one: first the set a, then the free ones
    int32_t *row, *column; // of the tableau
    int32_t *unknown;      // of the reduced LCP
    double *B, *rhs, *x, *y;
    int32_t *pivot;
    double *G, *g; // inequalities of a face
    pcs_arena *arena;
    int32_t count;
    int32_t undecided; // singular bases that could not be settled
    int32_t capacity;
    double *solutions; // capacity x n
    double *first;     // the first one in scaled units
} enumeration;

static pcs_status enumeration_init(enumeration *e, pcs_arena *arena)
{
    const int32_t n = e->problem.n;
    const int64_t square = (int64_t)n * n;
    e->arena = arena;
    PCS_TRY(pcs_mlcp_reduce(&e->problem, arena, &e->reduced));
    e->m = e->reduced.complementary;
    e->leftover = (e->reduced.m - e->m) / 2;
    e->row = PCS_ARENA_ARRAY(arena, int32_t, n);
    e->column = PCS_ARENA_ARRAY(arena, int32_t, n);
    e->unknown = PCS_ARENA_ARRAY(arena, int32_t, n);
    e->B = PCS_ARENA_ARRAY(arena, double, square);
    e->rhs = PCS_ARENA_ARRAY(arena, double, n);
    e->x = PCS_ARENA_ARRAY(arena, double, n);
    e->y = PCS_ARENA_ARRAY(arena, double, e->reduced.m);
    e->pivot = PCS_ARENA_ARRAY(arena, int32_t, n);
    e->G = PCS_ARENA_ARRAY(arena, double, square);
    e->g = PCS_ARENA_ARRAY(arena, double, n);
    e->first = PCS_ARENA_ARRAY(arena, double, n);
    if (!e->row || !e->column || !e->unknown || !e->B || !e->rhs || !e->x || !e->y || !e->pivot ||
        !e->G || !e->g || !e->first)
        return PCS_ERROR_MEMORY;
    return PCS_OK;
}

static double tableau_at(const enumeration *e, int32_t i, int32_t j)
{
    return pcs_tableau_row(&e->reduced.tableau, i)[j];
}

static void build_system(enumeration *e, uint32_t set)
{
    const pcs_mlcp_reduction *reduced = &e->reduced;
    e->k = 0;
    for (int32_t l = 0; l < reduced->m; l++) { // of a split variable only the first half
        if (l < e->m ? (set >> l & 1u) != 0 : (l - e->m) % 2 == 0) {
            e->row[e->k] = reduced->row[l];
            e->column[e->k] = reduced->column[l];
            e->unknown[e->k++] = l;
        }
    }
    for (int32_t i = 0; i < e->k; i++) {
        const double *row = pcs_tableau_row(&reduced->tableau, e->row[i]);
        e->rhs[i] = -row[e->problem.n];
        for (int32_t j = 0; j < e->k; j++)
            e->B[(int64_t)i * e->k + j] = row[e->column[j]];
    }
}

// The part of x that is z_a counts as the support, and w >= 0 outside of a.
static bool is_solution(const enumeration *e, uint32_t set)
{
    const int32_t in_set = e->k - e->leftover;
    double size = 1.0;
    for (int32_t i = 0; i < in_set; i++) // most bases end here
        if (!(e->x[i] > 0.0))
            return false;
    for (int32_t i = 0; i < e->k; i++)
        size = fmax(size, fabs(e->x[i]));
    for (int32_t i = 0; i < in_set; i++)
        if (!(e->x[i] > SIGN_TOLERANCE * size))
            return false;
    for (int32_t i = 0; i < e->m; i++) {
        if (set >> i & 1u)
            continue;
        const double *row = pcs_tableau_row(&e->reduced.tableau, e->reduced.row[i]);
        double w = row[e->problem.n];
        for (int32_t j = 0; j < e->k; j++)
            w += row[e->column[j]] * e->x[j];
        if (!(w >= -SIGN_TOLERANCE * size))
            return false;
    }
    return true;
}

// x to z, the eliminated variables included
static void keep_solution(enumeration *e)
{
    const pcs_mlcp_reduction *reduced = &e->reduced;
    const int32_t n = e->problem.n;
    double *z = e->G;
    memset(e->y, 0, (size_t)reduced->m * sizeof *e->y);
    for (int32_t i = 0; i < e->k; i++)
        e->y[e->unknown[i]] = e->x[i];
    pcs_mlcp_recover(reduced, e->y, false, z);
    if (e->count == 0)
        memcpy(e->first, z, (size_t)n * sizeof *z);
    if (e->solutions && e->count < e->capacity)
        for (int32_t i = 0; i < n; i++)
            e->solutions[(int64_t)e->count * n + i] = e->column_scale[i] * z[i];
    e->count++;
}

// A singular system: empty, a point (which must have the support), or the continuum.
static pcs_status visit_face(enumeration *e, uint32_t set, bool *many)
{
    const int32_t k = e->k, in_set = k - e->leftover;
    pcs_face_kind kind;
    build_system(e, set);
    for (int32_t i = 0; i < k; i++)
        e->rhs[i] = -e->rhs[i];
    memset(e->G, 0, (size_t)e->m * (size_t)k * sizeof *e->G);
    for (int32_t i = 0; i < in_set; i++) {
        e->G[(int64_t)i * k + i] = 1.0;
        e->g[i] = 0.0;
    }
    for (int32_t i = 0, l = in_set; i < e->m; i++) {
        if (set >> i & 1u)
            continue;
        for (int32_t j = 0; j < k; j++)
            e->G[(int64_t)l * k + j] = tableau_at(e, e->reduced.row[i], e->column[j]);
        e->g[l++] = tableau_at(e, e->reduced.row[i], e->problem.n);
    }
    const pcs_face face = {k, e->m, e->B, e->rhs, e->G, e->g};
    PCS_TRY(pcs_face_probe(&face, e->arena, e->x, &kind));
    if (kind == PCS_FACE_UNDECIDED)
        e->undecided++;
    *many = kind == PCS_FACE_MANY;
    if (*many || (kind == PCS_FACE_POINT && is_solution(e, set)))
        keep_solution(e);
    return PCS_OK;
}

static pcs_status visit(enumeration *e, uint32_t set, bool *many)
{
    build_system(e, set);
    memcpy(e->x, e->rhs, (size_t)e->k * sizeof *e->x);
    double smallest = INFINITY, largest = 0.0;
    if (e->k > 0 && pcs_dense_small_factor(e->k, e->B, e->pivot) >= 0)
        return visit_face(e, set, many);
    for (int32_t i = 0; i < e->k; i++) {
        smallest = fmin(smallest, fabs(e->B[(int64_t)i * e->k + i]));
        largest = fmax(largest, fabs(e->B[(int64_t)i * e->k + i]));
    }
    if (smallest < RANK_TOLERANCE * largest)
        return visit_face(e, set, many);
    pcs_dense_small_solve(e->k, e->B, e->pivot, e->x);
    if (is_solution(e, set))
        keep_solution(e);
    return PCS_OK;
}

// All bases, or until a continuum is found: the count is then settled.
static pcs_status enumerate_all(enumeration *e, pcs_mlcp_run *run, int32_t *visited)
{
    bool many = false;
    const uint32_t bases = 1u << e->m;
    for (uint32_t set = 0; set < bases && !many; set++) {
        if (run && set % STOP_CHECK_EVERY == 0 && pcs_mlcp_is_stopped(run))
            return PCS_OK;
        PCS_TRY(visit(e, set, &many));
        ++*visited;
    }
    if (many || e->count > PCS_SOLUTIONS_MANY)
        e->count = PCS_SOLUTIONS_MANY;
    return PCS_OK;
}

static int32_t count_complementary(const pcs_mlcp *problem)
{
    int32_t m = 0;
    for (int32_t i = 0; i < problem->n; i++)
        m += !pcs_mlcp_is_equality(problem, i);
    return m;
}

pcs_status pcs_mlcp_enumerate(const pcs_mlcp *problem, pcs_arena *arena, int32_t capacity,
                              double *solutions, int32_t *count)
{
    *count = -1;
    PCS_TRY(pcs_mlcp_check(problem, arena->ctx, NULL));
    if (count_complementary(problem) > PCS_ENUMERATE_MAX)
        return PCS_NOT_CONVERGED;
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    double *row_scale = PCS_ARENA_ARRAY(arena, double, problem->n);
    double *column_scale = PCS_ARENA_ARRAY(arena, double, problem->n);
    enumeration e = {.capacity = capacity, .solutions = solutions, .column_scale = column_scale};
    int32_t visited = 0;
    pcs_status status = row_scale && column_scale ? PCS_OK : PCS_ERROR_MEMORY;
    if (status == PCS_OK)
        status = pcs_mlcp_scale(problem, arena, row_scale, column_scale, &e.problem);
    if (status == PCS_OK)
        status = enumeration_init(&e, arena);
    if (status == PCS_OK)
        status = enumerate_all(&e, NULL, &visited);
    if (status == PCS_OK)
        *count = e.count;
    if (status == PCS_OK && e.undecided > 0 && e.count < PCS_SOLUTIONS_MANY)
        status = PCS_NOT_CONVERGED; // the count is a lower bound
    pcs_arena_release(arena, mark);
    return status;
}

static pcs_status enumerate_run(pcs_mlcp_run *run, int32_t *iterations)
{
    enumeration e = {.problem = run->scaled, .column_scale = run->column_scale};
    PCS_TRY(enumeration_init(&e, run->arena));
    PCS_TRY(enumerate_all(&e, run, iterations));
    if (run->stopped)
        return PCS_OK;
    if (e.undecided == 0)
        run->info->solutions = e.count;
    if (e.count > 0 && !pcs_mlcp_offer(run, e.first))
        PCS_TRY(pcs_mlcp_polish(run, e.first));
    if (run->done)
        return PCS_OK;
    if (e.count > 0)
        pcs_mlcp_explain(run, "enumeration: a basis has a solution, but too ill-conditioned for "
                              "the tolerance");
    else if (e.undecided > 0)
        pcs_mlcp_explain(run,
                         "enumeration: no solution in the regular bases; %d singular ones "
                         "could not be decided",
                         e.undecided);
    else
        pcs_mlcp_explain(run, "no solution: all 2^%d bases tried", e.m);
    return PCS_OK;
}

pcs_status pcs_mlcp_enumerate_bases(pcs_mlcp_run *run, const double *option, double *y,
                                    int32_t *iterations)
{
    (void)option;
    (void)y;
    if (count_complementary(run->problem) > PCS_ENUMERATE_MAX) {
        pcs_mlcp_explain(run, "enumeration: more than %d complementarity rows; use auto",
                         PCS_ENUMERATE_MAX);
        return PCS_OK;
    }
    const pcs_arena_mark mark = pcs_arena_get_mark(run->arena);
    const pcs_status status = enumerate_run(run, iterations);
    pcs_arena_release(run->arena, mark);
    return status;
}

// The run of an MLCP solver: equilibration, measuring of iterates, and the polish.
//
// Equilibration is Ruiz' iteration in the maximum norm, D <- D max(row, column)^(-1/2) of D M D,
// the same scales on both sides because that keeps M monotone. If a row is then still far below 1
// while its column is not, M is not monotone: m_ji = a and m_ij = 0 need 4 m_ii m_jj >= a^2.
// Only then rows and columns get scales of their own.
#include "nonsmooth/mlcp_run.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "linalg/dense.h"
#include "nonsmooth/friction_contact.h"

enum { RUIZ_STEPS = 20, POLISH_ROUNDS = 6, REFINEMENTS = 3 };
// Norms end in (1/4, 1]; of a monotone M no row is then below a^2/4 >= 1/64 while its column is
// not.
static const double LOPSIDED = 1e-3;
// A level of rounding above this is not the end of a solve but of the meaning of z.
static const double ROUNDING_MOST = 1e-6;
// Singular values below this part of the largest are zero for the polish.
static const double RANK_TOLERANCE = 1e-11;

static double power_of_two(double x)
{
    int exponent = 0;
    (void)frexp(x, &exponent);
    return x > 0.0 && isfinite(x) ? ldexp(1.0, exponent - 1) : 1.0;
}

// The largest entries of row i and of column i of R M C
static void line_norms(const pcs_mlcp *problem, const double *row_scale, const double *column_scale,
                       int32_t i, double *row, double *column)
{
    const int32_t n = problem->n;
    *row = *column = 0.0;
    for (int32_t j = 0; j < n; j++) {
        *row = fmax(*row, fabs(row_scale[i] * problem->M[(int64_t)i * n + j] * column_scale[j]));
        *column = fmax(*column,
                       fabs(row_scale[j] * problem->M[(int64_t)j * n + i] * column_scale[i]));
    }
}

static void ruiz(const pcs_mlcp *problem, bool symmetric, double *row_scale, double *column_scale)
{
    for (int step = 0; step < RUIZ_STEPS; step++) {
        bool changed = false;
        for (int32_t i = 0; i < problem->n; i++) {
            double row, column;
            line_norms(problem, row_scale, column_scale, i, &row, &column);
            if (symmetric)
                row = column = fmax(row, column);
            // scales stay powers of two; a norm in (1/4, 1] is left alone
            const double by_row = power_of_two(1.0 / sqrt(row > 0.0 ? row : 1.0));
            const double by_column = power_of_two(1.0 / sqrt(column > 0.0 ? column : 1.0));
            changed = changed || by_row != 1.0 || by_column != 1.0;
            row_scale[i] *= by_row;
            column_scale[i] *= by_column;
        }
        if (!changed)
            return;
    }
}

void pcs_mlcp_equilibrate(const pcs_mlcp *problem, double *row_scale, double *column_scale)
{
    for (int32_t i = 0; i < problem->n; i++)
        row_scale[i] = column_scale[i] = 1.0;
    ruiz(problem, true, row_scale, column_scale);
    for (int32_t i = 0; i < problem->n; i++) {
        double row, column;
        line_norms(problem, row_scale, column_scale, i, &row, &column);
        if (fmin(row, column) < LOPSIDED * fmax(row, column)) {
            ruiz(problem, false, row_scale, column_scale);
            return;
        }
    }
}

pcs_status pcs_mlcp_scale(const pcs_mlcp *problem, pcs_arena *arena, double *row_scale,
                          double *column_scale, pcs_mlcp *scaled)
{
    const int32_t n = problem->n;
    const int64_t square = (int64_t)n * n;
    double *M = PCS_ARENA_ARRAY(arena, double, square);
    double *q = PCS_ARENA_ARRAY(arena, double, n);
    if (!M || !q)
        return PCS_ERROR_MEMORY;
    pcs_mlcp_equilibrate(problem, row_scale, column_scale);
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            M[(int64_t)i * n + j] = row_scale[i] * problem->M[(int64_t)i * n + j] * column_scale[j];
        q[i] = row_scale[i] * problem->q[i];
        largest = fmax(largest, fabs(q[i]));
    }
    const double size = power_of_two(largest);
    for (int32_t i = 0; i < n; i++) {
        q[i] /= size;
        column_scale[i] *= size;
    }
    *scaled = (pcs_mlcp){n, M, q, problem->equality};
    return PCS_OK;
}

// Whether a residual can be believed: along a ray of huge z the terms of w cancel to a zero that is
// only rounding, of the extended precision that w is computed in.
static bool is_credible(const pcs_mlcp_run *run, const double *z, double residual)
{
    const double extended = (double)(2.0L * run->problem->n * LDBL_EPSILON / DBL_EPSILON);
    const pcs_residual level = pcs_mlcp_rounding(run->problem, z);
    return extended * pcs_residual_in(&level, run->opts->measure) <=
           fmax(residual, run->opts->tolerance);
}

pcs_status pcs_mlcp_run_init(pcs_mlcp_run *run, const pcs_mlcp *problem, const pcs_solve_opts *opts,
                             pcs_arena *arena, const double *z, pcs_solve_info *info)
{
    const int32_t n = problem->n;
    *run = (pcs_mlcp_run){.problem = problem, .opts = opts, .arena = arena, .info = info};
    run->started = run->stage_started = pcs_timer_now();
    run->row_scale = PCS_ARENA_ARRAY(arena, double, n);
    run->column_scale = PCS_ARENA_ARRAY(arena, double, n);
    run->z = PCS_ARENA_ARRAY(arena, double, n);
    run->w = PCS_ARENA_ARRAY(arena, double, n);
    run->best = PCS_ARENA_ARRAY(arena, double, n);
    if (!run->row_scale || !run->column_scale || !run->z || !run->w || !run->best)
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_mlcp_scale(problem, arena, run->row_scale, run->column_scale, &run->scaled));
    memcpy(run->best, z, (size_t)n * sizeof *z);
    run->best_residual = pcs_mlcp_measure(problem, z, NULL);
    const double residual = pcs_residual_in(&run->best_residual, opts->measure);
    run->done = residual <= opts->tolerance && is_credible(run, z, residual);
    return PCS_OK;
}

void pcs_mlcp_run_start(const pcs_mlcp_run *run, const double *z, double *y)
{
    for (int32_t i = 0; i < run->problem->n; i++)
        y[i] = z[i] / run->column_scale[i];
}

bool pcs_mlcp_is_stopped(pcs_mlcp_run *run)
{
    const pcs_solve_opts *opts = run->opts;
    if (opts->max_time > 0.0 && pcs_timer_now() - run->started > opts->max_time)
        run->stopped = true;
    if (opts->stop && opts->stop(opts->stop_user))
        run->stopped = true;
    return run->stopped;
}

bool pcs_mlcp_offer(pcs_mlcp_run *run, const double *y)
{
    const pcs_measure measure = run->opts->measure;
    for (int32_t i = 0; i < run->problem->n; i++)
        run->z[i] = run->column_scale[i] * y[i];
    const pcs_residual residual = pcs_mlcp_measure(run->problem, run->z, run->w);
    const double now = pcs_residual_in(&residual, measure);
    const double before = pcs_residual_in(&run->best_residual, measure);
    if ((now < before || (isnan(before) && !isnan(now))) && is_credible(run, run->z, now)) {
        memcpy(run->best, run->z, (size_t)run->problem->n * sizeof *run->z);
        run->best_residual = residual;
        run->done = run->done || now <= run->opts->tolerance;
    }
    return pcs_mlcp_is_stopped(run) || run->done;
}

void pcs_mlcp_explain(pcs_mlcp_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(run->info->reason, sizeof run->info->reason, format, arguments);
    va_end(arguments);
}

int32_t pcs_mlcp_limit(const pcs_mlcp_run *run, int32_t fallback)
{
    return run->opts->max_iterations > 0 ? run->opts->max_iterations : fallback;
}

typedef struct polish_work {
    double *y, *w;
    int32_t *active;  // rows of the system
    double *A, *LU;   // n x n
    double *rhs, *dy; // n
    int32_t *pivot;
    double *lapack;
    int32_t lapack_size;
} polish_work;

static pcs_status polish_init(polish_work *p, int32_t n, pcs_arena *arena)
{
    const int64_t square = (int64_t)n * n;
    p->y = PCS_ARENA_ARRAY(arena, double, n);
    p->w = PCS_ARENA_ARRAY(arena, double, n);
    p->active = PCS_ARENA_ARRAY(arena, int32_t, n);
    p->A = PCS_ARENA_ARRAY(arena, double, square);
    p->LU = PCS_ARENA_ARRAY(arena, double, square);
    p->rhs = PCS_ARENA_ARRAY(arena, double, n);
    p->dy = PCS_ARENA_ARRAY(arena, double, n);
    p->pivot = PCS_ARENA_ARRAY(arena, int32_t, n);
    p->lapack_size = pcs_dense_least_squares_work_size(n, n);
    p->lapack = PCS_ARENA_ARRAY(arena, double, p->lapack_size);
    return p->y && p->w && p->active && p->A && p->LU && p->rhs && p->dy && p->pivot && p->lapack
               ? PCS_OK
               : PCS_ERROR_MEMORY;
}

// A LU factor whose pivots span more than the rank tolerance is not to be trusted.
static bool factor_active(polish_work *p, int32_t k)
{
    memcpy(p->LU, p->A, (size_t)k * (size_t)k * sizeof *p->A);
    if (pcs_dense_lu_factor(k, p->LU, p->pivot) >= 0)
        return false;
    double smallest = INFINITY, largest = 0.0;
    for (int32_t i = 0; i < k; i++) {
        const double pivot = fabs(p->LU[(int64_t)i * k + i]);
        smallest = fmin(smallest, pivot);
        largest = fmax(largest, pivot);
    }
    return smallest > RANK_TOLERANCE * largest;
}

// Moves y to w_i = 0 on the active rows, refined; a singular system gets the least correction.
static void solve_active(const pcs_mlcp *problem, polish_work *p, int32_t k)
{
    const int32_t n = problem->n;
    for (int32_t i = 0; i < k; i++)
        for (int32_t j = 0; j < k; j++)
            p->A[(int64_t)i * k + j] = problem->M[(int64_t)p->active[i] * n + p->active[j]];
    const bool regular = factor_active(p, k);
    for (int step = 0; step < REFINEMENTS; step++) {
        pcs_mlcp_compute_w(problem, p->y, p->w);
        for (int32_t i = 0; i < k; i++)
            p->rhs[i] = -p->w[p->active[i]];
        if (regular) {
            memcpy(p->dy, p->rhs, (size_t)k * sizeof *p->dy);
            pcs_dense_lu_solve(k, p->LU, p->pivot, 1, p->dy);
        } else {
            (void)pcs_dense_least_squares(k, k, p->A, p->rhs, RANK_TOLERANCE, p->dy, p->pivot,
                                          p->lapack, p->lapack_size);
        }
        for (int32_t i = 0; i < k; i++)
            p->y[p->active[i]] += p->dy[i];
    }
}

// Active rows of (y, w): equalities and z_i > w_i; the other z_i become zero.
static int32_t choose_active(const pcs_mlcp *problem, polish_work *p)
{
    int32_t k = 0;
    pcs_mlcp_compute_w(problem, p->y, p->w);
    for (int32_t i = 0; i < problem->n; i++) {
        if (pcs_mlcp_is_equality(problem, i) || p->y[i] > p->w[i])
            p->active[k++] = i;
        else
            p->y[i] = 0.0;
    }
    return k;
}

static void clip_negative(const pcs_mlcp *problem, double *y)
{
    for (int32_t i = 0; i < problem->n; i++)
        if (!pcs_mlcp_is_equality(problem, i) && y[i] < 0.0)
            y[i] = 0.0;
}

// Once within what rounding z to double can cause, no method gets further.
static void accept_rounding(pcs_mlcp_run *run)
{
    const pcs_residual level = pcs_mlcp_rounding(run->problem, run->best);
    const pcs_measure measure = run->opts->measure;
    if (!run->done && pcs_residual_in(&level, measure) <= ROUNDING_MOST &&
        pcs_residual_in(&run->best_residual, measure) <= pcs_residual_in(&level, measure))
        run->done = run->at_rounding = true;
}

pcs_status pcs_mlcp_polish(pcs_mlcp_run *run, const double *y)
{
    const int32_t n = run->scaled.n;
    const pcs_arena_mark mark = pcs_arena_get_mark(run->arena);
    polish_work p;
    pcs_status status = polish_init(&p, n, run->arena);
    if (status == PCS_OK) {
        memcpy(p.y, y, (size_t)n * sizeof *y);
        for (int round = 0; round < POLISH_ROUNDS; round++) {
            const int32_t k = choose_active(&run->scaled, &p);
            solve_active(&run->scaled, &p, k);
            run->info->factorisations++;
            memcpy(p.w, p.y, (size_t)n * sizeof *p.y);
            clip_negative(&run->scaled, p.w); // a z_i below zero by rounding counts as zero
            if (pcs_mlcp_offer(run, p.w) || pcs_mlcp_offer(run, p.y))
                break;
        }
        accept_rounding(run);
    }
    pcs_arena_release(run->arena, mark);
    return status;
}

void pcs_mlcp_run_stage(pcs_mlcp_run *run, const char *name, int32_t iterations)
{
    const double now = pcs_timer_now();
    pcs_solve_info *info = run->info;
    info->iterations += iterations;
    if (info->n_stages < PCS_SOLVE_STAGES_MAX)
        info->stage[info->n_stages++] = (pcs_solve_stage){
            name, iterations, now - run->stage_started,
            pcs_residual_in(&run->best_residual, run->opts->measure)};
    run->stage_started = now;
}

pcs_status pcs_mlcp_run_finish(pcs_mlcp_run *run, double *z, double *w)
{
    pcs_solve_info *info = run->info;
    memcpy(z, run->best, (size_t)run->problem->n * sizeof *z);
    info->residual = pcs_mlcp_measure(run->problem, z, w);
    info->at_rounding = run->at_rounding;
    info->seconds = pcs_timer_now() - run->started;
    if (run->done) {
        info->reason[0] = '\0';
        return PCS_OK;
    }
    if (run->stopped)
        pcs_mlcp_explain(run, "stopped by the time limit or on request");
    return run->stopped ? PCS_INTERRUPTED : PCS_NOT_CONVERGED;
}

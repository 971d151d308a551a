// Alternating direction method of multipliers on the friction contact problem itself: the De Saxce
// term s = mu |u_T| e_N is renewed in every iteration [CarpentierLeLidecMontaut2024, Boyd2011].
// With penalties p_i = rho w_i (first_order.h) and the impulse split into x, which knows the
// dynamics, and y, which knows the cone,
//
//     y = P_K(v),  z = p (y - v),  s = mu |z_T| e_N      (z is the velocity uhat, in K*)
//     (W + diag p) x = p y + z - q - s,                  v+ = T(v) = v + alpha (x - y)
//
// so the state is the one vector v, and x = y at a solution. W + diag p is factored once for each
// rho; acceleration.h makes the next v from v and T(v) - v.
// docs/theory/first-order-solvers.md has the derivations.
#include <math.h>
#include <string.h>

#include "linalg/block_lu.h"
#include "nonsmooth/acceleration.h"
#include "nonsmooth/first_order.h"

enum {
    OPTION_PENALTY = PCS_ADMM_PENALTY,
    OPTION_RULE,
    OPTION_RELAXATION,
    OPTION_ACCELERATION,
    OPTION_MEMORY,
    OPTION_PATIENCE = PCS_ADMM_PATIENCE,
    COUNT
};
enum { RULE_FIXED, RULE_BALANCING, RULE_SPECTRAL, RULE_SEARCH };
static const char *const rules[] = {"fixed", "balancing", "spectral", "search", NULL};
static const char *const accelerations[] = {"none", "nesterov", "anderson", NULL};

static const pcs_option options[COUNT] = {
    {"penalty", PCS_OPTION_REAL, 0.03, 1e-12, 1e6, NULL,
     "first penalty rho, relative to the spectral radius of the scaled W"},
    {"penalty_rule", PCS_OPTION_CHOICE, RULE_SEARCH, RULE_FIXED, RULE_SEARCH, rules,
     "how the penalty adapts: not at all, to equal relative residuals, by the ratio of the "
     "residuals, or to the faster decrease"},
    {"relaxation", PCS_OPTION_REAL, 1.0, 0.1, 1.9, NULL, "over-relaxation alpha"},
    {"acceleration", PCS_OPTION_CHOICE, PCS_ACCELERATION_ANDERSON, PCS_ACCELERATION_NONE,
     PCS_ACCELERATION_ANDERSON, accelerations, "how iterates are combined"},
    {"memory", PCS_OPTION_INTEGER, 10, 1, 100, NULL, "iterates that anderson combines"},
    {"patience", PCS_OPTION_INTEGER, 0, 0, 1e9, NULL,
     "iterations in which the error must fall tenfold, else it ends; 0: no such limit"},
};

enum {
    DEFAULT_ITERATIONS = 20000,
    ITERATIONS_PER_TEST = 5,     // of y by a product with W, besides those that look converged
    ITERATIONS_PER_PENALTY = 40, // a rate needs some multiples of the memory to show
    FACTORISATIONS_MAX = 40,     // for one solve
    RAISES_MAX = 12              // of a penalty at which W + diag p has no pivot
};
static const double SEARCH_FACTOR = 3.1622776601683795; // sqrt(10): two trials for a decade
static const double SEARCH_GOAL = 0.1; // of the error in ITERATIONS_PER_PENALTY: leave rho alone
static const double BALANCE_BAND = 3.0, BALANCE_FACTOR = 10.0; // [StellatoEtAl2020]
// [CarpentierLeLidecMontaut2024]: cond^0.05 beyond a ratio of 10, at the condition 1e6 of a
// singular W with their regularisation.
static const double SPECTRAL_RATIO = 10.0, SPECTRAL_FACTOR = 2.0;

typedef struct admm_work {
    const pcs_friction_contact *problem;
    const double *option;
    pcs_context *ctx;
    int32_t rows, iteration;
    double radius, rho;
    double *weight, *scale; // w and sqrt(w), for each row
    double *penalty;        // p = rho w
    double *E;              // diagonal blocks diag(p_i)
    double *v, *y, *z, *x;
    double *u;      // W x + q
    double *g;      // T(v) - v
    double *last_y; // of the last iterate, for the dual residual
    double primal;  // |x - y|
    double dual;    // rho |y - last_y|
    double error;   // of x in the measure of the solve
    pcs_block_lu *lu;
    pcs_acceleration acceleration;
    struct {
        int32_t start, window, direction;
        double least, start_least; // smallest error so far, and at the start of the window
        double rate;               // before rho was changed
        bool changed;
    } search;
} admm_work;

static pcs_status allocate(admm_work *work, pcs_arena *arena)
{
    double **vectors[] = {&work->weight, &work->scale, &work->penalty, &work->v, &work->y,
                          &work->z,      &work->x,     &work->u,       &work->g, &work->last_y};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = PCS_ARENA_ARRAY(arena, double, work->rows);
        if (*vectors[k] == NULL)
            return PCS_ERROR_MEMORY;
    }
    work->E = PCS_ARENA_ARRAY(arena, double, (int64_t)PCS_BLOCK_LU_STRIDE * work->problem->W->n);
    if (work->E == NULL)
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_acceleration_init(&work->acceleration, arena,
                                  (pcs_acceleration_kind)work->option[OPTION_ACCELERATION],
                                  work->rows, (int32_t)work->option[OPTION_MEMORY], work->scale));
    PCS_TRY(pcs_block_lu_analyse(arena, work->problem->W, NULL, &work->lu));
    if (work->problem->watch)
        pcs_block_lu_set_watch(work->lu, *work->problem->watch);
    return PCS_OK;
}

// Factors W + rho diag w. A W with negative eigenvalues may have no pivot: a larger rho has.
static pcs_status factor(admm_work *work, double rho, pcs_solve_info *info)
{
    const pcs_block_matrix *W = work->problem->W;
    int32_t bad = -1;
    for (int32_t raise = 0; raise < RAISES_MAX; raise++, rho *= 10.0) {
        work->rho = rho;
        for (int32_t k = 0; k < work->rows; k++)
            work->penalty[k] = rho * work->weight[k];
        memset(work->E, 0, (size_t)PCS_BLOCK_LU_STRIDE * (size_t)W->n * sizeof *work->E);
        for (int32_t i = 0; i < W->n; i++) {
            const int32_t size = W->offset[i + 1] - W->offset[i];
            for (int32_t a = 0; a < size; a++)
                work->E[PCS_BLOCK_LU_STRIDE * i + a * (size + 1)] = work->penalty[W->offset[i] + a];
        }
        info->factorisations++;
        bad = pcs_block_lu_factor(work->lu, W, work->E, NULL, NULL);
        if (bad < 0 || pcs_watch_is_over(work->problem->watch)) // the monitor sees it next
            return PCS_OK;
    }
    return pcs_error(work->ctx, PCS_ERROR_SINGULAR,
                     "admm: W + rho diag w has no usable pivot in block %d; another solver may "
                     "take this problem",
                     (int)bad);
}

// y, z and s from v, then x, its velocity (from the linear system, without a product) and g.
static void evaluate(admm_work *work)
{
    const double alpha = work->option[OPTION_RELAXATION];
    memcpy(work->y, work->v, (size_t)work->rows * sizeof *work->y);
    pcs_first_order_project(work->problem, work->y);
    for (int32_t k = 0; k < work->rows; k++) {
        work->z[k] = work->penalty[k] * (work->y[k] - work->v[k]);
        work->u[k] = work->penalty[k] * work->y[k] + work->z[k]; // p y + z - s = W x + q + p x
    }
    pcs_first_order_add_slip(work->problem, -1.0, work->z, work->u);
    for (int32_t k = 0; k < work->rows; k++)
        work->x[k] = work->u[k] - work->problem->q[k];
    pcs_block_lu_solve(work->lu, work->x);
    double gap2 = 0.0, change2 = 0.0;
    for (int32_t k = 0; k < work->rows; k++) {
        const double gap = work->x[k] - work->y[k], change = work->y[k] - work->last_y[k];
        gap2 += work->weight[k] * gap * gap;
        change2 += work->weight[k] * change * change;
        work->last_y[k] = work->y[k];
        work->u[k] -= work->penalty[k] * work->x[k];
        work->g[k] = alpha * gap;
    }
    work->primal = sqrt(gap2);
    work->dual = work->rho * sqrt(change2);
}

// Equal residuals relative to the lengths of what they are residuals of: |x - y| / |y| and
// |rho w (y - last y)| / |z|, the latter in the dual norm.
static double balance_penalty(const admm_work *work)
{
    double zz = 0.0;
    for (int32_t k = 0; k < work->rows; k++)
        zz += work->z[k] * work->z[k] / work->weight[k];
    const double primal = work->primal / pcs_first_order_norm(work->rows, work->weight, work->y);
    const double factor = sqrt(primal / (work->dual / sqrt(zz)));
    if (!isfinite(factor) || (factor < BALANCE_BAND && factor > 1.0 / BALANCE_BAND))
        return work->rho;
    return work->rho * fmin(fmax(factor, 1.0 / BALANCE_FACTOR), BALANCE_FACTOR);
}

static double spectral_penalty(const admm_work *work)
{
    if (work->primal > SPECTRAL_RATIO * work->dual)
        return work->rho * SPECTRAL_FACTOR;
    if (work->dual > SPECTRAL_RATIO * work->primal)
        return work->rho / SPECTRAL_FACTOR;
    return work->rho;
}

// Hill climbing on the rate at which the error falls: go on in a direction while the rate improves,
// else step back and try the other one next time. Needs no model of what is slow.
static double search_penalty(admm_work *work)
{
    const double fall = work->search.least / work->search.start_least;
    const double step = work->search.direction > 0 ? SEARCH_FACTOR : 1.0 / SEARCH_FACTOR;
    const double rate = -log(fall) / (work->iteration - work->search.start);
    if (!isfinite(work->search.start_least) || fall < SEARCH_GOAL) {
        work->search.changed = false;
        return work->rho;
    }
    if (!work->search.changed || rate > work->search.rate) {
        work->search.changed = true;
        work->search.rate = rate;
        return work->rho * step;
    }
    work->search.changed = false;
    work->search.direction = -work->search.direction;
    return work->rho / step;
}

static pcs_status update_penalty(admm_work *work, pcs_solve_info *info)
{
    const int rule = (int)work->option[OPTION_RULE];
    const double old = work->rho;
    if (rule == RULE_FIXED || info->factorisations >= FACTORISATIONS_MAX ||
        work->iteration - work->search.start < work->search.window)
        return PCS_OK;
    const double rho = rule == RULE_BALANCING  ? balance_penalty(work)
                       : rule == RULE_SPECTRAL ? spectral_penalty(work)
                                               : search_penalty(work);
    // windows without any gain become longer: changes of T disturb what acceleration has learnt
    work->search.window = work->search.least < work->search.start_least ? ITERATIONS_PER_PENALTY
                                                                        : 2 * work->search.window;
    work->search.start = work->iteration;
    work->search.start_least = work->search.least;
    if (rho == old)
        return PCS_OK;
    PCS_TRY(factor(work, rho, info));
    memcpy(work->y, work->v, (size_t)work->rows * sizeof *work->y);
    pcs_first_order_project(work->problem, work->y);
    for (int32_t k = 0; k < work->rows; k++) // the same y and z belong to another v
        work->v[k] = work->y[k] - old / work->rho * (work->y[k] - work->v[k]);
    pcs_acceleration_restart(&work->acceleration);
    return PCS_OK;
}

// True if the solve should end. x and its velocity are at hand, so the product that measures y (an
// impulse inside the cone) is paid when x looks converged, and now and then.
static bool test(admm_work *work, pcs_monitor *monitor)
{
    const pcs_solve_opts *opts = monitor->opts;
    work->error = pcs_friction_contact_error(work->problem, opts->measure, work->x, work->u);
    work->search.least = fmin(work->search.least, work->error);
    if (work->error <= opts->tolerance)
        return pcs_monitor_test(monitor, work->y) || pcs_monitor_test(monitor, work->x);
    if (work->iteration % ITERATIONS_PER_TEST == 0)
        return pcs_monitor_test(monitor, work->y);
    return pcs_monitor_is_stopped(monitor);
}

// v = r - uhat / p: the fixed point if r is a solution.
static pcs_status start(admm_work *work, const double *r, const double *u, pcs_solve_info *info)
{
    const size_t bytes = (size_t)work->rows * sizeof *r;
    pcs_first_order_weights(work->problem, work->weight);
    for (int32_t k = 0; k < work->rows; k++)
        work->scale[k] = sqrt(work->weight[k]);
    work->radius = pcs_first_order_spectral_radius(work->problem, work->weight, work->x, work->y);
    PCS_TRY(factor(work, work->option[OPTION_PENALTY] * work->radius, info));
    memcpy(work->z, u, bytes);
    pcs_first_order_add_slip(work->problem, 1.0, u, work->z);
    for (int32_t k = 0; k < work->rows; k++)
        work->v[k] = r[k] - work->z[k] / work->penalty[k];
    memcpy(work->last_y, r, bytes);
    work->search.least = work->search.start_least = INFINITY;
    work->search.direction = -1;
    work->search.window = ITERATIONS_PER_PENALTY;
    return PCS_OK;
}

// True when the error has not fallen tenfold in the last `patience` iterations; *mark is the one it
// had before them.
static bool is_out_of_patience(const admm_work *work, double *mark)
{
    const int32_t patience = (int32_t)work->option[OPTION_PATIENCE];
    if (patience == 0 || work->iteration % patience != 0)
        return false;
    const double before = *mark;
    *mark = work->search.least;
    return !(work->search.least <= 0.1 * before);
}

static pcs_status iterate(admm_work *work, pcs_monitor *monitor, int32_t max_iterations,
                          pcs_solve_info *info)
{
    double mark = monitor->last;
    while (work->iteration < max_iterations) {
        evaluate(work);
        work->iteration++;
        if (test(work, monitor) || is_out_of_patience(work, &mark))
            break;
        if (!pcs_acceleration_step(&work->acceleration, work->v, work->g, work->error))
            break;
        if (work->acceleration.glide_left == 0) // a glide needs its T
            PCS_TRY(update_penalty(work, info));
    }
    return PCS_OK;
}

static pcs_status solve(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                        const double *option, pcs_arena *arena, double *r, double *u,
                        pcs_solve_info *info)
{
    const int32_t limit = opts->max_iterations > 0 ? opts->max_iterations : DEFAULT_ITERATIONS;
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    admm_work work = {.problem = problem,
                      .option = option,
                      .ctx = arena->ctx,
                      .rows = problem->W->offset[problem->W->n]};
    pcs_monitor monitor;
    pcs_status status = pcs_monitor_init(&monitor, problem, opts, arena, r);
    if (status >= 0 && !monitor.done && !monitor.stopped) {
        status = allocate(&work, arena);
        if (status >= 0)
            status = start(&work, r, monitor.u, info);
        if (status >= 0)
            status = iterate(&work, &monitor, limit, info);
    }
    if (status >= 0) {
        pcs_monitor_stage(&monitor, info, "admm", work.iteration);
        status = pcs_monitor_finish(&monitor, r, u, info);
    }
    pcs_arena_release(arena, mark);
    return status;
}

const pcs_friction_solver pcs_solver_admm = {
    "admm", "alternating directions, few factorisations of W + rho D, accelerated", options, COUNT,
    solve};

// Accelerated projected gradient [MazharHeynNegrutTasora2015] on the convex problem
//
//     min  1/2 r^T W r + (q + s)^T r,  r \in K,        s = mu |u_T| e_N held fixed or renewed
//
// whose solution with s = s(u) is the solution of the friction contact problem (De Saxce). With the
// weights w_i of first_order.h, the extrapolated point y and the step t:
//
//     r+ = P_K(y - (t/w) (W y + q + s)),   y+ = r+ + beta (r+ - r)
//
// t is halved until d^T W d <= |d|^2 / t with d = r+ - y [BeckTeboulle2009], and grows again
// slowly. The momentum restarts when it points uphill [ODonoghueCandes2015]. One product with W
// for a step: u(y) is a combination of u(r+) and u(r).
#include <math.h>
#include <string.h>

#include "nonsmooth/first_order.h"

enum { OPTION_SLIP, OPTION_RESTART, COUNT };
enum { SLIP_ITERATION, SLIP_OUTER, SLIP_ADAPTIVE };
enum { RESTART_NEVER, RESTART_GRADIENT };
static const char *const slip_updates[] = {"iteration", "outer", "adaptive", NULL};
static const char *const restarts[] = {"never", "gradient", NULL};

static const pcs_option options[COUNT] = {
    {"slip_update", PCS_OPTION_CHOICE, SLIP_ADAPTIVE, SLIP_ITERATION, SLIP_ADAPTIVE, slip_updates,
     "when the De Saxce term follows the velocity: in each iteration; when the convex problem is "
     "solved ten times more accurately than before; or the one until it stalls, then the other"},
    {"restart", PCS_OPTION_CHOICE, RESTART_GRADIENT, RESTART_NEVER, RESTART_GRADIENT, restarts,
     "when the momentum is given up"},
};

enum {
    DEFAULT_ITERATIONS = 100000,
    BACKTRACKS_MAX = 60,        // halvings: 18 decades of t
    OUTER_ITERATIONS_MAX = 200, // between two updates of the De Saxce term
    STALL_ITERATIONS = 1000 // without halving the error: the term and the momentum chase each other
};
static const double SHRINK = 0.5;      // of t at a backtrack
static const double GROW = 1.0 / 0.98; // of t at a step: 35 steps to double
// Bound of t times the spectral radius: where W vanishes nothing else stops its growth.
static const double LONGEST = 1e4;
static const double OUTER_GAIN = 0.1; // of |r+ - y| before s is renewed

typedef struct gradient_work {
    const pcs_friction_contact *problem;
    const double *option;
    int32_t rows, iteration;
    double t, longest; // step and its bound
    double theta;
    double *weight;
    double *r, *u;           // last iterate, W r + q
    double *next, *next_u;   // the new one
    double *y, *y_u;         // extrapolated point, W y + q
    double *slip;            // u whose |u_T| makes s
    double outer_start;      // |r+ - y| / t when s was renewed
    int32_t outer_iteration; // when s was renewed
    bool outer;              // s is held
    double stall_error;      // least error at the start of the window that watches for a stall
    int32_t stall_iteration; // its start
} gradient_work;

static pcs_status allocate(gradient_work *work, pcs_arena *arena)
{
    double **vectors[] = {&work->weight, &work->r, &work->u,   &work->next,
                          &work->next_u, &work->y, &work->y_u, &work->slip};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = PCS_ARENA_ARRAY(arena, double, work->rows);
        if (*vectors[k] == NULL)
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

// next = P_K(y - (t/w) (u(y) + s)), with u(next)
static void step(gradient_work *work)
{
    memcpy(work->next, work->y_u, (size_t)work->rows * sizeof *work->next);
    pcs_first_order_add_slip(work->problem, 1.0, work->slip, work->next);
    for (int32_t k = 0; k < work->rows; k++)
        work->next[k] = work->y[k] - work->t / work->weight[k] * work->next[k];
    pcs_first_order_project(work->problem, work->next);
    pcs_friction_contact_velocity(work->problem, work->next, work->next_u);
}

// Steps from y with the largest t, among t, t/2, ..., that is short enough for the curvature along
// the step. Returns |d|; a NaN if the data overflow.
static double search_step(gradient_work *work)
{
    double dd = NAN;
    for (int32_t k = 0; k < BACKTRACKS_MAX; k++) {
        double curvature = 0.0;
        step(work);
        dd = 0.0;
        for (int32_t i = 0; i < work->rows; i++) {
            const double d = work->next[i] - work->y[i];
            dd += work->weight[i] * d * d;
            curvature += d * (work->next_u[i] - work->y_u[i]);
        }
        if (curvature * work->t <= dd)
            break;
        work->t *= SHRINK;
    }
    return sqrt(dd);
}

// True where the step from y and the way from r to next point apart.
static bool is_uphill(const gradient_work *work)
{
    double sum = 0.0;
    for (int32_t k = 0; k < work->rows; k++)
        sum += work->weight[k] * (work->y[k] - work->next[k]) * (work->next[k] - work->r[k]);
    return sum > 0.0;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

// y and u(y) of the next step; r and u become the new iterate.
static void extrapolate(gradient_work *work)
{
    const bool restart = work->option[OPTION_RESTART] == RESTART_GRADIENT && is_uphill(work);
    const double theta = 0.5 * (1.0 + sqrt(1.0 + 4.0 * work->theta * work->theta));
    const double beta = restart ? 0.0 : (work->theta - 1.0) / theta;
    work->theta = restart ? 1.0 : theta;
    for (int32_t k = 0; k < work->rows; k++) {
        work->y[k] = work->next[k] + beta * (work->next[k] - work->r[k]);
        work->y_u[k] = work->next_u[k] + beta * (work->next_u[k] - work->u[k]);
    }
    swap(&work->r, &work->next);
    swap(&work->u, &work->next_u);
}

static void update_slip(gradient_work *work, double length)
{
    const size_t bytes = (size_t)work->rows * sizeof *work->slip;
    if (!work->outer) {
        memcpy(work->slip, work->y_u, bytes);
        return;
    }
    const double rate = length / work->t;
    if (isinf(work->outer_start))
        work->outer_start = rate;
    if (rate > OUTER_GAIN * work->outer_start &&
        work->iteration - work->outer_iteration < OUTER_ITERATIONS_MAX)
        return;
    memcpy(work->slip, work->u, bytes);
    work->outer_start = INFINITY;
    work->outer_iteration = work->iteration;
    work->theta = 1.0;
}

// Changes to an outer loop where renewing s in each step, no gradient step of anything, has
// led nowhere: large friction coefficients.
static void watch_stall(gradient_work *work, double error)
{
    if (work->outer || work->option[OPTION_SLIP] != SLIP_ADAPTIVE ||
        work->iteration - work->stall_iteration < STALL_ITERATIONS)
        return;
    work->outer = error > 0.5 * work->stall_error;
    work->outer_iteration = work->stall_iteration = work->iteration;
    work->stall_error = error;
}

static void iterate(gradient_work *work, pcs_monitor *monitor, int32_t max_iterations)
{
    while (work->iteration < max_iterations) {
        const double length = search_step(work);
        work->iteration++;
        if (pcs_monitor_test_with_u(monitor, work->next, work->next_u) || !isfinite(length))
            break;
        extrapolate(work);
        watch_stall(work, monitor->best_value);
        update_slip(work, length);
        work->t = fmin(GROW * work->t, work->longest);
    }
}

static pcs_status solve(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                        const double *option, pcs_arena *arena, double *r, double *u,
                        pcs_solve_info *info)
{
    const int32_t limit = opts->max_iterations > 0 ? opts->max_iterations : DEFAULT_ITERATIONS;
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    gradient_work work = {.problem = problem,
                          .option = option,
                          .rows = problem->W->offset[problem->W->n],
                          .theta = 1.0,
                          .outer_start = INFINITY,
                          .outer = option[OPTION_SLIP] == SLIP_OUTER,
                          .stall_error = INFINITY};
    const size_t bytes = (size_t)work.rows * sizeof *r;
    pcs_monitor monitor;
    pcs_status status = pcs_monitor_init(&monitor, problem, opts, arena, r);
    if (status >= 0 && !monitor.done && !monitor.stopped) {
        status = allocate(&work, arena);
        if (status >= 0) {
            pcs_first_order_weights(problem, work.weight);
            work.t = 1.0 /
                     pcs_first_order_spectral_radius(problem, work.weight, work.next, work.next_u);
            work.longest = LONGEST * work.t;
            memcpy(work.r, r, bytes);
            memcpy(work.y, r, bytes);
            memcpy(work.u, monitor.u, bytes);
            memcpy(work.y_u, monitor.u, bytes);
            memcpy(work.slip, monitor.u, bytes);
            iterate(&work, &monitor, limit);
        }
    }
    if (status >= 0) {
        pcs_monitor_stage(&monitor, info, "projected-gradient", work.iteration);
        status = pcs_monitor_finish(&monitor, r, u, info);
    }
    pcs_arena_release(arena, mark);
    return status;
}

const pcs_friction_solver pcs_solver_projected_gradient = {
    "projected-gradient", "accelerated projected gradient with adaptive step and restart", options,
    COUNT, solve};

// Primal-dual interior point method for the friction contact problem: Mehrotra's predictor and
// corrector with the Nesterov-Todd scaling [AcaryArmandNguyenShpakovych2024; Vandenberghe2010].
//
// `update: embedded` linearises the De Saxce term mu |u_T| in every Newton step [Nguyen2025];
// `outer` freezes it, solves the convex problem and repeats. Where several solutions are near, the
// central path of the embedded problem has folds; a monotone iteration blocks at the first. Then
// pcs_interior_follow walks along the path by arc length.
//
// The target of contact i is max(sigma gap, ACCURACY max(z_N, y_N)): contacts that are decided stop
// at a distance from the boundary that double can hold, while those with z and y both near zero go
// on, since their error is the root of the gap. Without that the last digits are out of reach.
#include "nonsmooth/interior_point.h"

#include <math.h>
#include <string.h>

#include "nonsmooth/interior_point_work.h"

// Smallest complementarity of a decided contact over its size, first and last: it falls when the
// iteration has come to rest above the tolerance.
static const double ACCURACY = 1e-14, ACCURACY_LAST = 1e-27, ACCURACY_FALL = 0.01;
// Part of the way to the boundary that a step takes.
static const double FRACTION = 0.99;
// A step below SHORT is tried again with more centring, at least CENTRING; BLOCKED steps in a row
// below it end the iteration.
static const double SHORT = 0.1, CENTRING = 0.5;
enum { BLOCKED = 6 };
// The iteration is at rest when the residual fell by less than REST in REST_STEPS steps, or in
// SETTLED_STEPS while the complementarity above the floors is below the part SETTLED of them.
static const double REST = 0.5, SETTLED = 0.1;
enum { REST_STEPS = 8, SETTLED_STEPS = 2 };
// A warm start is used when its natural map in scaled units is below WARM; tau is its square.
static const double WARM = 1e-1, WARM_SMALLEST = 1e-7;
// Outer update: s moves when the gap is below this part of the squared change that it would make.
static const double OUTER_PART = 1e-2;
// Complementarity at which the walk tries the fast iteration first, the factor to the next try, and
// the last one, where double has no digits left.
static const double WALK_FIRST = 1e-6, WALK_PART = 0.03, WALK_LAST = 1e-18;
// Starts z = scale e of the walks: a path that leads away to infinity or winds too long is left for
// another one.
enum { WALKS = 3 };
static const double WALK_SCALE[WALKS] = {1.0, 0.1, 10.0};
enum { DEFAULT_ITERATIONS = 200, DEFAULT_FOLLOW = 4000, FOLLOW_MAX = 1000000 };

static const char *const updates[] = {"embedded", "outer", NULL};
static const char *const follows[] = {"off", "on", "once", NULL};

static const pcs_option options[PCS_INTERIOR_POINT_OPTIONS] = {
    [PCS_INTERIOR_POINT_UPDATE] = {"update", PCS_OPTION_CHOICE, PCS_INTERIOR_POINT_EMBEDDED, 0, 1,
                                   updates,
                                   "where the term mu |u_T| moves: in each Newton step or "
                                   "around convex solves"},
    [PCS_INTERIOR_POINT_FOLLOW] = {"follow", PCS_OPTION_CHOICE, PCS_INTERIOR_POINT_FOLLOW_ON, 0,
                                   PCS_INTERIOR_POINT_FOLLOW_ONCE, follows,
                                   "walk along the central path by arc length when the iteration "
                                   "blocks (embedded only), from three starts or once"},
    [PCS_INTERIOR_POINT_STEPS] = {"follow_steps", PCS_OPTION_INTEGER, DEFAULT_FOLLOW, 1, FOLLOW_MAX,
                                  NULL, "factorisations of that walk at most"},
};

typedef struct iteration {
    pcs_interior_work work;
    pcs_interior_direction affine, step;
    pcs_monitor *monitor;
    double *floor; // per block: smallest target
    double accuracy;
} iteration;

// Mean complementarity, all of it and the part above the floors after a step along `direction`
static double mean_gap(const iteration *it, const pcs_interior_direction *direction, double step,
                       bool above_floor)
{
    const pcs_interior_work *work = &it->work;
    double sum = 0.0;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = work->problem->W->offset[i];
        double product = 0.0;
        for (int32_t k = 0; k < work->cone[i]; k++) {
            const double dz = direction ? step * direction->z[first + k] : 0.0;
            const double dy = direction ? step * direction->y[first + k] : 0.0;
            product += (work->z[i].x[k] + dz) * (work->y[i].x[k] + dy);
        }
        sum += above_floor ? fmax(0.0, product - it->floor[i]) : fmax(0.0, product);
    }
    return work->cones > 0 ? sum / (double)work->cones : 0.0;
}

static void set_floors(iteration *it)
{
    for (int32_t i = 0; i < it->work.n; i++)
        it->floor[i] = it->work.cone[i] > 0
                           ? it->accuracy * fmax(it->work.z[i].x[0], it->work.y[i].x[0])
                           : 0.0;
}

// g = lambda \ (target e - lambda o lambda - correction), correction = (P dz) o (P^-1 dy) of the
// affine direction where `second_order` is set. The affine direction itself aims at the floors.
static void set_mixed(iteration *it, double target, bool affine, bool second_order,
                      pcs_interior_direction *direction)
{
    pcs_interior_work *work = &it->work;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = work->problem->W->offset[i], size = work->cone[i];
        const pcs_cone_scaling *scaling = &work->scaling[i];
        double right[3] = {0.0, 0.0, 0.0}, part[3], *g = direction->mixed + first;
        if (size == 0)
            continue;
        if (second_order) {
            double dz[3], dy[3];
            pcs_cone_apply(size, scaling, it->affine.z + first, dz);
            for (int32_t k = 0; k < size; k++)
                dy[k] = it->affine.mixed[first + k] - dz[k];
            pcs_cone_product(size, dz, dy, right);
        }
        for (int32_t k = 0; k < size; k++)
            right[k] = -right[k];
        right[0] += affine ? fmin(it->floor[i], scaling->product) : fmax(target, it->floor[i]);
        pcs_cone_divide(size, scaling, right, part);
        for (int32_t k = 0; k < size; k++)
            g[k] = part[k] - scaling->lambda[k];
    }
}

// One predictor-corrector step; returns its length, 0 if the point is beyond repair.
static double take_step(iteration *it)
{
    pcs_interior_work *work = &it->work;
    if (!pcs_interior_factor(work))
        return 0.0;
    const double gap = mean_gap(it, NULL, 0.0, true);
    set_mixed(it, 0.0, true, false, &it->affine);
    pcs_interior_solve(work, work->residual, 1.0, &it->affine);
    double step = fmin(1.0, pcs_interior_max_step(work, &it->affine));
    const double left = gap > 0.0 ? fmin(1.0, mean_gap(it, &it->affine, step, true) / gap) : 0.0;
    double sigma = left * left * left;
    set_mixed(it, sigma * gap, false, true, &it->step);
    pcs_interior_solve(work, work->residual, 1.0, &it->step);
    step = fmin(1.0, FRACTION * pcs_interior_max_step(work, &it->step));
    const pcs_interior_direction *taken = &it->step;
    if (step < SHORT) {
        sigma = fmax(sigma, CENTRING);
        set_mixed(it, sigma * gap, false, false, &it->affine);
        pcs_interior_solve(work, work->residual, 1.0, &it->affine);
        const double safe = fmin(1.0, FRACTION * pcs_interior_max_step(work, &it->affine));
        taken = safe > step ? &it->affine : taken;
        step = fmax(safe, step);
    }
    if (!isfinite(step))
        return 0.0;
    pcs_interior_advance(work, taken, step);
    return step;
}

// Frozen term: s <- |y_T| once the convex problem is solved better than s is known.
static void update_frozen(iteration *it)
{
    pcs_interior_work *work = &it->work;
    double change = 0.0;
    for (int32_t i = 0; i < work->n; i++)
        if (work->cone[i] > 1)
            change = fmax(change, fabs(hypot(work->y[i].x[1], work->y[i].x[2]) - work->s[i]));
    const double gap = mean_gap(it, NULL, 0.0, false), residual = pcs_interior_evaluate(work);
    if (gap > OUTER_PART * change * change || residual > OUTER_PART * change)
        return;
    for (int32_t i = 0; i < work->n; i++)
        if (work->cone[i] > 1)
            work->s[i] = hypot(work->y[i].x[1], work->y[i].x[2]);
    // a pair with complementarity of the size of the change: the next problem starts centred
    memcpy(it->step.y, work->r, (size_t)work->rows * sizeof *work->r);
    pcs_interior_start_warm(work, it->step.y, fmax(change * change, WARM_SMALLEST * WARM_SMALLEST));
    pcs_interior_evaluate(work);
}

static bool is_settled(const iteration *it)
{
    double sum = 0.0;
    for (int32_t i = 0; i < it->work.n; i++)
        sum += it->floor[i];
    return mean_gap(it, NULL, 0.0, true) * (double)it->work.cones <= SETTLED * sum;
}

// Iterates until the monitor ends it, the iteration rests or blocks, or the steps are used up.
static void iterate(iteration *it, int32_t max_steps, int32_t *steps)
{
    pcs_interior_work *work = &it->work;
    double reference = INFINITY;
    int32_t blocked = 0, resting = 0;
    set_floors(it);
    pcs_interior_evaluate(work);
    for (; *steps < max_steps; ++*steps) {
        if (pcs_monitor_test(it->monitor, work->r))
            return;
        if (it->monitor->last < REST * reference) {
            reference = it->monitor->last;
            resting = 0;
        } else if (++resting >= (is_settled(it) ? SETTLED_STEPS : REST_STEPS)) {
            it->accuracy *= ACCURACY_FALL;
            resting = 0;
            if (work->embedded && it->accuracy < ACCURACY_LAST)
                return;
        }
        set_floors(it);
        const double step = take_step(it);
        blocked = step < SHORT ? blocked + 1 : 0;
        if (step == 0.0 || blocked == BLOCKED)
            return;
        pcs_interior_evaluate(work);
        if (!work->embedded)
            update_frozen(it);
    }
}

// A start near r if there is one and its natural map in scaled units is small, else z = y = e; true
// if it is warm
static bool start(iteration *it, const double *r)
{
    pcs_interior_work *work = &it->work;
    bool zero = true;
    for (int32_t k = 0; k < work->rows; k++)
        zero = zero && r[k] == 0.0;
    const double error = zero ? INFINITY : pcs_interior_error(work, r);
    if (error < WARM)
        pcs_interior_start_warm(work, r, fmax(error, WARM_SMALLEST) * fmax(error, WARM_SMALLEST));
    else
        pcs_interior_start_cold(work, 1.0);
    return error < WARM;
}

// Walks along the central path, and from time to time tries the fast iteration from there.
static pcs_status walk_path(iteration *it, pcs_arena *arena, double scale, int32_t max_walk,
                            int32_t max_steps, int32_t *count)
{
    pcs_interior_path path;
    pcs_interior_start_cold(&it->work, scale);
    PCS_TRY(pcs_interior_path_init(&path, &it->work, arena));
    double goal = WALK_FIRST;
    while (goal > WALK_LAST) {
        if (!pcs_interior_path_follow(&path, &it->work, it->monitor, &it->affine, &it->step, goal,
                                      max_walk))
            break;
        int32_t steps = 0;
        pcs_interior_path_save(&path, &it->work);
        it->accuracy = ACCURACY;
        iterate(it, max_steps, &steps);
        *count += steps;
        if (it->monitor->done || it->monitor->stopped)
            break;
        pcs_interior_path_restore(&path, &it->work);
        goal *= WALK_PART;
    }
    *count += path.steps;
    return PCS_OK;
}

static pcs_status solve(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                        const double *option, pcs_arena *arena, double *r, double *u,
                        pcs_solve_info *info)
{
    pcs_monitor monitor;
    iteration it = {.monitor = &monitor, .accuracy = ACCURACY};
    PCS_TRY(pcs_monitor_init(&monitor, problem, opts, arena, r));
    pcs_monitor_make_strict(&monitor);
    PCS_TRY(pcs_interior_work_init(&it.work, problem, arena));
    PCS_TRY(pcs_interior_direction_init(&it.affine, &it.work, arena));
    PCS_TRY(pcs_interior_direction_init(&it.step, &it.work, arena));
    it.floor = PCS_ARENA_ARRAY(arena, double, problem->W->n);
    if (it.floor == NULL)
        return PCS_ERROR_MEMORY;

    it.work.embedded = option[PCS_INTERIOR_POINT_UPDATE] == PCS_INTERIOR_POINT_EMBEDDED;
    const int32_t max_steps = opts->max_iterations > 0 ? opts->max_iterations : DEFAULT_ITERATIONS;
    int32_t steps = 0;
    if (!monitor.done && !monitor.stopped) {
        const bool warm = start(&it, r);
        iterate(&it, max_steps, &steps);
        if (warm && !monitor.done && !monitor.stopped) {
            it.accuracy = ACCURACY;
            pcs_interior_start_cold(&it.work, 1.0);
            iterate(&it, max_steps, &steps);
        }
        pcs_monitor_stage(&monitor, info, "interior point", steps);
    }
    const int follow = (int)option[PCS_INTERIOR_POINT_FOLLOW];
    const int walks = !it.work.embedded || follow == PCS_INTERIOR_POINT_FOLLOW_OFF ? 0
                      : follow == PCS_INTERIOR_POINT_FOLLOW_ONCE                   ? 1
                                                                                   : WALKS;
    const int32_t limit = (int32_t)option[PCS_INTERIOR_POINT_STEPS];
    for (int k = 0; k < walks && !monitor.done && !monitor.stopped; k++) {
        int32_t walk = 0;
        pcs_arena_mark mark = pcs_arena_get_mark(arena);
        PCS_TRY(walk_path(&it, arena, WALK_SCALE[k], limit, max_steps, &walk));
        pcs_arena_release(arena, mark);
        pcs_monitor_stage(&monitor, info, "central path", walk);
    }
    info->factorisations = it.work.factorisations;
    return pcs_monitor_finish(&monitor, r, u, info);
}

const pcs_friction_solver pcs_solver_interior_point = {
    "interior-point",
    "predictor-corrector with Nesterov-Todd scaling; friction inside each step or around it",
    options, PCS_INTERIOR_POINT_OPTIONS, solve};

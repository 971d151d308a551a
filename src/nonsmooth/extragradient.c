// Projection methods on the variational inequality r = P_K(r - t F(r)), F_i = uhat_i / w_i (weights
// of first_order.h), with a step t that adapts to the local Lipschitz constant of F, so that W need
// be neither symmetric nor regular and the De Saxce term needs no loop of its own:
//
//     extragradient   rbar = P_K(r - t F(r)),  r+ = P_K(r - t F(rbar))     [Korpelevich1976]
//     fixed-point     r+ = P_K(r - t F(r)), also known as Uzawa's method
//
// A step is tried with smaller t until  t |F(r) - F(rbar)| <= L |r - rbar|,  L < 1 [Khobotov1987;
// Marcotte1991], and t grows where the left side is small [HeLiao2002]. The fixed point may be
// accelerated (anderson.h): its state is v = r - t F(r) before the projection.
#include <math.h>
#include <string.h>

#include "nonsmooth/acceleration.h"
#include "nonsmooth/first_order.h"

enum { OPTION_L, EXTRAGRADIENT_COUNT };
enum { FIXED_L, FIXED_ACCELERATION, FIXED_MEMORY, FIXED_COUNT };
static const char *const accelerations[] = {"none", "nesterov", "anderson", NULL};

static const pcs_option extragradient_options[EXTRAGRADIENT_COUNT] = {
    {"lipschitz", PCS_OPTION_REAL, 0.9, 0.01, 0.999, NULL,
     "largest accepted t |F(r) - F(rbar)| / |r - rbar|"},
};
static const pcs_option fixed_point_options[FIXED_COUNT] = {
    {"lipschitz", PCS_OPTION_REAL, 0.9, 0.01, 0.999, NULL,
     "largest accepted t |F(r) - F(r+)| / |r - r+|"},
    {"acceleration", PCS_OPTION_CHOICE, PCS_ACCELERATION_ANDERSON, PCS_ACCELERATION_NONE,
     PCS_ACCELERATION_ANDERSON, accelerations, "how iterates are combined"},
    {"memory", PCS_OPTION_INTEGER, 10, 1, 100, NULL, "iterates that anderson combines"},
};

enum {
    DEFAULT_ITERATIONS = 100000,
    TRIALS_MAX = 100 // reductions of t by 2/3 or more: 17 decades
};
static const double SHRINK = 2.0 / 3.0, GROW = 1.5; // [HeLiao2002]: 2/3, and back
static const double CORRECTION = 1.8;               // [HeLiao2002]: in (0, 2)
static const double SHORT = 0.3;                    // below it t was too cautious
// Bound of t times the spectral radius: where W vanishes nothing else stops its growth.
static const double LONGEST = 1e4;
// The accelerated fixed point: T is expansive beyond t |dF|/|dr| = 2; the De Saxce term may show
// larger ratios between far iterates, hence no reduction by more than 10 at a time.
static const double EXPANSIVE = 2.0, LEAST_SHRINK = 0.1;

typedef struct projection_work {
    const pcs_friction_contact *problem;
    int32_t rows, iteration;
    double t, longest, limit; // step, its bound, and L
    double *weight;
    double *r, *u; // iterate, W r + q
    double *next, *next_u;
    double *F, *next_F; // uhat / w at r and at next
} projection_work;

static pcs_status allocate(projection_work *work, pcs_arena *arena)
{
    double **vectors[] = {&work->weight, &work->r, &work->u,     &work->next,
                          &work->next_u, &work->F, &work->next_F};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = PCS_ARENA_ARRAY(arena, double, work->rows);
        if (*vectors[k] == NULL)
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

static void compute_F(const projection_work *work, const double *u, double *F)
{
    memcpy(F, u, (size_t)work->rows * sizeof *F);
    pcs_first_order_add_slip(work->problem, 1.0, u, F);
    for (int32_t k = 0; k < work->rows; k++)
        F[k] /= work->weight[k];
}

// next = P_K(r - t F), with its velocity
static void project_step(projection_work *work, double t, const double *F)
{
    for (int32_t k = 0; k < work->rows; k++)
        work->next[k] = work->r[k] - t * F[k];
    pcs_first_order_project(work->problem, work->next);
    pcs_friction_contact_velocity(work->problem, work->next, work->next_u);
}

// t |F(next) - F(r)| / |next - r|, 0 where next = r
static double lipschitz_ratio(const projection_work *work)
{
    double ff = 0.0, dd = 0.0;
    for (int32_t k = 0; k < work->rows; k++) {
        const double d = work->next[k] - work->r[k], f = work->next_F[k] - work->F[k];
        dd += work->weight[k] * d * d;
        ff += work->weight[k] * f * f;
    }
    return dd > 0.0 ? work->t * sqrt(ff / dd) : 0.0;
}

// Steps from r with a t that fulfils the test on the Lipschitz constant, and leaves F(next) in
// next_F. Returns the ratio of the test; a NaN if the data overflow.
static double search_step(projection_work *work)
{
    double ratio = NAN;
    for (int32_t trial = 0; trial < TRIALS_MAX; trial++) {
        project_step(work, work->t, work->F);
        compute_F(work, work->next_u, work->next_F);
        ratio = lipschitz_ratio(work);
        if (!(ratio > work->limit))
            break;
        work->t *= SHRINK * fmin(1.0, 1.0 / ratio);
    }
    return ratio;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

// alpha = d . D / D . D with d = r - rbar and D = d - t (F(r) - F(rbar)): the length along F(rbar)
// that brings r closest to the solutions [HeLiao2002]; rbar is in `next`.
static double correction(const projection_work *work)
{
    double dD = 0.0, DD = 0.0;
    for (int32_t k = 0; k < work->rows; k++) {
        const double d = work->r[k] - work->next[k];
        const double D = d - work->t * (work->F[k] - work->next_F[k]);
        dD += work->weight[k] * d * D;
        DD += work->weight[k] * D * D;
    }
    return DD > 0.0 ? dD / DD : 1.0;
}

static void iterate_extragradient(projection_work *work, pcs_monitor *monitor,
                                  int32_t max_iterations)
{
    while (work->iteration < max_iterations) {
        const double ratio = search_step(work);
        work->iteration++;
        if (!isfinite(ratio))
            break;
        project_step(work, CORRECTION * correction(work) * work->t, work->next_F); // with F(rbar)
        swap(&work->r, &work->next);
        swap(&work->u, &work->next_u);
        if (pcs_monitor_test_with_u(monitor, work->r, work->u))
            break;
        compute_F(work, work->u, work->F);
        if (ratio < SHORT)
            work->t = fmin(GROW * work->t, work->longest);
    }
}

// Uzawa's method, plain: one product for a step.
static void iterate_fixed_point(projection_work *work, pcs_monitor *monitor, int32_t max_iterations)
{
    while (work->iteration < max_iterations) {
        const double ratio = search_step(work);
        work->iteration++;
        if (!isfinite(ratio))
            break;
        swap(&work->r, &work->next);
        swap(&work->u, &work->next_u);
        swap(&work->F, &work->next_F);
        if (pcs_monitor_test_with_u(monitor, work->r, work->u))
            break;
        if (ratio < SHORT)
            work->t = fmin(GROW * work->t, work->longest);
    }
}

// The same iteration on v, r = P_K(v), T(v) = r - t F(r), with combined steps. They need one T: t
// starts at a step that suits the spectral radius, and is only ever reduced, where two iterates
// show that F is steeper.
static void iterate_accelerated(projection_work *work, pcs_monitor *monitor,
                                pcs_acceleration *acceleration, double *v, double *g,
                                int32_t max_iterations)
{
    for (int32_t k = 0; k < work->rows; k++)
        v[k] = work->r[k] - work->t * work->F[k];
    while (work->iteration < max_iterations) {
        memcpy(work->next, v, (size_t)work->rows * sizeof *v);
        pcs_first_order_project(work->problem, work->next);
        pcs_friction_contact_velocity(work->problem, work->next, work->next_u);
        work->iteration++;
        if (pcs_monitor_test_with_u(monitor, work->next, work->next_u))
            break;
        compute_F(work, work->next_u, work->next_F);
        const double ratio = lipschitz_ratio(work);
        if (ratio > EXPANSIVE) {
            const double shrink = fmax(SHRINK / ratio, LEAST_SHRINK);
            for (int32_t k = 0; k < work->rows; k++) // the same r, its distance to v with the new t
                v[k] = work->next[k] + shrink * (v[k] - work->next[k]);
            work->t *= shrink;
            pcs_acceleration_restart(acceleration);
        }
        for (int32_t k = 0; k < work->rows; k++)
            g[k] = work->next[k] - work->t * work->next_F[k] - v[k];
        swap(&work->r, &work->next);
        swap(&work->u, &work->next_u);
        swap(&work->F, &work->next_F);
        if (!pcs_acceleration_step(acceleration, v, g, monitor->last))
            break;
    }
}

static pcs_status prepare(projection_work *work, pcs_arena *arena, const double *r, const double *u)
{
    PCS_TRY(allocate(work, arena));
    pcs_first_order_weights(work->problem, work->weight);
    work->t = 1.0 / pcs_first_order_spectral_radius(work->problem, work->weight, work->next,
                                                    work->next_u);
    work->longest = LONGEST * work->t;
    memcpy(work->r, r, (size_t)work->rows * sizeof *r);
    memcpy(work->u, u, (size_t)work->rows * sizeof *u);
    compute_F(work, work->u, work->F);
    return PCS_OK;
}

static pcs_status run_accelerated(projection_work *work, pcs_monitor *monitor, pcs_arena *arena,
                                  const double *option, int32_t max_iterations)
{
    pcs_acceleration acceleration;
    double *scale = PCS_ARENA_ARRAY(arena, double, work->rows);
    double *v = PCS_ARENA_ARRAY(arena, double, work->rows);
    double *g = PCS_ARENA_ARRAY(arena, double, work->rows);
    if (scale == NULL || v == NULL || g == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < work->rows; k++)
        scale[k] = sqrt(work->weight[k]);
    PCS_TRY(pcs_acceleration_init(&acceleration, arena,
                                  (pcs_acceleration_kind)option[FIXED_ACCELERATION], work->rows,
                                  (int32_t)option[FIXED_MEMORY], scale));
    iterate_accelerated(work, monitor, &acceleration, v, g, max_iterations);
    return PCS_OK;
}

typedef enum method { EXTRAGRADIENT, FIXED_POINT } method;

static pcs_status solve(method chosen, const pcs_friction_contact *problem,
                        const pcs_solve_opts *opts, const double *option, pcs_arena *arena,
                        double *r, double *u, pcs_solve_info *info)
{
    const int32_t limit = opts->max_iterations > 0 ? opts->max_iterations : DEFAULT_ITERATIONS;
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    projection_work work = {.problem = problem,
                            .rows = problem->W->offset[problem->W->n],
                            .limit = option[chosen == EXTRAGRADIENT ? OPTION_L : FIXED_L]};
    pcs_monitor monitor;
    pcs_status status = pcs_monitor_init(&monitor, problem, opts, arena, r);
    if (status >= 0 && !monitor.done && !monitor.stopped) {
        status = prepare(&work, arena, r, monitor.u);
        if (status >= 0 && chosen == EXTRAGRADIENT)
            iterate_extragradient(&work, &monitor, limit);
        else if (status >= 0 && option[FIXED_ACCELERATION] == PCS_ACCELERATION_NONE)
            iterate_fixed_point(&work, &monitor, limit);
        else if (status >= 0)
            status = run_accelerated(&work, &monitor, arena, option, limit);
    }
    if (status >= 0) {
        pcs_monitor_stage(&monitor, info, chosen == EXTRAGRADIENT ? "extragradient" : "fixed-point",
                          work.iteration);
        status = pcs_monitor_finish(&monitor, r, u, info);
    }
    pcs_arena_release(arena, mark);
    return status;
}

static pcs_status solve_extragradient(const pcs_friction_contact *problem,
                                      const pcs_solve_opts *opts, const double *option,
                                      pcs_arena *arena, double *r, double *u, pcs_solve_info *info)
{
    return solve(EXTRAGRADIENT, problem, opts, option, arena, r, u, info);
}

static pcs_status solve_fixed_point(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                                    const double *option, pcs_arena *arena, double *r, double *u,
                                    pcs_solve_info *info)
{
    return solve(FIXED_POINT, problem, opts, option, arena, r, u, info);
}

const pcs_friction_solver pcs_solver_extragradient = {
    "extragradient", "two projections on a variational inequality, self-adaptive step",
    extragradient_options, EXTRAGRADIENT_COUNT, solve_extragradient};
const pcs_friction_solver pcs_solver_fixed_point = {
    "fixed-point", "one projection (Uzawa) with self-adaptive step, or accelerated",
    fixed_point_options, FIXED_COUNT, solve_fixed_point};

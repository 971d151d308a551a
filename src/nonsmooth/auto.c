// The default solver. It chains, from the cheapest to the safest, and stops as soon as the residual
// meets the tolerance:
//
//     sweeps           Gauss-Seidel while it is about to arrive: easy problems, loose tolerances;
//                      mixed where the way is short but plain sweeps are slow
//     sweeps, admm     where a factorisation is dear: mixed sweeps, then a few iterations with one
//     strides          large problems where it is dear: sweeps with momentum and long Newton steps
//     newton           proximal Newton continuation on the closed contacts: nearly all the rest
//     strides, interior-point, strides          in large problems where Newton cycles
//     interior-point, sweeps, newton, interior-point   in those of some hundred contacts: warm, and
//                      once along the central path
//     sweeps, newton   once more: a few sweeps lead out of most cycles
//     admm             for a better start where Newton still cycles
//     newton           from there
//     interior-point   cold; in small problems with a walk along the central path
//     descent          of the complementarity gap, from inside the cones; small problems
//     lemke            complementary paths on the circular cones; small problems
//     restarts         Newton from scattered starts: another solution may be easier to reach
//     descent          more of them
//     interior-point   with the central path followed through its folds
//     newton           from the best of all
//     lemke            more of them
//     enumeration      of the states, where they are few
//     polish           beyond the tolerance, where the next step would have to mend what is left
//
// Sweeps and Newton close nearly every gap of the FCLIB problems; the interior point method is
// slower but does not cycle. What none of them solves is looked at for a cause.
#include "nonsmooth/auto.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/timer.h"
#include "linalg/block_lu.h"
#include "math/cone.h"
#include "nonsmooth/contact_newton.h"
#include "nonsmooth/contact_path.h"
#include "nonsmooth/diagnosis.h"
#include "nonsmooth/first_order.h"
#include "nonsmooth/friction_enumerate.h"
#include "nonsmooth/gap_descent.h"
#include "nonsmooth/interior_point.h"
#include "nonsmooth/nsgs.h"
#include "nonsmooth/strides.h"

enum { SWEEPS = PCS_AUTO_SWEEPS, NEWTON_STEPS = PCS_AUTO_NEWTON_STEPS };

static const char *const switches[] = {"off", "on", NULL};

static const pcs_option options[PCS_AUTO_OPTIONS] = {
    [SWEEPS] = {"sweeps", PCS_OPTION_INTEGER, 200, 0, 1e9, NULL,
                "most Gauss-Seidel sweeps; fewer if they are too slow to arrive"},
    [NEWTON_STEPS] = {"newton_steps", PCS_OPTION_INTEGER, 40, 0, 1e9, NULL,
                      "linear solves of Newton's method: half of them before and half after the "
                      "sweeps that lead out of a cycle, all of them each time it is tried later"},
    [PCS_AUTO_RESTARTS] = {"restarts", PCS_OPTION_INTEGER, 10, 0, 1e6, NULL,
                           "scattered starts of Newton's method after all else failed"},
    [PCS_AUTO_POLISH] =
        {"polish", PCS_OPTION_CHOICE, 0, 0, 1, switches,
         "accuracy beyond the tolerance: one more sweep or Newton problem after it is met, more "
         "where the start was nearly right; schemes switch it on"},
    [PCS_AUTO_PATH_STEPS] = {"path_steps", PCS_OPTION_INTEGER, 4000, 0, 1e9, NULL,
                             "linear solves along the central path through its folds"},
    [PCS_AUTO_COVERS] =
        {"covers", PCS_OPTION_INTEGER, 400, 0, 1e6, NULL,
         "covering vectors of the complementary paths, the last resort of small problems; for each "
         "one also a path from the best iterate"},
    [PCS_AUTO_DESCENTS] = {"descents", PCS_OPTION_INTEGER, 200, 0, 1e6, NULL,
                           "descents of the complementarity gap from scattered starts in small "
                           "problems, as far as their work is affordable"},
};

// Sweeps between two looks at their rate, and the sweeps that a Newton continuation is worth: it
// takes some fifteen factorisations, each as dear as several sweeps.
enum { SWEEP_BATCH = 8, SWEEPS_WORTH = 60 };
// Sweeps between two tries of Newton's method.
enum { SHAKE_SWEEPS = 16 };
// The least batch of mixed sweeps, which hasten after as many as they remember have been seen:
// twice the memory if that is more.
enum { MIXED_BATCH = 16 };
// A large problem has mixed sweeps from the start, since there loads travel far and factorisations
// are dear. Others of MIXED_FROM contacts or more have them behind the first batch of plain ones if
// these would need more than SOON sweeps and no more than MIXED_WAY of the residual (2.5 digits) is
// missing: few sweeps go that far, mixed or not, and many cost more than Newton's method, which for
// few contacts costs little and is exact. If they do not arrive, Newton starts where the plain ones
// ended: mixed iterates combine states that never were together.
typedef enum mixing { MIX_NEVER, MIX_LATE, MIX_ALWAYS } mixing;
enum { SOON = 4, MIXED_FROM = 20 };
static const double MIXED_WAY = 5.76; // ln(10^2.5)
// Sweeps between two strides at least, and times as many before the first. Strides before Newton's
// method; after it, where factorisations are cheap and where they are dear: about what the interior
// point method takes, which follows and gets through less often in large problems; and after that.
enum { STRIDE_SWEEPS = 50, FIRST_SWEEPS = 4, STRIDES_FIRST = 8 };
enum { STRIDES_CHEAP = 20, STRIDES_DEAR = 60, STRIDES_LAST = 400 };
// Proximal weight of the first problem from a scattered start.
static const double RESTART_DELTA = 1.0;
// ADMM iterations that give Newton a new start.
enum { ADMM_STEPS = 400 };
// ADMM goes first where a factorisation costs as much as DEAR solves, for as many iterations, with
// a penalty so small that few are needed if the states hardly change; problems with more contacts
// than FORECAST_MAX are not analysed for that.
enum { DEAR = 30, FORECAST_MAX = 20000 };
// The cost of a sweep in operations, one visit of a contact besides its products, and of a
// factorisation: what is done for each entry, and the speed of its dense products over that of a
// sweep.
static const double VISIT_OPERATIONS = 100.0, ENTRY_OPERATIONS = 5.0, DENSE_SPEED = 10.0;
// Sweeps between two strides at most, and those for a problem that was not analysed.
enum { SWEEPS_MOST = 100000, SWEEPS_UNKNOWN = 1000 };
static const double EARLY_PENALTY = 3e-3;
enum { EARLY_PATIENCE = 8 };
// The polish of a start that was nearly right, up to START_NEAR times the tolerance. What a solve
// leaves in contacts at rest is a velocity that is there when the next step begins, and its
// impulses, kept, add as much again in every step: the residual grows up to the tolerance and stays
// there, and each step has to mend it. So the impulses are made right to AIM_PART of the tolerance
// if they add more than GROWTH_PART in a step, or when the sum has come to LEVEL_PART. A solve that
// takes velocities away leaves impulses that are wrong by as much; the next one, which sees them
// grow, makes them right too, and then there is nothing left to do.
static const double START_NEAR = 10.0, LEVEL_PART = 1e-2, GROWTH_PART = 1e-5, AIM_PART = 1e-6;
// The same in units of rounding: the factors of a singular W leave up to some hundred, which the
// next steps add up.
static const double LEVEL_ROUNDING = 1e4, GROWTH_ROUNDING = 300.0, AIM_ROUNDING = 100.0;
// The level of rounding costs a pass over W; where the contact that q drives most is closed,
// |W r| = |q| and it is at least eps/2.
static const double LEAST_ROUNDING = 0.5 * DBL_EPSILON;
// One step with a weight that hardly damps, which is exact if the states are right, and if it does
// not lower the residual by POLISH_GAIN a continuation.
static const double POLISH_DELTA = 1e-11, POLISH_GAIN = 0.1;
enum { POLISH_STEPS = 10 };
// Sweeps that the factorisations of a polish may cost.
enum { POLISH_SWEEPS = 100 };
// Steps of its continuation at least: two mend what the first left where contacts are redundant.
enum { POLISH_LEAST = 2 };
// Contacts from which the interior point method follows Newton's at once.
enum { MEDIUM_FROM = 60 };
// Steps of the interior point method: it needs ten to forty, or blocks.
enum { INTERIOR_POINT_STEPS = 100 };
// Factorisations of a first short walk along the central path, in small problems: most of those
// that it solves at all take fewer.
enum { SHORT_WALK = 400 };
// Complementary paths: factorisations of the first one, what each may take more than the one
// before, how many are tried early, of how many later ones two have a search as well, and the work
// of all, rows^3 for a factorisation (about a second, and twice that). A path winds for hundreds of
// steps or for ever, so that many short tries are better than a few long ones.
enum { COVER_STEPS = 2000, COVER_STEPS_MORE = 5, COVERS_EARLY = 20, SEARCH_EVERY = 8 };
static const double COVER_WORK_EARLY = 5e10, COVER_WORK = 1e11;
// Descents of the gap: steps of each one, how many are tried early, ways to round its end, and the
// work of all, rows^3 for a step (about a second, and twenty of them).
enum { DESCENT_STEPS = 500, DESCENTS_EARLY = 10, ROUNDINGS = 4 };
static const double DESCENT_WORK_EARLY = 1e10, DESCENT_WORK = 1.5e11;

typedef struct chain {
    pcs_monitor monitor;
    const pcs_friction_contact *problem;
    const pcs_solve_opts *opts;
    pcs_arena *arena;
    pcs_solve_info *info;
    int32_t left;  // iterations that may still be spent
    bool polish;   // option
    bool exact;    // the best iterate is as good as rounding allows
    bool cold;     // the start was zero
    double start;  // its residual
    double before; // residual that it had one step earlier; that of the start if unknown
    double *r;
} chain;

static bool is_over(const chain *c)
{
    return c->monitor.done || c->monitor.stopped || c->left <= 0 || c->exact;
}

// Books the stage, and looks whether rounding alone keeps the best iterate above the tolerance.
static void end_stage(chain *c, const char *name, int32_t iterations)
{
    c->left -= iterations;
    pcs_monitor_stage(&c->monitor, c->info, name, iterations);
    c->exact = !c->monitor.done && pcs_monitor_is_exact(&c->monitor);
}

// One sweep beyond the tolerance: where contacts do not couple, it makes the answer exact.
static void polish_by_sweep(chain *c, pcs_nsgs_work *work, int32_t *sweeps)
{
    pcs_nsgs_sweep(work, 1.0, c->r);
    pcs_monitor_test(&c->monitor, c->r);
    ++*sweeps;
}

// Sweeps in batches for as long as the last batch's rate leads to the tolerance soon.
static pcs_status run_sweeps(chain *c, int32_t most, mixing mix)
{
    pcs_nsgs_work work;
    const pcs_block_matrix *W = c->problem->W;
    const int32_t memory = pcs_sweep_mixing_memory(W->n);
    int32_t sweeps = 0;
    double *plain = NULL; // the last iterate before mixing
    most = most < c->left ? most : c->left;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    PCS_TRY(
        pcs_nsgs_work_init_order(&work, c->problem, c->arena, PCS_ORDER_AUTO, c->problem->tasks));
    if (mix == MIX_ALWAYS)
        PCS_TRY(pcs_nsgs_mix(&work, memory, c->arena));
    while (sweeps < most && !is_over(c)) {
        const int32_t usual = work.mixing == NULL        ? SWEEP_BATCH
                              : 2 * memory > MIXED_BATCH ? 2 * memory
                                                         : MIXED_BATCH;
        const int32_t batch = usual < most - sweeps ? usual : most - sweeps;
        const double before = c->monitor.last;
        const int32_t start = sweeps;
        const double relaxation = work.mixing == NULL ? 1.0 : pcs_sweep_mixing_relaxation(W->n);
        if (pcs_nsgs_run(&work, &c->monitor, relaxation, batch, c->r, &sweeps) ||
            sweeps - start < batch)
            break; // arrived, or a fixed point
        const double fall = log(before / c->monitor.last);
        const double way = log(c->monitor.last / c->opts->tolerance);
        const double left = fall > 0.0 ? way / fall * batch : INFINITY; // sweeps at this rate
        if (mix == MIX_LATE && work.mixing == NULL && left > SOON && way <= MIXED_WAY) {
            PCS_TRY(pcs_nsgs_mix(&work, memory, c->arena));
            plain = PCS_ARENA_ARRAY(c->arena, double, c->monitor.rows);
            if (plain == NULL)
                return PCS_ERROR_MEMORY;
            memcpy(plain, c->r, (size_t)c->monitor.rows * sizeof *plain);
        } else if (!(left <= SWEEPS_WORTH)) {
            break;
        }
    }
    if (plain != NULL && !c->monitor.done)
        memcpy(c->r, plain, (size_t)c->monitor.rows * sizeof *c->r);
    if (c->polish && c->monitor.done && sweeps < c->left)
        polish_by_sweep(c, &work, &sweeps);
    pcs_arena_release(c->arena, mark);
    end_stage(c, "sweeps", sweeps);
    return PCS_OK;
}

// Newton from c->r to a residual below the aim. Steps are added to *steps.
static pcs_status try_newton_with(chain *c, pcs_contact_newton_opts opts, int32_t *steps)
{
    pcs_contact_newton *newton;
    const int32_t left = c->left - *steps;
    opts.max_steps = opts.max_steps < left ? opts.max_steps : left;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    PCS_TRY(pcs_contact_newton_create(c->problem, c->problem->tasks, c->arena, &newton));
    PCS_TRY(pcs_contact_newton_run(newton, &c->monitor, &opts, c->r, steps));
    c->info->factorisations += pcs_contact_newton_factorisations(newton);
    pcs_arena_release(c->arena, mark);
    return PCS_OK;
}

// Newton from c->r to the tolerance; first_delta 0: chosen from it.
static pcs_status try_newton(chain *c, double first_delta, int32_t most, int32_t *steps)
{
    const pcs_contact_newton_opts opts = {
        .first_delta = first_delta, .max_steps = most, .polish = c->polish};
    return try_newton_with(c, opts, steps);
}

static pcs_status run_newton(chain *c, int32_t most)
{
    int32_t steps = 0;
    PCS_TRY(try_newton(c, 0.0, most, &steps));
    end_stage(c, "newton", steps);
    return PCS_OK;
}

// Impulses scattered inside the cones, of the size that stops the largest velocity of q.
static void scatter(const chain *c, pcs_random *random, double *r)
{
    const pcs_block_matrix *W = c->problem->W;
    const double speed = pcs_friction_contact_scale(c->problem);
    for (int32_t i = 0; i < W->n; i++) {
        const double size = speed * pcs_friction_block_rho(W, i);
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++)
            r[k] = size * pcs_random_between(random, -1.0, 1.0);
        if (!pcs_is_bilateral(c->problem, i))
            pcs_cone_project(c->problem->mu[i], W->offset[i + 1] - W->offset[i], r + W->offset[i]);
    }
}

// Newton from scattered starts, each from a heavily damped problem on. The seed is fixed: the same
// problem takes the same way.
static pcs_status run_restarts(chain *c, int32_t restarts, int32_t most)
{
    pcs_random random;
    int32_t steps = 0;
    pcs_random_init(&random, 1);
    for (int32_t k = 0; k < restarts && !is_over(c) && steps < c->left; k++) {
        scatter(c, &random, c->r);
        PCS_TRY(try_newton(c, RESTART_DELTA, most, &steps));
    }
    end_stage(c, "restarts", steps);
    return PCS_OK;
}

// Another solver of the table as a stage, from `start` (NULL: r = 0), for at most `most` iterations
// (0: its own limit); c->r becomes its answer.
static pcs_status run_solver(chain *c, const pcs_friction_solver *solver, const double *option,
                             const double *start, int32_t most)
{
    pcs_solve_opts opts = *c->opts;
    pcs_solve_info info;
    const int32_t rows = c->monitor.rows;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    double *r = PCS_ARENA_ARRAY(c->arena, double, rows),
           *u = PCS_ARENA_ARRAY(c->arena, double, rows);
    if (r == NULL || u == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < rows; k++)
        r[k] = start != NULL ? start[k] : 0.0;
    opts.max_iterations = c->opts->max_iterations > 0 && (most == 0 || c->left < most) ? c->left
                                                                                       : most;
    opts.count_solutions = 0;
    if (c->monitor.deadline > 0.0)
        opts.max_time = fmax(1e-9, c->monitor.deadline - pcs_timer_now());
    PCS_TRY(pcs_friction_solve(c->problem, solver, &opts, option, c->arena, r, u, &info));
    c->info->factorisations += info.factorisations;
    pcs_monitor_test_with_u(&c->monitor, r, u);
    memcpy(c->r, r, (size_t)rows * sizeof *r);
    pcs_arena_release(c->arena, mark);
    end_stage(c, solver->name, info.iterations);
    return PCS_OK;
}

static double count_values(const pcs_block_matrix *W)
{
    double values = 0.0;
    for (int32_t i = 0; i < W->n; i++)
        for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
            const int32_t j = W->column[k];
            values += (double)(W->offset[i + 1] - W->offset[i]) * (W->offset[j + 1] - W->offset[j]);
        }
    return values;
}

// What a factorisation costs.
typedef struct forecast {
    bool dear;      // as DEAR solves or more
    int32_t sweeps; // that take as long
} forecast;

static pcs_status forecast_factorisation(chain *c, forecast *f)
{
    const pcs_block_matrix *W = c->problem->W;
    pcs_block_lu *lu;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    *f = (forecast){.dear = true, .sweeps = SWEEPS_UNKNOWN};
    if (W->n > FORECAST_MAX)
        return PCS_OK;
    PCS_TRY(pcs_block_lu_analyse(c->arena, W, NULL, &lu));
    const double operations = pcs_block_lu_operations(lu);
    const double entries = (double)pcs_block_lu_entries(lu);
    const double sweep = 2.0 * count_values(W) + VISIT_OPERATIONS * W->n;
    f->dear = operations > DEAR * 2.0 * entries;
    const double factorisation = operations / DENSE_SPEED + ENTRY_OPERATIONS * entries;
    f->sweeps = (int32_t)fmin(SWEEPS_MOST, ceil(factorisation / sweep));
    pcs_arena_release(c->arena, mark);
    return PCS_OK;
}

// Mixed sweeps, then ADMM.
static pcs_status run_without_newton(chain *c, int32_t sweeps)
{
    double option[PCS_SOLVER_OPTIONS_MAX];
    PCS_TRY(run_sweeps(c, sweeps, MIX_ALWAYS));
    if (is_over(c))
        return PCS_OK;
    PCS_TRY(pcs_solver_options(pcs_solver_admm.name, pcs_solver_admm.options,
                               pcs_solver_admm.n_options, NULL, option, c->arena->ctx));
    option[PCS_ADMM_PENALTY] = EARLY_PENALTY;
    option[PCS_ADMM_PATIENCE] = EARLY_PATIENCE;
    PCS_TRY(run_solver(c, &pcs_solver_admm, option, NULL, DEAR));
    memcpy(c->r, c->monitor.best, (size_t)c->monitor.rows * sizeof *c->r);
    return PCS_OK;
}

// Sweeps take about as long as strides; without any, as long as one.
static pcs_status run_strides(chain *c, const forecast *f, int32_t most)
{
    const int32_t sweeps = f->sweeps > STRIDE_SWEEPS ? f->sweeps : STRIDE_SWEEPS;
    const pcs_strides_opts opts = {.first = most > 0 ? FIRST_SWEEPS * sweeps : sweeps,
                                   .sweeps = sweeps,
                                   .strides = most,
                                   .iterations = c->left};
    pcs_strides_info info = {0, 0};
    PCS_TRY(pcs_strides_run(c->problem, &c->monitor, &opts, c->arena, c->r, &info));
    c->info->factorisations += info.factorisations;
    end_stage(c, "strides", info.iterations);
    return PCS_OK;
}

// From `start`, and from r = 0 if that does not succeed.
static pcs_status run_interior_point(chain *c, int follow, double path_steps, const double *start)
{
    const double option[PCS_INTERIOR_POINT_OPTIONS] = {
        [PCS_INTERIOR_POINT_UPDATE] = PCS_INTERIOR_POINT_EMBEDDED,
        [PCS_INTERIOR_POINT_FOLLOW] = path_steps > 0.0 ? follow : PCS_INTERIOR_POINT_FOLLOW_OFF,
        [PCS_INTERIOR_POINT_STEPS] = fmax(1.0, path_steps),
    };
    return run_solver(c, &pcs_solver_interior_point, option, start, INTERIOR_POINT_STEPS);
}

// Factorisations of complementary paths that are worth the work; small problems have enough for one
static int32_t affordable_steps(const chain *c, double work)
{
    const double rows = c->monitor.rows, steps = work / (rows * rows * rows);
    return steps < c->left ? (int32_t)steps : c->left;
}

static bool is_small(const chain *c)
{
    return affordable_steps(c, COVER_WORK_EARLY) >= COVER_STEPS;
}

typedef bool (*path_fn)(pcs_contact_path *path, uint64_t random, int32_t max_steps,
                        pcs_monitor *monitor, double *r, int32_t *steps);

// One path; one that arrives is polished by Newton.
static pcs_status try_path(chain *c, path_fn follow, pcs_contact_path *path, int32_t number,
                           int32_t most, int32_t newton_steps, int32_t *steps)
{
    const int32_t limit = COVER_STEPS + number * COVER_STEPS_MORE, left = most - *steps;
    if (left > 0 && !is_over(c) &&
        follow(path, (uint64_t)number, limit < left ? limit : left, &c->monitor, c->r, steps) &&
        !pcs_monitor_test(&c->monitor, c->r))
        PCS_TRY(try_newton(c, 0.0, newton_steps, steps));
    return PCS_OK;
}

// Complementary paths of the covering vectors from *cover on, up to `last`, and searches around
// `centre`. The seeds are fixed: the same problem takes the same way.
static pcs_status run_lemke(chain *c, const double *centre, int32_t *cover, int32_t last,
                            double work, int32_t newton_steps)
{
    const int32_t most = affordable_steps(c, work);
    int32_t steps = 0;
    pcs_contact_path *path;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    PCS_TRY(pcs_contact_path_create(c->problem, c->arena, &path));
    pcs_contact_path_set_centre(path, centre);
    for (; *cover < last && steps < most && !is_over(c); ++*cover) {
        const int32_t k = *cover;
        PCS_TRY(try_path(c, pcs_contact_path_follow, path, k, most, newton_steps, &steps));
        if (k < COVERS_EARLY || k % SEARCH_EVERY <= 1)
            PCS_TRY(try_path(c, pcs_contact_path_search, path, k, most, newton_steps, &steps));
    }
    c->info->factorisations += steps;
    pcs_arena_release(c->arena, mark);
    end_stage(c, "lemke", steps);
    return PCS_OK;
}

// Newton from an end of a descent
static pcs_status try_end(chain *c, int32_t newton_steps, int32_t *steps)
{
    if (!pcs_monitor_test(&c->monitor, c->r))
        PCS_TRY(try_newton(c, 0.0, newton_steps, steps));
    return PCS_OK;
}

// Descents of the complementarity gap from *number on, up to `last`; Newton from the end of each
// one, and from where rounding leads.
static pcs_status run_descents(chain *c, int32_t *number, int32_t last, double work,
                               int32_t newton_steps)
{
    const int32_t most = affordable_steps(c, work);
    int32_t steps = 0, newton = 0;
    pcs_gap_descent *descent;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    PCS_TRY(pcs_gap_descent_create(c->problem, c->arena, &descent));
    for (; *number < last && steps < most && !is_over(c); ++*number) {
        const int32_t left = most - steps;
        pcs_gap_descent_run(descent, (uint64_t)*number, left < DESCENT_STEPS ? left : DESCENT_STEPS,
                            &c->monitor, c->r, &steps);
        PCS_TRY(try_end(c, newton_steps, &newton));
        for (int32_t rank = 0; rank < ROUNDINGS && !is_over(c) &&
                               pcs_gap_descent_round(descent, rank, DESCENT_STEPS, c->r, &steps);
             rank++)
            PCS_TRY(try_end(c, newton_steps, &newton));
    }
    c->info->factorisations += steps;
    pcs_arena_release(c->arena, mark);
    end_stage(c, "descent", steps + newton);
    return PCS_OK;
}

// Problems where the interior point method follows Newton's at once.
static bool is_medium(const chain *c)
{
    return c->problem->W->n >= MEDIUM_FROM && c->problem->W->n < PCS_SWEEP_COLOURED_FROM;
}

// Steps along the central path that run_medium() takes.
static double steps_walked(const chain *c, const double *option)
{
    return is_medium(c) ? fmin(SHORT_WALK, option[PCS_AUTO_PATH_STEPS]) : 0.0;
}

// Counts the solutions of a small problem and offers the first one. Larger problems pass.
static pcs_status enumerate(chain *c)
{
    int32_t count = -1;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    double *r = PCS_ARENA_ARRAY(c->arena, double, c->monitor.rows);
    if (r == NULL)
        return PCS_ERROR_MEMORY;
    pcs_status status = pcs_friction_enumerate(c->problem, c->arena, 1, r, &count);
    PCS_TRY(status);
    if (count > 0 && !c->monitor.done)
        pcs_monitor_test(&c->monitor, r);
    if (status == PCS_OK)
        c->info->solutions = count;
    pcs_arena_release(c->arena, mark);
    return PCS_OK;
}

// What follows when Newton's method failed from all starts at hand. Searches begin where the first
// stages ended: the walks of the interior point method may have led far away.
static pcs_status search(chain *c, const double *option)
{
    const int32_t newton_steps = (int32_t)option[NEWTON_STEPS];
    const int32_t covers = is_small(c) ? (int32_t)option[PCS_AUTO_COVERS] : 0;
    const int32_t descents = is_small(c) ? (int32_t)option[PCS_AUTO_DESCENTS] : 0;
    const size_t size = (size_t)c->monitor.rows * sizeof(double);
    int32_t cover = 0, descent = 0;
    double *centre = PCS_ARENA_ARRAY(c->arena, double, c->monitor.rows);
    if (centre == NULL)
        return PCS_ERROR_MEMORY;
    pcs_monitor_make_strict(&c->monitor);
    memcpy(centre, c->monitor.best, size);
    if (!is_medium(c))
        PCS_TRY(run_interior_point(
            c, PCS_INTERIOR_POINT_FOLLOW_ON,
            is_small(c) ? fmin(SHORT_WALK, option[PCS_AUTO_PATH_STEPS]) : 0.0, NULL));
    if (!is_over(c) && descents > 0)
        PCS_TRY(run_descents(c, &descent, descents < DESCENTS_EARLY ? descents : DESCENTS_EARLY,
                             DESCENT_WORK_EARLY, newton_steps));
    if (!is_over(c) && covers > 0)
        PCS_TRY(run_lemke(c, centre, &cover, covers < COVERS_EARLY ? covers : COVERS_EARLY,
                          COVER_WORK_EARLY, newton_steps));
    if (!is_over(c) && option[PCS_AUTO_RESTARTS] > 0.0)
        PCS_TRY(run_restarts(c, (int32_t)option[PCS_AUTO_RESTARTS], newton_steps));
    if (!is_over(c) && descents > descent)
        PCS_TRY(run_descents(c, &descent, descents, DESCENT_WORK, newton_steps));
    if (!is_over(c) && option[PCS_AUTO_PATH_STEPS] > steps_walked(c, option))
        PCS_TRY(
            run_interior_point(c, PCS_INTERIOR_POINT_FOLLOW_ON, option[PCS_AUTO_PATH_STEPS], NULL));
    if (!is_over(c) && newton_steps > 0) {
        memcpy(c->r, c->monitor.best, size);
        PCS_TRY(run_newton(c, newton_steps));
    }
    if (!is_over(c) && covers > cover)
        PCS_TRY(run_lemke(c, centre, &cover, covers, COVER_WORK, newton_steps));
    return PCS_OK;
}

// A search, unless it is in vain, and enumeration.
static pcs_status run_last_resorts(chain *c, const double *option)
{
    if (pcs_friction_find_immobile(c->problem) < 0)
        PCS_TRY(search(c, option));
    if (!is_over(c)) {
        PCS_TRY(enumerate(c));
        end_stage(c, "enumeration", 0);
    }
    return PCS_OK;
}

// Newton's method once more after a few sweeps, which lead out of most cycles.
static pcs_status run_shaken(chain *c, const double *option, mixing mix)
{
    const int32_t newton_steps = (int32_t)option[NEWTON_STEPS];
    const int32_t sweeps = (int32_t)option[SWEEPS];
    if (newton_steps <= 1)
        return PCS_OK;
    PCS_TRY(run_sweeps(c, SHAKE_SWEEPS < sweeps ? SHAKE_SWEEPS : sweeps, mix));
    return is_over(c) ? PCS_OK : run_newton(c, newton_steps / 2);
}

// Piles of some hundred contacts that settle: Newton's method drifts from one set of states that
// almost has a solution to the next. The interior point method passes them, from where it stood in
// ten to thirty steps; what it leaves is little.
static pcs_status run_medium(chain *c, const double *option)
{
    PCS_TRY(run_interior_point(c, PCS_INTERIOR_POINT_FOLLOW_OFF, 0.0, c->monitor.best));
    if (!is_over(c))
        PCS_TRY(run_shaken(c, option, MIX_NEVER));
    if (!is_over(c) && option[PCS_AUTO_PATH_STEPS] > 0.0)
        PCS_TRY(
            run_interior_point(c, PCS_INTERIOR_POINT_FOLLOW_ONCE, steps_walked(c, option), NULL));
    return PCS_OK;
}

// Newton's method once more: shaken, and from where ADMM ends.
static pcs_status run_newton_again(chain *c, const double *option, mixing mix)
{
    const int32_t newton_steps = (int32_t)option[NEWTON_STEPS];
    PCS_TRY(run_shaken(c, option, mix));
    if (!is_over(c))
        PCS_TRY(run_solver(c, &pcs_solver_admm, NULL, NULL, ADMM_STEPS));
    if (!is_over(c) && newton_steps > 0)
        PCS_TRY(run_newton(c, newton_steps));
    return PCS_OK;
}

// Large problems where Newton's method cycles.
static pcs_status run_large(chain *c, const forecast *f)
{
    PCS_TRY(run_strides(c, f, f->dear ? STRIDES_DEAR : STRIDES_CHEAP));
    if (!is_over(c))
        PCS_TRY(run_interior_point(c, PCS_INTERIOR_POINT_FOLLOW_OFF, 0.0, NULL));
    return is_over(c) ? PCS_OK : run_strides(c, f, STRIDES_LAST);
}

// Where a factorisation is dear: all that goes without, or with one.
static pcs_status run_dear(chain *c, const forecast *f, int32_t sweeps, bool large)
{
    if (large)
        PCS_TRY(run_strides(c, f, 0));
    if (!is_over(c))
        PCS_TRY(run_without_newton(c, sweeps));
    return !is_over(c) && large ? run_strides(c, f, STRIDES_FIRST) : PCS_OK;
}

// Whether the residual is high or grows by more than rounding of this level explains. In a large
// problem little growth is not worth a factorisation: it may as well be of a slow motion.
static bool asks_for_polish(const chain *c, double rounding)
{
    const double tolerance = c->opts->tolerance, growth = c->start - c->before;
    const bool large = c->problem->W->n >= PCS_SWEEP_COLOURED_FROM;
    const double part = large ? LEVEL_PART : GROWTH_PART;
    return c->monitor.best_value > fmax(LEVEL_PART * tolerance, LEVEL_ROUNDING * rounding) ||
           growth > fmax(part * tolerance, GROWTH_ROUNDING * rounding);
}

// The residual that a polish aims at; 0: there is nothing to polish.
static double polish_aim(const chain *c)
{
    const double tolerance = c->opts->tolerance;
    const bool near = c->cold || c->start <= START_NEAR * tolerance;
    if (!c->polish || !near || !asks_for_polish(c, LEAST_ROUNDING))
        return 0.0;
    const double rounding = pcs_friction_contact_rounding(c->problem, c->monitor.best);
    return asks_for_polish(c, rounding) ? fmax(AIM_PART * tolerance, AIM_ROUNDING * rounding) : 0.0;
}

// Whether the contacts that carry a load did not move when the step began.
static bool is_at_rest(const chain *c)
{
    const pcs_block_matrix *W = c->problem->W;
    const double *r = c->monitor.best, *before = c->problem->before;
    const double still = START_NEAR * c->opts->tolerance * pcs_friction_contact_scale(c->problem);
    bool rest = before != NULL;
    for (int32_t i = 0; i < W->n && rest; i++)
        for (int32_t k = W->offset[i]; k < W->offset[i + 1] && r[W->offset[i]] != 0.0; k++)
            rest = rest && fabs(before[k]) <= still;
    return rest;
}

// Newton steps that a polish may take. In small problems they are little beside a step. From
// MEDIUM_FROM contacts on they may cost POLISH_SWEEPS in all: with many contacts of one body W is
// dense, and a factorisation is worth tens of sweeps. In large problems they pay only if nothing
// moves, since it is then done with them.
static pcs_status count_polish_steps(chain *c, int32_t *steps)
{
    const int32_t n = c->problem->W->n;
    forecast f;
    *steps = POLISH_STEPS;
    if (n < MEDIUM_FROM)
        return PCS_OK;
    *steps = 0;
    if (n > FORECAST_MAX || (n >= PCS_SWEEP_COLOURED_FROM && !is_at_rest(c)))
        return PCS_OK;
    PCS_TRY(forecast_factorisation(c, &f));
    if (f.sweeps <= POLISH_SWEEPS)
        *steps = (int32_t)fmin(POLISH_STEPS, fmax(POLISH_LEAST, POLISH_SWEEPS / fmax(1, f.sweeps)));
    return PCS_OK;
}

static pcs_status run_polish(chain *c)
{
    const size_t size = (size_t)c->monitor.rows * sizeof *c->r;
    const double now = c->monitor.best_value, aim = polish_aim(c);
    int32_t steps = 0, most = 0;
    if (aim > 0.0 && now > aim)
        PCS_TRY(count_polish_steps(c, &most));
    if (most == 0)
        return PCS_OK;
    memcpy(c->r, c->monitor.best, size);
    PCS_TRY(try_newton_with(
        c, (pcs_contact_newton_opts){.first_delta = POLISH_DELTA, .max_steps = 1, .aim = aim},
        &steps));
    if (c->monitor.best_value > POLISH_GAIN * now && most > 1) {
        memcpy(c->r, c->monitor.best, size);
        PCS_TRY(
            try_newton_with(c, (pcs_contact_newton_opts){.max_steps = most, .aim = aim}, &steps));
    }
    end_stage(c, "polish", steps);
    return PCS_OK;
}

static pcs_status run_chain(chain *c, const double *option)
{
    const int32_t n = c->problem->W->n, sweeps = (int32_t)option[SWEEPS];
    const int32_t newton_steps = (int32_t)option[NEWTON_STEPS];
    const bool large = n >= PCS_SWEEP_COLOURED_FROM;
    // Many sweeps to a loose tolerance are a poor start of the next step; Newton goes on from there.
    const bool few = c->cold && c->polish && !large && newton_steps > 0 && sweeps > SWEEP_BATCH;
    forecast f;
    PCS_TRY(run_sweeps(c, few ? SWEEP_BATCH : sweeps,
                       large            ? MIX_ALWAYS
                       : n < MIXED_FROM ? MIX_NEVER
                                        : MIX_LATE));
    if (c->monitor.done)
        return run_polish(c);
    if (is_over(c))
        return PCS_OK;
    PCS_TRY(forecast_factorisation(c, &f));
    if (f.dear)
        PCS_TRY(run_dear(c, &f, sweeps, large));
    if (!is_over(c) && newton_steps > 0)
        PCS_TRY(run_newton(c, (newton_steps + 1) / 2));
    if (!is_over(c) && large)
        PCS_TRY(run_large(c, &f));
    if (!is_over(c) && is_medium(c))
        PCS_TRY(run_medium(c, option));
    if (!is_over(c))
        PCS_TRY(run_newton_again(c, option, large ? MIX_ALWAYS : MIX_NEVER));
    return is_over(c) ? PCS_OK : run_last_resorts(c, option);
}

// A start whose residual is below the least growth that counts need not be compared with what it was.
static void measure_start(chain *c)
{
    const double least = fmax(GROWTH_PART * c->opts->tolerance, GROWTH_ROUNDING * LEAST_ROUNDING);
    c->start = c->before = c->monitor.last;
    c->cold = true;
    for (int32_t k = 0; k < c->monitor.rows && c->cold; k++)
        c->cold = c->r[k] == 0.0;
    if (c->polish && !c->cold && c->problem->before != NULL &&
        c->opts->measure == PCS_MEASURE_SCALED && c->start > least &&
        c->start <= START_NEAR * c->opts->tolerance)
        c->before = pcs_friction_contact_error(c->problem, PCS_MEASURE_SCALED, c->r,
                                               c->problem->before);
}

static pcs_status solve(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                        const double *option, pcs_arena *arena, double *r, double *u,
                        pcs_solve_info *info)
{
    chain c = {.problem = problem,
               .opts = opts,
               .arena = arena,
               .info = info,
               .r = r,
               .polish = option[PCS_AUTO_POLISH] != 0.0};
    c.left = opts->max_iterations > 0 ? opts->max_iterations : INT32_MAX;
    PCS_TRY(pcs_monitor_init(&c.monitor, problem, opts, arena, r));
    measure_start(&c);
    PCS_TRY(run_chain(&c, option));
    if (opts->count_solutions && info->solutions < 0)
        PCS_TRY(enumerate(&c));
    pcs_status status = pcs_monitor_finish(&c.monitor, r, u, info);
    if (status == PCS_NOT_CONVERGED)
        pcs_friction_diagnose(problem, r, u, info);
    return status;
}

const pcs_friction_solver pcs_solver_auto = {
    "auto", "sweeps, a proximal Newton method on the closed contacts, an interior point method",
    options, PCS_AUTO_OPTIONS, solve};

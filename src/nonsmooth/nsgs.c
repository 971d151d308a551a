// Nonlinear block Gauss-Seidel [Jourdan, Alart, Jean 1998]: visit the contacts in order and solve
// each one exactly with the others frozen,
//     u_i = W_ii r_i + q_i',    q_i' = q_i + sum_{j != i} W_ij r_j.
//
// A full measure costs as much as a sweep, so the residual is measured when the changes of a sweep
// foretell that it is below the tolerance (sweep.h), and now and then, so that the best iterate is
// known.
#include "nonsmooth/nsgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/kernels.h"

// Sweeps between measures of an iterate that still moves (3 % of overhead) and between looks at the
// clock.
enum { SWEEPS_PER_MEASURE = 32, SWEEPS_PER_LOOK = 8 };

// Blocks in one piece of work that has no order.
enum { PIECE = 64, MIXED = PCS_MIXING_FREE_PIECE };
// A copy of W pays where W is larger than the caches near a processor, and from the third sweep on,
// since it costs about one; a warm start needs fewer. It is made when the closed blocks have
// settled, but not later than after so many sweeps.
enum { COPY_EARLIEST = 2, COPY_LATEST = 6 };
// The blocks that carry an impulse have settled if a sweep changes their number by no more than one
// in so many.
enum { SETTLED = 100 };
// Runs of blocks are used where they make PCS_TASK_LANES threads that many times as fast as one.
static const double RUN_SPEED_UP = 2.5;

// Whether all blocks of a piece have this size and its entries of W lie one behind the other.
static bool is_uniform(const pcs_block_matrix *W, int32_t first, int32_t last, int32_t size)
{
    for (int32_t i = first; i < last; i++)
        if (W->offset[i] != i * size || W->offset[i + 1] - W->offset[i] != size)
            return false;
    for (int32_t e = W->row_start[first]; e < W->row_start[last]; e++)
        if (W->value_start[e] != (int64_t)e * size * size)
            return false;
    return true;
}

typedef struct prepare_job {
    pcs_nsgs_work *work;
    int32_t size; // of the first block
    bool *uniform;
} prepare_job;

static void prepare_piece(void *user, int32_t piece)
{
    const prepare_job *job = user;
    pcs_nsgs_work *work = job->work;
    const pcs_friction_contact *problem = work->problem;
    const pcs_block_matrix *W = problem->W;
    const int32_t first = piece * PIECE, last = W->n - first < PIECE ? W->n : first + PIECE;
    for (int32_t i = first; i < last; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        const double *W_ii = W->value + W->value_start[W->diagonal[i]];
        const bool bilateral = pcs_is_bilateral(problem, i);
        pcs_one_contact_init(&work->contact[i], size, W_ii, bilateral ? 0.0 : problem->mu[i],
                             bilateral);
        work->slip[i] = 0.0;
    }
    job->uniform[piece] = is_uniform(W, first, last, job->size);
}

// The diagonal blocks, and the size of all blocks if there is but one.
static pcs_status prepare_contacts(pcs_nsgs_work *work, pcs_arena *arena)
{
    const pcs_block_matrix *W = work->problem->W;
    const int32_t pieces = (W->n + PIECE - 1) / PIECE, size = W->n > 0 ? W->offset[1] : 0;
    work->contact = PCS_ARENA_ARRAY(arena, pcs_one_contact, W->n);
    work->slip = PCS_ARENA_ARRAY(arena, double, W->n);
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    prepare_job job = {work, size, PCS_ARENA_ARRAY(arena, bool, pieces)};
    if (work->contact == NULL || work->slip == NULL || job.uniform == NULL)
        return PCS_ERROR_MEMORY;
    pcs_tasks_run(work->tasks, prepare_piece, &job, pieces);
    work->uniform = size == 2 || size == 3 ? size : 0;
    for (int32_t k = 0; k < pieces; k++)
        work->uniform = job.uniform[k] ? work->uniform : 0;
    pcs_arena_release(arena, mark);
    return PCS_OK;
}

static pcs_status prepare_levels(pcs_nsgs_work *work, pcs_arena *arena)
{
    const pcs_friction_contact *problem = work->problem;
    const pcs_block_matrix *W = problem->W;
    uint8_t *root = PCS_ARENA_ARRAY(arena, uint8_t, W->n);
    work->sequence = PCS_ARENA_ARRAY(arena, int32_t, W->n);
    if (root == NULL || work->sequence == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < W->n; i++)
        root[i] = pcs_is_bilateral(problem, i) || problem->q[W->offset[i]] < 0.0;
    return pcs_levels_compute(arena, W->n, W->row_start, W->column, root, work->sequence);
}

// Runs of blocks. runs.length stays 0 where they are of no use: neighbours lie too far apart in the
// numbering. Many sweeps of runs use a copy of W.
static pcs_status prepare_runs(pcs_nsgs_work *work, pcs_arena *arena)
{
    const pcs_block_matrix *W = work->problem->W;
    pcs_run_order order;
    PCS_TRY(pcs_run_order_compute(&order, arena, work->tasks, W->n, W->row_start, W->column,
                                  pcs_sweep_run_length(W->n)));
    if (order.speed_up < RUN_SPEED_UP)
        return PCS_OK;
    work->runs = order;
    work->part = PCS_ARENA_ARRAY(arena, pcs_sweep_change, order.count);
    if (work->part == NULL)
        return PCS_ERROR_MEMORY;
    work->large = work->uniform == 3 && pcs_block_matrix_is_large(W);
    if (!work->large)
        return PCS_OK;
    work->copy = PCS_ARENA_ARRAY(arena, pcs_sweep_copy, 1);
    return work->copy != NULL
               ? pcs_sweep_copy_init(work->copy, work->problem, &work->runs, work->tasks, arena)
               : PCS_ERROR_MEMORY;
}

static pcs_status prepare_colours(pcs_nsgs_work *work, pcs_arena *arena)
{
    const pcs_block_matrix *W = work->problem->W;
    work->part = PCS_ARENA_ARRAY(arena, pcs_sweep_change, pcs_sweep_pieces(W->n));
    if (work->part == NULL)
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_colouring_compute(&work->colouring, arena, W->n, W->row_start, W->column));
    work->sequence = work->colouring.member;
    return PCS_OK;
}

// The coloured order is that of runs where they share the work well, else of blocks. The latter
// carries a load no further than Jacobi's method does, so that a problem of moderate size, whose
// sweeps are short, keeps the natural order in its place.
static pcs_status prepare_order(pcs_nsgs_work *work, pcs_arena *arena)
{
    const int32_t n = work->problem->W->n;
    const bool is_free = work->order == PCS_ORDER_AUTO;
    if (is_free)
        work->order = n >= PCS_SWEEP_COLOURED_FROM ? PCS_ORDER_COLOURED : PCS_ORDER_NATURAL;
    work->backward = work->order == PCS_ORDER_REVERSED;
    if (work->order == PCS_ORDER_LEVELS)
        return prepare_levels(work, arena);
    if (work->order != PCS_ORDER_COLOURED)
        return PCS_OK;
    PCS_TRY(prepare_runs(work, arena));
    if (work->runs.length > 0)
        return PCS_OK;
    if (!is_free || n >= PCS_SWEEP_BLOCKS_FROM)
        return prepare_colours(work, arena);
    work->order = PCS_ORDER_NATURAL;
    return PCS_OK;
}

pcs_status pcs_nsgs_work_init_order(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                                    pcs_arena *arena, pcs_sweep_order order, pcs_tasks *tasks)
{
    *work = (pcs_nsgs_work){.problem = problem, .order = order, .tasks = tasks};
    PCS_TRY(prepare_contacts(work, arena));
    return prepare_order(work, arena);
}

pcs_status pcs_nsgs_work_init(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                              pcs_arena *arena)
{
    return pcs_nsgs_work_init_order(work, problem, arena, PCS_ORDER_AUTO, NULL);
}

pcs_status pcs_nsgs_mix(pcs_nsgs_work *work, int32_t memory, pcs_arena *arena)
{
    work->mixing = NULL;
    if (memory == 0)
        return PCS_OK;
    pcs_sweep_mixing *mixing = PCS_ARENA_ARRAY(arena, pcs_sweep_mixing, 1);
    if (mixing == NULL)
        return PCS_ERROR_MEMORY;
    const bool runs = work->runs.length > 0;
    PCS_TRY(pcs_sweep_mixing_init(mixing, work->problem, memory, runs ? &work->runs : NULL,
                                  work->tasks, arena));
    const pcs_block_matrix *W = work->problem->W;
    work->point = runs ? NULL : PCS_ARENA_ARRAY(arena, double, W->offset[W->n]);
    if (!runs && work->point == NULL)
        return PCS_ERROR_MEMORY;
    work->mixing = mixing;
    return PCS_OK;
}

// q += sum over the entries from..to-1 of a row, blocks of 3 x 3 one behind the other
static inline void multiply_3(const pcs_block_matrix *W, int32_t from, int32_t to, const double *r,
                              double q[3])
{
    for (int32_t e = from; e < to; e++) {
        const double *B = W->value + (int64_t)e * 9, *x = r + (int64_t)W->column[e] * 3;
        q[0] += B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
        q[1] += B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
        q[2] += B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
    }
}

static inline void multiply_2(const pcs_block_matrix *W, int32_t from, int32_t to, const double *r,
                              double q[3])
{
    for (int32_t e = from; e < to; e++) {
        const double *B = W->value + (int64_t)e * 4, *x = r + (int64_t)W->column[e] * 2;
        q[0] += B[0] * x[0] + B[1] * x[1];
        q[1] += B[2] * x[0] + B[3] * x[1];
    }
}

static void multiply_any(const pcs_block_matrix *W, int32_t size, int32_t from, int32_t to,
                         const double *r, double q[3])
{
    for (int32_t e = from; e < to; e++) {
        const int32_t j = W->column[e], columns = W->offset[j + 1] - W->offset[j];
        const double *B = W->value + W->value_start[e], *x = r + W->offset[j];
        for (int32_t a = 0; a < size; a++)
            for (int32_t b = 0; b < columns; b++)
                q[a] += B[a * columns + b] * x[b];
    }
}

// Solves block i with the others frozen. `uniform` and `copied` are constants at every call.
static PCS_ALWAYS_INLINE void visit(const pcs_nsgs_work *work, const int32_t uniform,
                                    const bool copied, int32_t i, pcs_sweep_change *change)
{
    const pcs_block_matrix *W = work->problem->W;
    pcs_one_contact *contact = &work->contact[i];
    const int32_t size = uniform > 0 ? uniform : contact->size;
    const int32_t first = uniform > 0 ? i * uniform : W->offset[i];
    const int32_t from = W->row_start[i], middle = W->diagonal[i], to = W->row_start[i + 1];
    const double *r = work->r;
    double q[3], x[3], dr[3];
    const double *given = copied ? work->copy->q : work->problem->q;
    for (int32_t a = 0; a < size; a++)
        q[a] = given[first + a];
    if (copied) {
        work->copy->blocks.multiply(&work->copy->blocks, i, r, q);
    } else if (uniform == 3) {
        if (work->large)
            pcs_block_matrix_expect(W, i);
        multiply_3(W, from, middle, r, q);
        multiply_3(W, middle + 1, to, r, q);
    } else if (uniform == 2) {
        multiply_2(W, from, middle, r, q);
        multiply_2(W, middle + 1, to, r, q);
    } else {
        multiply_any(W, size, from, middle, r, q);
        multiply_any(W, size, middle + 1, to, r, q);
    }
    pcs_one_contact_update(contact, q, &work->slip[i], x);
    if (copied) {
        double W_ii[9]; // next to what was read just now
        pcs_single_blocks_diagonal(&work->copy->blocks, i, W_ii);
        pcs_sweep_apply(3, W_ii, work->relaxation, x, work->r + first, dr, change);
    } else {
        pcs_sweep_apply(size, contact->W, work->relaxation, x, work->r + first, dr, change);
    }
}

// Blocks first..last-1 of the sequence, forward or backward.
static void visit_range(const void *user, int32_t first, int32_t last, pcs_sweep_change *change)
{
    const pcs_nsgs_work *work = user;
    const int32_t step = work->backward ? -1 : 1;
    int32_t k = work->backward ? last - 1 : first;
    for (int32_t count = last - first; count > 0; count--, k += step) {
        const int32_t i = work->sequence != NULL ? work->sequence[k] : k;
        if (work->copied && !work->copy->kept[i])
            continue;
        if (work->copied)
            visit(work, 3, true, i, change);
        else if (work->uniform == 3)
            visit(work, 3, false, i, change);
        else if (work->uniform == 2)
            visit(work, 2, false, i, change);
        else
            visit(work, 0, false, i, change);
    }
}

// A run of blocks; while its rows are in the cache they are added to the mixing.
static void visit_run(void *user, int32_t run)
{
    const pcs_nsgs_work *work = user;
    const int32_t *offset = work->problem->W->offset;
    const int32_t first = run * work->runs.length, last = pcs_run_end(&work->runs, first);
    double before[3 * PCS_SWEEP_RUN_MAX];
    double *r = work->r + offset[first];
    pcs_sweep_change change = {0};
    if (work->adds)
        memcpy(before, r, (size_t)(offset[last] - offset[first]) * sizeof *r);
    visit_range(work, first, last, &change);
    if (work->adds)
        pcs_sweep_mixing_add(work->mixing, run, before, r);
    work->part[run] = change;
}

static pcs_sweep_change sweep_runs(pcs_nsgs_work *work)
{
    pcs_sweep_change change = {0};
    pcs_run_order_visit(&work->runs, work->tasks, visit_run, work);
    pcs_sweep_change_add(&change, work->part, work->runs.count);
    return change;
}

static pcs_sweep_change sweep(pcs_nsgs_work *work, double relaxation, double *r)
{
    pcs_sweep_change change = {0};
    work->relaxation = relaxation;
    work->r = r;
    if (work->runs.length > 0)
        change = sweep_runs(work);
    else if (work->order == PCS_ORDER_COLOURED)
        change = pcs_sweep_colours(&work->colouring, work->tasks, work->part, visit_range, work);
    else
        visit_range(work, 0, work->problem->W->n, &change);
    if (work->order == PCS_ORDER_SYMMETRIC)
        work->backward = !work->backward;
    return change;
}

pcs_sweep_change pcs_nsgs_sweep(pcs_nsgs_work *work, double relaxation, double *r)
{
    work->adds = false;
    return sweep(work, relaxation, r);
}

// Pieces of the mixing of an order without runs
static void keep_piece(void *user, int32_t piece)
{
    const pcs_nsgs_work *work = user;
    const pcs_block_matrix *W = work->problem->W;
    const int32_t first = piece * MIXED, last = W->n - first < MIXED ? W->n : first + MIXED;
    const int32_t start = W->offset[first];
    memcpy(work->point + start, work->r + start,
           (size_t)(W->offset[last] - start) * sizeof *work->r);
}

static void add_piece(void *user, int32_t piece)
{
    const pcs_nsgs_work *work = user;
    const int32_t start = work->problem->W->offset[piece * MIXED];
    pcs_sweep_mixing_add(work->mixing, piece, work->point + start, work->r + start);
}

// A sweep from the mixed iterate.
static pcs_sweep_change sweep_mixed(pcs_nsgs_work *work, double relaxation, double *r)
{
    pcs_sweep_mixing *mixing = work->mixing;
    if (work->unmixed)
        pcs_sweep_mixing_apply(mixing, r);
    work->adds = work->unmixed = true;
    work->r = r;
    if (work->point != NULL)
        pcs_tasks_run(work->tasks, keep_piece, work, mixing->pieces);
    const pcs_sweep_change change = sweep(work, relaxation, r);
    if (work->point != NULL)
        pcs_tasks_run(work->tasks, add_piece, work, mixing->pieces);
    pcs_sweep_mixing_close(mixing);
    return change;
}

static bool is_settled(const pcs_nsgs_work *work)
{
    return abs(work->newly_closed) <= work->problem->W->n / SETTLED;
}

static bool is_copy_due(pcs_nsgs_work *work)
{
    const int32_t swept = work->swept++;
    return swept >= COPY_LATEST || (swept >= COPY_EARLIEST && is_settled(work));
}

// From now on the sweeps read a copy, if W allows it.
static void use_copy(pcs_nsgs_work *work, const double *r)
{
    work->copied = pcs_sweep_copy_make(work->copy, r, work->mixing, is_settled(work));
    if (!work->copied)
        work->copy = NULL;
}

static void correct_copy(pcs_nsgs_work *work, const double *r, const double *u)
{
    if (work->copied)
        work->copied = pcs_sweep_copy_correct(work->copy, r, u);
}

bool pcs_nsgs_run(pcs_nsgs_work *work, pcs_monitor *monitor, double relaxation, int32_t max_sweeps,
                  double *r, int32_t *sweeps)
{
    pcs_sweep_forecast forecast;
    pcs_sweep_forecast_init(&forecast, work->problem, monitor->opts->measure);
    forecast.mixed = work->mixing != NULL;
    if (work->ratio > 0.0)
        forecast.ratio = work->ratio;
    for (int32_t k = 1; k <= max_sweeps; k++) {
        if (work->copy != NULL && !work->copied && is_copy_due(work))
            use_copy(work, r);
        const pcs_sweep_change change = work->mixing != NULL ? sweep_mixed(work, relaxation, r)
                                                             : pcs_nsgs_sweep(work, relaxation, r);
        work->newly_closed = change.closed - work->closed;
        work->closed = change.closed;
        double foreseen = pcs_sweep_forecast_update(&forecast, &change);
        ++*sweeps;
        if (!(foreseen > monitor->opts->tolerance) || k % SWEEPS_PER_MEASURE == 0 ||
            k == max_sweeps) {
            if (pcs_monitor_test(monitor, r))
                return true;
            if (!(foreseen > 0.0))
                return false; // a fixed point, or no number: further sweeps repeat it
            correct_copy(work, r, monitor->u);
            pcs_sweep_forecast_correct(&forecast, monitor->last);
            work->ratio = forecast.ratio;
        } else if (k % SWEEPS_PER_LOOK == 0 && pcs_monitor_is_stopped(monitor)) {
            return true;
        }
    }
    return false;
}

enum { MAX_SWEEPS = 100000 };
enum {
    RELAXATION = PCS_GAUSS_SEIDEL_RELAXATION,
    ORDER = PCS_GAUSS_SEIDEL_ORDER,
    MEMORY = PCS_GAUSS_SEIDEL_MEMORY,
    OPTION_COUNT = PCS_GAUSS_SEIDEL_OPTIONS
};

static const char *const orders[] = {"auto",     "natural",  "reversed", "symmetric",
                                     "coloured", "by_graph", NULL};

static const pcs_option options[OPTION_COUNT] = {
    [RELAXATION] = {"relaxation", PCS_OPTION_REAL, 1, 0, 2, NULL,
                    "factor of each change, above 0 and below 2: 1 is none"},
    [ORDER] = {"order", PCS_OPTION_CHOICE, PCS_ORDER_AUTO, PCS_ORDER_AUTO, PCS_ORDER_LEVELS, orders,
               "of the contacts in a sweep; auto: natural, coloured for thousands of contacts"},
    [MEMORY] = {"memory", PCS_OPTION_INTEGER, 0, 0, PCS_MIXING_MAX, NULL,
                "sweeps that Anderson mixing remembers; 0: no mixing"},
};

static pcs_status solve(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                        const double *option, pcs_arena *arena, double *r, double *u,
                        pcs_solve_info *info)
{
    const int32_t limit = opts->max_iterations > 0 ? opts->max_iterations : MAX_SWEEPS;
    const pcs_sweep_order order = (pcs_sweep_order)(int)option[ORDER];
    pcs_monitor monitor;
    pcs_nsgs_work work;
    int32_t sweeps = 0;
    if (!(option[RELAXATION] > 0.0 && option[RELAXATION] < 2.0))
        return pcs_error(arena->ctx, PCS_ERROR_ARGUMENT,
                         "gauss-seidel: relaxation %g is not between 0 and 2", option[RELAXATION]);
    PCS_TRY(pcs_monitor_init(&monitor, problem, opts, arena, r));
    PCS_TRY(pcs_nsgs_work_init_order(&work, problem, arena, order, problem->tasks));
    if (!monitor.done) {
        PCS_TRY(pcs_nsgs_mix(&work, (int32_t)option[MEMORY], arena));
        pcs_nsgs_run(&work, &monitor, option[RELAXATION], limit, r, &sweeps);
    }
    pcs_monitor_stage(&monitor, info, "sweeps", sweeps);
    return pcs_monitor_finish(&monitor, r, u, info);
}

const pcs_friction_solver pcs_solver_gauss_seidel = {
    "gauss-seidel", "sweeps of exact one-contact solves (nonlinear block Gauss-Seidel)", options,
    OPTION_COUNT, solve};

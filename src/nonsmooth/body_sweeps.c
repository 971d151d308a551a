// Gauss-Seidel sweeps on body velocities (body_sweeps.h): contact i sees
//     q_i' = u_i - W_ii r_i,  u_i = R_i x + w_i,   is solved exactly, and leaves   x += L_i^T dr_i.
// The steps are those of the sweeps with W, up to rounding. x collects the rounding of every step,
// so each measure recomputes it from r.
#include "nonsmooth/body_sweeps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/kernels.h"

enum { MAX_SWEEPS = 100000, SWEEPS_PER_MEASURE = 32, SWEEPS_PER_LOOK = 8 };

typedef struct sweep_state {
    const pcs_body_system *system;
    double relaxation;
    double *x, *r, *u;
    double *slip;
    bool coloured;
    pcs_colouring colouring;
    pcs_tasks *tasks;
    pcs_sweep_change *part;
} sweep_state;

void pcs_body_system_contact_velocity(const pcs_body_system *s, int32_t i, const double *x,
                                      double *u_i)
{
    const int32_t size = s->offset[i + 1] - s->offset[i];
    for (int32_t a = 0; a < size; a++)
        u_i[a] = s->w[s->offset[i] + a];
    for (int64_t side = 2 * (int64_t)i; side < 2 * (int64_t)i + 2 && s->body[side] >= 0; side++)
        for (int32_t a = 0; a < size; a++)
            u_i[a] += pcs_kernel_dot(PCS_BODY_DOF,
                                     s->right + side * PCS_SIDE_STRIDE + a * PCS_BODY_DOF,
                                     x + (int64_t)s->body[side] * PCS_BODY_STRIDE);
}

// x_s += L_is^T dr of both sides
static inline void push_bodies(const pcs_body_system *s, int32_t i, int32_t size, const double *dr,
                               double *x)
{
    for (int64_t side = 2 * (int64_t)i; side < 2 * (int64_t)i + 2 && s->body[side] >= 0; side++)
        pcs_kernel_transposed_vector(1.0, size, PCS_BODY_DOF, s->left + side * PCS_SIDE_STRIDE, dr,
                                     x + (int64_t)s->body[side] * PCS_BODY_STRIDE);
}

void pcs_body_system_velocity(const pcs_body_system *s, const double *r, double *x, double *u)
{
    memcpy(x, s->x_free, (size_t)s->bodies * PCS_BODY_STRIDE * sizeof *x);
    for (int32_t i = 0; i < s->n; i++)
        push_bodies(s, i, s->offset[i + 1] - s->offset[i], r + s->offset[i], x);
    for (int32_t i = 0; i < s->n; i++)
        pcs_body_system_contact_velocity(s, i, x, u + s->offset[i]);
}

// Solves contact i with the others frozen; `size` is a constant where it matters.
static inline void visit(const sweep_state *state, int32_t i, const int32_t size,
                         pcs_sweep_change *change)
{
    const pcs_body_system *s = state->system;
    const double *W = s->diagonal + 9 * (int64_t)i;
    double *r = state->r + s->offset[i];
    double q[3], solution[3], dr[3];
    pcs_body_system_contact_velocity(s, i, state->x, q);
    for (int32_t a = 0; a < size; a++)
        for (int32_t b = 0; b < size; b++)
            q[a] -= W[a * size + b] * r[b];
    pcs_one_contact_update(&s->contact[i], q, &state->slip[i], solution);
    if (pcs_sweep_apply(size, W, state->relaxation, solution, r, dr, change) > 0.0)
        push_bodies(s, i, size, dr, state->x);
}

static void visit_range(const void *user, int32_t first, int32_t last, pcs_sweep_change *change)
{
    const sweep_state *state = user;
    for (int32_t k = first; k < last; k++) {
        const int32_t i = state->coloured ? state->colouring.member[k] : k;
        const int32_t size = state->system->contact[i].size;
        if (size == 3)
            visit(state, i, 3, change);
        else
            visit(state, i, size, change);
    }
}

static pcs_sweep_change sweep(const sweep_state *state)
{
    pcs_sweep_change change = {0};
    if (state->coloured)
        return pcs_sweep_colours(&state->colouring, state->tasks, state->part, visit_range, state);
    visit_range(state, 0, state->system->n, &change);
    return change;
}

static pcs_status sweep_state_init(sweep_state *state, const pcs_body_system *s, double relaxation,
                                   pcs_arena *arena, double *r, double *u)
{
    *state = (sweep_state){.system = s, .relaxation = relaxation, .r = r, .u = u};
    state->coloured = s->n >= PCS_SWEEP_BLOCKS_FROM;
    state->x = PCS_ARENA_ARRAY(arena, double, (int64_t)s->bodies *PCS_BODY_STRIDE);
    state->slip = PCS_ARENA_ARRAY(arena, double, s->n);
    state->part = PCS_ARENA_ARRAY(arena, pcs_sweep_change, pcs_sweep_pieces(s->n));
    if (state->x == NULL || state->slip == NULL || state->part == NULL)
        return PCS_ERROR_MEMORY;
    memset(state->slip, 0, (size_t)s->n * sizeof *state->slip);
    if (!state->coloured)
        return PCS_OK;
    return pcs_colouring_compute_pairs(&state->colouring, arena, s->n, s->bodies, s->body);
}

// x and u from r, then the test of the monitor.
static bool measure(const sweep_state *state, pcs_monitor *monitor)
{
    pcs_body_system_velocity(state->system, state->r, state->x, state->u);
    return pcs_monitor_test_with_u(monitor, state->r, state->u);
}

static void run(const sweep_state *state, pcs_monitor *monitor, int32_t max_sweeps, int32_t *sweeps)
{
    pcs_sweep_forecast forecast;
    pcs_sweep_forecast_init(&forecast, &state->system->local, monitor->opts->measure);
    for (int32_t k = 1; k <= max_sweeps; k++) {
        pcs_sweep_change change = sweep(state);
        double foreseen = pcs_sweep_forecast_update(&forecast, &change);
        ++*sweeps;
        if (foreseen > monitor->opts->tolerance && k % SWEEPS_PER_MEASURE != 0 && k != max_sweeps) {
            if (k % SWEEPS_PER_LOOK == 0 && pcs_monitor_is_stopped(monitor))
                return;
            continue;
        }
        if (measure(state, monitor) || !(foreseen > 0.0))
            return;
        pcs_sweep_forecast_correct(&forecast, monitor->last);
    }
}

pcs_residual pcs_body_system_measure(const pcs_body_system *s, const double *r, const double *u)
{
    pcs_residual residual = {
        .scaled = pcs_friction_contact_error(&s->local, PCS_MEASURE_SCALED, r, u),
        .unscaled = pcs_friction_contact_error(&s->local, PCS_MEASURE_UNSCALED, r, u),
        .relative = pcs_friction_contact_error(&s->local, PCS_MEASURE_RELATIVE, r, u),
        .worst = -1};
    double largest = -1.0;
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t first = s->offset[i], size = s->offset[i + 1] - first;
        const double rho = pcs_friction_block_rho(&s->blocks, i);
        double map = sqrt(pcs_friction_natural_map2(size, s->local.mu[i], rho, r + first,
                                                    u + first)) /
                     rho;
        if (pcs_is_bilateral(&s->local, i)) {
            map = 0.0;
            for (int32_t k = first; k < first + size; k++)
                map = fmax(map, fabs(u[k]));
        }
        if (!(map <= largest)) {
            largest = map;
            residual.worst = i;
        }
    }
    return residual;
}

// r and u of the best iterate, and the report; the monitor itself knows only the diagonal of W.
static pcs_status finish(const sweep_state *state, pcs_monitor *monitor, pcs_solve_info *info)
{
    const pcs_body_system *s = state->system;
    pcs_body_system_velocity(s, monitor->best, state->x, state->u);
    const pcs_residual residual = pcs_body_system_measure(s, monitor->best, state->u);
    if (!monitor->done)
        snprintf(info->reason, sizeof info->reason,
                 "%s with a residual of %.3g, tolerance %.3g; contact %d is worst",
                 monitor->stopped ? "stopped" : "not converged", monitor->best_value,
                 monitor->opts->tolerance, (int)residual.worst);
    pcs_status status = pcs_monitor_finish(monitor, state->r, state->u, info);
    pcs_body_system_velocity(s, state->r, state->x, state->u);
    info->residual = residual;
    info->at_rounding = status != PCS_OK &&
                        residual.scaled <= pcs_friction_contact_rounding(&s->local, state->r);
    return status;
}

pcs_status pcs_body_sweeps_solve(const pcs_body_system *s, const pcs_solve_opts *opts,
                                 double relaxation, pcs_arena *arena, double *r, double *u,
                                 pcs_solve_info *info)
{
    const int32_t limit = opts->max_iterations > 0 ? opts->max_iterations : MAX_SWEEPS;
    pcs_monitor monitor;
    sweep_state state;
    int32_t sweeps = 0;
    if (!(relaxation > 0.0 && relaxation < 2.0))
        return pcs_error(arena->ctx, PCS_ERROR_ARGUMENT,
                         "body sweeps: relaxation %g is not between 0 and 2", relaxation);
    *info = (pcs_solve_info){.solutions = -1, .residual = {.worst = -1}};
    if (s->n == 0)
        return PCS_OK;
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    pcs_status status = pcs_monitor_init(&monitor, &s->local, opts, arena, r);
    if (status >= 0)
        status = sweep_state_init(&state, s, relaxation, arena, r, u);
    if (status >= 0 && state.coloured && opts->threads > 1)
        status = pcs_tasks_create(arena->ctx, opts->threads, &state.tasks);
    if (status >= 0) {
        monitor.done = monitor.stopped = false; // its first test saw the diagonal of W alone
        monitor.best_value = INFINITY;
        if (!measure(&state, &monitor))
            run(&state, &monitor, limit, &sweeps);
        pcs_monitor_stage(&monitor, info, "body sweeps", sweeps);
        status = finish(&state, &monitor, info);
        pcs_tasks_destroy(state.tasks);
    }
    pcs_arena_release(arena, mark);
    return status;
}

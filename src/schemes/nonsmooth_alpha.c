// Nonsmooth generalized-alpha time stepping [Galvez2020, ch. 3 and 4; BrulsAcaryCardona2014]:
// impacts and friction at first order, smooth motion and vibration at second order, no drift, no
// penetration.
//
// The motion of a step is split into a smooth part, integrated by the generalized-alpha method, and
// the corrections U of the positions and W of the velocities that joints and contacts ask for:
//     q = q_n [+] (d~ + U),     v = v~ + W
// Three problems, solved one after the other (the variant coupled: in turns until they agree). The
// map of the files is in the header, the equations are in docs/theory/nonsmooth-alpha.md.
#include "schemes/nonsmooth_alpha.h"

#include <stdio.h>
#include <string.h>

#include "schemes/passage.h"
#include "schemes/start.h"

static nonsmooth_alpha *self(pcs_scheme *scheme)
{
    return (nonsmooth_alpha *)scheme;
}

// ---- Memory ----

static pcs_status init_arrays(nonsmooth_alpha *s)
{
    pcs_context *ctx = s->base.ctx;
    const pcs_model *m = s->base.model;
    double **of_q[] = {&s->q_smooth, &s->q_end};
    double **of_v[] = {&s->start_v,         &s->start_d, &s->v_smooth, &s->v,
                       &s->d_smooth,        &s->d,       &s->f_smooth, &s->momentum_smooth,
                       &s->reaction_smooth, &s->change,  &s->f,        &s->momentum,
                       &s->residual,        &s->scale,   &s->work,     &s->rounding,
                       &s->new_rate};
    double **of_rows[] = {&s->row_residual, &s->g, &s->rate, &s->driven};
    double **of_slots[] = {&s->local,    &s->slip,  &s->penalty,  &s->restitution, &s->u_n,
                           &s->hit_rate, &s->spent, &s->forecast, &s->approach,    &s->held};
    na_iterate *iterates[] = {&s->iterate[0], &s->iterate[1], &s->iterate[2], &s->saved,
                              &s->direction};
    const int64_t slots = 3 * (int64_t)m->n_slots;
    bool good = true;
    for (size_t i = 0; i < sizeof of_q / sizeof *of_q; ++i)
        good = (*of_q[i] = PCS_NEW_ARRAY(ctx, double, m->n_q)) && good;
    for (size_t i = 0; i < sizeof of_v / sizeof *of_v; ++i)
        good = (*of_v[i] = PCS_NEW_ARRAY(ctx, double, m->n_v)) && good;
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; ++i)
        good = (*of_rows[i] = PCS_NEW_ARRAY(ctx, double, m->n_rows)) && good;
    for (size_t i = 0; i < sizeof of_slots / sizeof *of_slots; ++i)
        good = (*of_slots[i] = PCS_NEW_ARRAY(ctx, double, slots)) && good;
    for (size_t i = 0; i < sizeof iterates / sizeof *iterates; ++i) {
        good = (iterates[i]->x = PCS_NEW_ARRAY(ctx, double, m->n_v)) && good;
        good = (iterates[i]->p = PCS_NEW_ARRAY(ctx, double, m->n_rows)) && good;
        good = (iterates[i]->r = PCS_NEW_ARRAY(ctx, double, slots)) && good;
    }
    s->radius = PCS_NEW_ARRAY(ctx, double, m->nodes.count);
    s->contact_rows = PCS_NEW_ARRAY(ctx, pcs_row_block, m->n_slots);
    s->closed = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->touched = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->hit = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->persistent = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->slipping = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->active = PCS_NEW_ARRAY(ctx, int32_t, m->n_slots);
    s->contacts_start = pcs_model_contacts_create(ctx, m);
    s->contacts_end = pcs_model_contacts_create(ctx, m);
    good = good && s->radius && s->contact_rows && s->closed && s->touched && s->hit && s->active &&
           s->persistent && s->slipping && s->contacts_start && s->contacts_end;
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

// Whether the matrix M + h C of the velocity problem does not change, as a rule: then a system of
// its own keeps the factors for the whole run.
static bool has_constant_mass(const pcs_model *m)
{
    for (int32_t k = 0; k < m->meshes.count; ++k) {
        const pcs_mesh *mesh = &m->meshes.data[k];
        if (mesh->rotary && mesh->kind == PCS_NODE_SPATIAL)
            return false; // gyroscopic moments
        for (int32_t p = 0; p < mesh->n_parts; ++p)
            if (mesh->parts[p].property.material.damping > 0)
                return false;
    }
    return m->meshes.count > 0 && m->bodies.count == 0;
}

static pcs_status init(pcs_scheme *scheme)
{
    nonsmooth_alpha *s = self(scheme);
    pcs_context *ctx = scheme->ctx;
    const pcs_model *m = scheme->model;
    pcs_arena_init(&s->arena, ctx);
    for (int k = 0; k < 2; ++k)
        pcs_arena_init(&s->kept[k].arena, ctx);
    PCS_TRY(init_arrays(s));
    PCS_TRY(pcs_singular_find_loops(ctx, m, &s->has_loops));
    PCS_TRY(pcs_model_row_blocks_create(ctx, m, &s->rows_smooth, &s->values_smooth));
    PCS_TRY(pcs_model_row_blocks_create(ctx, m, &s->rows_right, &s->values_right));
    PCS_TRY(pcs_model_row_blocks_create(ctx, m, &s->rows_end, &s->values_end));
    PCS_TRY(pcs_configuration_init(ctx, m, &s->start));
    PCS_TRY(pcs_configuration_init(ctx, m, &s->smooth));
    PCS_TRY(pcs_configuration_init(ctx, m, &s->end));
    PCS_TRY(pcs_gap_search_create(ctx, m, &s->search));
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = m->n_pairs;
    def.coupling = (const int32_t(*)[2])m->pairs;
    def.n_rows = m->row_blocks.count;
    def.rows = s->rows_end;
    PCS_TRY(pcs_model_saddle_create(ctx, m, &def, &s->saddle));
    s->used = s->of_velocity = s->saddle;
    return has_constant_mass(m) ? pcs_model_saddle_create(ctx, m, &def, &s->of_velocity) : PCS_OK;
}

static void destroy(pcs_scheme *scheme)
{
    nonsmooth_alpha *s = self(scheme);
    pcs_context *ctx = scheme->ctx;
    const na_iterate iterates[] = {s->iterate[0], s->iterate[1], s->iterate[2], s->saved,
                                   s->direction};
    for (size_t i = 0; i < sizeof iterates / sizeof *iterates; ++i) {
        pcs_free(ctx, iterates[i].x);
        pcs_free(ctx, iterates[i].p);
        pcs_free(ctx, iterates[i].r);
    }
    void *arrays[] = {s->momentum,
                      s->radius,
                      s->q_smooth,
                      s->q_end,
                      s->start_v,
                      s->start_d,
                      s->v_smooth,
                      s->v,
                      s->d_smooth,
                      s->d,
                      s->f_smooth,
                      s->momentum_smooth,
                      s->reaction_smooth,
                      s->change,
                      s->f,
                      s->residual,
                      s->scale,
                      s->work,
                      s->rounding,
                      s->row_residual,
                      s->g,
                      s->rate,
                      s->driven,
                      s->local,
                      s->slip,
                      s->penalty,
                      s->hit_rate,
                      s->held,
                      s->spent,
                      s->forecast,
                      s->approach,
                      s->restitution,
                      s->u_n,
                      s->contact_rows,
                      s->closed,
                      s->touched,
                      s->hit,
                      s->persistent,
                      s->slipping,
                      s->new_rate,
                      s->active,
                      s->rows_smooth,
                      s->values_smooth,
                      s->rows_right,
                      s->values_right,
                      s->rows_end,
                      s->values_end};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    pcs_model_contacts_destroy(ctx, s->contacts_start);
    pcs_model_contacts_destroy(ctx, s->contacts_end);
    pcs_configuration_free(ctx, &s->start);
    pcs_configuration_free(ctx, &s->smooth);
    pcs_configuration_free(ctx, &s->end);
    pcs_gap_search_destroy(s->search);
    if (s->of_velocity != s->saddle)
        pcs_saddle_destroy(s->of_velocity);
    pcs_saddle_destroy(s->saddle);
    pcs_arena_free(&s->arena);
    for (int k = 0; k < 2; ++k)
        pcs_arena_free(&s->kept[k].arena);
}

// v'~ and a; by slot what the contact was in the smooth problem (na_part) and its force in it; the
// power of the prescribed motions
static int64_t memory(const pcs_scheme *scheme)
{
    return pcs_na_power_index(scheme->model) + 1;
}

// ---- Start ----

// Mean of the translational masses: what constraints are scaled with against forces.
static double characteristic_mass(const nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    double sum = 0;
    int32_t count = 0;
    if (s->base.options[NA_SCALE_MASS] > 0)
        return s->base.options[NA_SCALE_MASS];
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const double *M = pcs_saddle_diagonal(s->used, k);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v && j < flat; ++j, ++count)
            sum += M[j * node->n_v + j];
    }
    return sum > 0 ? sum / count : 1;
}

// Radii of gyration carry the level of rounding between translations and rotations of a node.
static void find_radii(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t n = node->n_v, flat = pcs_node_translations(node->kind);
        const double *M = pcs_saddle_diagonal(s->used, k);
        const double ratio = n > flat ? fabs(M[n * n - 1] / M[0]) : 1;
        s->radius[k] = ratio > 0 && isfinite(ratio) ? sqrt(ratio) : 1;
    }
}

// Matrix M and the rows at the configuration `start`. Rows that depend on each other where the
// joints are closed do so only nearly at the iterates of a step: which ones are dropped is decided
// here.
static pcs_status factor_start(nonsmooth_alpha *s, double *convective)
{
    const pcs_model *m = s->base.model;
    pcs_saddle *const saddles[2] = {s->saddle, s->of_velocity};
    pcs_rows rows = {s->rows_end, NULL, NULL, convective};
    pcs_model_rows(m, &s->start, &rows);
    // Without rows there is nothing to decide, and the factors of M are those of the velocity
    // problem.
    for (int k = s->saddle == s->of_velocity || m->n_rows == 0; k < 2; ++k) {
        pcs_model_matrix(m, &s->start, 0, 0, saddles[k]);
        pcs_saddle_set_rank(saddles[k], PCS_RANK_DECIDE);
        const pcs_status status = pcs_na_factor(s, saddles[k], s->rows_end, NULL);
        pcs_saddle_set_rank(saddles[k], PCS_RANK_HOLD);
        PCS_TRY(status);
    }
    return PCS_OK;
}

// Consistent accelerations, contacts ignored: M v' = f + G^T lambda, G v' = -convective.
static pcs_status start_accelerations(nonsmooth_alpha *s, pcs_state *state)
{
    const pcs_model *m = s->base.model;
    double *rate = state->memory, *a = state->memory + m->n_v;
    s->t_n = *state->t;
    pcs_configuration_update(m, &s->start, *state->t, state->q, state->v, state->turns,
                             state->external);
    PCS_TRY(factor_start(s, s->g));
    s->mass = characteristic_mass(s);
    find_radii(s);
    // The factors of a mesh's mass are dear: there it is enough to look once, unless rows are
    // redundant, which then change with the configuration.
    s->decide_rank = m->n_rows > 0 && m->meshes.count == 0;
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->decide_rank = s->decide_rank || pcs_saddle_redundant_rows(s->saddle)[i];
    pcs_model_forces(m, &s->start, rate, NULL);
    for (int32_t i = 0; i < m->n_rows; ++i)
        state->lambda[i] = -s->g[i];
    pcs_saddle_solve(s->used, rate, state->lambda);
    char name[PCS_NODE_NAME_SIZE];
    for (int32_t i = 0; i < m->n_v; ++i)
        if (!isfinite(rate[i]))
            return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                             "t = %g: the acceleration of %s is not a number at the start; check "
                             "its forces",
                             s->t_n, pcs_model_velocity_name(m, i, name));
    memcpy(a, rate, sizeof(double) * (size_t)m->n_v);
    for (int32_t i = 0; i < m->n_slots; ++i)
        state->memory[pcs_na_part_index(m) + i] = NA_APART;
    memset(state->memory + pcs_na_force_index(m), 0, 3 * sizeof(double) * (size_t)m->n_slots);
    state->memory[pcs_na_power_index(m)] = pcs_model_driven_work(m, s->rows_end, state->lambda,
                                                                 state->v);
    memcpy(state->a, rate, sizeof(double) * (size_t)m->n_v);
    return PCS_OK;
}

static pcs_status start(pcs_scheme *scheme, pcs_state *state, pcs_statistics *statistics)
{
    nonsmooth_alpha *s = self(scheme);
    const double rho = scheme->options[NA_RHO_INFINITY];
    s->variant = (int)scheme->options[NA_VARIANT];
    s->alpha_m = (2 * rho - 1) / (rho + 1);
    s->alpha_f = rho / (rho + 1);
    s->gamma = 0.5 + s->alpha_f - s->alpha_m;
    s->beta = 0.25 * (s->gamma + 0.5) * (s->gamma + 0.5);
    const pcs_start_opts opts = {scheme->options[NA_CONSTRAINT_TOLERANCE],
                                 scheme->options[NA_ASSEMBLY_LIMIT]};
    PCS_TRY(pcs_start_state(scheme->ctx, scheme->model, &opts, *state->t, s->saddle, s->rows_end,
                            state, statistics));
    pcs_start_measure(scheme->model, s->saddle, &s->end, s->contacts_end, state, statistics);
    return start_accelerations(s, state);
}

// Where the rate of a prescribed motion jumps, its drive gives an impulse before the step begins:
// M (v+ - v-) = G^T p, G v+ = rate. The smooth motion of the step then has bounded forces. Left in
// the step, the jump would be an acceleration, and lambda~, which the filter weights over several
// steps, no mean force of this one. Contacts follow in the step, with v+ as the velocity before.
static pcs_status drive(nonsmooth_alpha *s, pcs_state *state)
{
    const pcs_model *m = s->base.model;
    double largest = 0;
    if (m->n_rows == 0)
        return PCS_OK;
    pcs_configuration_update(m, &s->start, *state->t, state->q, state->v, state->turns,
                             state->external);
    PCS_TRY(factor_start(s, s->g));
    pcs_model_prescribed(m, &s->start, *state->t, s->driven, NULL);
    pcs_model_rows_multiply(m, s->rows_end, state->v, s->row_residual);
    for (int32_t i = 0; i < m->n_rows; ++i) {
        s->driven[i] -= s->row_residual[i];
        largest = fmax(largest, fabs(s->driven[i]));
    }
    if (!(largest > s->base.options[NA_IMPACT_SPEED])) {
        memset(s->driven, 0, sizeof(double) * (size_t)m->n_rows);
        return PCS_OK;
    }
    memset(s->work, 0, sizeof(double) * (size_t)m->n_v);
    pcs_saddle_solve(s->used, s->work, s->driven);
    for (int32_t i = 0; i < m->n_v; ++i) {
        state->v[i] += s->work[i];
        s->work[i] = state->v[i] - 0.5 * s->work[i]; // the mean of before and after
    }
    state->work[PCS_WORK_DRIVER] += pcs_model_driven_work(m, s->rows_end, s->driven, s->work);
    return PCS_OK;
}

// The filter forgets the accelerations before a jump of the forces.
static pcs_status restart(pcs_scheme *scheme, pcs_state *state)
{
    PCS_TRY(drive(self(scheme), state));
    return start_accelerations(self(scheme), state);
}

// ---- The step ----

static void begin(nonsmooth_alpha *s, const pcs_state *state, double h)
{
    s->h = h;
    s->t_n = *state->t;
    s->q_n = state->q;
    s->v_n = state->v;
    s->turns = state->turns;
    s->external = state->external;
    s->rate_n = state->memory;
    s->force_n = state->force;
    s->a_n = state->memory + s->base.model->n_v;
    for (int k = 0; k < NA_LEVELS; ++k)
        s->error[k] = (na_error){.worst_node = -1, .worst_row = -1, .worst_slot = -1};
}

pcs_status pcs_na_reserve(nonsmooth_alpha *s, pcs_arena *arena, size_t *reserved, size_t least)
{
    PCS_TRY(pcs_arena_reset(arena));
    if (arena->peak_total <= *reserved)
        return PCS_OK;
    *reserved = 2 * arena->peak_total > least ? 2 * arena->peak_total : least;
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    const bool good = pcs_arena_alloc(arena, *reserved, 1) != NULL;
    pcs_arena_release(arena, mark);
    if (!good)
        return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for the contacts of a step");
    *reserved = arena->peak_total;
    return pcs_arena_reset(arena);
}

// For small models what the contact solvers need at most: a step that takes another way to its
// solution than those before it, such as a later stage of the solver, finds what it needs.
static pcs_status reserve_memory(nonsmooth_alpha *s)
{
    const double most = 8 * 1024 * 1024, rows = 3.0 * s->base.model->n_slots;
    const size_t dense = (size_t)fmin(3 * sizeof(double) * rows * rows, most); // three like W
    return pcs_na_reserve(s, &s->arena, &s->reserved, dense);
}

// The worse of two statuses; errors are negative.
static pcs_status worse(pcs_status a, pcs_status b)
{
    return a < 0 ? a : b < 0 ? b : a > b ? a : b;
}

// One of the problems. Where a step ends next to a singular position, multipliers of nearly dependent
// rows are as large as its distance is small, and their rounding is all that Newton's method leaves
// in the balance: joints and contacts hold, and no shorter step does better, as the last part of it
// ends in the same place.
static pcs_status solve(nonsmooth_alpha *s, na_level level, pcs_step_report *report)
{
    const double balance_most = 1e-4; // of the terms of the balance
    const pcs_status status = pcs_na_solve(s, level, report);
    const na_error *e = &s->error[level];
    const bool singular = status == PCS_NOT_CONVERGED && s->has_loops &&
                          pcs_singular_is_near(&s->position, pcs_saddle_smallest_pivot(s->saddle));
    return singular && e->rows <= 1 && e->contacts <= 1 &&
                   e->momentum * s->base.options[NA_NEWTON_TOLERANCE] <= balance_most
               ? PCS_OK
               : status;
}

static pcs_status solve_smooth(nonsmooth_alpha *s, pcs_step_report *report)
{
    pcs_status status = solve(s, NA_SMOOTH, report);
    // A contact whose state changes within the step has no smooth force: only the corrections know
    // it. Every round sets at least one apart.
    while (status == PCS_OK && pcs_na_part_contacts(s, false)) {
        PCS_TRY(pcs_na_restart_smooth(s, report));
        status = solve(s, NA_SMOOTH, report);
    }
    pcs_na_freeze_smooth(s);
    return status;
}

static pcs_status solve_position(nonsmooth_alpha *s, pcs_step_report *report)
{
    pcs_na_find_inside(s);
    const pcs_status status = solve(s, NA_POSITION, report);
    pcs_na_freeze_position(s);
    return status;
}

static pcs_status solve_velocity(nonsmooth_alpha *s, pcs_step_report *report)
{
    pcs_na_begin_velocity(s);
    pcs_status status = solve(s, NA_VELOCITY, report);
    while (status == PCS_OK && s->variant != NA_COUPLED && pcs_na_next_round(s))
        status = solve(s, NA_VELOCITY, report);
    pcs_na_add_rounds(s);
    return status;
}

static pcs_status solve_problems(nonsmooth_alpha *s, pcs_step_report *report)
{
    if (s->variant == NA_COUPLED)
        return pcs_na_solve_coupled(s, report);
    const bool go_on = (int)s->base.options[NA_ON_FAILURE] == NA_ACCEPT;
    pcs_status status = solve_smooth(s, report);
    if (status < 0 || (status != PCS_OK && !go_on))
        return status;
    status = worse(status, solve_position(s, report));
    if (status < 0 || (status != PCS_OK && !go_on))
        return status;
    return worse(status, solve_velocity(s, report));
}

// Whether the step is to be cut, at s->cut, since it would pass a contact.
static bool passes(nonsmooth_alpha *s, const pcs_state *state)
{
    const pcs_model *m = s->base.model;
    if (m->n_slots == 0)
        return false;
    const double *r = s->iterate[NA_VELOCITY].r;
    double *rate = s->hit_rate;
    for (int32_t i = 0; i < m->n_v; ++i)
        s->work[i] = s->d_smooth[i] / s->h;
    for (int32_t i = 0; i < m->n_slots; ++i) {
        double u[3] = {0, 0, 0};
        // An impulse that moves the contact by more than the rounding of a solve.
        s->closed[i] = s->persistent[i] || r[3 * i] > s->still * s->penalty[i];
        if (s->closed[i] && s->u_n[3 * i] < 0 && s->contacts_end[i].gap != HUGE_VAL)
            pcs_contact_velocity(m, &s->contacts_end[i], s->work, u);
        rate[i] = s->persistent[i] ? 0 : u[0];
    }
    // The way without the corrections, which move what they find beside its path.
    const pcs_passage_step step = {.t = s->t_n,
                                   .h = s->h,
                                   .q = s->q_n,
                                   .way = s->d_smooth,
                                   .onwards = s->d_smooth,
                                   .gap = state->gap,
                                   .carries = s->closed,
                                   .rate = rate,
                                   .turns = s->turns,
                                   .external = s->external,
                                   .tolerance = s->base.options[NA_CONSTRAINT_TOLERANCE],
                                   .n_near = m->n_slots};
    const int32_t slot = pcs_passage_find(s->search, &step, &s->cut);
    if (slot >= 0 && s->keep_passage)
        pcs_passage_warn(s->base.ctx, m, &step, slot);
    return slot >= 0 && !s->keep_passage;
}

// One step without retries. The state is untouched after an error, and when a problem did not
// converge and the policy is not to accept it, or the step would pass a contact (s->cut > 0): then
// report->h is 0.
// Whether the energy at the end of the step is above all that the run was given, by more than a part
// of what moves. An impact of a mesh changes velocities in the metric of the mass, while the elastic
// forces of the step belong to positions that contacts have moved: where a step turns bricks by
// tenths of a radian the two do not fit, and no law bounds what their difference feeds in. A shorter
// step does. The other variants are there for comparison with published figures, gains included.
static bool has_gained(const nonsmooth_alpha *s, const pcs_state *state,
                       const pcs_step_report *report)
{
    const double part = 1e-3, *w = state->work;
    const double given = w[PCS_WORK_START_ENERGY] + w[PCS_WORK_APPLIED] + w[PCS_WORK_ACTUATOR] +
                         w[PCS_WORK_DRIVER];
    return s->variant == NA_DECOUPLED && s->base.model->meshes.count > 0 && report->contacts > 0 &&
           report->kinetic + report->potential > given + part * report->kinetic;
}

static pcs_status step_once(nonsmooth_alpha *s, pcs_state *state, double h, pcs_step_report *report)
{
    PCS_TRY(reserve_memory(s));
    s->cut = 0;
    begin(s, state, h);
    pcs_na_predict(s);
    if (s->decide_rank)
        PCS_TRY(factor_start(s, NULL));
    PCS_TRY(pcs_na_begin_smooth(s, state, report));
    const pcs_status solved = solve_problems(s, report);
    PCS_TRY(solved);
    if (solved == PCS_NOT_CONVERGED && (int)s->base.options[NA_ON_FAILURE] != NA_ACCEPT)
        return solved;
    if (s->base.problem_hook && solved == PCS_OK)
        PCS_TRY(pcs_na_offer_problem(s, report));
    if (passes(s, state))
        return PCS_NOT_CONVERGED;
    double work[PCS_WORK_COUNT];
    memcpy(work, state->work, sizeof work);
    PCS_TRY(pcs_na_measure(s, state, report));
    if (!s->keep_gain && has_gained(s, state, report)) {
        memcpy(state->work, work, sizeof work);
        pcs_event_log_rewind(&s->base.events, s->base.events.count, state->status);
        report->h = 0;
        s->cut = 0.5 * h;
        return PCS_NOT_CONVERGED;
    }
    pcs_na_store(s, state);
    return solved;
}

// What did not converge, and where it is worst.
static void describe_failure(const nonsmooth_alpha *s, char *text, size_t size)
{
    static const char *const names[NA_LEVELS] = {"smooth", "position", "velocity"};
    const pcs_model *m = s->base.model;
    na_level level = NA_SMOOTH;
    double worst = -1;
    for (na_level k = NA_SMOOTH; k < NA_LEVELS; ++k) {
        const na_error *e = &s->error[k];
        const double largest = fmax(e->momentum, fmax(e->rows, e->contacts));
        if (largest > 1 && worst < 0) { // the first that failed
            worst = largest;
            level = k;
        }
    }
    const na_error *e = &s->error[level];
    char name[PCS_NODE_NAME_SIZE];
    if (e->worst_slot >= 0 && e->contacts >= fmax(e->rows, e->momentum))
        snprintf(text, size, "the %s problem, worst at contact '%s'", names[level],
                 m->slot_names.data[e->worst_slot]);
    else if (e->worst_row >= 0 && e->rows >= e->momentum)
        snprintf(text, size, "the %s problem, worst at %s", names[level],
                 m->row_names.data[e->worst_row]);
    else
        snprintf(text, size, "the %s problem, worst at the balance of %s", names[level],
                 e->worst_node >= 0 ? pcs_model_node_name(m, e->worst_node, name) : "all bodies");
}

// Takes the step in two parts when the policy asks for it, and where it would pass a contact or gain
// energy.
static pcs_status step_in_parts(nonsmooth_alpha *s, pcs_state *state, double h, int depth,
                                pcs_step_report *report)
{
    enum { HALVINGS_MAX = 10, TEXT_SIZE = 512 };
    pcs_step_report part = {0};
    s->keep_passage = depth >= PCS_PASSAGE_CUTS;
    s->keep_gain = depth >= HALVINGS_MAX;
    const pcs_status status = step_once(s, state, h, &part);
    if (status != PCS_NOT_CONVERGED || part.h > 0) { // taken, or an error
        pcs_step_report_add(report, &part);
        return status;
    }
    if (s->cut > 0) {
        const double length = s->cut;
        const pcs_status before = step_in_parts(s, state, length, depth + 1, report);
        PCS_TRY(before);
        return worse(before, step_in_parts(s, state, h - length, depth + 1, report));
    }
    char text[TEXT_SIZE];
    describe_failure(s, text, sizeof text);
    if ((int)s->base.options[NA_ON_FAILURE] == NA_STOP)
        return pcs_error(
            s->base.ctx, PCS_ERROR_NUMERIC,
            "t = %g: a step of %g s did not converge (%s) and on_failure is stop; take "
            "a smaller step or on_failure: shrink_step",
            s->t_n, h, text);
    ++report->rejected;
    report->newton_iterations += part.newton_iterations;
    report->solver_iterations += part.solver_iterations;
    if (depth >= HALVINGS_MAX)
        return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                         "t = %g: a step of %g s does not converge even after %d halvings (%s); "
                         "take a smaller step, or on_failure: accept",
                         s->t_n, h, HALVINGS_MAX, text);
    const pcs_status first = step_in_parts(s, state, 0.5 * h, depth + 1, report);
    PCS_TRY(first);
    return worse(first, step_in_parts(s, state, 0.5 * h, depth + 1, report));
}

static pcs_status step(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report)
{
    nonsmooth_alpha *s = self(scheme);
    *report = (pcs_step_report){0};
    ++s->counts.steps;
    return step_in_parts(s, state, h, 0, report);
}

static const uint8_t *redundant_rows(const pcs_scheme *scheme)
{
    return pcs_saddle_redundant_rows(((const nonsmooth_alpha *)scheme)->saddle);
}

const na_counts *pcs_nonsmooth_alpha_counts(const pcs_scheme *scheme)
{
    return &((const nonsmooth_alpha *)scheme)->counts;
}

const pcs_scheme_class pcs_nonsmooth_alpha_class = {
    .name = "nonsmooth-alpha",
    .help = "nonsmooth generalized-alpha: no drift, no penetration, vibration kept, fixed step",
    .options = pcs_na_options,
    .n_options = NA_OPTION_COUNT,
    .size = sizeof(nonsmooth_alpha),
    .memory = memory,
    .init = init,
    .free = destroy,
    .start = start,
    .step = step,
    .restart = restart,
    .redundant_rows = redundant_rows,
    .refined_by = PCS_REFINED_STEP,
    .fixed_refined_by = PCS_REFINED_STEP,
};

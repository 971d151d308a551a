// Nonlinear statics: equilibrium under loads that grow by steps (docs/theory/statics-and-modes.md).
//
//     0 = f(q, load) + G^T lambda + H^T r,   g(q) = 0,   0 <= gap(q)  _|_  r >= 0
//
// Each load step is solved by Newton's method (statics_newton.c); one that fails is halved.
#include "simulation/statics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "simulation/statics_work.h"

// Forces of an equilibrium that are smaller than this part of those at the start are measured
// against these: where a model relaxes, all forces vanish.
#define LEAST_SCALE 1e-3
// A load step that met negative stiffness and went this many times as far as the one before it, for
// its length, is a snap, unless the way is this short.
#define SNAP_RATIO 5.0
#define SNAP_LEAST 1e-3

pcs_static_opts pcs_static_default(void)
{
    return (pcs_static_opts){
        .steps = 10, .smallest_step = 1e-4, .tolerance = 1e-10, .iterations = 200};
}

// ---- Memory ----

static void statics_free(pcs_statics *w)
{
    void *arrays[] = {w->noise,       w->least,  w->r3,        w->pairs,       w->rows,
                      w->row_values,  w->q,      w->q_start,   w->q_kept,      w->v,
                      w->f,           w->inner,  w->imbalance, w->scale,       w->d,
                      w->d_free,      w->work,   w->g,         w->lambda,      w->p,
                      w->lambda_kept, w->active, w->is_active, w->normal_rows, w->H,
                      w->r,           w->r_kept, w->gap,       w->force,       w->u,
                      w->mu};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(w->ctx, arrays[i]);
    pcs_model_contacts_destroy(w->ctx, w->contacts);
    pcs_configuration_free(w->ctx, &w->c);
    pcs_saddle_destroy(w->saddle);
    pcs_arena_free(&w->arena);
}

static pcs_status init_arrays(pcs_statics *w)
{
    pcs_context *ctx = w->ctx;
    const pcs_model *m = w->model;
    double **of_q[] = {&w->q, &w->q_start, &w->q_kept};
    double **of_v[] = {&w->v,     &w->f,     &w->inner, &w->imbalance, &w->scale,
                       &w->least, &w->noise, &w->d,     &w->d_free,    &w->work};
    double **of_rows[] = {&w->g, &w->lambda, &w->p, &w->lambda_kept};
    double **of_slots[] = {&w->r, &w->r_kept, &w->gap, &w->force, &w->u, &w->mu};
    bool good = PCS_NEW_LIST(ctx, of_q, m->n_q);
    good = PCS_NEW_LIST(ctx, of_v, m->n_v) && good;
    good = PCS_NEW_LIST(ctx, of_rows, m->n_rows) && good;
    good = PCS_NEW_LIST(ctx, of_slots, m->n_slots) && good;
    w->r3 = PCS_NEW_ARRAY(ctx, double, 3 * (int64_t)m->n_slots);
    w->active = PCS_NEW_ARRAY(ctx, int32_t, m->n_slots);
    w->is_active = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    w->normal_rows = PCS_NEW_ARRAY(ctx, pcs_row_block, m->n_slots);
    w->H = PCS_NEW_ARRAY(ctx, const pcs_row_block *, m->n_slots);
    w->contacts = pcs_model_contacts_create(ctx, m);
    good = good && w->r3 && w->active && w->is_active && w->normal_rows && w->H && w->contacts;
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status statics_init(pcs_statics *w)
{
    const pcs_model *m = w->model;
    pcs_arena_init(&w->arena, w->ctx);
    PCS_TRY(init_arrays(w));
    PCS_TRY(pcs_configuration_init(w->ctx, m, &w->c));
    PCS_TRY(pcs_model_row_blocks_create(w->ctx, m, &w->rows, &w->row_values));
    PCS_TRY(pcs_model_all_pairs(w->ctx, m, &w->pairs, &w->n_pairs));
    PCS_TRY(pcs_model_contact_pairs(w->ctx, m, &w->pairs, &w->n_pairs));
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = w->n_pairs;
    def.coupling = (const int32_t(*)[2])w->pairs;
    def.n_rows = m->row_blocks.count;
    def.rows = w->rows;
    return pcs_model_saddle_create(w->ctx, m, &def, &w->saddle);
}

// ---- The analysis ----

// Largest acceleration that the full load gives, over the size of the model: the square of a
// frequency that the loads and the geometry alone define.
static void find_inertia_unit(pcs_statics *w)
{
    const pcs_model *m = w->model;
    pcs_statics_clear_matrix(w);
    pcs_model_add_mass(m, &w->c, w->saddle);
    w->inertia_unit = pcs_v3_norm(m->gravity) / w->size;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const double *M = pcs_saddle_diagonal(w->saddle, k);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v; ++j) {
            const double mass = M[j * (node->n_v + 1)], f = w->scale[node->v + j];
            const double unit = j < flat && node->kind != PCS_NODE_VECTOR ? w->size : 1;
            if (mass > 0 && isfinite(f))
                w->inertia_unit = fmax(w->inertia_unit, f / (mass * unit));
        }
    }
    if (!(w->inertia_unit > 0))
        w->inertia_unit = 1;
}

// Start on the joints, in the simulation's own state.
static pcs_status start(pcs_statics *w)
{
    pcs_simulation *s = w->simulation;
    const pcs_model *m = w->model;
    pcs_start_opts opts = {1e-12, 0.1};
    const int32_t limit = pcs_scheme_option_index(s->scheme->class, "assembly_limit");
    if (limit >= 0)
        opts.limit = s->scheme->options[limit];
    pcs_statistics statistics = {0};
    PCS_TRY(pcs_start_state(w->ctx, m, &opts, s->def.start, w->saddle, w->rows, &s->state,
                            &statistics));
    memset(s->state.v, 0, sizeof(double) * (size_t)m->n_v);
    memcpy(w->q, s->state.q, sizeof(double) * (size_t)m->n_q);
    memcpy(w->q_start, w->q, sizeof(double) * (size_t)m->n_q);
    pcs_configuration_update(m, &w->c, s->def.start, w->q, w->v, s->state.turns, s->state.external);
    w->size = pcs_statics_model_size(m, &w->c);
    w->load = 1;
    (void)pcs_statics_evaluate(w);
    find_inertia_unit(w);
    for (int32_t i = 0; i < m->n_v; ++i)
        w->least[i] = isfinite(w->scale[i]) ? LEAST_SCALE * w->scale[i] : 0;
    return PCS_OK;
}

// The state of the simulation shows what was reached.
static void show(pcs_statics *w)
{
    const pcs_model *m = w->model;
    pcs_simulation *s = w->simulation;
    pcs_state *state = &s->state;
    memcpy(state->q, w->q, sizeof(double) * (size_t)m->n_q);
    memcpy(state->lambda, w->lambda, sizeof(double) * (size_t)m->n_rows);
    memcpy(state->p, w->lambda, sizeof(double) * (size_t)m->n_rows);
    *state->h = 1;
    w->info->contacts = 0;
    for (int32_t i = 0; i < m->n_slots; ++i) {
        state->gap[i] = w->contacts[i].gap;
        state->force[3 * i] = state->r[3 * i] = w->r[i];
        state->status[i] = w->r[i] > 0 ? PCS_CLOSED : PCS_OPEN;
        w->info->contacts += w->r[i] > 0;
    }
    s->equilibrated = true;
    s->state.given = true;
    s->statistics.energy = (pcs_energy_account){.potential = pcs_model_potential(m, &w->c)};
    s->present->configuration_valid = s->present->contacts_valid = false;
    w->info->load = w->load;
    w->info->drift = w->drift;
    w->info->penetration = w->penetration;
}

static pcs_status show_step(pcs_statics *w)
{
    show(w);
    if (!w->opts.step)
        return PCS_OK;
    double *t = w->simulation->state.t;
    *t = w->load;
    const pcs_status status = w->opts.step(w->opts.step_user, w->simulation, w->load);
    *t = w->simulation->def.start;
    w->simulation->present->configuration_valid = w->simulation->present->contacts_valid = false;
    return status < 0 ? status : PCS_OK;
}

static void find_moved(pcs_statics *w)
{
    const pcs_model *m = w->model;
    int32_t where = -1;
    w->info->moved = 0;
    pcs_model_difference(m, w->q, w->q_start, w->d);
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t flat = pcs_node_translations(node->kind);
        double square = 0;
        for (int32_t j = 0; j < node->n_v && j < flat; ++j)
            square += w->d[node->v + j] * w->d[node->v + j];
        if (sqrt(square) > w->info->moved) {
            w->info->moved = sqrt(square);
            where = k;
        }
    }
    char name[PCS_NODE_NAME_SIZE];
    snprintf(w->info->moved_node, sizeof w->info->moved_node, "%.127s",
             where >= 0 ? pcs_model_node_name(m, where, name) : "");
}

static pcs_status report_failure(pcs_statics *w, double reached)
{
    char name[PCS_NODE_NAME_SIZE];
    return pcs_error(w->ctx, PCS_ERROR_NUMERIC,
                     "no static equilibrium was found beyond %.4g of the load; the largest "
                     "imbalance is at %s. The model may buckle, fall or slide there%s: look at the "
                     "states before it, reduce the load, or start nearer to the equilibrium",
                     reached, pcs_model_velocity_name(w->model, w->worst, name),
                     w->model->n_slots > 0 ? " (contacts have no friction in statics)" : "");
}

// Counts a load step that left an unstable state for a far one. `speed` is displacement over load
// of the step before, as a part of the model's size or rad; infinite for the first one, which
// starts anywhere.
static void note_snap(pcs_statics *w, double step, double *speed)
{
    const pcs_model *m = w->model;
    double far = 0;
    pcs_model_difference(m, w->q, w->simulation->state.q, w->d);
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v; ++j) {
            const bool length = j < flat && node->kind != PCS_NODE_VECTOR;
            far = fmax(far, fabs(w->d[node->v + j]) / (length ? w->size : 1));
        }
    }
    if (w->snapped && far > SNAP_LEAST && far > SNAP_RATIO * *speed * step && w->info->snaps++ == 0)
        w->info->snap_load = w->load;
    *speed = far / step;
}

static pcs_status take_load_steps(pcs_statics *w)
{
    const pcs_model *m = w->model;
    pcs_simulation *s = w->simulation;
    const double longest = 1.0 / w->opts.steps;
    double reached = 0, step = longest, speed = HUGE_VAL;
    w->load = 0;
    (void)pcs_statics_evaluate(w);
    PCS_TRY(show_step(w));
    while (reached < 1) {
        // A rest of less than a thousandth of a step is not a step of its own.
        w->load = 1 - (reached + step) < 1e-3 * step ? 1 : reached + step;
        w->snapped = false;
        const pcs_status status = pcs_statics_solve_load(w);
        PCS_TRY(status);
        if (status == PCS_NOT_CONVERGED) {
            step *= 0.5;
            ++w->info->halved;
            if (step < w->opts.smallest_step)
                return report_failure(w, reached);
            pcs_statics_start_again(w);
            continue;
        }
        note_snap(w, w->load - reached, &speed);
        reached = w->load;
        step = fmin(2 * step, longest);
        ++w->info->steps;
        pcs_model_update_turns(m, &w->c, s->state.turns);
        PCS_TRY(show_step(w));
    }
    return PCS_OK;
}

static pcs_status check_opts(pcs_context *ctx, const pcs_simulation *s, const pcs_static_opts *o)
{
    if (s->started)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "an equilibrium is looked for before the simulation is started");
    if (o->steps < 1 || o->iterations < 1 || !(o->tolerance > 0) || !(o->smallest_step > 0))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "statics: steps, iterations, tolerance and smallest_step must be > 0");
    return PCS_OK;
}

pcs_status pcs_simulation_equilibrate(pcs_simulation *s, const pcs_static_opts *opts,
                                      pcs_static_info *info)
{
    *info = (pcs_static_info){0};
    PCS_TRY(check_opts(s->ctx, s, opts));
    pcs_statics w = {
        .ctx = s->ctx, .model = s->model, .simulation = s, .opts = *opts, .info = info};
    *s->state.t = s->def.start;
    s->state.given = s->equilibrated = false;
    pcs_status status = statics_init(&w);
    if (status >= 0)
        status = start(&w);
    if (status >= 0)
        status = take_load_steps(&w);
    if (status >= 0)
        find_moved(&w);
    else
        s->state.given = s->equilibrated = false;
    statics_free(&w);
    return status;
}

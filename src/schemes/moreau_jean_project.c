// Projection after a step: positions on g = 0 (and, if asked, gaps >= 0), velocities on G v = rate.
// Both use the factors of the step (A and G at the forecast) with exact residuals, so each pass
// shrinks the error by O(h); A replaces M as the metric.
#include "schemes/moreau_jean.h"

#include <string.h>

enum { PASSES_MAX = 25 };
// A pass that does not bring the error below this part of the last one has met rounding or a
// redundant contradiction.
static const double stagnation = 0.5;

static double largest(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

static void update_end(moreau_jean *s)
{
    pcs_configuration_update(s->base.model, &s->end, s->t_k + s->h, s->q_end, s->v, s->turns);
}

// Deepest penetration at the end configuration (>= 0), with all gaps in contacts_end.
static double penetration(moreau_jean *s, bool rows)
{
    double deepest = 0;
    pcs_model_contacts(s->base.model, &s->end, rows, s->contacts_end);
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        deepest = fmax(deepest, -s->contacts_end[i].gap);
    return deepest;
}

// Adds to the correction x (already right for the joints) what keeps the gaps from being negative:
// frictionless problem 0 <= gap + H x + W l, l >= 0 over the contacts that are closed or nearly so.
static pcs_status push_out(moreau_jean *s, double deepest)
{
    const pcs_model *model = s->base.model;
    // Contacts within reach of the correction take part, so that it does not close them.
    const double reach = 10 * deepest;
    const int32_t most = model->n_slots;
    const pcs_row_block **H = PCS_ARENA_ARRAY(&s->arena, const pcs_row_block *, most);
    double *q = PCS_ARENA_ARRAY(&s->arena, double, most);
    double *l = PCS_ARENA_ARRAY(&s->arena, double, most);
    double *u = PCS_ARENA_ARRAY(&s->arena, double, most);
    double *mu = PCS_ARENA_ARRAY(&s->arena, double, most);
    if (!H || !q || !l || !u || !mu)
        return PCS_ERROR_MEMORY;
    int32_t n = 0;
    for (int32_t i = 0; i < most; ++i) {
        if (s->contacts_end[i].gap > reach)
            continue;
        s->normal_rows[n] = s->contacts_end[i].row;
        s->normal_rows[n].size = 1; // row-major: the normal row comes first
        H[n] = &s->normal_rows[n];
        q[n] = s->contacts_end[i].gap;
        l[n] = 0;
        mu[n] = 0;
        for (int32_t e = 0; e < H[n]->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, H[n]->node[e]);
            for (int32_t j = 0; j < pcs_node_v_size(node->kind); ++j)
                q[n] += H[n]->J[e][j] * s->x[node->v + j];
        }
        ++n;
    }
    pcs_block_matrix W;
    PCS_TRY(pcs_saddle_delassus(s->saddle, n, H, &s->arena, &W));
    pcs_friction_contact problem = {&W, q, mu};
    pcs_friction_opts opts = pcs_friction_default();
    pcs_friction_info info;
    PCS_TRY(pcs_friction_solve(&problem, &opts, &s->arena, l, u, &info));
    memset(s->momentum, 0, sizeof(double) * (size_t)model->n_v);
    memset(s->p_step, 0, sizeof(double) * (size_t)model->n_rows);
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t e = 0; e < H[k]->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, H[k]->node[e]);
            for (int32_t j = 0; j < pcs_node_v_size(node->kind); ++j)
                s->momentum[node->v + j] += H[k]->J[e][j] * l[k];
        }
    }
    pcs_saddle_solve(s->saddle, s->momentum, s->p_step);
    for (int32_t j = 0; j < model->n_v; ++j)
        s->x[j] += s->momentum[j];
    return PCS_OK;
}

static pcs_status project_positions(moreau_jean *s, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    const double tolerance = s->base.options[MJ_PROJECTION_TOLERANCE];
    const int mode = (int)s->base.options[MJ_PROJECTION];
    const bool unilateral = mode == MJ_PROJECT_ALL && model->n_slots > 0;
    double last = HUGE_VAL;
    for (int pass = 0;; ++pass) {
        update_end(s);
        pcs_rows rows = {NULL, s->g, NULL, NULL};
        pcs_model_rows(model, &s->end, &rows);
        report->drift = largest(s->g, model->n_rows);
        report->penetration = model->n_slots > 0 ? penetration(s, unilateral) : 0;
        double error = unilateral ? fmax(report->drift, report->penetration) : report->drift;
        if (mode == MJ_PROJECT_NONE || error <= tolerance || pass == PASSES_MAX ||
            !(error < stagnation * last))
            return PCS_OK;
        last = error;
        memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
        for (int32_t i = 0; i < model->n_rows; ++i)
            s->p_step[i] = -s->g[i];
        if (model->n_rows > 0)
            pcs_saddle_solve(s->saddle, s->x, s->p_step);
        if (unilateral && report->penetration > tolerance) {
            pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
            pcs_status status = push_out(s, report->penetration);
            pcs_arena_release(&s->arena, mark);
            PCS_TRY(status);
        }
        pcs_model_retract(model, s->q_end, s->x, s->q_end);
    }
}

static void project_velocities(moreau_jean *s, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    if (model->n_rows == 0)
        return;
    // A velocity error of tolerance / h moves the joint by the tolerance within a step.
    const double tolerance = s->base.options[MJ_PROJECTION_TOLERANCE] / s->h;
    pcs_rows rows = {s->rows_end, NULL, s->rate, NULL};
    pcs_model_rows(model, &s->end, &rows);
    double last = HUGE_VAL;
    for (int pass = 0;; ++pass) {
        pcs_model_rows_multiply(model, s->rows_end, s->v, s->p_step);
        for (int32_t i = 0; i < model->n_rows; ++i)
            s->p_step[i] = s->rate[i] - s->p_step[i];
        double error = largest(s->p_step, model->n_rows);
        report->velocity_drift = error;
        if ((int)s->base.options[MJ_PROJECTION] == MJ_PROJECT_NONE || error <= tolerance ||
            pass == PASSES_MAX || !(error < stagnation * last))
            return;
        last = error;
        memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
        pcs_saddle_solve(s->saddle, s->x, s->p_step);
        for (int32_t i = 0; i < model->n_v; ++i)
            s->v[i] += s->x[i];
    }
}

pcs_status pcs_mj_project(moreau_jean *s, pcs_step_report *report)
{
    PCS_TRY(project_positions(s, report));
    project_velocities(s, report);
    update_end(s); // the velocity may have changed
    return PCS_OK;
}

// Projection after a step: positions on g = 0 (and, if asked, gaps >= 0), velocities on G v = rate.
// Both use the factors of the step (A and G at the forecast) with exact residuals, so each pass
// shrinks the error by O(h); A replaces M as the metric. Next to a singular position G turns more
// in a step than its smallest singular value, and a pass magnifies the error instead: then it is
// taken back and G is renewed at the end of the step.
#include "schemes/moreau_jean.h"

#include <string.h>

#include "nonsmooth/auto.h"

enum { PASSES_MAX = 25 };
// Part of the deviation that a push-out may leave: passes are repeated until the tolerance is met.
static const double PUSH_OUT = 1e-6;
// A pass that does not bring the error below this part of the last one has met rounding, a
// redundant contradiction or a singular position.
static const double stagnation = 0.5;
// Stagnation below this multiple of the tolerance is put down to rounding.
static const double rounding_margin = 10;
// An error above this multiple of the tolerance is a projection that failed, and the step says so.
static const double failure_margin = 1e4;

// A contact that is pushed out further than needed stays there: what the solver leaves undecided would
// turn a box that lands flat. Its problem, convex without friction, is solved beyond its tolerance.
static const double push_out_solver[PCS_AUTO_OPTIONS] = {
    [PCS_AUTO_SWEEPS] = 200,    [PCS_AUTO_NEWTON_STEPS] = 40, [PCS_AUTO_RESTARTS] = 2,
    [PCS_AUTO_PATH_STEPS] = 50, [PCS_AUTO_POLISH] = 1,
};

// How far beyond the largest deviation open contacts are taken into account when pushing out.
#define REACH 10

static double largest(const double *x, int32_t n)
{
    double most = 0, sum = 0;
    for (int32_t i = 0; i < n; ++i) {
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
        sum += fabs(x[i]);
    }
    return isfinite(sum) ? most : HUGE_VAL; // the maximum does not see a NaN
}

static void update_end(moreau_jean *s)
{
    pcs_configuration_follow(s->base.model, &s->end, s->t_k + s->h, s->q_end, s->v,
                             (pcs_turns){s->turns, s->q_k, s->way}, s->external);
}

// Deepest penetration at the end configuration (>= 0) beyond that at which nodes were found inside,
// with all gaps in contacts_end.
static pcs_depth penetration(moreau_jean *s)
{
    pcs_depth deepest = {0};
    if (s->base.model->n_slots == 0)
        return deepest;
    pcs_neighbours_contacts(&s->neighbours, &s->end, false, s->contacts_end);
    for (int32_t k = 0; k < s->neighbours.n_near; ++k) {
        const int32_t i = s->neighbours.near[k];
        pcs_depth_see(&deepest, s->found[i] - s->contacts_end[i].gap, i, s->t_k + s->h);
    }
    return deepest;
}

// Deepest penetration that this step has added to that at its start.
static double added_penetration(const moreau_jean *s)
{
    double deepest = 0;
    for (int32_t k = 0; k < s->neighbours.n_near; ++k) {
        const int32_t i = s->neighbours.near[k];
        deepest = fmax(deepest, fmin(s->gap_k[i], 0) - s->contacts_end[i].gap);
    }
    return deepest;
}

// Gap of an evaluated slot after the correction x, to first order.
static double gap_after(const moreau_jean *s, int32_t slot)
{
    const pcs_contact *contact = &s->contacts_end[slot];
    double gap = contact->gap - s->found[slot];
    for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(s->base.model, contact->row.node[e]);
        for (int32_t j = 0; j < node->n_v; ++j)
            gap += contact->row.J[e][j] * s->x[node->v + j];
    }
    return gap;
}

// Largest gap of a contact at rest that its impulse need not have left open.
static double hover(const moreau_jean *s)
{
    double most = 0;
    for (int32_t k = 0; k < s->n_active; ++k) {
        const int32_t i = s->active[k];
        if (s->room[i] > 0 && s->contacts_end[i].gap != HUGE_VAL)
            most = fmax(most, s->contacts_end[i].gap - s->found[i]);
    }
    return most;
}

// Deepest penetration, or largest gap of a contact at rest, that the correction x of the joints
// would leave; the contacts get their rows.
static double deviation_after(const moreau_jean *s)
{
    double most = 0;
    pcs_neighbours_contacts(&s->neighbours, &s->end, true, s->contacts_end);
    for (int32_t k = 0; k < s->neighbours.n_near; ++k) {
        const int32_t i = s->neighbours.near[k];
        if (s->contacts_end[i].gap == HUGE_VAL)
            continue;
        const double gap = gap_after(s, i);
        most = fmax(most, s->room[i] > 0 ? fabs(gap) : -gap);
    }
    return most;
}

// Adds to the correction x (already right for the joints) multipliers l of the positions alone, so
// that gaps are not negative and contacts at rest are closed: the positions of the step hold
// a h H^T r of a contact at rest, which may be taken back in part:
//     0 <= gap + H x + W l  \perp  l + room >= 0,   room = a h r_N at rest, 0 otherwise.
// Over the contacts that are closed or nearly so, without friction.
static pcs_status push_out(moreau_jean *s, double deviation, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    // Contacts within reach of the correction take part, so that it does not close them.
    const double reach = REACH * deviation;
    const int32_t most = s->neighbours.n_near;
    const pcs_row_block **H = PCS_ARENA_ARRAY(&s->arena, const pcs_row_block *, most);
    double *q = PCS_ARENA_ARRAY(&s->arena, double, most);
    double *l = PCS_ARENA_ARRAY(&s->arena, double, most);
    double *u = PCS_ARENA_ARRAY(&s->arena, double, most);
    double *mu = PCS_ARENA_ARRAY(&s->arena, double, most);
    int32_t *slot = PCS_ARENA_ARRAY(&s->arena, int32_t, most);
    if (!H || !q || !l || !u || !mu || !slot)
        return PCS_ERROR_MEMORY;
    int32_t n = 0;
    for (int32_t k = 0; k < most; ++k) {
        const int32_t i = s->neighbours.near[k];
        if (s->contacts_end[i].gap == HUGE_VAL || (s->room[i] == 0 && gap_after(s, i) > reach))
            continue;
        s->normal_rows[n] = s->contacts_end[i].row;
        s->normal_rows[n].size = 1; // row-major: the normal row comes first
        H[n] = &s->normal_rows[n];
        q[n] = gap_after(s, i);
        l[n] = s->room[i];
        mu[n] = 0;
        slot[n++] = i;
    }
    pcs_block_matrix W;
    PCS_TRY(pcs_saddle_delassus(s->saddle, n, H, &s->arena, &W));
    pcs_block_matrix_multiply(&W, l, u);
    for (int32_t k = 0; k < n; ++k)
        q[k] -= u[k]; // in l + room
    memset(l, 0,
           sizeof(double) * (size_t)n); // contacts that contradict each other share what is left
    pcs_friction_contact problem = {.W = &W, .q = q, .mu = mu};
    pcs_solve_opts opts = pcs_solve_default();
    opts.measure = PCS_MEASURE_SCALED;
    // The residual is relative to |q|, which holds W room: gaps that gravity makes in a step.
    opts.tolerance = fmax(PUSH_OUT * deviation, 0.1 * s->base.options[MJ_PROJECTION_TOLERANCE]) /
                     pcs_friction_contact_scale(&problem);
    opts.tolerance = fmin(opts.tolerance, PUSH_OUT);
    pcs_solve_info info; // the passes check the gaps
    PCS_TRY(pcs_friction_solve_inside(&problem, &pcs_solver_auto, &opts, push_out_solver, &s->arena,
                                      l, u, &info));
    report->solver_iterations += info.iterations;
    memset(s->momentum, 0, sizeof(double) * (size_t)model->n_v);
    memset(s->p_step, 0, sizeof(double) * (size_t)model->n_rows);
    for (int32_t k = 0; k < n; ++k) {
        const double total = l[k];
        l[k] -= s->room[slot[k]];
        s->room[slot[k]] = s->room[slot[k]] > 0 ? total : 0;
        for (int32_t e = 0; e < H[k]->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, H[k]->node[e]);
            for (int32_t j = 0; j < node->n_v; ++j)
                s->momentum[node->v + j] += H[k]->J[e][j] * l[k];
        }
    }
    pcs_saddle_solve(s->saddle, s->momentum, s->p_step);
    for (int32_t j = 0; j < model->n_v; ++j)
        s->x[j] += s->momentum[j];
    return PCS_OK;
}

// Factors with G at the end configuration.
static pcs_status renew_factors(moreau_jean *s)
{
    pcs_rows rows = {s->rows, NULL, NULL, NULL};
    update_end(s);
    pcs_model_rows(s->base.model, &s->end, &rows);
    return pcs_saddle_factor(s->saddle);
}

static void negate(double *x, int32_t n)
{
    for (int32_t i = 0; i < n; ++i)
        x[i] = -x[i];
}

// v and the joint impulses of the step change by a multiple of the last solution.
static void change_velocities(moreau_jean *s, double scale)
{
    const pcs_model *model = s->base.model;
    for (int32_t i = 0; i < model->n_v; ++i)
        s->v[i] += scale * s->x[i];
    for (int32_t i = 0; i < model->n_rows; ++i)
        s->p[i] += scale * s->p_step[i];
}

// Positions that the passes do not improve further; the report gets what is left. A contact at rest
// that could not be closed is no failure.
static pcs_status stopped_at(moreau_jean *s, bool unilateral, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    pcs_rows rows = {NULL, s->g, NULL, NULL};
    update_end(s);
    pcs_model_rows(model, &s->end, &rows);
    report->drift = largest(s->g, model->n_rows);
    report->penetration = penetration(s);
    const double error = fmax(report->drift, unilateral ? report->penetration.value : 0);
    return error <= failure_margin * s->base.options[MJ_PROJECTION_TOLERANCE] ? PCS_OK
                                                                              : PCS_NOT_CONVERGED;
}

// Contacts at rest: those that carry an impulse and did not rebound.
static void find_room(moreau_jean *s)
{
    memset(s->room, 0, sizeof(double) * (size_t)s->base.model->n_slots);
    for (int32_t k = 0; k < s->n_active; ++k) {
        const int32_t at = s->offset[k];
        if (s->of_displacements || (s->restitution[at] == 0 && s->spent[at] == 0 && !s->out[k]))
            s->room[s->active[k]] = fmax(s->a * s->h * s->r[at], 0);
    }
}

pcs_status pcs_mj_project_positions(moreau_jean *s, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    const double tolerance = s->base.options[MJ_PROJECTION_TOLERANCE];
    const int mode = (int)s->base.options[MJ_PROJECTION];
    const bool unilateral = mode == MJ_PROJECT_ALL && model->n_slots > 0;
    bool renewed = model->n_rows == 0; // nothing to renew
    bool lowers = unilateral;
    double last = HUGE_VAL;
    if (unilateral)
        find_room(s);
    for (int pass = 0;; ++pass) {
        update_end(s);
        pcs_rows rows = {NULL, s->g, NULL, NULL};
        pcs_model_rows(model, &s->end, &rows);
        report->drift = largest(s->g, model->n_rows);
        report->penetration = penetration(s);
        if (pass == 0 && unilateral && s->two_levels && report->penetration.value > tolerance) {
            pcs_model_contacts(model, &s->end, true, s->contacts_end);
            s->in_parts = pcs_mj_meets_faces(s);
            if (s->in_parts)
                return PCS_NOT_CONVERGED;
            report->penetration = penetration(s);
        }
        if (pass == 0)
            s->violation = fmax(added_penetration(s), unilateral ? hover(s) : 0);
        double error = unilateral ? fmax(report->drift, report->penetration.value) : report->drift;
        if (unilateral)
            error = fmax(error, hover(s));
        if (mode == MJ_PROJECT_NONE || error <= tolerance)
            return PCS_OK;
        if (!(error < stagnation * last) || pass == PASSES_MAX) {
            if (!(error <= last)) { // the pass made it worse: take it back
                negate(s->x, model->n_v);
                pcs_model_retract(model, s->q_end, s->x, s->q_end);
            }
            if (lowers && report->penetration.value > rounding_margin * tolerance) {
                // Contacts that contradict each other: nothing is lowered.
                memset(s->room, 0, sizeof(double) * (size_t)model->n_slots);
                lowers = false;
                last = HUGE_VAL;
                continue;
            }
            if (renewed || error <= rounding_margin * tolerance || pass == PASSES_MAX)
                return stopped_at(s, unilateral, report);
            renewed = true;
            last = HUGE_VAL;
            PCS_TRY(renew_factors(s));
            continue;
        }
        last = error;
        memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
        for (int32_t i = 0; i < model->n_rows; ++i)
            s->p_step[i] = -s->g[i];
        if (model->n_rows > 0)
            pcs_saddle_solve(s->saddle, s->x, s->p_step);
        double deviation = unilateral ? deviation_after(s) : 0;
        if (deviation > tolerance) {
            pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
            pcs_status status = push_out(s, deviation, report);
            pcs_arena_release(&s->arena, mark);
            PCS_TRY(status);
        }
        pcs_model_retract(model, s->q_end, s->x, s->q_end);
    }
}

static pcs_status project_velocities(moreau_jean *s, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    if (model->n_rows == 0)
        return PCS_OK;
    // Relative to the fastest velocity: what is left must not depend on the step, or it would hide
    // the order of the scheme in small ones.
    const double tolerance = s->base.options[MJ_PROJECTION_TOLERANCE] *
                             fmax(1, largest(s->v, model->n_v));
    bool renewed = false;
    pcs_rows rows = {s->rows_end, NULL, s->rate, NULL};
    pcs_model_rows(model, &s->end, &rows);
    double last = HUGE_VAL;
    for (int pass = 0;; ++pass) {
        pcs_model_rows_multiply(model, s->rows_end, s->v, s->g);
        for (int32_t i = 0; i < model->n_rows; ++i)
            s->g[i] = s->rate[i] - s->g[i];
        double error = largest(s->g, model->n_rows);
        report->velocity_drift = error;
        if ((int)s->base.options[MJ_PROJECTION] == MJ_PROJECT_NONE || error <= tolerance)
            return PCS_OK;
        if (!(error < stagnation * last) || pass == PASSES_MAX) {
            if (!(error <= last)) { // the pass made it worse: take it back
                change_velocities(s, -1);
                report->velocity_drift = last;
            }
            if (renewed || error <= rounding_margin * tolerance || pass == PASSES_MAX)
                return report->velocity_drift <= failure_margin * tolerance ? PCS_OK
                                                                            : PCS_NOT_CONVERGED;
            renewed = true;
            last = HUGE_VAL;
            PCS_TRY(renew_factors(s));
            continue;
        }
        last = error;
        memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
        memcpy(s->p_step, s->g, sizeof(double) * (size_t)model->n_rows);
        pcs_saddle_solve(s->saddle, s->x, s->p_step);
        change_velocities(s, 1);
    }
}

pcs_status pcs_mj_project_velocities(moreau_jean *s, pcs_step_report *report)
{
    pcs_status status = project_velocities(s, report);
    update_end(s); // the velocity may have changed
    return status;
}

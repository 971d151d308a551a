// Newton's method of the statics at one load (docs/theory/statics-and-modes.md).
//
//     (K - d(G^T lambda + H^T r)/dq + s M) d = f + G^T lambda + H^T r,
//     G d = -g,  0 <= gap + H d _|_ r >= 0
//
// A little inertia [KelleyKeyes1998]: s falls with the corrections, so that the end is Newton's;
// where the model has no stiffness (bodies that only rest on contacts) or a negative one (snapping
// through), s keeps the steps finite and lets the motion run downhill, as a heavily damped one
// would. The unit of s is load acceleration / size.
#include <float.h>
#include <math.h>
#include <string.h>

#include "nonsmooth/auto.h"
#include "simulation/block_product.h"
#include "simulation/statics_work.h"

// s in its unit: at the first iteration, and the lowest without and with contacts that carry a
// load. 1e-6 leaves convergence at 1e-6 an iteration, and rounding moves a body that nothing holds
// by no more than 1e-10 of the model's size. Bodies that only contacts hold move by 1/s before the
// contact forces bring them back: 1e-3 keeps 13 digits of the gaps.
#define INERTIA_START 1e-3
#define INERTIA_LOWEST 1e-6
#define INERTIA_CONTACT 1e-3
#define INERTIA_HIGHEST 1e9
// How s grows when a correction is refused.
#define INERTIA_GROWTH 4.0
// A correction is taken when the one that would follow with the same matrix is at most this many
// times as long [Deuflhard2004, natural monotonicity]: forces may grow on the way, as they do in a
// beam that bends without stretching. More than 1, for on the way from one state to a far one it
// grows.
#define CORRECTION_GROWTH 2.0
// From here on, corrections may be rounding error and are not compared.
#define IMBALANCE_SMALL 1e-7
// Largest turn in one correction, rad, and displacement, as a part of the model's size.
#define TURN_MAX 0.5
#define MOVE_MAX 0.5
// A contact whose gap is below this part of the model's size touches.
#define TOUCHING 1e-9
// Internal forces that cancel at a node leave this part of |A| |positions|.
#define FORCE_ROUNDING (8 * DBL_EPSILON)
// Errors of joints and gaps at an equilibrium, as a part of the model's size.
#define CONSTRAINT_TOLERANCE 1e-11
// d^T K d / d^T M d below this part of the unit of s is no stiffness at all; so many long
// corrections one after the other along such directions are a mechanism.
#define NO_STIFFNESS 1e-5
// The first corrections of a load step are taken as they come, for slender beams have large forces
// on the way and yet converge in a dozen; the others, from the start of the step again, with care.
enum { MECHANISM_CORRECTIONS = 8, REFUSALS_MAX = 40, PLAIN_CORRECTIONS = 25 };

// ---- Terms ----

void pcs_statics_clear_matrix(pcs_statics *w)
{
    int64_t count;
    double *values = pcs_saddle_values(w->saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
}

// A = K - d(G^T lambda + H^T r)/dq + s M
static void assemble(pcs_statics *w, double s)
{
    int64_t count;
    double *values = pcs_saddle_values(w->saddle, &count);
    pcs_statics_clear_matrix(w);
    pcs_model_add_mass(w->model, &w->c, w->saddle);
    for (int64_t i = 0; i < count; ++i)
        values[i] *= s;
    pcs_model_add_tangent(w->model, &w->c, 1, 0, w->saddle);
    pcs_model_row_tangent(w->model, &w->c, w->lambda, -1, w->saddle);
    for (int32_t i = 0; i < w->model->n_slots; ++i)
        w->r3[3 * i] = w->contacts[i].gap != HUGE_VAL ? w->r[i] : 0;
    pcs_model_contact_tangent(w->model, &w->c, w->contacts, w->r3, -1, w->saddle);
}

// x += J^T r of the normal rows, and scale += |J|^T r unless NULL
static void add_contact_forces(const pcs_statics *w, double *x, double *scale)
{
    for (int32_t i = 0; i < w->model->n_slots; ++i) {
        const pcs_row_block *row = &w->contacts[i].row;
        if (!(w->r[i] > 0) || w->contacts[i].gap == HUGE_VAL)
            continue;
        for (int32_t e = 0; e < row->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(w->model, row->node[e]);
            for (int32_t j = 0; j < node->n_v; ++j) {
                x[node->v + j] += row->J[e][j] * w->r[i];
                if (scale)
                    scale[node->v + j] += fabs(row->J[e][j] * w->r[i]);
            }
        }
    }
}

static void add_joint_forces(const pcs_statics *w)
{
    for (int32_t k = 0; k < w->model->row_blocks.count; ++k) {
        const pcs_row_block *row = &w->rows[k];
        const double *lambda = w->lambda + w->model->row_blocks.data[k].first_row;
        for (int32_t e = 0; e < row->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(w->model, row->node[e]);
            for (int32_t i = 0; i < row->size; ++i)
                for (int32_t j = 0; j < node->n_v; ++j) {
                    const double part = row->J[e][i * node->n_v + j] * lambda[i];
                    w->imbalance[node->v + j] += part;
                    w->scale[node->v + j] += fabs(part);
                }
        }
    }
}

// Largest imbalance, beyond rounding, relative to the forces of the model. Translations and
// rotations apart; moments below a thousandth of force times size are as good as none. A system's
// coordinates have units of their own: each system is its own measure.
static double relative_imbalance(pcs_statics *w)
{
    const pcs_model *m = w->model;
    double most[2] = {0, 0}, worst = 0;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v && node->kind != PCS_NODE_VECTOR; ++j)
            most[j >= flat] = fmax(most[j >= flat], w->scale[node->v + j]);
    }
    most[1] = fmax(most[1], 1e-3 * most[0] * w->size);
    most[0] = fmax(most[0], 1e-3 * most[1] / w->size);
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t flat = pcs_node_translations(node->kind);
        double own = 0;
        for (int32_t j = 0; j < node->n_v && node->kind == PCS_NODE_VECTOR; ++j)
            own = fmax(own, w->scale[node->v + j]);
        for (int32_t j = 0; j < node->n_v; ++j) {
            const double x = fabs(w->imbalance[node->v + j]) - w->noise[node->v + j];
            const double scale = node->kind == PCS_NODE_VECTOR ? own : most[j >= flat];
            if (!isfinite(x) || !isfinite(scale)) {
                w->worst = node->v + j;
                return HUGE_VAL;
            }
            if (x > worst * scale) {
                worst = x / scale;
                w->worst = node->v + j;
            }
        }
    }
    return worst;
}

// All terms at q, the imbalance, and how far joints and gaps are off.
double pcs_statics_evaluate(pcs_statics *w)
{
    const pcs_model *m = w->model;
    const pcs_state *state = &w->simulation->state;
    pcs_configuration_follow(m, &w->c, *state->t, w->q, w->v,
                             (pcs_turns){state->turns, state->q, NULL}, state->external);
    w->c.load = 0;
    pcs_model_forces(m, &w->c, w->inner, NULL);
    w->c.load = w->load;
    pcs_model_forces(m, &w->c, w->f, NULL);
    pcs_rows rows = {w->rows, w->g, NULL, NULL};
    pcs_model_rows(m, &w->c, &rows);
    pcs_model_contacts(m, &w->c, true, w->contacts);
    for (int32_t i = 0; i < m->n_v; ++i) {
        w->imbalance[i] = w->f[i];
        w->scale[i] = fabs(w->inner[i]) + fabs(w->f[i] - w->inner[i]);
    }
    add_joint_forces(w);
    add_contact_forces(w, w->imbalance, w->scale);
    for (int32_t i = 0; i < m->n_v; ++i)
        w->scale[i] = fmax(w->scale[i], w->least[i]);
    w->drift = w->penetration = 0;
    for (int32_t i = 0; i < m->n_rows; ++i)
        w->drift = fmax(w->drift, fabs(w->g[i]));
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const double gap = w->contacts[i].gap;
        if (gap != HUGE_VAL)
            w->penetration = fmax(w->penetration, w->r[i] > 0 ? fabs(gap) : -gap);
    }
    return relative_imbalance(w);
}

// What the rounding of positions makes of the forces, from the matrix at hand.
static void find_noise(pcs_statics *w)
{
    const pcs_model *m = w->model;
    double far = 0;
    for (int32_t k = 0; k < m->nodes.count; ++k)
        if (pcs_model_node(m, k)->kind != PCS_NODE_VECTOR)
            far = fmax(far, pcs_v3_norm(w->c.pose[k].x));
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v; ++j)
            w->work[node->v + j] = node->kind == PCS_NODE_VECTOR ? fabs(w->q[node->q + j])
                                   : j < flat                    ? far
                                                                 : 1;
    }
    const pcs_block_product A = {m, w->saddle, (const int32_t(*)[2])w->pairs, w->n_pairs};
    pcs_block_multiply(&A, true, w->work, w->noise);
    for (int32_t i = 0; i < m->n_v; ++i)
        w->noise[i] *= FORCE_ROUNDING;
}

// ---- A correction ----

// Change of the gap of a slot along x
static double gap_change(const pcs_statics *w, int32_t slot, const double *x)
{
    const pcs_row_block *row = &w->contacts[slot].row;
    double sum = 0;
    for (int32_t e = 0; e < row->n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(w->model, row->node[e]);
        for (int32_t j = 0; j < node->n_v; ++j)
            sum += row->J[e][j] * x[node->v + j];
    }
    return sum;
}

// Slots that the correction x would close; how many are new.
static int32_t activate(pcs_statics *w, const double *x)
{
    int32_t added = 0;
    for (int32_t i = 0; i < w->model->n_slots; ++i) {
        const double gap = w->contacts[i].gap;
        if (w->is_active[i] || gap == HUGE_VAL || (gap + gap_change(w, i, x) >= 0 && w->r[i] <= 0))
            continue;
        const int32_t k = w->n_active++;
        w->active[k] = i;
        w->is_active[i] = true;
        w->normal_rows[k] = w->contacts[i].row;
        w->normal_rows[k].size = 1; // row-major: the normal row comes first
        w->H[k] = &w->normal_rows[k];
        w->force[k] = w->r[i];
        w->mu[k] = 0;
        ++added;
    }
    return added;
}

// Forces of the active contacts for the correction without them, d_free; then d and p with them.
static pcs_status solve_contacts(pcs_statics *w)
{
    const pcs_model *m = w->model;
    pcs_block_matrix W;
    pcs_solve_info info;
    pcs_solve_opts opts = pcs_solve_default();
    opts.measure = PCS_MEASURE_SCALED;
    opts.tolerance =
        1e-14; // as good as rounding allows: gaps are small beside the free corrections
    for (int32_t k = 0; k < w->n_active; ++k)
        w->gap[k] = w->contacts[w->active[k]].gap + gap_change(w, w->active[k], w->d_free);
    PCS_TRY(pcs_saddle_delassus(w->saddle, w->n_active, w->H, &w->arena, &W));
    const pcs_friction_contact problem = {.W = &W, .q = w->gap, .mu = w->mu};
    // As in a time step: few restarts, but a polish.
    static const double option[PCS_AUTO_OPTIONS] = {
        [PCS_AUTO_SWEEPS] = 200,    [PCS_AUTO_NEWTON_STEPS] = 40, [PCS_AUTO_RESTARTS] = 2,
        [PCS_AUTO_PATH_STEPS] = 50, [PCS_AUTO_POLISH] = 1,
    };
    const pcs_status status = pcs_friction_solve_inside(&problem, &pcs_solver_auto, &opts, option,
                                                        &w->arena, w->force, w->u, &info);
    const double enough = 1e-10; // the next correction mends the rest
    if (status < 0 || (status == PCS_NOT_CONVERGED && !(info.residual.scaled <= enough)))
        return status == PCS_ERROR_MEMORY || status == PCS_ERROR_STOPPED ? status
                                                                         : PCS_NOT_CONVERGED;
    memcpy(w->d, w->f, sizeof(double) * (size_t)m->n_v);
    for (int32_t i = 0; i < m->n_rows; ++i)
        w->p[i] = -w->g[i];
    for (int32_t k = 0; k < w->n_active; ++k)
        for (int32_t e = 0; e < w->H[k]->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, w->H[k]->node[e]);
            for (int32_t j = 0; j < node->n_v; ++j)
                w->d[node->v + j] += w->H[k]->J[e][j] * w->force[k];
        }
    pcs_saddle_solve(w->saddle, w->d, w->p);
    return PCS_OK;
}

// d, p and the forces of the active contacts. PCS_NOT_CONVERGED: more inertia is needed.
static pcs_status solve_correction(pcs_statics *w, double s)
{
    const pcs_model *m = w->model;
    PCS_TRY(pcs_arena_reset(&w->arena));
    assemble(w, s);
    find_noise(w);
    const pcs_status status = pcs_saddle_factor(w->saddle);
    if (status == PCS_ERROR_SINGULAR)
        return PCS_NOT_CONVERGED;
    PCS_TRY(status);
    memcpy(w->d_free, w->f, sizeof(double) * (size_t)m->n_v);
    for (int32_t i = 0; i < m->n_rows; ++i)
        w->p[i] = -w->g[i];
    pcs_saddle_solve(w->saddle, w->d_free, w->p);
    memcpy(w->d, w->d_free, sizeof(double) * (size_t)m->n_v);
    w->n_active = 0;
    memset(w->is_active, 0, sizeof(bool) * (size_t)m->n_slots);
    while (activate(w, w->d) > 0) {
        const pcs_status solved = solve_contacts(w);
        if (solved != PCS_OK)
            return solved;
    }
    return PCS_OK;
}

// d^T A d > 0, and what the correction is like.
static bool measure_correction(pcs_statics *w, double s)
{
    const pcs_model *m = w->model;
    double power = 0, kinetic = 0, sum = 0;
    memcpy(w->work, w->f, sizeof(double) * (size_t)m->n_v);
    pcs_model_rows_add_transposed(m, w->rows, w->p, w->work);
    for (int32_t k = 0; k < w->n_active; ++k)
        for (int32_t e = 0; e < w->H[k]->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, w->H[k]->node[e]);
            for (int32_t j = 0; j < node->n_v; ++j)
                w->work[node->v + j] += w->H[k]->J[e][j] * w->force[k];
        }
    for (int32_t i = 0; i < m->n_v; ++i) {
        power += w->work[i] * w->d[i]; // A d = f + G^T p + H^T force
        sum += fabs(w->d[i]);
    }
    if (!isfinite(sum))
        return false;
    pcs_model_mass_multiply(m, &w->c, w->d, w->work);
    for (int32_t i = 0; i < m->n_v; ++i)
        kinetic += w->work[i] * w->d[i];
    w->norm = sqrt(fmax(kinetic, 0));
    w->rayleigh = kinetic > 0 ? power / kinetic - s : HUGE_VAL;
    w->turn = w->move = 0;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t flat = pcs_node_translations(node->kind);
        const double unit = node->kind == PCS_NODE_VECTOR ? 1 / w->size : 1;
        for (int32_t j = 0; j < node->n_v; ++j) {
            double *most = j < flat ? &w->move : &w->turn;
            if (fabs(w->d[node->v + j]) > *most * unit) {
                *most = fabs(w->d[node->v + j]) / unit;
                w->freest = node->v + j;
            }
        }
    }
    return power >= 0 || sum == 0;
}

static void keep(pcs_statics *w)
{
    memcpy(w->q_kept, w->q, sizeof(double) * (size_t)w->model->n_q);
    memcpy(w->lambda_kept, w->lambda, sizeof(double) * (size_t)w->model->n_rows);
    memcpy(w->r_kept, w->r, sizeof(double) * (size_t)w->model->n_slots);
}

static void take_back(pcs_statics *w)
{
    memcpy(w->q, w->q_kept, sizeof(double) * (size_t)w->model->n_q);
    memcpy(w->lambda, w->lambda_kept, sizeof(double) * (size_t)w->model->n_rows);
    memcpy(w->r, w->r_kept, sizeof(double) * (size_t)w->model->n_slots);
}

// Takes the part of the correction that is within the limits.
static void move(pcs_statics *w, double move_max)
{
    const pcs_model *m = w->model;
    double part = 1;
    if (w->turn > TURN_MAX)
        part = TURN_MAX / w->turn;
    if (w->move * part > move_max)
        part = move_max / w->move;
    w->limited = part < 1;
    w->is_long = w->turn > TURN_MAX || w->move > MOVE_MAX * w->size;
    w->held_ahead = false;
    for (int32_t i = 0; i < m->n_slots && w->is_long; ++i)
        if (!w->is_active[i] && w->contacts[i].gap != HUGE_VAL &&
            gap_change(w, i, w->d) < -NO_STIFFNESS * w->move)
            w->held_ahead = true;
    for (int32_t k = 0; k < w->n_active && w->is_long; ++k) // on its way to a contact
        if (w->contacts[w->active[k]].gap > TOUCHING * w->size)
            w->held_ahead = true;
    for (int32_t i = 0; i < m->n_v; ++i)
        w->d[i] *= part;
    pcs_model_retract(m, w->q, w->d, w->q);
    for (int32_t i = 0; i < m->n_rows; ++i)
        w->lambda[i] += part * (w->p[i] - w->lambda[i]);
    for (int32_t i = 0; i < m->n_slots; ++i)
        w->r[i] *= w->is_active[i] ? 1 - part : 0;
    for (int32_t k = 0; k < w->n_active; ++k)
        w->r[w->active[k]] += part * w->force[k];
}

// Length of the next correction with the same matrix, contacts as they are, over that of the last
// one.
static double find_growth(pcs_statics *w)
{
    const pcs_model *m = w->model;
    double square = 0;
    memcpy(w->d_free, w->imbalance, sizeof(double) * (size_t)m->n_v);
    for (int32_t i = 0; i < m->n_rows; ++i)
        w->p[i] = -w->g[i];
    pcs_saddle_solve(w->saddle, w->d_free, w->p);
    pcs_model_mass_multiply(m, &w->c, w->d_free, w->work);
    for (int32_t i = 0; i < m->n_v; ++i)
        square += w->d_free[i] * w->work[i];
    return w->norm > 0 ? sqrt(fmax(square, 0)) / w->norm : 1;
}

// ---- A load step ----

static pcs_status report_mechanism(pcs_statics *w)
{
    char name[PCS_NODE_NAME_SIZE];
    const bool contacts = w->model->n_slots > 0;
    return pcs_error(w->ctx, PCS_ERROR_MODEL,
                     "no static equilibrium: %s moves without resistance; hold it with a joint, a "
                     "spring, a fixation or a contact%s",
                     pcs_model_velocity_name(w->model, w->freest, name),
                     contacts ? " (contacts have no friction in statics)" : "");
}

static bool is_done(const pcs_statics *w, double imbalance)
{
    const double slack = CONSTRAINT_TOLERANCE * fmax(1, w->size);
    if (!(w->drift <= slack && w->penetration <= slack))
        return false;
    return imbalance <= w->opts.tolerance;
}

// Back to the last equilibrium.
void pcs_statics_start_again(pcs_statics *w)
{
    const pcs_model *m = w->model;
    const pcs_state *state = &w->simulation->state;
    memcpy(w->q, state->q, sizeof(double) * (size_t)m->n_q);
    memcpy(w->lambda, state->lambda, sizeof(double) * (size_t)m->n_rows);
    for (int32_t i = 0; i < m->n_slots; ++i)
        w->r[i] = state->force[3 * i];
}

// Newton's method at one load. PCS_NOT_CONVERGED: no equilibrium was reached.
pcs_status pcs_statics_solve_load(pcs_statics *w)
{
    double s = INERTIA_START, lowest = 0, move_max = MOVE_MAX * w->size;
    int32_t refusals = 0, free_moves = 0;
    double imbalance = pcs_statics_evaluate(w);
    for (int32_t i = 0; i < w->opts.iterations; ++i) {
        w->info->residual = imbalance;
        if (is_done(w, imbalance))
            return PCS_OK;
        if (i == PLAIN_CORRECTIONS) {
            pcs_statics_start_again(w);
            imbalance = pcs_statics_evaluate(w);
            s = INERTIA_START;
            lowest = 0;
            move_max = MOVE_MAX * w->size;
            refusals = free_moves = 0;
        }
        ++w->info->iterations;
        const pcs_status solved = solve_correction(w, s * w->inertia_unit);
        PCS_TRY(solved);
        bool good = solved == PCS_OK && measure_correction(w, s * w->inertia_unit);
        if (solved == PCS_OK && !good)
            w->snapped = true; // negative stiffness: the state is not a stable one
        if (good) {
            keep(w);
            move(w, move_max);
            const double next = pcs_statics_evaluate(w);
            const double ratio = imbalance > 0 ? next / imbalance : 1;
            const double growth = next <= IMBALANCE_SMALL ? 0 : fmin(find_growth(w), ratio);
            good = isfinite(next) &&
                   (i < PLAIN_CORRECTIONS || growth <= CORRECTION_GROWTH || w->limited);
            if (good) {
                const bool no_stiffness = fabs(w->rayleigh) <= NO_STIFFNESS * w->inertia_unit;
                free_moves = w->is_long && no_stiffness && !w->held_ahead ? free_moves + 1 : 0;
                if (free_moves == MECHANISM_CORRECTIONS)
                    return report_mechanism(w);
                if (w->limited)
                    move_max *= 1.5;
                s *= fmin(fmax(growth, 0.01), 2);
                imbalance = next;
                refusals = 0;
            } else {
                take_back(w);
                (void)pcs_statics_evaluate(w);
            }
        }
        if (!good) {
            s = fmax(INERTIA_GROWTH * s, INERTIA_START);
            lowest = fmax(lowest, s / INERTIA_GROWTH);
            if (++refusals == REFUSALS_MAX || s > INERTIA_HIGHEST)
                return PCS_NOT_CONVERGED;
        }
        s = fmax(s, fmax(lowest, w->n_active > 0 ? INERTIA_CONTACT : INERTIA_LOWEST));
    }
    return PCS_NOT_CONVERGED;
}

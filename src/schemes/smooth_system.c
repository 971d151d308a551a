// The smooth equations of a phase: rows of joints and closed contacts, index-1 solves,
// half-explicit stages. smooth_system.h has the equations, smooth_project.c what keeps the
// constraints.
//
// Two instants are kept, each with a configuration and its rows: a half-explicit stage takes B from
// one and G from the other, and the next stage often begins where the last one ended.
#include "schemes/smooth_system.h"

#include <string.h>

#include "linalg/kernels.h"
#include "schemes/smooth_parts.h"
#include "schemes/smooth_terms.h"

// Added to the sliding velocity in space along the direction of the phase, m/s: the direction of a
// speed that is a difference of velocities of order 1 has no digits below this. So friction has the
// phase's direction where a slip begins, turns from there with the velocity, and the equations are
// smooth.
static const double DIRECTION_SPEED = 1e-12;

// ---- Memory ----

int32_t pcs_smooth_rows_max(const pcs_model *model)
{
    return model->n_rows + 3 * model->n_slots;
}

static void instant_free(pcs_context *ctx, pcs_smooth_instant *w)
{
    pcs_configuration_free(ctx, &w->c);
    pcs_model_contacts_destroy(ctx, w->contacts);
    pcs_free(ctx, w->q);
    pcs_free(ctx, w->rows);
    pcs_free(ctx, w->left);
    pcs_free(ctx, w->values);
    pcs_free(ctx, w->left_values);
    pcs_free(ctx, w->g);
    pcs_free(ctx, w->rate);
    pcs_free(ctx, w->convective);
}

static pcs_status instant_init(pcs_smooth *s, pcs_smooth_instant *w)
{
    pcs_context *ctx = s->ctx;
    const pcs_model *model = s->model;
    const int32_t blocks = model->row_blocks.count + model->n_slots;
    const int32_t rows = pcs_smooth_rows_max(model);
    PCS_TRY(pcs_configuration_init(ctx, model, &w->c));
    w->c.face = s->phase.face;
    w->c.axis = s->phase.axis;
    PCS_TRY(pcs_model_row_blocks_with_slots(ctx, model, &w->rows, &w->values));
    w->left = PCS_NEW_ARRAY(ctx, pcs_row_block, blocks);
    if (w->left) // the rows of joints are the same in B and G
        memcpy(w->left, w->rows, sizeof *w->rows * (size_t)model->row_blocks.count);
    w->contacts = pcs_model_contacts_create(ctx, model);
    w->q = PCS_NEW_ARRAY(ctx, double, model->n_q);
    w->g = PCS_NEW_ARRAY(ctx, double, rows);
    w->rate = PCS_NEW_ARRAY(ctx, double, rows);
    w->convective = PCS_NEW_ARRAY(ctx, double, rows);
    return w->left && w->contacts && w->q && w->g && w->rate && w->convective ? PCS_OK
                                                                              : PCS_ERROR_MEMORY;
}

// Sizes and nodes of the rows of every slot, from an evaluation at the initial state.
static pcs_status find_patterns(pcs_smooth *s)
{
    const pcs_model *model = s->model;
    pcs_smooth_instant *w = &s->instant[0];
    int64_t left = 0;
    if (model->n_slots == 0)
        return PCS_OK;
    double *v = PCS_NEW_ARRAY(s->ctx, double, model->n_v);
    if (!v)
        return PCS_ERROR_MEMORY;
    pcs_model_initial_state(model, w->q, v);
    pcs_configuration_update(model, &w->c, 0, w->q, v, s->turns, NULL);
    pcs_model_contacts(model, &w->c, true, w->contacts);
    pcs_free(s->ctx, v);
    for (int32_t i = 0; i < model->n_slots; ++i) {
        const pcs_row_block *row = &w->contacts[i].row;
        pcs_slot_pattern *pattern = &s->pattern[i];
        int32_t node[PCS_ROW_NODES_MAX];
        pattern->size = row->size;
        if (pcs_surface_contact_nodes(model, i, -1, node) > 0) { // known with the phase
            pattern->left_start = left;
            left += PCS_ROW_NODES_MAX * PCS_NODE_V_MAX;
            continue;
        }
        pattern->n_nodes = row->n_nodes;
        pattern->left_start = left;
        for (int32_t e = 0; e < row->n_nodes; ++e) {
            pattern->node[e] = row->node[e];
            left += pcs_model_node(model, row->node[e])->n_v;
        }
    }
    for (int k = 0; k < 2; ++k) {
        s->instant[k].left_values = PCS_NEW_ARRAY(s->ctx, double, left);
        if (!s->instant[k].left_values)
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

static pcs_status init(pcs_smooth *s)
{
    pcs_context *ctx = s->ctx;
    const pcs_model *model = s->model;
    const int32_t rows = pcs_smooth_rows_max(model);
    PCS_TRY(pcs_phase_init(ctx, model, &s->phase));
    s->no_turns = PCS_NEW_ARRAY(ctx, double, model->n_turns);
    s->pattern = PCS_NEW_ARRAY(ctx, pcs_slot_pattern, model->n_slots);
    s->closed = PCS_NEW_ARRAY(ctx, int32_t, model->n_slots);
    s->closed_pairs = PCS_NEW_ARRAY(ctx, int32_t, model->contact_pairs.count);
    s->slot_row = PCS_NEW_ARRAY(ctx, int32_t, model->n_slots);
    s->saddle_mode = PCS_NEW_ARRAY(ctx, uint8_t, model->n_slots);
    s->position_term = PCS_NEW_ARRAY(ctx, double, rows);
    s->velocity_term = PCS_NEW_ARRAY(ctx, double, rows);
    s->x = PCS_NEW_ARRAY(ctx, double, model->n_v);
    s->d = PCS_NEW_ARRAY(ctx, double, model->n_v);
    s->p = PCS_NEW_ARRAY(ctx, double, rows);
    s->q_try = PCS_NEW_ARRAY(ctx, double, model->n_q);
    if (!s->no_turns || !s->pattern || !s->closed || !s->closed_pairs || !s->slot_row ||
        !s->saddle_mode || !s->position_term || !s->velocity_term || !s->x || !s->d || !s->p ||
        !s->q_try)
        return PCS_ERROR_MEMORY;
    s->turns = s->no_turns;
    PCS_TRY(instant_init(s, &s->instant[0]));
    PCS_TRY(instant_init(s, &s->instant[1]));
    PCS_TRY(find_patterns(s));
    return pcs_smooth_set_phase(s, &s->phase);
}

pcs_status pcs_smooth_create(pcs_context *ctx, const pcs_model *model, pcs_smooth **out)
{
    *out = NULL;
    pcs_smooth *s = PCS_NEW(ctx, pcs_smooth);
    if (!s)
        return PCS_ERROR_MEMORY;
    s->ctx = ctx;
    s->model = model;
    const pcs_status status = init(s);
    if (status < 0) {
        pcs_smooth_destroy(s);
        return status;
    }
    *out = s;
    return PCS_OK;
}

void pcs_smooth_destroy(pcs_smooth *s)
{
    if (!s)
        return;
    pcs_context *ctx = s->ctx;
    void *arrays[] = {s->no_turns,
                      s->pattern,
                      s->closed,
                      s->closed_pairs,
                      s->slot_row,
                      s->saddle_mode,
                      s->position_term,
                      s->velocity_term,
                      s->x,
                      s->d,
                      s->p,
                      s->q_try};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    instant_free(ctx, &s->instant[0]);
    instant_free(ctx, &s->instant[1]);
    pcs_phase_free(ctx, &s->phase);
    pcs_saddle_destroy(s->saddle);
    pcs_free(ctx, s);
}

// ---- The rows of a phase ----

static pcs_status create_saddle(pcs_smooth *s)
{
    pcs_saddle_destroy(s->saddle);
    s->saddle = NULL;
    s->dropped = INT32_MAX;
    return pcs_model_saddle_with_rows(s->ctx, s->model, s->n_blocks, s->instant[0].rows,
                                      &s->saddle);
}

// Contacts on the faces of a mesh have rows over other nodes on another face. True if any has
// changed.
static bool update_patterns(pcs_smooth *s)
{
    bool changed = false;
    for (int32_t i = 0; i < s->model->n_slots && s->model->surface_contacts.count > 0; ++i) {
        pcs_slot_pattern *pattern = &s->pattern[i];
        int32_t node[PCS_ROW_NODES_MAX], n;
        if (s->phase.mode[i] == PCS_MODE_OPEN ||
            (n = pcs_surface_contact_nodes(s->model, i, s->phase.face[i], node)) == 0)
            continue;
        changed = changed || n != pattern->n_nodes ||
                  memcmp(pattern->node, node, sizeof *node * (size_t)n) != 0;
        pattern->n_nodes = n;
        memcpy(pattern->node, node, sizeof *node * (size_t)n);
    }
    return changed;
}

static void find_closed_pairs(pcs_smooth *s)
{
    s->n_closed_pairs = 0;
    for (int32_t i = 0; i < s->model->contact_pairs.count; ++i) {
        const pcs_contact_pair *pair = &s->model->contact_pairs.data[i];
        bool closed = false;
        for (int32_t k = 0; k < pair->n_slots; ++k)
            closed = closed || s->phase.mode[pair->first_slot + k] != PCS_MODE_OPEN;
        if (closed)
            s->closed_pairs[s->n_closed_pairs++] = i;
    }
}

pcs_status pcs_smooth_set_phase(pcs_smooth *s, const pcs_phase *phase)
{
    const pcs_model *model = s->model;
    if (phase != &s->phase)
        pcs_phase_copy(model, &s->phase, phase);
    const bool new_rows = update_patterns(s);
    s->n_closed = 0;
    s->n_rows = model->n_rows;
    s->n_blocks = model->row_blocks.count;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        s->slot_row[i] = -1;
        if (s->phase.mode[i] == PCS_MODE_OPEN)
            continue;
        const pcs_slot_pattern *pattern = &s->pattern[i];
        const int32_t size = s->phase.mode[i] == PCS_MODE_STICK ? pattern->size : 1;
        s->closed[s->n_closed++] = i;
        s->slot_row[i] = s->n_rows;
        s->n_rows += size;
        for (int k = 0; k < 2; ++k) { // the pattern; J comes with the evaluation
            pcs_row_block *row = &s->instant[k].rows[s->n_blocks];
            *row = (pcs_row_block){.size = size, .n_nodes = pattern->n_nodes};
            memcpy(row->node, pattern->node, sizeof row->node);
        }
        ++s->n_blocks;
    }
    find_closed_pairs(s);
    s->instant[0].known = s->instant[1].known = false;
    s->rank = PCS_RANK_DECIDE;
    if (s->saddle && !new_rows &&
        memcmp(s->saddle_mode, s->phase.mode, (size_t)model->n_slots) == 0)
        return PCS_OK;
    PCS_TRY(create_saddle(s));
    memcpy(s->saddle_mode, s->phase.mode, (size_t)model->n_slots);
    return PCS_OK;
}

void pcs_smooth_bind(pcs_smooth *s, const double *turns, const double *external)
{
    s->turns = turns ? turns : s->no_turns;
    s->origin = NULL;
    s->external = external;
    s->instant[0].known = s->instant[1].known = false;
}

void pcs_smooth_bind_origin(pcs_smooth *s, const double *q)
{
    s->origin = q;
}

void pcs_smooth_set_baumgarte(pcs_smooth *s, pcs_baumgarte baumgarte)
{
    s->baumgarte = baumgarte;
}

void pcs_smooth_renew_rank(pcs_smooth *s)
{
    if (s->rank == PCS_RANK_HOLD)
        s->rank = PCS_RANK_RENEW;
}

const pcs_model *pcs_smooth_model(const pcs_smooth *s)
{
    return s->model;
}

const pcs_phase *pcs_smooth_phase(const pcs_smooth *s)
{
    return &s->phase;
}

int32_t pcs_smooth_slot_size(const pcs_smooth *s, int32_t slot)
{
    return s->pattern[slot].size;
}

pcs_saddle *pcs_smooth_saddle(pcs_smooth *s)
{
    return s->saddle;
}

int32_t pcs_smooth_row_count(const pcs_smooth *s)
{
    return s->n_rows;
}

int32_t pcs_smooth_slot_row(const pcs_smooth *s, int32_t slot)
{
    return s->slot_row[slot];
}

const uint8_t *pcs_smooth_redundant(const pcs_smooth *s)
{
    return pcs_saddle_redundant_rows(s->saddle);
}

double pcs_smooth_pivot(const pcs_smooth *s)
{
    return s->pivot;
}

double pcs_smooth_least_pivot(const pcs_smooth *s)
{
    return s->least_pivot;
}

static int32_t count_redundant(const pcs_smooth *s, const pcs_saddle *saddle)
{
    const uint8_t *redundant = pcs_saddle_redundant_rows(saddle);
    int32_t count = 0;
    for (int32_t i = 0; i < s->n_rows; ++i)
        count += redundant[i];
    return count;
}

void pcs_smooth_see_pivot(pcs_smooth *s, const pcs_saddle *saddle)
{
    s->pivot = count_redundant(s, saddle) > s->dropped ? 0 : pcs_saddle_smallest_pivot(saddle);
    s->least_pivot = fmin(s->least_pivot, s->pivot);
}

void pcs_smooth_reset_pivot(pcs_smooth *s)
{
    s->least_pivot = 1;
}

int64_t pcs_smooth_evaluations(const pcs_smooth *s)
{
    return s->evaluations;
}

const pcs_row_block *pcs_smooth_rows(const pcs_smooth *s, int32_t *n_blocks)
{
    *n_blocks = s->n_blocks;
    return s->instant[s->last].rows;
}

const pcs_contact *pcs_smooth_contacts(const pcs_smooth *s)
{
    return s->instant[s->last].contacts;
}

// ---- Evaluation at an instant ----

void pcs_smooth_configure(const pcs_smooth *s, pcs_configuration *c, double t, const double *q,
                          const double *v)
{
    if (s->origin)
        pcs_configuration_follow(s->model, c, t, q, v, (pcs_turns){s->turns, s->origin, NULL},
                                 s->external);
    else
        pcs_configuration_update(s->model, c, t, q, v, s->turns, s->external);
}

void pcs_smooth_update(const pcs_smooth *s, pcs_smooth_instant *w, double t, const double *q,
                       const double *v)
{
    pcs_smooth_configure(s, &w->c, t, q, v);
}

bool pcs_smooth_is_at(const pcs_smooth *s, const pcs_smooth_instant *w, double t, const double *q)
{
    return w->known && w->t == t && memcmp(w->q, q, sizeof(double) * (size_t)s->model->n_q) == 0;
}

// Rows of closed contacts behind those of the joints: u = H v + surface = 0.
static void contact_rows(pcs_smooth *s, pcs_smooth_instant *w)
{
    pcs_row_block *block = w->rows + s->model->row_blocks.count;
    pcs_model_contacts_of(s->model, &w->c, true, s->n_closed_pairs, s->closed_pairs, w->contacts);
    pcs_model_contacts_convective_of(s->model, &w->c, s->n_closed_pairs, s->closed_pairs,
                                     w->contacts);
    for (int32_t k = 0; k < s->n_closed; ++k) {
        const pcs_contact *contact = &w->contacts[s->closed[k]];
        const int32_t first = s->slot_row[s->closed[k]], size = block[k].size;
        for (int32_t e = 0; e < block[k].n_nodes; ++e)
            block[k].J[e] = contact->row.J[e]; // the normal row comes first
        for (int32_t j = 0; j < size; ++j) {
            w->g[first + j] = j == 0 ? contact->gap - s->phase.gap[s->closed[k]] : 0;
            w->rate[first + j] = -contact->surface[j];
            w->convective[first + j] = contact->convective[j];
        }
    }
}

void pcs_smooth_evaluate_rows(pcs_smooth *s, pcs_smooth_instant *w, bool acceleration)
{
    const pcs_rows rows = {w->rows, w->g, w->rate, acceleration ? w->convective : NULL};
    pcs_model_rows(s->model, &w->c, &rows);
    if (s->n_closed > 0)
        contact_rows(s, w);
    w->t = w->c.t;
    memcpy(w->q, w->c.q, sizeof(double) * (size_t)s->model->n_q);
    w->known = true;
}

// Unit direction of sliding of a closed contact: that of the phase in the plane, where it must not
// change before the turn is located; that of u_T in space, mirrored in the normal of the phase's
// direction where u_T has turned back. So friction goes on as before a turn, which can be located,
// and keeps what is across small on both sides. Returns |u_T| in space.
static double sliding_direction(const pcs_smooth *s, int32_t slot, const pcs_contact *contact,
                                const double *v, double direction[2])
{
    const double *phase = s->phase.direction[slot];
    memcpy(direction, phase, sizeof s->phase.direction[slot]);
    if (contact->row.size < 3)
        return 0;
    double u[3];
    pcs_contact_velocity(s->model, contact, v, u);
    const double along = fabs(u[1] * phase[0] + u[2] * phase[1]) + DIRECTION_SPEED;
    const double across = u[2] * phase[0] - u[1] * phase[1], speed = hypot(along, across);
    direction[0] = (along * phase[0] - across * phase[1]) / speed;
    direction[1] = (along * phase[1] + across * phase[0]) / speed;
    return speed;
}

// B at w: the rows of G, but n - mu sum_j d_j t_j for contacts that slide with friction. Returns
// the array, which is that of G when there are none.
static const pcs_row_block *left_rows(pcs_smooth *s, pcs_smooth_instant *w)
{
    const pcs_model *model = s->model;
    const int32_t joints = model->row_blocks.count;
    bool sliding = false;
    for (int32_t k = 0; k < s->n_closed; ++k) {
        const int32_t slot = s->closed[k];
        const pcs_contact *contact = &w->contacts[slot];
        pcs_row_block *left = &w->left[joints + k];
        *left = w->rows[joints + k];
        if (s->phase.mode[slot] != PCS_MODE_SLIDE || contact->row.size < 2 ||
            !(contact->law.friction > 0))
            continue;
        double direction[2], *B = w->left_values + s->pattern[slot].left_start;
        sliding_direction(s, slot, contact, w->c.v, direction);
        for (int32_t e = 0; e < left->n_nodes; ++e) {
            const int32_t n = pcs_model_node(model, left->node[e])->n_v;
            const double *J = contact->row.J[e];
            for (int32_t i = 0; i < n; ++i) {
                B[i] = J[i];
                for (int32_t j = 1; j < contact->row.size; ++j)
                    B[i] -= contact->law.friction * direction[j - 1] * J[j * n + i];
            }
            left->J[e] = B;
            B += n;
        }
        sliding = true;
    }
    return sliding ? w->left : w->rows;
}

double pcs_smooth_turn_rate(const pcs_smooth *s, int32_t slot, double direction[2])
{
    const pcs_smooth_instant *w = &s->instant[s->last];
    const pcs_contact *contact = &w->contacts[slot];
    if (s->phase.mode[slot] != PCS_MODE_SLIDE || contact->row.size < 3)
        return 0;
    return contact->law.friction / sliding_direction(s, slot, contact, w->c.v, direction);
}

void pcs_smooth_multiply_rows(const pcs_smooth *s, const pcs_smooth_instant *w, const double *v,
                              double *out)
{
    memset(out, 0, sizeof(double) * (size_t)s->n_rows);
    for (int32_t k = 0; k < s->n_blocks; ++k) {
        const pcs_row_block *block = &w->rows[k];
        for (int32_t e = 0; e < block->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(s->model, block->node[e]);
            pcs_kernel_vector(1.0, block->size, node->n_v, block->J[e], v + node->v, out);
        }
        out += block->size;
    }
}

// ---- Errors ----

// The first component that is not finite, or -1.
static int32_t find_not_finite(int32_t n, const double *x)
{
    for (int32_t i = 0; i < n; ++i)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

static const char *row_name(const pcs_smooth *s, int32_t row)
{
    if (row < s->model->n_rows)
        return s->model->row_names.data[row];
    for (int32_t k = s->n_closed - 1; k >= 0; --k)
        if (s->slot_row[s->closed[k]] <= row)
            return s->model->slot_names.data[s->closed[k]];
    return "?";
}

// Names what made a solve at w not finite.
static pcs_status not_finite(pcs_smooth *s, pcs_smooth_instant *w, const double *a)
{
    const pcs_model *model = s->model;
    char name[PCS_NODE_NAME_SIZE];
    int32_t at = find_not_finite(model->n_v, w->c.v);
    if (at >= 0)
        return pcs_error(s->ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the velocity of %s is not a number; take a smaller step or "
                         "tolerance",
                         w->c.t, pcs_model_velocity_name(model, at, name));
    pcs_model_forces(model, &w->c, s->x, NULL);
    at = find_not_finite(model->n_v, s->x);
    if (at >= 0)
        return pcs_error(s->ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the force on %s is not a number; check its forces, springs and "
                         "actuators",
                         w->c.t, pcs_model_velocity_name(model, at, name));
    for (int32_t i = 0; i < s->n_rows; ++i)
        if (!isfinite(w->g[i]) || !isfinite(w->rate[i]) || !isfinite(w->convective[i]))
            return pcs_error(s->ctx, PCS_ERROR_NUMERIC,
                             "t = %g: %s is not a number; check its motion", w->c.t,
                             row_name(s, i));
    at = find_not_finite(model->n_v, a);
    return pcs_error(s->ctx, PCS_ERROR_NUMERIC,
                     "t = %g: the acceleration of %s is not a number; check masses and joints",
                     w->c.t, pcs_model_velocity_name(model, at < 0 ? 0 : at, name));
}

pcs_status pcs_smooth_factor(pcs_smooth *s, pcs_smooth_instant *w)
{
    const pcs_status status = pcs_saddle_factor(s->saddle);
    char name[PCS_NODE_NAME_SIZE];
    if (status == PCS_ERROR_SINGULAR)
        return pcs_error(
            s->ctx, status, "t = %g: the mass matrix of %s is singular; give it mass and inertia",
            w->c.t, pcs_model_node_name(s->model, pcs_saddle_singular_node(s->saddle), name));
    if (status == PCS_ERROR_NUMERIC)
        return not_finite(s, w, w->c.v);
    if (s->rank == PCS_RANK_DECIDE) {
        const int32_t count = count_redundant(s, s->saddle);
        s->dropped = count < s->dropped ? count : s->dropped;
    }
    pcs_smooth_see_pivot(s, s->saddle);
    return status;
}

// ---- Powers ----

// Powers of contact forces along v: the normal part, the friction against the relative velocity,
// and what a moving surface puts in.
static void contact_power(pcs_smooth *s, const pcs_smooth_instant *w, const double *v,
                          const double *lambda, double *power)
{
    for (int32_t k = 0; k < s->n_closed; ++k) {
        const int32_t slot = s->closed[k];
        const pcs_contact *contact = &w->contacts[slot];
        const double *force = lambda + s->slot_row[slot];
        double u[3], r[3] = {force[0], 0, 0};
        if (s->phase.mode[slot] == PCS_MODE_STICK) {
            for (int32_t j = 1; j < contact->row.size; ++j)
                r[j] = force[j];
        } else if (contact->row.size > 1) {
            double direction[2];
            sliding_direction(s, slot, contact, v, direction);
            for (int32_t j = 1; j < contact->row.size; ++j)
                r[j] = -contact->law.friction * direction[j - 1] * force[0];
        }
        pcs_contact_velocity(s->model, contact, v, u);
        for (int32_t j = 0; j < contact->row.size; ++j) {
            power[j == 0 ? PCS_WORK_IMPACT : PCS_WORK_FRICTION] += r[j] * u[j];
            power[PCS_WORK_DRIVER] -= r[j] * contact->surface[j];
        }
    }
}

// Prescribed motions put in lambda.rate, because G v = rate.
static void all_powers(pcs_smooth *s, const pcs_smooth_instant *w, const pcs_power *forces,
                       const double *lambda, double *power)
{
    memset(power, 0, sizeof(double) * PCS_WORK_COUNT);
    power[PCS_WORK_APPLIED] = forces->applied;
    power[PCS_WORK_ACTUATOR] = forces->actuator;
    power[PCS_WORK_DAMPING] = forces->damping;
    for (int32_t i = 0; i < s->model->n_rows; ++i)
        power[PCS_WORK_DRIVER] += lambda[i] * w->rate[i];
    if (s->n_closed > 0)
        contact_power(s, w, w->c.v, lambda, power);
}

// ---- Solves ----

// Solves for a (which holds f) and lambda (which holds the right-hand side of the rows).
static pcs_status solve(pcs_smooth *s, pcs_smooth_instant *w, const pcs_row_block *rows,
                        const pcs_row_block *left, double *a, double *lambda)
{
    pcs_model_matrix(s->model, &w->c, 0, 0, s->saddle);
    pcs_saddle_set_rows(s->saddle, rows, left);
    PCS_TRY(pcs_smooth_factor(s, w));
    pcs_saddle_solve(s->saddle, a, lambda);
    double sum = 0; // stays zero unless a number is not finite
    for (int32_t i = 0; i < s->model->n_v; ++i)
        sum += 0 * a[i];
    return sum == 0 ? PCS_OK : not_finite(s, w, a);
}

pcs_status pcs_smooth_accelerations(pcs_smooth *s, double t, const double *q, const double *v,
                                    double *a, double *lambda, double *power)
{
    pcs_smooth_instant *w = &s->instant[s->last = 0];
    pcs_power forces = {.v = v};
    ++s->evaluations;
    pcs_smooth_update(s, w, t, q, v);
    pcs_smooth_evaluate_rows(s, w, true);
    pcs_model_forces(s->model, &w->c, a, power ? &forces : NULL);
    const double alpha = 2 * s->baumgarte.alpha, beta = s->baumgarte.beta * s->baumgarte.beta;
    if (alpha != 0)
        pcs_smooth_multiply_rows(s, w, v, s->p);
    for (int32_t i = 0; i < s->n_rows; ++i) {
        lambda[i] = -w->convective[i] - beta * w->g[i];
        if (alpha != 0)
            lambda[i] -= alpha * (s->p[i] - w->rate[i]);
        if (s->compensated)
            lambda[i] -= s->velocity_term[i];
    }
    pcs_saddle_set_rank(s->saddle, s->rank);
    PCS_TRY(solve(s, w, w->rows, left_rows(s, w), a, lambda));
    s->rank = PCS_RANK_HOLD;
    if (power)
        all_powers(s, w, &forces, lambda, power);
    return PCS_OK;
}

pcs_status pcs_smooth_half_explicit(pcs_smooth *s, const pcs_half_explicit_stage *stage, double *a,
                                    double *lambda, double *power)
{
    pcs_smooth_instant *w = &s->instant[0], *end = &s->instant[1];
    if (pcs_smooth_is_at(s, end, stage->t, stage->Q)) { // the last stage ended here
        w = &s->instant[1];
        end = &s->instant[0];
    }
    pcs_power forces = {.v = stage->V};
    ++s->evaluations;
    pcs_smooth_update(s, w, stage->t, stage->Q, stage->V);
    if (!pcs_smooth_is_at(s, w, stage->t, stage->Q))
        pcs_smooth_evaluate_rows(s, w, false);
    pcs_model_forces(s->model, &w->c, a, power ? &forces : NULL);
    if (!pcs_smooth_is_at(s, end, stage->t_c, stage->Q_c)) {
        pcs_smooth_update(s, end, stage->t_c, stage->Q_c, stage->w);
        pcs_smooth_evaluate_rows(s, end, false);
    }
    pcs_smooth_multiply_rows(s, end, stage->w, lambda);
    for (int32_t i = 0; i < s->n_rows; ++i)
        lambda[i] = (end->rate[i] - lambda[i]) / stage->s;
    pcs_saddle_set_rank(s->saddle, PCS_RANK_HOLD);
    PCS_TRY(solve(s, w, end->rows, left_rows(s, w), a, lambda));
    if (power)
        all_powers(s, w, &forces, lambda, power);
    return PCS_OK;
}

// ---- Terms for implicit methods ----

pcs_smooth_terms pcs_smooth_evaluate(pcs_smooth *s, double t, const double *q, const double *v)
{
    pcs_smooth_instant *w = &s->instant[s->last = 0];
    pcs_smooth_terms terms = {.c = &w->c,
                              .n_blocks = s->n_blocks,
                              .G = w->rows,
                              .f = s->x,
                              .g = w->g,
                              .rate = w->rate,
                              .power = {.v = v}};
    ++s->evaluations;
    pcs_smooth_update(s, w, t, q, v);
    pcs_smooth_evaluate_rows(s, w, false);
    pcs_model_forces(s->model, &w->c, s->x, &terms.power);
    terms.B = left_rows(s, w);
    return terms;
}

void pcs_smooth_power(pcs_smooth *s, const pcs_smooth_terms *terms, const double *lambda,
                      double *power)
{
    all_powers(s, &s->instant[0], &terms->power, lambda, power);
}

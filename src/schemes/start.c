// Projection of the initial state on the joints (Lubich's projection, [Haddouni2015, 3.6]):
//   position:  [M -G^T; G 0][dq; l] = [0; -g(q)],  q <- q [+] s dq,  repeated with fresh M and G
//   velocity:  [M -G^T; G 0][dv; l] = [0; rate - G v]
// The step length s is halved while it does not bring |g| down.
#include "schemes/start.h"

#include <string.h>

typedef struct projection {
    pcs_context *ctx;
    const pcs_model *model;
    pcs_configuration c;
    pcs_saddle *saddle;
    pcs_rows rows;
    double *q0, *q_try, *d, *g, *rate, *p, *zero_v;
    const double *external; // as in the state
} projection;

static void projection_free(projection *w)
{
    pcs_configuration_free(w->ctx, &w->c);
    double *arrays[] = {w->q0, w->q_try, w->d, w->g, w->rate, w->p, w->zero_v};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(w->ctx, arrays[i]);
}

static pcs_status projection_init(projection *w)
{
    const pcs_model *m = w->model;
    PCS_TRY(pcs_configuration_init(w->ctx, m, &w->c));
    w->q0 = PCS_NEW_ARRAY(w->ctx, double, m->n_q);
    w->q_try = PCS_NEW_ARRAY(w->ctx, double, m->n_q);
    w->d = PCS_NEW_ARRAY(w->ctx, double, m->n_v);
    w->zero_v = PCS_NEW_ARRAY(w->ctx, double, m->n_v);
    w->g = PCS_NEW_ARRAY(w->ctx, double, m->n_rows);
    w->rate = PCS_NEW_ARRAY(w->ctx, double, m->n_rows);
    w->p = PCS_NEW_ARRAY(w->ctx, double, m->n_rows);
    bool good = w->q0 && w->q_try && w->d && w->zero_v && w->g && w->rate && w->p;
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

static double largest(const double *x, int32_t n, int32_t *where)
{
    double most = 0;
    *where = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (!(fabs(x[i]) <= most)) {
            most = fabs(x[i]);
            *where = i;
        }
        if (isnan(most)) // counts as largest
            break;
    }
    return most;
}

// A length that stands for the model: arms of the joints and distances between bodies.
static double model_size(const pcs_model *model)
{
    double size = 0;
    pcs_vec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (int32_t i = 0; i < model->bodies.count; ++i) {
        pcs_vec3 x = model->bodies.data[i].position;
        low = i == 0 ? x : pcs_v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = i == 0 ? x : pcs_v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    bool first = model->bodies.count == 0;
    for (int32_t k = 0; k < model->meshes.count; ++k) {
        const pcs_mesh *mesh = &model->meshes.data[k];
        for (int32_t i = 0; i < mesh->n_nodes; ++i, first = false) {
            pcs_vec3 x = mesh->X[i];
            low = first ? x : pcs_v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
            high = first ? x : pcs_v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
        }
    }
    size = pcs_v3_norm(pcs_v3_sub(high, low));
    for (int32_t i = 0; i < model->joints.count; ++i) {
        const pcs_pair *pair = &model->joints.data[i].pair;
        if (pair->a.node >= 0)
            size = fmax(size, pcs_v3_norm(pair->a.p));
        if (pair->b.node >= 0)
            size = fmax(size, pcs_v3_norm(pair->b.p));
    }
    return size > 0 ? size : 1;
}

// Rows g at q; the blocks too unless `values_only`.
static double evaluate(projection *w, const double *q, const double *turns, double t,
                       bool values_only, int32_t *worst)
{
    pcs_configuration_update(w->model, &w->c, t, q, w->zero_v, turns, w->external);
    pcs_rows rows = {values_only ? NULL : w->rows.blocks, w->g, NULL, NULL};
    pcs_model_rows(w->model, &w->c, &rows);
    return largest(w->g, w->model->n_rows, worst);
}

// Refuses a prescribed motion without a value (level "position") or with an infinite rate.
static pcs_status check_finite(projection *w, const double *x, const char *level)
{
    for (int32_t i = 0; i < w->model->n_rows; ++i)
        if (!isfinite(x[i]))
            return pcs_error(w->ctx, PCS_ERROR_MODEL,
                             "%s: the %s at the start (t = %g) is not finite",
                             w->model->row_names.data[i], level, w->c.t);
    return PCS_OK;
}

static pcs_status factor(projection *w)
{
    pcs_model_matrix(w->model, &w->c, 0, 0, w->saddle);
    pcs_status status = pcs_saddle_factor(w->saddle);
    char name[PCS_NODE_NAME_SIZE];
    if (status == PCS_ERROR_SINGULAR)
        return pcs_error(w->ctx, status, "the mass matrix of %s is singular",
                         pcs_model_node_name(w->model, pcs_saddle_singular_node(w->saddle), name));
    return status;
}

// How statistics count the owner of a node.
pcs_body_id pcs_start_owner(const pcs_model *model, int32_t node)
{
    const int32_t systems = model->systems.count;
    const int32_t mesh = pcs_model_mesh_of_node(model, node);
    if (node < model->bodies.count)
        return node;
    return mesh >= 0 ? -2 - systems - mesh : -2 - (systems - (model->nodes.count - node));
}

static pcs_status project_position(projection *w, const pcs_start_opts *opts, pcs_state *state,
                                   pcs_statistics *statistics)
{
    enum { ITERATIONS_MAX = 60, HALVINGS_MAX = 12 };
    const pcs_model *model = w->model;
    int32_t first_worst, worst;
    double error = evaluate(w, state->q, state->turns, *state->t, false, &first_worst);
    PCS_TRY(check_finite(w, w->g, "position"));
    double first_error = error;
    bool moved = false;
    for (int i = 0; i < ITERATIONS_MAX && error > opts->tolerance; ++i) {
        PCS_TRY(factor(w));
        memset(w->d, 0, sizeof(double) * (size_t)model->n_v);
        for (int32_t k = 0; k < model->n_rows; ++k)
            w->p[k] = -w->g[k];
        pcs_saddle_solve(w->saddle, w->d, w->p);
        double now = error;
        for (int k = 0; k < HALVINGS_MAX; ++k) {
            pcs_model_retract(model, state->q, w->d, w->q_try);
            now = evaluate(w, w->q_try, state->turns, *state->t, true, &worst);
            if (now < error)
                break;
            for (int32_t j = 0; j < model->n_v; ++j)
                w->d[j] *= 0.5;
        }
        if (!(now < error))
            break; // no further progress
        memcpy(state->q, w->q_try, sizeof(double) * (size_t)model->n_q);
        moved = true;
        error = evaluate(w, state->q, state->turns, *state->t, false, &worst);
        pcs_model_update_turns(model, &w->c, state->turns);
    }
    // Rounding limits what can be reached in a large model.
    double reachable = fmax(opts->tolerance, 1e-12 * fmax(1, model_size(model)));
    if (!(error <= reachable)) {
        evaluate(w, state->q, state->turns, *state->t, true, &worst);
        return pcs_error(w->ctx, PCS_ERROR_MODEL,
                         "%s cannot be closed: %.3g is left after projection (%.3g at the start); "
                         "check the positions of its bodies and contradicting joints",
                         model->row_names.data[worst], error, first_error);
    }
    // What moved, and how far.
    pcs_model_difference(model, state->q, w->q0, w->d);
    double size = model_size(model), relative = 0;
    int32_t moved_most = -1;
    statistics->assembly_body = PCS_GROUND;
    statistics->assembly_moved = 0;
    for (int32_t b = 0; b < model->nodes.count && moved; ++b) {
        const pcs_node *node = pcs_model_node(model, b);
        int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v; ++j) {
            double move = fabs(w->d[node->v + j]);
            relative = fmax(relative, j < flat ? move / size : move);
            if (move > statistics->assembly_moved) {
                statistics->assembly_moved = move;
                statistics->assembly_body = pcs_start_owner(model, b);
                moved_most = b;
            }
        }
    }
    char name[PCS_NODE_NAME_SIZE];
    if (relative > opts->limit)
        return pcs_error(w->ctx, PCS_ERROR_MODEL,
                         "%s is open by %.3g at the start and closing it moves %s by %.3g; correct "
                         "the initial positions, or raise assembly_limit",
                         model->row_names.data[first_worst], first_error,
                         pcs_model_node_name(model, moved_most, name), statistics->assembly_moved);
    return PCS_OK;
}

// Three products of axes hold two frames parallel, but vanish for some turned frames too (half
// turns about the axes, third turns about the diagonal); a joint must not begin there.
static pcs_status check_parallel_joints(projection *w, const pcs_state *state)
{
    const pcs_model *model = w->model;
    pcs_configuration_update(model, &w->c, *state->t, state->q, w->zero_v, state->turns,
                             w->external);
    for (int32_t k = 0; k < model->joints.count && model->dimension == 3; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        if (joint->hold || (joint->kind != PCS_JOINT_FIXED && joint->kind != PCS_JOINT_PRISMATIC))
            continue;
        pcs_pair_state pair = pcs_configuration_pair(model, &w->c, &joint->pair);
        pcs_mat3 R = pcs_m3_tmul(&pair.R_a, &pair.R_b);
        int32_t row = joint->first_row + (joint->kind == PCS_JOINT_FIXED ? 3 : 2);
        double cosine = 0.5 * (R.m[0][0] + R.m[1][1] + R.m[2][2] - 1);
        if (cosine < 0.5) // parallel: 1; the nearest other solution: -0.5
            return pcs_error(w->ctx, PCS_ERROR_MODEL,
                             "%s cannot be closed: its two frames are turned by %.3g rad against "
                             "each other; give them parallel axes",
                             model->row_names.data[row], acos(fmax(cosine, -1)));
    }
    return PCS_OK;
}

static pcs_status project_velocity(projection *w, pcs_state *state, pcs_statistics *statistics)
{
    const pcs_model *model = w->model;
    pcs_configuration_update(model, &w->c, *state->t, state->q, state->v, state->turns,
                             w->external);
    pcs_rows rows = {w->rows.blocks, w->g, w->rate, NULL};
    pcs_model_rows(model, &w->c, &rows);
    PCS_TRY(check_finite(w, w->rate, "prescribed velocity"));
    PCS_TRY(factor(w));
    double scale = 0;
    for (int32_t i = 0; i < model->n_v; ++i)
        scale = fmax(scale, fabs(state->v[i]));
    memset(w->d, 0, sizeof(double) * (size_t)model->n_v);
    for (int pass = 0; pass < 2; ++pass) { // the second pass removes the rounding of the first
        pcs_model_rows_multiply(model, w->rows.blocks, state->v, w->p);
        for (int32_t i = 0; i < model->n_rows; ++i)
            w->p[i] = w->rate[i] - w->p[i];
        memset(w->zero_v, 0, sizeof(double) * (size_t)model->n_v);
        pcs_saddle_solve(w->saddle, w->zero_v, w->p);
        for (int32_t i = 0; i < model->n_v; ++i) {
            state->v[i] += w->zero_v[i];
            w->d[i] += w->zero_v[i];
        }
    }
    memset(w->zero_v, 0, sizeof(double) * (size_t)model->n_v);
    statistics->assembly_velocity_body = PCS_GROUND;
    statistics->assembly_velocity = 0;
    for (int32_t b = 0; b < model->nodes.count; ++b) {
        const pcs_node *node = pcs_model_node(model, b);
        for (int32_t j = 0; j < node->n_v; ++j) {
            scale = fmax(scale, fabs(state->v[node->v + j]));
            if (fabs(w->d[node->v + j]) > statistics->assembly_velocity) {
                statistics->assembly_velocity = fabs(w->d[node->v + j]);
                statistics->assembly_velocity_body = pcs_start_owner(model, b);
            }
        }
    }
    const double noise = 1e-12; // relative; a change below it is rounding, not a change
    if (statistics->assembly_velocity <= noise * scale) {
        statistics->assembly_velocity = 0;
        statistics->assembly_velocity_body = PCS_GROUND;
    }
    int32_t worst;
    pcs_model_rows_multiply(model, w->rows.blocks, state->v, w->p);
    for (int32_t i = 0; i < model->n_rows; ++i)
        w->p[i] -= w->rate[i];
    double error = largest(w->p, model->n_rows, &worst);
    const double rounding = 1e-9; // relative; redundant rows must agree to this
    if (model->n_rows > 0 && !(error <= rounding * fmax(scale, 1e-3)))
        return pcs_error(w->ctx, PCS_ERROR_MODEL,
                         "%s contradicts the other joints: a velocity of %.3g cannot be removed",
                         model->row_names.data[worst], error);
    return PCS_OK;
}

pcs_status pcs_start_state(pcs_context *ctx, const pcs_model *model, const pcs_start_opts *opts,
                           double t, pcs_saddle *saddle, pcs_row_block *blocks, pcs_state *state,
                           pcs_statistics *statistics)
{
    projection w = {.ctx = ctx,
                    .model = model,
                    .saddle = saddle,
                    .rows = {.blocks = blocks},
                    .external = state->external};
    *state->t = t;
    if (!state->given)
        pcs_model_initial_state(model, state->q, state->v);
    pcs_status status = projection_init(&w);
    if (status == PCS_OK) {
        memcpy(w.q0, state->q, sizeof(double) * (size_t)model->n_q);
        pcs_configuration_update(model, &w.c, t, state->q, state->v, state->turns, w.external);
        if (!state->given)
            pcs_model_initial_turns(model, &w.c, state->turns);
        status = project_position(&w, opts, state, statistics);
    }
    if (status == PCS_OK)
        status = check_parallel_joints(&w, state);
    if (status == PCS_OK)
        status = project_velocity(&w, state, statistics);
    projection_free(&w);
    return status;
}

void pcs_start_measure(const pcs_model *model, const pcs_saddle *saddle, pcs_configuration *c,
                       pcs_contact *contacts, pcs_state *state, pcs_statistics *statistics)
{
    const uint8_t *redundant = pcs_saddle_redundant_rows(saddle);
    for (int32_t i = 0; i < model->n_rows; ++i)
        statistics->redundant_rows += redundant[i];
    pcs_configuration_update(model, c, *state->t, state->q, state->v, state->turns,
                             state->external);
    pcs_model_contacts(model, c, false, contacts);
    for (int32_t i = 0; i < model->n_slots; ++i) {
        state->gap[i] = contacts[i].gap;
        if (-state->gap[i] > statistics->initial_penetration) {
            statistics->initial_penetration = -state->gap[i];
            statistics->initial_contact = i;
        }
    }
    state->work[PCS_WORK_START_ENERGY] = pcs_model_kinetic(model, c) +
                                         pcs_model_potential(model, c);
}

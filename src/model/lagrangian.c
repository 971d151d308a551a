// Lagrangian systems as an element class: what the program or the user's functions have left in the
// work array goes to the equations. Rows and forces that read inputs z of other nodes have, by the
// chain rule, Jacobians G_z dz/dq over those nodes; dz/dq, (d/dt dz/dq) v and the curvature of z
// are those of the inputs (model/input.h).
#include "model/lagrangian.h"

#include <string.h>

#include "model/element.h"
#include "model/input.h"

static uint32_t bit(pcs_system_stage stage)
{
    return UINT32_C(1) << stage;
}

// ---- Evaluation ----

void pcs_systems_start(const pcs_model *model, pcs_configuration *c)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        const pcs_node *node = pcs_model_node(model, s->node);
        double *w = c->systems + s->work;
        w[s->at_t] = c->t;
        memcpy(w + s->at_q, c->q + node->q, sizeof(double) * (size_t)s->n);
        memcpy(w + s->at_v, c->v + node->v, sizeof(double) * (size_t)s->n);
        for (int32_t i = 0; i < s->n_inputs; ++i)
            w[s->at_z + 2 * i] = c->inputs[s->input[i] + 1];
        c->evaluated[k] = 0;
    }
}

static void start_input_rates(const pcs_model *model, const pcs_configuration *c,
                              const pcs_system *s, double *w)
{
    for (int32_t k = 0; k < s->n_inputs; ++k) {
        const pcs_input *input = &model->inputs.data[s->input[k]];
        double convective;
        if (pcs_input_is_position(input))
            pcs_input_motion(model, c, input, &w[s->at_z + 2 * k + 1], &convective);
    }
}

// Row i of d(G v)/dq is v^T d(G^T e_i)/dq.
static void call_rate_tangent(const pcs_system *s, double *w)
{
    const pcs_system_functions *F = &s->functions;
    const pcs_system_slots *x = &s->slots;
    const int32_t n = s->n, m = s->n_constraints;
    memset(w + x->r_q[0], 0, sizeof(double) * (size_t)(m * n));
    for (int32_t i = 0; i < m && F->constraint_tangent; ++i) {
        memset(w + s->at_l, 0, sizeof(double) * (size_t)m);
        memset(w + x->Gl_q[0], 0, sizeof(double) * (size_t)(n * n));
        w[s->at_l + i] = 1;
        F->constraint_tangent(F->user, w[s->at_t], w + s->at_q, w + s->at_l, w + x->Gl_q[0]);
        for (int32_t k = 0; k < n; ++k)
            for (int32_t j = 0; j < n; ++j)
                w[x->r_q[i * n + j]] += w[s->at_v + k] * w[x->Gl_q[k * n + j]];
    }
}

// One stage by the user's functions. Results of a stage stand together, one behind the other.
static void call(const pcs_system *s, pcs_system_stage stage, double *w)
{
    const pcs_system_functions *F = &s->functions;
    const pcs_system_slots *x = &s->slots;
    const double t = w[s->at_t], *q = w + s->at_q, *v = w + s->at_v;
    const size_t n = (size_t)s->n, m = (size_t)s->n_constraints, r = (size_t)s->n_gap_rows;
    switch (stage) {
    case PCS_STAGE_MASS:
        memset(w + x->M[0], 0, sizeof(double) * n * n);
        F->mass(F->user, t, q, w + x->M[0]);
        break;
    case PCS_STAGE_FORCE:
        memset(w + x->f[0], 0, sizeof(double) * n);
        F->force(F->user, t, q, v, w + x->f[0]);
        break;
    case PCS_STAGE_POTENTIAL:
        w[x->potential[0]] = F->potential ? F->potential(F->user, t, q, w + s->work_size) : 0;
        break;
    case PCS_STAGE_ROWS:
        if (m > 0) {
            memset(w + x->g[0], 0, sizeof(double) * (m + m * n));
            memset(w + x->g_t[0], 0, sizeof(double) * m);
            F->constraints(F->user, t, q, w + x->g[0], w + x->G[0], w + x->g_t[0]);
        }
        break;
    case PCS_STAGE_PRESCRIBED: // at rest the curvature is d2g/dt2
        if (m > 0) {
            memset(w + s->at_a, 0, sizeof(double) * n);
            memset(w + x->g_tt[0], 0, sizeof(double) * m);
            F->constraint_curvature(F->user, t, q, w + s->at_a, w + x->g_tt[0]);
        }
        break;
    case PCS_STAGE_CONVECTIVE:
        if (m > 0) {
            memset(w + x->convective[0], 0, sizeof(double) * m);
            F->constraint_curvature(F->user, t, q, v, w + x->convective[0]);
        }
        break;
    case PCS_STAGE_GAP_ROWS:
        if (r > 0) {
            memset(w + x->gap[0], 0, sizeof(double) * (r + r * n + r));
            F->gaps(F->user, t, q, w + x->gap[0], w + x->H[0], w + x->gap_t[0]);
        }
        break;
    case PCS_STAGE_GAP_CONVECTIVE:
        if (r > 0) {
            memset(w + x->gap_convective[0], 0, sizeof(double) * r);
            F->gap_curvature(F->user, t, q, v, w + x->gap_convective[0]);
        }
        break;
    case PCS_STAGE_TANGENT:
        memset(w + x->f_q[0], 0, sizeof(double) * 2 * n * n);
        if (F->force_tangent)
            F->force_tangent(F->user, t, q, v, w + x->f_q[0], w + x->f_v[0]);
        break;
    case PCS_STAGE_MASS_TANGENT:
        memset(w + x->Ma_q[0], 0, sizeof(double) * n * n);
        if (F->mass_tangent)
            F->mass_tangent(F->user, t, q, w + s->at_a, w + x->Ma_q[0]);
        break;
    case PCS_STAGE_RATE_TANGENT: // d(G v)/dq = (d(G^T lambda)/dq)^T v for each row in turn
        if (m > 0)
            call_rate_tangent(s, w);
        break;
    case PCS_STAGE_ROW_TANGENT:
        memset(w + x->Gl_q[0], 0, sizeof(double) * n * n);
        if (F->constraint_tangent && m > 0)
            F->constraint_tangent(F->user, t, q, w + s->at_l, w + x->Gl_q[0]);
        break;
    default: // the powers come from f and M, the gaps with their rows
        break;
    }
}

// Powers: f without the part of the potential counts as applied, as the functions do not say more;
// and (d/dt M) v.v/2 belongs to the kinetic energy.
static void account(const pcs_system *s, double *w)
{
    const pcs_system_functions *F = &s->functions;
    const pcs_system_slots *x = &s->slots;
    double *V_q = w + s->work_size, moving = 0;
    memset(V_q, 0, sizeof(double) * (size_t)s->n);
    if (F->potential)
        F->potential(F->user, w[s->at_t], w + s->at_q, V_q);
    memcpy(w + s->at_a, w + s->at_v, sizeof(double) * (size_t)s->n);
    call(s, PCS_STAGE_MASS_TANGENT, w);
    for (int32_t i = 0; i < s->n; ++i) {
        w[x->applied[i]] = w[x->f[i]] + V_q[i];
        w[x->damping[i]] = 0;
        for (int32_t j = 0; j < s->n; ++j)
            moving += 0.5 * w[s->at_v + i] * w[x->Ma_q[i * s->n + j]] * w[s->at_v + j];
    }
    w[x->moving[0]] = moving;
}

static void call_all(const pcs_system *s, uint32_t wanted, uint32_t done, double *w)
{
    if (wanted & bit(PCS_STAGE_POWER))
        wanted |= bit(PCS_STAGE_FORCE);
    if (wanted & bit(PCS_STAGE_GAPS))
        wanted |= bit(PCS_STAGE_GAP_ROWS);
    if (wanted & bit(PCS_STAGE_PRESCRIBED))
        wanted |= bit(PCS_STAGE_ROWS);
    for (int stage = 0; stage < PCS_STAGE_COUNT; ++stage)
        if ((wanted & ~done) >> stage & 1)
            call(s, (pcs_system_stage)stage, w);
    if (wanted & ~done & bit(PCS_STAGE_POWER))
        account(s, w);
}

static void run(const pcs_system *s, uint32_t wanted, uint32_t done, double *w)
{
    if (s->has_functions)
        call_all(s, wanted, done, w);
    else
        pcs_program_run(s->program, wanted, done, w);
}

double *pcs_system_evaluate(const pcs_model *model, const pcs_configuration *c, int32_t k,
                            uint32_t stages)
{
    const pcs_system *s = &model->systems.data[k];
    double *w = c->systems + s->work;
    uint32_t *done = &c->evaluated[k];
    if (stages & ~*done) {
        const uint32_t with_rates = bit(PCS_STAGE_CONVECTIVE) | bit(PCS_STAGE_GAP_CONVECTIVE) |
                                    bit(PCS_STAGE_RATE_TANGENT);
        if (stages & with_rates)
            start_input_rates(model, c, s, w);
        run(s, stages, *done, w);
        *done |= stages;
    }
    return w;
}

// ---- Mass, forces, energies ----

static void mass_multiply(const pcs_model *model, const pcs_configuration *c, const double *x,
                          double *y)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        const double *w = pcs_system_evaluate(model, c, k, bit(PCS_STAGE_MASS));
        const int32_t *M = s->slots.M, first = pcs_model_node(model, s->node)->v;
        for (int32_t i = 0; i < s->n; ++i) {
            double sum = 0;
            for (int32_t j = 0; j < s->n; ++j)
                sum += w[M[i * s->n + j]] * x[first + j];
            y[first + i] += sum;
        }
    }
}

static void add_matrix(const pcs_system *s, const double *w, const int32_t *slots, double scale,
                       double *A)
{
    if (scale == 0)
        return;
    for (int32_t i = 0; i < s->n * s->n; ++i)
        A[i] += scale * w[slots[i]];
}

static void mass(const pcs_model *model, const pcs_configuration *c, pcs_saddle *saddle)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        const double *w = pcs_system_evaluate(model, c, k, bit(PCS_STAGE_MASS));
        add_matrix(s, w, s->slots.M, 1, pcs_saddle_diagonal(saddle, s->node));
    }
}

static double kinetic_of(const pcs_system *s, const double *w)
{
    double sum = 0;
    for (int32_t i = 0; i < s->n; ++i)
        for (int32_t j = 0; j < s->n; ++j)
            sum += w[s->at_v + i] * w[s->slots.M[i * s->n + j]] * w[s->at_v + j];
    return 0.5 * sum;
}

static double kinetic(const pcs_model *model, const pcs_configuration *c)
{
    double sum = 0;
    for (int32_t k = 0; k < model->systems.count; ++k)
        sum += kinetic_of(&model->systems.data[k],
                          pcs_system_evaluate(model, c, k, bit(PCS_STAGE_MASS)));
    return sum;
}

static double potential(const pcs_model *model, const pcs_configuration *c)
{
    double sum = 0;
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const double *w = pcs_system_evaluate(model, c, k, bit(PCS_STAGE_POTENTIAL));
        sum += w[model->systems.data[k].slots.potential[0]];
    }
    return sum;
}

static void force(const pcs_model *model, const pcs_configuration *c, double *f, pcs_power *power)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        const uint32_t stages = bit(PCS_STAGE_FORCE) | (power ? bit(PCS_STAGE_POWER) : 0);
        const double *w = pcs_system_evaluate(model, c, k, stages);
        const int32_t first = pcs_model_node(model, s->node)->v;
        for (int32_t i = 0; i < s->n; ++i)
            f[first + i] += w[s->slots.f[i]];
        if (!power)
            continue;
        for (int32_t i = 0; i < s->n; ++i) {
            power->applied += power->v[first + i] * w[s->slots.applied[i]];
            power->damping += power->v[first + i] * w[s->slots.damping[i]];
        }
        power->applied += w[s->slots.moving[0]];
    }
}

// A_(own, nodes of input k) += scale column dz/dq, column over the own coordinates
static void add_input_columns(const pcs_model *model, const pcs_configuration *c,
                              const pcs_system *s, int32_t k, const double *column, double scale_q,
                              double scale_v, pcs_saddle *saddle)
{
    pcs_input_gradient g = pcs_input_get_gradient(model, c, &model->inputs.data[s->input[k]]);
    const double scale = g.of_velocity ? scale_v : scale_q;
    for (int32_t j = 0; j < g.n_nodes; ++j) {
        if (g.single >= 0) {
            pcs_element_add_column(model, saddle, s->node, g.node[j], scale, column, g.single);
            continue;
        }
        pcs_element_add_outer(model, saddle, s->node, g.node[j], scale, column, g.row[j]);
        if (g.of_velocity)
            pcs_element_add_outer(model, saddle, s->node, g.node[j], scale_q, column, g.turning[j]);
    }
}

static bool is_zero(const pcs_system *s, const int32_t *slots, int32_t n, int32_t stride)
{
    for (int32_t i = 0; i < n; ++i)
        if (slots[i * stride] != s->zero)
            return false;
    return true;
}

// Column k of an n x z group, gathered behind the slots of the program.
static const double *gather_column(const pcs_system *s, const int32_t *slots, int32_t k, double *w)
{
    double *column = w + s->work_size;
    for (int32_t i = 0; i < s->n; ++i)
        column[i] = w[slots[i * s->n_inputs + k]];
    return column;
}

static void tangent(const pcs_model *model, const pcs_configuration *c, double scale_K,
                    double scale_C, pcs_saddle *saddle)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        double *w = pcs_system_evaluate(model, c, k, bit(PCS_STAGE_TANGENT));
        double *A = pcs_saddle_diagonal(saddle, s->node);
        add_matrix(s, w, s->slots.f_q, -scale_K, A);
        add_matrix(s, w, s->slots.f_v, -scale_C, A);
        for (int32_t i = 0; i < s->n_inputs; ++i)
            if (!is_zero(s, s->slots.f_z + i, s->n, s->n_inputs))
                add_input_columns(model, c, s, i, gather_column(s, s->slots.f_z, i, w), -scale_K,
                                  -scale_C, saddle);
    }
}

static void mass_tangent(const pcs_model *model, const pcs_configuration *c, const double *a,
                         double scale, pcs_saddle *saddle)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        double *w = pcs_system_evaluate(model, c, k, 0);
        memcpy(w + s->at_a, a + pcs_model_node(model, s->node)->v, sizeof(double) * (size_t)s->n);
        run(s, bit(PCS_STAGE_MASS_TANGENT), c->evaluated[k], w);
        add_matrix(s, w, s->slots.Ma_q, scale, pcs_saddle_diagonal(saddle, s->node));
    }
}

// ---- Constraints ----

// Jacobian of one row over the nodes of a block, by the chain rule.
static void fill_row(const pcs_model *model, const pcs_configuration *c, const pcs_system *s,
                     const double *w, const int32_t *J, const int32_t *J_z, pcs_row_block *block,
                     int32_t row)
{
    for (int32_t e = 0; e < block->n_nodes; ++e) {
        const int32_t n = pcs_model_node(model, block->node[e])->n_v;
        double *out = block->J[e] + row * n;
        memset(out, 0, sizeof(double) * (size_t)n);
        if (block->node[e] == s->node)
            for (int32_t j = 0; j < n; ++j)
                out[j] = w[J[j]];
    }
    for (int32_t k = 0; k < s->n_inputs; ++k) {
        if (J_z[k] == s->zero)
            continue;
        pcs_input_gradient g = pcs_input_get_gradient(model, c, &model->inputs.data[s->input[k]]);
        for (int32_t i = 0; i < g.n_nodes; ++i) {
            int32_t e = 0;
            while (block->node[e] != g.node[i])
                ++e;
            const int32_t n = pcs_model_node(model, g.node[i])->n_v;
            double *out = block->J[e] + row * n;
            if (g.single >= 0)
                out[g.single] += w[J_z[k]];
            else
                for (int32_t j = 0; j < n; ++j)
                    out[j] += w[J_z[k]] * g.row[i][j];
        }
    }
}

// What the inputs of a row add to its convective term.
static double input_convective(const pcs_model *model, const pcs_configuration *c,
                               const pcs_system *s, const double *w, const int32_t *J_z)
{
    double sum = 0;
    for (int32_t k = 0; k < s->n_inputs; ++k) {
        if (J_z[k] == s->zero)
            continue;
        double rate, convective;
        pcs_input_motion(model, c, &model->inputs.data[s->input[k]], &rate, &convective);
        sum += w[J_z[k]] * convective;
    }
    return sum;
}

static void rows(const pcs_model *model, const pcs_configuration *c, const pcs_rows *out)
{
    const uint32_t stages = (out->blocks || out->g || out->convective ? bit(PCS_STAGE_ROWS) : 0) |
                            (out->rate ? bit(PCS_STAGE_PRESCRIBED) : 0) |
                            (out->convective ? bit(PCS_STAGE_CONVECTIVE) : 0);
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        if (s->n_constraints == 0)
            continue;
        const double *w = pcs_system_evaluate(model, c, k, stages);
        const pcs_system_slots *x = &s->slots;
        for (int32_t i = 0; i < s->n_constraints; ++i) {
            const int32_t row = s->row[i], *G_z = x->G_z + i * s->n_inputs;
            pcs_row_block *block = out->blocks ? &out->blocks[s->row_block[i]] : NULL;
            if (out->g)
                out->g[row] = w[x->g[i]];
            if (out->rate)
                out->rate[row] = -w[x->g_t[i]];
            if (out->convective)
                out->convective[row] = w[x->convective[i]] + input_convective(model, c, s, w, G_z);
            if (block)
                fill_row(model, c, s, w, x->G + i * s->n, G_z, block,
                         row - model->row_blocks.data[s->row_block[i]].first_row);
        }
    }
}

void pcs_system_prescribed(const pcs_model *model, const pcs_configuration *c, double t,
                           double *rate, double *acceleration)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        bool driven = false;
        for (int32_t i = 0; i < s->n_constraints; ++i)
            driven = driven || s->driven[i];
        if (!driven)
            continue;
        double *w = pcs_system_evaluate(model, c, k, 0);
        if (t != c->t) { // at another time: nothing in the work array belongs to c afterwards
            w[s->at_t] = t;
            run(s, bit(PCS_STAGE_PRESCRIBED), 0, w);
            w[s->at_t] = c->t;
            c->evaluated[k] = 0;
        } else {
            pcs_system_evaluate(model, c, k, bit(PCS_STAGE_PRESCRIBED));
        }
        for (int32_t i = 0; i < s->n_constraints; ++i) {
            if (rate)
                rate[s->row[i]] = -w[s->slots.g_t[i]];
            if (acceleration)
                acceleration[s->row[i]] = -w[s->slots.g_tt[i]];
        }
    }
}

// A_(nodes of input k, own) += scale dz/dq^T column, the mirror image of add_input_columns()
static void add_input_rows(const pcs_model *model, const pcs_configuration *c, const pcs_system *s,
                           int32_t k, const double *column, double scale, pcs_saddle *saddle,
                           double *unit)
{
    pcs_input_gradient g = pcs_input_get_gradient(model, c, &model->inputs.data[s->input[k]]);
    for (int32_t i = 0; i < g.n_nodes; ++i) {
        const double *row = g.row[i];
        if (g.single >= 0) {
            memset(unit, 0, sizeof(double) * (size_t)pcs_model_node(model, g.node[i])->n_v);
            unit[g.single] = 1;
            row = unit;
        }
        pcs_element_add_outer(model, saddle, g.node[i], s->node, scale, row, column);
    }
}

// Second derivatives of lambda.g between two inputs.
static void add_input_pair(const pcs_model *model, const pcs_configuration *c, const pcs_system *s,
                           int32_t k, int32_t l, double scale, pcs_saddle *saddle, double *unit)
{
    pcs_input_gradient a = pcs_input_get_gradient(model, c, &model->inputs.data[s->input[k]]);
    pcs_input_gradient b = pcs_input_get_gradient(model, c, &model->inputs.data[s->input[l]]);
    for (int32_t i = 0; i < a.n_nodes; ++i) {
        const double *row = a.row[i];
        if (a.single >= 0) {
            memset(unit, 0, sizeof(double) * (size_t)pcs_model_node(model, a.node[i])->n_v);
            unit[a.single] = 1;
            row = unit;
        }
        for (int32_t j = 0; j < b.n_nodes; ++j) {
            if (b.single >= 0)
                pcs_element_add_column(model, saddle, a.node[i], b.node[j], scale, row, b.single);
            else
                pcs_element_add_outer(model, saddle, a.node[i], b.node[j], scale, row, b.row[j]);
        }
    }
}

static void row_tangent(const pcs_model *model, const pcs_configuration *c, const double *lambda,
                        double scale, pcs_saddle *saddle)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        const pcs_system_slots *x = &s->slots;
        const int32_t z = s->n_inputs;
        if (s->n_constraints == 0)
            continue;
        double *w = pcs_system_evaluate(model, c, k, bit(PCS_STAGE_ROWS));
        double *unit = w + s->work_size + s->n;
        for (int32_t i = 0; i < s->n_constraints; ++i)
            w[s->at_l + i] = lambda[s->row[i]];
        run(s, bit(PCS_STAGE_ROW_TANGENT), c->evaluated[k], w);
        add_matrix(s, w, x->Gl_q, scale, pcs_saddle_diagonal(saddle, s->node));
        for (int32_t i = 0; i < z; ++i) {
            if (!is_zero(s, x->Gl_z + i, s->n, z)) {
                const double *column = gather_column(s, x->Gl_z, i, w);
                add_input_columns(model, c, s, i, column, scale, 0, saddle);
                add_input_rows(model, c, s, i, column, scale, saddle, unit);
            }
            for (int32_t j = 0; j < z; ++j)
                if (x->Gl_zz[i * z + j] != s->zero)
                    add_input_pair(model, c, s, i, j, scale * w[x->Gl_zz[i * z + j]], saddle, unit);
            double force_z = 0;
            for (int32_t j = 0; j < s->n_constraints; ++j)
                force_z += w[s->at_l + j] * w[x->G_z[j * z + i]];
            if (!is_zero(s, x->G_z + i, s->n_constraints, z))
                pcs_input_add_geometric(model, c, &model->inputs.data[s->input[i]], scale * force_z,
                                        saddle);
        }
    }
}

// Rate of the rate of an input: how z' changes with q at fixed v is the turning of this one.
static bool rate_input(const pcs_input *input, pcs_input *out)
{
    *out = *input;
    out->kind = input->kind == PCS_INPUT_COORDINATE ? PCS_INPUT_RATE : PCS_INPUT_VELOCITY;
    return input->kind == PCS_INPUT_COORDINATE || input->kind == PCS_INPUT_POSITION;
}

// J_block += s times a row over one node of an input
static void add_to_row(const pcs_model *model, pcs_row_block *block, int32_t i, int32_t node,
                       double s, const double *row, int32_t single)
{
    const int32_t n = pcs_model_node(model, node)->n_v;
    for (int32_t e = 0; e < block->n_nodes; ++e) {
        if (block->node[e] != node)
            continue;
        double *out = block->J[e] + i * n;
        if (single >= 0)
            out[single] += s;
        else
            for (int32_t j = 0; j < n; ++j)
                out[j] += s * row[j];
    }
}

// d(G v - rate)/dq: with r(q, v, z, z', t) = G v - rate,  r_q,  r_z dz/dq + G_z dz'/dq
static void rate_tangent(const pcs_model *model, const pcs_configuration *c, double scale,
                         pcs_row_block *blocks)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        const pcs_system_slots *x = &s->slots;
        if (s->n_constraints == 0)
            continue;
        double *w = pcs_system_evaluate(model, c, k,
                                        bit(PCS_STAGE_ROWS) | bit(PCS_STAGE_RATE_TANGENT));
        double *own = w + s->work_size;
        for (int32_t i = 0; i < s->n_constraints; ++i) {
            pcs_row_block *block = &blocks[s->row_block[i]];
            const int32_t row = s->row[i] - model->row_blocks.data[s->row_block[i]].first_row;
            for (int32_t j = 0; j < s->n; ++j)
                own[j] = w[x->r_q[i * s->n + j]];
            add_to_row(model, block, row, s->node, scale, own, -1);
            for (int32_t j = 0; j < s->n_inputs; ++j) {
                const pcs_input *input = &model->inputs.data[s->input[j]];
                const int32_t at = i * s->n_inputs + j;
                pcs_input speed;
                if (x->G_z[at] == s->zero)
                    continue;
                pcs_input_gradient g = pcs_input_get_gradient(model, c, input);
                for (int32_t e = 0; e < g.n_nodes; ++e)
                    add_to_row(model, block, row, g.node[e], scale * w[x->r_z[at]], g.row[e],
                               g.single);
                if (!rate_input(input, &speed))
                    continue;
                g = pcs_input_get_gradient(model, c, &speed);
                for (int32_t e = 0; e < g.n_nodes; ++e)
                    add_to_row(model, block, row, g.node[e], scale * w[x->G_z[at]], g.turning[e],
                               -1);
            }
        }
    }
}

// ---- Contacts ----

int64_t pcs_system_contact_storage(const pcs_model *model)
{
    int64_t count = 0;
    for (int32_t k = 0; k < model->systems.count; ++k)
        for (int32_t i = 0; i < model->systems.data[k].n_gaps; ++i) {
            const pcs_system_gap *gap = &model->systems.data[k].gap[i];
            for (int32_t e = 0; e < gap->n_nodes; ++e)
                count += (int64_t)gap->used * pcs_model_node(model, gap->node[e])->n_v;
        }
    return count;
}

void pcs_system_set_contact_storage(const pcs_model *model, pcs_contact *contacts, double *storage)
{
    for (int32_t k = 0; k < model->systems.count; ++k)
        for (int32_t i = 0; i < model->systems.data[k].n_gaps; ++i) {
            const pcs_system_gap *gap = &model->systems.data[k].gap[i];
            pcs_row_block *row = &contacts[gap->slot].row;
            row->size = gap->used;
            row->n_nodes = gap->n_nodes;
            for (int32_t e = 0; e < gap->n_nodes; ++e) {
                row->node[e] = gap->node[e];
                row->J[e] = storage;
                storage += gap->used * pcs_model_node(model, gap->node[e])->n_v;
            }
        }
}

// A gap has no place and no direction in space, as a joint limit.
static void evaluate_gap(const pcs_model *model, const pcs_configuration *c, const pcs_system *s,
                         const pcs_system_gap *gap, const double *w, bool with_rows,
                         pcs_contact *contact)
{
    const pcs_system_slots *x = &s->slots;
    const pcs_vec3 zero = {0, 0, 0};
    contact->gap = w[x->gap[gap->first]];
    contact->face = 0;
    contact->edge = HUGE_VAL;
    contact->next_face = -1;
    contact->point = contact->normal = contact->tangent1 = contact->tangent2 = zero;
    contact->law = gap->law;
    if (!with_rows)
        return;
    for (int32_t i = 0; i < 3; ++i)
        contact->surface[i] = contact->convective[i] = 0;
    for (int32_t i = 0; i < gap->used; ++i) {
        const int32_t row = gap->first + i, *H_z = x->H_z + row * s->n_inputs;
        contact->surface[i] = w[x->gap_t[row]];
        contact->convective[i] = w[x->gap_convective[row]] + input_convective(model, c, s, w, H_z);
        fill_row(model, c, s, w, x->H + row * s->n, H_z, &contact->row, i);
    }
}

void pcs_system_contacts(const pcs_model *model, const pcs_configuration *c, bool with_rows,
                         pcs_contact *contacts)
{
    uint32_t stages = bit(PCS_STAGE_GAPS);
    if (with_rows)
        stages |= bit(PCS_STAGE_GAP_ROWS) | bit(PCS_STAGE_GAP_CONVECTIVE);
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *s = &model->systems.data[k];
        if (s->n_gaps == 0)
            continue;
        const double *w = pcs_system_evaluate(model, c, k, stages);
        for (int32_t i = 0; i < s->n_gaps; ++i)
            evaluate_gap(model, c, s, &s->gap[i], w, with_rows, &contacts[s->gap[i].slot]);
    }
}

void pcs_system_point(const pcs_model *model, const pcs_configuration *c, int32_t k, int32_t i,
                      pcs_vec3 *position, pcs_vec3 *velocity)
{
    const double *w = pcs_system_evaluate(model, c, k, bit(PCS_STAGE_POINTS));
    const int32_t *x = model->systems.data[k].slots.point + 3 * i;
    const int32_t *rate = model->systems.data[k].slots.point_rate + 3 * i;
    *position = pcs_v3(w[x[0]], w[x[1]], w[x[2]]);
    *velocity = pcs_v3(w[rate[0]], w[rate[1]], w[rate[2]]);
}

const pcs_element_class pcs_system_class = {
    .name = "system",
    .mass_multiply = mass_multiply,
    .mass = mass,
    .force = force,
    .tangent = tangent,
    .kinetic = kinetic,
    .potential = potential,
    .rows = rows,
    .mass_tangent = mass_tangent,
    .row_tangent = row_tangent,
    .rate_tangent = rate_tangent,
};

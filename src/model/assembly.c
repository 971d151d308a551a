// Whole-model terms: loops over the element classes, plus the small tools that elements share.
#include "model/assembly.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/kernels.h"
#include "model/element.h"
#include "model/input.h"

// The element classes. To add one: a file, a declaration in element.h and a row here.
static const pcs_element_class *const classes[] = {
    &pcs_body_class,  &pcs_spring_class,   &pcs_actuator_class, &pcs_force_class,
    &pcs_joint_class, &pcs_coupling_class, &pcs_system_class,   &pcs_mesh_class,
};
enum { CLASS_COUNT = sizeof classes / sizeof *classes };

void pcs_model_retract(const pcs_model *model, const double *q, const double *d, double *out)
{
    for (int32_t i = 0; i < model->nodes.count; ++i) {
        const pcs_node *node = pcs_model_node(model, i);
        if (node->kind != PCS_NODE_VECTOR)
            pcs_node_retract(node->kind, q + node->q, d + node->v, out + node->q);
        else
            for (int32_t j = 0; j < node->n_v; ++j)
                out[node->q + j] = q[node->q + j] + d[node->v + j];
    }
}

void pcs_model_difference(const pcs_model *model, const double *q2, const double *q1, double *d)
{
    for (int32_t i = 0; i < model->nodes.count; ++i) {
        const pcs_node *node = pcs_model_node(model, i);
        if (node->kind != PCS_NODE_VECTOR)
            pcs_node_difference(node->kind, q2 + node->q, q1 + node->q, d + node->v);
        else
            for (int32_t j = 0; j < node->n_v; ++j)
                d[node->v + j] = q2[node->q + j] - q1[node->q + j];
    }
}

static void initial_systems(const pcs_model *model, double *q, double *v)
{
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *system = &model->systems.data[k];
        const pcs_node *node = pcs_model_node(model, system->node);
        memcpy(q + node->q, system->initial, sizeof(double) * (size_t)system->n);
        memcpy(v + node->v, system->rate, sizeof(double) * (size_t)system->n);
    }
}

void pcs_model_initial_state(const pcs_model *model, double *q, double *v)
{
    initial_systems(model, q, v);
    pcs_model_initial_meshes(model, q, v);
    for (int32_t b = 0; b < model->bodies.count; ++b) {
        const pcs_body *body = &model->bodies.data[b];
        const pcs_node *node = pcs_model_node(model, body->node);
        pcs_mat3 R = pcs_quat_matrix(body->rotation);
        pcs_vec3 arm = pcs_m3_mul_v3(&R, body->center);
        pcs_vec3 x = pcs_v3_add(body->position, arm);
        pcs_vec3 u = pcs_v3_add(body->velocity, pcs_v3_cross(body->angular_velocity, arm));
        double *qb = q + node->q, *vb = v + node->v;
        qb[0] = x.x;
        qb[1] = x.y;
        vb[0] = u.x;
        vb[1] = u.y;
        if (node->kind == PCS_NODE_PLANAR) {
            qb[2] = body->angle;
            vb[2] = body->angular_velocity.z;
        } else if (node->kind != PCS_NODE_POINT2) {
            qb[2] = x.z;
            vb[2] = u.z;
        }
        if (node->kind == PCS_NODE_SPATIAL) {
            const pcs_quat p = body->rotation;
            const double quat[4] = {p.w, p.x, p.y, p.z};
            memcpy(qb + 3, quat, sizeof quat);
            pcs_v3_store(vb + 3, pcs_m3_tmul_v3(&R, body->angular_velocity));
        }
    }
}

void pcs_model_mass_multiply(const pcs_model *model, const pcs_configuration *c, const double *x,
                             double *y)
{
    memset(y, 0, sizeof(double) * (size_t)model->n_v);
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->mass_multiply)
            classes[k]->mass_multiply(model, c, x, y);
}

static void add_forces(const pcs_model *model, const pcs_configuration *c, double *f,
                       pcs_power *power)
{
    memset(f, 0, sizeof(double) * (size_t)model->n_v);
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->force)
            classes[k]->force(model, c, f, power);
}

void pcs_model_forces(const pcs_model *model, const pcs_configuration *c, double *f,
                      pcs_power *power)
{
    if (power)
        *power = (pcs_power){.v = power->v};
    add_forces(model, c, f, power);
}

void pcs_model_powers(const pcs_model *model, const pcs_configuration *c, double *work,
                      pcs_power *power)
{
    *power = (pcs_power){.v = power->v, .alone = true};
    add_forces(model, c, work, power);
}

void pcs_model_matrix(const pcs_model *model, const pcs_configuration *c, double scale_K,
                      double scale_C, pcs_saddle *saddle)
{
    int64_t count;
    double *values = pcs_saddle_values(saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
    for (int k = 0; k < CLASS_COUNT; ++k) {
        if (classes[k]->mass)
            classes[k]->mass(model, c, saddle);
        if (classes[k]->tangent && (scale_K != 0 || scale_C != 0))
            classes[k]->tangent(model, c, scale_K, scale_C, saddle);
    }
}

void pcs_model_add_mass(const pcs_model *model, const pcs_configuration *c, pcs_saddle *saddle)
{
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->mass)
            classes[k]->mass(model, c, saddle);
}

void pcs_model_add_tangent(const pcs_model *model, const pcs_configuration *c, double scale_K,
                           double scale_C, pcs_saddle *saddle)
{
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->tangent)
            classes[k]->tangent(model, c, scale_K, scale_C, saddle);
}

void pcs_model_mass_tangent(const pcs_model *model, const pcs_configuration *c, const double *a,
                            double scale, pcs_saddle *saddle)
{
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->mass_tangent)
            classes[k]->mass_tangent(model, c, a, scale, saddle);
}

void pcs_model_row_tangent(const pcs_model *model, const pcs_configuration *c, const double *lambda,
                           double scale, pcs_saddle *saddle)
{
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->row_tangent)
            classes[k]->row_tangent(model, c, lambda, scale, saddle);
}

void pcs_model_rate_tangent(const pcs_model *model, const pcs_configuration *c, double scale,
                            pcs_row_block *blocks)
{
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->rate_tangent)
            classes[k]->rate_tangent(model, c, scale, blocks);
}

// A spring's length is known to the rounding of the distance that it spans.
static double longest_spring(const pcs_model *model, const pcs_configuration *c)
{
    double longest = 0;
    for (int32_t k = 0; k < model->springs.count; ++k) {
        const pcs_pair_state state = pcs_configuration_pair(model, c, &model->springs.data[k].pair);
        longest = fmax(longest, pcs_v3_norm(state.d));
    }
    return longest;
}

void pcs_model_force_rounding(const pcs_model *model, const pcs_configuration *c,
                              const pcs_saddle *A, double scale, double *work, double *out)
{
    const double longest = longest_spring(model, c);
    for (int32_t i = 0; i < model->nodes.count; ++i) {
        const pcs_node *node = pcs_model_node(model, i);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v; ++j) {
            const double q = j < flat || node->kind == PCS_NODE_PLANAR ? fabs(c->q[node->q + j])
                                                                       : 1;
            work[node->v + j] = DBL_EPSILON / scale * fmax(q, j < flat ? longest : 1);
            out[node->v + j] = 0;
        }
    }
    pcs_saddle_absolute_multiply(A, work, out);
}

pcs_status pcs_model_saddle_create(pcs_context *ctx, const pcs_model *model,
                                   const pcs_saddle_def *def, pcs_saddle **out)
{
    int32_t *size = PCS_NEW_ARRAY(ctx, int32_t, model->nodes.count);
    if (!size)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < model->nodes.count; ++i)
        size[i] = pcs_model_node(model, i)->n_v;
    pcs_saddle_def whole = *def;
    whole.n_nodes = model->nodes.count;
    whole.node_size = size;
    const pcs_status status = pcs_saddle_create(ctx, &whole, out);
    pcs_free(ctx, size);
    return status;
}

pcs_status pcs_model_saddle_with_rows(pcs_context *ctx, const pcs_model *model, int32_t n_rows,
                                      const pcs_row_block *rows, pcs_saddle **out)
{
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = model->n_pairs;
    def.coupling = (const int32_t(*)[2])model->pairs;
    def.n_rows = n_rows;
    def.rows = rows;
    return pcs_model_saddle_create(ctx, model, &def, out);
}

double pcs_model_kinetic(const pcs_model *model, const pcs_configuration *c)
{
    double T = 0;
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->kinetic)
            T += classes[k]->kinetic(model, c);
    return T;
}

double pcs_model_potential(const pcs_model *model, const pcs_configuration *c)
{
    double V = 0;
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->potential)
            V += classes[k]->potential(model, c);
    return V;
}

static pcs_status create_row_blocks(pcs_context *ctx, const pcs_model *model, int32_t spare,
                                    pcs_row_block **blocks, double **values)
{
    int64_t count = 0;
    for (int32_t k = 0; k < model->row_blocks.count; ++k) {
        const pcs_row_pattern *p = &model->row_blocks.data[k];
        for (int32_t i = 0; i < p->n_nodes; ++i)
            count += (int64_t)p->size * pcs_model_node(model, p->node[i])->n_v;
    }
    *blocks = PCS_NEW_ARRAY(ctx, pcs_row_block, model->row_blocks.count + spare);
    *values = PCS_NEW_ARRAY(ctx, double, count);
    if (!*blocks || !*values) {
        pcs_free(ctx, *blocks);
        pcs_free(ctx, *values);
        *blocks = NULL;
        *values = NULL;
        return PCS_ERROR_MEMORY;
    }
    double *next = *values;
    for (int32_t k = 0; k < model->row_blocks.count; ++k) {
        const pcs_row_pattern *p = &model->row_blocks.data[k];
        pcs_row_block *block = &(*blocks)[k];
        block->size = p->size;
        block->n_nodes = p->n_nodes;
        for (int32_t i = 0; i < p->n_nodes; ++i) {
            block->node[i] = p->node[i];
            block->J[i] = next;
            next += p->size * pcs_model_node(model, p->node[i])->n_v;
        }
    }
    return PCS_OK;
}

pcs_status pcs_model_row_blocks_create(pcs_context *ctx, const pcs_model *model,
                                       pcs_row_block **blocks, double **values)
{
    return create_row_blocks(ctx, model, 0, blocks, values);
}

pcs_status pcs_model_row_blocks_with_slots(pcs_context *ctx, const pcs_model *model,
                                           pcs_row_block **blocks, double **values)
{
    return create_row_blocks(ctx, model, model->n_slots, blocks, values);
}

void pcs_model_rows(const pcs_model *model, const pcs_configuration *c, const pcs_rows *rows)
{
    for (int k = 0; k < CLASS_COUNT; ++k)
        if (classes[k]->rows)
            classes[k]->rows(model, c, rows);
}

void pcs_model_rows_multiply(const pcs_model *model, const pcs_row_block *blocks, const double *v,
                             double *out)
{
    for (int32_t k = 0; k < model->row_blocks.count; ++k) {
        const pcs_row_block *block = &blocks[k];
        double *y = out + model->row_blocks.data[k].first_row;
        memset(y, 0, sizeof(double) * (size_t)block->size);
        for (int32_t e = 0; e < block->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, block->node[e]);
            int32_t n = node->n_v;
            pcs_kernel_vector(1.0, block->size, n, block->J[e], v + node->v, y);
        }
    }
}

double pcs_model_row_multiply(const pcs_model *model, const pcs_row_block *block, int32_t i,
                              const double *v)
{
    double y = 0;
    for (int32_t e = 0; e < block->n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(model, block->node[e]);
        int32_t n = node->n_v;
        y += pcs_kernel_dot(n, block->J[e] + i * n, v + node->v);
    }
    return y;
}

void pcs_model_rows_add_transposed(const pcs_model *model, const pcs_row_block *blocks,
                                   const double *p, double *f)
{
    for (int32_t k = 0; k < model->row_blocks.count; ++k) {
        const pcs_row_block *block = &blocks[k];
        const double *y = p + model->row_blocks.data[k].first_row;
        for (int32_t e = 0; e < block->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, block->node[e]);
            int32_t n = node->n_v;
            pcs_kernel_transposed_vector(1.0, block->size, n, block->J[e], y, f + node->v);
        }
    }
}

void pcs_model_prescribed(const pcs_model *model, const pcs_configuration *c, double t,
                          double *rate, double *acceleration)
{
    const size_t size = sizeof(double) * (size_t)model->n_rows;
    if (rate)
        memset(rate, 0, size);
    if (acceleration)
        memset(acceleration, 0, size);
    t = pcs_configuration_time(model, c->external, t);
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        for (int32_t i = 0; i < joint->n_rows; ++i) {
            if (!joint->motion[i])
                continue;
            if (rate)
                rate[joint->first_row + i] = pcs_formula_evaluate(joint->motion_rate[i], &t);
            if (acceleration)
                acceleration[joint->first_row + i] = pcs_formula_evaluate(
                    joint->motion_acceleration[i], &t);
        }
    }
    pcs_system_prescribed(model, c, t, rate, acceleration);
}

double pcs_model_driven_work(const pcs_model *model, const pcs_row_block *blocks, const double *p,
                             const double *v)
{
    double work = 0;
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        for (int32_t i = 0; i < joint->n_rows; ++i)
            if (joint->motion[i])
                work += p[joint->first_row + i] *
                        pcs_model_row_multiply(model, &blocks[joint->row_block], i, v);
    }
    for (int32_t k = 0; k < model->systems.count; ++k) {
        const pcs_system *system = &model->systems.data[k];
        for (int32_t i = 0; i < system->n_constraints; ++i) {
            const int32_t block = system->row_block[i];
            if (system->driven[i])
                work += p[system->row[i]] *
                        pcs_model_row_multiply(
                            model, &blocks[block],
                            system->row[i] - model->row_blocks.data[block].first_row, v);
        }
    }
    return work;
}

// The block A_ij, or NULL where the pattern has none
static double *matrix_block(pcs_saddle *saddle, int32_t i, int32_t j)
{
    if (i == j)
        return pcs_saddle_diagonal(saddle, i);
    const bool transposed = i > j;
    const int32_t k = transposed ? pcs_saddle_find_coupling(saddle, j, i)
                                 : pcs_saddle_find_coupling(saddle, i, j);
    return k >= 0 ? pcs_saddle_coupling(saddle, k, transposed) : NULL;
}

void pcs_element_add_block(const pcs_model *model, pcs_saddle *saddle, int32_t i, int32_t j,
                           const double *block)
{
    const int32_t n = pcs_model_node(model, i)->n_v * pcs_model_node(model, j)->n_v;
    double *A = matrix_block(saddle, i, j);
    for (int32_t k = 0; A && k < n; ++k)
        A[k] += block[k];
}

void pcs_element_add_outer(const pcs_model *model, pcs_saddle *saddle, int32_t i, int32_t j,
                           double s, const double *row_i, const double *row_j)
{
    const int32_t n = pcs_model_node(model, i)->n_v;
    const int32_t m = pcs_model_node(model, j)->n_v;
    double *A = matrix_block(saddle, i, j);
    for (int32_t k = 0; A && k < n; ++k)
        for (int32_t l = 0; l < m; ++l)
            A[k * m + l] += s * row_i[k] * row_j[l];
}

void pcs_element_add_to_row(const pcs_model *model, pcs_row_block *block, int32_t i, int32_t node,
                            double s, const double *row)
{
    const int32_t n = pcs_model_node(model, node)->n_v;
    for (int32_t k = 0; k < block->n_nodes; ++k)
        if (block->node[k] == node)
            for (int32_t j = 0; j < n; ++j)
                block->J[k][i * n + j] += s * row[j];
}

void pcs_element_add_rate_tangent(const pcs_model *model, const pcs_pair *pair,
                                  const pcs_pair_state *state, const pcs_coordinate *coordinate,
                                  double s, pcs_row_block *block, int32_t i)
{
    const int32_t node[2] = {pair->a.node, pair->b.node};
    double K[12][12], gradient[12];
    pcs_coordinate_geometric(coordinate, state, 1, K);
    pcs_coordinate_rate_gradient(state, (const double(*)[12])K, gradient);
    for (int k = 0; k < 2; ++k) {
        if (node[k] < 0)
            continue;
        const pcs_node *n = pcs_model_node(model, node[k]);
        double row[PCS_NODE_V_MAX];
        for (int32_t j = 0; j < n->n_v; ++j)
            row[j] = gradient[6 * k + pcs_node_place(n->kind, j)];
        pcs_element_add_to_row(model, block, i, node[k], s, row);
    }
}

double pcs_element_add_coordinate(const pcs_model *model, const pcs_pair *pair,
                                  const pcs_pair_state *state, const pcs_rate_form *form,
                                  double lambda, double *f, const double *v)
{
    const int32_t node[2] = {pair->a.node, pair->b.node};
    double row[2][PCS_NODE_V_MAX], rate = 0;
    pcs_coordinate_rows(form, state, row[0], row[1]);
    for (int k = 0; k < 2; ++k) {
        if (node[k] < 0)
            continue;
        pcs_element_add_row(model, f, node[k], lambda, row[k]);
        if (v)
            rate += pcs_element_dot_row(model, v, node[k], row[k]);
    }
    return rate;
}

void pcs_element_add_formula_tangent(const pcs_model *model, const pcs_configuration *c,
                                     const pcs_formula *formula, int32_t n, const int32_t *node,
                                     const double (*row)[PCS_NODE_V_MAX], double scale_K,
                                     double scale_C, pcs_saddle *saddle)
{
    enum { VARIABLES_MAX = 256 }; // the builder refuses formulas with more
    const int32_t *variables;
    int32_t count = pcs_formula_variables(formula, &variables);
    double gradient[VARIABLES_MAX];
    if (count == 0 || (count == 1 && variables[0] == 0))
        return; // constant, or of time alone
    pcs_formula_gradient(formula, c->inputs, gradient);
    for (int32_t k = 0; k < count; ++k) {
        if (variables[k] == 0)
            continue;
        pcs_input_gradient s = pcs_input_get_gradient(model, c,
                                                      &model->inputs.data[variables[k] - 1]);
        double scale = -(s.of_velocity ? scale_C : scale_K) * gradient[k];
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t j = 0; j < s.n_nodes; ++j) {
                if (s.single >= 0) {
                    pcs_element_add_column(model, saddle, node[i], s.node[j], scale, row[i],
                                           s.single);
                    continue;
                }
                pcs_element_add_outer(model, saddle, node[i], s.node[j], scale, row[i], s.row[j]);
                if (s.of_velocity)
                    pcs_element_add_outer(model, saddle, node[i], s.node[j], -scale_K * gradient[k],
                                          row[i], s.turning[j]);
            }
        }
    }
}

void pcs_element_add_geometric(const pcs_model *model, const pcs_pair *pair, const double K[12][12],
                               double s, pcs_saddle *saddle)
{
    const int32_t node[2] = {pair->a.node, pair->b.node};
    for (int k = 0; k < 2; ++k) {
        for (int l = 0; l < 2; ++l) {
            if (node[k] < 0 || node[l] < 0)
                continue;
            const pcs_node_kind rows = pcs_model_node(model, node[k])->kind;
            const pcs_node_kind columns = pcs_model_node(model, node[l])->kind;
            const int32_t n = pcs_node_v_size(rows), m = pcs_node_v_size(columns);
            double block[PCS_NODE_V_MAX * PCS_NODE_V_MAX];
            for (int32_t i = 0; i < n; ++i)
                for (int32_t j = 0; j < m; ++j)
                    block[i * m + j] =
                        s * K[6 * k + pcs_node_place(rows, i)][6 * l + pcs_node_place(columns, j)];
            pcs_element_add_block(model, saddle, node[k], node[l], block);
        }
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

// Whether d(G^T lambda)/dq of a joint couples its two nodes: a row WORLD turns with each body
// alone, and an angle in the plane is linear.
static bool joint_couples(const pcs_model *model, const pcs_joint *joint)
{
    for (int32_t i = 0; i < joint->n_rows; ++i)
        if (joint->row[i].kind != PCS_COORDINATE_WORLD &&
            !pcs_coordinate_is_flat(&joint->row[i], model->dimension))
            return true;
    return false;
}

pcs_status pcs_model_all_pairs(pcs_context *ctx, const pcs_model *model, int32_t (**pairs)[2],
                               int32_t *n)
{
    enum { PAIRS_OF_BLOCK = PCS_ROW_NODES_MAX * (PCS_ROW_NODES_MAX - 1) / 2 };
    const int64_t most = model->n_pairs + (int64_t)PAIRS_OF_BLOCK * model->row_blocks.count;
    int32_t(*list)[2] = pcs_calloc(ctx, (size_t)most, sizeof *list);
    uint8_t *flat = PCS_NEW_ARRAY(ctx, uint8_t, model->row_blocks.count);
    int32_t count = 0, unique = 0;
    if (!list || !flat) {
        pcs_free(ctx, list);
        pcs_free(ctx, flat);
        return PCS_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < model->joints.count; ++k)
        if (model->joints.data[k].n_rows > 0)
            flat[model->joints.data[k].row_block] = !joint_couples(model, &model->joints.data[k]);
    for (; count < model->n_pairs; ++count)
        memcpy(list[count], model->pairs[count], sizeof *list);
    for (int32_t r = 0; r < model->row_blocks.count; ++r) {
        const pcs_row_pattern *row = &model->row_blocks.data[r];
        for (int32_t k = 0; k < row->n_nodes && !flat[r]; ++k)
            for (int32_t l = 0; l < k; ++l) {
                const int32_t i = row->node[k], j = row->node[l];
                list[count][0] = i < j ? i : j;
                list[count++][1] = i < j ? j : i;
            }
    }
    pcs_free(ctx, flat);
    if (count > 0)
        qsort(list, (size_t)count, sizeof *list, compare_pairs);
    for (int32_t i = 0; i < count; ++i)
        if (unique == 0 || compare_pairs(list[i], list[unique - 1]) != 0)
            memcpy(list[unique++], list[i], sizeof *list);
    *pairs = list;
    *n = unique;
    return PCS_OK;
}

void pcs_element_add_column(const pcs_model *model, pcs_saddle *saddle, int32_t i, int32_t j,
                            double s, const double *row_i, int32_t entry)
{
    const int32_t n = pcs_model_node(model, i)->n_v, m = pcs_model_node(model, j)->n_v;
    double *A = matrix_block(saddle, i, j);
    for (int32_t k = 0; A && k < n; ++k)
        A[k * m + entry] += s * row_i[k];
}

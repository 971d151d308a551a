// The element class of meshes: gather, evaluate, assemble.
#include "model/mesh.h"

#include <string.h>

#include "elements/face_pressure.h"
#include "linalg/kernels.h"
#include "model/element.h"

// ---- Lifetime and lookup ----

void pcs_mesh_free(pcs_context *ctx, pcs_mesh *mesh)
{
    for (int32_t i = 0; mesh->parts && i < mesh->n_parts; ++i) {
        pcs_free(ctx, mesh->parts[i].name);
        pcs_free(ctx, mesh->parts[i].nodes);
        pcs_free(ctx, mesh->parts[i].constants);
    }
    for (int32_t i = 0; mesh->groups && i < mesh->n_groups; ++i) {
        pcs_free(ctx, mesh->groups[i].name);
        pcs_free(ctx, mesh->groups[i].nodes);
        pcs_free(ctx, mesh->groups[i].faces);
    }
    void *const arrays[] = {
        mesh->name,      mesh->X,         mesh->parts,         mesh->groups,
        mesh->fixations, mesh->mass.pair, mesh->mass.diagonal, mesh->mass.coupling,
        mesh->node_mass, mesh->rotary};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    *mesh = (pcs_mesh){0};
}

int32_t pcs_mesh_find_group(const pcs_mesh *mesh, const char *name)
{
    for (int32_t i = 0; i < mesh->n_groups; ++i)
        if (strcmp(mesh->groups[i].name, name) == 0)
            return i;
    return -1;
}

int32_t pcs_model_mesh_of_node(const pcs_model *model, int32_t node)
{
    for (int32_t i = 0; i < model->meshes.count; ++i) {
        const pcs_mesh *mesh = &model->meshes.data[i];
        if (node >= mesh->first_node && node < mesh->first_node + mesh->n_nodes)
            return i;
    }
    return -1;
}

// ---- Places and speeds ----

pcs_pose pcs_mesh_initial_pose(const pcs_mesh *mesh, int32_t node)
{
    static const pcs_mat3 world = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return (pcs_pose){mesh->X[node - mesh->first_node],
                      pcs_node_turns(mesh->kind) ? mesh->R : world};
}

void pcs_model_initial_meshes(const pcs_model *model, double *q, double *v)
{
    for (int32_t k = 0; k < model->meshes.count; ++k) {
        const pcs_mesh *mesh = &model->meshes.data[k];
        for (int32_t i = 0; i < mesh->n_nodes; ++i) {
            const pcs_node *node = pcs_model_node(model, mesh->first_node + i);
            const pcs_vec3 x = mesh->X[i], arm = pcs_v3_sub(x, mesh->position);
            const pcs_vec3 u = pcs_v3_add(mesh->velocity,
                                          pcs_v3_cross(mesh->angular_velocity, arm));
            const double place[3] = {x.x, x.y, x.z}, speed[3] = {u.x, u.y, u.z};
            memcpy(q + node->q, place, sizeof(double) * (size_t)model->dimension);
            memcpy(v + node->v, speed, sizeof(double) * (size_t)model->dimension);
            if (mesh->kind == PCS_NODE_PLANAR) {
                q[node->q + 2] = mesh->angle;
                v[node->v + 2] = mesh->angular_velocity.z;
            }
            if (mesh->kind == PCS_NODE_SPATIAL) {
                const pcs_quat p = mesh->rotation;
                const double quat[4] = {p.w, p.x, p.y, p.z};
                memcpy(q + node->q + 3, quat, sizeof quat);
                pcs_v3_store(v + node->v + 3, pcs_m3_tmul_v3(&mesh->R, mesh->angular_velocity));
            }
        }
    }
}

void pcs_mesh_gather(const pcs_mesh *mesh, const pcs_mesh_part *part, const pcs_configuration *c,
                     int32_t element, pcs_fe_state *state)
{
    const int32_t n = part->class->n_nodes, *nodes = part->nodes + (int64_t)element * n;
    state->has_way = c->span > 0;
    for (int32_t i = 0; i < n; ++i) {
        const pcs_pose *pose = &c->pose[mesh->first_node + nodes[i]];
        const pcs_twist *twist = &c->twist[mesh->first_node + nodes[i]];
        state->x[i] = pose->x;
        state->v[i] = twist->v;
        if (state->has_way)
            state->way[i] = pcs_v3_scale(c->span, twist->v);
        if (!part->class->frames)
            continue;
        state->R[i] = pose->R;
        state->w[i] = pcs_m3_tmul_v3(&pose->R, twist->w);
    }
}

void pcs_mesh_part_results(const pcs_mesh *mesh, const pcs_mesh_part *part,
                           const pcs_configuration *c, double *out)
{
    const pcs_fe_class *class = part->class;
    for (int32_t e = 0; e < part->n_elements; ++e) {
        const pcs_fe element = pcs_mesh_part_element(part, e);
        pcs_fe_state state;
        pcs_mesh_gather(mesh, part, c, e, &state);
        class->results(&element, &state, out + (int64_t)e * class->n_results);
    }
}

// ---- Mass ----

// The blocks A_ij and A_ji of two nodes. False for a pair that the pattern of A leaves out.
static bool find_blocks(pcs_saddle *saddle, int32_t i, int32_t j, double *A[2])
{
    const int32_t k = i < j ? pcs_saddle_find_coupling(saddle, i, j)
                            : pcs_saddle_find_coupling(saddle, j, i);
    if (k < 0)
        return false;
    A[0] = pcs_saddle_coupling(saddle, k, i > j);
    A[1] = pcs_saddle_coupling(saddle, k, i < j);
    return true;
}

// y_i += M_ij x_j for one block of the mass matrix
static void multiply_block(const pcs_mesh *mesh, const double *block, bool transposed,
                           const double *x, double *y)
{
    const int32_t n = mesh->n_v;
    if (mesh->mass.scalar)
        for (int32_t i = 0; i < n; ++i)
            y[i] += *block * x[i];
    else if (transposed)
        pcs_kernel_transposed_vector(1.0, n, n, block, x, y);
    else
        pcs_kernel_vector(1.0, n, n, block, x, y);
}

// y += M x for the nodes of one mesh
static void multiply_mesh(const pcs_model *model, const pcs_mesh *mesh, const double *x, double *y)
{
    const pcs_mesh_mass *mass = &mesh->mass;
    const int32_t n = mesh->n_v, first = pcs_model_node(model, mesh->first_node)->v;
    const double *x0 = x + first;
    double *y0 = y + first;
    for (int32_t i = 0; i < mesh->n_nodes; ++i)
        multiply_block(mesh, mass->diagonal + (int64_t)i * mass->block, false, x0 + i * n,
                       y0 + i * n);
    for (int32_t k = 0; k < mass->n_pairs; ++k) {
        const int32_t i = mass->pair[k][0], j = mass->pair[k][1];
        const double *block = mass->coupling + (int64_t)k * mass->block;
        multiply_block(mesh, block, false, x0 + j * n, y0 + i * n);
        multiply_block(mesh, block, true, x0 + i * n, y0 + j * n);
    }
}

static void mass_multiply(const pcs_model *model, const pcs_configuration *c, const double *x,
                          double *y)
{
    (void)c;
    for (int32_t k = 0; k < model->meshes.count; ++k)
        multiply_mesh(model, &model->meshes.data[k], x, y);
}

// A += scale M_ij for a block of the mass matrix
static void add_mass_block(const pcs_mesh *mesh, double scale, const double *block, bool transposed,
                           double *A)
{
    const int32_t n = mesh->n_v;
    if (mesh->mass.scalar) {
        for (int32_t r = 0; r < n; ++r)
            A[r * n + r] += scale * *block;
        return;
    }
    for (int32_t r = 0; r < n; ++r)
        for (int32_t s = 0; s < n; ++s)
            A[r * n + s] += scale * block[transposed ? s * n + r : r * n + s];
}

// A += scale M of one mesh
static void add_mesh_mass(const pcs_mesh *mesh, double scale, pcs_saddle *saddle)
{
    const pcs_mesh_mass *mass = &mesh->mass;
    for (int32_t i = 0; i < mesh->n_nodes; ++i)
        add_mass_block(mesh, scale, mass->diagonal + (int64_t)i * mass->block, false,
                       pcs_saddle_diagonal(saddle, mesh->first_node + i));
    for (int32_t e = 0; e < mass->n_pairs; ++e) {
        const double *block = mass->coupling + (int64_t)e * mass->block;
        double *A[2];
        if (!find_blocks(saddle, mesh->first_node + mass->pair[e][0],
                         mesh->first_node + mass->pair[e][1], A))
            continue;
        add_mass_block(mesh, scale, block, false, A[0]);
        add_mass_block(mesh, scale, block, true, A[1]);
    }
}

static void mass(const pcs_model *model, const pcs_configuration *c, pcs_saddle *saddle)
{
    (void)c;
    for (int32_t k = 0; k < model->meshes.count; ++k)
        add_mesh_mass(&model->meshes.data[k], 1, saddle);
}

// ---- Forces ----

// Power of the viscous forces of an element along other velocities than its own
static double viscous_power(const pcs_fe_class *class, const pcs_fe *element, pcs_fe_state *state,
                            const double *f, int32_t n, const double *v, const int32_t *nodes)
{
    double elastic[PCS_FE_UNKNOWNS_MAX], sum = 0;
    for (int32_t i = 0; i < class->n_nodes; ++i)
        state->v[i] = state->w[i] = pcs_v3(0, 0, 0);
    (void)class->force(element, state, elastic);
    for (int32_t i = 0; i < class->n_nodes; ++i)
        for (int32_t r = 0; r < n; ++r)
            sum += (f[i * n + r] - elastic[i * n + r]) * v[nodes[i] * n + r];
    return sum;
}

static void add_elements(const pcs_model *model, const pcs_mesh *mesh, const pcs_mesh_part *part,
                         const pcs_configuration *c, double *f, pcs_power *power)
{
    const pcs_fe_class *class = part->class;
    const int32_t n = mesh->n_v, first = pcs_model_node(model, mesh->first_node)->v;
    if (power && power->alone && part->property.material.damping == 0)
        return;
    for (int32_t e = 0; e < part->n_elements; ++e) {
        const pcs_fe element = pcs_mesh_part_element(part, e);
        const int32_t *nodes = part->nodes + (int64_t)e * class->n_nodes;
        pcs_fe_state state;
        double f_e[PCS_FE_UNKNOWNS_MAX];
        pcs_mesh_gather(mesh, part, c, e, &state);
        (void)class->force(&element, &state, f_e);
        for (int32_t i = 0; i < class->n_nodes; ++i)
            for (int32_t r = 0; r < n; ++r)
                f[first + nodes[i] * n + r] += f_e[i * n + r];
        if (power && part->property.material.damping > 0)
            power->damping += viscous_power(class, &element, &state, f_e, n, power->v + first,
                                            nodes);
    }
}

// Weight, gyroscopic moments and the damping -a M v of the nodes
static void add_node_forces(const pcs_model *model, const pcs_mesh *mesh,
                            const pcs_configuration *c, double *f, pcs_power *power)
{
    const int32_t n = mesh->n_v, first = pcs_model_node(model, mesh->first_node)->v;
    const pcs_vec3 gravity = pcs_v3_scale(c->load, model->gravity);
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    for (int32_t i = 0; i < mesh->n_nodes; ++i) {
        double *f_i = f + first + i * n;
        for (int32_t r = 0; r < model->dimension; ++r)
            f_i[r] += mesh->node_mass[i] * g[r];
        if (mesh->kind != PCS_NODE_SPATIAL || !mesh->rotary)
            continue;
        const pcs_vec3 w = pcs_v3_load(c->v + first + i * n + 3);
        const pcs_vec3 moment = pcs_v3_cross(w, pcs_m3_mul_v3(&mesh->rotary[i], w));
        f_i[3] -= moment.x;
        f_i[4] -= moment.y;
        f_i[5] -= moment.z;
    }
    if (mesh->mass_damping == 0)
        return;
    const pcs_mesh_mass *m = &mesh->mass;
    const double *v = c->v + first;
    for (int32_t k = -mesh->n_nodes; k < m->n_pairs; ++k) { // nodes first, then pairs
        const int32_t i = k < 0 ? k + mesh->n_nodes : m->pair[k][0];
        const int32_t j = k < 0 ? i : m->pair[k][1];
        const double *block = k < 0 ? m->diagonal + (int64_t)i * m->block
                                    : m->coupling + (int64_t)k * m->block;
        double drag[2][PCS_NODE_V_MAX] = {{0}, {0}};
        multiply_block(mesh, block, false, v + j * n, drag[0]);
        if (i != j)
            multiply_block(mesh, block, true, v + i * n, drag[1]);
        for (int32_t r = 0; r < n; ++r) {
            f[first + i * n + r] -= mesh->mass_damping * drag[0][r];
            f[first + j * n + r] -= mesh->mass_damping * drag[1][r];
            if (power)
                power->damping -= mesh->mass_damping * (power->v[first + i * n + r] * drag[0][r] +
                                                        power->v[first + j * n + r] * drag[1][r]);
        }
    }
}

static double load_value(const pcs_mesh_load *load, int32_t i, const pcs_configuration *c)
{
    return c->load *
           (load->formula[i] ? pcs_formula_evaluate(load->formula[i], c->inputs) : load->number[i]);
}

static int32_t face_size(const int32_t face[PCS_FACE_NODES_MAX])
{
    return face[2] < 0 ? 2 : face[3] < 0 ? 3 : 4;
}

// Forces of a pressure on the nodes of a face (`dimension` numbers for each), and -df/dx
static int32_t pressure_of_face(const pcs_mesh *mesh, const pcs_configuration *c,
                                const int32_t *face, double pressure, double *f, double *K)
{
    const int32_t n = face_size(face);
    pcs_vec3 x[PCS_FACE_NODES_MAX];
    for (int32_t i = 0; i < n; ++i)
        x[i] = c->pose[mesh->first_node + face[i]].x;
    pcs_face_pressure(n, x, pressure, f, K);
    return n;
}

static void add_load(const pcs_model *model, const pcs_mesh_load *load, const pcs_configuration *c,
                     double *f, pcs_power *power)
{
    const pcs_mesh *mesh = &model->meshes.data[load->mesh];
    const pcs_mesh_group *group = &mesh->groups[load->group];
    const int32_t n = mesh->n_v, first = pcs_model_node(model, mesh->first_node)->v;
    const int32_t dimension = model->dimension;
    if (load->kind == PCS_MESH_LOAD_PRESSURE) {
        const double pressure = load_value(load, 0, c);
        for (int32_t k = 0; k < group->n_faces; ++k) {
            double f_face[3 * PCS_FACE_NODES_MAX];
            const int32_t size = pressure_of_face(mesh, c, group->faces[k], pressure, f_face, NULL);
            for (int32_t i = 0; i < size; ++i)
                for (int32_t r = 0; r < dimension; ++r) {
                    const int32_t at = first + group->faces[k][i] * n + r;
                    f[at] += f_face[i * dimension + r];
                    if (power)
                        power->applied += power->v[at] * f_face[i * dimension + r];
                }
        }
        return;
    }
    const double share = load->kind == PCS_MESH_LOAD_TOTAL ? 1.0 / group->n_nodes : 1.0;
    for (int32_t r = 0; r < dimension; ++r) {
        const double value = share * load_value(load, r, c);
        for (int32_t i = 0; i < group->n_nodes; ++i) {
            const int32_t at = first + group->nodes[i] * n + r;
            f[at] += value;
            if (power)
                power->applied += power->v[at] * value;
        }
    }
}

static void force(const pcs_model *model, const pcs_configuration *c, double *f, pcs_power *power)
{
    for (int32_t k = 0; k < model->meshes.count; ++k) {
        const pcs_mesh *mesh = &model->meshes.data[k];
        for (int32_t i = 0; i < mesh->n_parts; ++i)
            add_elements(model, mesh, &mesh->parts[i], c, f, power);
        add_node_forces(model, mesh, c, f, power);
    }
    for (int32_t k = 0; k < model->mesh_loads.count; ++k)
        add_load(model, &model->mesh_loads.data[k], c, f, power);
}

// ---- Tangents ----

// A_ij += scale times the block of nodes i and j in the matrix of an element
static inline void add_matrix_block(int32_t size, int32_t n, int32_t length, const double *block,
                                    double scale, double *A)
{
    for (int32_t r = 0; r < size; ++r)
        for (int32_t s = 0; s < size; ++s)
            A[r * n + s] += scale * block[r * length + s];
}

// A += the matrix of an element over the nodes of a mesh, `size` unknowns a node in it
static void add_matrix(const pcs_mesh *mesh, int32_t n_nodes, const int32_t *nodes, int32_t size,
                       const double *matrix, double scale, pcs_saddle *saddle)
{
    const int32_t n = mesh->n_v, length = n_nodes * size, first = mesh->first_node;
    for (int32_t i = 0; i < n_nodes; ++i) {
        const double *row = matrix + (int64_t)i * size * length;
        add_matrix_block(size, n, length, row + i * size, scale,
                         pcs_saddle_diagonal(saddle, first + nodes[i]));
        for (int32_t j = 0; j < i; ++j) {
            double *A[2];
            if (!find_blocks(saddle, first + nodes[i], first + nodes[j], A))
                continue;
            add_matrix_block(size, n, length, row + j * size, scale, A[0]);
            add_matrix_block(size, n, length, matrix + (int64_t)j * size * length + i * size, scale,
                             A[1]);
        }
    }
}

static void add_gyroscopic_tangent(const pcs_model *model, const pcs_mesh *mesh,
                                   const pcs_configuration *c, double scale_C, pcs_saddle *saddle)
{
    for (int32_t i = 0; i < mesh->n_nodes; ++i) {
        const pcs_node *node = pcs_model_node(model, mesh->first_node + i);
        const pcs_vec3 w = pcs_v3_load(c->v + node->v + 3);
        const pcs_mat3 S = pcs_m3_skew(w), SJ = pcs_m3_mul(&S, &mesh->rotary[i]);
        const pcs_mat3 SL = pcs_m3_skew(pcs_m3_mul_v3(&mesh->rotary[i], w));
        double *A = pcs_saddle_diagonal(saddle, mesh->first_node + i);
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s)
                A[(3 + r) * 6 + 3 + s] += scale_C * (SJ.m[r][s] - SL.m[r][s]);
    }
}

// Follower pressures, and loads whose formulas read the state
static void add_load_tangent(const pcs_model *model, const pcs_mesh_load *load,
                             const pcs_configuration *c, double scale_K, double scale_C,
                             pcs_saddle *saddle)
{
    const pcs_mesh *mesh = &model->meshes.data[load->mesh];
    const pcs_mesh_group *group = &mesh->groups[load->group];
    const int32_t dimension = model->dimension;
    double f[3 * PCS_FACE_NODES_MAX], K[9 * PCS_FACE_NODES_MAX * PCS_FACE_NODES_MAX];
    double row[1][PCS_NODE_V_MAX] = {{0}};
    if (load->kind == PCS_MESH_LOAD_PRESSURE) {
        const double pressure = load_value(load, 0, c);
        for (int32_t k = 0; k < group->n_faces; ++k) {
            const int32_t *face = group->faces[k];
            const int32_t n = pressure_of_face(mesh, c, face, pressure, f, K);
            add_matrix(mesh, n, face, dimension, K, scale_K, saddle);
            if (!load->formula[0])
                continue;
            pressure_of_face(mesh, c, face, c->load, f, NULL);
            for (int32_t i = 0; i < n; ++i) {
                const int32_t node = mesh->first_node + face[i];
                memcpy(row[0], f + i * dimension, sizeof(double) * (size_t)dimension);
                pcs_element_add_formula_tangent(model, c, load->formula[0], 1, &node,
                                                (const double(*)[PCS_NODE_V_MAX])row, scale_K,
                                                scale_C, saddle);
            }
        }
        return;
    }
    const double share = load->kind == PCS_MESH_LOAD_TOTAL ? 1.0 / group->n_nodes : 1.0;
    for (int32_t r = 0; r < dimension; ++r) {
        if (!load->formula[r])
            continue;
        memset(row, 0, sizeof row);
        row[0][r] = c->load * share;
        for (int32_t i = 0; i < group->n_nodes; ++i) {
            const int32_t node = mesh->first_node + group->nodes[i];
            pcs_element_add_formula_tangent(model, c, load->formula[r], 1, &node,
                                            (const double(*)[PCS_NODE_V_MAX])row, scale_K, scale_C,
                                            saddle);
        }
    }
}

static void tangent(const pcs_model *model, const pcs_configuration *c, double scale_K,
                    double scale_C, pcs_saddle *saddle)
{
    for (int32_t k = 0; k < model->meshes.count; ++k) {
        const pcs_mesh *mesh = &model->meshes.data[k];
        for (int32_t p = 0; p < mesh->n_parts; ++p) {
            const pcs_mesh_part *part = &mesh->parts[p];
            const pcs_fe_class *class = part->class;
            if (scale_K == 0 && part->property.material.damping == 0)
                continue;
            for (int32_t e = 0; e < part->n_elements; ++e) {
                const pcs_fe element = pcs_mesh_part_element(part, e);
                pcs_fe_state state;
                double A[PCS_FE_UNKNOWNS_MAX * PCS_FE_UNKNOWNS_MAX];
                pcs_mesh_gather(mesh, part, c, e, &state);
                class->tangent(&element, &state, scale_K, scale_C, A);
                add_matrix(mesh, class->n_nodes, part->nodes + (int64_t)e * class->n_nodes,
                           mesh->n_v, A, 1, saddle);
            }
        }
        if (mesh->rotary && mesh->kind == PCS_NODE_SPATIAL && scale_C != 0)
            add_gyroscopic_tangent(model, mesh, c, scale_C, saddle);
        if (mesh->mass_damping != 0 && scale_C != 0)
            add_mesh_mass(mesh, scale_C * mesh->mass_damping, saddle);
    }
    for (int32_t k = 0; k < model->mesh_loads.count; ++k)
        add_load_tangent(model, &model->mesh_loads.data[k], c, scale_K, scale_C, saddle);
}

// ---- Energies ----

double pcs_mesh_kinetic(const pcs_model *model, const pcs_mesh *mesh, const pcs_configuration *c)
{
    const pcs_mesh_mass *m = &mesh->mass;
    const int32_t n = mesh->n_v;
    const double *v = c->v + pcs_model_node(model, mesh->first_node)->v;
    double T = 0;
    for (int32_t i = 0; i < mesh->n_nodes; ++i) {
        double p[PCS_NODE_V_MAX] = {0};
        multiply_block(mesh, m->diagonal + (int64_t)i * m->block, false, v + i * n, p);
        T += 0.5 * pcs_kernel_dot(n, p, v + i * n);
    }
    for (int32_t e = 0; e < m->n_pairs; ++e) {
        double p[PCS_NODE_V_MAX] = {0};
        multiply_block(mesh, m->coupling + (int64_t)e * m->block, false, v + m->pair[e][1] * n, p);
        T += pcs_kernel_dot(n, p, v + m->pair[e][0] * n);
    }
    return T;
}

static double kinetic(const pcs_model *model, const pcs_configuration *c)
{
    double T = 0;
    for (int32_t k = 0; k < model->meshes.count; ++k)
        T += pcs_mesh_kinetic(model, &model->meshes.data[k], c);
    return T;
}

double pcs_mesh_strain_energy(const pcs_mesh *mesh, const pcs_configuration *c)
{
    double V = 0;
    for (int32_t p = 0; p < mesh->n_parts; ++p) {
        const pcs_mesh_part *part = &mesh->parts[p];
        for (int32_t e = 0; e < part->n_elements; ++e) {
            const pcs_fe element = pcs_mesh_part_element(part, e);
            pcs_fe_state state;
            pcs_mesh_gather(mesh, part, c, e, &state);
            V += part->class->energy(&element, &state);
        }
    }
    return V;
}

static double potential(const pcs_model *model, const pcs_configuration *c)
{
    double V = 0;
    for (int32_t k = 0; k < model->meshes.count; ++k) {
        const pcs_mesh *mesh = &model->meshes.data[k];
        V += pcs_mesh_strain_energy(mesh, c);
        for (int32_t i = 0; i < mesh->n_nodes; ++i)
            V -= c->load * mesh->node_mass[i] *
                 pcs_v3_dot(model->gravity, c->pose[mesh->first_node + i].x);
    }
    return V;
}

const pcs_element_class pcs_mesh_class = {
    .name = "mesh",
    .mass_multiply = mass_multiply,
    .mass = mass,
    .force = force,
    .tangent = tangent,
    .kinetic = kinetic,
    .potential = potential,
};

// Building: meshes, their loads, and the joints that fix or link their nodes.
#include <string.h>

#include "base/text.h"
#include "model/builder.h"
#include "model/mesh_build.h"

pcs_mesh_def pcs_mesh_default(void)
{
    return (pcs_mesh_def){.rotation = {1, 0, 0, 0}};
}

pcs_status pcs_builder_find_group(pcs_builder *builder, const pcs_mesh *mesh, const char *name,
                                  int32_t *group)
{
    enum { CANDIDATES_MAX = 64 };
    *group = name ? pcs_mesh_find_group(mesh, name) : -1;
    if (*group >= 0)
        return PCS_OK;
    const char *candidates[CANDIDATES_MAX];
    int32_t count = 0;
    while (count < mesh->n_groups && count < CANDIDATES_MAX) {
        candidates[count] = mesh->groups[count].name;
        ++count;
    }
    const char *nearest = name ? pcs_text_nearest(name, candidates, count) : NULL;
    if (nearest)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "mesh '%s': there is no group '%s'; did you mean '%s'?", mesh->name, name,
                         nearest);
    return pcs_error(builder->ctx, PCS_ERROR_MODEL, "mesh '%s': there is no group '%s'", mesh->name,
                     name ? name : "");
}

// ---- Fixations and loads ----

static pcs_status take_fixations(pcs_builder *builder, const pcs_mesh_def *def, pcs_mesh *mesh)
{
    const pcs_model *model = builder->model;
    mesh->fixations = PCS_NEW_ARRAY(builder->ctx, pcs_mesh_fixation, def->n_fixations);
    if (!mesh->fixations)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < def->n_fixations; ++i) {
        const pcs_mesh_fixation_def *from = &def->fixations[i];
        pcs_mesh_fixation *to = &mesh->fixations[mesh->n_fixations++];
        PCS_TRY(pcs_builder_find_group(builder, mesh, from->group, &to->group));
        to->linked = from->linked;
        to->body = from->body;
        memcpy(to->fixed, from->fixed, sizeof to->fixed);
        if (from->linked && (from->body < 0 || from->body >= model->bodies.count))
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "mesh '%s': group '%s' is linked to body %d, which does not exist",
                             def->name, from->group, (int)from->body);
        bool any = from->linked, rotation = false;
        for (int k = 0; k < 6; ++k) {
            any = any || from->fixed[k];
            rotation = rotation || (k >= 3 && from->fixed[k]);
        }
        if (!any)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "mesh '%s': the fixation of group '%s' fixes nothing; name components",
                             def->name, from->group);
        const bool turns = pcs_node_turns(mesh->kind);
        if (rotation && !turns)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "mesh '%s': group '%s' has points, which have no rotation to fix",
                             def->name, from->group);
        if (model->dimension == 2 && (from->fixed[2] || from->fixed[3] || from->fixed[4]))
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "mesh '%s': a planar model has x, y and the rotation about z to fix",
                             def->name);
    }
    return PCS_OK;
}

static pcs_status take_load(pcs_builder *builder, const pcs_mesh *mesh, int32_t index,
                            const pcs_mesh_load_def *def)
{
    pcs_model *model = builder->model;
    pcs_mesh_load load = {.kind = def->kind, .mesh = index};
    PCS_TRY(pcs_builder_find_group(builder, mesh, def->group, &load.group));
    const bool pressure = def->kind == PCS_MESH_LOAD_PRESSURE;
    if (pressure && mesh->groups[load.group].n_faces == 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "mesh '%s': group '%s' has no faces for a pressure to act on", mesh->name,
                         def->group);
    for (int i = 0; i < (pressure ? 1 : 3); ++i) {
        const pcs_value *value = &def->value[i];
        if (i == 2 && model->dimension == 2 && (value->formula || value->number != 0))
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "mesh '%s': a planar model has forces in x and y", mesh->name);
        PCS_TRY(pcs_builder_take_value(builder, "load of mesh", mesh->name, value,
                                       PCS_PLACE_MESH_LOAD, model->mesh_loads.count, i,
                                       &load.number[i]));
    }
    return PCS_PUSH(builder->ctx, &model->mesh_loads, load) ? PCS_OK : PCS_ERROR_MEMORY;
}

// ---- Adding ----

static pcs_status push_nodes(pcs_builder *builder, pcs_mesh *mesh)
{
    pcs_model *model = builder->model;
    mesh->first_node = model->nodes.count;
    for (int32_t i = 0; i < mesh->n_nodes; ++i) {
        pcs_node node = {mesh->kind, model->n_q, model->n_v, pcs_node_q_size(mesh->kind),
                         mesh->n_v};
        if (!PCS_PUSH(builder->ctx, &model->nodes, node))
            return PCS_ERROR_MEMORY;
        model->n_q += node.n_q;
        model->n_v += node.n_v;
    }
    return PCS_OK;
}

// Takes back what a refused mesh has left in the model.
static void drop(pcs_builder *builder, pcs_mesh *mesh, int32_t n_nodes, int32_t n_loads)
{
    pcs_model *model = builder->model;
    while (model->nodes.count > n_nodes) {
        const pcs_node *node = &model->nodes.data[--model->nodes.count];
        model->n_q -= node->n_q;
        model->n_v -= node->n_v;
    }
    model->mesh_loads.count = n_loads;
    pcs_mesh_free(builder->ctx, mesh);
}

static pcs_status build(pcs_builder *builder, const pcs_mesh_def *def, pcs_mesh *mesh)
{
    pcs_model *model = builder->model;
    const pcs_status status = pcs_mesh_build(builder->ctx, def, model->dimension, mesh);
    if (status < 0)
        return pcs_error_prefix(builder->ctx, status, "mesh '%s'", def->name);
    PCS_TRY(push_nodes(builder, mesh));
    PCS_TRY(take_fixations(builder, def, mesh));
    for (int32_t i = 0; i < def->n_loads; ++i)
        PCS_TRY(take_load(builder, mesh, model->meshes.count, &def->loads[i]));
    return PCS_PUSH(builder->ctx, &model->meshes, *mesh) ? PCS_OK : PCS_ERROR_MEMORY;
}

pcs_status pcs_builder_add_mesh(pcs_builder *builder, const pcs_mesh_def *def, pcs_mesh_id *id)
{
    PCS_TRY(pcs_builder_check_new_name(builder, PCS_NAMED_MESH, def->name));
    pcs_model *model = builder->model;
    const int32_t n_nodes = model->nodes.count, n_loads = model->mesh_loads.count;
    const pcs_builder_mark mark = pcs_builder_get_mark(builder);
    pcs_mesh mesh = {0};
    const pcs_status status = build(builder, def, &mesh);
    if (status < 0) {
        pcs_builder_release(builder, &mark);
        drop(builder, &mesh, n_nodes, n_loads);
        return status;
    }
    pcs_builder_keep_name(builder, PCS_NAMED_MESH, mesh.name, model->meshes.count - 1);
    if (id)
        *id = model->meshes.count - 1;
    return PCS_OK;
}

// ---- Nodes as places of frames ----

static pcs_status check_mesh(pcs_builder *builder, pcs_mesh_id mesh)
{
    PCS_TRY(pcs_builder_check_open(builder));
    if (mesh < 0 || mesh >= builder->model->meshes.count)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "there is no mesh %d", (int)mesh);
    return PCS_OK;
}

pcs_status pcs_builder_mesh_node(pcs_builder *builder, pcs_mesh_id mesh, int32_t node, int32_t *id)
{
    PCS_TRY(check_mesh(builder, mesh));
    const pcs_mesh *m = &builder->model->meshes.data[mesh];
    if (node < 0 || node >= m->n_nodes)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "mesh '%s': there is no node %d; it has nodes 0 to %d", m->name, (int)node,
                         (int)(m->n_nodes - 1));
    *id = m->first_node + node + 1;
    return PCS_OK;
}

pcs_status pcs_builder_mesh_group_node(pcs_builder *builder, pcs_mesh_id mesh, const char *group,
                                       int32_t *id)
{
    PCS_TRY(check_mesh(builder, mesh));
    const pcs_mesh *m = &builder->model->meshes.data[mesh];
    int32_t k;
    PCS_TRY(pcs_builder_find_group(builder, m, group, &k));
    if (m->groups[k].n_nodes != 1)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "mesh '%s': group '%s' has %d nodes, where one is needed", m->name, group,
                         (int)m->groups[k].n_nodes);
    return pcs_builder_mesh_node(builder, mesh, m->groups[k].nodes[0], id);
}

pcs_status pcs_builder_node_position(pcs_builder *builder, int32_t id, pcs_vec3 *position)
{
    pcs_frame frame = pcs_frame_default();
    frame.node = id;
    PCS_TRY(pcs_builder_check_open(builder));
    PCS_TRY(pcs_builder_check_frame(builder, "frame", "node", &frame));
    *position = pcs_builder_frame_pose(builder, &frame).x;
    return PCS_OK;
}

pcs_status pcs_builder_node_frame_at(pcs_builder *builder, int32_t id, pcs_vec3 position,
                                     pcs_quat rotation, pcs_frame *out)
{
    pcs_vec3 origin;
    PCS_TRY(pcs_builder_node_position(builder, id, &origin));
    *out = (pcs_frame){.body = PCS_GROUND, .position = position, .rotation = rotation, .node = id};
    PCS_TRY(pcs_builder_check_frame(builder, "frame", "node", out));
    const pcs_model *model = builder->model;
    const pcs_mesh *mesh = &model->meshes.data[pcs_model_mesh_of_node(model, id - 1)];
    out->position = pcs_m3_tmul_v3(&mesh->R, pcs_v3_sub(position, origin));
    out->rotation = pcs_quat_normalize(
        pcs_quat_mul(pcs_quat_conjugate(mesh->rotation), pcs_quat_normalize(rotation)));
    if (model->dimension == 2)
        out->position.z = 0;
    return PCS_OK;
}

// ---- Joints that hold nodes ----

// Rows for the components in `fixed`: translations along the axes of the world, rotations as those
// of a fixed joint where all of them are held, otherwise as components of the rotation vector.
static void choose_rows(const bool fixed[6], int32_t dimension, pcs_joint *joint)
{
    for (int8_t k = 0; k < 3; ++k)
        if (fixed[k])
            joint->row[joint->n_rows++] = (pcs_coordinate){PCS_COORDINATE_WORLD, k, 0, -1};
    if (dimension == 2) {
        if (fixed[5])
            joint->row[joint->n_rows++] = (pcs_coordinate){PCS_COORDINATE_ANGLE, 2, 2, -1};
        return;
    }
    const bool all = fixed[3] && fixed[4] && fixed[5];
    for (int8_t k = 0; k < 3; ++k) {
        if (all)
            joint->row[joint->n_rows++] = (pcs_coordinate){PCS_COORDINATE_DOT, k,
                                                           (int8_t)((k + 1) % 3), -1};
        else if (fixed[3 + k])
            joint->row[joint->n_rows++] = (pcs_coordinate){PCS_COORDINATE_ROTATION, k, k, -1};
    }
}

static pcs_status push_hold(pcs_builder *builder, const pcs_mesh *mesh, int32_t node,
                            const bool fixed[6], const pcs_frame *to)
{
    pcs_model *model = builder->model;
    const pcs_pose at = pcs_mesh_initial_pose(mesh, mesh->first_node + node);
    const bool turns = pcs_node_turns(mesh->kind);
    pcs_joint joint = {
        .kind = turns ? PCS_JOINT_FIXED : PCS_JOINT_SPHERICAL, .row_block = -1, .hold = true};
    // Frame a: where the node is at the start, seen from the body or the ground.
    const pcs_pose base = pcs_builder_frame_pose(builder, to);
    joint.pair.a = pcs_builder_attach(builder, to);
    const pcs_vec3 arm = pcs_m3_tmul_v3(&base.R, pcs_v3_sub(at.x, base.x));
    const pcs_mat3 turn = pcs_m3_tmul(&base.R, &at.R);
    joint.pair.a.p = pcs_v3_add(joint.pair.a.p, pcs_m3_mul_v3(&joint.pair.a.R, arm));
    joint.pair.a.R = pcs_m3_mul(&joint.pair.a.R, &turn);
    joint.pair.b.node = mesh->first_node + node;
    joint.pair.b.R = (pcs_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    choose_rows(fixed, model->dimension, &joint);
    char name[PCS_NODE_NAME_SIZE];
    joint.name = pcs_strdup(builder->ctx, pcs_model_node_name(model, joint.pair.b.node, name));
    if (!joint.name || !PCS_PUSH(builder->ctx, &model->joints, joint)) {
        pcs_free(builder->ctx, joint.name);
        return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

// Fixations of one mesh: components of all of them together, one joint for each node.
static pcs_status hold_in_world(pcs_builder *builder, const pcs_mesh *mesh)
{
    typedef struct components {
        bool fixed[6];
    } components;
    pcs_context *ctx = builder->ctx;
    components *of = PCS_NEW_ARRAY(ctx, components, mesh->n_nodes);
    if (!of)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < mesh->n_fixations; ++i) {
        const pcs_mesh_fixation *fixation = &mesh->fixations[i];
        const pcs_mesh_group *group = &mesh->groups[fixation->group];
        for (int32_t k = 0; k < group->n_nodes && !fixation->linked; ++k)
            for (int c = 0; c < 6; ++c)
                of[group->nodes[k]].fixed[c] = of[group->nodes[k]].fixed[c] || fixation->fixed[c];
    }
    const pcs_frame ground = pcs_frame_default();
    pcs_status status = PCS_OK;
    for (int32_t i = 0; i < mesh->n_nodes && status == PCS_OK; ++i) {
        const bool *f = of[i].fixed;
        if (f[0] || f[1] || f[2] || f[3] || f[4] || f[5])
            status = push_hold(builder, mesh, i, f, &ground);
    }
    pcs_free(ctx, of);
    return status;
}

pcs_status pcs_builder_add_holds(pcs_builder *builder)
{
    pcs_model *model = builder->model;
    model->n_shown_joints = model->joints.count;
    for (int32_t k = 0; k < model->meshes.count; ++k) {
        const pcs_mesh *mesh = &model->meshes.data[k];
        PCS_TRY(hold_in_world(builder, mesh));
        const bool turns = pcs_node_turns(mesh->kind);
        const bool spatial = model->dimension == 3;
        const bool all[6] = {true, true, spatial, turns && spatial, turns && spatial, turns};
        for (int32_t i = 0; i < mesh->n_fixations; ++i) {
            const pcs_mesh_fixation *fixation = &mesh->fixations[i];
            if (!fixation->linked)
                continue;
            pcs_frame frame = pcs_frame_default();
            frame.body = fixation->body;
            const pcs_mesh_group *group = &mesh->groups[fixation->group];
            for (int32_t n = 0; n < group->n_nodes; ++n)
                PCS_TRY(push_hold(builder, mesh, group->nodes[n], all, &frame));
        }
    }
    return PCS_OK;
}

void pcs_builder_drop_holds(pcs_builder *builder)
{
    pcs_model *model = builder->model;
    while (model->joints.count > 0 && model->joints.data[model->joints.count - 1].hold)
        pcs_free(builder->ctx, model->joints.data[--model->joints.count].name);
    model->n_shown_joints = model->joints.count;
}

// ---- Looking at meshes ----

int32_t pcs_model_mesh_count(const pcs_model *model)
{
    return model->meshes.count;
}

const char *pcs_model_mesh_name(const pcs_model *model, pcs_mesh_id mesh)
{
    return PCS_HAS(&model->meshes, mesh) ? model->meshes.data[mesh].name : NULL;
}

int32_t pcs_model_mesh_node_count(const pcs_model *model, pcs_mesh_id mesh)
{
    return PCS_HAS(&model->meshes, mesh) ? model->meshes.data[mesh].n_nodes : 0;
}

double pcs_model_mesh_mass(const pcs_model *model, pcs_mesh_id mesh)
{
    const pcs_mesh *m = PCS_HAS(&model->meshes, mesh) ? &model->meshes.data[mesh] : NULL;
    double sum = 0;
    for (int32_t i = 0; m && i < m->n_nodes; ++i)
        sum += m->node_mass[i];
    return sum;
}

bool pcs_model_mesh_turns(const pcs_model *model, pcs_mesh_id mesh)
{
    return PCS_HAS(&model->meshes, mesh) && pcs_node_turns(model->meshes.data[mesh].kind);
}

const pcs_vec3 *pcs_model_mesh_start(const pcs_model *model, pcs_mesh_id mesh)
{
    return PCS_HAS(&model->meshes, mesh) ? model->meshes.data[mesh].X : NULL;
}

int32_t pcs_model_mesh_part_count(const pcs_model *model, pcs_mesh_id mesh)
{
    return PCS_HAS(&model->meshes, mesh) ? model->meshes.data[mesh].n_parts : 0;
}

pcs_mesh_part_view pcs_model_mesh_part(const pcs_model *model, pcs_mesh_id mesh, int32_t part)
{
    if (part < 0 || part >= pcs_model_mesh_part_count(model, mesh))
        return (pcs_mesh_part_view){0};
    const pcs_mesh_part *p = &model->meshes.data[mesh].parts[part];
    return (pcs_mesh_part_view){.name = p->name,
                                .kind = p->class->kind,
                                .nodes_per_element = p->class->n_nodes,
                                .n_elements = p->n_elements,
                                .nodes = p->nodes,
                                .section = &p->property.section,
                                .n_results = p->class->n_results,
                                .results_names = p->class->results_names};
}

pcs_mesh_group_view pcs_model_mesh_group(const pcs_model *model, pcs_mesh_id mesh, int32_t group)
{
    const pcs_mesh *m = PCS_HAS(&model->meshes, mesh) ? &model->meshes.data[mesh] : NULL;
    if (!m || group < 0 || group >= m->n_groups)
        return (pcs_mesh_group_view){0};
    const pcs_mesh_group *g = &m->groups[group];
    return (pcs_mesh_group_view){.name = g->name,
                                 .nodes = g->nodes,
                                 .n_nodes = g->n_nodes,
                                 .faces = (const int32_t(*)[PCS_FACE_NODES_MAX])g->faces,
                                 .n_faces = g->n_faces};
}

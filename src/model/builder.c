// Building a model: creation, parameters, bodies, forces and the checks that all parts share.
#include "model/builder.h"

#include <ctype.h>
#include <string.h>

#include "geometry/shape.h"

// ---- Defaults ----

static const pcs_quat no_rotation = {1, 0, 0, 0};

pcs_body_def pcs_body_default(void)
{
    return (pcs_body_def){.rotation = no_rotation, .inertia_rotation = no_rotation};
}

pcs_frame pcs_frame_default(void)
{
    return (pcs_frame){.body = PCS_GROUND, .rotation = no_rotation};
}

pcs_force_def pcs_force_default(void)
{
    return (pcs_force_def){.body = PCS_GROUND};
}

// ---- Creation ----

pcs_status pcs_builder_create(pcs_context *ctx, int32_t dimension, pcs_builder **out)
{
    *out = NULL;
    if (dimension != 2 && dimension != 3)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "dimension must be 2 or 3, not %d", dimension);
    pcs_builder *builder = PCS_NEW(ctx, pcs_builder);
    if (!builder)
        return PCS_ERROR_MEMORY;
    builder->ctx = ctx;
    builder->model = PCS_NEW(ctx, pcs_model);
    if (!builder->model) {
        pcs_free(ctx, builder);
        return PCS_ERROR_MEMORY;
    }
    builder->model->ctx = ctx;
    builder->model->dimension = dimension;
    *out = builder;
    return PCS_OK;
}

void pcs_builder_destroy(pcs_builder *builder)
{
    if (!builder)
        return;
    pcs_context *ctx = builder->ctx;
    pcs_model_destroy(builder->model);
    for (int32_t i = 0; i < builder->parameters.count; ++i)
        pcs_free(ctx, builder->parameters.data[i].name);
    PCS_ARRAY_FREE(ctx, &builder->parameters);
    for (int32_t i = 0; i < builder->formulas.count; ++i)
        pcs_free(ctx, builder->formulas.data[i].text);
    PCS_ARRAY_FREE(ctx, &builder->formulas);
    pcs_name_map_free(ctx, &builder->names);
    pcs_free(ctx, builder);
}

pcs_builder_mark pcs_builder_get_mark(const pcs_builder *builder)
{
    const pcs_model *model = builder->model;
    return (pcs_builder_mark){builder->formulas.count, model->springs.count, model->actuators.count,
                              model->limits.count, model->n_turns};
}

void pcs_builder_release(pcs_builder *builder, const pcs_builder_mark *mark)
{
    pcs_model *model = builder->model;
    while (builder->formulas.count > mark->formulas)
        pcs_free(builder->ctx, builder->formulas.data[--builder->formulas.count].text);
    while (model->springs.count > mark->springs)
        pcs_free(builder->ctx, model->springs.data[--model->springs.count].name);
    model->actuators.count = mark->actuators; // their formulas are still texts
    model->limits.count = mark->limits;
    model->n_turns = mark->turns;
}

pcs_status pcs_builder_set_parameter(pcs_builder *builder, const char *name, double value)
{
    PCS_TRY(pcs_builder_check_name(builder, "parameter", name));
    static const char *const taken[] = {"t", "pi", "tau"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; ++i)
        if (strcmp(name, taken[i]) == 0)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "parameter '%s': the name has a meaning of its own in formulas", name);
    if (!isfinite(value))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "parameter '%s': must be a finite number",
                         name);
    const int32_t known = pcs_name_map_find(&builder->names, PCS_NAMED_PARAMETER, name,
                                            strlen(name));
    if (known >= 0) {
        builder->parameters.data[known].value = value;
        return PCS_OK;
    }
    PCS_TRY(pcs_builder_check_new_name(builder, PCS_NAMED_PARAMETER, name));
    pcs_parameter parameter = {pcs_strdup(builder->ctx, name), value};
    if (!parameter.name)
        return PCS_ERROR_MEMORY;
    if (!PCS_PUSH(builder->ctx, &builder->parameters, parameter)) {
        pcs_free(builder->ctx, parameter.name);
        return PCS_ERROR_MEMORY;
    }
    pcs_builder_keep_name(builder, PCS_NAMED_PARAMETER, parameter.name,
                          builder->parameters.count - 1);
    return PCS_OK;
}

pcs_status pcs_builder_add_input(pcs_builder *builder, const char *name, double value)
{
    PCS_TRY(pcs_builder_check_new_name(builder, PCS_NAMED_INPUT, name));
    pcs_model *model = builder->model;
    if (!isfinite(value))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "input '%s': must be a finite number",
                         name);
    pcs_external external = {pcs_strdup(builder->ctx, name), value};
    if (!external.name)
        return PCS_ERROR_MEMORY;
    if (!PCS_PUSH(builder->ctx, &model->externals, external)) {
        pcs_free(builder->ctx, external.name);
        return PCS_ERROR_MEMORY;
    }
    pcs_builder_keep_name(builder, PCS_NAMED_INPUT, external.name, model->externals.count - 1);
    return PCS_OK;
}

pcs_status pcs_builder_set_gravity(pcs_builder *builder, pcs_vec3 gravity)
{
    PCS_TRY(pcs_builder_check_open(builder));
    if (!pcs_v3_is_finite(gravity))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "gravity: must be finite numbers");
    if (builder->model->dimension == 2 && gravity.z != 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "gravity: a planar model has no z");
    builder->model->gravity = gravity;
    return PCS_OK;
}

// ---- Shared checks ----

pcs_status pcs_builder_check_open(pcs_builder *builder)
{
    if (!builder->model)
        return pcs_error(builder->ctx, PCS_ERROR_ARGUMENT, "the model is finished already");
    return PCS_OK;
}

pcs_status pcs_builder_check_name(pcs_builder *builder, const char *what, const char *name)
{
    PCS_TRY(pcs_builder_check_open(builder));
    if (!name || !*name)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "a %s needs a name", what);
    bool good = isalpha((unsigned char)*name) || *name == '_';
    for (const char *c = name; *c; ++c)
        good = good && (isalnum((unsigned char)*c) || *c == '_');
    if (!good)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "%s '%s': a name has letters, digits and _ and begins with a letter", what,
                         name);
    return PCS_OK;
}

pcs_status pcs_builder_check_new_name(pcs_builder *builder, pcs_named_kind kind, const char *name)
{
    static const char *const kinds[] = {
        [PCS_NAMED_PARAMETER] = "parameter", [PCS_NAMED_INPUT] = "input",
        [PCS_NAMED_BODY] = "body",           [PCS_NAMED_JOINT] = "joint",
        [PCS_NAMED_MESH] = "mesh",           [PCS_NAMED_SYSTEM] = "system",
        [PCS_NAMED_CONTACT] = "contact",
    };
    PCS_TRY(pcs_builder_check_name(builder, kinds[kind], name));
    if (pcs_name_map_find(&builder->names, (int32_t)kind, name, strlen(name)) >= 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "%s '%s': the name is taken", kinds[kind],
                         name);
    return pcs_name_map_reserve(builder->ctx, &builder->names) ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_builder_keep_name(pcs_builder *builder, pcs_named_kind kind, const char *name,
                           int32_t number)
{
    pcs_name_map_add(&builder->names, (int32_t)kind, name, number);
}

pcs_status pcs_builder_check_frame(pcs_builder *builder, const char *what, const char *name,
                                   const pcs_frame *frame)
{
    const pcs_model *model = builder->model;
    if (frame->node != 0 &&
        (frame->node < 0 || frame->body != PCS_GROUND ||
         pcs_model_mesh_of_node(model, frame->node - 1) < 0))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "%s '%s': a frame on a node of a mesh names no body, and its node comes "
                         "from pcs_builder_mesh_node()",
                         what, name);
    if (frame->body < PCS_GROUND || frame->body >= model->bodies.count)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "%s '%s': there is no body %d", what, name,
                         frame->body);
    double norm = pcs_quat_norm(frame->rotation);
    if (!pcs_v3_is_finite(frame->position) || !(fabs(norm - 1) < 1e-6))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "%s '%s': a frame needs a finite position and a unit quaternion", what,
                         name);
    if (model->dimension == 2 &&
        (frame->position.z != 0 || fabs(frame->rotation.x) + fabs(frame->rotation.y) > 1e-12))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "%s '%s': a frame of a planar model lies in the x-y plane", what, name);
    return PCS_OK;
}

pcs_status pcs_builder_take_value(pcs_builder *builder, const char *what, const char *name,
                                  const pcs_value *value, pcs_formula_place place, int32_t index,
                                  int32_t component, double *number)
{
    *number = value->number;
    if (!value->formula) {
        if (!isfinite(value->number))
            return pcs_error(builder->ctx, PCS_ERROR_MODEL, "%s '%s': must be a finite number",
                             what, name);
        return PCS_OK;
    }
    pcs_pending_formula pending = {pcs_strdup(builder->ctx, value->formula), place, index,
                                   component};
    if (!pending.text)
        return PCS_ERROR_MEMORY;
    if (!PCS_PUSH(builder->ctx, &builder->formulas, pending)) {
        pcs_free(builder->ctx, pending.text);
        return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

// ---- Frames ----

static pcs_quat body_rotation(const pcs_model *model, const pcs_body *body)
{
    if (model->dimension == 3)
        return body->rotation;
    return (pcs_quat){cos(0.5 * body->angle), 0, 0, sin(0.5 * body->angle)};
}

// The mesh of a frame's node
static const pcs_mesh *mesh_of(const pcs_model *model, int32_t node)
{
    return &model->meshes.data[pcs_model_mesh_of_node(model, node - 1)];
}

pcs_pose pcs_builder_frame_pose(const pcs_builder *builder, const pcs_frame *frame)
{
    pcs_quat rotation = pcs_quat_normalize(frame->rotation);
    if (frame->node > 0) {
        const pcs_mesh *mesh = mesh_of(builder->model, frame->node);
        const pcs_pose at = pcs_mesh_initial_pose(mesh, frame->node - 1);
        return (pcs_pose){pcs_v3_add(at.x, pcs_m3_mul_v3(&mesh->R, frame->position)),
                          pcs_quat_matrix(pcs_quat_mul(mesh->rotation, rotation))};
    }
    if (frame->body == PCS_GROUND)
        return (pcs_pose){frame->position, pcs_quat_matrix(rotation)};
    const pcs_body *body = &builder->model->bodies.data[frame->body];
    pcs_quat p = body_rotation(builder->model, body);
    return (pcs_pose){pcs_v3_add(body->position, pcs_quat_rotate(p, frame->position)),
                      pcs_quat_matrix(pcs_quat_mul(p, rotation))};
}

pcs_attachment pcs_builder_attach(const pcs_builder *builder, const pcs_frame *frame)
{
    pcs_attachment at = {-1, frame->position, pcs_quat_matrix(pcs_quat_normalize(frame->rotation))};
    if (frame->node > 0) {
        const pcs_mesh *mesh = mesh_of(builder->model, frame->node);
        at.node = frame->node - 1;
        if (!pcs_node_turns(mesh->kind)) { // the node has the axes of the world
            at.p = pcs_m3_mul_v3(&mesh->R, at.p);
            at.R = pcs_m3_mul(&mesh->R, &at.R);
        }
    } else if (frame->body != PCS_GROUND) {
        const pcs_body *body = &builder->model->bodies.data[frame->body];
        at.node = body->node;
        at.p = pcs_v3_sub(frame->position, body->center);
    }
    return at;
}

pcs_status pcs_builder_frame_at(pcs_builder *builder, pcs_body_id body, pcs_vec3 position,
                                pcs_quat rotation, pcs_frame *out)
{
    *out = (pcs_frame){.body = body, .position = position, .rotation = rotation};
    PCS_TRY(pcs_builder_check_open(builder));
    PCS_TRY(pcs_builder_check_frame(builder, "frame", "at", out));
    if (body == PCS_GROUND)
        return PCS_OK;
    const pcs_body *b = &builder->model->bodies.data[body];
    pcs_quat inverse = pcs_quat_conjugate(body_rotation(builder->model, b));
    out->position = pcs_quat_rotate(inverse, pcs_v3_sub(position, b->position));
    out->rotation = pcs_quat_normalize(pcs_quat_mul(inverse, pcs_quat_normalize(rotation)));
    if (builder->model->dimension == 2)
        out->position.z = 0;
    return PCS_OK;
}

// ---- Bodies ----

static pcs_status check_body_state(pcs_builder *builder, const pcs_body_def *def)
{
    pcs_context *ctx = builder->ctx;
    bool finite = pcs_v3_is_finite(def->position) && pcs_v3_is_finite(def->velocity) &&
                  pcs_v3_is_finite(def->angular_velocity) && pcs_v3_is_finite(def->center) &&
                  isfinite(def->angle) && isfinite(def->mass);
    if (!finite)
        return pcs_error(ctx, PCS_ERROR_MODEL, "body '%s': all numbers must be finite", def->name);
    if (!(fabs(pcs_quat_norm(def->rotation) - 1) < 1e-6))
        return pcs_error(ctx, PCS_ERROR_MODEL, "body '%s': the rotation must be a unit quaternion",
                         def->name);
    if (builder->model->dimension == 3)
        return PCS_OK;
    bool flat = def->position.z == 0 && def->velocity.z == 0 && def->angular_velocity.x == 0 &&
                def->angular_velocity.y == 0 && def->center.z == 0;
    if (!flat || def->rotation.w != 1)
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "body '%s': a planar body moves in the x-y plane and turns by 'angle'",
                         def->name);
    return PCS_OK;
}

// Mass properties in the body frame, from the numbers given or from the shapes.
static pcs_status body_mass(pcs_builder *builder, const pcs_body_def *def, pcs_mass_properties *out)
{
    pcs_context *ctx = builder->ctx;
    if (def->mass != 0) {
        pcs_quat p = pcs_quat_normalize(def->inertia_rotation);
        pcs_mat3 R = pcs_quat_matrix(p);
        pcs_mat3 RJ = pcs_m3_mul(&R, &def->inertia);
        *out = (pcs_mass_properties){def->mass, def->center, pcs_m3_mult(&RJ, &R)};
        return PCS_OK;
    }
    PCS_ARRAY(pcs_mass_properties) parts = {0};
    for (int32_t i = 0; i < def->n_shapes; ++i) {
        if (!(def->shapes[i].density > 0) && !(def->shapes[i].mass > 0))
            continue;
        if (!PCS_PUSH(ctx, &parts, pcs_shape_mass(&def->shapes[i]))) {
            PCS_ARRAY_FREE(ctx, &parts);
            return PCS_ERROR_MEMORY;
        }
    }
    bool any = parts.count > 0;
    if (any)
        *out = pcs_mass_combine(parts.data, parts.count);
    PCS_ARRAY_FREE(ctx, &parts);
    if (!any)
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "body '%s': give a mass > 0, or a shape with a density", def->name);
    return PCS_OK;
}

static pcs_status check_inertia(pcs_builder *builder, const pcs_body_def *def,
                                const pcs_mass_properties *p)
{
    pcs_context *ctx = builder->ctx;
    if (!(p->mass > 0) || !isfinite(p->mass))
        return pcs_error(ctx, PCS_ERROR_MODEL, "body '%s': the mass must be > 0, not %g", def->name,
                         p->mass);
    if (def->point)
        return PCS_OK;
    if (builder->model->dimension == 2) {
        if (!(p->inertia.m[2][2] > 0) || !isfinite(p->inertia.m[2][2]))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "body '%s': the inertia must be > 0, not %g (or declare it a point)",
                             def->name, p->inertia.m[2][2]);
        return PCS_OK;
    }
    double largest = 0, skew = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (!isfinite(p->inertia.m[i][j]))
                return pcs_error(ctx, PCS_ERROR_MODEL, "body '%s': the inertia must be finite",
                                 def->name);
            largest = fmax(largest, fabs(p->inertia.m[i][j]));
            skew = fmax(skew, fabs(p->inertia.m[i][j] - p->inertia.m[j][i]));
        }
    }
    if (skew > 1e-9 * largest)
        return pcs_error(ctx, PCS_ERROR_MODEL, "body '%s': the inertia matrix must be symmetric",
                         def->name);
    double moment[3];
    pcs_mat3 axes;
    pcs_m3_eigen_symmetric(&p->inertia, moment, &axes);
    if (!(moment[0] > 1e-14 * moment[2]))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "body '%s': principal moments of inertia %g, %g, %g: all must be > 0 (a "
                         "thin rod needs a radius; use a cylinder)",
                         def->name, moment[0], moment[1], moment[2]);
    if (moment[2] > (moment[0] + moment[1]) * (1 + 1e-6))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "body '%s': no mass distribution has the principal moments %g, %g, %g "
                         "(the largest exceeds the sum of the others)",
                         def->name, moment[0], moment[1], moment[2]);
    return PCS_OK;
}

static pcs_status copy_shapes(pcs_builder *builder, const pcs_body_def *def, pcs_body *body)
{
    if (def->n_shapes <= 0)
        return PCS_OK;
    body->shapes = PCS_NEW_ARRAY(builder->ctx, pcs_shape_def, def->n_shapes);
    if (!body->shapes)
        return PCS_ERROR_MEMORY;
    memcpy(body->shapes, def->shapes, sizeof *def->shapes * (size_t)def->n_shapes);
    body->n_shapes = def->n_shapes;
    return PCS_OK;
}

static pcs_status push_body(pcs_builder *builder, const pcs_body_def *def,
                            const pcs_mass_properties *mass)
{
    pcs_model *model = builder->model;
    pcs_node_kind kind = model->dimension == 2 ? PCS_NODE_PLANAR : PCS_NODE_SPATIAL;
    if (def->point)
        kind = model->dimension == 2 ? PCS_NODE_POINT2 : PCS_NODE_POINT3;
    pcs_node node = {kind, model->n_q, model->n_v, pcs_node_q_size(kind), pcs_node_v_size(kind)};
    pcs_body body = {
        .node = model->nodes.count,
        .mass = mass->mass,
        .inertia = mass->inertia,
        .center = def->point ? (pcs_vec3){0, 0, 0} : mass->center,
        .position = def->point ? pcs_v3_add(def->position, mass->center) : def->position,
        .velocity = def->velocity,
        .angular_velocity = def->point ? (pcs_vec3){0, 0, 0} : def->angular_velocity,
        .rotation = def->point ? no_rotation : pcs_quat_normalize(def->rotation),
        .angle = def->point ? 0 : def->angle,
    };
    if (model->dimension == 2)
        body.rotation = (pcs_quat){cos(0.5 * body.angle), 0, 0, sin(0.5 * body.angle)};
    body.name = pcs_strdup(builder->ctx, def->name);
    if (!body.name || copy_shapes(builder, def, &body) < 0 ||
        !PCS_PUSH(builder->ctx, &model->nodes, node)) {
        pcs_free(builder->ctx, body.name);
        pcs_free(builder->ctx, body.shapes);
        return PCS_ERROR_MEMORY;
    }
    if (!PCS_PUSH(builder->ctx, &model->bodies, body)) {
        --model->nodes.count;
        pcs_free(builder->ctx, body.name);
        pcs_free(builder->ctx, body.shapes);
        return PCS_ERROR_MEMORY;
    }
    model->n_q += node.n_q;
    model->n_v += node.n_v;
    pcs_builder_keep_name(builder, PCS_NAMED_BODY, body.name, model->bodies.count - 1);
    return PCS_OK;
}

pcs_status pcs_builder_add_body(pcs_builder *builder, const pcs_body_def *def, pcs_body_id *id)
{
    PCS_TRY(pcs_builder_check_new_name(builder, PCS_NAMED_BODY, def->name));
    pcs_model *model = builder->model;
    if (strcmp(def->name, "ground") == 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "body 'ground': the name is taken by the "
                         "fixed world; choose another");
    if (model->meshes.count > 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "body '%s': bodies are added before meshes",
                         def->name);
    PCS_TRY(check_body_state(builder, def));
    for (int32_t i = 0; i < def->n_shapes; ++i) {
        pcs_status status = pcs_shape_check(builder->ctx, &def->shapes[i]);
        if (status < 0)
            return pcs_error_prefix(builder->ctx, status, "body '%s'", def->name);
    }
    pcs_mass_properties mass;
    PCS_TRY(body_mass(builder, def, &mass));
    if (model->dimension == 2)
        mass.center.z = 0;
    PCS_TRY(check_inertia(builder, def, &mass));
    PCS_TRY(push_body(builder, def, &mass));
    if (id)
        *id = model->bodies.count - 1;
    return PCS_OK;
}

// ---- Forces ----

static pcs_status push_force(pcs_builder *builder, const pcs_force_def *def)
{
    pcs_model *model = builder->model;
    const pcs_frame frame = {def->body, def->position, no_rotation, def->node};
    const pcs_attachment at = pcs_builder_attach(builder, &frame);
    pcs_force force = {.node = at.node, .p = at.p, .body_frame = def->body_frame};
    int32_t index = model->forces.count;
    for (int i = 0; i < 3; ++i) {
        bool planar = model->dimension == 2;
        const pcs_value *F = &def->force[i], *T = &def->torque[i];
        if (planar && ((i == 2 && (F->formula || F->number != 0)) ||
                       (i != 2 && (T->formula || T->number != 0))))
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "force '%s': a planar model has forces in x and y and a torque in z",
                             def->name);
        PCS_TRY(pcs_builder_take_value(builder, "force", def->name, F, PCS_PLACE_FORCE, index, i,
                                       &force.force[i].number));
        PCS_TRY(pcs_builder_take_value(builder, "force", def->name, T, PCS_PLACE_TORQUE, index, i,
                                       &force.torque[i].number));
    }
    force.name = pcs_strdup(builder->ctx, def->name);
    if (!force.name || !PCS_PUSH(builder->ctx, &model->forces, force)) {
        pcs_free(builder->ctx, force.name);
        return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

pcs_status pcs_builder_add_force(pcs_builder *builder, const pcs_force_def *def)
{
    PCS_TRY(pcs_builder_check_name(builder, "force", def->name));
    pcs_frame frame = {def->body, def->position, no_rotation, def->node};
    PCS_TRY(pcs_builder_check_frame(builder, "force", def->name, &frame));
    if (def->body == PCS_GROUND && def->node == 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "force '%s': needs a body, not the ground",
                         def->name);
    pcs_builder_mark mark = pcs_builder_get_mark(builder);
    pcs_status status = push_force(builder, def);
    if (status < 0)
        pcs_builder_release(builder, &mark);
    return status;
}

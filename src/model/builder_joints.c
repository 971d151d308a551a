// Building: joints, couplings, springs and declared contacts.
#include <string.h>

#include "model/builder.h"
#include "model/joint.h"

pcs_joint_def pcs_joint_default(void)
{
    pcs_joint_def def = {
        .kind = PCS_JOINT_FIXED, .a = pcs_frame_default(), .b = pcs_frame_default()};
    return def;
}

pcs_coupling_def pcs_coupling_default(void)
{
    return (pcs_coupling_def){.ratio = 1};
}

pcs_spring_def pcs_spring_default(void)
{
    return (pcs_spring_def){
        .kind = PCS_SPRING_POINT, .a = pcs_frame_default(), .b = pcs_frame_default(), .rest = NAN};
}

// Both ends checked; at least one must be a body, and not twice the same.
static pcs_status check_ends(pcs_builder *builder, const char *what, const char *name,
                             const pcs_frame *a, const pcs_frame *b)
{
    PCS_TRY(pcs_builder_check_frame(builder, what, name, a));
    PCS_TRY(pcs_builder_check_frame(builder, what, name, b));
    if (a->body == b->body && a->node == b->node)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "%s '%s': joins %s to itself", what, name,
                         a->node > 0             ? "a node"
                         : a->body == PCS_GROUND ? "the ground"
                                                 : builder->model->bodies.data[a->body].name);
    return PCS_OK;
}

static bool is_point(const pcs_model *model, const pcs_frame *frame)
{
    if (frame->node == 0 && frame->body == PCS_GROUND)
        return false;
    const int32_t node = frame->node > 0 ? frame->node - 1 : model->bodies.data[frame->body].node;
    return !pcs_node_turns(pcs_model_node(model, node)->kind);
}

// ---- Joints ----

// A point mass has no axes: only kinds whose rows do not need its axes may end on it.
static pcs_status check_point_ends(pcs_builder *builder, const pcs_joint_def *def)
{
    const pcs_model *model = builder->model;
    bool point_a = is_point(model, &def->a), point_b = is_point(model, &def->b);
    if (!point_a && !point_b)
        return PCS_OK;
    bool pin = def->kind == PCS_JOINT_SPHERICAL || def->kind == PCS_JOINT_DISTANCE ||
               (model->dimension == 2 && def->kind == PCS_JOINT_REVOLUTE);
    bool guide = def->kind == PCS_JOINT_POINT_ON_LINE || def->kind == PCS_JOINT_POINT_ON_PLANE ||
                 def->kind == PCS_JOINT_POINT_ON_CURVE;
    if (pin || (guide && !point_a))
        return PCS_OK;
    const pcs_frame *point = point_a ? &def->a : &def->b;
    return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                     "joint '%s': a %s joint needs the axes of '%s', which is a point mass",
                     def->name, pcs_joint_kind_name(def->kind),
                     point->node > 0 ? "a node" : model->bodies.data[point->body].name);
}

// The rotation vector of a spherical joint is at most pi long: beyond, no state is reached.
static pcs_status check_rotation_range(pcs_builder *builder, const pcs_joint_def *def,
                                       const char *coordinate, const pcs_joint_drive *d)
{
    const struct {
        const char *what;
        bool given;
        double value;
    } rows[] = {{"lower limit", d->has_lower, d->lower},
                {"upper limit", d->has_upper, d->upper},
                {"motion", d->has_motion && !d->motion.formula, d->motion.number}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        if (rows[k].given && !(fabs(rows[k].value) < PCS_PI))
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "joint '%s': the %s of '%s' is %g, but a component of the rotation "
                             "vector lies between -pi and pi and would never reach it",
                             def->name, rows[k].what, coordinate, rows[k].value);
    return PCS_OK;
}

static pcs_status check_joint(pcs_builder *builder, const pcs_joint_def *def)
{
    pcs_context *ctx = builder->ctx;
    const pcs_model *model = builder->model;
    PCS_TRY(pcs_builder_check_new_name(builder, PCS_NAMED_JOINT, def->name));
    if (!pcs_joint_get_spec(def->kind, model->dimension))
        return pcs_error(ctx, PCS_ERROR_MODEL, "joint '%s': no such joint in a %s model", def->name,
                         model->dimension == 2 ? "planar" : "spatial");
    PCS_TRY(check_ends(builder, "joint", def->name, &def->a, &def->b));
    PCS_TRY(check_point_ends(builder, def));
    if (!isfinite(def->length) || def->length < 0)
        return pcs_error(ctx, PCS_ERROR_MODEL, "joint '%s': the length must be > 0", def->name);
    if (!isfinite(def->pitch) || (def->kind == PCS_JOINT_SCREW && def->pitch == 0))
        return pcs_error(ctx, PCS_ERROR_MODEL, "joint '%s': a screw needs a pitch (metres a turn)",
                         def->name);
    const pcs_joint_spec *spec = pcs_joint_get_spec(def->kind, model->dimension);
    for (int32_t i = 0; i < PCS_JOINT_COORDINATES_MAX; ++i) {
        const pcs_joint_drive *d = &def->drive[i];
        bool used = d->stiffness != 0 || d->damping != 0 || d->actuator.formula ||
                    d->actuator.number != 0 || d->has_motion || d->has_lower || d->has_upper;
        if (used && (i >= spec->n_coordinates || def->kind == PCS_JOINT_DISTANCE))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "joint '%s': a %s joint has no free coordinate %d to drive", def->name,
                             spec->name, i + 1);
        bool turning = i < spec->n_coordinates &&
                       (spec->coordinate[i].kind == PCS_COORDINATE_ANGLE ||
                        spec->coordinate[i].kind == PCS_COORDINATE_ROTATION);
        if (used && turning && (is_point(model, &def->a) || is_point(model, &def->b)))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "joint '%s': a point mass has no rotation, so '%s' cannot be driven",
                             def->name, spec->coordinate[i].name);
        if (!(d->stiffness >= 0) || !(d->damping >= 0) || !isfinite(d->stiffness) ||
            !isfinite(d->damping) || !isfinite(d->rest))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "joint '%s': stiffness and damping must be finite and >= 0",
                             def->name);
        if ((d->has_lower && !isfinite(d->lower)) || (d->has_upper && !isfinite(d->upper)) ||
            (d->has_lower && d->has_upper && d->lower >= d->upper))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "joint '%s': the lower limit must be below the upper one", def->name);
        if (!(d->restitution >= 0 && d->restitution <= 1))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "joint '%s': the restitution of limits must be in [0, 1]", def->name);
        if (d->has_motion && (d->has_lower || d->has_upper))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "joint '%s': a prescribed coordinate cannot have limits", def->name);
        if (i < spec->n_coordinates && spec->coordinate[i].kind == PCS_COORDINATE_ROTATION)
            PCS_TRY(check_rotation_range(builder, def, spec->coordinate[i].name, d));
    }
    return PCS_OK;
}

static pcs_coordinate make_coordinate(pcs_model *model, pcs_coordinate_kind kind, int8_t axis_a,
                                      int8_t axis_b, bool multi_turn)
{
    pcs_coordinate x = {kind, axis_a, axis_b, -1};
    bool angle = kind == PCS_COORDINATE_ANGLE || kind == PCS_COORDINATE_ANGLE_B;
    if (angle && multi_turn)
        x.turn = model->n_turns++;
    return x;
}

static double initial_distance(const pcs_builder *builder, const pcs_frame *a, const pcs_frame *b)
{
    return pcs_v3_norm(
        pcs_v3_sub(pcs_builder_frame_pose(builder, b).x, pcs_builder_frame_pose(builder, a).x));
}

static pcs_status push_drives(pcs_builder *builder, const pcs_joint_def *def, pcs_joint *joint,
                              int32_t index)
{
    pcs_model *model = builder->model;
    for (int32_t i = 0; i < joint->n_coordinates; ++i) {
        const pcs_joint_drive *d = &def->drive[i];
        if (d->stiffness != 0 || d->damping != 0) {
            pcs_spring spring = {.pair = joint->pair,
                                 .coordinate = joint->coordinate[i],
                                 .stiffness = d->stiffness,
                                 .damping = d->damping,
                                 .rest = d->rest};
            spring.name = pcs_strdup(builder->ctx, def->name);
            if (!spring.name || !PCS_PUSH(builder->ctx, &model->springs, spring)) {
                pcs_free(builder->ctx, spring.name);
                return PCS_ERROR_MEMORY;
            }
        }
        if (d->actuator.formula || d->actuator.number != 0) {
            pcs_actuator actuator = {.joint = index, .coordinate = i};
            PCS_TRY(pcs_builder_take_value(builder, "actuator of joint", def->name, &d->actuator,
                                           PCS_PLACE_ACTUATOR, model->actuators.count, 0,
                                           &actuator.force.number));
            if (!PCS_PUSH(builder->ctx, &model->actuators, actuator))
                return PCS_ERROR_MEMORY;
        }
        if (d->has_motion) {
            int32_t row = joint->n_rows++;
            joint->row[row] = joint->coordinate[i];
            PCS_TRY(pcs_builder_take_value(builder, "motion of joint", def->name, &d->motion,
                                           PCS_PLACE_MOTION, index, row, &joint->target[row]));
        }
        for (int side = -1; side <= 1; side += 2) {
            if (!(side > 0 ? d->has_lower : d->has_upper))
                continue;
            pcs_limit limit = {index, i, side, side > 0 ? d->lower : d->upper, d->restitution, 0};
            if (!PCS_PUSH(builder->ctx, &model->limits, limit))
                return PCS_ERROR_MEMORY;
        }
    }
    return PCS_OK;
}

static pcs_status push_joint(pcs_builder *builder, const pcs_joint_def *def)
{
    pcs_model *model = builder->model;
    const pcs_joint_spec *spec = pcs_joint_get_spec(def->kind, model->dimension);
    pcs_joint joint = {.kind = def->kind, .row_block = -1};
    joint.pair.a = pcs_builder_attach(builder, &def->a);
    joint.pair.b = pcs_builder_attach(builder, &def->b);
    joint.n_rows = spec->n_rows;
    for (int32_t i = 0; i < spec->n_rows; ++i)
        joint.row[i] = make_coordinate(model, spec->row[i].kind, spec->row[i].axis_a,
                                       spec->row[i].axis_b, false);
    joint.n_coordinates = spec->n_coordinates;
    for (int32_t i = 0; i < spec->n_coordinates; ++i)
        joint.coordinate[i] = make_coordinate(model, spec->coordinate[i].kind,
                                              spec->coordinate[i].axis_a,
                                              spec->coordinate[i].axis_b, true);
    if (def->kind == PCS_JOINT_DISTANCE) {
        joint.target[0] = def->length > 0 ? def->length
                                          : initial_distance(builder, &def->a, &def->b);
        if (!(joint.target[0] > 0))
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "joint '%s': the two points coincide; use a spherical (planar: "
                             "revolute) joint or give a length",
                             def->name);
    }
    joint.pitch_per_radian = def->pitch / (2 * PCS_PI);
    PCS_TRY(push_drives(builder, def, &joint, model->joints.count));
    if (def->kind == PCS_JOINT_POINT_ON_CURVE) {
        pcs_status status = pcs_curve_create(builder->ctx, &def->curve, &joint.curve);
        if (status < 0)
            return pcs_error_prefix(builder->ctx, status, "joint '%s'", def->name);
    }
    joint.name = pcs_strdup(builder->ctx, def->name);
    if (!joint.name || !PCS_PUSH(builder->ctx, &model->joints, joint)) {
        pcs_curve_destroy(builder->ctx, joint.curve);
        pcs_free(builder->ctx, joint.name);
        return PCS_ERROR_MEMORY;
    }
    pcs_builder_keep_name(builder, PCS_NAMED_JOINT, joint.name, model->joints.count - 1);
    return PCS_OK;
}

pcs_status pcs_builder_add_joint(pcs_builder *builder, const pcs_joint_def *def, pcs_joint_id *id)
{
    PCS_TRY(check_joint(builder, def));
    pcs_builder_mark mark = pcs_builder_get_mark(builder);
    pcs_status status = push_joint(builder, def);
    if (status < 0)
        pcs_builder_release(builder, &mark);
    else if (id)
        *id = builder->model->joints.count - 1;
    return status;
}

// ---- Couplings ----

pcs_status pcs_builder_add_coupling(pcs_builder *builder, const pcs_coupling_def *def)
{
    PCS_TRY(pcs_builder_check_name(builder, "coupling", def->name));
    pcs_model *model = builder->model;
    for (int e = 0; e < 2; ++e) {
        if (def->joint[e] < 0 || def->joint[e] >= model->joints.count)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL, "coupling '%s': there is no joint %d",
                             def->name, def->joint[e]);
        const pcs_joint *joint = &model->joints.data[def->joint[e]];
        if (def->coordinate[e] < 0 || def->coordinate[e] >= joint->n_coordinates)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "coupling '%s': joint '%s' has no coordinate %d", def->name,
                             joint->name, def->coordinate[e] + 1);
    }
    if (def->joint[0] == def->joint[1] && def->coordinate[0] == def->coordinate[1])
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "coupling '%s': couples a coordinate with itself", def->name);
    if (!isfinite(def->ratio) || def->ratio == 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "coupling '%s': the ratio must be a finite number other than 0",
                         def->name);
    pcs_coupling coupling = {.joint = {def->joint[0], def->joint[1]},
                             .coordinate = {def->coordinate[0], def->coordinate[1]},
                             .ratio = def->ratio};
    coupling.name = pcs_strdup(builder->ctx, def->name);
    if (!coupling.name || !PCS_PUSH(builder->ctx, &model->couplings, coupling)) {
        pcs_free(builder->ctx, coupling.name);
        return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

// ---- Springs ----

static pcs_status push_spring(pcs_builder *builder, const pcs_spring_def *def, pcs_coordinate x,
                              double stiffness, double damping, double rest)
{
    if (!(stiffness >= 0) || !(damping >= 0) || !isfinite(stiffness) || !isfinite(damping) ||
        !isfinite(rest))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "spring '%s': stiffness and damping must be finite and >= 0, and the rest "
                         "length finite",
                         def->name);
    if (stiffness == 0 && damping == 0)
        return PCS_OK;
    pcs_spring spring = {.coordinate = x, .stiffness = stiffness, .damping = damping, .rest = rest};
    spring.pair.a = pcs_builder_attach(builder, &def->a);
    spring.pair.b = pcs_builder_attach(builder, &def->b);
    spring.name = pcs_strdup(builder->ctx, def->name);
    if (!spring.name || !PCS_PUSH(builder->ctx, &builder->model->springs, spring)) {
        pcs_free(builder->ctx, spring.name);
        return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

static pcs_status add_bushing(pcs_builder *builder, const pcs_spring_def *def)
{
    pcs_model *model = builder->model;
    for (int8_t i = 0; i < 6; ++i) {
        bool planar_idle = model->dimension == 2 && (i == 2 || i == 3 || i == 4);
        if (planar_idle && (def->stiffness6[i] != 0 || def->damping6[i] != 0))
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "spring '%s': a planar bushing has x, y and rotation about z only",
                             def->name);
        if (planar_idle)
            continue;
        pcs_coordinate x = {PCS_COORDINATE_ALONG, (int8_t)(i % 3), 0, -1};
        if (i >= 3)
            x.kind = PCS_COORDINATE_ROTATION;
        if (i == 5 && model->dimension == 2)
            x = make_coordinate(model, PCS_COORDINATE_ANGLE, 2, 2, true);
        PCS_TRY(push_spring(builder, def, x, def->stiffness6[i], def->damping6[i], 0));
    }
    return PCS_OK;
}

static pcs_status add_line_or_torsion(pcs_builder *builder, const pcs_spring_def *def)
{
    pcs_coordinate x = {PCS_COORDINATE_DISTANCE, 0, 0, -1};
    double rest = def->rest;
    if (def->kind == PCS_SPRING_TORSION) {
        x = make_coordinate(builder->model, PCS_COORDINATE_ANGLE, 2, 2, true);
        rest = isnan(rest) ? 0 : rest;
    } else {
        rest = isnan(rest) ? initial_distance(builder, &def->a, &def->b) : rest;
        if (rest < 0)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "spring '%s': the rest length must be >= 0, not %g", def->name, rest);
    }
    return push_spring(builder, def, x, def->stiffness, def->damping, rest);
}

pcs_status pcs_builder_add_spring(pcs_builder *builder, const pcs_spring_def *def)
{
    PCS_TRY(pcs_builder_check_name(builder, "spring", def->name));
    PCS_TRY(check_ends(builder, "spring", def->name, &def->a, &def->b));
    const pcs_model *model = builder->model;
    if (def->kind != PCS_SPRING_POINT && def->kind != PCS_SPRING_TORSION &&
        def->kind != PCS_SPRING_BUSHING)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "spring '%s': unknown kind %d", def->name,
                         (int)def->kind);
    if (def->kind != PCS_SPRING_POINT && (is_point(model, &def->a) || is_point(model, &def->b)))
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "spring '%s': a point mass has no rotation; use a point spring",
                         def->name);
    pcs_builder_mark mark = pcs_builder_get_mark(builder);
    pcs_status status = def->kind == PCS_SPRING_BUSHING ? add_bushing(builder, def)
                                                        : add_line_or_torsion(builder, def);
    if (status < 0)
        pcs_builder_release(builder, &mark);
    return status;
}

// ---- Contacts ----

static pcs_status copy_vertices(pcs_builder *builder, const pcs_contact_def *def,
                                pcs_contact_pair *pair)
{
    if (def->n_vertices <= 0)
        return PCS_OK;
    pair->vertices = PCS_NEW_ARRAY(builder->ctx, pcs_vec2, def->n_vertices);
    if (!pair->vertices)
        return PCS_ERROR_MEMORY;
    memcpy(pair->vertices, def->vertices, sizeof *def->vertices * (size_t)def->n_vertices);
    pair->n_vertices = def->n_vertices;
    return PCS_OK;
}

static pcs_status push_contact(pcs_builder *builder, const pcs_contact_def *def)
{
    pcs_model *model = builder->model;
    int32_t index = model->contact_pairs.count;
    pcs_contact_pair pair = {
        .kind = def->kind,
        .radius_a = def->radius_a,
        .radius_b = def->radius_b,
        .size = def->size,
        .width = def->width,
        .closed = def->closed,
        .extent = def->extent,
        .law = def->law,
        .n_slots = pcs_contact_kind_slots(def->kind, model->dimension),
    };
    pair.pair.a = pcs_builder_attach(builder, &def->a);
    pair.pair.b = pcs_builder_attach(builder, &def->b);
    bool tangential = def->law.friction > 0 || def->law.tangential_restitution > 0;
    pair.row_size = tangential ? model->dimension : 1;
    for (int i = 0; i < 2; ++i)
        PCS_TRY(pcs_builder_take_value(builder, "surface speed of contact", def->name,
                                       &def->surface_speed[i], PCS_PLACE_SURFACE, index, i,
                                       &pair.surface_number[i]));
    if (def->kind == PCS_CONTACT_POINT_CURVE)
        PCS_TRY(pcs_curve_create(builder->ctx, &def->curve, &pair.curve));
    pair.name = pcs_strdup(builder->ctx, def->name);
    if (!pair.name || copy_vertices(builder, def, &pair) < 0 ||
        !PCS_PUSH(builder->ctx, &model->contact_pairs, pair)) {
        pcs_free(builder->ctx, pair.name);
        pcs_free(builder->ctx, pair.vertices);
        pcs_curve_destroy(builder->ctx, pair.curve);
        return PCS_ERROR_MEMORY;
    }
    pcs_builder_keep_name(builder, PCS_NAMED_CONTACT, pair.name, index);
    return PCS_OK;
}

pcs_status pcs_builder_add_contact(pcs_builder *builder, const pcs_contact_def *def)
{
    PCS_TRY(pcs_builder_check_new_name(builder, PCS_NAMED_CONTACT, def->name));
    const pcs_model *model = builder->model;
    PCS_TRY(check_ends(builder, "contact", def->name, &def->a, &def->b));
    PCS_TRY(pcs_contact_check(builder->ctx, def, model->dimension));
    pcs_builder_mark mark = pcs_builder_get_mark(builder);
    pcs_status status = push_contact(builder, def);
    if (status < 0)
        pcs_builder_release(builder, &mark);
    return status;
}

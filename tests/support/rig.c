#include "support/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void rig_must(rig *r, pcs_status status)
{
    if (status != PCS_OK)
        fail_msg("%s: %s", pcs_status_name(status), pcs_context_error(r->ctx));
}

void rig_begin(rig *r, int32_t dimension, pcs_vec3 gravity)
{
    memset(r, 0, sizeof *r);
    r->ctx = pcs_context_create(NULL);
    r->dimension = dimension;
    assert_non_null(r->ctx);
    rig_must(r, pcs_builder_create(r->ctx, dimension, &r->builder));
    rig_must(r, pcs_builder_set_gravity(r->builder, gravity));
}

void rig_end(rig *r)
{
    pcs_simulation_destroy(r->simulation);
    pcs_model_destroy(r->model);
    pcs_builder_destroy(r->builder);
    assert_int_equal(pcs_context_heap_bytes(r->ctx), 0);
    pcs_context_destroy(r->ctx);
}

pcs_body_def rig_body_def(const char *name, double m, pcs_vec3 J, pcs_vec3 position)
{
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.mass = m;
    def.inertia = (pcs_mat3){{{J.x, 0, 0}, {0, J.y, 0}, {0, 0, J.z}}};
    def.position = position;
    return def;
}

pcs_body_id rig_add(rig *r, const pcs_body_def *def)
{
    pcs_body_id id;
    rig_must(r, pcs_builder_add_body(r->builder, def, &id));
    return id;
}

pcs_body_id rig_add_point(rig *r, const char *name, double m, pcs_vec3 position, pcs_vec3 velocity)
{
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.point = true;
    def.mass = m;
    def.position = position;
    def.velocity = velocity;
    return rig_add(r, &def);
}

pcs_joint_def rig_joint_def(rig *r, const char *name, pcs_joint_kind kind, pcs_body_id a,
                            pcs_body_id b, pcs_vec3 position, pcs_quat rotation)
{
    pcs_joint_def def = pcs_joint_default();
    def.name = name;
    def.kind = kind;
    rig_must(r, pcs_builder_frame_at(r->builder, a, position, rotation, &def.a));
    rig_must(r, pcs_builder_frame_at(r->builder, b, position, rotation, &def.b));
    return def;
}

pcs_joint_id rig_join(rig *r, const pcs_joint_def *def)
{
    pcs_joint_id id;
    rig_must(r, pcs_builder_add_joint(r->builder, def, &id));
    assert_true(id == r->n_joints && id < RIG_JOINTS_MAX);
    r->joint[r->n_joints++] = *def;
    return id;
}

pcs_joint_id rig_connect(rig *r, const char *name, pcs_joint_kind kind, pcs_body_id a,
                         pcs_body_id b, pcs_vec3 position, pcs_quat rotation)
{
    pcs_joint_def def = rig_joint_def(r, name, kind, a, b, position, rotation);
    return rig_join(r, &def);
}

void rig_finish(rig *r, double end, double step)
{
    rig_must(r, pcs_builder_finish(r->builder, &r->model));
    pcs_simulation_def def = pcs_simulation_default();
    def.end = end;
    def.step = step;
    rig_must(r, pcs_simulation_create(r->ctx, r->model, &def, &r->simulation));
}

void rig_step(rig *r)
{
    rig_must(r, pcs_simulation_step(r->simulation));
}

static void frame_pose(const rig *r, const pcs_frame *frame, pcs_vec3 *x, pcs_mat3 *R)
{
    pcs_quat rotation = pcs_quat_normalize(frame->rotation);
    *x = frame->position;
    *R = pcs_quat_matrix(rotation);
    if (frame->body == PCS_GROUND)
        return;
    pcs_body_view body;
    pcs_simulation_body(r->simulation, frame->body, &body);
    *x = pcs_v3_add(body.position, pcs_quat_rotate(body.rotation, frame->position));
    *R = pcs_quat_matrix(pcs_quat_mul(body.rotation, rotation));
}

void rig_relative(const rig *r, pcs_joint_id joint, pcs_vec3 *d, pcs_mat3 *R)
{
    pcs_vec3 x_a, x_b;
    pcs_mat3 R_a, R_b;
    frame_pose(r, &r->joint[joint].a, &x_a, &R_a);
    frame_pose(r, &r->joint[joint].b, &x_b, &R_b);
    *d = pcs_m3_tmul_v3(&R_a, pcs_v3_sub(x_b, x_a));
    *R = pcs_m3_tmul(&R_a, &R_b);
}

int32_t rig_coordinates(const rig *r, pcs_joint_id joint, double *x, bool *is_angle)
{
    pcs_vec3 d;
    pcs_mat3 R;
    rig_relative(r, joint, &d, &R);
    double along = r->dimension == 2 ? d.x : d.z;
    double angle = atan2(R.m[1][0], R.m[0][0]);
    is_angle[0] = is_angle[1] = is_angle[2] = false;
    switch (r->joint[joint].kind) {
    case PCS_JOINT_REVOLUTE:
    case PCS_JOINT_SCREW:
        x[0] = angle;
        is_angle[0] = true;
        return 1;
    case PCS_JOINT_PRISMATIC:
    case PCS_JOINT_POINT_ON_LINE:
        x[0] = along;
        return 1;
    case PCS_JOINT_CYLINDRICAL:
        x[0] = along;
        x[1] = angle;
        is_angle[1] = true;
        return 2;
    case PCS_JOINT_SPHERICAL:
        pcs_v3_store(x, pcs_so3_log(pcs_quat_from_matrix(&R)));
        return 3;
    case PCS_JOINT_UNIVERSAL: // R = Rx(x0) Ry(x1)
        x[0] = atan2(R.m[2][1], R.m[1][1]);
        x[1] = atan2(R.m[0][2], R.m[0][0]);
        is_angle[0] = is_angle[1] = true;
        return 2;
    case PCS_JOINT_PLANAR:
        x[0] = d.x;
        x[1] = d.y;
        x[2] = angle;
        is_angle[2] = true;
        return 3;
    case PCS_JOINT_DISTANCE:
        x[0] = pcs_v3_norm(d);
        return 1;
    case PCS_JOINT_POINT_ON_PLANE:
        x[0] = d.x;
        x[1] = d.y;
        return 2;
    default:
        return 0;
    }
}

pcs_quat rig_z_along(double x, double y, double z)
{
    return pcs_quat_from_z_axis(pcs_v3(x, y, z), pcs_v3(0.31, -0.17, 0.83));
}

pcs_quat rig_turned(double angle)
{
    return (pcs_quat){cos(0.5 * angle), 0, 0, sin(0.5 * angle)};
}

pcs_body_id rig_link(rig *r, const char *name, pcs_vec3 position, pcs_vec3 omega)
{
    pcs_body_def def = rig_body_def(name, 1.37, pcs_v3(0.021, 0.034, 0.029), position);
    def.center = r->dimension == 2 ? pcs_v3(0.043, -0.021, 0) : pcs_v3(0.043, -0.021, 0.017);
    def.angular_velocity = omega;
    return rig_add(r, &def);
}

void rig_check_drift(const rig *r, int32_t redundant)
{
    const pcs_statistics *s = pcs_simulation_statistics(r->simulation);
    if (!(s->worst_drift < RIG_DRIFT))
        fail_msg("drift %.3g", s->worst_drift);
    if (!(s->worst_velocity_drift < RIG_VELOCITY_DRIFT))
        fail_msg("velocity drift %.3g", s->worst_velocity_drift);
    assert_int_equal(s->unconverged_steps, 0);
    assert_int_equal(s->redundant_rows, redundant);
    assert_int_equal(s->redundant_most, redundant);
}

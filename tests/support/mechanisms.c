// Builders of the mechanisms in mechanisms.h.
#include "support/mechanisms.h"

#include <math.h>
#include <stdio.h>

#include "math/rotation.h"

static const double gravity = 9.81; // m/s^2

// ---- A builder whose first error is kept ----

typedef struct scene {
    pcs_builder *builder;
    pcs_status status;
} scene;

static scene scene_begin(pcs_context *ctx, int32_t dimension, pcs_vec3 acceleration)
{
    scene s = {NULL, PCS_OK};
    s.status = pcs_builder_create(ctx, dimension, &s.builder);
    if (s.status == PCS_OK)
        s.status = pcs_builder_set_gravity(s.builder, acceleration);
    return s;
}

static pcs_body_id add_body(scene *s, const pcs_body_def *def)
{
    pcs_body_id id = PCS_GROUND;
    if (s->status == PCS_OK)
        s->status = pcs_builder_add_body(s->builder, def, &id);
    return id;
}

static pcs_joint_id add_joint(scene *s, const pcs_joint_def *def)
{
    pcs_joint_id id = 0;
    if (s->status == PCS_OK)
        s->status = pcs_builder_add_joint(s->builder, def, &id);
    return id;
}

static pcs_status scene_finish(scene *s, pcs_model **out)
{
    *out = NULL;
    if (s->status == PCS_OK)
        s->status = pcs_builder_finish(s->builder, out);
    pcs_builder_destroy(s->builder);
    return s->status;
}

static pcs_frame frame_on(pcs_body_id body, pcs_vec3 position)
{
    pcs_frame frame = pcs_frame_default();
    frame.body = body;
    frame.position = position;
    return frame;
}

// ---- N-link chain ----

// Links 0.25 x 0.025 x 0.025 m of 500 kg/m^3, start horizontal at rest.
pcs_status mechanism_chain(pcs_context *ctx, int32_t links, int32_t dimension, pcs_model **out)
{
    const double half = 0.5 * CHAIN_LINK_LENGTH, thickness = 0.025;
    const pcs_quat z_to_y = pcs_quat_from_axis_angle(pcs_v3(1, 0, 0), -0.5 * PCS_PI);
    pcs_vec3 down = dimension == 2 ? pcs_v3(0, -gravity, 0) : pcs_v3(0, 0, -gravity);
    scene s = scene_begin(ctx, dimension, down);
    pcs_shape_def box = pcs_shape_default();
    box.kind = PCS_SHAPE_BOX;
    box.size = pcs_v3(CHAIN_LINK_LENGTH, thickness, thickness);
    box.density = 500;
    pcs_body_id last = PCS_GROUND;
    for (int32_t i = 0; i < links; ++i) {
        char name[16];
        snprintf(name, sizeof name, "link%d", (int)i);
        pcs_body_def link = pcs_body_default();
        link.name = name;
        link.shapes = &box;
        link.n_shapes = 1;
        link.position = pcs_v3(half + CHAIN_LINK_LENGTH * i, 0, 0);
        pcs_body_id body = add_body(&s, &link);

        snprintf(name, sizeof name, "hinge%d", (int)i);
        pcs_joint_def hinge = pcs_joint_default();
        hinge.name = name;
        hinge.kind = PCS_JOINT_REVOLUTE;
        hinge.a = frame_on(last, pcs_v3(i == 0 ? 0 : half, 0, 0));
        hinge.b = frame_on(body, pcs_v3(-half, 0, 0));
        if (dimension == 3)
            hinge.a.rotation = hinge.b.rotation = z_to_y;
        add_joint(&s, &hinge);
        last = body;
    }
    return scene_finish(&s, out);
}

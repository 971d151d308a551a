// The builder when memory runs out: every failing allocation gives one message, leaks nothing and
// leaves a builder that can go on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/builder_bench.h"

// One of everything: shapes, formulas, drives, limits, couplings, springs, contacts.
typedef struct parts {
    pcs_body_id one, two, dot;
    pcs_vec3 place; // of "two"
} parts;

static pcs_status add_bodies(pcs_builder *builder, parts *p)
{
    pcs_shape_def shapes[2] = {pcs_shape_default(), pcs_shape_default()};
    shapes[0].kind = PCS_SHAPE_BOX;
    shapes[0].size = pcs_v3(0.3, 0.2, 0.1);
    shapes[0].density = 900;
    shapes[1].kind = PCS_SHAPE_SPHERE;
    shapes[1].size = pcs_v3(0.1, 0, 0);
    shapes[1].density = 500;
    pcs_body_def body = pcs_body_default();
    body.shapes = shapes;
    body.n_shapes = 2;
    body.name = "one";
    PCS_TRY(pcs_builder_add_body(builder, &body, &p->one));
    body.name = "two";
    body.position = p->place = pcs_v3(0.4, 0.1, 0);
    PCS_TRY(pcs_builder_add_body(builder, &body, &p->two));
    pcs_body_def point = bench_body();
    point.name = "dot";
    point.point = true;
    return pcs_builder_add_body(builder, &point, &p->dot);
}

static pcs_status add_joints(pcs_builder *builder, const parts *p)
{
    const pcs_quat straight = {1, 0, 0, 0};
    pcs_coupling_def gear = pcs_coupling_default();
    pcs_joint_def joint = pcs_joint_default();
    joint.kind = PCS_JOINT_REVOLUTE;
    joint.name = "hinge";
    joint.b.body = p->one;
    joint.drive[0] = (pcs_joint_drive){.stiffness = 2,
                                       .actuator = pcs_expression("-k*joint.hinge.rate"),
                                       .has_lower = true,
                                       .has_upper = true,
                                       .lower = -1,
                                       .upper = 1};
    PCS_TRY(pcs_builder_add_joint(builder, &joint, &gear.joint[0]));
    joint = pcs_joint_default();
    joint.kind = PCS_JOINT_PRISMATIC;
    joint.name = "guide";
    PCS_TRY(pcs_builder_frame_at(builder, p->one, p->place, straight, &joint.a));
    joint.b.body = p->two;
    joint.drive[0].has_motion = true;
    joint.drive[0].motion = pcs_expression("0.1*sin(3*t)");
    PCS_TRY(pcs_builder_add_joint(builder, &joint, NULL));
    joint = pcs_joint_default();
    joint.kind = PCS_JOINT_REVOLUTE;
    joint.name = "third";
    PCS_TRY(pcs_builder_frame_at(builder, PCS_GROUND, p->place, straight, &joint.a));
    joint.b.body = p->two;
    PCS_TRY(pcs_builder_add_joint(builder, &joint, &gear.joint[1]));
    gear.name = "gear";
    return pcs_builder_add_coupling(builder, &gear);
}

static pcs_spring_def bushing_of(pcs_body_id body)
{
    pcs_spring_def def = pcs_spring_default();
    def.kind = PCS_SPRING_BUSHING;
    def.name = "rubber";
    def.b.body = body;
    for (int i = 0; i < 6; ++i)
        def.stiffness6[i] = 1 + i;
    return def;
}

static pcs_status add_forces(pcs_builder *builder, const parts *p)
{
    pcs_spring_def spring = bushing_of(p->two);
    PCS_TRY(pcs_builder_add_spring(builder, &spring));
    spring = pcs_spring_default();
    spring.name = "coil";
    spring.a.body = p->one;
    spring.b.body = p->dot;
    spring.stiffness = 3;
    PCS_TRY(pcs_builder_add_spring(builder, &spring));
    pcs_force_def force = pcs_force_default();
    force.name = "push";
    force.body = p->dot;
    force.force[0] = pcs_expression("k*body.two.position.x");
    force.force[1] = pcs_expression("sin(t)");
    PCS_TRY(pcs_builder_add_force(builder, &force));
    pcs_contact_def contact = pcs_contact_default();
    contact.kind = PCS_CONTACT_BOX_PLANE;
    contact.name = "foot";
    contact.b.body = p->one;
    contact.size = pcs_v3(0.3, 0.2, 0.1);
    contact.law.friction = 0.3;
    contact.surface_speed[0] = pcs_expression("cos(t)");
    contact.surface_speed[1] = pcs_expression("k*t");
    return pcs_builder_add_contact(builder, &contact);
}

static pcs_status add_parts(pcs_builder *builder)
{
    parts p;
    PCS_TRY(pcs_builder_set_parameter(builder, "k", 3.1));
    PCS_TRY(pcs_builder_set_gravity(builder, pcs_v3(0, -9.81, 0)));
    PCS_TRY(add_bodies(builder, &p));
    PCS_TRY(add_joints(builder, &p));
    return add_forces(builder, &p);
}

static pcs_status build(pcs_context *ctx, pcs_model **model)
{
    pcs_builder *builder;
    *model = NULL;
    pcs_status status = pcs_builder_create(ctx, 3, &builder);
    if (status == PCS_OK)
        status = add_parts(builder);
    if (status == PCS_OK)
        status = pcs_builder_finish(builder, model);
    pcs_builder_destroy(builder);
    return status;
}

// The n-th allocation fails, for every n until all succeed.
static void every_allocation_may_fail(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_status status = PCS_ERROR_MEMORY;
    uint64_t n = 0;
    while (status != PCS_OK) {
        pcs_context_fail_heap_call(ctx, ++n);
        pcs_model *model;
        status = build(ctx, &model);
        pcs_context_fail_heap_call(ctx, 0);
        if (status == PCS_OK) {
            assert_int_equal(pcs_model_joint_count(model), 3);
            assert_int_equal(model->springs.count, 8);
            pcs_model_destroy(model);
        } else {
            if (status != PCS_ERROR_MEMORY)
                fail_msg("request %d: %s (%s)", (int)n, pcs_status_name(status),
                         pcs_context_error(ctx));
            assert_non_null(strstr(pcs_context_error(ctx), "out of memory"));
            assert_null(model);
        }
        assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    }
    assert_true(n > 60); // the model has many parts
    pcs_context_destroy(ctx);
}

// Adding a part again after memory ran out during it gives the same model as if it never had.
static void failed_parts_can_be_added_again(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 40; ++n) {
        builder_bench b;
        bench_begin(&b, 3);
        pcs_joint_def joint = bench_joint();
        for (int i = 0; i < 2; ++i)
            joint.drive[i] = (pcs_joint_drive){.stiffness = 2,
                                               .actuator = pcs_expression("-2*joint.hinge.rate"),
                                               .has_lower = true,
                                               .lower = -1};
        pcs_force_def force = pcs_force_default();
        force.name = "push";
        force.body = 1;
        for (int i = 0; i < 3; ++i)
            force.force[i] = pcs_expression("sin(t)");
        pcs_contact_def contact = pcs_contact_default();
        contact.name = "tip";
        contact.b.body = 1;
        contact.surface_speed[0] = contact.surface_speed[1] = pcs_expression("t");
        pcs_spring_def bushing = bushing_of(1);
        pcs_context_fail_heap_call(b.ctx, n);
        if (pcs_builder_add_joint(b.builder, &joint, NULL) != PCS_OK)
            assert_int_equal(pcs_builder_add_joint(b.builder, &joint, NULL), PCS_OK);
        if (pcs_builder_add_force(b.builder, &force) != PCS_OK)
            assert_int_equal(pcs_builder_add_force(b.builder, &force), PCS_OK);
        if (pcs_builder_add_contact(b.builder, &contact) != PCS_OK)
            assert_int_equal(pcs_builder_add_contact(b.builder, &contact), PCS_OK);
        if (pcs_builder_add_spring(b.builder, &bushing) != PCS_OK)
            assert_int_equal(pcs_builder_add_spring(b.builder, &bushing), PCS_OK);
        pcs_context_fail_heap_call(b.ctx, 0);
        assert_int_equal(b.builder->formulas.count, 2 + 3 + 2);
        assert_int_equal(b.builder->model->springs.count, 2 + 6);
        assert_int_equal(b.builder->model->limits.count, 2);
        assert_int_equal(b.builder->model->actuators.count, 2);
        assert_int_equal(b.builder->model->n_turns, 2);
        for (uint64_t k = 1; k < 6; ++k) { // and finish() too
            pcs_context_fail_heap_call(b.ctx, k);
            if (pcs_builder_finish(b.builder, &b.model) == PCS_OK)
                break;
        }
        pcs_context_fail_heap_call(b.ctx, 0);
        if (!b.model)
            assert_int_equal(pcs_builder_finish(b.builder, &b.model), PCS_OK);
        assert_int_equal(pcs_model_row_count(b.model), 5 + 4);
        assert_int_equal(pcs_model_contact_count(b.model), 3);
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(failed_parts_can_be_added_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

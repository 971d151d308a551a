// The initial state is made consistent: slightly open joints are closed in the metric of the masses
// and the move is reported, velocities are projected, and what cannot be closed, moves too far or
// contradicts itself is refused with the name of the row.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/rig.h"

static const pcs_quat STRAIGHT = {1, 0, 0, 0};
static const pcs_vec3 NONE = {0, 0, 0};
static const double CLOSED = 1e-11;

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.15g instead of %.15g, off by %.3g > %.3g", found, expected, found - expected,
                 tolerance);
}

// The start must be refused as a fault of the model, in words that contain both texts.
static void assert_refused(rig *r, const char *row, const char *text)
{
    assert_int_equal(pcs_simulation_start(r->simulation), PCS_ERROR_MODEL);
    const char *error = pcs_context_error(r->ctx);
    if (!strstr(error, row) || !strstr(error, text))
        fail_msg("\"%s\" names neither \"%s\" nor \"%s\"", error, row, text);
}

static const pcs_statistics *start(rig *r)
{
    rig_must(r, pcs_simulation_start(r->simulation));
    return pcs_simulation_statistics(r->simulation);
}

static pcs_joint_id add_rod(rig *r, const char *name, pcs_body_id a, pcs_vec3 at_a, pcs_body_id b,
                            double length)
{
    pcs_joint_def rod = pcs_joint_default();
    rod.name = name;
    rod.kind = PCS_JOINT_DISTANCE;
    rod.a.body = a;
    rod.a.position = at_a;
    rod.b.body = b;
    rod.length = length;
    return rig_join(r, &rod);
}

static void consistent_start_moves_nothing(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, pcs_v3(0, 0, -9.81));
    pcs_body_def def = rig_body_def("link", 1.7, pcs_v3(0.02, 0.03, 0.04), pcs_v3(0.3, 0.1, 0.2));
    def.rotation = pcs_so3_exp(pcs_v3(0.3, -0.7, 0.4));
    pcs_body_id link = rig_add(&r, &def);
    rig_connect(&r, "pin", PCS_JOINT_REVOLUTE, PCS_GROUND, link, pcs_v3(0.1, 0, 0.1),
                pcs_so3_exp(pcs_v3(0.2, 0.3, 0.1)));
    rig_finish(&r, 1, 1e-3);
    const pcs_statistics *s = start(&r);
    assert_true(s->assembly_moved == 0);
    assert_int_equal(s->assembly_body, PCS_GROUND);
    assert_true(s->assembly_velocity == 0);
    assert_int_equal(s->assembly_velocity_body, PCS_GROUND);
    assert_int_equal(s->redundant_rows, 0);
    rig_end(&r);
}

// A rod too long by d between two points: they part by d m2/(m1+m2) and d m1/(m1+m2).
static void gap_is_closed_in_the_metric_of_mass(void **state)
{
    (void)state;
    const double m1 = 1.3, m2 = 0.7, d = 0.0123;
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        rig r;
        rig_begin(&r, dimension, NONE);
        pcs_body_id one = rig_add_point(&r, "one", m1, pcs_v3(0.2, 0.1, 0), NONE);
        pcs_body_id two = rig_add_point(&r, "two", m2, pcs_v3(0.8, 0.9, 0), NONE);
        add_rod(&r, "rod", one, NONE, two, 1 + d); // the points are 1 m apart
        rig_finish(&r, 1, 1e-3);
        const pcs_statistics *s = start(&r);
        pcs_body_view a, b;
        pcs_simulation_body(r.simulation, one, &a);
        pcs_simulation_body(r.simulation, two, &b);
        const double way1 = d * m2 / (m1 + m2), way2 = d * m1 / (m1 + m2);
        assert_near(a.position.x, 0.2 - 0.6 * way1, CLOSED);
        assert_near(a.position.y, 0.1 - 0.8 * way1, CLOSED);
        assert_near(b.position.x, 0.8 + 0.6 * way2, CLOSED);
        assert_near(b.position.y, 0.9 + 0.8 * way2, CLOSED);
        assert_int_equal(s->assembly_body, two);
        assert_near(s->assembly_moved, 0.8 * way2, CLOSED); // its largest component
        rig_end(&r);
    }
}

// A hinge open by a few millimetres and tilted by a hundredth of a radian.
static void open_hinge_is_closed(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, pcs_v3(0, 0, -9.81));
    pcs_body_def def = rig_body_def("link", 1.7, pcs_v3(0.02, 0.03, 0.04), pcs_v3(0.3, 0.1, 0.2));
    pcs_body_id link = rig_add(&r, &def);
    pcs_joint_def hinge = rig_joint_def(&r, "hinge", PCS_JOINT_REVOLUTE, PCS_GROUND, link,
                                        pcs_v3(0.1, 0, 0.1), pcs_so3_exp(pcs_v3(0.2, 0.3, 0.1)));
    hinge.b.position = pcs_v3_add(hinge.b.position, pcs_v3(0.003, -0.002, 0.004));
    hinge.b.rotation = pcs_quat_mul(hinge.b.rotation, pcs_so3_exp(pcs_v3(0.009, 0.007, 0.3)));
    rig_join(&r, &hinge);
    rig_finish(&r, 0.1, 1e-3);
    const pcs_statistics *s = start(&r);
    assert_int_equal(s->assembly_body, link);
    assert_true(s->assembly_moved > 1e-3 && s->assembly_moved < 0.02);
    pcs_vec3 offset;
    pcs_mat3 R;
    rig_relative(&r, 0, &offset, &R);
    assert_true(pcs_v3_norm(offset) < CLOSED);
    assert_true(fabs(R.m[0][2]) < CLOSED && fabs(R.m[1][2]) < CLOSED);
    // The free angle is near to what was given: nothing pulls at it to first order.
    assert_near(atan2(R.m[1][0], R.m[0][0]), 0.3, 0.02);
    while (!pcs_simulation_finished(r.simulation))
        rig_step(&r);
    assert_true(s->worst_drift < CLOSED);
    rig_end(&r);
}

static void too_open_is_refused(void **state)
{
    (void)state;
    for (int raised = 0; raised < 2; ++raised) {
        rig r;
        rig_begin(&r, 2, NONE);
        pcs_body_def def = rig_body_def("arm", 1.7, pcs_v3(0, 0, 0.04), pcs_v3(0.31, 0.02, 0));
        pcs_body_id arm = rig_add(&r, &def);
        pcs_joint_def pin = rig_joint_def(&r, "pin", PCS_JOINT_REVOLUTE, PCS_GROUND, arm,
                                          pcs_v3(0, 0, 0), STRAIGHT);
        pin.a.position = pcs_v3(0.01, -0.23, 0);
        rig_join(&r, &pin);
        rig_finish(&r, 1, 1e-3);
        if (raised) {
            rig_must(&r, pcs_simulation_set(r.simulation, "assembly_limit", "1.5"));
            double moved = start(&r)->assembly_moved; // the arm turns on its way
            assert_true(moved > 0.1 && moved < 1);
        } else {
            assert_refused(&r, "joint.pin (row 2: y)", "body 'arm'");
            assert_non_null(strstr(pcs_context_error(r.ctx), "assembly_limit"));
        }
        rig_end(&r);
    }
}

static void out_of_reach_is_refused(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, NONE);
    pcs_body_id dot = rig_add_point(&r, "dot", 0.7, pcs_v3(0.52, 0.1, 0), NONE);
    add_rod(&r, "left", PCS_GROUND, pcs_v3(0, 0, 0), dot, 0.5);
    add_rod(&r, "right", PCS_GROUND, pcs_v3(1.07, 0, 0), dot, 0.55);
    rig_finish(&r, 1, 1e-3);
    assert_refused(&r, "(row 1: length)", "cannot be closed");
    rig_end(&r);
}

// Two hinges whose axes lie a tenth of a millimetre apart hold a door that cannot exist.
static void contradicting_hinges_are_refused(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, NONE);
    pcs_body_def def = rig_body_def("door", 1.7, pcs_v3(0.2, 0.3, 0.4), pcs_v3(0.4, 0, 1));
    pcs_body_id door = rig_add(&r, &def);
    rig_connect(&r, "lower", PCS_JOINT_REVOLUTE, PCS_GROUND, door, pcs_v3(0, 0, 0.3), STRAIGHT);
    pcs_joint_def upper = rig_joint_def(&r, "upper", PCS_JOINT_REVOLUTE, PCS_GROUND, door,
                                        pcs_v3(0, 0, 1.7), STRAIGHT);
    upper.a.position.x += 1e-4;
    rig_join(&r, &upper);
    rig_finish(&r, 1, 1e-3);
    assert_refused(&r, "joint.", "cannot be closed");
    rig_end(&r);
}

// Products of axes vanish for some turned frames too; these are no closed joints.
static void turned_frames_are_refused(void **state)
{
    (void)state;
    const pcs_joint_kind kinds[2] = {PCS_JOINT_FIXED, PCS_JOINT_PRISMATIC};
    const double third = 2 * PCS_PI / 3 / sqrt(3);
    const pcs_vec3 turns[4] = {
        {PCS_PI, 0, 0}, {0, PCS_PI, 0}, {0, 0, PCS_PI}, {third, third, third}};
    for (int i = 0; i < 8; ++i) {
        rig r;
        rig_begin(&r, 3, NONE);
        pcs_body_def def = rig_body_def("block", 1.7, pcs_v3(0.2, 0.3, 0.4), pcs_v3(0.4, 0, 1));
        pcs_body_id block = rig_add(&r, &def);
        pcs_joint_def weld = rig_joint_def(&r, "weld", kinds[i / 4], PCS_GROUND, block,
                                           pcs_v3(0.1, 0.2, 0.3), STRAIGHT);
        weld.b.rotation = pcs_so3_exp(turns[i % 4]);
        rig_join(&r, &weld);
        rig_finish(&r, 1, 1e-3);
        assert_refused(&r, "joint.weld (row", "turn");
        rig_end(&r);
    }
}

// The velocity along a rod goes, that across it stays.
static void velocities_are_projected(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, NONE);
    pcs_body_id other = rig_add_point(&r, "other", 0.3, pcs_v3(3, 0, 0), pcs_v3(1, 1, 1));
    pcs_body_id dot = rig_add_point(&r, "dot", 0.7, pcs_v3(0.6, 0.8, 0), pcs_v3(0.31, -0.17, 0.23));
    add_rod(&r, "rod", PCS_GROUND, NONE, dot, 0);
    rig_finish(&r, 1, 1e-3);
    const pcs_statistics *s = start(&r);
    const double along = 0.6 * 0.31 - 0.8 * 0.17;
    pcs_body_view view;
    pcs_simulation_body(r.simulation, dot, &view);
    assert_near(view.velocity.x, 0.31 - 0.6 * along, 1e-15);
    assert_near(view.velocity.y, -0.17 - 0.8 * along, 1e-15);
    assert_near(view.velocity.z, 0.23, 1e-15);
    assert_near(s->assembly_velocity, 0.8 * along, 1e-15);
    assert_int_equal(s->assembly_velocity_body, dot);
    assert_true(s->assembly_moved == 0);
    pcs_simulation_body(r.simulation, other, &view);
    assert_true(view.velocity.x == 1 && view.velocity.y == 1 && view.velocity.z == 1);
    rig_end(&r);
}

// Two hinges in one place, each with a motor.
static void build_two_motors(rig *r, const char *first, const char *second)
{
    rig_begin(r, 2, NONE);
    pcs_body_def def = rig_body_def("arm", 1.7, pcs_v3(0, 0, 0.04), pcs_v3(0.31, 0.02, 0));
    pcs_body_id arm = rig_add(r, &def);
    for (int i = 0; i < 2; ++i) {
        pcs_joint_def motor = rig_joint_def(r, i == 0 ? "first" : "second", PCS_JOINT_REVOLUTE,
                                            PCS_GROUND, arm, NONE, STRAIGHT);
        motor.drive[0].has_motion = true;
        motor.drive[0].motion = pcs_expression(i == 0 ? first : second);
        rig_join(r, &motor);
    }
    rig_finish(r, 0.5, 1e-2);
}

static void prescribed_motions_must_agree(void **state)
{
    (void)state;
    rig r;
    build_two_motors(&r, "0.3*sin(t)", "0.3*sin(t)"); // the same: redundant, but fine
    assert_int_equal(start(&r)->redundant_rows, 3);
    pcs_body_view view;
    pcs_simulation_body(r.simulation, 0, &view);
    assert_near(view.angular_velocity.z, 0.3, 1e-15);
    assert_near(pcs_simulation_statistics(r.simulation)->assembly_velocity, 0.3, 1e-15);
    while (!pcs_simulation_finished(r.simulation))
        rig_step(&r);
    rig_end(&r);
    build_two_motors(&r, "0.3*t", "0.5*t");
    assert_refused(&r, "(row 3: motion)", "contradicts");
    rig_end(&r);
    build_two_motors(&r, "0.01 + 0.3*t", "0.02 + 0.3*t");
    assert_refused(&r, "(row 3: motion)", "cannot be closed");
    rig_end(&r);
}

static void motions_without_a_value_are_refused(void **state)
{
    (void)state;
    static const char *const motion[3] = {"sqrt(t - 1)", "sqrt(t)", "1e-3/t"};
    for (int i = 0; i < 3; ++i) {
        rig r;
        rig_begin(&r, 2, NONE);
        pcs_body_def def = rig_body_def("arm", 1.7, pcs_v3(0, 0, 0.04), pcs_v3(0.31, 0.02, 0));
        pcs_body_id arm = rig_add(&r, &def);
        pcs_joint_def motor = rig_joint_def(&r, "motor", PCS_JOINT_REVOLUTE, PCS_GROUND, arm, NONE,
                                            STRAIGHT);
        motor.drive[0].has_motion = true;
        motor.drive[0].motion = pcs_expression(motion[i]);
        rig_join(&r, &motor);
        rig_finish(&r, 1, 1e-3);
        assert_refused(&r, "joint.motor (row 3: motion)", "is not finite");
        rig_end(&r);
    }
}

// The motion counts from the start time of the run, not from zero.
static void start_time_is_used(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 2, NONE);
    pcs_body_def def = rig_body_def("arm", 1.7, pcs_v3(0, 0, 0.04), pcs_v3(0.31, 0.02, 0));
    pcs_body_id arm = rig_add(&r, &def);
    pcs_joint_def motor = rig_joint_def(&r, "motor", PCS_JOINT_REVOLUTE, PCS_GROUND, arm, NONE,
                                        STRAIGHT);
    motor.drive[0].has_motion = true;
    motor.drive[0].motion = pcs_expression("5*(t - 2)^2 + 0.7*(t - 2)");
    rig_join(&r, &motor);
    rig_must(&r, pcs_builder_finish(r.builder, &r.model));
    pcs_simulation_def run = pcs_simulation_default();
    run.start = 2;
    run.end = 3;
    rig_must(&r, pcs_simulation_create(r.ctx, r.model, &run, &r.simulation));
    assert_true(start(&r)->assembly_moved < 1e-14);
    pcs_body_view view;
    pcs_simulation_body(r.simulation, arm, &view);
    assert_near(view.angular_velocity.z, 0.7, 1e-15);
    rig_end(&r);
}

// A gear keeps the angles that it was assembled with, and projects velocities.
static void gears_keep_their_start(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 2, NONE);
    pcs_coupling_def gear = pcs_coupling_default();
    gear.name = "gear";
    gear.ratio = 2;
    for (int i = 0; i < 2; ++i) {
        pcs_body_def def = rig_body_def(i == 0 ? "left" : "right", 1.7, pcs_v3(0, 0, 0.04),
                                        pcs_v3(0.4 * i, 0, 0));
        def.angle = i == 0 ? 2.9 : -1.3;
        def.angular_velocity.z = i == 0 ? 3 : 1;
        pcs_joint_def shaft = pcs_joint_default();
        shaft.name = i == 0 ? "a" : "b";
        shaft.kind = PCS_JOINT_REVOLUTE;
        shaft.a.position = def.position;
        shaft.b.body = rig_add(&r, &def);
        gear.joint[i] = rig_join(&r, &shaft);
    }
    rig_must(&r, pcs_builder_add_coupling(r.builder, &gear));
    rig_finish(&r, 1, 1e-3);
    const pcs_statistics *s = start(&r);
    assert_true(s->assembly_moved == 0);
    // min (w1-3)^2 + (w2-1)^2 on w1 + 2 w2 = 0:  w1 = 2, w2 = -1
    pcs_body_view view;
    pcs_simulation_body(r.simulation, 0, &view);
    assert_near(view.angular_velocity.z, 2, 1e-14);
    pcs_simulation_body(r.simulation, 1, &view);
    assert_near(view.angular_velocity.z, -1, 1e-14);
    while (!pcs_simulation_finished(r.simulation))
        rig_step(&r);
    pcs_joint_view first, second;
    pcs_simulation_joint(r.simulation, 0, &first);
    pcs_simulation_joint(r.simulation, 1, &second);
    assert_near(first.coordinate[0] + 2 * second.coordinate[0], 2.9 - 2.6, CLOSED);
    assert_near(first.coordinate[0], 4.9, 1e-10);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consistent_start_moves_nothing),
        cmocka_unit_test(gap_is_closed_in_the_metric_of_mass),
        cmocka_unit_test(open_hinge_is_closed),
        cmocka_unit_test(too_open_is_refused),
        cmocka_unit_test(out_of_reach_is_refused),
        cmocka_unit_test(contradicting_hinges_are_refused),
        cmocka_unit_test(turned_frames_are_refused),
        cmocka_unit_test(velocities_are_projected),
        cmocka_unit_test(prescribed_motions_must_agree),
        cmocka_unit_test(motions_without_a_value_are_refused),
        cmocka_unit_test(start_time_is_used),
        cmocka_unit_test(gears_keep_their_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Joints with prescribed motions and with limits, for 10 s with projection: motions followed
// without drift, the work of the drivers accounted for, limits kept, angles counted in their own
// turn.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/rig.h"

static const double STEP = 1e-3, END = 10;

// ---- Prescribed motions ----

typedef struct driven {
    const char *name;
    int32_t dimension;
    pcs_joint_kind kind;
    int32_t n;
    double scale[PCS_JOINT_COORDINATES_MAX]; // of the motions
} driven;

static const driven DRIVEN[] = {
    {"revolute", 3, PCS_JOINT_REVOLUTE, 1, {9.1}},
    {"prismatic", 3, PCS_JOINT_PRISMATIC, 1, {0.4}},
    {"cylindrical", 3, PCS_JOINT_CYLINDRICAL, 2, {0.3, 7.7}},
    {"spherical", 3, PCS_JOINT_SPHERICAL, 3, {0.9, -1.1, 0.7}},
    {"universal", 3, PCS_JOINT_UNIVERSAL, 2, {5.3, 1.1}},
    {"planar", 3, PCS_JOINT_PLANAR, 3, {0.4, -0.3, 6.1}},
    {"screw", 3, PCS_JOINT_SCREW, 1, {8.1}},
    {"point-on-line", 3, PCS_JOINT_POINT_ON_LINE, 1, {0.37}},
    {"point-on-plane", 3, PCS_JOINT_POINT_ON_PLANE, 2, {0.37, -0.23}},
    {"revolute, planar", 2, PCS_JOINT_REVOLUTE, 1, {9.1}},
    {"prismatic, planar", 2, PCS_JOINT_PRISMATIC, 1, {0.4}},
    {"point-on-line, planar", 2, PCS_JOINT_POINT_ON_LINE, 1, {0.37}},
};
enum { DRIVEN_COUNT = sizeof DRIVEN / sizeof *DRIVEN };

// All free coordinates of a joint follow formulas that begin at zero with some speed.
static void prescribed_motion(void **state)
{
    const driven *c = *state;
    static const char *const motion[3] = {"s0*sin(1.3*t)", "s1*(1 - cos(1.7*t))", "s2*sin(0.9*t)"};
    static const char *const scale[3] = {"s0", "s1", "s2"};
    rig r;
    rig_begin(&r, c->dimension, c->dimension == 2 ? RIG_DOWN2 : RIG_DOWN);
    pcs_vec3 position = c->dimension == 2 ? pcs_v3(0.21, 0.1, 0) : pcs_v3(0.21, 0.02, 0.1);
    pcs_body_id body = rig_link(&r, "body", position, pcs_v3(0, 0, 0.4));
    pcs_joint_def joint = rig_joint_def(&r, "joint", c->kind, PCS_GROUND, body, pcs_v3(0.1, 0, 0),
                                        c->dimension == 2 ? rig_turned(0.7)
                                                          : rig_z_along(0.3, 0.2, 1));
    joint.pitch = 0.11;
    for (int i = 0; i < c->n; ++i) {
        rig_must(&r, pcs_builder_set_parameter(r.builder, scale[i], c->scale[i]));
        joint.drive[i].has_motion = true;
        joint.drive[i].motion = pcs_expression(motion[i]);
    }
    rig_join(&r, &joint);
    rig_finish(&r, END, STEP);
    double power = 0;
    while (!pcs_simulation_finished(r.simulation)) {
        rig_step(&r);
        double t = pcs_simulation_time(r.simulation);
        const double x[3] = {c->scale[0] * sin(1.3 * t), c->scale[1] * (1 - cos(1.7 * t)),
                             c->scale[2] * sin(0.9 * t)};
        const double rate[3] = {1.3 * c->scale[0] * cos(1.3 * t), 1.7 * c->scale[1] * sin(1.7 * t),
                                0.9 * c->scale[2] * cos(0.9 * t)};
        pcs_joint_view view;
        pcs_simulation_joint(r.simulation, 0, &view);
        for (int i = 0; i < c->n; ++i) {
            if (!(fabs(view.coordinate[i] - x[i]) < RIG_DRIFT))
                fail_msg("t = %g: coordinate %d is %.15g, prescribed %.15g", t, i,
                         view.coordinate[i], x[i]);
            assert_true(fabs(view.rate[i] - rate[i]) < RIG_VELOCITY_DRIFT);
        }
        power = fmax(power, fabs(pcs_simulation_statistics(r.simulation)->energy.driver));
    }
    rig_check_drift(&r, 0);
    // The drivers do the work that the energies show; the rest is of the order (h w)^2 with the
    // fastest of the rates, w = 12 rad/s.
    const pcs_energy_account *e = &pcs_simulation_statistics(r.simulation)->energy;
    print_message("%-22s driver work %.3g, unexplained %.1e\n", c->name, power, fabs(e->numerical));
    assert_true(power > 0.1);
    assert_true(fabs(e->numerical) < 12 * STEP * 12 * STEP * power);
    rig_end(&r);
}

// The torque of a motor that speeds up an arm is J x'' (J about the pin), with projection or not.
static void motor_torque(void **state)
{
    (void)state;
    for (int projection = 0; projection < 2; ++projection) {
        rig r;
        rig_begin(&r, 2, pcs_v3(0, 0, 0));
        pcs_body_def def = rig_body_def("arm", 1.37, pcs_v3(0, 0, 0.029), pcs_v3(0.23, 0.11, 0));
        pcs_body_id arm = rig_add(&r, &def);
        pcs_joint_def motor = rig_joint_def(&r, "motor", PCS_JOINT_REVOLUTE, PCS_GROUND, arm,
                                            pcs_v3(0, 0, 0), RIG_STRAIGHT);
        motor.drive[0].has_motion = true;
        motor.drive[0].motion = pcs_expression("1.9*t^2/2");
        rig_join(&r, &motor);
        rig_finish(&r, 1, STEP);
        rig_must(&r, pcs_simulation_set(r.simulation, "projection", projection ? "all" : "none"));
        const double J = 0.029 + 1.37 * (0.23 * 0.23 + 0.11 * 0.11);
        while (!pcs_simulation_finished(r.simulation)) {
            rig_step(&r);
            pcs_joint_view view;
            pcs_simulation_joint(r.simulation, 0, &view);
            // Forces stand for the middle of the step: first order in h at its end.
            if (!(fabs(view.torque.z - 1.9 * J) < 10 * STEP * 1.9 * J))
                fail_msg("torque %.6g instead of %.6g", view.torque.z, 1.9 * J);
        }
        rig_end(&r);
    }
}

// A motion that begins beyond half a turn, and one exactly at it, keep their own count of turns.
static void motion_beyond_half_a_turn(void **state)
{
    (void)state;
    static const double start[] = {PCS_PI, -PCS_PI, 3.5, 17.3, -11.9};
    for (int i = 0; i < 5; ++i) {
        rig r;
        rig_begin(&r, 2, RIG_DOWN2);
        pcs_body_def def = rig_body_def("crank", 1.37, pcs_v3(0, 0, 0.029), pcs_v3(0, 0, 0));
        def.angle = start[i];
        pcs_body_id crank = rig_add(&r, &def);
        rig_must(&r, pcs_builder_set_parameter(r.builder, "start", start[i]));
        pcs_joint_def motor = pcs_joint_default();
        motor.name = "motor";
        motor.kind = PCS_JOINT_REVOLUTE;
        motor.b.body = crank;
        motor.drive[0].has_motion = true;
        motor.drive[0].motion = pcs_expression("start + 0.9*t");
        rig_join(&r, &motor);
        rig_finish(&r, 1, 0.01);
        rig_must(&r, pcs_simulation_start(r.simulation));
        assert_true(pcs_simulation_statistics(r.simulation)->assembly_moved < 1e-14);
        while (!pcs_simulation_finished(r.simulation))
            rig_step(&r);
        pcs_joint_view view;
        pcs_simulation_joint(r.simulation, 0, &view);
        assert_true(fabs(view.coordinate[0] - (start[i] + 0.9)) < RIG_DRIFT);
        rig_end(&r);
    }
}

// ---- Limits ----

static void check_limits(rig *r, double lower, double upper, int64_t impacts)
{
    rig_finish(r, END, STEP);
    double worst = 0, last = HUGE_VAL;
    while (!pcs_simulation_finished(r->simulation)) {
        rig_step(r);
        pcs_joint_view view;
        pcs_simulation_joint(r->simulation, 0, &view);
        worst = fmax(worst, fmax(lower - view.coordinate[0], view.coordinate[0] - upper));
        const pcs_energy_account *e = &pcs_simulation_statistics(r->simulation)->energy;
        assert_true(e->impact <= 1e-12);
        last = e->kinetic + e->potential;
    }
    rig_check_drift(r, 0);
    print_message("limits passed by %.1e, %d impacts\n", worst,
                  (int)pcs_simulation_statistics(r->simulation)->impacts);
    assert_true(worst < RIG_DRIFT);
    assert_true(pcs_simulation_statistics(r->simulation)->impacts >= impacts);
    assert_true(isfinite(last));
}

static pcs_joint_drive stops(double lower, double upper, double restitution)
{
    return (pcs_joint_drive){.has_lower = true,
                             .has_upper = true,
                             .lower = lower,
                             .upper = upper,
                             .restitution = restitution};
}

static void limited_hinge(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        rig r;
        rig_begin(&r, dimension, dimension == 2 ? RIG_DOWN2 : RIG_DOWN);
        pcs_vec3 omega = dimension == 2 ? pcs_v3(0, 0, 1.3) : pcs_v3(0.13, 1.3, 0.1);
        pcs_body_id body = rig_link(&r, "flap", pcs_v3(0.31, 0.02, 0), omega);
        pcs_joint_def hinge = rig_joint_def(
            &r, "hinge", PCS_JOINT_REVOLUTE, PCS_GROUND, body, pcs_v3(0, 0, 0),
            dimension == 2 ? RIG_STRAIGHT : rig_z_along(0.1, 1, 0.05));
        hinge.drive[0] = stops(-0.71, 0.43, 0.83);
        rig_join(&r, &hinge);
        check_limits(&r, -0.71, 0.43, 3);
        rig_end(&r);
    }
}

static void limited_slider(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, RIG_DOWN);
    pcs_body_id body = rig_link(&r, "slider", pcs_v3(0.31, 0.02, 0), pcs_v3(0, 0, 0));
    pcs_joint_def guide = rig_joint_def(&r, "guide", PCS_JOINT_PRISMATIC, PCS_GROUND, body,
                                        pcs_v3(0, 0, 0), rig_z_along(0.1, 0.3, 1));
    guide.drive[0] = stops(-0.37, 0.11, 0.4);
    rig_join(&r, &guide);
    check_limits(&r, -0.37, 0.11, 3);
    pcs_joint_view view;
    pcs_simulation_joint(r.simulation, 0, &view);
    // Came to rest on the lower one, not nearer than the fall within a step.
    assert_true(fabs(view.coordinate[0] + 0.37) < 9.81 * STEP * STEP);
    assert_true(fabs(view.rate[0]) < 1e-9);
    rig_end(&r);
}

// Limits beyond half a turn: the angle is counted in the turn that they allow.
static void limits_beyond_half_a_turn(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 2, RIG_DOWN2);
    pcs_body_def def = rig_body_def("flap", 1.37, pcs_v3(0, 0, 0.029), pcs_v3(0, 0, 0));
    def.center = pcs_v3(0.2, 0.03, 0);
    def.angle = 3.41;
    pcs_body_id body = rig_add(&r, &def);
    pcs_joint_def hinge = pcs_joint_default();
    hinge.name = "hinge";
    hinge.kind = PCS_JOINT_REVOLUTE;
    hinge.b.body = body;
    hinge.drive[0] = stops(2.9, 4.3, 0.5);
    rig_join(&r, &hinge);
    check_limits(&r, 2.9, 4.3, 1);
    rig_end(&r);
}

int main(void)
{
    struct CMUnitTest tests[DRIVEN_COUNT + 5];
    char names[DRIVEN_COUNT][64];
    int n = 0;
    for (int i = 0; i < DRIVEN_COUNT; ++i) {
        snprintf(names[n], sizeof names[n], "prescribed: %s", DRIVEN[i].name);
        tests[n] = (struct CMUnitTest)cmocka_unit_test_prestate(prescribed_motion,
                                                                (void *)(uintptr_t)&DRIVEN[i]);
        tests[n].name = names[n];
        ++n;
    }
    const struct CMUnitTest single[] = {
        cmocka_unit_test(motor_torque),
        cmocka_unit_test(motion_beyond_half_a_turn),
        cmocka_unit_test(limited_hinge),
        cmocka_unit_test(limited_slider),
        cmocka_unit_test(limits_beyond_half_a_turn),
    };
    memcpy(tests + n, single, sizeof single);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

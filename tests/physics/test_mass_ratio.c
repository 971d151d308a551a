// Light bodies between heavy ones: no joint is taken for redundant, and none drifts.
#include "support/near.h"
#include "support/rig.h"

static const double DRIFT = 1e-9; // m or rad, the acceptance line
static const double STEP = 1e-3;
static const pcs_quat STRAIGHT = {1, 0, 0, 0};

static void run(rig *r, double end)
{
    rig_finish(r, end, STEP);
    rig_must(r, pcs_simulation_start(r->simulation));
    while (!pcs_simulation_finished(r->simulation))
        rig_step(r);
    const pcs_statistics *s = pcs_simulation_statistics(r->simulation);
    assert_int_equal(s->redundant_rows, 0);
    assert_int_equal(s->redundant_most, 0);
    assert_at_most(s->worst_drift, DRIFT);
    for (pcs_joint_id j = 0; j < r->n_joints; ++j) { // and from the poses
        pcs_vec3 gap;
        pcs_mat3 R;
        rig_relative(r, j, &gap, &R);
        assert_at_most(pcs_v3_norm(gap), DRIFT);
    }
    rig_end(r);
}

// 10 t on a link of 1 mg, in the plane
static void test_light_link(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 2, pcs_v3(0, -9.81, 0));
    pcs_body_def light = rig_body_def("a", 1e-6, pcs_v3(0, 0, 1e-9), pcs_v3(0.5, 0, 0));
    pcs_body_def heavy = rig_body_def("b", 1e4, pcs_v3(0, 0, 1e4), pcs_v3(1.5, 0, 0));
    pcs_body_id a = rig_add(&r, &light), b = rig_add(&r, &heavy);
    rig_connect(&r, "j1", PCS_JOINT_REVOLUTE, PCS_GROUND, a, pcs_v3(0, 0, 0), STRAIGHT);
    rig_connect(&r, "j2", PCS_JOINT_REVOLUTE, a, b, pcs_v3(1, 0, 0), STRAIGHT);
    run(&r, 2);
}

// Two boxes of 20 t, 2 m x 1 m x 1 m, hinged by a pin of 2 g that is fixed in the first
static void test_pin(void **state)
{
    (void)state;
    const pcs_vec3 J = pcs_v3(2e4 * 2 / 12, 2e4 * 5 / 12, 2e4 * 5 / 12);
    const pcs_quat axis = pcs_quat_from_z_axis(pcs_v3(0.03, 1, 0.02), pcs_v3(1, 0, 0));
    rig r;
    rig_begin(&r, 3, pcs_v3(0, 0, -9.81));
    pcs_body_def one = rig_body_def("upper", 2e4, J, pcs_v3(1.02, 0.04, 0));
    pcs_body_def two = rig_body_def("lower", 2e4, J, pcs_v3(3.07, 0.02, 0.03));
    pcs_body_def pin = rig_body_def("pin", 2e-3, pcs_v3(2.8e-7, 2.5e-8, 2.8e-7), // 5 mm x 40 mm
                                    pcs_v3(2.05, 0.03, 0.01));
    pcs_body_id upper = rig_add(&r, &one), lower = rig_add(&r, &two), middle = rig_add(&r, &pin);
    rig_connect(&r, "ball", PCS_JOINT_SPHERICAL, PCS_GROUND, upper, pcs_v3(0, 0, 0), STRAIGHT);
    rig_connect(&r, "seat", PCS_JOINT_FIXED, upper, middle, pin.position, axis);
    rig_connect(&r, "hinge", PCS_JOINT_REVOLUTE, middle, lower, pin.position, axis);
    run(&r, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_link),
        cmocka_unit_test(test_pin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

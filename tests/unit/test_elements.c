// Forces of elements: tangents K = -df/dq and C = -df/dv of the whole model against finite
// differences of the forces, elastic forces against the gradient of the potential, powers against
// f.v. Each model has one class of elements beside its bodies.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/element_checks.h"

enum { TRIALS = 8 };

// Two bodies and a point under weight.
static void begin(probe *p, pcs_random *random, int32_t dimension)
{
    probe_begin(p, dimension);
    probe_must(p, pcs_builder_set_gravity(p->builder, pcs_v3(1.3, -9.7, dimension == 2 ? 0 : 2.1)));
    probe_must(p, pcs_builder_set_parameter(p->builder, "k", 3.7));
    assert_int_equal(probe_add_body(p, random, "one"), 0);
    assert_int_equal(probe_add_body(p, random, "two"), 1);
    assert_int_equal(probe_add_point(p, random, "dot"), 2);
}

// ---- Bodies ----

static void bodies(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 1);
    for (int trial = 0; trial < 2 * TRIALS; ++trial) {
        probe p;
        begin(&p, &random, 2 + trial % 2);
        probe_finish(&p);
        probe_randomise(&p, &random, 0.9, 1.7);
        check_tangents(&p, CHECK_BOTH, "body");
        check_conservative(&p, "body");
        check_powers(&p, "body");
        check_mass(&p, "body");
        probe_end(&p);
    }
}

// ---- Springs ----

static const pcs_body_id ENDS[][2] = {{0, 1}, {1, PCS_GROUND}, {PCS_GROUND, 0},
                                      {2, 0}, {1, 2},          {PCS_GROUND, 2}};

static void point_springs(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 2);
    for (int trial = 0; trial < 12 * TRIALS; ++trial) {
        int32_t dimension = 2 + trial % 2;
        const pcs_body_id *ends = ENDS[trial % 6];
        probe p;
        begin(&p, &random, dimension);
        pcs_spring_def def = pcs_spring_default();
        def.name = "spring";
        def.a = probe_frame(&random, dimension, ends[0]);
        def.b = probe_frame(&random, dimension, ends[1]);
        def.a.position.x += 2.9; // well apart: |d|^-n grows in the derivatives
        def.stiffness = 17.3;
        def.damping = 2.9;
        def.rest = trial % 3 ? 0.71 : NAN;
        probe_must(&p, pcs_builder_add_spring(p.builder, &def));
        probe_finish(&p);
        if (trial % 3 == 0) { // at its initial length it rests
            double V = pcs_model_potential(p.model, &p.c), weight = 0;
            for (int b = 0; b < 3; ++b)
                weight -= p.model->bodies.data[b].mass *
                          pcs_v3_dot(p.model->gravity, p.c.pose[b].x);
            probe_assert_near(V, weight, CHECK_ROUNDING, "rest length", 0, 0);
        }
        probe_randomise(&p, &random, 0.4, 0.9);
        pcs_pair_state s = pcs_configuration_pair(p.model, &p.c, &p.model->springs.data[0].pair);
        if (pcs_v3_norm(s.d) > 1.2) {
            check_tangents(&p, CHECK_BOTH, "point spring");
            check_conservative(&p, "point spring");
            check_powers(&p, "point spring");
        }
        probe_end(&p);
    }
}

static void bushings(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 3);
    for (int trial = 0; trial < 6 * TRIALS; ++trial) {
        int32_t dimension = 2 + trial % 2;
        const pcs_body_id *ends = ENDS[trial % 3];
        probe p;
        begin(&p, &random, dimension);
        pcs_spring_def def = pcs_spring_default();
        def.name = "bushing";
        def.kind = PCS_SPRING_BUSHING;
        def.a = probe_frame(&random, dimension, ends[0]);
        pcs_pose pose = pcs_builder_frame_pose(p.builder, &def.a);
        // b within 0.8 rad of a: bushings are for small rotations, psi jumps at half a turn
        pcs_quat turn = pcs_quat_mul(pcs_quat_from_matrix(&pose.R),
                                     dimension == 2 ? pcs_so3_exp(pcs_v3(0, 0, 0.8))
                                                    : pcs_so3_exp(probe_vector(&random, 3, 0.45)));
        pcs_vec3 x = pcs_v3_add(pose.x, probe_vector(&random, dimension, 0.3));
        probe_must(&p, pcs_builder_frame_at(p.builder, ends[1], x, turn, &def.b));
        for (int i = 0; i < 6; ++i) {
            bool idle = dimension == 2 && i >= 2 && i <= 4;
            def.stiffness6[i] = idle ? 0 : 11.3 + 3.1 * i;
            def.damping6[i] = idle ? 0 : 1.9 - 0.23 * i;
        }
        probe_must(&p, pcs_builder_add_spring(p.builder, &def));
        probe_finish(&p);
        assert_int_equal(p.model->springs.count, dimension == 2 ? 3 : 6);
        probe_randomise(&p, &random, 0.2, 0.9);
        check_tangents(&p, CHECK_BOTH, "bushing");
        check_conservative(&p, "bushing");
        check_powers(&p, "bushing");
        probe_end(&p);
    }
}

// Frames of bodies 0 and 1 (or of one and the ground) that fit the joint kind with a common pose.
static void common_frames(probe *p, pcs_random *random, const pcs_body_id ends[2], pcs_frame *a,
                          pcs_frame *b, pcs_vec3 shift, pcs_quat turn)
{
    int32_t dimension = p->builder->model->dimension;
    *a = probe_frame(random, dimension, ends[0]);
    pcs_pose pose = pcs_builder_frame_pose(p->builder, a);
    pcs_quat R = pcs_quat_from_matrix(&pose.R);
    probe_must(p, pcs_builder_frame_at(p->builder, ends[1],
                                       pcs_v3_add(pose.x, pcs_quat_rotate(R, shift)),
                                       pcs_quat_mul(R, turn), b));
}

// Parallel axes as in a hinge, where the angle is known, then tilted ones.
static void torsion_springs(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 5);
    for (int trial = 0; trial < 6 * TRIALS; ++trial) {
        int32_t dimension = 2 + trial % 2;
        const pcs_body_id *ends = ENDS[trial % 3];
        probe p;
        begin(&p, &random, dimension);
        pcs_spring_def def = pcs_spring_default();
        def.name = "torsion";
        def.kind = PCS_SPRING_TORSION;
        def.stiffness = 13.7;
        def.damping = 1.9;
        def.rest = trial % 3 ? -0.37 : NAN; // NaN: 0
        double angle = pcs_random_between(&random, -2.9, 2.9);
        common_frames(&p, &random, ends, &def.a, &def.b, probe_vector(&random, dimension, 1.1),
                      pcs_so3_exp(pcs_v3(0, 0, angle)));
        probe_must(&p, pcs_builder_add_spring(p.builder, &def));
        probe_finish(&p);
        double rest = trial % 3 ? -0.37 : 0, V = pcs_model_potential(p.model, &p.c);
        for (int b = 0; b < 3; ++b)
            V += p.model->bodies.data[b].mass * pcs_v3_dot(p.model->gravity, p.c.pose[b].x);
        probe_assert_near(V, 0.5 * 13.7 * (angle - rest) * (angle - rest), CHECK_ROUNDING,
                          "torsion", 0, 0);
        probe_randomise(&p, &random, trial % 4 == 3 ? 0 : 0.2, 0.9);
        check_tangents(&p, CHECK_BOTH, "torsion");
        check_conservative(&p, "torsion");
        check_powers(&p, "torsion");
        probe_end(&p);
    }
}

// ---- Joint drives ----

typedef struct drive_case {
    int32_t dimension;
    pcs_joint_kind kind;
    pcs_vec3 shift;
    double turn[2]; // about z (universal: about x, then y)
} drive_case;

static const drive_case DRIVES[] = {
    {2, PCS_JOINT_REVOLUTE, {0, 0, 0}, {0.83, 0}},
    {2, PCS_JOINT_PRISMATIC, {0.47, 0, 0}, {0, 0}},
    {2, PCS_JOINT_POINT_ON_LINE, {-0.53, 0, 0}, {1.1, 0}},
    {3, PCS_JOINT_REVOLUTE, {0, 0, 0}, {-1.37, 0}},
    {3, PCS_JOINT_PRISMATIC, {0, 0, 0.39}, {0, 0}},
    {3, PCS_JOINT_CYLINDRICAL, {0, 0, 0.39}, {0.91, 0}},
    {3, PCS_JOINT_SPHERICAL, {0, 0, 0}, {0.71, 0.43}},
    {3, PCS_JOINT_UNIVERSAL, {0, 0, 0}, {0.61, -0.52}},
    {3, PCS_JOINT_PLANAR, {0.33, -0.41, 0}, {-0.77, 0}},
    {3, PCS_JOINT_SCREW, {0, 0, 0.413 * 0.91 / (2 * PCS_PI)}, {0.91, 0}},
    {3, PCS_JOINT_POINT_ON_LINE, {0, 0, -0.23}, {0.7, 0.2}},
    {3, PCS_JOINT_POINT_ON_PLANE, {0.33, -0.41, 0}, {0.7, 0.2}},
};
enum { DRIVE_COUNT = sizeof DRIVES / sizeof *DRIVES };

static pcs_joint_def joint_of(probe *p, pcs_random *random, const drive_case *c,
                              const pcs_body_id ends[2])
{
    pcs_joint_def def = pcs_joint_default();
    def.name = "hinge";
    def.kind = c->kind;
    def.pitch = 0.413;
    bool crossed = c->kind == PCS_JOINT_UNIVERSAL || c->turn[1] != 0;
    pcs_quat turn = crossed ? pcs_quat_mul(pcs_so3_exp(pcs_v3(c->turn[0], 0, 0)),
                                           pcs_so3_exp(pcs_v3(0, c->turn[1], 0)))
                            : pcs_so3_exp(pcs_v3(0, 0, c->turn[0]));
    common_frames(p, random, ends, &def.a, &def.b, c->shift, turn);
    return def;
}

static int32_t coordinate_count(const drive_case *c)
{
    int32_t n = 0;
    while (pcs_joint_coordinate_name(c->kind, c->dimension, n))
        ++n;
    return n;
}

static void joint_springs(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 6);
    for (int trial = 0; trial < 3 * DRIVE_COUNT; ++trial) {
        const drive_case *c = &DRIVES[trial % DRIVE_COUNT];
        probe p;
        begin(&p, &random, c->dimension);
        pcs_joint_def def = joint_of(&p, &random, c, ENDS[trial / DRIVE_COUNT]);
        for (int32_t i = 0; i < coordinate_count(c); ++i)
            def.drive[i] = (pcs_joint_drive){
                .stiffness = 7.9 + i, .rest = 0.31 - 0.2 * i, .damping = 1.3 - 0.4 * i};
        probe_must(&p, pcs_builder_add_joint(p.builder, &def, NULL));
        probe_finish(&p);
        probe_randomise(&p, &random, 0, 0.9);
        const char *name = pcs_joint_kind_name(c->kind);
        check_tangents(&p, CHECK_BOTH, name);
        check_conservative(&p, name);
        check_powers(&p, name);
        probe_end(&p);
    }
}

// Constant actuators: only the directions of the forces change.
static void constant_actuators(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 7);
    for (int trial = 0; trial < 3 * DRIVE_COUNT; ++trial) {
        const drive_case *c = &DRIVES[trial % DRIVE_COUNT];
        probe p;
        begin(&p, &random, c->dimension);
        pcs_joint_def def = joint_of(&p, &random, c, ENDS[trial / DRIVE_COUNT]);
        for (int32_t i = 0; i < coordinate_count(c); ++i)
            def.drive[i].actuator = pcs_number(5.3 - 1.1 * i);
        probe_must(&p, pcs_builder_add_joint(p.builder, &def, NULL));
        probe_finish(&p);
        probe_randomise(&p, &random, 0, 0.9);
        check_tangents(&p, CHECK_BOTH, pcs_joint_kind_name(c->kind));
        check_powers(&p, pcs_joint_kind_name(c->kind));
        probe_end(&p);
    }
}

// A control law of the joint's own coordinate and rate, of another body and of time.
static void controlled_actuators(void **state)
{
    (void)state;
    static const char *const law[2][3] = {
        {"-k*joint.hinge.angle - 0.7*joint.hinge.rate^2 + sin(t)*body.dot.position.x*"
         "body.one.velocity.y",
         "exp(-joint.hinge.displacement)*joint.hinge.speed + body.two.angular_velocity*"
         "cos(body.one.angle)",
         "joint.hinge.speed*body.dot.velocity.x - k*joint.hinge.displacement^2"},
        {"-k*joint.hinge.angle - 0.7*joint.hinge.rate^2 + sin(t)*body.dot.position.z*"
         "body.one.velocity.y",
         "exp(-joint.hinge.displacement)*joint.hinge.speed + body.two.angular_velocity.x*"
         "cos(body.one.position.y)",
         "joint.hinge.speed*body.dot.velocity.z - k*joint.hinge.displacement^2"},
    };
    static const struct {
        int drive, law;
    } cases[] = {{0, 0}, {1, 1}, {2, 2}, {3, 0}, {4, 1}, {10, 2}};
    pcs_random random;
    pcs_random_init(&random, 8);
    for (int trial = 0; trial < 3 * 6; ++trial) {
        const drive_case *c = &DRIVES[cases[trial % 6].drive];
        probe p;
        begin(&p, &random, c->dimension);
        p.t = 0.83;
        pcs_joint_def def = joint_of(&p, &random, c, ENDS[trial / 6]);
        def.drive[0].actuator = pcs_expression(law[c->dimension - 2][cases[trial % 6].law]);
        probe_must(&p, pcs_builder_add_joint(p.builder, &def, NULL));
        probe_finish(&p);
        probe_randomise(&p, &random, 0, 0.9);
        check_tangents(&p, CHECK_BOTH, pcs_joint_kind_name(c->kind));
        check_powers(&p, pcs_joint_kind_name(c->kind));
        probe_end(&p);
    }
}

// ---- Applied forces ----

// Force and torque on each body with an arm, in world or body axes, as numbers or formulas.
static void applied_forces(void **state)
{
    (void)state;
    static const char *const formulas[3] = {
        "2.3*cos(t) - k*body.two.position.x*body.dot.position.y",
        "1.9*body.one.position.y^2 + body.dot.position.x",
        "0.4*t*body.one.position.x",
    };
    pcs_random random;
    pcs_random_init(&random, 9);
    for (int trial = 0; trial < 24; ++trial) {
        int32_t dimension = 2 + trial % 2;
        bool formula = trial / 4 % 2 == 1;
        probe p;
        begin(&p, &random, dimension);
        p.t = 0.59;
        pcs_force_def def = pcs_force_default();
        def.name = "push";
        def.body = trial / 8;
        def.body_frame = trial / 2 % 2 == 1;
        def.position = probe_vector(&random, dimension, 0.7);
        for (int i = 0; i < 3; ++i) {
            if (dimension == 3 || i < 2)
                def.force[i] = formula ? pcs_expression(formulas[i]) : pcs_number(3.1 - 1.3 * i);
            if (dimension == 3 || i == 2)
                def.torque[i] = formula ? pcs_expression(formulas[2 - i]) : pcs_number(1.7 * i - 2);
        }
        probe_must(&p, pcs_builder_add_force(p.builder, &def));
        probe_finish(&p);
        probe_randomise(&p, &random, 0.7, 0.9);
        check_tangents(&p, CHECK_BOTH, "force");
        check_powers(&p, "force");
        probe_end(&p);
    }
}

// A drag that depends on velocities.
static void forces_of_velocity(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 10);
    for (int trial = 0; trial < 8; ++trial) {
        int32_t dimension = 2 + trial % 2;
        probe p;
        begin(&p, &random, dimension);
        pcs_force_def def = pcs_force_default();
        def.name = "drag";
        def.body = trial / 4;
        def.body_frame = trial / 2 % 2 == 1;
        def.position = probe_vector(&random, dimension, 0.7);
        def.force[0] = pcs_expression("-k*body.one.velocity.x*body.two.velocity.y");
        def.force[1] = pcs_expression("-0.3*body.two.velocity.y^3*body.one.position.x");
        def.torque[2] = pcs_expression(dimension == 2 ? "-0.9*body.one.angular_velocity"
                                                      : "-0.9*body.one.angular_velocity.z");
        probe_must(&p, pcs_builder_add_force(p.builder, &def));
        probe_finish(&p);
        probe_randomise(&p, &random, 0.7, 0.9);
        check_tangents(&p, CHECK_BOTH, "drag");
        check_powers(&p, "drag");
        probe_end(&p);
    }
}

// ---- A model of everything: blocks of all elements fall into their places ----

static void everything_together(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 11);
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        probe p;
        begin(&p, &random, dimension);
        assert_int_equal(probe_add_body(&p, &random, "three"), 3);
        for (int k = 0; k < 6; ++k) {
            pcs_spring_def spring = pcs_spring_default();
            spring.name = "spring";
            spring.a = probe_frame(&random, dimension, k % 4);
            spring.b = probe_frame(&random, dimension, k < 3 ? 3 - k : PCS_GROUND);
            spring.a.position.x += 2.9;
            spring.stiffness = 5.1;
            spring.damping = 0.7;
            if (spring.a.body != spring.b.body)
                probe_must(&p, pcs_builder_add_spring(p.builder, &spring));
        }
        pcs_force_def force = pcs_force_default();
        force.name = "far";
        force.body = 3;
        force.force[0] = pcs_expression("-k*body.one.position.x + body.dot.position.y");
        probe_must(&p, pcs_builder_add_force(p.builder, &force));
        const drive_case *c = &DRIVES[dimension == 2 ? 0 : 3];
        pcs_joint_def joint = joint_of(&p, &random, c, ENDS[0]);
        joint.drive[0].actuator = pcs_expression("-2.1*body.three.position.y");
        probe_must(&p, pcs_builder_add_joint(p.builder, &joint, NULL));
        probe_finish(&p);
        probe_randomise(&p, &random, 0, 0.9);
        check_tangents(&p, CHECK_BOTH, "everything");
        check_powers(&p, "everything");
        check_mass(&p, "everything");
        probe_end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies),
        cmocka_unit_test(point_springs),
        cmocka_unit_test(bushings),
        cmocka_unit_test(torsion_springs),
        cmocka_unit_test(joint_springs),
        cmocka_unit_test(constant_actuators),
        cmocka_unit_test(controlled_actuators),
        cmocka_unit_test(applied_forces),
        cmocka_unit_test(forces_of_velocity),
        cmocka_unit_test(everything_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

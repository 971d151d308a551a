// The builder: every refusal has the right status and names the object, and a refused part leaves
// no trace. Failing allocations: test_builder_memory.c.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/builder_bench.h"

// After any number of refusals the builder still finishes to the model of bench_begin().
static void expect_untouched(builder_bench *b)
{
    if (pcs_builder_finish(b->builder, &b->model) != PCS_OK)
        fail_msg("%s", pcs_context_error(b->ctx));
    assert_int_equal(pcs_model_body_count(b->model), 3);
    assert_int_equal(pcs_model_joint_count(b->model), 1);
    assert_int_equal(pcs_model_contact_count(b->model), 0);
    assert_int_equal(b->model->springs.count, 0);
    assert_int_equal(b->model->actuators.count, 0);
    assert_int_equal(b->model->limits.count, 0);
    assert_int_equal(b->model->forces.count, 0);
    assert_int_equal(b->model->couplings.count, 0);
    assert_int_equal(b->model->nodes.count, 3);
    assert_int_equal(b->model->n_turns, 1);
    bench_end(b);
}

// ---- Creation, parameters, gravity, frames ----

static void creation(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    static const int32_t wrong[] = {-1, 0, 1, 4};
    for (int i = 0; i < 4; ++i) {
        pcs_builder *builder = (pcs_builder *)(uintptr_t)1;
        assert_int_equal(pcs_builder_create(ctx, wrong[i], &builder), PCS_ERROR_ARGUMENT);
        assert_null(builder);
        assert_non_null(strstr(pcs_context_error(ctx), "dimension"));
    }
    pcs_builder *builder;
    assert_int_equal(pcs_builder_create(ctx, 3, &builder), PCS_OK);
    pcs_model *model = (pcs_model *)(uintptr_t)1;
    assert_int_equal(pcs_builder_finish(builder, &model), PCS_ERROR_MODEL);
    assert_null(model);
    assert_non_null(strstr(pcs_context_error(ctx), "no bodies"));
    pcs_builder_destroy(builder);
    pcs_builder_destroy(NULL);
    pcs_model_destroy(NULL);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

static void parameters(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 3);
    static const char *const bad[] = {"2k", "a b", "k-1", "a.b", "\xc3\xa4"};
    for (int i = 0; i < 5; ++i) {
        bench_expect(&b, pcs_builder_set_parameter(b.builder, bad[i], 1), PCS_ERROR_MODEL,
                     "parameter '");
        bench_expect(&b, pcs_builder_set_parameter(b.builder, bad[i], 1), PCS_ERROR_MODEL, bad[i]);
    }
    bench_expect(&b, pcs_builder_set_parameter(b.builder, NULL, 1), PCS_ERROR_MODEL,
                 "needs a name");
    bench_expect(&b, pcs_builder_set_parameter(b.builder, "", 1), PCS_ERROR_MODEL, "needs a name");
    bench_expect(&b, pcs_builder_set_parameter(b.builder, "k", NAN), PCS_ERROR_MODEL, "'k'");
    bench_expect(&b, pcs_builder_set_parameter(b.builder, "k", INFINITY), PCS_ERROR_MODEL, "'k'");
    static const char *const taken[] = {"t", "pi", "tau"}; // would be silently something else
    for (int i = 0; i < 3; ++i)
        bench_expect(&b, pcs_builder_set_parameter(b.builder, taken[i], 1), PCS_ERROR_MODEL,
                     taken[i]);
    assert_int_equal(pcs_builder_set_parameter(b.builder, "k", 1), PCS_OK);
    assert_int_equal(pcs_builder_set_parameter(b.builder, "k", 2), PCS_OK); // replaced
    assert_int_equal(b.builder->parameters.count, 1);
    expect_untouched(&b);
}

static void gravity(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 2);
    bench_expect(&b, pcs_builder_set_gravity(b.builder, pcs_v3(0, NAN, 0)), PCS_ERROR_MODEL,
                 "gravity");
    bench_expect(&b, pcs_builder_set_gravity(b.builder, pcs_v3(0, 0, -9.81)), PCS_ERROR_MODEL,
                 "gravity");
    assert_int_equal(pcs_builder_set_gravity(b.builder, pcs_v3(0, -9.81, 0)), PCS_OK);
    expect_untouched(&b);
}

static void frames(void **state)
{
    (void)state;
    const pcs_quat straight = {1, 0, 0, 0}, long_one = {1.1, 0, 0, 0}, tilted = {0.8, 0.6, 0, 0};
    builder_bench b;
    bench_begin(&b, 2);
    pcs_frame frame;
    pcs_vec3 origin = {0, 0, 0};
    bench_expect(&b, pcs_builder_frame_at(b.builder, 7, origin, straight, &frame), PCS_ERROR_MODEL,
                 "no body 7");
    bench_expect(&b, pcs_builder_frame_at(b.builder, -2, origin, straight, &frame), PCS_ERROR_MODEL,
                 "no body -2");
    bench_expect(&b, pcs_builder_frame_at(b.builder, 0, pcs_v3(NAN, 0, 0), straight, &frame),
                 PCS_ERROR_MODEL, "finite");
    bench_expect(&b, pcs_builder_frame_at(b.builder, 0, origin, long_one, &frame), PCS_ERROR_MODEL,
                 "unit quaternion");
    bench_expect(&b, pcs_builder_frame_at(b.builder, 0, origin, tilted, &frame), PCS_ERROR_MODEL,
                 "planar");
    bench_expect(&b, pcs_builder_frame_at(b.builder, 0, pcs_v3(0, 0, 1), straight, &frame),
                 PCS_ERROR_MODEL, "planar");
    expect_untouched(&b);
}

// ---- Bodies ----

static void bodies(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 3);
    pcs_body_id id = 77;
    pcs_body_def def;
#define REFUSED(change, text)                                                                \
    do {                                                                                     \
        def = bench_body();                                                                  \
        change;                                                                              \
        bench_expect(&b, pcs_builder_add_body(b.builder, &def, &id), PCS_ERROR_MODEL, text); \
        bench_expect(&b, PCS_ERROR_MODEL, PCS_ERROR_MODEL, "body");                          \
    } while (0)
    REFUSED(def.name = NULL, "needs a name");
    REFUSED(def.name = "", "needs a name");
    REFUSED(def.name = "1st", "'1st'");
    REFUSED(def.name = "a.b", "'a.b'");
    REFUSED(def.name = "ground", "'ground'");
    REFUSED(def.name = "one", "'one'");
    REFUSED(def.mass = -2, "'part'");
    REFUSED(def.mass = 0, "'part'");
    REFUSED(def.mass = NAN, "'part'");
    REFUSED(def.mass = INFINITY, "'part'");
    REFUSED(def.position.y = NAN, "'part'");
    REFUSED(def.velocity.z = INFINITY, "'part'");
    REFUSED(def.angular_velocity.x = NAN, "'part'");
    REFUSED(def.center.x = NAN, "'part'");
    REFUSED(def.rotation = ((pcs_quat){0, 0, 0, 0}), "unit quaternion");
    REFUSED(def.rotation.w = NAN, "unit quaternion");
    REFUSED(def.inertia.m[0][0] = 0, "principal moments");
    REFUSED(def.inertia.m[1][1] = -0.4, "principal moments");
    REFUSED(def.inertia.m[2][2] = 0.71, "no mass distribution");
    REFUSED(def.inertia.m[0][1] = 0.1, "symmetric");
    REFUSED(def.inertia.m[1][2] = NAN, "finite");
    REFUSED(def.inertia_rotation.x = NAN, "finite");
    pcs_shape_def shape = pcs_shape_default();
    shape.kind = PCS_SHAPE_SPHERE;
    REFUSED((def.mass = 0, def.shapes = &shape, def.n_shapes = 1), "'part'"); // no density
    shape.density = 1000;
    REFUSED((def.mass = 0, def.shapes = &shape, def.n_shapes = 1), "'part'"); // no radius
    shape.kind = PCS_SHAPE_ROD;
    shape.size = pcs_v3(0, 0, 1);
    REFUSED((def.mass = 0, def.shapes = &shape, def.n_shapes = 1), "cylinder"); // no thickness
#undef REFUSED
    assert_int_equal(id, 77); // not written by refusals
    expect_untouched(&b);
}

static void planar_bodies(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 2);
    pcs_body_def def;
#define REFUSED(change, text)                                                                 \
    do {                                                                                      \
        def = bench_body();                                                                   \
        change;                                                                               \
        bench_expect(&b, pcs_builder_add_body(b.builder, &def, NULL), PCS_ERROR_MODEL, text); \
        bench_expect(&b, PCS_ERROR_MODEL, PCS_ERROR_MODEL, "body 'part'");                    \
    } while (0)
    REFUSED(def.position.z = 0.1, "x-y plane");
    REFUSED(def.velocity.z = 0.1, "x-y plane");
    REFUSED(def.angular_velocity.x = 0.1, "x-y plane");
    REFUSED(def.center.z = 0.1, "x-y plane");
    REFUSED(def.rotation = ((pcs_quat){0.8, 0, 0, 0.6}), "angle");
    REFUSED(def.angle = NAN, "finite");
    REFUSED(def.inertia.m[2][2] = 0, "point");
    REFUSED(def.inertia.m[2][2] = -1, "inertia");
    REFUSED(def.inertia.m[2][2] = NAN, "inertia");
#undef REFUSED
    expect_untouched(&b);
}

// ---- Joints and couplings ----

static void joints(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 3);
    pcs_joint_id id = 77;
    pcs_joint_def def;
#define REFUSED(change, text)                                                                 \
    do {                                                                                      \
        def = bench_joint();                                                                  \
        change;                                                                               \
        bench_expect(&b, pcs_builder_add_joint(b.builder, &def, &id), PCS_ERROR_MODEL, text); \
        bench_expect(&b, PCS_ERROR_MODEL, PCS_ERROR_MODEL, "joint");                          \
    } while (0)
    REFUSED(def.name = NULL, "needs a name");
    REFUSED(def.name = "a b", "'a b'");
    REFUSED(def.name = "hinge", "'hinge'");
    REFUSED(def.kind = PCS_JOINT_KIND_COUNT, "'arm'");
    REFUSED(def.kind = (pcs_joint_kind)-1, "'arm'");
    REFUSED(def.b.body = 0, "one to itself");
    REFUSED(def.a.body = def.b.body = PCS_GROUND, "ground to itself");
    REFUSED(def.a.body = 9, "no body 9");
    REFUSED(def.b.body = -5, "no body -5");
    REFUSED(def.a.position.x = NAN, "'arm'");
    REFUSED(def.b.rotation.y = 0.5, "unit quaternion");
    REFUSED(def.b.body = 2, "'dot', which is a point mass");
    REFUSED((def.kind = PCS_JOINT_POINT_ON_LINE, def.a.body = 2), "'dot'");
    REFUSED((def.kind = PCS_JOINT_DISTANCE, def.length = -1), "length");
    REFUSED((def.kind = PCS_JOINT_DISTANCE, def.length = NAN), "length");
    REFUSED((def.kind = PCS_JOINT_DISTANCE, def.b.position.x = -0.37), "coincide");
    REFUSED((def.kind = PCS_JOINT_DISTANCE, def.drive[0].stiffness = 3), "no free coordinate");
    REFUSED(def.kind = PCS_JOINT_SCREW, "pitch");
    REFUSED((def.kind = PCS_JOINT_SCREW, def.pitch = INFINITY), "pitch");
    REFUSED(def.drive[2].damping = 3, "no free coordinate 3");
    REFUSED((def.kind = PCS_JOINT_FIXED, def.drive[0].has_motion = true), "no free coordinate 1");
    REFUSED(def.drive[0].stiffness = -1, "stiffness");
    REFUSED(def.drive[0].stiffness = NAN, "stiffness");
    REFUSED(def.drive[1].damping = -1, "damping");
    REFUSED(def.drive[1].rest = NAN, "'arm'");
    REFUSED((def.drive[0].has_lower = def.drive[0].has_upper = true, def.drive[0].lower = 0.3,
             def.drive[0].upper = 0.2),
            "lower limit");
    REFUSED((def.drive[0].has_lower = true, def.drive[0].lower = NAN), "limit");
    REFUSED((def.drive[0].has_upper = true, def.drive[0].upper = INFINITY), "limit");
    REFUSED((def.drive[0].has_upper = true, def.drive[0].restitution = 1.1), "restitution");
    REFUSED((def.drive[0].has_upper = true, def.drive[0].restitution = NAN), "restitution");
    REFUSED((def.drive[0].has_motion = def.drive[0].has_lower = true), "limits");
    REFUSED((def.kind = PCS_JOINT_SPHERICAL, def.b.body = 2, def.drive[0].stiffness = 1),
            "no rotation");
    // The rotation vector never gets there. Its bounds and the angle of a hinge are free.
    REFUSED((def.kind = PCS_JOINT_SPHERICAL, def.drive[1].has_upper = true,
             def.drive[1].upper = 3.1416),
            "upper limit of 'rotation_y' is 3.1416");
    REFUSED((def.kind = PCS_JOINT_SPHERICAL, def.drive[0].has_lower = true,
             def.drive[0].lower = -3.385),
            "lower limit of 'rotation_x'");
    REFUSED((def.kind = PCS_JOINT_SPHERICAL, def.drive[2].has_motion = true,
             def.drive[2].motion.number = -4.7),
            "motion of 'rotation_z'");
    // Refused on the way, after springs, limits and formulas of the first coordinate were taken.
    REFUSED((def.drive[0].stiffness = 1, def.drive[0].has_lower = true,
             def.drive[0].actuator = pcs_expression("t"), def.drive[1].actuator.number = NAN),
            "actuator of joint 'arm'");
    REFUSED((def.drive[0].has_motion = true, def.drive[0].motion = pcs_expression("sin(t)"),
             def.drive[1].has_motion = true, def.drive[1].motion.number = INFINITY),
            "motion of joint 'arm'");
#undef REFUSED
    assert_int_equal(id, 77);
    expect_untouched(&b);
    bench_begin(&b, 2);
    def = bench_joint();
    bench_expect(&b, pcs_builder_add_joint(b.builder, &def, NULL), PCS_ERROR_MODEL, "planar model");
    def.kind = PCS_JOINT_REVOLUTE;
    def.b.body = 2;
    def.drive[0].damping = 0.1;
    bench_expect(&b, pcs_builder_add_joint(b.builder, &def, NULL), PCS_ERROR_MODEL, "no rotation");
    expect_untouched(&b);
}

static void couplings(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 3);
    pcs_coupling_def def;
#define REFUSED(change, text)                                                               \
    do {                                                                                    \
        def = pcs_coupling_default();                                                       \
        def.name = "gear";                                                                  \
        change;                                                                             \
        bench_expect(&b, pcs_builder_add_coupling(b.builder, &def), PCS_ERROR_MODEL, text); \
        bench_expect(&b, PCS_ERROR_MODEL, PCS_ERROR_MODEL, "coupling");                     \
    } while (0)
    REFUSED(def.name = NULL, "needs a name");
    REFUSED(def.name = "1", "'1'");
    REFUSED(def.joint[1] = 3, "'gear': there is no joint 3");
    REFUSED(def.joint[0] = -1, "'gear': there is no joint -1");
    REFUSED(def.coordinate[1] = 1, "'gear': joint 'hinge' has no coordinate 2");
    REFUSED(def.coordinate[0] = -1, "'gear': joint 'hinge' has no coordinate");
    REFUSED(def.ratio = 2, "'gear': couples a coordinate with itself");
#undef REFUSED
    pcs_joint_def joint = bench_joint();
    assert_int_equal(pcs_builder_add_joint(b.builder, &joint, NULL), PCS_OK);
    def = pcs_coupling_default();
    def.name = "gear";
    def.joint[1] = 1;
    static const double ratios[] = {0, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        def.ratio = ratios[i];
        bench_expect(&b, pcs_builder_add_coupling(b.builder, &def), PCS_ERROR_MODEL,
                     "'gear': the ratio");
    }
    bench_end(&b);
}

// ---- Springs, forces, contacts ----

static void springs(void **state)
{
    (void)state;
    builder_bench b;
    pcs_spring_def def;
#define REFUSED(change, text)                                                             \
    do {                                                                                  \
        def = pcs_spring_default();                                                       \
        def.name = "coil";                                                                \
        def.a.body = 0;                                                                   \
        def.b.body = 1;                                                                   \
        def.stiffness = 3;                                                                \
        change;                                                                           \
        bench_expect(&b, pcs_builder_add_spring(b.builder, &def), PCS_ERROR_MODEL, text); \
        bench_expect(&b, PCS_ERROR_MODEL, PCS_ERROR_MODEL, "spring");                     \
    } while (0)
    bench_begin(&b, 3);
    REFUSED(def.name = NULL, "needs a name");
    REFUSED(def.name = "x y", "'x y'");
    REFUSED(def.kind = (pcs_spring_kind)9, "'coil': unknown kind");
    REFUSED(def.b.body = 0, "'coil': joins one to itself");
    REFUSED(def.a.body = 3, "no body 3");
    REFUSED(def.stiffness = -1, "'coil': stiffness");
    REFUSED(def.stiffness = NAN, "'coil': stiffness");
    REFUSED(def.damping = -1, "damping");
    REFUSED(def.damping = INFINITY, "damping");
    REFUSED(def.rest = -0.1, "rest length");
    REFUSED(def.rest = INFINITY, "rest");
    REFUSED((def.kind = PCS_SPRING_TORSION, def.b.body = 2), "'coil': a point mass");
    REFUSED((def.kind = PCS_SPRING_BUSHING, def.a.body = 2), "'coil': a point mass");
    REFUSED((def.kind = PCS_SPRING_TORSION, def.stiffness = -1), "'coil'");
    REFUSED((def.kind = PCS_SPRING_BUSHING, def.stiffness6[0] = 1, def.stiffness6[4] = -1),
            "'coil'"); // after the first spring was taken
    expect_untouched(&b);
    bench_begin(&b, 2);
    REFUSED((def.kind = PCS_SPRING_BUSHING, def.stiffness6[0] = 1, def.damping6[3] = 1),
            "'coil': a planar bushing");
#undef REFUSED
    expect_untouched(&b);
}

static void forces(void **state)
{
    (void)state;
    builder_bench b;
    pcs_force_def def;
#define REFUSED(change, text)                                                            \
    do {                                                                                 \
        def = pcs_force_default();                                                       \
        def.name = "push";                                                               \
        def.body = 0;                                                                    \
        def.force[0] = pcs_expression("sin(t)");                                         \
        change;                                                                          \
        bench_expect(&b, pcs_builder_add_force(b.builder, &def), PCS_ERROR_MODEL, text); \
        bench_expect(&b, PCS_ERROR_MODEL, PCS_ERROR_MODEL, "force");                     \
    } while (0)
    bench_begin(&b, 3);
    REFUSED(def.name = NULL, "needs a name");
    REFUSED(def.name = "-", "'-'");
    REFUSED(def.body = PCS_GROUND, "'push': needs a body");
    REFUSED(def.body = 4, "'push': there is no body 4");
    REFUSED(def.position.z = NAN, "'push'");
    REFUSED(def.force[2].number = NAN, "'push'");
    REFUSED(def.torque[1].number = INFINITY, "'push'");
    expect_untouched(&b);
    bench_begin(&b, 2);
    REFUSED(def.position.z = 0.1, "'push'");
    REFUSED(def.force[2].number = 1, "'push': a planar model");
    REFUSED(def.force[2] = pcs_expression("t"), "'push': a planar model");
    REFUSED(def.torque[1].number = 1, "'push': a planar model");
#undef REFUSED
    expect_untouched(&b);
}

static void contacts(void **state)
{
    (void)state;
    builder_bench b;
    pcs_contact_def def;
#define REFUSED(change, text)                                                              \
    do {                                                                                   \
        def = pcs_contact_default();                                                       \
        def.name = "tip";                                                                  \
        def.b.body = 1;                                                                    \
        def.surface_speed[0] = pcs_expression("cos(t)");                                   \
        change;                                                                            \
        bench_expect(&b, pcs_builder_add_contact(b.builder, &def), PCS_ERROR_MODEL, text); \
        bench_expect(&b, PCS_ERROR_MODEL, PCS_ERROR_MODEL, "contact");                     \
    } while (0)
    bench_begin(&b, 3);
    REFUSED(def.name = NULL, "needs a name");
    REFUSED(def.name = "tip.1", "'tip.1'");
    REFUSED(def.a.body = 1, "'tip': joins two to itself");
    REFUSED(def.a.body = 8, "'tip': there is no body 8");
    REFUSED(def.kind = PCS_CONTACT_KIND_COUNT, "'tip'");
    REFUSED(def.kind = PCS_CONTACT_SLIDER_GUIDE, "'tip'");
    REFUSED(def.kind = PCS_CONTACT_SPHERE_PLANE, "'tip': radius_b");
    REFUSED(def.law.friction = -0.1, "'tip': friction");
    REFUSED(def.law.restitution = 1.1, "'tip': restitution");
    REFUSED(def.law.tangential_restitution = NAN, "'tip': tangential");
    REFUSED(def.extent.x = -1, "'tip': extent");
    REFUSED(def.surface_speed[1].number = NAN, "'tip'");
    expect_untouched(&b);
    bench_begin(&b, 3);
    def = pcs_contact_default();
    def.name = "tip";
    def.b.body = 1;
    assert_int_equal(pcs_builder_add_contact(b.builder, &def), PCS_OK);
    REFUSED(def.name = "tip", "'tip': the name is taken");
#undef REFUSED
    bench_end(&b);
}

// ---- Formulas ----

typedef struct formula_fault {
    const char *formula, *place, *reason;
} formula_fault;

// Refused at finish() with the place, the text and the column; once mended, the builder finishes.
static void formulas(void **state)
{
    (void)state;
    static const formula_fault faults[] = {
        {"1 +", "force 'push'", "column"},
        {"2*stiffnes", "force 'push'", "did you mean 'stiffness'"},
        {"sinn(t)", "force 'push'", "sinn"},
        {"joint.hinge.angel", "force 'push'", "joint.hinge.angel"},
        {"joint.hing.angle", "force 'push'", "joint.hing.angle"},
        {"body.one.angle", "force 'push'", "body.one.angle"}, // planar only
        {"body.one.position.w", "force 'push'", "body.one.position.w"},
        {"body.dot.angular_velocity.x", "force 'push'", "body.dot"}, // a point does not turn
        {"body.one", "force 'push'", "body.one"},
        {"a.b.c.d.e", "force 'push'", "a.b.c.d.e"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) {
        builder_bench b;
        bench_begin(&b, 3);
        assert_int_equal(pcs_builder_set_parameter(b.builder, "stiffness", 3), PCS_OK);
        pcs_force_def def = pcs_force_default();
        def.name = "push";
        def.body = 0;
        def.force[1] = pcs_expression(faults[i].formula);
        assert_int_equal(pcs_builder_add_force(b.builder, &def), PCS_OK);
        pcs_status status = pcs_builder_finish(b.builder, &b.model);
        assert_null(b.model);
        bench_expect(&b, status, PCS_ERROR_INPUT, faults[i].place);
        bench_expect(&b, status, PCS_ERROR_INPUT, faults[i].reason);
        bench_expect(&b, status, PCS_ERROR_INPUT, faults[i].formula);
        bench_end(&b);
    }
}

static void formulas_of_time_alone(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 3);
    pcs_joint_def def = bench_joint();
    def.drive[0].has_motion = true;
    def.drive[0].motion = pcs_expression("0.1*joint.hinge.angle");
    assert_int_equal(pcs_builder_add_joint(b.builder, &def, NULL), PCS_OK);
    bench_expect(&b, pcs_builder_finish(b.builder, &b.model), PCS_ERROR_MODEL,
                 "motion of joint 'arm'");
    bench_expect(&b, PCS_OK, PCS_OK, "only t");
    bench_end(&b);
    bench_begin(&b, 3);
    pcs_contact_def contact = pcs_contact_default();
    contact.name = "belt";
    contact.b.body = 1;
    contact.surface_speed[0] = pcs_expression("body.one.position.x");
    assert_int_equal(pcs_builder_add_contact(b.builder, &contact), PCS_OK);
    bench_expect(&b, pcs_builder_finish(b.builder, &b.model), PCS_ERROR_MODEL,
                 "surface speed of contact 'belt'");
    bench_end(&b);
}

// A parameter that was forgotten can still be given after finish() refused.
static void finish_can_be_repeated(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 3);
    pcs_joint_def def = bench_joint();
    def.drive[0].has_motion = true;
    def.drive[0].motion = pcs_expression("0.2*sin(t)");
    def.drive[1].actuator = pcs_expression("-k*joint.arm.angle");
    assert_int_equal(pcs_builder_add_joint(b.builder, &def, NULL), PCS_OK);
    for (int i = 0; i < 3; ++i)
        bench_expect(&b, pcs_builder_finish(b.builder, &b.model), PCS_ERROR_INPUT,
                     "actuator of joint 'arm'");
    assert_int_equal(pcs_builder_set_parameter(b.builder, "k", 3), PCS_OK);
    assert_int_equal(pcs_builder_finish(b.builder, &b.model), PCS_OK);
    assert_int_equal(pcs_model_row_count(b.model), 5 + 4 + 1);
    assert_int_equal(b.model->inputs.count, 1);
    bench_end(&b);
}

static void nothing_after_finish(void **state)
{
    (void)state;
    builder_bench b;
    bench_begin(&b, 3);
    assert_int_equal(pcs_builder_finish(b.builder, &b.model), PCS_OK);
    pcs_body_def body = bench_body();
    pcs_joint_def joint = bench_joint();
    pcs_coupling_def coupling = pcs_coupling_default();
    pcs_spring_def spring = pcs_spring_default();
    pcs_force_def force = pcs_force_default();
    pcs_contact_def contact = pcs_contact_default();
    coupling.name = spring.name = force.name = contact.name = "late";
    pcs_frame frame;
    pcs_model *second;
    const pcs_quat straight = {1, 0, 0, 0};
    const pcs_status found[] = {
        pcs_builder_set_parameter(b.builder, "k", 1),
        pcs_builder_set_gravity(b.builder, pcs_v3(0, 0, -1)),
        pcs_builder_add_body(b.builder, &body, NULL),
        pcs_builder_add_joint(b.builder, &joint, NULL),
        pcs_builder_add_coupling(b.builder, &coupling),
        pcs_builder_add_spring(b.builder, &spring),
        pcs_builder_add_force(b.builder, &force),
        pcs_builder_add_contact(b.builder, &contact),
        pcs_builder_frame_at(b.builder, 0, pcs_v3(0, 0, 0), straight, &frame),
        pcs_builder_finish(b.builder, &second),
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; ++i)
        bench_expect(&b, found[i], PCS_ERROR_ARGUMENT, "finished already");
    assert_null(second);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation),
        cmocka_unit_test(parameters),
        cmocka_unit_test(gravity),
        cmocka_unit_test(frames),
        cmocka_unit_test(bodies),
        cmocka_unit_test(planar_bodies),
        cmocka_unit_test(joints),
        cmocka_unit_test(couplings),
        cmocka_unit_test(springs),
        cmocka_unit_test(forces),
        cmocka_unit_test(contacts),
        cmocka_unit_test(formulas),
        cmocka_unit_test(formulas_of_time_alone),
        cmocka_unit_test(finish_can_be_repeated),
        cmocka_unit_test(nothing_after_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

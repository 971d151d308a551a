// Variants, policies and options of the nonsmooth generalized-alpha scheme, on two masses with a
// stiff spring between them that slide on rails into a wall: a short piece of the elastic bar of
// [Galvez2020, 3.3.2]. The coupled variant leaves the force of the position correction out of its
// matrix: with h^2 k/m = 100 its passes diverge, with 0.01 they converge; the decoupled one takes
// any step.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/alpha_run.h"
#include "support/alpha_scenes.h"
#include "support/near.h"

#include "math/vector.h"

static const pcs_vec3 zero = {0, 0, 0};
static const double mass = 0.83, stiffness = 0.83e6, speed = 1.7;

// The wall is 0.13 m ahead.
static void build(scene *s)
{
    scene_begin(s, 2, zero);
    s->scheme = "nonsmooth-alpha";
    pcs_body_id body[2];
    for (int i = 0; i < 2; ++i) {
        pcs_body_def def = pcs_body_default();
        def.name = i ? "back" : "front";
        def.mass = mass;
        def.inertia.m[2][2] = 0.02;
        def.position = pcs_v3(-0.13 - 0.21 * i, 0, 0);
        def.velocity = pcs_v3(speed, 0, 0);
        body[i] = scene_body(s, &def);
        pcs_joint_def rail = pcs_joint_default();
        rail.name = i ? "back_rail" : "front_rail";
        rail.kind = PCS_JOINT_PRISMATIC;
        rail.b.body = body[i];
        scene_joint(s, &rail);
    }
    pcs_spring_def spring = pcs_spring_default();
    spring.name = "spring";
    spring.a.body = body[0];
    spring.b.body = body[1];
    spring.stiffness = stiffness;
    scene_spring(s, &spring);
    const pcs_contact_def wall = scene_contact_def(
        "wall", PCS_CONTACT_POINT_PLANE,
        scene_frame(PCS_GROUND, zero, pcs_v3(0, 0, 1.5707963267948966)), body[0],
        (pcs_law){0, 0, 0});
    scene_contact(s, &wall);
}

// Mean momentum after the contact has ended, and what the run counted.
typedef struct result {
    double momentum;
    int64_t rejected, unconverged;
    pcs_status status;
    na_counts counts;
    char error[512];
} result;

static result run(const char *variant, const char *policy, double h)
{
    scene s;
    build(&s);
    scene_finish(&s, h, 0.12);
    scene_set(&s, "variant", variant);
    scene_set(&s, "on_failure", policy);
    result r = {.status = PCS_OK};
    while (r.status >= 0 && !pcs_simulation_finished(s.simulation))
        r.status = pcs_simulation_step(s.simulation);
    const double *v = pcs_simulation_v(s.simulation);
    const pcs_statistics *statistics = pcs_simulation_statistics(s.simulation);
    r.momentum = mass * (v[0] + v[3]);
    r.rejected = statistics->rejected_steps;
    r.unconverged = statistics->unconverged_steps;
    r.counts = *alpha_counts(s.simulation);
    if (r.status < 0)
        snprintf(r.error, sizeof r.error, "%s", pcs_context_error(s.ctx));
    assert_at_most(statistics->worst_drift, ALPHA_KEPT);
    scene_end(&s);
    return r;
}

// With small steps all variants agree to first order. The front mass loses m v^2/2 at the impact (e
// = 0); the back one comes back with its speed after half a period of its own on the spring.
static void test_small_steps(void **state)
{
    (void)state;
    const double h = 1e-5;
    static const char *const variants[] = {"decoupled", "no_forces", "coupled"};
    for (int i = 0; i < 3; ++i) {
        const result r = run(variants[i], "stop", h);
        print_message("%s: momentum %.5f, Newton iterations at most %d, %d, %d\n", variants[i],
                      r.momentum, r.counts.most[0], r.counts.most[1], r.counts.most[2]);
        assert_int_equal(r.status, PCS_OK);
        // Times are off by up to a step, in which the spring's force changes the momentum by
        // |F| h <= v sqrt(k m) h, at the impact and at the release.
        assert_near(r.momentum, -mass * speed, 2 * speed * sqrt(stiffness * mass) * h);
    }
}

// Large steps: one or two iterations for the decoupled variant; a clean failure of the coupled one.
static void test_large_steps(void **state)
{
    (void)state;
    const double h = 1e-2;
    const result decoupled = run("decoupled", "stop", h);
    assert_int_equal(decoupled.status, PCS_OK);
    print_message("decoupled: %d %d %d\n", decoupled.counts.most[0], decoupled.counts.most[1],
                  decoupled.counts.most[2]);
    for (int k = 0; k < NA_LEVELS; ++k)
        assert_true(decoupled.counts.most[k] <= 2);

    const result stopped = run("coupled", "stop", h);
    assert_int_equal(stopped.status, PCS_ERROR_NUMERIC);
    assert_non_null(strstr(stopped.error, "did not converge"));
    assert_non_null(strstr(stopped.error, "on_failure is stop"));
    print_message("%s\n", stopped.error);

    const result accepted = run("coupled", "accept", h);
    assert_true(accepted.status < 0 || accepted.unconverged > 0);

    const result shrunk = run("coupled", "shrink_step", h);
    assert_int_equal(shrunk.status, PCS_OK);
    assert_true(shrunk.rejected > 0);
    assert_int_equal(shrunk.unconverged, 0);
}

// Both ways to solve for contacts give the same motion: the woodpecker over the first jam.
static void test_contact_solvers(void **state)
{
    (void)state;
    double y[2];
    for (int i = 0; i < 2; ++i) {
        scene s;
        alpha_scene_woodpecker(&s, false, 0.3);
        scene_finish(&s, 1e-4, 0.06);
        scene_set(&s, "contact_solver", i ? "complementarity" : "newton");
        alpha_finish(s.simulation);
        y[i] = pcs_simulation_q(s.simulation)[1];
        scene_end(&s);
    }
    print_message("y %.15g, %.15g\n", y[0], y[1]);
    // Both solve to 1e-12 m in each of 600 steps.
    assert_near(y[0], y[1], 600 * 1e-12);
}

// The scale of masses has no influence beyond the tolerances.
static void test_scale_mass(void **state)
{
    (void)state;
    static const char *const masses[] = {"0", "1e-3", "50"};
    double x[3];
    for (int i = 0; i < 3; ++i) {
        scene s;
        alpha_scene_rod(&s, 0.04, 0.3, 0.3);
        scene_finish(&s, 1e-3, 0.4);
        scene_set(&s, "scale_mass", masses[i]);
        alpha_finish(s.simulation);
        x[i] = pcs_simulation_q(s.simulation)[0];
        scene_end(&s);
    }
    assert_near(x[1], x[0], 400 * 1e-12);
    assert_near(x[2], x[0], 400 * 1e-12);
}

// Restitution: e_N against an approach, nothing against a contact at rest; e_T at impacts alone.
static void test_restitution(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 3, zero);
    s.scheme = "nonsmooth-alpha";
    const pcs_body_id ball = scene_sphere(&s, "ball", 1.3, 0.07, pcs_v3(0, 0, 0.07),
                                          pcs_v3(1.1, -0.4, -2.3));
    pcs_contact_def def = scene_contact_def(
        "floor", PCS_CONTACT_SPHERE_PLANE, pcs_frame_default(), ball,
        (pcs_law){.friction = 10, .restitution = 0.7, .tangential_restitution = 0.4});
    def.radius_b = 0.07;
    scene_contact(&s, &def);
    scene_finish(&s, 1e-3, 1e-3);
    alpha_step(s.simulation);
    const pcs_contact_view contact = scene_contact_view(&s, 0);
    assert_near(contact.velocity[0], 0.7 * 2.3, 1e-12);
    assert_near(hypot(contact.velocity[1], contact.velocity[2]), 0.4 * hypot(1.1, 0.4), 1e-12);
    scene_end(&s);
}

// A run that is stopped and resumed goes on with the same bits, in the middle of jams and impacts;
// its smooth accelerations are in the state. After a warm-up no step asks the heap for anything.
static void test_resume_and_memory(void **state)
{
    (void)state;
    enum { STEPS = 600 };
    scene s;
    alpha_scene_woodpecker(&s, false, 0.3);
    scene_finish(&s, 1e-4, 2 * STEPS * 1e-4);
    for (int i = 0; i < STEPS; ++i)
        alpha_step(s.simulation);
    const size_t size = pcs_simulation_save(s.simulation, NULL, 0);
    char *middle = malloc(size), *end = malloc(size), *again = malloc(size);
    assert_true(middle && end && again);
    assert_int_equal(pcs_simulation_save(s.simulation, middle, size), size);
    const uint64_t calls = pcs_context_heap_calls(s.ctx);
    alpha_finish(s.simulation);
    assert_int_equal(pcs_context_heap_calls(s.ctx), calls);
    assert_int_equal(pcs_simulation_save(s.simulation, end, size), size);
    scene_restart(&s, 1e-4, 2 * STEPS * 1e-4);
    assert_int_equal(pcs_simulation_load(s.simulation, middle, size), PCS_OK);
    alpha_finish(s.simulation);
    assert_int_equal(pcs_simulation_save(s.simulation, again, size), size);
    assert_memory_equal(end, again, size);
    free(middle);
    free(end);
    free(again);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_steps),     cmocka_unit_test(test_large_steps),
        cmocka_unit_test(test_contact_solvers), cmocka_unit_test(test_scale_mass),
        cmocka_unit_test(test_restitution),     cmocka_unit_test(test_resume_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

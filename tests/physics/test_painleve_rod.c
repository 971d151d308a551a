// Painleve's rod under the event-driven scheme and nonsmooth-alpha (digest of [Brogliato2002], B7):
// uniform rod, m = 1, half-length l = 1, J = 1/3, its lower end slides to the left with v_0 = 1 at
// the inclination 60 degrees.
//
//     a_N = A N + B,   A = 1 + 3 cos th (cos th - mu sin th),   B = l th'^2 sin th - g
//
// A < 0, B < 0: no force exists, the end stops by an impact without collision,
//     P_n = 3/4 m sin th cos th v_0,   P_t = 1/4 m (1 + 3 cos^2 th) v_0;
// A < 0, B > 0: two forces, N = 0 and N = -B/A. The numbers of the impulse problem itself (three
// step lengths, three solutions) are in tests/solvers/test_painleve.c.
#include <stdio.h>
#include <string.h>

#include "support/event_scenes.h"
#include "support/near.h"
#include "support/warnings.h"

#include "math/vector.h"

static const double g = 9.81, angle = M_PI / 3, v_0 = 1;
static const pcs_vec3 zero = {0, 0, 0};

static void begin_rod(scene *s, double mu, double spin, warnings *w)
{
    memset(s, 0, sizeof *s);
    memset(w, 0, sizeof *w);
    pcs_context_def context = pcs_context_default();
    context.log = take_warning;
    context.log_user = w;
    s->dimension = 2;
    s->ctx = pcs_context_create(&context);
    scene_require(s, pcs_builder_create(s->ctx, 2, &s->builder));
    scene_require(s, pcs_builder_set_gravity(s->builder, pcs_v3(0, -g, 0)));
    pcs_body_def def = pcs_body_default();
    def.name = "rod";
    def.mass = 1;
    def.inertia.m[2][2] = 1.0 / 3;
    def.position = pcs_v3(cos(angle), sin(angle), 0);
    def.angle = angle;
    def.velocity = pcs_v3(-v_0 - spin * sin(angle), spin * cos(angle), 0);
    def.angular_velocity = pcs_v3(0, 0, spin);
    pcs_body_id rod = scene_body(s, &def);
    pcs_contact_def contact = scene_contact_def("tip", PCS_CONTACT_POINT_PLANE,
                                                scene_frame(PCS_GROUND, zero, zero), rod,
                                                (pcs_law){.friction = mu});
    contact.b = scene_frame(rod, pcs_v3(-1, 0, 0), zero);
    scene_contact(s, &contact);
}

// mu = 1.5: A = -0.19856, no force. Over 1e-9 s the forces after the jump add less than 1e-7 N s.
static void test_impact_without_collision(void **state)
{
    (void)state;
    warnings w;
    scene s;
    begin_rod(&s, 1.5, 0, &w);
    assert_digits(1 + 3 * cos(angle) * (cos(angle) - 1.5 * sin(angle)), -0.19856, 1e-5);
    scene_use(&s, "event-driven", 1e-9, 1e-9);
    scene_run(&s);
    const pcs_contact_view tip = scene_contact_view(&s, 0);
    assert_near(tip.impulse[0], 0.75 * sin(angle) * cos(angle) * v_0, 1e-7);           // 0.324760
    assert_near(tip.impulse[1], 0.25 * (1 + 3 * cos(angle) * cos(angle)) * v_0, 1e-7); // 0.4375
    assert_near(tip.velocity[0], 0, 1e-12);
    assert_near(tip.velocity[1], 0, 1e-12);
    assert_int_equal(w.count, 1);
    assert_non_null(strstr(w.last, "'tip'"));
    assert_non_null(strstr(w.last, "no contact force exists"));
    const pcs_event jump = scene_event(&s, PCS_EVENT_IMPACT, 0, 0);
    assert_near(jump.time, 0, 0);
    assert_near(jump.value, 0, 0); // without collision
    // Energy: the jump loses 1/2 P_t v_0 to friction, nothing along the normal.
    assert_near(scene_energy(&s)->friction, -0.5 * tip.impulse[1] * v_0, 1e-7);
    assert_near(scene_energy(&s)->impact, 0, 1e-12);
    assert_near(scene_energy(&s)->numerical, 0, 1e-12);
    scene_end(&s);
}

// The same with other bodies on the floor, whose contacts are part of the same problem: too many for
// an enumeration of its solutions, one of which is the null impulse.
static void test_impact_without_collision_beside_others(void **state)
{
    enum { DISCS = 8 };
    (void)state;
    for (int discs = 4; discs <= DISCS; discs += 4) {
        warnings w;
        scene s;
        begin_rod(&s, 1.5, 0, &w);
        for (int i = 0; i < discs; ++i) {
            char name[16];
            snprintf(name, sizeof name, "disc%d", i);
            const pcs_body_id disc = scene_sphere(&s, name, 1 + 0.3 * i, 0.1, pcs_v3(3 + i, 0.1, 0),
                                                  zero);
            snprintf(name, sizeof name, "under%d", i);
            pcs_contact_def contact = scene_contact_def(name, PCS_CONTACT_SPHERE_PLANE,
                                                        scene_frame(PCS_GROUND, zero, zero), disc,
                                                        (pcs_law){.friction = 0.4});
            contact.radius_b = 0.1;
            scene_contact(&s, &contact);
        }
        scene_use(&s, "event-driven", 1e-9, 1e-9);
        scene_run(&s);
        const pcs_contact_view tip = scene_contact_view(&s, 0);
        assert_near(tip.impulse[0], 0.75 * sin(angle) * cos(angle) * v_0, 1e-7);
        assert_near(tip.impulse[1], 0.25 * (1 + 3 * cos(angle) * cos(angle)) * v_0, 1e-7);
        assert_near(tip.velocity[1], 0, 1e-9);
        assert_int_equal(w.count, 1);
        scene_end(&s);
    }
}

// After the jump the rod turns about its end, which sticks, and falls: a smooth motion.
static void test_goes_on_after_the_jump(void **state)
{
    (void)state;
    warnings w;
    scene s;
    begin_rod(&s, 1.5, 0, &w);
    scene_use(&s, "event-driven", 0.01, 0.2);
    scene_run(&s);
    const pcs_contact_view tip = scene_contact_view(&s, 0);
    assert_int_equal(tip.state, PCS_STICK);
    assert_near(tip.gap, 0, 1e-8);
    assert_near(scene_energy(&s)->numerical, 0, 1e-7);
    assert_int_equal(w.count, 1);
    scene_end(&s);
}

// th' = 5: B > 0, two solutions. The rule is the one nearest to the force before, which is zero:
// the rod leaves the floor with a_N = B.
static void test_two_solutions(void **state)
{
    (void)state;
    warnings w;
    scene s;
    begin_rod(&s, 1.5, 5, &w);
    scene_use(&s, "event-driven", 1e-6, 1e-6);
    scene_run(&s);
    assert_int_equal(w.count, 1);
    assert_non_null(strstr(w.last, "2 solutions"));
    assert_non_null(strstr(w.last, "'tip'"));
    assert_int_equal(scene_contact_view(&s, 0).state, PCS_OPEN);
    const double B = 25 * sin(angle) - g;
    assert_near(scene_contact_view(&s, 0).gap, 0.5 * B * 1e-12, 1e-16);
    scene_end(&s);
}

// mu = 0.3: an ordinary slide with N = -B/A = 7.21171 (0.00721171 N s over 1e-3 s in the digest).
static void test_ordinary_slide(void **state)
{
    (void)state;
    warnings w;
    scene s;
    begin_rod(&s, 0.3, 0, &w);
    scene_use(&s, "event-driven", 1e-9, 1e-9);
    scene_run(&s);
    const pcs_contact_view tip = scene_contact_view(&s, 0);
    assert_int_equal(w.count, 0);
    assert_digits(tip.force[0], 7.21171, 1e-5);
    assert_near(tip.force[1], 0.3 * tip.force[0], 1e-9);
    assert_int_equal(tip.state, PCS_SLIP);
    scene_end(&s);
}

// Nonsmooth generalized-alpha: the first step is the impulse problem over h, whose free velocity is
// that of the slide with -g h along the normal; W of its normal and tangential row is
// ((1 + 3 cos^2, 3 sin cos), (3 sin cos, 1 + 3 sin^2)), det W = 4. The rod turns and slides by v_0 h on
// the way: that part of the impulse is its error. No step may make energy: what is left is that after
// the jump, less 1/2 P_t v_0, to first order.
static void test_nonsmooth_alpha_makes_the_jump(void **state)
{
    (void)state;
    const double frictions[] = {1.4, 1.5, 2.385}, steps[] = {1e-3, 2.385e-4, 1e-5};
    const double c = cos(angle), n = 0.75 * sin(angle) * c * v_0, t = 0.25 * (1 + 3 * c * c) * v_0;
    for (int i = 0; i < 9; ++i) {
        const double mu = frictions[i % 3], h = steps[i / 3];
        for (int end = 1; end <= 100; end += 99) {
            warnings w;
            scene s;
            begin_rod(&s, mu, 0, &w);
            scene_use(&s, "nonsmooth-alpha", h, end * h);
            scene_run(&s);
            const pcs_contact_view tip = scene_contact_view(&s, 0);
            const double weight = g * h / 4;
            const double before = 0.5 * v_0 * v_0 + g * sin(angle);
            const double after = scene_energy(&s)->kinetic + scene_energy(&s)->potential;
            if (end == 1) {
                assert_near(tip.impulse[0], n + (1 + 3 * sin(angle) * sin(angle)) * weight, h);
                assert_near(tip.impulse[1], t + 3 * sin(angle) * c * weight, h);
            }
            assert_int_equal(tip.state, PCS_STICK);
            assert_near(tip.gap, 0, 1e-11);
            assert_near(hypot(tip.velocity[0], tip.velocity[1]), 0, 1e-11);
            assert_near(after, before - 0.5 * t * v_0, h);
            scene_end(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impact_without_collision),
        cmocka_unit_test(test_impact_without_collision_beside_others),
        cmocka_unit_test(test_goes_on_after_the_jump),
        cmocka_unit_test(test_two_solutions),
        cmocka_unit_test(test_ordinary_slide),
        cmocka_unit_test(test_nonsmooth_alpha_makes_the_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

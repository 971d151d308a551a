// A contact that stays closed on a curved face keeps the order of the joints: a bead that slides in
// a circular bowl without friction is a pendulum, order 2 with theta = 1/2, and loses no energy.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/scenes.h"

static const double gravity = 9.81, bowl = 1, bead = 0.02, start_angle = 1, end_time = 2;

// Angle of a pendulum of this length after end_time, by RK4 with a step far below the tests'.
static double pendulum_angle(double length)
{
    enum { STEPS = 200000 };
    const double h = end_time / STEPS, k = gravity / length;
    double a = start_angle, w = 0;
    for (int i = 0; i < STEPS; ++i) {
        double a1 = w, w1 = -k * sin(a);
        double a2 = w + 0.5 * h * w1, w2 = -k * sin(a + 0.5 * h * a1);
        double a3 = w + 0.5 * h * w2, w3 = -k * sin(a + 0.5 * h * a2);
        double a4 = w + h * w3, w4 = -k * sin(a + h * a3);
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    return a;
}

typedef struct slide {
    double angle, energy_change;
    int64_t impacts;
} slide;

static slide run(double h, int32_t dimension)
{
    const double length = bowl - bead;
    scene s;
    bool plane = dimension == 2;
    scene_begin(&s, dimension, plane ? (pcs_vec3){0, -gravity, 0} : (pcs_vec3){0, 0, -gravity});
    const double x = length * sin(start_angle), down = -length * cos(start_angle);
    scene_point(&s, "bead", 1.37, plane ? (pcs_vec3){x, down, 0} : (pcs_vec3){x, 0, down},
                (pcs_vec3){0, 0, 0});
    const pcs_vec3 zero = {0, 0, 0};
    pcs_contact_def def = scene_contact_def("bowl", PCS_CONTACT_SPHERE_IN_SPHERE,
                                            scene_frame(PCS_GROUND, zero, zero), 0,
                                            (pcs_law){.restitution = 0.3});
    def.radius_a = bowl;
    def.radius_b = bead;
    scene_contact(&s, &def);
    scene_finish(&s, h, end_time);
    const double energy = 1.37 * gravity * down; // at rest
    assert_int_equal(scene_run(&s), 0);
    pcs_body_view view = scene_view(&s, 0);
    slide out = {atan2(view.position.x, plane ? -view.position.y : -view.position.z),
                 scene_total_energy(&s) - energy, pcs_simulation_statistics(s.simulation)->impacts};
    scene_end(&s);
    return out;
}

static void test_bead_is_a_pendulum(void **state)
{
    (void)state;
    const double exact = pendulum_angle(bowl - bead);
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        slide coarse = run(2e-3, dimension), fine = run(1e-3, dimension);
        double order = log2(fabs(coarse.angle - exact) / fabs(fine.angle - exact));
        print_message("%dD: errors %.3g, %.3g, order %.2f, energy change %.3g, impacts %d\n",
                      dimension, coarse.angle - exact, fine.angle - exact, order,
                      fine.energy_change, (int)fine.impacts);
        assert_true(order > 1.8 && order < 2.3);
        // Fall of the bead: 1.37 * 9.81 * 0.98 (1 - cos 1) = 6 J; w^2 h^2 with w = sqrt(g / l).
        assert_true(fabs(fine.energy_change) < 6 * gravity / (bowl - bead) * 1e-3 * 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bead_is_a_pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// No step of time stepping passes a contact: balls so fast that a step is many times their size, at
// all places that they can have on the time grid, head on and off centre, in the plane and in space.
#include <stdio.h>

#include "support/fixture.h"
#include "support/model_text.h"
#include "support/near.h"

typedef struct shot {
    int dimension;
    double radius, speed, distance, offset, h, e;
} shot;

// Runs a ball into another of the same mass, which rests; `velocity` along x after that.
static void shoot(model_text *f, const shot *s, const char *scheme, const char *projection,
                  double velocity[2])
{
    const char *zero = s->dimension == 3 ? ", 0" : "",
               *round = s->dimension == 3 ? "sphere" : "circle";
    const char *inertia = s->dimension == 3 ? "[1, 1, 1]" : "1";
    char text[1024];
    snprintf(text, sizeof text,
             "dimension: %d\nbodies:\n"
             "  cue: {mass: 1, inertia: %s, position: [0, %.17g%s], velocity: [%.17g, 0%s]}\n"
             "  ball: {mass: 1, inertia: %s, position: [%.17g, 0%s]}\n"
             "contacts:\n  pair: {type: %s-%s, bodies: [cue, ball], radii: [%.17g, %.17g], "
             "restitution: %.17g}\n"
             "simulation: {end: %.17g, step: %.17g}\n",
             s->dimension, inertia, s->offset, zero, s->speed, zero, inertia, s->distance, zero,
             round, round, s->radius, s->radius, s->e, 2 * s->distance / s->speed, s->h);
    const pcs_setting settings[] = {{"simulation.scheme", scheme},
                                    {"simulation.projection", projection}};
    model_text_read(f, "shot", text, settings, projection ? 2 : 1);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
    velocity[0] = model_text_signal(f, "body.cue.velocity.x");
    velocity[1] = model_text_signal(f, "body.ball.velocity.x");
    if (pcs_simulation_statistics(f->simulation)->impacts < 1)
        print_message("%s passes:\n%s", scheme, text);
    assert_true(pcs_simulation_statistics(f->simulation)->impacts >= 1);
}

// Radii of 1 mm to 3 cm, 0.1 to 200 m/s, 281 distances.
static void sweep(void **state, const char *scheme, const char *projection)
{
    static const double radii[] = {1e-3, 3e-3, 1e-2, 3e-2}, speeds[] = {0.1, 2, 17.3, 50, 200};
    for (int k = 0; k < 281; ++k) {
        shot s = {.dimension = k % 2 ? 3 : 2,
                  .radius = radii[k % 4],
                  .speed = speeds[k % 5],
                  .e = k % 3 ? 1 : 0.5};
        s.distance = 2 * s.radius + 0.1 + 1e-3 * k;
        s.offset = k % 7 ? 0 : 0.7 * s.radius;
        s.h = s.distance / s.speed / (1 + k % 11 * 0.5); // a few steps, or a part of one
        double velocity[2];
        shoot(*state, &s, scheme, projection, velocity);
        if (s.offset != 0)
            continue;
        assert_near(velocity[0], 0.5 * (1 - s.e) * s.speed, 1e-9 * s.speed);
        assert_near(velocity[1], 0.5 * (1 + s.e) * s.speed, 1e-9 * s.speed);
    }
}

// Shallow dips: the ball passes nearly beside the other, which it touches for a thousandth of the step
// and less, in steps of many times its size. The ball that is hit moves.
static void test_dips(void **state)
{
    static const char *const schemes[] = {"moreau-jean", "moreau-jean-adaptive", "nonsmooth-alpha"};
    static const double radii[] = {1e-3, 1e-2, 3e-2}, speeds[] = {0.1, 30, 200};
    static const double depths[] = {0.3, 0.1, 0.01, 1e-3, 1e-4};
    for (int k = 0; k < 135; ++k) {
        shot s = {.dimension = k % 2 ? 3 : 2, .radius = radii[k % 3], .speed = speeds[k / 3 % 3]};
        double velocity[2];
        s.e = 1;
        s.distance = 0.2 + 0.02 * k;
        s.offset = (2 - depths[k % 5]) * s.radius;
        s.h = s.distance / s.speed / (0.7 + 0.3 * (k % 7));
        shoot(*state, &s, schemes[k / 9 % 3], NULL, velocity);
        assert_true(velocity[1] > 0);
    }
}

static void test_moreau_jean(void **state)
{
    sweep(state, "moreau-jean", "all");
}

static void test_moreau_jean_without_projection(void **state)
{
    sweep(state, "moreau-jean", "none");
}

static void test_adaptive(void **state)
{
    sweep(state, "moreau-jean-adaptive", "all");
}

static void test_nonsmooth_alpha(void **state)
{
    sweep(state, "nonsmooth-alpha", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_dips, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_moreau_jean, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_moreau_jean_without_projection, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_adaptive, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_nonsmooth_alpha, model_text_set_up,
                                        model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

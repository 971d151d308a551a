// Discs that roll towards each other on a floor and strike, with friction everywhere: one impact of
// three contacts, of which two rest. Velocities behind it are those of the event-driven scheme,
// whatever part of the step passes before the discs touch. The positions of a step know no
// restitution and may lift a disc that the impact presses down: it must take part all the same.
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "support/family.h"
#include "support/model_text.h"
#include "support/near.h"

enum { DISCS = 2, PARTS = 3, TEXT_SIZE = 4000 };
static const double gravity = 9.81, step = 2e-6, steps_behind = 4;

typedef struct meeting {
    double radius[DISCS], mass[DISCS], speed[DISCS], friction, restitution, gap;
} meeting;

static meeting make_meeting(uint64_t number)
{
    pcs_random random;
    pcs_random_init(&random, number);
    meeting m;
    for (int i = 0; i < DISCS; ++i) {
        m.radius[i] = pcs_random_between(&random, 0.01, 0.03);
        m.mass[i] = pcs_random_between(&random, 0.5, 2);
        m.speed[i] = pcs_random_between(&random, 0.03, 0.15) * (i == 0 ? 1 : -1);
    }
    m.friction = pcs_random_between(&random, 0.2, 0.6);
    m.restitution = pcs_random_between(&random, 0, 0.8);
    m.gap = pcs_random_between(&random, 1e-5, 5e-5);
    return m;
}

// They roll without force until they touch, after gap/closing speed.
static void run(model_text *f, const meeting *m, const char *scheme, double v[DISCS][PARTS])
{
    char text[TEXT_SIZE];
    const double end = m->gap / (m->speed[0] - m->speed[1]) + steps_behind * step;
    int n = snprintf(text, TEXT_SIZE, "dimension: 2\ngravity: [0, %.17g]\nbodies:\n", -gravity);
    for (int i = 0; i < DISCS; ++i)
        n += snprintf(text + n, (size_t)(TEXT_SIZE - n),
                      "  b%d: {shape: {sphere: %.17g}, mass: %.17g, position: [%.17g, %.17g], "
                      "velocity: [%.17g, 0], angular_velocity: %.17g}\n",
                      i, m->radius[i], m->mass[i],
                      i * (2 * sqrt(m->radius[0] * m->radius[1]) + m->gap), m->radius[i],
                      m->speed[i], -m->speed[i] / m->radius[i]);
    n += snprintf(text + n, (size_t)(TEXT_SIZE - n), "contacts:\n");
    for (int i = 0; i < DISCS; ++i)
        n += snprintf(text + n, (size_t)(TEXT_SIZE - n),
                      "  f%d: {type: sphere-plane, bodies: [ground, b%d], normal: [0, 1], radius: "
                      "%.17g, friction: %.17g, restitution: %.17g}\n",
                      i, i, m->radius[i], m->friction, m->restitution);
    snprintf(text + n, (size_t)(TEXT_SIZE - n),
             "  p: {type: sphere-sphere, bodies: [b0, b1], radii: [%.17g, %.17g], friction: %.17g, "
             "restitution: %.17g}\nsimulation: {scheme: %s, end: %.17g, step: %.17g}\n",
             m->radius[0], m->radius[1], m->friction, m->restitution, scheme, end, step);
    model_text_read(f, "meeting.yaml", text, NULL, 0);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_true(pcs_simulation_step(f->simulation) >= 0);
    static const char *const parts[PARTS] = {"velocity.x", "velocity.y", "angular_velocity.z"};
    for (int i = 0; i < DISCS; ++i)
        for (int j = 0; j < PARTS; ++j) {
            char path[64];
            snprintf(path, sizeof path, "body.b%d.%s", i, parts[j]);
            v[i][j] = model_text_signal(f, path) * (j == 2 ? m->radius[i] : 1);
        }
}

static void test_meetings(void **state)
{
    enum { MEETINGS = 60 };
    static const char *const schemes[] = {"moreau-jean", "nonsmooth-alpha"};
    // Weight and friction act for some steps more or less behind the impact; the speed at the rim of
    // a disc follows friction three times as fast as its middle.
    const double tolerance = 3 * (steps_behind + 1) * gravity * step;
    for (int k = 0; k < MEETINGS; k += CASE_STRIDE) {
        const meeting m = make_meeting((uint64_t)k);
        double wanted[DISCS][PARTS], v[DISCS][PARTS];
        run(*state, &m, "event-driven", wanted);
        for (size_t s = 0; s < sizeof schemes / sizeof *schemes; ++s) {
            run(*state, &m, schemes[s], v);
            for (int i = 0; i < DISCS * PARTS; ++i)
                if (!(fabs(v[i / PARTS][i % PARTS] - wanted[i / PARTS][i % PARTS]) <= tolerance))
                    fail_msg("meeting %d, %s: disc %d, part %d has %.6g m/s instead of %.6g", k,
                             schemes[s], i / PARTS, i % PARTS, v[i / PARTS][i % PARTS],
                             wanted[i / PARTS][i % PARTS]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_meetings, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A disc that rolls on a curve without friction or gravity and strikes another of its faces before
// its foot reaches the end of the one it is on: the flank of a hollow corner, the edge of a step,
// the far side of a groove. Time, place and velocity after the impact are known exactly.
#include <math.h>
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

enum { TEXT_SIZE = 2048 };
static const char *const exact[] = {"phem56", "dopri5", "alpha2", "hybrid"};
enum { SCHEMES = (int)(sizeof exact / sizeof *exact) };

// The disc of radius r with its centre at (-1, r) and the velocity (v, 0) strikes with the normal n
// where its centre is at x.
static void strike(model_text *f, const char *pieces, double r, double v, double e, double x,
                   pcs_vec2 n)
{
    const double t = (x + 1) / v, rest = 0.3 * t, back = (1 + e) * v * n.x;
    const pcs_vec2 after = {v - back * n.x, -back * n.y};
    for (int s = 0; s < SCHEMES; ++s) {
        // Time stepping takes over at edges: the impact is late by part of a step, in which the
        // normal turns.
        const double late = s == SCHEMES - 1 ? 1e-4 : 1e-11, turn = v * late / r;
        const double of_v = (1e-8 + 4 * turn) * v, of_x = of_v * rest + 2 * v * late;
        char text[TEXT_SIZE];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "bodies: {d: {mass: 2, inertia: 0.01, position: [-1, %.17g], "
                 "velocity: [%.17g, 0]}}\n"
                 "contacts: {c: {type: point-curve, bodies: [ground, d], radius: %.17g, "
                 "restitution: %.17g,\n  curve: [{type: line, from: [-5, 0], to: [0, 0]}, %s]}}\n"
                 "simulation: {end: %.17g, step: 0.1, scheme: %s}\n",
                 r, v, r, e, pieces, t + rest, exact[s]);
        model_text_read(f, "m.yaml", text, NULL, 0);
        model_text_start(f);
        while (!pcs_simulation_finished(f->simulation))
            assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
        assert_near(model_text_signal(f, "body.d.velocity.x"), after.x, of_v);
        assert_near(model_text_signal(f, "body.d.velocity.y"), after.y, of_v);
        assert_near(model_text_signal(f, "body.d.position.x"), x + after.x * rest, of_x);
        assert_near(model_text_signal(f, "body.d.position.y"), r + after.y * rest, of_x);
        assert_near(model_text_signal(f, "energy.impact"), -(1 - e * e) * v * v * n.x * n.x,
                    4 * v * of_v);
    }
}

static const double radii[] = {0.01, 0.1, 0.237}, speeds[] = {0.5, 4, 31.3}, es[] = {0, 0.5, 0.83};

static void test_flanks(void **state)
{
    const double angles[] = {5, 30, 45, 71.3, 85}; // degrees
    for (int i = 0; i < 5 * 3; ++i) {
        const double a = angles[i % 5] * M_PI / 180, r = radii[i % 3];
        char pieces[TEXT_SIZE / 2];
        snprintf(pieces, sizeof pieces, "{type: line, to: [%.17g, %.17g]}", 9 * cos(a), 9 * sin(a));
        strike(*state, pieces, r, speeds[i / 5], es[(i + i / 3) % 3], -r * tan(a / 2),
               (pcs_vec2){-sin(a), cos(a)});
    }
}

// The edge of a step of height k < r, which is not the face beyond the end of the floor.
static void test_steps(void **state)
{
    const double heights[] = {0.05, 0.5, 0.9}; // of the radius
    for (int i = 0; i < 3 * 3; ++i) {
        const double r = radii[i % 3], k = heights[i / 3] * r,
                     away = sqrt(r * r - (r - k) * (r - k));
        char pieces[TEXT_SIZE / 2];
        snprintf(pieces, sizeof pieces,
                 "{type: line, to: [0, %.17g]}, {type: line, to: [9, %.17g]}", k, k);
        strike(*state, pieces, r, speeds[(i + i / 3) % 3], es[i % 3], -away,
               (pcs_vec2){-away / r, (r - k) / r});
    }
}

// An arc of radius R whose centre lies d below the floor, with its first end on the floor.
static void test_humps(void **state)
{
    const double below[] = {0, 0.2, 0.8}; // d / R
    for (int i = 0; i < 3 * 3; ++i) {
        const double r = radii[i % 3], R = 2 * r + 0.1, d = below[i / 3] * R;
        const double half = sqrt(R * R - d * d),
                     reach = sqrt((R + r) * (R + r) - (d + r) * (d + r));
        char pieces[TEXT_SIZE / 2];
        snprintf(pieces, sizeof pieces,
                 "{type: arc, through: [%.17g, %.17g], to: [%.17g, 0]}, {type: line, to: [9, 0]}",
                 half, R - d, 2 * half);
        strike(*state, pieces, r, speeds[(i + i / 3) % 3], es[i % 3], half - reach,
               (pcs_vec2){-reach / (R + r), (d + r) / (R + r)});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_flanks, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_steps, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_humps, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

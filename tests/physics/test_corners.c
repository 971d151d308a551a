// Beads on bilateral curves with corners, in every scheme against the event-driven one: the
// velocity turns with the curve and keeps its length (Glocker's laws, docs/theory/curves.md), so
// that nothing is gained or lost, whatever the step. Beads on the edges of polygons also have a
// closed form.
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

static const char *const schemes[] = {
    "event-driven",         "hybrid",         "capturing", "moreau-jean",
    "moreau-jean-adaptive", "nonsmooth-alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

typedef struct place {
    double x, y;
    double least, most; // total energy on the way
} place;

static place run(model_text *f, const char *text, const char *scheme, double step, double end)
{
    char simulation[128];
    static char whole[8192];
    const int n = snprintf(whole, sizeof whole, "%ssimulation: {scheme: %s, step: %g, end: %g}\n",
                           text, scheme, step, end);
    assert_in_range(n, 1, sizeof whole - 1);
    snprintf(simulation, sizeof simulation, "%s, step %g", scheme, step);
    model_text_read(f, simulation, whole, NULL, 0);
    model_text_start(f);
    place p = {.least = HUGE_VAL, .most = -HUGE_VAL};
    while (!pcs_simulation_finished(f->simulation)) {
        if (pcs_simulation_step(f->simulation) < 0)
            fail_msg("%s: %s", simulation, pcs_context_error(f->ctx));
        const double energy = model_text_signal(f, "energy.total");
        p.least = fmin(p.least, energy);
        p.most = fmax(p.most, energy);
    }
    p.x = model_text_signal(f, "body.bead.position.x");
    p.y = model_text_signal(f, "body.bead.position.y");
    return p;
}

// ---- One corner ----

// A wire with the slope 0, then k; 2 m/s, no forces: 2 J. The corner is reached at 0.5 s, on the
// grid of round steps and beside that of others.
static void test_slopes(void **state)
{
    static const double slopes[] = {0.5, -0.5, 0.1, 2, -3, 20};
    static const double steps[] = {1e-3, 0.01, 0.0237, 0.1};
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; ++i) {
        const double k = slopes[i], length = sqrt(1 + k * k);
        char text[512];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "bodies: {bead: {point: true, mass: 1, position: [-1, 0], velocity: [2, 0]}}\n"
                 "joints:\n"
                 "  wire:\n"
                 "    type: point-on-curve\n"
                 "    bodies: [ground, bead]\n"
                 "    curve:\n"
                 "      - {type: line, from: [-3, 0], to: [0, 0]}\n"
                 "      - {type: line, to: [3, %.17g]}\n",
                 3 * k);
        for (size_t j = 0; j < sizeof steps / sizeof *steps; ++j) {
            for (int s = 0; s < SCHEMES; ++s) {
                const place p = run(*state, text, schemes[s], steps[j], 1);
                assert_near(p.x, 1 / length, 1e-9);
                assert_near(p.y, k / length, 1e-9);
                assert_near(p.least, 2, 1e-9);
                assert_near(p.most, 2, 1e-9);
            }
        }
    }
}

// ---- Polygons ----

static void corner(int n, int i, double *x, double *y)
{
    *x = cos(2 * M_PI * i / n + 0.1);
    *y = sin(2 * M_PI * i / n + 0.1);
}

static void polygon_text(char *text, size_t size, int n, double gravity, double speed)
{
    double x[2], y[2];
    corner(n, 0, &x[0], &y[0]);
    corner(n, 1, &x[1], &y[1]);
    const double dx = x[1] - x[0], dy = y[1] - y[0], side = hypot(dx, dy);
    int at = snprintf(text, size,
                      "dimension: 2\n"
                      "gravity: [0, %.17g]\n"
                      "bodies: {bead: {point: true, mass: 1, position: [%.17g, %.17g],\n"
                      "  velocity: [%.17g, %.17g]}}\n"
                      "joints:\n"
                      "  wire:\n"
                      "    type: point-on-curve\n"
                      "    bodies: [ground, bead]\n"
                      "    closed: true\n"
                      "    curve:\n"
                      "      - {type: line, from: [%.17g, %.17g], to: [%.17g, %.17g]}\n",
                      -gravity, x[0] + 0.4 * dx, y[0] + 0.4 * dy, speed * dx / side,
                      speed * dy / side, x[0], y[0], x[1], y[1]);
    for (int i = 2; i <= n; ++i) {
        corner(n, i % n, &x[0], &y[0]);
        at += snprintf(text + at, size - (size_t)at, "      - {type: line, to: [%.17g, %.17g]}\n",
                       x[0], y[0]);
    }
}

// Three times round, and more: after the way s the bead is on side s/L, counted from the start.
static void test_polygons(void **state)
{
    static const int corners[] = {3, 4, 6, 12};
    static const double steps[] = {1e-3, 0.01, 0.05};
    static char text[4096];
    const double speed = 3, end = 2;
    for (size_t i = 0; i < sizeof corners / sizeof *corners; ++i) {
        const int n = corners[i];
        const double side = 2 * sin(M_PI / n), way = 0.4 * side + speed * end;
        double x[2], y[2], on;
        const int k = (int)floor(way / side);
        corner(n, k, &x[0], &y[0]);
        corner(n, k + 1, &x[1], &y[1]);
        on = way / side - k;
        polygon_text(text, sizeof text, n, 0, speed);
        for (size_t j = 0; j < sizeof steps / sizeof *steps; ++j) {
            for (int s = 0; s < SCHEMES; ++s) {
                const place p = run(*state, text, schemes[s], steps[j], end);
                assert_near(p.x, x[0] + on * (x[1] - x[0]), 1e-9);
                assert_near(p.y, y[0] + on * (y[1] - y[0]), 1e-9);
                assert_near(p.least, 4.5, 1e-9);
                assert_near(p.most, 4.5, 1e-9);
            }
        }
    }
}

// With gravity, on straight sides: all schemes integrate it exactly. At a corner a millionth of the
// step goes without forces: 1e-6 h g v of energy for each of 20 corners.
static void test_polygons_with_gravity(void **state)
{
    static const int corners[] = {3, 4, 6, 12};
    static const double steps[] = {1e-3, 0.01, 0.05};
    static char text[4096];
    const double gravity = 9.81, speed = 9;
    for (size_t i = 0; i < sizeof corners / sizeof *corners; ++i) {
        polygon_text(text, sizeof text, corners[i], gravity, speed);
        const place exact = run(*state, text, "event-driven", 0.1, 2);
        for (size_t j = 0; j < sizeof steps / sizeof *steps; ++j) {
            const double left = 20 * 1e-6 * steps[j] * gravity * speed;
            for (int s = 1; s < SCHEMES; ++s) {
                const place p = run(*state, text, schemes[s], steps[j], 2);
                assert_near(p.x, exact.x, 1e-9 + left);
                assert_near(p.y, exact.y, 1e-9 + left);
                assert_near(p.least, exact.least, 1e-9 + left);
                assert_near(p.most, exact.most, 1e-9 + left);
            }
        }
    }
}

// ---- Mechanisms ----

// To and fro in a valley; a bead with a pendulum; two beads on a wire with an arc, with a spring.
static const struct {
    const char *text;
    double end, tolerance; // of place and energy at h = 1 ms; second order
} mechanisms[] = {
    {"dimension: 2\n"
     "gravity: [0, -9.81]\n"
     "bodies: {bead: {point: true, mass: 1, position: [-1, 0.5]}}\n"
     "joints:\n"
     "  wire:\n"
     "    type: point-on-curve\n"
     "    bodies: [ground, bead]\n"
     "    curve:\n"
     "      - {type: line, from: [-3, 1.5], to: [0, 0]}\n"
     "      - {type: line, to: [3, 3]}\n",
     3, 1e-7},
    {"dimension: 2\n"
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  bead: {point: true, mass: 1, position: [-1, 0], velocity: [2, 0]}\n"
     "  bob: {point: true, mass: 0.5, position: [-1, -0.7], velocity: [2, 0]}\n"
     "joints:\n"
     "  wire:\n"
     "    type: point-on-curve\n"
     "    bodies: [ground, bead]\n"
     "    curve:\n"
     "      - {type: line, from: [-3, 0], to: [0, 0]}\n"
     "      - {type: line, to: [1, -0.5]}\n"
     "      - {type: line, to: [3, 1]}\n"
     "      - {type: line, to: [4, 4]}\n"
     "  rod: {type: distance, bodies: [bead, bob], a: [0, 0], b: [0, 0]}\n",
     1.5, 1e-4},
    {"dimension: 2\n"
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  bead: {point: true, mass: 1, position: [-1, 0], velocity: [2, 0]}\n"
     "  other: {point: true, mass: 2, position: [-0.5, 0], velocity: [2, 0]}\n"
     "joints:\n"
     "  wire:\n"
     "    type: point-on-curve\n"
     "    bodies: [ground, bead]\n"
     "    curve:\n"
     "      - {type: line, from: [-3, 0], to: [0, 0]}\n"
     "      - {type: line, to: [1, -0.5]}\n"
     "      - {type: arc, through: [2, -0.7], to: [3, -0.4]}\n"
     "      - {type: line, to: [4, 4]}\n"
     "  wire_of_other:\n"
     "    type: point-on-curve\n"
     "    bodies: [ground, other]\n"
     "    curve:\n"
     "      - {type: line, from: [-3, 0], to: [0, 0]}\n"
     "      - {type: line, to: [1, -0.5]}\n"
     "      - {type: arc, through: [2, -0.7], to: [3, -0.4]}\n"
     "      - {type: line, to: [4, 4]}\n"
     "springs:\n"
     "  s: {type: point, bodies: [bead, other], a: [0, 0], b: [0, 0], stiffness: 100, rest: 0.5}\n",
     2, 1e-4},
};

static void test_mechanisms(void **state)
{
    static const double steps[] = {1e-3, 4e-3};
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; ++i) {
        const char *text = mechanisms[i].text;
        const double end = mechanisms[i].end;
        const place exact = run(*state, text, "event-driven", 0.01, end);
        for (size_t j = 0; j < sizeof steps / sizeof *steps; ++j) {
            const double ratio = steps[j] / steps[0];
            const double tolerance = mechanisms[i].tolerance * ratio * ratio;
            for (int s = 1; s < SCHEMES; ++s) {
                const place p = run(*state, text, schemes[s], steps[j], end);
                assert_near(p.x, exact.x, tolerance);
                assert_near(p.y, exact.y, tolerance);
                assert_near(p.least, exact.least, tolerance);
                assert_near(p.most, exact.most, tolerance);
            }
        }
    }
}

// Steps over corners make no heap call.
static void test_heap(void **state)
{
    static char text[4096];
    polygon_text(text, sizeof text, 6, 9.81, 9);
    for (int s = 0; s < SCHEMES; ++s) {
        model_text *f = *state;
        static char whole[8192];
        snprintf(whole, sizeof whole, "%ssimulation: {scheme: %s, step: 0.01, end: 1}\n", text,
                 schemes[s]);
        model_text_read(f, "heap", whole, NULL, 0);
        model_text_start(f);
        for (int k = 0; k < 20; ++k)
            assert_true(pcs_simulation_step(f->simulation) >= 0);
        const uint64_t calls = pcs_context_heap_calls(f->ctx);
        while (!pcs_simulation_finished(f->simulation))
            assert_true(pcs_simulation_step(f->simulation) >= 0);
        assert_int_equal(pcs_context_heap_calls(f->ctx), calls);
    }
}

int main(void)
{
#define TEST(function) \
    cmocka_unit_test_setup_teardown(function, model_text_set_up, model_text_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_slopes),     TEST(test_polygons), TEST(test_polygons_with_gravity),
        TEST(test_mechanisms), TEST(test_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A box that stands tilted on one corner falls over onto the other one. Both corners belong to the
// impact: the one it stands on has no normal velocity, neither approaches nor separates, and holds.
//
// Box of the half sides a (along the floor) and b, k^2 = (a^2 + b^2)/3. If the corner that it stands
// on stays, the velocity after the impact is a rotation about it, w+ = -e w, and the energy above
// that of the box lying flat is e^2 times what it was. With D = (1 + e) w, N the impulses along the
// normals and T those along the floor, over m:
//     without friction   N_0 + N_1 = a D,  a (N_1 - N_0) = k^2 D           N_0 > 0:  b < sqrt(2) a
//     with friction      T = -b D,         a (N_1 - N_0) = (k^2 + b^2) D   N_0 > 0:  b < a/sqrt(2)
// the latter for mu >= b/a. If the corner were left out of the impact and hit by it afterwards, most
// of the energy would be lost.
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

typedef struct rocking {
    double a, b, tilt, friction, restitution; // m, rad
} rocking;

static const double gravity = 9.81;

// Tolerances of the event-driven scheme are 1e-8 m. A step finds the landing corner up to h u away
// from the floor, u = 2 a w; in the field of gravity that is m g h u / 2 for its half of the weight.
static double allowed(const rocking *box, double h, double height)
{
    const double w = sqrt(6 * gravity * height) / box->a; // more than at the landing
    return 1e-6 + h * box->a * w / height;
}

static void read_box(model_text *f, const rocking *box, const char *scheme, double h)
{
    char text[1024];
    const double c = cos(box->tilt), s = sin(box->tilt);
    const int length = snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "gravity: [0, %.17g]\n"
        "bodies: {b: {shape: {box: [%.17g, %.17g, 0.1]}, mass: 2.385, position: [%.17g, %.17g], "
        "angle: %.17g}}\n"
        "contacts: {floor: {type: box-plane, bodies: [ground, b], size: [%.17g, %.17g], "
        "friction: %.17g, restitution: %.17g}}\n"
        "simulation: {end: 2, step: %.17g, scheme: %s}\n",
        -gravity, 2 * box->a, 2 * box->b, box->a * c - box->b * s, box->a * s + box->b * c,
        box->tilt, 2 * box->a, 2 * box->b, box->friction, box->restitution, h, scheme);
    assert_in_range(length, 1, sizeof text - 1);
    model_text_read(f, scheme, text, NULL, 0);
    model_text_start(f);
}

// The mechanical energy above that of the box lying flat, as a height.
static double energy_height(const model_text *f, const rocking *box)
{
    const pcs_energy_account *energy = &pcs_simulation_statistics(f->simulation)->energy;
    return (energy->kinetic + energy->potential) / (2.385 * gravity) - box->b;
}

static void run_box(model_text *f, const rocking *box, const char *scheme, double h)
{
    read_box(f, box, scheme, h);
    const double start = energy_height(f, box);
    double w = 0;
    for (int k = 0; k < 5; ++k) { // some steps behind the turn of the rotation
        for (w = -1; k == 0 && w <= 0;) {
            if (pcs_simulation_step(f->simulation) < 0)
                fail_msg("%s: %s", scheme, pcs_context_error(f->ctx));
            assert_false(pcs_simulation_finished(f->simulation));
            w = model_text_signal(f, "body.b.angular_velocity.z");
        }
        assert_true(pcs_simulation_step(f->simulation) >= 0);
    }
    const double kept = energy_height(f, box) / start, e = box->restitution;
    if (!(fabs(kept - e * e) <= allowed(box, h, start)))
        fail_msg("%s, a = %g, b = %g, tilt %g, mu = %g, e = %g: %.6g of the energy left, right is "
                 "%.6g within %.2g",
                 scheme, box->a, box->b, box->tilt, box->friction, e, kept, e * e,
                 allowed(box, h, start));
}

static void test_rocking(void **state)
{
    static const double ratios[] = {0.1, 0.25, 0.5, 0.65}, tilts[] = {0.05, 0.1, 0.2385};
    static const double restitutions[] = {0.25, 0.5, 0.8};
    static const struct {
        const char *scheme;
        double h;
    } runs[] = {{"event-driven", 1e-3},   {"alpha2", 1e-3},      {"hybrid", 1e-3},
                {"moreau-jean", 1e-4},    {"capturing", 2.5e-4}, {"moreau-jean-adaptive", 2e-4},
                {"nonsmooth-alpha", 1e-4}};
    for (size_t i = 0; i < 4 * 3 * 3; ++i) {
        rocking box = {.a = i % 2 ? 0.2 : 0.2188, .tilt = tilts[i / 4 % 3]};
        box.b = ratios[i % 4] * box.a;
        box.restitution = restitutions[i / 12];
        for (int rough = 0; rough < 2; ++rough) {
            box.friction = rough ? 1 : 0;
            for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k)
                run_box(*state, &box, runs[k].scheme, runs[k].h);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rocking, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

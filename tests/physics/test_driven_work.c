// The work of a prescribed motion under every scheme. A slider of mass m follows x = A sin(w t):
// its driver has done m w^2 A^2 (cos^2 wt - 1)/2 by the time t, and a force that is taken at another
// instant than the velocity it works along would add m A^2 w^4/2 times that delay in each second.
// A ball that the slider carries makes impacts on it, which the driver feels.
#include <math.h>

#include "support/model_text.h"
#include "support/near.h"

static const double MASS = 10, AMPLITUDE = 0.005, RATE = 62.83, END = 1.27;

static const char SLIDER[] =
    "dimension: 2\n"
    "bodies: {table: {shape: {box: [1, 0.1, 1], mass: 10}}}\n"
    "joints: {guide: {type: prismatic, bodies: [ground, table], axis: [0, 1],\n"
    "                 motion: 0.005*sin(62.83*t)}}\n"
    "simulation: {end: 1.27, step: 1e-3, scheme: moreau-jean}\n";

static const char SHAKER[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  table: {shape: {box: [1, 0.1, 1], mass: 10}}\n"
    "  ball: {shape: {sphere: 0.05, mass: 0.2}, position: [0, 0.1]}\n"
    "joints: {guide: {type: prismatic, bodies: [ground, table], axis: [0, 1],\n"
    "                 motion: 0.005*sin(62.83*t)}}\n"
    "contacts: {c: {type: circle-plane, bodies: [table, ball], a: {at: [0, 0.05], normal: [0, "
    "1]},\n"
    "               radius: 0.05, restitution: 0.3}}\n"
    "simulation: {end: 1.27, step: 2e-4, scheme: moreau-jean}\n";

static const char *const SCHEMES[] = {"moreau-jean",  "moreau-jean-adaptive",
                                      "capturing",    "nonsmooth-alpha",
                                      "event-driven", "hybrid",
                                      "alpha2",       "alpha3"};
enum { SCHEME_COUNT = sizeof SCHEMES / sizeof *SCHEMES };

static const pcs_energy_account *run(model_text *f, const char *text, const char *scheme)
{
    const pcs_setting setting = {"simulation.scheme", scheme};
    model_text_read(f, "slider.yaml", text, &setting, 1);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_true(pcs_simulation_step(f->simulation) >= 0);
    return &pcs_simulation_statistics(f->simulation)->energy;
}

// A trapezoidal sum over steps h has the error (w h)^2/12 times the amplitude of the work, and a
// bound on its velocities of the same order: a whole (w h)^2 is allowed. alpha3 is left out: with
// steps that change, its multipliers are of first order (the remainder is 0.8, 0.4 and 0.1 % of the
// energy at tolerances of 1e-6, 1e-8 and 1e-10).
static void test_slider(void **state)
{
    const double largest = 0.5 * MASS * AMPLITUDE * AMPLITUDE * RATE * RATE;
    const double exact = largest * (pow(cos(RATE * END), 2) - 1);
    const double allowed = pow(RATE * 1e-3, 2) * largest;
    for (int i = 0; i < SCHEME_COUNT - 1; ++i) {
        const pcs_energy_account *energy = run(*state, SLIDER, SCHEMES[i]);
        if (!(fabs(energy->driver - exact) < allowed && fabs(energy->numerical) < allowed))
            fail_msg("%s: work %g J, exact %g J, remainder %g J", SCHEMES[i], energy->driver, exact,
                     energy->numerical);
    }
}

// With impacts the account of fixed steps is of first order in h: about as many impacts as periods,
// each of which may miss the force of a step, m A w^2, along the way of one, h A w.
static void test_shaker(void **state)
{
    const double missed = MASS * AMPLITUDE * RATE * RATE * 2e-4 * AMPLITUDE * RATE;
    for (int i = 0; i < SCHEME_COUNT; ++i) {
        const pcs_energy_account *energy = run(*state, SHAKER, SCHEMES[i]);
        if (!(fabs(energy->numerical) < missed))
            fail_msg("%s: remainder %g J", SCHEMES[i], energy->numerical);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_slider, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_shaker, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Runs over switches of formulas, in time and of the state, that go on from a saved state have the
// bits of the uninterrupted one, wherever they are saved.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation.h"
#include "support/model_text.h"
#include "support/near.h"

enum { TEXT_SIZE = 4096, STEPS = 40 };

// A pendulum with a stop in pulses that repeat, and a block on a floor that is pushed in a zone.
static void read_scene(model_text *f, const char *scheme)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, -10]\n"
             "bodies:\n"
             "  b: {point: true, mass: 1, position: [0, 0.1], velocity: [1, 0]}\n"
             "  p: {mass: 1, inertia: 0.1, position: [0.5, 2]}\n"
             "joints: {h: {type: revolute, bodies: [ground, p], at: [0, 2],\n"
             "  limits: {lower: -1.2, restitution: 0.3}}}\n"
             "contacts: {c: {type: circle-plane, bodies: [ground, b], radius: 0.1, "
             "friction: 0.2}}\n"
             "forces:\n"
             "  f: {body: b, force: [\"if(body.b.position.x > 0.1 && body.b.position.x < 0.15, "
             "9, 0)\", 0]}\n"
             "  g: {body: p, force: [0, \"if(mod(t, 0.11) < 0.043, 8, 0)\"]}\n"
             "simulation: {end: 0.8, step: 0.02, scheme: %s}\n",
             scheme);
    model_text_read(f, "m.yaml", text, NULL, 0);
    model_text_start(f);
}

static void step(model_text *f)
{
    if (pcs_simulation_step(f->simulation) < 0)
        fail_msg("%s", pcs_context_error(f->ctx));
}

static void resumed(void **state)
{
    model_text *f = *state;
    static const char *const schemes[] = {"moreau-jean",     "moreau-jean-adaptive",
                                          "capturing",       "hybrid",
                                          "nonsmooth-alpha", "phem56",
                                          "dopri5",          "alpha2"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; ++k) {
        read_scene(f, schemes[k]);
        const size_t size = pcs_simulation_save(f->simulation, NULL, 0);
        const size_t numbers = sizeof(double) * (size_t)f->simulation->state.count;
        char *saved = malloc(size * (STEPS + 1)), *end = malloc(size);
        assert_true(saved && end);
        for (int i = 0; i < STEPS; ++i) {
            pcs_simulation_save(f->simulation, saved + size * (size_t)i, size);
            step(f);
        }
        pcs_simulation_save(f->simulation, saved + size * STEPS, size);
        for (int from = 1; from < STEPS; from += 3) {
            read_scene(f, schemes[k]);
            assert_int_equal(pcs_simulation_load(f->simulation, saved + size * (size_t)from, size),
                             PCS_OK);
            for (int i = from; i < STEPS; ++i)
                step(f);
            pcs_simulation_save(f->simulation, end, size);
            if (memcmp(end + size - numbers, saved + size * STEPS + size - numbers, numbers) != 0)
                fail_msg("%s: resumed at step %d the end has other bits", schemes[k], from);
        }
        free(saved);
        free(end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(resumed, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A contact given many times moves a body as the contact given once, under every scheme: sliding,
// rolling and at rest, in the plane and in space. Schemes that solve for accelerations put the
// copies aside.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/model_text.h"
#include "support/near.h"

enum { COPIES = 15, TEXT_SIZE = 16384, SIGNALS = 6 };

static const char *const schemes[] = {"moreau-jean",  "moreau-jean-adaptive",
                                      "event-driven", "hybrid",
                                      "capturing",    "nonsmooth-alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static const char *const paths[2][SIGNALS] = {
    {"body.b.position.x", "body.b.position.y", "body.b.velocity.x", "body.b.velocity.y",
     "body.b.angular_velocity.z", "body.b.angle"},
    {"body.b.position.x", "body.b.position.y", "body.b.velocity.x", "body.b.velocity.y",
     "body.b.angular_velocity.y", "body.b.angular_velocity.x"},
};

static void run(model_text *f, int32_t dimension, const char *scheme, int copies, double *end)
{
    char *text = malloc(TEXT_SIZE);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, TEXT_SIZE,
                                dimension == 2
                                    ? "dimension: 2\ngravity: [0, -9.81]\n"
                                      "bodies: {b: {mass: 2, inertia: 0.008, position: [0, 0.1],\n"
                                      "  velocity: [1, 0], angular_velocity: 1.7}}\ncontacts:\n"
                                    : "dimension: 3\ngravity: [0, 0, -9.81]\n"
                                      "bodies: {b: {mass: 2, inertia: [0.008, 0.008, 0.008],\n"
                                      "  position: [0, 0, 0.1], velocity: [1, 0.3, 0],\n"
                                      "  angular_velocity: [0, 1, 2]}}\ncontacts:\n");
    for (int i = 0; i < copies; ++i)
        n += (size_t)snprintf(text + n, TEXT_SIZE - n,
                              "  c%d: {type: %s, bodies: [ground, b], radius: 0.1, "
                              "friction: 0.3}\n",
                              i, dimension == 2 ? "circle-plane" : "sphere-plane");
    snprintf(text + n, TEXT_SIZE - n, "simulation: {end: 0.3, step: 0.01, scheme: %s}\n", scheme);
    model_text_read(f, "m.yaml", text, NULL, 0);
    free(text);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
    for (int i = 0; i < SIGNALS; ++i)
        end[i] = model_text_signal(f, paths[dimension - 2][i]);
}

static void copies_move_alike(void **state)
{
    model_text *f = *state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension)
        for (int k = 0; k < SCHEMES; ++k) {
            double once[SIGNALS], often[SIGNALS];
            run(f, dimension, schemes[k], 1, once);
            run(f, dimension, schemes[k], COPIES, often);
            // The residual of a contact problem is 1e-8 of its velocities at most by default; the
            // adaptive schemes choose their steps from numbers with that error.
            for (int i = 0; i < SIGNALS; ++i)
                assert_near(often[i], once[i], 1e-7);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copies_move_alike, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

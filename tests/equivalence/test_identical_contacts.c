// A contact given many times moves a body as the contact given once, under every scheme: falling with
// restitution, sliding, rolling and at rest, in the plane and in space, for shapes with one slot and
// with eight, on a belt and on a curve. The copies share its force. They cost nothing: a step with
// hundreds of them takes no more evaluations or iterations than with one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/model_text.h"
#include "support/near.h"

enum { COPIES = 300, TEXT_SIZE = 131072, SIGNALS = 6 };

static const char *const schemes[] = {"moreau-jean",  "moreau-jean-adaptive",
                                      "event-driven", "hybrid",
                                      "capturing",    "nonsmooth-alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static const struct {
    int32_t dimension;
    const char *body, *contact;
    const char *slot; // of the first copy, behind its name
} scenes[] = {
    {2, "inertia: 0.008, position: [0, 0.15], velocity: [1, 0], angular_velocity: 1.7",
     "type: circle-plane, radius: 0.1, friction: 0.3, restitution: 0.5", ""},
    {3,
     "inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.12], velocity: [1, 0.3, 0], "
     "angular_velocity: [0, 1, 2]",
     "type: sphere-plane, radius: 0.1, friction: 0.3, restitution: 0.4", ""},
    {2, "inertia: 0.02, position: [0, 0.11], velocity: [1, 0], angular_velocity: 0.3",
     "type: box-plane, size: [0.3, 0.2], friction: 0.4", ".0"},
    {2, "inertia: 0.008, position: [0, 0.1], velocity: [0, 0]",
     "type: circle-plane, radius: 0.1, friction: 0.2, surface_speed: 'sin(3*t)'", ""},
    {2, "inertia: 0.008, position: [0.1, 0.45], velocity: [0, 0]",
     "type: point-curve, radius: 0.1, friction: 0.2, restitution: 0.3, curve: [{type: line, from: "
     "[-1, 0.4], "
     "to: [0, 0.2]}, {type: line, to: [1, 0.4]}]",
     ""},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct result {
    double value[SIGNALS];
    double force, force_of_last;
    pcs_statistics statistics;
} result;

static const char *const paths[2][SIGNALS] = {
    {"body.b.position.x", "body.b.position.y", "body.b.velocity.x", "body.b.velocity.y",
     "body.b.angular_velocity.z", "body.b.angle"},
    {"body.b.position.x", "body.b.position.y", "body.b.velocity.x", "body.b.velocity.y",
     "body.b.angular_velocity.y", "body.b.angular_velocity.x"},
};

static result run(model_text *f, int scene, const char *scheme, int copies)
{
    const int32_t dimension = scenes[scene].dimension;
    char *text = malloc(TEXT_SIZE), path[64];
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, TEXT_SIZE,
                                "dimension: %d\ngravity: [0, %s-9.81]\n"
                                "bodies: {b: {mass: 2, %s}}\ncontacts:\n",
                                dimension, dimension == 3 ? "0, " : "", scenes[scene].body);
    for (int i = 0; i < copies; ++i)
        n += (size_t)snprintf(text + n, TEXT_SIZE - n, "  c%d: {bodies: [ground, b], %s}\n", i,
                              scenes[scene].contact);
    snprintf(text + n, TEXT_SIZE - n, "simulation: {end: 0.5, step: 0.01, scheme: %s}\n", scheme);
    model_text_read(f, "m.yaml", text, NULL, 0);
    free(text);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
    result end = {.statistics = *pcs_simulation_statistics(f->simulation)};
    for (int i = 0; i < SIGNALS; ++i)
        end.value[i] = model_text_signal(f, paths[dimension - 2][i]);
    for (int i = 0; i < copies; ++i) {
        snprintf(path, sizeof path, "contact.c%d%s.force.n", i, scenes[scene].slot);
        end.force_of_last = model_text_signal(f, path);
        end.force += end.force_of_last;
    }
    return end;
}

// The bits of the motion are those of one contact, and so is the work.
static void copies_move_alike(void **state)
{
    model_text *f = *state;
    for (int scene = 0; scene < SCENES; ++scene)
        for (int k = 0; k < SCHEMES; ++k) {
            const result once = run(f, scene, schemes[k], 1);
            const result often = run(f, scene, schemes[k], COPIES);
            assert_memory_equal(often.value, once.value, sizeof once.value);
            assert_near(often.force, once.force, 1e-12 * fmax(1, once.force));
            assert_near(often.force_of_last * COPIES, once.force, 1e-12 * fmax(1, once.force));
            assert_int_equal(often.statistics.impacts, once.statistics.impacts);
            assert_int_equal(often.statistics.solver_iterations, once.statistics.solver_iterations);
            assert_int_equal(often.statistics.contacts_most, once.statistics.contacts_most);
        }
}

// Contacts that differ in one number are two: of c0, c1 and c2 the first and the last are one.
static void different_laws(void **state)
{
    model_text *f = *state;
    static const char *const text =
        "dimension: 2\ngravity: [0, -10]\n"
        "bodies: {b: {mass: 1.7, inertia: 1, position: [0, 0.1], velocity: [3, 0]}}\ncontacts:\n"
        "  c0: {type: circle-plane, bodies: [ground, b], radius: 0.1, friction: 0.3}\n"
        "  c1: {type: circle-plane, bodies: [ground, b], radius: 0.1, friction: 0.2}\n"
        "  c2: {type: circle-plane, bodies: [ground, b], radius: 0.1, friction: 0.3}\n"
        "simulation: {end: 0.1, step: 0.01}\n";
    double force[3];
    for (int k = 0; k < SCHEMES; ++k) {
        const pcs_setting setting = {"simulation.scheme", schemes[k]};
        model_text_read(f, "m.yaml", text, &setting, 1);
        model_text_start(f);
        while (!pcs_simulation_finished(f->simulation))
            assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
        force[0] = model_text_signal(f, "contact.c0.force.n");
        force[1] = model_text_signal(f, "contact.c1.force.n");
        force[2] = model_text_signal(f, "contact.c2.force.n");
        assert_true(force[0] == force[2]);
        assert_near(force[0] + force[1] + force[2], 17, 1e-6);
        const double v = model_text_signal(f, "body.b.velocity.x"); // any sharing of the load
        assert_true(v > 3 - 0.3 - 1e-9 && v < 3 - 0.2 + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copies_move_alike, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(different_laws, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

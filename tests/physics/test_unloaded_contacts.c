// Contacts at rest whose forces and accelerations are zero, and grow from there: what strikes a wall
// while its springs, or its beam, are without strain. Rates of the forces decide whether it sticks or
// slides, and which way.
#include <stdio.h>
#include <string.h>

#include "support/model_text.h"
#include "support/near.h"

static const char *const integrators[] = {"phem56", "hem5", "dopri5", "rk4", "alpha2", "alpha3"};

static void start_run(model_text *f, const char *name, const char *text)
{
    model_text_read(f, name, text, NULL, 0);
    model_text_start(f);
}

static void run_to_end(model_text *f, const char *name)
{
    while (!pcs_simulation_finished(f->simulation))
        if (pcs_simulation_step(f->simulation) < 0)
            fail_msg("%s: %s", name, pcs_context_error(f->ctx));
}

// Two points with a spring at its length between them, at the angle `tilt` against the normal of a
// wall, fly at it with the velocity v; the first one strikes and stops, e = 0. Then the second one
// compresses the spring, F = k v cos(tilt) t and the first one slides if tan(tilt) > mu,
//     m y'' = F (sin(tilt) - mu cos(tilt)),   y = k v cos(tilt) (sin(tilt) - mu cos(tilt)) t^3 / 6 m,
// up to parts of (w t)^2 / 20, w^2 = 2 k / m, and v t / l by which the spring turns.
static void strike_with_spring(model_text *f, double tilt, double mu, const char *integrator)
{
    const double m = 2, k = 800, v = 0.5, length = 10, wait = 0.2, c = cos(tilt), s = sin(tilt);
    const double t = 4e-3;
    char text[1024], name[96];
    snprintf(name, sizeof name, "%s, tilt %g, mu %g", integrator, tilt, mu);
    const int n = snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "bodies:\n"
        "  a: {point: true, mass: %.17g, position: [%.17g, 0], velocity: [%.17g, 0]}\n"
        "  b: {point: true, mass: %.17g, position: [%.17g, %.17g], velocity: [%.17g, 0]}\n"
        "springs: {k: {type: point, bodies: [a, b], a: [0, 0], b: [0, 0], stiffness: %.17g, rest: "
        "%.17g}}\n"
        "contacts: {wall: {type: point-plane, bodies: [ground, a], normal: [-1, 0], "
        "friction: %.17g}}\n"
        "simulation: {end: %.17g, step: 1e-3, scheme: event-driven, integrator: %s, "
        "tolerance: 1e-10}\n",
        m, -v * wait, v, m, -v * wait - length * c, -length * s, v, k, length, mu, wait + t,
        integrator);
    assert_in_range(n, 1, sizeof text - 1);
    start_run(f, name, text);
    run_to_end(f, name);
    const double along = s - copysign(fmin(mu * c, fabs(s)), s);
    const double expected = k * v * c * along * t * t * t / (6 * m);
    const double y = model_text_signal(f, "body.a.position.y");
    const double turned = v * t / length;
    const double allowed = (2 * k / m * t * t / 20 + turned) * fabs(expected) + 2e-10;
    if (!(fabs(y - expected) <= allowed))
        fail_msg("%s: slides by %.6g m, right is %.6g within %.1g", name, y, expected, allowed);
    assert_near(model_text_signal(f, "body.a.position.x"), 0, 1e-9);
}

static void test_springs(void **state)
{
    static const double tilts[] = {-1.2, -0.7853981633974483, -0.3, 0, 0.1,
                                   0.5,  0.7853981633974483,  1.1};
    static const double frictions[] = {0.05, 0.2, 0.5, 0.9};
    for (size_t i = 0; i < sizeof tilts / sizeof *tilts; ++i)
        for (size_t k = 0; k < sizeof frictions / sizeof *frictions; ++k)
            for (size_t n = 0; n < sizeof integrators / sizeof *integrators; ++n)
                strike_with_spring(*state, tilts[i], frictions[k], integrators[n]);
}

// A straight beam that flies without strain strikes a wall with its tip. Some times the period of its
// elements later the schemes agree, and no energy has come from anywhere.
static double strike_with_beam(model_text *f, double tilt, double mu, double e, double end,
                               double step, const char *scheme)
{
    const double length = 2, x = -0.1;
    const double lost = strcmp(scheme, "capturing") == 0 ? 0.1 : 1e-3; // what it damps by choice
    char text[1024], name[96];
    snprintf(name, sizeof name, "%s, tilt %g, mu %g, e %g", scheme, tilt, mu, e);
    const int n = snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "meshes:\n"
        "  beam: {line: {from: [%.17g, 0], to: [%.17g, %.17g], divisions: 4, element: beam},\n"
        "         material: {young: 8e8, density: 2000}, section: {circle: 0.1},\n"
        "         velocity: [0.5, 0]}\n"
        "contacts: {tip: {type: point-plane, bodies: [ground, {mesh: beam, group: start}], "
        "normal: [-1, 0], friction: %.17g, restitution: %.17g}}\n"
        "simulation: {end: %.17g, step: %.17g, scheme: %s}\n",
        x, x - length * cos(tilt), length * sin(tilt), mu, e, end, step, scheme);
    assert_in_range(n, 1, sizeof text - 1);
    start_run(f, name, text);
    const double start = pcs_simulation_statistics(f->simulation)->energy.kinetic;
    run_to_end(f, name);
    const pcs_energy_account *energy = &pcs_simulation_statistics(f->simulation)->energy;
    if (!(energy->kinetic + energy->potential <= start * (1 + 1e-9)) ||
        !(energy->numerical <= 1e-3 * start && energy->numerical >= -lost * start))
        fail_msg("%s: energy from %.9g to %.9g, remainder %.3g", name, start,
                 energy->kinetic + energy->potential, energy->numerical);
    pcs_body_view tip;
    pcs_simulation_mesh_node(f->simulation, 0, 0, &tip);
    return tip.position.y;
}

static void test_beams(void **state)
{
    static const double tilts[] = {-1.2, -0.7853981633974483, -0.1, 0, 0.3, 0.7853981633974483, 1};
    static const double frictions[] = {0.2, 0.6}, restitutions[] = {0, 0.5};
    for (size_t i = 0; i < sizeof tilts / sizeof *tilts; ++i)
        for (int k = 0; k < 4; ++k) {
            const double mu = frictions[k % 2], e = restitutions[k / 2], end = 0.204, h = 1e-3;
            const double a = strike_with_beam(*state, tilts[i], mu, e, end, h,
                                              "alpha2, tolerance: 1e-7");
            const double b = strike_with_beam(*state, tilts[i], mu, e, end, h,
                                              "event-driven, tolerance: 1e-6, output: exact");
            const double c = strike_with_beam(*state, tilts[i], mu, e, end, h,
                                              "hybrid, tolerance: 1e-6, output: exact");
            const double size = 0.5 * 0.004; // m, what flies on moves by
            if (!(fabs(a - b) <= 0.01 * size && fabs(a - c) <= 0.01 * size))
                fail_msg("tilt %g, mu %g, e %g: the tip is at %.7g, %.7g and %.7g", tilts[i], mu, e,
                         a, b, c);
        }
}

// The capturing scheme steps over closed contacts with friction and goes on with generalized-alpha
// where they open. No energy may come from the memory of that method: the account explains all that
// there is, with steps that resolve the elements (4500 rad/s) and with some that do not.
static void test_capturing(void **state)
{
    static const double tilts[] = {-0.7853981633974483, 0.3, 0.7853981633974483, 1};
    static const double steps[] = {1e-3, 2.5e-4};
    for (size_t i = 0; i < sizeof tilts / sizeof *tilts; ++i)
        for (int k = 0; k < 8; ++k)
            strike_with_beam(*state, tilts[i], k % 2 ? 0.2 : 0.4, k / 2 % 2 ? 0 : 0.3, 0.27,
                             steps[k / 4], "capturing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_springs, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_beams, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_capturing, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

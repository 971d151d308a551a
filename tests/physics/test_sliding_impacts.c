// An impact beside a contact that slides over a curved body. Such a contact is closed, so it belongs
// to the impact, although the normal turns faster than the forces on its two bodies alone could
// close it: what presses on it comes through other contacts.
//
//     wall | b   a   c  <-F      <-w d       b slides along the wall, a and c on a rail, all without
//                                            friction and gravity; F holds a against b
//
// With x, y the distances of b and a across and along the wall, x^2 + y^2 = rho^2, the three have one
// degree of freedom, y' = -x x'/y, and the mass m_a + m_c + m_b (x/y)^2 to what strikes c. Newton's
// law: p = (1 + e) (w + x')/(1/m_d + 1/mass), d leaves with -w + p/m_d, c and a with x' - p/mass. If
// the contact of a and b were left out and hit afterwards, d would meet m_a + m_c alone.
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

typedef struct sliding {
    double along, speed; // y of b at the start, and its velocity downwards
    double restitution;
} sliding;

static const double radius_b = 0.1, radius_a = 0.12, radius_c = 0.09, radius_d = 0.08;
static const double mass_b = 1.3, mass_a = 0.7, mass_c = 0.9, mass_d = 1.1;
static const double force = 20, strike = 2; // F, w

static void read_scene(model_text *f, const sliding *s, const char *scheme, double h)
{
    char text[2048];
    const double rho = radius_a + radius_b, across = sqrt(rho * rho - s->along * s->along);
    const double x = radius_b + across, v = s->speed * s->along / across;
    // Friction between a and c, which do not move along each other, has no force: it makes capturing
    // step in time.
    const int length = snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "bodies:\n"
        "  b: {shape: {sphere: %.17g}, mass: %.17g, position: [%.17g, %.17g], velocity: [0, "
        "%.17g]}\n"
        "  a: {shape: {sphere: %.17g}, mass: %.17g, position: [%.17g, 0], velocity: [%.17g, 0]}\n"
        "  c: {shape: {sphere: %.17g}, mass: %.17g, position: [%.17g, 0], velocity: [%.17g, 0]}\n"
        "  d: {shape: {sphere: %.17g}, mass: %.17g, position: [%.17g, 0], velocity: [%.17g, 0]}\n"
        "joints:\n"
        "  rail_a: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
        "  rail_c: {type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}\n"
        "forces: {f: {body: c, force: [%.17g, 0]}}\n"
        "contacts:\n"
        "  wall: {type: sphere-plane, bodies: [ground, b], normal: [1, 0], radius: %.17g, "
        "restitution: %.17g}\n"
        "  ab: {type: sphere-sphere, bodies: [b, a], radii: [%.17g, %.17g], restitution: %.17g}\n"
        "  ac: {type: sphere-sphere, bodies: [a, c], radii: [%.17g, %.17g], restitution: %.17g, "
        "friction: 0.3}\n"
        "  cd: {type: sphere-sphere, bodies: [c, d], radii: [%.17g, %.17g], restitution: %.17g}\n"
        "simulation: {end: 0.1, step: %.17g, scheme: %s}\n",
        radius_b, mass_b, radius_b, s->along, -s->speed, radius_a, mass_a, x, v, radius_c, mass_c,
        x + radius_a + radius_c, v, radius_d, mass_d,
        x + radius_a + 2 * radius_c + radius_d + 0.0613, -strike, -force, radius_b, s->restitution,
        radius_b, radius_a, s->restitution, radius_a, radius_c, s->restitution, radius_c, radius_d,
        s->restitution, h, scheme);
    assert_in_range(length, 1, sizeof text - 1);
    model_text_read(f, scheme, text, NULL, 0);
    model_text_start(f);
}

typedef struct place {
    double x, y, a, d; // distances of b and a, velocities of a and d
} place;

static place look(const model_text *f)
{
    return (place){model_text_signal(f, "body.a.position.x") - radius_b,
                   model_text_signal(f, "body.b.position.y"),
                   model_text_signal(f, "body.a.velocity.x"),
                   model_text_signal(f, "body.d.velocity.x")};
}

static void run(model_text *f, const sliding *s, const char *scheme, double h)
{
    read_scene(f, s, scheme, h);
    place before = look(f);
    for (;;) {
        if (pcs_simulation_step(f->simulation) < 0)
            fail_msg("%s: %s", scheme, pcs_context_error(f->ctx));
        assert_false(pcs_simulation_finished(f->simulation));
        if (pcs_simulation_statistics(f->simulation)->impacts > 0)
            break;
        before = look(f);
    }
    const place behind = look(f);
    const double compliance = before.y * before.y /
                              ((mass_a + mass_c) * before.y * before.y +
                               mass_b * before.x * before.x);
    const double p = (1 + s->restitution) * (before.a - before.d) / (1 / mass_d + compliance);
    // In the step of the impact the force and the turning of the normal change x', and y' h the mass.
    const double several = 4, rho = radius_a + radius_b;
    const double allowed = several * h *
                           (force / (mass_a + mass_c) + s->speed * (s->speed + strike) / rho);
    if (!(fabs(behind.d - (before.d + p / mass_d)) <= allowed &&
          fabs(behind.a - (before.a - p * compliance)) <= allowed))
        fail_msg("%s, h = %g, y = %g, v = %g, e = %g: velocities %.6g and %.6g, right are %.6g and "
                 "%.6g within %.2g",
                 scheme, h, s->along, s->speed, s->restitution, behind.a, behind.d,
                 before.a - p * compliance, before.d + p / mass_d, allowed);
    assert_int_equal(pcs_simulation_statistics(f->simulation)->impacts, 1);
}

static void test_slide_beside_an_impact(void **state)
{
    static const double along[] = {0.0713, 0.05, 0, -0.0238}, speeds[] = {0.6, 1.1};
    static const double restitutions[] = {0, 0.4, 0.9};
    static const struct {
        const char *scheme;
        double h;
    } runs[] = {{"event-driven", 1e-3},   {"hybrid", 1e-3},    {"moreau-jean", 1e-3},
                {"moreau-jean", 1e-4},    {"capturing", 1e-3}, {"moreau-jean-adaptive", 2e-4},
                {"nonsmooth-alpha", 1e-4}};
    for (int i = 0; i < 4 * 2 * 3; ++i) {
        const sliding s = {along[i % 4], speeds[i / 4 % 2], restitutions[i / 8]};
        for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k)
            run(*state, &s, runs[k].scheme, runs[k].h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_slide_beside_an_impact, model_text_set_up,
                                        model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

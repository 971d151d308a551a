// Forces at rest that the laws leave open: where contacts have more components than the bodies have
// equations, many forces hold a body at rest. Which of them acts is a matter of how it came there,
// and it does not change while nothing moves, whatever the lengths of the steps.
#include "support/near.h"
#include "support/scenes.h"

#include "simulation/simulation.h"

static const pcs_vec3 zero = {0, 0, 0};

static void add_plane(scene *s, const char *name, double turn, pcs_body_id disc, double radius,
                      double mu)
{
    pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_PLANE,
                                            scene_frame(PCS_GROUND, zero, pcs_v3(0, 0, turn)), disc,
                                            (pcs_law){.friction = mu});
    def.radius_b = radius;
    scene_contact(s, &def);
}

// A disc in a groove: four components, three equations.
static void groove(scene *s, double angle, double radius, double mu)
{
    scene_begin(s, 2, pcs_v3(0, -9.81, 0));
    const pcs_body_id disc = scene_sphere(s, "disc", 1.3, radius, pcs_v3(0, radius / cos(angle), 0),
                                          zero);
    add_plane(s, "left", -angle, disc, radius, mu);
    add_plane(s, "right", angle, disc, radius, mu);
}

// A disc on two others in a groove: ten components, nine equations.
static void pile(scene *s, double angle, double radius, double mu)
{
    scene_begin(s, 2, pcs_v3(0, -9.81, 0));
    pcs_body_id disc[3];
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; ++i) {
        const double x = i < 2 ? (2 * i - 1) * radius : 0;
        const double y = radius * (1 / cos(angle) + tan(angle)) + (i < 2 ? 0 : sqrt(3) * radius);
        disc[i] = scene_sphere(s, names[i], 0.7 + 0.3 * i, radius, pcs_v3(x, y, 0), zero);
    }
    add_plane(s, "left", -angle, disc[0], radius, mu);
    add_plane(s, "right", angle, disc[1], radius, mu);
    static const char *const pairs[] = {"ab", "bc", "ca"};
    for (int i = 0; i < 3; ++i) {
        pcs_contact_def def = scene_contact_def(pairs[i], PCS_CONTACT_SPHERE_SPHERE,
                                                scene_frame(disc[i], zero, zero), disc[(i + 1) % 3],
                                                (pcs_law){.friction = mu});
        def.radius_a = def.radius_b = radius;
        scene_contact(s, &def);
    }
}

// A box on its corners: four components in the plane, three equations; twelve and six in space.
static void box(scene *s, int dimension, double mu)
{
    const pcs_vec3 size = dimension == 3 ? pcs_v3(0.4, 0.3, 0.2) : pcs_v3(0.4, 0.2, 0.3);
    scene_begin(s, dimension, dimension == 3 ? pcs_v3(0, 0, -9.81) : pcs_v3(0, -9.81, 0));
    const pcs_body_id body = scene_box(
        s, "box", 2.1, size, dimension == 3 ? pcs_v3(0, 0, 0.1) : pcs_v3(0, 0.1, 0), zero, zero);
    scene_box_on_plane(s, "floor", body, size, zero, zero, (pcs_law){.friction = mu});
}

static void build(scene *s, int shape, double mu)
{
    const double angle = 0.3 + 0.1 * shape, radius = shape % 2 ? 0.1 : 0.0737;
    if (shape < 4)
        groove(s, angle, radius, mu);
    else if (shape < 8)
        pile(s, 0.2 + 0.05 * shape, radius, mu);
    else
        box(s, shape == 8 ? 2 : 3, mu);
}

enum { SHAPES = 10, STEPS = 40, FORCES_MAX = 64 };

static void holds(const char *scheme, int shape, double mu)
{
    static const double lengths[] = {1e-3, 4e-3, 3.7e-4, 1e-2, 2.3e-3};
    // Part of the forces that the solver may move, where it makes velocities at rest exact, within what
    // the laws leave open: 1e-5 was seen, and 2e-4 to 1.3 without the guess in eight shapes of ten.
    const double error = 1e-4;
    scene s;
    build(&s, shape, mu);
    s.scheme = scheme;
    scene_finish(&s, 1e-2, 1);
    scene_require(&s, pcs_simulation_start(s.simulation));
    pcs_state *state = &s.simulation->state;
    const int n = 3 * pcs_model_contact_count(s.model);
    double first[FORCES_MAX], most = 0;
    assert_true(n <= FORCES_MAX);
    for (int k = 0; k < STEPS; ++k) {
        pcs_step_report report;
        const double h = lengths[k % 5];
        scene_require(&s, pcs_scheme_step(s.simulation->scheme, state, h, &report));
        for (int i = 0; i < n && k == 0; ++i) {
            first[i] = state->r[i] / *state->h;
            most = fmax(most, fabs(first[i]));
        }
        for (int i = 0; i < n; ++i)
            assert_near(state->r[i] / *state->h, first[i], error * most);
    }
    scene_end(&s);
}

static void test_forces_stay(void **state)
{
    (void)state;
    static const char *const schemes[] = {"moreau-jean", "moreau-jean-adaptive"};
    static const double mu[] = {0.5, 0.82, 1.3};
    for (int i = 0; i < 2 * SHAPES * 3; ++i)
        holds(schemes[i % 2], i / 2 % SHAPES, mu[i / (2 * SHAPES)]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

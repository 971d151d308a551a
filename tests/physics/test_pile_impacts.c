// What decides the way of a pile: which contacts are one impact. A contact at rest whose normal
// turns is part of it under time stepping; one that flies, however low, is none of it under the
// event-driven schemes.
#include "support/event_scenes.h"
#include "support/near.h"

#include "math/vector.h"

static const pcs_vec3 zero = {0, 0, 0};

// ---- A wedge of two discs ----

typedef struct wedge {
    double below, above; // radii of the discs
    double start;        // m, of the lower disc's centre from the left wall
    double speed, e;
} wedge;

static void add_plane(scene *s, const char *name, pcs_vec3 at, double turn, pcs_body_id disc,
                      double radius, double e)
{
    pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_PLANE,
                                            scene_frame(PCS_GROUND, at, pcs_v3(0, 0, turn)), disc,
                                            (pcs_law){.restitution = e});
    def.radius_b = radius;
    scene_contact(s, &def);
}

// The lower disc slides on the floor to the right, away from the left wall; the upper one leans on
// it and on that wall and comes down. The normal between them turns, until the lower disc meets the
// right wall.
static void build_wedge(scene *s, const wedge *w, double right)
{
    const double across = w->start - w->above, sum = w->below + w->above;
    const double height = sqrt(sum * sum - across * across), slope = across / height;
    scene_begin(s, 2, pcs_v3(0, -9.81, 0));
    const pcs_body_id lower = scene_sphere(s, "lower", 2, w->below, pcs_v3(w->start, w->below, 0),
                                           pcs_v3(w->speed, 0, 0));
    const pcs_body_id upper = scene_sphere(s, "upper", 1, w->above,
                                           pcs_v3(w->above, w->below + height, 0),
                                           pcs_v3(0, -slope * w->speed, 0));
    add_plane(s, "floor", zero, 0, lower, w->below, w->e);
    add_plane(s, "left", zero, -0.5 * M_PI, upper, w->above, w->e);
    add_plane(s, "right", pcs_v3(right, 0, 0), 0.5 * M_PI, lower, w->below, w->e);
    pcs_contact_def def = scene_contact_def("pair", PCS_CONTACT_SPHERE_SPHERE,
                                            scene_frame(lower, zero, zero), upper,
                                            (pcs_law){.restitution = w->e});
    def.radius_a = w->below;
    def.radius_b = w->above;
    scene_contact(s, &def);
}

// All four contacts are closed at the impact on the right wall, three of them at rest: Moreau's law
// turns the velocities of both discs round, with the factor e. Left out of it, the pair would be
// hit by the lower disc alone and part with another velocity, at any step.
static void test_contacts_at_rest_take_part(void **state)
{
    (void)state;
    static const wedge wedges[] = {
        {0.1, 0.08, 0.13, 0.7, 0.5}, {0.05, 0.05, 0.08, 0.3, 0.3}, {0.2, 0.1, 0.2, 0.4, 0.8}};
    static const double steps[] = {1e-3, 2.5e-4, 3e-5};
    for (size_t i = 0; i < sizeof wedges / sizeof *wedges; ++i)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
            const wedge *w = &wedges[i];
            const double h = steps[k], right = w->start + w->below + 0.1 * w->below;
            scene s;
            double before[2] = {0, 0}, behind[2] = {0, 0};
            build_wedge(&s, w, right);
            scene_use(&s, "moreau-jean", h, 0.2 * w->below / w->speed);
            while (pcs_simulation_statistics(s.simulation)->impacts == 0) {
                before[0] = pcs_simulation_v(s.simulation)[0];
                before[1] = pcs_simulation_v(s.simulation)[4];
                assert_false(pcs_simulation_finished(s.simulation));
                assert_int_equal(scene_step(&s), PCS_OK);
            }
            behind[0] = pcs_simulation_v(s.simulation)[0];
            behind[1] = pcs_simulation_v(s.simulation)[4];
            const double several = 4 * 9.81 * h; // what forces make in the step of the impact
            assert_near(behind[0], -w->e * before[0], several);
            assert_near(behind[1], -w->e * before[1], several);
            assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, 1);
            scene_end(&s);
        }
}

// ---- A ball between a wall and a heavy one ----

// Without friction and gravity, e = 1: in the coordinates sqrt(m) x the motion is a ray in a wedge
// of the angle a = atan(sqrt(m/M)), which has ceil(pi/a) - 1 reflections (Galperin's billiard); the
// heavy ball has V_0 cos(2 k a) after k impacts of the pair. Near the turning point the gaps are
// sqrt(m/M) times the distance at the start, or less; the light ball covers them in more than the
// 1e-10 s that count as one instant.
static void caught(const char *scheme, double ratio, double distance)
{
    const double angle = atan(sqrt(1 / ratio)), V = -0.01, radius = 0.1;
    const int impacts = (int)ceil(M_PI / angle) - 1;
    scene s;
    scene_begin(&s, 2, zero);
    const pcs_body_id light = scene_point(&s, "light", 1, pcs_v3(radius + distance, 0, 0), zero);
    const pcs_body_id heavy = scene_point(&s, "heavy", ratio,
                                          pcs_v3(3 * radius + 2 * distance, 0, 0), pcs_v3(V, 0, 0));
    add_plane(&s, "wall", zero, -0.5 * M_PI, light, radius, 1);
    pcs_contact_def def = scene_contact_def("pair", PCS_CONTACT_SPHERE_SPHERE,
                                            scene_frame(light, zero, zero), heavy,
                                            (pcs_law){.restitution = 1});
    def.radius_a = def.radius_b = radius;
    scene_contact(&s, &def);
    scene_use(&s, scheme, 1e3 * distance, 1e4 * distance);
    scene_run(&s);
    const int pairs = (impacts + 1) / 2; // the first impact is one of the pair
    assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, impacts);
    assert_near(pcs_simulation_v(s.simulation)[2], V * cos(2 * pairs * angle), 1e-11);
    scene_end(&s);
}

static void test_low_flights_are_flights(void **state)
{
    (void)state;
    static const char *const schemes[] = {"event-driven", "dopri5", "rk4", "hem5"};
    static const double ratios[] = {3.7, 16, 100, 1234.5}, distances[] = {1e-2, 1e-5, 1e-7, 2e-8};
    for (int i = 0; i < 64; ++i)
        caught(schemes[i % 4], ratios[i / 4 % 4], distances[i / 16]);
}

// The velocities v of a ball before a wall and of one behind it, with the gaps g before each and
// the mass of the second, after all impacts, one after the other; their number.
static int sequence(double mass, double e, double g[2], double v[2])
{
    for (int n = 0;; ++n) {
        const double u[2] = {v[0], v[1] - v[0]};
        const double t[2] = {u[0] < 0 ? -g[0] / u[0] : HUGE_VAL,
                             u[1] < 0 ? -g[1] / u[1] : HUGE_VAL};
        if (t[0] == HUGE_VAL && t[1] == HUGE_VAL)
            return n;
        assert_true(n < 50);
        const int next = t[1] < t[0], other = 1 - next;
        g[next] = 0;
        g[other] += u[other] * t[next];
        if (next == 0) {
            v[0] = -e * v[0];
        } else {
            const double p = (1 + e) * -u[1] * mass / (1 + mass);
            v[0] -= p;
            v[1] += p / mass;
        }
    }
}

// The first ball comes to the wall and is overtaken by the second one a little before: both contacts
// approach, one of them is `distance` away. The velocities behind all do not depend on how much.
static void test_impacts_one_after_the_other(void **state)
{
    (void)state;
    static const char *const schemes[] = {"event-driven", "dopri5", "rk4", "hem5"};
    static const double masses[] = {1, 0.4, 1.7}, e[] = {0.5, 0.8};
    static const double distances[] = {1e-2, 1e-5, 6e-9};
    for (int i = 0; i < 72; ++i) {
        const double radius = 0.1, d = distances[i / 24], mass = masses[i / 8 % 3];
        double g[2] = {2 * d, 2 * d}, v[2] = {-0.05, -0.15};
        scene s;
        scene_begin(&s, 2, zero);
        const pcs_body_id a = scene_point(&s, "a", 1, pcs_v3(radius + g[0], 0, 0),
                                          pcs_v3(v[0], 0, 0));
        const pcs_body_id b = scene_point(&s, "b", mass, pcs_v3(3 * radius + g[0] + g[1], 0, 0),
                                          pcs_v3(v[1], 0, 0));
        add_plane(&s, "wall", zero, -0.5 * M_PI, a, radius, e[i / 4 % 2]);
        pcs_contact_def def = scene_contact_def("pair", PCS_CONTACT_SPHERE_SPHERE,
                                                scene_frame(a, zero, zero), b,
                                                (pcs_law){.restitution = e[i / 4 % 2]});
        def.radius_a = def.radius_b = radius;
        scene_contact(&s, &def);
        scene_use(&s, schemes[i % 4], 100 * d, 2000 * d);
        scene_run(&s);
        const int impacts = sequence(mass, e[i / 4 % 2], g, v);
        assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, impacts);
        assert_near(pcs_simulation_v(s.simulation)[0], v[0], 1e-10);
        assert_near(pcs_simulation_v(s.simulation)[2], v[1], 1e-10);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_at_rest_take_part),
        cmocka_unit_test(test_low_flights_are_flights),
        cmocka_unit_test(test_impacts_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Bodies that hold each other from wall to wall. All their contacts touch, to gap_tolerance, but there
// is no place in which all gaps vanish: the row is shorter than the distance of the walls, or longer, by
// some nanometres. Methods that hold closed contacts as positions must hold them where they are.
#include <stdio.h>

#include "math/vector.h"
#include "support/event_scenes.h"
#include "support/near.h"

static const pcs_vec3 zero = {0, 0, 0};

typedef struct row {
    int n;            // discs side by side
    double clearance; // m, of the row between the walls
    double mu;
    double drop; // m, height from which discs fall between each two of them
} row;

enum { DISCS_MAX = 8 };
static const double radius = 0.05, gravity = 9.81;

static void add_plane(scene *s, const char *name, pcs_vec3 at, double turn, pcs_body_id disc,
                      double mu)
{
    pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_PLANE,
                                            scene_frame(PCS_GROUND, at, pcs_v3(0, 0, turn)), disc,
                                            (pcs_law){.friction = mu});
    def.radius_b = radius;
    scene_contact(s, &def);
}

static void add_pair(scene *s, const char *name, pcs_body_id a, pcs_body_id b, double mu)
{
    pcs_contact_def def = scene_contact_def(
        name, PCS_CONTACT_SPHERE_SPHERE, scene_frame(a, zero, zero), b, (pcs_law){.friction = mu});
    def.radius_a = def.radius_b = radius;
    scene_contact(s, &def);
}

// Discs on the floor, the outer ones at the walls, the clearance shared out between them; above each
// two of them one that falls and wedges them apart.
static void build(scene *s, const row *r)
{
    const double way = 2 * radius + r->clearance / (r->n - 1), right = (r->n - 1) * way + radius;
    pcs_body_id below[DISCS_MAX], above[DISCS_MAX];
    char name[32];
    scene_begin(s, 2, pcs_v3(0, -gravity, 0));
    for (int i = 0; i < r->n; ++i) {
        snprintf(name, sizeof name, "below%d", i);
        below[i] = scene_sphere(s, name, 1 + 0.3 * i, radius, pcs_v3(i * way, radius, 0), zero);
    }
    for (int i = 0; i + 1 < r->n; ++i) {
        snprintf(name, sizeof name, "above%d", i);
        above[i] = scene_sphere(s, name, 0.7, radius,
                                pcs_v3((i + 0.5) * way, radius * (1 + sqrt(3)) + r->drop, 0), zero);
    }
    add_plane(s, "left", pcs_v3(-radius, 0, 0), -0.5 * M_PI, below[0], r->mu);
    add_plane(s, "right", pcs_v3(right, 0, 0), 0.5 * M_PI, below[r->n - 1], r->mu);
    for (int i = 0; i < r->n; ++i) {
        snprintf(name, sizeof name, "floor%d", i);
        add_plane(s, name, zero, 0, below[i], r->mu);
    }
    for (int i = 0; i + 1 < r->n; ++i) {
        snprintf(name, sizeof name, "row%d", i);
        add_pair(s, name, below[i], below[i + 1], r->mu);
        for (int side = 0; side < 2; ++side) {
            snprintf(name, sizeof name, "on%d_%d", i, side);
            add_pair(s, name, below[i + side], above[i], r->mu);
        }
    }
}

// The floor carries all weight, with what the walls' friction takes of it, and nothing moves.
static void rests(const char *scheme, const row *r)
{
    const double end = 0.5, tolerance = 1e-8; // gap_tolerance
    scene s;
    build(&s, r);
    scene_use(&s, scheme, 0.01, end);
    scene_run(&s);
    double moved = 0;
    for (int i = 0; i < 3 * (2 * r->n - 1); ++i) // velocities of the discs
        moved = fmax(moved, fabs(pcs_simulation_v(s.simulation)[i]));
    if (!(moved <= 1e-12))
        fail_msg("%s, %d discs, clearance %g, mu %g, drop %g: moves with %g m/s", scheme, r->n,
                 r->clearance, r->mu, r->drop, moved);
    assert_at_most(pcs_simulation_statistics(s.simulation)->worst_penetration,
                   tolerance + fmax(0, -r->clearance));
    scene_end(&s);
}

static void test_rows_rest(void **state)
{
    (void)state;
    static const char *const schemes[] = {"alpha3", "alpha2", "event-driven", "dopri5", "hybrid"};
    static const double clearances[] = {0, 1e-12, 5.7e-9, 9e-9, -6e-9};
    static const double coefficients[] = {0.3, 0.9, 0}, drops[] = {0, 1e-3, 0.02};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; ++i)
        for (int n = 2; n <= 4; ++n)
            for (size_t k = 0; k < 45; ++k) {
                const row r = {n, clearances[k % 5], coefficients[k / 5 % 3], drops[k / 15]};
                rests(schemes[i], &r);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

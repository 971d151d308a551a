// Impacts in clusters of touching bodies without friction, with velocities of all signs: contacts
// that approach, rest and separate at once. No impact may add energy, whatever the e of each
// contact, and nothing that touches may approach behind it, in every scheme.
#include <stdio.h>

#include "base/random.h"
#include "support/event_scenes.h"
#include "support/family.h"
#include "support/near.h"

#include "math/vector.h"

enum { BODIES_MAX = 8 };
static const pcs_vec3 zero = {0, 0, 0};
static const double radius = 0.5;

typedef struct cluster {
    int32_t dimension, n;
    pcs_vec3 position[BODIES_MAX];
    bool floor;
    double ground; // its height
} cluster;

// Whether a place touches nobody deeper than by rounding.
static bool is_free(const cluster *c, pcs_vec3 p)
{
    const double rounding = 1e-12;
    for (int32_t i = 0; i < c->n; ++i)
        if (pcs_v3_norm(pcs_v3_sub(p, c->position[i])) < 2 * radius - rounding)
            return false;
    return true;
}

// The next body touches a random one: in a row, in one of the directions of a dense packing, where
// several contacts close at once, or anywhere.
static pcs_vec3 direction(pcs_random *random, int32_t dimension, int shape)
{
    if (shape == 0)
        return pcs_v3(1, 0, 0);
    if (shape == 1) {
        const double angle = M_PI / 3 * (double)(pcs_random_next(random) % 6);
        return pcs_v3(cos(angle), sin(angle), 0);
    }
    pcs_vec3 d = {pcs_random_between(random, -1, 1), pcs_random_between(random, -1, 1),
                  dimension == 3 ? pcs_random_between(random, -1, 1) : 0};
    return pcs_v3_scale(1 / pcs_v3_norm(d), d);
}

static cluster make_cluster(pcs_random *random, int number)
{
    cluster c = {.dimension = 2 + number % 2, .n = 1, .floor = number % 3 == 0};
    const int shape = number / 2 % 3;
    const int32_t n = 2 + (int32_t)(pcs_random_next(random) % (BODIES_MAX - 1));
    c.position[0] = zero;
    for (int tries = 0; c.n < n && tries < 1000; ++tries) {
        const pcs_vec3 from = c.position[pcs_random_next(random) % (uint64_t)c.n];
        const pcs_vec3 p = pcs_v3_add(
            from, pcs_v3_scale(2 * radius, direction(random, c.dimension, shape)));
        if (is_free(&c, p))
            c.position[c.n++] = p;
    }
    for (int32_t i = 0; i < c.n; ++i)
        c.ground = fmin(c.ground, (c.dimension == 3 ? c.position[i].z : c.position[i].y) - radius);
    return c;
}

static double random_restitution(pcs_random *random)
{
    const double x = pcs_random_between(random, -0.5, 1.5);
    return fmin(fmax(x, 0), 1);
}

// Round numbers among them: equal velocities, bodies at rest.
static double random_velocity(pcs_random *random, bool around)
{
    const double x = pcs_random_between(random, -2, 2);
    return around ? round(2 * x) / 2 : x;
}

// Bodies, all pairs that touch, and a floor under the lowest.
static void build(scene *s, const cluster *c, pcs_random *random, bool common, bool around)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    const double e = around ? 1 : random_restitution(random);
    pcs_body_id body[BODIES_MAX];
    char name[16];
    scene_begin(s, c->dimension, zero);
    for (int32_t i = 0; i < c->n; ++i) {
        const pcs_vec3 v = {random_velocity(random, around), random_velocity(random, around),
                            c->dimension == 3 ? random_velocity(random, around) : 0};
        body[i] = scene_point(s, names[i], around ? 1 : pcs_random_between(random, 0.2, 3),
                              c->position[i], v);
    }
    for (int32_t i = 0; i < c->n; ++i) {
        for (int32_t j = i + 1; j < c->n; ++j) {
            snprintf(name, sizeof name, "%s%s", names[i], names[j]);
            pcs_contact_def def = scene_contact_def(
                name, PCS_CONTACT_SPHERE_SPHERE, scene_frame(body[i], zero, zero), body[j],
                (pcs_law){.restitution = common ? e : random_restitution(random)});
            def.radius_a = def.radius_b = radius;
            scene_contact(s, &def);
        }
        if (!c->floor)
            continue;
        snprintf(name, sizeof name, "%s_floor", names[i]);
        pcs_contact_def def = scene_contact_def(
            name, PCS_CONTACT_SPHERE_PLANE,
            scene_frame(PCS_GROUND,
                        c->dimension == 3 ? pcs_v3(0, 0, c->ground) : pcs_v3(0, c->ground, 0),
                        zero),
            body[i], (pcs_law){.restitution = common ? e : random_restitution(random)});
        def.radius_b = radius;
        scene_contact(s, &def);
    }
}

typedef struct way_to_run {
    const char *name;
    double step;
    int steps;
    bool at_once; // all impacts of an instant are in one step
} way_to_run;

// Steps in which the bodies hardly move, and long ones.
static const way_to_run ways[] = {
    {"event-driven", 1e-9, 1, true},          {"hybrid", 1e-9, 1, true},
    {"event-driven", 0.05, 20, false},        {"hybrid", 0.05, 20, false},
    {"capturing", 1e-5, 10, false},           {"capturing", 0.01, 20, false},
    {"nonsmooth-alpha", 1e-5, 20, false},     {"nonsmooth-alpha", 0.01, 20, false},
    {"moreau-jean", 1e-5, 20, false},         {"moreau-jean", 0.01, 20, false},
    {"moreau-jean-adaptive", 1e-5, 5, false},
};
enum { WAYS = sizeof ways / sizeof *ways };

// Largest speed at which two bodies that touch approach each other, from their places alone.
static double largest_approach(const scene *s, const cluster *c)
{
    const double touching = 1e-8; // m, the scheme's
    const double *q = pcs_simulation_q(s->simulation), *v = pcs_simulation_v(s->simulation);
    double most = 0;
    for (int32_t i = 0; i < c->n; ++i) {
        for (int32_t j = i + 1; j < c->n; ++j) {
            double square = 0, rate = 0;
            for (int32_t k = 0; k < c->dimension; ++k) {
                const double d = q[c->dimension * j + k] - q[c->dimension * i + k];
                square += d * d;
                rate += d * (v[c->dimension * j + k] - v[c->dimension * i + k]);
            }
            if (sqrt(square) - 2 * radius <= touching)
                most = fmax(most, -rate / sqrt(square));
        }
        const int32_t up = c->dimension * i + c->dimension - 1;
        if (c->floor && q[up] - c->ground - radius <= touching)
            most = fmax(most, -v[up]);
    }
    return most;
}

// The energy falls, or stays, in every step.
static void run(scene *s, const cluster *c, const way_to_run *way, int number)
{
    const double slow = 1e-8; // m/s: what counts as rest; ten times it after several impacts
    scene_use(s, way->name, way->step, way->steps * way->step);
    scene_require(s, pcs_simulation_start(s->simulation));
    const double start = scene_energy(s)->kinetic;
    for (double last = start; !pcs_simulation_finished(s->simulation);) {
        scene_step(s);
        const double now = scene_energy(s)->kinetic;
        if (!(now <= last + 10 * slow * fmax(start, 1)))
            fail_msg("cluster %d, %s, t = %g: %.12g J become %.12g J", number, way->name,
                     pcs_simulation_time(s->simulation), last, now);
        last = now;
    }
    if (way->at_once && !(largest_approach(s, c) <= 10 * slow))
        fail_msg("cluster %d, %s: bodies approach with %g m/s behind the impact", number, way->name,
                 largest_approach(s, c));
}

static void test_clusters(void **state)
{
    (void)state;
    enum { CLUSTERS = 300 };
    for (int i = 0; i < CLUSTERS; i += CASE_STRIDE) {
        pcs_random random;
        pcs_random_init(&random, (uint64_t)i);
        const cluster c = make_cluster(&random, i);
        scene s;
        build(&s, &c, &random, i % 4 < 2, i % 5 < 2);
        for (int k = 0; k < WAYS; ++k)
            run(&s, &c, &ways[k], i);
        scene_end(&s);
    }
}

// Three equal touching balls with 1, 0 and 0.5 m/s and e = 1: the second contact separates. All
// at once would give (-1/6, 5/6, 5/6) and 13 % more energy; one after the other (0, 1/2, 1).
static void test_three_balls(void **state)
{
    (void)state;
    static const double before[] = {1, 0, 0.5}, behind[] = {0, 0.5, 1};
    scene s;
    pcs_body_id ball[3];
    scene_begin(&s, 2, zero);
    for (int i = 0; i < 3; ++i) {
        static const char *const names[] = {"a", "b", "c"};
        ball[i] = scene_point(&s, names[i], 1, pcs_v3(2 * radius * i, 0, 0),
                              pcs_v3(before[i], 0, 0));
    }
    for (int i = 0; i < 2; ++i) {
        pcs_contact_def def = scene_contact_def(i == 0 ? "ab" : "bc", PCS_CONTACT_SPHERE_SPHERE,
                                                scene_frame(ball[i], zero, zero), ball[i + 1],
                                                (pcs_law){.restitution = 1});
        def.radius_a = def.radius_b = radius;
        scene_contact(&s, &def);
    }
    for (int k = 0; k < WAYS; ++k) {
        scene_use(&s, ways[k].name, ways[k].step, ways[k].steps * ways[k].step);
        scene_run(&s);
        for (int i = 0; i < 3; ++i)
            assert_near(pcs_simulation_v(s.simulation)[2 * i], behind[i], 1e-9);
    }
    scene_end(&s);
}

// Rows of touching balls with velocities of all signs: impacts follow each other at one instant, and
// time stepping gives the velocities of the event-driven scheme, whatever the step. A contact that
// separated when the step began is hit at its beginning, not where half of the old velocity takes it.
static void test_rows(void **state)
{
    (void)state;
    enum { ROWS = 60 };
    static const char *const schemes[] = {"event-driven", "moreau-jean", "moreau-jean-adaptive",
                                          "capturing", "nonsmooth-alpha"};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    for (int k = 0; k < ROWS; k += CASE_STRIDE) {
        pcs_random random;
        pcs_random_init(&random, (uint64_t)k + 1000);
        const int n = 3 + k % 4;
        const double e = k % 3 == 0 ? 1 : pcs_random_between(&random, 0, 0.9);
        double wanted[6] = {0};
        pcs_body_id ball[6];
        scene s;
        scene_begin(&s, 2, zero);
        for (int i = 0; i < n; ++i)
            ball[i] = scene_point(&s, names[i], pcs_random_between(&random, 0.3, 3),
                                  pcs_v3(2 * radius * i, 0, 0),
                                  pcs_v3(pcs_random_between(&random, -5, 5), 0, 0));
        for (int i = 0; i + 1 < n; ++i) {
            pcs_contact_def def = scene_contact_def(names[i], PCS_CONTACT_SPHERE_SPHERE,
                                                    scene_frame(ball[i], zero, zero), ball[i + 1],
                                                    (pcs_law){.restitution = e});
            def.radius_a = def.radius_b = radius;
            scene_contact(&s, &def);
        }
        for (size_t m = 0; m < sizeof schemes / sizeof *schemes; ++m) {
            scene_use(&s, schemes[m], 1e-4, 1e-4);
            scene_run(&s);
            for (int i = 0; i < n; ++i) {
                const double v = pcs_simulation_v(s.simulation)[2 * i];
                if (m == 0)
                    wanted[i] = v;
                if (!(fabs(v - wanted[i]) <= 1e-6))
                    fail_msg("row %d, %s, e = %g: ball %d has %.9g m/s instead of %.9g", k,
                             schemes[m], e, i, v, wanted[i]);
            }
        }
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_three_balls),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

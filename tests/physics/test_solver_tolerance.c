// Bodies at rest under Moreau-Jean: a looser tolerance of the contact problem must not cost more work
// than a tighter one. What a solve leaves in one step opens contacts, moves positions that the
// projection pushes out, and has to be mended in the next (docs/theory/second-order-solvers.md). Work
// is counted: sweeps and linear solves of all contact problems of the run, projections included.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/vector.h"
#include "support/scene_large.h"

static const double h = 1e-3, end = 1;
// What a looser tolerance may cost over any tighter one.
static const double MORE = 1.2;
static const double tolerances[] = {1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances, BOXES_MAX = 10 };

// The scene is finished for each of the first `count` tolerances and projection, and ended. Forces are known to the
// tolerance: the kinetic energy stays below that of all mass at the speed tolerance * g h. Work of the
// first `skip` steps does not count.
static void assert_looser_is_cheaper(scene *s, double mass, int count, int skip)
{
    static const char *const projections[] = {"all", "none"};
    for (int p = 0; p < 2; p++) {
        int64_t least = INT64_MAX;
        for (int k = 0; k < count; k++) {
            if (p == 0 && k == 0)
                scene_finish(s, h, end);
            else
                scene_restart(s, h, end);
            scene_set(s, "projection", projections[p]);
            scene_set_number(s, "solver_tolerance", tolerances[k]);
            scene_require(s, pcs_simulation_start(s->simulation));
            for (int i = 0; i < skip; i++)
                scene_step(s);
            const pcs_statistics *statistics = pcs_simulation_statistics(s->simulation);
            const int64_t before = statistics->solver_iterations;
            while (!pcs_simulation_finished(s->simulation))
                assert_int_equal(scene_step(s), PCS_OK);
            const int64_t work = statistics->solver_iterations - before;
            const double speed = tolerances[k] * 9.81 * h;
            if (!((double)work <= MORE * (double)least))
                fail_msg("projection %s: %lld solves at %g, %lld at a tighter one", projections[p],
                         (long long)work, tolerances[k], (long long)least);
            assert_true(scene_energy(s)->kinetic <= mass * speed * speed);
            least = work < least ? work : least;
        }
    }
    scene_end(s);
}

static void stacks(void **state)
{
    static const int32_t heights[] = {3, 10};
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < 2; k++) {
            scene s;
            double mass[BOXES_MAX];
            for (int32_t i = 0; i < heights[k]; i++)
                mass[i] = 8;
            scene_stack(&s, dimension, heights[k], pcs_v3(0.2, 0.2, 0.2), mass, 0.6);
            assert_looser_is_cheaper(&s, 8 * heights[k], TOLERANCES, 0);
        }
}

static void unequal_boxes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const int32_t n = 3 + 2 * (int32_t)seed;
        scene s;
        pcs_random random;
        double mass[BOXES_MAX], sum = 0;
        pcs_random_init(&random, seed);
        for (int32_t i = 0; i < n; i++)
            sum += mass[i] = pcs_random_between(&random, 0.5, 20);
        scene_stack(&s, 2 + (int32_t)(seed % 2), n, pcs_v3(0.37, 0.2, 0.11), mass, 0.45);
        assert_looser_is_cheaper(&s, sum, TOLERANCES, 0);
    }
}

// Discs in rows of n, n - 1, ... 1 in the notches of those below, held by friction; discs of one
// row have no contact with each other.
static void pyramid(void **state)
{
    enum { ROWS = 4 };
    const double radius = 0.1, mass = 2, rise = sqrt(3) * radius;
    const pcs_law law = {.friction = 0.6};
    int32_t first[ROWS + 1] = {0};
    scene s;
    (void)state;
    scene_begin(&s, 2, pcs_v3(0, -9.81, 0));
    for (int32_t row = 0; row < ROWS; row++)
        for (int32_t k = 0; k < ROWS - row; k++) {
            char name[32];
            snprintf(name, sizeof name, "disc%d_%d", (int)row, (int)k);
            const double x = radius * (2 * k + row);
            const pcs_body_id disc = scene_sphere(
                &s, name, mass, radius, pcs_v3(x, radius + rise * row, 0), pcs_v3(0, 0, 0));
            first[row + 1] = disc + 1;
            for (int side = 0; side < (row == 0 ? 1 : 2); side++) {
                pcs_frame below = row == 0 ? pcs_frame_default()
                                           : scene_frame(first[row - 1] + k + side, pcs_v3(0, 0, 0),
                                                         pcs_v3(0, 0, 0));
                snprintf(name, sizeof name, "c%d_%d_%d", (int)row, (int)k, side);
                pcs_contact_def def = scene_contact_def(
                    name, row == 0 ? PCS_CONTACT_SPHERE_PLANE : PCS_CONTACT_SPHERE_SPHERE, below,
                    disc, law);
                def.radius_a = row == 0 ? 0 : radius;
                def.radius_b = radius;
                scene_contact(&s, &def);
            }
        }
    // To 1e-4: with projections a pyramid solved to 1e-3 alone does not stand.
    assert_looser_is_cheaper(&s, mass * ROWS * (ROWS + 1) / 2, TOLERANCES - 1, 0);
}

// Piles of discs as they have come to rest. They begin without any forces, which the
// first steps find, in a motion of 1e-12 m: it differs from tolerance to tolerance. Piles with a
// loose disc, which that sets rolling for ever, are passed over; piles of spheres have such balls
// always (docs/limits.md).
static void piles(void **state)
{
    enum { ROUND = 30, FIRST = 200, PILES = 2, SEEDS = 20 };
    const double heaviest = 0.1132; // 6 cm, 1000 kg/m^3
    (void)state;
    int found = 0;
    for (uint64_t seed = 1; seed <= SEEDS && found < PILES; seed++) {
        const pcs_law law = {.friction = seed % 3 == 0 ? 0.5 : 0.3};
        const int32_t dimension = 2;
        pcs_vec3 place[ROUND];
        scene s;
        scene_round_pile(&s, dimension, ROUND, seed, law, NULL);
        scene_finish(&s, h, 2);
        const scene_rest rest = scene_run_to_rest(&s, 0.05);
        for (int32_t i = 0; i < ROUND; i++)
            place[i] = scene_view(&s, i).position;
        scene_end(&s);
        if (rest.loose > 0 || !(rest.kinetic <= 1e-12))
            continue;
        ++found;
        print_message("seed %d\n", (int)seed);
        scene_round_pile(&s, dimension, ROUND, seed, law, place);
        assert_looser_is_cheaper(&s, ROUND * heaviest, TOLERANCES, FIRST);
    }
    assert_int_equal(found, PILES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks),
        cmocka_unit_test(unequal_boxes),
        cmocka_unit_test(pyramid),
        cmocka_unit_test(piles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

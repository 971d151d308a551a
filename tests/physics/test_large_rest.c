// Masonry and small piles under Moreau-Jean at h = 1 ms: what is dropped comes to rest without a gain
// of energy, an arch just above its limit stands, and one just below falls no faster than with
// shorter steps. bench_stacks_rest has the larger ones.
#include <stdio.h>

#include "support/near.h"
#include "support/scene_large.h"

static void assert_rests(scene *s, double end)
{
    scene_finish(s, 1e-3, end);
    const scene_rest rest = scene_run_to_rest(s, 0.05);
    assert_at_most(rest.time, end);
    assert_at_most(rest.gain, 1e-11);
    assert_at_most(rest.ripple, 1e-6);
    assert_at_most(rest.penetration, 1e-11);
    scene_end(s);
}

static void test_walls(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_brick_wall(&s, 4, 3, 2e-3, (pcs_law){.friction = 0.6, .restitution = 0.3 * k});
        assert_rests(&s, 1);
    }
}

// Spheres and discs, with and without friction and restitution.
static void test_piles(void **state)
{
    static const struct {
        int32_t dimension, n;
        pcs_law law;
    } piles[] = {
        {3, 30, {.friction = 0.3}},
        {3, 30, {.friction = 0}},
        {2, 30, {.friction = 0.3, .restitution = 0.3}},
        {2, 60, {.friction = 0.5}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof piles / sizeof *piles; ++k) {
        scene s;
        scene_round_pile(&s, piles[k].dimension, piles[k].n, 1, piles[k].law, NULL);
        assert_rests(&s, 2.5);
    }
}

static double arch_drop(int32_t stones, double part, double h)
{
    scene s;
    scene_arch(&s, stones, part * scene_arch_limit(stones), 0.9);
    scene_finish(&s, h, 0.1);
    scene_require(&s, pcs_simulation_start(s.simulation));
    char signal[48];
    snprintf(signal, sizeof signal, "body.stone%d.position.y", (int)stones / 2);
    const double start = scene_signal(&s, signal);
    scene_run(&s);
    const double drop = start - scene_signal(&s, signal);
    scene_end(&s);
    return drop;
}

// 0.2 % and 1 % on both sides. Milankovitch's limit for many stones is t/R = 0.1075.
static void test_arches(void **state)
{
    (void)state;
    assert_near(scene_arch_limit(2001), 0.1075, 5e-5);
    for (int k = 0; k < 2; ++k) {
        const double off = k == 0 ? 0.002 : 0.01;
        assert_near(arch_drop(27, 1 + off, 1e-3), 0, 1e-12);
        const double drop = arch_drop(27, 1 - off, 1e-3), fine = arch_drop(27, 1 - off, 2e-4);
        assert_true(fine > 0);
        assert_near(drop, fine, 0.05 * fine); // of first order: h times the rate of growth, 20/s
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_piles),
        cmocka_unit_test(test_arches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

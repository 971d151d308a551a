// Boxes of random shape thrown on a floor with random friction and restitution: rolling over edges,
// rocking, spinning, coming to rest on corners whose forces are not unique. Event-driven runs of
// them must neither stop nor stall, and keep what the scheme promises.
#include "support/event_scenes.h"
#include "support/near.h"

#include "base/random.h"
#include "math/vector.h"

static const double g = 9.81;
static const pcs_vec3 zero = {0, 0, 0};

static void throw_box(uint64_t seed, const char *scheme)
{
    pcs_random random;
    pcs_random_init(&random, seed);
    const int32_t dimension = 2 + (int32_t)(seed % 2);
    const bool flat = dimension == 2;
    const pcs_vec3 size = {pcs_random_between(&random, 0.3, 1.3),
                           pcs_random_between(&random, 0.3, 1.3),
                           pcs_random_between(&random, 0.3, 1.3)};
    const pcs_law law = {.friction = seed % 3 == 0 ? 0 : pcs_random_between(&random, 0, 0.8),
                         .restitution = pcs_random_between(&random, 0, 0.7)};
    const pcs_vec3 turn = flat ? pcs_v3(0, 0, pcs_random_between(&random, 0, 3))
                               : pcs_v3(pcs_random_between(&random, -1, 1),
                                        pcs_random_between(&random, -1, 1),
                                        pcs_random_between(&random, -1, 1));
    scene s;
    scene_begin(&s, dimension, flat ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
    pcs_body_id box = scene_box(&s, "box", pcs_random_between(&random, 1, 2), size,
                                flat ? pcs_v3(0, 1.2, 0) : pcs_v3(0, 0, 1.2), turn,
                                pcs_v3(pcs_random_between(&random, -1, 1), 0, 0));
    scene_box_on_plane(&s, "floor", box, size, zero, zero, law);
    scene_use(&s, scheme, 0.1, 2);
    pcs_status status = PCS_OK;
    while (status >= 0 && !pcs_simulation_finished(s.simulation))
        status = pcs_simulation_step(s.simulation);
    if (status < 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed, pcs_context_error(s.ctx));
    const pcs_statistics *statistics = pcs_simulation_statistics(s.simulation);
    assert_at_most(statistics->worst_penetration, 1e-7); // ten times gap_tolerance
    // 1e-8 a step on positions of 1 m at velocities of some m/s over some hundred steps.
    assert_near(statistics->energy.numerical, 0, 1e-3);
    assert_at_most(statistics->energy.friction + statistics->energy.impact, 0);
    assert_true(statistics->inner_steps < 20000);
    scene_end(&s);
}

static void test_boxes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; ++seed)
        throw_box(seed, "event-driven");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

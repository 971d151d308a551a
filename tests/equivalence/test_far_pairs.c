// Pairs of spheres that are far are known by their gap alone (model/neighbours.h): the motion is that
// with all pairs evaluated, bit for bit. A pair whose frame stands 1e-300 m beside the centre is
// never far, and its numbers are the same.
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "support/near.h"
#include "support/scenes.h"

enum { BALLS = 14 };

static void build(scene *s, int32_t dimension, double beside, double e)
{
    const pcs_vec3 zero = {0, 0, 0}, aside = {beside, 0, 0};
    const pcs_law law = {.friction = 0.3, .restitution = e};
    const double radius = 0.05;
    pcs_random random;
    pcs_random_init(&random, 5);
    scene_begin(s, dimension, dimension == 3 ? (pcs_vec3){0, 0, -9.81} : (pcs_vec3){0, -9.81, 0});
    for (int32_t i = 0; i < BALLS; ++i) {
        const double x = pcs_random_between(&random, -0.02, 0.02), up = 0.06 + 0.12 * i;
        char name[32];
        snprintf(name, sizeof name, "b%d", (int)i);
        const pcs_body_id ball = scene_sphere(
            s, name, 0.5, radius,
            dimension == 3 ? (pcs_vec3){x, 0.3 * x, up} : (pcs_vec3){x, up, 0}, zero);
        snprintf(name, sizeof name, "floor%d", (int)i);
        pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_PLANE, pcs_frame_default(),
                                                ball, law);
        def.radius_b = radius;
        scene_contact(s, &def);
        for (int32_t j = 0; j < i; ++j) {
            snprintf(name, sizeof name, "p%d_%d", (int)j, (int)i);
            def = scene_contact_def(name, PCS_CONTACT_SPHERE_SPHERE, scene_frame(j, aside, zero),
                                    ball, law);
            def.radius_a = def.radius_b = radius;
            scene_contact(s, &def);
        }
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const int32_t dimension = 2 + k % 2, n = dimension == 3 ? 7 * BALLS : 3 * BALLS;
        const double e = k < 2 ? 0 : 0.4;
        scene a, b;
        build(&a, dimension, 0, e);
        build(&b, dimension, 1e-300, e);
        scene_finish(&a, 2e-3, 1);
        scene_finish(&b, 2e-3, 1);
        while (!pcs_simulation_finished(a.simulation)) {
            scene_step(&a);
            scene_step(&b);
            assert_memory_equal(pcs_simulation_q(a.simulation), pcs_simulation_q(b.simulation),
                                sizeof(double) * (size_t)n);
        }
        scene_end(&a);
        scene_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Event-driven runs that must agree: resumed and uninterrupted to the bit, coarse and fine output,
// dense and exact output, integrators among each other.
#include <stdlib.h>
#include <string.h>

#include "support/event_scenes.h"
#include "support/near.h"

#include "math/vector.h"

static const double g = 9.81;
static const pcs_vec3 zero = {0, 0, 0};

// A tilted box falls, bounces, slides and comes to rest; a pendulum hits a stop beside it.
static void build(scene *s)
{
    const pcs_vec3 size = {0.8, 0.5, 0};
    scene_begin(s, 2, pcs_v3(0, -g, 0));
    pcs_body_id box = scene_box(s, "box", 2.385, size, pcs_v3(0, 0.7, 0), pcs_v3(0, 0, 0.3),
                                pcs_v3(1.3, 0, 0));
    scene_box_on_plane(s, "floor", box, size, zero, zero,
                       (pcs_law){.friction = 0.35, .restitution = 0.3});
    pcs_body_def def = pcs_body_default();
    def.name = "bob";
    def.mass = 1;
    def.inertia.m[2][2] = 0.0137;
    def.position = pcs_v3(5 + sin(1), -cos(1), 0);
    def.angle = 1;
    pcs_body_id bob = scene_body(s, &def);
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "pivot";
    joint.kind = PCS_JOINT_REVOLUTE;
    joint.a = scene_frame(PCS_GROUND, pcs_v3(5, 0, 0), zero);
    joint.b = scene_frame(bob, pcs_v3(0, 1, 0), zero);
    joint.drive[0].has_lower = true;
    joint.drive[0].lower = -0.3;
    joint.drive[0].restitution = 0.8;
    scene_joint(s, &joint);
}

static void compare_bits(const scene *a, const scene *b)
{
    const size_t size = pcs_simulation_save(a->simulation, NULL, 0);
    char *x = malloc(size), *y = malloc(size);
    assert_int_equal(pcs_simulation_save(a->simulation, x, size), size);
    assert_int_equal(pcs_simulation_save(b->simulation, y, size), size);
    for (int32_t i = 0; i < pcs_model_coordinate_count(a->model); ++i)
        assert_true(pcs_simulation_q(a->simulation)[i] == pcs_simulation_q(b->simulation)[i]);
    for (int32_t i = 0; i < pcs_model_velocity_count(a->model); ++i)
        assert_true(pcs_simulation_v(a->simulation)[i] == pcs_simulation_v(b->simulation)[i]);
    free(x);
    free(y);
}

static void resume(const char *scheme, const char *output, int at)
{
    scene whole, part;
    build(&whole);
    build(&part);
    scene_use(&whole, scheme, 0.013, 1.3);
    scene_use(&part, scheme, 0.013, 1.3);
    scene_set(&whole, "output", output);
    scene_set(&part, "output", output);
    scene_require(&whole, pcs_simulation_start(whole.simulation));
    for (int i = 0; i < at; ++i)
        scene_step(&whole);
    scene_resume(&part, &whole);
    while (!pcs_simulation_finished(whole.simulation)) {
        scene_step(&whole);
        scene_step(&part);
        compare_bits(&whole, &part);
    }
    const pcs_energy_account *a = scene_energy(&whole), *b = scene_energy(&part);
    assert_true(a->friction == b->friction && a->impact == b->impact);
    scene_end(&whole);
    scene_end(&part);
}

static void test_resume(void **state)
{
    (void)state;
    static const int at[] = {0, 1, 17, 21, 22, 23, 60};
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
        resume("event-driven", "dense", at[i]);
        resume("dopri5", "exact", at[i]);
    }
}

// The march does not see the output times: same bits at common times, whatever the output step.
static void test_output_step(void **state)
{
    (void)state;
    scene coarse, fine;
    build(&coarse);
    build(&fine);
    scene_use(&coarse, "event-driven", 0.25, 1.5);
    scene_use(&fine, "event-driven", 0.25 / 64, 1.5);
    while (!pcs_simulation_finished(coarse.simulation)) {
        scene_step(&coarse);
        for (int i = 0; i < 64; ++i)
            scene_step(&fine);
        for (int32_t i = 0; i < pcs_model_coordinate_count(coarse.model); ++i)
            assert_true(pcs_simulation_q(coarse.simulation)[i] ==
                        pcs_simulation_q(fine.simulation)[i]);
    }
    const pcs_statistics *a = pcs_simulation_statistics(coarse.simulation);
    const pcs_statistics *b = pcs_simulation_statistics(fine.simulation);
    assert_int_equal(a->inner_steps, b->inner_steps);
    assert_int_equal(a->impacts, b->impacts);
    scene_end(&coarse);
    scene_end(&fine);
}

// Impulses over an output step are the integrals of the forces and the jumps: momentum of the box.
static void test_impulses(void **state)
{
    (void)state;
    scene s;
    build(&s);
    scene_use(&s, "event-driven", 0.013, 1.3);
    double vx = 1.3, vy = 0;
    while (!pcs_simulation_finished(s.simulation)) {
        scene_step(&s);
        double px = 0, py = 0;
        for (int32_t i = 0; i < 4; ++i) {
            py += scene_contact_view(&s, i).impulse[0];
            px += scene_contact_view(&s, i).impulse[1];
        }
        const double *v = pcs_simulation_v(s.simulation);
        assert_near(2.385 * (v[0] - vx), px, 1e-7);
        assert_near(2.385 * (v[1] - vy + g * 0.013), py, 1e-7);
        vx = v[0];
        vy = v[1];
    }
    scene_end(&s);
}

// All integrators see the same motion up to the last bounces.
static void test_integrators_agree(void **state)
{
    (void)state;
    static const char *const integrator[] = {"phem56", "hem5", "dopri5", "rkf45", "rk4"};
    double x = 0, turn = 0;
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i) {
        scene s;
        build(&s);
        scene_use(&s, integrator[i], 0.1, 1.5);
        scene_set(&s, "tolerance", "1e-11");
        scene_run(&s);
        const double *q = pcs_simulation_q(s.simulation);
        if (i == 0) {
            x = q[0];
            turn = q[5];
        }
        print_message("%s: %lld steps\n", integrator[i],
                      (long long)pcs_simulation_statistics(s.simulation)->inner_steps);
        assert_near(q[0], x, 1e-8);
        assert_near(q[5], turn, 1e-8);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_output_step),
        cmocka_unit_test(test_impulses),
        cmocka_unit_test(test_integrators_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

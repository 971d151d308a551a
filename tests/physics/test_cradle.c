// Newton's cradle with Moreau's impact law: one linear complementarity problem over all contacts,
// so that touching balls share the impulse instead of passing it on. Published: digest of
// [Brogliato2002] B10 (three balls), benchmarks 2 (five balls).
#include "support/near.h"
#include "support/scenes.h"

enum { BALLS_MAX = 5 };

// One step of the impact, then free flight; velocities and impulses of the first step. `tolerance`
// is the solver's, relative to the driving velocity (1 + e) v.
static void strike(int32_t n, double e, double tolerance, double *v, double *p)
{
    scene s;
    scene_cradle(&s, n, 1, e);
    scene_finish(&s, 1e-3, 1);
    scene_set_number(&s, "solver_tolerance", tolerance);
    assert_int_equal(scene_step(&s), PCS_OK);
    for (int32_t i = 0; i < n; ++i)
        v[i] = scene_view(&s, i).velocity.x;
    for (int32_t i = 0; i + 1 < n; ++i)
        p[i] = scene_contact_view(&s, i).impulse[0];
    double energy = 0.5;
    while (!pcs_simulation_finished(s.simulation)) {
        assert_int_equal(scene_step(&s), PCS_OK);
        assert_at_most(scene_total_energy(&s), energy * (1 + 1e-12));
    }
    // The balls fly on as they are. Those still touching are told apart from a second impact only
    // to the solver's tolerance, 1e-10, times the condition of four coupled contacts, about 10.
    for (int32_t i = 0; i < n; ++i)
        assert_near(scene_view(&s, i).velocity.x, v[i], 1e-9);
    const pcs_energy_account *account = scene_energy(&s);
    assert_near(account->impact, account->kinetic - 0.5, 1e-12);
    assert_at_most(account->impact, 1e-12);
    assert_near(account->numerical, 0, 1e-12);
    scene_end(&s);
}

// B10: e = 1 -> (-1/3, 2/3, 2/3), p = (4/3, 2/3); e = 0.5 -> (0, 1/2, 1/2); e = 0 -> all 1/3. The
// impulses for the other e follow from the momentum of the balls behind.
static void test_three_balls(void **state)
{
    (void)state;
    static const double e[] = {1, 0.5, 0};
    static const double v[][3] = {
        {-1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, 0.5, 0.5}, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
    static const double p[][2] = {{4.0 / 3, 2.0 / 3}, {1, 0.5}, {2.0 / 3, 1.0 / 3}};
    for (int k = 0; k < 3; ++k) {
        double v_end[3], p_end[2];
        strike(3, e[k], 1e-10, v_end, p_end); // the default
        for (int i = 0; i < 3; ++i)
            assert_near(v_end[i], v[k][i], 1e-10);
        for (int i = 0; i < 2; ++i)
            assert_near(p_end[i], p[k][i], 1e-10);
    }
}

// Five balls: v0 = (1+e)/5 - e, all others (1+e)/5; twice the kinetic energy is 1, 0.848, 0.4, 0.2.
static void test_five_balls(void **state)
{
    (void)state;
    static const double e[] = {1, 0.9, 0.5, 0}, energy[] = {1, 0.848, 0.4, 0.2};
    for (int k = 0; k < 4; ++k) {
        double v[BALLS_MAX], p[BALLS_MAX - 1], twice = 0;
        strike(5, e[k], 1e-12, v, p);
        for (int i = 0; i < 5; ++i) {
            assert_near(v[i], (1 + e[k]) / 5 - (i == 0 ? e[k] : 0), 1e-10);
            twice += v[i] * v[i];
        }
        assert_near(twice, energy[k], 1e-10);
        for (int i = 0; i < 4; ++i)
            assert_near(p[i], (4 - i) * (1 + e[k]) / 5, 1e-10);
    }
}

// Balls a little apart: a sequence of two-ball impacts, (0, 0, 0, 0, 1) for e = 1 (benchmarks 2).
static void test_sequence_of_simple_impacts(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 2, (pcs_vec3){0, 0, 0});
    for (int i = 0; i < 5; ++i) {
        char name[] = "ball0";
        name[4] = (char)('0' + i);
        scene_point(&s, name, 1, (pcs_vec3){1.0713 * i, 0, 0}, (pcs_vec3){i == 0, 0, 0});
    }
    for (int i = 0; i < 4; ++i) {
        char name[] = "pair0";
        name[4] = (char)('0' + i);
        pcs_frame a = pcs_frame_default();
        a.body = i;
        pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_SPHERE, a, i + 1,
                                                (pcs_law){.restitution = 1});
        def.radius_a = def.radius_b = 0.5;
        scene_contact(&s, &def);
    }
    scene_finish(&s, 1e-3, 1);
    while (!pcs_simulation_finished(s.simulation)) {
        assert_int_equal(scene_step(&s), PCS_OK);
        assert_at_most(scene_total_energy(&s), 0.5 * (1 + 1e-12));
    }
    for (int i = 0; i < 5; ++i)
        assert_near(scene_view(&s, i).velocity.x, i == 4, 1e-10);
    assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, 4);
    scene_end(&s);
}

// Five pendulums of length 1, the first pulled up: impacts take energy, the swinging gives none.
static void test_swinging_cradle_does_not_gain_energy(void **state)
{
    (void)state;
    const double h = 1e-3;
    static const double e[] = {1, 0.9, 0.5, 0};
    for (int k = 0; k < 4; ++k) {
        scene s;
        scene_begin(&s, 2, (pcs_vec3){0, -9.81, 0});
        for (int i = 0; i < 5; ++i) {
            char name[] = "ball0";
            name[4] = (char)('0' + i);
            double angle = i == 0 ? -0.4 : 0;
            pcs_vec3 x = {0.2 * i + sin(angle), -cos(angle), 0};
            scene_point(&s, name, 0.7, x, (pcs_vec3){0, 0, 0});
            name[0] = 'r';
            pcs_joint_def rod = pcs_joint_default();
            rod.name = name;
            rod.kind = PCS_JOINT_DISTANCE;
            rod.a.position = (pcs_vec3){0.2 * i, 0, 0};
            rod.b.body = i;
            scene_joint(&s, &rod);
        }
        for (int i = 0; i < 4; ++i) {
            char name[] = "pair0";
            name[4] = (char)('0' + i);
            pcs_frame a = pcs_frame_default();
            a.body = i;
            pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_SPHERE, a, i + 1,
                                                    (pcs_law){.restitution = e[k]});
            def.radius_a = def.radius_b = 0.1;
            scene_contact(&s, &def);
        }
        scene_finish(&s, h, 6);
        assert_int_equal(pcs_simulation_start(s.simulation), PCS_OK);
        double first = scene_total_energy(&s), most = first, floor = -5 * 0.7 * 9.81;
        while (!pcs_simulation_finished(s.simulation)) {
            assert_int_equal(scene_step(&s), PCS_OK);
            most = fmax(most, scene_total_energy(&s));
        }
        // The pendulum's own energy error at theta = 1/2 is (omega h)^2 times a number of order
        // one.
        assert_at_most((most - first) / (first - floor), 9.81 * h * h);
        assert_at_most(scene_energy(&s)->impact, 0);
        const pcs_statistics *st = pcs_simulation_statistics(s.simulation);
        assert_at_most(st->worst_drift, 1e-12);
        assert_at_most(st->worst_penetration, 1e-12);
        // Without restitution the five go on as one: equal pendulums keep their distances.
        assert_true(e[k] > 0 ? st->impacts >= 3 : st->impacts == 1);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_balls),
        cmocka_unit_test(test_five_balls),
        cmocka_unit_test(test_sequence_of_simple_impacts),
        cmocka_unit_test(test_swinging_cradle_does_not_gain_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Slider-crank whose slider has 1 mm of play in its guide (Flores, Leine, Glocker, Multibody System
// Dynamics 23 (2010) 165): impacts of the two upper corners, then sliding contact, up to t = 0.02
// s.
//
// Reference: Moreau's midpoint rule in the three angles with h = 1e-7 s, two contact solvers agree.
// An impact is seen within a step, so the scheme is of first order: with the angular accelerations
// of 1e4 rad/s^2 between the impacts, h = 1e-6 s makes 1e-2 rad/s in the velocities.
#include "support/mechanisms.h"
#include "support/near.h"

static const double h = 1e-6;

static const struct {
    double t, crank, rod; // after the impact, rad/s
} impacts[] = {
    {0.0026926, 108.72273, -52.84133},
    {0.0056127, 81.43578, -34.78583},
    {0.0074757, 73.35454, -28.14369},
    {0.0084229, NAN, NAN}, // the reference gives the times only
    {0.0088475, NAN, NAN},
};
enum { IMPACTS = sizeof impacts / sizeof *impacts, CORNERS = 4 };

static const struct {
    double t, crank, rod, x;
} states[] = {
    {0.01, 0.947957, -0.414623, 0.369324},
    {0.02, 1.613305, -0.519905, 0.259065},
};

// The k-th impact: both upper corners, none of the lower ones.
static void check_impact(const scene *s, int k)
{
    // Each impact is late by at most a step, which the shorter flight after it repeats.
    assert_near(pcs_simulation_time(s->simulation), impacts[k].t, 1.5 * (k + 1) * h);
    for (int i = 0; i < CORNERS; ++i)
        assert_int_equal(scene_contact_view(s, i).impulse[0] > 0, i < 2);
    assert_near(scene_view(s, 2).angular_velocity.z, 0, 1e-9); // the slider does not tilt
    if (isnan(impacts[k].crank))
        return;
    assert_near(scene_view(s, 0).angular_velocity.z, impacts[k].crank, 1e4 * h);
    assert_near(scene_view(s, 1).angular_velocity.z, impacts[k].rod, 1e4 * h);
}

static void check_state(const scene *s, int i)
{
    // A hundredth of a second with a velocity that is wrong by a fifth of the bound above.
    const double tolerance = 20 * h;
    assert_near(scene_view(s, 0).angle, states[i].crank, tolerance);
    assert_near(scene_view(s, 1).angle, states[i].rod, tolerance);
    assert_near(scene_view(s, 2).angle, 0, 1e-9);
    assert_near(scene_view(s, 2).position.x, states[i].x, 0.153 * tolerance);
}

static void test_impacts_and_states(void **state)
{
    (void)state;
    scene s;
    int n_impacts = 0, n_states = 0;
    double smallest_gap = HUGE_VAL;
    mechanism_slider_crank_clearance(&s);
    scene_finish(&s, h, 0.02);
    while (!pcs_simulation_finished(s.simulation)) {
        int64_t before = pcs_simulation_statistics(s.simulation)->impacts;
        assert_int_equal(scene_step(&s), PCS_OK);
        for (int i = 0; i < CORNERS; ++i)
            smallest_gap = fmin(smallest_gap, scene_contact_view(&s, i).gap);
        if (pcs_simulation_statistics(s.simulation)->impacts > before && n_impacts < IMPACTS)
            check_impact(&s, n_impacts++);
        if (pcs_simulation_time(s.simulation) > states[n_states].t - 0.5 * h)
            check_state(&s, n_states++);
        if (n_states == 1) // sliding along the upper wall, 1 mm above the middle
            assert_at_most(scene_view(&s, 2).position.y, 0.001 + 1e-9);
    }
    assert_int_equal(n_impacts, IMPACTS);
    assert_int_equal(n_states, 2);
    assert_at_most(-smallest_gap, 1e-9);
    assert_at_most(pcs_simulation_statistics(s.simulation)->worst_drift, 1e-11);
    scene_end(&s);
}

// At t = 0.01 s both upper corners have come to rest on the wall; friction against the motion.
static void test_contact_closes(void **state)
{
    (void)state;
    scene s;
    mechanism_slider_crank_clearance(&s);
    scene_finish(&s, h, 0.01);
    assert_int_equal(scene_run(&s), 0);
    assert_near(scene_view(&s, 2).position.y, 0.001, 1e-9);
    assert_near(scene_view(&s, 2).velocity.y, 0, 1e-6);
    const pcs_energy_account *energy = scene_energy(&s);
    assert_at_most(energy->friction, 0);
    assert_at_most(energy->impact, 0);
    // What the impacts take is most of what the mechanism loses; the remainder is the scheme's.
    assert_at_most(fabs(energy->numerical), 1e-3 * fabs(energy->impact));
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impacts_and_states),
        cmocka_unit_test(test_contact_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

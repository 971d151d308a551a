// What a run does when a step does not converge, and when a force is not a number.
#include <string.h>

#include "support/near.h"
#include "support/scenes.h"

// A bob on a rubber string, which Newton's method cannot solve in one or two iterations at this
// step.
static pcs_body_id rubber(scene *s, const char *policy, const char *iterations)
{
    scene_begin(s, 2, (pcs_vec3){0, -9.81, 0});
    pcs_body_id bob = scene_point(s, "bob", 1, (pcs_vec3){1, 0, 0}, (pcs_vec3){0, 0, 0});
    pcs_spring_def spring = pcs_spring_default();
    spring.name = "rubber";
    spring.b.body = bob;
    spring.stiffness = 400;
    spring.rest = 0.8;
    scene_spring(s, &spring);
    scene_finish(s, 0.05, 1);
    scene_set(s, "newton_iterations", iterations);
    scene_set(s, "on_failure", policy);
    return bob;
}

// accept: every step is taken, the ones that did not converge are counted and their residual shown.
static void test_accept(void **state)
{
    (void)state;
    scene s;
    rubber(&s, "accept", "1");
    int64_t unconverged = 0;
    while (!pcs_simulation_finished(s.simulation)) {
        pcs_status status = pcs_simulation_step(s.simulation);
        assert_true(status == PCS_OK || status == PCS_NOT_CONVERGED);
        unconverged += status == PCS_NOT_CONVERGED;
    }
    const pcs_statistics *st = pcs_simulation_statistics(s.simulation);
    assert_true(unconverged > 0);
    assert_int_equal(st->unconverged_steps, unconverged);
    assert_int_equal(st->steps, 20);
    assert_true(st->worst_newton > 1e-10);
    assert_int_equal(st->rejected_steps, 0);
    scene_end(&s);
}

// stop: an error at the first such step; the state before it stays.
static void test_stop(void **state)
{
    (void)state;
    scene s;
    pcs_body_id bob = rubber(&s, "stop", "1");
    assert_int_equal(pcs_simulation_start(s.simulation), PCS_OK);
    pcs_body_view last = scene_view(&s, bob);
    double time = 0;
    pcs_status status = PCS_OK;
    while (status >= 0 && !pcs_simulation_finished(s.simulation)) {
        last = scene_view(&s, bob);
        time = pcs_simulation_time(s.simulation);
        status = pcs_simulation_step(s.simulation);
    }
    assert_int_equal(status, PCS_ERROR_NUMERIC);
    assert_non_null(strstr(pcs_context_error(s.ctx), "on_failure is stop"));
    pcs_body_view now = scene_view(&s, bob);
    assert_true(now.position.x == last.position.x && now.position.y == last.position.y);
    assert_true(now.velocity.x == last.velocity.x && now.velocity.y == last.velocity.y);
    assert_true(pcs_simulation_time(s.simulation) == time);
    scene_end(&s);
}

// A stack with a heavy top and a single sweep. The Newton polish after it mostly saves the day, so
// that all policies finish; where it does not, next_solver is at least as good as accept.
static void hard_contacts(scene *s, const char *policy)
{
    static const double mass[3] = {1, 1, 20};
    scene_stack(s, 3, 3, (pcs_vec3){0.37, 0.41, 0.29}, mass, 0.5);
    pcs_force_def push = pcs_force_default();
    push.name = "push";
    push.body = 2;
    push.force[0] = pcs_expression("120*min(1,4*t)");
    scene_force(s, &push);
    scene_finish(s, 5e-3, 0.25);
    scene_set(s, "solver_iterations", "1");
    scene_set(s, "on_failure", policy);
}

static void test_next_solver(void **state)
{
    (void)state;
    double residual[2];
    int64_t unconverged[2];
    static const char *const policy[] = {"accept", "next_solver"};
    for (int i = 0; i < 2; ++i) {
        scene s;
        hard_contacts(&s, policy[i]);
        unconverged[i] = scene_run(&s);
        residual[i] = pcs_simulation_statistics(s.simulation)->worst_residual;
        assert_int_equal(pcs_simulation_statistics(s.simulation)->unconverged_steps,
                         unconverged[i]);
        scene_end(&s);
    }
    print_message("residuals %g (%d steps) and %g (%d steps)\n", residual[0], (int)unconverged[0],
                  residual[1], (int)unconverged[1]);
    assert_at_most(residual[1], fmax(residual[0], 1e-10));
    assert_true(unconverged[1] <= unconverged[0]);
}

// shrink_step: two iterations are enough at a part of the step. The time grid is kept and the
// motion is that of small steps.
static void test_shrink_step(void **state)
{
    (void)state;
    scene s;
    pcs_body_id bob = rubber(&s, "shrink_step", "2");
    assert_int_equal(scene_run(&s), 0);
    const pcs_statistics *st = pcs_simulation_statistics(s.simulation);
    print_message("%ld steps, %ld rejected, numerical %g\n", (long)st->steps,
                  (long)st->rejected_steps, st->energy.numerical);
    assert_int_equal(st->steps, 20);
    assert_true(st->rejected_steps > 0);
    assert_int_equal(st->unconverged_steps, 0);
    assert_near(pcs_simulation_time(s.simulation), 1, 1e-15);
    assert_at_most(st->worst_newton, 1e-8);

    // Against the same spring with small steps throughout.
    pcs_vec3 end = scene_view(&s, bob).position;
    scene_restart(&s, 1e-4, 1);
    assert_int_equal(scene_run(&s), 0);
    pcs_vec3 exact = scene_view(&s, bob).position;
    assert_near(hypot(end.x - exact.x, end.y - exact.y), 0, 0.05);
    scene_end(&s);
}

// Where no step length helps, shrink_step gives up with an error and a finite state.
static void test_shrink_step_gives_up(void **state)
{
    (void)state;
    scene s;
    hard_contacts(&s, "shrink_step");
    pcs_status status = PCS_OK;
    while (status >= 0 && !pcs_simulation_finished(s.simulation))
        status = pcs_simulation_step(s.simulation);
    if (status < 0) {
        assert_int_equal(status, PCS_ERROR_NUMERIC);
        assert_non_null(strstr(pcs_context_error(s.ctx), "halvings"));
    }
    for (int32_t i = 0; i < pcs_model_coordinate_count(s.model); ++i)
        assert_true(isfinite(pcs_simulation_q(s.simulation)[i]));
    scene_end(&s);
}

// A force that becomes NaN or infinite stops the run with the body's name; the last good state
// stays, with and without contacts in the step.
static void test_not_a_number(void **state)
{
    (void)state;
    static const char *const formula[] = {"sqrt(0.5-t)", "1/max(0,0.5-t)"};
    for (int i = 0; i < 4; ++i) {
        scene s;
        scene_begin(&s, 2, (pcs_vec3){0, -9.81, 0});
        scene_point(&s, "quiet", 1, (pcs_vec3){0, 5, 0}, (pcs_vec3){0, 0, 0});
        pcs_body_id victim = scene_point(&s, "victim", 1, (pcs_vec3){0, 0, 0}, (pcs_vec3){0, 0, 0});
        if (i & 1) {
            pcs_contact_def floor = scene_contact_def("floor", PCS_CONTACT_POINT_PLANE,
                                                      pcs_frame_default(), victim,
                                                      (pcs_law){.friction = 0.3});
            scene_contact(&s, &floor);
        }
        pcs_force_def force = pcs_force_default();
        force.name = "bad";
        force.body = victim;
        force.force[0] = pcs_expression(formula[i >> 1]);
        scene_force(&s, &force);
        scene_finish(&s, 1e-2, 1);
        pcs_status status = PCS_OK;
        double time = 0, x = 0;
        while (status >= 0 && !pcs_simulation_finished(s.simulation)) {
            time = pcs_simulation_time(s.simulation);
            x = scene_view(&s, victim).position.x;
            status = pcs_simulation_step(s.simulation);
        }
        assert_int_equal(status, PCS_ERROR_NUMERIC);
        assert_near(time, 0.5, 1.1e-2);
        print_message("%s\n", pcs_context_error(s.ctx));
        assert_non_null(strstr(pcs_context_error(s.ctx), "victim"));
        assert_true(pcs_simulation_time(s.simulation) == time);
        assert_true(scene_view(&s, victim).position.x == x);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accept),
        cmocka_unit_test(test_next_solver),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_shrink_step),
        cmocka_unit_test(test_shrink_step_gives_up),
        cmocka_unit_test(test_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The contact problems that a simulation hands out are those of its steps: same u, same residual,
// same answer when they are solved again from nothing; and looking on changes no bit of the run.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "support/near.h"
#include "support/scenes.h"

#include "nonsmooth/problem.h"
#include "schemes/moreau_jean.h"
#include "simulation/simulation.h"

static const pcs_vec3 zero = {0, 0, 0};
static const double step_length = 1.7e-3;

// A stack whose top box is pushed until it slides, and a cart that falls on the limit of its
// rail: blocks of three rows and of one.
static void build(scene *s)
{
    static const double mass[3] = {1, 1.3, 20};
    scene_stack(s, 3, 3, (pcs_vec3){0.37, 0.41, 0.05}, mass, 0.5);
    pcs_force_def push = pcs_force_default();
    push.name = "push";
    push.body = 2;
    push.force[0] = pcs_expression("120*min(1,t/0.255)"); // its kink is at the end of step 150
    scene_force(s, &push);
    pcs_body_id cart = scene_box(s, "cart", 2.385, (pcs_vec3){0.1, 0.1, 0.1}, (pcs_vec3){3, 0, 0},
                                 zero, zero);
    pcs_joint_def rail = pcs_joint_default();
    rail.name = "rail";
    rail.kind = PCS_JOINT_PRISMATIC;
    rail.a.position = (pcs_vec3){3, 0, 0};
    rail.b.body = cart;
    rail.drive[0].has_lower = true; // along z
    rail.drive[0].lower = -0.003;
    rail.drive[0].restitution = 0.7;
    scene_joint(s, &rail);
    scene_finish(s, step_length, 200 * step_length);
}

// ---- Replay ----

typedef struct replay {
    const moreau_jean *scheme;
    int64_t step;        // last one seen
    int problems, mixed; // mixed: with blocks of one row beside larger ones
} replay;

// |W| |r| + |q|, largest component: rounding of u = W r + q is a few units of it.
static double rounding_scale(const pcs_problem *problem, const double *r)
{
    const pcs_block_matrix *W = &problem->W;
    const int32_t d = problem->dimension;
    double most = 0;
    for (int32_t i = 0; i < W->n; ++i) {
        for (int32_t a = 0; a < d; ++a) {
            double sum = fabs(problem->q[d * i + a]);
            for (int32_t e = W->row_start[i]; e < W->row_start[i + 1]; ++e)
                for (int32_t b = 0; b < d; ++b)
                    sum += fabs(W->value[W->value_start[e] + a * d + b] * r[d * W->column[e] + b]);
            most = fmax(most, sum);
        }
    }
    return most;
}

// u of the problem at r against the scheme's, which has no rows for what was added.
static bool compare_velocities(const moreau_jean *s, const pcs_problem *problem, const double *r,
                               double tolerance)
{
    const int32_t d = problem->dimension;
    bool small = false, large = false;
    double *u = calloc((size_t)problem->rows, sizeof *u);
    pcs_block_matrix_multiply(&problem->W, r, u);
    for (int32_t k = 0; k < s->n_active; ++k) {
        const int32_t size = s->offset[k + 1] - s->offset[k];
        small = small || size == 1;
        large = large || size == d;
        for (int32_t j = 0; j < d; ++j) {
            double found = u[d * k + j] + problem->q[d * k + j];
            if (j < size)
                assert_near(found, s->u[s->offset[k] + j], tolerance);
            else
                assert_true(found == 0 && r[d * k + j] == 0);
        }
        assert_true(problem->mu[k] == (size == d ? s->mu[k] : 0));
    }
    free(u);
    return small && large;
}

static pcs_status check_problem(void *user, const pcs_problem_step *step, pcs_problem *problem,
                                const double *r)
{
    replay *look = user;
    const moreau_jean *s = look->scheme;
    assert_int_equal(pcs_problem_get_class(problem), PCS_PROBLEM_LOCAL);
    assert_int_equal(pcs_problem_dimension(problem), 3);
    assert_int_equal(pcs_problem_contacts(problem), s->n_active);
    assert_int_equal(step->contacts, s->n_active);
    assert_true(step->step >= look->step);
    assert_near(step->time, (double)step->step * step_length, 1e-12);
    assert_near(step->length, step_length, 1e-12);

    const double scale = rounding_scale(problem, r);
    const double rounding = 3 * s->n_active * DBL_EPSILON * scale; // terms of a sum
    look->mixed += compare_velocities(s, problem, r, rounding);

    // rho = 3 / trace changes by at most three with the rows that were added.
    pcs_friction_contact view = pcs_problem_local_view(problem);
    const double speed = pcs_friction_contact_scale(&view);
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(problem, r, &verdict), PCS_OK);
    assert_at_most(verdict.residual.scaled, 3 * (step->residual + rounding / speed));
    assert_int_equal(step->status, PCS_OK);

    // Solved from nothing: r may differ where W has a null space, u may not.
    double *again = calloc((size_t)pcs_problem_rows(problem), sizeof *again);
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    opts.measure = PCS_MEASURE_SCALED;
    opts.tolerance = 1e-10; // that of the scheme
    assert_int_equal(pcs_problem_solve(problem, NULL, &opts, NULL, again, NULL, &info), PCS_OK);
    for (int32_t k = 0; k < s->n_active; ++k) // what was added stays at rest
        for (int32_t j = s->offset[k + 1] - s->offset[k]; j < 3; ++j)
            again[3 * k + j] = again[3 * k + j] == 0 ? 0 : NAN;
    const double condition = 1e3; // error of u over the residual, as in the test of cold starts
    (void)compare_velocities(s, problem, again, condition * opts.tolerance * speed);
    free(again);

    look->step = step->step;
    ++look->problems;
    pcs_problem_destroy(problem);
    return PCS_OK;
}

static void test_problems_are_those_of_the_steps(void **state)
{
    (void)state;
    scene s;
    build(&s);
    replay look = {.scheme = (const moreau_jean *)s.simulation->scheme};
    pcs_simulation_set_problem_hook(s.simulation,
                                    &(pcs_problem_hook){.take = check_problem, .user = &look});
    assert_int_equal(scene_run(&s), 0);
    assert_int_equal(look.step, 200);
    assert_true(look.problems >= 200);
    assert_true(look.mixed > 0);
    scene_end(&s);
}

// ---- A run that is looked at ----

typedef struct watcher {
    int asked, taken;
    bool wanted;
    pcs_status answer;
} watcher;

static bool wants(void *user, const pcs_problem_step *step)
{
    watcher *w = user;
    (void)step;
    ++w->asked;
    return w->wanted;
}

static pcs_status take(void *user, const pcs_problem_step *step, pcs_problem *problem,
                       const double *r)
{
    watcher *w = user;
    (void)step;
    (void)r;
    ++w->taken;
    pcs_problem_destroy(problem);
    return w->answer;
}

static void test_looking_changes_nothing(void **state)
{
    (void)state;
    double *end[2];
    size_t bytes = 0;
    for (int i = 0; i < 2; ++i) {
        scene s;
        watcher w = {.wanted = true};
        build(&s);
        if (i == 1)
            pcs_simulation_set_problem_hook(s.simulation, &(pcs_problem_hook){wants, take, &w});
        scene_run(&s);
        assert_int_equal(w.asked, w.taken);
        assert_true((w.taken > 0) == (i == 1));
        bytes = sizeof(double) * (size_t)s.simulation->state.count;
        end[i] = malloc(bytes);
        memcpy(end[i], s.simulation->state.data, bytes);
        scene_end(&s);
    }
    assert_memory_equal(end[0], end[1], bytes);
    free(end[0]);
    free(end[1]);
}

static void test_unwanted_problems_are_not_made(void **state)
{
    (void)state;
    scene s;
    watcher w = {.wanted = false};
    build(&s);
    pcs_simulation_set_problem_hook(s.simulation, &(pcs_problem_hook){wants, take, &w});
    for (int i = 0; i < 100; ++i)
        scene_step(&s);
    uint64_t calls = pcs_context_heap_calls(s.ctx);
    int asked = w.asked;
    for (int i = 0; i < 50; ++i)
        scene_step(&s);
    assert_int_equal(pcs_context_heap_calls(s.ctx), calls);
    assert_true(w.asked >= asked + 50);
    assert_int_equal(w.taken, 0);

    asked = w.asked;
    pcs_simulation_set_problem_hook(s.simulation, NULL);
    scene_step(&s);
    assert_int_equal(w.asked, asked);
    scene_end(&s);
}

static void test_errors_end_the_step(void **state)
{
    (void)state;
    scene s;
    watcher w = {.wanted = true, .answer = PCS_ERROR_IO};
    build(&s);
    scene_step(&s);
    pcs_simulation_set_problem_hook(s.simulation, &(pcs_problem_hook){wants, take, &w});
    assert_int_equal(pcs_simulation_step(s.simulation), PCS_ERROR_IO);
    w.answer = PCS_OK;
    assert_int_equal(pcs_simulation_step(s.simulation), PCS_OK);

    // Memory that runs out while a problem is made.
    const uint64_t bytes = pcs_context_heap_bytes(s.ctx);
    pcs_status status = PCS_ERROR_MEMORY;
    int failures = 0;
    while (status == PCS_ERROR_MEMORY) {
        pcs_context_fail_heap_call(s.ctx, (uint64_t)failures + 1);
        status = pcs_simulation_step(s.simulation);
        pcs_context_fail_heap_call(s.ctx, 0);
        assert_int_equal(pcs_context_heap_bytes(s.ctx), bytes);
        failures += status == PCS_ERROR_MEMORY;
    }
    assert_int_equal(status, PCS_OK);
    assert_true(failures > 6); // the arrays of the padded problem alone
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems_are_those_of_the_steps),
        cmocka_unit_test(test_looking_changes_nothing),
        cmocka_unit_test(test_unwanted_problems_are_not_made),
        cmocka_unit_test(test_errors_end_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

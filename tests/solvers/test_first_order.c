// First-order solvers of the friction contact problem: every row with every choice of its options
// solves free bodies, mixed sizes, bilateral rows, bad scales and redundant contacts, from zero and
// from a warm start; limits, hooks and bad options are obeyed. Solutions are judged by the
// independent verifier alone.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "nonsmooth/acceleration.h"
#include "nonsmooth/first_order.h"
#include "nonsmooth/problem.h"
#include "support/contact_problems.h"
#include "support/fixture.h"
#include "support/near.h"

enum { ROWS_MAX = 400, OPTIONS_MAX = 8, PROBLEMS = 6 };
static const double TOLERANCE = 1e-6;
// The solver's products and the verifier's differ by rounding, here below 1e-3 of the tolerance.
static const double VERIFIED = 1.001e-6;

static const pcs_friction_solver *const rows[] = {&pcs_solver_admm, &pcs_solver_projected_gradient,
                                                  &pcs_solver_extragradient,
                                                  &pcs_solver_fixed_point};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

typedef struct fixture {
    pcs_test_memory memory;
    contact_problem known[PROBLEMS];
    double r[ROWS_MAX], u[ROWS_MAX];
    pcs_solve_info info;
} fixture;

// Every class of difficulty that the methods claim to take.
static contact_problem_def problem_def(int32_t which)
{
    contact_problem_def def = pcs_test_problem_default();
    switch (which) {
    case 0:
        break;
    case 1:
        def.dimension = 0; // sizes 1, 2 and 3
        def.bilateral_rows = 5;
        break;
    case 2:
        def.dimension = 2;
        def.contacts = 14;
        def.mu_highest = 1.7;
        break;
    case 3:
        def.mass_ratio = 1e3;
        def.mass_unit = 40.0;
        break;
    case 4:
        def.asymmetry = 0.02;
        def.open = 0.1;
        break;
    default:
        def.rank_ratio = 1.5; // redundant: W is singular
        def.slip = 0.2;
        break;
    }
    return def;
}

static int set_up(void **state)
{
    if (pcs_test_fixture_create(state, sizeof(fixture)) != 0)
        return -1;
    fixture *f = *state;
    for (int32_t p = 0; p < PROBLEMS; p++) {
        const contact_problem_def problem = problem_def(p);
        if (pcs_test_problem_create(f->memory.ctx, &problem, (uint64_t)(71 + p), &f->known[p]) <
                0 ||
            pcs_problem_rows(f->known[p].problem) > ROWS_MAX)
            return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    for (int32_t p = 0; p < PROBLEMS; p++)
        pcs_test_problem_destroy(f->memory.ctx, &f->known[p]);
    return pcs_test_fixture_destroy(state);
}

static pcs_solve_opts solve_opts(void)
{
    return (pcs_solve_opts){.tolerance = TOLERANCE, .measure = PCS_MEASURE_RELATIVE, .threads = 1};
}

static pcs_status run(fixture *f, int32_t which, const pcs_friction_solver *solver,
                      const pcs_solve_opts *opts, const double *option)
{
    const pcs_friction_contact problem = pcs_problem_local_view(f->known[which].problem);
    const size_t used = f->memory.arena.used_total;
    pcs_status status = pcs_friction_solve(&problem, solver, opts, option, &f->memory.arena, f->r,
                                           f->u, &f->info);
    assert_true(f->memory.arena.used_total == used);
    return status;
}

static double verified_residual(fixture *f, int32_t which)
{
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(f->known[which].problem, f->r, &verdict), PCS_OK);
    return verdict.residual.relative;
}

static void assert_solved(fixture *f, int32_t which, const pcs_friction_solver *solver,
                          const pcs_solve_opts *opts, const double *option)
{
    pcs_status status = run(f, which, solver, opts, option);
    if (status != PCS_OK)
        print_error("%s, problem %d: %s\n", solver->name, (int)which, f->info.reason);
    assert_int_equal(status, PCS_OK);
    assert_at_most(verified_residual(f, which), VERIFIED * opts->tolerance / TOLERANCE);
}

static void clear_start(fixture *f)
{
    memset(f->r, 0, sizeof f->r);
}

// From zero with the defaults.
static void solves_from_zero(void **state)
{
    fixture *f = *state;
    const pcs_solve_opts opts = solve_opts();
    for (int32_t s = 0; s < ROW_COUNT; s++)
        for (int32_t p = 0; p < PROBLEMS; p++) {
            clear_start(f);
            assert_solved(f, p, rows[s], &opts, NULL);
        }
}

// Each choice of each option, the others at their defaults.
static void solves_with_every_choice(void **state)
{
    fixture *f = *state;
    const pcs_solve_opts opts = solve_opts();
    for (int32_t s = 0; s < ROW_COUNT; s++)
        for (int32_t k = 0; k < rows[s]->n_options; k++) {
            double option[OPTIONS_MAX];
            const pcs_option *table = rows[s]->options;
            for (int32_t j = 0; j < rows[s]->n_options; j++)
                option[j] = table[j].fallback;
            for (int32_t c = 0; table[k].choices != NULL && table[k].choices[c] != NULL; c++) {
                option[k] = c;
                for (int32_t p = 0; p < 3; p++) { // the regular problems
                    clear_start(f);
                    assert_solved(f, p, rows[s], &opts, option);
                }
            }
        }
}

// ADMM alone claims tight tolerances on singular problems.
static void admm_is_accurate(void **state)
{
    fixture *f = *state;
    pcs_solve_opts opts = solve_opts();
    opts.tolerance = 1e-11;
    for (int32_t p = 0; p < PROBLEMS; p++) {
        clear_start(f);
        assert_solved(f, p, &pcs_solver_admm, &opts, NULL);
    }
}

// The known solution is recognised; one that is off by 1e-3 is mended sooner than zero.
static void warm_starts_help(void **state)
{
    fixture *f = *state;
    const pcs_solve_opts opts = solve_opts();
    for (int32_t s = 0; s < ROW_COUNT; s++) {
        int64_t cold = 0, warm = 0;
        for (int32_t p = 0; p < PROBLEMS; p++) {
            const int32_t n = pcs_problem_rows(f->known[p].problem);
            pcs_random random;
            clear_start(f);
            assert_solved(f, p, rows[s], &opts, NULL);
            cold += f->info.iterations;

            memcpy(f->r, f->known[p].r, (size_t)n * sizeof *f->r);
            assert_solved(f, p, rows[s], &opts, NULL);
            assert_int_equal(f->info.iterations, 0);

            pcs_random_init(&random, 3041);
            for (int32_t k = 0; k < n; k++)
                f->r[k] = f->known[p].r[k] * (1.0 + pcs_random_between(&random, -1e-3, 1e-3));
            assert_solved(f, p, rows[s], &opts, NULL);
            warm += f->info.iterations;
        }
        assert_true(warm < cold);
    }
}

// A contact without mobility that is driven into the other body: u_N = q_N < 0 whatever r is. The
// relative measure would be fooled by a growing r, the unscaled one is not.
static void unsolvable_problems_end(void **state)
{
    fixture *f = *state;
    const double zeros[9] = {0.0}, q[3] = {-2.385, 0.41, 0.0}, mu = 0.3;
    const int32_t index[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, column[9] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const pcs_triplets W = {3, 3, 9, index, column, zeros};
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_local(f->memory.ctx, 3, 1, 0, &W, q, &mu, &problem),
                     PCS_OK);
    const pcs_friction_contact view = pcs_problem_local_view(problem);
    pcs_solve_opts opts = solve_opts();
    opts.measure = PCS_MEASURE_UNSCALED;
    opts.max_iterations = 300;
    for (int32_t s = 0; s < ROW_COUNT; s++) {
        clear_start(f);
        const pcs_residual before = pcs_friction_contact_measure(&view, f->r, NULL);
        assert_int_equal(
            pcs_friction_solve(&view, rows[s], &opts, NULL, &f->memory.arena, f->r, f->u, &f->info),
            PCS_NOT_CONVERGED);
        assert_true(f->info.iterations <= 300);
        assert_true(f->info.reason[0] != '\0');
        const pcs_residual after = pcs_friction_contact_measure(&view, f->r, NULL);
        assert_true(after.unscaled <= before.unscaled);
        assert_true(after.unscaled == f->info.residual.unscaled);
    }
    pcs_problem_destroy(problem);
}

// Numbers whose squares overflow: no NaN comes back.
static void huge_data_end(void **state)
{
    fixture *f = *state;
    const int32_t index[3] = {0, 1, 2};
    const double W_ii[3] = {2e300, 1e300, 1.5e300}, q[3] = {-1e200, 3e199, 0.0}, mu = 0.4;
    const pcs_triplets W = {3, 3, 3, index, index, W_ii};
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_local(f->memory.ctx, 3, 1, 0, &W, q, &mu, &problem),
                     PCS_OK);
    const pcs_friction_contact view = pcs_problem_local_view(problem);
    pcs_solve_opts opts = solve_opts();
    opts.max_iterations = 50;
    for (int32_t s = 0; s < ROW_COUNT; s++) {
        clear_start(f);
        assert_true(pcs_friction_solve(&view, rows[s], &opts, NULL, &f->memory.arena, f->r, f->u,
                                       &f->info) != PCS_INTERRUPTED);
        for (int32_t k = 0; k < 3; k++)
            assert_true(isfinite(f->r[k]));
    }
    pcs_problem_destroy(problem);
}

static int stop_at(void *user)
{
    int32_t *left = user;
    return --*left <= 0;
}

static void limits_are_obeyed(void **state)
{
    fixture *f = *state;
    const pcs_friction_contact view = pcs_problem_local_view(f->known[5].problem);
    for (int32_t s = 0; s < ROW_COUNT; s++) {
        int32_t left = 4;
        clear_start(f);
        const double before = pcs_friction_contact_measure(&view, f->r, NULL).relative;
        pcs_solve_opts opts = solve_opts();
        opts.tolerance = 0.0;
        opts.stop = stop_at;
        opts.stop_user = &left;
        assert_int_equal(run(f, 5, rows[s], &opts, NULL), PCS_INTERRUPTED);
        assert_true(f->info.iterations <= 4);
        assert_true(verified_residual(f, 5) <= before * (1.0 + 1e-12));

        opts = solve_opts();
        opts.tolerance = 0.0;
        opts.max_time = 1e-9;
        clear_start(f);
        assert_int_equal(run(f, 5, rows[s], &opts, NULL), PCS_INTERRUPTED);

        opts = solve_opts();
        opts.tolerance = 0.0;
        opts.max_iterations = 7;
        clear_start(f);
        assert_int_equal(run(f, 5, rows[s], &opts, NULL), PCS_NOT_CONVERGED);
        assert_int_equal(f->info.iterations, 7);
        assert_int_equal(f->info.n_stages, 1);
    }
}

// The same bits again, whatever the memory held before.
static void solves_are_deterministic(void **state)
{
    fixture *f = *state;
    pcs_solve_opts opts = solve_opts();
    opts.tolerance = 0.0;
    opts.max_iterations = 150;
    for (int32_t s = 0; s < ROW_COUNT; s++) {
        double first[ROWS_MAX];
        clear_start(f);
        assert_int_equal(run(f, 5, rows[s], &opts, NULL), PCS_NOT_CONVERGED);
        memcpy(first, f->r, sizeof first);

        const pcs_arena_mark mark = pcs_arena_get_mark(&f->memory.arena);
        double *dirt = PCS_ARENA_ARRAY(&f->memory.arena, double, 20000);
        assert_non_null(dirt);
        for (int32_t k = 0; k < 20000; k++)
            dirt[k] = NAN;
        pcs_arena_release(&f->memory.arena, mark);
        clear_start(f);
        assert_int_equal(run(f, 5, rows[s], &opts, NULL), PCS_NOT_CONVERGED);
        assert_memory_equal(first, f->r, sizeof first);
    }
}

static void bad_options_are_refused(void **state)
{
    fixture *f = *state;
    const pcs_solve_opts opts = solve_opts();
    for (int32_t s = 0; s < ROW_COUNT; s++)
        for (int32_t k = 0; k < rows[s]->n_options; k++)
            for (int side = 0; side < 3; side++) {
                double option[OPTIONS_MAX];
                for (int32_t j = 0; j < rows[s]->n_options; j++)
                    option[j] = rows[s]->options[j].fallback;
                option[k] = side == 0   ? rows[s]->options[k].lowest - 1.0
                            : side == 1 ? rows[s]->options[k].highest * 2.0 + 1.0
                                        : NAN;
                f->r[0] = 0.125;
                assert_int_equal(run(f, 0, rows[s], &opts, option), PCS_ERROR_ARGUMENT);
                assert_true(f->r[0] == 0.125);
            }
}

// Memory that runs out is reported, r is left alone, and nothing leaks.
static void memory_may_run_out(void **state)
{
    fixture *f = *state;
    const pcs_friction_contact view = pcs_problem_local_view(f->known[1].problem);
    const pcs_solve_opts opts = solve_opts();
    for (int32_t s = 0; s < ROW_COUNT; s++) {
        const uint64_t held = pcs_context_heap_bytes(f->memory.ctx);
        pcs_status status = PCS_ERROR_MEMORY;
        for (uint64_t n = 1; status != PCS_OK; n++) {
            pcs_arena arena;
            assert_true(n < 100);
            clear_start(f);
            f->r[0] = 0.125;
            pcs_arena_init(&arena, f->memory.ctx);
            pcs_context_fail_heap_call(f->memory.ctx, n);
            status = pcs_friction_solve(&view, rows[s], &opts, NULL, &arena, f->r, f->u, &f->info);
            pcs_context_fail_heap_call(f->memory.ctx, 0);
            assert_true(status == PCS_OK || (status == PCS_ERROR_MEMORY && f->r[0] == 0.125));
            pcs_arena_free(&arena);
            assert_true(pcs_context_heap_bytes(f->memory.ctx) == held);
        }
    }
}

// An affine map of n unknowns is solved by n + 1 combined steps, whatever its eigenvalues.
static void anderson_is_exact_for_affine_maps(void **state)
{
    fixture *f = *state;
    enum { N = 6 };
    const double eigenvalue[N] = {0.999, 0.87, -0.6, 0.31, 0.05, -0.94};
    const double fixed[N] = {1.3, -0.7, 2.385, 0.02, -11.0, 4.1};
    const double scale[N] = {1.0, 3.0, 0.2, 7.0, 1.0, 0.5};
    double v[N] = {0.0}, g[N];
    pcs_anderson anderson;
    const pcs_arena_mark mark = pcs_arena_get_mark(&f->memory.arena);
    assert_int_equal(pcs_anderson_init(&anderson, &f->memory.arena, N, N, scale), PCS_OK);
    for (int32_t k = 0; k < N + 2; k++) {
        for (int32_t i = 0; i < N; i++)
            g[i] = (eigenvalue[i] - 1.0) * (v[i] - fixed[i]);
        pcs_anderson_step(&anderson, v, g);
    }
    // rounding of g, magnified by the smallest |1 - eigenvalue| and the condition of R
    for (int32_t i = 0; i < N; i++)
        assert_near(v[i], fixed[i], 1e4 * DBL_EPSILON * 11.0 / 1e-3);
    pcs_arena_release(&f->memory.arena, mark);
}

// A drift by the same g until a wall at v_0 = 300: plain steps need 300 of them.
static void gliding_crosses_a_plateau(void **state)
{
    fixture *f = *state;
    const double scale[2] = {1.0, 1.0};
    double v[2] = {0.0, 5.0}, g[2];
    int32_t steps = 0;
    pcs_acceleration acceleration;
    const pcs_arena_mark mark = pcs_arena_get_mark(&f->memory.arena);
    assert_int_equal(pcs_acceleration_init(&acceleration, &f->memory.arena,
                                           PCS_ACCELERATION_ANDERSON, 2, 5, scale),
                     PCS_OK);
    for (; steps < 300; steps++) {
        g[0] = v[0] < 300.0 ? 1.0 : -0.5 * (v[0] - 300.0);
        g[1] = -0.5 * v[1];
        if (hypot(g[0], g[1]) <= 1e-9)
            break;
        assert_true(pcs_acceleration_step(&acceleration, v, g, hypot(g[0], g[1])));
    }
    assert_true(steps < 300);
    pcs_arena_release(&f->memory.arena, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_from_zero),
        cmocka_unit_test(solves_with_every_choice),
        cmocka_unit_test(admm_is_accurate),
        cmocka_unit_test(warm_starts_help),
        cmocka_unit_test(unsolvable_problems_end),
        cmocka_unit_test(huge_data_end),
        cmocka_unit_test(limits_are_obeyed),
        cmocka_unit_test(solves_are_deterministic),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(anderson_is_exact_for_affine_maps),
        cmocka_unit_test(gliding_crosses_a_plateau),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

// The residual of the MLCP against values worked out by hand, problems without a solution, wrong
// input, limits and a failing allocator.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nonsmooth/mlcp.h"
#include "support/fixture.h"
#include "support/near.h"

typedef struct fixture {
    pcs_test_memory memory;
} fixture;

static int set_up(void **state)
{
    return pcs_test_fixture_create(state, sizeof(fixture));
}

static pcs_solve_opts options(void)
{
    return (pcs_solve_opts){.tolerance = 1e-12, .measure = PCS_MEASURE_RELATIVE, .threads = 1};
}

// M = [2 1; 1 4], q = (-3, 5), z = (1, 2): w = (1, 14). F = (min(1, 1), min(2, 14)) = (1, 2).
// rho = (1/2, 1/4): F(rho)/rho = (min(2, 1), min(8, 14)) = (1, 8), over |q|_inf = 5.
static void residual_by_hand(void **state)
{
    (void)state;
    const double M[4] = {2.0, 1.0, 1.0, 4.0}, q[2] = {-3.0, 5.0}, zero[2] = {0.0, 0.0};
    const double z[2] = {1.0, 2.0};
    const uint8_t equality[2] = {1, 0};
    double w[2];
    const pcs_mlcp lcp = {2, M, q, NULL}, mlcp = {2, M, q, equality},
                   homogeneous = {2, M, zero, NULL};
    pcs_residual residual = pcs_mlcp_measure(&lcp, z, w);
    assert_true(w[0] == 1.0 && w[1] == 14.0);
    assert_near(residual.unscaled, sqrt(5.0), 2.0 * DBL_EPSILON);
    assert_near(residual.relative, sqrt(5.0 / 34.0), DBL_EPSILON);
    assert_near(residual.scaled, 8.0 / 5.0, DBL_EPSILON);
    assert_int_equal(residual.worst, 1);
    // As an equality row 0 counts its w, here too 1; at z = (-1, 0), w = (-5, 4): F = (-5, 0).
    const double other[2] = {-1.0, 0.0};
    assert_near(pcs_mlcp_measure(&mlcp, other, w).unscaled, 5.0, 4.0 * DBL_EPSILON);
    // q = 0: relative is unscaled; w = (4, 9).
    residual = pcs_mlcp_measure(&homogeneous, z, w);
    assert_near(residual.relative, sqrt(5.0), 2.0 * DBL_EPSILON);
    assert_near(residual.scaled, 8.0, 8.0 * DBL_EPSILON);
    // No overflow in the norms
    const double huge[2] = {-3e300, 5e300};
    const pcs_mlcp large = {2, M, huge, NULL};
    assert_near(pcs_mlcp_measure(&large, zero, w).relative, 3.0 / sqrt(34.0), 2.0 * DBL_EPSILON);
}

static void empty_and_homogeneous(void **state)
{
    fixture *f = *state;
    const double M[4] = {0.0, -1.0, 1.0, 0.0}, q[2] = {0.0, 0.0};
    const pcs_mlcp empty = {0, NULL, NULL, NULL}, homogeneous = {2, M, q, NULL};
    const pcs_solve_opts opts = options();
    for (int32_t i = 0; pcs_mlcp_solver_row(i); i++) {
        double z[2] = {0.3, 0.7}, w[2];
        pcs_solve_info info;
        const pcs_mlcp_solver *solver = pcs_mlcp_solver_row(i);
        assert_int_equal(solver->solve(&empty, &opts, NULL, &f->memory.arena, z, w, &info), PCS_OK);
        assert_ptr_equal(pcs_mlcp_solver_find(solver->name), solver);
        const pcs_status status = solver->solve(&homogeneous, &opts, NULL, &f->memory.arena, z, w,
                                                &info);
        assert_true(status == PCS_OK || strstr(info.reason, "no step") != NULL);
        if (status == PCS_OK)
            assert_at_most(pcs_mlcp_measure(&homogeneous, z, NULL).unscaled, 1e-12);
    }
    assert_null(pcs_mlcp_solver_find("no such solver"));
    assert_null(pcs_mlcp_solver_row(-1));
}

typedef struct unsolvable {
    const char *what;
    pcs_mlcp problem;
    double M[9], q[3];
    uint8_t equality[3];
} unsolvable;

// Infeasible ones have a Farkas vector y; the last two are feasible and only enumeration can tell.
static void unsolvable_is_recognised(void **state)
{
    fixture *f = *state;
    static unsolvable u[] = {
        {"y = (1, 1)", {.n = 2}, {1.0, -1.0, -1.0, 1.0}, {-1.0, 0.5}, {0}},
        {"negative", {.n = 1}, {-2.385}, {-0.3}, {0}},
        {"zero row", {.n = 2}, {1.0, 0.0, 0.0, 0.0}, {1.0, -1.0}, {0}},
        {"contradicting equalities", {.n = 2}, {1.0, 1.0, 1.0, 1.0}, {-1.0, -2.0}, {1, 1}},
        {"equality against bound", {.n = 2}, {0.0, 1.0, -1.0, 0.0}, {0.7, 0.2}, {1, 0}},
        // w1 = -z1 + 2 z2 - 1, w2 = -z2 + .. : the four bases by hand give no solution
        {"feasible, no solution", {.n = 2}, {0.0, 1.0, 0.0, 0.0}, {-1.0, 0.5}, {0}},
    };
    pcs_solve_opts opts = options();
    opts.count_solutions = 1;
    for (size_t i = 0; i < sizeof u / sizeof *u; i++) {
        double z[3] = {0.0, 0.0, 0.0}, w[3];
        pcs_solve_info info;
        u[i].problem = (pcs_mlcp){u[i].problem.n, u[i].M, u[i].q, u[i].equality};
        assert_int_equal(pcs_mlcp_solver_row(0)->solve(&u[i].problem, &opts, NULL, &f->memory.arena,
                                                       z, w, &info),
                         PCS_NOT_CONVERGED);
        if (strncmp(info.reason, "no solution", 11) != 0)
            fail_msg("%s: reason '%s'", u[i].what, info.reason);
        assert_int_equal(info.solutions, 0);
        assert_true(info.residual.unscaled > 0.0);
        static const char *const others[] = {"lemke",          "newton-fb", "newton-min",
                                             "interior-point", "pivot",     "enumerate"};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            memset(z, 0, sizeof z);
            assert_int_equal(pcs_mlcp_solver_find(others[k])->solve(&u[i].problem, &opts, NULL,
                                                                    &f->memory.arena, z, w, &info),
                             PCS_NOT_CONVERGED);
            assert_true(info.reason[0] != '\0');
        }
    }
    double z = 0.0, w;
    pcs_solve_info info;
    assert_int_equal(pcs_mlcp_solver_find("lemke")->solve(&u[1].problem, &opts, NULL,
                                                          &f->memory.arena, &z, &w, &info),
                     PCS_NOT_CONVERGED);
    assert_non_null(strstr(info.reason, "ray termination"));
}

static int stop_at_once(void *user)
{
    ++*(int *)user;
    return 1;
}

static void wrong_input(void **state)
{
    fixture *f = *state;
    double M[4] = {2.0, 1.0, 1.0, 2.0}, q[2] = {-5.0, -6.0}, z[2] = {0.0, 0.0}, w[2];
    const pcs_mlcp problem = {2, M, q, NULL};
    pcs_solve_info info;
    const pcs_solve_opts good = options();
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int32_t i = 0; pcs_mlcp_solver_row(i); i++) {
        const pcs_mlcp_solver *solver = pcs_mlcp_solver_row(i);
        for (int k = 0; k < 3; k++) {
            double *const place[3] = {&M[1], &q[1], &z[1]};
            for (int p = 0; p < 3; p++) {
                const double keep = *place[p];
                *place[p] = bad[k];
                assert_int_equal(
                    solver->solve(&problem, &good, NULL, &f->memory.arena, z, w, &info),
                    PCS_ERROR_NUMERIC);
                *place[p] = keep;
                assert_true(z[0] == 0.0 && z[1] == 0.0);
            }
        }
        pcs_solve_opts opts[6];
        for (int k = 0; k < 6; k++)
            opts[k] = good;
        opts[0].tolerance = -1e-9;
        opts[1].tolerance = NAN;
        opts[2].max_iterations = -1;
        opts[3].max_time = NAN;
        opts[4].threads = 0;
        opts[5].measure = (pcs_measure)7;
        for (int k = 0; k < 6; k++)
            assert_int_equal(solver->solve(&problem, &opts[k], NULL, &f->memory.arena, z, w, &info),
                             PCS_ERROR_ARGUMENT);
        for (int32_t k = 0; k < solver->n_options; k++) {
            double option[4] = {0};
            for (int32_t l = 0; l < solver->n_options; l++)
                option[l] = solver->options[l].fallback;
            option[k] = NAN;
            assert_int_equal(solver->solve(&problem, &good, option, &f->memory.arena, z, w, &info),
                             PCS_ERROR_ARGUMENT);
            option[k] = solver->options[k].highest + 1.0;
            assert_int_equal(solver->solve(&problem, &good, option, &f->memory.arena, z, w, &info),
                             PCS_ERROR_ARGUMENT);
            assert_non_null(strstr(pcs_context_error(f->memory.ctx), solver->options[k].key));
        }
        int calls = 0;
        pcs_solve_opts stopping = good;
        stopping.stop = stop_at_once;
        stopping.stop_user = &calls;
        const pcs_status status = solver->solve(&problem, &stopping, NULL, &f->memory.arena, z, w,
                                                &info);
        assert_true(status == PCS_OK || status == PCS_INTERRUPTED);
        memset(z, 0, sizeof z);
    }
    const pcs_mlcp negative = {-1, M, q, NULL};
    assert_int_equal(
        pcs_mlcp_solver_row(0)->solve(&negative, &good, NULL, &f->memory.arena, z, w, &info),
        PCS_ERROR_ARGUMENT);
}

// Every request for memory fails once: an error, z as it was, nothing leaked.
static void failing_allocator(void **state)
{
    (void)state;
    // Without a solution, so that `auto` goes through all its stages.
    const double M[9] = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.4, 0.3, 1.0}, q[3] = {-1.0, 0.5, -0.2};
    const uint8_t equality[3] = {0, 0, 1};
    const pcs_mlcp problem = {3, M, q, equality};
    pcs_solve_opts opts = options();
    opts.count_solutions = 1;
    for (int32_t i = 0; pcs_mlcp_solver_row(i); i++) {
        bool failed = true;
        for (uint64_t n = 1; failed; n++) {
            pcs_context *ctx = pcs_context_create(NULL);
            pcs_arena arena;
            pcs_arena_init(&arena, ctx);
            double z[3] = {0.1, 0.2, 0.3}, w[3];
            pcs_solve_info info;
            pcs_context_fail_heap_call(ctx, n);
            const pcs_status status = pcs_mlcp_solver_row(i)->solve(&problem, &opts, NULL, &arena,
                                                                    z, w, &info);
            failed = status == PCS_ERROR_MEMORY;
            if (failed)
                assert_true(z[0] == 0.1 && z[1] == 0.2 && z[2] == 0.3);
            else
                assert_true(status >= 0);
            pcs_context_fail_heap_call(ctx, 0);
            pcs_arena_free(&arena);
            assert_int_equal(pcs_context_heap_bytes(ctx), 0);
            pcs_context_destroy(ctx);
        }
    }
}

// After the first solve the arena is large enough: no heap call in the second.
static void no_allocation_when_warm(void **state)
{
    fixture *f = *state;
    const double M[4] = {2.0, 1.0, 1.0, 2.0}, q[2] = {-5.0, -6.0};
    const pcs_mlcp problem = {2, M, q, NULL};
    const pcs_solve_opts opts = options();
    for (int32_t i = 0; pcs_mlcp_solver_row(i); i++) {
        uint64_t calls = 0;
        for (int round = 0; round < 2; round++) {
            double z[2] = {0.0, 0.0}, w[2];
            pcs_solve_info info;
            assert_int_equal(pcs_arena_reset(&f->memory.arena), PCS_OK);
            calls = pcs_context_heap_calls(f->memory.ctx);
            assert_int_equal(
                pcs_mlcp_solver_row(i)->solve(&problem, &opts, NULL, &f->memory.arena, z, w, &info),
                PCS_OK);
        }
        assert_int_equal(pcs_context_heap_calls(f->memory.ctx), calls);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_by_hand),         cmocka_unit_test(empty_and_homogeneous),
        cmocka_unit_test(unsolvable_is_recognised), cmocka_unit_test(wrong_input),
        cmocka_unit_test(failing_allocator),        cmocka_unit_test(no_allocation_when_warm),
    };
    return cmocka_run_group_tests(tests, set_up, pcs_test_fixture_destroy);
}

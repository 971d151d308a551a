// Sweeps on body velocities against sweeps with W = H^T M^-1 H, which is formed by other code: the
// same steps up to rounding. And coloured sweeps of both kinds: the same bits for 1, 2 and 3
// threads.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/body_sweeps.h"
#include "support/contact_problems.h"
#include "support/fixture.h"

enum { MAX_DOFS = 80, MAX_ROWS = 120, MAX_ENTRIES = MAX_DOFS * MAX_ROWS };

typedef struct triplet_list {
    int32_t count;
    int32_t row[MAX_ENTRIES], column[MAX_ENTRIES];
    double value[MAX_ENTRIES];
} triplet_list;

typedef struct fixture {
    pcs_test_memory memory;
    triplet_list M, H;
} fixture;

static int set_up(void **state)
{
    return pcs_test_fixture_create(state, sizeof(fixture));
}

static void add(triplet_list *list, int32_t row, int32_t column, double value)
{
    assert_true(list->count < MAX_ENTRIES);
    list->row[list->count] = row;
    list->column[list->count] = column;
    list->value[list->count++] = value;
}

static pcs_triplets view(const triplet_list *list, int32_t rows, int32_t columns)
{
    return (pcs_triplets){rows, columns, list->count, list->row, list->column, list->value};
}

typedef struct bodies_def {
    int32_t dimension, contacts, bilateral_rows, bodies;
    // degrees of freedom of each body; 0: 3 to 6, and 1 and 2 for the last two bodies, which have
    // bilateral rows only: a spatial contact would have a singular block there
    int32_t size;
    double skew; // of the mass matrices
} bodies_def;

// M of a body is I + small + skew, well conditioned so that rounding stays near eps.
static int32_t add_bodies(fixture *f, const bodies_def *def, pcs_random *random, int32_t *start)
{
    int32_t dofs = 0;
    for (int32_t b = 0; b < def->bodies; b++) {
        const int32_t last = def->bodies - 1 - b;
        const int32_t size = def->size > 0 ? def->size : last < 2 ? 1 + last : 3 + b % 4;
        start[b] = dofs;
        for (int32_t i = 0; i < size; i++)
            for (int32_t j = 0; j <= i; j++) {
                const double even = pcs_random_between(random, -0.1, 0.1);
                const double odd = def->skew * pcs_random_between(random, -0.1, 0.1);
                add(&f->M, dofs + i, dofs + j, i == j ? 1.0 + 0.5 * (b % 3) : even + odd);
                if (i != j)
                    add(&f->M, dofs + j, dofs + i, even - odd);
            }
        dofs += size;
    }
    start[def->bodies] = dofs;
    return dofs;
}

static pcs_problem *make_problem(fixture *f, const bodies_def *def, uint64_t seed)
{
    pcs_random random;
    int32_t start[MAX_DOFS + 1];
    double force[MAX_DOFS], w[MAX_ROWS], mu[MAX_ROWS];
    const int32_t contact_rows = def->dimension * def->contacts;
    const int32_t rows = contact_rows + def->bilateral_rows;
    pcs_problem *problem = NULL;
    pcs_random_init(&random, seed);
    f->M.count = f->H.count = 0;
    const int32_t dofs = add_bodies(f, def, &random, start);
    for (int32_t k = 0; k < rows; k++) {
        const int32_t block = k < contact_rows ? k / def->dimension : k;
        const int32_t bodies = def->bodies - (def->size == 0 && k < contact_rows ? 2 : 0);
        const int32_t body[2] = {block % bodies, (3 * block + 1) % bodies};
        const int32_t sides = body[0] == body[1] || block % 4 == 0 ? 1 : 2;
        for (int32_t s = 0; s < sides; s++)
            for (int32_t i = start[body[s]]; i < start[body[s] + 1]; i++)
                add(&f->H, i, k, pcs_random_between(&random, -1.0, 1.0));
        w[k] = pcs_random_between(&random, -1.0, 0.5);
    }
    for (int32_t i = 0; i < dofs; i++)
        force[i] = pcs_random_between(&random, -1.0, 1.0);
    for (int32_t i = 0; i < def->contacts; i++)
        mu[i] = pcs_random_between(&random, 0.0, 1.5);
    const pcs_triplets M = view(&f->M, dofs, dofs), H = view(&f->H, dofs, rows);
    assert_int_equal(pcs_problem_create_global(f->memory.ctx, def->dimension, def->contacts,
                                               def->bilateral_rows, &M, &H, force, w, mu, &problem),
                     PCS_OK);
    return problem;
}

static pcs_solve_opts sweeps_only(int32_t count, int32_t threads)
{
    return (pcs_solve_opts){
        .measure = PCS_MEASURE_RELATIVE, .max_iterations = count, .threads = threads};
}

// The same number of sweeps with W, from r = 0.
static pcs_solve_info sweep_with_W(fixture *f, const pcs_problem *local, double relaxation,
                                   int32_t memory, const pcs_solve_opts *opts, double *r, double *u)
{
    const pcs_friction_contact problem = pcs_problem_local_view(local);
    const double option[3] = {relaxation, PCS_ORDER_AUTO, memory};
    pcs_solve_info info = {0};
    memset(r, 0, sizeof *r * (size_t)pcs_problem_rows(local));
    pcs_arena_mark mark = pcs_arena_get_mark(&f->memory.arena);
    assert_true(
        pcs_solver_gauss_seidel.solve(&problem, opts, option, &f->memory.arena, r, u, &info) >= 0);
    pcs_arena_release(&f->memory.arena, mark);
    return info;
}

static void assert_same_steps(fixture *f, const bodies_def *def, uint64_t seed, double relaxation)
{
    pcs_problem *global = make_problem(f, def, seed), *local = NULL;
    const pcs_solve_opts opts = sweeps_only(7, 1);
    double r[MAX_ROWS] = {0}, u[MAX_ROWS], r_W[MAX_ROWS], u_W[MAX_ROWS];
    pcs_body_system system;
    pcs_solve_info info;
    bool fits = false;
    assert_int_equal(pcs_problem_reduce(global, &local), PCS_OK);
    sweep_with_W(f, local, relaxation, 0, &opts, r_W, u_W);
    assert_int_equal(pcs_body_system_init(&system, global, &f->memory.arena, &fits), PCS_OK);
    assert_true(fits);
    assert_true(pcs_body_sweeps_solve(&system, &opts, relaxation, &f->memory.arena, r, u, &info) >=
                0);
    double largest = 1.0;
    for (int32_t k = 0; k < system.rows; k++)
        largest = fmax(largest, fabs(r_W[k]));
    // Some 100 roundings in each of 7 sweeps; a slip direction may turn by eps times the condition
    // of its block, which is below 1e4 here.
    const double bound = 700.0 * 1e4 * DBL_EPSILON * largest;
    for (int32_t k = 0; k < system.rows; k++) {
        assert_true(fabs(r[k] - r_W[k]) <= bound);
        assert_true(fabs(u[k] - u_W[k]) <= 10.0 * bound);
    }
    pcs_friction_contact problem = pcs_problem_local_view(local);
    problem.is_reduced = true;
    const pcs_residual residual = pcs_friction_contact_measure(&problem, r, u_W);
    assert_true(fabs(residual.scaled - info.residual.scaled) <= 1e-9);
    assert_true(fabs(residual.relative - info.residual.relative) <= 1e-9);
    assert_int_equal(residual.worst, info.residual.worst);
    pcs_problem_destroy(local);
    pcs_problem_destroy(global);
    assert_int_equal(pcs_arena_reset(&f->memory.arena), PCS_OK);
}

static void same_steps_as_with_W(void **state)
{
    fixture *f = *state;
    static const bodies_def defs[] = {
        {3, 12, 0, 6, 6, 0.0},   {3, 12, 9, 6, 6, 0.0}, {2, 20, 4, 8, 3, 0.0},
        {3, 15, 14, 12, 0, 0.0}, {3, 12, 6, 6, 6, 1.0}, {3, 4, 3, 1, 6, 0.5},
    };
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (size_t k = 0; k < sizeof defs / sizeof *defs; k++)
            assert_same_steps(f, &defs[k], seed, seed % 2 == 0 ? 1.0 : 0.8);
}

// Spheres have a diagonal mass: their bodies are found from the runs of six.
static void pile_converges(void **state)
{
    fixture *f = *state;
    pcs_problem *pile = NULL, *local = NULL;
    assert_int_equal(pcs_test_pile_create(f->memory.ctx, 4, 0.0, 1, &pile), PCS_OK);
    assert_int_equal(pcs_problem_reduce(pile, &local), PCS_OK);
    const int32_t rows = pcs_problem_rows(pile);
    double *r = calloc((size_t)rows, sizeof *r), *u = calloc((size_t)rows, sizeof *u);
    pcs_body_system system;
    pcs_solve_info info;
    bool fits = false;
    assert_int_equal(pcs_body_system_init(&system, pile, &f->memory.arena, &fits), PCS_OK);
    assert_true(fits);
    assert_int_equal(system.bodies, 64);
    pcs_solve_opts opts = sweeps_only(0, 1);
    opts.tolerance = 1e-10;
    assert_int_equal(pcs_body_sweeps_solve(&system, &opts, 1.0, &f->memory.arena, r, u, &info),
                     PCS_OK);
    const pcs_friction_contact problem = pcs_problem_local_view(local);
    assert_true(pcs_friction_contact_measure(&problem, r, NULL).relative <= 1.01e-10);
    const double solved = r[0];
    assert_int_equal(pcs_body_sweeps_solve(&system, &opts, 1.0, &f->memory.arena, r, u, &info),
                     PCS_OK);
    assert_int_equal(info.iterations, 0); // a warm start that is good enough
    assert_true(r[0] == solved);
    free(r);
    free(u);
    pcs_problem_destroy(local);
    pcs_problem_destroy(pile);
}

// 12^3 spheres: enough contacts for the coloured order.
static void threads_do_not_change_bits(void **state)
{
    fixture *f = *state;
    pcs_problem *pile = NULL, *local = NULL;
    assert_int_equal(pcs_test_pile_create(f->memory.ctx, 12, 0.3, 4, &pile), PCS_OK);
    assert_true(pcs_problem_contacts(pile) >= PCS_SWEEP_BLOCKS_FROM);
    assert_int_equal(pcs_problem_reduce(pile, &local), PCS_OK);
    const size_t rows = (size_t)pcs_problem_rows(pile);
    double *r = calloc(9 * rows, sizeof *r), *u = calloc(rows, sizeof *u);
    pcs_body_system system;
    bool fits = false;
    assert_int_equal(pcs_body_system_init(&system, pile, &f->memory.arena, &fits), PCS_OK);
    assert_true(fits);
    for (int32_t threads = 1; threads <= 3; threads++) {
        const pcs_solve_opts opts = sweeps_only(20, threads);
        double *bodies = r + (size_t)(threads - 1) * rows, *with_W = bodies + 3 * rows;
        pcs_solve_info info;
        assert_true(
            pcs_body_sweeps_solve(&system, &opts, 1.0, &f->memory.arena, bodies, u, &info) >= 0);
        sweep_with_W(f, local, 1.0, 0, &opts, with_W, u);
        sweep_with_W(f, local, 1.0, 5, &opts, with_W + 3 * rows, u); // mixed
        assert_memory_equal(bodies, r, rows * sizeof *r);
        assert_memory_equal(with_W + 3 * rows, r + 6 * rows, rows * sizeof *r);
        assert_memory_equal(with_W, r + 3 * rows, rows * sizeof *r);
    }
    free(r);
    free(u);
    pcs_problem_destroy(local);
    pcs_problem_destroy(pile);
}

// A problem of moderate size through the public door, with other threads each time: the bits are
// those of one thread, and threads that are asked for again are kept.
static void problem_keeps_its_threads(void **state)
{
    static const int32_t threads[] = {1, 2, 3, 2, 2, 1};
    fixture *f = *state;
    pcs_problem *pile = NULL, *local = NULL;
    assert_int_equal(pcs_test_pile_create(f->memory.ctx, 7, 0.15, 11, &pile), PCS_OK);
    assert_in_range(pcs_problem_contacts(pile), PCS_SWEEP_COLOURED_FROM, PCS_SWEEP_BLOCKS_FROM);
    assert_int_equal(pcs_problem_reduce(pile, &local), PCS_OK);
    const size_t rows = (size_t)pcs_problem_rows(pile);
    double *r = calloc(2 * rows, sizeof *r), *u = calloc(2 * rows, sizeof *u);
    uint64_t bytes = 0;
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info;
        const size_t at = k == 0 ? 0 : rows;
        opts.tolerance = 1e-4;
        opts.threads = threads[k];
        memset(r + at, 0, rows * sizeof *r);
        assert_int_equal(pcs_problem_solve(local, "auto", &opts, NULL, r + at, u + at, &info),
                         PCS_OK);
        assert_memory_equal(r + at, r, rows * sizeof *r);
        assert_memory_equal(u + at, u, rows * sizeof *u);
        if (k == 4) // the same as the time before
            assert_true(pcs_context_heap_bytes(f->memory.ctx) == bytes);
        bytes = pcs_context_heap_bytes(f->memory.ctx);
    }
    free(r);
    free(u);
    pcs_problem_destroy(local);
    pcs_problem_destroy(pile);
}

// The load of a pile arrives slowly with plain sweeps, some n^2 of them, and fast with mixing; the
// solution is judged by the data. Irregular piles gain too.
static void mixing_carries_the_load(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < 2; k++) {
        pcs_problem *pile = NULL, *local = NULL;
        assert_int_equal(pcs_test_pile_create(f->memory.ctx, 8, k == 0 ? 0.0 : 0.2, 1, &pile),
                         PCS_OK);
        assert_int_equal(pcs_problem_reduce(pile, &local), PCS_OK);
        const size_t rows = (size_t)pcs_problem_rows(pile);
        double *r = calloc(rows, sizeof *r), *u = calloc(rows, sizeof *u);
        pcs_solve_opts opts = sweeps_only(0, 1);
        opts.tolerance = 1e-4;
        const pcs_solve_info plain = sweep_with_W(f, local, 1.0, 0, &opts, r, u);
        const pcs_solve_info mixed = sweep_with_W(f, local, 1.0, 5, &opts, r, u);
        const pcs_friction_contact problem = pcs_problem_local_view(local);
        assert_true(pcs_friction_contact_measure(&problem, r, NULL).relative <= 1e-4);
        assert_true(mixed.iterations * (k == 0 ? 5 : 2) <= plain.iterations);
        free(r);
        free(u);
        pcs_problem_destroy(local);
        pcs_problem_destroy(pile);
    }
}

static void other_problems_do_not_fit(void **state)
{
    fixture *f = *state;
    const bodies_def def = {3, 6, 0, 3, 6, 0.0};
    pcs_body_system system;
    bool fits = true;
    for (int k = 0; k < 3; k++) {
        pcs_problem *problem = make_problem(f, &def, 2);
        double force[18] = {0.0}, w[18] = {0.0}, mu[6] = {0.0};
        if (k == 0)
            add(&f->M, 5, 6, 0.01); // a body of 12 degrees of freedom
        else if (k == 1)
            for (int32_t i = 0; i < 18; i++)
                add(&f->H, i, 4, 0.3); // a contact of three bodies
        else
            add(&f->M, 7, 7, -3.0); // no mass at all
        const pcs_triplets M = view(&f->M, 18, 18), H = view(&f->H, 18, 18);
        pcs_problem_destroy(problem);
        assert_int_equal(
            pcs_problem_create_global(f->memory.ctx, 3, 6, 0, &M, &H, force, w, mu, &problem),
            PCS_OK);
        const pcs_status status = pcs_body_system_init(&system, problem, &f->memory.arena, &fits);
        assert_int_equal(status, k < 2 ? PCS_OK : PCS_ERROR_SINGULAR);
        assert_true(k == 2 || !fits);
        pcs_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_steps_as_with_W),       cmocka_unit_test(pile_converges),
        cmocka_unit_test(threads_do_not_change_bits), cmocka_unit_test(mixing_carries_the_load),
        cmocka_unit_test(other_problems_do_not_fit),  cmocka_unit_test(problem_keeps_its_threads),
    };
    return cmocka_run_group_tests(tests, set_up, pcs_test_fixture_destroy);
}

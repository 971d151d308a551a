// The contact problems of bodies at rest, step after step: the velocities that a solve leaves are
// there when the next step begins, u_{k+1} = W r + u_k + q with q of one step of gravity, and r is
// the start of the next solve. A looser tolerance must not cost more than a tighter one: what is
// left in one step is mended in another. Work is counted, not timed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/auto.h"
#include "nonsmooth/friction_solver.h"

enum { STEPS = 600, BODIES_MAX = 64, CONTACTS_MAX = 256, FREEDOMS = 6 };
// Sweeps that a factorisation with its analysis counts for: measured with 40 to 120 contacts.
enum { SWEEPS_PER_FACTORISATION = 10 };
// What a looser tolerance may cost over a tighter one.
static const double MORE = 1.2;
static const double tolerances[] = {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

typedef struct body {
    double at[3], mobility[FREEDOMS]; // 1/m, 1/I
} body;

typedef struct contact {
    int32_t a, b; // bodies, a below b; -1: the ground
    double at[3];
} contact;

// Bodies upon each other. Planar ones stand in x and z and turn about y.
typedef struct pile {
    int32_t size; // rows of a contact: 2 planar, 3 spatial
    int32_t n_bodies, n_contacts;
    body bodies[BODIES_MAX];
    contact contacts[CONTACTS_MAX];
    double fall[3]; // velocity that one step of gravity gives
    double *W_value, *q;
    pcs_block_matrix W;
    double mu[CONTACTS_MAX];
} pile;

// ---- Piles ----

static void add_body(pile *p, double x, double z, double mass, double edge)
{
    const double turn = 6.0 / (mass * edge * edge);
    body *b = &p->bodies[p->n_bodies++];
    assert_true(p->n_bodies <= BODIES_MAX);
    *b = (body){{x, 0.0, z}, {1.0 / mass, 1.0 / mass, 1.0 / mass, turn, turn, turn}};
    if (p->size == 2)
        b->mobility[1] = b->mobility[3] = b->mobility[5] = 0.0;
}

// Contacts of a below b at x, on both edges of a spatial body.
static void add_contacts(pile *p, int32_t a, int32_t b, double x, double z, double depth, double mu)
{
    for (int k = 0; k < p->size - 1; k++) {
        const double y = p->size == 3 ? depth * (k - 0.5) : 0.0;
        assert_true(p->n_contacts < CONTACTS_MAX);
        p->mu[p->n_contacts] = mu;
        p->contacts[p->n_contacts++] = (contact){a, b, {x, y, z}};
    }
}

// n boxes with edge 0.2 and masses between `lightest` and 8 kg.
static void make_stack(pile *p, int32_t size, int32_t n, double lightest, uint64_t seed)
{
    pcs_random random;
    pcs_random_init(&random, seed);
    *p = (pile){.size = size, .fall = {0.0, 0.0, -9.81e-3}};
    for (int32_t k = 0; k < n; k++) {
        add_body(p, 0.0, 0.2 * (k + 0.5), pcs_random_between(&random, lightest, 8.0), 0.2);
        for (int side = -1; side <= 1; side += 2)
            add_contacts(p, k - 1, k, 0.1 * side, 0.2 * k, 0.2, 0.6);
    }
}

// A wall in bond with ends like stairs, `per` bricks in the lowest row: each brick stands on the
// halves of two, whose corners touch it in its middle.
static void make_wall(pile *p, int32_t size, int32_t rows, int32_t per)
{
    int32_t below = -1; // first brick of the row below
    *p = (pile){.size = size, .fall = {0.0, 0.0, -9.81e-3}};
    for (int32_t row = 0; row < rows; row++) {
        const int32_t first = p->n_bodies;
        for (int32_t k = 0; k < per - row; k++) {
            const int32_t b = p->n_bodies;
            const double x = 0.2 * k + 0.1 * row, z = 0.065 * row;
            add_body(p, x, z + 0.0325, 2.34, 0.15);
            for (int side = 0; side < 2; side++) {
                const int32_t under = row == 0 ? -1 : below + k + side;
                add_contacts(p, under, b, x + 0.2 * (side - 0.5), z, 0.1, 0.6);
                if (row > 0)
                    add_contacts(p, under, b, x, z, 0.1, 0.6);
            }
        }
        below = first;
    }
}

// ---- W ----

// Velocity of component `row` of a contact that a body's freedom f gives: n = z, t = x, y.
static double entry(const pile *p, const contact *c, int32_t who, int32_t row, int32_t f)
{
    static const int axis[3] = {2, 0, 1};
    if (who < 0 || (who != c->a && who != c->b))
        return 0.0;
    const int d = axis[row];
    double arm[3], value;
    for (int k = 0; k < 3; k++)
        arm[k] = c->at[k] - p->bodies[who].at[k];
    if (f < 3) {
        value = f == d;
    } else { // (arm x e_d)_f
        const int k = f - 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        value = arm[k1] * (k2 == d) - arm[k2] * (k1 == d);
    }
    return who == c->b ? value : -value;
}

static bool touch(const contact *c, const contact *d)
{
    return c->b == d->b || c->b == d->a || (c->a >= 0 && (c->a == d->a || c->a == d->b));
}

static void fill_block(const pile *p, int32_t i, int32_t j, double *B)
{
    const contact *c = &p->contacts[i], *d = &p->contacts[j];
    const int32_t body_of[2] = {c->a, c->b};
    for (int32_t a = 0; a < p->size; a++)
        for (int32_t b = 0; b < p->size; b++)
            for (int side = 0; side < 2; side++)
                for (int32_t f = 0; f < FREEDOMS && body_of[side] >= 0; f++)
                    B[a * p->size + b] += entry(p, c, body_of[side], a, f) *
                                          p->bodies[body_of[side]].mobility[f] *
                                          entry(p, d, body_of[side], b, f);
}

static void *new_array(size_t count, size_t size)
{
    void *array = calloc(count, size);
    assert_non_null(array);
    return array;
}

static void assemble(pile *p)
{
    const int32_t n = p->n_contacts, block = p->size * p->size;
    int32_t *offset = new_array((size_t)n + 1, sizeof *offset), entries = 0;
    int32_t *row_start = new_array((size_t)n + 1, sizeof *row_start);
    int32_t *column = new_array((size_t)(n * n), sizeof *column);
    int32_t *diagonal = new_array((size_t)n, sizeof *diagonal);
    int64_t *value_start = new_array((size_t)(n * n) + 1, sizeof *value_start);
    p->W_value = new_array((size_t)(n * n * block), sizeof *p->W_value);
    p->q = new_array((size_t)(n * p->size), sizeof *p->q);
    for (int32_t i = 0; i < n; i++) {
        offset[i + 1] = offset[i] + p->size;
        for (int32_t j = 0; j < n; j++) {
            if (!touch(&p->contacts[i], &p->contacts[j]))
                continue;
            fill_block(p, i, j, p->W_value + (int64_t)entries * block);
            diagonal[i] = i == j ? entries : diagonal[i];
            value_start[entries] = (int64_t)entries * block;
            column[entries++] = j;
        }
        row_start[i + 1] = entries;
        value_start[entries] = (int64_t)entries * block;
        for (int32_t a = 0; a < p->size; a++) // all bodies fall alike: the ground's contacts alone
            p->q[i * p->size + a] = p->contacts[i].a < 0 ? p->fall[a == 0 ? 2 : a - 1] : 0.0;
    }
    p->W = (pcs_block_matrix){.n = n,
                              .offset = offset,
                              .row_start = row_start,
                              .column = column,
                              .value_start = value_start,
                              .diagonal = diagonal,
                              .value = p->W_value};
}

static void forget(pile *p)
{
    free((void *)p->W.offset);
    free((void *)p->W.row_start);
    free((void *)p->W.column);
    free((void *)p->W.value_start);
    free((void *)p->W.diagonal);
    free(p->W_value);
    free(p->q);
}

// ---- Steps ----

static int64_t run_steps(const pile *p, double tolerance)
{
    static const double option[PCS_AUTO_OPTIONS] = {
        [PCS_AUTO_SWEEPS] = 200,    [PCS_AUTO_NEWTON_STEPS] = 40, [PCS_AUTO_RESTARTS] = 2,
        [PCS_AUTO_PATH_STEPS] = 50, [PCS_AUTO_POLISH] = 1,
    };
    const size_t rows = (size_t)(p->n_contacts * p->size);
    double *r = new_array(4 * rows, sizeof *r), *u = r + rows, *before = u + rows;
    double *q = before + rows, fastest = 0.0;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_arena arena;
    pcs_solve_opts opts = pcs_solve_default();
    pcs_friction_contact problem = {.W = &p->W, .q = q, .mu = p->mu, .before = before};
    int64_t work = 0;
    pcs_arena_init(&arena, ctx);
    opts.measure = PCS_MEASURE_SCALED;
    opts.tolerance = tolerance;
    for (int step = 0; step < STEPS; step++) {
        pcs_solve_info info;
        for (size_t k = 0; k < rows; k++) {
            before[k] = u[k];
            q[k] = u[k] + p->q[k];
        }
        const pcs_status status = pcs_friction_solve(&problem, &pcs_solver_auto, &opts, option,
                                                     &arena, r, u, &info);
        assert_true(status == PCS_OK || info.at_rounding);
        work += info.iterations + SWEEPS_PER_FACTORISATION * info.factorisations;
        for (size_t k = 0; k < rows; k++)
            fastest = fmax(fastest, fabs(u[k]));
    }
    // The bodies rest: the velocity of a contact that carries a load enters the residual whole, and
    // those of the others are of the same bodies.
    assert_true(fastest <= 2.0 * tolerance * fabs(p->fall[2]));
    pcs_arena_free(&arena);
    pcs_context_destroy(ctx);
    free(r);
    return work;
}

static void assert_looser_is_cheaper(pile *p)
{
    int64_t least = INT64_MAX;
    assemble(p);
    for (int k = 0; k < TOLERANCES; k++) {
        const int64_t work = run_steps(p, tolerances[k]);
        assert_true((double)work <= MORE * (double)least);
        least = work < least ? work : least;
    }
    forget(p);
}

static void stacks(void **state)
{
    static pile p;
    (void)state;
    for (int32_t size = 2; size <= 3; size++) {
        static const int32_t heights[] = {1, 3, 10, 30};
        for (int k = 0; k < 4; k++) {
            make_stack(&p, size, heights[k], 8.0, 1);
            assert_looser_is_cheaper(&p);
        }
    }
}

static void stacks_of_unequal_boxes(void **state)
{
    static pile p;
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        make_stack(&p, 2 + (int32_t)(seed % 2), 4 + 3 * (int32_t)seed, 0.5, seed);
        // gravity along the floor too, less than overturns the whole, which is n times as high as wide
        p.fall[0] = 9.81e-3 * 0.1 * (double)(seed % 4) / (double)p.n_bodies;
        assert_looser_is_cheaper(&p);
    }
}

static void walls(void **state)
{
    static pile p;
    (void)state;
    for (int32_t size = 2; size <= 3; size++)
        for (int32_t rows = 2; rows <= 6; rows += 2) {
            make_wall(&p, size, rows, 6);
            assert_looser_is_cheaper(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks),
        cmocka_unit_test(stacks_of_unequal_boxes),
        cmocka_unit_test(walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

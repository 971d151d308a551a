// Spatial contacts of free bodies with pyramids in place of cones, as complementarity problems
// [AcaryBrogliato2008, ch. 13]: with equations of motion M v = H_N a + H_T b + f kept as
// equalities,
//
//     0 <= a \perp H_N^T v >= 0,   0 <= b \perp H_T^T v + e s >= 0,   0 <= s \perp mu a - e^T b >= 0.
//
// The matrix is copositive, not monotone, and many more contacts than the bodies need make it
// degenerate; a solution always exists. The answer is judged by the verifier.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "percuss/problem.h"

// Newton's limit, and a few dozen steps of the interior point method: no path of thousands of
// pivots.
enum { STEPS_MOST = 300 };
enum { DOFS = 6, SIDES = 4, ROWS = SIDES + 2, BODIES_MAX = 16, CONTACTS_MAX = 60 };

typedef struct triplet_list {
    int32_t count, row[40000], column[40000];
    double value[40000];
} triplet_list;

static void push(triplet_list *list, int32_t row, int32_t column, double value)
{
    assert_true(list->count < (int32_t)(sizeof list->row / sizeof *list->row));
    list->row[list->count] = row;
    list->column[list->count] = column;
    list->value[list->count++] = value;
}

// The force of row k of a contact on one body: normal or +-t1, +-t2, at a lever arm.
static void push_force(triplet_list *list, int32_t body, int32_t row, double sign,
                       const double *direction, const double *arm)
{
    const double wrench[DOFS] = {direction[0],
                                 direction[1],
                                 direction[2],
                                 arm[1] * direction[2] - arm[2] * direction[1],
                                 arm[2] * direction[0] - arm[0] * direction[2],
                                 arm[0] * direction[1] - arm[1] * direction[0]};
    for (int32_t k = 0; k < DOFS; k++) {
        push(list, DOFS * body + k, row, -sign * wrench[k]);
        push(list, row, DOFS * body + k, sign * wrench[k]);
    }
}

static void draw_frame(pcs_random *random, double axis[3][3])
{
    for (int32_t a = 0; a < 2; a++) {
        double length = 0.0, along = 0.0;
        for (int32_t k = 0; k < 3; k++)
            axis[a][k] = pcs_random_between(random, -1.0, 1.0);
        for (int32_t k = 0; k < 3 && a == 1; k++)
            along += axis[0][k] * axis[1][k];
        for (int32_t k = 0; k < 3; k++) {
            axis[a][k] -= along * axis[0][k];
            length = hypot(length, axis[a][k]);
        }
        for (int32_t k = 0; k < 3; k++)
            axis[a][k] /= length;
    }
    for (int32_t k = 0; k < 3; k++)
        axis[2][k] = axis[0][(k + 1) % 3] * axis[1][(k + 2) % 3] -
                     axis[0][(k + 2) % 3] * axis[1][(k + 1) % 3];
}

// A contact between body a and body b, or the ground for b < 0
static void push_contact(triplet_list *list, pcs_random *random, int32_t a, int32_t b, int32_t row,
                         double mu)
{
    double axis[3][3], arm_a[3], arm_b[3];
    draw_frame(random, axis);
    for (int32_t k = 0; k < 3; k++) {
        arm_a[k] = -0.7 * axis[0][k] + pcs_random_between(random, -0.2, 0.2);
        arm_b[k] = 0.7 * axis[0][k] + pcs_random_between(random, -0.2, 0.2);
    }
    for (int32_t k = 0; k < 1 + SIDES; k++) {
        const double *direction = axis[k == 0 ? 0 : 1 + (k - 1) / 2];
        const double sign = k > 0 && k % 2 == 0 ? -1.0 : 1.0;
        push_force(list, a, row + k, sign, direction, arm_a);
        if (b >= 0)
            push_force(list, b, row + k, -sign, direction, arm_b);
    }
    push(list, row + ROWS - 1, row, mu);
    for (int32_t k = 1; k <= SIDES; k++) {
        push(list, row + ROWS - 1, row + k, -1.0);
        push(list, row + k, row + ROWS - 1, 1.0);
    }
}

static pcs_problem *make_problem(pcs_context *ctx, int32_t bodies, int32_t contacts, double mu,
                                 uint64_t seed)
{
    static triplet_list list;
    double q[DOFS * BODIES_MAX + ROWS * CONTACTS_MAX] = {0};
    uint8_t equality[DOFS * BODIES_MAX + ROWS * CONTACTS_MAX] = {0};
    const int32_t n = DOFS * bodies + ROWS * contacts;
    pcs_random random;
    pcs_problem *problem = NULL;
    pcs_random_init(&random, seed);
    list.count = 0;
    for (int32_t i = 0; i < DOFS * bodies; i++) {
        const double mass = i % DOFS < 3 ? 2.385 : 0.291;
        push(&list, i, i, mass);
        q[i] = -mass * pcs_random_between(&random, -1.0, 1.0);
        equality[i] = 1;
    }
    for (int32_t c = 0; c < contacts; c++) {
        const int32_t a = c % bodies, b = (int32_t)(pcs_random_next(&random) % (uint64_t)bodies);
        push_contact(&list, &random, a, b == a ? -1 : b, DOFS * bodies + ROWS * c, mu);
    }
    const pcs_triplets M = {n, n, list.count, list.row, list.column, list.value};
    assert_int_equal(pcs_problem_create_mlcp(ctx, n, &M, q, equality, &problem), PCS_OK);
    return problem;
}

static void auto_solves(void **state)
{
    pcs_context *ctx = *state;
    static const struct {
        int32_t bodies, contacts;
        double mu;
    } cases[] = {{1, 12, 0.3}, {3, 20, 0.7}, {6, 30, 1.5}, {10, 40, 0.7}, {10, 45, 5.0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            pcs_problem *problem = make_problem(ctx, cases[c].bodies, cases[c].contacts,
                                                cases[c].mu, 100 * seed + c);
            double r[DOFS * BODIES_MAX + ROWS * CONTACTS_MAX] = {0};
            pcs_solve_opts opts = pcs_solve_default();
            pcs_solve_info info;
            pcs_verdict verdict;
            assert_int_equal(pcs_problem_solve(problem, NULL, &opts, NULL, r, NULL, &info), PCS_OK);
            assert_int_equal(pcs_problem_verify(problem, r, &verdict), PCS_OK);
            assert_true(verdict.residual.relative <= opts.tolerance);
            assert_true(info.iterations <= STEPS_MOST);
            pcs_problem_destroy(problem);
        }
    }
}

static int set_up(void **state)
{
    *state = pcs_context_create(NULL);
    return *state != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    pcs_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(auto_solves)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

// The residual of friction contact problems against values worked out by hand, and its invariances.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "nonsmooth/friction_contact.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        print_error("%.17g, expected %.17g within %.3g\n", value, expected, tolerance);
    assert_true(fabs(value - expected) <= tolerance);
}

// Three contacts of sizes 1, 2, 3 without coupling but for one block (0, 2) and its transpose.
typedef struct three_contacts {
    int32_t offset[4], row_start[4], column[5], diagonal[3];
    int64_t value_start[5];
    double value[20], q[6], mu[3];
    pcs_block_matrix W;
    pcs_friction_contact problem;
} three_contacts;

static void three_contacts_init(three_contacts *c)
{
    static const double value[20] = {2.0, 0.1,  0.2,  0.3,                            // (0,0) (0,2)
                                     1.5, 0.25, 0.25, 0.75,                           // (1,1)
                                     0.1, 0.2,  0.3,                                  // (2,0)
                                     2.0, 0.0,  0.0,  0.0,  3.0, 0.0, 0.0, 0.0, 4.0}; // (2,2)
    *c = (three_contacts){.offset = {0, 1, 3, 6},
                          .row_start = {0, 2, 3, 5},
                          .column = {0, 2, 1, 0, 2},
                          .diagonal = {0, 2, 4},
                          .value_start = {0, 1, 4, 8, 11},
                          .q = {-0.5, 0.25, -1.0, -0.75, 0.3, 0.4},
                          .mu = {7.0, 0.5, 0.25}};
    memcpy(c->value, value, sizeof value);
    c->W = (pcs_block_matrix){3,           c->offset, c->row_start, c->column, c->value_start,
                              c->diagonal, c->value};
    c->problem = (pcs_friction_contact){.W = &c->W, .q = c->q, .mu = c->mu};
}

// At r = 0, u = q and r - P_K(r - rho uhat) = -P_K(-rho uhat): the length of P_K(-uhat).
static void values_at_zero(void **state)
{
    (void)state;
    three_contacts c;
    const double r[6] = {0};
    double u[6];
    three_contacts_init(&c);
    pcs_residual residual = pcs_friction_contact_measure(&c.problem, r, u);
    for (int k = 0; k < 6; k++)
        assert_true(u[k] == c.q[k]);
    // size 1: -uhat = 0.5 (mu has no meaning). size 2: uhat_N = 0.25 + 0.5 * 1, so -uhat is in the
    // polar cone (0.5 * 1 <= 0.75): open, no error. size 3: uhat_N = -0.75 + 0.25 * 0.5, so
    // -uhat = (0.625, -0.3, -0.4): alpha = (0.625 + 0.25 * 0.5)/(1 + 0.25^2) = 12/17, and the
    // length of alpha (1, mu) is alpha sqrt(1 + mu^2) = 12/17 sqrt(17)/4 = 3/sqrt(17).
    double third = 3.0 / sqrt(17.0);
    assert_near(residual.scaled, third / 1.0, 4.0 * DBL_EPSILON); // |q|_inf = 1
    assert_near(residual.unscaled, hypot(0.5, third), 4.0 * DBL_EPSILON);
    assert_int_equal(residual.worst, 2);
}

// rho_i = 3/trace(W_ii) enters when r != 0: size 1, W = 2, u = 2 * 0.2 - 0.5 = -0.1 needs no rho,
// but with r = 0.5, u = 0.5: min(r, rho u)/rho = min(0.5/1.5, 0.5) = 1/3; unscaled min(0.5, 0.5).
static void local_scaling(void **state)
{
    (void)state;
    const int32_t offset[2] = {0, 1}, row_start[2] = {0, 1}, zero = 0;
    const int64_t start = 0;
    double value = 2.0, q = -0.5, mu = 0.0, r = 0.5;
    pcs_block_matrix W = {1, offset, row_start, &zero, &start, &zero, &value};
    pcs_friction_contact problem = {.W = &W, .q = &q, .mu = &mu};
    pcs_residual residual = pcs_friction_contact_measure(&problem, &r, NULL);
    assert_near(residual.scaled, (1.0 / 3.0) / 0.5, 4.0 * DBL_EPSILON);
    assert_near(residual.unscaled, 0.5, 4.0 * DBL_EPSILON);
    q = 0.0; // without driving velocity the error counts as it is
    residual = pcs_friction_contact_measure(&problem, &r, NULL);
    assert_near(residual.scaled, 1.0 / 3.0, 4.0 * DBL_EPSILON);
}

// Units: masses times s and velocities times v leave the scaled residual.
static void scaled_residual_has_no_units(void **state)
{
    (void)state;
    three_contacts c;
    double r[6] = {0.3, 0.2, 0.15, 0.4, -0.05, 0.2};
    three_contacts_init(&c);
    pcs_residual before = pcs_friction_contact_measure(&c.problem, r, NULL);
    const double s = 1.3e7, v = 2.9e-4;
    for (int k = 0; k < 20; k++)
        c.value[k] /= s;
    for (int k = 0; k < 6; k++) {
        c.q[k] *= v;
        r[k] *= s * v;
    }
    pcs_residual after = pcs_friction_contact_measure(&c.problem, r, NULL);
    assert_near(after.scaled, before.scaled, 32.0 * DBL_EPSILON * before.scaled);
    assert_int_equal(after.worst, before.worst);
    assert_true(before.scaled > 0.01);
}

// Open, stick, slip and frictionless solutions have no residual.
static void solutions_have_none(void **state)
{
    (void)state;
    static const struct {
        double mu, q[3], r[3];
    } cases[] = {
        {0.5, {0.7, -3.0, 2.0}, {0.0, 0.0, 0.0}},    // open
        {0.5, {-2.0, 0.6, -0.3}, {1.0, -0.2, 0.1}},  // stick: W = diag(2, 3, 3)
        {0.25, {-2.0, 2.0, 0.0}, {1.0, -0.25, 0.0}}, // slip
        {0.0, {-2.0, 2.0, -5.0}, {1.0, 0.0, 0.0}},   // no friction, closed
        {0.0, {0.4, 0.0, 0.0}, {0.0, 0.0, 0.0}},     // no friction, open, no tangential motion
        {1e6, {-2.0, 3.0, 0.0}, {1.0, -1.0, 0.0}},   // sticks for sure
    };
    const int32_t offset[2] = {0, 3}, row_start[2] = {0, 1}, zero = 0;
    const int64_t start = 0;
    double value[9] = {2, 0, 0, 0, 3, 0, 0, 0, 3};
    pcs_block_matrix W = {1, offset, row_start, &zero, &start, &zero, value};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pcs_friction_contact problem = {.W = &W, .q = cases[k].q, .mu = &cases[k].mu};
        double tolerance = 4.0 * DBL_EPSILON * (1.0 + cases[k].mu);
        pcs_residual residual = pcs_friction_contact_measure(&problem, cases[k].r, NULL);
        assert_near(residual.scaled, 0.0, tolerance);
        assert_near(residual.unscaled, 0.0, 8.0 * tolerance);
    }
}

static void not_a_number_shows(void **state)
{
    (void)state;
    three_contacts c;
    double r[6] = {0.3, 0.2, 0.15, 0.4, -0.05, 0.2};
    three_contacts_init(&c);
    r[1] = NAN;
    pcs_residual residual = pcs_friction_contact_measure(&c.problem, r, NULL);
    assert_false(residual.scaled <= 1e300);
    assert_false(residual.unscaled <= 1e300);
    assert_int_equal(residual.worst, 1);
}

static void no_contacts(void **state)
{
    (void)state;
    const int32_t zero = 0;
    pcs_block_matrix W = {0, &zero, &zero, NULL, NULL, NULL, NULL};
    pcs_friction_contact problem = {.W = &W};
    pcs_residual residual = pcs_friction_contact_measure(&problem, NULL, NULL);
    assert_true(residual.scaled == 0.0 && residual.unscaled == 0.0);
    assert_int_equal(residual.worst, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_at_zero),
        cmocka_unit_test(local_scaling),
        cmocka_unit_test(scaled_residual_has_no_units),
        cmocka_unit_test(solutions_have_none),
        cmocka_unit_test(not_a_number_shows),
        cmocka_unit_test(no_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// What tests of formulas share: a context, names, reading and comparing.
#ifndef PCS_TESTS_FORMULA_BENCH_H
#define PCS_TESTS_FORMULA_BENCH_H

#include "percuss/formula.h"

// Names: the variables x, y, z, t, joint.hinge.angle = 0..4, and v<index>, as print() writes them;
// the constants k = 3.7, gain = -0.83, e = 0.62, nothing = 0.
enum { FORMULA_VARIABLES = 5 };
extern const char *const formula_names[FORMULA_VARIABLES];
// Where formulas are evaluated
extern const double formula_at[FORMULA_VARIABLES];

// Of the group of tests: the context they share
int formula_set_up(void **state);
int formula_tear_down(void **state);
pcs_context *formula_context(void);
// Of each test, which must give back all its memory
int formula_note_bytes(void **state);
int formula_check_bytes(void **state);
#define FORMULA_TEST(name) \
    cmocka_unit_test_setup_teardown(name, formula_note_bytes, formula_check_bytes)

pcs_formula *formula_parse(const char *text);
pcs_formula *formula_derive(const pcs_formula *formula, int32_t variable);
double formula_value(const char *text);
// Equal, or both not a number
bool formula_same(double a, double b);
// Equal within `ulps` units of rounding of the greater one
bool formula_near(double a, double b, double ulps);
// The printed formula reads back as one with the same value and as many operations.
void formula_check_round_trip(const pcs_formula *formula, const double *where);

#endif

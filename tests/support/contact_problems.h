// Contact problems for tests and benchmarks: random ones whose solution is known by construction,
// and a pile of spheres of any size. The same seed gives the same problem on every platform up to
// rounding.
#ifndef PCS_TESTS_SUPPORT_CONTACT_PROBLEMS_H
#define PCS_TESTS_SUPPORT_CONTACT_PROBLEMS_H

#include <stdbool.h>

#include "percuss/problem.h"

// W = L^T (I + S) L with L of k rows, S skew. `bodies`: L = M^-1/2 H of rigid bodies with 3
// (planar) or 6 coordinates, every contact on one or two of them; otherwise L has the singular
// values 1 .. condition^-1/2 between random orthonormal bases, so that all contacts are coupled.
typedef struct contact_problem_def {
    int32_t dimension; // 2, 3; 0: sizes 1, 2 and 3 mixed
    int32_t contacts;
    int32_t bilateral_rows;
    bool bodies;
    double open, slip; // probabilities of the states; the rest sticks
    double degenerate; // share of contacts between two states: grazing, or stuck on the cone's edge
    double condition;  // of W on its range, >= 1; not for bodies
    double rank_ratio; // rows over rank of W, >= 1; for bodies rows over coordinates, > 0
    double mass_ratio; // heaviest over lightest body and largest over smallest impulse, >= 1
    double mass_unit;  // masses and impulses are multiplied by it
    double mu_lowest, mu_highest;
    double asymmetry; // size of S: 0 is a symmetric W
} contact_problem_def;

typedef struct contact_problem {
    pcs_problem *problem; // local
    double *r, *u;        // one solution, exact up to the rounding of q = u - W r
} contact_problem;

contact_problem_def pcs_test_problem_default(void); // 10 spatial contacts on bodies, all states
pcs_status pcs_test_problem_create(pcs_context *ctx, const contact_problem_def *def, uint64_t seed,
                                   contact_problem *out) PCS_MUST_CHECK;
void pcs_test_problem_destroy(pcs_context *ctx, contact_problem *problem);

// The mixture that solvers are judged by: ten classes, each drawn from a seed.
enum { TEST_PROBLEM_CLASSES = 10 };
const char *pcs_test_problem_class_name(int32_t problem_class);
contact_problem_def pcs_test_problem_draw(int32_t problem_class, uint64_t seed);

// n^3 touching spheres (radius 0.1, density 2000) on a cubic grid upon a floor, at rest under
// gravity, with friction 0.5 and one step of h = 5e-3: a global problem with 6 n^3 coordinates and
// 3 n^3 - 2 n^2 spatial contacts. jitter moves every centre by up to jitter * radius in each
// direction, and the normals with them.
pcs_status pcs_test_pile_create(pcs_context *ctx, int32_t n, double jitter, uint64_t seed,
                                pcs_problem **out) PCS_MUST_CHECK;

#endif

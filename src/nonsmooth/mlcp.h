// Mixed linear complementarity problem: w = M z + q with
//     0 <= w_i \perp z_i >= 0  for complementarity rows,   w_i = 0, z_i free  for equality rows.
// Without equality rows it is an LCP. The residual is the natural map F_i = min(z_i, w_i) (w_i for
// an equality row):
//     unscaled  |F|_2
//     relative  |F|_2 / |q|_2 (|F|_2 if q = 0): the measure of Siconos for an LCP
//     scaled    max_i |F_i(rho_i)| / (rho_i |q|_inf), F_i(rho) = min(z_i, rho w_i), with
//               rho_i = 1 / max_j |M_ij| (1 for a zero row), |q|_inf = 1 if q = 0.
#ifndef PCS_NONSMOOTH_MLCP_H
#define PCS_NONSMOOTH_MLCP_H

#include "base/arena.h"
#include "percuss/problem.h"

typedef struct pcs_mlcp {
    int32_t n;
    const double *M; // row-major n x n
    const double *q;
    const uint8_t *equality; // NULL: none
} pcs_mlcp;

static inline bool pcs_mlcp_is_equality(const pcs_mlcp *problem, int32_t i)
{
    return problem->equality != NULL && problem->equality[i] != 0;
}

// Recomputes w = M z + q in extended precision and the residual from it; w may be NULL.
pcs_residual pcs_mlcp_measure(const pcs_mlcp *problem, const double *z, double *w);
// The residual that rounding z to double alone may cause, in the three measures: no solver gets
// reliably below.
pcs_residual pcs_mlcp_rounding(const pcs_mlcp *problem, const double *z);
// n >= 0, and M, q and z finite.
pcs_status pcs_mlcp_check(const pcs_mlcp *problem, pcs_context *ctx, const double *z)
    PCS_MUST_CHECK;

// A solver of the class: a row of the table in mlcp_solvers.c. z holds the start and becomes the
// solution, w = M z + q (may be NULL). `option` has one value for each option of the row, NULL: the
// defaults. Problem, start and settings are checked; on an error z is untouched. All memory comes
// from the arena and is given back.
typedef pcs_status (*pcs_mlcp_solve_fn)(const pcs_mlcp *problem, const pcs_solve_opts *opts,
                                        const double *option, pcs_arena *arena, double *z,
                                        double *w, pcs_solve_info *info);
typedef struct pcs_mlcp_solver {
    const char *name, *help;
    const pcs_option *options;
    int32_t n_options;
    pcs_mlcp_solve_fn solve;
} pcs_mlcp_solver;

const pcs_mlcp_solver *pcs_mlcp_solver_row(int32_t i);         // NULL beyond the last; 0 is "auto"
const pcs_mlcp_solver *pcs_mlcp_solver_find(const char *name); // NULL: unknown

// Enumerates the 2^m complementary bases of m <= PCS_ENUMERATE_MAX complementarity rows. Counts the
// distinct solutions (a basis whose solutions form a face counts as `many`) and keeps the first
// `capacity` of them in `solutions` (n values each, may be NULL). More rows: PCS_NOT_CONVERGED and
// *count = -1.
enum { PCS_ENUMERATE_MAX = 20, PCS_SOLUTIONS_MANY = 1000000 };
pcs_status pcs_mlcp_enumerate(const pcs_mlcp *problem, pcs_arena *arena, int32_t capacity,
                              double *solutions, int32_t *count) PCS_MUST_CHECK;

#endif

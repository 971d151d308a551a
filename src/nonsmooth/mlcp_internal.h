// What the solvers of the MLCP share: the run, which scales the problem, measures iterates and
// keeps the best one; the reduction to an LCP without equalities; and the polish of an active set.
#ifndef PCS_NONSMOOTH_MLCP_INTERNAL_H
#define PCS_NONSMOOTH_MLCP_INTERNAL_H

#include "nonsmooth/mlcp.h"
#include "nonsmooth/tableau.h"

// Methods work on the equilibrated problem
//     M' = R M C,  q' = R q / s,  z = s C y,  w = s R^-1 w'        (R, C, s positive powers of two)
// which has the same solutions, exactly. R = C unless M is so lopsided that it cannot be monotone.
typedef struct pcs_mlcp_run {
    const pcs_mlcp *problem; // as given
    const pcs_solve_opts *opts;
    pcs_arena *arena;
    pcs_solve_info *info;
    pcs_mlcp scaled;      // M', q'
    double *row_scale;    // R
    double *column_scale; // s C
    double *z, *w;        // the last point offered, in the units of `problem`
    double *best;         // the best one so far, also in these units
    pcs_residual best_residual;
    double started, stage_started; // pcs_timer_now()
    bool done;                     // best meets the tolerance or the level of rounding
    bool at_rounding;              // the latter
    bool stopped;                  // the stop hook or the time limit struck
} pcs_mlcp_run;

// A method starts from y (scaled units, n values, which it may overwrite), offers its iterates and
// returns PCS_OK or an error; run->done says whether it solved the problem, and if not it explains.
// *iterations is its count of pivots, sweeps, steps or bases.
typedef pcs_status (*pcs_mlcp_method_fn)(pcs_mlcp_run *run, const double *option, double *y,
                                         int32_t *iterations);

// Measures y, keeps it if it is the best so far and looks at the clock and the stop hook; true if
// the method should end: done or stopped.
bool pcs_mlcp_offer(pcs_mlcp_run *run, const double *y);
bool pcs_mlcp_is_stopped(pcs_mlcp_run *run); // clock and hook alone
// Sets the reason that is reported unless a later stage solves the problem.
void pcs_mlcp_explain(pcs_mlcp_run *run, const char *format, ...) PCS_PRINTF(2, 3);
// opts->max_iterations, or `fallback` if that is 0.
int32_t pcs_mlcp_limit(const pcs_mlcp_run *run, int32_t fallback);

// Solves the linear equations of the active set that y suggests (z_i > w_i), corrects the set a few
// times, and offers the points: what brings an approximate solution to the level of rounding.
pcs_status pcs_mlcp_polish(pcs_mlcp_run *run, const double *y) PCS_MUST_CHECK;

// The rows of one problem in extended precision: w = M y + q.
void pcs_mlcp_compute_w(const pcs_mlcp *problem, const double *y, double *w);

// Free variables eliminated as far as pivots are found, the rest z_e = z_e+ - z_e- split, w_e = 0
// becoming w_e >= 0 and -w_e >= 0. Both steps are exact, so that the LCP has the same solutions
// whatever rank is found, and both keep M monotone.
typedef struct pcs_mlcp_reduction {
    int32_t n;             // of the MLCP
    pcs_tableau tableau;   // w_i is variable i, z_i variable n + i; eliminated rows hold a free z
    int32_t m;             // rows of the LCP
    int32_t complementary; // the first ones: pairs; the others are two for each split variable
    int32_t *row, *column; // LCP row or column k is sign[k] times this one of the tableau
    double *sign;
    double *A, *b;  // the LCP: m x m. A pair may have changed roles: its unknown is then w_i
    double *values; // n, scratch of pcs_mlcp_recover
} pcs_mlcp_reduction;

pcs_status pcs_mlcp_reduce(const pcs_mlcp *problem, pcs_arena *arena, pcs_mlcp_reduction *out)
    PCS_MUST_CHECK;
// z of the MLCP from z of the LCP; `direction`: of a direction (constants left out).
void pcs_mlcp_recover(const pcs_mlcp_reduction *reduction, const double *x, bool direction,
                      double *z);

typedef enum pcs_lemke_end {
    PCS_LEMKE_SOLVED,
    PCS_LEMKE_RAY,       // no basic variable blocks: for copositive-plus M the LCP is infeasible
    PCS_LEMKE_LIMIT,     // too many pivots
    PCS_LEMKE_BREAKDOWN, // a basis became singular to rounding
    PCS_LEMKE_STOPPED
} pcs_lemke_end;

// Lemke's method on a problem as it is (equalities are reduced first). y gets the solution, or on
// PCS_LEMKE_RAY the direction of the ray. `random` 0: covering vector of ones, else the seed of one
// with entries between 1 and 4. run may be NULL: no clock to watch.
pcs_status pcs_lemke_solve(const pcs_mlcp *problem, uint64_t random, int32_t max_pivots,
                           pcs_mlcp_run *run, pcs_arena *arena, double *y, pcs_lemke_end *end,
                           int32_t *pivots) PCS_MUST_CHECK;

// Looks for a proof that no z meets even the inequalities (Farkas):
//     y_i >= 0 and (M^T y)_i <= 0 on complementarity rows, (M^T y)_e = 0 on equalities, q . y < 0
// by a linear program. *bound is what the data prove of every feasible z in scaled units,
// |z|_1 >= *bound: infinite when there is none, 0 when nothing is proven.
pcs_status pcs_mlcp_prove_infeasible(const pcs_mlcp *problem, pcs_arena *arena, double *bound)
    PCS_MUST_CHECK;

// Symmetric part positive semidefinite, up to rounding.
pcs_status pcs_mlcp_is_monotone(const pcs_mlcp *problem, pcs_arena *arena, bool *monotone)
    PCS_MUST_CHECK;

pcs_status pcs_mlcp_auto(pcs_mlcp_run *run, const double *option, double *y, int32_t *iterations);
pcs_status pcs_mlcp_lemke(pcs_mlcp_run *run, const double *option, double *y, int32_t *iterations);
pcs_status pcs_mlcp_pivot(pcs_mlcp_run *run, const double *option, double *y, int32_t *iterations);
pcs_status pcs_mlcp_gauss_seidel(pcs_mlcp_run *run, const double *option, double *y,
                                 int32_t *iterations);
pcs_status pcs_mlcp_sor(pcs_mlcp_run *run, const double *option, double *y, int32_t *iterations);
pcs_status pcs_mlcp_newton_fb(pcs_mlcp_run *run, const double *option, double *y,
                              int32_t *iterations);
pcs_status pcs_mlcp_newton_min(pcs_mlcp_run *run, const double *option, double *y,
                               int32_t *iterations);
pcs_status pcs_mlcp_interior_point(pcs_mlcp_run *run, const double *option, double *y,
                                   int32_t *iterations);
pcs_status pcs_mlcp_enumerate_bases(pcs_mlcp_run *run, const double *option, double *y,
                                    int32_t *iterations);

#endif

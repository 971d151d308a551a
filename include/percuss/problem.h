// Contact problems apart from any model: complementarity and friction problems from a file or from
// arrays, their solvers and their verifier. Vectors and matrices follow FCLIB's conventions:
//
//     LCP     w = M z + q,  0 <= w \perp z >= 0
//     MLCP    the same, with rows marked as equalities: w_i = 0, z_i free
//     local   u = W r + q,  K* \ni u + mu |u_T| e_N \perp r \in K,  components (N, T1[, T2])
//     global  M v = H r + f,  u = H^T v + w, the same law between u and r
//
// Local and global problems may have bilateral rows (u = 0, r free) besides the contacts.
#ifndef PERCUSS_PROBLEM_H
#define PERCUSS_PROBLEM_H

#include "percuss/options.h"

#ifdef __cplusplus
extern "C" {
#endif

// How far (r, u) is from a solution. For LCP and MLCP the natural map is min(z, w).
typedef struct pcs_residual {
    double scaled;   // velocity error relative to the driving velocity, worst block
    double unscaled; // Euclidean norm of the natural map with rho = 1
    double
        relative;  // the measure of Siconos 4.4: unscaled / max(|q|, |r|, |u|) for local problems,
                   // / |q| for LCP and MLCP, a sum of two such terms for global ones
                   // (docs/theory/measures.md)
    int32_t worst; // block with the largest scaled part, -1 without blocks
} pcs_residual;

typedef enum pcs_measure {
    PCS_MEASURE_SCALED,
    PCS_MEASURE_UNSCALED,
    PCS_MEASURE_RELATIVE
} pcs_measure;

// Called now and then by a solver; true stops it, and the best iterate so far is returned.
typedef int (*pcs_stop_fn)(void *user);

typedef struct pcs_solve_opts {
    double tolerance; // on the residual that `measure` names
    pcs_measure measure;
    int32_t max_iterations;  // 0: the solver's own default
    double max_time;         // seconds, 0: no limit
    int32_t threads;         // at least 1; the answer has the same bits for any number
    int32_t count_solutions; // nonzero: small problems are enumerated, info.solutions is set
    pcs_stop_fn stop;        // NULL: none
    void *stop_user;
} pcs_solve_opts;

PCS_API pcs_solve_opts pcs_solve_default(void); // 1e-8 relative, no limits, one thread

enum { PCS_SOLVE_STAGES_MAX = 16, PCS_SOLVE_REASON_SIZE = 240 };

// One stage of a solve: what ran, how long, and the residual at its end.
typedef struct pcs_solve_stage {
    const char *name;
    int32_t iterations;
    double seconds;
    double residual; // in the chosen measure
} pcs_solve_stage;

typedef struct pcs_solve_info {
    int32_t iterations;     // of all stages
    int32_t factorisations; // of matrices of the size of the active set
    double seconds;
    pcs_residual residual; // measured at the returned r
    int32_t at_rounding;   // above the tolerance, but within what rounding r to double can reach
    int32_t solutions;     // number of solutions found by enumeration, -1: not counted
    int32_t n_stages;
    pcs_solve_stage stage[PCS_SOLVE_STAGES_MAX]; // in order; the last one closed the gap
    // Why it was not solved ("" when it was): the contact that is worst, and the cause where known.
    char reason[PCS_SOLVE_REASON_SIZE];
} pcs_solve_info;

typedef enum pcs_problem_class {
    PCS_PROBLEM_LCP,
    PCS_PROBLEM_MLCP,
    PCS_PROBLEM_LOCAL,
    PCS_PROBLEM_GLOBAL
} pcs_problem_class;

typedef struct pcs_problem pcs_problem;

PCS_API void pcs_problem_destroy(pcs_problem *problem); // NULL is allowed
PCS_API pcs_problem_class pcs_problem_get_class(const pcs_problem *problem);
PCS_API const char *pcs_problem_class_name(pcs_problem_class problem_class);
// Contacts (LCP and MLCP: complementarity rows), components of the spatial ones (1 for LCP, MLCP),
// rows of r and u in all (bilateral ones included), and degrees of freedom (0 but for global).
PCS_API int32_t pcs_problem_contacts(const pcs_problem *problem);
PCS_API int32_t pcs_problem_dimension(const pcs_problem *problem);
PCS_API int32_t pcs_problem_rows(const pcs_problem *problem);
PCS_API int32_t pcs_problem_dofs(const pcs_problem *problem);
PCS_API int32_t pcs_problem_bilateral_rows(const pcs_problem *problem);

// A sparse matrix given by `count` triplets; duplicates are summed.
typedef struct pcs_triplets {
    int32_t rows, columns, count;
    const int32_t *row, *column;
    const double *value;
} pcs_triplets;

// Problems from arrays, which are copied. Rows of contacts come first, `dimension` for each, then
// the bilateral rows. LCP: `equality` NULL; MLCP: nonzero marks an equality row.
PCS_API pcs_status pcs_problem_create_mlcp(pcs_context *ctx, int32_t n, const pcs_triplets *M,
                                           const double *q, const uint8_t *equality,
                                           pcs_problem **out) PCS_MUST_CHECK;
PCS_API pcs_status pcs_problem_create_local(pcs_context *ctx, int32_t dimension, int32_t contacts,
                                            int32_t bilateral_rows, const pcs_triplets *W,
                                            const double *q, const double *mu, pcs_problem **out)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_problem_create_global(pcs_context *ctx, int32_t dimension, int32_t contacts,
                                             int32_t bilateral_rows, const pcs_triplets *M,
                                             const pcs_triplets *H, const double *f,
                                             const double *w, const double *mu, pcs_problem **out)
    PCS_MUST_CHECK;

// The local problem W = H^T M^-1 H, q = H^T M^-1 f + w of a global one.
PCS_API pcs_status pcs_problem_reduce(const pcs_problem *global, pcs_problem **out) PCS_MUST_CHECK;

// Solves from the start in r (pcs_problem_rows values; zeros if nothing better is known). r becomes
// the solution, u = W r + q; u may be NULL. For LCP and MLCP r is z and u is w. `solver` is a name
// of pcs_problem_solver(); NULL is "auto". `option` has the values of the solver's own options in
// the order of its table; NULL: the defaults.
// PCS_NOT_CONVERGED and PCS_INTERRUPTED keep the best iterate; on an error r is untouched. A global
// problem may be interrupted in its reduction, before anything is measured: then r is the start,
// and u and the residuals are not numbers.
// The problem keeps the work memory for the next solve: one thread at a time may solve it.
PCS_API pcs_status pcs_problem_solve(const pcs_problem *problem, const char *solver,
                                     const pcs_solve_opts *opts, const double *option, double *r,
                                     double *u, pcs_solve_info *info) PCS_MUST_CHECK;

// Solver i for a class of problems, NULL beyond the last; the first is "auto".
PCS_API const char *pcs_problem_solver(pcs_problem_class problem_class, int32_t i,
                                       const char **help, const pcs_option **options,
                                       int32_t *n_options);

// What an independent check finds: it shares no code with the solvers, works from the data alone
// and accumulates in extended precision.
typedef struct pcs_verdict {
    pcs_residual residual;
    double cone;               // largest violation of r in K (z >= 0), over max |r|
    double dual;               // largest violation of uhat in K* (w >= 0), over max(|u|, |q|)
    double complementarity;    // sum |r_i . uhat_i| / (sum |r_i| max_i(|u_i|, |q_i|)), 0 for 0/0
    double bilateral;          // largest |u| of a bilateral row, over max(|u|, |q|)
    double dissipation;        // sum r_T . u_T: never positive at a solution
    double equation;           // global: |M v - H r - f| / max(|f|, |M v|, |H r|), v recomputed
    int32_t open, stick, slip; // contacts by state at (r, u)
} pcs_verdict;

PCS_API pcs_status pcs_problem_verify(const pcs_problem *problem, const double *r,
                                      pcs_verdict *verdict) PCS_MUST_CHECK;

// Files: FCLIB HDF5 (local, global) and the text formats of Siconos' numerics
// (docs/problem-file.md). The format of a file that is read is found from its content.
typedef enum pcs_problem_format { PCS_PROBLEM_TEXT, PCS_PROBLEM_FCLIB } pcs_problem_format;

PCS_API pcs_status pcs_problem_read(pcs_context *ctx, const char *path, pcs_problem **out)
    PCS_MUST_CHECK;
// As pcs_problem_read, from memory: text formats only; `name` stands for the path in messages.
PCS_API pcs_status pcs_problem_read_text(pcs_context *ctx, const char *name, const char *text,
                                         size_t length, pcs_problem **out) PCS_MUST_CHECK;
// Writes beside the path and renames, so that a good file is never replaced by half a file.
// r, if not NULL, is stored as the solution (FCLIB only).
PCS_API pcs_status pcs_problem_write(const pcs_problem *problem, const char *path,
                                     pcs_problem_format format, const double *r) PCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif

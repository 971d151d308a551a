// The one interface of the integrators of smooth phases: a step, an error estimate, dense output of
// q, v, v' and the multipliers. An integrator is a table row; it sees the motion through
// smooth_system.h alone. Positions inside a step are local coordinates d with q = q_n [+] d.
#ifndef PCS_SCHEMES_INTEGRATOR_H
#define PCS_SCHEMES_INTEGRATOR_H

#include "schemes/smooth_system.h"

// An instant of the motion. `extra` is the integrator's own (the acceleration-like variable of
// generalized-alpha); `work` are the accounts (pcs_work) since the march began.
typedef struct pcs_smooth_point {
    double t;
    double *q, *v, *a, *lambda; // n_q, n_v, n_v, pcs_smooth_rows_max
    double *extra;              // n_v
    double work[PCS_WORK_COUNT];
} pcs_smooth_point;

pcs_status pcs_smooth_point_init(pcs_context *ctx, const pcs_model *model, pcs_smooth_point *point)
    PCS_MUST_CHECK;
void pcs_smooth_point_free(pcs_context *ctx, pcs_smooth_point *point);
void pcs_smooth_point_copy(const pcs_model *model, pcs_smooth_point *to,
                           const pcs_smooth_point *from);

// Size of an error in the local coordinates and velocities (dv NULL: positions only).
typedef enum pcs_norm_kind {
    PCS_NORM_EUCLIDEAN, // |dq| (and |(dq, dv)| for methods that estimate both), as in the thesis
    PCS_NORM_WEIGHTED   // root mean square of e_i / (absolute + relative |x_i|) times the tolerance
} pcs_norm_kind;

typedef struct pcs_error_norm {
    const pcs_model *model;
    pcs_norm_kind kind;
    double absolute, relative;
    const double *q, *v; // at the start of the step, for the weights
    double limit; // an error above it is rejected, and the step may leave a, lambda and work undone
    bool off;     // fixed steps: nobody looks at the error
} pcs_error_norm;

double pcs_error_norm_compute(const pcs_error_norm *norm, const double *dq, const double *dv);

// What all integrators may be told; each reads what it has.
typedef struct pcs_integrator_opts {
    double rho_infinity;     // generalized-alpha: damping of high frequencies, 1 none, 0 full
    double newton_tolerance; // implicit methods
    int32_t newton_iterations;
    double estimate_constant; // c of HEM5's estimate, (2.128)
    bool ggl; // generalized-alpha index 2: hold g(q) = 0 too, by a second multiplier
} pcs_integrator_opts;

pcs_integrator_opts pcs_integrator_default(void);

typedef struct pcs_integrator_class pcs_integrator_class;

// Largest degree of the polynomials of dense output.
enum { PCS_PATH_DEGREE = 5 };

// What dense output is for.
typedef enum pcs_dense_use {
    PCS_DENSE_STATE,  // a state of the motion: q, v on the constraints, a, lambda
    PCS_DENSE_SEARCH, // the search for an event: v may be off the constraints by the step's error
    PCS_DENSE_MOTION  // the same without a and lambda
} pcs_dense_use;

typedef struct pcs_integrator {
    const pcs_integrator_class *class;
    pcs_context *ctx;
    const pcs_model *model;
    pcs_smooth *smooth;
    pcs_integrator_opts opts;
    // h |eigenvalue| of the last step, over the length of the method's region of stability; above 1
    // it ran at its limit [HairerWanner1996, IV.2]. 0: not known
    double stiffness;
    pcs_dense_use dense_use; // set by the caller
    bool dense_ready; // what dense output needs beyond the step is there, if the method needs it
    // Of implicit methods, for the work of damping: its power at the end of the last step; and, set
    // by the caller, that the accelerations at the start of the next step are those before a jump
    // of the velocities, when damping had this power.
    double damping, damping_before;
    bool after_jump;
    // Powers at the start of the last step of an implicit method: those of the end of the step before,
    // which had other directions of friction. `resumed`: the next step takes these.
    double power_from[PCS_WORK_COUNT];
    bool resumed;
} pcs_integrator;

struct pcs_integrator_class {
    const char *name, *help;
    int32_t order;         // of q and v with fixed steps
    int32_t control_order; // p in h_new = safety h (tolerance / error)^(1/p)
    int32_t index;         // of the constraints as it sees them: 1, 2 or 3
    bool implicit;
    // lambda of dense output is a polynomial between the ends or stages of a step, not that of the
    // equations at q and v there: exact only as far as the step resolves it.
    bool interpolates_forces;
    size_t size;
    pcs_status (*init)(pcs_integrator *integrator); // all fields behind the base are zero
    void (*free)(pcs_integrator *integrator);
    // At the beginning of a phase: t, q, v are given, fills a, lambda, extra.
    pcs_status (*start)(pcs_integrator *integrator, pcs_smooth_point *at);
    // From `from` (complete) over h to `to` (complete, with work); *error as the norm measures it.
    // PCS_NOT_CONVERGED: the step is too long for the method's equations; try a shorter one.
    pcs_status (*step)(pcs_integrator *integrator, const pcs_smooth_point *from, double h,
                       const pcs_error_norm *norm, pcs_smooth_point *to, double *error);
    // q, v, a, lambda at from.t + theta h of the last step, 0 <= theta <= 1, as far as dense_use
    // asks for them; t too, work not. May evaluate more stages when first called after a step,
    // hence the status.
    pcs_status (*dense)(pcs_integrator *integrator, double theta, pcs_smooth_point *out);
    // The local coordinates of the step as a polynomial of the accuracy of the dense output or
    // better, d = sum_k c[k] theta^(k+1), n_v numbers each; positions are q_n [+] d.
    pcs_status (*path)(pcs_integrator *integrator, double *const c[PCS_PATH_DEGREE]);
};

extern const pcs_integrator_class pcs_integrator_rk4;
extern const pcs_integrator_class pcs_integrator_heun;
extern const pcs_integrator_class pcs_integrator_bs32;
extern const pcs_integrator_class pcs_integrator_rkf45;
extern const pcs_integrator_class pcs_integrator_dopri5;
extern const pcs_integrator_class pcs_integrator_hem5;
extern const pcs_integrator_class pcs_integrator_phem56;
extern const pcs_integrator_class pcs_integrator_alpha_index2;
extern const pcs_integrator_class pcs_integrator_alpha_index3;

// Row i of the table, NULL beyond the last; by name, NULL if there is none. Names: rk4, rkf45,
// dopri5, hem5, phem56, alpha2, alpha3.
const pcs_integrator_class *pcs_integrator_row(int32_t i);
const pcs_integrator_class *pcs_integrator_find(const char *name);
// The same with `auto`: alpha2 for a model with meshes, whose highest frequencies belong to single
// elements and would limit the steps of explicit methods, else `fallback`.
const pcs_integrator_class *pcs_integrator_choose(const char *name, const pcs_model *model,
                                                  const char *fallback);
pcs_status pcs_integrator_create(const pcs_integrator_class *class, const pcs_integrator_opts *opts,
                                 pcs_context *ctx, const pcs_model *model, pcs_smooth *smooth,
                                 pcs_integrator **out) PCS_MUST_CHECK;
void pcs_integrator_destroy(pcs_integrator *integrator);

// h |eigenvalue| from two points (d, v) with the rates (d', v') at one time: the ratio of the
// differences, velocities times h so that lengths are measured against lengths.
double pcs_integrator_stiffness(int32_t n, double h, const double *const first[4],
                                const double *const second[4]);
// q_n [+] d, v and d' at 0 <= theta <= 1 of the quintic with the given d, d', d'' at the end and
// v_n, a_n at the start [Haddouni2015, 3.13].
typedef struct pcs_quintic {
    double h;
    const double *v_0, *a_0; // d = 0, d' = v, d'' = a there
    const double *d_1, *rate_1, *acceleration_1;
} pcs_quintic;
void pcs_quintic_evaluate(const pcs_quintic *quintic, int32_t n, double theta, double *d,
                          double *rate);
// Its coefficients, as pcs_integrator_class.path has them.
void pcs_quintic_path(const pcs_quintic *quintic, int32_t n, double *const c[PCS_PATH_DEGREE]);

#endif

// Memory that all Runge-Kutta methods of smooth phases share: the stages of a step in local
// coordinates, the two ends of the last step, powers.
#ifndef PCS_SCHEMES_STAGES_H
#define PCS_SCHEMES_STAGES_H

#include "schemes/integrator.h"

enum { PCS_STAGES_MAX = 11 };

typedef struct pcs_stages {
    double *data;
    double *d[PCS_STAGES_MAX];    // local coordinates
    double *rate[PCS_STAGES_MAX]; // d'
    double *v[PCS_STAGES_MAX];
    double *a[PCS_STAGES_MAX];
    double *lambda[PCS_STAGES_MAX];
    double power[PCS_STAGES_MAX][PCS_WORK_COUNT];
    double *q, *q_c, *w, *e, *e_v; // work: configurations of a stage, velocity, errors
    double *q_n;                   // start of the last step
    double t, h;
    // The powers at the ends of the last step, so that none is computed twice.
    double power_t[2], end_power[2][PCS_WORK_COUNT];
} pcs_stages;

pcs_status pcs_stages_init(pcs_context *ctx, const pcs_model *model, pcs_stages *stages)
    PCS_MUST_CHECK;
void pcs_stages_free(pcs_context *ctx, pcs_stages *stages);

// Stage 0: d = 0 with the velocity, acceleration, multipliers and power of `from`.
pcs_status pcs_stages_begin(pcs_integrator *integrator, pcs_stages *stages,
                            const pcs_smooth_point *from, double h) PCS_MUST_CHECK;
// out = base + h sum_j c_j x_j; base NULL: zero
void pcs_stages_combine(int32_t n, const double *base, double h, int32_t count, const double *c,
                        double *const *x, double *out);
// work += h sum_j c_j power_j
void pcs_stages_add_work(const pcs_stages *stages, double h, int32_t count, const double *c,
                         double *work);
// a, lambda (index 1) and power at the end of a step; `point` has t, q, v.
pcs_status pcs_stages_end(pcs_integrator *integrator, pcs_stages *stages, pcs_smooth_point *point)
    PCS_MUST_CHECK;
// The same at the beginning of a phase.
pcs_status pcs_stages_start(pcs_integrator *integrator, pcs_stages *stages, pcs_smooth_point *at)
    PCS_MUST_CHECK;

#endif

// Inside of the generalized-alpha integrators, shared by generalized_alpha*.c.
//
// The unknown of a step is v' at its end; all else follows from it (generalized_alpha.c). A change
// x of v' changes the velocities by c_v x and the local coordinates by c_q x, with
//     c_v = h gamma (1 - alpha_f)/(1 - alpha_m),    c_q = h^2 beta (1 - alpha_f)/(1 - alpha_m).
// On a spatial node a change e of the local coordinates d moves the configuration by T(d) e.
#ifndef PCS_SCHEMES_GENERALIZED_ALPHA_H
#define PCS_SCHEMES_GENERALIZED_ALPHA_H

#include "schemes/friction_turns.h"
#include "schemes/integrator.h"
#include "schemes/smooth_terms.h"

typedef struct pcs_alpha_matrix {
    pcs_saddle *saddle; // NULL: not made
    int32_t (*pairs)[2];
    int32_t n_pairs;
} pcs_alpha_matrix;

typedef struct pcs_generalized_alpha {
    pcs_integrator base;
    double alpha_m, alpha_f, beta, gamma;

    // Matrices of Newton's method: with the couplings of K and C alone, and with those of the
    // geometric terms of joints too, for steps in which the first one converges slowly; made when
    // first needed
    pcs_alpha_matrix matrix[2];
    pcs_alpha_matrix *used;   // by the step at hand
    pcs_friction_turns turns; // in the matrix at hand; T(d) ~ 1 is taken in index 3
    int32_t n_blocks;
    pcs_row_block *left, *right; // B and the rows of the linearised constraint, own values
    double *left_values, *right_values;

    // The step at hand
    const pcs_smooth_point *from;
    double h, c_v, c_q;
    int32_t index;             // of its constraints
    bool ggl;                  // index 2: positions on the constraints too
    double *start_v, *start_d; // parts of v and d at the end that do not depend on the unknown
    double *q, *v, *a, *d;     // end of the step: q = q_n [+] d, v' = a
    double *lambda;
    double *shift; // GGL: part of d from the second multiplier
    double *x, *p, *residual, *row_residual;
    pcs_smooth_terms terms;
    int32_t iterations; // of the last step

    // The last step, for dense output and for the powers at its ends
    double t, length;
    double *q_from, *v_from, *a_from, *lambda_from, *q_to, *v_to, *a_to, *lambda_to, *d_to;
    double *d_rate, *d_acceleration; // of the local coordinates at the end
    double power[PCS_WORK_COUNT];    // at the end
    bool power_known;
} pcs_generalized_alpha;

// Memory for the rows of the present phase, if their pattern is another one than before. At the
// beginning of a phase `at` is its first point, where redundant rows are found; NULL otherwise.
pcs_status pcs_generalized_alpha_set_rows(pcs_generalized_alpha *s, const pcs_smooth_point *at)
    PCS_MUST_CHECK;
void pcs_generalized_alpha_free_rows(pcs_generalized_alpha *s);
// Of all nodes, translations alone.
double pcs_generalized_alpha_largest_position(const pcs_model *model, const double *q);
// Solves the equations of the step from the predictor in a and lambda, if asked for with all
// couplings in the matrix from the beginning. PCS_NOT_CONVERGED: the step is too long.
pcs_status pcs_generalized_alpha_newton(pcs_generalized_alpha *s, bool full) PCS_MUST_CHECK;

#endif

// The equations of motion between two events, with joints and closed contacts as equations:
//
//     M(q) v' = f(t, q, v) + B^T lambda
//     g(t, q) = 0,    G(t, q) v = rate,    G v' = acceleration = -(dG/dt) v + rate'
//
// Rows of G: the joint rows of the model; then, for each contact of the phase in the order of the
// slots, its normal row and, if it sticks, its tangential rows. B = G but for sliding contacts,
// whose friction follows the normal force: B_N = G_N - mu sum_j d_j G_Tj, d the unit direction of
// sliding [Haddouni2015, (2.1) with the sign corrected]. A half-explicit stage takes B at one
// configuration and G at another. Rows may be redundant: v' and B^T lambda are unique all the same.
#ifndef PCS_SCHEMES_SMOOTH_SYSTEM_H
#define PCS_SCHEMES_SMOOTH_SYSTEM_H

#include "model/assembly.h"
#include "model/contact.h"
#include "model/state.h"

typedef enum pcs_contact_mode {
    PCS_MODE_OPEN,
    PCS_MODE_SLIDE, // normal row; without friction this is the only closed mode
    PCS_MODE_STICK  // normal and tangential rows
} pcs_contact_mode;

// Which contacts are closed, and how. Owned by whoever drives the run.
typedef struct pcs_phase {
    uint8_t *mode;          // by slot, a pcs_contact_mode
    double (*direction)[2]; // by slot, unit direction of a sliding contact's velocity. In the plane
                            // (+-1, 0) holds for the whole phase, so that the equations stay smooth
                            // until the turn is located; in space it is used where u_T is too small
                            // to have a direction
    uint8_t *axis;          // by slot, a pcs_tangent_choice: held along a step
    double *gap;            // by slot: at which a closed contact is held, 0 as a rule
    int32_t *face;          // pcs_model.n_faces: the face that a closed contact or a curve joint
        // stays on (-1: the nearest). The equations are those of this face, also
        // a little beyond its end
} pcs_phase;

pcs_status pcs_phase_init(pcs_context *ctx, const pcs_model *model, pcs_phase *phase)
    PCS_MUST_CHECK; // all open
void pcs_phase_free(pcs_context *ctx, pcs_phase *phase);
void pcs_phase_copy(const pcs_model *model, pcs_phase *to, const pcs_phase *from);

// How the index-1 equation holds the constraints: g'' + 2 alpha g' + beta^2 g = 0
typedef struct pcs_baumgarte {
    double alpha, beta; // 1/s; 0: off
} pcs_baumgarte;

typedef struct pcs_smooth pcs_smooth;

pcs_status pcs_smooth_create(pcs_context *ctx, const pcs_model *model, pcs_smooth **out)
    PCS_MUST_CHECK;
void pcs_smooth_destroy(pcs_smooth *smooth);
// Largest number of rows in any phase: joint rows and three for each slot.
int32_t pcs_smooth_rows_max(const pcs_model *model);

// The phase (copied), and views that all evaluations read: branches of angles, external inputs.
// Allocates only when the pattern of the rows changes.
pcs_status pcs_smooth_set_phase(pcs_smooth *smooth, const pcs_phase *phase) PCS_MUST_CHECK;
void pcs_smooth_bind(pcs_smooth *smooth, const double *turns, const double *external);
// The configuration that the bound angles belong to, a view: they are followed from there. Without
// it the branches are the nearest ones.
void pcs_smooth_bind_origin(pcs_smooth *smooth, const double *q);
// A configuration of the caller at (t, q, v) with the bound views.
void pcs_smooth_configure(const pcs_smooth *smooth, pcs_configuration *c, double t, const double *q,
                          const double *v);
void pcs_smooth_set_baumgarte(pcs_smooth *smooth, pcs_baumgarte baumgarte);
// The next index-1 solve belongs to a consistent point and looks for redundant rows again; all
// other solves of a phase keep the answer, because stages lie beside the constraints.
void pcs_smooth_renew_rank(pcs_smooth *smooth);
int32_t pcs_smooth_row_count(const pcs_smooth *smooth); // of the present phase
const pcs_model *pcs_smooth_model(const pcs_smooth *smooth);
const pcs_phase *pcs_smooth_phase(const pcs_smooth *smooth);
int32_t pcs_smooth_slot_size(const pcs_smooth *smooth, int32_t slot); // rows of the contact
// The matrix of the last solve, M with the rows of the phase, factorised.
pcs_saddle *pcs_smooth_saddle(pcs_smooth *smooth);
// First row of a slot in the present phase, or -1 for an open one.
int32_t pcs_smooth_slot_row(const pcs_smooth *smooth, int32_t slot);
const uint8_t *pcs_smooth_redundant(const pcs_smooth *smooth); // by row, at the last solve
// Smallest pivot of the rows (pcs_saddle_smallest_pivot) at the last solve, and at all solves since
// the last reset; 0 where more rows are redundant than at the beginning of the phase.
double pcs_smooth_pivot(const pcs_smooth *smooth);
double pcs_smooth_least_pivot(const pcs_smooth *smooth);
void pcs_smooth_reset_pivot(pcs_smooth *smooth);
// Takes account of a solve with a matrix of the integrator's own, with the rows of the phase.
void pcs_smooth_see_pivot(pcs_smooth *smooth, const pcs_saddle *saddle);
int64_t pcs_smooth_evaluations(const pcs_smooth *smooth); // of M, f and G, since creation

// Index 1: v' and lambda at (t, q, v). `power` (or NULL) gets the powers of the non-conservative
// forces, contacts and prescribed motions along v, by account (pcs_work).
pcs_status pcs_smooth_accelerations(pcs_smooth *smooth, double t, const double *q, const double *v,
                                    double *a, double *lambda, double *power) PCS_MUST_CHECK;

// Compensation of the drift over a step of an index-1 method [Brogliato2002, (42)-(43)]: the errors
// at the start of the step, divided by its length, enter the index-1 equation,
//     G v' = acceleration - (G v - rate)_n / h,
// and, if asked for, the velocity that moves the positions, v + M^-1 G^T mu with
//     G (v + M^-1 G^T mu) = rate - g_n / h.
typedef enum pcs_compensation {
    PCS_COMPENSATE_NONE,
    PCS_COMPENSATE_VELOCITY, // (42) alone
    PCS_COMPENSATE_ALL       // (42) and (43)
} pcs_compensation;
void pcs_smooth_set_compensation(pcs_smooth *smooth, pcs_compensation compensation);
pcs_compensation pcs_smooth_get_compensation(const pcs_smooth *smooth);
// Takes the errors at (t, q, v); h = 0 ends the compensation until the next step begins.
void pcs_smooth_begin_compensation(pcs_smooth *smooth, double t, const double *q, const double *v,
                                   double h);
// The velocity of the positions at the point of the last index-1 solve; v itself without (43).
void pcs_smooth_position_velocity(pcs_smooth *smooth, const double *v, double *out);

// Half-explicit stage, index 2: M(Q) a = f(t, Q, V) + B(Q)^T lambda with a such that the velocity
// w + s a satisfies the constraint at (t_c, Q_c):  G(Q_c) (w + s a) = rate(t_c).
typedef struct pcs_half_explicit_stage {
    double t, t_c, s;
    const double *Q, *V, *Q_c, *w;
} pcs_half_explicit_stage;
pcs_status pcs_smooth_half_explicit(pcs_smooth *smooth, const pcs_half_explicit_stage *stage,
                                    double *a, double *lambda, double *power) PCS_MUST_CHECK;

// g and G v - rate by row; either may be NULL. Returns nothing that can fail.
void pcs_smooth_drift(pcs_smooth *smooth, double t, const double *q, const double *v, double *g,
                      double *g_rate);
// Projection in the metric of M [Haddouni2015, 3.6]: q, then v, in place. PCS_NOT_CONVERGED: the
// position did not come below the tolerance; q and v are then as before.
pcs_status pcs_smooth_project(pcs_smooth *smooth, double t, double *q, double *v, double tolerance,
                              bool position, bool velocity) PCS_MUST_CHECK;

// Whether projections of positions go on as far as rounding allows, or end at the tolerance.
void pcs_smooth_project_to_rounding(pcs_smooth *smooth, bool to_rounding);

// The rows G at the last point of pcs_smooth_accelerations or pcs_smooth_drift, blocks in the order
// of the rows (joints, then closed contacts), and the contacts there (by slot; of declared pairs
// without a closed one nothing is evaluated). Valid until the next call.
const pcs_row_block *pcs_smooth_rows(const pcs_smooth *smooth, int32_t *n_blocks);
const pcs_contact *pcs_smooth_contacts(const pcs_smooth *smooth);
// mu/|u_T| of a contact that slides in space, and its direction, at the last instant: what friction
// turns by for a velocity across it; 0 for contacts that do not slide in space.
double pcs_smooth_turn_rate(const pcs_smooth *smooth, int32_t slot, double direction[2]);

// Rate of the local coordinates d of q = q_0 [+] d:  d' = T(d)^-1 v. Runge-Kutta methods integrate
// d, which is an ordinary differential equation on every kind of node.
void pcs_smooth_chart_rate(const pcs_model *model, const double *d, const double *v, double *rate);
// The other way round: v = T(d) d', and d'' = T(d)^-1 (v' - (dT/dt) d') for the rate d'.
void pcs_smooth_chart_velocity(const pcs_model *model, const double *d, const double *rate,
                               double *v);
void pcs_smooth_chart_acceleration(const pcs_model *model, const double *d, const double *rate,
                                   const double *a, double *out);

#endif

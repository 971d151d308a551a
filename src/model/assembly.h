// The terms that schemes see, each evaluated for the whole model. The equations of motion are
//     M(q) v' = f(t, q, v) + G^T lambda + H^T r,     g(t, q) = 0,     K = -df/dq,   C = -df/dv.
#ifndef PCS_MODEL_ASSEMBLY_H
#define PCS_MODEL_ASSEMBLY_H

#include "model/model.h"

// Power of the non-conservative forces of a configuration along the velocities v.
typedef struct pcs_power {
    const double *v; // given by the caller
    bool alone;      // set by pcs_model_powers: forces without power may be left out
    double applied, actuator, damping;
} pcs_power;

void pcs_model_retract(const pcs_model *model, const double *q, const double *d, double *out);
void pcs_model_initial_state(const pcs_model *model, double *q, double *v);

// y = M x
void pcs_model_mass_multiply(const pcs_model *model, const pcs_configuration *c, const double *x,
                             double *y);
// f (overwritten), and the powers of its parts unless `power` is NULL
void pcs_model_forces(const pcs_model *model, const pcs_configuration *c, double *f,
                      pcs_power *power);
// The powers without the forces, whose room `work` (n_v) is: cheaper where elastic forces have
// none.
void pcs_model_powers(const pcs_model *model, const pcs_configuration *c, double *work,
                      pcs_power *power);
// A = M + scale_K K + scale_C C (overwritten)
void pcs_model_matrix(const pcs_model *model, const pcs_configuration *c, double scale_K,
                      double scale_C, pcs_saddle *saddle);
// The parts of A for methods that treat them differently (added, not overwritten): M; scale_K K +
// scale_C C; scale d(M a)/dq; scale d(G^T lambda)/dq, lambda over the joint rows.
void pcs_model_add_mass(const pcs_model *model, const pcs_configuration *c, pcs_saddle *saddle);
void pcs_model_add_tangent(const pcs_model *model, const pcs_configuration *c, double scale_K,
                           double scale_C, pcs_saddle *saddle);
void pcs_model_mass_tangent(const pcs_model *model, const pcs_configuration *c, const double *a,
                            double scale, pcs_saddle *saddle);
void pcs_model_row_tangent(const pcs_model *model, const pcs_configuration *c, const double *lambda,
                           double scale, pcs_saddle *saddle);
// Rounding of the forces at a configuration: what the last digits of q do to them through the
// stiffness, out_i = sum_j |K_ij| eps |q_j| with A = scale K at hand (rotations count as 1 rad at
// least, translations as the longest spring). `work` has n_v numbers.
void pcs_model_force_rounding(const pcs_model *model, const pcs_configuration *c,
                              const pcs_saddle *A, double scale, double *work, double *out);
// A saddle system over the nodes of the model; `def` has the rest, rows and couplings.
pcs_status pcs_model_saddle_create(pcs_context *ctx, const pcs_model *model,
                                   const pcs_saddle_def *def, pcs_saddle **out) PCS_MUST_CHECK;
// The same with the couplings that K and C have, and with these rows.
pcs_status pcs_model_saddle_with_rows(pcs_context *ctx, const pcs_model *model, int32_t n_rows,
                                      const pcs_row_block *rows, pcs_saddle **out) PCS_MUST_CHECK;
double pcs_model_kinetic(const pcs_model *model, const pcs_configuration *c);
double pcs_model_potential(const pcs_model *model, const pcs_configuration *c);

// Joint rows: g, the rate of the prescribed part (G v = rate on the constraint), and the convective
// term (dG/dt) v - rate'. `blocks` (or NULL) gets the Jacobian. NULL arrays are not computed.
typedef struct pcs_rows {
    pcs_row_block *blocks;
    double *g, *rate, *convective;
} pcs_rows;

// Storage for the Jacobian blocks of all rows (all-zero until evaluated), and with_slots: behind
// them an empty block for each slot, for the rows of contacts that are held like joints.
pcs_status pcs_model_row_blocks_create(pcs_context *ctx, const pcs_model *model,
                                       pcs_row_block **blocks, double **values) PCS_MUST_CHECK;
pcs_status pcs_model_row_blocks_with_slots(pcs_context *ctx, const pcs_model *model,
                                           pcs_row_block **blocks, double **values) PCS_MUST_CHECK;
void pcs_model_rows(const pcs_model *model, const pcs_configuration *c, const pcs_rows *rows);
// blocks += scale d(G v)/dq at the velocities of the configuration
void pcs_model_rate_tangent(const pcs_model *model, const pcs_configuration *c, double scale,
                            pcs_row_block *blocks);
// The node pairs (i < j, ascending, each once) that are coupled in K, C or by the geometric terms
// of a joint row, for a matrix with those terms. *pairs is the caller's (pcs_free).
pcs_status pcs_model_all_pairs(pcs_context *ctx, const pcs_model *model, int32_t (**pairs)[2],
                               int32_t *n) PCS_MUST_CHECK;
// out = G v over all rows
void pcs_model_rows_multiply(const pcs_model *model, const pcs_row_block *blocks, const double *v,
                             double *out);
// Row i of one block times v
double pcs_model_row_multiply(const pcs_model *model, const pcs_row_block *block, int32_t i,
                              const double *v);
// f += G^T p
void pcs_model_rows_add_transposed(const pcs_model *model, const pcs_row_block *blocks,
                                   const double *p, double *f);

// Curve joints, in the order of the joints (n_faces - n_slots numbers each): the way along the face
// to its nearer end (< 0 beyond it), the face, and the one beyond that end (-1: none).
void pcs_model_curve_edges(const pcs_model *model, const pcs_configuration *c, double *edge,
                           int32_t *face, int32_t *next_face);

// Where the point of a curve joint is on its curve: the face (the one held, or the nearest), its
// speed along it, and for the start [0] and the end [1] of the face the way to it (< 0 beyond), the
// face that follows there (-1: none) and whether the tangent jumps.
typedef struct pcs_curve_station {
    int32_t face;
    double speed;
    double way[2];
    int32_t next[2];
    bool corner[2];
} pcs_curve_station;
pcs_curve_station pcs_joint_curve_station(const pcs_model *model, const pcs_configuration *c,
                                          const pcs_joint *joint);

// First branch references of the multi-turn angles: the turn in which a prescribed motion has the
// angle at c->t, or that the limits allow; otherwise the one in (-pi, pi].
void pcs_model_initial_turns(const pcs_model *model, const pcs_configuration *c, double *turns);
// Rate and acceleration that prescribed motions and constraints with time in them ask for at time t
// and the positions of c (0 for the other rows). Either may be NULL.
void pcs_model_prescribed(const pcs_model *model, const pcs_configuration *c, double t,
                          double *rate, double *acceleration);
// p.G v over the rows of prescribed motions and constraints with time in them: their work for
// impulses p.
double pcs_model_driven_work(const pcs_model *model, const pcs_row_block *blocks, const double *p,
                             const double *v);

// Where the multi-turn angles at c, whose nodes are up to date, are expected (turns.c): references of
// their branches.
void pcs_model_follow_turns(const pcs_model *model, const pcs_configuration *c, pcs_turns from,
                            double *turns);
// The multi-turn angles at a configuration, of the branches that it has been updated with.
void pcs_model_update_turns(const pcs_model *model, const pcs_configuration *c, double *turns);

#endif

// Workspace of the nonsmooth generalized-alpha scheme. A step solves three problems, one file each:
//
//     smooth    nonsmooth_alpha_smooth.c    unknowns v'~, lambda~: free flight with joints
//     position  nonsmooth_alpha_position.c  unknowns U, nu:        q = q_n [+] (d~ + U)
//     velocity  nonsmooth_alpha_velocity.c  unknowns W, Lambda:    v = v~ + W
//
// Each evaluates its residual and fills its matrix; nonsmooth_alpha_newton.c iterates on any of
// them, nonsmooth_alpha_contact.c has the contact law, nonsmooth_alpha_delassus.c the operator W of
// its linear problem, nonsmooth_alpha_measure.c what a step leaves behind.
// Multipliers are physical here: nu and Lambda stand for k nu and k Lambda of the thesis.
#ifndef PCS_SCHEMES_NONSMOOTH_ALPHA_H
#define PCS_SCHEMES_NONSMOOTH_ALPHA_H

#include "base/arena.h"
#include "model/assembly.h"
#include "schemes/nonsmooth_alpha_options.h"
#include "schemes/singular.h"

typedef enum na_level { NA_SMOOTH, NA_POSITION, NA_VELOCITY, NA_LEVELS } na_level;

// A point of Newton's method, or a correction of one.
typedef struct na_iterate {
    double *x; // n_v: v'~, U or W
    double *p; // n_rows: multipliers of the joints
    double *r; // 3 for each slot: multipliers of the contacts, (N, T1, T2)
} na_iterate;

typedef enum na_status { NA_GAP, NA_SLIP, NA_STICK } na_status;

// What a contact was in the smooth problem of a step; part of the state.
typedef enum na_part { NA_APART, NA_RESTING, NA_SLIPPING } na_part;

// How far an iterate is from a solution, each in units of its tolerance; and the norm of the whole
// residual, which the line search brings down.
typedef struct na_error {
    double momentum, rows, contacts, norm;
    int32_t worst_node, worst_row, worst_slot; // -1: none
} na_error;

// Newton iterations of the run, for each of the three problems.
typedef struct na_counts {
    int64_t steps, sum[NA_LEVELS];
    int32_t most[NA_LEVELS];
    int64_t searches;  // corrections that the line search shortened
    int64_t fallbacks; // problems that went over to contact_solver complementarity
    int64_t restarts;  // smooth problems that were solved from the start of the step
    int64_t operators; // of models with meshes: how often W was not at hand
} na_counts;

// The last W of a saddle system and the rows it belongs to, for models with meshes.
typedef struct na_delassus {
    pcs_arena arena; // of both
    size_t reserved; // bytes of it
    int64_t factors; // pcs_saddle_factorisations() of its factors
    int32_t n;       // 0: none
    pcs_row_block *H;
    pcs_block_matrix W;
} na_delassus;

typedef struct nonsmooth_alpha {
    pcs_scheme base;
    pcs_saddle *saddle;
    pcs_saddle *of_velocity; // of the velocity problem: one of its own, or the same
    pcs_saddle *used;        // by the problem at hand
    pcs_arena arena;         // step memory: W and the solvers' workspace
    size_t reserved;         // bytes of it
    na_delassus kept[2];     // of saddle and of_velocity
    int variant;
    double alpha_m, alpha_f, beta, gamma;
    double mass;      // characteristic, kg
    double *radius;   // by node: radius of gyration at the start; 1 for a point or a vector
    bool decide_rank; // look for redundant rows at the beginning of every step
    na_counts counts;
    bool has_loops;
    pcs_singular position;         // how near to a singular one, for the report
    struct pcs_gap_search *search; // contacts that a step would pass
    double cut;        // length of the step that meets a contact which this one would pass; 0: none
    bool keep_passage; // the step is taken even if it passes a contact
    bool keep_gain;    // the step is taken even if it gains energy

    // The step at hand.
    double t_n, h, c_v, c_q; // a change x of v'~ changes v~ by c_v x and d~ by c_q x
    const double *q_n, *v_n, *turns, *external;
    const double *rate_n, *a_n; // v'~_n and a_n, from the state's memory
    const double *force_n;      // of the contacts in the last step
    double *start_v, *start_d;  // parts of v~ and d~ that do not depend on v'~
    double *new_rate;           // v'~_n and a_n where contacts have joined the smooth problem
    bool *persistent;           // by slot: closed and at rest at t_n, part of the smooth problem
    bool *slipping;             // of these
    int32_t n_persistent;
    double still; // speed of a contact that counts as rest, m/s
    na_iterate iterate[NA_LEVELS], saved, direction;
    bool complementarity; // contact law of the problem at hand
    na_error error[NA_LEVELS];

    pcs_configuration start, smooth, end;    // (q_n, v_n), (q~, v~), (q, v)
    double *q_smooth, *q_end, *v_smooth, *v; // v: end velocity
    double *d_smooth, *d;                    // step vectors, q = q_n [+] d

    // Frozen after the smooth problem: f(q~, v~), M(q~) v'~, G(q~)^T lambda~ with the forces of
    // persistent contacts; at the end of the
    // position problem the part of h f* that does not depend on W.
    double *f_smooth, *momentum_smooth, *reaction_smooth, *change;
    double *f;
    bool f_of_position; // f is that of the position problem, at (q, v~)
    double *momentum;   // M(q) v~: sets the level of rounding in the velocity problem

    // Residual of the problem at hand, sizes of its terms, residual of the joint rows.
    double *residual, *scale, *row_residual, *work;
    double *rounding; // of the forces, n_v; 0 until a matrix of this step is at hand
    pcs_row_block *rows_smooth, *rows_right, *rows_end; // G(q~), its linearised rates, G(q)
    double *values_smooth, *values_right, *values_end;
    double *driven; // by row: impulses of prescribed motions whose rate has jumped at t_n
    double *g, *rate;

    // Contacts, all slots.
    pcs_contact *contacts_start, *contacts_end;
    pcs_row_block *contact_rows; // rows that take part in the problem at hand
    bool *closed;                // may carry a load in the problem at hand
    double *local;               // 3 for each slot: gap and slip, or velocities with restitution
    double *slip;                // 2 for each slot
    double *penalty;             // p of xi = r - p g, by slot; 0: not known yet
    double *restitution, *u_n;   // 3 for each slot: e u_n on approach, u_n
    double *spent;               // 3 for each slot: impulses of earlier rounds (pcs_na_next_round)
    int32_t rounds;              // of impacts after the first
    double *held;                // by slot: gap, < 0, at which a node inside a mesh is held; else 0
    double *hit_rate; // by slot: mean normal velocity of the way to q~ along the normal of q_{n+1}
    bool *touched;    // xi_N >= 0 at the end of the position problem
    bool *hit;        // by the velocities of a round, while they were out of it
    double *forecast; // by slot: gap at q~
    double *approach; // by slot: fastest approach before an impact of the step
    int32_t *active;  // slots of the linear system or contact problem at hand
} nonsmooth_alpha;

// ---- The three problems ----

// Start vectors, predictor of the smooth problem, contacts at the start of the step.
void pcs_na_predict(nonsmooth_alpha *s);
// Whether a row is over nodes of meshes.
bool pcs_na_is_flexible(const pcs_model *m, const pcs_row_block *row);
// What a contact is in the smooth problem.
na_part pcs_na_part_of(const nonsmooth_alpha *s, int32_t slot);
// Which contacts are part of the smooth problem, and v'~_n and a_n with them where they have just
// become so; `state` is that of t_n.
pcs_status pcs_na_begin_smooth(nonsmooth_alpha *s, const pcs_state *state, pcs_step_report *report)
    PCS_MUST_CHECK;
void pcs_na_evaluate_smooth(nonsmooth_alpha *s);
pcs_status pcs_na_matrix_smooth(nonsmooth_alpha *s) PCS_MUST_CHECK;
// Sets contacts apart whose state has changed; false: none.
bool pcs_na_part_contacts(nonsmooth_alpha *s, bool with_friction);
// The smooth problem without them, from new accelerations of t_n.
pcs_status pcs_na_restart_smooth(nonsmooth_alpha *s, pcs_step_report *report) PCS_MUST_CHECK;
// Keeps f, M v'~, G^T lambda~ and the contact forces of the solution.
void pcs_na_freeze_smooth(nonsmooth_alpha *s);

void pcs_na_find_inside(nonsmooth_alpha *s);
void pcs_na_evaluate_position(nonsmooth_alpha *s);
pcs_status pcs_na_matrix_position(nonsmooth_alpha *s) PCS_MUST_CHECK;
// The solution decides which contacts take part in the velocity problem.
void pcs_na_freeze_position(nonsmooth_alpha *s);

void pcs_na_begin_velocity(nonsmooth_alpha *s);
// Contacts that were out of the solved problem and are hit by it: prepares the next impact from its
// velocity; false: none.
bool pcs_na_next_round(nonsmooth_alpha *s);
// The impulses of all rounds.
void pcs_na_add_rounds(nonsmooth_alpha *s);
void pcs_na_evaluate_velocity(nonsmooth_alpha *s);
pcs_status pcs_na_matrix_velocity(nonsmooth_alpha *s) PCS_MUST_CHECK;

// ---- Shared by them ----

// residual -= G^T p and residual -= H^T r over the slots that may carry a load; sizes into scale.
void pcs_na_subtract_rows(nonsmooth_alpha *s, const pcs_row_block *rows, const double *p);
void pcs_na_subtract_contacts(nonsmooth_alpha *s, const double *r);
void pcs_na_subtract_spent(nonsmooth_alpha *s);
// residual += factor x, and its size
void pcs_na_add_term(nonsmooth_alpha *s, double factor, const double *x);
// The rounding of the forces, times the factor, counts as a term of the balance.
void pcs_na_add_force_rounding(nonsmooth_alpha *s, double factor);
// The rounding of factor x counts as a term of the balance: x enters it as a difference.
void pcs_na_add_rounding(nonsmooth_alpha *s, double factor, const double *x);
// Columns of the rotations in A and in rows: A <- A T(d) or A T(d)^{-1}
void pcs_na_chart_matrix(nonsmooth_alpha *s, const double *d, bool inverse);
void pcs_na_chart_rows(nonsmooth_alpha *s, const double *d, pcs_row_block *rows);
// x <- T(d)^{-1} x
void pcs_na_to_chart(const nonsmooth_alpha *s, const double *d, double *x);
// Factorises a saddle system with these rows (left NULL: the same), and uses it from now on.
pcs_status pcs_na_factor(nonsmooth_alpha *s, pcs_saddle *saddle, const pcs_row_block *right,
                         const pcs_row_block *left) PCS_MUST_CHECK;
void pcs_na_clear_matrix(nonsmooth_alpha *s);

// ---- Newton's method ----

// Solves a problem from the iterate at hand, by complementarity where Newton's contact law does not
// converge. PCS_NOT_CONVERGED leaves the last iterate, evaluated.
pcs_status pcs_na_solve(nonsmooth_alpha *s, na_level level, pcs_step_report *report) PCS_MUST_CHECK;
// The coupled variant: one correction of each problem in turn until none needs one.
pcs_status pcs_na_solve_coupled(nonsmooth_alpha *s, pcs_step_report *report) PCS_MUST_CHECK;

// ---- Contacts ----

// Projection P of xi = r - p local on the friction cone of radius mu xi_N, and its derivative D
// (row-major, size x size; NULL: not wanted).
na_status pcs_na_contact_law(const nonsmooth_alpha *s, int32_t slot, const double *r, double *P,
                             double *D);
// W of the row blocks with the factors at hand, from the step memory; the caller may change it.
pcs_status pcs_na_delassus(nonsmooth_alpha *s, int32_t n, const pcs_row_block *const *H,
                           pcs_block_matrix *W) PCS_MUST_CHECK;
// Empties an arena. It gets twice the memory that was ever needed, and `least` bytes: the heap is
// asked a few times in a run at most.
pcs_status pcs_na_reserve(nonsmooth_alpha *s, pcs_arena *arena, size_t *reserved, size_t least)
    PCS_MUST_CHECK;
// Multipliers of the linearised problem: with y0 the correction without contacts,
//     r = P + D (r - r_k - p H y),   y = y0 + B H^T r       (newton)
//     u = local + H y in the normal cone of r               (complementarity)
// The result goes into s->direction.r (the new values, not the change).
pcs_status pcs_na_contact_newton(nonsmooth_alpha *s, na_level level, const double *y0)
    PCS_MUST_CHECK;
pcs_status pcs_na_contact_complementarity(nonsmooth_alpha *s, na_level level, const double *y0,
                                          pcs_step_report *report) PCS_MUST_CHECK;

// Gives the contact problem of the solved velocity problem to the hook, if there is one.
pcs_status pcs_na_offer_problem(nonsmooth_alpha *s, const pcs_step_report *report) PCS_MUST_CHECK;

// ---- After the step ----

// Where the state's memory has what the contacts were in the smooth problem (na_part), their forces
// in it, and the power of the prescribed motions at t_n; before them are v'~ and a.
static inline int64_t pcs_na_part_index(const pcs_model *model)
{
    return 2 * (int64_t)model->n_v;
}

static inline int64_t pcs_na_force_index(const pcs_model *model)
{
    return pcs_na_part_index(model) + model->n_slots;
}

static inline int64_t pcs_na_power_index(const pcs_model *model)
{
    return pcs_na_force_index(model) + 3 * (int64_t)model->n_slots;
}

pcs_status pcs_na_measure(nonsmooth_alpha *s, pcs_state *state, pcs_step_report *report)
    PCS_MUST_CHECK;
void pcs_na_store(nonsmooth_alpha *s, pcs_state *state);

// Iterations of a scheme of this class since its start.
const na_counts *pcs_nonsmooth_alpha_counts(const pcs_scheme *scheme);

#endif

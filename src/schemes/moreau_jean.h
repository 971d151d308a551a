// Workspace of the Moreau-Jean scheme, shared by its step (moreau_jean.c), the contact problem of
// the step (moreau_jean_contact.c) and the projection after it (moreau_jean_project.c).
#ifndef PCS_SCHEMES_MOREAU_JEAN_H
#define PCS_SCHEMES_MOREAU_JEAN_H

#include "base/arena.h"
#include "model/assembly.h"
#include "model/neighbours.h"
#include "nonsmooth/friction_solver.h"
#include "schemes/scheme.h"
#include "schemes/singular.h"

// Options, in the order of the table in moreau_jean.c.
typedef enum moreau_jean_option {
    MJ_THETA,
    MJ_FORECAST,
    MJ_VARIANT,
    MJ_PROJECTION,
    MJ_PROJECTION_TOLERANCE,
    MJ_NEWTON_TOLERANCE,
    MJ_NEWTON_ITERATIONS,
    MJ_SOLVER_TOLERANCE,
    MJ_SOLVER_ITERATIONS,
    MJ_ON_FAILURE,
    MJ_IMPACT_SPEED,
    MJ_ASSEMBLY_LIMIT,
    MJ_OPTION_COUNT
} moreau_jean_option;

// The rows of these options. A scheme that embeds this one begins its own table with them, its own
// enum with MJ_OPTION_COUNT and its struct with moreau_jean: then every function here works on it.
#define MJ_OPTION_ROWS                                                                         \
    [MJ_THETA] = PCS_REAL_ROW(                                                                 \
        "theta", 0.5, 0.5, 1,                                                                  \
        "weight of the end of the step: 0.5 is second order in smooth motion, 1 damps"),       \
    [MJ_FORECAST] = PCS_REAL_ROW(                                                              \
        "forecast", 0.5, 0, 1,                                                                 \
        "part of the step that the gap is forecast ahead to find closing contacts"),           \
    [MJ_VARIANT] = PCS_CHOICE_ROW(                                                             \
        "variant", MJ_STANDARD, MJ_DISSIPATIVE, pcs_mj_variants,                               \
        "standard, or dissipative: for linear forces no energy gain at any theta"),            \
    [MJ_PROJECTION] = PCS_CHOICE_ROW(                                                          \
        "projection", MJ_PROJECT_ALL, MJ_PROJECT_ALL, pcs_mj_projections,                      \
        "after the step: none, bilateral (joints), all (joints and contacts)"),                \
    [MJ_PROJECTION_TOLERANCE] = PCS_REAL_ROW(                                                  \
        "projection_tolerance", 1e-12, 1e-15, 1,                                               \
        "joint error and penetration left by the projection, m or rad"),                       \
    [MJ_NEWTON_TOLERANCE] = PCS_REAL_ROW("newton_tolerance", 1e-10, 1e-14, 1e-2,               \
                                         "momentum balance, relative to its terms"),           \
    [MJ_NEWTON_ITERATIONS] = PCS_INTEGER_ROW("newton_iterations", 30, 1, 1000,                 \
                                             "largest number of Newton iterations in a step"), \
    [MJ_SOLVER_TOLERANCE] = PCS_REAL_ROW(                                                      \
        "solver_tolerance", 1e-10, 1e-15, 1,                                                   \
        "contact problem, residual relative to the driving velocity"),                         \
    [MJ_SOLVER_ITERATIONS] = PCS_INTEGER_ROW(                                                  \
        "solver_iterations", 10000, 1, 1e9,                                                    \
        "largest number of sweeps and linear solves in a contact solve"),                      \
    [MJ_ON_FAILURE] = PCS_CHOICE_ROW(                                                          \
        "on_failure", MJ_ACCEPT, MJ_STOP, pcs_mj_policies,                                     \
        "when a solve does not converge: accept the best iterate, shrink_step, try "           \
        "the next_solver and then accept, or stop"),                                           \
    [MJ_IMPACT_SPEED] = PCS_REAL_ROW(                                                          \
        "impact_speed", 1e-9, 0, 1e9,                                                          \
        "approach speed above which a closing contact counts as an impact, m/s"),              \
    [MJ_ASSEMBLY_LIMIT] = PCS_REAL_ROW(                                                        \
        "assembly_limit", 0.1, 0, 1e9,                                                         \
        "largest initial correction, as a part of the model's size (or rad)")
extern const char *const pcs_mj_variants[], *const pcs_mj_projections[], *const pcs_mj_policies[];

// Impacts less than this part of a step apart are one: corners of a box that lands flat where a step
// ends are found on either side of zero, by rounding and the solver's error of steps before.
#define MJ_TOGETHER 1e-6

enum { MJ_STANDARD, MJ_DISSIPATIVE };
enum { MJ_PROJECT_NONE, MJ_PROJECT_BILATERAL, MJ_PROJECT_ALL };
enum { MJ_ACCEPT, MJ_SHRINK_STEP, MJ_NEXT_SOLVER, MJ_STOP };

typedef struct moreau_jean {
    pcs_scheme base;
    pcs_saddle *saddle; // A = M + h theta C + h^2 theta a K with the joint rows of the forecast
    struct pcs_gap_search *search; // contacts that a step would pass
    pcs_arena arena;               // step memory: W and the solver's workspace

    // The step at hand.
    double h, theta, a; // a: weight of v_{k+1} in the position update
    const double *q_k, *v_k, *gap_k, *turns, *external;
    double t_k;
    const bool *forced; // by slot: active in a step over an impact; NULL: an ordinary step
    double together;    // time between impacts below which they are one; with `forced` the caller's
    double cut;        // length of the step that meets a contact which this one would pass; 0: none
    bool keep_passage; // the step is taken even if it passes a contact
    double violation;  // before the projection: deepest penetration that the step added, or largest
                       // gap of a contact at rest
    bool keep_gain;    // the step is taken even if its contacts feed the motion
    bool keep_diverged; // the step is taken even if Newton's method went astray
    // Positions and velocities have contact problems of their own (moreau_jean_levels.c); at the
    // first of them the law is that of the displacements.
    bool two_levels, of_displacements;

    pcs_configuration forecast; // q_k [+] theta h v_k: geometry of rows and contacts
    pcs_configuration middle;   // q_{k+theta}, v_{k+theta}: forces
    pcs_configuration end;      // q_{k+1}, v_{k+1}
    double *q_forecast, *q_middle, *q_end;
    double *v, *v_middle;             // Newton iterate of v_{k+1}; (1-theta) v_k + theta v
    double *v_work;                   // v_{k+a}: moves the positions, and work is taken along it
    double *way;                      // from q_k to q_end before the projection
    double *v_free;                   // velocity under the joints, without contacts
    double *v_before;                 // velocity before the round of impacts at hand
    double *f, *x, *momentum, *scale; // forces; right-hand side and solution; M (v - v_k)
    double *M_v, *rounding;           // set the level of rounding in the balance

    // Joint rows at the forecast (kept by the saddle) and at the end.
    pcs_row_block *rows, *rows_end;
    double *row_values, *row_values_end;
    double *g, *rate, *convective; // of the rows at hand
    double *p, *p_free, *p_step;   // impulses of the step, without contacts, and increment

    // Contacts that can matter in the step: no centre of a sphere moves farther than `reach` in any
    // configuration that it looks at; if one does (`beyond`), the step is made anew with all.
    pcs_neighbours neighbours;
    double reach;
    bool beyond;

    // Contacts: the slots that are near, at the forecast and at the end; the active ones of the step
    // packed.
    pcs_contact *contacts, *contacts_end;
    int32_t n_active;
    int32_t *active;                // slots
    bool *is_active;                // for each slot
    const pcs_row_block **H;        // rows of the active contacts
    pcs_row_block *normal_rows;     // first rows, for the position projection
    int32_t *offset;                // first scalar row of each active contact, n_active + 1
    double *u_k, *r, *u, *q_c, *mu; // packed: velocity before, impulses, velocities after, problem
    double stretch;  // length of the step over that of the last one; 1 where that has been seen to
    double warm;     // the first guess of the impulses, over those of the last step
    double *turning; // by slot: change of u_N from the forecast to the end (find_turning)
    // Impacts of a step follow each other in rounds (moreau_jean_rounds.c). Packed:
    int32_t n_rounds;    // after the first
    int32_t n_struck;    // contacts whose restitution is set
    bool impacts;        // there was one
    double noise;        // speed below which the solver knows none, m/s
    bool *out;           // the contact separates before the round: it takes no part
    bool *hit;           // it takes part in the next round for having been hit in this one
    double *approach;    // speed of the largest impact, > 0; 0: none, the contact rests
    double *restitution; // e_N min(u_N, 0), e_T u_T with the velocity before the impact
    double *spent;       // impulses of impacts of earlier rounds
    double *room;        // by slot: impulse by which positions may be lowered onto the contact
    // Of the displacements: velocity 2 d/h - v_k, impulses by slot
    double *v_way, *r_way;
    bool in_parts; // the step is to be taken in parts: it meets faces, or its contacts feed it
    // By slot: gap, < 0, at which a node that is inside a body is held, else 0; and the same along the
    // rows of the forecast.
    double *found, *found_ahead;
    pcs_block_matrix W;
    int32_t W_contacts; // that W is of; 0: W is not ready

    bool has_loops;
    pcs_singular position; // how near to a singular one, for the report
} moreau_jean;

// One step without retries. The state is untouched after an error, and when a solve did not
// converge and the policy is shrink_step or stop, the solve diverged, or the step would pass a
// contact (s->cut > 0): PCS_NOT_CONVERGED with report->h = 0.
pcs_status pcs_mj_step_once(moreau_jean *s, pcs_state *state, double h, pcs_step_report *report)
    PCS_MUST_CHECK;

// Slots whose forecast gap is closed, with their rows, restitution terms and warm start.
void pcs_mj_activate(moreau_jean *s, const pcs_state *state);
// Activates the slots that carried a load and are within reach of the step's forces and, if the step
// looks ahead, those that the free velocity would penetrate at its end.
void pcs_mj_activate_free(moreau_jean *s, const pcs_state *state, bool ahead);
// Activates the slots that approach and would be penetrated with the velocity v, or marks them as
// `hit` where they have left; how many.
int32_t pcs_mj_activate_hit(moreau_jean *s, const pcs_state *state);
// Activates the slots that touch, do not move before the round at hand and are hit by it: they are
// part of it; how many.
int32_t pcs_mj_activate_touching(moreau_jean *s, const pcs_state *state);
// First component of pcs_contact_velocity.
double pcs_mj_normal_velocity(const pcs_model *model, const pcs_contact *contact, const double *v);
// Largest approach speed that the forces of this step can give a contact: the sum over its nodes of
// |H_N (v_free - v_k)|.
double pcs_mj_resting_speed(const moreau_jean *s, const pcs_contact *contact);
// The same for the velocity at the start of the step, with the turning of the normal of a closed
// contact: its U_N at the start is zero but for the error of the last step, O(h^2), which is less than
// the normal turns in a step. The forces on its two bodies may be as weak, if others press on them.
double pcs_mj_starting_speed(const moreau_jean *s, int32_t slot);
// Appends a slot, whose rows are evaluated, to the active contacts.
void pcs_mj_add_active(moreau_jean *s, const pcs_state *state, int32_t slot);
// Gap at the end of the step, to first order, for the normal velocity u = H_N v there.
double pcs_mj_gap_at_end(const moreau_jean *s, const pcs_contact *contact, double u);
// The contact problems of the step, round by round, from the free velocity: r, u, v and p.
pcs_status pcs_mj_solve_rounds(moreau_jean *s, const pcs_state *state, pcs_step_report *report)
    PCS_MUST_CHECK;
// The same over the contacts that are active, no others; `rest`: without restitution.
pcs_status pcs_mj_solve_closed(moreau_jean *s, const pcs_state *state, bool rest,
                               pcs_step_report *report) PCS_MUST_CHECK;
// Work of the impulses of an active contact over the step, by component: r.(H v)_{k+a}.
void pcs_mj_work_of_contact(const moreau_jean *s, int32_t k, double work[3]);
// One contact problem: r, u, v and p with the impulses spent and the restitutions as they are.
pcs_status pcs_mj_solve_round(moreau_jean *s, pcs_step_report *report) PCS_MUST_CHECK;
// Whether contacts that the end of the step would penetrate take part.
bool pcs_mj_looks_ahead(const moreau_jean *s);
// Notes whether a velocity carries a sphere beyond the reach of the step.
void pcs_mj_check_reach(moreau_jean *s, const double *v);
// x += H^T r over the active contacts; with `absolute` sums |H_ij r_j| instead.
void pcs_mj_add_contact_impulses(const moreau_jean *s, double *x, bool absolute);

// Models with meshes: the contact problem of the displacements in place of the rounds, and the
// velocities of the end from the positions of the step.
pcs_status pcs_mj_solve_displacements(moreau_jean *s, const pcs_state *state,
                                      pcs_step_report *report) PCS_MUST_CHECK;
pcs_status pcs_mj_settle(moreau_jean *s, const pcs_state *state, pcs_power *power,
                         pcs_step_report *report) PCS_MUST_CHECK;

// Whether a node is so deep in the face of a mesh that it is held there, not pushed out.
bool pcs_mj_starts_inside(const moreau_jean *s, const pcs_contact *contact, double gap);
// Nodes that the forecast finds inside a body: the gaps at which they are held (`found`).
void pcs_mj_find_inside(moreau_jean *s);
// Whether the step comes upon faces that its contact problem did not have, so that it is to be
// taken in parts; contacts_end with rows.
bool pcs_mj_meets_faces(moreau_jean *s);

// Whether the contacts of a step that has been settled have given energy to the motion.
bool pcs_mj_contacts_feed(moreau_jean *s);

// Factors of the matrix at hand with the joint rows.
pcs_status pcs_mj_factor(moreau_jean *s) PCS_MUST_CHECK;

// Move q_end and v on the constraints as the options ask. Need the factors of the step.
pcs_status pcs_mj_project_positions(moreau_jean *s, pcs_step_report *report) PCS_MUST_CHECK;
pcs_status pcs_mj_project_velocities(moreau_jean *s, pcs_step_report *report) PCS_MUST_CHECK;

#endif

// Lagrangian systems: generalised coordinates on a vector node, with formulas or the user's
// functions for everything (docs/theory/lagrangian-systems.md).
//
// A system is evaluated into a work array that belongs to the configuration. Results stand in its
// slots; `slots` of the system says where, in the same way for formulas and for functions. Stages
// are evaluated when they are first asked for and kept until the configuration is updated.
#ifndef PCS_MODEL_LAGRANGIAN_H
#define PCS_MODEL_LAGRANGIAN_H

#include "base/array.h"
#include "formula/program.h"
#include "linalg/saddle.h"
#include "model/configuration.h"
#include "model/contact.h"
#include "percuss/model.h"

// What a formula of a system is for.
typedef enum pcs_system_part {
    PCS_SYSTEM_KINETIC,
    PCS_SYSTEM_MASS, // entry i n + j
    PCS_SYSTEM_POTENTIAL,
    PCS_SYSTEM_DISSIPATION,
    PCS_SYSTEM_FORCE,      // of coordinate i
    PCS_SYSTEM_CONSTRAINT, // i
    PCS_SYSTEM_GAP,        // row i of the contacts: gaps and tangential displacements
    PCS_SYSTEM_POINT,      // component i of the points
    PCS_SYSTEM_PART_COUNT
} pcs_system_part;

typedef struct pcs_system_formula {
    pcs_system_part part;
    int32_t index;
    double number;
    char *text; // NULL: the number
} pcs_system_formula;

typedef enum pcs_system_stage {
    PCS_STAGE_MASS,
    PCS_STAGE_FORCE,
    PCS_STAGE_POWER,
    PCS_STAGE_POTENTIAL,
    PCS_STAGE_ROWS,       // g, G, dg/dt
    PCS_STAGE_PRESCRIBED, // dg/dt and d2g/dt2 of the constraints
    PCS_STAGE_CONVECTIVE,
    PCS_STAGE_GAPS,
    PCS_STAGE_GAP_ROWS,
    PCS_STAGE_GAP_CONVECTIVE,
    PCS_STAGE_TANGENT,
    PCS_STAGE_MASS_TANGENT, // of the accelerations in the work array
    PCS_STAGE_ROW_TANGENT,  // of the multipliers in the work array
    PCS_STAGE_RATE_TANGENT,
    PCS_STAGE_POINTS,
    PCS_STAGE_COUNT
} pcs_system_stage;

// Slots of the results, matrices row-major. n coordinates, m constraints, r contact rows, z inputs.
typedef struct pcs_system_slots {
    int32_t *M;                     // n n
    int32_t *f;                     // n
    int32_t *applied, *damping;     // n, for the powers
    int32_t *moving;                // 1: power that keeps the energies right where M or T has time
    int32_t *potential;             // 1
    int32_t *g, *G, *G_z, *g_t;     // m, m n, m z, m
    int32_t *g_tt;                  // m
    int32_t *convective;            // m, without what the inputs themselves contribute
    int32_t *gap, *H, *H_z, *gap_t; // r, r n, r z, r
    int32_t *gap_convective;        // r
    int32_t *f_q, *f_v, *f_z;       // n n, n n, n z
    int32_t *Ma_q;                  // n n
    int32_t *Gl_q, *Gl_z, *Gl_zz;   // n n, n z, z z: second derivatives of lambda.g
    int32_t *r_q, *r_z;             // m n, m z: derivatives of the rates G v + G_z z' + dg/dt
    int32_t *point, *point_rate;    // 3 points
} pcs_system_slots;

typedef struct pcs_system_gap {
    char *name;
    pcs_law law;
    int32_t first, size; // rows among the contact rows of the system
    int32_t used;        // rows that the law needs: 1, or the dimension
    int32_t slot;        // of the model
    int32_t n_nodes;     // nodes of its rows
    int32_t node[PCS_ROW_NODES_MAX];
} pcs_system_gap;

typedef struct pcs_system {
    char *name;
    int32_t n, node;
    char **coordinate; // names
    double *initial, *rate;
    int32_t n_constraints;
    char **constraint;
    int32_t *row;       // scalar row of the model for each constraint
    int32_t *row_block; // and its block
    bool *driven;       // depends on time
    int32_t n_gaps, n_gap_rows;
    pcs_system_gap *gap;
    int32_t n_points, n_lines;
    char **point;
    int32_t (*line)[2];
    bool has_mass; // given directly
    PCS_ARRAY(pcs_system_formula) formulas;
    bool has_functions;
    pcs_system_functions functions;
    // Derived at the end of building.
    int32_t n_inputs;
    int32_t *input; // the model's inputs that its formulas read
    pcs_program *program;
    int32_t *slot_storage;
    pcs_system_slots slots;
    int32_t zero;                         // a slot that holds 0
    int32_t at_t, at_q, at_v, at_a, at_l; // first slots of t, q, v, accelerations, multipliers
    int32_t at_z;                         // of the inputs: value and rate of each in turn
    int32_t work, work_size;              // place in the configuration's array
} pcs_system;

void pcs_system_free(pcs_context *ctx, pcs_system *system);
void pcs_system_forget_derived(pcs_context *ctx, pcs_system *system);

struct pcs_builder;
// Derives everything from the formulas of system k.
pcs_status pcs_system_derive(struct pcs_builder *builder, int32_t k) PCS_MUST_CHECK;
// Slots and sizes of a system with functions.
pcs_status pcs_system_lay_out(pcs_context *ctx, pcs_system *system) PCS_MUST_CHECK;

// Takes t, q, v and inputs over from an updated configuration.
void pcs_systems_start(const struct pcs_model *model, pcs_configuration *c);
// Work array of system k with the stages (bits) evaluated at the configuration.
double *pcs_system_evaluate(const struct pcs_model *model, const pcs_configuration *c, int32_t k,
                            uint32_t stages);
void pcs_system_contacts(const struct pcs_model *model, const pcs_configuration *c, bool rows,
                         pcs_contact *contacts);
// Storage that the rows of systems' contacts need beyond pcs_contact, in numbers.
int64_t pcs_system_contact_storage(const struct pcs_model *model);
void pcs_system_set_contact_storage(const struct pcs_model *model, pcs_contact *contacts,
                                    double *storage);
// As pcs_model_prescribed, for the rows of systems.
void pcs_system_prescribed(const struct pcs_model *model, const pcs_configuration *c, double t,
                           double *rate, double *acceleration);
// World place and velocity of point i of system k.
void pcs_system_point(const struct pcs_model *model, const pcs_configuration *c, int32_t k,
                      int32_t i, pcs_vec3 *position, pcs_vec3 *velocity);

#endif

// Contacts of a model. A declared pair owns a fixed number of slots (contact points); joint limits
// are slots too (size 1). Evaluation fills an array of pcs_contact, one for each slot, that the
// scheme owns. Gap > 0 is open; n points from a to b; local components in the order (N, T1, T2).
#ifndef PCS_MODEL_CONTACT_H
#define PCS_MODEL_CONTACT_H

#include "linalg/rows.h"
#include "model/configuration.h"
#include "percuss/formula.h"
#include "percuss/model.h"

struct pcs_saddle;

typedef struct pcs_contact_pair {
    char *name;
    pcs_contact_kind kind;
    pcs_pair pair;
    double radius_a, radius_b;
    pcs_vec3 size;
    double width;
    pcs_vec2 *vertices;
    int32_t n_vertices;
    bool closed;
    struct pcs_curve *curve; // owned; NULL for other kinds
    pcs_vec2 extent;
    pcs_law law;
    pcs_formula *surface[2];  // NULL: not given; variables as in pcs_configuration.inputs
    double surface_number[2]; // used where the formula is NULL
    int32_t first_slot, n_slots;
    int32_t copy_of;  // the earlier pair that is this contact too, -1: none (contact_copies.c)
    int32_t row_size; // 1 without friction and e_T, otherwise the dimension
} pcs_contact_pair;

// Joint limit: coordinate >= bound (side +1) or coordinate <= bound (side -1).
typedef struct pcs_limit {
    int32_t joint, coordinate;
    double side, bound, restitution;
    int32_t slot;
} pcs_limit;

// Which axis of body a the tangents of a contact in space follow (contact_pair.h). They jump where a
// free one changes; whoever looks at a contact along a step holds the axis for the step.
typedef enum pcs_tangent_choice {
    PCS_TANGENTS_FREE,   // x, or y where x is near the normal
    PCS_TANGENTS_X,      //
    PCS_TANGENTS_Y,      //
    PCS_TANGENTS_FARTHER // x or y, whichever is farther from the normal: for as long as possible
} pcs_tangent_choice;

typedef struct pcs_contact {
    double gap;   // HUGE_VAL: the slot has no contact point now (outside a bounded face)
    int32_t face; // smooth piece of a's surface that is touched, or that the contact is held on
    double edge;  // way along the face to its nearest end, < 0 beyond it; HUGE_VAL: no end, m
    int32_t next_face; // the face beyond that end; -1: none
    pcs_vec3 point;    // on b's surface, world
    pcs_vec3 normal, tangent1, tangent2;
    uint8_t axis;         // PCS_TANGENTS_X or PCS_TANGENTS_Y, that the tangents follow; 0: neither
    double surface[3];    // imposed part of the relative velocity, (N, T1, T2)
    double convective[3]; // (dH/dt) v + d(surface)/dt: the relative acceleration without H v'
    pcs_law law;
    pcs_row_block row;                  // relative velocity u = sum_k J_k v_k + surface
    double J[PCS_ROW_NODES_MAX][3 * 6]; // storage of the row's blocks, unless the model has longer
                                        // ones elsewhere
} pcs_contact;

// Number of slots that a pair of this kind has (box 8, cylinder 6, slider in guide 4, ...).
int32_t pcs_contact_kind_slots(pcs_contact_kind kind, int32_t dimension);
// Checks sizes, radii, vertices...; the error text begins with "contact 'name': ".
pcs_status pcs_contact_check(pcs_context *ctx, const pcs_contact_def *def, int32_t dimension)
    PCS_MUST_CHECK;

// An array of n_slots contacts, with the storage of their rows; NULL without memory.
pcs_contact *pcs_model_contacts_create(pcs_context *ctx, const struct pcs_model *model);
void pcs_model_contacts_destroy(pcs_context *ctx, pcs_contact *contacts);

// Fills contacts[0 .. slots) of declared pairs and limits at the configuration. With `rows` false
// only gaps, points and normals are computed.
void pcs_model_contacts(const struct pcs_model *model, const pcs_configuration *c, bool rows,
                        pcs_contact *contacts);
// The same for some of the declared pairs, and all limits and contacts of systems and meshes; NULL:
// the first n_pairs.
void pcs_model_contacts_of(const struct pcs_model *model, const pcs_configuration *c, bool rows,
                           int32_t n_pairs, const int32_t *pairs, pcs_contact *contacts);
// Fills `convective` of contacts that pcs_model_contacts() has evaluated with rows at this
// configuration. A slot without a contact point gets 0.
void pcs_model_contacts_convective(const struct pcs_model *model, const pcs_configuration *c,
                                   pcs_contact *contacts);
// The same for what pcs_model_contacts_of() has evaluated.
void pcs_model_contacts_convective_of(const struct pcs_model *model, const pcs_configuration *c,
                                      int32_t n_pairs, const int32_t *pairs, pcs_contact *contacts);
// Tangential displacement of every slot between two configurations, 2 numbers each in the tangents
// of `at_to`, the motion of a driven surface included. Both arrays were evaluated with rows at
// their configurations, which are two objects (docs/theory/surface-contacts.md).
void pcs_model_contacts_slip(const struct pcs_model *model, const pcs_configuration *from,
                             const pcs_contact *at_from, const pcs_configuration *to,
                             const pcs_contact *at_to, double *slip);
// A += scale d(H^T r)/dq for fixed r (3 numbers per slot: N, T1, T2) and the perturbation
// q [+] delta, at contacts evaluated with rows; only the blocks that the pattern of A has. Slots
// with r = 0 cost nothing.
void pcs_model_contact_tangent(const struct pcs_model *model, const pcs_configuration *c,
                               const pcs_contact *contacts, const double *r, double scale,
                               struct pcs_saddle *saddle);
// Merges the node pairs that these tangents couple into a list such as pcs_model_all_pairs() gives;
// i < j, ascending, each once. The faces of meshes that a surface touches change in time and are
// left out. *pairs may be replaced; it stays the caller's.
pcs_status pcs_model_contact_pairs(pcs_context *ctx, const struct pcs_model *model,
                                   int32_t (**pairs)[2], int32_t *n) PCS_MUST_CHECK;
// Finds the declared pairs that are given more than once: `copy_of`, model->stand_in and
// model->times_given.
pcs_status pcs_model_find_copies(struct pcs_model *model) PCS_MUST_CHECK;
// Relative velocity u (row.size numbers) of an evaluated slot for velocities v.
void pcs_contact_velocity(const struct pcs_model *model, const pcs_contact *contact,
                          const double *v, double *u);
// Largest approach speed that a change of the velocities from v_0 to v_1 can give a contact: the sum over
// its nodes of |H_N (v_1 - v_0)|.
double pcs_contact_speed_change(const struct pcs_model *model, const pcs_contact *contact,
                                const double *v_0, const double *v_1);

#endif

// Declared contact pairs as the files of this folder share them: placements of the two frames,
// points, and rates of frames and tangents.
#ifndef PCS_MODEL_CONTACT_PAIR_H
#define PCS_MODEL_CONTACT_PAIR_H

#include "geometry/contact_rates.h"
#include "model/contact.h"

pcs_placement pcs_contact_place(const pcs_configuration *c, const pcs_attachment *at);
// Motion of a frame that sits at `placement` on a node with this pose and twist.
pcs_placement_rate pcs_contact_place_rate(const pcs_pose *pose, const pcs_twist *twist,
                                          const pcs_placement *placement);
pcs_contact_sizes pcs_contact_pair_sizes(const struct pcs_model *model, const pcs_configuration *c,
                                         const pcs_contact_pair *pair);
// Points of all slots of a pair.
void pcs_contact_pair_points(const pcs_contact_pair *pair, const pcs_contact_sizes *sizes,
                             const pcs_placement *a, const pcs_placement *b,
                             pcs_contact_point *points);
// Tangents follow an axis, so that they are continuous in time: t1 is the axis projected on the
// tangent plane, t2 = n x t1. Planar: t1 is n turned by -90 degrees (x of a for the line y = 0).
// The free axis of a frame is its x, or its y where the sine of the angle between x and n is below
// PCS_AXIS_SINE.
#define PCS_AXIS_SINE 0.1
// PCS_TANGENTS_X or PCS_TANGENTS_Y, as asked for, or by its rule.
pcs_tangent_choice pcs_contact_choose_axis(pcs_tangent_choice asked, const pcs_mat3 *R_a,
                                           pcs_vec3 n);
pcs_vec3 pcs_contact_tangent_axis(const pcs_mat3 *R_a, pcs_tangent_choice axis);
void pcs_contact_set_tangents(int32_t dimension, pcs_vec3 axis, pcs_contact *contact);
// Rates of the tangents of an evaluated contact whose normal has the rate n_rate.
void pcs_contact_axis_rates(int32_t dimension, pcs_vec3 axis, pcs_vec3 axis_rate,
                            const pcs_contact *contact, pcs_vec3 n_rate, pcs_vec3 *t1_rate,
                            pcs_vec3 *t2_rate);
// The same for the axis of frame a, which has the angular velocity w_a.
void pcs_contact_tangent_rates(int32_t dimension, const pcs_mat3 *R_a, pcs_vec3 w_a,
                               const pcs_contact *contact, pcs_vec3 n_rate, pcs_vec3 *t1_rate,
                               pcs_vec3 *t2_rate);

// Velocity of a's surface relative to a, world, and its rate when a turns with w_a.
pcs_vec3 pcs_contact_surface_velocity(const pcs_configuration *c, pcs_formula *const formula[2],
                                      const double number[2], const pcs_mat3 *R_a);
pcs_vec3 pcs_contact_surface_rate(const pcs_configuration *c, pcs_formula *const formula[2],
                                  const pcs_mat3 *R_a, pcs_vec3 w_a, pcs_vec3 velocity);

// slip (2 numbers, added to) by the tangential rows of both ends, or those of `at_to` alone where
// one end has no contact point; and what a driven surface adds.
void pcs_contact_slip_by_rows(const struct pcs_model *model, const pcs_configuration *from,
                              const pcs_contact *at_from, const pcs_configuration *to,
                              const pcs_contact *at_to, double *slip);
void pcs_contact_slip_of_surface(const pcs_configuration *from, const pcs_contact *at_from,
                                 const pcs_configuration *to, const pcs_contact *at_to,
                                 double *slip);

// Twist of a node for the unit perturbation of one component of its v.
pcs_twist pcs_contact_unit_twist(pcs_node_kind kind, const pcs_pose *pose, int32_t component);

// A force at a point, and the rates of both in a virtual motion; world.
typedef struct pcs_contact_push {
    pcs_vec3 point, point_rate, force, force_rate;
} pcs_contact_push;

// Change of the node's generalised force when the node moves with the twist.
void pcs_contact_force_change(pcs_node_kind kind, const pcs_pose *pose, const pcs_twist *twist,
                              const pcs_contact_push *push, double *column);

#endif

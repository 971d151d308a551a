// Where a node touches its target: the nearest place of a shape or of the faces of a surface, which
// nodes carry the force there, and how all of that moves.
#ifndef PCS_MODEL_CONTACT_TOUCH_H
#define PCS_MODEL_CONTACT_TOUCH_H

#include "geometry/contact_geometry.h"
#include "geometry/surface.h"
#include "model/surface_contact.h"

// Side 0 is the node itself; then the node of the shape's frame, or those of the face. A force F on
// the contact acts with weight_k F on the material of node k at point_k.
typedef struct pcs_touch {
    double gap;   // HUGE_VAL: nothing in reach
    int32_t face; // of the target; -2 - i: an edge or corner of face i of a mesh
    double edge;  // way to the end of a face that the contact is held on; HUGE_VAL: none
    int32_t next_face;
    pcs_vec3 normal; // from the target to the node
    pcs_vec3 axis;   // that the first tangent follows
    pcs_vec3 x;      // of the node
    int32_t n_sides;
    int32_t node[PCS_ROW_NODES_MAX];
    double weight[PCS_ROW_NODES_MAX];
    pcs_vec3 point[PCS_ROW_NODES_MAX];
    pcs_placement frame; // shapes
    pcs_vec3 across[2];  // world, as in pcs_shape_foot
    double bend[2];
    pcs_face shape; // faces
    pcs_face_foot foot;
    int32_t axis_corner; // the axis is that from the first corner to this one
} pcs_touch;

// The face of a mesh in pcs_contact.face or pcs_configuration.face, -1: none.
static inline int32_t pcs_touch_face_of(int32_t face)
{
    return face <= -2 ? -2 - face : face;
}

typedef struct pcs_touch_rate {
    pcs_vec3 axis[3]; // of n, t1, t2
    double weight[PCS_ROW_NODES_MAX];
    pcs_vec3 point[PCS_ROW_NODES_MAX];
} pcs_touch_rate;

// Node i of the contact at the configuration.
void pcs_touch_find(const struct pcs_model *model, const pcs_configuration *c,
                    const pcs_surface_contact *contact, int32_t i, pcs_touch *touch);
// Rates when the nodes of the sides move with these twists; `slot` has the evaluated axes.
void pcs_touch_rates(const struct pcs_model *model, const pcs_configuration *c,
                     const pcs_surface_contact *contact, const pcs_touch *touch,
                     const pcs_contact *slot, const pcs_twist *twist, pcs_touch_rate *rate);

#endif

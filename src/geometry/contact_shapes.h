// The nearest point of a rigid shape, in the axes of its frame: signed distance, normal, and how
// the normal turns when the point moves. Inside a shape the distance is negative and the normal is
// that of the face that the point most likely came through.
#ifndef PCS_GEOMETRY_CONTACT_SHAPES_H
#define PCS_GEOMETRY_CONTACT_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "percuss/mesh.h"

// A surface is met by one that looks the other way: the cosine between the two outward normals is
// below this. Nodes on the far side of a thin body do not touch what its near side touches.
#define PCS_FACING_COSINE (-0.01)

typedef struct pcs_target_shape {
    pcs_target_kind kind; // not PCS_TARGET_FACES
    int32_t dimension;
    double radius;
    pcs_vec3 size;
    pcs_vec2 extent;
} pcs_target_shape;

typedef struct pcs_shape_foot {
    double distance; // signed; HUGE_VAL: no face to touch
    pcs_vec3 normal; // unit, outward
    // n' = sum_k bend_k (w . across_k) across_k when the point moves with w: principal directions
    // and curvatures of the surface of equal distance.
    pcs_vec3 across[2];
    double bend[2];
    int32_t face; // smooth piece: faces first, then edges and corners
} pcs_shape_foot;

// `facing` is the outward normal of the surface that the point belongs to; NULL: none.
void pcs_shape_find(const pcs_target_shape *shape, pcs_vec3 p, const pcs_vec3 *facing,
                    pcs_shape_foot *foot);

#endif

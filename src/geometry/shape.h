// Mass properties of shapes and their combination.
#ifndef PCS_GEOMETRY_SHAPE_H
#define PCS_GEOMETRY_SHAPE_H

#include "base/context.h"
#include "percuss/model.h"

typedef struct pcs_mass_properties {
    double mass;
    pcs_vec3 center;  // in the frame of the description
    pcs_mat3 inertia; // about the centre, axes of the description
} pcs_mass_properties;

// Of one shape, in the body frame (its position and rotation applied).
pcs_mass_properties pcs_shape_mass(const pcs_shape_def *shape);
// Of several together (parallel axes theorem).
pcs_mass_properties pcs_mass_combine(const pcs_mass_properties *parts, int32_t n);
// Sizes > 0, density >= 0, finite; the error text names the shape.
pcs_status pcs_shape_check(pcs_context *ctx, const pcs_shape_def *shape) PCS_MUST_CHECK;

#endif

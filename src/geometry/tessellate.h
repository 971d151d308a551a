// Surfaces of shapes as triangles, for pictures and exports. Corners of the triangles lie on the
// shape; seen from outside they run anticlockwise. All shapes are centred, with axis z.
#ifndef PCS_GEOMETRY_TESSELLATE_H
#define PCS_GEOMETRY_TESSELLATE_H

#include "base/array.h"
#include "percuss/model.h"

typedef struct pcs_triangles {
    PCS_ARRAY(pcs_vec3) points;
    PCS_ARRAY(int32_t) corners; // three for each triangle
} pcs_triangles;

enum { PCS_TESSELLATE_SEGMENTS_LEAST = 3, PCS_TESSELLATE_SEGMENTS_MOST = 4096 };

// A rod is drawn as a cylinder with this part of its length as radius.
#define PCS_TESSELLATE_ROD_RADIUS 0.01

// Closed surface of a shape with `segments` corners around the axis (boxes have their own). The
// points of round shapes are shared: every edge belongs to two triangles. Appends to `out`.
pcs_status pcs_tessellate_shape(pcs_context *ctx, pcs_shape_kind kind, pcs_vec3 size,
                                int32_t segments, pcs_triangles *out) PCS_MUST_CHECK;
// The rectangle |x| <= half.x, |y| <= half.y in the x-y plane around a centre, normal z.
pcs_status pcs_tessellate_patch(pcs_context *ctx, pcs_vec2 center, pcs_vec2 half,
                                pcs_triangles *out) PCS_MUST_CHECK;
void pcs_triangles_free(pcs_context *ctx, pcs_triangles *triangles);

#endif

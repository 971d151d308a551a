// Faces of a surface that moves and bends: triangles, quadrilaterals as bilinear patches, and, in
// the plane, straight segments. The nearest point of a face, its normal, and how both move.
//
// Corners are counterclockwise seen from outside; the free side of a segment is on the left of the
// way from its first corner to its second. Points of a face are X(s) = sum_i N_i(s) x_i:
//   segment        N = (1 - s, s)
//   triangle       N = (1 - s1 - s2, s1, s2)
//   quadrilateral  N = ((1-s1)(1-s2), s1 (1-s2), s1 s2, (1-s1) s2),   0 <= s1, s2 <= 1.
#ifndef PCS_GEOMETRY_SURFACE_H
#define PCS_GEOMETRY_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "geometry/bounding_tree.h"

enum { PCS_FACE_CORNERS_MAX = 4 };

// How far beyond the end of a face, in parts of its size, a normal still counts as meeting it:
// bodies that lie edge on edge, to rounding and to the tolerance of a solver, touch with their
// faces. Where ends of faces are events the margin is as small as rounding allows.
#define PCS_FACE_MARGIN 1e-6
#define PCS_FACE_MARGIN_EVENTS 1e-11

typedef struct pcs_face {
    int32_t n; // corners: 2, 3 or 4
    pcs_vec3 x[PCS_FACE_CORNERS_MAX];
} pcs_face;

typedef enum pcs_foot_kind {
    PCS_FOOT_INSIDE, // the normal through the point meets the face
    PCS_FOOT_EDGE,
    PCS_FOOT_CORNER
} pcs_foot_kind;

typedef struct pcs_face_foot {
    pcs_foot_kind kind;
    int32_t corner; // EDGE: the first corner of the edge; CORNER: the corner
    double s[2];
    double weight[PCS_FACE_CORNERS_MAX];
    pcs_vec3 point;
    double distance; // >= 0
} pcs_face_foot;

// Nearest point of the face.
void pcs_face_find(const pcs_face *face, pcs_vec3 p, double margin, pcs_face_foot *foot);
// Foot of p on the surface through the face, also beyond its ends, as a foot inside; false where
// there is none near by.
bool pcs_face_project(const pcs_face *face, pcs_vec3 p, pcs_face_foot *foot);
// Way from a foot inside to the nearest end of the face, < 0 beyond it. `edge` is the number of its
// first corner; a segment has its ends 0 and 1.
double pcs_face_edge(const pcs_face *face, const pcs_face_foot *foot, int32_t *edge);
// Unit normal at s.
pcs_vec3 pcs_face_normal(const pcs_face *face, const double s[2]);
// Mean normal times the area (segment: times the length).
pcs_vec3 pcs_face_area(const pcs_face *face);
pcs_box pcs_face_box(const pcs_face *face);
// Longest distance of two corners.
double pcs_face_size(const pcs_face *face);

// Motion of the foot when the corners and the point move.
typedef struct pcs_face_rate {
    double weight[PCS_FACE_CORNERS_MAX];
    pcs_vec3 normal;
} pcs_face_rate;

// `normal` is the unit normal of the contact: that of the face for a foot inside, otherwise along
// the way from the foot to the point, with signed distance `gap` = normal . (p - foot).
void pcs_face_rates(const pcs_face *face, const pcs_face_foot *foot, pcs_vec3 p, pcs_vec3 normal,
                    double gap, const pcs_vec3 *corner_rate, pcs_vec3 p_rate, pcs_face_rate *rate);

#endif

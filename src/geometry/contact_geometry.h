// Contact points between two simple surfaces, from the placements of their frames alone. Every
// function fills one pcs_contact_point for each slot of its kind (docs/contacts.md has sketches).
//
//   gap = n . (point_b - point_a),  gap > 0 is open,  n is a unit vector from a to b,
//   gap' = n . (velocity of b's material point at point_b - that of a's at point_a)
//
// away from kinks (a change of the nearest edge, a rim's companions). A slot without a contact
// point has gap HUGE_VAL; its points and normal are finite all the same. Where two centres coincide
// and no normal exists, the x axis of frame a replaces the direction from one to the other.
//
// In planar use (dimension 2) all z components are zero and rotations are about z.
#ifndef PCS_GEOMETRY_CONTACT_GEOMETRY_H
#define PCS_GEOMETRY_CONTACT_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "percuss/math.h"

enum { PCS_CONTACT_SLOTS_MAX = 8 };

// Below this length the squares of components underflow and a direction means nothing.
#define PCS_SHORTEST_DIRECTION 1e-140
// Sine of the tilt below which a cylinder stands: the tilt changes the height of its axis by less
// than rounding (1 - cos < DBL_EPSILON), and no rim point is lower than radius * this.
#define PCS_STANDING_TILT 1e-8

// Place of a frame in the world.
typedef struct pcs_placement {
    pcs_vec3 x;
    pcs_mat3 R; // frame axes to world
} pcs_placement;

struct pcs_curve;

// What a kind needs to know beside the placements; fields as in pcs_contact_def.
typedef struct pcs_contact_sizes {
    int32_t dimension;
    double radius_a, radius_b;
    pcs_vec3 size;
    double width;
    const pcs_vec2 *vertices;
    int32_t n_vertices;
    bool closed;
    pcs_vec2 extent;
    const struct pcs_curve *curve;
    const int32_t *held; // face of a that the contact is held on; NULL or -1: the nearest
} pcs_contact_sizes;

typedef struct pcs_contact_point {
    double gap;
    pcs_vec3 point_a, point_b; // world
    pcs_vec3 normal;
    int32_t
        face; // smooth piece of a that is touched: segment i of a polyline is i, vertex i is -1-i
    double curvature;  // of a curve there, > 0 towards the free side; 0 on other faces
    double edge;       // way along the face to its nearest end, < 0 beyond it
    int32_t next_face; // beyond that end; -1: none
} pcs_contact_point;

typedef void (*pcs_contact_points_fn)(const pcs_contact_sizes *sizes, const pcs_placement *a,
                                      const pcs_placement *b, pcs_contact_point *points);

void pcs_contact_point_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                             const pcs_placement *b, pcs_contact_point *points);
void pcs_contact_sphere_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                              const pcs_placement *b, pcs_contact_point *points);
void pcs_contact_sphere_sphere(const pcs_contact_sizes *sizes, const pcs_placement *a,
                               const pcs_placement *b, pcs_contact_point *points);
void pcs_contact_sphere_in_sphere(const pcs_contact_sizes *sizes, const pcs_placement *a,
                                  const pcs_placement *b, pcs_contact_point *points);
void pcs_contact_pin_in_hole(const pcs_contact_sizes *sizes, const pcs_placement *a,
                             const pcs_placement *b, pcs_contact_point *points);
// Corner i is on the side +x if bit 0 of i is set, +y if bit 1, +z if bit 2 (planar: 4 corners).
void pcs_contact_box_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                           const pcs_placement *b, pcs_contact_point *points);
// Slots 0, 1, 2 are on the rim z = -size.z/2 of frame b, 3, 4, 5 on the other: the deepest point of
// the rim, then the points 120 degrees before and behind it.
void pcs_contact_cylinder_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                                const pcs_placement *b, pcs_contact_point *points);
void pcs_contact_point_curve(const pcs_contact_sizes *sizes, const pcs_placement *a,
                             const pcs_placement *b, pcs_contact_point *points);
void pcs_contact_point_polyline(const pcs_contact_sizes *sizes, const pcs_placement *a,
                                const pcs_placement *b, pcs_contact_point *points);
// Distance of p from all edges of a polyline but the one it touches, or the two at its vertex
// (`face` as above).
double pcs_contact_polyline_clearance(const pcs_vec2 *vertices, int32_t n_vertices, bool closed,
                                      pcs_vec2 p, int32_t face);
// Corners (-x, +y), (+x, +y) against the wall y = +width/2, (-x, -y), (+x, -y) against y =
// -width/2.
void pcs_contact_slider_guide(const pcs_contact_sizes *sizes, const pcs_placement *a,
                              const pcs_placement *b, pcs_contact_point *points);

#endif

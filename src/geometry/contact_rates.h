// How contact points and normals of the declared kinds move, for given motions of the two frames.
// Every function has the shape of its counterpart in contact_geometry.h and is called with the
// points that this one found. The rates are exact away from kinks (a change of face, a bound).
//
// For all kinds  point_b - point_a = gap n  and point_a stays on the surface of a, so that its rate
// follows from those of point_b and n (pcs_contact_rate_complete).
#ifndef PCS_GEOMETRY_CONTACT_RATES_H
#define PCS_GEOMETRY_CONTACT_RATES_H

#include "geometry/contact_geometry.h"

// Motion of a frame: velocity of its origin and angular velocity, world.
typedef struct pcs_placement_rate {
    pcs_vec3 v, w;
} pcs_placement_rate;

// Rates of the geometric points (not of the material ones that pass through them) and of the
// normal.
typedef struct pcs_contact_rate {
    pcs_vec3 point_a, point_b, normal;
} pcs_contact_rate;

typedef struct pcs_contact_motion {
    const pcs_contact_sizes *sizes;
    const pcs_placement *a, *b;
    const pcs_placement_rate *rate_a, *rate_b;
} pcs_contact_motion;

// Fills point_b and normal of one slot's rate.
typedef void (*pcs_contact_rates_fn)(const pcs_contact_motion *motion, int32_t slot,
                                     const pcs_contact_point *point, pcs_contact_rate *rate);

// A point fixed to b against a face fixed to a: point and box against a plane, slider in its guide.
void pcs_contact_rate_fixed(const pcs_contact_motion *motion, int32_t slot,
                            const pcs_contact_point *point, pcs_contact_rate *rate);
void pcs_contact_rate_sphere_plane(const pcs_contact_motion *motion, int32_t slot,
                                   const pcs_contact_point *point, pcs_contact_rate *rate);
// Two spheres, side by side or one inside the other.
void pcs_contact_rate_spheres(const pcs_contact_motion *motion, int32_t slot,
                              const pcs_contact_point *point, pcs_contact_rate *rate);
void pcs_contact_rate_pin_in_hole(const pcs_contact_motion *motion, int32_t slot,
                                  const pcs_contact_point *point, pcs_contact_rate *rate);
void pcs_contact_rate_cylinder_plane(const pcs_contact_motion *motion, int32_t slot,
                                     const pcs_contact_point *point, pcs_contact_rate *rate);
void pcs_contact_rate_point_polyline(const pcs_contact_motion *motion, int32_t slot,
                                     const pcs_contact_point *point, pcs_contact_rate *rate);
void pcs_contact_rate_point_curve(const pcs_contact_motion *motion, int32_t slot,
                                  const pcs_contact_point *point, pcs_contact_rate *rate);

// point_a from the rest; the gap must be finite.
void pcs_contact_rate_complete(const pcs_contact_motion *motion, const pcs_contact_point *point,
                               pcs_contact_rate *rate);

#endif

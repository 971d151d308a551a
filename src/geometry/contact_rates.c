// Rates of contact points and normals. Letters: n normal from a to b, d = x_b - x_a, w angular
// velocity; a unit vector e = p/|p| turns with e' = (p' - (e.p') e)/|p|.
#include "geometry/contact_rates.h"

#include <float.h>
#include <math.h>

#include "geometry/curve.h"
#include "math/vector.h"

static pcs_vec3 material_velocity(const pcs_placement *frame, const pcs_placement_rate *rate,
                                  pcs_vec3 point)
{
    return pcs_v3_add(rate->v, pcs_v3_cross(rate->w, pcs_v3_sub(point, frame->x)));
}

// Rate of a vector fixed to frame a.
static pcs_vec3 turning_with_a(const pcs_contact_motion *motion, pcs_vec3 fixed)
{
    return pcs_v3_cross(motion->rate_a->w, fixed);
}

// Rate of the unit vector e along a vector of the given length and rate.
static pcs_vec3 unit_rate(pcs_vec3 e, double length, pcs_vec3 rate)
{
    return pcs_v3_scale(1.0 / length, pcs_v3_axpy(rate, -pcs_v3_dot(e, rate), e));
}

void pcs_contact_rate_fixed(const pcs_contact_motion *motion, int32_t slot,
                            const pcs_contact_point *point, pcs_contact_rate *rate)
{
    (void)slot;
    rate->normal = turning_with_a(motion, point->normal);
    rate->point_b = material_velocity(motion->b, motion->rate_b, point->point_b);
}

// point_b = x_b - r_b n
static void around_centre(const pcs_contact_motion *motion, pcs_contact_rate *rate)
{
    rate->point_b = pcs_v3_axpy(motion->rate_b->v, -motion->sizes->radius_b, rate->normal);
}

void pcs_contact_rate_sphere_plane(const pcs_contact_motion *motion, int32_t slot,
                                   const pcs_contact_point *point, pcs_contact_rate *rate)
{
    (void)slot;
    rate->normal = turning_with_a(motion, point->normal);
    around_centre(motion, rate);
}

// n = +-d/|d|. Without a direction the normal is an axis of a.
void pcs_contact_rate_spheres(const pcs_contact_motion *motion, int32_t slot,
                              const pcs_contact_point *point, pcs_contact_rate *rate)
{
    (void)slot;
    pcs_vec3 d = pcs_v3_sub(motion->b->x, motion->a->x);
    pcs_vec3 d_rate = pcs_v3_sub(motion->rate_b->v, motion->rate_a->v);
    double length = pcs_v3_dot(d, point->normal); // negative for one inside the other
    rate->normal = fabs(length) > PCS_SHORTEST_DIRECTION ? unit_rate(point->normal, length, d_rate)
                                                         : turning_with_a(motion, point->normal);
    around_centre(motion, rate);
}

// n = -p/|p| with p = d - (d.k) k, k the axis of a.
void pcs_contact_rate_pin_in_hole(const pcs_contact_motion *motion, int32_t slot,
                                  const pcs_contact_point *point, pcs_contact_rate *rate)
{
    (void)slot;
    pcs_vec3 axis = pcs_m3_column(&motion->a->R, 2), axis_rate = turning_with_a(motion, axis);
    pcs_vec3 d = pcs_v3_sub(motion->b->x, motion->a->x);
    pcs_vec3 d_rate = pcs_v3_sub(motion->rate_b->v, motion->rate_a->v);
    double height = pcs_v3_dot(d, axis);
    double height_rate = pcs_v3_dot(d_rate, axis) + pcs_v3_dot(d, axis_rate);
    pcs_vec3 p_rate = pcs_v3_axpy(pcs_v3_axpy(d_rate, -height_rate, axis), -height, axis_rate);
    double length = pcs_v3_dot(d, point->normal);
    rate->normal = fabs(length) > PCS_SHORTEST_DIRECTION ? unit_rate(point->normal, length, p_rate)
                                                         : turning_with_a(motion, point->normal);
    around_centre(motion, rate);
}

// The deepest point of a rim is at r e + z k_b in axes of b with e = -(m_x, m_y)/|(m_x, m_y)| and
// m = R_b^T n, m' = R_b^T (n' - w_b x n). It travels around the rim, fast if the tilt is small: the
// rate of a coin that rocks. Its companions are material points for the rate as they are for the
// row: they carry load only while the cylinder stands, and e is fixed to the body then.
void pcs_contact_rate_cylinder_plane(const pcs_contact_motion *motion, int32_t slot,
                                     const pcs_contact_point *point, pcs_contact_rate *rate)
{
    const pcs_placement *b = motion->b;
    pcs_contact_rate_fixed(motion, slot, point, rate);
    pcs_vec3 m = pcs_m3_tmul_v3(&b->R, point->normal);
    double tilt = sqrt(m.x * m.x + m.y * m.y);
    if (slot % 3 != 0 || !(tilt > PCS_STANDING_TILT))
        return;
    pcs_vec3 turn = pcs_v3_sub(rate->normal, pcs_v3_cross(motion->rate_b->w, point->normal));
    pcs_vec3 m_rate = pcs_m3_tmul_v3(&b->R, turn);
    m_rate.z = 0.0;
    pcs_vec3 e = {-m.x / tilt, -m.y / tilt, 0.0};
    pcs_vec3 e_rate = unit_rate(e, -tilt, m_rate);
    rate->point_b = pcs_v3_axpy(rate->point_b, motion->sizes->radius_b,
                                pcs_m3_mul_v3(&b->R, e_rate));
}

// On a segment the normal is fixed to a; at a vertex n = (x_b - V)/gap.
void pcs_contact_rate_point_polyline(const pcs_contact_motion *motion, int32_t slot,
                                     const pcs_contact_point *point, pcs_contact_rate *rate)
{
    pcs_contact_rate_fixed(motion, slot, point, rate);
    if (point->face >= 0 || !(fabs(point->gap) > PCS_SHORTEST_DIRECTION))
        return;
    pcs_vec3 vertex = material_velocity(motion->a, motion->rate_a, point->point_a);
    rate->normal = unit_rate(point->normal, point->gap, pcs_v3_sub(rate->point_b, vertex));
}

// Seen from a, the centre of b moves with w and has the distance g from the curve. Its foot then
// slides by w.t/(1 - kappa g) and the normal turns by -kappa times that. Around a corner n = d/g.
void pcs_contact_rate_point_curve(const pcs_contact_motion *motion, int32_t slot,
                                  const pcs_contact_point *point, pcs_contact_rate *rate)
{
    (void)slot;
    pcs_vec3 n = point->normal, t = pcs_v3_cross(n, pcs_m3_column(&motion->a->R, 2));
    pcs_vec3 fixed = material_velocity(motion->a, motion->rate_a, motion->b->x);
    double along = pcs_v3_dot(pcs_v3_sub(motion->rate_b->v, fixed), t);
    double g = point->gap + motion->sizes->radius_b;
    double turn = 0.0, focus = 1.0 - point->curvature * g;
    if (point->face >= motion->sizes->curve->n_spans)
        turn = fabs(g) > PCS_SHORTEST_DIRECTION ? along / g : 0.0;
    else if (fabs(focus) > DBL_EPSILON) // at the centre of curvature every direction is normal
        turn = -point->curvature * along / focus;
    rate->normal = pcs_v3_axpy(turning_with_a(motion, n), turn, t);
    around_centre(motion, rate);
}

// point_a = point_b - gap n. It slides on the surface of a, so that n.point_a' = n.(velocity of the
// material of a), and gap' = n.point_b' - n.point_a'.
void pcs_contact_rate_complete(const pcs_contact_motion *motion, const pcs_contact_point *point,
                               pcs_contact_rate *rate)
{
    pcs_vec3 surface = material_velocity(motion->a, motion->rate_a, point->point_a);
    double gap_rate = pcs_v3_dot(point->normal, pcs_v3_sub(rate->point_b, surface));
    pcs_vec3 across = pcs_v3_axpy(rate->point_b, -gap_rate, point->normal);
    rate->point_a = pcs_v3_axpy(across, -point->gap, rate->normal);
}

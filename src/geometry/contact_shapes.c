// Nearest points of planes, spheres, boxes, cylinders and capsules.
//
// Every nearest feature is a plane, a line (an axis, an edge), a point (a centre, a corner) or a
// circle (a rim). At the distance d from a line the normal turns with curvature 1/d around it; from
// a point likewise in both directions; from a rim of a cylinder with 1/d across the rim and with
// cos(a)/r along it, where a is the angle of n with the radius and r the distance from the axis.
#include "geometry/contact_shapes.h"

#include <math.h>

#include "geometry/contact_geometry.h"
#include "geometry/surface.h"
#include "math/vector.h"

static bool is_met(const pcs_vec3 *facing, pcs_vec3 normal)
{
    return !facing || pcs_v3_dot(*facing, normal) < PCS_FACING_COSINE;
}

// Two unit vectors across n; in the plane the first lies in it.
static void set_across(const pcs_target_shape *shape, pcs_shape_foot *foot)
{
    const pcs_vec3 n = foot->normal;
    const pcs_vec3 z = {0.0, 0.0, 1.0}, x = {1.0, 0.0, 0.0};
    if (shape->dimension == 2) {
        foot->across[0] = pcs_v3(n.y, -n.x, 0.0);
        foot->across[1] = z;
        return;
    }
    pcs_vec3 a = pcs_v3_cross(n, fabs(n.x) < 0.7 ? x : z);
    foot->across[0] = pcs_v3_scale(1.0 / pcs_v3_norm(a), a);
    foot->across[1] = pcs_v3_cross(n, foot->across[0]);
}

static void flat(const pcs_target_shape *shape, pcs_vec3 normal, double distance,
                 pcs_shape_foot *foot)
{
    foot->normal = normal;
    foot->distance = distance;
    foot->bend[0] = foot->bend[1] = 0.0;
    set_across(shape, foot);
}

// Around a point at -d from p, at the distance `length`.
static void around_point(const pcs_target_shape *shape, pcs_vec3 d, double radius,
                         pcs_shape_foot *foot)
{
    const double length = pcs_v3_norm(d);
    const bool usable = length > PCS_SHORTEST_DIRECTION;
    foot->normal = usable ? pcs_v3_scale(1.0 / length, d) : pcs_v3(1.0, 0.0, 0.0);
    foot->distance = length - radius;
    foot->bend[0] = usable ? 1.0 / length : 0.0;
    foot->bend[1] = shape->dimension == 2 ? 0.0 : foot->bend[0];
    set_across(shape, foot);
}

// Around a line along the unit vector k; d is across k.
static void around_line(pcs_vec3 d, pcs_vec3 k, double radius, pcs_shape_foot *foot)
{
    const double length = pcs_v3_norm(d);
    const bool usable = length > PCS_SHORTEST_DIRECTION;
    foot->normal = usable ? pcs_v3_scale(1.0 / length, d)
                          : (fabs(k.x) < 0.7 ? pcs_v3(1.0, 0.0, 0.0) : pcs_v3(0.0, 1.0, 0.0));
    foot->distance = length - radius;
    foot->across[0] = pcs_v3_cross(k, foot->normal);
    foot->across[1] = k;
    foot->bend[0] = usable ? 1.0 / length : 0.0;
    foot->bend[1] = 0.0;
}

static void find_on_plane(const pcs_target_shape *shape, pcs_vec3 p, pcs_shape_foot *foot)
{
    const bool planar = shape->dimension == 2;
    foot->face = 0;
    flat(shape, planar ? pcs_v3(0.0, 1.0, 0.0) : pcs_v3(0.0, 0.0, 1.0), planar ? p.y : p.z, foot);
    if ((shape->extent.x > 0.0 && fabs(p.x) > shape->extent.x) ||
        (!planar && shape->extent.y > 0.0 && fabs(p.y) > shape->extent.y))
        foot->distance = HUGE_VAL;
}

// ---- Boxes ----

static pcs_vec3 unit(int axis, double sign)
{
    return pcs_v3(axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0);
}

// Over one face, or inside: the face that is nearest among those that p's surface looks at.
static void find_on_box_face(const pcs_target_shape *shape, const double *e, const double *sign,
                             int only, const pcs_vec3 *facing, pcs_shape_foot *foot)
{
    int best = -1;
    for (int i = 0; i < shape->dimension; i++)
        if ((only < 0 || i == only) && (best < 0 || e[i] > e[best]) &&
            (only >= 0 || is_met(facing, unit(i, sign[i]))))
            best = i;
    const int axis = best < 0 ? 0 : best;
    flat(shape, unit(axis, sign[axis]), best < 0 ? HUGE_VAL : e[axis], foot);
    foot->face = 2 * axis + (sign[axis] > 0.0);
}

static void find_on_box(const pcs_target_shape *shape, pcs_vec3 p, const pcs_vec3 *facing,
                        pcs_shape_foot *foot)
{
    const double x[3] = {p.x, p.y, p.z}, size[3] = {shape->size.x, shape->size.y, shape->size.z};
    const int n = shape->dimension;
    double e[3] = {0.0, 0.0, 0.0}, sign[3], longest = 0.0;
    for (int i = 0; i < n; i++)
        longest = fmax(longest, size[i]);
    int count = 0, last = -1, flat_axis = -1, corner = 0;
    for (int i = 0; i < n; i++) {
        sign[i] = x[i] < 0.0 ? -1.0 : 1.0;
        e[i] = fabs(x[i]) - 0.5 * size[i];
        corner += x[i] < 0.0 ? 0 : 1 << i;
        if (e[i] > PCS_FACE_MARGIN * longest) {
            count++;
            last = i;
        } else {
            flat_axis = i;
        }
    }
    if (count <= 1) {
        find_on_box_face(shape, e, sign, last, facing, foot);
        return;
    }
    pcs_vec3 d = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; i++)
        if (i != flat_axis)
            d = pcs_v3_add(d, unit(i, sign[i] * e[i]));
    foot->face = 2 * n + corner; // edges and corners share numbers: their normals turn alike
    if (n == 3 && count == 2)
        around_line(d, unit(flat_axis, 1.0), 0.0, foot);
    else
        around_point(shape, d, 0.0, foot);
}

// ---- Round shapes ----

static void find_on_capsule(const pcs_target_shape *shape, pcs_vec3 p, pcs_shape_foot *foot)
{
    const double half = 0.5 * shape->size.z;
    foot->face = 0;
    if (fabs(p.z) < half)
        around_line(pcs_v3(p.x, p.y, 0.0), pcs_v3(0.0, 0.0, 1.0), shape->radius, foot);
    else
        around_point(shape, pcs_v3(p.x, p.y, p.z - (p.z < 0.0 ? -half : half)), shape->radius,
                     foot);
}

enum { SIDE, LOWER_CAP, UPPER_CAP, LOWER_RIM, UPPER_RIM };

static void find_on_cylinder(const pcs_target_shape *shape, pcs_vec3 p, const pcs_vec3 *facing,
                             pcs_shape_foot *foot)
{
    const double margin = PCS_FACE_MARGIN * fmax(2.0 * shape->radius, shape->size.z);
    const pcs_vec3 d = {p.x, p.y, 0.0};
    const double sign = p.z < 0.0 ? -1.0 : 1.0;
    const pcs_vec3 axis = {0.0, 0.0, sign}, up = {0.0, 0.0, 1.0};
    pcs_shape_foot side;
    around_line(d, up, shape->radius, &side);
    const double e_r = side.distance, e_z = fabs(p.z) - 0.5 * shape->size.z;
    const bool upper = sign > 0.0;
    if (e_r > margin && e_z > margin) {
        const double length = sqrt(e_r * e_r + e_z * e_z);
        foot->normal = pcs_v3_axpy(pcs_v3_scale(e_r / length, side.normal), e_z / length, axis);
        foot->distance = length;
        foot->across[0] = side.across[0];
        foot->across[1] = pcs_v3_cross(foot->normal, foot->across[0]);
        foot->bend[0] = e_r / length / (shape->radius + e_r);
        foot->bend[1] = 1.0 / length;
        foot->face = upper ? UPPER_RIM : LOWER_RIM;
        return;
    }
    // Outside over one of the two it is that one; inside the nearest that p's surface looks at.
    const bool inside = e_r <= margin && e_z <= margin;
    const bool on_side = inside ? is_met(facing, side.normal) : e_r > margin;
    const bool on_cap = inside ? is_met(facing, axis) : e_z > margin;
    if (on_side && (!on_cap || e_r >= e_z)) {
        *foot = side;
        foot->face = SIDE;
        return;
    }
    flat(shape, axis, on_cap ? e_z : HUGE_VAL, foot);
    foot->face = upper ? UPPER_CAP : LOWER_CAP;
}

void pcs_shape_find(const pcs_target_shape *shape, pcs_vec3 p, const pcs_vec3 *facing,
                    pcs_shape_foot *foot)
{
    switch (shape->kind) {
    case PCS_TARGET_PLANE:
        find_on_plane(shape, p, foot);
        break;
    case PCS_TARGET_SPHERE:
        foot->face = 0;
        around_point(shape, p, shape->radius, foot);
        break;
    case PCS_TARGET_BOX:
        find_on_box(shape, p, facing, foot);
        break;
    case PCS_TARGET_CYLINDER:
        find_on_cylinder(shape, p, facing, foot);
        break;
    case PCS_TARGET_CAPSULE:
    case PCS_TARGET_FACES:
    case PCS_TARGET_KIND_COUNT:
        find_on_capsule(shape, p, foot);
        break;
    }
}

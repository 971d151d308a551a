// Contact points of the declared contact kinds. Letters: n normal from a to b, d = x_b - x_a.
#include "geometry/contact_geometry.h"

#include <math.h>

#include "geometry/curve.h"
#include "math/vector.h"

// Unit vector along d, or `fallback` if d has no direction; *length = |d|.
static pcs_vec3 direction(pcs_vec3 d, pcs_vec3 fallback, double *length)
{
    *length = pcs_v3_norm(d);
    return *length > PCS_SHORTEST_DIRECTION ? pcs_v3_scale(1.0 / *length, d) : fallback;
}

static pcs_vec3 to_world(const pcs_placement *frame, pcs_vec3 local)
{
    return pcs_v3_add(frame->x, pcs_m3_mul_v3(&frame->R, local));
}

// Planes: the normal is z of frame a, in planar models y.

static pcs_vec3 plane_normal(const pcs_contact_sizes *sizes, const pcs_placement *a)
{
    return pcs_m3_column(&a->R, sizes->dimension == 2 ? 1 : 2);
}

// Point p (of b) against the plane, g = n.d; outside the bounds there is no contact.
static pcs_contact_point against_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                                       pcs_vec3 p)
{
    pcs_contact_point point = {.face = 0, .edge = HUGE_VAL, .next_face = -1};
    pcs_vec3 d = pcs_v3_sub(p, a->x);
    point.normal = plane_normal(sizes, a);
    point.gap = pcs_v3_dot(point.normal, d);
    point.point_b = p;
    point.point_a = pcs_v3_axpy(p, -point.gap, point.normal);
    const pcs_vec2 extent = sizes->extent;
    if (extent.x > 0.0 && fabs(pcs_v3_dot(d, pcs_m3_column(&a->R, 0))) > extent.x)
        point.gap = HUGE_VAL;
    if (sizes->dimension == 3 && extent.y > 0.0 &&
        fabs(pcs_v3_dot(d, pcs_m3_column(&a->R, 1))) > extent.y)
        point.gap = HUGE_VAL;
    return point;
}

void pcs_contact_point_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                             const pcs_placement *b, pcs_contact_point *points)
{
    points[0] = against_plane(sizes, a, b->x);
}

void pcs_contact_sphere_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                              const pcs_placement *b, pcs_contact_point *points)
{
    pcs_vec3 n = plane_normal(sizes, a);
    points[0] = against_plane(sizes, a, pcs_v3_axpy(b->x, -sizes->radius_b, n));
}

void pcs_contact_box_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                           const pcs_placement *b, pcs_contact_point *points)
{
    bool planar = sizes->dimension == 2;
    for (int i = 0; i < (planar ? 4 : 8); i++) {
        pcs_vec3 corner = {i & 1 ? 0.5 * sizes->size.x : -0.5 * sizes->size.x,
                           i & 2 ? 0.5 * sizes->size.y : -0.5 * sizes->size.y,
                           i & 4 ? 0.5 * sizes->size.z : -0.5 * sizes->size.z};
        if (planar)
            corner.z = 0.0;
        points[i] = against_plane(sizes, a, to_world(b, corner));
    }
}

// The lowest point of a rim is in the direction e of -n projected on the rim's plane; in axes of
// b, with m = R_b^T n,  e = -(m_x, m_y, 0) / |(m_x, m_y)|. There n.e' = 0, so that the moving
// choice of the point does not show in the gap's rate. The companions at +-120 degrees make three
// points of a standing cylinder; they are 1.5 radius sin(tilt) above the lowest point. Their rows
// are those of the material points; the rate of their gaps has the turning of e in the body beside
// it. A standing cylinder has no lowest point: e is then x of b, fixed to the body, and resting
// points stay where they are. A choice continuous in m around m_x = m_y = 0 does not exist, since
// e turns once around when m does.
void pcs_contact_cylinder_plane(const pcs_contact_sizes *sizes, const pcs_placement *a,
                                const pcs_placement *b, pcs_contact_point *points)
{
    static const double COS_120 = -0.5, SIN_120 = 0.86602540378443864676;
    pcs_vec3 m = pcs_m3_tmul_v3(&b->R, plane_normal(sizes, a));
    double tilt = sqrt(m.x * m.x + m.y * m.y); // sine of the angle between axis and normal
    double e_x = 1.0, e_y = 0.0;
    if (tilt > PCS_STANDING_TILT) {
        e_x = -m.x / tilt;
        e_y = -m.y / tilt;
    }
    double r = sizes->radius_b;
    for (int rim = 0; rim < 2; rim++) {
        double z = rim == 0 ? -0.5 * sizes->size.z : 0.5 * sizes->size.z;
        for (int i = 0; i < 3; i++) {
            double c = i == 0 ? 1.0 : COS_120;
            double s = i == 0 ? 0.0 : i == 1 ? SIN_120 : -SIN_120;
            pcs_vec3 local = {r * (c * e_x - s * e_y), r * (c * e_y + s * e_x), z};
            points[3 * rim + i] = against_plane(sizes, a, to_world(b, local));
        }
    }
}

// n = d/|d|,  g = |d| - r_a - r_b.
void pcs_contact_sphere_sphere(const pcs_contact_sizes *sizes, const pcs_placement *a,
                               const pcs_placement *b, pcs_contact_point *points)
{
    double distance;
    pcs_vec3 n = direction(pcs_v3_sub(b->x, a->x), pcs_m3_column(&a->R, 0), &distance);
    points[0].normal = n;
    points[0].gap = distance - sizes->radius_a - sizes->radius_b;
    points[0].point_a = pcs_v3_axpy(a->x, sizes->radius_a, n);
    points[0].point_b = pcs_v3_axpy(b->x, -sizes->radius_b, n);
}

// Both touch the wall in the direction e = d/|d|; n = -e,  g = r_a - r_b - |d|.
void pcs_contact_sphere_in_sphere(const pcs_contact_sizes *sizes, const pcs_placement *a,
                                  const pcs_placement *b, pcs_contact_point *points)
{
    double offset;
    pcs_vec3 e = direction(pcs_v3_sub(b->x, a->x), pcs_m3_column(&a->R, 0), &offset);
    points[0].normal = pcs_v3_scale(-1.0, e);
    points[0].gap = sizes->radius_a - sizes->radius_b - offset;
    points[0].point_a = pcs_v3_axpy(a->x, sizes->radius_a, e);
    points[0].point_b = pcs_v3_axpy(b->x, sizes->radius_b, e);
}

// Circle in circle in the plane normal to z of a: d is replaced by its part across z. The hole is
// as long as it needs to be, so the point on a is at the height of b's centre.
void pcs_contact_pin_in_hole(const pcs_contact_sizes *sizes, const pcs_placement *a,
                             const pcs_placement *b, pcs_contact_point *points)
{
    pcs_vec3 d = pcs_v3_sub(b->x, a->x), axis = pcs_m3_column(&a->R, 2);
    double height = pcs_v3_dot(d, axis), offset;
    pcs_vec3 local = pcs_m3_tmul_v3(&a->R, d);
    local.z = 0.0;
    pcs_vec3 e = pcs_m3_mul_v3(&a->R, direction(local, pcs_v3(1.0, 0.0, 0.0), &offset));
    points[0].normal = pcs_v3_scale(-1.0, e);
    points[0].gap = sizes->radius_a - sizes->radius_b - offset;
    points[0].point_a = pcs_v3_axpy(pcs_v3_axpy(a->x, height, axis), sizes->radius_a, e);
    points[0].point_b = pcs_v3_axpy(b->x, sizes->radius_b, e);
}

// Upper wall: n = -y_a, g = width/2 - y;  lower wall: n = +y_a, g = width/2 + y.
void pcs_contact_slider_guide(const pcs_contact_sizes *sizes, const pcs_placement *a,
                              const pcs_placement *b, pcs_contact_point *points)
{
    pcs_vec3 x_axis = pcs_m3_column(&a->R, 0), y_axis = pcs_m3_column(&a->R, 1);
    for (int i = 0; i < 4; i++) {
        double side = i < 2 ? 1.0 : -1.0; // of the corner and of its wall
        pcs_vec3 corner = {i & 1 ? 0.5 * sizes->size.x : -0.5 * sizes->size.x,
                           side * 0.5 * sizes->size.y, 0.0};
        pcs_vec3 p = to_world(b, corner), d = pcs_v3_sub(p, a->x);
        points[i].normal = pcs_v3_scale(-side, y_axis);
        points[i].gap = 0.5 * sizes->width - side * pcs_v3_dot(d, y_axis);
        points[i].point_b = p;
        points[i].point_a = pcs_v3_axpy(p, -points[i].gap, points[i].normal);
        if (sizes->extent.x > 0.0 && fabs(pcs_v3_dot(d, x_axis)) > sizes->extent.x)
            points[i].gap = HUGE_VAL;
    }
}

// Polyline, in the axes of frame a.

static pcs_vec2 segment_edge(const pcs_contact_sizes *sizes, int32_t i)
{
    pcs_vec2 from = sizes->vertices[i];
    pcs_vec2 to = sizes->vertices[i + 1 < sizes->n_vertices ? i + 1 : 0];
    return (pcs_vec2){to.x - from.x, to.y - from.y};
}

// Unit normal to the left of the direction of travel.
static pcs_vec2 segment_normal(const pcs_contact_sizes *sizes, int32_t i)
{
    pcs_vec2 edge = segment_edge(sizes, i);
    double length = sqrt(edge.x * edge.x + edge.y * edge.y);
    return (pcs_vec2){-edge.y / length, edge.x / length};
}

// Place of p along segment i.
static double segment_place(const pcs_contact_sizes *sizes, pcs_vec2 p, int32_t i)
{
    pcs_vec2 edge = segment_edge(sizes, i);
    double x = p.x - sizes->vertices[i].x, y = p.y - sizes->vertices[i].y;
    return (x * edge.x + y * edge.y) / (edge.x * edge.x + edge.y * edge.y);
}

// The segment nearest to p; *s is the place of p along it (0 start, 1 end), not clamped.
static int32_t nearest_segment(const pcs_contact_sizes *sizes, pcs_vec2 p, double *s)
{
    int32_t n = sizes->closed ? sizes->n_vertices : sizes->n_vertices - 1, nearest = 0;
    double least = HUGE_VAL;
    *s = 0.0;
    for (int32_t i = 0; i < n; i++) {
        pcs_vec2 edge = segment_edge(sizes, i);
        double x = p.x - sizes->vertices[i].x, y = p.y - sizes->vertices[i].y;
        double place = segment_place(sizes, p, i);
        double clamped = fmin(fmax(place, 0.0), 1.0);
        x -= clamped * edge.x;
        y -= clamped * edge.y;
        if (x * x + y * y < least) {
            least = x * x + y * y;
            nearest = i;
            *s = place;
        }
    }
    return nearest;
}

// The nearest feature is vertex k. p is on the free side if it is in front of the sum of the
// normals of the segments that meet there: in the vertex's region the angle between p - V and that
// sum (or its opposite) is less than 90 degrees, at convex and at concave vertices. An open end
// has only one segment; behind it there is no contact. Gap and n in the axes of a.
static double vertex_gap(const pcs_contact_sizes *sizes, pcs_vec2 p, int32_t k, pcs_vec2 *n)
{
    int32_t count = sizes->n_vertices;
    bool first = !sizes->closed && k == 0, last = !sizes->closed && k == count - 1;
    pcs_vec2 sum = {0.0, 0.0};
    if (!first)
        sum = segment_normal(sizes, k > 0 ? k - 1 : count - 1);
    if (!last) {
        pcs_vec2 next = segment_normal(sizes, k);
        sum.x += next.x;
        sum.y += next.y;
    }
    double x = p.x - sizes->vertices[k].x, y = p.y - sizes->vertices[k].y;
    double front = sum.x * x + sum.y * y, distance = sqrt(x * x + y * y);
    if (!(distance > PCS_SHORTEST_DIRECTION)) {
        double length = sqrt(sum.x * sum.x + sum.y * sum.y);
        *n = (pcs_vec2){sum.x / length, sum.y / length};
        return 0.0;
    }
    double side = front < 0.0 ? -1.0 : 1.0;
    *n = (pcs_vec2){side * x / distance, side * y / distance};
    return (first || last) && front <= 0.0 ? HUGE_VAL : side * distance;
}

// Way from the place s on segment i to its nearer end, and the segment beyond that end.
static void segment_end(const pcs_contact_sizes *sizes, int32_t i, double s,
                        pcs_contact_point *point)
{
    int32_t n = sizes->closed ? sizes->n_vertices : sizes->n_vertices - 1;
    pcs_vec2 edge = segment_edge(sizes, i);
    bool start = s < 0.5;
    point->edge = (start ? s : 1.0 - s) * sqrt(edge.x * edge.x + edge.y * edge.y);
    point->next_face = start ? i - 1 : i + 1;
    if (sizes->closed)
        point->next_face = (point->next_face + n) % n;
    else if (point->next_face == n)
        point->next_face = -1;
}

// A contact held on a segment sees the straight line through it, also beyond the ends.
void pcs_contact_point_polyline(const pcs_contact_sizes *sizes, const pcs_placement *a,
                                const pcs_placement *b, pcs_contact_point *points)
{
    pcs_vec3 local = pcs_m3_tmul_v3(&a->R, pcs_v3_sub(b->x, a->x));
    pcs_vec2 p = {local.x, local.y}, n;
    double s;
    bool held = sizes->held && *sizes->held >= 0;
    int32_t i = held ? *sizes->held : nearest_segment(sizes, p, &s);
    if (held)
        s = segment_place(sizes, p, i);
    int32_t next = i + 1 < sizes->n_vertices ? i + 1 : 0;
    pcs_vec2 foot;
    if (!held && (s < 0.0 || s > 1.0)) {
        int32_t k = s < 0.0 ? i : next;
        points[0].gap = vertex_gap(sizes, p, k, &n);
        points[0].face = -1 - k;
        foot = sizes->vertices[k];
    } else {
        n = segment_normal(sizes, i);
        double g = n.x * (p.x - sizes->vertices[i].x) + n.y * (p.y - sizes->vertices[i].y);
        foot = (pcs_vec2){p.x - g * n.x, p.y - g * n.y};
        points[0].gap = g;
        points[0].face = i;
        segment_end(sizes, i, s, &points[0]);
    }
    points[0].normal = pcs_m3_mul_v3(&a->R, pcs_v3(n.x, n.y, 0.0));
    points[0].point_a = to_world(a, pcs_v3(foot.x, foot.y, 0.0));
    points[0].point_b = b->x;
}

double pcs_contact_polyline_clearance(const pcs_vec2 *vertices, int32_t n_vertices, bool closed,
                                      pcs_vec2 p, int32_t face)
{
    const pcs_contact_sizes sizes = {
        .vertices = vertices, .n_vertices = n_vertices, .closed = closed};
    const int32_t n = closed ? n_vertices : n_vertices - 1, vertex = -1 - face;
    double least = HUGE_VAL;
    for (int32_t i = 0; i < n; i++) {
        if (i == face || (face < 0 && (i == vertex || (i + 1) % n_vertices == vertex)))
            continue;
        pcs_vec2 edge = segment_edge(&sizes, i);
        double s = fmin(fmax(segment_place(&sizes, p, i), 0.0), 1.0);
        double x = p.x - vertices[i].x - s * edge.x, y = p.y - vertices[i].y - s * edge.y;
        least = fmin(least, x * x + y * y);
    }
    return sqrt(least);
}

// A point, or a disc around it, on a curve in the axes of frame a.
void pcs_contact_point_curve(const pcs_contact_sizes *sizes, const pcs_placement *a,
                             const pcs_placement *b, pcs_contact_point *points)
{
    pcs_vec3 local = pcs_m3_tmul_v3(&a->R, pcs_v3_sub(b->x, a->x));
    pcs_curve_foot foot = pcs_curve_find(sizes->curve, (pcs_vec2){local.x, local.y},
                                         sizes->radius_b, sizes->held ? *sizes->held : -1);
    points[0].normal = pcs_m3_mul_v3(&a->R, pcs_v3(foot.normal.x, foot.normal.y, 0.0));
    points[0].gap = foot.gap - sizes->radius_b;
    points[0].point_a = to_world(a, pcs_v3(foot.point.x, foot.point.y, 0.0));
    points[0].point_b = pcs_v3_axpy(b->x, -sizes->radius_b, points[0].normal);
    points[0].face = foot.face;
    points[0].curvature = foot.curvature;
    points[0].edge = foot.edge;
    points[0].next_face = foot.next_face;
}

// Plane curves made of lines, arcs, parabolas and cubic spline spans, for contacts and joints that
// slide along them. Every piece is one smooth face, parametrised exactly; a spline through n points
// has n - 1 of them. The free side is on the left of the direction of travel:
//   t unit tangent, n = t turned by +90 degrees, t' = kappa n along the way: kappa > 0 turns left.
//
// Two faces meet at a junction: a corner (the tangent jumps, C0), C1 (the curvature jumps) or C2.
// Faces are numbered: 0 .. n-1 the pieces, n + k the corner at the end of piece k, 2n the start of
// an open curve.
#ifndef PCS_GEOMETRY_CURVE_H
#define PCS_GEOMETRY_CURVE_H

#include "percuss/model.h"

// Tangents that differ by less than this angle are one tangent: what it neglects in a velocity is
// this fraction of it, and typed coordinates of tangent points have about this many digits.
#define PCS_CURVE_SMOOTH_ANGLE 1e-6
// Curvatures that differ by less than this fraction of the larger one (or of one over the size of
// the curve) are one curvature.
#define PCS_CURVE_SMOOTH_CURVATURE 1e-6
// Ends that are nearer than this fraction of the size of the curve are one point.
#define PCS_CURVE_JOINED 1e-9

typedef enum pcs_junction {
    PCS_JUNCTION_END, // nothing follows: the curve is open
    PCS_JUNCTION_CORNER,
    PCS_JUNCTION_C1,
    PCS_JUNCTION_C2
} pcs_junction;

typedef struct pcs_curve_place {
    pcs_vec2 point, tangent, normal;
    double speed;     // |dP/ds| of the parameter s
    double curvature; // kappa
} pcs_curve_place;

typedef struct pcs_curve_span {
    // A polynomial P(s) = sum_k (x_k, y_k) s^k, or an arc: s is the length, the angle seen from the
    // centre start_angle + s/radius, radius > 0 to the left.
    bool arc;
    int32_t degree;
    double x[4], y[4];
    pcs_vec2 center;
    double radius, start_angle;
    double from, to;    // range of s
    pcs_vec2 low, high; // bounding box
    pcs_curve_place start, end;
    pcs_junction junction; // at the end
    double turn;           // angle of the corner there, > 0 to the left
} pcs_curve_span;

typedef struct pcs_curve {
    pcs_curve_span *spans;
    int32_t n_spans;
    bool closed;
    pcs_vec2 *outline; // points for a picture; a closed curve does not repeat the first one
    int32_t n_outline;
} pcs_curve;

// Where a point p stands against the curve.
typedef struct pcs_curve_foot {
    int32_t face;
    double s;   // parameter on a piece; unused on corners
    double gap; // n.(p - point), > 0 on the left; HUGE_VAL: beyond an open end
    pcs_vec2 point, tangent,
        normal;       // a corner's normal points to p, and the tangent is n turned back
    double curvature; // on pieces
    // Way along the piece to its nearer end, < 0 beyond; corners: way of p around them. Of a disc on a
    // held face also how much farther another face is, where that is less.
    double edge;
    int32_t next_face; // beyond that end; -1: none
} pcs_curve_foot;

// The error text says which piece and why, without the owner's name.
pcs_status pcs_curve_create(pcs_context *ctx, const pcs_curve_def *def, pcs_curve **out)
    PCS_MUST_CHECK;
void pcs_curve_destroy(pcs_context *ctx, pcs_curve *curve);

// True if all pieces have the same numbers.
bool pcs_curve_is_same(const pcs_curve *a, const pcs_curve *b);

pcs_curve_place pcs_curve_evaluate(const pcs_curve_span *span, double s);
// All faces of a curve have numbers below this.
static inline int32_t pcs_curve_face_count(const pcs_curve *curve)
{
    return 2 * curve->n_spans + 1;
}

// The nearest point of the curve, or of the held face (held >= 0), whose formula goes on beyond its
// ends. `radius` is that of the disc around p that touches the curve: a disc rolls around a corner
// that points to it, a point goes over to the next piece; it does not change the gap.
pcs_curve_foot pcs_curve_find(const pcs_curve *curve, pcs_vec2 p, double radius, int32_t held);
// The piece that p is on or nearest to, with its formula beyond the ends: never a corner.
pcs_curve_foot pcs_curve_find_piece(const pcs_curve *curve, pcs_vec2 p, int32_t held);
// Distance of p from all pieces but `face` (or but those that meet at it, if it is a corner), and
// the largest curvature towards the free side of what was left out: exact for lines and arcs, from
// places along a parabola or spline with a margin otherwise.
double pcs_curve_clearance(const pcs_curve *curve, pcs_vec2 p, int32_t face, double *bend);
// Signed way along a piece from s0 to s1.
double pcs_curve_length(const pcs_curve_span *span, double s0, double s1);

// Real roots in [low, high] at which the polynomial sum_k c_k s^k, k <= degree <= 5, goes from
// below to above 0 (`rising`), or all that change its sign; ascending. Returns their number.
enum { PCS_ROOTS_DEGREE_MAX = 5 };
int32_t pcs_polynomial_roots(const double *c, int32_t degree, double low, double high, bool rising,
                             double roots[PCS_ROOTS_DEGREE_MAX]);

#endif

// Places on a plane curve and the nearest point. The distance of p to a piece has its least value
// at an end or where f(s) = (P(s) - p).P'(s) goes from below to above 0: closed form for arcs, all
// roots of a polynomial for the others. A box around each piece keeps most of them out.
#include "geometry/curve.h"

#include <float.h>
#include <math.h>

#include "geometry/contact_geometry.h"
#include "math/rotation.h"

static pcs_vec2 minus(pcs_vec2 a, pcs_vec2 b)
{
    return (pcs_vec2){a.x - b.x, a.y - b.y};
}

static double dot(pcs_vec2 a, pcs_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(pcs_vec2 a, pcs_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static bool is_same_span(const pcs_curve_span *a, const pcs_curve_span *b)
{
    bool same = a->arc == b->arc && a->degree == b->degree && a->center.x == b->center.x &&
                a->center.y == b->center.y && a->radius == b->radius &&
                a->start_angle == b->start_angle && a->from == b->from && a->to == b->to;
    for (int k = 0; k < 4; ++k)
        same = same && a->x[k] == b->x[k] && a->y[k] == b->y[k];
    return same;
}

bool pcs_curve_is_same(const pcs_curve *a, const pcs_curve *b)
{
    if (a->n_spans != b->n_spans || a->closed != b->closed)
        return false;
    for (int32_t i = 0; i < a->n_spans; ++i)
        if (!is_same_span(&a->spans[i], &b->spans[i]))
            return false;
    return true;
}

// ---- Places ----

// Derivatives of P of order 0, 1 and 2.
static void derivatives(const pcs_curve_span *span, double s, pcs_vec2 d[3])
{
    if (span->arc) {
        double r = fabs(span->radius), angle = span->start_angle + s / span->radius;
        pcs_vec2 out = {cos(angle), sin(angle)};
        double side = span->radius > 0.0 ? 1.0 : -1.0;
        d[0] = (pcs_vec2){span->center.x + r * out.x, span->center.y + r * out.y};
        d[1] = (pcs_vec2){-side * out.y, side * out.x};
        d[2] = (pcs_vec2){-out.x / r, -out.y / r};
        return;
    }
    const double *x = span->x, *y = span->y;
    d[0] = (pcs_vec2){x[0] + s * (x[1] + s * (x[2] + s * x[3])),
                      y[0] + s * (y[1] + s * (y[2] + s * y[3]))};
    d[1] = (pcs_vec2){x[1] + s * (2.0 * x[2] + 3.0 * s * x[3]),
                      y[1] + s * (2.0 * y[2] + 3.0 * s * y[3])};
    d[2] = (pcs_vec2){2.0 * x[2] + 6.0 * s * x[3], 2.0 * y[2] + 6.0 * s * y[3]};
}

pcs_curve_place pcs_curve_evaluate(const pcs_curve_span *span, double s)
{
    pcs_vec2 d[3];
    derivatives(span, s, d);
    pcs_curve_place place = {.point = d[0]};
    place.speed = sqrt(dot(d[1], d[1]));
    place.tangent = (pcs_vec2){d[1].x / place.speed, d[1].y / place.speed};
    place.normal = (pcs_vec2){-place.tangent.y, place.tangent.x};
    place.curvature = cross(d[1], d[2]) / (place.speed * place.speed * place.speed);
    return place;
}

// Gauss-Legendre with 8 points: the speed of a parabola or a spline span
// is smooth, and near s0 = s1, where events are looked for, any rule is exact.
double pcs_curve_length(const pcs_curve_span *span, double s0, double s1)
{
    static const double node[4] = {0.183434642495649805, 0.525532409916328986, 0.796666477413626740,
                                   0.960289856497536232};
    static const double weight[4] = {0.362683783378361983, 0.313706645877887287,
                                     0.222381034453374471, 0.101228536290376259};
    if (span->arc)
        return s1 - s0;
    if (span->degree == 1)
        return (s1 - s0) * sqrt(span->x[1] * span->x[1] + span->y[1] * span->y[1]);
    double middle = 0.5 * (s0 + s1), half = 0.5 * (s1 - s0), sum = 0.0;
    for (int i = 0; i < 4; i++)
        for (int side = -1; side <= 1; side += 2) {
            pcs_vec2 d[3];
            derivatives(span, middle + side * half * node[i], d);
            sum += weight[i] * sqrt(dot(d[1], d[1]));
        }
    return half * sum;
}

// ---- The nearest place on one piece ----

static double square_distance(const pcs_curve_span *span, pcs_vec2 p, double s)
{
    pcs_vec2 d[3];
    derivatives(span, s, d);
    pcs_vec2 away = minus(d[0], p);
    return dot(away, away);
}

// Without bounds on s an arc is a full circle around its middle.
static double nearest_on_arc(const pcs_curve_span *span, pcs_vec2 p, bool bounded)
{
    pcs_vec2 out = minus(p, span->center);
    double middle = 0.5 * (span->from + span->to), s = middle;
    if (dot(out, out) > 0.0)
        s += span->radius *
             pcs_angle_wrap(atan2(out.y, out.x) - span->start_angle - middle / span->radius);
    if (!bounded || (s >= span->from && s <= span->to))
        return s;
    return square_distance(span, p, span->from) < square_distance(span, p, span->to) ? span->from
                                                                                     : span->to;
}

// (P - p).P' as a polynomial; degree 2 degree - 1.
static int32_t stationarity(const pcs_curve_span *span, pcs_vec2 p, double *c)
{
    int32_t n = span->degree;
    for (int32_t k = 0; k <= 2 * n - 1; k++)
        c[k] = 0.0;
    for (int32_t i = 0; i <= n; i++)
        for (int32_t j = 1; j <= n; j++)
            c[i + j - 1] += j * ((span->x[i] - (i == 0 ? p.x : 0.0)) * span->x[j] +
                                 (span->y[i] - (i == 0 ? p.y : 0.0)) * span->y[j]);
    return 2 * n - 1;
}

// A held piece is looked at as far beyond its ends as it is long: more of the formula of a spline
// has nothing to do with the piece.
static double nearest_on_polynomial(const pcs_curve_span *span, pcs_vec2 p, bool bounded)
{
    double c[PCS_ROOTS_DEGREE_MAX + 1], roots[PCS_ROOTS_DEGREE_MAX];
    int32_t degree = stationarity(span, p, c);
    double low = span->from, high = span->to;
    if (!bounded && span->degree == 1)
        return -c[0] / c[1];
    if (!bounded) {
        low -= span->to - span->from;
        high += span->to - span->from;
    }
    int32_t n = pcs_polynomial_roots(c, degree, low, high, true, roots);
    double best = low, least = square_distance(span, p, low);
    double other = square_distance(span, p, high);
    if (other < least) {
        best = high;
        least = other;
    }
    for (int32_t i = 0; i < n; i++) {
        other = square_distance(span, p, roots[i]);
        if (other <= least) {
            best = roots[i];
            least = other;
        }
    }
    return best;
}

static double nearest_on_span(const pcs_curve_span *span, pcs_vec2 p, bool bounded)
{
    return span->arc ? nearest_on_arc(span, p, bounded) : nearest_on_polynomial(span, p, bounded);
}

// ---- Faces ----

static int32_t next_of(const pcs_curve *curve, int32_t span)
{
    return span + 1 < curve->n_spans ? span + 1 : 0;
}

// The face beyond the end of piece k, coming from `piece` (k or the one after it). A disc goes
// around a corner that points to the free side.
static int32_t beyond(const pcs_curve *curve, int32_t k, int32_t piece, double radius)
{
    const pcs_curve_span *span = &curve->spans[k];
    if (span->junction == PCS_JUNCTION_END)
        return -1;
    if (span->junction == PCS_JUNCTION_CORNER && span->turn < 0.0 && radius > 0.0)
        return curve->n_spans + k;
    return piece == k ? next_of(curve, k) : k;
}

static pcs_curve_foot foot_on_piece(const pcs_curve *curve, int32_t i, double s, pcs_vec2 p,
                                    double radius)
{
    const pcs_curve_span *span = &curve->spans[i];
    pcs_curve_place place = pcs_curve_evaluate(span, s);
    pcs_curve_foot foot = {.face = i,
                           .s = s,
                           .point = place.point,
                           .tangent = place.tangent,
                           .normal = place.normal,
                           .curvature = place.curvature,
                           .next_face = -1};
    foot.gap = dot(place.normal, minus(p, place.point));
    double from_start = pcs_curve_length(span, span->from, s);
    double to_end = pcs_curve_length(span, s, span->to);
    foot.edge = fmin(from_start, to_end);
    int32_t last = curve->n_spans - 1;
    if (to_end <= from_start)
        foot.next_face = beyond(curve, i, i, radius);
    else if (i > 0 || curve->closed)
        foot.next_face = beyond(curve, i > 0 ? i - 1 : last, i, radius);
    return foot;
}

// Angle from a to b, > 0 to the right.
static double right_turn(pcs_vec2 a, pcs_vec2 b)
{
    return atan2(cross(b, a), dot(a, b));
}

// The corner at the end of piece k, or the start of an open curve (k = n). p is on the free side if
// it is in front of the sum of the normals of the pieces that meet there.
static pcs_curve_foot foot_on_corner(const pcs_curve *curve, int32_t k, pcs_vec2 p)
{
    bool first = k == curve->n_spans, last = !first && curve->spans[k].junction == PCS_JUNCTION_END;
    int32_t before = first ? -1 : k, after = first ? 0 : last ? -1 : next_of(curve, k);
    pcs_vec2 n1 = {0.0, 0.0}, n2 = n1;
    pcs_curve_foot foot = {.face = curve->n_spans + k, .edge = HUGE_VAL, .next_face = -1};
    foot.point = first ? curve->spans[0].start.point : curve->spans[k].end.point;
    if (before >= 0)
        n1 = curve->spans[before].end.normal;
    if (after >= 0)
        n2 = curve->spans[after].start.normal;
    pcs_vec2 sum = {n1.x + n2.x, n1.y + n2.y}, away = minus(p, foot.point);
    double distance = sqrt(dot(away, away)), front = dot(sum, away);
    if (distance > PCS_SHORTEST_DIRECTION) {
        double side = front < 0.0 ? -1.0 : 1.0;
        foot.gap = (first || last) && front <= 0.0 ? HUGE_VAL : side * distance;
        foot.normal = (pcs_vec2){side * away.x / distance, side * away.y / distance};
    } else {
        double length = sqrt(dot(sum, sum));
        foot.normal = (pcs_vec2){sum.x / length, sum.y / length};
    }
    foot.tangent = (pcs_vec2){foot.normal.y, -foot.normal.x};
    double from = before >= 0 ? distance * right_turn(n1, foot.normal) : HUGE_VAL;
    double to = after >= 0 ? distance * right_turn(foot.normal, n2) : HUGE_VAL;
    foot.edge = fmin(from, to);
    foot.next_face = from < to ? before : after;
    return foot;
}

static double box_distance(const pcs_curve_span *span, pcs_vec2 p)
{
    double x = fmax(fmax(span->low.x - p.x, p.x - span->high.x), 0.0);
    double y = fmax(fmax(span->low.y - p.y, p.y - span->high.y), 0.0);
    return x * x + y * y;
}

// Nearest piece and place, within the pieces' ends.
static int32_t nearest_piece(const pcs_curve *curve, pcs_vec2 p, double *s)
{
    int32_t nearest = 0;
    double least = HUGE_VAL;
    *s = curve->spans[0].from;
    for (int32_t i = 0; i < curve->n_spans; i++) {
        const pcs_curve_span *span = &curve->spans[i];
        if (box_distance(span, p) >= least)
            continue;
        double place = nearest_on_span(span, p, true);
        double distance = square_distance(span, p, place);
        if (distance < least) {
            least = distance;
            nearest = i;
            *s = place;
        }
    }
    return nearest;
}

// Number of the junction at an end of piece i: that of the piece that ends there, n at the start of
// an open curve.
static int32_t junction_at(const pcs_curve *curve, int32_t i, bool start)
{
    if (!start)
        return i;
    return i > 0 ? i - 1 : curve->closed ? curve->n_spans - 1 : curve->n_spans;
}

// A disc that is held on one face comes to another one before its foot is at the end of the first: in
// a corner that is hollow for it, at the far side of a groove. Its face ends where the other one is
// as near. A nearest place in a junction of the held face is that face's own end.
static void look_at_other_faces(const pcs_curve *curve, pcs_vec2 p, int32_t held,
                                pcs_curve_foot *foot)
{
    const int32_t n = curve->n_spans;
    const int32_t own[2] = {held >= n ? held - n : junction_at(curve, held, true),
                            held >= n ? held - n : junction_at(curve, held, false)};
    for (int32_t i = 0; i < n; i++) {
        const pcs_curve_span *span = &curve->spans[i];
        if (i == held || sqrt(box_distance(span, p)) - foot->gap >= foot->edge)
            continue;
        const double s = nearest_on_span(span, p, true);
        const pcs_curve_place place = pcs_curve_evaluate(span, s);
        const bool at_end = s == span->from || s == span->to;
        const int32_t junction = at_end ? junction_at(curve, i, s == span->from) : -1;
        const pcs_vec2 away = minus(p, place.point);
        const double way = sqrt(dot(away, away)) - foot->gap;
        if (way >= foot->edge || (at_end && (junction == own[0] || junction == own[1])) ||
            dot(place.normal, away) <= 0.0) // its back
            continue;
        foot->edge = way;
        const bool corner = at_end && (junction == n ||
                                       curve->spans[junction].junction <= PCS_JUNCTION_CORNER);
        foot->next_face = corner ? n + junction : i;
    }
}

pcs_curve_foot pcs_curve_find(const pcs_curve *curve, pcs_vec2 p, double radius, int32_t held)
{
    double s;
    if (held >= 0) {
        const int32_t n = curve->n_spans;
        pcs_curve_foot foot = held >= n
                                  ? foot_on_corner(curve, held - n, p)
                                  : foot_on_piece(curve, held,
                                                  nearest_on_span(&curve->spans[held], p, false), p,
                                                  radius);
        if (radius > 0.0 && foot.gap != HUGE_VAL)
            look_at_other_faces(curve, p, held, &foot);
        return foot;
    }
    int32_t i = nearest_piece(curve, p, &s);
    const pcs_curve_span *span = &curve->spans[i];
    int32_t last = curve->n_spans - 1;
    // At an end, p is beyond the normal of the piece unless it is on it.
    if (s == span->to && span->junction <= PCS_JUNCTION_CORNER &&
        dot(span->end.tangent, minus(p, span->end.point)) > 0.0)
        return foot_on_corner(curve, i, p);
    if (s == span->from && dot(span->start.tangent, minus(p, span->start.point)) < 0.0) {
        if (i == 0 && !curve->closed)
            return foot_on_corner(curve, curve->n_spans, p);
        int32_t before = i > 0 ? i - 1 : last;
        if (curve->spans[before].junction == PCS_JUNCTION_CORNER)
            return foot_on_corner(curve, before, p);
    }
    return foot_on_piece(curve, i, s, p, radius);
}

pcs_curve_foot pcs_curve_find_piece(const pcs_curve *curve, pcs_vec2 p, int32_t held)
{
    double s;
    if (held < 0 || held >= curve->n_spans)
        held = nearest_piece(curve, p, &s);
    return pcs_curve_find(curve, p, 0.0, held);
}

// Largest curvature of a piece, to the left.
static double largest_bend(const pcs_curve_span *span)
{
    enum { PLACES = 16 };
    const double margin = 1.5; // of places that are this close
    double most = 0.0;
    if (span->arc)
        return fmax(1.0 / span->radius, 0.0);
    for (int i = 0; i <= PLACES && span->degree > 1; i++) {
        double s = span->from + (span->to - span->from) * i / PLACES;
        most = fmax(most, margin * pcs_curve_evaluate(span, s).curvature);
    }
    return most;
}

double pcs_curve_clearance(const pcs_curve *curve, pcs_vec2 p, int32_t face, double *bend)
{
    const int32_t n = curve->n_spans;
    int32_t left[2] = {face, face};
    if (face == 2 * n)
        left[0] = left[1] = 0;
    else if (face >= n) {
        left[0] = face - n;
        left[1] = curve->spans[face - n].junction == PCS_JUNCTION_END ? left[0]
                                                                      : next_of(curve, face - n);
    }
    double least = HUGE_VAL;
    *bend = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const pcs_curve_span *span = &curve->spans[i];
        if (i == left[0] || i == left[1])
            *bend = fmax(*bend, largest_bend(span));
        else if (box_distance(span, p) < least)
            least = fmin(least, square_distance(span, p, nearest_on_span(span, p, true)));
    }
    return sqrt(least);
}

// Making a plane curve from its definition: pieces become spans, neighbours are checked to meet,
// and their junctions are classified.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/curve.h"
#include "math/rotation.h"

// Three points whose triangle is flatter than this (its height over its base) make no arc: rounding
// of the coordinates alone would move the centre by as much as the radius.
static const double FLAT_ARC = 1e-12;
// A spline whose speed falls below this fraction of its highest has a cusp, where no tangent
// exists.
static const double CUSP_SPEED = 1e-6;
// Chords that an arc, a parabola or a span of a spline has in a picture.
enum { CHORDS = 24 };

static double distance(pcs_vec2 a, pcs_vec2 b)
{
    double x = b.x - a.x, y = b.y - a.y;
    return sqrt(x * x + y * y);
}

static bool is_finite(pcs_vec2 a)
{
    return isfinite(a.x) && isfinite(a.y);
}

const char *pcs_curve_kind_name(pcs_curve_kind kind)
{
    static const char *const names[PCS_CURVE_KIND_COUNT] = {
        [PCS_CURVE_LINE] = "line",
        [PCS_CURVE_ARC] = "arc",
        [PCS_CURVE_PARABOLA] = "parabola",
        [PCS_CURVE_SPLINE] = "spline",
    };
    return (int)kind >= 0 && kind < PCS_CURVE_KIND_COUNT ? names[kind] : NULL;
}

// ---- Pieces ----

static pcs_status make_line(pcs_context *ctx, const pcs_curve_piece *piece, pcs_curve_span *span)
{
    double length = distance(piece->from, piece->to);
    if (!(isfinite(length) && length >= DBL_MIN))
        return pcs_error(ctx, PCS_ERROR_MODEL, "a line needs two different points");
    *span = (pcs_curve_span){
        .degree = 1,
        .x = {piece->from.x, (piece->to.x - piece->from.x) / length},
        .y = {piece->from.y, (piece->to.y - piece->from.y) / length},
        .to = length,
    };
    return PCS_OK;
}

// The angle that leads counter-clockwise to `angle`, in [0, 2 pi).
static double full_turn(double angle)
{
    double wrapped = fmod(angle, 2.0 * PCS_PI);
    return wrapped < 0.0 ? wrapped + 2.0 * PCS_PI : wrapped;
}

// Centre from |c|^2 = |c - b|^2 = |c - d|^2 with b = through - from and d = to - from.
static pcs_status make_arc(pcs_context *ctx, const pcs_curve_piece *piece, pcs_curve_span *span)
{
    pcs_vec2 b = {piece->through.x - piece->from.x, piece->through.y - piece->from.y};
    pcs_vec2 d = {piece->to.x - piece->from.x, piece->to.y - piece->from.y};
    double area = b.x * d.y - b.y * d.x, bb = b.x * b.x + b.y * b.y, dd = d.x * d.x + d.y * d.y;
    if (!(isfinite(bb) && isfinite(dd) && fabs(area) > FLAT_ARC * fmax(bb, dd)))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "the three points of an arc must be different and not on one line");
    pcs_vec2 c = {0.5 * (d.y * bb - b.y * dd) / area, 0.5 * (b.x * dd - d.x * bb) / area};
    double a0 = atan2(-c.y, -c.x), a1 = atan2(b.y - c.y, b.x - c.x),
           a2 = atan2(d.y - c.y, d.x - c.x);
    double sweep = full_turn(a2 - a0), r = sqrt(c.x * c.x + c.y * c.y);
    bool left = full_turn(a1 - a0) < sweep;
    if (!left)
        sweep = 2.0 * PCS_PI - sweep;
    *span = (pcs_curve_span){
        .arc = true,
        .center = {piece->from.x + c.x, piece->from.y + c.y},
        .radius = left ? r : -r,
        .start_angle = a0,
        .to = r * sweep,
    };
    return PCS_OK;
}

// In s = +-(x - middle), so that s grows in the direction of travel.
static pcs_status make_parabola(pcs_context *ctx, const pcs_curve_piece *piece,
                                pcs_curve_span *span)
{
    const double *c = piece->coefficients;
    double middle = 0.5 * (piece->x_from + piece->x_to), half = 0.5 * (piece->x_to - piece->x_from);
    if (!isfinite(c[0]) || !isfinite(c[1]) || !isfinite(c[2]) || !isfinite(half) ||
        !(fabs(half) >= DBL_MIN))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "a parabola needs three finite coefficients and two different x");
    double side = half > 0.0 ? 1.0 : -1.0;
    *span = (pcs_curve_span){
        .degree = 2,
        .x = {middle, side},
        .y = {c[0] + middle * (c[1] + middle * c[2]), side * (c[1] + 2.0 * middle * c[2]), c[2]},
        .from = -fabs(half),
        .to = fabs(half),
    };
    return PCS_OK;
}

// ---- Splines ----

// A cubic spline over the chord lengths h_i, from its second derivatives M_i at the n points:
//   h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (d_i - d_{i-1}),   d_i = (P_{i+1} - P_i)/h_i,
// ends free (M = 0), with a given unit tangent, or periodic.
typedef struct spline {
    const pcs_curve_piece *piece;
    int32_t n; // unknowns
    bool periodic;
    double *h, *lower, *diagonal, *upper, *corner; // n each
    pcs_vec2 *M;
} spline;

static pcs_vec2 spline_point(const spline *s, int32_t i)
{
    return s->piece->points[i % s->n];
}

static pcs_vec2 chord_slope(const spline *s, int32_t i)
{
    pcs_vec2 a = spline_point(s, i), b = spline_point(s, i + 1);
    return (pcs_vec2){(b.x - a.x) / s->h[i], (b.y - a.y) / s->h[i]};
}

static void spline_rows(spline *s)
{
    int32_t n = s->n, last = n - 1;
    for (int32_t i = 0; i < n; i++) {
        if (!s->periodic && (i == 0 || i == last)) {
            pcs_vec2 direction = s->piece->direction[i == 0 ? 0 : 1];
            double length = distance((pcs_vec2){0.0, 0.0}, direction);
            s->diagonal[i] = 1.0;
            s->M[i] = (pcs_vec2){0.0, 0.0};
            if (!(length > 0.0))
                continue;
            int32_t chord = i == 0 ? 0 : last - 1;
            double side = i == 0 ? 1.0 : -1.0, h = s->h[chord];
            pcs_vec2 d = chord_slope(s, chord);
            s->diagonal[i] = 2.0 * h;
            *(i == 0 ? &s->upper[i] : &s->lower[i]) = h;
            s->M[i] = (pcs_vec2){6.0 * side * (d.x - direction.x / length),
                                 6.0 * side * (d.y - direction.y / length)};
            continue;
        }
        int32_t before = i > 0 ? i - 1 : last;
        pcs_vec2 d0 = chord_slope(s, before), d1 = chord_slope(s, i);
        s->lower[i] = s->h[before];
        s->diagonal[i] = 2.0 * (s->h[before] + s->h[i]);
        s->upper[i] = s->h[i];
        s->M[i] = (pcs_vec2){6.0 * (d1.x - d0.x), 6.0 * (d1.y - d0.y)};
    }
}

// The periodic matrix is the tridiagonal one plus w w^T-like corners; the rank-one update of
// Sherman and Morrison with u = (g, 0.., h_last), v = (1, 0.., h_last/g), g = -diagonal_0.
static void spline_solve(spline *s)
{
    int32_t n = s->n, last = n - 1;
    double g = -s->diagonal[0], w = s->periodic ? s->h[last] : 0.0;
    for (int32_t i = 0; i < n; i++)
        s->corner[i] = 0.0;
    if (s->periodic) {
        s->corner[0] = g;
        s->corner[last] = w;
        s->diagonal[0] -= g;
        s->diagonal[last] -= w * w / g;
    }
    for (int32_t i = 1; i < n; i++) { // elimination without pivots: the rows are dominant
        double factor = s->lower[i] / s->diagonal[i - 1];
        s->diagonal[i] -= factor * s->upper[i - 1];
        s->M[i].x -= factor * s->M[i - 1].x;
        s->M[i].y -= factor * s->M[i - 1].y;
        s->corner[i] -= factor * s->corner[i - 1];
    }
    for (int32_t i = last; i >= 0; i--) {
        pcs_vec2 next = i < last ? s->M[i + 1] : (pcs_vec2){0.0, 0.0};
        double upper = i < last ? s->upper[i] : 0.0, z = i < last ? s->corner[i + 1] : 0.0;
        s->M[i].x = (s->M[i].x - upper * next.x) / s->diagonal[i];
        s->M[i].y = (s->M[i].y - upper * next.y) / s->diagonal[i];
        s->corner[i] = (s->corner[i] - upper * z) / s->diagonal[i];
    }
    if (!s->periodic)
        return;
    double v = w / g, scale = 1.0 + s->corner[0] + v * s->corner[last];
    pcs_vec2 t = {(s->M[0].x + v * s->M[last].x) / scale, (s->M[0].y + v * s->M[last].y) / scale};
    for (int32_t i = 0; i < n; i++) {
        s->M[i].x -= t.x * s->corner[i];
        s->M[i].y -= t.y * s->corner[i];
    }
}

static void cubic(double y0, double slope, double M0, double M1, double h, double *c)
{
    c[0] = y0;
    c[1] = slope - h * (2.0 * M0 + M1) / 6.0;
    c[2] = 0.5 * M0;
    c[3] = (M1 - M0) / (6.0 * h);
}

// The least and the highest speed are where |P'|^2, a polynomial of degree 4, has them.
static bool has_cusp(const pcs_curve_span *span)
{
    double c[5] = {0.0}, slope[4], roots[PCS_ROOTS_DEGREE_MAX];
    for (int32_t i = 1; i <= 3; i++)
        for (int32_t j = 1; j <= 3; j++)
            c[i + j - 2] += i * j * (span->x[i] * span->x[j] + span->y[i] * span->y[j]);
    for (int32_t k = 1; k <= 4; k++)
        slope[k - 1] = k * c[k];
    int32_t n = pcs_polynomial_roots(slope, 3, span->from, span->to, false, roots);
    double least = HUGE_VAL, most = 0.0;
    for (int32_t i = 0; i < n + 2; i++) {
        double s = i < n ? roots[i] : i == n ? span->from : span->to, square = 0.0;
        for (int32_t k = 4; k >= 0; k--)
            square = square * s + c[k];
        least = fmin(least, square);
        most = fmax(most, square);
    }
    return !(least > CUSP_SPEED * CUSP_SPEED * most);
}

static pcs_status fill_spline(pcs_context *ctx, spline *s, int32_t n_spans, pcs_curve_span *spans)
{
    for (int32_t i = 0; i < n_spans; i++) {
        s->h[i] = distance(spline_point(s, i), spline_point(s, i + 1));
        if (!(isfinite(s->h[i]) && s->h[i] >= DBL_MIN))
            return pcs_error(ctx, PCS_ERROR_MODEL, "points %d and %d of the spline are the same%s",
                             (int)i + 1, (int)((i + 1) % s->n) + 1,
                             i + 1 == s->n ? " (a closed spline does not repeat its first point)"
                                           : " or not finite");
    }
    spline_rows(s);
    spline_solve(s);
    for (int32_t i = 0; i < n_spans; i++) {
        pcs_vec2 p = spline_point(s, i), d = chord_slope(s, i), M0 = s->M[i];
        pcs_vec2 M1 = s->M[(i + 1) % s->n];
        spans[i] = (pcs_curve_span){.degree = 3, .to = s->h[i]};
        cubic(p.x, d.x, M0.x, M1.x, s->h[i], spans[i].x);
        cubic(p.y, d.y, M0.y, M1.y, s->h[i], spans[i].y);
        if (has_cusp(&spans[i]))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "the spline turns back between points %d and %d; give it more points "
                             "there, or a corner between two splines",
                             (int)i + 1, (int)((i + 1) % s->n) + 1);
    }
    return PCS_OK;
}

static pcs_status make_spline(pcs_context *ctx, const pcs_curve_piece *piece, bool periodic,
                              pcs_curve_span *spans)
{
    int32_t n = piece->n_points;
    for (int32_t i = 0; i < 2; i++)
        if (!is_finite(piece->direction[i]))
            return pcs_error(ctx, PCS_ERROR_MODEL, "a direction of the spline is not finite");
    double *work = PCS_NEW_ARRAY(ctx, double, 5 * (size_t)n);
    if (!work)
        return PCS_ERROR_MEMORY;
    pcs_vec2 *M = PCS_NEW_ARRAY(ctx, pcs_vec2, n);
    spline s = {.piece = piece,
                .n = n,
                .periodic = periodic,
                .h = work,
                .lower = work + n,
                .diagonal = work + 2 * (size_t)n,
                .upper = work + 3 * (size_t)n,
                .corner = work + 4 * (size_t)n,
                .M = M};
    pcs_status status = M ? fill_spline(ctx, &s, periodic ? n : n - 1, spans) : PCS_ERROR_MEMORY;
    pcs_free(ctx, M);
    pcs_free(ctx, work);
    return status;
}

// ---- The whole ----

// A closed curve of one spline is periodic.
static bool is_periodic(const pcs_curve_def *def)
{
    return def->closed && def->n_pieces == 1 && def->pieces[0].kind == PCS_CURVE_SPLINE;
}

static int32_t piece_spans(const pcs_curve_def *def, int32_t i)
{
    const pcs_curve_piece *piece = &def->pieces[i];
    if (piece->kind != PCS_CURVE_SPLINE)
        return 1;
    return is_periodic(def) ? piece->n_points : piece->n_points - 1;
}

static pcs_status count_spans(pcs_context *ctx, const pcs_curve_def *def, int32_t *n_spans)
{
    if (def->n_pieces < 1 || !def->pieces)
        return pcs_error(ctx, PCS_ERROR_MODEL, "a curve needs at least one piece");
    for (int32_t i = 0; i < def->n_pieces; i++) {
        const pcs_curve_piece *piece = &def->pieces[i];
        int32_t least = is_periodic(def) ? 3 : 2;
        if ((int)piece->kind < 0 || piece->kind >= PCS_CURVE_KIND_COUNT)
            return pcs_error(ctx, PCS_ERROR_MODEL, "curve piece %d: unknown kind %d", (int)i + 1,
                             (int)piece->kind);
        if (piece->kind == PCS_CURVE_SPLINE && (piece->n_points < least || !piece->points))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "curve piece %d: a %sspline needs at least %d points", (int)i + 1,
                             least == 3 ? "closed " : "", (int)least);
        *n_spans += piece_spans(def, i);
    }
    return PCS_OK;
}

static pcs_status make_piece(pcs_context *ctx, const pcs_curve_def *def, int32_t i,
                             pcs_curve_span *spans)
{
    const pcs_curve_piece *piece = &def->pieces[i];
    switch (piece->kind) {
    case PCS_CURVE_LINE:
        return make_line(ctx, piece, spans);
    case PCS_CURVE_ARC:
        return make_arc(ctx, piece, spans);
    case PCS_CURVE_PARABOLA:
        return make_parabola(ctx, piece, spans);
    default:
        return make_spline(ctx, piece, is_periodic(def), spans);
    }
}

static void grow(pcs_curve_span *span, pcs_vec2 p)
{
    span->low = (pcs_vec2){fmin(span->low.x, p.x), fmin(span->low.y, p.y)};
    span->high = (pcs_vec2){fmax(span->high.x, p.x), fmax(span->high.y, p.y)};
}

// Ends, and the box around them and the extremes of x and y.
static void measure(pcs_curve_span *span)
{
    span->start = pcs_curve_evaluate(span, span->from);
    span->end = pcs_curve_evaluate(span, span->to);
    span->low = span->high = span->start.point;
    grow(span, span->end.point);
    if (span->arc) {
        for (int quarter = 0; quarter < 4; quarter++) {
            double ahead = 0.5 * PCS_PI * quarter - span->start_angle;
            double s = fabs(span->radius) * full_turn(span->radius > 0.0 ? ahead : -ahead);
            if (s <= span->to)
                grow(span, pcs_curve_evaluate(span, s).point);
        }
        return;
    }
    for (int axis = 0; axis < 2; axis++) {
        const double *c = axis == 0 ? span->x : span->y;
        double slope[3] = {c[1], 2.0 * c[2], 3.0 * c[3]}, roots[PCS_ROOTS_DEGREE_MAX];
        int32_t n = pcs_polynomial_roots(slope, 2, span->from, span->to, false, roots);
        for (int32_t i = 0; i < n; i++)
            grow(span, pcs_curve_evaluate(span, roots[i]).point);
    }
}

// The junction of two neighbours; `size` is that of the whole curve.
static pcs_status join(pcs_context *ctx, double size, pcs_curve_span *a, const pcs_curve_span *b)
{
    pcs_vec2 p = a->end.point, q = b->start.point, t = a->end.tangent, u = b->start.tangent;
    if (distance(p, q) > PCS_CURVE_JOINED * size)
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "it ends at (%.9g, %.9g), but the next piece begins at (%.9g, %.9g)", p.x,
                         p.y, q.x, q.y);
    a->turn = atan2(t.x * u.y - t.y * u.x, t.x * u.x + t.y * u.y);
    if (fabs(a->turn) > PCS_PI - PCS_CURVE_SMOOTH_ANGLE)
        return pcs_error(ctx, PCS_ERROR_MODEL, "the next piece goes straight back over it");
    double k1 = a->end.curvature, k2 = b->start.curvature;
    double scale = fmax(fmax(fabs(k1), fabs(k2)), 1.0 / size);
    if (fabs(a->turn) > PCS_CURVE_SMOOTH_ANGLE)
        a->junction = PCS_JUNCTION_CORNER;
    else
        a->junction = fabs(k2 - k1) > PCS_CURVE_SMOOTH_CURVATURE * scale ? PCS_JUNCTION_C1
                                                                         : PCS_JUNCTION_C2;
    return PCS_OK;
}

static double size_of(const pcs_curve *curve)
{
    pcs_curve_span all = curve->spans[0];
    for (int32_t i = 1; i < curve->n_spans; i++) {
        grow(&all, curve->spans[i].low);
        grow(&all, curve->spans[i].high);
    }
    return distance(all.low, all.high);
}

static bool make_outline(pcs_context *ctx, pcs_curve *curve)
{
    int32_t n = 0;
    for (int32_t i = 0; i < curve->n_spans; i++)
        n += !curve->spans[i].arc && curve->spans[i].degree == 1 ? 1 : CHORDS;
    curve->outline = PCS_NEW_ARRAY(ctx, pcs_vec2, n + 1);
    if (!curve->outline)
        return false;
    for (int32_t i = 0; i < curve->n_spans; i++) {
        const pcs_curve_span *span = &curve->spans[i];
        int32_t chords = !span->arc && span->degree == 1 ? 1 : CHORDS;
        for (int32_t k = 0; k < chords; k++) {
            double s = span->from + (span->to - span->from) * k / chords;
            curve->outline[curve->n_outline++] = pcs_curve_evaluate(span, s).point;
        }
    }
    if (!curve->closed)
        curve->outline[curve->n_outline++] = curve->spans[curve->n_spans - 1].end.point;
    return true;
}

// Piece i of the definition has the spans from `first` on.
static pcs_status fill_curve(pcs_context *ctx, const pcs_curve_def *def, pcs_curve *curve)
{
    int32_t first = 0;
    for (int32_t i = 0; i < def->n_pieces; i++) {
        pcs_status status = make_piece(ctx, def, i, curve->spans + first);
        if (status < 0)
            return pcs_error_prefix(ctx, status, "curve piece %d", (int)i + 1);
        first += piece_spans(def, i);
    }
    for (int32_t i = 0; i < curve->n_spans; i++)
        measure(&curve->spans[i]);
    double size = size_of(curve);
    int32_t span = 0;
    for (int32_t i = 0; i < def->n_pieces; i++) {
        for (int32_t k = 0; k < piece_spans(def, i); k++, span++) {
            bool last = span + 1 == curve->n_spans;
            if (last && !curve->closed)
                break;
            pcs_status status = join(ctx, size, &curve->spans[span],
                                     &curve->spans[last ? 0 : span + 1]);
            if (status < 0)
                return pcs_error_prefix(ctx, status, "curve piece %d", (int)i + 1);
        }
    }
    return make_outline(ctx, curve) ? PCS_OK : PCS_ERROR_MEMORY;
}

pcs_status pcs_curve_create(pcs_context *ctx, const pcs_curve_def *def, pcs_curve **out)
{
    int32_t n_spans = 0;
    *out = NULL;
    PCS_TRY(count_spans(ctx, def, &n_spans));
    pcs_curve *curve = PCS_NEW(ctx, pcs_curve);
    if (!curve)
        return PCS_ERROR_MEMORY;
    curve->closed = def->closed;
    curve->n_spans = n_spans;
    curve->spans = PCS_NEW_ARRAY(ctx, pcs_curve_span, n_spans);
    pcs_status status = curve->spans ? fill_curve(ctx, def, curve) : PCS_ERROR_MEMORY;
    if (status < 0) {
        pcs_curve_destroy(ctx, curve);
        return status;
    }
    *out = curve;
    return PCS_OK;
}

void pcs_curve_destroy(pcs_context *ctx, pcs_curve *curve)
{
    if (!curve)
        return;
    pcs_free(ctx, curve->spans);
    pcs_free(ctx, curve->outline);
    pcs_free(ctx, curve);
}

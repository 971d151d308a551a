// Plane curves: places, junctions, nearest points (against a dense sampling), held pieces, ways to
// the ends, and what a definition is refused for.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/curve.h"
#include "math/rotation.h"
#include "support/near.h"

static const double ROUNDING = 256.0 * DBL_EPSILON;

static const pcs_vec2 POINTS[] = {{0.4, 0.9}, {-0.31, 0.63}, {-0.92, 0.81}, {-1.0, -0.9}};

// A closed curve of all kinds of pieces, with corners.
static const pcs_curve_piece ALL[] = {
    {.kind = PCS_CURVE_LINE, .from = {-1.0, -0.9}, .to = {0.2, -0.7}},
    {.kind = PCS_CURVE_PARABOLA, .coefficients = {-0.692, -0.1, 0.3}, .x_from = 0.2, .x_to = 1.1},
    {.kind = PCS_CURVE_ARC, .from = {1.1, -0.439}, .through = {1.3, 0.3}, .to = {0.4, 0.9}},
    {.kind = PCS_CURVE_SPLINE, .points = POINTS, .n_points = 4, .direction = {{-1.0, 0.2}}},
};

static pcs_context *begin(void)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    assert_non_null(ctx);
    return ctx;
}

static void end(pcs_context *ctx)
{
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

static pcs_curve *make(pcs_context *ctx, const pcs_curve_piece *pieces, int32_t n, bool closed)
{
    pcs_curve_def def = {pieces, n, closed};
    pcs_curve *curve;
    if (pcs_curve_create(ctx, &def, &curve) != PCS_OK)
        fail_msg("%s", pcs_context_error(ctx));
    return curve;
}

static double distance(pcs_vec2 a, pcs_vec2 b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

// Tangents and curvatures against central differences: h^2/6 times third derivatives below 10.
static void test_places(void **state)
{
    (void)state;
    pcs_context *ctx = begin();
    pcs_curve *curve = make(ctx, ALL, 4, true);
    assert_int_equal(curve->n_spans, 6);
    const double h = 1e-5, tolerance = 2e-9;
    for (int32_t i = 0; i < curve->n_spans; i++) {
        const pcs_curve_span *span = &curve->spans[i];
        for (int k = 0; k <= 20; k++) {
            double s = span->from + (span->to - span->from) * k / 20.0;
            pcs_curve_place at = pcs_curve_evaluate(span, s);
            pcs_curve_place a = pcs_curve_evaluate(span, s - h),
                            b = pcs_curve_evaluate(span, s + h);
            assert_near((b.point.x - a.point.x) / (2.0 * h), at.speed * at.tangent.x, tolerance);
            assert_near((b.point.y - a.point.y) / (2.0 * h), at.speed * at.tangent.y, tolerance);
            double turn = a.tangent.x * b.tangent.y - a.tangent.y * b.tangent.x;
            assert_near(turn / (2.0 * h * at.speed), at.curvature, 20.0 * tolerance);
            assert_near(at.normal.x, -at.tangent.y, 0.0);
            assert_true(at.point.x >= span->low.x - ROUNDING &&
                        at.point.x <= span->high.x + ROUNDING);
            assert_true(at.point.y >= span->low.y - ROUNDING &&
                        at.point.y <= span->high.y + ROUNDING);
        }
        const pcs_curve_span *next = &curve->spans[(i + 1) % curve->n_spans];
        assert_at_most(distance(span->end.point, next->start.point), 1e-12);
    }
    pcs_curve_destroy(ctx, curve);
    end(ctx);
}

// A quarter circle to the left, then a straight line, then a half circle to the right.
static void test_junctions(void **state)
{
    (void)state;
    pcs_context *ctx = begin();
    double c = sqrt(0.5);
    const pcs_curve_piece pieces[] = {
        {.kind = PCS_CURVE_PARABOLA, .coefficients = {0.0, 0.0, 0.5}, .x_from = -1.0},
        {.kind = PCS_CURVE_ARC, .from = {0.0, 0.0}, .through = {c, 1.0 - c}, .to = {1.0, 1.0}},
        {.kind = PCS_CURVE_LINE, .from = {1.0, 1.0}, .to = {1.0, 3.0}},
        {.kind = PCS_CURVE_LINE, .from = {1.0, 3.0}, .to = {1.0, 4.0}},
        {.kind = PCS_CURVE_LINE, .from = {1.0, 4.0}, .to = {2.0, 4.0}},
        {.kind = PCS_CURVE_ARC, .from = {2.0, 4.0}, .through = {3.0, 3.0}, .to = {2.0, 2.0}},
    };
    static const pcs_junction expected[] = {PCS_JUNCTION_C2,     PCS_JUNCTION_C1, PCS_JUNCTION_C2,
                                            PCS_JUNCTION_CORNER, PCS_JUNCTION_C1, PCS_JUNCTION_END};
    pcs_curve *curve = make(ctx, pieces, 6, false);
    for (int i = 0; i < 6; i++)
        assert_int_equal(curve->spans[i].junction, expected[i]);
    assert_near(curve->spans[3].turn, -0.5 * PCS_PI, ROUNDING);
    assert_near(curve->spans[1].start.curvature, 1.0, ROUNDING);
    assert_near(curve->spans[5].end.curvature, -1.0, ROUNDING);
    assert_near(curve->spans[5].to, PCS_PI, ROUNDING);
    pcs_curve_destroy(ctx, curve);

    // A periodic spline is C2 all around; one in an open curve has its knots C2.
    const pcs_curve_piece cam = {.kind = PCS_CURVE_SPLINE, .points = POINTS, .n_points = 4};
    curve = make(ctx, &cam, 1, true);
    assert_int_equal(curve->n_spans, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(curve->spans[i].junction, PCS_JUNCTION_C2);
    pcs_curve_destroy(ctx, curve);
    curve = make(ctx, &cam, 1, false);
    assert_int_equal(curve->n_spans, 3);
    assert_int_equal(curve->spans[1].junction, PCS_JUNCTION_C2);
    assert_near(curve->spans[0].start.curvature, 0.0, ROUNDING);
    assert_near(curve->spans[2].end.curvature, 0.0, 10.0 * ROUNDING);
    pcs_curve_destroy(ctx, curve);

    curve = make(ctx, ALL, 4, true);
    assert_near(curve->spans[3].start.tangent.y / curve->spans[3].start.tangent.x, -0.2, ROUNDING);
    pcs_curve_destroy(ctx, curve);
    end(ctx);
}

// Least distance to a sampling with 2000 places a piece: too large by at most its half spacing.
static double sampled_distance(const pcs_curve *curve, pcs_vec2 p)
{
    double least = HUGE_VAL;
    for (int32_t i = 0; i < curve->n_spans; i++)
        for (int k = 0; k <= 2000; k++) {
            const pcs_curve_span *span = &curve->spans[i];
            double s = span->from + (span->to - span->from) * k / 2000.0;
            least = fmin(least, distance(p, pcs_curve_evaluate(span, s).point));
        }
    return least;
}

static void test_nearest(void **state)
{
    (void)state;
    pcs_context *ctx = begin();
    pcs_random random;
    pcs_random_init(&random, 5);
    for (int closed = 0; closed < 2; closed++) {
        pcs_curve *curve = make(ctx, ALL, 4, closed == 1);
        for (int trial = 0; trial < 300; trial++) {
            pcs_vec2 p = {pcs_random_between(&random, -2.0, 2.0),
                          pcs_random_between(&random, -2.0, 2.0)};
            pcs_curve_foot foot = pcs_curve_find(curve, p, 0.0, -1);
            double least = sampled_distance(curve, p), away = distance(p, foot.point);
            assert_true(away <= least + ROUNDING && away >= least - 1e-3);
            if (foot.gap == HUGE_VAL) {
                assert_false(closed);
                continue;
            }
            assert_near(fabs(foot.gap), away, 4.0 * ROUNDING);
            assert_near(foot.normal.x * (p.x - foot.point.x) + foot.normal.y * (p.y - foot.point.y),
                        foot.gap, 4.0 * ROUNDING);
            if (foot.face < curve->n_spans)
                assert_true(foot.edge >= -ROUNDING);
        }
        pcs_curve_destroy(ctx, curve);
    }
    end(ctx);
}

// The curve is travelled with the inside on the left: inside the gap is > 0, outside < 0, also near
// the corners. The winding number of the outline decides.
static void test_sides(void **state)
{
    (void)state;
    pcs_context *ctx = begin();
    pcs_random random;
    pcs_random_init(&random, 11);
    pcs_curve *curve = make(ctx, ALL, 4, true);
    for (int trial = 0; trial < 1000; trial++) {
        pcs_vec2 p = {pcs_random_between(&random, -1.6, 1.6),
                      pcs_random_between(&random, -1.6, 1.6)};
        double gap = pcs_curve_find(curve, p, 0.0, -1).gap, turns = 0.0;
        for (int32_t i = 0; i < curve->n_outline; i++) {
            pcs_vec2 a = curve->outline[i], b = curve->outline[(i + 1) % curve->n_outline];
            turns += pcs_angle_wrap(atan2(b.y - p.y, b.x - p.x) - atan2(a.y - p.y, a.x - p.x));
        }
        if (fabs(gap) > 5e-3) // the chords of the outline are within this of the curve
            assert_int_equal(gap > 0.0, turns > PCS_PI);
    }
    pcs_curve_destroy(ctx, curve);
    end(ctx);
}

// A held piece is smooth beyond its ends, and the way to its end changes sign there.
static void test_held(void **state)
{
    (void)state;
    pcs_context *ctx = begin();
    pcs_curve *curve = make(ctx, ALL, 4, true);
    for (int32_t i = 0; i < curve->n_spans; i++) {
        const pcs_curve_span *span = &curve->spans[i];
        double margin = 0.05 * (span->to - span->from);
        for (int side = 0; side < 2; side++)
            for (int beyond = -1; beyond <= 1; beyond++) {
                double s = side ? span->to + beyond * margin : span->from - beyond * margin;
                pcs_curve_place at = pcs_curve_evaluate(span, s);
                pcs_vec2 p = {at.point.x + 0.01 * at.normal.x, at.point.y + 0.01 * at.normal.y};
                pcs_curve_foot foot = pcs_curve_find(curve, p, 0.0, i);
                assert_int_equal(foot.face, i);
                assert_near(foot.s, s, 1e-12);
                assert_near(foot.gap, 0.01, ROUNDING);
                assert_near(foot.curvature, at.curvature, 1e-10);
                double way = side ? pcs_curve_length(span, s, span->to)
                                  : pcs_curve_length(span, span->from, s);
                assert_near(foot.edge, way, 1e-12);
                assert_true(beyond == 0 || (foot.edge < 0.0) == (beyond > 0));
                assert_int_equal(foot.next_face, side ? (i + 1) % 6 : (i + 5) % 6);
            }
    }
    pcs_curve_destroy(ctx, curve);
    end(ctx);
}

// Way along y = x^2/2 from 0 to X: (X sqrt(1 + X^2) + asinh X)/2.
static void test_length(void **state)
{
    (void)state;
    pcs_context *ctx = begin();
    const pcs_curve_piece parabola = {
        .kind = PCS_CURVE_PARABOLA, .coefficients = {0.0, 0.0, 0.5}, .x_from = 0.0, .x_to = 2.0};
    pcs_curve *curve = make(ctx, &parabola, 1, false);
    const pcs_curve_span *span = curve->spans;
    for (double x = 0.1; x <= 0.5; x += 0.1) { // the rule has an error of order x^17
        double s = span->from + x;
        assert_near(pcs_curve_length(span, span->from, s), 0.5 * (x * sqrt(1.0 + x * x) + asinh(x)),
                    1e-13);
    }
    // Over the whole piece the rule has eight digits or more.
    assert_near(pcs_curve_length(span, span->from, span->to), 0.5 * (2.0 * sqrt(5.0) + asinh(2.0)),
                1e-8);
    assert_near(pcs_curve_find(curve, (pcs_vec2){-0.5, 0.125}, 0.0, 0).edge,
                -0.5 * (0.5 * sqrt(1.25) + asinh(0.5)), 1e-13);
    assert_int_equal(pcs_curve_find(curve, (pcs_vec2){-0.5, 0.125}, 0.0, 0).next_face, -1);
    pcs_curve_destroy(ctx, curve);
    end(ctx);
}

// The corner of a step: (-1, 0) (0, 0) (0, -1), which points to the free side. A disc rolls around
// it.
static void test_corner(void **state)
{
    (void)state;
    pcs_context *ctx = begin();
    const pcs_curve_piece step[] = {
        {.kind = PCS_CURVE_LINE, .from = {-1.0, 0.0}, .to = {0.0, 0.0}},
        {.kind = PCS_CURVE_LINE, .from = {0.0, 0.0}, .to = {0.0, -1.0}},
    };
    pcs_curve *curve = make(ctx, step, 2, false);
    const int32_t corner = 2;
    pcs_vec2 p = {0.3, 0.4};
    pcs_curve_foot foot = pcs_curve_find(curve, p, 0.2, -1);
    assert_int_equal(foot.face, corner);
    assert_near(foot.gap, 0.5, ROUNDING);
    assert_near(foot.normal.x, 0.6, ROUNDING);
    assert_near(foot.edge, 0.5 * atan2(0.3, 0.4), ROUNDING);
    assert_int_equal(foot.next_face, 0);
    p = (pcs_vec2){0.4, -0.03};
    foot = pcs_curve_find(curve, p, 0.2, corner);
    assert_int_equal(foot.face, corner);
    assert_near(foot.edge, hypot(0.4, 0.03) * atan2(-0.03, 0.4), ROUNDING);
    assert_int_equal(foot.next_face, 1);

    // Held on the first line, beyond it: a disc goes to the corner, a point to the next line.
    p = (pcs_vec2){0.1, 0.2};
    foot = pcs_curve_find(curve, p, 0.2, 0);
    assert_near(foot.gap, 0.2, ROUNDING);
    assert_near(foot.edge, -0.1, ROUNDING);
    assert_int_equal(foot.next_face, corner);
    assert_int_equal(pcs_curve_find(curve, p, 0.0, 0).next_face, 1);
    // The nearest piece, never the corner: for joints.
    assert_int_equal(pcs_curve_find_piece(curve, p, -1).face, 0);

    // Beyond the open ends, behind them, there is nothing.
    assert_true(pcs_curve_find(curve, (pcs_vec2){-1.5, -0.1}, 0.2, -1).gap == HUGE_VAL);
    foot = pcs_curve_find(curve, (pcs_vec2){-1.3, 0.4}, 0.2, -1);
    assert_near(foot.gap, 0.5, ROUNDING);
    assert_int_equal(foot.face, 4);
    assert_int_equal(foot.next_face, 0);
    pcs_curve_destroy(ctx, curve);
    end(ctx);
}

static void test_roots(void **state)
{
    (void)state;
    // (s - 1)(s - 2)(s - 3)(s + 4)(s - 0.5) from the lowest coefficient on
    const double a[4] = {1.0, 2.0, 3.0, -4.0};
    double c[6] = {-0.5, 1.0, 0.0, 0.0, 0.0, 0.0}, roots[PCS_ROOTS_DEGREE_MAX];
    for (int k = 0; k < 4; k++)
        for (int i = 5; i >= 0; i--)
            c[i] = (i > 0 ? c[i - 1] : 0.0) - a[k] * c[i];
    assert_int_equal(pcs_polynomial_roots(c, 5, -10.0, 10.0, false, roots), 5);
    const double expected[5] = {-4.0, 0.5, 1.0, 2.0, 3.0};
    for (int k = 0; k < 5; k++)
        assert_near(roots[k], expected[k], 1e-12);
    assert_int_equal(pcs_polynomial_roots(c, 5, -10.0, 10.0, true, roots), 3);
    assert_near(roots[1], 1.0, 1e-12);
    assert_int_equal(pcs_polynomial_roots(c, 5, 1.5, 2.5, false, roots), 1);
    assert_int_equal(pcs_polynomial_roots(c, 5, 3.5, 9.0, false, roots), 0);
}

static void refuse(pcs_context *ctx, const pcs_curve_piece *pieces, int32_t n, bool closed,
                   const char *text)
{
    pcs_curve_def def = {pieces, n, closed};
    pcs_curve *curve;
    assert_int_equal(pcs_curve_create(ctx, &def, &curve), PCS_ERROR_MODEL);
    if (!strstr(pcs_context_error(ctx), text))
        fail_msg("'%s' does not mention '%s'", pcs_context_error(ctx), text);
}

static void test_refusals(void **state)
{
    (void)state;
    pcs_context *ctx = begin();
    refuse(ctx, NULL, 0, false, "at least one piece");
    pcs_curve_piece p[2] = {{.kind = PCS_CURVE_LINE}, {.kind = PCS_CURVE_LINE}};
    refuse(ctx, p, 1, false, "curve piece 1: a line needs two different points");
    p[0].to = (pcs_vec2){1.0, 0.0};
    p[1].from = (pcs_vec2){1.0, 0.001};
    p[1].to = (pcs_vec2){2.0, 0.0};
    refuse(ctx, p, 2, false, "it ends at (1, 0), but the next piece begins at (1, 0.001)");
    p[1].from = (pcs_vec2){1.0, 0.0};
    refuse(ctx, p, 2, true, "curve piece 2: it ends at");
    p[1].to = (pcs_vec2){0.5, 0.0};
    refuse(ctx, p, 2, false, "straight back");
    p[0].kind = PCS_CURVE_ARC;
    p[0].through = (pcs_vec2){0.5, 0.0};
    refuse(ctx, p, 1, false, "not on one line");
    p[0].kind = PCS_CURVE_PARABOLA;
    refuse(ctx, p, 1, false, "two different x");
    p[0].kind = PCS_CURVE_SPLINE;
    refuse(ctx, p, 1, false, "at least 2 points");
    p[0].points = POINTS;
    p[0].n_points = 2;
    refuse(ctx, p, 1, true, "at least 3 points");
    const pcs_vec2 repeated[] = {{0.0, 0.0}, {1.0, 0.3}, {0.5, 1.0}, {0.0, 0.0}};
    p[0].points = repeated;
    p[0].n_points = 4;
    refuse(ctx, p, 1, true, "does not repeat its first point");
    p[0].kind = PCS_CURVE_KIND_COUNT;
    refuse(ctx, p, 1, false, "unknown kind");
    assert_null(pcs_curve_kind_name(PCS_CURVE_KIND_COUNT));
    assert_string_equal(pcs_curve_kind_name(PCS_CURVE_SPLINE), "spline");
    end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),   cmocka_unit_test(test_junctions),
        cmocka_unit_test(test_nearest),  cmocka_unit_test(test_sides),
        cmocka_unit_test(test_held),     cmocka_unit_test(test_length),
        cmocka_unit_test(test_corner),   cmocka_unit_test(test_roots),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

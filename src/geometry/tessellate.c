// Round shapes are surfaces of revolution: a profile (radius, height) from the lower to the upper
// pole, turned about z. With n segments the circle is an inscribed polygon, so that area and volume
// approach those of the shape from below with an error of order 1/n^2.
#include "geometry/tessellate.h"

#include "math/rotation.h"

static bool add_point(pcs_context *ctx, pcs_triangles *out, double x, double y, double z)
{
    return PCS_PUSH(ctx, &out->points, pcs_v3(x, y, z));
}

static bool add_triangle(pcs_context *ctx, pcs_triangles *out, int32_t a, int32_t b, int32_t c)
{
    return PCS_PUSH(ctx, &out->corners, a) && PCS_PUSH(ctx, &out->corners, b) &&
           PCS_PUSH(ctx, &out->corners, c);
}

typedef PCS_ARRAY(pcs_vec2) profile; // x radius, y height; between the poles

// Circles of the profile, and the two poles at its ends.
static bool revolve(pcs_context *ctx, const profile *line, double bottom, double top, int32_t n,
                    pcs_triangles *out)
{
    const int32_t south = out->points.count, first = south + 2;
    bool ok = add_point(ctx, out, 0, 0, bottom) && add_point(ctx, out, 0, 0, top);
    for (int32_t i = 0; i < line->count; i++)
        for (int32_t j = 0; ok && j < n; j++) {
            double angle = 2 * PCS_PI * j / n, r = line->data[i].x;
            ok = add_point(ctx, out, r * cos(angle), r * sin(angle), line->data[i].y);
        }
    const int32_t last = first + (line->count - 1) * n;
    for (int32_t j = 0; ok && j < n; j++) {
        int32_t k = (j + 1) % n;
        ok = add_triangle(ctx, out, south, first + k, first + j) &&
             add_triangle(ctx, out, south + 1, last + j, last + k);
        for (int32_t i = first; ok && i < last; i += n)
            ok = add_triangle(ctx, out, i + j, i + k, i + n + k) &&
                 add_triangle(ctx, out, i + j, i + n + k, i + n + j);
    }
    return ok;
}

// Circles of latitude from the angle `from` to `to` (-pi/2 south pole), `rings` of them.
static bool add_arc(pcs_context *ctx, profile *line, double radius, double center, double from,
                    double to, int32_t rings)
{
    for (int32_t i = 0; i < rings; i++) {
        double angle = rings > 1 ? from + (to - from) * i / (rings - 1) : from;
        pcs_vec2 point = {radius * cos(angle), center + radius * sin(angle)};
        if (!PCS_PUSH(ctx, line, point))
            return false;
    }
    return true;
}

static bool add_round(pcs_context *ctx, pcs_shape_kind kind, pcs_vec3 size, int32_t n,
                      pcs_triangles *out)
{
    const double half = size.z / 2, r = size.x, quarter = PCS_PI / 2;
    const int32_t rings = n / 2 > 2 ? n / 2 : 2; // steps from pole to pole
    const double step = PCS_PI / rings;
    double end = half;
    profile line = {0};
    bool ok;
    switch (kind) {
    case PCS_SHAPE_SPHERE:
        ok = add_arc(ctx, &line, r, 0, -quarter + step, quarter - step, rings - 1);
        end = r;
        break;
    case PCS_SHAPE_CAPSULE: {
        const int32_t cap = rings / 2; // circles in each cap, the equator included
        const double cap_step = quarter / cap;
        ok = add_arc(ctx, &line, r, -half, -quarter + cap_step, 0, cap) &&
             add_arc(ctx, &line, r, half, 0, quarter - cap_step, cap);
        end = half + r;
        break;
    }
    default: // cylinder and rod
        ok = add_arc(ctx, &line, r, -half, 0, 0, 1) && add_arc(ctx, &line, r, half, 0, 0, 1);
        break;
    }
    ok = ok && revolve(ctx, &line, -end, end, n, out);
    PCS_ARRAY_FREE(ctx, &line);
    return ok;
}

static bool add_box(pcs_context *ctx, pcs_vec3 size, pcs_triangles *out)
{
    // Corner i has the sign of x, y, z in its bits; two triangles for each face.
    static const int32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                         {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                         {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    const int32_t first = out->points.count;
    bool ok = true;
    for (int i = 0; ok && i < 8; i++)
        ok = add_point(ctx, out, (i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y,
                       (i & 4 ? 0.5 : -0.5) * size.z);
    for (int i = 0; ok && i < 12; i++)
        ok = add_triangle(ctx, out, first + faces[i][0], first + faces[i][1], first + faces[i][2]);
    return ok;
}

pcs_status pcs_tessellate_shape(pcs_context *ctx, pcs_shape_kind kind, pcs_vec3 size,
                                int32_t segments, pcs_triangles *out)
{
    if (segments < PCS_TESSELLATE_SEGMENTS_LEAST || segments > PCS_TESSELLATE_SEGMENTS_MOST)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "segments must be from %d to %d, but are %d",
                         (int)PCS_TESSELLATE_SEGMENTS_LEAST, (int)PCS_TESSELLATE_SEGMENTS_MOST,
                         (int)segments);
    if (!pcs_shape_kind_name(kind))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "shape: unknown kind %d", (int)kind);
    bool ok;
    if (kind == PCS_SHAPE_BOX)
        ok = add_box(ctx, size, out);
    else {
        if (kind == PCS_SHAPE_ROD)
            size.x = PCS_TESSELLATE_ROD_RADIUS * size.z;
        ok = add_round(ctx, kind, size, segments, out);
    }
    return ok ? PCS_OK : PCS_ERROR_MEMORY;
}

pcs_status pcs_tessellate_patch(pcs_context *ctx, pcs_vec2 center, pcs_vec2 half,
                                pcs_triangles *out)
{
    const int32_t first = out->points.count;
    bool ok = add_point(ctx, out, center.x - half.x, center.y - half.y, 0) &&
              add_point(ctx, out, center.x + half.x, center.y - half.y, 0) &&
              add_point(ctx, out, center.x + half.x, center.y + half.y, 0) &&
              add_point(ctx, out, center.x - half.x, center.y + half.y, 0) &&
              add_triangle(ctx, out, first, first + 1, first + 2) &&
              add_triangle(ctx, out, first, first + 2, first + 3);
    return ok ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_triangles_free(pcs_context *ctx, pcs_triangles *triangles)
{
    PCS_ARRAY_FREE(ctx, &triangles->points);
    PCS_ARRAY_FREE(ctx, &triangles->corners);
}

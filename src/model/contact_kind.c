// Contact kinds: one table row each, and the checks of a contact's definition.
#include "model/contact_kind.h"

#include <float.h>
#include <math.h>

#include "base/context.h"
#include "geometry/curve.h"
#include "math/vector.h"
#include "model/contact.h"

// Two edges of a polyline that turn back by 180 degrees to rounding: the sine of what is missing.
static const double REVERSAL_SINE = 64.0 * DBL_EPSILON;

enum { RADIUS_A = 1, RADIUS_B = 2, SIZE_X = 4, SIZE_Y = 8, SIZE_Z = 16, WIDTH = 32 };

static const char *name_of(const pcs_contact_def *def)
{
    return def->name ? def->name : "";
}

static pcs_status check_inside(pcs_context *ctx, const pcs_contact_def *def)
{
    if (!(def->radius_b >= 0.0)) // zero: a bead without size
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': radius_b must be a number >= 0, but is %g", name_of(def),
                         def->radius_b);
    if (!(def->radius_b < def->radius_a))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': b is inside a, so radius_b must be smaller than radius_a, "
                         "but %g >= %g",
                         name_of(def), def->radius_b, def->radius_a);
    return PCS_OK;
}

static pcs_status check_slider(pcs_context *ctx, const pcs_contact_def *def)
{
    if (def->width < def->size.y)
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': a slider of height size.y = %g does not fit in a guide of "
                         "width %g",
                         name_of(def), def->size.y, def->width);
    return PCS_OK;
}

// Edge i and the next one; false if edge i is the last of an open polyline.
static bool two_edges(const pcs_contact_def *def, int32_t i, pcs_vec2 *e, pcs_vec2 *f)
{
    int32_t n = def->n_vertices;
    pcs_vec2 p = def->vertices[i], q = def->vertices[(i + 1) % n], r = def->vertices[(i + 2) % n];
    *e = (pcs_vec2){q.x - p.x, q.y - p.y};
    *f = (pcs_vec2){r.x - q.x, r.y - q.y};
    return def->closed || i + 2 < n;
}

// Every edge has a length, and none goes straight back over the one before: there the side of a
// point is undefined.
static pcs_status check_polyline(pcs_context *ctx, const pcs_contact_def *def)
{
    int32_t n = def->n_vertices, least = def->closed ? 3 : 2;
    if (n < least)
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': %s polyline needs at least %d vertices, but has %d",
                         name_of(def), def->closed ? "a closed" : "an open", (int)least, (int)n);
    for (int32_t i = 0; i < n; i++)
        if (!isfinite(def->vertices[i].x) || !isfinite(def->vertices[i].y))
            return pcs_error(ctx, PCS_ERROR_MODEL, "contact '%s': vertex %d is not finite",
                             name_of(def), (int)i);
    for (int32_t i = 0; i < (def->closed ? n : n - 1); i++) {
        pcs_vec2 e, f;
        bool followed = two_edges(def, i, &e, &f);
        double square = e.x * e.x + e.y * e.y;
        if (!(isfinite(square) && square >= DBL_MIN))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "contact '%s': the edge from vertex %d to vertex %d has no usable "
                             "length%s",
                             name_of(def), (int)i, (int)((i + 1) % n),
                             def->closed && i == n - 1
                                 ? " (a closed polyline does not repeat its first vertex)"
                                 : "");
        double cross = e.x * f.y - e.y * f.x, dot = e.x * f.x + e.y * f.y;
        if (followed && dot < 0.0 && fabs(cross) <= -REVERSAL_SINE * dot)
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "contact '%s': the polyline turns straight back at vertex %d",
                             name_of(def), (int)((i + 1) % n));
    }
    return PCS_OK;
}

static pcs_status check_curve(pcs_context *ctx, const pcs_contact_def *def)
{
    if (!(isfinite(def->radius_b) && def->radius_b >= 0.0)) // zero: a point
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': radius_b must be a number >= 0, but is %g", name_of(def),
                         def->radius_b);
    pcs_curve *curve;
    pcs_status status = pcs_curve_create(ctx, &def->curve, &curve);
    if (status < 0)
        return pcs_error_prefix(ctx, status, "contact '%s'", name_of(def));
    pcs_curve_destroy(ctx, curve);
    return PCS_OK;
}

static const pcs_contact_kind_row KINDS[PCS_CONTACT_KIND_COUNT] = {
    [PCS_CONTACT_POINT_PLANE] =
        {"point-plane", {1, 1}, pcs_contact_point_plane, pcs_contact_rate_fixed, 0, NULL},
    [PCS_CONTACT_SPHERE_PLANE] = {"sphere-plane",
                                  {1, 1},
                                  pcs_contact_sphere_plane,
                                  pcs_contact_rate_sphere_plane,
                                  RADIUS_B,
                                  NULL},
    [PCS_CONTACT_SPHERE_SPHERE] = {"sphere-sphere",
                                   {1, 1},
                                   pcs_contact_sphere_sphere,
                                   pcs_contact_rate_spheres,
                                   RADIUS_A | RADIUS_B,
                                   NULL},
    [PCS_CONTACT_SPHERE_IN_SPHERE] = {"sphere-in-sphere",
                                      {1, 1},
                                      pcs_contact_sphere_in_sphere,
                                      pcs_contact_rate_spheres,
                                      RADIUS_A,
                                      check_inside},
    [PCS_CONTACT_PIN_IN_HOLE] = {"pin-in-hole",
                                 {1, 1},
                                 pcs_contact_pin_in_hole,
                                 pcs_contact_rate_pin_in_hole,
                                 RADIUS_A,
                                 check_inside},
    [PCS_CONTACT_BOX_PLANE] = {"box-plane",
                               {4, 8},
                               pcs_contact_box_plane,
                               pcs_contact_rate_fixed,
                               SIZE_X | SIZE_Y | SIZE_Z,
                               NULL},
    [PCS_CONTACT_CYLINDER_PLANE] = {"cylinder-plane",
                                    {0, 6},
                                    pcs_contact_cylinder_plane,
                                    pcs_contact_rate_cylinder_plane,
                                    RADIUS_B | SIZE_Z,
                                    NULL},
    [PCS_CONTACT_POINT_POLYLINE] = {"point-polyline",
                                    {1, 0},
                                    pcs_contact_point_polyline,
                                    pcs_contact_rate_point_polyline,
                                    0,
                                    check_polyline},
    [PCS_CONTACT_SLIDER_GUIDE] = {"slider-guide",
                                  {4, 0},
                                  pcs_contact_slider_guide,
                                  pcs_contact_rate_fixed,
                                  SIZE_X | SIZE_Y | WIDTH,
                                  check_slider},
    [PCS_CONTACT_POINT_CURVE] = {"point-curve",
                                 {1, 0},
                                 pcs_contact_point_curve,
                                 pcs_contact_rate_point_curve,
                                 0,
                                 check_curve},
};

const pcs_contact_kind_row *pcs_contact_kind_find(pcs_contact_kind kind)
{
    return (int)kind < 0 || kind >= PCS_CONTACT_KIND_COUNT ? NULL : &KINDS[kind];
}

pcs_contact_def pcs_contact_default(void)
{
    pcs_contact_def def = {0};
    def.kind = PCS_CONTACT_POINT_PLANE;
    def.a = def.b = pcs_frame_default();
    return def;
}

const char *pcs_contact_kind_name(pcs_contact_kind kind)
{
    const pcs_contact_kind_row *row = pcs_contact_kind_find(kind);
    return row ? row->name : NULL;
}

int32_t pcs_contact_kind_slots(pcs_contact_kind kind, int32_t dimension)
{
    const pcs_contact_kind_row *row = pcs_contact_kind_find(kind);
    return row && (dimension == 2 || dimension == 3) ? row->slots[dimension - 2] : 0;
}

bool pcs_contact_kind_allowed(pcs_contact_kind kind, int32_t dimension)
{
    return pcs_contact_kind_slots(kind, dimension) > 0;
}

static pcs_status check_sizes(pcs_context *ctx, const pcs_contact_def *def, int32_t dimension)
{
    const pcs_contact_kind_row *row = pcs_contact_kind_find(def->kind);
    const struct {
        unsigned bit;
        const char *name;
        double value;
    } sizes[] = {
        {RADIUS_A, "radius_a", def->radius_a}, {RADIUS_B, "radius_b", def->radius_b},
        {SIZE_X, "size.x", def->size.x},       {SIZE_Y, "size.y", def->size.y},
        {SIZE_Z, "size.z", def->size.z},       {WIDTH, "width", def->width},
    };
    unsigned needed = dimension == 2 ? row->sizes & ~(unsigned)SIZE_Z : row->sizes;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if ((needed & sizes[i].bit) && !(isfinite(sizes[i].value) && sizes[i].value > 0.0))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "contact '%s': %s must be a number > 0, but is %g", name_of(def),
                             sizes[i].name, sizes[i].value);
    if (!(def->extent.x >= 0.0 && def->extent.y >= 0.0) || !isfinite(def->extent.x) ||
        !isfinite(def->extent.y))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': extent must have numbers >= 0 (0: unbounded), but is "
                         "(%g, %g)",
                         name_of(def), def->extent.x, def->extent.y);
    return row->check ? row->check(ctx, def) : PCS_OK;
}

static pcs_status check_law(pcs_context *ctx, const pcs_contact_def *def)
{
    const pcs_law *law = &def->law;
    if (!(isfinite(law->friction) && law->friction >= 0.0))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': friction must be a number >= 0, but is %g", name_of(def),
                         law->friction);
    if (!(law->restitution >= 0.0 && law->restitution <= 1.0))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': restitution must be in [0, 1], but is %g", name_of(def),
                         law->restitution);
    if (!(law->tangential_restitution >= 0.0 && law->tangential_restitution <= 1.0))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': tangential restitution must be in [0, 1], but is %g",
                         name_of(def), law->tangential_restitution);
    return PCS_OK;
}

pcs_status pcs_contact_check(pcs_context *ctx, const pcs_contact_def *def, int32_t dimension)
{
    const char *kind = pcs_contact_kind_name(def->kind);
    if (!kind)
        return pcs_error(ctx, PCS_ERROR_MODEL, "contact '%s': unknown kind %d", name_of(def),
                         (int)def->kind);
    if (!pcs_contact_kind_allowed(def->kind, dimension))
        return pcs_error(ctx, PCS_ERROR_MODEL, "contact '%s': %s is not a contact of %dD models",
                         name_of(def), kind, (int)dimension);
    if (def->n_vertices < 0 || (def->n_vertices > 0 && !def->vertices))
        return pcs_error(ctx, PCS_ERROR_MODEL, "contact '%s': %d vertices but no array of them",
                         name_of(def), (int)def->n_vertices);
    PCS_TRY(check_sizes(ctx, def, dimension));
    PCS_TRY(check_law(ctx, def));
    for (int i = 0; i < 2; i++)
        if (!def->surface_speed[i].formula && !isfinite(def->surface_speed[i].number))
            return pcs_error(ctx, PCS_ERROR_MODEL, "contact '%s': surface speed is not finite",
                             name_of(def));
    if (dimension == 2 && (def->surface_speed[1].formula || def->surface_speed[1].number != 0.0))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "contact '%s': a planar surface moves along x of frame a only; surface "
                         "speed y must be 0",
                         name_of(def));
    return PCS_OK;
}

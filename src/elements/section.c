// Cross-sections of bars and beams: their numbers, what is sensible, and how they lie in space.
//
// Torsion constant of a rectangle with sides a >= b (Prandtl's series, [TimoshenkoGoodier1970]):
//   J = a b^3 (1/3 - 64 b/(pi^5 a) sum_{n odd} tanh(n pi a/(2 b))/n^5),
// where tanh x = 1 - 2/(exp(2 x) + 1) and sum_{n odd} n^-5 = 31/32 zeta(5), so that what is left to
// sum falls by exp(-2 pi) from term to term. Shear areas: 5/6 of a rectangle; of a tube with
// m = inner/outer, [Cowper1966] with Poisson's ratio 0.3 (the area's part varies by 3 % with it):
//   k = 6 (1 + nu)(1 + m^2)^2 / ((7 + 6 nu)(1 + m^2)^2 + (20 + 12 nu) m^2)
#include <float.h>

#include "base/context.h"
#include "elements/beam.h"

pcs_section pcs_section_default(void)
{
    return (pcs_section){0};
}

static double rectangle_torsion(double a, double b)
{
    const double zeta_5 = 1.03692775514336992633;
    const double pi_5 = PCS_PI * PCS_PI * PCS_PI * PCS_PI * PCS_PI;
    double sum = 31.0 / 32.0 * zeta_5;
    for (int n = 1; n <= 13; n += 2) // exp(-15 pi)/15^5 = 5e-27 is left of a square
        sum -= 2 / ((exp(n * PCS_PI * a / b) + 1) * pow(n, 5));
    return a * b * b * b * (1.0 / 3.0 - 64 * b / (pi_5 * a) * sum);
}

// Sizes that make no section give an empty one, which the check of the mesh refuses.
pcs_section pcs_section_rectangle(double b, double h)
{
    pcs_section section = pcs_section_default();
    if (!(b > 0 && h > 0))
        return section;
    section.area = b * h;
    section.inertia[0] = b * h * h * h / 12;
    section.inertia[1] = h * b * b * b / 12;
    section.torsion = rectangle_torsion(fmax(b, h), fmin(b, h));
    section.shear_area[0] = section.shear_area[1] = 5.0 / 6.0 * section.area;
    section.drawn = (pcs_vec2){b, h};
    return section;
}

pcs_section pcs_section_tube(double outer, double inner)
{
    const double nu = 0.3;
    pcs_section section = pcs_section_default();
    if (!(inner >= 0 && outer > inner))
        return section;
    double m2 = inner / outer * (inner / outer), s = (1 + m2) * (1 + m2);
    double radii = outer * outer + inner * inner;
    section.area = PCS_PI * (outer - inner) * (outer + inner);
    section.inertia[0] = section.inertia[1] = section.area * radii / 4;
    section.torsion = section.area * radii / 2;
    double k = 6 * (1 + nu) * s / ((7 + 6 * nu) * s + (20 + 12 * nu) * m2);
    section.shear_area[0] = section.shear_area[1] = k * section.area;
    section.drawn = (pcs_vec2){2 * outer, 2 * outer};
    section.round = true;
    return section;
}

static pcs_status check_positive(pcs_context *ctx, const char *name, double value,
                                 const char *remedy)
{
    if (value > 0 && value <= DBL_MAX)
        return PCS_OK;
    return pcs_error(ctx, PCS_ERROR_MODEL, "%s: must be a number > 0, not %g; %s", name, value,
                     remedy);
}

pcs_status pcs_bar_check(pcs_context *ctx, const pcs_fe_property *property)
{
    const pcs_material *material = &property->material;
    PCS_TRY(check_positive(ctx, "young", material->young, "give Young's modulus in Pa"));
    PCS_TRY(check_positive(ctx, "density", material->density, "give it in kg/m^3"));
    if (!(material->damping >= 0 && material->damping <= DBL_MAX))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "damping: must be a number >= 0, not %g; it is a time in s, the part of "
                         "the stiffness in C = a M + b K",
                         material->damping);
    return check_positive(ctx, "area", property->section.area,
                          "give the section as a rectangle, as a tube or by its numbers");
}

static pcs_status check_shear(pcs_context *ctx, const char *name, double value)
{
    if (value >= 0 && value <= DBL_MAX)
        return PCS_OK;
    return pcs_error(ctx, PCS_ERROR_MODEL,
                     "%s: must be a number >= 0, not %g; 0 stands for 5/6 of the area", name,
                     value);
}

pcs_status pcs_beam_check(pcs_context *ctx, const pcs_fe_property *property)
{
    const pcs_section *section = &property->section;
    const char *moments = "give the section as a rectangle, as a tube or by its numbers in m^4";
    PCS_TRY(pcs_bar_check(ctx, property));
    double nu = property->material.poisson;
    if (!(nu > -1 && nu < 0.5))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "poisson: must lie between -1 and 0.5, not %g; metals have about 0.3", nu);
    PCS_TRY(check_positive(ctx, "inertia about z", section->inertia[1], moments));
    PCS_TRY(check_shear(ctx, "shear area along y", section->shear_area[0]));
    if (property->dimension == 2)
        return PCS_OK;
    PCS_TRY(check_positive(ctx, "inertia about y", section->inertia[0], moments));
    PCS_TRY(check_positive(ctx, "torsion constant", section->torsion, moments));
    PCS_TRY(check_shear(ctx, "shear area along z", section->shear_area[1]));
    if (!pcs_v3_is_finite(section->y))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "direction y of the section: must be finite numbers");
    return PCS_OK;
}

pcs_beam_stiffness pcs_beam_stiffness_compute(const pcs_fe_property *property)
{
    const pcs_section *section = &property->section;
    const double E = property->material.young, G = E / (2 * (1 + property->material.poisson));
    pcs_beam_stiffness k = {{E * section->area}, {G * section->torsion}};
    for (int i = 0; i < 2; ++i) {
        double shear = section->shear_area[i] > 0 ? section->shear_area[i]
                                                  : 5.0 / 6.0 * section->area;
        k.strain[1 + i] = G * shear;
        k.curvature[1 + i] = E * section->inertia[i];
    }
    return k;
}

pcs_status pcs_line_length(pcs_context *ctx, const pcs_vec3 *X, double *length)
{
    *length = pcs_v3_norm(pcs_v3_sub(X[1], X[0]));
    // Nearer to each other than this, the direction between the nodes is rounding error.
    double noise = 64 * DBL_EPSILON * fmax(pcs_v3_norm(X[0]), pcs_v3_norm(X[1]));
    if (*length > noise && *length <= DBL_MAX)
        return PCS_OK;
    return pcs_error(ctx, PCS_ERROR_MODEL,
                     "both nodes are at (%g, %g, %g), so it has no direction; give its nodes "
                     "different places",
                     X[0].x, X[0].y, X[0].z);
}

// The section's y if it has one; otherwise the local z is as near to the z of the mesh as it can
// be, as in planar models, and an element along that z has its y along the y of the mesh.
pcs_status pcs_beam_axes(pcs_context *ctx, const pcs_fe_property *property, const pcs_vec3 *X,
                         const pcs_mat3 *R, double *length, pcs_mat3 *axes)
{
    // Coordinates from files have a few digits; what differs less is meant to be parallel.
    const double parallel = 1e-6;
    PCS_TRY(pcs_line_length(ctx, X, length));
    pcs_vec3 e1 = pcs_v3_scale(1 / *length, pcs_v3_sub(X[1], X[0])), z = pcs_m3_column(R, 2);
    pcs_vec3 given = property->section.y, y;
    double size = property->dimension == 2 ? 0 : pcs_v3_norm(given);
    if (size > 0) {
        y = pcs_m3_mul_v3(R, pcs_v3_scale(1 / size, given));
        y = pcs_v3_axpy(y, -pcs_v3_dot(y, e1), e1);
        if (!(pcs_v3_norm(y) > parallel))
            return pcs_error(
                ctx, PCS_ERROR_MODEL,
                "direction y of the section, (%g, %g, %g), is parallel to the element; "
                "give one across it, or none",
                given.x, given.y, given.z);
    } else {
        y = pcs_v3_cross(z, e1);
        if (!(pcs_v3_norm(y) > parallel))
            y = pcs_m3_column(R, 1);
    }
    y = pcs_v3_axpy(y, -pcs_v3_dot(y, e1), e1); // again: the first time may leave rounding
    y = pcs_v3_scale(1 / pcs_v3_norm(y), y);
    *axes = pcs_m3_from_columns(e1, y, pcs_v3_cross(e1, y));
    return PCS_OK;
}

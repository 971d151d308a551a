// St Venant-Kirchhoff and neo-Hookean solids [BonetWood2008, ch. 6]:
//   St Venant-Kirchhoff  w = mu E:E,            theta = tr E
//   neo-Hookean          w = mu (tr E - ln J),  theta = ln J,  J = sqrt(det C), C = I + 2 E
// With d(C^-1) = -2 C^-1 dE C^-1 the neo-Hookean derivatives are
//   dw/dE = mu (I - C^-1), dtheta/dE = C^-1, d2w/dE2 = 2 mu I_C, d2theta/dE2 = -2 I_C,
//   (I_C)_ijkl = (C^-1_ik C^-1_jl + C^-1_il C^-1_jk)/2.
#include "elements/material.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

// Row and column of the six components
static const int32_t row_of[6] = {0, 1, 2, 0, 1, 2};
static const int32_t column_of[6] = {0, 1, 2, 1, 2, 0};

static double trace(const double *e)
{
    return e[0] + e[1] + e[2];
}

// ---- St Venant-Kirchhoff ----

static bool st_venant_set(const double *strain, pcs_material_point *point)
{
    memcpy(point->strain, strain, sizeof point->strain);
    point->theta = trace(strain);
    return true;
}

static double st_venant_energy(double mu, const pcs_material_point *point)
{
    const double *e = point->strain;
    double normal = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    double shear = e[3] * e[3] + e[4] * e[4] + e[5] * e[5]; // of 2 E_ij
    return mu * (normal + 0.5 * shear);
}

static void st_venant_stress(double mu, double p, const pcs_material_point *point, double *S)
{
    for (int32_t i = 0; i < 3; ++i) {
        S[i] = 2 * mu * point->strain[i] + p;
        S[3 + i] = mu * point->strain[3 + i];
    }
}

static void st_venant_volume(const pcs_material_point *point, double *gradient)
{
    (void)point;
    for (int32_t i = 0; i < 6; ++i)
        gradient[i] = i < 3 ? 1 : 0;
}

static void st_venant_tangent(double mu, double p, const pcs_material_point *point, double D[6][6])
{
    (void)p, (void)point;
    memset(D, 0, 36 * sizeof(double));
    for (int32_t i = 0; i < 6; ++i)
        D[i][i] = i < 3 ? 2 * mu : mu;
}

// ---- Neo-Hookean ----

// det C - 1 as a polynomial of E, so that ln J keeps its digits at small strains.
static bool neo_hookean_set(const double *strain, pcs_material_point *point)
{
    const double *e = strain;
    double xx = 1 + 2 * e[0], yy = 1 + 2 * e[1], zz = 1 + 2 * e[2];
    double xy = e[3], yz = e[4], zx = e[5];
    memcpy(point->strain, strain, sizeof point->strain);

    double excess = 2 * trace(e) + 4 * (e[0] * e[1] + e[1] * e[2] + e[2] * e[0]) +
                    8 * e[0] * e[1] * e[2] + 2 * xy * yz * zx - xx * yz * yz - yy * zx * zx -
                    zz * xy * xy;
    double det = 1 + excess;
    if (!(xx > 0 && xx * yy - xy * xy > 0 && det > 0)) // leading minors
        return false;

    double *P = point->inverse;
    P[0] = (yy * zz - yz * yz) / det;
    P[1] = (xx * zz - zx * zx) / det;
    P[2] = (xx * yy - xy * xy) / det;
    P[3] = (zx * yz - xy * zz) / det;
    P[4] = (xy * zx - xx * yz) / det;
    P[5] = (xy * yz - yy * zx) / det;
    point->theta = 0.5 * log1p(excess);
    return true;
}

static double neo_hookean_energy(double mu, const pcs_material_point *point)
{
    return mu * (trace(point->strain) - point->theta);
}

static void neo_hookean_stress(double mu, double p, const pcs_material_point *point, double *S)
{
    for (int32_t i = 0; i < 6; ++i)
        S[i] = (i < 3 ? mu : 0) + (p - mu) * point->inverse[i];
}

static void neo_hookean_volume(const pcs_material_point *point, double *gradient)
{
    memcpy(gradient, point->inverse, sizeof point->inverse);
}

static void neo_hookean_tangent(double mu, double p, const pcs_material_point *point,
                                double D[6][6])
{
    const double *c = point->inverse;
    const double P[3][3] = {{c[0], c[3], c[5]}, {c[3], c[1], c[4]}, {c[5], c[4], c[2]}};
    for (int32_t a = 0; a < 6; ++a)
        for (int32_t b = a; b < 6; ++b) {
            int32_t i = row_of[a], j = column_of[a], k = row_of[b], l = column_of[b];
            D[a][b] = D[b][a] = (mu - p) * (P[i][k] * P[j][l] + P[i][l] * P[j][k]);
        }
}

// ---- The table ----

static const pcs_law_class laws[PCS_MATERIAL_LAW_COUNT] = {
    [PCS_MATERIAL_ST_VENANT] =
        {
            .name = "st-venant",
            .help = "St Venant-Kirchhoff: large rotations, small strains",
            .linear = true,
            .set = st_venant_set,
            .energy = st_venant_energy,
            .stress = st_venant_stress,
            .volume = st_venant_volume,
            .tangent = st_venant_tangent,
        },
    [PCS_MATERIAL_NEO_HOOKEAN] =
        {
            .name = "neo-hookean",
            .help = "neo-Hookean: large rotations and strains, resists being crushed",
            .set = neo_hookean_set,
            .energy = neo_hookean_energy,
            .stress = neo_hookean_stress,
            .volume = neo_hookean_volume,
            .tangent = neo_hookean_tangent,
        },
};

const pcs_law_class *pcs_law_class_find(pcs_material_law law)
{
    return law >= 0 && law < PCS_MATERIAL_LAW_COUNT ? &laws[law] : NULL;
}

const char *pcs_material_law_name(pcs_material_law law)
{
    const pcs_law_class *class = pcs_law_class_find(law);
    return class ? class->name : NULL;
}

const char *pcs_material_law_help(pcs_material_law law)
{
    const pcs_law_class *class = pcs_law_class_find(law);
    return class ? class->help : NULL;
}

// Steel
pcs_material pcs_material_default(void)
{
    return (pcs_material){
        .law = PCS_MATERIAL_ST_VENANT, .young = 2.1e11, .poisson = 0.3, .density = 7850};
}

pcs_lame pcs_material_lame(const pcs_material *material)
{
    double E = material->young, nu = material->poisson;
    return (pcs_lame){.lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), .mu = E / (2 * (1 + nu))};
}

pcs_status pcs_material_check_solid(pcs_context *ctx, const pcs_material *m)
{
    if (!pcs_law_class_find(m->law))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "there is no material law %d; take st-venant or neo-hookean", (int)m->law);
    if (!(m->young > 0) || !isfinite(m->young))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "Young's modulus is %g; give a positive number in Pa", m->young);
    if (!(m->poisson > -1 && m->poisson < 0.5))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "Poisson's ratio is %g; it lies between -1 and 0.5, both excluded (take "
                         "0.499 for a material that keeps its volume)",
                         m->poisson);
    if (!(m->density > 0) || !isfinite(m->density))
        return pcs_error(ctx, PCS_ERROR_MODEL, "density is %g; give a positive number in kg/m^3",
                         m->density);
    if (!(m->damping >= 0) || !isfinite(m->damping))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "damping is %g; give the time b >= 0 (s) of C = b K, 0 for none",
                         m->damping);
    return PCS_OK;
}

// Trilinear hexahedron with 8 nodes, 2 x 2 x 2 points and twelve enhanced strain modes
// (solid_modes.c), and the same without the modes. Nodes in the order of gmsh and VTK: 0-3 around
// the bottom, counterclockwise seen from the top, 4-7 above them.
//   N_a = (1 + xi_a xi)(1 + eta_a eta)(1 + zeta_a zeta)/8,  xi_a = +-1
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/context.h"
#include "elements/solid.h"

enum { NODES = 8, UNKNOWNS = 24 };

// A Jacobian below this fraction of the product of its column lengths is that of a flat element:
// the gradients of its shape functions would have fewer than six correct digits.
#define FLAT 1e-10

typedef struct hexahedron {
    double gradient[NODES * NODES][3];
    double weight[NODES];
    pcs_solid_modes modes; // last, so that the plain element leaves it out
} hexahedron;

enum {
    N_CONSTANTS = sizeof(hexahedron) / sizeof(double),
    N_PLAIN_CONSTANTS = offsetof(hexahedron, modes) / sizeof(double)
};

static pcs_solid_shape shape_of(const pcs_fe *element)
{
    const bool plain = element->class == &pcs_fe_hexahedron_plain;
    const hexahedron *h = (const hexahedron *)(const void *)element->constants;
    return (pcs_solid_shape){.n_nodes = NODES,
                             .n_points = NODES,
                             .gradient = h->gradient,
                             .weight = h->weight,
                             .modes = plain ? NULL : &h->modes};
}

// ---- Reference configuration ----

static double shape_value(int32_t a, const double *xi)
{
    const double *s = pcs_solid_signs[a];
    return (1 + s[0] * xi[0]) * (1 + s[1] * xi[1]) * (1 + s[2] * xi[2]) / 8;
}

static void shape_slopes(int32_t a, const double *xi, double *d)
{
    const double *s = pcs_solid_signs[a];
    const double u = 1 + s[0] * xi[0], v = 1 + s[1] * xi[1], w = 1 + s[2] * xi[2];
    d[0] = s[0] * v * w / 8;
    d[1] = s[1] * u * w / 8;
    d[2] = s[2] * u * v / 8;
}

static void point_of(int32_t p, double scale, double *xi)
{
    for (int32_t i = 0; i < 3; ++i)
        xi[i] = scale * pcs_solid_signs[p][i];
}

// dX/dxi
static pcs_mat3 jacobian(const pcs_vec3 *X, const double *xi)
{
    pcs_mat3 J = {{{0}}};
    for (int32_t a = 0; a < NODES; ++a) {
        double d[3], x[3];
        shape_slopes(a, xi, d);
        pcs_v3_store(x, pcs_v3_sub(X[a], X[0]));
        for (int32_t i = 0; i < 3; ++i)
            for (int32_t j = 0; j < 3; ++j)
                J.m[i][j] += x[i] * d[j];
    }
    return J;
}

static bool is_positive(const pcs_mat3 *J)
{
    double size = 1;
    for (int32_t j = 0; j < 3; ++j)
        size *= pcs_v3_norm(pcs_m3_column(J, j));
    return pcs_m3_det(J) > FLAT * size;
}

static pcs_status bad_shape(pcs_context *ctx, int32_t corner, const pcs_mat3 *J)
{
    return pcs_error(ctx, PCS_ERROR_MODEL,
                     "the hexahedron is degenerate or numbered inside out: at its corner %d the "
                     "Jacobian is %g. Number its nodes 0-3 around the bottom, counterclockwise "
                     "seen from the top, and 4-7 above them (the order of gmsh and VTK), and keep "
                     "the angles between its edges well below 180 degrees",
                     (int)corner, pcs_m3_det(J));
}

static pcs_status prepare_points(pcs_context *ctx, const pcs_vec3 *X, hexahedron *h)
{
    double xi[3];
    for (int32_t p = 0; p < NODES; ++p) {
        point_of(p, 1, xi);
        pcs_mat3 J = jacobian(X, xi), inverse;
        if (!is_positive(&J))
            return bad_shape(ctx, p, &J);
        point_of(p, 1 / sqrt(3.0), xi);
        J = jacobian(X, xi);
        if (!is_positive(&J) || !pcs_m3_inverse(&J, &inverse))
            return bad_shape(ctx, p, &J);
        h->weight[p] = pcs_m3_det(&J);
        for (int32_t a = 0; a < NODES; ++a) {
            double d[3];
            shape_slopes(a, xi, d);
            pcs_v3_store(h->gradient[p * NODES + a], pcs_m3_tmul_v3(&inverse, pcs_v3_load(d)));
        }
    }
    return PCS_OK;
}

static pcs_status prepare_plain(pcs_context *ctx, const pcs_fe_property *property,
                                const pcs_vec3 *X, const pcs_mat3 *R, double *constants)
{
    (void)property, (void)R;
    return prepare_points(ctx, X, (hexahedron *)(void *)constants);
}

static pcs_status prepare(pcs_context *ctx, const pcs_fe_property *property, const pcs_vec3 *X,
                          const pcs_mat3 *R, double *constants)
{
    const double centre[3] = {0, 0, 0};
    hexahedron *h = (hexahedron *)(void *)constants;
    PCS_TRY(prepare_plain(ctx, property, X, R, constants));
    const pcs_fe plain = {&pcs_fe_hexahedron_plain, property, constants};
    const pcs_solid_shape shape = shape_of(&plain);
    const pcs_mat3 J = jacobian(X, centre);
    if (!is_positive(&J) ||
        !pcs_solid_modes_init(&h->modes, &shape, pcs_material_lame(&property->material), &J))
        return bad_shape(ctx, 0, &J);
    return PCS_OK;
}

// Consistent: sum_p w rho N_a N_b I; lumped: its row sums
static void mass(const pcs_fe *element, double *M)
{
    const pcs_solid_shape shape = shape_of(element);
    const bool lumped = element->property->lumped;
    memset(M, 0, UNKNOWNS * UNKNOWNS * sizeof *M);
    for (int32_t p = 0; p < NODES; ++p) {
        const double m = element->property->material.density * shape.weight[p];
        double xi[3];
        point_of(p, 1 / sqrt(3.0), xi);
        for (int32_t a = 0; a < NODES; ++a)
            for (int32_t b = 0; b < NODES; ++b)
                for (int32_t i = 0; i < 3; ++i)
                    M[(3 * a + i) * UNKNOWNS + 3 * (lumped ? a : b) + i] += m * shape_value(a, xi) *
                                                                            shape_value(b, xi);
    }
}

// ---- The classes ----

#define HEXAHEDRON_FACES                                                      \
    {                                                                         \
        {0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, \
        {                                                                     \
            3, 0, 4, 7                                                        \
        }                                                                     \
    }

const pcs_fe_class pcs_fe_hexahedron = {
    .kind = PCS_ELEMENT_HEXAHEDRON,
    .name = "hexahedron",
    .help = "solid with 8 nodes, bends without locking (enhanced strains)",
    .n_nodes = NODES,
    .spatial = true,
    .solid = true,
    .n_faces = 6,
    .face_nodes = 4,
    .face = HEXAHEDRON_FACES,
    .n_constants = N_CONSTANTS,
    .n_results = PCS_SOLID_RESULTS,
    .results_names = PCS_SOLID_RESULTS_NAMES,
    .check = pcs_solid_check,
    .prepare = prepare,
    .shape = shape_of,
    .mass = mass,
    .force = pcs_solid_force,
    .tangent = pcs_solid_tangent,
    .energy = pcs_solid_energy,
    .results = pcs_solid_results,
};

const pcs_fe_class pcs_fe_hexahedron_plain = {
    .kind = PCS_ELEMENT_HEXAHEDRON_PLAIN,
    .name = "plain-hexahedron",
    .help = "solid with 8 nodes, fully integrated; locks in bending, for comparison",
    .n_nodes = NODES,
    .spatial = true,
    .solid = true,
    .n_faces = 6,
    .face_nodes = 4,
    .face = HEXAHEDRON_FACES,
    .n_constants = N_PLAIN_CONSTANTS,
    .n_results = PCS_SOLID_RESULTS,
    .results_names = PCS_SOLID_RESULTS_NAMES,
    .check = pcs_solid_check,
    .prepare = prepare_plain,
    .shape = shape_of,
    .mass = mass,
    .force = pcs_solid_force,
    .tangent = pcs_solid_tangent,
    .energy = pcs_solid_energy,
    .results = pcs_solid_results,
};

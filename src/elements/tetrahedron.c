// Linear tetrahedron with 4 nodes: constant strain, one integration point, exact. Nodes 0, 1, 2
// counterclockwise seen from node 3 (gmsh and VTK). Stiff in bending and near incompressibility:
// nothing inside one element cures that (docs/theory/solids.md).
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "elements/solid.h"

enum { NODES = 4, UNKNOWNS = 12 };

// A determinant below this fraction of the product of the edges at node 0 is that of a flat
// element: the gradients of its shape functions would have fewer than six correct digits.
#define FLAT 1e-10

typedef struct tetrahedron {
    double gradient[NODES][3];
    double volume;
} tetrahedron;

static pcs_solid_shape shape_of(const pcs_fe *element)
{
    const tetrahedron *t = (const tetrahedron *)(const void *)element->constants;
    return (pcs_solid_shape){
        .n_nodes = NODES, .n_points = 1, .gradient = t->gradient, .weight = &t->volume};
}

static pcs_status prepare(pcs_context *ctx, const pcs_fe_property *property, const pcs_vec3 *X,
                          const pcs_mat3 *R, double *constants)
{
    (void)property, (void)R;
    tetrahedron *t = (tetrahedron *)(void *)constants;
    const pcs_vec3 a = pcs_v3_sub(X[1], X[0]), b = pcs_v3_sub(X[2], X[0]),
                   c = pcs_v3_sub(X[3], X[0]);
    const pcs_mat3 J = pcs_m3_from_columns(a, b, c);
    const double det = pcs_m3_det(&J);
    pcs_mat3 inverse;
    if (!(det > FLAT * pcs_v3_norm(a) * pcs_v3_norm(b) * pcs_v3_norm(c)) ||
        !pcs_m3_inverse(&J, &inverse))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "the tetrahedron is degenerate or numbered inside out: six times its "
                         "volume is %g. Number its nodes 0, 1, 2 counterclockwise seen from node 3 "
                         "(the order of gmsh and VTK), and keep them out of one plane",
                         det);
    t->volume = det / 6;
    for (int32_t i = 0; i < 3; ++i) {
        t->gradient[0][i] = 0;
        for (int32_t j = 0; j < 3; ++j) {
            t->gradient[1 + j][i] = inverse.m[j][i];
            t->gradient[0][i] -= inverse.m[j][i];
        }
    }
    return PCS_OK;
}

// rho V/20 (1 + delta_ab) I, or a quarter of the mass at each node
static void mass(const pcs_fe *element, double *M)
{
    const double m = element->property->material.density * shape_of(element).weight[0];
    memset(M, 0, UNKNOWNS * UNKNOWNS * sizeof *M);
    for (int32_t a = 0; a < NODES; ++a)
        for (int32_t b = 0; b < NODES; ++b)
            for (int32_t i = 0; i < 3; ++i)
                M[(3 * a + i) * UNKNOWNS + 3 * b + i] = element->property->lumped
                                                            ? (a == b ? m / 4 : 0)
                                                            : (a == b ? m / 10 : m / 20);
}

const pcs_fe_class pcs_fe_tetrahedron = {
    .kind = PCS_ELEMENT_TETRAHEDRON,
    .name = "tetrahedron",
    .help = "solid with 4 nodes, constant strain; stiff in bending",
    .n_nodes = NODES,
    .spatial = true,
    .solid = true,
    .n_faces = 4,
    .face_nodes = 3,
    .face = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}},
    .n_constants = sizeof(tetrahedron) / sizeof(double),
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

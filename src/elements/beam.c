// Geometrically exact beam: the class, with one half in the plane and one in space.
#include "elements/beam.h"

void pcs_beam_turn_block(int n, double *A, int block, const pcs_mat3 *T)
{
    for (int i = 0; i < n; ++i) {
        double *row = A + i * n + block;
        pcs_v3_store(row, pcs_m3_mul_v3(T, pcs_v3_load(row)));
    }
    for (int j = 0; j < n; ++j) {
        double *top = A + block * n + j;
        pcs_vec3 column = pcs_m3_mul_v3(T, pcs_v3(top[0], top[n], top[2 * n]));
        top[0] = column.x;
        top[n] = column.y;
        top[2 * n] = column.z;
    }
}

static pcs_status prepare(pcs_context *ctx, const pcs_fe_property *property, const pcs_vec3 *X,
                          const pcs_mat3 *R, double *constants)
{
    double length;
    pcs_mat3 axes;
    pcs_status status = pcs_beam_axes(ctx, property, X, R, &length, &axes);
    if (status < 0)
        return status;
    if (property->dimension == 2)
        pcs_planar_beam_prepare(R, length, &axes, constants);
    else
        pcs_spatial_beam_prepare(R, length, &axes, constants);
    return PCS_OK;
}

static void mass(const pcs_fe *element, double *M)
{
    if (element->property->dimension == 2)
        pcs_planar_beam_mass(element, M);
    else
        pcs_spatial_beam_mass(element, M);
}

static double force(const pcs_fe *element, const pcs_fe_state *state, double *f)
{
    return element->property->dimension == 2 ? pcs_planar_beam_force(element, state, f)
                                             : pcs_spatial_beam_force(element, state, f);
}

static void tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                    double scale_C, double *A)
{
    if (element->property->dimension == 2)
        pcs_planar_beam_tangent(element, state, scale_K, scale_C, A);
    else
        pcs_spatial_beam_tangent(element, state, scale_K, scale_C, A);
}

static double energy(const pcs_fe *element, const pcs_fe_state *state)
{
    return element->property->dimension == 2 ? pcs_planar_beam_energy(element, state)
                                             : pcs_spatial_beam_energy(element, state);
}

static void results(const pcs_fe *element, const pcs_fe_state *state, double *out)
{
    if (element->property->dimension == 2)
        pcs_planar_beam_results(element, state, out);
    else
        pcs_spatial_beam_results(element, state, out);
}

const pcs_fe_class pcs_fe_beam = {
    .kind = PCS_ELEMENT_BEAM,
    .name = "beam",
    .help = "geometrically exact beam with shear, large displacements and rotations",
    .n_nodes = 2,
    .frames = true,
    .planar = true,
    .spatial = true,
    .n_constants = PCS_SPATIAL_BEAM_CONSTANTS, // the larger one
    .n_results = PCS_BEAM_RESULTS,
    .results_names = PCS_BEAM_RESULTS_NAMES,
    .check = pcs_beam_check,
    .prepare = prepare,
    .mass = mass,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .results = results,
};

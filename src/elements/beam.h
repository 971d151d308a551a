// What bars and beams share: the checks of a line's material and section, the element's length and
// its axes; and the parts of the geometrically exact beam in the plane and in space.
//
// Element axes at the start: e1 from the first node to the second, e2 the section's y, e3 its z.
#ifndef PCS_ELEMENTS_BEAM_H
#define PCS_ELEMENTS_BEAM_H

#include "elements/finite_element.h"

// Stiffnesses of a section: EA, G A_y, G A_z and G J, E I_y, E I_z, in the order of the axes.
typedef struct pcs_beam_stiffness {
    double strain[3], curvature[3];
} pcs_beam_stiffness;

pcs_beam_stiffness pcs_beam_stiffness_compute(const pcs_fe_property *property);

pcs_status pcs_bar_check(pcs_context *ctx, const pcs_fe_property *property);
pcs_status pcs_beam_check(pcs_context *ctx, const pcs_fe_property *property);
// Length of an element; an error when its nodes coincide.
pcs_status pcs_line_length(pcs_context *ctx, const pcs_vec3 *X, double *length);
// Length and element axes in world coordinates; R the axes of the mesh.
pcs_status pcs_beam_axes(pcs_context *ctx, const pcs_fe_property *property, const pcs_vec3 *X,
                         const pcs_mat3 *R, double *length, pcs_mat3 *axes);

// The results of every beam class: forces and moments in element axes in the middle of the element,
// with their viscous part. In the plane shear_z, torque and moment_y are zero.
enum {
    PCS_BEAM_BENDING, // sqrt(M_y^2 + M_z^2)
    PCS_BEAM_AXIAL,
    PCS_BEAM_SHEAR_Y,
    PCS_BEAM_SHEAR_Z,
    PCS_BEAM_TORQUE,
    PCS_BEAM_MOMENT_Y,
    PCS_BEAM_MOMENT_Z,
    PCS_BEAM_RESULTS
};
#define PCS_BEAM_RESULTS_NAMES                                                                  \
    {                                                                                           \
        "bending_moment", "axial_force", "shear_y", "shear_z", "torque", "moment_y", "moment_z" \
    }

enum {
    PCS_PLANAR_BEAM_CONSTANTS = 2,
    PCS_SPATIAL_BEAM_CONSTANTS = 10,
    PCS_SPATIAL_BEAM_UNKNOWNS = 12
};

// Turns rows and columns block .. block + 2 of A (n x n): T A in the rows, A T^T in the columns.
void pcs_beam_turn_block(int n, double *A, int block, const pcs_mat3 *T);

void pcs_planar_beam_prepare(const pcs_mat3 *R, double length, const pcs_mat3 *axes,
                             double *constants);
void pcs_planar_beam_mass(const pcs_fe *element, double *M);
double pcs_planar_beam_force(const pcs_fe *element, const pcs_fe_state *state, double *f);
void pcs_planar_beam_tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                             double scale_C, double *A);
double pcs_planar_beam_energy(const pcs_fe *element, const pcs_fe_state *state);
void pcs_planar_beam_results(const pcs_fe *element, const pcs_fe_state *state, double *out);

void pcs_spatial_beam_prepare(const pcs_mat3 *R, double length, const pcs_mat3 *axes,
                              double *constants);
void pcs_spatial_beam_mass(const pcs_fe *element, double *M);
double pcs_spatial_beam_force(const pcs_fe *element, const pcs_fe_state *state, double *f);
void pcs_spatial_beam_tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                              double scale_C, double *A);
double pcs_spatial_beam_energy(const pcs_fe *element, const pcs_fe_state *state);
void pcs_spatial_beam_results(const pcs_fe *element, const pcs_fe_state *state, double *out);

#endif

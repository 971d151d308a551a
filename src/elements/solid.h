// What solid elements share: forces, tangent, energy and stresses from the gradients of the shape
// functions at their integration points. Equations: docs/theory/solids.md.
//
// An element may carry strain modes that cure locking (pcs_solid_modes); without them it is the
// plain, fully integrated element.
#ifndef PCS_ELEMENTS_SOLID_H
#define PCS_ELEMENTS_SOLID_H

#include "elements/finite_element.h"
#include "elements/material.h"

enum {
    PCS_SOLID_NODES = 8,  // at most
    PCS_SOLID_POINTS = 8, // at most
    PCS_SOLID_UNKNOWNS = 24,
    PCS_SOLID_MODES = 12,
    PCS_SOLID_PAIRS = 36, // node pairs (a, b), b <= a: at a(a+1)/2 + b
    PCS_SOLID_RESULTS = 7
};

#define PCS_SOLID_RESULTS_NAMES                                                               \
    {                                                                                         \
        "mises", "stress_xx", "stress_yy", "stress_zz", "stress_xy", "stress_yz", "stress_zx" \
    }

// Twelve strain modes M_k of a hexahedron with 2 x 2 x 2 points, orthonormal in the elastic energy:
// sum_p w M_k : D M_l = delta_kl.
typedef struct pcs_solid_modes {
    double frame[6][6]; // strains of the natural axes at the centre to Cartesian strains
    double combination[PCS_SOLID_MODES][PCS_SOLID_MODES]; // columns: orthonormal from raw modes
    // of pair (a, b) and mode k: sum_p w grad N_a . (D M_k) grad N_b
    double form[PCS_SOLID_PAIRS][PCS_SOLID_MODES];
} pcs_solid_modes;

typedef struct pcs_solid_shape {
    int32_t n_nodes, n_points;
    const double (*gradient)[3];  // of node a at point p: gradient[p n_nodes + a], reference
    const double *weight;         // volume of a point
    const pcs_solid_modes *modes; // NULL: plain
} pcs_solid_shape;

// Signs of the natural coordinates of the points of a hexahedron, and of its corners
extern const double pcs_solid_signs[PCS_SOLID_POINTS][3];

// Fills `modes` from the shape (whose own modes are not looked at) and the Jacobian dX/dxi at the
// centre. False when the modes are not independent, which only a degenerate element brings about.
bool pcs_solid_modes_init(pcs_solid_modes *modes, const pcs_solid_shape *shape, pcs_lame lame,
                          const pcs_mat3 *centre);

pcs_status pcs_solid_check(pcs_context *ctx, const pcs_fe_property *property);
// Functions of pcs_fe_class, for a class with `shape`. An element that is turned inside out (det F
// <= 0 at a point, or for a neo-Hookean one a strain with det C <= 0) has NaN for forces, tangent
// and stresses and HUGE_VAL for energy.
double pcs_solid_force(const pcs_fe *element, const pcs_fe_state *state, double *f);
void pcs_solid_tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                       double scale_C, double *A);
double pcs_solid_energy(const pcs_fe *element, const pcs_fe_state *state);
void pcs_solid_results(const pcs_fe *element, const pcs_fe_state *state, double *out);

#endif

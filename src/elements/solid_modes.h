// Strain modes that cure the locking of hexahedra: their part of strains, stresses and tangents.
// Coefficients come in two kinds: of the orthonormal modes, and "raw", of the modes before they are
// made orthonormal, for which a point's strains are cheap. Theory: docs/theory/solids.md.
#ifndef PCS_ELEMENTS_SOLID_MODES_H
#define PCS_ELEMENTS_SOLID_MODES_H

#include "elements/solid.h"

// sum_p w M_k : D E for the strain E = sum_(b <= a) pairs_ab sym(grad N_a (x) grad N_b)
void pcs_solid_modes_measure(const pcs_solid_modes *modes, const double *pairs, double *out);
// The derivative of that by the nodes for pairs_ab = y_a . y_b / 2: rows of 24
void pcs_solid_modes_gradient(const pcs_solid_modes *modes, double (*y)[3],
                              double rows[PCS_SOLID_MODES][PCS_SOLID_UNKNOWNS]);
// raw <- coefficients of the raw modes; n_columns (1 or 24) vectors side by side
void pcs_solid_modes_combine(const pcs_solid_modes *modes, int32_t n_columns, const double *c,
                             double *raw);
// strain (6 x n_columns) += s sum_k M_k(point) c_k, c raw
void pcs_solid_modes_add(const pcs_solid_modes *modes, int32_t point, double weight, double s,
                         int32_t n_columns, const double *raw, double *strain);
// sum_p w M_k : S_p
void pcs_solid_modes_collect(const pcs_solid_modes *modes, double (*S)[6], double *out);

#endif

// Laws of isotropic hyperelastic materials at one point. Strains are Green-Lagrange,
// E = (F^T F - I)/2, stresses second Piola-Kirchhoff, both as six numbers in the order
// xx, yy, zz, xy, yz, zx with 2 E_xy, 2 E_yz, 2 E_zx in the strain.
//
// A law is W(E) = w(E) + lambda/2 theta(E)^2: w carries the shear modulus mu, theta measures the
// change of volume. With the pressure-like p = lambda theta,
//   S = dw/dE + p dtheta/dE,   dS/dE = d2w/dE2 + p d2theta/dE2 + lambda dtheta/dE (x) dtheta/dE.
// The split lets an element average theta over its volume (elements/solid.c).
#ifndef PCS_ELEMENTS_MATERIAL_H
#define PCS_ELEMENTS_MATERIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "percuss/mesh.h"

typedef struct pcs_lame {
    double lambda, mu;
} pcs_lame;

pcs_lame pcs_material_lame(const pcs_material *material);

// Checks the constants of a solid: modulus, Poisson's ratio, density, damping, law.
pcs_status pcs_material_check_solid(pcs_context *ctx, const pcs_material *material);

// What a law remembers of a strain.
typedef struct pcs_material_point {
    double strain[6];
    double inverse[6]; // of C = I + 2 E; laws that do not need it leave it alone
    double theta;
} pcs_material_point;

typedef struct pcs_law_class {
    const char *name, *help;
    bool linear; // S is linear in E
    // False where the law has no energy: C is not positive definite.
    bool (*set)(const double *strain, pcs_material_point *point);
    double (*energy)(double mu, const pcs_material_point *point); // w
    void (*stress)(double mu, double p, const pcs_material_point *point, double *S);
    void (*volume)(const pcs_material_point *point, double *gradient); // dtheta/dE
    // d2w/dE2 + p d2theta/dE2
    void (*tangent)(double mu, double p, const pcs_material_point *point, double D[6][6]);
} pcs_law_class;

const pcs_law_class *pcs_law_class_find(pcs_material_law law); // NULL if there is none

// S = lambda tr(E) I + 2 mu E for n_columns strains side by side: the elasticity of every law at
// rest. Inline, so that a constant n_columns makes vector operations of the loops.
static inline void pcs_material_elasticity(pcs_lame lame, int32_t n_columns,
                                           const double *restrict strain, double *restrict stress)
{
    const int32_t n = n_columns;
    for (int32_t j = 0; j < n; ++j) {
        double p = lame.lambda * (strain[j] + strain[n + j] + strain[2 * n + j]);
        stress[j] = p + 2 * lame.mu * strain[j];
        stress[n + j] = p + 2 * lame.mu * strain[n + j];
        stress[2 * n + j] = p + 2 * lame.mu * strain[2 * n + j];
    }
    for (int32_t j = 3 * n; j < 6 * n; ++j)
        stress[j] = lame.mu * strain[j];
}

#endif

// Factors of the mass matrix M of a global problem. M falls into groups of degrees of freedom that
// it does not couple (a free body is one, a lumped mass is one, a flexible body is one); small
// groups are inverted, large ones get a sparse Cholesky or, where they are not symmetric, LU
// factorisation. M need not be symmetric (gyroscopic terms), its symmetric part must be positive
// definite.
#ifndef PCS_NONSMOOTH_MASS_MATRIX_H
#define PCS_NONSMOOTH_MASS_MATRIX_H

#include "linalg/mesh_lu.h"
#include "linalg/sparse_cholesky.h"

// Up to this size a group is inverted: four bodies that are coupled by a spring or a joint.
enum { PCS_MASS_DENSE_MAX = 24 };

typedef struct pcs_mass_group {
    int32_t first, size; // dof[first .. first+size), ascending
    int64_t inverse;     // place of the row-major inverse in `inverse`; -1: sparse
    double skew;         // distance from symmetry over the diagonal; 0: symmetric to the last bit
    pcs_sparse_cholesky *cholesky; // large and symmetric up to rounding
    pcs_mesh_lu *lu;               // other large groups
} pcs_mass_group;

typedef struct pcs_mass_matrix {
    pcs_context *ctx;
    const pcs_sparse *M; // kept by reference
    int32_t n, n_groups;
    int32_t longest;  // size of the largest group
    bool symmetric;   // its inverse: small groups exactly, large ones have Cholesky factors
    bool is_diagonal; // each degree of freedom is a group, with the inverse alone; the rest is NULL
    pcs_mass_group *group;
    int32_t *group_of; // n: group of each degree of freedom
    int32_t *place;    // n: place inside the group
    int32_t *dof;      // n: degrees of freedom by groups
    double *inverse;
} pcs_mass_matrix;

static inline int32_t pcs_mass_group_of(const pcs_mass_matrix *mass, int32_t dof)
{
    return mass->is_diagonal ? dof : mass->group_of[dof];
}

static inline int32_t pcs_mass_place(const pcs_mass_matrix *mass, int32_t dof)
{
    return mass->is_diagonal ? 0 : mass->place[dof];
}

static inline int32_t pcs_mass_group_size(const pcs_mass_matrix *mass, int32_t group)
{
    return mass->is_diagonal ? 1 : mass->group[group].size;
}

// PCS_ERROR_SINGULAR: M is singular or not positive definite; the text names a degree of freedom.
// PCS_INTERRUPTED: the watch was over, *out is NULL. tasks (NULL: one thread) and watch (NULL:
// none) serve this call alone.
pcs_status pcs_mass_matrix_create(pcs_context *ctx, const pcs_sparse *M, pcs_tasks *tasks,
                                  const pcs_watch *watch, pcs_mass_matrix **out) PCS_MUST_CHECK;
void pcs_mass_matrix_destroy(pcs_mass_matrix *mass); // NULL is allowed

// Each of the count consecutive vectors of the group's size in x becomes M_gg^-1 x. work: longest.
void pcs_mass_matrix_solve_group(const pcs_mass_matrix *mass, int32_t group, int32_t count,
                                 double *x, double *work);
// x <- M^-1 x. work: 2 longest.
void pcs_mass_matrix_solve(const pcs_mass_matrix *mass, double *x, double *work);

#endif

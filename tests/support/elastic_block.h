// Global contact problems of flexible bodies: blocks of hexahedra, clamped at the bottom and
// pressed against an obstacle above. The same seed gives the same problem.
#ifndef PCS_TESTS_SUPPORT_ELASTIC_BLOCK_H
#define PCS_TESTS_SUPPORT_ELASTIC_BLOCK_H

#include "percuss/problem.h"

// Nodes on a grid with 3 degrees of freedom each; below the first layer is the ground. Each node
// has the mass 1, and springs k d d^T join all nodes of an element, d the unit vector between them:
// M = 1 + springs, the matrix of an implicit step.
typedef struct elastic_block_def {
    int32_t nodes[3]; // along x, y, z; at least 2
    int32_t contacts; // with 3 rows each, at random points of the upper face
    double stiffness; // of a spring, over the mass
    double skew;      // unsymmetric part over the stiffness: M += skew k (E - E^T)
    double mu;
    uint64_t seed;
} elastic_block_def;

elastic_block_def pcs_test_elastic_block_default(void); // 4 x 4 x 4 nodes, 5 contacts
pcs_status pcs_test_elastic_block_create(pcs_context *ctx, const elastic_block_def *def,
                                         pcs_problem **out) PCS_MUST_CHECK;

#endif

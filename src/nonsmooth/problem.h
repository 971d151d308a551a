// The parts of a pcs_problem, for the layers that build, solve and write one.
#ifndef PCS_NONSMOOTH_PROBLEM_H
#define PCS_NONSMOOTH_PROBLEM_H

#include "base/arena.h"
#include "linalg/sparse.h"
#include "nonsmooth/friction_contact.h"
#include "nonsmooth/mlcp.h"

// What solves keep from one to the next: memory and threads.
typedef struct pcs_problem_work {
    pcs_arena arena;
    pcs_tasks *tasks; // NULL: none yet
} pcs_problem_work;

struct pcs_problem {
    pcs_context *ctx;
    pcs_problem_class problem_class;
    int32_t dimension; // of contacts: 2 or 3; 1 for LCP and MLCP
    int32_t contacts;
    int32_t bilateral_rows; // each is a block of one row, behind the contacts
    int32_t rows, dofs;
    bool is_checked;    // local: all values are finite
    double *q;          // LCP, MLCP, local: rows values; global: w
    double *mu;         // one for each block (0 for bilateral ones)
    uint8_t *kind;      // pcs_block_kind of each block; MLCP: nonzero marks an equality row
    double *M_dense;    // LCP, MLCP: row-major
    pcs_block_matrix W; // local
    pcs_sparse M, H;    // global: dofs x dofs, dofs x rows
    double *f;          // global: dofs values
    pcs_problem_work *work;
};

// Empty, to be filled; NULL when memory is out.
pcs_problem *pcs_problem_new(pcs_context *ctx);

// Views without copies; the class must fit.
pcs_friction_contact pcs_problem_local_view(const pcs_problem *problem);
pcs_mlcp pcs_problem_mlcp_view(const pcs_problem *problem);

#endif

// Forming W = H^T M^-1 H from the factors of M. The part of H that belongs to one block of rows and
// one group of M is a piece; then
//     W_ij = sum over the groups g that blocks i and j share of  H_gi^T M_gg^-1 H_gj.
#ifndef PCS_NONSMOOTH_REDUCTION_H
#define PCS_NONSMOOTH_REDUCTION_H

#include "nonsmooth/mass_matrix.h"
#include "nonsmooth/problem.h"

typedef struct pcs_reduction_piece {
    int32_t block, group;
    int32_t first, end; // entries
} pcs_reduction_piece;

typedef struct pcs_reduction_entry {
    int32_t place;  // inside the group, or of its part that H touches (pcs_reduction_part)
    int32_t column; // inside the block
    double value;
} pcs_reduction_entry;

// The inverse of a large group at the n places that H touches; column j is G + j n.
typedef struct pcs_reduction_part {
    int32_t n;
    double *G; // NULL: not formed
} pcs_reduction_part;

typedef struct pcs_reduction {
    const pcs_problem *global;
    pcs_context *ctx;
    const pcs_mass_matrix *mass;
    pcs_tasks *tasks;             // NULL: one thread
    const pcs_watch *watch;       // NULL: none
    int32_t n, n_pieces;          // blocks, pieces
    pcs_reduction_piece *pieces;  // by blocks
    pcs_reduction_entry *entries; // by pieces
    pcs_reduction_part *part;     // by group; NULL: there is no large group
    int32_t *block_start;         // n+1: pieces of a block
    int32_t *group_start;         // n_groups+1: places in group_piece
    int32_t *group_piece;         // pieces of a group, by blocks
    int32_t *mark;                // of blocks or groups
    double *X, *work;             // 3 longest, longest
    // the matrix under construction
    int32_t *offset, *row_start, *column, *diagonal, *cursor, *at;
    int64_t *value_start;
    double *value;
} pcs_reduction;

static inline bool pcs_reduction_is_large(const pcs_reduction *s, int32_t group)
{
    return !s->mass->is_diagonal && s->mass->group[group].inverse < 0;
}

// W of the global problem with the factors of its M. PCS_INTERRUPTED: the watch was over. W is to
// be destroyed in any case.
pcs_status pcs_reduction_form(const pcs_problem *global, const pcs_mass_matrix *mass,
                              pcs_tasks *tasks, const pcs_watch *watch, pcs_block_matrix *W)
    PCS_MUST_CHECK;

// Zeros from the heap, in pieces between which the clock is looked at: the first touch of memory is
// slow. *out is to be freed in any case.
pcs_status pcs_reduction_get_zeros(const pcs_reduction *s, int64_t count, double **out)
    PCS_MUST_CHECK;

// Adds the part of W that comes through a large group, or forms its inverse where it is touched
// (part[group]), to be used like that of a small one: whichever has fewer columns.
pcs_status pcs_reduction_add_large(pcs_reduction *s, int32_t group) PCS_MUST_CHECK;

#endif

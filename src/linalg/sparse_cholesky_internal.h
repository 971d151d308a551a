// Data of the sparse Cholesky factorisation. "Place" is the position of an unknown in the order of
// elimination. A front has p pivots, c further unknowns (its rest) and p rows of U in row-major
// form:
//
//     columns 0 .. p-1 the pivots, p .. p4-1 zeros, p4 .. p4+c-1 the rest,    p4 = p rounded up to 4
//
// so that both parts begin at whole vectors. Its update matrix is c x c, the upper triangle in use.
#ifndef PCS_LINALG_SPARSE_CHOLESKY_INTERNAL_H
#define PCS_LINALG_SPARSE_CHOLESKY_INTERNAL_H

#include "base/arena.h"
#include "linalg/block_lu_front.h"
#include "linalg/sparse_cholesky.h"

struct pcs_sparse_cholesky {
    pcs_context *ctx;
    pcs_arena memory;
    int32_t n;
    int32_t *order; // n: unknown at each place
    int32_t *place; // n: the inverse
    int32_t n_fronts;
    int32_t *first;           // n_fronts+1: first place of the pivots
    int32_t *parent;          // -1: root
    int32_t *child, *sibling; // first child in the order of elimination, next one; -1: none
    int64_t *rest_start;      // n_fronts+1
    int32_t *rest;            // places, ascending
    int32_t *target;          // by place of rest: column in the parent's front
    int64_t *start;           // n_fronts+1: U of the front in `factor`
    int32_t largest_p, largest_c;
    int64_t entries;
    double operations;
    double *factor;
    double *work; // n + largest_c: of a solve
};

typedef struct cholesky_front {
    int32_t p, p4, c;
    int32_t ld;  // row length of U
    int32_t ldc; // of the update matrix
    double *U;
} cholesky_front;

static inline int32_t cholesky_round4(int32_t n)
{
    return (n + 3) / 4 * 4;
}

static inline cholesky_front pcs_cholesky_front(const pcs_sparse_cholesky *f, int32_t s)
{
    cholesky_front front = {.p = f->first[s + 1] - f->first[s],
                            .c = (int32_t)(f->rest_start[s + 1] - f->rest_start[s])};
    front.p4 = cholesky_round4(front.p);
    front.ld = pcs_front_stride(front.p4 + front.c);
    front.ldc = pcs_front_stride(front.c);
    front.U = f->factor != NULL ? f->factor + f->start[s] : NULL;
    return front;
}

// Who works, and when to give up: the work since the last look at the clock is counted.
typedef struct cholesky_crew {
    pcs_arena memory; // scratch
    pcs_front_team team;
    const pcs_watch *watch;
    double work;
    bool is_over;
} cholesky_crew;

pcs_status pcs_cholesky_crew_init(cholesky_crew *crew, pcs_context *ctx, pcs_tasks *tasks,
                                  const pcs_watch *watch) PCS_MUST_CHECK;
void pcs_cholesky_crew_free(cholesky_crew *crew);
// Counts `terms` multiplications; true when time is up.
bool pcs_cholesky_crew_spend(cholesky_crew *crew, double terms);
// x <- 0; false when time is up. The first touch of memory may take longer than the work on it.
bool pcs_cholesky_clear(cholesky_crew *crew, int64_t count, double *x);
// C (m x n) -= A^T B as pcs_front_subtract_product, in pieces between which the clock is looked at;
// false when time is up.
bool pcs_cholesky_subtract(cholesky_crew *crew, int32_t k, int32_t m, int32_t n, const double *A,
                           int32_t lda, const double *B, int32_t ldb, double *C, int32_t ldc);
// Rows `first` .. `end`-1 (at most PCS_CHOLESKY_PANEL) of the triangle of U: Y <- U^{-T} Y, n
// columns
enum { PCS_CHOLESKY_PANEL = 64 }; // a multiple of 4
void pcs_cholesky_solve_panel(cholesky_crew *crew, const cholesky_front *front, int32_t first,
                              int32_t end, int32_t n, double *Y, int32_t ldy);

// Analysis: all but factor and work. PCS_INTERRUPTED: the watch is over.
pcs_status pcs_cholesky_analyse(pcs_sparse_cholesky *cholesky, const pcs_sparse *A,
                                const pcs_watch *watch) PCS_MUST_CHECK;

#endif

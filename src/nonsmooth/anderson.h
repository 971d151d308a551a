// Anderson acceleration of a fixed-point iteration v <- T(v) [WalkerNi2011]: from the last m
// iterates and g_j = T(v_j) - v_j, the combination that would be exact if T were affine,
//
//     v+ = T(v) - sum_j c_j (dv_j + dg_j),      c = argmin | g - sum_j c_j dg_j |
//
// The differences dg are kept as Q R, so that the condition of the least-squares problem is never
// squared; the oldest ones are dropped when there are m of them or when R is ill-conditioned. The
// step beyond T(v) is cut at a trust length: T of a contact problem is affine only in pieces.
#ifndef PCS_NONSMOOTH_ANDERSON_H
#define PCS_NONSMOOTH_ANDERSON_H

#include "base/arena.h"

typedef struct pcs_anderson {
    int32_t rows, memory;
    const double *scale; // lengths are those of scale_k x_k
    int32_t count;       // differences held
    int32_t head;        // slot of the oldest one in `step`
    bool has_last;
    double *last_v, *last_g;
    double *step; // memory x rows: dv_j + dg_j
    double *Q;    // memory x rows, orthonormal: scale dg_j = Q R
    double *R;    // memory x memory, upper triangle
    double *c, *work;
    double trust; // longest |v+ - T(v)| allowed, in units of |g|
    double reach; // the length that was wanted by the last step
} pcs_anderson;

pcs_status pcs_anderson_init(pcs_anderson *a, pcs_arena *arena, int32_t rows, int32_t memory,
                             const double *scale) PCS_MUST_CHECK;
// Forgets the iterates; the trust length stays.
void pcs_anderson_clear(pcs_anderson *a);
// Takes the pair (v, g = T(v) - v) and overwrites v with the accelerated iterate, T(v) for the
// first pair.
void pcs_anderson_step(pcs_anderson *a, double *v, const double *g);
// What the caller found the last step to be: a good one that was cut widens the trust, a bad one
// narrows it and clears the memory.
void pcs_anderson_judge(pcs_anderson *a, bool good);

#endif

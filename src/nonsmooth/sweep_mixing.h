// Anderson mixing of sweeps [Anderson1965; WalkerNi2011]. A sweep is a fixed-point map r -> G(r);
// where the contacts keep their states it is affine, and slow for loads that travel far (a pile).
// With f_k = G(r_k) - r_k of the last iterates the next one is
//     r = G(r_k) - sum_j c_j (G(r_{k-j+1}) - G(r_{k-j})),   c = argmin | f_k - sum_j c_j df_j |,
// in the norm with the weights trace(W_ii), projected on the cones. The sums are formed in pieces
// that do not depend on the threads. Blocks take part from their first impulse on: those of open
// contacts, often the most, have differences of zero and cost nothing. The differences, which are
// most of the memory that is read, are kept in single precision: rounding them is as good as a
// slightly different combination.
#ifndef PCS_NONSMOOTH_SWEEP_MIXING_H
#define PCS_NONSMOOTH_SWEEP_MIXING_H

#include "nonsmooth/friction_contact.h"
#include "nonsmooth/run_order.h"

enum { PCS_MIXING_MAX = 12 };

// The blocks of a piece that take part: their number, their rows, and the rows that there is room
// for
typedef struct pcs_mixing_members {
    int32_t count, rows, width;
} pcs_mixing_members;

typedef struct pcs_sweep_mixing {
    const pcs_friction_contact *problem;
    pcs_tasks *tasks;      // NULL: one thread, the same bits
    pcs_run_order *runs;   // whose runs the pieces are; NULL: none
    int32_t piece, pieces; // blocks of a piece, pieces
    int32_t memory, count, next;
    bool has_last;
    bool mixes;                  // there are coefficients for the next iterate
    double *weight;              // of each block that takes part
    pcs_mixing_members *members; // of each piece
    int32_t *member;             // blocks of each piece, those that take part first
    double *last_f, *last_G;     // rows of the members, from the first row of a piece on
    float *df, *dG;              // memory x rows, times `scale`, piece by piece
    double *part;                // sums of each piece
    double scale; // a power of two: differences are far from the limits of single precision
    double gram[PCS_MIXING_MAX * PCS_MIXING_MAX];
    double c[PCS_MIXING_MAX];
    double smallest; // |f| so far, since the last restart
} pcs_sweep_mixing;

// `memory` differences, 1 to PCS_MIXING_MAX. The pieces are the runs of an order, which the same
// threads then mix as sweep, of at most PCS_MIXING_PIECE blocks; NULL: of PCS_MIXING_FREE_PIECE.
enum { PCS_MIXING_PIECE = 512, PCS_MIXING_FREE_PIECE = 64 };
pcs_status pcs_sweep_mixing_init(pcs_sweep_mixing *mixing, const pcs_friction_contact *problem,
                                 int32_t memory, pcs_run_order *runs, pcs_tasks *tasks,
                                 pcs_arena *arena) PCS_MUST_CHECK;
// A memory that suits a problem of this size. A load travels from layer to layer and a heap of n
// contacts has some cbrt(n/3) layers; the map of a sweep along a column of them has half as many
// eigenvalues other than zero, so that half of them is all that can be of use.
int32_t pcs_sweep_mixing_memory(int32_t n);
// The relaxation of mixed sweeps. A memory of all these eigenvalues ends the iteration after as
// many sweeps, which a relaxation of 1 has fewest of; where they are more than any memory, the
// others must fade, and do so faster with over-relaxation.
double pcs_sweep_mixing_relaxation(int32_t n);
// After a sweep: for each piece, in any order, the rows of the iterate before it and of G; then
// once the coefficients.
void pcs_sweep_mixing_add(pcs_sweep_mixing *mixing, int32_t piece, const double *before,
                          const double *G);
void pcs_sweep_mixing_close(pcs_sweep_mixing *mixing);
// Marks the blocks of a piece whose next iterate may differ from G: those that take part.
void pcs_sweep_mixing_mark(const pcs_sweep_mixing *mixing, int32_t piece, uint8_t *mark);
// Replaces r = G by the next iterate.
void pcs_sweep_mixing_apply(pcs_sweep_mixing *mixing, double *r);

#endif

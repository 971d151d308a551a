// What the sweeps with W (nsgs.h) and with body velocities (body_sweeps.h) share: the changes that
// a sweep counts, the residual foreseen from them, and the walk over the colours.
#ifndef PCS_NONSMOOTH_SWEEP_H
#define PCS_NONSMOOTH_SWEEP_H

#include "base/tasks.h"
#include "nonsmooth/colouring.h"
#include "nonsmooth/friction_contact.h"

// Below the first number of blocks a sweep takes less time than threads need to meet some ten
// times: natural order. Colours of single blocks need more of them.
enum { PCS_SWEEP_COLOURED_FROM = 512, PCS_SWEEP_BLOCKS_FROM = 4096 };

// What one sweep changed: dr = r_i new - r_i old, du = W_ii dr.
typedef struct pcs_sweep_change {
    double map2;     // sum_i min(|dr|^2, |du|^2): follows the unscaled residual
    double largest2; // max_i |du|^2: follows the scaled one
    double r_norm2;  // |r|^2 after the sweep
    int32_t closed;  // blocks with an impulse after it
} pcs_sweep_change;

// dr <- relaxation (x - r), r += dr, counted in the change; the return value is |dr|^2. W_ii is
// size x size, row-major.
static inline double pcs_sweep_apply(int32_t size, const double *W_ii, double relaxation,
                                     const double *x, double *r, double *dr,
                                     pcs_sweep_change *change)
{
    double dr2 = 0.0, du2 = 0.0, r2 = 0.0;
    for (int32_t a = 0; a < size; a++) {
        dr[a] = relaxation * (x[a] - r[a]);
        r[a] = relaxation == 1.0 ? x[a] : r[a] + dr[a];
        dr2 += dr[a] * dr[a];
        r2 += r[a] * r[a];
    }
    change->r_norm2 += r2;
    change->closed += r2 > 0.0;
    for (int32_t a = 0; a < size; a++) {
        double du = 0.0;
        for (int32_t b = 0; b < size; b++)
            du += W_ii[a * size + b] * dr[b];
        du2 += du * du;
    }
    change->map2 += du2 < dr2 ? du2 : dr2;
    change->largest2 = du2 > change->largest2 ? du2 : change->largest2;
    return dr2;
}

// The residual after a sweep, foreseen from its changes: a visited contact is solved exactly, so
// its natural map before the visit was about min(|dr|, |du|), and the sweeps go on at the rate of
// the last two. `ratio` is what a measure found of the last forecast. Where iterates are mixed
// between the sweeps, a sweep lowers the residual by a factor that hardly changes and is left to
// the ratio.
typedef struct pcs_sweep_forecast {
    pcs_measure measure;
    bool mixed; // iterates are mixed between sweeps: the changes of two sweeps have no rate
    double q_norm2, scale; // |q|^2, 0 for reduced problems; |q|_inf or 1
    double ratio, before, next;
} pcs_sweep_forecast;

void pcs_sweep_forecast_init(pcs_sweep_forecast *forecast, const pcs_friction_contact *problem,
                             pcs_measure measure);
// The foreseen residual; 0 for a sweep that changed nothing, NaN if there is none.
double pcs_sweep_forecast_update(pcs_sweep_forecast *forecast, const pcs_sweep_change *change);
void pcs_sweep_forecast_correct(pcs_sweep_forecast *forecast, double measured);

// Visits the nodes first..last-1 of the colouring's members, in this order.
typedef void (*pcs_visit_fn)(const void *user, int32_t first, int32_t last,
                             pcs_sweep_change *change);

// Pieces that the members of one colour are cut into, whatever the number of threads: `part` needs
// pcs_sweep_pieces(n) of them.
int32_t pcs_sweep_pieces(int32_t n);
pcs_sweep_change pcs_sweep_colours(const pcs_colouring *colouring, pcs_tasks *tasks,
                                   pcs_sweep_change *part, pcs_visit_fn visit, const void *user);
// The changes of `count` parts of a sweep together, added in order: the same bits for any threads.
void pcs_sweep_change_add(pcs_sweep_change *change, const pcs_sweep_change *part, int32_t count);
// Contacts of a run, for n of them; at most PCS_SWEEP_RUN_MAX.
enum { PCS_SWEEP_RUN_MAX = 512 };
int32_t pcs_sweep_run_length(int32_t n);

#endif

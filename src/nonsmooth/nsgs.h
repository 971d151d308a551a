// The sweeps of nonlinear Gauss-Seidel as a part that other solvers use.
#ifndef PCS_NONSMOOTH_NSGS_H
#define PCS_NONSMOOTH_NSGS_H

#include "nonsmooth/friction_solver.h"
#include "nonsmooth/one_contact.h"
#include "nonsmooth/run_order.h"
#include "nonsmooth/sweep.h"
#include "nonsmooth/sweep_copy.h"
#include "nonsmooth/sweep_mixing.h"

// Order in which a sweep visits the blocks.
typedef enum pcs_sweep_order {
    PCS_ORDER_AUTO,      // coloured from PCS_SWEEP_COLOURED_FROM blocks on, natural below
    PCS_ORDER_NATURAL,   // as they are numbered
    PCS_ORDER_REVERSED,  // the other way round
    PCS_ORDER_SYMMETRIC, // forward and backward in turn
    PCS_ORDER_COLOURED,  // colour by colour: the only one that uses threads
    PCS_ORDER_LEVELS     // breadth-first from the contacts with q_N < 0
} pcs_sweep_order;

typedef struct pcs_nsgs_work {
    const pcs_friction_contact *problem;
    pcs_one_contact *contact; // diagonal blocks, prepared once
    double *slip;             // slip root of each contact in the last sweep, 0: none
    int32_t uniform;          // 3 or 2: every block has this size and its values lie in order; or 0
    pcs_sweep_order order;
    int32_t *sequence;            // blocks in the order of the sweep; NULL: natural
    pcs_colouring colouring;      // of the contacts, where runs of them would not do
    pcs_run_order runs;           // length 0: no runs
    pcs_tasks *tasks;             // for coloured sweeps; NULL: one thread, the same bits
    pcs_sweep_change *part;       // of each run or piece of a colour: the same sum for any threads
    bool large;                   // runs, blocks of three rows, and W larger than the caches
    pcs_sweep_copy *copy;         // of W, for many sweeps; NULL: none, now or later
    bool copied;                  // the sweeps read the copy
    int32_t closed, newly_closed; // blocks with an impulse, and how many more the last sweep made
    pcs_sweep_mixing *mixing;     // NULL: plain sweeps
    double *point;                // mixing without runs: the iterate before the sweep
    bool unmixed;  // the last run ended with a sweep that the next one begins by mixing
    double ratio;  // of the forecast when the last run ended; 0: no run yet
    int32_t swept; // sweeps so far, as long as there is no copy
    double relaxation;
    double *r;     // iterate of the present sweep
    bool backward; // direction of the next sweep
    bool adds;     // the present sweep adds to the mixing
} pcs_nsgs_work;

// Takes storage from the arena and prepares the diagonal blocks; the order is PCS_ORDER_AUTO.
pcs_status pcs_nsgs_work_init(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                              pcs_arena *arena) PCS_MUST_CHECK;
// The same with an order, and threads for this and all that follows.
pcs_status pcs_nsgs_work_init_order(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                                    pcs_arena *arena, pcs_sweep_order order, pcs_tasks *tasks)
    PCS_MUST_CHECK;
// Anderson mixing of the iterates of pcs_nsgs_run with this memory: the load of a pile then arrives
// in a number of sweeps that hardly grows with its height. 0: none.
pcs_status pcs_nsgs_mix(pcs_nsgs_work *work, int32_t memory, pcs_arena *arena) PCS_MUST_CHECK;
// One sweep on r, without mixing.
pcs_sweep_change pcs_nsgs_sweep(pcs_nsgs_work *work, double relaxation, double *r);
// At most `max_sweeps` sweeps on r, counted in *sweeps; iterates are tested when their residual is
// expected below the tolerance, and now and then. The next run goes on from this r. True when the
// monitor says so (done or stopped).
bool pcs_nsgs_run(pcs_nsgs_work *work, pcs_monitor *monitor, double relaxation, int32_t max_sweeps,
                  double *r, int32_t *sweeps);

extern const pcs_friction_solver pcs_solver_gauss_seidel;

// Options of the row, in the order of its table.
enum {
    PCS_GAUSS_SEIDEL_RELAXATION,
    PCS_GAUSS_SEIDEL_ORDER,
    PCS_GAUSS_SEIDEL_MEMORY,
    PCS_GAUSS_SEIDEL_OPTIONS
};

#endif

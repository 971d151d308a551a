// Large problems have many sets of states (open, stick, slip) that almost have a solution. Near
// them the residual has a minimum that is not zero, W on the closed contacts is nearly singular,
// and the fixed-point map of the sweeps leads past them with small changes, always in the same
// direction, until some contact changes its state. Methods that lower a residual stay there. Here
//
//     stride   r <- P_K(r + dr),  one Newton step on the proximal problem with centre r and weight
//              delta (contact_newton.h): a step of implicit Euler with the pseudo-time 1/delta, that
//              goes as far along the slow directions as many sweeps, and is not searched for a
//              lower residual;
//     sweeps   with momentum (sweep_momentum.h): they set right the states that the stride upset.
//
// The residual may grow for some time; delta follows from how far the sweeps could mend.
#include "nonsmooth/strides.h"

#include <math.h>
#include <string.h>

#include "nonsmooth/contact_newton.h"
#include "nonsmooth/sweep_momentum.h"

// First weight over the scaled residual (a centre lowers it to about delta), and its limits.
static const double DELTA_PART = 3.0, DELTA_SMALLEST = 1e-10, DELTA_LARGEST = 1.0;
// Residual after the sweeps over the reference: below GOOD delta falls, above BAD it rises, above
// WORST the stride is taken back and delta rises twice.
static const double GOOD = 1.2, BAD = 2.0, WORST = 3.0, FALL = 0.4, RISE = 2.0;
// The reference is the smallest residual of late: it grows by this factor with each stride, so that
// the way out of a minimum is open.
static const double FORGET = 1.3;

typedef struct strides {
    pcs_monitor *monitor;
    pcs_contact_newton *newton;
    pcs_sweep_momentum momentum;
    int32_t sweeps;
    double *r, *saved;
    double delta, reference;
    int32_t count; // iterations
} strides;

static bool sweep(strides *s, int32_t most)
{
    pcs_sweep_momentum_start(&s->momentum, s->r);
    return pcs_sweep_momentum_run(&s->momentum, s->monitor, most, s->r, &s->count);
}

static pcs_status take_stride(strides *s)
{
    const size_t bytes = (size_t)s->monitor->rows * sizeof *s->r;
    double factor = 1.0, growth = INFINITY;
    bool usable;
    memcpy(s->saved, s->r, bytes);
    PCS_TRY(pcs_contact_newton_stride(s->newton, s->delta, s->r, &usable));
    s->count++;
    if (usable) {
        if (pcs_monitor_test(s->monitor, s->r) || sweep(s, s->sweeps))
            return PCS_OK;
        growth = s->monitor->last / s->reference;
    }
    if (growth < GOOD) {
        factor = FALL;
    } else if (!(growth <= WORST)) {
        factor = RISE * RISE;
        memcpy(s->r, s->saved, bytes);
        if (sweep(s, s->sweeps))
            return PCS_OK;
    } else if (growth > BAD) {
        factor = RISE;
    }
    s->reference = fmin(s->monitor->last, FORGET * s->reference);
    s->delta = fmin(fmax(s->delta * factor, DELTA_SMALLEST), DELTA_LARGEST);
    return PCS_OK;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

pcs_status pcs_strides_run(const pcs_friction_contact *problem, pcs_monitor *monitor,
                           const pcs_strides_opts *opts, pcs_arena *arena, double *r,
                           pcs_strides_info *info)
{
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    strides s = {.monitor = monitor, .sweeps = opts->sweeps, .r = r};
    s.saved = PCS_ARENA_ARRAY(arena, double, monitor->rows);
    if (s.saved == NULL)
        return PCS_ERROR_MEMORY;
    memcpy(r, monitor->best, (size_t)monitor->rows * sizeof *r);
    PCS_TRY(pcs_sweep_momentum_init(&s.momentum, problem, arena));
    // Last, because its factors are taken from the arena as they grow.
    PCS_TRY(pcs_contact_newton_create(problem, problem->tasks, arena, &s.newton));
    bool over = sweep(&s, smaller(opts->first, opts->iterations));
    s.reference = monitor->last;
    s.delta = DELTA_PART * pcs_friction_contact_error(problem, PCS_MEASURE_SCALED, r, monitor->u);
    s.delta = fmin(fmax(s.delta, DELTA_SMALLEST), DELTA_LARGEST);
    for (int32_t k = 0; k < opts->strides && !over; k++) {
        if (s.count + 2 * s.sweeps >= opts->iterations)
            break;
        PCS_TRY(take_stride(&s));
        over = monitor->done || monitor->stopped || pcs_monitor_is_exact(monitor);
    }
    info->iterations += s.count;
    info->factorisations += pcs_contact_newton_factorisations(s.newton);
    pcs_arena_release(arena, mark);
    return PCS_OK;
}

#include "support/alpha_run.h"

#include "support/near.h"

#include "simulation/simulation.h"

void alpha_step(pcs_simulation *simulation)
{
    const pcs_status status = pcs_simulation_step(simulation);
    if (status != PCS_OK)
        print_error("t = %g: %s\n", pcs_simulation_time(simulation),
                    pcs_context_error(simulation->ctx));
    assert_int_equal(status, PCS_OK);
    const pcs_statistics *statistics = pcs_simulation_statistics(simulation);
    assert_at_most(statistics->worst_penetration, ALPHA_KEPT);
    assert_at_most(statistics->worst_drift, ALPHA_KEPT);
    assert_int_equal(statistics->rejected_steps, 0);
}

void alpha_finish(pcs_simulation *simulation)
{
    while (!pcs_simulation_finished(simulation))
        alpha_step(simulation);
}

const na_counts *alpha_counts(const pcs_simulation *simulation)
{
    return pcs_nonsmooth_alpha_counts(simulation->scheme);
}

double alpha_event(const pcs_simulation *simulation, pcs_event_kind kind, int32_t slot, int skip)
{
    pcs_event event;
    for (int64_t i = 0; pcs_simulation_event(simulation, i, &event); ++i)
        if (event.kind == kind && (slot < 0 || event.object == slot) && skip-- == 0)
            return event.time;
    return NAN;
}

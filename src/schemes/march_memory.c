// What a march keeps from step to step, as numbers in the state of a run (march.h).
#include <string.h>

#include "schemes/march.h"

enum { SCALARS = 25 };           // times, lengths and counts
enum { OWN, CROSSING, TURNING }; // integrators of a step

int64_t pcs_march_memory(const pcs_model *model)
{
    return SCALARS + 2 * PCS_WORK_COUNT + model->n_q + 3 * (int64_t)model->n_v +
           pcs_smooth_rows_max(model);
}

void pcs_march_exchange(pcs_march *m, double *memory, bool save)
{
    const pcs_model *model = m->model;
    pcs_march_counts *c = &m->counts;
    double integers[8] = {(double)c->accepted,
                          (double)c->rejected,
                          c->stiff,
                          (double)m->stiff_steps,
                          (double)m->calm_steps,
                          (double)c->singular,
                          m->integrator == m->crossing  ? CROSSING
                          : m->integrator == m->turning ? TURNING
                                                        : OWN,
                          m->integrator->dense_ready};
    double *scalar[SCALARS] = {&m->from.t,
                               &m->to.t,
                               &m->h,
                               &m->h_next,
                               &c->smallest,
                               &c->sum,
                               &c->error,
                               &c->drift,
                               &c->velocity_drift,
                               &c->stiff_time,
                               &integers[0],
                               &integers[1],
                               &integers[2],
                               &integers[3],
                               &integers[4],
                               &integers[5],
                               &integers[6],
                               &integers[7],
                               &m->whole,
                               &c->position.widest,
                               &c->least_pivot,
                               &c->singular_time,
                               &c->position.distance,
                               &c->position.closing,
                               NULL};
    for (int i = 0; scalar[i]; ++i) {
        if (save)
            memory[i] = *scalar[i];
        else
            *scalar[i] = memory[i];
    }
    c->accepted = (int64_t)integers[0];
    c->rejected = (int64_t)integers[1];
    c->stiff = integers[2] != 0;
    m->stiff_steps = (int32_t)integers[3];
    m->calm_steps = (int32_t)integers[4];
    c->singular = (int64_t)integers[5];
    m->integrator = integers[6] == CROSSING && m->crossing ? m->crossing
                    : integers[6] == TURNING && m->turning ? m->turning
                                                           : m->own;
    m->integrator->dense_ready = integers[7] != 0;
    memory += SCALARS;
    double *array[] = {
        m->from.work,  m->integrator->power_from, m->from.q, m->from.v, m->from.a, m->from.extra,
        m->from.lambda};
    const int32_t size[] = {PCS_WORK_COUNT,
                            PCS_WORK_COUNT,
                            model->n_q,
                            model->n_v,
                            model->n_v,
                            model->n_v,
                            pcs_smooth_rows_max(model)};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) {
        const size_t bytes = sizeof(double) * (size_t)size[i];
        if (save)
            memcpy(memory, array[i], bytes);
        else
            memcpy(array[i], memory, bytes);
        memory += size[i];
    }
}

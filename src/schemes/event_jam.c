// Forces of sliding contacts that go to infinity at an instant T between events. With the velocities
// the directions of slips in space turn, and the determinant D of the problem of the sliding contacts
// may fall to zero:
//
//     r = F/D,   D' = -k r:    D = sqrt(2 k F (T - t)),   r ~ (T - t)^(-1/2)
//
// No step of the march passes T. Positions and velocities change little up to there, so that F and
// the derivatives of D along the motion are what they are now, and along the tangent of the motion
//
//     1/r(s) = (1 - s/S)/r(0),    q + s v, v + s a,    S = D/(k r) = 2 (T - t):
//
// forces have a pole at S, of the first order. It is looked for with the forces of the phase alone.
#include <string.h>

#include "schemes/event_driven.h"

// Normal forces of the phase at the time s on the tangent of the motion at `to`; by row.
static pcs_status forces_on_tangent(event_driven *s, const double *a, double time, double *lambda)
{
    const pcs_model *model = s->base.model;
    const pcs_smooth_point *to = &s->march->to;
    double *way = s->v_minus;
    for (int32_t i = 0; i < model->n_v; ++i) {
        way[i] = time * to->v[i];
        s->point.v[i] = to->v[i] + time * a[i];
    }
    pcs_model_retract(model, to->q, way, s->point.q);
    return pcs_smooth_accelerations(s->march->smooth, to->t + time, s->point.q, s->point.v,
                                    s->point.a, lambda, NULL);
}

static bool slides(const event_driven *s, int32_t slot)
{
    const pcs_contact *contact = &s->contacts[slot];
    return s->phase.mode[slot] == PCS_MODE_SLIDE && contact->row.size > 1 &&
           contact->law.friction > 0;
}

static double normal_force(const event_driven *s, int32_t slot, const double *lambda)
{
    return lambda[pcs_smooth_slot_row(s->march->smooth, slot)];
}

// The sliding contact with the largest normal force; -1: nothing slides.
static int32_t most_loaded(const event_driven *s, const double *lambda)
{
    int32_t slot = -1;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (slides(s, i) && normal_force(s, i, lambda) > 0 &&
            (slot < 0 || normal_force(s, i, lambda) > normal_force(s, slot, lambda)))
            slot = i;
    return slot;
}

pcs_status pcs_ed_find_jam(event_driven *s, bool *jams)
{
    const double secant = 0.01;  // of the step that failed
    const double steps = 1e3;    // the way to T over its length: T - t falls in proportion to it
    const double straight = 0.1; // of r(0)/r(s), which falls linearly
    const pcs_march *march = s->march;
    double *a = s->x, *now = march->from.lambda, *ahead = s->point.lambda;
    *jams = false;
    s->has_step = false;
    pcs_ed_look(s, &march->to, false);
    PCS_TRY(pcs_smooth_accelerations(march->smooth, march->to.t, march->to.q, march->to.v, a, now,
                                     NULL));
    const int32_t slot = most_loaded(s, now);
    if (slot < 0)
        return PCS_OK;
    const double r = normal_force(s, slot, now), begin = secant * march->h_failed;
    PCS_TRY(forces_on_tangent(s, a, begin, ahead));
    const double fall = 1 - r / normal_force(s, slot, ahead);
    const double pole = begin / fall;
    if (!(fall > 0) || !(pole < steps * march->h_failed))
        return PCS_OK;
    static const double place[] = {0.5, 2};
    for (int k = 0; k < 2; ++k) {
        PCS_TRY(forces_on_tangent(s, a, place[k] * pole, ahead));
        const double inverse = r / normal_force(s, slot, ahead);
        if (!(fabs(inverse - (1 - place[k])) <= straight * (1 + place[k])))
            return PCS_OK;
    }
    s->cause[slot] = ED_JAM;
    s->pending = *jams = true;
    pcs_ed_look(s, &march->to, s->indeterminate);
    return pcs_ed_forces(s, &march->to, s->warm);
}

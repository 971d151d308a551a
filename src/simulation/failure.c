// Why a step failed, in words of the model. Schemes see numbers that are not finite; here the formula
// is found that they came from, at the state and on the way from there over the step.
#include <math.h>
#include <stdio.h>

#include "model/fault.h"
#include "simulation/simulation.h"

// m/s or rad/s: light. A mechanism that is faster has been driven there by its own forces.
static const double FASTEST = 299792458;

typedef struct place {
    double t;
    const double *q, *v;
} place;

static bool find_at(pcs_simulation *s, const place *at, char *text)
{
    pcs_configuration *c = &s->present->c;
    pcs_configuration_update(s->model, c, at->t, at->q, at->v, s->state.turns, s->state.external);
    return pcs_model_find_fault(s->model, c, text);
}

// The first place on the way that leads on from `from`, tried at shorter and shorter distances.
static bool find_ahead(pcs_simulation *s, const place *from, double h, double *q, double *way,
                       place *at, char *text)
{
    enum { HALVINGS = 40 };
    char found[PCS_FAULT_SIZE];
    bool any = false;
    for (int k = 0; k < HALVINGS; ++k, h *= 0.5) {
        for (int32_t i = 0; i < s->model->n_v; ++i)
            way[i] = h * from->v[i];
        pcs_model_retract(s->model, from->q, way, q);
        const place there = {from->t + h, q, from->v};
        if (!find_at(s, &there, found))
            continue;
        at->t = there.t;
        snprintf(text, PCS_FAULT_SIZE, "%s", found);
        any = true;
    }
    return any;
}

static bool find_fault(pcs_simulation *s, double h, place *at, char *text)
{
    double *q = PCS_NEW_ARRAY(s->ctx, double, s->model->n_q);
    double *way = PCS_NEW_ARRAY(s->ctx, double, s->model->n_v);
    const place from = *at;
    const bool found = q && way &&
                       (find_at(s, at, text) || find_ahead(s, &from, h, q, way, at, text));
    pcs_free(s->ctx, q);
    pcs_free(s->ctx, way);
    return found;
}

pcs_status pcs_simulation_explain(pcs_simulation *s, pcs_status status, double h)
{
    if (status != PCS_ERROR_NUMERIC && status != PCS_ERROR_SINGULAR)
        return status;
    const pcs_state *state = &s->state;
    place at = {*state->t, state->q, state->v};
    char text[PCS_FAULT_SIZE], owner[PCS_NODE_NAME_SIZE], before[1024];
    snprintf(before, sizeof before, "%s", pcs_context_error(s->ctx));
    if (h > 0 && s->started && s->scheme->class->reached) // 0: the state itself is looked at
        s->scheme->class->reached(s->scheme, &at.t, &at.q, &at.v);
    if (find_fault(s, h, &at, text))
        return pcs_error(s->ctx, status, "t = %g: %s", at.t, text);
    for (int32_t i = 0; i < s->model->n_v; ++i)
        if (!(fabs(at.v[i]) <= FASTEST))
            return pcs_error(s->ctx, status,
                             "t = %g: the motion grows beyond all bounds: the velocity of %s is "
                             "%.3g; check the signs of control laws, forces and stiffnesses",
                             at.t, pcs_model_velocity_name(s->model, i, owner), at.v[i]);
    return pcs_error(s->ctx, status, "%s", before); // memory that was out has its own words
}

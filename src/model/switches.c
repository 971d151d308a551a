#include "model/switches.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/lagrangian.h"

// ---- Collecting ----

static pcs_status take(pcs_switches *s, pcs_switching *of_time, pcs_switching *of_state,
                       int32_t system)
{
    pcs_status status = PCS_OK;
    if (of_time && !PCS_PUSH(s->ctx, &s->of_time, of_time)) {
        pcs_switching_destroy(of_time);
        status = PCS_ERROR_MEMORY;
    }
    const pcs_state_switch entry = {of_state, system, s->n_state};
    if (of_state && !PCS_PUSH(s->ctx, &s->of_state, entry)) {
        pcs_switching_destroy(of_state);
        return PCS_ERROR_MEMORY;
    }
    if (of_state)
        s->n_state += pcs_switching_count(of_state);
    return status;
}

static pcs_status take_formula(void *user, const pcs_formula *formula)
{
    pcs_switches *s = user;
    pcs_switching *of_time, *of_state;
    if (!formula)
        return PCS_OK;
    PCS_TRY(pcs_switching_of_formula(s->ctx, formula, PCS_SWITCHING_TIME, &of_time));
    const pcs_status status = pcs_switching_of_formula(s->ctx, formula, PCS_SWITCHING_STATE,
                                                       &of_state);
    return status < 0 ? (pcs_switching_destroy(of_time), status) : take(s, of_time, of_state, -1);
}

static pcs_status take_system(pcs_switches *s, const pcs_system *system, int32_t number)
{
    pcs_switching *of_time, *of_state;
    if (!system->program)
        return PCS_OK; // functions of the user: their jumps are listed
    PCS_TRY(pcs_switching_of_program(s->ctx, system->program, PCS_SWITCHING_TIME, &of_time));
    const pcs_status status = pcs_switching_of_program(s->ctx, system->program, PCS_SWITCHING_STATE,
                                                       &of_state);
    return status < 0 ? (pcs_switching_destroy(of_time), status)
                      : take(s, of_time, of_state, number);
}

pcs_status pcs_model_formulas(const pcs_model *m, pcs_model_formula_fn visit, void *user)
{
    for (int32_t i = 0; i < m->forces.count; ++i)
        for (int k = 0; k < 3; ++k) {
            PCS_TRY(visit(user, m->forces.data[i].force[k].formula));
            PCS_TRY(visit(user, m->forces.data[i].torque[k].formula));
        }
    for (int32_t i = 0; i < m->actuators.count; ++i)
        PCS_TRY(visit(user, m->actuators.data[i].force.formula));
    for (int32_t i = 0; i < m->joints.count; ++i)
        for (int32_t k = 0; k < m->joints.data[i].n_rows; ++k)
            PCS_TRY(visit(user, m->joints.data[i].motion[k]));
    for (int32_t i = 0; i < m->mesh_loads.count; ++i)
        for (size_t k = 0;
             k < sizeof m->mesh_loads.data[i].formula / sizeof *m->mesh_loads.data[i].formula; ++k)
            PCS_TRY(visit(user, m->mesh_loads.data[i].formula[k]));
    for (int k = 0; k < 2; ++k) {
        for (int32_t i = 0; i < m->contact_pairs.count; ++i)
            PCS_TRY(visit(user, m->contact_pairs.data[i].surface[k]));
        for (int32_t i = 0; i < m->surface_contacts.count; ++i)
            PCS_TRY(visit(user, m->surface_contacts.data[i].surface[k]));
    }
    return PCS_OK;
}

static pcs_status collect(pcs_switches *s, const pcs_model *m)
{
    PCS_TRY(pcs_model_formulas(m, take_formula, s));
    for (int32_t i = 0; i < m->systems.count; ++i)
        PCS_TRY(take_system(s, &m->systems.data[i], i));
    return PCS_OK;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

pcs_status pcs_switches_init(pcs_context *ctx, const pcs_model *model, const double *times,
                             int32_t n_times, double start, double end, pcs_switches *s)
{
    // A time that a formula computes from t, such as 10*t - 3, is off by some roundings of t.
    const double roundings = 32.0;
    *s = (pcs_switches){.ctx = ctx, .n_times = n_times};
    s->rounding = roundings * DBL_EPSILON * fmax(fabs(start), fabs(end));
    s->times = PCS_NEW_ARRAY(ctx, double, n_times);
    if (!s->times)
        return PCS_ERROR_MEMORY;
    if (n_times > 0) {
        memcpy(s->times, times, sizeof *times * (size_t)n_times);
        qsort(s->times, (size_t)n_times, sizeof *times, compare_times);
    }
    const pcs_status status = collect(s, model);
    if (status < 0)
        pcs_switches_free(s);
    return status;
}

void pcs_switches_free(pcs_switches *s)
{
    for (int32_t i = 0; i < s->of_time.count; ++i)
        pcs_switching_destroy(s->of_time.data[i]);
    for (int32_t i = 0; i < s->of_state.count; ++i)
        pcs_switching_destroy(s->of_state.data[i].switching);
    if (s->ctx) {
        PCS_ARRAY_FREE(s->ctx, &s->of_time);
        PCS_ARRAY_FREE(s->ctx, &s->of_state);
        pcs_free(s->ctx, s->times);
    }
    *s = (pcs_switches){0};
}

// ---- Times ----

bool pcs_switches_in_time(const pcs_switches *s)
{
    return s->of_time.count > 0 || s->n_times > 0;
}

// First listed time after t.
static double next_listed(const pcs_switches *s, double t)
{
    int32_t low = 0, high = s->n_times;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (s->times[middle] > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low < s->n_times ? s->times[low] : HUGE_VAL;
}

double pcs_switches_next(pcs_switches *s, double t, double limit)
{
    double next = s->n_times > 0 ? next_listed(s, t + s->rounding) : HUGE_VAL;
    if (next > limit)
        next = HUGE_VAL;
    for (int32_t i = 0; i < s->of_time.count; ++i)
        next = fmin(next,
                    pcs_switching_next(s->of_time.data[i], t, fmin(next, limit), s->rounding));
    return next;
}

bool pcs_switches_at(pcs_switches *s, double t)
{
    // next() looks from one rounding after its start.
    return pcs_switches_next(s, t - 3 * s->rounding, t + s->rounding) < HUGE_VAL;
}

void pcs_switches_window(const pcs_switches *s, double from, double to, double *window)
{
    if (!pcs_switches_in_time(s)) {
        window[0] = -HUGE_VAL;
        window[1] = HUGE_VAL;
        return;
    }
    // Conditions have changed for good within one rounding of a switch.
    window[0] = from + s->rounding;
    window[1] = to - s->rounding;
    if (!(window[0] < window[1]))
        window[0] = window[1] = 0.5 * (from + to);
}

// ---- The state ----

void pcs_switches_sides(pcs_switches *s, const pcs_model *model, const pcs_configuration *c,
                        const double *from, double *side, double *distance)
{
    for (int32_t i = 0; i < s->of_state.count; ++i) {
        const pcs_state_switch *x = &s->of_state.data[i];
        const double *variables = c->inputs;
        if (x->system >= 0) {
            const pcs_system *system = &model->systems.data[x->system];
            variables = c->systems + system->work + pcs_program_variable(system->program, 0);
        }
        pcs_switching_sides(x->switching, variables, from ? from + x->first : NULL, side + x->first,
                            distance ? distance + x->first : NULL);
    }
}

// Steps that resolve what depends on time (time_resolution.h).
//
// With x_0 < ... < x_p among the places of a step and L_k their Lagrange polynomials, the defect of
// a function of time at another place x is
//     d = phi(t + x h) - sum_k phi(t + x_k h) L_k(x) = O(h^(p+1)),
// so that h is shortened by (allowed / d)^(1/(p+1)). The places have no common measure: samples of
// an even grid see nothing of a force whose period divides it, and users write round numbers. The
// size of a function is its largest value in the first, longest step that is looked at: t^2 is not
// straight at t = 0, however short the step, but small.
#include "schemes/time_resolution.h"

#include <math.h>

#include "formula/program.h"
#include "model/lagrangian.h"
#include "model/switches.h"

enum { PLACES = 7, DEGREE_MAX = 3 };
static const double place[PLACES] = {0, 0.1373, 0.2911, 0.4367, 0.6131, 0.8117, 1};
// Part of its size that a function may be off its polynomial.
static const double ALLOWED = 0.01;
static const double SAFETY = 0.9, SHRINK_MIN = 0.1, SHRINK_MAX = 0.7;

struct pcs_time_resolution {
    pcs_context *ctx;
    const pcs_model *model;
    PCS_ARRAY(const pcs_formula *) formulas; // of time, and maybe of the state
    PCS_ARRAY(int32_t) systems;              // whose forces depend on time
    int32_t n;                               // functions: formulas, then forces of the systems
    pcs_configuration c;
    double *value; // n for each place
    double *size;  // n
};

// ---- What depends on time ----

static pcs_status take_formula(void *user, const pcs_formula *formula)
{
    pcs_time_resolution *s = user;
    const int32_t *variables;
    // Variables are ascending, and t is the first of all.
    if (!formula || pcs_formula_variables(formula, &variables) == 0 || variables[0] != 0)
        return PCS_OK;
    return PCS_PUSH(s->ctx, &s->formulas, formula) ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status collect(pcs_time_resolution *s)
{
    const pcs_model *m = s->model;
    PCS_TRY(pcs_model_formulas(m, take_formula, s));
    s->n = s->formulas.count;
    for (int32_t k = 0; k < m->systems.count; ++k) {
        const pcs_program *program = m->systems.data[k].program;
        if (program && !pcs_program_reads(program, 0))
            continue; // functions of the user, without a program, may do anything
        if (!PCS_PUSH(s->ctx, &s->systems, k))
            return PCS_ERROR_MEMORY;
        s->n += m->systems.data[k].n;
    }
    return PCS_OK;
}

pcs_status pcs_time_resolution_create(pcs_context *ctx, const pcs_model *model,
                                      pcs_time_resolution **out)
{
    *out = NULL;
    pcs_time_resolution *s = PCS_NEW(ctx, pcs_time_resolution);
    if (!s)
        return PCS_ERROR_MEMORY;
    s->ctx = ctx;
    s->model = model;
    pcs_status status = collect(s);
    if (status >= 0 && s->n > 0) {
        s->value = PCS_NEW_ARRAY(ctx, double, PLACES *(int64_t)s->n);
        s->size = PCS_NEW_ARRAY(ctx, double, s->n);
        status = s->value && s->size ? pcs_configuration_init(ctx, model, &s->c) : PCS_ERROR_MEMORY;
    }
    if (status < 0 || s->n == 0)
        pcs_time_resolution_destroy(s);
    else
        *out = s;
    return status < 0 ? status : PCS_OK;
}

void pcs_time_resolution_destroy(pcs_time_resolution *s)
{
    if (!s)
        return;
    pcs_context *ctx = s->ctx;
    PCS_ARRAY_FREE(ctx, &s->formulas);
    PCS_ARRAY_FREE(ctx, &s->systems);
    pcs_free(ctx, s->value);
    pcs_free(ctx, s->size);
    pcs_configuration_free(ctx, &s->c);
    pcs_free(ctx, s);
}

// ---- The length ----

// All functions at time t, at the state of the configuration.
static void evaluate(pcs_time_resolution *s, double t, double *value)
{
    const pcs_model *m = s->model;
    s->c.t = s->c.inputs[0] = pcs_configuration_time(m, s->c.external, t);
    for (int32_t i = 0; i < s->formulas.count; ++i)
        value[i] = pcs_formula_evaluate(s->formulas.data[i], s->c.inputs);
    value += s->formulas.count;
    if (s->systems.count > 0)
        pcs_systems_start(m, &s->c);
    for (int32_t k = 0; k < s->systems.count; ++k) {
        const pcs_system *system = &m->systems.data[s->systems.data[k]];
        const double *w = pcs_system_evaluate(m, &s->c, s->systems.data[k],
                                              UINT32_C(1) << PCS_STAGE_FORCE);
        for (int32_t i = 0; i < system->n; ++i)
            *value++ = w[system->slots.f[i]];
    }
}

// Numbers of the places that the polynomial of a degree goes through.
static const int nodes[DEGREE_MAX + 1][DEGREE_MAX + 1] = {[1] = {0, 6}, [3] = {0, 2, 4, 6}};

// Largest defect of function i over its size; 0 for one that is zero, or not finite.
static double defect_of(const pcs_time_resolution *s, int32_t i, int32_t degree)
{
    const int *node = nodes[degree];
    double worst = 0;
    if (!(s->size[i] > 0) || !isfinite(s->size[i]))
        return 0;
    for (int j = 1; j < PLACES - 1; ++j) {
        double sum = 0;
        for (int32_t k = 0; k <= degree; ++k) {
            double weight = 1;
            for (int32_t l = 0; l <= degree; ++l)
                if (l != k)
                    weight *= (place[j] - place[node[l]]) / (place[node[k]] - place[node[l]]);
            sum += weight * s->value[node[k] * s->n + i];
        }
        worst = fmax(worst, fabs(s->value[j * s->n + i] - sum));
    }
    return worst / s->size[i];
}

double pcs_time_resolution_length(pcs_time_resolution *s, const pcs_smooth *smooth,
                                  const pcs_smooth_point *from, double h, double least,
                                  int32_t degree)
{
    pcs_smooth_configure(smooth, &s->c, from->t, from->q, from->v);
    for (bool first = true;; first = false) {
        double worst = 0;
        for (int j = 0; j < PLACES; ++j)
            evaluate(s, from->t + place[j] * h, s->value + j * s->n);
        for (int32_t i = 0; i < s->n; ++i) {
            for (int j = 0; j < PLACES && first; ++j)
                s->size[i] = fmax(j > 0 ? s->size[i] : 0, fabs(s->value[j * s->n + i]));
            worst = fmax(worst, defect_of(s, i, degree));
        }
        if (worst <= ALLOWED || h <= least)
            return h;
        const double factor = SAFETY * pow(ALLOWED / worst, 1.0 / (degree + 1));
        h = fmax(h * fmin(fmax(factor, SHRINK_MIN), SHRINK_MAX), least);
    }
}

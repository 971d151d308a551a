#include "model/fault.h"

#include <math.h>
#include <stdio.h>

#include "model/assembly.h"
#include "model/lagrangian.h"

static const char *what_is(double value)
{
    return isnan(value) ? "not a number" : "infinite";
}

// Whether the formula is the place where a number that is not finite comes from.
static bool fails(const pcs_formula *formula, const double *inputs, double *value)
{
    if (!formula)
        return false;
    const int32_t *variables;
    const int32_t count = pcs_formula_variables(formula, &variables);
    for (int32_t i = 0; i < count; ++i)
        if (!isfinite(inputs[variables[i]]))
            return false;
    *value = pcs_formula_evaluate(formula, inputs);
    return !isfinite(*value);
}

// "OWNER 'NAME': "FORMULA" is not a number", with the body that a force acts on; the quotes are those
// that model files look for.
static bool tell_on(const pcs_formula *formula, const double *inputs, const char *owner,
                    const char *name, const char *body, char text[PCS_FAULT_SIZE])
{
    double value;
    if (!fails(formula, inputs, &value))
        return false;
    snprintf(text, PCS_FAULT_SIZE, "%s '%.100s'%s%.120s: \"%.200s\" is %s", owner, name,
             *body ? " on " : "", body, pcs_formula_text(formula), what_is(value));
    return true;
}

static bool tell(const pcs_formula *formula, const double *inputs, const char *owner,
                 const char *name, char text[PCS_FAULT_SIZE])
{
    return tell_on(formula, inputs, owner, name, "", text);
}

static bool find_in_forces(const pcs_model *m, const pcs_configuration *c, char *text)
{
    for (int32_t i = 0; i < m->forces.count; ++i) {
        const pcs_force *force = &m->forces.data[i];
        char body[PCS_NODE_NAME_SIZE];
        pcs_model_node_name(m, force->node, body);
        for (int k = 0; k < 3; ++k)
            if (tell_on(force->force[k].formula, c->inputs, "force", force->name, body, text) ||
                tell_on(force->torque[k].formula, c->inputs, "force", force->name, body, text))
                return true;
    }
    for (int32_t i = 0; i < m->actuators.count; ++i) {
        const pcs_actuator *a = &m->actuators.data[i];
        if (tell(a->force.formula, c->inputs, "the actuator of joint",
                 m->joints.data[a->joint].name, text))
            return true;
    }
    for (int32_t i = 0; i < m->mesh_loads.count; ++i)
        for (int k = 0; k < 3; ++k)
            if (tell(m->mesh_loads.data[i].formula[k], c->inputs, "a load of mesh",
                     m->meshes.data[m->mesh_loads.data[i].mesh].name, text))
                return true;
    return false;
}

static bool find_in_motions(const pcs_model *m, const pcs_configuration *c, char *text)
{
    for (int32_t i = 0; i < m->joints.count; ++i) {
        const pcs_joint *joint = &m->joints.data[i];
        double value;
        for (int32_t k = 0; k < joint->n_rows; ++k) {
            if (tell(joint->motion[k], &c->t, "the motion of joint", joint->name, text))
                return true;
            if (!fails(joint->motion_rate[k], &c->t, &value) &&
                !fails(joint->motion_acceleration[k], &c->t, &value))
                continue;
            snprintf(text, PCS_FAULT_SIZE,
                     "the motion of joint '%.100s': the rate or acceleration of \"%.300s\" is %s",
                     joint->name, pcs_formula_text(joint->motion[k]), what_is(value));
            return true;
        }
    }
    for (int k = 0; k < 2; ++k) {
        for (int32_t i = 0; i < m->contact_pairs.count; ++i)
            if (tell(m->contact_pairs.data[i].surface[k], c->inputs, "the surface speed of contact",
                     m->contact_pairs.data[i].name, text))
                return true;
        for (int32_t i = 0; i < m->surface_contacts.count; ++i)
            if (tell(m->surface_contacts.data[i].surface[k], c->inputs,
                     "the surface speed of contact", m->surface_contacts.data[i].name, text))
                return true;
    }
    return false;
}

// ---- Systems ----

// The terms of a system that a step uses, and the formulas they are made of.
typedef struct term {
    pcs_system_stage stage;
    pcs_system_part part;
    const int32_t *slot;
    int32_t count;
    int32_t columns; // numbers of one formula that follow each other
    const char *what;
} term;

static const char *formula_of(const pcs_system *s, pcs_system_part part, int32_t index)
{
    for (int32_t i = 0; i < s->formulas.count; ++i)
        if (s->formulas.data[i].part == part && s->formulas.data[i].index == index)
            return s->formulas.data[i].text;
    return NULL;
}

static bool tell_term(const pcs_system *s, const term *x, int32_t at, double value, char *text)
{
    const int32_t index = at / x->columns;
    const char *formula = formula_of(s, x->part, index);
    const char *of = x->part == PCS_SYSTEM_FORCE        ? s->coordinate[index]
                     : x->part == PCS_SYSTEM_CONSTRAINT ? s->constraint[index]
                                                        : "";
    snprintf(text, PCS_FAULT_SIZE, "%s%s%.60s%s of system '%.100s'%s%.200s%s is %s", x->what,
             *of ? " '" : "", of, *of ? "'" : "", s->name, formula ? ": \"" : "",
             formula ? formula : "", formula ? "\"" : "", what_is(value));
    return true;
}

static bool find_in_system(const pcs_model *m, const pcs_configuration *c, int32_t k, char *text)
{
    const pcs_system *s = &m->systems.data[k];
    const pcs_system_slots *x = &s->slots;
    const int32_t n = s->n, rows = s->n_constraints, gaps = s->n_gap_rows;
    const double *q = c->q + m->nodes.data[s->node].q, *v = c->v + m->nodes.data[s->node].v;
    for (int32_t i = 0; i < n; ++i)
        if (!isfinite(q[i]) || !isfinite(v[i]))
            return false;
    // The mass and the forces of a system of energies come from several of its formulas.
    const term terms[] = {
        {PCS_STAGE_POTENTIAL, PCS_SYSTEM_POTENTIAL, x->potential, 1, 1, "the potential"},
        {PCS_STAGE_MASS, s->has_mass ? PCS_SYSTEM_MASS : PCS_SYSTEM_KINETIC, x->M, n * n,
         s->has_mass ? 1 : n * n, s->has_mass ? "the mass matrix" : "the kinetic energy"},
        {PCS_STAGE_FORCE, PCS_SYSTEM_FORCE, x->f, n, 1, "the force of coordinate"},
        {PCS_STAGE_ROWS, PCS_SYSTEM_CONSTRAINT, x->g, rows, 1, "constraint"},
        {PCS_STAGE_ROWS, PCS_SYSTEM_CONSTRAINT, x->G, rows * n, n, "the gradient of constraint"},
        {PCS_STAGE_GAPS, PCS_SYSTEM_GAP, x->gap, gaps, 1, "a gap"},
        {PCS_STAGE_GAP_ROWS, PCS_SYSTEM_GAP, x->H, gaps * n, n, "the gradient of a gap"},
    };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; ++i) {
        if (terms[i].count == 0)
            continue;
        const double *w = pcs_system_evaluate(m, c, k, 1u << terms[i].stage);
        for (int32_t j = 0; j < terms[i].count; ++j)
            if (!isfinite(w[terms[i].slot[j]]))
                return tell_term(s, &terms[i], j, w[terms[i].slot[j]], text);
    }
    return false;
}

bool pcs_model_find_fault(const pcs_model *model, const pcs_configuration *c,
                          char text[PCS_FAULT_SIZE])
{
    if (find_in_forces(model, c, text) || find_in_motions(model, c, text))
        return true;
    for (int32_t k = 0; k < model->systems.count; ++k)
        if (find_in_system(model, c, k, text))
            return true;
    return false;
}

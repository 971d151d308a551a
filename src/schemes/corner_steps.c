#include "schemes/corner_steps.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "schemes/corner_impact.h"

// A point this near to a corner is there, m; behind it, it is put this far on the next face, so
// that the nearest face is that one.
#define AT_CORNER 1e-11
// Steps towards a corner end short of it by this part of the way: the speed changes in a step.
#define SHORT_OF_CORNER 1e-4
// Parts shorter than this part of the whole, or than so many roundings of the clock, are no steps:
// what is left goes on with the present velocity. (Methods that find accelerations from positions
// divide the rounding of a position by the square of the step.)
#define SHORTEST_PART 1e-6
#define CLOCK_ROUNDINGS 64
// A step that fails has met a corner if it is this many lengths ahead at most.
#define REACH 4
// Turns in one step, after which the run stops: a curve finer than the step by as much is none.
enum { TURNS_MAX = 10000 };

struct pcs_corner_steps {
    pcs_state before; // of the part at hand
    pcs_configuration c;
    int32_t *face; // n_faces: -1, not held
    pcs_row_block *rows;
    double *row_values;
    pcs_saddle *saddle;
    double *n1, *n2, *x1, *x2, *p_row;
};

static bool has_corner(const pcs_model *model)
{
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_curve *curve = model->joints.data[k].curve;
        for (int32_t i = 0; curve && i < curve->n_spans; ++i)
            if (curve->spans[i].junction == PCS_JUNCTION_CORNER)
                return true;
    }
    return false;
}

pcs_status pcs_corner_steps_create(const pcs_scheme *scheme, pcs_corner_steps **out)
{
    pcs_context *ctx = scheme->ctx;
    const pcs_model *m = scheme->model;
    const int64_t memory = scheme->class->memory ? scheme->class->memory(scheme) : 0;
    *out = NULL;
    if (scheme->class->turns_corners || !has_corner(m))
        return PCS_OK;
    pcs_corner_steps *s = *out = pcs_calloc(ctx, 1, sizeof *s);
    if (!s)
        return PCS_ERROR_MEMORY;
    double **of_v[] = {&s->n1, &s->n2, &s->x1, &s->x2};
    bool good = PCS_NEW_LIST(ctx, of_v, m->n_v);
    good = (s->p_row = PCS_NEW_ARRAY(ctx, double, m->n_rows)) && good;
    good = (s->face = PCS_NEW_ARRAY(ctx, int32_t, m->n_faces)) && good;
    if (!good)
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_state_init(ctx, m, memory, &s->before));
    PCS_TRY(pcs_configuration_init(ctx, m, &s->c));
    PCS_TRY(pcs_model_row_blocks_create(ctx, m, &s->rows, &s->row_values));
    return pcs_model_saddle_with_rows(ctx, m, m->row_blocks.count, s->rows, &s->saddle);
}

void pcs_corner_steps_destroy(pcs_context *ctx, pcs_corner_steps *s)
{
    if (!s)
        return;
    void *arrays[] = {s->face, s->rows, s->row_values, s->n1, s->n2, s->x1, s->x2, s->p_row};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    pcs_state_free(ctx, &s->before);
    pcs_configuration_free(ctx, &s->c);
    pcs_saddle_destroy(s->saddle);
    pcs_free(ctx, s);
}

// ---- Corners ahead and passed ----

// A state as a configuration on which no face is held.
static void look(pcs_corner_steps *s, const pcs_model *model, const pcs_state *x)
{
    for (int32_t i = 0; i < model->n_faces; ++i)
        s->face[i] = -1;
    s->c.face = s->face;
    pcs_configuration_update(model, &s->c, *x->t, x->q, x->v, x->turns, x->external);
}

// The corner that a point reaches first at its present speed.
typedef struct corner_ahead {
    const pcs_joint *joint; // NULL: none
    int end;                // of its face
    int32_t next;           // the face behind it
    double way, speed, time;
} corner_ahead;

static corner_ahead find_corner(pcs_corner_steps *s, const pcs_model *model, const pcs_state *x)
{
    corner_ahead first = {.time = HUGE_VAL};
    look(s, model, x);
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        if (!joint->curve)
            continue;
        const pcs_curve_station at = pcs_joint_curve_station(model, &s->c, joint);
        const int end = at.speed > 0;
        const double time = fmax(at.way[end], 0) / fabs(at.speed);
        if (at.speed != 0 && at.corner[end] && time < first.time)
            first = (corner_ahead){joint, end, at.next[end], at.way[end], fabs(at.speed), time};
    }
    return first;
}

// Whether there is a corner on the shorter way along the curve from one face to another.
static bool is_corner_between(const pcs_curve *curve, int32_t from, int32_t to)
{
    const int32_t n = curve->n_spans, forward = (to - from + n) % n, backward = n - forward;
    const bool ahead = curve->closed ? forward <= backward : to > from;
    if (from == to)
        return false;
    for (int32_t i = ahead ? from : to; i != (ahead ? to : from); i = (i + 1) % n)
        if (curve->spans[i].junction == PCS_JUNCTION_CORNER)
            return true;
    return false;
}

// Whether a point has passed a corner between the states s->before and x; *behind: the way since
// then if it was the one ahead, or 0. Behind a sharp corner the face before it, continued, may be
// as near as the one behind it.
static bool has_passed(pcs_corner_steps *s, const pcs_model *model, const corner_ahead *ahead,
                       const pcs_state *x, double *behind)
{
    bool passed = false;
    *behind = 0;
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        if (!joint->curve)
            continue;
        look(s, model, &s->before);
        const int32_t from = pcs_joint_curve_station(model, &s->c, joint).face;
        look(s, model, x);
        const pcs_curve_station at = pcs_joint_curve_station(model, &s->c, joint);
        const bool is_ahead = joint == ahead->joint;
        for (int end = 0; end < 2; ++end) {
            if (at.face != from || !at.corner[end] || at.way[end] >= -AT_CORNER)
                continue;
            passed = true;
            if (is_ahead && end == ahead->end)
                *behind = -at.way[end];
        }
        if (!is_corner_between(joint->curve, from, at.face))
            continue;
        passed = true;
        if (is_ahead && at.face == ahead->next)
            *behind = fmax(at.way[!ahead->end], 0);
    }
    return passed;
}

// ---- The turn ----

// q goes on with the velocity v for a time, and back on the joints on the faces that are held.
static pcs_status coast(pcs_corner_steps *s, const pcs_model *model, double time, pcs_state *x)
{
    enum { PASSES = 2 }; // of Newton's method from an error of the second order in the time
    for (int32_t i = 0; i < model->n_v; ++i)
        s->x1[i] = time * x->v[i];
    pcs_model_retract(model, x->q, s->x1, x->q);
    *x->t += time;
    for (int pass = 0; pass < PASSES; ++pass) {
        pcs_rows rows = {s->rows, s->p_row, NULL, NULL};
        pcs_configuration_update(model, &s->c, *x->t, x->q, x->v, x->turns, x->external);
        pcs_model_rows(model, &s->c, &rows);
        pcs_model_matrix(model, &s->c, 0, 0, s->saddle);
        PCS_TRY(pcs_saddle_factor(s->saddle));
        for (int32_t i = 0; i < model->n_rows; ++i)
            s->p_row[i] = -s->p_row[i];
        memset(s->x1, 0, sizeof(double) * (size_t)model->n_v);
        pcs_saddle_solve(s->saddle, s->x1, s->p_row);
        pcs_model_retract(model, x->q, s->x1, x->q);
    }
    pcs_model_update_turns(model, &s->c, x->turns);
    return PCS_OK;
}

// The point goes to the corner, the velocity turns, and the point goes over to the next face.
static pcs_status turn(pcs_scheme *scheme, const corner_ahead *corner, pcs_state *x)
{
    pcs_corner_steps *s = scheme->corners;
    const pcs_model *model = scheme->model;
    const pcs_joint *joint = corner->joint;
    const pcs_corner_work work = {&s->c, s->saddle, s->rows, s->n1, s->n2, s->x1, s->x2, s->p_row};
    look(s, model, x);
    const pcs_curve_station at = pcs_joint_curve_station(model, &s->c, joint);
    s->face[model->n_slots + joint->curve_index] = at.face;
    PCS_TRY(coast(s, model, corner->time, x));
    PCS_TRY(pcs_corner_turn(model, &work, joint, s->face, corner->next, x->v));
    const double t = *x->t;
    PCS_TRY(coast(s, model, AT_CORNER / fabs(at.speed), x));
    *x->t = t;
    return scheme->class->restart ? scheme->class->restart(scheme, x) : PCS_OK;
}

// ---- The step ----

// One part of the step, up to the corner ahead or the end; *length is what was taken, 0 if the
// corner ahead is so near that there is nothing to take.
static pcs_status take_part(pcs_scheme *scheme, pcs_state *state, const corner_ahead *corner,
                            double shortest, double *length, pcs_step_report *report)
{
    pcs_corner_steps *s = scheme->corners;
    const int64_t events = scheme->events.count;
    *length = fmax(fmin(*length, (1 - SHORT_OF_CORNER) * corner->time), shortest);
    pcs_state_copy(&s->before, state);
    for (;;) {
        double behind = 0;
        pcs_step_report part = {0};
        const pcs_status status = scheme->class->step(scheme, state, *length, &part);
        // A step over a corner may have no solution at all.
        const bool failed = status == PCS_ERROR_NUMERIC && corner->time < REACH * *length;
        if (status < 0 && !failed)
            return status;
        const bool passed = failed || has_passed(s, scheme->model, corner, state, &behind);
        if (!passed || (*length <= shortest && !corner->joint)) {
            pcs_step_report_add(report, &part);
            report->accepted += part.accepted > 0 ? part.accepted : 1;
            report->time_stepping += part.time_stepping;
            return status;
        }
        ++report->rejected;
        pcs_state_copy(state, &s->before);
        pcs_event_log_rewind(&scheme->events, events, state->status);
        if (*length <= shortest) {
            *length = 0;
            return failed && corner->time > shortest ? status : PCS_OK;
        }
        const double way = fmax(corner->way, 0);
        *length *= behind > 0 ? (1 - SHORT_OF_CORNER) * way / (way + behind) : 0.5;
        *length = fmax(*length, shortest);
    }
}

pcs_status pcs_corner_steps_take(pcs_scheme *scheme, pcs_state *state, double h,
                                 pcs_step_report *report)
{
    pcs_corner_steps *s = scheme->corners;
    const pcs_model *model = scheme->model;
    const double end = *state->t + h;
    const double shortest = fmax(SHORTEST_PART * h, CLOCK_ROUNDINGS * DBL_EPSILON * fabs(end));
    pcs_status worst = PCS_OK;
    *report = (pcs_step_report){0};
    for (int turns = 0; *state->t < end;) {
        const double begin = *state->t, rest = end - begin;
        corner_ahead corner = find_corner(s, model, state);
        // Nobody stops nearer to a corner than AT_CORNER: it would not be clear on which face.
        bool there = corner.joint && corner.time <= shortest &&
                     corner.way <= rest * corner.speed + AT_CORNER;
        if (!there && rest <= shortest) {
            look(s, model, state);
            PCS_TRY(coast(s, model, rest, state));
            break;
        }
        if (!there) {
            double length = rest;
            const pcs_status status = take_part(scheme, state, &corner, shortest, &length, report);
            PCS_TRY(status);
            worst = status > worst ? status : worst;
            *state->t = begin + length;
            there = length == 0;
        }
        if (there && ++turns > TURNS_MAX)
            return pcs_error(scheme->ctx, PCS_ERROR_NUMERIC,
                             "t = %g: %s passes more than %d corners in a step; take a smaller one",
                             begin, model->row_names.data[corner.joint->first_row], TURNS_MAX);
        if (there)
            PCS_TRY(turn(scheme, &corner, state));
    }
    *state->t = end;
    report->h = h;
    return worst;
}

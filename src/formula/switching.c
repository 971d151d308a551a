// Switches of formulas (formula/switching.h).
//
// A switch function compares two operands, a - b against 0 (comparisons, min, max, clamp, abs,
// sign, step, ramp, smooth steps, the cut of atan2), or takes a whole part, of a/b (floor, ceil,
// round, mod). Between two switches every formula of t is smooth, and operands made of sums,
// multiples and switching functions of t are straight lines,
//
//     x(t) = intercept + slope t,
//
// so that the next switch of a straight pair is t = -intercept/slope of the difference. Operands
// with other functions are curved; for them the range of the operands over an interval says whether
// they can change sides in it, and halving leads to the first instant at which they do.
#include "formula/switching.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "formula/functions.h"
#include "formula/interval.h"
#include "formula/tape.h"

// Intervals looked at for one answer. A pair of curves that coincide over a while cannot be decided
// by ranges; beyond this number only the ends of what is left are compared.
enum { BOXES_MAX = 1000 };

typedef struct line {
    double intercept, slope;
    bool straight;
} line;

typedef struct switch_function {
    bool whole;    // whole part of a/b + shift; else the order of a and b
    double shift;  // 1/2 for round
    int32_t a, b;  // slots
    int32_t guard; // branch in which it stands, -1: none
} switch_function;

// A branch: its functions matter while the condition has this truth, and the branch around it too.
typedef struct guard {
    int32_t condition; // slot
    bool truth;
    int32_t parent;
} guard;

struct pcs_switching {
    pcs_context *ctx;
    int32_t n_slots, n_variables, n_steps, n_functions;
    int32_t *variables; // slots 0 to n_variables - 1 hold the variables with these indices
    pcs_tape_step *steps;
    switch_function *functions;
    PCS_ARRAY(guard) guards;
    double *value;       // of slots; constants are in place
    line *lines;         // of slots; constants are in place
    pcs_interval *range; // of slots; constants are in place
    double *side;        // of functions, at the time at hand; NAN: not active
    bool *curved;        // of functions, at the time at hand
};

// ---- Building ----

enum { CONSTANT, OF_TIME, OF_STATE };
enum { NO_GUARD = -1, NOT_USED = -2 };

// What is known of the slots of a view while its switches are collected.
typedef struct builder {
    pcs_context *ctx;
    const pcs_tape_view *view;
    int level;        // OF_TIME or OF_STATE
    uint8_t *depends; // by slot of the view
    int32_t *guarded; // guard by slot
    int32_t *slot;    // new slot, -1: not needed
    int32_t zero, one;
    PCS_ARRAY(switch_function) functions; // slots of the view
    PCS_ARRAY(double) numbers;            // beside the view's constants: 0 and 1
    pcs_switching *out;
    bool failed;
} builder;

static void find_dependence(builder *b)
{
    const pcs_tape_view *v = b->view;
    for (int32_t i = 0; i < v->n_variables; i++) {
        const int32_t index = v->variables ? v->variables[i] : i;
        b->depends[v->n_constants + i] = index == 0 ? OF_TIME : OF_STATE;
    }
    for (int32_t i = 0; i < v->n_steps; i++) {
        const pcs_tape_step *s = &v->steps[i];
        uint8_t most = CONSTANT;
        for (int k = 0; k < pcs_operations[s->op].operands; k++)
            most = b->depends[s->operand[k]] > most ? b->depends[s->operand[k]] : most;
        b->depends[s->out] = most;
    }
}

static int32_t add_guard(builder *b, int32_t condition, bool truth, int32_t parent)
{
    pcs_switching *out = b->out;
    if (!PCS_PUSH(b->ctx, &out->guards, ((guard){condition, truth, parent}))) {
        b->failed = true;
        return NO_GUARD;
    }
    return out->guards.count - 1;
}

static void use(builder *b, int32_t slot, int32_t in)
{
    if (b->guarded[slot] == NOT_USED)
        b->guarded[slot] = in;
    else if (b->guarded[slot] != in)
        b->guarded[slot] = NO_GUARD; // used in several branches: looked at always
}

// Branches, from the results down: users come before what they use.
static void find_guards(builder *b)
{
    const pcs_tape_view *v = b->view;
    for (int32_t i = 0; i < v->n_slots; i++)
        b->guarded[i] = NOT_USED;
    for (int32_t i = 0; i < v->n_roots; i++)
        b->guarded[v->roots[i]] = NO_GUARD;
    for (int32_t i = v->n_steps - 1; i >= 0; i--) {
        const pcs_tape_step *s = &v->steps[i];
        const int32_t in = b->guarded[s->out];
        if (in == NOT_USED)
            continue;
        const bool branches = s->op == PCS_OP_SELECT && b->depends[s->operand[0]] != CONSTANT &&
                              b->depends[s->operand[0]] <= b->level;
        for (int k = 0; k < pcs_operations[s->op].operands; k++)
            use(b, s->operand[k], branches && k > 0 ? add_guard(b, s->operand[0], k == 1, in) : in);
    }
}

static void add_function(builder *b, const pcs_tape_step *s, bool whole, double shift, int32_t a,
                         int32_t c)
{
    const uint8_t first = b->depends[a], second = b->depends[c];
    if ((first > second ? first : second) != b->level || b->guarded[s->out] == NOT_USED)
        return;
    const switch_function f = {whole, shift, a, c, b->guarded[s->out]};
    for (int32_t i = 0; i < b->functions.count; i++) { // clamp and its derivative share them
        switch_function *known = &b->functions.data[i];
        if (known->whole == whole && known->shift == shift && known->a == a && known->b == c) {
            if (known->guard != f.guard)
                known->guard = NO_GUARD;
            return;
        }
    }
    b->failed = b->failed || !PCS_PUSH(b->ctx, &b->functions, f);
}

static void find_functions(builder *b)
{
    for (int32_t i = 0; i < b->view->n_steps; i++) {
        const pcs_tape_step *s = &b->view->steps[i];
        const int32_t *x = s->operand;
        switch (s->op) {
        case PCS_OP_LT:
        case PCS_OP_LE:
        case PCS_OP_GT:
        case PCS_OP_GE:
        case PCS_OP_EQ:
        case PCS_OP_NE:
        case PCS_OP_MIN:
        case PCS_OP_MAX:
            add_function(b, s, false, 0.0, x[0], x[1]);
            break;
        case PCS_OP_CLAMP:
            add_function(b, s, false, 0.0, x[0], x[1]);
            add_function(b, s, false, 0.0, x[0], x[2]);
            break;
        case PCS_OP_SMOOTHSTEP:
        case PCS_OP_SMOOTH5:
            add_function(b, s, false, 0.0, x[2], x[0]);
            add_function(b, s, false, 0.0, x[2], x[1]);
            break;
        case PCS_OP_ABS:
        case PCS_OP_SIGN:
        case PCS_OP_STEP:
        case PCS_OP_RAMP:
        case PCS_OP_ATAN2: // y = 0, where x < 0 is the cut
            add_function(b, s, false, 0.0, x[0], b->zero);
            break;
        case PCS_OP_FLOOR:
        case PCS_OP_CEIL:
            add_function(b, s, true, 0.0, x[0], b->one);
            break;
        case PCS_OP_ROUND:
            add_function(b, s, true, 0.5, x[0], b->one);
            break;
        case PCS_OP_MOD:
            add_function(b, s, true, 0.0, x[0], x[1]);
            break;
        default:
            break;
        }
    }
}

// Slots that the functions and the conditions of their branches need.
static void mark_needed(builder *b)
{
    const pcs_tape_view *v = b->view;
    for (int32_t i = 0; i < v->n_slots + 2; i++)
        b->slot[i] = -1;
    for (int32_t i = 0; i < b->functions.count; i++) {
        const switch_function *f = &b->functions.data[i];
        b->slot[f->a] = b->slot[f->b] = 0;
        for (int32_t g = f->guard; g >= 0; g = b->out->guards.data[g].parent)
            b->slot[b->out->guards.data[g].condition] = 0;
    }
    for (int32_t i = v->n_steps - 1; i >= 0; i--) {
        const pcs_tape_step *s = &v->steps[i];
        for (int k = 0; b->slot[s->out] >= 0 && k < pcs_operations[s->op].operands; k++)
            b->slot[s->operand[k]] = 0;
    }
}

static void set_constant(pcs_switching *s, int32_t slot, double value)
{
    s->value[slot] = value;
    s->lines[slot] = (line){value, 0.0, true};
    s->range[slot] = (pcs_interval){value, value};
}

static bool allocate(builder *b, int32_t n_slots, int32_t n_steps)
{
    pcs_switching *s = b->out;
    s->variables = PCS_NEW_ARRAY(b->ctx, int32_t, b->view->n_variables);
    s->steps = PCS_NEW_ARRAY(b->ctx, pcs_tape_step, n_steps);
    s->functions = PCS_NEW_ARRAY(b->ctx, switch_function, b->functions.count);
    s->value = PCS_NEW_ARRAY(b->ctx, double, n_slots);
    s->lines = PCS_NEW_ARRAY(b->ctx, line, n_slots);
    s->range = PCS_NEW_ARRAY(b->ctx, pcs_interval, n_slots);
    s->side = PCS_NEW_ARRAY(b->ctx, double, b->functions.count);
    s->curved = PCS_NEW_ARRAY(b->ctx, bool, b->functions.count);
    return s->variables && s->steps && s->functions && s->value && s->lines && s->range &&
           s->side && s->curved;
}

// The needed part in slots of its own: variables, constants, results.
static bool compact(builder *b)
{
    const pcs_tape_view *v = b->view;
    pcs_switching *out = b->out;
    int32_t n_slots = 0, n_steps = 0;
    for (int32_t i = 0; i < v->n_slots + 2; i++)
        n_slots += b->slot[i] >= 0;
    for (int32_t i = 0; i < v->n_steps; i++)
        n_steps += b->slot[v->steps[i].out] >= 0;
    if (!allocate(b, n_slots, n_steps))
        return false;
    for (int32_t i = 0; i < v->n_variables; i++)
        if (b->slot[v->n_constants + i] >= 0) {
            b->slot[v->n_constants + i] = out->n_slots++;
            out->variables[out->n_variables++] = v->variables ? v->variables[i] : i;
        }
    for (int32_t i = 0; i < v->n_slots + 2; i++) {
        if (b->slot[i] < 0 || (i >= v->n_constants && i < v->n_slots))
            continue;
        b->slot[i] = out->n_slots++;
        set_constant(out, b->slot[i], i < v->n_constants ? v->constants[i] : i == b->one);
    }
    for (int32_t i = 0; i < v->n_steps; i++) {
        pcs_tape_step s = v->steps[i];
        if (b->slot[s.out] < 0)
            continue;
        for (int k = 0; k < 3; k++)
            s.operand[k] = k < pcs_operations[s.op].operands ? b->slot[s.operand[k]] : 0;
        s.out = b->slot[s.out] = out->n_slots++;
        out->steps[out->n_steps++] = s;
    }
    for (int32_t i = 0; i < b->functions.count; i++) {
        switch_function f = b->functions.data[i];
        f.a = b->slot[f.a];
        f.b = b->slot[f.b];
        out->functions[out->n_functions++] = f;
    }
    for (int32_t i = 0; i < out->guards.count; i++)
        out->guards.data[i].condition = b->slot[out->guards.data[i].condition];
    return true;
}

static pcs_status build(pcs_context *ctx, const pcs_tape_view *view, pcs_switching_kind kind,
                        pcs_switching **out)
{
    builder b = {.ctx = ctx,
                 .view = view,
                 .level = kind == PCS_SWITCHING_TIME ? OF_TIME : OF_STATE,
                 .zero = view->n_slots,
                 .one = view->n_slots + 1};
    b.depends = PCS_NEW_ARRAY(ctx, uint8_t, view->n_slots + 2);
    b.guarded = PCS_NEW_ARRAY(ctx, int32_t, view->n_slots + 2);
    b.slot = PCS_NEW_ARRAY(ctx, int32_t, view->n_slots + 2);
    b.out = PCS_NEW(ctx, pcs_switching);
    if (b.out)
        b.out->ctx = ctx;
    b.failed = !b.depends || !b.guarded || !b.slot || !b.out;
    if (!b.failed) {
        find_dependence(&b);
        find_guards(&b);
        find_functions(&b);
    }
    if (!b.failed && b.functions.count > 0) {
        mark_needed(&b);
        b.failed = !compact(&b);
    }
    if (b.failed || b.functions.count == 0) {
        pcs_switching_destroy(b.out);
        b.out = NULL;
    }
    PCS_ARRAY_FREE(ctx, &b.functions);
    pcs_free(ctx, b.depends);
    pcs_free(ctx, b.guarded);
    pcs_free(ctx, b.slot);
    *out = b.out;
    return b.failed ? PCS_ERROR_MEMORY : PCS_OK;
}

pcs_status pcs_switching_of_formula(pcs_context *ctx, const pcs_formula *formula,
                                    pcs_switching_kind kind, pcs_switching **out)
{
    *out = NULL;
    pcs_tape_view view;
    PCS_TRY(pcs_formula_view(ctx, formula, &view));
    const pcs_status status = build(ctx, &view, kind, out);
    pcs_free(ctx, view.steps);
    return status;
}

pcs_status pcs_switching_of_program(pcs_context *ctx, const pcs_program *program,
                                    pcs_switching_kind kind, pcs_switching **out)
{
    *out = NULL;
    pcs_tape_view view;
    PCS_TRY(pcs_program_view(ctx, program, &view));
    const pcs_status status = build(ctx, &view, kind, out);
    pcs_free(ctx, view.steps);
    return status;
}

void pcs_switching_destroy(pcs_switching *s)
{
    if (!s)
        return;
    pcs_free(s->ctx, s->variables);
    pcs_free(s->ctx, s->steps);
    pcs_free(s->ctx, s->functions);
    PCS_ARRAY_FREE(s->ctx, &s->guards);
    pcs_free(s->ctx, s->value);
    pcs_free(s->ctx, s->lines);
    pcs_free(s->ctx, s->range);
    pcs_free(s->ctx, s->side);
    pcs_free(s->ctx, s->curved);
    pcs_free(s->ctx, s);
}

int32_t pcs_switching_count(const pcs_switching *s)
{
    return s->n_functions;
}

// ---- A point ----

static void evaluate(pcs_switching *s)
{
    for (int32_t i = 0; i < s->n_steps; i++) {
        const pcs_tape_step *step = &s->steps[i];
        const double x[3] = {s->value[step->operand[0]], s->value[step->operand[1]],
                             s->value[step->operand[2]]};
        s->value[step->out] = pcs_operations[step->op].value(x);
    }
}

static bool is_active(const pcs_switching *s, int32_t g)
{
    for (; g >= 0; g = s->guards.data[g].parent)
        if ((s->value[s->guards.data[g].condition] != 0.0) != s->guards.data[g].truth)
            return false;
    return true;
}

static double side_of(const pcs_switching *s, const switch_function *f)
{
    const double a = s->value[f->a], b = s->value[f->b];
    return f->whole ? floor(a / b + f->shift) : (double)((a > b) - (a < b));
}

// ---- Straight lines between switches ----

static bool is_still(line a)
{
    return a.straight && a.slope == 0.0;
}

static line combine(double p, line a, double q, line b)
{
    return (line){p * a.intercept + q * b.intercept, p * a.slope + q * b.slope,
                  a.straight && b.straight};
}

static line scale(line a, double factor)
{
    return (line){factor * a.intercept, factor * a.slope, a.straight};
}

// The line of a result from those of its operands, with the values at the time at hand: which
// operand min takes, which branch if takes, how many periods mod takes off.
static line follow(const pcs_switching *s, const pcs_tape_step *step)
{
    const int32_t *x = step->operand;
    const line a = s->lines[x[0]], b = s->lines[x[1]], c = s->lines[x[2]];
    const double *value = s->value;
    const double f = value[step->out];
    const line still = {f, 0.0, true}, curve = {0.0, 0.0, false};
    switch (step->op) {
    case PCS_OP_ADD:
        return combine(1.0, a, 1.0, b);
    case PCS_OP_SUB:
        return combine(1.0, a, -1.0, b);
    case PCS_OP_NEG:
        return scale(a, -1.0);
    case PCS_OP_MUL:
    case PCS_OP_CHAIN:
        if (is_still(a))
            return scale(b, value[x[0]]);
        return is_still(b) ? scale(a, value[x[1]]) : curve;
    case PCS_OP_DIV:
        if (!is_still(b))
            return curve;
        return (line){a.intercept / value[x[1]], a.slope / value[x[1]], a.straight};
    case PCS_OP_SELECT:
        return value[x[0]] != 0.0 ? b : c;
    case PCS_OP_ABS:
        return value[x[0]] < 0.0 ? scale(a, -1.0) : a;
    case PCS_OP_RAMP:
        return value[x[0]] < 0.0 ? still : a;
    case PCS_OP_MIN:
        return value[x[0]] <= value[x[1]] ? a : b;
    case PCS_OP_MAX:
        return value[x[0]] >= value[x[1]] ? a : b;
    case PCS_OP_CLAMP:
        return f == value[x[0]] ? a : f == value[x[1]] ? b : c;
    case PCS_OP_MOD:
        return combine(1.0, a, -floor(value[x[0]] / value[x[1]]), b);
    case PCS_OP_SMOOTHSTEP:
    case PCS_OP_SMOOTH5:
        if (is_still(a) && is_still(b) && (f == 0.0 || f == 1.0))
            return still; // before or behind the rise
        break;
    case PCS_OP_LT:
    case PCS_OP_LE:
    case PCS_OP_GT:
    case PCS_OP_GE:
    case PCS_OP_EQ:
    case PCS_OP_NE:
    case PCS_OP_AND:
    case PCS_OP_OR:
    case PCS_OP_NOT:
    case PCS_OP_SIGN:
    case PCS_OP_STEP:
    case PCS_OP_FLOOR:
    case PCS_OP_CEIL:
    case PCS_OP_ROUND:
        return still;
    default:
        break;
    }
    for (int k = 0; k < pcs_operations[step->op].operands; k++)
        if (!is_still(s->lines[x[k]]))
            return curve;
    return still;
}

// Where a straight function leaves its side, after t; HUGE_VAL: never.
static double straight_switch(const pcs_switching *s, const switch_function *f, double side,
                              double t)
{
    const line a = s->lines[f->a], b = s->lines[f->b];
    line x = combine(1.0, a, -1.0, b);
    double level = 0.0;
    if (f->whole) {
        x = (line){a.intercept / b.intercept, a.slope / b.intercept, true};
        level = (x.slope > 0.0 ? side + 1.0 : side) - f->shift;
    }
    if (x.slope == 0.0)
        return HUGE_VAL;
    const double at = (level - x.intercept) / x.slope;
    return at > t ? at : HUGE_VAL;
}

// ---- Curves: ranges over an interval ----

// True if function f stays on its side over the interval whose ranges are at hand.
static bool stays(const pcs_switching *s, const switch_function *f, double side)
{
    const pcs_interval a = s->range[f->a], b = s->range[f->b];
    if (f->whole) {
        const pcs_interval q = pcs_interval_apply(PCS_OP_DIV, (const pcs_interval[]){a, b});
        return floor(q.low + f->shift) == side && floor(q.high + f->shift) == side;
    }
    if (side > 0.0)
        return a.low > b.high;
    if (side < 0.0)
        return a.high < b.low;
    return a.low == a.high && b.low == b.high && a.low == b.low;
}

static bool all_stay(pcs_switching *s, double from, double to)
{
    s->range[0] = (pcs_interval){from, to};
    for (int32_t i = 0; i < s->n_steps; i++) {
        const pcs_tape_step *step = &s->steps[i];
        const pcs_interval x[3] = {s->range[step->operand[0]], s->range[step->operand[1]],
                                   s->range[step->operand[2]]};
        s->range[step->out] = pcs_interval_apply(step->op, x);
    }
    for (int32_t i = 0; i < s->n_functions; i++)
        if (s->curved[i] && !stays(s, &s->functions[i], s->side[i]))
            return false;
    return true;
}

// True if the operands of f are on another side at the values at hand, by more than their rounding:
// where curves cross at a small angle, rounding alone would change sides many times.
static bool is_beyond(const pcs_switching *s, const switch_function *f, double side)
{
    const double roundings = 16.0 * DBL_EPSILON;
    const double a = s->value[f->a], b = s->value[f->b];
    if (side_of(s, f) == side)
        return false;
    return f->whole || fabs(a - b) > roundings * fmax(fabs(a), fabs(b));
}

static bool has_left(pcs_switching *s, double t)
{
    s->value[0] = t;
    evaluate(s);
    for (int32_t i = 0; i < s->n_functions; i++)
        if (s->curved[i] && is_beyond(s, &s->functions[i], s->side[i]))
            return true;
    return false;
}

// First instant of [from, to] at which a curved function is on another side; HUGE_VAL: none. Halves
// are looked at from left to right; `rounding` ends the halving.
static double first_change(pcs_switching *s, double from, double to, double rounding)
{
    enum { DEPTH = 64 };
    double ends[DEPTH + 2]; // right ends of what is still to be looked at, the nearest last
    int32_t n = 0, boxes = 0;
    ends[n++] = to;
    while (n > 0) {
        const double end = ends[n - 1], middle = 0.5 * (from + end);
        const bool small = !(end - from > rounding) || !(from < middle && middle < end) ||
                           n > DEPTH || boxes >= BOXES_MAX;
        if (!small && boxes++ < BOXES_MAX && !all_stay(s, from, end)) {
            ends[n++] = middle;
            continue;
        }
        if (small && has_left(s, end)) { // one change between, found by its sides
            double low = from, high = end;
            while (high - low > rounding) {
                const double half = 0.5 * (low + high);
                if (!(low < half && half < high))
                    break;
                *(has_left(s, half) ? &high : &low) = half;
            }
            return high;
        }
        from = end;
        n--;
    }
    return HUGE_VAL;
}

double pcs_switching_next(pcs_switching *s, double t, double limit, double rounding)
{
    assert(s->n_variables == 1);
    const double from = t + rounding;
    if (!(limit > from))
        return HUGE_VAL;
    s->value[0] = from;
    s->lines[0] = (line){0.0, 1.0, true};
    evaluate(s);
    for (int32_t i = 0; i < s->n_steps; i++)
        s->lines[s->steps[i].out] = follow(s, &s->steps[i]);
    double next = HUGE_VAL;
    bool any_curved = false;
    for (int32_t i = 0; i < s->n_functions; i++) {
        const switch_function *f = &s->functions[i];
        s->curved[i] = false;
        if (!is_active(s, f->guard))
            continue;
        s->side[i] = side_of(s, f);
        const line a = s->lines[f->a], b = s->lines[f->b];
        if (isnan(s->side[i]))
            continue;
        if (a.straight && b.straight && (!f->whole || b.slope == 0.0))
            next = fmin(next, straight_switch(s, f, s->side[i], from));
        else
            any_curved = s->curved[i] = true;
    }
    if (!(next <= limit))
        next = HUGE_VAL;
    if (any_curved)
        next = fmin(next, first_change(s, from, fmin(next, limit), rounding));
    return next;
}

// ---- Along a motion ----

static double distance_of(const pcs_switching *s, const switch_function *f, double from)
{
    const double a = s->value[f->a], b = s->value[f->b];
    if (!f->whole)
        return from > 0.0 ? a - b : from < 0.0 ? b - a : -fabs(a - b);
    const double q = a / b + f->shift;
    return fmin(q - from, from + 1.0 - q);
}

void pcs_switching_sides(pcs_switching *s, const double *variables, const double *from,
                         double *side, double *distance)
{
    for (int32_t i = 0; i < s->n_variables; i++)
        s->value[i] = variables[s->variables[i]];
    evaluate(s);
    for (int32_t i = 0; i < s->n_functions; i++) {
        const switch_function *f = &s->functions[i];
        side[i] = is_active(s, f->guard) ? side_of(s, f) : (double)NAN;
        if (from)
            distance[i] = distance_of(s, f, from[i]);
    }
}

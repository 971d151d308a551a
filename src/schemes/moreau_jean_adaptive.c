// Moreau-Jean time stepping with its own choice of the step [Acary lectures 3.9; Haddouni 2015,
// 3.12].
//
// A step of length h is made once in one piece (x_1) and once in two halves (x_2), from the same
// state. Positions alone are compared:
//     e = |x_2 - x_1| / (2^p - 1)   (p = 0: 2 |x_2 - x_1|),   tol_i = tolerance + relative max(|x_0|, |x_2|)
//     error = max( norm_i e_i / tol_i,  penetration / tolerance )                          (eq. 129)
//     h_new = h min( growth, max( shrink, safety error^(-1/(p+1)) ) )
// error <= 1 accepts the halves, which are the better solution. Penetration is that which the
// halves add before their projection, or the gap at which they would hold a contact at rest:
// without it a motion that is integrated exactly (free flight)
// lets h grow until both solutions jump over an impact alike.
#include "schemes/moreau_jean_adaptive.h"

#include <float.h>
#include <math.h>

#include "schemes/moreau_jean.h"

// Options, behind those of Moreau-Jean.
enum {
    MJA_TOLERANCE = MJ_OPTION_COUNT,
    MJA_RELATIVE_TOLERANCE,
    MJA_ERROR_NORM,
    MJA_ERROR_ORDER,
    MJA_PENETRATION_CONTROL,
    MJA_SAFETY,
    MJA_SHRINK,
    MJA_GROWTH,
    MJA_FIRST_STEP,
    MJA_SMALLEST_STEP,
    MJA_LARGEST_STEP,
    MJA_OPTION_COUNT
};

static const char *const switches[] = {"off", "on", NULL};
enum { LARGEST, EUCLIDEAN };
static const char *const norms[] = {"largest", "euclidean", NULL};

static const pcs_option options[MJA_OPTION_COUNT] = {
    MJ_OPTION_ROWS,
    [MJA_TOLERANCE] = PCS_REAL_ROW("tolerance", 1e-4, 1e-14, 1e9,
                                   "error of the positions and penetration in a step, m or rad"),
    [MJA_RELATIVE_TOLERANCE] = PCS_REAL_ROW(
        "relative_tolerance", 0, 0, 1,
        "part of the size of a coordinate (not of a rotation) that is added to its tolerance"),
    [MJA_ERROR_NORM] = PCS_CHOICE_ROW("error_norm", LARGEST, EUCLIDEAN, norms,
                                      "of the errors of the coordinates: largest, or euclidean as "
                                      "in the event-driven scheme"),
    [MJA_ERROR_ORDER] = PCS_INTEGER_ROW("error_order", 1, 0, 2,
                                        "p, order of the scheme that the error estimate assumes"),
    [MJA_PENETRATION_CONTROL] = PCS_CHOICE_ROW(
        "penetration_control", 1, 1, switches,
        "off: the error estimate does not see penetration, which misses impacts"),
    [MJA_SAFETY] = PCS_REAL_ROW("safety", 0.9, 0.1, 1, "factor on the step that the error allows"),
    [MJA_SHRINK] = PCS_REAL_ROW("shrink", 0.1, 1e-3, 0.9,
                                "smallest ratio of a step to the one before"),
    [MJA_GROWTH] = PCS_REAL_ROW("growth", 5, 1, 100, "largest ratio of a step to the one before"),
    [MJA_FIRST_STEP] = PCS_REAL_ROW("first_step", 0, 0, 1e9,
                                    "length of the first try, s; 0: the time between outputs"),
    [MJA_SMALLEST_STEP] = PCS_REAL_ROW("smallest_step", 1e-9, 1e-15, 1e9,
                                       "a step of this length is accepted whatever its error, s"),
    [MJA_LARGEST_STEP] = PCS_REAL_ROW("largest_step", 1e9, 1e-15, 1e9, "longest step, s"),
};

enum {
    SPARE_FRICTION,
    SPARE_LOAD,
    SPARE_COUNT
}; // what a contact can lose without slipping, opening

enum { MEMORY_PROPOSED, MEMORY_COUNT }; // length that the next step should have; 0: none yet

typedef struct adaptive {
    moreau_jean mj;           // first, as its functions want it
    pcs_state before, coarse; // before the step at hand; after it in one piece
    double *difference;       // n_v
    double *held;             // by slot: speed that the contact has held back in the first half
    double *spare;            // by slot, SPARE_COUNT each: after the first half
} adaptive;

// Remainders below this part of a step belong to it: they are the rounding of the sum of the steps.
static const double TIME_ROUNDING = 1e-9;
// Largest part that a rejected step is cut to. With safety: 1 the error may ask for the same length
// again, to rounding, and would do so for ever.
static const double REJECTED_MAX = 0.9;
// Remainders below this part of the time are the rounding of the clock.
#define CLOCK_ROUNDING (16 * DBL_EPSILON)

static pcs_status init(pcs_scheme *scheme)
{
    adaptive *s = (adaptive *)scheme;
    PCS_TRY(pcs_moreau_jean_class.init(scheme));
    PCS_TRY(pcs_state_init(scheme->ctx, scheme->model, MEMORY_COUNT, &s->before));
    PCS_TRY(pcs_state_init(scheme->ctx, scheme->model, MEMORY_COUNT, &s->coarse));
    s->difference = PCS_NEW_ARRAY(scheme->ctx, double, scheme->model->n_v);
    s->spare = PCS_NEW_ARRAY(scheme->ctx, double, SPARE_COUNT *(int64_t)scheme->model->n_slots);
    s->held = PCS_NEW_ARRAY(scheme->ctx, double, scheme->model->n_slots);
    return s->difference && s->spare && s->held ? PCS_OK : PCS_ERROR_MEMORY;
}

static void destroy(pcs_scheme *scheme)
{
    adaptive *s = (adaptive *)scheme;
    pcs_moreau_jean_class.free(scheme);
    pcs_state_free(scheme->ctx, &s->before);
    pcs_state_free(scheme->ctx, &s->coarse);
    pcs_free(scheme->ctx, s->difference);
    pcs_free(scheme->ctx, s->spare);
    pcs_free(scheme->ctx, s->held);
}

static int64_t memory(const pcs_scheme *scheme)
{
    (void)scheme;
    return MEMORY_COUNT;
}

static pcs_status start(pcs_scheme *scheme, pcs_state *state, pcs_statistics *statistics)
{
    state->memory[MEMORY_PROPOSED] = 0;
    return pcs_moreau_jean_class.start(scheme, state, statistics);
}

// ---- The error ----

// Norm of e_i / tol_i. Rotations have no size: their tolerance is absolute.
static double position_error(adaptive *s, const pcs_state *fine)
{
    const pcs_model *m = s->mj.base.model;
    const double *option = s->mj.base.options;
    const double p = option[MJA_ERROR_ORDER], factor = p > 0 ? 1 / (exp2(p) - 1) : 2;
    double worst = 0, squares = 0;
    pcs_model_difference(m, fine->q, s->coarse.q, s->difference);
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v; ++j) {
            double size = 0;
            if (j < flat)
                size = fmax(fabs(s->before.q[node->q + j]), fabs(fine->q[node->q + j]));
            double error = factor * fabs(s->difference[node->v + j]) /
                           (option[MJA_TOLERANCE] + option[MJA_RELATIVE_TOLERANCE] * size);
            worst = fmax(worst, error);
            squares += error * error;
        }
    }
    if (!isfinite(squares)) // the maximum does not see a NaN
        return HUGE_VAL;
    return (int)option[MJA_ERROR_NORM] == EUCLIDEAN ? sqrt(squares) : worst;
}

// ---- Slips that turn ----

// Friction of a step opposes the velocity at its end, also where the slip turns round inside it. Both
// solutions do so alike if it turns in the first half, and the difference of their positions does not
// see it. With u the velocity along the tangent in the plane, w its mobility and s the sign of u_k,
// friction that goes on to oppose s would end the step with
//     u_s = u + w (-mu r_N s - r_T),
// and the slip is at zero after the part u_k / (u_k - u_s) of the step. Forces that friction can
// hold, |u - w r_T - u_k| <= mu r_N w, end it there; others push it back.
static double part_to_turn(const moreau_jean *mj, int32_t k)
{
    const int32_t at = mj->offset[k];
    const pcs_block_matrix *W = &mj->W;
    const double u_k = mj->u_k[at + 1], u = mj->u[at + 1], r_T = mj->r[at + 1];
    const double w = W->value[W->value_start[W->diagonal[k]] + 3], most = mj->mu[k] * mj->r[at];
    const double u_s = u + w * (copysign(most, -u_k) - r_T);
    const bool held = fabs(u - w * r_T - u_k) <= most * w;
    return u_k * u_s < 0 && !held ? u_k / (u_k - u_s) : 1;
}

// Whether the contact has slipped in the plane up to the step at hand, the way that it begins it. The
// velocity of one that sticks is zero to the error of a step only, and has no direction.
static bool slips(const moreau_jean *mj, const pcs_state *before, int32_t k)
{
    const int32_t slot = mj->active[k];
    const double u_k = mj->u_k[mj->offset[k] + 1];
    return mj->H[k]->size == 2 && (int)before->status[slot] == PCS_SLIP &&
           fabs(u_k) > mj->base.options[MJ_IMPACT_SPEED] && u_k * before->u[3 * slot + 1] > 0;
}

// The part of the step that has just been made after which the first slip turns; 1: none does. In
// space a slip turns round zero, not through it.
static double first_turn(const moreau_jean *mj, const pcs_state *before)
{
    const double rounding = 1e-3, end = 0.99; // parts of a step not worth one of their own
    double first = 1;
    if (mj->impacts || mj->W_contacts != mj->n_active)
        return 1;
    for (int32_t k = 0; k < mj->n_active; ++k) {
        if (!(mj->r[mj->offset[k]] > 0) || !slips(mj, before, k))
            continue;
        const double part = part_to_turn(mj, k);
        if (part > rounding && part < end)
            first = fmin(first, part);
    }
    return first;
}

// ---- Slips and openings that begin ----

// What a contact has to spare before it slips or opens, as an impulse of the half step that led to
// `state`; HUGE_VAL where it does not stick, is open or was struck.
static void find_spare(const adaptive *s, const pcs_state *state, int32_t slot, double spare[2])
{
    const double *r = state->r + 3 * slot, mu = s->mj.contacts[slot].law.friction;
    const int status = (int)state->status[slot];
    const bool closed = status != PCS_OPEN && (int)s->before.status[slot] != PCS_OPEN;
    spare[SPARE_FRICTION] = status == PCS_STICK && mu > 0 ? mu * r[0] - hypot(r[1], r[2])
                                                          : HUGE_VAL;
    spare[SPARE_LOAD] = closed && !s->mj.impacts ? r[0] : HUGE_VAL;
}

static void look_at_first_half(adaptive *s, const pcs_state *state, int32_t slot)
{
    double *spare = s->spare + SPARE_COUNT * slot;
    find_spare(s, state, slot, spare);
    s->held[slot] = spare[SPARE_LOAD] < HUGE_VAL
                        ? pcs_mj_resting_speed(&s->mj, &s->mj.contacts[slot])
                        : 0;
}

// Whether a contact, closed in the first half, opens in the second one with a speed whose error may
// count. Where the load passes zero at three quarters of the step, the second half leaves it at zero
// and both solutions agree; the speed that is missing is the eighth part of what the load of the
// first half holds back, `held`.
static bool opens_unseen(const adaptive *s, const pcs_state *state, int32_t slot)
{
    const double h = 2 * s->mj.h, missing = 0.125 * s->held[slot];
    return (int)state->status[slot] == PCS_OPEN && !s->mj.impacts &&
           missing * h > s->mj.base.options[MJA_TOLERANCE];
}

// The solver's error in an impulse of the step at hand: its tolerance is relative to the largest. A
// contact at the border of its cone has nothing to spare but that, and the change of it is none.
static double impulse_error(const moreau_jean *mj)
{
    double largest = 0;
    for (int32_t k = 0; k < mj->n_active; ++k)
        largest = fmax(largest, mj->r[mj->offset[k]]);
    return mj->base.options[MJ_SOLVER_TOLERANCE] * largest;
}

// The part of a step after which a contact that sticks, or is closed, in both halves begins to slip,
// or opens. The impulses of the halves are the forces at a quarter and at three quarters of the step;
// if they fall below the cone's, or below zero, from there to the end, no solution has seen it, and
// where nothing else moves steps are long.
static double first_loss(const adaptive *s, const pcs_state *state)
{
    const double end = 0.99; // a remainder not worth a step of its own
    const double noise = impulse_error(&s->mj);
    double first = 1;
    for (int32_t i = 0; i < s->mj.base.model->n_slots; ++i) {
        double spare[SPARE_COUNT];
        find_spare(s, state, i, spare);
        if (opens_unseen(s, state, i))
            first = fmin(first, 0.5);
        for (int k = 0; k < SPARE_COUNT; ++k) {
            const double m_1 = s->spare[SPARE_COUNT * i + k], m_2 = spare[k];
            if (m_1 == HUGE_VAL || m_2 == HUGE_VAL || !(m_2 > 0) || !(m_1 - m_2 > noise) ||
                !(m_2 < 0.5 * (m_1 - m_2)))
                continue;
            const double part = 0.75 + 0.5 * m_2 / (m_1 - m_2);
            if (part < end)
                first = fmin(first, part);
        }
    }
    return first;
}

// ---- A step ----

// Takes everything back to the state before the step at hand.
static void take_back(adaptive *s, pcs_state *state, int64_t events)
{
    pcs_state_copy(state, &s->before);
    pcs_event_log_rewind(&s->mj.base.events, events, state->status);
}

// One Moreau-Jean step; *done is false where a shorter step may help: a solve that did not converge
// and must not be accepted, or numbers that are not finite.
static pcs_status try_step(adaptive *s, pcs_state *state, double h, pcs_step_report *report,
                           bool *done)
{
    pcs_step_report part = {0};
    // The halves of a smallest step are not cut any more.
    s->mj.keep_gain = s->mj.keep_passage = h <= s->mj.base.options[MJA_SMALLEST_STEP] *
                                                    (1 + TIME_ROUNDING);
    pcs_status status = pcs_mj_step_once(&s->mj, state, h, &part);
    *done = status >= 0 && part.h > 0;
    if (status < 0 && status != PCS_ERROR_NUMERIC && status != PCS_ERROR_SINGULAR)
        return status;
    pcs_step_report_add(report, &part);
    return status;
}

// Both solutions over h; the halves end in `state`. *error is HUGE_VAL where one could not be
// found, or where a slip turns or begins or a contact opens: then *turn, 0 on entry, is the length up
// to there.
static pcs_status try_length(adaptive *s, pcs_state *state, double h, pcs_step_report *report,
                             double *error, double *turn)
{
    const double *option = s->mj.base.options;
    const int64_t events = s->mj.base.events.count;
    const pcs_problem_hook *hook = s->mj.base.problem_hook;
    pcs_step_report unused = {0};
    bool done;
    *error = HUGE_VAL;
    pcs_state_copy(&s->coarse, &s->before);
    s->mj.base.problem_hook = NULL; // the long step is no part of the motion
    pcs_status status = try_step(s, &s->coarse, h, &unused, &done);
    s->mj.base.problem_hook = hook;
    pcs_event_log_rewind(&s->mj.base.events, events, s->before.status);
    report->newton_iterations += unused.newton_iterations;
    report->solver_iterations += unused.solver_iterations;
    const double part = done && turn ? first_turn(&s->mj, &s->before) : 1;
    if (part * h > option[MJA_SMALLEST_STEP] && part < 1) {
        *turn = part * h;
        return status;
    }
    double violation = 0;
    pcs_status worst = PCS_OK;
    for (int half = 0; half < 2 && done; ++half) {
        status = try_step(s, state, 0.5 * h, report, &done);
        violation = fmax(violation, s->mj.violation);
        worst = status > worst ? status : worst;
        for (int32_t i = 0; half == 0 && done && i < s->mj.base.model->n_slots; ++i)
            look_at_first_half(s, state, i);
    }
    if (!done)
        return status;
    const double loss = turn ? first_loss(s, state) : 1;
    if (loss * h > option[MJA_SMALLEST_STEP] && loss < 1) {
        *turn = loss * h;
        return worst;
    }
    *error = position_error(s, state);
    if (option[MJA_PENETRATION_CONTROL] > 0)
        *error = fmax(*error, violation / option[MJA_TOLERANCE]);
    return worst;
}

static double next_length(const adaptive *s, double h, double error)
{
    const double *option = s->mj.base.options;
    double ratio = option[MJA_SAFETY] * pow(error, -1 / (option[MJA_ERROR_ORDER] + 1));
    ratio = fmin(option[MJA_GROWTH], fmax(option[MJA_SHRINK], ratio));
    return fmin(fmax(h * ratio, option[MJA_SMALLEST_STEP]), option[MJA_LARGEST_STEP]);
}

static pcs_status gave_up(const adaptive *s, pcs_status status, double h)
{
    if (status < 0)
        return status; // the message is there
    return pcs_error(s->mj.base.ctx, PCS_ERROR_NUMERIC,
                     "t = %g: the step did not converge even with the smallest length %g; raise "
                     "solver_tolerance or newton_tolerance, or set on_failure to accept",
                     *s->before.t, h);
}

// One accepted step of at most `rest`; the proposal for the next one is in the state's memory.
static pcs_status advance(adaptive *s, pcs_state *state, double rest, pcs_step_report *report)
{
    enum { TURNS_MAX = 5 }; // tries to meet where a slip turns or begins or a contact opens
    const double smallest = s->mj.base.options[MJA_SMALLEST_STEP];
    const double proposed = state->memory[MEMORY_PROPOSED];
    const int64_t events = s->mj.base.events.count;
    bool fitted = proposed >= rest * (1 - TIME_ROUNDING);
    double h = fitted ? rest : proposed;
    int turns = 0;
    pcs_state_copy(&s->before, state);
    for (;;) {
        pcs_step_report part = {0};
        double error, turn = 0;
        pcs_status status = try_length(s, state, h, &part, &error,
                                       turns < TURNS_MAX ? &turn : NULL);
        if (status < 0 && status != PCS_ERROR_NUMERIC && status != PCS_ERROR_SINGULAR)
            return status;
        const bool last_try = h <= smallest * (1 + TIME_ROUNDING);
        if (error <= 1 || (last_try && error < HUGE_VAL)) {
            double next = next_length(s, h, error);
            // A step cut to end at an output time or at a slip or an opening, with an error that
            // allows the largest growth, says nothing of longer ones.
            if (fitted && next >= s->mj.base.options[MJA_GROWTH] * h)
                next = fmax(next, proposed);
            state->memory[MEMORY_PROPOSED] = next;
            pcs_step_report_add(report, &part);
            ++report->accepted;
            report->error += error * s->mj.base.options[MJA_TOLERANCE];
            report->smallest_step = report->accepted == 1 ? h : fmin(report->smallest_step, h);
            return status;
        }
        take_back(s, state, events);
        if (last_try)
            return gave_up(s, status, h);
        ++report->rejected;
        report->newton_iterations += part.newton_iterations;
        report->solver_iterations += part.solver_iterations;
        fitted = turn > 0;
        turns += turn > 0;
        const double part_of = fmin(s->mj.base.options[MJA_SAFETY], REJECTED_MAX);
        h = turn > 0 ? turn : fmin(next_length(s, h, error), h * part_of);
        h = fmax(h, smallest);
    }
}

// The length that the next step should have: the last proposal, or that of the first try.
static double proposal(const pcs_scheme *scheme, const pcs_state *state, double rest)
{
    const double *option = scheme->options;
    double h = state->memory[MEMORY_PROPOSED];
    if (h == 0)
        h = option[MJA_FIRST_STEP] > 0 ? option[MJA_FIRST_STEP] : rest;
    return fmin(fmax(h, option[MJA_SMALLEST_STEP]), option[MJA_LARGEST_STEP]);
}

pcs_status pcs_mj_adaptive_advance(pcs_scheme *scheme, pcs_state *state, double rest,
                                   pcs_step_report *report)
{
    state->memory[MEMORY_PROPOSED] = proposal(scheme, state, rest);
    return advance((adaptive *)scheme, state, rest, report);
}

static pcs_status step(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report)
{
    const double end = *state->t + h;
    *report = (pcs_step_report){0};
    pcs_status worst = PCS_OK;
    double rest = h;
    do {
        pcs_status status = pcs_mj_adaptive_advance(scheme, state, rest, report);
        PCS_TRY(status);
        worst = status > worst ? status : worst;
        rest = end - *state->t;
        // *state->h is the last half step; less than the clock resolves cannot be stepped over.
    } while (rest > fmax(TIME_ROUNDING * *state->h, CLOCK_ROUNDING * fabs(end)));
    *state->t = end;
    report->h = h;
    return worst;
}

static const uint8_t *redundant_rows(const pcs_scheme *scheme)
{
    return pcs_moreau_jean_class.redundant_rows(scheme);
}

const pcs_scheme_class pcs_moreau_jean_adaptive_class = {
    .name = "moreau-jean-adaptive",
    .help = "Moreau-Jean time stepping with steps chosen by halving; the step given is that of the "
            "output",
    .options = options,
    .n_options = MJA_OPTION_COUNT,
    .size = sizeof(adaptive),
    .memory = memory,
    .init = init,
    .free = destroy,
    .start = start,
    .step = step,
    .redundant_rows = redundant_rows,
    .refined_by = PCS_REFINED_TOLERANCE,
    .fixed_refined_by = PCS_REFINED_TOLERANCE,
};

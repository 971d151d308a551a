// Steps through a smooth phase: step control, rejection, drift options, stiffness (march.h).
#include "schemes/march.h"

#include <float.h>
#include <string.h>

#include "schemes/extrapolation.h"

// Shortest step relative to the last one. With 1/5, as usual, the counts of steps of RKF45 and
// PHEM56 on the thesis' four-bar at the loosest tolerance are not those of its reproduction.
static const double SHRINK_MIN = 0.1;
// What a step is cut to when nothing is known about its error: equations that could not be solved,
// numbers that are not finite.
static const double UNSOLVED_SHRINK = 0.2;
// A step that the projection or the limit of the drift rejects is tried again with this part of it.
static const double DRIFT_SHRINK = 0.7;
// Largest part that a step of too large an error is cut to. With safety: 1 the error itself may ask for
// the same length again, to rounding, and would do so for ever.
static const double ERROR_SHRINK_MAX = 0.9;
// A step that would end this near to t_limit, relative to its length, is stretched to meet it.
static const double STRETCH = 1e-9;
// Steps at the limit of stability that make a phase stiff, and calm ones that make it forget
// [HairerWanner1996, IV.2].
enum { STIFF_STEPS = 15, CALM_STEPS = 6 };
// A step may turn a body by this much more than was expected at its start.
static const double TURN_SLACK = 1.25;

pcs_march_opts pcs_march_default(void)
{
    return (pcs_march_opts){
        .class = &pcs_integrator_phem56,
        .integrator = pcs_integrator_default(),
        .tolerance = 1e-8,
        .norm = PCS_NORM_EUCLIDEAN,
        .relative = 1,
        .smallest_step = 1e-12,
        .largest_step = HUGE_VAL,
        .safety = 0.9,
        .growth = 10,
        .drift_max = HUGE_VAL,
        .stabilisation = PCS_STABILISE_NONE,
        .projection_tolerance = 1e-12,
    };
}

static pcs_status check_opts(pcs_context *ctx, const pcs_march_opts *o)
{
    if (!o->class)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "no integrator is given");
    if (!(o->tolerance > 0) && !o->fixed)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "tolerance must be > 0, but is %g", o->tolerance);
    if (o->fixed && !(o->first_step > 0))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "fixed steps need a length > 0, but it is %g",
                         o->first_step);
    if (!(o->smallest_step >= 0 && o->smallest_step <= o->largest_step && o->largest_step > 0))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "0 <= smallest_step <= largest_step is needed, but they are %g and %g",
                         o->smallest_step, o->largest_step);
    if (!(o->safety > 0 && o->safety <= 1 && o->growth > 1))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "0 < safety <= 1 < growth is needed, but they are %g and %g", o->safety,
                         o->growth);
    const bool index_1 = o->stabilisation == PCS_STABILISE_BAUMGARTE ||
                         o->stabilisation == PCS_STABILISE_COMPENSATION ||
                         o->stabilisation == PCS_STABILISE_COMPENSATION_VELOCITY;
    if (index_1 && o->class->index != 1)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "Baumgarte's terms and compensation act on index 1, but '%s' has index "
                         "%d; take projection, or rk4, rkf45 or dopri5",
                         o->class->name, (int)o->class->index);
    if (o->stabilisation == PCS_STABILISE_GGL && !(o->class->implicit && o->class->index == 2))
        return pcs_error(
            ctx, PCS_ERROR_ARGUMENT,
            "stabilisation: ggl is of the integrator alpha2, and '%s' is at work; take "
            "integrator: alpha2, or stabilisation: projection",
            o->class->name);
    return PCS_OK;
}

static pcs_status init(pcs_march *m)
{
    pcs_context *ctx = m->ctx;
    const pcs_march_opts *o = &m->opts;
    PCS_TRY(pcs_smooth_create(ctx, m->model, &m->smooth));
    if (!o->fixed)
        PCS_TRY(pcs_time_resolution_create(ctx, m->model, &m->resolution));
    PCS_TRY(pcs_integrator_create(o->class, &o->integrator, ctx, m->model, m->smooth, &m->own));
    m->integrator = m->own;
    PCS_TRY(pcs_singular_find_loops(ctx, m->model, &m->has_loops));
    if (m->has_loops && o->class != &pcs_integrator_phem56 &&
        (!o->class->implicit || m->model->meshes.count == 0))
        PCS_TRY(pcs_integrator_create(&pcs_integrator_phem56, &o->integrator, ctx, m->model,
                                      m->smooth, &m->crossing));
    // It is explicit in all but friction: not for meshes.
    if (m->model->dimension == 3 && m->model->n_slots > 0 && m->model->meshes.count == 0 &&
        !o->fixed)
        PCS_TRY(pcs_integrator_create(&pcs_integrator_extrapolation, &o->integrator, ctx, m->model,
                                      m->smooth, &m->turning));
    PCS_TRY(pcs_smooth_point_init(ctx, m->model, &m->from));
    PCS_TRY(pcs_smooth_point_init(ctx, m->model, &m->to));
    PCS_TRY(pcs_smooth_point_init(ctx, m->model, &m->inner));
    PCS_TRY(pcs_phase_init(ctx, m->model, &m->phase));
    const int32_t rows = pcs_smooth_rows_max(m->model);
    m->g = PCS_NEW_ARRAY(ctx, double, rows);
    m->g_rate = PCS_NEW_ARRAY(ctx, double, rows);
    m->extra = PCS_NEW_ARRAY(ctx, double, m->model->n_v);
    if (!m->g || !m->g_rate || !m->extra)
        return PCS_ERROR_MEMORY;
    if (o->stabilisation == PCS_STABILISE_BAUMGARTE)
        pcs_smooth_set_baumgarte(m->smooth, o->baumgarte);
    if (o->stabilisation == PCS_STABILISE_COMPENSATION)
        pcs_smooth_set_compensation(m->smooth, PCS_COMPENSATE_ALL);
    if (o->stabilisation == PCS_STABILISE_COMPENSATION_VELOCITY)
        pcs_smooth_set_compensation(m->smooth, PCS_COMPENSATE_VELOCITY);
    return PCS_OK;
}

pcs_status pcs_march_create(pcs_context *ctx, const pcs_model *model, const pcs_march_opts *opts,
                            pcs_march **out)
{
    *out = NULL;
    PCS_TRY(check_opts(ctx, opts));
    pcs_march *m = PCS_NEW(ctx, pcs_march);
    if (!m)
        return PCS_ERROR_MEMORY;
    m->ctx = ctx;
    m->model = model;
    m->opts = *opts;
    m->opts.integrator.ggl = opts->stabilisation == PCS_STABILISE_GGL || opts->integrator.ggl;
    const pcs_status status = init(m);
    if (status < 0) {
        pcs_march_destroy(m);
        return status;
    }
    *out = m;
    return PCS_OK;
}

void pcs_march_destroy(pcs_march *m)
{
    if (!m)
        return;
    pcs_context *ctx = m->ctx;
    pcs_integrator_destroy(m->own);
    pcs_integrator_destroy(m->crossing);
    pcs_integrator_destroy(m->turning);
    pcs_time_resolution_destroy(m->resolution);
    pcs_smooth_destroy(m->smooth);
    pcs_smooth_point_free(ctx, &m->from);
    pcs_smooth_point_free(ctx, &m->to);
    pcs_smooth_point_free(ctx, &m->inner);
    pcs_phase_free(ctx, &m->phase);
    pcs_free(ctx, m->g);
    pcs_free(ctx, m->g_rate);
    pcs_free(ctx, m->extra);
    pcs_free(ctx, m);
}

// ---- Beginning ----

// A first step whose error is about a hundredth of the tolerance if all derivatives are as large as
// (v, a): h^(p+1) |(v, a)| = tolerance / 100 [HairerNorsettWanner1993, II.4].
static double choose_step(const pcs_march *m)
{
    const pcs_march_opts *o = &m->opts;
    const double without_motion = 1e-3; // s; the controller lets it grow
    double h = o->first_step, square = 0;
    for (int32_t i = 0; i < m->model->n_v; ++i)
        square += m->to.v[i] * m->to.v[i] + m->to.a[i] * m->to.a[i];
    if (!(h > 0))
        h = square > 0 ? pow(0.01 * o->tolerance / sqrt(square), 1.0 / (o->class->order + 1))
                       : without_motion;
    return fmin(fmax(h, o->smallest_step), o->largest_step);
}

pcs_status pcs_march_begin(pcs_march *m, const pcs_phase *phase, double t, const double *q,
                           const double *v, bool keep_step)
{
    const pcs_model *model = m->model;
    PCS_TRY(pcs_smooth_set_phase(m->smooth, phase));
    if (memcmp(m->phase.mode, phase->mode, (size_t)model->n_slots) != 0)
        m->counts.position = (pcs_singular){0}; // of other rows
    pcs_phase_copy(model, &m->phase, phase);
    m->integrator = m->own;
    m->counts.least_pivot = 1;
    m->to.t = t;
    if (q != m->to.q)
        memcpy(m->to.q, q, sizeof(double) * (size_t)model->n_q);
    if (v != m->to.v)
        memcpy(m->to.v, v, sizeof(double) * (size_t)model->n_v);
    m->integrator = m->own;
    PCS_TRY(m->integrator->class->start(m->integrator, &m->to));
    pcs_singular_begin(&m->counts.position, pcs_smooth_pivot(m->smooth));
    pcs_smooth_point_copy(model, &m->from, &m->to);
    m->h = m->whole = 0;
    if (!keep_step || !(m->h_next > 0))
        m->h_next = choose_step(m);
    return PCS_OK;
}

// ---- One step ----

// Accelerations and multipliers of a point whose q or v has changed; the memory of a method goes on.
static pcs_status start_again(pcs_march *m, pcs_smooth_point *point)
{
    const size_t bytes = sizeof(double) * (size_t)m->model->n_v;
    memcpy(m->extra, point->extra, bytes);
    PCS_TRY(m->integrator->class->start(m->integrator, point));
    memcpy(point->extra, m->extra, bytes);
    return PCS_OK;
}

static bool is_near(const pcs_march *m, double pivot)
{
    return m->has_loops && pcs_singular_is_near(&m->counts.position, pivot);
}

static pcs_status project(pcs_march *m, pcs_smooth_point *point)
{
    pcs_smooth_project_to_rounding(m->smooth, is_near(m, pcs_smooth_least_pivot(m->smooth)));
    const pcs_status status = pcs_smooth_project(m->smooth, point->t, point->q, point->v,
                                                 m->opts.projection_tolerance, true, true);
    pcs_smooth_project_to_rounding(m->smooth, false);
    return status == PCS_OK ? start_again(m, point) : status;
}

// Projection of the end of a step, if the options or a singular position ask for it.
static pcs_status stabilise(pcs_march *m)
{
    const pcs_stabilisation chosen = m->opts.stabilisation;
    return chosen == PCS_STABILISE_PROJECTION ||
                   (chosen == PCS_STABILISE_AUTO && m->counts.singular > 0)
               ? project(m, &m->to)
               : PCS_OK;
}

typedef enum verdict {
    ACCEPTED,
    TOO_INACCURATE, // by the estimate
    UNSOLVED,       // by the equations: too long, or not finite
    DRIFTED,        // by the drift or its projection
    TURNED,         // by the rotation of a body
    PARTED          // by velocities that have left their branch in a singular position
} verdict;

// ---- Singular positions ----
//
// Where rows of joints become dependent, branches of the motion cross: with x and y the ways along
// both, the constraint is g = x y + ... A drift of g = e makes a hyperbola of the crossing, which
// leads from one branch to the other within sqrt(e). So the constraints must hold far better than
// the square of the distance, which the smallest pivot tells: from the first position with a pivot
// below a limit on they are projected, beginning with the start of the step that came near. The
// index-1 equation divides the errors of its stages, which lie O(h^2) beside the constraints, by
// the distance and loses its order whatever the step; half-explicit stages, which use velocities
// alone, do not. Near a singular position an index-1 method is replaced by PHEM56, and any other one
// whose step over it has no solution or is inaccurate: an index-3 method divides the rounding of
// positions by h^2 and by the distance, and HEM5, whose stages leave the constraints, as index 1 does.

// A step that would end within this part of its length of the singular position ends before it
// instead, so that the next one has it at CROSSING_PLACE: accelerations in the position itself have
// no digits, the projection does not converge there, and a method that has ended there takes ever
// shorter steps. No stage of HEM5 and PHEM56 is near that place.
static const double LANDING_PART = 0.35;
static const double CROSSING_PLACE = 0.6;
static const double PLANNED_LEAST = 0.1; // of the length

// The length h, or a shorter one that leaves the singular position ahead to the next step.
static double plan(const pcs_march *m, double h)
{
    const double time = pcs_singular_time(&m->counts.position);
    if (!m->has_loops || m->opts.fixed || fabs(h - time) >= LANDING_PART * h)
        return h;
    return fmax(time - CROSSING_PLACE * h, PLANNED_LEAST * h);
}

static void note_singular(pcs_march *m)
{
    m->counts.singular = 1;
    m->counts.singular_time = m->from.t;
    pcs_log(m->ctx, PCS_LOG_WARNING,
            "t = %g: the mechanism comes to a singular position, where joints depend on each other "
            "and a small disturbance decides how it goes on%s%s",
            m->from.t,
            m->opts.stabilisation == PCS_STABILISE_AUTO
                ? "; joints are projected after every step from here on"
                : "",
            m->own->class->index == 1 ? "; steps through such positions are those of phem56" : "");
}

static pcs_status use_integrator(pcs_march *m, pcs_integrator *integrator)
{
    if (m->integrator == integrator)
        return PCS_OK;
    m->integrator = integrator;
    if (integrator->class->index == 3) // whose first step would make up for all that they are off
        PCS_TRY(pcs_smooth_project(m->smooth, m->from.t, m->from.q, m->from.v,
                                   m->opts.projection_tolerance, true, true));
    return start_again(m, &m->from);
}

// Where constraints hold to e, the direction of a row at the distance x from a singular position is
// known to e/x^2 and a position to e/x: an error below is no reason for a shorter step, which would
// end nearer, nor for a shorter one after it.
static double known_error(const pcs_march *m)
{
    return m->opts.projection_tolerance / sqrt(m->counts.least_pivot / m->counts.position.widest);
}

// After a trial of a step, whatever came of it: whether it must be tried again because it came near
// a singular position and was not prepared for that. At most three times for a step.
static pcs_status approach(pcs_march *m, double h, verdict outcome, double error, bool *again)
{
    *again = false;
    m->counts.least_pivot = pcs_smooth_least_pivot(m->smooth);
    if (!is_near(m, m->counts.least_pivot))
        return PCS_OK;
    if (m->counts.singular == 0) {
        note_singular(m);
        *again = m->opts.stabilisation == PCS_STABILISE_AUTO;
        if (*again) {
            const pcs_status status = project(m, &m->from);
            PCS_TRY(status); // without convergence the point stays as it is
        }
    }
    const double known = known_error(m);
    // An inaccurate step over the position must not become one that ends nearer to it.
    const bool over = outcome == TOO_INACCURATE && error > known &&
                      pcs_singular_time(&m->counts.position) < h;
    const bool other = m->crossing && m->integrator != m->crossing;
    const bool failed = outcome == UNSOLVED || outcome == DRIFTED || outcome == PARTED || over;
    if (other && (m->own->class->index == 1 || failed)) {
        *again = true;
        return use_integrator(m, m->crossing);
    }
    if (outcome == TOO_INACCURATE && m->allowed == 0 && error <= known) {
        m->allowed = known;
        *again = true;
    }
    return PCS_OK;
}

static double largest(int32_t n, const double *x)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        if (!(fabs(x[i]) <= most)) // NaN counts as largest
            most = fabs(x[i]);
    return most;
}

// Largest errors of the constraints at the end of the step.
static void measure_drift(pcs_march *m, double *position, double *velocity)
{
    const int32_t rows = pcs_smooth_row_count(m->smooth);
    pcs_smooth_drift(m->smooth, m->to.t, m->to.q, m->to.v, m->g, m->g_rate);
    *position = largest(rows, m->g);
    *velocity = largest(rows, m->g_rate);
}

// Largest angular velocity of a rigid body in space. Its local coordinates over a step, the rotation
// vector from the start, are singular at a whole turn, and its turns are counted (model/turns.c)
// where a step turns it by less: steps of all kinds are no longer than PCS_TURN_MOST / |Omega|.
static double turn_speed(const pcs_march *m, const double *v)
{
    double square = 0;
    for (int32_t k = 0; k < m->model->bodies.count; ++k) {
        const pcs_node *node = pcs_model_node(m->model, m->model->bodies.data[k].node);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        const pcs_vec3 omega = pcs_v3_load(v + node->v + 3);
        square = fmax(square, pcs_v3_dot(omega, omega));
    }
    return sqrt(square);
}

// Rotation in a step of length h, from the mean of the speeds at its ends.
static double step_turn(const pcs_march *m, double h)
{
    return 0.5 * h * (turn_speed(m, m->from.v) + turn_speed(m, m->to.v));
}

static pcs_error_norm make_norm(const pcs_march *m, bool estimate)
{
    const pcs_march_opts *o = &m->opts;
    return (pcs_error_norm){.model = m->model,
                            .kind = o->norm,
                            .absolute = o->fixed ? 1 : o->tolerance,
                            .relative = o->fixed ? o->relative : o->relative * o->tolerance,
                            .q = m->from.q,
                            .v = m->from.v,
                            .limit = estimate && !o->fixed ? fmax(o->tolerance, m->allowed)
                                                           : HUGE_VAL,
                            .off = o->fixed};
}

// Whether velocities jump in a step near a singular position. On a branch they change by what the
// accelerations at both ends make of them, v_1 - v_0 = h (a_0 + a_1)/2 + O(h^3); on the way to another
// branch those of the bodies that part change by as much as they are, however long the step.
static bool has_parted(const pcs_march *m, double h)
{
    const double part =
        0.25; // of the largest velocity; (h omega)^3/12 of a long step is a tenth of it
    const int32_t n = m->model->n_v;
    double jump = 0;
    if (!is_near(m, pcs_smooth_least_pivot(m->smooth)))
        return false;
    for (int32_t i = 0; i < n; ++i)
        jump = fmax(jump, fabs(m->to.v[i] - m->from.v[i] - 0.5 * h * (m->from.a[i] + m->to.a[i])));
    return jump > part * (fmax(largest(n, m->from.v), largest(n, m->to.v)) +
                          h * fmax(largest(n, m->from.a), largest(n, m->to.a)));
}

// Tries h from `from`; fills `to` and the error. Errors of the equations are returned only with
// fixed steps; a shorter step may do without them.
static pcs_status try_step(pcs_march *m, double h, double t_end, verdict *outcome, double *error)
{
    const pcs_error_norm norm = make_norm(m, true);
    pcs_status status = m->integrator->class->step(m->integrator, &m->from, h, &norm, &m->to,
                                                   error);
    *outcome = UNSOLVED;
    if (status == PCS_NOT_CONVERGED)
        return PCS_OK;
    PCS_TRY(status);
    *outcome = TOO_INACCURATE;
    if (!(*error <= norm.limit))
        return PCS_OK;
    *outcome = TURNED;
    if (step_turn(m, h) > TURN_SLACK * PCS_TURN_MOST)
        return PCS_OK;
    m->to.t = t_end;
    *outcome = DRIFTED;
    status = stabilise(m);
    if (status != PCS_OK)
        return status < 0 ? status : PCS_OK;
    *outcome = PARTED;
    if (has_parted(m, h))
        return PCS_OK;
    *outcome = DRIFTED;
    double position, velocity;
    measure_drift(m, &position, &velocity);
    if (m->opts.drift_max < HUGE_VAL && !(fmax(position, velocity) <= m->opts.drift_max))
        return PCS_OK;
    *outcome = ACCEPTED;
    m->counts.drift = fmax(m->counts.drift, position);
    m->counts.velocity_drift = fmax(m->counts.velocity_drift, velocity);
    return PCS_OK;
}

// Factor for the next length from the estimated error, not yet within its bounds.
static double control(const pcs_march *m, double error)
{
    const pcs_march_opts *o = &m->opts;
    if (!(error > 0))
        return o->growth;
    return o->safety * pow(o->tolerance / error, 1.0 / m->integrator->class->control_order);
}

static void count_stiffness(pcs_march *m)
{
    if (m->integrator->stiffness > 1 && !m->turn_limits) {
        m->calm_steps = 0;
        if (++m->stiff_steps == STIFF_STEPS && !m->counts.stiff) {
            m->counts.stiff = true;
            m->counts.stiff_time = m->to.t;
        }
    } else if (++m->calm_steps == CALM_STEPS) {
        m->stiff_steps = 0;
    }
}

static void accept(pcs_march *m, double h, double error)
{
    const bool passed = pcs_singular_step(&m->counts.position, h, pcs_smooth_pivot(m->smooth));
    if (m->has_loops && (passed || is_near(m, m->counts.least_pivot))) {
        if (m->counts.singular == 0)
            note_singular(m);
        ++m->counts.singular;
    }
    m->h = h;
    m->whole = 0;
    m->counts.smallest = m->counts.accepted == 0 ? h : fmin(m->counts.smallest, h);
    m->counts.sum += h;
    m->counts.error += error;
    ++m->counts.accepted;
    count_stiffness(m);
}

static pcs_status too_short(const pcs_march *m, double h, verdict outcome, double error,
                            pcs_status status)
{
    const pcs_march_opts *o = &m->opts;
    const double t = m->from.t;
    if (o->fixed && !o->class->implicit) // what an unstable step breaks first says little
        return pcs_error(m->ctx, PCS_ERROR_NUMERIC,
                         "t = %g: a step of %g s of %s gives nothing usable; it is too long for an "
                         "explicit method if the model is stiff: take integrator: alpha2, or a "
                         "smaller step, and check the forces and joints",
                         t, h, o->class->name);
    if (outcome == PARTED || is_near(m, m->counts.least_pivot))
        return pcs_error(m->ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the mechanism is in a singular position, where joints depend on "
                         "each other; steps of %s as short as the tolerance %g asks for do not "
                         "tell the branch on which it goes on (down to %g s); loosen the "
                         "tolerance, or take another integrator or scheme: moreau-jean",
                         t, m->integrator->class->name, o->tolerance, h);
    if (outcome == UNSOLVED && status < 0)
        return pcs_error_prefix(m->ctx, status, "%s with a step of %g s", o->class->name, h);
    if (outcome == UNSOLVED)
        return pcs_error(m->ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the equations of %s do not converge even with a step of %g s; "
                         "check the forces, or lower smallest_step (%g)",
                         t, o->class->name, h, o->smallest_step);
    if (outcome == DRIFTED && !(o->drift_max < HUGE_VAL))
        return pcs_error(m->ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the projection on the joints does not reach "
                         "projection_tolerance = %g even with a step of %g s; raise it, or check "
                         "for joints that contradict each other",
                         t, o->projection_tolerance, h);
    if (outcome == DRIFTED)
        return pcs_error(m->ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the joints are open by more than drift_max = %g whatever the "
                         "step; take projection, a smaller tolerance or a larger drift_max",
                         t, o->drift_max);
    if (outcome == TOO_INACCURATE && m->has_loops && o->class->index == 3)
        return pcs_error(
            m->ctx, PCS_ERROR_NUMERIC,
            "t = %g: the error of a step of %g s is %.3g, above the tolerance %g: it is "
            "the rounding of joints as positions, divided by the distance to a "
            "singular position, where joints depend on each other (%.2g of the "
            "largest seen); loosen the tolerance, or take alpha2 or phem56",
            t, h, error, o->tolerance, m->counts.position.distance);
    return pcs_error(m->ctx, PCS_ERROR_NUMERIC,
                     "t = %g: the error of a step of %g s is %.3g, above the tolerance %g, and "
                     "smallest_step = %g allows no shorter one; loosen the tolerance, declare a "
                     "jump of a force as an event, or take alpha2 for a stiff model",
                     t, h, error, o->tolerance, o->smallest_step);
}

static void swap_points(pcs_march *m)
{
    const pcs_smooth_point point = m->from;
    m->from = m->to;
    m->to = point;
}

// A step of length h that is rejected gets shorter; false when no shorter one is allowed.
static bool shorten(const pcs_march *m, verdict outcome, double error, double *h)
{
    double factor = outcome == DRIFTED ? DRIFT_SHRINK : UNSOLVED_SHRINK;
    if (outcome == TOO_INACCURATE && isfinite(error))
        factor = fmin(fmax(control(m, error), SHRINK_MIN), fmin(m->opts.safety, ERROR_SHRINK_MAX));
    if (outcome == TURNED)
        factor = PCS_TURN_MOST / step_turn(m, *h);
    if ((m->opts.fixed && outcome != TURNED) || *h <= m->opts.smallest_step)
        return false;
    *h = fmax(*h * factor, m->opts.smallest_step);
    return true;
}

// Velocities follow the direction of slow friction in space at the rate s w (friction_turns.h), which
// is without bound where a slip begins or ends. An explicit method whose steps are not short against
// 1/(s w) is held to that length, or sees nothing of it where its estimate looks at positions alone.
// Generalized-alpha follows it, but where a slip begins all of its velocity is a defect of the
// predictor, and Newton's method goes round and round its direction.
static const double LONGEST_EXPLICIT = 0.2, LONGEST_IMPLICIT = 1e3;

static pcs_status choose_integrator(pcs_march *m, double h)
{
    if (m->crossing && is_near(m, m->counts.least_pivot) &&
        (m->own->class->index == 1 || m->integrator == m->crossing))
        return use_integrator(m, m->crossing);
    const double longest = m->own->class->implicit ? LONGEST_IMPLICIT : LONGEST_EXPLICIT;
    double rate = 0;
    if (m->turning)
        PCS_TRY(pcs_extrapolation_turn_rate(m->turning, &m->from, &rate));
    return use_integrator(m, rate * h > longest ? m->turning : m->own);
}

// The length h, or a shorter one that resolves forces of time (time_resolution.h). Closed contacts
// hold forces that the estimate does not see; without them it is blind where it has seen nothing so
// far: at the beginning of a phase, and where it allows the largest growth.
static double resolve(const pcs_march *m, double h)
{
    bool blind = !(h < m->opts.growth * (1 - STRETCH) * m->h);
    for (int32_t i = 0; i < m->model->n_slots && !blind; ++i)
        blind = m->phase.mode[i] != PCS_MODE_OPEN;
    if (!m->resolution || !blind)
        return h;
    const int32_t degree = m->opts.class->implicit ? 1 : 3; // of the forces of dense output
    return pcs_time_resolution_length(m->resolution, m->smooth, &m->from, h,
                                      fmax(m->opts.smallest_step, STRETCH * h), degree);
}

pcs_status pcs_march_step(pcs_march *m, double t_limit)
{
    const pcs_march_opts *o = &m->opts;
    if (!(t_limit > m->to.t))
        return pcs_error(m->ctx, PCS_ERROR_ARGUMENT, "a step from t = %g cannot end at t = %g",
                         m->to.t, t_limit);
    PCS_TRY(pcs_context_go_on(m->ctx));
    swap_points(m);
    const double remaining = t_limit - m->from.t;
    const double turn = PCS_TURN_MOST / fmax(turn_speed(m, m->from.v), DBL_MIN);
    const double wanted = fmin(turn, o->fixed ? o->first_step : fmin(m->h_next, o->largest_step));
    m->turn_limits = wanted == turn;
    bool limited = wanted * (1 + STRETCH) >= remaining;
    double h = limited ? remaining : wanted;
    const double planned = plan(m, resolve(m, h));
    m->allowed = m->h_failed = 0;
    limited = limited && planned == h;
    h = planned;
    PCS_TRY(choose_integrator(m, wanted));
    for (;;) {
        verdict outcome;
        double error = 0;
        const double t_end = limited ? t_limit : m->from.t + h;
        pcs_smooth_reset_pivot(m->smooth);
        const pcs_status status = try_step(m, h, t_end, &outcome, &error);
        bool again;
        const pcs_status approached = approach(m, h, outcome, error, &again);
        if (again && approached >= 0)
            continue;
        if (outcome == ACCEPTED && approached >= 0) {
            double factor = control(m, error);
            if (is_near(m, m->counts.least_pivot) && error <= known_error(m))
                factor = fmax(factor, 1);
            accept(m, h, error);
            m->h_next = h * fmin(fmax(factor, SHRINK_MIN), o->growth);
            // The limit or the plan made it short, not the error. The plan is for a step of the
            // length wanted: short ones would go on towards the singular position.
            if (h == planned && ((limited && factor >= o->growth) || planned < wanted))
                m->h_next = fmax(m->h_next, wanted);
            m->h_next = fmin(fmax(m->h_next, o->smallest_step), o->largest_step);
            return PCS_OK;
        }
        const bool hopeless = status < 0 && status != PCS_ERROR_NUMERIC &&
                              status != PCS_ERROR_SINGULAR;
        ++m->counts.rejected;
        const pcs_status stop = approached < 0 ? approached : pcs_context_go_on(m->ctx);
        if (stop < 0 || hopeless || !shorten(m, outcome, error, &h)) {
            swap_points(m);
            m->from.t = m->to.t; // no step to look into
            m->h = 0;
            if (stop >= 0 && !hopeless && (outcome == TOO_INACCURATE || outcome == UNSOLVED))
                m->h_failed = h;
            return stop < 0 ? stop : hopeless ? status : too_short(m, h, outcome, error, status);
        }
        limited = false;
    }
}

bool pcs_march_lands(const pcs_march *m)
{
    const double part = 1e-6; // of the largest pivot: 0.001 rad
    return m->has_loops && pcs_smooth_pivot(m->smooth) < part * m->counts.position.widest;
}

pcs_status pcs_march_dense(pcs_march *m, double t, pcs_smooth_point *out)
{
    const double length = m->to.t - m->from.t;
    if (!(m->h > 0) || !(length > 0) || t >= m->to.t) {
        pcs_smooth_point_copy(m->model, out, &m->to);
        return PCS_OK;
    }
    const pcs_status status = m->integrator->class->dense(
        m->integrator, fmax(t - m->from.t, 0) / (m->whole > 0 ? m->whole : length), out);
    out->t = t;
    return status;
}

// A step of length h from `from` to t, nothing estimated or counted.
static pcs_status repeat(pcs_march *m, double h, double t)
{
    const pcs_error_norm norm = make_norm(m, false);
    double error;
    pcs_smooth_reset_pivot(m->smooth);
    const pcs_status status = m->integrator->class->step(m->integrator, &m->from, h, &norm, &m->to,
                                                         &error);
    if (status != PCS_OK) // `to` is still the end of the longer step
        return status;
    m->to.t = t;
    const pcs_status stable = stabilise(m);
    PCS_TRY(stable);
    return PCS_OK;
}

// Work between the start of the step and its instant t, from the powers at the three points of
// Gauss.
static pcs_status add_inner_work(pcs_march *m, double t, double *work)
{
    static const double place[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const double h = t - m->from.t;
    double power[PCS_WORK_COUNT];
    for (int k = 0; k < 3; ++k) {
        pcs_smooth_point *at = &m->inner;
        PCS_TRY(pcs_march_dense(m, m->from.t + place[k] * h, at));
        PCS_TRY(pcs_smooth_accelerations(m->smooth, at->t, at->q, at->v, at->a, at->lambda, power));
        for (int32_t i = 0; i < PCS_WORK_COUNT; ++i)
            work[i] += h * weight[k] * power[i];
    }
    return PCS_OK;
}

// The end of the last step moves to its instant t; the memory of a method is linear in between.
static pcs_status end_inside(pcs_march *m, double t)
{
    const double part = (t - m->from.t) / m->h; // of the step as it was computed, or cut before
    const pcs_dense_use use = m->integrator->dense_use;
    double work[PCS_WORK_COUNT];
    memcpy(work, m->from.work, sizeof work);
    if (!(m->whole > 0))
        m->whole = m->h;
    m->integrator->dense_use = PCS_DENSE_STATE;
    pcs_status status = add_inner_work(m, t, work);
    if (status >= 0)
        status = pcs_march_dense(m, t, &m->inner);
    m->integrator->dense_use = use;
    PCS_TRY(status);
    for (int32_t i = 0; i < m->model->n_v; ++i)
        m->inner.extra[i] = m->from.extra[i] + part * (m->to.extra[i] - m->from.extra[i]);
    memcpy(m->inner.work, work, sizeof work);
    pcs_smooth_point_copy(m->model, &m->to, &m->inner);
    m->h = t - m->from.t;
    return PCS_OK;
}

static pcs_status cut(pcs_march *m, double t, bool dense)
{
    if (t >= m->to.t)
        return PCS_OK;
    m->counts.sum -= m->to.t - t;
    if (!(t > m->from.t)) {
        pcs_smooth_point_copy(m->model, &m->to, &m->from);
        m->h = 0;
        return PCS_OK;
    }
    if (!dense) {
        const pcs_status status = repeat(m, t - m->from.t, t);
        PCS_TRY(status);
        if (status == PCS_OK) {
            m->h = t - m->from.t;
            m->whole = 0;
        }
        dense = status != PCS_OK;
    }
    return dense ? end_inside(m, t) : PCS_OK;
}

pcs_status pcs_march_cut(pcs_march *m, double t)
{
    return cut(m, t, false);
}

pcs_status pcs_march_cut_dense(pcs_march *m, double t)
{
    return cut(m, t, true);
}

// ---- Memory of a run (march_memory.c) ----

void pcs_march_save(const pcs_march *m, double *memory)
{
    pcs_march copy = *m; // the arrays are shared; nothing of them is written
    pcs_march_exchange(&copy, memory, true);
}

pcs_status pcs_march_load(pcs_march *m, const pcs_phase *phase, const double *memory)
{
    PCS_TRY(pcs_smooth_set_phase(m->smooth, phase));
    pcs_phase_copy(m->model, &m->phase, phase);
    pcs_march_exchange(m, (double *)memory, false); // read only
    const double t = m->to.t, h = m->h;
    // The rows that are redundant are found again, and the method knows the start of its step.
    pcs_smooth_point_copy(m->model, &m->to, &m->from);
    PCS_TRY(m->integrator->class->start(m->integrator, &m->to));
    pcs_smooth_point_copy(m->model, &m->to, &m->from);
    m->to.t = m->from.t;
    if (!(t > m->from.t))
        return PCS_OK;
    const double next = m->h_next, whole = m->whole;
    const bool dense = m->integrator->dense_ready;
    m->h = whole > 0 ? whole : h; // t - from.t is not h to the last bit
    m->integrator->resumed = true;
    pcs_status status = repeat(m, m->h, whole > 0 ? m->from.t + whole : t);
    m->integrator->resumed = false;
    if (whole > 0 && status == PCS_OK)
        status = end_inside(m, t);
    m->h = h;
    m->h_next = next;
    if (status == PCS_OK && dense) // the first run has evaluated its stages, and counted them
        status = pcs_march_dense(m, m->from.t, &m->inner);
    return status;
}

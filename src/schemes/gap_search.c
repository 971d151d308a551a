// Safe times of a gap along a motion, and the search for its first closing (gap_search.h).
//
// With the hull of the relative velocity c_j and acceleration b_j of the two nodes, angular
// velocities w and accelerations alpha, arms r and a direction n:
//     L = max_j (-n.c_j) + w_a r_a + w_b r_b
//     A = max_j (-n.b_j) + (alpha_a + w_a^2) r_a + (alpha_b + w_b^2) r_b
// where n turns with a, r_a reaches to the point of b, 2 w_a |velocity| (Coriolis) comes to A, and to
// both what n turns by, w_a h, times the largest |c_j| or |b_j|.
// Inside a circle: gap(t + x) >= gap + |d| - |d + d' x| - A x^2/2 with A of all directions, concave
// too. A rim of radius r, tilted by the angle whose sine is s, has its lowest point elsewhere after
// x: of all its points the lowest is not below gap + gap' x - (A + w^2 r/s) x^2/2.
#include "schemes/gap_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/contact_kind.h"
#include "schemes/gap_terms.h"

// Instants that one call looks at, at most. A bound that is too weak for the motion at hand then
// ends the cutting: what is left is taken to be open if it is so at its ends.
enum { LOOKS_MAX = 20000 };
// Parts that wait while an earlier one is cut.
enum { PARTS_MAX = 96 };
// Estimated changes of rows are believed to be right up to this factor.
static const double ESTIMATE_FACTOR = 2;

// ---- Slots ----

static double norm2(double x, double y)
{
    return sqrt(x * x + y * y);
}

static void describe_pair(const pcs_model *model, int32_t index, pcs_gap_slot *slots)
{
    const pcs_contact_pair *pair = &model->contact_pairs.data[index];
    const pcs_vec3 size = pair->size;
    pcs_gap_slot slot = {.mode = PCS_GAP_FACE,
                         .source = PCS_GAP_OF_PAIR,
                         .index = index,
                         .node_a = pair->pair.a.node,
                         .node_b = pair->pair.b.node,
                         .arm_a = pcs_v3_norm(pair->pair.a.p),
                         .arm_b = pcs_v3_norm(pair->pair.b.p)};
    switch (pair->kind) {
    case PCS_CONTACT_SPHERE_SPHERE:
        slot.mode = PCS_GAP_SUPPORT;
        break;
    case PCS_CONTACT_SPHERE_IN_SPHERE:
    case PCS_CONTACT_PIN_IN_HOLE:
        slot.mode = PCS_GAP_INSIDE;
        break;
    case PCS_CONTACT_CYLINDER_PLANE:
        slot.mode = PCS_GAP_CYLINDER;
        slot.arm_b += norm2(pair->radius_b, 0.5 * size.z);
        break;
    case PCS_CONTACT_BOX_PLANE:
        slot.arm_b += 0.5 * norm2(norm2(size.x, size.y), model->dimension == 3 ? size.z : 0);
        break;
    case PCS_CONTACT_SLIDER_GUIDE:
        slot.arm_b += 0.5 * norm2(size.x, size.y);
        break;
    case PCS_CONTACT_POINT_POLYLINE:
    case PCS_CONTACT_POINT_CURVE:
        slot.mode = PCS_GAP_CURVE;
        break;
    default:
        break;
    }
    for (int32_t i = 0; i < pair->n_slots; ++i) {
        slot.place = i;
        slots[pair->first_slot + i] = slot;
    }
}

static pcs_gap_mode limit_mode(const pcs_coordinate *x, double side)
{
    switch (x->kind) {
    case PCS_COORDINATE_WORLD:
        return PCS_GAP_SUPPORT;
    case PCS_COORDINATE_DISTANCE:
        return side > 0 ? PCS_GAP_SUPPORT : PCS_GAP_INSIDE;
    case PCS_COORDINATE_ANGLE:
    case PCS_COORDINATE_ANGLE_B:
        return PCS_GAP_ANGLE;
    case PCS_COORDINATE_DOT:
    case PCS_COORDINATE_ROTATION:
        return PCS_GAP_ROTATION;
    default:
        return PCS_GAP_FACE;
    }
}

static void describe_limit(const pcs_model *model, int32_t index, pcs_gap_slot *slots)
{
    const pcs_limit *limit = &model->limits.data[index];
    const pcs_joint *joint = &model->joints.data[limit->joint];
    const pcs_coordinate *x = &joint->coordinate[limit->coordinate];
    slots[limit->slot] = (pcs_gap_slot){.mode = limit_mode(x, limit->side),
                                        .source = PCS_GAP_OF_LIMIT,
                                        .index = index,
                                        .node_a = joint->pair.a.node,
                                        .node_b = joint->pair.b.node,
                                        .arm_a = pcs_v3_norm(joint->pair.a.p),
                                        .arm_b = pcs_v3_norm(joint->pair.b.p),
                                        .many_turns = model->dimension == 3 && x->turn >= 0};
}

static void describe_surface(const pcs_model *model, int32_t index, pcs_gap_slot *slots)
{
    const pcs_surface_contact *contact = &model->surface_contacts.data[index];
    for (int32_t i = 0; i < contact->n_nodes; ++i)
        slots[contact->first_slot + i] = (pcs_gap_slot){
            .mode = contact->target < 0 ? PCS_GAP_FACE : PCS_GAP_ESTIMATE,
            .source = PCS_GAP_OF_SURFACE,
            .index = index,
            .place = i,
            .node_a = contact->target < 0 ? contact->frame.node : -1,
            .node_b = contact->node[i]};
}

static void describe_slots(pcs_gap_search *s)
{
    const pcs_model *model = s->model;
    for (int32_t i = 0; i < model->n_slots; ++i) // those of systems remain
        s->slots[i] = (pcs_gap_slot){
            .mode = PCS_GAP_ESTIMATE, .source = PCS_GAP_OF_SYSTEM, .node_a = -1, .node_b = -1};
    for (int32_t i = 0; i < model->contact_pairs.count; ++i) {
        const pcs_contact_pair *pair = &model->contact_pairs.data[i];
        if (pair->copy_of < 0)
            describe_pair(model, i, s->slots);
        for (int32_t k = 0; pair->copy_of >= 0 && k < pair->n_slots; ++k)
            s->slots[pair->first_slot + k] = (pcs_gap_slot){
                .mode = PCS_GAP_FACE, .source = PCS_GAP_OF_COPY, .node_a = -1, .node_b = -1};
    }
    for (int32_t i = 0; i < model->limits.count; ++i)
        describe_limit(model, i, s->slots);
    for (int32_t i = 0; i < model->surface_contacts.count; ++i)
        describe_surface(model, i, s->slots);
}

static bool needs_rows(const pcs_gap_search *s)
{
    for (int32_t i = 0; i < s->model->n_slots; ++i)
        if (s->slots[i].source == PCS_GAP_OF_SYSTEM || s->slots[i].source == PCS_GAP_OF_SURFACE)
            return true;
    return false;
}

static pcs_status init(pcs_gap_search *s)
{
    const pcs_model *model = s->model;
    s->slots = PCS_NEW_ARRAY(s->ctx, pcs_gap_slot, model->n_slots);
    if (!s->slots)
        return PCS_ERROR_MEMORY;
    describe_slots(s);
    PCS_TRY(pcs_motion_init(s->ctx, model, &s->motion));
    PCS_TRY(pcs_configuration_init(s->ctx, model, &s->c));
    if (!needs_rows(s))
        return PCS_OK;
    s->contacts = pcs_model_contacts_create(s->ctx, model);
    s->q = PCS_NEW_ARRAY(s->ctx, double, model->n_q);
    s->v = PCS_NEW_ARRAY(s->ctx, double, model->n_v);
    return s->contacts && s->q && s->v ? PCS_OK : PCS_ERROR_MEMORY;
}

pcs_status pcs_gap_search_create(pcs_context *ctx, const pcs_model *model, pcs_gap_search **out)
{
    *out = NULL;
    pcs_gap_search *s = PCS_NEW(ctx, pcs_gap_search);
    if (!s)
        return PCS_ERROR_MEMORY;
    s->ctx = ctx;
    s->model = model;
    s->motion.ctx = ctx;
    const pcs_status status = init(s);
    if (status < 0) {
        pcs_gap_search_destroy(s);
        return status;
    }
    *out = s;
    return PCS_OK;
}

void pcs_gap_search_destroy(pcs_gap_search *s)
{
    if (!s)
        return;
    pcs_context *ctx = s->ctx;
    pcs_motion_free(&s->motion);
    pcs_configuration_free(ctx, &s->c);
    pcs_model_contacts_destroy(ctx, s->contacts);
    pcs_free(ctx, s->q);
    pcs_free(ctx, s->v);
    pcs_free(ctx, s->slots);
    pcs_free(ctx, s);
}

pcs_motion *pcs_gap_search_motion(pcs_gap_search *s)
{
    return &s->motion;
}

void pcs_gap_search_begin(pcs_gap_search *s, double t, double h, const double *q, int32_t degree,
                          const double *turns, const double *external, const int32_t *faces)
{
    pcs_motion_begin(&s->motion, t, h, q, degree);
    s->c.turns = s->turns = turns;
    s->c.external = s->external = external;
    s->c.face = faces;
    s->pairs[0].index = s->pairs[1].index = -1;
}

bool pcs_gap_search_is_bounded(const pcs_gap_search *s, int32_t slot)
{
    return s->slots[slot].mode != PCS_GAP_ESTIMATE;
}

int64_t pcs_gap_search_looks(const pcs_gap_search *s)
{
    return s->looks;
}

// ---- Safe times ----

// The part of the motion at hand and the hulls of its two nodes.
typedef struct part {
    const pcs_motion_hull *a, *b;
    double length; // s
} part;

static double largest_speed(const part *p)
{
    double most = 0;
    for (int j = 0; j < PCS_MOTION_SPEEDS; ++j)
        most = fmax(most, pcs_v3_norm(pcs_v3_sub(p->b->v[j], p->a->v[j])));
    return most;
}

static double largest_acceleration(const part *p)
{
    double most = 0;
    for (int j = 0; j < PCS_MOTION_SPEEDS - 1; ++j)
        most = fmax(most, pcs_v3_norm(pcs_v3_sub(p->b->a[j], p->a->a[j])));
    return most;
}

// Time for which value + rate x - A x^2/2 or value - L x is not negative.
static double safe_of(double value, double rate, double L, double A)
{
    if (!(value >= 0))
        return 0;
    if (!(L > 0))
        return HUGE_VAL;
    double safe = value / L;
    if (A > 0) { // the positive root, without cancellation
        const double root = sqrt(rate * rate + 2 * A * value);
        safe = fmax(safe, rate < 0 ? 2 * value / (root - rate) : (rate + root) / A);
    } else if (A <= 0) {
        safe = rate >= 0 ? HUGE_VAL : fmax(safe, -value / rate);
    }
    return safe; // A is not a number: no bound
}

// What the rotations of the nodes add to L and A.
typedef struct turning {
    double L, A;
} turning;

static turning turning_of(const part *p, const pcs_gap_barrier *barrier)
{
    const double w_a = p->a->w_most, w_b = p->b->w_most;
    turning out = {w_b * barrier->arm_b, (p->b->alpha_most + w_b * w_b) * barrier->arm_b};
    if (w_a == 0 && p->a->alpha_most == 0)
        return out;
    double arm = barrier->arm_a;
    if (barrier->turns) {
        // n is not the one of the instant: it turns by up to w_a x, a chord of 2 at most.
        const double chord = fmin(w_a * p->length, 2), relative = largest_speed(p);
        const double speed = relative + w_b * barrier->arm_b;
        arm += speed * p->length;
        out.L += chord * relative;
        out.A += 2 * w_a * speed + chord * largest_acceleration(p);
    }
    out.L += w_a * arm;
    out.A += (p->a->alpha_most + w_a * w_a) * arm;
    return out;
}

// direction +1: forwards in time, -1: backwards
static double safe_barrier(const part *p, const pcs_gap_barrier *barrier, double slack,
                           double direction, double more)
{
    const turning turns = turning_of(p, barrier);
    double L = -HUGE_VAL, A = -HUGE_VAL;
    for (int j = 0; j < PCS_MOTION_SPEEDS; ++j)
        L = fmax(L, -direction * pcs_v3_dot(barrier->n, pcs_v3_sub(p->b->v[j], p->a->v[j])));
    for (int j = 0; j < PCS_MOTION_SPEEDS - 1; ++j)
        A = fmax(A, -pcs_v3_dot(barrier->n, pcs_v3_sub(p->b->a[j], p->a->a[j])));
    return safe_of(barrier->value + slack, direction * barrier->rate, L + turns.L,
                   A + turns.A + more);
}

// b inside a: the straight way of the centre and what accelerations add to it, tried for some
// lengths.
static double safe_inside(const part *p, const pcs_gap_place *place, double slack, double direction)
{
    enum { TRIES = 6 };
    const pcs_gap_barrier *barrier = &place->barrier[0];
    const turning turns = turning_of(p, barrier);
    const double value = barrier->value + slack, d = pcs_v3_norm(place->d);
    const double L = largest_speed(p) + turns.L, A = largest_acceleration(p) + turns.A;
    double safe = safe_of(value, 0, L, NAN), x = p->length;
    if (!(value >= 0))
        return 0;
    for (int i = 0; i < TRIES && x > safe; ++i, x *= 0.5)
        if (value + d - pcs_v3_norm(pcs_v3_axpy(place->d, direction * x, place->d_rate)) -
                0.5 * A * x * x >=
            0)
            safe = x;
    return safe;
}

// Along a curve: its nearest face as a line that bends towards the point, and the distance of the
// others.
static double safe_curve(const part *p, const pcs_gap_place *place, double slack, double direction)
{
    const pcs_gap_barrier *barrier = &place->barrier[0];
    const double speed = largest_speed(p) + turning_of(p, barrier).L;
    const double value = barrier->value + slack;
    double safe = safe_of(value, 0, speed, NAN);
    const double reach = place->gap + speed * p->length; // < radius of curvature / 2
    if (place->gap == HUGE_VAL || !(2 * place->bend * reach < 1))
        return safe;
    const double face = safe_barrier(p, barrier, slack, direction, 2 * place->bend * speed * speed);
    const double others = place->others + slack > 0 && speed > 0 ? (place->others + slack) / speed
                          : place->others + slack > 0            ? HUGE_VAL
                                                                 : 0;
    return fmax(safe, fmin(face, others));
}

// The rates of an angle and of the components of a rotation vector.
static double safe_angle(const pcs_gap_search *s, const pcs_gap_slot *slot, const part *p,
                         const pcs_gap_place *place, double slack, double direction)
{
    const pcs_limit *limit = &s->model->limits.data[slot->index];
    const double rate = direction * place->rate, value = place->gap + slack;
    double L = -HUGE_VAL, A = -HUGE_VAL;
    if (s->model->dimension == 2) {
        for (int j = 0; j < PCS_MOTION_SPEEDS; ++j)
            L = fmax(L, -direction * limit->side * (p->b->w[j] - p->a->w[j]));
        for (int j = 0; j < PCS_MOTION_SPEEDS - 1; ++j)
            A = fmax(A, -limit->side * (p->b->alpha[j] - p->a->alpha[j]));
        return safe_of(value, rate, L, A);
    }
    const double w_a = p->a->w_most, w_b = p->b->w_most;
    if (slot->mode == PCS_GAP_ROTATION) // |T(psi)^-1| <= pi/2 for |psi| <= pi
        return safe_of(value, rate, 0.5 * PCS_PI * (w_a + w_b), NAN);
    return safe_of(value, rate, w_a + w_b, p->a->alpha_most + p->b->alpha_most + w_a * w_b);
}

// The rim of a cylinder: its lowest point goes around.
static double safe_rim(const pcs_gap_search *s, const pcs_gap_slot *slot, const part *p,
                       const pcs_gap_place *place, double slack, double direction)
{
    const pcs_contact_pair *pair = &s->model->contact_pairs.data[slot->index];
    const double w = p->a->w_most + p->b->w_most;
    const bool lowest = slot->place % 3 == 0 && place->bend > 0; // the others have no A
    const double more = w == 0 ? 0 : lowest ? w * w * pair->radius_b / place->bend : NAN;
    return safe_barrier(p, &place->barrier[0], slack, direction, more);
}

// A row whose changes between the two instants are estimated.
static double safe_estimate(const pcs_gap_search *s, const pcs_gap_place *a, const pcs_gap_place *b,
                            double slack, double direction)
{
    const pcs_gap_place *at = direction > 0 ? a : b;
    const double h = b->t - a->t;
    double L = 0, A = 0;
    for (int side = 0; side < 2; ++side) {
        const pcs_gap_place *place = side == 0 ? a : b;
        double v[PCS_MOTION_SPEEDS], acceleration[PCS_MOTION_SPEEDS - 1];
        pcs_motion_scalar(&s->motion, place->linear, (a->t - s->motion.t) / s->motion.h,
                          (b->t - s->motion.t) / s->motion.h, v, acceleration);
        for (int j = 0; j < PCS_MOTION_SPEEDS; ++j)
            L = fmax(L, fabs(v[j] + place->drift));
        for (int j = 0; j < PCS_MOTION_SPEEDS - 1; ++j)
            A = fmax(A, fabs(acceleration[j]));
    }
    A = fmax(A, fabs(b->rate - a->rate) / h);
    A = fmax(A, 2 * fabs(b->gap - a->gap - h * a->rate) / (h * h));
    A = fmax(A, 2 * fabs(a->gap - b->gap + h * b->rate) / (h * h));
    return safe_of(at->gap + slack, direction * at->rate, ESTIMATE_FACTOR * L, ESTIMATE_FACTOR * A);
}

static double safe_time(const pcs_gap_search *s, const pcs_gap_slot *slot, const part *p,
                        const pcs_gap_place *place, double slack, double direction)
{
    double safe = 0;
    switch (slot->mode) {
    case PCS_GAP_INSIDE:
        return safe_inside(p, place, slack, direction);
    case PCS_GAP_CURVE:
        return safe_curve(p, place, slack, direction);
    case PCS_GAP_ANGLE:
    case PCS_GAP_ROTATION:
        return safe_angle(s, slot, p, place, slack, direction);
    case PCS_GAP_CYLINDER:
        safe = safe_rim(s, slot, p, place, slack, direction);
        break;
    default:
        safe = place->n_barriers > 0 ? safe_barrier(p, &place->barrier[0], slack, direction, 0)
                                     : HUGE_VAL; // a shape that the node does not face
        break;
    }
    for (int32_t i = 1; i < place->n_barriers && safe < p->length; ++i)
        safe = fmax(safe, safe_barrier(p, &place->barrier[i], place->barrier[i].is_gap ? slack : 0,
                                       direction, 0));
    return safe;
}

// Times for which the gap stays above level - tolerance, from a forwards and from b backwards.
static void safe_times(pcs_gap_search *s, int32_t i, const pcs_gap_rules *rules,
                       const pcs_gap_place *a, const pcs_gap_place *b, double *forwards,
                       double *backwards)
{
    const pcs_gap_slot *slot = &s->slots[i];
    const double slack = rules->tolerance - rules->level;
    if (slot->mode == PCS_GAP_ESTIMATE) {
        *forwards = *backwards = HUGE_VAL; // nothing in reach: the instants decide
        if (a->gap == HUGE_VAL || b->gap == HUGE_VAL)
            return;
        *forwards = safe_estimate(s, a, b, slack, 1);
        *backwards = safe_estimate(s, a, b, slack, -1);
        return;
    }
    const pcs_motion *m = &s->motion;
    const double from = (a->t - m->t) / m->h, to = (b->t - m->t) / m->h;
    part p = {.length = b->t - a->t};
    p.a = pcs_motion_bound(&s->motion, slot->node_a, from, to);
    p.b = pcs_motion_bound(&s->motion, slot->node_b, from, to);
    *forwards = *backwards = 0;
    if (slot->many_turns && (p.a->w_most + p.b->w_most) * p.length > PCS_PI)
        return; // the branch of b is not known
    *forwards = safe_time(s, slot, &p, a, slack, 1);
    *backwards = *forwards >= p.length ? HUGE_VAL : safe_time(s, slot, &p, b, slack, -1);
}

bool pcs_gap_search_is_far(pcs_gap_search *s, int32_t i, double gap_start, double gap_end)
{
    const pcs_gap_slot *slot = &s->slots[i];
    if (slot->source == PCS_GAP_OF_COPY)
        return true;
    if (slot->mode == PCS_GAP_ESTIMATE || slot->mode == PCS_GAP_ROTATION || slot->many_turns ||
        gap_start == HUGE_VAL || gap_end == HUGE_VAL)
        return false;
    part p = {.length = s->motion.h};
    p.a = pcs_motion_bound(&s->motion, slot->node_a, 0, 1);
    p.b = pcs_motion_bound(&s->motion, slot->node_b, 0, 1);
    if (p.a->w_most > 0)
        return false;
    const double L = slot->mode == PCS_GAP_ANGLE ? p.b->w_most
                                                 : largest_speed(&p) + p.b->w_most * slot->arm_b;
    return gap_start + gap_end > L * p.length;
}

bool pcs_gap_search_is_clear(pcs_gap_search *s, int32_t slot, const pcs_gap_rules *rules,
                             const pcs_gap_place *a, const pcs_gap_place *b)
{
    double forwards, backwards;
    safe_times(s, slot, rules, a, b, &forwards, &backwards);
    return forwards + backwards >= b->t - a->t;
}

// ---- The first closing ----

static double value_of(const pcs_gap_place *place, const pcs_gap_rules *rules)
{
    return place->gap == HUGE_VAL ? HUGE_VAL : place->gap - rules->level;
}

static bool closes(const pcs_gap_rules *rules, const pcs_gap_place *a, const pcs_gap_place *b)
{
    const double value = value_of(b, rules);
    return value < (value_of(a, rules) > rules->noise || rules->suspect ? 0 : -rules->noise);
}

static double shortest(const pcs_gap_rules *rules, double t)
{
    return fmax(rules->precision, 4 * DBL_EPSILON * fabs(t));
}

// Newton's method in a bracket, a little too long so that it lands on the other side and the
// bracket closes; bisection where it does not halve the bracket in three steps.
static void close_bracket(pcs_gap_search *s, int32_t slot, const pcs_gap_rules *rules,
                          pcs_gap_place *a, pcs_gap_place *b)
{
    enum { ITERATIONS_MAX = 200, TRIES = 3 };
    double width = b->t - a->t;
    pcs_gap_place now = *b;
    for (int i = 0, tries = 0; i < ITERATIONS_MAX; ++i) {
        const double precision = shortest(rules, b->t), edge = 0.5 * precision;
        if (b->t - a->t <= precision || b->t < rules->too_early)
            return;
        const double value = value_of(&now, rules);
        double t = now.rate < 0 && isfinite(value)
                       ? now.t - value / now.rate + (value > 0 ? edge : -edge)
                       : 0.5 * (a->t + b->t);
        if (tries >= TRIES || !(t > a->t && t < b->t))
            t = 0.5 * (a->t + b->t);
        t = fmin(fmax(t, a->t + edge), b->t - edge);
        if (t <= a->t || t >= b->t)
            return;
        pcs_gap_search_look(s, slot, t, a, &now);
        *(value_of(&now, rules) > 0 ? a : b) = now;
        if (b->t - a->t <= 0.5 * width || tries >= TRIES) {
            width = b->t - a->t;
            tries = 0;
        } else {
            ++tries;
        }
    }
}

// A gap that begins at zero: an instant at which it is open, looked for by halving in what is surely
// clear behind the start and then in the whole part. False: it never is.
static bool find_open(pcs_gap_search *s, int32_t slot, const pcs_gap_rules *rules, pcs_gap_place *a,
                      const pcs_gap_place *b)
{
    double clear, backwards;
    safe_times(s, slot, rules, a, b, &clear, &backwards);
    const double start = a->t, length = b->t - start;
    for (int whole = clear < length ? 0 : 1; whole < 2; ++whole) {
        double way = 0.5 * (whole ? length : clear);
        while (way > shortest(rules, b->t)) {
            pcs_gap_place now;
            pcs_gap_search_look(s, slot, start + way, a, &now);
            if (value_of(&now, rules) > 0 && now.gap < HUGE_VAL) {
                *a = now;
                return true;
            }
            way *= 0.5;
        }
    }
    return false;
}

// Where a part is cut: in the middle of what neither end makes safe.
static double place_of_cut(const pcs_gap_place *a, const pcs_gap_place *b, double forwards,
                           double backwards)
{
    const double least = 0.25, length = b->t - a->t; // of the part, on either side
    const double middle = 0.5 * (length + fmin(forwards, length) - fmin(backwards, length));
    return a->t + fmin(fmax(middle, least * length), (1 - least) * length);
}

static bool first_in_part(pcs_gap_search *s, int32_t slot, const pcs_gap_rules *rules,
                          pcs_gap_place *a, pcs_gap_place *b, bool *starts_closed)
{
    pcs_gap_place end[PARTS_MAX], hit[2];
    int32_t n = 1;
    bool found = false, opened = false;
    const int64_t looks = s->looks;
    const double start = a->t;
    end[0] = *b;
    while (n > 0) {
        const pcs_gap_place *r = &end[n - 1];
        const double value = value_of(a, rules);
        const bool done = r->t - a->t <= shortest(rules, r->t) || n == PARTS_MAX ||
                          s->looks - looks > LOOKS_MAX;
        if (value < HUGE_VAL && closes(rules, a, r)) {
            if (!(value > rules->noise) && !opened) {
                opened = true;
                if (find_open(s, slot, rules, a, r))
                    continue;
                if (a->t == start) {
                    *starts_closed = true;
                    return false;
                }
            }
            if (value < -rules->tolerance) { // it has come into the bounds of a face from behind
                *a = *r;
                --n;
                continue;
            }
            hit[0] = *a;
            hit[1] = *r;
            close_bracket(s, slot, rules, &hit[0], &hit[1]);
            found = true;
            if (done || hit[1].t < rules->too_early ||
                pcs_gap_search_is_clear(s, slot, rules, a, &hit[0]))
                break;
            end[0] = hit[0]; // an earlier one may be hidden before it
            n = 1;
            continue;
        }
        double forwards, backwards;
        safe_times(s, slot, rules, a, r, &forwards, &backwards);
        if (done || forwards + backwards >= r->t - a->t) {
            *a = *r;
            --n;
            continue;
        }
        pcs_gap_place now;
        pcs_gap_search_look(s, slot, place_of_cut(a, r, forwards, backwards), a, &now);
        end[n++] = now;
    }
    if (found) {
        *a = hit[0];
        *b = hit[1];
    }
    return found;
}

// An angle in space knows its branch from an instant that is less than half a turn away: the motion
// is walked through in parts in which it turns by at most a quarter.
bool pcs_gap_search_first(pcs_gap_search *s, int32_t slot, const pcs_gap_rules *rules,
                          pcs_gap_place *a, pcs_gap_place *b, bool *starts_closed)
{
    const pcs_gap_slot *kind = &s->slots[slot];
    const double quarter = 0.5 * PCS_PI, parts_most = 1e6;
    const pcs_motion *m = &s->motion;
    int32_t parts = 1;
    *starts_closed = false;
    if (kind->many_turns) {
        const double from = (a->t - m->t) / m->h, to = (b->t - m->t) / m->h;
        const double w = pcs_motion_bound(&s->motion, kind->node_a, from, to)->w_most +
                         pcs_motion_bound(&s->motion, kind->node_b, from, to)->w_most;
        parts = (int32_t)fmin(fmax(ceil(w * (b->t - a->t) / quarter), 1), parts_most);
    }
    if (parts == 1)
        return first_in_part(s, slot, rules, a, b, starts_closed);
    const double start = a->t, end = b->t;
    for (int32_t k = 1; k <= parts; ++k) {
        pcs_gap_place next;
        pcs_gap_search_look(s, slot, k == parts ? end : start + (end - start) * k / parts, a,
                            &next);
        *b = next;
        if (first_in_part(s, slot, rules, a, b, starts_closed))
            return true;
        if (*starts_closed)
            return false;
        *a = next;
    }
    return false;
}

double pcs_gap_search_way(pcs_gap_search *s, int32_t slot)
{
    const pcs_gap_slot *of = &s->slots[slot];
    if (of->source == PCS_GAP_OF_SYSTEM)
        return HUGE_VAL;
    if (of->mode != PCS_GAP_SUPPORT && of->mode != PCS_GAP_CURVE && of->mode != PCS_GAP_CYLINDER)
        return 0;
    const part p = {pcs_motion_bound(&s->motion, of->node_a, 0, 1),
                    pcs_motion_bound(&s->motion, of->node_b, 0, 1), s->motion.h};
    pcs_vec3 x[2] = {{0, 0, 0}, {0, 0, 0}};
    const int32_t node[2] = {of->node_a, of->node_b};
    for (int i = 0; i < 2; ++i) {
        pcs_pose pose;
        pcs_twist twist;
        if (node[i] < 0)
            continue;
        pcs_motion_node(&s->motion, node[i], 0, &pose, &twist);
        x[i] = pose.x;
    }
    const double way = p.length * (largest_speed(&p) + p.b->w_most * of->arm_b);
    const double arm = of->arm_a + of->arm_b + pcs_v3_norm(pcs_v3_sub(x[1], x[0])) + way;
    return way + p.length * p.a->w_most * arm; // what is fixed to a turns about it
}

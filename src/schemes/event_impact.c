// What happens at an event. Forces that fall to zero and friction that reaches its cone change the
// phase of their contact alone, since no force jumps. Everything else asks anew:
//
//     impact   M (v+ - v-) = G^T p + H^T r over the touching contacts that do not separate,
//              G v+ = rate, u = u+ + e u-:  K* \ni u + mu |u_T| e_N  \perp  r \in K,
//              as often as one hits another contact    [Haddouni2015, 2.4; impact_law.h]
//     status   forces and accelerations of the contacts that stay (event_status.c)
//
// Where sliding contacts have no forces at all (Painleve's paradox), the velocity jumps without a
// collision: the impact problem without restitution at the same configuration. It has the null
// impulse as a solution too, which the small forces of any step h > 0 exclude [Brogliato2002, 8.1];
// it is left out here.
#include <string.h>

#include "schemes/corner_impact.h"
#include "schemes/event_driven.h"
#include "schemes/impact_law.h"

static const double velocity_rounding = 1e-14; // m/s; velocities of order 1

// ---- Accounts of a jump ----

// A slip that ended at the event and that an impulse sets in motion again, or holds, has the status
// that its velocity says.
static void forget_turns(event_driven *s)
{
    const pcs_model *model = s->base.model;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        double before[3], after[3];
        if (s->cause[i] != ED_SLIP_END || s->contacts[i].row.size != 2)
            continue;
        pcs_contact_velocity(model, &s->contacts[i], s->v_minus, before);
        pcs_contact_velocity(model, &s->contacts[i], s->v, after);
        if (fabs(after[1] - before[1]) > velocity_rounding)
            s->cause[i] = ED_NOTHING;
    }
}

// v+ = v + B H^T r, p = joint impulses; energy, impulses and penetration are booked. The relative
// velocity before is H v-, after it set.u less the restitution terms `e` (or NULL).
static void apply_impulses(event_driven *s, const double *e)
{
    const pcs_model *model = s->base.model;
    const pcs_ed_set *set = &s->set;
    double *work = s->work_base;
    memcpy(s->v_minus, s->v, sizeof(double) * (size_t)model->n_v);
    memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
    memset(s->p_row, 0, sizeof(double) * (size_t)model->n_rows);
    pcs_ed_add_forces(s, s->x);
    pcs_saddle_solve(s->saddle, s->x, s->p_row);
    for (int32_t k = 0; k < set->n; ++k) {
        const int32_t slot = set->slot[k], at = set->offset[k];
        const double *r = set->r + at;
        double u[3];
        pcs_contact_velocity(model, &s->contacts[slot], s->v, u);
        for (int32_t j = 0; j < set->H[k]->size; ++j) {
            double mean = 0.5 * (u[j] + set->u[at + j] - (e ? e[at + j] : 0));
            work[j == 0 ? PCS_WORK_IMPACT : PCS_WORK_FRICTION] += r[j] * mean;
            work[PCS_WORK_DRIVER] -= r[j] * s->contacts[slot].surface[j];
            s->r_sum[3 * slot + j] += r[j];
        }
    }
    for (int32_t i = 0; i < model->n_v; ++i) {
        s->v[i] += s->x[i];
        s->x[i] = 0.5 * (s->v[i] + s->v_minus[i]);
    }
    work[PCS_WORK_DRIVER] += pcs_model_driven_work(model, s->rows, s->p_row, s->x);
    for (int32_t i = 0; i < model->n_rows; ++i)
        s->p_sum[i] += s->p_row[i];
    forget_turns(s);
}

// Speed below which a contact counts as at rest. Events that repeat at one instant are decisions
// that velocities near the tolerance turn round and round, such as the corners of a box that comes
// to rest turning, whose normal forces are not unique. Every few of them the speed grows tenfold,
// so that the contacts come to rest together.
static double rest_speed(const event_driven *s)
{
    enum { PATIENCE = 8, DECADES_MAX = 5 };
    const int64_t decades = s->repeats / PATIENCE;
    return s->base.options[ED_VELOCITY_TOLERANCE] *
           pow(10, (double)(decades < DECADES_MAX ? decades : DECADES_MAX));
}

// A bound of the height of the flight that a contact ends.
static double flight_height(const event_driven *s, int32_t slot)
{
    double u[3];
    pcs_contact_velocity(s->base.model, &s->contacts[slot], s->v, u);
    return fabs(u[0]) * (s->march->to.t - s->touched[slot]);
}

// A flight lower than the rounding of positions was none: its height is below |u_N| dt, dt since
// the contact touched. One that closes where its gap was never seen positive, however fine the
// search, and does not approach there, has not left at all. Such contacts are at rest. All others
// that close have been in flight, wherever in a step of the march the end of the flight lies.
static bool is_grounded(const event_driven *s, int32_t slot)
{
    const bool at_once = !s->has_step && !s->all;
    double u[3];
    pcs_contact_velocity(s->base.model, &s->contacts[slot], s->v, u);
    return (at_once && u[0] >= 0) || flight_height(s, slot) < s->gap_noise;
}

// Tells the contacts that close from those that were never open, and counts events that repeat: a
// contact that was grounded, one that closes after a flight on which it always touched, since its gap
// was below gap_tolerance, or another change without any time
// since the last event. (Contacts that close one after the other at one instant do not repeat
// anything.) They repeat until a contact closes that comes from higher up, or nothing has happened for
// a while: those of a pile bounce by turns, and change their friction between the bounces.
static void see_flights(event_driven *s)
{
    const double instant = 1e-12; // s
    const double *option = s->base.options;
    const double low = fmax(s->gap_noise, option[ED_GAP_TOLERANCE]);
    const double t = s->march->to.t, since = t - s->last_event;
    bool again = false, high = false, caused = false;
    for (int32_t i = 0; i < s->base.model->n_faces; ++i) {
        if (s->cause[i] == ED_NOTHING)
            continue;
        caused = true;
        if (s->cause[i] == ED_CLOSING && s->contacts[i].gap != HUGE_VAL) {
            const bool lands = flight_height(s, i) < low;
            if (is_grounded(s, i))
                s->cause[i] = ED_GROUNDED;
            again = again || lands || s->cause[i] == ED_GROUNDED || t - s->touched[i] <= instant;
            high = high || !(lands || s->cause[i] == ED_GROUNDED);
        } else {
            again = again || since <= instant;
        }
    }
    again = again || (since <= instant && !caused);
    s->repeats = again ? s->repeats + 1 : high || since > option[ED_ZENO_TIME] ? 0 : s->repeats;
    s->last_event = t;
}

// ---- Impact ----

static bool touches(const event_driven *s, int32_t slot)
{
    if (s->contacts[slot].gap == HUGE_VAL || s->spare[slot])
        return false;
    return s->phase.mode[slot] != PCS_MODE_OPEN || s->cause[slot] == ED_CLOSING ||
           s->cause[slot] == ED_GROUNDED ||
           (s->contacts[slot].gap <= s->base.options[ED_GAP_TOLERANCE] && !s->flying[slot]);
}

// A contact that has left, or has not come yet, does not touch, however low it flies: before the
// event it moves faster than rest, and it is farther away than it moves within `cluster`. Its impact
// is an event of its own when it closes. As part of the impact at hand it would get another velocity,
// and where a body is caught between two others, hit again and again within ever smaller gaps, an
// error that does not fall with any tolerance. Contacts that close together by symmetry, as the
// corners of a box that falls flat, are parted by the errors of earlier impacts: solver_tolerance
// times speed and time, 1e-12 m for 1 m/s and 1 s. These still touch together. At the start, where
// loads jump and behind time stepping gaps are known to gap_tolerance only.
static void find_flying(event_driven *s)
{
    const double parted = 1e-3; // of gap_tolerance: 1e-11 m
    const double *option = s->base.options;
    const double slow = rest_speed(s);
    const double least = fmax(s->gap_noise, parted * option[ED_GAP_TOLERANCE]);
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const double gap = s->contacts[i].gap;
        double u[3];
        s->flying[i] = !s->all && !s->spare[i] && gap > least && gap <= option[ED_GAP_TOLERANCE];
        if (!s->flying[i])
            continue;
        pcs_contact_velocity(s->base.model, &s->contacts[i], s->v, u);
        s->flying[i] = fabs(u[0]) > slow && gap > fabs(u[0]) * option[ED_CLUSTER];
    }
}

static pcs_status unsolved(event_driven *s, const char *what)
{
    const char *name = s->base.model->slot_names.data[s->set.slot[0]];
    return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                     "t = %.9g: the %s of contact '%s' and those it touches was not solved; raise "
                     "solver_iterations, or use a time-stepping scheme",
                     s->c.t, what, name);
}

// Velocities of time stepping, and flights that were none, have nothing to give back.
static bool is_settled(const event_driven *s, int32_t slot)
{
    return s->cause[slot] == ED_SETTLED || s->cause[slot] == ED_GROUNDED;
}

// Whether a touching contact approaches faster than `slow`, or one that closes at all, before the
// first impact. The set gets those that take part: that do not separate (impact_law.h), or `all`.
static bool collect_touching(event_driven *s, double slow, bool first, bool all)
{
    bool needed = false;
    pcs_ed_set_clear(&s->set);
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        double u[3];
        if (!touches(s, i))
            continue;
        pcs_contact_velocity(s->base.model, &s->contacts[i], s->v, u);
        needed = needed || u[0] < -slow || (first && s->cause[i] == ED_CLOSING && u[0] < 0);
        if (all || is_settled(s, i) || pcs_impact_takes_part(u[0], slow))
            pcs_ed_set_add(s, i, false);
    }
    return needed;
}

// Velocities before and restitution terms of the set's contacts, for an impact.
static void prepare_strike(event_driven *s, double slow, bool restitution)
{
    pcs_ed_set *set = &s->set;
    double *e = s->restitution;
    for (int32_t k = 0; k < set->n; ++k) {
        const int32_t at = set->offset[k], slot = set->slot[k], size = set->H[k]->size;
        double *u = set->u + at;
        pcs_contact_velocity(s->base.model, &s->contacts[slot], s->v, u);
        // No rebound that would count as rest.
        const bool gives_back = restitution && !is_settled(s, slot);
        pcs_impact_restitution(&s->contacts[slot].law, size, u, slow, slow, e + at);
        s->approach[slot] = s->cause[slot] == ED_SETTLED ? 0 : -u[0];
        for (int32_t j = 0; j < size; ++j) {
            e[at + j] = gives_back ? e[at + j] : 0;
            u[j] += e[at + j];
        }
        memset(set->r + at, 0, sizeof(double) * (size_t)size);
    }
}

// One impact of the set's contacts, at the factors at hand. Restitution may ask for what friction
// does not allow: the tip of a hinged rod, d = (d_N, d_T) its only direction, rebounds if
// r_N (d_N - mu |d_T|) > 0, so not at all with mu |d_T| > d_N, and to stick is no rebound. There is
// an impulse without restitution, since the velocity zero is admissible: friction jams the contact.
// W is singular there, and rounding may make a solution of impulses without end.
static pcs_status strike(event_driven *s, double slow, bool restitution)
{
    pcs_ed_set *set = &s->set;
    int32_t solutions;
    prepare_strike(s, slow, restitution);
    PCS_TRY(pcs_ed_solve(s, ED_ANY, &solutions));
    if ((solutions == 0 || set->rounding > PCS_ROUNDING_MAX) && restitution) {
        prepare_strike(s, slow, false);
        PCS_TRY(pcs_ed_solve(s, ED_ANY, &solutions));
        if (solutions > 0)
            pcs_log(
                s->base.ctx, PCS_LOG_WARNING,
                "t = %.9g: no impulse in the friction cone of contact '%s' and those it touches "
                "gives back what restitution asks for: they jam, without rebound",
                s->c.t, s->base.model->slot_names.data[set->slot[0]]);
    }
    if (solutions == 0)
        return unsolved(s, "impact");
    apply_impulses(s, s->restitution);
    bool struck = false;
    for (int32_t k = 0; k < set->n; ++k) {
        const int32_t slot = set->slot[k];
        if (s->approach[slot] > slow && set->r[set->offset[k]] > 0) {
            ++s->impacts;
            s->last_impact[slot] = s->c.t;
            struck = true;
        }
    }
    // Contacts at rest that pass an impact on have a part of it, and no finite force: all are logged.
    for (int32_t k = 0; k < set->n && struck; ++k)
        if (set->r[set->offset[k]] > 0)
            pcs_event_log_impact(&s->base.events, set->slot[k], s->approach[set->slot[k]],
                                 set->r + set->offset[k], set->H[k]->size);
    return PCS_OK;
}

// Impacts at one instant, one after the other until no touching contact approaches: each may hit
// contacts that were separating before it. With e < 1 there may be infinitely many; their speeds
// fall as a geometric series and end at the speed of rest. Should they not, the last impact is one
// of all touching contacts without restitution, which nothing approaches after.
static pcs_status impact(event_driven *s)
{
    enum { STRIKES_MAX = 500 };
    const double slow = rest_speed(s);
    bool approach = collect_touching(s, slow, true, false);
    if (!approach)
        return PCS_OK;
    PCS_TRY(pcs_ed_factor(s));
    for (int i = 0; i < STRIKES_MAX && approach; ++i) {
        PCS_TRY(strike(s, slow, true));
        approach = collect_touching(s, slow, false, false);
    }
    if (approach) {
        collect_touching(s, slow, false, true);
        PCS_TRY(strike(s, slow, false));
    }
    pcs_ed_look_here(s);
    return PCS_OK;
}

// ---- Status ----

// In the plane a sliding velocity that vanishes has stopped or changed its sign; forces decide.
static bool turns(const event_driven *s, int32_t slot)
{
    return s->cause[slot] == ED_SLIP_END && s->contacts[slot].row.size == 2;
}

// The slip of a contact ends: in the plane, where its velocity is zero; in space, where find_stops()
// says so.
static bool stops(const event_driven *s, int32_t slot)
{
    return turns(s, slot) || s->stopping[slot];
}

// Touching contacts that do not separate, each as sliding or at rest tangentially.
static void collect_closed(event_driven *s, bool all_at_rest)
{
    const pcs_model *model = s->base.model;
    const double slow = rest_speed(s);
    pcs_ed_set_clear(&s->set);
    for (int32_t i = 0; i < model->n_slots; ++i) {
        double u[3] = {0, 0, 0};
        if (touches(s, i))
            pcs_contact_velocity(model, &s->contacts[i], s->v, u);
        const bool rests = s->cause[i] == ED_GROUNDED || s->cause[i] == ED_SETTLED;
        if (!touches(s, i) || (u[0] > slow && !rests)) {
            s->phase.mode[i] = PCS_MODE_OPEN;
            continue;
        }
        const double speed = hypot(u[1], s->contacts[i].row.size == 3 ? u[2] : 0);
        const bool slides = s->contacts[i].row.size > 1 && speed > slow && !stops(s, i);
        if (slides) {
            s->phase.direction[i][0] = u[1] / speed;
            s->phase.direction[i][1] = s->contacts[i].row.size == 3 ? u[2] / speed : 0;
        }
        pcs_ed_set_add(s, i, slides && !all_at_rest);
    }
}

static const char *first_sliding(const event_driven *s)
{
    for (int32_t k = 0; k < s->set.n; ++k)
        if (s->set.slides[k] && s->set.mu[k] > 0)
            return s->base.model->slot_names.data[s->set.slot[k]];
    return s->base.model->slot_names.data[s->set.slot[0]];
}

// No forces exist, or they go to infinity: the velocities jump without a collision.
static pcs_status escape(event_driven *s, bool jams)
{
    const char *name = first_sliding(s);
    pcs_ed_set *set = &s->set;
    int32_t solutions;
    double most = 0;
    collect_closed(s, true);
    PCS_TRY(pcs_ed_jump(s, jams, &solutions));
    for (int32_t i = 0; i < set->offset[set->n]; ++i)
        most = fmax(most, fabs(set->r[i]));
    if (solutions == 0 || !(most > 0))
        return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                         "t = %.9g: contact '%s' slides and no contact force exists (Painleve's "
                         "paradox), and no impulse ends it; use a time-stepping scheme",
                         s->c.t, name);
    pcs_log(
        s->base.ctx, PCS_LOG_WARNING,
        "t = %.9g: contact '%s' slides and %s (Painleve's paradox): an impact without collision "
        "follows",
        s->c.t, name, jams ? "the contact forces go to infinity" : "no contact force exists");
    ++s->painleve;
    apply_impulses(s, NULL);
    for (int32_t k = 0; k < set->n; ++k)
        if (set->r[set->offset[k]] > 0) {
            pcs_event event = {.time = s->c.t, .kind = PCS_EVENT_IMPACT, .object = set->slot[k]};
            memcpy(event.impulse, set->r + set->offset[k],
                   sizeof(double) * (size_t)set->H[k]->size);
            ++s->impacts;
            pcs_event_log_add(&s->base.events, event);
        }
    pcs_ed_look_here(s);
    return PCS_OK;
}

// Contacts that count as at rest tangentially are put to rest: what is left of their velocities,
// below velocity_tolerance, has no direction that friction could follow. Not those that turn: they
// rest only if the forces say so, and pcs_ed_begin() sees to it. At a dead centre of a mechanism
// the row of the sliding velocity is zero, and to remove the rounding of such a velocity stops all.
static pcs_status still(event_driven *s)
{
    const pcs_ed_set *set = &s->set;
    bool moving = false;
    for (int32_t k = 0; k < set->n; ++k) {
        double u[3] = {0, 0, 0};
        const int32_t slot = set->slot[k];
        const bool rests = !set->slides[k] && set->mu[k] > 0 && !turns(s, slot);
        pcs_contact_velocity(s->base.model, &s->contacts[slot], s->v, u);
        moving = moving || (rests && hypot(u[1], u[2]) > velocity_rounding);
        s->phase.mode[slot] = rests ? PCS_MODE_STICK : PCS_MODE_SLIDE;
    }
    if (!moving)
        return PCS_OK;
    PCS_TRY(pcs_smooth_set_phase(s->march->smooth, &s->phase));
    PCS_TRY(pcs_smooth_project(s->march->smooth, s->c.t, s->q, s->v,
                               s->base.options[ED_PROJECTION_TOLERANCE], false, true));
    pcs_ed_look_here(s);
    return PCS_OK;
}

// The kinetic energy that stopping takes, u_T^T W_TT^-1 u_T / 2; directions that joints lock count as
// at rest.
static double slip_energy(const double W[3], const double *u)
{
    const double locked = 1e-10; // of the larger mobility
    const double mean = 0.5 * (W[0] + W[2]), half = hypot(0.5 * (W[0] - W[2]), W[1]);
    const double angle = 0.5 * atan2(2 * W[1], W[0] - W[2]), c = cos(angle), d = sin(angle);
    const double along = c * u[0] + d * u[1], across = c * u[1] - d * u[0];
    double energy = 0;
    if (mean + half > 0)
        energy += 0.5 * along * along / (mean + half);
    if (mean - half > locked * (mean + half))
        energy += 0.5 * across * across / (mean - half);
    return energy;
}

// Whether slips end in space. The event is where the component of u_T along the direction at the
// start of the step vanishes; what is left across may be turning into the end of the slip, or pass
// it by. A slip ends if forces in the cone hold the contact at rest: then friction at its limit has
// the spare force mu r_N - |r_T| against any velocity, takes at least that power from it, and the way
// to the end is at most the energy of the slip over the spare force. It counts as ended when this
// way is within the tolerance of positions.
static pcs_status find_stops(event_driven *s)
{
    const pcs_ed_set *set = &s->set;
    int32_t solutions = 0;
    bool any = false;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        s->stopping[i] = s->cause[i] == ED_SLIP_END && s->contacts[i].row.size == 3;
        any = any || s->stopping[i];
    }
    if (!any)
        return PCS_OK;
    collect_closed(s, false);
    PCS_TRY(pcs_ed_accelerations(s, ED_NEAREST, &solutions));
    for (int32_t k = 0; k < set->n; ++k) {
        const int32_t slot = set->slot[k];
        const double *r = set->r + set->offset[k];
        double u[3];
        if (!s->stopping[slot])
            continue;
        pcs_contact_velocity(s->base.model, &s->contacts[slot], s->v, u);
        const double spare = set->mu[k] * r[0] - hypot(r[1], r[2]);
        s->stopping[slot] = solutions > 0 && slip_energy(set->tangent[k], u + 1) <=
                                                 s->base.options[ED_TOLERANCE] * spare;
    }
    return PCS_OK;
}

// A contact at rest that carries nothing and has no accelerations either: a beam that arrives without
// strain, a spring at its length. Its forces grow from zero, and their rates decide: differentiated
// once, with u_T = 0 = a_T, Coulomb's law has the form that it has for forces and accelerations,
//     (a_N', a_T') = W r' + q',   r_N' >= 0,  |r_T'| <= mu r_N',  opposite to a_T' if it slides.
// The problem a little later, along the velocities and accelerations of this instant, is that one
// times the time.
static pcs_status look_ahead(event_driven *s)
{
    const pcs_model *model = s->base.model;
    double *a = s->x, *way = s->v_minus;
    int32_t solutions;
    bool any = false;
    for (int32_t k = 0; k < s->set.n; ++k)
        any = any || s->set.idle[k] >= 0;
    if (!any)
        return PCS_OK;
    memcpy(a, s->f, sizeof(double) * (size_t)model->n_v);
    pcs_ed_add_forces(s, a);
    for (int32_t i = 0; i < model->n_rows; ++i)
        s->p_row[i] = -s->convective[i];
    pcs_saddle_solve(s->saddle, a, s->p_row);
    const double time = pcs_ed_time_ahead(s, a);
    if (time == 0)
        return PCS_OK;
    for (int32_t i = 0; i < model->n_v; ++i) {
        way[i] = time * s->v[i];
        s->point.v[i] = s->v[i] + time * a[i];
    }
    pcs_model_retract(model, s->q, way, s->point.q);
    s->point.t = s->march->to.t + time;
    pcs_ed_look(s, &s->point, true);
    PCS_TRY(pcs_ed_accelerations(s, ED_NEAREST, &solutions));
    if (solutions > 0)
        pcs_ed_decide_later(s);
    pcs_ed_look_here(s);
    return pcs_ed_factor(s);
}

static bool jams(const event_driven *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->cause[i] == ED_JAM)
            return true;
    return false;
}

static pcs_status status(event_driven *s)
{
    enum { JUMPS_MAX = 8 };
    int32_t solutions = 0;
    PCS_TRY(find_stops(s));
    if (jams(s)) {
        collect_closed(s, false);
        PCS_TRY(escape(s, true));
    }
    for (int jump = 0; jump <= JUMPS_MAX; ++jump) {
        collect_closed(s, false);
        PCS_TRY(still(s));
        PCS_TRY(pcs_ed_accelerations(s, ED_NEAREST, &solutions));
        if (solutions > 0)
            break;
        bool sliding = false;
        for (int32_t k = 0; k < s->set.n; ++k)
            sliding = sliding || (s->set.slides[k] && s->set.mu[k] > 0);
        if (!sliding || jump == JUMPS_MAX)
            return unsolved(s, "acceleration problem");
        PCS_TRY(escape(s, false));
    }
    if (solutions > 1) {
        ++s->painleve;
        pcs_log(s->base.ctx, PCS_LOG_WARNING,
                "t = %.9g: the forces of contact '%s' have %d solutions (Painleve's paradox); the "
                "one nearest to the forces before is taken",
                s->c.t, first_sliding(s), solutions);
    }
    pcs_ed_decide(s);
    PCS_TRY(look_ahead(s));
    for (;;) {
        bool found;
        PCS_TRY(pcs_ed_put_aside(s, &found));
        if (!found)
            return PCS_OK;
        collect_closed(s, false);
        PCS_TRY(still(s));
        PCS_TRY(pcs_ed_accelerations(s, ED_ANY, &solutions));
        if (solutions == 0)
            return unsolved(s, "acceleration problem");
        pcs_ed_decide(s);
        PCS_TRY(look_ahead(s));
    }
}

// ---- Handling ----

// Contacts that reach the end of their face go to the next one.
static void change_faces(event_driven *s)
{
    const int32_t slots = s->base.model->n_slots, curves = s->base.model->n_faces - slots;
    for (int32_t i = 0; i < slots; ++i) {
        if (s->cause[i] != ED_EDGE)
            continue;
        s->phase.face[i] = s->contacts[i].next_face;
        if (s->phase.face[i] < 0)
            s->phase.mode[i] = PCS_MODE_OPEN;
    }
    if (curves > 0)
        pcs_model_curve_edges(s->base.model, &s->c, s->curve_edge, s->curve_face, s->curve_next);
    for (int32_t i = 0; i < curves; ++i)
        s->phase.face[slots + i] = s->curve_face[i]; // turn_corners() goes to the next one
}

// Joints whose curve has a corner between the faces: the velocity turns with it (corner_impact.h).
static pcs_status turn_corners(event_driven *s)
{
    const pcs_model *model = s->base.model;
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        const int32_t place = model->n_slots + joint->curve_index;
        if (!joint->curve || s->cause[place] != ED_EDGE)
            continue;
        const pcs_corner_work work = {&s->c,          s->saddle, s->rows, s->gradient[0],
                                      s->gradient[1], s->f,      s->x,    s->p_row};
        pcs_ed_look_here(s);
        PCS_TRY(pcs_corner_turn(model, &work, joint, s->phase.face,
                                s->curve_next[joint->curve_index], s->v));
    }
    return PCS_OK;
}

// Friction of a sticking contact, of the phase that ends.
static double friction_force(const event_driven *s, int32_t slot)
{
    const double *F = s->march->to.lambda + pcs_smooth_slot_row(s->march->smooth, slot);
    return s->contacts[slot].row.size == 3 ? hypot(F[1], F[2]) : fabs(F[1]);
}

// Nothing but forces that vanish and friction that reaches the cone: those contacts alone change.
// Friction that is zero has no direction to slide along.
static bool is_gentle(const event_driven *s)
{
    for (int32_t i = 0; i < s->base.model->n_faces; ++i)
        if (s->cause[i] == ED_STICK_END ? !(friction_force(s, i) > s->force_noise)
                                        : s->cause[i] != ED_NOTHING && s->cause[i] != ED_RELEASE)
            return false;
    return !s->all;
}

static void change_gently(event_driven *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        if (s->cause[i] == ED_RELEASE) {
            s->phase.mode[i] = PCS_MODE_OPEN;
        } else if (s->cause[i] == ED_STICK_END) {
            const double *F = s->march->to.lambda + pcs_smooth_slot_row(s->march->smooth, i);
            const double F_T = friction_force(s, i);
            s->phase.mode[i] = PCS_MODE_SLIDE;
            s->phase.direction[i][0] = -F[1] / F_T;
            s->phase.direction[i][1] = s->contacts[i].row.size == 3 ? -F[2] / F_T : 0;
        }
    }
}

// Faces, levels of the gaps and names of the states for the new phase.
static void settle(event_driven *s, bool gentle)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts[i];
        const bool open = s->phase.mode[i] == PCS_MODE_OPEN;
        const bool was_held = s->phase.face[i] >= 0;
        if (open)
            memset(s->warm + 3 * i, 0, 3 * sizeof(double));
        s->phase.face[i] = open || contact->gap == HUGE_VAL ? -1
                           : was_held                       ? s->phase.face[i]
                                                            : contact->face;
        s->phase.axis[i] = open ? PCS_TANGENTS_FREE : contact->axis;
        s->level[i] = open && contact->gap < 0 ? contact->gap : 0;
        if (!open || s->cause[i] != ED_NOTHING || (!gentle && touches(s, i)))
            s->touched[i] = s->march->to.t;
        s->spare[i] = s->spare[i] && open;
        if (s->spare[i]) // the drift of the others moves it
            s->level[i] -= 0.5 * s->base.options[ED_GAP_TOLERANCE];
        s->slip_level[i] = 0;
        if (s->phase.mode[i] == PCS_MODE_SLIDE && contact->row.size > 1) {
            const double *d = s->phase.direction[i];
            double u[3];
            pcs_contact_velocity(s->base.model, contact, s->v, u);
            s->slip_level[i] = fmin(u[1] * d[0] + (contact->row.size == 3 ? u[2] * d[1] : 0), 0);
        }
        s->status[i] = open                                 ? PCS_OPEN
                       : contact->row.size == 1             ? PCS_CLOSED
                       : s->phase.mode[i] == PCS_MODE_STICK ? PCS_STICK
                                                            : PCS_SLIP;
    }
    pcs_event_log_contacts(&s->base.events, s->march->to.t, s->status);
}

static pcs_status guard_zeno(event_driven *s)
{
    const double *option = s->base.options;
    const double t = s->march->to.t;
    if (s->all) // switches of formulas do not accumulate
        return PCS_OK;
    if (!(t - s->zeno_since <= option[ED_ZENO_TIME])) {
        s->zeno_since = t;
        s->zeno_events = 0;
    }
    if (++s->zeno_events <= (int64_t)option[ED_ZENO_COUNT])
        return PCS_OK;
    int32_t slot = 0;
    while (slot + 1 < s->base.model->n_slots && s->cause[slot] == ED_NOTHING)
        ++slot;
    return pcs_error(
        s->base.ctx, PCS_ERROR_NUMERIC,
        "t = %.9g: contact '%s' has had %lld events within %g s (impacts or changes of "
        "friction accumulate); use scheme: hybrid, or raise velocity_tolerance",
        t, s->base.model->slot_names.data[slot], (long long)s->zeno_events - 1,
        option[ED_ZENO_TIME]);
}

pcs_status pcs_ed_handle(event_driven *s)
{
    const pcs_model *model = s->base.model;
    const pcs_smooth_point *to = &s->march->to;
    PCS_TRY(guard_zeno(s));
    PCS_TRY(pcs_arena_reset(&s->arena));
    memcpy(s->q, to->q, sizeof(double) * (size_t)model->n_q);
    memcpy(s->v, to->v, sizeof(double) * (size_t)model->n_v);
    // Methods of index 1 and 3 satisfy G v = rate to their errors only, and an impact against a
    // contact that the joints hold in one direction has no solution, or endless impulses, with
    // velocities that they do not allow. Not where formulas switch: rates of drives and speeds of
    // surfaces are those after the jump already.
    const int32_t index = s->march->opts.class->index;
    if (index != 2 && !s->all)
        PCS_TRY(pcs_smooth_project(s->march->smooth, to->t, s->q, s->v,
                                   s->base.options[ED_PROJECTION_TOLERANCE], index == 3, true));
    pcs_ed_look_here(s);
    pcs_ed_find_rounding(s);
    see_flights(s);
    const bool gentle = is_gentle(s);
    if (gentle) {
        change_gently(s);
    } else {
        find_flying(s);
        memset(s->spare, 0, sizeof *s->spare * (size_t)model->n_slots);
        change_faces(s);
        PCS_TRY(turn_corners(s));
        pcs_ed_look_here(s);
        PCS_TRY(pcs_ed_drive(s));
        PCS_TRY(impact(s));
        PCS_TRY(status(s));
    }
    settle(s, gentle);
    s->pending = s->all = false;
    memset(s->cause, ED_NOTHING, (size_t)model->n_faces);
    return pcs_ed_begin(s, to->t);
}

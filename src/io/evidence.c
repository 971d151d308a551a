// Judges a run from its statistics. Each finding has two limits, from where on it is worth a notice
// and from where on the run is not to be trusted, and says in plain words what the number means.
#include "percuss/evidence.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/evidence_limits.h"

const char *pcs_level_name(pcs_level level)
{
    return level == PCS_LEVEL_GOOD ? "good" : level == PCS_LEVEL_NOTICE ? "notice" : "bad";
}

// A number that is not finite is beyond every limit.
static pcs_level judge(double value, double notice, double bad)
{
    return value <= notice ? PCS_LEVEL_GOOD : value <= bad ? PCS_LEVEL_NOTICE : PCS_LEVEL_BAD;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void say(pcs_finding *f, const char *format, ...) PCS_PRINTF(2, 3);

// Adds to the text of a finding; what does not fit is cut.
static void say(pcs_finding *f, const char *format, ...)
{
    size_t length = strlen(f->text);
    va_list args;
    va_start(args, format);
    vsnprintf(f->text + length, sizeof f->text - length, format, args);
    va_end(args);
}

// A part as a reader says it: "3.6 % of", and "48 times" where per cent lose their meaning.
static void say_part(pcs_finding *f, double part)
{
    if (part < 10)
        say(f, "%.3g %% of", 100 * part);
    else
        say(f, "%.2g times", part);
}

static const char *contact_name(const pcs_run_facts *facts, int32_t slot)
{
    const char *name = facts->contact_name && slot >= 0 ? facts->contact_name(facts->owner, slot)
                                                        : NULL;
    return name ? name : "?";
}

// NULL: not known.
static const char *place_name(const pcs_run_facts *facts, const pcs_extreme *at)
{
    return at->value > 0 && facts->body_name ? facts->body_name(facts->owner, at->where) : NULL;
}

static double model_size(const pcs_run_facts *facts)
{
    return facts->statistics->size > 0 ? facts->statistics->size : facts->size;
}

// The option to make smaller under the scheme at hand.
static const char *remedy(const pcs_run_facts *facts)
{
    const pcs_refinement by = (pcs_refinement)facts->statistics->refined_by;
    return by == PCS_REFINED_STEP ? "--step" : pcs_refinement_option(by);
}

static bool has_whole_steps(const pcs_statistics *s)
{
    return s->refined_by == PCS_REFINED_STEP;
}

// ---- Energy ----

void pcs_energy_scale_update(pcs_energy_scale *scale, double kinetic, double potential)
{
    if (!scale->started) {
        scale->started = true;
        scale->first_potential = potential;
    }
    scale->largest = fmax(scale->largest, kinetic);
    scale->largest = fmax(scale->largest, fabs(potential - scale->first_potential));
}

double pcs_energy_at_start(const pcs_energy_account *e)
{
    return e->kinetic + e->potential -
           (e->applied + e->actuator + e->driver + e->damping + e->friction + e->impact) -
           e->numerical;
}

// The largest energy of the run or work of its forces.
static double largest_energy(const pcs_statistics *statistics, const pcs_energy_scale *scale)
{
    const pcs_energy_account *e = &statistics->energy;
    const double works[] = {e->applied, e->actuator, e->driver, e->damping, e->friction, e->impact};
    double largest = scale->largest;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        largest = fmax(largest, fabs(works[i]));
    return largest;
}

// Energies below this cannot be told from rounding: that of all that was added up, and that of the
// forces that hold bodies at rest, where the potential may well be counted from.
static double least_energy(const pcs_statistics *statistics)
{
    const double sums = 1e-9; // 1e5 steps of 1e4 terms, rounded at random
    const pcs_energy_account *e = &statistics->energy;
    const double rounding = statistics->energy_rounding +
                            sums * (fabs(e->kinetic) + fabs(e->potential) +
                                    fabs(pcs_energy_at_start(e)));
    return DBL_MIN + rounding / REMAINDER_NOTICE;
}

double pcs_energy_remainder(const pcs_statistics *statistics, const pcs_energy_scale *scale,
                            double *largest)
{
    const double least = least_energy(statistics);
    *largest = largest_energy(statistics, scale);
    const double unit = fmax(*largest, least);
    if (*largest < least)
        *largest = 0;
    return fabs(statistics->energy.numerical) / unit;
}

static pcs_finding judge_energy(const pcs_run_facts *facts)
{
    const pcs_energy_account *energy = &facts->statistics->energy;
    const bool pushed = facts->statistics->initial_penetration > START_LIMIT;
    pcs_finding f = {.label = "energy balance", .unit = "1", .applies = true};
    double largest;
    f.value = pcs_energy_remainder(facts->statistics, &facts->energy, &largest);
    f.level = judge(f.value, REMAINDER_NOTICE, REMAINDER_BAD);
    if (!isfinite(energy->kinetic + energy->potential)) {
        f.level = PCS_LEVEL_BAD;
        say(&f,
            "the %s energy at the end is not a finite number, and there is no balance: check the "
            "formulas of %s",
            isfinite(energy->kinetic) ? "potential" : "kinetic",
            isfinite(energy->kinetic) ? "potentials" : "kinetic energies and masses");
    } else if (!isfinite(f.value)) {
        f.level = PCS_LEVEL_BAD;
        say(&f, "the work of a force is not a finite number, and there is no balance of energy");
    } else if (f.level == PCS_LEVEL_GOOD) {
        say(&f,
            "the works of all forces explain the change of energy to %.2g of the largest energy "
            "or work",
            f.value);
    } else if (pushed) {
        say(&f,
            "the numerical remainder is %.3g %% of the largest energy or work; pushing out the "
            "initial penetration is part of it",
            100 * f.value);
    } else {
        say(&f,
            "the numerical remainder is %.3g %% of the largest energy or work; a smaller %s makes "
            "it "
            "smaller",
            100 * f.value, remedy(facts));
    }
    return f;
}

static pcs_finding judge_impact_gain(const pcs_run_facts *facts)
{
    const pcs_extreme *gain = &facts->statistics->impact_gain;
    pcs_finding f = {.label = "energy gained by impacts", .unit = "1"};
    f.applies = facts->contacts > 0;
    f.value = gain->value / fmax(largest_energy(facts->statistics, &facts->energy),
                                 least_energy(facts->statistics));
    f.level = judge(f.value, GAIN_NOTICE, GAIN_BAD);
    if (f.level == PCS_LEVEL_GOOD)
        say(&f, "impacts made no energy");
    else
        say(&f,
            "impacts made %.3g J, %.2g %% of the largest energy, most of it at contact '%s', t = "
            "%.6g s: with friction or several contacts Newton's law of restitution may; take a "
            "smaller restitution there",
            gain->value, 100 * f.value, contact_name(facts, gain->where), gain->time);
    return f;
}

static pcs_finding judge_angular_momentum(const pcs_run_facts *facts)
{
    pcs_finding f = {.label = "angular momentum", .unit = "1"};
    f.value = facts->statistics->momentum_drift;
    f.applies = f.value > 0 || isnan(f.value);
    f.level = judge(f.value, MOMENTUM_NOTICE, MOMENTUM_BAD);
    if (f.level == PCS_LEVEL_GOOD)
        say(&f, "bodies that nothing outside acts on keep their angular momentum to %.1e", f.value);
    else
        say(&f,
            "the angular momentum of bodies that nothing outside acts on changed by %.2g of its "
            "size: a rotation is not resolved; try a smaller %s",
            f.value, remedy(facts));
    return f;
}

// ---- Errors ----

// Since when the errors are as large as the motion, added up or grown; 0: never.
static double horizon(const pcs_statistics *s)
{
    if (s->horizon > 0 && s->error.time > 0)
        return fmin(s->horizon, s->error.time);
    return fmax(s->horizon, s->error.time);
}

static pcs_finding judge_error(const pcs_run_facts *facts)
{
    const pcs_statistics *s = facts->statistics;
    const char *body = place_name(facts, &s->error);
    pcs_finding f = {.label = "estimated error", .unit = "1", .value = s->error.value};
    f.applies = s->size > 0 && (s->estimates > 0 || !has_whole_steps(s));
    f.level = judge(f.value, ERROR_NOTICE, INFINITY);
    if (f.level == PCS_LEVEL_GOOD)
        f.level = judge(s->error_velocity, VELOCITY_ERROR_NOTICE, INFINITY);
    if (f.level == PCS_LEVEL_GOOD && horizon(s) > 0)
        f.level = PCS_LEVEL_NOTICE;
    say(&f, "the errors of all steps add up to ");
    say_part(&f, s->error.value);
    say(&f, " the largest displacement (%.2g m or rad", s->error_length);
    if (body && has_whole_steps(s))
        say(&f, " of %s", body);
    say(&f, ")");
    if (has_whole_steps(s)) {
        say(&f, " and ");
        say_part(&f, s->error_velocity);
        say(&f, " the largest velocity, from %lld steps repeated with half the length",
            (long long)s->estimates);
    }
    if (s->growth > 0)
        say(&f, "; errors grow (by e in %.2g s)", 1 / s->growth);
    if (horizon(s) > 0)
        say(&f, "; beyond t = %.6g s the motion is not predictable", horizon(s));
    if (f.level != PCS_LEVEL_GOOD)
        say(&f, "; try a smaller %s, or percuss run --verify", remedy(facts));
    return f;
}

// The first limit that is passed, from the one that says most.
static pcs_finding judge_resolution(const pcs_run_facts *facts)
{
    const pcs_statistics *s = facts->statistics;
    const char *turned = place_name(facts, &s->turn), *moved = place_name(facts, &s->way);
    pcs_finding f = {.label = "resolution", .unit = "1", .value = s->error_step};
    f.applies = has_whole_steps(s);
    f.level = judge(s->error_step, STEP_ERROR_NOTICE, STEP_ERROR_BAD);
    const bool fast = s->rate > RATE_NOTICE, turns = s->turn.value > TURN_NOTICE;
    const bool far = s->way.value > WAY_NOTICE;
    if (f.level == PCS_LEVEL_GOOD && (fast || turns || far))
        f.level = PCS_LEVEL_NOTICE;
    if (f.level == PCS_LEVEL_GOOD) {
        say(&f, "steps resolve the motion: a step is wrong by %.1e of the way in it",
            s->error_step);
        if (s->stiffness > STIFF)
            say(&f,
                "; the model could vibrate at up to %.2g times the length of a step (h omega), "
                "which would not be resolved",
                s->stiffness);
        return f;
    }
    if (!(s->error_step <= STEP_ERROR_NOTICE))
        say(&f, "a step is wrong by %.2g of the way in it; ", s->error_step);
    if (fast)
        say(&f, "the fastest swing of the motion has only %.2g steps in a period (h omega %.2g); ",
            6.283 / s->rate, s->rate);
    if (turns)
        say(&f, "%s%s turns by up to %.2g rad in a step (t = %.6g s); ",
            turned ? "body " : "a body", turned ? turned : "", s->turn.value, s->turn.time);
    if (far)
        say(&f, "%s%s moves by %.2g times its size in a step (t = %.6g s); ",
            moved ? "body " : "a body", moved ? moved : "", s->way.value, s->way.time);
    say(&f, "try a smaller %s", remedy(facts));
    return f;
}

// ---- Contacts ----

// A limit of a joint is a contact "JOINT.lower" or "JOINT.upper", and may be an angle.
static bool is_limit(const char *contact)
{
    const char *end = strrchr(contact, '.');
    return end && (strcmp(end, ".lower") == 0 || strcmp(end, ".upper") == 0);
}

static pcs_finding judge_initial_penetration(const pcs_run_facts *facts)
{
    const double depth = facts->statistics->initial_penetration;
    const char *contact = contact_name(facts, facts->statistics->initial_contact);
    const char *unit = is_limit(contact) ? "m or rad" : "m";
    pcs_finding f = {.label = "initial penetration", .unit = unit, .value = depth};
    f.applies = facts->contacts > 0;
    f.level = judge(depth, START_LIMIT,
                    model_size(facts) > 0 ? PENETRATION_BAD * model_size(facts) : INFINITY);
    if (f.level == PCS_LEVEL_GOOD)
        say(&f, "no contact started inside the other body");
    else
        say(&f,
            "%s '%s' started %.3g %s deep; correct the initial positions, for the way out is no "
            "physical motion",
            is_limit(contact) ? "limit" : "contact", contact, depth, unit);
    return f;
}

static const char *kind_of(const char *contact)
{
    return is_limit(contact) ? "limit" : "contact";
}

static void explain_penetration(pcs_finding *f, const pcs_run_facts *facts)
{
    const char *projection = facts->projection;
    const char *contact = contact_name(facts, facts->statistics->penetration_slot);
    // Results of earlier versions and runs that were cut off know neither place nor time.
    if (facts->statistics->refined_by != PCS_REFINED_UNKNOWN)
        say(f, "%s '%s' was %.1e %s deep at t = %.6g s", kind_of(contact), contact, f->value,
            is_limit(contact) ? "m or rad" : "m", facts->statistics->penetration_time);
    else
        say(f, "bodies penetrated each other by up to %.1e m", f->value);
    if (model_size(facts) > 0)
        say(f, " (%.1g of the size of the model)", f->value / model_size(facts));
    if (projection && strcmp(projection, "all") != 0)
        say(f, "; try a smaller %s or projection: all", remedy(facts));
    else if (!projection)
        say(f,
            ": with projection: all, contacts contradict each other or the joints; otherwise try "
            "that option");
    else if (facts->deepest && facts->gap < -PENETRATION_NOTICE)
        say(f,
            " although contacts are projected: contacts contradict each other or the joints, and "
            "the bodies are jammed; at the end %s '%s' is %.3g %s deep",
            kind_of(facts->deepest), facts->deepest, -facts->gap,
            is_limit(facts->deepest) ? "m or rad" : "m");
    else
        say(f,
            " although contacts are projected: for a time contacts contradicted each other or the "
            "joints; at the end none does");
}

// From where on a distance that should be zero is seen, and from where on it is as large as the
// model's own lengths. Small mechanisms have small fits.
static pcs_level judge_distance(const pcs_run_facts *facts, double distance)
{
    const double size = model_size(facts);
    return size > 0 ? judge(distance, fmin(PENETRATION_NOTICE, PENETRATION_PART * size),
                            PENETRATION_BAD * size)
                    : judge(distance, PENETRATION_NOTICE, INFINITY);
}

static pcs_finding judge_hover(const pcs_run_facts *facts)
{
    const pcs_extreme *hover = &facts->statistics->hover;
    const char *contact = contact_name(facts, hover->where);
    pcs_finding f = {.label = "force across a gap", .unit = "m", .value = hover->value};
    f.applies = facts->contacts > 0 && facts->statistics->size > 0;
    f.level = judge_distance(facts, hover->value);
    if (f.level == PCS_LEVEL_GOOD)
        say(&f, "contacts that carry a force are closed");
    else
        say(&f,
            "%s '%s' carried a force across a gap of %.2g %s at t = %.6g s: the step is too long "
            "for its approach; try a smaller %s",
            kind_of(contact), contact, hover->value, is_limit(contact) ? "m or rad" : "m",
            hover->time, remedy(facts));
    return f;
}

static pcs_finding judge_chatter(const pcs_run_facts *facts)
{
    const pcs_extreme *chatter = &facts->statistics->chatter;
    const char *contact = contact_name(facts, chatter->where);
    pcs_finding f = {.label = "chatter", .unit = "1", .value = chatter->value};
    f.applies = facts->contacts > 0 && facts->statistics->size > 0;
    f.level = chatter->value > 0 ? PCS_LEVEL_NOTICE : PCS_LEVEL_GOOD;
    if (f.level == PCS_LEVEL_GOOD)
        say(&f, "no contact opens and closes from step to step");
    else
        say(&f,
            "%s '%s' opened and closed %.0f times in a row with a few steps between, up to t = "
            "%.6g s: its forces of single steps mean nothing, their means do; try a smaller %s",
            kind_of(contact), contact, chatter->value, chatter->time, remedy(facts));
    return f;
}

static pcs_finding judge_penetration(const pcs_run_facts *facts)
{
    const double depth = facts->statistics->worst_penetration;
    pcs_finding f = {.label = "penetration", .unit = "m", .value = depth};
    f.applies = facts->contacts > 0;
    f.level = judge_distance(facts, depth);
    if (f.level != PCS_LEVEL_GOOD)
        explain_penetration(&f, facts);
    else if (depth > 0)
        say(&f, "bodies overlapped by at most %.1e m at the end of a step", depth);
    else
        say(&f, "no two bodies overlapped at the end of a step");
    return f;
}

// ---- Joints ----

static pcs_finding judge_drift(const pcs_run_facts *facts)
{
    pcs_finding f = {.label = "joint drift", .unit = "m or rad"};
    f.value = facts->statistics->worst_drift;
    f.applies = facts->joints > 0;
    f.level = judge(f.value, DRIFT_NOTICE, DRIFT_BAD);
    if (f.level == PCS_LEVEL_GOOD)
        say(&f, "joints stayed closed to %.1e m or rad", f.value);
    else
        say(&f,
            "joints came apart by up to %.1e m or rad; try a smaller %s or the projection of "
            "joints (percuss "
            "list schemes)",
            f.value, remedy(facts));
    return f;
}

static pcs_finding judge_velocity_drift(const pcs_run_facts *facts)
{
    pcs_finding f = {.label = "joint velocity drift", .unit = "m/s or rad/s"};
    f.value = facts->statistics->worst_velocity_drift;
    f.applies = facts->joints > 0;
    f.level = judge(f.value, VELOCITY_NOTICE, VELOCITY_BAD);
    say(&f, "velocities %s the joints to %.1e m/s or rad/s",
        f.level == PCS_LEVEL_GOOD ? "fit" : "violated", f.value);
    if (f.level != PCS_LEVEL_GOOD)
        say(&f, "; try a smaller %s", remedy(facts));
    return f;
}

static pcs_finding judge_redundancy(const pcs_run_facts *facts)
{
    const int32_t rows = facts->statistics->redundant_rows;
    pcs_finding f = {.label = "redundant constraint rows", .unit = "1", .value = rows};
    f.applies = facts->joints > 0;
    f.level = rows > 0 ? PCS_LEVEL_NOTICE : PCS_LEVEL_GOOD;
    if (rows > 0)
        say(&f,
            "other joints already hold %d constraint row%s: the motion is right, but the "
            "reactions of these joints are shared out arbitrarily",
            (int)rows, plural(rows));
    else
        say(&f, "no joint holds what others already hold: reactions are unique");
    return f;
}

// No fault of the run, and boxes that rest are everywhere: said, never judged.
static pcs_finding judge_forces(const pcs_run_facts *facts)
{
    const pcs_extreme *most = &facts->statistics->free_forces;
    const char *contact = contact_name(facts, most->where);
    const bool named = most->where >= 0;
    pcs_finding f = {.label = "contact forces not unique", .unit = "1", .value = most->value};
    f.applies = facts->contacts > 0 && facts->statistics->force_components > 0;
    f.level = PCS_LEVEL_GOOD;
    if (!(most->value > 0))
        say(&f, "no contact holds what others already hold: contact forces are unique");
    else
        say(&f,
            "of %d components of the contact forces %.0f are free (%s%s%s%sat t = %.6g s): rigid "
            "bodies can share the load in many ways, and the run shows one; sums of forces and the "
            "motion are unique, unless these contacts slide in different directions",
            (int)facts->statistics->force_components, most->value, named ? kind_of(contact) : "",
            named ? " '" : "", named ? contact : "", named ? "' " : "", most->time);
    return f;
}

static pcs_finding judge_singularity(const pcs_run_facts *facts)
{
    const int32_t most = facts->statistics->redundant_most;
    const int32_t start = facts->statistics->redundant_rows;
    pcs_finding f = {.label = "singular positions", .unit = "1", .value = most > start ? most : 0};
    f.applies = facts->joints > 0;
    f.level = most > start ? PCS_LEVEL_NOTICE : PCS_LEVEL_GOOD;
    if (most > start)
        say(&f,
            "up to %d constraint rows were redundant during the run (%d at the start): the "
            "mechanism passed a singular position",
            (int)most, (int)start);
    else
        say(&f, "the mechanism passed no singular position");
    return f;
}

static pcs_finding judge_assembly(const pcs_run_facts *facts)
{
    const pcs_statistics *s = facts->statistics;
    pcs_finding f = {.label = "initial assembly", .unit = "m or rad", .value = s->assembly_moved};
    f.applies = facts->joints > 0;
    const pcs_extreme most = {s->assembly_moved, 0, s->assembly_body};
    const char *moved = s->assembly_body != PCS_GROUND ? place_name(facts, &most) : NULL;
    f.level = s->assembly_moved <= ASSEMBLY_NOTICE ? PCS_LEVEL_GOOD : PCS_LEVEL_NOTICE;
    if (!(s->assembly_moved > START_LIMIT))
        say(&f, "the initial positions fit the joints");
    else
        say(&f, "initial positions were moved by at most %.3g m or rad%s%s%s to close the joints",
            s->assembly_moved, moved ? " (body " : "", moved ? moved : "", moved ? ")" : "");
    return f;
}

// ---- Solvers and steps ----

static pcs_finding judge_residual(const pcs_run_facts *facts, const char *label, const char *what,
                                  double value)
{
    pcs_finding f = {.label = label, .unit = "1", .value = value, .applies = true};
    f.level = judge(value, RESIDUAL_NOTICE, RESIDUAL_BAD);
    say(&f, "the worst step met %s to %.1e", what, value);
    if (f.level == PCS_LEVEL_GOOD)
        say(&f, ", which is as good as exact");
    else if (f.level == PCS_LEVEL_NOTICE)
        say(&f, ": enough for a picture, not for the last digits");
    else
        say(&f, ": forces and motion of that step are not reliable; try a smaller %s",
            remedy(facts));
    return f;
}

static pcs_finding judge_convergence(const pcs_run_facts *facts)
{
    const pcs_statistics *s = facts->statistics;
    const int64_t count = s->unconverged_steps;
    pcs_finding f = {.label = "steps that did not converge", .unit = "1", .value = (double)count};
    f.applies = true;
    f.level = judge((double)count, 0, UNCONVERGED_BAD * (double)s->steps);
    if (count > 0)
        say(&f,
            "%lld step%s did not converge and kept the best iterate (worst residual %.2g of the "
            "contact problem, %.2g of the momentum balance); try a smaller %s or more iterations "
            "(percuss "
            "list schemes)",
            (long long)count, plural(count), s->worst_residual, s->worst_newton, remedy(facts));
    else
        say(&f, "every step converged");
    return f;
}

static pcs_finding judge_rejections(const pcs_run_facts *facts)
{
    const pcs_statistics *s = facts->statistics;
    const int64_t count = s->rejected_steps;
    pcs_finding f = {.label = "rejected steps", .unit = "1", .value = (double)count};
    f.applies = true;
    // A scheme that chooses its own steps learns their length by rejections.
    const bool own_steps = s->size > 0 ? !has_whole_steps(s)
                                       : s->inner_steps > 0 && s->inner_steps != s->steps;
    f.level = judge((double)count,
                    own_steps ? (double)s->inner_steps : REJECTED_NOTICE * (double)s->steps,
                    INFINITY);
    if (count == 0)
        say(&f, "no step had to be repeated");
    else
        say(&f, "%lld step%s had to be repeated with a smaller length%s", (long long)count,
            plural(count),
            f.level == PCS_LEVEL_GOOD || s->refined_by != PCS_REFINED_STEP
                ? ""
                : "; a smaller --step costs less");
    return f;
}

// ---- All together ----

void pcs_run_judge(const pcs_run_facts *facts, pcs_finding *findings)
{
    const pcs_statistics *s = facts->statistics;
    findings[PCS_FINDING_INITIAL_PENETRATION] = judge_initial_penetration(facts);
    findings[PCS_FINDING_UNCONVERGED] = judge_convergence(facts);
    findings[PCS_FINDING_PENETRATION] = judge_penetration(facts);
    findings[PCS_FINDING_HOVER] = judge_hover(facts);
    findings[PCS_FINDING_DRIFT] = judge_drift(facts);
    findings[PCS_FINDING_ENERGY] = judge_energy(facts);
    findings[PCS_FINDING_ERROR] = judge_error(facts);
    findings[PCS_FINDING_RESOLUTION] = judge_resolution(facts);
    findings[PCS_FINDING_IMPACT_GAIN] = judge_impact_gain(facts);
    findings[PCS_FINDING_CHATTER] = judge_chatter(facts);
    findings[PCS_FINDING_ANGULAR_MOMENTUM] = judge_angular_momentum(facts);
    findings[PCS_FINDING_SINGULAR] = judge_singularity(facts);
    findings[PCS_FINDING_RESIDUAL] = judge_residual(facts, "contact problem", "the contact laws",
                                                    s->worst_residual);
    findings[PCS_FINDING_RESIDUAL].applies = facts->contacts > 0;
    findings[PCS_FINDING_MOMENTUM] = judge_residual(facts, "momentum balance",
                                                    "the balance of momentum", s->worst_newton);
    findings[PCS_FINDING_VELOCITY_DRIFT] = judge_velocity_drift(facts);
    findings[PCS_FINDING_REJECTED] = judge_rejections(facts);
    findings[PCS_FINDING_REDUNDANT] = judge_redundancy(facts);
    findings[PCS_FINDING_FORCES] = judge_forces(facts);
    findings[PCS_FINDING_ASSEMBLY] = judge_assembly(facts);
}

static bool is_plural(const pcs_finding *findings)
{
    return findings[PCS_FINDING_PENETRATION].applies || findings[PCS_FINDING_DRIFT].applies;
}

pcs_level pcs_run_verdict(const pcs_finding *findings, char *text, size_t size)
{
    pcs_level worst = PCS_LEVEL_GOOD;
    for (int k = 0; k < PCS_FINDING_KIND_COUNT; k++) {
        if (findings[k].applies && findings[k].level > worst)
            worst = findings[k].level;
    }
    if (worst == PCS_LEVEL_GOOD) {
        snprintf(text, size, "The run is sound: %s%senergy hold%s to within %s limits.",
                 findings[PCS_FINDING_PENETRATION].applies
                     ? findings[PCS_FINDING_DRIFT].applies ? "contacts, " : "contacts and "
                     : "",
                 findings[PCS_FINDING_DRIFT].applies ? "joints and " : "",
                 is_plural(findings) ? "" : "s", is_plural(findings) ? "their" : "its");
        return worst;
    }
    int length = snprintf(text, size, "%s",
                          worst == PCS_LEVEL_NOTICE ? "The run is usable. To look at: "
                                                    : "Do not trust this run yet. Look at: ");
    const char *comma = "";
    for (int k = 0; k < PCS_FINDING_KIND_COUNT; k++) {
        if (!findings[k].applies || findings[k].level != worst || length >= (int)size)
            continue;
        length += snprintf(text + length, size - (size_t)length, "%s%s", comma, findings[k].label);
        comma = ", ";
    }
    if (length < (int)size)
        snprintf(text + length, size - (size_t)length, ".");
    return worst;
}

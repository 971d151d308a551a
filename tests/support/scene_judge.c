#include "support/scene_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_run.h"

// ---- Schemes ----

typedef enum judge_control {
    CONTROL_STEP,      // fixed step; a level halves it
    CONTROL_TOLERANCE, // event-driven; a level takes a tenth of the tolerance
    CONTROL_ADAPTIVE,  // adaptive time stepping, the same
    CONTROL_HYBRID     // both
} judge_control;

typedef struct judge_scheme {
    const char *name, *scheme, *options;
    judge_control control;
    double tolerance; // that of level 0: the default of the scheme
    int family;       // schemes of a family share code; families are independent witnesses
    bool explicit_;   // its smooth integrator is explicit, also for meshes
    bool damps;       // by choice: generalized-alpha with rho_infinity = 0.8
} judge_scheme;

enum {
    FAMILY_EVENT,
    FAMILY_STEPPING,
    FAMILY_ADAPTIVE,
    FAMILY_CAPTURING,
    FAMILY_ALPHA,
    FAMILY_COUNT
};

static const judge_scheme schemes[] = {
    {"event-driven", "event-driven", "", CONTROL_TOLERANCE, 1e-8, FAMILY_EVENT, false, false},
    {"exact-output", "event-driven", "output=exact", CONTROL_TOLERANCE, 1e-8, FAMILY_EVENT, false,
     false},
    {"hem5", "hem5", "", CONTROL_TOLERANCE, 1e-8, FAMILY_EVENT, true, false},
    {"dopri5", "dopri5", "", CONTROL_TOLERANCE, 1e-8, FAMILY_EVENT, true, false},
    {"rkf45", "rkf45", "", CONTROL_TOLERANCE, 1e-8, FAMILY_EVENT, true, false},
    {"rk4", "rk4", "", CONTROL_TOLERANCE, 1e-8, FAMILY_EVENT, true, false},
    {"bs32", "bs32", "", CONTROL_TOLERANCE, 1e-6, FAMILY_EVENT, true, false},
    {"heun", "heun", "", CONTROL_TOLERANCE, 1e-6, FAMILY_EVENT, true, false},
    {"alpha2", "alpha2", "", CONTROL_TOLERANCE, 1e-8, FAMILY_EVENT, false, true},
    {"alpha3", "alpha3", "", CONTROL_TOLERANCE, 1e-8, FAMILY_EVENT, false, true},
    {"hybrid", "hybrid", "", CONTROL_HYBRID, 1e-8, FAMILY_EVENT, false, false},
    {"moreau-jean", "moreau-jean", "", CONTROL_STEP, 0, FAMILY_STEPPING, false, false},
    {"mj-adaptive", "moreau-jean-adaptive", "", CONTROL_ADAPTIVE, 1e-4, FAMILY_ADAPTIVE, false,
     false},
    {"capturing", "capturing", "", CONTROL_STEP, 0, FAMILY_CAPTURING, false, false},
    {"nonsmooth-alpha", "nonsmooth-alpha", "", CONTROL_STEP, 0, FAMILY_ALPHA, false, true},
};
enum { N_SCHEMES = sizeof schemes / sizeof *schemes, LEVELS = 6 };
// Of the reference: levels below the default tolerance.
enum { REFERENCE_LEVEL = 2 };

static const char *const check_names[CHECK_COUNT] = {
    [CHECK_RUN] = "run",
    [CHECK_TIME] = "time",
    [CHECK_ENERGY] = "energy",
    [CHECK_NUMERICAL] = "numerical",
    [CHECK_PENETRATION] = "penetration",
    [CHECK_DRIFT] = "drift",
    [CHECK_MOMENTUM] = "momentum",
    [CHECK_REST] = "rest",
    [CHECK_FORCE] = "force",
    [CHECK_MOTION] = "motion",
    [CHECK_IMPACT] = "impact",
};

const char *judge_check_name(int check)
{
    return check_names[check];
}

int judge_scheme_count(void)
{
    return N_SCHEMES;
}

const char *judge_scheme_name(int scheme)
{
    return schemes[scheme].name;
}

// ---- Known limits: what a scheme need not do, each with its reason ----

typedef struct judge_limit {
    const char *scheme;  // name; NULL: all
    const char *kind;    // of the scene; NULL: all
    int control;         // or all schemes with this control; -1: all
    bool explicit_;      // only explicit integrators
    unsigned traits;     // all of them must be there
    int check;           // -1: all
    const char *message; // must be part of the text; NULL: any
    bool skip;           // the scheme is not run at all on such scenes
    const char *reason;
} judge_limit;

static const char collapsed[] = "after an accumulation";

static const judge_limit limits[] = {
    {NULL, NULL, CONTROL_TOLERANCE, false, SCENE_ACCUMULATES, CHECK_RUN, "hybrid", false,
     "impacts accumulate; event-driven integration stops there and names the scheme that does not"},
    {NULL, "pile", CONTROL_TOLERANCE, false, SCENE_ACCUMULATES, CHECK_TIME, "given up", false,
     "each of the thousands of impacts of a rattling pile is an event; time stepping is for these"},
    {"heun", NULL, CONTROL_TOLERANCE, false, 0, CHECK_TIME, "given up", false,
     "its estimate is that of Euler's method: steps fall with the root of the tolerance over the "
     "jerk, to 1e-7 s where a pin runs round its hole"},
    {NULL, "row", CONTROL_STEP, false, SCENE_ACCUMULATES, CHECK_MOTION, collapsed, false,
     "nothing presses on balls whose impacts have accumulated: gaps within the error of the scheme "
     "decide which of them the next impact hits together"},
    {NULL, "row", CONTROL_ADAPTIVE, false, SCENE_ACCUMULATES, CHECK_MOTION, collapsed, false,
     "as for fixed steps"},
    {NULL, NULL, CONTROL_TOLERANCE, true, SCENE_FLEXIBLE, CHECK_TIME, "not run", true,
     "stability holds explicit integrators to steps of a vibration of the stiffest element"},
};

static bool limit_concerns(const judge_limit *limit, const scene_facts *facts,
                           const judge_scheme *scheme)
{
    return (!limit->scheme || strcmp(limit->scheme, scheme->name) == 0) &&
           (!limit->kind || strcmp(limit->kind, facts->kind) == 0) &&
           (limit->control < 0 || limit->control == (int)scheme->control) &&
           (!limit->explicit_ || scheme->explicit_) &&
           (facts->traits & limit->traits) == limit->traits;
}

static const char *explain(const scene_facts *facts, const judge_finding *finding)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        const judge_limit *limit = &limits[i];
        if (limit_concerns(limit, facts, &schemes[finding->scheme]) &&
            (limit->check < 0 || limit->check == (int)finding->check) &&
            (!limit->message || strstr(finding->text, limit->message)))
            return limit->reason;
    }
    return NULL;
}

static bool is_left_out(const scene_facts *facts, int scheme)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
        if (limits[i].skip && limit_concerns(&limits[i], facts, &schemes[scheme]))
            return true;
    return false;
}

// ---- A scene under judgement ----

typedef struct judging {
    const scene_model *model;
    const scene_facts *facts;
    const judge_opts *opts;
    scene_judgement *out;
    run_result reference; // event-driven, tight
    const char *more;     // options of the run at hand beside those of its scheme, or NULL
    int horizon;          // last sample that can be compared
    double speed;         // 1/s, largest change of a compared number
    double reference_rest;
    run_result run[LEVELS];
    int n_levels;                             // of the present scheme
    double distance[FAMILY_COUNT];            // from the reference, where a family is off
    double off[FAMILY_COUNT][RUN_VALUES_MAX]; // its values at the worst sample
    int off_sample[FAMILY_COUNT];
} judging;

static void add(judging *j, int scheme, judge_check check, double value, double allowed,
                const char *text)
{
    if (j->out->n_findings == JUDGE_FINDINGS_MAX)
        return;
    judge_finding *finding = &j->out->finding[j->out->n_findings++];
    *finding = (judge_finding){
        .scheme = scheme, .check = check, .value = value, .allowed = allowed};
    snprintf(finding->text, sizeof finding->text, "%s", text);
    for (char *c = finding->text; *c; ++c)
        if (*c == '\n')
            *c = ' ';
    finding->explained = explain(j->facts, finding);
}

static void require_below(judging *j, int scheme, judge_check check, double value, double allowed,
                          const char *text)
{
    if (!(value <= allowed))
        add(j, scheme, check, value, allowed, text);
}

static double level_step(const scene_facts *facts, const judge_scheme *scheme, int level)
{
    const int outputs = 8; // between two samples, for schemes that choose their steps
    return scheme->control == CONTROL_STEP ? facts->step / (1 << level)
                                           : facts->end / (SCENE_SAMPLES * outputs);
}

static void print_run(const judge_scheme *s, int level, const run_result *run, int shown)
{
    printf(
        "%-16s level %d: %s t = %g, %.2f s, %lld steps, %lld impacts, gain %.1e, numerical %.1e, "
        "penetration %.1e, drift %.1e, rest %g, ripple %.1e %s\n",
        s->name, level, run->outcome == RUN_FINISHED ? "finished" : "NOT FINISHED", run->reached,
        run->seconds, (long long)run->steps, (long long)run->impacts, run->energy_gain,
        run->numerical, run->penetration, run->drift, run->rest_time, run->force_ripple,
        run->message);
    for (int i = 0; i < run->n_impacts && i < shown; ++i)
        printf("%s%d: %.7g (%.3g m/s)%s", i ? ", " : "    impacts ", run->impact[i].slot,
               run->impact[i].time, run->impact[i].speed,
               i + 1 == run->n_impacts || i + 1 == shown ? "\n" : "");
}

static double level_tolerance(const scene_facts *facts, const judge_scheme *s, int level)
{
    const double tolerance = s->control == CONTROL_ADAPTIVE   ? s->tolerance
                             : facts->traits & SCENE_FLEXIBLE ? fmax(s->tolerance, 1e-6)
                                                              : s->tolerance;
    return tolerance * pow(10, -level);
}

static void run_level(judging *j, int scheme, int level, run_result *result)
{
    const judge_scheme *s = &schemes[scheme];
    char options[200];
    const double tolerance = level_tolerance(j->facts, s, level);
    int n = snprintf(options, sizeof options, "%s %s", s->options, j->more ? j->more : "");
    if (s->control != CONTROL_STEP)
        n += snprintf(options + n, sizeof options - (size_t)n, " tolerance=%g", tolerance);
    if (s->control == CONTROL_HYBRID) // defaults 1e-5 and 1e-4
        snprintf(options + n, sizeof options - (size_t)n,
                 " smallest_time_step=%g largest_time_step=%g", 1e-5 / (1 << level),
                 1e-4 / (1 << level));
    const bool explicit_ = s->control == CONTROL_TOLERANCE || s->control == CONTROL_HYBRID;
    const run_def def = {.scheme = s->scheme,
                         .options = options,
                         .step = level_step(j->facts, s, level),
                         .seconds = j->opts->seconds * (1 << (level < LEVELS ? level : LEVELS - 1)),
                         .accuracy = explicit_ ? tolerance : 0};
    scene_run_model(j->model, &def, result);
    j->out->n_runs++;
    j->out->seconds += result->seconds;
    if (j->opts->verbose)
        print_run(s, level, result, j->opts->verbose);
}

// ---- Invariants ----

// Part of the energy by which smooth motion may be wrong. Fixed steps: order 2, (h rate)^2, with
// the midpoint rule a bounded error. Tolerances: error of a step, over the length, in order 1, for
// each step of the run; adaptive time stepping has the exponent 2/3
// (docs/theory/adaptive-moreau-jean.md). Generalized-alpha begins the step after an impact with the
// acceleration of before, of a place that is h v away: h rate^2 h v of velocity, at each impact.
static double energy_allowed(const scene_facts *facts, const judge_scheme *s, const run_result *run)
{
    const double rounding = 1e-9;
    const double x = facts->step * facts->rate;
    if (s->control == CONTROL_STEP)
        return rounding + (s->damps ? 1 + (double)run->impacts : 1) * x * x;
    if (s->control == CONTROL_ADAPTIVE)
        return rounding + pow(s->tolerance / facts->length, 2. / 3);
    const double steps = fmax(1e3, (double)run->steps);
    return rounding + steps * s->tolerance / facts->length;
}

// Positions at the end of a step: time stepping projects to projection_tolerance, nonsmooth-alpha
// to constraint_tolerance (1e-12; times a condition of the rows of up to a thousand); the event-driven schemes
// close contacts within gap_tolerance, 1e-8, and integrate them with their tolerance from there.
static double position_allowed(const scene_facts *facts, const judge_scheme *s,
                               const run_result *run)
{
    if (s->control == CONTROL_STEP || s->control == CONTROL_ADAPTIVE)
        return 1e-9 * fmax(1, facts->length);
    return 2e-8 * fmax(1, facts->length) + s->tolerance * (double)run->steps;
}

// Whether the run had to come to rest: the scene does, or the reference did, soon enough to ask for
// it here (its time and a half), and is to be believed up to the end. What the reference brings to
// rest without a force that holds it there (a chain that hangs along a wall, a ball that may roll)
// keeps the velocity by which an impact or the end of a slip is wrong in this scheme: of first order,
// so its energy falls with the square. A ball rolls on steadily.
static bool must_rest(judging *j, int scheme, const run_result *run)
{
    if (j->facts->traits & SCENE_RESTS)
        return true;
    if (!(1.5 * j->reference_rest < j->facts->end) || j->horizon < SCENE_SAMPLES || run->steady)
        return false;
    static run_result finer;
    run_level(j, scheme, 2, &finer);
    return finer.outcome != RUN_FINISHED || finer.rest_kinetic > 0.25 * run->rest_kinetic;
}

static void check_invariants(judging *j, int scheme, const run_result *run)
{
    const judge_scheme *s = &schemes[scheme];
    const scene_facts *facts = j->facts;
    if (run->outcome != RUN_FINISHED) {
        add(j, scheme, run->outcome == RUN_TIMEOUT ? CHECK_TIME : CHECK_RUN, run->reached,
            facts->end, run->message);
        return;
    }
    char text[80];
    snprintf(text, sizeof text, "energy grows, most at t = %.6g", run->energy_gain_time);
    require_below(j, scheme, CHECK_ENERGY, run->energy_gain, energy_allowed(facts, s, run), text);
    const double position = position_allowed(facts, s, run);
    require_below(j, scheme, CHECK_PENETRATION, run->penetration, position, "penetration");
    require_below(j, scheme, CHECK_DRIFT, run->drift, position, "drift of joints");
    require_below(j, scheme, CHECK_MOMENTUM, run->momentum, 1e-9, "momentum changes");
    snprintf(text, sizeof text, "kinetic energy left, %lld impacts; the reference rests at %.4g",
             (long long)run->impacts, j->reference_rest);
    if (run->rest_time > facts->end && must_rest(j, scheme, run))
        add(j, scheme, CHECK_REST, run->rest_kinetic, 1e-12, text);
    // Generalized-alpha comes to rest by its damping, and its forces with it. What holds a force of
    // time follows it.
    if (run->force_ripple >= 0 && !(facts->traits & SCENE_DRIVEN))
        require_below(j, scheme, CHECK_FORCE, run->force_ripple, s->damps ? 1e-5 : 1e-6,
                      "resting forces change");
}

// ---- Motion ----

// An energy that jumps at the sample may be that before or behind the impact.
static double distance(const run_result *a, const run_result *b, int k)
{
    const int last = a->n_values - 1; // energy
    const double scale = fmax(a->energy_scale, b->energy_scale);
    const bool jumps = a->struck[k] || b->struck[k];
    double most = jumps ? 0 : fabs(a->sample[k][last] - b->sample[k][last]) / scale;
    for (int i = 0; i < last; ++i)
        if (a->quaternion[i]) {
            double same = 0, opposite = 0;
            for (int c = 0; c < 4; ++c) {
                const double x = a->sample[k][i + c], y = b->sample[k][i + c];
                same += (x - y) * (x - y);
                opposite += (x + y) * (x + y);
            }
            most = fmax(most, 2 * sqrt(fmin(same, opposite)));
            i += 3;
        } else {
            const double d = fabs(a->sample[k][i] - b->sample[k][i]);
            most = d <= most ? most : d; // NaN too
        }
    return most;
}

static void find_horizon(judging *j, const run_result *plain)
{
    const double same = 1e-3; // a thousandth of the size of the scene, or rad
    const run_result *reference = &j->reference;
    j->horizon = 0;
    if (reference->outcome != RUN_FINISHED || plain->outcome != RUN_FINISHED)
        return;
    for (int k = 1; k <= SCENE_SAMPLES && distance(reference, plain, k) <= same; ++k)
        j->horizon = k;
    const double interval = j->facts->end / SCENE_SAMPLES;
    for (int i = 0; i < reference->n_impacts; ++i)
        j->speed = fmax(j->speed, reference->impact[i].speed / j->facts->length);
    for (int k = 0; k < j->horizon; ++k)
        for (int i = 0; i < reference->n_values - 1; ++i)
            j->speed = fmax(j->speed,
                            fabs(reference->sample[k + 1][i] - reference->sample[k][i]) / interval);
}

// Error that needs no second look: what a scheme of first order makes of a step, or a multiple of
// the tolerance, which is a length. No run is asked for more than the reference knows: one at 1e-13
// that is 2e-8 away from a reference at 1e-10 has not erred.
static double error_expected(const judging *j, const judge_scheme *s, int level)
{
    const double several = 2, rounding = 1e-9, steps = 1e4; // as many steps as a run may have
    const scene_facts *facts = j->facts;
    const double h = level_step(facts, s, level), x = h * facts->rate;
    if (s->control == CONTROL_STEP)
        return several * (h * j->speed + x * x) + rounding;
    const double known = level_tolerance(facts, &schemes[0], REFERENCE_LEVEL);
    const double tolerance = fmax(level_tolerance(facts, s, level), known) / fmin(1, facts->length);
    if (s->control == CONTROL_ADAPTIVE) // the error of an impact is that of one step
        return several * 10 * tolerance + rounding;
    const double stepping = s->control == CONTROL_HYBRID ? 1e-4 / (1 << level) * j->speed : 0;
    return several * (steps * tolerance + stepping) + rounding;
}

// Energy that the account cannot explain at the end, in either direction. Where there are impacts
// it is of first order, since a contact is moved by up to h v in the field of forces; so what is
// more than a hundredth must halve with a quarter of the step, and never be large. A step in which a
// pin runs round its hole by a radian shows no order yet: a finer one must then lie on the same line.
static void check_numerical(judging *j, int scheme)
{
    const judge_scheme *s = &schemes[scheme];
    static run_result finer;
    const bool damps = s->damps || j->facts->traits & SCENE_FLEXIBLE; // meshes: alpha2 everywhere
    const bool stepping = s->control != CONTROL_TOLERANCE;
    const double large = 0.2, small = stepping ? 0.01 : 1e-3;
    const double value = damps ? j->run[0].numerical : fabs(j->run[0].numerical);
    double later = value;
    char text[120];
    if (value <= small)
        return;
    for (int level = 2; value <= large && level < LEVELS; ++level) {
        run_level(j, scheme, level, &finer);
        later = damps ? finer.numerical : fabs(finer.numerical);
        if (finer.outcome != RUN_FINISHED || later <= fmax(2 * value / (1 << level), small))
            return;
    }
    snprintf(text, sizeof text, "numerical remainder, %lld impacts; refined %.3g",
             (long long)j->run[0].impacts, later);
    add(j, scheme, CHECK_NUMERICAL, value, small, text);
}

static bool agrees(const judging *j, int scheme, int level, const run_result *run, double several)
{
    const double allowed = several * error_expected(j, &schemes[scheme], level);
    for (int k = 1; k <= j->horizon; ++k)
        if (!(distance(&j->reference, run, k) <= allowed))
            return false;
    return true;
}

// Refines until the run agrees; false: it never did. Steps of one length may take another branch
// where two impacts nearly coincide, so one level that agrees is enough.
static bool refine(judging *j, int scheme)
{
    j->n_levels = 1;
    if (agrees(j, scheme, 0, &j->run[0], 1))
        return true;
    for (int level = 1; level < LEVELS; ++level) {
        run_level(j, scheme, level, &j->run[level]);
        if (j->run[level].outcome != RUN_FINISHED)
            return false;
        j->n_levels = level + 1;
        if (agrees(j, scheme, level, &j->run[level], 4))
            return true;
    }
    return false;
}

// Whether impacts of the reference have accumulated before the time t.
static bool has_accumulated(const run_result *reference, double t, double end)
{
    enum { MANY = 8 };
    const double together = 1e-4 * end;
    for (int i = 0; i + MANY <= reference->n_impacts; ++i)
        if (reference->impact[i + MANY - 1].time <= t &&
            reference->impact[i + MANY - 1].time - reference->impact[i].time < together)
            return true;
    return false;
}

// The scene with the numbers behind `key` larger by the part `delta`, at the first place of the key or
// everywhere; false: no such key.
static bool perturb(const scene_model *model, const char *key, bool everywhere, double delta,
                    scene_model *out)
{
    const char *from = strstr(model->text, key), *rest = model->text;
    size_t n = 0;
    if (!from)
        return false;
    out->facts = model->facts;
    for (; from && n < sizeof out->text / 2; from = everywhere ? strstr(rest, key) : NULL) {
        const bool bracket = strchr(key, '[') != NULL;
        const char *p = from + strlen(key), *end = p + strcspn(p, bracket ? "]" : ",}");
        n += (size_t)snprintf(out->text + n, sizeof out->text - n, "%.*s", (int)(p - rest), rest);
        for (; p <= end; ++p) {
            if (*p == ',' || p == end)
                n += (size_t)snprintf(out->text + n, sizeof out->text - n, "*%.17g", 1 + delta);
            out->text[n++] = *p;
        }
        rest = p;
    }
    if (n + strlen(rest) >= sizeof out->text)
        return false;
    snprintf(out->text + n, sizeof out->text - n, "%s", rest);
    return true;
}

// What is_sensitive() changes. Gravity, or the first velocity where there is none, scales the times of a
// scene that starts at rest and not the order of its impacts; the mass of one body and the coefficients
// of restitution, by which a step errs at an impact, change that too.
typedef struct perturbation {
    const char *key;
    bool everywhere;
} perturbation;
static const perturbation with_gravity[] = {
    {"gravity: [", false}, {"mass: ", false}, {"restitution: ", true}};
static const perturbation without_gravity[] = {
    {"velocity: [", false}, {"mass: ", false}, {"restitution: ", true}};

// Whether the reference itself goes as far from itself up to the sample k when the scene is changed
// by as little as the error that the scheme may have in its finest run: then the motion is not
// predictable to that accuracy, and the steps of a scheme, which err to one side, may all have
// taken the other branch.
static bool is_sensitive(judging *j, int scheme, int k, double error)
{
    static scene_model changed;
    static run_result run;
    const scene_model *model = j->model;
    const double delta = error_expected(j, &schemes[scheme], j->n_levels - 1);
    const perturbation *changes = strstr(model->text, "gravity: [") ? with_gravity
                                                                    : without_gravity;
    for (int i = 0; i < 2 * (int)(sizeof with_gravity / sizeof *with_gravity); ++i) {
        const double part = i % 2 ? delta : -delta;
        const perturbation *change = &changes[i / 2];
        if (!perturb(model, change->key, change->everywhere, part, &changed))
            continue;
        j->model = &changed;
        run_level(j, 0, 0, &run);
        j->model = model;
        for (int sample = 1; run.outcome == RUN_FINISHED && sample <= k; ++sample)
            if (distance(&j->reference, &run, sample) >= 0.5 * error)
                return true;
    }
    return false;
}

// Whether a fixed step an eighth as long as the finest, or a hundredth of its tolerance, agrees, or has at
// the sample k moved on from the finest by too much for a limit: then what the levels had in common was
// none. A step leaves a body that was struck with u up to h u away from the other one, and it returns
// with e u: a time of flight is wrong by up to h/e, ten steps for e = 0.1. Where bounces end that long
// before the next impact, all levels may still find the contact in flight. Likewise bounces that end
// shortly before an impact, lower than any of the tolerances: a corner that rests 1e-5 s before the other
// one lands was 2e-10 m high.
static bool goes_on(judging *j, int scheme, int k)
{
    static run_result later;
    const run_result *finest = &j->run[j->n_levels - 1];
    const judge_control control = schemes[scheme].control;
    const int more = control == CONTROL_STEP ? 3 : 2, level = j->n_levels - 1 + more;
    // Adaptive steps stop at smallest_step, and the error does not fall below that of the finest level.
    const int as_exact = control == CONTROL_STEP ? level : j->n_levels - 1;
    const double budget = j->opts->seconds * (1 << (LEVELS - 1));
    if ((control != CONTROL_STEP && control != CONTROL_ADAPTIVE) ||
        !(j->facts->traits & SCENE_ACCUMULATES) || finest->seconds * (1 << more) > budget)
        return false;
    run_level(j, scheme, level, &later);
    if (later.outcome != RUN_FINISHED)
        return false;
    double moved = 0;
    for (int i = 1; i <= k; ++i)
        moved = fmax(moved, distance(finest, &later, i));
    return agrees(j, scheme, as_exact, &later, 4) ||
           distance(&j->reference, &later, k) <=
               4 * (moved + error_expected(j, &schemes[scheme], as_exact));
}

// Whether the reference comes to the motion of the scheme's finest run, up to the sample k, when it
// takes less for closed. Contacts within its gap_tolerance, 1e-8 m, are closed to it, and an impact
// beside them is one of all; smaller bounces are impacts one after the other, and leave other
// velocities. The closer run is the better one. (A column in which two balls are 1e-11 m apart when
// the third one strikes.)
static bool agrees_with_closer(judging *j, int scheme, int k)
{
    static run_result closer;
    const run_result *finest = &j->run[j->n_levels - 1];
    const double allowed = 4 * error_expected(j, &schemes[scheme], j->n_levels - 1);
    if (!(j->facts->traits & SCENE_ACCUMULATES))
        return false;
    j->more = "gap_tolerance=1e-12";
    run_level(j, 0, REFERENCE_LEVEL, &closer);
    j->more = NULL;
    bool agrees = closer.outcome == RUN_FINISHED;
    for (int i = 1; agrees && i <= k; ++i)
        agrees = distance(&closer, finest, i) <= allowed;
    return agrees;
}

static void check_motion(judging *j, int scheme)
{
    const judge_scheme *s = &schemes[scheme];
    const int fewest = 4; // levels that show a limit: steps an eighth as long
    j->out->n_compared++;
    if (refine(j, scheme) || j->n_levels < fewest)
        return;
    const run_result *finest = &j->run[j->n_levels - 1];
    // Up to the sample: levels that have parted before are on different branches (a corner that
    // grazes, or two that land nearly together), and where they meet again, such as at rest on the
    // same side, is no limit.
    double moved = 0;
    for (int k = 1; k <= j->horizon; ++k) {
        const double error = distance(&j->reference, finest, k);
        for (int level = j->n_levels - fewest; level < j->n_levels - 1; ++level)
            moved = fmax(moved, distance(&j->run[level], finest, k));
        // It has a limit, at least four times as far from the reference as it still moves.
        const double allowed = 4 * (moved + error_expected(j, s, j->n_levels - 1));
        if (error <= allowed)
            continue;
        if (is_sensitive(j, scheme, k, error) || goes_on(j, scheme, k) ||
            agrees_with_closer(j, scheme, k))
            return;
        char text[160];
        const double t = j->facts->end * k / SCENE_SAMPLES;
        snprintf(text, sizeof text, "at t = %.6g, refined %d times: off by %.2e, moved by %.2e%s%s",
                 t, j->n_levels - 1, error, moved,
                 has_accumulated(&j->reference, t, j->facts->end) ? ", " : "",
                 has_accumulated(&j->reference, t, j->facts->end) ? collapsed : "");
        add(j, scheme, CHECK_MOTION, error, allowed, text);
        if (j->distance[s->family] == 0) {
            j->distance[s->family] = error;
            j->off_sample[s->family] = k;
            memcpy(j->off[s->family], finest->sample[k], sizeof finest->sample[k]);
        }
        return;
    }
}

// The first impact of the reference that stands alone on its contact and is not in the run of the
// level; NULL: there is none. *late: how far from its time the run was looked at, with what all impacts
// before it add if they are `summed`.
static const run_impact *missed_impact(const judging *j, int scheme, int level, bool summed,
                                       double *late)
{
    const judge_scheme *s = &schemes[scheme];
    const run_result *reference = &j->reference, *run = &j->run[level];
    const double until = j->facts->end * j->horizon / SCENE_SAMPLES;
    const double h = s->control == CONTROL_STEP ? level_step(j->facts, s, level) : 1e-4;
    double fastest = 0, error = 0;
    for (int i = 0; i < reference->n_impacts; ++i)
        fastest = fmax(fastest, reference->impact[i].speed);
    for (int k = 1; k <= j->horizon; ++k)
        error = fmax(error, distance(reference, run, k));
    if (run->n_impacts >= RUN_IMPACTS_MAX)
        return NULL;
    for (int i = 0; i < reference->n_impacts; ++i) {
        const run_impact *impact = &reference->impact[i];
        // An event has the time of the end of its step; an adaptive step over an impact moves
        // the contact by some tolerances.
        const double step = s->control == CONTROL_ADAPTIVE
                                ? 20 * level_tolerance(j->facts, s, level) / impact->speed
                                : h;
        *late = 4 * step + 4 * error * impact->size / impact->speed;
        if (summed)
            *late += i * step + 0.5 * fabs(run->numerical) * impact->time;
        if (impact->speed < 0.1 * fastest || impact->time + *late > until)
            continue;
        bool found = false, alone = true;
        for (int k = 0; k < reference->n_impacts; ++k)
            if (k != i && fabs(reference->impact[k].time - impact->time) < 4 * *late)
                alone = false;
        for (int k = 0; k < run->n_impacts; ++k)
            found |= run->impact[k].slot == impact->slot &&
                     fabs(run->impact[k].time - impact->time) <= *late;
        if (!found && alone)
            return impact;
    }
    return NULL;
}

// Impacts of the reference that stand alone on their contact must be in the run too. The errors at
// the samples say nothing of the motion between them: a box that has come to rest by the next one may
// have struck some steps too early, by what a scheme of first order makes of a step. And time
// stepping cannot tell an approach u from the speed s = h a that the forces of one step make
// (docs/theory/moreau-jean.md): such a contact comes to rest in the step, and adaptive steps are
// longer than u/a where the whole rebound, u^2/(2 a) at most, lies within the tolerance. Both fall
// with the step, so it is refined, as for the motion. Last, an impact inherits what those before it
// made: each is misplaced by up to a step, and the part of the energy that a scheme of first order
// loses at them (its numerical remainder, which check_numerical makes fall with the step) changes
// the times of flights by half that part. That is asked of the finest run alone. (A body that bounces
// on a stop with e = 1 fifty times between two samples: nonsmooth-alpha at h/32, with a remainder of
// 1 %, is 1.6 ms early in 1 s.)
static void check_impacts(judging *j, int scheme)
{
    const judge_control control = schemes[scheme].control;
    const bool refines = control == CONTROL_STEP || control == CONTROL_ADAPTIVE;
    const int last = refines ? LEVELS : j->n_levels;
    const run_impact *impact = NULL;
    double late = 0;
    for (int level = j->n_levels - 1; level < last; ++level) {
        if (level >= j->n_levels)
            run_level(j, scheme, level, &j->run[level]);
        if (j->run[level].outcome != RUN_FINISHED)
            break;
        impact = missed_impact(j, scheme, level, false, &late);
        if (impact && refines && level + 1 == last)
            impact = missed_impact(j, scheme, level, true, &late);
        if (!impact)
            return;
    }
    if (!impact)
        return;
    char text[120];
    snprintf(text, sizeof text, "contact %d at t = %.9g with %.4g m/s", impact->slot, impact->time,
             impact->speed);
    add(j, scheme, CHECK_IMPACT, 0, late, text);
}

// The reference itself is wrong where most of the other families agree on another motion: then it
// is the event-driven schemes that fail, and not they.
static void blame_reference(judging *j)
{
    int others = 0, agreed = 0, first = -1;
    for (int f = FAMILY_EVENT + 1; f < FAMILY_COUNT; ++f) {
        if (j->distance[f] == 0)
            continue;
        ++others;
        if (first < 0)
            first = f;
        double apart = 0;
        if (j->off_sample[f] == j->off_sample[first])
            for (int i = 0; i < j->reference.n_values - 1; ++i)
                apart = fmax(apart, fabs(j->off[f][i] - j->off[first][i]));
        agreed += apart <= 0.25 * j->distance[f];
    }
    if (others < 3 || agreed < 3)
        return;
    int n = 0;
    for (int i = 0; i < j->out->n_findings; ++i) {
        const judge_finding *finding = &j->out->finding[i];
        const bool by_reference = finding->check == CHECK_MOTION ||
                                  finding->check == CHECK_IMPACT ||
                                  (finding->check == CHECK_REST &&
                                   !(j->facts->traits & SCENE_RESTS));
        if (!by_reference || schemes[finding->scheme].family == FAMILY_EVENT)
            j->out->finding[n++] = *finding;
    }
    j->out->n_findings = n;
    add(j, 0, CHECK_MOTION, j->distance[first], 0,
        "the event-driven schemes stand alone: the others agree on another motion");
}

static bool is_chosen(const judge_opts *opts, int scheme)
{
    if (!opts->schemes)
        return true;
    const size_t n = strlen(schemes[scheme].name);
    for (const char *p = opts->schemes; (p = strstr(p, schemes[scheme].name)); p += n)
        if ((p == opts->schemes || p[-1] == ',') && (p[n] == 0 || p[n] == ','))
            return true;
    return false;
}

void scene_judge(const scene_model *model, const judge_opts *opts, scene_judgement *judgement)
{
    static judging j; // large; scenes are judged one after the other
    static run_result plain;
    memset(&j, 0, sizeof j);
    memset(judgement, 0, sizeof *judgement);
    j.model = model;
    j.facts = &model->facts;
    j.opts = opts;
    j.out = judgement;
    run_level(&j, 0, REFERENCE_LEVEL, &j.reference);
    run_level(&j, 0, 0, &plain);
    j.reference_rest = j.reference.outcome == RUN_FINISHED ? j.reference.rest_time : HUGE_VAL;
    find_horizon(&j, &plain);
    judgement->n_samples = j.horizon;
    for (int i = 0; i < N_SCHEMES; ++i) {
        if (!is_chosen(opts, i))
            continue;
        if (is_left_out(j.facts, i)) {
            add(&j, i, CHECK_TIME, 0, 0, "not run");
            continue;
        }
        if (i == 0)
            j.run[0] = plain;
        else
            run_level(&j, i, 0, &j.run[0]);
        check_invariants(&j, i, &j.run[0]);
        if (j.run[0].outcome != RUN_FINISHED)
            continue;
        check_numerical(&j, i);
        if (i > 0 && j.horizon > 0) {
            check_motion(&j, i);
            check_impacts(&j, i);
        }
    }
    blame_reference(&j);
}

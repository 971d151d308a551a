#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "support/scene_run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "percuss/evidence.h"
#include "percuss/io.h"
#include "percuss/simulation.h"

enum { RIPPLE_STEPS = 16 }; // last steps in which a resting force must not change

// A run while it goes on.
typedef struct running {
    const scene_facts *facts;
    pcs_context *ctx;
    pcs_model_file *file;
    const pcs_model *model;
    pcs_simulation *simulation;
    pcs_energy_scale scale;
    double kinetic_most, momentum_start[2], momentum_scale;
    double accuracy;
    double step, force[RIPPLE_STEPS], force_most; // the largest one with impacts
    double kinetic[RIPPLE_STEPS];
    int64_t n_steps, events_seen;
} running;

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static bool failed(const running *r, pcs_status status, run_outcome outcome, run_result *result)
{
    if (status >= 0)
        return false;
    result->outcome = outcome;
    snprintf(result->message, sizeof result->message, "%s", pcs_context_error(r->ctx));
    return true;
}

static bool set_options(running *r, const char *options, run_result *result)
{
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", options);
    for (char *key; (key = strtok_r(rest, " ", &rest));) {
        char *value = strchr(key, '=');
        *value++ = 0;
        if (failed(r, pcs_simulation_set(r->simulation, key, value), RUN_REFUSED, result))
            return false;
    }
    return true;
}

static bool set_file_options(running *r, run_result *result)
{
    const pcs_setting *option;
    const int32_t n = pcs_model_file_options(r->file, &option);
    for (int32_t i = 0; i < n; ++i)
        if (failed(r, pcs_simulation_set(r->simulation, option[i].key, option[i].text), RUN_REFUSED,
                   result))
            return false;
    return true;
}

static bool begin(running *r, const scene_model *model, const run_def *def, run_result *result)
{
    r->facts = &model->facts;
    r->step = def->step;
    r->accuracy = def->accuracy;
    r->ctx = pcs_context_create(NULL);
    const pcs_status read = def->path ? pcs_model_file_read(r->ctx, def->path, NULL, 0, &r->file)
                                      : pcs_model_file_read_memory(r->ctx, "scene", model->text,
                                                                   strlen(model->text), NULL, 0,
                                                                   &r->file);
    if (failed(r, read, RUN_REFUSED, result))
        return false;
    r->model = pcs_model_file_model(r->file);
    pcs_simulation_def simulation = pcs_model_file_simulation(r->file);
    if (def->scheme)
        simulation.scheme = def->scheme;
    simulation.end = model->facts.end;
    simulation.step = def->step;
    if (failed(r, pcs_simulation_create(r->ctx, r->model, &simulation, &r->simulation), RUN_REFUSED,
               result) ||
        (!def->scheme && !set_file_options(r, result)) || !set_options(r, def->options, result))
        return false;
    return !failed(r, pcs_simulation_start(r->simulation), RUN_STOPPED, result);
}

// Positions of a mesh: its first, middle and last node.
static int add_mesh(const running *r, pcs_mesh_id mesh, double *x)
{
    const int32_t last = pcs_model_mesh_node_count(r->model, mesh) - 1;
    const int32_t node[] = {0, last / 2, last};
    int n = 0;
    for (size_t i = 0; i < sizeof node / sizeof *node; ++i) {
        pcs_body_view view;
        pcs_simulation_mesh_node(r->simulation, mesh, node[i], &view);
        x[n++] = view.position.x / r->facts->length;
        x[n++] = view.position.y / r->facts->length;
        x[n++] = view.position.z / r->facts->length;
    }
    return n;
}

static int add_body(const running *r, pcs_body_id body, int n, run_result *result)
{
    double *x = result->sample[result->n_samples];
    pcs_body_view view;
    pcs_simulation_body(r->simulation, body, &view);
    x[n++] = view.position.x / r->facts->length;
    x[n++] = view.position.y / r->facts->length;
    if (r->facts->dimension == 2) {
        x[n++] = view.angle;
        return n;
    }
    x[n++] = view.position.z / r->facts->length;
    result->quaternion[n] = true;
    x[n++] = view.rotation.w;
    x[n++] = view.rotation.x;
    x[n++] = view.rotation.y;
    x[n++] = view.rotation.z;
    return n;
}

static void take_sample(const running *r, run_result *result)
{
    const int room = 10; // for the largest thing and the energy
    int n = 0;
    if (result->n_samples > SCENE_SAMPLES)
        return;
    double *x = result->sample[result->n_samples];
    for (int32_t i = 0; i < pcs_model_body_count(r->model) && n + room < RUN_VALUES_MAX; ++i)
        n = add_body(r, i, n, result);
    for (int32_t i = 0; i < pcs_model_system_count(r->model); ++i) {
        pcs_system_view view;
        pcs_simulation_system(r->simulation, i, &view);
        for (int32_t k = 0; k < pcs_model_system_size(r->model, i) && n + room < RUN_VALUES_MAX;
             ++k)
            x[n++] = view.coordinate[k] / r->facts->length;
    }
    for (int32_t i = 0; i < pcs_model_mesh_count(r->model) && n + room < RUN_VALUES_MAX; ++i)
        n += add_mesh(r, i, x + n);
    const pcs_energy_account *energy = &pcs_simulation_statistics(r->simulation)->energy;
    x[n++] = energy->kinetic + energy->potential;
    result->n_values = n;
    result->n_samples++;
}

static double mass_of(const running *r)
{
    double mass = 0;
    for (int i = 0; i < r->facts->n_bodies; ++i)
        mass += r->facts->mass[i];
    return mass;
}

// Kinetic energy that gravity gives in one step: what contacts take away in every step from a body
// at rest. Energies are measured by it at least. A body that never moves has no energy but the
// rounding of this: eps of it in the potential, since positions keep eps h (g h), and eps^2 of it in
// the velocity; a part of that rounding is no measure of anything.
static double energy_of_a_step(const running *r)
{
    const double v = r->facts->gravity * r->step;
    return 0.5 * mass_of(r) * v * v;
}

static void watch_momentum(running *r, run_result *result)
{
    double p[2] = {0, 0}, scale = 0;
    if (!(r->facts->traits & (SCENE_MOMENTUM_X | SCENE_MOMENTUM_Y)))
        return;
    for (int i = 0; i < r->facts->n_bodies; ++i) {
        pcs_body_view view;
        pcs_simulation_body(r->simulation, i, &view);
        p[0] += r->facts->mass[i] * view.velocity.x;
        p[1] += r->facts->mass[i] * view.velocity.y;
        scale += r->facts->mass[i] * (fabs(view.velocity.x) + fabs(view.velocity.y));
    }
    if (r->n_steps == 0)
        memcpy(r->momentum_start, p, sizeof p);
    r->momentum_scale = fmax(r->momentum_scale, scale);
    for (int k = 0; k < 2; ++k)
        if (r->facts->traits & (k ? SCENE_MOMENTUM_Y : SCENE_MOMENTUM_X))
            result->momentum = fmax(result->momentum, fabs(p[k] - r->momentum_start[k]));
}

static const double still = 1e-12; // part of the largest kinetic energy: a millionth of the speed

static void watch_rest(running *r, double kinetic, run_result *result)
{
    // What nothing damps keeps the errors of a step: a method whose steps the tolerance alone limits
    // goes to the border of its stability, and holds a swing at some tolerances.
    const double amplitude = 50 * r->accuracy;
    const double t = pcs_simulation_time(r->simulation);
    r->kinetic_most = fmax(fmax(r->kinetic_most, kinetic), energy_of_a_step(r));
    result->rest_kinetic = r->kinetic_most > 0 ? kinetic / r->kinetic_most : 0;
    if (kinetic > still * r->kinetic_most + r->facts->swing * amplitude * amplitude)
        result->rest_time = HUGE_VAL;
    else if (result->rest_time == HUGE_VAL)
        result->rest_time = t;
    double force = 0, impulse = 0;
    for (int32_t i = 0; i < pcs_model_contact_count(r->model); ++i) {
        pcs_contact_view view;
        pcs_simulation_contact(r->simulation, i, &view);
        force += view.force[0];
        impulse += view.impulse[0];
    }
    r->force[r->n_steps % RIPPLE_STEPS] = force;
    r->kinetic[r->n_steps % RIPPLE_STEPS] = kinetic;
    r->force_most = fmax(r->force_most, impulse / r->step);
}

// Limits are named joint.upper or joint.lower.
static double size_of(const running *r, int32_t slot)
{
    const char *name = pcs_model_contact_name(r->model, slot), *dot = strrchr(name, '.');
    for (int32_t i = 0; dot && i < pcs_model_joint_count(r->model); ++i) {
        const char *joint = pcs_model_joint_name(r->model, i);
        const pcs_joint_kind kind = pcs_model_joint_kind(r->model, i);
        const char *coordinate = pcs_joint_coordinate_name(kind, r->facts->dimension, 0);
        if (strlen(joint) == (size_t)(dot - name) && strncmp(joint, name, strlen(joint)) == 0)
            return coordinate && strcmp(coordinate, "angle") == 0 ? 1 : r->facts->length;
    }
    return r->facts->length;
}

static void watch(running *r, run_result *result)
{
    const pcs_statistics *statistics = pcs_simulation_statistics(r->simulation);
    const pcs_energy_account *energy = &statistics->energy;
    const double gain = energy->damping + energy->friction + energy->impact + energy->numerical;
    pcs_energy_scale_update(&r->scale, energy->kinetic, energy->potential);
    if (!(gain <= result->energy_gain)) { // NaN too
        result->energy_gain = gain;
        result->energy_gain_time = pcs_simulation_time(r->simulation);
    }
    watch_momentum(r, result);
    watch_rest(r, energy->kinetic, result);
    for (pcs_event event; pcs_simulation_event(r->simulation, r->events_seen, &event);
         ++r->events_seen) {
        if (result->events[event.kind]++ == 0)
            result->first_event[event.kind] = event.time;
        if (event.kind == PCS_EVENT_IMPACT && result->n_impacts < RUN_IMPACTS_MAX)
            result->impact[result->n_impacts++] = (run_impact){
                event.time, event.value, event.object, size_of(r, event.object)};
    }
    r->events_seen = pcs_simulation_event_count(r->simulation);
}

static void take_verdict(const running *r, run_result *result)
{
    pcs_finding findings[PCS_FINDING_KIND_COUNT];
    const pcs_run_facts facts = {
        .statistics = pcs_simulation_statistics(r->simulation),
        .energy = r->scale,
        .contacts = pcs_model_contact_count(r->model),
        .joints = pcs_model_row_count(r->model),
        .size = r->facts->length,
    };
    pcs_run_judge(&facts, findings);
    result->verdict = (int)pcs_run_verdict(findings, result->finding, sizeof result->finding);
}

// With round numbers an impact falls on a sample, and rounding puts it before or behind.
static void mark_struck(const scene_facts *facts, run_result *result)
{
    const double rounding = 1e-9 * facts->end;
    for (int k = 0; k <= SCENE_SAMPLES; ++k)
        for (int i = 0; i < result->n_impacts; ++i)
            if (fabs(result->impact[i].time - facts->end * k / SCENE_SAMPLES) <= rounding)
                result->struck[k] = true;
}

static void finish(running *r, run_result *result)
{
    mark_struck(r->facts, result);
    take_verdict(r, result);
    const pcs_statistics *statistics = pcs_simulation_statistics(r->simulation);
    const double moved = fmax(r->scale.largest, energy_of_a_step(r));
    const double largest = moved > 0 ? moved : 1;
    result->energy_scale = largest;
    result->energy_gain /= largest;
    const pcs_energy_account *energy = &statistics->energy;
    const double fed = fabs(energy->applied) + fabs(energy->actuator) + fabs(energy->driver);
    result->numerical = energy->numerical / fmax(largest, fed);
    result->penetration = statistics->worst_penetration;
    result->drift = statistics->worst_drift;
    result->momentum /= r->momentum_scale > 0 ? r->momentum_scale : 1;
    result->impacts = statistics->impacts;
    result->unconverged = statistics->unconverged_steps;
    result->rejected = statistics->rejected_steps;
    result->steps = statistics->inner_steps;
    result->force_ripple = -1;
    double low = HUGE_VAL, high = 0, slowest = HUGE_VAL, fastest = 0;
    for (int i = 0; i < RIPPLE_STEPS; ++i) {
        low = fmin(low, r->force[i]);
        high = fmax(high, r->force[i]);
        slowest = fmin(slowest, r->kinetic[i]);
        fastest = fmax(fastest, r->kinetic[i]);
    }
    const double steady = 1e-6; // as resting forces
    result->steady = high - low <= steady * high && fastest - slowest <= steady * fastest;
    const double last = result->reached * (1 - (RIPPLE_STEPS + 2.0) / (double)(r->n_steps + 1));
    const double nothing = 1e-9; // part of the largest force: rounding of what touches without load
    // What still counts as rest swings with that speed, at least as fast as a pendulum of its size.
    const double rate = fmax(r->facts->rate, sqrt(r->facts->gravity / r->facts->length));
    const double swing = rate * sqrt(2 * mass_of(r) * still * r->kinetic_most);
    if (high > nothing * r->force_most && result->rest_time < last)
        result->force_ripple = fmax(high - low - swing, 0) / high;
}

// In the child: what is in `result` so far counts if the run is given up.
static void run_here(const scene_model *model, const run_def *def, run_result *result)
{
    running r = {0};
    const double start = cpu_seconds();
    result->rest_time = HUGE_VAL;
    if (begin(&r, model, def, result)) {
        const int64_t steps = llround(model->facts.end / def->step);
        const int64_t stride = steps < SCENE_SAMPLES ? 1 : steps / SCENE_SAMPLES;
        watch(&r, result);
        take_sample(&r, result);
        result->outcome = RUN_FINISHED;
        while (!pcs_simulation_finished(r.simulation)) {
            if (failed(&r, pcs_simulation_step(r.simulation), RUN_STOPPED, result))
                break;
            ++r.n_steps;
            result->reached = pcs_simulation_time(r.simulation);
            watch(&r, result);
            if (r.n_steps % stride == 0)
                take_sample(&r, result);
        }
        finish(&r, result);
    }
    result->seconds = cpu_seconds() - start;
    pcs_simulation_destroy(r.simulation);
    pcs_model_file_destroy(r.file);
    pcs_context_destroy(r.ctx);
}

static void limit_time(double seconds)
{
    const struct itimerval limit = {
        .it_value = {(time_t)seconds, (suseconds_t)(1e6 * fmod(seconds, 1))}};
    signal(SIGPROF, SIG_DFL); // ends the process
    setitimer(ITIMER_PROF, &limit, NULL);
}

void scene_run_model(const scene_model *model, const run_def *def, run_result *result)
{
    run_result *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        abort();
    if (child == 0) {
        limit_time(def->seconds);
        shared->outcome = RUN_CRASHED;
        run_result *own = shared; // written in place
        run_here(model, def, own);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    memcpy(result, shared, sizeof *result);
    munmap(shared, sizeof *shared);
    if (WIFSIGNALED(status)) {
        result->outcome = WTERMSIG(status) == SIGPROF ? RUN_TIMEOUT : RUN_CRASHED;
        snprintf(result->message, sizeof result->message,
                 result->outcome == RUN_TIMEOUT ? "given up after %g s at t = %g"
                                                : "signal %g at t = %g",
                 result->outcome == RUN_TIMEOUT ? def->seconds : WTERMSIG(status), result->reached);
    }
}

// How far a number goes in a run.
static double range(const run_result *run, int i)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = 0; k < run->n_samples; ++k) {
        low = fmin(low, run->sample[k][i]);
        high = fmax(high, run->sample[k][i]);
    }
    return high - low;
}

double scene_run_distance(const run_result *a, const run_result *b)
{
    double worst = 0;
    const int n = a->n_samples < b->n_samples ? a->n_samples : b->n_samples;
    for (int k = 0; k < n; ++k)
        for (int i = 0; i + 1 < a->n_values; ++i) { // the last one is the energy
            if (a->quaternion[i]) {
                i += 3;
                continue;
            }
            worst = fmax(worst, fabs(a->sample[k][i] - b->sample[k][i]) / fmax(1, range(b, i)));
        }
    return worst;
}

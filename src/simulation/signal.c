// Signals: quantities by path. One table says what a body, a joint, a contact and the whole model
// offer; paths are enumerated from it in a fixed order.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "simulation/mesh_signal.h"
#include "simulation/simulation.h"

typedef enum signal_kind {
    SIGNAL_TIME,
    SIGNAL_POSITION,
    SIGNAL_ROTATION,
    SIGNAL_ANGLE,
    SIGNAL_VELOCITY,
    SIGNAL_ANGULAR_VELOCITY,
    SIGNAL_COORDINATE,
    SIGNAL_RATE,
    SIGNAL_FORCE,
    SIGNAL_TORQUE,
    SIGNAL_SYSTEM,
    SIGNAL_SYSTEM_RATE,
    SIGNAL_SYSTEM_ACCELERATION,
    SIGNAL_SYSTEM_FORCE,
    SIGNAL_GAP,
    SIGNAL_IMPULSE,
    SIGNAL_CONTACT_FORCE,
    SIGNAL_CONTACT_LOAD,
    SIGNAL_CONTACT_FORCE_MAX,
    SIGNAL_CONTACT_VELOCITY,
    SIGNAL_STATE,
    SIGNAL_INPUT,
    SIGNAL_ENERGY,
    SIGNAL_RESIDUAL,
    SIGNAL_MESH // and all behind it (simulation/mesh_signal.h)
} signal_kind;

typedef struct signal_group {
    signal_kind kind;
    const char *object, *quantity;
    const char *components; // one name for each component, separated by blanks; NULL: a scalar
    int32_t dimension;      // 2 or 3: only in such models; 0: in both
} signal_group;

static const signal_group groups[] = {
    {SIGNAL_POSITION, "body", "position", "x y", 2},
    {SIGNAL_POSITION, "body", "position", "x y z", 3},
    {SIGNAL_ROTATION, "body", "rotation", "w x y z", 3},
    {SIGNAL_ANGLE, "body", "angle", NULL, 2},
    {SIGNAL_VELOCITY, "body", "velocity", "x y", 2},
    {SIGNAL_VELOCITY, "body", "velocity", "x y z", 3},
    {SIGNAL_ANGULAR_VELOCITY, "body", "angular_velocity", "z", 2},
    {SIGNAL_ANGULAR_VELOCITY, "body", "angular_velocity", "x y z", 3},
    {SIGNAL_FORCE, "joint", "force", "x y", 2},
    {SIGNAL_FORCE, "joint", "force", "x y z", 3},
    {SIGNAL_TORQUE, "joint", "torque", "z", 2},
    {SIGNAL_TORQUE, "joint", "torque", "x y z", 3},
    {SIGNAL_GAP, "contact", "gap", NULL, 0},
    {SIGNAL_IMPULSE, "contact", "impulse", "n t1", 2},
    {SIGNAL_IMPULSE, "contact", "impulse", "n t1 t2", 3},
    {SIGNAL_CONTACT_FORCE, "contact", "force", "n t1", 2},
    {SIGNAL_CONTACT_FORCE, "contact", "force", "n t1 t2", 3},
    {SIGNAL_CONTACT_LOAD, "contact", "load", "n t1", 2},
    {SIGNAL_CONTACT_LOAD, "contact", "load", "n t1 t2", 3},
    {SIGNAL_CONTACT_FORCE_MAX, "contact", "force_max", "n t1", 2},
    {SIGNAL_CONTACT_FORCE_MAX, "contact", "force_max", "n t1 t2", 3},
    {SIGNAL_CONTACT_VELOCITY, "contact", "velocity", "n t1", 2},
    {SIGNAL_CONTACT_VELOCITY, "contact", "velocity", "n t1 t2", 3},
    {SIGNAL_STATE, "contact", "state", NULL, 0},
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

static const char *const energies[] = {"kinetic", "potential", "total",    "applied", "actuator",
                                       "driver",  "damping",   "friction", "impact",  "numerical"};
enum { ENERGY_COUNT = sizeof energies / sizeof *energies };

static double energy(const pcs_energy_account *e, int32_t i)
{
    const double value[ENERGY_COUNT] = {e->kinetic,  e->potential, e->kinetic + e->potential,
                                        e->applied,  e->actuator,  e->driver,
                                        e->damping,  e->friction,  e->impact,
                                        e->numerical};
    return value[i];
}

// Goes through all signals in order. A model may have many objects, so an object that cannot matter
// is passed over before its paths are made.
typedef struct visitor {
    // Whether an object with `count` signals matters; NULL: each does.
    bool (*enter)(void *user, const char *object, const char *name, int32_t count);
    // Called for each signal; stops the walk by returning true.
    bool (*visit)(void *user, const char *path, pcs_signal signal);
    void *user;
} visitor;

enum { PATH_MAX_LENGTH = 512 };

static bool is_offered(const signal_group *g, const char *object, int32_t dimension)
{
    return strcmp(g->object, object) == 0 && (!g->dimension || g->dimension == dimension);
}

// Number of signals that the table gives to each object of a kind.
static int32_t count_signals(const char *object, int32_t dimension)
{
    int32_t count = 0;
    for (int g = 0; g < GROUP_COUNT; ++g) {
        if (!is_offered(&groups[g], object, dimension))
            continue;
        ++count;
        for (const char *c = groups[g].components; c && *c; ++c)
            count += *c == ' ';
    }
    return count;
}

static bool enter(const visitor *v, const char *object, const char *name, int32_t count)
{
    return !v->enter || v->enter(v->user, object, name, count);
}

static bool visit_components(const signal_group *g, const char *name, int32_t index,
                             const visitor *v)
{
    char path[PATH_MAX_LENGTH];
    if (!g->components) {
        snprintf(path, sizeof path, "%s.%s.%s", g->object, name, g->quantity);
        return v->visit(v->user, path, (pcs_signal){(int32_t)g->kind, index, 0});
    }
    int32_t component = 0;
    for (const char *c = g->components; *c; ++component) {
        size_t length = strcspn(c, " ");
        snprintf(path, sizeof path, "%s.%s.%s.%.*s", g->object, name, g->quantity, (int)length, c);
        // The planar angular velocity and torque have only their third component.
        int32_t number = g->dimension == 2 && *g->components == 'z' ? 2 : component;
        if (v->visit(v->user, path, (pcs_signal){(int32_t)g->kind, index, number}))
            return true;
        c += length + (c[length] == ' ');
    }
    return false;
}

static bool visit_object(const pcs_model *model, const char *object, const char *name,
                         int32_t index, const visitor *v)
{
    for (int g = 0; g < GROUP_COUNT; ++g) {
        if (is_offered(&groups[g], object, model->dimension) &&
            visit_components(&groups[g], name, index, v))
            return true;
    }
    return false;
}

static bool visit_joint(const pcs_model *model, int32_t j, const visitor *v)
{
    const pcs_joint *joint = &model->joints.data[j];
    char path[PATH_MAX_LENGTH];
    for (int32_t i = 0; i < joint->n_coordinates; ++i) {
        snprintf(path, sizeof path, "joint.%s.%s", joint->name,
                 pcs_joint_coordinate_name(joint->kind, model->dimension, i));
        if (v->visit(v->user, path, (pcs_signal){SIGNAL_COORDINATE, j, i}))
            return true;
        snprintf(path, sizeof path, "joint.%s.%s", joint->name,
                 pcs_joint_rate_name(joint->kind, model->dimension, i));
        if (v->visit(v->user, path, (pcs_signal){SIGNAL_RATE, j, i}))
            return true;
    }
    return visit_object(model, "joint", joint->name, j, v);
}

static bool visit_system(const pcs_model *model, int32_t k, const visitor *v)
{
    const pcs_system *s = &model->systems.data[k];
    static const char *const tails[] = {"", ".rate", ".acceleration"};
    char path[PATH_MAX_LENGTH];
    for (int32_t i = 0; i < s->n; ++i)
        for (int32_t j = 0; j < 3; ++j) {
            snprintf(path, sizeof path, "system.%s.%s%s", s->name, s->coordinate[i], tails[j]);
            if (v->visit(v->user, path, (pcs_signal){SIGNAL_SYSTEM + j, k, i}))
                return true;
        }
    for (int32_t i = 0; i < s->n_constraints; ++i) {
        snprintf(path, sizeof path, "system.%s.%s.force", s->name, s->constraint[i]);
        if (v->visit(v->user, path, (pcs_signal){SIGNAL_SYSTEM_FORCE, k, i}))
            return true;
    }
    return false;
}

static bool visit_objects(const pcs_model *model, const visitor *v)
{
    int32_t count = count_signals("body", model->dimension);
    for (int32_t i = 0; i < pcs_model_place_count(model); ++i) {
        const char *name = pcs_model_body_name(model, i);
        if (enter(v, "body", name, count) && visit_object(model, "body", name, i, v))
            return true;
    }
    count = count_signals("joint", model->dimension);
    for (int32_t i = 0; i < model->n_shown_joints; ++i) {
        const pcs_joint *joint = &model->joints.data[i];
        if (enter(v, "joint", joint->name, count + 2 * joint->n_coordinates) &&
            visit_joint(model, i, v))
            return true;
    }
    for (int32_t i = 0; i < model->systems.count; ++i) {
        const pcs_system *s = &model->systems.data[i];
        if (enter(v, "system", s->name, 3 * s->n + s->n_constraints) && visit_system(model, i, v))
            return true;
    }
    for (int32_t i = 0; i < model->meshes.count; ++i) {
        const char *name = model->meshes.data[i].name;
        if (enter(v, "mesh", name, pcs_mesh_signal_count(model, i)) &&
            pcs_mesh_signal_walk(model, i, SIGNAL_MESH, v->visit, v->user))
            return true;
    }
    count = count_signals("contact", model->dimension);
    for (int32_t i = 0; i < model->n_slots; ++i) {
        const char *name = model->slot_names.data[i];
        if (enter(v, "contact", name, count) && visit_object(model, "contact", name, i, v))
            return true;
    }
    return false;
}

static void walk(const pcs_model *model, const visitor *v)
{
    char path[PATH_MAX_LENGTH];
    if (v->visit(v->user, "time", (pcs_signal){SIGNAL_TIME, 0, 0}) || visit_objects(model, v))
        return;
    for (int32_t i = 0; i < model->externals.count; ++i) {
        snprintf(path, sizeof path, "input.%s", model->externals.data[i].name);
        if (v->visit(v->user, path, (pcs_signal){SIGNAL_INPUT, i, 0}))
            return;
    }
    for (int32_t i = 0; i < ENERGY_COUNT; ++i) {
        snprintf(path, sizeof path, "energy.%s", energies[i]);
        if (v->visit(v->user, path, (pcs_signal){SIGNAL_ENERGY, 0, i}))
            return;
    }
    v->visit(v->user, "solver.residual", (pcs_signal){SIGNAL_RESIDUAL, 0, 0});
}

typedef struct search {
    const char *wanted;
    bool found;
    pcs_signal signal;
    int nearest_distance;
    char nearest[PATH_MAX_LENGTH];
} search;

// The wanted path begins with "object.name."
static bool may_match(void *user, const char *object, const char *name, int32_t count)
{
    (void)count;
    const char *wanted = ((const search *)user)->wanted;
    size_t length = strlen(object), name_length = strlen(name);
    return strncmp(wanted, object, length) == 0 && wanted[length] == '.' &&
           strncmp(wanted + length + 1, name, name_length) == 0 &&
           wanted[length + 1 + name_length] == '.';
}

static bool match(void *user, const char *path, pcs_signal signal)
{
    search *s = user;
    if (strcmp(path, s->wanted) == 0) {
        s->found = true;
        s->signal = signal;
        return true;
    }
    return false;
}

static bool compare(void *user, const char *path, pcs_signal signal)
{
    (void)signal;
    search *s = user;
    int distance = pcs_text_distance(path, s->wanted);
    if (distance < s->nearest_distance) {
        s->nearest_distance = distance;
        snprintf(s->nearest, sizeof s->nearest, "%s", path);
    }
    return false;
}

pcs_status pcs_model_find_signal(pcs_context *ctx, const pcs_model *model, const char *path,
                                 pcs_signal *out)
{
    search s = {.wanted = path, .nearest_distance = INT_MAX};
    if (strlen(path) < PATH_MAX_LENGTH)
        walk(model, &(visitor){may_match, match, &s});
    if (s.found) {
        *out = s.signal;
        return PCS_OK;
    }
    if (strlen(path) < PATH_MAX_LENGTH) {
        // Single nodes and elements are not in the list of all signals.
        PCS_TRY(pcs_mesh_signal_walk_one(ctx, model, path, SIGNAL_MESH, match, &s));
        if (s.found) {
            *out = s.signal;
            return PCS_OK;
        }
        PCS_TRY(pcs_mesh_signal_walk_one(ctx, model, path, SIGNAL_MESH, compare, &s));
        walk(model, &(visitor){NULL, compare, &s});
    }
    const char *nearest = s.nearest;
    if (pcs_text_nearest(path, &nearest, 1))
        return pcs_error(ctx, PCS_ERROR_INPUT, "there is no signal '%.200s'; did you mean '%s'?",
                         path, nearest);
    return pcs_error(ctx, PCS_ERROR_INPUT,
                     "there is no signal '%.200s'; signals look like body.NAME.position.x, "
                     "joint.NAME.angle, system.NAME.COORDINATE, contact.NAME.gap, "
                     "mesh.NAME.GROUP.position.x, energy.kinetic",
                     path);
}

typedef struct counter {
    int32_t left;
    bool found;
    char *path;
    size_t size;
} counter;

static bool pass_over(void *user, const char *object, const char *name, int32_t count)
{
    (void)object;
    (void)name;
    counter *c = user;
    if (c->left < count)
        return true;
    c->left -= count;
    return false;
}

static bool count_down(void *user, const char *path, pcs_signal signal)
{
    (void)signal;
    counter *c = user;
    if (c->left-- > 0)
        return false;
    c->found = true;
    snprintf(c->path, c->size, "%s", path);
    return true;
}

bool pcs_model_signal_path(const pcs_model *model, int32_t index, char *path, size_t size)
{
    counter c = {index, false, path, size};
    if (index >= 0)
        walk(model, &(visitor){pass_over, count_down, &c});
    return c.found;
}

static double of_vec3(pcs_vec3 a, int32_t i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static double body_signal(const pcs_simulation *s, pcs_signal signal)
{
    pcs_body_view view;
    pcs_simulation_body(s, signal.index, &view);
    const double rotation[4] = {view.rotation.w, view.rotation.x, view.rotation.y, view.rotation.z};
    switch ((signal_kind)signal.kind) {
    case SIGNAL_POSITION:
        return of_vec3(view.position, signal.component);
    case SIGNAL_ROTATION:
        return rotation[signal.component];
    case SIGNAL_ANGLE:
        return view.angle;
    case SIGNAL_VELOCITY:
        return of_vec3(view.velocity, signal.component);
    default:
        return of_vec3(view.angular_velocity, signal.component);
    }
}

static double joint_signal(const pcs_simulation *s, pcs_signal signal)
{
    pcs_joint_view view;
    pcs_simulation_joint(s, signal.index, &view);
    switch ((signal_kind)signal.kind) {
    case SIGNAL_COORDINATE:
        return view.coordinate[signal.component];
    case SIGNAL_RATE:
        return view.rate[signal.component];
    case SIGNAL_FORCE:
        return of_vec3(view.force, signal.component);
    default:
        return of_vec3(view.torque, signal.component);
    }
}

static double system_signal(const pcs_simulation *s, pcs_signal signal)
{
    pcs_system_view view;
    pcs_simulation_system(s, signal.index, &view);
    switch ((signal_kind)signal.kind) {
    case SIGNAL_SYSTEM:
        return view.coordinate[signal.component];
    case SIGNAL_SYSTEM_RATE:
        return view.rate[signal.component];
    case SIGNAL_SYSTEM_ACCELERATION:
        return view.acceleration[signal.component];
    default:
        return pcs_simulation_constraint_force(s, signal.index, signal.component);
    }
}

// Whether the model has the object of a signal; its component comes from the path that was found.
static bool has_object(const pcs_model *m, pcs_signal signal)
{
    const int32_t i = signal.index;
    if (signal.kind < 0 || i < 0 || signal.component < 0)
        return false;
    switch ((signal_kind)signal.kind) {
    case SIGNAL_TIME:
    case SIGNAL_RESIDUAL:
        return true;
    case SIGNAL_POSITION:
    case SIGNAL_ANGLE:
    case SIGNAL_VELOCITY:
    case SIGNAL_ANGULAR_VELOCITY:
        return i < pcs_model_place_count(m) && signal.component < 3;
    case SIGNAL_ROTATION:
        return i < pcs_model_place_count(m) && signal.component < 4;
    case SIGNAL_COORDINATE:
    case SIGNAL_RATE:
        return i < m->joints.count && signal.component < PCS_JOINT_COORDINATES_MAX;
    case SIGNAL_FORCE:
    case SIGNAL_TORQUE:
        return i < m->joints.count && signal.component < 3;
    case SIGNAL_SYSTEM:
    case SIGNAL_SYSTEM_RATE:
    case SIGNAL_SYSTEM_ACCELERATION:
        return pcs_model_system_coordinate(m, i, signal.component) != NULL;
    case SIGNAL_SYSTEM_FORCE:
        return pcs_model_system_constraint(m, i, signal.component) != NULL;
    case SIGNAL_GAP:
    case SIGNAL_IMPULSE:
    case SIGNAL_CONTACT_FORCE:
    case SIGNAL_CONTACT_LOAD:
    case SIGNAL_CONTACT_FORCE_MAX:
    case SIGNAL_CONTACT_VELOCITY:
    case SIGNAL_STATE:
        return i < pcs_model_contact_count(m) && signal.component < 3;
    case SIGNAL_INPUT:
        return i < m->externals.count;
    case SIGNAL_ENERGY:
        return signal.component < ENERGY_COUNT;
    case SIGNAL_MESH:
        break;
    }
    return i < m->meshes.count;
}

double pcs_simulation_signal(const pcs_simulation *s, pcs_signal signal)
{
    double velocity[3];
    if (!has_object(s->model, signal))
        return NAN;
    switch ((signal_kind)signal.kind) {
    case SIGNAL_TIME:
        return pcs_simulation_time(s);
    case SIGNAL_POSITION:
    case SIGNAL_ROTATION:
    case SIGNAL_ANGLE:
    case SIGNAL_VELOCITY:
    case SIGNAL_ANGULAR_VELOCITY:
        return body_signal(s, signal);
    case SIGNAL_COORDINATE:
    case SIGNAL_RATE:
    case SIGNAL_FORCE:
    case SIGNAL_TORQUE:
        return joint_signal(s, signal);
    case SIGNAL_SYSTEM:
    case SIGNAL_SYSTEM_RATE:
    case SIGNAL_SYSTEM_ACCELERATION:
    case SIGNAL_SYSTEM_FORCE:
        return system_signal(s, signal);
    case SIGNAL_GAP:
        return s->state.gap[pcs_simulation_stand_in(s, signal.index)];
    case SIGNAL_IMPULSE:
        return pcs_simulation_contact_impulse(s, signal.index, signal.component);
    case SIGNAL_CONTACT_FORCE:
        return pcs_simulation_contact_force(s, signal.index, signal.component);
    case SIGNAL_CONTACT_LOAD:
        return pcs_simulation_contact_load(s, signal.index, signal.component);
    case SIGNAL_CONTACT_FORCE_MAX:
        return pcs_simulation_contact_force_max(s, signal.index, signal.component);
    case SIGNAL_CONTACT_VELOCITY:
        pcs_simulation_contact_velocity(s, signal.index, velocity);
        return velocity[signal.component];
    case SIGNAL_STATE:
        return s->state.status[pcs_simulation_stand_in(s, signal.index)];
    case SIGNAL_INPUT:
        return s->state.external[signal.index];
    case SIGNAL_ENERGY:
        return energy(&s->statistics.energy, signal.component);
    case SIGNAL_RESIDUAL:
        return s->statistics.last_residual;
    case SIGNAL_MESH:
        break;
    }
    signal.kind -= SIGNAL_MESH;
    return pcs_mesh_signal_value(s, signal);
}

void pcs_simulation_signals(const pcs_simulation *s, const pcs_signal *signals, int32_t n,
                            double *values)
{
    for (int32_t i = 0; i < n; ++i)
        values[i] = pcs_simulation_signal(s, signals[i]);
}

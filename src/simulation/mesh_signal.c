// A signal of a mesh has the mesh as its index. Its component holds the number of the group, node,
// element or result and the axis: AXES * number + axis.
#include "simulation/mesh_signal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh_numbers.h"

enum { PATH_MAX_LENGTH = 512, AXES = 8 };

typedef enum mesh_kind {
    MESH_KINETIC,
    MESH_STRAIN,
    MESH_MIN,
    MESH_MAX,
    MESH_RESULT,
    GROUP_FIRST, // means over a group; the order of `quantities`
    GROUP_END = GROUP_FIRST + 5,
    NODE_FIRST = GROUP_END // of single nodes, in the same order
} mesh_kind;

// Quantities of nodes.
typedef struct quantity {
    const char *name;
    const char *axes[2]; // in the plane and in space; NULL: not there; "": a scalar
    bool turns;          // only of frames
    bool single;         // only of single nodes: a mean makes no sense
} quantity;

enum { POSITION, VELOCITY, ROTATION, ANGLE, ANGULAR_VELOCITY, QUANTITY_COUNT };

static const quantity quantities[QUANTITY_COUNT] = {
    [POSITION] = {"position", {"xy", "xyz"}, false, false},
    [VELOCITY] = {"velocity", {"xy", "xyz"}, false, false},
    [ROTATION] = {"rotation", {NULL, "wxyz"}, true, true},
    [ANGLE] = {"angle", {"", NULL}, true, false},
    [ANGULAR_VELOCITY] = {"angular_velocity", {"z", "xyz"}, true, false},
};

typedef struct walker {
    int32_t mesh, first_kind;
    pcs_signal_visit_fn visit;
    void *user;
} walker;

static bool visit(const walker *w, const char *path, int32_t kind, int32_t number, int32_t axis)
{
    const pcs_signal signal = {w->first_kind + kind, w->mesh, AXES * number + axis};
    return w->visit(w->user, path, signal);
}

// The quantities of a group or node, whose name ("tip" or "node.12") stands behind that of the
// mesh.
static bool visit_quantities(const pcs_model *model, const walker *w, const char *name,
                             int32_t number, bool single)
{
    const pcs_mesh *mesh = &model->meshes.data[w->mesh];
    char path[PATH_MAX_LENGTH];
    for (int32_t k = 0; k < QUANTITY_COUNT; ++k) {
        const quantity *q = &quantities[k];
        const char *axes = q->axes[model->dimension - 2];
        const int32_t kind = (single ? NODE_FIRST : GROUP_FIRST) + k;
        if (!axes || (q->turns && !pcs_node_turns(mesh->kind)) || (q->single && !single))
            continue;
        int length = snprintf(path, sizeof path, "mesh.%s.%s.%s", mesh->name, name, q->name);
        if (length >= PATH_MAX_LENGTH - 2)
            continue;
        if (!*axes && visit(w, path, kind, number, 0))
            return true;
        for (int32_t i = 0; axes[i]; ++i) {
            snprintf(path + length, sizeof path - (size_t)length, ".%c", axes[i]);
            // The planar angular velocity has only its third component.
            const int32_t axis = axes[0] == 'z' ? 2 : i;
            if (visit(w, path, kind, number, axis))
                return true;
        }
    }
    return false;
}

bool pcs_mesh_signal_walk(const pcs_model *model, int32_t k, int32_t first_kind,
                          pcs_signal_visit_fn visitor, void *user)
{
    static const char *const words[] = {"energy.kinetic", "energy.strain", "min", "max"};
    const pcs_mesh *mesh = &model->meshes.data[k];
    const walker w = {k, first_kind, visitor, user};
    char path[PATH_MAX_LENGTH];
    for (int32_t kind = MESH_KINETIC; kind <= MESH_STRAIN; ++kind) {
        snprintf(path, sizeof path, "mesh.%s.%s", mesh->name, words[kind]);
        if (visit(&w, path, kind, 0, 0))
            return true;
    }
    const char *name;
    for (int32_t i = 0; (name = pcs_mesh_quantity_name(mesh, i)); ++i)
        for (int32_t kind = MESH_MIN; kind <= MESH_MAX; ++kind) {
            snprintf(path, sizeof path, "mesh.%s.%s.%s", mesh->name, name, words[kind]);
            if (visit(&w, path, kind, i, 0))
                return true;
        }
    for (int32_t i = 0; i < mesh->n_groups; ++i)
        if (visit_quantities(model, &w, mesh->groups[i].name, i, false))
            return true;
    return false;
}

static bool count_one(void *user, const char *path, pcs_signal signal)
{
    (void)path;
    (void)signal;
    ++*(int32_t *)user;
    return false;
}

int32_t pcs_mesh_signal_count(const pcs_model *model, int32_t mesh)
{
    int32_t count = 0;
    (void)pcs_mesh_signal_walk(model, mesh, 0, count_one, &count);
    return count;
}

// ---- Single nodes and elements ----

// The part that holds element `number` of a mesh, whose number in the part is *inside.
static const pcs_mesh_part *find_part(const pcs_mesh *mesh, int32_t number, int32_t *inside)
{
    for (int32_t p = 0; p < mesh->n_parts; ++p) {
        *inside = number;
        if (number < mesh->parts[p].n_elements)
            return &mesh->parts[p];
        number -= mesh->parts[p].n_elements;
    }
    return NULL;
}

static int32_t count_elements(const pcs_mesh *mesh)
{
    int32_t count = 0;
    for (int32_t p = 0; p < mesh->n_parts; ++p)
        count += mesh->parts[p].n_elements;
    return count;
}

// The mesh that a path names, and what follows its name; -1: none.
static int32_t find_mesh(const pcs_model *model, const char *path, const char **rest)
{
    if (strncmp(path, "mesh.", 5) != 0)
        return -1;
    for (int32_t k = 0; k < model->meshes.count; ++k) {
        const char *name = model->meshes.data[k].name;
        const size_t length = strlen(name);
        *rest = path + 5 + length + 1;
        if (strncmp(path + 5, name, length) == 0 && path[5 + length] == '.')
            return k;
    }
    return -1;
}

// The number behind "node." or "element."; false if the text is something else.
static bool read_number(const char *rest, const char *word, int64_t *number, const char **end)
{
    const size_t length = strlen(word);
    char *stop = NULL;
    if (strncmp(rest, word, length) != 0 || rest[length] < '0' || rest[length] > '9')
        return false;
    *number = strtoll(rest + length, &stop, 10);
    *end = stop;
    return *stop == '.' || *stop == '\0';
}

static bool visit_element(const pcs_model *model, const walker *w, int32_t number)
{
    const pcs_mesh *mesh = &model->meshes.data[w->mesh];
    int32_t inside = 0;
    const pcs_mesh_part *part = find_part(mesh, number, &inside);
    char path[PATH_MAX_LENGTH];
    for (int32_t i = 0; i < part->class->n_results; ++i) {
        snprintf(path, sizeof path, "mesh.%s.element.%d.%s", mesh->name, (int)number,
                 part->class->results_names[i]);
        if (visit(w, path, MESH_RESULT, number, i))
            return true;
    }
    return false;
}

pcs_status pcs_mesh_signal_walk_one(pcs_context *ctx, const pcs_model *model, const char *path,
                                    int32_t first_kind, pcs_signal_visit_fn visitor, void *user)
{
    const char *rest = NULL, *end = NULL;
    int64_t number = 0;
    const walker w = {find_mesh(model, path, &rest), first_kind, visitor, user};
    if (w.mesh < 0)
        return PCS_OK;
    const pcs_mesh *mesh = &model->meshes.data[w.mesh];
    const bool is_node = read_number(rest, "node.", &number, &end);
    if (!is_node && !read_number(rest, "element.", &number, &end))
        return PCS_OK;
    const int32_t count = is_node ? mesh->n_nodes : count_elements(mesh);
    if (number >= count)
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "there is no signal '%.200s': %ss of mesh '%s' have the numbers 0 to %d",
                         path, is_node ? "node" : "element", mesh->name, (int)(count - 1));
    if (!is_node) {
        (void)visit_element(model, &w, (int32_t)number);
        return PCS_OK;
    }
    char name[32];
    snprintf(name, sizeof name, "node.%d", (int)number);
    (void)visit_quantities(model, &w, name, (int32_t)number, true);
    return PCS_OK;
}

// ---- Values ----

static double of_vec3(pcs_vec3 a, int32_t i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static double node_value(const pcs_simulation *s, int32_t mesh, int32_t node, int32_t kind,
                         int32_t axis)
{
    pcs_body_view view;
    pcs_simulation_mesh_node(s, mesh, node, &view);
    const double rotation[4] = {view.rotation.w, view.rotation.x, view.rotation.y, view.rotation.z};
    switch (kind) {
    case POSITION:
        return of_vec3(view.position, axis);
    case VELOCITY:
        return of_vec3(view.velocity, axis);
    case ROTATION:
        return rotation[axis];
    case ANGLE:
        return view.angle;
    default:
        return of_vec3(view.angular_velocity, axis);
    }
}

static double group_value(const pcs_simulation *s, int32_t mesh, int32_t group, int32_t kind,
                          int32_t axis)
{
    const pcs_mesh_group *g = &s->model->meshes.data[mesh].groups[group];
    double sum = 0;
    for (int32_t i = 0; i < g->n_nodes; ++i)
        sum += node_value(s, mesh, g->nodes[i], kind, axis);
    return g->n_nodes > 0 ? sum / g->n_nodes : NAN;
}

static double extreme(const pcs_simulation *s, int32_t k, int32_t number, bool largest)
{
    const pcs_mesh *mesh = &s->model->meshes.data[k];
    const char *name = pcs_mesh_quantity_name(mesh, number);
    const double *results = pcs_simulation_results(s) + pcs_model_mesh_numbers(s->model, k).result;
    double value = NAN;
    for (int32_t p = 0; p < mesh->n_parts; ++p) {
        const pcs_mesh_part *part = &mesh->parts[p];
        const int32_t i = pcs_mesh_part_quantity(part, name), n = part->class->n_results;
        for (int32_t e = 0; i >= 0 && e < part->n_elements; ++e)
            value = largest ? fmax(value, results[(int64_t)e * n + i])
                            : fmin(value, results[(int64_t)e * n + i]);
        results += (int64_t)part->n_elements * n;
    }
    return value;
}

static double element_value(const pcs_simulation *s, int32_t k, int32_t number, int32_t result)
{
    const pcs_mesh *mesh = &s->model->meshes.data[k];
    int32_t inside = 0;
    const pcs_mesh_part *part = find_part(mesh, number, &inside);
    const double *results = pcs_simulation_results(s) + pcs_model_mesh_numbers(s->model, k).result;
    for (const pcs_mesh_part *before = mesh->parts; before < part; ++before)
        results += (int64_t)before->n_elements * before->class->n_results;
    return results[(int64_t)inside * part->class->n_results + result];
}

double pcs_mesh_signal_value(const pcs_simulation *s, pcs_signal signal)
{
    const int32_t number = signal.component / AXES, axis = signal.component % AXES;
    switch (signal.kind) {
    case MESH_KINETIC:
        return pcs_simulation_mesh_energy(s, signal.index).kinetic;
    case MESH_STRAIN:
        return pcs_simulation_mesh_energy(s, signal.index).strain;
    case MESH_MIN:
    case MESH_MAX:
        return extreme(s, signal.index, number, signal.kind == MESH_MAX);
    case MESH_RESULT:
        return element_value(s, signal.index, number, axis);
    default:
        break;
    }
    if (signal.kind < GROUP_END)
        return group_value(s, signal.index, number, signal.kind - GROUP_FIRST, axis);
    return node_value(s, signal.index, number, signal.kind - NODE_FIRST, axis);
}

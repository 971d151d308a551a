// Finishing a model: formulas are compiled, rows, slots and couplings numbered, names made.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/assembly.h"
#include "model/builder.h"
#include "model/input.h"
#include "model/joint.h"

// ---- Names in formulas ----

// Splits "group.object.quantity[.component]"; false when the text has another form.
typedef struct path {
    const char *part[4];
    size_t length[4];
    int32_t count;
} path;

static bool split(const char *name, size_t length, path *out)
{
    out->count = 0;
    const char *end = name + length, *start = name;
    for (const char *c = name; c <= end; ++c) {
        if (c < end && *c != '.')
            continue;
        if (out->count == 4)
            return false;
        out->part[out->count] = start;
        out->length[out->count++] = (size_t)(c - start);
        start = c + 1;
    }
    return out->count >= 3;
}

static bool external_input(const pcs_builder *builder, const char *name, size_t length,
                           pcs_input *out)
{
    static const char prefix[] = "input.";
    const size_t skip = sizeof prefix - 1;
    if (length <= skip || strncmp(name, prefix, skip) != 0)
        return false;
    const int32_t i = pcs_name_map_find(&builder->names, PCS_NAMED_INPUT, name + skip,
                                        length - skip);
    *out = (pcs_input){PCS_INPUT_EXTERNAL, i, 0};
    return i >= 0;
}

static bool part_is(const path *p, int32_t i, const char *text)
{
    return i < p->count && strlen(text) == p->length[i] &&
           strncmp(p->part[i], text, p->length[i]) == 0;
}

// Number of the object that a path names, -1 when there is none of this kind.
static int32_t object_of(const pcs_builder *builder, const path *p, const char *word,
                         pcs_named_kind kind)
{
    if (!part_is(p, 0, word))
        return -1;
    return pcs_name_map_find(&builder->names, (int32_t)kind, p->part[1], p->length[1]);
}

static bool joint_input(const pcs_builder *builder, const path *p, pcs_input *out)
{
    const pcs_model *model = builder->model;
    const int32_t j = object_of(builder, p, "joint", PCS_NAMED_JOINT);
    if (p->count != 3 || j < 0)
        return false;
    const pcs_joint *joint = &model->joints.data[j];
    for (int32_t i = 0; i < joint->n_coordinates; ++i) {
        *out = (pcs_input){PCS_INPUT_COORDINATE, j, i};
        if (part_is(p, 2, pcs_joint_coordinate_name(joint->kind, model->dimension, i)))
            return true;
        out->kind = PCS_INPUT_RATE;
        if (part_is(p, 2, pcs_joint_rate_name(joint->kind, model->dimension, i)))
            return true;
    }
    return false;
}

static bool body_input(const pcs_builder *builder, const path *p, pcs_input *out)
{
    const pcs_model *model = builder->model;
    const int32_t b = object_of(builder, p, "body", PCS_NAMED_BODY);
    if (b < 0)
        return false;
    static const char *const axes[3] = {"x", "y", "z"};
    pcs_node_kind kind = pcs_model_node(model, model->bodies.data[b].node)->kind;
    bool turns = kind == PCS_NODE_PLANAR || kind == PCS_NODE_SPATIAL;
    if (p->count == 3) {
        *out = (pcs_input){PCS_INPUT_ANGLE, b, 2};
        if (kind == PCS_NODE_PLANAR && part_is(p, 2, "angle"))
            return true;
        out->kind = PCS_INPUT_ANGULAR_VELOCITY;
        return kind == PCS_NODE_PLANAR && part_is(p, 2, "angular_velocity");
    }
    for (int32_t i = 0; i < 3; ++i) {
        if (!part_is(p, 3, axes[i]))
            continue;
        *out = (pcs_input){PCS_INPUT_POSITION, b, i};
        if (part_is(p, 2, "position") && i < model->dimension)
            return true;
        out->kind = PCS_INPUT_VELOCITY;
        if (part_is(p, 2, "velocity") && i < model->dimension)
            return true;
        out->kind = PCS_INPUT_ANGULAR_VELOCITY;
        return turns && part_is(p, 2, "angular_velocity") && (model->dimension == 3 || i == 2);
    }
    return false;
}

static bool system_input(const pcs_builder *builder, const path *p, pcs_input *out)
{
    const int32_t k = object_of(builder, p, "system", PCS_NAMED_SYSTEM);
    if (k < 0 || (p->count == 4 && !part_is(p, 3, "rate")))
        return false;
    const pcs_system *system = &builder->model->systems.data[k];
    for (int32_t i = 0; i < system->n; ++i)
        if (part_is(p, 2, system->coordinate[i])) {
            *out = (pcs_input){p->count == 4 ? PCS_INPUT_SYSTEM_RATE : PCS_INPUT_SYSTEM, k, i};
            return true;
        }
    return false;
}

// Number of the input among the model's inputs, added when new; -1 when memory is out.
static int32_t input_index(pcs_resolver *r, pcs_input input)
{
    pcs_model *model = r->builder->model;
    for (int32_t i = 0; i < model->inputs.count; ++i) {
        const pcs_input *known = &model->inputs.data[i];
        if (known->kind == input.kind && known->index == input.index &&
            known->component == input.component)
            return i;
    }
    return PCS_PUSH(r->builder->ctx, &model->inputs, input) ? model->inputs.count - 1 : -1;
}

static const char *suggest(const pcs_resolver *r, const char *name, size_t length)
{
    enum { CANDIDATES_MAX = 512, NAME_MAX_LENGTH = 128 };
    const char *candidates[CANDIDATES_MAX];
    char word[NAME_MAX_LENGTH];
    if (length >= sizeof word)
        return NULL;
    memcpy(word, name, length);
    word[length] = 0;
    int32_t count = 0;
    const pcs_builder *b = r->builder;
    for (int32_t i = 0; i < b->parameters.count && count < CANDIDATES_MAX; ++i)
        candidates[count++] = b->parameters.data[i].name;
    return pcs_text_nearest(word, candidates, count);
}

pcs_symbol pcs_builder_resolve(void *user, const char *name, size_t length)
{
    pcs_resolver *r = user;
    const pcs_builder *b = r->builder;
    if (length == 1 && *name == 't')
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = 0};
    const int32_t known = pcs_name_map_find(&b->names, PCS_NAMED_PARAMETER, name, length);
    if (known >= 0)
        return (pcs_symbol){.kind = PCS_SYMBOL_CONSTANT, .value = b->parameters.data[known].value};
    path p;
    pcs_input input;
    bool external = external_input(b, name, length, &input);
    if (external ||
        (split(name, length, &p) && (joint_input(b, &p, &input) || body_input(b, &p, &input) ||
                                     system_input(b, &p, &input)))) {
        if (external ? r->no_inputs : r->time_only) {
            r->signal_refused = true;
            return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN};
        }
        int32_t index = input_index(r, input);
        r->failed = r->failed || index < 0;
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = index < 0 ? 0 : index + 1};
    }
    return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN, .suggestion = suggest(r, name, length)};
}

// ---- Compiling ----

static const char *place_name(const pcs_model *model, const pcs_pending_formula *f,
                              const char **what)
{
    switch (f->place) {
    case PCS_PLACE_FORCE:
        *what = "force";
        return model->forces.data[f->index].name;
    case PCS_PLACE_TORQUE:
        *what = "torque of force";
        return model->forces.data[f->index].name;
    case PCS_PLACE_ACTUATOR:
        *what = "actuator of joint";
        return model->joints.data[model->actuators.data[f->index].joint].name;
    case PCS_PLACE_MOTION:
        *what = "motion of joint";
        return model->joints.data[f->index].name;
    case PCS_PLACE_MESH_LOAD:
        *what = "load of mesh";
        return model->meshes.data[model->mesh_loads.data[f->index].mesh].name;
    case PCS_PLACE_FACES:
        *what = "surface speed of contact";
        return model->surface_contacts.data[f->index].name;
    case PCS_PLACE_SURFACE:
        break;
    }
    *what = "surface speed of contact";
    return model->contact_pairs.data[f->index].name;
}

static pcs_formula **formula_place(pcs_model *model, const pcs_pending_formula *f)
{
    switch (f->place) {
    case PCS_PLACE_FORCE:
        return &model->forces.data[f->index].force[f->component].formula;
    case PCS_PLACE_TORQUE:
        return &model->forces.data[f->index].torque[f->component].formula;
    case PCS_PLACE_ACTUATOR:
        return &model->actuators.data[f->index].force.formula;
    case PCS_PLACE_MOTION:
        return &model->joints.data[f->index].motion[f->component];
    case PCS_PLACE_MESH_LOAD:
        return &model->mesh_loads.data[f->index].formula[f->component];
    case PCS_PLACE_FACES:
        return &model->surface_contacts.data[f->index].surface[f->component];
    case PCS_PLACE_SURFACE:
        break;
    }
    return &model->contact_pairs.data[f->index].surface[f->component];
}

enum { INPUTS_MAX = 255 }; // assembly keeps gradients of this many on its stack

static pcs_status compile_formula(pcs_builder *builder, const pcs_pending_formula *f)
{
    pcs_model *model = builder->model;
    const char *what, *name = place_name(model, f, &what);
    pcs_resolver r = {.builder = builder,
                      .time_only = f->place == PCS_PLACE_MOTION || f->place == PCS_PLACE_SURFACE ||
                                   f->place == PCS_PLACE_FACES,
                      .no_inputs = f->place == PCS_PLACE_MOTION};
    pcs_formula **place = formula_place(model, f);
    pcs_status status = pcs_formula_create(builder->ctx, f->text, pcs_builder_resolve, &r, place);
    if (r.failed)
        return pcs_error(builder->ctx, PCS_ERROR_MEMORY, "out of memory");
    if (r.signal_refused)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "%s '%s': only t and parameters%s may appear in \"%s\"", what, name,
                         r.no_inputs ? "" : " and inputs", f->text);
    if (status < 0)
        return pcs_error_prefix(builder->ctx, status, "%s '%s': \"%s\"", what, name, f->text);
    if (model->inputs.count > INPUTS_MAX)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "%s '%s': the formulas use more than %d different signals", what, name,
                         INPUTS_MAX);
    if (f->place == PCS_PLACE_MOTION) {
        pcs_joint *joint = &model->joints.data[f->index];
        PCS_TRY(pcs_formula_derivative(joint->motion[f->component], 0,
                                       &joint->motion_rate[f->component]));
        PCS_TRY(pcs_formula_derivative(joint->motion_rate[f->component], 0,
                                       &joint->motion_acceleration[f->component]));
    }
    return PCS_OK;
}

// ---- Names ----

bool pcs_builder_push_name(pcs_context *ctx, pcs_model_names *names, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *name = pcs_strdup(ctx, text);
    if (name && PCS_PUSH(ctx, names, name))
        return true;
    pcs_free(ctx, name);
    return false;
}

#define PUSH_NAME(ctx, array, ...)                               \
    do {                                                         \
        if (!pcs_builder_push_name((ctx), (array), __VA_ARGS__)) \
            return PCS_ERROR_MEMORY;                             \
    } while (0)

// ---- Rows and slots ----

static void add_pattern_node(pcs_row_pattern *p, int32_t node)
{
    if (node < 0)
        return;
    for (int32_t i = 0; i < p->n_nodes; ++i)
        if (p->node[i] == node)
            return;
    p->node[p->n_nodes++] = node;
}

static pcs_status number_rows(pcs_builder *builder)
{
    pcs_context *ctx = builder->ctx;
    pcs_model *model = builder->model;
    for (int32_t k = 0; k < model->joints.count; ++k) {
        pcs_joint *joint = &model->joints.data[k];
        const pcs_joint_spec *spec = pcs_joint_get_spec(joint->kind, model->dimension);
        pcs_row_pattern p = {.size = joint->n_rows, .first_row = model->n_rows};
        add_pattern_node(&p, joint->pair.a.node);
        add_pattern_node(&p, joint->pair.b.node);
        joint->first_row = model->n_rows;
        joint->row_block = model->row_blocks.count;
        model->n_rows += p.size;
        if (!PCS_PUSH(ctx, &model->row_blocks, p))
            return PCS_ERROR_MEMORY;
        for (int32_t i = 0; i < joint->n_rows; ++i) {
            if (joint->hold)
                PUSH_NAME(ctx, &model->row_names, "fixation of %s (row %d)", joint->name, i + 1);
            else
                PUSH_NAME(ctx, &model->row_names, "joint.%s (row %d: %s)", joint->name, i + 1,
                          i < spec->n_rows ? spec->row[i].name : "motion");
        }
    }
    for (int32_t k = 0; k < model->couplings.count; ++k) {
        pcs_coupling *coupling = &model->couplings.data[k];
        pcs_row_pattern p = {.size = 1, .first_row = model->n_rows};
        for (int e = 0; e < 2; ++e) {
            const pcs_pair *pair = &model->joints.data[coupling->joint[e]].pair;
            add_pattern_node(&p, pair->a.node);
            add_pattern_node(&p, pair->b.node);
        }
        coupling->first_row = model->n_rows++;
        coupling->row_block = model->row_blocks.count;
        if (!PCS_PUSH(ctx, &model->row_blocks, p))
            return PCS_ERROR_MEMORY;
        PUSH_NAME(ctx, &model->row_names, "coupling.%s", coupling->name);
    }
    for (int32_t k = 0; k < model->systems.count; ++k)
        PCS_TRY(pcs_builder_number_system_rows(builder, &model->systems.data[k]));
    return PCS_OK;
}

static pcs_status number_slots(pcs_builder *builder)
{
    pcs_context *ctx = builder->ctx;
    pcs_model *model = builder->model;
    for (int32_t k = 0; k < model->contact_pairs.count; ++k) {
        pcs_contact_pair *pair = &model->contact_pairs.data[k];
        pair->first_slot = model->n_slots;
        model->n_slots += pair->n_slots;
        for (int32_t i = 0; i < pair->n_slots; ++i) {
            if (pair->n_slots == 1)
                PUSH_NAME(ctx, &model->slot_names, "%s", pair->name);
            else
                PUSH_NAME(ctx, &model->slot_names, "%s.%d", pair->name, i);
        }
    }
    for (int32_t k = 0; k < model->limits.count; ++k) {
        pcs_limit *limit = &model->limits.data[k];
        const pcs_joint *joint = &model->joints.data[limit->joint];
        limit->slot = model->n_slots++;
        const char *side = limit->side > 0 ? "lower" : "upper";
        if (joint->n_coordinates == 1)
            PUSH_NAME(ctx, &model->slot_names, "%s.%s", joint->name, side);
        else
            PUSH_NAME(ctx, &model->slot_names, "%s.%s_%s", joint->name,
                      pcs_joint_coordinate_name(joint->kind, model->dimension, limit->coordinate),
                      side);
    }
    for (int32_t k = 0; k < model->systems.count; ++k)
        PCS_TRY(pcs_builder_number_system_slots(builder, &model->systems.data[k]));
    PCS_TRY(pcs_builder_number_surface_slots(builder));
    model->n_faces = model->n_slots;
    for (int32_t k = 0; k < model->joints.count; ++k)
        if (model->joints.data[k].curve)
            model->joints.data[k].curve_index = model->n_faces++ - model->n_slots;
    return PCS_OK;
}

// ---- Coupled node pairs in K and C ----

typedef PCS_ARRAY(int32_t) pair_list; // i, j, i, j, ...

static bool push_pair(pcs_context *ctx, pair_list *list, int32_t i, int32_t j)
{
    if (i < 0 || j < 0 || i == j)
        return true;
    return PCS_PUSH(ctx, list, i < j ? i : j) && PCS_PUSH(ctx, list, i < j ? j : i);
}

static bool push_formula_pairs(const pcs_model *model, pair_list *list, const pcs_formula *formula,
                               int32_t n, const int32_t *node)
{
    if (!formula)
        return true;
    const int32_t *variables;
    int32_t count = pcs_formula_variables(formula, &variables);
    bool good = true;
    for (int32_t k = 0; k < count; ++k) {
        if (variables[k] == 0)
            continue;
        int32_t other[2];
        int32_t m = pcs_input_nodes(model, &model->inputs.data[variables[k] - 1], other);
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < m; ++j)
                good = good && push_pair(model->ctx, list, node[i], other[j]);
    }
    return good;
}

// Pairs of the nodes that inputs k and l of a system depend on.
static bool push_input_pairs(const pcs_model *model, pair_list *list, const pcs_system *s,
                             int32_t k, int32_t l)
{
    int32_t a[2], b[2];
    const int32_t n = pcs_input_nodes(model, &model->inputs.data[s->input[k]], a);
    const int32_t m = pcs_input_nodes(model, &model->inputs.data[s->input[l]], b);
    bool good = true;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < m; ++j)
            good = good && push_pair(model->ctx, list, a[i], b[j]);
    return good;
}

// Forces that read inputs, and constraints that are curved in inputs.
static bool push_system_pairs(const pcs_model *model, pair_list *list, const pcs_system *s)
{
    bool good = true;
    for (int32_t k = 0; k < s->n_inputs; ++k) {
        const pcs_input *input = &model->inputs.data[s->input[k]];
        bool own = false, curved = false;
        for (int32_t i = 0; i < s->n; ++i)
            own = own || s->slots.f_z[i * s->n_inputs + k] != s->zero ||
                  s->slots.Gl_z[i * s->n_inputs + k] != s->zero;
        for (int32_t i = 0; i < s->n_constraints; ++i)
            curved = curved || s->slots.G_z[i * s->n_inputs + k] != s->zero;
        int32_t node[2];
        const int32_t n = pcs_input_nodes(model, input, node);
        for (int32_t i = 0; i < n && own; ++i)
            good = good && push_pair(model->ctx, list, s->node, node[i]);
        if (curved && pcs_input_is_curved(model, input))
            good = good && push_input_pairs(model, list, s, k, k);
        for (int32_t l = 0; l < s->n_inputs; ++l)
            if (s->slots.Gl_zz[k * s->n_inputs + l] != s->zero)
                good = good && push_input_pairs(model, list, s, k, l);
    }
    return good;
}

// Loads whose formulas read the state
static bool push_load_pairs(const pcs_model *model, pair_list *list, const pcs_mesh_load *load)
{
    const pcs_mesh *mesh = &model->meshes.data[load->mesh];
    const pcs_mesh_group *group = &mesh->groups[load->group];
    bool good = true;
    for (int32_t k = 0; k < 3; ++k)
        for (int32_t i = 0; i < group->n_nodes && load->formula[k]; ++i) {
            const int32_t node = mesh->first_node + group->nodes[i];
            good = good && push_formula_pairs(model, list, load->formula[k], 1, &node);
        }
    return good;
}

static int compare_pairs(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

static pcs_status collect_pairs(pcs_builder *builder)
{
    pcs_model *model = builder->model;
    pcs_context *ctx = builder->ctx;
    pair_list list = {0};
    bool good = true;
    for (int32_t i = 0; i < model->springs.count; ++i) {
        const pcs_pair *pair = &model->springs.data[i].pair;
        good = good && push_pair(ctx, &list, pair->a.node, pair->b.node);
    }
    for (int32_t i = 0; i < model->actuators.count; ++i) {
        const pcs_actuator *a = &model->actuators.data[i];
        const pcs_joint *joint = &model->joints.data[a->joint];
        const int32_t node[2] = {joint->pair.a.node, joint->pair.b.node};
        if (!pcs_coordinate_is_flat(&joint->coordinate[a->coordinate], model->dimension))
            good = good && push_pair(ctx, &list, node[0], node[1]);
        good = good && push_formula_pairs(model, &list, a->force.formula, 2, node);
    }
    for (int32_t i = 0; i < model->forces.count; ++i) {
        const pcs_force *f = &model->forces.data[i];
        for (int k = 0; k < 3; ++k) {
            good = good && push_formula_pairs(model, &list, f->force[k].formula, 1, &f->node);
            good = good && push_formula_pairs(model, &list, f->torque[k].formula, 1, &f->node);
        }
    }
    for (int32_t k = 0; k < model->meshes.count; ++k) {
        const pcs_mesh *mesh = &model->meshes.data[k];
        for (int32_t i = 0; i < mesh->mass.n_pairs; ++i)
            good = good && push_pair(ctx, &list, mesh->first_node + mesh->mass.pair[i][0],
                                     mesh->first_node + mesh->mass.pair[i][1]);
    }
    for (int32_t k = 0; k < model->mesh_loads.count; ++k)
        good = good && push_load_pairs(model, &list, &model->mesh_loads.data[k]);
    for (int32_t i = 0; i < model->systems.count; ++i)
        good = good && push_system_pairs(model, &list, &model->systems.data[i]);
    int32_t n = list.count / 2, unique = 0;
    model->pairs = good ? pcs_calloc(ctx, (size_t)n, sizeof *model->pairs) : NULL;
    if (!model->pairs) {
        PCS_ARRAY_FREE(ctx, &list);
        return PCS_ERROR_MEMORY;
    }
    if (n > 0)
        qsort(list.data, (size_t)n, sizeof *model->pairs, compare_pairs);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t *pair = &list.data[2 * i];
        if (unique > 0 && compare_pairs(pair, model->pairs[unique - 1]) == 0)
            continue;
        memcpy(model->pairs[unique++], pair, sizeof *model->pairs);
    }
    model->n_pairs = unique;
    PCS_ARRAY_FREE(ctx, &list);
    return PCS_OK;
}

// ---- Values that depend on the initial state ----

// Couplings keep the value that their coordinates have in the initial configuration.
static pcs_status set_coupling_targets(pcs_builder *builder)
{
    pcs_model *model = builder->model;
    if (model->couplings.count == 0)
        return PCS_OK;
    pcs_context *ctx = builder->ctx;
    pcs_configuration c;
    PCS_TRY(pcs_configuration_init(ctx, model, &c));
    double *q = PCS_NEW_ARRAY(ctx, double, model->n_q);
    double *v = PCS_NEW_ARRAY(ctx, double, model->n_v);
    double *turns = PCS_NEW_ARRAY(ctx, double, model->n_turns);
    bool good = q && v && turns;
    if (good) {
        pcs_model_initial_state(model, q, v);
        pcs_configuration_update(model, &c, 0, q, v, turns, NULL);
        pcs_model_initial_turns(model, &c, turns);
        for (int32_t k = 0; k < model->couplings.count; ++k) {
            pcs_coupling *coupling = &model->couplings.data[k];
            coupling->target = 0;
            for (int e = 0; e < 2; ++e) {
                const pcs_joint *joint = &model->joints.data[coupling->joint[e]];
                const pcs_coordinate *x = &joint->coordinate[coupling->coordinate[e]];
                pcs_pair_state pair = pcs_configuration_pair(model, &c, &joint->pair);
                coupling->target += (e == 0 ? 1 : coupling->ratio) *
                                    pcs_coordinate_value(x, &pair,
                                                         x->turn >= 0 ? turns[x->turn] : 0);
            }
        }
    }
    pcs_free(ctx, q);
    pcs_free(ctx, v);
    pcs_free(ctx, turns);
    pcs_configuration_free(ctx, &c);
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

// Back to the state before finish(), so that a builder that was refused can be mended and finished.
static void forget_derived(pcs_builder *builder)
{
    pcs_context *ctx = builder->ctx;
    pcs_model *model = builder->model;
    for (int32_t i = 0; i < builder->formulas.count; ++i) {
        const pcs_pending_formula *f = &builder->formulas.data[i];
        pcs_formula **place = formula_place(model, f);
        pcs_formula_destroy(*place);
        *place = NULL;
        if (f->place != PCS_PLACE_MOTION)
            continue;
        pcs_joint *joint = &model->joints.data[f->index];
        pcs_formula_destroy(joint->motion_rate[f->component]);
        pcs_formula_destroy(joint->motion_acceleration[f->component]);
        joint->motion_rate[f->component] = NULL;
        joint->motion_acceleration[f->component] = NULL;
    }
    while (model->row_names.count > 0)
        pcs_free(ctx, model->row_names.data[--model->row_names.count]);
    while (model->slot_names.count > 0)
        pcs_free(ctx, model->slot_names.data[--model->slot_names.count]);
    pcs_free(ctx, model->pairs);
    pcs_free(ctx, model->stand_in);
    pcs_free(ctx, model->times_given);
    model->pairs = NULL;
    model->stand_in = model->times_given = NULL;
    model->n_pairs = model->n_rows = model->n_slots = 0;
    model->row_blocks.count = model->inputs.count = 0;
    pcs_builder_drop_system_nodes(builder);
    pcs_builder_drop_holds(builder);
}

static pcs_status derive(pcs_builder *builder)
{
    PCS_TRY(pcs_builder_add_system_nodes(builder));
    for (int32_t i = 0; i < builder->formulas.count; ++i)
        PCS_TRY(compile_formula(builder, &builder->formulas.data[i]));
    PCS_TRY(pcs_builder_derive_systems(builder));
    if (builder->model->inputs.count > INPUTS_MAX)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "the formulas use more than %d different signals", INPUTS_MAX);
    PCS_TRY(pcs_builder_add_holds(builder));
    PCS_TRY(number_rows(builder));
    PCS_TRY(number_slots(builder));
    PCS_TRY(pcs_model_find_copies(builder->model));
    PCS_TRY(collect_pairs(builder));
    PCS_TRY(pcs_builder_check_system_masses(builder));
    return set_coupling_targets(builder);
}

pcs_status pcs_builder_finish(pcs_builder *builder, pcs_model **out)
{
    *out = NULL;
    PCS_TRY(pcs_builder_check_open(builder));
    pcs_model *model = builder->model;
    if (model->bodies.count == 0 && model->systems.count == 0 && model->meshes.count == 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "the model has no bodies, no meshes and no systems; add at least one");
    pcs_status status = derive(builder);
    if (status < 0) {
        forget_derived(builder);
        return status;
    }
    builder->model = NULL;
    *out = model;
    return PCS_OK;
}

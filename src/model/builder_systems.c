// Building Lagrangian systems: checks and copies of the definition, their place in the model.
#include <math.h>
#include <string.h>

#include "model/assembly.h"
#include "model/builder.h"
#include "model/input.h"

// A few tangents of n^2 entries, each with a derivative of its own, take seconds to derive.
enum { COORDINATES_MAX = 200 };

pcs_system_def pcs_system_default(void)
{
    return (pcs_system_def){0};
}

// ---- Lifetime ----

static void free_names(pcs_context *ctx, char **names, int32_t n)
{
    for (int32_t i = 0; names && i < n; ++i)
        pcs_free(ctx, names[i]);
    pcs_free(ctx, names);
}

void pcs_system_forget_derived(pcs_context *ctx, pcs_system *s)
{
    pcs_free(ctx, s->input);
    pcs_free(ctx, s->slot_storage);
    pcs_program_destroy(s->program);
    s->input = NULL;
    s->slot_storage = NULL;
    s->program = NULL;
    s->slots = (pcs_system_slots){0};
    s->n_inputs = 0;
}

void pcs_system_free(pcs_context *ctx, pcs_system *s)
{
    pcs_system_forget_derived(ctx, s);
    free_names(ctx, s->coordinate, s->n);
    free_names(ctx, s->constraint, s->n_constraints);
    free_names(ctx, s->point, s->n_points);
    for (int32_t i = 0; s->gap && i < s->n_gaps; ++i)
        pcs_free(ctx, s->gap[i].name);
    for (int32_t i = 0; i < s->formulas.count; ++i)
        pcs_free(ctx, s->formulas.data[i].text);
    PCS_ARRAY_FREE(ctx, &s->formulas);
    void *arrays[] = {s->name,      s->initial, s->rate, s->row,
                      s->row_block, s->driven,  s->gap,  s->line};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
}

// ---- Checks ----

typedef struct name_check {
    pcs_builder *builder;
    const char *system, *what;
} name_check;

// Names of one kind in one system: well formed and each once. `get` gives name i.
static pcs_status check_names(const name_check *check, const void *items, size_t size, int32_t n)
{
    pcs_context *ctx = check->builder->ctx;
    pcs_name_map seen = {0};
    pcs_status status = PCS_OK;
    for (int32_t i = 0; i < n && status >= 0; ++i) {
        const char *name = *(const char *const *)((const char *)items + size * (size_t)i);
        status = pcs_builder_check_name(check->builder, check->what, name);
        if (status < 0)
            status = pcs_error_prefix(ctx, status, "system '%s'", check->system);
        else if (pcs_name_map_find(&seen, 0, name, strlen(name)) >= 0)
            status = pcs_error(ctx, PCS_ERROR_MODEL, "system '%s': there are two %ss '%s'",
                               check->system, check->what, name);
        else if (!pcs_name_map_reserve(ctx, &seen))
            status = PCS_ERROR_MEMORY;
        else
            pcs_name_map_add(&seen, 0, name, i);
    }
    pcs_name_map_free(ctx, &seen);
    return status;
}

static pcs_status check_all_names(pcs_builder *builder, const pcs_system_def *def)
{
    name_check check = {builder, def->name, "coordinate"};
    PCS_TRY(check_names(&check, def->coordinates, sizeof *def->coordinates, def->n_coordinates));
    check.what = "constraint";
    PCS_TRY(check_names(&check, def->constraints, sizeof *def->constraints, def->n_constraints));
    check.what = "contact";
    PCS_TRY(check_names(&check, def->gaps, sizeof *def->gaps, def->n_gaps));
    check.what = "point";
    return check_names(&check, def->points, sizeof *def->points, def->n_points);
}

static pcs_status check_coordinates(pcs_builder *builder, const pcs_system_def *def)
{
    pcs_context *ctx = builder->ctx;
    if (def->n_coordinates <= 0)
        return pcs_error(ctx, PCS_ERROR_MODEL, "system '%s': needs at least one coordinate",
                         def->name);
    if (def->n_coordinates > COORDINATES_MAX)
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "system '%s': %d coordinates are too many (at most %d): the matrices of a "
                         "system are dense; split it into systems that forces and constraints join",
                         def->name, def->n_coordinates, COORDINATES_MAX);
    for (int32_t i = 0; i < def->n_coordinates; ++i) {
        const pcs_coordinate_def *x = &def->coordinates[i];
        static const char *const taken[] = {"t", "pi", "tau"};
        for (size_t k = 0; k < sizeof taken / sizeof *taken; ++k)
            if (x->name && strcmp(x->name, taken[k]) == 0)
                return pcs_error(ctx, PCS_ERROR_MODEL,
                                 "system '%s': coordinate '%s': the name has a meaning of its own "
                                 "in formulas",
                                 def->name, x->name);
        if (!isfinite(x->initial) || !isfinite(x->rate))
            return pcs_error(ctx, PCS_ERROR_MODEL,
                             "system '%s': coordinate '%s': 'initial' and 'rate' must be finite",
                             def->name, x->name);
    }
    return PCS_OK;
}

// A name that is a coordinate and a parameter would mean two things in one formula.
static pcs_status check_parameters(pcs_builder *builder, const pcs_system *s)
{
    for (int32_t i = 0; i < s->n; ++i)
        if (pcs_name_map_find(&builder->names, PCS_NAMED_PARAMETER, s->coordinate[i],
                              strlen(s->coordinate[i])) >= 0)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                             "system '%s': coordinate '%s': a parameter has this name too; "
                             "rename one of them",
                             s->name, s->coordinate[i]);
    return PCS_OK;
}

static pcs_status check_gap(pcs_builder *builder, const pcs_system_def *def, const pcs_gap_def *gap)
{
    pcs_context *ctx = builder->ctx;
    const pcs_law *law = &gap->law;
    const int32_t tangential = builder->model->dimension - 1;
    if (!(law->friction >= 0) || !isfinite(law->friction) || !(law->restitution >= 0) ||
        !(law->restitution <= 1) || !(law->tangential_restitution >= 0) ||
        !(law->tangential_restitution <= 1))
        return pcs_error(
            ctx, PCS_ERROR_MODEL,
            "system '%s': contact '%s': needs friction >= 0 and restitutions in [0, 1]", def->name,
            gap->name);
    if (gap->n_tangential < 0 || (gap->n_tangential != 0 && gap->n_tangential != tangential))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "system '%s': contact '%s': 'tangential' needs %d displacement%s in this "
                         "model, but has %d",
                         def->name, gap->name, tangential, tangential == 1 ? "" : "s",
                         gap->n_tangential);
    if (gap->n_tangential == 0 && (law->friction > 0 || law->tangential_restitution > 0))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "system '%s': contact '%s': friction needs 'tangential', the displacement "
                         "along the surface",
                         def->name, gap->name);
    return PCS_OK;
}

static pcs_status check_functions(pcs_builder *builder, const pcs_system_def *def)
{
    const pcs_system_functions *F = def->functions;
    const char *missing = NULL;
    if (!F->mass)
        missing = "mass";
    else if (!F->force)
        missing = "force";
    else if (def->n_constraints > 0 && !F->constraints)
        missing = "constraints";
    else if (def->n_constraints > 0 && !F->constraint_curvature)
        missing = "constraint_curvature";
    else if (def->n_gaps > 0 && !F->gaps)
        missing = "gaps";
    else if (def->n_gaps > 0 && !F->gap_curvature)
        missing = "gap_curvature";
    if (missing)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL, "system '%s': the function '%s' is missing",
                         def->name, missing);
    return PCS_OK;
}

static bool is_given(const pcs_value *value)
{
    return value->formula || value->number != 0;
}

static pcs_status check_definition(pcs_builder *builder, const pcs_system_def *def)
{
    pcs_context *ctx = builder->ctx;
    PCS_TRY(check_coordinates(builder, def));
    PCS_TRY(check_all_names(builder, def));
    for (int32_t i = 0; i < def->n_gaps; ++i)
        PCS_TRY(check_gap(builder, def, &def->gaps[i]));
    for (int32_t i = 0; i < def->n_lines; ++i)
        for (int k = 0; k < 2; ++k)
            if (def->lines[i][k] < 0 || def->lines[i][k] >= def->n_points)
                return pcs_error(ctx, PCS_ERROR_MODEL, "system '%s': line %d: there is no point %d",
                                 def->name, i + 1, def->lines[i][k]);
    if (def->functions)
        return check_functions(builder, def);
    if (def->mass && is_given(&def->kinetic))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "system '%s': give either 'kinetic' or 'mass', not both", def->name);
    if (!def->mass && !is_given(&def->kinetic))
        return pcs_error(ctx, PCS_ERROR_MODEL,
                         "system '%s': needs 'kinetic', the kinetic energy, or 'mass' and 'force'",
                         def->name);
    return PCS_OK;
}

// ---- Copies ----

static bool take_formula(pcs_context *ctx, pcs_system *s, pcs_system_part part, int32_t index,
                         const pcs_value *value)
{
    pcs_system_formula f = {part, index, value->number, NULL};
    if (value->formula && !(f.text = pcs_strdup(ctx, value->formula)))
        return false;
    if (!PCS_PUSH(ctx, &s->formulas, f)) {
        pcs_free(ctx, f.text);
        return false;
    }
    return true;
}

static bool copy_formulas(pcs_context *ctx, const pcs_system_def *def, pcs_system *s)
{
    const int32_t n = def->n_coordinates;
    bool good = true;
    if (!def->mass)
        good = take_formula(ctx, s, PCS_SYSTEM_KINETIC, 0, &def->kinetic);
    for (int32_t i = 0; good && def->mass && i < n * n; ++i)
        good = take_formula(ctx, s, PCS_SYSTEM_MASS, i, &def->mass[i]);
    good = good && take_formula(ctx, s, PCS_SYSTEM_POTENTIAL, 0, &def->potential) &&
           take_formula(ctx, s, PCS_SYSTEM_DISSIPATION, 0, &def->dissipation);
    for (int32_t i = 0; good && def->forces && i < n; ++i)
        good = take_formula(ctx, s, PCS_SYSTEM_FORCE, i, &def->forces[i]);
    for (int32_t i = 0; good && i < def->n_constraints; ++i)
        good = take_formula(ctx, s, PCS_SYSTEM_CONSTRAINT, i, &def->constraints[i].value);
    for (int32_t i = 0; good && i < def->n_gaps; ++i) {
        const pcs_gap_def *gap = &def->gaps[i];
        good = take_formula(ctx, s, PCS_SYSTEM_GAP, s->gap[i].first, &gap->gap);
        for (int32_t k = 0; good && k < gap->n_tangential; ++k)
            good = take_formula(ctx, s, PCS_SYSTEM_GAP, s->gap[i].first + 1 + k,
                                &gap->tangential[k]);
    }
    for (int32_t i = 0; good && i < 3 * def->n_points; ++i)
        good = take_formula(ctx, s, PCS_SYSTEM_POINT, i, &def->points[i / 3].position[i % 3]);
    return good;
}

// Numbers must be finite; formulas are looked at when they are compiled.
static pcs_status check_numbers(pcs_context *ctx, const pcs_system *s)
{
    for (int32_t i = 0; i < s->formulas.count; ++i)
        if (!s->formulas.data[i].text && !isfinite(s->formulas.data[i].number))
            return pcs_error(ctx, PCS_ERROR_MODEL, "system '%s': all numbers must be finite",
                             s->name);
    return PCS_OK;
}

static char **copy_names(pcs_context *ctx, const void *items, size_t size, int32_t n)
{
    char **names = PCS_NEW_ARRAY(ctx, char *, n);
    bool good = names != NULL;
    for (int32_t i = 0; good && i < n; ++i) {
        names[i] = pcs_strdup(ctx, *(const char *const *)((const char *)items + size * (size_t)i));
        good = names[i] != NULL;
    }
    if (!good) {
        free_names(ctx, names, n);
        return NULL;
    }
    return names;
}

static bool copy_gaps(pcs_context *ctx, const pcs_system_def *def, int32_t dimension, pcs_system *s)
{
    for (int32_t i = 0; i < def->n_gaps; ++i) {
        const pcs_gap_def *gap = &def->gaps[i];
        const bool rough = gap->law.friction > 0 || gap->law.tangential_restitution > 0;
        s->gap[i] = (pcs_system_gap){.name = pcs_strdup(ctx, gap->name),
                                     .law = gap->law,
                                     .first = s->n_gap_rows,
                                     .size = 1 + gap->n_tangential,
                                     .used = rough ? dimension : 1};
        s->n_gap_rows += s->gap[i].size;
        if (!s->gap[i].name)
            return false;
    }
    return true;
}

static bool copy_system(pcs_context *ctx, const pcs_system_def *def, int32_t dimension,
                        pcs_system *s)
{
    const int32_t n = def->n_coordinates, m = def->n_constraints;
    *s = (pcs_system){.n = n,
                      .node = -1,
                      .n_constraints = m,
                      .n_gaps = def->n_gaps,
                      .n_points = def->functions ? 0 : def->n_points,
                      .n_lines = def->functions ? 0 : def->n_lines,
                      .has_mass = def->mass != NULL,
                      .has_functions = def->functions != NULL};
    if (def->functions)
        s->functions = *def->functions;
    s->name = pcs_strdup(ctx, def->name);
    s->coordinate = copy_names(ctx, def->coordinates, sizeof *def->coordinates, n);
    s->constraint = copy_names(ctx, def->constraints, sizeof *def->constraints, m);
    s->point = copy_names(ctx, def->points, sizeof *def->points, s->n_points);
    s->initial = PCS_NEW_ARRAY(ctx, double, n);
    s->rate = PCS_NEW_ARRAY(ctx, double, n);
    s->row = PCS_NEW_ARRAY(ctx, int32_t, m);
    s->row_block = PCS_NEW_ARRAY(ctx, int32_t, m);
    s->driven = PCS_NEW_ARRAY(ctx, bool, m);
    s->gap = PCS_NEW_ARRAY(ctx, pcs_system_gap, def->n_gaps);
    s->line = pcs_calloc(ctx, (size_t)s->n_lines, sizeof *s->line);
    if (!s->name || !s->coordinate || !s->constraint || !s->point || !s->initial || !s->rate ||
        !s->row || !s->row_block || !s->driven || !s->gap || !s->line)
        return false;
    for (int32_t i = 0; i < n; ++i) {
        s->initial[i] = def->coordinates[i].initial;
        s->rate[i] = def->coordinates[i].rate;
    }
    if (s->n_lines > 0)
        memcpy(s->line, def->lines, sizeof *s->line * (size_t)s->n_lines);
    return copy_gaps(ctx, def, dimension, s) && (def->functions || copy_formulas(ctx, def, s));
}

pcs_status pcs_builder_add_system(pcs_builder *builder, const pcs_system_def *def,
                                  pcs_system_id *id)
{
    PCS_TRY(pcs_builder_check_new_name(builder, PCS_NAMED_SYSTEM, def->name));
    PCS_TRY(check_definition(builder, def));
    pcs_context *ctx = builder->ctx;
    pcs_model *model = builder->model;
    pcs_system s;
    pcs_status status = copy_system(ctx, def, model->dimension, &s) ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0)
        status = check_numbers(ctx, &s);
    if (status >= 0 && !PCS_PUSH(ctx, &model->systems, s))
        status = PCS_ERROR_MEMORY;
    if (status < 0) {
        pcs_system_free(ctx, &s);
        return status;
    }
    pcs_builder_keep_name(builder, PCS_NAMED_SYSTEM, s.name, model->systems.count - 1);
    if (id)
        *id = model->systems.count - 1;
    return PCS_OK;
}

// ---- Finishing ----

static pcs_status name_members(pcs_builder *builder, const pcs_system *s)
{
    pcs_model *model = builder->model;
    bool good = true;
    for (int32_t i = 0; i < s->n && good; ++i)
        good = pcs_builder_push_name(builder->ctx, &model->coordinate_names, "%s.%s", s->name,
                                     s->coordinate[i]);
    for (int32_t i = 0; i < s->n_constraints && good; ++i)
        good = pcs_builder_push_name(builder->ctx, &model->constraint_names, "%s.%s", s->name,
                                     s->constraint[i]);
    for (int32_t i = 0; i < s->n_points && good; ++i)
        good = pcs_builder_push_name(builder->ctx, &model->point_names, "%s.%s", s->name,
                                     s->point[i]);
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

// Nodes stand behind those of the bodies, so that body i has node i.
pcs_status pcs_builder_add_system_nodes(pcs_builder *builder)
{
    pcs_model *model = builder->model;
    for (int32_t k = 0; k < model->systems.count; ++k) {
        pcs_system *s = &model->systems.data[k];
        PCS_TRY(check_parameters(builder, s));
        pcs_node node = {PCS_NODE_VECTOR, model->n_q, model->n_v, s->n, s->n};
        if (!PCS_PUSH(builder->ctx, &model->nodes, node))
            return PCS_ERROR_MEMORY;
        s->node = model->nodes.count - 1;
        PCS_TRY(name_members(builder, s));
        model->n_q += s->n;
        model->n_v += s->n;
    }
    return PCS_OK;
}

void pcs_builder_drop_system_nodes(pcs_builder *builder)
{
    pcs_model *model = builder->model;
    int32_t kept = model->bodies.count; // nodes of bodies and meshes stand before those of systems
    for (int32_t k = 0; k < model->meshes.count; ++k)
        kept += model->meshes.data[k].n_nodes;
    while (model->nodes.count > kept) {
        const pcs_node *node = &model->nodes.data[--model->nodes.count];
        model->n_q -= node->n_q;
        model->n_v -= node->n_v;
    }
    for (int32_t k = 0; k < model->systems.count; ++k)
        pcs_system_forget_derived(builder->ctx, &model->systems.data[k]);
    model->system_work = 0;
    pcs_model_names *const names[] = {&model->coordinate_names, &model->constraint_names,
                                      &model->point_names};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        while (names[k]->count > 0)
            pcs_free(builder->ctx, names[k]->data[--names[k]->count]);
}

pcs_status pcs_builder_derive_systems(pcs_builder *builder)
{
    pcs_model *model = builder->model;
    int32_t largest = 0;
    for (int32_t i = 0; i < model->nodes.count; ++i)
        largest = model->nodes.data[i].n_v > largest ? model->nodes.data[i].n_v : largest;
    for (int32_t k = 0; k < model->systems.count; ++k) {
        pcs_system *s = &model->systems.data[k];
        PCS_TRY(s->has_functions ? pcs_system_lay_out(builder->ctx, s)
                                 : pcs_system_derive(builder, k));
        const int64_t size = (int64_t)s->work_size + s->n + largest; // and two rows to gather in
        if (model->system_work + size > INT32_MAX)
            return pcs_error(builder->ctx, PCS_ERROR_MODEL, "system '%s': is too large", s->name);
        s->work = (int32_t)model->system_work;
        model->system_work += size;
    }
    return PCS_OK;
}

// Adds the nodes that a row with these slots touches; false beyond the limit.
static bool add_row_nodes(const pcs_model *model, const pcs_system *s, const int32_t *J,
                          const int32_t *J_z, int32_t *n_nodes, int32_t node[PCS_ROW_NODES_MAX])
{
    int32_t touched[2 * 256 + 1], n = 0;
    for (int32_t i = 0; i < s->n && n == 0; ++i)
        if (J[i] != s->zero)
            touched[n++] = s->node;
    for (int32_t k = 0; k < s->n_inputs; ++k)
        if (J_z[k] != s->zero)
            n += pcs_input_nodes(model, &model->inputs.data[s->input[k]], touched + n);
    for (int32_t i = 0; i < n; ++i) {
        int32_t e = 0;
        while (e < *n_nodes && node[e] != touched[i])
            ++e;
        if (e < *n_nodes)
            continue;
        if (e == PCS_ROW_NODES_MAX)
            return false;
        node[e] = touched[i];
        *n_nodes = e + 1;
    }
    return true;
}

static pcs_status check_row_nodes(const pcs_builder *builder, const pcs_system *s, const char *what,
                                  const char *name, bool fits, int32_t n_nodes)
{
    if (!fits)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "system '%s': %s '%s': depends on more than %d bodies and systems; "
                         "introduce a coordinate for a part of it",
                         s->name, what, name, PCS_ROW_NODES_MAX);
    if (n_nodes == 0)
        return pcs_error(builder->ctx, PCS_ERROR_MODEL,
                         "system '%s': %s '%s': depends on nothing that moves", s->name, what,
                         name);
    return PCS_OK;
}

// Constraints among the system's own coordinates are one block; the others have one each.
pcs_status pcs_builder_number_system_rows(pcs_builder *builder, pcs_system *s)
{
    pcs_model *model = builder->model;
    pcs_row_pattern own = {.n_nodes = 1, .node = {s->node}, .first_row = model->n_rows};
    const int32_t own_block = model->row_blocks.count;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < s->n_constraints; ++i) {
            pcs_row_pattern p = {.size = 1};
            bool fits = add_row_nodes(model, s, s->slots.G + i * s->n,
                                      s->slots.G_z + i * s->n_inputs, &p.n_nodes, p.node);
            PCS_TRY(check_row_nodes(builder, s, "constraint", s->constraint[i], fits, p.n_nodes));
            const bool is_own = p.n_nodes == 1 && p.node[0] == s->node;
            if (is_own != (pass == 0))
                continue;
            p.first_row = s->row[i] = model->n_rows++;
            s->row_block[i] = is_own ? own_block : model->row_blocks.count;
            own.size += is_own;
            if (!is_own && !PCS_PUSH(builder->ctx, &model->row_blocks, p))
                return PCS_ERROR_MEMORY;
            if (!pcs_builder_push_name(builder->ctx, &model->row_names, "system.%s (%s)", s->name,
                                       s->constraint[i]))
                return PCS_ERROR_MEMORY;
        }
        if (pass == 0 && own.size > 0 && !PCS_PUSH(builder->ctx, &model->row_blocks, own))
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

pcs_status pcs_builder_number_system_slots(pcs_builder *builder, pcs_system *s)
{
    pcs_model *model = builder->model;
    for (int32_t i = 0; i < s->n_gaps; ++i) {
        pcs_system_gap *gap = &s->gap[i];
        bool fits = true;
        gap->n_nodes = 0;
        for (int32_t k = gap->first; fits && k < gap->first + gap->used; ++k)
            fits = add_row_nodes(model, s, s->slots.H + k * s->n, s->slots.H_z + k * s->n_inputs,
                                 &gap->n_nodes, gap->node);
        PCS_TRY(check_row_nodes(builder, s, "contact", gap->name, fits, gap->n_nodes));
        gap->slot = model->n_slots++;
        if (!pcs_builder_push_name(builder->ctx, &model->slot_names, "%s.%s", s->name, gap->name))
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

// M = L L^T with unit diagonal of M: a pivot at the level of rounding means a motion without mass.
static pcs_status check_regular(pcs_context *ctx, const pcs_system *s, double *M)
{
    static const double SMALL = 1e-13; // of a pivot that is 1 for an uncoupled coordinate
    const int32_t n = s->n;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j) {
            if (!isfinite(M[i * n + j]))
                return pcs_error(ctx, PCS_ERROR_MODEL,
                                 "system '%s': the mass matrix at the start is not finite (%s, %s)",
                                 s->name, s->coordinate[i], s->coordinate[j]);
            const double scale = sqrt(fabs(M[i * n + i] * M[j * n + j]));
            if (fabs(M[i * n + j] - M[j * n + i]) > SMALL * scale)
                return pcs_error(ctx, PCS_ERROR_MODEL,
                                 "system '%s': the mass matrix is not symmetric: %g (%s, %s) "
                                 "against %g",
                                 s->name, M[i * n + j], s->coordinate[i], s->coordinate[j],
                                 M[j * n + i]);
        }
    for (int32_t i = 0; i < n; ++i) {
        const double diagonal = M[i * n + i];
        for (int32_t j = 0; j <= i; ++j) {
            double sum = M[i * n + j];
            for (int32_t k = 0; k < j; ++k)
                sum -= M[i * n + k] * M[j * n + k];
            if (j < i)
                M[i * n + j] = sum / M[j * n + j];
            else if (sum > SMALL * diagonal && diagonal > 0)
                M[i * n + i] = sqrt(sum);
            else
                return pcs_error(ctx, PCS_ERROR_MODEL,
                                 "system '%s': the mass matrix at the start is singular or not "
                                 "positive definite at coordinate '%s'; each coordinate needs a "
                                 "kinetic energy of its own",
                                 s->name, s->coordinate[i]);
        }
    }
    return PCS_OK;
}

pcs_status pcs_builder_check_system_masses(pcs_builder *builder)
{
    pcs_context *ctx = builder->ctx;
    const pcs_model *model = builder->model;
    if (model->systems.count == 0)
        return PCS_OK;
    pcs_configuration c;
    PCS_TRY(pcs_configuration_init(ctx, model, &c));
    double *q = PCS_NEW_ARRAY(ctx, double, model->n_q);
    double *v = PCS_NEW_ARRAY(ctx, double, model->n_v);
    double *turns = PCS_NEW_ARRAY(ctx, double, model->n_turns);
    pcs_status status = q && v && turns ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0) {
        pcs_model_initial_state(model, q, v);
        pcs_configuration_update(model, &c, 0, q, v, turns, NULL);
    }
    for (int32_t k = 0; k < model->systems.count && status >= 0; ++k) {
        const pcs_system *s = &model->systems.data[k];
        const double *w = pcs_system_evaluate(model, &c, k, 1u << PCS_STAGE_MASS);
        double *M = PCS_NEW_ARRAY(ctx, double, s->n * s->n);
        for (int32_t i = 0; M && i < s->n * s->n; ++i)
            M[i] = w[s->slots.M[i]];
        status = M ? check_regular(ctx, s, M) : PCS_ERROR_MEMORY;
        pcs_free(ctx, M);
    }
    pcs_free(ctx, q);
    pcs_free(ctx, v);
    pcs_free(ctx, turns);
    pcs_configuration_free(ctx, &c);
    return status;
}

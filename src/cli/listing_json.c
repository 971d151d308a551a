// percuss list --json and percuss info --drawings. Numbers have 17 digits; those that are not
// finite are null.
#include "listing_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- JSON ----

static void put_text(const char *text)
{
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            printf("\\u%04x", (unsigned)*c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void put_number(double number)
{
    if (isfinite(number))
        printf("%.17g", number);
    else
        fputs("null", stdout);
}

// "key": "text", with a comma before it unless it is the first of its object.
static void put_member(bool first, const char *key, const char *text)
{
    printf("%s\"%s\": ", first ? "" : ", ", key);
    put_text(text);
}

static void put_numbers(const char *key, const double *numbers, int32_t count)
{
    printf(", \"%s\": [", key);
    for (int32_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        put_number(numbers[i]);
    }
    putchar(']');
}

static const char *row_start(int32_t index)
{
    return index > 0 ? ",\n  " : "\n  ";
}

// ---- Schemes and solvers ----

static void put_option(const pcs_option *option)
{
    static const char *const types[] = {[PCS_OPTION_REAL] = "number",
                                        [PCS_OPTION_INTEGER] = "integer",
                                        [PCS_OPTION_CHOICE] = "choice"};
    putchar('{');
    put_member(true, "key", option->key);
    put_member(false, "type", types[option->type]);
    fputs(", \"default\": ", stdout);
    if (option->type == PCS_OPTION_CHOICE) {
        put_text(option->choices[(int)option->fallback]);
        fputs(", \"choices\": [", stdout);
        for (int i = 0; option->choices[i]; i++) {
            fputs(i > 0 ? ", " : "", stdout);
            put_text(option->choices[i]);
        }
        putchar(']');
    } else {
        put_number(option->fallback);
        put_numbers("range", (const double[]){option->lowest, option->highest}, 2);
    }
    put_member(false, "help", option->help);
    putchar('}');
}

static void put_method(const char *name, const char *help, const pcs_option *options, int32_t count)
{
    put_member(true, "name", name);
    put_member(false, "help", help);
    fputs(", \"options\": [", stdout);
    for (int32_t k = 0; k < count; k++) {
        fputs(k > 0 ? ",\n    " : "\n    ", stdout);
        put_option(&options[k]);
    }
    fputs("]", stdout);
}

static void put_schemes(void)
{
    const char *name, *help = "";
    const pcs_option *options = NULL;
    int32_t count = 0;
    fputs("\"schemes\": [", stdout);
    for (int32_t i = 0; (name = pcs_scheme_name(i, &help, &options, &count)); i++) {
        printf("%s{", row_start(i));
        put_method(name, help, options, count);
        putchar('}');
    }
    fputs("],\n", stdout);
}

const char *cli_problem_class(int32_t index, pcs_problem_class *problem_class)
{
    static const struct {
        pcs_problem_class problem_class;
        const char *meaning;
    } classes[] = {
        {PCS_PROBLEM_LCP, "linear complementarity"},
        {PCS_PROBLEM_MLCP, "linear complementarity with equalities"},
        {PCS_PROBLEM_LOCAL, "friction contact, u = W r + q"},
        {PCS_PROBLEM_GLOBAL, "friction contact, M v = H r + f, u = H^T v + w"},
    };
    if (index < 0 || index >= (int32_t)(sizeof classes / sizeof *classes))
        return NULL;
    *problem_class = classes[index].problem_class;
    return classes[index].meaning;
}

static void put_solvers(void)
{
    const char *name, *meaning, *help = "";
    const pcs_option *options = NULL;
    int32_t count = 0, row = 0;
    pcs_problem_class problem_class = PCS_PROBLEM_LCP;
    fputs("\"solvers\": [", stdout);
    for (int32_t c = 0; (meaning = cli_problem_class(c, &problem_class)); c++)
        for (int32_t i = 0; (name = pcs_problem_solver(problem_class, i, &help, &options, &count));
             i++) {
            printf("%s{", row_start(row++));
            put_member(true, "class", pcs_problem_class_name(problem_class));
            put_member(false, "class_meaning", meaning);
            fputs(", ", stdout);
            put_method(name, help, options, count);
            putchar('}');
        }
    fputs("],\n", stdout);
}

// ---- What a model file names ----

static void put_dimensions(bool planar, bool spatial)
{
    printf(", \"dimensions\": [%s%s%s]", planar ? "2" : "", planar && spatial ? ", " : "",
           spatial ? "3" : "");
}

static void put_joints(void)
{
    fputs("\"joints\": [", stdout);
    for (int32_t k = 0; k < PCS_JOINT_KIND_COUNT; k++) {
        pcs_joint_kind kind = (pcs_joint_kind)k;
        bool planar = pcs_joint_kind_allowed(kind, 2), spatial = pcs_joint_kind_allowed(kind, 3);
        int32_t dimension = spatial ? 3 : 2;
        const char *name;
        printf("%s{", row_start(k));
        put_member(true, "name", pcs_joint_kind_name(kind));
        put_dimensions(planar, spatial);
        fputs(", \"coordinates\": [", stdout);
        for (int32_t i = 0; (name = pcs_joint_coordinate_name(kind, dimension, i)); i++) {
            fputs(i > 0 ? ", {" : "{", stdout);
            put_member(true, "name", name);
            put_member(false, "rate", pcs_joint_rate_name(kind, dimension, i));
            putchar('}');
        }
        fputs("]}", stdout);
    }
    fputs("],\n", stdout);
}

static void put_contacts(void)
{
    fputs("\"contacts\": [", stdout);
    for (int32_t k = 0; k < PCS_CONTACT_KIND_COUNT; k++) {
        pcs_contact_kind kind = (pcs_contact_kind)k;
        printf("%s{", row_start(k));
        put_member(true, "name", pcs_contact_kind_name(kind));
        put_dimensions(pcs_contact_kind_allowed(kind, 2), pcs_contact_kind_allowed(kind, 3));
        put_member(false, "help", cli_contact_meaning(kind));
        putchar('}');
    }
    fputs("],\n", stdout);
}

static void put_shapes(void)
{
    const char *name;
    fputs("\"shapes\": [", stdout);
    for (int32_t k = 0; (name = pcs_shape_kind_name((pcs_shape_kind)k)); k++) {
        printf("%s{", row_start(k));
        put_member(true, "name", name);
        put_member(false, "help", cli_shape_meaning((pcs_shape_kind)k));
        putchar('}');
    }
    fputs("],\n", stdout);
}

// Elements, material laws and targets of surface contacts.
static void put_meshes(void)
{
    const char *name;
    fputs("\"elements\": [", stdout);
    for (int32_t k = 0; (name = pcs_element_kind_name((pcs_element_kind)k)); k++) {
        printf("%s{", row_start(k));
        put_member(true, "name", name);
        put_dimensions(pcs_element_kind_allowed((pcs_element_kind)k, 2),
                       pcs_element_kind_allowed((pcs_element_kind)k, 3));
        put_member(false, "help", pcs_element_kind_help((pcs_element_kind)k));
        putchar('}');
    }
    fputs("],\n\"materials\": [", stdout);
    for (int32_t k = 0; (name = pcs_material_law_name((pcs_material_law)k)); k++) {
        printf("%s{", row_start(k));
        put_member(true, "name", name);
        put_member(false, "help", pcs_material_law_help((pcs_material_law)k));
        putchar('}');
    }
    fputs("],\n\"targets\": [", stdout);
    for (int32_t k = 0; (name = pcs_target_kind_name((pcs_target_kind)k)); k++) {
        printf("%s{", row_start(k));
        put_member(true, "name", name);
        put_member(false, "help", cli_target_meaning((pcs_target_kind)k));
        putchar('}');
    }
    fputs("],\n", stdout);
}

static pcs_status put_key(void *user, const pcs_model_key *key)
{
    int32_t *count = user;
    printf("%s{", row_start((*count)++));
    put_member(true, "path", key->path);
    put_member(false, "owner", key->owner);
    put_member(false, "key", key->key);
    put_member(false, "value", key->value);
    if (key->inside)
        put_member(false, "inside", key->inside);
    printf(", \"required\": %s", key->required ? "true" : "false");
    put_member(false, "help", key->help);
    putchar('}');
    return PCS_OK;
}

void cli_list_json(void)
{
    int32_t keys = 0;
    putchar('{');
    put_member(true, "version", pcs_version());
    fputs(",\n", stdout);
    put_schemes();
    put_solvers();
    put_joints();
    put_contacts();
    put_shapes();
    put_meshes();
    fputs("\"keys\": [", stdout);
    if (pcs_model_file_keys(put_key, &keys) == PCS_OK) // put_key never fails
        fputs("]}\n", stdout);
}

// ---- Drawings ----

// The mesh of a node of a frame, and its number there; the nodes of meshes follow those of bodies.
static int32_t find_mesh(const pcs_model *model, int32_t frame_node, int32_t *number)
{
    int32_t mesh = 0;
    *number = frame_node - 1 - pcs_model_body_count(model);
    while (*number >= pcs_model_mesh_node_count(model, mesh))
        *number -= pcs_model_mesh_node_count(model, mesh++);
    return mesh;
}

static void put_frame(const pcs_model *model, const char *key, const pcs_frame *frame)
{
    const pcs_vec3 *p = &frame->position;
    const pcs_quat *r = &frame->rotation;
    printf(", \"%s\": {\"body\": %d", key, (int)frame->body);
    if (frame->node > 0) {
        int32_t number;
        int32_t mesh = find_mesh(model, frame->node, &number);
        printf(", \"mesh\": %d, \"node\": %d", (int)mesh, (int)number);
    }
    put_numbers("position", (const double[]){p->x, p->y, p->z}, 3);
    put_numbers("rotation", (const double[]){r->w, r->x, r->y, r->z}, 4);
    putchar('}');
}

typedef struct drawing_list {
    const pcs_model *model;
    int32_t count;
} drawing_list;

static pcs_status put_drawing(void *user, const pcs_drawing *drawing)
{
    drawing_list *list = user;
    printf("%s{", row_start(list->count++));
    put_member(true, "kind", pcs_drawing_kind_name(drawing->kind));
    put_member(false, "owner", pcs_drawing_owner_name(drawing->owner));
    printf(", \"object\": %d", (int)drawing->object);
    put_member(false, "name", drawing->name);
    put_frame(list->model, "a", &drawing->a);
    put_frame(list->model, "b", &drawing->b);
    put_numbers("size", (const double[]){drawing->size.x, drawing->size.y, drawing->size.z}, 3);
    if (drawing->kind == PCS_DRAWING_JOINT)
        put_member(false, "joint_kind", pcs_joint_kind_name(drawing->joint_kind));
    if (drawing->kind == PCS_DRAWING_POLYLINE) {
        printf(", \"closed\": %s, \"vertices\": [", drawing->closed ? "true" : "false");
        for (int32_t i = 0; i < drawing->n_vertices; i++)
            printf("%s[%.17g, %.17g]", i > 0 ? ", " : "", drawing->vertices[i].x,
                   drawing->vertices[i].y);
        putchar(']');
    }
    putchar('}');
    return PCS_OK;
}

static void put_node_lists(const char *key, const int32_t *nodes, int32_t size, int32_t count)
{
    printf(", \"%s\": [", key);
    for (int32_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", [" : "[", stdout);
        for (int32_t k = 0; k < size && nodes[i * size + k] >= 0; k++)
            printf("%s%d", k > 0 ? ", " : "", (int)nodes[i * size + k]);
        putchar(']');
    }
    putchar(']');
}

// Parts with bars or beams: their elements and the size of the section.
static void put_lines(const pcs_model *model, pcs_mesh_id mesh)
{
    int32_t count = 0;
    fputs(", \"lines\": [", stdout);
    for (int32_t p = 0; p < pcs_model_mesh_part_count(model, mesh); p++) {
        pcs_mesh_part_view part = pcs_model_mesh_part(model, mesh, p);
        if (part.nodes_per_element != 2)
            continue;
        const pcs_section *section = part.section;
        double edge = sqrt(section->area); // a square, unless more is known
        bool known = section->drawn.x > 0;
        pcs_vec2 size = known ? section->drawn : (pcs_vec2){edge, edge};
        printf("%s{", count++ > 0 ? ", " : "");
        put_member(true, "kind", pcs_element_kind_name(part.kind));
        printf(", \"round\": %s", known && section->round ? "true" : "false");
        put_numbers("size", (const double[]){size.x, size.y}, 2);
        put_node_lists("elements", part.nodes, 2, part.n_elements);
        putchar('}');
    }
    putchar(']');
}

static void put_mesh(const pcs_model *model, pcs_mesh_id mesh)
{
    pcs_mesh_group_view group;
    putchar('{');
    put_member(true, "name", pcs_model_mesh_name(model, mesh));
    printf(", \"nodes\": %d", (int)pcs_model_mesh_node_count(model, mesh));
    put_lines(model, mesh);
    for (int32_t g = 0; (group = pcs_model_mesh_group(model, mesh, g)).name; g++)
        if (strcmp(group.name, "surface") == 0)
            put_node_lists("faces", group.n_faces > 0 ? group.faces[0] : NULL, PCS_FACE_NODES_MAX,
                           group.n_faces);
    putchar('}');
}

pcs_status cli_drawings_json(const pcs_model *model)
{
    drawing_list list = {.model = model};
    printf("{\"dimension\": %d, \"bodies\": [", (int)pcs_model_dimension(model));
    for (int32_t i = 0; i < pcs_model_place_count(model); i++) {
        fputs(i > 0 ? ", " : "", stdout);
        put_text(pcs_model_body_name(model, i));
    }
    fputs("], \"meshes\": [", stdout);
    for (int32_t i = 0; i < pcs_model_mesh_count(model); i++) {
        fputs(row_start(i), stdout);
        put_mesh(model, i);
    }
    fputs("], \"drawings\": [", stdout);
    pcs_status status = pcs_model_draw(model, put_drawing, &list);
    fputs("]}\n", stdout);
    return status;
}

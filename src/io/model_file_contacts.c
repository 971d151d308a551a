// The sections `laws` and `contacts` of a model file.
#include <stdio.h>
#include <string.h>

#include "io/model_reader.h"

// What a kind of contact takes; all but PLANE, AXIS are required.
enum {
    PLANE = 1, // normal, extent
    AXIS = 2,
    RADIUS = 4,
    RADII = 8,
    SIZE = 16,
    LENGTH = 32,
    WIDTH = 64,
    VERTICES = 128,
    CURVE = 512,  // curve, closed; radius may be left out
    CENTRED = 256 // without `b` both frames are at the world point `at`
};

static const int contact_keys[PCS_CONTACT_KIND_COUNT] = {
    [PCS_CONTACT_POINT_PLANE] = PLANE,
    [PCS_CONTACT_SPHERE_PLANE] = PLANE | RADIUS,
    [PCS_CONTACT_SPHERE_SPHERE] = RADII,
    [PCS_CONTACT_SPHERE_IN_SPHERE] = RADII | CENTRED,
    [PCS_CONTACT_PIN_IN_HOLE] = RADII | AXIS | CENTRED,
    [PCS_CONTACT_BOX_PLANE] = PLANE | SIZE,
    [PCS_CONTACT_CYLINDER_PLANE] = PLANE | RADIUS | LENGTH,
    [PCS_CONTACT_POINT_POLYLINE] = VERTICES | AXIS,
    [PCS_CONTACT_SLIDER_GUIDE] = SIZE | WIDTH | AXIS,
    [PCS_CONTACT_POINT_CURVE] = CURVE | AXIS,
};

typedef struct contact_reader {
    const pcs_yaml_node *node;
    int keys;
    char owner[64]; // "a sphere-plane contact", for messages
} contact_reader;

static pcs_status check_keys(pcs_model_reader *reader, const contact_reader *contact)
{
    static const struct {
        const char *key;
        int bits, required;
    } rows[] = {{"radius", RADIUS | CURVE, RADIUS},
                {"radii", RADII, RADII},
                {"size", SIZE, SIZE},
                {"length", LENGTH, LENGTH},
                {"width", WIDTH, WIDTH},
                {"vertices", VERTICES, VERTICES},
                {"curve", CURVE, CURVE},
                {"closed", VERTICES | CURVE, 0},
                {"normal", PLANE, 0},
                {"extent", PLANE, 0},
                {"axis", AXIS, 0},
                {"reference", PLANE | AXIS, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!(contact->keys & rows[k].bits))
            PCS_TRY(pcs_reader_refuse_key(reader, contact->node, rows[k].key, contact->owner));
        else if (contact->keys & rows[k].required)
            PCS_TRY(pcs_reader_require_key(reader, contact->node, rows[k].key, contact->owner));
    }
    return PCS_OK;
}

// ---- Frames ----

// Frame a from the world (at, normal, axis) or from `a`; frame b from `b`. Without them the frame
// is the body's own, but a pin sits in its hole.
static pcs_status read_frames(pcs_model_reader *reader, const contact_reader *contact,
                              pcs_contact_def *def)
{
    static const char *const world_keys[] = {"at", "normal", "axis", "reference"};
    const pcs_yaml_node *node = contact->node;
    const pcs_yaml_node *a = pcs_yaml_child(node, "a"), *b = pcs_yaml_child(node, "b");
    pcs_holder holders[2];
    PCS_TRY(pcs_reader_read_bodies(reader, node, holders));
    pcs_frame_axis axis = pcs_reader_default_axis(reader);
    bool in_world = false;
    for (size_t k = 0; k < sizeof world_keys / sizeof *world_keys; k++) {
        in_world = in_world || pcs_yaml_child(node, world_keys[k]);
        if (a)
            PCS_TRY(pcs_reader_refuse_key(reader, node, world_keys[k],
                                          "a contact with 'a'; write it inside 'a'"));
    }
    def->a = def->b = pcs_frame_default();
    def->a.body = holders[0].body;
    def->a.node = holders[0].node;
    def->b.body = holders[1].body;
    def->b.node = holders[1].node;
    pcs_status status = PCS_OK;
    if (a) {
        PCS_TRY(pcs_reader_read_frame(reader, a, holders[0], axis, &def->a));
    } else if (in_world) {
        const pcs_holder first[2] = {holders[0], holders[0]};
        pcs_vec3 at;
        pcs_quat rotation;
        PCS_TRY(pcs_reader_get_place(reader, node, first, &at));
        PCS_TRY(pcs_reader_read_orientation(reader, node, axis, &rotation));
        status = pcs_reader_frame_at(reader, holders[0], at, rotation, &def->a);
        if (status >= 0 && !b && (contact->keys & CENTRED))
            status = pcs_reader_frame_at(reader, holders[1], at, rotation, &def->b);
    }
    if (status < 0)
        return pcs_reader_locate(reader, node, status);
    return b ? pcs_reader_read_frame(reader, b, holders[1], axis, &def->b) : PCS_OK;
}

// ---- Sizes ----

// n numbers, the first n_positive of them above 0.
static pcs_status read_sizes_list(pcs_model_reader *reader, const pcs_yaml_node *node, int32_t n,
                                  int32_t n_positive, double *numbers)
{
    PCS_TRY(pcs_reader_read_numbers(reader, node, n, numbers));
    for (int32_t k = 0; k < n_positive; k++) {
        if (!(numbers[k] > 0))
            return pcs_yaml_error(reader->doc, node->mark,
                                  "the numbers of '%s' must be greater than 0, but one is %g",
                                  node->key, numbers[k]);
    }
    return PCS_OK;
}

static pcs_status read_positive_list(pcs_model_reader *reader, const pcs_yaml_node *node, int32_t n,
                                     double *numbers)
{
    return read_sizes_list(reader, node, n, n, numbers);
}

static pcs_status read_vertices(pcs_model_reader *reader, const pcs_yaml_node *node,
                                pcs_contact_def *def)
{
    const pcs_yaml_node *list = pcs_yaml_child(node, "vertices");
    if (!list)
        return PCS_OK;
    if (list->count < 2)
        return pcs_yaml_error(reader->doc, list->mark, "'vertices' needs at least two points");
    pcs_vec2 *vertices = pcs_yaml_alloc(reader->doc, (size_t)list->count, sizeof *vertices);
    if (!vertices)
        return PCS_ERROR_MEMORY;
    int32_t n = 0;
    for (const pcs_yaml_node *item = list->first; item; item = item->next) {
        double point[2];
        PCS_TRY(pcs_reader_read_numbers(reader, item, 2, point));
        vertices[n] = (pcs_vec2){point[0], point[1]};
        if (n > 0 && vertices[n].x == vertices[n - 1].x && vertices[n].y == vertices[n - 1].y)
            return pcs_yaml_error(reader->doc, item->mark,
                                  "this vertex is the same as the one before");
        n++;
    }
    def->vertices = vertices;
    def->n_vertices = n;
    def->closed = pcs_reader_get_flag(node, "closed");
    return PCS_OK;
}

static pcs_status read_sizes(pcs_model_reader *reader, const contact_reader *contact,
                             pcs_contact_def *def)
{
    const pcs_yaml_node *node = contact->node;
    const pcs_yaml_node *radii = pcs_yaml_child(node, "radii");
    const pcs_yaml_node *size = pcs_yaml_child(node, "size");
    const pcs_yaml_node *extent = pcs_yaml_child(node, "extent");
    double numbers[3] = {0, 0, 0};
    PCS_TRY(pcs_reader_get_positive(reader, node, "radius", &def->radius_b));
    PCS_TRY(pcs_reader_get_positive(reader, node, "width", &def->width));
    if (radii) {
        // Inside a hole a body without size, a bead, has a meaning.
        bool bead = contact->keys & CENTRED;
        PCS_TRY(read_sizes_list(reader, radii, 2, bead ? 1 : 2, numbers));
        if (bead && !(numbers[1] >= 0))
            return pcs_yaml_error(reader->doc, radii->mark,
                                  "the inner radius must not be negative, but is %g", numbers[1]);
        def->radius_a = numbers[0];
        def->radius_b = numbers[1];
        if ((contact->keys & CENTRED) && !(def->radius_a > def->radius_b))
            return pcs_yaml_error(reader->doc, radii->mark,
                                  "the outer radius %g must be greater than the inner radius %g",
                                  def->radius_a, def->radius_b);
    }
    if (size) {
        memset(numbers, 0, sizeof numbers);
        PCS_TRY(read_positive_list(reader, size, reader->dimension, numbers));
        def->size = pcs_v3_load(numbers);
    }
    PCS_TRY(pcs_reader_get_positive(reader, node, "length", &def->size.z));
    if (extent && reader->dimension == 2) {
        PCS_TRY(pcs_reader_get_positive(reader, node, "extent", &def->extent.x));
    } else if (extent) {
        PCS_TRY(read_positive_list(reader, extent, 2, numbers));
        def->extent = (pcs_vec2){numbers[0], numbers[1]};
    }
    PCS_TRY(read_vertices(reader, node, def));
    return pcs_reader_get_curve(reader, node, &def->curve);
}

// ---- Law and moving surface ----

static pcs_status read_law_numbers(pcs_model_reader *reader, const pcs_yaml_node *map, pcs_law *law)
{
    PCS_TRY(pcs_reader_get_in_range(reader, map, "friction", 0, INFINITY, &law->friction));
    PCS_TRY(pcs_reader_get_in_range(reader, map, "restitution", 0, 1, &law->restitution));
    return pcs_reader_get_in_range(reader, map, "tangential_restitution", 0, 1,
                                   &law->tangential_restitution);
}

pcs_status pcs_reader_read_law(pcs_model_reader *reader, const pcs_yaml_node *node, pcs_law *law)
{
    static const char *const numbers[] = {"friction", "restitution", "tangential_restitution"};
    const pcs_yaml_node *name = pcs_yaml_child(node, "law");
    if (!name)
        return read_law_numbers(reader, node, law);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        PCS_TRY(pcs_reader_refuse_key(reader, node, numbers[k], "a contact with 'law'"));
    int32_t k = pcs_name_table_find(&reader->laws, name->text);
    if (k < 0)
        return pcs_reader_unknown_name(reader, name, "law", &reader->laws);
    return read_law_numbers(reader, reader->laws.sorted[k], law);
}

static pcs_status read_surface_speed(pcs_model_reader *reader, const pcs_yaml_node *node,
                                     pcs_contact_def *def)
{
    const pcs_yaml_node *speed = pcs_yaml_child(node, "surface_speed");
    if (!speed)
        return PCS_OK;
    if (reader->dimension == 2)
        return pcs_reader_read_value(reader, speed, PCS_NAMES_INPUTS, &def->surface_speed[0]);
    if (speed->kind != PCS_YAML_LIST || speed->count != 2)
        return pcs_yaml_error(reader->doc, speed->mark,
                              "'surface_speed' needs two components: along x and y of frame a");
    PCS_TRY(pcs_reader_read_value(reader, speed->first, PCS_NAMES_INPUTS, &def->surface_speed[0]));
    return pcs_reader_read_value(reader, speed->last, PCS_NAMES_INPUTS, &def->surface_speed[1]);
}

// ---- Contacts ----

// Planar models may speak of circles.
static const struct {
    const char *name;
    pcs_contact_kind kind;
} aliases[] = {{"circle-plane", PCS_CONTACT_SPHERE_PLANE},
               {"circle-circle", PCS_CONTACT_SPHERE_SPHERE},
               {"circle-in-circle", PCS_CONTACT_SPHERE_IN_SPHERE}};

enum { N_ALIASES = (int)(sizeof aliases / sizeof *aliases) };

static pcs_status read_kind(pcs_model_reader *reader, const pcs_yaml_node *node,
                            pcs_contact_kind *kind)
{
    const char *names[PCS_CONTACT_KIND_COUNT + N_ALIASES + 2];
    int32_t n = PCS_CONTACT_KIND_COUNT, index = 0;
    for (int32_t k = 0; k < n; k++)
        names[k] = pcs_contact_kind_name((pcs_contact_kind)k);
    for (int32_t k = 0; k < N_ALIASES && reader->dimension == 2; k++)
        names[n++] = aliases[k].name;
    names[n++] = "surface"; // for the message alone: these two are read elsewhere
    names[n++] = "all-surfaces";
    const pcs_yaml_node *type = pcs_yaml_child(node, "type");
    PCS_TRY(pcs_reader_read_choice(reader, type, "contact type", names, n, &index));
    *kind = index < PCS_CONTACT_KIND_COUNT ? (pcs_contact_kind)index
                                           : aliases[index - PCS_CONTACT_KIND_COUNT].kind;
    if (!pcs_contact_kind_allowed(*kind, reader->dimension))
        return pcs_yaml_error(reader->doc, type->mark, "a %s contact is not possible in a %s model",
                              type->text, reader->dimension == 2 ? "planar" : "spatial");
    return PCS_OK;
}

// Keys of contacts between surfaces of meshes.
static pcs_status refuse_surface_keys(const pcs_model_reader *reader, const contact_reader *contact)
{
    static const char *const keys[] = {"mesh",  "group",    "target", "node_radius",
                                       "reach", "one_pass", "shapes", "planes"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        PCS_TRY(pcs_reader_refuse_key(reader, contact->node, keys[k], contact->owner));
    return PCS_OK;
}

static pcs_status read_contact(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    if (pcs_reader_is_surface_contact(node))
        return pcs_reader_read_surface_contact(reader, node);
    pcs_contact_def def = pcs_contact_default();
    def.name = node->key;
    PCS_TRY(read_kind(reader, node, &def.kind));
    contact_reader contact = {.node = node, .keys = contact_keys[def.kind]};
    snprintf(contact.owner, sizeof contact.owner, "a %s contact", pcs_contact_kind_name(def.kind));
    PCS_TRY(check_keys(reader, &contact));
    PCS_TRY(refuse_surface_keys(reader, &contact));
    PCS_TRY(read_frames(reader, &contact, &def));
    PCS_TRY(read_sizes(reader, &contact, &def));
    PCS_TRY(pcs_reader_read_law(reader, node, &def.law));
    PCS_TRY(read_surface_speed(reader, node, &def));
    pcs_status status = pcs_builder_add_contact(reader->builder, &def);
    return status < 0 ? pcs_reader_locate(reader, node, status) : PCS_OK;
}

pcs_status pcs_reader_read_all_contacts(pcs_model_reader *reader)
{
    const pcs_yaml_node *laws = pcs_yaml_child(reader->root, "laws");
    for (const pcs_yaml_node *node = laws ? laws->first : NULL; node; node = node->next) {
        pcs_law unused = {0};
        PCS_TRY(read_law_numbers(reader, node, &unused));
    }
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "contacts");
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next)
        PCS_TRY(read_contact(reader, node));
    return PCS_OK;
}

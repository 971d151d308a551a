// Numbers, nodes and elements of gmsh files.
#include "io/gmsh_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Errors ----

pcs_status pcs_gmsh_error(const pcs_gmsh_reader *reader, const char *at, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!reader->binary)
        return pcs_scan_error(&reader->scan, at, "%s", text);
    return pcs_error(reader->scan.ctx, PCS_ERROR_INPUT, "%s: byte %lld: %s", reader->scan.name,
                     (long long)(at - reader->scan.start), text);
}

static pcs_status cut_off(const pcs_gmsh_reader *reader, const char *what)
{
    return pcs_gmsh_error(reader, reader->scan.end,
                          "the file ends in %s where the %s should be; it is cut off (write it "
                          "again) or a count is wrong",
                          reader->section, what);
}

static pcs_status out_of_range(const pcs_gmsh_reader *reader, const char *at, const char *what,
                               const char *found, int64_t low, int64_t high)
{
    if (high == INT64_MAX || high == INT32_MAX)
        return pcs_gmsh_error(reader, at, "the %s is %s; expected an integer from %" PRId64 " on",
                              what, found, low);
    return pcs_gmsh_error(reader, at,
                          "the %s is %s; expected an integer from %" PRId64 " to %" PRId64, what,
                          found, low, high);
}

// ---- Numbers ----

// Digits with a sign that fit int64_t.
static bool parse_integer(pcs_token_text token, int64_t *value)
{
    const bool negative = token.length > 0 && token.text[0] == '-';
    const size_t sign = negative || (token.length > 0 && token.text[0] == '+');
    if (token.length == sign || token.length - sign > 18)
        return false;
    *value = 0;
    for (size_t i = sign; i < token.length; i++) {
        if (token.text[i] < '0' || token.text[i] > '9')
            return false;
        *value = 10 * *value + (token.text[i] - '0');
    }
    if (negative)
        *value = -*value;
    return true;
}

// A token for a message: printable ASCII alone, in quotes, shortened.
static const char *show(pcs_token_text token, char text[40])
{
    size_t n = 0;
    text[n++] = '\'';
    for (size_t i = 0; i < token.length && i < 30; i++)
        text[n++] = token.text[i] > ' ' && token.text[i] < 127 ? token.text[i] : '?';
    memcpy(text + n, token.length > 30 ? "...'" : "'", token.length > 30 ? 5 : 2);
    return text;
}

pcs_status pcs_gmsh_text_int(pcs_gmsh_reader *reader, const char *what, int64_t low, int64_t high,
                             int64_t *value)
{
    char text[40];
    const pcs_token_text token = pcs_scan_token(&reader->scan);
    if (token.length == 0)
        return cut_off(reader, what);
    if (!parse_integer(token, value) || *value < low || *value > high)
        return out_of_range(reader, token.text, what, show(token, text), low, high);
    return PCS_OK;
}

// The next n bytes in the order of this machine; n <= 8.
static pcs_status take_bytes(pcs_gmsh_reader *reader, const char *what, size_t n,
                             unsigned char *bytes)
{
    if ((size_t)(reader->scan.end - reader->scan.at) < n) {
        reader->scan.at = reader->scan.end;
        return cut_off(reader, what);
    }
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)reader->scan.at[reader->swapped ? n - 1 - i : i];
    reader->scan.at += n;
    return PCS_OK;
}

pcs_status pcs_gmsh_int(pcs_gmsh_reader *reader, const char *what, int64_t low, int64_t high,
                        int64_t *value)
{
    if (!reader->binary)
        return pcs_gmsh_text_int(reader, what, low, high, value);
    const char *at = reader->scan.at;
    unsigned char bytes[4];
    int32_t number;
    char text[40];
    PCS_TRY(take_bytes(reader, what, 4, bytes));
    memcpy(&number, bytes, 4);
    *value = number;
    if (number >= low && number <= high)
        return PCS_OK;
    snprintf(text, sizeof text, "%" PRId32, number);
    return out_of_range(reader, at, what, text, low, high);
}

pcs_status pcs_gmsh_size(pcs_gmsh_reader *reader, const char *what, int64_t low, int64_t high,
                         int64_t *value)
{
    if (!reader->binary)
        return pcs_gmsh_text_int(reader, what, low, high, value);
    const char *at = reader->scan.at;
    unsigned char bytes[8];
    uint64_t number;
    char text[40];
    PCS_TRY(take_bytes(reader, what, 8, bytes));
    memcpy(&number, bytes, 8);
    if (number <= INT64_MAX && (int64_t)number >= low && (int64_t)number <= high) {
        *value = (int64_t)number;
        return PCS_OK;
    }
    snprintf(text, sizeof text, "%" PRIu64, number);
    return out_of_range(reader, at, what, text, low, high);
}

pcs_status pcs_gmsh_real(pcs_gmsh_reader *reader, const char *what, double *value)
{
    char text[40];
    const char *at = reader->scan.at;
    if (reader->binary) {
        unsigned char bytes[8];
        PCS_TRY(take_bytes(reader, what, 8, bytes));
        memcpy(value, bytes, 8);
        snprintf(text, sizeof text, "%g", *value);
    } else {
        const pcs_token_text token = pcs_scan_token(&reader->scan);
        if (token.length == 0)
            return cut_off(reader, what);
        at = token.text;
        show(token, text);
        if (!pcs_decimal_read(token.text, token.length, value))
            return pcs_gmsh_error(reader, at, "%s should be a number (%s)", text, what);
    }
    if (isfinite(*value))
        return PCS_OK;
    return pcs_gmsh_error(reader, at, "%s is not a finite number (%s)", text, what);
}

pcs_status pcs_gmsh_end_line(pcs_gmsh_reader *reader)
{
    while (reader->scan.at < reader->scan.end) {
        const char c = *reader->scan.at++;
        if (c == '\n')
            return PCS_OK;
        if (c != ' ' && c != '\r' && c != '\t')
            return pcs_gmsh_error(reader, reader->scan.at - 1,
                                  "expected the end of the line before the data of %s",
                                  reader->section);
    }
    return cut_off(reader, "data");
}

// ---- Nodes ----

pcs_status pcs_gmsh_point(pcs_gmsh_reader *reader, pcs_vec3 *x)
{
    PCS_TRY(pcs_gmsh_real(reader, "x of a node", &x->x));
    PCS_TRY(pcs_gmsh_real(reader, "y of a node", &x->y));
    return pcs_gmsh_real(reader, "z of a node", &x->z);
}

pcs_status pcs_gmsh_add_node(pcs_gmsh_reader *reader, int64_t tag, pcs_vec3 x)
{
    pcs_gmsh_node node = {tag, x};
    return PCS_PUSH(reader->scan.ctx, &reader->nodes, node) ? PCS_OK : PCS_ERROR_MEMORY;
}

static int compare_tags(const void *left, const void *right)
{
    int64_t a = ((const pcs_gmsh_node *)left)->tag, b = ((const pcs_gmsh_node *)right)->tag;
    return a < b ? -1 : a > b;
}

pcs_status pcs_gmsh_finish_nodes(pcs_gmsh_reader *reader)
{
    const int32_t n = reader->nodes.count;
    if (n > 0)
        qsort(reader->nodes.data, (size_t)n, sizeof *reader->nodes.data, compare_tags);
    for (int32_t i = 0; i < n; i++) {
        const pcs_gmsh_node *node = &reader->nodes.data[i];
        if (i > 0 && node->tag == node[-1].tag)
            return pcs_gmsh_error(reader, reader->scan.at,
                                  "node %lld is there twice; write the file again",
                                  (long long)node->tag);
        if (!PCS_PUSH(reader->scan.ctx, &reader->data->nodes, node->x) ||
            !PCS_PUSH(reader->scan.ctx, &reader->data->tags, node->tag))
            return PCS_ERROR_MEMORY;
    }
    PCS_ARRAY_FREE(reader->scan.ctx, &reader->nodes);
    reader->has_nodes = true;
    return PCS_OK;
}

// ---- Element types ----

static const pcs_gmsh_type types[] = {
    {"point", 15, 0, 1, 1},
    {"line", 1, 1, 2, 1},
    {"triangle", 2, 2, 3, 1},
    {"quadrangle", 3, 2, 4, 1},
    {"tetrahedron", 4, 3, 4, 1},
    {"hexahedron", 5, 3, 8, 1},
    {"prism", 6, 3, 6, 1},
    {"pyramid", 7, 3, 5, 1},
    {"line of 3 nodes", 8, 1, 3, 2},
    {"triangle of 6 nodes", 9, 2, 6, 2},
    {"quadrangle of 9 nodes", 10, 2, 9, 2},
    {"tetrahedron of 10 nodes", 11, 3, 10, 2},
    {"hexahedron of 27 nodes", 12, 3, 27, 2},
    {"prism of 18 nodes", 13, 3, 18, 2},
    {"pyramid of 14 nodes", 14, 3, 14, 2},
    {"quadrangle of 8 nodes", 16, 2, 8, 2},
    {"hexahedron of 20 nodes", 17, 3, 20, 2},
    {"prism of 15 nodes", 18, 3, 15, 2},
    {"pyramid of 13 nodes", 19, 3, 13, 2},
    {"triangle of 9 nodes", 20, 2, 9, 3},
    {"triangle of 10 nodes", 21, 2, 10, 3},
    {"triangle of 12 nodes", 22, 2, 12, 4},
    {"triangle of 15 nodes", 23, 2, 15, 4},
    {"triangle of 15 nodes", 24, 2, 15, 5},
    {"triangle of 21 nodes", 25, 2, 21, 5},
    {"line of 4 nodes", 26, 1, 4, 3},
    {"line of 5 nodes", 27, 1, 5, 4},
    {"line of 6 nodes", 28, 1, 6, 5},
    {"tetrahedron of 20 nodes", 29, 3, 20, 3},
    {"tetrahedron of 35 nodes", 30, 3, 35, 4},
    {"tetrahedron of 56 nodes", 31, 3, 56, 5},
    {"hexahedron of 64 nodes", 92, 3, 64, 3},
    {"hexahedron of 125 nodes", 93, 3, 125, 4},
};

pcs_status pcs_gmsh_find_type(const pcs_gmsh_reader *reader, const char *at, int64_t number,
                              const pcs_gmsh_type **type)
{
    const pcs_gmsh_type *found = NULL;
    for (size_t k = 0; k < sizeof types / sizeof *types && !found; k++)
        found = types[k].number == number ? &types[k] : NULL;
    if (!found)
        return pcs_gmsh_error(reader, at,
                              "elements of type %lld are not known; points, lines, triangles, "
                              "quadrangles, tetrahedra and hexahedra of order 1 are",
                              (long long)number);
    if (found->order > 1)
        return pcs_gmsh_error(reader, at,
                              "a %s (type %lld) has order %d; mesh with order 1 (gmsh -order 1, or "
                              "Mesh.ElementOrder = 1)",
                              found->name, (long long)number, found->order);
    if (number == 6 || number == 7)
        return pcs_gmsh_error(reader, at,
                              "a %s (type %lld) is not supported; mesh with tetrahedra, or with "
                              "hexahedra alone (Transfinite and Recombine)",
                              found->name, (long long)number);
    *type = found;
    return PCS_OK;
}

// ---- Elements and groups ----

pcs_status pcs_gmsh_group(pcs_gmsh_reader *reader, const char *name, int32_t *group)
{
    pcs_status status = pcs_mesh_data_get_group(reader->data, name, group);
    if (status == PCS_ERROR_INPUT)
        return pcs_error_prefix(reader->scan.ctx, status, "%s", reader->scan.name);
    return status;
}

pcs_status pcs_gmsh_physical_group(pcs_gmsh_reader *reader, int32_t dimension, int64_t tag,
                                   int32_t *group)
{
    static const char *const names[4] = {"point", "curve", "surface", "volume"};
    pcs_gmsh_physical wanted = {.dimension = dimension, .tag = tag < 0 ? -tag : tag};
    int32_t low = 0, high = reader->physicals.count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const pcs_gmsh_physical *p = &reader->physicals.data[middle];
        if (p->dimension < dimension || (p->dimension == dimension && p->tag < wanted.tag))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < reader->physicals.count && reader->physicals.data[low].dimension == dimension &&
        reader->physicals.data[low].tag == wanted.tag) {
        *group = reader->physicals.data[low].group;
        return PCS_OK;
    }
    char name[64];
    snprintf(name, sizeof name, "%s_%lld", names[dimension], (long long)wanted.tag);
    PCS_TRY(pcs_gmsh_group(reader, name, &wanted.group));
    if (!PCS_PUSH(reader->scan.ctx, &reader->physicals, wanted))
        return PCS_ERROR_MEMORY;
    pcs_gmsh_physical *place = reader->physicals.data + low;
    memmove(place + 1, place, (size_t)(reader->physicals.count - 1 - low) * sizeof *place);
    *place = wanted;
    *group = wanted.group;
    return PCS_OK;
}

static pcs_status find_nodes(const pcs_gmsh_reader *reader, const pcs_gmsh_element *element,
                             int32_t nodes[PCS_CELL_NODES_MAX])
{
    const int32_t n = element->type->n_nodes;
    for (int32_t k = 0; k < n; k++) {
        nodes[k] = pcs_mesh_data_find_tag(reader->data, element->nodes[k]);
        if (nodes[k] < 0)
            return pcs_gmsh_error(reader, element->place,
                                  "element %lld uses node %lld, which $Nodes does not have; write "
                                  "the file again",
                                  (long long)element->tag, (long long)element->nodes[k]);
        for (int32_t j = 0; j < k; j++) {
            if (nodes[j] == nodes[k])
                return pcs_gmsh_error(reader, element->place,
                                      "element %lld (%s) has node %lld twice; mend the mesh there",
                                      (long long)element->tag, element->type->name,
                                      (long long)element->nodes[k]);
        }
    }
    return PCS_OK;
}

static pcs_status add_cell(pcs_gmsh_reader *reader, const pcs_gmsh_element *element,
                           const int32_t nodes[PCS_CELL_NODES_MAX])
{
    pcs_mesh_cell cell = {.kind = element->type->dimension == 1 ? PCS_CELL_LINE
                                  : element->type->n_nodes == 4 ? PCS_CELL_TETRAHEDRON
                                                                : PCS_CELL_HEXAHEDRON};
    memcpy(cell.nodes, nodes, (size_t)element->type->n_nodes * sizeof *nodes);
    const double quality = pcs_cell_quality(reader->data, &cell);
    if (!(quality > 0) && cell.kind == PCS_CELL_LINE)
        return pcs_gmsh_error(reader, element->place,
                              "element %lld (line) has no length; mend the mesh there",
                              (long long)element->tag);
    if (!(quality > 0))
        return pcs_gmsh_error(reader, element->place,
                              "element %lld (%s) is %s (determinant %.3g); mend the mesh there, or "
                              "reverse it as a whole",
                              (long long)element->tag, element->type->name,
                              quality < 0 ? "inside out" : "flat", quality);
    return PCS_PUSH(reader->scan.ctx, &reader->data->cells, cell) ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status add_to_group(pcs_gmsh_reader *reader, pcs_mesh_data_group *group,
                               const pcs_gmsh_type *type, const int32_t *nodes)
{
    pcs_context *ctx = reader->scan.ctx;
    bool stored = true;
    for (int32_t k = 0; k < type->n_nodes; k++)
        stored = stored && PCS_PUSH(ctx, &group->nodes, nodes[k]);
    if (type->dimension == 2) {
        pcs_mesh_face face = {{nodes[0], nodes[1], nodes[2], type->n_nodes == 4 ? nodes[3] : -1}};
        stored = stored && PCS_PUSH(ctx, &group->faces, face);
    } else if (type->dimension > 0) {
        stored = stored && PCS_PUSH(ctx, &group->cells, reader->data->cells.count - 1);
    }
    return stored ? PCS_OK : PCS_ERROR_MEMORY;
}

pcs_status pcs_gmsh_add_element(pcs_gmsh_reader *reader, const pcs_gmsh_element *element)
{
    int32_t nodes[PCS_CELL_NODES_MAX];
    PCS_TRY(find_nodes(reader, element, nodes));
    if (element->type->dimension == 1 || element->type->dimension == 3)
        PCS_TRY(add_cell(reader, element, nodes));
    reader->n_surface_elements += element->type->dimension == 2;
    for (int32_t g = 0; g < element->n_groups; g++)
        PCS_TRY(add_to_group(reader, &reader->data->groups.data[element->groups[g]], element->type,
                             nodes));
    return PCS_OK;
}

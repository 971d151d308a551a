// The key `curve` of contacts and joints: a list of pieces.
#include <stdio.h>

#include "io/model_reader.h"

// Which keys a kind of piece takes, and which of them it needs. A line or an arc without `from`
// begins where the piece before it ends.
enum { LINE = 1, ARC = 2, PARABOLA = 4, SPLINE = 8 };

static const struct {
    const char *key;
    int kinds, required;
} piece_keys[] = {
    {"from", LINE | ARC, 0},        {"to", LINE | ARC, LINE | ARC},
    {"through", ARC, ARC},          {"coefficients", PARABOLA, PARABOLA},
    {"x", PARABOLA, PARABOLA},      {"points", SPLINE, SPLINE},
    {"start_direction", SPLINE, 0}, {"end_direction", SPLINE, 0},
};

// Items of a list have no name of their own.
static pcs_status require_key(const pcs_model_reader *reader, const pcs_yaml_node *node,
                              const char *key, const char *owner)
{
    if (pcs_yaml_child(node, key))
        return PCS_OK;
    return pcs_yaml_error(reader->doc, node->mark, "%s needs '%s'", owner, key);
}

static pcs_status get_point(pcs_model_reader *reader, const pcs_yaml_node *map, const char *key,
                            pcs_vec2 *point)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    double numbers[2];
    if (!node)
        return PCS_OK;
    PCS_TRY(pcs_reader_read_numbers(reader, node, 2, numbers));
    *point = (pcs_vec2){numbers[0], numbers[1]};
    return PCS_OK;
}

static pcs_status read_points(pcs_model_reader *reader, const pcs_yaml_node *map,
                              pcs_curve_piece *piece)
{
    const pcs_yaml_node *list = pcs_yaml_child(map, "points");
    if (!list)
        return PCS_OK;
    if (list->count < 2)
        return pcs_yaml_error(reader->doc, list->mark, "'points' needs at least two points");
    pcs_vec2 *points = pcs_yaml_alloc(reader->doc, (size_t)list->count, sizeof *points);
    if (!points)
        return PCS_ERROR_MEMORY;
    for (const pcs_yaml_node *item = list->first; item; item = item->next) {
        double point[2];
        PCS_TRY(pcs_reader_read_numbers(reader, item, 2, point));
        points[piece->n_points++] = (pcs_vec2){point[0], point[1]};
    }
    piece->points = points;
    return PCS_OK;
}

// *end is where the piece before ends and becomes the end of this one.
static pcs_status read_piece(pcs_model_reader *reader, const pcs_yaml_node *node, bool first,
                             pcs_vec2 *end, pcs_curve_piece *piece)
{
    const char *names[PCS_CURVE_KIND_COUNT];
    int32_t kind;
    char owner[64];
    for (int32_t k = 0; k < PCS_CURVE_KIND_COUNT; k++)
        names[k] = pcs_curve_kind_name((pcs_curve_kind)k);
    PCS_TRY(pcs_reader_read_choice(reader, pcs_yaml_child(node, "type"), "piece of a curve", names,
                                   PCS_CURVE_KIND_COUNT, &kind));
    snprintf(owner, sizeof owner, "a piece of type %s", names[kind]);
    for (size_t k = 0; k < sizeof piece_keys / sizeof *piece_keys; k++) {
        if (!(piece_keys[k].kinds & 1 << kind))
            PCS_TRY(pcs_reader_refuse_key(reader, node, piece_keys[k].key, owner));
        else if (piece_keys[k].required & 1 << kind)
            PCS_TRY(require_key(reader, node, piece_keys[k].key, owner));
    }
    if (first && kind <= PCS_CURVE_ARC)
        PCS_TRY(require_key(reader, node, "from", "the first piece of a curve"));
    *piece = (pcs_curve_piece){.kind = (pcs_curve_kind)kind, .from = *end};
    PCS_TRY(get_point(reader, node, "from", &piece->from));
    PCS_TRY(get_point(reader, node, "to", &piece->to));
    PCS_TRY(get_point(reader, node, "through", &piece->through));
    PCS_TRY(get_point(reader, node, "start_direction", &piece->direction[0]));
    PCS_TRY(get_point(reader, node, "end_direction", &piece->direction[1]));
    PCS_TRY(read_points(reader, node, piece));
    *end = piece->to;
    if (kind == PCS_CURVE_PARABOLA) {
        double x[2], *c = piece->coefficients;
        PCS_TRY(pcs_reader_read_numbers(reader, pcs_yaml_child(node, "coefficients"), 3, c));
        PCS_TRY(pcs_reader_read_numbers(reader, pcs_yaml_child(node, "x"), 2, x));
        piece->x_from = x[0];
        piece->x_to = x[1];
        *end = (pcs_vec2){x[1], c[0] + x[1] * (c[1] + x[1] * c[2])};
    }
    if (kind == PCS_CURVE_SPLINE)
        *end = piece->points[piece->n_points - 1];
    return PCS_OK;
}

pcs_status pcs_reader_get_curve(pcs_model_reader *reader, const pcs_yaml_node *map,
                                pcs_curve_def *curve)
{
    const pcs_yaml_node *list = pcs_yaml_child(map, "curve");
    if (!list)
        return PCS_OK;
    if (list->count < 1)
        return pcs_yaml_error(reader->doc, list->mark, "'curve' needs at least one piece");
    pcs_curve_piece *pieces = pcs_yaml_alloc(reader->doc, (size_t)list->count, sizeof *pieces);
    if (!pieces)
        return PCS_ERROR_MEMORY;
    pcs_vec2 end = {0, 0};
    int32_t n = 0;
    for (const pcs_yaml_node *item = list->first; item; item = item->next, n++)
        PCS_TRY(read_piece(reader, item, n == 0, &end, &pieces[n]));
    *curve = (pcs_curve_def){pieces, n, pcs_reader_get_flag(map, "closed")};
    return PCS_OK;
}

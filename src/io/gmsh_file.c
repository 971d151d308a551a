// Gmsh files section by section. Known sections are read, others are skipped; all of them end with
// a word of their own, $EndNodes after $Nodes.
#include "io/gmsh_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/file_error.h"
#include "io/gmsh_reader.h"
#include "io/yaml_bytes.h"

// ---- $MeshFormat ----

static pcs_status check_version(const pcs_gmsh_reader *reader, pcs_token_text token, bool *version4)
{
    const bool two = token.length == 3 && memcmp(token.text, "2.2", 3) == 0;
    *version4 = token.length == 3 && memcmp(token.text, "4.1", 3) == 0;
    if (two || *version4)
        return PCS_OK;
    char text[24] = "";
    for (size_t i = 0; i < token.length && i < 20; i++)
        text[i] = token.text[i] > ' ' && token.text[i] < 127 ? token.text[i] : '?';
    return pcs_gmsh_error(reader, token.text,
                          "version '%s' of the gmsh format is not supported; write 4.1 or 2.2 "
                          "(gmsh FILE -save -format msh41, or msh22)",
                          text);
}

static pcs_status read_format(pcs_gmsh_reader *reader, bool *version4)
{
    int64_t binary, data_size;
    reader->section = "$MeshFormat";
    if (!pcs_scan_word(&reader->scan, "$MeshFormat"))
        return pcs_gmsh_error(reader, reader->scan.start,
                              "this is not a gmsh file: it does not begin with $MeshFormat");
    PCS_TRY(check_version(reader, pcs_scan_token(&reader->scan), version4));
    PCS_TRY(pcs_gmsh_text_int(reader, "file type", 0, 1, &binary));
    const char *place = pcs_scan_place(&reader->scan);
    PCS_TRY(pcs_gmsh_text_int(reader, "data size", 0, INT32_MAX, &data_size));
    if (!binary)
        return PCS_OK;
    if (data_size != 8)
        return pcs_gmsh_error(reader, place,
                              "binary files with a data size of %lld are not supported (8 are); "
                              "save the mesh as text",
                              (long long)data_size);
    PCS_TRY(pcs_gmsh_end_line(reader));
    reader->binary = true;
    static const unsigned char ones[2][4] = {{1, 0, 0, 0}, {0, 0, 0, 1}};
    const int32_t one = 1;
    const bool big_endian = memcmp(&one, ones[1], 4) == 0;
    if (reader->scan.end - reader->scan.at < 4 ||
        (memcmp(reader->scan.at, ones[0], 4) != 0 && memcmp(reader->scan.at, ones[1], 4) != 0))
        return pcs_gmsh_error(reader, reader->scan.at,
                              "a binary file has the number 1 here, which tells the order of "
                              "bytes; this file is damaged");
    reader->swapped = (memcmp(reader->scan.at, ones[1], 4) == 0) != big_endian;
    reader->scan.at += 4;
    return PCS_OK;
}

// ---- $PhysicalNames ----

// The text between quotes; what may stand in a message and in a result.
static pcs_status read_name(pcs_gmsh_reader *reader, char *name, size_t size)
{
    const char *at = pcs_scan_place(&reader->scan), *end = reader->scan.end;
    if (at == end || *at != '"')
        return pcs_gmsh_error(reader, at, "expected the name of a physical group in quotes");
    size_t length = 0;
    for (at++; at < end && *at != '"';) {
        uint32_t character;
        const size_t n = pcs_yaml_decode(at, (size_t)(end - at), &character);
        if (n == 0 || character < 0x20 || pcs_yaml_is_control(character))
            return pcs_gmsh_error(reader, at,
                                  "the name of a physical group is not closed on its line, or has "
                                  "characters that are not UTF-8");
        if (length + n >= size)
            return pcs_gmsh_error(reader, at,
                                  "the name of a physical group has more than %zu bytes; shorten "
                                  "it",
                                  size - 1);
        memcpy(name + length, at, n);
        length += n;
        at += n;
    }
    name[length] = '\0';
    reader->scan.at = at < end ? at + 1 : end;
    if (at == end || length == 0)
        return pcs_gmsh_error(reader, at, "a physical group has %s",
                              length == 0 ? "an empty name" : "a name without its second quote");
    return PCS_OK;
}

static pcs_status read_physical_names(pcs_gmsh_reader *reader)
{
    enum { NAME_SIZE = 128 };
    int64_t count, dimension, tag;
    char name[NAME_SIZE];
    if (reader->physicals.count > 0)
        return pcs_gmsh_error(reader, reader->scan.at,
                              "$PhysicalNames must stand once, before $Entities and $Elements");
    PCS_TRY(pcs_gmsh_text_int(reader, "number of physical names", 0, PCS_MESH_GROUPS_MAX, &count));
    for (int64_t i = 0; i < count; i++) {
        PCS_TRY(pcs_gmsh_text_int(reader, "dimension of a physical group", 0, 3, &dimension));
        PCS_TRY(pcs_gmsh_text_int(reader, "tag of a physical group", INT32_MIN, INT32_MAX, &tag));
        PCS_TRY(read_name(reader, name, sizeof name));
        pcs_gmsh_physical physical = {.dimension = (int32_t)dimension, .tag = tag < 0 ? -tag : tag};
        PCS_TRY(pcs_gmsh_group(reader, name, &physical.group));
        int32_t at = reader->physicals.count;
        if (!PCS_PUSH(reader->scan.ctx, &reader->physicals, physical))
            return PCS_ERROR_MEMORY;
        pcs_gmsh_physical *all = reader->physicals.data;
        for (; at > 0 &&
               (all[at - 1].dimension > physical.dimension ||
                (all[at - 1].dimension == physical.dimension && all[at - 1].tag > physical.tag));
             at--)
            all[at] = all[at - 1];
        all[at] = physical;
    }
    return PCS_OK;
}

// ---- Sections ----

// Behind the word that ends a section that is not read.
static pcs_status skip_section(pcs_gmsh_reader *reader, pcs_token_text name)
{
    char word[64];
    const char *start = reader->scan.at;
    snprintf(word, sizeof word, "$End%.*s", (int)name.length - 1, name.text + 1);
    const size_t length = strlen(word);
    for (const char *at = start; reader->scan.end - at >= (ptrdiff_t)length; at++) {
        at = memchr(at, '$', (size_t)(reader->scan.end - at));
        if (!at || reader->scan.end - at < (ptrdiff_t)length)
            break;
        if (memcmp(at, word, length) == 0) {
            reader->scan.at = at + length;
            return PCS_OK;
        }
    }
    return pcs_gmsh_error(reader, name.text, "a section begins here, but there is no %s", word);
}

typedef struct section_row {
    const char *name;
    pcs_status (*read[2])(pcs_gmsh_reader *reader); // version 2, version 4; NULL: refused
    const char *refusal;
} section_row;

static const section_row section_rows[] = {
    {"$PhysicalNames", {read_physical_names, read_physical_names}, NULL},
    {"$Entities", {NULL, pcs_gmsh_v4_entities}, "which version 2.2 does not have"},
    {"$PartitionedEntities",
     {NULL, NULL},
     "the mesh is cut into partitions; save it without them (gmsh -part 0)"},
    {"$Nodes", {pcs_gmsh_v2_nodes, pcs_gmsh_v4_nodes}, NULL},
    {"$Elements", {pcs_gmsh_v2_elements, pcs_gmsh_v4_elements}, NULL},
};

// Sections that depend on others stand behind them, and none of them twice.
static pcs_status check_order(const pcs_gmsh_reader *reader, pcs_token_text name)
{
    const char *first = NULL;
    const char *section = reader->section;
    if (strcmp(section, "$Elements") == 0 && !reader->has_nodes)
        return pcs_gmsh_error(reader, name.text, "$Elements stands before $Nodes");
    if ((strcmp(section, "$Elements") == 0 && reader->has_elements) ||
        (strcmp(section, "$Nodes") == 0 && reader->has_nodes) ||
        (strcmp(section, "$Entities") == 0 && reader->has_entities))
        first = "a second time";
    else if (strcmp(section, "$Entities") == 0 && reader->has_elements)
        first = "behind $Elements";
    if (!first)
        return PCS_OK;
    return pcs_gmsh_error(reader, name.text, "%s stands here %s; write the file again", section,
                          first);
}

static pcs_status read_section(pcs_gmsh_reader *reader, pcs_token_text name, bool version4)
{
    const section_row *row = NULL;
    for (size_t k = 0; k < sizeof section_rows / sizeof *section_rows; k++) {
        if (strlen(section_rows[k].name) == name.length &&
            memcmp(section_rows[k].name, name.text, name.length) == 0)
            row = &section_rows[k];
    }
    if (!row)
        return skip_section(reader, name);
    if (!row->read[version4])
        return pcs_gmsh_error(reader, name.text, "%s: %s", row->name, row->refusal);
    reader->section = row->name;
    PCS_TRY(check_order(reader, name));
    PCS_TRY(row->read[version4](reader));
    reader->has_elements = reader->has_elements || strcmp(row->name, "$Elements") == 0;
    char end[32];
    snprintf(end, sizeof end, "$End%s", row->name + 1);
    if (pcs_scan_word(&reader->scan, end))
        return PCS_OK;
    const char *place = pcs_scan_place(&reader->scan);
    return pcs_gmsh_error(reader, place,
                          "%s should end here with %s; a count before it is wrong, or the file is "
                          "damaged",
                          row->name, end);
}

static pcs_status read_sections(pcs_gmsh_reader *reader)
{
    bool version4 = false;
    PCS_TRY(read_format(reader, &version4));
    if (!pcs_scan_word(&reader->scan, "$EndMeshFormat"))
        return pcs_gmsh_error(reader, reader->scan.at, "$EndMeshFormat should be here");
    for (;;) {
        const pcs_token_text name = pcs_scan_token(&reader->scan);
        if (name.length == 0)
            break;
        if (name.text[0] != '$' || name.length > 40)
            return pcs_gmsh_error(reader, name.text,
                                  "expected the beginning of a section, such as $Nodes");
        PCS_TRY(read_section(reader, name, version4));
    }
    if (!reader->has_nodes || !reader->has_elements)
        return pcs_gmsh_error(reader, reader->scan.end, "the file has no %s; it is cut off",
                              reader->has_nodes ? "$Elements" : "$Nodes");
    return PCS_OK;
}

static pcs_status finish_mesh(const pcs_gmsh_reader *reader)
{
    int32_t n_solids = 0;
    for (int32_t c = 0; c < reader->data->cells.count; c++)
        n_solids += reader->data->cells.data[c].kind != PCS_CELL_LINE;
    if (n_solids == 0 && reader->n_surface_elements > 0) // its lines are edges, not beams
        return pcs_error(reader->scan.ctx, PCS_ERROR_INPUT,
                         "%s: there are %lld surface elements but no solids, and shells are not "
                         "supported; mesh the volume (gmsh -3) and save its physical group, or "
                         "save the lines alone",
                         reader->scan.name, (long long)reader->n_surface_elements);
    if (reader->data->cells.count == 0)
        return pcs_error(reader->scan.ctx, PCS_ERROR_INPUT,
                         "%s: the mesh has no elements; mesh it before saving (gmsh -3) and put "
                         "the parts into physical groups",
                         reader->scan.name);
    PCS_TRY(pcs_mesh_data_unite_cells(reader->data));
    return pcs_mesh_data_reduce(reader->data, NULL);
}

pcs_status pcs_gmsh_read_memory(pcs_context *ctx, const char *name, const char *bytes, size_t size,
                                pcs_mesh_data *data)
{
    pcs_gmsh_reader reader = {
        .scan = {.ctx = ctx, .name = name, .start = bytes, .at = bytes, .end = bytes + size},
        .data = data};
    pcs_status status = read_sections(&reader);
    if (status >= 0)
        status = finish_mesh(&reader);
    PCS_ARRAY_FREE(ctx, &reader.physicals);
    PCS_ARRAY_FREE(ctx, &reader.entities);
    PCS_ARRAY_FREE(ctx, &reader.entity_groups);
    PCS_ARRAY_FREE(ctx, &reader.nodes);
    return status;
}

// ---- Files ----

static pcs_status read_stream(pcs_context *ctx, const char *path, FILE *stream, char **bytes,
                              size_t *size)
{
    enum { FIRST_CAPACITY = 64 * 1024 };
    char text[128];
    size_t capacity = FIRST_CAPACITY, used = 0;
    char *block = pcs_realloc(ctx, NULL, capacity, 1);
    while (block) {
        used += fread(block + used, 1, capacity - used, stream);
        if (used < capacity || used >= PCS_GMSH_LARGEST_FILE)
            break;
        char *larger = pcs_realloc(ctx, block, 2 * capacity, 1);
        if (!larger)
            pcs_free(ctx, block);
        block = larger;
        capacity *= 2;
    }
    if (!block)
        return PCS_ERROR_MEMORY;
    *bytes = block;
    *size = used;
    if (ferror(stream))
        return pcs_error(ctx, PCS_ERROR_IO, "%s: %s", path,
                         pcs_file_error_text(errno, text, sizeof text));
    if (used >= PCS_GMSH_LARGEST_FILE)
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: more than %d bytes are too many for a mesh",
                         path, PCS_GMSH_LARGEST_FILE);
    return PCS_OK;
}

pcs_status pcs_gmsh_read_file(pcs_context *ctx, const char *path, pcs_mesh_data *data)
{
    char text[128], *bytes = NULL;
    size_t size = 0;
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return pcs_error(ctx, PCS_ERROR_IO, "%s: %s", path,
                         pcs_file_error_text(errno, text, sizeof text));
    pcs_status status = read_stream(ctx, path, stream, &bytes, &size);
    fclose(stream);
    if (status >= 0)
        status = pcs_gmsh_read_memory(ctx, path, bytes, size, data);
    pcs_free(ctx, bytes);
    return status;
}

// Reading files and merging what they include.
#include "io/yaml_include.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file_error.h"

// An error about the file as a whole; in front the place of the include that asked for it, if any.
static pcs_status file_error(const pcs_yaml_document *doc, const pcs_yaml_node *include,
                             const char *path, pcs_status status, const char *what)
{
    if (include)
        return pcs_yaml_error(doc, include->mark, "cannot include '%.200s': %s", path, what);
    return pcs_error(doc->ctx, status, "%.480s: %s", path, what);
}

static pcs_status check_file(pcs_yaml_document *doc, const char *path, const pcs_yaml_node *include,
                             const struct stat *about)
{
    char text[128];
    if (S_ISDIR(about->st_mode))
        return file_error(doc, include, path, PCS_ERROR_INPUT, "it is a folder, not a file");
    if (include && !S_ISREG(about->st_mode))
        return file_error(doc, include, path, PCS_ERROR_INPUT, "it is not a regular file");
    if (S_ISREG(about->st_mode) && about->st_size > PCS_YAML_LARGEST_INPUT) {
        snprintf(text, sizeof text, "%lld bytes are too many for a model file (at most %d)",
                 (long long)about->st_size, PCS_YAML_LARGEST_INPUT);
        return file_error(doc, include, path, PCS_ERROR_INPUT, text);
    }
    return PCS_OK;
}

// All bytes of an open file (a pipe too), in heap memory.
static pcs_status read_stream(pcs_yaml_document *doc, const char *path,
                              const pcs_yaml_node *include, FILE *stream, char **bytes,
                              size_t *size)
{
    enum { FIRST_CAPACITY = 16 * 1024 };
    size_t capacity = FIRST_CAPACITY, used = 0;
    char *block = pcs_realloc(doc->ctx, NULL, capacity, 1);
    if (!block)
        return PCS_ERROR_MEMORY;
    for (;;) {
        used += fread(block + used, 1, capacity - used, stream);
        if (used < capacity)
            break;
        if (doc->n_bytes + used > PCS_YAML_LARGEST_INPUT)
            break;
        char *larger = pcs_realloc(doc->ctx, block, 2 * capacity, 1);
        if (!larger) {
            pcs_free(doc->ctx, block);
            return PCS_ERROR_MEMORY;
        }
        block = larger;
        capacity *= 2;
    }
    char text[128];
    pcs_status status = PCS_OK;
    if (ferror(stream)) {
        status = file_error(doc, include, path, PCS_ERROR_IO,
                            pcs_file_error_text(errno, text, sizeof text));
    } else if (doc->n_bytes + used > PCS_YAML_LARGEST_INPUT) {
        snprintf(text, sizeof text, "the model's files have more than %d bytes in all",
                 PCS_YAML_LARGEST_INPUT);
        status = file_error(doc, include, path, PCS_ERROR_INPUT, text);
    }
    if (status < 0) {
        pcs_free(doc->ctx, block);
        return status;
    }
    doc->n_bytes += used;
    *bytes = block;
    *size = used;
    return PCS_OK;
}

static pcs_status read_bytes(pcs_yaml_document *doc, const char *path, const pcs_yaml_node *include,
                             char **bytes, size_t *size)
{
    char text[128];
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return file_error(doc, include, path, PCS_ERROR_IO,
                          pcs_file_error_text(errno, text, sizeof text));
    pcs_status status = read_stream(doc, path, include, stream, bytes, size);
    fclose(stream);
    return status;
}

// "a.yaml -> b.yaml -> a.yaml": from the source that closes the circle down to the present one.
static pcs_status cycle_error(const pcs_yaml_document *doc, const pcs_yaml_node *include,
                              int32_t first)
{
    const pcs_yaml_source *sources = doc->sources.data;
    char chain[480];
    size_t used = 0;
    int32_t path[PCS_YAML_INCLUDE_DEPTH_MAX + 1];
    int32_t n = 0;
    for (int32_t s = include->mark.source; n < PCS_YAML_INCLUDE_DEPTH_MAX + 1;
         s = sources[s].parent) {
        path[n++] = s;
        if (s == first || sources[s].parent < 0)
            break;
    }
    chain[0] = '\0';
    while (n > 0 && used < sizeof chain - 1) {
        int written = snprintf(chain + used, sizeof chain - used, "%.100s -> ",
                               sources[path[--n]].name);
        used += (size_t)written;
    }
    return pcs_yaml_error(doc, include->mark, "files include each other in a circle: %s%.100s",
                          chain, sources[first].name);
}

// ---- Merging ----

static pcs_status twice_error(const pcs_yaml_document *doc, const pcs_yaml_node *own,
                              const pcs_yaml_node *other, const char *section)
{
    char place[PCS_YAML_PLACE_SIZE];
    return pcs_yaml_error(doc, own->key_mark, "'%s%s%.60s' is defined here and in %.200s",
                          section ? section : "", section ? "." : "", own->key,
                          pcs_yaml_place(doc, other->key_mark, place));
}

// Moves the entries of `other` to the map `own`. In `parameters`, entries that the including file
// itself (the source `includer`) wrote win over included ones.
static pcs_status merge_section(const pcs_yaml_document *doc, pcs_yaml_node *own,
                                pcs_yaml_node *other, int32_t includer)
{
    bool may_override = strcmp(own->key, "parameters") == 0;
    int32_t n_own = own->count;
    pcs_yaml_node **sorted = pcs_yaml_sorted_entries(doc, own);
    if (!sorted)
        return PCS_ERROR_MEMORY;
    pcs_status status = PCS_OK;
    for (pcs_yaml_node *entry = other->first, *next; entry && status == PCS_OK; entry = next) {
        next = entry->next;
        const pcs_yaml_node *present = pcs_yaml_sorted_find(sorted, n_own, entry->key);
        if (!present)
            pcs_yaml_append(own, entry);
        else if (!may_override || present->mark.source != includer)
            status = twice_error(doc, present, entry, own->key);
    }
    pcs_free(doc->ctx, sorted);
    return status;
}

static pcs_status merge_files(const pcs_yaml_document *doc, pcs_yaml_node *own,
                              pcs_yaml_node *other, int32_t includer)
{
    for (pcs_yaml_node *entry = other->first, *next; entry; entry = next) {
        next = entry->next;
        pcs_yaml_node *present = pcs_yaml_child(own, entry->key);
        if (!present)
            pcs_yaml_append(own, entry);
        else if (pcs_yaml_is_null(present))
            pcs_yaml_replace(own, present, entry);
        else if (present->kind == PCS_YAML_MAP && entry->kind == PCS_YAML_MAP)
            PCS_TRY(merge_section(doc, present, entry, includer));
        else if (!pcs_yaml_is_null(entry))
            return twice_error(doc, present, entry, NULL);
    }
    return PCS_OK;
}

// ---- Files ----

static pcs_status read_source(pcs_yaml_document *doc, const char *path,
                              const pcs_yaml_node *include, int32_t depth, pcs_yaml_node **root);

// Path of an included file as seen from the working directory.
static const char *resolve_path(pcs_yaml_document *doc, const pcs_yaml_node *include)
{
    const char *from = doc->sources.data[include->mark.source].name;
    const char *slash = strrchr(from, '/');
    if (include->text[0] == '/' || !slash)
        return include->text;
    size_t folder = (size_t)(slash - from) + 1, length = strlen(include->text);
    char *path = pcs_yaml_alloc(doc, folder + length + 1, 1);
    if (path) {
        memcpy(path, from, folder);
        memcpy(path + folder, include->text, length);
    }
    return path;
}

static pcs_status include_one(pcs_yaml_document *doc, pcs_yaml_node *root,
                              const pcs_yaml_node *include, int32_t depth)
{
    if (include->kind != PCS_YAML_SCALAR || pcs_yaml_is_null(include))
        return pcs_yaml_error(doc, include->mark,
                              "'include' needs a file name or a list of file names, not %s",
                              pcs_yaml_kind_name(include));
    if (depth >= PCS_YAML_INCLUDE_DEPTH_MAX)
        return pcs_yaml_error(doc, include->mark, "includes are nested more than %d deep",
                              PCS_YAML_INCLUDE_DEPTH_MAX);
    if (doc->sources.count >= PCS_YAML_FILES_MAX)
        return pcs_yaml_error(doc, include->mark, "more than %d files in one model",
                              PCS_YAML_FILES_MAX);
    const char *path = resolve_path(doc, include);
    if (!path)
        return PCS_ERROR_MEMORY;
    pcs_yaml_node *other = NULL;
    PCS_TRY(read_source(doc, path, include, depth + 1, &other));
    return other ? merge_files(doc, root, other, include->mark.source) : PCS_OK;
}

static pcs_status include_all(pcs_yaml_document *doc, pcs_yaml_node *root, int32_t depth)
{
    pcs_yaml_node *include = pcs_yaml_child(root, "include");
    if (!include)
        return PCS_OK;
    pcs_yaml_remove(root, include);
    if (include->kind != PCS_YAML_LIST)
        return include_one(doc, root, include, depth);
    for (const pcs_yaml_node *item = include->first; item; item = item->next)
        PCS_TRY(include_one(doc, root, item, depth));
    return PCS_OK;
}

// Index of the source that is this very file, -1 if it was not read yet.
static int32_t find_identity(const pcs_yaml_document *doc, const struct stat *about)
{
    for (int32_t s = 0; s < doc->sources.count; s++) {
        const pcs_yaml_source *source = &doc->sources.data[s];
        if (source->has_identity && source->device == (uint64_t)about->st_dev &&
            source->inode == (uint64_t)about->st_ino)
            return s;
    }
    return -1;
}

// Files of robots (URDF, SDF, MJCF) begin with a tag, which is also a valid single value of YAML.
static bool is_xml(const char *bytes, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t at = size >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;
    while (at < size && strchr(" \t\r\n", bytes[at]) && bytes[at])
        at++;
    return at + 1 < size && bytes[at] == '<' &&
           (bytes[at + 1] == '?' || bytes[at + 1] == '!' || isalpha((unsigned char)bytes[at + 1]));
}

static pcs_status parse_source(pcs_yaml_document *doc, int32_t source, const pcs_yaml_node *include,
                               pcs_yaml_node **root)
{
    char *bytes = NULL;
    size_t size = 0;
    PCS_TRY(read_bytes(doc, doc->sources.data[source].name, include, &bytes, &size));
    const bool xml = is_xml(bytes, size);
    pcs_status status = xml ? PCS_OK : pcs_yaml_parse(doc, source, bytes, size, root);
    pcs_free(doc->ctx, bytes);
    if (xml)
        return pcs_yaml_error(
            doc, (pcs_yaml_mark){source, 1, 1},
            "this is XML, as URDF, SDF and MJCF files are, which Percuss does not "
            "read; write its links as bodies and its joints as joints of a YAML "
            "file (docs/model-file.md)");
    PCS_TRY(status);
    if ((*root)->kind != PCS_YAML_MAP)
        return pcs_yaml_error(doc, (*root)->mark,
                              "a model file is a map (key: value), this one is %s",
                              pcs_yaml_kind_name(*root));
    return PCS_OK;
}

// *root stays NULL if the file is part of the document already.
static pcs_status read_source(pcs_yaml_document *doc, const char *path,
                              const pcs_yaml_node *include, int32_t depth, pcs_yaml_node **root)
{
    struct stat about;
    char text[128];
    if (stat(path, &about) != 0)
        return file_error(doc, include, path, PCS_ERROR_IO,
                          pcs_file_error_text(errno, text, sizeof text));
    PCS_TRY(check_file(doc, path, include, &about));
    int32_t same = find_identity(doc, &about);
    if (same >= 0)
        return doc->sources.data[same].is_open ? cycle_error(doc, include, same) : PCS_OK;

    int32_t index;
    PCS_TRY(pcs_yaml_add_source(doc, path, true, &index));
    pcs_yaml_source *source = &doc->sources.data[index];
    source->is_open = true;
    source->has_identity = true;
    source->device = (uint64_t)about.st_dev;
    source->inode = (uint64_t)about.st_ino;
    source->parent = include ? include->mark.source : -1;
    PCS_TRY(parse_source(doc, index, include, root));
    PCS_TRY(include_all(doc, *root, depth));
    doc->sources.data[index].is_open = false;
    return PCS_OK;
}

pcs_status pcs_yaml_read_file(pcs_yaml_document *doc, const char *path, pcs_yaml_node **root)
{
    *root = NULL;
    return read_source(doc, path, NULL, 0, root);
}

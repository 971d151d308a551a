// An array is base64 of a header of 64-bit numbers (blocks, bytes in a block, bytes in a last
// shorter one, compressed bytes of each) and, encoded apart, of the blocks packed by zlib. One
// block holds the whole array. Unlike raw appended data this keeps the files well-formed XML.
#include "io/vtk_xml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "io/output_file.h"

void pcs_vtk_init(pcs_vtk_text *text, pcs_context *ctx)
{
    *text = (pcs_vtk_text){.ctx = ctx};
}

void pcs_vtk_free(pcs_vtk_text *text)
{
    pcs_free(text->ctx, text->bytes);
    pcs_free(text->ctx, text->packed);
    *text = (pcs_vtk_text){.ctx = text->ctx};
}

// Room for `more` bytes and a zero behind the text; false when memory is out.
static bool reserve(pcs_vtk_text *text, size_t more)
{
    size_t needed = text->size + more + 1;
    if (text->failed)
        return false;
    if (needed <= text->room)
        return true;
    size_t room = needed + needed / 2 + 1024;
    char *bytes = pcs_realloc(text->ctx, text->bytes, room, 1);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->room = room;
    return true;
}

void pcs_vtk_print(pcs_vtk_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !reserve(text, (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(text->bytes + text->size, (size_t)length + 1, format, args);
    va_end(args);
    text->size += (size_t)length;
}

void pcs_vtk_number(pcs_vtk_text *text, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    for (char *c = digits; *c; c++)
        if (!strchr("0123456789+-einfa", *c))
            *c = '.';
    pcs_vtk_print(text, "%s", digits);
}

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

void pcs_vtk_begin(pcs_vtk_text *text, const char *kind)
{
    text->size = 0;
    pcs_vtk_print(text,
                  "<?xml version=\"1.0\"?>\n"
                  "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
                  "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n",
                  kind, is_little_endian() ? "LittleEndian" : "BigEndian");
}

void pcs_vtk_end(pcs_vtk_text *text)
{
    pcs_vtk_print(text, "</VTKFile>\n");
}

static void put_base64(pcs_vtk_text *text, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!reserve(text, (size + 2) / 3 * 4))
        return;
    char *to = text->bytes + text->size;
    for (size_t i = 0; i < size; i += 3) {
        size_t n = size - i < 3 ? size - i : 3;
        uint32_t word = (uint32_t)bytes[i] << 16;
        word |= n > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        word |= n > 2 ? (uint32_t)bytes[i + 2] : 0;
        *to++ = digits[word >> 18];
        *to++ = digits[word >> 12 & 63];
        *to++ = n > 1 ? digits[word >> 6 & 63] : '=';
        *to++ = n > 2 ? digits[word & 63] : '=';
    }
    text->size = (size_t)(to - text->bytes);
    *to = '\0';
}

// The values packed into text->packed; 0 when memory is out.
static size_t pack(pcs_vtk_text *text, const void *values, size_t size)
{
    size_t room = (size_t)compressBound((uLong)size);
    if (room > text->packed_room) {
        unsigned char *packed = pcs_realloc(text->ctx, text->packed, room, 1);
        if (!packed) {
            text->failed = true;
            return 0;
        }
        text->packed = packed;
        text->packed_room = room;
    }
    uLongf length = (uLongf)text->packed_room;
    // The fastest level: what repeats from body to body is found by all of them.
    if (compress2(text->packed, &length, values, (uLong)size, Z_BEST_SPEED) != Z_OK) {
        (void)pcs_error(text->ctx, PCS_ERROR_MEMORY, "out of memory while packing an array");
        text->failed = true;
        return 0;
    }
    return (size_t)length;
}

void pcs_vtk_array(pcs_vtk_text *text, pcs_vtk_type type, const char *name, int components,
                   size_t count, const void *values)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {[PCS_VTK_UINT8] = {"UInt8", 1},
                 [PCS_VTK_INT32] = {"Int32", 4},
                 [PCS_VTK_FLOAT32] = {"Float32", 4},
                 [PCS_VTK_FLOAT64] = {"Float64", 8}};
    size_t size = count * types[type].size;
    uint64_t header[4] = {0, 0, 0, 0};
    pcs_vtk_print(text,
                  "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                  "format=\"binary\">",
                  types[type].name, name, components);
    if (size > 0 && !text->failed) {
        header[0] = 1;
        header[1] = size;
        header[3] = pack(text, values, size);
    }
    put_base64(text, (const unsigned char *)header, (size > 0 ? 4 : 3) * sizeof *header);
    if (size > 0 && !text->failed)
        put_base64(text, text->packed, (size_t)header[3]);
    pcs_vtk_print(text, "</DataArray>\n");
}

void pcs_vtk_strings(pcs_vtk_text *text, const char *name, int32_t count,
                     const char *(*get)(const void *user, int32_t i), const void *user)
{
    if (count == 0)
        return;
    pcs_vtk_print(text,
                  "<Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%d\" format=\"ascii\">",
                  name, (int)count);
    for (int32_t i = 0; i < count; i++) {
        for (const char *c = get(user, i); *c; c++)
            pcs_vtk_print(text, "%d ", (int)(unsigned char)*c);
        pcs_vtk_print(text, "0 ");
    }
    pcs_vtk_print(text, "</Array>\n");
}

pcs_status pcs_vtk_write(pcs_vtk_text *text, const char *path, bool is_frame)
{
    pcs_output_file *file;
    if (text->failed)
        return PCS_ERROR_MEMORY;
    PCS_TRY(
        pcs_output_file_create(text->ctx, path, is_frame ? "the frame" : "the collection", &file));
    fwrite(text->bytes, 1, text->size, pcs_output_file_stream(file));
    return is_frame ? pcs_output_file_commit_soon(file) : pcs_output_file_commit(file);
}

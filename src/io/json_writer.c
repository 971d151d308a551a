#include "io/json_writer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pcs_json_init(pcs_json *json, FILE *stream)
{
    *json = (pcs_json){.stream = stream};
}

// ---- Texts ----

// Length of the UTF-8 character that starts here, 0 if there is none (RFC 3629: no overlong forms,
// no surrogates, nothing above U+10FFFF).
static int character_length(const unsigned char *text)
{
    static const struct {
        unsigned char first, last, low, high; // of the first byte, and range of the second
        int length;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    if (text[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        if (text[1] < forms[i].low || text[1] > forms[i].high)
            return 0;
        for (int k = 2; k < forms[i].length; k++) {
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        }
        return forms[i].length;
    }
    return 0;
}

static void put_string(pcs_json *json, const char *string)
{
    FILE *out = json->stream;
    const unsigned char *text = (const unsigned char *)string;
    putc('"', out);
    while (*text) {
        int length = character_length(text);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (*text == '\n')
            fputs("\\n", out);
        else if (*text < 0x20 || *text == 0x7f || strchr("<>&", *text))
            fprintf(out, "\\u%04x", *text);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length == 0 ? 1 : length;
    }
    putc('"', out);
}

// What stands before every value.
static void put_key(pcs_json *json, const char *key)
{
    if (json->needs_comma)
        putc(',', json->stream);
    json->needs_comma = true;
    if (key) {
        put_string(json, key);
        putc(':', json->stream);
    }
}

void pcs_json_text(pcs_json *json, const char *key, const char *text)
{
    put_key(json, key);
    put_string(json, text);
}

// ---- Objects, lists, numbers ----

static void begin(pcs_json *json, const char *key, char bracket)
{
    put_key(json, key);
    putc(bracket, json->stream);
    json->needs_comma = false;
}

static void end(pcs_json *json, char bracket)
{
    putc(bracket, json->stream);
    json->needs_comma = true;
}

void pcs_json_begin_object(pcs_json *json, const char *key)
{
    begin(json, key, '{');
}

void pcs_json_end_object(pcs_json *json)
{
    end(json, '}');
}

void pcs_json_begin_list(pcs_json *json, const char *key)
{
    begin(json, key, '[');
}

void pcs_json_end_list(pcs_json *json)
{
    end(json, ']');
}

void pcs_json_number(pcs_json *json, const char *key, double value)
{
    char text[40];
    put_key(json, key);
    if (!isfinite(value)) {
        fputs("null", json->stream);
        return;
    }
    // As few digits as give the number back.
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    // Whatever the locale's decimal mark is, JSON has a point.
    bool in_mark = false;
    for (const char *c = text; *c; c++) {
        bool own = (*c >= '0' && *c <= '9') || *c == 'e' || *c == '+' || *c == '-';
        if (own)
            putc(*c, json->stream);
        else if (!in_mark)
            putc('.', json->stream);
        in_mark = !own;
    }
}

void pcs_json_integer(pcs_json *json, const char *key, int64_t value)
{
    put_key(json, key);
    fprintf(json->stream, "%lld", (long long)value);
}

void pcs_json_boolean(pcs_json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->stream);
}

// ---- Arrays ----

void pcs_json_begin_array(pcs_json *json, const char *key, pcs_json_type type, int rank,
                          const int64_t *shape)
{
    static const char *const names[] = {[PCS_JSON_F64] = "f64",
                                        [PCS_JSON_F32] = "f32",
                                        [PCS_JSON_I32] = "i32",
                                        [PCS_JSON_U8] = "u8"};
    pcs_json_begin_object(json, key);
    pcs_json_text(json, "type", names[type]);
    pcs_json_begin_list(json, "shape");
    for (int i = 0; i < rank; i++)
        pcs_json_integer(json, NULL, shape[i]);
    pcs_json_end_list(json);
    put_key(json, "data");
    putc('"', json->stream);
    json->base64 = (pcs_base64){.n_rest = 0};
}

void pcs_json_end_array(pcs_json *json)
{
    char text[4];
    fwrite(text, 1, pcs_base64_finish(&json->base64, text), json->stream);
    putc('"', json->stream);
    pcs_json_end_object(json);
}

enum { PIECE = 3072 }; // bytes that are encoded at once

static void put_bytes(pcs_json *json, const unsigned char *bytes, size_t count)
{
    char text[PCS_BASE64_ROOM(PIECE)];
    fwrite(text, 1, pcs_base64_encode(&json->base64, bytes, count, text), json->stream);
}

static void store_32(unsigned char *to, uint32_t bits)
{
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(bits >> (8 * k));
}

static void store_64(unsigned char *to, uint64_t bits)
{
    for (int k = 0; k < 8; k++)
        to[k] = (unsigned char)(bits >> (8 * k));
}

void pcs_json_put_f64(pcs_json *json, const double *values, size_t count)
{
    unsigned char bytes[PIECE];
    for (size_t i = 0; i < count;) {
        size_t n = 0;
        for (; i < count && n + 8 <= PIECE; i++, n += 8) {
            uint64_t bits;
            double value = isfinite(values[i]) ? values[i] : (double)NAN;
            memcpy(&bits, &value, sizeof bits);
            store_64(bytes + n, bits);
        }
        put_bytes(json, bytes, n);
    }
}

static void store_float(unsigned char *to, float value)
{
    uint32_t bits;
    value = isfinite(value) ? value : NAN;
    memcpy(&bits, &value, sizeof bits);
    store_32(to, bits);
}

void pcs_json_put_floats(pcs_json *json, const float *values, size_t count)
{
    unsigned char bytes[PIECE];
    for (size_t i = 0; i < count;) {
        size_t n = 0;
        for (; i < count && n + 4 <= PIECE; i++, n += 4)
            store_float(bytes + n, values[i]);
        put_bytes(json, bytes, n);
    }
}

void pcs_json_put_f32(pcs_json *json, const double *values, size_t count)
{
    unsigned char bytes[PIECE];
    for (size_t i = 0; i < count;) {
        size_t n = 0;
        for (; i < count && n + 4 <= PIECE; i++, n += 4)
            store_float(bytes + n, fabs(values[i]) <= (double)FLT_MAX ? (float)values[i] : NAN);
        put_bytes(json, bytes, n);
    }
}

void pcs_json_put_i32(pcs_json *json, const int32_t *values, size_t count)
{
    unsigned char bytes[PIECE];
    for (size_t i = 0; i < count;) {
        size_t n = 0;
        for (; i < count && n + 4 <= PIECE; i++, n += 4)
            store_32(bytes + n, (uint32_t)values[i]);
        put_bytes(json, bytes, n);
    }
}

void pcs_json_put_u8(pcs_json *json, const uint8_t *values, size_t count)
{
    for (size_t i = 0; i < count; i += PIECE)
        put_bytes(json, values + i, count - i < PIECE ? count - i : PIECE);
}

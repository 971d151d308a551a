// JSON on its way into a file, value after value. Commas come by themselves; a key of NULL is for
// the entries of a list. Texts are safe inside a script of an html page: '<', '>' and '&' are
// escaped, and what is not UTF-8 becomes U+FFFD. Numbers that are not finite become null. A write
// that fails is seen from the stream (ferror).
#ifndef PCS_IO_JSON_WRITER_H
#define PCS_IO_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "io/base64.h"

typedef struct pcs_json {
    FILE *stream;
    bool needs_comma;
    pcs_base64 base64; // of the array being written
} pcs_json;

void pcs_json_init(pcs_json *json, FILE *stream);

void pcs_json_begin_object(pcs_json *json, const char *key);
void pcs_json_end_object(pcs_json *json);
void pcs_json_begin_list(pcs_json *json, const char *key);
void pcs_json_end_list(pcs_json *json);

void pcs_json_text(pcs_json *json, const char *key, const char *text);
void pcs_json_number(pcs_json *json, const char *key, double value);
void pcs_json_integer(pcs_json *json, const char *key, int64_t value);
void pcs_json_boolean(pcs_json *json, const char *key, bool value);

// Arrays as viewer/DATA.md has them: {"type", "shape", "data"}, little-endian in base64. Between
// begin and end the numbers come in pieces of any length.
typedef enum pcs_json_type { PCS_JSON_F64, PCS_JSON_F32, PCS_JSON_I32, PCS_JSON_U8 } pcs_json_type;

void pcs_json_begin_array(pcs_json *json, const char *key, pcs_json_type type, int rank,
                          const int64_t *shape);
void pcs_json_put_f64(pcs_json *json, const double *values, size_t count);
void pcs_json_put_f32(pcs_json *json, const double *values, size_t count); // not finite: NaN
void pcs_json_put_floats(pcs_json *json, const float *values, size_t count);
void pcs_json_put_i32(pcs_json *json, const int32_t *values, size_t count);
void pcs_json_put_u8(pcs_json *json, const uint8_t *values, size_t count);
void pcs_json_end_array(pcs_json *json);

#endif

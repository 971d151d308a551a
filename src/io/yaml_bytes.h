// What a YAML text may consist of, checked before the parser sees it.
#ifndef PCS_IO_YAML_BYTES_H
#define PCS_IO_YAML_BYTES_H

#include "io/yaml_document.h"

// Refuses NUL bytes, control characters, bytes that are not UTF-8 and tabs in the indentation.
pcs_status pcs_yaml_check_bytes(const pcs_yaml_document *doc, int32_t source, const char *bytes,
                                size_t size) PCS_MUST_CHECK;

// Length of the UTF-8 sequence at `bytes` and its character; 0 if it is not one (cut short, longer
// than needed, a surrogate or beyond U+10FFFF).
size_t pcs_yaml_decode(const char *bytes, size_t left, uint32_t *character);
// Characters that a YAML text may contain as escapes only.
bool pcs_yaml_is_control(uint32_t character);

#endif

// What a YAML text may consist of, checked before the parser sees it.
#ifndef PCS_IO_YAML_BYTES_H
#define PCS_IO_YAML_BYTES_H

#include "io/yaml_document.h"

// Refuses NUL bytes, control characters, bytes that are not UTF-8 and tabs in the indentation.
pcs_status pcs_yaml_check_bytes(const pcs_yaml_document *doc, int32_t source, const char *bytes,
                                size_t size) PCS_MUST_CHECK;

#endif

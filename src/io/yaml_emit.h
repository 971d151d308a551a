// A document tree as YAML text that can be read again.
#ifndef PCS_IO_YAML_EMIT_H
#define PCS_IO_YAML_EMIT_H

#include "io/yaml_document.h"

// The text lives in the document; NULL when memory is out.
const char *pcs_yaml_emit(pcs_yaml_document *doc, const pcs_yaml_node *root);

#endif

// YAML files that include others: `include: other.yaml`, or a list of files, at the top level.
//
// Paths are relative to the including file. The maps of an included file are merged with those of
// the including one; a key that both define is an error, except inside `parameters`, where the
// including file has the last word. A file that was included already is not read again.
#ifndef PCS_IO_YAML_INCLUDE_H
#define PCS_IO_YAML_INCLUDE_H

#include "io/yaml_document.h"

enum { PCS_YAML_FILES_MAX = 100, PCS_YAML_INCLUDE_DEPTH_MAX = 16 };

// Reads a file and all that it includes into one map.
pcs_status pcs_yaml_read_file(pcs_yaml_document *doc, const char *path, pcs_yaml_node **root)
    PCS_MUST_CHECK;

#endif

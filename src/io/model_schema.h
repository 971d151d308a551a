// The keys of model files (docs/model-file.md), as tables for pcs_schema_check().
#ifndef PCS_IO_MODEL_SCHEMA_H
#define PCS_IO_MODEL_SCHEMA_H

#include "io/schema.h"

extern const pcs_schema pcs_model_schema;

#endif

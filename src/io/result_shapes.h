// What a picture of a stored run shows: the drawings of its model (percuss/model.h).
#ifndef PCS_IO_RESULT_SHAPES_H
#define PCS_IO_RESULT_SHAPES_H

#include "base/array.h"
#include "percuss/io.h"

typedef struct pcs_scene {
    PCS_ARRAY(pcs_drawing) drawings;
    pcs_model_file *file; // owns names and vertices; NULL: the shapes alone were found
} pcs_scene;

// The one place that knows where drawings come from. Drawings refer to bodies of the result.
pcs_status pcs_scene_read(pcs_context *ctx, pcs_result *result, pcs_scene *scene) PCS_MUST_CHECK;
void pcs_scene_free(pcs_context *ctx, pcs_scene *scene);

#endif

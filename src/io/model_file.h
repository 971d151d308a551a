// A model file that was read: the document, the model built from it and the settings of its run.
#ifndef PCS_IO_MODEL_FILE_H
#define PCS_IO_MODEL_FILE_H

#include "io/model_reader.h"
#include "percuss/io.h"

struct pcs_model_file {
    pcs_context *ctx;
    pcs_yaml_document doc; // owns all texts and arrays below
    pcs_yaml_node *root;
    pcs_model *model;
    const char *title;
    pcs_simulation_def simulation;
    pcs_setting *options;
    int32_t n_options;
    int32_t first_setting; // source of the document that is the first setting; files come before it
    double output_step;
    const char **signals;
    int32_t n_signals;
    const char *text;
};

// Puts the values of the settings into the tree (model_file_settings.c).
pcs_status pcs_model_file_apply_settings(pcs_model_file *file, const pcs_setting *settings,
                                         int32_t n_settings) PCS_MUST_CHECK;
// The sections `simulation` and `output` (model_file_simulation.c).
pcs_status pcs_model_file_read_simulation(pcs_model_file *file, pcs_model_reader *reader)
    PCS_MUST_CHECK;
pcs_status pcs_model_file_read_output(pcs_model_file *file, pcs_model_reader *reader)
    PCS_MUST_CHECK;

#endif

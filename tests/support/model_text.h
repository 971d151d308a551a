// Models from text, with the run that the text describes: the fixture of the tests of model files.
#ifndef PCS_TESTS_SUPPORT_MODEL_TEXT_H
#define PCS_TESTS_SUPPORT_MODEL_TEXT_H

#include "io/model_file.h"

typedef struct model_text {
    pcs_context *ctx;
    pcs_model_file *file;
    const pcs_model *model;     // of the file
    pcs_simulation *simulation; // after model_text_start()
} model_text;

// For cmocka_unit_test_setup_teardown; `state` becomes a model_text. It is a failure if memory is
// left.
int model_text_set_up(void **state);
int model_text_tear_down(void **state);

// Forgets the last text and reads another one, as the file `name`; the file of a failure is NULL.
pcs_status model_text_try(model_text *f, const char *name, const char *text,
                          const pcs_setting *settings, int32_t n_settings);
// The same for a text that must be read.
void model_text_read(model_text *f, const char *name, const char *text, const pcs_setting *settings,
                     int32_t n_settings);
// Starts the run of the text, at its initial state.
void model_text_start(model_text *f);
double model_text_signal(const model_text *f, const char *path);

#endif

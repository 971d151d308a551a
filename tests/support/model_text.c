#include "support/model_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

int model_text_set_up(void **state)
{
    static model_text f;
    f = (model_text){.ctx = pcs_context_create(NULL)};
    *state = &f;
    return f.ctx ? 0 : -1;
}

static void drop(model_text *f)
{
    pcs_simulation_destroy(f->simulation);
    pcs_model_file_destroy(f->file);
    f->simulation = NULL;
    f->file = NULL;
    f->model = NULL;
}

int model_text_tear_down(void **state)
{
    model_text *f = *state;
    drop(f);
    const int left = pcs_context_heap_bytes(f->ctx) != 0;
    pcs_context_destroy(f->ctx);
    return left;
}

static void must(const model_text *f, pcs_status status)
{
    if (status < 0)
        fail_msg("%s", pcs_context_error(f->ctx));
}

pcs_status model_text_try(model_text *f, const char *name, const char *text,
                          const pcs_setting *settings, int32_t n_settings)
{
    drop(f);
    const pcs_status status = pcs_model_file_read_memory(f->ctx, name, text, strlen(text), settings,
                                                         n_settings, &f->file);
    if (status >= 0)
        f->model = pcs_model_file_model(f->file);
    return status;
}

void model_text_read(model_text *f, const char *name, const char *text, const pcs_setting *settings,
                     int32_t n_settings)
{
    must(f, model_text_try(f, name, text, settings, n_settings));
}

void model_text_start(model_text *f)
{
    const pcs_simulation_def def = pcs_model_file_simulation(f->file);
    const pcs_setting *options;
    const int32_t n = pcs_model_file_options(f->file, &options);
    must(f, pcs_simulation_create(f->ctx, f->model, &def, &f->simulation));
    for (int32_t i = 0; i < n; ++i)
        must(f, pcs_simulation_set(f->simulation, options[i].key, options[i].text));
    must(f, pcs_simulation_start(f->simulation));
}

double model_text_signal(const model_text *f, const char *path)
{
    pcs_signal signal;
    must(f, pcs_model_find_signal(f->ctx, f->model, path, &signal));
    return pcs_simulation_signal(f->simulation, signal);
}

#include "support/example_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/near.h"

static void require(const example_run *run, pcs_status status)
{
    if (status < 0) {
        print_error("%s\n", pcs_context_error(run->ctx));
        fail();
    }
}

static void set_options(const example_run *run, const char *options)
{
    char copy[512], *rest = copy;
    assert_true(strlen(options) < sizeof copy);
    strcpy(copy, options);
    for (char *key; (key = strtok_r(rest, " ", &rest));) {
        char *value = strchr(key, '=');
        assert_non_null(value);
        *value++ = 0;
        require(run, pcs_simulation_set(run->simulation, key, value));
    }
}

void example_begin(example_run *run, const char *name, const char *scheme, double end, double step,
                   const char *options)
{
    example_begin_with(run, name, NULL, 0, scheme, end, step, options);
}

void example_begin_with(example_run *run, const char *name, const pcs_setting *settings,
                        int32_t n_settings, const char *scheme, double end, double step,
                        const char *options)
{
    *run = (example_run){0};
    run->ctx = pcs_context_create(NULL);
    assert_non_null(run->ctx);
    const char *source = getenv("PERCUSS_SOURCE");
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s", source ? source : ".", name);
    require(run, pcs_model_file_read(run->ctx, path, settings, n_settings, &run->file));
    pcs_simulation_def def = pcs_simulation_default();
    def.scheme = scheme;
    def.end = end;
    def.step = step;
    def.without_estimate = pcs_model_file_simulation(run->file).without_estimate;
    require(run, pcs_simulation_create(run->ctx, pcs_model_file_model(run->file), &def,
                                       &run->simulation));
    set_options(run, options);
}

void example_finish(example_run *run)
{
    while (!pcs_simulation_finished(run->simulation))
        require(run, pcs_simulation_step(run->simulation));
}

void example_end(example_run *run)
{
    pcs_simulation_destroy(run->simulation);
    pcs_model_file_destroy(run->file);
    pcs_context_destroy(run->ctx);
}

double example_signal(const example_run *run, const char *path)
{
    pcs_signal signal;
    require(run, pcs_model_find_signal(run->ctx, pcs_model_file_model(run->file), path, &signal));
    return pcs_simulation_signal(run->simulation, signal);
}

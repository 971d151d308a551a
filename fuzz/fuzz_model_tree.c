// libFuzzer target: the bytes choose a model (support/model_tree.h), which is read, built and stepped.
// Whatever it is, each call ends with a status: an error has a text of one line, a step that is taken
// has finite energies and states, a run that goes on from its checkpoint has the same bits. A step
// that takes long is stopped through the context, which it must hear. With FUZZ_PRINT in the
// environment the model is printed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "percuss/analysis.h"
#include "percuss/evidence.h"
#include "percuss/io.h"
#include "support/checks.h"
#include "support/model_tree.h"

enum { STEPS = 6, SIGNALS_MOST = 400, PATH_SIZE = 256 };

// ---- Stopping ----

static double processor_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// The stop function of the context.
static bool is_late(void *user)
{
    return processor_time() > *(const double *)user;
}

// ---- What a step has left ----

static void check_numbers(const double *x, int32_t n, const char *what, const pcs_context *ctx)
{
    for (int32_t i = 0; i < n; i++)
        fuzz_require(isfinite(x[i]), what, ctx);
}

static void check_state(const pcs_simulation *s, const pcs_context *ctx)
{
    const pcs_model *model = pcs_simulation_model(s);
    const pcs_energy_account *energy = &pcs_simulation_statistics(s)->energy;
    fuzz_require(isfinite(energy->kinetic + energy->potential), "energy is not finite", ctx);
    check_numbers(pcs_simulation_q(s), pcs_model_coordinate_count(model), "q is not finite", ctx);
    check_numbers(pcs_simulation_v(s), pcs_model_velocity_count(model), "v is not finite", ctx);
    for (int32_t i = 0; i < pcs_model_contact_count(model); i++) {
        pcs_contact_view view;
        pcs_simulation_contact(s, i, &view);
        fuzz_require(!isnan(view.gap), "a gap is not a number", ctx); // an open one may be infinite
    }
}

// All that one can look at, for memory errors.
static void look(const pcs_simulation *s, pcs_context *ctx)
{
    const pcs_model *model = pcs_simulation_model(s);
    char path[PATH_SIZE];
    for (int32_t i = 0; i < SIGNALS_MOST && pcs_model_signal_path(model, i, path, sizeof path);
         i++) {
        pcs_signal signal;
        fuzz_require(pcs_model_find_signal(ctx, model, path, &signal) >= 0, path, ctx);
        (void)pcs_simulation_signal(s, signal);
    }
    for (int32_t i = 0; i < pcs_model_body_count(model); i++) {
        pcs_body_view view;
        pcs_simulation_body(s, i, &view);
    }
    for (int32_t i = 0; i < pcs_model_joint_count(model); i++) {
        pcs_joint_view view;
        pcs_simulation_joint(s, i, &view);
    }
    for (int32_t i = 0; i < pcs_model_contact_count(model); i++) {
        pcs_contact_view view;
        pcs_simulation_contact(s, i, &view);
    }
    pcs_event event;
    for (int64_t i = 0; pcs_simulation_event(s, i, &event); i++)
        fuzz_require(pcs_event_kind_name(event.kind) != NULL, "an unknown event", ctx);
    pcs_run_facts facts = {.statistics = pcs_simulation_statistics(s),
                           .contacts = pcs_model_contact_count(model),
                           .joints = pcs_model_joint_count(model)};
    pcs_finding findings[PCS_FINDING_KIND_COUNT];
    char text[PCS_FINDING_TEXT_SIZE];
    pcs_run_judge(&facts, findings);
    (void)pcs_run_verdict(findings, text, sizeof text);
    fuzz_require(text[0] != '\0', "a verdict without text", ctx);
}

static pcs_status see_drawing(void *user, const pcs_drawing *drawing)
{
    (void)user;
    return pcs_drawing_kind_name(drawing->kind) ? PCS_OK : PCS_ERROR_ARGUMENT;
}

// ---- Runs ----

static pcs_simulation *create(pcs_context *ctx, const pcs_model_file *file)
{
    pcs_simulation *s = NULL;
    const pcs_setting *options;
    const int32_t n = pcs_model_file_options(file, &options);
    const pcs_simulation_def def = pcs_model_file_simulation(file);
    pcs_status status = pcs_simulation_create(ctx, pcs_model_file_model(file), &def, &s);
    for (int32_t i = 0; i < n && status >= 0; i++)
        status = pcs_simulation_set(s, options[i].key, options[i].text);
    if (status >= 0)
        return s;
    fuzz_check_error(ctx);
    pcs_simulation_destroy(s);
    return NULL;
}

// False: the run is over, by an error or at its end.
static bool step(pcs_simulation *s, pcs_context *ctx)
{
    if (pcs_simulation_finished(s))
        return false;
    if (pcs_simulation_step(s) < 0) {
        fuzz_check_error(ctx);
        return false;
    }
    check_state(s, ctx);
    return true;
}

// A second simulation goes on from the state of the first, and both take a step.
static void check_resume(pcs_simulation *first, const pcs_model_file *file, pcs_context *ctx)
{
    const pcs_model *model = pcs_model_file_model(file);
    const size_t size = pcs_simulation_save(first, NULL, 0);
    void *bytes = malloc(size);
    pcs_simulation *second = create(ctx, file);
    if (!bytes)
        abort();
    fuzz_require(second != NULL, "a simulation cannot be made again", ctx);
    fuzz_require(pcs_simulation_save(first, bytes, size) == size, "size of a checkpoint", ctx);
    if (pcs_simulation_load(second, bytes, size) < 0) {
        fuzz_check_error(ctx);
    } else if (step(first, ctx) && step(second, ctx)) {
        const size_t n_q = (size_t)pcs_model_coordinate_count(model);
        const size_t n_v = (size_t)pcs_model_velocity_count(model);
        const bool same = memcmp(pcs_simulation_q(first), pcs_simulation_q(second),
                                 n_q * sizeof(double)) == 0 &&
                          memcmp(pcs_simulation_v(first), pcs_simulation_v(second),
                                 n_v * sizeof(double)) == 0;
        fuzz_require(same, "a resumed run has other bits", ctx);
    }
    pcs_simulation_destroy(second);
    free(bytes);
}

static void analyse(pcs_simulation *s, bool closed, pcs_context *ctx)
{
    pcs_static_opts static_opts = pcs_static_default();
    pcs_static_info info;
    static_opts.steps = 2;
    if (pcs_simulation_equilibrate(s, &static_opts, &info) < 0) {
        fuzz_check_error(ctx);
        return;
    }
    pcs_modes *modes = NULL;
    pcs_modes_opts opts = pcs_modes_default();
    opts.closed_contacts = closed;
    if (pcs_modes_create(s, &opts, &modes) < 0)
        fuzz_check_error(ctx);
    pcs_modes_destroy(modes);
}

static void run(const pcs_model_file *file, fuzz_choices *c, pcs_context *ctx)
{
    pcs_simulation *s = create(ctx, file);
    if (!s)
        return;
    const int resumed = fuzz_pick(c, STEPS);
    if (fuzz_once_in(c, 8))
        analyse(s, fuzz_once_in(c, 2), ctx);
    for (int i = 0; i < STEPS && step(s, ctx); i++) {
        if (i == resumed) {
            look(s, ctx);
            check_resume(s, file, ctx);
        }
    }
    look(s, ctx);
    pcs_simulation_destroy(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[FUZZ_MODEL_SIZE];
    const double budget = 0.2; // s
    double deadline = processor_time() + budget;
    pcs_context_def def = pcs_context_default();
    def.stop = is_late;
    def.stop_user = &deadline;
    pcs_context *ctx = pcs_context_create(&def);
    if (!ctx || size < FUZZ_RECORD) {
        pcs_context_destroy(ctx);
        return -1;
    }
    const size_t length = fuzz_model_text(data, size, text);
    if (getenv("FUZZ_PRINT"))
        fprintf(stderr, "%s", text);
    fuzz_choices c = {data + FUZZ_RUN_BYTES, FUZZ_RECORD - FUZZ_RUN_BYTES, 0};
    pcs_model_file *file = NULL;
    if (pcs_model_file_read_memory(ctx, "fuzz", text, length, NULL, 0, &file) < 0) {
        fuzz_check_error(ctx);
        if (getenv("FUZZ_PRINT"))
            fprintf(stderr, "%s\n", pcs_context_error(ctx));
    } else {
        if (pcs_model_draw(pcs_model_file_model(file), see_drawing, NULL) < 0)
            fuzz_check_error(ctx);
        run(file, &c, ctx);
    }
    pcs_model_file_destroy(file);
    fuzz_end(ctx);
    return 0;
}

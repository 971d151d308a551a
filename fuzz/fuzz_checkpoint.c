// libFuzzer target: the bytes edit a right checkpoint, number by number, and it is loaded into a run, as
// a file whose own hash is right or not and as bytes. One that was changed is refused with one line of
// error text, and one that was not is loaded; the run ends each further step with a status.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "percuss/io.h"
#include "support/checks.h"
#include "support/choices.h"
#include "support/small_models.h"

// The header of the file (io/checkpoint.c), and where in it the hash of the bytes behind it stands.
enum { FILE_HEADER = 32, HASH = 24, MODELS = 2, SCHEMES = 6, STEPS = 3, EDITS_MOST = 8 };

static const char *const schemes[SCHEMES] = {"moreau-jean",          "event-driven",
                                             "nonsmooth-alpha",      "capturing",
                                             "moreau-jean-adaptive", "hybrid"};

typedef struct right_run {
    pcs_context *ctx;
    pcs_model_file *file;
    unsigned char *bytes; // of a checkpoint file after a few steps
    size_t size;
} right_run;

// ---- Stopping ----

static double deadline;

static bool is_late(void *user)
{
    (void)user;
    return (double)clock() / CLOCKS_PER_SEC > deadline;
}

static void give_time(void)
{
    const double budget = 0.2; // s
    deadline = (double)clock() / CLOCKS_PER_SEC + budget;
}

// ---- Right checkpoints ----

static void make(right_run *run, int model, const char *scheme)
{
    pcs_context_def def = pcs_context_default();
    def.stop = is_late;
    deadline = HUGE_VAL;
    run->ctx = pcs_context_create(&def);
    run->file = fuzz_read_model(run->ctx, fuzz_small_model(model));
    pcs_simulation *s = fuzz_simulate(run->ctx, run->file, scheme, STEPS);
    const char *path = fuzz_path("right");
    fuzz_require(pcs_checkpoint_write(run->ctx, s, path) >= 0, "no checkpoint", run->ctx);
    const fuzz_image image = fuzz_image_of_file(fuzz_path("right"));
    run->bytes = image.bytes;
    run->size = image.size;
    pcs_simulation_destroy(s);
}

static right_run *get_run(int model, int scheme)
{
    static right_run runs[MODELS][SCHEMES];
    right_run *run = &runs[model][scheme];
    if (!run->ctx)
        make(run, model, schemes[scheme]);
    return run;
}

// ---- Edits ----

static void put_number(fuzz_choices *c, unsigned char *to)
{
    static const double reals[] = {NAN, INFINITY, -INFINITY, -1,    0,     1,
                                   2,   3,        7,         1e300, -1e10, 1e-310};
    static const int64_t integers[] = {-1, 0, 1, 1000000, INT64_MAX, INT64_MIN, INT32_MAX};
    double x;
    switch (fuzz_pick(c, 3)) {
    case 0:
        memcpy(to, &reals[fuzz_pick(c, (int)(sizeof reals / sizeof *reals))], sizeof *reals);
        break;
    case 1:
        memcpy(to, &integers[fuzz_pick(c, (int)(sizeof integers / sizeof *integers))],
               sizeof *integers);
        break;
    default: // near what it was
        memcpy(&x, to, sizeof x);
        x = x * (1 + 0.01 * fuzz_pick(c, 256)) + 1e-3 * fuzz_pick(c, 16);
        memcpy(to, &x, sizeof x);
    }
}

// The size after the edits. Most of them are in the state; the file's own header is left to few.
static size_t edit(fuzz_choices *c, unsigned char *bytes, size_t size)
{
    for (int i = 0; i < EDITS_MOST && fuzz_has_choices(c); i++) {
        const size_t first = fuzz_once_in(c, 16) ? 0 : FILE_HEADER / sizeof(double);
        const size_t n = size / sizeof(double);
        put_number(c, bytes + sizeof(double) * (first + fuzz_word(c) % (n - first)));
    }
    if (fuzz_once_in(c, 32))
        size -= fuzz_word(c) % size;
    return size;
}

// ---- Loading ----

static void see(pcs_status status, const pcs_context *ctx)
{
    if (status < 0)
        fuzz_check_error(ctx);
}

static void go_on(pcs_simulation *s, const pcs_context *ctx)
{
    char path[256];
    for (int i = 0; i < STEPS && !pcs_simulation_finished(s); i++) {
        const pcs_status status = pcs_simulation_step(s);
        see(status, ctx);
        if (status < 0)
            break;
    }
    for (int32_t i = 0; pcs_model_signal_path(pcs_simulation_model(s), i, path, sizeof path); i++) {
        pcs_signal signal;
        if (pcs_model_find_signal((pcs_context *)ctx, pcs_simulation_model(s), path, &signal) >= 0)
            (void)pcs_simulation_signal(s, signal);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_choices c = {data, size, 0};
    const int model = fuzz_pick(&c, MODELS), scheme = fuzz_pick(&c, SCHEMES);
    const bool as_file = fuzz_once_in(&c, 2), hashed = !fuzz_once_in(&c, 8);
    right_run *run = get_run(model, scheme);
    unsigned char *bytes = malloc(run->size);
    if (!bytes)
        abort();
    memcpy(bytes, run->bytes, run->size);
    const size_t left = edit(&c, bytes, run->size);
    deadline = HUGE_VAL;
    const uint64_t used = pcs_context_heap_bytes(run->ctx);
    pcs_simulation *s = fuzz_simulate(run->ctx, run->file, schemes[scheme], 0);
    give_time();
    pcs_status status;
    if (as_file) {
        if (hashed && left > FILE_HEADER) {
            const uint64_t hash = pcs_hash_bytes(PCS_HASH_START, bytes + FILE_HEADER,
                                                 left - FILE_HEADER);
            memcpy(bytes + HASH, &hash, sizeof hash);
        }
        const char *path = fuzz_file(bytes, left);
        see(pcs_checkpoint_check(run->ctx, path), run->ctx);
        status = pcs_checkpoint_read(run->ctx, s, fuzz_path("file"));
    } else {
        const size_t skipped = left > FILE_HEADER ? FILE_HEADER : left;
        status = pcs_simulation_load(s, bytes + skipped, left - skipped);
    }
    see(status, run->ctx);
    const bool changed = left != run->size || memcmp(bytes + FILE_HEADER, run->bytes + FILE_HEADER,
                                                     left - FILE_HEADER) != 0;
    fuzz_require(!changed || status < 0, "a damaged checkpoint is loaded", run->ctx);
    go_on(s, run->ctx);
    pcs_simulation_destroy(s);
    free(bytes);
    fuzz_require(pcs_context_heap_bytes(run->ctx) == used, "memory is left over", run->ctx);
    return 0;
}

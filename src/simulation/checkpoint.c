// The complete state of a simulation as bytes, and back. Same machine and build: the layout is the
// memory layout, guarded by a version, by hashes of the model and of the scheme's options, and by one of
// all bytes: numbers of the state choose branches and places in arrays, so that those of a damaged
// checkpoint must not come in.
#include <string.h>

#include "base/hash.h"
#include "simulation/monitor.h"

typedef struct header {
    char magic[8];
    uint32_t version, scalar_size;
    uint64_t hash; // of all bytes, with zeros here
    uint64_t model, options;
    double start, step;
    int64_t next_step, count, monitor; // numbers of the state, and of the monitor behind them
    int32_t frames, new_frame;         // of pcs_present
    pcs_statistics statistics;
} header;

static const char magic[8] = {'P', 'C', 'S', 'S', 'T', 'A', 'T', 'E'};
enum { CHECKPOINT_VERSION = 6 };

static uint64_t model_hash(const pcs_model *model)
{
    const int32_t sizes[] = {model->dimension, model->n_q,     model->n_v,         model->n_rows,
                             model->n_slots,   model->n_turns, model->joints.count};
    uint64_t hash = pcs_hash_bytes(PCS_HASH_START, sizes, sizeof sizes);
    hash = pcs_hash_bytes(hash, &model->gravity, sizeof model->gravity);
    for (int32_t i = 0; i < model->bodies.count; ++i) {
        const pcs_body *body = &model->bodies.data[i];
        hash = pcs_hash_bytes(hash, body->name, strlen(body->name));
        hash = pcs_hash_bytes(hash, &body->mass, sizeof body->mass);
        hash = pcs_hash_bytes(hash, &body->inertia, sizeof body->inertia);
    }
    for (int32_t i = 0; i < model->systems.count; ++i) {
        const pcs_system *s = &model->systems.data[i];
        for (int32_t k = 0; k < s->n; ++k)
            hash = pcs_hash_bytes(hash, s->coordinate[k], strlen(s->coordinate[k]));
        for (int32_t k = 0; k < s->formulas.count; ++k) {
            const pcs_system_formula *f = &s->formulas.data[k];
            hash = pcs_hash_bytes(hash, &f->number, sizeof f->number);
            if (f->text)
                hash = pcs_hash_bytes(hash, f->text, strlen(f->text));
        }
    }
    for (int32_t i = 0; i < model->externals.count; ++i)
        hash = pcs_hash_bytes(hash, model->externals.data[i].name,
                              strlen(model->externals.data[i].name));
    for (int32_t i = 0; i < model->row_names.count; ++i)
        hash = pcs_hash_bytes(hash, model->row_names.data[i], strlen(model->row_names.data[i]));
    for (int32_t i = 0; i < model->slot_names.count; ++i)
        hash = pcs_hash_bytes(hash, model->slot_names.data[i], strlen(model->slot_names.data[i]));
    return hash;
}

static uint64_t options_hash(const pcs_scheme *scheme)
{
    uint64_t hash = pcs_hash_bytes(PCS_HASH_START, scheme->class->name,
                                   strlen(scheme->class->name));
    const pcs_switches *switches = scheme->switches;
    hash = pcs_hash_bytes(hash, switches->times, sizeof(double) * (size_t)switches->n_times);
    return pcs_hash_bytes(hash, scheme->options,
                          sizeof *scheme->options * (size_t)scheme->class->n_options);
}

size_t pcs_simulation_save(const pcs_simulation *s, void *buffer, size_t size)
{
    header h;
    memset(&h, 0, sizeof h);
    const double *monitor = pcs_monitor_numbers(s, &h.monitor);
    const size_t bytes = sizeof(double) * (size_t)s->state.count;
    const size_t tail = sizeof(double) * (size_t)h.monitor, needed = sizeof(header) + bytes + tail;
    if (!buffer || size < needed)
        return needed;
    memcpy(h.magic, magic, sizeof magic);
    h.version = CHECKPOINT_VERSION;
    h.scalar_size = sizeof(double);
    h.model = model_hash(s->model);
    h.options = options_hash(s->scheme);
    h.start = s->def.start;
    h.step = s->def.step;
    h.next_step = s->step;
    h.count = s->state.count;
    h.frames = s->present->frames;
    h.new_frame = s->present->new_frame;
    h.statistics = s->statistics;
    memcpy(buffer, &h, sizeof h);
    memcpy((char *)buffer + sizeof h, s->state.data, bytes);
    memcpy((char *)buffer + sizeof h + bytes, monitor, tail);
    h.hash = pcs_hash_bytes(PCS_HASH_START, buffer, needed);
    memcpy(buffer, &h, sizeof h);
    return needed;
}

static uint64_t hash_of(const header *h, const void *buffer, size_t size)
{
    header blank;
    memcpy(&blank, h, sizeof blank); // with its padding
    blank.hash = 0;
    const uint64_t hash = pcs_hash_bytes(PCS_HASH_START, &blank, sizeof blank);
    return pcs_hash_bytes(hash, (const char *)buffer + sizeof blank, size - sizeof blank);
}

// A run goes on bit for bit only from a point of the time grid: a step that was cut short to meet
// the first run's end is no step of a longer run.
static pcs_status check_time(const pcs_simulation *s, const header *h, double t)
{
    double rounding = pcs_simulation_time_rounding(&s->def);
    double grid = s->def.start + (double)h->next_step * s->def.step;
    if (h->next_step > s->n_steps || !(t <= s->def.end + rounding))
        return pcs_error(s->ctx, PCS_ERROR_INPUT,
                         "the checkpoint is at t = %.9g s, after the end %.9g s; raise --end", t,
                         s->def.end);
    if (!(fabs(t - grid) <= rounding) && t != s->def.end)
        return pcs_error(s->ctx, PCS_ERROR_INPUT,
                         "the checkpoint is at t = %.9g s, between two steps of %.9g s: the first "
                         "run cut its last step to meet its end; give that run an end that is a "
                         "multiple of the step, or resume from a checkpoint before its end",
                         t, s->def.step);
    return PCS_OK;
}

pcs_status pcs_simulation_load(pcs_simulation *s, const void *buffer, size_t size)
{
    header h;
    if (size < sizeof h)
        return pcs_error(s->ctx, PCS_ERROR_INPUT, "the checkpoint is cut off");
    memcpy(&h, buffer, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0)
        return pcs_error(s->ctx, PCS_ERROR_INPUT, "this is not a checkpoint");
    if (h.version != CHECKPOINT_VERSION || h.scalar_size != sizeof(double))
        return pcs_error(s->ctx, PCS_ERROR_INPUT,
                         "the checkpoint has version %u, this program reads version %d", h.version,
                         CHECKPOINT_VERSION);
    int64_t n_monitor;
    double *monitor = pcs_monitor_numbers(s, &n_monitor);
    if (h.model != model_hash(s->model) || h.count != s->state.count || h.monitor != n_monitor)
        return pcs_error(s->ctx, PCS_ERROR_INPUT, "the checkpoint belongs to another model");
    if (h.options != options_hash(s->scheme) || h.start != s->def.start || h.step != s->def.step)
        return pcs_error(
            s->ctx, PCS_ERROR_INPUT,
            "the checkpoint was made with another scheme, step or option; use the same");
    if (size != sizeof h + sizeof(double) * (size_t)(h.count + h.monitor) || h.next_step < 0)
        return pcs_error(s->ctx, PCS_ERROR_INPUT, "the checkpoint is cut off");
    if (h.hash != hash_of(&h, buffer, size))
        return pcs_error(s->ctx, PCS_ERROR_INPUT, "the checkpoint is damaged; use another one");
    double t;
    memcpy(&t, (const char *)buffer + sizeof h + sizeof t * (size_t)(s->state.t - s->state.data),
           sizeof t);
    PCS_TRY(check_time(s, &h, t));
    PCS_TRY(pcs_simulation_start(s)); // prepares the scheme; its state is replaced now
    s->statistics = h.statistics;
    s->step = h.next_step;
    const size_t bytes = sizeof(double) * (size_t)h.count;
    memcpy(s->state.data, (const char *)buffer + sizeof h, bytes);
    memcpy(monitor, (const char *)buffer + sizeof h + bytes, sizeof(double) * (size_t)h.monitor);
    s->present->frames = h.frames != 0;
    s->present->new_frame = h.new_frame != 0;
    // The first run's end may be off the grid by rounding; an uninterrupted run is not.
    if (s->step < s->n_steps)
        *s->state.t = s->def.start + (double)s->step * s->def.step;
    s->present->configuration_valid = false;
    s->present->contacts_valid = false;
    s->present->results_valid = false;
    pcs_event_log_reset(&s->scheme->events, s->state.status);
    return PCS_OK;
}

#include "outputs.h"

#include <math.h>

// Rounding allowed when a step end is compared with a due time, in intervals.
static const double DUE_TOLERANCE = 1e-9;

// The first step time that something is due at, after `time`. Asked times are start + k interval;
// each is met `early` before, so that with half a step the nearest step meets it. It depends on the
// time alone: a resumed run stores the same frames as an uninterrupted one.
static double next_due(double start, double interval, double early, double time)
{
    if (interval <= 0)
        return time;
    double asked = interval * (floor((time + early - start) / interval + DUE_TOLERANCE) + 1);
    return start + asked - early;
}

static bool is_due(double due, double interval, double time)
{
    return time >= due - DUE_TOLERANCE * interval;
}

// A frame that is not due only looks at the run: sums over the time between two frames that are go
// on, so that those of a resumed run have the bits of an uninterrupted one.
static pcs_status write_frame(cli_outputs *outputs, const pcs_simulation *simulation, bool due)
{
    pcs_status status = PCS_OK;
    if (outputs->result)
        status = pcs_result_append(outputs->result, simulation);
    if (status >= 0 && outputs->csv)
        status = pcs_csv_append(outputs->csv, simulation);
    if (!due)
        pcs_simulation_reopen_frame(simulation);
    outputs->last_frame = pcs_simulation_time(simulation);
    outputs->next_frame = next_due(outputs->def.start, outputs->def.frame_every,
                                   0.5 * outputs->def.step, outputs->last_frame);
    outputs->frames++;
    outputs->failed = status < 0;
    return status;
}

static void abandon(cli_outputs *outputs)
{
    pcs_result_abandon(outputs->result);
    pcs_csv_abandon(outputs->csv);
    outputs->result = NULL;
    outputs->csv = NULL;
}

static pcs_status open_result(cli_outputs *outputs, const pcs_simulation *simulation)
{
    pcs_result_def def = pcs_result_default();
    def.path = outputs->def.result;
    def.title = outputs->def.title;
    def.model_text = outputs->def.model_text;
    def.command = outputs->def.command;
    return pcs_result_create(outputs->ctx, simulation, &def, &outputs->result);
}

pcs_status cli_outputs_open(cli_outputs *outputs, pcs_context *ctx, const cli_output_def *def,
                            const pcs_simulation *simulation)
{
    *outputs = (cli_outputs){.def = *def, .ctx = ctx};
    double time = pcs_simulation_time(simulation);
    outputs->next_checkpoint = next_due(def->start, def->checkpoint_every, 0, time);
    pcs_status status = PCS_OK;
    if (def->result)
        status = open_result(outputs, simulation);
    if (status >= 0 && def->csv)
        status = pcs_csv_create(ctx, pcs_simulation_model(simulation), def->csv, def->signals,
                                def->n_signals, &outputs->csv);
    if (status >= 0)
        status = write_frame(outputs, simulation, !pcs_simulation_is_between_frames(simulation));
    if (status < 0)
        abandon(outputs);
    return status;
}

pcs_status cli_outputs_step(cli_outputs *outputs, const pcs_simulation *simulation)
{
    const cli_output_def *def = &outputs->def;
    double time = pcs_simulation_time(simulation);
    pcs_status status = PCS_OK;
    if (outputs->result) // events leave the simulation's memory even where frames are rare
        status = pcs_result_note(outputs->result, simulation);
    if (status >= 0 && is_due(outputs->next_frame, def->frame_every, time))
        status = write_frame(outputs, simulation, true);
    if (status >= 0 && def->checkpoint && def->checkpoint_every > 0 &&
        is_due(outputs->next_checkpoint, def->checkpoint_every, time)) {
        status = pcs_checkpoint_write(outputs->ctx, simulation, def->checkpoint);
        outputs->next_checkpoint = next_due(def->start, def->checkpoint_every, 0, time);
    }
    outputs->failed = outputs->failed || status < 0;
    return status;
}

pcs_status cli_outputs_close(cli_outputs *outputs, const pcs_simulation *simulation, bool good,
                             bool complete)
{
    pcs_status first = PCS_OK, status;
    if (good && pcs_simulation_time(simulation) > outputs->last_frame)
        first = write_frame(outputs, simulation, false);
    if (good && first >= 0 && outputs->def.checkpoint)
        first = pcs_checkpoint_write(outputs->ctx, simulation, outputs->def.checkpoint);
    if (outputs->result) {
        status = pcs_result_close(outputs->result, simulation, complete && first >= 0);
        first = first < 0 ? first : status;
    }
    if (outputs->failed)
        pcs_csv_abandon(outputs->csv); // a table has no mark that says it is not whole
    else if (outputs->csv) {
        status = pcs_csv_close(outputs->csv);
        first = first < 0 ? first : status;
    }
    outputs->result = NULL;
    outputs->csv = NULL;
    return first;
}

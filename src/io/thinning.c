#include "io/thinning.h"

#include <float.h>
#include <math.h>

// Extremes of one signal in the interval at hand.
typedef struct extremes {
    double least, most;        // NaN: none yet
    int64_t least_at, most_at; // frames
} extremes;

struct pcs_thinner {
    pcs_context *ctx;
    pcs_thinning thinning;
    int32_t signals;
    const int64_t *column;
    float *values;
    extremes *extremes;
    int64_t frame, interval; // to come next; the interval that it is in
};

pcs_thinning pcs_thinning_choose(int64_t frames, int64_t most)
{
    most = most < 2 ? 2 : most - most % 2;
    return (pcs_thinning){frames, frames < most ? frames : most};
}

static bool is_thinned(const pcs_thinning *thinning)
{
    return thinning->points < thinning->frames;
}

// First frame of an interval: all have the same length, the first ones one frame more.
static int64_t interval_start(const pcs_thinning *thinning, int64_t interval)
{
    int64_t intervals = thinning->points / 2;
    int64_t whole = thinning->frames / intervals, rest = thinning->frames % intervals;
    return interval * whole + (interval < rest ? interval : rest);
}

int64_t pcs_thinning_frame(const pcs_thinning *thinning, int64_t point)
{
    if (!is_thinned(thinning))
        return point;
    int64_t interval = point / 2;
    return point % 2 == 0 ? interval_start(thinning, interval)
                          : interval_start(thinning, interval + 1) - 1;
}

pcs_status pcs_thinner_create(pcs_context *ctx, const pcs_thinning *thinning, int32_t signals,
                              const int64_t *column, float *values, pcs_thinner **out)
{
    pcs_thinner *thinner = *out = PCS_NEW(ctx, pcs_thinner);
    if (!thinner)
        return PCS_ERROR_MEMORY;
    *thinner = (pcs_thinner){
        .ctx = ctx, .thinning = *thinning, .signals = signals, .column = column, .values = values};
    thinner->extremes = PCS_NEW_ARRAY(ctx, extremes, signals);
    if (!thinner->extremes) {
        pcs_thinner_destroy(thinner);
        *out = NULL;
        return PCS_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < signals; i++)
        thinner->extremes[i] = (extremes){NAN, NAN, 0, 0};
    return PCS_OK;
}

void pcs_thinner_destroy(pcs_thinner *thinner)
{
    if (!thinner)
        return;
    pcs_free(thinner->ctx, thinner->extremes);
    pcs_free(thinner->ctx, thinner);
}

// A number beyond the range of float is as unusable as NaN.
static float to_float(double value)
{
    return fabs(value) <= (double)FLT_MAX ? (float)value : NAN;
}

static void copy_row(pcs_thinner *thinner, const double *row)
{
    for (int32_t i = 0; i < thinner->signals; i++)
        thinner->values[i * thinner->thinning.points + thinner->frame] = to_float(
            row[thinner->column[i]]);
}

static void add_row(pcs_thinner *thinner, const double *row)
{
    for (int32_t i = 0; i < thinner->signals; i++) {
        extremes *e = &thinner->extremes[i];
        double value = row[thinner->column[i]];
        if (isnan(value))
            continue;
        if (!(value >= e->least)) { // also the first one
            e->least = value;
            e->least_at = thinner->frame;
        }
        if (!(value <= e->most)) {
            e->most = value;
            e->most_at = thinner->frame;
        }
    }
}

static void end_interval(pcs_thinner *thinner)
{
    for (int32_t i = 0; i < thinner->signals; i++) {
        extremes *e = &thinner->extremes[i];
        float *point = thinner->values + i * thinner->thinning.points + 2 * thinner->interval;
        bool rising = e->least_at <= e->most_at;
        point[0] = to_float(rising ? e->least : e->most);
        point[1] = to_float(rising ? e->most : e->least);
        *e = (extremes){NAN, NAN, 0, 0};
    }
    thinner->interval++;
}

void pcs_thinner_add(pcs_thinner *thinner, const double *rows, int64_t count, int64_t width)
{
    const pcs_thinning *thinning = &thinner->thinning;
    for (int64_t k = 0; k < count && thinner->frame < thinning->frames; k++) {
        const double *row = rows + k * width;
        if (is_thinned(thinning))
            add_row(thinner, row);
        else
            copy_row(thinner, row);
        thinner->frame++;
        if (is_thinned(thinning) &&
            thinner->frame == interval_start(thinning, thinner->interval + 1))
            end_interval(thinner);
    }
}

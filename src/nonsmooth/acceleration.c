// Safeguarded steps of a fixed-point iteration: plain, extrapolated, combined, gliding.
//
// Gliding: where W is singular T may have no fixed point on the present piece. v then drifts along
// a straight line in the null space of W, by the same g each time, until a contact changes its
// state: hundreds of plain steps, and nothing to combine since the differences of g vanish. When
// the error stalls, a few plain steps show whether the path is straight; if so, v jumps along it,
// twice as far each time, but not beyond the limit 1/(1 - lambda) of the geometric sequence seen.
#include "nonsmooth/acceleration.h"

#include <math.h>
#include <string.h>

enum {
    STALL_STEPS = 30, // without halving the error: try to glide
    GLIDE_STEPS = 5   // plain steps that show whether the path is straight
};
// Growth of |g| at which an accelerated step is undone: extrapolation has to restart as soon as it
// overshoots, a combination of iterates may cross a kink.
static const double GROWTH_NESTEROV = 1.0, GROWTH_ANDERSON = 2.0;
static const double STALL = 0.5;         // of the error within STALL_STEPS
static const double LOST = 10.0;         // growth of the error that tells of a jump too far
static const double STRAIGHT = 0.97;     // chord over path, and last over first step, of a glide
static const double STRIDE_START = 16.0; // plain steps that the first jump is worth

// Where no solution exists v glides for ever; it must not become so large that |g| is lost in its
// rounding and looks like a solution.
static const double STRIDE_MAX = 65536.0;

pcs_status pcs_acceleration_init(pcs_acceleration *a, pcs_arena *arena, pcs_acceleration_kind kind,
                                 int32_t rows, int32_t memory, const double *scale)
{
    *a = (pcs_acceleration){.kind = kind,
                            .rows = rows,
                            .scale = scale,
                            .least = INFINITY,
                            .least_before = INFINITY,
                            .stride = STRIDE_START};
    a->plain = PCS_ARENA_ARRAY(arena, double, rows);
    a->from = PCS_ARENA_ARRAY(arena, double, rows);
    if (a->plain == NULL || a->from == NULL)
        return PCS_ERROR_MEMORY;
    if (kind == PCS_ACCELERATION_ANDERSON)
        PCS_TRY(pcs_anderson_init(&a->anderson, arena, rows, memory, scale));
    pcs_acceleration_restart(a);
    return PCS_OK;
}

void pcs_acceleration_restart(pcs_acceleration *a)
{
    if (a->kind == PCS_ACCELERATION_ANDERSON)
        pcs_anderson_clear(&a->anderson);
    a->kept = INFINITY;
    a->momentum = 1.0;
}

static double scaled_norm(const pcs_acceleration *a, const double *x)
{
    double sum = 0.0;
    for (int32_t k = 0; k < a->rows; k++)
        sum += a->scale[k] * x[k] * a->scale[k] * x[k];
    return sqrt(sum);
}

static void add_plain(const pcs_acceleration *a, double *v, const double *g)
{
    for (int32_t k = 0; k < a->rows; k++)
        v[k] += g[k];
}

static void extrapolate(pcs_acceleration *a, double *v, const double *g)
{
    const bool has_last = isfinite(a->kept);
    const double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * a->momentum * a->momentum));
    const double beta = (a->momentum - 1.0) / next;
    for (int32_t k = 0; k < a->rows; k++) {
        const double step = v[k] + g[k];
        v[k] = has_last ? step + beta * (step - a->plain[k]) : step;
        a->plain[k] = step;
    }
    a->momentum = next;
}

// Jumps along the chord from `from` to v, the path of GLIDE_STEPS plain steps, if it is straight.
static void jump(pcs_acceleration *a, double *v)
{
    double square = 0.0;
    for (int32_t k = 0; k < a->rows; k++) {
        const double chord = a->scale[k] * (v[k] - a->from[k]);
        square += chord * chord;
    }
    const double ratio = a->length / a->first;
    if (!(sqrt(square) > STRAIGHT * a->path && ratio > STRAIGHT))
        return;
    const double lambda = pow(ratio, 1.0 / (GLIDE_STEPS - 1));
    const double stride = lambda < 1.0 ? fmin(a->stride, 1.0 / (1.0 - lambda)) : a->stride;
    for (int32_t k = 0; k < a->rows; k++)
        v[k] += stride / GLIDE_STEPS * (v[k] - a->from[k]);
    a->stride = fmin(2.0 * a->stride, STRIDE_MAX);
}

static void glide(pcs_acceleration *a, double *v, const double *g)
{
    if (a->glide_left == GLIDE_STEPS) {
        memcpy(a->from, v, (size_t)a->rows * sizeof *v);
        a->path = 0.0;
        a->first = a->length;
    }
    a->path += a->length;
    add_plain(a, v, g);
    if (--a->glide_left > 0)
        return;
    jump(a, v);
    a->window = a->steps;
    a->least = INFINITY;
    pcs_acceleration_restart(a);
}

// Begins a glide where the error has stalled.
static void watch_stall(pcs_acceleration *a, double error)
{
    a->least = fmin(a->least, error);
    if (a->steps - a->window < STALL_STEPS)
        return;
    const bool stalled = a->least > STALL * a->least_before;
    if (stalled)
        a->glide_left = GLIDE_STEPS;
    if (!stalled || a->least > LOST * a->least_before)
        a->stride = STRIDE_START;
    a->least_before = fmin(a->least_before, a->least);
    a->least = INFINITY;
    a->window = a->steps;
}

bool pcs_acceleration_step(pcs_acceleration *a, double *v, const double *g, double error)
{
    a->steps++;
    a->length = scaled_norm(a, g);
    if (!isfinite(a->length) && (a->kind == PCS_ACCELERATION_NONE || !isfinite(a->kept)))
        return false;
    if (a->kind == PCS_ACCELERATION_NONE) {
        add_plain(a, v, g);
        return true;
    }
    if (a->glide_left > 0) {
        glide(a, v, g);
        return true;
    }
    const bool combines = a->kind == PCS_ACCELERATION_ANDERSON;
    const bool good = a->length <= (combines ? GROWTH_ANDERSON : GROWTH_NESTEROV) * a->kept;
    if (combines) {
        watch_stall(a, error);
        if (isfinite(a->kept))
            pcs_anderson_judge(&a->anderson, good);
    }
    if (!good) {
        memcpy(v, a->plain, (size_t)a->rows * sizeof *v);
        pcs_acceleration_restart(a);
        return true;
    }
    if (combines) {
        for (int32_t k = 0; k < a->rows; k++)
            a->plain[k] = v[k] + g[k];
        pcs_anderson_step(&a->anderson, v, g);
    } else {
        extrapolate(a, v, g);
    }
    a->kept = a->length;
    return true;
}

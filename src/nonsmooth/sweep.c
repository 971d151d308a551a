// Forecast of the residual and the walk over the colours (sweep.h).
#include "nonsmooth/sweep.h"

#include <math.h>

// Contacts of one piece of work: some 50 us, a hundred times what handing it to a thread costs.
enum { PIECE = 512 };
// Contacts of the shortest run, some 5 us.
enum { SHORTEST_RUN = 32 };
// The forecast is an upper estimate. Before the first measure has corrected it, better one measure
// too many, which costs a sweep, than several sweeps.
static const double FIRST_RATIO = 0.5;

// Four sums side by side, since each addition waits for the one before
static double sum_of_squares(int32_t n, const double *x)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int32_t k = 0; k < n; k += 4)
        for (int32_t lane = 0; lane < 4 && lane < n - k; lane++)
            sum[lane] += x[k + lane] * x[k + lane];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void pcs_sweep_forecast_init(pcs_sweep_forecast *forecast, const pcs_friction_contact *problem,
                             pcs_measure measure)
{
    const pcs_block_matrix *W = problem->W;
    *forecast = (pcs_sweep_forecast){.measure = measure, .ratio = FIRST_RATIO, .before = INFINITY};
    if (!problem->is_reduced)
        forecast->q_norm2 = sum_of_squares(W->offset[W->n], problem->q);
    forecast->scale = pcs_friction_contact_scale(problem);
}

double pcs_sweep_forecast_update(pcs_sweep_forecast *forecast, const pcs_sweep_change *change)
{
    double now = sqrt(change->map2);
    if (forecast->measure == PCS_MEASURE_SCALED) {
        now = sqrt(change->largest2) / forecast->scale;
    } else if (forecast->measure == PCS_MEASURE_RELATIVE) {
        double norm = sqrt(fmax(forecast->q_norm2, change->r_norm2));
        now /= norm > 0.0 ? norm : 1.0;
    }
    const bool has_rate = !forecast->mixed && now < forecast->before && forecast->before < INFINITY;
    forecast->next = has_rate ? now * (now / forecast->before) : now;
    forecast->before = now;
    return forecast->ratio * forecast->next;
}

void pcs_sweep_forecast_correct(pcs_sweep_forecast *forecast, double measured)
{
    if (forecast->next > 0.0 && measured > 0.0)
        forecast->ratio = measured / forecast->next;
}

typedef struct colour_job {
    pcs_visit_fn visit;
    const void *user;
    pcs_sweep_change *part;
    int32_t first, last;
} colour_job;

static void visit_piece(void *user, int32_t piece)
{
    const colour_job *job = user;
    const int32_t first = job->first + piece * PIECE;
    const int32_t last = first + PIECE < job->last ? first + PIECE : job->last;
    pcs_sweep_change part = {0};
    job->visit(job->user, first, last, &part);
    job->part[piece] = part;
}

void pcs_sweep_change_add(pcs_sweep_change *change, const pcs_sweep_change *part, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        change->map2 += part[k].map2;
        change->r_norm2 += part[k].r_norm2;
        change->closed += part[k].closed;
        if (part[k].largest2 > change->largest2)
            change->largest2 = part[k].largest2;
    }
}

int32_t pcs_sweep_pieces(int32_t n)
{
    return n / PIECE + 1;
}

pcs_sweep_change pcs_sweep_colours(const pcs_colouring *colouring, pcs_tasks *tasks,
                                   pcs_sweep_change *part, pcs_visit_fn visit, const void *user)
{
    const int32_t *start = colouring->start, n_colours = colouring->n_colours;
    pcs_sweep_change change = {0};
    for (int32_t c = 0; c < n_colours; c++) {
        colour_job job = {visit, user, part, start[c], start[c + 1]};
        const int32_t pieces = (job.last - job.first + PIECE - 1) / PIECE;
        pcs_tasks_run(tasks, visit_piece, &job, pieces);
        pcs_sweep_change_add(&change, part, pieces);
    }
    visit(user, start[n_colours], start[n_colours + 1], &change);
    return change;
}

// In a heap whose contacts are numbered layer by layer and row by row, a contact touches those of
// the rows beside it, some 2 cbrt(n) numbers away. Runs as long as that touch the next one only.
int32_t pcs_sweep_run_length(int32_t n)
{
    int32_t length = SHORTEST_RUN;
    while (length < PCS_SWEEP_RUN_MAX && length < 2.0 * cbrt(n))
        length *= 2;
    return length;
}

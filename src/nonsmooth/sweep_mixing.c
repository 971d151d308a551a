// Anderson mixing of sweeps (sweep_mixing.h). The least-squares problem is solved by its normal
// equations, whose matrix is kept and renewed by a row for each iterate: one pass over the memory
// for the sums, which the sweep makes while the rows are in its cache, one for the new iterate.
#include "nonsmooth/sweep_mixing.h"

#include <math.h>

#include "linalg/single_vectors.h"
#include "math/cone.h"

// Sums of a piece: |f|^2, max |f|, df_new . df_j and df_j . f
enum { F2, LARGEST, PRODUCTS, PART = 2 * PCS_MIXING_MAX + PRODUCTS };
// What a small problem gets.
enum { MEMORY_LEAST = 5 };
// A growth of |f| by this factor says that the contacts changed their states: forget the past.
static const double RESTART = 2.0;
// Part of the trace that is added to the diagonal of the normal equations, above their rounding.
static const double RIDGE = 1e-10;

int32_t pcs_sweep_mixing_memory(int32_t n)
{
    const int32_t memory = (int32_t)(cbrt(n / 3.0) / 2.0);
    return memory < MEMORY_LEAST ? MEMORY_LEAST : memory > PCS_MIXING_MAX ? PCS_MIXING_MAX : memory;
}

typedef struct mixing_job {
    pcs_sweep_mixing *mixing;
    double *r;
} mixing_job;

static int32_t piece_end(const pcs_sweep_mixing *m, int32_t first)
{
    const int32_t n = m->problem->W->n;
    return n - first < m->piece ? n : first + m->piece;
}

static void weigh_piece(void *user, int32_t piece)
{
    const mixing_job *job = user;
    const int32_t first = piece * job->mixing->piece, last = piece_end(job->mixing, first);
    for (int32_t i = first; i < last; i++)
        job->mixing->weight[i] = 1.0 / pcs_friction_block_rho(job->mixing->problem->W, i);
}

pcs_status pcs_sweep_mixing_init(pcs_sweep_mixing *m, const pcs_friction_contact *problem,
                                 int32_t memory, int32_t piece, pcs_tasks *tasks, pcs_arena *arena)
{
    const pcs_block_matrix *W = problem->W;
    const int64_t rows = W->offset[W->n];
    *m = (pcs_sweep_mixing){.problem = problem,
                            .tasks = tasks,
                            .memory = memory,
                            .piece = piece,
                            .pieces = (W->n + piece - 1) / piece,
                            .scale = 1.0,
                            .smallest = INFINITY};
    m->weight = PCS_ARENA_ARRAY(arena, double, W->n);
    m->last_f = PCS_ARENA_ARRAY(arena, double, 2 * rows);
    m->df = PCS_ARENA_ARRAY(arena, float, 2 * rows * memory);
    m->part = PCS_ARENA_ARRAY(arena, double, (int64_t)m->pieces *PART);
    if (m->weight == NULL || m->last_f == NULL || m->df == NULL || m->part == NULL)
        return PCS_ERROR_MEMORY;
    m->last_G = m->last_f + rows;
    m->dG = m->df + rows * memory;
    mixing_job job = {m, NULL};
    pcs_tasks_run(tasks, weigh_piece, &job, m->pieces);
    return PCS_OK;
}

// The differences of a piece lie side by side, so that it reads one stretch of memory: that of slot
// j begins at row start * memory + j * rows of the piece.
static float *difference(const pcs_sweep_mixing *m, float *all, int32_t start, int32_t n, int32_t j)
{
    return all + (int64_t)start * m->memory + (int64_t)j * n;
}

// The first sweep: f and its size.
static void start_piece(pcs_sweep_mixing *m, int32_t first, int32_t last, const double *before,
                        const double *G, double *sum)
{
    const int32_t *offset = m->problem->W->offset, start = offset[first];
    sum[F2] = sum[LARGEST] = 0.0;
    for (int32_t i = first; i < last; i++)
        for (int32_t k = offset[i]; k < offset[i + 1]; k++) {
            const double f = G[k - start] - before[k - start];
            m->last_f[k] = f;
            sum[F2] += m->weight[i] * f * f;
            sum[LARGEST] = fabs(f) > sum[LARGEST] ? fabs(f) : sum[LARGEST];
        }
}

// f, the newest differences, and the sums over one piece
static void add_piece(pcs_sweep_mixing *m, int32_t first, int32_t last, const double *before,
                      const double *G, double *sum)
{
    const int32_t *offset = m->problem->W->offset, start = offset[first];
    const int32_t n = offset[last] - start;
    float *df = difference(m, m->df, start, n, m->next);
    float *dG = difference(m, m->dG, start, n, m->next);
    double *f = m->last_f + start, *last_G = m->last_G + start;
    double wf[3 * PCS_MIXING_PIECE], w_df[3 * PCS_MIXING_PIECE], f2 = 0.0;
    for (int32_t i = first; i < last; i++) {
        const double w = m->weight[i];
        for (int32_t k = offset[i] - start; k < offset[i + 1] - start; k++) {
            const double f_k = G[k] - before[k];
            df[k] = (float)(m->scale * (f_k - f[k]));
            dG[k] = (float)(m->scale * (G[k] - last_G[k]));
            w_df[k] = w * (double)df[k];
            f[k] = f_k;
            wf[k] = w * f_k;
            f2 += wf[k] * f_k;
        }
    }
    sum[F2] = f2;
    for (int32_t j = 0; j < m->count + (m->count < m->memory); j++) // with the newest one
        pcs_single_dot_both(n, difference(m, m->df, start, n, j), w_df, wf, &sum[PRODUCTS + j],
                            &sum[PRODUCTS + PCS_MIXING_MAX + j]);
}

void pcs_sweep_mixing_add(pcs_sweep_mixing *m, int32_t piece, const double *before, const double *G)
{
    const int32_t first = piece * m->piece, last = piece_end(m, first);
    double *sum = m->part + (int64_t)piece * PART;
    if (m->has_last)
        add_piece(m, first, last, before, G, sum);
    else
        start_piece(m, first, last, before, G, sum);
}

// r <- P(G - sum c_j dG_j) of one piece; G is kept
static void mix_piece(void *user, int32_t piece)
{
    const mixing_job *job = user;
    const pcs_sweep_mixing *m = job->mixing;
    const pcs_block_matrix *W = m->problem->W;
    const int32_t first = piece * m->piece, last = piece_end(m, first);
    const int32_t start = W->offset[first], n = W->offset[last] - start;
    double *r = job->r + start;
    for (int32_t k = 0; k < n; k++)
        m->last_G[start + k] = r[k];
    if (!m->mixes)
        return;
    for (int32_t j = 0; j < m->count; j++)
        pcs_single_subtract(n, m->c[j], difference(m, m->dG, start, n, j), r);
    for (int32_t i = first; i < last; i++)
        if (!pcs_is_bilateral(m->problem, i))
            pcs_cone_project(m->problem->mu[i], W->offset[i + 1] - W->offset[i],
                             job->r + W->offset[i]);
}

// c from the normal equations by Cholesky; false where they are singular or no numbers.
static bool solve_normal_equations(pcs_sweep_mixing *m)
{
    const int32_t n = m->count;
    double L[PCS_MIXING_MAX * PCS_MIXING_MAX], trace = 0.0;
    for (int32_t j = 0; j < n; j++)
        trace += m->gram[j * PCS_MIXING_MAX + j];
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n; i++) {
            double sum = m->gram[i * PCS_MIXING_MAX + j] + (i == j ? RIDGE * trace : 0.0);
            for (int32_t q = 0; q < j; q++)
                sum -= L[i * PCS_MIXING_MAX + q] * L[j * PCS_MIXING_MAX + q];
            if (i == j && !(sum > 0.0 && isfinite(sum)))
                return false;
            L[i * PCS_MIXING_MAX + j] = i == j ? sqrt(sum) : sum / L[j * PCS_MIXING_MAX + j];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t q = 0; q < i; q++)
            m->c[i] -= L[i * PCS_MIXING_MAX + q] * m->c[q];
        m->c[i] /= L[i * PCS_MIXING_MAX + i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t q = i + 1; q < n; q++)
            m->c[i] -= L[q * PCS_MIXING_MAX + i] * m->c[q];
        m->c[i] /= L[i * PCS_MIXING_MAX + i];
        if (!isfinite(m->c[i]))
            return false;
    }
    return true;
}

static void restart(pcs_sweep_mixing *m, double size)
{
    m->count = m->next = 0;
    m->smallest = size;
}

// After the first sweep: the size of |f|, and a scale that suits it.
static void start(pcs_sweep_mixing *m, double size)
{
    double largest = 0.0;
    for (int32_t p = 0; p < m->pieces; p++)
        largest = fmax(largest, m->part[(int64_t)p * PART + LARGEST]);
    if (largest > 0.0 && isfinite(largest))
        m->scale = ldexp(1.0, -ilogb(largest));
    m->smallest = size;
    m->has_last = true;
}

void pcs_sweep_mixing_close(pcs_sweep_mixing *m)
{
    const int32_t newest = m->next;
    double f2 = 0.0;
    m->mixes = false;
    for (int32_t p = 0; p < m->pieces; p++)
        f2 += m->part[(int64_t)p * PART + F2];
    if (!m->has_last) {
        start(m, sqrt(f2));
        return;
    }
    m->count += m->count < m->memory;
    for (int32_t j = 0; j < m->count; j++) {
        double product = 0.0, c = 0.0;
        for (int32_t p = 0; p < m->pieces; p++) {
            const double *sum = m->part + (int64_t)p * PART + PRODUCTS;
            product += sum[j];
            c += sum[PCS_MIXING_MAX + j];
        }
        m->gram[newest * PCS_MIXING_MAX + j] = m->gram[j * PCS_MIXING_MAX + newest] = product;
        m->c[j] = c;
    }
    m->next = (m->next + 1) % m->memory;
    if (!(sqrt(f2) <= RESTART * m->smallest) || !solve_normal_equations(m)) {
        restart(m, sqrt(f2));
        return;
    }
    m->smallest = fmin(m->smallest, sqrt(f2));
    m->mixes = true;
}

void pcs_sweep_mixing_apply(pcs_sweep_mixing *m, double *r)
{
    mixing_job job = {m, r};
    pcs_tasks_run(m->tasks, mix_piece, &job, m->pieces);
}

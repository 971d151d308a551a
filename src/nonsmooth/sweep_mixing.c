// Anderson mixing of sweeps (sweep_mixing.h). The least-squares problem is solved by its normal
// equations, whose matrix is kept and renewed by a row for each iterate: one pass over the memory
// for the sums, one for the new iterate.
#include "nonsmooth/sweep_mixing.h"

#include <math.h>
#include <string.h>

#include "math/cone.h"

enum { PIECE = 512, PART = 2 * PCS_MIXING_MAX + 1 };
// A growth of |f| by this factor says that the contacts changed their states: forget the past.
static const double RESTART = 2.0;
// Part of the trace that is added to the diagonal of the normal equations, above their rounding.
static const double RIDGE = 1e-10;

pcs_status pcs_sweep_mixing_init(pcs_sweep_mixing *m, const pcs_friction_contact *problem,
                                 int32_t memory, pcs_arena *arena)
{
    const pcs_block_matrix *W = problem->W;
    const int64_t rows = W->offset[W->n], pieces = W->n / PIECE + 1;
    *m = (pcs_sweep_mixing){.problem = problem, .memory = memory, .smallest = INFINITY};
    m->weight = PCS_ARENA_ARRAY(arena, double, W->n);
    m->point = PCS_ARENA_ARRAY(arena, double, 3 * rows);
    m->df = PCS_ARENA_ARRAY(arena, double, 2 * rows * memory);
    m->part = PCS_ARENA_ARRAY(arena, double, pieces *PART);
    if (m->weight == NULL || m->point == NULL || m->df == NULL || m->part == NULL)
        return PCS_ERROR_MEMORY;
    m->last_f = m->point + rows;
    m->last_G = m->last_f + rows;
    m->dG = m->df + rows * memory;
    for (int32_t i = 0; i < W->n; i++)
        m->weight[i] = 1.0 / pcs_friction_block_rho(W, i);
    return PCS_OK;
}

void pcs_sweep_mixing_before(pcs_sweep_mixing *m, const double *r)
{
    const pcs_block_matrix *W = m->problem->W;
    memcpy(m->point, r, (size_t)W->offset[W->n] * sizeof *r);
}

typedef struct mixing_job {
    pcs_sweep_mixing *mixing;
    double *r;
} mixing_job;

// f, the newest differences, and the sums over one piece: |f|^2, df_new . df_j and df_j . f
static void add_piece(void *user, int32_t piece)
{
    const mixing_job *job = user;
    pcs_sweep_mixing *m = job->mixing;
    const pcs_block_matrix *W = m->problem->W;
    const int64_t rows = W->offset[W->n];
    const int32_t first = piece * PIECE;
    const int32_t last = first + PIECE < W->n ? first + PIECE : W->n;
    double *sum = m->part + (int64_t)piece * PART;
    double *df = m->df + m->next * rows, *dG = m->dG + m->next * rows;
    memset(sum, 0, PART * sizeof *sum);
    for (int32_t i = first; i < last; i++) {
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++) {
            const double f = job->r[k] - m->point[k];
            if (m->has_last) {
                df[k] = f - m->last_f[k];
                dG[k] = job->r[k] - m->last_G[k];
            }
            m->last_f[k] = f;
            m->last_G[k] = job->r[k];
            sum[0] += m->weight[i] * f * f;
        }
    }
    for (int32_t j = 0; m->has_last && j < m->count; j++) {
        const double *df_j = m->df + j * rows;
        double with_new = 0.0, with_f = 0.0;
        for (int32_t i = first; i < last; i++) {
            for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++) {
                const double x = m->weight[i] * df_j[k];
                with_new += x * df[k];
                with_f += x * m->last_f[k];
            }
        }
        sum[1 + j] = with_new;
        sum[1 + PCS_MIXING_MAX + j] = with_f;
    }
}

// r <- P(G - sum c_j dG_j) of one piece
static void mix_piece(void *user, int32_t piece)
{
    const mixing_job *job = user;
    const pcs_sweep_mixing *m = job->mixing;
    const pcs_block_matrix *W = m->problem->W;
    const int64_t rows = W->offset[W->n];
    const int32_t first = piece * PIECE;
    const int32_t last = first + PIECE < W->n ? first + PIECE : W->n;
    for (int32_t j = 0; j < m->count; j++)
        for (int32_t k = W->offset[first]; k < W->offset[last]; k++)
            job->r[k] -= m->c[j] * m->dG[j * rows + k];
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

void pcs_sweep_mixing_after(pcs_sweep_mixing *m, double *r)
{
    const int32_t pieces = (m->problem->W->n + PIECE - 1) / PIECE, newest = m->next;
    mixing_job job = {m, r};
    double f2 = 0.0;
    if (m->has_last && m->count < m->memory)
        m->count++;
    pcs_tasks_run(m->tasks, add_piece, &job, pieces);
    for (int32_t j = 0; j < m->count; j++)
        m->gram[newest * PCS_MIXING_MAX + j] = m->c[j] = 0.0;
    for (int32_t p = 0; p < pieces; p++) {
        const double *sum = m->part + (int64_t)p * PART;
        f2 += sum[0];
        for (int32_t j = 0; j < m->count; j++) {
            m->gram[newest * PCS_MIXING_MAX + j] += sum[1 + j];
            m->c[j] += sum[1 + PCS_MIXING_MAX + j];
        }
    }
    for (int32_t j = 0; j < m->count; j++)
        m->gram[j * PCS_MIXING_MAX + newest] = m->gram[newest * PCS_MIXING_MAX + j];
    if (!m->has_last) {
        m->has_last = true;
        m->smallest = sqrt(f2);
        return;
    }
    m->next = (m->next + 1) % m->memory;
    if (!(sqrt(f2) <= RESTART * m->smallest) || !solve_normal_equations(m)) {
        restart(m, sqrt(f2));
        return;
    }
    m->smallest = fmin(m->smallest, sqrt(f2));
    pcs_tasks_run(m->tasks, mix_piece, &job, pieces);
}

// Anderson mixing of sweeps (sweep_mixing.h). The least-squares problem is solved by its normal
// equations, whose matrix is kept and renewed by a row for each iterate: one pass over the memory
// for the sums, one for the new iterate.
#include "nonsmooth/sweep_mixing.h"

#include <math.h>
#include <string.h>

#include "math/cone.h"

// Blocks in a piece: its vectors of one iterate stay in the first cache.
enum { PIECE = 256, PART = 2 * PCS_MIXING_MAX + 1 };
// What a small problem gets.
enum { MEMORY_LEAST = 5 };
// A growth of |f| by this factor says that the contacts changed their states: forget the past.
static const double RESTART = 2.0;
// Part of the trace that is added to the diagonal of the normal equations, above their rounding.
static const double RIDGE = 1e-10;

int32_t pcs_sweep_mixing_memory(int32_t n)
{
    const int32_t memory = (int32_t)(cbrt(n / 3.0) / 3.0);
    return memory < MEMORY_LEAST ? MEMORY_LEAST : memory > PCS_MIXING_MAX ? PCS_MIXING_MAX : memory;
}

typedef struct mixing_job {
    pcs_sweep_mixing *mixing;
    double *r;
} mixing_job;

static int32_t count_pieces(const pcs_sweep_mixing *m)
{
    return (m->problem->W->n + PIECE - 1) / PIECE;
}

// First row of a piece; that of the next one is its end.
static int32_t first_row(const pcs_sweep_mixing *m, int32_t piece)
{
    const pcs_block_matrix *W = m->problem->W;
    return W->offset[piece < count_pieces(m) ? piece * PIECE : W->n];
}

static void weigh_piece(void *user, int32_t piece)
{
    const mixing_job *job = user;
    const pcs_block_matrix *W = job->mixing->problem->W;
    const int32_t first = piece * PIECE, last = W->n - first < PIECE ? W->n : first + PIECE;
    for (int32_t i = first; i < last; i++) {
        const double weight = 1.0 / pcs_friction_block_rho(W, i);
        for (int32_t row = W->offset[i]; row < W->offset[i + 1]; row++)
            job->mixing->weight[row] = weight;
    }
}

pcs_status pcs_sweep_mixing_init(pcs_sweep_mixing *m, const pcs_friction_contact *problem,
                                 int32_t memory, pcs_tasks *tasks, pcs_arena *arena)
{
    const pcs_block_matrix *W = problem->W;
    const int64_t rows = W->offset[W->n], pieces = W->n / PIECE + 1;
    *m = (pcs_sweep_mixing){
        .problem = problem, .tasks = tasks, .memory = memory, .smallest = INFINITY};
    m->weight = PCS_ARENA_ARRAY(arena, double, rows);
    m->point = PCS_ARENA_ARRAY(arena, double, 3 * rows);
    m->df = PCS_ARENA_ARRAY(arena, double, 2 * rows * memory);
    m->part = PCS_ARENA_ARRAY(arena, double, pieces *PART);
    if (m->weight == NULL || m->point == NULL || m->df == NULL || m->part == NULL)
        return PCS_ERROR_MEMORY;
    m->last_f = m->point + rows;
    m->last_G = m->last_f + rows;
    m->dG = m->df + rows * memory;
    mixing_job job = {m, NULL};
    pcs_tasks_run(tasks, weigh_piece, &job, count_pieces(m));
    return PCS_OK;
}

static void keep_piece(void *user, int32_t piece)
{
    const mixing_job *job = user;
    const int32_t first = first_row(job->mixing, piece), last = first_row(job->mixing, piece + 1);
    memcpy(job->mixing->point + first, job->r + first, (size_t)(last - first) * sizeof *job->r);
}

void pcs_sweep_mixing_before(pcs_sweep_mixing *m, double *r)
{
    mixing_job job = {m, r};
    pcs_tasks_run(m->tasks, keep_piece, &job, count_pieces(m));
}

// *a = x . y and *b = x . z in one pass, in four lanes so that the additions need not wait for each
// other
static void dot_both(int32_t n, const double *x, const double *y, const double *z, double *a,
                     double *b)
{
    double p[4] = {0.0, 0.0, 0.0, 0.0}, q[4] = {0.0, 0.0, 0.0, 0.0};
    int32_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (int32_t l = 0; l < 4; l++) {
            p[l] += x[k + l] * y[k + l];
            q[l] += x[k + l] * z[k + l];
        }
    *a = (p[0] + p[1]) + (p[2] + p[3]);
    *b = (q[0] + q[1]) + (q[2] + q[3]);
    for (; k < n; k++) {
        *a += x[k] * y[k];
        *b += x[k] * z[k];
    }
}

// f, the newest differences, and the sums over one piece: |f|^2, df_new . df_j and df_j . f
static void add_piece(void *user, int32_t piece)
{
    const mixing_job *job = user;
    pcs_sweep_mixing *m = job->mixing;
    const int64_t rows = m->problem->W->offset[m->problem->W->n];
    const int32_t first = first_row(m, piece), n = first_row(m, piece + 1) - first;
    const double *r = job->r + first, *point = m->point + first, *w = m->weight + first;
    double *sum = m->part + (int64_t)piece * PART;
    double *df = m->df + m->next * rows + first, *dG = m->dG + m->next * rows + first;
    double *f = m->last_f + first, *G = m->last_G + first;
    double wf[3 * PIECE], w_df[3 * PIECE], f2 = 0.0;
    for (int32_t k = 0; k < n; k++) {
        const double f_k = r[k] - point[k];
        if (m->has_last) {
            df[k] = f_k - f[k];
            dG[k] = r[k] - G[k];
            w_df[k] = w[k] * df[k];
        }
        f[k] = f_k;
        G[k] = r[k];
        wf[k] = w[k] * f_k;
        f2 += wf[k] * f_k;
    }
    sum[0] = f2;
    for (int32_t j = 0; m->has_last && j < m->count; j++)
        dot_both(n, m->df + j * rows + first, w_df, wf, &sum[1 + j], &sum[1 + PCS_MIXING_MAX + j]);
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
    const int32_t pieces = count_pieces(m), newest = m->next;
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

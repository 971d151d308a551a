// Anderson mixing of sweeps (sweep_mixing.h). The least-squares problem is solved by its normal
// equations, whose matrix is kept and renewed by a row for each iterate: one pass over the memory
// for the sums, which the sweep makes while the rows are in its cache, one for the new iterate.
#include "nonsmooth/sweep_mixing.h"

#include <math.h>
#include <string.h>

#include "linalg/single_vectors.h"
#include "math/cone.h"

// Sums of a piece: |f|^2, max |f|, df_new . df_j and df_j . f
enum { F2, LARGEST, PRODUCTS, PART = 2 * PCS_MIXING_MAX + PRODUCTS };
// What a small problem gets.
enum { MEMORY_LEAST = 5 };
// Room for new members: this part of the rows of a piece.
enum { SPARE = 4 };
// Larger ones save sweeps in regular heaps and cost some in irregular ones.
static const double OVER_RELAXATION = 1.15;
// A growth of |f| by this factor says that the contacts changed their states: forget the past.
static const double RESTART = 2.0;
// Part of the trace that is added to the diagonal of the normal equations, above their rounding.
static const double RIDGE = 1e-10;

// Eigenvalues other than zero that the map of a sweep has in a heap of n contacts
static double count_eigenvalues(int32_t n)
{
    return cbrt(n / 3.0) / 2.0;
}

int32_t pcs_sweep_mixing_memory(int32_t n)
{
    const int32_t memory = (int32_t)count_eigenvalues(n);
    return memory < MEMORY_LEAST ? MEMORY_LEAST : memory > PCS_MIXING_MAX ? PCS_MIXING_MAX : memory;
}

double pcs_sweep_mixing_relaxation(int32_t n)
{
    return count_eigenvalues(n) > PCS_MIXING_MAX ? OVER_RELAXATION : 1.0;
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

// Work on all pieces, in any order
static void for_pieces(pcs_sweep_mixing *m, pcs_task_fn work, mixing_job *job)
{
    if (m->runs != NULL)
        pcs_run_order_visit_freely(m->runs, m->tasks, work, job);
    else
        pcs_tasks_run(m->tasks, work, job, m->pieces);
}

pcs_status pcs_sweep_mixing_init(pcs_sweep_mixing *m, const pcs_friction_contact *problem,
                                 int32_t memory, pcs_run_order *runs, pcs_tasks *tasks,
                                 pcs_arena *arena)
{
    const pcs_block_matrix *W = problem->W;
    const int64_t rows = W->offset[W->n];
    const int32_t piece = runs != NULL ? runs->length : PCS_MIXING_FREE_PIECE;
    *m = (pcs_sweep_mixing){.problem = problem,
                            .tasks = tasks,
                            .runs = runs,
                            .memory = memory,
                            .piece = piece,
                            .pieces = (W->n + piece - 1) / piece,
                            .scale = 1.0,
                            .smallest = INFINITY};
    m->weight = PCS_ARENA_ARRAY(arena, double, W->n);
    m->last_f = PCS_ARENA_ARRAY(arena, double, 2 * rows);
    m->df = PCS_ARENA_ARRAY(arena, float, 2 * rows * memory);
    m->part = PCS_ARENA_ARRAY(arena, double, (int64_t)m->pieces *PART);
    m->members = PCS_ARENA_ARRAY(arena, pcs_mixing_members, m->pieces);
    m->member = PCS_ARENA_ARRAY(arena, int32_t, W->n);
    if (m->weight == NULL || m->last_f == NULL || m->df == NULL || m->part == NULL ||
        m->members == NULL || m->member == NULL)
        return PCS_ERROR_MEMORY;
    m->last_G = m->last_f + rows;
    m->dG = m->df + rows * memory;
    for (int32_t p = 0; p < m->pieces; p++)
        m->members[p] = (pcs_mixing_members){0, 0, 0};
    for (int32_t i = 0; i < W->n; i++)
        m->member[i] = i;
    return PCS_OK;
}

// The differences of a piece lie side by side, so that it reads one stretch of memory: that of slot
// j begins at row start * memory + j * width, with zeros behind the rows of the members.
static float *difference(const pcs_sweep_mixing *m, float *all, int32_t piece, int32_t j)
{
    const int32_t start = m->problem->W->offset[piece * m->piece];
    return all + (int64_t)start * m->memory + (int64_t)j * m->members[piece].width;
}

// Makes room for `rows` rows of members and some more; what was kept moves apart, the last slot
// first.
static void widen(pcs_sweep_mixing *m, int32_t piece, int32_t rows)
{
    const int32_t first = piece * m->piece, last = piece_end(m, first);
    const int32_t most = m->problem->W->offset[last] - m->problem->W->offset[first];
    const pcs_mixing_members old = m->members[piece];
    const int32_t width = most - rows < rows / SPARE ? most : rows + rows / SPARE;
    float *all[2] = {m->df, m->dG};
    for (int k = 0; k < 2; k++)
        for (int32_t j = m->count - 1; j >= 0; j--) {
            float *from = difference(m, all[k], piece, j);
            float *to = from + (int64_t)j * (width - old.width);
            memmove(to, from, (size_t)old.rows * sizeof *to);
            for (int32_t row = old.rows; row < width; row++)
                to[row] = 0.0F;
        }
    m->members[piece].width = width;
}

// Whether a block of `size` rows has an impulse before the sweep or after it
static inline bool has_impulse(int32_t size, const double *before, const double *G)
{
    bool found = false;
    for (int32_t k = 0; k < size; k++)
        found |= (G[k] != 0.0) | (before[k] != 0.0);
    return found;
}

// Takes up the blocks of a piece whose impulse is zero no longer: f and G were zero there so far.
static void admit(pcs_sweep_mixing *m, int32_t piece, const double *before, const double *G)
{
    const int32_t *offset = m->problem->W->offset;
    const int32_t first = piece * m->piece, n = piece_end(m, first) - first, start = offset[first];
    pcs_mixing_members *members = &m->members[piece];
    int32_t *member = m->member + first, rows = members->rows;
    for (int32_t a = members->count; a < n; a++) {
        const int32_t i = member[a], row = offset[i] - start, size = offset[i + 1] - offset[i];
        const bool enters = size == 3 ? has_impulse(3, before + row, G + row)
                                      : has_impulse(size, before + row, G + row);
        if (!enters)
            continue;
        m->weight[i] = 1.0 / pcs_friction_block_rho(m->problem->W, i);
        member[a] = member[members->count];
        member[members->count++] = i;
        rows += size;
    }
    if (rows > members->width)
        widen(m, piece, rows);
    for (int32_t row = members->rows; row < rows; row++)
        m->last_f[start + row] = m->last_G[start + row] = 0.0;
    members->rows = rows;
}

// The rows of a piece's members, one behind the other; x begins with the first row of the piece.
static void gather(const pcs_sweep_mixing *m, int32_t piece, const double *x, double *out)
{
    const int32_t *offset = m->problem->W->offset, first = piece * m->piece, start = offset[first];
    for (int32_t a = 0; a < m->members[piece].count; a++) {
        const int32_t i = m->member[first + a], size = offset[i + 1] - offset[i];
        const double *x_i = x + (offset[i] - start);
        if (size == 3) {
            out[0] = x_i[0];
            out[1] = x_i[1];
            out[2] = x_i[2];
        } else {
            for (int32_t k = 0; k < size; k++)
                out[k] = x_i[k];
        }
        out += size;
    }
}

// The weight of each row
static void gather_weights(const pcs_sweep_mixing *m, int32_t piece, double *out)
{
    const int32_t *offset = m->problem->W->offset, first = piece * m->piece;
    for (int32_t a = 0; a < m->members[piece].count; a++) {
        const int32_t i = m->member[first + a];
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            *out++ = m->weight[i];
    }
}

// The first sweep: f and its size.
static void start_piece(pcs_sweep_mixing *m, int32_t piece, const double *before, const double *G,
                        double *sum)
{
    const int32_t rows = m->members[piece].rows;
    double g[3 * PCS_MIXING_PIECE], b[3 * PCS_MIXING_PIECE], w[3 * PCS_MIXING_PIECE];
    double *f = m->last_f + m->problem->W->offset[piece * m->piece];
    gather(m, piece, G, g);
    gather(m, piece, before, b);
    gather_weights(m, piece, w);
    sum[F2] = sum[LARGEST] = 0.0;
    for (int32_t k = 0; k < rows; k++) {
        f[k] = g[k] - b[k];
        sum[F2] += w[k] * f[k] * f[k];
        sum[LARGEST] = fabs(f[k]) > sum[LARGEST] ? fabs(f[k]) : sum[LARGEST];
    }
}

// f, the newest differences, and the sums over one piece
static void add_piece(pcs_sweep_mixing *m, int32_t piece, const double *before, const double *G,
                      double *sum)
{
    const int32_t start = m->problem->W->offset[piece * m->piece];
    const pcs_mixing_members members = m->members[piece];
    const double scale = m->scale;
    float *restrict df = difference(m, m->df, piece, m->next);
    float *restrict dG = difference(m, m->dG, piece, m->next);
    double *restrict f = m->last_f + start;
    const double *restrict last_G = m->last_G + start;
    double g[3 * PCS_MIXING_PIECE], b[3 * PCS_MIXING_PIECE];
    double wf[3 * PCS_MIXING_PIECE], w_df[3 * PCS_MIXING_PIECE], f2 = 0.0;
    gather(m, piece, G, g);
    gather(m, piece, before, b);
    gather_weights(m, piece, wf);
    for (int32_t k = 0; k < members.rows; k++) {
        const double w = wf[k], f_k = g[k] - b[k];
        df[k] = (float)(scale * (f_k - f[k]));
        dG[k] = (float)(scale * (g[k] - last_G[k]));
        w_df[k] = w * (double)df[k];
        wf[k] = w * f_k;
        f[k] = f_k;
    }
    for (int32_t k = 0; k < members.rows; k++)
        f2 += wf[k] * f[k];
    for (int32_t k = members.rows; k < members.width; k++)
        df[k] = dG[k] = 0.0F;
    sum[F2] = f2;
    for (int32_t j = 0; j < m->count + (m->count < m->memory); j++) // with the newest one
        pcs_single_dot_both(members.rows, difference(m, m->df, piece, j), w_df, wf,
                            &sum[PRODUCTS + j], &sum[PRODUCTS + PCS_MIXING_MAX + j]);
}

void pcs_sweep_mixing_add(pcs_sweep_mixing *m, int32_t piece, const double *before, const double *G)
{
    double *sum = m->part + (int64_t)piece * PART;
    admit(m, piece, before, G);
    if (m->has_last)
        add_piece(m, piece, before, G, sum);
    else
        start_piece(m, piece, before, G, sum);
}

// r <- P(G - sum c_j dG_j) of one piece; G is kept
static void mix_piece(void *user, int32_t piece)
{
    const mixing_job *job = user;
    const pcs_sweep_mixing *m = job->mixing;
    const int32_t *offset = m->problem->W->offset, first = piece * m->piece, start = offset[first];
    const pcs_mixing_members members = m->members[piece];
    double x[3 * PCS_MIXING_PIECE];
    gather(m, piece, job->r + start, x);
    memcpy(m->last_G + start, x, (size_t)members.rows * sizeof *x);
    if (!m->mixes)
        return;
    for (int32_t j = 0; j < m->count; j++)
        pcs_single_subtract(members.rows, m->c[j], difference(m, m->dG, piece, j), x);
    for (int32_t a = 0, row = 0; a < members.count; a++) {
        const int32_t i = m->member[first + a], size = offset[i + 1] - offset[i];
        if (!pcs_is_bilateral(m->problem, i))
            pcs_cone_project(m->problem->mu[i], size, x + row);
        for (int32_t k = 0; k < size; k++, row++)
            job->r[offset[i] + k] = x[row];
    }
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

void pcs_sweep_mixing_mark(const pcs_sweep_mixing *m, int32_t piece, uint8_t *mark)
{
    const int32_t *member = m->member + (int64_t)piece * m->piece;
    for (int32_t a = 0; a < m->members[piece].count; a++)
        mark[member[a]] = 1;
}

void pcs_sweep_mixing_apply(pcs_sweep_mixing *m, double *r)
{
    mixing_job job = {m, r};
    for_pieces(m, mix_piece, &job);
}

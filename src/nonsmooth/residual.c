// The residual that all friction contact solvers stop on: the natural map of
//     K* \ni uhat = u + mu |u_T| e_N  \perp  r \in K   <=>   r = P_K(r - rho uhat),  rho > 0,
// recomputed from W, q and r alone [AcaryBrogliato2008, ch. 13; De Saxce's change of variable].
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "math/cone.h"
#include "nonsmooth/friction_contact.h"

// Blocks in one piece of parallel work, and the most pieces whose sums are kept: beyond 16384
// blocks the pieces grow.
enum { PIECE = 64, PIECES_MAX = 256 };

// -uhat lies in the polar cone for every rho
static inline bool is_open(const int32_t size, const double *r, const double *u)
{
    return r[0] == 0.0 && u[0] >= 0.0 && (size == 1 || (r[1] == 0.0 && (size == 2 || r[2] == 0.0)));
}

// |r - P_K(r - rho uhat)|^2. `size` is a constant at every call.
static inline double natural_map2(const int32_t size, double mu, double rho, const double *r,
                                  const double *u)
{
    double z[3], slip = 0.0, sum = 0.0;
    if (size > 1)
        slip = size == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
    for (int32_t k = 0; k < size; k++)
        z[k] = r[k] - rho * (k == 0 ? u[0] + mu * slip : u[k]);
    pcs_cone_project_inline(size > 1 ? mu : 0.0, size, z);
    for (int32_t k = 0; k < size; k++)
        sum += (r[k] - z[k]) * (r[k] - z[k]);
    return sum;
}

double pcs_friction_natural_map2(int32_t size, double mu, double rho, const double *r,
                                 const double *u)
{
    if (is_open(size, r, u))
        return 0.0;
    return size == 3   ? natural_map2(3, mu, rho, r, u)
           : size == 2 ? natural_map2(2, mu, rho, r, u)
                       : natural_map2(1, mu, rho, r, u);
}

double pcs_friction_block_rho(const pcs_block_matrix *W, int32_t i)
{
    const int32_t size = W->offset[i + 1] - W->offset[i];
    const double *W_ii = W->value + W->value_start[W->diagonal[i]];
    double trace = 0.0;
    for (int32_t k = 0; k < size; k++)
        trace += W_ii[k * size + k];
    return trace > 0.0 ? 3.0 / trace : 1.0;
}

double pcs_friction_contact_scale(const pcs_friction_contact *problem)
{
    double largest = 0.0;
    for (int32_t k = 0; k < problem->W->offset[problem->W->n]; k++)
        largest = fabs(problem->q[k]) > largest ? fabs(problem->q[k]) : largest;
    return largest > 0.0 ? largest : 1.0;
}

// A pass over the blocks of a problem in pieces that depend on their number alone.
typedef struct block_pass {
    const pcs_friction_contact *problem;
    const double *r;
    double *u;
    int32_t length; // blocks in a piece
} block_pass;

static int32_t piece_length(int32_t n)
{
    return n > PIECE * PIECES_MAX ? (n + PIECES_MAX - 1) / PIECES_MAX : PIECE;
}

static int32_t piece_end(const block_pass *pass, int32_t first)
{
    const int32_t n = pass->problem->W->n;
    return n - first < pass->length ? n : first + pass->length;
}

static int32_t count_pieces(const block_pass *pass)
{
    return (pass->problem->W->n + pass->length - 1) / pass->length;
}

static void find_velocity(const block_pass *pass, int32_t i)
{
    const pcs_block_matrix *W = pass->problem->W;
    for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++)
        pass->u[k] = pass->problem->q[k];
    pcs_block_matrix_multiply_row(W, i, pass->r, pass->u + W->offset[i]);
}

static void velocity_piece(void *user, int32_t piece)
{
    const block_pass *pass = user;
    const int32_t first = piece * pass->length, last = piece_end(pass, first);
    for (int32_t i = first; i < last; i++)
        find_velocity(pass, i);
}

void pcs_friction_contact_velocity(const pcs_friction_contact *problem, const double *r, double *u)
{
    block_pass pass = {problem, r, u, piece_length(problem->W->n)};
    pcs_tasks_run(problem->tasks, velocity_piece, &pass, count_pieces(&pass));
}

// Sums over the blocks seen so far.
typedef struct tally {
    double map2;       // sum |F_i(1)|^2
    double qq, rr, uu; // squared norms
    double largest;    // velocity error of the worst block; a NaN is the largest of all
    double impulse;    // largest |r_ik| / rho_i, a velocity
    int32_t worst;
} tally;

// |F_i(rho)|^2 of block i at (r_i, u_i); `size` is a constant at every call.
static inline double block_map2(const pcs_friction_contact *problem, const int32_t size, int32_t i,
                                double rho, const double *r_i, const double *u_i)
{
    if (!pcs_is_bilateral(problem, i))
        return is_open(size, r_i, u_i) ? 0.0 : natural_map2(size, problem->mu[i], rho, r_i, u_i);
    double sum = 0.0;
    for (int32_t k = 0; k < size; k++)
        sum += rho * u_i[k] * rho * u_i[k];
    return sum;
}

static inline void count_norms(tally *t, const pcs_friction_contact *problem, const int32_t size,
                               int32_t i, const double *r_i, const double *u_i)
{
    const double *q_i = problem->q + problem->W->offset[i];
    for (int32_t k = 0; k < size; k++) {
        t->qq += q_i[k] * q_i[k];
        t->rr += r_i[k] * r_i[k];
        t->uu += u_i[k] * u_i[k];
    }
    t->map2 += block_map2(problem, size, i, 1.0, r_i, u_i);
}

static inline void count_velocity_error(tally *t, const pcs_friction_contact *problem,
                                        const int32_t size, int32_t i, const double *r_i,
                                        const double *u_i)
{
    const double rho = pcs_friction_block_rho(problem->W, i);
    const double map2 = block_map2(problem, size, i, rho, r_i, u_i);
    const double error = map2 == 0.0 ? 0.0 : sqrt(map2) / rho;
    double long_r = 0.0;
    for (int32_t k = 0; k < size; k++)
        long_r = fabs(r_i[k]) > long_r ? fabs(r_i[k]) : long_r;
    if (long_r > rho * t->impulse)
        t->impulse = long_r / rho;
    if (!isnan(t->largest) && (t->worst < 0 || !(error <= t->largest))) {
        t->largest = error;
        t->worst = i;
    }
}

// What is asked for of one block
static inline void count_block(tally *t, const pcs_friction_contact *problem, const int32_t size,
                               int32_t i, bool norms, bool velocity_errors, const double *r_i,
                               const double *u_i)
{
    if (norms)
        count_norms(t, problem, size, i, r_i, u_i);
    if (velocity_errors)
        count_velocity_error(t, problem, size, i, r_i, u_i);
}

static inline void count_any(tally *t, const pcs_friction_contact *problem, int32_t i, bool norms,
                             bool velocity_errors, const double *r_i, const double *u_i)
{
    const int32_t size = problem->W->offset[i + 1] - problem->W->offset[i];
    if (size == 3)
        count_block(t, problem, 3, i, norms, velocity_errors, r_i, u_i);
    else if (size == 2)
        count_block(t, problem, 2, i, norms, velocity_errors, r_i, u_i);
    else
        count_block(t, problem, 1, i, norms, velocity_errors, r_i, u_i);
}

// Sums over one piece, of the parts that are asked for.
typedef struct tally_pass {
    block_pass blocks;
    const double *u;
    bool velocities; // u = W r + q is found on the way and left in blocks.u
    bool norms, velocity_errors;
    tally *part;
} tally_pass;

static void tally_piece(void *user, int32_t piece)
{
    const tally_pass *pass = user;
    const pcs_friction_contact *problem = pass->blocks.problem;
    const int32_t *offset = problem->W->offset;
    const int32_t first = piece * pass->blocks.length, last = piece_end(&pass->blocks, first);
    tally t = {.worst = -1};
    for (int32_t i = first; i < last; i++) {
        const double *r_i = pass->blocks.r + offset[i], *u_i = pass->u + offset[i];
        if (pass->velocities)
            find_velocity(&pass->blocks, i);
        count_any(&t, problem, i, pass->norms, pass->velocity_errors, r_i, u_i);
    }
    pass->part[piece] = t;
}

// The sums of the pieces are added in order: the same bits for any number of threads.
static tally add_tallies(const pcs_friction_contact *problem, tally_pass pass)
{
    tally part[PIECES_MAX], sum = {.worst = -1};
    pass.part = part;
    const int32_t pieces = count_pieces(&pass.blocks);
    pcs_tasks_run(problem->tasks, tally_piece, &pass, pieces);
    for (int32_t k = 0; k < pieces; k++) {
        sum.map2 += part[k].map2;
        sum.qq += part[k].qq;
        sum.rr += part[k].rr;
        sum.uu += part[k].uu;
        sum.impulse = fmax(sum.impulse, part[k].impulse);
        if (part[k].worst >= 0 && !isnan(sum.largest) &&
            (sum.worst < 0 || !(part[k].largest <= sum.largest))) {
            sum.largest = part[k].largest;
            sum.worst = part[k].worst;
        }
    }
    return sum;
}

static tally tally_all(const pcs_friction_contact *problem, bool norms, bool velocity_errors,
                       const double *r, const double *u)
{
    return add_tallies(problem,
                       (tally_pass){.blocks = {problem, r, NULL, piece_length(problem->W->n)},
                                    .u = u,
                                    .norms = norms,
                                    .velocity_errors = velocity_errors});
}

// max(|q|, |r|, |u|), of a reduced problem max(|r|, |u|), or 1 if all are zero; NaN if a square
// overflows, since what is divided by infinity looks exact
static double relative_scale(const tally *t, const pcs_friction_contact *problem)
{
    double largest = sqrt(fmax(problem->is_reduced ? 0.0 : t->qq, fmax(t->rr, t->uu)));
    if (isinf(largest))
        return NAN;
    return largest > 0.0 ? largest : 1.0;
}

static pcs_residual all_measures(const tally *t, const pcs_friction_contact *problem, double scale)
{
    return (pcs_residual){.scaled = t->largest / scale,
                          .unscaled = sqrt(t->map2),
                          .relative = sqrt(t->map2) / relative_scale(t, problem),
                          .worst = t->worst};
}

pcs_contact_measure pcs_friction_contact_measure_part(const pcs_friction_contact *problem,
                                                      pcs_measure measure, const double *r,
                                                      const double *u)
{
    const bool scaled = measure == PCS_MEASURE_SCALED;
    const tally t = tally_all(problem, !scaled, scaled, r, u);
    if (!scaled)
        return (pcs_contact_measure){
            .residual = {.scaled = NAN,
                         .unscaled = sqrt(t.map2),
                         .relative = sqrt(t.map2) / relative_scale(&t, problem),
                         .worst = -1},
            .impulse = NAN};
    const double scale = pcs_friction_contact_scale(problem);
    return (pcs_contact_measure){.residual = {.scaled = t.largest / scale,
                                              .unscaled = NAN,
                                              .relative = NAN,
                                              .worst = t.worst},
                                 .impulse = t.impulse / scale};
}

pcs_contact_measure pcs_friction_contact_measure_all(const pcs_friction_contact *problem,
                                                     const double *r, double *u)
{
    const tally t = add_tallies(problem,
                                (tally_pass){.blocks = {problem, r, u, piece_length(problem->W->n)},
                                             .u = u,
                                             .velocities = true,
                                             .norms = true,
                                             .velocity_errors = true});
    const double scale = pcs_friction_contact_scale(problem);
    return (pcs_contact_measure){.residual = all_measures(&t, problem, scale),
                                 .impulse = t.impulse / scale};
}

double pcs_friction_contact_error(const pcs_friction_contact *problem, pcs_measure measure,
                                  const double *r, const double *u)
{
    const pcs_contact_measure part = pcs_friction_contact_measure_part(problem, measure, r, u);
    return pcs_residual_in(&part.residual, measure);
}

pcs_residual pcs_friction_contact_measure(const pcs_friction_contact *problem, const double *r,
                                          double *u)
{
    const pcs_block_matrix *W = problem->W;
    tally t = {.worst = -1};
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t first = W->offset[i], size = W->offset[i + 1] - first;
        double u_i[3] = {0.0, 0.0, 0.0};
        for (int32_t k = 0; k < size; k++)
            u_i[k] = problem->q[first + k];
        pcs_block_matrix_multiply_row(W, i, r, u_i);
        for (int32_t k = 0; u != NULL && k < size; k++)
            u[first + k] = u_i[k];
        count_any(&t, problem, i, true, true, r + first, u_i);
    }
    return all_measures(&t, problem, pcs_friction_contact_scale(problem));
}

pcs_residual pcs_friction_contact_measure_with_u(const pcs_friction_contact *problem,
                                                 const double *r, const double *u)
{
    const tally t = tally_all(problem, true, true, r, u);
    return all_measures(&t, problem, pcs_friction_contact_scale(problem));
}

double pcs_residual_in(const pcs_residual *residual, pcs_measure measure)
{
    switch (measure) {
    case PCS_MEASURE_SCALED:
        return residual->scaled;
    case PCS_MEASURE_UNSCALED:
        return residual->unscaled;
    case PCS_MEASURE_RELATIVE:
        break;
    }
    return residual->relative;
}

double pcs_friction_contact_rounding(const pcs_friction_contact *problem, const double *r)
{
    const pcs_block_matrix *W = problem->W;
    double largest = 0.0;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        const double mu = size > 1 && !pcs_is_bilateral(problem, i) ? problem->mu[i] : 0.0;
        for (int32_t a = 0; a < size; a++) {
            double sum = 0.0;
            for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
                const int32_t j = W->column[k], columns = W->offset[j + 1] - W->offset[j];
                const double *B = W->value + W->value_start[k] + a * columns;
                for (int32_t b = 0; b < columns; b++)
                    sum += fabs(B[b] * r[W->offset[j] + b]);
            }
            largest = fmax(largest, (1.0 + mu) * sum);
        }
    }
    return 0.5 * DBL_EPSILON * largest / pcs_friction_contact_scale(problem);
}

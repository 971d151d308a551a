// Descent of the complementarity gap. For r in the cones with u = W r + q, u_N >= 0,
//     M(r) = sum_i r_N u_N + (r_T . u_T + mu r_N |u_T|) = r . u + sum_i mu r_N |u_T|
// is a sum of terms >= 0, zero at solutions only. It is minimised from inside, with a barrier tau
// and |u_T| smoothed; tau falls. M is convex but for the products r_N |u_T|, of which Newton's
// matrix takes as much as leaves it definite [YuilleRangarajan2003]. Along a load d of the cones
// that W does not resist M does not fall, d . u + mu d_N |u_T| >= 0: impulses do not run away
// there, as they do in methods that solve the equations. Minima above zero exist; random weights of
// the barrier lead to others, and rounding leads from nearly zero velocities to zeros
// (docs/theory/second-order-solvers.md). Bilateral rows are eliminated first, and tangents without
// friction left out. Scaled variables z = r / (c Q), v = c u / Q with c_i^2 = rho_i, Q the largest
// velocity of q; v = V z + b.
#include "nonsmooth/gap_descent.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/dense.h"
#include "math/cone.h"
#include "nonsmooth/tableau.h"

// A bilateral row whose pivot is below this depends on the others (V has a diagonal of order one).
static const double DEPENDENT = 1e-12;
// Start: size of the impulses and spread of the weights, as powers of e; tangents as part of
// friction.
static const double SIZE_SMALLEST = -4.0, SIZE_LARGEST = 1.0, SPREAD = 1.0, TILT = 0.6;
// Weight of penetration v_N < 0, over 1 + the largest z_N.
static const double PENALTY = 2.0;
// tau: its first value per mean gap of a contact, as powers of ten, for a new start and for one
// from the lowest end; its fall; the last one.
static const double FIRST_SMALLEST = -2.0, FIRST_LARGEST = 0.0, AGAIN_SMALLEST = 0.0,
                    AGAIN_LARGEST = 4.0;
static const double FALL = 0.75, TAU_LAST = 1e-15, TAU_FIRST_LEAST = 1e-13;
// Smoothing eps = factor tau^(1/2), the factor as powers of ten, and the largest eps.
static const double SMOOTH_SMALLEST = -2.5, SMOOTH_LARGEST = -0.5, SMOOTH_FIRST = 0.1;
// tau falls after a step whose predicted decrease is below this part of tau for every contact, or
// after a long one without convexification.
static const double DECREMENT = 0.3, LONG_STEP = 0.5;
// A gap larger than this multiple of what barrier and smoothing explain is a minimum above zero.
static const double UNEXPLAINED = 30.0;
// Line search, and the part of convexification: the least one, and the factor from one to the next.
static const double ARMIJO = 1e-4, CONVEX_LEAST = 1e-3, CONVEX_STEP = 4.0;
enum { HALVINGS = 40 };
// Rounding: ranks whose thresholds come from the error, ten times it and so on; speeds below
// LEAST_SPEED are alike; z_N at least this part of the mean; tau of the fit.
static const double LEAST_SPEED = 1e-12, INSIDE = 0.1;
enum { ERRORS = 2 };
static const double FIT_FIRST = 1e-3, FIT_LAST = 1e-20, FIT_FALL = 0.3;
// Added to the diagonal of Newton's matrix, relative to it.
static const double REGULARISATION = 1e-12;

typedef enum contact_state { OPEN, STICK, SLIP } contact_state;

struct pcs_gap_descent {
    const pcs_friction_contact *problem;
    int32_t n, rows;               // contacts, and rows of V
    int32_t fixed;                 // bilateral rows that were eliminated; z is E z + e there
    int32_t *first;                // n + 1
    int32_t *row, *fixed_row;      // rows of the problem
    double *unit;                  // impulse of one unit of z, for each row of the problem
    double *mu;                    // per contact; 0 for those of one row
    double *V, *b, *E, *e;         // rows x rows, rows; fixed x rows, fixed
    double *H, *Y;                 // rows x rows
    double *z, *v, *dz, *dv;       // rows
    double *next_z, *next_v;       // rows: trial point
    double *gradient, *multiplier; // rows; the gradient is a sum, V^T multiplier in it
    double *lowest, *end;          // rows: the lowest end so far, that of the last descent
    double *direction;             // rows: slip directions of rounding
    uint8_t *state;                // per contact, of rounding
    double *blocks;                // 27 per contact: B, C, D of Newton's matrix
    double *weight;                // 2 per contact: barriers of the cone and of v_N
    double tau, eps, smoothing, penalty, lowest_gap;
};

static int32_t cone_size(const pcs_gap_descent *g, int32_t i)
{
    return g->first[i + 1] - g->first[i];
}

// Rows of block i that take part: tangents without friction do not.
static int32_t kept_rows(const pcs_friction_contact *problem, int32_t i)
{
    const int32_t size = problem->W->offset[i + 1] - problem->W->offset[i];
    return pcs_is_bilateral(problem, i) || problem->mu[i] > 0.0 ? size : 1;
}

// v = V z + b of all kept rows in a tableau, which has them in the order of the problem. place: of
// each row of the problem, -1: left out.
static void fill_tableau(const pcs_friction_contact *problem, const double *c, double unit,
                         const int32_t *place, pcs_tableau *tableau)
{
    const pcs_block_matrix *W = problem->W;
    const int32_t m = tableau->rows;
    memset(tableau->T, 0, (size_t)m * ((size_t)m + 1) * sizeof *tableau->T);
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        for (int32_t a = 0; a < size; a++) {
            const int32_t row = place[W->offset[i] + a];
            double *T = row >= 0 ? pcs_tableau_row(tableau, row) : NULL;
            for (int32_t k = W->row_start[i]; k < W->row_start[i + 1] && T != NULL; k++) {
                const int32_t j = W->column[k], columns = W->offset[j + 1] - W->offset[j];
                const double *B = W->value + W->value_start[k] + (int64_t)a * columns;
                for (int32_t d = 0; d < columns; d++)
                    if (place[W->offset[j] + d] >= 0)
                        T[place[W->offset[j] + d]] = c[i] * c[j] * B[d];
            }
            if (T != NULL)
                T[m] = c[i] * problem->q[W->offset[i] + a] / unit;
        }
    }
}

// Makes the bilateral rows basic in z, those with the largest pivots first; the rest depends on
// them and stays at z = 0. A tableau row is pivoted if its variable is z.
static void eliminate(pcs_tableau *tableau, const uint8_t *bilateral)
{
    const int32_t m = tableau->rows;
    for (;;) {
        int32_t best = -1;
        double largest = DEPENDENT;
        for (int32_t p = 0; p < m; p++) {
            const double pivot = pcs_tableau_row(tableau, p)[p];
            if (bilateral[p] && tableau->basic[p] < m && pivot > largest) {
                largest = pivot;
                best = p;
            }
        }
        if (best < 0)
            return;
        pcs_tableau_pivot(tableau, best, best);
    }
}

// V, b, E and e from the tableau
static void read_tableau(pcs_gap_descent *g, const pcs_tableau *tableau, const int32_t *place)
{
    const int32_t m = tableau->rows;
    for (int32_t k = 0; k < g->rows; k++) {
        const double *T = pcs_tableau_row(tableau, place[g->row[k]]);
        for (int32_t j = 0; j < g->rows; j++)
            g->V[(int64_t)k * g->rows + j] = T[place[g->row[j]]];
        g->b[k] = T[m];
    }
    int32_t pivoted = 0;
    for (int32_t k = 0; k < g->fixed; k++) {
        const double *T = pcs_tableau_row(tableau, place[g->fixed_row[k]]);
        if (tableau->basic[place[g->fixed_row[k]]] < m)
            continue; // z = 0
        g->fixed_row[pivoted] = g->fixed_row[k];
        for (int32_t j = 0; j < g->rows; j++)
            g->E[(int64_t)pivoted * g->rows + j] = T[place[g->row[j]]];
        g->e[pivoted++] = T[m];
    }
    g->fixed = pivoted;
}

static pcs_status reduce(pcs_gap_descent *g, pcs_arena *arena)
{
    const pcs_block_matrix *W = g->problem->W;
    const int32_t all = W->offset[W->n], m = g->rows + g->fixed;
    const double speed = pcs_friction_contact_scale(g->problem);
    pcs_tableau tableau;
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    int32_t *place = PCS_ARENA_ARRAY(arena, int32_t, all);
    uint8_t *bilateral = PCS_ARENA_ARRAY(arena, uint8_t, m);
    double *c = PCS_ARENA_ARRAY(arena, double, W->n);
    if (!place || !bilateral || !c)
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_tableau_init(&tableau, arena, m, m));
    for (int32_t i = 0, at = 0, contact = 0, k = 0, fixed = 0; i < W->n; i++) {
        const int32_t kept = kept_rows(g->problem, i);
        const bool fixes = pcs_is_bilateral(g->problem, i);
        c[i] = sqrt(pcs_friction_block_rho(W, i));
        if (!fixes) {
            g->first[contact] = k;
            g->mu[contact++] = kept > 1 ? g->problem->mu[i] : 0.0;
        }
        for (int32_t l = W->offset[i]; l < W->offset[i + 1]; l++) {
            const bool out = l - W->offset[i] >= kept;
            g->unit[l] = c[i] * speed;
            place[l] = out ? -1 : at;
            if (out)
                continue;
            bilateral[at++] = fixes;
            if (fixes)
                g->fixed_row[fixed++] = l;
            else
                g->row[k++] = l;
        }
    }
    g->first[g->n] = g->rows;
    fill_tableau(g->problem, c, speed, place, &tableau);
    for (int32_t p = 0; p < m; p++) {
        tableau.basic[p] = p;
        tableau.nonbasic[p] = m + p;
    }
    eliminate(&tableau, bilateral);
    read_tableau(g, &tableau, place);
    pcs_arena_release(arena, mark);
    return PCS_OK;
}

pcs_status pcs_gap_descent_create(const pcs_friction_contact *problem, pcs_arena *arena,
                                  pcs_gap_descent **out)
{
    enum { ROW_VECTORS = 12, CONTACT_VALUES = 27 + 3 };
    const int32_t *offset = problem->W->offset, all = offset[problem->W->n];
    pcs_gap_descent *g = PCS_ARENA_ARRAY(arena, pcs_gap_descent, 1);
    if (g == NULL)
        return PCS_ERROR_MEMORY;
    *g = (pcs_gap_descent){.problem = problem, .lowest_gap = INFINITY};
    for (int32_t i = 0; i < problem->W->n; i++) {
        const bool fixes = pcs_is_bilateral(problem, i);
        g->n += !fixes;
        g->rows += fixes ? 0 : kept_rows(problem, i);
        g->fixed += fixes ? kept_rows(problem, i) : 0;
    }
    const int64_t rows = g->rows, n = g->n;
    double *vectors = PCS_ARENA_ARRAY(arena, double,
                                      ROW_VECTORS *rows + CONTACT_VALUES * n + g->fixed + all);
    int32_t *indices = PCS_ARENA_ARRAY(arena, int32_t, n + 1 + rows + g->fixed);
    g->V = PCS_ARENA_ARRAY(arena, double, 3 * rows * rows + g->fixed * rows + 1);
    g->state = PCS_ARENA_ARRAY(arena, uint8_t, n + 1);
    if (!vectors || !indices || !g->V || !g->state)
        return PCS_ERROR_MEMORY;
    g->H = g->V + rows * rows;
    g->Y = g->H + rows * rows;
    g->E = g->Y + rows * rows;
    double **vector[ROW_VECTORS] = {&g->b,      &g->z,          &g->v,      &g->dz,
                                    &g->dv,     &g->next_z,     &g->next_v, &g->gradient,
                                    &g->lowest, &g->multiplier, &g->end,    &g->direction};
    for (int k = 0; k < ROW_VECTORS; k++)
        *vector[k] = vectors + k * rows;
    g->blocks = vectors + ROW_VECTORS * rows;
    g->weight = g->blocks + 27 * n;
    g->mu = g->weight + 2 * n;
    g->e = g->mu + n;
    g->unit = g->e + g->fixed;
    g->first = indices;
    g->row = indices + n + 1;
    g->fixed_row = g->row + rows;
    *out = g;
    return reduce(g, arena);
}

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

static void compute_velocity(const pcs_gap_descent *g, const double *z, double *v)
{
    memcpy(v, g->b, (size_t)g->rows * sizeof *v);
    pcs_dense_vector_add(g->rows, g->rows, 1.0, g->V, z, v);
}

// |x_T|^2 of contact i
static double tangent2(const pcs_gap_descent *g, int32_t i, const double *x)
{
    double sum = 0.0;
    for (int32_t k = g->first[i] + 1; k < g->first[i + 1]; k++)
        sum += x[k] * x[k];
    return sum;
}

// mu^2 z_N^2 - |z_T|^2, or z_N for a contact of one row
static double determinant(const pcs_gap_descent *g, int32_t i, const double *z)
{
    const double normal = z[g->first[i]];
    return cone_size(g, i) == 1 ? normal
                                : g->mu[i] * g->mu[i] * normal * normal - tangent2(g, i, z);
}

// The smoothed gap of contact i
static double contact_gap(const pcs_gap_descent *g, int32_t i, const double *z, const double *v)
{
    const int32_t first = g->first[i];
    const double slip = sqrt(tangent2(g, i, v) + g->eps * g->eps);
    return dot(cone_size(g, i), z + first, v + first) + g->mu[i] * z[first] * slip;
}

// The softened barrier of v_N >= 0 of contact i: the minimum over s of
//     penalty s - tau log s - tau log(v_N + s),
// which forbids penetration where the impulses are below `penalty`, and has a value for every v_N.
// d: its first two derivatives
static double normal_barrier(const pcs_gap_descent *g, int32_t i, double v, double d[2])
{
    const double tau = g->tau * g->weight[2 * i + 1], a = tau / g->penalty;
    const double root = hypot(2.0 * a, v), sum = root + fabs(v);
    const double large = a + 0.5 * sum,
                 small = 2.0 * a * large / sum; // s and v + s, or the reverse
    const double s = v > 0.0 ? small : large, distance = v > 0.0 ? large : small;
    d[0] = -tau / distance;
    d[1] = tau / (distance * distance) * (v > 0.0 ? 0.5 * sum / root : 2.0 * a * a / (root * sum));
    return g->penalty * s - tau * (log(s) + log(distance));
}

// The function that is minimised; infinite outside of the cones.
static double objective(const pcs_gap_descent *g, const double *z, const double *v)
{
    double sum = 0.0, d[2];
    for (int32_t i = 0; i < g->n; i++) {
        const double det = determinant(g, i, z);
        if (!(z[g->first[i]] > 0.0 && det > 0.0))
            return INFINITY;
        sum += contact_gap(g, i, z, v) + normal_barrier(g, i, v[g->first[i]], d) -
               g->tau * g->weight[2 * i] * log(det);
    }
    return sum;
}

// Adds the barrier of the cone: its gradient, and its second derivative in B (3 x 3)
static void add_cone_barrier(const pcs_gap_descent *g, int32_t i, double tau, double *gradient,
                             double *B)
{
    const int32_t first = g->first[i], size = cone_size(g, i);
    const double mu2 = size > 1 ? g->mu[i] * g->mu[i] : 1.0, det = determinant(g, i, g->z);
    const double factor = tau * g->weight[2 * i] / det;
    double slope[3] = {1.0, 0.0, 0.0}; // of det
    for (int32_t k = 0; k < size && size > 1; k++)
        slope[k] = 2.0 * (k == 0 ? mu2 : -1.0) * g->z[first + k];
    for (int32_t k = 0; k < size; k++) {
        gradient[first + k] -= factor * slope[k];
        for (int32_t l = 0; l < size; l++)
            B[3 * k + l] += factor * slope[k] * slope[l] / det;
        if (size > 1)
            B[4 * k] -= factor * 2.0 * (k == 0 ? mu2 : -1.0);
    }
}

// Gradient, and the blocks of Newton's matrix B + V^T D V + V^T C + C^T V. The part `convex` of
// what makes the products z_N |v_T| convex is added: (a z_N - |v_T|/a)^2 mu/2 with a^2 = |v_T|/z_N.
static void differentiate(pcs_gap_descent *g, double convex)
{
    memset(g->blocks, 0, 27 * (size_t)g->n * sizeof *g->blocks);
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t first = g->first[i], size = cone_size(g, i);
        double *B = g->blocks + 27 * (int64_t)i, *C = B + 9, *D = C + 9;
        const double mu = g->mu[i], *z = g->z + first, *v = g->v + first;
        const double slip = sqrt(tangent2(g, i, g->v) + g->eps * g->eps);
        double normal[2];
        normal_barrier(g, i, v[0], normal);
        for (int32_t k = 0; k < size; k++) {
            g->gradient[first + k] = v[k];
            g->multiplier[first + k] = z[k] + (k > 0 ? mu * z[0] * v[k] / slip : normal[0]);
            C[4 * k] = 1.0;
        }
        g->gradient[first] += mu * slip;
        D[0] = normal[1];
        add_cone_barrier(g, i, g->tau, g->gradient, B);
        B[0] += size > 1 ? 0.5 * convex * mu * slip / z[0] : 0.0;
        for (int32_t k = 1; k < size; k++) {
            const double t = v[k] / slip;
            C[3 * k] += (1.0 - 0.5 * convex) * mu * t;
            for (int32_t l = 1; l < size; l++)
                D[3 * k + l] = mu * z[0] / slip *
                               ((k == l ? 1.0 : 0.0) - (1.0 - 0.5 * convex) * t * v[l] / slip);
        }
    }
    pcs_dense_transposed_vector_add(g->rows, g->rows, 1.0, g->V, g->multiplier, g->gradient);
}

// Newton's matrix from its blocks; false if it is not positive definite.
static bool factor(pcs_gap_descent *g, int32_t *steps)
{
    const int32_t n = g->rows;
    memset(g->H, 0, (size_t)n * (size_t)n * sizeof *g->H);
    memset(g->Y, 0, (size_t)n * (size_t)n * sizeof *g->Y);
    ++*steps;
    for (int32_t i = 0; i < g->n; i++) { // Y = D V / 2 + C
        const double *B = g->blocks + 27 * (int64_t)i, *C = B + 9, *D = C + 9;
        const int32_t first = g->first[i], size = cone_size(g, i);
        for (int32_t k = 0; k < size; k++) {
            double *Y = g->Y + (int64_t)(first + k) * n, *H = g->H + (int64_t)(first + k) * n;
            for (int32_t l = 0; l < size; l++) {
                const double *V = g->V + (int64_t)(first + l) * n, half = 0.5 * D[3 * k + l];
                for (int32_t j = 0; j < n && half != 0.0; j++)
                    Y[j] += half * V[j];
                H[first + l] = B[3 * k + l];
            }
            for (int32_t l = 0; l < size; l++)
                Y[first + l] += C[3 * k + l];
        }
    }
    pcs_dense_symmetric_add(n, n, g->V, g->Y, g->H);
    for (int32_t k = 0; k < n; k++)
        g->H[(int64_t)k * n + k] *= 1.0 + REGULARISATION;
    return pcs_dense_cholesky_factor(n, g->H) < 0;
}

static void set_direction(pcs_gap_descent *g, const double *minus)
{
    for (int32_t k = 0; k < g->rows; k++)
        g->dz[k] = -minus[k];
    pcs_dense_cholesky_solve(g->rows, g->H, 1, g->dz);
}

static void set_velocity_direction(pcs_gap_descent *g)
{
    memset(g->dv, 0, (size_t)g->rows * sizeof *g->dv);
    pcs_dense_vector_add(g->rows, g->rows, 1.0, g->V, g->dz, g->dv);
}

static void set_trial(pcs_gap_descent *g, double step)
{
    for (int32_t k = 0; k < g->rows; k++) {
        g->next_z[k] = g->z[k] + step * g->dz[k];
        g->next_v[k] = g->v[k] + step * g->dv[k];
    }
}

static void accept_trial(pcs_gap_descent *g)
{
    memcpy(g->z, g->next_z, (size_t)g->rows * sizeof *g->z);
    compute_velocity(g, g->z, g->v);
}

static double gap(const pcs_gap_descent *g)
{
    double sum = 0.0;
    for (int32_t i = 0; i < g->n; i++)
        sum += contact_gap(g, i, g->z, g->v) + g->penalty * fmax(0.0, -g->v[g->first[i]]);
    return sum;
}

// What barrier and smoothing leave of the gap near a solution
static double explained_gap(const pcs_gap_descent *g)
{
    double sum = 0.0;
    for (int32_t i = 0; i < g->n; i++)
        sum += g->tau + g->eps * g->mu[i] * g->z[g->first[i]];
    return sum;
}

// Newton's direction with about as little convexification as leaves it one of descent
static bool find_direction(pcs_gap_descent *g, double *convex, int32_t *steps)
{
    double part = *convex / CONVEX_STEP < CONVEX_LEAST ? 0.0 : *convex / CONVEX_STEP;
    for (;;) {
        differentiate(g, part);
        if (factor(g, steps))
            break;
        if (part == 1.0)
            return false;
        part = fmin(1.0, fmax(CONVEX_LEAST, CONVEX_STEP * part));
    }
    *convex = part;
    set_direction(g, g->gradient);
    set_velocity_direction(g);
    return true;
}

// Length of the step, 0 if none lowers the objective
static double search_line(pcs_gap_descent *g, double slope)
{
    const double before = objective(g, g->z, g->v);
    double step = 1.0;
    for (int k = 0; k < HALVINGS; k++, step *= 0.5) {
        set_trial(g, step);
        if (objective(g, g->next_z, g->next_v) <= before + ARMIJO * step * slope)
            return step;
    }
    return 0.0;
}

static void set_barrier(pcs_gap_descent *g, double tau)
{
    g->tau = tau;
    g->eps = fmin(SMOOTH_FIRST, g->smoothing * sqrt(tau));
}

static void set_penalty(pcs_gap_descent *g)
{
    double largest = 0.0;
    for (int32_t i = 0; i < g->n; i++)
        largest = fmax(largest, g->z[g->first[i]]);
    g->penalty = PENALTY * (1.0 + largest);
}

// Until tau is small, or the gap is not what barrier and smoothing explain
static void descend(pcs_gap_descent *g, int32_t last, pcs_monitor *monitor, int32_t *steps)
{
    double convex = 1.0;
    while (g->tau > TAU_LAST && *steps < last && !pcs_monitor_is_stopped(monitor)) {
        set_penalty(g);
        if (!find_direction(g, &convex, steps))
            break;
        const double slope = dot(g->rows, g->gradient, g->dz), step = search_line(g, slope);
        if (step > 0.0)
            accept_trial(g);
        if (step > 0.0 && -slope > DECREMENT * g->n * g->tau &&
            !(step >= LONG_STEP && convex == 0.0))
            continue;
        if (gap(g) > UNEXPLAINED * explained_gap(g))
            return;
        set_barrier(g, FALL * g->tau);
    }
}

// z inside the cones and the weights of the barrier, all alike for the seed 0
static void choose_start(pcs_gap_descent *g, bool again, pcs_random *random, bool plain)
{
    const double size = exp(plain ? SIZE_SMALLEST / 2
                                  : pcs_random_between(random, SIZE_SMALLEST, SIZE_LARGEST));
    for (int32_t i = 0; i < g->n; i++) {
        double *z = g->z + g->first[i];
        for (int32_t k = 0; k < 2; k++)
            g->weight[2 * i + k] = plain ? 1.0 : exp(pcs_random_between(random, -SPREAD, SPREAD));
        if (again)
            continue;
        z[0] = size * (plain ? 1.0 : exp(pcs_random_between(random, -SPREAD, SPREAD)));
        for (int32_t k = 1; k < cone_size(g, i); k++)
            z[k] = plain ? 0.0 : TILT * g->mu[i] * z[0] * pcs_random_between(random, -1.0, 1.0);
    }
    if (again)
        memcpy(g->z, g->lowest, (size_t)g->rows * sizeof *g->z);
}

// ---- Rounding: velocities far below all others are zeros ----

// Between which speeds the `rank`-th widest gap of the sorted ones lies, on a scale of logarithms:
// their mean there; 0: none. Sorts g->next_v.
static double find_threshold(pcs_gap_descent *g, int32_t rank)
{
    double *speed = g->next_v, widest = INFINITY, threshold = 0.0;
    for (int32_t i = 0; i < g->n; i++) { // by insertion
        const double *v = g->v + g->first[i];
        const double x = fmax(LEAST_SPEED, sqrt(dot(cone_size(g, i), v, v)));
        int32_t k = i;
        for (; k > 0 && speed[k - 1] > x; k--)
            speed[k] = speed[k - 1];
        speed[k] = x;
    }
    for (int32_t r = 0; r <= rank; r++) {
        double best = 1.0;
        for (int32_t k = 1; k < g->n; k++) {
            const double ratio = speed[k] / speed[k - 1];
            if (ratio > best && ratio < widest) {
                best = ratio;
                threshold = sqrt(speed[k] * speed[k - 1]);
            }
        }
        widest = best;
    }
    return widest > 1.0 ? threshold : 0.0;
}

// Largest natural map of a contact, z - P(z - v - mu |v_T| e_N): how exact velocities are
static double velocity_error(const pcs_gap_descent *g)
{
    double largest = 0.0;
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t first = g->first[i], size = cone_size(g, i);
        double x[3] = {0.0, 0.0, 0.0}, sum = 0.0;
        for (int32_t k = 0; k < size; k++)
            x[k] = g->z[first + k] - g->v[first + k];
        x[0] -= g->mu[i] * sqrt(tangent2(g, i, g->v));
        pcs_cone_project(g->mu[i], size, x);
        for (int32_t k = 0; k < size; k++)
            sum += (g->z[first + k] - x[k]) * (g->z[first + k] - x[k]);
        largest = fmax(largest, sum);
    }
    return sqrt(largest);
}

// States by the threshold, slip directions, and z well inside
static void round_states(pcs_gap_descent *g, double threshold)
{
    double mean = 0.0;
    for (int32_t i = 0; i < g->n; i++)
        mean += g->z[g->first[i]] / g->n;
    for (int32_t i = 0; i < g->n; i++) {
        double *z = g->z + g->first[i], *t = g->direction + g->first[i];
        const double *v = g->v + g->first[i], slip = sqrt(tangent2(g, i, g->v));
        g->state[i] = v[0] > threshold ? OPEN : slip > threshold ? SLIP : STICK;
        z[0] = fmax(z[0], INSIDE * mean);
        const double length = sqrt(tangent2(g, i, g->z)), most = 0.5 * g->mu[i] * z[0];
        for (int32_t k = 1; k < cone_size(g, i); k++) {
            t[k] = slip > 0.0 ? v[k] / slip : 0.0;
            z[k] *= length > most ? most / length : 1.0;
        }
    }
    compute_velocity(g, g->z, g->v);
}

// Squares of what the states make zero, and the barrier; infinite outside.
//     open z,     stick v,     slip v_N and z_T + mu z_N t
static double misfit(const pcs_gap_descent *g, const double *z, const double *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t first = g->first[i], size = cone_size(g, i);
        const double inside = g->state[i] == SLIP ? z[first] : determinant(g, i, z);
        if (!(z[first] > 0.0 && inside > 0.0))
            return INFINITY;
        sum -= g->tau * log(inside);
        if (g->state[i] == OPEN)
            sum += 0.5 * dot(size, z + first, z + first);
        else if (g->state[i] == STICK)
            sum += 0.5 * dot(size, v + first, v + first);
        else
            sum += 0.5 * v[first] * v[first];
        for (int32_t k = 1; k < size && g->state[i] == SLIP; k++) {
            const double x = z[first + k] + g->mu[i] * z[first] * g->direction[first + k];
            sum += 0.5 * x * x;
        }
    }
    return sum;
}

static void differentiate_misfit(pcs_gap_descent *g)
{
    memset(g->blocks, 0, 27 * (size_t)g->n * sizeof *g->blocks);
    memset(g->gradient, 0, (size_t)g->rows * sizeof *g->gradient);
    memset(g->multiplier, 0, (size_t)g->rows * sizeof *g->multiplier);
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t first = g->first[i], size = cone_size(g, i);
        double *B = g->blocks + 27 * (int64_t)i, *D = B + 18;
        const double mu = g->mu[i], *z = g->z + first, *t = g->direction + first;
        for (int32_t k = 0; k < size; k++) {
            if (g->state[i] == OPEN) {
                g->gradient[first + k] = z[k];
                B[4 * k] = 1.0;
            } else if (g->state[i] == STICK || k == 0) {
                g->multiplier[first + k] = g->v[first + k];
                D[4 * k] = 1.0;
            } else { // x = z_k + mu z_N t_k
                const double x = z[k] + mu * z[0] * t[k];
                g->gradient[first + k] += x;
                g->gradient[first] += mu * t[k] * x;
                B[4 * k] += 1.0;
                B[0] += mu * mu * t[k] * t[k];
                B[k] += mu * t[k];
                B[3 * k] += mu * t[k];
            }
        }
        if (g->state[i] == SLIP) {
            g->gradient[first] -= g->tau / z[0];
            B[0] += g->tau / (z[0] * z[0]);
        } else {
            g->weight[2 * i] = 1.0;
            add_cone_barrier(g, i, g->tau, g->gradient, B);
        }
    }
    pcs_dense_transposed_vector_add(g->rows, g->rows, 1.0, g->V, g->multiplier, g->gradient);
}

// The point of the states that is furthest from the boundaries: a convex problem
static void fit(pcs_gap_descent *g, int32_t last, int32_t *steps)
{
    for (g->tau = FIT_FIRST; g->tau > FIT_LAST && *steps < last; g->tau *= FIT_FALL) {
        differentiate_misfit(g);
        if (!factor(g, steps))
            return;
        set_direction(g, g->gradient);
        set_velocity_direction(g);
        const double before = misfit(g, g->z, g->v), slope = dot(g->rows, g->gradient, g->dz);
        double step = 1.0;
        set_trial(g, step);
        for (int k = 0;
             k < HALVINGS && !(misfit(g, g->next_z, g->next_v) <= before + ARMIJO * step * slope);
             k++) {
            step *= 0.5;
            set_trial(g, step);
        }
        if (misfit(g, g->next_z, g->next_v) < before)
            accept_trial(g);
    }
}

static void read_impulses(const pcs_gap_descent *g, double *r)
{
    const int32_t all = g->problem->W->offset[g->problem->W->n];
    memset(r, 0, (size_t)all * sizeof *r);
    for (int32_t k = 0; k < g->rows; k++)
        r[g->row[k]] = g->z[k] * g->unit[g->row[k]];
    for (int32_t k = 0; k < g->fixed; k++)
        r[g->fixed_row[k]] = (g->e[k] + dot(g->rows, g->E + (int64_t)k * g->rows, g->z)) *
                             g->unit[g->fixed_row[k]];
}

void pcs_gap_descent_run(pcs_gap_descent *g, uint64_t random, int32_t max_steps,
                         pcs_monitor *monitor, double *r, int32_t *steps)
{
    const int32_t last = *steps + max_steps;
    const bool again = random % 2 == 1 && isfinite(g->lowest_gap), plain = random == 0;
    pcs_random source;
    pcs_random_init(&source, random);
    choose_start(g, again, &source, plain);
    const double power = again ? pcs_random_between(&source, AGAIN_SMALLEST, AGAIN_LARGEST)
                               : pcs_random_between(&source, FIRST_SMALLEST, FIRST_LARGEST);
    g->smoothing = pow(10.0, pcs_random_between(&source, SMOOTH_SMALLEST, SMOOTH_LARGEST));
    compute_velocity(g, g->z, g->v);
    g->eps = 0.0;
    set_penalty(g);
    set_barrier(g, fmax(TAU_FIRST_LEAST, (plain ? 1.0 : pow(10.0, power)) * gap(g) / g->n));
    descend(g, last, monitor, steps);
    g->eps = 0.0;
    memcpy(g->end, g->z, (size_t)g->rows * sizeof *g->z);
    if (gap(g) < g->lowest_gap) {
        g->lowest_gap = gap(g);
        memcpy(g->lowest, g->z, (size_t)g->rows * sizeof *g->z);
    }
    read_impulses(g, r);
}

bool pcs_gap_descent_round(pcs_gap_descent *g, int32_t rank, int32_t max_steps, double *r,
                           int32_t *steps)
{
    memcpy(g->z, g->end, (size_t)g->rows * sizeof *g->z);
    compute_velocity(g, g->z, g->v);
    const double threshold = rank < ERRORS ? pow(10.0, rank + 1) * velocity_error(g)
                                           : find_threshold(g, rank - ERRORS);
    if (!(threshold > 0.0))
        return false;
    round_states(g, threshold);
    fit(g, *steps + max_steps, steps);
    read_impulses(g, r);
    return true;
}

// Proximal semismooth Newton on the Alart-Curnier function [AlartCurnier1991].
//
// W may be singular (the four corners of a box), so Newton works on the proximal problem
//     u = W r + q + D (r - c),   D_i = delta trace(W_ii) / size_i,
// whose solutions for c = r are those of the problem for every delta > 0: c follows r and delta
// falls while that helps (a continuation from a heavily damped problem to the true one). With
// a = r - rho u (rho of one contact) the function is
//     r_N - max(0, a_N) = 0,     r_T - P(a_T) = 0,   P on the disc of radius mu max(0, a_N),
// which splits the contacts into open (r = 0), stick (u = 0) and slip, where u_N = 0 and, with
// t = a_T/|a_T|, Q = I - t t^T and k = mu r_N/|a_T|,
//     (dr_T - mu t dr_N - k Q (dr_T - rho du_T)) / rho = -(r_T - mu r_N t) / rho.
// Each step is a sparse LU of E + F (W + D) on the closed contacts (linalg/block_lu.h). The merit,
// the norm of the function in units of velocity, guides a nonmonotone line search.
#include "nonsmooth/contact_newton.h"

#include <math.h>
#include <string.h>

#include "linalg/block_lu.h"
#include "math/cone.h"

// Limits of delta: below the lower one D drowns in the rounding of W, at the upper one a step is no
// better than a sweep.
static const double DELTA_SMALLEST = 1e-11, DELTA_LARGEST = 1e1;
// The first delta from a cold start, and its part of the scaled residual of a warm one.
static const double FIRST_DELTA = 1e-1, WARM_DELTA = 1e-6, START_PART = 3.0;
// delta is multiplied by `fall` after a success; fall is squared down to the fastest after a series
// of successes and its root is taken after a failure.
static const double FIRST_FALL = 1e-1, FASTEST_FALL = 1e-2, SLOWEST_FALL = 0.7;
// Part of the residual still missing that the next centre aims at.
static const double SAFETY = 1e-1;
// Newton steps for one centre, halvings of one step, merits that a new one is compared with.
enum { EASY_STEPS = 3, HARD_STEPS = 8, STEPS_PER_CENTRE = 15, MAX_HALVINGS = 5, MERIT_MEMORY = 4 };
// A step of length s must lower the merit by the part DECREASE s. A centre is done when its merit
// fell by CENTRE_TOLERANCE, or below FLOOR_PART of the tolerance of the problem.
static const double DECREASE = 1e-3, CENTRE_TOLERANCE = 3e-2, FLOOR_PART = 0.1;
// Steps in which the lowest merit of a centre must fall by the factor STALL: else it cycles.
enum { STALL_STEPS = 5 };
static const double STALL = 0.9;
// Solves with one factorisation, and the part of the right-hand side that the first may leave.
enum { SOLVES_MAX = 2 };
static const double SOLVE_TOLERANCE = 1e-10;
// An analysis is kept while it covers the closed contacts; a costly one only while they are not
// much fewer: operations above which a smaller analysis pays, and the part that counts as smaller.
static const double COSTLY_OPERATIONS = 5e6, SMALLER_PART = 0.8;
enum { ANALYSE_ALL = 2000 };

// Contacts in one piece of parallel work.
enum { PIECE = 1024 };

typedef enum contact_state { OPEN, STICK, SLIP } contact_state;

struct pcs_contact_newton {
    const pcs_friction_contact *problem;
    pcs_tasks *tasks;
    double *part; // sum of each piece, added in order: the same bits for any number of threads
    pcs_arena *arena;
    pcs_arena_mark behind; // end of the storage below; the factorisation follows
    int32_t rows;          // of W
    double *rho_N, *rho_T; // per contact; 0 where no impulse moves the contact
    double *mobility;      // per contact: trace(W_ii) / size_i
    double *D;             // per contact
    double *centre;        // c
    double *direction;     // Newton step
    double *rhs;           // of its linear rows
    double *r, *u;         // iterate of the present centre
    double *w;             // W r + q, which the next centre starts from
    double *trial, *trial_u, *trial_w;
    double length;      // of the step on trial
    double *E, *F;      // coefficients of the linear rows, E dr + F du = rhs, for each contact
    uint8_t *state;     // contact_state
    uint8_t *closed;    // not open
    uint8_t *analysed;  // blocks that the analysis covers
    int32_t n_analysed; // how many
    pcs_block_lu *lu;   // NULL: none yet
    int32_t factorisations;
};

pcs_status pcs_contact_newton_create(const pcs_friction_contact *problem, pcs_tasks *tasks,
                                     pcs_arena *arena, pcs_contact_newton **out)
{
    const pcs_block_matrix *W = problem->W;
    const int32_t n = W->n, rows = W->offset[n];
    pcs_contact_newton *newton = PCS_ARENA_ARRAY(arena, pcs_contact_newton, 1);
    double *per_contact = PCS_ARENA_ARRAY(arena, double,
                                          (4 + 2 * PCS_BLOCK_LU_STRIDE) * (int64_t)n);
    double *vectors = PCS_ARENA_ARRAY(arena, double, 9 * (int64_t)rows);
    uint8_t *flags = PCS_ARENA_ARRAY(arena, uint8_t, 3 * (int64_t)n);
    double *part = PCS_ARENA_ARRAY(arena, double, n / PIECE + 1);
    if (newton == NULL || per_contact == NULL || vectors == NULL || flags == NULL || part == NULL)
        return PCS_ERROR_MEMORY;
    *newton = (pcs_contact_newton){
        .problem = problem,
        .tasks = tasks,
        .part = part,
        .arena = arena,
        .rows = rows,
        .rho_N = per_contact,
        .rho_T = per_contact + n,
        .mobility = per_contact + 2 * (int64_t)n,
        .D = per_contact + 3 * (int64_t)n,
        .E = per_contact + 4 * (int64_t)n,
        .F = per_contact + (4 + PCS_BLOCK_LU_STRIDE) * (int64_t)n,
        .centre = vectors,
        .direction = vectors + rows,
        .r = vectors + 2 * (int64_t)rows,
        .u = vectors + 3 * (int64_t)rows,
        .trial = vectors + 4 * (int64_t)rows,
        .trial_u = vectors + 5 * (int64_t)rows,
        .rhs = vectors + 6 * (int64_t)rows,
        .w = vectors + 7 * (int64_t)rows,
        .trial_w = vectors + 8 * (int64_t)rows,
        .state = flags,
        .closed = flags + n,
        .analysed = flags + 2 * (int64_t)n,
    };
    newton->behind = pcs_arena_get_mark(arena);
    for (int32_t i = 0; i < n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        const double *W_ii = W->value + W->value_start[W->diagonal[i]];
        double trace_T = 0.0;
        for (int32_t k = 1; k < size; k++)
            trace_T += W_ii[k * size + k];
        newton->mobility[i] = fmax(0.0, (W_ii[0] + trace_T) / (double)size);
        newton->rho_N[i] = W_ii[0] > 0.0 ? 1.0 / W_ii[0] : 0.0;
        newton->rho_T[i] = trace_T > 0.0 ? (double)(size - 1) / trace_T : newton->rho_N[i];
    }
    *out = newton;
    return PCS_OK;
}

int32_t pcs_contact_newton_factorisations(const pcs_contact_newton *newton)
{
    return newton->factorisations;
}

// A contact whose normal no impulse moves takes no part.
static bool is_immobile(const pcs_contact_newton *newton, int32_t i)
{
    return newton->rho_N[i] == 0.0 && !pcs_is_bilateral(newton->problem, i);
}

// Square of the Alart-Curnier function of contact i in units of velocity
static double contact_merit2(const pcs_contact_newton *newton, int32_t i, const double *r,
                             const double *u)
{
    const pcs_friction_contact *problem = newton->problem;
    const int32_t size = problem->W->offset[i + 1] - problem->W->offset[i];
    double sum = 0.0;
    if (pcs_is_bilateral(problem, i)) {
        for (int32_t k = 0; k < size; k++)
            sum += u[k] * u[k];
        return sum;
    }
    if (is_immobile(newton, i))
        return 0.0;
    const double rho_N = newton->rho_N[i], rho_T = newton->rho_T[i];
    double a_N = fmax(0.0, r[0] - rho_N * u[0]), a_T[2] = {0.0, 0.0};
    double e = (r[0] - a_N) / rho_N;
    sum = e * e;
    for (int32_t k = 1; k < size; k++)
        a_T[k - 1] = r[k] - rho_T * u[k];
    if (size > 1)
        pcs_disc_project(problem->mu[i] * a_N, size - 1, a_T);
    for (int32_t k = 1; k < size; k++) {
        e = (r[k] - a_T[k - 1]) / rho_T;
        sum += e * e;
    }
    return sum;
}

// Work on the contacts of one piece; returns its part of a sum.
typedef double (*piece_fn)(pcs_contact_newton *newton, int32_t first, int32_t last, const double *r,
                           double *u);

typedef struct piece_work {
    pcs_contact_newton *newton;
    piece_fn work;
    const double *r;
    double *u;
} piece_work;

static void do_piece(void *user, int32_t index)
{
    const piece_work *p = user;
    const int32_t first = index * PIECE, n = p->newton->problem->W->n;
    p->newton->part[index] = p->work(p->newton, first, n - first < PIECE ? n : first + PIECE, p->r,
                                     p->u);
}

static double for_pieces(pcs_contact_newton *newton, piece_fn work, const double *r, double *u)
{
    piece_work p = {newton, work, r, u};
    const int32_t count = (newton->problem->W->n + PIECE - 1) / PIECE;
    double sum = 0.0;
    pcs_tasks_run(newton->tasks, do_piece, &p, count);
    for (int32_t k = 0; k < count; k++)
        sum += newton->part[k];
    return sum;
}

// trial_w = W r + q and u = trial_w + D (r - c); the sum is the square of the merit.
static double evaluate_piece(pcs_contact_newton *newton, int32_t first, int32_t last,
                             const double *r, double *u)
{
    const pcs_block_matrix *W = newton->problem->W;
    double *w = newton->trial_w, sum = 0.0;
    for (int32_t i = first; i < last; i++) {
        const int32_t at = W->offset[i];
        for (int32_t k = at; k < W->offset[i + 1]; k++)
            w[k] = newton->problem->q[k];
        pcs_block_matrix_multiply_row(W, i, r, w + at);
        for (int32_t k = at; k < W->offset[i + 1]; k++)
            u[k] = w[k] + newton->D[i] * (r[k] - newton->centre[k]);
        sum += contact_merit2(newton, i, r + at, u + at);
    }
    return sum;
}

// The same at the centre, r = c, where w is known.
static double evaluate_centre_piece(pcs_contact_newton *newton, int32_t first, int32_t last,
                                    const double *r, double *u)
{
    const pcs_block_matrix *W = newton->problem->W;
    double sum = 0.0;
    for (int32_t i = first; i < last; i++) {
        const int32_t at = W->offset[i];
        for (int32_t k = at; k < W->offset[i + 1]; k++)
            u[k] = newton->w[k];
        sum += contact_merit2(newton, i, r + at, u + at);
    }
    return sum;
}

// Unit a_T of contact i, its length and whether the contact is open, sticks or slips.
static contact_state find_state(const pcs_contact_newton *newton, int32_t i, const double *r,
                                const double *u, double t[2], double *length)
{
    const pcs_friction_contact *problem = newton->problem;
    const int32_t size = problem->W->offset[i + 1] - problem->W->offset[i];
    if (pcs_is_bilateral(problem, i))
        return STICK;
    const double a_N = r[0] - newton->rho_N[i] * u[0];
    if (is_immobile(newton, i) || !(a_N > 0.0))
        return OPEN;
    t[0] = t[1] = *length = 0.0;
    for (int32_t k = 1; k < size; k++)
        t[k - 1] = r[k] - newton->rho_T[i] * u[k];
    *length = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (size == 1 || *length <= problem->mu[i] * a_N)
        return STICK;
    t[0] /= *length;
    t[1] /= *length;
    return SLIP;
}

// Rows of a slipping contact: E dr + F du = rhs, row-major size x size.
static void linearise_slip(const pcs_contact_newton *newton, int32_t i, const double *r,
                           const double *u, const double t[2], double length, double *E, double *F,
                           double *rhs)
{
    const int32_t size = newton->problem->W->offset[i + 1] - newton->problem->W->offset[i];
    const double mu = newton->problem->mu[i], rho = newton->rho_T[i];
    const double kappa = size == 3 ? fmin(1.0, mu * fmax(0.0, r[0]) / length) : 0.0;
    F[0] = 1.0;
    rhs[0] = -u[0];
    for (int32_t k = 1; k < size; k++) {
        rhs[k] = -(r[k] - mu * r[0] * t[k - 1]) / rho;
        E[k * size] = -mu * t[k - 1] / rho;
        for (int32_t l = 1; l < size; l++) {
            const double one = k == l ? 1.0 : 0.0, Q = one - t[k - 1] * t[l - 1];
            E[k * size + l] = (one - kappa * Q) / rho;
            F[k * size + l] = kappa * Q;
        }
    }
}

// States at (r, u), the coefficients E + F D of dr and F of W dr, and the right-hand side; an open
// contact lets go at once: dr = -r. The sum counts the impulses let go.
static double linearise_piece(pcs_contact_newton *newton, int32_t begin, int32_t end,
                              const double *r, double *u)
{
    const pcs_block_matrix *W = newton->problem->W;
    double sum = 0.0;
    for (int32_t i = begin; i < end; i++) {
        const int32_t first = W->offset[i], size = W->offset[i + 1] - first;
        double *E = newton->E + (int64_t)i * PCS_BLOCK_LU_STRIDE, t[2], length;
        double *F = newton->F + (int64_t)i * PCS_BLOCK_LU_STRIDE;
        double *rhs = newton->rhs + first;
        memset(E, 0, PCS_BLOCK_LU_STRIDE * sizeof *E);
        memset(F, 0, PCS_BLOCK_LU_STRIDE * sizeof *F);
        contact_state state = find_state(newton, i, r + first, u + first, t, &length);
        newton->state[i] = (uint8_t)state;
        newton->closed[i] = state != OPEN;
        if (state == OPEN) {
            for (int32_t k = 0; k < size; k++) {
                rhs[k] = -r[first + k];
                sum += rhs[k] != 0.0;
            }
            continue;
        }
        if (state == SLIP) {
            linearise_slip(newton, i, r + first, u + first, t, length, E, F, rhs);
        } else {
            for (int32_t k = 0; k < size; k++) {
                F[k * size + k] = 1.0;
                rhs[k] = -u[first + k];
            }
        }
        for (int32_t k = 0; k < size * size; k++)
            E[k] += newton->D[i] * F[k];
    }
    return sum;
}

// What is left of the linear rows at the present direction, rhs - E dr - F W dr, in `left`; open
// contacts have nothing left. Returns the square of its norm.
static double defect_piece(pcs_contact_newton *newton, int32_t begin, int32_t end,
                           const double *direction, double *left)
{
    const pcs_block_matrix *W = newton->problem->W;
    double sum = 0.0;
    for (int32_t i = begin; i < end; i++) {
        const int32_t first = W->offset[i], size = W->offset[i + 1] - first;
        const double *E = newton->E + (int64_t)i * PCS_BLOCK_LU_STRIDE;
        const double *F = newton->F + (int64_t)i * PCS_BLOCK_LU_STRIDE;
        double du[3] = {0.0, 0.0, 0.0};
        if (newton->closed[i])
            pcs_block_matrix_multiply_row(W, i, direction, du);
        for (int32_t a = 0; a < size; a++) {
            left[first + a] = newton->closed[i] ? newton->rhs[first + a] : 0.0;
            for (int32_t b = 0; newton->closed[i] && b < size; b++)
                left[first + a] -= E[a * size + b] * direction[first + b] + F[a * size + b] * du[b];
            sum += left[first + a] * left[first + a];
        }
    }
    return sum;
}

// The direction with the open contacts alone, and what is left of the linear rows if none of them
// lets go an impulse; returns the square of its norm.
static double begin_direction_piece(pcs_contact_newton *newton, int32_t begin, int32_t end,
                                    const double *rhs, double *left)
{
    const pcs_block_matrix *W = newton->problem->W;
    double sum = 0.0;
    for (int32_t i = begin; i < end; i++)
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++) {
            newton->direction[k] = newton->closed[i] ? 0.0 : rhs[k];
            left[k] = newton->closed[i] ? rhs[k] : 0.0;
            sum += left[k] * left[k];
        }
    return sum;
}

// direction += left; the sum is 0 unless some value is infinite or NaN.
static double correct_direction_piece(pcs_contact_newton *newton, int32_t begin, int32_t end,
                                      const double *left, double *direction)
{
    const int32_t *offset = newton->problem->W->offset;
    double sum = 0.0;
    for (int32_t k = offset[begin]; k < offset[end]; k++) {
        direction[k] += left[k];
        sum += 0.0 * direction[k];
    }
    return sum;
}

// Makes sure that the analysis covers the closed contacts.
static pcs_status analyse(pcs_contact_newton *newton)
{
    const int32_t n = newton->problem->W->n;
    int32_t count = 0;
    bool covered = newton->lu != NULL;
    for (int32_t i = 0; i < n; i++) {
        count += newton->closed[i];
        covered = covered && (!newton->closed[i] || newton->analysed[i]);
    }
    bool costly = covered && pcs_block_lu_operations(newton->lu) > COSTLY_OPERATIONS &&
                  count < SMALLER_PART * newton->n_analysed;
    if (covered && !costly)
        return PCS_OK;
    // The first analysis takes all blocks, since contacts come and go; if it is cheap it is kept.
    // In a large problem it would not be: the open contacts keep the fill small.
    const bool all = newton->lu == NULL && n <= ANALYSE_ALL;
    memcpy(newton->analysed, newton->closed, (size_t)n);
    if (all)
        memset(newton->analysed, 1, (size_t)n);
    newton->n_analysed = all ? n : count;
    pcs_arena_release(newton->arena, newton->behind);
    PCS_TRY(pcs_block_lu_analyse(newton->arena, newton->problem->W, newton->analysed, &newton->lu));
    pcs_block_lu_set_tasks(newton->lu, newton->tasks);
    if (newton->problem->watch)
        pcs_block_lu_set_watch(newton->lu, *newton->problem->watch);
    return all ? analyse(newton) : PCS_OK;
}

// Newton direction at (r, u); *usable is false when the matrix is singular or the step not finite.
// The open contacts go first, the closed ones follow by the factors, and what rounding left (the
// matrix is nearly singular for a small delta) by a second solve.
static pcs_status compute_direction(pcs_contact_newton *newton, bool *usable)
{
    double *left = newton->trial, check = 0.0;
    const double let_go = for_pieces(newton, linearise_piece, newton->r, newton->u);
    PCS_TRY(analyse(newton));
    newton->factorisations++;
    *usable = pcs_block_lu_factor(newton->lu, newton->problem->W, newton->E, newton->F,
                                  newton->closed) < 0;
    double before = for_pieces(newton, begin_direction_piece, newton->rhs, left);
    if (let_go > 0.0)
        before = for_pieces(newton, defect_piece, newton->direction, left);
    for (int solve = 0; *usable && solve < SOLVES_MAX; solve++) {
        pcs_block_lu_solve(newton->lu, left);
        check = for_pieces(newton, correct_direction_piece, left, newton->direction);
        if (solve + 1 < SOLVES_MAX) {
            const double defect = for_pieces(newton, defect_piece, newton->direction, left);
            if (sqrt(defect) <= SOLVE_TOLERANCE * sqrt(before))
                break;
        }
    }
    *usable = *usable && check == 0.0;
    return PCS_OK;
}

// trial = r + length direction
static double step_piece(pcs_contact_newton *newton, int32_t begin, int32_t end, const double *r,
                         double *trial)
{
    const int32_t *offset = newton->problem->W->offset;
    for (int32_t k = offset[begin]; k < offset[end]; k++)
        trial[k] = r[k] + newton->length * newton->direction[k];
    return 0.0;
}

// trial = r + length direction; returns its merit
static double try_length(pcs_contact_newton *newton, double length)
{
    newton->length = length;
    for_pieces(newton, step_piece, newton->r, newton->trial);
    return sqrt(for_pieces(newton, evaluate_piece, newton->trial, newton->trial_u));
}

static void exchange(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

// Moves r along the direction, by the first length whose merit is enough below the reference; if
// there is none by the whole step, since only new states lead out of a cycle. Returns the merit.
static double search_line(pcs_contact_newton *newton, double reference)
{
    double length = 1.0, merit = try_length(newton, length);
    for (int halving = 0; !(merit <= (1.0 - DECREASE * length) * reference); halving++) {
        if (halving == MAX_HALVINGS) {
            merit = try_length(newton, 1.0);
            break;
        }
        length *= 0.5;
        merit = try_length(newton, length);
    }
    exchange(&newton->r, &newton->trial);
    exchange(&newton->u, &newton->trial_u);
    exchange(&newton->w, &newton->trial_w);
    return merit;
}

// Newton on the proximal problem of the present centre, from r = c with w = W c + q; *solved when
// it is solved.
static pcs_status solve_centre(pcs_contact_newton *newton, pcs_monitor *monitor, int32_t max_steps,
                               double floor, int32_t *steps, bool *solved)
{
    double recent[MERIT_MEMORY], lowest = INFINITY;
    int32_t lowest_step = 0;
    memcpy(newton->r, newton->centre, (size_t)newton->rows * sizeof *newton->r);
    double merit = sqrt(for_pieces(newton, evaluate_centre_piece, newton->r, newton->u));
    const double goal = fmax(floor, CENTRE_TOLERANCE * merit);
    for (int k = 0; k < MERIT_MEMORY; k++)
        recent[k] = merit;
    *solved = merit <= goal;
    for (int32_t k = 0; k < max_steps && !*solved; k++) {
        double reference = 0.0;
        bool usable;
        for (int l = 0; l < MERIT_MEMORY; l++)
            reference = fmax(reference, recent[l]);
        ++*steps;
        PCS_TRY(compute_direction(newton, &usable));
        if (!usable)
            return PCS_OK;
        merit = search_line(newton, reference);
        if (!isfinite(merit) || pcs_monitor_is_stopped(monitor))
            return PCS_OK;
        recent[k % MERIT_MEMORY] = merit;
        *solved = merit <= goal;
        if (merit < STALL * lowest) {
            lowest = merit;
            lowest_step = k;
        } else if (k - lowest_step >= STALL_STEPS) {
            return PCS_OK;
        }
    }
    return PCS_OK;
}

// to = P(from) on the cones; the sum is not 0 where that changes a value.
static double project_piece(pcs_contact_newton *newton, int32_t begin, int32_t end,
                            const double *from, double *to)
{
    const pcs_friction_contact *problem = newton->problem;
    const int32_t *offset = problem->W->offset;
    double sum = 0.0;
    for (int32_t i = begin; i < end; i++) {
        const int32_t first = offset[i], size = offset[i + 1] - first;
        for (int32_t k = first; k < offset[i + 1]; k++)
            to[k] = from[k];
        if (!pcs_is_bilateral(problem, i))
            pcs_cone_project(problem->mu[i], size, to + first);
        for (int32_t k = first; k < offset[i + 1]; k++)
            sum += !(to[k] == from[k]);
    }
    return sum;
}

// r = the projected iterate, offered to the monitor
static void test_iterate(pcs_contact_newton *newton, pcs_monitor *monitor, double *r)
{
    if (for_pieces(newton, project_piece, newton->r, r) > 0.0)
        pcs_friction_contact_velocity(newton->problem, r, monitor->u);
    else
        memcpy(monitor->u, newton->w, (size_t)newton->rows * sizeof *newton->w);
    pcs_monitor_test_with_u(monitor, r, monitor->u);
}

// The course of delta from centre to centre.
typedef struct schedule {
    double delta, fall;
    int32_t failures; // in a row
} schedule;

// An easy centre lets delta fall faster, a hard one slower, and none further than is needed: a
// centre lowers the residual by a factor that is proportional to delta, here `gain`, and `way` is
// the factor still missing. A failure goes back towards larger weights, each time further.
static void advance(schedule *s, bool solved, int32_t steps, double gain, double way)
{
    if (solved) {
        if (steps <= EASY_STEPS)
            s->fall = fmax(FASTEST_FALL, s->fall * s->fall);
        else if (steps > HARD_STEPS)
            s->fall = fmin(SLOWEST_FALL, sqrt(s->fall));
        const double needed = gain < 1.0 ? fmin(1.0, SAFETY * way / gain) : s->fall;
        s->delta = fmax(DELTA_SMALLEST, s->delta * fmax(s->fall, needed));
        s->failures = 0;
        return;
    }
    s->fall = fmin(SLOWEST_FALL, sqrt(s->fall));
    s->delta /= s->fall * (s->failures > 0 ? s->fall : 1.0);
    s->failures++;
}

// A centre with weight delta lowers the residual to about delta, so a good start needs a small one.
static double choose_delta(const pcs_contact_newton *newton, const pcs_contact_newton_opts *opts,
                           const double *r)
{
    if (opts->first_delta > 0.0)
        return opts->first_delta;
    double start = pcs_friction_contact_error(newton->problem, PCS_MEASURE_SCALED, r, newton->w);
    return fmin(FIRST_DELTA, fmax(WARM_DELTA, START_PART * start));
}

pcs_status pcs_contact_newton_run(pcs_contact_newton *newton, pcs_monitor *monitor,
                                  const pcs_contact_newton_opts *opts, double *r, int32_t *steps)
{
    const int32_t last = *steps + opts->max_steps;
    const double scale = pcs_friction_contact_scale(newton->problem);
    memcpy(newton->centre, r, (size_t)newton->rows * sizeof *r);
    pcs_friction_contact_velocity(newton->problem, r, newton->w);
    schedule s = {.delta = choose_delta(newton, opts, r), .fall = FIRST_FALL};
    const double aim = opts->aim > 0.0 ? opts->aim : monitor->opts->tolerance;
    bool over = monitor->best_value <= aim, polished = !opts->polish;
    double at_centre = monitor->last; // residual of the centre
    while ((!over || !polished) && *steps < last && s.delta <= DELTA_LARGEST) {
        const int32_t before = *steps, left = last - before;
        bool solved;
        double floor = over ? 0.0 : FLOOR_PART * aim * scale;
        polished = polished || over;
        for (int32_t i = 0; i < newton->problem->W->n; i++)
            newton->D[i] = s.delta * newton->mobility[i];
        PCS_TRY(solve_centre(newton, monitor, left < STEPS_PER_CENTRE ? left : STEPS_PER_CENTRE,
                             floor, steps, &solved));
        if (*steps == before)
            break; // the centre is the solution as far as the merit tells
        test_iterate(newton, monitor, r);
        over = monitor->best_value <= aim || monitor->stopped;
        const double gain = monitor->last / at_centre;
        if (solved || gain < 1.0) {
            at_centre = monitor->last;
            memcpy(newton->centre, newton->r, (size_t)newton->rows * sizeof *r);
        } else {
            pcs_friction_contact_velocity(newton->problem, newton->centre, newton->w);
        }
        if (!over)
            advance(&s, solved, *steps - before, gain, aim / monitor->last);
    }
    for_pieces(newton, project_piece, newton->centre, r);
    return PCS_OK;
}

pcs_status pcs_contact_newton_stride(pcs_contact_newton *newton, double delta, double *r,
                                     bool *usable)
{
    const size_t bytes = (size_t)newton->rows * sizeof *r;
    memcpy(newton->r, r, bytes);
    pcs_friction_contact_velocity(newton->problem, r, newton->u); // r is the centre
    for (int32_t i = 0; i < newton->problem->W->n; i++)
        newton->D[i] = delta * newton->mobility[i];
    PCS_TRY(compute_direction(newton, usable));
    if (!*usable)
        return PCS_OK;
    newton->length = 1.0;
    for_pieces(newton, step_piece, newton->r, newton->trial);
    for_pieces(newton, project_piece, newton->trial, r);
    return PCS_OK;
}

// Proximal semismooth Newton on the Alart-Curnier function [AlartCurnier1991].
//
// W may be singular (the four corners of a box), so Newton works on the proximal problem
//     u = W r + q + D (r - c),   D_i = delta trace(W_ii) / size_i,
// whose solutions for c = r are those of the problem for every delta > 0: c follows r and delta
// falls while that helps. With a = r - rho u (rho of one contact) the function is
//     r_N - max(0, a_N) = 0,     r_T - P(a_T) = 0,   P on the disc of radius mu max(0, a_N),
// which splits the contacts into open (r = 0), stick (u = 0) and slip, where u_N = 0 and, with
// t = a_T/|a_T|, Q = I - t t^T and k = mu r_N/|a_T|,
//     (dr_T - mu t dr_N - k Q (dr_T - rho du_T)) / rho = -(r_T - mu r_N t) / rho.
// The merit, the norm of the function in units of velocity, guides a nonmonotone line search.
#include "nonsmooth/contact_newton.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "math/cone.h"

// delta: first try and limits. Below the lower one D drowns in the rounding of W; at the upper one
// a step is no better than a sweep. It is multiplied by `fall` after a success and divided by it
// after a failure; `fall` itself adapts between these bounds.
static const double DELTA_FIRST = 1e-5, DELTA_SMALLEST = 1e-11, DELTA_LARGEST = 1e-1;
static const double FASTEST_FALL = 1e-2, SLOWEST_FALL = 0.5, FIRST_RISE = 10.0;
// Newton steps for one centre c, halvings of one step, merits that a new one is compared with.
enum { STEPS_PER_CENTRE = 20, MAX_HALVINGS = 10, MERIT_MEMORY = 4 };
// A step of length s must lower the merit by the part DECREASE s. A centre is done when its merit
// fell by CENTRE_TOLERANCE, or below FLOOR_PART of the tolerance of the problem, or to rounding.
static const double DECREASE = 1e-3, CENTRE_TOLERANCE = 1e-3, FLOOR_PART = 0.1;

typedef enum contact_state { OPEN, STICK, SLIP } contact_state;

typedef struct newton_work {
    const pcs_friction_contact *problem;
    const pcs_one_contact *contact;
    int32_t rows;          // of W
    double *rho_N, *rho_T; // per contact
    double *D;             // per contact
    double *centre;        // c
    double *direction;     // Newton step
    double *trial, *trial_u;
    double *shift; // change of u when the open contacts let go
    contact_state *state;
    int32_t *row; // first row of each closed contact in J, -1: open
    double *J;    // row-major
    double *rhs;
    int32_t *pivot;
    int32_t active_rows;
} newton_work;

static pcs_status newton_work_init(newton_work *work, const pcs_friction_contact *problem,
                                   const pcs_one_contact *contact, pcs_arena *arena)
{
    const int32_t n = problem->W->n, rows = problem->W->offset[n];
    *work = (newton_work){.problem = problem, .contact = contact, .rows = rows};
    work->rho_N = PCS_ARENA_ARRAY(arena, double, 3 * (int64_t)n);
    double *vectors = PCS_ARENA_ARRAY(arena, double, 6 * (int64_t)rows);
    work->state = PCS_ARENA_ARRAY(arena, contact_state, n);
    work->row = PCS_ARENA_ARRAY(arena, int32_t, n);
    work->pivot = PCS_ARENA_ARRAY(arena, int32_t, rows);
    if (!work->rho_N || !vectors || !work->state || !work->row || !work->pivot)
        return PCS_ERROR_MEMORY;
    work->rho_T = work->rho_N + n;
    work->D = work->rho_T + n;
    work->centre = vectors;
    work->direction = vectors + rows;
    work->trial = vectors + 2 * (int64_t)rows;
    work->trial_u = vectors + 3 * (int64_t)rows;
    work->shift = vectors + 4 * (int64_t)rows;
    work->rhs = vectors + 5 * (int64_t)rows;
    for (int32_t i = 0; i < n; i++) {
        const int32_t size = contact[i].size;
        double trace_T = 0.0;
        for (int32_t k = 1; k < size; k++)
            trace_T += contact[i].W[k * size + k];
        work->rho_N[i] = contact[i].inverse_NN;
        work->rho_T[i] = trace_T > 0.0 ? (double)(size - 1) / trace_T : contact[i].inverse_NN;
    }
    return PCS_OK;
}

static void set_delta(newton_work *work, double delta)
{
    for (int32_t i = 0; i < work->problem->W->n; i++) {
        const int32_t size = work->contact[i].size;
        double trace = 0.0;
        for (int32_t k = 0; k < size; k++)
            trace += work->contact[i].W[k * size + k];
        work->D[i] = delta * trace / (double)size;
    }
}

// u = W r + q + D (r - c)
static void compute_velocity(const newton_work *work, const double *r, double *u)
{
    const pcs_block_matrix *W = work->problem->W;
    for (int32_t i = 0; i < W->n; i++) {
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++)
            u[k] = work->problem->q[k] + work->D[i] * (r[k] - work->centre[k]);
        pcs_block_matrix_multiply_row(W, i, r, u + W->offset[i]);
    }
}

// Euclidean norm of the Alart-Curnier function in units of velocity
static double compute_merit(const newton_work *work, const double *r, const double *u)
{
    double sum = 0.0;
    for (int32_t i = 0; i < work->problem->W->n; i++) {
        const pcs_one_contact *contact = &work->contact[i];
        const int32_t first = work->problem->W->offset[i], size = contact->size;
        if (contact->inverse_NN == 0.0)
            continue; // immobile, r = 0
        const double rho_N = work->rho_N[i], rho_T = work->rho_T[i];
        double a_N = fmax(0.0, r[first] - rho_N * u[first]), a_T[2] = {0.0, 0.0};
        double e = (r[first] - a_N) / rho_N;
        sum += e * e;
        for (int32_t k = 1; k < size; k++)
            a_T[k - 1] = r[first + k] - rho_T * u[first + k];
        if (size > 1)
            pcs_disc_project(contact->mu * a_N, size - 1, a_T);
        for (int32_t k = 1; k < size; k++) {
            e = (r[first + k] - a_T[k - 1]) / rho_T;
            sum += e * e;
        }
    }
    return sqrt(sum);
}

// States at (r, u), rows of the closed contacts, and the part of the step that the open ones take:
// direction_i = -r_i and shift = W_closed,open direction.
static void split_states(newton_work *work, const double *r, const double *u)
{
    const pcs_block_matrix *W = work->problem->W;
    work->active_rows = 0;
    for (int32_t i = 0; i < W->n; i++) {
        const pcs_one_contact *contact = &work->contact[i];
        const int32_t first = W->offset[i], size = contact->size;
        double a_N = r[first] - work->rho_N[i] * u[first], a_T[2] = {0.0, 0.0};
        for (int32_t k = 1; k < size; k++)
            a_T[k - 1] = r[first + k] - work->rho_T[i] * u[first + k];
        bool open = contact->inverse_NN == 0.0 || !(a_N > 0.0);
        bool slip = size > 1 && sqrt(a_T[0] * a_T[0] + a_T[1] * a_T[1]) > contact->mu * a_N;
        work->state[i] = open ? OPEN : slip ? SLIP : STICK;
        work->row[i] = open ? -1 : work->active_rows;
        work->active_rows += open ? 0 : size;
        for (int32_t k = first; k < first + size; k++)
            work->direction[k] = open ? -r[k] : 0.0;
    }
    memset(work->shift, 0, (size_t)work->rows * sizeof *work->shift);
    for (int32_t i = 0; i < W->n; i++)
        if (work->state[i] != OPEN)
            pcs_block_matrix_multiply_row(W, i, work->direction, work->shift + W->offset[i]);
}

// Coefficients of the linear rows of contact i:  E dr_i + F du_i = rhs  (3x3, row-major)
typedef struct contact_rows {
    double E[9], F[9];
} contact_rows;

static contact_rows linearise_contact(newton_work *work, int32_t i, const double *r,
                                      const double *u)
{
    const pcs_one_contact *contact = &work->contact[i];
    const int32_t first = work->problem->W->offset[i], size = contact->size;
    contact_rows rows = {{0.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    double *rhs = work->rhs + work->row[i];
    for (int32_t k = 0; k < size; k++)
        rhs[k] = -(u[first + k] + work->shift[first + k]);
    if (work->state[i] != SLIP)
        return rows;

    const double rho = work->rho_T[i], mu = contact->mu, r_N = r[first];
    double t[2] = {0.0, 0.0}, norm = 0.0;
    for (int32_t k = 1; k < size; k++) {
        t[k - 1] = r[first + k] - rho * u[first + k];
        norm += t[k - 1] * t[k - 1];
    }
    norm = sqrt(norm);
    t[0] /= norm;
    t[1] /= norm;
    double kappa = size == 3 ? fmin(1.0, mu * fmax(0.0, r_N) / norm) : 0.0;
    for (int32_t k = 1; k < size; k++) {
        rhs[k] = -(r[first + k] - mu * r_N * t[k - 1]) / rho;
        rows.E[3 * k] = -mu * t[k - 1] / rho;
        for (int32_t l = 1; l < size; l++) {
            double Q = (k == l ? 1.0 : 0.0) - t[k - 1] * t[l - 1];
            rows.E[3 * k + l] = ((k == l ? 1.0 : 0.0) - kappa * Q) / rho;
            rows.F[3 * k + l] = kappa * Q;
            rhs[k] -= kappa * Q * work->shift[first + l];
        }
    }
    return rows;
}

// J = E + F (W + D) on the closed contacts
static void assemble(newton_work *work, const double *r, const double *u)
{
    const pcs_block_matrix *W = work->problem->W;
    const int64_t m = work->active_rows;
    memset(work->J, 0, (size_t)(m * m) * sizeof *work->J);
    for (int32_t i = 0; i < W->n; i++) {
        if (work->state[i] == OPEN)
            continue;
        const int32_t size = work->contact[i].size;
        contact_rows rows = linearise_contact(work, i, r, u);
        for (int32_t entry = W->row_start[i]; entry < W->row_start[i + 1]; entry++) {
            const int32_t j = W->column[entry], columns = W->offset[j + 1] - W->offset[j];
            const double *B = W->value + W->value_start[entry];
            if (work->state[j] == OPEN)
                continue;
            for (int32_t a = 0; a < size; a++)
                for (int32_t b = 0; b < columns; b++) {
                    double sum = i == j ? rows.E[3 * a + b] + rows.F[3 * a + b] * work->D[i] : 0.0;
                    for (int32_t k = 0; k < size; k++)
                        sum += rows.F[3 * a + k] * B[k * columns + b];
                    work->J[(work->row[i] + a) * m + work->row[j] + b] = sum;
                }
        }
    }
}

// Newton direction at (r, u); false when J is singular or the step is not finite.
static bool compute_direction(newton_work *work, const double *r, const double *u)
{
    const pcs_block_matrix *W = work->problem->W;
    split_states(work, r, u);
    if (work->active_rows == 0)
        return true;
    assemble(work, r, u);
    if (pcs_dense_lu_factor(work->active_rows, work->J, work->pivot) >= 0)
        return false;
    pcs_dense_lu_solve(work->active_rows, work->J, work->pivot, 1, work->rhs);
    for (int32_t i = 0; i < W->n; i++)
        for (int32_t k = 0; work->state[i] != OPEN && k < work->contact[i].size; k++) {
            double step = work->rhs[work->row[i] + k];
            if (!isfinite(step))
                return false;
            work->direction[W->offset[i] + k] = step;
        }
    return true;
}

// trial = r + length direction; returns its merit
static double try_length(newton_work *work, double length, const double *r)
{
    for (int32_t k = 0; k < work->rows; k++)
        work->trial[k] = r[k] + length * work->direction[k];
    compute_velocity(work, work->trial, work->trial_u);
    return compute_merit(work, work->trial, work->trial_u);
}

// Moves r along the direction, by the first length whose merit is enough below the reference; if
// there is none by the whole step, since only new states lead out of a cycle. Returns the merit.
static double search_line(newton_work *work, double reference, double *r, double *u)
{
    double length = 1.0, merit = try_length(work, length, r);
    for (int halving = 0; !(merit <= (1.0 - DECREASE * length) * reference); halving++) {
        if (halving == MAX_HALVINGS) {
            merit = try_length(work, 1.0, r);
            break;
        }
        length *= 0.5;
        merit = try_length(work, length, r);
    }
    memcpy(r, work->trial, (size_t)work->rows * sizeof *r);
    memcpy(u, work->trial_u, (size_t)work->rows * sizeof *u);
    return merit;
}

// Newton on the proximal problem of the present centre, from r; true when it is solved.
static bool solve_centre(newton_work *work, int32_t max_steps, double floor, double *r, double *u,
                         int32_t *steps)
{
    double recent[MERIT_MEMORY];
    compute_velocity(work, r, u);
    double merit = compute_merit(work, r, u);
    const double goal = fmax(floor, CENTRE_TOLERANCE * merit);
    for (int k = 0; k < MERIT_MEMORY; k++)
        recent[k] = merit;
    for (int32_t k = 0; k < max_steps && merit > goal; k++) {
        double reference = 0.0;
        for (int l = 0; l < MERIT_MEMORY; l++)
            reference = fmax(reference, recent[l]);
        ++*steps;
        if (!compute_direction(work, r, u))
            return false;
        merit = search_line(work, reference, r, u);
        if (!isfinite(merit))
            return false;
        recent[k % MERIT_MEMORY] = merit;
    }
    return merit <= goal;
}

static void project(const newton_work *work, double *r)
{
    for (int32_t i = 0; i < work->problem->W->n; i++)
        pcs_cone_project(work->contact[i].mu, work->contact[i].size,
                         r + work->problem->W->offset[i]);
}

pcs_status pcs_contact_polish(pcs_nsgs_work *sweeps, const pcs_friction_contact *problem,
                              const pcs_friction_opts *opts, pcs_arena *arena, double *r, double *u,
                              int32_t *steps, bool *done)
{
    newton_work work;
    *done = false;
    PCS_TRY(newton_work_init(&work, problem, sweeps->contact, arena));
    const size_t bytes = (size_t)work.rows * sizeof *r;
    work.J = PCS_ARENA_ARRAY(arena, double, (int64_t)work.rows *work.rows);
    if (work.J == NULL)
        return PCS_ERROR_MEMORY;

    const int32_t start = *steps, last = start + opts->newton_iterations;
    double delta = DELTA_FIRST, fall = FASTEST_FALL;
    bool solved = false;
    memcpy(work.centre, r, bytes);
    while (*steps < last && !*done && delta <= DELTA_LARGEST) {
        const int32_t left = last - *steps, first = *steps;
        const bool solved_before = solved;
        const double rounding = pcs_friction_contact_rounding(problem, work.centre);
        const double floor = fmax(FLOOR_PART * opts->tolerance, rounding) * sweeps->scale;
        set_delta(&work, delta);
        memcpy(r, work.centre, bytes);
        solved = solve_centre(&work, left < STEPS_PER_CENTRE ? left : STEPS_PER_CENTRE, floor, r, u,
                              steps);
        if (solved)
            memcpy(work.centre, r, bytes);
        project(&work, r);
        *done = pcs_nsgs_keep_best(sweeps, problem, opts->tolerance, r, u);
        if (*steps == first || sweeps->best_residual.scaled <= rounding)
            break; // the centre is the solution, to the tolerance or to rounding
        if (solved) {
            delta = fmax(DELTA_SMALLEST, delta * fall);
            fall = solved_before ? fmax(FASTEST_FALL, fall * fall) : fall;
        } else {
            delta = first == start ? delta * FIRST_RISE : delta / fall;
            fall = fmin(SLOWEST_FALL, sqrt(fall));
        }
    }
    memcpy(r, work.centre, bytes);
    project(&work, r);
    return PCS_OK;
}

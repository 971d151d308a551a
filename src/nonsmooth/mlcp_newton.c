// Semismooth Newton on Phi(z) = 0, Phi_i = phi(z_i, w_i) with the Fischer-Burmeister function
//
//     phi(a, b) = sqrt(a^2 + b^2) - a - b     (Phi_e = w_e on an equality row),
//
// globalised by a line search on the merit psi = |Phi|^2 / 2, which is differentiable with gradient
// J^T Phi [DeLucaFacchineiKanzow1996]. The direction comes from an element J of the generalised
// Jacobian of Phi (newton-fb) or of the min map (newton-min: w_i = 0 where z_i > w_i, z_i = 0
// elsewhere, which ends after finitely many steps). One that is no descent direction is replaced by
// that of the other map, by the Levenberg-Marquardt direction -(J^T J + lambda I)^-1 J^T Phi, and
// at last by the gradient. A start that stalls is followed by others.

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "nonsmooth/mlcp_internal.h"

enum { STEPS_DEFAULT = 100, MEMORY = 5 };
// A start is given up when |Phi| has not halved in so many steps: near a solution it halves in
// each.
enum { STALL_STEPS = 15 };
// Armijo's constant, and the test for a direction: gradient . d <= -DESCENT |d|^POWER.
static const double ARMIJO = 1e-4, DESCENT = 1e-9, POWER = 2.1;
static const double STEP_LEAST = 1e-10;
// |Phi| in units where data are about 1: from here on the polish takes over.
static const double NEAR_ENOUGH = 1e-13;

typedef struct newton_work {
    const pcs_mlcp *problem;
    int32_t n;
    double *w, *phi, *gradient, *d;
    double *J, *A; // n x n
    double *trial, *trial_w;
    int32_t *pivot;
    double merit;
    double recent[MEMORY]; // merits for the nonmonotone line search
} newton_work;

static pcs_status newton_init(newton_work *k, const pcs_mlcp *problem, pcs_arena *arena)
{
    const int32_t n = problem->n;
    const int64_t square = (int64_t)n * n;
    *k = (newton_work){.problem = problem, .n = n};
    k->w = PCS_ARENA_ARRAY(arena, double, n);
    k->phi = PCS_ARENA_ARRAY(arena, double, n);
    k->gradient = PCS_ARENA_ARRAY(arena, double, n);
    k->d = PCS_ARENA_ARRAY(arena, double, n);
    k->J = PCS_ARENA_ARRAY(arena, double, square);
    k->A = PCS_ARENA_ARRAY(arena, double, square);
    k->trial = PCS_ARENA_ARRAY(arena, double, n);
    k->trial_w = PCS_ARENA_ARRAY(arena, double, n);
    k->pivot = PCS_ARENA_ARRAY(arena, int32_t, n);
    return k->w && k->phi && k->gradient && k->d && k->J && k->A && k->trial && k->trial_w &&
                   k->pivot
               ? PCS_OK
               : PCS_ERROR_MEMORY;
}

// phi without cancellation where one of a, b is large and positive
static double fischer_burmeister(double a, double b)
{
    const double r = hypot(a, b);
    return a + b > 0.0 ? -2.0 * (a / (r + a + b)) * b : r - (a + b);
}

// w, Phi (if not NULL) and the merit at y
static double evaluate(const newton_work *k, const double *y, double *w, double *phi)
{
    double merit = 0.0;
    for (int32_t i = 0; i < k->n; i++) {
        w[i] = k->problem->q[i] + pcs_kernel_dot(k->n, k->problem->M + (int64_t)i * k->n, y);
        const double value = pcs_mlcp_is_equality(k->problem, i) ? w[i]
                                                                 : fischer_burmeister(y[i], w[i]);
        merit += 0.5 * value * value;
        if (phi)
            phi[i] = value;
    }
    return merit;
}

// J = D_a + D_b M and the gradient J^T Phi. Where z_i = w_i = 0 the element of the generalised
// Jacobian is the limit along the direction of ones.
static void compute_jacobian(newton_work *k, const double *y)
{
    const int32_t n = k->n;
    memset(k->gradient, 0, (size_t)n * sizeof *k->gradient);
    for (int32_t i = 0; i < n; i++) {
        const double *row = k->problem->M + (int64_t)i * n;
        double *J = k->J + (int64_t)i * n;
        double a = y[i], b = k->w[i], da = 0.0, db = 1.0;
        if (!pcs_mlcp_is_equality(k->problem, i)) {
            if (a == 0.0 && b == 0.0) {
                a = 1.0;
                for (int32_t j = 0; j < n; j++)
                    b += row[j];
            }
            const double r = hypot(a, b);
            da = a / r - 1.0;
            db = b / r - 1.0;
        }
        for (int32_t j = 0; j < n; j++)
            J[j] = db * row[j];
        J[i] += da;
        for (int32_t j = 0; j < n; j++)
            k->gradient[j] += k->phi[i] * J[j];
    }
}

static bool is_descent(const newton_work *k)
{
    double slope = 0.0, length = 0.0;
    for (int32_t i = 0; i < k->n; i++) {
        slope += k->gradient[i] * k->d[i];
        length = hypot(length, k->d[i]);
    }
    return slope <= -DESCENT * pow(length, POWER); // false for NaN
}

static bool solve_direction(newton_work *k)
{
    if (pcs_dense_lu_factor(k->n, k->A, k->pivot) >= 0)
        return false;
    pcs_dense_lu_solve(k->n, k->A, k->pivot, 1, k->d);
    return is_descent(k);
}

static bool fischer_direction(newton_work *k)
{
    memcpy(k->A, k->J, (size_t)k->n * (size_t)k->n * sizeof *k->A);
    for (int32_t i = 0; i < k->n; i++)
        k->d[i] = -k->phi[i];
    return solve_direction(k);
}

static bool min_direction(newton_work *k, const double *y)
{
    const int32_t n = k->n;
    for (int32_t i = 0; i < n; i++) {
        double *row = k->A + (int64_t)i * n;
        if (pcs_mlcp_is_equality(k->problem, i) || y[i] > k->w[i]) {
            memcpy(row, k->problem->M + (int64_t)i * n, (size_t)n * sizeof *row);
            k->d[i] = -k->w[i];
        } else {
            memset(row, 0, (size_t)n * sizeof *row);
            row[i] = 1.0;
            k->d[i] = -y[i];
        }
    }
    return solve_direction(k);
}

// A = J^T J + lambda I, row by row of J, whose zeros cost nothing
static void compute_normal_matrix(newton_work *k, double lambda)
{
    const int32_t n = k->n;
    memset(k->A, 0, (size_t)n * (size_t)n * sizeof *k->A);
    for (int32_t l = 0; l < n; l++) {
        const double *row = k->J + (int64_t)l * n;
        for (int32_t i = 0; i < n; i++)
            if (row[i] != 0.0)
                pcs_kernel_subtract(i + 1, -row[i], row, k->A + (int64_t)i * n);
    }
    for (int32_t i = 0; i < n; i++) {
        k->A[(int64_t)i * n + i] += lambda;
        for (int32_t j = 0; j < i; j++)
            k->A[(int64_t)j * n + i] = k->A[(int64_t)i * n + j];
    }
}

// (J^T J + lambda I) d = -gradient; lambda goes to zero with |Phi|, which keeps the fast end.
static bool damped_direction(newton_work *k)
{
    const int32_t n = k->n;
    compute_normal_matrix(k, 1e-3 * fmin(1.0, sqrt(2.0 * k->merit)) + 1e-12);
    for (int32_t i = 0; i < n; i++)
        k->d[i] = -k->gradient[i];
    if (pcs_dense_cholesky_factor(n, k->A) >= 0)
        return false;
    pcs_dense_cholesky_solve(n, k->A, 1, k->d);
    return is_descent(k);
}

static void choose_direction(newton_work *k, bool min_first, const double *y)
{
    if (min_first && min_direction(k, y))
        return;
    if (fischer_direction(k) || damped_direction(k))
        return;
    for (int32_t i = 0; i < k->n; i++)
        k->d[i] = -k->gradient[i];
}

// Halves the step until the merit falls below the worst of the last ones; y moves there. False if
// no step helps: y is close to a stationary point of the merit.
static bool search_line(newton_work *k, double *y)
{
    double slope = 0.0, reference = k->merit, step = 1.0;
    for (int32_t i = 0; i < k->n; i++)
        slope += k->gradient[i] * k->d[i];
    for (int i = 0; i < MEMORY; i++)
        reference = fmax(reference, k->recent[i]);
    while (step >= STEP_LEAST) {
        for (int32_t i = 0; i < k->n; i++)
            k->trial[i] = y[i] + step * k->d[i];
        const double merit = evaluate(k, k->trial, k->trial_w, NULL);
        if (merit <= reference + ARMIJO * step * slope) {
            memcpy(y, k->trial, (size_t)k->n * sizeof *y);
            return true;
        }
        step *= 0.5;
    }
    return false;
}

static pcs_status newton_from(newton_work *k, pcs_mlcp_run *run, bool min_first, int32_t limit,
                              double *y, int32_t *iterations)
{
    double milestone = INFINITY; // merit that the steps since the last milestone are measured by
    int32_t stalled = 0;
    for (int i = 0; i < MEMORY; i++)
        k->recent[i] = 0.0;
    for (int32_t step = 0; step < limit && stalled < STALL_STEPS; step++) {
        k->merit = evaluate(k, y, k->w, k->phi);
        if (sqrt(2.0 * k->merit) <= NEAR_ENOUGH || pcs_mlcp_offer(run, y))
            break;
        k->recent[step % MEMORY] = k->merit;
        stalled = k->merit <= 0.25 * milestone ? 0 : stalled + 1;
        milestone = stalled == 0 ? k->merit : milestone;
        compute_jacobian(k, y);
        choose_direction(k, min_first, y);
        ++*iterations;
        run->info->factorisations++;
        if (!search_line(k, y))
            break;
    }
    if (pcs_mlcp_offer(run, y))
        return PCS_OK;
    return pcs_mlcp_polish(run, y);
}

// Start `trial` > 0: zeros, ones, then points of both kinds drawn at random, of growing size.
static void choose_start(const pcs_mlcp *problem, int32_t trial, pcs_random *random, double *y)
{
    const double size = ldexp(1.0, trial - 2);
    for (int32_t i = 0; i < problem->n; i++) {
        const double value = trial < 3 ? (double)(trial - 1)
                                       : size * (2.0 * pcs_random_uniform(random) - 1.0);
        y[i] = pcs_mlcp_is_equality(problem, i) ? value : fmax(0.0, value);
    }
}

static pcs_status newton(pcs_mlcp_run *run, bool min_first, int32_t starts, double *y,
                         int32_t *iterations)
{
    const int32_t limit = pcs_mlcp_limit(run, STEPS_DEFAULT);
    const pcs_arena_mark mark = pcs_arena_get_mark(run->arena);
    newton_work work;
    pcs_random random;
    pcs_random_init(&random, (uint64_t)run->scaled.n);
    pcs_status status = newton_init(&work, &run->scaled, run->arena);
    for (int32_t trial = 0; status == PCS_OK && trial < starts; trial++) {
        if (run->done || run->stopped)
            break;
        if (trial > 0)
            choose_start(&run->scaled, trial, &random, y);
        status = newton_from(&work, run, min_first, limit, y, iterations);
    }
    if (!run->done)
        pcs_mlcp_explain(run,
                         "Newton: %d starts ended at stationary points of the merit function that "
                         "are no solutions",
                         starts);
    pcs_arena_release(run->arena, mark);
    return status;
}

pcs_status pcs_mlcp_newton_fb(pcs_mlcp_run *run, const double *option, double *y,
                              int32_t *iterations)
{
    return newton(run, false, (int32_t)option[0], y, iterations);
}

pcs_status pcs_mlcp_newton_min(pcs_mlcp_run *run, const double *option, double *y,
                               int32_t *iterations)
{
    return newton(run, true, (int32_t)option[0], y, iterations);
}

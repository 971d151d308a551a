// Nonlinear block Gauss-Seidel [Jourdan, Alart, Jean 1998]: visit the contacts in order and solve
// each one exactly with the others frozen,
//     u_i = W_ii r_i + q_i',    q_i' = q_i + sum_{j != i} W_ij r_j.
//
// A full measure costs as much as a sweep, so the sweep reports the largest velocity change
// |W_ii (r_i new - r_i old)| that it made, and the residual is measured when that is below the
// tolerance (and now and then, so that the best iterate is known).
#include "nonsmooth/nsgs.h"

#include <math.h>
#include <string.h>

// Sweeps between measures of an iterate that still moves: 3 % of overhead.
enum { SWEEPS_PER_MEASURE = 32 };

pcs_status pcs_nsgs_work_init(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                              pcs_arena *arena, const double *r)
{
    const pcs_block_matrix *W = problem->W;
    const int32_t rows = W->offset[W->n];
    work->contact = PCS_ARENA_ARRAY(arena, pcs_one_contact, W->n);
    work->best = PCS_ARENA_ARRAY(arena, double, rows);
    work->start = PCS_ARENA_ARRAY(arena, double, rows);
    if (work->contact == NULL || work->best == NULL || work->start == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < W->n; i++)
        pcs_one_contact_prepare(&work->contact[i], W->offset[i + 1] - W->offset[i],
                                W->value + W->value_start[W->diagonal[i]], problem->mu[i]);
    memcpy(work->start, r, (size_t)rows * sizeof *r);
    memcpy(work->best, r, (size_t)rows * sizeof *r);
    work->best_residual = (pcs_friction_residual){INFINITY, INFINITY, -1};
    work->scale = pcs_friction_contact_scale(problem);
    return PCS_OK;
}

// q' = q_i + sum_{j != i} W_ij r_j
static void compute_local_q(const pcs_friction_contact *problem, int32_t i, const double *r,
                            double q[3])
{
    const pcs_block_matrix *W = problem->W;
    const int32_t first = W->offset[i], size = W->offset[i + 1] - first;
    for (int32_t a = 0; a < size; a++)
        q[a] = problem->q[first + a];
    for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
        const int32_t j = W->column[k], columns = W->offset[j + 1] - W->offset[j];
        const double *B = W->value + W->value_start[k], *x = r + W->offset[j];
        if (j == i)
            continue;
        if (size == 3 && columns == 3) {
            q[0] += B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
            q[1] += B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
            q[2] += B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
            continue;
        }
        for (int32_t a = 0; a < size; a++)
            for (int32_t b = 0; b < columns; b++)
                q[a] += B[a * columns + b] * x[b];
    }
}

// One sweep; returns max_i |W_ii (r_i new - r_i old)|_inf.
static double sweep(const pcs_nsgs_work *work, const pcs_friction_contact *problem,
                    double relaxation, double *r)
{
    double largest = 0.0;
    for (int32_t i = 0; i < problem->W->n; i++) {
        const pcs_one_contact *contact = &work->contact[i];
        const int32_t size = contact->size;
        double *r_i = r + problem->W->offset[i];
        double q[3], solution[3], step[3];
        compute_local_q(problem, i, r, q);
        pcs_one_contact_compute(contact, q, solution);
        for (int32_t a = 0; a < size; a++) {
            step[a] = relaxation * (solution[a] - r_i[a]);
            r_i[a] = relaxation == 1.0 ? solution[a] : r_i[a] + step[a];
        }
        for (int32_t a = 0; a < size; a++) {
            double change = 0.0;
            for (int32_t b = 0; b < size; b++)
                change += contact->W[a * size + b] * step[b];
            largest = fmax(largest, fabs(change));
        }
    }
    return largest;
}

bool pcs_nsgs_keep_best(pcs_nsgs_work *work, const pcs_friction_contact *problem, double tolerance,
                        const double *r, double *u)
{
    pcs_friction_residual residual = pcs_friction_contact_measure(problem, r, u);
    if (residual.scaled < work->best_residual.scaled) {
        work->best_residual = residual;
        memcpy(work->best, r, (size_t)problem->W->offset[problem->W->n] * sizeof *r);
    }
    return residual.scaled <= tolerance;
}

bool pcs_nsgs_run(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                  const pcs_nsgs_opts *opts, int32_t max_sweeps, double *r, double *u,
                  int32_t *sweeps)
{
    double gate = opts->tolerance * work->scale;
    for (int32_t k = 1; k <= max_sweeps; k++) {
        double change = sweep(work, problem, opts->relaxation, r);
        ++*sweeps;
        bool quiet = change <= gate;
        if (!quiet && k % SWEEPS_PER_MEASURE != 0 && k != max_sweeps)
            continue;
        if (pcs_nsgs_keep_best(work, problem, opts->tolerance, r, u))
            return true;
        if (change == 0.0)
            return false; // a fixed point: further sweeps repeat it
        if (quiet)
            gate = 0.5 * change; // slow convergence: the residual is above the change
    }
    return false;
}

pcs_friction_residual pcs_nsgs_finish(const pcs_nsgs_work *work,
                                      const pcs_friction_contact *problem, double *r, double *u)
{
    memcpy(r, work->best, (size_t)problem->W->offset[problem->W->n] * sizeof *r);
    return pcs_friction_contact_measure(problem, r, u);
}

pcs_status pcs_nsgs_solve(const pcs_friction_contact *problem, const pcs_nsgs_opts *opts,
                          pcs_arena *arena, double *r, double *u, pcs_solver_info *info)
{
    *info = (pcs_solver_info){0, {0.0, 0.0, -1}};
    if (!(opts->tolerance >= 0.0) || opts->max_iterations < 0 ||
        !(opts->relaxation > 0.0 && opts->relaxation < 2.0))
        return pcs_error(arena->ctx, PCS_ERROR_ARGUMENT,
                         "nsgs: tolerance %g, %d iterations or relaxation %g out of range",
                         opts->tolerance, (int)opts->max_iterations, opts->relaxation);
    PCS_TRY(pcs_friction_contact_check(problem, arena->ctx, r));
    if (problem->W->n == 0)
        return PCS_OK;

    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    pcs_nsgs_work work;
    pcs_status status = pcs_nsgs_work_init(&work, problem, arena, r);
    if (status == PCS_OK) {
        bool done = pcs_nsgs_run(&work, problem, opts, opts->max_iterations, r, u,
                                 &info->iterations);
        info->residual = pcs_nsgs_finish(&work, problem, r, u);
        status = done ? PCS_OK : PCS_NOT_CONVERGED;
    }
    pcs_arena_release(arena, mark);
    return status;
}

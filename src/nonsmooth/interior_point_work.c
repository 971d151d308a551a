// Newton step of the interior point method. With the Nesterov-Todd scaling P z = P^-1 y = lambda
// the linearised equations
//     phi'(y) dy - V dz = residual,     P dz + P^-1 dy = g
// become (P^2 + phi'^-1 V) dz = P g - phi'^-1 residual. P^2 spans 1/tau to tau inside one block of
// a slipping contact, so that the sum would lose V. Times L = (1 + P^2)^-1, formed from
// eigenvalues, nothing large is left: the factored matrix is
//     L (P^2 + regularisation) S^-1 + L phi'^-1 S W     with the unknown S dz.
#include "nonsmooth/interior_point_work.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/cone.h"

// Added to the diagonal of V, which is of order one: a proximal term with the iterate as centre. It
// stands for the scaling of sticking contacts, that goes to zero, where W is singular. Raised by
// RISE up to its limit when a pivot fails.
static const double REGULARISATION = 1e-12, REGULARISATION_MAX = 1e-4, RISE = 100.0;
// Corrections of a linear solve with its own residual.
enum { REFINEMENTS = 1 };

static double block_trace(const pcs_block_matrix *W, int32_t i)
{
    const int32_t size = W->offset[i + 1] - W->offset[i];
    const double *block = W->value + W->value_start[W->diagonal[i]];
    double trace = 0.0;
    for (int32_t k = 0; k < size; k++)
        trace += block[k * size + k];
    return trace / (double)size;
}

static void set_scales(pcs_interior_work *work)
{
    const pcs_block_matrix *W = work->problem->W;
    double largest = 0.0, unit = 0.0;
    for (int32_t i = 0; i < work->n; i++)
        largest = fmax(largest, block_trace(W, i));
    if (!(largest > 0.0))
        largest = 1.0;
    for (int32_t i = 0; i < work->n; i++) {
        const double trace = block_trace(W, i);
        const double c = 1.0 / sqrt(trace > DBL_EPSILON * largest ? trace : largest);
        const bool friction = work->cone[i] > 1;
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++) {
            work->S[k] = friction && k == W->offset[i] ? c / work->problem->mu[i] : c;
            unit = fmax(unit, fabs(work->S[k] * work->problem->q[k]));
        }
    }
    work->unit = unit > 0.0 && isfinite(unit) ? unit : 1.0;
    for (int32_t k = 0; k < work->rows; k++)
        work->b[k] = work->S[k] * work->problem->q[k] / work->unit;
}

pcs_status pcs_interior_work_init(pcs_interior_work *work, const pcs_friction_contact *problem,
                                  pcs_arena *arena)
{
    const int32_t n = problem->W->n, rows = problem->W->offset[n];
    enum { ROW_VECTORS = 8 };
    *work = (pcs_interior_work){.problem = problem,
                                .n = n,
                                .rows = rows,
                                .embedded = true,
                                .regularisation = REGULARISATION};
    double *row = PCS_ARENA_ARRAY(arena, double, ROW_VECTORS *(int64_t)rows);
    work->cone = PCS_ARENA_ARRAY(arena, int32_t, n);
    work->z = PCS_ARENA_ARRAY(arena, pcs_cone_point, 2 * (int64_t)n);
    work->scaling = PCS_ARENA_ARRAY(arena, pcs_cone_scaling, n);
    work->s = PCS_ARENA_ARRAY(arena, double, n);
    work->E = PCS_ARENA_ARRAY(arena, double, 2 * PCS_BLOCK_LU_STRIDE * (int64_t)n);
    if (!row || !work->cone || !work->z || !work->scaling || !work->s || !work->E)
        return PCS_ERROR_MEMORY;
    work->y = work->z + n;
    work->F = work->E + PCS_BLOCK_LU_STRIDE * (int64_t)n;
    double **vector[ROW_VECTORS] = {&work->S,   &work->b,       &work->free_z, &work->residual,
                                    &work->rhs, &work->product, &work->r,      &work->solution};
    for (int v = 0; v < ROW_VECTORS; v++)
        *vector[v] = row + v * (int64_t)rows;
    memset(work->free_z, 0, (size_t)rows * sizeof *row);
    for (int32_t i = 0; i < n; i++) {
        const int32_t size = problem->W->offset[i + 1] - problem->W->offset[i];
        const bool friction = size > 1 && !pcs_is_bilateral(problem, i) && problem->mu[i] > 0.0;
        work->cone[i] = pcs_is_bilateral(problem, i) ? 0 : friction ? size : 1;
        work->cones += work->cone[i] > 0;
        work->s[i] = 0.0;
    }
    set_scales(work);
    PCS_TRY(pcs_block_lu_analyse(arena, problem->W, NULL, &work->lu));
    if (problem->watch)
        pcs_block_lu_set_watch(work->lu, *problem->watch);
    return PCS_OK;
}

pcs_status pcs_interior_direction_init(pcs_interior_direction *direction,
                                       const pcs_interior_work *work, pcs_arena *arena)
{
    direction->z = PCS_ARENA_ARRAY(arena, double, 3 * (int64_t)work->rows);
    direction->z_normal = PCS_ARENA_ARRAY(arena, double, 2 * (int64_t)work->n);
    if (!direction->z || !direction->z_normal)
        return PCS_ERROR_MEMORY;
    direction->y = direction->z + work->rows;
    direction->mixed = direction->y + work->rows;
    direction->y_normal = direction->z_normal + work->n;
    memset(direction->z, 0, 3 * (size_t)work->rows * sizeof *direction->z);
    return PCS_OK;
}

void pcs_interior_start_cold(pcs_interior_work *work, double scale)
{
    static const double none[2] = {0.0, 0.0};
    for (int32_t i = 0; i < work->n; i++) {
        pcs_cone_point_set(1, scale, none, &work->z[i]);
        pcs_cone_point_set(1, 1.0 / scale, none, &work->y[i]);
    }
    memset(work->free_z, 0, (size_t)work->rows * sizeof *work->free_z);
}

// z and v = z - y of a contact at impulses r, velocities u
static void scaled_pair(const pcs_interior_work *work, int32_t i, const double *r, const double *u,
                        double z[3], double v[3])
{
    const int32_t first = work->problem->W->offset[i];
    double slip = 0.0;
    for (int32_t k = 0; k < work->cone[i]; k++) {
        const double S = work->S[first + k], y = S * u[first + k] / work->unit;
        z[k] = r[first + k] / (S * work->unit);
        v[k] = z[k] - y;
        slip += k > 0 ? y * y : 0.0;
    }
    v[0] -= sqrt(slip);
}

double pcs_interior_error(pcs_interior_work *work, const double *r)
{
    const int32_t *offset = work->problem->W->offset;
    double *u = work->product, largest = 0.0;
    pcs_friction_contact_velocity(work->problem, r, u);
    for (int32_t i = 0; i < work->n; i++) {
        double z[3], v[3];
        if (work->cone[i] == 0) {
            for (int32_t k = offset[i]; k < offset[i + 1]; k++)
                largest = fmax(largest, fabs(work->S[k] * u[k] / work->unit));
            continue;
        }
        scaled_pair(work, i, r, u, z, v);
        pcs_cone_project(1.0, work->cone[i], v);
        for (int32_t k = 0; k < work->cone[i]; k++)
            largest = fmax(largest, fabs(z[k] - v[k]));
    }
    return largest;
}

void pcs_interior_start_warm(pcs_interior_work *work, const double *r, double tau)
{
    const int32_t *offset = work->problem->W->offset;
    pcs_friction_contact_velocity(work->problem, r, work->product);
    for (int32_t i = 0; i < work->n; i++) {
        double z[3], v[3];
        if (work->cone[i] > 0) {
            scaled_pair(work, i, r, work->product, z, v);
            pcs_cone_split(work->cone[i], v, tau, &work->z[i], &work->y[i]);
        }
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            work->free_z[k] = work->cone[i] == 0 ? r[k] / (work->S[k] * work->unit) : 0.0;
    }
}

double pcs_interior_evaluate(pcs_interior_work *work)
{
    const int32_t *offset = work->problem->W->offset;
    double largest = 0.0;
    for (int32_t i = 0; i < work->n; i++)
        for (int32_t k = offset[i]; k < offset[i + 1]; k++) {
            const int32_t l = k - offset[i];
            const double z = l < work->cone[i] ? work->z[i].x[l] : work->free_z[k];
            work->solution[k] = work->S[k] * z;
            work->r[k] = work->solution[k] * work->unit;
        }
    pcs_block_matrix_multiply(work->problem->W, work->solution, work->product);
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t size = work->cone[i];
        for (int32_t k = offset[i]; k < offset[i + 1]; k++) {
            const int32_t l = k - offset[i];
            double value = work->S[k] * work->product[k] + work->b[k];
            if (size > 0 && l == 0)
                value -= work->embedded ? work->y[i].distance : work->y[i].x[0] - work->s[i];
            else if (size > 0)
                value = l < size ? value - work->y[i].x[l] : 0.0;
            work->residual[k] = value;
            largest = fmax(largest, fabs(value));
        }
    }
    return largest;
}

// The eigenvalues of L P^power (and of L times the regularisation, for power 2)
static void damped_values(const pcs_interior_work *work, int32_t i, int power, double f[3])
{
    for (int32_t k = 0; k < 3; k++) {
        const double p = work->scaling[i].value[k];
        const double high = power == 0 ? 1.0 : power == 1 ? p : p * p + work->regularisation;
        f[k] = k < work->cone[i] ? high / (1.0 + p * p) : 0.0;
    }
}

// x <- phi'^-1 x: the normal row is x_N + t . x_T
static void unbend(const pcs_interior_work *work, int32_t i, double *x)
{
    for (int32_t k = 1; k < work->cone[i] && work->embedded; k++)
        x[0] += work->scaling[i].t[k - 1] * x[k];
}

// E_i = L (P^2 + regularisation) S^-1 and F_i = L phi'^-1 S; rows without a law are r = 0.
static bool fill_block(pcs_interior_work *work, int32_t i)
{
    const int32_t first = work->problem->W->offset[i];
    const int32_t size = work->problem->W->offset[i + 1] - first, cone = work->cone[i];
    double *E = work->E + PCS_BLOCK_LU_STRIDE * (int64_t)i, f_E[3];
    double *F = work->F + PCS_BLOCK_LU_STRIDE * (int64_t)i, f_F[3];
    memset(E, 0, PCS_BLOCK_LU_STRIDE * sizeof *E);
    memset(F, 0, PCS_BLOCK_LU_STRIDE * sizeof *F);
    if (cone > 0 && !pcs_cone_scale(cone, &work->z[i], &work->y[i], &work->scaling[i]))
        return false;
    if (cone > 0) {
        damped_values(work, i, 2, f_E);
        damped_values(work, i, 0, f_F);
    }
    for (int32_t k = 0; k < size; k++) { // columns
        const double S = work->S[first + k];
        double column_E[3] = {0.0, 0.0, 0.0}, column_F[3] = {0.0, 0.0, 0.0};
        if (k < cone) {
            column_E[k] = column_F[k] = 1.0;
            pcs_cone_function(cone, &work->scaling[i], f_E, column_E, column_E);
            unbend(work, i, column_F);
            pcs_cone_function(cone, &work->scaling[i], f_F, column_F, column_F);
        } else {
            column_E[k] = cone == 0 ? work->regularisation : S;
            column_F[k] = cone == 0 ? 1.0 : 0.0;
        }
        for (int32_t l = 0; l < size; l++) {
            E[l * size + k] = column_E[l] / S;
            F[l * size + k] = column_F[l] * S;
        }
    }
    return true;
}

bool pcs_interior_factor(pcs_interior_work *work)
{
    for (;;) {
        for (int32_t i = 0; i < work->n; i++)
            if (!fill_block(work, i))
                return false;
        work->factorisations++;
        if (pcs_block_lu_factor(work->lu, work->problem->W, work->E, work->F, NULL) < 0)
            return true;
        work->regularisation *= RISE;
        if (work->regularisation > REGULARISATION_MAX)
            return false;
    }
}

// rhs = L (P g - weight phi'^-1 residual)
static void fill_rhs(pcs_interior_work *work, const double *residual, double weight,
                     const pcs_interior_direction *direction)
{
    const int32_t *offset = work->problem->W->offset;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = offset[i], size = work->cone[i];
        double *rhs = work->rhs + first, f[3], part[3] = {0.0, 0.0, 0.0};
        for (int32_t k = 0; k < offset[i + 1] - first; k++)
            rhs[k] = size == 0 || k < size ? -weight * residual[first + k] : 0.0;
        if (size == 0)
            continue;
        unbend(work, i, rhs);
        damped_values(work, i, 0, f);
        pcs_cone_function(size, &work->scaling[i], f, rhs, rhs);
        damped_values(work, i, 1, f);
        pcs_cone_function(size, &work->scaling[i], f, direction->mixed + first, part);
        for (int32_t k = 0; k < size; k++)
            rhs[k] += part[k];
    }
}

// rhs - (E + F W) x, with W x in work->product
static void linear_residual(const pcs_interior_work *work, const double *x, double *out)
{
    const int32_t *offset = work->problem->W->offset;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = offset[i], size = offset[i + 1] - first;
        const double *E = work->E + PCS_BLOCK_LU_STRIDE * (int64_t)i;
        const double *F = work->F + PCS_BLOCK_LU_STRIDE * (int64_t)i;
        for (int32_t k = 0; k < size; k++) {
            double sum = work->rhs[first + k];
            for (int32_t l = 0; l < size; l++)
                sum -= E[k * size + l] * x[first + l] + F[k * size + l] * work->product[first + l];
            out[first + k] = sum;
        }
    }
}

// dy of a contact and its normal part: phi'^-1 (residual + V dz), or P (g - P dz) where P is small,
// which is then the more accurate of the two (a sticking contact: y is small, the rounding of V dz
// is not).
static void velocity_step(const pcs_interior_work *work, int32_t i, const double *residual,
                          double weight, pcs_interior_direction *direction)
{
    const int32_t first = work->problem->W->offset[i], size = work->cone[i];
    const pcs_cone_scaling *scaling = &work->scaling[i];
    double *dy = direction->y + first;
    if (scaling->value[0] > 1.0) {
        for (int32_t k = 0; k < size; k++)
            dy[k] = weight * residual[first + k] + work->S[first + k] * work->product[first + k];
        direction->y_normal[i] = dy[0];
        unbend(work, i, dy);
        if (work->embedded)
            return;
    } else {
        pcs_cone_apply(size, scaling, direction->z + first, dy);
        for (int32_t k = 0; k < size; k++)
            dy[k] = direction->mixed[first + k] - dy[k];
        pcs_cone_apply(size, scaling, dy, dy);
    }
    direction->y_normal[i] = pcs_cone_normal(size, &work->y[i], dy);
}

void pcs_interior_solve(pcs_interior_work *work, const double *residual, double weight,
                        pcs_interior_direction *direction)
{
    const pcs_block_matrix *W = work->problem->W;
    double *x = work->solution, *correction = direction->y;
    fill_rhs(work, residual, weight, direction);
    memcpy(x, work->rhs, (size_t)work->rows * sizeof *x);
    pcs_block_lu_solve(work->lu, x);
    pcs_block_matrix_multiply(W, x, work->product);
    for (int k = 0; k < REFINEMENTS; k++) {
        linear_residual(work, x, correction);
        pcs_block_lu_solve(work->lu, correction);
        for (int32_t j = 0; j < work->rows; j++)
            x[j] += correction[j];
        pcs_block_matrix_multiply(W, x, work->product);
    }
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = W->offset[i], size = work->cone[i];
        for (int32_t k = first; k < W->offset[i + 1]; k++)
            direction->z[k] = x[k] / work->S[k];
        if (size == 0)
            continue;
        velocity_step(work, i, residual, weight, direction);
        direction->z_normal[i] = pcs_cone_normal(size, &work->z[i], direction->z + first);
    }
}

double pcs_interior_max_step(const pcs_interior_work *work, const pcs_interior_direction *direction)
{
    double step = INFINITY;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = work->problem->W->offset[i], size = work->cone[i];
        if (size == 0)
            continue;
        step = fmin(step, pcs_cone_max_step(size, &work->z[i], direction->z + first,
                                            direction->z_normal[i]));
        step = fmin(step, pcs_cone_max_step(size, &work->y[i], direction->y + first,
                                            direction->y_normal[i]));
    }
    return step;
}

void pcs_interior_advance(pcs_interior_work *work, const pcs_interior_direction *direction,
                          double step)
{
    const int32_t *offset = work->problem->W->offset;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = offset[i], size = work->cone[i];
        if (size > 0) {
            pcs_cone_advance(size, &work->z[i], direction->z + first, direction->z_normal[i], step);
            pcs_cone_advance(size, &work->y[i], direction->y + first, direction->y_normal[i], step);
            continue;
        }
        for (int32_t k = first; k < offset[i + 1]; k++)
            work->free_z[k] += step * direction->z[k];
    }
}

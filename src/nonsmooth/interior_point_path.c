// Continuation along the central path of the embedded problem by arc length [AllgowerGeorg2003].
//
// The path is H(z, y, theta) = 0: V z + b - phi(y) = theta residual_0 and z o y = theta tau e. With
// friction theta need not fall along it: there are folds, where the Newton matrix J is singular and
// beyond which det J has the other sign. The direction of travel is  d theta = -sign(det J) /
// sign(det J at the start), the one rule that sharp corners of the path cannot mislead. Lengths are
// those of the scaled point: |P dz|^2 + |P^-1 dy|^2 over theta tau, and (d log theta)^2.
// One factorisation a step: its solves give the correction to the path and the tangent; the step is
// the correction, orthogonal to the tangent, and a length along the tangent.
#include <math.h>
#include <string.h>

#include "nonsmooth/interior_point_work.h"

// Length of the first step per root of the number of cones; wanted and largest deviation from the
// path, of which steps are shortened or only correct; factors of change; largest change of log
// theta; part of the way to the boundary.
static const double LENGTH_FIRST = 0.5, DEVIATION = 0.25, DEVIATION_MAX = 1.0;
static const double SHORTEN = 0.5, LENGTHEN = 2.0, LOG_MAX = 2.0, FRACTION = 0.8;
// Below it the walk makes no way.
static const double LENGTH_LAST = 1e-7;

pcs_status pcs_interior_path_init(pcs_interior_path *path, pcs_interior_work *work,
                                  pcs_arena *arena)
{
    *path = (pcs_interior_path){.theta = 1.0, .length = LENGTH_FIRST};
    path->residual_0 = PCS_ARENA_ARRAY(arena, double, 3 * (int64_t)work->rows);
    path->z = PCS_ARENA_ARRAY(arena, pcs_cone_point, 2 * (int64_t)work->n);
    if (!path->residual_0 || !path->z)
        return PCS_ERROR_MEMORY;
    path->residual = path->residual_0 + work->rows;
    path->free_z = path->residual + work->rows;
    path->y = path->z + work->n;
    pcs_interior_evaluate(work);
    memcpy(path->residual_0, work->residual, (size_t)work->rows * sizeof *work->residual);
    for (int32_t i = 0; i < work->n; i++)
        for (int32_t k = 0; k < work->cone[i]; k++)
            path->tau += work->z[i].x[k] * work->y[i].x[k];
    path->tau = work->cones > 0 ? path->tau / (double)work->cones : 1.0;
    return PCS_OK;
}

void pcs_interior_path_save(pcs_interior_path *path, const pcs_interior_work *work)
{
    memcpy(path->z, work->z, 2 * (size_t)work->n * sizeof *work->z); // z and y are one array
    memcpy(path->free_z, work->free_z, (size_t)work->rows * sizeof *work->free_z);
}

void pcs_interior_path_restore(const pcs_interior_path *path, pcs_interior_work *work)
{
    memcpy(work->z, path->z, 2 * (size_t)work->n * sizeof *work->z);
    memcpy(work->free_z, path->free_z, (size_t)work->rows * sizeof *work->free_z);
    pcs_interior_evaluate(work);
}

// g = tau lambda^-1 (the tangent with respect to log theta), less lambda for the correction
static void set_mixed(const pcs_interior_work *work, double tau, bool correction,
                      pcs_interior_direction *direction)
{
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = work->problem->W->offset[i], size = work->cone[i];
        const double right[3] = {tau, 0.0, 0.0};
        if (size == 0)
            continue;
        pcs_cone_divide(size, &work->scaling[i], right, direction->mixed + first);
        for (int32_t k = 0; k < size && correction; k++)
            direction->mixed[first + k] -= work->scaling[i].lambda[k];
    }
}

// Inner products in scaled coordinates: aa, ab, bb
static void scaled_products(const pcs_interior_work *work, const pcs_interior_direction *a,
                            const pcs_interior_direction *b, double tau, double product[3])
{
    product[0] = product[1] = product[2] = 0.0;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = work->problem->W->offset[i], size = work->cone[i];
        double a_z[3], b_z[3];
        if (size == 0)
            continue;
        pcs_cone_apply(size, &work->scaling[i], a->z + first, a_z);
        pcs_cone_apply(size, &work->scaling[i], b->z + first, b_z);
        for (int32_t k = 0; k < size; k++) {
            const double a_y = a->mixed[first + k] - a_z[k], b_y = b->mixed[first + k] - b_z[k];
            product[0] += a_z[k] * a_z[k] + a_y * a_y;
            product[1] += a_z[k] * b_z[k] + a_y * b_y;
            product[2] += b_z[k] * b_z[k] + b_y * b_y;
        }
    }
    for (int k = 0; k < 3; k++)
        product[k] /= tau;
}

// a += factor b
static void combine(const pcs_interior_work *work, pcs_interior_direction *a, double factor,
                    const pcs_interior_direction *b)
{
    for (int32_t k = 0; k < work->rows; k++) {
        a->z[k] += factor * b->z[k];
        a->y[k] += factor * b->y[k];
    }
    for (int32_t i = 0; i < work->n; i++) {
        a->z_normal[i] += factor * b->z_normal[i];
        a->y_normal[i] += factor * b->y_normal[i];
    }
}

// One step; false without factors or way to go.
static bool take_step(pcs_interior_path *path, pcs_interior_work *work,
                      pcs_interior_direction *correction, pcs_interior_direction *tangent)
{
    const double tau = path->theta * path->tau, cones = sqrt((double)work->cones);
    if (!pcs_interior_factor(work))
        return false;
    const int sign = pcs_block_lu_sign(work->lu);
    path->orientation = path->steps++ == 0 ? sign : path->orientation;
    const double way = sign * path->orientation >= 0 ? -1.0 : 1.0;
    for (int32_t k = 0; k < work->rows; k++)
        path->residual[k] = work->residual[k] - path->theta * path->residual_0[k];
    set_mixed(work, tau, true, correction);
    pcs_interior_solve(work, path->residual, 1.0, correction);
    set_mixed(work, tau, false, tangent);
    pcs_interior_solve(work, path->residual_0, -path->theta, tangent);

    double product[3];
    scaled_products(work, correction, tangent, tau, product);
    const double norm = sqrt(1.0 + product[2]), deviation = sqrt(product[0]) / cones;
    if (!isfinite(norm) || !isfinite(deviation))
        return false;
    const double change = DEVIATION / fmax(deviation, DEVIATION / LENGTHEN);
    path->length *= path->steps == 1 ? 1.0 : fmax(SHORTEN, change);
    double advance = fmin(path->length * cones, LOG_MAX * norm);
    if (deviation > DEVIATION_MAX)
        advance = 0.0;
    const double factor = way * advance / norm - product[1] / (norm * norm);
    combine(work, correction, factor, tangent);
    const double step = fmin(1.0, FRACTION * pcs_interior_max_step(work, correction));
    if (step < 1.0)
        path->length *= fmax(step, SHORTEN);
    pcs_interior_advance(work, correction, step);
    path->theta *= exp(fmax(-LOG_MAX, fmin(LOG_MAX, step * factor)));
    pcs_interior_evaluate(work);
    return path->length > LENGTH_LAST;
}

bool pcs_interior_path_follow(pcs_interior_path *path, pcs_interior_work *work,
                              pcs_monitor *monitor, pcs_interior_direction *correction,
                              pcs_interior_direction *tangent, double goal, int32_t max_steps)
{
    while (path->theta * path->tau > goal) {
        if (path->steps >= max_steps || !take_step(path, work, correction, tangent))
            return false;
        if (pcs_monitor_test(monitor, work->r))
            return false;
    }
    return true;
}

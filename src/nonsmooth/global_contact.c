// The global form of a friction contact problem: its operator, and its reduction to the local form.
#include "nonsmooth/global_contact.h"

#include <math.h>
#include <string.h>

#include "nonsmooth/reduction.h"

// q, mu and kind of the local problem; false when memory is out.
static bool copy_vectors(const pcs_problem *global, const double *q, pcs_problem *local)
{
    const size_t n = (size_t)global->contacts + (size_t)global->bilateral_rows;
    local->q = PCS_NEW_ARRAY(global->ctx, double, global->rows);
    local->mu = PCS_NEW_ARRAY(global->ctx, double, n);
    local->kind = PCS_NEW_ARRAY(global->ctx, uint8_t, n);
    if (!local->q || !local->mu || !local->kind)
        return false;
    memcpy(local->q, q, sizeof(double) * (size_t)global->rows);
    memcpy(local->mu, global->mu, sizeof(double) * n);
    memcpy(local->kind, global->kind, n);
    return true;
}

struct pcs_delassus_operator {
    pcs_context *ctx;
    const pcs_problem *global;
    pcs_mass_matrix *mass;
    double *q;    // rows
    double *v;    // dofs
    double *work; // 2 longest
};

static pcs_status create_operator(const pcs_problem *global, pcs_tasks *tasks,
                                  const pcs_watch *watch, pcs_delassus_operator **out);

pcs_status pcs_problem_reduce_within(const pcs_problem *global, pcs_tasks *tasks,
                                     const pcs_watch *watch, pcs_problem **out,
                                     pcs_delassus_operator **op_out)
{
    pcs_context *ctx = global->ctx;
    pcs_delassus_operator *op = NULL;
    *out = NULL;
    if (op_out != NULL)
        *op_out = NULL;
    if (global->problem_class != PCS_PROBLEM_GLOBAL)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "reduction: the problem is of class %s; only global ones can be reduced",
                         pcs_problem_class_name(global->problem_class));
    pcs_status status = create_operator(global, tasks, watch, &op);
    if (status != PCS_OK)
        return status;
    pcs_problem *local = pcs_problem_new(ctx);
    status = local != NULL ? PCS_OK : PCS_ERROR_MEMORY;
    if (status == PCS_OK) {
        local->problem_class = PCS_PROBLEM_LOCAL;
        local->dimension = global->dimension;
        local->contacts = global->contacts;
        local->bilateral_rows = global->bilateral_rows;
        local->rows = global->rows;
        status = copy_vectors(global, op->q, local)
                     ? pcs_reduction_form(global, op->mass, tasks, watch, &local->W)
                     : PCS_ERROR_MEMORY;
    }
    if (status == PCS_OK) { // good data may overflow in the products
        const pcs_friction_contact view = pcs_problem_local_view(local);
        status = pcs_friction_contact_check(&view, ctx, NULL);
        local->is_checked = status >= 0;
    }
    if (status == PCS_OK) {
        *out = local;
    } else {
        pcs_problem_destroy(local);
    }
    if (status == PCS_OK && op_out != NULL)
        *op_out = op;
    else
        pcs_delassus_operator_destroy(op);
    return status;
}

pcs_status pcs_problem_reduce(const pcs_problem *global, pcs_problem **out)
{
    return pcs_problem_reduce_within(global, NULL, NULL, out, NULL);
}

// ---- The operator ----

static pcs_status create_operator(const pcs_problem *global, pcs_tasks *tasks,
                                  const pcs_watch *watch, pcs_delassus_operator **out)
{
    pcs_context *ctx = global->ctx;
    *out = NULL;
    pcs_delassus_operator *op = PCS_NEW(ctx, pcs_delassus_operator);
    if (op == NULL)
        return PCS_ERROR_MEMORY;
    op->ctx = ctx;
    op->global = global;
    op->q = PCS_NEW_ARRAY(ctx, double, global->rows);
    op->v = PCS_NEW_ARRAY(ctx, double, global->dofs);
    pcs_status status = op->q != NULL && op->v != NULL ? PCS_OK : PCS_ERROR_MEMORY;
    if (status == PCS_OK)
        status = pcs_mass_matrix_create(ctx, &global->M, tasks, watch, &op->mass);
    if (status == PCS_OK) {
        op->work = PCS_NEW_ARRAY(ctx, double, 2 * (int64_t)op->mass->longest);
        status = op->work != NULL ? PCS_OK : PCS_ERROR_MEMORY;
    }
    if (status != PCS_OK) {
        pcs_delassus_operator_destroy(op);
        return status;
    }
    memcpy(op->v, global->f, sizeof(double) * (size_t)global->dofs);
    pcs_mass_matrix_solve(op->mass, op->v, op->work);
    pcs_sparse_multiply_transposed(&global->H, op->v, op->q);
    for (int32_t k = 0; k < global->rows; k++)
        op->q[k] += global->q[k];
    *out = op;
    return PCS_OK;
}

pcs_status pcs_delassus_operator_create(const pcs_problem *global, pcs_delassus_operator **out)
{
    return create_operator(global, NULL, NULL, out);
}

void pcs_delassus_operator_destroy(pcs_delassus_operator *op)
{
    if (op == NULL)
        return;
    pcs_mass_matrix_destroy(op->mass);
    pcs_free(op->ctx, op->q);
    pcs_free(op->ctx, op->v);
    pcs_free(op->ctx, op->work);
    pcs_free(op->ctx, op);
}

const double *pcs_delassus_operator_q(const pcs_delassus_operator *op)
{
    return op->q;
}

void pcs_delassus_operator_multiply(pcs_delassus_operator *op, const double *x, double *y)
{
    pcs_sparse_multiply(&op->global->H, x, op->v);
    pcs_mass_matrix_solve(op->mass, op->v, op->work);
    pcs_sparse_multiply_transposed(&op->global->H, op->v, y);
}

void pcs_delassus_operator_velocity(pcs_delassus_operator *op, const double *x, double *y)
{
    pcs_delassus_operator_multiply(op, x, y);
    for (int32_t k = 0; k < op->global->rows; k++)
        y[k] += op->q[k];
}

void pcs_delassus_operator_global_velocity(pcs_delassus_operator *op, const double *r, double *v)
{
    pcs_sparse_multiply(&op->global->H, r, v);
    for (int32_t i = 0; i < op->global->dofs; i++)
        v[i] += op->global->f[i];
    pcs_mass_matrix_solve(op->mass, v, op->work);
}

// y += s A x in extended precision
static void add_product(const pcs_sparse *A, long double s, const long double *x, long double *y)
{
    for (int32_t j = 0; j < A->pattern.n_columns; j++)
        for (int32_t e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++)
            y[A->pattern.index[e]] += s * (long double)A->value[e] * x[j];
}

// v <- M^-1 b; each pass gains the digits that the factors have, so that two or three do. `rest`
// has room for b - M v.
static void solve_refined(pcs_delassus_operator *op, const long double *b, long double *v,
                          long double *rest)
{
    enum { PASSES = 4 };
    const int32_t n = op->global->dofs;
    long double before = INFINITY;
    memset(v, 0, sizeof *v * (size_t)n);
    for (int pass = 0; pass < PASSES; pass++) {
        long double size = 0.0L;
        memcpy(rest, b, sizeof *b * (size_t)n);
        add_product(&op->global->M, -1.0L, v, rest);
        for (int32_t i = 0; i < n; i++) {
            size = fmaxl(size, fabsl(rest[i]));
            op->v[i] = (double)rest[i];
        }
        if (!(size < 0.5L * before) || size == 0.0L)
            return; // as small as extended precision gets
        before = size;
        pcs_mass_matrix_solve(op->mass, op->v, op->work);
        for (int32_t i = 0; i < n; i++)
            v[i] += (long double)op->v[i];
    }
}

pcs_status pcs_delassus_operator_refined_velocity(pcs_delassus_operator *op, const double *r,
                                                  double *u)
{
    const pcs_problem *global = op->global;
    const pcs_sparse *H = &global->H;
    const int64_t dofs = global->dofs;
    long double *b = PCS_NEW_ARRAY(op->ctx, long double, 3 * dofs + global->rows);
    if (b == NULL)
        return PCS_ERROR_MEMORY;
    long double *v = b + dofs, *x = b + 3 * dofs;
    for (int32_t i = 0; i < global->dofs; i++)
        b[i] = (long double)global->f[i];
    for (int32_t j = 0; j < global->rows; j++)
        x[j] = (long double)r[j];
    add_product(H, 1.0L, x, b);
    solve_refined(op, b, v, b + 2 * dofs);
    for (int32_t j = 0; j < global->rows; j++) {
        long double sum = (long double)global->q[j];
        for (int32_t e = H->pattern.start[j]; e < H->pattern.start[j + 1]; e++)
            sum += (long double)H->value[e] * v[H->pattern.index[e]];
        u[j] = (double)sum;
    }
    pcs_free(op->ctx, b);
    return PCS_OK;
}

bool pcs_delassus_operator_is_sparse(const pcs_delassus_operator *op)
{
    return op->mass->longest > PCS_MASS_DENSE_MAX;
}

pcs_status pcs_global_velocity(const pcs_problem *global, const double *r, double *v)
{
    pcs_delassus_operator *op = NULL;
    PCS_TRY(pcs_delassus_operator_create(global, &op));
    pcs_delassus_operator_global_velocity(op, r, v);
    pcs_delassus_operator_destroy(op);
    return PCS_OK;
}

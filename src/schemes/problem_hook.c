// The contact problem of a step as an object of its own. Schemes keep contacts without friction as
// blocks of one row; a pcs_problem, like the files that hold it, has d rows for each contact. Such
// a contact gets the tangential rows that are missing, with mu = 0 and coupled to nothing:
//
//     u_N = W_NN r_N + (rest) + q_N,   u_T = W_NN r_T + 0
//
// Its cone is { r_N >= 0, r_T = 0 }, so that r_T = 0 and u_T = 0 in every solution and the other
// rows see no difference. W_NN on the diagonal keeps the scale of the block, and the block regular.
#include "schemes/problem_hook.h"

#include <string.h>

typedef struct padded {
    int32_t dimension, count;
    int32_t *row, *column; // triplets of W
    double *value;
    double *q, *mu, *r;
} padded;

static void release(pcs_context *ctx, padded *p)
{
    pcs_free(ctx, p->row);
    pcs_free(ctx, p->column);
    pcs_free(ctx, p->value);
    pcs_free(ctx, p->q);
    pcs_free(ctx, p->mu);
    pcs_free(ctx, p->r);
}

static int32_t block_size(const pcs_block_matrix *W, int32_t i)
{
    return W->offset[i + 1] - W->offset[i];
}

static pcs_status allocate(pcs_context *ctx, const pcs_block_matrix *W, padded *p)
{
    const int64_t rows = (int64_t)p->dimension * W->n;
    int64_t count = rows - W->offset[W->n]; // of the rows that are added
    for (int32_t i = 0; i < W->n; ++i)
        for (int32_t e = W->row_start[i]; e < W->row_start[i + 1]; ++e)
            count += (int64_t)block_size(W, i) * block_size(W, W->column[e]);
    if (count > INT32_MAX || rows > INT32_MAX)
        return pcs_error(ctx, PCS_ERROR_MEMORY,
                         "contact problem: W has more than 2^31 entries, too many to hand it out");
    p->row = PCS_NEW_ARRAY(ctx, int32_t, count);
    p->column = PCS_NEW_ARRAY(ctx, int32_t, count);
    p->value = PCS_NEW_ARRAY(ctx, double, count);
    p->q = PCS_NEW_ARRAY(ctx, double, rows); // zeros
    p->mu = PCS_NEW_ARRAY(ctx, double, W->n);
    p->r = PCS_NEW_ARRAY(ctx, double, rows);
    return p->row && p->column && p->value && p->q && p->mu && p->r ? PCS_OK : PCS_ERROR_MEMORY;
}

static void put(padded *p, int32_t row, int32_t column, double value)
{
    p->row[p->count] = row;
    p->column[p->count] = column;
    p->value[p->count++] = value;
}

static void put_block(padded *p, const pcs_block_matrix *W, int32_t i, int32_t entry)
{
    const int32_t j = W->column[entry], height = block_size(W, i), width = block_size(W, j);
    const double *value = W->value + W->value_start[entry];
    for (int32_t a = 0; a < height; ++a)
        for (int32_t b = 0; b < width; ++b)
            put(p, p->dimension * i + a, p->dimension * j + b, value[a * width + b]);
}

static void fill(padded *p, const pcs_block_matrix *W, const double *q, const double *mu,
                 const double *r)
{
    const int32_t d = p->dimension;
    for (int32_t i = 0; i < W->n; ++i) {
        const int32_t size = block_size(W, i);
        const double W_NN = W->value[W->value_start[W->diagonal[i]]];
        for (int32_t e = W->row_start[i]; e < W->row_start[i + 1]; ++e)
            put_block(p, W, i, e);
        for (int32_t a = size; a < d; ++a) // any positive number serves a contact without mobility
            put(p, d * i + a, d * i + a, W_NN > 0 ? W_NN : 1);
        memcpy(p->q + d * i, q + W->offset[i], sizeof(double) * (size_t)size);
        memcpy(p->r + d * i, r + W->offset[i], sizeof(double) * (size_t)size);
        p->mu[i] = size == d ? mu[i] : 0;
    }
}

pcs_status pcs_scheme_offer_problem(const pcs_scheme *scheme, const pcs_problem_step *step,
                                    const pcs_block_matrix *W, const double *q, const double *mu,
                                    const double *r)
{
    const pcs_problem_hook *hook = scheme->problem_hook;
    if (hook->wants && !hook->wants(hook->user, step))
        return PCS_OK;
    pcs_context *ctx = scheme->ctx;
    padded p = {.dimension = pcs_model_dimension(scheme->model)};
    pcs_problem *problem = NULL;
    pcs_status status = allocate(ctx, W, &p);
    if (status >= 0) {
        fill(&p, W, q, mu, r);
        const int32_t rows = p.dimension * W->n;
        pcs_triplets triplets = {rows, rows, p.count, p.row, p.column, p.value};
        status = pcs_problem_create_local(ctx, p.dimension, W->n, 0, &triplets, p.q, p.mu,
                                          &problem);
    }
    if (status >= 0)
        status = hook->take(hook->user, step, problem, p.r);
    release(ctx, &p);
    return status < 0 ? status : PCS_OK;
}

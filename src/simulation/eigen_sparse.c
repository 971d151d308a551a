// Modes of a large model by Lanczos with shift and inversion [LehoucqSorensenYang1998]: the
// operator
//
//     y = B M x    with    [ K - sigma M  -G^T ] [y]   [M x]
//                          [ G              0  ] [p] = [ 0 ]
//
// has the eigenvectors of the problem and 1 / (omega^2 - sigma) as eigenvalues; its images obey the
// joints, so that no basis of their motions is needed. sigma < 0 keeps the matrix regular where
// bodies are free. A first pass finds out where the lowest frequencies are, a second one, if they
// are far below its shift, looks there.
#include <arpack.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "simulation/modes.h"

// Shift of the first pass, as a part of the largest K_ii / M_ii; of the second one, as a part of
// the lowest flexible omega^2; and the least that rounding of K allows.
#define FIRST_SHIFT 1e-6
#define SECOND_SHIFT 0.1
#define LEAST_SHIFT (1e3 * DBL_EPSILON)
enum { LANCZOS_RESTARTS = 500, LANCZOS_EXTRA = 20 };

// ARPACK keeps its state between calls in static variables: one solve at a time in the process.
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct lanczos {
    const pcs_eigen *e;
    int32_t n, count, vectors; // unknowns, modes, Lanczos vectors
    double sigma;
    double *K; // values of the saddle
    int64_t n_values;
    double *start, *V, *workd, *workl, *value, *p;
    a_int *select;
} lanczos;

static void lanczos_free(pcs_context *ctx, lanczos *l)
{
    void *arrays[] = {l->K, l->start, l->V, l->workd, l->workl, l->value, l->p, l->select};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
}

static pcs_status lanczos_init(lanczos *l)
{
    pcs_context *ctx = l->e->ctx;
    const int64_t n = l->n, v = l->vectors;
    l->K = PCS_NEW_ARRAY(ctx, double, l->n_values);
    l->start = PCS_NEW_ARRAY(ctx, double, n);
    l->V = PCS_NEW_ARRAY(ctx, double, n *v);
    l->workd = PCS_NEW_ARRAY(ctx, double, 3 * n);
    l->workl = PCS_NEW_ARRAY(ctx, double, v *(v + 8));
    l->value = PCS_NEW_ARRAY(ctx, double, v);
    l->p = PCS_NEW_ARRAY(ctx, double, l->e->n_rows);
    l->select = PCS_NEW_ARRAY(ctx, a_int, v);
    const bool good = l->K && l->start && l->V && l->workd && l->workl && l->value && l->p &&
                      l->select;
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

// Factors of K - sigma M with the rows
static pcs_status factorise(lanczos *l)
{
    const pcs_eigen *e = l->e;
    int64_t count;
    double *values = pcs_saddle_values(e->saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
    pcs_model_add_mass(e->model, e->c, e->saddle);
    for (int64_t i = 0; i < count; ++i)
        values[i] = l->K[i] - l->sigma * values[i];
    const pcs_status status = pcs_saddle_factor(e->saddle);
    char name[PCS_NODE_NAME_SIZE];
    if (status == PCS_ERROR_SINGULAR)
        return pcs_error(e->ctx, PCS_ERROR_MODEL,
                         "modes: the matrix of %s is singular; something that can move has neither "
                         "mass nor stiffness",
                         pcs_model_node_name(e->model, pcs_saddle_singular_node(e->saddle), name));
    return status;
}

// y = B x
static void apply(lanczos *l, const double *x, double *y)
{
    memcpy(y, x, sizeof(double) * (size_t)l->n);
    memset(l->p, 0, sizeof(double) * (size_t)l->e->n_rows);
    pcs_saddle_solve(l->e->saddle, y, l->p);
}

// A fixed start without symmetry, brought onto the joints.
static void make_start(lanczos *l)
{
    for (int32_t i = 0; i < l->n; ++i)
        l->workd[i] = cos(1.7 * i + 0.3) + 0.1;
    pcs_model_mass_multiply(l->e->model, l->e->c, l->workd, l->workd + l->n);
    apply(l, l->workd + l->n, l->start);
}

// The iteration; modes in V, omega^2 in value. The caller holds the lock.
static pcs_status iterate(lanczos *l)
{
    const pcs_eigen *e = l->e;
    a_int ido = 0, info = 1, iparam[11] = {0}, ipntr[14] = {0};
    const a_int size = l->vectors * (l->vectors + 8);
    iparam[0] = 1; // exact shifts
    iparam[2] = LANCZOS_RESTARTS;
    iparam[6] = 3; // shift and invert
    for (;;) {
        dsaupd_c(&ido, "G", l->n, "LM", l->count, 0.0, l->start, l->vectors, l->V, l->n, iparam,
                 ipntr, l->workd, l->workl, size, &info);
        const double *x = l->workd + ipntr[0] - 1;
        double *y = l->workd + ipntr[1] - 1;
        if (ido == -1) { // y = B M x; M x is not at hand
            pcs_model_mass_multiply(e->model, e->c, x, y);
            memset(l->p, 0, sizeof(double) * (size_t)e->n_rows);
            pcs_saddle_solve(e->saddle, y, l->p);
        } else if (ido == 1)
            apply(l, l->workd + ipntr[2] - 1, y);
        else if (ido == 2)
            pcs_model_mass_multiply(e->model, e->c, x, y);
        else
            break;
    }
    if (info < 0 || iparam[4] < l->count)
        return pcs_error(e->ctx, PCS_ERROR_NUMERIC,
                         "modes: Lanczos found %d of %d modes; ask for more or fewer of them",
                         info < 0 ? 0 : (int)iparam[4], (int)l->count);
    dseupd_c(1, "A", l->select, l->value, l->V, l->n, l->sigma, "G", l->n, "LM", l->count, 0.0,
             l->start, l->vectors, l->V, l->n, iparam, ipntr, l->workd, l->workl, size, &info);
    return info == 0 ? PCS_OK
                     : pcs_error(e->ctx, PCS_ERROR_NUMERIC,
                                 "modes: the shapes could not be computed (ARPACK: %d)", (int)info);
}

static pcs_status run_pass(lanczos *l, double sigma)
{
    l->sigma = sigma;
    PCS_TRY(factorise(l));
    make_start(l);
    pthread_mutex_lock(&arpack_lock);
    const pcs_status status = iterate(l);
    pthread_mutex_unlock(&arpack_lock);
    return status;
}

// Largest K_ii / M_ii, an estimate of the largest omega^2
static double largest_square(const pcs_eigen *e)
{
    double most = 0;
    for (int32_t k = 0; k < e->model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(e->model, k);
        const double *K = pcs_saddle_diagonal(e->saddle, k);
        for (int32_t j = 0; j < node->n_v; ++j)
            if (e->mass[node->v + j] > 0)
                most = fmax(most, fabs(K[j * (node->n_v + 1)]) / e->mass[node->v + j]);
    }
    return most > 0 ? most : 1;
}

// Shift of the second pass; 0: none is needed.
static double second_shift(const lanczos *l, double largest)
{
    const double rigid = 16 * l->n * DBL_EPSILON * largest;
    double lowest = HUGE_VAL;
    for (int32_t k = 0; k < l->count; ++k)
        if (l->value[k] > rigid)
            lowest = fmin(lowest, l->value[k]);
    if (lowest == HUGE_VAL)
        return 0;
    const double shift = -fmax(SECOND_SHIFT * lowest, LEAST_SHIFT * largest);
    return shift > 0.01 * l->sigma ? shift : 0;
}

// Modes into the caller's arrays, ascending, with x^T M x = 1
static void take_modes(const lanczos *l, double *square, double *shape)
{
    for (int32_t k = 0; k < l->count; ++k) {
        int32_t rank = 0; // place in the order; equal ones by number
        for (int32_t j = 0; j < l->count; ++j)
            rank += l->value[j] < l->value[k] || (j < k && l->value[j] == l->value[k]);
        const double *x = l->V + (int64_t)k * l->n;
        double norm = 0;
        pcs_model_mass_multiply(l->e->model, l->e->c, x, l->workd);
        for (int32_t i = 0; i < l->n; ++i)
            norm += x[i] * l->workd[i];
        square[rank] = l->value[k];
        for (int32_t i = 0; i < l->n; ++i)
            shape[(int64_t)rank * l->n + i] = x[i] / sqrt(norm);
    }
}

pcs_status pcs_eigen_sparse(const pcs_eigen *e, int32_t *n, double *square, double *shape,
                            int32_t *freedoms)
{
    lanczos l = {.e = e, .n = e->model->n_v};
    const double *values = pcs_saddle_values(e->saddle, &l.n_values);
    const uint8_t *redundant = pcs_saddle_redundant_rows(e->saddle);
    *freedoms = l.n - e->n_rows;
    for (int32_t i = 0; i < e->n_rows; ++i)
        *freedoms += redundant[i];
    l.count = *n < *freedoms / 2 ? *n : *freedoms / 2;
    if (l.count < 1)
        return pcs_error(e->ctx, PCS_ERROR_MODEL, "modes: the joints leave no motion");
    l.vectors = 2 * l.count + LANCZOS_EXTRA < *freedoms ? 2 * l.count + LANCZOS_EXTRA : *freedoms;
    pcs_status status = lanczos_init(&l);
    if (status == PCS_OK) {
        const double largest = largest_square(e);
        memcpy(l.K, values, sizeof(double) * (size_t)l.n_values);
        status = run_pass(&l, -FIRST_SHIFT * largest);
        const double shift = status == PCS_OK ? second_shift(&l, largest) : 0;
        if (shift < 0)
            status = run_pass(&l, shift);
    }
    if (status == PCS_OK) {
        take_modes(&l, square, shape);
        *n = l.count;
    }
    lanczos_free(e->ctx, &l);
    return status;
}

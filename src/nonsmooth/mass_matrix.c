// Groups and factors of the mass matrix. Definiteness is decided by the pivots of the symmetric
// part, dense L D L^T or sparse Cholesky: it is kept as an assumption of all solvers, because
// W = H^T M^-1 H is monotone only then.
#include "nonsmooth/mass_matrix.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

// Large groups with a smaller skew (check_symmetry) are symmetric up to the rounding of their
// entries, as far as pivots tell.
#define ROUNDING_SKEW PCS_DENSE_SINGULAR

static bool is_small(const pcs_mass_group *g)
{
    return g->size <= PCS_MASS_DENSE_MAX;
}

// ---- Groups ----

static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Joins degrees of freedom that a nonzero entry couples; roots are the smallest members.
static void join_coupled(const pcs_sparse *M, int32_t *parent)
{
    const int32_t n = M->pattern.n_columns;
    for (int32_t i = 0; i < n; i++)
        parent[i] = i;
    for (int32_t j = 0; j < n; j++)
        for (int32_t e = M->pattern.start[j]; e < M->pattern.start[j + 1]; e++) {
            if (M->value[e] == 0.0)
                continue;
            const int32_t a = find_root(parent, M->pattern.index[e]), b = find_root(parent, j);
            if (a < b)
                parent[b] = a;
            else
                parent[a] = b;
        }
}

// Numbers the groups in the order of their first members.
static pcs_status create_groups(pcs_mass_matrix *mass)
{
    const int32_t n = mass->n;
    int32_t *group_of = mass->group_of;
    join_coupled(mass->M, group_of);
    for (int32_t i = 0; i < n; i++)
        mass->n_groups += find_root(group_of, i) == i;
    mass->group = PCS_NEW_ARRAY(mass->ctx, pcs_mass_group, mass->n_groups);
    if (mass->group == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++)
        group_of[i] = find_root(group_of, i);
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) { // group_of of a root below i is its group's number already
        const int32_t g = group_of[i] == i ? count++ : group_of[group_of[i]];
        group_of[i] = g;
        mass->place[i] = mass->group[g].size++;
    }
    for (int32_t g = 0, first = 0; g < mass->n_groups; g++) {
        mass->group[g].first = first;
        first += mass->group[g].size;
        if (mass->group[g].size > mass->longest)
            mass->longest = mass->group[g].size;
    }
    for (int32_t i = 0; i < n; i++)
        mass->dof[mass->group[group_of[i]].first + mass->place[i]] = i;
    return PCS_OK;
}

// How far the groups are from symmetry. Differences that the rounding of sums makes, as in matrices
// assembled from elements, count against the diagonal: |M_ij - M_ji| / (M_ii M_jj)^1/2.
static pcs_status check_symmetry(pcs_mass_matrix *mass)
{
    const pcs_sparse *M = mass->M;
    pcs_sparse T;
    PCS_TRY(pcs_sparse_transpose(mass->ctx, M, &T));
    double *diagonal = PCS_NEW_ARRAY(mass->ctx, double, mass->n);
    for (int32_t j = 0; diagonal != NULL && j < mass->n; j++)
        for (int32_t e = M->pattern.start[j]; e < M->pattern.start[j + 1]; e++)
            if (M->pattern.index[e] == j)
                diagonal[j] = fabs(M->value[e]);
    for (int32_t j = 0; diagonal != NULL && j < mass->n; j++) {
        double *skew = &mass->group[mass->group_of[j]].skew;
        const int32_t end = M->pattern.start[j + 1], T_end = T.pattern.start[j + 1];
        int32_t e = M->pattern.start[j], t = T.pattern.start[j];
        while (e < end || t < T_end) { // both columns ascend
            const int32_t a = e < end ? M->pattern.index[e] : mass->n;
            const int32_t b = t < T_end ? T.pattern.index[t] : mass->n, i = a < b ? a : b;
            const double difference = (a == i ? M->value[e++] : 0.0) -
                                      (b == i ? T.value[t++] : 0.0);
            if (difference != 0.0) // a diagonal of zero makes it infinite
                *skew = fmax(*skew, fabs(difference) / sqrt(diagonal[i] * diagonal[j]));
        }
    }
    const pcs_status status = diagonal != NULL ? PCS_OK : PCS_ERROR_MEMORY;
    pcs_sparse_destroy(mass->ctx, &T);
    pcs_free(mass->ctx, diagonal);
    mass->symmetric = true;
    for (int32_t g = 0; g < mass->n_groups; g++)
        if (mass->group[g].skew > (is_small(&mass->group[g]) ? 0.0 : ROUNDING_SKEW))
            mass->symmetric = false;
    return status;
}

// ---- Definiteness ----

static pcs_status not_positive(const pcs_mass_matrix *mass, const pcs_mass_group *g, int32_t place)
{
    return pcs_error(
        mass->ctx, PCS_ERROR_SINGULAR,
        "mass matrix: not positive definite at degree of freedom %d; every motion needs "
        "a positive mass",
        (int)mass->dof[g->first + place]);
}

// First place where L D L^T of the symmetric part of A (dense, n x n) has D <= 0, or -1. A pivot
// that rounding could have made counts as zero. L: n*n values, row-major.
static int32_t dense_defect(int32_t n, const double *A, double *L)
{
    for (int32_t i = 0; i < n; i++) {
        double *row = L + i * n, pivot = A[i * n + i];
        for (int32_t j = 0; j < i; j++) {
            double sum = 0.5 * (A[i * n + j] + A[j * n + i]); // = L_ij D_j + sum_k<j L_ik D_k L_jk
            for (int32_t k = 0; k < j; k++)
                sum -= row[k] * L[j * n + k];
            row[j] = sum; // L_ij D_j for now
        }
        for (int32_t j = 0; j < i; j++) {
            const double scaled = row[j] / L[j * n + j];
            pivot -= row[j] * scaled;
            row[j] = scaled;
        }
        row[i] = pivot;
        if (!(pivot > PCS_DENSE_SINGULAR * fabs(A[i * n + i])))
            return i;
    }
    return -1;
}

// ---- Factors ----

// Columns of M inside a large group, in the group's places (ascending like the degrees of freedom).
static pcs_status copy_part(const pcs_mass_matrix *mass, const pcs_mass_group *g, pcs_sparse *part)
{
    const pcs_sparse_pattern *P = &mass->M->pattern;
    int64_t count = 0;
    for (int32_t b = 0; b < g->size; b++) {
        const int32_t j = mass->dof[g->first + b];
        count += P->start[j + 1] - P->start[j];
    }
    part->pattern.n_rows = part->pattern.n_columns = g->size;
    part->pattern.start = PCS_NEW_ARRAY(mass->ctx, int32_t, (int64_t)g->size + 1);
    part->pattern.index = PCS_NEW_ARRAY(mass->ctx, int32_t, count);
    part->value = PCS_NEW_ARRAY(mass->ctx, double, count);
    if (!part->pattern.start || !part->pattern.index || !part->value)
        return PCS_ERROR_MEMORY;
    int32_t at = 0;
    for (int32_t b = 0; b < g->size; b++) {
        const int32_t j = mass->dof[g->first + b];
        for (int32_t e = P->start[j]; e < P->start[j + 1]; e++)
            if (mass->M->value[e] != 0.0) {
                part->pattern.index[at] = mass->place[P->index[e]];
                part->value[at++] = mass->M->value[e];
            }
        part->pattern.start[b + 1] = at;
    }
    return PCS_OK;
}

// out <- (A + A^T)/2 with the diagonal in the pattern
static pcs_status symmetric_part(pcs_context *ctx, const pcs_sparse *A, pcs_sparse *out)
{
    const int32_t n = A->pattern.n_columns, count = A->pattern.start[n];
    const int64_t total = 2 * (int64_t)count + n;
    pcs_status status = PCS_ERROR_MEMORY;
    if (total > INT32_MAX)
        return pcs_error(ctx, PCS_ERROR_MEMORY, "mass matrix: more than 2^30 entries");
    int32_t *row = PCS_NEW_ARRAY(ctx, int32_t, total), *column = PCS_NEW_ARRAY(ctx, int32_t, total);
    double *value = PCS_NEW_ARRAY(ctx, double, total);
    if (row != NULL && column != NULL && value != NULL) {
        int32_t at = 0;
        for (int32_t j = 0; j < n; j++) {
            row[at] = column[at] = j;
            value[at++] = 0.0;
            for (int32_t e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++) {
                const int32_t i = A->pattern.index[e];
                row[at] = column[at + 1] = i;
                column[at] = row[at + 1] = j;
                value[at] = value[at + 1] = 0.5 * A->value[e];
                at += 2;
            }
        }
        status = pcs_sparse_create(ctx, n, n, at, row, column, value, NULL, out);
    }
    pcs_free(ctx, row);
    pcs_free(ctx, column);
    pcs_free(ctx, value);
    return status;
}

// Cholesky factors of the symmetric part S. They are all that is needed where M = S up to rounding;
// otherwise they prove that M is definite, and LU factors follow.
static pcs_status factor_symmetric(pcs_mass_matrix *mass, pcs_mass_group *g, const pcs_sparse *part,
                                   pcs_tasks *tasks, const pcs_watch *watch)
{
    pcs_sparse S = {0};
    int32_t defect = -1;
    if (g->skew > 0.0)
        PCS_TRY(symmetric_part(mass->ctx, part, &S));
    const pcs_status status = pcs_sparse_cholesky_create(mass->ctx, g->skew > 0.0 ? &S : part,
                                                         tasks, watch, &g->cholesky, &defect);
    pcs_sparse_destroy(mass->ctx, &S);
    return status == PCS_ERROR_SINGULAR ? not_positive(mass, g, defect) : status;
}

static pcs_status factor_large(pcs_mass_matrix *mass, pcs_mass_group *g, pcs_tasks *tasks,
                               const pcs_watch *watch)
{
    pcs_sparse part = {0};
    pcs_status status = copy_part(mass, g, &part);
    if (status == PCS_OK)
        status = factor_symmetric(mass, g, &part, tasks, watch);
    if (status == PCS_OK && g->skew > ROUNDING_SKEW) {
        pcs_sparse_cholesky_destroy(g->cholesky);
        g->cholesky = NULL;
        int32_t defect;
        status = pcs_mesh_lu_create(mass->ctx, &part, tasks, watch, &g->lu, &defect);
        if (status == PCS_ERROR_SINGULAR)
            status = not_positive(mass, g, defect);
    }
    pcs_sparse_destroy(mass->ctx, &part);
    return status;
}

static pcs_status invert_small(pcs_mass_matrix *mass, pcs_mass_group *g)
{
    const pcs_sparse_pattern *P = &mass->M->pattern;
    const int32_t n = g->size;
    double A[PCS_MASS_DENSE_MAX * PCS_MASS_DENSE_MAX] = {0.0};
    double work[PCS_MASS_DENSE_MAX * (PCS_MASS_DENSE_MAX + 1)];
    for (int32_t b = 0; b < n; b++) {
        const int32_t j = mass->dof[g->first + b];
        for (int32_t e = P->start[j]; e < P->start[j + 1]; e++)
            if (mass->M->value[e] != 0.0)
                A[mass->place[P->index[e]] * n + b] = mass->M->value[e];
    }
    int32_t defect = dense_defect(n, A, work);
    if (defect < 0)
        defect = pcs_dense_small_inverse(n, A, mass->inverse + g->inverse, work);
    return defect < 0 ? PCS_OK : not_positive(mass, g, defect);
}

static pcs_status factor_groups(pcs_mass_matrix *mass, pcs_tasks *tasks, const pcs_watch *watch)
{
    int64_t values = 0;
    for (int32_t i = 0; i < mass->n_groups; i++) {
        pcs_mass_group *g = &mass->group[i];
        g->inverse = is_small(g) ? values : -1;
        values += g->inverse >= 0 ? (int64_t)g->size * g->size : 0;
    }
    mass->inverse = PCS_NEW_ARRAY(mass->ctx, double, values);
    if (mass->inverse == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < mass->n_groups; i++) {
        pcs_mass_group *g = &mass->group[i];
        const pcs_status status = g->inverse >= 0 ? invert_small(mass, g)
                                                  : factor_large(mass, g, tasks, watch);
        if (status != PCS_OK)
            return status;
    }
    return PCS_OK;
}

// Lumped masses, the usual case: M is stored as a positive diagonal.
static bool is_diagonal(const pcs_sparse *M)
{
    const pcs_sparse_pattern *P = &M->pattern;
    for (int32_t j = 0; j < P->n_columns; j++)
        if (P->start[j + 1] - P->start[j] != 1 || P->index[P->start[j]] != j ||
            !(M->value[P->start[j]] > 0.0))
            return false;
    return true;
}

static pcs_status create_diagonal(pcs_mass_matrix *mass)
{
    mass->is_diagonal = mass->symmetric = true;
    mass->n_groups = mass->n;
    mass->longest = mass->n > 0 ? 1 : 0;
    mass->inverse = PCS_NEW_ARRAY(mass->ctx, double, mass->n);
    for (int32_t i = 0; mass->inverse != NULL && i < mass->n; i++)
        mass->inverse[i] = 1.0 / mass->M->value[i];
    return mass->inverse != NULL ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status create_general(pcs_mass_matrix *mass, pcs_tasks *tasks, const pcs_watch *watch)
{
    mass->group_of = PCS_NEW_ARRAY(mass->ctx, int32_t, mass->n);
    mass->place = PCS_NEW_ARRAY(mass->ctx, int32_t, mass->n);
    mass->dof = PCS_NEW_ARRAY(mass->ctx, int32_t, mass->n);
    if (mass->group_of == NULL || mass->place == NULL || mass->dof == NULL)
        return PCS_ERROR_MEMORY;
    PCS_TRY(create_groups(mass));
    PCS_TRY(check_symmetry(mass));
    return factor_groups(mass, tasks, watch);
}

pcs_status pcs_mass_matrix_create(pcs_context *ctx, const pcs_sparse *M, pcs_tasks *tasks,
                                  const pcs_watch *watch, pcs_mass_matrix **out)
{
    *out = NULL;
    pcs_mass_matrix *mass = PCS_NEW(ctx, pcs_mass_matrix);
    if (mass == NULL)
        return PCS_ERROR_MEMORY;
    mass->ctx = ctx;
    mass->M = M;
    mass->n = M->pattern.n_columns;
    const pcs_status status = is_diagonal(M) ? create_diagonal(mass)
                                             : create_general(mass, tasks, watch);
    if (status == PCS_OK)
        *out = mass;
    else
        pcs_mass_matrix_destroy(mass);
    return status;
}

void pcs_mass_matrix_destroy(pcs_mass_matrix *mass)
{
    if (mass == NULL)
        return;
    pcs_context *ctx = mass->ctx;
    for (int32_t i = 0; mass->group != NULL && i < mass->n_groups; i++) {
        pcs_sparse_cholesky_destroy(mass->group[i].cholesky);
        pcs_mesh_lu_destroy(mass->group[i].lu);
    }
    pcs_free(ctx, mass->group);
    pcs_free(ctx, mass->group_of);
    pcs_free(ctx, mass->place);
    pcs_free(ctx, mass->dof);
    pcs_free(ctx, mass->inverse);
    pcs_free(ctx, mass);
}

// ---- Solutions ----

void pcs_mass_matrix_solve_group(const pcs_mass_matrix *mass, int32_t group, int32_t count,
                                 double *x, double *work)
{
    for (int32_t c = 0; mass->is_diagonal && c < count; c++)
        x[c] *= mass->inverse[group];
    if (mass->is_diagonal)
        return;
    const pcs_mass_group *g = &mass->group[group];
    const int32_t n = g->size;
    if (g->inverse < 0) {
        for (int32_t c = 0; c < count; c++, x += n)
            if (g->cholesky != NULL)
                pcs_sparse_cholesky_solve(g->cholesky, x);
            else
                pcs_mesh_lu_solve(g->lu, x);
        return;
    }
    const double *inverse = mass->inverse + g->inverse;
    for (int32_t c = 0; c < count; c++, x += n) {
        for (int32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; k++)
                sum += inverse[i * n + k] * x[k];
            work[i] = sum;
        }
        memcpy(x, work, sizeof(double) * (size_t)n);
    }
}

void pcs_mass_matrix_solve(const pcs_mass_matrix *mass, double *x, double *work)
{
    double *part = work + mass->longest;
    for (int32_t i = 0; mass->is_diagonal && i < mass->n; i++)
        x[i] *= mass->inverse[i];
    if (mass->is_diagonal)
        return;
    for (int32_t i = 0; i < mass->n_groups; i++) {
        const int32_t *dof = mass->dof + mass->group[i].first, n = mass->group[i].size;
        for (int32_t k = 0; k < n; k++)
            part[k] = x[dof[k]];
        pcs_mass_matrix_solve_group(mass, i, 1, part, work);
        for (int32_t k = 0; k < n; k++)
            x[dof[k]] = part[k];
    }
}

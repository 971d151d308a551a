// Groups and factors of the mass matrix. Definiteness is decided by L D L^T of the symmetric part,
// dense or sparse up-looking [Davis2006, ch. 4]: D > 0 is kept as an assumption of all solvers,
// because W = H^T M^-1 H is monotone only then.
#include "nonsmooth/mass_matrix.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/ordering.h"

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

static pcs_status check_symmetry(pcs_mass_matrix *mass)
{
    const pcs_sparse *M = mass->M;
    pcs_sparse T;
    PCS_TRY(pcs_sparse_transpose(mass->ctx, M, &T));
    const int32_t n = mass->n, entries = M->pattern.start[n];
    mass->symmetric = memcmp(M->pattern.start, T.pattern.start,
                             sizeof(int32_t) * ((size_t)n + 1)) == 0;
    for (int32_t e = 0; e < entries && mass->symmetric; e++)
        mass->symmetric = M->pattern.index[e] == T.pattern.index[e] && M->value[e] == T.value[e];
    pcs_sparse_destroy(mass->ctx, &T);
    return PCS_OK;
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

// Work of the sparse L D L^T: columns of L, elimination tree, one dense row.
typedef struct sparse_ldl {
    int32_t n;
    int32_t *order, *position; // order[k]: place eliminated at step k
    int32_t *parent, *flag, *start, *filled, *pattern;
    int32_t *index;
    double *value, *D, *row;
} sparse_ldl;

// Steps i < k that row k of L depends on, by climbing the tree from the entries of row k of A. With
// `counting`, flags and parents are built and the columns counted; otherwise the pattern of row k
// stands topologically sorted in pattern[top .. n), top is returned.
static int32_t row_pattern(sparse_ldl *f, const pcs_sparse *A, int32_t k, bool counting)
{
    const int32_t column = f->order[k];
    int32_t top = f->n;
    f->flag[k] = k;
    if (counting)
        f->parent[k] = -1;
    for (int32_t e = A->pattern.start[column]; e < A->pattern.start[column + 1]; e++) {
        int32_t i = f->position[A->pattern.index[e]], length = 0;
        if (i > k)
            continue;
        f->row[i] += A->value[e];
        for (; f->flag[i] != k; i = f->parent[i]) {
            if (counting) {
                if (f->parent[i] == -1)
                    f->parent[i] = k;
                f->filled[i]++;
            }
            f->pattern[length++] = i;
            f->flag[i] = k;
        }
        while (length > 0)
            f->pattern[--top] = f->pattern[--length];
    }
    return top;
}

// First step with D <= 0, or -1. A is the symmetric part, full.
static int32_t eliminate(sparse_ldl *f, const pcs_sparse *A)
{
    memset(f->filled, 0, sizeof(int32_t) * (size_t)f->n);
    memset(f->row, 0, sizeof(double) * (size_t)f->n);
    for (int32_t k = 0; k < f->n; k++)
        f->flag[k] = -1;
    for (int32_t k = 0; k < f->n; k++) {
        const int32_t top = row_pattern(f, A, k, false);
        const double diagonal = f->row[k];
        double pivot = diagonal;
        f->row[k] = 0.0;
        for (int32_t t = top; t < f->n; t++) {
            const int32_t i = f->pattern[t], end = f->start[i] + f->filled[i];
            const double y = f->row[i]; // = L_ki D_i
            f->row[i] = 0.0;
            for (int32_t e = f->start[i]; e < end; e++)
                f->row[f->index[e]] -= f->value[e] * y;
            pivot -= y * y / f->D[i];
            f->index[end] = k;
            f->value[end] = y / f->D[i];
            f->filled[i]++;
        }
        f->D[k] = pivot;
        if (!(pivot > PCS_DENSE_SINGULAR * fabs(diagonal)))
            return k;
    }
    return -1;
}

// *defect <- place where the group is not positive definite, or -1
static pcs_status factor_ldl(pcs_context *ctx, sparse_ldl *f, const pcs_sparse *A, int32_t *defect)
{
    PCS_TRY(pcs_ordering_compute(ctx, f->n, A->pattern.start, A->pattern.index, f->order));
    for (int32_t k = 0; k < f->n; k++) {
        f->position[f->order[k]] = k;
        f->flag[k] = -1;
    }
    for (int32_t k = 0; k < f->n; k++)
        (void)row_pattern(f, A, k, true);
    int64_t count = 0;
    for (int32_t k = 0; k < f->n; k++) {
        f->start[k] = (int32_t)count;
        count += f->filled[k];
        if (count > INT32_MAX)
            return pcs_error(ctx, PCS_ERROR_MEMORY,
                             "mass matrix: factors of more than 2^31 values");
    }
    f->index = PCS_NEW_ARRAY(ctx, int32_t, count);
    f->value = PCS_NEW_ARRAY(ctx, double, count);
    if (f->index == NULL || f->value == NULL)
        return PCS_ERROR_MEMORY;
    const int32_t step = eliminate(f, A);
    *defect = step < 0 ? -1 : f->order[step];
    return PCS_OK;
}

static pcs_status sparse_defect(pcs_context *ctx, const pcs_sparse *A, int32_t *defect)
{
    const int32_t n = A->pattern.n_columns;
    sparse_ldl f = {.n = n};
    int32_t *integers = PCS_NEW_ARRAY(ctx, int32_t, 7 * (int64_t)n);
    f.D = PCS_NEW_ARRAY(ctx, double, 2 * (int64_t)n);
    pcs_status status = PCS_ERROR_MEMORY;
    if (integers != NULL && f.D != NULL) {
        int32_t **part[7] = {&f.order, &f.position, &f.parent, &f.flag,
                             &f.start, &f.filled,   &f.pattern};
        for (int32_t k = 0; k < 7; k++)
            *part[k] = integers + (int64_t)k * n;
        f.row = f.D + n;
        status = factor_ldl(ctx, &f, A, defect);
    }
    pcs_free(ctx, integers);
    pcs_free(ctx, f.D);
    pcs_free(ctx, f.index);
    pcs_free(ctx, f.value);
    return status;
}

// ---- Factors ----

// Columns of M inside a large group, in the group's places (ascending like the degrees of freedom).
static pcs_status copy_part(const pcs_mass_matrix *mass, pcs_mass_group *g)
{
    const pcs_sparse_pattern *P = &mass->M->pattern;
    int64_t count = 0;
    for (int32_t b = 0; b < g->size; b++) {
        const int32_t j = mass->dof[g->first + b];
        count += P->start[j + 1] - P->start[j];
    }
    g->part.pattern.n_rows = g->part.pattern.n_columns = g->size;
    g->part.pattern.start = PCS_NEW_ARRAY(mass->ctx, int32_t, (int64_t)g->size + 1);
    g->part.pattern.index = PCS_NEW_ARRAY(mass->ctx, int32_t, count);
    g->part.value = PCS_NEW_ARRAY(mass->ctx, double, count);
    if (!g->part.pattern.start || !g->part.pattern.index || !g->part.value)
        return PCS_ERROR_MEMORY;
    int32_t at = 0;
    for (int32_t b = 0; b < g->size; b++) {
        const int32_t j = mass->dof[g->first + b];
        for (int32_t e = P->start[j]; e < P->start[j + 1]; e++)
            if (mass->M->value[e] != 0.0) {
                g->part.pattern.index[at] = mass->place[P->index[e]];
                g->part.value[at++] = mass->M->value[e];
            }
        g->part.pattern.start[b + 1] = at;
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

static pcs_status factor_large(pcs_mass_matrix *mass, pcs_mass_group *g)
{
    pcs_sparse S;
    int32_t defect = -1;
    PCS_TRY(copy_part(mass, g));
    PCS_TRY(symmetric_part(mass->ctx, &g->part, &S));
    pcs_status status = sparse_defect(mass->ctx, &S, &defect);
    pcs_sparse_destroy(mass->ctx, &S);
    PCS_TRY(status);
    if (defect >= 0)
        return not_positive(mass, g, defect);
    PCS_TRY(pcs_sparse_lu_create(mass->ctx, &g->part.pattern, &g->lu));
    status = pcs_sparse_lu_factor(g->lu, g->part.value);
    if (status == PCS_ERROR_SINGULAR)
        return not_positive(mass, g, pcs_sparse_lu_singular_column(g->lu));
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

static pcs_status factor_groups(pcs_mass_matrix *mass)
{
    int64_t values = 0;
    for (int32_t i = 0; i < mass->n_groups; i++) {
        pcs_mass_group *g = &mass->group[i];
        g->inverse = g->size <= PCS_MASS_DENSE_MAX ? values : -1;
        values += g->inverse >= 0 ? (int64_t)g->size * g->size : 0;
    }
    mass->inverse = PCS_NEW_ARRAY(mass->ctx, double, values);
    if (mass->inverse == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < mass->n_groups; i++) {
        pcs_mass_group *g = &mass->group[i];
        PCS_TRY(g->inverse >= 0 ? invert_small(mass, g) : factor_large(mass, g));
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

static pcs_status create_general(pcs_mass_matrix *mass)
{
    mass->group_of = PCS_NEW_ARRAY(mass->ctx, int32_t, mass->n);
    mass->place = PCS_NEW_ARRAY(mass->ctx, int32_t, mass->n);
    mass->dof = PCS_NEW_ARRAY(mass->ctx, int32_t, mass->n);
    if (mass->group_of == NULL || mass->place == NULL || mass->dof == NULL)
        return PCS_ERROR_MEMORY;
    PCS_TRY(create_groups(mass));
    PCS_TRY(check_symmetry(mass));
    return factor_groups(mass);
}

pcs_status pcs_mass_matrix_create(pcs_context *ctx, const pcs_sparse *M, pcs_mass_matrix **out)
{
    *out = NULL;
    pcs_mass_matrix *mass = PCS_NEW(ctx, pcs_mass_matrix);
    if (mass == NULL)
        return PCS_ERROR_MEMORY;
    mass->ctx = ctx;
    mass->M = M;
    mass->n = M->pattern.n_columns;
    const pcs_status status = is_diagonal(M) ? create_diagonal(mass) : create_general(mass);
    if (status >= 0)
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
        pcs_sparse_lu_destroy(mass->group[i].lu);
        pcs_sparse_destroy(ctx, &mass->group[i].part);
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
    if (g->lu != NULL) {
        pcs_sparse_lu_solve(g->lu, count, x);
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

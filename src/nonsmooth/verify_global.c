// Velocities of the global problem, for the verifier: M v = H r + f, u = H^T v + w, and with r = 0
// the velocities q; the diagonal of W = H^T M^-1 H. The degrees of freedom fall into groups that M
// does not couple (a free body is one); each group has its own factors. v is refined with residuals
// in extended precision until they stop falling.
#include "nonsmooth/verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/mesh_lu.h"

typedef long double real;

enum {
    DENSE_GROUP = 48,     // up to here a dense LU in extended precision, beyond a sparse one; the
                          // solvers have Cholesky factors there, where M is symmetric
    REFINEMENTS_MAX = 20, // each gains the digits that the factors have: more than one is rare
};

typedef struct group {
    int32_t first, size; // dof[first .. first+size)
    real *dense;         // row-major LU, or NULL
    int32_t *pivot;
    pcs_mesh_lu *mesh; // large groups
    pcs_sparse sub;    // with `lu`: large groups that need an exchange of rows
    pcs_sparse_lu *lu;
    int32_t visited; // 1 + column of H that touched the group last
} group;

typedef struct mass {
    const pcs_problem *problem;
    pcs_context *ctx;
    int32_t n_groups;
    group *groups;
    int32_t *group_of; // dofs
    int32_t *place;    // dofs: index inside the group
    int32_t *dof;      // dofs, by groups
    double *work;      // longest group
    real *x;           // longest group
} mass;

static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Groups in the order of their first degree of freedom, from the nonzeros of M.
static pcs_status find_groups(mass *m)
{
    const pcs_sparse *M = &m->problem->M;
    const int32_t n = m->problem->dofs;
    int32_t *parent = m->group_of, *size = m->place; // first uses of both arrays
    for (int32_t i = 0; i < n; i++)
        parent[i] = i;
    for (int32_t j = 0; j < n; j++)
        for (int32_t e = M->pattern.start[j]; e < M->pattern.start[j + 1]; e++)
            if (M->value[e] != 0.0) {
                const int32_t a = find_root(parent, M->pattern.index[e]);
                const int32_t b = find_root(parent, j);
                parent[a > b ? a : b] = a > b ? b : a; // roots are the smallest members
            }
    for (int32_t i = 0; i < n; i++) {
        parent[i] = find_root(parent, i); // = group of the root, once it has one
        m->n_groups += parent[i] == i;
    }
    m->groups = PCS_NEW_ARRAY(m->ctx, group, m->n_groups);
    if (m->groups == NULL)
        return PCS_ERROR_MEMORY;
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) { // a root stands before its members
        const int32_t g = parent[i] == i ? count++ : parent[parent[i]];
        parent[i] = g;
        size[i] = m->groups[g].size++;
    }
    for (int32_t g = 1; g < m->n_groups; g++)
        m->groups[g].first = m->groups[g - 1].first + m->groups[g - 1].size;
    for (int32_t i = 0; i < n; i++)
        m->dof[m->groups[m->group_of[i]].first + m->place[i]] = i;
    return PCS_OK;
}

static pcs_status singular(const mass *m, const group *g, int32_t local)
{
    return pcs_error(m->ctx, PCS_ERROR_SINGULAR,
                     "verify: M is singular at degree of freedom %d; give it a mass",
                     (int)m->dof[g->first + local]);
}

// P A = L U by rows in place; a pivot that the rounding of A's entries could have made is singular.
static pcs_status factor_dense(const mass *m, group *g)
{
    const int32_t n = g->size;
    real *A = g->dense;
    for (int32_t c = 0; c < n; c++) {
        real column = 0.0L;
        int32_t p = c;
        for (int32_t i = 0; i < n; i++)
            column = fmaxl(column, fabsl(A[i * n + c])); // entries of U above, Schur part below
        for (int32_t i = c + 1; i < n; i++)
            if (fabsl(A[i * n + c]) > fabsl(A[p * n + c]))
                p = i;
        g->pivot[c] = p;
        if (!(fabsl(A[p * n + c]) > (real)DBL_EPSILON * column))
            return singular(m, g, c);
        for (int32_t k = 0; k < n && p != c; k++) {
            const real swap = A[c * n + k];
            A[c * n + k] = A[p * n + k];
            A[p * n + k] = swap;
        }
        for (int32_t i = c + 1; i < n; i++) {
            const real factor = A[i * n + c] /= A[c * n + c];
            for (int32_t k = c + 1; k < n && factor != 0.0L; k++)
                A[i * n + k] -= factor * A[c * n + k];
        }
    }
    return PCS_OK;
}

static pcs_status create_dense(mass *m, group *g)
{
    const pcs_sparse *M = &m->problem->M;
    g->dense = PCS_NEW_ARRAY(m->ctx, real, (int64_t)g->size * g->size);
    g->pivot = PCS_NEW_ARRAY(m->ctx, int32_t, g->size);
    if (g->dense == NULL || g->pivot == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t b = 0; b < g->size; b++) {
        const int32_t j = m->dof[g->first + b];
        for (int32_t e = M->pattern.start[j]; e < M->pattern.start[j + 1]; e++)
            if (M->value[e] != 0.0)
                g->dense[m->place[M->pattern.index[e]] * g->size + b] = (real)M->value[e];
    }
    return factor_dense(m, g);
}

static pcs_status create_sparse(mass *m, group *g)
{
    const pcs_sparse *M = &m->problem->M;
    pcs_sparse_pattern *P = &g->sub.pattern;
    int32_t count = 0;
    for (int32_t b = 0; b < g->size; b++) {
        const int32_t j = m->dof[g->first + b];
        count += M->pattern.start[j + 1] - M->pattern.start[j];
    }
    P->n_rows = P->n_columns = g->size;
    P->start = PCS_NEW_ARRAY(m->ctx, int32_t, g->size + 1);
    P->index = PCS_NEW_ARRAY(m->ctx, int32_t, count);
    g->sub.value = PCS_NEW_ARRAY(m->ctx, double, count);
    if (P->start == NULL || P->index == NULL || g->sub.value == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t b = 0, at = 0; b < g->size; b++) {
        const int32_t j = m->dof[g->first + b];
        for (int32_t e = M->pattern.start[j]; e < M->pattern.start[j + 1]; e++)
            if (M->value[e] != 0.0) {
                P->index[at] = m->place[M->pattern.index[e]];
                g->sub.value[at++] = M->value[e];
            }
        P->start[b + 1] = at;
    }
    int32_t defect;
    pcs_status status = pcs_mesh_lu_create(m->ctx, &g->sub, NULL, NULL, &g->mesh, &defect);
    if (status != PCS_ERROR_SINGULAR) {
        pcs_sparse_destroy(m->ctx, &g->sub);
        return status;
    }
    PCS_TRY(pcs_sparse_lu_create(m->ctx, P, &g->lu));
    status = pcs_sparse_lu_factor(g->lu, g->sub.value);
    if (status == PCS_ERROR_SINGULAR)
        return singular(m, g, pcs_sparse_lu_singular_column(g->lu));
    return status;
}

static void destroy_mass(mass *m)
{
    for (int32_t i = 0; m->groups != NULL && i < m->n_groups; i++) {
        group *g = &m->groups[i];
        pcs_free(m->ctx, g->dense);
        pcs_free(m->ctx, g->pivot);
        pcs_mesh_lu_destroy(g->mesh);
        pcs_sparse_lu_destroy(g->lu);
        pcs_sparse_destroy(m->ctx, &g->sub);
    }
    pcs_free(m->ctx, m->groups);
    pcs_free(m->ctx, m->group_of);
    pcs_free(m->ctx, m->place);
    pcs_free(m->ctx, m->dof);
    pcs_free(m->ctx, m->work);
    pcs_free(m->ctx, m->x);
}

static pcs_status create_mass(mass *m, const pcs_problem *problem)
{
    const int32_t n = problem->dofs;
    int32_t longest = 0;
    *m = (mass){.problem = problem, .ctx = problem->ctx};
    m->group_of = PCS_NEW_ARRAY(m->ctx, int32_t, n);
    m->place = PCS_NEW_ARRAY(m->ctx, int32_t, n);
    m->dof = PCS_NEW_ARRAY(m->ctx, int32_t, n);
    if (m->group_of == NULL || m->place == NULL || m->dof == NULL)
        return PCS_ERROR_MEMORY;
    PCS_TRY(find_groups(m));
    for (int32_t i = 0; i < m->n_groups; i++) {
        group *g = &m->groups[i];
        longest = g->size > longest ? g->size : longest;
        PCS_TRY(g->size <= DENSE_GROUP ? create_dense(m, g) : create_sparse(m, g));
    }
    m->work = PCS_NEW_ARRAY(m->ctx, double, longest);
    m->x = PCS_NEW_ARRAY(m->ctx, real, longest);
    return m->work != NULL && m->x != NULL ? PCS_OK : PCS_ERROR_MEMORY;
}

// x <- M_gg^-1 x to the precision of the factors
static void solve_group(mass *m, const group *g, real *x)
{
    const int32_t n = g->size;
    if (g->dense == NULL) {
        for (int32_t k = 0; k < n; k++)
            m->work[k] = (double)x[k];
        if (g->mesh != NULL)
            pcs_mesh_lu_solve(g->mesh, m->work);
        else
            pcs_sparse_lu_solve(g->lu, 1, m->work);
        for (int32_t k = 0; k < n; k++)
            x[k] = (real)m->work[k];
        return;
    }
    for (int32_t c = 0; c < n; c++) {
        const real swap = x[c];
        x[c] = x[g->pivot[c]];
        x[g->pivot[c]] = swap;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < i; k++)
            x[i] -= g->dense[i * n + k] * x[k];
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < n; k++)
            x[i] -= g->dense[i * n + k] * x[k];
        x[i] /= g->dense[i * n + i];
    }
}

// y += s A x
static void multiply_add(const pcs_sparse *A, real s, const real *x, real *y)
{
    for (int32_t j = 0; j < A->pattern.n_columns; j++)
        for (int32_t e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++)
            y[A->pattern.index[e]] += s * (real)A->value[e] * x[j];
}

static real length(int32_t n, const real *x)
{
    real sum = 0.0L;
    for (int32_t k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrtl(sum);
}

// v <- M^-1 b, refined; returns |b - M v|. work: 2 dofs.
static real solve_refined(mass *m, const real *b, real *v, real *work)
{
    const int32_t n = m->problem->dofs;
    real *trial = work, *rest = work + n, smallest = length(n, b);
    memset(v, 0, sizeof(real) * (size_t)n);
    memcpy(rest, b, sizeof(real) * (size_t)n);
    for (int32_t pass = 0; pass < REFINEMENTS_MAX && smallest > 0.0L; pass++) {
        for (int32_t i = 0; i < m->n_groups; i++) {
            const group *g = &m->groups[i];
            for (int32_t k = 0; k < g->size; k++)
                m->x[k] = rest[m->dof[g->first + k]];
            solve_group(m, g, m->x);
            for (int32_t k = 0; k < g->size; k++) {
                const int32_t j = m->dof[g->first + k];
                trial[j] = v[j] + m->x[k];
            }
        }
        memcpy(rest, b, sizeof(real) * (size_t)n);
        multiply_add(&m->problem->M, -1.0L, trial, rest);
        const real now = length(n, rest);
        if (!(now < smallest)) // as small as extended precision gets, or not a number
            break;
        memcpy(v, trial, sizeof(real) * (size_t)n);
        const bool slow = now > 0.5L * smallest;
        smallest = now;
        if (slow)
            break;
    }
    return smallest;
}

// W_jj = h^T M^-1 h with h = column j of H, group by group; the groups with mesh factors, which
// have many columns as a rule, come afterwards
static real mobility(mass *m, int32_t j)
{
    const pcs_sparse *H = &m->problem->H;
    const int32_t *row = H->pattern.index;
    const int32_t end = H->pattern.start[j + 1];
    real sum = 0.0L;
    for (int32_t e = H->pattern.start[j]; e < end; e++) {
        const int32_t i = m->group_of[row[e]];
        group *g = &m->groups[i];
        if (H->value[e] == 0.0 || g->visited == j + 1 || g->mesh != NULL)
            continue;
        g->visited = j + 1;
        memset(m->x, 0, sizeof(real) * (size_t)g->size);
        for (int32_t d = e; d < end; d++)
            if (m->group_of[row[d]] == i)
                m->x[m->place[row[d]]] += (real)H->value[d];
        solve_group(m, g, m->x);
        for (int32_t d = e; d < end; d++)
            if (m->group_of[row[d]] == i)
                sum += (real)H->value[d] * m->x[m->place[row[d]]];
    }
    return sum;
}

// Rows of H on one group, and the mobilities that their part of W_jj is added to
typedef struct group_rows {
    pcs_sparse H; // places of the group by columns
    int32_t *row; // of the problem, by column
    int32_t first;
    real *mobility;
} group_rows;

static pcs_status create_rows(const mass *m, int32_t i, group_rows *x)
{
    const pcs_sparse *H = &m->problem->H;
    const int32_t rows = m->problem->rows, end = H->pattern.start[rows];
    x->H.pattern.n_rows = m->groups[i].size;
    x->H.pattern.start = PCS_NEW_ARRAY(m->ctx, int32_t, (int64_t)rows + 1);
    x->H.pattern.index = PCS_NEW_ARRAY(m->ctx, int32_t, end);
    x->H.value = PCS_NEW_ARRAY(m->ctx, double, end);
    x->row = PCS_NEW_ARRAY(m->ctx, int32_t, rows);
    if (!x->H.pattern.start || !x->H.pattern.index || !x->H.value || !x->row)
        return PCS_ERROR_MEMORY;
    int32_t count = 0, at = 0;
    for (int32_t j = 0; j < rows; j++) {
        for (int32_t e = H->pattern.start[j]; e < H->pattern.start[j + 1]; e++)
            if (H->value[e] != 0.0 && m->group_of[H->pattern.index[e]] == i) {
                x->H.pattern.index[at] = m->place[H->pattern.index[e]];
                x->H.value[at++] = H->value[e];
            }
        x->row[count] = j;
        count += at > x->H.pattern.start[count];
        x->H.pattern.start[count] = at;
    }
    x->H.pattern.n_columns = count;
    return PCS_OK;
}

static void add_diagonal(void *user, int32_t n, const int32_t *row, const double *X,
                         int32_t row_length)
{
    const group_rows *x = user;
    for (int32_t k = 0; k < n; k++)
        x->mobility[x->row[x->first + row[k]]] += (real)X[(int64_t)k * row_length + k];
}

// The part of all W_jj that comes through one group, a few columns at a time
static pcs_status add_mobility(mass *m, int32_t i, real *mobility_of_row)
{
    enum { COLUMNS = 192 };
    group_rows x = {.mobility = mobility_of_row};
    pcs_status status = create_rows(m, i, &x);
    const int32_t count = x.H.pattern.n_columns;
    for (; status == PCS_OK && x.first < count; x.first += COLUMNS)
        status = pcs_mesh_lu_compress(m->groups[i].mesh, &x.H, x.first,
                                      x.first + COLUMNS < count ? x.first + COLUMNS : count,
                                      add_diagonal, &x);
    pcs_sparse_destroy(m->ctx, &x.H);
    pcs_free(m->ctx, x.row);
    return status;
}

static pcs_status mobilities(mass *m, real *out)
{
    for (int32_t j = 0; j < m->problem->rows; j++)
        out[j] = mobility(m, j);
    for (int32_t i = 0; i < m->n_groups; i++)
        if (m->groups[i].mesh != NULL)
            PCS_TRY(add_mobility(m, i, out));
    return PCS_OK;
}

// u = H^T v + w
static void local_velocity(const pcs_problem *problem, const real *v, real *u)
{
    const pcs_sparse *H = &problem->H;
    for (int32_t j = 0; j < problem->rows; j++) {
        real sum = (real)problem->q[j];
        for (int32_t e = H->pattern.start[j]; e < H->pattern.start[j + 1]; e++)
            sum += (real)H->value[e] * v[H->pattern.index[e]];
        u[j] = sum;
    }
}

static void velocities(mass *m, const double *r, real *storage, pcs_recomputed *out)
{
    const pcs_problem *problem = m->problem;
    const int32_t n = problem->dofs;
    real *f = storage, *b = f + n, *v = b + n, *work = v + n, norm_f, norm_Hr;
    for (int32_t i = 0; i < n; i++)
        f[i] = (real)problem->f[i];
    (void)solve_refined(m, f, v, work);
    local_velocity(problem, v, out->q);

    for (int32_t j = 0; j < problem->rows; j++)
        out->u[j] = (real)r[j];
    memset(b, 0, sizeof(real) * (size_t)n);
    multiply_add(&problem->H, 1.0L, out->u, b);
    norm_f = length(n, f);
    norm_Hr = length(n, b);
    for (int32_t i = 0; i < n; i++)
        b[i] += f[i];
    const real rest = solve_refined(m, b, v, work);
    local_velocity(problem, v, out->u);

    memset(work, 0, sizeof(real) * (size_t)n);
    multiply_add(&problem->M, 1.0L, v, work);
    const real largest = fmaxl(norm_f, fmaxl(norm_Hr, length(n, work)));
    out->equation = largest > 0.0L ? rest / largest : rest;
}

pcs_status pcs_verify_global(const pcs_problem *problem, const double *r, pcs_recomputed *out)
{
    mass m;
    pcs_status status = create_mass(&m, problem);
    if (status == PCS_OK) {
        real *storage = PCS_NEW_ARRAY(problem->ctx, real, 5 * (int64_t)problem->dofs);
        if (storage == NULL)
            status = PCS_ERROR_MEMORY;
        else
            velocities(&m, r, storage, out);
        if (status == PCS_OK)
            status = mobilities(&m, out->mobility);
        pcs_free(problem->ctx, storage);
    }
    destroy_mass(&m);
    return status;
}

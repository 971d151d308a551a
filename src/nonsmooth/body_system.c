// Conversion of a global problem of free rigid bodies into the compact form of body_sweeps.h.
//
// The bodies are the connected parts of the pattern of M or, where M is finer (a sphere has a
// diagonal mass), runs of up to six consecutive degrees of freedom. Each body is factored, M = L U
// without pivoting (stable because the symmetric part of a mass matrix is positive definite), U
// scaled so that U = L^T for a symmetric M; then H is replaced by its products with L^-1 and U^-T.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"
#include "nonsmooth/body_sweeps.h"

enum { DOF2 = PCS_BODY_DOF * PCS_BODY_DOF };

// Bodies as sets of degrees of freedom.
typedef struct partition {
    int32_t bodies;
    int32_t *body;  // of each degree of freedom
    int32_t *index; // its place inside the body, below PCS_BODY_DOF
    int32_t *size;  // of each body
} partition;

static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]]; // halves the path
        i = parent[i];
    }
    return i;
}

// Parts of the graph of M and of runs of `run` consecutive degrees of freedom, numbered by their
// smallest member; false if one has too many members.
static bool find_bodies(const pcs_sparse *M, int32_t run, partition *p)
{
    const int32_t dofs = M->pattern.n_columns;
    for (int32_t i = 0; i < dofs; i++)
        p->index[i] = i - i % run; // parent, until the bodies are known
    for (int32_t j = 0; j < dofs; j++) {
        for (int32_t e = M->pattern.start[j]; e < M->pattern.start[j + 1]; e++) {
            const int32_t a = find_root(p->index, M->pattern.index[e]);
            const int32_t b = find_root(p->index, j);
            if (M->value[e] != 0.0 && a != b)
                p->index[a > b ? a : b] = a > b ? b : a;
        }
    }
    p->bodies = 0;
    for (int32_t i = 0; i < dofs; i++) {
        const int32_t root = find_root(p->index, i);
        p->body[i] = root == i ? p->bodies++ : p->body[root];
    }
    memset(p->size, 0, (size_t)p->bodies * sizeof *p->size);
    for (int32_t i = 0; i < dofs; i++) {
        if (p->size[p->body[i]] == PCS_BODY_DOF)
            return false;
        p->index[i] = p->size[p->body[i]]++;
    }
    return true;
}

// M = L U in place: L in the lower triangle with its diagonal, U above with the same diagonal. The
// return value is the first column without a positive pivot, or -1.
static int32_t factor_body(int32_t n, double *M)
{
    for (int32_t k = 0; k < n; k++) {
        double *row = M + k * PCS_BODY_DOF;
        const double first = row[k];
        for (int32_t q = 0; q < k; q++)
            row[k] -= row[q] * M[q * PCS_BODY_DOF + k];
        if (!(row[k] > (double)n * DBL_EPSILON * first))
            return k;
        row[k] = sqrt(row[k]);
        for (int32_t i = k + 1; i < n; i++) {
            double *lower = M + i * PCS_BODY_DOF;
            for (int32_t q = 0; q < k; q++) {
                lower[k] -= lower[q] * M[q * PCS_BODY_DOF + k];
                row[i] -= row[q] * M[q * PCS_BODY_DOF + i];
            }
            lower[k] /= row[k];
            row[i] /= row[k];
        }
    }
    return -1;
}

// y <- L^-1 y, or U^-T y
static void solve_triangle(int32_t n, const double *LU, bool upper, double *y)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t q = 0; q < i; q++)
            y[i] -= LU[upper ? q * PCS_BODY_DOF + i : i * PCS_BODY_DOF + q] * y[q];
        y[i] /= LU[i * PCS_BODY_DOF + i];
    }
}

// Factors of all bodies; *symmetric tells whether L^T = U for all of them.
static pcs_status factor_bodies(const pcs_problem *problem, const partition *p, double *LU,
                                bool *symmetric)
{
    const pcs_sparse *M = &problem->M;
    memset(LU, 0, (size_t)p->bodies * DOF2 * sizeof *LU);
    for (int32_t j = 0; j < problem->dofs; j++)
        for (int32_t e = M->pattern.start[j]; e < M->pattern.start[j + 1]; e++)
            if (M->value[e] != 0.0)
                LU[(int64_t)p->body[j] * DOF2 + p->index[M->pattern.index[e]] * PCS_BODY_DOF +
                   p->index[j]] = M->value[e];
    *symmetric = true;
    for (int32_t b = 0; b < p->bodies; b++) {
        double *A = LU + (int64_t)b * DOF2;
        for (int32_t i = 0; i < p->size[b]; i++)
            for (int32_t j = 0; j < i; j++)
                if (A[i * PCS_BODY_DOF + j] != A[j * PCS_BODY_DOF + i])
                    *symmetric = false;
    }
    for (int32_t b = 0; b < p->bodies; b++)
        if (factor_body(p->size[b], LU + (int64_t)b * DOF2) >= 0)
            return pcs_error(problem->ctx, PCS_ERROR_SINGULAR,
                             "contact problem: the mass matrix of body %d of %d (%d degrees of "
                             "freedom) is not positive definite",
                             (int)b, (int)p->bodies, (int)p->size[b]);
    return PCS_OK;
}

// Bodies of each block in the order of their numbers; false if a block has more than two.
static bool find_sides(pcs_body_system *s, const pcs_problem *problem, const partition *p)
{
    const pcs_sparse *H = &problem->H;
    for (int32_t i = 0; i < s->n; i++) {
        int32_t *body = s->body + 2 * (int64_t)i;
        body[0] = body[1] = -1;
        for (int32_t e = H->pattern.start[s->offset[i]]; e < H->pattern.start[s->offset[i + 1]];
             e++) {
            const int32_t b = p->body[H->pattern.index[e]];
            if (H->value[e] == 0.0 || b == body[0] || b == body[1])
                continue;
            if (body[1] >= 0)
                return false;
            body[body[0] >= 0] = b;
        }
        if (body[1] >= 0 && body[0] > body[1]) {
            const int32_t swap = body[0];
            body[0] = body[1];
            body[1] = swap;
        }
    }
    return true;
}

static void fill_sides(pcs_body_system *s, const pcs_problem *problem, const partition *p,
                       const double *LU)
{
    const pcs_sparse *H = &problem->H;
    const size_t bytes = (size_t)s->n * 2 * PCS_SIDE_STRIDE * sizeof *s->left;
    memset(s->left, 0, bytes);
    memset(s->right, 0, bytes);
    for (int32_t i = 0; i < s->n; i++) {
        for (int32_t k = s->offset[i]; k < s->offset[i + 1]; k++) {
            for (int32_t e = H->pattern.start[k]; e < H->pattern.start[k + 1]; e++) {
                const int32_t dof = H->pattern.index[e], b = p->body[dof];
                if (H->value[e] == 0.0)
                    continue;
                const int64_t side = 2 * (int64_t)i + (b != s->body[2 * (int64_t)i]);
                const int64_t at = side * PCS_SIDE_STRIDE + (k - s->offset[i]) * PCS_BODY_DOF +
                                   p->index[dof];
                s->left[at] = s->right[at] = H->value[e];
            }
        }
    }
    for (int64_t side = 0; side < 2 * (int64_t)s->n; side++) {
        const int32_t b = s->body[side];
        if (b < 0)
            continue;
        for (int32_t a = 0; a < 3; a++) {
            const int64_t at = side * PCS_SIDE_STRIDE + a * PCS_BODY_DOF;
            solve_triangle(p->size[b], LU + (int64_t)b * DOF2, false, s->left + at);
            if (s->right != s->left)
                solve_triangle(p->size[b], LU + (int64_t)b * DOF2, true, s->right + at);
        }
    }
}

// W_ii = sum_s R_s L_s^T, the prepared contacts, and q = R x_free + w
static void fill_contacts(pcs_body_system *s, const pcs_problem *problem)
{
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t size = s->offset[i + 1] - s->offset[i];
        double *W = s->diagonal + 9 * (int64_t)i;
        memset(W, 0, 9 * sizeof *W);
        for (int64_t side = 2 * (int64_t)i; side < 2 * (int64_t)i + 2; side++)
            for (int32_t a = 0; a < size && s->body[side] >= 0; a++)
                for (int32_t b = 0; b < size; b++)
                    W[a * size + b] += pcs_kernel_dot(
                        PCS_BODY_DOF, s->right + side * PCS_SIDE_STRIDE + a * PCS_BODY_DOF,
                        s->left + side * PCS_SIDE_STRIDE + b * PCS_BODY_DOF);
        if (problem->kind[i] == PCS_BLOCK_BILATERAL)
            pcs_one_contact_prepare_bilateral(&s->contact[i], size, W);
        else
            pcs_one_contact_prepare(&s->contact[i], size, W, problem->mu[i]);
    }
}

static pcs_status allocate(pcs_body_system *s, const pcs_problem *problem, const partition *p,
                           bool symmetric, pcs_arena *arena)
{
    const int64_t n = s->n, sides = 2 * n;
    int32_t *row_start = PCS_ARENA_ARRAY(arena, int32_t, n + 1);
    int64_t *value_start = PCS_ARENA_ARRAY(arena, int64_t, n);
    s->left = PCS_ARENA_ARRAY(arena, double, sides *PCS_SIDE_STRIDE);
    s->right = symmetric ? s->left : PCS_ARENA_ARRAY(arena, double, sides *PCS_SIDE_STRIDE);
    s->x_free = PCS_ARENA_ARRAY(arena, double, (int64_t)p->bodies *PCS_BODY_STRIDE);
    s->diagonal = PCS_ARENA_ARRAY(arena, double, 9 * n);
    s->q = PCS_ARENA_ARRAY(arena, double, s->rows);
    s->contact = PCS_ARENA_ARRAY(arena, pcs_one_contact, n);
    if (!row_start || !value_start || !s->left || !s->right || !s->x_free || !s->diagonal ||
        !s->q || !s->contact)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < s->n; i++) {
        row_start[i] = i;
        value_start[i] = 9 * (int64_t)i;
    }
    row_start[n] = s->n;
    s->blocks = (pcs_block_matrix){.n = s->n,
                                   .offset = s->offset,
                                   .row_start = row_start,
                                   .column = row_start,
                                   .value_start = value_start,
                                   .diagonal = row_start,
                                   .value = s->diagonal};
    s->local = (pcs_friction_contact){
        .W = &s->blocks, .q = s->q, .mu = problem->mu, .kind = problem->kind, .is_reduced = true};
    return PCS_OK;
}

static pcs_status partition_init(partition *p, int32_t dofs, pcs_arena *arena)
{
    p->body = PCS_ARENA_ARRAY(arena, int32_t, 3 * (int64_t)dofs);
    if (p->body == NULL)
        return PCS_ERROR_MEMORY;
    p->index = p->body + dofs;
    p->size = p->index + dofs;
    return PCS_OK;
}

pcs_status pcs_body_system_init(pcs_body_system *s, const pcs_problem *problem, pcs_arena *arena,
                                bool *fits)
{
    static const int32_t runs[] = {1, 6, 3, 2, 4, 5}; // spatial and planar bodies first
    partition p = {0};
    bool symmetric = false;
    *fits = false;
    *s = (pcs_body_system){.n = problem->contacts + problem->bilateral_rows,
                           .rows = problem->rows,
                           .kind = problem->kind,
                           .w = problem->q};
    s->offset = PCS_ARENA_ARRAY(arena, int32_t, (int64_t)s->n + 1);
    s->body = PCS_ARENA_ARRAY(arena, int32_t, 2 * (int64_t)s->n);
    if (s->offset == NULL || s->body == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i <= s->n; i++)
        s->offset[i] = i <= problem->contacts
                           ? i * problem->dimension
                           : problem->contacts * problem->dimension + (i - problem->contacts);
    PCS_TRY(partition_init(&p, problem->dofs, arena));
    for (size_t k = 0; k < sizeof runs / sizeof *runs && !*fits; k++)
        *fits = problem->dofs % runs[k] == 0 && find_bodies(&problem->M, runs[k], &p) &&
                find_sides(s, problem, &p);
    if (!*fits)
        return PCS_OK;
    double *LU = PCS_ARENA_ARRAY(arena, double, (int64_t)p.bodies *DOF2);
    if (LU == NULL)
        return PCS_ERROR_MEMORY;
    s->bodies = p.bodies;
    PCS_TRY(factor_bodies(problem, &p, LU, &symmetric));
    PCS_TRY(allocate(s, problem, &p, symmetric, arena));
    fill_sides(s, problem, &p, LU);
    memset(s->x_free, 0, (size_t)p.bodies * PCS_BODY_STRIDE * sizeof *s->x_free);
    for (int32_t i = 0; i < problem->dofs; i++)
        s->x_free[(int64_t)p.body[i] * PCS_BODY_STRIDE + p.index[i]] = problem->f[i];
    for (int32_t b = 0; b < p.bodies; b++)
        solve_triangle(p.size[b], LU + (int64_t)b * DOF2, false,
                       s->x_free + (int64_t)b * PCS_BODY_STRIDE);
    fill_contacts(s, problem);
    for (int32_t i = 0; i < s->n; i++)
        pcs_body_system_contact_velocity(s, i, s->x_free, s->q + s->offset[i]);
    return PCS_OK;
}

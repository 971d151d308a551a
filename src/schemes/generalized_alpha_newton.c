// Newton's method of the generalized-alpha step. With x the change of v'_{n+1} (see the header):
//
//     index 2   [M + c_v C + c_q K T     -B^T] [x]   [-r              ]     v' += x
//               [G + (c_q/c_v) (Gv)_q T    0 ] [p] = [-(G v - rate)/c_v]    lambda += p
//     index 3   [(M + c_v C) T^{-1} + c_q K  -B^T] [x]   [-r    ]           v' += T^{-1} x
//               [G                             0 ] [p] = [-g/c_q]           lambda += p
//
// K = d(M v' - f - B^T lambda)/dq with the geometric terms of joints; those of contacts are left
// out, the residual is exact; the turning of friction is in friction_turns.h. All
// entries are of the order h^0: this is the scaling of [Haddouni2015, ch. 2], momentum rows by beta
// h^2 and unknown beta h^2 lambda, up to one common factor, so that g is met to rounding error at
// any h.
#include "schemes/generalized_alpha.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The matrix is computed anew when an iteration reduces the corrections by less than this factor.
#define RENEWAL_RATE 0.02
// The matrix with all couplings is taken when a new one without them reduces the corrections by
// less: it costs two to four times as much.
#define FULL_MATRIX_RATE 0.3
// Corrections may grow by this factor in one iteration before the step counts as too long.
#define GROWTH_MAX 4.0
// A constraint is met when its residual is this many units of rounding of the positions or
// velocities.
#define ROW_ROUNDING (8 * DBL_EPSILON)
// Changes of positions and velocities, relative to their size, that are rounding error of a solve.
#define CORRECTION_ROUNDING (4 * DBL_EPSILON)

// ---- Pattern ----

void pcs_generalized_alpha_free_rows(pcs_generalized_alpha *s)
{
    pcs_context *ctx = s->base.ctx;
    for (int k = 0; k < 2; ++k) {
        pcs_saddle_destroy(s->matrix[k].saddle);
        pcs_free(ctx, s->matrix[k].pairs);
        s->matrix[k] = (pcs_alpha_matrix){0};
    }
    void *arrays[] = {s->left, s->right, s->left_values, s->right_values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    pcs_friction_turns_free(ctx, &s->turns);
    s->left = s->right = NULL;
    s->left_values = s->right_values = NULL;
    s->n_blocks = 0;
}

static bool same_rows(const pcs_generalized_alpha *s, const pcs_smooth_terms *terms)
{
    if (!s->matrix[0].saddle || s->n_blocks != terms->n_blocks)
        return false;
    for (int32_t k = 0; k < s->n_blocks; ++k) {
        const pcs_row_block *a = &s->right[k], *b = &terms->G[k];
        if (a->size != b->size || a->n_nodes != b->n_nodes ||
            memcmp(a->node, b->node, sizeof(int32_t) * (size_t)a->n_nodes) != 0)
            return false;
    }
    return true;
}

static int64_t block_size(const pcs_model *model, const pcs_row_block *block, int32_t e)
{
    return (int64_t)block->size * pcs_model_node(model, block->node[e])->n_v;
}

// Row blocks with the pattern of `like` and storage of their own
static pcs_status create_blocks(pcs_context *ctx, const pcs_model *model, int32_t n,
                                const pcs_row_block *like, pcs_row_block **blocks, double **values)
{
    int64_t count = 0;
    for (int32_t k = 0; k < n; ++k)
        for (int32_t e = 0; e < like[k].n_nodes; ++e)
            count += block_size(model, &like[k], e);
    *blocks = PCS_NEW_ARRAY(ctx, pcs_row_block, n);
    *values = PCS_NEW_ARRAY(ctx, double, count);
    if (!*blocks || !*values)
        return PCS_ERROR_MEMORY;
    double *next = *values;
    for (int32_t k = 0; k < n; ++k) {
        (*blocks)[k] = like[k];
        for (int32_t e = 0; e < like[k].n_nodes; ++e) {
            (*blocks)[k].J[e] = next;
            next += block_size(model, &like[k], e);
        }
    }
    return PCS_OK;
}

static pcs_status create_saddle(pcs_generalized_alpha *s, pcs_alpha_matrix *matrix)
{
    const pcs_model *m = s->base.model;
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = matrix->n_pairs;
    def.coupling = (const int32_t(*)[2])matrix->pairs;
    def.n_rows = s->n_blocks;
    def.rows = s->right;
    def.left = s->left;
    return pcs_model_saddle_create(s->base.ctx, m, &def, &matrix->saddle);
}

static pcs_status create_rows(pcs_generalized_alpha *s)
{
    pcs_context *ctx = s->base.ctx;
    const pcs_model *m = s->base.model;
    pcs_generalized_alpha_free_rows(s);
    s->n_blocks = s->terms.n_blocks;
    s->used = &s->matrix[0];
    s->used->pairs = pcs_calloc(ctx, (size_t)m->n_pairs, sizeof *s->used->pairs);
    if (!s->used->pairs)
        return PCS_ERROR_MEMORY;
    s->used->n_pairs = m->n_pairs;
    if (m->n_pairs > 0)
        memcpy(s->used->pairs, m->pairs, sizeof *m->pairs * (size_t)m->n_pairs);
    PCS_TRY(create_blocks(ctx, m, s->n_blocks, s->terms.G, &s->right, &s->right_values));
    PCS_TRY(create_blocks(ctx, m, s->n_blocks, s->terms.G, &s->left, &s->left_values));
    return create_saddle(s, s->used);
}

// ---- Residual ----

// The sticking directions of a contact have no position; they are velocities in every index.
static bool has_position(const pcs_generalized_alpha *s, int32_t block, int32_t i)
{
    return block < s->base.model->row_blocks.count || i == 0;
}

static bool is_position(const pcs_generalized_alpha *s, int32_t block, int32_t i)
{
    return s->index == 3 && has_position(s, block, i);
}

// The end of the step for the present v' and shift, its terms, and the residuals.
static void evaluate(pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    for (int32_t i = 0; i < m->n_v; ++i) {
        s->v[i] = s->start_v[i] + s->c_v * s->a[i];
        s->d[i] = s->start_d[i] + s->c_q * s->a[i] + s->shift[i];
    }
    pcs_model_retract(m, s->from->q, s->d, s->q);
    s->terms = pcs_smooth_evaluate(s->base.smooth, s->from->t + s->h, s->q, s->v);
    const pcs_smooth_terms *terms = &s->terms;
    pcs_model_mass_multiply(m, terms->c, s->a, s->residual);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->residual[i] -= terms->f[i];
    for (int32_t k = 0, row = 0; k < terms->n_blocks; row += terms->G[k++].size) {
        const pcs_row_block *B = &terms->B[k];
        for (int32_t e = 0; e < B->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, B->node[e]);
            for (int32_t i = 0; i < B->size; ++i)
                for (int32_t j = 0; j < node->n_v; ++j)
                    s->residual[node->v + j] -= B->J[e][i * node->n_v + j] * s->lambda[row + i];
        }
        for (int32_t i = 0; i < B->size; ++i)
            s->row_residual[row + i] = is_position(s, k, i)
                                           ? terms->g[row + i]
                                           : pcs_model_row_multiply(m, &terms->G[k], i, s->v) -
                                                 terms->rate[row + i];
    }
}

// ---- Matrix ----

// Columns of the rotations of spatial nodes in a block with n rows of length 6: A <- A T
static void multiply_columns(int32_t n, double *A, const pcs_mat3 *T)
{
    for (int32_t i = 0; i < n; ++i)
        pcs_v3_store(A + 6 * i + 3, pcs_m3_tmul_v3(T, pcs_v3_load(A + 6 * i + 3)));
}

static pcs_mat3 chart(const pcs_generalized_alpha *s, const pcs_node *node, bool inverse)
{
    const pcs_vec3 d = pcs_v3_load(s->d + node->v + 3);
    return inverse ? pcs_so3_tangent_inverse(d) : pcs_so3_tangent(d);
}

// A <- A T or A T^{-1}
static void multiply_matrix(pcs_generalized_alpha *s, bool inverse)
{
    const pcs_model *m = s->base.model;
    for (int32_t j = 0; j < m->nodes.count; ++j) {
        const pcs_node *node = pcs_model_node(m, j);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        const pcs_mat3 T = chart(s, node, inverse);
        multiply_columns(node->n_v, pcs_saddle_diagonal(s->used->saddle, j), &T);
    }
    for (int32_t k = 0; k < s->used->n_pairs; ++k) {
        for (int e = 0; e < 2; ++e) { // A_ji has the columns of the first node
            const pcs_node *node = pcs_model_node(m, s->used->pairs[k][e]);
            if (node->kind != PCS_NODE_SPATIAL)
                continue;
            const pcs_mat3 T = chart(s, node, inverse);
            multiply_columns(pcs_model_node(m, s->used->pairs[k][1 - e])->n_v,
                             pcs_saddle_coupling(s->used->saddle, k, e == 0), &T);
        }
    }
}

// Stiffness of all terms of the momentum balance, times c_q
static void add_stiffness(pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    const pcs_configuration *c = s->terms.c;
    pcs_model_add_tangent(m, c, s->c_q, 0, s->used->saddle);
    pcs_model_mass_tangent(m, c, s->a, s->c_q, s->used->saddle);
    pcs_model_row_tangent(m, c, s->lambda, -s->c_q, s->used->saddle);
}

static void add_inertia(pcs_generalized_alpha *s)
{
    pcs_model_add_mass(s->base.model, s->terms.c, s->used->saddle);
    pcs_model_add_tangent(s->base.model, s->terms.c, 0, s->c_v, s->used->saddle);
}

// right = (c_q/c_v) d(G v)/dq T + G for index 2, G for index 3. With GGL the second multiplier
// takes away the part of c_q x that leaves the constraints, which is most of what the first term is
// about: G alone converges faster there.
static void fill_rows(pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    const pcs_smooth_terms *terms = &s->terms;
    const bool rates = s->index == 2 && !s->ggl;
    for (int32_t k = 0; k < s->n_blocks; ++k)
        for (int32_t e = 0; e < s->right[k].n_nodes; ++e)
            memset(s->right[k].J[e], 0, sizeof(double) * (size_t)block_size(m, &s->right[k], e));
    if (rates)
        pcs_model_rate_tangent(m, terms->c, s->c_q / s->c_v, s->right);
    for (int32_t k = 0; k < s->n_blocks; ++k) {
        for (int32_t e = 0; e < s->right[k].n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, s->right[k].node[e]);
            const int64_t count = block_size(m, &s->right[k], e);
            if (rates && node->kind == PCS_NODE_SPATIAL) {
                const pcs_mat3 T = chart(s, node, false);
                multiply_columns(s->right[k].size, s->right[k].J[e], &T);
            }
            for (int64_t i = 0; i < count; ++i)
                s->right[k].J[e][i] += terms->G[k].J[e][i];
            memcpy(s->left[k].J[e], terms->B[k].J[e], sizeof(double) * (size_t)count);
        }
    }
}

// Rows that depend on each other where the constraints hold do so only nearly at an iterate, hence
// the modes: decided at the beginning of a phase, looked at again once in a step.
static pcs_status factorise(pcs_generalized_alpha *s, pcs_rank_mode rank)
{
    int64_t count;
    double *values = pcs_saddle_values(s->used->saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
    if (s->index == 3) {
        add_inertia(s);
        multiply_matrix(s, true);
        add_stiffness(s);
    } else {
        add_stiffness(s);
        multiply_matrix(s, false);
        add_inertia(s);
    }
    fill_rows(s);
    pcs_saddle_set_rank(s->used->saddle, rank);
    return pcs_saddle_factor(s->used->saddle);
}

pcs_status pcs_generalized_alpha_set_rows(pcs_generalized_alpha *s, const pcs_smooth_point *at)
{
    const pcs_model *m = s->base.model;
    if (!same_rows(s, &s->terms))
        PCS_TRY(create_rows(s));
    PCS_TRY(pcs_friction_turns_reserve(s->base.ctx, s->base.smooth, &s->turns));
    s->used = &s->matrix[0];
    if (!at)
        return PCS_OK;
    // The matrix of a step of length zero, up to a factor
    memset(s->d, 0, sizeof(double) * (size_t)m->n_v);
    memcpy(s->a, at->a, sizeof(double) * (size_t)m->n_v);
    memcpy(s->lambda, at->lambda, sizeof(double) * (size_t)pcs_smooth_row_count(s->base.smooth));
    s->c_v = 1;
    s->c_q = 0;
    return factorise(s, PCS_RANK_DECIDE);
}

// Goes over to the matrix with all couplings, if that is another one. Not with redundant rows,
// whose choice belongs to the first matrix.
static pcs_status take_full_matrix(pcs_generalized_alpha *s)
{
    pcs_alpha_matrix *full = &s->matrix[1];
    const uint8_t *redundant = pcs_saddle_redundant_rows(s->used->saddle);
    for (int32_t i = 0; i < pcs_smooth_row_count(s->base.smooth); ++i)
        if (redundant[i])
            return PCS_OK;
    if (!full->pairs)
        PCS_TRY(pcs_model_all_pairs(s->base.ctx, s->base.model, &full->pairs, &full->n_pairs));
    if (full->n_pairs == s->matrix[0].n_pairs)
        return PCS_OK;
    if (!full->saddle)
        PCS_TRY(create_saddle(s, full));
    s->used = full;
    return PCS_OK;
}

// ---- Iteration ----

// Changes of local coordinates: x <- T^{-1} x
static void to_chart(pcs_generalized_alpha *s, double *x)
{
    const pcs_model *m = s->base.model;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        const pcs_mat3 T = chart(s, node, true);
        double *w = x + node->v + 3;
        pcs_v3_store(w, pcs_m3_mul_v3(&T, pcs_v3_load(w)));
    }
}

static void solve(pcs_generalized_alpha *s, double *x, double *p)
{
    pcs_saddle_solve(s->used->saddle, x, p);
    pcs_friction_turns_correct(&s->turns, false, x, p);
}

// Second multiplier: a shift of the positions that makes g = 0, in the metric of the matrix,
//     [A -B^T; G 0] [y; mu] = [0; -(g + c_q G T x)],    shift += T^{-1} y,
// with the change c_q x of the positions that the velocities bring.
static void correct_positions(pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    double *moved = s->residual, *y = s->residual; // moved is used up before y is made
    for (int32_t i = 0; i < m->n_v; ++i)
        moved[i] = s->c_q * s->x[i];
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        const pcs_mat3 T = chart(s, node, false);
        double *w = moved + node->v + 3;
        pcs_v3_store(w, pcs_m3_mul_v3(&T, pcs_v3_load(w)));
    }
    for (int32_t k = 0, row = 0; k < s->n_blocks; row += s->terms.G[k++].size)
        for (int32_t i = 0; i < s->terms.G[k].size; ++i)
            s->p[row + i] = has_position(s, k, i)
                                ? -s->terms.g[row + i] -
                                      pcs_model_row_multiply(m, &s->terms.G[k], i, moved)
                                : 0;
    memset(y, 0, sizeof(double) * (size_t)m->n_v);
    solve(s, y, s->p);
    to_chart(s, y);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->shift[i] += y[i];
}

// One correction; s->x is the change of v'.
static void correct(pcs_generalized_alpha *s)
{
    const int32_t n = s->base.model->n_v, m = pcs_smooth_row_count(s->base.smooth);
    const bool positions = s->index == 3;
    for (int32_t i = 0; i < n; ++i)
        s->x[i] = -s->residual[i];
    for (int32_t k = 0, row = 0; k < s->n_blocks; row += s->right[k++].size)
        for (int32_t i = 0; i < s->right[k].size; ++i)
            s->p[row + i] = -s->row_residual[row + i] / (is_position(s, k, i) ? s->c_q : s->c_v);
    solve(s, s->x, s->p);
    if (positions)
        to_chart(s, s->x);
    for (int32_t i = 0; i < m; ++i)
        s->lambda[i] += s->p[i];
    if (s->ggl && !positions)
        correct_positions(s);
    for (int32_t i = 0; i < n; ++i)
        s->a[i] += s->x[i];
}

// Sizes of translations and rotations over all nodes; HUGE_VAL where one is not finite, which
// maxima would not see: an element that an iterate turns inside out has no forces.
typedef struct sizes {
    double part[2];
} sizes;

static sizes measure(const pcs_model *model, const double *x)
{
    sizes size = {{0, 0}};
    double sum = 0;
    for (int32_t k = 0; k < model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(model, k);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t j = 0; j < node->n_v; ++j) {
            double *part = &size.part[j >= flat];
            *part = fmax(*part, fabs(x[node->v + j]));
            sum += fabs(x[node->v + j]);
        }
    }
    return isfinite(sum) ? size : (sizes){{HUGE_VAL, HUGE_VAL}};
}

double pcs_generalized_alpha_largest_position(const pcs_model *model, const double *q)
{
    double largest = 0;
    for (int32_t k = 0; k < model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(model, k);
        const int32_t n = node->kind == PCS_NODE_SPATIAL ? 3 : node->n_q;
        for (int32_t j = 0; j < n; ++j)
            largest = fmax(largest, fabs(q[node->q + j]));
    }
    return largest;
}

// The correction x relative to the accelerations, translations and rotations apart, in units of the
// tolerance. What changes positions and velocities by their rounding error only counts as nothing.
static double correction_size(const pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    const double tolerance = s->base.opts.newton_tolerance;
    const sizes x = measure(m, s->x), a = measure(m, s->a), v = measure(m, s->v);
    const double q = fmax(1, pcs_generalized_alpha_largest_position(m, s->q)),
                 sum = x.part[0] + x.part[1];
    double worst = 0;
    if (!isfinite(sum))
        return HUGE_VAL;
    for (int k = 0; k < 2; ++k) {
        const double rounding = CORRECTION_ROUNDING * (v.part[k] / s->c_v + q / s->c_q);
        if (x.part[k] > 0)
            worst = fmax(worst, x.part[k] / (tolerance * a.part[k] + rounding));
    }
    return worst;
}

// Largest residual of the constraints against their rounding error
static double row_error(const pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    const uint8_t *redundant = pcs_saddle_redundant_rows(s->used->saddle);
    const int32_t rows = pcs_smooth_row_count(s->base.smooth);
    const sizes v = measure(m, s->v);
    const double length = fmax(1, pcs_generalized_alpha_largest_position(m, s->q)),
                 speed = v.part[0] + v.part[1];
    const double unit = ROW_ROUNDING * (s->index == 3 ? length : fmax(speed, DBL_MIN));
    double worst = 0;
    for (int32_t i = 0; i < rows; ++i) {
        if (redundant[i])
            continue;
        worst = fmax(worst, fabs(s->row_residual[i]) / unit);
        if (s->ggl && s->index == 2)
            worst = fmax(worst, fabs(s->terms.g[i]) / (ROW_ROUNDING * length));
    }
    return worst;
}

pcs_status pcs_generalized_alpha_newton(pcs_generalized_alpha *s, bool full)
{
    double last = HUGE_VAL, rows_last = HUGE_VAL, error = HUGE_VAL;
    bool fresh = false;
    evaluate(s);
    PCS_TRY(pcs_generalized_alpha_set_rows(s, NULL)); // another phase may have been loaded
    for (s->iterations = 0; s->iterations < s->base.opts.newton_iterations; ++s->iterations) {
        const bool first = s->iterations == 0, slow = !first && error > RENEWAL_RATE * last;
        if (first ? full : fresh && error > FULL_MATRIX_RATE * last)
            PCS_TRY(take_full_matrix(s));
        fresh = first || slow;
        if (fresh) {
            const pcs_status status = factorise(s, first ? PCS_RANK_RENEW : PCS_RANK_HOLD);
            if (status != PCS_OK) // a shorter step has more of M in the matrix
                return status == PCS_ERROR_MEMORY ? status : PCS_NOT_CONVERGED;
            pcs_smooth_see_pivot(s->base.smooth, s->used->saddle);
            pcs_friction_turns_set(&s->turns, s->base.smooth, s->lambda, s->used->saddle);
            pcs_friction_turns_factor(&s->turns, s->c_v);
        }
        last = error;
        correct(s);
        evaluate(s);
        error = correction_size(s);
        const double rows = row_error(s);
        // Corrections below the tolerance that grow are rounding: a body that a stop holds at rest
        // has none in one iteration and one of 1e-26 m/s^2 in the next.
        const bool grows = error > 1 && error > GROWTH_MAX * last;
        if (!isfinite(error) || !isfinite(rows) || grows)
            return PCS_NOT_CONVERGED;
        // What is left after a correction is less by the rate of the convergence.
        const double left = last < HUGE_VAL && error < last ? error * error / last : error;
        if (left <= 1 && (rows <= 1 || rows > 0.5 * rows_last))
            return PCS_OK;
        rows_last = rows;
    }
    return PCS_NOT_CONVERGED;
}

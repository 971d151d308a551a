// Newton's method of the three problems of a nonsmooth generalized-alpha step, with the line search
// of [Galvez2020, section 5.3]: the full correction first; where the residual grows, a shorter one.
//
// An iteration solves the linearised problem for the correction y of the unknowns, the change of
// the joint multipliers and the new contact multipliers r: first y0 without contacts, then r from
// the contact law on y0 + B H^T r (nonsmooth_alpha_contact.c), then y. Convergence is measured term
// by term, after (3.55): momentum relative to the terms of each node, joints and contacts in their
// own units, so that one tolerance does not have to serve newtons and metres.
#include <float.h>
#include <string.h>

#include "schemes/nonsmooth_alpha.h"

// Imbalance of momentum, relative to the terms that produce it, that counts as rounding.
#define ROUNDING (32 * DBL_EPSILON)
// Roundings of q that a force is the sum of: elastic forces cancel at the nodes of a mesh.
#define FORCE_ROUNDING 8
// Corrections of positions and velocities, relative to their size, that are rounding of a solve.
#define CORRECTION_ROUNDING (4 * DBL_EPSILON)
// Errors within this factor of their tolerances that an iteration does not halve have met rounding.
#define ROUNDING_MARGIN 100
#define STALLED 0.5
// The iteration is given up when this many corrections have not brought the norm below this part of
// its smallest value: contact statuses that go round in circles.
#define PATIENCE 8
#define PROGRESS 0.7

typedef struct problem {
    const char *name;
    void (*evaluate)(nonsmooth_alpha *s);
    pcs_status (*matrix)(nonsmooth_alpha *s);
} problem;

static const problem problems[NA_LEVELS] = {
    [NA_SMOOTH] = {"smooth", pcs_na_evaluate_smooth, pcs_na_matrix_smooth},
    [NA_POSITION] = {"position", pcs_na_evaluate_position, pcs_na_matrix_position},
    [NA_VELOCITY] = {"velocity", pcs_na_evaluate_velocity, pcs_na_matrix_velocity},
};

// ---- Terms ----

void pcs_na_add_term(nonsmooth_alpha *s, double factor, const double *x)
{
    for (int32_t i = 0; i < s->base.model->n_v; ++i) {
        s->residual[i] += factor * x[i];
        s->scale[i] += fabs(factor * x[i]);
    }
}

void pcs_na_add_rounding(nonsmooth_alpha *s, double factor, const double *x)
{
    const double rounding = ROUNDING / s->base.options[NA_NEWTON_TOLERANCE];
    for (int32_t i = 0; i < s->base.model->n_v; ++i)
        s->scale[i] += rounding * fabs(factor * x[i]);
}

void pcs_na_add_force_rounding(nonsmooth_alpha *s, double factor)
{
    const double size = FORCE_ROUNDING * factor / s->base.options[NA_NEWTON_TOLERANCE];
    for (int32_t i = 0; i < s->base.model->n_v; ++i)
        s->scale[i] += size * s->rounding[i];
}

// residual -= J^T p, scale += |J^T p| part by part
static void subtract_block(nonsmooth_alpha *s, const pcs_row_block *block, const double *p)
{
    for (int32_t e = 0; e < block->n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(s->base.model, block->node[e]);
        const int32_t n = node->n_v;
        for (int32_t i = 0; i < block->size; ++i) {
            if (p[i] == 0)
                continue;
            for (int32_t j = 0; j < n; ++j) {
                const double part = block->J[e][i * n + j] * p[i];
                s->residual[node->v + j] -= part;
                s->scale[node->v + j] += fabs(part);
            }
        }
    }
}

void pcs_na_subtract_rows(nonsmooth_alpha *s, const pcs_row_block *rows, const double *p)
{
    const pcs_model *m = s->base.model;
    for (int32_t k = 0; k < m->row_blocks.count; ++k)
        subtract_block(s, &rows[k], p + m->row_blocks.data[k].first_row);
}

void pcs_na_subtract_contacts(nonsmooth_alpha *s, const double *r)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->closed[i])
            subtract_block(s, &s->contact_rows[i], r + 3 * i);
}

void pcs_na_subtract_spent(nonsmooth_alpha *s)
{
    for (int32_t i = 0; s->rounds > 0 && i < s->base.model->n_slots; ++i)
        if (s->touched[i] && s->spent[3 * i] > 0)
            subtract_block(s, &s->contact_rows[i], s->spent + 3 * i);
}

// ---- Charts ----

static void multiply_columns(int32_t n, double *A, const pcs_mat3 *T)
{
    for (int32_t i = 0; i < n; ++i)
        pcs_v3_store(A + 6 * i + 3, pcs_m3_tmul_v3(T, pcs_v3_load(A + 6 * i + 3)));
}

static pcs_mat3 chart(const pcs_node *node, const double *d, bool inverse)
{
    const pcs_vec3 psi = pcs_v3_load(d + node->v + 3);
    return inverse ? pcs_so3_tangent_inverse(psi) : pcs_so3_tangent(psi);
}

void pcs_na_chart_matrix(nonsmooth_alpha *s, const double *d, bool inverse)
{
    const pcs_model *m = s->base.model;
    for (int32_t j = 0; j < m->nodes.count; ++j) {
        const pcs_node *node = pcs_model_node(m, j);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        const pcs_mat3 T = chart(node, d, inverse);
        multiply_columns(node->n_v, pcs_saddle_diagonal(s->saddle, j), &T);
    }
    for (int32_t k = 0; k < m->n_pairs; ++k) {
        for (int e = 0; e < 2; ++e) { // A_ji has the columns of the first node
            const pcs_node *node = pcs_model_node(m, m->pairs[k][e]);
            if (node->kind != PCS_NODE_SPATIAL)
                continue;
            const pcs_mat3 T = chart(node, d, inverse);
            multiply_columns(pcs_model_node(m, m->pairs[k][1 - e])->n_v,
                             pcs_saddle_coupling(s->saddle, k, e == 0), &T);
        }
    }
}

void pcs_na_chart_rows(nonsmooth_alpha *s, const double *d, pcs_row_block *rows)
{
    const pcs_model *m = s->base.model;
    for (int32_t k = 0; k < m->row_blocks.count; ++k) {
        for (int32_t e = 0; e < rows[k].n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, rows[k].node[e]);
            if (node->kind != PCS_NODE_SPATIAL)
                continue;
            const pcs_mat3 T = chart(node, d, false);
            multiply_columns(rows[k].size, rows[k].J[e], &T);
        }
    }
}

void pcs_na_to_chart(const nonsmooth_alpha *s, const double *d, double *x)
{
    const pcs_model *m = s->base.model;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        const pcs_mat3 T = chart(node, d, true);
        pcs_v3_store(x + node->v + 3, pcs_m3_mul_v3(&T, pcs_v3_load(x + node->v + 3)));
    }
}

// ---- Linear system ----

void pcs_na_clear_matrix(nonsmooth_alpha *s)
{
    int64_t count;
    double *values = pcs_saddle_values(s->saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
}

pcs_status pcs_na_factor(nonsmooth_alpha *s, pcs_saddle *saddle, const pcs_row_block *right,
                         const pcs_row_block *left)
{
    s->used = saddle;
    pcs_saddle_set_rows(saddle, right, left);
    pcs_status status = pcs_saddle_factor(saddle);
    char name[PCS_NODE_NAME_SIZE];
    if (status == PCS_ERROR_SINGULAR)
        return pcs_error(
            s->base.ctx, status, "t = %g: the matrix of %s is singular; try a smaller step", s->t_n,
            pcs_model_node_name(s->base.model, pcs_saddle_singular_node(saddle), name));
    return status;
}

// ---- Errors ----

static void node_parts(const pcs_node *node, const double *x, double part[2])
{
    const int32_t flat = pcs_node_translations(node->kind);
    part[0] = part[1] = 0;
    for (int32_t j = 0; j < node->n_v; ++j)
        part[j >= flat] = fmax(part[j >= flat], fabs(x[node->v + j]));
}

// Largest translation and rotation over all nodes.
static void model_parts(const pcs_model *m, const double *x, double part[2])
{
    part[0] = part[1] = 0;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        double of_node[2];
        node_parts(pcs_model_node(m, k), x, of_node);
        part[0] = fmax(part[0], of_node[0]);
        part[1] = fmax(part[1], of_node[1]);
    }
}

// The imbalance of each node against the sizes of its terms, translations and rotations apart. The
// rounding of a linear solve spreads over the nodes, hence a floor from the largest terms of all.
static void momentum_error(const nonsmooth_alpha *s, na_level level, na_error *error)
{
    const pcs_model *m = s->base.model;
    const double *option = s->base.options, tolerance = option[NA_NEWTON_TOLERANCE];
    const double unit = level == NA_SMOOTH ? 1 : level == NA_POSITION ? s->h * s->h : s->h;
    const double rounding = ROUNDING / tolerance, floor = option[NA_FORCE_TOLERANCE] * unit;
    double most[2];
    model_parts(m, s->scale, most);
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        double part[2], scale[2], radius = s->radius[k];
        node_parts(pcs_model_node(m, k), s->residual, part);
        node_parts(pcs_model_node(m, k), s->scale, scale);
        scale[0] += floor + rounding * (most[0] + most[1] / radius);
        scale[1] += floor * radius + rounding * (most[1] + most[0] * radius);
        for (int j = 0; j < 2; ++j) {
            if (part[j] > 0 && part[j] > error->momentum * tolerance * scale[j]) {
                error->momentum = part[j] / (tolerance * scale[j]);
                error->worst_node = k;
            }
        }
    }
}

// Largest coordinate of the positions, at least 1 m: sets the level of their rounding.
static double length_scale(const pcs_model *m, const double *q)
{
    double largest = 1;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        const int32_t n = node->kind == PCS_NODE_SPATIAL ? 3 : node->n_q;
        for (int32_t j = 0; j < n; ++j)
            largest = fmax(largest, fabs(q[node->q + j]));
    }
    return largest;
}

static bool has_contacts(const nonsmooth_alpha *s, na_level level)
{
    return level == NA_SMOOTH ? s->n_persistent > 0 : s->base.model->n_slots > 0;
}

// Size of positions or velocities, at least 1.
static double row_unit(const nonsmooth_alpha *s, na_level level)
{
    const pcs_model *m = s->base.model;
    if (level == NA_POSITION)
        return 1;
    double speed[2];
    model_parts(m, level == NA_SMOOTH ? s->v_smooth : s->v, speed);
    return fmax(1, fmax(speed[0], speed[1]));
}

// Distance of the multipliers of a contact from what the law asks, over its penalty: metres, or
// m/s. Friction forces of small steps are small: they must be right relative to themselves.
static void contact_error(const nonsmooth_alpha *s, na_level level, double unit, na_error *error)
{
    const double relative = 1e-6; // of the friction force
    const double *r = s->iterate[level].r, to_speed = level == NA_SMOOTH ? s->c_v : 1;
    const double tolerance = s->base.options[NA_CONSTRAINT_TOLERANCE] * unit;
    const double rounding = ROUNDING *
                            (level == NA_POSITION ? length_scale(s->base.model, s->q_end) : unit);
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        if (!s->closed[i])
            continue;
        double P[3], normal, tangential = 0, size = fabs(r[3 * i]);
        pcs_na_contact_law(s, i, r + 3 * i, P, NULL);
        const double penalty = s->penalty[i] > 0 ? s->penalty[i] : s->mass;
        normal = to_speed * fabs(r[3 * i] - P[0]) / penalty;
        for (int32_t j = 1; j < s->contact_rows[i].size; ++j)
            tangential = hypot(tangential, r[3 * i + j] - P[j]);
        tangential *= to_speed / penalty;
        const double fine = fmin(tolerance, fmax(rounding, to_speed * relative * size / penalty));
        const double worst = fmax(normal / tolerance, tangential / fine);
        if (!(worst <= error->contacts)) {
            error->contacts = worst;
            error->worst_slot = i;
        }
        error->norm += penalty * penalty * (normal * normal + tangential * tangential) /
                       (to_speed * to_speed);
    }
}

static na_error find_error(const nonsmooth_alpha *s, na_level level)
{
    const pcs_model *m = s->base.model;
    const double unit = row_unit(s, level);
    const double k = s->mass / (level == NA_SMOOTH ? s->h : 1);
    const uint8_t *redundant = pcs_saddle_redundant_rows(s->saddle);
    na_error error = {.worst_node = -1, .worst_row = -1, .worst_slot = -1};
    double sum = 0;
    for (int32_t i = 0; i < m->n_v; ++i) {
        error.norm += s->residual[i] * s->residual[i];
        sum += fabs(s->residual[i]) + s->scale[i];
    }
    for (int32_t i = 0; i < m->n_rows; ++i) {
        const double row = fabs(s->row_residual[i]) /
                           (unit * s->base.options[NA_CONSTRAINT_TOLERANCE]);
        error.norm += k * k * s->row_residual[i] * s->row_residual[i];
        sum += fabs(s->row_residual[i]);
        if (!redundant[i] && !(row <= error.rows)) {
            error.rows = row;
            error.worst_row = i;
        }
    }
    momentum_error(s, level, &error);
    if (has_contacts(s, level))
        contact_error(s, level, unit, &error);
    error.norm = sqrt(error.norm);
    if (!isfinite(sum) || !isfinite(error.norm)) // maxima would not see it
        error.momentum = error.rows = error.contacts = error.norm = HUGE_VAL;
    return error;
}

static double largest(const na_error *error)
{
    return fmax(error->momentum, fmax(error->rows, error->contacts));
}

// Met, or as near to it as rounding lets it come.
static bool is_solved(const na_error *error, const na_error *last)
{
    const double size = largest(error);
    return size <= 1 || (size <= ROUNDING_MARGIN && size > STALLED * largest(last));
}

// ---- Corrections ----

static void copy(double *to, const double *from, int32_t n)
{
    memcpy(to, from, sizeof(double) * (size_t)n);
}

static void save(nonsmooth_alpha *s, na_level level)
{
    const pcs_model *m = s->base.model;
    copy(s->saved.x, s->iterate[level].x, m->n_v);
    copy(s->saved.p, s->iterate[level].p, m->n_rows);
    copy(s->saved.r, s->iterate[level].r, 3 * m->n_slots);
}

// From the saved iterate along the direction, and the error there. direction.r holds new values.
static na_error move(nonsmooth_alpha *s, na_level level, double part)
{
    const pcs_model *m = s->base.model;
    na_iterate *to = &s->iterate[level];
    for (int32_t i = 0; i < m->n_v; ++i)
        to->x[i] = s->saved.x[i] + part * s->direction.x[i];
    for (int32_t i = 0; i < m->n_rows; ++i)
        to->p[i] = s->saved.p[i] + part * s->direction.p[i];
    if (has_contacts(s, level))
        for (int32_t i = 0; i < 3 * m->n_slots; ++i)
            to->r[i] = part == 1 ? s->direction.r[i]
                                 : s->saved.r[i] + part * (s->direction.r[i] - s->saved.r[i]);
    problems[level].evaluate(s);
    return find_error(s, level);
}

// x += H^T r over the slots that may carry a load
static void add_contacts(const nonsmooth_alpha *s, const double *r, double *x)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        if (!s->closed[i])
            continue;
        const pcs_row_block *row = &s->contact_rows[i];
        for (int32_t e = 0; e < row->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(s->base.model, row->node[e]);
            for (int32_t k = 0; k < row->size; ++k)
                for (int32_t j = 0; j < node->n_v; ++j)
                    x[node->v + j] += row->J[e][k * node->n_v + j] * r[3 * i + k];
        }
    }
}

// The contact multipliers and what they add to the correction.
static pcs_status add_contact_part(nonsmooth_alpha *s, na_level level, pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    memset(s->direction.r, 0, 3 * sizeof(double) * (size_t)m->n_slots);
    pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
    pcs_status status = s->complementarity
                            ? pcs_na_contact_complementarity(s, level, s->direction.x, report)
                            : pcs_na_contact_newton(s, level, s->direction.x);
    pcs_arena_release(&s->arena, mark);
    if (status != PCS_OK)
        return status;
    memset(s->work, 0, sizeof(double) * (size_t)m->n_v);
    memset(s->g, 0, sizeof(double) * (size_t)m->n_rows);
    add_contacts(s, s->direction.r, s->work);
    pcs_saddle_solve(s->used, s->work, s->g);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->direction.x[i] += s->work[i];
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->direction.p[i] += s->g[i];
    return PCS_OK;
}

// The correction at the iterate, whose residual is at hand, with a matrix of this iterate or the
// last one.
static pcs_status find_direction(nonsmooth_alpha *s, na_level level, bool renew,
                                 pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    const double unit = level == NA_SMOOTH ? s->c_v : 1;
    const pcs_status factored = renew ? problems[level].matrix(s) : PCS_OK;
    if (factored == PCS_ERROR_SINGULAR || factored == PCS_ERROR_NUMERIC)
        return PCS_NOT_CONVERGED; // an iterate that has gone astray: a shorter step has more of M
    PCS_TRY(factored);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->direction.x[i] = 0;
    // The residual has -H^T r of the iterate; new multipliers take its place.
    if (has_contacts(s, level))
        add_contacts(s, s->iterate[level].r, s->direction.x);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->direction.x[i] = -s->residual[i] - s->direction.x[i];
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->direction.p[i] = -s->row_residual[i] / unit;
    pcs_saddle_solve(s->used, s->direction.x, s->direction.p);
    const pcs_status status = has_contacts(s, level) ? add_contact_part(s, level, report) : PCS_OK;
    if (level == NA_POSITION)
        pcs_na_to_chart(s, s->d, s->direction.x);
    return status;
}

// True when the last correction changed positions and velocities by their rounding alone.
static bool is_rounding(const nonsmooth_alpha *s, na_level level)
{
    const pcs_model *m = s->base.model;
    double x[2], v[2];
    model_parts(m, s->direction.x, x);
    model_parts(m, level == NA_VELOCITY ? s->v : s->v_smooth, v);
    const double q = length_scale(m, level == NA_SMOOTH ? s->q_smooth : s->q_end);
    for (int k = 0; k < 2; ++k) {
        const double of_q = CORRECTION_ROUNDING * q, of_v = CORRECTION_ROUNDING * v[k];
        const double limit = level == NA_SMOOTH     ? fmax(of_v / s->c_v, of_q / s->c_q)
                             : level == NA_POSITION ? of_q
                                                    : of_v;
        if (!(x[k] <= limit))
            return false;
    }
    return true;
}

// A shorter correction when the full one has made the residual grow: along it the square of the
// norm starts with the slope -2 |r0|^2, so the parabola with that slope through the value at the
// last part, (c |r0|)^2, has its minimum at part^2/(c^2 - 1 + 2 part): a secant of the slope,
// repeated as long as nothing is gained. Where no part of it brings the norm down, the full
// correction stands: the contacts have changed sides.
static na_error search(nonsmooth_alpha *s, na_level level, double norm, na_error full)
{
    const int32_t tries = (int32_t)s->base.options[NA_LINE_SEARCH];
    double part = 1;
    na_error error = full;
    for (int32_t k = 0; k < tries && !(error.norm < norm); ++k) {
        const double ratio = isfinite(error.norm) ? error.norm / norm : HUGE_VAL;
        part = fmax(0.1 * part, part * part / (ratio * ratio - 1 + 2 * part));
        error = move(s, level, part);
    }
    if (!(error.norm < norm))
        return move(s, level, 1);
    ++s->counts.searches;
    return error;
}

// ---- Iteration ----

static pcs_status iterate(nonsmooth_alpha *s, na_level level, int32_t *count,
                          pcs_step_report *report)
{
    const int32_t most = (int32_t)s->base.options[NA_NEWTON_ITERATIONS];
    na_error last = {.momentum = HUGE_VAL, .rows = HUGE_VAL, .contacts = HUGE_VAL};
    problems[level].evaluate(s);
    na_error error = find_error(s, level);
    double before = error.norm; // of the iterate before the last
    double best = HUGE_VAL;
    int32_t best_at = 0;
    bool renew = true;
    for (int32_t i = 0;; ++i) {
        PCS_TRY(pcs_context_go_on(s->base.ctx));
        s->error[level] = error;
        // With a matrix of another iterate a slow correction is not yet a sign of rounding.
        if (renew ? is_solved(&error, &last) : largest(&error) <= 1)
            return PCS_OK;
        renew = i == 0 || s->base.model->meshes.count == 0 ||
                !(error.norm <= s->base.options[NA_CONTRACTION] * last.norm);
        if (error.norm <= PROGRESS * best) {
            best = error.norm;
            best_at = i;
        }
        if (i == most || !isfinite(error.norm) || i - best_at >= PATIENCE)
            return PCS_NOT_CONVERGED;
        const pcs_status found = find_direction(s, level, renew, report);
        if (found != PCS_OK)
            return found;
        ++*count;
        save(s, level);
        // One iteration may grow: a change of status often pays in the next one.
        const double allowed = fmax(before, error.norm);
        before = error.norm;
        last = error;
        error = move(s, level, 1);
        if (is_rounding(s, level) && error.contacts <= 1) {
            s->error[level] = error;
            return PCS_OK;
        }
        if (error.norm > allowed && largest(&error) > 1 && !s->complementarity)
            error = search(s, level, allowed, error);
    }
}

static void restart(nonsmooth_alpha *s, na_level level)
{
    const pcs_model *m = s->base.model;
    memset(s->iterate[level].x, 0, sizeof(double) * (size_t)m->n_v);
    memset(s->iterate[level].p, 0, sizeof(double) * (size_t)m->n_rows);
    memset(s->iterate[level].r, 0, 3 * sizeof(double) * (size_t)m->n_slots);
}

static void count_iterations(nonsmooth_alpha *s, na_level level, int32_t count,
                             pcs_step_report *report)
{
    report->newton_iterations += count;
    s->counts.sum[level] += count;
    if (count > s->counts.most[level])
        s->counts.most[level] = count;
}

// The smooth problem from the configuration at the beginning of the step: v'~ with d~ = 0. Its
// first iterate, v'~ = 0, moves every node by h v_n, which after an impact may push elements
// through each other.
static void restart_in_place(nonsmooth_alpha *s)
{
    restart(s, NA_SMOOTH);
    for (int32_t i = 0; i < s->base.model->n_v; ++i)
        s->iterate[NA_SMOOTH].x[i] = -s->start_d[i] / s->c_q;
}

pcs_status pcs_na_solve(nonsmooth_alpha *s, na_level level, pcs_step_report *report)
{
    const bool contacts = has_contacts(s, level);
    const bool chosen = (int)s->base.options[NA_CONTACT_SOLVER] == NA_SOLVE_COMPLEMENTARITY;
    int32_t count = 0;
    s->complementarity = contacts && chosen;
    pcs_status status = iterate(s, level, &count, report);
    if (status == PCS_NOT_CONVERGED && level == NA_SMOOTH) {
        ++s->counts.restarts;
        restart_in_place(s);
        status = iterate(s, level, &count, report);
    }
    if (status == PCS_NOT_CONVERGED && contacts && !chosen) {
        ++s->counts.fallbacks;
        s->complementarity = true;
        restart(s, level);
        status = iterate(s, level, &count, report);
    }
    count_iterations(s, level, count, report);
    return status;
}

// ---- The coupled variant ----

pcs_status pcs_na_solve_coupled(nonsmooth_alpha *s, pcs_step_report *report)
{
    const int32_t most = (int32_t)s->base.options[NA_NEWTON_ITERATIONS];
    int32_t count[NA_LEVELS] = {0, 0, 0};
    pcs_status status = PCS_NOT_CONVERGED;
    s->complementarity = false;
    na_error last[NA_LEVELS];
    for (int k = 0; k < NA_LEVELS; ++k)
        last[k] = (na_error){.momentum = HUGE_VAL, .rows = HUGE_VAL, .contacts = HUGE_VAL};
    for (int32_t pass = 0; pass <= most && status == PCS_NOT_CONVERGED; ++pass) {
        bool solved = true, finite = true;
        PCS_TRY(pcs_context_go_on(s->base.ctx));
        for (na_level level = NA_SMOOTH; level < NA_LEVELS && finite; ++level) {
            if (level == NA_VELOCITY) {
                pcs_na_freeze_position(s);
                pcs_na_begin_velocity(s);
            }
            problems[level].evaluate(s);
            s->error[level] = find_error(s, level);
            finite = isfinite(s->error[level].norm);
            if (!finite || is_solved(&s->error[level], &last[level]))
                continue;
            last[level] = s->error[level];
            const pcs_status found = find_direction(s, level, true, report);
            PCS_TRY(found);
            finite = found == PCS_OK;
            solved = solved && is_rounding(s, level) && s->error[level].contacts <= 1;
            ++count[level];
            save(s, level);
            move(s, level, 1);
        }
        if (!finite)
            break;
        status = solved ? PCS_OK : PCS_NOT_CONVERGED;
    }
    for (na_level k = NA_SMOOTH; k < NA_LEVELS; ++k)
        count_iterations(s, k, count[k], report);
    return status;
}

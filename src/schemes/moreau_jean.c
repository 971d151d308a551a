// Moreau-Jean time stepping [Acary lectures 3.3; Haddouni 2015, 3.14; Moreau 1988; Jean 1999].
//
// Over a step of length h, with x_{k+s} = (1-s) x_k + s x_{k+1}:
//     M (v_{k+1} - v_k) = h f(t_{k+theta}, q_{k+theta}, v_{k+theta}) + G^T p + H^T r
//     q_{k+1} = q_k [+] h v_{k+a},   q_{k+theta} = q_k [+] theta h v_{k+a}
//     joints    G v_{k+1} = rate(t_{k+1}) - (1-theta) h (dG/dt) v        (order 2 for theta = 1/2)
//     contacts  closed in the forecast:  K* \ni uhat \perp r \in K,  u = U_{k+1} + e U_k
// a = theta is the classical scheme, a = 1/2 the variant that dissipates for every theta >= 1/2
// [Acary lectures 3.6]. G, H and the gaps are taken at q_k [+] theta h v_k. Newton's method solves
// for v_{k+1} with A = M + h theta C + h^2 theta a K, renewed in a step only when it converges
// slowly; the exact residual decides.
#include "schemes/moreau_jean.h"

#include <float.h>
#include <string.h>

#include "schemes/passage.h"
#include "schemes/start.h"

const char *const pcs_mj_variants[] = {"standard", "dissipative", NULL};
const char *const pcs_mj_projections[] = {"none", "bilateral", "all", NULL};
const char *const pcs_mj_policies[] = {"accept", "shrink_step", "next_solver", "stop", NULL};

static const pcs_option options[MJ_OPTION_COUNT] = {MJ_OPTION_ROWS};

// Imbalance of momentum, relative to the terms that produce it, that counts as rounding.
#define ROUNDING (32 * DBL_EPSILON)
// Roundings of q that an elastic force of a mesh is the sum of.
#define FORCE_ROUNDING 8
// Imbalance, relative to its terms, of a step that has no solution near: beams whose lines would
// stretch by a long step. Kept, it would feed in energy without bound.
#define DIVERGED 1e-2
// The same for models with meshes, whose elements are bent by long steps: Newton's method goes astray
// among several solutions there. What rounding leaves is smaller.
#define DIVERGED_MESHES 1e-8

static moreau_jean *self(pcs_scheme *scheme)
{
    return (moreau_jean *)scheme;
}

// ---- Memory ----

static pcs_status init_arrays(moreau_jean *s)
{
    pcs_context *ctx = s->base.ctx;
    const pcs_model *m = s->base.model;
    double **of_q[] = {&s->q_forecast, &s->q_middle, &s->q_end};
    double **of_v[] = {&s->v,        &s->v_middle, &s->v_work,   &s->v_free, &s->v_before,
                       &s->f,        &s->x,        &s->momentum, &s->M_v,    &s->scale,
                       &s->rounding, &s->way,      &s->v_way};
    double **of_rows[] = {&s->g, &s->rate, &s->convective, &s->p, &s->p_free, &s->p_step};
    double **of_contacts[] = {&s->u_k,         &s->r,     &s->u,    &s->q_c,
                              &s->restitution, &s->spent, &s->r_way};
    double **of_slots[] = {&s->mu, &s->turning, &s->approach, &s->room, &s->found, &s->found_ahead};
    bool good = PCS_NEW_LIST(ctx, of_q, m->n_q);
    good = PCS_NEW_LIST(ctx, of_v, m->n_v) && good;
    good = PCS_NEW_LIST(ctx, of_rows, m->n_rows) && good;
    good = PCS_NEW_LIST(ctx, of_contacts, 3 * (int64_t)m->n_slots + 3) && good;
    good = PCS_NEW_LIST(ctx, of_slots, m->n_slots) && good;
    s->active = PCS_NEW_ARRAY(ctx, int32_t, m->n_slots);
    s->is_active = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->out = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->hit = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->offset = PCS_NEW_ARRAY(ctx, int32_t, m->n_slots + 1);
    s->H = PCS_NEW_ARRAY(ctx, const pcs_row_block *, m->n_slots);
    s->normal_rows = PCS_NEW_ARRAY(ctx, pcs_row_block, m->n_slots);
    s->contacts = pcs_model_contacts_create(ctx, m);
    s->contacts_end = pcs_model_contacts_create(ctx, m);
    good = good && s->out && s->hit && s->active && s->is_active && s->offset && s->H &&
           s->normal_rows && s->contacts && s->contacts_end;
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status init(pcs_scheme *scheme)
{
    moreau_jean *s = self(scheme);
    pcs_context *ctx = scheme->ctx;
    const pcs_model *m = scheme->model;
    pcs_arena_init(&s->arena, ctx);
    PCS_TRY(init_arrays(s));
    PCS_TRY(pcs_singular_find_loops(ctx, m, &s->has_loops));
    PCS_TRY(pcs_model_row_blocks_create(ctx, m, &s->rows, &s->row_values));
    PCS_TRY(pcs_model_row_blocks_create(ctx, m, &s->rows_end, &s->row_values_end));
    PCS_TRY(pcs_configuration_init(ctx, m, &s->forecast));
    PCS_TRY(pcs_configuration_init(ctx, m, &s->middle));
    PCS_TRY(pcs_configuration_init(ctx, m, &s->end));
    PCS_TRY(pcs_gap_search_create(ctx, m, &s->search));
    PCS_TRY(pcs_neighbours_init(ctx, m, &s->neighbours));
    return pcs_model_saddle_with_rows(ctx, m, m->row_blocks.count, s->rows, &s->saddle);
}

static void destroy(pcs_scheme *scheme)
{
    moreau_jean *s = self(scheme);
    pcs_context *ctx = scheme->ctx;
    void *arrays[] = {s->q_forecast,  s->q_middle, s->q_end,      s->v,           s->v_middle,
                      s->v_work,      s->v_free,   s->f,          s->x,           s->momentum,
                      s->scale,       s->M_v,      s->rounding,   s->g,           s->rate,
                      s->convective,  s->p,        s->p_free,     s->p_step,      s->u_k,
                      s->r,           s->u,        s->q_c,        s->restitution, s->turning,
                      s->mu,          s->active,   s->is_active,  s->offset,      s->H,
                      s->normal_rows, s->rows,     s->row_values, s->rows_end,    s->row_values_end,
                      s->spent,       s->approach, s->room,       s->out,         s->hit,
                      s->way,         s->v_way,    s->r_way,      s->found,       s->v_before,
                      s->found_ahead};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    pcs_model_contacts_destroy(ctx, s->contacts);
    pcs_model_contacts_destroy(ctx, s->contacts_end);
    pcs_configuration_free(ctx, &s->forecast);
    pcs_configuration_free(ctx, &s->middle);
    pcs_configuration_free(ctx, &s->end);
    pcs_gap_search_destroy(s->search);
    pcs_neighbours_free(ctx, &s->neighbours);
    pcs_saddle_destroy(s->saddle);
    pcs_arena_free(&s->arena);
}

// ---- The parts of a step ----

static void begin(moreau_jean *s, const pcs_state *state, double h)
{
    s->h = h;
    if (!s->forced)
        s->together = MJ_TOGETHER * h;
    s->theta = s->base.options[MJ_THETA];
    s->a = (int)s->base.options[MJ_VARIANT] == MJ_DISSIPATIVE ? 0.5 : s->theta;
    s->q_k = state->q;
    s->v_k = state->v;
    s->gap_k = state->gap;
    s->turns = state->turns;
    s->external = state->external;
    s->t_k = *state->t;
    s->stretch = *state->h > 0 && !s->forced ? h / *state->h : 1;
    s->warm = 1;
    s->two_levels = s->base.model->meshes.count > 0 && s->base.model->n_slots > 0;
    s->of_displacements = false;
    s->middle.span = s->theta == 0.5 && s->a == 0.5 ? h : 0;
}

// A sphere may become so many times as fast as the fastest, and move by this part of the smallest
// radius, before a step has to look at all pairs.
static const double FASTER = 4, SKIN = 0.1;

// Contacts that are near, and the reach within which they are all that can close. Half of it is for
// the way from the forecast to the end, an eighth (of v_k) for that to the forecast.
static void find_neighbours(moreau_jean *s, const pcs_state *state, bool all)
{
    const double fastest = pcs_neighbours_speed(&s->neighbours, s->v_k);
    s->reach = s->two_levels || all ? HUGE_VAL
                                    : fmax(FASTER * s->h * fastest, SKIN * s->neighbours.smallest);
    s->beyond = false;
    pcs_neighbours_find(&s->neighbours, s->gap_k, state->r, s->reach);
}

void pcs_mj_check_reach(moreau_jean *s, const double *v)
{
    s->beyond = s->beyond || !(s->h * pcs_neighbours_speed(&s->neighbours, v) <= 0.5 * s->reach);
}

// Whether the step that was made needs contacts that it did not have.
static bool is_beyond(const moreau_jean *s)
{
    return s->beyond && s->reach < HUGE_VAL;
}

// Rows of joints and contacts at q_k [+] theta h v_k, and the active contacts.
static void forecast(moreau_jean *s, const pcs_state *state)
{
    const pcs_model *m = s->base.model;
    for (int32_t i = 0; i < m->n_v; ++i)
        s->x[i] = s->theta * s->h * s->v_k[i];
    pcs_model_retract(m, s->q_k, s->x, s->q_forecast);
    pcs_configuration_follow(m, &s->forecast, s->t_k + s->theta * s->h, s->q_forecast, s->v_k,
                             (pcs_turns){s->turns, s->q_k, s->x}, s->external);
    pcs_rows rows = {s->rows, NULL, NULL, s->convective};
    pcs_model_rows(m, &s->forecast, &rows);
    // G v_{k+1} = rate(t_{k+1}) - (1-theta) h (dG/dt) v; `convective` is (dG/dt) v - rate'.
    pcs_model_prescribed(m, &s->forecast, s->forecast.t, NULL, s->g);
    pcs_model_prescribed(m, &s->forecast, s->t_k + s->h, s->rate, NULL);
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->rate[i] -= (1 - s->theta) * s->h * (s->convective[i] + s->g[i]);
    pcs_mj_activate(s, state);
}

pcs_status pcs_mj_factor(moreau_jean *s)
{
    pcs_status status = pcs_saddle_factor(s->saddle);
    if (status == PCS_ERROR_SINGULAR) {
        char name[PCS_NODE_NAME_SIZE];
        return pcs_error(
            s->base.ctx, status, "t = %g: the matrix of %s is singular; try a smaller %s", s->t_k,
            pcs_model_node_name(s->base.model, pcs_saddle_singular_node(s->saddle), name),
            pcs_scheme_finer(&s->base));
    }
    return status;
}

// A = M + h theta C + h^2 theta a K at a configuration. Elastic forces that cancel, at the nodes of
// a mesh or of a spring at its rest length, have a rounding that is seen in K alone.
static void fill_matrix(moreau_jean *s, const pcs_configuration *c, bool rounding)
{
    const pcs_model *m = s->base.model;
    const double scale_C = s->h * s->theta, scale_K = s->h * s->h * s->theta * s->a;
    if (!rounding) {
        memset(s->rounding, 0, sizeof(double) * (size_t)m->n_v);
        pcs_model_matrix(m, c, scale_K, scale_C, s->saddle);
        return;
    }
    int64_t count;
    double *values = pcs_saddle_values(s->saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
    pcs_model_add_tangent(m, c, scale_K, 0, s->saddle);
    pcs_model_force_rounding(m, c, s->saddle, scale_K, s->scale, s->rounding);
    pcs_model_add_mass(m, c, s->saddle);
    pcs_model_add_tangent(m, c, 0, scale_C, s->saddle);
}

// The matrix at the forecast, factorised with the joint rows.
static pcs_status factorise(moreau_jean *s)
{
    fill_matrix(s, &s->forecast, s->base.model->meshes.count > 0);
    return pcs_mj_factor(s);
}

// Forces at q_{k+theta}, v_{k+theta} of the iterate v; x = -R = h f - M (v - v_k), momentum and
// power kept for the measure.
static void momentum_balance(moreau_jean *s, pcs_power *power)
{
    const pcs_model *m = s->base.model;
    for (int32_t i = 0; i < m->n_v; ++i) {
        s->v_middle[i] = (1 - s->theta) * s->v_k[i] + s->theta * s->v[i];
        s->v_work[i] = (1 - s->a) * s->v_k[i] + s->a * s->v[i];
        s->x[i] = s->theta * s->h * s->v_work[i];
    }
    power->v = s->v_work;
    pcs_model_retract(m, s->q_k, s->x, s->q_middle);
    pcs_configuration_follow(m, &s->middle, s->t_k + s->theta * s->h, s->q_middle, s->v_middle,
                             (pcs_turns){s->turns, s->q_k, s->x}, s->external);
    pcs_model_forces(m, &s->middle, s->f, power);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->scale[i] = s->v[i] - s->v_k[i];
    pcs_model_mass_multiply(m, &s->middle, s->scale, s->momentum);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->x[i] = s->h * s->f[i] - s->momentum[i];
}

// x += J^T p and scale += |J|^T |p| for J with `rows` rows of length n
static inline void add_parts(const int32_t n, int32_t rows, const double *J, const double *p,
                             double *restrict x, double *restrict scale)
{
    for (int32_t i = 0; i < rows; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            double part = J[i * n + j] * p[i];
            x[j] += part;
            scale[j] += fabs(part);
        }
    }
}

// Largest translation and rotation among the components of a node.
static void node_parts(const pcs_node *node, const double *x, double part[2])
{
    const int32_t n = node->n_v, flat = pcs_node_translations(node->kind);
    part[0] = part[1] = 0;
    for (int32_t j = 0; j < n; ++j)
        part[j >= flat] = fmax(part[j >= flat], fabs(x[node->v + j]));
}

// Radius of gyration of a node's diagonal block of A; 1 for a point or a vector.
static double gyration(const moreau_jean *s, int32_t k)
{
    const pcs_node *node = pcs_model_node(s->base.model, k);
    const int32_t n = node->n_v, flat = pcs_node_translations(node->kind);
    const double *A = pcs_saddle_diagonal(s->saddle, k);
    double ratio = n > flat ? fabs(A[n * n - 1] / A[0]) : 1;
    return ratio > 0 && isfinite(ratio) ? sqrt(ratio) : 1;
}

// Terms of a node whose rounding no longer shrinks with them: numbers below DBL_MIN are multiples of
// one smallest number, the momenta themselves and the velocities that A makes momenta of.
static double least_terms(const moreau_jean *s, int32_t k)
{
    const int32_t n = pcs_model_node(s->base.model, k)->n_v;
    const double *A = pcs_saddle_diagonal(s->saddle, k);
    double largest = 0;
    for (int32_t j = 0; j < n; ++j)
        largest = fmax(largest, fabs(A[j * n + j]));
    return DBL_MIN * (1 + largest);
}

// The imbalance x of each node against the sizes of its terms, `scale`, translations and rotations
// apart. The rounding of the linear solve spreads over the nodes, hence a floor from the largest
// terms of all, carried between translations and rotations by the radius of gyration; a damped
// motion that has died away ends at the least terms.
static double largest_imbalance(const moreau_jean *s)
{
    const pcs_model *m = s->base.model;
    const double rounding = ROUNDING / s->base.options[MJ_NEWTON_TOLERANCE];
    double most[2] = {0, 0}, worst = 0, sum = 0;
    for (int32_t i = 0; i < m->n_v; ++i)
        sum += fabs(s->x[i]) + s->scale[i];
    if (!isfinite(sum)) // maxima would not see it
        return HUGE_VAL;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        double scale[2];
        node_parts(pcs_model_node(m, k), s->scale, scale);
        most[0] = fmax(most[0], scale[0]);
        most[1] = fmax(most[1], scale[1]);
    }
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        double error[2], scale[2];
        const double radius = gyration(s, k), least = least_terms(s, k);
        node_parts(pcs_model_node(m, k), s->x, error);
        node_parts(pcs_model_node(m, k), s->scale, scale);
        scale[0] += rounding * (most[0] + most[1] / radius + least);
        scale[1] += rounding * (most[1] + most[0] * radius + least);
        for (int j = 0; j < 2; ++j)
            if (error[j] > 0)
                worst = fmax(worst, error[j] / scale[j]);
    }
    return worst;
}

// |R - G^T p - H^T r| relative to the sizes of its terms.
static double balance_error(moreau_jean *s)
{
    const pcs_model *m = s->base.model;
    // Rounding of v leaves an error of eps M v, which counts as balanced.
    const double rounding = ROUNDING / s->base.options[MJ_NEWTON_TOLERANCE];
    const double forces = FORCE_ROUNDING * s->h / s->base.options[MJ_NEWTON_TOLERANCE];
    pcs_model_mass_multiply(m, &s->middle, s->v, s->M_v);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->scale[i] = fabs(s->h * s->f[i]) + fabs(s->momentum[i]) + rounding * fabs(s->M_v[i]) +
                      forces * s->rounding[i];
    for (int32_t k = 0; k < m->row_blocks.count; ++k) {
        const pcs_row_block *block = &s->rows[k];
        const double *p = s->p + m->row_blocks.data[k].first_row;
        for (int32_t e = 0; e < block->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, block->node[e]);
            int32_t n = node->n_v;
            double *x = s->x + node->v, *scale = s->scale + node->v;
            if (n == 6) // sizes known to the compiler are worth a case each
                add_parts(6, block->size, block->J[e], p, x, scale);
            else if (n == 3)
                add_parts(3, block->size, block->J[e], p, x, scale);
            else
                add_parts(n, block->size, block->J[e], p, x, scale);
        }
    }
    pcs_mj_add_contact_impulses(s, s->x, false);
    pcs_mj_add_contact_impulses(s, s->scale, true);
    return largest_imbalance(s);
}

// One Newton correction: free velocity under the joints, contact impulses, new velocity.
static pcs_status correct(moreau_jean *s, const pcs_state *state, pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    // x holds -R(v), `rate` what the joint rows ask of G v_{k+1}.
    pcs_model_rows_multiply(m, s->rows, s->v, s->p_step);
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->p_step[i] = s->rate[i] - s->p_step[i];
    pcs_saddle_solve(s->saddle, s->x, s->p_step);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->v[i] = s->v_free[i] = s->v[i] + s->x[i];
    memcpy(s->p_free, s->p_step, sizeof(double) * (size_t)m->n_rows);
    memcpy(s->p, s->p_step, sizeof(double) * (size_t)m->n_rows);
    return s->two_levels ? pcs_mj_solve_displacements(s, state, report)
                         : pcs_mj_solve_rounds(s, state, report);
}

// A tangent that has got old, or forces that are all rounding: A at the iterate, factorised again.
static pcs_status renew_tangent(moreau_jean *s)
{
    fill_matrix(s, &s->middle, true);
    s->W_contacts = 0;
    return pcs_mj_factor(s);
}

// Newton's method for v_{k+1} from v_k, with p and r.
static pcs_status solve_velocities(moreau_jean *s, const pcs_state *state, pcs_power *power,
                                   pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    const double *option = s->base.options;
    // Close above the tolerance, an iteration that no longer halves the error has met rounding.
    const double rounding_level = 100 * option[MJ_NEWTON_TOLERANCE];
    const double stalls = 0.5,
                 slow = 0.1; // contraction that ends at rounding, that asks for a new A
    memcpy(s->v, s->v_k, sizeof(double) * (size_t)m->n_v);
    pcs_status contacts = PCS_OK;
    double last = HUGE_VAL;
    for (int32_t i = 0;; ++i) {
        momentum_balance(s, power);
        if (i > 0) {
            double error = balance_error(s);
            report->newton_residual = error;
            report->newton_iterations = i;
            if (error <= option[MJ_NEWTON_TOLERANCE] ||
                (error <= rounding_level && error > stalls * last))
                return contacts;
            if (i >= (int32_t)option[MJ_NEWTON_ITERATIONS] || !isfinite(error))
                return PCS_NOT_CONVERGED;
            if (error > slow * last)
                PCS_TRY(renew_tangent(s));
            last = error;
            for (int32_t j = 0; j < m->n_v; ++j) // -R again, without the impulses
                s->x[j] = s->h * s->f[j] - s->momentum[j];
        }
        contacts = correct(s, state, report);
        if (contacts < 0)
            return contacts;
    }
}

// q_{k+1} = q_k [+] h v_{k+a}
static void positions(moreau_jean *s)
{
    const pcs_model *m = s->base.model;
    for (int32_t i = 0; i < m->n_v; ++i)
        s->way[i] = s->h * ((1 - s->a) * s->v_k[i] + s->a * s->v[i]);
    pcs_model_retract(m, s->q_k, s->way, s->q_end);
}

// ---- Measure and store ----

static pcs_contact_state contact_state(const moreau_jean *s, int32_t k, const double *u)
{
    const double *r = s->r + s->offset[k];
    int32_t size = s->H[k]->size;
    if (!(r[0] > 0))
        return PCS_OPEN;
    if (size == 1)
        return PCS_CLOSED;
    double r_T = size == 3 ? hypot(r[1], r[2]) : fabs(r[1]);
    double u_T = size == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
    double limit = s->mu[k] * r[0];
    const double inside = 1e-9; // relative distance from the cone that counts as inside
    if (r_T < limit * (1 - inside))
        return PCS_STICK;
    return u_T > s->base.options[MJ_IMPACT_SPEED] ? PCS_SLIP : PCS_STICK;
}

// With two levels: of the displacements along them, then of the change of the velocities at their end.
void pcs_mj_work_of_contact(const moreau_jean *s, int32_t k, double work[3])
{
    const int32_t at = s->offset[k], size = s->H[k]->size;
    const double *r = s->r + at, *u = s->u + at, *u_k = s->u_k + at, *e = s->restitution + at;
    if (!s->two_levels) {
        // u of the solver is U_{k+1} + e U_k
        const double weight = s->a != s->theta ? 0.5 : s->theta;
        for (int32_t j = 0; j < size; ++j)
            work[j] = r[j] * ((1 - weight) * u_k[j] + weight * (u[j] - e[j]));
        return;
    }
    const pcs_contact *contact = &s->contacts[s->active[k]];
    const double *r_way = s->r_way + 3 * s->active[k];
    double start[3], way[3], end[3];
    pcs_contact_velocity(s->base.model, contact, s->v_k, start);
    pcs_contact_velocity(s->base.model, contact, s->v_way, way);
    pcs_contact_velocity(s->base.model, contact, s->v, end);
    for (int32_t j = 0; j < size; ++j)
        work[j] = r_way[j] * ((1 - s->a) * start[j] + s->a * way[j]) +
                  (r[j] - r_way[j]) * 0.5 * (way[j] + end[j]);
}

// Work of the contact impulses, split into the normal part, the friction against the relative
// velocity and the work that a moving surface puts in.
static void contact_work(moreau_jean *s, pcs_state *state, pcs_step_report *report)
{
    double *work = state->work;
    for (int32_t k = 0; k < s->n_active; ++k) {
        const double *r = s->r + s->offset[k];
        const pcs_contact *contact = &s->contacts[s->active[k]];
        double done[3];
        pcs_mj_work_of_contact(s, k, done);
        for (int32_t j = 0; j < s->H[k]->size; ++j) {
            work[j == 0 ? PCS_WORK_IMPACT : PCS_WORK_FRICTION] += done[j];
            work[PCS_WORK_DRIVER] -= r[j] * contact->surface[j];
        }
        bool was_open = state->r[3 * s->active[k]] == 0; // the state is still that of t_k
        if (r[0] > 0 && was_open && s->approach[k] > 0) {
            ++report->impacts;
            pcs_event_log_impact(&s->base.events, s->active[k], s->approach[k], r, s->H[k]->size);
        }
    }
}

static pcs_status measure(moreau_jean *s, pcs_state *state, const pcs_power *power,
                          pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    report->kinetic = pcs_model_kinetic(m, &s->end);
    report->potential = pcs_model_potential(m, &s->end);
    if (!isfinite(report->kinetic) || !isfinite(report->potential))
        return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the energy is not a finite number; take a smaller %s",
                         s->t_k + s->h, pcs_scheme_finer(&s->base));
    double *work = state->work;
    work[PCS_WORK_APPLIED] += s->h * power->applied;
    work[PCS_WORK_ACTUATOR] += s->h * power->actuator;
    work[PCS_WORK_DAMPING] += s->h * power->damping;
    contact_work(s, state, report);
    for (int32_t i = 0; i < m->n_v; ++i) // the projection has changed v
        s->v_work[i] = (1 - s->a) * s->v_k[i] + s->a * s->v[i];
    work[PCS_WORK_DRIVER] += pcs_model_driven_work(m, s->rows, s->p, s->v_work);
    report->h = s->h;
    report->contacts = s->n_active;
    const uint8_t *redundant = pcs_saddle_redundant_rows(s->saddle);
    for (int32_t i = 0; i < m->n_rows; ++i)
        report->redundant_rows += redundant[i];
    if (pcs_singular_step(&s->position, s->h, pcs_saddle_smallest_pivot(s->saddle)) && s->has_loops)
        ++report->redundant_rows; // at least
    return PCS_OK;
}

static void store(moreau_jean *s, pcs_state *state)
{
    const pcs_model *m = s->base.model;
    pcs_neighbours_gaps(&s->neighbours, &s->end, s->contacts_end, state->gap);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        state->status[i] = PCS_OPEN;
        memset(state->r + 3 * i, 0, 3 * sizeof(double));
        memset(state->u + 3 * i, 0, 3 * sizeof(double));
    }
    for (int32_t k = 0; k < s->n_active; ++k) {
        double *r = state->r + 3 * s->active[k], *u = state->u + 3 * s->active[k];
        for (int32_t j = 0; j < s->H[k]->size; ++j) {
            r[j] = s->r[s->offset[k] + j];
            u[j] = s->u[s->offset[k] + j] - s->restitution[s->offset[k] + j];
        }
        state->status[s->active[k]] = contact_state(s, k, u);
    }
    for (int32_t i = 0; i < 3 * m->n_slots; ++i)
        state->force[i] = state->r[i] / s->h;
    for (int32_t i = 0; i < m->n_v; ++i)
        state->a[i] = (s->v[i] - state->v[i]) / s->h;
    for (int32_t i = 0; i < m->n_rows; ++i)
        state->lambda[i] = s->p[i] / s->h;
    memcpy(state->q, s->q_end, sizeof(double) * (size_t)m->n_q);
    memcpy(state->v, s->v, sizeof(double) * (size_t)m->n_v);
    memcpy(state->p, s->p, sizeof(double) * (size_t)m->n_rows);
    *state->h = s->h;
    *state->t = s->t_k + s->h;
    pcs_state_book_contacts(state, m->n_slots, !s->forced); // r/h over an impact is no force
    pcs_event_log_contacts(&s->base.events, *state->t, state->status);
    pcs_model_update_turns(m, &s->end, state->turns);
}

static pcs_status check_finite(const moreau_jean *s)
{
    const pcs_model *m = s->base.model;
    // A force first: joints spread it over the velocities of others.
    for (int32_t i = 0; i < 2 * m->n_v; ++i) {
        const bool force = i < m->n_v;
        const int32_t k = force ? i : i - m->n_v;
        char name[PCS_NODE_NAME_SIZE];
        if (!isfinite(force ? s->f[k] : s->v[k]))
            return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                             "t = %g: the %s of %s is not a number; check its forces, or take a "
                             "smaller %s",
                             s->t_k + s->h, force ? "force" : "velocity",
                             pcs_model_velocity_name(m, k, name), pcs_scheme_finer(&s->base));
    }
    return PCS_OK;
}

// ---- The step ----

// Whether the step is to be cut, at s->cut, since it would pass a contact. Needs its positions.
static bool passes(moreau_jean *s, const pcs_state *state)
{
    const pcs_model *m = s->base.model;
    if (m->n_slots == 0)
        return false;
    bool *carries = s->hit; // by slot; free between two steps
    double *rate = s->room; // likewise
    for (int32_t k = 0; k < s->n_active; ++k) {
        carries[s->active[k]] = s->r[s->offset[k]] > 0;
        rate[s->active[k]] = s->approach[k] > 0 ? fmin(s->u_k[s->offset[k]], 0) : 0;
    }
    for (int32_t i = 0; i < m->n_v; ++i)
        s->x[i] = s->h * s->v_k[i];
    const pcs_passage_step step = {.t = s->t_k,
                                   .h = s->h,
                                   .q = s->q_k,
                                   .way = s->way,
                                   .onwards = s->x,
                                   .gap = s->gap_k,
                                   .carries = carries,
                                   .rate = rate,
                                   .turns = s->turns,
                                   .external = s->external,
                                   .tolerance = s->base.options[MJ_PROJECTION_TOLERANCE],
                                   .load = state->r,
                                   .n_near = s->neighbours.n_near,
                                   .near = s->neighbours.near};
    const int32_t slot = pcs_passage_find(s->search, &step, &s->cut);
    memset(carries, 0, sizeof(bool) * (size_t)m->n_slots);
    if (slot >= 0 && s->keep_passage)
        pcs_passage_warn(s->base.ctx, m, &step, slot);
    return slot >= 0 && !s->keep_passage;
}

// A step with all contacts, or with those that are near; is_beyond(): the state is untouched.
static pcs_status step_with(moreau_jean *s, pcs_state *state, double h, bool all,
                            pcs_step_report *report)
{
    pcs_power power;
    PCS_TRY(pcs_context_go_on(s->base.ctx));
    PCS_TRY(pcs_arena_reset(&s->arena));
    s->cut = 0;
    s->in_parts = false;
    begin(s, state, h);
    find_neighbours(s, state, all);
    forecast(s, state);
    // An element that the forecast or an iterate turns inside out has no forces: a shorter step may.
    const bool shorten = s->base.model->meshes.count > 0 && !s->keep_diverged;
    pcs_status solved = factorise(s);
    if (solved == PCS_OK)
        solved = solve_velocities(s, state, &power, report);
    if (is_beyond(s))
        return PCS_NOT_CONVERGED;
    if (shorten && (solved == PCS_ERROR_SINGULAR ||
                    (solved == PCS_NOT_CONVERGED && !isfinite(report->newton_residual))))
        return PCS_NOT_CONVERGED;
    PCS_TRY(solved);
    PCS_TRY(check_finite(s));
    int policy = (int)s->base.options[MJ_ON_FAILURE];
    const double limit = s->base.model->meshes.count > 0 ? DIVERGED_MESHES : DIVERGED;
    const bool diverged = !(report->newton_residual <= limit) && !s->keep_diverged;
    if (solved == PCS_NOT_CONVERGED && (policy == MJ_SHRINK_STEP || policy == MJ_STOP || diverged))
        return solved; // the state is untouched
    positions(s);
    if (passes(s, state))
        return PCS_NOT_CONVERGED;
    pcs_status projected = pcs_mj_project_positions(s, report);
    PCS_TRY(projected);
    if (s->in_parts)
        return projected;
    if (s->two_levels) {
        pcs_status settled = pcs_mj_settle(s, state, &power, report);
        PCS_TRY(settled);
        solved = solved == PCS_OK ? settled : solved;
    }
    pcs_status velocities = pcs_mj_project_velocities(s, report);
    PCS_TRY(velocities);
    projected = projected == PCS_OK ? velocities : projected;
    s->beyond = !(pcs_neighbours_moved(&s->neighbours, &s->forecast, &s->end) <= 0.5 * s->reach);
    s->in_parts = s->two_levels && s->n_active > 0 && !s->keep_gain && pcs_mj_contacts_feed(s);
    if (is_beyond(s) || s->in_parts)
        return PCS_NOT_CONVERGED;
    PCS_TRY(measure(s, state, &power, report));
    store(s, state);
    return solved == PCS_OK ? projected : solved;
}

pcs_status pcs_mj_step_once(moreau_jean *s, pcs_state *state, double h, pcs_step_report *report)
{
    const pcs_status status = step_with(s, state, h, false, report);
    return is_beyond(s) ? step_with(s, state, h, true, report) : status;
}

// Takes the step in two parts where the policy asks for it, where it has diverged (accept is about
// residuals that are small, if not small enough), and where it would pass a contact.
static pcs_status step_in_parts(moreau_jean *s, pcs_state *state, double h, int depth,
                                pcs_step_report *report)
{
    enum { HALVINGS_MAX = 10 };
    const int policy = (int)s->base.options[MJ_ON_FAILURE];
    pcs_step_report part = {0};
    s->keep_diverged = s->keep_gain = depth >= HALVINGS_MAX;
    s->keep_passage = depth >= PCS_PASSAGE_CUTS;
    pcs_status status = pcs_mj_step_once(s, state, h, &part);
    const double cut = s->cut;
    const bool stops = policy == MJ_STOP && cut == 0 && !s->in_parts;
    if (status != PCS_NOT_CONVERGED || part.h > 0 || stops) { // taken, or given up
        pcs_step_report_add(report, &part);
        return status;
    }
    report->rejected += cut == 0;
    if (cut == 0 && depth >= HALVINGS_MAX)
        return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                         "t = %g: a step of %g s does not converge even after %d halvings", s->t_k,
                         h, HALVINGS_MAX);
    const double first_length = cut > 0 ? cut : 0.5 * h;
    pcs_status first = step_in_parts(s, state, first_length, depth + 1, report);
    PCS_TRY(first);
    pcs_status second = step_in_parts(s, state, h - first_length, depth + 1, report);
    return second < 0 ? second : first > second ? first : second;
}

static pcs_status step(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report)
{
    moreau_jean *s = self(scheme);
    *report = (pcs_step_report){0};
    pcs_status status = step_in_parts(s, state, h, 0, report);
    if (status == PCS_NOT_CONVERGED && (int)scheme->options[MJ_ON_FAILURE] == MJ_STOP)
        return pcs_error(scheme->ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the step did not converge (contact residual %.3g, momentum "
                         "residual %.3g) and on_failure is stop",
                         s->t_k, report->residual, report->newton_residual);
    return status;
}

static pcs_status start(pcs_scheme *scheme, pcs_state *state, pcs_statistics *statistics)
{
    moreau_jean *s = self(scheme);
    const pcs_model *m = scheme->model;
    pcs_start_opts opts = {scheme->options[MJ_PROJECTION_TOLERANCE],
                           scheme->options[MJ_ASSEMBLY_LIMIT]};
    PCS_TRY(
        pcs_start_state(scheme->ctx, m, &opts, *state->t, s->saddle, s->rows, state, statistics));
    pcs_start_measure(m, s->saddle, &s->end, s->contacts_end, state, statistics);
    return PCS_OK;
}

static const uint8_t *redundant_rows(const pcs_scheme *scheme)
{
    return pcs_saddle_redundant_rows(((const moreau_jean *)scheme)->saddle);
}

const pcs_scheme_class pcs_moreau_jean_class = {
    .name = "moreau-jean",
    .help = "Moreau-Jean time stepping: impacts and friction at velocity level, fixed step",
    .options = options,
    .n_options = MJ_OPTION_COUNT,
    .size = sizeof(moreau_jean),
    .init = init,
    .free = destroy,
    .start = start,
    .step = step,
    .redundant_rows = redundant_rows,
    .refined_by = PCS_REFINED_STEP,
    .fixed_refined_by = PCS_REFINED_STEP,
};

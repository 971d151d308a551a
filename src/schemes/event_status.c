// Forces and status of closed contacts at one instant. With a_free the acceleration under the
// joints and no contact, and B the mobility under the joints, the relative accelerations are
//
//     (a_N, a_T) = W r + q,     W = H B H^T,   q = H a_free + (dH/dt) v
//
// A contact at rest tangentially obeys Coulomb's law on (a_N, a_T); one that slides along d has
// r_T = -mu d r_N, so that its column is H B (H_N - mu d H_T)^T and W is no longer symmetric
// [Haddouni2015, 2.3 and (2.1)]. Problems of few contacts are enumerated: no solution or several
// are Painleve's situations [Brogliato2002, 8.1].
#include <float.h>
#include <string.h>

#include "nonsmooth/auto.h"
#include "nonsmooth/friction_enumerate.h"
#include "schemes/event_driven.h"

// Accelerations below this part of the driving ones are zero: ten times the solver's tolerance.
#define STATUS_NOISE 1e-9
// A phase of statically indeterminate contacts ends where no forces hold its accelerations to this.
#define CONSISTENT_NOISE 1e-7
// Friction forces within this part of the cone's boundary are on it.
#define CONE_NOISE 1e-9

// ---- The set ----

void pcs_ed_set_clear(pcs_ed_set *set)
{
    set->n = 0;
    set->offset[0] = 0;
}

void pcs_ed_set_add(event_driven *s, int32_t slot, bool slides)
{
    pcs_ed_set *set = &s->set;
    const pcs_contact *contact = &s->contacts[slot];
    const int32_t k = set->n++, size = contact->row.size;
    set->slot[k] = slot;
    set->H[k] = &contact->row;
    set->offset[k + 1] = set->offset[k] + size;
    set->mu[k] = size > 1 ? contact->law.friction : 0;
    set->slides[k] = slides;
    memcpy(set->direction[k], s->phase.direction[slot], sizeof set->direction[k]);
    if (slides && size == 3) { // in space the direction follows the velocity
        double u[3];
        pcs_contact_velocity(s->base.model, contact, s->c.v, u);
        double speed = hypot(u[1], u[2]);
        if (speed > s->base.options[ED_VELOCITY_TOLERANCE]) {
            set->direction[k][0] = u[1] / speed;
            set->direction[k][1] = u[2] / speed;
        }
    }
    memcpy(set->r + set->offset[k], s->warm + 3 * slot, sizeof(double) * (size_t)size);
    memcpy(set->before + set->offset[k], s->warm + 3 * slot, sizeof(double) * (size_t)size);
}

void pcs_ed_set_of_phase(event_driven *s)
{
    pcs_ed_set_clear(&s->set);
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->phase.mode[i] != PCS_MODE_OPEN && s->contacts[i].gap != HUGE_VAL)
            pcs_ed_set_add(s, i, s->phase.mode[i] == PCS_MODE_SLIDE);
    // Forces that are not unique depend on the start of the solver: always the same, so that a
    // resumed run finds the same ones.
    memset(s->set.r, 0, sizeof(double) * (size_t)s->set.offset[s->set.n]);
}

pcs_status pcs_ed_factor(event_driven *s)
{
    const pcs_model *model = s->base.model;
    pcs_rows rows = {s->rows, NULL, NULL, s->convective};
    pcs_model_rows(model, &s->c, &rows);
    pcs_model_matrix(model, &s->c, 0, 0, s->saddle);
    pcs_status status = pcs_saddle_factor(s->saddle);
    if (status == PCS_ERROR_SINGULAR)
        return pcs_error(s->base.ctx, status, "t = %g: the mass matrix is singular", s->c.t);
    if (status == PCS_ERROR_NUMERIC)
        return pcs_error(s->base.ctx, status, "t = %g: the joints have a NaN or an infinity",
                         s->c.t);
    return status;
}

void pcs_ed_add_forces(const event_driven *s, double *x)
{
    const pcs_model *model = s->base.model;
    for (int32_t k = 0; k < s->set.n; ++k) {
        const pcs_row_block *row = s->set.H[k];
        const double *r = s->set.r + s->set.offset[k];
        for (int32_t e = 0; e < row->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, row->node[e]);
            for (int32_t i = 0; i < row->size; ++i)
                for (int32_t j = 0; j < node->n_v; ++j)
                    x[node->v + j] += row->J[e][i * node->n_v + j] * r[i];
        }
    }
}

// ---- The reduced problem: one row and one column for a contact that slides ----

// Column of contact j for the normal force of sliding, or column c of a full block.
static double reduced_entry(const pcs_ed_set *set, int32_t j, const double *row, int32_t c)
{
    if (!set->slides[j])
        return row[c];
    double x = row[0];
    for (int32_t k = 1; k < set->H[j]->size; ++k)
        x -= set->mu[j] * set->direction[j][k - 1] * row[k];
    return x;
}

static pcs_status reduce(event_driven *s, const pcs_block_matrix *full, pcs_block_matrix *out)
{
    const pcs_ed_set *set = &s->set;
    const int32_t n = set->n, entries = full->row_start[n];
    int32_t *offset = PCS_ARENA_ARRAY(&s->arena, int32_t, n + 1);
    int64_t *value_start = PCS_ARENA_ARRAY(&s->arena, int64_t, entries + 1);
    if (!offset || !value_start)
        return PCS_ERROR_MEMORY;
    offset[0] = 0;
    for (int32_t i = 0; i < n; ++i)
        offset[i + 1] = offset[i] + (set->slides[i] ? 1 : set->H[i]->size);
    value_start[0] = 0;
    for (int32_t i = 0, k = 0; i < n; ++i)
        for (; k < full->row_start[i + 1]; ++k) {
            int32_t j = full->column[k];
            value_start[k + 1] = value_start[k] +
                                 (int64_t)(offset[i + 1] - offset[i]) * (offset[j + 1] - offset[j]);
        }
    double *value = PCS_ARENA_ARRAY(&s->arena, double, value_start[entries]);
    if (!value)
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_context_go_on(s->base.ctx));
    for (int32_t i = 0, k = 0; i < n; ++i)
        for (; k < full->row_start[i + 1]; ++k) {
            const int32_t j = full->column[k], columns = offset[j + 1] - offset[j];
            const double *from = full->value + full->value_start[k];
            double *to = value + value_start[k];
            for (int32_t r = 0; r < offset[i + 1] - offset[i]; ++r)
                for (int32_t c = 0; c < columns; ++c)
                    to[r * columns + c] = reduced_entry(set, j, from + r * set->H[j]->size, c);
        }
    *out = *full;
    out->offset = offset;
    out->value_start = value_start;
    out->value = value;
    return PCS_OK;
}

// ---- Solving ----

typedef struct reduced {
    pcs_friction_contact problem;
    double *q, *r, *u, *before;
    int32_t rows;
} reduced;

// Sizes of problems that are enumerated, as powers of two of their modes: at every event; where an
// iteration has failed, or where the solution that is not null is asked for, which iterations miss.
// Those are rare, and 4096 modes take some milliseconds.
enum { BITS_ALWAYS = 8, BITS_AT_NEED = 12 };

// Few contacts only: 2 modes without friction, 4 with friction in the plane; one contact in space.
static bool is_small(const pcs_friction_contact *problem, int32_t bits_max)
{
    const pcs_block_matrix *W = problem->W;
    int32_t bits = 0;
    for (int32_t i = 0; i < W->n; ++i) {
        int32_t size = W->offset[i + 1] - W->offset[i];
        if (size == 3 && W->n > 1)
            return false;
        bits += size == 1 ? 1 : 2;
    }
    return bits <= bits_max;
}

static double distance2(const double *a, const double *b, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i)
        sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sum;
}

// All solutions, and the one that the rule chooses; *count = -1: not decided.
static pcs_status enumerate(event_driven *s, reduced *w, pcs_ed_choice choice, int32_t *count)
{
    enum { CAPACITY = 16 };
    double *all = PCS_ARENA_ARRAY(&s->arena, double, CAPACITY *(int64_t)w->rows);
    if (!all)
        return PCS_ERROR_MEMORY;
    pcs_status status = pcs_friction_enumerate(&w->problem, &s->arena, CAPACITY, all, count);
    PCS_TRY(status);
    if (status == PCS_NOT_CONVERGED || *count > CAPACITY)
        *count = -1;
    int32_t best = 0;
    for (int32_t i = 1; i < *count; ++i) {
        const double *x = all + (int64_t)i * w->rows, *y = all + (int64_t)best * w->rows;
        bool better = choice == ED_LARGEST
                          ? distance2(x, NULL, w->rows) > distance2(y, NULL, w->rows)
                          : distance2(x, w->before, w->rows) < distance2(y, w->before, w->rows);
        best = better ? i : best;
    }
    if (*count > 0)
        memcpy(w->r, all + (int64_t)best * w->rows, sizeof(double) * (size_t)w->rows);
    return PCS_OK;
}

static pcs_status solve_reduced(event_driven *s, reduced *w, pcs_ed_choice choice,
                                int32_t *solutions)
{
    const double *option = s->base.options;
    const int32_t bits = choice == ED_LARGEST ? BITS_AT_NEED : BITS_ALWAYS;
    int32_t count = -1;
    if (choice != ED_ANY && is_small(&w->problem, bits))
        PCS_TRY(enumerate(s, w, choice, &count));
    *solutions = count;
    if (count > 0) {
        pcs_friction_contact_velocity(&w->problem, w->r, w->u);
        return PCS_OK;
    }
    pcs_solve_opts opts = pcs_solve_default();
    opts.measure = PCS_MEASURE_SCALED;
    opts.tolerance = option[ED_SOLVER_TOLERANCE];
    opts.max_iterations = (int32_t)option[ED_SOLVER_ITERATIONS];
    pcs_solve_info info;
    pcs_status status = pcs_friction_solve_inside(&w->problem, &pcs_solver_auto, &opts, NULL,
                                                  &s->arena, w->r, w->u, &info);
    if (status == PCS_ERROR_NUMERIC)
        return pcs_error(s->base.ctx, status,
                         "t = %g: the contact problem has a NaN or an infinity; check the forces",
                         s->c.t);
    PCS_TRY(status);
    s->solver_iterations += info.iterations;
    // What is left below the noise of the decisions changes none of them. Rounding of forces that
    // grow without bound, where a wedged body has no solution, is none.
    const double usable = 1e-3;
    const bool rounding = info.at_rounding && info.residual.scaled <= usable;
    bool solved = status == PCS_OK || rounding || info.residual.scaled <= STATUS_NOISE;
    s->set.rounding = pcs_friction_contact_rounding(&w->problem, w->r);
    if (solved)
        s->residual = fmax(s->residual, info.residual.scaled);
    *solutions = solved ? 1 : 0;
    if (solved || count == 0 || !is_small(&w->problem, BITS_AT_NEED))
        return PCS_OK;
    PCS_TRY(enumerate(s, w, choice, &count));
    *solutions = count > 0 ? count : 0;
    if (count > 0)
        pcs_friction_contact_velocity(&w->problem, w->r, w->u);
    return PCS_OK;
}

static pcs_status solve_in_arena(event_driven *s, pcs_ed_choice choice, int32_t *solutions)
{
    pcs_ed_set *set = &s->set;
    pcs_block_matrix full, W;
    PCS_TRY(pcs_saddle_delassus(s->saddle, set->n, set->H, &s->arena, &full));
    PCS_TRY(reduce(s, &full, &W));
    reduced w = {.problem = {.W = &W, .mu = set->mu}, .rows = W.offset[set->n]};
    double **array[] = {&w.q, &w.r, &w.u, &w.before};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i)
        if (!(*array[i] = PCS_ARENA_ARRAY(&s->arena, double, w.rows)))
            return PCS_ERROR_MEMORY;
    double *driving = PCS_ARENA_ARRAY(&s->arena, double, set->offset[set->n]);
    if (!driving)
        return PCS_ERROR_MEMORY;
    memcpy(driving, set->u, sizeof(double) * (size_t)set->offset[set->n]);
    set->scale = 0;
    for (int32_t i = 0; i < set->n; ++i) {
        const int32_t at = W.offset[i], from = set->offset[i], size = W.offset[i + 1] - at;
        memcpy(w.q + at, set->u + from, sizeof(double) * (size_t)size);
        memcpy(w.r + at, set->r + from, sizeof(double) * (size_t)size);
        memcpy(w.before + at, set->before + from, sizeof(double) * (size_t)size);
        set->mobility[i] = W.value[W.value_start[W.diagonal[i]]];
        if (set->H[i]->size == 3) {
            const double *block = full.value + full.value_start[full.diagonal[i]];
            memcpy(set->tangent[i], (double[]){block[4], block[5], block[8]},
                   sizeof set->tangent[i]);
        }
        for (int32_t j = 0; j < size; ++j)
            set->scale = fmax(set->scale, fabs(w.q[at + j]));
    }
    w.problem.q = w.q;
    PCS_TRY(solve_reduced(s, &w, choice, solutions));
    for (int32_t i = 0; i < set->n; ++i) {
        double *r = set->r + set->offset[i];
        memcpy(r, w.r + W.offset[i], sizeof(double) * (size_t)(W.offset[i + 1] - W.offset[i]));
        for (int32_t k = 1; set->slides[i] && k < set->H[i]->size; ++k)
            r[k] = -set->mu[i] * set->direction[i][k - 1] * r[0];
    }
    pcs_block_matrix_multiply(&full, set->r, set->u);
    for (int32_t i = 0; i < set->offset[set->n]; ++i)
        set->u[i] += driving[i];
    return PCS_OK;
}

pcs_status pcs_ed_solve(event_driven *s, pcs_ed_choice choice, int32_t *solutions)
{
    *solutions = 1;
    s->set.scale = s->set.rounding = 0;
    if (s->set.n == 0)
        return PCS_OK;
    pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
    pcs_status status = solve_in_arena(s, choice, solutions);
    pcs_arena_release(&s->arena, mark);
    return status;
}

// ---- Acceleration level ----

// Relative accelerations of the set's contacts without contact forces, in set.u; the factors of c.
static pcs_status free_accelerations(event_driven *s)
{
    const pcs_model *model = s->base.model;
    pcs_ed_set *set = &s->set;
    PCS_TRY(pcs_ed_factor(s));
    pcs_model_forces(model, &s->c, s->f, NULL);
    memcpy(s->x, s->f, sizeof(double) * (size_t)model->n_v);
    for (int32_t i = 0; i < model->n_rows; ++i)
        s->p_row[i] = -s->convective[i];
    pcs_saddle_solve(s->saddle, s->x, s->p_row);
    for (int32_t k = 0; k < set->n; ++k) {
        const pcs_contact *contact = &s->contacts[set->slot[k]];
        double *q = set->u + set->offset[k];
        pcs_contact_velocity(model, contact, s->x, q);
        for (int32_t j = 0; j < contact->row.size; ++j)
            q[j] += contact->convective[j] - contact->surface[j];
    }
    return PCS_OK;
}

pcs_status pcs_ed_accelerations(event_driven *s, pcs_ed_choice choice, int32_t *solutions)
{
    pcs_ed_set *set = &s->set;
    PCS_TRY(free_accelerations(s));
    for (int32_t k = 0; k < set->n; ++k)
        if (set->mu[k] == 0)
            set->slides[k] = true; // no friction: the normal row alone
    return pcs_ed_solve(s, choice, solutions);
}

static double largest_of(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        most = fmax(most, fabs(x[i]));
    return most;
}

// The impulse of the direction of the forces before that leaves the least kinetic energy behind the
// relative velocities u:  r = -(f . u)/(f . W f) f.
static void start_along_forces(event_driven *s, const double *u)
{
    const pcs_model *model = s->base.model;
    pcs_ed_set *set = &s->set;
    const int32_t rows = set->offset[set->n];
    double power = 0, mobility = 0;
    memcpy(set->r, set->before, sizeof(double) * (size_t)rows);
    memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
    memset(s->p_row, 0, sizeof(double) * (size_t)model->n_rows);
    pcs_ed_add_forces(s, s->x);
    pcs_saddle_solve(s->saddle, s->x, s->p_row);
    for (int32_t k = 0; k < set->n; ++k) {
        double w[3];
        pcs_contact_velocity(model, &s->contacts[set->slot[k]], s->x, w);
        for (int32_t j = 0; j < set->H[k]->size; ++j) {
            power += set->r[set->offset[k] + j] * u[set->offset[k] + j];
            mobility += set->r[set->offset[k] + j] * w[j];
        }
    }
    const double part = mobility > 0 ? fmax(-power / mobility, 0) : 0;
    for (int32_t i = 0; i < rows; ++i)
        set->r[i] *= part;
}

// The impact without collision: q = H v and the solution that is not null. An enumeration of few
// contacts finds it. For others the forces of any short step h exclude the null impulse, so that
// q = H (v + h a_free), h -> 0, is solved: with velocities h a_free far below those that count as
// rest, but above what the solver calls zero. Closed contacts have u_N = 0 there, whatever is left
// of it below the speed of rest, so that one that slides at that speed and cannot go on is stopped.
pcs_status pcs_ed_jump(event_driven *s, bool along, int32_t *solutions)
{
    const double part = 0.01; // of the speed of rest
    const double above = 100; // times the solver's tolerance
    const double *option = s->base.options;
    pcs_ed_set *set = &s->set;
    const int32_t rows = set->offset[set->n];
    double *v = PCS_ARENA_ARRAY(&s->arena, double, rows);
    double *added = PCS_ARENA_ARRAY(&s->arena, double, rows); // to H v
    if (!v || !added)
        return PCS_ERROR_MEMORY;
    PCS_TRY(free_accelerations(s));
    memcpy(added, set->u, sizeof(double) * (size_t)rows);
    for (int32_t k = 0; k < set->n; ++k)
        pcs_contact_velocity(s->base.model, &s->contacts[set->slot[k]], s->v, v + set->offset[k]);
    const double change = fmax(part * option[ED_VELOCITY_TOLERANCE],
                               above * option[ED_SOLVER_TOLERANCE] * largest_of(v, rows));
    const double accelerated = largest_of(added, rows);
    memset(set->r, 0, sizeof(double) * (size_t)rows);
    if (along)
        start_along_forces(s, v);
    memcpy(set->u, v, sizeof(double) * (size_t)rows);
    PCS_TRY(pcs_ed_solve(s, ED_LARGEST, solutions));
    double jump = 0;
    for (int32_t i = 0; i < rows; ++i)
        jump = fmax(jump, fabs(set->u[i] - v[i]));
    if ((*solutions > 0 && jump > change) || !(accelerated > 0))
        return PCS_OK;
    for (int32_t i = 0; i < rows; ++i)
        added[i] *= change / accelerated;
    for (int32_t k = 0; k < set->n; ++k)
        added[set->offset[k]] -= v[set->offset[k]];
    for (int32_t i = 0; i < rows; ++i)
        set->u[i] = v[i] + added[i];
    memset(set->r, 0, sizeof(double) * (size_t)rows);
    PCS_TRY(pcs_ed_solve(s, ED_LARGEST, solutions));
    for (int32_t i = 0; i < rows; ++i) // the velocities behind the jump are those of r alone
        set->u[i] -= added[i];
    return PCS_OK;
}

// ---- What is zero ----

void pcs_ed_find_rounding(event_driven *s)
{
    const pcs_model *model = s->base.model;
    int64_t count;
    if (model->meshes.count == 0)
        return;
    double *values = pcs_saddle_values(s->saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
    pcs_model_add_tangent(model, &s->c, 1, 0, s->saddle);
    pcs_model_force_rounding(model, &s->c, s->saddle, 1, s->x, s->rounding);
}

// Largest relative acceleration of the set's contact k that rounding of the forces may cause,
// sum_i |(B H^T)_i| df_i, for the factors at hand.
static double acceleration_rounding(event_driven *s, int32_t k)
{
    const pcs_model *model = s->base.model;
    const pcs_row_block *row = s->set.H[k];
    double most = 0;
    for (int32_t j = 0; model->meshes.count > 0 && j < row->size; ++j) {
        double sum = 0;
        memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
        memset(s->p_row, 0, sizeof(double) * (size_t)model->n_rows);
        for (int32_t e = 0; e < row->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, row->node[e]);
            for (int32_t i = 0; i < node->n_v; ++i)
                s->x[node->v + i] += row->J[e][j * node->n_v + i];
        }
        pcs_saddle_solve(s->saddle, s->x, s->p_row);
        for (int32_t i = 0; i < model->n_v; ++i)
            sum += fabs(s->x[i]) * s->rounding[i];
        most = fmax(most, sum);
    }
    return most;
}

// What force and acceleration of a contact at rest amount to, as an acceleration.
static double activity(const pcs_ed_set *set, int32_t k)
{
    const double *r = set->r + set->offset[k], *a = set->u + set->offset[k];
    double most = 0;
    for (int32_t j = 0; j < set->H[k]->size; ++j)
        most = fmax(most, fmax(fabs(a[j]), fabs(r[j] * set->mobility[k])));
    return most;
}

static double largest(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        most = fmax(most, fabs(x[i]));
    return most;
}

// Part of the size of a model that a look ahead moves it by.
#define AHEAD 1e-8

double pcs_ed_time_ahead(const event_driven *s, const double *a)
{
    const double part = 1e-3;
    const double speed = largest(s->v, s->base.model->n_v),
                 acceleration = largest(a, s->base.model->n_v);
    if (!(speed > 0))
        return 0;
    const double time = AHEAD * fmax(1, largest(s->q, s->base.model->n_q)) / speed;
    return acceleration > 0 ? fmin(time, part * speed / acceleration) : time;
}

// Accelerations next to nothing: while the model moves by AHEAD they change velocities by less than
// their rounding. Such are the roundings of springs at their length.
static double next_to_nothing(const event_driven *s)
{
    const double several = 16; // roundings
    const double speed = largest(s->v, s->base.model->n_v),
                 length = fmax(1, largest(s->q, s->base.model->n_q));
    return several * DBL_EPSILON * speed * speed / (AHEAD * length);
}

// Whether force and acceleration of a contact at rest are zero, next to nothing, or the rounding that
// the strains of a mesh have gathered. If they are small for another reason, the problem a little
// later, which is asked then, has the same answer.
static bool is_idle(const pcs_ed_set *set, int32_t k, double nothing, double rounding)
{
    const double steps = 1e3; // whose roundings may add up
    return !set->slides[k] &&
           activity(set, k) <= fmax(fmax(STATUS_NOISE * set->scale, nothing), steps * rounding);
}

static pcs_contact_mode decide_mode(const pcs_ed_set *set, int32_t k, double rounding,
                                    double direction[2])
{
    const double *r = set->r + set->offset[k], *a = set->u + set->offset[k];
    const int32_t size = set->H[k]->size;
    const double noise = fmax(STATUS_NOISE * set->scale, rounding);
    const bool pressed = r[0] * fabs(set->mobility[k]) > noise;
    if (!pressed && a[0] > noise)
        return PCS_MODE_OPEN;
    // a_N = 0 = r_N leaves the contact undetermined: it stays closed until its force turns
    // negative.
    memcpy(direction, set->direction[k], 2 * sizeof *direction);
    if (set->slides[k])
        return PCS_MODE_SLIDE;
    const double r_T = size == 3 ? hypot(r[1], r[2]) : fabs(r[1]);
    const double a_T = size == 3 ? hypot(a[1], a[2]) : fabs(a[1]);
    if (a_T <= noise || (pressed && r_T < set->mu[k] * r[0] * (1 - CONE_NOISE)))
        return PCS_MODE_STICK;
    // Friction of a contact that carries nothing is the rounding of the solver.
    for (int32_t j = 1; j < 3; ++j)
        direction[j - 1] = j >= size ? 0 : pressed && r_T > 0 ? -r[j] / r_T : a[j] / a_T;
    return PCS_MODE_SLIDE;
}

void pcs_ed_decide(event_driven *s)
{
    const pcs_ed_set *set = &s->set;
    const double nothing = next_to_nothing(s);
    for (int32_t k = 0; k < set->n; ++k) {
        const int32_t slot = set->slot[k];
        const double rounding = acceleration_rounding(s, k);
        s->phase.mode[slot] = (uint8_t)decide_mode(set, k, rounding, s->phase.direction[slot]);
        set->idle[k] = is_idle(set, k, nothing, rounding) ? activity(set, k) : -1;
        memset(s->warm + 3 * slot, 0, 3 * sizeof(double));
        memcpy(s->warm + 3 * slot, set->r + set->offset[k],
               sizeof(double) * (size_t)set->H[k]->size);
    }
}

void pcs_ed_decide_later(event_driven *s)
{
    const pcs_ed_set *set = &s->set;
    const double growth = 10; // from which on the rate decides, not what was there
    for (int32_t k = 0; k < set->n; ++k) {
        const int32_t slot = set->slot[k];
        if (set->idle[k] >= 0 && activity(set, k) > growth * set->idle[k])
            s->phase.mode[slot] = (uint8_t)decide_mode(set, k, acceleration_rounding(s, k),
                                                       s->phase.direction[slot]);
    }
}

pcs_status pcs_ed_consistent(event_driven *s, bool *consistent)
{
    const pcs_ed_set *set = &s->set;
    int32_t solutions;
    pcs_ed_set_of_phase(s);
    PCS_TRY(pcs_ed_accelerations(s, ED_ANY, &solutions));
    const double noise = CONSISTENT_NOISE * set->scale;
    *consistent = solutions > 0;
    for (int32_t k = 0; k < set->n; ++k) {
        const double *a = set->u + set->offset[k];
        double off = fabs(a[0]);
        for (int32_t j = 1; !set->slides[k] && j < set->H[k]->size; ++j)
            off = fmax(off, fabs(a[j]));
        *consistent = *consistent && off <= noise;
    }
    return PCS_OK;
}

// ---- Forces along a phase ----

static pcs_status forces_from_cones(event_driven *s, double *force)
{
    int32_t solutions;
    pcs_ed_set_of_phase(s);
    PCS_TRY(pcs_ed_accelerations(s, ED_ANY, &solutions));
    for (int32_t k = 0; k < s->set.n; ++k) {
        const size_t bytes = sizeof(double) * (size_t)s->set.H[k]->size;
        memcpy(force + 3 * s->set.slot[k], s->set.r + s->set.offset[k], bytes);
        memcpy(s->warm + 3 * s->set.slot[k], s->set.r + s->set.offset[k], bytes);
    }
    return PCS_OK;
}

pcs_status pcs_ed_forces(event_driven *s, const pcs_smooth_point *point, double *force)
{
    const pcs_model *model = s->base.model;
    memset(force, 0, sizeof(double) * 3 * (size_t)model->n_slots);
    if (s->indeterminate)
        return forces_from_cones(s, force);
    pcs_ed_set_of_phase(s); // for the directions
    for (int32_t k = 0; k < s->set.n; ++k) {
        const int32_t slot = s->set.slot[k], row = pcs_smooth_slot_row(s->march->smooth, slot);
        double *F = force + 3 * slot;
        F[0] = point->lambda[row];
        for (int32_t j = 1; j < s->set.H[k]->size; ++j)
            F[j] = s->set.slides[k] ? -s->set.mu[k] * s->set.direction[k][j - 1] * F[0]
                                    : point->lambda[row + j];
    }
    return PCS_OK;
}

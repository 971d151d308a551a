// Linear modal analysis (docs/theory/statics-and-modes.md): small motions about the state of a
// simulation, at rest,
//
//     M x'' + K x = G^T p,   G x = 0,    K = -df/dq - d(G^T lambda + H^T r)/dq,
//
// lambda being what the joints carry there: [M -G^T; G 0] [a; lambda] = [f; 0]. At an equilibrium
// of conservative forces K is symmetric; where it is not, its symmetric part is taken and the size
// of the rest reported. The answers are measured again from K, M and G alone.
#include "simulation/modes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/mesh.h"
#include "simulation/block_product.h"
#include "simulation/statics.h"

// A contact that is open by less than this part of the model's size touches.
#define CLOSED 1e-8

struct pcs_modes {
    pcs_context *ctx;
    const pcs_model *model;
    pcs_simulation *simulation;
    pcs_modes_opts opts;
    pcs_modes_info info;
    pcs_configuration c;
    pcs_eigen eigen;
    pcs_row_block *rows; // joints, then closed contacts
    double *row_values;
    pcs_contact *contacts;
    double *q, t;              // state of the simulation
    double *v, *f, *x, *y, *z; // n_v; v is zero
    double *lambda, *r;        // rows; 3 for each slot
    double *K;                 // values of the saddle
    double *square, *shape;    // the modes
    double (*effective)[3], *residual;
    pcs_mode_kind *kind;
};

pcs_modes_opts pcs_modes_default(void)
{
    return (pcs_modes_opts){.count = 10};
}

const char *pcs_mode_kind_name(pcs_mode_kind kind)
{
    static const char *const names[] = {"rigid", "flexible", "unstable"};
    return (int)kind >= 0 && kind <= PCS_MODE_UNSTABLE ? names[kind] : NULL;
}

// ---- Matrices ----

static void multiply(const pcs_eigen *e, bool absolute, const double *x, double *y)
{
    const pcs_block_product A = {e->model, e->saddle, (const int32_t(*)[2])e->pairs, e->n_pairs};
    pcs_block_multiply(&A, absolute, x, y);
}

void pcs_eigen_multiply(const pcs_eigen *e, const double *x, double *y)
{
    multiply(e, false, x, y);
}

// B <- (B + C^T)/2 and C <- B^T for blocks B (rows x columns) and C; B may be C
static void symmetrise_blocks(double *B, double *C, int32_t rows, int32_t columns, double most[2])
{
    for (int32_t i = 0; i < rows; ++i)
        for (int32_t j = 0; j < columns; ++j) {
            double *b = &B[i * columns + j], *c = &C[j * rows + i];
            most[0] = fmax(most[0], fabs(*b - *c));
            most[1] = fmax(most[1], fmax(fabs(*b), fabs(*c)));
            *b = *c = 0.5 * (*b + *c);
        }
}

static void symmetrise(pcs_modes *w)
{
    const pcs_eigen *e = &w->eigen;
    double most[2] = {0, 0};
    for (int32_t k = 0; k < w->model->nodes.count; ++k) {
        const int32_t n = pcs_model_node(w->model, k)->n_v;
        double *A = pcs_saddle_diagonal(e->saddle, k);
        symmetrise_blocks(A, A, n, n, most);
    }
    for (int32_t k = 0; k < e->n_pairs; ++k)
        symmetrise_blocks(pcs_saddle_coupling(e->saddle, k, false),
                          pcs_saddle_coupling(e->saddle, k, true),
                          pcs_model_node(w->model, e->pairs[k][0])->n_v,
                          pcs_model_node(w->model, e->pairs[k][1])->n_v, most);
    w->info.asymmetry = most[1] > 0 ? most[0] / most[1] : 0;
}

static pcs_status factor_mass(pcs_modes *w)
{
    int64_t count;
    double *values = pcs_saddle_values(w->eigen.saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
    pcs_model_add_mass(w->model, &w->c, w->eigen.saddle);
    for (int32_t k = 0; k < w->model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(w->model, k);
        const double *M = pcs_saddle_diagonal(w->eigen.saddle, k);
        for (int32_t j = 0; j < node->n_v; ++j)
            w->eigen.mass[node->v + j] = M[j * (node->n_v + 1)];
    }
    const pcs_status status = pcs_saddle_factor(w->eigen.saddle);
    char name[PCS_NODE_NAME_SIZE];
    if (status == PCS_ERROR_SINGULAR)
        return pcs_error(
            w->ctx, PCS_ERROR_MODEL, "modes: %s has no mass or inertia and is free to move",
            pcs_model_node_name(w->model, pcs_saddle_singular_node(w->eigen.saddle), name));
    return status;
}

// lambda and r of the state at rest; contacts that are not held keep the forces of an equilibrium.
static pcs_status find_forces(pcs_modes *w)
{
    const pcs_model *m = w->model;
    const pcs_eigen *e = &w->eigen;
    pcs_model_forces(m, &w->c, w->f, NULL);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const pcs_row_block *row = &w->contacts[i].row;
        const bool held = w->r[3 * i] < 0; // marked by hold_contacts()
        w->r[3 * i] = held || !w->simulation->equilibrated || w->contacts[i].gap == HUGE_VAL
                          ? 0
                          : w->simulation->state.force[3 * i];
        for (int32_t k = 0; k < row->n_nodes && w->r[3 * i] > 0; ++k) {
            const pcs_node *node = pcs_model_node(m, row->node[k]);
            for (int32_t j = 0; j < node->n_v; ++j)
                w->f[node->v + j] += row->J[k][j] * w->r[3 * i];
        }
        if (held)
            w->r[3 * i] = -1;
    }
    PCS_TRY(factor_mass(w));
    memcpy(w->x, w->f, sizeof(double) * (size_t)m->n_v);
    memset(w->lambda, 0, sizeof(double) * (size_t)e->n_rows);
    pcs_saddle_solve(e->saddle, w->x, w->lambda);
    for (int32_t i = 0; i < m->n_v; ++i)
        w->info.imbalance = fmax(w->info.imbalance, fabs(w->x[i]));
    for (int32_t i = 0, k = m->n_rows; i < m->n_slots; ++i)
        if (w->r[3 * i] < 0)
            w->r[3 * i] = w->lambda[k++];
    return PCS_OK;
}

static void assemble_stiffness(pcs_modes *w)
{
    int64_t count;
    double *values = pcs_saddle_values(w->eigen.saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
    pcs_model_add_tangent(w->model, &w->c, 1, 0, w->eigen.saddle);
    pcs_model_row_tangent(w->model, &w->c, w->lambda, -1, w->eigen.saddle);
    pcs_model_contact_tangent(w->model, &w->c, w->contacts, w->r, -1, w->eigen.saddle);
    symmetrise(w);
    memcpy(w->K, values, sizeof(double) * (size_t)count);
}

// ---- Preparation ----

// The rows of the joints and, behind them, of the contacts that touch; r < 0 marks those.
static pcs_status hold_contacts(pcs_modes *w)
{
    const pcs_model *m = w->model;
    w->info.size = pcs_statics_model_size(m, &w->c);
    const double closed = CLOSED * w->info.size;
    PCS_TRY(pcs_model_row_blocks_with_slots(w->ctx, m, &w->rows, &w->row_values));
    pcs_rows rows = {w->rows, NULL, NULL, NULL};
    pcs_model_rows(m, &w->c, &rows);
    pcs_model_contacts(m, &w->c, true, w->contacts);
    for (int32_t i = 0; i < m->n_slots && w->opts.closed_contacts; ++i) {
        if (!(w->contacts[i].gap <= closed))
            continue;
        pcs_row_block *row = &w->rows[m->row_blocks.count + w->info.closed++];
        *row = w->contacts[i].row;
        row->size = 1;
        w->r[3 * i] = -1;
    }
    w->eigen.rows = w->rows;
    w->eigen.n_blocks = m->row_blocks.count + w->info.closed;
    w->eigen.n_rows = m->n_rows + w->info.closed;
    return PCS_OK;
}

static pcs_status create_saddle(pcs_modes *w)
{
    pcs_eigen *e = &w->eigen;
    PCS_TRY(pcs_model_all_pairs(w->ctx, w->model, &e->pairs, &e->n_pairs));
    PCS_TRY(pcs_model_contact_pairs(w->ctx, w->model, &e->pairs, &e->n_pairs));
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = e->n_pairs;
    def.coupling = (const int32_t(*)[2])e->pairs;
    def.n_rows = e->n_blocks;
    def.rows = e->rows;
    PCS_TRY(pcs_model_saddle_create(w->ctx, w->model, &def, &e->saddle));
    int64_t count;
    (void)pcs_saddle_values(e->saddle, &count);
    w->K = PCS_NEW_ARRAY(w->ctx, double, count);
    w->lambda = PCS_NEW_ARRAY(w->ctx, double, e->n_rows);
    return w->K && w->lambda ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status prepare(pcs_modes *w)
{
    const pcs_model *m = w->model;
    const pcs_state *state = &w->simulation->state;
    double **of_v[] = {&w->v, &w->f, &w->x, &w->y, &w->z, &w->eigen.mass};
    bool good = PCS_NEW_LIST(w->ctx, of_v, m->n_v);
    const int32_t count = w->opts.count < m->n_v ? w->opts.count : m->n_v;
    w->q = PCS_NEW_ARRAY(w->ctx, double, m->n_q);
    w->r = PCS_NEW_ARRAY(w->ctx, double, 3 * (int64_t)m->n_slots);
    w->square = PCS_NEW_ARRAY(w->ctx, double, count);
    w->shape = PCS_NEW_ARRAY(w->ctx, double, (int64_t)count * m->n_v);
    w->effective = pcs_calloc(w->ctx, (size_t)count, sizeof *w->effective);
    w->residual = PCS_NEW_ARRAY(w->ctx, double, count);
    w->kind = PCS_NEW_ARRAY(w->ctx, pcs_mode_kind, count);
    w->contacts = pcs_model_contacts_create(w->ctx, m);
    if (!good || !w->q || !w->r || !w->square || !w->shape || !w->effective || !w->residual ||
        !w->kind || !w->contacts)
        return PCS_ERROR_MEMORY;
    w->info.count = count;
    memcpy(w->q, state->q, sizeof(double) * (size_t)m->n_q);
    w->t = *state->t;
    PCS_TRY(pcs_configuration_init(w->ctx, m, &w->c));
    pcs_configuration_update(m, &w->c, w->t, w->q, w->v, state->turns, state->external);
    w->eigen.ctx = w->ctx;
    w->eigen.model = m;
    w->eigen.c = &w->c;
    PCS_TRY(hold_contacts(w));
    PCS_TRY(create_saddle(w));
    PCS_TRY(find_forces(w));
    assemble_stiffness(w);
    return PCS_OK;
}

// ---- Looking at the answer ----

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i)
        sum += x[i] * y[i];
    return sum;
}

// Norm in units that translations and rotations share
static double scaled_norm(const pcs_modes *w, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < w->model->n_v; ++i)
        if (w->eigen.mass[i] > 0)
            sum += x[i] * x[i] / w->eigen.mass[i];
    return sqrt(sum);
}

// An upper bound of |x^T K x| with the largest stiffness of each node, in units that translations
// and rotations share: what the entries of K are rounded to is a part of it. `largest` bounds
// omega^2.
static double stiffness_bound(pcs_modes *w, const double *x, double *largest)
{
    const pcs_model *m = w->model;
    const double *mass = w->eigen.mass;
    double *root = w->z, *sums = w->y, bound = 0;
    for (int32_t i = 0; i < m->n_v; ++i)
        root[i] = mass[i] > 0 ? 1 / sqrt(mass[i]) : 0;
    multiply(&w->eigen, true, root, sums);
    *largest = 0;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        double most = 0, size = 0;
        for (int32_t i = node->v; i < node->v + node->n_v; ++i) {
            most = fmax(most, root[i] * sums[i]);
            size += mass[i] * x[i] * x[i];
        }
        bound += most * size;
        *largest = fmax(*largest, most);
    }
    return bound;
}

// omega^2 from x^T K x, kind and residual of mode k. A mode is rigid when x^T K x is no more than
// what rounding leaves of a stiffness: of the entries of K, and of a shape that has eps of the
// others in it (a ball beside a mesh, whose own stiffness is zero).
static void judge(pcs_modes *w, int32_t k)
{
    const int32_t n = w->model->n_v;
    const double *x = w->shape + (int64_t)k * n;
    double largest;
    const double rounding = 64 * DBL_EPSILON, bound = stiffness_bound(w, x, &largest);
    double *Kx = w->x, *Mx = w->y;
    pcs_eigen_multiply(&w->eigen, x, Kx);
    pcs_model_mass_multiply(w->model, &w->c, x, Mx);
    const double square = dot(n, x, Kx) / dot(n, x, Mx);
    w->kind[k] = fabs(square) <= rounding * (bound + rounding * largest) ? PCS_MODE_RIGID
                 : square > 0                                            ? PCS_MODE_FLEXIBLE
                                                                         : PCS_MODE_UNSTABLE;
    w->square[k] = w->kind[k] == PCS_MODE_RIGID ? 0 : square;
    const double scale = w->kind[k] == PCS_MODE_RIGID ? fmax(largest, bound)
                                                      : fabs(square) * scaled_norm(w, Mx);
    for (int32_t i = 0; i < n; ++i)
        Kx[i] -= w->square[k] * Mx[i];
    w->residual[k] = scale;
    memcpy(w->f, Kx, sizeof(double) * (size_t)n);
}

// What the joints do not take of K x - omega^2 M x, which stands in f: the factors are those of M.
static void finish_residual(pcs_modes *w, int32_t k)
{
    const pcs_model *m = w->model;
    const double scale = w->residual[k];
    memcpy(w->x, w->f, sizeof(double) * (size_t)m->n_v);
    memset(w->lambda, 0, sizeof(double) * (size_t)w->eigen.n_rows);
    pcs_saddle_solve(w->eigen.saddle, w->x, w->lambda);
    pcs_model_mass_multiply(m, &w->c, w->x, w->y); // f + G^T lambda
    w->residual[k] = scale > 0 ? scaled_norm(w, w->y) / scale : 0;
}

// Directions 0, 1, 2: the vector of a translation of everything that has a place
static void translation(const pcs_modes *w, int32_t direction, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)w->model->n_v);
    for (int32_t k = 0; k < w->model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(w->model, k);
        if (node->kind != PCS_NODE_VECTOR && direction < pcs_node_translations(node->kind))
            x[node->v + direction] = 1;
    }
}

static void find_effective_masses(pcs_modes *w)
{
    const int32_t n = w->model->n_v;
    for (int32_t direction = 0; direction < 3; ++direction) {
        translation(w, direction, w->x);
        pcs_model_mass_multiply(w->model, &w->c, w->x, w->y);
        const double mass = dot(n, w->x, w->y);
        w->info.mass[direction] = mass;
        for (int32_t k = 0; k < w->info.count; ++k) {
            const double part = dot(n, w->shape + (int64_t)k * n, w->y);
            w->effective[k][direction] = mass > 0 ? part * part / mass : 0;
        }
    }
}

static void find_orthogonality(pcs_modes *w)
{
    const int32_t n = w->model->n_v;
    for (int32_t k = 1; k < w->info.count; ++k) {
        pcs_model_mass_multiply(w->model, &w->c, w->shape + (int64_t)k * n, w->y);
        for (int32_t j = 0; j < k; ++j)
            w->info.orthogonality = fmax(w->info.orthogonality,
                                         fabs(dot(n, w->shape + (int64_t)j * n, w->y)));
    }
}

// The largest component is positive, so that a shape does not depend on the machine's last bit.
static void orient(pcs_modes *w, int32_t k)
{
    const int32_t n = w->model->n_v;
    double *x = w->shape + (int64_t)k * n, most = 0, sign = 1;
    for (int32_t i = 0; i < n; ++i)
        if (fabs(x[i]) > most * (1 + 1e-6)) {
            most = fabs(x[i]);
            sign = x[i] < 0 ? -1 : 1;
        }
    for (int32_t i = 0; i < n; ++i)
        x[i] *= sign;
}

static pcs_status judge_all(pcs_modes *w)
{
    const int32_t n = w->model->n_v;
    int64_t count;
    double *values = pcs_saddle_values(w->eigen.saddle, &count);
    double *kept = PCS_NEW_ARRAY(w->ctx, double, (int64_t)w->info.count *n);
    if (!kept)
        return PCS_ERROR_MEMORY;
    memcpy(values, w->K, sizeof(double) * (size_t)count);
    for (int32_t k = 0; k < w->info.count; ++k) {
        orient(w, k);
        judge(w, k);
        w->info.rigid += w->kind[k] == PCS_MODE_RIGID;
        memcpy(kept + (int64_t)k * n, w->f, sizeof(double) * (size_t)n);
    }
    const pcs_status status = factor_mass(w);
    for (int32_t k = 0; k < w->info.count && status == PCS_OK; ++k) {
        memcpy(w->f, kept + (int64_t)k * n, sizeof(double) * (size_t)n);
        finish_residual(w, k);
    }
    pcs_free(w->ctx, kept);
    find_effective_masses(w);
    find_orthogonality(w);
    return status;
}

// ---- Interface ----

static pcs_status check_opts(const pcs_simulation *s, const pcs_modes_opts *opts)
{
    if (!s->started && !s->equilibrated)
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT,
                         "modes: start or equilibrate the simulation first");
    if (opts->count < 1)
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT, "modes: the number of modes must be > 0");
    if (s->model->n_v == 0)
        return pcs_error(s->ctx, PCS_ERROR_MODEL, "modes: the model has nothing that moves");
    return PCS_OK;
}

pcs_status pcs_modes_create(pcs_simulation *s, const pcs_modes_opts *opts, pcs_modes **out)
{
    *out = NULL;
    PCS_TRY(check_opts(s, opts));
    pcs_modes *w = PCS_NEW(s->ctx, pcs_modes);
    if (!w)
        return PCS_ERROR_MEMORY;
    w->ctx = s->ctx;
    w->model = s->model;
    w->simulation = s;
    w->opts = *opts;
    pcs_status status = prepare(w);
    if (status >= 0) {
        const bool many = opts->count > s->model->n_v / 4; // Lanczos is for a few of many
        w->info.sparse = opts->method == PCS_MODES_SPARSE ||
                         (opts->method == PCS_MODES_AUTO && s->model->n_v > PCS_MODES_DENSE_LIMIT &&
                          !many);
        status = (w->info.sparse ? pcs_eigen_sparse : pcs_eigen_dense)(
            &w->eigen, &w->info.count, w->square, w->shape, &w->info.freedoms);
    }
    if (status >= 0)
        status = judge_all(w);
    if (status < 0) {
        pcs_modes_destroy(w);
        return status;
    }
    *out = w;
    return PCS_OK;
}

static void show(pcs_modes *w, const double *q, double t)
{
    pcs_simulation *s = w->simulation;
    memcpy(s->state.q, q, sizeof(double) * (size_t)w->model->n_q);
    *s->state.t = t;
    s->present->configuration_valid = s->present->contacts_valid = false;
}

void pcs_modes_show(pcs_modes *w, int32_t k, double amplitude, double time)
{
    if (k < 0 || k >= w->info.count)
        return;
    const int32_t n = w->model->n_v;
    const double *x = w->shape + (int64_t)k * n;
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        most = fmax(most, fabs(x[i]));
    for (int32_t i = 0; i < n; ++i)
        w->x[i] = most > 0 ? amplitude / most * x[i] : 0;
    pcs_model_retract(w->model, w->q, w->x, w->simulation->state.q);
    show(w, w->simulation->state.q, time);
}

void pcs_modes_destroy(pcs_modes *w)
{
    if (!w)
        return;
    if (w->q)
        show(w, w->q, w->t);
    void *arrays[] = {w->eigen.pairs, w->eigen.mass, w->rows,  w->row_values, w->q,        w->v,
                      w->f,           w->x,          w->y,     w->z,          w->lambda,   w->r,
                      w->K,           w->square,     w->shape, w->effective,  w->residual, w->kind};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(w->ctx, arrays[i]);
    pcs_saddle_destroy(w->eigen.saddle);
    pcs_configuration_free(w->ctx, &w->c);
    pcs_model_contacts_destroy(w->ctx, w->contacts);
    pcs_free(w->ctx, w);
}

pcs_modes_info pcs_modes_get_info(const pcs_modes *w)
{
    return w->info;
}

pcs_mode pcs_modes_get(const pcs_modes *w, int32_t k)
{
    if (k < 0 || k >= w->info.count)
        return (pcs_mode){0};
    pcs_mode mode = {
        .kind = w->kind[k],
        .square = w->square[k],
        .frequency = w->square[k] > 0 ? sqrt(w->square[k]) / (2 * PCS_PI) : 0,
        .residual = w->residual[k],
        .shape = w->shape + (int64_t)k * w->model->n_v,
    };
    memcpy(mode.effective_mass, w->effective[k], sizeof mode.effective_mass);
    return mode;
}

int32_t pcs_modes_shape_size(const pcs_modes *w)
{
    return w->model->n_v;
}

bool pcs_modes_component(const pcs_modes *w, int32_t i, char *name, size_t size)
{
    const pcs_model *m = w->model;
    if (i < 0 || i >= m->n_v)
        return false;
    int32_t k = 0;
    while (k < m->nodes.count - 1 && i >= m->nodes.data[k + 1].v)
        ++k;
    const pcs_node *node = pcs_model_node(m, k);
    static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz"};
    const int32_t mesh = pcs_model_mesh_of_node(m, k);
    const int32_t j = i - node->v;
    if (node->kind == PCS_NODE_VECTOR) {
        const pcs_system *s = &m->systems.data[m->systems.count - (m->nodes.count - k)];
        snprintf(name, size, "system.%s.%s", s->name, s->coordinate[j]);
        return true;
    }
    const char *axis = axes[pcs_node_place(node->kind, j)];
    if (mesh >= 0)
        snprintf(name, size, "mesh.%s.%d.%s", m->meshes.data[mesh].name,
                 (int)(k - m->meshes.data[mesh].first_node), axis);
    else
        snprintf(name, size, "body.%s.%s", m->bodies.data[k].name, axis);
    return true;
}

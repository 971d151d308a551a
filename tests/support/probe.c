#include "support/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void probe_begin(probe *p, int32_t dimension)
{
    memset(p, 0, sizeof *p);
    p->ctx = pcs_context_create(NULL);
    assert_non_null(p->ctx);
    assert_int_equal(pcs_builder_create(p->ctx, dimension, &p->builder), PCS_OK);
}

static void create_saddle(probe *p)
{
    int32_t size[PROBE_Q_MAX];
    for (int32_t i = 0; i < p->model->nodes.count; ++i)
        size[i] = pcs_model_node(p->model, i)->n_v;
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = p->model->nodes.count;
    def.node_size = size;
    def.n_couplings = p->model->n_pairs;
    def.coupling = (const int32_t(*)[2])p->model->pairs;
    def.n_rows = p->model->row_blocks.count;
    def.rows = p->blocks;
    assert_int_equal(pcs_saddle_create(p->ctx, &def, &p->saddle), PCS_OK);
}

void probe_finish(probe *p)
{
    if (pcs_builder_finish(p->builder, &p->model) != PCS_OK)
        fail_msg("%s", pcs_context_error(p->ctx));
    const pcs_model *m = p->model;
    assert_true(m->n_q <= PROBE_Q_MAX && m->n_rows <= PROBE_ROWS_MAX &&
                m->n_turns <= PROBE_TURNS_MAX);
    assert_int_equal(pcs_configuration_init(p->ctx, m, &p->c), PCS_OK);
    assert_int_equal(pcs_model_row_blocks_create(p->ctx, m, &p->blocks, &p->block_values), PCS_OK);
    create_saddle(p);
    pcs_model_initial_state(m, p->q, p->v);
    pcs_configuration_update(m, &p->c, p->t, p->q, p->v, p->turns, NULL);
    probe_set_turns(p);
}

void probe_end(probe *p)
{
    pcs_saddle_destroy(p->saddle);
    if (p->model)
        pcs_configuration_free(p->ctx, &p->c);
    pcs_free(p->ctx, p->blocks);
    pcs_free(p->ctx, p->block_values);
    pcs_model_destroy(p->model);
    pcs_builder_destroy(p->builder);
    assert_int_equal(pcs_context_heap_bytes(p->ctx), 0);
    pcs_context_destroy(p->ctx);
}

void probe_must(const probe *p, pcs_status status)
{
    if (status != PCS_OK)
        fail_msg("%s", pcs_context_error(p->ctx));
}

pcs_vec3 probe_vector(pcs_random *random, int32_t dimension, double size)
{
    pcs_vec3 a;
    a.x = pcs_random_between(random, -size, size);
    a.y = pcs_random_between(random, -size, size);
    a.z = dimension == 2 ? 0 : pcs_random_between(random, -size, size);
    return a;
}

pcs_quat probe_rotation(pcs_random *random, int32_t dimension)
{
    if (dimension == 2) {
        double half = pcs_random_between(random, -1.5, 1.5);
        return (pcs_quat){cos(half), 0, 0, sin(half)};
    }
    pcs_quat p;
    do {
        p.w = pcs_random_between(random, -1, 1);
        p.x = pcs_random_between(random, -1, 1);
        p.y = pcs_random_between(random, -1, 1);
        p.z = pcs_random_between(random, -1, 1);
    } while (pcs_quat_norm(p) < 0.1);
    return pcs_quat_normalize(p);
}

pcs_frame probe_frame(pcs_random *random, int32_t dimension, pcs_body_id body)
{
    pcs_vec3 position = probe_vector(random, dimension, 0.8);
    return (pcs_frame){body, position, probe_rotation(random, dimension), 0};
}

pcs_body_id probe_add_body(probe *p, pcs_random *random, const char *name)
{
    int32_t dimension = p->builder->model->dimension;
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.mass = pcs_random_between(random, 0.7, 2.9);
    def.inertia = (pcs_mat3){
        {{0.413, 0.031, -0.022}, {0.031, 0.537, 0.017}, {-0.022, 0.017, 0.683}}};
    def.center = probe_vector(random, dimension, 0.3);
    def.position = probe_vector(random, dimension, 1.4);
    if (dimension == 2)
        def.angle = pcs_random_between(random, -2.7, 2.7);
    else
        def.rotation = probe_rotation(random, dimension);
    pcs_body_id id;
    if (pcs_builder_add_body(p->builder, &def, &id) != PCS_OK)
        fail_msg("%s", pcs_context_error(p->ctx));
    return id;
}

pcs_body_id probe_add_point(probe *p, pcs_random *random, const char *name)
{
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.point = true;
    def.mass = pcs_random_between(random, 0.7, 2.9);
    def.position = probe_vector(random, p->builder->model->dimension, 1.4);
    pcs_body_id id;
    if (pcs_builder_add_body(p->builder, &def, &id) != PCS_OK)
        fail_msg("%s", pcs_context_error(p->ctx));
    return id;
}

void probe_randomise(probe *p, pcs_random *random, double size, double speed)
{
    double d[PROBE_Q_MAX];
    pcs_model_initial_state(p->model, p->q, p->v);
    for (int32_t i = 0; i < p->model->n_v; ++i) {
        d[i] = size > 0 ? pcs_random_between(random, -size, size) : 0;
        p->v[i] = speed > 0 ? pcs_random_between(random, -speed, speed) : 0;
    }
    pcs_model_retract(p->model, p->q, d, p->q);
    pcs_configuration_update(p->model, &p->c, p->t, p->q, p->v, p->turns, NULL);
}

// The configuration keeps a view of q: the moved one lives beside the state.
void probe_move(probe *p, double s, const double *d)
{
    static _Thread_local double q[PROBE_Q_MAX];
    double step[PROBE_Q_MAX];
    for (int32_t i = 0; i < p->model->n_v; ++i)
        step[i] = s * d[i];
    pcs_model_retract(p->model, p->q, step, q);
    pcs_configuration_update(p->model, &p->c, p->t + s, q, p->v, p->turns, NULL);
}

void probe_nudge(probe *p, int32_t j, double s)
{
    double t = p->t, d[PROBE_Q_MAX] = {0};
    d[j] = 1;
    p->t -= s; // time stands still
    probe_move(p, s, d);
    p->t = t;
    p->c.t = t;
    p->c.inputs[0] = t;
}

void probe_set_turns(probe *p)
{
    pcs_model_update_turns(p->model, &p->c, p->turns);
}

void probe_matrix(probe *p, double scale_K, double scale_C, double *A)
{
    pcs_model_matrix(p->model, &p->c, scale_K, scale_C, p->saddle);
    probe_read_matrix(p, A);
}

void probe_read_matrix(probe *p, double *A)
{
    const pcs_model *m = p->model;
    int32_t n = m->n_v;
    memset(A, 0, sizeof *A * (size_t)(n * n));
    for (int32_t k = -m->nodes.count; k < 2 * m->n_pairs; ++k) {
        int32_t i = k < 0 ? k + m->nodes.count : m->pairs[k / 2][k % 2];
        int32_t j = k < 0 ? i : m->pairs[k / 2][1 - k % 2];
        const double *block = k < 0 ? pcs_saddle_diagonal(p->saddle, i)
                                    : pcs_saddle_coupling(p->saddle, k / 2, k % 2 == 1);
        const pcs_node *a = pcs_model_node(m, i), *b = pcs_model_node(m, j);
        int32_t rows = a->n_v, columns = b->n_v;
        for (int32_t r = 0; r < rows; ++r)
            for (int32_t c = 0; c < columns; ++c)
                A[(a->v + r) * n + b->v + c] = block[r * columns + c];
    }
}

double probe_place(int k, double h)
{
    static const double place[4] = {-2, -1, 1, 2};
    return place[k] * h;
}

double probe_derivative(const double f[4], double h)
{
    return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

void probe_assert_near(double found, double expected, double tolerance, const char *what, int i,
                       int j)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%s (%d, %d): %.15g instead of %.15g, off by %.3g > %.3g", what, i, j, found,
                 expected, found - expected, tolerance);
}

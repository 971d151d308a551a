#include "support/declared_contacts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"

static const pcs_vec2 HEXAGON[] = {{-1.03, -0.91}, {0.07, -0.38}, {1.11, -0.87},
                                   {0.72, 0.55},   {0.13, 0.21},  {-0.89, 0.79}};

static const pcs_vec2 BACK[] = {{0.4, 0.9}, {-0.31, 0.63}, {-0.92, 0.81}, {-1.0, -0.9}};
static const pcs_curve_piece CURVE[] = {
    {.kind = PCS_CURVE_LINE, .from = {-1.0, -0.9}, .to = {0.2, -0.7}},
    {.kind = PCS_CURVE_PARABOLA, .coefficients = {-0.692, -0.1, 0.3}, .x_from = 0.2, .x_to = 1.1},
    {.kind = PCS_CURVE_ARC, .from = {1.1, -0.439}, .through = {1.3, 0.3}, .to = {0.4, 0.9}},
    {.kind = PCS_CURVE_SPLINE, .points = BACK, .n_points = 4},
};

void declared_begin(declared_model *f, int32_t dimension)
{
    memset(f, 0, sizeof *f);
    pcs_context_def def = pcs_context_default();
    f->ctx = pcs_context_create(&def);
    assert_non_null(f->ctx);
    assert_int_equal(pcs_builder_create(f->ctx, dimension, &f->builder), PCS_OK);
    static const char *const names[] = {"one", "two", "dot"};
    for (int i = 0; i < 3; i++) {
        pcs_body_def body = pcs_body_default();
        body.name = names[i];
        body.mass = 1.3 + i;
        body.inertia = (pcs_mat3){{{0.31, 0.01, 0.0}, {0.01, 0.42, 0.0}, {0.0, 0.0, 0.53}}};
        body.point = i == 2;
        if (i < 2)
            body.center = pcs_v3(0.11, -0.07, dimension == 2 ? 0.0 : 0.05);
        body.position = pcs_v3(0.37 * i, 0.53 - 0.2 * i, 0.0);
        pcs_body_id id;
        assert_int_equal(pcs_builder_add_body(f->builder, &body, &id), PCS_OK);
        assert_int_equal(id, i);
    }
}

void declared_finish(declared_model *f)
{
    if (pcs_builder_finish(f->builder, &f->model) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    assert_true(f->model->n_q <= DECLARED_Q_MAX && f->model->n_slots <= DECLARED_SLOTS_MAX &&
                f->model->n_turns <= 8);
    assert_int_equal(pcs_configuration_init(f->ctx, f->model, &f->c), PCS_OK);
    pcs_model_initial_state(f->model, f->q, f->v);
}

void declared_end(declared_model *f)
{
    pcs_configuration_free(f->ctx, &f->c);
    pcs_model_destroy(f->model);
    pcs_builder_destroy(f->builder);
    assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
    pcs_context_destroy(f->ctx);
}

void declared_randomise(declared_model *f, pcs_random *random)
{
    double d[DECLARED_Q_MAX];
    pcs_model_initial_state(f->model, f->q, f->v);
    for (int i = 0; i < f->model->n_v; i++) {
        d[i] = pcs_random_between(random, -1.0, 1.0);
        f->v[i] = pcs_random_between(random, -1.0, 1.0);
    }
    pcs_model_retract(f->model, f->q, d, f->q);
}

pcs_frame declared_frame(pcs_random *random, int32_t dimension, pcs_body_id body)
{
    pcs_frame frame = pcs_frame_default();
    frame.body = body;
    double x = pcs_random_between(random, -0.4, 0.4), y = pcs_random_between(random, -0.4, 0.4);
    double z = pcs_random_between(random, -0.4, 0.4), angle = pcs_random_between(random, -3.0, 3.0);
    frame.position = pcs_v3(x, y, dimension == 2 ? 0.0 : z);
    frame.rotation = dimension == 2 ? pcs_so3_exp(pcs_v3(0.0, 0.0, angle))
                                    : pcs_so3_exp(pcs_v3(angle, 1.7 * x, 2.3 * y));
    return frame;
}

pcs_contact_def declared_contact(pcs_contact_kind kind, const char *name, double friction)
{
    pcs_contact_def def = pcs_contact_default();
    def.kind = kind;
    def.name = name;
    def.radius_a = 0.853;
    def.radius_b = 0.317;
    def.size = pcs_v3(0.731, 0.439, 0.283);
    def.width = 0.517;
    def.vertices = HEXAGON;
    def.n_vertices = 6;
    def.closed = true;
    def.curve = (pcs_curve_def){CURVE, 4, true};
    def.law = (pcs_law){friction, 0.25, 0.0};
    return def;
}

void declared_contacts(pcs_contact_kind kind, declared_frame_fn frame, pcs_random *random,
                       int32_t dimension, pcs_contact_def def[DECLARED_PAIRS])
{
    static const pcs_body_id ends[DECLARED_PAIRS][2] = {
        {0, 1}, {PCS_GROUND, 1}, {0, PCS_GROUND}, {1, 2}};
    static const char *const names[DECLARED_PAIRS] = {"p", "q", "r", "s"};
    for (int i = 0; i < DECLARED_PAIRS; i++) {
        def[i] = declared_contact(kind, names[i], i == 2 ? 0.0 : 0.3);
        def[i].a = frame(random, dimension, ends[i][0]);
        def[i].b = frame(random, dimension, ends[i][1]);
    }
}

void declared_probe(probe *p, pcs_random *random, int32_t dimension, pcs_contact_kind kind,
                    bool rough)
{
    pcs_contact_def def[DECLARED_PAIRS];
    probe_begin(p, dimension);
    probe_add_body(p, random, "one");
    probe_add_body(p, random, "two");
    probe_add_point(p, random, "dot");
    declared_contacts(kind, probe_frame, random, dimension, def);
    if (rough)
        def[2].law.friction = 0.3;
    for (int i = 0; i < DECLARED_PAIRS; i++)
        probe_must(p, pcs_builder_add_contact(p->builder, &def[i]));
}

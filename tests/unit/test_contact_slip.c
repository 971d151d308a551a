// Tangential displacement of contacts over a step: exact for points on faces, of order 3 in the
// step for rolling ones, zero for no motion, the way of a driven surface, and that of formulas.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/contact.h"
#include "support/declared_contacts.h"
#include "support/near.h"
#include "support/probe.h"

enum { SLOTS_MAX = 64, RATIOS_MAX = 4096 };

// Two configurations and what is evaluated at them.
typedef struct step {
    pcs_configuration from, to;
    double q[2][PROBE_Q_MAX];
    pcs_contact *at_from, *at_to;
    double slip[2 * SLOTS_MAX];
} step;

static void step_begin(probe *p, step *s)
{
    assert_true(p->model->n_slots <= SLOTS_MAX);
    assert_int_equal(pcs_configuration_init(p->ctx, p->model, &s->from), PCS_OK);
    assert_int_equal(pcs_configuration_init(p->ctx, p->model, &s->to), PCS_OK);
    s->at_from = pcs_model_contacts_create(p->ctx, p->model);
    s->at_to = pcs_model_contacts_create(p->ctx, p->model);
    assert_true(s->at_from && s->at_to);
}

static void step_end(probe *p, step *s)
{
    pcs_configuration_free(p->ctx, &s->from);
    pcs_configuration_free(p->ctx, &s->to);
    pcs_model_contacts_destroy(p->ctx, s->at_from);
    pcs_model_contacts_destroy(p->ctx, s->at_to);
}

// From q [+] a d to q [+] b d in the time h.
static void step_go(probe *p, step *s, double a, double b, const double *d, double h)
{
    const pcs_model *m = p->model;
    double way[PROBE_Q_MAX];
    for (int32_t i = 0; i < m->n_v; i++)
        way[i] = a * d[i];
    pcs_model_retract(m, p->q, way, s->q[0]);
    for (int32_t i = 0; i < m->n_v; i++)
        way[i] = b * d[i];
    pcs_model_retract(m, p->q, way, s->q[1]);
    pcs_configuration_update(m, &s->from, p->t, s->q[0], p->v, p->turns, NULL);
    pcs_configuration_update(m, &s->to, p->t + h, s->q[1], p->v, p->turns, NULL);
    pcs_model_contacts(m, &s->from, true, s->at_from);
    pcs_model_contacts(m, &s->to, true, s->at_to);
    memset(s->slip, 0x7f, sizeof s->slip);
    pcs_model_contacts_slip(m, &s->from, s->at_from, &s->to, s->at_to, s->slip);
}

static bool is_on_face(pcs_contact_kind kind)
{
    return kind == PCS_CONTACT_POINT_PLANE || kind == PCS_CONTACT_BOX_PLANE ||
           kind == PCS_CONTACT_SLIDER_GUIDE || kind == PCS_CONTACT_POINT_POLYLINE;
}

// Place of b's touching point in the node axes of a.
static pcs_vec3 seen_from_a(const pcs_configuration *c, const pcs_contact_pair *pair,
                            pcs_vec3 point)
{
    const int32_t node = pair->pair.a.node;
    return node < 0 ? point : pcs_m3_tmul_v3(&c->pose[node].R, pcs_v3_sub(point, c->pose[node].x));
}

static void check_on_face(const probe *p, const step *s, const pcs_contact_pair *pair)
{
    const int32_t node = pair->pair.a.node;
    const pcs_mat3 R = node < 0 ? pcs_m3_identity() : s->to.pose[node].R;
    for (int32_t i = pair->first_slot; i < pair->first_slot + pair->n_slots; i++) {
        if (s->at_from[i].face != s->at_to[i].face || s->at_to[i].face < 0)
            continue;
        pcs_vec3 d = pcs_v3_sub(seen_from_a(&s->to, pair, s->at_to[i].point),
                                seen_from_a(&s->from, pair, s->at_from[i].point));
        assert_near(s->slip[2 * i], pcs_v3_dot(pcs_m3_tmul_v3(&R, s->at_to[i].tangent1), d), 1e-14);
        if (p->model->dimension == 3)
            assert_near(s->slip[2 * i + 1], pcs_v3_dot(pcs_m3_tmul_v3(&R, s->at_to[i].tangent2), d),
                        1e-14);
    }
}

// The integral of u_T over the same way in n steps: the error is |third derivative|/(12 n^2).
static void sum_steps(probe *p, step *s, double reach, const double *d, int n, double *sum)
{
    memset(sum, 0, sizeof(double) * 2 * SLOTS_MAX);
    for (int k = 0; k < n; k++) {
        step_go(p, s, reach * k / n, reach * (k + 1) / n, d, 0.0);
        for (int32_t i = 0; i < 2 * p->model->n_slots; i++)
            sum[i] += s->slip[i];
    }
}

// One step against 64: what is left falls by 8 when the step is halved, up to a factor 1 + O(step)
// that is large near the centre of a sphere or of a curvature; the median is the judge. Slots that
// change their face on the way, or whose third derivative is too small to be seen, are left out.
static void find_order(probe *p, step *s, const double *d, double *ratio, int32_t *judged)
{
    enum { MANY = 64 };
    double exact[2][2 * SLOTS_MAX], one[2][2 * SLOTS_MAX];
    bool same[SLOTS_MAX];
    const double reach = 0.01;
    step_go(p, s, 0.0, reach, d, 0.0);
    for (int32_t i = 0; i < p->model->n_slots; i++)
        same[i] = s->at_from[i].face == s->at_to[i].face;
    for (int k = 0; k < 2; k++) {
        sum_steps(p, s, k == 0 ? reach : 0.5 * reach, d, MANY, exact[k]);
        sum_steps(p, s, k == 0 ? reach : 0.5 * reach, d, 1, one[k]);
    }
    for (int32_t i = 0; i < 2 * p->model->n_slots; i++) {
        const double whole = one[0][i] - exact[0][i], half = one[1][i] - exact[1][i];
        if (!same[i / 2] || fabs(whole) < 0.01 * reach * reach * reach)
            continue;
        if (*judged < RATIOS_MAX)
            ratio[(*judged)++] = whole / half;
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_kinds(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 411);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_CONTACT_KIND_COUNT; kind++) {
            if (!pcs_contact_kind_allowed((pcs_contact_kind)kind, dimension))
                continue;
            static probe p;
            static step s;
            declared_probe(&p, &random, dimension, (pcs_contact_kind)kind, true);
            probe_finish(&p);
            step_begin(&p, &s);
            static double ratio[RATIOS_MAX];
            int32_t judged = 0;
            for (int trial = 0; trial < 60; trial++) {
                double d[PROBE_Q_MAX];
                probe_randomise(&p, &random, 0.9, 0.0);
                for (int32_t i = 0; i < p.model->n_v; i++)
                    d[i] = pcs_random_between(&random, -1.0, 1.0);
                step_go(&p, &s, 0.3, 0.3, d, 0.01); // no motion
                for (int32_t i = 0; i < 2 * p.model->n_slots; i++)
                    assert_true(s.slip[i] == 0.0);
                step_go(&p, &s, 0.0, 0.1, d, 0.01);
                for (int32_t k = 0; k < 4 && is_on_face((pcs_contact_kind)kind); k++)
                    check_on_face(&p, &s, &p.model->contact_pairs.data[k]);
                if (!is_on_face((pcs_contact_kind)kind))
                    find_order(&p, &s, d, ratio, &judged);
            }
            if (!is_on_face((pcs_contact_kind)kind)) {
                assert_true(judged >= 20);
                qsort(ratio, (size_t)judged, sizeof *ratio, compare);
                assert_near(ratio[judged / 2], 8.0, 0.1);
            }
            step_end(&p, &s);
            probe_end(&p);
        }
}

// A table that spins under a resting point by the angle a: the way in table axes is that of the
// point around the centre, and counts as slip although the point does not move.
static void test_spinning_table(void **state)
{
    (void)state;
    static probe p;
    static step s;
    probe_begin(&p, 3);
    pcs_body_def body = pcs_body_default();
    body.name = "table";
    body.mass = 1.7;
    body.inertia = (pcs_mat3){{{0.3, 0.0, 0.0}, {0.0, 0.4, 0.0}, {0.0, 0.0, 0.5}}};
    pcs_body_id table, dot;
    assert_int_equal(pcs_builder_add_body(p.builder, &body, &table), PCS_OK);
    body.name = "dot";
    body.point = true;
    body.position = pcs_v3(0.73, 0.0, 0.0);
    assert_int_equal(pcs_builder_add_body(p.builder, &body, &dot), PCS_OK);
    pcs_contact_def def = declared_contact(PCS_CONTACT_POINT_PLANE, "tip", 0.3);
    def.a.body = table;
    def.b.body = dot;
    assert_int_equal(pcs_builder_add_contact(p.builder, &def), PCS_OK);
    probe_finish(&p);
    step_begin(&p, &s);
    const double d[PROBE_Q_MAX] = {0, 0, 0, 0, 0, 1};
    const double angle = 0.29;
    step_go(&p, &s, 0.0, angle, d, 0.01);
    assert_near(s.slip[0], 0.73 * (cos(angle) - 1.0), 1e-15);
    assert_near(s.slip[1], -0.73 * sin(angle), 1e-15);
    step_end(&p, &s);
    probe_end(&p);
}

// A belt with speed 0.6 + 0.8 t (linear: the trapezoidal rule is exact) under a resting box.
static void test_belt(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 5);
    static probe p;
    static step s;
    probe_begin(&p, 2);
    p.t = 0.37;
    const pcs_body_id box = probe_add_body(&p, &random, "box");
    pcs_contact_def def = declared_contact(PCS_CONTACT_BOX_PLANE, "belt", 0.3);
    def.b.body = box;
    def.surface_speed[0] = pcs_expression("0.6 + 0.8*t");
    assert_int_equal(pcs_builder_add_contact(p.builder, &def), PCS_OK);
    probe_finish(&p);
    step_begin(&p, &s);
    const double d[PROBE_Q_MAX] = {0}, h = 0.13;
    step_go(&p, &s, 0.0, 0.0, d, h);
    for (int i = 0; i < 4; i++)
        assert_near(s.slip[2 * i], -(0.6 + 0.8 * (0.37 + 0.5 * h)) * h, 1e-15);
    step_end(&p, &s);
    probe_end(&p);
}

// Outside a bounded face at one end of the step: the rows of the other end, or of `to`.
static void test_outside(void **state)
{
    (void)state;
    static probe p;
    static step s;
    probe_begin(&p, 2);
    pcs_body_def body = pcs_body_default();
    body.name = "disc";
    body.mass = 1.7;
    body.inertia.m[2][2] = 0.4;
    body.position = pcs_v3(0.0, 0.317, 0.0);
    pcs_body_id disc;
    assert_int_equal(pcs_builder_add_body(p.builder, &body, &disc), PCS_OK);
    pcs_contact_def def = declared_contact(PCS_CONTACT_SPHERE_PLANE, "wheel", 0.3);
    def.b.body = disc;
    def.extent = (pcs_vec2){0.5, 0.0};
    assert_int_equal(pcs_builder_add_contact(p.builder, &def), PCS_OK);
    probe_finish(&p);
    step_begin(&p, &s);
    const double d[PROBE_Q_MAX] = {1.0, 0.0, -0.7};
    step_go(&p, &s, 0.45, 0.55, d, 0.1);
    assert_true(isfinite(s.at_from[0].gap) && !isfinite(s.at_to[0].gap));
    assert_near(s.slip[0], 0.1 * (1.0 - 0.7 * 0.317), 1e-15);
    step_go(&p, &s, 0.55, 0.45, d, 0.1);
    assert_near(s.slip[0], -0.1 * (1.0 - 0.7 * 0.317), 1e-15);
    step_end(&p, &s);
    probe_end(&p);
}

static void test_formulas(void **state)
{
    (void)state;
    static probe p;
    static step s;
    probe_begin(&p, 2);
    static const pcs_coordinate_def xy[2] = {{"x", 0.4, 0}, {"y", 0.7, 0}};
    pcs_gap_def gaps[1] = {{.name = "rough",
                            .gap = pcs_expression("x*y"),
                            .tangential = {pcs_expression("sin(x)*y + 0.3*t^2")},
                            .n_tangential = 1,
                            .law = {0.3, 0.5, 0}}};
    pcs_system_def def = pcs_system_default();
    def.name = "two";
    def.coordinates = xy;
    def.n_coordinates = 2;
    def.kinetic = pcs_expression("0.6*x.rate^2 + 0.9*y.rate^2");
    def.gaps = gaps;
    def.n_gaps = 1;
    if (pcs_builder_add_system(p.builder, &def, NULL) != PCS_OK)
        fail_msg("%s", pcs_context_error(p.ctx));
    probe_finish(&p);
    step_begin(&p, &s);
    p.t = 0.21;
    const double d[PROBE_Q_MAX] = {0.83, -0.57}, h = 0.17;
    step_go(&p, &s, 0.1, 0.6, d, h);
    const double *a = s.q[0], *b = s.q[1];
    const double expected = sin(b[0]) * b[1] - sin(a[0]) * a[1] +
                            0.3 * ((p.t + h) * (p.t + h) - p.t * p.t);
    assert_near(s.slip[0], expected, 1e-15);
    step_end(&p, &s);
    probe_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_spinning_table),
        cmocka_unit_test(test_belt),     cmocka_unit_test(test_outside),
        cmocka_unit_test(test_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

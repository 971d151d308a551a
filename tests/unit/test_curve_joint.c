// The joint that keeps a point on a curve, and contacts that are held on a face: which piece is
// taken, rows and accelerations on held pieces beyond their ends, geometric stiffness, ways to the
// ends, pictures.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/joint.h"
#include "support/near.h"
#include "support/probe.h"

static const double ROUNDING = 256 * DBL_EPSILON;

// A line, tangentially into an arc of radius 2, then a corner and a parabola.
static const pcs_curve_piece PIECES[] = {
    {.kind = PCS_CURVE_LINE, .from = {-3, 0}, .to = {0, 0}},
    {.kind = PCS_CURVE_ARC, .from = {0, 0}, .through = {1.2, 0.4}, .to = {1.6, 0.8}},
    {.kind = PCS_CURVE_PARABOLA, .coefficients = {1.2, -0.5, 0.15625}, .x_from = 1.6, .x_to = 4},
};
static const pcs_curve_def CURVE = {PIECES, 3, false};

static void begin(probe *p, pcs_random *random, pcs_vec3 on_curve)
{
    probe_begin(p, 2);
    pcs_body_id a = probe_add_body(p, random, "carrier"), b = probe_add_body(p, random, "rider");
    pcs_joint_def def = pcs_joint_default();
    def.name = "slot";
    def.kind = PCS_JOINT_POINT_ON_CURVE;
    def.a = probe_frame(random, 2, a);
    pcs_pose at = pcs_builder_frame_pose(p->builder, &def.a);
    pcs_vec3 point = pcs_v3_add(at.x, pcs_m3_mul_v3(&at.R, on_curve));
    assert_int_equal(pcs_builder_frame_at(p->builder, b, point, pcs_quat_identity(), &def.b),
                     PCS_OK);
    def.curve = CURVE;
    pcs_joint_id id;
    if (pcs_builder_add_joint(p->builder, &def, &id) != PCS_OK)
        fail_msg("%s", pcs_context_error(p->ctx));
    probe_finish(p);
    assert_int_equal(p->model->n_faces, p->model->n_slots + 1);
}

// Row (dense), g and convective term at the configuration.
static double evaluate(probe *p, double *row, double *convective)
{
    double g, rate;
    pcs_rows rows = {p->blocks, &g, &rate, convective};
    pcs_model_rows(p->model, &p->c, &rows);
    memset(row, 0, sizeof *row * (size_t)p->model->n_v);
    const pcs_row_block *block = &p->blocks[0];
    for (int32_t k = 0; k < block->n_nodes; ++k) {
        const pcs_node *node = pcs_model_node(p->model, block->node[k]);
        memcpy(row + node->v, block->J[k], sizeof *row * (size_t)node->n_v);
    }
    return g;
}

// All derivatives of one row on one held piece, whichever piece is nearer.
static void check_held(probe *p, const char *name)
{
    const int32_t n = p->model->n_v;
    double row[8], moved[8], convective, g[4], K[12][12];
    double slopes[8][4][8], rates[4];
    probe_move(p, 0, p->v);
    evaluate(p, row, &convective);
    for (int k = 0; k < 4; ++k) {
        probe_move(p, probe_place(k, PROBE_STEP), p->v);
        evaluate(p, moved, NULL);
        rates[k] = 0;
        for (int32_t i = 0; i < n; ++i)
            rates[k] += moved[i] * p->v[i];
    }
    probe_assert_near(convective, probe_derivative(rates, PROBE_STEP), PROBE_TOLERANCE, name, 0,
                      -1);
    for (int32_t j = 0; j < n; ++j) {
        for (int k = 0; k < 4; ++k) {
            probe_nudge(p, j, probe_place(k, PROBE_STEP));
            g[k] = evaluate(p, slopes[j][k], NULL);
        }
        probe_assert_near(row[j], probe_derivative(g, PROBE_STEP), PROBE_TOLERANCE, name, 1, j);
    }
    // K = d(J^T lambda)/dq over the places of (x, y, angle) in the spatial layout.
    static const int place[6] = {0, 1, 5, 6, 7, 11};
    const pcs_joint *joint = &p->model->joints.data[0];
    probe_move(p, 0, p->v);
    pcs_pair_state pair = pcs_joint_pair(p->model, &p->c, joint);
    pcs_coordinate_geometric(&joint->row[0], &pair, 1.7, K);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j) {
            double f[4];
            for (int k = 0; k < 4; ++k)
                f[k] = 1.7 * slopes[j][k][i];
            probe_assert_near(K[place[i]][place[j]], probe_derivative(f, PROBE_STEP),
                              10 * PROBE_TOLERANCE, name, 2 + i, j);
        }
}

static void test_held_pieces(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 31);
    static const pcs_vec3 at[] = {{-0.2, 0.05, 0}, {0.1, -0.03, 0}, {1.55, 0.9, 0}, {1.7, 0.85, 0}};
    for (int trial = 0; trial < 12; ++trial) {
        probe p;
        begin(&p, &random, at[trial % 4]);
        probe_randomise(&p, &random, 0, 1.1);
        for (int32_t face = -1; face < 3; ++face) {
            p.c.face = &face;
            check_held(&p, "held");
        }
        probe_end(&p);
    }
}

// Ways to the ends and neighbours, held or nearest.
static void test_edges(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 4);
    probe p;
    begin(&p, &random, pcs_v3(-0.25, 0.01, 0));
    probe_move(&p, 0, p.v);
    double edge;
    int32_t face, next, held = 1;
    pcs_model_curve_edges(p.model, &p.c, &edge, &face, &next);
    assert_int_equal(face, 0);
    assert_int_equal(next, 1);
    assert_near(edge, 0.25, 10 * ROUNDING);
    p.c.face = &held;
    pcs_model_curve_edges(p.model, &p.c, &edge, &face, &next);
    assert_int_equal(face, 1);
    assert_int_equal(next, 0);
    assert_near(edge, -2 * atan2(0.25, 1.99), 100 * ROUNDING); // behind the start of the circle
    // Nothing is before the first piece.
    held = 0;
    double d[8] = {0};
    const pcs_joint *joint = &p.model->joints.data[0];
    pcs_pair_state pair = pcs_configuration_pair(p.model, &p.c, &joint->pair);
    pcs_vec3 back = pcs_v3_scale(-3, pcs_m3_column(&pair.R_a, 0));
    const pcs_node *rider = pcs_model_node(p.model, 1);
    d[rider->v] = back.x;
    d[rider->v + 1] = back.y;
    probe_move(&p, 1, d);
    pcs_model_curve_edges(p.model, &p.c, &edge, &face, &next);
    assert_near(edge, -0.25, 10 * ROUNDING);
    assert_int_equal(next, -1);
    probe_end(&p);
}

// A point contact held on a segment of a polyline sees the line through it.
static void test_held_polyline(void **state)
{
    (void)state;
    static const pcs_vec2 vertices[] = {{-1, 0}, {0, 0}, {1, 1}, {2, 1}};
    pcs_random random;
    pcs_random_init(&random, 4);
    probe p;
    probe_begin(&p, 2);
    pcs_body_id body = probe_add_point(&p, &random, "tip");
    pcs_contact_def def = pcs_contact_default();
    def.name = "ramp";
    def.kind = PCS_CONTACT_POINT_POLYLINE;
    def.vertices = vertices;
    def.n_vertices = 4;
    def.b.body = body;
    assert_int_equal(pcs_builder_add_contact(p.builder, &def), PCS_OK);
    probe_finish(&p);
    p.q[0] = 0.1;
    p.q[1] = 0.3;
    double zero[2] = {0, 0};
    probe_move(&p, 0, zero);
    pcs_contact contact;
    pcs_model_contacts(p.model, &p.c, true, &contact);
    assert_int_equal(contact.face, 1);
    assert_near(contact.gap, 0.2 / sqrt(2), ROUNDING);
    assert_near(contact.edge, 0.4 / sqrt(2), ROUNDING);
    assert_int_equal(contact.next_face, 0);
    int32_t held = 0;
    p.c.face = &held;
    pcs_model_contacts(p.model, &p.c, true, &contact);
    assert_int_equal(contact.face, 0);
    assert_near(contact.gap, 0.3, ROUNDING);
    assert_near(contact.edge, -0.1, ROUNDING);
    assert_int_equal(contact.next_face, 1);
    held = 2;
    pcs_model_contacts(p.model, &p.c, true, &contact);
    assert_near(contact.gap, -0.7, ROUNDING);
    assert_near(contact.edge, -0.9, ROUNDING);
    assert_int_equal(contact.next_face, 1);
    probe_end(&p);
}

typedef struct picture {
    int32_t lines, points;
} picture;

static pcs_status look(void *user, const pcs_drawing *d)
{
    picture *seen = user;
    if (d->kind == PCS_DRAWING_POLYLINE) {
        ++seen->lines;
        assert_int_equal(d->owner, PCS_DRAWING_OF_JOINT);
        assert_near(d->vertices[0].x, -3, 0);
        assert_near(d->vertices[d->n_vertices - 1].x, 4, ROUNDING);
    }
    seen->points += d->kind == PCS_DRAWING_POINT;
    return PCS_OK;
}

static void test_picture(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 4);
    probe p;
    begin(&p, &random, pcs_v3(-1, 0, 0));
    picture seen = {0};
    assert_int_equal(pcs_model_draw(p.model, look, &seen), PCS_OK);
    assert_int_equal(seen.lines, 1);
    assert_int_equal(seen.points, 1);
    probe_end(&p);
}

// What is refused names the joint; nothing of a refused joint stays.
static void test_refusals(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 4);
    probe p;
    probe_begin(&p, 2);
    pcs_joint_def def = pcs_joint_default();
    def.name = "slot";
    def.kind = PCS_JOINT_POINT_ON_CURVE;
    def.b.body = probe_add_point(&p, &random, "bead");
    assert_int_equal(pcs_builder_add_joint(p.builder, &def, NULL), PCS_ERROR_MODEL);
    assert_string_equal(pcs_context_error(p.ctx), "joint 'slot': a curve needs at least one piece");
    def.curve = CURVE;
    pcs_frame swap = def.a;
    def.a = def.b;
    def.b = swap;
    assert_int_equal(pcs_builder_add_joint(p.builder, &def, NULL), PCS_ERROR_MODEL);
    assert_non_null(strstr(pcs_context_error(p.ctx), "needs the axes of 'bead'"));
    def.b = def.a;
    def.a = swap;
    assert_int_equal(pcs_builder_add_joint(p.builder, &def, NULL), PCS_OK);
    probe_finish(&p);
    probe_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_pieces),   cmocka_unit_test(test_edges),
        cmocka_unit_test(test_held_polyline), cmocka_unit_test(test_picture),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

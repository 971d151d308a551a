// One surface described in two ways: arcs against circles, lines against a polyline and a plane, a
// wire against a rail. Gap, frame, rows and accelerations are the same to rounding, and so is a
// rolling disc.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/assembly.h"
#include "support/near.h"
#include "support/probe.h"
#include "support/scenes.h"

static const double ROUNDING = 4096 * DBL_EPSILON; // curvatures of order 1 and speeds of a few m/s

// The two halves of a circle of radius R, to the left (seen from inside) or to the right.
static void circle(double R, bool inside, pcs_curve_piece pieces[2])
{
    double side = inside ? 1 : -1;
    pieces[0] = (pcs_curve_piece){
        .kind = PCS_CURVE_ARC, .from = {R, 0}, .through = {0, side * R}, .to = {-R, 0}};
    pieces[1] = (pcs_curve_piece){
        .kind = PCS_CURVE_ARC, .from = {-R, 0}, .through = {0, -side * R}, .to = {R, 0}};
}

static void compare(const pcs_contact *a, const pcs_contact *b)
{
    assert_near(a->gap, b->gap, ROUNDING);
    assert_near(a->normal.x, b->normal.x, ROUNDING);
    assert_near(a->normal.y, b->normal.y, ROUNDING);
    assert_near(a->point.x, b->point.x, ROUNDING);
    assert_near(a->point.y, b->point.y, ROUNDING);
    for (int i = 0; i < 2; ++i) {
        assert_near(a->convective[i], b->convective[i], ROUNDING * fmax(1, fabs(a->convective[i])));
        assert_near(a->surface[i], b->surface[i], ROUNDING);
    }
    for (int32_t k = 0; k < a->row.n_nodes; ++k)
        for (int i = 0; i < 6; ++i)
            assert_near(a->row.J[k][i], b->row.J[k][i], ROUNDING);
}

static const pcs_vec2 VERTICES[] = {{-2, 0.3}, {-0.4, 0}, {0.5, 0.2}, {2, -0.6}};

// Slots 2 k and 2 k + 1 describe the same.
static void add_pairs(probe *p, pcs_frame a, pcs_frame b, pcs_curve_piece pieces[7])
{
    static const char *const names[] = {"c0", "p0", "c1", "p1", "c2", "p2"};
    circle(1.7, true, pieces);
    circle(0.6, false, pieces + 2);
    for (int i = 0; i < 3; ++i)
        pieces[4 + i] = (pcs_curve_piece){
            .kind = PCS_CURVE_LINE, .from = VERTICES[i], .to = VERTICES[i + 1]};
    const pcs_curve_def curves[3] = {
        {pieces, 2, true}, {pieces + 2, 2, true}, {pieces + 4, 3, false}};
    const pcs_contact_kind kinds[3] = {PCS_CONTACT_SPHERE_IN_SPHERE, PCS_CONTACT_SPHERE_SPHERE,
                                       PCS_CONTACT_POINT_POLYLINE};
    for (int k = 0; k < 6; ++k) {
        pcs_contact_def def = pcs_contact_default();
        def.name = names[k];
        def.a = a;
        def.b = b;
        def.radius_b = k < 4 ? 0.3 : 0;
        def.law.friction = 0.4;
        def.surface_speed[0] = pcs_expression("0.3 + t^2");
        def.kind = k % 2 ? kinds[k / 2] : PCS_CONTACT_POINT_CURVE;
        def.radius_a = k / 2 == 0 ? 1.7 : 0.6;
        def.vertices = VERTICES;
        def.n_vertices = 4;
        if (k % 2 == 0)
            def.curve = curves[k / 2];
        if (pcs_builder_add_contact(p->builder, &def) != PCS_OK)
            fail_msg("%s", pcs_context_error(p->ctx));
    }
}

static void test_two_descriptions(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 17);
    probe p;
    pcs_curve_piece pieces[7];
    probe_begin(&p, 2);
    pcs_body_id one = probe_add_body(&p, &random, "one"), two = probe_add_body(&p, &random, "two");
    add_pairs(&p, probe_frame(&random, 2, one), probe_frame(&random, 2, two), pieces);
    probe_finish(&p);
    pcs_contact *contacts = pcs_model_contacts_create(p.ctx, p.model);
    int compared = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const double zero[8] = {0};
        probe_randomise(&p, &random, 1.2, 1.1);
        probe_move(&p, 0, zero);
        pcs_model_contacts(p.model, &p.c, true, contacts);
        pcs_model_contacts_convective(p.model, &p.c, contacts);
        for (int k = 0; k < 3; ++k) {
            // Near the common centre of two circles the normal is a matter of rounding.
            if (contacts[2 * k].gap == HUGE_VAL || fabs(contacts[1].gap - 1.4) < 0.05)
                continue;
            compare(&contacts[2 * k], &contacts[2 * k + 1]);
            ++compared;
        }
    }
    assert_true(compared > 600);
    pcs_model_contacts_destroy(p.ctx, contacts);
    probe_end(&p);
}

// A disc rolls in a bowl, described by the circle or by arcs; 400 steps.
static void test_rolling_disc(void **state)
{
    (void)state;
    double angle[2], x[2];
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_begin(&s, 2, (pcs_vec3){0, -9.81, 0});
        pcs_body_def body = pcs_body_default();
        body.name = "disc";
        body.mass = 1.3;
        body.inertia.m[2][2] = 0.5 * 1.3 * 0.05 * 0.05;
        body.position = (pcs_vec3){0.45 * sin(0.7), -0.45 * cos(0.7), 0};
        pcs_body_id disc = scene_body(&s, &body);
        pcs_curve_piece pieces[2];
        circle(0.5, true, pieces);
        pcs_contact_def def = pcs_contact_default();
        def.name = "bowl";
        def.kind = k ? PCS_CONTACT_POINT_CURVE : PCS_CONTACT_SPHERE_IN_SPHERE;
        def.b.body = disc;
        def.radius_a = 0.5;
        def.radius_b = 0.05;
        def.curve = (pcs_curve_def){pieces, 2, true};
        def.law.friction = 0.6;
        scene_contact(&s, &def);
        scene_finish(&s, 1e-3, 0.4);
        assert_int_equal(scene_run(&s), 0);
        angle[k] = scene_view(&s, disc).angle;
        x[k] = scene_view(&s, disc).position.x;
        scene_end(&s);
    }
    assert_true(fabs(angle[0]) > 1);       // it rolls
    assert_near(angle[1], angle[0], 1e-8); // the solver's tolerance, 1e-10, over the steps
    assert_near(x[1], x[0], 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_descriptions),
        cmocka_unit_test(test_rolling_disc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

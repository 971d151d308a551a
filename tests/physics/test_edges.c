// A bead over a C1 edge, where the curvature of its path jumps, located as an event: both examples
// of [Haddouni2015, 4.4] with the closed forms of its motion, on a wire (bilateral) and on a road
// (unilateral). Edge time, speed and the jump of the force to 1e-9.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/near.h"
#include "support/scenes.h"

static const double gravity = 9.81, TOLERANCE = 1e-9;
static const char *const SCHEMES[] = {"event-driven", "hybrid"};
enum { N_SCHEMES = (int)(sizeof SCHEMES / sizeof *SCHEMES) };
// Of the force just behind the edge: the hybrid scheme is in its time stepping there, whose force
// is an impulse, good to the projection's 1e-12, over the 1e-7 s since the edge.
static const double FORCE_TOLERANCE[] = {1e-9, 1e-5};

// y = x^2/2 for x > 0, then the line y = 0; from (2, 2) with (-1, -2).
static const pcs_curve_piece PARABOLA_LINE[2] = {
    {.kind = PCS_CURVE_LINE, .from = {-8, 0}, .to = {0, 0}},
    {.kind = PCS_CURVE_PARABOLA, .coefficients = {0, 0, 0.5}, .x_from = 0, .x_to = 3},
};
// The line y = 0, then y = -x^2/2 for x < 0; from (2, 0) with (-2, 0).
static const pcs_curve_piece LINE_PARABOLA[2] = {
    {.kind = PCS_CURVE_PARABOLA, .coefficients = {0, 0, -0.5}, .x_from = -6, .x_to = 0},
    {.kind = PCS_CURVE_LINE, .from = {0, 0}, .to = {3, 0}},
};

typedef struct sample {
    double x, y, vx, force;
} sample;

// State and force at the time `end`, without output before.
static sample run(const char *scheme, bool first, bool bilateral, double end)
{
    scene s;
    scene_begin(&s, 2, (pcs_vec3){0, -gravity, 0});
    pcs_body_id bead = first
                           ? scene_point(&s, "bead", 1, (pcs_vec3){2, 2, 0}, (pcs_vec3){-1, -2, 0})
                           : scene_point(&s, "bead", 1, (pcs_vec3){2, 0, 0}, (pcs_vec3){-2, 0, 0});
    pcs_joint_def joint = pcs_joint_default();
    pcs_contact_def contact = pcs_contact_default();
    joint.name = contact.name = "path";
    joint.kind = PCS_JOINT_POINT_ON_CURVE;
    contact.kind = PCS_CONTACT_POINT_CURVE;
    joint.b.body = contact.b.body = bead;
    joint.curve = contact.curve = (pcs_curve_def){first ? PARABOLA_LINE : LINE_PARABOLA, 2, false};
    if (bilateral)
        scene_joint(&s, &joint);
    else
        scene_contact(&s, &contact);
    scene_require(&s, pcs_builder_finish(s.builder, &s.model));
    pcs_builder_destroy(s.builder);
    s.builder = NULL;
    pcs_simulation_def def = pcs_simulation_default();
    def.scheme = scheme;
    def.end = end;
    def.step = end;
    scene_require(&s, pcs_simulation_create(s.ctx, s.model, &def, &s.simulation));
    scene_set(&s, "tolerance", "1e-13");
    assert_int_equal(scene_run(&s), 0);
    pcs_body_view view = scene_view(&s, bead);
    sample out = {view.position.x, view.position.y, view.velocity.x, 0};
    if (bilateral)
        out.force = hypot(scene_signal(&s, "joint.path.force.x"),
                          scene_signal(&s, "joint.path.force.y"));
    else
        out.force = scene_contact_view(&s, 0).force_now[0];
    scene_end(&s);
    return out;
}

// Integral of f from 0 to b by Simpson's rule: the error, (b/n)^4 b/180 f'''', is below 1e-14.
static double integral(double (*f)(double), double b)
{
    enum { N = 20000 };
    double sum = f(0) + f(b);
    for (int i = 1; i < N; ++i)
        sum += (i % 2 ? 4 : 2) * f(b * i / N);
    return sum * b / (3.0 * N);
}

// 1/|x'| on the two parabolas, from the conservation of energy.
static double slowness_up(double x)
{
    return sqrt((1 + x * x) / (44.24 - gravity * x * x));
}

static double slowness_down(double x)
{
    return sqrt((1 + x * x) / (4 + gravity * x * x));
}

// Time and speed at the edge from the straight motion behind it, forces from both sides of it. The
// published digits are those of the closed form.
static void test_parabola_to_line(void **state)
{
    (void)state;
    const double edge = integral(slowness_up, 2), speed = -sqrt(44.24), before = 1e-7;
    assert_near(edge, 0.6208432057, 5e-11);
    assert_near(speed, -6.6513156593, 5e-11);
    for (int k = 0; k < N_SCHEMES; ++k)
        for (int bilateral = 1; bilateral >= 0; --bilateral) {
            sample end = run(SCHEMES[k], true, bilateral, 1);
            assert_near(end.vx, speed, TOLERANCE);
            assert_near(1 - end.x / end.vx, edge, TOLERANCE);
            assert_near(end.y, 0, TOLERANCE);
            assert_near(end.force, 9.81, TOLERANCE);
            // (x/2)^2 6 of the force is missing a time `before` the edge: 4e-11 N
            assert_near(run(SCHEMES[k], true, bilateral, edge - before).force, 54.05, TOLERANCE);
            assert_near(run(SCHEMES[k], true, bilateral, edge + before).force, 9.81,
                        FORCE_TOLERANCE[k]);
        }
}

// The force is along the unit normal: the published multiplier of y + x^2/2 times sqrt(1 + x^2).
static void test_line_to_parabola(void **state)
{
    (void)state;
    const double place = 1 + integral(slowness_down, 2), speed = -sqrt(43.24 / 5), apart = 1e-7;
    assert_near(place, 1.7972020388, 5e-11);
    assert_near(speed, -2.9407482041, 5e-11);
    for (int k = 0; k < N_SCHEMES; ++k)
        for (int bilateral = 1; bilateral >= 0; --bilateral) {
            sample end = run(SCHEMES[k], false, bilateral, place);
            assert_near(end.x, -2, TOLERANCE);
            assert_near(end.y, -2, TOLERANCE);
            assert_near(end.vx, speed, TOLERANCE);
            assert_near(end.force, (gravity - speed * speed) / sqrt(5.0), 10 * TOLERANCE);
            assert_near(run(SCHEMES[k], false, bilateral, 1 - apart).force, 9.81, TOLERANCE);
            assert_near(run(SCHEMES[k], false, bilateral, 1 + apart).force, 5.81,
                        FORCE_TOLERANCE[k]);
        }
}

// The wrong answer to guard against: with the rows of both faces at once the equations have no
// solution, and their least squares turn the bead back at the edge.
static void test_the_bead_does_not_turn_back(void **state)
{
    (void)state;
    for (int k = 0; k < N_SCHEMES; ++k)
        for (int first = 0; first < 2; ++first)
            for (int bilateral = 0; bilateral < 2; ++bilateral)
                for (double end = 0.55; end < 1.3; end += 0.1) {
                    sample s = run(SCHEMES[k], first, bilateral, end);
                    assert_true(s.vx < (first ? -5.9 : -1.99));
                    assert_true(end < (first ? 0.62 : 0.99) ? s.x > 0 : s.x < 0.05);
                }
}

// A wire with a corner of 60 degrees to the left, then one of 90 degrees to the right, without
// gravity: the velocity turns with the wire and keeps its length (Glocker's laws for C0 edges).
static void test_corners_keep_the_speed(void **state)
{
    (void)state;
    const double height = sqrt(3.0), speed = 1.7;
    const pcs_curve_piece pieces[] = {
        {.kind = PCS_CURVE_LINE, .from = {-1, 0}, .to = {0, 0}},
        {.kind = PCS_CURVE_LINE, .from = {0, 0}, .to = {1, height}},
        {.kind = PCS_CURVE_LINE, .from = {1, height}, .to = {1 + height, height - 1}},
    };
    scene s;
    scene_begin(&s, 2, (pcs_vec3){0, 0, 0});
    pcs_body_id bead = scene_point(&s, "bead", 2.3, (pcs_vec3){-0.85, 0, 0},
                                   (pcs_vec3){speed, 0, 0});
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "wire";
    joint.kind = PCS_JOINT_POINT_ON_CURVE;
    joint.b.body = bead;
    joint.curve = (pcs_curve_def){pieces, 3, false};
    scene_joint(&s, &joint);
    scene_require(&s, pcs_builder_finish(s.builder, &s.model));
    pcs_builder_destroy(s.builder);
    s.builder = NULL;
    pcs_simulation_def def = pcs_simulation_default();
    def.scheme = "event-driven";
    def.end = 2.5;
    def.step = 0.25;
    scene_require(&s, pcs_simulation_create(s.ctx, s.model, &def, &s.simulation));
    for (int k = 1; k <= 10; ++k) {
        scene_require(&s, scene_step(&s));
        double way = 0.25 * k * speed - 0.85, angle = way < 0 ? 0 : way < 2 ? 60 : -30;
        pcs_body_view view = scene_view(&s, bead);
        angle *= acos(-1.0) / 180;
        assert_near(view.velocity.x, speed * cos(angle), TOLERANCE);
        assert_near(view.velocity.y, speed * sin(angle), TOLERANCE);
        double beyond = way < 2 ? way : way - 2;
        assert_near(view.position.x, (way < 2 ? 0 : 1) + beyond * cos(angle), TOLERANCE);
        assert_near(view.position.y, (way < 2 ? 0 : height) + beyond * sin(angle), TOLERANCE);
    }
    scene_end(&s);
}

// A bead runs around a closed spline in gravity: every knot is a C2 junction that is located and
// passed. Its energy stays, and it stays on the wire.
static void test_closed_spline(void **state)
{
    (void)state;
    const pcs_vec2 points[] = {{1, 0},    {0.8, 0.7},    {0, 1.1},     {-0.9, 0.6},
                               {-1.2, 0}, {-0.7, -0.75}, {0.1, -0.95}, {0.75, -0.6}};
    const pcs_curve_piece cam = {.kind = PCS_CURVE_SPLINE, .points = points, .n_points = 8};
    scene s;
    scene_begin(&s, 2, (pcs_vec3){0, -gravity, 0});
    pcs_body_id bead = scene_point(&s, "bead", 1, (pcs_vec3){1, 0, 0}, (pcs_vec3){0, 6, 0});
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "wire";
    joint.kind = PCS_JOINT_POINT_ON_CURVE;
    joint.b.body = bead;
    joint.curve = (pcs_curve_def){&cam, 1, true};
    scene_joint(&s, &joint);
    scene_require(&s, pcs_builder_finish(s.builder, &s.model));
    pcs_builder_destroy(s.builder);
    s.builder = NULL;
    pcs_simulation_def def = pcs_simulation_default();
    def.scheme = "event-driven";
    def.end = 3;
    def.step = 0.01;
    scene_require(&s, pcs_simulation_create(s.ctx, s.model, &def, &s.simulation));
    scene_set(&s, "tolerance", "1e-12");
    scene_require(&s, pcs_simulation_start(s.simulation));
    const double energy = scene_total_energy(&s);
    double turns = 0, last = 0;
    for (int k = 0; k < 300; ++k) {
        scene_require(&s, scene_step(&s));
        pcs_body_view view = scene_view(&s, bead);
        double angle = atan2(view.position.y, view.position.x);
        turns += remainder(angle - last, 2 * acos(-1.0)) / (2 * acos(-1.0));
        last = angle;
        assert_near(scene_total_energy(&s), energy, 1e-9);
    }
    assert_true(turns > 2); // it passes all knots twice
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parabola_to_line),
        cmocka_unit_test(test_line_to_parabola),
        cmocka_unit_test(test_the_bead_does_not_turn_back),
        cmocka_unit_test(test_corners_keep_the_speed),
        cmocka_unit_test(test_closed_spline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

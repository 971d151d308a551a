// Time stepping over a C1 edge, where the curvature of the path jumps: the two examples of
// [Haddouni2015, 4.4], as a bead on a wire (bilateral) and as a bead on a road (unilateral). The
// velocity is continuous, the force jumps, and the bead goes on. Closed forms from the conservation
// of energy:
//
//   parabola y = x^2/2, then the line y = 0, from (2, 2) with (-1, -2): at the edge t = 0.6208432057,
//   x' = -sqrt(44.24), the force jumps from m (g + 44.24) = 54.05 N to m g = 9.81 N;
//   line, then y = -x^2/2, from (2, 0) with (-2, 0): at the edge t = 1, the force jumps from 9.81 N to
//   m (g - 4) = 5.81 N; at x = -2, t = 1.7972020388 and x' = -2.9407482041.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/near.h"
#include "support/scenes.h"

static const double gravity = 9.81;

typedef struct path {
    pcs_curve_piece pieces[2];
    pcs_vec3 start, velocity;
    double edge_time, edge_speed;     // x' at the edge
    double force_before, force_after; // at the edge
    double place, place_time, speed;  // behind the edge: x, t and x'
} path;

static const path PATHS[2] = {
    {.pieces = {{.kind = PCS_CURVE_LINE, .from = {-8, 0}, .to = {0, 0}},
                {.kind = PCS_CURVE_PARABOLA, .coefficients = {0, 0, 0.5}, .x_from = 0, .x_to = 3}},
     .start = {2, 2, 0},
     .velocity = {-1, -2, 0},
     .edge_time = 0.6208432057,
     .edge_speed = -6.6513156593,
     .force_before = 54.05,
     .force_after = 9.81,
     .place = -2,
     .place_time = 0.6208432057 + 2 / 6.6513156593,
     .speed = -6.6513156593},
    {.pieces = {{.kind = PCS_CURVE_PARABOLA, .coefficients = {0, 0, -0.5}, .x_from = -6, .x_to = 0},
                {.kind = PCS_CURVE_LINE, .from = {0, 0}, .to = {3, 0}}},
     .start = {2, 0, 0},
     .velocity = {-2, 0, 0},
     .edge_time = 1,
     .edge_speed = -2,
     .force_before = 9.81,
     .force_after = 5.81,
     .place = -2,
     .place_time = 1.7972020388,
     .speed = -2.9407482041},
};

typedef struct passage {
    double edge_time, edge_speed, force_before, force_after, place_time, speed;
} passage;

// Time at which x passes a place between two steps, and x' there, by Hermite interpolation: its
// error, h^4/384 times a fourth derivative below 1e4, is far below the scheme's.
static double crossing(double place, double h, const double x[2], const double v[2], double *speed)
{
    double a = 0, b = 1;
    for (int i = 0; i < 60; ++i) {
        double s = 0.5 * (a + b), r = 1 - s;
        double value = r * r * ((1 + 2 * s) * x[0] + s * h * v[0]) +
                       s * s * ((1 + 2 * r) * x[1] - r * h * v[1]);
        if (value > place)
            a = s;
        else
            b = s;
    }
    *speed = (1 - a) * v[0] + a * v[1];
    return a * h;
}

// A bead on a road may leave it for a few steps behind the edge, since the impulse of the step over
// the edge belongs to one of the two faces: its force is a mean over this time.
static const double WINDOW = 0.02;

static void add_curve(scene *s, pcs_body_id bead, const path *p, bool bilateral)
{
    const pcs_curve_def curve = {p->pieces, 2, false};
    pcs_joint_def joint = pcs_joint_default();
    pcs_contact_def contact = pcs_contact_default();
    joint.name = contact.name = "path";
    joint.kind = PCS_JOINT_POINT_ON_CURVE;
    contact.kind = PCS_CONTACT_POINT_CURVE;
    joint.b.body = contact.b.body = bead;
    joint.curve = contact.curve = curve;
    if (bilateral)
        scene_joint(s, &joint);
    else
        scene_contact(s, &contact);
}

static passage run(const path *p, bool bilateral, double h)
{
    scene s;
    scene_begin(&s, 2, (pcs_vec3){0, -gravity, 0});
    pcs_body_id bead = scene_point(&s, "bead", 1, p->start, p->velocity);
    add_curve(&s, bead, p, bilateral);
    const char *signal = bilateral ? "joint.path.force.y" : "contact.path.force.n";
    const int window = bilateral ? 1 : (int)lround(WINDOW / h);
    scene_finish(&s, h, p->place_time + 2 * h);
    passage out = {0};
    double x[2] = {p->start.x, p->start.x}, v[2] = {p->velocity.x, p->velocity.x}, force = 0;
    int behind = -1; // steps behind the edge
    for (double t = 0; x[1] > p->place; t += h) {
        scene_require(&s, scene_step(&s));
        pcs_body_view view = scene_view(&s, bead);
        x[0] = x[1];
        v[0] = v[1];
        x[1] = view.position.x;
        v[1] = view.velocity.x;
        assert_true(v[1] < 0); // the bead never turns back
        if (x[0] > 0 && x[1] <= 0) {
            out.edge_time = t + crossing(0, h, x, v, &out.edge_speed);
            out.force_before = force; // of the last step before the edge
            behind = 0;
        } else if (behind >= 0 && behind++ < window) {
            out.force_after += scene_signal(&s, signal) / window;
        }
        force = scene_signal(&s, signal);
        if (x[1] <= p->place)
            out.place_time = t + crossing(p->place, h, x, v, &out.speed);
    }
    scene_end(&s);
    return out;
}

// Errors of a scheme of order 2 in a motion with the angular frequency w, w^2 = g + x'^2 at the
// edge (curvature 1): w^2 h^2 of time and of speed. On a road a step of free flight adds g h to the
// speed. Near the edge the force is N (1 - 1.5 x^2) on a parabola, and the step in question is
// within 2 h of the edge; on a road the normal velocity x'^2 h that the step over the edge leaves
// belongs to the window.
static void check(int which, bool bilateral, double h, double *time_error)
{
    const path *p = &PATHS[which];
    passage found = run(p, bilateral, h);
    const double w2h2 = (gravity + p->edge_speed * p->edge_speed) * h * h;
    const double speed = fabs(p->speed), flight = bilateral ? 0 : gravity * h;
    const double near = 1.5 * pow(2 * h * p->edge_speed, 2), rounding = 1e-9;
    double after = near * p->force_after + rounding;
    if (!bilateral)
        after = 1.5 * pow(WINDOW * p->edge_speed, 2) * p->force_after +
                p->edge_speed * p->edge_speed * h / WINDOW;
    assert_near(found.edge_time, p->edge_time, p->edge_time * w2h2);
    assert_near(found.edge_speed, p->edge_speed, speed * w2h2 + flight);
    assert_near(found.place_time, p->place_time, p->place_time * w2h2);
    assert_near(found.speed, p->speed, speed * w2h2 + flight);
    assert_near(found.force_before, p->force_before, near * p->force_before + rounding);
    assert_near(found.force_after, p->force_after, after);
    *time_error = fabs(found.place_time - p->place_time);
    print_message(
        "%s, %s, h %g: errors of the edge time %.1e and speed %.1e, behind it %.1e, %.1e, of the "
        "force %.1e, %.1e\n",
        which ? "line-parabola" : "parabola-line", bilateral ? "wire" : "road", h,
        found.edge_time - p->edge_time, found.edge_speed - p->edge_speed,
        found.place_time - p->place_time, found.speed - p->speed,
        found.force_before - p->force_before, found.force_after - p->force_after);
}

// Steps of which none ends on the edge. A quarter of the step: with order 2 a sixteenth of the
// error.
static void test_edges(void **state)
{
    (void)state;
    for (int which = 0; which < 2; ++which)
        for (int bilateral = 1; bilateral >= 0; --bilateral) {
            double coarse, fine;
            check(which, bilateral, 2.1e-3, &coarse);
            check(which, bilateral, 2.1e-3 / 4, &fine);
            assert_true(log2(coarse / fine) / 2 > 1.5);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

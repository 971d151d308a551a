// Order of event-driven integration with fixed steps: the impacting oscillator of Janin and
// Lamarque (digest of [Haddouni2015], 3.2)
//
//     x'' + 2 a x' + w^2 x = f(t),   x <= x_max,   x'+ = -e x'- at impacts,
//
// with a closed form between impacts. An integrator of order p with a locator whose error in the
// time of an impact is O(h^q) has the order min(p, q): linear interpolation q = 2, quadratic q = 3,
// bracketing to the precision of the step itself p. Their table: order-2 solver 2 with any locator;
// order >= 3 with the quadratic one 3; order >= 4 with bisection to h^4: 4.
#include <stdio.h>

#include "support/event_scenes.h"
#include "support/near.h"

#include "math/vector.h"

static const double a = 0.05, w = 1.3, drive = 1.7, x_max = 0.6, e = 0.8, end = 12;

// ---- Closed form ----

typedef struct motion {
    double t, x, v;
} motion;

// x_p = P cos(drive t) + Q sin(drive t) for f = cos(drive t), and its rate.
static void forced(double t, double *x, double *v)
{
    const double c = w * w - drive * drive, d = 2 * a * drive, n = c * c + d * d;
    const double P = c / n, Q = d / n;
    *x = P * cos(drive * t) + Q * sin(drive * t);
    *v = drive * (Q * cos(drive * t) - P * sin(drive * t));
}

static motion free_motion(motion from, double t)
{
    const double b = sqrt(w * w - a * a), s = t - from.t;
    double x_0, v_0, x_p, v_p;
    forced(from.t, &x_0, &v_0);
    forced(t, &x_p, &v_p);
    const double x = from.x - x_0, v = from.v - v_0, k = (v + a * x) / b;
    const double decay = exp(-a * s), c = cos(b * s), z = sin(b * s);
    return (motion){t, x_p + decay * (x * c + k * z),
                    v_p + decay * ((b * k - a * x) * c - (b * x + a * k) * z)};
}

// To the end through all impacts, which are bracketed on a fine grid and bisected to rounding.
static motion exact(int *impacts)
{
    motion now = {0, 0, 0};
    *impacts = 0;
    const double grid = 1e-4;
    for (int64_t k = 1; now.t < end; ++k) {
        motion from = now, next = free_motion(now, now.t + (double)k * grid);
        if (next.t >= end)
            return free_motion(now, end);
        if (next.x <= x_max || k < 2)
            continue;
        double low = next.t - grid, high = next.t;
        for (int i = 0; i < 60; ++i) {
            const double mid = 0.5 * (low + high);
            if (free_motion(from, mid).x > x_max)
                high = mid;
            else
                low = mid;
        }
        now = free_motion(from, low);
        now.v *= -e;
        now.x = x_max;
        ++*impacts;
        k = 0;
    }
    return now;
}

// ---- The same by the library ----

static double run(const char *integrator, const char *locator, int steps, motion reference)
{
    const pcs_vec3 zero = {0, 0, 0};
    scene s;
    scene_begin(&s, 2, zero);
    pcs_body_id body = scene_point(&s, "mass", 1, zero, zero);
    pcs_spring_def spring = pcs_spring_default();
    spring.name = "spring";
    spring.a = scene_frame(PCS_GROUND, pcs_v3(-4, 0, 0), zero);
    spring.b = scene_frame(body, zero, zero);
    spring.stiffness = w * w;
    spring.damping = 2 * a;
    spring.rest = 4;
    scene_spring(&s, &spring);
    pcs_force_def force = pcs_force_default();
    force.name = "drive";
    force.body = body;
    force.force[0] = pcs_expression("cos(1.7*t)");
    scene_force(&s, &force);
    pcs_contact_def def = scene_contact_def(
        "stop", PCS_CONTACT_POINT_PLANE,
        scene_frame(PCS_GROUND, pcs_v3(x_max, 0, 0), pcs_v3(0, 0, M_PI / 2)), body,
        (pcs_law){.restitution = e});
    scene_contact(&s, &def);
    scene_use(&s, integrator, end, end);
    scene_set(&s, "locator", locator);
    scene_set(&s, "step_control", "fixed");
    scene_set(&s, "output", "exact");
    scene_set_number(&s, "samples", 1);
    scene_set_number(&s, "first_step", end / steps);
    scene_run(&s);
    const double error = hypot(pcs_simulation_q(s.simulation)[0] - reference.x,
                               pcs_simulation_v(s.simulation)[0] - reference.v);
    scene_end(&s);
    return error;
}

// Least-squares slope of log error over log h. Single ratios scatter, because the place of an
// impact in its step is at random.
static double order(const char *integrator, const char *locator, motion reference)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
    for (int steps = 173; steps < 2000; steps = steps * 5 / 4) {
        const double x = log(end / steps), y = log(run(integrator, locator, steps, reference));
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        ++n;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void test_order(void **state)
{
    (void)state;
    static const struct {
        const char *integrator;
        int order;
    } method[] = {{"heun", 2}, {"bs32", 3}, {"rk4", 4}, {"rkf45", 4}, {"dopri5", 5}, {"phem56", 5}};
    static const struct {
        const char *name;
        int order;
    } locator[] = {{"linear", 2}, {"quadratic", 3}, {"bracket", 5}};
    int impacts;
    const motion reference = exact(&impacts);
    assert_in_range(impacts, 3, 12);
    for (size_t i = 0; i < sizeof method / sizeof *method; ++i)
        for (size_t k = 0; k < sizeof locator / sizeof *locator; ++k) {
            const int expected = method[i].order < locator[k].order ? method[i].order
                                                                    : locator[k].order;
            const double found = order(method[i].integrator, locator[k].name, reference);
            print_message("%-7s %-10s order %.2f\n", method[i].integrator, locator[k].name, found);
            assert_near(found, expected, 0.3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

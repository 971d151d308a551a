// Observed order of the Moreau-Jean scheme: 2 with theta = 1/2 and 1 with theta = 1 in smooth
// motion (double pendulum, heavy top), 1 with impacts (pendulum against a wall); energy over a long
// time.
//
// References: RK4 in minimal coordinates with steps far below those of the scheme.
#include <string.h>

#include "support/mechanisms.h"
#include "support/near.h"

#include "math/rotation.h"

static const double g = 9.81;

// ---- A small RK4 for the references ----

enum { STATES_MAX = 8 };
typedef void (*derivative_fn)(const void *data, const double *x, double *dx);

static void rk4(derivative_fn f, const void *data, int n, double *x, double end, double step)
{
    const long steps = lround(end / step);
    const double h = end / (double)steps;
    double k[4][STATES_MAX], y[STATES_MAX];
    for (long i = 0; i < steps; ++i) {
        f(data, x, k[0]);
        for (int s = 1; s < 4; ++s) {
            for (int j = 0; j < n; ++j)
                y[j] = x[j] + (s == 3 ? h : 0.5 * h) * k[s - 1][j];
            f(data, y, k[s]);
        }
        for (int j = 0; j < n; ++j)
            x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

// ---- Double pendulum ----

static const double pendulum_start[2] = {0.3, -0.7};

// Angles a, b of two uniform rods from +x and their rates.
static void double_pendulum(const void *data, const double *x, double *dx)
{
    (void)data;
    const double *l = DOUBLE_PENDULUM_LENGTH, *m = DOUBLE_PENDULUM_MASS;
    double c = cos(x[0] - x[1]), s = sin(x[0] - x[1]), k = 0.5 * m[1] * l[0] * l[1];
    double M11 = (m[0] / 3 + m[1]) * l[0] * l[0], M12 = k * c, M22 = m[1] * l[1] * l[1] / 3;
    double f1 = -k * s * x[3] * x[3] - (0.5 * m[0] + m[1]) * g * l[0] * cos(x[0]);
    double f2 = k * s * x[2] * x[2] - 0.5 * m[1] * g * l[1] * cos(x[1]);
    double det = M11 * M22 - M12 * M12;
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = (M22 * f1 - M12 * f2) / det;
    dx[3] = (M11 * f2 - M12 * f1) / det;
}

static double double_pendulum_error(int32_t dimension, double h, const char *theta)
{
    const double end = 2;
    double x[4] = {pendulum_start[0], pendulum_start[1], 0, 0};
    rk4(double_pendulum, NULL, 4, x, end, 1e-4);
    scene s;
    mechanism_double_pendulum(&s, dimension, pendulum_start);
    scene_finish(&s, h, end);
    scene_set(&s, "theta", theta);
    assert_int_equal(scene_run(&s), 0);
    double error = 0;
    for (int i = 0; i < 2; ++i) {
        pcs_body_view rod = scene_view(&s, i);
        pcs_vec3 axis = pcs_quat_rotate(rod.rotation, pcs_v3(1, 0, 0));
        error = fmax(error, hypot(axis.x - cos(x[i]), axis.y - sin(x[i])));
        error = fmax(error, fabs(rod.angular_velocity.z - x[2 + i]));
    }
    scene_end(&s);
    return error;
}

static double order(double coarse, double fine)
{
    return log2(coarse / fine);
}

static void test_double_pendulum(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        double error[3];
        for (int i = 0; i < 3; ++i)
            error[i] = double_pendulum_error(dimension, 2e-3 / (1 << i), "0.5");
        assert_near(order(error[0], error[1]), 2, 0.05);
        assert_near(order(error[1], error[2]), 2, 0.05);
        assert_at_most(error[2], 4e-5); // 160 h^2, seen 3.4e-5
    }
}

static void test_double_pendulum_implicit(void **state)
{
    (void)state;
    double error[3];
    for (int i = 0; i < 3; ++i)
        error[i] = double_pendulum_error(2, 5e-4 / (1 << i), "1");
    assert_near(order(error[0], error[1]), 1, 0.05);
    assert_near(order(error[1], error[2]), 1, 0.05);
}

// ---- Heavy top ----

static top_data heavy_top(void)
{
    return (top_data){
        .mass = 0.53,
        .length = 0.117,
        .inertia = {8.3e-4, 8.3e-4, 4.1e-4},
        .rotation = pcs_so3_exp(pcs_v3(0.41, -0.27, 0.13)),
        .angular_velocity = {1.3, -0.7, 47},
    };
}

// Euler's equations about the tip; x = quaternion, Omega (body frame).
static void top_motion(const void *data, const double *x, double *dx)
{
    const top_data *top = data;
    const double ml2 = top->mass * top->length * top->length;
    const pcs_vec3 J = {top->inertia.x + ml2, top->inertia.y + ml2, top->inertia.z};
    const pcs_quat p = {x[0], x[1], x[2], x[3]};
    const pcs_vec3 w = pcs_v3_load(x + 4);
    pcs_quat dp = pcs_quat_mul(p, (pcs_quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z});
    pcs_vec3 weight = pcs_quat_rotate(pcs_quat_conjugate(p), pcs_v3(0, 0, -top->mass * g));
    pcs_vec3 moment = pcs_v3_cross(pcs_v3(0, 0, top->length), weight);
    pcs_vec3 L = {J.x * w.x, J.y * w.y, J.z * w.z};
    moment = pcs_v3_sub(moment, pcs_v3_cross(w, L));
    const double result[7] = {dp.w,           dp.x,           dp.y,          dp.z,
                              moment.x / J.x, moment.y / J.y, moment.z / J.z};
    memcpy(dx, result, sizeof result);
}

static double top_error(double h, const double *reference)
{
    scene s;
    top_data top = heavy_top();
    mechanism_top(&s, &top);
    scene_finish(&s, h, 1);
    assert_int_equal(scene_run(&s), 0);
    pcs_body_view view = scene_view(&s, 0);
    const pcs_quat p = {reference[0], reference[1], reference[2], reference[3]};
    double error = 0;
    for (int i = 0; i < 3; ++i) { // body axes and angular velocity
        const pcs_vec3 axis = {i == 0, i == 1, i == 2};
        error = fmax(error, pcs_v3_norm(pcs_v3_sub(pcs_quat_rotate(view.rotation, axis),
                                                   pcs_quat_rotate(p, axis))));
    }
    scene_end(&s);
    return error;
}

static void test_heavy_top(void **state)
{
    (void)state;
    top_data top = heavy_top();
    const pcs_quat p = top.rotation;
    double x[7] = {
        p.w, p.x, p.y, p.z, top.angular_velocity.x, top.angular_velocity.y, top.angular_velocity.z};
    rk4(top_motion, &top, 7, x, 1, 2e-5);
    double error[3];
    for (int i = 0; i < 3; ++i)
        error[i] = top_error(1e-3 / (1 << i), x);
    assert_near(order(error[0], error[1]), 2, 0.05);
    assert_near(order(error[1], error[2]), 2, 0.05);
    assert_at_most(error[2], 47.0 * 47 / 12 * 2.5e-4 * 2.5e-4 * 10); // (omega h)^2/12 over 10 rad
}

// ---- Pendulum against a wall ----

static void pendulum(const void *data, const double *x, double *dx)
{
    (void)data;
    dx[0] = x[1];
    dx[1] = -g * sin(x[0]); // angle from the vertical, reduced length 1
}

enum { SAMPLES = 300 };
static const double sample_step = 0.01;

// Angle at the sample times: quarter period of the free pendulum, impact, half swings in between.
static void wall_reference(double restitution, double *angle)
{
    const double step = 1e-4;
    double t = 0, first = 2.367841947576237 / 4; // period of IFToMM A01
    double x[2] = {0.5 * PCS_PI, 0};
    int next = 0;
    for (double hit = first;;) {
        for (; next < SAMPLES && (next + 1) * sample_step < hit; ++next) {
            double to = (next + 1) * sample_step;
            rk4(pendulum, NULL, 2, x, to - t, step);
            t = to;
            angle[next] = x[0];
        }
        if (next == SAMPLES)
            return;
        rk4(pendulum, NULL, 2, x, hit - t, step);
        t = hit;
        x[0] = 0;
        x[1] *= -restitution;
        // Half a period with the new amplitude, by the arithmetic-geometric mean.
        double a = 1, b = sqrt(1 - x[1] * x[1] / (4 * g));
        for (int i = 0; i < 6; ++i) {
            double mean = 0.5 * (a + b);
            b = sqrt(a * b);
            a = mean;
        }
        hit += PCS_PI / (sqrt(g) * a);
    }
}

// Mean of the angle's error over the samples.
static double wall_error(double h, double restitution, const double *reference)
{
    scene s;
    double sum = 0;
    mechanism_pendulum_wall(&s, restitution);
    scene_finish(&s, h, SAMPLES * sample_step);
    for (int i = 0; i < SAMPLES; ++i) {
        while (pcs_simulation_time(s.simulation) < (i + 1) * sample_step - 0.5 * h)
            assert_int_equal(scene_step(&s), PCS_OK);
        double angle = scene_view(&s, 0).angle + 0.5 * PCS_PI;
        sum += fabs(angle - reference[i]);
    }
    assert_at_most(pcs_simulation_statistics(s.simulation)->worst_penetration, 1e-11);
    scene_end(&s);
    return sum / SAMPLES;
}

// The error depends on where in a step the impacts fall: the order is the slope fitted over many
// steps, and every error stays below a bound of first order.
static void test_wall(void **state)
{
    (void)state;
    const int parts[] = {1, 2, 3, 4, 5, 7, 9, 11, 14, 17, 23, 29, 36, 46, 57, 64};
    enum { RUNS = sizeof parts / sizeof *parts };
    const double restitution = 0.7;
    double reference[SAMPLES], sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    wall_reference(restitution, reference);
    for (int i = 0; i < RUNS; ++i) {
        double h = sample_step / parts[i], error = wall_error(h, restitution, reference);
        // Three impacts, each late by up to a step, at 4.4, 3.1 and 2.2 rad/s.
        assert_at_most(error, (4.4 + 3.1 + 2.2) * h);
        double x = log(h), y = log(error);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    double slope = (RUNS * sum_xy - sum_x * sum_y) / (RUNS * sum_xx - sum_x * sum_x);
    assert_near(slope, 1, 0.2);
}

// ---- Energy over a long time ----

// A chaotic motion of 100 s: the error does not grow with time, only the fastest turn counts.

static double long_energy(double h)
{
    scene s;
    double worst = 0;
    mechanism_double_pendulum(&s, 2, pendulum_start);
    scene_finish(&s, h, 100);
    scene_require(&s, pcs_simulation_start(s.simulation));
    const double start = scene_total_energy(&s);
    while (!pcs_simulation_finished(s.simulation)) {
        assert_int_equal(scene_step(&s), PCS_OK);
        worst = fmax(worst, fabs(scene_total_energy(&s) - start));
    }
    scene_end(&s);
    return worst;
}

static void test_long_energy(void **state)
{
    (void)state;
    double coarse = long_energy(1e-3), fine = long_energy(5e-4);
    assert_near(order(coarse, fine), 2, 0.15);
    assert_at_most(fine, 1e-3); // the rods fall through 19 J
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_double_pendulum_implicit),
        cmocka_unit_test(test_heavy_top),       cmocka_unit_test(test_wall),
        cmocka_unit_test(test_long_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

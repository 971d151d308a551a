// Order of the Moreau-Jean scheme on the bouncing ball f = -2, e = 1/2, q0 = 1, which has an
// accumulation of impacts at t = 3 and a closed form [digest of AcaryLectures, 4.1].
#include "support/near.h"
#include "support/scenes.h"

// t < 1: q = 1 - t^2; between the impacts n and n+1, t in [3 - 2^(1-n), 3 - 2^(-n)):
// q = -(t-3)^2 - 3 2^(-n) (t-1) + 2^(1-n) (3 - 2^(-n)); from t = 3 on at rest.
static void exact(double t, double *q, double *v)
{
    *q = *v = 0;
    if (t < 1) {
        *q = 1 - t * t;
        *v = -2 * t;
    } else if (t < 3) {
        double part = 1; // 2^(-n)
        while (t >= 3 - part)
            part *= 0.5;
        *q = -(t - 3) * (t - 3) - 3 * part * (t - 1) + 2 * part * (3 - part);
        *v = -2 * (t - 3) - 3 * part;
    }
}

typedef struct error {
    double q, v;
} error;

// L1 errors h sum |x_i - x(t_i)| up to T = 4.
static error measure(double theta, double forecast, const char *projection, double h)
{
    scene s;
    scene_bouncing_ball(&s, 2, 1, 1, 0, 0.5);
    scene_finish(&s, h, 4);
    scene_set_number(&s, "theta", theta);
    scene_set_number(&s, "forecast", forecast);
    scene_set(&s, "projection", projection);
    error sum = {0, 0};
    while (!pcs_simulation_finished(s.simulation)) {
        double q, v;
        scene_step(&s);
        exact(pcs_simulation_time(s.simulation), &q, &v);
        sum.q += h * fabs(pcs_simulation_q(s.simulation)[1] - q);
        sum.v += h * fabs(pcs_simulation_v(s.simulation)[1] - v);
    }
    scene_end(&s);
    return sum;
}

static const double schemes[3][2] = {{0.5, 0.5}, {0.5, 1}, {1, 1}};

// The table of acary 4.1. Its steps are 1.23e-2 divided by 1, 16 and 256: its column heads 7.69e-4
// and 4.8e-5 are rounded, and with these rounded values the errors differ by up to a factor 2. It
// was made with the literal law U_{k+1} >= -e U_k; the guard (restitution on approach only, acary
// 7, 11) changes one of its 18 numbers: the first, 6.6022e-3 without and 6.5473e-3 with the guard
// in a program of ten lines, is 6.5 instead of 6.6.
static void test_published_errors(void **state)
{
    (void)state;
    static const error table[3][3] = {
        {{6.5e-3, 8.5e-2}, {8.5e-4, 6.7e-3}, {5.2e-5, 3.5e-4}},
        {{6.3e-3, 8.0e-2}, {7.9e-4, 6.9e-3}, {3.5e-5, 2.8e-4}},
        {{3.2e-2, 1.4e-1}, {1.3e-3, 6.1e-3}, {8.7e-5, 6.6e-4}},
    };
    for (int i = 0; i < 3; ++i) {
        double h = 1.23e-2;
        for (int k = 0; k < 3; ++k, h /= 16) {
            error e = measure(schemes[i][0], schemes[i][1], "none", h);
            print_message("theta %g, forecast %g, h %.3g: %.3g, %.3g\n", schemes[i][0],
                          schemes[i][1], h, e.q, e.v);
            assert_digits(e.q, table[i][k].q, pow(10, floor(log10(table[i][k].q)) - 1));
            assert_digits(e.v, table[i][k].v, pow(10, floor(log10(table[i][k].v)) - 1));
        }
    }
}

// Slope of log error against log h over non-commensurate steps between 2e-2 and 8e-5; pairs of
// steps scatter between 0.5 and 1.5 (acary 7, 13), the fit does not.
static error fitted_order(double theta, double forecast, const char *projection)
{
    enum { STEPS = 24 };
    double x_sum = 0, xx_sum = 0;
    error y_sum = {0, 0}, xy_sum = {0, 0};
    double h = 2.0713e-2;
    for (int i = 0; i < STEPS; ++i, h /= 1.2681) {
        error e = measure(theta, forecast, projection, h);
        double x = log(h), y_q = log(e.q), y_v = log(e.v);
        x_sum += x;
        xx_sum += x * x;
        y_sum.q += y_q;
        y_sum.v += y_v;
        xy_sum.q += x * y_q;
        xy_sum.v += x * y_v;
    }
    double scale = STEPS * xx_sum - x_sum * x_sum;
    return (error){(STEPS * xy_sum.q - x_sum * y_sum.q) / scale,
                   (STEPS * xy_sum.v - x_sum * y_sum.v) / scale};
}

static void test_order_one(void **state)
{
    (void)state;
    static const char *const projection[] = {"none", "all"};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 2; ++k) {
            error order = fitted_order(schemes[i][0], schemes[i][1], projection[k]);
            print_message("theta %g, forecast %g, projection %s: order %.3f in q, %.3f in v\n",
                          schemes[i][0], schemes[i][1], projection[k], order.q, order.v);
            assert_true(order.q >= 0.9);
            assert_true(order.v >= 0.9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_errors),
        cmocka_unit_test(test_order_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

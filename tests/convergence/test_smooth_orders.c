// Orders of the smooth integrators: fixed steps on the four-bar of [Haddouni2015, 3.1] and on
// bodies in space, and their dense output. Digest of the thesis, "Fixed-step convergence at t =
// 0.5": HEM5 4.97, PHEM56 4.8, RKF45 3.8; dense output of HEM5 (3.13): q and v 5, v' and lambda 3
// by the formula and 4 by (1.25).
#include <string.h>

#include "math/rotation.h"
#include "support/march_run.h"
#include "support/mechanisms.h"
#include "support/near.h"

enum { METHODS = 5, SIZE = 64, PARTS = 4 };

static const char *const methods[METHODS] = {"rk4", "rkf45", "dopri5", "hem5", "phem56"};
// The digest's bounds for HEM5, PHEM56 and RKF45; RK4 and DOPRI5 in the same relation to their
// order
static const double least_order[METHODS] = {3.8, 3.8, 4.8, 4.8, 4.7};

// A point of the motion, to compare others with.
typedef struct sample {
    double q[SIZE], v[SIZE], a[SIZE], lambda[SIZE];
} sample;

static void take(const pcs_model *model, const pcs_smooth_point *point, sample *out)
{
    memcpy(out->q, point->q, sizeof(double) * (size_t)model->n_q);
    memcpy(out->v, point->v, sizeof(double) * (size_t)model->n_v);
    memcpy(out->a, point->a, sizeof(double) * (size_t)model->n_v);
    memcpy(out->lambda, point->lambda, sizeof(double) * (size_t)model->n_rows);
}

static double distance(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

// Errors of q, v, v' and lambda; those of redundant rows have no meaning and are left out.
static void differences(const pcs_model *model, const sample *x, const sample *y, double out[PARTS])
{
    const double zero[SIZE] = {0};
    double d[SIZE];
    pcs_model_difference(model, x->q, y->q, d);
    out[0] = distance(model->n_v, d, zero);
    out[1] = distance(model->n_v, x->v, y->v);
    out[2] = distance(model->n_v, x->a, y->a);
    out[3] = distance(model->n_rows, x->lambda, y->lambda);
}

// ---- Fixed steps ----

// Orders over one halving of the step at time t, against HEM5 with a sixteenth of the finest step:
// its error is below 1/16^4 of any of theirs. v' and lambda come from the index-1 equation and have
// the order of v.
static void check_orders(scene *s, double t, int32_t steps)
{
    march_run r;
    pcs_march_opts opts = march_run_fixed("hem5", t / (64 * steps));
    sample reference, end;
    march_run_begin(&r, s, &opts);
    const pcs_model *model = s->model;
    march_run_to(&r, t);
    take(model, &r.march->to, &reference);
    for (int k = 0; k < METHODS; ++k) {
        // Those of order 4 reach it later and have more room above rounding.
        const int32_t first = pcs_integrator_find(methods[k])->order == 4 ? 4 * steps : 2 * steps;
        double error[2][PARTS];
        for (int i = 0; i < 2; ++i) {
            opts = march_run_fixed(methods[k], t / (first << i));
            march_run_restart(&r, &opts);
            march_run_to(&r, t);
            assert_int_equal(r.march->counts.accepted, first << i);
            take(model, &r.march->to, &end);
            differences(model, &end, &reference, error[i]);
        }
        for (int j = 0; j < PARTS - (model->n_rows == 0); ++j)
            if (!(log2(error[0][j] / error[1][j]) >= least_order[k]))
                fail_msg("%s: the error of part %d goes from %.3g to %.3g, order %.3g", methods[k],
                         j, error[0][j], error[1][j], log2(error[0][j] / error[1][j]));
    }
    march_run_end(&r);
}

static void test_four_bar(void **state)
{
    (void)state;
    scene s;
    mechanism_four_bar(&s);
    check_orders(&s, 0.5, 256);
}

// A free body that tumbles about its middle axis; no rows at all.
static void test_tumbling_body(void **state)
{
    (void)state;
    scene s;
    mechanism_free_body(&s, 1.3, pcs_v3(0.7, 1.9, 2.4), pcs_v3(1.1, 3.3, -0.7));
    check_orders(&s, 1, 32);
}

static const top_data top = {
    .mass = 1.1,
    .length = 0.4,
    .inertia = {0.11, 0.17, 0.23},
    .rotation = {0.9, 0.3, -0.2, 0.1},
    .angular_velocity = {0.4, -0.3, 9},
};

static void unsymmetrical_top(scene *s)
{
    top_data data = top;
    data.rotation = pcs_quat_normalize(top.rotation);
    mechanism_top(s, &data);
}

static void test_top(void **state)
{
    (void)state;
    scene s;
    unsymmetrical_top(&s);
    check_orders(&s, 0.5, 32);
}

// Six hinges in space, one redundant row.
static void test_bricard(void **state)
{
    (void)state;
    scene s;
    mechanism_bricard(&s);
    check_orders(&s, 1, 20);
}

// ---- Dense output ----

enum { PLACES = 9 };

// Largest errors inside the first step of length h, with v' and lambda as they come, and those of
// the index-1 equation at the dense q and v behind them.
static void dense_errors(scene *s, const char *method, double h, double out[PARTS + 2])
{
    march_run r;
    pcs_march_opts opts = march_run_fixed(method, h);
    sample dense[PLACES], index_1[PLACES], exact;
    pcs_smooth_point point;
    march_run_begin(&r, s, &opts);
    const pcs_model *model = s->model;
    scene_require(s, pcs_smooth_point_init(s->ctx, model, &point));
    march_run_to(&r, h);
    for (int i = 0; i < PLACES; ++i) {
        scene_require(s, pcs_march_dense(r.march, (i + 1) * h / (PLACES + 1), &point));
        take(model, &point, &dense[i]);
        scene_require(s, pcs_smooth_accelerations(r.march->smooth, point.t, point.q, point.v,
                                                  point.a, point.lambda, NULL));
        take(model, &point, &index_1[i]);
    }
    opts = march_run_fixed("hem5", h / (20 * (PLACES + 1)));
    march_run_restart(&r, &opts);
    memset(out, 0, sizeof(double) * (PARTS + 2));
    for (int i = 0; i < PLACES; ++i) {
        double part[PARTS];
        march_run_to(&r, (i + 1) * h / (PLACES + 1));
        take(model, &r.march->to, &exact);
        differences(model, &dense[i], &exact, part);
        for (int j = 0; j < PARTS; ++j)
            out[j] = fmax(out[j], part[j]);
        differences(model, &index_1[i], &exact, part);
        for (int j = 0; j < 2; ++j)
            out[PARTS + j] = fmax(out[PARTS + j], part[2 + j]);
    }
    pcs_smooth_point_free(s->ctx, &point);
    march_run_end(&r);
}

typedef struct dense_case {
    const char *method;
    double order[PARTS + 2]; // q, v, v', lambda; v' and lambda of the index-1 equation
} dense_case;

// A polynomial of degree 4 leaves a local error of order 5. RK4 and RKF45 have a quintic through
// the ends of a step whose own local error is of order 5; its slope, v, has lost one.
static const dense_case dense_cases[METHODS] = {
    {"rk4", {5, 4, 4, 4, 4, 4}},  {"rkf45", {5, 4, 4, 4, 4, 4}},  {"dopri5", {5, 5, 5, 5, 5, 5}},
    {"hem5", {5, 5, 3, 3, 5, 5}}, {"phem56", {5, 5, 5, 5, 5, 5}},
};

static void check_dense(void (*build)(scene *s), double h, double slack)
{
    for (int k = 0; k < METHODS; ++k) {
        const dense_case *expected = &dense_cases[k];
        double error[2][PARTS + 2];
        for (int i = 0; i < 2; ++i) {
            scene s;
            build(&s);
            dense_errors(&s, expected->method, i == 0 ? h : 0.5 * h, error[i]);
        }
        for (int j = 0; j < PARTS + 2; ++j) {
            const double order = log2(error[0][j] / error[1][j]);
            if (!(order >= expected->order[j] - slack))
                fail_msg("%s: part %d has local order %.3g, %.3g to %.3g", expected->method, j,
                         order, error[0][j], error[1][j]);
        }
    }
}

// The thesis' own example; its steps go from 0.05 down to 0.001.
static void test_dense_slider_crank(void **state)
{
    (void)state;
    check_dense(mechanism_slider_crank, 0.002, 0.2);
}

static void test_dense_top(void **state)
{
    (void)state;
    check_dense(unsymmetrical_top, 0.02, 0.2);
}

// With V'_9 in place of V'_10, as printed in (2.138), the order of v' would be 1 and that of v 2:
// the order of v' above is the test against it. The dense velocity satisfies its constraint.
static void test_dense_constraint(void **state)
{
    (void)state;
    scene s;
    march_run r;
    pcs_smooth_point point;
    double g_rate[SIZE];
    mechanism_four_bar(&s);
    const pcs_march_opts opts = march_run_fixed("hem5", 0.01);
    march_run_begin(&r, &s, &opts);
    scene_require(&s, pcs_smooth_point_init(s.ctx, s.model, &point));
    march_run_to(&r, 0.3);
    for (int i = 0; i <= 10; ++i) {
        scene_require(&s, pcs_march_dense(r.march, 0.29 + 0.001 * i, &point));
        pcs_smooth_drift(r.march->smooth, point.t, point.q, point.v, NULL, g_rate);
        for (int32_t j = 0; j < s.model->n_rows; ++j)
            assert_near(g_rate[j], 0, 2e-15);
    }
    pcs_smooth_point_free(s.ctx, &point);
    march_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_tumbling_body),
        cmocka_unit_test(test_top),
        cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_dense_slider_crank),
        cmocka_unit_test(test_dense_top),
        cmocka_unit_test(test_dense_constraint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

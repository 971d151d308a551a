// Lagrangian systems of the examples: accelerations and multipliers at the start against published
// numbers, the flexible rod against the formulas of its source written out in C.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/assembly.h"
#include "percuss/io.h"

enum { N_MAX = 8, ROWS_MAX = 8 };

typedef struct scene {
    pcs_context *ctx;
    pcs_model_file *file;
    const pcs_model *model;
    pcs_configuration c;
    pcs_row_block *blocks;
    double *values;
    pcs_saddle *saddle;
    double q[N_MAX], v[N_MAX];
} scene;

static void open_scene(scene *s, const char *name)
{
    memset(s, 0, sizeof *s);
    const char *source = getenv("PERCUSS_SOURCE");
    assert_non_null(source);
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s.yaml", source, name);
    s->ctx = pcs_context_create(NULL);
    if (pcs_model_file_read(s->ctx, path, NULL, 0, &s->file) != PCS_OK)
        fail_msg("%s", pcs_context_error(s->ctx));
    s->model = pcs_model_file_model(s->file);
    assert_true(s->model->n_v <= N_MAX && s->model->n_rows <= ROWS_MAX);
    assert_int_equal(pcs_configuration_init(s->ctx, s->model, &s->c), PCS_OK);
    assert_int_equal(pcs_model_row_blocks_create(s->ctx, s->model, &s->blocks, &s->values), PCS_OK);
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = 1;
    def.node_size = &s->model->n_v;
    def.n_rows = s->model->row_blocks.count;
    def.rows = s->blocks;
    assert_int_equal(pcs_saddle_create(s->ctx, &def, &s->saddle), PCS_OK);
    pcs_model_initial_state(s->model, s->q, s->v);
    pcs_configuration_update(s->model, &s->c, 0, s->q, s->v, NULL, NULL);
}

static void close_scene(scene *s)
{
    pcs_saddle_destroy(s->saddle);
    pcs_free(s->ctx, s->blocks);
    pcs_free(s->ctx, s->values);
    pcs_configuration_free(s->ctx, &s->c);
    pcs_model_file_destroy(s->file);
    assert_int_equal(pcs_context_heap_bytes(s->ctx), 0);
    pcs_context_destroy(s->ctx);
}

// M a = f + G^T lambda, G a = -convective
static void solve(scene *s, double *a, double *lambda)
{
    pcs_rows rows = {.blocks = s->blocks, .convective = lambda};
    pcs_model_rows(s->model, &s->c, &rows);
    pcs_model_forces(s->model, &s->c, a, NULL);
    pcs_model_matrix(s->model, &s->c, 0, 0, s->saddle);
    for (int32_t i = 0; i < s->model->n_rows; ++i)
        lambda[i] = -lambda[i];
    assert_int_equal(pcs_saddle_factor(s->saddle), PCS_OK);
    pcs_saddle_solve(s->saddle, a, lambda);
}

static void near(double found, double expected, double tolerance, const char *what, int i)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%s %d: %.15g instead of %.15g", what, i, found, expected);
}

// [Haddouni2015], 3.4.1 in the data of the digest: accelerations to the twelve digits given.
static void test_four_bar(void **state)
{
    (void)state;
    static const double a_0[3] = {53.6392857143, -40.2294642857, 30.1720982143};
    static const double lambda_0[2] = {-1.27830246766, 5.35497767857};
    double a[N_MAX], lambda[ROWS_MAX];
    scene s;
    open_scene(&s, "four_bar_formulas");
    solve(&s, a, lambda);
    for (int i = 0; i < 3; ++i)
        near(a[i], a_0[i], 5e-11 * 2, "acceleration", i); // half a digit, given and computed
    for (int i = 0; i < 2; ++i)
        near(lambda[i], lambda_0[i], 1e-10, "multiplier", i);
    close_scene(&s);
}

// IVP Test Set, Andrews' squeezing mechanism: q''(0) and lambda(0), there with M q'' = f - G^T
// lambda. The digits given are fifteen; the smallest moment of inertia, 4e-7, takes a few of them.
static void test_andrews(void **state)
{
    (void)state;
    static const double a_0[7] = {14222.4439199541, -10666.8329399656};
    static const double lambda_0[6] = {98.5668703962411, -6.12268834425566};
    double a[N_MAX], lambda[ROWS_MAX];
    scene s;
    open_scene(&s, "andrews_squeezer_formulas");
    solve(&s, a, lambda);
    for (int i = 0; i < 7; ++i)
        near(a[i], a_0[i], 1e-7, "acceleration", i); // 1e-11 relative
    for (int i = 0; i < 6; ++i)
        near(-lambda[i], lambda_0[i], 1e-9, "multiplier", i);
    close_scene(&s);
}

// The flexible connecting rod: M and F as the IVP Test Set ("slider crank") writes them.
typedef struct rod {
    double M[7][7], F[7];
} rod;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void rod_by_hand(const double *x, const double *w, rod *out)
{
    const double m2 = 0.151104, m3 = 0.075552, l1 = 0.15, l2 = 0.3, J1 = 0.002727;
    const double J2 = 0.0045339259, E = 2e11, b = 0.008, h = 0.008, rho = 7870, P = 3.1415927;
    const double fm = rho * b * h * l2, fk = E * b * h / l2, fb = b * h * l2;
    const double MQ[4][4] = {
        {0.5 * fm, 0, 0, 0}, {0, 0.5 * fm, 0, 0}, {0, 0, 8 * fm, fm}, {0, 0, fm, 2 * fm}};
    double KQ[4][4] = {{0}}, BQ[4][4] = {{0}}, MQq[4], BQv[4], QB[4], KQq[4];
    KQ[0][0] = fk * pow(P, 4) / 24 * (h / l2) * (h / l2);
    KQ[1][1] = fk * 2 * pow(P, 4) / 3 * (h / l2) * (h / l2);
    KQ[2][2] = 16 * fk / 3;
    KQ[2][3] = KQ[3][2] = -8 * fk / 3;
    KQ[3][3] = 7 * fk / 3;
    BQ[0][2] = -16 * fb / pow(P, 3);
    BQ[0][3] = fb * (8 / pow(P, 3) - 1 / P);
    BQ[1][3] = fb / (2 * P);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            BQ[i][j] = -BQ[j][i];
    const double c1[4] = {0, 0, 2 * fb / 3, fb / 6}, c2[4] = {2 * fb / P, 0, 0, 0};
    const double c12[4] = {0, 0, l2 * fb / 3, l2 * fb / 6};
    const double c21[4] = {l2 * fb / P, -l2 * fb / (2 * P), 0, 0};
    const double *q = x + 3, *v = w + 3, s = sin(x[0] - x[1]), c = cos(x[0] - x[1]);
    for (int i = 0; i < 4; ++i) {
        MQq[i] = dot(MQ[i], q);
        KQq[i] = dot(KQ[i], q);
        BQv[i] = dot(BQ[i], v);
        QB[i] = -dot(BQ[i], q); // q^T BQ, antisymmetric
    }
    memset(out, 0, sizeof *out);
    out->M[0][0] = J1 + m2 * l1 * l1;
    out->M[0][1] = 0.5 * l1 * l2 * m2 * c + rho * l1 * (s * dot(c2, q) + c * dot(c1, q));
    out->M[1][1] = J2 + dot(q, MQq) + 2 * rho * dot(c12, q);
    out->M[2][2] = m3;
    for (int i = 0; i < 4; ++i) {
        out->M[0][3 + i] = rho * l1 * (-s * c1[i] + c * c2[i]);
        out->M[1][3 + i] = rho * c21[i] + rho * QB[i];
        for (int j = 0; j < 4; ++j)
            out->M[3 + i][3 + j] = MQ[i][j];
    }
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < i; ++j)
            out->M[i][j] = out->M[j][i];
    const double w1 = w[0], w2 = w[1];
    out->F[0] = -0.5 * l1 * l2 * m2 * w2 * w2 * s +
                rho * l1 * w2 * w2 * (-s * dot(c1, q) + c * dot(c2, q)) -
                2 * rho * l1 * w2 * (c * dot(c1, v) + s * dot(c2, v));
    out->F[1] = 0.5 * l1 * l2 * m2 * w1 * w1 * s +
                rho * l1 * w1 * w1 * (s * dot(c1, q) - c * dot(c2, q)) -
                2 * rho * w2 * dot(c12, v) - 2 * w2 * dot(v, MQq) - rho * dot(v, BQv);
    for (int i = 0; i < 4; ++i)
        out->F[3 + i] = w2 * w2 * MQq[i] +
                        rho * (w2 * w2 * c12[i] + l1 * w1 * w1 * (c * c1[i] + s * c2[i]) +
                               2 * w2 * BQv[i]) -
                        KQq[i];
}

static void test_flexible_rod(void **state)
{
    (void)state;
    // Deflections and rates as large as a test of every term wants them.
    static const double q[7] = {0.7, -0.33, 0.41, 0.011, -0.007, 0.013, 0.009};
    static const double v[7] = {150, -71.3, 9.1, 0.44, -0.31, 0.23, 0.19};
    scene s;
    rod hand;
    open_scene(&s, "slider_crank_flexible");
    pcs_configuration_update(s.model, &s.c, 0.013, q, v, NULL, NULL);
    rod_by_hand(q, v, &hand);
    double f[7], scale = 0;
    pcs_model_forces(s.model, &s.c, f, NULL);
    for (int i = 0; i < 7; ++i)
        scale = fmax(scale, fabs(hand.F[i]));
    for (int i = 0; i < 7; ++i) {
        double unit[7] = {0}, column[7];
        unit[i] = 1;
        pcs_model_mass_multiply(s.model, &s.c, unit, column);
        for (int j = 0; j < 7; ++j)
            near(column[j], hand.M[j][i], 1e-15, "mass", 7 * j + i); // largest entry: 0.3
        near(f[i], hand.F[i], 1e-14 * scale, "force", i);
    }
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_andrews),
        cmocka_unit_test(test_flexible_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

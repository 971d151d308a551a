// Smooth integrators on systems from formulas: the four-bar of [Haddouni 2015, 3.1] in its three
// angles, with the counts of steps and the states of its digest, and the pendulum of the drift study
// with the row that the study has.
#include <string.h>

#include "percuss/io.h"
#include "schemes/march.h"
#include "support/near.h"

typedef struct formula_run {
    pcs_context *ctx;
    pcs_model_file *file;
    const pcs_model *model;
    pcs_phase phase;
    pcs_march *march;
} formula_run;

static void must(const formula_run *r, pcs_status status)
{
    if (status != PCS_OK)
        fail_msg("%s: %s", pcs_status_name(status), pcs_context_error(r->ctx));
}

static void open_model(formula_run *r, const char *text)
{
    *r = (formula_run){.ctx = pcs_context_create(NULL)};
    must(r,
         pcs_model_file_read_memory(r->ctx, "model.yaml", text, strlen(text), NULL, 0, &r->file));
    r->model = pcs_model_file_model(r->file);
    must(r, pcs_phase_init(r->ctx, r->model, &r->phase));
}

static void begin(formula_run *r, const pcs_march_opts *opts, const double *q, const double *v)
{
    pcs_march_destroy(r->march);
    must(r, pcs_march_create(r->ctx, r->model, opts, &r->march));
    must(r, pcs_march_begin(r->march, &r->phase, 0, q, v, false));
}

static void run_to(formula_run *r, double t)
{
    while (r->march->to.t < t)
        must(r, pcs_march_step(r->march, t));
}

static void close_model(formula_run *r)
{
    pcs_march_destroy(r->march);
    pcs_phase_free(r->ctx, &r->phase);
    pcs_model_file_destroy(r->file);
    pcs_context_destroy(r->ctx);
}

// ---- Four-bar ----

static const char four_bar[] =
    "dimension: 2\n"
    "parameters: {m: 1, l1: 0.3, l2: sqrt(0.13), l3: 0.4, d: 0.7, g: 9.81,\n"
    "  I1: m*l1^2/12, I2: m*l2^2/12, I3: m*l3^2/12}\n"
    "systems:\n"
    "  fourbar:\n"
    "    coordinates: {phi1: pi/3, phi2: 0.242563874095, phi3: 2*pi/3}\n"
    "    kinetic: >-\n"
    "      (I1 + m*l1^2/4)/2*phi1.rate^2 + m/2*(l1^2*phi1.rate^2 + (l2/2)^2*phi2.rate^2\n"
    "      + l1*l2*cos(phi1 - phi2)*phi1.rate*phi2.rate) + I2/2*phi2.rate^2\n"
    "      + (I3 + m*l3^2/4)/2*phi3.rate^2\n"
    "    potential: m*g*(l1/2*sin(phi1) + (l1*sin(phi1) + l2/2*sin(phi2)) + l3/2*sin(phi3))\n"
    "    forces: {phi1: 6}\n"
    "    constraints:\n"
    "      close_x: l1*cos(phi1) + l2*cos(phi2) - l3*cos(phi3) - d\n"
    "      close_y: l1*sin(phi1) + l2*sin(phi2) - l3*sin(phi3)\n";

// Digest of the thesis, 4.1, "Reproduction": accepted steps for tolerances 1e-2, 1e-4, ..., 1e-10, first
// step 1e-3, phi2(0) truncated as printed. (The thesis' own Table 3.3 has PHEM56 45, 64, 128, 291, 699
// and RKF45 109, 99, 214, 504, 1241.)
enum { TOLERANCES = 5 };
static const struct {
    const char *method;
    int64_t accepted[TOLERANCES];
} counts[] = {
    {"phem56", {32, 53, 121, 282, 702}},
    {"rkf45", {47, 88, 205, 486, 1207}},
    {"hem5", {43, 117, 329, 924, 2489}},
};

static void test_counts(void **state)
{
    (void)state;
    formula_run r;
    double q[3], v[3];
    open_model(&r, four_bar);
    pcs_model_initial_state(r.model, q, v);
    q[1] = 0.24256387;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        pcs_march_opts opts = pcs_march_default();
        opts.class = pcs_integrator_find(counts[k].method);
        opts.first_step = 1e-3;
        opts.tolerance = 1e-2;
        for (int i = 0; i < TOLERANCES; ++i, opts.tolerance *= 1e-2) {
            begin(&r, &opts, q, v);
            run_to(&r, 2);
            const double expected = (double)counts[k].accepted[i];
            assert_near((double)r.march->counts.accepted, expected, 0.1 * expected);
            if (opts.class->index == 2)
                assert_at_most(r.march->counts.velocity_drift, 2e-15);
        }
    }
    close_model(&r);
}

// "Converged reference": states and multipliers, PHEM56 at tolerance 1e-11.
static const struct {
    double t, q[3], v[3], lambda[2];
    double digit; // the last one of lambda
} reference[] = {
    {0.5,
     {-0.6642966296, -0.5364152565, 4.3175034232},
     {-5.9945711024, 4.8564218812, -0.5791706005},
     {9.293639457, 3.117863186},
     1e-9},
    {1,
     {1.5582658244, -0.4912322512, 2.8108505916},
     {2.271651346, 11.234125925, -9.463125870},
     {111.550177, -44.099083},
     1e-6},
    {2,
     {0.2701647217, -1.2613123892, 3.8602783870},
     {6.1958043856, -2.4366483250, -5.0611138612},
     {3.454776547, -1.781458590},
     1e-9},
};

static void test_states(void **state)
{
    (void)state;
    formula_run r;
    double q[3], v[3];
    open_model(&r, four_bar);
    pcs_model_initial_state(r.model, q, v);
    pcs_march_opts opts = pcs_march_default();
    opts.tolerance = 1e-11;
    begin(&r, &opts, q, v);
    const double a[3] = {53.6392857143, -40.2294642857, 30.1720982143}; // at the start
    for (int j = 0; j < 3; ++j)
        assert_near(r.march->to.a[j], a[j], 1e-9);
    for (size_t i = 0; i < sizeof reference / sizeof *reference; ++i) {
        run_to(&r, reference[i].t);
        const pcs_smooth_point *p = &r.march->to;
        for (int j = 0; j < 3; ++j) {
            assert_near(p->q[j], reference[i].q[j], 2e-10);
            assert_near(p->v[j], reference[i].v[j], 2e-9);
        }
        for (int j = 0; j < 2; ++j)
            assert_near(p->lambda[j], reference[i].lambda[j], 2 * reference[i].digit);
    }
    close_model(&r);
}

// ---- Drift ----

static const char pendulum[] = "dimension: 2\n"
                               "systems:\n"
                               "  bob:\n"
                               "    coordinates: {x: 1, y: 0}\n"
                               "    kinetic: (x.rate^2 + y.rate^2)/2\n"
                               "    potential: 9.81*y\n"
                               "    constraints: {bar: (x^2 + y^2 - 1)/2}\n";

// Benchmark B12 of the digest of Brogliato et al. 2002: RK4, h = 0.01, largest |phi| over 10 s and 100 s
// without correction, with (42), and with (42) and (43), to the two digits given.
static const struct {
    pcs_stabilisation stabilisation;
    double drift[2];
} drifts[] = {
    {PCS_STABILISE_NONE, {3.6e-5, 3.6e-3}},
    {PCS_STABILISE_COMPENSATION_VELOCITY, {7.5e-8, 7.5e-7}},
    {PCS_STABILISE_COMPENSATION, {4.3e-10, 4.3e-10}},
};

static void test_drift(void **state)
{
    (void)state;
    formula_run r;
    double q[2], v[2];
    open_model(&r, pendulum);
    pcs_model_initial_state(r.model, q, v);
    for (size_t k = 0; k < sizeof drifts / sizeof *drifts; ++k) {
        pcs_march_opts opts = pcs_march_default();
        opts.class = &pcs_integrator_rk4;
        opts.fixed = true;
        opts.first_step = 0.01;
        opts.stabilisation = drifts[k].stabilisation;
        begin(&r, &opts, q, v);
        for (int i = 0; i < 2; ++i) {
            run_to(&r, i == 0 ? 10 : 100);
            const double unit = 0.1 * pow(10, floor(log10(drifts[k].drift[i])));
            assert_digits(r.march->counts.drift, drifts[k].drift[i], unit);
        }
    }
    close_model(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

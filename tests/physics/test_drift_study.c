// The drift study of [Brogliato2002, (35)-(43)]: a pendulum from formulas, with the row that the
// study has.
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

static const char pendulum[] = "dimension: 2\n"
                               "systems:\n"
                               "  bob:\n"
                               "    coordinates: {x: 1, y: 0}\n"
                               "    kinetic: (x.rate^2 + y.rate^2)/2\n"
                               "    potential: 9.81*y\n"
                               "    constraints: {bar: (x^2 + y^2 - 1)/2}\n";

// Benchmark B12 of the digest of [Brogliato2002]: RK4, h = 0.01, largest |phi| over 10 s and 100 s
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
        cmocka_unit_test(test_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

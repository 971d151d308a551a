// Generalized-alpha on index 2 and 3: orders of q, v and lambda in the plane and in space,
// constraints at the ends of the steps, damping of high frequencies, energy, redundant rows,
// contacts as rows, stiff springs, dense output.
#include <float.h>
#include <string.h>

#include "schemes/generalized_alpha.h"
#include "support/mechanisms.h"
#include "support/near.h"

enum { NUMBERS_MAX = 256 };

static const pcs_integrator_class *const both[2] = {&pcs_integrator_alpha_index2,
                                                    &pcs_integrator_alpha_index3};

// ---- Runs with fixed steps ----

typedef struct run {
    pcs_context *ctx;
    const pcs_model *model;
    pcs_smooth *smooth;
    pcs_integrator *integrator;
    pcs_smooth_point from, to;
    double turns[NUMBERS_MAX];
    double g, g_rate; // largest at the ends of the steps, redundant rows left out
    int64_t iterations;
} run;

static void must(const run *r, pcs_status status)
{
    if (status != PCS_OK)
        fail_msg("status %d: %s", (int)status, pcs_context_error(r->ctx));
}

static void run_begin(run *r, const scene *s, const pcs_integrator_class *class,
                      const pcs_integrator_opts *opts, const pcs_phase *phase)
{
    *r = (run){.ctx = s->ctx, .model = s->model};
    must(r, pcs_smooth_create(r->ctx, r->model, &r->smooth));
    must(r, pcs_integrator_create(class, opts, r->ctx, r->model, r->smooth, &r->integrator));
    must(r, pcs_smooth_point_init(r->ctx, r->model, &r->from));
    must(r, pcs_smooth_point_init(r->ctx, r->model, &r->to));
    pcs_smooth_bind(r->smooth, r->turns, NULL);
    if (phase)
        must(r, pcs_smooth_set_phase(r->smooth, phase));
    pcs_model_initial_state(r->model, r->to.q, r->to.v);
    must(r, class->start(r->integrator, &r->to));
}

static void run_step(run *r, double h)
{
    const pcs_error_norm norm = {.model = r->model, .off = true};
    double error, g[NUMBERS_MAX], g_rate[NUMBERS_MAX];
    pcs_smooth_point_copy(r->model, &r->from, &r->to);
    must(r, r->integrator->class->step(r->integrator, &r->from, h, &norm, &r->to, &error));
    r->iterations += ((pcs_generalized_alpha *)r->integrator)->iterations + 1;
    const uint8_t *redundant = pcs_smooth_redundant(r->smooth);
    pcs_smooth_drift(r->smooth, r->to.t, r->to.q, r->to.v, g, g_rate);
    for (int32_t i = 0; i < pcs_smooth_row_count(r->smooth); ++i) {
        r->g = fmax(r->g, redundant[i] ? 0 : fabs(g[i]));
        r->g_rate = fmax(r->g_rate, redundant[i] ? 0 : fabs(g_rate[i]));
    }
}

static void run_end(run *r)
{
    pcs_smooth_point_free(r->ctx, &r->from);
    pcs_smooth_point_free(r->ctx, &r->to);
    pcs_integrator_destroy(r->integrator);
    pcs_smooth_destroy(r->smooth);
}

// State at the end of n steps to `end`; with redundant rows lambda is not unique, B^T lambda is.
typedef struct result {
    double q[NUMBERS_MAX], v[NUMBERS_MAX], force[NUMBERS_MAX];
    double g, g_rate, iterations;
} result;

static void run_to(const scene *s, const pcs_integrator_class *class,
                   const pcs_integrator_opts *opts, int n, double end, result *out)
{
    run r;
    run_begin(&r, s, class, opts, NULL);
    for (int k = 0; k < n; ++k)
        run_step(&r, end / n);
    memset(out, 0, sizeof *out);
    memcpy(out->q, r.to.q, sizeof(double) * (size_t)r.model->n_q);
    memcpy(out->v, r.to.v, sizeof(double) * (size_t)r.model->n_v);
    const pcs_smooth_terms terms = pcs_smooth_evaluate(r.smooth, r.to.t, r.to.q, r.to.v);
    pcs_model_rows_add_transposed(r.model, terms.B, r.to.lambda, out->force);
    out->g = r.g;
    out->g_rate = r.g_rate;
    out->iterations = (double)r.iterations / n;
    run_end(&r);
}

static double distance(const double *a, const double *b, int n)
{
    double largest = 0;
    for (int i = 0; i < n; ++i)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static void assert_order(double coarse, double fine, double order)
{
    assert_true(fine > 0);
    if (!(log2(coarse / fine) >= order))
        fail_msg("errors %.3e, %.3e: order %.3f < %.3f", coarse, fine, log2(coarse / fine), order);
}

// Index 3 holds g to rounding error, index 2 G v; with GGL both.
static void assert_constraints(const pcs_integrator_class *class, const pcs_integrator_opts *opts,
                               const result *r)
{
    if (class->index == 3 || opts->ggl)
        assert_at_most(r->g, 1e-14);
    if (class->index == 2)
        assert_at_most(r->g_rate, 1e-12);
}

// ---- Orders ----

// [Haddouni2015] 4.1 at t = 0.5, converged reference of the digest.
static void test_four_bar(void **state)
{
    (void)state;
    const double q[3] = {-0.6642966296, -0.5364152565, 4.3175034232};
    const double v[3] = {-5.9945711024, 4.8564218812, -0.5791706005};
    const double lambda[2] = {9.293639457, 3.117863186};
    scene s;
    mechanism_four_bar(&s);
    scene_finish(&s, 1e-3, 1);
    const int32_t row = s.model->joints.data[FOUR_BAR_JOINT_LAMBDA].first_row;
    for (int variant = 0; variant < 3; ++variant) {
        pcs_integrator_opts opts = pcs_integrator_default();
        opts.ggl = variant == 2;
        double error[2][3];
        for (int level = 0; level < 2; ++level) {
            const int n = 500 << level;
            run r;
            run_begin(&r, &s, both[variant % 2], &opts, NULL);
            for (int k = 0; k < n; ++k)
                run_step(&r, 0.5 / n);
            for (int i = 0; i < 3; ++i)
                error[level][i] = 0;
            for (int i = 0; i < 3; ++i) { // the angles of the three rods
                const int32_t at = pcs_model_node(s.model, i)->v + 2;
                error[level][0] = fmax(error[level][0], fabs(r.to.q[at] - q[i]));
                error[level][1] = fmax(error[level][1], fabs(r.to.v[at] - v[i]));
            }
            for (int i = 0; i < 2; ++i)
                error[level][2] = fmax(error[level][2], fabs(r.to.lambda[row + i] - lambda[i]));
            assert_constraints(both[variant % 2], &opts, &(result){.g = r.g, .g_rate = r.g_rate});
            run_end(&r);
        }
        for (int i = 0; i < 3; ++i)
            assert_order(error[0][i], error[1][i], 1.95);
        assert_at_most(error[1][0], 3e-4); // that the order leads to the right motion
    }
    scene_end(&s);
}

// Bricard's mechanism, IFToMM A04: spatial, one redundant row. A spinning top, whose rotation per
// step is large: order 2 on the group.
static void check_spatial(scene *s, int n, double end)
{
    scene_finish(s, 1e-3, end);
    for (int variant = 0; variant < 3; ++variant) {
        const pcs_integrator_class *class = both[variant % 2];
        pcs_integrator_opts opts = pcs_integrator_default();
        opts.ggl = variant == 2;
        static result r[3];
        for (int level = 0; level < 3; ++level) {
            run_to(s, class, &opts, n << level, end, &r[level]);
            assert_constraints(class, &opts, &r[level]);
        }
        assert_order(distance(r[0].q, r[1].q, NUMBERS_MAX), distance(r[1].q, r[2].q, NUMBERS_MAX),
                     1.95);
        assert_order(distance(r[0].v, r[1].v, NUMBERS_MAX), distance(r[1].v, r[2].v, NUMBERS_MAX),
                     1.95);
        assert_order(distance(r[0].force, r[1].force, NUMBERS_MAX),
                     distance(r[1].force, r[2].force, NUMBERS_MAX), 1.95);
    }
    scene_end(s);
}

static void test_bricard(void **state)
{
    (void)state;
    scene s;
    mechanism_bricard(&s);
    check_spatial(&s, 100, 1);
}

static void test_top(void **state)
{
    (void)state;
    const top_data data = {1.3, 0.4, {0.2, 0.2, 0.1}, {0.96, 0.24, 0.05, 0.12}, {0.5, 0.8, 12}};
    scene s;
    top_data normal = data;
    normal.rotation = pcs_quat_normalize(data.rotation);
    mechanism_top(&s, &normal);
    check_spatial(&s, 200, 0.5);
}

// ---- Damping and energy ----

// A slider of 1 kg on a spring with the given angular frequency, displaced by 1 m.
static void begin_oscillator(scene *s, double frequency)
{
    const pcs_vec3 origin = {0, 0, 0};
    scene_begin(s, 2, origin);
    pcs_body_def def = pcs_body_default();
    def.name = "mass";
    def.mass = 1;
    def.inertia.m[2][2] = 0.3;
    def.position = pcs_v3(1, 0, 0);
    const pcs_body_id body = scene_body(s, &def);
    pcs_joint_def guide = pcs_joint_default();
    guide.name = "guide";
    guide.kind = PCS_JOINT_PRISMATIC;
    guide.a = scene_frame(PCS_GROUND, origin, origin);
    guide.b = scene_frame(body, origin, origin);
    guide.drive[0].stiffness = frequency * frequency;
    scene_joint(s, &guide);
    scene_finish(s, 1e-3, 1);
}

// At infinite frequency all three eigenvalues of a step are -rho [ChungHulbert1993], in one Jordan
// block, so that x_{n+3} + 3 rho x_{n+2} + 3 rho^2 x_{n+1} + rho^3 x_n = 0 up to a few times (h
// omega)^-2 = 1e-8 of its terms; h^2 v' is (h omega)^2 x, so that rounding leaves 1e-8 as well.
static void test_spectral_radius(void **state)
{
    (void)state;
    const double h = 0.01;
    scene s;
    begin_oscillator(&s, 1e6);
    for (int index = 0; index < 2; ++index) {
        const double rhos[] = {0, 0.37, 0.8, 1};
        for (size_t k = 0; k < sizeof rhos / sizeof *rhos; ++k) {
            const double rho = index == 0 || rhos[k] < 1 ? rhos[k] : 0.95;
            pcs_integrator_opts opts = pcs_integrator_default();
            opts.rho_infinity = rho;
            run r;
            run_begin(&r, &s, both[index], &opts, NULL);
            double x[4] = {1, 0, 0, 0};
            for (int n = 1; n < 12; ++n) {
                run_step(&r, h);
                x[n < 3 ? n : 3] = r.to.q[0];
                if (n < 3)
                    continue;
                const double size = fabs(x[3]) + 3 * fabs(x[2]) + 3 * fabs(x[1]) + fabs(x[0]);
                assert_near(x[3] + 3 * rho * x[2] + 3 * rho * rho * x[1] + rho * rho * rho * x[0],
                            0, 1e-7 * size);
                memmove(x, x + 1, sizeof(double) * 3);
            }
            run_end(&r);
        }
    }
    scene_end(&s);
}

// Without damping (rho = 1) the step is the one of the trapezoidal rule up to the order of the
// terms: the energy of a linear oscillation does not drift; with rho = 0.8 it only falls.
static void test_oscillator_energy(void **state)
{
    (void)state;
    const double omega = 3.7, h = 0.05;
    scene s;
    begin_oscillator(&s, omega);
    for (int k = 0; k < 2; ++k) {
        pcs_integrator_opts opts = pcs_integrator_default();
        opts.rho_infinity = k == 0 ? 1 : 0.8;
        run r;
        run_begin(&r, &s, both[k], &opts, NULL);
        double last = HUGE_VAL, period_max = 0, first_max = 0;
        const int steps = 4000, window = 200;
        for (int n = 1; n <= steps; ++n) {
            run_step(&r, h);
            const double energy = 0.5 *
                                  (r.to.v[0] * r.to.v[0] + omega * omega * r.to.q[0] * r.to.q[0]);
            period_max = fmax(period_max, energy);
            if (n % window > 0)
                continue;
            if (n == window)
                first_max = period_max;
            if (k == 0)
                assert_near(period_max, first_max, 1e-6 * first_max);
            else
                assert_true(period_max < last);
            last = period_max;
            period_max = 0;
        }
        run_end(&r);
    }
    scene_end(&s);
}

// A string of light points with a heavy one at its end, whirled: the tension makes it stiff by the
// geometric terms alone, 80 times faster than the motion. Steps that are long against its waves
// need the matrix with all couplings.
static void test_whirled_string(void **state)
{
    (void)state;
    const double omega = 3, link = 0.25;
    enum { POINTS = 8 };
    const pcs_vec3 origin = {0, 0, 0};
    scene s;
    scene_begin(&s, 2, origin);
    pcs_body_id last = PCS_GROUND;
    for (int i = 0; i < POINTS; ++i) {
        static const char *const names[POINTS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
        const pcs_vec3 x = {link * (i + 1), 2e-3 * (i * 7 % 3), 0};
        const double mass = i == POINTS - 1 ? 1 : 1e-4;
        const pcs_body_id point = scene_point(&s, names[i], mass, x,
                                              pcs_v3(-omega * x.y, omega * x.x, 0));
        pcs_joint_def joint = pcs_joint_default();
        joint.name = names[i];
        joint.kind = PCS_JOINT_DISTANCE;
        joint.a = scene_frame(last, origin, origin);
        joint.b = scene_frame(point, origin, origin);
        scene_joint(&s, &joint);
        last = point;
    }
    scene_finish(&s, 1e-3, 1);
    const pcs_integrator_opts opts = pcs_integrator_default();
    for (int index = 0; index < 2; ++index) {
        const int n = 50;
        const double end = 2;
        result r;
        run_to(&s, both[index], &opts, n, end, &r);
        assert_constraints(both[index], &opts, &r);
        // The heavy point goes round on its circle. The error constants of q and v at rho = 0.8 are
        // 0.09 and 0.08, and the waves of the string take from its radius and energy: 1/2 in all.
        const double *x = r.q + 2 * (POINTS - 1);
        double angle = atan2(x[1], x[0]) - fmod(omega * end, 8 * atan(1));
        angle = remainder(angle, 8 * atan(1));
        assert_near(angle, 0, pow(omega * end / n, 2) * omega * end / 2);
    }
    scene_end(&s);
}

// ---- Contacts as rows ----

// A point on the floor, which moves under it with the given velocity
static void begin_floor(scene *s, double mass, double v0, double mu, const char *belt)
{
    const pcs_vec3 origin = {0, 0, 0};
    scene_begin(s, 2, pcs_v3(0, -9.7, 0));
    const pcs_body_id point = scene_point(s, "point", mass, origin, pcs_v3(v0, 0, 0));
    const pcs_law law = {.friction = mu};
    pcs_contact_def floor = scene_contact_def("floor", PCS_CONTACT_POINT_PLANE,
                                              scene_frame(PCS_GROUND, origin, origin), point, law);
    if (belt)
        floor.surface_speed[0] = pcs_expression(belt);
    scene_contact(s, &floor);
    scene_finish(s, 1e-3, 1);
}

// Sliding with friction: v' = -mu g, normal force m g, and the work of friction is -mu m g times
// the way.
static void test_sliding(void **state)
{
    (void)state;
    const double mu = 0.31, gravity = 9.7, mass = 1.7, v0 = 2.4, h = 0.05;
    scene s;
    begin_floor(&s, mass, v0, mu, NULL);
    for (int index = 0; index < 2; ++index) {
        const pcs_integrator_opts opts = pcs_integrator_default();
        pcs_phase phase;
        run r;
        assert_int_equal(pcs_phase_init(s.ctx, s.model, &phase), PCS_OK);
        phase.mode[0] = PCS_MODE_SLIDE;
        phase.direction[0][0] = 1;
        run_begin(&r, &s, both[index], &opts, &phase);
        if (r.to.a[0] > 0) // the tangent of the contact points the other way
            phase.direction[0][0] = -1;
        run_end(&r);
        run_begin(&r, &s, both[index], &opts, &phase);
        for (int n = 0; n < 8; ++n)
            run_step(&r, h);
        const double t = 8 * h;
        assert_near(r.to.v[0], v0 - mu * gravity * t, 1e-13);
        assert_near(r.to.q[0], v0 * t - 0.5 * mu * gravity * t * t, 1e-13);
        assert_near(r.to.q[1], 0, 1e-15);
        assert_near(r.to.lambda[0], mass * gravity, 1e-12);
        assert_near(r.to.work[PCS_WORK_FRICTION], -mu * mass * gravity * r.to.q[0], 1e-12);
        run_end(&r);
        pcs_phase_free(s.ctx, &phase);
    }
    scene_end(&s);
}

// Sticking to a belt with the velocity 0.4 t^2: a direction that has no position is held as a
// velocity in index 3 too.
static void test_sticking(void **state)
{
    (void)state;
    const double mass = 1.7, h = 0.02;
    scene s;
    begin_floor(&s, mass, 0, 0.9, "0.4*t^2");
    for (int variant = 0; variant < 3; ++variant) {
        pcs_integrator_opts opts = pcs_integrator_default();
        opts.ggl = variant == 2;
        pcs_phase phase;
        run r;
        assert_int_equal(pcs_phase_init(s.ctx, s.model, &phase), PCS_OK);
        phase.mode[0] = PCS_MODE_STICK;
        run_begin(&r, &s, both[variant % 2], &opts, &phase);
        for (int n = 1; n <= 20; ++n)
            run_step(&r, h);
        const double t = 20 * h;
        assert_at_most(r.g_rate, 1e-14);
        assert_near(fabs(r.to.v[0]), 0.4 * t * t, 1e-14);
        assert_near(fabs(r.to.q[0]), 0.4 / 3 * t * t * t, h * h);
        assert_near(fabs(r.to.lambda[1]), mass * 0.8 * t, mass * h * h);
        assert_near(r.to.q[1], 0, 1e-15);
        run_end(&r);
        pcs_phase_free(s.ctx, &phase);
    }
    scene_end(&s);
}

// ---- Memory and resuming ----

static void test_no_heap_calls(void **state)
{
    (void)state;
    scene s;
    mechanism_bricard(&s);
    scene_finish(&s, 1e-3, 1);
    for (int variant = 0; variant < 3; ++variant) {
        pcs_integrator_opts opts = pcs_integrator_default();
        opts.ggl = variant == 2;
        run r;
        run_begin(&r, &s, both[variant % 2], &opts, NULL);
        run_step(&r, 0.01);
        const uint64_t calls = pcs_context_heap_calls(s.ctx);
        for (int n = 0; n < 20; ++n)
            run_step(&r, 0.01);
        assert_int_equal(pcs_context_heap_calls(s.ctx), calls);
        run_end(&r);
    }
    scene_end(&s);
}

// Another integrator that is given the point where the first one is goes on with the same bits,
// with redundant rows too.
static void test_resume(void **state)
{
    (void)state;
    scene s;
    mechanism_bricard(&s);
    scene_finish(&s, 1e-3, 1);
    const pcs_model *m = s.model;
    for (int variant = 0; variant < 3; ++variant) {
        pcs_integrator_opts opts = pcs_integrator_default();
        opts.ggl = variant == 2;
        run r[2];
        run_begin(&r[0], &s, both[variant % 2], &opts, NULL);
        run_begin(&r[1], &s, both[variant % 2], &opts, NULL);
        for (int n = 0; n < 20; ++n)
            run_step(&r[0], 2e-3);
        pcs_smooth_point_copy(m, &r[1].to, &r[0].to);
        must(&r[1], both[variant % 2]->start(r[1].integrator, &r[1].to));
        pcs_smooth_point_copy(m, &r[1].to, &r[0].to);
        for (int n = 0; n < 20; ++n)
            for (int k = 0; k < 2; ++k)
                run_step(&r[k], n < 10 ? 2e-3 : 1e-3);
        assert_memory_equal(r[0].to.q, r[1].to.q, sizeof(double) * (size_t)m->n_q);
        assert_memory_equal(r[0].to.v, r[1].to.v, sizeof(double) * (size_t)m->n_v);
        assert_memory_equal(r[0].to.lambda, r[1].to.lambda, sizeof(double) * (size_t)m->n_rows);
        assert_memory_equal(r[0].to.work, r[1].to.work, sizeof r[0].to.work);
        run_end(&r[0]);
        run_end(&r[1]);
    }
    scene_end(&s);
}

// Index 3 at steps so short that an unscaled matrix has no digits left (condition h^-3): g is still
// met to rounding error. As second differences of positions lambda would have the error of 8 eps, which
// count as g = 0, over c_q = 0.26 h^2, and v one of c_v/c_q times as much; steps in which that leaves the
// accelerations, about 20 rad/s^2, less than six digits hold velocities: 32 eps over h and none.
static void test_short_steps(void **state)
{
    (void)state;
    const double lambda[2] = {-1.27830246766, 5.35497767857}; // digest 4.1, t = 0
    const double six_digits = 32 * 20 * 1e-6;
    scene s;
    mechanism_four_bar(&s);
    scene_finish(&s, 1e-3, 1);
    const int32_t row = s.model->joints.data[FOUR_BAR_JOINT_LAMBDA].first_row;
    const pcs_integrator_opts opts = pcs_integrator_default();
    for (double h = 1e-4; h > 5e-11; h *= 0.1) {
        run r;
        run_begin(&r, &s, both[1], &opts, NULL);
        // An error of g at the start would go into lambda, divided by h^2 too.
        must(&r, pcs_smooth_project(r.smooth, 0, r.to.q, r.to.v, 5e-16, true, true));
        must(&r, both[1]->start(r.integrator, &r.to));
        for (int n = 0; n < 10; ++n)
            run_step(&r, h);
        assert_at_most(r.g, 1e-15);
        const double t = 10 * h, second = 32 * DBL_EPSILON / (h * h), first = 32 * DBL_EPSILON / h;
        for (int i = 0; i < 2; ++i)
            assert_near(r.to.lambda[row + i], lambda[i],
                        1e4 * t * t + fmin(second, six_digits + first));
        assert_at_most(r.g_rate, 1e4 * h * h + fmin(h * second, h * six_digits + 32 * DBL_EPSILON));
        run_end(&r);
    }
    scene_end(&s);
}

static void test_options(void **state)
{
    (void)state;
    const struct {
        double rho;
        int index;
        const char *text;
    } bad[] = {{1.2, 0, "rho_infinity = 1.2"},
               {-0.1, 1, "rho_infinity = -0.1"},
               {1, 1, "take less than 1"}};
    scene s;
    begin_oscillator(&s, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        pcs_integrator_opts opts = pcs_integrator_default();
        opts.rho_infinity = bad[i].rho;
        pcs_smooth *smooth;
        pcs_integrator *integrator;
        assert_int_equal(pcs_smooth_create(s.ctx, s.model, &smooth), PCS_OK);
        assert_int_equal(
            pcs_integrator_create(both[bad[i].index], &opts, s.ctx, s.model, smooth, &integrator),
            PCS_ERROR_ARGUMENT);
        assert_non_null(strstr(pcs_context_error(s.ctx), bad[i].text));
        pcs_smooth_destroy(smooth);
    }
    scene_end(&s);
}

// Memory that fails at any call leaves nothing behind.
static void test_failing_allocator(void **state)
{
    (void)state;
    scene s;
    begin_oscillator(&s, 1);
    const pcs_integrator_opts opts = pcs_integrator_default();
    const uint64_t bytes = pcs_context_heap_bytes(s.ctx);
    pcs_status status = PCS_ERROR_MEMORY;
    for (uint64_t n = 1; status == PCS_ERROR_MEMORY; ++n) {
        pcs_smooth *smooth;
        pcs_integrator *integrator = NULL;
        pcs_smooth_point at;
        assert_int_equal(pcs_smooth_create(s.ctx, s.model, &smooth), PCS_OK);
        assert_int_equal(pcs_smooth_point_init(s.ctx, s.model, &at), PCS_OK);
        pcs_model_initial_state(s.model, at.q, at.v);
        double turns[NUMBERS_MAX] = {0};
        pcs_smooth_bind(smooth, turns, NULL);
        pcs_context_fail_heap_call(s.ctx, n);
        status = pcs_integrator_create(both[0], &opts, s.ctx, s.model, smooth, &integrator);
        if (status == PCS_OK)
            status = both[0]->start(integrator, &at);
        pcs_context_fail_heap_call(s.ctx, 0);
        pcs_integrator_destroy(integrator);
        pcs_smooth_point_free(s.ctx, &at);
        pcs_smooth_destroy(smooth);
        assert_int_equal(pcs_context_heap_bytes(s.ctx), bytes);
    }
    assert_int_equal(status, PCS_OK);
    scene_end(&s);
}

// ---- Dense output ----

static void test_dense_output(void **state)
{
    (void)state;
    scene s;
    mechanism_bricard(&s);
    scene_finish(&s, 1e-3, 1);
    const pcs_model *m = s.model;
    const pcs_integrator_opts opts = pcs_integrator_default();
    for (int index = 0; index < 2; ++index) {
        double error[2];
        for (int level = 0; level < 2; ++level) {
            // The middle of a step against two steps of half the length from the same point: both
            // differ from the motion by O(h^3).
            const double h = 0.04 / (1 << level);
            double middle[NUMBERS_MAX];
            pcs_smooth_point out;
            run r;
            run_begin(&r, &s, both[index], &opts, NULL);
            must(&r, pcs_smooth_point_init(r.ctx, m, &out));
            for (int n = 0; n < 10 << level; ++n)
                run_step(&r, h);
            must(&r, both[index]->dense(r.integrator, 0, &out));
            assert_near(distance(out.q, r.from.q, m->n_q) + distance(out.v, r.from.v, m->n_v) +
                            distance(out.a, r.from.a, m->n_v) + fabs(out.t - r.from.t),
                        0, 1e-13);
            must(&r, both[index]->dense(r.integrator, 1, &out));
            assert_near(distance(out.q, r.to.q, m->n_q) + distance(out.v, r.to.v, m->n_v) +
                            distance(out.a, r.to.a, m->n_v) + fabs(out.t - r.to.t),
                        0, 1e-13);
            must(&r, both[index]->dense(r.integrator, 0.5, &out));
            memcpy(middle, out.q, sizeof(double) * (size_t)m->n_q);
            pcs_smooth_point_copy(m, &r.to, &r.from);
            run_step(&r, 0.5 * h);
            error[level] = distance(middle, r.to.q, m->n_q);
            pcs_smooth_point_free(r.ctx, &out);
            run_end(&r);
        }
        assert_order(error[0], error[1], 2.8);
    }
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_top),
        cmocka_unit_test(test_spectral_radius),
        cmocka_unit_test(test_oscillator_energy),
        cmocka_unit_test(test_whirled_string),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_sticking),
        cmocka_unit_test(test_no_heap_calls),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_short_steps),
        cmocka_unit_test(test_failing_allocator),
        cmocka_unit_test(test_dense_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

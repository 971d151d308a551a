// The march: limits, cuts, dense output at the ends, resumption, options, memory, errors that name
// place and remedy, stiffness, prescribed motions.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "support/march_run.h"
#include "support/mechanisms.h"
#include "support/near.h"

static const char *const methods[] = {"rk4", "rkf45", "dopri5", "hem5", "phem56"};
enum { METHODS = 5 };
static const pcs_vec3 zero = {0, 0, 0};

static void assert_same(int32_t n, const double *x, const double *y)
{
    assert_memory_equal(x, y, sizeof(double) * (size_t)n);
}

static void assert_same_point(const pcs_model *model, const pcs_smooth_point *x,
                              const pcs_smooth_point *y)
{
    assert_same(1, &x->t, &y->t);
    assert_same(model->n_q, x->q, y->q);
    assert_same(model->n_v, x->v, y->v);
    assert_same(model->n_v, x->a, y->a);
    assert_same(model->n_rows, x->lambda, y->lambda);
    assert_same(PCS_WORK_COUNT, x->work, y->work);
}

// ---- The table ----

static void test_table(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k)
        assert_string_equal(pcs_integrator_find(methods[k])->name, methods[k]);
    assert_null(pcs_integrator_find("euler"));
    assert_null(pcs_integrator_row(-1));
    int32_t n = 0;
    while (pcs_integrator_row(n))
        ++n;
    assert_true(n >= METHODS);
}

static void test_norms(void **state)
{
    (void)state;
    scene s;
    mechanism_four_bar(&s);
    scene_finish(&s, 1e-3, 1);
    double q[9], v[9], e[9] = {0};
    pcs_model_initial_state(s.model, q, v);
    e[2] = 3e-7;
    e[5] = -4e-7;
    pcs_error_norm norm = {
        .model = s.model, .kind = PCS_NORM_EUCLIDEAN, .absolute = 1e-6, .q = q, .v = v};
    assert_near(pcs_error_norm_compute(&norm, e, NULL), 5e-7, 1e-20);
    assert_near(pcs_error_norm_compute(&norm, e, e), 5e-7 * sqrt(2), 1e-20);
    norm.kind = PCS_NORM_WEIGHTED; // without a relative part: the root of the mean square
    assert_near(pcs_error_norm_compute(&norm, e, NULL), 5e-7 / 3, 1e-20);
    norm.relative = 1e-6; // weights 1 + |angle|
    const double a = 3e-7 / (1 + fabs(q[2])), b = 4e-7 / (1 + fabs(q[5]));
    assert_near(pcs_error_norm_compute(&norm, e, NULL), hypot(a, b) / 3, 1e-20);
    scene_end(&s);
}

// ---- Limits, cuts, ends ----

// The limit is met to the bit, and a step that it cuts short does not make the next ones short.
static void test_limits(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        mechanism_four_bar(&s);
        pcs_march_opts opts = march_run_controlled(methods[k], 1e-6);
        march_run_begin(&r, &s, &opts);
        march_run_to(&r, 0.1);
        const double h_next = r.march->h_next;
        const double limit = 0.1 + 1e-3 * h_next;
        scene_require(&s, pcs_march_step(r.march, limit));
        assert_same(1, &r.march->to.t, &limit);
        assert_true(r.march->h_next >= h_next);
        assert_int_equal(pcs_march_step(r.march, limit), PCS_ERROR_ARGUMENT);
        opts = march_run_fixed(methods[k], 0.01); // 25 steps and one that ends early
        march_run_restart(&r, &opts);
        march_run_to(&r, 0.255);
        assert_int_equal(r.march->counts.accepted, 26);
        assert_near(r.march->counts.smallest, 0.005, 1e-15);
        assert_near(r.march->counts.sum, 0.255, 1e-15);
        opts = march_run_controlled(methods[k], 1e-2);
        opts.largest_step = 2e-3;
        march_run_restart(&r, &opts);
        march_run_to(&r, 0.1);
        assert_int_equal(r.march->counts.accepted, 50);
        march_run_end(&r);
    }
}

// A step that is cut is the step of that length; RK4 alone halves it in both cases.
static void test_cut(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        pcs_smooth_point whole;
        mechanism_four_bar(&s);
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-6);
        march_run_begin(&r, &s, &opts);
        const pcs_model *model = s.model;
        scene_require(&s, pcs_smooth_point_init(s.ctx, model, &whole));
        march_run_to(&r, 0.2);
        scene_require(&s, pcs_march_step(r.march, 1));
        const double t = r.march->from.t + 0.37 * (r.march->to.t - r.march->from.t);
        const double h_next = r.march->h_next, sum = r.march->counts.sum;
        scene_require(&s, pcs_march_cut(r.march, t));
        pcs_smooth_point_copy(model, &whole, &r.march->to);
        assert_same(1, &whole.t, &t);
        assert_same(1, &r.march->h_next, &h_next);
        assert_true(r.march->counts.sum < sum);
        march_run_restart(&r, &opts);
        march_run_to(&r, 0.2);
        scene_require(&s, pcs_march_step(r.march, t));
        assert_same_point(model, &whole, &r.march->to);
        // A cut at the start leaves no step.
        const double start = r.march->from.t;
        scene_require(&s, pcs_march_cut(r.march, start));
        assert_same_point(model, &r.march->from, &r.march->to);
        pcs_smooth_point_free(s.ctx, &whole);
        march_run_end(&r);
    }
}

// ---- Steps that have no solution up to an event ----

static pcs_integrator_class stubborn; // rk4 that has no solution for a step shorter than `shortest`
static double shortest;

static pcs_status stubborn_step(pcs_integrator *integrator, const pcs_smooth_point *from, double h,
                                const pcs_error_norm *norm, pcs_smooth_point *to, double *error)
{
    return h < shortest ? PCS_NOT_CONVERGED
                        : pcs_integrator_rk4.step(integrator, from, h, norm, to, error);
}

// Such a step ends inside the longer one: dense output at its place, not the end of the longer step at
// another time. Cut twice, it is still the first one.
static void test_cut_without_solution(void **state)
{
    (void)state;
    static const double places[] = {0.9, 0.37, 0.05};
    scene s;
    march_run r;
    pcs_smooth_point inside;
    mechanism_four_bar(&s);
    pcs_march_opts opts = march_run_fixed("rk4", 0.01);
    stubborn = *opts.class;
    stubborn.step = stubborn_step;
    opts.class = &stubborn;
    shortest = 0;
    march_run_begin(&r, &s, &opts);
    scene_require(&s, pcs_smooth_point_init(s.ctx, s.model, &inside));
    march_run_to(&r, 0.2);
    scene_require(&s, pcs_march_step(r.march, 1));
    const double start = r.march->from.t, length = r.march->to.t - start;
    shortest = length;
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        const double t = start + places[i] * length;
        scene_require(&s, pcs_march_dense(r.march, t, &inside));
        scene_require(&s, pcs_march_cut(r.march, t));
        assert_same(1, &r.march->to.t, &t);
        for (int32_t k = 0; k < s.model->n_q; ++k) // the length of the step is known to rounding
            assert_near(r.march->to.q[k], inside.q[k], 1e-14);
        for (int32_t k = 0; k < s.model->n_v; ++k)
            assert_near(r.march->to.v[k], inside.v[k], 1e-13);
    }
    pcs_smooth_point_free(s.ctx, &inside);
    march_run_end(&r);
}

// Dense output meets both ends of the step.
static void test_dense_ends(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        pcs_smooth_point p;
        mechanism_bricard(&s);
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-9);
        march_run_begin(&r, &s, &opts);
        scene_require(&s, pcs_smooth_point_init(s.ctx, s.model, &p));
        march_run_to(&r, 0.2);
        const pcs_smooth_point *end[2] = {&r.march->from, &r.march->to};
        for (int i = 0; i < 2; ++i) { // the last end a little inside, beyond it is `to` itself
            const double t = i == 0 ? end[0]->t : end[1]->t - 1e-13;
            scene_require(&s, pcs_march_dense(r.march, t, &p));
            for (int32_t j = 0; j < s.model->n_q; ++j)
                assert_near(p.q[j], end[i]->q[j], 1e-11);
            for (int32_t j = 0; j < s.model->n_v; ++j)
                assert_near(p.v[j], end[i]->v[j], 1e-11);
        }
        pcs_smooth_point_free(s.ctx, &p);
        march_run_end(&r);
    }
}

// ---- Resumption ----

static void test_resume(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        pcs_smooth_point end;
        mechanism_four_bar(&s);
        pcs_march_opts opts = march_run_controlled(methods[k], 1e-6);
        if (k % 2 == 1)
            opts.stabilisation = PCS_STABILISE_PROJECTION;
        march_run_begin(&r, &s, &opts);
        const pcs_model *model = s.model;
        scene_require(&s, pcs_smooth_point_init(s.ctx, model, &end));
        double *memory = calloc((size_t)pcs_march_memory(model), sizeof *memory);
        march_run_to(&r, 0.3);
        scene_require(&s, pcs_march_step(r.march, 1)); // a step of the controller's own length
        pcs_march_save(r.march, memory);
        const pcs_march_counts counts = r.march->counts;
        march_run_to(&r, 0.7);
        pcs_smooth_point_copy(model, &end, &r.march->to);
        march_run_restart(&r, &opts);
        scene_require(&s, pcs_march_load(r.march, &r.phase, memory));
        assert_int_equal(r.march->counts.accepted, counts.accepted);
        assert_int_equal(r.march->counts.rejected, counts.rejected);
        march_run_to(&r, 0.7);
        assert_same_point(model, &end, &r.march->to);
        free(memory);
        pcs_smooth_point_free(s.ctx, &end);
        march_run_end(&r);
    }
}

// ---- Memory ----

static void test_no_heap_calls(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        pcs_smooth_point p;
        mechanism_bricard(&s);
        pcs_march_opts opts = march_run_controlled(methods[k], 1e-7);
        opts.stabilisation = k % 2 ? PCS_STABILISE_PROJECTION : PCS_STABILISE_NONE;
        march_run_begin(&r, &s, &opts);
        scene_require(&s, pcs_smooth_point_init(s.ctx, s.model, &p));
        const uint64_t calls = pcs_context_heap_calls(s.ctx);
        while (r.march->to.t < 1) {
            scene_require(&s, pcs_march_step(r.march, 1));
            scene_require(&s, pcs_march_dense(r.march, r.march->to.t - 1e-3, &p));
        }
        assert_int_equal(pcs_context_heap_calls(s.ctx), calls);
        pcs_smooth_point_free(s.ctx, &p);
        march_run_end(&r);
    }
}

static void test_failing_allocator(void **state)
{
    (void)state;
    scene s;
    mechanism_slider_crank_clearance(&s);
    scene_finish(&s, 1e-3, 1);
    const uint64_t bytes = pcs_context_heap_bytes(s.ctx);
    for (int k = 0; k < METHODS; ++k) {
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-6);
        pcs_status status = PCS_ERROR_MEMORY;
        for (uint64_t n = 1; status != PCS_OK; ++n) {
            pcs_march *march;
            pcs_context_fail_heap_call(s.ctx, n);
            status = pcs_march_create(s.ctx, s.model, &opts, &march);
            pcs_context_fail_heap_call(s.ctx, 0);
            assert_true(status == PCS_OK || status == PCS_ERROR_MEMORY);
            assert_true((status == PCS_OK) == (march != NULL));
            pcs_march_destroy(march);
            assert_int_equal(pcs_context_heap_bytes(s.ctx), bytes);
        }
    }
    scene_end(&s);
}

// ---- Errors ----

static void test_bad_options(void **state)
{
    (void)state;
    scene s;
    pcs_march *march;
    mechanism_four_bar(&s);
    scene_finish(&s, 1e-3, 1);
    pcs_march_opts bad[6];
    for (int i = 0; i < 6; ++i)
        bad[i] = pcs_march_default();
    bad[0].class = NULL;
    bad[1].tolerance = -1;
    bad[2].fixed = true; // without a length
    bad[3].smallest_step = 1;
    bad[3].largest_step = 0.1;
    bad[4].safety = 1.5;
    bad[5].stabilisation = PCS_STABILISE_BAUMGARTE; // PHEM56 has index 2
    for (int i = 0; i < 6; ++i)
        assert_int_equal(pcs_march_create(s.ctx, s.model, &bad[i], &march), PCS_ERROR_ARGUMENT);
    assert_non_null(strstr(pcs_context_error(s.ctx), "phem56"));
    scene_end(&s);
}

static void point_with_force(scene *s, const char *formula)
{
    scene_begin(s, 2, zero);
    pcs_force_def def = pcs_force_default();
    def.name = "push";
    def.body = scene_point(s, "bob", 1, zero, pcs_v3(1, 0, 0));
    def.force[0] = (pcs_value){0, formula};
    scene_force(s, &def);
}

static pcs_status run_to_error(march_run *r, double t)
{
    pcs_status status = PCS_OK;
    while (status == PCS_OK && r->march->to.t < t)
        status = pcs_march_step(r->march, t);
    return status;
}

// A force that ceases to be a number at t = 0.5: the step gets shorter until nothing is left to
// try.
static void test_not_a_number(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        point_with_force(&s, "sqrt(0.5 - t)");
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-6);
        march_run_begin(&r, &s, &opts);
        assert_int_equal(run_to_error(&r, 1), PCS_ERROR_NUMERIC);
        assert_near(r.march->to.t, 0.5, 1e-6);
        const char *text = pcs_context_error(s.ctx);
        assert_non_null(strstr(text, "t = 0.5"));
        assert_true(strstr(text, "'bob'") || strstr(text, "smallest_step"));
        march_run_end(&r);
    }
}

// A jump that the step cannot resolve: time, error and remedy.
static void test_smallest_step(void **state)
{
    (void)state;
    scene s;
    march_run r;
    point_with_force(&s, "t < 0.3 ? 0 : 1e6");
    pcs_march_opts opts = march_run_controlled("rkf45", 1e-9);
    opts.smallest_step = 1e-4;
    march_run_begin(&r, &s, &opts);
    assert_int_equal(run_to_error(&r, 1), PCS_ERROR_NUMERIC);
    const char *text = pcs_context_error(s.ctx);
    assert_non_null(strstr(text, "t = 0.29"));
    assert_non_null(strstr(text, "smallest_step = 0.0001"));
    assert_non_null(strstr(text, "loosen the tolerance"));
    march_run_end(&r);
}

// ---- Stiffness ----

// A mass that swings on a spring with a damper.
static void stiff_mass(scene *s, double stiffness, double damping)
{
    scene_begin(s, 2, pcs_v3(0, -9.81, 0));
    const pcs_body_id bob = scene_point(s, "bob", 1, pcs_v3(1, 0, 0), zero);
    pcs_spring_def def = pcs_spring_default();
    def.name = "link";
    def.a = pcs_frame_default();
    def.b = scene_frame(bob, zero, zero);
    def.stiffness = stiffness;
    def.damping = damping;
    def.rest = 1;
    scene_spring(s, &def);
}

// A damper that acts within 1e-4 s; the same mass with a weak one, and the four-bar.
static void test_stiffness(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-5);
        stiff_mass(&s, 10, 1e4);
        march_run_begin(&r, &s, &opts);
        march_run_to(&r, 1);
        assert_true(r.march->counts.stiff);
        assert_true(r.march->counts.stiff_time > 0 && r.march->counts.stiff_time < 0.5);
        march_run_end(&r);
        stiff_mass(&s, 10, 1);
        march_run_begin(&r, &s, &opts);
        march_run_to(&r, 3);
        assert_false(r.march->counts.stiff);
        march_run_end(&r);
        mechanism_four_bar(&s);
        march_run_begin(&r, &s, &opts);
        march_run_to(&r, 3);
        assert_false(r.march->counts.stiff);
        march_run_end(&r);
    }
}

// A spring of 1e3 rad/s without any damper. RK4 and RKF45 resolve its oscillation at this
// tolerance.
static void test_stiff_oscillation(void **state)
{
    (void)state;
    for (int k = 2; k < METHODS; ++k) {
        scene s;
        march_run r;
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-5);
        stiff_mass(&s, 1e6, 0);
        march_run_begin(&r, &s, &opts);
        march_run_to(&r, 0.5);
        assert_true(r.march->counts.stiff);
        march_run_end(&r);
    }
}

// ---- Prescribed motions ----

// A rotor turned by phi = 0.3 sin(2 t) + t about its hinge at a distance from its centre of mass:
// the drive's work is the change of the energy.
static void test_prescribed_motion(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        const double T = 0.8, J = 0.4, mass = 1.3, c = 0.35;
        scene_begin(&s, 2, pcs_v3(0, -9.81, 0));
        pcs_body_def body = pcs_body_default();
        body.name = "rotor";
        body.mass = mass;
        body.inertia.m[2][2] = J;
        body.position = pcs_v3(c, 0, 0);
        const pcs_body_id rotor = scene_body(&s, &body);
        pcs_joint_def joint = pcs_joint_default();
        joint.name = "drive";
        joint.kind = PCS_JOINT_REVOLUTE;
        joint.a = pcs_frame_default();
        joint.b = scene_frame(rotor, pcs_v3(-c, 0, 0), zero);
        joint.drive[0].motion = (pcs_value){0, "0.3*sin(2*t) + t"};
        joint.drive[0].has_motion = true;
        scene_joint(&s, &joint);
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-10);
        march_run_begin(&r, &s, &opts);
        march_run_to(&r, T);
        const pcs_smooth_point *p = &r.march->to;
        const double phi = 0.3 * sin(2 * T) + T, w = 0.6 * cos(2 * T) + 1, w0 = 1.6;
        assert_near(p->q[2], phi, 1e-8);
        assert_near(p->v[2], w, 1e-8);
        const double I = J + mass * c * c;
        const double change = 0.5 * I * (w * w - w0 * w0) + mass * 9.81 * c * sin(phi);
        assert_near(p->work[PCS_WORK_DRIVER], change, 1e-7);
        march_run_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_without_solution),
        cmocka_unit_test(test_dense_ends),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_no_heap_calls),
        cmocka_unit_test(test_failing_allocator),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_smallest_step),
        cmocka_unit_test(test_stiffness),
        cmocka_unit_test(test_stiff_oscillation),
        cmocka_unit_test(test_prescribed_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

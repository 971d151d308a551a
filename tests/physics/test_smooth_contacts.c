// Closed contacts as equations of a smooth phase: sliding and sticking with Coulomb friction,
// moving surfaces, and the accounts of work. All contacts are with planes at rest in their own
// frames, where the closed forms are elementary.
#include <string.h>

#include "math/rotation.h"
#include "support/march_run.h"
#include "support/near.h"

static const double g = 9.81;
static const pcs_vec3 zero = {0, 0, 0};

// A point mass on the plane through the origin whose normal is y (planar) or z of the frame turned
// by `turn`, with friction; gravity -y or -z.
static void point_on_plane(scene *s, int32_t dimension, pcs_vec3 turn, double mass, double friction,
                           pcs_vec3 velocity, double belt)
{
    scene_begin(s, dimension, dimension == 2 ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
    const pcs_body_id block = scene_point(s, "block", mass, zero, velocity);
    pcs_contact_def def = scene_contact_def("floor", PCS_CONTACT_POINT_PLANE,
                                            scene_frame(PCS_GROUND, zero, turn), block,
                                            (pcs_law){.friction = friction});
    def.surface_speed[0].number = belt;
    scene_contact(s, &def);
}

static double total_energy(march_run *r)
{
    const pcs_model *model = r->scene->model;
    const pcs_smooth_point *p = &r->march->to;
    pcs_configuration c;
    scene_require(r->scene, pcs_configuration_init(r->scene->ctx, model, &c));
    pcs_configuration_update(model, &c, p->t, p->q, p->v, r->turns, NULL);
    const double energy = pcs_model_kinetic(model, &c) + pcs_model_potential(model, &c);
    pcs_configuration_free(r->scene->ctx, &c);
    return energy;
}

static double total_work(const march_run *r)
{
    double sum = 0;
    for (int k = 0; k < PCS_WORK_START_ENERGY; ++k)
        sum += r->march->to.work[k];
    return sum;
}

// Begins with the given contacts closed.
static void begin(march_run *r, scene *s, const pcs_march_opts *opts, pcs_contact_mode mode,
                  double direction)
{
    march_run_begin(r, s, opts);
    for (int32_t i = 0; i < s->model->n_slots; ++i) {
        r->phase.mode[i] = (uint8_t)mode;
        r->phase.direction[i][0] = direction;
    }
    const pcs_smooth_point *p = &r->march->to;
    scene_require(s, pcs_march_begin(r->march, &r->phase, 0, p->q, p->v, false));
}

static const char *const methods[] = {"rk4", "rkf45", "dopri5", "hem5", "phem56"};
enum { METHODS = 5 };

// Down an incline with tan = 0.7 and mu = 0.5: acceleration g (sin - mu cos), N = m g cos. The
// motion is a polynomial of degree 2, which every method has without error.
static void test_incline(void **state)
{
    (void)state;
    const double angle = atan(0.7), mu = 0.5, mass = 2.385, T = 2;
    const double a = g * (sin(angle) - mu * cos(angle)), N = mass * g * cos(angle);
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        point_on_plane(&s, 2, pcs_v3(0, 0, -angle), mass, mu, zero, 0);
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-8);
        begin(&r, &s, &opts, PCS_MODE_SLIDE, 1); // t1 is x of the plane, downhill
        const double start = total_energy(&r);
        assert_int_equal(pcs_smooth_row_count(r.march->smooth), 1);
        assert_int_equal(pcs_smooth_slot_row(r.march->smooth, 0), 0);
        march_run_to(&r, T);
        const pcs_smooth_point *p = &r.march->to;
        assert_near(hypot(p->q[0], p->q[1]), 0.5 * a * T * T, 1e-12);
        assert_near(p->v[0] * cos(angle) - p->v[1] * sin(angle), a * T, 1e-12);
        assert_near(p->lambda[0], N, 1e-12 * N);
        assert_near(p->work[PCS_WORK_FRICTION], -mu * N * 0.5 * a * T * T, 1e-11 * N);
        assert_near(total_energy(&r) - total_work(&r), start, 1e-10);
        assert_at_most(r.march->counts.drift, 1e-13);
        march_run_end(&r);
    }
}

// mu = 0.8 holds it: two rows, lambda = m g (cos, -sin).
static void test_stick(void **state)
{
    (void)state;
    const double angle = atan(0.7), mass = 2.385;
    scene s;
    march_run r;
    point_on_plane(&s, 2, pcs_v3(0, 0, -angle), mass, 0.8, zero, 0);
    const pcs_march_opts opts = march_run_controlled("phem56", 1e-8);
    begin(&r, &s, &opts, PCS_MODE_STICK, 0);
    assert_int_equal(pcs_smooth_row_count(r.march->smooth), 2);
    march_run_to(&r, 1);
    const pcs_smooth_point *p = &r.march->to;
    assert_near(hypot(p->q[0], p->q[1]), 0, 1e-14);
    assert_near(p->lambda[0], mass * g * cos(angle), 1e-12);
    assert_near(p->lambda[1], -mass * g * sin(angle), 1e-12);
    assert_near(p->work[PCS_WORK_FRICTION], 0, 1e-14);
    march_run_end(&r);
}

// On a belt with speed 1.3: the block from rest is drawn along with mu g; the belt's drive puts in
// mu N belt per second, of which the friction loses mu N (belt - v).
static void test_belt(void **state)
{
    (void)state;
    const double mass = 1.7, mu = 0.3, belt = 1.3, T = 0.35;
    scene s;
    march_run r;
    point_on_plane(&s, 2, zero, mass, mu, zero, belt);
    const pcs_march_opts opts = march_run_controlled("phem56", 1e-8);
    begin(&r, &s, &opts, PCS_MODE_SLIDE, -1);
    march_run_to(&r, T);
    const pcs_smooth_point *p = &r.march->to;
    const double v = mu * g * T, force = mu * mass * g;
    assert_near(p->v[0], v, 1e-13);
    assert_near(p->work[PCS_WORK_DRIVER], force * belt * T, 1e-12);
    assert_near(p->work[PCS_WORK_FRICTION], -force * (belt * T - 0.5 * v * T), 1e-12);
    assert_near(total_energy(&r) - total_work(&r), 0, 1e-12);
    march_run_end(&r);
    // Sticking to it: carried along with its speed, without force.
    point_on_plane(&s, 2, zero, mass, mu, pcs_v3(belt, 0, 0), belt);
    begin(&r, &s, &opts, PCS_MODE_STICK, 0);
    march_run_to(&r, 1);
    assert_near(r.march->to.q[0], belt, 1e-12);
    assert_near(r.march->to.lambda[1], 0, 1e-13);
    march_run_end(&r);
}

// In space on a level plane: straight on with deceleration mu g, whatever the direction.
static void test_straight_slide(void **state)
{
    (void)state;
    const double mu = 0.4, T = 0.9, way = 5 * T - 0.5 * mu * g * T * T;
    for (int k = 0; k < METHODS; ++k) {
        scene s;
        march_run r;
        point_on_plane(&s, 3, zero, 1.2, mu, pcs_v3(3, -4, 0), 0);
        const pcs_march_opts opts = march_run_controlled(methods[k], 1e-8);
        begin(&r, &s, &opts, PCS_MODE_SLIDE, 1);
        march_run_to(&r, T);
        const pcs_smooth_point *p = &r.march->to;
        assert_near(p->q[0], 0.6 * way, 1e-12);
        assert_near(p->q[1], -0.8 * way, 1e-12);
        assert_near(p->q[2], 0, 1e-15);
        march_run_end(&r);
    }
}

// Across a slope with tan = mu the path bends downhill, and the speed plus its downhill component
// stays v_0 [classical; from v' = g sin (cos phi - 1) and u' = g sin (1 - cos phi)]. The methods
// keep their order with B different from G: errors of energy and of the invariant fall with theirs.
static void test_bent_slide(void **state)
{
    (void)state;
    const double mu = 0.6, angle = atan(mu), v0 = 3.1, T = 1;
    for (int k = 0; k < METHODS; ++k) {
        double error[2];
        const int32_t order = pcs_integrator_find(methods[k])->order;
        for (int i = 0; i < 2; ++i) {
            scene s;
            march_run r;
            // The plane turned about x: downhill is its -y or +y; the block starts along x.
            point_on_plane(&s, 3, pcs_v3(angle, 0, 0), 1.4, mu, pcs_v3(v0, 0, 0), 0);
            const pcs_march_opts opts = march_run_fixed(methods[k], T / (32 << i));
            begin(&r, &s, &opts, PCS_MODE_SLIDE, 1);
            const double start = total_energy(&r);
            march_run_to(&r, T);
            const double *v = r.march->to.v;
            const double downhill = -(v[1] * cos(angle) + v[2] * sin(angle));
            error[i] = fabs(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + downhill - v0);
            assert_near(total_energy(&r) - total_work(&r), start, 1e-5);
            assert_at_most(r.march->counts.drift, 1e-13);
            march_run_end(&r);
        }
        assert_at_most(error[0], 1e-6);
        assert_at_most(error[1], error[0] * pow(0.5, order - 0.5) + 1e-14);
    }
}

// A box that slides on its two lower corners: the friction at the base presses the front corner, by
// N_front/back = m g (1/2 +- mu c_y/length).
static void test_two_corners(void **state)
{
    (void)state;
    const double mass = 1.9, mu = 0.35, length = 0.8, height = 0.3, T = 0.7, v0 = 4;
    scene s;
    march_run r;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    const pcs_vec3 size = {length, height, 0.1};
    const pcs_body_id box = scene_box(&s, "box", mass, size, pcs_v3(0, 0.5 * height, 0), zero,
                                      pcs_v3(v0, 0, 0));
    scene_box_on_plane(&s, "floor", box, size, zero, zero, (pcs_law){.friction = mu});
    const pcs_march_opts opts = march_run_controlled("hem5", 1e-9);
    march_run_begin(&r, &s, &opts);
    int32_t slot[2], n = 0;
    const pcs_contact *contacts;
    pcs_contact *all = pcs_model_contacts_create(s.ctx, s.model);
    pcs_configuration c;
    scene_require(&s, pcs_configuration_init(s.ctx, s.model, &c));
    pcs_configuration_update(s.model, &c, 0, r.march->to.q, r.march->to.v, r.turns, NULL);
    pcs_model_contacts(s.model, &c, true, all);
    for (int32_t i = 0; i < s.model->n_slots; ++i)
        if (fabs(all[i].gap) < 1e-9) {
            assert_in_range(n, 0, 1);
            slot[n++] = i;
            r.phase.mode[i] = PCS_MODE_SLIDE;
            r.phase.direction[i][0] = 1;
        }
    assert_int_equal(n, 2);
    scene_require(&s, pcs_march_begin(r.march, &r.phase, 0, r.march->to.q, r.march->to.v, false));
    march_run_to(&r, T);
    assert_near(r.march->to.v[0], v0 - mu * g * T, 1e-12);
    assert_near(r.march->to.v[2], 0, 1e-13);
    contacts = pcs_smooth_contacts(r.march->smooth);
    for (int i = 0; i < 2; ++i) {
        const double side = contacts[slot[i]].point.x > r.march->to.q[0] ? 1 : -1;
        const double N = mass * g * (0.5 + side * mu * 0.5 * height / length);
        assert_near(r.march->to.lambda[pcs_smooth_slot_row(r.march->smooth, slot[i])], N, 1e-11);
    }
    pcs_configuration_free(s.ctx, &c);
    pcs_model_contacts_destroy(s.ctx, all);
    march_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incline),    cmocka_unit_test(test_stick),
        cmocka_unit_test(test_belt),       cmocka_unit_test(test_straight_slide),
        cmocka_unit_test(test_bent_slide), cmocka_unit_test(test_two_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

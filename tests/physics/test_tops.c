// Rotations in space: the free asymmetric body (Dzhanibekov) and the spinning top keep their energy
// and their momenta to the order of the scheme, some of them to rounding.
#include "support/mechanisms.h"
#include "support/near.h"

#include "math/rotation.h"

// J Omega in the world for the body's principal moments.
static pcs_vec3 spin(const pcs_body_view *view, pcs_vec3 J)
{
    pcs_vec3 w = pcs_quat_rotate(pcs_quat_conjugate(view->rotation), view->angular_velocity);
    return pcs_quat_rotate(view->rotation, pcs_v3(J.x * w.x, J.y * w.y, J.z * w.z));
}

// ---- Free body ----

typedef struct free_run {
    double energy, magnitude, direction; // largest relative errors
    int flips;
} free_run;

static free_run run_free(double h)
{
    const pcs_vec3 J = {1.13, 2.385, 3.07}, start = {1e-3, 3.17, 0};
    scene s;
    free_run run = {0, 0, 0, 0};
    mechanism_free_body(&s, 1.7, J, start);
    scene_finish(&s, h, 30);
    scene_require(&s, pcs_simulation_start(s.simulation));
    pcs_body_view view = scene_view(&s, 0);
    const pcs_vec3 L0 = spin(&view, J);
    const double E0 = scene_total_energy(&s);
    double side = 1;
    while (!pcs_simulation_finished(s.simulation)) {
        assert_int_equal(scene_step(&s), PCS_OK);
        view = scene_view(&s, 0);
        pcs_vec3 L = spin(&view, J);
        run.energy = fmax(run.energy, fabs(scene_total_energy(&s) / E0 - 1));
        run.magnitude = fmax(run.magnitude, fabs(pcs_v3_norm(L) / pcs_v3_norm(L0) - 1));
        run.direction = fmax(run.direction, pcs_v3_norm(pcs_v3_sub(L, L0)) / pcs_v3_norm(L0));
        double up = pcs_quat_rotate(view.rotation, pcs_v3(0, 1, 0)).y; // of the middle axis
        if (up * side < -0.9) {
            side = -side;
            ++run.flips;
        }
    }
    scene_end(&s);
    return run;
}

// The midpoint rule keeps the quadratic invariants of Euler's equations, energy and |L|, to the
// tolerance of Newton's method in each step; the direction of L in the world is of second order.
static void test_free_body(void **state)
{
    (void)state;
    free_run coarse = run_free(2e-3), fine = run_free(1e-3);
    assert_true(fine.flips >= 2);
    assert_int_equal(coarse.flips, fine.flips);
    assert_at_most(fine.energy, 1e-10);
    assert_at_most(fine.magnitude, 1e-10);
    assert_near(coarse.direction / fine.direction, 4, 0.5);
    assert_at_most(fine.direction, 1e-5);
}

// ---- Spinning top ----

typedef struct top_run {
    double energy, vertical, spin, lowest;
} top_run;

static top_run run_top(double h)
{
    const top_data top = {
        .mass = 0.31,
        .length = 0.083,
        .inertia = {3.9e-4, 3.9e-4, 4.7e-4},
        .rotation = pcs_so3_exp(pcs_v3(0.23, 0, 0)),
        .angular_velocity = {0, 0, 183},
    };
    scene s;
    top_run run = {0, 0, 0, 1};
    mechanism_top(&s, &top);
    scene_finish(&s, h, 2);
    scene_require(&s, pcs_simulation_start(s.simulation));
    const double E0 = scene_total_energy(&s);
    double vertical = 0;
    for (bool first = true; !pcs_simulation_finished(s.simulation); first = false) {
        if (!first)
            assert_int_equal(scene_step(&s), PCS_OK);
        pcs_body_view view = scene_view(&s, 0);
        pcs_vec3 axis = pcs_quat_rotate(view.rotation, pcs_v3(0, 0, 1));
        pcs_vec3 c = pcs_v3_scale(top.length, axis);
        pcs_vec3 v = pcs_v3_add(view.velocity, pcs_v3_cross(view.angular_velocity, c));
        double Lz = spin(&view, top.inertia).z + top.mass * pcs_v3_cross(c, v).z;
        if (first)
            vertical = Lz;
        run.energy = fmax(run.energy, fabs(scene_total_energy(&s) / E0 - 1));
        run.vertical = fmax(run.vertical, fabs(Lz / vertical - 1));
        run.spin = fmax(run.spin, fabs(pcs_v3_dot(axis, view.angular_velocity) / 183 - 1));
        run.lowest = fmin(run.lowest, axis.z);
    }
    scene_end(&s);
    return run;
}

// Weight and tip force have no moment about the symmetry axis: the spin is kept to rounding. Energy
// and the momentum about the vertical are of second order.
static void test_spinning_top(void **state)
{
    (void)state;
    top_run coarse = run_top(1e-3), fine = run_top(5e-4);
    assert_at_most(fine.spin, 1e-11);
    assert_near(coarse.energy / fine.energy, 4, 0.5);
    assert_near(coarse.vertical / fine.vertical, 4, 0.5);
    const double bound = (183 * 5e-4) * (183 * 5e-4) / 12; // (omega h)^2/12
    assert_at_most(fine.energy, bound);
    assert_at_most(fine.vertical, bound);
    assert_true(fine.lowest > 0.8); // it does not fall
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_body),
        cmocka_unit_test(test_spinning_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Nonsmooth generalized-alpha on mechanisms with friction: digest of [Galvez2020], benchmarks B6
// (rocking rod), B8 (chain of masses), B10 (pendulum on a sprung plate). Every problem of
// every step converges, no step is repeated, joints and gaps are kept to 1e-10 (alpha_step).
#include "support/alpha_run.h"
#include "support/alpha_scenes.h"
#include "support/example_run.h"
#include "support/near.h"

#include "math/rotation.h"

static void show_counts(const char *name, const pcs_simulation *simulation)
{
    const na_counts *c = alpha_counts(simulation);
    const double steps = (double)c->steps;
    print_message("%s: Newton iterations %.2f (at most %d), %.2f (%d), %.2f (%d); %d corrections "
                  "shortened, %d problems by complementarity\n",
                  name, (double)c->sum[0] / steps, c->most[0], (double)c->sum[1] / steps,
                  c->most[1], (double)c->sum[2] / steps, c->most[2], (int)c->searches,
                  (int)c->fallbacks);
}

// ---- B6 ----

typedef struct rod_case {
    double h2, mu1, mu2;
    struct {
        int32_t slot;
        double time;
    } impact[4]; // of the digest's own program at h = 1e-4
    int n;
} rod_case;

static const rod_case rods[4] = {
    {0, 0.1, 0.1, {{0, 0.1121}, {1, 0.2011}, {0, 0.3316}, {1, 0.4182}}, 4},
    {0, 0, 0.1, {{0, 0.1121}, {1, 0.1993}, {0, 0.3222}}, 3},
    {0.04, 0.3, 0.3, {{0, 0.1121}, {1, 0.2293}, {0, 0.3343}}, 3},
    {0.04, 0, 0.3, {{0, 0.1121}, {1, 0.2243}, {0, 0.3009}}, 3},
};

// Impacts of the four cases at h = 1e-4, to the step.
static void test_rod_impacts(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        scene s;
        alpha_scene_rod(&s, rods[i].h2, rods[i].mu1, rods[i].mu2);
        scene_finish(&s, 1e-4, 0.42);
        alpha_finish(s.simulation);
        for (int k = 0, seen[2] = {0, 0}; k < rods[i].n; ++k) {
            const int32_t slot = rods[i].impact[k].slot;
            assert_near(alpha_event(s.simulation, PCS_EVENT_IMPACT, slot, seen[slot]++),
                        rods[i].impact[k].time, 1e-9);
        }
        show_counts("rod", s.simulation);
        scene_end(&s);
    }
}

// Case III at rest, h = 1e-3. Thesis: centre (0.0134, -0.0213) m, N1 = 2.19 N, N2 = 2.50 N, F1 + F2
// = 0.47 N. The layout of the supports is lost with the figures; the digest's (the best of three
// that were tried) rests at (0.01209, -0.02121) m with N1 = 2.199, N2 = 2.482 N, which this scheme
// meets to the digit. What follows from the rest position alone agrees with the thesis in any
// layout: the sums. The digest finds that 2 mm of the start height move the rest position by 2 mm,
// so the thesis is met to 1.4 mm in x and to half its last digit and 0.1 mm (1.4 mm times the slope
// 0.1) in y.
static void test_rod_rest(void **state)
{
    (void)state;
    scene s;
    alpha_scene_rod(&s, 0.04, 0.3, 0.3);
    scene_finish(&s, 1e-3, 1.5);
    alpha_finish(s.simulation);
    const double *q = pcs_simulation_q(s.simulation), slope = atan(0.1), weight = 0.48 * 9.8;
    const pcs_contact_view left = scene_contact_view(&s, 0), right = scene_contact_view(&s, 1);
    assert_digits(q[0], 0.01209, 1e-5);
    assert_digits(q[1], -0.02121, 1e-5);
    assert_near(q[0], 0.0134, 1.4e-3);
    assert_near(q[1], -0.0213, 0.5e-4 + 1.4e-4);
    assert_digits(left.force[0], 2.199, 1e-3);
    assert_digits(right.force[0], 2.482, 1e-3);
    assert_near(left.force[0] + right.force[0], weight * cos(slope), 1e-9);
    assert_near(left.force[1] + right.force[1], -weight * sin(slope), 1e-9);
    assert_near(weight * sin(slope), 0.47, 0.005); // the printed sum
    // Redundant sticking: each friction force within its cone, both at rest.
    assert_true(fabs(left.force[1]) <= 0.3 * left.force[0]);
    assert_true(fabs(right.force[1]) <= 0.3 * right.force[0]);
    assert_int_equal(left.state, PCS_STICK);
    assert_int_equal(right.state, PCS_STICK);
    for (int i = 0; i < 3; ++i)
        assert_near(pcs_simulation_v(s.simulation)[i], 0, 1e-12);
    scene_end(&s);
}

// Case IV comes to rest with all the friction at the right support; case I and II on a level floor
// with none.
static void test_rod_other_cases(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        scene s;
        alpha_scene_rod(&s, rods[i].h2, rods[i].mu1, rods[i].mu2);
        scene_finish(&s, 1e-3, 1.5);
        alpha_finish(s.simulation);
        const double slope = atan(rods[i].h2 / 0.4), weight = 0.48 * 9.8;
        const pcs_contact_view left = scene_contact_view(&s, 0), right = scene_contact_view(&s, 1);
        assert_near(pcs_simulation_q(s.simulation)[2], -slope, 1e-9);
        assert_near(left.force[0] + right.force[0], weight * cos(slope), 1e-9);
        assert_near(left.force[1] + right.force[1], -weight * sin(slope), 1e-9);
        if (rods[i].mu1 == 0)
            assert_near(left.force[1], 0, 1e-12);
        scene_end(&s);
    }
}

// ---- B8 ----

// At h = 1e-3 the digest's program has: last mass moves (|v| > 1e-8) at 0.214 s; the thesis says
// 0.22 s and rest in the end, the wave speed l sqrt(k/m) = 4.47 m/s gives 0.2236 s. At 1.5 s one
// mass still has 0.01 m/s; at 1.6 s all stick. The program does not see that the push ends: its
// filter of accelerations goes on over the jump, which costs F h of momentum, and its shortest
// length is 0.8318 m. Here the step ends with the push and the filter begins anew: 0.83256 m, which
// Moreau-Jean with h = 1e-4 has too (0.832560). The places at 1.5 s come from friction that stops
// the masses, of order 1: 0.37391 and 1.37319 with h/4, 0.37380 and 1.37304 in the limit.
static void test_chain(void **state)
{
    (void)state;
    example_run run;
    example_begin(&run, "mass_spring_chain.yaml", "nonsmooth-alpha", 1.6, 1e-3,
                  "resting_contacts=corrected");
    double starts = 0, shortest = 2, end[2] = {0, 0};
    while (!pcs_simulation_finished(run.simulation)) {
        alpha_step(run.simulation);
        const double *q = pcs_simulation_q(run.simulation), *v = pcs_simulation_v(run.simulation);
        const double t = pcs_simulation_time(run.simulation);
        if (starts == 0 && fabs(v[40]) > 1e-8)
            starts = t;
        shortest = fmin(shortest, q[40] - q[0]);
        if (t < 1.5005) {
            end[0] = q[0];
            end[1] = q[40];
        }
    }
    assert_near(starts, 0.214, 1e-9);
    assert_digits(shortest, 0.83256, 1e-5);
    assert_near(end[0], 0.37380, 1e-3); // h times 1 m/s
    assert_near(end[1], 1.37304, 1e-3);
    for (int i = 0; i < 42; ++i)
        assert_near(pcs_simulation_v(run.simulation)[i], 0, 1e-12);
    show_counts("chain", run.simulation);
    assert_int_equal(alpha_counts(run.simulation)->most[NA_SMOOTH], 1);
    assert_int_equal(alpha_counts(run.simulation)->fallbacks, 0);
    example_end(&run);
}

// ---- B10 ----

// No number is published. The pendulum hits the plate, slides on it, leaves and comes back; energy
// is never gained.
static void test_plate(void **state)
{
    (void)state;
    scene s;
    alpha_scene_plate(&s);
    scene_finish(&s, 1e-3, 2);
    double last = HUGE_VAL, slid = 0;
    int32_t impacts = 0;
    while (!pcs_simulation_finished(s.simulation)) {
        alpha_step(s.simulation);
        const double energy = scene_total_energy(&s);
        if (pcs_simulation_time(s.simulation) > 1e-3)
            assert_true(energy <= last + 1e-5); // of 36.8 J: the smooth part has order two
        last = energy;
        slid += scene_contact_view(&s, 0).state == PCS_SLIP ? 1e-3 : 0;
    }
    impacts = (int32_t)pcs_simulation_statistics(s.simulation)->impacts;
    print_message("%d impacts, slides for %.3f s\n", impacts, slid);
    assert_true(impacts >= 1);
    assert_true(slid > 0.05);
    show_counts("plate", s.simulation);
    assert_int_equal(alpha_counts(s.simulation)->fallbacks, 0);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_impacts),     cmocka_unit_test(test_rod_rest),
        cmocka_unit_test(test_rod_other_cases), cmocka_unit_test(test_chain),
        cmocka_unit_test(test_plate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

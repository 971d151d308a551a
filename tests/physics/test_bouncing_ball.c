// Bouncing ball: exact invariants and published numbers of one contact with restitution.
//
// Published: digest of [Brogliato2002] B4, B5 (whole-engine numbers of its writer,
// projection none), digest of [AcaryLectures] 4.6 (impacts counted by a time-stepping scheme),
// benchmarks 2.
#include "support/near.h"
#include "support/scenes.h"

static const double gravity = 9.81;

typedef struct flight {
    double captured; // last time with |v| >= 1e-9
    double deepest, last;
    int64_t impacts;
} flight;

// What n impacts may move the end of the bouncing: each is late or early by up to h, which changes
// its speed by up to f h and all later flights, 2 v / f and then e times the one before, by
// 2 h / (1 - e).
static double capture_error(const flight *f, double e, double h)
{
    return (double)f->impacts * h * (1 + 2 / (1 - e));
}

static flight fly(double f, double q0, double e, double h, double end, const char *projection)
{
    scene s;
    scene_bouncing_ball(&s, f, 2.385, q0, 0, e);
    scene_finish(&s, h, end);
    scene_set(&s, "projection", projection);
    flight result = {0, 0, 0, 0};
    while (!pcs_simulation_finished(s.simulation)) {
        scene_step(&s);
        result.last = pcs_simulation_q(s.simulation)[1];
        result.deepest = fmin(result.deepest, result.last);
        if (fabs(pcs_simulation_v(s.simulation)[1]) >= 1e-9)
            result.captured = pcs_simulation_time(s.simulation);
    }
    result.impacts = pcs_simulation_statistics(s.simulation)->impacts;
    scene_end(&s);
    return result;
}

// B4: e = 1, g = 9.81, q0 = 1, h = 0.01, T = 100: 109 apexes all 1.0 to round-off, energy 9.81, no
// node below the floor (smallest 0.0067). The digest's energy of +- 1e-14 belongs to its one-line
// program, in which the roundings of rise and fall cancel (v = -v at the impact and two half steps
// of position). Here v passes through a solve, which may round twice at an impact: 2 ulp of v =
// 4.43, i.e. v * 2 * 8.9e-16 J of energy for each of 110 impacts.
static void test_elastic_ball_returns(void **state)
{
    (void)state;
    const double rounding = 110 * 4.43 * 2 * 8.9e-16;
    scene s;
    scene_bouncing_ball(&s, gravity, 1, 1, 0, 1);
    scene_finish(&s, 0.01, 100);
    int apexes = 0;
    double before = 1, now = 1, lowest = 1;
    while (!pcs_simulation_finished(s.simulation)) {
        scene_step(&s);
        double next = pcs_simulation_q(s.simulation)[1];
        if (now > before && now >= next) {
            ++apexes;
            assert_near(now, 1, rounding / gravity);
        }
        before = now;
        now = next;
        lowest = fmin(lowest, now);
        assert_near(scene_total_energy(&s), gravity, rounding);
    }
    assert_int_equal(apexes, 109);
    assert_digits(lowest, 0.0067, 1e-4);
    assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, 110);
    scene_end(&s);
}

// B5 with the guard T26 (restitution on approach only): time after which |v| < 1e-9, deepest point.
// Without projection, as the digest's program.
static void test_capture_times(void **state)
{
    (void)state;
    static const struct {
        double e, h, captured, digit;
    } row[] = {
        {0.5, 1e-2, 1.31, 1e-2}, {0.5, 1e-3, 1.347, 1e-3}, {0.5, 1e-4, 1.3535, 1e-4},
        {0.8, 1e-2, 3.95, 1e-2}, {0.8, 1e-3, 4.059, 1e-3}, {0.8, 1e-4, 4.0626, 1e-4},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        flight f = fly(gravity, 1, row[i].e, row[i].h, 5, "none");
        assert_digits(f.captured, row[i].captured, row[i].digit);
        assert_true(f.last >= -9e-4);
        if (row[i].h == 1e-2)
            assert_digits(f.deepest, row[i].e == 0.5 ? -0.0098 : -0.0155, 1e-4);
    }
}

// With the projection no node is below the floor, and the ball rests within the fall of one step.
// The capture time goes to the accumulation time sqrt(2H/g) (1+e)/(1-e) (benchmarks 2) with h.
static void test_projected_ball_does_not_sink(void **state)
{
    (void)state;
    static const double e[] = {0.5, 0.8}, exact[] = {1.35457092296, 4.06371276887};
    for (int i = 0; i < 2; ++i) {
        for (double h = 1e-2; h > 5e-5; h /= 10) {
            flight f = fly(gravity, 1, e[i], h, 5, "all");
            assert_true(f.deepest >= -1e-12); // projection_tolerance
            assert_true(f.last <= 0.5 * gravity * h * h);
            assert_near(f.captured, exact[i], capture_error(&f, e[i], h));
        }
    }
}

// f = -2, e = 1/2, q0 = 1 (acary 4.1): at rest after the accumulation point t = 3, |v| < 1e-9.
// Whole steps only: with projection all the ball may come to rest up to f h^2 / 2 above the floor,
// held by the look ahead of a full step, and a shorter last step would let it fall that bit
// further.
static void test_rest_after_accumulation(void **state)
{
    (void)state;
    static const char *const projection[] = {"none", "bilateral", "all"};
    for (int i = 0; i < 3; ++i) {
        for (double h = 1.23e-2; h > 5e-5; h /= 7.3) {
            flight f = fly(2, 1, 0.5, h, ceil(4 / h) * h, projection[i]);
            assert_near(f.captured, 3, capture_error(&f, 0.5, h));
            assert_near(f.last, 0, 2 * h * h); // f h^2, the change of height of one step from rest
        }
    }
}

// Impacts of an accumulation that a fixed step sees: ln 10 / ln(1/e) more for each decade of h
// (acary 4.6: 3.32, 6.46, 21.9 for e = 0.5, 0.7, 0.9). Single counts jitter by one or two, so the
// slope is over three decades.
static void test_impact_count_slope(void **state)
{
    (void)state;
    static const double e[] = {0.2, 0.5, 0.7, 0.9};
    for (int i = 0; i < 4; ++i) {
        double end = 1.1 * sqrt(2 / gravity) * (1 + e[i]) / (1 - e[i]) * 0.3;
        double coarse = (double)fly(gravity, 0.09, e[i], 3.1e-3, end, "all").impacts;
        double fine = (double)fly(gravity, 0.09, e[i], 3.1e-6, end, "all").impacts;
        print_message("e = %g: %g and %g impacts\n", e[i], coarse, fine);
        double slope = (fine - coarse) / 3, theory = log(10) / log(1 / e[i]);
        assert_near(slope, theory, 2.0 / 3 + 0.05 * theory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic_ball_returns),
        cmocka_unit_test(test_capture_times),
        cmocka_unit_test(test_projected_ball_does_not_sink),
        cmocka_unit_test(test_rest_after_accumulation),
        cmocka_unit_test(test_impact_count_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

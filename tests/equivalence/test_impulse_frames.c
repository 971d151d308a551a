// No impulse is lost between frames: what frames hold adds up to what the steps have given, however
// rarely frames are taken, and frames do not change the motion.
#include <stdlib.h>
#include <string.h>

#include "support/example_run.h"
#include "support/near.h"

enum { SLOTS_MAX = 16 };

typedef struct totals {
    double impulse[SLOTS_MAX][3], impact[SLOTS_MAX][3];
    double load[SLOTS_MAX]; // sum of mean normal forces without impacts times their times
    double force_max[SLOTS_MAX];
    double size; // sum of |impulse|
    int impacts;
} totals;

static const char *const schemes[] = {
    "moreau-jean", "moreau-jean-adaptive", "capturing", "event-driven",
    "hybrid",      "nonsmooth-alpha",      "dopri5",    "alpha2"};
enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

static void take_frame(const pcs_simulation *s, double *since, totals *sum)
{
    const int32_t n = pcs_model_contact_count(pcs_simulation_model(s));
    const double t = pcs_simulation_time(s);
    assert_true(n <= SLOTS_MAX);
    for (int32_t i = 0; i < n; ++i) {
        pcs_contact_view view;
        pcs_simulation_contact(s, i, &view);
        for (int k = 0; k < 3; ++k) {
            sum->impulse[i][k] += view.impulse[k];
            sum->size += fabs(view.impulse[k]);
            // Mean force times time is the impulse, with its impacts.
            assert_near(view.force[k] * (t - *since), view.impulse[k],
                        1e-12 * (1 + fabs(view.impulse[k])));
        }
        sum->load[i] += view.load[0] * (t - *since);
        sum->force_max[i] = fmax(sum->force_max[i], view.force_max[0]);
    }
    *since = t;
}

// Frames after steps that a linear congruence picks, one in `rarely`; 1: after every step, without
// a word to the simulation.
static void run_frames(example_run *run, int rarely, totals *sum)
{
    uint32_t pick = 12345;
    double since = 0;
    memset(sum, 0, sizeof *sum);
    int64_t seen = 0;
    while (!pcs_simulation_finished(run->simulation)) {
        assert_true(pcs_simulation_step(run->simulation) >= 0);
        pick = pick * 1664525u + 1013904223u;
        const bool last = pcs_simulation_finished(run->simulation);
        if (last || rarely == 1 || (pick >> 8) % (uint32_t)rarely == 0) {
            take_frame(run->simulation, &since, sum);
            if (rarely > 1)
                pcs_simulation_mark_frame(run->simulation);
        }
        for (pcs_event event; pcs_simulation_event(run->simulation, seen, &event); ++seen)
            if (event.kind == PCS_EVENT_IMPACT) {
                ++sum->impacts;
                assert_true(event.impulse[0] > 0);
                for (int k = 0; k < 3; ++k)
                    sum->impact[event.object][k] += event.impulse[k];
            }
    }
}

static void check(const char *name, const char *scheme, double end, double step)
{
    totals often, rarely;
    example_run a, b;
    print_message("%s, %s\n", name, scheme);
    example_begin(&a, name, scheme, end, step, "");
    example_begin(&b, name, scheme, end, step, "");
    // The first frame of a run is its start.
    assert_int_equal(pcs_simulation_start(b.simulation), PCS_OK);
    pcs_simulation_mark_frame(b.simulation);
    run_frames(&a, 1, &often);
    run_frames(&b, 23, &rarely);
    const pcs_model *model = pcs_simulation_model(a.simulation);
    assert_true(often.size > 0 && often.impacts > 0);
    assert_int_equal(often.impacts, rarely.impacts);
    const double rounding = 1e-12 * often.size;
    for (int32_t i = 0; i < pcs_model_contact_count(model); ++i) {
        for (int k = 0; k < 3; ++k)
            assert_near(rarely.impulse[i][k], often.impulse[i][k], rounding);
        assert_near(rarely.load[i] + rarely.impact[i][0], rarely.impulse[i][0], rounding);
        assert_true(rarely.force_max[i] == often.force_max[i]);
    }
    const double *q = pcs_simulation_q(a.simulation), *p = pcs_simulation_q(b.simulation);
    for (int32_t i = 0; i < pcs_model_body_count(model); ++i)
        assert_true(q[i] == p[i]); // bit for bit
    example_end(&a);
    example_end(&b);
}

static void test_examples(void **state)
{
    (void)state;
    for (int i = 0; i < N_SCHEMES; ++i) {
        check("woodpecker.yaml", schemes[i], 0.2, 1e-4);
        check("newton_cradle.yaml", schemes[i], 0.7, 1e-3);
        check("slider_crank_clearance.yaml", schemes[i], 0.01, 1e-5);
        check("bouncing_ball.yaml", schemes[i], 1.2, 1e-3);
    }
}

// The ball's momentum: m v = m v_0 - m g t + sum of impulses, in every scheme, whatever it does
// inside its steps.
static void test_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < N_SCHEMES; ++i) {
        totals sum;
        example_run run;
        example_begin(&run, "bouncing_ball.yaml", schemes[i], 1.5, 0.01, "");
        assert_int_equal(pcs_simulation_start(run.simulation), PCS_OK);
        pcs_simulation_mark_frame(run.simulation);
        const double before = example_signal(&run, "body.ball.velocity.z");
        run_frames(&run, 7, &sum);
        const double change = example_signal(&run, "body.ball.velocity.z") - before;
        const double mass = 4. / 3 * 3.14159265358979324 * 0.1 * 0.1 * 0.1 * 1100;
        print_message("%s: %d impacts\n", schemes[i], sum.impacts);
        assert_near(sum.impulse[0][0], mass * (change + 9.81 * 1.5),
                    1e-6 * sum.size); // speeds below rest are put to zero
        example_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

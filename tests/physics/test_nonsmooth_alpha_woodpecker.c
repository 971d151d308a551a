// The woodpecker toy under the nonsmooth generalized-alpha scheme: digest of [Galvez2020],
// benchmark B11. Every problem of every step converges, no step is repeated, joints and gaps are
// kept to 1e-10.
#include "support/alpha_run.h"
#include "support/alpha_scenes.h"
#include "support/near.h"

// Frequency and fall per cycle from the passages of the bird's angle through zero, upwards, in the
// second of the two seconds.
static void run_woodpecker(bool fixed, double mu, double frequency, double fall)
{
    scene s;
    alpha_scene_woodpecker(&s, fixed, mu);
    scene_finish(&s, 1e-4, 2);
    double first[2] = {0, 0}, last[2] = {0, 0}, angle = 0;
    int cycles = -1;
    while (!pcs_simulation_finished(s.simulation)) {
        alpha_step(s.simulation);
        const double *q = pcs_simulation_q(s.simulation), t = pcs_simulation_time(s.simulation);
        if (t > 1 && angle < 0 && q[5] >= 0) {
            double *passage = ++cycles == 0 ? first : last;
            passage[0] = t;
            passage[1] = q[1];
        }
        angle = q[5];
    }
    const double found = cycles / (last[0] - first[0]), drop = (first[1] - last[1]) / cycles;
    print_message("%s, mu = %g: %.3f Hz, %.2f mm\n", fixed ? "case I" : "case II", mu, found,
                  1e3 * drop);
    const na_counts *c = alpha_counts(s.simulation);
    print_message(
        "  Newton iterations at most %d, %d, %d; %d corrections shortened, %d problems by "
        "complementarity\n",
        c->most[0], c->most[1], c->most[2], (int)c->searches, (int)c->fallbacks);
    assert_near(found, frequency, 0.02 * frequency);
    assert_near(drop, fall, 0.02 * fall);
    scene_end(&s);
}

// Thesis, h = 1e-4: 7.66 Hz and 14.3 mm with the sleeve kept on the axis, 7.96 Hz and 7.6 mm free,
// 8.3 Hz and 5.3 mm free with mu = 0.35; 2 % is the bound of this test. The digest's program left
// two or three Newton solves of the free cases unconverged.
static void test_woodpecker(void **state)
{
    (void)state;
    run_woodpecker(true, 0.3, 7.66, 14.3e-3);
    run_woodpecker(false, 0.3, 7.96, 7.6e-3);
    run_woodpecker(false, 0.35, 8.3, 5.3e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_woodpecker)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Examples in steps of h, 10 h, 100 h and 1000 h against event-driven runs: the motion is that one, to a
// tenth, or the verdict is not good. All examples: bench/bench_examples_coarse.
#include <stdio.h>
#include <stdlib.h>

#include "support/family.h"
#include "support/near.h"
#include "support/scene_coarse.h"

static void test_examples(void **state)
{
    (void)state;
    static const char *const names[] = {
        "andrews_squeezer", "block_on_belt",     "bouncing_ball", "double_pendulum",
        "dzhanibekov",      "impact_oscillator", "four_bar",      "disc_in_bowl",
    };
    const char *source = getenv("PERCUSS_SOURCE");
    const double seconds = 10;
    int known = 0, missed = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i += CASE_STRIDE) {
        char path[1024];
        coarse_run runs[COARSE_FACTORS];
        snprintf(path, sizeof path, "%s/examples/%s.yaml", source ? source : ".", names[i]);
        assert_true(scene_coarse(path, "moreau-jean", COARSE_FACTORS, seconds, runs) >= 0);
        for (int k = 0; k < COARSE_FACTORS; ++k) {
            known += runs[k].known;
            missed += runs[k].missed;
            if (runs[k].missed)
                print_error("%s, 10^%d h: off by %.2g, and good\n", names[i], k, runs[k].off);
        }
    }
    print_message("%d runs\n", known);
    assert_true(known > 0);
    assert_int_equal(missed, 0);
}

int main(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

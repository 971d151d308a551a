// Piles under alpha3: generated scenes in which contacts close, open, stick and slip within nanoseconds,
// so that steps are cut to the rounding of positions. The run comes to its end, by the motion of the
// event-driven scheme; it stopped at what looked like an accumulation of impacts.
#include <stdlib.h>

#include "support/near.h"
#include "support/scene_judge.h"

static void test_piles(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {890048, 890066, 6203162, 6203180};
    static scene_model model;
    static scene_judgement judgement;
    const judge_opts opts = {.seconds = 20, .schemes = "alpha3"};
    int failures = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
        scene_generate(seeds[i], &model);
        assert_string_equal(model.facts.kind, "pile");
        scene_judge(&model, &opts, &judgement);
        assert_true(judgement.n_compared > 0);
        for (int k = 0; k < judgement.n_findings; ++k) {
            const judge_finding *finding = &judgement.finding[k];
            print_error("seed %llu: %s %.3g, allowed %.3g: %s\n", (unsigned long long)seeds[i],
                        judge_check_name((int)finding->check), finding->value, finding->allowed,
                        finding->text);
            ++failures;
        }
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_piles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Schemes against each other on generated scenes: the first scenes of every kind, with round numbers
// and without, under every scheme. The rest of them is in bench/bench_scenes_schemes, which also
// prints a scene as a model file (--scene SEED) and what its runs did (--judge SEED).
#include <stdbool.h>
#include <stdlib.h>

#include "support/near.h"
#include "support/scene_judge.h"

// The first seeds: two rounds through the kinds, one with round numbers and one without.
enum { ROUNDS = 2 };

static void test_scenes(void **state)
{
    (void)state;
    static scene_model model;
    static scene_judgement judgement;
    const judge_opts opts = {.seconds = 5};
    const int kinds = scene_kind_count();
    int failures = 0, runs = 0, compared = 0, explained = 0;
    for (int seed = 0; seed < ROUNDS * kinds; ++seed) {
        scene_generate((uint64_t)seed, &model);
        scene_judge(&model, &opts, &judgement);
        runs += judgement.n_runs;
        compared += judgement.n_compared;
        for (int i = 0; i < judgement.n_findings; ++i) {
            const judge_finding *finding = &judgement.finding[i];
            explained += finding->explained != NULL;
            if (finding->explained)
                continue;
            ++failures;
            print_error("seed %d, %s, %s: %s %.3g, allowed %.3g: %s\n", seed, model.facts.kind,
                        judge_scheme_name(finding->scheme), judge_check_name((int)finding->check),
                        finding->value, finding->allowed, finding->text);
        }
    }
    print_message("%d scenes, %d runs, %d compared, %d explained by known limits\n", ROUNDS * kinds,
                  runs, compared, explained);
    assert_int_equal(failures, 0);
}

// A seed is a scene: the same text every time, another one for another seed.
static void test_seeds(void **state)
{
    (void)state;
    static scene_model a, b;
    for (uint64_t seed = 0; seed < 200; ++seed) {
        scene_generate(seed, &a);
        scene_generate(seed, &b);
        assert_string_equal(a.text, b.text);
        assert_true(a.facts.end > 0 && a.facts.step > 0 && a.facts.length > 0);
        scene_generate(seed + 1, &b);
        assert_string_not_equal(a.text, b.text);
    }
}

int main(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 0); // runs are processes; threads would be in their way
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

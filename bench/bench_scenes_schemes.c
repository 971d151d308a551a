// Schemes against each other on generated scenes (tests/support/scene_generator.h): runs of every
// scene under every scheme, with a table of what failed by kind and scheme. Fails if something did
// that no known limit explains.
//
//   bench_scenes_schemes [--from SEED] [--scenes N] [--kind NAME] [--schemes A,B] [--seconds S]
//   bench_scenes_schemes --scene SEED      prints the scene as a model file
//   bench_scenes_schemes --judge SEED [--impacts N]    runs one scene, prints every run and its
//                                                      first impacts
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_judge.h"

enum { KINDS_MAX = 32, SCHEMES_MAX = 32 };

typedef struct tally {
    int failed[KINDS_MAX][SCHEMES_MAX][CHECK_COUNT];
    int explained[KINDS_MAX][SCHEMES_MAX][CHECK_COUNT];
    int scenes[KINDS_MAX], compared, predictable, runs, n_scenes, n_failed, n_explained;
    double seconds;
} tally;

static int kind_of(uint64_t seed)
{
    return (int)(seed % (uint64_t)scene_kind_count());
}

static void judge_one(uint64_t seed, const judge_opts *opts, tally *t)
{
    static scene_model model;
    static scene_judgement judgement;
    scene_generate(seed, &model);
    scene_judge(&model, opts, &judgement);
    const int kind = kind_of(seed);
    t->n_scenes++;
    t->scenes[kind]++;
    t->runs += judgement.n_runs;
    t->compared += judgement.n_compared;
    t->predictable += judgement.n_samples > 0;
    t->seconds += judgement.seconds;
    for (int i = 0; i < judgement.n_findings; ++i) {
        const judge_finding *finding = &judgement.finding[i];
        (finding->explained ? t->explained : t->failed)[kind][finding->scheme][finding->check]++;
        *(finding->explained ? &t->n_explained : &t->n_failed) += 1;
        printf("%s seed %llu %s %s %s %.3g (%.3g) %s\n", finding->explained ? "limit" : "FAIL ",
               (unsigned long long)seed, model.facts.kind, judge_scheme_name(finding->scheme),
               judge_check_name((int)finding->check), finding->value, finding->allowed,
               finding->text);
    }
    fflush(stdout);
}

static void print_table(const tally *t)
{
    printf("\n%-12s %6s", "failures", "scenes");
    for (int s = 0; s < judge_scheme_count(); ++s)
        printf(" %8.8s", judge_scheme_name(s));
    for (int kind = 0; kind < scene_kind_count(); ++kind) {
        printf("\n%-12s %6d", scene_kind_name(kind), t->scenes[kind]);
        for (int s = 0; s < judge_scheme_count(); ++s) {
            int n = 0;
            for (int c = 0; c < CHECK_COUNT; ++c)
                n += t->failed[kind][s][c];
            printf(" %8d", n);
        }
    }
    printf("\n\n%-12s %6s", "by check", "");
    for (int s = 0; s < judge_scheme_count(); ++s)
        printf(" %8.8s", judge_scheme_name(s));
    for (int c = 0; c < CHECK_COUNT; ++c) {
        printf("\n%-12s %6s", judge_check_name(c), "");
        for (int s = 0; s < judge_scheme_count(); ++s) {
            int n = 0;
            for (int kind = 0; kind < scene_kind_count(); ++kind)
                n += t->failed[kind][s][c];
            printf(" %8d", n);
        }
    }
    printf(
        "\n\n%d scenes, %d predictable, %d runs, %d compared, %.0f s; %d failures, %d explained by "
        "known limits\n",
        t->n_scenes, t->predictable, t->runs, t->compared, t->seconds, t->n_failed, t->n_explained);
}

static int explain_usage(void)
{
    fputs("usage: bench_scenes_schemes [--from SEED] [--scenes N] [--kind NAME] [--schemes A,B]\n"
          "                            [--seconds S] [--impacts N] | --judge SEED | --scene SEED\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    judge_opts opts = {.seconds = 5};
    uint64_t from = 0;
    int scenes = 2000, kind = -1;
    static tally t;
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--from") == 0) {
            from = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--scenes") == 0) {
            scenes = atoi(value);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            opts.seconds = atof(value);
        } else if (strcmp(argv[i], "--schemes") == 0) {
            opts.schemes = value;
        } else if (strcmp(argv[i], "--impacts") == 0) {
            opts.verbose = atoi(value);
        } else if (strcmp(argv[i], "--kind") == 0) {
            for (int k = 0; k < scene_kind_count(); ++k)
                if (strcmp(scene_kind_name(k), value) == 0)
                    kind = k;
        } else if (strcmp(argv[i], "--scene") == 0) {
            static scene_model model;
            scene_generate(strtoull(value, NULL, 10), &model);
            fputs(model.text, stdout);
            return EXIT_SUCCESS;
        } else if (strcmp(argv[i], "--judge") == 0) {
            opts.verbose = opts.verbose ? opts.verbose : 12;
            from = strtoull(value, NULL, 10);
            scenes = 1;
        } else {
            return explain_usage();
        }
    }
    if (argc % 2 == 0) // an option without its value, or --help
        return explain_usage();
    for (int n = 0; n < scenes; ++from)
        if (kind < 0 || kind_of(from) == kind) {
            judge_one(from, &opts, &t);
            ++n;
        }
    print_table(&t);
    return t.n_failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

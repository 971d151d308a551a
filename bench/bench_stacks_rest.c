// Larger scenes that must come to rest under Moreau-Jean at h = 1 ms: a pile of spheres in a box, with
// every pair declared, a wall of 50 bricks dropped course by course, both with and without
// restitution; and an arch of 27 voussoirs 0.2 % above its limit, which stands, and 0.2 % below, whose
// fall is compared with steps a tenth as long. Kinetic energies are parts of the largest; those of
// balls with fewer than three loaded contacts, which roll or spin for ever, are left out (`loose`).
//
// And stacks from seeds (scene_stacks.h), beside the event-driven scheme, or hybrid where that stops at an
// accumulation or takes too long: all of them must rest soon after it, gain no energy, and have forces
// that are constant and no penetration.
//
//     bench_stacks_rest [wall] [arch] [pile [SPHERES]]
//     bench_stacks_rest random [STACKS [FIRST]] | stack SEED
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_large.h"
#include "support/scene_run.h"
#include "support/scene_stacks.h"

static const double h = 1e-3;

static void print_rest(const char *name, double e, scene *s)
{
    const scene_rest r = scene_run_to_rest(s, 0.1);
    printf("%-12s %4g %8.4g %9.1e %9.1e %9.1e %9.1e %7lld %7lld %5lld %5d %8.1f\n", name, e, r.time,
           r.kinetic, r.gain, r.ripple, r.penetration, (long long)r.steps, (long long)r.impacts,
           (long long)r.unconverged, (int)r.loose, r.seconds);
    fflush(stdout);
    scene_end(s);
}

static void run_wall(double e)
{
    scene s;
    scene_brick_wall(&s, 14, 4, 2e-3, (pcs_law){.friction = 0.6, .restitution = e});
    scene_finish(&s, h, 2);
    print_rest("wall", e, &s);
}

static void run_pile(int spheres, double e)
{
    scene s;
    scene_round_pile(&s, 3, spheres, 1, (pcs_law){.friction = 0.3, .restitution = e}, NULL);
    scene_finish(&s, h, 6);
    print_rest("pile", e, &s);
}

// Drop of the keystone after 0.2 s.
static double arch_drop(double part, double step)
{
    enum { STONES = 27 };
    scene s;
    scene_arch(&s, STONES, part * scene_arch_limit(STONES), 0.9);
    scene_finish(&s, step, 0.2);
    scene_require(&s, pcs_simulation_start(s.simulation));
    const double start = scene_signal(&s, "body.stone13.position.y");
    scene_run(&s);
    const double drop = start - scene_signal(&s, "body.stone13.position.y");
    scene_end(&s);
    return drop;
}

// ---- Stacks from seeds ----

// The event-driven run, or the hybrid one; NULL: neither ends.
static const char *run_reference(const scene_model *model, run_result *result)
{
    static const char *const schemes[] = {"event-driven", "hybrid"};
    for (int i = 0; i < 2; ++i) {
        const run_def def = {
            .scheme = schemes[i], .options = "", .step = model->facts.step, .seconds = 20};
        scene_run_model(model, &def, result);
        if (result->outcome == RUN_FINISHED)
            return schemes[i];
    }
    return NULL;
}

// What is wrong with a run, "" if nothing.
static const char *fault(const scene_facts *facts, const run_result *run)
{
    // Rotations have an energy error of second order between impacts; the lever turns.
    const bool turns = strcmp(facts->kind, "lever") == 0;
    const double x = facts->rate * facts->step, gain = turns ? x * x : 1e-11;
    if (run->outcome != RUN_FINISHED)
        return run->message;
    if (run->rest_time > facts->end)
        return "does not rest";
    if (run->energy_gain > gain)
        return "gains energy";
    if (run->force_ripple > 1e-6)
        return "forces change";
    return run->penetration > 2e-12 ? "penetrates" : "";
}

static run_def moreau_jean(const scene_facts *facts, double step)
{
    return (run_def){
        .scheme = "moreau-jean", .options = "", .step = step, .seconds = 120 * facts->step / step};
}

// Whether it rests much later than the reference, at this step and at a half and a quarter of it. The
// order of impacts that nearly coincide decides whether a stack rocks on, and may be another one at
// one step.
static bool is_late(const scene_model *model, const run_result *run, double reference_rest)
{
    static run_result finer;
    const double step = model->facts.step, latest = 1.5 * reference_rest + 50 * step;
    bool late = run->rest_time > latest;
    for (int part = 2; part <= 4 && late; part *= 2) {
        const run_def def = moreau_jean(&model->facts, step / part);
        scene_run_model(model, &def, &finer);
        late = !(finer.rest_time <= latest);
    }
    return late;
}

static bool run_stack(uint64_t seed)
{
    static scene_model model;
    static run_result run, other;
    scene_stack_generate(seed, &model);
    const scene_facts *facts = &model.facts;
    const run_def def = moreau_jean(facts, facts->step);
    scene_run_model(&model, &def, &run);
    const char *reference = run_reference(&model, &other);
    const char *wrong = fault(facts, &run);
    if (!*wrong && reference && is_late(&model, &run, other.rest_time))
        wrong = "rests late";
    printf("%6llu %-6s %d %3d %7g %9.4g %9.4g %-12s %9.1e %9.1e %9.1e %9.1e %6lld %6.1f  %s\n",
           (unsigned long long)seed, facts->kind, facts->dimension, facts->n_bodies, facts->step,
           run.rest_time, reference ? other.rest_time : NAN, reference ? reference : "none",
           run.energy_gain, run.numerical, run.force_ripple, run.penetration,
           (long long)run.impacts, run.seconds, wrong);
    fflush(stdout);
    return *wrong == 0;
}

static int run_random(int count, uint64_t first)
{
    int bad = 0;
    printf("%6s %-6s %s %3s %7s %9s %9s %-12s %9s %9s %9s %9s %6s %6s\n", "seed", "kind", "D", "n",
           "step", "rest, s", "its rest", "reference", "gain", "remainder", "ripple", "depth",
           "impact", "CPU, s");
    for (int i = 0; i < count; ++i)
        bad += !run_stack(first + (uint64_t)i);
    printf("%d stacks, %d with faults\n", count, bad);
    return bad > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void print_stack(uint64_t seed)
{
    static scene_model model;
    scene_stack_generate(seed, &model);
    fputs(model.text, stdout);
}

int main(int argc, char **argv)
{
    bool wall = argc == 1, arch = argc == 1, pile = argc == 1;
    int spheres = 200;
    if (argc > 2 && strcmp(argv[1], "stack") == 0) {
        print_stack(strtoull(argv[2], NULL, 10));
        return EXIT_SUCCESS;
    }
    if (argc > 1 && strcmp(argv[1], "random") == 0)
        return run_random(argc > 2 ? atoi(argv[2]) : 200,
                          argc > 3 ? strtoull(argv[3], NULL, 10) : 0);
    for (int i = 1; i < argc; ++i) {
        wall = wall || strcmp(argv[i], "wall") == 0;
        arch = arch || strcmp(argv[i], "arch") == 0;
        pile = pile || strcmp(argv[i], "pile") == 0;
        spheres = atoi(argv[i]) > 0 ? atoi(argv[i]) : spheres;
    }
    if (arch)
        for (int k = 0; k < 2; ++k) {
            const double part = k == 0 ? 1.002 : 0.998;
            printf("arch %g of its limit: drop after 0.2 s %.4g m, steps a tenth as long %.4g m\n",
                   part, arch_drop(part, h), arch_drop(part, 0.1 * h));
        }
    printf("%-12s %4s %8s %9s %9s %9s %9s %7s %7s %5s %5s %8s\n", "scene", "e", "rest, s",
           "kinetic", "gain", "ripple", "depth, m", "steps", "impacts", "open", "loose", "CPU, s");
    for (int k = 0; k < 2 && wall; ++k)
        run_wall(0.3 * k);
    for (int k = 0; k < 2 && pile; ++k)
        run_pile(spheres, 0.3 * k);
    return EXIT_SUCCESS;
}

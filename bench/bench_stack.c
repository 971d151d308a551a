// Stack of ten boxes with declared corners (h = 1e-3, 5 s), for Percuss and the engines that are
// installed, in one run on one core: steps a second, and how still the stack stands at the end. The
// engines take turns, and the best of each counts. A second table has the top box a thousand times
// heavier.
//     bench_stack [rounds [peer]]     peer: MuJoCo or ODE alone
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "peers.h"
#include "support/measure.h"
#include "support/scenes.h"

enum { BOXES = 10 };
static const double edge = 0.2, friction = 0.6;
static const double collapse_tilt = 0.5; // rad: a box has turned over

static void measure_end(const scene *s, stack_result *out)
{
    double top = 0;
    for (int i = 0; i < BOXES; ++i) {
        pcs_body_view box = scene_view(s, i);
        pcs_mat3 R = pcs_quat_matrix(box.rotation);
        double reach = 0.5 * edge * (fabs(R.m[2][0]) + fabs(R.m[2][1]) + fabs(R.m[2][2]));
        out->penetration = fmax(out->penetration, top - (box.position.z - reach));
        top = box.position.z + reach;
        out->tilt = fmax(out->tilt, acos(fmin(1, R.m[2][2])));
        out->drift = hypot(box.position.x, box.position.y);
    }
}

static void percuss_stack(const bench_run *run, stack_result *out)
{
    scene s;
    double mass[BOXES];
    for (int i = 0; i < BOXES; ++i)
        mass[i] = i == BOXES - 1 ? 8 * run->top_mass_factor : 8;
    *out = (stack_result){0};
    scene_stack(&s, 3, BOXES, pcs_v3(edge, edge, edge), mass, friction);
    scene_finish(&s, run->h, run->end);
    scene_require(&s, pcs_simulation_start(s.simulation));
    double start = bench_cpu_time();
    scene_run(&s);
    double steps = (double)pcs_simulation_statistics(s.simulation)->steps;
    out->steps_per_second = steps / (bench_cpu_time() - start);
    scene_restart(&s, run->h, run->end);
    while (!pcs_simulation_finished(s.simulation)) {
        scene_step(&s);
        if (2 * pcs_simulation_time(s.simulation) > run->end)
            out->kinetic = fmax(out->kinetic, scene_energy(&s)->kinetic);
    }
    measure_end(&s, out);
    scene_end(&s);
}

typedef struct engine {
    const char *name, *method;
    int32_t iterations;
    stack_result result;
} engine;

static bool run_engine(engine *e, const bench_run *run)
{
    stack_result r = {0};
    bool done = false;
    if (strcmp(e->name, "Percuss") == 0) {
        percuss_stack(run, &r);
        done = true;
    }
#ifdef PERCUSS_PEER_MUJOCO
    if (strncmp(e->name, "MuJoCo", 6) == 0)
        done = peer_mujoco_stack(e->method, run, &r);
#endif
#ifdef PERCUSS_PEER_ODE
    if (strncmp(e->name, "ODE", 3) == 0)
        done = peer_ode_stack(e->iterations, run, &r);
#endif
    r.steps_per_second = fmax(r.steps_per_second, e->result.steps_per_second);
    if (done)
        e->result = r;
    return done;
}

static void table(bench_run run, int rounds, const char *peer)
{
    engine engines[] = {{.name = "Percuss"},
                        {.name = "MuJoCo Newton elliptic", .method = "Newton"},
                        {.name = "MuJoCo PGS elliptic", .method = "PGS"},
                        {.name = "ODE WorldStep", .iterations = 0},
                        {.name = "ODE QuickStep 20", .iterations = 20},
                        {.name = "ODE QuickStep 100", .iterations = 100}};
    enum { ENGINES = sizeof engines / sizeof *engines };
    printf("Stack of %d boxes, top box x %g, h = %g s, %g s, best of %d\n", BOXES,
           run.top_mass_factor, run.h, run.end, rounds);
    printf("%-24s %10s %8s %12s %12s %12s %12s\n", "engine", "steps/s", "ratio", "penetration",
           "top drift", "tilt", "KE last half");
    run.repeat = 1;
    for (int round = 0; round < rounds; ++round)
        for (int k = 0; k < ENGINES; ++k)
            if (k == 0 || peer == NULL || strncmp(engines[k].name, peer, strlen(peer)) == 0)
                (void)run_engine(&engines[k], &run);
    const double percuss = engines[0].result.steps_per_second;
    for (int k = 0; k < ENGINES; ++k) {
        const stack_result *r = &engines[k].result;
        if (r->steps_per_second > 0)
            printf("%-24s %10.0f %8.2f %12.1e %12.1e %12.1e %12.1e%s\n", engines[k].name,
                   r->steps_per_second, percuss / r->steps_per_second, r->penetration, r->drift,
                   r->tilt, r->kinetic, r->tilt > collapse_tilt ? "  collapsed" : "");
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bench_run run = {.n = BOXES, .h = 1e-3, .end = 5};
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    bench_use_one_core();
    run.top_mass_factor = 1;
    table(run, rounds, argc > 2 ? argv[2] : NULL);
    run.top_mass_factor = 1000;
    table(run, rounds, argc > 2 ? argv[2] : NULL);
    printf("ratio: steps a second of Percuss against the engine of the line\n");
    return 0;
}

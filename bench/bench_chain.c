// N-link chain (N = 4, 10, 32; h = 1e-3; 2 s), for Percuss and the engines that are installed, in one
// run on one core: steps a second, energy error against the swing, joint gap, tip at 1 s.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"
#include "percuss/simulation.h"
#include "support/measure.h"
#include "support/mechanisms.h"

static const double end = 2, step = 1e-3;

static void check(pcs_context *ctx, pcs_status status)
{
    if (status != PCS_OK) {
        fprintf(stderr, "bench_chain: %s: %s\n", pcs_status_name(status), pcs_context_error(ctx));
        exit(EXIT_FAILURE);
    }
}

static pcs_simulation *create(pcs_context *ctx, const pcs_model *model, const bench_run *run)
{
    pcs_simulation_def def = pcs_simulation_default();
    pcs_simulation *simulation;
    def.step = run->h;
    def.end = run->end;
    check(ctx, pcs_simulation_create(ctx, model, &def, &simulation));
    check(ctx, pcs_simulation_start(simulation));
    return simulation;
}

static double steps_per_second(pcs_context *ctx, const pcs_model *model, const bench_run *run)
{
    double best = 0;
    for (int i = 0; i < run->repeat; ++i) {
        pcs_simulation *simulation = create(ctx, model, run);
        long steps = 0;
        double start = bench_cpu_time();
        for (; !pcs_simulation_finished(simulation); ++steps)
            check(ctx, pcs_simulation_step(simulation));
        best = fmax(best, (double)steps / (bench_cpu_time() - start));
        pcs_simulation_destroy(simulation);
    }
    return best;
}

static pcs_vec3 link_end(const pcs_body_view *link, double side)
{
    const pcs_quat p = link->rotation; // the link's x axis in the world
    const double s = 0.5 * side * CHAIN_LINK_LENGTH;
    return (pcs_vec3){link->position.x + s * (1 - 2 * (p.y * p.y + p.z * p.z)),
                      link->position.y + s * 2 * (p.x * p.y + p.w * p.z),
                      link->position.z + s * 2 * (p.x * p.z - p.w * p.y)};
}

static double joint_gap(const pcs_simulation *simulation, int n, pcs_vec3 *tip)
{
    double gap = 0;
    *tip = (pcs_vec3){0, 0, 0};
    for (int i = 0; i < n; ++i) {
        pcs_body_view link;
        pcs_simulation_body(simulation, i, &link);
        pcs_vec3 near = link_end(&link, -1);
        gap = fmax(gap, sqrt((near.x - tip->x) * (near.x - tip->x) +
                             (near.y - tip->y) * (near.y - tip->y) +
                             (near.z - tip->z) * (near.z - tip->z)));
        *tip = link_end(&link, 1);
    }
    return gap;
}

static void percuss_chain(int32_t dimension, const bench_run *run, chain_result *out)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_model *model;
    check(ctx, mechanism_chain(ctx, run->n, dimension, &model));
    *out = (chain_result){.steps_per_second = steps_per_second(ctx, model, run)};
    pcs_simulation *simulation = create(ctx, model, run);
    const pcs_energy_account *energy = &pcs_simulation_statistics(simulation)->energy;
    const double start = energy->kinetic + energy->potential;
    while (!pcs_simulation_finished(simulation)) {
        check(ctx, pcs_simulation_step(simulation));
        pcs_vec3 tip;
        out->energy_error =
            fmax(out->energy_error, fabs(energy->kinetic + energy->potential - start));
        out->joint_gap = fmax(out->joint_gap, joint_gap(simulation, run->n, &tip));
        if (fabs(pcs_simulation_time(simulation) - 1) < 0.5 * run->h) {
            out->tip[0] = tip.x;
            out->tip[1] = dimension == 2 ? tip.y : tip.z;
        }
    }
    pcs_simulation_destroy(simulation);
    pcs_model_destroy(model);
    pcs_context_destroy(ctx);
}

// Potential energy of the horizontal chain above the hanging one.
static double swing(int n)
{
    return n * CHAIN_LINK_MASS * 9.81 * 0.5 * n * CHAIN_LINK_LENGTH;
}

static void print(const char *engine, const bench_run *run, const chain_result *r,
                  const chain_result *percuss)
{
    printf("%-22s %4d %10.0f %8.2f %12.2e %12.1e  (%.6f, %.6f)\n", engine, run->n,
           r->steps_per_second, percuss->steps_per_second / r->steps_per_second,
           r->energy_error / swing(run->n), r->joint_gap, r->tip[0], r->tip[1]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const int sizes[] = {4, 10, 32};
    // RK4 with step 1e-4 in joint coordinates
    const double reference[3][2] = {{-0.865935524626, -0.091728314778},
                                    {-1.899795944639, -1.488432926297},
                                    {5.196592810543, -4.905141237831}};
    const int repeat = argc > 1 ? atoi(argv[1]) : 3;
    bench_use_one_core();
    printf("N-link chain, h = %g s, %g s, best of %d\n", step, end, repeat);
    printf("%-22s %4s %10s %8s %12s %12s  %s\n", "engine", "N", "steps/s", "ratio", "dE/swing",
           "joint gap", "tip at 1 s (x, z)");
    for (int k = 0; k < 3; ++k) {
        bench_run run = {.n = sizes[k], .h = step, .end = end, .repeat = repeat};
        chain_result spatial, r;
        percuss_chain(3, &run, &spatial);
        print("Percuss", &run, &spatial, &spatial);
        percuss_chain(2, &run, &r);
        print("Percuss, planar", &run, &r, &spatial);
#ifdef PERCUSS_PEER_MUJOCO
        static const char *const methods[] = {"Euler", "RK4", "implicit"};
        for (int i = 0; i < 3; ++i) {
            char name[32];
            snprintf(name, sizeof name, "MuJoCo %s", methods[i]);
            if (peer_mujoco_chain(methods[i], &run, &r))
                print(name, &run, &r, &spatial);
        }
#endif
#ifdef PERCUSS_PEER_ODE
        if (peer_ode_chain(0, &run, &r))
            print("ODE WorldStep", &run, &r, &spatial);
        if (peer_ode_chain(20, &run, &r))
            print("ODE QuickStep 20", &run, &r, &spatial);
#endif
        printf("%-22s %4d %10s %8s %12s %12s  (%.6f, %.6f)\n", "reference", run.n, "", "", "", "",
               reference[k][0], reference[k][1]);
    }
    printf("ratio: steps a second of Percuss in space against the engine of the line\n");
    return 0;
}

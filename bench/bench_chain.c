// N-link chain (N = 4, 10, 32; h = 1e-3; 2 s), for Percuss and the engines that are installed, in
// one run on one core: steps a second, energy error against the swing, joint gap, tip at 1 s.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"
#include "support/measure.h"
#include "support/mechanisms.h"

static const double end = 2, step = 1e-3;

static double steps_per_second(scene *s, const bench_run *run)
{
    double best = 0;
    for (int i = 0; i < run->repeat; ++i) {
        scene_restart(s, run->h, run->end);
        scene_require(s, pcs_simulation_start(s->simulation));
        double start = bench_cpu_time();
        scene_run(s);
        double steps = (double)pcs_simulation_statistics(s->simulation)->steps;
        best = fmax(best, steps / (bench_cpu_time() - start));
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

static double joint_gap(const scene *s, int n, pcs_vec3 *tip)
{
    double gap = 0;
    *tip = (pcs_vec3){0, 0, 0};
    for (int i = 0; i < n; ++i) {
        pcs_body_view link = scene_view(s, i);
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
    scene s;
    mechanism_chain(&s, run->n, dimension);
    scene_finish(&s, run->h, run->end);
    *out = (chain_result){.steps_per_second = steps_per_second(&s, run)};
    scene_restart(&s, run->h, run->end);
    scene_require(&s, pcs_simulation_start(s.simulation));
    const double start = scene_total_energy(&s);
    while (!pcs_simulation_finished(s.simulation)) {
        pcs_vec3 tip;
        scene_step(&s);
        out->energy_error = fmax(out->energy_error, fabs(scene_total_energy(&s) - start));
        out->joint_gap = fmax(out->joint_gap, joint_gap(&s, run->n, &tip));
        if (fabs(pcs_simulation_time(s.simulation) - 1) < 0.5 * run->h) {
            out->tip[0] = tip.x;
            out->tip[1] = dimension == 2 ? tip.y : tip.z;
        }
    }
    scene_end(&s);
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

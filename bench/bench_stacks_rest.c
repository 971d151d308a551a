// Larger scenes that must come to rest under Moreau-Jean at h = 1 ms: a pile of spheres in a box, with
// every pair declared, a wall of 50 bricks dropped course by course, both with and without
// restitution; and an arch of 27 voussoirs 0.2 % above its limit, which stands, and 0.2 % below, whose
// fall is compared with steps a tenth as long. Kinetic energies are parts of the largest; those of
// balls with fewer than three loaded contacts, which roll or spin for ever, are left out (`loose`).
//
//     bench_stacks_rest [wall] [arch] [pile [SPHERES]]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_large.h"

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

int main(int argc, char **argv)
{
    bool wall = argc == 1, arch = argc == 1, pile = argc == 1;
    int spheres = 200;
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

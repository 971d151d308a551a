// Contact problems of one time step of scenes that engineers meet: masonry, towers, packings, feet,
// soft blocks, a gripper. Bodies are at rest, thrown or on a slope; one step of Moreau-Jean gives
//
//     M v = H r + f,  f = M v_0 + h F,     u = H^T v      (soft blocks: M + h^2 K in place of M)
//
// which has a solution for every friction, since v = 0 is admissible.
#ifndef PCS_BENCH_CONTACT_SCENES_H
#define PCS_BENCH_CONTACT_SCENES_H

#include "percuss/problem.h"

typedef struct bench_scene_def {
    int32_t family;  // 0 .. bench_scene_families() - 1
    int32_t size;    // 0, 1, 2: tens, hundreds, up to a thousand contacts
    double friction; // of all contacts
    int32_t motion;  // 0 at rest under gravity, 1 thrown together, 2 on a slope
    double mass;     // unit of mass, 1: kilograms
    uint64_t seed;   // of positions and velocities
} bench_scene_def;

int32_t bench_scene_families(void);
const char *bench_scene_family(int32_t family);
// The problem in global form; NULL without memory, with the reason in the context.
pcs_problem *bench_scene_create(pcs_context *ctx, const bench_scene_def *def);

#endif

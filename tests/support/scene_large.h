// Larger scenes that come to rest, or do not: a pile of spheres dropped into a box, a wall of bricks
// in a bond, a masonry arch near its limit; and what a run of one shows.
#ifndef PCS_TESTS_SUPPORT_SCENE_LARGE_H
#define PCS_TESTS_SUPPORT_SCENE_LARGE_H

#include "support/scenes.h"

// n spheres (dimension 3) or discs (2) of 4 to 6 cm in layers, with random offsets, above the floor
// of a box that is as wide as they are high, or at `place`; every pair has a contact.
void scene_round_pile(scene *s, int32_t dimension, int32_t n, uint64_t seed, pcs_law law,
                      const pcs_vec3 *place);
// Bricks of 20 x 10 x 6.5 cm in courses of n, n - 1, ... laid in a bond, `gap` above each other, so
// that none hangs over. Bed joints have the corners of both bricks that lie on the other. n = 14 and
// 4 courses are 50 bricks.
void scene_brick_wall(scene *s, int32_t n, int32_t courses, double gap, pcs_law law);

// Semicircular arch in the plane of n voussoirs with radial joints, mean radius 1, thickness t, on
// fixed springers. A joint touches at its two ends.
void scene_arch(scene *s, int32_t n, double t, double friction);
// Smallest thickness that carries its own weight without sliding: a line of thrust lies within
// every joint [Heyman1966]. For n voussoirs, exact.
double scene_arch_limit(int32_t n);

typedef struct scene_rest {
    double time;    // since which the kinetic energy is below 1e-12 of the largest; HUGE_VAL: never
    double kinetic; // at the end, part of the largest
    // Balls with fewer than three loaded contacts, discs with fewer than two, whose energy does not
    // count: they roll, or spin about their contacts, for ever, for no law resists that
    int32_t loose;
    double gain;   // largest energy over the start, part of the largest energy change
    double ripple; // of the sum of normal forces over the last 16 steps, relative
    double penetration, seconds;
    int64_t steps, impacts, unconverged;
} scene_rest;

// Runs from the start to the end, or until nothing has moved for `quiet` seconds.
scene_rest scene_run_to_rest(scene *s, double quiet);

#endif

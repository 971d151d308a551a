// Stacks of two to ten bodies that fall on each other from small gaps, from a seed: balls, boxes, and
// what falls on a lever with a loose pin. All of them come to rest.
#ifndef PCS_TESTS_SUPPORT_SCENE_STACKS_H
#define PCS_TESTS_SUPPORT_SCENE_STACKS_H

#include "support/scene_generator.h"

// In the plane and in space, e from 0 to 0.9, steps from 2e-3 to 1e-4 s, with and without friction; a
// third of them has joints or a loose pin. Every third one has round numbers and equal bodies.
void scene_stack_generate(uint64_t seed, scene_model *model);

#endif

// Ordinary scenes from a seed: stacks, piles, pendulums at stops, linkages with clearance, gears,
// ratchets, chains, belts, thrown bodies, springs, a beam. A scene is the text of a model file, so
// that anybody can run it with the program, and a few facts that the judge (scene_judge.h) needs.
// The same seed gives the same text on every machine.
#ifndef PCS_TESTS_SUPPORT_SCENE_GENERATOR_H
#define PCS_TESTS_SUPPORT_SCENE_GENERATOR_H

#include <stdint.h>

enum { SCENE_TEXT_SIZE = 65536, SCENE_BODIES_MAX = 24, SCENE_SAMPLES = 16 };

// What is known of a scene, whatever the scheme.
typedef enum scene_trait {
    SCENE_RESTS = 1,        // it loses energy at every impact and cannot slide or roll for ever
    SCENE_MOMENTUM_X = 2,   // momentum along x (y) is kept
    SCENE_MOMENTUM_Y = 4,   //
    SCENE_FLEXIBLE = 8,     // has a mesh
    SCENE_FRICTION = 16,    //
    SCENE_ACCUMULATES = 32, // restitution between 0 and 1: impacts may accumulate
    SCENE_ROUND = 64,       // round numbers, equal bodies, right angles, ties
    SCENE_DRIVEN = 128      // a force changes with time, whatever moves
} scene_trait;

typedef struct scene_facts {
    uint64_t seed;
    const char *kind;
    unsigned traits;
    int dimension;
    double end, step; // s; the step is that of the schemes with fixed steps
    double length;    // m, size of the motion
    double gravity;   // m/s^2; 0: none, or turned
    double swing;     // J/m^2, energy over amplitude^2 of a part whose swing nothing damps; 0: none
    double rate;      // 1/s, of the fastest smooth part of the motion: h * rate is what a step sees
    int n_bodies;     // with known masses
    double mass[SCENE_BODIES_MAX];
} scene_facts;

typedef struct scene_model {
    scene_facts facts;
    char text[SCENE_TEXT_SIZE];
} scene_model;

int scene_kind_count(void);
const char *scene_kind_name(int kind);
// Seeds run through the kinds; every third scene of a kind has round numbers.
void scene_generate(uint64_t seed, scene_model *model);

#endif

// The kinds of scenes: each writes bodies, joints and contacts with the numbers that it draws.
#ifndef PCS_TESTS_SUPPORT_SCENE_KINDS_H
#define PCS_TESTS_SUPPORT_SCENE_KINDS_H

#include "support/scene_text.h"

typedef void (*scene_kind_fn)(scene_text *s);

// The scene that `write` makes with the numbers of a seed.
void scene_write(uint64_t seed, bool round, const char *kind, scene_kind_fn write,
                 scene_model *model);

// Bodies that fall, lie and fly (scene_kinds_bodies.c)
void scene_boxes(scene_text *s);  // a stack of boxes dropped on each other
void scene_column(scene_text *s); // discs or spheres above each other, some with a hinge
void scene_pile(scene_text *s);   // discs or spheres in a container, all pairs declared
void scene_thrown(scene_text *s); // a box, a disc or a sphere thrown on the floor
void scene_roller(scene_text *s); // a ball or a disc with spin on a slope
void scene_row(scene_text *s);    // balls in a row without gravity, small and fast ones too
void scene_pushed(scene_text *s); // a block under forces that jump in time
void scene_belt(scene_text *s);   // a block on a belt, with a spring

// Mechanisms (scene_kinds_mechanisms.c)
void scene_pendulum(scene_text *s);    // one or two rods, stops as limits or as walls
void scene_linkage(scene_text *s);     // slider-crank with clearance in its guide
void scene_loose_pin(scene_text *s);   // four-bar or pendulum with clearance in a hinge
void scene_gears(scene_text *s);       // gear train over many turns, with a spring or a stop
void scene_rack(scene_text *s);        // rack and pinion with a stop
void scene_ratchet(scene_text *s);     // wheel with teeth, pawl, torque
void scene_chain(scene_text *s);       // links that swing against a wall
void scene_spring_stop(scene_text *s); // a mass on a spring between stops
void scene_beam(scene_text *s);        // one flexible beam, with a stop or free
void scene_wire(scene_text *s);        // a bead on a wire with a corner, an arc or a parabola

#endif

// A model file that is being written: sections, numbers drawn for it, and what is known of the
// motion. The kinds of scenes (scene_kinds_*.c) write into it, scene_generator.c puts it together.
#ifndef PCS_TESTS_SUPPORT_SCENE_TEXT_H
#define PCS_TESTS_SUPPORT_SCENE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "support/scene_generator.h"

typedef enum scene_section {
    SECTION_HEAD, // dimension, gravity
    SECTION_MATERIALS,
    SECTION_MESHES,
    SECTION_BODIES,
    SECTION_JOINTS,
    SECTION_SPRINGS,
    SECTION_FORCES,
    SECTION_CONTACTS,
    SECTION_COUNT
} scene_section;

enum { SCENE_SECTION_SIZE = 12000 };

typedef struct scene_text {
    scene_facts *facts;
    pcs_random random;
    char section[SECTION_COUNT][SCENE_SECTION_SIZE];
    int length[SECTION_COUNT];
} scene_text;

// Adds a line to a section; its text is that of printf.
void scene_line(scene_text *s, scene_section section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The beginning: dimension and gravity along -y, in space along -z (0: none).
void scene_head(scene_text *s, int dimension, double gravity);

// A number between the two. In a scene with round numbers one of 1, 2, 2.5, 4, 5 times a power of
// ten, or of small whole multiples of a quarter; else any, with four digits, spread evenly, or in
// its logarithm where the range is wider than a factor of ten.
double scene_number(scene_text *s, double low, double high);
int scene_integer(scene_text *s, int low, int high); // both may come
bool scene_chance(scene_text *s, double share);
// Restitution: 0, a number, or 1 if `elastic`.
double scene_restitution(scene_text *s, double largest);
// Friction: 0 or a number.
double scene_friction(scene_text *s);
// Remembers the mass of the next body, for sums of momentum. Returns the mass.
double scene_mass(scene_text *s, double mass);
// End and step of the run; steps are a whole part of the time between two samples.
void scene_times(scene_text *s, double end, double step);

#endif

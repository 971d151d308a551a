#include "support/scene_stacks.h"

#include <math.h>
#include <stdio.h>

#include "support/scene_kinds.h"

enum { BODIES_MAX = 10 };
static const double G = 9.81; // m/s^2

// What all stacks have.
typedef struct stack {
    int n;
    double e, mu, h;
    double gap[BODIES_MAX]; // m, below each body
    double fall;            // m, of the highest body
    const char *zero;       // between x and the height in a position
} stack;

static stack begin(scene_text *s, bool space, bool needs_friction)
{
    static const double steps[] = {2e-3, 1e-3, 5e-4, 2e-4, 1e-4};
    stack k = {.n = scene_integer(s, 2, BODIES_MAX), .zero = space ? "0, " : ""};
    k.h = steps[scene_integer(s, 0, 4)];
    k.e = scene_chance(s, 0.15) ? 0 : scene_number(s, 0.05, 0.9);
    k.mu = !needs_friction && scene_chance(s, 0.4) ? 0 : scene_number(s, 0.3, 1);
    for (int i = 0; i < k.n; ++i) {
        k.gap[i] = i > 0 && scene_chance(s, 0.25) ? 0 : scene_number(s, 1e-3, 5e-2);
        if (s->facts->traits & SCENE_ROUND && i > 0)
            k.gap[i] = k.gap[0];
        k.fall += k.gap[i];
    }
    scene_head(s, space ? 3 : 2, G);
    return k;
}

// A ball that falls from z rests at t (1 + e)/(1 - e), t its time of fall. Others on it may double that.
static void finish(scene_text *s, const stack *k)
{
    s->facts->traits |= SCENE_RESTS;
    s->facts->rate = sqrt(G / 0.1);
    scene_times(s, 2 * sqrt(2 * k->fall / G) * (1 + k->e) / (1 - k->e) + 0.5, k->h);
}

static void write_rails(scene_text *s, const stack *k, int first)
{
    for (int i = first; i < k->n; ++i)
        scene_line(s, SECTION_JOINTS,
                   "  j%d: {type: prismatic, bodies: [ground, b%d], axis: [0, %s1]}", i, i,
                   k->zero);
}

// Balls on each other. Free ones stand as long as nothing pushes them sideways, and nothing does.
static void write_balls(scene_text *s, bool space, bool rails)
{
    const stack k = begin(s, space, false);
    const char *round = space ? "sphere" : "circle";
    double y = 0, below = 0;
    const double first = scene_number(s, 0.05, 0.15);
    for (int i = 0; i < k.n; ++i) {
        const double r = s->facts->traits & SCENE_ROUND ? first : scene_number(s, 0.05, 0.15);
        y += k.gap[i] + r;
        scene_line(s, SECTION_BODIES,
                   "  b%d: {shape: {sphere: %.15g}, mass: %.15g, position: [0, %s%.15g]}", i, r,
                   scene_mass(s, 4000 * r * r * r), k.zero, y);
        y += r;
        if (i == 0)
            scene_line(s, SECTION_CONTACTS,
                       "  c0: {type: %s-plane, bodies: [ground, b0], normal: [0, %s1], radius: "
                       "%.15g, restitution: %.15g, friction: %.15g}",
                       round, k.zero, r, k.e, k.mu);
        else
            scene_line(s, SECTION_CONTACTS,
                       "  c%d: {type: %s-%s, bodies: [b%d, b%d], radii: [%.15g, %.15g], "
                       "restitution: %.15g, friction: %.15g}",
                       i, round, round, i - 1, i, below, r, k.e, k.mu);
        below = r;
    }
    if (rails)
        write_rails(s, &k, 0);
    finish(s, &k);
}

// Boxes on each other, tilted and shifted a little where friction can stop them.
static void write_boxes(scene_text *s, bool space, bool rails)
{
    stack k = begin(s, space, false);
    const bool aside = k.mu > 0 && !rails && !(s->facts->traits & SCENE_ROUND);
    double y = 0;
    for (int i = 0; i < k.n; ++i) {
        const double angle = aside && scene_chance(s, 0.5) ? scene_number(s, -0.02, 0.02) : 0;
        const double shift = aside ? scene_number(s, -0.02, 0.02) : 0;
        const double lift = 0.25 * fabs(angle); // of a corner
        char below[16] = "ground", turned[80];
        if (i > 0)
            snprintf(below, sizeof below, "b%d", i - 1);
        snprintf(turned, sizeof turned,
                 space ? "rotation: {axis: [0.3, 1, 0], angle: %.15g}" : "angle: %.15g", angle);
        y += k.gap[i] + lift + 0.1;
        k.fall += 2 * lift;
        scene_line(s, SECTION_BODIES,
                   "  b%d: {shape: {box: %s}, mass: %.15g, position: [%.15g, %s%.15g], %s}", i,
                   space ? "[0.4, 0.3, 0.2]" : "[0.4, 0.2, 0.3]", scene_mass(s, 24), shift, k.zero,
                   y, turned);
        y += 0.1 + lift;
        scene_line(s, SECTION_CONTACTS,
                   "  c%d: {type: box-plane, bodies: [%s, b%d], a: {at: [0, %s%.15g], normal: [0, "
                   "%s1]}, size: %s, restitution: %.15g, friction: %.15g}",
                   i, below, i, k.zero, i > 0 ? 0.1 : 0, k.zero,
                   space ? "[0.4, 0.3, 0.2]" : "[0.4, 0.2]", k.e, k.mu);
    }
    if (rails)
        write_rails(s, &k, 0);
    finish(s, &k);
}

// A rod on a pin with clearance, whose other end falls on a stop, and discs on rails that fall on it.
static void write_lever(scene_text *s)
{
    stack k = begin(s, false, true);
    const double length = scene_number(s, 0.5, 1), clearance = scene_number(s, 1e-4, 5e-3),
                 drop = scene_number(s, 0.02, 0.1), x = 0.6 * length;
    scene_line(s, SECTION_BODIES,
               "  b0: {shape: {rod: {length: %.15g}, at: [%.15g, 0]}, mass: %.15g, angle: %.15g}",
               length, 0.5 * length, scene_mass(s, 2), drop / length);
    scene_line(s, SECTION_CONTACTS,
               "  stop: {type: point-plane, bodies: [ground, b0], normal: [0, 1], b: [%.15g, 0], "
               "restitution: %.15g, friction: %.15g}",
               length, k.e, k.mu);
    scene_line(s, SECTION_CONTACTS,
               "  pin: {type: pin-in-hole, bodies: [ground, b0], a: [0, 0], b: [0, 0], radii: "
               "[%.15g, 0.01], restitution: %.15g, friction: %.15g}",
               0.01 + clearance, k.e, k.mu);
    double y = 0.6 * drop, below = 0;
    for (int i = 1; i < k.n; ++i) {
        const double r = scene_number(s, 0.02, 0.05);
        y += k.gap[i] + r + 1e-2 * drop; // the rod is inclined
        scene_line(s, SECTION_BODIES,
                   "  b%d: {shape: {sphere: %.15g}, mass: %.15g, position: [%.15g, %.15g]}", i, r,
                   scene_mass(s, 4000 * r * r * r), x, y);
        y += r;
        if (i == 1)
            scene_line(s, SECTION_CONTACTS,
                       "  c1: {type: circle-plane, bodies: [b0, b1], normal: [0, 1], radius: "
                       "%.15g, restitution: %.15g, friction: %.15g}",
                       r, k.e, k.mu);
        else
            scene_line(s, SECTION_CONTACTS,
                       "  c%d: {type: circle-circle, bodies: [b%d, b%d], radii: [%.15g, %.15g], "
                       "restitution: %.15g, friction: %.15g}",
                       i, i - 1, i, below, r, k.e, k.mu);
        below = r;
    }
    write_rails(s, &k, 1);
    k.fall += 2 * drop;
    finish(s, &k);
}

static void write_stack(scene_text *s)
{
    const bool space = scene_chance(s, 0.5), joints = scene_chance(s, 1.0 / 3);
    const int kind = scene_integer(s, 0, joints ? 2 : 1);
    s->facts->kind = kind == 0 ? "balls" : kind == 1 ? "boxes" : "lever";
    if (kind == 0)
        write_balls(s, space, joints);
    else if (kind == 1)
        write_boxes(s, space, joints);
    else
        write_lever(s);
}

void scene_stack_generate(uint64_t seed, scene_model *model)
{
    scene_write(seed, seed % 3 == 0, "stack", write_stack, model);
}

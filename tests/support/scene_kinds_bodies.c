// Scenes of single bodies: what falls, lies, flies, rolls or is pushed.
#include <math.h>
#include <stdio.h>

#include "support/scene_kinds.h"

static double gravity(scene_text *s)
{
    return s->facts->traits & SCENE_ROUND ? scene_number(s, 2, 10) : 9.81;
}

// A body that falls from the height z rests after its last impact, at t (1 + e)/(1 - e) with t its
// time of fall; bodies on top of each other take longer, with what they give to each other.
static double time_to_rest(double g, double z, double e, int n)
{
    return sqrt(2 * z / g) * (1 + e) / (1 - e) * (1 + 0.5 * n) + 0.3;
}

static double pick_step(scene_text *s)
{
    static const double step[] = {2e-3, 1e-3, 5e-4};
    return step[scene_integer(s, 0, 2)];
}

// A run that ends at rest, unless that takes too long.
static void run_to_rest(scene_text *s, double time)
{
    const double longest = 6; // s
    if (time < longest)
        s->facts->traits |= SCENE_RESTS;
    scene_times(s, fmin(time, longest), pick_step(s));
}

// In a third of the stacks in the plane the top body is guided, or carries a bob on a loose pin. A
// column of discs is not guided: it stands only as long as not even rounding pushes it sideways.
static void add_to_stack(scene_text *s, int n, double y, double e, bool may_guide)
{
    if (s->facts->dimension == 3 || scene_chance(s, 0.67))
        return;
    if (may_guide && scene_chance(s, 0.5)) {
        scene_line(
            s, SECTION_JOINTS,
            "  guide: {type: prismatic, bodies: [ground, b%d], at: [0, %.15g], axis: [0, 1]}",
            n - 1, y);
        return;
    }
    const double mass = 0.25;
    scene_line(s, SECTION_BODIES, "  bob: {point: true, mass: %.15g, position: [0, %.15g]}", mass,
               y);
    const double radius = scene_number(s, 1e-3, 5e-3);
    scene_line(
        s, SECTION_CONTACTS,
        "  pin: {type: pin-in-hole, bodies: [b%d, bob], a: [0, 0], b: [0, 0], radii: [%.15g, "
        "0], restitution: %.15g}",
        n - 1, radius, e);
    s->facts->swing = 0.5 * mass * s->facts->gravity / radius; // a pendulum without friction
}

// Distance to what is below: that of the body before, or another one; in a stack that is struck all
// bodies but the last rest on each other.
static double next_gap(scene_text *s, bool struck, bool last, double before)
{
    if (struck)
        return last ? scene_number(s, 0.01, 0.2) : 0;
    if (s->facts->traits & SCENE_ROUND)
        return before;
    return scene_chance(s, 0.2) ? 0 : scene_number(s, 1e-3, 0.1);
}

void scene_boxes(scene_text *s)
{
    const bool space = scene_chance(s, 0.3), equal = s->facts->traits & SCENE_ROUND;
    const int n = scene_integer(s, 2, space ? 3 : 6);
    const double g = gravity(s), e = scene_restitution(s, 0.6), mu = scene_friction(s);
    const bool struck = scene_chance(s, 0.25);
    double a = scene_number(s, 0.05, 0.4), b = scene_number(s, 0.05, 0.4), top = 0, fall = 0;
    double gap = struck ? 0 : scene_number(s, 1e-3, 0.1), y = 0;
    scene_head(s, space ? 3 : 2, g);
    for (int i = 0; i < n; ++i) {
        const double under = b;
        if (i > 0 && !equal) {
            a = scene_number(s, 0.05, 0.4);
            b = scene_number(s, 0.05, 0.4);
        }
        if (i > 0)
            gap = next_gap(s, struck, i == n - 1, gap);
        y = top + gap + b / 2;
        fall += gap;
        char below[16] = "ground";
        if (i > 0)
            snprintf(below, sizeof below, "b%d", i - 1);
        top += gap + b;
        if (space) {
            scene_line(s, SECTION_BODIES,
                       "  b%d: {shape: {box: [%.15g, %.15g, %.15g], density: 500},"
                       " position: [0, 0, %.15g]}",
                       i, a, a, b, y);
            scene_line(s, SECTION_CONTACTS,
                       "  c%d: {type: box-plane, bodies: [%s, b%d], a: [0, 0, "
                       "%.15g], size: [%.15g, %.15g, %.15g], friction: %.15g, restitution: %.15g}",
                       i, below, i, i ? under / 2 : 0, a, a, b, mu, e);
        } else {
            scene_line(s, SECTION_BODIES,
                       "  b%d: {shape: {box: [%.15g, %.15g, 0.1], density: 500}, "
                       "position: [0, %.15g]}",
                       i, a, b, y);
            scene_line(s, SECTION_CONTACTS,
                       "  c%d: {type: box-plane, bodies: [%s, b%d], a: [0, "
                       "%.15g], size: [%.15g, %.15g], friction: %.15g, restitution: %.15g}",
                       i, below, i, i ? under / 2 : 0, a, b, mu, e);
        }
    }
    add_to_stack(s, n, y, e, true);
    s->facts->length = top;
    run_to_rest(s, time_to_rest(g, fmax(fall, 5e-3), e, n));
}

void scene_column(scene_text *s)
{
    const bool space = scene_chance(s, 0.3), equal = s->facts->traits & SCENE_ROUND;
    const char *pair = space ? "sphere-sphere" : "circle-circle";
    const int n = scene_integer(s, 2, 8);
    const double g = gravity(s), e = scene_restitution(s, 0.6);
    const bool struck = scene_chance(s, 0.25);
    double r = scene_number(s, 0.01, 0.2), gap = struck ? 0 : scene_number(s, 1e-3, 0.1);
    double top = 0, y = 0, fall = 0;
    scene_head(s, space ? 3 : 2, g);
    for (int i = 0; i < n; ++i) {
        const double under = r, m = scene_mass(s, equal ? 1 : scene_number(s, 0.5, 3));
        if (i > 0 && !equal)
            r = scene_number(s, 0.05, 0.2);
        if (i > 0)
            gap = next_gap(s, struck, i == n - 1, gap);
        y = top + gap + r;
        fall += gap;
        top += gap + 2 * r;
        scene_line(s, SECTION_BODIES,
                   "  b%d: {shape: {sphere: %.15g}, mass: %.15g, position: [0, %s%.15g]}", i, r, m,
                   space ? "0, " : "", y);
        if (i == 0)
            scene_line(s, SECTION_CONTACTS,
                       "  c0: {type: sphere-plane, bodies: [ground, b0], normal: "
                       "[0, %s1], radius: %.15g, restitution: %.15g}",
                       space ? "0, " : "", r, e);
        else
            scene_line(s, SECTION_CONTACTS,
                       "  c%d: {type: %s, bodies: [b%d, b%d], radii: [%.15g, "
                       "%.15g], restitution: %.15g}",
                       i, pair, i - 1, i, under, r, e);
    }
    add_to_stack(s, n, y, e, false);
    s->facts->length = top;
    run_to_rest(s, time_to_rest(g, fmax(fall, 5e-3), e, n));
}

void scene_pile(scene_text *s)
{
    const bool space = scene_chance(s, 0.3), equal = s->facts->traits & SCENE_ROUND;
    const int n = scene_integer(s, 3, space ? 5 : 7), wide = 2;
    const double g = gravity(s), e = scene_restitution(s, 0.5), mu = scene_friction(s);
    const double largest = scene_number(s, 0.02, 0.2), pitch = 2.2 * largest;
    double r[8];
    scene_head(s, space ? 3 : 2, g);
    for (int i = 0; i < n; ++i) { // two in a row, every second row shifted
        r[i] = equal ? largest : scene_number(s, 0.5 * largest, largest);
        const double shift = equal ? 0.1 : scene_number(s, 0.05, 0.3);
        const double x = pitch * (i % wide) + shift * largest * (i / wide % 2);
        const double z = pitch * (i / wide) + 1.2 * largest;
        scene_mass(s, equal ? 1 : scene_number(s, 0.5, 3));
        scene_line(s, SECTION_BODIES,
                   "  b%d: {shape: {sphere: %.15g}, mass: %.15g, position: [%.15g, "
                   "%s%.15g]}",
                   i, r[i], s->facts->mass[i], x,
                   !space  ? ""
                   : i % 3 ? "0.001, "
                           : "0, ",
                   z);
    }
    const struct {
        const char *at, *at3, *normal, *normal3;
        double offset;
    } wall[] = {
        {"0, 0", "0, 0, 0", "0, 1", "0, 0, 1", 0},
        {"%.15g, 0", "%.15g, 0, 0", "1, 0", "1, 0, 0", -1.1 * largest},
        {"%.15g, 0", "%.15g, 0, 0", "-1, 0", "-1, 0, 0", pitch * (wide - 1) + 1.5 * largest},
        {"", "0, %.15g, 0", "", "0, 1, 0", -1.3 * largest},
        {"", "0, %.15g, 0", "", "0, -1, 0", 1.3 * largest}};
    for (int w = 0; w < (space ? 5 : 3); ++w)
        for (int i = 0; i < n; ++i) {
            char at[80];
            snprintf(at, sizeof at, space ? wall[w].at3 : wall[w].at, wall[w].offset);
            scene_line(s, SECTION_CONTACTS,
                       "  w%d_%d: {type: sphere-plane, bodies: [ground, b%d], at: "
                       "[%s], normal: [%s], radius: %.15g, friction: %.15g, restitution: %.15g}",
                       w, i, i, at, space ? wall[w].normal3 : wall[w].normal, r[i], mu, e);
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j)
            scene_line(s, SECTION_CONTACTS,
                       "  p%d_%d: {type: sphere-sphere, bodies: [b%d, b%d], radii: "
                       "[%.15g, %.15g], friction: %.15g, restitution: %.15g}",
                       j, i, j, i, r[j], r[i], mu, e);
    s->facts->length = pitch * n / wide;
    scene_times(s, fmin(time_to_rest(g, pitch * n / wide, e, n), 1.2), pick_step(s));
}

void scene_thrown(scene_text *s)
{
    const int what = scene_integer(s, 0, 2); // box, disc, sphere in space
    const double g = gravity(s), e = scene_restitution(s, 0.8), mu = scene_friction(s);
    const double h = scene_number(s, 0.2, 2), v = scene_number(s, 0.2, 5),
                 w = scene_number(s, 0.5, 20);
    const double r = scene_number(s, 0.05, 0.25), m = scene_mass(s, scene_number(s, 0.2, 5));
    const double angle = s->facts->traits & SCENE_ROUND ? 0 : scene_number(s, -1.5, 1.5);
    scene_head(s, what == 2 ? 3 : 2, g);
    if (what == 0) {
        scene_line(s, SECTION_BODIES,
                   "  b: {shape: {box: [%.15g, %.15g, 0.1]}, mass: %.15g, position: [0, "
                   "%.15g], angle: %.15g, velocity: [%.15g, 0], angular_velocity: %.15g}",
                   2 * r, r, m, h + r, angle, v, s->facts->traits & SCENE_ROUND ? 0 : w);
        scene_line(s, SECTION_CONTACTS,
                   "  floor: {type: box-plane, bodies: [ground, b], size: [%.15g, "
                   "%.15g], friction: %.15g, restitution: %.15g}",
                   2 * r, r, mu, e);
    } else {
        scene_line(
            s, SECTION_BODIES,
            what == 1
                ? "  b: {shape: {cylinder: {radius: %.15g, length: 0.1}}, mass: %.15g, position: "
                  "[0, %.15g], velocity: [%.15g, 0], angular_velocity: %.15g}"
                : "  b: {shape: {sphere: %.15g}, mass: %.15g, position: [0, 0, %.15g], velocity: "
                  "[%.15g, 0.5, 0], angular_velocity: [1, %.15g, 2]}",
            r, m, h + r, v, w);
        scene_line(s, SECTION_CONTACTS,
                   "  floor: {type: sphere-plane, bodies: [ground, b], normal: [%s], "
                   "radius: %.15g, friction: %.15g, restitution: %.15g}",
                   what == 1 ? "0, 1" : "0, 0, 1", r, mu, e);
    }
    if (mu == 0) // nothing acts along x
        s->facts->traits |= SCENE_MOMENTUM_X;
    s->facts->length = h + r;
    s->facts->rate = what == 0 ? w : 1;
    scene_times(s, fmin(time_to_rest(g, h, e, 1) + (mu > 0 && what == 0 ? 2 * v / (mu * g) : 0), 8),
                pick_step(s));
    // A box stops; what is round rolls on. Its impacts turn flight and spin into each other: until it
    // rests, it may fall from all the height that its energy is worth, and slide with its spin too.
    const double k2 = 5 * r * r / 12, spin = s->facts->traits & SCENE_ROUND ? 0 : w;
    const double height = h + 0.5 * (v * v + k2 * spin * spin) / g;
    if (what == 0 && mu > 0 &&
        time_to_rest(g, height, e, 1) + 2 * (v + sqrt(k2) * spin) / (mu * g) <= s->facts->end)
        s->facts->traits |= SCENE_RESTS;
}

void scene_roller(scene_text *s)
{
    const bool space = scene_chance(s, 0.5);
    const double g = gravity(s), mu = scene_friction(s), r = scene_number(s, 0.02, 0.3);
    const double slope = scene_number(s, 0.02, 0.6), v = scene_number(s, 0.1, 3),
                 w = scene_number(s, -20, 20);
    const double m = scene_mass(s, scene_number(s, 0.2, 5));
    scene_head(s, space ? 3 : 2, 0);
    // A slope is gravity that is turned.
    scene_line(s, SECTION_HEAD,
               space ? "gravity: [%.15g*sin(%.15g), 0, -%.15g*cos(%.15g)]"
                     : "gravity: [%.15g*sin(%.15g), -%.15g*cos(%.15g)]",
               g, slope, g, slope);
    scene_line(
        s, SECTION_BODIES,
        space ? "  b: {shape: {sphere: %.15g}, mass: %.15g, position: [0, 0, %.15g], velocity: "
                "[%.15g, "
                "0.25, 0], angular_velocity: [0, %.15g, 1]}"
              : "  b: {shape: {cylinder: {radius: %.15g, length: 0.1}}, mass: %.15g, position: [0, "
                "%.15g], velocity: [%.15g, 0], angular_velocity: %.15g}",
        r, m, r, v, w);
    scene_line(s, SECTION_CONTACTS,
               "  slope: {type: sphere-plane, bodies: [ground, b], normal: [%s], radius: "
               "%.15g, friction: %.15g}",
               space ? "0, 0, 1" : "0, 1", r, mu);
    s->facts->length = 1;
    scene_times(s, 1.6, pick_step(s));
}

void scene_row(scene_text *s)
{
    const bool equal = s->facts->traits & SCENE_ROUND, touching = scene_chance(s, 0.3);
    const int n = scene_integer(s, 2, 6);
    const double e = scene_chance(s, 0.4) ? 1 : scene_restitution(s, 0.95);
    const double r = scene_number(s, 1e-3, 0.1), fastest = scene_number(s, 0.1, 50);
    double x = 0, spread = 0;
    scene_head(s, 2, 0);
    for (int i = 0; i < n; ++i) {
        const double m = scene_mass(s, equal ? 1 : scene_number(s, 0.3, 3));
        // The first one flies into the others; these rest or move slowly, in both directions.
        const double v = i == 0  ? fastest
                         : equal ? (i == n - 1 ? -0.5 * fastest : 0)
                                 : scene_number(s, -0.2, 0.2) * fastest;
        scene_line(s, SECTION_BODIES,
                   "  b%d: {shape: {sphere: %.15g}, mass: %.15g, position: [%.15g, 0], "
                   "velocity: [%.15g, 0]}",
                   i, r, m, x, v);
        if (i > 0)
            scene_line(s, SECTION_CONTACTS,
                       "  c%d: {type: circle-circle, bodies: [b%d, b%d], radii: "
                       "[%.15g, %.15g], restitution: %.15g}",
                       i, i - 1, i, r, r, e);
        spread = x;
        x += 2 * r + (touching ? 0 : scene_number(s, 0.5 * r, 40 * r));
    }
    s->facts->traits |= SCENE_MOMENTUM_X | SCENE_MOMENTUM_Y;
    s->facts->length = spread + r;
    // A step moves the fastest ball by a tenth to twice its radius.
    const double step = r / fastest * scene_number(s, 0.1, 2),
                 whole = 2 * spread / fastest + 20 * step;
    scene_times(s, whole, step);
}

void scene_pushed(scene_text *s)
{
    const double g = gravity(s), mu = scene_friction(s), m = scene_mass(s, scene_number(s, 0.5, 4));
    const double f = scene_number(s, 0.5, 20), t1 = scene_number(s, 0.05, 0.6),
                 width = scene_number(s, 0.005, 0.3);
    static const char *const force[] = {"t < %.15g ? 0 : %.15g",
                                        "t > %.15g && t < %.15g + %.15g ? %.15g : 0",
                                        "%.15g*step(t - %.15g)", "if(t*t < %.15g, %.15g, -%.15g)"};
    const int which = scene_integer(s, 0, 3);
    char text[120];
    if (which == 0)
        snprintf(text, sizeof text, force[0], t1, f);
    else if (which == 1)
        snprintf(text, sizeof text, force[1], t1, t1, width, f);
    else if (which == 2)
        snprintf(text, sizeof text, force[2], f, t1);
    else
        snprintf(text, sizeof text, force[3], t1, f, f);
    scene_head(s, 2, g);
    scene_line(s, SECTION_BODIES,
               "  b: {point: true, mass: %.15g, position: [0, 0], velocity: [%.15g, 0]}", m,
               scene_chance(s, 0.5) ? 0 : scene_number(s, 0.1, 1));
    scene_line(s, SECTION_CONTACTS,
               "  floor: {type: point-plane, bodies: [ground, b], friction: %.15g}", mu);
    scene_line(s, SECTION_FORCES, "  f: {body: b, force: [\"%s\", 0]}", text);
    scene_times(s, 1.6, scene_chance(s, 0.3) ? 0.05 : pick_step(s));
}

void scene_belt(scene_text *s)
{
    const bool box = scene_chance(s, 0.4);
    const double g = gravity(s), m = scene_mass(s, scene_number(s, 0.5, 4)),
                 k = scene_number(s, 10, 400);
    const double belt = scene_number(s, 0.1, 2), mu = scene_number(s, 0.1, 1),
                 a = scene_number(s, 0.1, 0.3);
    scene_head(s, 2, g);
    if (box) {
        scene_line(s, SECTION_BODIES,
                   "  b: {shape: {box: [%.15g, %.15g, 0.1]}, mass: %.15g, position: [1, "
                   "%.15g]}",
                   a, 0.5 * a, m, 0.25 * a);
        scene_line(s, SECTION_CONTACTS,
                   "  belt: {type: box-plane, bodies: [ground, b], size: [%.15g, %.15g], "
                   "friction: %.15g, surface_speed: %.15g}",
                   a, 0.5 * a, mu, belt);
        scene_line(s, SECTION_SPRINGS,
                   "  k: {type: point, bodies: [ground, b], a: [0, %.15g], b: [0, 0], "
                   "stiffness: %.15g, rest: 1}",
                   0.25 * a, k);
    } else {
        scene_line(s, SECTION_BODIES, "  b: {point: true, mass: %.15g, position: [1, %.15g]}", m,
                   scene_chance(s, 0.5) ? 0 : scene_number(s, 0.01, 0.2));
        scene_line(s, SECTION_CONTACTS,
                   "  belt: {type: point-plane, bodies: [ground, b], friction: %.15g, "
                   "restitution: %.15g, surface_speed: %.15g}",
                   mu, scene_restitution(s, 0.6), belt);
        scene_line(s, SECTION_SPRINGS,
                   "  k: {type: point, bodies: [ground, b], a: [0, 0], b: [0, 0], "
                   "stiffness: %.15g, rest: 1}",
                   k);
    }
    s->facts->traits |= SCENE_FRICTION;
    s->facts->rate = sqrt(k / m);
    scene_times(s, fmin(4 * 6.28 / sqrt(k / m), 4), pick_step(s));
}

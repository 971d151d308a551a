// Scenes of mechanisms: joints, limits, gears, clearances, a mesh, a curve.
#include <math.h>
#include <stdio.h>

#include "support/scene_kinds.h"

static const double pi = 3.14159265358979323846;

static double gravity(scene_text *s)
{
    return s->facts->traits & SCENE_ROUND ? 10 : 9.81;
}

static double pick_step(scene_text *s)
{
    static const double step[] = {2e-3, 1e-3, 5e-4};
    return step[scene_integer(s, 0, 2)];
}

// Time from the fall of a rod, let go at the angle `start` from hanging, until its bounces on a stop at
// the angle `stop` > 0 have accumulated. A swing from the stop up to the angle a and back takes
// 2/k times the integral of dx/sqrt(1 - m^2 sin^2 x) from arcsin(sin(stop/2)/m) to pi/2, with
// m = sin(a/2) and k^2 = 3 g/(2 L); cos(stop) - cos(a) falls with e^2.
static double pendulum_rest_time(double k, double start, double stop, double e)
{
    enum { PARTS = 64 };
    const double lowest = sin(stop / 2);
    double height = cos(stop) - cos(start), sum = 0;
    for (double part = 0.5; height > 1e-24; part = 1, height *= e * e) { // at first only the fall
        const double m = sqrt(lowest * lowest + height / 2), from = asin(lowest / m);
        const double dx = (pi / 2 - from) / PARTS;
        for (int i = 0; i < PARTS; ++i) {
            const double y = m * sin(from + (i + 0.5) * dx);
            sum += part * 2 / k * dx / sqrt(1 - y * y);
        }
    }
    return sum;
}

void scene_pendulum(scene_text *s)
{
    const double g = gravity(s), L = scene_number(s, 0.2, 1), e = scene_restitution(s, 0.8);
    const bool two = scene_chance(s, 0.3), wall = scene_chance(s, 0.4);
    // Angles from the rod hanging down; the stop is passed by the rod on its way down, so that it
    // rests there, or beyond the lowest point.
    const bool pressed = scene_chance(s, 0.6);
    const double start = s->facts->traits & SCENE_ROUND ? pi / 2 : scene_number(s, 0.6, 1.5);
    const double stop = pressed ? scene_number(s, 0.1, 0.4) : scene_number(s, -0.5, -0.1);
    scene_head(s, 2, g);
    scene_line(s, SECTION_BODIES,
               "  rod: {shape: {rod: {length: %.15g}, mass: 1, at: [%.15g, 0]}, angle: "
               "%.15g}",
               L, L / 2, start - pi / 2);
    if (wall) {
        scene_line(s, SECTION_JOINTS,
                   "  pivot: {type: revolute, bodies: [ground, rod], at: [0, 0]}");
        scene_line(s, SECTION_CONTACTS,
                   "  wall: {type: point-plane, bodies: [ground, rod], at: [%.15g, 0], "
                   "normal: [1, 0], b: [%.15g, 0], friction: %.15g, restitution: %.15g}",
                   L * sin(stop), L, scene_friction(s), e);
    } else // the joint's angle counts from the start
        scene_line(s, SECTION_JOINTS,
                   "  pivot: {type: revolute, bodies: [ground, rod], at: [0, 0], limits: "
                   "{lower: %.15g, restitution: %.15g}}",
                   stop - start, e);
    if (two) {
        scene_line(s, SECTION_BODIES,
                   "  arm: {shape: {rod: {length: %.15g}, mass: 0.5, at: [%.15g, 0]}, "
                   "position: [%.15g, %.15g], angle: %.15g}",
                   L / 2, L / 4, L * sin(start), -L * cos(start), start - pi / 2);
        scene_line(s, SECTION_JOINTS,
                   "  elbow: {type: revolute, bodies: [rod, arm], at: [%.15g, %.15g], "
                   "limits: {lower: -1, upper: 1, restitution: %.15g}}",
                   L * sin(start), -L * cos(start), e);
    }
    s->facts->length = L;
    s->facts->rate = 3 * sqrt(g / L);
    scene_times(s, fmin(2 * pi * sqrt(L / g) * (two ? 2 : 1 + 2 / (1 - fmin(e, 0.8))), 5),
                pick_step(s));
    if (pressed && !two &&
        1.5 * pendulum_rest_time(sqrt(1.5 * g / L), start, stop, e) < s->facts->end)
        s->facts->traits |= SCENE_RESTS;
}

void scene_linkage(scene_text *s)
{
    const double l1 = scene_number(s, 0.05, 0.2), l2 = l1 * scene_number(s, 1.5, 3);
    const double a = scene_number(s, 0.02, 0.1), b = 0.5 * a, c = a * scene_number(s, 0.005, 0.05);
    const double w = scene_number(s, 4, 60), mu = scene_chance(s, 0.5) ? 0 : scene_friction(s);
    scene_head(s, 2, gravity(s));
    scene_line(s, SECTION_BODIES,
               "  crank: {shape: {rod: {length: %.15g}}, mass: 0.5, position: [%.15g, 0], "
               "velocity: [0, %.15g], angular_velocity: %.15g}",
               l1, l1 / 2, w * l1 / 2, w);
    scene_line(s, SECTION_BODIES,
               "  rod: {shape: {rod: {length: %.15g}}, mass: 0.2, position: [%.15g, 0], "
               "velocity: [0, %.15g], angular_velocity: %.15g}",
               l2, l1 + l2 / 2, w * l1 / 2, -w * l1 / l2);
    scene_line(s, SECTION_BODIES,
               "  slider: {shape: {box: [%.15g, %.15g, 0.05]}, mass: 0.3, position: [%.15g, "
               "0]}",
               2 * a, 2 * b, l1 + l2);
    scene_line(s, SECTION_JOINTS, "  main: {type: revolute, bodies: [ground, crank], at: [0, 0]}");
    scene_line(s, SECTION_JOINTS, "  pin: {type: revolute, bodies: [crank, rod], at: [%.15g, 0]}",
               l1);
    scene_line(s, SECTION_JOINTS,
               "  wrist: {type: revolute, bodies: [rod, slider], at: [%.15g, 0]}", l1 + l2);
    scene_line(s, SECTION_CONTACTS,
               "  guide: {type: slider-guide, bodies: [ground, slider], size: [%.15g, "
               "%.15g], width: %.15g, friction: %.15g, restitution: %.15g}",
               2 * a, 2 * b, 2 * (b + c), mu, scene_restitution(s, 0.7));
    s->facts->length = l1 + l2;
    s->facts->rate = 2 * w;
    scene_times(s, 2 * 2 * pi / w, 2 * pi / w / 1600);
}

void scene_loose_pin(scene_text *s)
{
    const double g = gravity(s), L = scene_number(s, 0.1, 0.6), pin = 0.05 * L;
    const double c = pin * scene_number(s, 0.01, 0.2), mu = scene_friction(s),
                 e = scene_restitution(s, 0.6);
    const double a = s->facts->traits & SCENE_ROUND ? 0 : scene_number(s, -0.7, 0.7);
    // A crank on a hinge, an arm on a loose pin at its end; pressed: a spring holds the crank on a
    // stop.
    const bool pressed = scene_chance(s, 0.4);
    scene_head(s, 2, g);
    scene_line(s, SECTION_BODIES,
               "  crank: {shape: {rod: {length: %.15g}, mass: 1, at: [%.15g, 0]}, angle: %.15g}", L,
               L / 2, a);
    scene_line(s, SECTION_JOINTS, "  O: {type: revolute, bodies: [ground, crank], at: [0, 0]%s}",
               pressed ? ", spring: {stiffness: 20, damping: 0.5, rest: -2}, limits: {lower: -0.5}"
                       : "");
    scene_line(s, SECTION_BODIES,
               "  arm: {shape: {rod: {length: %.15g}, mass: 0.5, at: [%.15g, 0]}, position: "
               "[%.15g*cos(%.15g), %.15g*sin(%.15g)], angle: %.15g}",
               L, L / 2, L, a, L, a, a);
    scene_line(s, SECTION_CONTACTS,
               "  pin: {type: pin-in-hole, bodies: [crank, arm], a: [%.15g, 0], b: [0, 0], radii: "
               "[%.15g, %.15g], friction: %.15g, restitution: %.15g}",
               L, pin + c, pin, mu, e);
    s->facts->length = 2 * L;
    s->facts->rate = 3 * sqrt(g / L);
    scene_times(s, fmin(2 * pi * sqrt(L / g), 2), 2e-4);
}

void scene_gears(scene_text *s)
{
    const int n = scene_integer(s, 2, 3);
    const double w = scene_number(s, 5, 200), J = scene_number(s, 1e-3, 0.1),
                 turns = scene_number(s, 4, 60);
    const int end = scene_integer(s, 0, 2); // free, spring, stop
    const double time = 2 * pi * turns / w, stiffness = J * pow(w / (2 * pi * turns) * 2, 2);
    double speed = w, ratio[2];
    scene_head(s, 2, 0);
    for (int i = 0; i < n; ++i) {
        scene_line(s, SECTION_BODIES,
                   "  w%d: {mass: 1, inertia: %.15g, position: [%d, 0], angular_velocity: "
                   "%.15g}",
                   i, i ? scene_number(s, 1e-3, 0.1) : J, i, speed);
        char more[160] = "";
        if (i == 0 && end == 1)
            snprintf(more, sizeof more, ", spring: {stiffness: %.15g}", stiffness);
        if (i == 0 && end == 2)
            snprintf(more, sizeof more, ", limits: {upper: %.15g, restitution: %.15g}",
                     2 * pi * turns * 0.6, scene_restitution(s, 0.9));
        scene_line(s, SECTION_JOINTS,
                   "  a%d: {type: revolute, bodies: [ground, w%d], at: [%d, 0]%s}", i, i, i, more);
        if (i < n - 1) {
            ratio[i] = scene_number(s, 0.4, 4) * (scene_chance(s, 0.5) ? 1 : -1);
            speed = -speed / ratio[i];
        }
    }
    for (int i = 0; i < n - 1; ++i)
        scene_line(s, SECTION_JOINTS, "  g%d: {type: gear, joints: [a%d, a%d], ratio: %.15g}", i, i,
                   i + 1, ratio[i]);
    s->facts->length = 1;
    s->facts->rate = end == 1 ? sqrt(stiffness / J) : 1;
    // Steps over which the first wheel turns by a part of a turn, or by several.
    scene_times(s, time, time / (SCENE_SAMPLES * (scene_chance(s, 0.3) ? 2 : 40)));
}

void scene_rack(scene_text *s)
{
    const double r = scene_number(s, 0.01, 0.1), J = scene_number(s, 1e-4, 1e-2),
                 m = scene_number(s, 0.5, 5);
    const double torque = scene_chance(s, 0.5) ? 0 : scene_number(s, 0.1, 1),
                 v = scene_number(s, 0.2, 3);
    const double stroke = scene_number(s, 0.2, 2), e = scene_restitution(s, 0.9);
    const double a = torque / r / (m + J / (r * r)); // of the rack
    scene_head(s, 2, 0);
    scene_line(s, SECTION_BODIES,
               "  pinion: {mass: 1, inertia: %.15g, position: [0, %.15g], "
               "angular_velocity: %.15g}",
               J, r, v / r);
    scene_line(s, SECTION_BODIES,
               "  rack: {mass: %.15g, inertia: 1, position: [0, -0.01], velocity: [%.15g, "
               "0]}",
               m, v);
    scene_line(s, SECTION_JOINTS,
               "  axle: {type: revolute, bodies: [ground, pinion], at: [0, %.15g], actuator: "
               "%.15g}",
               r, torque);
    scene_line(s, SECTION_JOINTS,
               "  slide: {type: prismatic, bodies: [ground, rack], at: [0, 0], axis: [1, 0], "
               "limits: {upper: %.15g, lower: -0.05, restitution: %.15g}}",
               stroke, e);
    scene_line(s, SECTION_JOINTS, "  mesh: {type: rack, joints: [axle, slide], ratio: %.15g}",
               -1 / r);
    s->facts->length = stroke;
    scene_times(s, fmin((a > 0 ? 3 * (sqrt(v * v + 2 * a * stroke) - v) / a : 2.2 * stroke / v), 6),
                pick_step(s));
}

void scene_ratchet(scene_text *s)
{
    const int n = scene_integer(s, 8, 16);
    const double ro = 0.1, ri = scene_number(s, 0.08, 0.09), rt = ri + 0.002, reach = 0.08,
                 lift = 0.01;
    const double torque = scene_number(s, 0.02, 0.06), period = scene_number(s, 0.5, 1);
    scene_head(s, 2, 0);
    scene_line(s, SECTION_BODIES,
               "  wheel: {shape: {cylinder: {radius: 0.09, length: 0.01}, density: 2700}}");
    scene_line(s, SECTION_BODIES,
               "  pawl: {mass: 0.02, inertia: 2e-5, center: [%.15g, %.15g], position: "
               "[%.15g, %.15g]}",
               -reach / 2, -lift / 2, reach, rt + lift);
    scene_line(s, SECTION_JOINTS,
               "  axle: {type: revolute, bodies: [ground, wheel], at: [0, 0], actuator: "
               "%.15g*sin(2*pi*t/%.15g), spring: {damping: 0.004}}",
               torque, period);
    scene_line(s, SECTION_JOINTS,
               "  hinge: {type: revolute, bodies: [ground, pawl], at: [%.15g, %.15g], spring: "
               "{stiffness: 0.05, damping: 5e-4, rest: 0.3}, limits: {upper: 0}}",
               reach, rt + lift);
    scene_line(s, SECTION_CONTACTS,
               "  tip:\n    type: point-polyline\n    bodies: [wheel, pawl]\n    a: [0, 0]\n"
               "    b: [%.15g, %.15g]\n    friction: %.15g\n    closed: true\n    vertices:",
               -reach, -lift, scene_friction(s));
    for (int i = 0; i < n; ++i) { // clockwise: the outside is free
        const double angle = pi / 2 - 2 * pi * i / n;
        scene_line(s, SECTION_CONTACTS, "      - [%.15g, %.15g]\n      - [%.15g, %.15g]",
                   ro * cos(angle), ro * sin(angle), ri * cos(angle), ri * sin(angle));
    }
    s->facts->traits |= SCENE_DRIVEN;
    s->facts->length = 0.1;
    s->facts->rate = 60; // sqrt(stiffness/inertia of the pawl about its hinge)
    scene_times(s, 1.5 * period, 2e-4);
}

void scene_chain(scene_text *s)
{
    const int n = scene_integer(s, 2, 6);
    const double g = gravity(s), L = scene_number(s, 0.1, 0.4), r = 0.1 * L,
                 e = scene_restitution(s, 0.6);
    const double mu = scene_friction(s),
                 wall = scene_chance(s, 0.5) ? 0 : scene_number(s, -0.5, -0.1) * L * n;
    scene_head(s, 2, g);
    for (int i = 0; i < n; ++i) {
        scene_mass(s, 0.4);
        scene_line(s, SECTION_BODIES,
                   "  l%d: {shape: {rod: {length: %.15g}, mass: 0.4, at: [%.15g, 0]}, "
                   "position: [%.15g, 0]}",
                   i, L, L / 2, i * L);
        if (i == 0)
            scene_line(s, SECTION_JOINTS,
                       "  h0: {type: revolute, bodies: [ground, l0], at: [0, 0]}");
        else
            scene_line(s, SECTION_JOINTS,
                       "  h%d: {type: revolute, bodies: [l%d, l%d], at: [%.15g, 0]}", i, i - 1, i,
                       i * L);
        scene_line(
            s, SECTION_CONTACTS,
            "  c%d: {type: circle-plane, bodies: [ground, l%d], at: [%.15g, 0], "
            "normal: [1, 0], b: [%.15g, 0], radius: %.15g, friction: %.15g, restitution: %.15g}",
            i, i, wall - r, L, r, mu, e);
    }
    s->facts->length = n * L;
    s->facts->rate = 6 * sqrt(g / L);
    scene_times(s, 4 * sqrt(n * L / g), pick_step(s));
}

void scene_spring_stop(scene_text *s)
{
    const double m = scene_number(s, 0.2, 5), k = scene_number(s, 20, 4000), w = sqrt(k / m);
    const double stop = scene_number(s, 0.02, 0.2),
                 e = scene_chance(s, 0.2) ? 1 : scene_restitution(s, 0.9);
    const int how = scene_integer(s, 0, 2); // free, pressed, driven
    const double damping = scene_chance(s, 0.5) ? 0 : scene_number(s, 0.01, 0.3) * 2 * m * w;
    scene_head(s, 2, 0);
    scene_line(s, SECTION_BODIES,
               "  b: {mass: %.15g, inertia: 1, position: [0, 0], velocity: [%.15g, 0]}", m,
               how == 2 ? 0 : scene_number(s, 1.2, 4) * stop * w);
    scene_line(
        s, SECTION_JOINTS,
        "  slide: {type: prismatic, bodies: [ground, b], axis: [1, 0], spring: "
        "{stiffness: %.15g, damping: %.15g, rest: %.15g}, limits: {upper: %.15g, lower: %.15g, "
        "restitution: %.15g}%s}",
        k, damping, how == 1 ? 1.5 * stop : 0, stop, -2 * stop, e,
        how == 2 ? ", actuator: F*cos(W*t)" : "");
    if (how == 2) {
        char text[100];
        snprintf(text, sizeof text, "parameters: {F: %.15g, W: %.15g}", 2 * k * stop,
                 w * scene_number(s, 0.5, 2));
        scene_line(s, SECTION_HEAD, "%s", text);
        s->facts->traits |= SCENE_DRIVEN;
    }
    if (how == 1 && e < 1)
        s->facts->traits |= SCENE_RESTS;
    s->facts->length = 3 * stop;
    s->facts->rate = w;
    const double period = 2 * pi / w;
    scene_times(s, period * (how == 1 ? 4 + 4 / (1.01 - e) : 4),
                period / scene_number(s, 100, 400));
}

void scene_beam(scene_text *s)
{
    const bool free_flight = scene_chance(s, 0.4);
    const double L = scene_number(s, 0.5, 2), young = scene_number(s, 1e7, 1e9), d = L * 0.05;
    const double e = scene_restitution(s, 0.5), mu = free_flight ? scene_friction(s) : 0;
    const double rho = 2000, c = sqrt(young / rho),
                 omega = 3.5 * c * d / 4 / (L * L); // first bending
    scene_head(s, 2, free_flight ? 0 : gravity(s));
    if (free_flight) {
        const double angle = s->facts->traits & SCENE_ROUND ? pi / 4 : scene_number(s, 0.2, 1.3);
        const double v = scene_number(s, 0.5, 3);
        scene_line(
            s, SECTION_MESHES,
            "  beam: {line: {from: [0, 0], to: [%.15g, %.15g], divisions: 4, element: "
            "beam}, material: {young: %.15g, density: %.15g}, section: {circle: %.15g}, velocity: "
            "[%.15g, 0]}",
            -L * cos(angle), L * sin(angle), young, rho, d, v);
        scene_line(s, SECTION_CONTACTS,
                   "  tip: {type: point-plane, bodies: [ground, {mesh: beam, group: start}], "
                   "at: [0.1, 0], normal: [-1, 0], friction: %.15g, restitution: %.15g}",
                   mu, e);
        scene_times(s, 0.1 / v + 1 / omega, fmin(1e-3, 0.02 / omega));
    } else {
        scene_line(
            s, SECTION_MESHES,
            "  beam: {line: {from: [0, 0], to: [%.15g, 0], divisions: 4, element: beam}"
            ", material: {young: %.15g, density: %.15g}, section: {circle: %.15g}, fixed: [start]}",
            L, young, rho, d);
        scene_line(s, SECTION_CONTACTS,
                   "  tip: {type: point-plane, bodies: [ground, {mesh: beam, group: end}], "
                   "at: [0, %.15g], normal: [0, 1], restitution: %.15g}",
                   -scene_number(s, 0.1, 0.9) * 9.81 / (omega * omega), e);
        scene_times(s, 4 / omega, fmin(1e-3, 0.02 / omega));
    }
    s->facts->traits |= SCENE_FLEXIBLE;
    s->facts->length = L;
    s->facts->rate = 10 * omega;
}

void scene_wire(scene_text *s)
{
    const double v = scene_number(s, 0.5, 3), slope = scene_number(s, 0.1, 0.8),
                 g = scene_chance(s, 0.5) ? 0 : 9.81;
    const int shape = scene_integer(s, 0, 2); // corner, arc, parabola
    scene_head(s, 2, g);
    scene_line(s, SECTION_BODIES,
               "  bead: {point: true, mass: %.15g, position: [-1, 0], velocity: [%.15g, 0]}",
               scene_mass(s, scene_number(s, 0.5, 2)), v);
    scene_line(s, SECTION_JOINTS,
               "  wire:\n    type: point-on-curve\n    bodies: [ground, bead]\n    curve:\n"
               "      - {type: line, from: [-40, 0], to: [0, 0]}");
    if (shape == 0)
        scene_line(s, SECTION_JOINTS, "      - {type: line, to: [40, %.15g]}", 40 * slope);
    else if (shape == 1)
        scene_line(s, SECTION_JOINTS,
                   "      - {type: arc, through: [%.15g, %.15g], to: [1, 1]}\n"
                   "      - {type: line, to: [1, 40]}",
                   sin(pi / 4), 1 - cos(pi / 4));
    else
        scene_line(s, SECTION_JOINTS,
                   "      - {type: parabola, coefficients: [0, 0, %.15g], x: [0, 40]}", slope);
    s->facts->length = 1;
    // Of the bead along the bend, and of its swinging in it: sqrt(g curvature).
    s->facts->rate = shape == 0 ? 1 : fmax(2 * v, sqrt(g * (shape == 1 ? 1 : 2 * slope)));
    scene_times(s, 2.4 / v, pick_step(s));
}

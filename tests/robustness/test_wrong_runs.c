// Runs that are known to be wrong: none of them is called good. Each is off by more than a tenth of the
// motion from an event-driven run at a tight tolerance, or has its bodies as deep in each other; so a
// case that a better scheme makes right is found, and goes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percuss/evidence.h"
#include "support/family.h"
#include "support/near.h"
#include "support/scene_run.h"

static const double WRONG = 0.1; // of the size of the motion
static const double SECONDS = 20;
static const double LARGEST_STEPS = 1600; // of the reference: at least so many

// ---- Models ----

#define PLANE "dimension: 2\ngravity: [0, -9.81]\n"
#define FREE "dimension: 2\n"
#define SPACE "dimension: 3\n"

static const char PENDULUM[] = //
    PLANE "bodies: {rod: {mass: 1, inertia: 1/12, position: [0.5, 0]}}\n"
          "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}\n";
static const char DOUBLE_PENDULUM[] = //
    PLANE "bodies:\n"
          "  upper: {mass: 1, inertia: 1/12, position: [0.5, 0]}\n"
          "  lower: {mass: 1, inertia: 1/12, position: [1.5, 0]}\n"
          "joints:\n"
          "  shoulder: {type: revolute, bodies: [ground, upper], at: [0, 0]}\n"
          "  elbow: {type: revolute, bodies: [upper, lower], at: [1, 0]}\n";
// Eccentricity 0.8.
static const char ORBIT[] = //
    FREE "systems: {s: {coordinates: {x: {initial: 0.2, rate: 0}, y: {initial: 0, rate: 3}},\n"
         "  kinetic: (x.rate^2 + y.rate^2)/2, potential: -1/sqrt(x^2 + y^2)}}\n";
// 10 rad/s.
static const char OSCILLATOR[] = //
    FREE "systems: {s: {coordinates: {x: {initial: 1, rate: 0}}, kinetic: x.rate^2/2, potential: "
         "50*x^2}}\n";
static const char SLIDER_CRANK[] = //
    PLANE "bodies:\n"
          "  crank: {mass: 1, inertia: 0.01, position: [0.1, 0], angular_velocity: 20}\n"
          "  rod: {mass: 1, inertia: 0.05, position: [0.5, 0]}\n"
          "  slider: {mass: 2, inertia: 0.01, position: [0.8, 0]}\n"
          "joints:\n"
          "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
          "  b: {type: revolute, bodies: [crank, rod], at: [0.2, 0]}\n"
          "  c: {type: revolute, bodies: [rod, slider], at: [0.8, 0]}\n"
          "  d: {type: prismatic, bodies: [ground, slider], at: [0.8, 0], axis: [1, 0]}\n";
// A shot through a ball, beside its middle; past a plate that opens; through a wire.
static const char SHOT[] = //
    FREE "bodies:\n"
         "  shot: {mass: 1, shape: {sphere: 0.01}, position: [0, 0.008], velocity: [200, 0]}\n"
         "  ball: {mass: 1, shape: {sphere: 0.01}, position: [1.053, 0]}\n"
         "contacts: {pair: {type: circle-circle, bodies: [shot, ball], radii: [0.01, 0.01], "
         "restitution: 1}}\n";
static const char SHOT_IN_SPACE[] = //
    SPACE "bodies:\n"
          "  shot: {mass: 1, shape: {sphere: 0.01}, position: [0, 0.004, 0.003], velocity: [90, 0, "
          "0]}\n"
          "  ball: {mass: 2, shape: {sphere: 0.02}, position: [1.053, 0, 0]}\n"
          "contacts: {pair: {type: sphere-sphere, bodies: [shot, ball], radii: [0.01, 0.02], "
          "restitution: 0.7}}\n";
static const char ELASTIC_BALL[] = //
    PLANE "bodies: {ball: {point: true, mass: 1, position: [0, 1]}}\n"
          "contacts: {floor: {type: point-plane, bodies: [ground, ball], restitution: 1}}\n";
static const char DEAD_BALL[] = //
    PLANE "bodies: {ball: {point: true, mass: 1, position: [0, 1], velocity: [1, 0]}}\n"
          "contacts: {floor: {type: point-plane, bodies: [ground, ball], friction: 0.2}}\n";
static const char BOX[] = //
    PLANE "bodies: {box: {mass: 1, shape: {box: [0.4, 0.2, 0.2]}, position: [0, 0.6], angle: 0.4, "
          "velocity: [0.5, 0]}}\n"
          "contacts: {floor: {type: box-plane, bodies: [ground, box], size: [0.4, 0.2], friction: "
          "0.3, restitution: 0.2}}\n";
static const char GATE[] = // a rod that falls on its stop
    PLANE "bodies: {rod: {mass: 1, inertia: 1/12, position: [0.5, 0]}}\n"
          "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0], limits: {lower: "
          "-0.7, restitution: 0.8}}}\n";
// A pulse of 1 N s that no switch announces.
static const char PULSE[] = //
    FREE "bodies: {cart: {point: true, mass: 1}}\n"
         "forces: {f: {body: cart, force: [\"exp(-((t - 0.5477)/0.004)^2)/(0.004*sqrt(pi))\", "
         "0]}}\n";
static const char PULSES[] = // every 0.1 s, between the points at which a step looks
    FREE "bodies: {cart: {point: true, mass: 1}}\n"
         "forces: {f: {body: cart, force: [\"3*sin(5*pi*t)^20\", 0]}}\n";
static const char SHAKEN[] = // an eccentric that turns more than once in a step
    FREE "bodies: {cart: {point: true, mass: 1, velocity: [0.1, 0]}}\n"
         "springs: {k: {type: point, bodies: [ground, cart], a: [-1, 0], b: [0, 0], stiffness: 10, "
         "rest: 1}}\n"
         "forces: {f: {body: cart, force: [\"40*cos(63*t)\", 0]}}\n";
static const char MOTION_PULSE[] = // a support that jerks
    FREE "systems: {s: {coordinates: {x: {initial: 0, rate: 0}}, kinetic: x.rate^2/2, potential: "
         "\"8*(x - 0.5*exp(-((t - 0.7123)/0.01)^2))^2\"}}\n";
static const char STIFF[] = // a stiff spring in a slow swing
    PLANE "bodies:\n"
          "  a: {point: true, mass: 1, position: [1, 0]}\n"
          "springs: {k: {type: point, bodies: [ground, a], a: [0, 0], b: [0, 0], stiffness: 4000, "
          "rest: 1}}\n";
static const char STIFF_PAIR[] = // struck from one side
    FREE "bodies:\n"
         "  a: {point: true, mass: 1, position: [0, 0], velocity: [1, 0]}\n"
         "  b: {point: true, mass: 1, position: [0.3, 0]}\n"
         "  c: {point: true, mass: 1, position: [0.5, 0]}\n"
         "springs: {k: {type: point, bodies: [b, c], a: [0, 0], b: [0, 0], stiffness: 2e4, rest: "
         "0.2}}\n"
         "contacts: {hit: {type: circle-circle, bodies: [a, b], radii: [0.05, 0.05], restitution: "
         "0.9}}\n";
static const char STIFF_TORSION[] = //
    FREE "bodies: {wheel: {mass: 1, inertia: 0.02, angular_velocity: 3}}\n"
         "joints: {axle: {type: revolute, bodies: [ground, wheel], at: [0, 0], spring: {stiffness: "
         "50}}}\n";
static const char STIFF_LANDING[] = // a mass that lands with a spring below it
    PLANE "bodies:\n"
          "  foot: {point: true, mass: 0.2, position: [0, 0.3]}\n"
          "  head: {point: true, mass: 1, position: [0, 0.8]}\n"
          "springs: {leg: {type: point, bodies: [foot, head], a: [0, 0], b: [0, 0], stiffness: "
          "5000, rest: 0.5}}\n"
          "contacts: {floor: {type: point-plane, bodies: [ground, foot], restitution: 0}}\n";
static const char DUFFING[] = // hardening, far out
    FREE "systems: {s: {coordinates: {x: {initial: 3, rate: 0}}, kinetic: x.rate^2/2, potential: "
         "x^2/2 + 5*x^4}}\n";
static const char SPINNING_BOX[] = // about the middle axis
    SPACE "bodies: {box: {shape: {box: [0.3, 0.2, 0.05], density: 700}, angular_velocity: [0.01, "
          "10, 0.01]}}\n";
static const char TUMBLING_BOX[] = //
    SPACE "bodies: {box: {shape: {box: [0.3, 0.2, 0.05], density: 700}, angular_velocity: [3, 5, "
          "4]}}\n";
static const char TOP[] = //
    SPACE "gravity: [0, 0, -9.81]\n"
          "bodies: {top: {mass: 1, inertia: [0.02, 0.02, 0.004], position: [0.1, 0, 0.2], "
          "rotation: {axis: [0, 1, 0], angle: 0.4636}, angular_velocity: [0, 0, 150]}}\n"
          "joints: {tip: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}}\n";
static const char TWO_WHEELS[] = // a rotor in a frame that turns
    SPACE "bodies:\n"
          "  frame: {mass: 1, inertia: [0.02, 0.02, 0.02], angular_velocity: [2, 0, 1]}\n"
          "  rotor: {mass: 1, inertia: [0.01, 0.01, 0.02], angular_velocity: [2, 0, 61]}\n"
          "joints: {axle: {type: revolute, bodies: [frame, rotor], at: [0, 0, 0], axis: [0, 0, "
          "1]}}\n";
static const char COIN[] = //
    SPACE "gravity: [0, 0, -9.81]\n"
          "parameters: {a: 0.05, al: 0.3}\n"
          "bodies:\n"
          "  disc: {mass: 0.4, inertia: [0.4*a^2/4, 0.4*a^2/4, 0.4*a^2/2], position: [0, 0, "
          "a*sin(al) + 1e-7], rotation: {axis: [1, 0, 0], angle: al}, angular_velocity: [0, 6, "
          "20]}\n"
          "contacts: {floor: {type: cylinder-plane, bodies: [ground, disc], radius: a, length: "
          "1e-7, friction: 0.5}}\n";
static const char TIPPE_TOP[] = //
    SPACE "gravity: [0, 0, -9.81]\n"
          "bodies:\n"
          "  top: {mass: 6e-3, inertia: [8e-7, 8e-7, 7e-7], position: [0, 0, 0.012015], rotation: "
          "{axis: [1, 0, 0], angle: 0.1}, angular_velocity: [0, -180*sin(0.1), 180*cos(0.1)]}\n"
          "contacts:\n"
          "  body: {type: sphere-plane, bodies: [ground, top], b: [0, 0, 3e-3], radius: 0.015, "
          "friction: 0.3}\n"
          "  stem: {type: sphere-plane, bodies: [ground, top], b: [0, 0, 0.016], radius: 0.005, "
          "friction: 0.3}\n";
static const char NEAR_DEAD_CENTRE[] = // rod a little longer than the crank
    FREE "bodies:\n"
         "  crank: {mass: 1, inertia: 0.1, position: [0.5, 0], angular_velocity: 4}\n"
         "  rod: {mass: 1, inertia: 0.1, position: [1.505, 0]}\n"
         "  slider: {mass: 1, inertia: 0.1, position: [2.01, 0]}\n"
         "joints:\n"
         "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
         "  b: {type: revolute, bodies: [crank, rod], at: [1, 0]}\n"
         "  c: {type: revolute, bodies: [rod, slider], at: [2.01, 0]}\n"
         "  d: {type: prismatic, bodies: [ground, slider], at: [2.01, 0], axis: [1, 0]}\n";
static const char PRESS[] = // a driven piston that crushes a block on the floor
    PLANE "bodies:\n"
          "  piston: {mass: 1, inertia: 1, position: [0, 1]}\n"
          "  block: {mass: 1, inertia: 1, position: [0, 0.2]}\n"
          "joints:\n"
          "  guide: {type: prismatic, bodies: [ground, piston], at: [0, 1], axis: [0, 1], motion: "
          "-0.7*t}\n"
          "contacts:\n"
          "  top: {type: circle-plane, bodies: [piston, block], a: {at: [0, 0], normal: [0, -1]}, "
          "radius: 0.2}\n"
          "  floor: {type: circle-plane, bodies: [ground, block], radius: 0.2}\n";
static const char WALLS[] = // closer than the ball is wide
    PLANE "bodies: {ball: {mass: 1, inertia: 1, position: [0, 0.5]}}\n"
          "contacts:\n"
          "  left: {type: circle-plane, bodies: [ground, ball], at: [-0.1, 0], normal: [1, 0], "
          "radius: 0.12}\n"
          "  right: {type: circle-plane, bodies: [ground, ball], at: [0.1, 0], normal: [-1, 0], "
          "radius: 0.12}\n";
static const char DRIVEN[] = // by a motor that does not give way
    FREE "bodies: {piston: {mass: 1, inertia: 1, position: [0, 1]}}\n"
         "joints:\n"
         "  guide: {type: prismatic, bodies: [ground, piston], at: [0, 1], axis: [0, 1], motion: "
         "-0.9*t}\n"
         "contacts: {floor: {type: circle-plane, bodies: [ground, piston], radius: 0.2}}\n";
static const char TABLE[] = // a ball on a table that shakes
    PLANE "bodies:\n"
          "  table: {mass: 1, inertia: 1, position: [0, 0]}\n"
          "  ball: {point: true, mass: 1, position: [0, 0.01]}\n"
          "joints: {guide: {type: prismatic, bodies: [ground, table], at: [0, 0], axis: [0, 1], "
          "motion: 0.01*sin(40*t)}}\n"
          "contacts: {top: {type: point-plane, bodies: [table, ball], restitution: 0.6}}\n";
static const char SLOT[] = // a pin that rattles in its slot
    FREE "bodies: {pin: {mass: 1, inertia: 1, position: [0, 0], velocity: [0, 1]}}\n"
         "contacts:\n"
         "  low: {type: circle-plane, bodies: [ground, pin], at: [0, -0.02], normal: [0, 1], "
         "radius: 0.01, restitution: 1}\n"
         "  high: {type: circle-plane, bodies: [ground, pin], at: [0, 0.02], normal: [0, -1], "
         "radius: 0.01, restitution: 1}\n"
         "forces: {f: {body: pin, force: [\"body.pin.velocity.y\", 0]}}\n";
static const char DRIVEN_SWING[] = // a pendulum whose pivot shakes it over the top
    FREE "systems: {s: {coordinates: {x: {initial: 0.2, rate: 0}}, kinetic: x.rate^2/2, potential: "
         "-cos(x), dissipation: 0.125*x.rate^2, forces: {x: \"1.5*cos(0.66667*t)\"}}}\n";
static const char THREE_BODIES[] = //
    FREE "systems: {s: {coordinates: {x: {initial: 1, rate: 0}, y: {initial: 3, rate: 0}, u: "
         "{initial: -2, rate: 0}, v: {initial: -1, rate: 0}, p: {initial: 1, rate: 0}, q: "
         "{initial: -1, rate: 0}},\n"
         "  kinetic: 1.5*(x.rate^2 + y.rate^2) + 2*(u.rate^2 + v.rate^2) + 2.5*(p.rate^2 + "
         "q.rate^2),\n"
         "  potential: -12/sqrt((x-u)^2 + (y-v)^2) - 15/sqrt((x-p)^2 + (y-q)^2) - "
         "20/sqrt((u-p)^2 + (v-q)^2)}}\n";
static const char HENON[] = //
    FREE
    "systems: {s: {coordinates: {x: {initial: 0, rate: 0.42}, y: {initial: 0.1, rate: 0.35}},\n"
    "  kinetic: (x.rate^2 + y.rate^2)/2, potential: (x^2 + y^2)/2 + x^2*y - y^3/3}}\n";
// Sinai's billiard: a ball between four walls around a post.
static const char BILLIARD[] = //
    FREE "bodies: {ball: {point: true, mass: 1, position: [0.7, 0.1], velocity: [0.63, 0.77]}}\n"
         "contacts:\n"
         "  west: {type: point-plane, bodies: [ground, ball], at: [-1, 0], normal: [1, 0], "
         "restitution: 1}\n"
         "  east: {type: point-plane, bodies: [ground, ball], at: [1, 0], normal: [-1, 0], "
         "restitution: 1}\n"
         "  south: {type: point-plane, bodies: [ground, ball], at: [0, -1], normal: [0, 1], "
         "restitution: 1}\n"
         "  north: {type: point-plane, bodies: [ground, ball], at: [0, 1], normal: [0, -1], "
         "restitution: 1}\n"
         "  post: {type: circle-circle, bodies: [ground, ball], radii: [0.4, 0.001], restitution: "
         "1}\n";
static const char BRAKE[] = // a heavy mass on a stiff damped spring: the damping is the scheme's
    FREE "systems: {s: {coordinates: {x: {initial: 1, rate: 0}}, kinetic: x.rate^2/2, potential: "
         "200*x^2}}\n";

// ---- Cases ----

typedef struct wrong_run {
    const char *name, *model, *scheme, *options;
    double step, end;
    double size; // m, of the motion
} wrong_run;

static const wrong_run cases[] = {
    // Steps that are too long.
    {"pendulum", PENDULUM, "moreau-jean", "", 0.25, 8, 1},
    {"pendulum", PENDULUM, "nonsmooth-alpha", "", 0.25, 8, 1},
    {"pendulum", PENDULUM, "capturing", "", 0.5, 8, 1},
    {"pendulum", PENDULUM, "alpha2", "step_control=fixed first_step=0.25", 0.25, 8, 1},
    {"double pendulum", DOUBLE_PENDULUM, "moreau-jean", "", 0.1, 3.2, 1},
    {"double pendulum", DOUBLE_PENDULUM, "capturing", "", 0.2, 3.2, 1},
    {"oscillator", OSCILLATOR, "moreau-jean", "", 0.5, 8, 1},
    {"oscillator", OSCILLATOR, "moreau-jean", "", 0.1, 8, 1},
    {"oscillator", OSCILLATOR, "nonsmooth-alpha", "", 0.25, 8, 1},
    {"oscillator", OSCILLATOR, "capturing", "", 0.2, 8, 1},
    {"slider-crank", SLIDER_CRANK, "moreau-jean", "", 0.1, 1.6, 1},
    {"orbit", ORBIT, "moreau-jean", "", 0.02, 8, 1},
    {"orbit", ORBIT, "capturing", "", 0.1, 8, 1},
    {"Duffing", DUFFING, "moreau-jean", "", 0.05, 8, 1},
    {"Duffing", DUFFING, "nonsmooth-alpha", "", 0.05, 8, 1},
    // Tunnels.
    {"shot", SHOT, "moreau-jean", "", 2e-3, 0.032, 1},
    {"shot", SHOT, "moreau-jean", "", 4e-3, 0.032, 1},
    {"shot", SHOT, "moreau-jean", "", 1e-3, 0.032, 1},
    {"shot in space", SHOT_IN_SPACE, "moreau-jean", "", 2e-3, 0.032, 1},
    {"shot in space", SHOT_IN_SPACE, "moreau-jean", "", 4e-3, 0.032, 1},
    // Hovering.
    {"elastic ball", ELASTIC_BALL, "nonsmooth-alpha", "", 0.1, 8, 1},
    {"dead ball", DEAD_BALL, "moreau-jean", "", 0.5, 8, 1},
    {"box", BOX, "moreau-jean", "", 0.125, 2, 1},
    {"box", BOX, "nonsmooth-alpha", "", 0.25, 2, 0.5},
    {"gate", GATE, "moreau-jean", "", 0.125, 2, 1},
    {"gate", GATE, "nonsmooth-alpha", "", 0.125, 2, 1},
    // Pulses between steps.
    {"pulse", PULSE, "capturing", "", 0.1, 1.6, 1},
    {"pulses", PULSES, "moreau-jean", "", 0.2, 8, 1},
    {"pulses", PULSES, "nonsmooth-alpha", "", 0.2, 8, 1},
    {"shaken", SHAKEN, "moreau-jean", "", 0.1, 3.2, 1},
    {"shaken", SHAKEN, "capturing", "", 0.1, 3.2, 1},
    {"jerk", MOTION_PULSE, "moreau-jean", "", 0.1, 3.2, 0.1},
    // Stiff springs.
    {"stiff swing", STIFF, "moreau-jean", "", 0.1, 3.2, 1},
    {"stiff swing", STIFF, "capturing", "", 0.05, 3.2, 1},
    {"stiff pair", STIFF_PAIR, "moreau-jean", "", 0.05, 3.2, 1},
    {"stiff pair", STIFF_PAIR, "capturing", "", 0.05, 3.2, 1},
    {"stiff torsion", STIFF_TORSION, "moreau-jean", "", 0.05, 3.2, 1},
    {"stiff torsion", STIFF_TORSION, "nonsmooth-alpha", "", 0.1, 3.2, 1},
    {"stiff landing", STIFF_LANDING, "moreau-jean", "", 0.05, 1.6, 1},
    {"stiff landing", STIFF_LANDING, "nonsmooth-alpha", "", 0.05, 1.6, 1},
    // Spinning bodies.
    {"spinning box", SPINNING_BOX, "moreau-jean", "", 0.2, 6.4, 1},
    {"spinning box", SPINNING_BOX, "nonsmooth-alpha", "", 0.1, 6.4, 1},
    {"spinning box", SPINNING_BOX, "capturing", "", 0.2, 6.4, 1},
    {"tumbling box", TUMBLING_BOX, "moreau-jean", "", 0.1, 6.4, 1},
    {"tumbling box", TUMBLING_BOX, "nonsmooth-alpha", "", 0.1, 6.4, 1},
    {"top", TOP, "moreau-jean", "", 0.02, 3.2, 1},
    {"top", TOP, "nonsmooth-alpha", "", 0.02, 3.2, 1},
    {"two wheels", TWO_WHEELS, "moreau-jean", "", 0.05, 3.2, 1},
    {"coin", COIN, "moreau-jean", "", 0.02, 1.6, 0.05},
    {"tippe top", TIPPE_TOP, "moreau-jean", "", 2e-3, 3.2, 1},
    // Singular linkages.
    {"near dead centre", NEAR_DEAD_CENTRE, "nonsmooth-alpha", "", 0.4, 6.4, 1},
    // Contradicting contacts: bodies in each other.
    {"press", PRESS, "moreau-jean", "", 0.01, 1.6, 0.1},
    {"walls", WALLS, "moreau-jean", "", 0.01, 1.6, 0.1},
    {"driven into the floor", DRIVEN, "moreau-jean", "", 0.01, 1.6, 0.1},
    {"driven into the floor", DRIVEN, "nonsmooth-alpha", "on_failure=accept", 0.01, 1.6, 0.1},
    // Chatter.
    {"table", TABLE, "moreau-jean", "", 0.02, 3.2, 0.02},
    {"table", TABLE, "nonsmooth-alpha", "", 0.02, 3.2, 0.02},
    {"table", TABLE, "capturing", "", 0.05, 3.2, 0.02},
    {"slot", SLOT, "moreau-jean", "", 0.015, 3.2, 0.02},
    {"slot", SLOT, "nonsmooth-alpha", "", 0.015, 3.2, 0.02},
    // Chaos.
    {"chaos: double pendulum", DOUBLE_PENDULUM, "moreau-jean", "", 0.01, 16, 1},
    {"chaos: double pendulum", DOUBLE_PENDULUM, "nonsmooth-alpha", "", 0.01, 16, 1},
    {"chaos: double pendulum", DOUBLE_PENDULUM, "capturing", "", 0.02, 16, 1},
    {"chaos: double pendulum", DOUBLE_PENDULUM, "phem56", "tolerance=1e-4", 0.01, 16, 1},
    {"chaos: driven swing", DRIVEN_SWING, "moreau-jean", "", 0.02, 160, 1},
    {"chaos: three bodies", THREE_BODIES, "moreau-jean", "", 1e-3, 16, 1},
    {"chaos: three bodies", THREE_BODIES, "capturing", "", 0.02, 16, 1},
    {"chaos: Henon and Heiles", HENON, "moreau-jean", "", 0.05, 320, 1},
    {"chaos: billiard", BILLIARD, "moreau-jean", "", 0.01, 16, 1},
    // Tolerances that are too loose.
    {"loose: double pendulum", DOUBLE_PENDULUM, "phem56", "tolerance=1e-2", 0.1, 4.8, 1},
    {"loose: double pendulum", DOUBLE_PENDULUM, "dopri5", "tolerance=1e-1", 0.1, 4.8, 1},
    {"loose: orbit", ORBIT, "dopri5", "tolerance=1e-2", 0.1, 8, 1},
    {"loose: orbit", ORBIT, "alpha2", "tolerance=1e-2", 0.1, 8, 1},
    {"loose: oscillator", OSCILLATOR, "alpha2", "tolerance=1e-1", 0.1, 8, 1},
    {"loose: spinning box", SPINNING_BOX, "dopri5", "tolerance=1e-1", 0.1, 6.4, 1},
    {"loose: pendulum", PENDULUM, "moreau-jean-adaptive", "tolerance=0.1", 0.5, 8, 1},
    {"loose: pulse", PULSE, "phem56", "tolerance=1e-3", 0.05, 1.6, 1},
    // The wrong scheme for the model.
    {"damped by the scheme", OSCILLATOR, "moreau-jean", "theta=1", 0.01, 8, 1},
    {"damped by the scheme", PENDULUM, "moreau-jean", "theta=1", 0.01, 8, 1},
    {"damped by the scheme", OSCILLATOR, "alpha2", "step_control=fixed first_step=0.1", 0.1, 8, 1},
    {"explicit, stiff", BRAKE, "rk4", "step_control=fixed first_step=0.1", 0.1, 8, 1},
    {"first order", OSCILLATOR, "heun", "step_control=fixed first_step=0.05", 0.05, 8, 1},
    {"no projection", SLOT, "moreau-jean", "projection=none", 0.015, 3.2, 0.02},
};
enum { CASES = sizeof cases / sizeof *cases };

// The largest angle between the rotations of a body in the two runs, over a half turn.
static double turned(const run_result *a, const run_result *b)
{
    double worst = 0;
    for (int k = 0; k < a->n_samples && k < b->n_samples; ++k)
        for (int i = 0; i + 3 < a->n_values; ++i) {
            double dot = 0;
            for (int j = 0; j < 4 && a->quaternion[i]; ++j)
                dot += a->sample[k][i + j] * b->sample[k][i + j];
            if (a->quaternion[i])
                worst = fmax(worst, 2 * acos(fmin(fabs(dot), 1)) / acos(-1));
        }
    return worst;
}

static void test_wrong_runs(void **state)
{
    (void)state;
    static scene_model model;
    static run_result run, exact;
    int failures = 0;
    for (int i = 0; i < CASES; i += CASE_STRIDE) {
        const wrong_run *w = &cases[i];
        model.facts = (scene_facts){.kind = w->name,
                                    .dimension = strncmp(w->model, SPACE, strlen(SPACE)) == 0 ? 3
                                                                                              : 2,
                                    .end = w->end,
                                    .length = w->size};
        snprintf(model.text, sizeof model.text, "%s", w->model);
        char options[80];
        snprintf(options, sizeof options, "tolerance=1e-11 largest_step=%g", // sees every pulse
                 w->end / LARGEST_STEPS);
        const run_def best = {
            .scheme = "event-driven", .options = options, .step = w->step, .seconds = SECONDS};
        const run_def def = {
            .scheme = w->scheme, .options = w->options, .step = w->step, .seconds = SECONDS};
        scene_run_model(&model, &def, &run);
        if (run.outcome != RUN_FINISHED)
            fail_msg("%s, %s: %s", w->name, w->scheme, run.message);
        double off = run.penetration / w->size;
        if (!(off > WRONG)) { // contacts that contradict each other have no motion to compare with
            scene_run_model(&model, &best, &exact);
            if (exact.outcome != RUN_FINISHED)
                fail_msg("%s, event-driven: %s", w->name, exact.message);
            off = fmax(scene_run_distance(&run, &exact), turned(&run, &exact));
        }
        if (off > WRONG && run.verdict != PCS_LEVEL_GOOD)
            continue;
        print_error("%s, %s, step %g: off by %.2g, %s\n", w->name, w->scheme, w->step, off,
                    pcs_level_name((pcs_level)run.verdict));
        ++failures;
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

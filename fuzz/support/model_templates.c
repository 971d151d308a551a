// Templates of what stands in a model file. A % and a letter is a place: of a primitive value (see
// write_value() in model_tree.c) or of one of the rules below, whose alternatives the bytes choose from.
// The first alternative is what a list of choices ends with, so it is the plainest.
#include "support/model_templates.h"

#include <stddef.h>

#define RULE(name, letter, dimensions, ...)                               \
    static const char *const name##_alternatives[] = {__VA_ARGS__, NULL}; \
    static const fuzz_rule name = {letter, dimensions, name##_alternatives}

// ---- Bodies ----

RULE(
    body_2, 'B', 2, "{mass: %+, inertia: %+, position: %p%V}",
    "{shape: {sphere: %+, mass: %+}, position: %p%V}",
    "{shape: {box: [%+, %+, %+], density: %+}, position: %p, angle: %n%V}",
    "{point: true, mass: %+, position: %p, velocity: %p}",
    "{shape: {rod: {length: %+}, mass: %+, axis: %d}, position: %p, angle: %n%V}",
    "{mass: %+, inertia: %+, center: %p, position: %p, angle: %n, angular_velocity: %n}",
    "{shapes: [{capsule: {radius: %+, length: %+}, density: %+, at: %p}, {sphere: %+, density: %+, "
    "at: %p}], position: %p%V}",
    "{mass: %+, shape: {cylinder: {radius: %+, length: %+}}, position: %p%V}");
RULE(body_3, 'B', 3, "{mass: %+, inertia: %+, position: %p%V}",
     "{shape: {sphere: %+, mass: %+}, position: %p%V}",
     "{shape: {box: [%+, %+, %+], density: %+}, position: %p, rotation: %R%V}",
     "{point: true, mass: %+, position: %p, velocity: %p}",
     "{mass: %+, inertia: [2, 3, 4], position: %p, rotation: %R%V}",
     "{mass: %+, inertia: [[2, 0.1, 0], [0.1, 3, -0.2], [0, -0.2, 4]], center: %p, position: %p%V}",
     "{mass: %+, inertia: [1, 1.5, 2], inertia_rotation: %R, position: %p%V}",
     "{shapes: [{cylinder: {radius: %+, length: %+}, density: %+, at: %p, axis: %d}, {capsule: "
     "{radius: %+, length: %+}, density: %+}], position: %p%V}");
RULE(motion_2, 'V', 2, "", ", velocity: %p", ", velocity: %p, angular_velocity: %n",
     ", angular_velocity: %n");
RULE(motion_3, 'V', 3, "", ", velocity: %p", ", velocity: %p, angular_velocity: %p",
     ", angular_velocity: %p");
RULE(rotation, 'R', 0, "{axis: %d, angle: %n}", "[1, 0, 0, 0]", "[0.6, 0, 0.8, 0]",
     "[{axis: %d, angle: %n}, {axis: %d, angle: %n}]", "{axis: [0, 0, 1], angle: pi/2}",
     "{axis: [1, 0, 0], angle: pi}");

// ---- Joints ----

RULE(joint_2, 'J', 2, "{type: revolute, bodies: %2, at: %p%D}",
     "{type: prismatic, bodies: %2, at: %p, axis: %d%D}", "{type: fixed, bodies: %2, at: %p}",
     "{type: distance, bodies: %2, a: %p, b: %p%D}", "{type: distance, bodies: %2, at: [%p, %p]}",
     "{type: point-on-line, bodies: %2, at: %p, axis: %d%D}",
     "{type: point-on-curve, bodies: %2, at: %p, curve: %C}",
     "{type: point-on-curve, bodies: %2, at: %p, curve: %Q, closed: true}",
     "{type: gear, joints: [%j, %j], ratio: %n}", "{type: rack, joints: [%j, %j], ratio: %n}",
     "{type: revolute, bodies: %2, a: %p, b: %p%D}",
     "{type: prismatic, bodies: %2, a: {at: %p, axis: %d}, b: {at: %p, angle: %n}%D}",
     "{type: distance, bodies: %2, a: %p, b: %p, length: %+}");
RULE(joint_3, 'J', 3, "{type: revolute, bodies: %2, at: %p, axis: %d%D}",
     "{type: spherical, bodies: %2, at: %p}",
     "{type: spherical, bodies: %2, at: %p, coordinates: {rotation_x: {%e}, rotation_z: {%e}}}",
     "{type: prismatic, bodies: %2, at: %p, axis: %d%D}",
     "{type: cylindrical, bodies: %2, at: %p, axis: %d, coordinates: {displacement: {%e}, angle: "
     "{%e}}}",
     "{type: universal, bodies: %2, at: %p, axis: [1, 0, 0], axis2: [0, 1, 0]}",
     "{type: universal, bodies: %2, at: %p, axis: [0, 0, 1], axis2: [1, 0, 0], coordinates: "
     "{angle1: {%e}}}",
     "{type: planar, bodies: %2, at: %p, axis: %d, coordinates: {x: {%e}, angle: {%e}}}",
     "{type: screw, bodies: %2, at: %p, axis: %d, pitch: %n%D}",
     "{type: distance, bodies: %2, a: %p, b: %p%D}",
     "{type: point-on-line, bodies: %2, at: %p, axis: %d%D}",
     "{type: point-on-plane, bodies: %2, at: %p, axis: %d, coordinates: {y: {%e}}}",
     "{type: fixed, bodies: %2, at: %p}", "{type: gear, joints: [%j, %j], ratio: %n}",
     "{type: rack, joints: [%j, %j], ratio: %n}",
     "{type: gear, joints: [%j, %j], ratio: %n, coordinates: [angle, angle]}",
     "{type: revolute, bodies: %2, a: {at: %p, axis: %d}, b: {at: %p, rotation: %R}%D}");
RULE(drives, 'D', 0, "", ", %e");
RULE(drive, 'e', 0, "spring: {stiffness: %+, damping: %+, rest: %n}",
     "limits: {lower: -%+, upper: %+, restitution: %u}", "motion: '%t'", "actuator: '%f'",
     "limits: {upper: %n}", "limits: {lower: %n, restitution: %u}, spring: {stiffness: %+}",
     "actuator: '%f', limits: {lower: -%+}", "motion: '%n + %n*t', limits: {lower: -%+}");

// ---- Contacts ----

RULE(contact_2, 'K', 2, "{type: point-plane, bodies: %2, at: %p, normal: %d, b: %p%L}",
     "{type: circle-plane, bodies: %2, at: %p, normal: %d, radius: %+%X%L}",
     "{type: circle-circle, bodies: %2, radii: [%+, %+]%L}",
     "{type: box-plane, bodies: %2, at: %p, normal: %d, size: [%+, %+]%L}",
     "{type: circle-in-circle, bodies: %2, at: %p, radii: [%+, %u]%L}",
     "{type: pin-in-hole, bodies: %2, at: %p, radii: [%+, %u]%L}",
     "{type: point-polyline, bodies: %2, at: %p, axis: %d, vertices: %O, b: %p%L}",
     "{type: slider-guide, bodies: %2, at: %p, axis: %d, size: [%+, %+], width: %+%L}",
     "{type: point-curve, bodies: %2, at: %p, axis: %d, curve: %C, radius: %+%L}",
     "{type: point-curve, bodies: %2, at: %p, curve: %Q, closed: true, b: %p%L}",
     "{type: circle-plane, bodies: %2, normal: %d, radius: %+, surface_speed: '%t'%L}",
     "{type: circle-plane, bodies: [ground, b0], normal: [0, 1], radius: %+, friction: %u, "
     "restitution: %u}",
     "{type: surface, mesh: m0, target: %S%L}");
RULE(contact_3, 'K', 3, "{type: point-plane, bodies: %2, at: %p, normal: %d, b: %p%L}",
     "{type: sphere-plane, bodies: %2, at: %p, normal: %d, radius: %+%X%L}",
     "{type: sphere-sphere, bodies: %2, radii: [%+, %+]%L}",
     "{type: box-plane, bodies: %2, at: %p, normal: %d, size: [%+, %+, %+]%L}",
     "{type: sphere-in-sphere, bodies: %2, at: %p, radii: [%+, %u]%L}",
     "{type: pin-in-hole, bodies: %2, at: %p, axis: %d, radii: [%+, %u]%L}",
     "{type: cylinder-plane, bodies: %2, at: %p, normal: %d, radius: %+, length: %+%L}",
     "{type: sphere-plane, bodies: %2, normal: %d, radius: %+, surface_speed: ['%t', '%t']%L}",
     "{type: sphere-plane, bodies: [ground, b0], normal: [0, 0, 1], radius: %+, friction: %u, "
     "restitution: %u}",
     "{type: box-plane, bodies: [ground, b0], normal: [0, 0, 1], size: [%+, %+, %+], friction: %u}",
     "{type: surface, mesh: m0, target: %S%L}",
     "{type: all-surfaces, planes: [{normal: %d, at: %p}]%L}",
     "{type: surface, mesh: m0, group: %G, node_radius: %+, reach: %+, target: %S%L}");
RULE(law, 'L', 0, "", ", friction: %u", ", restitution: %u", ", friction: %+, restitution: %u",
     ", friction: %u, restitution: %u, tangential_restitution: %u", ", law: l0");
RULE(named_law, 'N', 0, "{friction: %u}", "{restitution: %u}",
     "{friction: %+, restitution: %u, tangential_restitution: %u}");
RULE(extent_2, 'X', 2, "", ", extent: %+");
RULE(extent_3, 'X', 3, "", ", extent: [%+, %+]");
RULE(target_2, 'S', 2, "{plane: %d, at: %p}", "{sphere: %+, body: %b}", "{box: [%+, %+], at: %p}",
     "{mesh: m1}", "{plane: %d, extent: %+, body: %b}");
RULE(target_3, 'S', 3, "{plane: %d, at: %p}", "{sphere: %+, body: %b, at: %p}",
     "{box: [%+, %+, %+], at: %p, rotation: %R}", "{mesh: m1, group: %G}", "{mesh: m0}",
     "{cylinder: {radius: %+, length: %+}, at: %p, axis: %d}",
     "{capsule: {radius: %+, length: %+}, body: %b}", "{plane: %d, extent: [%+, %+], body: %b}");
RULE(vertices, 'O', 0, "[[2, 0], [0, 0], [-2, 0]]", "[[1, 0], [1, 1], [0, 1]]", "[%q, %q, %q]",
     "[%q, %q]", "[[0, 0], [1, 0], [0.5, 1]], closed: true", "[%q, %q, %q, %q], closed: true");
RULE(curve, 'C', 0, "[{type: line, from: %q, to: %q}]",
     "[{type: parabola, coefficients: [%n, %n, %n], x: [-%+, %+]}]",
     "[{type: arc, from: %q, through: %q, to: %q}]",
     "[{type: line, from: [-2, 0], to: [0, 0]}, {type: parabola, coefficients: [0, 0, %n], x: [0, "
     "%+]}]",
     "[{type: spline, points: [%q, %q, %q, %q]}]",
     "[{type: spline, points: [[0, 0], [1, %n], [2, 0]], end_direction: %q}]");
RULE(closed_curve, 'Q', 0,
     "[{type: line, from: [0, 0], to: [1, 0]}, {type: line, to: [1, 1]}, {type: line, to: [0, 0]}]",
     "[{type: arc, from: [1, 0], through: [0, 1], to: [-1, 0]}, {type: arc, through: [0, -1], to: "
     "[1, 0]}]",
     "[{type: spline, points: [[1, 0], [0, 1], [-1, %n], [0, -1]]}]", "%C");

// ---- Springs, forces, systems ----

RULE(spring_2, 'P', 2, "{type: point, bodies: %2, a: %p, b: %p, stiffness: %+, damping: %+}",
     "{type: torsion, bodies: %2, at: %p, stiffness: %+, rest: %n}",
     "{type: bushing, bodies: %2, at: %p, stiffness: [%+, %+, %+], damping: [%+, %+, %+]}",
     "{type: point, bodies: %2, at: [%p, %p], stiffness: %+, rest: %+}");
RULE(spring_3, 'P', 3, "{type: point, bodies: %2, a: %p, b: %p, stiffness: %+, damping: %+}",
     "{type: torsion, bodies: %2, at: %p, axis: %d, stiffness: %+, rest: %n}",
     "{type: bushing, bodies: %2, at: %p, axis: %d, stiffness: [%+, %+, %+, %+, %+, %+], damping: "
     "[%+, %+, %+, %+, %+, %+]}",
     "{type: point, bodies: %2, at: [%p, %p], stiffness: %+, rest: %+}");
RULE(force_2, 'F', 2, "{body: b0, force: ['%f', '%f']}",
     "{body: %b, at: %p, force: ['%f', 0], frame: body}", "{body: %b, torque: '%f'}",
     "{mesh: m0, node: %i, force: ['%f', 0]}");
RULE(force_3, 'F', 3, "{body: b0, force: ['%f', '%f', '%f']}",
     "{body: %b, at: %p, force: ['%f', 0, 0], frame: body}", "{body: %b, torque: ['%f', 0, '%f']}",
     "{mesh: m0, group: %G, force: [0, 0, '%f']}");
RULE(system_, 'Y', 0, "{coordinates: {x: %n}, kinetic: '%+/2*x.rate^2', potential: '%+*x^2'}",
     "{coordinates: {x: %n, y: {initial: %n, rate: %n}}, kinetic: '%+*(x.rate^2 + y.rate^2)', "
     "potential: '%k', forces: {x: '%f'}%Z}",
     "{coordinates: {x: {initial: %n, rate: %n}, y: 0}, mass: [[%+, 0], [0, %+ + x^2]], force: "
     "['%f', '%f']%Z}",
     "{coordinates: {x: %n, y: %n}, kinetic: '%+*x.rate^2 + (1 + cos(x)^2)*y.rate^2', dissipation: "
     "'%u*y.rate^2'%Z}",
     "{coordinates: {x: 0, y: %n}, kinetic: 'x.rate^2 + y.rate^2 + x.rate*y.rate*cos(x - y)', "
     "potential: '%k', points: {P: [x, y], O: [0, 0]}, lines: [[O, P]]%Z}");
RULE(system_rest, 'Z', 0, "", ", contacts: {stop: {gap: '%k'%T%L}}", ", constraints: {c: '%k'}",
     ", constraints: {c: '%k'}, contacts: {stop: {gap: '%k'%L}}",
     ", contacts: {left: {gap: '1 - x', restitution: %u}, right: {gap: '1 + x'%L}}",
     ", contacts: {stop: {gap: 'body.b0.position.y - y'%T%L}}",
     ", constraints: {pin: 'body.b0.position.x - x'}");
RULE(tangential_2, 'T', 2, "", ", tangential: 'y', friction: %u");
RULE(tangential_3, 'T', 3, "", ", tangential: [y, 'x + y'], friction: %u");
RULE(coordinate_formula, 'k', 0, "x - y", "%+*x^2 + y^2", "x^2 + y^2 - 1", "x - 0.1*sin(10*t)",
     "y + %n*x", "cos(x)*y", "abs(x) - y", "x - y + step(t - 0.002)", "sqrt(x)", "1/x", "x + 1",
     "%n");

// ---- Meshes ----

RULE(mesh_2, 'H', 2,
     "{line: {from: %p, to: %p, divisions: %i, element: %E}, material: %A, section: {rectangle: "
     "[%+, %+]}, fixed: [start]%U}",
     "{line: {points: [%p, %p, %p], divisions: %i}, material: %A, section: {circle: %+}%U}",
     "{line: {from: %p, through: %p, to: %p, divisions: %i}, material: %A, section: {tube: [%+, "
     "%u]}%U}",
     "{line: {points: [%p, %p, %p], closed: true, divisions: [1, %i, 1]}, material: %A, section: "
     "{area: %+, inertia: %+, shear_area: %+}, position: %p, angle: %n%V, mass: lumped%U}");
RULE(mesh_3, 'H', 3,
     "{line: {from: %p, to: %p, divisions: %i, element: %E}, material: %A, section: {rectangle: "
     "[%+, %+]}, fixed: [start]%U}",
     "{block: {size: [%+, %+, %+], divisions: [1, %i, 1]}, material: %A, position: %p%V%U}",
     "{block: {size: [%+, %+, %+], divisions: [1, 1, %i], element: tetrahedron}, material: %A, "
     "rotation: %R%V%U}",
     "{block: {size: [1, 1, 1], divisions: [1, 1, 1], element: plain-hexahedron}, material: %A%U}",
     "{line: {from: %p, through: %p, to: %p, divisions: %i}, material: %A, section: {tube: [%+, "
     "%u], y: %d}%U}",
     "{line: {points: [%p, %p, %p], closed: true, divisions: %i}, material: %A, section: {area: "
     "%+, inertia: [%+, %+], torsion: %+}, mass: lumped%V%U}");
RULE(element, 'E', 0, "beam", "bar", "linear-beam", "linear-timoshenko");
RULE(material, 'A', 0, "{young: 5e4, density: %+, poisson: 0.3}", "{young: 2e11, density: 7800}",
     "{young: %+, density: 100, poisson: %u, damping: %u}",
     "{young: 5e4, density: %+, law: neo-hookean, poisson: 0.4}");
RULE(mesh_rest, 'U', 0, "", ", loads: [{group: %G, force: %l}]", ", links: [{group: %G, body: %b}]",
     ", fixed: [%G]", ", fixed: [{group: %G, components: [x, y]}]",
     ", damping: {mass: %u, stiffness: %u}, loads: [{group: %G, total: %l}]",
     ", loads: [{group: %G, pressure: '%f'}]", ", groups: {mine: {nodes: [0, %i]}}, fixed: [mine]");
RULE(group, 'G', 0, "end", "start", "all", "surface", "x_min", "z_min", "z_max", "mine", "nobody");
RULE(load_2, 'l', 2, "['%f', '%f']");
RULE(load_3, 'l', 3, "['%f', 0, '%f']");

// ---- Formulas ----

RULE(formula, 'f', 0, "%n", "%t", "%n*input.u0", "-%+*%s", "%n - %s", "%n*sign(%s)",
     "if(%s > 0, %n, 1)", "%s^3", "max(0, %s)", "%s*%s", "sqrt(%s)", "1/(%s)");
RULE(formula_of_time, 't', 0, "%n*t", "%n*sin(10*t)", "%n", "step(t - 0.003)", "%n*t^2",
     "if(mod(t, 0.01) < 0.004, %n, 0)", "exp(%n*t)", "abs(sin(20*t))", "sqrt(t - %u)", "1/t",
     "log(t)", "%n*t^9", "floor(100*t)", "p0*t");
RULE(signal, 's', 0, "body.b0.velocity.x", "joint.j0.rate", "joint.j0.angle", "system.s0.x",
     "body.b1.position.y", "joint.j0.displacement", "system.s0.x.rate", "body.b0.angle",
     "body.b0.angular_velocity.z");
RULE(gravity_2, 'g', 2, "[0, -9.81]", "[0, 0]", "[0, -10]", "%p");
RULE(gravity_3, 'g', 3, "[0, 0, -9.81]", "[0, 0, 0]", "[0, 0, -10]", "%p");

const fuzz_rule *const fuzz_rules[] = {
    &body_2,
    &body_3,
    &motion_2,
    &motion_3,
    &rotation,
    &joint_2,
    &joint_3,
    &drives,
    &drive,
    &contact_2,
    &contact_3,
    &law,
    &named_law,
    &extent_2,
    &extent_3,
    &target_2,
    &target_3,
    &vertices,
    &curve,
    &closed_curve,
    &spring_2,
    &spring_3,
    &force_2,
    &force_3,
    &system_,
    &system_rest,
    &tangential_2,
    &tangential_3,
    &coordinate_formula,
    &mesh_2,
    &mesh_3,
    &element,
    &material,
    &mesh_rest,
    &group,
    &load_2,
    &load_3,
    &formula,
    &formula_of_time,
    &signal,
    &gravity_2,
    &gravity_3,
    NULL,
};

#include "support/small_models.h"

#include <string.h>

#include "support/checks.h"

static const char planar[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "inputs: {u: 0.5}\n"
    "bodies:\n"
    "  rod: {shape: {box: [1, 0.1, 0.1], mass: 1}, position: [0.5, 0]}\n"
    "  ball: {shape: {sphere: 0.1, mass: 0.2}, position: [2, 0.101], velocity: [1, -1]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, rod], at: [0, 0], actuator: input.u,\n"
    "          limits: {lower: -0.01, upper: 1}}\n"
    "springs: {s: {type: point, bodies: [rod, ball], a: [0.5, 0], b: [0, 0], stiffness: 3}}\n"
    "systems:\n"
    "  o: {coordinates: {x: 0.3, y: 0.1}, kinetic: x.rate^2 + y.rate^2, potential: x^2,\n"
    "      constraints: {c: x - 3*y}, contacts: {stop: {gap: x + 1}}, points: {P: [x, y], O: [0, "
    "0]},\n"
    "      lines: [[O, P]]}\n"
    "contacts:\n"
    "  floor: {type: circle-plane, bodies: [ground, ball], normal: [0, 1], radius: 0.1,\n"
    "          friction: 0.3, restitution: 0.5}\n"
    "simulation: {step: 1e-3, end: 1}\n";

static const char spatial[] =
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  box: {shape: {box: [0.2, 0.3, 0.4], mass: 1}, position: [0, 0, 0.2005],\n"
    "        velocity: [0.5, 0, -1], angular_velocity: [0.1, 0, 2]}\n"
    "  can: {shape: {cylinder: {radius: 0.1, length: 0.3}, density: 100}, position: [1, 0, 1]}\n"
    "joints:\n"
    "  sleeve: {type: cylindrical, bodies: [ground, can], at: [1, 0, 1], axis: [0, 0, 1],\n"
    "           coordinates: {angle: {motion: 3*t}, displacement: {limits: {lower: -0.1}}}}\n"
    "materials: {soft: {young: 1e5, density: 1000}}\n"
    "meshes:\n"
    "  cube: {block: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}, material: soft,\n"
    "         position: [3, 0, 0.05]}\n"
    "  beam: {line: {from: [5, 0, 0], to: [6, 0, 0], divisions: 2}, material: soft,\n"
    "         section: {circle: 0.1}, fixed: [start]}\n"
    "contacts:\n"
    "  floor: {type: box-plane, bodies: [ground, box], normal: [0, 0, 1], size: [0.2, 0.3, 0.4],\n"
    "          friction: 0.3}\n"
    "  ground: {type: surface, mesh: cube, target: {plane: [0, 0, 1]}, friction: 0.5}\n"
    "simulation: {step: 1e-3, end: 1}\n";

const char *fuzz_small_model(int i)
{
    static const char *const models[] = {planar, spatial};
    return i < (int)(sizeof models / sizeof *models) ? models[i] : NULL;
}

pcs_model_file *fuzz_read_model(pcs_context *ctx, const char *text)
{
    pcs_model_file *file = NULL;
    fuzz_require(pcs_model_file_read_memory(ctx, "model", text, strlen(text), NULL, 0, &file) >= 0,
                 "a model cannot be read", ctx);
    return file;
}

pcs_simulation *fuzz_simulate(pcs_context *ctx, const pcs_model_file *file, const char *scheme,
                              int steps)
{
    pcs_simulation_def def = pcs_model_file_simulation(file);
    pcs_simulation *s = NULL;
    def.scheme = scheme;
    fuzz_require(pcs_simulation_create(ctx, pcs_model_file_model(file), &def, &s) >= 0,
                 "a simulation cannot be made", ctx);
    for (int i = 0; i < steps; i++)
        fuzz_require(pcs_simulation_step(s) >= 0, "a step fails", ctx);
    return s;
}

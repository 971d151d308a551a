// Model files: what is built agrees with what is written. The checks look at the built model from
// outside (positions, energies, joint coordinates, gaps), not at the reader.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/model_text.h"
#include "support/near.h"

static void read_with(model_text *f, const char *text, const pcs_setting *settings,
                      int32_t n_settings)
{
    model_text_read(f, "m.yaml", text, settings, n_settings);
    model_text_start(f);
}

static void read_text(model_text *f, const char *text)
{
    read_with(f, text, NULL, 0);
}

static void assert_refused_with(model_text *f, const char *text, const pcs_setting *settings,
                                int32_t n_settings, const char *message)
{
    assert_true(model_text_try(f, "m.yaml", text, settings, n_settings) < 0);
    assert_null(f->file);
    assert_string_equal(pcs_context_error(f->ctx), message);
}

// ---- Bodies ----

static void test_planar_body(void **state)
{
    model_text *f = *state;
    read_text(f, "dimension: 2\n"
                 "parameters: {m: 2*r, r: 0.7}\n"
                 "bodies:\n"
                 "  disc:\n"
                 "    mass: m\n"
                 "    inertia: m*r^2/2\n"
                 "    position: [0.3, -r]\n"
                 "    angle: 30*pi/180\n"
                 "    velocity: [1.1, 2.2]\n"
                 "    angular_velocity: -3.3\n");
    assert_near(model_text_signal(f, "body.disc.position.x"), 0.3, 1e-15);
    assert_near(model_text_signal(f, "body.disc.position.y"), -0.7, 1e-15);
    assert_near(model_text_signal(f, "body.disc.angle"), 0.52359877559829887, 1e-15);
    assert_near(model_text_signal(f, "body.disc.velocity.y"), 2.2, 1e-15);
    double energy = 0.5 * 1.4 * (1.1 * 1.1 + 2.2 * 2.2) + 0.5 * (1.4 * 0.49 / 2) * 3.3 * 3.3;
    assert_near(model_text_signal(f, "energy.kinetic"), energy, 1e-14);
}

static void test_spatial_body(void **state)
{
    model_text *f = *state;
    // Moments 1, 2, 2.5 about axes turned by 90 degrees about z and the body turned by 90 degrees
    // about x: the world axes (x, y, z) see the moments (2, 2.5, 1).
    read_text(f, "dimension: 3\n"
                 "bodies:\n"
                 "  top:\n"
                 "    mass: 3\n"
                 "    inertia: [1, 2, 2.5]\n"
                 "    inertia_rotation: {axis: [0, 0, 2], angle: pi/2}\n"
                 "    rotation: [sqrt(0.5), sqrt(0.5), 0, 0]\n"
                 "    angular_velocity: [1.1, 1.3, 1.7]\n");
    double energy = 0.5 * (2 * 1.1 * 1.1 + 2.5 * 1.3 * 1.3 + 1 * 1.7 * 1.7);
    assert_near(model_text_signal(f, "energy.kinetic"), energy, 1e-14);
    assert_near(model_text_signal(f, "body.top.rotation.x"), 0.70710678118654757, 1e-15);
}

static void test_rotations_apply_in_order(void **state)
{
    model_text *f = *state;
    // about x, then about z of the world: body z -> world -y -> world x
    read_text(
        f, "dimension: 3\n"
           "bodies:\n"
           "  bar:\n"
           "    mass: 1\n"
           "    inertia: 1\n"
           "    rotation: [{axis: [1, 0, 0], angle: pi/2}, {axis: [0, 0, 1], angle: pi/2}]\n"
           "contacts:\n"
           "  tip: {type: point-plane, bodies: [ground, bar], normal: [1, 0, 0], b: [0, 0, 2]}\n");
    assert_near(model_text_signal(f, "contact.tip.gap"), 2, 1e-14);
}

static void test_mass_from_shapes(void **state)
{
    model_text *f = *state;
    const char *text = "dimension: 2\n"
                       "parameters: {rho: 7800}\n"
                       "gravity: [0, -9.81]\n"
                       "bodies:\n"
                       "  bar:\n"
                       "    shape: {box: [0.4, 0.1, 0.05], density: rho, at: [0.2, 0]}\n"
                       "    angular_velocity: 2\n"
                       "  disc:\n"
                       "    mass: 3\n"
                       "    shape: {cylinder: {radius: 0.2, length: 0.1}}\n"
                       "    angular_velocity: 5\n"
                       "  bead: {point: true, mass: 0.25, velocity: [4, 0]}\n";
    read_text(f, text);
    double m = 7800 * 0.4 * 0.1 * 0.05;
    double bar = 0.5 * (m * (0.4 * 0.4 + 0.1 * 0.1) / 12 + m * 0.2 * 0.2) * 4; // about its origin
    double disc = 0.5 * (3 * 0.2 * 0.2 / 2) * 25;
    assert_near(model_text_signal(f, "energy.kinetic"), bar + disc + 0.5 * 0.25 * 16, 1e-12);
}

// ---- Joints ----

static void test_joint_coordinates(void **state)
{
    model_text *f = *state;
    read_text(
        f,
        "dimension: 2\n"
        "bodies:\n"
        "  arm: {mass: 1, inertia: 1, position: [0.5, 0], velocity: [0, 1], angular_velocity: 2}\n"
        "  cart: {mass: 1, inertia: 1, position: [3, 4], velocity: [0.6, 0.8]}\n"
        "joints:\n"
        "  hinge: {type: revolute, bodies: [ground, arm], at: [0, 0]}\n"
        "  rail: {type: prismatic, bodies: [ground, cart], a: {at: [0, 0], axis: [3, 4]},\n"
        "         b: {angle: \"atan2(4, 3)\"}}\n"
        "  rope: {type: distance, bodies: [arm, cart], at: [[0.5, 0], [3, 4]]}\n");
    assert_near(model_text_signal(f, "joint.hinge.angle"), 0, 1e-12);
    assert_near(model_text_signal(f, "joint.rail.displacement"), 5, 1e-12);
    assert_near(model_text_signal(f, "joint.rope.length"), sqrt(2.5 * 2.5 + 16), 1e-12);
}

static void test_spatial_joints(void **state)
{
    model_text *f = *state;
    read_text(
        f, "dimension: 3\n"
           "bodies:\n"
           "  shaft: {mass: 1, inertia: 1, angular_velocity: [0, 0, 3], velocity: [0, 0, 0.5]}\n"
           "  cross: {mass: 1, inertia: 1, angular_velocity: [0, 1.25, 3], velocity: [0, 0, 0.5]}\n"
           "joints:\n"
           "  sleeve: {type: cylindrical, bodies: [ground, shaft], axis: [0, 0, 2]}\n"
           "  cardan: {type: universal, bodies: [shaft, cross], axis: [0, 1, 0], axis2: [-1, 0, "
           "0]}\n");
    assert_near(model_text_signal(f, "joint.sleeve.rate"), 3, 1e-12);
    assert_near(model_text_signal(f, "joint.sleeve.speed"), 0.5, 1e-12);
    assert_near(model_text_signal(f, "joint.cardan.rate1"), 1.25, 1e-12);
    assert_near(model_text_signal(f, "joint.cardan.rate2"), 0, 1e-12);
}

static void test_gear(void **state)
{
    model_text *f = *state;
    // w1 + ratio*w2 = 0
    read_text(f, "dimension: 2\n"
                 "bodies:\n"
                 "  big: {mass: 1, inertia: 1, angular_velocity: 3}\n"
                 "  small: {mass: 1, inertia: 1, position: [1, 0], angular_velocity: -6}\n"
                 "joints:\n"
                 "  mesh: {type: gear, joints: [axle1, axle2], ratio: 0.5}\n"
                 "  axle1: {type: revolute, bodies: [ground, big]}\n"
                 "  axle2: {type: revolute, bodies: [ground, small], at: [1, 0]}\n");
    assert_near(model_text_signal(f, "joint.axle1.rate"), 3, 1e-12);
    assert_near(model_text_signal(f, "joint.axle2.rate"), -6, 1e-12);
    assert_int_equal(pcs_model_row_count(f->model), 5);
}

// ---- Springs, forces, contacts ----

static void test_springs(void **state)
{
    model_text *f = *state;
    read_text(
        f, "dimension: 2\n"
           "bodies:\n"
           "  one: {mass: 1, inertia: 1, position: [3, 4]}\n"
           "  two: {mass: 1, inertia: 1, angle: 0.5}\n"
           "springs:\n"
           "  pull: {type: point, bodies: [ground, one], a: [0, 0], b: [0, 0], stiffness: 7, rest: "
           "4}\n"
           "  slack: {type: point, bodies: [ground, one], at: [[9, 9], [3, 4]], stiffness: 7}\n"
           "  twist: {type: torsion, bodies: [ground, two], a: [0, 0], b: [0, 0], stiffness: 3}\n");
    assert_near(model_text_signal(f, "energy.potential"), 0.5 * 7 * 1 + 0.5 * 3 * 0.25, 1e-13);
}

static void test_force_moves_body(void **state)
{
    model_text *f = *state;
    read_text(f, "dimension: 2\n"
                 "parameters: {F: 3}\n"
                 "bodies: {ball: {mass: 2, inertia: 1}}\n"
                 "forces:\n"
                 "  push: {body: ball, force: [F, 0], torque: -0.5*body.ball.position.y + 4}\n"
                 "simulation: {step: 0.001, end: 0.001}\n");
    assert_true(pcs_simulation_step(f->simulation) >= 0);
    assert_near(model_text_signal(f, "body.ball.velocity.x"), 3 / 2. * 0.001, 1e-15);
    assert_near(model_text_signal(f, "body.ball.angular_velocity.z"), 0.004, 1e-15);
}

static void test_gaps(void **state)
{
    model_text *f = *state;
    read_text(
        f, "dimension: 2\n"
           "laws: {steel: {friction: 0.3, restitution: 0.5}}\n"
           "bodies:\n"
           "  ball: {mass: 1, inertia: 1, position: [1, 2]}\n"
           "  pin: {mass: 1, inertia: 1, position: [5, 0]}\n"
           "contacts:\n"
           "  slope: {type: circle-plane, bodies: [ground, ball], at: [0, 0.5], normal: [3, 4],\n"
           "          radius: 0.1, law: steel}\n"
           "  pair: {type: circle-circle, bodies: [ball, pin], radii: [0.1, 0.2]}\n"
           "  hole: {type: pin-in-hole, bodies: [ground, pin], at: [5, 0], radii: [0.3, 0.25]}\n"
           "  edge: {type: point-polyline, bodies: [ground, ball], vertices: [[3, 0], [-3, 0]]}\n");
    assert_near(model_text_signal(f, "contact.slope.gap"), (3 * 1 + 4 * 1.5) / 5 - 0.1, 1e-14);
    assert_near(model_text_signal(f, "contact.pair.gap"), sqrt(16 + 4) - 0.3, 1e-14);
    assert_near(model_text_signal(f, "contact.hole.gap"), 0.05, 1e-14);
    assert_near(fabs(model_text_signal(f, "contact.edge.gap")), 2, 1e-14);
}

// The same curve under a contact and a joint; pieces may leave out where they begin.
static void test_curves(void **state)
{
    model_text *f = *state;
    read_text(
        f, "dimension: 2\n"
           "parameters: {r: 0.25}\n"
           "bodies:\n"
           "  disc: {mass: 1, inertia: 1, position: [1.5, 1]}\n"
           "  bead: {point: true, mass: 1, position: [3.5, 1.125]}\n"
           "contacts:\n"
           "  road:\n"
           "    type: point-curve\n"
           "    bodies: [ground, disc]\n"
           "    radius: r\n"
           "    curve:\n"
           "      - {type: line, from: [-2, 0], to: [1 + r, 0]}\n"
           "      - {type: arc, through: [2 + r, 1], to: [1 + r, 2]}\n"
           "joints:\n"
           "  wire:\n"
           "    type: point-on-curve\n"
           "    bodies: [ground, bead]\n"
           "    at: [3, 1]\n"
           "    curve:\n"
           "      - {type: spline, points: [[-2, 0.5], [-1, 0.2], [0, 0]], end_direction: [1, 0]}\n"
           "      - {type: parabola, coefficients: [0, 0, 0.5], x: [0, 2]}\n");
    assert_near(model_text_signal(f, "contact.road.gap"), 2.25 - 1.5 - 0.25, 1e-14);
    assert_int_equal(pcs_model_row_count(f->model), 1);
    assert_string_equal(pcs_model_row_name(f->model, 0), "joint.wire (row 1: distance)");
}

// ---- Parameters, settings, run ----

static const char ball[] =
    "title: Ball\n"
    "parameters: {k: 2*m + n, m: 0.25, n: m}\n"
    "dimension: 2\n"
    "bodies:\n"
    "  ball: {mass: k, inertia: 1, position: [0, 1], velocity: [2, 0]}\n"
    "simulation: {scheme: moreau-jean, start: 0.5, end: 2, step: 1e-3, theta: k}\n"
    "output: {step: m/25, signals: [body.ball.position.y, energy.kinetic]}\n";

static void test_run_settings(void **state)
{
    model_text *f = *state;
    read_text(f, ball);
    assert_string_equal(pcs_model_file_title(f->file), "Ball");
    pcs_simulation_def def = pcs_model_file_simulation(f->file);
    assert_string_equal(def.scheme, "moreau-jean");
    assert_near(def.start, 0.5, 0);
    assert_near(def.end, 2, 0);
    assert_near(def.step, 1e-3, 0);
    const pcs_setting *options;
    assert_int_equal(pcs_model_file_options(f->file, &options), 1);
    assert_string_equal(options[0].key, "theta");
    assert_string_equal(options[0].text, "0.75");
    assert_near(pcs_model_file_output_step(f->file), 0.01, 1e-17);
    const char *const *paths;
    assert_int_equal(pcs_model_file_signals(f->file, &paths), 2);
    assert_string_equal(paths[1], "energy.kinetic");
    assert_near(model_text_signal(f, "energy.kinetic"), 0.5 * 0.75 * 4, 1e-15);
}

static void test_settings(void **state)
{
    model_text *f = *state;
    const pcs_setting settings[] = {{"m", "3/10"},
                                    {"simulation.step", "m/100"},
                                    {"bodies.ball.position.1", "7"},
                                    {"bodies.ball.velocity", "[4, 0]"},
                                    {"gravity", "[0, -9.81]"},
                                    {"title", "\"Set\""}};
    read_with(f, ball, settings, 6);
    assert_string_equal(pcs_model_file_title(f->file), "Set");
    assert_near(pcs_model_file_simulation(f->file).step, 0.003, 1e-17);
    assert_near(model_text_signal(f, "body.ball.position.y"), 7, 0);
    assert_near(model_text_signal(f, "energy.kinetic"), 0.5 * 0.9 * 16, 1e-14);
    assert_non_null(strstr(pcs_model_file_text(f->file), "m: 3/10\n"));
}

static void test_settings_errors(void **state)
{
    model_text *f = *state;
    static const struct {
        pcs_setting setting;
        const char *message;
    } rows[] = {
        {{"q", "1"}, "--set q=1: the model has no parameter 'q'"},
        {{"titel", "1"},
         "--set titel=1: the model has no parameter 'titel'; did you mean 'title'?"},
        {{"bodies.bal.mass", "1"},
         "--set bodies.bal.mass=1: bodies has no 'bal'; did you mean 'ball'?"},
        {{"bodies.ball.mas", "1"},
         "--set bodies.ball.mas=1: unknown key 'mas' in a body; did you mean 'mass'?"},
        {{"bodies.ball.mass.x", "1"},
         "--set bodies.ball.mass.x=1: 'mass' is a single value; it has no 'x'"},
        {{"bodies.ball.position.2", "1"},
         "--set bodies.ball.position.2=1: 'position' has 2 items; '2' is not the number of one "
         "(from 0)"},
        {{"m", ""}, "--set m=: the value is empty"},
        {{"m", "[1"},
         "--set m=[1: not valid YAML: did not find expected ',' or ']' while parsing a flow "
         "sequence that starts in line 1"},
        {{"m", "1/0"}, "--set m=1/0: the value of '1/0' is not finite (inf)"},
        {{"m", "2*x"}, "--set m=2*x: column 3: unknown name 'x'"},
        {{".m", "1"}, "--set .m=1: '.m' is not a parameter or a path such as simulation.step"},
        {{"bodis.ball.mass", "1"},
         "--set bodis.ball.mass=1: the model has no section 'bodis'; did you mean 'bodies'?"},
        {{"include", "a.yaml"},
         "--set include=a.yaml: 'include' cannot be set; write it in the file"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_refused_with(f, ball, &rows[k].setting, 1, rows[k].message);
}

static void test_text_reads_back(void **state)
{
    model_text *f = *state;
    const pcs_setting setting = {"m", "0.3"};
    read_with(f, ball, &setting, 1);
    char text[2000];
    snprintf(text, sizeof text, "%s", pcs_model_file_text(f->file));
    read_text(f, text);
    assert_string_equal(pcs_model_file_text(f->file), text);
    assert_near(model_text_signal(f, "energy.kinetic"), 0.5 * 0.9 * 4, 1e-15);
}

static void test_places_inside_formulas(void **state)
{
    model_text *f = *state;
    assert_refused_with(f, "dimension: 2\nbodies: {b: {mass: 1, inertia: 2 + 3*q}}\n", NULL, 0,
                        "m.yaml:2:38: unknown name 'q'");
    assert_refused_with(f, "dimension: 2\nbodies: {b: {mass: 1, inertia: \"2 + 3*q\"}}\n", NULL, 0,
                        "m.yaml:2:39: unknown name 'q'");
    assert_refused_with(f, "dimension: 2\nbodies: {b: {mass: 1, inertia: \"2 +\\x203*q\"}}\n", NULL,
                        0, "m.yaml:2:32: column 7: unknown name 'q'");
}

static void test_errors_of_the_run_get_a_place(void **state)
{
    model_text *f = *state;
    const char *text = "dimension: 2\n"
                       "bodies: {bar: {mass: 1, inertia: 1}}\n"
                       "joints:\n"
                       "  left: {type: revolute, bodies: [ground, bar], a: [0, 0], b: [0, 0]}\n"
                       "  right: {type: revolute, bodies: [ground, bar], a: [3, 0], b: [1, 0]}\n";
    model_text_read(f, "m.yaml", text, NULL, 0);
    const pcs_simulation_def def = pcs_model_file_simulation(f->file);
    assert_int_equal(pcs_simulation_create(f->ctx, f->model, &def, &f->simulation), PCS_OK);
    pcs_status status = pcs_simulation_start(f->simulation);
    assert_int_equal(status, PCS_ERROR_MODEL);
    assert_int_equal(pcs_model_file_locate(f->file, status), PCS_ERROR_MODEL);
    assert_memory_equal(pcs_context_error(f->ctx), "m.yaml:5:3: joint.right", 23);
}

static void test_include_needs_a_file(void **state)
{
    assert_refused_with(*state, "include: a.yaml\n", NULL, 0,
                        "m.yaml:1:1: 'include' needs a file; this model is read from memory");
}

// ---- Memory ----

static const char everything[] =
    "title: All\n"
    "parameters: {a: 2*b, b: 1, c: a + b}\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "laws: {steel: {friction: 0.3}}\n"
    "bodies:\n"
    "  one: {mass: a, inertia: b, shapes: [{sphere: 0.1}]}\n"
    "  two: {shape: {box: [1, 1, 1], density: 2}, position: [1, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, one], actuator: -c*joint.hinge.angle,\n"
    "          limits: {lower: -1}, spring: {stiffness: 1}}\n"
    "  rail: {type: prismatic, bodies: [ground, two], at: [1, 0], axis: [1, 0], motion: 0.1*t}\n"
    "  rack: {type: rack, joints: [hinge, rail], ratio: 2}\n"
    "  wire: {type: point-on-curve, bodies: [ground, two],\n"
    "         curve: [{type: line, from: [0, 0], to: [2, 0]}]}\n"
    "springs: {s: {type: point, bodies: [one, two], at: [[0, 0], [1, 0]], stiffness: 1}}\n"
    "forces: {f: {body: two, force: [0, sin(t)]}}\n"
    "contacts:\n"
    "  floor: {type: point-plane, bodies: [ground, two], at: [0, -3], law: steel}\n"
    "  edge: {type: point-polyline, bodies: [ground, two], vertices: [[3, -3], [-3, -3]]}\n"
    "  cam: {type: point-curve, bodies: [ground, two], closed: true,\n"
    "        curve: [{type: spline, points: [[3, -3], [4, -3], [4, -5], [3, -6]]}]}\n"
    "simulation: {theta: 0.5}\n"
    "output: {signals: [time]}\n";

static void test_failing_allocator(void **state)
{
    model_text *f = *state;
    const pcs_setting settings[] = {{"b", "1.5"}, {"simulation.end", "2"}};
    pcs_status status = PCS_ERROR_MEMORY;
    int failures = 0;
    for (uint64_t n = 1; status != PCS_OK; n++) {
        pcs_model_file *file = NULL;
        pcs_context_fail_heap_call(f->ctx, n);
        status = pcs_model_file_read_memory(f->ctx, "m.yaml", everything, sizeof everything - 1,
                                            settings, 2, &file);
        pcs_context_fail_heap_call(f->ctx, 0);
        if (status == PCS_OK)
            assert_non_null(file);
        else
            assert_int_equal(status, PCS_ERROR_MEMORY);
        pcs_model_file_destroy(file);
        assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
        failures++;
    }
    assert_in_range((uintmax_t)failures, 50, 100000);
}

// Errors in every part of a model, with the heap failing as well: one status or the other.
static void test_failing_allocator_with_errors(void **state)
{
    model_text *f = *state;
    static const char *const mistakes[] = {"bodies.one.mass", "joints.hinge.actuator",
                                           "contacts.floor.law", "parameters.a",
                                           "output.signals.0"};
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        const pcs_setting setting = {mistakes[k], "stell + joint.hige.angle"};
        pcs_status status = PCS_ERROR_MEMORY;
        for (uint64_t n = 1; status == PCS_ERROR_MEMORY; n++) {
            pcs_model_file *file = NULL;
            pcs_context_fail_heap_call(f->ctx, n);
            status = pcs_model_file_read_memory(f->ctx, "m.yaml", everything, sizeof everything - 1,
                                                &setting, 1, &file);
            pcs_context_fail_heap_call(f->ctx, 0);
            assert_true(status < 0);
            assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
        }
        assert_int_equal(status, PCS_ERROR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_planar_body, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_spatial_body, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_rotations_apply_in_order, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_mass_from_shapes, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_joint_coordinates, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_spatial_joints, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_gear, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_springs, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_force_moves_body, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_gaps, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_curves, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_run_settings, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_settings, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_settings_errors, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_text_reads_back, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_places_inside_formulas, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_errors_of_the_run_get_a_place, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_include_needs_a_file, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_failing_allocator, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_failing_allocator_with_errors, model_text_set_up,
                                        model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

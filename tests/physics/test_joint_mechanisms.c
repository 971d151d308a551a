// Every joint kind in a mechanism in which it really moves, for 10 s with projection: no drift,
// joint coordinates as the bodies show them, energy kept to second order where nothing takes it,
// redundant rows found and named.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/rig.h"

static const double STEP = 1e-3, END = 10;

static void attach_spring(rig *r, pcs_body_id a, pcs_vec3 at_a, pcs_body_id b, pcs_vec3 at_b,
                          double stiffness, double rest)
{
    pcs_spring_def def = pcs_spring_default();
    def.name = "spring";
    def.a.body = a;
    def.a.position = at_a;
    def.b.body = b;
    def.b.position = at_b;
    def.stiffness = stiffness;
    def.rest = rest;
    rig_must(r, pcs_builder_add_spring(r->builder, &def));
}

// ---- Mechanisms in space ----

static void build_revolute(rig *r) // double pendulum with skew axes
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id one = rig_link(r, "upper", pcs_v3(0.31, 0.02, 0), pcs_v3(0, 1.3, 0));
    pcs_body_id two = rig_link(r, "lower", pcs_v3(0.67, 0.05, -0.1), pcs_v3(0.4, 1.3, 0.3));
    rig_connect(r, "shoulder", PCS_JOINT_REVOLUTE, PCS_GROUND, one, pcs_v3(0, 0, 0),
                rig_z_along(0.1, 1, 0.05));
    rig_connect(r, "elbow", PCS_JOINT_REVOLUTE, one, two, pcs_v3(0.52, 0.03, -0.02),
                rig_z_along(-0.2, 1, 0.3));
}

static void build_fixed(rig *r) // a spherical pendulum welded together of two bodies
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id one = rig_link(r, "rod", pcs_v3(0.31, 0.02, 0), pcs_v3(0.7, 1.3, 0.2));
    pcs_body_id two = rig_link(r, "bob", pcs_v3(0.57, 0.11, -0.1), pcs_v3(0.7, 1.3, 0.2));
    rig_connect(r, "ball", PCS_JOINT_SPHERICAL, PCS_GROUND, one, pcs_v3(0, 0, 0), RIG_STRAIGHT);
    rig_connect(r, "weld", PCS_JOINT_FIXED, two, one, pcs_v3(0.5, 0.03, -0.02),
                rig_z_along(-0.2, 1, 0.3));
}

static void build_prismatic(rig *r) // a slider on a swinging arm, on a spring
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id arm = rig_link(r, "arm", pcs_v3(0.31, 0.02, 0), pcs_v3(0, 0.9, 0));
    pcs_body_id slider = rig_link(r, "slider", pcs_v3(0.45, 0.05, -0.1), pcs_v3(0, 0.9, 0));
    rig_connect(r, "hinge", PCS_JOINT_REVOLUTE, PCS_GROUND, arm, pcs_v3(0, 0, 0),
                rig_z_along(0.1, 1, 0.05));
    pcs_joint_def guide = rig_joint_def(r, "guide", PCS_JOINT_PRISMATIC, arm, slider,
                                        pcs_v3(0.4, 0.02, -0.02), rig_z_along(0.9, 0.1, -0.3));
    guide.drive[0].stiffness = 83.1;
    guide.drive[0].rest = 0.037;
    rig_join(r, &guide);
}

static void build_cylindrical(rig *r) // turns and slides on a tilted axis, held by a spring
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id body = rig_link(r, "sleeve", pcs_v3(0.21, 0.02, 0.1), pcs_v3(0.3, 0.1, 1.9));
    rig_connect(r, "axis", PCS_JOINT_CYLINDRICAL, PCS_GROUND, body, pcs_v3(0.1, 0, 0),
                rig_z_along(0.2, 0.1, 1));
    attach_spring(r, PCS_GROUND, pcs_v3(0.4, -0.3, 1.1), body, pcs_v3(0.2, 0.1, -0.05), 61.3, 0.4);
}

static void build_spherical(rig *r) // spinning top with a second body on its tip
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_def def = rig_body_def("top", 1.1, pcs_v3(0.011, 0.011, 0.019), pcs_v3(0, 0.08, 0.2));
    def.angular_velocity = pcs_v3(0.3, 2, 23);
    pcs_body_id top = rig_add(r, &def);
    pcs_body_id bob = rig_link(r, "bob", pcs_v3(0.1, 0.1, 0.3), pcs_v3(0.2, 0.7, 0.4));
    rig_connect(r, "tip", PCS_JOINT_SPHERICAL, PCS_GROUND, top, pcs_v3(0, 0, 0), RIG_STRAIGHT);
    rig_connect(r, "crown", PCS_JOINT_SPHERICAL, top, bob, pcs_v3(0, 0.12, 0.3), RIG_STRAIGHT);
}

static void build_universal(rig *r) // a pendulum on a cross
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id one = rig_link(r, "upper", pcs_v3(0.02, 0.1, -0.3), pcs_v3(0.9, 1.3, 0));
    pcs_body_id two = rig_link(r, "lower", pcs_v3(0.1, 0.14, -0.7), pcs_v3(-0.6, 0.4, 0.1));
    rig_connect(r, "cross", PCS_JOINT_UNIVERSAL, PCS_GROUND, one, pcs_v3(0, 0, 0), RIG_STRAIGHT);
    rig_connect(r, "second", PCS_JOINT_UNIVERSAL, one, two, pcs_v3(0.03, 0.13, -0.5),
                rig_turned(0.4));
}

static void build_planar(rig *r) // a plate slides on an incline, held by an eccentric spring
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id body = rig_link(r, "plate", pcs_v3(0.21, 0.02, 0.1), pcs_v3(0.3, 0.1, 1.9));
    rig_connect(r, "floor", PCS_JOINT_PLANAR, PCS_GROUND, body, pcs_v3(0.1, 0, 0),
                rig_z_along(0.2, 0.3, 1));
    attach_spring(r, PCS_GROUND, pcs_v3(0.4, -0.3, 0.1), body, pcs_v3(0.2, 0.1, -0.05), 61.3, 0.2);
}

static void build_screw(rig *r) // a nut on a swinging screw, on a spring
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id arm = rig_link(r, "spindle", pcs_v3(0.31, 0.02, 0), pcs_v3(0, 0.9, 0));
    pcs_body_id nut = rig_link(r, "nut", pcs_v3(0.45, 0.05, -0.1), pcs_v3(0.4, 0.9, 0));
    rig_connect(r, "hinge", PCS_JOINT_REVOLUTE, PCS_GROUND, arm, pcs_v3(0, 0, 0),
                rig_z_along(0.1, 1, 0.05));
    pcs_joint_def thread = rig_joint_def(r, "thread", PCS_JOINT_SCREW, arm, nut,
                                         pcs_v3(0.4, 0.02, -0.02), rig_z_along(0.9, 0.1, -0.3));
    thread.pitch = -0.127;
    thread.drive[0].stiffness = 0.31;
    thread.drive[0].rest = 0.4;
    rig_join(r, &thread);
}

static void build_distance(rig *r) // a body hangs on two rods, a point on one more
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id body = rig_link(r, "beam", pcs_v3(0.2, 0.1, -0.6), pcs_v3(0.3, 0.1, 0.9));
    pcs_body_id dot = rig_add_point(r, "dot", 0.47, pcs_v3(0.4, 0.2, -1.1), pcs_v3(0.5, -0.7, 0.1));
    pcs_joint_def rod = pcs_joint_default();
    rod.kind = PCS_JOINT_DISTANCE;
    const pcs_vec3 on_ground[2] = {{0, 0, 0}, {0.5, 0.1, 0.03}};
    const pcs_vec3 on_body[2] = {{-0.19, 0.02, 0.03}, {0.23, -0.04, 0.02}};
    for (int i = 0; i < 2; ++i) {
        rod.name = i == 0 ? "left" : "right";
        rod.a.position = on_ground[i];
        rod.b.body = body;
        rod.b.position = on_body[i];
        rig_join(r, &rod);
    }
    rod.name = "low";
    rod.a.body = dot;
    rod.a.position = pcs_v3(0, 0, 0);
    rod.b.position = pcs_v3(0.11, 0.07, -0.03);
    rig_join(r, &rod);
}

static void build_point_on_line(rig *r) // a bead and a body's corner on wires of a swinging frame
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id frame = rig_link(r, "frame", pcs_v3(0.1, 0.02, -0.2), pcs_v3(0.2, 0.9, 0));
    pcs_body_id bead = rig_add_point(r, "bead", 0.47, pcs_v3(0.4, 0.2, -0.3),
                                     pcs_v3(0.1, 0.2, -0.4));
    pcs_body_id body = rig_link(r, "body", pcs_v3(-0.3, 0.1, -0.5), pcs_v3(0.7, 0.9, 1.3));
    rig_connect(r, "pivot", PCS_JOINT_UNIVERSAL, PCS_GROUND, frame, pcs_v3(0, 0, 0), RIG_STRAIGHT);
    rig_connect(r, "wire", PCS_JOINT_POINT_ON_LINE, frame, bead, pcs_v3(0.4, 0.2, -0.3),
                rig_z_along(1, 0.2, 0.3));
    rig_connect(r, "edge", PCS_JOINT_POINT_ON_LINE, frame, body, pcs_v3(-0.2, 0.05, -0.4),
                rig_z_along(-0.8, 0.9, 0.1));
    attach_spring(r, frame, pcs_v3(0.1, 0, 0.1), bead, pcs_v3(0, 0, 0), 37.1, 0.2);
    attach_spring(r, frame, pcs_v3(-0.2, 0, 0.1), body, pcs_v3(0.1, 0.04, 0), 43.1, 0.2);
}

static void build_point_on_plane(rig *r) // a corner of a body slides on an incline, on a spring
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id body = rig_link(r, "body", pcs_v3(0.2, 0.1, 0.3), pcs_v3(0.7, 0.2, 1.9));
    rig_connect(r, "corner", PCS_JOINT_POINT_ON_PLANE, PCS_GROUND, body, pcs_v3(0.1, 0, 0.05),
                rig_z_along(0.2, 0.3, 1));
    attach_spring(r, PCS_GROUND, pcs_v3(0.1, -0.1, 0.9), body, pcs_v3(0.1, 0.1, 0.2), 71.3, 0.3);
}

static void build_gear(rig *r) // two wheels geared on a swinging carrier
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id carrier = rig_link(r, "carrier", pcs_v3(0.3, 0, 0.02), pcs_v3(0, 0.4, 0));
    pcs_body_id left = rig_link(r, "left", pcs_v3(0.2, 0.1, 0.03), pcs_v3(0.2, 1.7, 0.1));
    pcs_body_id right = rig_link(r, "right", pcs_v3(0.5, 0.1, 0.01), pcs_v3(0.1, -0.6, 0));
    rig_connect(r, "pivot", PCS_JOINT_REVOLUTE, PCS_GROUND, carrier, pcs_v3(0, 0, 0),
                rig_z_along(0.1, 1, 0.05));
    pcs_coupling_def gear = pcs_coupling_default();
    gear.name = "gear";
    gear.joint[0] = rig_connect(r, "first", PCS_JOINT_REVOLUTE, carrier, left, pcs_v3(0.19, 0.1, 0),
                                rig_z_along(0.1, 1, 0.3));
    gear.joint[1] = rig_connect(r, "other", PCS_JOINT_REVOLUTE, carrier, right,
                                pcs_v3(0.53, 0.1, 0), rig_z_along(-0.3, 1, 0.2));
    gear.ratio = 1.7;
    rig_must(r, pcs_builder_add_coupling(r->builder, &gear));
}

static void build_rack(rig *r) // a falling rack turns a pinion with an eccentric mass, on a spring
{
    rig_begin(r, 3, RIG_DOWN);
    pcs_body_id pinion = rig_link(r, "pinion", pcs_v3(0, 0.02, 0.01), pcs_v3(0.1, 2.3, 0));
    pcs_body_id rack = rig_link(r, "rack", pcs_v3(0.3, 0.1, 0.2), pcs_v3(0, 0, 0));
    pcs_joint_def guide = rig_joint_def(r, "guide", PCS_JOINT_PRISMATIC, PCS_GROUND, rack,
                                        pcs_v3(0.2, 0, 0), rig_z_along(0.1, 0.2, 1));
    guide.drive[0].stiffness = 53.1;
    pcs_coupling_def gear = pcs_coupling_default();
    gear.name = "teeth";
    gear.joint[0] = rig_connect(r, "shaft", PCS_JOINT_REVOLUTE, PCS_GROUND, pinion, pcs_v3(0, 0, 0),
                                rig_z_along(0.1, 1, 0.1));
    gear.joint[1] = rig_join(r, &guide);
    gear.ratio = -1 / 0.083;
    rig_must(r, pcs_builder_add_coupling(r->builder, &gear));
}

// ---- Mechanisms in the plane ----

static void build_revolute2(rig *r) // double pendulum whose lower link is a point on a body
{
    rig_begin(r, 2, RIG_DOWN2);
    pcs_body_id one = rig_link(r, "upper", pcs_v3(0.31, 0.02, 0), pcs_v3(0, 0, 1.3));
    pcs_body_id two = rig_link(r, "lower", pcs_v3(0.67, 0.05, 0), pcs_v3(0, 0, 0.3));
    rig_connect(r, "shoulder", PCS_JOINT_REVOLUTE, PCS_GROUND, one, pcs_v3(0, 0, 0),
                rig_turned(0.3));
    rig_connect(r, "elbow", PCS_JOINT_REVOLUTE, one, two, pcs_v3(0.52, 0.03, 0), rig_turned(-1.1));
}

static void build_prismatic2(rig *r)
{
    rig_begin(r, 2, RIG_DOWN2);
    pcs_body_id arm = rig_link(r, "arm", pcs_v3(0.31, 0.02, 0), pcs_v3(0, 0, 0.9));
    pcs_body_id slider = rig_link(r, "slider", pcs_v3(0.45, 0.05, 0), pcs_v3(0, 0, 0.9));
    rig_connect(r, "hinge", PCS_JOINT_REVOLUTE, PCS_GROUND, arm, pcs_v3(0, 0, 0), RIG_STRAIGHT);
    pcs_joint_def guide = rig_joint_def(r, "guide", PCS_JOINT_PRISMATIC, arm, slider,
                                        pcs_v3(0.4, 0.02, 0), rig_turned(0.23));
    guide.drive[0].stiffness = 83.1;
    guide.drive[0].rest = 0.037;
    rig_join(r, &guide);
}

static void build_fixed2(rig *r)
{
    rig_begin(r, 2, RIG_DOWN2);
    pcs_body_id one = rig_link(r, "rod", pcs_v3(0.31, 0.02, 0), pcs_v3(0, 0, 7.9)); // turns over
    pcs_body_id two = rig_link(r, "bob", pcs_v3(0.57, 0.11, 0), pcs_v3(0, 0, 7.9));
    rig_connect(r, "pin", PCS_JOINT_REVOLUTE, PCS_GROUND, one, pcs_v3(0, 0, 0), RIG_STRAIGHT);
    rig_connect(r, "weld", PCS_JOINT_FIXED, two, one, pcs_v3(0.5, 0.03, 0), rig_turned(2.7));
}

static void build_distance2(rig *r)
{
    rig_begin(r, 2, RIG_DOWN2);
    pcs_body_id body = rig_link(r, "beam", pcs_v3(0.2, -0.6, 0), pcs_v3(0, 0, 0.9));
    pcs_body_id dot = rig_add_point(r, "dot", 0.47, pcs_v3(0.4, -1.1, 0), pcs_v3(0.5, 0.1, 0));
    pcs_joint_def rod = pcs_joint_default();
    rod.kind = PCS_JOINT_DISTANCE;
    rod.name = "left";
    rod.b.body = body;
    rod.b.position = pcs_v3(-0.19, 0.02, 0);
    rig_join(r, &rod);
    rod.name = "low";
    rod.a.body = dot;
    rod.b.position = pcs_v3(0.11, -0.03, 0);
    rig_join(r, &rod);
}

static void build_point_on_line2(rig *r)
{
    rig_begin(r, 2, RIG_DOWN2);
    pcs_body_id frame = rig_link(r, "frame", pcs_v3(0.1, -0.2, 0), pcs_v3(0, 0, 0.9));
    pcs_body_id bead = rig_add_point(r, "bead", 0.47, pcs_v3(0.4, -0.3, 0), pcs_v3(0.1, -0.4, 0));
    rig_connect(r, "pivot", PCS_JOINT_REVOLUTE, PCS_GROUND, frame, pcs_v3(0, 0, 0), RIG_STRAIGHT);
    rig_connect(r, "wire", PCS_JOINT_POINT_ON_LINE, frame, bead, pcs_v3(0.4, -0.3, 0),
                rig_turned(0.37));
    attach_spring(r, frame, pcs_v3(0.1, 0.1, 0), bead, pcs_v3(0, 0, 0), 37.1, 0.2);
}

static void build_gear2(rig *r)
{
    rig_begin(r, 2, RIG_DOWN2);
    pcs_body_id carrier = rig_link(r, "carrier", pcs_v3(0.3, 0, 0), pcs_v3(0, 0, 0.4));
    pcs_body_id left = rig_link(r, "left", pcs_v3(0.2, 0.1, 0), pcs_v3(0, 0, 1.7));
    pcs_body_id right = rig_link(r, "right", pcs_v3(0.5, 0.1, 0), pcs_v3(0, 0, -0.6));
    rig_connect(r, "pivot", PCS_JOINT_REVOLUTE, PCS_GROUND, carrier, pcs_v3(0, 0, 0), RIG_STRAIGHT);
    pcs_coupling_def gear = pcs_coupling_default();
    gear.name = "gear";
    gear.joint[0] = rig_connect(r, "first", PCS_JOINT_REVOLUTE, carrier, left, pcs_v3(0.19, 0.1, 0),
                                rig_turned(2.1));
    gear.joint[1] = rig_connect(r, "other", PCS_JOINT_REVOLUTE, carrier, right,
                                pcs_v3(0.53, 0.1, 0), RIG_STRAIGHT);
    gear.ratio = 1.7;
    rig_must(r, pcs_builder_add_coupling(r->builder, &gear));
}

static void build_rack2(rig *r)
{
    rig_begin(r, 2, RIG_DOWN2);
    pcs_body_id pinion = rig_link(r, "pinion", pcs_v3(0, 0.02, 0), pcs_v3(0, 0, 2.3));
    pcs_body_id rack = rig_link(r, "rack", pcs_v3(0.3, 0.2, 0), pcs_v3(0, 0, 0));
    pcs_joint_def guide = rig_joint_def(r, "guide", PCS_JOINT_PRISMATIC, PCS_GROUND, rack,
                                        pcs_v3(0.2, 0, 0), rig_turned(1.3));
    guide.drive[0].stiffness = 53.1;
    pcs_coupling_def gear = pcs_coupling_default();
    gear.name = "teeth";
    gear.joint[0] = rig_connect(r, "shaft", PCS_JOINT_REVOLUTE, PCS_GROUND, pinion, pcs_v3(0, 0, 0),
                                RIG_STRAIGHT);
    gear.joint[1] = rig_join(r, &guide);
    gear.ratio = -1 / 0.083;
    rig_must(r, pcs_builder_add_coupling(r->builder, &gear));
}

// ---- Running them ----

// A rotation vector jumps to its opposite at half a turn, and its rate grows before.
static bool near_half_turn(const rig *r, pcs_joint_id j, const pcs_joint_view *view)
{
    return r->joint[j].kind == PCS_JOINT_SPHERICAL &&
           pcs_v3_norm(pcs_v3_load(view->coordinate)) > 2.8;
}

// Joint coordinates and rates as the views have them against the poses of the bodies.
static void check_coordinates(const rig *r, pcs_joint_view *last, double h)
{
    for (pcs_joint_id j = 0; j < r->n_joints; ++j) {
        pcs_joint_view view;
        double x[PCS_JOINT_COORDINATES_MAX];
        bool angle[PCS_JOINT_COORDINATES_MAX];
        pcs_simulation_joint(r->simulation, j, &view);
        int32_t n = rig_coordinates(r, j, x, angle);
        for (int32_t i = 0; i < n; ++i) {
            double off = view.coordinate[i] - x[i];
            off = angle[i] ? pcs_angle_wrap(off) : off;
            if (!(fabs(off) < 1e-12))
                fail_msg("joint %s, coordinate %d: %.15g, the bodies say %.15g", r->joint[j].name,
                         i, view.coordinate[i], x[i]);
            // Over the last step, x' mean of the ends to h^2 x'''/12; counts turns on the way.
            double mean = (view.coordinate[i] - last[j].coordinate[i]) / h;
            double ends = 0.5 * (view.rate[i] + last[j].rate[i]);
            if (!(fabs(mean - ends) < 1e4 * h * h) && !near_half_turn(r, j, &view))
                fail_msg("joint %s, coordinate %d: moves with %.10g but has rate %.10g",
                         r->joint[j].name, i, mean, ends);
        }
        last[j] = view;
    }
}

typedef struct outcome {
    double numerical; // largest |numerical| over the run
    double swing;     // largest - smallest potential energy
    double travel;    // largest change of a joint coordinate or way of a body, m or rad
} outcome;

// The longest way of a body since the start; rods keep their coordinate while the bodies move.
static double way(const rig *r, const pcs_body_view *start)
{
    double longest = 0;
    for (pcs_body_id b = 0; b < pcs_model_body_count(r->model); ++b) {
        pcs_body_view body;
        pcs_simulation_body(r->simulation, b, &body);
        longest = fmax(longest, pcs_v3_norm(pcs_v3_sub(body.position, start[b].position)));
    }
    return longest;
}

static outcome run(rig *r, double end, double step, bool coordinates)
{
    outcome out = {0};
    double low = HUGE_VAL, high = -HUGE_VAL;
    pcs_joint_view last[RIG_JOINTS_MAX], first[RIG_JOINTS_MAX];
    rig_finish(r, end, step);
    rig_must(r, pcs_simulation_start(r->simulation));
    for (pcs_joint_id j = 0; j < r->n_joints; ++j)
        pcs_simulation_joint(r->simulation, j, &first[j]);
    memcpy(last, first, sizeof last);
    pcs_body_view start[4];
    assert_true(pcs_model_body_count(r->model) <= 4);
    for (pcs_body_id b = 0; b < pcs_model_body_count(r->model); ++b)
        pcs_simulation_body(r->simulation, b, &start[b]);
    while (!pcs_simulation_finished(r->simulation)) {
        rig_step(r);
        const pcs_statistics *s = pcs_simulation_statistics(r->simulation);
        out.numerical = fmax(out.numerical, fabs(s->energy.numerical));
        low = fmin(low, s->energy.potential);
        high = fmax(high, s->energy.potential);
        if (!coordinates)
            continue;
        check_coordinates(r, last, step);
        out.travel = fmax(out.travel, way(r, start));
        for (pcs_joint_id j = 0; j < r->n_joints; ++j)
            for (int i = 0; i < PCS_JOINT_COORDINATES_MAX; ++i)
                out.travel = fmax(out.travel, fabs(last[j].coordinate[i] - first[j].coordinate[i]));
    }
    out.swing = high - low;
    return out;
}

typedef struct mechanism {
    const char *name;
    void (*build)(rig *r);
} mechanism;

static const mechanism MECHANISMS[] = {
    {"revolute", build_revolute},
    {"fixed", build_fixed},
    {"prismatic", build_prismatic},
    {"cylindrical", build_cylindrical},
    {"spherical", build_spherical},
    {"universal", build_universal},
    {"planar", build_planar},
    {"screw", build_screw},
    {"distance", build_distance},
    {"point-on-line", build_point_on_line},
    {"point-on-plane", build_point_on_plane},
    {"gear", build_gear},
    {"rack", build_rack},
    {"revolute, planar", build_revolute2},
    {"prismatic, planar", build_prismatic2},
    {"fixed, planar", build_fixed2},
    {"distance, planar", build_distance2},
    {"point-on-line, planar", build_point_on_line2},
    {"gear, planar", build_gear2},
    {"rack, planar", build_rack2},
};
enum { MECHANISM_COUNT = sizeof MECHANISMS / sizeof *MECHANISMS };

// Ten seconds: no drift, the joints move by at least 0.3 m or rad, coordinates are right, and the
// energy error stays below (h w)^2 of the swing with w = 40 rad/s, above the fastest of the rates.
static void ten_seconds(void **state)
{
    const mechanism *m = *state;
    rig r;
    m->build(&r);
    outcome out = run(&r, END, STEP, true);
    rig_check_drift(&r, 0);
    double limit = 40 * STEP * 40 * STEP;
    print_message("%-22s drift %.1e, energy error / swing %.1e, travel %.2f\n", m->name,
                  pcs_simulation_statistics(r.simulation)->worst_drift, out.numerical / out.swing,
                  out.travel);
    assert_true(out.travel > 0.3);
    assert_true(out.numerical < limit * out.swing);
    rig_end(&r);
}

// The energy error goes down with the square of the step (half a second, before chaos sets in).
static void energy_order(void **state)
{
    const mechanism *m = *state;
    double error[2];
    for (int i = 0; i < 2; ++i) {
        rig r;
        m->build(&r);
        error[i] = run(&r, 0.5, i == 0 ? 2 * STEP : STEP, false).numerical;
        rig_end(&r);
    }
    print_message("%-22s order %.2f\n", m->name, log2(error[0] / error[1]));
    // Errors at the level of rounding have no order: sums of 500 steps of energies near 10 J.
    const double rounding = 1e-11;
    assert_true(error[1] < rounding || log2(error[0] / error[1]) > 1.8);
}

// ---- Closed forms ----

// A nut on a vertical screw falls with z'' = -g m/(m + J/p^2), p = pitch/(2 pi): constant, so the
// scheme is exact.
static void nut_on_a_screw(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, RIG_DOWN);
    const double m = 1.37, J = 0.029, pitch = 0.053, p = pitch / (2 * PCS_PI);
    pcs_body_def def = rig_body_def("nut", m, pcs_v3(0.021, 0.034, J), pcs_v3(0, 0, 0.3));
    pcs_body_id nut = rig_add(&r, &def);
    pcs_joint_def thread = rig_joint_def(&r, "thread", PCS_JOINT_SCREW, PCS_GROUND, nut,
                                         pcs_v3(0, 0, 0.1), RIG_STRAIGHT);
    thread.pitch = pitch;
    rig_join(&r, &thread);
    run(&r, END, STEP, true);
    rig_check_drift(&r, 0);
    double fall = 0.5 * 9.81 * m / (m + J / (p * p)) * END * END;
    pcs_body_view body;
    pcs_joint_view joint;
    pcs_simulation_body(r.simulation, nut, &body);
    pcs_simulation_joint(r.simulation, 0, &joint);
    // 10000 steps of rounding in z and in the velocity that is summed into it
    assert_true(fabs(body.position.z - (0.3 - fall)) < 1e-10);
    assert_true(fabs(joint.coordinate[0] + fall / p) < 1e-8);
    assert_true(fabs(joint.coordinate[0]) > 20 * PCS_PI); // many turns were counted
    rig_end(&r);
}

// Two shafts under the angle b on a universal joint: tan x2 = tan x1 cos b. Two bearings and the
// cross hold the second shaft three times too often.
static void hooke_joint(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, RIG_DOWN);
    const double b = 0.61;
    pcs_body_id one = rig_link(&r, "input", pcs_v3(-0.3, 0.01, 0.02), pcs_v3(0, 0, 0));
    pcs_body_id two = rig_link(&r, "output", pcs_v3(0.3 * cos(b), 0.3 * sin(b), 0.01),
                               pcs_v3(0, 0, 0));
    pcs_joint_def motor = rig_joint_def(&r, "motor", PCS_JOINT_REVOLUTE, PCS_GROUND, one,
                                        pcs_v3(-0.5, 0, 0), rig_z_along(1, 0, 0));
    motor.drive[0].has_motion = true;
    motor.drive[0].motion = pcs_expression("1.3*t + 0.4*(1 - cos(2*t))");
    rig_join(&r, &motor);
    pcs_mat3 cross = pcs_m3_from_columns(pcs_v3(0, 0, 1), pcs_v3(-sin(b), cos(b), 0),
                                         pcs_v3(-cos(b), -sin(b), 0));
    rig_connect(&r, "cross", PCS_JOINT_UNIVERSAL, one, two, pcs_v3(0, 0, 0),
                pcs_quat_from_matrix(&cross));
    rig_connect(&r, "bearing", PCS_JOINT_REVOLUTE, PCS_GROUND, two,
                pcs_v3(0.5 * cos(b), 0.5 * sin(b), 0), rig_z_along(cos(b), sin(b), 0));
    rig_finish(&r, END, STEP);
    while (!pcs_simulation_finished(r.simulation)) {
        rig_step(&r);
        double t = pcs_simulation_time(r.simulation), x1 = 1.3 * t + 0.4 * (1 - cos(2 * t));
        pcs_joint_view input, output;
        pcs_simulation_joint(r.simulation, 0, &input);
        pcs_simulation_joint(r.simulation, 2, &output);
        double x2 = atan2(sin(x1) * cos(b), cos(x1));
        assert_true(fabs(input.coordinate[0] - x1) < RIG_DRIFT);
        // dx2/dx1 <= 1/cos b multiplies the drift of the rows
        assert_true(fabs(pcs_angle_wrap(output.coordinate[0] - x2)) < 10 * RIG_DRIFT);
        assert_true(fabs(output.coordinate[0] - x1) < 0.5 * PCS_PI); // the same turn
    }
    rig_check_drift(&r, 3);
    rig_end(&r);
}

// ---- Redundant joints ----

static int32_t named_redundant_rows(const rig *r, const char *joint)
{
    int32_t count = 0;
    for (int32_t i = 0; i < pcs_model_row_count(r->model); ++i)
        if (pcs_simulation_row_is_redundant(r->simulation, i) &&
            strstr(pcs_model_row_name(r->model, i), joint))
            ++count;
    return count;
}

// Four parallel hinges hold three bodies with 20 rows where 17 do.
static void four_bar_in_space(void **state)
{
    (void)state;
    rig r;
    rig_begin(&r, 3, RIG_DOWN);
    const pcs_vec3 pin[4] = {{0, 0, 0}, {0.06, 0, 0.29}, {0.81, 0, 0.47}, {0.9, 0, 0.01}};
    static const char *const body_name[3] = {"crank", "coupler", "rocker"};
    static const char *const joint_name[4] = {"a", "b", "c", "d"};
    pcs_body_id body[5] = {PCS_GROUND, 0, 0, 0, PCS_GROUND};
    for (int i = 0; i < 3; ++i) {
        pcs_vec3 middle = pcs_v3_scale(0.5, pcs_v3_add(pin[i], pin[i + 1]));
        body[i + 1] = rig_link(&r, body_name[i], middle, pcs_v3(0, i == 0 ? 4.1 : 0, 0));
    }
    for (int i = 0; i < 4; ++i)
        rig_connect(&r, joint_name[i], PCS_JOINT_REVOLUTE, body[i], body[i + 1], pin[i],
                    rig_z_along(0, 1, 0));
    outcome out = run(&r, END, STEP, true);
    rig_check_drift(&r, 3);
    assert_int_equal(named_redundant_rows(&r, "joint."), 3);
    assert_true(out.travel > 0.3 && out.numerical < 40 * STEP * 40 * STEP * out.swing);
    rig_end(&r);
}

// A door on two hinges: one of them is redundant and the door moves as on one.
static void door_on_two_hinges(void **state)
{
    (void)state;
    double angle[2];
    for (int hinges = 1; hinges <= 2; ++hinges) {
        rig r;
        rig_begin(&r, 3, pcs_v3(0.7, 0.3, -9.81));
        pcs_body_id door = rig_link(&r, "door", pcs_v3(0.41, 0.02, 1), pcs_v3(0.02, 0.05, 1.1));
        pcs_quat axis = rig_z_along(0.05, 0.02, 1);
        const pcs_vec3 up = pcs_v3_scale(1.4 / pcs_v3_norm(pcs_v3(0.05, 0.02, 1)),
                                         pcs_v3(0.05, 0.02, 1));
        rig_connect(&r, "lower", PCS_JOINT_REVOLUTE, PCS_GROUND, door, pcs_v3(0, 0, 0.3), axis);
        if (hinges == 2)
            rig_connect(&r, "upper", PCS_JOINT_REVOLUTE, PCS_GROUND, door,
                        pcs_v3_add(pcs_v3(0, 0, 0.3), up), axis);
        run(&r, END, STEP, true);
        rig_check_drift(&r, hinges == 2 ? 5 : 0);
        if (hinges == 2)
            assert_int_equal(named_redundant_rows(&r, "joint.lower") +
                                 named_redundant_rows(&r, "joint.upper"),
                             5);
        pcs_joint_view view;
        pcs_simulation_joint(r.simulation, 0, &view);
        angle[hinges - 1] = view.coordinate[0];
        rig_end(&r);
    }
    assert_true(fabs(angle[0] - angle[1]) < 1e-8);
}

int main(void)
{
    enum { TABLED = 2 * MECHANISM_COUNT };
    struct CMUnitTest tests[TABLED + 4];
    char names[TABLED][64];
    int n = 0;
    for (int i = 0; i < MECHANISM_COUNT; ++i) {
        snprintf(names[n], sizeof names[n], "ten seconds: %s", MECHANISMS[i].name);
        tests[n] = (struct CMUnitTest)cmocka_unit_test_prestate(ten_seconds,
                                                                (void *)(uintptr_t)&MECHANISMS[i]);
        tests[n].name = names[n];
        ++n;
        snprintf(names[n], sizeof names[n], "energy order: %s", MECHANISMS[i].name);
        tests[n] = (struct CMUnitTest)cmocka_unit_test_prestate(energy_order,
                                                                (void *)(uintptr_t)&MECHANISMS[i]);
        tests[n].name = names[n];
        ++n;
    }
    const struct CMUnitTest single[] = {
        cmocka_unit_test(nut_on_a_screw),
        cmocka_unit_test(hooke_joint),
        cmocka_unit_test(four_bar_in_space),
        cmocka_unit_test(door_on_two_hinges),
    };
    memcpy(tests + n, single, sizeof single);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Builders of the mechanisms in mechanisms.h.
#include "support/mechanisms.h"

#include <math.h>
#include <stdio.h>

#include "math/rotation.h"

static const double g = 9.81; // m/s^2
static const pcs_vec3 origin = {0, 0, 0};

static pcs_frame point_on(pcs_body_id body, pcs_vec3 position)
{
    return scene_frame(body, position, origin);
}

// A joint between points of two bodies, given in their frames, axes as in the bodies.
static pcs_joint_id join(scene *s, const char *name, pcs_joint_kind kind, pcs_frame a, pcs_frame b)
{
    pcs_joint_def def = pcs_joint_default();
    def.name = name;
    def.kind = kind;
    def.a = a;
    def.b = b;
    return scene_joint(s, &def);
}

// A planar body with its frame in the centre of mass.
static pcs_body_id add_planar(scene *s, const char *name, double mass, double inertia,
                              pcs_vec3 position, double angle, pcs_vec3 velocity, double rate)
{
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.mass = mass;
    def.inertia.m[2][2] = inertia;
    def.position = position;
    def.angle = angle;
    def.velocity = velocity;
    def.angular_velocity.z = rate;
    return scene_body(s, &def);
}

// ---- Pendulums ----

// IFToMM A01: 1 kg at 1 m from the origin, from horizontal at rest. The rigid one has its centre of
// mass at c = 0.8 m and J = m c (1 - c), so that its reduced length (J + m c^2)/(m c) is 1 m.
void mechanism_pendulum(scene *s, int32_t dimension, pendulum_kind kind, pcs_vec3 *arm)
{
    const double c = 0.8, J = c * (1 - c);
    scene_begin(s, dimension, pcs_v3(0, -g, 0));
    if (kind == PENDULUM_POINT) {
        pcs_body_id bob = scene_point(s, "bob", 1, pcs_v3(1, 0, 0), origin);
        join(s, "bar", PCS_JOINT_DISTANCE, pcs_frame_default(), point_on(bob, origin));
        *arm = origin;
        return;
    }
    pcs_body_def def = pcs_body_default();
    def.name = "bob";
    def.mass = 1;
    def.inertia = (pcs_mat3){{{0.3 * J, 0, 0}, {0, 0.9 * J, 0}, {0, 0, J}}};
    def.position = pcs_v3(c, 0, 0);
    pcs_body_id bob = scene_body(s, &def);
    join(s, "hinge", PCS_JOINT_REVOLUTE, pcs_frame_default(), point_on(bob, pcs_v3(-c, 0, 0)));
    *arm = pcs_v3(1 - c, 0, 0);
}

void mechanism_pendulum_wall(scene *s, double restitution)
{
    pcs_vec3 arm;
    mechanism_pendulum(s, 2, PENDULUM_RIGID, &arm);
    // The wall's normal is +x: the line along x of a frame turned by -90 degrees.
    pcs_contact_def wall = scene_contact_def(
        "wall", PCS_CONTACT_POINT_PLANE,
        scene_frame(PCS_GROUND, origin, pcs_v3(0, 0, -0.5 * PCS_PI)), 0,
        (pcs_law){.restitution = restitution});
    wall.b.position = arm;
    scene_contact(s, &wall);
}

void mechanism_double_pendulum(scene *s, int32_t dimension, const double angle[2])
{
    const char *const names[2] = {"upper", "lower"};
    scene_begin(s, dimension, pcs_v3(0, -g, 0));
    pcs_vec3 pin = origin;
    for (int i = 0; i < 2; ++i) {
        const double l = DOUBLE_PENDULUM_LENGTH[i], m = DOUBLE_PENDULUM_MASS[i];
        const double J = m * l * l / 12;
        const pcs_vec3 along = pcs_v3(cos(angle[i]), sin(angle[i]), 0);
        pcs_body_def def = pcs_body_default();
        def.name = names[i];
        def.mass = m;
        def.inertia = (pcs_mat3){{{0.1 * J, 0, 0}, {0, J, 0}, {0, 0, J}}};
        def.position = pcs_v3_axpy(pin, 0.5 * l, along);
        if (dimension == 2)
            def.angle = angle[i];
        else
            def.rotation = pcs_so3_exp(pcs_v3(0, 0, angle[i]));
        scene_body(s, &def);
        pcs_frame end = i == 0 ? pcs_frame_default()
                               : point_on(0, pcs_v3(0.5 * DOUBLE_PENDULUM_LENGTH[0], 0, 0));
        join(s, i == 0 ? "hinge" : "knee", PCS_JOINT_REVOLUTE, end,
             point_on(i, pcs_v3(-0.5 * l, 0, 0)));
        pin = pcs_v3_axpy(pin, l, along);
    }
}

// Links 0.25 x 0.025 x 0.025 m of 500 kg/m^3, start horizontal at rest.
void mechanism_chain(scene *s, int32_t links, int32_t dimension)
{
    const double half = 0.5 * CHAIN_LINK_LENGTH, thickness = 0.025;
    const pcs_vec3 z_to_y = {-0.5 * PCS_PI, 0, 0}; // hinge axis z of the frames along world y
    scene_begin(s, dimension, dimension == 2 ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
    for (int32_t i = 0; i < links; ++i) {
        char name[16];
        snprintf(name, sizeof name, "link%d", (int)i);
        scene_box(s, name, CHAIN_LINK_MASS, pcs_v3(CHAIN_LINK_LENGTH, thickness, thickness),
                  pcs_v3(half + CHAIN_LINK_LENGTH * i, 0, 0), origin, origin);
        snprintf(name, sizeof name, "hinge%d", (int)i);
        pcs_vec3 turn = dimension == 2 ? origin : z_to_y;
        join(s, name, PCS_JOINT_REVOLUTE,
             scene_frame(i - 1, i == 0 ? origin : pcs_v3(half, 0, 0), turn), // PCS_GROUND is -1
             scene_frame(i, pcs_v3(-half, 0, 0), turn));
    }
}

// ---- Tops ----

static pcs_mat3 diagonal(pcs_vec3 d)
{
    return (pcs_mat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
}

void mechanism_top(scene *s, const top_data *data)
{
    scene_begin(s, 3, pcs_v3(0, 0, -g));
    pcs_body_def def = pcs_body_default();
    def.name = "top";
    def.mass = data->mass;
    def.center = pcs_v3(0, 0, data->length);
    def.inertia = diagonal(data->inertia);
    def.rotation = data->rotation;
    def.angular_velocity = pcs_quat_rotate(data->rotation, data->angular_velocity);
    pcs_body_id top = scene_body(s, &def);
    join(s, "tip", PCS_JOINT_SPHERICAL, pcs_frame_default(), point_on(top, origin));
}

void mechanism_free_body(scene *s, double mass, pcs_vec3 inertia, pcs_vec3 angular_velocity)
{
    scene_begin(s, 3, origin);
    pcs_body_def def = pcs_body_default();
    def.name = "body";
    def.mass = mass;
    def.inertia = diagonal(inertia);
    def.angular_velocity = angular_velocity;
    scene_body(s, &def);
}

// ---- Linkages in the plane ----

// IFToMM A02: uniform rods of 1 m and 1 kg on pins (k, 0), upright, the upper pins move with 1 m/s.
void mechanism_windows(scene *s, int32_t windows)
{
    const double J = 1.0 / 12;
    char name[32];
    scene_begin(s, 2, pcs_v3(0, -g, 0));
    for (int32_t k = 0; k <= windows; ++k) {
        snprintf(name, sizeof name, "crank%d", (int)k);
        pcs_body_id crank = add_planar(s, name, 1, J, pcs_v3(k, 0.5, 0), 0.5 * PCS_PI,
                                       pcs_v3(0.5, 0, 0), -1);
        snprintf(name, sizeof name, "pin%d", (int)k);
        join(s, name, PCS_JOINT_REVOLUTE, point_on(PCS_GROUND, pcs_v3(k, 0, 0)),
             point_on(crank, pcs_v3(-0.5, 0, 0)));
    }
    for (int32_t k = 0; k < windows; ++k) {
        snprintf(name, sizeof name, "coupler%d", (int)k);
        pcs_body_id coupler = add_planar(s, name, 1, J, pcs_v3(k + 0.5, 1, 0), 0, pcs_v3(1, 0, 0),
                                         0);
        for (int32_t end = 0; end < 2; ++end) {
            snprintf(name, sizeof name, "top%d%s", (int)k, end == 0 ? "left" : "right");
            join(s, name, PCS_JOINT_REVOLUTE, point_on(k + end, pcs_v3(0.5, 0, 0)),
                 point_on(coupler, pcs_v3(end - 0.5, 0, 0)));
        }
    }
}

// IFToMM A03, IVP Test Set "Andrews' squeezing mechanism": no gravity, torque 0.033 N m on K1,
// spring between C and D on K3. Angles: K1 beta, K2 beta + Theta, K3 gamma, K4 Phi + delta, K5
// delta, K6 Omega + epsilon, K7 epsilon. Every body has its frame in a pin.
void mechanism_squeezer(scene *s)
{
    const double beta = -0.0617138900142764496, gamma = 0.455279819163070380,
                 phi = 0.222668390165885885, delta = 0.487364979543842550,
                 omega = -0.222668390165885885, epsilon = 1.23054744454982119;
    const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035,
                 sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04,
                 ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;
    const pcs_vec3 A = {-.06934, -.00227, 0}, B = {-.03635, .03273, 0}, C = {.014, .072, 0};
    const pcs_vec3 pin = {rr * cos(beta), rr * sin(beta), 0};
    const pcs_vec3 P = {(rr - d) * cos(beta), (rr - d) * sin(beta), 0}; // Theta = 0
    const struct {
        const char *name;
        double mass, inertia;
        pcs_vec3 center, position;
        double angle;
    } body[7] = {
        {"K1", .04325, 2.194e-6, {ra, 0, 0}, {0, 0, 0}, beta},
        {"K2", .00365, 4.410e-7, {-da, 0, 0}, pin, beta},
        {"K3", .02373, 5.255e-6, {sb, -sa, 0}, B, gamma},
        {"K4", .00706, 5.667e-7, {0, ea, 0}, P, phi + delta},
        {"K5", .07050, 1.169e-5, {ta, tb, 0}, A, delta},
        {"K6", .00706, 5.667e-7, {-fa, 0, 0}, P, omega + epsilon},
        {"K7", .05498, 1.912e-5, {ub, -ua, 0}, A, epsilon},
    };
    enum { K1, K2, K3, K4, K5, K6, K7 };
    scene_begin(s, 2, origin);
    for (int i = 0; i < 7; ++i) {
        pcs_body_def def = pcs_body_default();
        def.name = body[i].name;
        def.mass = body[i].mass;
        def.inertia.m[2][2] = body[i].inertia;
        def.center = body[i].center;
        def.position = body[i].position;
        def.angle = body[i].angle;
        scene_body(s, &def);
    }
    pcs_joint_def motor = pcs_joint_default();
    motor.name = "O";
    motor.kind = PCS_JOINT_REVOLUTE;
    motor.b.body = K1;
    motor.drive[0].actuator = pcs_number(0.033);
    scene_joint(s, &motor);
    const pcs_joint_kind revolute = PCS_JOINT_REVOLUTE;
    join(s, "pin", revolute, point_on(K1, pcs_v3(rr, 0, 0)), point_on(K2, origin));
    join(s, "B", revolute, point_on(PCS_GROUND, B), point_on(K3, origin));
    join(s, "A5", revolute, point_on(PCS_GROUND, A), point_on(K5, origin));
    join(s, "A7", revolute, point_on(PCS_GROUND, A), point_on(K7, origin));
    join(s, "P3", revolute, point_on(K2, pcs_v3(-d, 0, 0)), point_on(K3, pcs_v3(0, -ss, 0)));
    join(s, "P4", revolute, point_on(K2, pcs_v3(-d, 0, 0)), point_on(K4, origin));
    join(s, "P6", revolute, point_on(K2, pcs_v3(-d, 0, 0)), point_on(K6, origin));
    join(s, "E", revolute, point_on(K5, pcs_v3(zt, 0, 0)), point_on(K4, pcs_v3(0, e, 0)));
    join(s, "H", revolute, point_on(K7, pcs_v3(0, -u, 0)), point_on(K6, pcs_v3(-zf, 0, 0)));
    pcs_spring_def spring = pcs_spring_default();
    spring.name = "spring";
    spring.kind = PCS_SPRING_POINT;
    spring.a = point_on(PCS_GROUND, C);
    spring.b = point_on(K3, pcs_v3(sd, -sc, 0));
    spring.stiffness = 4530;
    spring.rest = 0.07785;
    scene_spring(s, &spring);
}

static pcs_vec3 polar(double length, double angle)
{
    return pcs_v3(length * cos(angle), length * sin(angle), 0);
}

// A uniform rod of 1 kg from `start`, moving there with `velocity` and turning with `rate`.
static pcs_body_id add_rod(scene *s, const char *name, double length, pcs_vec3 start, double angle,
                           pcs_vec3 velocity, double rate)
{
    pcs_vec3 half = polar(0.5 * length, angle);
    return add_planar(s, name, 1, length * length / 12, pcs_v3_add(start, half), angle,
                      pcs_v3_axpy(velocity, rate, pcs_v3(-half.y, half.x, 0)), rate);
}

// [Haddouni2015] 4.1: constant torque on the first joint, gravity, from rest. l2 = sqrt(0.13) and
// phi2(0) are the consistent values (digest, traps 13 and 20).
void mechanism_four_bar(scene *s)
{
    const double l1 = 0.3, l2 = sqrt(0.13), l3 = 0.4, d = 0.7;
    const double phi1 = PCS_PI / 3, phi2 = 0.242563874095, phi3 = 2 * PCS_PI / 3;
    scene_begin(s, 2, pcs_v3(0, -g, 0));
    pcs_body_id rod1 = add_rod(s, "rod1", l1, origin, phi1, origin, 0);
    pcs_body_id rod2 = add_rod(s, "rod2", l2, polar(l1, phi1), phi2, origin, 0);
    pcs_body_id rod3 = add_rod(s, "rod3", l3, pcs_v3(d, 0, 0), phi3, origin, 0);
    pcs_joint_def motor = pcs_joint_default();
    motor.name = "motor";
    motor.kind = PCS_JOINT_REVOLUTE;
    motor.b = point_on(rod1, pcs_v3(-0.5 * l1, 0, 0));
    motor.drive[0].actuator = pcs_number(6);
    scene_joint(s, &motor);
    join(s, "elbow", PCS_JOINT_REVOLUTE, point_on(rod1, pcs_v3(0.5 * l1, 0, 0)),
         point_on(rod2, pcs_v3(-0.5 * l2, 0, 0)));
    join(s, "rocker", PCS_JOINT_REVOLUTE, point_on(PCS_GROUND, pcs_v3(d, 0, 0)),
         point_on(rod3, pcs_v3(-0.5 * l3, 0, 0)));
    join(s, "closure", PCS_JOINT_REVOLUTE, point_on(rod3, pcs_v3(0.5 * l3, 0, 0)),
         point_on(rod2, pcs_v3(0.5 * l2, 0, 0)));
}

// [Haddouni2015] 4.2 with l2 = 2 m (digest, trap 21): stretched along x, rates 4 and -2 rad/s.
void mechanism_slider_crank(scene *s)
{
    const double l1 = 1, l2 = 2, w1 = 4, w2 = -2;
    scene_begin(s, 2, pcs_v3(0, -g, 0));
    pcs_body_id crank = add_rod(s, "crank", l1, origin, 0, origin, w1);
    pcs_body_id rod = add_rod(s, "rod", l2, pcs_v3(l1, 0, 0), 0, pcs_v3(0, l1 * w1, 0), w2);
    pcs_body_id slider = add_planar(s, "slider", 1, 0.01, pcs_v3(l1 + l2, 0, 0), 0, origin, 0);
    join(s, "main", PCS_JOINT_REVOLUTE, pcs_frame_default(),
         point_on(crank, pcs_v3(-0.5 * l1, 0, 0)));
    join(s, "pin", PCS_JOINT_REVOLUTE, point_on(crank, pcs_v3(0.5 * l1, 0, 0)),
         point_on(rod, pcs_v3(-0.5 * l2, 0, 0)));
    join(s, "wrist", PCS_JOINT_REVOLUTE, point_on(rod, pcs_v3(0.5 * l2, 0, 0)),
         point_on(slider, origin));
    join(s, "guide", PCS_JOINT_PRISMATIC, pcs_frame_default(), point_on(slider, origin));
}

// Flores, Leine, Glocker, Multibody System Dynamics 23 (2010) 165: mechanism and law; stretched
// along x.
void mechanism_slider_crank_clearance(scene *s)
{
    const double l1 = .153, l2 = .306, a = .05, b = .025, c = .001, w1 = 150, w2 = -75;
    scene_begin(s, 2, pcs_v3(0, -g, 0));
    pcs_body_id crank = add_planar(s, "crank", .038, 7.4e-5, pcs_v3(0.5 * l1, 0, 0), 0,
                                   pcs_v3(0, 0.5 * l1 * w1, 0), w1);
    pcs_body_id rod = add_planar(s, "rod", .038, 5.9e-4, pcs_v3(l1 + 0.5 * l2, 0, 0), 0,
                                 pcs_v3(0, l1 * w1 + 0.5 * l2 * w2, 0), w2);
    pcs_body_id slider = add_planar(s, "slider", .076, 2.7e-6, pcs_v3(l1 + l2, 0, 0), 0,
                                    pcs_v3(0, l1 * w1 + l2 * w2, 0), 0);
    join(s, "main", PCS_JOINT_REVOLUTE, pcs_frame_default(),
         point_on(crank, pcs_v3(-0.5 * l1, 0, 0)));
    join(s, "pin", PCS_JOINT_REVOLUTE, point_on(crank, pcs_v3(0.5 * l1, 0, 0)),
         point_on(rod, pcs_v3(-0.5 * l2, 0, 0)));
    join(s, "wrist", PCS_JOINT_REVOLUTE, point_on(rod, pcs_v3(0.5 * l2, 0, 0)),
         point_on(slider, origin));
    pcs_contact_def guide = scene_contact_def("guide", PCS_CONTACT_SLIDER_GUIDE,
                                              pcs_frame_default(), slider,
                                              (pcs_law){.friction = 0.01, .restitution = 0.4});
    guide.size = pcs_v3(2 * a, 2 * b, 0);
    guide.width = 2 * (b + c);
    scene_contact(s, &guide);
}

// ---- In space ----

// IFToMM A04: rods of 1 m, 1 kg, section 0.1 x 0.1 m on the edges of a cube; gravity -y.
void mechanism_bricard(scene *s)
{
    static const char *const names[5] = {"rod1", "rod2", "rod3", "rod4", "rod5"};
    static const char *const hinges[6] = {"hinge1", "hinge2", "hinge3",
                                          "hinge4", "hinge5", "hinge6"};
    const pcs_vec3 corner[6] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const pcs_vec3 hinge_axis[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0},
                                    {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    const double along = 1.0 / 600, across = 1.01 / 12;
    scene_begin(s, 3, pcs_v3(0, -g, 0));
    for (int i = 0; i < 5; ++i) {
        pcs_vec3 axis = pcs_v3_sub(corner[i + 1], corner[i]);
        pcs_body_def def = pcs_body_default();
        def.name = names[i];
        def.mass = 1;
        def.inertia = diagonal(pcs_v3(fabs(axis.x) > 0.5 ? along : across,
                                      fabs(axis.y) > 0.5 ? along : across,
                                      fabs(axis.z) > 0.5 ? along : across));
        def.position = corner[i == BRICARD_ROD2 ? i + 1 : i];
        def.center = pcs_v3_scale(i == BRICARD_ROD2 ? -0.5 : 0.5, axis);
        scene_body(s, &def);
    }
    for (int i = 0; i < 6; ++i) {
        pcs_joint_def hinge = pcs_joint_default();
        pcs_quat rotation = pcs_quat_from_z_axis(hinge_axis[i], origin);
        hinge.name = hinges[i];
        hinge.kind = PCS_JOINT_REVOLUTE;
        pcs_body_id before = i == 0 ? PCS_GROUND : i - 1, after = i == 5 ? PCS_GROUND : i;
        scene_require(s, pcs_builder_frame_at(s->builder, before, corner[i], rotation, &hinge.a));
        scene_require(s, pcs_builder_frame_at(s->builder, after, corner[i], rotation, &hinge.b));
        scene_joint(s, &hinge);
    }
}

const four_bar_state four_bar_reference[FOUR_BAR_TIMES] = {
    {0.5,
     {-0.6642966296, -0.5364152565, 4.3175034232},
     {-5.9945711024, 4.8564218812, -0.5791706005},
     {9.293639457, 3.117863186},
     1e-9},
    {1,
     {1.5582658244, -0.4912322512, 2.8108505916},
     {2.271651346, 11.234125925, -9.463125870},
     {111.550177, -44.099083},
     1e-6},
    {2,
     {0.2701647217, -1.2613123892, 3.8602783870},
     {6.1958043856, -2.4366483250, -5.0611138612},
     {3.454776547, -1.781458590},
     1e-9},
};

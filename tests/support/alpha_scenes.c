#include "support/alpha_scenes.h"

#include <math.h>

#include "math/rotation.h"
#include "math/vector.h"

static const pcs_vec3 zero = {0, 0, 0};

static void begin(scene *s, int32_t dimension, pcs_vec3 gravity)
{
    scene_begin(s, dimension, gravity);
    s->scheme = "nonsmooth-alpha";
}

void alpha_scene_box(scene *s)
{
    begin(s, 3, pcs_v3(0, 0, -9.81));
    pcs_body_def def = pcs_body_default();
    def.name = "box";
    def.mass = 46.8;
    def.inertia.m[0][0] = 0.507;
    def.inertia.m[1][1] = 0.39;
    def.inertia.m[2][2] = 0.195;
    def.position = pcs_v3(0, 0, 1);
    def.velocity = pcs_v3(3, 0, 0);
    def.angular_velocity = pcs_v3(60, 60, 0);
    const pcs_body_id box = scene_body(s, &def);
    scene_box_on_plane(s, "floor", box, pcs_v3(0.1, 0.2, 0.3), zero, zero,
                       (pcs_law){.restitution = 0.8});
}

void alpha_scene_incline(scene *s)
{
    const double slope = PCS_PI / 12;
    begin(s, 2, pcs_v3(-9.81 * sin(slope), -9.81 * cos(slope), 0));
    const pcs_body_id body = scene_point(s, "body", 1, zero, pcs_v3(2, 0, 0));
    const pcs_contact_def def = scene_contact_def(
        "plane", PCS_CONTACT_POINT_PLANE, pcs_frame_default(), body, (pcs_law){.friction = 0.3});
    scene_contact(s, &def);
}

void alpha_scene_rod(scene *s, double h2, double mu1, double mu2)
{
    const double angle = 12 * PCS_PI / 180, mu[2] = {mu1, mu2};
    const pcs_vec3 at[2] = {{-0.2, 0, 0}, {0.2, -h2, 0}};
    begin(s, 2, pcs_v3(0, -9.8, 0));
    pcs_body_def def = pcs_body_default();
    def.name = "rod";
    def.mass = 0.48;
    def.inertia.m[2][2] = 0.04;
    def.position = pcs_v3(0, 0.104, 0);
    def.angle = angle;
    const pcs_body_id rod = scene_body(s, &def);
    for (int i = 0; i < 2; ++i) {
        // The rod's underside is the face (y of frame a points down), the support is the node.
        pcs_contact_def contact = scene_contact_def(
            i ? "right" : "left", PCS_CONTACT_POINT_PLANE,
            scene_frame(rod, zero, pcs_v3(0, 0, PCS_PI)), PCS_GROUND,
            (pcs_law){.friction = mu[i], .restitution = 0.6262});
        contact.b.position = at[i];
        scene_contact(s, &contact);
    }
}

// Left open by the thesis: where the pendulum's centre of mass is (here: in the middle), what l and
// which axes its I_p = m_p l^2 and the plate's I_s = m_s L^2/6 mean (here: 1.3 m and 5 m, all
// axes), where the springs go (here: straight down, free length 0.2 m), and the end time.
void alpha_scene_plate(scene *s)
{
    const double side = 5, m_s = 0.2, l = 1.3, m_p = 5;
    begin(s, 3, pcs_v3(0, 0, -9.81));
    pcs_body_def plate = pcs_body_default(), rod = pcs_body_default();
    plate.name = "plate";
    plate.mass = m_s;
    rod.name = "pendulum";
    rod.mass = m_p;
    for (int i = 0; i < 3; ++i) {
        plate.inertia.m[i][i] = m_s * side * side / 6;
        rod.inertia.m[i][i] = m_p * l * l;
    }
    rod.position = pcs_v3(0, 0.5 * l, 1);
    rod.angular_velocity = pcs_v3(0, 0, 1.5);
    rod.velocity = pcs_v3(-1.5 * 0.5 * l, 0, 0);
    const pcs_body_id a = scene_body(s, &plate), b = scene_body(s, &rod);
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "centre";
    joint.kind = PCS_JOINT_SPHERICAL;
    joint.b = scene_frame(a, zero, zero);
    scene_joint(s, &joint);
    joint.name = "pivot";
    joint.a = scene_frame(PCS_GROUND, pcs_v3(0, 0, 1), zero);
    joint.b = scene_frame(b, pcs_v3(0, -0.5 * l, 0), zero);
    scene_joint(s, &joint);
    for (int i = 0; i < 4; ++i) {
        char name[] = "spring0";
        name[6] = (char)('0' + i);
        const pcs_vec3 corner = {i & 1 ? 0.5 * side : -0.5 * side, i & 2 ? 0.5 * side : -0.5 * side,
                                 0};
        pcs_spring_def spring = pcs_spring_default();
        spring.name = name;
        spring.a = scene_frame(PCS_GROUND, pcs_v3_sub(corner, pcs_v3(0, 0, 0.2)), zero);
        spring.b = scene_frame(a, corner, zero);
        spring.stiffness = 100;
        spring.damping = 1;
        spring.rest = 0.2;
        scene_spring(s, &spring);
    }
    pcs_contact_def contact = scene_contact_def(
        "tip", PCS_CONTACT_POINT_PLANE, scene_frame(a, zero, zero), b, (pcs_law){.friction = 0.3});
    contact.b.position = pcs_v3(0, 0.5 * l, 0);
    scene_contact(s, &contact);
}

static void touch_pole(scene *s, const char *name, pcs_body_id body, double side, pcs_vec3 point,
                       pcs_law law)
{
    const double r_O = 0.0025;
    // The face of the pole that looks along side * x; y of frame a is the normal.
    pcs_contact_def def = scene_contact_def(
        name, PCS_CONTACT_POINT_PLANE,
        scene_frame(PCS_GROUND, pcs_v3(side * r_O, 0, 0), pcs_v3(0, 0, -side * PCS_PI / 2)), body,
        law);
    def.b.position = point;
    scene_contact(s, &def);
}

void alpha_scene_woodpecker(scene *s, bool fixed, double mu)
{
    const double r_M = 0.0031, h_M = 0.0058, l_M = 0.01, l_G = 0.015, h_S = 0.02, l_S = 0.0201;
    const double phi_M = -0.1036, phi_S = -0.2788, v = -0.3411, w_S = -7.4583;
    const pcs_law law = {.friction = mu}, beak = {.friction = mu, .restitution = 0.5};
    begin(s, 2, pcs_v3(0, -9.81, 0));
    pcs_body_def sleeve = pcs_body_default(), bird = pcs_body_default();
    sleeve.name = "sleeve";
    sleeve.mass = 0.0003;
    sleeve.inertia.m[2][2] = 5e-9;
    sleeve.angle = phi_M;
    sleeve.velocity = pcs_v3(0, v, 0);
    bird.name = "bird";
    bird.mass = 0.0045;
    bird.inertia.m[2][2] = 7e-7;
    bird.angle = phi_S;
    bird.position = pcs_v3(l_M * cos(phi_M) + l_G * cos(phi_S), l_M * sin(phi_M) + l_G * sin(phi_S),
                           0);
    bird.velocity = pcs_v3(-w_S * l_G * sin(phi_S), v + w_S * l_G * cos(phi_S), 0);
    bird.angular_velocity = pcs_v3(0, 0, w_S);
    const pcs_body_id M = scene_body(s, &sleeve), S = scene_body(s, &bird);
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "spring";
    joint.kind = PCS_JOINT_REVOLUTE;
    joint.a = scene_frame(M, pcs_v3(l_M, 0, 0), zero);
    joint.b = scene_frame(S, pcs_v3(-l_G, 0, 0), zero);
    joint.drive[0].stiffness = 0.0056;
    scene_joint(s, &joint);
    touch_pole(s, "c1", S, 1, pcs_v3(-l_S, h_S, 0), beak);
    touch_pole(s, "c2", M, 1, pcs_v3(r_M, -h_M, 0), law);
    touch_pole(s, "c3", M, 1, pcs_v3(r_M, h_M, 0), law);
    if (fixed) {
        joint = pcs_joint_default();
        joint.name = "axis";
        joint.kind = PCS_JOINT_POINT_ON_LINE;
        joint.a = scene_frame(PCS_GROUND, zero, pcs_v3(0, 0, PCS_PI / 2));
        joint.b = scene_frame(M, zero, zero);
        scene_joint(s, &joint);
        return;
    }
    touch_pole(s, "c4", M, -1, pcs_v3(-r_M, h_M, 0), law);
    touch_pole(s, "c5", M, -1, pcs_v3(-r_M, -h_M, 0), law);
}

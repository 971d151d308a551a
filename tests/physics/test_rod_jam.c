// A rod in space that jams: uniform, m = 1, half-length 1, it slides on its lower end with the
// velocity u at the angle phi from the vertical plane through it, inclined by th to the floor. With
// e = (cos th, 0, -sin th) from its centre to the end, s and c for sin th and cos th,
//
//     W = 4 I - 3 e e^T,     D(phi) = 1 + 3 c^2 - 3 mu s c cos phi,     r_N = g/D:
//
// friction turns the slip into the plane, phi' = -3 c (s + mu c cos phi) sin phi r_N/u, and D falls,
//
//     D' = -k r_N,   k = 9 mu s c^2 (s + mu c cos phi) sin^2 phi/u,   D = sqrt(2 k g (T - t)),
//
// to zero at T = D_0^2/(2 k g) (1 + O(D_0)): r_N is infinite there. An impact without collision
// stops the end: all impulses together are -W^-1 (u_0 - g T e_z), with W^-1 = (I + 3 e e^T)/4.
#include <string.h>

#include "support/event_scenes.h"
#include "support/near.h"
#include "support/warnings.h"

#include "math/vector.h"

static const double g = 9.81;
static const pcs_vec3 zero = {0, 0, 0};

typedef struct rod {
    double th, mu, u, D; // D: at the start
} rod;

static void begin_rod(scene *s, const rod *p, double phi, warnings *w)
{
    memset(s, 0, sizeof *s);
    memset(w, 0, sizeof *w);
    pcs_context_def context = pcs_context_default();
    context.log = take_warning;
    context.log_user = w;
    s->dimension = 3;
    s->ctx = pcs_context_create(&context);
    scene_require(s, pcs_builder_create(s->ctx, 3, &s->builder));
    scene_require(s, pcs_builder_set_gravity(s->builder, pcs_v3(0, 0, -g)));
    const pcs_vec3 e = pcs_v3(cos(p->th), 0, -sin(p->th));
    const double axis[3] = {e.x, e.y, e.z}, slender = 1e-3; // about its own axis
    pcs_body_def def = pcs_body_default();
    def.name = "rod";
    def.mass = 1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            def.inertia.m[i][j] = (i == j ? 1.0 / 3 : 0) - (1.0 / 3 - slender) * axis[i] * axis[j];
    def.position = pcs_v3(0, 0, sin(p->th));
    def.velocity = pcs_v3(p->u * cos(phi), p->u * sin(phi), 0);
    const pcs_body_id body = scene_body(s, &def);
    pcs_contact_def contact = scene_contact_def("tip", PCS_CONTACT_POINT_PLANE,
                                                scene_frame(PCS_GROUND, zero, zero), body,
                                                (pcs_law){.friction = p->mu});
    contact.b = scene_frame(body, e, zero);
    scene_contact(s, &contact);
}

// T to the first order in D_0: u changes by the impulse D_0/k up to there, and with it k.
static void check_rod(const char *scheme, const rod *p)
{
    const double sn = sin(p->th), c = cos(p->th);
    const double turned = (1 + 3 * c * c - p->D) / (3 * p->mu * sn * c), phi = acos(turned);
    const double k = 9 * p->mu * sn * c * c * (sn + p->mu * c * turned) * (1 - turned * turned) /
                     p->u;
    const double T = p->D * p->D / (2 * k * g);
    warnings w;
    scene s;
    begin_rod(&s, p, phi, &w);
    scene_use(&s, scheme, 2 * T, 2 * T);
    scene_run(&s);
    const pcs_contact_view tip = scene_contact_view(&s, 0);
    const pcs_event jump = scene_event(&s, PCS_EVENT_IMPACT, 0, 0);
    assert_near(jump.time, T, 2 * p->D * T);
    assert_near(jump.value, 0, 0); // without collision
    assert_int_equal(w.count, 1);
    assert_non_null(strstr(w.last, "'tip' slides and the contact forces go to infinity"));
    // Accelerations of the rod before and behind the jump, with l w^2, w <= 2 u, act for 2 T.
    const double rest = 8 * (g + 4 * p->u * p->u) * T;
    assert_near(tip.impulse[0], 0.75 * p->u * turned * sn * c, rest);
    assert_near(tip.impulse[1], -0.25 * p->u * turned * (1 + 3 * c * c), rest);
    assert_near(tip.impulse[2], -0.25 * p->u * sin(phi), rest);
    assert_near(hypot(tip.velocity[1], tip.velocity[2]), 0, rest);
    assert_near(tip.velocity[0], 0, rest); // fast rods lift off
    assert_near(scene_energy(&s)->numerical, 0, 1e-6 * p->u * p->u);
    assert_true(scene_energy(&s)->friction < 0);
    scene_end(&s);
}

// Methods of index 1 follow the forces; what the others do: docs/limits.md.
static void test_jam(void **state)
{
    static const char *const schemes[] = {"heun", "bs32", "rk4", "rkf45", "dopri5"};
    static const rod rods[] = {{1.1, 1.5, 1, 0.01},
                               {1.0, 2, 2.385, 0.02},
                               {M_PI / 3, 1.6, 0.1, 0.005},
                               {1.2, 3, 10, 0.01}};
    (void)state;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 4; ++j)
            check_rod(schemes[i], &rods[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

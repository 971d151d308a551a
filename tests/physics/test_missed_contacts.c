// Contacts that last a small part of a step, over families of sizes, speeds and distances, in
// closed form: none is missed by a scheme that looks for events, and none is invented.
#include <stdio.h>
#include <string.h>

#include "support/event_scenes.h"
#include "support/family.h"
#include "support/near.h"

#include "base/random.h"
#include "math/rotation.h"
#include "math/vector.h"

static const pcs_vec3 zero = {0, 0, 0};
static const char *const schemes[] = {"phem56", "hem5",   "dopri5", "rkf45",    "rk4",
                                      "alpha2", "alpha3", "hybrid", "capturing"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

// Runs the finished scene to `end` and compares the number of impacts and the time of the first.
// The output step says nothing about the contact. Times are as exact as the motion, which is
// uniform here: to the width in which capturing encloses an impact, and to rounding otherwise.
static void expect(scene *s, const char *scheme, double end, int64_t impacts, double first)
{
    const double steps = 7;
    scene_use(s, scheme, end / steps, end);
    scene_run(s);
    const int64_t found = pcs_simulation_statistics(s->simulation)->impacts;
    const pcs_event event = scene_event(s, PCS_EVENT_IMPACT, -1, 0);
    const double h = end / steps; // width of rk4: h^5, at most h/32
    const double width = scheme == schemes[SCHEMES - 1] ? fmin(pow(h, 5), h / 32) : 0;
    if (found != impacts)
        fail_msg("%s, end %.9g: %d impacts instead of %d, the first at %.9g instead of %.9g",
                 scheme, end, (int)found, (int)impacts, event.time, first);
    if (impacts > 0)
        assert_near(event.time, first, 1e-9 * end + width);
}

// ---- Two balls ----

// A ball of speed v passes another at the offset b, its centre beginning `distance` before it.
static void shoot(const char *scheme, int32_t dimension, double radius, double v, double distance,
                  double b)
{
    scene s;
    scene_begin(&s, dimension, zero);
    const pcs_body_id cue = scene_sphere(&s, "cue", 1.3, radius, zero, pcs_v3(v, 0, 0));
    const pcs_body_id ball = scene_sphere(&s, "ball", 0.8, radius, pcs_v3(distance, b, 0), zero);
    pcs_contact_def def = scene_contact_def("pair", PCS_CONTACT_SPHERE_SPHERE,
                                            scene_frame(cue, zero, zero), ball,
                                            (pcs_law){.restitution = 0.7});
    def.radius_a = def.radius_b = radius;
    scene_contact(&s, &def);
    const bool hits = fabs(b) < 2 * radius;
    const double way = hits ? distance - sqrt(4 * radius * radius - b * b) : distance;
    expect(&s, scheme, 1.7 * way / v, hits, way / v);
    scene_end(&s);
}

static void test_balls(void **state)
{
    (void)state;
    static const double radius[] = {1e-3, 3e-3, 1e-2, 3e-2}, speed[] = {0.1, 2, 30, 200};
    enum { DISTANCES = 281 };
    pcs_random random;
    pcs_random_init(&random, 17);
    for (int k = 0; k < DISTANCES; k += CASE_STRIDE)
        for (int i = 0; i < 16; ++i) {
            const int turn = k + i + i / 4;
            const double r = radius[i % 4], v = speed[i / 4], distance = 0.1 + 0.01 * k;
            const double b = turn % 3 == 0 ? 0 : pcs_random_between(&random, 0, 1.99 * r);
            shoot(schemes[turn % SCHEMES], 2 + turn / SCHEMES % 2, r, v, distance, b);
            if (i == k % 16) // just past each other
                shoot(schemes[turn % SCHEMES], 2 + k % 2, r, v, distance, 2.001 * r);
        }
}

// ---- Stops ----

static void stop_at(pcs_joint_drive *drive, double lower, double upper)
{
    drive->has_lower = drive->has_upper = true;
    drive->lower = lower;
    drive->upper = upper;
    drive->restitution = 1;
}

// A slider or a wheel goes to and fro between its stops.
static void swing(const char *scheme, int32_t dimension, bool turns, double v, double lower,
                  double upper, double journeys)
{
    scene s;
    scene_begin(&s, dimension, zero);
    pcs_body_def def = pcs_body_default();
    def.name = "body";
    def.mass = 2;
    for (int i = 0; i < 3; ++i)
        def.inertia.m[i][i] = 0.3;
    if (turns)
        def.angular_velocity = pcs_v3(0, 0, v);
    else
        def.velocity = dimension == 2 ? pcs_v3(v, 0, 0) : pcs_v3(0, 0, v);
    const pcs_body_id body = scene_body(&s, &def);
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "joint";
    joint.kind = turns ? PCS_JOINT_REVOLUTE : PCS_JOINT_PRISMATIC;
    joint.b.body = body;
    stop_at(&joint.drive[0], lower, upper);
    scene_joint(&s, &joint);
    const double end = (upper + (journeys - 0.5) * (upper - lower)) / v;
    expect(&s, scheme, end, (int64_t)journeys, upper / v);
    scene_end(&s);
}

static void test_stops(void **state)
{
    (void)state;
    static const double speed[] = {0.1, 2, 30, 200};
    pcs_random random;
    pcs_random_init(&random, 5);
    for (int k = 0; k < 281; k += CASE_STRIDE) {
        const double upper = pcs_random_between(&random, 0.02, 1.4);
        const double lower = -pcs_random_between(&random, 0.02, 1.4);
        swing(schemes[k % SCHEMES], 2 + k / SCHEMES % 2, k % 4 < 2, speed[k / 18 % 4], lower, upper,
              1 + k % 7);
    }
}

// ---- Beads between walls ----

// Equal beads with e = 1 exchange velocities: the one in flight crosses the row and comes back. The
// first begins at the left wall.
static void row_of_beads(const char *scheme, int32_t n, double radius, double v, double space)
{
    scene s;
    scene_begin(&s, 2, zero);
    const double pitch = 2 * radius + space, end_wall = n * pitch + space;
    for (int32_t i = 0; i < n; ++i) {
        char name[16];
        snprintf(name, sizeof name, "b%d", (int)i);
        scene_point(&s, name, 1, pcs_v3((i + 1) * pitch - radius, 0, 0),
                    pcs_v3(i == 0 ? v : 0, 0, 0));
    }
    const pcs_law law = {.restitution = 1};
    for (int32_t i = 0; i + 1 < n; ++i) {
        char name[16];
        snprintf(name, sizeof name, "k%d", (int)i);
        pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_SPHERE,
                                                scene_frame(i, zero, zero), i + 1, law);
        def.radius_a = def.radius_b = radius;
        scene_contact(&s, &def);
    }
    for (int side = 0; side < 2; ++side) {
        pcs_contact_def def = scene_contact_def(
            side == 0 ? "left" : "right", PCS_CONTACT_SPHERE_PLANE,
            scene_frame(PCS_GROUND, pcs_v3(side == 0 ? space : end_wall, 0, 0),
                        pcs_v3(0, 0, side == 0 ? -PCS_PI / 2 : PCS_PI / 2)),
            side == 0 ? 0 : n - 1, law);
        def.radius_b = radius;
        scene_contact(&s, &def);
    }
    const int64_t impacts = 3 * n + 2; // each `space` of way is followed by one
    expect(&s, scheme, ((double)impacts + 0.4) * space / v, impacts, space / v);
    scene_end(&s);
}

static void test_beads(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 7);
    // The gaps are of the size of the beads: a row of beads further apart is unstable sidewards, each
    // impact multiplies an offset by gap / radius.
    for (int k = 0; k < 54; k += CASE_STRIDE) {
        const double radius = pcs_random_between(&random, 1e-3, 3e-2);
        row_of_beads(schemes[k % SCHEMES], 2 + k % 7, radius,
                     pow(10, pcs_random_between(&random, -1, 2.3)),
                     pcs_random_between(&random, 0.5, 3) * radius);
    }
}

// ---- The tip of a rod ----

// The tip of a rod that spins about its centre meets a ball on its circle.
static void spin(const char *scheme, int32_t dimension, double arm, double radius, double w,
                 double angle, double push)
{
    scene s;
    scene_begin(&s, dimension, zero);
    pcs_body_def def = pcs_body_default();
    def.name = "rod";
    def.mass = 1.1;
    for (int i = 0; i < 3; ++i)
        def.inertia.m[i][i] = 0.2;
    def.angular_velocity = pcs_v3(0, 0, w);
    const pcs_body_id rod = scene_body(&s, &def);
    const pcs_vec3 place = {(arm + push) * cos(angle), (arm + push) * sin(angle), 0};
    const pcs_body_id ball = scene_point(&s, "ball", 0.4, place, zero);
    pcs_contact_def pair = scene_contact_def("tip", PCS_CONTACT_SPHERE_SPHERE,
                                             scene_frame(rod, pcs_v3(arm, 0, 0), zero), ball,
                                             (pcs_law){.restitution = 0.3});
    pair.radius_a = pair.radius_b = radius;
    scene_contact(&s, &pair);
    // |tip - ball| = 2 radius: push^2 + 4 arm (arm + push) sin^2(x/2) = 4 radius^2
    const double square = (4 * radius * radius - push * push) / (4 * arm * (arm + push));
    const bool hits = square > 0;
    const double t = hits ? (angle - 2 * asin(sqrt(square))) / w : 0;
    expect(&s, scheme, hits ? t + 0.01 * angle / w : 3 * 2 * PCS_PI / w, hits, t);
    scene_end(&s);
}

static void test_tips(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 11);
    for (int k = 0; k < 90; k += CASE_STRIDE) {
        const double radius = pcs_random_between(&random, 1e-3, 1e-2);
        spin(schemes[k % SCHEMES], 2 + k % 2, pcs_random_between(&random, 0.2, 1), radius,
             pow(10, pcs_random_between(&random, -1, 2.5)), pcs_random_between(&random, 0.5, 6),
             k % 5 == 4 ? 2.0001 * radius : pcs_random_between(&random, -1.5, 1.5) * radius);
    }
}

// ---- Faces with ends ----

// A point runs into the left side of a tooth on a line, at half its height.
static void hit_tooth(const char *scheme, double v, double place, double half_width, bool curve)
{
    scene s;
    scene_begin(&s, 2, zero);
    const double height = 2 * half_width;
    const pcs_body_id bead = scene_point(&s, "bead", 1, pcs_v3(0, 0.5 * height, 0),
                                         pcs_v3(v, 0, 0));
    const pcs_vec2 vertices[] = {{-2, 0},
                                 {place - half_width, 0},
                                 {place, height},
                                 {place + half_width, 0},
                                 {3 * place + 2, 0}};
    enum { VERTICES = sizeof vertices / sizeof *vertices };
    pcs_contact_def def = scene_contact_def(
        "tooth", curve ? PCS_CONTACT_POINT_CURVE : PCS_CONTACT_POINT_POLYLINE, pcs_frame_default(),
        bead, (pcs_law){.restitution = 1});
    pcs_curve_piece pieces[VERTICES - 1];
    memset(pieces, 0, sizeof pieces);
    for (int i = 0; i + 1 < VERTICES; ++i) {
        pieces[i].kind = PCS_CURVE_LINE;
        pieces[i].from = vertices[i];
        pieces[i].to = vertices[i + 1];
    }
    def.vertices = vertices;
    def.n_vertices = VERTICES;
    def.curve = (pcs_curve_def){pieces, VERTICES - 1, false};
    scene_contact(&s, &def);
    const double t = (place - 0.5 * half_width) / v;
    expect(&s, scheme, 1.3 * t, 1, t);
    scene_end(&s);
}

// A point falls through the edge of a shelf of the given half width, or beside it.
static void fall_on_shelf(const char *scheme, int32_t dimension, double v, double height,
                          double half_width, double offset)
{
    scene s;
    scene_begin(&s, dimension, zero);
    const bool flat = dimension == 2;
    // It crosses the plane of the shelf, at `offset` from its middle, under 45 degrees.
    const pcs_vec3 start = flat ? pcs_v3(offset - height, height, 0)
                                : pcs_v3(offset - height, 0, height);
    const pcs_vec3 velocity = flat ? pcs_v3(v, -v, 0) : pcs_v3(v, 0, -v);
    const pcs_body_id point = scene_point(&s, "point", 1, start, velocity);
    pcs_contact_def def = scene_contact_def("shelf", PCS_CONTACT_POINT_PLANE, pcs_frame_default(),
                                            point, (pcs_law){.restitution = 0.5});
    def.extent = (pcs_vec2){half_width, half_width};
    scene_contact(&s, &def);
    const bool hits = fabs(offset) < half_width;
    expect(&s, scheme, 1.7 * height / v, hits, height / v);
    scene_end(&s);
}

static void test_faces_with_ends(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 13);
    for (int k = 0; k < 90; k += CASE_STRIDE) {
        const double v = pow(10, pcs_random_between(&random, -1, 2.3));
        const double size = pcs_random_between(&random, 1e-3, 3e-2);
        hit_tooth(schemes[k % SCHEMES], v, pcs_random_between(&random, 0.1, 2), size, k % 2 == 0);
        fall_on_shelf(schemes[k % SCHEMES], 2 + k % 2, v, pcs_random_between(&random, 0.1, 2), size,
                      (k % 3 == 0 ? 1.001 : pcs_random_between(&random, -0.99, 0.99)) * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls),           cmocka_unit_test(test_stops),
        cmocka_unit_test(test_beads),           cmocka_unit_test(test_tips),
        cmocka_unit_test(test_faces_with_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

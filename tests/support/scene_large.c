#include "support/scene_large.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/random.h"
#include "math/vector.h"
#include "model/model.h"

static const double g = 9.81;
static const pcs_vec3 zero = {0, 0, 0};

// ---- A pile of spheres or discs ----

typedef struct wall {
    pcs_vec3 at, turn; // the normal is the z axis of the frame; planar: y
} wall;

static void add_walls(scene *s, pcs_body_id ball, double radius, double side, pcs_law law)
{
    const wall space[] = {{{0, 0, 0}, {0, 0, 0}},
                          {{0, 0, 0}, {0, 0.5 * M_PI, 0}},
                          {{side, 0, 0}, {0, -0.5 * M_PI, 0}},
                          {{0, 0, 0}, {-0.5 * M_PI, 0, 0}},
                          {{0, side, 0}, {0.5 * M_PI, 0, 0}}};
    const wall flat[] = {{{0, 0, 0}, {0, 0, 0}},
                         {{0, 0, 0}, {0, 0, -0.5 * M_PI}},
                         {{side, 0, 0}, {0, 0, 0.5 * M_PI}}};
    const wall *plane = s->dimension == 3 ? space : flat;
    for (size_t i = 0; i < (s->dimension == 3 ? 5 : 3); ++i) {
        char name[48];
        snprintf(name, sizeof name, "wall%d_%d", (int)i, (int)ball);
        pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_PLANE,
                                                scene_frame(PCS_GROUND, plane[i].at, plane[i].turn),
                                                ball, law);
        def.radius_b = radius;
        scene_contact(s, &def);
    }
}

enum { ROUND_MAX = 1000 };

void scene_round_pile(scene *s, int32_t dimension, int32_t n, uint64_t seed, pcs_law law,
                      const pcs_vec3 *place)
{
    static double radius[ROUND_MAX];
    // As high as wide: what lies in one layer on a plane rolls for ever.
    const int32_t across = (int32_t)round(dimension == 3 ? cbrt(n) : sqrt(n));
    const int32_t per_layer = dimension == 3 ? across * across : across;
    const double largest = 0.03, pitch = 2.3 * largest, side = across * pitch, density = 1000;
    pcs_random random;
    pcs_random_init(&random, seed);
    scene_begin(s, dimension, dimension == 3 ? pcs_v3(0, 0, -g) : pcs_v3(0, -g, 0));
    for (int32_t i = 0; i < n && i < ROUND_MAX; ++i) {
        const int32_t layer = i / per_layer, k = i % per_layer;
        const double room = 0.14 * largest; // on each side, of the smallest gap of a layer
        radius[i] = pcs_random_between(&random, 0.67, 1) * largest;
        const double x = pitch * (k % across + 0.5) + pcs_random_between(&random, -room, room);
        const double y = pitch * (k / across + 0.5) + pcs_random_between(&random, -room, room);
        const double up = pitch * (layer + 0.6) + pcs_random_between(&random, -room, room);
        const pcs_vec3 drop = dimension == 3 ? pcs_v3(x, y, up) : pcs_v3(x, up, 0);
        char name[32];
        snprintf(name, sizeof name, "b%d", (int)i);
        const double mass = density * 4 / 3 * M_PI * pow(radius[i], 3);
        const pcs_body_id ball = scene_sphere(s, name, mass, radius[i], place ? place[i] : drop,
                                              zero);
        add_walls(s, ball, radius[i], side, law);
        for (int32_t j = 0; j < i; ++j) {
            char pair[48];
            snprintf(pair, sizeof pair, "p%d_%d", (int)j, (int)i);
            pcs_contact_def def = scene_contact_def(pair, PCS_CONTACT_SPHERE_SPHERE,
                                                    scene_frame(j, zero, zero), ball, law);
            def.radius_a = radius[j];
            def.radius_b = radius[i];
            scene_contact(s, &def);
        }
    }
}

// ---- A wall ----

static const double LENGTH = 0.2, DEPTH = 0.1, HEIGHT = 0.065; // of a brick, m

// Two points across the depth, at x and height z of `point`, on a face at height `level` of `plane`,
// whose normal is z or, from above, -z; x is where both bodies are at the start.
static void add_bed(scene *s, pcs_body_id plane, double plane_x, double level, bool above,
                    pcs_body_id point, double point_x, double z, double x, pcs_law law)
{
    const pcs_vec3 turn = above ? pcs_v3(M_PI, 0, 0) : zero;
    for (int side = -1; side <= 1; side += 2) {
        char name[64];
        snprintf(name, sizeof name, "c%d_%d_%d%s", (int)plane + 1, (int)point + 1,
                 (int)lround(1e3 * (x + LENGTH)), side < 0 ? "front" : "back");
        pcs_contact_def def = scene_contact_def(
            name, PCS_CONTACT_POINT_PLANE,
            scene_frame(plane, pcs_v3(x - plane_x, side * 0.5 * DEPTH, level), turn), point, law);
        def.b = scene_frame(point, pcs_v3(x - point_x, side * 0.5 * DEPTH, z), zero);
        scene_contact(s, &def);
    }
}

void scene_brick_wall(scene *s, int32_t n, int32_t courses, double gap, pcs_law law)
{
    const double density = 1800, mass = density * LENGTH * DEPTH * HEIGHT;
    scene_begin(s, 3, pcs_v3(0, 0, -g));
    for (int32_t j = 0, lower = 0, first = 0; j < courses;
         ++j) { // `lower`: first of the course below
        const int32_t count = n - j, before = n - j + 1;
        for (int32_t i = 0; i < count; ++i) {
            const double x = LENGTH * (i + 0.5 * j);
            const double z = HEIGHT * (j + 0.5) + gap * (j + 1);
            char name[32];
            snprintf(name, sizeof name, "brick%d_%d", (int)j, (int)i);
            const pcs_body_id brick = scene_box(s, name, mass, pcs_v3(LENGTH, DEPTH, HEIGHT),
                                                pcs_v3(x, 0, z), zero, zero);
            for (int end = -1; end <= 1 && j == 0; end += 2)
                add_bed(s, PCS_GROUND, 0, 0, false, brick, x, -0.5 * HEIGHT, x + end * 0.5 * LENGTH,
                        law);
            for (int32_t k = j > 0 ? 0 : before; k < before; ++k) {
                const double below = LENGTH * (k + 0.5 * (j - 1)), apart = x - below;
                const pcs_body_id other = lower + k;
                if (fabs(apart) > 0.75 * LENGTH)
                    continue;
                const int to = apart > 0 ? 1 : -1; // the side of `other` that the brick covers
                add_bed(s, other, below, 0.5 * HEIGHT, false, brick, x, -0.5 * HEIGHT,
                        x - to * 0.5 * LENGTH, law);
                add_bed(s, brick, x, -0.5 * HEIGHT, true, other, below, 0.5 * HEIGHT,
                        below + to * 0.5 * LENGTH, law);
            }
        }
        lower = first;
        first += count;
    }
}

// ---- An arch ----

// Of a voussoir of the angle d: area, radius of its centre, polar moment about it, for density 1.
static void voussoir(double t, double d, double *area, double *centre, double *moment)
{
    const double in = 1 - 0.5 * t, out = 1 + 0.5 * t;
    *area = 0.5 * d * (out * out - in * in);
    *centre = 2. / 3 * (out * out * out - in * in * in) * 2 * sin(0.5 * d) / (2 * *area);
    *moment = 0.25 * d * (pow(out, 4) - pow(in, 4)) - *area * *centre * *centre;
}

void scene_arch(scene *s, int32_t n, double t, double friction)
{
    const double d = M_PI / n, density = 2400;
    double area, centre, moment;
    pcs_vec3 place = zero, last = zero;
    voussoir(t, d, &area, &centre, &moment);
    scene_begin(s, 2, pcs_v3(0, -g, 0));
    for (int32_t i = 0; i <= n; ++i) {
        const double joint = d * i, middle = d * (i + 0.5);
        pcs_body_id stone = PCS_GROUND;
        if (i < n) {
            pcs_body_def def = pcs_body_default();
            char name[32];
            snprintf(name, sizeof name, "stone%d", (int)i);
            def.name = name;
            def.mass = density * area;
            def.inertia.m[2][2] = density * moment;
            place = def.position = pcs_v3(centre * cos(middle), centre * sin(middle), 0);
            stone = scene_body(s, &def);
        }
        for (int end = -1; end <= 1; end += 2) { // the joint's face looks along its angle
            const double r = 1 + end * 0.5 * t;
            const pcs_vec3 corner = pcs_v3(r * cos(joint), r * sin(joint), 0);
            const pcs_vec3 on_a = i == 0 ? corner : pcs_v3_sub(corner, last);
            const pcs_vec3 on_b = i == n ? corner : pcs_v3_sub(corner, place);
            char name[32];
            snprintf(name, sizeof name, "j%d_%s", (int)i, end < 0 ? "in" : "out");
            pcs_contact_def def = scene_contact_def(
                name, PCS_CONTACT_POINT_PLANE,
                scene_frame(i == 0 ? PCS_GROUND : i - 1, on_a, pcs_v3(0, 0, joint)), stone,
                (pcs_law){.friction = friction});
            def.b = scene_frame(stone, on_b, zero);
            scene_contact(s, &def);
        }
        last = place;
    }
}

// How much room the line of thrust has, for the horizontal thrust H: with m the moment of the
// thrust about the centre, the line meets the joint at the angle a from the crown at the radius
// (m + W x)/(W sin a + H cos a), W and x weight and distance of what is above.
static double thrust_room(int32_t n, double t, double H)
{
    const double d = M_PI / n;
    double area, centre, moment, low = -HUGE_VAL, high = HUGE_VAL, W = 0, Wx = 0;
    voussoir(t, d, &area, &centre, &moment);
    // From the crown: half of the middle stone for an odd n.
    double a = 0;
    if (n % 2 == 1) {
        double half, radius, unused;
        voussoir(t, 0.5 * d, &half, &radius, &unused);
        W = half;
        Wx = half * radius * sin(0.25 * d);
        a = 0.5 * d;
    }
    for (;; a += d) {
        const double x = W * sin(a) + H * cos(a);
        low = fmax(low, (1 - 0.5 * t) * x - Wx);
        high = fmin(high, (1 + 0.5 * t) * x - Wx);
        if (a > 0.5 * M_PI - 0.5 * d)
            return high - low;
        W += area;
        Wx += area * centre * sin(a + 0.5 * d);
    }
}

double scene_arch_limit(int32_t n)
{
    double t[2] = {0.02, 0.5};
    while (t[1] - t[0] > 1e-14) {
        const double middle = 0.5 * (t[0] + t[1]);
        double H[2] = {0, 2}; // the room is concave in H; the weight of half the arch is about 0.2
        for (int i = 0; i < 200; ++i) {
            const double a = H[0] + (H[1] - H[0]) / 3, b = H[1] - (H[1] - H[0]) / 3;
            if (thrust_room(n, middle, a) < thrust_room(n, middle, b))
                H[0] = a;
            else
                H[1] = b;
        }
        t[thrust_room(n, middle, H[0]) >= 0] = middle;
    }
    return 0.5 * (t[0] + t[1]);
}

// ---- Runs ----

static double normal_forces(const scene *s)
{
    double sum = 0;
    for (int32_t i = 0; i < pcs_model_contact_count(s->model); ++i) {
        pcs_contact_view view;
        pcs_simulation_contact(s->simulation, i, &view);
        sum += view.force[0];
    }
    return sum;
}

static double body_kinetic(const scene *s, int32_t i)
{
    const pcs_body *body = &s->model->bodies.data[i];
    const pcs_body_view view = scene_view(s, i);
    const double turn = body->inertia.m[s->dimension == 3 ? 0 : 2][s->dimension == 3 ? 0 : 2];
    return 0.5 * (body->mass * pcs_v3_dot(view.velocity, view.velocity) +
                  turn * pcs_v3_dot(view.angular_velocity, view.angular_velocity));
}

// Kinetic energy of the loose balls of a pile, and how many there are. A ball on two others turns
// about the line through its contacts; a disc on two others does not turn.
static double loose_kinetic(const scene *s, int32_t *loose)
{
    const int32_t held = s->model->dimension; // loaded contacts
    int32_t loads[ROUND_MAX] = {0};           // by body
    bool round[ROUND_MAX] = {false};
    const pcs_model *model = s->model;
    double sum = 0;
    for (int32_t i = 0; i < model->contact_pairs.count; ++i) {
        const pcs_contact_pair *pair = &model->contact_pairs.data[i];
        const int32_t node[2] = {pair->pair.a.node, pair->pair.b.node};
        for (int side = 0; side < 2 && pair->kind == PCS_CONTACT_SPHERE_SPHERE; ++side)
            round[node[side]] = true;
        const bool loaded = scene_contact_view(s, pair->first_slot).force[0] > 0;
        for (int side = 0; side < 2; ++side)
            if (loaded && node[side] >= 0 && loads[node[side]] < held)
                ++loads[node[side]];
    }
    *loose = 0;
    for (int32_t i = 0; i < model->bodies.count && i < ROUND_MAX; ++i)
        if (round[model->bodies.data[i].node] && loads[model->bodies.data[i].node] < held) {
            sum += body_kinetic(s, i);
            ++*loose;
        }
    return sum;
}

scene_rest scene_run_to_rest(scene *s, double quiet)
{
    const double slow = 1e-3; // part of the largest energy below which loose balls are looked for
    enum { LAST = 16 };
    const double still = 1e-12;
    const pcs_statistics *statistics = pcs_simulation_statistics(s->simulation);
    const pcs_energy_account *energy = &statistics->energy;
    scene_require(s, pcs_simulation_start(s->simulation));
    double force[LAST] = {0}, fastest = energy->kinetic, most = -HUGE_VAL, least = HUGE_VAL;
    const double first = energy->kinetic + energy->potential;
    double rolled = 0; // last time
    scene_rest result = {.time = HUGE_VAL};
    const clock_t start = clock();
    while (!pcs_simulation_finished(s->simulation)) {
        if (scene_step(s) == PCS_NOT_CONVERGED)
            ++result.unconverged;
        const double t = pcs_simulation_time(s->simulation);
        const double sum = energy->kinetic + energy->potential;
        most = fmax(most, sum);
        least = fmin(least, sum);
        fastest = fmax(fastest, energy->kinetic);
        double kinetic = energy->kinetic;
        if (kinetic > still * fastest && kinetic < slow * fastest)
            kinetic -= loose_kinetic(s, &result.loose);
        if (kinetic > still * fastest)
            result.time = HUGE_VAL;
        else if (result.time == HUGE_VAL)
            result.time = t;
        result.kinetic = fastest > 0 ? kinetic / fastest : 0;
        // Forces change while a loose disc rolls over the others. In the plane it rolls until it lies
        // between two; in space balls may roll or spin for ever.
        if (s->dimension == 2 && energy->kinetic > still * fastest)
            rolled = t;
        const bool rests = t - fmax(result.time, rolled) > quiet;
        if (result.time < HUGE_VAL)
            force[result.steps % LAST] = normal_forces(s);
        ++result.steps;
        if (rests)
            break;
    }
    double low = HUGE_VAL, high = 0;
    for (int i = 0; i < LAST; ++i) {
        low = fmin(low, force[i]);
        high = fmax(high, force[i]);
    }
    result.ripple = high > 0 ? (high - low) / high : 0;
    result.gain = (most - first) / fmax(fmax(first, most) - least, fastest);
    result.penetration = statistics->worst_penetration;
    result.impacts = statistics->impacts;
    result.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return result;
}

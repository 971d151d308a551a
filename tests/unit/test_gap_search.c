// Bounds of gaps along random motions: what is called clear is clear at all instants, and the first
// closing is the first. All kinds of contacts between two moving bodies and against the ground.
#include <stdio.h>
#include <string.h>

#include "support/event_scenes.h"
#include "support/near.h"

#include "base/random.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "model/model.h"
#include "schemes/gap_search.h"

static const pcs_vec3 zero = {0, 0, 0};
enum { INSTANTS = 200, Q_MAX = 2 * PCS_NODE_Q_MAX };

static pcs_vec3 random_vector(pcs_random *random, int32_t dimension, double size)
{
    const double x = pcs_random_between(random, -size, size);
    const double y = pcs_random_between(random, -size, size);
    return pcs_v3(x, y, dimension == 3 ? pcs_random_between(random, -size, size) : 0);
}

static pcs_frame random_frame(pcs_random *random, int32_t dimension, pcs_body_id body)
{
    const pcs_vec3 place = random_vector(random, dimension, 0.3);
    const pcs_vec3 turn = dimension == 3 ? random_vector(random, 3, 1)
                                         : pcs_v3(0, 0, pcs_random_between(random, -1.5, 1.5));
    return scene_frame(body, place, turn);
}

static void set_curve(pcs_contact_def *def)
{
    static const pcs_vec2 points[] = {{0.6, 0.2}, {0.9, 0.5}, {1.3, 0.1}, {2, 0.3}};
    static const pcs_curve_piece pieces[] = {
        {.kind = PCS_CURVE_LINE, .from = {-2, 0}, .to = {-0.4, 0}},
        {.kind = PCS_CURVE_ARC, .from = {-0.4, 0}, .to = {0.2, 0}, .through = {-0.1, -0.3}},
        {.kind = PCS_CURVE_LINE, .from = {0.2, 0}, .to = {0.6, 0.2}},
        {.kind = PCS_CURVE_SPLINE, .points = points, .n_points = 4},
    };
    static const pcs_vec2 vertices[] = {{-2, 0.3}, {-0.5, 0}, {0, 0.2}, {0.3, -0.4}, {1, 0}};
    def->curve = (pcs_curve_def){pieces, 4, false};
    def->vertices = vertices;
    def->n_vertices = 5;
}

// Bodies a and b with a contact of every kind between them and between the ground and b.
static void build(scene *s, int32_t dimension, pcs_random *random)
{
    scene_begin(s, dimension, zero);
    const pcs_vec3 size = {0.3, 0.2, 0.4};
    const pcs_body_id a = scene_box(s, "a", 1, size, random_vector(random, dimension, 1), zero,
                                    zero);
    const pcs_body_id b = scene_box(s, "b", 1, size, random_vector(random, dimension, 1), zero,
                                    zero);
    for (int kind = 0; kind < PCS_CONTACT_KIND_COUNT; ++kind)
        for (int ground = 0; ground < 2; ++ground) {
            char name[32];
            if (!pcs_contact_kind_allowed((pcs_contact_kind)kind, dimension))
                continue;
            snprintf(name, sizeof name, "k%d_%d", kind, ground);
            pcs_contact_def def = scene_contact_def(
                name, (pcs_contact_kind)kind,
                random_frame(random, dimension, ground ? PCS_GROUND : a), b, (pcs_law){0});
            def.b = random_frame(random, dimension, b);
            def.radius_a = kind == PCS_CONTACT_SPHERE_SPHERE ? 0.1 : 0.9;
            def.radius_b = 0.05;
            def.size = size;
            def.width = 1.1;
            if (ground && kind <= PCS_CONTACT_SPHERE_PLANE)
                def.extent = (pcs_vec2){0.4, 0.6};
            set_curve(&def);
            scene_contact(s, &def);
        }
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "guide";
    joint.kind = dimension == 2 ? PCS_JOINT_PRISMATIC : PCS_JOINT_POINT_ON_LINE;
    joint.a = random_frame(random, dimension, a);
    joint.b = random_frame(random, dimension, b);
    joint.drive[0].has_lower = joint.drive[0].has_upper = true;
    joint.drive[0].lower = -0.4;
    joint.drive[0].upper = 0.6;
    scene_joint(s, &joint);
    scene_finish(s, 0.1, 1);
}

// Where the bodies are at the start; the joint need not hold.
static void fill_positions(const pcs_model *model, pcs_random *random, double *q)
{
    for (int32_t i = 0; i < model->nodes.count; ++i) {
        const pcs_node *node = pcs_model_node(model, i);
        for (int32_t j = 0; j < node->n_q; ++j)
            q[node->q + j] = pcs_random_between(random, -1, 1);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        const pcs_quat turn = pcs_so3_exp(random_vector(random, 3, 1));
        const double p[4] = {turn.w, turn.x, turn.y, turn.z};
        memcpy(q + node->q + 3, p, sizeof p);
    }
}

// Sizes fall with the degree, so that some motions are nearly straight and some are not.
static void random_motion(pcs_motion *motion, pcs_random *random, double size)
{
    for (int k = 0; k < PCS_MOTION_DEGREE; ++k) {
        const double part = size * pow(pcs_random_between(random, 0, 1), 2);
        for (int32_t i = 0; i < motion->model->n_v; ++i)
            motion->c[k][i] = part * pcs_random_between(random, -1, 1);
    }
}

// Smallest gap at instants between two times, as the search itself evaluates it, of those that follow
// an open one: a point that comes into the bounds of a face from behind does not close. +inf: none.
static double smallest_gap(pcs_gap_search *search, int32_t slot, double from, double to)
{
    double least = HUGE_VAL;
    bool open = false;
    for (int i = 0; i <= INSTANTS; ++i) {
        pcs_gap_place place;
        pcs_gap_search_look(search, slot, from + (to - from) * i / INSTANTS, NULL, &place);
        open = place.gap < HUGE_VAL && (open || place.gap > 0);
        if (open)
            least = fmin(least, place.gap);
    }
    return least;
}

typedef struct tally {
    int64_t clear, closing, open;
} tally;

static void check_slot(pcs_gap_search *search, int32_t slot, double from, double to, tally *count)
{
    const pcs_gap_rules rules = {
        .noise = 1e-14, .tolerance = 1e-9, .precision = 1e-13, .too_early = -HUGE_VAL};
    pcs_gap_place a, b;
    bool starts_closed;
    pcs_gap_search_look(search, slot, from, NULL, &a);
    pcs_gap_search_look(search, slot, to, &a, &b);
    if (!(a.gap > 0))
        return;
    const double rounding = 1e-13;
    const bool clear = pcs_gap_search_is_clear(search, slot, &rules, &a, &b);
    if (clear)
        assert_true(smallest_gap(search, slot, from, to) >= -rules.tolerance - rounding);
    const bool found = pcs_gap_search_first(search, slot, &rules, &a, &b, &starts_closed);
    assert_false(starts_closed);
    assert_false(clear && found);
    assert_true(smallest_gap(search, slot, from, found ? a.t : to) >= -rules.tolerance - rounding);
    if (found)
        assert_true(b.gap <= 0 && b.t - a.t <= 1e-12);
    count->clear += clear;
    count->closing += found;
    count->open += !clear && !found;
}

static void test_bounds(void **state)
{
    (void)state;
    enum { MOTIONS = 30, PARTS = 4 };
    tally count = {0};
    pcs_random random;
    pcs_random_init(&random, 2026);
    for (int m = 0; m < MOTIONS; ++m) {
        scene s;
        pcs_gap_search *search;
        build(&s, 2 + m % 2, &random);
        scene_require(&s, pcs_gap_search_create(s.ctx, s.model, &search));
        pcs_motion *motion = pcs_gap_search_motion(search);
        double q[Q_MAX];
        fill_positions(s.model, &random, q);
        random_motion(motion, &random, m % 3 == 0 ? 5 : 1);
        pcs_gap_search_begin(search, 0, 1, q, PCS_MOTION_DEGREE, NULL, NULL, NULL);
        for (int32_t slot = 0; slot < s.model->n_slots; ++slot)
            for (int k = 0; k < PARTS; ++k) {
                const double from = pcs_random_between(&random, 0, 0.9);
                check_slot(search, slot, from, pcs_random_between(&random, from + 0.01, 1), &count);
            }
        pcs_gap_search_destroy(search);
        scene_end(&s);
    }
    print_message("%d clear at once, %d closings, %d open\n", (int)count.clear, (int)count.closing,
                  (int)count.open);
    assert_true(count.clear > 100 && count.closing > 100 && count.open > 100);
}

// Velocities and accelerations of nodes lie within the hull of a part.
static void test_hull(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 8);
    for (int m = 0; m < 20; ++m) {
        scene s;
        pcs_motion motion;
        build(&s, 2 + m % 2, &random);
        scene_require(&s, pcs_motion_init(s.ctx, s.model, &motion));
        double q[Q_MAX];
        fill_positions(s.model, &random, q);
        random_motion(&motion, &random, 2);
        pcs_motion_begin(&motion, 0, 0.7, q, PCS_MOTION_DEGREE);
        const double from = pcs_random_between(&random, 0, 0.8), to = from + 0.2;
        const pcs_motion_hull *hull = pcs_motion_bound(&motion, 1, from, to);
        double v_most = 0, a_most = 0, speed = 0, turning = 0, acceleration = 0, spin = 0;
        for (int j = 0; j < PCS_MOTION_SPEEDS; ++j)
            v_most = fmax(v_most, pcs_v3_norm(hull->v[j]));
        for (int j = 0; j < PCS_MOTION_SPEEDS - 1; ++j)
            a_most = fmax(a_most, pcs_v3_norm(hull->a[j]));
        pcs_twist last = {zero, zero};
        for (int i = 0; i <= INSTANTS; ++i) {
            pcs_pose pose;
            pcs_twist twist;
            const double dt = 0.7 * (to - from) / INSTANTS;
            pcs_motion_node(&motion, 1, from + (to - from) * i / INSTANTS, &pose, &twist);
            speed = fmax(speed, pcs_v3_norm(twist.v));
            turning = fmax(turning, pcs_v3_norm(twist.w));
            if (i > 0) { // mean values over dt do not exceed the largest
                acceleration = fmax(acceleration, pcs_v3_norm(pcs_v3_sub(twist.v, last.v)) / dt);
                spin = fmax(spin, pcs_v3_norm(pcs_v3_sub(twist.w, last.w)) / dt);
            }
            last = twist;
        }
        const double rounding = 1e-9; // of differences over dt
        assert_at_most(speed, v_most * (1 + rounding));
        assert_at_most(turning, hull->w_most * (1 + rounding));
        assert_at_most(acceleration, a_most * (1 + rounding) + rounding);
        assert_at_most(spin, hull->alpha_most * (1 + rounding) + rounding);
        pcs_motion_free(&motion);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hull),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

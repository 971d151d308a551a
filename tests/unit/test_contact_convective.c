// Accelerations of contacts, pcs_contact.convective: along a motion with v' = 0 (and Omega' = 0 in
// body axes, so q(h) = q [+] h v exactly) it is the derivative of the relative velocity u. A central
// difference of order 6 is the judge; a slot whose difference changes with its width by more than its
// error has a kink nearby (a change of face) and is left out, but not many are.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/rotation.h"
#include "model/assembly.h"
#include "model/contact.h"
#include "model/model.h"
#include "support/near.h"

enum { Q_MAX = 32, SLOTS_MAX = 64, SIDE = 3 };

// Width of the difference. Its error is width^6/140 times a seventh derivative plus rounding
// eps |u|/width; lengths are of order 1 and angular velocities below 2, so that both are below 1e-11
// where no curvature is near its singularity. Differences of the two widths show where it is.
static const double WIDTH = 2e-3;
static const double TOLERANCE = 1e-9;

static const pcs_vec2 HEXAGON[] = {{-1.03, -0.91}, {0.07, -0.38}, {1.11, -0.87},
                                   {0.72, 0.55},   {0.13, 0.21},  {-0.89, 0.79}};

static const pcs_vec2 BACK[] = {{0.4, 0.9}, {-0.31, 0.63}, {-0.92, 0.81}, {-1.0, -0.9}};
static const pcs_curve_piece CURVE[] = {
    {.kind = PCS_CURVE_LINE, .from = {-1.0, -0.9}, .to = {0.2, -0.7}},
    {.kind = PCS_CURVE_PARABOLA, .coefficients = {-0.692, -0.1, 0.3}, .x_from = 0.2, .x_to = 1.1},
    {.kind = PCS_CURVE_ARC, .from = {1.1, -0.439}, .through = {1.3, 0.3}, .to = {0.4, 0.9}},
    {.kind = PCS_CURVE_SPLINE, .points = BACK, .n_points = 4},
};

typedef struct fixture {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
    pcs_configuration c;
    double q[Q_MAX], v[Q_MAX], turns[8], moved[Q_MAX];
    pcs_contact contacts[SLOTS_MAX];
    double u[2 * SIDE + 1][SLOTS_MAX][3];
} fixture;

static void begin(fixture *f, int32_t dimension)
{
    memset(f, 0, sizeof *f);
    pcs_context_def def = pcs_context_default();
    f->ctx = pcs_context_create(&def);
    assert_non_null(f->ctx);
    assert_int_equal(pcs_builder_create(f->ctx, dimension, &f->builder), PCS_OK);
    static const char *const names[] = {"one", "two", "dot"};
    for (int i = 0; i < 3; i++) {
        pcs_body_def body = pcs_body_default();
        body.name = names[i];
        body.mass = 1.3 + i;
        body.inertia = (pcs_mat3){{{0.31, 0.01, 0.0}, {0.01, 0.42, 0.0}, {0.0, 0.0, 0.53}}};
        body.point = i == 2;
        if (i < 2)
            body.center = pcs_v3(0.11, -0.07, dimension == 2 ? 0.0 : 0.05);
        body.position = pcs_v3(0.37 * i, 0.53 - 0.2 * i, 0.0);
        pcs_body_id id;
        assert_int_equal(pcs_builder_add_body(f->builder, &body, &id), PCS_OK);
    }
}

static void finish(fixture *f)
{
    if (pcs_builder_finish(f->builder, &f->model) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    assert_true(f->model->n_q <= Q_MAX && f->model->n_slots <= SLOTS_MAX);
    assert_int_equal(pcs_configuration_init(f->ctx, f->model, &f->c), PCS_OK);
}

static void end(fixture *f)
{
    pcs_configuration_free(f->ctx, &f->c);
    pcs_model_destroy(f->model);
    pcs_builder_destroy(f->builder);
    assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
    pcs_context_destroy(f->ctx);
}

static pcs_frame frame_on(pcs_random *random, int32_t dimension, pcs_body_id body)
{
    pcs_frame frame = pcs_frame_default();
    frame.body = body;
    double x = pcs_random_between(random, -0.4, 0.4), y = pcs_random_between(random, -0.4, 0.4);
    double z = pcs_random_between(random, -0.4, 0.4), angle = pcs_random_between(random, -3.0, 3.0);
    frame.position = pcs_v3(x, y, dimension == 2 ? 0.0 : z);
    frame.rotation = dimension == 2 ? pcs_so3_exp(pcs_v3(0.0, 0.0, angle))
                                    : pcs_so3_exp(pcs_v3(angle, 1.7 * x, 2.3 * y));
    return frame;
}

static void random_state(fixture *f, pcs_random *random)
{
    double d[Q_MAX];
    pcs_model_initial_state(f->model, f->q, f->v);
    for (int i = 0; i < f->model->n_v; i++) {
        d[i] = pcs_random_between(random, -1.0, 1.0);
        f->v[i] = pcs_random_between(random, -1.0, 1.0);
    }
    pcs_model_retract(f->model, f->q, d, f->q);
}

static void go_to(fixture *f, double h)
{
    double d[Q_MAX];
    for (int i = 0; i < f->model->n_v; i++)
        d[i] = h * f->v[i];
    pcs_model_retract(f->model, f->q, d, f->moved);
    pcs_configuration_update(f->model, &f->c, 0.83 + h, f->moved, f->v, f->turns, NULL);
    pcs_model_contacts(f->model, &f->c, true, f->contacts);
}

static pcs_vec3 material_velocity(const pcs_configuration *c, int32_t node, pcs_vec3 point)
{
    if (node < 0)
        return pcs_v3(0.0, 0.0, 0.0);
    pcs_vec3 arm = pcs_v3_sub(point, c->pose[node].x);
    return pcs_v3_add(c->twist[node].v, pcs_v3_cross(c->twist[node].w, arm));
}

// The companions on a rim are material points: the velocity, relative to the plane below it, of the
// point of b that is at `local` in b's node axes.
static void companion_velocity(const fixture *f, const pcs_contact_pair *pair, int32_t slot,
                               pcs_vec3 local, double *u)
{
    const pcs_contact *contact = &f->contacts[slot];
    int32_t node = pair->pair.b.node;
    pcs_vec3 on_b = local;
    if (node >= 0)
        on_b = pcs_v3_add(f->c.pose[node].x, pcs_m3_mul_v3(&f->c.pose[node].R, local));
    pcs_vec3 on_plane = pcs_v3_axpy(contact->point, -contact->gap, contact->normal);
    double gap = pcs_v3_dot(contact->normal, pcs_v3_sub(on_b, on_plane));
    pcs_vec3 on_a = pcs_v3_axpy(on_b, -gap, contact->normal);
    pcs_vec3 relative = pcs_v3_sub(material_velocity(&f->c, node, on_b),
                                   material_velocity(&f->c, pair->pair.a.node, on_a));
    const pcs_vec3 axis[3] = {contact->normal, contact->tangent1, contact->tangent2};
    for (int i = 0; i < 3; i++)
        u[i] = contact->surface[i] + pcs_v3_dot(axis[i], relative);
}

static bool is_companion(const pcs_contact_pair *pair, int32_t i)
{
    return pair->kind == PCS_CONTACT_CYLINDER_PLANE && i % 3 != 0;
}

// u of all slots at the places -3 .. 3 times `width`.
static void sample(fixture *f, double width)
{
    pcs_vec3 local[SLOTS_MAX];
    go_to(f, 0.0);
    for (int32_t k = 0; k < f->model->contact_pairs.count; k++) {
        const pcs_contact_pair *pair = &f->model->contact_pairs.data[k];
        int32_t node = pair->pair.b.node;
        for (int32_t slot = pair->first_slot; slot < pair->first_slot + pair->n_slots; slot++) {
            local[slot] = f->contacts[slot].point;
            if (node >= 0)
                local[slot] = pcs_m3_tmul_v3(&f->c.pose[node].R,
                                             pcs_v3_sub(local[slot], f->c.pose[node].x));
        }
    }
    for (int j = -SIDE; j <= SIDE; j++) {
        go_to(f, j * width);
        for (int32_t slot = 0; slot < f->model->n_slots; slot++)
            pcs_contact_velocity(f->model, &f->contacts[slot], f->v, f->u[j + SIDE][slot]);
        for (int32_t k = 0; k < f->model->contact_pairs.count; k++) {
            const pcs_contact_pair *pair = &f->model->contact_pairs.data[k];
            for (int32_t i = 0; i < pair->n_slots; i++)
                if (is_companion(pair, i))
                    companion_velocity(f, pair, pair->first_slot + i, local[pair->first_slot + i],
                                       f->u[j + SIDE][pair->first_slot + i]);
        }
    }
}

static void differences(fixture *f, double width, double slope[][3])
{
    sample(f, width);
    for (int32_t slot = 0; slot < f->model->n_slots; slot++)
        for (int32_t i = 0; i < f->contacts[slot].row.size; i++)
            slope[slot][i] = (45.0 * (f->u[4][slot][i] - f->u[2][slot][i]) -
                              9.0 * (f->u[5][slot][i] - f->u[1][slot][i]) +
                              (f->u[6][slot][i] - f->u[0][slot][i])) /
                             (60.0 * width);
}

// Compares all slots; counts those without a kink nearby.
static void check_state(fixture *f, int32_t *judged, int32_t *all)
{
    static double slope[SLOTS_MAX][3], finer[SLOTS_MAX][3];
    differences(f, WIDTH, slope);
    differences(f, 0.5 * WIDTH, finer);
    go_to(f, 0.0);
    for (int32_t slot = 0; slot < f->model->n_slots; slot++)
        memset(f->contacts[slot].convective, 0x7f, sizeof f->contacts[slot].convective);
    pcs_model_contacts_convective(f->model, &f->c, f->contacts);
    for (int32_t slot = 0; slot < f->model->n_slots; slot++)
        for (int32_t i = 0; i < f->contacts[slot].row.size; i++) {
            ++*all;
            if (fabs(slope[slot][i] - finer[slot][i]) > TOLERANCE)
                continue;
            ++*judged;
            assert_near(f->contacts[slot].convective[i], finer[slot][i], TOLERANCE);
        }
}

static pcs_contact_def contact_of(pcs_contact_kind kind, const char *name, double friction)
{
    pcs_contact_def def = pcs_contact_default();
    def.kind = kind;
    def.name = name;
    def.radius_a = 0.853;
    def.radius_b = 0.317;
    def.size = pcs_v3(0.731, 0.439, 0.283);
    def.width = 0.517;
    def.vertices = HEXAGON;
    def.n_vertices = 6;
    def.closed = true;
    def.curve = (pcs_curve_def){CURVE, 4, true};
    def.law = (pcs_law){friction, 0.25, 0.0};
    return def;
}

// Each kind between body and body, ground and body, body and ground, body and point mass, with a
// surface that is in accelerated motion.
static void test_kinds(void **state)
{
    (void)state;
    static const pcs_body_id ends[4][2] = {{0, 1}, {PCS_GROUND, 1}, {0, PCS_GROUND}, {1, 2}};
    static const char *const names[] = {"p", "q", "r", "s"};
    pcs_random random;
    pcs_random_init(&random, 71);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_CONTACT_KIND_COUNT; kind++) {
            if (!pcs_contact_kind_allowed((pcs_contact_kind)kind, dimension))
                continue;
            static fixture f;
            begin(&f, dimension);
            assert_int_equal(pcs_builder_add_input(f.builder, "speed", 0.41), PCS_OK);
            for (int i = 0; i < 4; i++) {
                pcs_contact_def def = contact_of((pcs_contact_kind)kind, names[i],
                                                 i == 2 ? 0.0 : 0.3);
                def.a = frame_on(&random, dimension, ends[i][0]);
                def.b = frame_on(&random, dimension, ends[i][1]);
                def.surface_speed[0] = pcs_expression("input.speed + 0.6*sin(1.3*t)");
                if (dimension == 3)
                    def.surface_speed[1] = pcs_expression(i == 1 ? "input.speed" : "0.2*t^2");
                assert_int_equal(pcs_builder_add_contact(f.builder, &def), PCS_OK);
            }
            finish(&f);
            int32_t judged = 0, all = 0;
            for (int trial = 0; trial < 40; trial++) {
                random_state(&f, &random);
                check_state(&f, &judged, &all);
            }
            if (judged < all - all / 10)
                fail_msg("kind %d: %d of %d slots are near a kink", kind, (int)(all - judged),
                         (int)all);
            end(&f);
        }
}

// A bounded plane: outside there is no contact point and no acceleration of one.
static void test_outside_the_bounds(void **state)
{
    (void)state;
    static fixture f;
    begin(&f, 3);
    pcs_contact_def def = contact_of(PCS_CONTACT_POINT_PLANE, "tip", 0.3);
    def.b.body = 0;
    def.extent = (pcs_vec2){0.01, 0.01};
    assert_int_equal(pcs_builder_add_contact(f.builder, &def), PCS_OK);
    finish(&f);
    pcs_model_initial_state(f.model, f.q, f.v);
    for (int i = 0; i < f.model->n_v; i++)
        f.v[i] = 0.7 - 0.1 * i;
    go_to(&f, 0.0);
    f.contacts[0].convective[1] = 1.0;
    pcs_model_contacts_convective(f.model, &f.c, f.contacts);
    assert_true(f.contacts[0].gap == HUGE_VAL);
    for (int i = 0; i < 3; i++)
        assert_true(f.contacts[0].convective[i] == 0.0);
    end(&f);
}

static void test_limits(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 19);
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        static fixture f;
        begin(&f, dimension);
        const pcs_joint_kind kinds[] = {PCS_JOINT_REVOLUTE, PCS_JOINT_PRISMATIC,
                                        PCS_JOINT_POINT_ON_LINE};
        const char *const names[] = {"hinge", "slide", "bead"};
        for (int k = 0; k < 3; k++) {
            pcs_joint_def joint = pcs_joint_default();
            joint.name = names[k];
            joint.kind = kinds[k];
            joint.a = frame_on(&random, dimension, 0);
            joint.b = frame_on(&random, dimension, 1);
            joint.drive[0].has_lower = joint.drive[0].has_upper = true;
            joint.drive[0].lower = -2.9;
            joint.drive[0].upper = 2.9;
            pcs_joint_id id;
            if (pcs_builder_add_joint(f.builder, &joint, &id) != PCS_OK)
                fail_msg("%s", pcs_context_error(f.ctx));
        }
        finish(&f);
        int32_t judged = 0, all = 0;
        for (int trial = 0; trial < 40; trial++) {
            random_state(&f, &random);
            check_state(&f, &judged, &all);
        }
        assert_true(judged >= all - all / 10);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_outside_the_bounds),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

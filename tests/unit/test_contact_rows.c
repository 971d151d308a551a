// Contact rows through small models: every kind between two bodies and against the ground, point
// masses, moving surfaces, joint limits, and the checks of a definition.
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

enum { Q_MAX = 32, SLOTS_MAX = 64 };

static const double ROUNDING = 256.0 * DBL_EPSILON;

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g and %.17g differ by %g", a, b, a - b);
}

static const pcs_vec2 HEXAGON[] = {{-1.03, -0.91}, {0.07, -0.38}, {1.11, -0.87},
                                   {0.72, 0.55},   {0.13, 0.21},  {-0.89, 0.79}};

static const pcs_vec2 BACK[] = {{0.4, 0.9}, {-0.31, 0.63}, {-0.92, 0.81}, {-1.0, -0.9}};
static const pcs_curve_piece CURVE[] = {
    {.kind = PCS_CURVE_LINE, .from = {-1.0, -0.9}, .to = {0.2, -0.7}},
    {.kind = PCS_CURVE_PARABOLA, .coefficients = {-0.692, -0.1, 0.3}, .x_from = 0.2, .x_to = 1.1},
    {.kind = PCS_CURVE_ARC, .from = {1.1, -0.439}, .through = {1.3, 0.3}, .to = {0.4, 0.9}},
    {.kind = PCS_CURVE_SPLINE, .points = BACK, .n_points = 4},
};

// A model with its state; two bodies "one" and "two" and a point mass "dot".
typedef struct fixture {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
    pcs_configuration c;
    double q[Q_MAX], v[Q_MAX], turns[8];
    pcs_contact contacts[SLOTS_MAX];
} fixture;

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
        assert_int_equal(id, i);
    }
}

static void finish(fixture *f)
{
    if (pcs_builder_finish(f->builder, &f->model) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    assert_true(f->model->n_q <= Q_MAX && f->model->n_slots <= SLOTS_MAX && f->model->n_turns <= 8);
    assert_int_equal(pcs_configuration_init(f->ctx, f->model, &f->c), PCS_OK);
    pcs_model_initial_state(f->model, f->q, f->v);
}

static void end(fixture *f)
{
    pcs_configuration_free(f->ctx, &f->c);
    pcs_model_destroy(f->model);
    pcs_builder_destroy(f->builder);
    assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
    pcs_context_destroy(f->ctx);
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

// Contacts at q [+] h v, without rows.
static void shifted(fixture *f, double h, pcs_configuration *c, double *q, pcs_contact *contacts)
{
    double d[Q_MAX];
    for (int i = 0; i < f->model->n_v; i++)
        d[i] = h * f->v[i];
    pcs_model_retract(f->model, f->q, d, q);
    pcs_configuration_update(f->model, c, h, q, f->v, f->turns, NULL);
    pcs_model_contacts(f->model, c, false, contacts);
}

// World place of the point that is at `p` in configuration `from` and fixed to `node`.
static pcs_vec3 carried(const pcs_configuration *from, const pcs_configuration *to, int32_t node,
                        pcs_vec3 p)
{
    if (node < 0)
        return p;
    pcs_vec3 local = pcs_m3_tmul_v3(&from->pose[node].R, pcs_v3_sub(p, from->pose[node].x));
    return pcs_v3_add(to->pose[node].x, pcs_m3_mul_v3(&to->pose[node].R, local));
}

// Material velocity of b relative to a at the contact, by central differences.
static pcs_vec3 relative_velocity(const pcs_contact_pair *pair, const pcs_contact *contact,
                                  const pcs_configuration c[3], double h)
{
    pcs_vec3 on_b = contact->point, on_a = pcs_v3_axpy(on_b, -contact->gap, contact->normal);
    pcs_vec3 a0 = carried(&c[1], &c[0], pair->pair.a.node, on_a);
    pcs_vec3 a1 = carried(&c[1], &c[2], pair->pair.a.node, on_a);
    pcs_vec3 b0 = carried(&c[1], &c[0], pair->pair.b.node, on_b);
    pcs_vec3 b1 = carried(&c[1], &c[2], pair->pair.b.node, on_b);
    return pcs_v3_scale(0.5 / h, pcs_v3_sub(pcs_v3_sub(b1, b0), pcs_v3_sub(a1, a0)));
}

static void check_frame(const pcs_contact *contact)
{
    pcs_vec3 n = contact->normal, t1 = contact->tangent1, t2 = contact->tangent2;
    assert_near(pcs_v3_norm(n), 1.0, ROUNDING);
    assert_near(pcs_v3_norm(t1), 1.0, ROUNDING);
    assert_near(pcs_v3_dot(n, t1), 0.0, ROUNDING);
    assert_near(pcs_v3_norm(pcs_v3_sub(t2, pcs_v3_cross(n, t1))), 0.0, ROUNDING);
}

// Rows of all slots: u against the material velocity, u_N against the rate of the gap. Central
// differences with h = 1e-5: h^2/6 times a third derivative below 1e3, and rounding eps/h.
static void check_rows(fixture *f)
{
    const double h = 1e-5, tolerance = 1e-7;
    pcs_configuration c[3] = {{0}};
    double q[3][Q_MAX];
    static pcs_contact contacts[3][SLOTS_MAX];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pcs_configuration_init(f->ctx, f->model, &c[i]), PCS_OK);
        shifted(f, (i - 1) * h, &c[i], q[i], contacts[i]);
    }
    pcs_model_contacts(f->model, &c[1], true, f->contacts);
    for (int32_t k = 0; k < f->model->contact_pairs.count; k++) {
        const pcs_contact_pair *pair = &f->model->contact_pairs.data[k];
        for (int32_t i = 0; i < pair->n_slots; i++) {
            int32_t slot = pair->first_slot + i;
            const pcs_contact *contact = &f->contacts[slot];
            assert_true(contact->gap == contacts[1][slot].gap);
            check_frame(contact);
            int32_t on_ground = (pair->pair.a.node < 0) + (pair->pair.b.node < 0);
            assert_int_equal(contact->row.n_nodes, 2 - on_ground);
            assert_int_equal(contact->row.size, pair->row_size);
            double u[3];
            pcs_contact_velocity(f->model, contact, f->v, u);
            pcs_vec3 rate = relative_velocity(pair, contact, c, h);
            const pcs_vec3 axes[3] = {contact->normal, contact->tangent1, contact->tangent2};
            for (int32_t j = 0; j < contact->row.size; j++)
                assert_near(u[j] - contact->surface[j], pcs_v3_dot(rate, axes[j]), tolerance);
            double slope0 = (contacts[1][slot].gap - contacts[0][slot].gap) / h;
            double slope1 = (contacts[2][slot].gap - contacts[1][slot].gap) / h;
            bool companion = pair->kind == PCS_CONTACT_CYLINDER_PLANE && i % 3 != 0;
            if (!companion && fabs(slope1 - slope0) < 100.0 * h)
                assert_near(u[0], 0.5 * (slope0 + slope1), tolerance);
        }
    }
    for (int i = 0; i < 3; i++)
        pcs_configuration_free(f->ctx, &c[i]);
}

// Each kind between body and body, ground and body, body and ground, body and point mass.
static void test_rows_of_kinds(void **state)
{
    (void)state;
    static const pcs_body_id ends[4][2] = {{0, 1}, {PCS_GROUND, 1}, {0, PCS_GROUND}, {1, 2}};
    static const char *const names[] = {"p", "q", "r", "s"};
    pcs_random random;
    pcs_random_init(&random, 43);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_CONTACT_KIND_COUNT; kind++) {
            if (!pcs_contact_kind_allowed((pcs_contact_kind)kind, dimension))
                continue;
            fixture f;
            begin(&f, dimension);
            for (int i = 0; i < 4; i++) {
                pcs_contact_def def = contact_of((pcs_contact_kind)kind, names[i],
                                                 i == 2 ? 0.0 : 0.3);
                def.a = frame_on(&random, dimension, ends[i][0]);
                def.b = frame_on(&random, dimension, ends[i][1]);
                def.surface_speed[0] = pcs_number(0.19 * i);
                assert_int_equal(pcs_builder_add_contact(f.builder, &def), PCS_OK);
            }
            finish(&f);
            assert_int_equal(f.model->n_slots,
                             4 * pcs_contact_kind_slots((pcs_contact_kind)kind, dimension));
            assert_int_equal(f.model->contact_pairs.data[2].row_size, 1);
            assert_int_equal(f.model->contact_pairs.data[1].row_size, dimension);
            for (int trial = 0; trial < 20; trial++) {
                random_state(&f, &random);
                check_rows(&f);
            }
            end(&f);
        }
}

// The tangents of planes are the axes of frame a; a belt carries a resting body along its speed.
static void test_moving_surface(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        fixture f;
        begin(&f, dimension);
        pcs_contact_def def = contact_of(PCS_CONTACT_SPHERE_PLANE, "belt", 0.4);
        def.a.rotation = pcs_so3_exp(dimension == 2 ? pcs_v3(0.0, 0.0, 0.63)
                                                    : pcs_v3(0.2, -0.5, 0.63));
        def.b.body = 0;
        def.surface_speed[0] = pcs_expression("0.7 + 2*t");
        if (dimension == 3)
            def.surface_speed[1] = pcs_number(-0.31);
        assert_int_equal(pcs_builder_add_contact(f.builder, &def), PCS_OK);
        finish(&f);
        memset(f.v, 0, sizeof f.v);
        pcs_configuration_update(f.model, &f.c, 0.45, f.q, f.v, f.turns, NULL);
        pcs_model_contacts(f.model, &f.c, true, f.contacts);
        pcs_mat3 R = pcs_quat_matrix(def.a.rotation);
        double u[3];
        pcs_contact_velocity(f.model, f.contacts, f.v, u);
        pcs_vec3 x = pcs_m3_column(&R, 0);
        assert_near(pcs_v3_norm(pcs_v3_sub(f.contacts[0].tangent1, x)), 0.0, ROUNDING);
        assert_true(u[0] == 0.0);
        assert_near(u[1], -1.6, ROUNDING);
        if (dimension == 3)
            assert_near(u[2], 0.31, ROUNDING);

        // Moving with the belt, without rotation, there is no slip.
        pcs_vec3 belt = pcs_m3_mul_v3(&R, pcs_v3(1.6, dimension == 3 ? -0.31 : 0.0, 0.0));
        double v[3];
        pcs_v3_store(v, belt);
        for (int i = 0; i < dimension; i++)
            f.v[i] = v[i];
        pcs_contact_velocity(f.model, f.contacts, f.v, u);
        for (int i = 0; i < dimension; i++)
            assert_near(u[i], 0.0, ROUNDING);
        end(&f);
    }
}

// Tangents where the x axis of frame a is the normal.
static void test_tangents_on_sphere(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 3);
    pcs_contact_def def = contact_of(PCS_CONTACT_SPHERE_SPHERE, "balls", 0.4);
    def.b.body = 2;
    assert_int_equal(pcs_builder_add_contact(f.builder, &def), PCS_OK);
    finish(&f);
    int32_t first = f.model->nodes.data[2].q;
    for (int i = 0; i < 300; i++) {
        double angle = 1e-3 * (i - 150);
        f.q[first] = 2.0 * cos(angle);
        f.q[first + 1] = 2.0 * sin(angle) * (i % 2 ? 0.6 : 0.0);
        f.q[first + 2] = 2.0 * sin(angle) * (i % 2 ? 0.8 : 1.0);
        pcs_configuration_update(f.model, &f.c, 0.0, f.q, f.v, f.turns, NULL);
        pcs_model_contacts(f.model, &f.c, true, f.contacts);
        check_frame(f.contacts);
    }
    end(&f);
}

static int32_t slot_of(const pcs_model *model, const char *name)
{
    for (int32_t i = 0; i < pcs_model_contact_count(model); i++)
        if (strcmp(pcs_model_contact_name(model, i), name) == 0)
            return i;
    fail_msg("no slot '%s'", name);
    return -1;
}

static void test_limits(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        fixture f;
        begin(&f, dimension);
        pcs_joint_def hinge = pcs_joint_default(), slide = pcs_joint_default();
        hinge.name = "hinge";
        hinge.kind = PCS_JOINT_REVOLUTE;
        hinge.b.body = 0;
        hinge.drive[0].has_lower = hinge.drive[0].has_upper = true;
        hinge.drive[0].lower = -0.4;
        hinge.drive[0].upper = 9.7;
        hinge.drive[0].restitution = 0.35;
        slide.name = "slide";
        slide.kind = PCS_JOINT_PRISMATIC;
        slide.a.body = 0;
        slide.b.body = 1;
        slide.drive[0].has_upper = true;
        slide.drive[0].upper = 0.21;
        pcs_joint_id id;
        assert_int_equal(pcs_builder_add_joint(f.builder, &hinge, &id), PCS_OK);
        assert_int_equal(pcs_builder_add_joint(f.builder, &slide, &id), PCS_OK);
        finish(&f);
        assert_int_equal(f.model->n_slots, 3);

        // The first body at 7 rad about z of the ground, reference one turn behind.
        double d[Q_MAX] = {0};
        const pcs_node *one = &f.model->nodes.data[0];
        d[one->v + (dimension == 2 ? 2 : 5)] = 7.0;
        pcs_model_retract(f.model, f.q, d, f.q);
        for (int i = 0; i < 8; i++)
            f.turns[i] = 6.9;
        for (int i = 0; i < f.model->n_v; i++)
            f.v[i] = 0.3 + 0.17 * i;
        if (dimension == 3) // a hinge turns about z: keep its angle well defined
            f.v[one->v + 3] = f.v[one->v + 4] = 0.0;
        pcs_configuration_update(f.model, &f.c, 0.0, f.q, f.v, f.turns, NULL);
        pcs_model_contacts(f.model, &f.c, true, f.contacts);
        double rate = f.v[one->v + (dimension == 2 ? 2 : 5)];
        const int32_t slot[3] = {slot_of(f.model, "hinge.lower"), slot_of(f.model, "hinge.upper"),
                                 slot_of(f.model, "slide.upper")};
        assert_near(f.contacts[slot[0]].gap, 7.4, 10.0 * ROUNDING);
        assert_near(f.contacts[slot[1]].gap, 2.7, 10.0 * ROUNDING);
        for (int i = 0; i < 3; i++) {
            const pcs_contact *limit = &f.contacts[slot[i]];
            assert_int_equal(limit->row.size, 1);
            assert_int_equal(limit->row.n_nodes, i < 2 ? 1 : 2);
            assert_true(limit->law.restitution == (i < 2 ? 0.35 : 0.0));
            assert_true(limit->law.friction == 0.0);
        }
        double u;
        pcs_contact_velocity(f.model, &f.contacts[slot[0]], f.v, &u);
        assert_near(u, rate, ROUNDING);
        pcs_contact_velocity(f.model, &f.contacts[slot[1]], f.v, &u);
        assert_near(u, -rate, ROUNDING);

        const double h = 1e-5;
        double q[Q_MAX], gap[2];
        static pcs_contact moved[SLOTS_MAX];
        for (int i = 0; i < 2; i++) {
            shifted(&f, i ? h : -h, &f.c, q, moved);
            gap[i] = moved[slot[2]].gap;
        }
        pcs_contact_velocity(f.model, &f.contacts[slot[2]], f.v, &u);
        assert_near(u, (gap[1] - gap[0]) / (2.0 * h), 1e-7);
        end(&f);
    }
}

static void refuse(pcs_context *ctx, pcs_contact_def def, int32_t dimension, const char *text)
{
    assert_int_equal(pcs_contact_check(ctx, &def, dimension), PCS_ERROR_MODEL);
    const char *error = pcs_context_error(ctx);
    if (strncmp(error, "contact 'tip': ", 15) != 0 || !strstr(error, text))
        fail_msg("'%s' does not mention '%s'", error, text);
}

static void test_checks(void **state)
{
    (void)state;
    pcs_context_def context = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&context);
    assert_non_null(ctx);
    static const char *const names[] = {
        "point-plane", "sphere-plane",   "sphere-sphere",  "sphere-in-sphere", "pin-in-hole",
        "box-plane",   "cylinder-plane", "point-polyline", "slider-guide",     "point-curve"};
    static const int32_t slots[][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1},
                                       {4, 8}, {0, 6}, {1, 0}, {4, 0}, {1, 0}};
    for (int k = 0; k < PCS_CONTACT_KIND_COUNT; k++)
        for (int32_t dimension = 2; dimension <= 3; dimension++) {
            pcs_contact_kind kind = (pcs_contact_kind)k;
            assert_string_equal(pcs_contact_kind_name(kind), names[k]);
            assert_int_equal(pcs_contact_kind_slots(kind, dimension), slots[k][dimension - 2]);
            pcs_contact_def def = contact_of(kind, "tip", 0.3);
            if (pcs_contact_kind_allowed(kind, dimension))
                assert_int_equal(pcs_contact_check(ctx, &def, dimension), PCS_OK);
            else
                refuse(ctx, def, dimension, "is not a contact of");
        }
    assert_null(pcs_contact_kind_name(PCS_CONTACT_KIND_COUNT));
    assert_int_equal(pcs_contact_kind_slots(PCS_CONTACT_KIND_COUNT, 3), 0);
    refuse(ctx, contact_of(PCS_CONTACT_KIND_COUNT, "tip", 0.0), 3, "unknown kind");

    pcs_contact_def def = contact_of(PCS_CONTACT_SPHERE_PLANE, "tip", 0.0);
    def.radius_b = 0.0;
    refuse(ctx, def, 3, "radius_b must be a number > 0, but is 0");
    def = contact_of(PCS_CONTACT_SPHERE_SPHERE, "tip", 0.0);
    def.radius_a = NAN;
    refuse(ctx, def, 3, "radius_a");
    def = contact_of(PCS_CONTACT_PIN_IN_HOLE, "tip", 0.0);
    def.radius_b = 0.0; // a bead
    assert_int_equal(pcs_contact_check(ctx, &def, 3), PCS_OK);
    def.radius_b = def.radius_a;
    refuse(ctx, def, 2, "smaller than radius_a");
    def.radius_b = -0.1;
    refuse(ctx, def, 2, "radius_b must be a number >= 0");
    def = contact_of(PCS_CONTACT_BOX_PLANE, "tip", 0.0);
    def.size.z = 0.0; // not used in the plane
    assert_int_equal(pcs_contact_check(ctx, &def, 2), PCS_OK);
    refuse(ctx, def, 3, "size.z");
    def = contact_of(PCS_CONTACT_CYLINDER_PLANE, "tip", 0.0);
    def.size.z = INFINITY;
    refuse(ctx, def, 3, "size.z");
    def = contact_of(PCS_CONTACT_SLIDER_GUIDE, "tip", 0.0);
    def.width = 0.4;
    refuse(ctx, def, 2, "does not fit");
    def = contact_of(PCS_CONTACT_POINT_PLANE, "tip", -0.1);
    refuse(ctx, def, 3, "friction");
    def.law = (pcs_law){0.0, 1.01, 0.0};
    refuse(ctx, def, 3, "restitution must be in [0, 1], but is 1.01");
    def.law = (pcs_law){0.0, 0.0, NAN};
    refuse(ctx, def, 3, "tangential restitution");
    def = contact_of(PCS_CONTACT_POINT_PLANE, "tip", 0.0);
    def.extent.y = -1.0;
    refuse(ctx, def, 3, "extent");
    def.extent.y = 0.0;
    def.surface_speed[0].number = NAN;
    refuse(ctx, def, 3, "surface speed");
    def.surface_speed[0].number = 0.0;
    def.surface_speed[1].number = 0.2;
    refuse(ctx, def, 2, "surface speed y");
    pcs_context_destroy(ctx);
}

static void test_polyline_checks(void **state)
{
    (void)state;
    pcs_context_def context = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&context);
    assert_non_null(ctx);
    pcs_contact_def def = contact_of(PCS_CONTACT_POINT_POLYLINE, "tip", 0.0);
    pcs_vec2 v[4] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 2.0}, {0.0, 0.0}};
    def.vertices = v;
    def.n_vertices = 4;
    refuse(ctx, def, 2, "from vertex 3 to vertex 0");
    assert_non_null(strstr(pcs_context_error(ctx), "does not repeat"));
    def.closed = false;
    assert_int_equal(pcs_contact_check(ctx, &def, 2), PCS_OK);
    v[3] = (pcs_vec2){1.0, 0.7};
    refuse(ctx, def, 2, "turns straight back at vertex 2");
    v[3] = (pcs_vec2){1.0, 2.7}; // straight on is allowed
    assert_int_equal(pcs_contact_check(ctx, &def, 2), PCS_OK);
    v[2].y = NAN;
    refuse(ctx, def, 2, "vertex 2 is not finite");
    v[2].y = 2.0;
    def.n_vertices = 2;
    assert_int_equal(pcs_contact_check(ctx, &def, 2), PCS_OK);
    def.closed = true;
    refuse(ctx, def, 2, "a closed polyline needs at least 3 vertices, but has 2");
    def.n_vertices = 1;
    def.closed = false;
    refuse(ctx, def, 2, "an open polyline needs at least 2");
    def.n_vertices = 3;
    def.vertices = NULL;
    refuse(ctx, def, 2, "no array");
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_kinds),
        cmocka_unit_test(test_moving_surface),
        cmocka_unit_test(test_tangents_on_sphere),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_polyline_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

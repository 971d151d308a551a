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

#include "support/declared_contacts.h"
#include "support/near.h"

static const double ROUNDING = 256.0 * DBL_EPSILON;

// Contacts at q [+] h v, without rows.
static void shifted(declared_model *f, double h, pcs_configuration *c, double *q,
                    pcs_contact *contacts)
{
    double d[DECLARED_Q_MAX];
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
static void check_rows(declared_model *f)
{
    const double h = 1e-5, tolerance = 1e-7;
    pcs_configuration c[3] = {{0}};
    double q[3][DECLARED_Q_MAX];
    static pcs_contact contacts[3][DECLARED_SLOTS_MAX];
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
    pcs_random random;
    pcs_random_init(&random, 43);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_CONTACT_KIND_COUNT; kind++) {
            if (!pcs_contact_kind_allowed((pcs_contact_kind)kind, dimension))
                continue;
            declared_model f;
            declared_begin(&f, dimension);
            pcs_contact_def def[DECLARED_PAIRS];
            declared_contacts((pcs_contact_kind)kind, declared_frame, &random, dimension, def);
            for (int i = 0; i < DECLARED_PAIRS; i++) {
                def[i].surface_speed[0] = pcs_number(0.19 * i);
                assert_int_equal(pcs_builder_add_contact(f.builder, &def[i]), PCS_OK);
            }
            declared_finish(&f);
            assert_int_equal(f.model->n_slots,
                             DECLARED_PAIRS *
                                 pcs_contact_kind_slots((pcs_contact_kind)kind, dimension));
            assert_int_equal(f.model->contact_pairs.data[2].row_size, 1);
            assert_int_equal(f.model->contact_pairs.data[1].row_size, dimension);
            for (int trial = 0; trial < 20; trial++) {
                declared_randomise(&f, &random);
                check_rows(&f);
            }
            declared_end(&f);
        }
}

// The tangents of planes are the axes of frame a; a belt carries a resting body along its speed.
static void test_moving_surface(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        declared_model f;
        declared_begin(&f, dimension);
        pcs_contact_def def = declared_contact(PCS_CONTACT_SPHERE_PLANE, "belt", 0.4);
        def.a.rotation = pcs_so3_exp(dimension == 2 ? pcs_v3(0.0, 0.0, 0.63)
                                                    : pcs_v3(0.2, -0.5, 0.63));
        def.b.body = 0;
        def.surface_speed[0] = pcs_expression("0.7 + 2*t");
        if (dimension == 3)
            def.surface_speed[1] = pcs_number(-0.31);
        assert_int_equal(pcs_builder_add_contact(f.builder, &def), PCS_OK);
        declared_finish(&f);
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
        declared_end(&f);
    }
}

// Tangents where the x axis of frame a is the normal.
static void test_tangents_on_sphere(void **state)
{
    (void)state;
    declared_model f;
    declared_begin(&f, 3);
    pcs_contact_def def = declared_contact(PCS_CONTACT_SPHERE_SPHERE, "balls", 0.4);
    def.b.body = 2;
    assert_int_equal(pcs_builder_add_contact(f.builder, &def), PCS_OK);
    declared_finish(&f);
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
    declared_end(&f);
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
        declared_model f;
        declared_begin(&f, dimension);
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
        declared_finish(&f);
        assert_int_equal(f.model->n_slots, 3);

        // The first body at 7 rad about z of the ground, reference one turn behind.
        double d[DECLARED_Q_MAX] = {0};
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
        double q[DECLARED_Q_MAX], gap[2];
        static pcs_contact moved[DECLARED_SLOTS_MAX];
        for (int i = 0; i < 2; i++) {
            shifted(&f, i ? h : -h, &f.c, q, moved);
            gap[i] = moved[slot[2]].gap;
        }
        pcs_contact_velocity(f.model, &f.contacts[slot[2]], f.v, &u);
        assert_near(u, (gap[1] - gap[0]) / (2.0 * h), 1e-7);
        declared_end(&f);
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
            pcs_contact_def def = declared_contact(kind, "tip", 0.3);
            if (pcs_contact_kind_allowed(kind, dimension))
                assert_int_equal(pcs_contact_check(ctx, &def, dimension), PCS_OK);
            else
                refuse(ctx, def, dimension, "is not a contact of");
        }
    assert_null(pcs_contact_kind_name(PCS_CONTACT_KIND_COUNT));
    assert_int_equal(pcs_contact_kind_slots(PCS_CONTACT_KIND_COUNT, 3), 0);
    refuse(ctx, declared_contact(PCS_CONTACT_KIND_COUNT, "tip", 0.0), 3, "unknown kind");

    pcs_contact_def def = declared_contact(PCS_CONTACT_SPHERE_PLANE, "tip", 0.0);
    def.radius_b = 0.0;
    refuse(ctx, def, 3, "radius_b must be a number > 0, but is 0");
    def = declared_contact(PCS_CONTACT_SPHERE_SPHERE, "tip", 0.0);
    def.radius_a = NAN;
    refuse(ctx, def, 3, "radius_a");
    def = declared_contact(PCS_CONTACT_PIN_IN_HOLE, "tip", 0.0);
    def.radius_b = 0.0; // a bead
    assert_int_equal(pcs_contact_check(ctx, &def, 3), PCS_OK);
    def.radius_b = def.radius_a;
    refuse(ctx, def, 2, "smaller than radius_a");
    def.radius_b = -0.1;
    refuse(ctx, def, 2, "radius_b must be a number >= 0");
    def = declared_contact(PCS_CONTACT_BOX_PLANE, "tip", 0.0);
    def.size.z = 0.0; // not used in the plane
    assert_int_equal(pcs_contact_check(ctx, &def, 2), PCS_OK);
    refuse(ctx, def, 3, "size.z");
    def = declared_contact(PCS_CONTACT_CYLINDER_PLANE, "tip", 0.0);
    def.size.z = INFINITY;
    refuse(ctx, def, 3, "size.z");
    def = declared_contact(PCS_CONTACT_SLIDER_GUIDE, "tip", 0.0);
    def.width = 0.4;
    refuse(ctx, def, 2, "does not fit");
    def = declared_contact(PCS_CONTACT_POINT_PLANE, "tip", -0.1);
    refuse(ctx, def, 3, "friction");
    def.law = (pcs_law){0.0, 1.01, 0.0};
    refuse(ctx, def, 3, "restitution must be in [0, 1], but is 1.01");
    def.law = (pcs_law){0.0, 0.0, NAN};
    refuse(ctx, def, 3, "tangential restitution");
    def = declared_contact(PCS_CONTACT_POINT_PLANE, "tip", 0.0);
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
    pcs_contact_def def = declared_contact(PCS_CONTACT_POINT_POLYLINE, "tip", 0.0);
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

// Accelerations of contacts, pcs_contact.convective: along a motion with v' = 0 (and Omega' = 0 in
// body axes, so q(h) = q [+] h v exactly) it is the derivative of the relative velocity u. A
// central difference of order 6 is the judge; a slot whose difference changes with its width by
// more than its error has a kink nearby (a change of face) and is left out, but not many are.
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

enum { SIDE = 3 };

// Width of the difference. Its error is width^6/140 times a seventh derivative plus rounding
// eps |u|/width; lengths are of order 1 and angular velocities below 2, so that both are below
// 1e-11 where no curvature is near its singularity. Differences of the two widths show where it is.
static const double WIDTH = 2e-3;
static const double TOLERANCE = 1e-9;

static void go_to(declared_model *f, double h)
{
    double d[DECLARED_Q_MAX];
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
static void companion_velocity(const declared_model *f, const pcs_contact_pair *pair, int32_t slot,
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
static void sample(declared_model *f, double width, double u[][DECLARED_SLOTS_MAX][3])
{
    pcs_vec3 local[DECLARED_SLOTS_MAX];
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
            pcs_contact_velocity(f->model, &f->contacts[slot], f->v, u[j + SIDE][slot]);
        for (int32_t k = 0; k < f->model->contact_pairs.count; k++) {
            const pcs_contact_pair *pair = &f->model->contact_pairs.data[k];
            for (int32_t i = 0; i < pair->n_slots; i++)
                if (is_companion(pair, i))
                    companion_velocity(f, pair, pair->first_slot + i, local[pair->first_slot + i],
                                       u[j + SIDE][pair->first_slot + i]);
        }
    }
}

static void differences(declared_model *f, double width, double slope[][3])
{
    double u[2 * SIDE + 1][DECLARED_SLOTS_MAX][3];
    sample(f, width, u);
    for (int32_t slot = 0; slot < f->model->n_slots; slot++)
        for (int32_t i = 0; i < f->contacts[slot].row.size; i++)
            slope[slot][i] = (45.0 * (u[4][slot][i] - u[2][slot][i]) -
                              9.0 * (u[5][slot][i] - u[1][slot][i]) +
                              (u[6][slot][i] - u[0][slot][i])) /
                             (60.0 * width);
}

// Compares all slots; counts those without a kink nearby.
static void check_state(declared_model *f, int32_t *judged, int32_t *all)
{
    static double slope[DECLARED_SLOTS_MAX][3], finer[DECLARED_SLOTS_MAX][3];
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

// Each kind between body and body, ground and body, body and ground, body and point mass, with a
// surface that is in accelerated motion.
static void test_kinds(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 71);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_CONTACT_KIND_COUNT; kind++) {
            if (!pcs_contact_kind_allowed((pcs_contact_kind)kind, dimension))
                continue;
            static declared_model f;
            declared_begin(&f, dimension);
            assert_int_equal(pcs_builder_add_input(f.builder, "speed", 0.41), PCS_OK);
            pcs_contact_def def[DECLARED_PAIRS];
            declared_contacts((pcs_contact_kind)kind, declared_frame, &random, dimension, def);
            for (int i = 0; i < DECLARED_PAIRS; i++) {
                def[i].surface_speed[0] = pcs_expression("input.speed + 0.6*sin(1.3*t)");
                if (dimension == 3)
                    def[i].surface_speed[1] = pcs_expression(i == 1 ? "input.speed" : "0.2*t^2");
                assert_int_equal(pcs_builder_add_contact(f.builder, &def[i]), PCS_OK);
            }
            declared_finish(&f);
            int32_t judged = 0, all = 0;
            for (int trial = 0; trial < 40; trial++) {
                declared_randomise(&f, &random);
                check_state(&f, &judged, &all);
            }
            if (judged < all - all / 10)
                fail_msg("kind %d: %d of %d slots are near a kink", kind, (int)(all - judged),
                         (int)all);
            declared_end(&f);
        }
}

// A bounded plane: outside there is no contact point and no acceleration of one.
static void test_outside_the_bounds(void **state)
{
    (void)state;
    static declared_model f;
    declared_begin(&f, 3);
    pcs_contact_def def = declared_contact(PCS_CONTACT_POINT_PLANE, "tip", 0.3);
    def.b.body = 0;
    def.extent = (pcs_vec2){0.01, 0.01};
    assert_int_equal(pcs_builder_add_contact(f.builder, &def), PCS_OK);
    declared_finish(&f);
    pcs_model_initial_state(f.model, f.q, f.v);
    for (int i = 0; i < f.model->n_v; i++)
        f.v[i] = 0.7 - 0.1 * i;
    go_to(&f, 0.0);
    f.contacts[0].convective[1] = 1.0;
    pcs_model_contacts_convective(f.model, &f.c, f.contacts);
    assert_true(f.contacts[0].gap == HUGE_VAL);
    for (int i = 0; i < 3; i++)
        assert_true(f.contacts[0].convective[i] == 0.0);
    declared_end(&f);
}

static void test_limits(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 19);
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        static declared_model f;
        declared_begin(&f, dimension);
        const pcs_joint_kind kinds[] = {PCS_JOINT_REVOLUTE, PCS_JOINT_PRISMATIC,
                                        PCS_JOINT_POINT_ON_LINE};
        const char *const names[] = {"hinge", "slide", "bead"};
        for (int k = 0; k < 3; k++) {
            pcs_joint_def joint = pcs_joint_default();
            joint.name = names[k];
            joint.kind = kinds[k];
            joint.a = declared_frame(&random, dimension, 0);
            joint.b = declared_frame(&random, dimension, 1);
            joint.drive[0].has_lower = joint.drive[0].has_upper = true;
            joint.drive[0].lower = -2.9;
            joint.drive[0].upper = 2.9;
            pcs_joint_id id;
            if (pcs_builder_add_joint(f.builder, &joint, &id) != PCS_OK)
                fail_msg("%s", pcs_context_error(f.ctx));
        }
        declared_finish(&f);
        int32_t judged = 0, all = 0;
        for (int trial = 0; trial < 40; trial++) {
            declared_randomise(&f, &random);
            check_state(&f, &judged, &all);
        }
        assert_true(judged >= all - all / 10);
        declared_end(&f);
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

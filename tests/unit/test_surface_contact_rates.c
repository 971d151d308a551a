// Contacts of surfaces: rates of gaps, accelerations and tangents against differences for all
// targets, also of a node that is held on its face beyond the border.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/contact_scene.h"
#include "support/mesh_blocks.h"
#include "support/near.h"

// Order 6: width^6/140 times a seventh derivative, and eps/width of rounding. Lengths and speeds
// are of order 1; where a curvature is large the two widths differ and the slot is left out.
static const double WIDTH = 1e-3;
static const double TOLERANCE = 1e-8;

// Along q [+] h v: the gap, u, and H^T r of a slot.
typedef struct sample {
    double gap, u[3], F[SCENE_Q_MAX];
} sample;

static const double PLACE[6] = {-3, -2, -1, 1, 2, 3};
static const double WEIGHT[6] = {-1, 9, -45, 45, -9, 1};

static void differ(contact_scene *s, const double *r, double width, sample *slope)
{
    const pcs_model *m = s->model;
    memset(slope, 0, sizeof *slope * (size_t)m->n_slots);
    for (int k = 0; k < 6; k++) {
        const double weight = WEIGHT[k] / (60.0 * width);
        contact_scene_go_to(s, PLACE[k] * width, s->v);
        for (int32_t i = 0; i < m->n_slots; i++) {
            double F[SCENE_Q_MAX] = {0}, u[3] = {0};
            pcs_contact_velocity(m, &s->contacts[i], s->v, u);
            contact_scene_force(m, &s->contacts[i], r + 3 * i, F);
            slope[i].gap += weight * s->contacts[i].gap;
            for (int j = 0; j < 3; j++)
                slope[i].u[j] += weight * u[j];
            for (int32_t j = 0; j < m->n_v; j++)
                slope[i].F[j] += weight * F[j];
        }
    }
}

static double distance(const contact_scene *s, const sample *a, const sample *b)
{
    double d = fabs(a->gap - b->gap);
    for (int j = 0; j < 3; j++)
        d = fmax(d, fabs(a->u[j] - b->u[j]));
    for (int32_t j = 0; j < s->model->n_v; j++)
        d = fmax(d, fabs(a->F[j] - b->F[j]));
    return d; // NaN where the slot has no contact on the way
}

// A saddle system whose matrix couples every pair of nodes.
static pcs_saddle *full_saddle(contact_scene *s)
{
    const int32_t n = s->model->nodes.count;
    int32_t(*pairs)[2] = malloc(sizeof *pairs * (size_t)n * (size_t)n), count = 0;
    assert_non_null(pairs);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i + 1; j < n; j++) {
            pairs[count][0] = i;
            pairs[count++][1] = j;
        }
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = count;
    def.coupling = (const int32_t(*)[2])pairs;
    pcs_saddle *saddle;
    contact_scene_must(s, pcs_model_saddle_create(s->ctx, s->model, &def, &saddle));
    free(pairs);
    return saddle;
}

// out = A v
static void multiply(const contact_scene *s, pcs_saddle *saddle, const double *v, double *out)
{
    const pcs_model *m = s->model;
    memset(out, 0, sizeof(double) * (size_t)m->n_v);
    for (int32_t i = 0; i < m->nodes.count; i++)
        for (int32_t j = 0; j < m->nodes.count; j++) {
            const pcs_node *a = pcs_model_node(m, i), *b = pcs_model_node(m, j);
            const double *A = pcs_saddle_diagonal(saddle, i);
            if (i != j) {
                const int32_t k = pcs_saddle_find_coupling(saddle, i < j ? i : j, i < j ? j : i);
                A = pcs_saddle_coupling(saddle, k, i > j);
            }
            for (int32_t k = 0; k < a->n_v; k++)
                for (int32_t l = 0; l < b->n_v; l++)
                    out[a->v + k] += A[k * b->n_v + l] * v[b->v + l];
        }
}

typedef struct score {
    int32_t judged, touching, kinds[3];
} score;

// All slots at the state of the scene: gap' = u_N - surface, u' = convective, (H^T r)' = A v.
static void check_derivatives(contact_scene *s, pcs_random *random, pcs_saddle *saddle, score *out)
{
    static sample coarse[SCENE_SLOTS_MAX], fine[SCENE_SLOTS_MAX];
    static double r[3 * SCENE_SLOTS_MAX];
    const pcs_model *m = s->model;
    for (int32_t i = 0; i < 3 * m->n_slots; i++)
        r[i] = pcs_random_between(random, -1.0, 1.0);
    differ(s, r, WIDTH, coarse);
    differ(s, r, 0.5 * WIDTH, fine);
    contact_scene_evaluate(s);
    for (int32_t i = 0; i < m->n_slots; i++)
        memset(s->contacts[i].convective, 0x7f, sizeof s->contacts[i].convective);
    pcs_model_contacts_convective(m, &s->c, s->contacts);
    for (int32_t i = 0; i < m->n_slots; i++) {
        const pcs_contact *contact = &s->contacts[i];
        if (!isfinite(contact->gap)) {
            for (int j = 0; j < contact->row.size; j++)
                assert_true(contact->convective[j] == 0.0);
            continue;
        }
        out->touching++;
        if (!(distance(s, &coarse[i], &fine[i]) <= TOLERANCE))
            continue;
        out->judged++;
        double u[3], F[SCENE_Q_MAX];
        static double one[3 * SCENE_SLOTS_MAX];
        pcs_contact_velocity(m, contact, s->v, u);
        assert_near(u[0] - contact->surface[0], fine[i].gap, TOLERANCE);
        for (int j = 0; j < contact->row.size; j++)
            assert_near(contact->convective[j], fine[i].u[j], TOLERANCE);
        int64_t count;
        double *values = pcs_saddle_values(saddle, &count);
        memset(values, 0, sizeof(double) * (size_t)count);
        memset(one, 0, sizeof one);
        memcpy(one + 3 * i, r + 3 * i, 3 * sizeof(double));
        pcs_model_contact_tangent(m, &s->c, s->contacts, one, 1.0, saddle);
        multiply(s, saddle, s->v, F);
        for (int32_t j = 0; j < m->n_v; j++)
            assert_near(F[j], fine[i].F[j], TOLERANCE);
    }
}

static void check_scene(contact_scene *s, pcs_random *random, double size, int trials,
                        int32_t least)
{
    pcs_saddle *saddle = full_saddle(s);
    score sum = {0};
    for (int k = 0; k < trials; k++) {
        contact_scene_shake(s, random, size);
        check_derivatives(s, random, saddle, &sum);
    }
    if (sum.judged < least || sum.judged < sum.touching * 7 / 10)
        fail_msg("only %d of %d touching slots were judged", (int)sum.judged, (int)sum.touching);
    pcs_saddle_destroy(saddle);
}

// Rigid shapes on the ground, on a body and on a node of another mesh; points and rolling frames.
static void test_shapes(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 311);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_TARGET_FACES; kind++) {
            if (dimension == 2 && kind >= PCS_TARGET_CYLINDER)
                continue;
            static contact_scene s;
            static mesh_chain beam, bar;
            contact_scene_begin(&s, dimension);
            const double z = dimension == 2 ? 0.0 : 0.2;
            const pcs_body_id body = contact_scene_add_body(&s, "body", pcs_v3(0.1, -0.2, z));
            mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(-0.8, 0.3, z),
                            pcs_v3(0.9, 0.5, 2 * z), 3);
            mesh_chain_init(&bar, "bar", PCS_ELEMENT_BAR, pcs_v3(-0.7, 0.5, -z),
                            pcs_v3(0.6, 0.1, z), 3);
            const pcs_mesh_id beams = contact_scene_add_mesh(&s, &beam.mesh),
                              bars = contact_scene_add_mesh(&s, &bar.mesh);
            int32_t node;
            contact_scene_must(&s, pcs_builder_mesh_node(s.builder, bars, 1, &node));
            static const char *const names[] = {"a", "b", "c", "d"};
            for (int i = 0; i < 4; i++) {
                pcs_surface_contact_def def = contact_scene_on(names[i], i == 3 ? bars : beams,
                                                               (pcs_target_kind)kind);
                def.node_radius = i % 2 == 0 ? 0.083 : 0.0;
                if (i == 1 || i == 3)
                    def.frame.body = body;
                if (i == 2)
                    def.frame.node = node;
                def.frame.position = pcs_v3(0.03, -0.04, dimension == 2 ? 0.0 : 0.02);
                def.frame.rotation = dimension == 2 ? pcs_so3_exp(pcs_v3(0.0, 0.0, 0.4))
                                                    : pcs_so3_exp(pcs_v3(0.4, -0.3, 0.2 * i));
                if (kind == PCS_TARGET_PLANE) {
                    def.surface_speed[0] = pcs_expression("0.3 + 0.6*sin(1.3*t)");
                    if (dimension == 3)
                        def.surface_speed[1] = pcs_number(-0.7);
                }
                if (i == 3)
                    def.law.friction = 0.0;
                contact_scene_must(&s, pcs_builder_add_surface_contact(s.builder, &def));
            }
            contact_scene_finish(&s);
            check_scene(&s, &random, 0.3, 12, 100);
            contact_scene_end(&s);
        }
}

// Faces: quadrilaterals and triangles below points and beams; segments in the plane.
static void test_faces(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 919);
    for (int variant = 0; variant < 3; variant++) {
        static contact_scene s;
        static mesh_block lower, upper;
        static mesh_chain beam, line;
        contact_scene_begin(&s, variant == 2 ? 2 : 3);
        pcs_mesh_id target, sender;
        if (variant == 2) {
            mesh_chain_init(&line, "line", PCS_ELEMENT_BEAM, pcs_v3(-1.1, 0.0, 0.0),
                            pcs_v3(1.2, 0.1, 0.0), 4);
            mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(-1.2, 0.2, 0.0),
                            pcs_v3(1.3, 0.3, 0.0), 9);
            target = contact_scene_add_mesh(&s, &line.mesh);
            sender = contact_scene_add_mesh(&s, &beam.mesh);
        } else {
            mesh_block_init(&lower, "lower", pcs_v3(-1, -1, -0.5), pcs_v3(2, 2, 0.5), 3, 3, 1,
                            variant == 1);
            mesh_block_init(&upper, "upper", pcs_v3(-0.8, -0.9, 0.1), pcs_v3(1.6, 1.7, 0.6), 2, 2,
                            1, false);
            mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(-1.2, 0.3, 0.3),
                            pcs_v3(1.3, 0.5, 0.2), 6);
            target = contact_scene_add_mesh(&s, &lower.mesh);
            const pcs_mesh_id upper_id = contact_scene_add_mesh(&s, &upper.mesh);
            sender = contact_scene_add_mesh(&s, &beam.mesh);
            pcs_surface_contact_def def = contact_scene_on("down", upper_id, PCS_TARGET_FACES);
            def.target_mesh = target;
            contact_scene_must(&s, pcs_builder_add_surface_contact(s.builder, &def));
            def = contact_scene_on("up", target, PCS_TARGET_FACES);
            def.target_mesh = upper_id;
            def.law.friction = 0.0;
            contact_scene_must(&s, pcs_builder_add_surface_contact(s.builder, &def));
        }
        pcs_surface_contact_def def = contact_scene_on("beam", sender, PCS_TARGET_FACES);
        def.group = "all";
        def.node_radius = 0.071;
        def.target_mesh = target;
        def.target_group = variant == 2 ? "line" : NULL;
        contact_scene_must(&s, pcs_builder_add_surface_contact(s.builder, &def));
        contact_scene_finish(&s);
        check_scene(&s, &random, 0.07, 12, variant == 2 ? 100 : 150);
        contact_scene_end(&s);
    }
}

// ---- Held on a face ----

// A point slides over the top of a block of 2 x 2 faces along x: held on its face, the way to the
// border falls with it, below 0 beyond, the gap stays that of the plane, and the neighbour is the
// face that is found there without holding. Rows keep their nodes, which are known beforehand.
static void test_held(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 13);
    static contact_scene s;
    static mesh_block low;
    static mesh_chain bar;
    contact_scene_begin(&s, 3);
    mesh_block_init(&low, "low", pcs_v3(0, 0, 0), pcs_v3(1, 1, 1), 2, 2, 1, false);
    mesh_chain_init(&bar, "bar", PCS_ELEMENT_BAR, pcs_v3(0.3, 0.29, 1.01), pcs_v3(0.31, 0.3, 4.0),
                    1);
    const pcs_mesh_id points = contact_scene_finish_on_faces(&s, &low.mesh, &bar.mesh, 0);
    double *x = s.q + pcs_model_node(s.model, s.model->meshes.data[points].first_node)->q;
    contact_scene_evaluate(&s);
    int32_t held[2] = {s.contacts[0].face, -1}, next = -1, nodes[PCS_ROW_NODES_MAX];
    assert_true(s.contacts[0].edge == HUGE_VAL);
    s.c.face = held;
    for (x[0] = 0.3; x[0] < 0.7; x[0] += 0.01) {
        contact_scene_evaluate(&s);
        const pcs_contact *contact = &s.contacts[0];
        const double right = 0.5 - x[0];
        assert_int_equal(contact->face, held[0]);
        assert_near(contact->gap, 0.01, 1e-15);
        assert_near(contact->edge, fmin(right, 0.21), 1e-14);
        assert_int_equal(pcs_surface_contact_nodes(s.model, 0, held[0], nodes), 5);
        for (int k = 0; k < 5; k++)
            assert_int_equal(contact->row.node[k], nodes[k]);
        if (right < 0.2)
            next = contact->next_face;
    }
    s.c.face = NULL;
    contact_scene_evaluate(&s);
    assert_int_equal(s.contacts[0].face, next);
    // Rates of a contact that is held beyond its border.
    pcs_saddle *saddle = full_saddle(&s);
    score sum = {0};
    x[0] = 0.57;
    s.c.face = held;
    for (int32_t i = 0; i < s.model->n_v; i++) {
        s.q[i] += pcs_random_between(&random, -0.03, 0.03);
        s.v[i] = pcs_random_between(&random, -1.0, 1.0);
    }
    check_derivatives(&s, &random, saddle, &sum);
    assert_int_equal(sum.judged, 1);
    assert_true(s.contacts[0].edge < 0.0);
    pcs_saddle_destroy(saddle);
    // Off the end of the last face nothing is left to be held by.
    held[0] = next;
    x[0] = 0.9;
    contact_scene_evaluate(&s);
    held[0] = -1;
    x[0] = 1.2;
    x[2] = 0.9;
    contact_scene_evaluate(&s);
    assert_true(s.contacts[0].gap > 0.1);
    contact_scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

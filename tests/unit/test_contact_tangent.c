// Geometric stiffness of contacts: the columns of d(H^T r)/dq against differences of H^T r along
// every component of q [+] delta, for every kind of declared contact and for joint limits. A slot
// whose difference changes with its width has a kink nearby and is left out, but not many are.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/contact.h"
#include "support/declared_contacts.h"
#include "support/near.h"
#include "support/probe.h"

enum { SLOTS_MAX = 64, N_MAX = 32, PLACES = 6 };

// Central difference of order 6: width^6/140 times a seventh derivative, and eps |H^T r|/width of
// rounding. Lengths, forces and turns are of order 1, so that both are below 1e-12 except where a
// curvature is near its singularity, which the two widths show.
static const double WIDTH = 4e-3;
static const double TOLERANCE = 1e-9;

// The saddle system with the pattern that contact tangents need.
static pcs_saddle *contact_saddle(probe *p, const int32_t (**pattern)[2])
{
    int32_t(*pairs)[2], n;
    assert_int_equal(pcs_model_all_pairs(p->ctx, p->model, &pairs, &n), PCS_OK);
    assert_int_equal(pcs_model_contact_pairs(p->ctx, p->model, &pairs, &n), PCS_OK);
    for (int32_t i = 0; i < n; i++) {
        assert_true(pairs[i][0] < pairs[i][1]);
        if (i > 0)
            assert_true(pairs[i - 1][0] < pairs[i][0] ||
                        (pairs[i - 1][0] == pairs[i][0] && pairs[i - 1][1] < pairs[i][1]));
    }
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = n;
    def.coupling = (const int32_t(*)[2])pairs;
    def.n_rows = p->model->row_blocks.count;
    def.rows = p->blocks;
    pcs_saddle *saddle;
    assert_int_equal(pcs_model_saddle_create(p->ctx, p->model, &def, &saddle), PCS_OK);
    *pattern = (const int32_t(*)[2])pairs;
    return saddle;
}

// F = H^T r of one slot
static void force_of(const pcs_model *m, const pcs_contact *contact, const double *r, double *F)
{
    memset(F, 0, sizeof(double) * (size_t)m->n_v);
    for (int32_t k = 0; k < contact->row.n_nodes; k++) {
        const pcs_node *node = pcs_model_node(m, contact->row.node[k]);
        for (int32_t i = 0; i < contact->row.size; i++)
            for (int32_t j = 0; j < node->n_v; j++)
                F[node->v + j] += r[i] * contact->row.J[k][i * node->n_v + j];
    }
}

// Columns of all slots for component j by a difference of the given width.
static void difference(probe *p, pcs_contact *contacts, const double *r, int32_t j, double width,
                       double slope[][N_MAX])
{
    static const double place[PLACES] = {-3, -2, -1, 1, 2, 3};
    static const double weight[PLACES] = {-1, 9, -45, 45, -9, 1};
    for (int32_t s = 0; s < p->model->n_slots; s++)
        memset(slope[s], 0, sizeof slope[s]);
    for (int k = 0; k < PLACES; k++) {
        probe_nudge(p, j, place[k] * width);
        pcs_model_contacts(p->model, &p->c, true, contacts);
        for (int32_t s = 0; s < p->model->n_slots; s++) {
            double F[N_MAX];
            force_of(p->model, &contacts[s], r + 3 * s, F);
            for (int32_t i = 0; i < p->model->n_v; i++)
                slope[s][i] += weight[k] * F[i] / (60.0 * width);
        }
    }
}

static double entry(probe *p, pcs_saddle *saddle, int32_t i, int32_t j)
{
    const pcs_model *m = p->model;
    int32_t a = 0, b = 0;
    while (pcs_model_node(m, a)->v + pcs_model_node(m, a)->n_v <= i)
        a++;
    while (pcs_model_node(m, b)->v + pcs_model_node(m, b)->n_v <= j)
        b++;
    const int32_t row = i - pcs_model_node(m, a)->v, column = j - pcs_model_node(m, b)->v;
    const int32_t width = pcs_model_node(m, b)->n_v;
    const double *block = NULL;
    if (a == b) {
        block = pcs_saddle_diagonal(saddle, a);
    } else {
        int32_t k = pcs_saddle_find_coupling(saddle, a < b ? a : b, a < b ? b : a);
        block = k < 0 ? NULL : pcs_saddle_coupling(saddle, k, a > b);
    }
    return block ? block[row * width + column] : 0.0;
}

// Points beside the lowest one of a rim are material points for the rates as for the rows; they
// carry load only while the cylinder stands (contact_rates.c).
static bool is_companion(const pcs_model *m, int32_t slot)
{
    for (int32_t k = 0; k < m->contact_pairs.count; k++) {
        const pcs_contact_pair *pair = &m->contact_pairs.data[k];
        if (slot >= pair->first_slot && slot < pair->first_slot + pair->n_slots)
            return pair->kind == PCS_CONTACT_CYLINDER_PLANE && (slot - pair->first_slot) % 3 != 0;
    }
    return false;
}

static void check_state(probe *p, pcs_random *random, pcs_saddle *saddle, int32_t *judged,
                        int32_t *all)
{
    static double coarse[N_MAX][SLOTS_MAX][N_MAX], fine[N_MAX][SLOTS_MAX][N_MAX];
    const pcs_model *m = p->model;
    const double scale = 1.37;
    double r[3 * SLOTS_MAX];
    pcs_contact *contacts = pcs_model_contacts_create(p->ctx, m);
    assert_non_null(contacts);
    for (int32_t i = 0; i < 3 * m->n_slots; i++)
        r[i] = pcs_random_between(random, -1.0, 1.0);
    for (int32_t j = 0; j < m->n_v; j++) {
        difference(p, contacts, r, j, WIDTH, coarse[j]);
        difference(p, contacts, r, j, 0.5 * WIDTH, fine[j]);
    }
    probe_nudge(p, 0, 0.0);
    pcs_model_contacts(m, &p->c, true, contacts);
    for (int32_t s = 0; s < m->n_slots; s++) {
        if (is_companion(m, s))
            continue;
        double one[3 * SLOTS_MAX] = {0};
        int64_t count;
        double *values = pcs_saddle_values(saddle, &count);
        memset(values, 0, sizeof(double) * (size_t)count);
        memcpy(one + 3 * s, r + 3 * s, 3 * sizeof(double));
        pcs_model_contact_tangent(m, &p->c, contacts, one, scale, saddle);
        for (int32_t j = 0; j < m->n_v; j++) {
            double error = 0.0;
            for (int32_t i = 0; i < m->n_v; i++)
                error = fmax(error, fabs(coarse[j][s][i] - fine[j][s][i]));
            ++*all;
            if (!(error <= TOLERANCE))
                continue;
            ++*judged;
            for (int32_t i = 0; i < m->n_v; i++)
                probe_assert_near(entry(p, saddle, i, j), scale * fine[j][s][i], TOLERANCE,
                                  m->slot_names.data[s], i, j);
        }
    }
    pcs_model_contacts_destroy(p->ctx, contacts);
}

static void test_kinds(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 733);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_CONTACT_KIND_COUNT; kind++) {
            if (!pcs_contact_kind_allowed((pcs_contact_kind)kind, dimension))
                continue;
            static probe p;
            declared_probe(&p, &random, dimension, (pcs_contact_kind)kind, false);
            probe_finish(&p);
            assert_true(p.model->n_slots <= SLOTS_MAX && p.model->n_v <= N_MAX);
            const int32_t(*pattern)[2];
            pcs_saddle *saddle = contact_saddle(&p, &pattern);
            int32_t judged = 0, all = 0;
            for (int trial = 0; trial < 12; trial++) {
                probe_randomise(&p, &random, 0.9, 0.0);
                check_state(&p, &random, saddle, &judged, &all);
            }
            if (judged < all - all / 10)
                fail_msg("kind %d: %d of %d columns are near a kink", kind, (int)(all - judged),
                         (int)all);
            pcs_saddle_destroy(saddle);
            pcs_free(p.ctx, (void *)(uintptr_t)pattern);
            probe_end(&p);
        }
}

static void test_limits(void **state)
{
    (void)state;
    static const pcs_joint_kind kinds[] = {PCS_JOINT_REVOLUTE, PCS_JOINT_PRISMATIC,
                                           PCS_JOINT_POINT_ON_LINE};
    static const char *const names[] = {"hinge", "slide", "bead"};
    pcs_random random;
    pcs_random_init(&random, 52);
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        static probe p;
        probe_begin(&p, dimension);
        const pcs_body_id one = probe_add_body(&p, &random, "one");
        const pcs_body_id two = probe_add_body(&p, &random, "two");
        for (int k = 0; k < 3; k++) {
            pcs_joint_def joint = pcs_joint_default();
            joint.name = names[k];
            joint.kind = kinds[k];
            joint.a = probe_frame(&random, dimension, one);
            joint.b = probe_frame(&random, dimension, two);
            joint.drive[0].has_lower = joint.drive[0].has_upper = true;
            joint.drive[0].lower = -2.9;
            joint.drive[0].upper = 2.9;
            pcs_joint_id id;
            if (pcs_builder_add_joint(p.builder, &joint, &id) != PCS_OK)
                fail_msg("%s", pcs_context_error(p.ctx));
        }
        probe_finish(&p);
        const int32_t(*pattern)[2];
        pcs_saddle *saddle = contact_saddle(&p, &pattern);
        int32_t judged = 0, all = 0;
        for (int trial = 0; trial < 12; trial++) {
            probe_randomise(&p, &random, 0.4, 0.0);
            check_state(&p, &random, saddle, &judged, &all);
        }
        assert_true(judged >= all - all / 10);
        pcs_saddle_destroy(saddle);
        pcs_free(p.ctx, (void *)(uintptr_t)pattern);
        probe_end(&p);
    }
}

// A point mass on the plane of a body: the matrix of [Galvez2020, 4.37] over (x_A, Theta_A, x_B),
// written out. There the arm of A ends at B; here it ends at the foot of B on the plane, which is
// the same place at gap 0 but moves differently.
static void test_point_on_plane(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 8);
    static probe p;
    probe_begin(&p, 3);
    const pcs_body_id table = probe_add_body(&p, &random, "table");
    const pcs_body_id dot = probe_add_point(&p, &random, "dot");
    pcs_contact_def def = declared_contact(PCS_CONTACT_POINT_PLANE, "tip", 0.3);
    def.a = probe_frame(&random, 3, table);
    def.b = pcs_frame_default();
    def.b.body = dot;
    assert_int_equal(pcs_builder_add_contact(p.builder, &def), PCS_OK);
    probe_finish(&p);
    pcs_contact *contacts = pcs_model_contacts_create(p.ctx, p.model);
    assert_non_null(contacts);
    // The digest's plane passes through the touching point: at gap 0.
    pcs_model_contacts(p.model, &p.c, true, contacts);
    for (int i = 0; i < 3; i++)
        p.q[7 + i] -= contacts[0].gap * (&contacts[0].normal.x)[i];
    pcs_configuration_update(p.model, &p.c, 0.0, p.q, p.v, p.turns, NULL);
    pcs_model_contacts(p.model, &p.c, true, contacts);

    const int32_t(*pattern)[2];
    pcs_saddle *saddle = contact_saddle(&p, &pattern);
    int64_t count;
    double *values = pcs_saddle_values(saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
    const double r[3] = {1.31, -0.47, 0.83};
    pcs_model_contact_tangent(p.model, &p.c, contacts, r, 1.0, saddle);

    const pcs_contact *contact = &contacts[0];
    const pcs_mat3 R = p.c.pose[0].R;
    pcs_vec3 F = pcs_v3_scale(r[0], contact->normal);
    F = pcs_v3_axpy(pcs_v3_axpy(F, r[1], contact->tangent1), r[2], contact->tangent2);
    const pcs_mat3 S_w = pcs_m3_skew(pcs_m3_tmul_v3(&R, F));
    const pcs_mat3 S_d = pcs_m3_skew(pcs_m3_tmul_v3(&R, pcs_v3_sub(p.c.pose[1].x, p.c.pose[0].x)));
    const pcs_mat3 RS = pcs_m3_mul(&R, &S_w), SS = pcs_m3_mul(&S_w, &S_d);
    // The arm of the plane ends at the foot of the point, which stays behind by gap' n.
    double gap_q[9], lost[3];
    pcs_v3_store(gap_q, pcs_v3_scale(-1.0, contact->normal));
    pcs_v3_store(gap_q + 3,
                 pcs_v3_scale(-1.0, pcs_m3_mul_v3(&S_d, pcs_m3_tmul_v3(&R, contact->normal))));
    pcs_v3_store(gap_q + 6, contact->normal);
    pcs_v3_store(lost, pcs_m3_tmul_v3(&R, pcs_v3_cross(contact->normal, F)));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            assert_near(entry(&p, saddle, i, j), 0.0, 1e-15);
            assert_near(entry(&p, saddle, i, 3 + j), RS.m[i][j], 1e-14);
            assert_near(entry(&p, saddle, 3 + i, j), RS.m[j][i] + lost[i] * gap_q[j], 1e-14);
            assert_near(entry(&p, saddle, 3 + i, 3 + j), SS.m[i][j] + lost[i] * gap_q[3 + j],
                        1e-14);
            assert_near(entry(&p, saddle, 6 + i, 3 + j), -RS.m[i][j], 1e-14);
            assert_near(entry(&p, saddle, 3 + i, 6 + j), -RS.m[j][i] + lost[i] * gap_q[6 + j],
                        1e-14);
            assert_near(entry(&p, saddle, 6 + i, 6 + j), 0.0, 1e-15);
        }
    pcs_model_contacts_destroy(p.ctx, contacts);
    pcs_saddle_destroy(saddle);
    pcs_free(p.ctx, (void *)(uintptr_t)pattern);
    probe_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_point_on_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Coordinates between two frames: rates, convective terms and geometric stiffness of every kind
// against finite differences, between bodies, points and the ground, in space and in the plane.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/probe.h"

enum { ONE, TWO, DOT, SPOT, BODIES, TRIALS = 20 };

static const char *const KIND_NAMES[] = {"WORLD", "ALONG",   "DISTANCE", "DOT",
                                         "ANGLE", "ANGLE_B", "CURVE",    "ROTATION"};

// Nodes of the two ends, -1 for the ground.
static const int ENDS[][2] = {{ONE, TWO}, {TWO, ONE}, {-1, ONE},   {ONE, -1},
                              {DOT, ONE}, {ONE, DOT}, {SPOT, DOT}, {-1, DOT}};
enum { ENDS_COUNT = sizeof ENDS / sizeof *ENDS };

static void begin(probe *p, pcs_random *random, int32_t dimension)
{
    probe_begin(p, dimension);
    probe_add_body(p, random, "one");
    probe_add_body(p, random, "two");
    probe_add_point(p, random, "dot");
    probe_add_point(p, random, "spot");
    probe_finish(p);
}

static bool is_angle(const pcs_coordinate *x)
{
    return x->kind == PCS_COORDINATE_ANGLE || x->kind == PCS_COORDINATE_ANGLE_B;
}

static pcs_mat3 node_axes(const probe *p, int32_t node)
{
    return node < 0 ? pcs_m3_identity() : p->c.pose[node].R;
}

// Frames at random. For the angles, in half of the trials, b's frame is turned so that its axes
// stand as in the joints: one common axis (ANGLE) or the cross of a universal joint (ANGLE_B).
static pcs_pair random_pair(const probe *p, pcs_random *random, int32_t dimension,
                            const int ends[2], const pcs_coordinate *x, bool aligned)
{
    pcs_pair pair;
    pcs_attachment *at[2] = {&pair.a, &pair.b};
    for (int e = 0; e < 2; ++e) {
        at[e]->node = ends[e];
        at[e]->p = probe_vector(random, dimension, 0.9);
        at[e]->R = pcs_quat_matrix(probe_rotation(random, dimension));
    }
    if (!is_angle(x) || !aligned)
        return pair;
    double turn[3] = {0, 0, 0}, tilt[3] = {0, 0, 0};
    turn[x->axis_a] = pcs_random_between(random, -3, 3);
    if (x->kind == PCS_COORDINATE_ANGLE_B)
        tilt[x->axis_b] = pcs_random_between(random, -1.2, 1.2);
    pcs_quat relative = pcs_quat_mul(pcs_so3_exp(pcs_v3_load(turn)),
                                     pcs_so3_exp(pcs_v3_load(tilt)));
    pcs_mat3 R_a = node_axes(p, ends[0]), R_b = node_axes(p, ends[1]);
    pcs_mat3 R = pcs_quat_matrix(relative);
    R_a = pcs_m3_mul(&R_a, &pair.a.R);
    R = pcs_m3_mul(&R_a, &R);
    pair.b.R = pcs_m3_tmul(&R_b, &R);
    return pair;
}

// Sine of the angle between the axis of an angle and the vector whose turning it measures.
static double angle_sine(const probe *p, const pcs_pair *pair, const pcs_coordinate *x)
{
    pcs_pair_state s = pcs_configuration_pair(p->model, &p->c, pair);
    bool second = x->kind == PCS_COORDINATE_ANGLE_B;
    pcs_vec3 e = second ? pcs_m3_column(&s.R_b, x->axis_b) : pcs_m3_column(&s.R_a, x->axis_a);
    pcs_vec3 b = second ? pcs_m3_column(&s.R_a, x->axis_a)
                        : pcs_m3_column(&s.R_b, (x->axis_a + 1) % 3);
    return pcs_v3_norm(pcs_v3_cross(e, b));
}

// Value, and the rate of it by the linear form, at the probe's configuration.
static double value_of(const probe *p, const pcs_pair *pair, const pcs_coordinate *x,
                       double reference)
{
    pcs_pair_state s = pcs_configuration_pair(p->model, &p->c, pair);
    return pcs_coordinate_value(x, &s, reference);
}

static double rate_of(const probe *p, const pcs_pair *pair, const pcs_coordinate *x)
{
    pcs_pair_state s = pcs_configuration_pair(p->model, &p->c, pair);
    pcs_rate_form form = pcs_coordinate_rate_form(x, &s);
    return pcs_coordinate_rate(&form, &s);
}

// J over all velocities of the model.
static void jacobian_of(const probe *p, const pcs_pair *pair, const pcs_coordinate *x, double *J)
{
    pcs_pair_state s = pcs_configuration_pair(p->model, &p->c, pair);
    pcs_rate_form form = pcs_coordinate_rate_form(x, &s);
    double row[2][PCS_NODE_V_MAX];
    pcs_coordinate_rows(&form, &s, row[0], row[1]);
    memset(J, 0, sizeof *J * PROBE_Q_MAX);
    const int32_t node[2] = {pair->a.node, pair->b.node};
    for (int e = 0; e < 2; ++e) {
        if (node[e] < 0)
            continue;
        const pcs_node *n = pcs_model_node(p->model, node[e]);
        memcpy(J + n->v, row[e], sizeof(double) * (size_t)pcs_node_v_size(n->kind));
    }
}

static void check_rates(probe *p, const pcs_pair *pair, const pcs_coordinate *x)
{
    const char *name = KIND_NAMES[x->kind];
    double value[4], rate[4], J[PROBE_Q_MAX], Jv = 0;
    probe_move(p, 0, p->v);
    double reference = value_of(p, pair, x, 0.3);
    jacobian_of(p, pair, x, J);
    for (int32_t i = 0; i < p->model->n_v; ++i)
        Jv += J[i] * p->v[i];
    double found = rate_of(p, pair, x);
    pcs_pair_state s = pcs_configuration_pair(p->model, &p->c, pair);
    double convective = pcs_coordinate_convective(x, &s);
    for (int k = 0; k < 4; ++k) {
        probe_move(p, probe_place(k, PROBE_STEP), p->v);
        value[k] = value_of(p, pair, x, reference);
        rate[k] = rate_of(p, pair, x);
    }
    probe_assert_near(Jv, found, 1e-13, name, pair->a.node, pair->b.node);
    probe_assert_near(found, probe_derivative(value, PROBE_STEP), PROBE_TOLERANCE, name,
                      pair->a.node, pair->b.node);
    probe_assert_near(convective, probe_derivative(rate, PROBE_STEP), PROBE_TOLERANCE, name,
                      pair->a.node, pair->b.node);
}

// Entry of the 12 x 12 matrix for a velocity component of a node, -1 where it has none.
static int place_in_twelve(const probe *p, const pcs_pair *pair, int32_t component)
{
    static const int planar[3] = {0, 1, 5};
    const int32_t node[2] = {pair->a.node, pair->b.node};
    for (int e = 0; e < 2; ++e) {
        if (node[e] < 0)
            continue;
        const pcs_node *n = pcs_model_node(p->model, node[e]);
        int32_t i = component - n->v;
        if (i >= 0 && i < pcs_node_v_size(n->kind))
            return 6 * e + (n->kind == PCS_NODE_PLANAR ? planar[i] : (int)i);
    }
    return -1;
}

// K = d(J^T lambda)/dq column by column.
static void check_geometric(probe *p, const pcs_pair *pair, const pcs_coordinate *x)
{
    const double lambda = 1.37;
    double K[12][12], J[4][PROBE_Q_MAX];
    probe_move(p, 0, p->v);
    pcs_pair_state s = pcs_configuration_pair(p->model, &p->c, pair);
    pcs_coordinate_geometric(x, &s, lambda, K);
    for (int32_t j = 0; j < p->model->n_v; ++j) {
        int column = place_in_twelve(p, pair, j);
        if (column < 0)
            continue;
        for (int k = 0; k < 4; ++k) {
            probe_nudge(p, j, probe_place(k, PROBE_STEP));
            jacobian_of(p, pair, x, J[k]);
        }
        for (int32_t i = 0; i < p->model->n_v; ++i) {
            int row = place_in_twelve(p, pair, i);
            if (row < 0)
                continue;
            const double f[4] = {J[0][i], J[1][i], J[2][i], J[3][i]};
            probe_assert_near(K[row][column], lambda * probe_derivative(f, PROBE_STEP),
                              PROBE_TOLERANCE, KIND_NAMES[x->kind], row, column);
        }
    }
}

// psi is smooth up to half a turn, where it jumps; keep away from there.
static bool near_half_turn(const probe *p, const pcs_pair *pair)
{
    pcs_pair_state s = pcs_configuration_pair(p->model, &p->c, pair);
    pcs_mat3 R = pcs_m3_tmul(&s.R_a, &s.R_b);
    return pcs_v3_norm(pcs_so3_log(pcs_quat_from_matrix(&R))) > 2.6;
}

static void check_kind(probe *p, pcs_random *random, int32_t dimension, pcs_coordinate x)
{
    for (int e = 0; e < ENDS_COUNT; ++e) {
        for (int trial = 0; trial < TRIALS; ++trial) {
            probe_randomise(p, random, 0.9, 0.9);
            pcs_pair pair = random_pair(p, random, dimension, ENDS[e], &x, trial % 2 == 0);
            pcs_pair_state s = pcs_configuration_pair(p->model, &p->c, &pair);
            if (x.kind == PCS_COORDINATE_ROTATION && near_half_turn(p, &pair))
                continue;
            if (is_angle(&x) && angle_sine(p, &pair, &x) < 0.8)
                continue; // as of the distance: the derivatives grow where the angle vanishes
            if (x.kind == PCS_COORDINATE_DISTANCE && pcs_v3_norm(s.d) < 1.5)
                continue; // the n-th derivative of |d| grows with |d|^(1-n)
            check_rates(p, &pair, &x);
            check_geometric(p, &pair, &x);
        }
    }
}

static void spatial_kinds(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 20117);
    probe p;
    begin(&p, &random, 3);
    for (int8_t i = 0; i < 3; ++i) {
        check_kind(&p, &random, 3, (pcs_coordinate){PCS_COORDINATE_WORLD, i, 0, -1});
        check_kind(&p, &random, 3, (pcs_coordinate){PCS_COORDINATE_ALONG, i, 0, -1});
        check_kind(&p, &random, 3, (pcs_coordinate){PCS_COORDINATE_ANGLE, i, i, 0});
        check_kind(&p, &random, 3, (pcs_coordinate){PCS_COORDINATE_ROTATION, i, i, -1});
        for (int8_t j = 0; j < 3; ++j)
            check_kind(&p, &random, 3, (pcs_coordinate){PCS_COORDINATE_DOT, i, j, -1});
    }
    check_kind(&p, &random, 3, (pcs_coordinate){PCS_COORDINATE_DISTANCE, 0, 0, -1});
    check_kind(&p, &random, 3, (pcs_coordinate){PCS_COORDINATE_ANGLE_B, 0, 1, 0});
    probe_end(&p);
}

static void planar_kinds(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 5077);
    probe p;
    begin(&p, &random, 2);
    for (int8_t i = 0; i < 2; ++i) {
        check_kind(&p, &random, 2, (pcs_coordinate){PCS_COORDINATE_WORLD, i, 0, -1});
        check_kind(&p, &random, 2, (pcs_coordinate){PCS_COORDINATE_ALONG, i, 0, -1});
        check_kind(&p, &random, 2, (pcs_coordinate){PCS_COORDINATE_DOT, i, 0, -1});
    }
    check_kind(&p, &random, 2, (pcs_coordinate){PCS_COORDINATE_DISTANCE, 0, 0, -1});
    pcs_coordinate angle = {PCS_COORDINATE_ANGLE, 2, 2, 0};
    check_kind(&p, &random, 2, angle);
    assert_true(pcs_coordinate_is_flat(&angle, 2));
    assert_false(pcs_coordinate_is_flat(&angle, 3));
    probe_end(&p);
}

// The rotation vector where its coefficients change from series to closed form, and at rest.
static void small_rotations(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 77);
    probe p;
    begin(&p, &random, 3);
    static const double sizes[] = {0, 1e-9, 1e-4, 0.0999, 0.1001, 0.7};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        for (int8_t i = 0; i < 3; ++i) {
            const pcs_coordinate x = {PCS_COORDINATE_ROTATION, i, i, -1};
            probe_randomise(&p, &random, 0.9, 1.4);
            const int ends[2] = {ONE, TWO};
            pcs_pair pair = random_pair(&p, &random, 3, ends, &x, false);
            pcs_vec3 e = probe_vector(&random, 3, 1);
            pcs_mat3 turn = pcs_quat_matrix(
                pcs_so3_exp(pcs_v3_scale(sizes[k] / pcs_v3_norm(e), e)));
            pcs_mat3 R_a = pcs_m3_mul(&p.c.pose[ONE].R, &pair.a.R);
            R_a = pcs_m3_mul(&R_a, &turn);
            pair.b.R = pcs_m3_tmul(&p.c.pose[TWO].R, &R_a);
            check_rates(&p, &pair, &x);
            check_geometric(&p, &pair, &x);
        }
    }
    probe_end(&p);
}

// An angle follows its reference over any number of turns.
static void angles_count_turns(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 4);
    probe p;
    begin(&p, &random, 2);
    const pcs_coordinate x = {PCS_COORDINATE_ANGLE, 2, 2, 0};
    pcs_pair pair = {{-1, {0, 0, 0}, pcs_m3_identity()}, {ONE, {0, 0, 0}, pcs_m3_identity()}};
    double start = p.q[2], reference = start, d[PROBE_Q_MAX] = {0};
    d[2] = 1;
    for (int i = 1; i <= 40; ++i) {
        p.t = 0;
        probe_move(&p, 0.61 * i, d);
        reference = value_of(&p, &pair, &x, reference);
        probe_assert_near(reference, start + 0.61 * i, 1e-13, "angle", i, 0);
    }
    probe_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spatial_kinds),
        cmocka_unit_test(planar_kinds),
        cmocka_unit_test(small_rotations),
        cmocka_unit_test(angles_count_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

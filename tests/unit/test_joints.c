// Joints through small models: every kind between two bodies, body and ground both ways, and points
// where they are allowed, at random admissible configurations, with and without prescribed motions.
// Rows, Jacobians, rates and convective terms are compared with finite differences, and coordinates
// with the numbers that the configuration was made of.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/joint.h"
#include "support/probe.h"

enum { TRIALS = 6 };
static const double PITCH = 0.413;
static const double ROUNDING = 256 * DBL_EPSILON;

// Rows that a kind takes from the six (or three) degrees of freedom; 0: not in this dimension.
static const int32_t ROW_COUNT[PCS_JOINT_KIND_COUNT][2] = {
    [PCS_JOINT_FIXED] = {3, 6},          [PCS_JOINT_REVOLUTE] = {2, 5},
    [PCS_JOINT_PRISMATIC] = {2, 5},      [PCS_JOINT_CYLINDRICAL] = {0, 4},
    [PCS_JOINT_SPHERICAL] = {0, 3},      [PCS_JOINT_UNIVERSAL] = {0, 4},
    [PCS_JOINT_PLANAR] = {0, 3},         [PCS_JOINT_SCREW] = {0, 5},
    [PCS_JOINT_DISTANCE] = {1, 1},       [PCS_JOINT_POINT_ON_LINE] = {1, 2},
    [PCS_JOINT_POINT_ON_PLANE] = {0, 1}, [PCS_JOINT_POINT_ON_CURVE] = {1, 0},
};

// So flat and so long that no state of these tests comes near its centre of curvature or its ends.
static const pcs_curve_piece CURVE = {
    .kind = PCS_CURVE_PARABOLA, .coefficients = {0, 0.1, 0.06}, .x_from = -20, .x_to = 20};

// Place of frame b in frame a, and the joint coordinates that it stands for.
typedef struct placement {
    pcs_vec3 p;
    pcs_quat R;
    double x[PCS_JOINT_COORDINATES_MAX];
} placement;

static pcs_quat about(int axis, double angle)
{
    return pcs_so3_exp(pcs_v3(axis == 0 ? angle : 0, axis == 1 ? angle : 0, axis == 2 ? angle : 0));
}

static placement admissible(pcs_random *random, pcs_joint_kind kind, int32_t dimension)
{
    double d = pcs_random_between(random, -0.8, 0.8), e = pcs_random_between(random, -0.8, 0.8);
    double angle = pcs_random_between(random, -3, 3), tilt = pcs_random_between(random, -1.2, 1.2);
    pcs_quat any = probe_rotation(random, dimension);
    placement at = {{0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}};
    switch (kind) {
    case PCS_JOINT_REVOLUTE:
        return (placement){at.p, about(2, angle), {angle}};
    case PCS_JOINT_PRISMATIC:
        at.p = dimension == 2 ? pcs_v3(d, 0, 0) : pcs_v3(0, 0, d);
        return (placement){at.p, at.R, {d}};
    case PCS_JOINT_CYLINDRICAL:
        return (placement){{0, 0, d}, about(2, angle), {d, angle}};
    case PCS_JOINT_SPHERICAL:
        at.R = pcs_so3_exp(probe_vector(random, 3, 1.4)); // below 2.5 rad
        pcs_v3_store(at.x, pcs_so3_log(at.R));
        return at;
    case PCS_JOINT_UNIVERSAL:
        return (placement){at.p, pcs_quat_mul(about(0, angle), about(1, tilt)), {angle, tilt}};
    case PCS_JOINT_PLANAR:
        return (placement){{d, e, 0}, about(2, angle), {d, e, angle}};
    case PCS_JOINT_SCREW:
        return (placement){{0, 0, PITCH * angle / (2 * PCS_PI)}, about(2, angle), {angle}};
    case PCS_JOINT_DISTANCE:
        at.p = pcs_v3(1.3 + d, e, dimension == 2 ? 0 : 0.7 * d);
        return (placement){at.p, any, {pcs_v3_norm(at.p)}};
    case PCS_JOINT_POINT_ON_LINE:
        at.p = dimension == 2 ? pcs_v3(d, 0, 0) : pcs_v3(0, 0, d);
        return (placement){at.p, any, {d}};
    case PCS_JOINT_POINT_ON_PLANE:
        return (placement){{d, e, 0}, any, {d, e}};
    case PCS_JOINT_POINT_ON_CURVE:
        return (placement){{d, 0.1 * d + 0.06 * d * d, 0}, any, {0}};
    default:
        return at;
    }
}

typedef enum end_kind { GROUND, BODY, POINT } end_kind;

// Adds the body that carries a frame with the world pose (x, R); the frame of a point or of the
// ground gets that pose itself. Returns the frame.
static pcs_frame add_end(probe *p, pcs_random *random, end_kind kind, const char *name, pcs_vec3 x,
                         pcs_quat R)
{
    int32_t dimension = p->builder->model->dimension;
    if (kind == GROUND)
        return (pcs_frame){PCS_GROUND, x, R, 0};
    pcs_frame frame = probe_frame(random, dimension, PCS_GROUND);
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.mass = pcs_random_between(random, 0.7, 2.9);
    if (kind == POINT) {
        def.point = true;
        def.position = pcs_v3_sub(x, frame.position);
        frame.rotation = R;
    } else {
        pcs_quat turn = pcs_quat_mul(R, pcs_quat_conjugate(frame.rotation));
        def.inertia = (pcs_mat3){{{0.4, 0.02, 0}, {0.02, 0.5, 0}, {0, 0, 0.6}}};
        def.center = probe_vector(random, dimension, 0.3);
        def.position = pcs_v3_sub(x, pcs_quat_rotate(turn, frame.position));
        if (dimension == 2) {
            def.angle = 2 * atan2(turn.z, turn.w);
            def.position.z = 0;
        } else {
            def.rotation = turn;
        }
    }
    if (pcs_builder_add_body(p->builder, &def, &frame.body) != PCS_OK)
        fail_msg("%s", pcs_context_error(p->ctx));
    return frame;
}

static pcs_joint_id add_joint(probe *p, pcs_random *random, pcs_joint_def *def,
                              const end_kind ends[2], const placement *at)
{
    int32_t dimension = p->builder->model->dimension;
    pcs_vec3 x = probe_vector(random, dimension, 1.1);
    pcs_quat R = probe_rotation(random, dimension);
    def->a = add_end(p, random, ends[0], "first", x, R);
    def->b = add_end(p, random, ends[1], "second", pcs_v3_add(x, pcs_quat_rotate(R, at->p)),
                     pcs_quat_mul(R, at->R));
    def->pitch = PITCH;
    def->curve = (pcs_curve_def){&CURVE, 1, false};
    pcs_joint_id id;
    if (pcs_builder_add_joint(p->builder, def, &id) != PCS_OK)
        fail_msg("%s", pcs_context_error(p->ctx));
    return id;
}

typedef struct row_values {
    double g[PROBE_ROWS_MAX], rate[PROBE_ROWS_MAX], convective[PROBE_ROWS_MAX];
    double Gv[PROBE_ROWS_MAX];
} row_values;

static void evaluate_rows(probe *p, row_values *out)
{
    pcs_rows rows = {p->blocks, out->g, out->rate, out->convective};
    pcs_model_rows(p->model, &p->c, &rows);
    pcs_model_rows_multiply(p->model, p->blocks, p->v, out->Gv);
}

// Dense G, n_rows x n_v, from the blocks.
static void dense_jacobian(probe *p, double *G)
{
    const pcs_model *m = p->model;
    memset(G, 0, sizeof *G * (size_t)(m->n_rows * m->n_v));
    for (int32_t k = 0; k < m->row_blocks.count; ++k) {
        const pcs_row_block *block = &p->blocks[k];
        for (int32_t e = 0; e < block->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, block->node[e]);
            int32_t n = pcs_node_v_size(node->kind);
            for (int32_t i = 0; i < block->size; ++i)
                memcpy(G + (m->row_blocks.data[k].first_row + i) * m->n_v + node->v,
                       block->J[e] + i * n, sizeof *G * (size_t)n);
        }
    }
}

// Everything that the rows claim, by finite differences around the probe's state.
static void check_rows(probe *p, const char *name)
{
    const pcs_model *m = p->model;
    row_values here, moved[4];
    double G[PROBE_ROWS_MAX * PROBE_Q_MAX];
    probe_move(p, 0, p->v);
    evaluate_rows(p, &here);
    dense_jacobian(p, G);
    for (int k = 0; k < 4; ++k) {
        probe_move(p, probe_place(k, PROBE_STEP), p->v);
        evaluate_rows(p, &moved[k]);
    }
    for (int32_t i = 0; i < m->n_rows; ++i) {
        double g[4], rate[4];
        for (int k = 0; k < 4; ++k) {
            g[k] = moved[k].g[i];
            rate[k] = moved[k].Gv[i] - moved[k].rate[i];
        }
        probe_assert_near(here.Gv[i] - here.rate[i], probe_derivative(g, PROBE_STEP),
                          PROBE_TOLERANCE, name, i, -1);
        probe_assert_near(here.convective[i], probe_derivative(rate, PROBE_STEP), PROBE_TOLERANCE,
                          name, i, -2);
    }
    for (int32_t j = 0; j < m->n_v; ++j) {
        for (int k = 0; k < 4; ++k) {
            probe_nudge(p, j, probe_place(k, PROBE_STEP));
            evaluate_rows(p, &moved[k]);
        }
        for (int32_t i = 0; i < m->n_rows; ++i) {
            const double g[4] = {moved[0].g[i], moved[1].g[i], moved[2].g[i], moved[3].g[i]};
            probe_assert_near(G[i * m->n_v + j], probe_derivative(g, PROBE_STEP), PROBE_TOLERANCE,
                              name, i, j);
        }
    }
    // G^T by the transposed product
    double ones[PROBE_ROWS_MAX], f[PROBE_Q_MAX] = {0};
    probe_move(p, 0, p->v);
    evaluate_rows(p, &here);
    for (int32_t i = 0; i < m->n_rows; ++i)
        ones[i] = 1 + 0.1 * i;
    pcs_model_rows_add_transposed(m, p->blocks, ones, f);
    for (int32_t j = 0; j < m->n_v; ++j) {
        double sum = 0;
        for (int32_t i = 0; i < m->n_rows; ++i)
            sum += ones[i] * G[i * m->n_v + j];
        probe_assert_near(f[j], sum, ROUNDING, name, -1, j);
    }
}

// Saddle system of the model with all the couplings of geometric terms, zero
static pcs_saddle *full_saddle(probe *p, int32_t (**pairs)[2], int32_t *n_pairs)
{
    const pcs_model *m = p->model;
    int32_t size[PROBE_Q_MAX];
    pcs_saddle *saddle;
    assert_int_equal(pcs_model_all_pairs(p->ctx, m, pairs, n_pairs), PCS_OK);
    for (int32_t i = 0; i < m->nodes.count; ++i)
        size[i] = pcs_model_node(m, i)->n_v;
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = m->nodes.count;
    def.node_size = size;
    def.n_couplings = *n_pairs;
    def.coupling = (const int32_t(*)[2]) * pairs;
    assert_int_equal(pcs_saddle_create(p->ctx, &def, &saddle), PCS_OK);
    return saddle;
}

// Entry (i, j) of A, 0 where the pattern has no block
static double entry(const probe *p, pcs_saddle *saddle, int32_t i, int32_t j)
{
    const pcs_model *m = p->model;
    int32_t a = 0, b = 0;
    while (i >= pcs_model_node(m, a)->v + pcs_model_node(m, a)->n_v)
        ++a;
    while (j >= pcs_model_node(m, b)->v + pcs_model_node(m, b)->n_v)
        ++b;
    const int32_t k = pcs_saddle_find_coupling(saddle, a < b ? a : b, a < b ? b : a);
    const double *block = a == b   ? pcs_saddle_diagonal(saddle, a)
                          : k >= 0 ? pcs_saddle_coupling(saddle, k, a > b)
                                   : NULL;
    const int32_t row = i - pcs_model_node(m, a)->v, column = j - pcs_model_node(m, b)->v;
    return block ? block[row * pcs_model_node(m, b)->n_v + column] : 0;
}

// d(G^T lambda)/dq and d(G v)/dq by finite differences. The pattern of all pairs must have a place
// for every entry that is not zero.
static void check_row_tangents(probe *p, const char *name)
{
    const pcs_model *m = p->model;
    const double scale = 1.7;
    double lambda[PROBE_ROWS_MAX], f[4][PROBE_Q_MAX], D[PROBE_ROWS_MAX * PROBE_Q_MAX];
    row_values moved[4];
    int32_t(*pairs)[2], n_pairs;
    pcs_saddle *saddle = full_saddle(p, &pairs, &n_pairs);
    for (int32_t i = 0; i < m->n_rows; ++i)
        lambda[i] = cos(1 + 2.3 * i);
    probe_move(p, 0, p->v);
    pcs_model_row_tangent(m, &p->c, lambda, scale, saddle);
    for (int32_t k = 0; k < m->row_blocks.count; ++k)
        for (int32_t e = 0; e < p->blocks[k].n_nodes; ++e)
            memset(p->blocks[k].J[e], 0,
                   sizeof(double) *
                       (size_t)(p->blocks[k].size * pcs_model_node(m, p->blocks[k].node[e])->n_v));
    pcs_model_rate_tangent(m, &p->c, scale, p->blocks);
    dense_jacobian(p, D);
    for (int32_t j = 0; j < m->n_v; ++j) {
        for (int k = 0; k < 4; ++k) {
            probe_nudge(p, j, probe_place(k, PROBE_STEP));
            evaluate_rows(p, &moved[k]);
            memset(f[k], 0, sizeof f[k]);
            pcs_model_rows_add_transposed(m, p->blocks, lambda, f[k]);
        }
        for (int32_t i = 0; i < m->n_v; ++i) {
            const double at[4] = {f[0][i], f[1][i], f[2][i], f[3][i]};
            probe_assert_near(entry(p, saddle, i, j), scale * probe_derivative(at, PROBE_STEP),
                              PROBE_TOLERANCE, name, 1000 + i, j);
        }
        for (int32_t i = 0; i < m->n_rows; ++i) {
            const double at[4] = {moved[0].Gv[i], moved[1].Gv[i], moved[2].Gv[i], moved[3].Gv[i]};
            probe_assert_near(D[i * m->n_v + j], scale * probe_derivative(at, PROBE_STEP),
                              PROBE_TOLERANCE, name, 2000 + i, j);
        }
    }
    pcs_saddle_destroy(saddle);
    pcs_free(p->ctx, pairs);
    probe_move(p, 0, p->v);
}

static double coordinate(const probe *p, pcs_joint_id id, int32_t i)
{
    const pcs_joint *joint = &p->model->joints.data[id];
    pcs_pair_state pair = pcs_configuration_pair(p->model, &p->c, &joint->pair);
    return pcs_coordinate_value(&joint->coordinate[i], &pair, 0);
}

// The joint closes where it was built, its coordinates are those of the placement, its rows and
// their derivatives are right.
static void check_joint(pcs_random *random, pcs_joint_kind kind, int32_t dimension,
                        const end_kind ends[2], bool driven)
{
    static const char *const motion[3] = {"0.31*sin(1.7*t) + 0.2*t^2", "cos(2.3*t)", "0.4 - t^3"};
    const char *name = pcs_joint_kind_name(kind);
    probe p;
    probe_begin(&p, dimension);
    p.t = 0.37;
    placement at = admissible(random, kind, dimension);
    pcs_joint_def def = pcs_joint_default();
    def.name = "joint";
    def.kind = kind;
    int32_t n = 0, kinematic = ROW_COUNT[kind][dimension - 2];
    while (pcs_joint_coordinate_name(kind, dimension, n))
        ++n;
    for (int32_t i = 0; i < n && driven; ++i) {
        def.drive[i].has_motion = true;
        def.drive[i].motion = i == 1 ? pcs_number(0.77) : pcs_expression(motion[i]);
    }
    pcs_joint_id id = add_joint(&p, random, &def, ends, &at);
    probe_finish(&p);
    assert_int_equal(p.model->n_rows, kinematic + (driven ? n : 0));
    row_values rows;
    evaluate_rows(&p, &rows);
    for (int32_t i = 0; i < kinematic; ++i) {
        probe_assert_near(rows.g[i], 0, ROUNDING, name, i, -3);
        assert_true(rows.rate[i] == 0);
        assert_non_null(strstr(pcs_model_row_name(p.model, i), "joint.joint (row "));
    }
    // A point has no axes: angles between it and others are not those of the placement.
    bool points = ends[0] == POINT || ends[1] == POINT;
    for (int32_t i = 0; i < n && !points; ++i)
        probe_assert_near(coordinate(&p, id, i), at.x[i], ROUNDING, name, i, -4);
    for (int32_t i = 0; i < n && driven && !points; ++i) {
        const double t = p.t;
        const double value[3] = {0.31 * sin(1.7 * t) + 0.2 * t * t, 0.77, 0.4 - t * t * t};
        const double rate[3] = {0.31 * 1.7 * cos(1.7 * t) + 0.4 * t, 0, -3 * t * t};
        probe_assert_near(rows.g[kinematic + i], at.x[i] - value[i], ROUNDING, name, i, -5);
        probe_assert_near(rows.rate[kinematic + i], rate[i], ROUNDING, name, i, -6);
    }
    probe_randomise(&p, random, 0, 1.1);
    check_rows(&p, name);
    check_row_tangents(&p, name);
    probe_end(&p);
}

static void every_kind(int32_t dimension)
{
    pcs_random random;
    pcs_random_init(&random, 60 + (uint64_t)dimension);
    static const end_kind ends[][2] = {{BODY, BODY}, {GROUND, BODY}, {BODY, GROUND}};
    for (int kind = 0; kind < PCS_JOINT_KIND_COUNT; ++kind) {
        bool allowed = ROW_COUNT[kind][dimension - 2] > 0;
        assert_int_equal(pcs_joint_kind_allowed((pcs_joint_kind)kind, dimension), allowed);
        for (int e = 0; e < 3 && allowed; ++e)
            for (int trial = 0; trial < TRIALS; ++trial)
                check_joint(&random, (pcs_joint_kind)kind, dimension, ends[e],
                            trial % 2 == 1 && kind != PCS_JOINT_DISTANCE);
    }
}

static void spatial_joints(void **state)
{
    (void)state;
    every_kind(3);
}

static void planar_joints(void **state)
{
    (void)state;
    every_kind(2);
}

static void joints_of_points(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 12);
    static const end_kind pins[][2] = {
        {POINT, BODY}, {BODY, POINT}, {POINT, POINT}, {GROUND, POINT}, {POINT, GROUND}};
    static const end_kind guides[][2] = {{BODY, POINT}, {GROUND, POINT}};
    for (int trial = 0; trial < TRIALS; ++trial) {
        for (int e = 0; e < 5; ++e) {
            check_joint(&random, PCS_JOINT_SPHERICAL, 3, pins[e], false);
            check_joint(&random, PCS_JOINT_DISTANCE, 3, pins[e], false);
            check_joint(&random, PCS_JOINT_REVOLUTE, 2, pins[e], false);
            check_joint(&random, PCS_JOINT_DISTANCE, 2, pins[e], false);
        }
        for (int e = 0; e < 2; ++e) {
            check_joint(&random, PCS_JOINT_POINT_ON_LINE, 3, guides[e], trial % 2 == 1);
            check_joint(&random, PCS_JOINT_POINT_ON_PLANE, 3, guides[e], trial % 2 == 1);
            check_joint(&random, PCS_JOINT_POINT_ON_LINE, 2, guides[e], trial % 2 == 1);
            check_joint(&random, PCS_JOINT_POINT_ON_CURVE, 2, guides[e], false);
        }
    }
}

static void names(void **state)
{
    (void)state;
    assert_null(pcs_joint_kind_name(PCS_JOINT_KIND_COUNT));
    assert_null(pcs_joint_kind_name((pcs_joint_kind)-1));
    for (int kind = 0; kind < PCS_JOINT_KIND_COUNT; ++kind) {
        assert_non_null(pcs_joint_kind_name((pcs_joint_kind)kind));
        for (int other = 0; other < kind; ++other)
            assert_string_not_equal(pcs_joint_kind_name((pcs_joint_kind)kind),
                                    pcs_joint_kind_name((pcs_joint_kind)other));
        for (int32_t d = 2; d <= 3; ++d) {
            int32_t i = 0;
            for (; pcs_joint_coordinate_name((pcs_joint_kind)kind, d, i); ++i)
                assert_non_null(pcs_joint_rate_name((pcs_joint_kind)kind, d, i));
            assert_null(pcs_joint_rate_name((pcs_joint_kind)kind, d, i));
            assert_true(i <= PCS_JOINT_COORDINATES_MAX);
            assert_null(pcs_joint_coordinate_name((pcs_joint_kind)kind, d, -1));
        }
    }
}

// A distance joint with a length of its own is open by the difference.
static void distance_of_given_length(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 8);
    probe p;
    probe_begin(&p, 3);
    placement at = admissible(&random, PCS_JOINT_DISTANCE, 3);
    pcs_joint_def def = pcs_joint_default();
    def.name = "rod";
    def.kind = PCS_JOINT_DISTANCE;
    def.length = at.x[0] + 0.0625;
    static const end_kind ends[2] = {GROUND, BODY};
    add_joint(&p, &random, &def, ends, &at);
    probe_finish(&p);
    row_values rows;
    evaluate_rows(&p, &rows);
    probe_assert_near(rows.g[0], -0.0625, ROUNDING, "rod", 0, 0);
    probe_end(&p);
}

// ---- Couplings ----

// One more body on `carrier` by a joint of the kind; ids of the body and the joint.
static pcs_joint_id hang(probe *p, pcs_random *random, const char *name, pcs_joint_kind kind,
                         pcs_body_id carrier, pcs_body_id *body)
{
    int32_t dimension = p->builder->model->dimension;
    pcs_joint_def def = pcs_joint_default();
    def.name = name;
    def.kind = kind;
    def.pitch = PITCH;
    def.a = probe_frame(random, dimension, carrier);
    placement at = admissible(random, kind, dimension);
    pcs_pose pose = pcs_builder_frame_pose(p->builder, &def.a);
    pcs_quat R = pcs_quat_from_matrix(&pose.R);
    pcs_vec3 x = pcs_v3_add(pose.x, pcs_quat_rotate(R, at.p));
    def.b = add_end(p, random, BODY, name, x, pcs_quat_mul(R, at.R));
    *body = def.b.body;
    pcs_joint_id id;
    if (pcs_builder_add_joint(p->builder, &def, &id) != PCS_OK)
        fail_msg("%s", pcs_context_error(p->ctx));
    return id;
}

static void check_coupling(pcs_random *random, int32_t dimension, const pcs_joint_kind kind[2],
                           const int32_t index[2], bool shared)
{
    probe p;
    probe_begin(&p, dimension);
    pcs_body_id carrier = probe_add_body(&p, random, "carrier"), other = PCS_GROUND, body[2];
    if (!shared)
        other = probe_add_body(&p, random, "other");
    pcs_coupling_def def = pcs_coupling_default();
    def.name = "gear";
    def.ratio = pcs_random_between(random, -2.7, 2.7);
    def.joint[0] = hang(&p, random, "left", kind[0], carrier, &body[0]);
    def.joint[1] = hang(&p, random, "right", kind[1], shared ? carrier : other, &body[1]);
    def.coordinate[0] = index[0];
    def.coordinate[1] = index[1];
    if (pcs_builder_add_coupling(p.builder, &def) != PCS_OK)
        fail_msg("%s", pcs_context_error(p.ctx));
    probe_finish(&p);
    int32_t row = p.model->n_rows - 1;
    assert_string_equal(pcs_model_row_name(p.model, row), "coupling.gear");
    assert_int_equal(p.model->row_blocks.data[2].n_nodes, shared ? 3 : 4);
    row_values rows;
    evaluate_rows(&p, &rows);
    probe_assert_near(rows.g[row], 0, ROUNDING, "coupling", 0, -3);
    probe_randomise(&p, random, 0, 1.1);
    check_rows(&p, "coupling");
    check_row_tangents(&p, "coupling");
    probe_end(&p);
}

static void couplings(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 1729);
    const pcs_joint_kind gear[2] = {PCS_JOINT_REVOLUTE, PCS_JOINT_REVOLUTE};
    const pcs_joint_kind rack[2] = {PCS_JOINT_REVOLUTE, PCS_JOINT_PRISMATIC};
    const pcs_joint_kind mixed[2] = {PCS_JOINT_CYLINDRICAL, PCS_JOINT_SCREW};
    const pcs_joint_kind cross[2] = {PCS_JOINT_UNIVERSAL, PCS_JOINT_PLANAR};
    const int32_t first[2] = {0, 0}, angle[2] = {1, 0}, turned[2] = {1, 2};
    for (int trial = 0; trial < TRIALS; ++trial) {
        for (int shared = 0; shared < 2; ++shared) {
            check_coupling(&random, 2, gear, first, shared);
            check_coupling(&random, 2, rack, first, shared);
            check_coupling(&random, 3, gear, first, shared);
            check_coupling(&random, 3, rack, first, shared);
            check_coupling(&random, 3, mixed, angle, shared);
            check_coupling(&random, 3, cross, turned, shared);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(spatial_joints),
        cmocka_unit_test(planar_joints),
        cmocka_unit_test(joints_of_points),
        cmocka_unit_test(distance_of_given_length),
        cmocka_unit_test(couplings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

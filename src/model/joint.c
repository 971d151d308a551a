// Joints: a table of kinds. Every joint is a list of coordinates (model/coordinate.h) between its
// two frames that are kept at a value, and a list of coordinates that stay free and can carry
// springs, actuators, prescribed motions and limits. Axes 0, 1, 2 are x, y, z of the frames.
//
// Coincident origins are three WORLD rows, parallel z axes two DOT rows (x_a.z_b = y_a.z_b = 0),
// parallel frames three DOT rows (x_a.y_b = y_a.z_b = z_a.x_b = 0).
#include "model/joint.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/element.h"

#define COINCIDENT                                                        \
    {PCS_COORDINATE_WORLD, 0, 0, "x"}, {PCS_COORDINATE_WORLD, 1, 0, "y"}, \
    {                                                                     \
        PCS_COORDINATE_WORLD, 2, 0, "z"                                   \
    }
#define PARALLEL_Z                               \
    {PCS_COORDINATE_DOT, 0, 2, "tilt about y"},  \
    {                                            \
        PCS_COORDINATE_DOT, 1, 2, "tilt about x" \
    }
#define PARALLEL                                                                            \
    {PCS_COORDINATE_DOT, 0, 1, "turn about z"}, {PCS_COORDINATE_DOT, 1, 2, "turn about x"}, \
    {                                                                                       \
        PCS_COORDINATE_DOT, 2, 0, "turn about y"                                            \
    }
#define ON_Z_AXIS                              \
    {PCS_COORDINATE_ALONG, 0, 0, "offset x"},  \
    {                                          \
        PCS_COORDINATE_ALONG, 1, 0, "offset y" \
    }

static const pcs_joint_spec spatial[PCS_JOINT_KIND_COUNT] = {
    [PCS_JOINT_FIXED] = {"fixed", 6, {COINCIDENT, PARALLEL}, 0, {{0}}},
    [PCS_JOINT_REVOLUTE] = {"revolute",
                            5,
                            {COINCIDENT, PARALLEL_Z},
                            1,
                            {{PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_PRISMATIC] = {"prismatic",
                             5,
                             {ON_Z_AXIS, PARALLEL},
                             1,
                             {{PCS_COORDINATE_ALONG, 2, 2, "displacement", "speed"}}},
    [PCS_JOINT_CYLINDRICAL] = {"cylindrical",
                               4,
                               {ON_Z_AXIS, PARALLEL_Z},
                               2,
                               {{PCS_COORDINATE_ALONG, 2, 2, "displacement", "speed"},
                                {PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_SPHERICAL] = {"spherical",
                             3,
                             {COINCIDENT},
                             3,
                             {{PCS_COORDINATE_ROTATION, 0, 0, "rotation_x", "rate_x"},
                              {PCS_COORDINATE_ROTATION, 1, 1, "rotation_y", "rate_y"},
                              {PCS_COORDINATE_ROTATION, 2, 2, "rotation_z", "rate_z"}}},
    [PCS_JOINT_UNIVERSAL] = {"universal",
                             4,
                             {COINCIDENT, {PCS_COORDINATE_DOT, 0, 1, "cross angle"}},
                             2,
                             {{PCS_COORDINATE_ANGLE, 0, 0, "angle1", "rate1"},
                              {PCS_COORDINATE_ANGLE_B, 0, 1, "angle2", "rate2"}}},
    [PCS_JOINT_PLANAR] = {"planar",
                          3,
                          {{PCS_COORDINATE_ALONG, 2, 0, "offset z"},
                           {PCS_COORDINATE_DOT, 2, 0, "tilt about y"},
                           {PCS_COORDINATE_DOT, 2, 1, "tilt about x"}},
                          3,
                          {{PCS_COORDINATE_ALONG, 0, 0, "x", "speed_x"},
                           {PCS_COORDINATE_ALONG, 1, 1, "y", "speed_y"},
                           {PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_SCREW] = {"screw",
                         5,
                         {ON_Z_AXIS, PARALLEL_Z, {PCS_COORDINATE_ALONG, 2, 2, "advance"}},
                         1,
                         {{PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_DISTANCE] = {"distance",
                            1,
                            {{PCS_COORDINATE_DISTANCE, 0, 0, "length"}},
                            1,
                            {{PCS_COORDINATE_DISTANCE, 0, 0, "length", "speed"}}},
    [PCS_JOINT_POINT_ON_LINE] = {"point-on-line",
                                 2,
                                 {ON_Z_AXIS},
                                 1,
                                 {{PCS_COORDINATE_ALONG, 2, 2, "displacement", "speed"}}},
    [PCS_JOINT_POINT_ON_PLANE] = {"point-on-plane",
                                  1,
                                  {{PCS_COORDINATE_ALONG, 2, 0, "offset z"}},
                                  2,
                                  {{PCS_COORDINATE_ALONG, 0, 0, "x", "speed_x"},
                                   {PCS_COORDINATE_ALONG, 1, 1, "y", "speed_y"}}},
};

static const pcs_joint_spec planar[PCS_JOINT_KIND_COUNT] = {
    [PCS_JOINT_FIXED] = {"fixed",
                         3,
                         {{PCS_COORDINATE_WORLD, 0, 0, "x"},
                          {PCS_COORDINATE_WORLD, 1, 0, "y"},
                          {PCS_COORDINATE_ANGLE, 2, 2, "angle"}},
                         0,
                         {{0}}},
    [PCS_JOINT_REVOLUTE] = {"revolute",
                            2,
                            {{PCS_COORDINATE_WORLD, 0, 0, "x"}, {PCS_COORDINATE_WORLD, 1, 0, "y"}},
                            1,
                            {{PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_PRISMATIC] = {"prismatic",
                             2,
                             {{PCS_COORDINATE_ALONG, 1, 0, "offset y"},
                              {PCS_COORDINATE_ANGLE, 2, 2, "angle"}},
                             1,
                             {{PCS_COORDINATE_ALONG, 0, 0, "displacement", "speed"}}},
    [PCS_JOINT_DISTANCE] = {"distance",
                            1,
                            {{PCS_COORDINATE_DISTANCE, 0, 0, "length"}},
                            1,
                            {{PCS_COORDINATE_DISTANCE, 0, 0, "length", "speed"}}},
    [PCS_JOINT_POINT_ON_LINE] = {"point-on-line",
                                 1,
                                 {{PCS_COORDINATE_ALONG, 1, 0, "offset y"}},
                                 1,
                                 {{PCS_COORDINATE_ALONG, 0, 0, "displacement", "speed"}}},
    [PCS_JOINT_POINT_ON_CURVE] =
        {"point-on-curve", 1, {{PCS_COORDINATE_CURVE, 1, 0, "distance"}}, 0, {{0}}},
};

const pcs_joint_spec *pcs_joint_get_spec(pcs_joint_kind kind, int32_t dimension)
{
    if ((int)kind < 0 || kind >= PCS_JOINT_KIND_COUNT || (dimension != 2 && dimension != 3))
        return NULL;
    const pcs_joint_spec *spec = dimension == 2 ? &planar[kind] : &spatial[kind];
    return spec->name ? spec : NULL;
}

const char *pcs_joint_kind_name(pcs_joint_kind kind)
{
    if ((int)kind < 0 || kind >= PCS_JOINT_KIND_COUNT)
        return NULL;
    return spatial[kind].name ? spatial[kind].name : planar[kind].name;
}

bool pcs_joint_kind_allowed(pcs_joint_kind kind, int32_t dimension)
{
    return pcs_joint_get_spec(kind, dimension) != NULL;
}

const char *pcs_joint_coordinate_name(pcs_joint_kind kind, int32_t dimension, int32_t i)
{
    const pcs_joint_spec *spec = pcs_joint_get_spec(kind, dimension);
    return spec && i >= 0 && i < spec->n_coordinates ? spec->coordinate[i].name : NULL;
}

const char *pcs_joint_rate_name(pcs_joint_kind kind, int32_t dimension, int32_t i)
{
    const pcs_joint_spec *spec = pcs_joint_get_spec(kind, dimension);
    return spec && i >= 0 && i < spec->n_coordinates ? spec->coordinate[i].rate_name : NULL;
}

// ---- Points on curves ----

static pcs_curve_foot find_foot(const pcs_model *model, const pcs_configuration *c,
                                const pcs_joint *joint, const pcs_pair_state *pair)
{
    pcs_vec3 local = pcs_m3_tmul_v3(&pair->R_a, pair->d);
    int32_t held = c->face ? c->face[model->n_slots + joint->curve_index] : -1;
    return pcs_curve_find_piece(joint->curve, (pcs_vec2){local.x, local.y}, held);
}

pcs_pair_state pcs_joint_pair(const pcs_model *model, const pcs_configuration *c,
                              const pcs_joint *joint)
{
    pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
    if (!joint->curve)
        return pair;
    pcs_curve_foot foot = find_foot(model, c, joint, &pair);
    pcs_vec3 arm = pcs_m3_mul_v3(&pair.R_a, pcs_v3(foot.point.x, foot.point.y, 0));
    pcs_mat3 turn = pcs_m3_from_columns(pcs_v3(foot.tangent.x, foot.tangent.y, 0),
                                        pcs_v3(foot.normal.x, foot.normal.y, 0), pcs_v3(0, 0, 1));
    double focus = 1 - foot.curvature * foot.gap;
    pair.s_a = pcs_v3_add(pair.s_a, arm);
    pair.d = pcs_v3_sub(pair.d, arm);
    pair.R_a = pcs_m3_mul(&pair.R_a, &turn);
    // The centre of curvature is no place for a point on the curve; the rate there has no meaning.
    pair.bend = fabs(focus) > DBL_EPSILON ? foot.curvature / focus : 0;
    return pair;
}

void pcs_model_curve_edges(const pcs_model *model, const pcs_configuration *c, double *edge,
                           int32_t *face, int32_t *next_face)
{
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        if (!joint->curve)
            continue;
        pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
        pcs_curve_foot foot = find_foot(model, c, joint, &pair);
        edge[joint->curve_index] = foot.edge;
        face[joint->curve_index] = foot.face;
        next_face[joint->curve_index] = foot.next_face;
    }
}

pcs_curve_station pcs_joint_curve_station(const pcs_model *model, const pcs_configuration *c,
                                          const pcs_joint *joint)
{
    const pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
    const pcs_curve *curve = joint->curve;
    const pcs_curve_foot foot = find_foot(model, c, joint, &pair);
    const pcs_curve_span *span = &curve->spans[foot.face];
    const int32_t last = curve->n_spans - 1, around = curve->closed ? last : -1;
    const int32_t before = foot.face > 0 ? foot.face - 1 : around;
    // Velocity of the point as seen from frame a, along the tangent.
    const pcs_vec3 of_a = pcs_v3_add(pair.twist_a.v,
                                     pcs_v3_cross(pair.twist_a.w, pcs_v3_add(pair.s_a, pair.d)));
    const pcs_vec3 of_b = pcs_v3_add(pair.twist_b.v, pcs_v3_cross(pair.twist_b.w, pair.s_b));
    const pcs_vec3 w = pcs_m3_tmul_v3(&pair.R_a, pcs_v3_sub(of_b, of_a));
    return (pcs_curve_station){
        .face = foot.face,
        .speed = w.x * foot.tangent.x + w.y * foot.tangent.y,
        .way = {pcs_curve_length(span, span->from, foot.s),
                pcs_curve_length(span, foot.s, span->to)},
        .next = {before, foot.face < last ? foot.face + 1
                         : curve->closed  ? 0
                                          : -1},
        .corner = {before >= 0 && curve->spans[before].junction == PCS_JUNCTION_CORNER,
                   span->junction == PCS_JUNCTION_CORNER},
    };
}

// ---- Rows ----

// form <- form - s other
static void subtract_form(pcs_rate_form *form, double s, const pcs_rate_form *other)
{
    form->d_a = pcs_v3_axpy(form->d_a, -s, other->d_a);
    form->w_a = pcs_v3_axpy(form->w_a, -s, other->w_a);
    form->d_b = pcs_v3_axpy(form->d_b, -s, other->d_b);
    form->w_b = pcs_v3_axpy(form->w_b, -s, other->w_b);
}

// The angle that a screw's last row couples to its displacement; NULL for all other rows.
static const pcs_coordinate *coupled_angle(const pcs_joint *joint, int32_t i)
{
    return joint->kind == PCS_JOINT_SCREW && i == 4 ? &joint->coordinate[0] : NULL;
}

static double row_value(const pcs_joint *joint, int32_t i, const pcs_configuration *c,
                        const pcs_pair_state *pair)
{
    const pcs_coordinate *x = &joint->row[i], *angle = coupled_angle(joint, i);
    const pcs_formula *motion = joint->motion[i];
    double target = motion ? pcs_formula_evaluate(motion, &c->t) : joint->target[i];
    double reference = x->turn >= 0 ? c->turns[x->turn] : joint->target[i];
    double value = pcs_coordinate_value(x, pair, reference) - target;
    if (angle) // displacement - pitch/(2 pi) angle
        value -= joint->pitch_per_radian * pcs_coordinate_value(angle, pair, c->turns[angle->turn]);
    return value;
}

static pcs_rate_form row_form(const pcs_joint *joint, int32_t i, const pcs_pair_state *pair)
{
    const pcs_coordinate *angle = coupled_angle(joint, i);
    pcs_rate_form form = pcs_coordinate_rate_form(&joint->row[i], pair);
    if (angle) {
        pcs_rate_form turn = pcs_coordinate_rate_form(angle, pair);
        subtract_form(&form, joint->pitch_per_radian, &turn);
    }
    return form;
}

static double row_convective(const pcs_joint *joint, int32_t i, const pcs_configuration *c,
                             const pcs_pair_state *pair)
{
    const pcs_coordinate *angle = coupled_angle(joint, i);
    double convective = pcs_coordinate_convective(&joint->row[i], pair);
    if (angle)
        convective -= joint->pitch_per_radian * pcs_coordinate_convective(angle, pair);
    if (joint->motion[i])
        convective -= pcs_formula_evaluate(joint->motion_acceleration[i], &c->t);
    return convective;
}

double pcs_joint_row(const pcs_joint *joint, int32_t i, const pcs_configuration *c,
                     const pcs_pair_state *pair, pcs_rate_form *form, double *convective)
{
    if (form)
        *form = row_form(joint, i, pair);
    if (convective)
        *convective = row_convective(joint, i, c, pair);
    return row_value(joint, i, c, pair);
}

// Row of sign * e_axis . (velocity of the point p, node axes): the rotational part of e.(omega x R
// p) is (R^T e) x p in node axes with reversed sign. This one row is most of what joints are made
// of.
static void point_row(pcs_node_kind kind, const pcs_pose *pose, pcs_vec3 p, int axis, double sign,
                      double *row)
{
    const pcs_vec3 e = pcs_v3_load(pose->R.m[axis]); // R^T e
    const pcs_vec3 w = pcs_v3_scale(-sign, pcs_v3_cross(e, p));
    row[0] = axis == 0 ? sign : 0;
    row[1] = axis == 1 ? sign : 0;
    if (kind == PCS_NODE_PLANAR)
        row[2] = w.z;
    else if (kind != PCS_NODE_POINT2)
        row[2] = axis == 2 ? sign : 0;
    if (kind == PCS_NODE_SPATIAL)
        pcs_v3_store(row + 3, w);
}

// Jacobian of the joint's rows in the layouts of its nodes.
static void fill_block(const pcs_joint *joint, const pcs_pair_state *pair, pcs_row_block *block)
{
    const bool has_a = joint->pair.a.node >= 0, has_b = joint->pair.b.node >= 0;
    const int32_t size_a = pcs_node_v_size(pair->kind_a), size_b = pcs_node_v_size(pair->kind_b);
    double *row_a = has_a ? block->J[0] : NULL, *row_b = has_b ? block->J[has_a] : NULL;
    for (int32_t i = 0; i < joint->n_rows; ++i) {
        if (joint->row[i].kind == PCS_COORDINATE_WORLD) {
            int axis = joint->row[i].axis_a;
            if (has_a)
                point_row(pair->kind_a, pair->pose_a, joint->pair.a.p, axis, -1, row_a);
            if (has_b)
                point_row(pair->kind_b, pair->pose_b, joint->pair.b.p, axis, 1, row_b);
        } else {
            pcs_rate_form form = row_form(joint, i, pair);
            pcs_coordinate_rows(&form, pair, row_a, row_b);
        }
        row_a = has_a ? row_a + size_a : NULL;
        row_b = has_b ? row_b + size_b : NULL;
    }
}

static void rows(const pcs_model *model, const pcs_configuration *c, const pcs_rows *out)
{
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        const int32_t n = joint->n_rows, first = joint->first_row;
        for (int32_t i = 0; i < n && out->rate; ++i)
            out->rate[first + i] = joint->motion[i]
                                       ? pcs_formula_evaluate(joint->motion_rate[i], &c->t)
                                       : 0;
        if (n == 0 || !(out->blocks || out->g || out->convective))
            continue; // no kinematics needed
        pcs_pair_state pair = pcs_joint_pair(model, c, joint);
        for (int32_t i = 0; i < n && out->g; ++i)
            out->g[first + i] = row_value(joint, i, c, &pair);
        if (out->blocks)
            fill_block(joint, &pair, &out->blocks[joint->row_block]);
        for (int32_t i = 0; i < n && out->convective; ++i)
            out->convective[first + i] = row_convective(joint, i, c, &pair);
    }
}

// d(G^T lambda)/dq: the geometric stiffness of each row; a screw's last row has two coordinates
static void row_tangent(const pcs_model *model, const pcs_configuration *c, const double *lambda,
                        double scale, pcs_saddle *saddle)
{
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        const pcs_pair_state pair = pcs_joint_pair(model, c, joint);
        for (int32_t i = 0; i < joint->n_rows; ++i) {
            const pcs_coordinate *of[2] = {&joint->row[i], coupled_angle(joint, i)};
            const double weight[2] = {1, -joint->pitch_per_radian};
            for (int e = 0; e < 2; ++e) {
                if (!of[e] || pcs_coordinate_is_flat(of[e], model->dimension))
                    continue;
                double K[12][12];
                pcs_coordinate_geometric(of[e], &pair, weight[e] * lambda[joint->first_row + i], K);
                pcs_element_add_geometric(model, &joint->pair, (const double(*)[12])K, scale,
                                          saddle);
            }
        }
    }
}

static void rate_tangent(const pcs_model *model, const pcs_configuration *c, double scale,
                         pcs_row_block *blocks)
{
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        const pcs_pair_state pair = pcs_joint_pair(model, c, joint);
        for (int32_t i = 0; i < joint->n_rows; ++i) {
            const pcs_coordinate *of[2] = {&joint->row[i], coupled_angle(joint, i)};
            const double weight[2] = {scale, -scale * joint->pitch_per_radian};
            for (int e = 0; e < 2; ++e)
                if (of[e] && !pcs_coordinate_is_flat(of[e], model->dimension))
                    pcs_element_add_rate_tangent(model, &joint->pair, &pair, of[e], weight[e],
                                                 &blocks[joint->row_block], i);
        }
    }
}

const pcs_element_class pcs_joint_class = {
    .name = "joint",
    .rows = rows,
    .row_tangent = row_tangent,
    .rate_tangent = rate_tangent,
};

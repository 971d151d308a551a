// Joints: a table of kinds. Every joint is a list of coordinates (model/coordinate.h) between its two
// frames that are kept at a value, and a list of coordinates that stay free and can carry springs,
// actuators, prescribed motions and limits. Axes 0, 1, 2 are x, y, z of the frames.
//
// Coincident origins are three WORLD rows, parallel z axes two DOT rows (x_a.z_b = y_a.z_b = 0),
// parallel frames three DOT rows (x_a.y_b = y_a.z_b = z_a.x_b = 0).
#include "model/joint.h"

#include <string.h>

#include "model/element.h"

#define COINCIDENT                                                                \
    {PCS_COORDINATE_WORLD, 0, 0, "x"}, {PCS_COORDINATE_WORLD, 1, 0, "y"},         \
    {                                                                             \
        PCS_COORDINATE_WORLD, 2, 0, "z"                                           \
    }
#define PARALLEL_Z                                                                \
    {PCS_COORDINATE_DOT, 0, 2, "tilt about y"},                                   \
    {                                                                             \
        PCS_COORDINATE_DOT, 1, 2, "tilt about x"                                  \
    }
#define PARALLEL                                                                  \
    {PCS_COORDINATE_DOT, 0, 1, "turn about z"}, {PCS_COORDINATE_DOT, 1, 2, "turn about x"}, \
    {                                                                             \
        PCS_COORDINATE_DOT, 2, 0, "turn about y"                                  \
    }
#define ON_Z_AXIS                                                                 \
    {PCS_COORDINATE_ALONG, 0, 0, "offset x"},                                     \
    {                                                                             \
        PCS_COORDINATE_ALONG, 1, 0, "offset y"                                    \
    }

static const pcs_joint_spec spatial[PCS_JOINT_KIND_COUNT] = {
    [PCS_JOINT_FIXED] = {"fixed", 6, {COINCIDENT, PARALLEL}, 0, {{0}}},
    [PCS_JOINT_REVOLUTE] = {"revolute", 5, {COINCIDENT, PARALLEL_Z}, 1,
                            {{PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_PRISMATIC] = {"prismatic", 5, {ON_Z_AXIS, PARALLEL}, 1,
                             {{PCS_COORDINATE_ALONG, 2, 2, "displacement", "speed"}}},
    [PCS_JOINT_CYLINDRICAL] = {"cylindrical", 4, {ON_Z_AXIS, PARALLEL_Z}, 2,
                               {{PCS_COORDINATE_ALONG, 2, 2, "displacement", "speed"},
                                {PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_SPHERICAL] = {"spherical", 3, {COINCIDENT}, 3,
                             {{PCS_COORDINATE_ROTATION, 0, 0, "rotation_x", "rate_x"},
                              {PCS_COORDINATE_ROTATION, 1, 1, "rotation_y", "rate_y"},
                              {PCS_COORDINATE_ROTATION, 2, 2, "rotation_z", "rate_z"}}},
    [PCS_JOINT_UNIVERSAL] = {"universal", 4,
                             {COINCIDENT, {PCS_COORDINATE_DOT, 0, 1, "cross angle"}}, 2,
                             {{PCS_COORDINATE_ANGLE, 0, 0, "angle1", "rate1"},
                              {PCS_COORDINATE_ANGLE_B, 0, 1, "angle2", "rate2"}}},
    [PCS_JOINT_PLANAR] = {"planar", 3,
                          {{PCS_COORDINATE_ALONG, 2, 0, "offset z"},
                           {PCS_COORDINATE_DOT, 2, 0, "tilt about y"},
                           {PCS_COORDINATE_DOT, 2, 1, "tilt about x"}}, 3,
                          {{PCS_COORDINATE_ALONG, 0, 0, "x", "speed_x"},
                           {PCS_COORDINATE_ALONG, 1, 1, "y", "speed_y"},
                           {PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_SCREW] = {"screw", 5,
                         {ON_Z_AXIS, PARALLEL_Z, {PCS_COORDINATE_ALONG, 2, 2, "advance"}}, 1,
                         {{PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_DISTANCE] = {"distance", 1, {{PCS_COORDINATE_DISTANCE, 0, 0, "length"}}, 1,
                            {{PCS_COORDINATE_DISTANCE, 0, 0, "length", "speed"}}},
    [PCS_JOINT_POINT_ON_LINE] = {"point-on-line", 2, {ON_Z_AXIS}, 1,
                                 {{PCS_COORDINATE_ALONG, 2, 2, "displacement", "speed"}}},
    [PCS_JOINT_POINT_ON_PLANE] = {"point-on-plane", 1,
                                  {{PCS_COORDINATE_ALONG, 2, 0, "offset z"}}, 2,
                                  {{PCS_COORDINATE_ALONG, 0, 0, "x", "speed_x"},
                                   {PCS_COORDINATE_ALONG, 1, 1, "y", "speed_y"}}},
};

static const pcs_joint_spec planar[PCS_JOINT_KIND_COUNT] = {
    [PCS_JOINT_FIXED] = {"fixed", 3,
                         {{PCS_COORDINATE_WORLD, 0, 0, "x"}, {PCS_COORDINATE_WORLD, 1, 0, "y"},
                          {PCS_COORDINATE_ANGLE, 2, 2, "angle"}}, 0, {{0}}},
    [PCS_JOINT_REVOLUTE] = {"revolute", 2,
                            {{PCS_COORDINATE_WORLD, 0, 0, "x"},
                             {PCS_COORDINATE_WORLD, 1, 0, "y"}}, 1,
                            {{PCS_COORDINATE_ANGLE, 2, 2, "angle", "rate"}}},
    [PCS_JOINT_PRISMATIC] = {"prismatic", 2,
                             {{PCS_COORDINATE_ALONG, 1, 0, "offset y"},
                              {PCS_COORDINATE_ANGLE, 2, 2, "angle"}}, 1,
                             {{PCS_COORDINATE_ALONG, 0, 0, "displacement", "speed"}}},
    [PCS_JOINT_DISTANCE] = {"distance", 1, {{PCS_COORDINATE_DISTANCE, 0, 0, "length"}}, 1,
                            {{PCS_COORDINATE_DISTANCE, 0, 0, "length", "speed"}}},
    [PCS_JOINT_POINT_ON_LINE] = {"point-on-line", 1,
                                 {{PCS_COORDINATE_ALONG, 1, 0, "offset y"}}, 1,
                                 {{PCS_COORDINATE_ALONG, 0, 0, "displacement", "speed"}}},
};

const pcs_joint_spec *pcs_joint_get_spec(pcs_joint_kind kind, int32_t dimension)
{
    if ((int)kind < 0 || kind >= PCS_JOINT_KIND_COUNT)
        return NULL;
    const pcs_joint_spec *spec = dimension == 2 ? &planar[kind] : &spatial[kind];
    return spec->name ? spec : NULL;
}

const char *pcs_joint_kind_name(pcs_joint_kind kind)
{
    return (int)kind >= 0 && kind < PCS_JOINT_KIND_COUNT ? spatial[kind].name : NULL;
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

// form <- form - s other
static void subtract_form(pcs_rate_form *form, double s, const pcs_rate_form *other)
{
    form->d_a = pcs_v3_axpy(form->d_a, -s, other->d_a);
    form->w_a = pcs_v3_axpy(form->w_a, -s, other->w_a);
    form->d_b = pcs_v3_axpy(form->d_b, -s, other->d_b);
    form->w_b = pcs_v3_axpy(form->w_b, -s, other->w_b);
}

double pcs_joint_row(const pcs_joint *joint, int32_t i, const pcs_configuration *c,
                     const pcs_pair_state *pair, pcs_rate_form *form, double *convective)
{
    const pcs_coordinate *x = &joint->row[i];
    const pcs_formula *motion = joint->motion[i];
    double target = motion ? pcs_formula_evaluate(motion, &c->t) : joint->target[i];
    double reference = x->turn >= 0 ? c->turns[x->turn] : joint->target[i];
    double value = pcs_coordinate_value(x, pair, reference) - target;
    if (form)
        *form = pcs_coordinate_rate_form(x, pair);
    if (convective) {
        *convective = pcs_coordinate_convective(x, pair);
        if (motion)
            *convective -= pcs_formula_evaluate(joint->motion_acceleration[i], &c->t);
    }
    if (joint->kind == PCS_JOINT_SCREW && i == 4) {
        // displacement - pitch/(2 pi) angle
        const pcs_coordinate *angle = &joint->coordinate[0];
        double p = joint->pitch_per_radian;
        value -= p * pcs_coordinate_value(angle, pair, c->turns[angle->turn]);
        if (form) {
            pcs_rate_form turn = pcs_coordinate_rate_form(angle, pair);
            subtract_form(form, p, &turn);
        }
        if (convective)
            *convective -= p * pcs_coordinate_convective(angle, pair);
    }
    return value;
}

static void rows(const pcs_model *model, const pcs_configuration *c, const pcs_rows *out)
{
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        if (joint->n_rows == 0)
            continue;
        pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
        pcs_row_block *block = out->blocks ? &out->blocks[joint->row_block] : NULL;
        int32_t size_a = 0, at_b = 0;
        if (joint->pair.a.node >= 0) {
            size_a = pcs_node_v_size(pair.kind_a);
            at_b = 1;
        }
        int32_t size_b = joint->pair.b.node >= 0 ? pcs_node_v_size(pair.kind_b) : 0;
        for (int32_t i = 0; i < joint->n_rows; ++i) {
            int32_t row = joint->first_row + i;
            pcs_rate_form form;
            double g = pcs_joint_row(joint, i, c, &pair, block ? &form : NULL,
                                     out->convective ? &out->convective[row] : NULL);
            if (out->g)
                out->g[row] = g;
            if (out->rate)
                out->rate[row] =
                    joint->motion[i] ? pcs_formula_evaluate(joint->motion_rate[i], &c->t) : 0;
            if (block)
                pcs_coordinate_rows(&form, &pair, size_a ? block->J[0] + i * size_a : NULL,
                                    size_b ? block->J[at_b] + i * size_b : NULL);
        }
    }
}

const pcs_element_class pcs_joint_class = {
    .name = "joint",
    .rows = rows,
};

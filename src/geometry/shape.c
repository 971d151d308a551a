// Mass properties of homogeneous shapes about their centres, in their own axes:
//
//   sphere    m = 4/3 pi r^3        I = 2/5 m r^2
//   box       m = a b c             I_x = m (b^2 + c^2) / 12, ...
//   cylinder  m = pi r^2 l          I_z = m r^2 / 2, I_x = I_y = m (3 r^2 + l^2) / 12
//   capsule   cylinder + two half spheres, whose centroids are 3 r / 8 beyond the cylinder's ends:
//             I_z = m_c r^2 / 2 + 2/5 m_s r^2,
//             I_x = I_y = m_c (3 r^2 + l^2) / 12 + m_s (2/5 r^2 + l^2 / 4 + 3/8 r l)
//   rod       m = l                 I_z = 0, I_x = I_y = m l^2 / 12
//
// (unit density), then scaled to the density or to the given mass.
#include "geometry/shape.h"

#include <math.h>

#include "math/rotation.h"

// Sizes that a kind uses; the others are ignored.
typedef struct shape_row {
    const char *name;
    bool uses[3];
    const char *size_name[3];
} shape_row;

static const shape_row SHAPES[] = {
    [PCS_SHAPE_SPHERE] = {"sphere", {true, false, false}, {"radius", NULL, NULL}},
    [PCS_SHAPE_BOX] = {"box", {true, true, true}, {"edge x", "edge y", "edge z"}},
    [PCS_SHAPE_CYLINDER] = {"cylinder", {true, false, true}, {"radius", NULL, "length"}},
    [PCS_SHAPE_CAPSULE] = {"capsule", {true, false, true}, {"radius", NULL, "length"}},
    [PCS_SHAPE_ROD] = {"rod", {false, false, true}, {NULL, NULL, "length"}},
};

enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

pcs_shape_def pcs_shape_default(void)
{
    pcs_shape_def shape = {0};
    shape.kind = PCS_SHAPE_SPHERE;
    shape.rotation = pcs_quat_identity();
    return shape;
}

const char *pcs_shape_kind_name(pcs_shape_kind kind)
{
    if ((int)kind < 0 || (int)kind >= SHAPE_COUNT)
        return NULL;
    return SHAPES[kind].name;
}

// Mass and principal moments (own axes) of the shape with density 1.
static void unit_density(const pcs_shape_def *shape, double *mass, double moment[3])
{
    double x = shape->size.x, y = shape->size.y, z = shape->size.z;
    double m = 0.0, m_caps;
    moment[0] = moment[1] = moment[2] = 0.0;
    switch (shape->kind) {
    case PCS_SHAPE_SPHERE:
        m = 4.0 / 3.0 * PCS_PI * x * x * x;
        moment[0] = moment[1] = moment[2] = 0.4 * m * x * x;
        break;
    case PCS_SHAPE_BOX:
        m = x * y * z;
        moment[0] = m * (y * y + z * z) / 12.0;
        moment[1] = m * (z * z + x * x) / 12.0;
        moment[2] = m * (x * x + y * y) / 12.0;
        break;
    case PCS_SHAPE_CYLINDER:
        m = PCS_PI * x * x * z;
        moment[0] = moment[1] = m * (3.0 * x * x + z * z) / 12.0;
        moment[2] = 0.5 * m * x * x;
        break;
    case PCS_SHAPE_CAPSULE:
        m = PCS_PI * x * x * z;
        m_caps = 4.0 / 3.0 * PCS_PI * x * x * x;
        moment[0] = moment[1] = m * (3.0 * x * x + z * z) / 12.0 +
                                m_caps * (0.4 * x * x + 0.25 * z * z + 0.375 * x * z);
        moment[2] = (0.5 * m + 0.4 * m_caps) * x * x;
        m += m_caps;
        break;
    case PCS_SHAPE_ROD:
        m = z;
        moment[0] = moment[1] = m * z * z / 12.0;
        break;
    }
    *mass = m;
}

pcs_mass_properties pcs_shape_mass(const pcs_shape_def *shape)
{
    pcs_mass_properties result = {0};
    double mass, moment[3];
    unit_density(shape, &mass, moment);
    double scale = shape->mass > 0.0 ? shape->mass / mass : shape->density;
    result.mass = shape->mass > 0.0 ? shape->mass : scale * mass;
    result.center = shape->position;

    pcs_mat3 R = pcs_quat_matrix(pcs_quat_normalize(shape->rotation));
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) { // R diag(moment) R^T
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += R.m[i][k] * moment[k] * R.m[j][k];
            result.inertia.m[i][j] = result.inertia.m[j][i] = scale * sum;
        }
    return result;
}

pcs_mass_properties pcs_mass_combine(const pcs_mass_properties *parts, int32_t n)
{
    pcs_mass_properties sum = {0};
    for (int32_t i = 0; i < n; i++)
        sum.mass += parts[i].mass;
    if (!(sum.mass > 0.0))
        return sum;
    for (int32_t i = 0; i < n; i++) // weights first, so that large masses do not overflow
        sum.center = pcs_v3_axpy(sum.center, parts[i].mass / sum.mass, parts[i].center);
    for (int32_t i = 0; i < n; i++) { // I += I_i + m_i (|d|^2 1 - d d^T)
        pcs_vec3 offset = pcs_v3_sub(parts[i].center, sum.center);
        double m = parts[i].mass, square = pcs_v3_dot(offset, offset), d[3];
        pcs_v3_store(d, offset);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                sum.inertia.m[j][k] += parts[i].inertia.m[j][k] +
                                       m * ((j == k ? square : 0.0) - d[j] * d[k]);
    }
    return sum;
}

static bool is_finite_matrix(const pcs_mat3 *A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!isfinite(A->m[i][j]))
                return false;
    return true;
}

pcs_status pcs_shape_check(pcs_context *ctx, const pcs_shape_def *shape)
{
    const char *name = pcs_shape_kind_name(shape->kind);
    if (!name)
        return pcs_error(ctx, PCS_ERROR_MODEL, "shape: unknown kind %d", (int)shape->kind);
    const shape_row *row = &SHAPES[shape->kind];
    double size[3];
    pcs_v3_store(size, shape->size);
    for (int i = 0; i < 3; i++)
        if (row->uses[i] && !(isfinite(size[i]) && size[i] > 0.0))
            return pcs_error(ctx, PCS_ERROR_MODEL, "%s: %s must be a number > 0, but is %g", name,
                             row->size_name[i], size[i]);
    if (!(isfinite(shape->density) && shape->density >= 0.0))
        return pcs_error(ctx, PCS_ERROR_MODEL, "%s: density must be a number >= 0, but is %g", name,
                         shape->density);
    if (!(isfinite(shape->mass) && shape->mass >= 0.0))
        return pcs_error(ctx, PCS_ERROR_MODEL, "%s: mass must be a number >= 0, but is %g", name,
                         shape->mass);
    if (!pcs_v3_is_finite(shape->position))
        return pcs_error(ctx, PCS_ERROR_MODEL, "%s: position must be finite", name);
    double norm = pcs_quat_norm(shape->rotation);
    if (!(isfinite(norm) && norm > 0.0))
        return pcs_error(ctx, PCS_ERROR_MODEL, "%s: rotation must be a finite quaternion, not zero",
                         name);
    pcs_mass_properties m = pcs_shape_mass(shape);
    if (!(isfinite(m.mass) && is_finite_matrix(&m.inertia)))
        return pcs_error(ctx, PCS_ERROR_MODEL, "%s: sizes and density give no finite mass", name);
    return PCS_OK;
}

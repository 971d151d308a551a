// Scalar coordinates between two frames: values, rates, convective terms, geometric stiffness.
//
// Notation: x, R, omega of the two nodes; arms s; p = x + s; d = p_b - p_a; e an axis of frame a,
// f an axis of frame b. c = p_b - x_a is the arm from a's node to b's origin.
//
//   WORLD     x = e.d,  e constant     x' = e.(v_b + omega_b x s_b) - e.(v_a + omega_a x s_a)
//   ALONG     x = e.d                  x' = e.(v_b + omega_b x s_b) - e.(v_a + omega_a x c)
//   CURVE     x = e.d, e the normal    as ALONG; e turns against a by -bend (t.d') t, t the tangent
//   DISTANCE  x = |d|, n = d/|d|       x' = n.(p_b' - p_a')
//   DOT       x = e.f                  x' = (omega_a - omega_b).(e x f)
//   ANGLE     about e of a vector b    x' = (omega_b - omega_a).w,  w = e - c/|p|^2 p,
//             fixed to the other frame c = b.e,  p = b - c e;  w = e where b is perpendicular to e,
//   ANGLE_B   about f                  as it is in the joints that use these angles
//   ROTATION  psi = log(R_a^T R_b)     psi' = T(psi)^{-1} (Omega_b - R^T Omega_a) in frame axes
//
// Convective terms follow by differentiating once more with v', omega' left out; a point of a body
// contributes its centripetal acceleration omega x (omega x s).
#include "model/coordinate.h"

#include <string.h>

static pcs_vec3 axis(const pcs_mat3 *R, int index)
{
    return pcs_m3_column(R, index % 3);
}

static pcs_vec3 world_axis(int index)
{
    return pcs_v3(index == 0, index == 1, index == 2);
}

static pcs_vec3 cross(pcs_vec3 a, pcs_vec3 b)
{
    return pcs_v3_cross(a, b);
}

static pcs_vec3 negative(pcs_vec3 a)
{
    return pcs_v3_scale(-1, a);
}

// Unit vector along d; any fixed direction where the distance vanishes.
static pcs_vec3 direction(pcs_vec3 d)
{
    double length = pcs_v3_norm(d);
    return length > 0 ? pcs_v3_scale(1 / length, d) : pcs_v3(1, 0, 0);
}

// Rotation of b against a as a quaternion in frame axes.
static pcs_quat relative_rotation(const pcs_pair_state *pair)
{
    pcs_mat3 R = pcs_m3_tmul(&pair->R_a, &pair->R_b);
    return pcs_quat_from_matrix(&R);
}

static double component(pcs_vec3 a, int index)
{
    return index == 0 ? a.x : index == 1 ? a.y : a.z;
}

// The axis of an angle and the vector whose turning about it is measured, with their frames.
typedef struct angle_vectors {
    pcs_vec3 e, b;
    bool e_on_a; // e is fixed to a and b to b, or the other way round
} angle_vectors;

static angle_vectors angle_of(const pcs_coordinate *c, const pcs_pair_state *pair)
{
    if (c->kind == PCS_COORDINATE_ANGLE)
        return (angle_vectors){axis(&pair->R_a, c->axis_a), axis(&pair->R_b, c->axis_a + 1), true};
    return (angle_vectors){axis(&pair->R_b, c->axis_b), axis(&pair->R_a, c->axis_a), false};
}

// w = e - kappa p with p = b - c e, c = b.e, kappa = c/|p|^2. An angle is undefined where p = 0.
static pcs_vec3 angle_form(const angle_vectors *k)
{
    double c = pcs_v3_dot(k->b, k->e);
    pcs_vec3 p = pcs_v3_axpy(k->b, -c, k->e);
    double square = pcs_v3_dot(p, p);
    return square > 0 ? pcs_v3_axpy(k->e, -c / square, p) : k->e;
}

// Change of w when the frames turn by w_a and w_b.
static pcs_vec3 angle_form_change(const angle_vectors *k, pcs_vec3 w_a, pcs_vec3 w_b)
{
    pcs_vec3 de = cross(k->e_on_a ? w_a : w_b, k->e), db = cross(k->e_on_a ? w_b : w_a, k->b);
    double c = pcs_v3_dot(k->b, k->e), dc = pcs_v3_dot(db, k->e) + pcs_v3_dot(k->b, de);
    pcs_vec3 p = pcs_v3_axpy(k->b, -c, k->e);
    double square = pcs_v3_dot(p, p);
    if (!(square > 0))
        return de;
    pcs_vec3 dp = pcs_v3_axpy(pcs_v3_axpy(db, -dc, k->e), -c, de);
    double kappa = c / square, dkappa = (dc - 2 * kappa * pcs_v3_dot(p, dp)) / square;
    return pcs_v3_axpy(pcs_v3_axpy(de, -dkappa, p), -kappa, dp);
}

// The branch of an angle that is nearest to a reference, in (reference - pi, reference + pi]. All
// references of a branch give the same bits.
static double branch(double angle, double reference)
{
    return angle + 2 * PCS_PI * floor((reference - angle) / (2 * PCS_PI) + 0.5);
}

double pcs_coordinate_value(const pcs_coordinate *c, const pcs_pair_state *pair, double reference)
{
    switch (c->kind) {
    case PCS_COORDINATE_WORLD:
        return component(pair->d, c->axis_a);
    case PCS_COORDINATE_ALONG:
    case PCS_COORDINATE_CURVE:
        return pcs_v3_dot(axis(&pair->R_a, c->axis_a), pair->d);
    case PCS_COORDINATE_DISTANCE:
        return pcs_v3_norm(pair->d);
    case PCS_COORDINATE_DOT:
        return pcs_v3_dot(axis(&pair->R_a, c->axis_a), axis(&pair->R_b, c->axis_b));
    case PCS_COORDINATE_ANGLE: {
        // Angle from a's next axis to b's next axis, seen along e.
        pcs_vec3 a1 = axis(&pair->R_a, c->axis_a + 1), a2 = axis(&pair->R_a, c->axis_a + 2);
        pcs_vec3 b1 = axis(&pair->R_b, c->axis_a + 1);
        double angle = atan2(pcs_v3_dot(b1, a2), pcs_v3_dot(b1, a1));
        return branch(angle, reference);
    }
    case PCS_COORDINATE_ANGLE_B: {
        // Second angle of a universal joint, about f, from e (which is perpendicular to f) to the
        // axis of b with e's number.
        pcs_vec3 b0 = axis(&pair->R_b, c->axis_a), f = axis(&pair->R_b, c->axis_b);
        pcs_vec3 e = axis(&pair->R_a, c->axis_a);
        double angle = atan2(pcs_v3_dot(b0, cross(f, e)), pcs_v3_dot(b0, e));
        return branch(angle, reference);
    }
    case PCS_COORDINATE_ROTATION:
        return component(pcs_so3_log(relative_rotation(pair)), c->axis_a);
    }
    return 0;
}

pcs_rate_form pcs_coordinate_rate_form(const pcs_coordinate *c, const pcs_pair_state *pair)
{
    const pcs_vec3 zero = {0, 0, 0};
    switch (c->kind) {
    case PCS_COORDINATE_WORLD: {
        pcs_vec3 e = world_axis(c->axis_a);
        return (pcs_rate_form){negative(e), cross(e, pair->s_a), e, cross(pair->s_b, e)};
    }
    case PCS_COORDINATE_ALONG:
    case PCS_COORDINATE_CURVE: {
        pcs_vec3 e = axis(&pair->R_a, c->axis_a);
        pcs_vec3 arm = pcs_v3_add(pair->s_a, pair->d);
        return (pcs_rate_form){negative(e), cross(e, arm), e, cross(pair->s_b, e)};
    }
    case PCS_COORDINATE_DISTANCE: {
        pcs_vec3 n = direction(pair->d);
        return (pcs_rate_form){negative(n), cross(n, pair->s_a), n, cross(pair->s_b, n)};
    }
    case PCS_COORDINATE_DOT: {
        pcs_vec3 m = cross(axis(&pair->R_a, c->axis_a), axis(&pair->R_b, c->axis_b));
        return (pcs_rate_form){zero, m, zero, negative(m)};
    }
    case PCS_COORDINATE_ANGLE:
    case PCS_COORDINATE_ANGLE_B: {
        angle_vectors k = angle_of(c, pair);
        pcs_vec3 w = angle_form(&k);
        return (pcs_rate_form){zero, negative(w), zero, w};
    }
    case PCS_COORDINATE_ROTATION: {
        // Row i of T^{-1}(psi), from b's frame axes to the world; omega_b - omega_a acts on it.
        pcs_mat3 T_inv = pcs_so3_tangent_inverse(pcs_so3_log(relative_rotation(pair)));
        const double *row = T_inv.m[c->axis_a];
        pcs_vec3 w = pcs_m3_mul_v3(&pair->R_b, pcs_v3_load(row));
        return (pcs_rate_form){zero, negative(w), zero, w};
    }
    }
    return (pcs_rate_form){zero, zero, zero, zero};
}

double pcs_coordinate_rate(const pcs_rate_form *form, const pcs_pair_state *pair)
{
    return pcs_v3_dot(form->d_a, pair->twist_a.v) + pcs_v3_dot(form->w_a, pair->twist_a.w) +
           pcs_v3_dot(form->d_b, pair->twist_b.v) + pcs_v3_dot(form->w_b, pair->twist_b.w);
}

static pcs_vec3 point_velocity(const pcs_twist *twist, pcs_vec3 arm)
{
    return pcs_v3_add(twist->v, cross(twist->w, arm));
}

static pcs_vec3 centripetal(pcs_vec3 w, pcs_vec3 arm)
{
    return cross(w, cross(w, arm));
}

// T(psi) = I - A S + B S^2 with A = (1-cos a)/a^2, B = (a - sin a)/a^3, a = |psi|. Along a change
// psi' they change by A' = dA (psi.psi'), B' = dB (psi.psi').
typedef struct tangent_terms {
    double A, B, dA, dB;
} tangent_terms;

static tangent_terms tangent_coefficients(pcs_vec3 psi)
{
    double a2 = pcs_v3_dot(psi, psi), a = sqrt(a2);
    const double small = 0.1; // series below: the next terms are below rounding
    if (a < small)
        return (tangent_terms){
            1.0 / 2 - a2 * (1.0 / 24 - a2 * (1.0 / 720 - a2 / 40320)),
            1.0 / 6 - a2 * (1.0 / 120 - a2 * (1.0 / 5040 - a2 / 362880)),
            -1.0 / 12 + a2 * (1.0 / 180 - a2 * (1.0 / 6720 - a2 / 453600)),
            -1.0 / 60 + a2 * (1.0 / 1260 - a2 * (1.0 / 60480 - a2 / 4989600)),
        };
    double sn = sin(a), A = (1 - cos(a)) / a2, B = (a - sn) / (a2 * a);
    return (tangent_terms){A, B, (sn / a - 2 * A) / a2, (A - 3 * B) / a2};
}

// psi'' without Omega': d/dt(T^{-1}) Omega_rel + T^{-1} d/dt(-R^T Omega_a). The derivative of
// T^{-1} along psi' is taken from  T psi' = Omega_rel  =>  psi'' = T^{-1}(Omega_rel' - T' psi').
static double rotation_convective(const pcs_coordinate *c, const pcs_pair_state *pair)
{
    pcs_vec3 psi = pcs_so3_log(relative_rotation(pair));
    pcs_vec3 w_a = pcs_m3_tmul_v3(&pair->R_b, pair->twist_a.w); // in b's frame axes
    pcs_vec3 w_b = pcs_m3_tmul_v3(&pair->R_b, pair->twist_b.w);
    pcs_mat3 T_inv = pcs_so3_tangent_inverse(psi);
    pcs_vec3 rate = pcs_m3_mul_v3(&T_inv, pcs_v3_sub(w_b, w_a));
    tangent_terms k = tangent_coefficients(psi);
    double dot = pcs_v3_dot(psi, rate);
    pcs_vec3 s1 = cross(psi, rate); // S psi'
    pcs_vec3 s2 = cross(psi, s1);   // S^2 psi'
    // T' psi' = -A' S psi' - A S' psi' + B' S^2 psi' + B (S' S + S S') psi', S' psi' = 0
    pcs_vec3 dT = pcs_v3_scale(-k.dA * dot, s1);
    dT = pcs_v3_axpy(dT, k.dB * dot, s2);
    dT = pcs_v3_axpy(dT, k.B, cross(rate, s1));
    // Omega_rel' without accelerations: -d/dt(R_b^T omega_a) = omega_b x omega_a in b's axes
    pcs_vec3 right = pcs_v3_sub(cross(w_b, w_a), dT);
    return component(pcs_m3_mul_v3(&T_inv, right), c->axis_a);
}

// Change of row i of T^{-1}(psi), as a vector, along dpsi:  -T^{-T} (dT)^T (row i).
static pcs_vec3 tangent_inverse_row_change(const pcs_mat3 *T_inv, int i, pcs_vec3 psi,
                                           pcs_vec3 dpsi)
{
    pcs_vec3 r = pcs_v3_load(T_inv->m[i]);
    tangent_terms k = tangent_coefficients(psi);
    double dot = pcs_v3_dot(psi, dpsi);
    pcs_vec3 s1 = cross(psi, r), s2 = cross(psi, s1);
    // T^T = I + A S + B S^2
    pcs_vec3 d = pcs_v3_scale(k.dA * dot, s1);
    d = pcs_v3_axpy(d, k.A, cross(dpsi, r));
    d = pcs_v3_axpy(d, k.dB * dot, s2);
    d = pcs_v3_axpy(d, k.B, pcs_v3_add(cross(dpsi, s1), cross(psi, cross(dpsi, r))));
    return negative(pcs_m3_tmul_v3(T_inv, d));
}

// d'' without accelerations
static pcs_vec3 distance_convective(const pcs_pair_state *pair)
{
    return pcs_v3_sub(centripetal(pair->twist_b.w, pair->s_b),
                      centripetal(pair->twist_a.w, pair->s_a));
}

// Rate of d along the tangent, seen from a, for a rate d1 and a turning w of frame a.
static double along_curve(const pcs_pair_state *pair, pcs_vec3 d1, pcs_vec3 w)
{
    return pcs_v3_dot(axis(&pair->R_a, 0), pcs_v3_sub(d1, cross(w, pair->d)));
}

double pcs_coordinate_convective(const pcs_coordinate *c, const pcs_pair_state *pair)
{
    pcs_vec3 w_a = pair->twist_a.w, w_b = pair->twist_b.w;
    switch (c->kind) {
    case PCS_COORDINATE_WORLD:
        return component(distance_convective(pair), c->axis_a);
    case PCS_COORDINATE_ALONG:
    case PCS_COORDINATE_CURVE: {
        pcs_vec3 e = axis(&pair->R_a, c->axis_a), dd = distance_convective(pair);
        pcs_vec3 d1 = pcs_v3_sub(point_velocity(&pair->twist_b, pair->s_b),
                                 point_velocity(&pair->twist_a, pair->s_a));
        double flat = pcs_v3_dot(e, dd) + 2 * pcs_v3_dot(cross(w_a, e), d1) +
                      pcs_v3_dot(centripetal(w_a, e), pair->d);
        if (c->kind == PCS_COORDINATE_ALONG)
            return flat;
        double slide = along_curve(pair, d1, w_a);
        return flat - pair->bend * slide * slide;
    }
    case PCS_COORDINATE_DISTANCE: {
        double length = pcs_v3_norm(pair->d);
        if (!(length > 0))
            return 0;
        pcs_vec3 n = pcs_v3_scale(1 / length, pair->d);
        pcs_vec3 d1 = pcs_v3_sub(point_velocity(&pair->twist_b, pair->s_b),
                                 point_velocity(&pair->twist_a, pair->s_a));
        double rate = pcs_v3_dot(n, d1);
        return pcs_v3_dot(n, distance_convective(pair)) +
               (pcs_v3_dot(d1, d1) - rate * rate) / length;
    }
    case PCS_COORDINATE_DOT: {
        pcs_vec3 e = axis(&pair->R_a, c->axis_a), f = axis(&pair->R_b, c->axis_b);
        return pcs_v3_dot(centripetal(w_a, e), f) + 2 * pcs_v3_dot(cross(w_a, e), cross(w_b, f)) +
               pcs_v3_dot(e, centripetal(w_b, f));
    }
    case PCS_COORDINATE_ANGLE:
    case PCS_COORDINATE_ANGLE_B: {
        angle_vectors k = angle_of(c, pair);
        return pcs_v3_dot(pcs_v3_sub(w_b, w_a), angle_form_change(&k, w_a, w_b));
    }
    case PCS_COORDINATE_ROTATION:
        return rotation_convective(c, pair);
    }
    return 0;
}

void pcs_coordinate_rows(const pcs_rate_form *form, const pcs_pair_state *pair, double *row_a,
                         double *row_b)
{
    if (pair->pose_a)
        pcs_node_row(pair->kind_a, pair->pose_a, form->d_a, form->w_a, row_a);
    if (pair->pose_b)
        pcs_node_row(pair->kind_b, pair->pose_b, form->d_b, form->w_b, row_b);
}

// Perturbation of the two nodes: translations and rotations in the world.
typedef struct perturbation {
    pcs_vec3 x_a, w_a, x_b, w_b;
} perturbation;

// Change of the rate form under a perturbation, to first order.
static pcs_rate_form form_change(const pcs_coordinate *c, const pcs_pair_state *pair,
                                 const perturbation *p)
{
    pcs_rate_form change = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    pcs_vec3 ds_a = cross(p->w_a, pair->s_a), ds_b = cross(p->w_b, pair->s_b);
    switch (c->kind) {
    case PCS_COORDINATE_WORLD: {
        pcs_vec3 e = world_axis(c->axis_a);
        change.w_a = cross(e, ds_a);
        change.w_b = cross(ds_b, e);
        break;
    }
    case PCS_COORDINATE_ALONG:
    case PCS_COORDINATE_CURVE: {
        pcs_vec3 e = axis(&pair->R_a, c->axis_a), de = cross(p->w_a, e);
        pcs_vec3 arm = pcs_v3_add(pair->s_a, pair->d);
        pcs_vec3 darm = pcs_v3_add(pcs_v3_sub(p->x_b, p->x_a), ds_b);
        if (c->kind == PCS_COORDINATE_CURVE)
            de = pcs_v3_axpy(de, -pair->bend * along_curve(pair, pcs_v3_sub(darm, ds_a), p->w_a),
                             axis(&pair->R_a, 0));
        change.d_a = negative(de);
        change.d_b = de;
        change.w_a = pcs_v3_add(cross(de, arm), cross(e, darm));
        change.w_b = pcs_v3_add(cross(ds_b, e), cross(pair->s_b, de));
        break;
    }
    case PCS_COORDINATE_DISTANCE: {
        double length = pcs_v3_norm(pair->d);
        if (!(length > 0))
            break;
        pcs_vec3 n = pcs_v3_scale(1 / length, pair->d);
        pcs_vec3 dd = pcs_v3_sub(pcs_v3_add(p->x_b, ds_b), pcs_v3_add(p->x_a, ds_a));
        // dn = (I - n n^T) dd / |d|
        pcs_vec3 dn = pcs_v3_scale(1 / length, pcs_v3_axpy(dd, -pcs_v3_dot(n, dd), n));
        change.d_a = negative(dn);
        change.d_b = dn;
        change.w_a = pcs_v3_add(cross(dn, pair->s_a), cross(n, ds_a));
        change.w_b = pcs_v3_add(cross(ds_b, n), cross(pair->s_b, dn));
        break;
    }
    case PCS_COORDINATE_DOT: {
        pcs_vec3 e = axis(&pair->R_a, c->axis_a), f = axis(&pair->R_b, c->axis_b);
        pcs_vec3 dm = pcs_v3_add(cross(cross(p->w_a, e), f), cross(e, cross(p->w_b, f)));
        change.w_a = dm;
        change.w_b = negative(dm);
        break;
    }
    case PCS_COORDINATE_ANGLE:
    case PCS_COORDINATE_ANGLE_B: {
        angle_vectors k = angle_of(c, pair);
        change.w_b = angle_form_change(&k, p->w_a, p->w_b);
        change.w_a = negative(change.w_b);
        break;
    }
    case PCS_COORDINATE_ROTATION: {
        // w = R_b r with r a row of T^{-1}: both the axes of b and psi change.
        pcs_vec3 psi = pcs_so3_log(relative_rotation(pair));
        pcs_mat3 T_inv = pcs_so3_tangent_inverse(psi);
        pcs_vec3 w = pcs_m3_mul_v3(&pair->R_b, pcs_v3_load(T_inv.m[c->axis_a]));
        pcs_vec3 turned = pcs_m3_tmul_v3(&pair->R_b, pcs_v3_sub(p->w_b, p->w_a));
        pcs_vec3 dr = tangent_inverse_row_change(&T_inv, c->axis_a, psi,
                                                 pcs_m3_mul_v3(&T_inv, turned));
        change.w_b = pcs_v3_add(cross(p->w_b, w), pcs_m3_mul_v3(&pair->R_b, dr));
        change.w_a = negative(change.w_b);
        break;
    }
    }
    return change;
}

// Whether a perturbation of component j (0..5, spatial layout) of a node can change a rate form:
// the node has it, and the form depends on it. Most of a geometric stiffness need not be computed.
static bool is_felt(const pcs_coordinate *c, const pcs_pose *pose, pcs_node_kind kind, int j)
{
    const bool turns_only = c->kind != PCS_COORDINATE_ALONG && c->kind != PCS_COORDINATE_DISTANCE &&
                            c->kind != PCS_COORDINATE_CURVE;
    if (!pose || (j < 3 && turns_only))
        return false;
    if (kind == PCS_NODE_PLANAR)
        return j < 2 || j == 5;
    return kind == PCS_NODE_SPATIAL || j < (kind == PCS_NODE_POINT2 ? 2 : 3);
}

void pcs_coordinate_geometric(const pcs_coordinate *c, const pcs_pair_state *pair, double lambda,
                              double K[12][12])
{
    const pcs_mat3 I = pcs_m3_identity();
    const pcs_mat3 *R_a = pair->pose_a ? &pair->pose_a->R : &I;
    const pcs_mat3 *R_b = pair->pose_b ? &pair->pose_b->R : &I;
    pcs_rate_form form = pcs_coordinate_rate_form(c, pair);
    memset(K, 0, 12 * sizeof *K);
    for (int j = 0; j < 12; ++j) {
        if (!(j < 6 ? is_felt(c, pair->pose_a, pair->kind_a, j)
                    : is_felt(c, pair->pose_b, pair->kind_b, j - 6)))
            continue;
        perturbation p = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        pcs_vec3 unit = world_axis(j % 3);
        switch (j / 3) {
        case 0:
            p.x_a = unit;
            break;
        case 1:
            p.w_a = pcs_m3_mul_v3(R_a, unit);
            break;
        case 2:
            p.x_b = unit;
            break;
        default:
            p.w_b = pcs_m3_mul_v3(R_b, unit);
            break;
        }
        pcs_rate_form d = form_change(c, pair, &p);
        // Rotational rows are in node axes: delta(R^T w) = R^T (dw - omega x w).
        pcs_vec3 t_a = pcs_m3_tmul_v3(R_a, pcs_v3_sub(d.w_a, cross(p.w_a, form.w_a)));
        pcs_vec3 t_b = pcs_m3_tmul_v3(R_b, pcs_v3_sub(d.w_b, cross(p.w_b, form.w_b)));
        const pcs_vec3 column[4] = {d.d_a, t_a, d.d_b, t_b};
        for (int k = 0; k < 4; ++k) {
            K[3 * k + 0][j] = lambda * column[k].x;
            K[3 * k + 1][j] = lambda * column[k].y;
            K[3 * k + 2][j] = lambda * column[k].z;
        }
    }
}

void pcs_coordinate_rate_gradient(const pcs_pair_state *pair, const double K[12][12],
                                  double out[12])
{
    const pcs_mat3 I = pcs_m3_identity();
    const pcs_mat3 *R_a = pair->pose_a ? &pair->pose_a->R : &I;
    const pcs_mat3 *R_b = pair->pose_b ? &pair->pose_b->R : &I;
    double v[12];
    pcs_v3_store(v, pair->twist_a.v);
    pcs_v3_store(v + 3, pcs_m3_tmul_v3(R_a, pair->twist_a.w));
    pcs_v3_store(v + 6, pair->twist_b.v);
    pcs_v3_store(v + 9, pcs_m3_tmul_v3(R_b, pair->twist_b.w));
    for (int j = 0; j < 12; ++j) {
        out[j] = 0;
        for (int i = 0; i < 12; ++i)
            out[j] += v[i] * K[i][j];
    }
}

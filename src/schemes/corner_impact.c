// Glocker's laws for corners of bilateral constraints.
//
// Reflection: with unit gradients m_i = n_i/|n_i| in the metric of P and n_P = m1 + m2 the
// bisector,
//   v+ = v- - 2 P n_P (n_P.v-)/(n_P.P n_P).
// It maps P m1 on -P m2, so that n2.v+ = -(|n2|/|n1|) n1.v-, which is 0 if the point was on face 1.
//
// Time scaling: the gradient turns from n1 to n2, n(s) = (1 - s) n1 + s n2, during a time that no
// force notices: dv/ds = P n lambda, n.v = constant. In the plane with n = |n| e and e turning by
// the angle f:  v = a e + b e',  a = u1/|n|,  db/ds = -a df/ds. The way of n is a straight line at
// the distance D from the origin, along it df = D dl/|n|^2, so that
//   b+ = b- - u1 [ l/(D sqrt(D^2 + l^2)) ]  between the places l1 and l2 of n1 and n2 on that line.
#include "schemes/corner_impact.h"

#include <float.h>
#include <math.h>
#include <string.h>

pcs_corner pcs_corner_of(int32_t n_v, const double *n1, const double *n2, const double *x1,
                         const double *x2, const double *v)
{
    pcs_corner corner = {0};
    for (int32_t i = 0; i < n_v; ++i) {
        corner.a11 += n1[i] * x1[i];
        corner.a12 += n1[i] * x2[i];
        corner.a22 += n2[i] * x2[i];
        corner.u1 += n1[i] * v[i];
        corner.u2 += n2[i] * v[i];
    }
    return corner;
}

void pcs_corner_reflection(const pcs_corner *corner, double p[2])
{
    double l1 = sqrt(corner->a11), l2 = sqrt(corner->a22);
    double square = 2 + 2 * corner->a12 / (l1 * l2); // n_P.P n_P
    p[0] = p[1] = 0;
    if (!(square > DBL_EPSILON)) // the constraint turns straight back: no bisector
        return;
    double s = -2 * (corner->u1 / l1 + corner->u2 / l2) / square;
    p[0] = s / l1;
    p[1] = s / l2;
}

void pcs_corner_time_scaling(const pcs_corner *corner, double p[2])
{
    // Orthonormal axes of the plane: the first along n1; n2 = (c, d) in them.
    double l1 = sqrt(corner->a11), c = corner->a12 / l1;
    double d_square = corner->a22 - c * c;
    p[0] = p[1] = 0;
    if (!(d_square > DBL_EPSILON * corner->a22))
        return;
    double d = sqrt(d_square), l2 = sqrt(corner->a22);
    double w1 = corner->u1 / l1, w2 = (corner->u2 - c * w1) / d; // v- in the axes
    double length = sqrt((c - l1) * (c - l1) + d * d), D = l1 * d / length;
    double place1 = l1 * (l1 - c) / length, place2 = place1 - length; // of n1, n2 from the foot
    double b = w2 - corner->u1 * (place1 / l1 - place2 / l2) / D, a = corner->u1 / l2;
    double cosine = c / l2, sine = d / l2;
    double z1 = a * cosine - b * sine, z2 = a * sine + b * cosine; // v+ in the axes
    p[1] = (z2 - w2) / d;
    p[0] = (z1 - w1 - c * p[1]) / l1;
}

// ---- The turn ----

// The row of a curve joint on the face that is held, as a vector.
static void curve_gradient(const pcs_model *model, const pcs_corner_work *w, const pcs_joint *joint,
                           double *n)
{
    pcs_rows rows = {w->rows, NULL, NULL, NULL};
    pcs_model_rows(model, w->c, &rows);
    memset(w->p_row, 0, sizeof(double) * (size_t)model->n_rows);
    memset(n, 0, sizeof(double) * (size_t)model->n_v);
    w->p_row[joint->first_row] = 1;
    pcs_model_rows_add_transposed(model, w->rows, w->p_row, n);
}

pcs_status pcs_corner_turn(const pcs_model *model, const pcs_corner_work *w, const pcs_joint *joint,
                           int32_t *face, int32_t next, double *v)
{
    const double *n[2] = {w->n1, w->n2};
    double *x[2] = {w->x1, w->x2}, p[2];
    w->c->face = face;
    curve_gradient(model, w, joint, w->n1);
    face[model->n_slots + joint->curve_index] = next;
    curve_gradient(model, w, joint, w->n2);
    // P of the other joints: with a row of zeros this one takes no part.
    const pcs_row_block *block = &w->rows[joint->row_block];
    for (int32_t e = 0; e < block->n_nodes; ++e)
        memset(block->J[e], 0, sizeof(double) * (size_t)pcs_model_node(model, block->node[e])->n_v);
    pcs_model_matrix(model, w->c, 0, 0, w->saddle);
    PCS_TRY(pcs_saddle_factor(w->saddle));
    for (int i = 0; i < 2; ++i) {
        memcpy(x[i], n[i], sizeof(double) * (size_t)model->n_v);
        memset(w->p_row, 0, sizeof(double) * (size_t)model->n_rows);
        pcs_saddle_solve(w->saddle, x[i], w->p_row);
    }
    const pcs_corner corner = pcs_corner_of(model->n_v, w->n1, w->n2, w->x1, w->x2, v);
    pcs_corner_reflection(&corner, p);
    for (int32_t i = 0; i < model->n_v; ++i)
        v[i] += p[0] * w->x1[i] + p[1] * w->x2[i];
    return PCS_OK;
}

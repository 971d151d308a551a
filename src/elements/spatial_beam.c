// Geometrically exact beam in space [Simo1985, SimoVuQuoc1986]: two frames, one integration point.
// With A, B the element's axes at the nodes, psi = log(A^T B) and the frame in the middle
// R = A exp(psi/2) = B exp(-psi/2), which is objective [CrisfieldJelenic1999], d = (x_2 - x_1)/L:
//   Gamma = R^T d - e1,   kappa = psi/L,   energy  L/2 (Gamma.C Gamma + kappa.D kappa).
// For rotations a, b of the nodes about the element's axes there, with Q = T(psi)^{-1},
// P = (I + S(t))/2 and t = tan(|psi|/4)/|psi| psi, psi and the middle frame change by
//   dpsi = Q b - Q^T a,   w = P b + P^T a,   dGamma = R^T dd + g x w,  g = R^T d.
// With n = C (Gamma + b Gamma'), m = D (kappa + b kappa'), h = L n x g the forces are
//   f_2 = -R n = -f_1,   moments  -(P h - Q m) on a and -(P^T h + Q^T m) on b.
// Derivations: docs/theory/beams.md.
#include <string.h>

#include "elements/beam.h"

enum {
    SIZE = PCS_SPATIAL_BEAM_UNKNOWNS,
    LENGTH = 0,
    AXES = 1
}; // constants: L, then element axes in node axes

typedef struct spatial_strain {
    double L, damping;
    pcs_beam_stiffness k;
    pcs_mat3 axes;           // element axes in node axes
    pcs_mat3 R, Q, P;        // middle frame; Q and P as above
    pcs_vec3 psi, g;         // g = Gamma + e1
    pcs_vec3 w[2], dv, spin; // velocities: nodes about element axes, R^T (v_2 - v_1)/L, of R
    pcs_vec3 gamma, gamma_rate, kappa, kappa_rate;
    pcs_vec3 n, m; // stresses
} spatial_strain;

void pcs_spatial_beam_prepare(const pcs_mat3 *R, double length, const pcs_mat3 *axes,
                              double *constants)
{
    pcs_mat3 relative = pcs_m3_tmul(R, axes);
    constants[LENGTH] = length;
    memcpy(constants + AXES, relative.m, sizeof relative.m);
}

static pcs_vec3 scale_by(const double k[3], pcs_vec3 a)
{
    return pcs_v3(k[0] * a.x, k[1] * a.y, k[2] * a.z);
}

static void compute_strains(const pcs_fe *element, const pcs_fe_state *state, spatial_strain *s)
{
    s->L = element->constants[LENGTH];
    s->damping = element->property->material.damping;
    s->k = pcs_beam_stiffness_compute(element->property);
    memcpy(s->axes.m, element->constants + AXES, sizeof s->axes.m);

    pcs_mat3 A = pcs_m3_mul(&state->R[0], &s->axes), B = pcs_m3_mul(&state->R[1], &s->axes);
    pcs_mat3 between = pcs_m3_tmul(&A, &B);
    s->psi = pcs_so3_log(pcs_quat_from_matrix(&between));
    pcs_mat3 half = pcs_quat_matrix(pcs_so3_exp(pcs_v3_scale(0.5, s->psi)));
    s->R = pcs_m3_mul(&A, &half);
    s->Q = pcs_so3_tangent_inverse(s->psi);
    pcs_mat3 skew = pcs_m3_skew(pcs_so3_quarter_tangent(s->psi)), unit = pcs_m3_identity();
    for (int i = 0; i < 9; ++i)
        s->P.m[i / 3][i % 3] = 0.5 * (unit.m[i / 3][i % 3] + skew.m[i / 3][i % 3]);

    pcs_vec3 d = pcs_v3_sub(state->x[1], state->x[0]);
    s->g = pcs_v3_scale(1 / s->L, pcs_m3_tmul_v3(&s->R, d));
    s->gamma = pcs_v3_sub(s->g, pcs_v3(1, 0, 0));
    s->kappa = pcs_v3_scale(1 / s->L, s->psi);

    for (int i = 0; i < 2; ++i)
        s->w[i] = pcs_m3_tmul_v3(&s->axes, state->w[i]);
    pcs_vec3 v = pcs_v3_sub(state->v[1], state->v[0]);
    s->dv = pcs_v3_scale(1 / s->L, pcs_m3_tmul_v3(&s->R, v));
    s->spin = pcs_v3_add(pcs_m3_mul_v3(&s->P, s->w[1]), pcs_m3_tmul_v3(&s->P, s->w[0]));
    s->gamma_rate = pcs_v3_add(s->dv, pcs_v3_cross(s->g, s->spin));
    s->kappa_rate = pcs_v3_scale(
        1 / s->L, pcs_v3_sub(pcs_m3_mul_v3(&s->Q, s->w[1]), pcs_m3_tmul_v3(&s->Q, s->w[0])));
    s->n = scale_by(s->k.strain, pcs_v3_axpy(s->gamma, s->damping, s->gamma_rate));
    s->m = scale_by(s->k.curvature, pcs_v3_axpy(s->kappa, s->damping, s->kappa_rate));
}

// Translations as in the plane; the inertia of half of the element's sections turns with each node.
void pcs_spatial_beam_mass(const pcs_fe *element, double *M)
{
    const pcs_fe_property *p = element->property;
    const double per_length = p->material.density * element->constants[LENGTH];
    const double m = per_length * p->section.area;
    const double *inertia = p->section.inertia, *axes = element->constants + AXES;
    const double J[3] = {inertia[0] + inertia[1], inertia[0], inertia[1]};
    memset(M, 0, sizeof(double) * SIZE * SIZE);
    for (int i = 0; i < 3; ++i) {
        M[i * SIZE + i] = M[(6 + i) * SIZE + 6 + i] = p->lumped ? m / 2 : m / 3;
        M[i * SIZE + 6 + i] = M[(6 + i) * SIZE + i] = p->lumped ? 0 : m / 6;
        for (int j = 0; j < 3; ++j) {
            double sum = 0; // (axes J axes^T)_ij
            for (int k = 0; k < 3; ++k)
                sum += axes[3 * i + k] * J[k] * axes[3 * j + k];
            M[(3 + i) * SIZE + 3 + j] = M[(9 + i) * SIZE + 9 + j] = 0.5 * per_length * sum;
        }
    }
}

double pcs_spatial_beam_force(const pcs_fe *element, const pcs_fe_state *state, double *f)
{
    spatial_strain s;
    compute_strains(element, state, &s);
    pcs_vec3 F = pcs_m3_mul_v3(&s.R, s.n);
    pcs_vec3 h = pcs_v3_scale(s.L, pcs_v3_cross(s.n, s.g));
    pcs_vec3 a = pcs_v3_sub(pcs_m3_mul_v3(&s.Q, s.m), pcs_m3_mul_v3(&s.P, h));
    pcs_vec3 b = pcs_v3_add(pcs_m3_tmul_v3(&s.Q, s.m), pcs_m3_tmul_v3(&s.P, h));
    pcs_v3_store(f, F);
    pcs_v3_store(f + 3, pcs_m3_mul_v3(&s.axes, a));
    pcs_v3_store(f + 6, pcs_v3_scale(-1, F));
    pcs_v3_store(f + 9, pcs_v3_scale(-1, pcs_m3_mul_v3(&s.axes, b)));
    return -s.L * s.damping *
           (pcs_v3_dot(s.gamma_rate, scale_by(s.k.strain, s.gamma_rate)) +
            pcs_v3_dot(s.kappa_rate, scale_by(s.k.curvature, s.kappa_rate)));
}

// ---- Tangent ----
// Rows over (x_2 - x_1, a, b), 3 x 9, with a and b about the element's axes.

enum { COLUMNS = 9, AT_X = 0, AT_A = 3, AT_B = 6 };

typedef struct rows {
    double m[3][COLUMNS];
} rows;

static void set_block(rows *r, int column, double s, const pcs_mat3 *A, bool transposed)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            r->m[i][column + j] = s * (transposed ? A->m[j][i] : A->m[i][j]);
}

// r += s A x
static void add_product(rows *r, double s, const pcs_mat3 *A, const rows *x)
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            double a = s * A->m[i][k];
            for (int j = 0; j < COLUMNS; ++j)
                r->m[i][j] += a * x->m[k][j];
        }
}

// Rows of dpsi, w and dGamma
static void compute_rows(const spatial_strain *s, rows *psi, rows *w, rows *gamma)
{
    memset(psi, 0, sizeof *psi);
    memset(w, 0, sizeof *w);
    memset(gamma, 0, sizeof *gamma);
    set_block(psi, AT_A, -1, &s->Q, true);
    set_block(psi, AT_B, 1, &s->Q, false);
    set_block(w, AT_A, 1, &s->P, true);
    set_block(w, AT_B, 1, &s->P, false);
    pcs_mat3 skew = pcs_m3_skew(s->g);
    set_block(gamma, AT_X, 1 / s->L, &s->R, true);
    add_product(gamma, 1, &skew, w);
}

// d(Gamma')/dq = S(R^T dv/L) w - S(spin) dGamma - 1/2 S(g) S(w_2 - w_1) dt
// L d(kappa')/dq = d(Q w_2)/dpsi dpsi - d(Q^T w_1)/dpsi dpsi, where Q^T a = Q a - psi x a
static void compute_rate_rows(const spatial_strain *s, const pcs_mat3 *dt, const rows *psi,
                              const rows *w, const rows *gamma, rows *gamma_rate, rows *kappa_rate)
{
    pcs_mat3 dv = pcs_m3_skew(s->dv), spin = pcs_m3_skew(s->spin), g = pcs_m3_skew(s->g);
    pcs_mat3 relative = pcs_m3_skew(pcs_v3_sub(s->w[1], s->w[0]));
    pcs_mat3 turn = pcs_m3_mul(&g, &relative);
    turn = pcs_m3_mul(&turn, dt);
    memset(gamma_rate, 0, sizeof *gamma_rate);
    add_product(gamma_rate, 1, &dv, w);
    add_product(gamma_rate, -1, &spin, gamma);
    add_product(gamma_rate, -0.5, &turn, psi);
    pcs_mat3 skew = pcs_m3_skew(s->w[0]);
    pcs_mat3 D = pcs_so3_tangent_inverse_derivative(s->psi, pcs_v3_sub(s->w[1], s->w[0]));
    D = pcs_m3_add(&D, -1, &skew);
    memset(kappa_rate, 0, sizeof *kappa_rate);
    add_product(kappa_rate, 1 / s->L, &D, psi);
}

// A += s B^T diag(k) X
static void add_material(double *A, double s, const rows *B, const double k[3], const rows *X)
{
    for (int r = 0; r < 3; ++r)
        for (int i = 0; i < COLUMNS; ++i) {
            double b = s * k[r] * B->m[r][i];
            for (int j = 0; j < COLUMNS; ++j)
                A[i * COLUMNS + j] += b * X->m[r][j];
        }
}

// r = s r + t x
static void combine(rows *r, double s, double t, const rows *x)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            r->m[i][j] = s * r->m[i][j] + t * x->m[i][j];
}

static void add_rows(double *A, int row, double s, const rows *r)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            A[(row + i) * COLUMNS + j] += s * r->m[i][j];
}

// The change of the forces with n and m kept:
//   R n:  -R S(n) w;   P h:  P L S(n) dGamma - 1/2 S(h) dt;   P^T h:  P^T L S(n) dGamma + 1/2 S(h)
//     dt;
//   Q m:  D dpsi;   Q^T m:  (D + S(m)) dpsi, because Q^T m = Q m - psi x m
static void add_geometric(double *A, double scale, const spatial_strain *s, const pcs_mat3 *dt,
                          const rows *psi, const rows *w, const rows *gamma)
{
    rows force = {{{0}}}, lever = {{{0}}}, a = {{{0}}}, b = {{{0}}};
    pcs_mat3 n = pcs_m3_skew(s->n), Rn = pcs_m3_mul(&s->R, &n);
    pcs_mat3 h = pcs_m3_skew(pcs_v3_scale(s->L, pcs_v3_cross(s->n, s->g)));
    pcs_mat3 turn = pcs_m3_mul(&h, dt), Pt = pcs_m3_transpose(&s->P), m = pcs_m3_skew(s->m);
    pcs_mat3 D = pcs_so3_tangent_inverse_derivative(s->psi, s->m);
    pcs_mat3 at_a = pcs_m3_add(&D, 0.5, &turn), at_b = pcs_m3_add(&at_a, 1, &m);
    add_product(&force, -1, &Rn, w);
    add_product(&lever, s->L, &n, gamma);
    add_product(&a, 1, &s->P, &lever);
    add_product(&a, -1, &at_a, psi);
    add_product(&b, 1, &Pt, &lever);
    add_product(&b, 1, &at_b, psi);
    add_rows(A, AT_X, scale, &force);
    add_rows(A, AT_A, scale, &a);
    add_rows(A, AT_B, scale, &b);
}

// From (x_2 - x_1, a, b) to the unknowns of the two nodes
static void expand(const double *D, double *A)
{
    static const int FROM[SIZE] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 6, 7, 8};
    for (int i = 0; i < SIZE; ++i)
        for (int j = 0; j < SIZE; ++j) {
            double value = D[FROM[i] * COLUMNS + FROM[j]];
            A[i * SIZE + j] = (i < 3) != (j < 3) ? -value : value;
        }
}

void pcs_spatial_beam_tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                              double scale_C, double *A)
{
    spatial_strain s;
    rows psi, w, gamma, kappa = {{{0}}};
    double D[COLUMNS * COLUMNS] = {0};
    compute_strains(element, state, &s);
    compute_rows(&s, &psi, &w, &gamma);
    pcs_mat3 dt = pcs_so3_quarter_tangent_derivative(s.psi);
    combine(&kappa, 0, 1 / s.L, &psi);
    if (scale_K != 0)
        add_geometric(D, scale_K, &s, &dt, &psi, &w, &gamma);

    // scale_K d(strain + b strain rate)/dq + scale_C b d(strain)/dq
    rows along = gamma, turning = kappa;
    if (scale_K != 0 && s.damping > 0)
        compute_rate_rows(&s, &dt, &psi, &w, &gamma, &along, &turning);
    combine(&along, scale_K * s.damping, scale_K + scale_C * s.damping, &gamma);
    combine(&turning, scale_K * s.damping, scale_K + scale_C * s.damping, &kappa);
    add_material(D, s.L, &gamma, s.k.strain, &along);
    add_material(D, s.L, &kappa, s.k.curvature, &turning);

    pcs_beam_turn_block(COLUMNS, D, AT_A, &s.axes);
    pcs_beam_turn_block(COLUMNS, D, AT_B, &s.axes);
    expand(D, A);
}

double pcs_spatial_beam_energy(const pcs_fe *element, const pcs_fe_state *state)
{
    spatial_strain s;
    compute_strains(element, state, &s);
    return 0.5 * s.L *
           (pcs_v3_dot(s.gamma, scale_by(s.k.strain, s.gamma)) +
            pcs_v3_dot(s.kappa, scale_by(s.k.curvature, s.kappa)));
}

void pcs_spatial_beam_results(const pcs_fe *element, const pcs_fe_state *state, double *out)
{
    spatial_strain s;
    compute_strains(element, state, &s);
    out[PCS_BEAM_BENDING] = hypot(s.m.y, s.m.z);
    out[PCS_BEAM_AXIAL] = s.n.x;
    out[PCS_BEAM_SHEAR_Y] = s.n.y;
    out[PCS_BEAM_SHEAR_Z] = s.n.z;
    out[PCS_BEAM_TORQUE] = s.m.x;
    out[PCS_BEAM_MOMENT_Y] = s.m.y;
    out[PCS_BEAM_MOMENT_Z] = s.m.z;
}

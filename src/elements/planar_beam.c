// Geometrically exact beam in the plane [Reissner1972]: two frames, straight at the start, one
// integration point. With theta the mean angle of the element's axes at the nodes, t1 and t2 the
// axes at that angle, d = (x_2 - x_1)/L and psi the angle between the nodes,
//   G1 = t1.d - 1,  G2 = t2.d,  kappa = psi/L,  energy  L/2 (EA G1^2 + G A_y G2^2 + EI kappa^2),
// and with Theta = (0, 0, 1/2, 0, 0, 1/2), T_i the rows of t_i.d, g_i = t_i.d
//   B1 = T1 + g2 Theta,  B2 = T2 - g1 Theta,
//   H1 = T2 Theta^T + Theta T2^T - g1 Theta Theta^T,
//   H2 = -T1 Theta^T - Theta T1^T - g2 Theta Theta^T
// are first and second derivatives of the strains e, whose stresses are s_i = k_i (e_i + b B_i.v).
// With one point the shear does not lock.
#include <string.h>

#include "elements/beam.h"

enum { STRAINS = 3, SIZE = 6 };

enum { LENGTH, ANGLE }; // the constants: L and the angle from the node axes to the element axes

typedef struct planar_strain {
    double k[STRAINS], e[STRAINS], rate[STRAINS], stress[STRAINS];
    double g[2], T[2][SIZE], B[STRAINS][SIZE], v[SIZE];
} planar_strain;

static const double THETA[SIZE] = {0, 0, 0.5, 0, 0, 0.5};

void pcs_planar_beam_prepare(const pcs_mat3 *R, double length, const pcs_mat3 *axes,
                             double *constants)
{
    pcs_mat3 relative = pcs_m3_tmul(R, axes);
    constants[LENGTH] = length;
    constants[ANGLE] = atan2(relative.m[1][0], relative.m[0][0]);
}

static void compute_strains(const pcs_fe *element, const pcs_fe_state *state, planar_strain *s)
{
    const double L = element->constants[LENGTH];
    pcs_beam_stiffness stiffness = pcs_beam_stiffness_compute(element->property);
    // The angle between the nodes counts from -pi to pi, so that full turns of both do not matter
    const pcs_mat3 *A = &state->R[0], *B = &state->R[1];
    double psi = atan2(A->m[0][0] * B->m[1][0] - A->m[1][0] * B->m[0][0],
                       A->m[0][0] * B->m[0][0] + A->m[1][0] * B->m[1][0]);
    double theta = atan2(A->m[1][0], A->m[0][0]) + element->constants[ANGLE] + 0.5 * psi;
    double t[2][2] = {{cos(theta), sin(theta)}, {-sin(theta), cos(theta)}};
    pcs_vec3 d = pcs_v3_scale(1 / L, pcs_v3_sub(state->x[1], state->x[0]));
    for (int i = 0; i < 2; ++i) {
        const double row[SIZE] = {-t[i][0] / L, -t[i][1] / L, 0, t[i][0] / L, t[i][1] / L, 0};
        memcpy(s->T[i], row, sizeof row);
        s->g[i] = t[i][0] * d.x + t[i][1] * d.y;
    }
    const double curvature[SIZE] = {0, 0, -1 / L, 0, 0, 1 / L};
    const double v[SIZE] = {state->v[0].x, state->v[0].y, state->w[0].z,
                            state->v[1].x, state->v[1].y, state->w[1].z};
    memcpy(s->v, v, sizeof v);
    for (int j = 0; j < SIZE; ++j) {
        s->B[0][j] = s->T[0][j] + s->g[1] * THETA[j];
        s->B[1][j] = s->T[1][j] - s->g[0] * THETA[j];
        s->B[2][j] = curvature[j];
    }
    const double strain[STRAINS] = {s->g[0] - 1, s->g[1], psi / L};
    const double k[STRAINS] = {stiffness.strain[0], stiffness.strain[1], stiffness.curvature[2]};
    for (int i = 0; i < STRAINS; ++i) {
        s->k[i] = k[i];
        s->e[i] = strain[i];
        s->rate[i] = 0;
        for (int j = 0; j < SIZE; ++j)
            s->rate[i] += s->B[i][j] * v[j];
        s->stress[i] = k[i] * (strain[i] + element->property->material.damping * s->rate[i]);
    }
}

void pcs_planar_beam_mass(const pcs_fe *element, double *M)
{
    const pcs_fe_property *p = element->property;
    const double per_length = p->material.density * element->constants[LENGTH];
    const double m[3] = {per_length * p->section.area, per_length * p->section.area,
                         per_length * p->section.inertia[1]};
    memset(M, 0, sizeof(double) * SIZE * SIZE);
    for (int i = 0; i < 3; ++i) {
        M[i * SIZE + i] = M[(3 + i) * SIZE + 3 + i] = p->lumped ? m[i] / 2 : m[i] / 3;
        M[i * SIZE + 3 + i] = M[(3 + i) * SIZE + i] = p->lumped ? 0 : m[i] / 6;
    }
}

double pcs_planar_beam_force(const pcs_fe *element, const pcs_fe_state *state, double *f)
{
    const double L = element->constants[LENGTH], damping = element->property->material.damping;
    planar_strain s;
    compute_strains(element, state, &s);
    double power = 0;
    memset(f, 0, sizeof(double) * SIZE);
    for (int i = 0; i < STRAINS; ++i) {
        power -= L * damping * s.k[i] * s.rate[i] * s.rate[i];
        for (int j = 0; j < SIZE; ++j)
            f[j] -= L * s.stress[i] * s.B[i][j];
    }
    return power;
}

// H1 for i = 0 and H2 for i = 1; the curvature is linear and has none
static double second_derivative(const planar_strain *s, int i, int j, int k)
{
    double mixed = s->T[1 - i][j] * THETA[k] + THETA[j] * s->T[1 - i][k];
    return (i == 0 ? mixed : -mixed) - s->g[i] * THETA[j] * THETA[k];
}

// K = L sum_i (B_i (k_i (B_i + b H_i v))^T + s_i H_i),   C = L b sum_i k_i B_i B_i^T
void pcs_planar_beam_tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                             double scale_C, double *A)
{
    const double L = element->constants[LENGTH], damping = element->property->material.damping;
    planar_strain s;
    compute_strains(element, state, &s);
    memset(A, 0, sizeof(double) * SIZE * SIZE);
    for (int i = 0; i < STRAINS; ++i) {
        double row[SIZE]; // scale_K d(stress)/dq + scale_C d(stress)/dv
        double H[SIZE][SIZE] = {{0}};
        for (int j = 0; i < 2 && j < SIZE; ++j)
            for (int k = 0; k < SIZE; ++k)
                H[j][k] = second_derivative(&s, i, j, k);
        for (int j = 0; j < SIZE; ++j) {
            double rate = 0;
            for (int k = 0; k < SIZE; ++k)
                rate += H[j][k] * s.v[k];
            row[j] = s.k[i] *
                     (scale_K * (s.B[i][j] + damping * rate) + scale_C * damping * s.B[i][j]);
        }
        for (int j = 0; j < SIZE; ++j)
            for (int k = 0; k < SIZE; ++k)
                A[j * SIZE + k] += L * (s.B[i][j] * row[k] + scale_K * s.stress[i] * H[j][k]);
    }
}

double pcs_planar_beam_energy(const pcs_fe *element, const pcs_fe_state *state)
{
    planar_strain s;
    compute_strains(element, state, &s);
    double energy = 0;
    for (int i = 0; i < STRAINS; ++i)
        energy += 0.5 * element->constants[LENGTH] * s.k[i] * s.e[i] * s.e[i];
    return energy;
}

void pcs_planar_beam_results(const pcs_fe *element, const pcs_fe_state *state, double *out)
{
    planar_strain s;
    compute_strains(element, state, &s);
    memset(out, 0, sizeof(double) * PCS_BEAM_RESULTS);
    out[PCS_BEAM_AXIAL] = s.stress[0];
    out[PCS_BEAM_SHEAR_Y] = s.stress[1];
    out[PCS_BEAM_MOMENT_Z] = s.stress[2];
    out[PCS_BEAM_BENDING] = fabs(s.stress[2]);
}

// Linear beams, Euler-Bernoulli and Timoshenko, for small displacements from the start. With u the
// displacements and r = log of the rotations of the nodes, in element axes, the deformations are
//   u_x2 - u_x1,  r_x2 - r_x1,  r_z2 - r_z1,  r_z1 + r_z2 - 2 (u_y2 - u_y1)/L, and so about y,
// with the stiffnesses EA/L, GJ/L, EI/L, 3 EI/(L (1 + phi)); phi = 12 EI/(G A_s L^2) of
// Timoshenko's beam makes the two-node element exact in its nodes, phi = 0 is Euler-Bernoulli's
// [Przemieniecki1968]. The energy 1/2 sum k e^2 holds for any r, so that force and tangent are its
// exact derivatives; a node turned by a has dr = T(r)^{-1} a, in the plane dr = a, so that there
// the tangent is constant. Consistent mass: shape functions of [FriedmanKosmatka1993], with the
// inertia of turning sections in Timoshenko's beam alone; lumped: both at the nodes.
#include <string.h>

#include "elements/beam.h"

enum { SIZE = PCS_SPATIAL_BEAM_UNKNOWNS, MODES = 6 };

enum { LENGTH = 0, AXES = 1, NODE_AXES = 10, ORIGIN = 19, CONSTANTS = 25 };

enum { AXIAL, TWIST, BEND_Y, BEND_Z, SWAY_Y, SWAY_Z }; // SWAY_Z: with the shear along y

typedef struct linear_element {
    double L, damping, phi[2]; // phi of bending about y and about z
    pcs_mat3 axes, node_axes;  // element axes in the world at the start, and in node axes
    double k[MODES];
    double b[MODES][SIZE]; // the deformations are b d, d = (u_1, r_1, u_2, r_2) in element axes
} linear_element;

static bool has_shear(const pcs_fe *element)
{
    return element->class == &pcs_fe_linear_timoshenko;
}

static void load_element(const pcs_fe *element, linear_element *e)
{
    const double *c = element->constants, L = c[LENGTH];
    pcs_beam_stiffness s = pcs_beam_stiffness_compute(element->property);
    e->L = L;
    e->damping = element->property->material.damping;
    memcpy(e->axes.m, c + AXES, sizeof e->axes.m);
    memcpy(e->node_axes.m, c + NODE_AXES, sizeof e->node_axes.m);
    for (int i = 0; i < 2; ++i) // bending about y shears along z, and the other way round
        e->phi[i] = has_shear(element) ? 12 * s.curvature[1 + i] / (s.strain[2 - i] * L * L) : 0;
    const double k[MODES] = {
        [AXIAL] = s.strain[0] / L,
        [TWIST] = s.curvature[0] / L,
        [BEND_Y] = s.curvature[1] / L,
        [BEND_Z] = s.curvature[2] / L,
        [SWAY_Y] = 3 * s.curvature[1] / (L * (1 + e->phi[0])),
        [SWAY_Z] = 3 * s.curvature[2] / (L * (1 + e->phi[1])),
    };
    const double b[MODES][SIZE] = {
        [AXIAL] = {[0] = -1, [6] = 1},
        [TWIST] = {[3] = -1, [9] = 1},
        [BEND_Y] = {[4] = -1, [10] = 1},
        [BEND_Z] = {[5] = -1, [11] = 1},
        [SWAY_Y] = {[4] = 1, [10] = 1, [2] = -2 / L, [8] = 2 / L}, // r_y = -u_z'
        [SWAY_Z] = {[5] = 1, [11] = 1, [1] = 2 / L, [7] = -2 / L},
    };
    memcpy(e->k, k, sizeof k);
    memcpy(e->b, b, sizeof b);
}

// In planar models the mass is the part of x, y of the nodes and of the rotation about z.
static const int PLANAR[6] = {0, 1, 5, 6, 7, 11};

static void store_matrix(const pcs_fe *element, const linear_element *e, double *A, double *out)
{
    for (int block = 0; block < SIZE; block += 6) {
        pcs_beam_turn_block(SIZE, A, block, &e->axes);
        pcs_beam_turn_block(SIZE, A, block + 3, &e->node_axes);
    }
    if (element->property->dimension == 3)
        memcpy(out, A, sizeof(double) * SIZE * SIZE);
    else
        for (int i = 0; i < 36; ++i)
            out[i] = A[PLANAR[i / 6] * SIZE + PLANAR[i % 6]];
}

static pcs_status prepare(pcs_context *ctx, const pcs_fe_property *property, const pcs_vec3 *X,
                          const pcs_mat3 *R, double *constants)
{
    pcs_mat3 axes;
    pcs_status status = pcs_beam_axes(ctx, property, X, R, &constants[LENGTH], &axes);
    if (status < 0)
        return status;
    pcs_mat3 node_axes = pcs_m3_tmul(R, &axes);
    memcpy(constants + AXES, axes.m, sizeof axes.m);
    memcpy(constants + NODE_AXES, node_axes.m, sizeof node_axes.m);
    pcs_v3_store(constants + ORIGIN, X[0]);
    pcs_v3_store(constants + ORIGIN + 3, X[1]);
    return PCS_OK;
}

// ---- Mass ----

// Displacement and rotation at xi = x/L of a bending beam for unit values of (u_1, r_1, u_2, r_2),
// r = u' without shear.
static void shape_functions(double xi, double L, double phi, double u[4], double r[4])
{
    const double s = 1 / (1 + phi), x2 = xi * xi, x3 = x2 * xi;
    u[0] = s * (2 * x3 - 3 * x2 - phi * xi + 1 + phi);
    u[1] = s * L * (x3 - (2 + phi / 2) * x2 + (1 + phi / 2) * xi);
    u[2] = s * (-2 * x3 + 3 * x2 + phi * xi);
    u[3] = s * L * (x3 - (1 - phi / 2) * x2 - phi / 2 * xi);
    r[0] = s * 6 / L * (x2 - xi);
    r[1] = s * (3 * x2 - (4 + phi) * xi + 1 + phi);
    r[2] = -r[0];
    r[3] = s * (3 * x2 - (2 - phi) * xi);
}

// Four Gauss points integrate the products of cubics exactly.
static void add_bending_mass(double *M, double L, double phi, double mass, double turning,
                             const int index[4], double sign)
{
    static const double POINT[2] = {0.339981043584856264803, 0.861136311594052575224};
    static const double WEIGHT[2] = {0.652145154862546142627, 0.347854845137453857373};
    for (int point = 0; point < 4; ++point) {
        double u[4], r[4], w = 0.5 * WEIGHT[point / 2];
        double xi = 0.5 * (1 + (point % 2 ? POINT[point / 2] : -POINT[point / 2]));
        shape_functions(xi, L, phi, u, r);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                double s = (i % 2 ? sign : 1) * (j % 2 ? sign : 1);
                M[index[i] * SIZE + index[j]] += s * w *
                                                 (mass * u[i] * u[j] + turning * r[i] * r[j]);
            }
    }
}

static void compute_mass(const pcs_fe *element, double *M)
{
    static const int ABOUT_Y[4] = {2, 4, 8, 10}, ABOUT_Z[4] = {1, 5, 7, 11};
    const pcs_fe_property *p = element->property;
    linear_element e;
    double local[SIZE * SIZE] = {0};
    load_element(element, &e);
    const double per_area = p->material.density * e.L, mass = per_area * p->section.area;
    const double *inertia = p->section.inertia;
    const double polar = per_area * (inertia[0] + inertia[1]);
    if (p->lumped) {
        const double half[6] = {
            mass, mass, mass, polar, per_area * inertia[0], per_area * inertia[1]};
        for (int i = 0; i < SIZE; ++i)
            local[i * SIZE + i] = 0.5 * half[i % 6];
    } else {
        for (int i = 0; i < 4; i += 3) { // along x and about x
            double m = i == 0 ? mass : polar;
            local[i * SIZE + i] = local[(6 + i) * SIZE + 6 + i] = m / 3;
            local[i * SIZE + 6 + i] = local[(6 + i) * SIZE + i] = m / 6;
        }
        double turning = has_shear(element) ? per_area : 0;
        add_bending_mass(local, e.L, e.phi[0], mass, turning * inertia[0], ABOUT_Y, -1);
        add_bending_mass(local, e.L, e.phi[1], mass, turning * inertia[1], ABOUT_Z, 1);
    }
    store_matrix(element, &e, local, M);
}

// ---- Force and tangent in the plane ----

enum { PLANAR_SIZE = 6, PLANAR_MODES = 3 };

typedef struct planar_strain {
    double k[PLANAR_MODES], e[PLANAR_MODES], rate[PLANAR_MODES], stress[PLANAR_MODES];
    double B[PLANAR_MODES][PLANAR_SIZE]; // de for (dx, dy, a) of the nodes, world
} planar_strain;

enum { PLANAR_AXIAL, PLANAR_BEND, PLANAR_SWAY };

static void load_planar(const pcs_fe *element, planar_strain *s)
{
    const double *c = element->constants, L = c[LENGTH];
    const double e1[2] = {c[AXES], c[AXES + 3]}, side[2] = {-2 / L * e1[1], 2 / L * e1[0]};
    const pcs_beam_stiffness stiffness = pcs_beam_stiffness_compute(element->property);
    const double EI = stiffness.curvature[2];
    const double phi = has_shear(element) ? 12 * EI / (stiffness.strain[1] * L * L) : 0;
    const double k[PLANAR_MODES] = {
        [PLANAR_AXIAL] = stiffness.strain[0] / L,
        [PLANAR_BEND] = EI / L,
        [PLANAR_SWAY] = 3 * EI / (L * (1 + phi)),
    };
    const double B[PLANAR_MODES][PLANAR_SIZE] = {
        [PLANAR_AXIAL] = {-e1[0], -e1[1], 0, e1[0], e1[1], 0},
        [PLANAR_BEND] = {0, 0, -1, 0, 0, 1},
        [PLANAR_SWAY] = {side[0], side[1], 1, -side[0], -side[1], 1},
    };
    memcpy(s->k, k, sizeof k);
    memcpy(s->B, B, sizeof B);
}

// How far a node has turned: the angle of the element's first axis, carried along with the node.
static double planar_rotation(const double *c, const pcs_mat3 *R)
{
    const double x = R->m[0][0] * c[NODE_AXES] + R->m[0][1] * c[NODE_AXES + 3];
    const double y = R->m[1][0] * c[NODE_AXES] + R->m[1][1] * c[NODE_AXES + 3];
    return atan2(c[AXES] * y - c[AXES + 3] * x, c[AXES] * x + c[AXES + 3] * y);
}

static void planar_strains(const pcs_fe *element, const pcs_fe_state *state, planar_strain *s)
{
    const double *c = element->constants, damping = element->property->material.damping;
    double d[PLANAR_SIZE], v[PLANAR_SIZE];
    for (int i = 0; i < 2; ++i) {
        d[3 * i] = state->x[i].x - c[ORIGIN + 3 * i];
        d[3 * i + 1] = state->x[i].y - c[ORIGIN + 3 * i + 1];
        d[3 * i + 2] = planar_rotation(c, &state->R[i]);
        v[3 * i] = state->v[i].x;
        v[3 * i + 1] = state->v[i].y;
        v[3 * i + 2] = state->w[i].z;
    }
    load_planar(element, s);
    for (int m = 0; m < PLANAR_MODES; ++m) {
        s->e[m] = s->rate[m] = 0;
        for (int i = 0; i < PLANAR_SIZE; ++i) {
            s->e[m] += s->B[m][i] * d[i];
            s->rate[m] += s->B[m][i] * v[i];
        }
        s->stress[m] = s->k[m] * (s->e[m] + damping * s->rate[m]);
    }
}

static double planar_force(const pcs_fe *element, const pcs_fe_state *state, double *f)
{
    const double damping = element->property->material.damping;
    planar_strain s;
    double power = 0;
    planar_strains(element, state, &s);
    memset(f, 0, sizeof(double) * PLANAR_SIZE);
    for (int m = 0; m < PLANAR_MODES; ++m) {
        power -= damping * s.k[m] * s.rate[m] * s.rate[m];
        for (int i = 0; i < PLANAR_SIZE; ++i)
            f[i] -= s.stress[m] * s.B[m][i];
    }
    return power;
}

static void planar_tangent(const pcs_fe *element, double scale, double *A)
{
    planar_strain s;
    load_planar(element, &s);
    memset(A, 0, sizeof(double) * PLANAR_SIZE * PLANAR_SIZE);
    for (int m = 0; m < PLANAR_MODES; ++m)
        for (int i = 0; i < PLANAR_SIZE; ++i)
            for (int j = 0; j < PLANAR_SIZE; ++j)
                A[i * PLANAR_SIZE + j] += scale * s.k[m] * s.B[m][i] * s.B[m][j];
}

static double planar_energy(const pcs_fe *element, const pcs_fe_state *state)
{
    planar_strain s;
    double energy = 0;
    planar_strains(element, state, &s);
    for (int m = 0; m < PLANAR_MODES; ++m)
        energy += 0.5 * s.k[m] * s.e[m] * s.e[m];
    return energy;
}

static bool is_planar(const pcs_fe *element)
{
    return element->property->dimension == 2;
}

// ---- Force and tangent in space ----

typedef struct linear_strain {
    pcs_vec3 r[2], w[2]; // rotations and angular velocities of the nodes
    pcs_mat3 Q[2];       // T(r)^{-1}
    double e[MODES], rate[MODES], stress[MODES];
    double B[MODES][SIZE]; // de for (dx, a) of the nodes in element axes
} linear_strain;

static void compute_strains(const pcs_fe *element, const pcs_fe_state *state,
                            const linear_element *e, linear_strain *s)
{
    double d[SIZE], v[SIZE];
    for (int i = 0; i < 2; ++i) {
        pcs_vec3 X = pcs_v3_load(element->constants + ORIGIN + 3 * i);
        pcs_mat3 turned = pcs_m3_tmul(&e->axes, &state->R[i]);
        turned = pcs_m3_mul(&turned, &e->node_axes);
        s->r[i] = pcs_so3_log(pcs_quat_from_matrix(&turned));
        s->Q[i] = pcs_so3_tangent_inverse(s->r[i]);
        s->w[i] = pcs_m3_tmul_v3(&e->node_axes, state->w[i]);
        pcs_v3_store(d + 6 * i, pcs_m3_tmul_v3(&e->axes, pcs_v3_sub(state->x[i], X)));
        pcs_v3_store(d + 6 * i + 3, s->r[i]);
        pcs_v3_store(v + 6 * i, pcs_m3_tmul_v3(&e->axes, state->v[i]));
        pcs_v3_store(v + 6 * i + 3, s->w[i]);
    }
    memcpy(s->B, e->b, sizeof s->B);
    for (int m = 0; m < MODES; ++m) {
        for (int i = 3; i < SIZE; i += 6)
            pcs_v3_store(s->B[m] + i, pcs_m3_tmul_v3(&s->Q[i / 6], pcs_v3_load(e->b[m] + i)));
        s->e[m] = s->rate[m] = 0;
        for (int i = 0; i < SIZE; ++i) {
            s->e[m] += e->b[m][i] * d[i];
            s->rate[m] += s->B[m][i] * v[i];
        }
        s->stress[m] = e->k[m] * (s->e[m] + e->damping * s->rate[m]);
    }
}

static double compute_force(const pcs_fe *element, const pcs_fe_state *state, double *f)
{
    linear_element e;
    linear_strain s;
    double sum[SIZE] = {0}, power = 0;
    if (is_planar(element))
        return planar_force(element, state, f);
    load_element(element, &e);
    compute_strains(element, state, &e, &s);
    for (int m = 0; m < MODES; ++m) {
        power -= e.damping * e.k[m] * s.rate[m] * s.rate[m];
        for (int i = 0; i < SIZE; ++i)
            sum[i] -= s.stress[m] * s.B[m][i];
    }
    for (int i = 0; i < SIZE; i += 3)
        pcs_v3_store(f + i,
                     pcs_m3_mul_v3(i % 6 == 0 ? &e.axes : &e.node_axes, pcs_v3_load(sum + i)));
    return power;
}

// K = sum_m B_m (k_m (B_m + b d(B_m v)/dq))^T + sum_m s_m dB_m/dq; B_m depends on the rotations
// alone:
//   d(c.Q w)/da = c^T d(Q w)/dr Q,   d(Q^T c)/da = d(Q^T c)/dr Q
static void compute_tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                            double scale_C, double *A)
{
    linear_element e;
    linear_strain s;
    double local[SIZE * SIZE] = {0}, moment[SIZE] = {0};
    pcs_mat3 rate[2] = {{{{0}}}}; // d(Q w)/da
    if (is_planar(element)) {
        const double scale = scale_K + scale_C * element->property->material.damping;
        planar_tangent(element, scale, A);
        return;
    }
    load_element(element, &e);
    compute_strains(element, state, &e, &s);
    for (int i = 0; e.damping > 0 && i < 2; ++i) {
        rate[i] = pcs_so3_tangent_inverse_derivative(s.r[i], s.w[i]);
        rate[i] = pcs_m3_mul(&rate[i], &s.Q[i]);
    }
    for (int m = 0; m < MODES; ++m) {
        double row[SIZE]; // scale_K d(stress)/dq + scale_C d(stress)/dv
        for (int j = 0; j < SIZE; ++j) {
            row[j] = e.k[m] * (scale_K + scale_C * e.damping) * s.B[m][j];
            moment[j] += s.stress[m] * e.b[m][j];
        }
        for (int i = 3; i < SIZE; i += 6) {
            pcs_vec3 c = pcs_m3_tmul_v3(&rate[i / 6], pcs_v3_load(e.b[m] + i));
            c = pcs_v3_axpy(pcs_v3_load(row + i), scale_K * e.k[m] * e.damping, c);
            pcs_v3_store(row + i, c);
        }
        for (int i = 0; i < SIZE; ++i)
            for (int j = 0; j < SIZE; ++j)
                local[i * SIZE + j] += s.B[m][i] * row[j];
    }
    for (int i = 3; i < SIZE; i += 6) {
        pcs_mat3 D = pcs_so3_tangent_inverse_derivative(pcs_v3_scale(-1, s.r[i / 6]),
                                                        pcs_v3_load(moment + i));
        D = pcs_m3_mul(&D, &s.Q[i / 6]);
        for (int k = 0; k < 9; ++k)
            local[(i + k / 3) * SIZE + i + k % 3] -= scale_K * D.m[k / 3][k % 3];
    }
    store_matrix(element, &e, local, A);
}

static double compute_energy(const pcs_fe *element, const pcs_fe_state *state)
{
    linear_element e;
    linear_strain s;
    double energy = 0;
    if (is_planar(element))
        return planar_energy(element, state);
    load_element(element, &e);
    compute_strains(element, state, &e, &s);
    for (int m = 0; m < MODES; ++m)
        energy += 0.5 * e.k[m] * s.e[m] * s.e[m];
    return energy;
}

// The moments of bending are those in the middle; the shear force, the same all along, holds the
// balance with the moments of the sway: V = -2 M/L.
static void planar_results(const pcs_fe *element, const pcs_fe_state *state, double *out)
{
    planar_strain s;
    planar_strains(element, state, &s);
    memset(out, 0, sizeof(double) * PCS_BEAM_RESULTS);
    out[PCS_BEAM_BENDING] = fabs(s.stress[PLANAR_BEND]);
    out[PCS_BEAM_AXIAL] = s.stress[PLANAR_AXIAL];
    out[PCS_BEAM_SHEAR_Y] = -2 * s.stress[PLANAR_SWAY] / element->constants[LENGTH];
    out[PCS_BEAM_MOMENT_Z] = s.stress[PLANAR_BEND];
}

static void compute_results(const pcs_fe *element, const pcs_fe_state *state, double *out)
{
    linear_element e;
    linear_strain s;
    if (is_planar(element)) {
        planar_results(element, state, out);
        return;
    }
    load_element(element, &e);
    compute_strains(element, state, &e, &s);
    out[PCS_BEAM_BENDING] = hypot(s.stress[BEND_Y], s.stress[BEND_Z]);
    out[PCS_BEAM_AXIAL] = s.stress[AXIAL];
    out[PCS_BEAM_SHEAR_Y] = -2 * s.stress[SWAY_Z] / e.L;
    out[PCS_BEAM_SHEAR_Z] = 2 * s.stress[SWAY_Y] / e.L;
    out[PCS_BEAM_TORQUE] = s.stress[TWIST];
    out[PCS_BEAM_MOMENT_Y] = s.stress[BEND_Y];
    out[PCS_BEAM_MOMENT_Z] = s.stress[BEND_Z];
}

// ---- The two classes ----

const pcs_fe_class pcs_fe_linear_beam = {
    .kind = PCS_ELEMENT_LINEAR_BEAM,
    .name = "linear-beam",
    .help = "Euler-Bernoulli beam, small displacements",
    .n_nodes = 2,
    .frames = true,
    .planar = true,
    .spatial = true,
    .n_constants = CONSTANTS,
    .n_results = PCS_BEAM_RESULTS,
    .results_names = PCS_BEAM_RESULTS_NAMES,
    .check = pcs_beam_check,
    .prepare = prepare,
    .mass = compute_mass,
    .force = compute_force,
    .tangent = compute_tangent,
    .energy = compute_energy,
    .results = compute_results,
};

const pcs_fe_class pcs_fe_linear_timoshenko = {
    .kind = PCS_ELEMENT_LINEAR_TIMOSHENKO,
    .name = "linear-timoshenko",
    .help = "Timoshenko beam with shear, small displacements",
    .n_nodes = 2,
    .frames = true,
    .planar = true,
    .spatial = true,
    .n_constants = CONSTANTS,
    .n_results = PCS_BEAM_RESULTS,
    .results_names = PCS_BEAM_RESULTS_NAMES,
    .check = pcs_beam_check,
    .prepare = prepare,
    .mass = compute_mass,
    .force = compute_force,
    .tangent = compute_tangent,
    .energy = compute_energy,
    .results = compute_results,
};

// Axial bar: two points, large rotations, small strains. With l = |x_2 - x_1|, n = (x_2 - x_1)/l,
//   strain  e = (l - L)/L,   e' = n.(v_2 - v_1)/L,   N = EA (e + b e'),   energy  EA L e^2 / 2,
// f_2 = -N n = -f_1, and with P = I - n n^T
//   K = EA/L n n^T + N/l P + EA b/(L l) n (P (v_2 - v_1))^T,   C = EA b/L n n^T
// for (x_2 - x_1); mass rho A L/6 [2 1; 1 2] or half of it at each end.
#include "elements/beam.h"

typedef struct bar_strain {
    pcs_vec3 n, dv; // n = 0 for a bar pressed to a point, which has no direction
    double length;
    double strain, rate;
} bar_strain;

static bar_strain compute_strain(const pcs_fe *element, const pcs_fe_state *state)
{
    const double L = element->constants[0];
    pcs_vec3 d = pcs_v3_sub(state->x[1], state->x[0]);
    bar_strain s = {.dv = pcs_v3_sub(state->v[1], state->v[0]), .length = pcs_v3_norm(d)};
    if (s.length > 0)
        s.n = pcs_v3_scale(1 / s.length, d);
    s.strain = (s.length - L) / L;
    s.rate = pcs_v3_dot(s.n, s.dv) / L;
    return s;
}

static double axial_stiffness(const pcs_fe *element)
{
    return element->property->material.young * element->property->section.area;
}

static pcs_status prepare(pcs_context *ctx, const pcs_fe_property *property, const pcs_vec3 *X,
                          const pcs_mat3 *R, double *constants)
{
    (void)property;
    (void)R;
    return pcs_line_length(ctx, X, &constants[0]);
}

static void mass(const pcs_fe *element, double *M)
{
    const pcs_fe_property *p = element->property;
    const int dim = p->dimension, n = 2 * dim;
    const double m = p->material.density * p->section.area * element->constants[0];
    const double same = p->lumped ? m / 2 : m / 3, other = p->lumped ? 0 : m / 6;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            M[i * n + j] = i == j ? same : i % dim == j % dim ? other : 0;
}

static double force(const pcs_fe *element, const pcs_fe_state *state, double *f)
{
    const int dim = element->property->dimension;
    const double EA = axial_stiffness(element), damping = element->property->material.damping;
    bar_strain s = compute_strain(element, state);
    double n[3];
    pcs_v3_store(n, s.n);
    double N = EA * (s.strain + damping * s.rate);
    for (int i = 0; i < dim; ++i) {
        f[i] = N * n[i];
        f[dim + i] = -f[i];
    }
    return -EA * damping * s.rate * s.rate * element->constants[0];
}

static void tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                    double scale_C, double *A)
{
    const int dim = element->property->dimension, size = 2 * dim;
    const double EA = axial_stiffness(element), damping = element->property->material.damping;
    const double L = element->constants[0];
    bar_strain s = compute_strain(element, state);
    double per_length = s.length > 0 ? 1 / s.length : 0;
    double N = EA * (s.strain + damping * s.rate);
    double n[3], across[3];
    pcs_v3_store(n, s.n);
    pcs_v3_store(across, pcs_v3_axpy(s.dv, -pcs_v3_dot(s.n, s.dv), s.n));
    double normal = EA / L * (scale_K + damping * scale_C) - scale_K * N * per_length;
    for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) {
            double a = normal * n[i] * n[j] + (i == j ? scale_K * N * per_length : 0) +
                       scale_K * EA * damping * per_length / L * n[i] * across[j];
            A[i * size + j] = A[(dim + i) * size + dim + j] = a;
            A[i * size + dim + j] = A[(dim + i) * size + j] = -a;
        }
}

static double energy(const pcs_fe *element, const pcs_fe_state *state)
{
    double strain = compute_strain(element, state).strain;
    return 0.5 * axial_stiffness(element) * element->constants[0] * strain * strain;
}

static void results(const pcs_fe *element, const pcs_fe_state *state, double *out)
{
    bar_strain s = compute_strain(element, state);
    out[0] = axial_stiffness(element) * (s.strain + element->property->material.damping * s.rate);
    out[1] = s.strain;
}

const pcs_fe_class pcs_fe_bar = {
    .kind = PCS_ELEMENT_BAR,
    .name = "bar",
    .help = "axial force between two points, large rotations",
    .n_nodes = 2,
    .planar = true,
    .spatial = true,
    .n_constants = 1,
    .n_results = 2,
    .results_names = {"axial_force", "strain"},
    .check = pcs_bar_check,
    .prepare = prepare,
    .mass = mass,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .results = results,
};

#include "support/line_mesh.h"

#include <lapacke.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/dense.h"

// ---- Random places ----

static pcs_random random_state;

void line_random_init(uint64_t seed)
{
    pcs_random_init(&random_state, seed);
}

double line_between(double low, double high)
{
    return pcs_random_between(&random_state, low, high);
}

pcs_vec3 line_vector(int32_t dimension, double size)
{
    return pcs_v3(line_between(-size, size), line_between(-size, size),
                  dimension == 3 ? line_between(-size, size) : 0);
}

pcs_quat line_rotation(int32_t dimension)
{
    pcs_vec3 axis = dimension == 2 ? pcs_v3(0, 0, 1) : line_vector(3, 1);
    return pcs_quat_from_axis_angle(axis, line_between(-3, 3));
}

pcs_fe_property line_property(int32_t dimension)
{
    pcs_fe_property p = {.dimension = dimension};
    p.material = (pcs_material){.young = 2.385, .poisson = 0.27, .density = 1.31, .damping = 0.173};
    p.section = (pcs_section){
        .area = 1.173, .inertia = {0.817, 1.43}, .torsion = 1.91, .shear_area = {0.93, 0.71}};
    return p;
}

void line_mesh_init(line_mesh *mesh, const pcs_fe_class *class, const pcs_fe_property *property)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->class = class;
    mesh->property = *property;
    mesh->axes = pcs_m3_identity();
    assert_true(class->n_constants <= LINE_CONSTANTS_MAX);
}

int32_t line_mesh_add_node(line_mesh *mesh, pcs_vec3 X)
{
    assert_true(mesh->n_nodes < LINE_NODES_MAX);
    mesh->X[mesh->n_nodes] = X;
    line_mesh_reset(mesh);
    return mesh->n_nodes++;
}

void line_mesh_add_element(line_mesh *mesh, int32_t a, int32_t b)
{
    int32_t e = mesh->n_elements++;
    assert_true(mesh->n_elements <= LINE_ELEMENTS_MAX);
    mesh->nodes[e][0] = a;
    mesh->nodes[e][1] = b;
    pcs_vec3 X[2] = {mesh->X[a], mesh->X[b]};
    assert_int_equal(
        mesh->class->prepare(NULL, &mesh->property, X, &mesh->axes, mesh->constants[e]), PCS_OK);
}

void line_mesh_single(line_mesh *mesh, const pcs_fe_class *class, const pcs_fe_property *property)
{
    line_mesh_init(mesh, class, property);
    mesh->axes = pcs_quat_matrix(line_rotation(property->dimension));
    pcs_vec3 X = line_vector(property->dimension, 2.1);
    line_mesh_add_node(mesh, X);
    line_mesh_add_node(mesh, pcs_v3_add(X, pcs_v3(line_between(0.5, 1.3), 0.73,
                                                  property->dimension == 3 ? 0.41 : 0)));
    line_mesh_add_element(mesh, 0, 1);
    line_mesh_reset(mesh);
}

void line_mesh_straight(line_mesh *mesh, const pcs_fe_class *class, const pcs_fe_property *property,
                        pcs_vec3 a, pcs_vec3 b, int32_t n)
{
    line_mesh_init(mesh, class, property);
    for (int32_t i = 0; i <= n; ++i)
        line_mesh_add_node(mesh, pcs_v3_axpy(a, (double)i / n, pcs_v3_sub(b, a)));
    for (int32_t i = 0; i < n; ++i)
        line_mesh_add_element(mesh, i, i + 1);
    line_mesh_reset(mesh);
}

void line_mesh_reset(line_mesh *mesh)
{
    for (int32_t i = 0; i < LINE_NODES_MAX; ++i) {
        mesh->x[i] = mesh->X[i];
        mesh->v[i] = mesh->w[i] = pcs_v3(0, 0, 0);
        mesh->p[i] = pcs_quat_from_matrix(&mesh->axes);
    }
}

int32_t line_mesh_node_unknowns(const line_mesh *mesh)
{
    return pcs_fe_node_unknowns(mesh->class, mesh->property.dimension);
}

int32_t line_mesh_unknowns(const line_mesh *mesh)
{
    return mesh->n_nodes * line_mesh_node_unknowns(mesh);
}

void line_mesh_fix_node(line_mesh *mesh, int32_t node)
{
    int32_t k = line_mesh_node_unknowns(mesh);
    for (int32_t i = 0; i < k; ++i)
        mesh->fixed[node * k + i] = true;
}

// The part of node i in a vector of unknowns, as translation and rotation.
static void split(const line_mesh *mesh, const double *d, int32_t i, pcs_vec3 *x, pcs_vec3 *w)
{
    const int32_t k = line_mesh_node_unknowns(mesh), dim = mesh->property.dimension;
    d += i * k;
    *x = pcs_v3(d[0], d[1], dim == 3 ? d[2] : 0);
    *w = pcs_v3(0, 0, 0);
    if (mesh->class->frames)
        *w = dim == 3 ? pcs_v3_load(d + 3) : pcs_v3(0, 0, d[2]);
}

void line_mesh_retract(line_mesh *mesh, double s, const double *d)
{
    for (int32_t i = 0; i < mesh->n_nodes; ++i) {
        pcs_vec3 x, w;
        split(mesh, d, i, &x, &w);
        mesh->x[i] = pcs_v3_axpy(mesh->x[i], s, x);
        mesh->p[i] = pcs_quat_normalize(pcs_quat_mul(mesh->p[i], pcs_so3_exp(pcs_v3_scale(s, w))));
    }
}

void line_mesh_set_velocity(line_mesh *mesh, const double *v)
{
    for (int32_t i = 0; i < mesh->n_nodes; ++i)
        split(mesh, v, i, &mesh->v[i], &mesh->w[i]);
}

void line_mesh_random_state(line_mesh *mesh, double size, double angle)
{
    const int32_t k = line_mesh_node_unknowns(mesh), dim = mesh->property.dimension;
    double d[LINE_UNKNOWNS_MAX], v[LINE_UNKNOWNS_MAX];
    for (int32_t i = 0; i < line_mesh_unknowns(mesh); ++i) {
        double range = i % k < dim ? size : angle;
        d[i] = line_between(-range, range);
        v[i] = line_between(-1.3, 1.3);
    }
    line_mesh_reset(mesh);
    line_mesh_retract(mesh, 1, d);
    line_mesh_set_velocity(mesh, v);
}

void line_mesh_turn(line_mesh *mesh, pcs_quat p, pcs_vec3 shift)
{
    for (int32_t i = 0; i < mesh->n_nodes; ++i) {
        mesh->x[i] = pcs_v3_add(shift, pcs_quat_rotate(p, mesh->x[i]));
        mesh->v[i] = pcs_quat_rotate(p, mesh->v[i]);
        mesh->p[i] = pcs_quat_mul(p, mesh->p[i]);
    }
}

static void gather(const line_mesh *mesh, int32_t e, pcs_fe *element, pcs_fe_state *state)
{
    *element = (pcs_fe){mesh->class, &mesh->property, mesh->constants[e]};
    memset(state, 0, sizeof *state);
    for (int i = 0; i < mesh->class->n_nodes; ++i) {
        int32_t node = mesh->nodes[e][i];
        state->x[i] = mesh->x[node];
        state->v[i] = mesh->v[node];
        state->w[i] = mesh->w[node];
        state->R[i] = pcs_quat_matrix(mesh->p[node]);
    }
}

double line_mesh_force(const line_mesh *mesh, double *f)
{
    const int32_t k = line_mesh_node_unknowns(mesh);
    double power = 0, part[PCS_FE_UNKNOWNS_MAX];
    memset(f, 0, sizeof(double) * (size_t)line_mesh_unknowns(mesh));
    for (int32_t e = 0; e < mesh->n_elements; ++e) {
        pcs_fe element;
        pcs_fe_state state;
        gather(mesh, e, &element, &state);
        power += mesh->class->force(&element, &state, part);
        for (int32_t i = 0; i < k * mesh->class->n_nodes; ++i)
            f[mesh->nodes[e][i / k] * k + i % k] += part[i];
    }
    return power;
}

double line_mesh_energy(const line_mesh *mesh)
{
    double energy = 0;
    for (int32_t e = 0; e < mesh->n_elements; ++e) {
        pcs_fe element;
        pcs_fe_state state;
        gather(mesh, e, &element, &state);
        energy += mesh->class->energy(&element, &state);
    }
    return energy;
}

static void scatter(const line_mesh *mesh, int32_t e, const double *part, double *A)
{
    const int32_t k = line_mesh_node_unknowns(mesh), n = line_mesh_unknowns(mesh);
    const int32_t m = k * mesh->class->n_nodes;
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < m; ++j)
            A[(mesh->nodes[e][i / k] * k + i % k) * n + mesh->nodes[e][j / k] * k + j % k] +=
                part[i * m + j];
}

void line_mesh_tangent(const line_mesh *mesh, double scale_K, double scale_C, double *A)
{
    const int32_t n = line_mesh_unknowns(mesh);
    double part[PCS_FE_UNKNOWNS_MAX * PCS_FE_UNKNOWNS_MAX];
    memset(A, 0, sizeof(double) * (size_t)(n * n));
    for (int32_t e = 0; e < mesh->n_elements; ++e) {
        pcs_fe element;
        pcs_fe_state state;
        gather(mesh, e, &element, &state);
        mesh->class->tangent(&element, &state, scale_K, scale_C, part);
        scatter(mesh, e, part, A);
    }
}

void line_mesh_mass(const line_mesh *mesh, double *M)
{
    const int32_t n = line_mesh_unknowns(mesh);
    double part[PCS_FE_UNKNOWNS_MAX * PCS_FE_UNKNOWNS_MAX];
    memset(M, 0, sizeof(double) * (size_t)(n * n));
    for (int32_t e = 0; e < mesh->n_elements; ++e) {
        pcs_fe element = {mesh->class, &mesh->property, mesh->constants[e]};
        mesh->class->mass(&element, part);
        scatter(mesh, e, part, M);
    }
}

void line_mesh_results(const line_mesh *mesh, int32_t element, double *out)
{
    pcs_fe fe;
    pcs_fe_state state;
    gather(mesh, element, &fe, &state);
    mesh->class->results(&fe, &state, out);
}

static double *new_array(size_t count)
{
    double *array = calloc(count, sizeof *array);
    assert_non_null(array);
    return array;
}

int32_t line_mesh_solve(line_mesh *mesh, const double *load, double tolerance, int32_t limit)
{
    const int32_t n = line_mesh_unknowns(mesh);
    double *A = new_array((size_t)(n * n)), d[LINE_UNKNOWNS_MAX];
    int32_t pivot[LINE_UNKNOWNS_MAX], iterations = -1;
    for (int32_t step = 0; step <= limit && iterations < 0; ++step) {
        double residual = 0;
        line_mesh_force(mesh, d);
        line_mesh_tangent(mesh, 1, 0, A);
        for (int32_t i = 0; i < n; ++i) {
            d[i] = mesh->fixed[i] ? 0 : d[i] + load[i];
            residual = fmax(residual, fabs(d[i]));
            for (int32_t j = 0; j < n; ++j)
                if (mesh->fixed[i] || mesh->fixed[j])
                    A[i * n + j] = i == j;
        }
        if (residual <= tolerance) {
            iterations = step;
        } else {
            assert_int_equal(pcs_dense_lu_factor(n, A, pivot), -1);
            pcs_dense_lu_solve(n, A, pivot, 1, d);
            line_mesh_retract(mesh, 1, d);
        }
    }
    free(A);
    return iterations;
}

int32_t line_mesh_frequencies(const line_mesh *mesh, double *omega)
{
    const int32_t n = line_mesh_unknowns(mesh);
    double *K = new_array((size_t)(n * n)), *M = new_array((size_t)(n * n));
    line_mesh_tangent(mesh, 1, 0, K);
    line_mesh_mass(mesh, M);
    int32_t m = 0;
    for (int32_t i = 0; i < n; ++i) { // packs the free rows and columns
        if (mesh->fixed[i])
            continue;
        int32_t c = 0;
        for (int32_t j = 0; j < n; ++j)
            if (!mesh->fixed[j]) {
                K[m * n + c] = K[i * n + j];
                M[m * n + c++] = M[i * n + j];
            }
        ++m;
    }
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', m, K, n, M, n, omega), 0);
    for (int32_t i = 0; i < m; ++i)
        omega[i] = omega[i] > 0 ? sqrt(omega[i]) : 0;
    free(K);
    free(M);
    return m;
}

// ---- Checks ----

// Difference quotients over +-h and +-2h: the error is h^4/30 of the fifth derivative and
// rounding/h.
static const double STEP = 1e-3;
static const double PLACE[4] = {-2, -1, 1, 2};
static const double WEIGHT[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

static double largest(int32_t n, const double *a)
{
    double max = 0;
    for (int32_t i = 0; i < n; ++i)
        max = fmax(max, fabs(a[i]));
    return max;
}

static void compare_columns(line_mesh *mesh, bool of_q, double tolerance)
{
    const int32_t n = line_mesh_unknowns(mesh);
    double *A = new_array((size_t)(n * n)), f[LINE_UNKNOWNS_MAX], d[LINE_UNKNOWNS_MAX];
    double quotient[LINE_UNKNOWNS_MAX];
    line_mesh_tangent(mesh, of_q, !of_q, A);
    double scale = 1 + largest(n * n, A);
    for (int32_t j = 0; j < n; ++j) {
        memset(quotient, 0, sizeof quotient);
        memset(d, 0, sizeof d);
        d[j] = STEP;
        for (int k = 0; k < 4; ++k) {
            line_mesh moved = *mesh;
            pcs_vec3 x, w;
            if (of_q) {
                line_mesh_retract(&moved, PLACE[k], d);
            } else {
                for (int32_t i = 0; i < mesh->n_nodes; ++i) {
                    split(mesh, d, i, &x, &w);
                    moved.v[i] = pcs_v3_axpy(moved.v[i], PLACE[k], x);
                    moved.w[i] = pcs_v3_axpy(moved.w[i], PLACE[k], w);
                }
            }
            line_mesh_force(&moved, f);
            for (int32_t i = 0; i < n; ++i)
                quotient[i] -= WEIGHT[k] * f[i] / STEP;
        }
        for (int32_t i = 0; i < n; ++i)
            if (!(fabs(A[i * n + j] - quotient[i]) <= tolerance * scale))
                fail_msg("%s, %s(%d, %d): %.15g, by differences %.15g (largest %g)",
                         mesh->class->name, of_q ? "K" : "C", (int)i, (int)j, A[i * n + j],
                         quotient[i], scale);
    }
    free(A);
}

static void compare_gradient(const line_mesh *mesh, double tolerance)
{
    const int32_t n = line_mesh_unknowns(mesh);
    double f[LINE_UNKNOWNS_MAX], d[LINE_UNKNOWNS_MAX], rest[LINE_UNKNOWNS_MAX] = {0};
    line_mesh still = *mesh;
    line_mesh_set_velocity(&still, rest);
    assert_true(line_mesh_force(&still, f) == 0);
    double scale = 1 + largest(n, f);
    for (int32_t j = 0; j < n; ++j) {
        double quotient = 0;
        memset(d, 0, sizeof d);
        d[j] = STEP;
        for (int k = 0; k < 4; ++k) {
            line_mesh moved = still;
            line_mesh_retract(&moved, PLACE[k], d);
            quotient -= WEIGHT[k] * line_mesh_energy(&moved) / STEP;
        }
        if (!(fabs(f[j] - quotient) <= tolerance * scale))
            fail_msg("%s, f(%d): %.15g, by differences of the energy %.15g", mesh->class->name,
                     (int)j, f[j], quotient);
    }
}

static void compare_power(const line_mesh *mesh)
{
    const int32_t n = line_mesh_unknowns(mesh), k = line_mesh_node_unknowns(mesh);
    const int32_t dim = mesh->property.dimension;
    double f[LINE_UNKNOWNS_MAX], elastic[LINE_UNKNOWNS_MAX], rest[LINE_UNKNOWNS_MAX] = {0};
    line_mesh still = *mesh;
    line_mesh_set_velocity(&still, rest);
    line_mesh_force(&still, elastic);
    double power = line_mesh_force(mesh, f), expected = 0, size = 0;
    for (int32_t i = 0; i < n; ++i) {
        double x[3], w[3];
        pcs_v3_store(x, mesh->v[i / k]);
        pcs_v3_store(w, mesh->w[i / k]);
        double v = i % k < dim ? x[i % k] : dim == 2 ? w[2] : w[i % k - 3];
        expected += (f[i] - elastic[i]) * v;
        size += (fabs(f[i]) + fabs(elastic[i])) * fabs(v);
    }
    assert_true(power <= 0);
    assert_true(fabs(power - expected) <= 1e-14 * (1 + size)); // some dozens of roundings
}

void line_mesh_check_derivatives(line_mesh *mesh, double tolerance)
{
    compare_columns(mesh, true, tolerance);
    compare_columns(mesh, false, tolerance);
    compare_gradient(mesh, tolerance);
    compare_power(mesh);
}

// Solid elements in meshes that the test assembles itself, dense: patch test on irregular hexahedra
// and tetrahedra, bending against beam theory, the elastica, natural frequencies, and near
// incompressibility, each for the hexahedron with strain modes and for the plain one beside it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>
#include <cmocka.h>

#include "base/random.h"
#include "elements/solid.h"
#include "linalg/dense.h"
#include "support/near.h"

enum { NODES = 8, UNKNOWNS = 24 };

// A block of n[0] x n[1] x n[2] hexahedra, or six tetrahedra in place of each.
typedef struct block {
    const pcs_fe_class *class;
    pcs_fe_property property;
    int32_t n[3], n_nodes, n_elements, n_unknowns;
    pcs_vec3 *X, *x;
    bool *fixed;
    int32_t *nodes;
    double *constants, *K, *f, *M;
} block;

static pcs_context *context;

static int32_t node_at(const block *b, int32_t i, int32_t j, int32_t k)
{
    return i + (b->n[0] + 1) * (j + (b->n[1] + 1) * k);
}

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

static void number_elements(block *b)
{
    static const int32_t cut[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                      {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    int32_t *out = b->nodes;
    for (int32_t k = 0; k < b->n[2]; ++k)
        for (int32_t j = 0; j < b->n[1]; ++j)
            for (int32_t i = 0; i < b->n[0]; ++i) {
                int32_t corner[NODES];
                for (int32_t a = 0; a < NODES; ++a) {
                    const double *s = pcs_solid_signs[a];
                    corner[a] = node_at(b, i + (s[0] > 0), j + (s[1] > 0), k + (s[2] > 0));
                }
                if (b->class->n_nodes == 8)
                    for (int32_t a = 0; a < NODES; ++a)
                        *out++ = corner[a];
                else
                    for (int32_t t = 0; t < 24; ++t)
                        *out++ = corner[cut[t / 4][t % 4]];
            }
}

static void block_make(block *b, const pcs_fe_class *class, pcs_material material, int32_t nx,
                       int32_t ny, int32_t nz, double lx, double ly, double lz)
{
    memset(b, 0, sizeof *b);
    b->class = class;
    b->property = (pcs_fe_property){.dimension = 3, .material = material};
    b->n[0] = nx, b->n[1] = ny, b->n[2] = nz;
    b->n_nodes = (nx + 1) * (ny + 1) * (nz + 1);
    b->n_elements = nx * ny * nz * (class->n_nodes == 8 ? 1 : 6);
    b->n_unknowns = 3 * b->n_nodes;
    const size_t n = (size_t)b->n_unknowns;
    b->X = zeros((size_t)b->n_nodes, sizeof *b->X);
    b->x = zeros((size_t)b->n_nodes, sizeof *b->x);
    b->fixed = zeros(n, sizeof *b->fixed);
    b->nodes = zeros((size_t)(b->n_elements * class->n_nodes), sizeof *b->nodes);
    b->constants = zeros((size_t)(b->n_elements * class->n_constants), sizeof *b->constants);
    b->f = zeros(n, sizeof *b->f);
    b->K = zeros(n * n, sizeof *b->K);
    b->M = zeros(n * n, sizeof *b->M);
    for (int32_t k = 0; k <= nz; ++k)
        for (int32_t j = 0; j <= ny; ++j)
            for (int32_t i = 0; i <= nx; ++i)
                b->X[node_at(b, i, j, k)] = pcs_v3(lx * i / nx, ly * j / ny, lz * k / nz);
    number_elements(b);
}

// After the nodes X have their last places
static void block_prepare(block *b)
{
    const pcs_mat3 R = pcs_m3_identity();
    for (int32_t e = 0; e < b->n_elements; ++e) {
        pcs_vec3 X[NODES];
        for (int32_t a = 0; a < b->class->n_nodes; ++a)
            X[a] = b->X[b->nodes[e * b->class->n_nodes + a]];
        if (b->class->prepare(context, &b->property, X, &R,
                              b->constants + e * b->class->n_constants) < 0)
            fail_msg("%s", pcs_context_error(context));
    }
    memcpy(b->x, b->X, (size_t)b->n_nodes * sizeof *b->x);
}

static void block_free(block *b)
{
    void *const all[] = {b->X, b->x, b->fixed, b->nodes, b->constants, b->f, b->K, b->M};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        free(all[i]);
}

static pcs_fe element_of(const block *b, int32_t e, pcs_fe_state *state)
{
    memset(state, 0, sizeof *state);
    for (int32_t a = 0; a < b->class->n_nodes; ++a)
        state->x[a] = b->x[b->nodes[e * b->class->n_nodes + a]];
    return (pcs_fe){.class = b->class,
                    .property = &b->property,
                    .constants = b->constants + e * b->class->n_constants};
}

// f, K and (on demand) M of the free body
static void block_assemble(block *b, bool with_mass)
{
    const int32_t n = b->n_unknowns, m = 3 * b->class->n_nodes;
    memset(b->f, 0, (size_t)n * sizeof *b->f);
    memset(b->K, 0, (size_t)n * (size_t)n * sizeof *b->K);
    memset(b->M, 0, (size_t)n * (size_t)n * sizeof *b->M);
    for (int32_t e = 0; e < b->n_elements; ++e) {
        double f[UNKNOWNS], A[UNKNOWNS * UNKNOWNS], M[UNKNOWNS * UNKNOWNS] = {0};
        pcs_fe_state state;
        const pcs_fe fe = element_of(b, e, &state);
        b->class->force(&fe, &state, f);
        b->class->tangent(&fe, &state, 1, 0, A);
        if (with_mass)
            b->class->mass(&fe, M);
        for (int32_t i = 0; i < m; ++i) {
            const int32_t row = 3 * b->nodes[e * b->class->n_nodes + i / 3] + i % 3;
            b->f[row] += f[i];
            for (int32_t j = 0; j < m; ++j) {
                const int32_t column = 3 * b->nodes[e * b->class->n_nodes + j / 3] + j % 3;
                b->K[row * n + column] += A[i * m + j];
                b->M[row * n + column] += M[i * m + j];
            }
        }
    }
}

// One Newton step for f(x) + load = 0 while the fixed components take the steps `moved`: returns
// the residual's largest component before the step. load and moved may be NULL.
static double newton_step(block *b, const double *load, const double *moved)
{
    const int32_t n = b->n_unknowns;
    int32_t *free_of = zeros((size_t)n, sizeof *free_of), n_free = 0;
    for (int32_t i = 0; i < n; ++i)
        if (!b->fixed[i])
            free_of[n_free++] = i;
    double *A = zeros((size_t)n_free * (size_t)n_free, sizeof *A), *d = zeros((size_t)n, sizeof *d);
    int32_t *pivot = zeros((size_t)n, sizeof *pivot);
    double worst = 0;
    block_assemble(b, false);
    for (int32_t i = 0; i < n_free; ++i) {
        const int32_t row = free_of[i];
        d[i] = b->f[row] + (load ? load[row] : 0);
        if (!(fabs(d[i]) <= worst)) // a NaN counts as worst
            worst = fabs(d[i]);
        for (int32_t j = 0; moved && j < n; ++j)
            d[i] -= b->K[row * n + j] * (b->fixed[j] ? moved[j] : 0);
        for (int32_t j = 0; j < n_free; ++j)
            A[i * n_free + j] = b->K[row * n + free_of[j]];
    }
    assert_int_equal(pcs_dense_lu_factor(n_free, A, pivot), -1);
    pcs_dense_lu_solve(n_free, A, pivot, 1, d);
    for (int32_t i = 0; i < n_free; ++i)
        ((double *)b->x)[free_of[i]] += d[i];
    for (int32_t i = 0; moved && i < n; ++i)
        ((double *)b->x)[i] += b->fixed[i] ? moved[i] : 0;
    free(free_of), free(A), free(d), free(pivot);
    return worst;
}

static void solve(block *b, const double *load, double tolerance)
{
    for (int32_t iteration = 0; iteration < 60; ++iteration)
        if (newton_step(b, load, NULL) < tolerance)
            return;
    fail_msg("Newton's method did not converge");
}

// Node group x = lx k / n: fixes all components of one plane of nodes.
static void clamp_start(block *b)
{
    for (int32_t k = 0; k <= b->n[2]; ++k)
        for (int32_t j = 0; j <= b->n[1]; ++j)
            for (int32_t c = 0; c < 3; ++c)
                b->fixed[3 * node_at(b, 0, j, k) + c] = true;
}

// Shear force P along component c over the end section, consistent with bilinear faces
static void end_load(const block *b, int32_t c, double P, double *load)
{
    for (int32_t k = 0; k <= b->n[2]; ++k)
        for (int32_t j = 0; j <= b->n[1]; ++j) {
            const double share = (j == 0 || j == b->n[1] ? 0.5 : 1) *
                                 (k == 0 || k == b->n[2] ? 0.5 : 1);
            load[3 * node_at(b, b->n[0], j, k) + c] += P * share / (b->n[1] * b->n[2]);
        }
}

// Mean displacement of the end section
static double end_displacement(const block *b, int32_t c)
{
    double sum = 0;
    for (int32_t k = 0; k <= b->n[2]; ++k)
        for (int32_t j = 0; j <= b->n[1]; ++j) {
            const int32_t i = 3 * node_at(b, b->n[0], j, k) + c;
            sum += ((const double *)b->x)[i] - ((const double *)b->X)[i];
        }
    return sum / ((b->n[1] + 1) * (b->n[2] + 1));
}

// ---- Patch test ----

// Eight irregular hexahedra, or 48 tetrahedra, whose outer nodes follow x = F X: the inner node
// finds its place in the affine field, and all elements have the same stress, to rounding.
static void test_patch(void **state)
{
    (void)state;
    static const pcs_fe_class *const classes[3] = {&pcs_fe_hexahedron, &pcs_fe_hexahedron_plain,
                                                   &pcs_fe_tetrahedron};
    const pcs_mat3 F = {{{1.21, -0.32, 0.17}, {0.43, 0.87, -0.11}, {-0.08, 0.29, 1.13}}};
    pcs_random dice;
    pcs_random_init(&dice, 27);
    for (int32_t c = 0; c < 3; ++c)
        for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law) {
            const pcs_material material = {
                .law = (pcs_material_law)law, .young = 2.3, .poisson = 0.33, .density = 1};
            block b;
            block_make(&b, classes[c], material, 2, 2, 2, 1, 1, 1);
            for (int32_t i = 0; i < 3 * b.n_nodes; ++i)
                ((double *)b.X)[i] += pcs_random_between(&dice, -0.08, 0.08);
            block_prepare(&b);
            const int32_t inner = node_at(&b, 1, 1, 1);
            for (int32_t a = 0; a < b.n_nodes; ++a) {
                b.x[a] = pcs_m3_mul_v3(&F, b.X[a]);
                for (int32_t i = 0; i < 3; ++i)
                    b.fixed[3 * a + i] = a != inner;
            }
            const pcs_vec3 place = b.x[inner];
            b.x[inner] = pcs_v3_add(place, pcs_v3(0.02, -0.01, 0.015));
            solve(&b, NULL, 1e-14);
            assert_near(pcs_v3_norm(pcs_v3_sub(b.x[inner], place)), 0, 1e-13);
            double first[8], other[8];
            for (int32_t e = 0; e < b.n_elements; ++e) {
                pcs_fe_state at;
                const pcs_fe fe = element_of(&b, e, &at);
                b.class->results(&fe, &at, e == 0 ? first : other);
                for (int32_t i = 0; e > 0 && i < b.class->n_results; ++i)
                    assert_near(other[i], first[i], 1e-12);
            }
            block_free(&b);
        }
}

// ---- Bending ----

typedef struct cantilever {
    double poisson, length, height, width;
    int32_t nx, nz;
    bool plane_strain;
    double lean; // of the sides of elements, this way and that, over the element's length
} cantilever;

// End displacement over that of Timoshenko's beam, P L^3/(3 E I) + P L/(5/6 G A); in plane strain
// E/(1 - nu^2) takes the place of E.
static double bending_ratio(const pcs_fe_class *class, const cantilever *c)
{
    const pcs_material material = {.young = 1000, .poisson = c->poisson, .density = 1};
    const double P = 1e-7, L = c->length; // so small that the square of the strain does not count
    block b;
    block_make(&b, class, material, c->nx, 1, c->nz, L, c->width, c->height);
    for (int32_t a = 0; a < b.n_nodes; ++a) {
        const int32_t i = a % (c->nx + 1);
        if (i > 0 && i < c->nx)
            b.X[a].x += (i % 2 ? c->lean : -c->lean) * L / c->nx * (b.X[a].z / c->height - 0.5);
    }
    block_prepare(&b);
    clamp_start(&b);
    for (int32_t a = 0; c->plane_strain && a < b.n_nodes; ++a)
        b.fixed[3 * a + 1] = true;
    double *load = zeros((size_t)b.n_unknowns, sizeof *load);
    end_load(&b, 2, P, load);
    newton_step(&b, load, NULL);
    const double E = c->plane_strain ? 1000 / (1 - c->poisson * c->poisson) : 1000;
    const double inertia = c->width * pow(c->height, 3) / 12, G = 500 / (1 + c->poisson);
    const double beam = P * L * L * L / (3 * E * inertia) +
                        P * L / (5.0 / 6 * G * c->width * c->height);
    const double ratio = end_displacement(&b, 2) / beam;
    free(load);
    block_free(&b);
    return ratio;
}

// One element over the height. The rest to 1 is the clamped end, where the section cannot narrow
// (without Poisson's effect it costs nothing), and the curvature that one element holds constant:
// 1/(4 n^2) = 0.25 % for 10 of them.
//   L/h       10      20     100     20 and nu = 0.4999
//   modes     0.988   0.990   0.990   0.978
//   plain     0.643   0.369   0.025   0.065
//   6 tetrahedra for each:  0.219   0.124   0.009   0.004
static void test_bending(void **state)
{
    (void)state;
    const cantilever slender[4] = {{.poisson = 0.3, .length = 10},
                                   {.poisson = 0.3, .length = 20},
                                   {.poisson = 0.3, .length = 100},
                                   {.poisson = 0.4999, .length = 20}};
    const double plain[4] = {0.643, 0.369, 0.025, 0.065};
    const double tetrahedra[4] = {0.219, 0.124, 0.009, 0.004};
    for (int32_t i = 0; i < 4; ++i) {
        cantilever c = slender[i];
        c.height = c.width = 1;
        c.nx = 10, c.nz = 1;
        assert_near(bending_ratio(&pcs_fe_hexahedron, &c), 1, 0.05);
        // what the cure is for
        assert_digits(bending_ratio(&pcs_fe_hexahedron_plain, &c), plain[i], 1e-3);
        assert_digits(bending_ratio(&pcs_fe_tetrahedron, &c), tetrahedra[i], 1e-3);
    }
    const cantilever free_section = {.length = 20, .height = 1, .width = 1, .nx = 10, .nz = 1};
    assert_near(bending_ratio(&pcs_fe_hexahedron, &free_section), 1 - 0.0025, 1e-3);
    // Trapezia lock in every element with 8 nodes that passes the patch test [MacNeal1987].
    cantilever trapezia = slender[1];
    trapezia.height = trapezia.width = 1;
    trapezia.nx = 10, trapezia.nz = 1;
    trapezia.lean = 0.2;
    assert_digits(bending_ratio(&pcs_fe_hexahedron, &trapezia), 0.427, 1e-3);
    assert_digits(bending_ratio(&pcs_fe_hexahedron_plain, &trapezia), 0.245, 1e-3);
}

// Elastica: cantilever with a dead load P at its end, P L^2/(E I) = 1 and 10. Inextensible and
// without shear, w/L = 0.30172, u/L = 0.05643 and w/L = 0.81061, u/L = 0.55500 [Mattiasson1981].
// L/h = 50 has a shear part of 0.6 (h/L)^2 = 2.4e-4 of the displacement and, for load 10, an axial
// strain P/(E A) = 10/12 (h/L)^2 = 3.3e-4; chords of n elements shorten the bow by O(1/n^2), below
// 1e-3.
static void test_elastica(void **state)
{
    (void)state;
    static const double load_number[2] = {1, 10};
    static const double expected[2][2] = {{0.30172, 0.05643}, {0.81061, 0.55500}};
    static const int32_t n_elements[2] = {20, 40}, n_steps[2] = {4, 20};
    const double L = 50, EI = 1000.0 / 12;
    for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law)
        for (int32_t i = 0; i < 2; ++i) {
            const pcs_material material = {
                .law = (pcs_material_law)law, .young = 1000, .density = 1};
            block b;
            block_make(&b, &pcs_fe_hexahedron, material, n_elements[i], 1, 1, L, 1, 1);
            block_prepare(&b);
            clamp_start(&b);
            double *load = zeros((size_t)b.n_unknowns, sizeof *load);
            for (int32_t step = 0; step < n_steps[i]; ++step) {
                end_load(&b, 2, load_number[i] * EI / (L * L) / n_steps[i], load);
                solve(&b, load, 1e-9);
            }
            assert_near(end_displacement(&b, 2) / L, expected[i][0], 1e-3);
            assert_near(-end_displacement(&b, 0) / L, expected[i][1], 1e-3);
            free(load);
            block_free(&b);
        }
}

// ---- Natural frequencies ----

// The two lowest bending frequencies (about both axes) of a clamped or free block, over those of
// Euler's beam
static void frequency_ratios(const pcs_fe_class *class, bool clamped, bool lumped, double *ratio)
{
    const double E = 1000, rho = 1.7, L = 20, height = 1.1;
    const double beta = clamped ? 1.8751040687 : 4.7300407449;
    const pcs_material material = {.young = E, .poisson = 0.3, .density = rho};
    block b;
    block_make(&b, class, material, 20, 1, 1, L, 1, height);
    b.property.lumped = lumped;
    block_prepare(&b);
    if (clamped)
        clamp_start(&b);
    block_assemble(&b, true);
    const int32_t n = b.n_unknowns;
    int32_t n_free = 0;
    double *values = zeros((size_t)n, sizeof *values);
    for (int32_t i = 0; i < n; ++i) { // moves the free rows and columns to the front
        if (b.fixed[i])
            continue;
        for (int32_t j = 0, k = 0; j < n; ++j)
            if (!b.fixed[j]) {
                b.K[n_free * n + k] = b.K[i * n + j];
                b.M[n_free * n + k++] = b.M[i * n + j];
            }
        ++n_free;
    }
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n_free, b.K, n, b.M, n, values),
                     0);
    const int32_t first = clamped ? 0 : 6;
    for (int32_t i = 0; i < first; ++i) // rigid motions: K has entries of 1e3, M of 1e-1
        assert_near(values[i], 0, 1e-9);
    const double scale = beta * beta * sqrt(E / (12 * rho)) / (L * L);
    ratio[0] = sqrt(values[first]) / scale;
    ratio[1] = sqrt(values[first + 1]) / (scale * height);
    free(values);
    block_free(&b);
}

// Shear and rotary inertia lower the frequencies of a free beam by 0.5 %, those of the clamped one
// by less, and its end, which cannot narrow, raises them. The plain element is 20 to 25 % too high.
// Lumped masses sit on the outside of the section and at the ends of the elements: they add d^2/6
// to the squared radius of gyration d^2/12 of a section of height d, and l^2/6 for elements of
// length l, which lowers the frequency by (d^2 + l^2)/12 times int w'^2 / int w^2. With sigma of
// the mode that quotient is sigma beta (2 + sigma beta)/L^2 for the clamped and sigma beta (6 +
// sigma beta)/L^2 for the free beam (integrals of the mode shapes).
static void test_frequencies(void **state)
{
    (void)state;
    static const double sigma_beta[2] = {0.982502215 * 4.730040745, 0.734095514 * 1.875104069};
    const double depth[2] = {1, 1.1}, L = 20, element = 1;
    double ratio[2], lumped[2];
    for (int clamped = 0; clamped < 2; ++clamped) {
        frequency_ratios(&pcs_fe_hexahedron, clamped, false, ratio);
        frequency_ratios(&pcs_fe_hexahedron, clamped, true, lumped);
        for (int32_t i = 0; i < 2; ++i) {
            const double slopes = sigma_beta[clamped] * ((clamped ? 2 : 6) + sigma_beta[clamped]);
            const double shift = slopes / (L * L) * (depth[i] * depth[i] + element * element) / 12;
            assert_near(ratio[i], 1, 0.01);
            assert_near(lumped[i] / ratio[i], 1 - shift, 3 * shift * shift); // second order
        }
    }
    frequency_ratios(&pcs_fe_hexahedron_plain, true, false, ratio);
    assert_true(ratio[0] > 1.2 && ratio[1] > 1.2);
}

// ---- Near incompressibility ----

// Plane strain bending, nu = 0.4999: the beam with E/(1 - nu^2). The clamped end, where such a
// material cannot move at all, costs up to 4 % of a beam of ten heights (0.996, 0.961 and 0.974 for
// 1, 2 and 4 elements over the height). The plain element is more than ten times too stiff.
static void test_plane_strain(void **state)
{
    (void)state;
    for (int32_t k = 1; k <= 4; k *= 2) {
        const cantilever c = {.poisson = 0.4999,
                              .length = 10,
                              .height = 1,
                              .width = 1.0 / k,
                              .nx = 10 * k,
                              .nz = k,
                              .plane_strain = true};
        assert_near(bending_ratio(&pcs_fe_hexahedron, &c), 1, 0.05);
        if (k == 2)
            assert_true(bending_ratio(&pcs_fe_hexahedron_plain, &c) < 0.1);
    }
}

// Force on a unit block between two plates that it sticks to, pulled by `strain`: an eighth of it,
// n x n x n elements.
static double plate_force(const pcs_fe_class *class, pcs_material_law law, int32_t n, double strain,
                          int32_t n_steps)
{
    const pcs_material material = {.law = law, .young = 1, .poisson = 0.4999, .density = 1};
    block b;
    block_make(&b, class, material, n, n, n, 1, 1, 1);
    block_prepare(&b);
    double *moved = zeros((size_t)b.n_unknowns, sizeof *moved), force = 0;
    for (int32_t k = 0; k <= n; ++k)
        for (int32_t j = 0; j <= n; ++j)
            for (int32_t i = 0; i <= n; ++i) {
                const int32_t at = 3 * node_at(&b, i, j, k);
                b.fixed[at] = i == 0 || k == n;
                b.fixed[at + 1] = j == 0 || k == n;
                b.fixed[at + 2] = k == 0 || k == n;
                moved[at + 2] = k == n ? strain / n_steps : 0;
            }
    for (int32_t step = 0; step < n_steps; ++step) {
        newton_step(&b, NULL, moved);
        solve(&b, NULL, 1e-10);
    }
    block_assemble(&b, false);
    for (int32_t j = 0; j <= n; ++j)
        for (int32_t i = 0; i <= n; ++i)
            force -= b.f[3 * node_at(&b, i, j, n) + 2];
    free(moved);
    block_free(&b);
    return force;
}

// Force over strain, by n:                 1        2       3       4
//   St Venant, strain 0.001      modes   1.503   1.345   1.300   1.281    plain 418, 106, 48, 27
//   neo-Hookean, strain 0.001    modes   1.495   1.340   1.295   1.276
//   neo-Hookean, strain -0.25    modes    1772   2.672   2.048   1.877    plain 588, 165, -, 44
// From n = 2 on, no locking; the last row shows that one element cannot hold a large strain that
// changes by its own size over the element (docs/theory/solids.md).
static void test_plates(void **state)
{
    (void)state;
    for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law) {
        const double coarse = plate_force(&pcs_fe_hexahedron, (pcs_material_law)law, 2, 1e-3, 1);
        const double fine = plate_force(&pcs_fe_hexahedron, (pcs_material_law)law, 4, 1e-3, 1);
        assert_true(coarse > fine && coarse < 1.06 * fine);
        assert_true(plate_force(&pcs_fe_hexahedron_plain, (pcs_material_law)law, 2, 1e-3, 1) >
                    70 * fine);
    }
    const double coarse = plate_force(&pcs_fe_hexahedron, PCS_MATERIAL_NEO_HOOKEAN, 2, -0.25, 10);
    const double fine = plate_force(&pcs_fe_hexahedron, PCS_MATERIAL_NEO_HOOKEAN, 4, -0.25, 10);
    assert_true(coarse < fine && coarse > 1.5 * fine); // both are pressure
}

static int setup(void **state)
{
    (void)state;
    context = pcs_context_create(NULL);
    return context ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    pcs_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch),        cmocka_unit_test(test_bending),
        cmocka_unit_test(test_elastica),     cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_plane_strain), cmocka_unit_test(test_plates),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

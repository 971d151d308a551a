// Total Lagrangian solid elements with assumed strains. With F = sum_a x_a (x) grad N_a at a point,
//   E = (F^T F - I)/2 - sum_k M_k r_k,   r_k = sum_p w M_k : D (F^T F - I)/2     (no modes: M = 0)
// is the strain of least elastic energy among those that the modes reach: enhanced assumed strain
// with its parameters eliminated [SimoRifai1990]. The energy is V = sum_p w W(E), with the volume
// measure theta of the law replaced by mean(theta) + tr E - mean(tr E) where there are modes, so
// that a material which keeps its volume sets one condition for each element. Force and tangent are
// the exact derivatives of V. Viscous stress: S_v = b D E'. Derivation: docs/theory/solids.md.
#include "elements/solid.h"

#include <math.h>
#include <string.h>

#include "elements/solid_modes.h"
#include "linalg/kernels.h"

enum { NODES = PCS_SOLID_NODES, POINTS = PCS_SOLID_POINTS, WIDE = PCS_SOLID_UNKNOWNS };

// Strains and elastic stresses of an element.
typedef struct strains {
    const pcs_law_class *law;
    pcs_lame lame;
    double y[NODES][3]; // nodes, from the first one
    pcs_mat3 F[POINTS]; // deformation gradients
    pcs_material_point point[POINTS];
    double theta[POINTS]; // volume measure that counts
    double theta_mean;    // of the law, over the volume
    double volume;
    double S[POINTS][6];
} strains;

// Strain rates and viscous stresses.
typedef struct rates {
    double v[NODES][3];
    pcs_mat3 F[POINTS]; // d/dt of the deformation gradients
    double strain[POINTS][6];
    double S[POINTS][6];
} rates;

static const double (*gradients(const pcs_solid_shape *shape, int32_t point))[3]
{
    return shape->gradient + point * shape->n_nodes;
}

// Gradients of a nodal field y, given from its value at the first node
static void field_gradients(const pcs_solid_shape *shape, double (*y)[3], pcs_mat3 *F)
{
    for (int32_t p = 0; p < shape->n_points; ++p) {
        const double(*g)[3] = gradients(shape, p);
        for (int32_t i = 0; i < 3; ++i)
            pcs_kernel_row(3, false, 1.0, shape->n_nodes, &y[0][i], 3, &g[0][0], 3, F[p].m[i]);
    }
}

static void from_first(const pcs_solid_shape *shape, const pcs_vec3 *x, double (*y)[3])
{
    for (int32_t a = 0; a < shape->n_nodes; ++a)
        pcs_v3_store(y[a], pcs_v3_sub(x[a], x[0]));
}

// s (F^T G + G^T F) as a strain
static void symmetric_product(const pcs_mat3 *F, const pcs_mat3 *G, double s, double *e)
{
    static const int32_t row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    for (int32_t c = 0; c < 6; ++c) {
        int32_t i = row[c], j = column[c];
        double sum = 0;
        for (int32_t k = 0; k < 3; ++k)
            sum += F->m[k][i] * G->m[k][j] + G->m[k][i] * F->m[k][j];
        e[c] = (c < 3 ? s : 2 * s) * sum;
    }
}

// Takes from the strains of the points what the modes reach; they are s (F^T G + G^T F) with F and
// G the gradients of y and z.
static void relax(const pcs_solid_shape *shape, double (*y)[3], double (*z)[3], double s,
                  double (*strain)[6])
{
    double pairs[PCS_SOLID_PAIRS], r[PCS_SOLID_MODES], raw[PCS_SOLID_MODES];
    for (int32_t a = 0, pair = 0; a < NODES; ++a)
        for (int32_t b = 0; b <= a; ++b, ++pair)
            pairs[pair] = (a == b ? s : 2 * s) *
                          (y[a][0] * z[b][0] + y[a][1] * z[b][1] + y[a][2] * z[b][2] +
                           y[b][0] * z[a][0] + y[b][1] * z[a][1] + y[b][2] * z[a][2]);
    pcs_solid_modes_measure(shape->modes, pairs, r);
    pcs_solid_modes_combine(shape->modes, 1, r, raw);
    for (int32_t p = 0; p < shape->n_points; ++p)
        pcs_solid_modes_add(shape->modes, p, shape->weight[p], -1, 1, raw, strain[p]);
}

static double trace(const double *e)
{
    return e[0] + e[1] + e[2];
}

// Replaces the volume measure of the points by mean(theta) + tr E - mean(tr E).
static void average_volume(const pcs_solid_shape *shape, strains *k)
{
    double theta = 0, tr = 0;
    for (int32_t p = 0; p < shape->n_points; ++p) {
        theta += shape->weight[p] * k->point[p].theta;
        tr += shape->weight[p] * trace(k->point[p].strain);
    }
    for (int32_t p = 0; p < shape->n_points; ++p)
        k->theta[p] = trace(k->point[p].strain) + (theta - tr) / k->volume;
    k->theta_mean = theta / k->volume;
}

// The mean of the strains at the ends x -+ d/2 of a step is that at x and (grad d)^T (grad d)/8: E is
// quadratic in x, and so is what the modes take from it. For a linear law the force with the mean
// stress does the work V(x + d/2) - V(x - d/2) along d, whatever d is [SimoTarnow1992]; at x alone a
// turning body would be as if strained by the chord of its way.
static void add_ends(const pcs_solid_shape *shape, const pcs_vec3 *way, double (*E)[6])
{
    double d[NODES][3];
    pcs_mat3 G[POINTS];
    from_first(shape, way, d);
    field_gradients(shape, d, G);
    double ends[POINTS][6];
    for (int32_t p = 0; p < shape->n_points; ++p)
        symmetric_product(&G[p], &G[p], 0.0625, ends[p]);
    if (shape->modes)
        relax(shape, d, d, 0.0625, ends);
    for (int32_t p = 0; p < shape->n_points; ++p)
        for (int32_t i = 0; i < 6; ++i)
            E[p][i] += ends[p][i];
}

// Strains, and the volume measure that counts. False where the law has no energy for a strain, or
// the element is inside out: C alone does not see it, and St Venant's law would take it for
// unstrained.
static bool find_strains(const pcs_fe *element, const pcs_solid_shape *shape,
                         const pcs_fe_state *state, strains *k)
{
    double E[POINTS][6];
    k->law = pcs_law_class_find(element->property->material.law);
    k->lame = pcs_material_lame(&element->property->material);
    k->volume = 0;
    k->theta_mean = 0;
    from_first(shape, state->x, k->y);
    field_gradients(shape, k->y, k->F);
    for (int32_t p = 0; p < shape->n_points; ++p) {
        symmetric_product(&k->F[p], &k->F[p], 0.25, E[p]);
        for (int32_t i = 0; i < 3; ++i)
            E[p][i] -= 0.5;
    }
    if (shape->modes)
        relax(shape, k->y, k->y, 0.25, E);
    if (state->has_way)
        add_ends(shape, state->way, E);
    for (int32_t p = 0; p < shape->n_points; ++p) {
        k->volume += shape->weight[p];
        if (!k->law->set(E[p], &k->point[p]) || !(pcs_m3_det(&k->F[p]) > 0))
            return false;
        k->theta[p] = k->point[p].theta;
    }
    if (shape->modes)
        average_volume(shape, k);
    return true;
}

static void find_stresses(const pcs_solid_shape *shape, strains *k)
{
    for (int32_t p = 0; p < shape->n_points; ++p) {
        const double theta = shape->modes ? k->theta_mean : k->theta[p];
        k->law->stress(k->lame.mu, k->lame.lambda * theta, &k->point[p], k->S[p]);
        for (int32_t i = 0; i < 3; ++i)
            k->S[p][i] += k->lame.lambda * (k->theta[p] - theta);
    }
}

// What the nodes feel of the stresses: S - sum_k D M_k (sum_p w M_k : S). Stresses of a linear law
// have no part along the modes.
static void project_stresses(const pcs_solid_shape *shape, const strains *k, double (*S)[6])
{
    memcpy(S, k->S, sizeof k->S);
    if (!shape->modes || k->law->linear)
        return;
    double c[PCS_SOLID_MODES], raw[PCS_SOLID_MODES];
    pcs_solid_modes_collect(shape->modes, S, c);
    pcs_solid_modes_combine(shape->modes, 1, c, raw);
    for (int32_t p = 0; p < shape->n_points; ++p) {
        double strain[6] = {0}, stress[6];
        pcs_solid_modes_add(shape->modes, p, shape->weight[p], -1, 1, raw, strain);
        pcs_material_elasticity(k->lame, 1, strain, stress);
        for (int32_t i = 0; i < 6; ++i)
            S[p][i] += stress[i];
    }
}

static pcs_lame scaled_lame(pcs_lame lame, double s)
{
    return (pcs_lame){.lambda = s * lame.lambda, .mu = s * lame.mu};
}

static void find_rates(const pcs_fe *element, const pcs_solid_shape *shape,
                       const pcs_fe_state *state, strains *k, rates *r)
{
    const double b = element->property->material.damping;
    const pcs_lame viscous = scaled_lame(k->lame, b);
    from_first(shape, state->v, r->v);
    field_gradients(shape, r->v, r->F);
    for (int32_t p = 0; p < shape->n_points; ++p)
        symmetric_product(&k->F[p], &r->F[p], 0.5, r->strain[p]);
    if (shape->modes)
        relax(shape, k->y, r->v, 0.5, r->strain);
    for (int32_t p = 0; p < shape->n_points; ++p)
        pcs_material_elasticity(viscous, 1, r->strain[p], r->S[p]);
}

static void fill_nan(int32_t count, double *array)
{
    for (int32_t i = 0; i < count; ++i)
        array[i] = NAN;
}

// w S grad N_a for every node
static void tractions(int32_t n_nodes, const double (*g)[3], double w, const double *S,
                      double (*out)[3])
{
    for (int32_t a = 0; a < n_nodes; ++a) {
        out[a][0] = w * (S[0] * g[a][0] + S[3] * g[a][1] + S[5] * g[a][2]);
        out[a][1] = w * (S[3] * g[a][0] + S[1] * g[a][1] + S[4] * g[a][2]);
        out[a][2] = w * (S[5] * g[a][0] + S[4] * g[a][1] + S[2] * g[a][2]);
    }
}

// ---- Functions of the classes ----

pcs_status pcs_solid_check(pcs_context *ctx, const pcs_fe_property *property)
{
    return pcs_material_check_solid(ctx, &property->material);
}

double pcs_solid_energy(const pcs_fe *element, const pcs_fe_state *state)
{
    const pcs_solid_shape found = element->class->shape(element), *shape = &found;
    strains k;
    if (!find_strains(element, shape, state, &k))
        return HUGE_VAL;
    double V = 0;
    for (int32_t p = 0; p < shape->n_points; ++p) {
        double volumetric = 0.5 * k.lame.lambda * k.theta[p] * k.theta[p];
        V += shape->weight[p] * (k.law->energy(k.lame.mu, &k.point[p]) + volumetric);
    }
    return V;
}

double pcs_solid_force(const pcs_fe *element, const pcs_fe_state *state, double *f)
{
    const pcs_solid_shape found = element->class->shape(element), *shape = &found;
    const int32_t n = shape->n_nodes;
    double S[POINTS][6], power = 0;
    strains k;
    if (!find_strains(element, shape, state, &k)) {
        fill_nan(3 * n, f);
        return NAN;
    }
    find_stresses(shape, &k);
    project_stresses(shape, &k, S);
    if (element->property->material.damping > 0) {
        rates r;
        find_rates(element, shape, state, &k, &r);
        for (int32_t p = 0; p < shape->n_points; ++p)
            for (int32_t i = 0; i < 6; ++i) {
                S[p][i] += r.S[p][i];
                power -= shape->weight[p] * r.S[p][i] * r.strain[p][i];
            }
    }
    memset(f, 0, (size_t)(3 * n) * sizeof *f);
    for (int32_t p = 0; p < shape->n_points; ++p) {
        double t[NODES][3];
        const double(*F)[3] = (const double(*)[3])k.F[p].m;
        tractions(n, gradients(shape, p), shape->weight[p], S[p], t);
        for (int32_t a = 0; a < n; ++a)
            for (int32_t i = 0; i < 3; ++i)
                f[3 * a + i] -= F[i][0] * t[a][0] + F[i][1] * t[a][1] + F[i][2] * t[a][2];
    }
    return power;
}

// Cauchy stress F S F^T / det F, averaged over the volume
void pcs_solid_results(const pcs_fe *element, const pcs_fe_state *state, double *out)
{
    const pcs_solid_shape found = element->class->shape(element), *shape = &found;
    strains k;
    if (!find_strains(element, shape, state, &k)) {
        fill_nan(PCS_SOLID_RESULTS, out);
        return;
    }
    find_stresses(shape, &k);
    double *c = out + 1;
    memset(out, 0, PCS_SOLID_RESULTS * sizeof *out);
    for (int32_t p = 0; p < shape->n_points; ++p) {
        double T[3][3], FS[3][3];
        tractions(3, (const double[3][3]){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1, k.S[p], T);
        const double(*F)[3] = (const double(*)[3])k.F[p].m;
        for (int32_t i = 0; i < 3; ++i)
            for (int32_t j = 0; j < 3; ++j)
                FS[i][j] = F[i][0] * T[0][j] + F[i][1] * T[1][j] + F[i][2] * T[2][j];
        const double s = shape->weight[p] / (k.volume * pcs_m3_det(&k.F[p]));
        for (int32_t i = 0; i < 3; ++i) {
            const int32_t j = (i + 1) % 3;
            c[i] += s * (FS[i][0] * F[i][0] + FS[i][1] * F[i][1] + FS[i][2] * F[i][2]);
            c[3 + i] += s * (FS[i][0] * F[j][0] + FS[i][1] * F[j][1] + FS[i][2] * F[j][2]);
        }
    }
    double normal = (c[0] - c[1]) * (c[0] - c[1]) + (c[1] - c[2]) * (c[1] - c[2]) +
                    (c[2] - c[0]) * (c[2] - c[0]);
    double shear = c[3] * c[3] + c[4] * c[4] + c[5] * c[5];
    out[0] = sqrt(0.5 * normal + 3 * shear);
}

// ---- Tangent ----

// Left^T right, accumulated row by row.
typedef struct products {
    int32_t n_rows;
    double left[POINTS * 6 + 2][WIDE], right[POINTS * 6 + 2][WIDE];
} products;

enum { TILE = PCS_KERNEL_WIDTH };

// Two rows of pcs_kernel_row at once, which reads `right` half as often
static inline void add_two_rows(int32_t n_rows, const double *left, const double *right, double *a)
{
#if defined(__GNUC__)
    pcs_kernel_pair s0 = {0, 0}, s1 = s0, s2 = s0, t0 = s0, t1 = s0, t2 = s0;
    for (int32_t r = 0; r < n_rows; ++r, left += WIDE, right += WIDE) {
        const pcs_kernel_pair *x = (const pcs_kernel_pair *)right;
        s0 += left[0] * x[0];
        s1 += left[0] * x[1];
        s2 += left[0] * x[2];
        t0 += left[1] * x[0];
        t1 += left[1] * x[1];
        t2 += left[1] * x[2];
    }
    pcs_kernel_pair *first = (pcs_kernel_pair *)a, *second = (pcs_kernel_pair *)(a + WIDE);
    first[0] += s0;
    first[1] += s1;
    first[2] += s2;
    second[0] += t0;
    second[1] += t1;
    second[2] += t2;
#else
    for (int32_t i = 0; i < 2; ++i)
        pcs_kernel_row(TILE, true, 1.0, n_rows, left + i, WIDE, right, WIDE, a + i * WIDE);
#endif
}

// a += left^T right; with `half` only columns from the tile of the diagonal on
static void add_products(const products *rows, int32_t n, bool half, double a[WIDE][WIDE])
{
    for (int32_t i = 0; i < n; i += 2)
        for (int32_t j = half ? i - i % TILE : 0; j < n; j += TILE)
            add_two_rows(rows->n_rows, &rows->left[0][i], &rows->right[0][j], &a[i][j]);
}

// B: derivative of (F^T F)/2 by the nodes
static void strain_rows(int32_t n_nodes, const double (*g)[3], const pcs_mat3 *gradient,
                        double (*rows)[WIDE])
{
    const double(*F)[3] = (const double(*)[3])gradient->m;
    for (int32_t a = 0; a < n_nodes; ++a)
        for (int32_t i = 0; i < 3; ++i) {
            const int32_t j = 3 * a + i;
            rows[0][j] = F[i][0] * g[a][0];
            rows[1][j] = F[i][1] * g[a][1];
            rows[2][j] = F[i][2] * g[a][2];
            rows[3][j] = F[i][0] * g[a][1] + F[i][1] * g[a][0];
            rows[4][j] = F[i][1] * g[a][2] + F[i][2] * g[a][1];
            rows[5][j] = F[i][2] * g[a][0] + F[i][0] * g[a][2];
        }
    for (int32_t c = 0; c < 6; ++c)
        for (int32_t j = 3 * n_nodes; j < WIDE; ++j)
            rows[c][j] = 0;
}

// What a node brings to the products of a linear law at the points.
typedef struct node_terms {
    double t[POINTS][3];      // F grad N
    double normal[POINTS][3]; // w lambda G grad N
    double shear[POINTS][3];  // w mu G grad N
} node_terms;

// Block of two nodes, kept in registers over the points
static inline void add_linear_block(const pcs_solid_shape *shape, int32_t m, int32_t l,
                                    const node_terms *first, const node_terms *second,
                                    double (*FG)[3][3], double *a)
{
    double xx = 0, xy = 0, xz = 0, yx = 0, yy = 0, yz = 0, zx = 0, zy = 0, zz = 0;
    for (int32_t p = 0; p < shape->n_points; ++p) {
        const double *g = gradients(shape, p)[m], *h = gradients(shape, p)[l];
        const double *t = first->t[p], *u = second->t[p], (*f)[3] = (const double(*)[3])FG[p];
        const double *normal = second->normal[p], *shear = first->shear[p];
        const double c = g[0] * h[0] + g[1] * h[1] + g[2] * h[2];
        xx += t[0] * normal[0] + u[0] * shear[0] + c * f[0][0];
        xy += t[0] * normal[1] + u[0] * shear[1] + c * f[0][1];
        xz += t[0] * normal[2] + u[0] * shear[2] + c * f[0][2];
        yx += t[1] * normal[0] + u[1] * shear[0] + c * f[1][0];
        yy += t[1] * normal[1] + u[1] * shear[1] + c * f[1][1];
        yz += t[1] * normal[2] + u[1] * shear[2] + c * f[1][2];
        zx += t[2] * normal[0] + u[2] * shear[0] + c * f[2][0];
        zy += t[2] * normal[1] + u[2] * shear[1] + c * f[2][1];
        zz += t[2] * normal[2] + u[2] * shear[2] + c * f[2][2];
    }
    const double block[3][3] = {{xx, xy, xz}, {yx, yy, yz}, {zx, zy, zz}};
    for (int32_t i = 0; i < 3; ++i)
        for (int32_t j = 0; j < 3; ++j)
            a[i * WIDE + j] += block[i][j];
}

// a_ab += sum_p w B_a^T D B'_b for the elasticity D at rest, B of F and B' of G = s F + s_rate F':
//   lambda (F g_a)(G g_b)^T + mu ((g_a . g_b) F G^T + (F g_b)(G g_a)^T),   g = grad N.
// Half the work of products of strain rows. r is NULL where s_rate is 0; then the lower half is
// left out.
static void add_linear(const pcs_solid_shape *shape, const strains *k, double s, const rates *r,
                       double s_rate, double a[WIDE][WIDE])
{
    const int32_t n = shape->n_nodes;
    node_terms node[NODES];
    double FG[POINTS][3][3]; // w mu F G^T
    for (int32_t p = 0; p < shape->n_points; ++p) {
        const double(*F)[3] = (const double(*)[3])k->F[p].m, (*g)[3] = gradients(shape, p);
        const double lambda = shape->weight[p] * k->lame.lambda, mu = shape->weight[p] * k->lame.mu;
        double G[3][3];
        for (int32_t i = 0; i < 3; ++i)
            for (int32_t j = 0; j < 3; ++j)
                G[i][j] = s * F[i][j] + (r ? s_rate * r->F[p].m[i][j] : 0);
        for (int32_t i = 0; i < 3; ++i) {
            for (int32_t j = 0; j < 3; ++j)
                FG[p][i][j] = mu * (F[i][0] * G[j][0] + F[i][1] * G[j][1] + F[i][2] * G[j][2]);
            for (int32_t m = 0; m < n; ++m) {
                const double tau = G[i][0] * g[m][0] + G[i][1] * g[m][1] + G[i][2] * g[m][2];
                node[m].t[p][i] = F[i][0] * g[m][0] + F[i][1] * g[m][1] + F[i][2] * g[m][2];
                node[m].normal[p][i] = lambda * tau;
                node[m].shear[p][i] = mu * tau;
            }
        }
    }
    for (int32_t m = 0; m < n; ++m)
        for (int32_t l = r ? 0 : m; l < n; ++l)
            add_linear_block(shape, m, l, &node[m], &node[l], FG, &a[3 * m][3 * l]);
}

// Less what the modes take: -s G^T G - s_rate G^T G', G the derivative of the r_k by the nodes
static void mode_products(const pcs_solid_shape *shape, strains *k, double s, rates *r,
                          double s_rate, products *rows)
{
    double rate[PCS_SOLID_MODES][WIDE] = {{0}};
    pcs_solid_modes_gradient(shape->modes, k->y, rows->left);
    if (r)
        pcs_solid_modes_gradient(shape->modes, r->v, rate);
    for (int32_t i = 0; i < PCS_SOLID_MODES; ++i)
        for (int32_t j = 0; j < WIDE; ++j)
            rows->right[i][j] = -s * rows->left[i][j] - s_rate * rate[i][j];
    rows->n_rows = PCS_SOLID_MODES;
}

// dS/dE of a point, without the coupling of the points by their mean volume
static void point_tangent(const pcs_solid_shape *shape, const strains *k, int32_t p, double D[6][6])
{
    const double theta = shape->modes ? k->theta_mean : k->theta[p];
    double volume[6] = {1, 1, 1, 0, 0, 0};
    if (!shape->modes)
        k->law->volume(&k->point[p], volume);
    k->law->tangent(k->lame.mu, k->lame.lambda * theta, &k->point[p], D);
    for (int32_t i = 0; i < 6; ++i)
        for (int32_t j = 0; j < 6; ++j)
            D[i][j] += k->lame.lambda * volume[i] * volume[j];
}

// s sum_p w B^T (dS/dE) B with B less what the modes take. With modes the points are coupled by the
// mean volume: + s lambda/V (g g^T - t t^T), g = sum w B^T dtheta/dE, t = sum w B^T I.
static void nonlinear_products(const pcs_solid_shape *shape, strains *k, double s, products *rows)
{
    double modes[PCS_SOLID_MODES][WIDE], raw[PCS_SOLID_MODES][WIDE], g[WIDE] = {0}, t[WIDE] = {0};
    if (shape->modes) {
        pcs_solid_modes_gradient(shape->modes, k->y, modes);
        pcs_solid_modes_combine(shape->modes, WIDE, &modes[0][0], &raw[0][0]);
    }
    rows->n_rows = 0;
    for (int32_t p = 0; p < shape->n_points; ++p) {
        const double w = shape->weight[p];
        double(*B)[WIDE] = &rows->left[rows->n_rows], (*DB)[WIDE] = &rows->right[rows->n_rows];
        double D[6][6], volume[6], unit[6];
        strain_rows(shape->n_nodes, gradients(shape, p), &k->F[p], B);
        if (shape->modes)
            pcs_solid_modes_add(shape->modes, p, w, -1, WIDE, &raw[0][0], &B[0][0]);
        point_tangent(shape, k, p, D);
        k->law->volume(&k->point[p], volume);
        for (int32_t i = 0; i < 6; ++i) {
            volume[i] *= w;
            unit[i] = i < 3 ? w : 0;
            for (int32_t j = 0; j < 6; ++j)
                D[i][j] *= s * w;
        }
        for (int32_t j = 0; j < WIDE; j += TILE) {
            for (int32_t i = 0; i < 6; ++i)
                pcs_kernel_row(TILE, false, 1.0, 6, D[i], 1, &B[0][j], WIDE, &DB[i][j]);
            pcs_kernel_row(TILE, true, 1.0, 6, volume, 1, &B[0][j], WIDE, &g[j]);
            pcs_kernel_row(TILE, true, 1.0, 3, unit, 1, &B[0][j], WIDE, &t[j]);
        }
        rows->n_rows += 6;
    }
    if (!shape->modes)
        return;
    for (int32_t j = 0; j < WIDE; ++j) {
        rows->left[rows->n_rows][j] = g[j];
        rows->right[rows->n_rows][j] = s * k->lame.lambda / k->volume * g[j];
        rows->left[rows->n_rows + 1][j] = t[j];
        rows->right[rows->n_rows + 1][j] = -s * k->lame.lambda / k->volume * t[j];
    }
    rows->n_rows += 2;
}

// a_ab += s sum_p w (grad N_a . S grad N_b) I
static void add_geometric(const pcs_solid_shape *shape, double (*S)[6], double s,
                          double a[WIDE][WIDE])
{
    const int32_t n = shape->n_nodes;
    double pairs[PCS_SOLID_PAIRS] = {0};
    for (int32_t p = 0; p < shape->n_points; ++p) {
        const double(*g)[3] = gradients(shape, p);
        double t[NODES][3];
        tractions(n, g, s * shape->weight[p], S[p], t);
        for (int32_t i = 0, pair = 0; i < n; ++i)
            for (int32_t j = 0; j <= i; ++j, ++pair)
                pairs[pair] += g[i][0] * t[j][0] + g[i][1] * t[j][1] + g[i][2] * t[j][2];
    }
    for (int32_t i = 0, pair = 0; i < n; ++i)
        for (int32_t j = 0; j <= i; ++j, ++pair)
            for (int32_t c = 0; c < 3; ++c) {
                a[3 * i + c][3 * j + c] += pairs[pair];
                if (i != j)
                    a[3 * j + c][3 * i + c] += pairs[pair];
            }
}

// Mean strains follow the end of the way, x + d/2: B(x)^T D B(x + d/2) in place of B(x)^T D B(x).
// Puts s_rate F' + s/2 grad d into the rates.
static void add_way(const pcs_solid_shape *shape, const pcs_vec3 *way, double s, double s_rate,
                    rates *r)
{
    double d[NODES][3];
    pcs_mat3 G[POINTS];
    from_first(shape, way, d);
    field_gradients(shape, d, G);
    for (int32_t a = 0; a < shape->n_nodes; ++a)
        for (int32_t i = 0; i < 3; ++i)
            r->v[a][i] = (s_rate != 0 ? s_rate * r->v[a][i] : 0) + 0.5 * s * d[a][i];
    for (int32_t p = 0; p < shape->n_points; ++p)
        for (int32_t i = 0; i < 3; ++i)
            for (int32_t j = 0; j < 3; ++j)
                r->F[p].m[i][j] = (s_rate != 0 ? s_rate * r->F[p].m[i][j] : 0) +
                                  0.5 * s * G[p].m[i][j];
}

void pcs_solid_tangent(const pcs_fe *element, const pcs_fe_state *state, double scale_K,
                       double scale_C, double *A)
{
    const pcs_solid_shape found = element->class->shape(element), *shape = &found;
    const int32_t n = 3 * shape->n_nodes;
    const double damping = element->property->material.damping;
    double a[WIDE][WIDE] = {{0}}, S[POINTS][6];
    strains k;
    rates r;
    products rows;
    if (!find_strains(element, shape, state, &k)) {
        fill_nan(n * n, A);
        return;
    }
    find_stresses(shape, &k);
    project_stresses(shape, &k, S);
    bool viscous = damping > 0 && scale_K != 0; // the viscous force depends on positions
    if (viscous) {
        find_rates(element, shape, state, &k, &r);
        for (int32_t p = 0; p < shape->n_points; ++p)
            for (int32_t i = 0; i < 6; ++i)
                S[p][i] += r.S[p][i];
    }
    const double at_rest = damping * scale_C + (k.law->linear ? scale_K : 0);
    const bool along_way = state->has_way && k.law->linear && scale_K != 0;
    const bool one_sided = viscous || along_way;
    double s_rate = damping * scale_K;
    if (along_way) {
        add_way(shape, state->way, scale_K, viscous ? s_rate : 0, &r);
        s_rate = 1;
    }
    if (at_rest != 0 || one_sided) {
        rates *moving = one_sided ? &r : NULL;
        add_linear(shape, &k, at_rest, moving, s_rate, a);
        if (shape->modes) {
            mode_products(shape, &k, at_rest, moving, s_rate, &rows);
            add_products(&rows, n, !one_sided, a);
        }
    }
    if (!k.law->linear && scale_K != 0) {
        nonlinear_products(shape, &k, scale_K, &rows);
        add_products(&rows, n, !one_sided, a);
    }
    if (!one_sided) // symmetric: the lower half follows
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < i; ++j)
                a[i][j] = a[j][i];
    if (scale_K != 0)
        add_geometric(shape, S, scale_K, a);
    for (int32_t i = 0; i < n; ++i)
        memcpy(A + i * n, a[i], (size_t)n * sizeof *A);
}

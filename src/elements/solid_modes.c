// Twelve enhanced strain modes [SimoRifai1990, SimoArmeroTaylor1993]: with xi, eta, zeta the
// natural coordinates, the tensor axes of the element's centre and the factor 1/det J, which makes
// every mode orthogonal to constant stresses,
//   E_xixi: xi   E_etaeta: eta   E_zetazeta: zeta
//   2 E_xieta: xi, eta   2 E_etazeta: eta, zeta   2 E_zetaxi: zeta, xi
//   volume: xi eta, eta zeta, zeta xi.
// At the points |xi| is the same everywhere, so signs stand for coordinates.
#include "elements/solid_modes.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"

const double pcs_solid_signs[PCS_SOLID_POINTS][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1},
                                                     {-1, 1, -1},  {-1, -1, 1}, {1, -1, 1},
                                                     {1, 1, 1},    {-1, 1, 1}};

enum { N = PCS_SOLID_MODES, HALF = N / 2, WIDE = PCS_SOLID_UNKNOWNS, NODES = PCS_SOLID_NODES };

void pcs_solid_modes_measure(const pcs_solid_modes *modes, const double *pairs, double *out)
{
    for (int32_t k = 0; k < N; k += HALF)
        pcs_kernel_row(HALF, false, 1.0, PCS_SOLID_PAIRS, pairs, 1, &modes->form[0][k], N, out + k);
}

void pcs_solid_modes_gradient(const pcs_solid_modes *modes, double (*y)[3], double rows[N][WIDE])
{
    double form[NODES][NODES][N]; // both halves
    const double(*pair)[N] = modes->form;
    for (int32_t a = 0; a < NODES; ++a)
        for (int32_t b = 0; b <= a; ++b, ++pair)
            for (int32_t k = 0; k < N; ++k)
                form[a][b][k] = form[b][a][k] = (*pair)[k];
    for (int32_t a = 0; a < NODES; ++a)
        for (int32_t i = 0; i < 3; ++i) {
            double column[N];
            for (int32_t k = 0; k < N; k += HALF)
                pcs_kernel_row(HALF, false, 1.0, NODES, &y[0][i], 3, &form[a][0][k], N, column + k);
            for (int32_t k = 0; k < N; ++k)
                rows[k][3 * a + i] = column[k];
        }
}

// Inlined for constant n, so that the loops over columns become vector operations.
static inline void combine_columns(const pcs_solid_modes *modes, const int32_t n,
                                   const double *restrict c, double *restrict raw)
{
    for (int32_t i = 0; i < N; ++i) {
        double sum[WIDE] = {0};
        for (int32_t k = i; k < N; ++k)
            for (int32_t j = 0; j < n; ++j)
                sum[j] += modes->combination[i][k] * c[k * n + j];
        memcpy(raw + i * n, sum, (size_t)n * sizeof *raw);
    }
}

void pcs_solid_modes_combine(const pcs_solid_modes *modes, int32_t n_columns, const double *c,
                             double *raw)
{
    if (n_columns == 1)
        combine_columns(modes, 1, c, raw);
    else
        combine_columns(modes, WIDE, c, raw);
}

// Strains in the natural axes of the centre, and a volume strain, of raw modes
static inline void natural_strains(const double *sign, double scale, const int32_t n,
                                   const double *restrict c, double *restrict natural,
                                   double *restrict volume)
{
    const double xi = scale * sign[0], eta = scale * sign[1], zeta = scale * sign[2];
    const double xe = xi * sign[1], ez = eta * sign[2], zx = zeta * sign[0];
    for (int32_t j = 0; j < n; ++j) {
        natural[j] = xi * c[j];
        natural[n + j] = eta * c[n + j];
        natural[2 * n + j] = zeta * c[2 * n + j];
        natural[3 * n + j] = xi * c[3 * n + j] + eta * c[4 * n + j];
        natural[4 * n + j] = eta * c[5 * n + j] + zeta * c[6 * n + j];
        natural[5 * n + j] = zeta * c[7 * n + j] + xi * c[8 * n + j];
        volume[j] = xe * c[9 * n + j] + ez * c[10 * n + j] + zx * c[11 * n + j];
    }
}

static void add_wide(const pcs_solid_modes *modes, const double *sign, double scale,
                     const double *restrict c, double *restrict strain)
{
    double natural[6 * WIDE], volume[WIDE];
    natural_strains(sign, scale, WIDE, c, natural, volume);
    for (int32_t i = 0; i < 6; ++i)
        for (int32_t j = 0; j < WIDE; j += PCS_KERNEL_WIDTH)
            pcs_kernel_row(PCS_KERNEL_WIDTH, true, 1.0, 6, modes->frame[i], 1, natural + j, WIDE,
                           strain + i * WIDE + j);
    for (int32_t i = 0; i < 3; ++i)
        for (int32_t j = 0; j < WIDE; ++j)
            strain[i * WIDE + j] += volume[j];
}

void pcs_solid_modes_add(const pcs_solid_modes *modes, int32_t point, double weight, double s,
                         int32_t n_columns, const double *raw, double *strain)
{
    const double *sign = pcs_solid_signs[point];
    if (n_columns == WIDE) {
        add_wide(modes, sign, s / weight, raw, strain);
        return;
    }
    double natural[6], volume;
    natural_strains(sign, s / weight, 1, raw, natural, &volume);
    for (int32_t i = 0; i < 6; ++i) {
        const double *T = modes->frame[i];
        strain[i] += (T[0] * natural[0] + T[1] * natural[1] + T[2] * natural[2]) +
                     (T[3] * natural[3] + T[4] * natural[4] + T[5] * natural[5]);
        strain[i] += i < 3 ? volume : 0;
    }
}

void pcs_solid_modes_collect(const pcs_solid_modes *modes, double (*S)[6], double *out)
{
    double raw[N] = {0};
    for (int32_t p = 0; p < PCS_SOLID_POINTS; ++p) {
        const double xi = pcs_solid_signs[p][0], eta = pcs_solid_signs[p][1],
                     zeta = pcs_solid_signs[p][2];
        double s[6] = {0};
        for (int32_t i = 0; i < 6; ++i)
            for (int32_t j = 0; j < 6; ++j)
                s[j] += modes->frame[i][j] * S[p][i];
        const double pressure = S[p][0] + S[p][1] + S[p][2];
        const double at_point[N] = {
            xi * s[0],  eta * s[1],          zeta * s[2],           xi * s[3],
            eta * s[3], eta * s[4],          zeta * s[4],           zeta * s[5],
            xi * s[5],  xi * eta * pressure, eta * zeta * pressure, zeta * xi * pressure};
        for (int32_t k = 0; k < N; ++k)
            raw[k] += at_point[k];
    }
    for (int32_t k = 0; k < N; ++k) {
        out[k] = 0;
        for (int32_t i = 0; i <= k; ++i)
            out[k] += modes->combination[i][k] * raw[i];
    }
}

// ---- Making them ----

// E_Cartesian = J^-T E_natural J^-1 for unit components of E_natural
static void make_frame(const pcs_mat3 *inverse, double frame[6][6])
{
    static const int32_t row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    for (int32_t k = 0; k < 6; ++k)
        for (int32_t c = 0; c < 6; ++c) {
            const double *a = inverse->m[row[k]], *b = inverse->m[column[k]];
            int32_t i = row[c], j = column[c];
            // The shear strains of the natural axes are doubled ones too.
            double e = 0.5 * (a[i] * b[j] + b[i] * a[j]);
            frame[c][k] = c < 3 ? e : 2 * e;
        }
}

// A = sum_p w M^T D M and the forms of the raw modes
static void raw_modes(pcs_solid_modes *modes, const pcs_solid_shape *shape, pcs_lame lame,
                      double A[N][N])
{
    for (int32_t p = 0; p < shape->n_points; ++p) {
        const double w = shape->weight[p];
        const double(*g)[3] = shape->gradient + p * shape->n_nodes;
        double M[6][N], T[6][N];
        for (int32_t k = 0; k < N; ++k) {
            double unit[N] = {0}, strain[6] = {0};
            unit[k] = 1;
            pcs_solid_modes_add(modes, p, w, 1, 1, unit, strain);
            for (int32_t i = 0; i < 6; ++i)
                M[i][k] = strain[i];
        }
        pcs_material_elasticity(lame, N, &M[0][0], &T[0][0]);
        for (int32_t k = 0; k < N; ++k) {
            for (int32_t l = 0; l < N; ++l)
                for (int32_t i = 0; i < 6; ++i)
                    A[k][l] += w * M[i][k] * T[i][l];
            for (int32_t a = 0, pair = 0; a < shape->n_nodes; ++a)
                for (int32_t b = 0; b <= a; ++b, ++pair) {
                    const double *x = g[a], *y = g[b];
                    double q = T[0][k] * x[0] * y[0] + T[1][k] * x[1] * y[1] +
                               T[2][k] * x[2] * y[2] + T[3][k] * (x[0] * y[1] + x[1] * y[0]) +
                               T[4][k] * (x[1] * y[2] + x[2] * y[1]) +
                               T[5][k] * (x[2] * y[0] + x[0] * y[2]);
                    modes->form[pair][k] += w * q;
                }
        }
    }
}

bool pcs_solid_modes_init(pcs_solid_modes *modes, const pcs_solid_shape *shape, pcs_lame lame,
                          const pcs_mat3 *centre)
{
    double A[N][N] = {{0}};
    pcs_mat3 inverse;
    if (!pcs_m3_inverse(centre, &inverse))
        return false;
    memset(modes, 0, sizeof *modes);
    make_frame(&inverse, modes->frame);
    raw_modes(modes, shape, lame, A);
    if (pcs_dense_cholesky_factor(N, &A[0][0]) >= 0)
        return false;
    // combination = L^-T, by back substitution for each unit column
    for (int32_t k = 0; k < N; ++k)
        for (int32_t i = k; i >= 0; --i) {
            double sum = i == k ? 1 : 0;
            for (int32_t j = i + 1; j <= k; ++j)
                sum -= A[j][i] * modes->combination[j][k];
            modes->combination[i][k] = sum / A[i][i];
        }
    for (int32_t pair = 0; pair < PCS_SOLID_PAIRS; ++pair)
        for (int32_t k = N - 1; k >= 0;
             --k) { // in place: a mode has parts of those before it alone
            double sum = 0;
            for (int32_t i = 0; i <= k; ++i)
                sum += modes->combination[i][k] * modes->form[pair][i];
            modes->form[pair][k] = sum;
        }
    return true;
}

// Twelve enhanced strain modes [SimoRifai1990, SimoArmeroTaylor1993]: with xi, eta, zeta the natural
// coordinates, the tensor axes of the element's centre and the factor 1/det J, which makes every
// mode orthogonal to constant stresses,
//   E_xixi: xi   E_etaeta: eta   E_zetazeta: zeta
//   2 E_xieta: xi, eta   2 E_etazeta: eta, zeta   2 E_zetaxi: zeta, xi
//   volume: xi eta, eta zeta, zeta xi.
// At the points |xi| is the same everywhere, so signs stand for coordinates.
#include "elements/solid_modes.h"

#include <string.h>

#include "linalg/dense.h"

const double pcs_solid_signs[PCS_SOLID_POINTS][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1},
                                                     {-1, 1, -1},  {-1, -1, 1}, {1, -1, 1},
                                                     {1, 1, 1},    {-1, 1, 1}};

enum { N = PCS_SOLID_MODES, WIDE = PCS_SOLID_UNKNOWNS };

void pcs_solid_modes_measure(const pcs_solid_modes *modes, const double *pairs, double *out)
{
    for (int32_t k = 0; k < N; ++k) {
        double sum = 0;
        for (int32_t i = 0; i < PCS_SOLID_PAIRS; ++i)
            sum += modes->form[k][i] * pairs[i];
        out[k] = sum;
    }
}

void pcs_solid_modes_gradient(const pcs_solid_modes *modes, double (*y)[3], double rows[N][WIDE])
{
    memset(rows, 0, N * WIDE * sizeof(double));
    for (int32_t k = 0; k < N; ++k) {
        const double *form = modes->form[k];
        double *row = rows[k];
        for (int32_t a = 0; a < PCS_SOLID_NODES; ++a) {
            for (int32_t b = 0; b < a; ++b) {
                double q = 0.5 * *form++;
                for (int32_t i = 0; i < 3; ++i) {
                    row[3 * a + i] += q * y[b][i];
                    row[3 * b + i] += q * y[a][i];
                }
            }
            for (int32_t i = 0; i < 3; ++i)
                row[3 * a + i] += *form * y[a][i];
            ++form;
        }
    }
}

void pcs_solid_modes_combine(const pcs_solid_modes *modes, int32_t n_columns, const double *c,
                             double *raw)
{
    memset(raw, 0, (size_t)(N * n_columns) * sizeof *raw);
    for (int32_t i = 0; i < N; ++i)
        for (int32_t k = i; k < N; ++k)
            for (int32_t j = 0; j < n_columns; ++j)
                raw[i * n_columns + j] += modes->combination[i][k] * c[k * n_columns + j];
}

// Inlined for constant n, so that the loops over columns become vector operations.
static inline void add_columns(const pcs_solid_modes *modes, const double *sign, double scale,
                               const int32_t n, const double *restrict c, double *restrict strain)
{
    const double xi = scale * sign[0], eta = scale * sign[1], zeta = scale * sign[2];
    const double xe = xi * sign[1], ez = eta * sign[2], zx = zeta * sign[0];
    double natural[6][WIDE], volume[WIDE];
    for (int32_t j = 0; j < n; ++j) {
        natural[0][j] = xi * c[j];
        natural[1][j] = eta * c[n + j];
        natural[2][j] = zeta * c[2 * n + j];
        natural[3][j] = xi * c[3 * n + j] + eta * c[4 * n + j];
        natural[4][j] = eta * c[5 * n + j] + zeta * c[6 * n + j];
        natural[5][j] = zeta * c[7 * n + j] + xi * c[8 * n + j];
        volume[j] = xe * c[9 * n + j] + ez * c[10 * n + j] + zx * c[11 * n + j];
    }
    for (int32_t i = 0; i < 6; ++i) {
        const double *T = modes->frame[i];
        const double normal = i < 3 ? 1 : 0;
        for (int32_t j = 0; j < n; ++j)
            strain[i * n + j] += T[0] * natural[0][j] + T[1] * natural[1][j] +
                                 T[2] * natural[2][j] + T[3] * natural[3][j] +
                                 T[4] * natural[4][j] + T[5] * natural[5][j] + normal * volume[j];
    }
}

void pcs_solid_modes_add(const pcs_solid_modes *modes, int32_t point, double weight, double s,
                         int32_t n_columns, const double *raw, double *strain)
{
    const double *sign = pcs_solid_signs[point];
    if (n_columns == 1)
        add_columns(modes, sign, s / weight, 1, raw, strain);
    else if (n_columns == N)
        add_columns(modes, sign, s / weight, N, raw, strain);
    else
        add_columns(modes, sign, s / weight, WIDE, raw, strain);
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
    double unit[N][N] = {{0}};
    for (int32_t k = 0; k < N; ++k)
        unit[k][k] = 1;
    for (int32_t p = 0; p < shape->n_points; ++p) {
        const double w = shape->weight[p];
        const double(*g)[3] = shape->gradient + p * shape->n_nodes;
        double M[6][N] = {{0}}, T[6][N];
        pcs_solid_modes_add(modes, p, w, 1, N, &unit[0][0], &M[0][0]);
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
                    modes->form[k][pair] += (a == b ? w : 2 * w) * q;
                }
        }
    }
}

bool pcs_solid_modes_init(pcs_solid_modes *modes, const pcs_solid_shape *shape, pcs_lame lame,
                          const pcs_mat3 *centre)
{
    double A[N][N] = {{0}}, form[N][PCS_SOLID_PAIRS];
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
    memcpy(form, modes->form, sizeof form);
    for (int32_t k = 0; k < N; ++k)
        for (int32_t pair = 0; pair < PCS_SOLID_PAIRS; ++pair) {
            double sum = 0;
            for (int32_t i = 0; i <= k; ++i)
                sum += modes->combination[i][k] * form[i][pair];
            modes->form[k][pair] = sum;
        }
    return true;
}

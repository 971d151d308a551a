// Pivot of a tableau: x_r = p x_c + sum_j T_rj x_j + t_r is solved for x_c and put in all the other
// rows. Rounding that has gathered over many pivots goes when T = -B^-1 N, t = B^-1 b is computed
// anew from the columns B of the basic and N of the nonbasic variables in w - A z - d z0 = b.
#include "nonsmooth/tableau.h"

#include <math.h>

#include "linalg/dense.h"

pcs_status pcs_tableau_init(pcs_tableau *tableau, pcs_arena *arena, int32_t rows, int32_t columns)
{
    tableau->rows = rows;
    tableau->columns = columns;
    tableau->T = PCS_ARENA_ARRAY(arena, double, rows *(int64_t)(columns + 1));
    tableau->basic = PCS_ARENA_ARRAY(arena, int32_t, rows);
    tableau->nonbasic = PCS_ARENA_ARRAY(arena, int32_t, columns);
    return tableau->T && tableau->basic && tableau->nonbasic ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_tableau_pivot(pcs_tableau *tableau, int32_t row, int32_t column)
{
    const int32_t width = tableau->columns + 1;
    double *pivot_row = pcs_tableau_row(tableau, row);
    const double pivot = pivot_row[column];
    for (int32_t j = 0; j < width; j++) // x_c = (x_r - sum_j T_rj x_j - t_r) / p
        pivot_row[j] /= -pivot;
    pivot_row[column] = 1.0 / pivot;
    for (int32_t i = 0; i < tableau->rows; i++) {
        double *other = pcs_tableau_row(tableau, i);
        const double factor = other[column];
        if (i == row || factor == 0.0)
            continue;
        other[column] = 0.0; // the product below then gives factor / p
        for (int32_t j = 0; j < width; j++)
            other[j] += factor * pivot_row[j];
    }
    const int32_t variable = tableau->basic[row];
    tableau->basic[row] = tableau->nonbasic[column];
    tableau->nonbasic[column] = variable;
}

static double system_entry(int32_t m, const double *A, const double *d, int32_t i, int32_t variable)
{
    if (variable < m)
        return i == variable ? 1.0 : 0.0;
    return variable == 2 * m ? -d[i] : -A[(int64_t)i * m + variable - m];
}

bool pcs_tableau_recompute(pcs_tableau *tableau, const double *A, const double *b, const double *d,
                           double *work, int32_t *pivot)
{
    const int32_t m = tableau->rows, width = tableau->columns + 1;
    double *basis = work, *columns = work + (int64_t)m * m;
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < m; j++)
            basis[(int64_t)i * m + j] = system_entry(m, A, d, i, tableau->basic[j]);
    if (pcs_dense_lu_factor(m, basis, pivot) >= 0)
        return false;
    for (int32_t j = 0; j < width; j++)
        for (int32_t i = 0; i < m; i++)
            columns[(int64_t)j * m + i] = j == width - 1
                                              ? b[i]
                                              : -system_entry(m, A, d, i, tableau->nonbasic[j]);
    pcs_dense_lu_solve(m, basis, pivot, width, columns);
    for (int64_t k = 0; k < (int64_t)width * m; k++)
        if (!isfinite(columns[k]))
            return false;
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < width; j++)
            pcs_tableau_row(tableau, i)[j] = columns[(int64_t)j * m + i];
    return true;
}

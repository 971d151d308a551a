// Jordan algebra of the second-order cone { x : x_0 >= |x_T| } of size 1, 2 or 3, and the scaling
// of Nesterov and Todd for a pair of its interior points [Vandenberghe2010, sec. 4].
//
// A point keeps its distance d = x_0 - |x_T| from the boundary apart, because a slipping contact
// ends with d/x_0 far below the rounding of x_0. All functions use d where a difference of large
// numbers would stand: det x = d (2 |x_T| + d).
#ifndef PCS_NONSMOOTH_SECOND_ORDER_CONE_H
#define PCS_NONSMOOTH_SECOND_ORDER_CONE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pcs_cone_point {
    double x[3];
    double distance;
} pcs_cone_point;

// The symmetric P with P z = P^-1 y = lambda. Its eigenvectors are (1, n)/2^(1/2), (1, -n)/2^(1/2)
// and, for size 3, (0, -n_2, n_1).
typedef struct pcs_cone_scaling {
    double n[2];
    double value[3]; // eigenvalues of P in the order above; size 1: the first alone
    double lambda[3];
    double det;     // of lambda
    double t[2];    // y_T / |y_T|, 0 if y_T = 0
    double product; // z . y
} pcs_cone_scaling;

void pcs_cone_point_set(int32_t size, double distance, const double *tangent,
                        pcs_cone_point *point);
// Along d from the point; `normal` is d_0 - t . d_T, t = x_T/|x_T|, which the caller may know to
// more digits than the difference has (pcs_cone_normal computes it otherwise).
double pcs_cone_normal(int32_t size, const pcs_cone_point *point, const double *d);
void pcs_cone_advance(int32_t size, pcs_cone_point *point, const double *d, double normal,
                      double step);
// Largest step that stays in the cone; infinite if d is a direction of the cone.
double pcs_cone_max_step(int32_t size, const pcs_cone_point *point, const double *d, double normal);
// False if a point is not in the interior.
bool pcs_cone_scale(int32_t size, const pcs_cone_point *z, const pcs_cone_point *y,
                    pcs_cone_scaling *scaling);
// out = f(P) x, with the values of f at the eigenvalues; out may be x.
void pcs_cone_function(int32_t size, const pcs_cone_scaling *scaling, const double f[3],
                       const double *x, double *out);
// out = P x
static inline void pcs_cone_apply(int32_t size, const pcs_cone_scaling *scaling, const double *x,
                                  double *out)
{
    pcs_cone_function(size, scaling, scaling->value, x, out);
}
// out = a o b,  out = lambda \ b (the x with lambda o x = b)
void pcs_cone_product(int32_t size, const double *a, const double *b, double *out);
void pcs_cone_divide(int32_t size, const pcs_cone_scaling *scaling, const double *b, double *out);
// The pair with z - y = v and z o y = tau e, tau > 0: a centred start from any v.
void pcs_cone_split(int32_t size, const double *v, double tau, pcs_cone_point *z,
                    pcs_cone_point *y);

#endif

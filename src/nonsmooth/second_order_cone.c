// Points, steps and the Nesterov-Todd scaling of second-order cones of size 1 to 3, to the digits
// that the distance from the boundary has [Vandenberghe2010, sec. 4].
#include "nonsmooth/second_order_cone.h"

#include <math.h>

static double tangent_norm(int32_t size, const double *x)
{
    return size == 1 ? 0.0 : size == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

static double tangent_dot(int32_t size, const double *a, const double *b)
{
    double sum = 0.0;
    for (int32_t k = 1; k < size; k++)
        sum += a[k] * b[k];
    return sum;
}

void pcs_cone_point_set(int32_t size, double distance, const double *tangent, pcs_cone_point *point)
{
    for (int32_t k = 1; k < 3; k++)
        point->x[k] = k < size ? tangent[k - 1] : 0.0;
    point->distance = distance;
    point->x[0] = tangent_norm(size, point->x) + distance;
}

double pcs_cone_normal(int32_t size, const pcs_cone_point *point, const double *d)
{
    const double norm = tangent_norm(size, point->x);
    if (norm == 0.0)
        return d[0] - tangent_norm(size, d);
    return d[0] - tangent_dot(size, point->x, d) / norm;
}

void pcs_cone_advance(int32_t size, pcs_cone_point *point, const double *d, double normal,
                      double step)
{
    // |x_T + s d_T| = |x_T| + s t.d_T + curve, with the curve as a quotient of positive numbers
    // unless the step passes behind the axis
    const double norm = tangent_norm(size, point->x);
    const double along = norm > 0.0 ? tangent_dot(size, point->x, d) / norm : 0.0;
    const double cross = fmax(0.0, tangent_dot(size, d, d) - along * along);
    for (int32_t k = 1; k < size; k++)
        point->x[k] += step * d[k];
    const double norm_after = tangent_norm(size, point->x), straight = norm + step * along;
    if (norm > 0.0 && straight > 0.0)
        point->distance += step * normal - step * step * cross / (norm_after + straight);
    else
        point->distance += step * d[0] - (norm_after - norm);
    point->x[0] = norm_after + point->distance;
}

double pcs_cone_max_step(int32_t size, const pcs_cone_point *point, const double *d, double normal)
{
    if (size == 1)
        return d[0] < 0.0 ? -point->x[0] / d[0] : INFINITY;
    // det(x + s d) = C + 2 B s + A s^2, C > 0: its smallest positive root
    const double norm = tangent_norm(size, point->x), d_norm = tangent_norm(size, d);
    const double A = (d[0] - d_norm) * (d[0] + d_norm);
    const double B = (norm > 0.0 ? norm * normal : 0.0) + point->distance * d[0];
    const double C = point->distance * (2.0 * norm + point->distance);
    const double discriminant = B * B - A * C;
    if (discriminant < 0.0 || (A >= 0.0 && B >= 0.0))
        return INFINITY;
    const double root = sqrt(discriminant);
    return B < 0.0 ? C / (root - B) : (B + root) / -A;
}

bool pcs_cone_scale(int32_t size, const pcs_cone_point *z, const pcs_cone_point *y,
                    pcs_cone_scaling *scaling)
{
    const double a_T = tangent_norm(size, z->x), b_T = tangent_norm(size, y->x);
    const double det_z = z->distance * (2.0 * a_T + z->distance);
    const double det_y = y->distance * (2.0 * b_T + y->distance);
    if (!(z->distance > 0.0 && y->distance > 0.0 && det_z > 0.0 && det_y > 0.0))
        return false;
    const double root_z = sqrt(det_z), root_y = sqrt(det_y);
    // unit tangents; a missing one is opposite to the other, as at a solution
    double t[2] = {0.0, 0.0}, sum[2] = {0.0, 0.0};
    for (int32_t k = 1; k < size; k++) {
        const double t_z = a_T > 0.0 ? z->x[k] / a_T : b_T > 0.0 ? -y->x[k] / b_T : k == 1;
        t[k - 1] = b_T > 0.0 ? y->x[k] / b_T : -t_z;
        sum[k - 1] = t[k - 1] + t_z;
    }
    const double opening = 0.5 * (sum[0] * sum[0] + sum[1] * sum[1]); // 1 + t_z . t_y
    // normalised: det = 1
    const double a = a_T / root_z, a_d = z->distance / root_z;
    const double b = b_T / root_y, b_d = y->distance / root_y;
    const double product = a * b * opening + a_d * b + b_d * a + a_d * b_d;
    const double gamma = sqrt(0.5 * (1.0 + product));
    const double lambda_scale = sqrt(root_z * root_y), z_0 = a + a_d, y_0 = b + b_d;
    scaling->det = root_z * root_y;
    scaling->product = product * scaling->det;
    scaling->lambda[0] = lambda_scale * gamma;
    const double along = gamma * (a - b) + b_d * a - a_d * b, across = (gamma + z_0) * b;
    const double part = lambda_scale / (z_0 + y_0 + 2.0 * gamma);
    double w[3] = {(z_0 + y_0) / (2.0 * gamma), 0.0, 0.0};
    for (int32_t k = 1; k < 3; k++) {
        const double t_z = sum[k - 1] - t[k - 1];
        scaling->t[k - 1] = b_T > 0.0 ? t[k - 1] : 0.0;
        w[k] = k < size ? (y->x[k] / root_y - z->x[k] / root_z) / (2.0 * gamma) : 0.0;
        scaling->lambda[k] = k < size ? part * (along * t_z + across * sum[k - 1]) : 0.0;
    }
    // P = eta (w_0, w_T; w_T, I + w_T w_T^T / (1 + w_0)), det w = 1
    const double eta = sqrt(root_y / root_z), w_T = tangent_norm(size, w);
    scaling->n[0] = w_T > 0.0 ? w[1] / w_T : 1.0;
    scaling->n[1] = w_T > 0.0 ? w[2] / w_T : 0.0;
    scaling->value[0] = eta * (w[0] + w_T);
    scaling->value[1] = eta / (w[0] + w_T);
    scaling->value[2] = eta;
    return isfinite(scaling->value[0]) && scaling->value[1] > 0.0;
}

void pcs_cone_function(int32_t size, const pcs_cone_scaling *scaling, const double f[3],
                       const double *x, double *out)
{
    if (size == 1) {
        out[0] = f[0] * x[0];
        return;
    }
    const double *n = scaling->n;
    const double x_n = n[0] * x[1] + (size == 3 ? n[1] * x[2] : 0.0);
    const double high = 0.5 * f[0] * (x[0] + x_n), low = 0.5 * f[1] * (x[0] - x_n);
    const double cross = size == 3 ? f[2] * (n[0] * x[2] - n[1] * x[1]) : 0.0;
    out[0] = high + low;
    out[1] = (high - low) * n[0] - cross * n[1];
    if (size == 3)
        out[2] = (high - low) * n[1] + cross * n[0];
}

void pcs_cone_product(int32_t size, const double *a, const double *b, double *out)
{
    double value[3] = {a[0] * b[0] + tangent_dot(size, a, b), 0.0, 0.0};
    for (int32_t k = 1; k < size; k++)
        value[k] = a[0] * b[k] + b[0] * a[k];
    for (int32_t k = 0; k < size; k++)
        out[k] = value[k];
}

void pcs_cone_divide(int32_t size, const pcs_cone_scaling *scaling, const double *b, double *out)
{
    const double *lambda = scaling->lambda;
    if (size == 1) {
        out[0] = b[0] / lambda[0];
        return;
    }
    const double first = (lambda[0] * b[0] - tangent_dot(size, lambda, b)) / scaling->det;
    for (int32_t k = 1; k < size; k++)
        out[k] = (b[k] - first * lambda[k]) / lambda[0];
    out[0] = first;
}

// The positive root x of x (x - v) = tau
static double split_value(double v, double tau)
{
    const double root = sqrt(v * v + 4.0 * tau);
    return v >= 0.0 ? 0.5 * (v + root) : 2.0 * tau / (root - v);
}

void pcs_cone_split(int32_t size, const double *v, double tau, pcs_cone_point *z, pcs_cone_point *y)
{
    // eigenvalues of v on the frame (1, t)/2, (1, -t)/2; those of z and y are split one by one
    const double norm = tangent_norm(size, v);
    double tangent_z[2] = {0.0, 0.0}, tangent_y[2] = {0.0, 0.0};
    const double high = split_value(v[0] + norm, tau), low = split_value(v[0] - norm, tau);
    for (int32_t k = 1; k < size && norm > 0.0; k++) {
        tangent_z[k - 1] = 0.5 * (high - low) * v[k] / norm;
        tangent_y[k - 1] = 0.5 * (tau / high - tau / low) * v[k] / norm;
    }
    pcs_cone_point_set(size, size == 1 ? high : low, tangent_z, z);
    pcs_cone_point_set(size, tau / high, tangent_y, y);
}

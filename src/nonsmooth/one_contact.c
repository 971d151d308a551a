// Exact solution of a single contact with Coulomb friction.
//
// With q_N >= 0 the contact may open: r = 0. Otherwise u_N = 0, the normal impulse is eliminated
// (one_contact.h) and r_T is sought along the curve
//     (S + s I) r_T(s) = -b,   s >= 0,   that is u_T = -s r_T,
// with r_N(s) = -q_N / W_NN + c . r_T(s). The end s = 0 is sticking, valid if |r_T| <= mu r_N;
// slip is a root of |r_T(s)| = mu r_N(s). As s grows r_T -> 0 and r_N -> -q_N / W_NN > 0, so that a
// contact which neither opens nor sticks has a slip root whenever S is positive semidefinite.
//
// Several solutions (Painleve): open before stick before slip. In the plane q_N < 0 leaves only one
// solution, so the rule is complete; in space it is unique as long as r_N/|r_T| grows with s.
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/cone.h"
#include "nonsmooth/friction_contact.h"
#include "nonsmooth/one_contact.h"

// A Schur complement below this part of the terms it is the difference of is rounding: about 64
// roundings enter W_ii = H M^-1 H^T and its elimination.
static const double RANK_TOLERANCE = 64.0 * DBL_EPSILON;
// Newton needs 3 to 6 steps, bisection of the whole range of exponents about 60.
enum { MAX_ROOT_STEPS = 100, MAX_FIXED_POINT_STEPS = 200 };
// From a root nearby one or two steps do; a start that needs more is worse than none.
enum { MAX_FOLLOW_STEPS = 4 };
// The last step of Newton's method for s, as a part of trace(S) + s, leaves an error of about its
// square. A change of s moves u_T by ds r_T: below EXACT it is lost in the rounding of S r_T.
// Inside an iteration a search ends earlier, and a root that is followed still earlier: its steps
// shrink with the change of q, so that at the end of the sweeps the contact is solved to rounding.
static const double EXACT = 0.25 * DBL_EPSILON, SEARCH_TOLERANCE = 1e-6, FOLLOW_TOLERANCE = 1e-3;
// det(S) above this part of trace(S)^2: the condition number is below 100, and the inverse by
// cofactors lacks at most two digits.
static const double WELL_CONDITIONED = 1e-2;
// Data outside these bounds are scaled by powers of two, so that no product over- or underflows.
static const double SAFE_SMALL = 1e-60, SAFE_LARGE = 1e60;

// a b - c d with one rounding of the result [Kahan]
static double difference_of_products(double a, double b, double c, double d)
{
    double cd = c * d;
    double error = fma(-c, d, cd);
    return fma(a, b, -cd) + error;
}

static void prepare_tangent_plane(pcs_one_contact *p)
{
    const double *W = p->W;
    double scale = W[4] + W[8];
    double *S = p->S;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            S[2 * i + j] = W[3 * (i + 1) + j + 1] + W[3 * (i + 1)] * p->c[j];
    p->trace = S[0] + S[3];
    p->det = difference_of_products(S[0], S[3], S[1], S[2]);
    if (p->trace <= RANK_TOLERANCE * scale) { // rank 0: the tangent plane cannot move
        memset(S, 0, sizeof p->S);
        memset(p->inverse, 0, sizeof p->inverse);
        p->trace = p->det = 0.0;
    } else if (p->det <= RANK_TOLERANCE * (W[4] * fabs(S[3]) + W[8] * fabs(S[0]))) {
        p->det = 0.0; // rank 1: S = l v v^T, pseudo-inverse v v^T / l = S / l^2
        for (int k = 0; k < 4; k++)
            p->inverse[k] = S[k] / p->trace / p->trace;
    } else {
        p->inverse[0] = S[3] / p->det;
        p->inverse[1] = -S[1] / p->det;
        p->inverse[2] = -S[2] / p->det;
        p->inverse[3] = S[0] / p->det;
    }
}

void pcs_one_contact_prepare(pcs_one_contact *p, int32_t size, const double *W, double mu)
{
    memset(p, 0, sizeof *p);
    p->size = size;
    p->mu = mu;
    p->W = W;
    p->prepared = true;
    p->inverse_NN = W[0] > 0.0 ? 1.0 / W[0] : 0.0;
    for (int32_t j = 1; j < size; j++) {
        p->c[j - 1] = -W[j] * p->inverse_NN;
        p->d[j - 1] = W[j * size] * p->inverse_NN;
    }
    if (size == 3) {
        prepare_tangent_plane(p);
    } else if (size == 2) {
        p->S[0] = W[3] + W[2] * p->c[0];
        if (p->S[0] <= RANK_TOLERANCE * W[3])
            p->S[0] = 0.0;
        p->trace = p->det = p->S[0];
        p->inverse[0] = p->S[0] > 0.0 ? 1.0 / p->S[0] : 0.0;
    }
}

void pcs_one_contact_prepare_bilateral(pcs_one_contact *p, int32_t size, const double *W)
{
    pcs_one_contact_prepare(p, size, W, 0.0);
    p->bilateral = true;
}

void pcs_one_contact_init(pcs_one_contact *p, int32_t size, const double *W, double mu,
                          bool bilateral)
{
    p->W = W;
    p->size = size;
    p->mu = mu;
    p->bilateral = bilateral;
    p->prepared = false;
}

// |r - P_K(r - rho uhat)| / rho at u = W r + q, the velocity error of a candidate
static double velocity_error(const pcs_one_contact *p, const double *q, const double *r)
{
    double trace = 0.0, u[3];
    for (int32_t i = 0; i < p->size; i++) {
        u[i] = q[i];
        for (int32_t j = 0; j < p->size; j++)
            u[i] += p->W[i * p->size + j] * r[j];
        trace += p->W[i * p->size + i];
    }
    double rho = trace > 0.0 ? (double)p->size / trace : 1.0;
    double error = sqrt(pcs_friction_natural_map2(p->size, p->mu, rho, r, u)) / rho;
    return isfinite(error) ? error : INFINITY;
}

// Last link of the chain, for matrices that are not positive semidefinite and for problems without
// a solution: r <- P_K(r - rho uhat) from the best candidate so far, keeping the best.
static void solve_by_fixed_point(const pcs_one_contact *p, const double *q, double *best)
{
    const int32_t n = p->size;
    double x[3] = {0.0, 0.0, 0.0}, trace = 0.0;
    for (int32_t i = 0; i < n; i++)
        trace += fabs(p->W[i * n + i]);
    double best_error = velocity_error(p, q, best), zero_error = velocity_error(p, q, x);
    if (zero_error <= best_error) {
        memset(best, 0, (size_t)n * sizeof *best);
        best_error = zero_error;
    }
    if (!(trace > 0.0))
        return;
    memcpy(x, best, (size_t)n * sizeof *x);
    double rho = 1.0 / trace; // below 2 / (largest eigenvalue)
    for (int step = 0; step < MAX_FIXED_POINT_STEPS && best_error > 0.0; step++) {
        double u[3] = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < n; i++) {
            u[i] = q[i];
            for (int32_t j = 0; j < n; j++)
                u[i] += p->W[i * n + j] * x[j];
        }
        if (n > 1)
            u[0] += p->mu * hypot(u[1], u[2]);
        for (int32_t i = 0; i < n; i++)
            x[i] -= rho * u[i];
        pcs_cone_project(p->mu, n, x);
        double error = velocity_error(p, q, x);
        if (error < best_error) {
            best_error = error;
            memcpy(best, x, (size_t)n * sizeof *x);
        }
    }
}

// Stick is r_T = -b/S if |r_T| <= mu r_N. Slip in the direction t = -sign(b) has r_T = mu r_N t,
// hence r_N = r_N0 / (1 - mu c t): |r_T| - mu r_N is affine in |r_T|, negative at 0 and positive
// at the rejected stick, so the denominator is positive and the root is the only one.
static bool solve_plane(const pcs_one_contact *p, const double *q, double *r)
{
    double r_N0 = -q[0] * p->inverse_NN;
    double b = q[1] - p->d[0] * q[0];
    if (p->S[0] > 0.0 || fabs(b) <= RANK_TOLERANCE * (fabs(q[1]) + fabs(p->d[0] * q[0]))) {
        r[1] = -b * p->inverse[0];
        r[0] = r_N0 + p->c[0] * r[1];
        if (fabs(r[1]) <= p->mu * r[0])
            return true;
    }
    double t = b > 0.0 ? -1.0 : 1.0;
    double denominator = 1.0 - p->mu * p->c[0] * t;
    if (!(denominator > 0.0))
        return false;
    r[0] = r_N0 / denominator;
    r[1] = p->mu * r[0] * t;
    return isfinite(r[0]);
}

// S and S + s I can be inverted by cofactors.
static bool is_well_conditioned(const pcs_one_contact *p)
{
    return p->det > WELL_CONDITIONED * p->trace * p->trace;
}

// Sticking in space: r_T = -S^-1 b, refined once because S^-1 is explicit, but not inside an
// iteration where it is well-conditioned. A singular S sticks only if b lies in its range; its
// pseudo-inverse then gives the smallest |r_T|.
static bool solve_stick(const pcs_one_contact *p, double r_N0, const double b[2], double b_scale,
                        bool refine, double *r)
{
    const double *S = p->S, *V = p->inverse;
    double x = -(V[0] * b[0] + V[1] * b[1]), y = -(V[2] * b[0] + V[3] * b[1]);
    if (refine || !is_well_conditioned(p)) {
        double e0 = S[0] * x + S[1] * y + b[0], e1 = S[2] * x + S[3] * y + b[1];
        if (p->det == 0.0 && fabs(e0) + fabs(e1) > RANK_TOLERANCE * b_scale)
            return false;
        x -= V[0] * e0 + V[1] * e1;
        y -= V[2] * e0 + V[3] * e1;
    }
    r[0] = r_N0 + p->c[0] * x + p->c[1] * y;
    r[1] = x;
    r[2] = y;
    return r[0] >= 0.0 && x * x + y * y <= p->mu * p->mu * r[0] * r[0];
}

// One point of the slip curve: y = r_T(s), its length, the ratio g = mu r_N / |r_T| - 1 and dg/ds.
typedef struct slip_point {
    double y[2];
    double norm;
    double g, slope;
} slip_point;

// y = -(S + s I)^-1 b by cofactors, refined once.
static void compute_slip_vector(const pcs_one_contact *p, const double b[2], double s,
                                double inverse, double y[2])
{
    double A0 = p->S[0] + s, A3 = p->S[3] + s, A1 = p->S[1], A2 = p->S[2];
    y[0] = -(A3 * b[0] - A1 * b[1]) * inverse;
    y[1] = -(A0 * b[1] - A2 * b[0]) * inverse;
    double e0 = A0 * y[0] + A1 * y[1] + b[0], e1 = A2 * y[0] + A3 * y[1] + b[1];
    y[0] -= (A3 * e0 - A1 * e1) * inverse;
    y[1] -= (A0 * e1 - A2 * e0) * inverse;
}

// The curve at s; dy/ds = -(S + s I)^-1 y.
static slip_point evaluate_slip(const pcs_one_contact *p, double r_N0, const double b[2], double s)
{
    double inverse = 1.0 / (s * (s + p->trace) + p->det), y[2];
    compute_slip_vector(p, b, s, inverse, y);
    double dx = -((p->S[3] + s) * y[0] - p->S[1] * y[1]) * inverse;
    double dy = -((p->S[0] + s) * y[1] - p->S[2] * y[0]) * inverse;
    double norm = sqrt(y[0] * y[0] + y[1] * y[1]), inverse_norm = 1.0 / norm;
    double ratio = (r_N0 + p->c[0] * y[0] + p->c[1] * y[1]) * inverse_norm; // r_N / |r_T|
    double d_norm = (y[0] * dx + y[1] * dy) * inverse_norm;
    double d_ratio = (p->c[0] * dx + p->c[1] * dy - ratio * d_norm) * inverse_norm;
    return (slip_point){{y[0], y[1]}, norm, p->mu * ratio - 1.0, p->mu * d_ratio};
}

// r on the cone from the direction of r_T = y / divisor. On the ray r_T = mu r_N y/|y|, u_N = 0
// gives
//     r_N = r_N0 |y| / (|y| - mu c.y)
// without the error of s, stable also for a large mu, unless the denominator cancels; then |r_T|
// gives r_N. False: r is not finite.
static bool slip_impulse(const pcs_one_contact *p, double r_N0, const double y[2], double divisor,
                         double *r)
{
    const double norm = sqrt(y[0] * y[0] + y[1] * y[1]);
    const double denominator = norm - p->mu * (p->c[0] * y[0] + p->c[1] * y[1]);
    const double part = denominator > 0.5 * norm ? r_N0 / denominator : 1.0 / (divisor * p->mu);
    r[0] = part * norm;
    r[1] = p->mu * part * y[0];
    r[2] = p->mu * part * y[1];
    return isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]);
}

// Root of g(s) by Newton inside a bracket. For c = 0, g is the secular function of trust-region
// methods, concave and nearly affine. |r_T| <= |b| / s bounds the root from above.
static bool solve_slip(const pcs_one_contact *p, double r_N0, const double b[2], double tolerance,
                       double *slip, double *r)
{
    double b_norm = sqrt(b[0] * b[0] + b[1] * b[1]);
    double c_norm = sqrt(p->c[0] * p->c[0] + p->c[1] * p->c[1]);
    double low = 0.0, high = b_norm * (1.0 + p->mu * c_norm) / (p->mu * r_N0);
    if (!(high > 0.0) || !isfinite(high))
        return false;
    high *= 1.0 + RANK_TOLERANCE;
    // start at the root for r_T along b: (S_b + s) |r_T| = |b|, S_b = b.S b/|b|^2
    double S_b = (b[0] * (p->S[0] * b[0] + p->S[1] * b[1]) +
                  b[1] * (p->S[2] * b[0] + p->S[3] * b[1])) /
                 (b_norm * b_norm);
    double s = (b_norm + p->mu * (p->c[0] * b[0] + p->c[1] * b[1])) / (p->mu * r_N0) - S_b;
    if (!(s > 0.0 && s < high))
        s = 0.5 * DBL_EPSILON * p->trace + 0.125 * fmin(high, p->trace);
    if (!(s > 0.0 && s < high))
        s = 0.5 * high;
    slip_point at = evaluate_slip(p, r_N0, b, s);
    bool found = false;
    for (int step = 0; step < MAX_ROOT_STEPS && !found; step++) {
        if (at.g < 0.0)
            low = s;
        else
            high = s;
        double next = s - at.g / at.slope;
        if (!(next > low && next < high))
            next = low > 0.0 ? sqrt(low) * sqrt(high) : ldexp(high, -8);
        found = fabs(next - s) <= tolerance * (p->trace + s) ||
                high - low <= DBL_EPSILON * (p->trace + high);
        s = next;
        at = evaluate_slip(p, r_N0, b, s);
        double rounding = DBL_EPSILON * (1.0 + p->mu * (c_norm + r_N0 / at.norm)); // of g
        found = found || fabs(at.g) <= 2.0 * rounding;
    }
    *slip = s;
    return slip_impulse(p, r_N0, at.y, 1.0, r) && found;
}

// Newton for the same root from the root of an earlier, similar q. With D = det(S + s I) and the
// cofactors of S in z = D r_T(s) = z_0 - s b, g needs no division:
//     g = mu N/|z| - 1,  N = r_N0 D + c.z,      ds = (|z| - mu N) |z|^2 / (mu (N' |z|^2 + N z.b)).
// False: search afresh.
static bool follow_slip(const pcs_one_contact *p, double r_N0, const double b[2], double *slip,
                        double *r)
{
    const double *S = p->S, mu = p->mu;
    const double z0 = S[1] * b[1] - S[3] * b[0], z1 = S[2] * b[0] - S[0] * b[1];
    const double c_b = p->c[0] * b[0] + p->c[1] * b[1], c_z = p->c[0] * z0 + p->c[1] * z1;
    double s = *slip;
    for (int step = 0; step < MAX_FOLLOW_STEPS; step++) {
        const double z[2] = {z0 - s * b[0], z1 - s * b[1]};
        const double z2 = z[0] * z[0] + z[1] * z[1];
        const double N = r_N0 * (s * (s + p->trace) + p->det) + c_z - s * c_b;
        const double slope = r_N0 * (2.0 * s + p->trace) - c_b;
        const double ds = (sqrt(z2) - mu * N) * z2 /
                          (mu * (slope * z2 + N * (z[0] * b[0] + z[1] * b[1])));
        s += ds;
        if (!(s > 0.0))
            return false;
        if (fabs(ds) > FOLLOW_TOLERANCE * (p->trace + s))
            continue;
        *slip = s;
        double y[2] = {z0 - s * b[0], z1 - s * b[1]}, D = s * (s + p->trace) + p->det;
        if (is_well_conditioned(p))
            return slip_impulse(p, r_N0, y, D, r);
        compute_slip_vector(p, b, s, 1.0 / D, y);
        return slip_impulse(p, r_N0, y, 1.0, r);
    }
    return false;
}

// Reduced data of the contact with u_N = 0: r_N0, b, and the size of the terms of b.
static double reduce_to_plane(const pcs_one_contact *p, const double *q, double b[2],
                              double *b_scale)
{
    b[0] = q[1] - p->d[0] * q[0];
    b[1] = q[2] - p->d[1] * q[0];
    *b_scale = fabs(q[1]) + fabs(q[2]) + (fabs(p->d[0]) + fabs(p->d[1])) * fabs(q[0]);
    return -q[0] * p->inverse_NN;
}

static void solve_bilateral(const pcs_one_contact *p, const double *q, double *r)
{
    if (p->size == 3) {
        double b[2], b_scale, r_N0 = reduce_to_plane(p, q, b, &b_scale);
        const double *S = p->S, *V = p->inverse;
        double x = -(V[0] * b[0] + V[1] * b[1]), y = -(V[2] * b[0] + V[3] * b[1]);
        double e0 = S[0] * x + S[1] * y + b[0], e1 = S[2] * x + S[3] * y + b[1];
        r[1] = x - (V[0] * e0 + V[1] * e1);
        r[2] = y - (V[2] * e0 + V[3] * e1);
        r[0] = r_N0 + p->c[0] * r[1] + p->c[1] * r[2];
        return;
    }
    r[0] = -q[0] * p->inverse_NN;
    if (p->size == 2) {
        r[1] = -(q[1] - p->d[0] * q[0]) * p->inverse[0];
        r[0] += p->c[0] * r[1];
    }
}

// *slip > 0: a root nearby. `tolerance` is that of a search.
static void solve(const pcs_one_contact *p, const double *q, double tolerance, double *slip,
                  double *r)
{
    const bool refine = tolerance <= EXACT;
    for (int32_t k = 0; k < p->size; k++)
        r[k] = 0.0;
    if (p->bilateral) {
        solve_bilateral(p, q, r);
        return;
    }
    if (!(q[0] < 0.0) || p->inverse_NN == 0.0)
        return; // open; or q_N < 0 with W_NN = 0, which no impulse can mend
    if (p->size == 1 || p->mu == 0.0) {
        r[0] = -q[0] * p->inverse_NN;
        return;
    }
    if (p->size == 2) {
        if (!solve_plane(p, q, r))
            solve_by_fixed_point(p, q, r);
        return;
    }
    double b[2], b_scale, r_N0 = reduce_to_plane(p, q, b, &b_scale);
    if (solve_stick(p, r_N0, b, b_scale, refine, r))
        return;
    if (*slip > 0.0 && follow_slip(p, r_N0, b, slip, r))
        return;
    *slip = 0.0;
    if (!solve_slip(p, r_N0, b, tolerance, slip, r))
        solve_by_fixed_point(p, q, r);
}

void pcs_one_contact_update(pcs_one_contact *p, const double *q, double *slip, double *r)
{
    if (!p->prepared && (p->bilateral || q[0] < 0.0)) {
        if (p->bilateral)
            pcs_one_contact_prepare_bilateral(p, p->size, p->W);
        else
            pcs_one_contact_prepare(p, p->size, p->W, p->mu);
    }
    solve(p, q, SEARCH_TOLERANCE, slip, r);
}

void pcs_one_contact_compute(const pcs_one_contact *p, const double *q, double *r)
{
    double slip = 0.0;
    solve(p, q, EXACT, &slip, r);
}

void pcs_one_contact_solve(int32_t size, const double *W, const double *q, double mu, double *r)
{
    pcs_one_contact contact;
    double w = 0.0, v = 0.0;
    for (int32_t i = 0; i < size; i++) {
        w = fmax(w, W[i * size + i]);
        v = fmax(v, fabs(q[i]));
    }
    bool safe = w > SAFE_SMALL && w < SAFE_LARGE && v > SAFE_SMALL && v < SAFE_LARGE;
    if (safe || w <= 0.0 || v <= 0.0 || !isfinite(w) || !isfinite(v)) {
        pcs_one_contact_prepare(&contact, size, W, mu);
        pcs_one_contact_compute(&contact, q, r);
        return;
    }
    int w_exponent = 0, v_exponent = 0;
    double W_scaled[9], q_scaled[3];
    (void)frexp(w, &w_exponent);
    (void)frexp(v, &v_exponent);
    for (int32_t k = 0; k < size * size; k++)
        W_scaled[k] = ldexp(W[k], -w_exponent);
    for (int32_t k = 0; k < size; k++)
        q_scaled[k] = ldexp(q[k], -v_exponent);
    pcs_one_contact_prepare(&contact, size, W_scaled, mu);
    pcs_one_contact_compute(&contact, q_scaled, r);
    for (int32_t k = 0; k < size; k++)
        r[k] = ldexp(r[k], v_exponent - w_exponent);
}

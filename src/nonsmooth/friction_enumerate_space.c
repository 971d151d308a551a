// All solutions of one spatial contact u = W r + q with any W. Open: r = 0 if q_N >= 0. Stick:
// W r = -q inside the cone. Slip: r = r_N (1, mu d) with a unit vector d, u_N = 0 and u_T = -s d,
// s > 0. From u_N = 0, r_N = -q_N / (W_NN + mu W_NT d); with it u_T is parallel to d where
//
//     p = d' . (b + mu S d) = 0,     b = W_NN q_T - q_N W_TN,     S = q_T W_NT - q_N W_TT
//
// with d' at a right angle to d: a trigonometric polynomial of degree two in the angle of d, four
// roots at most, and no division, so that W_NN = 0 and Painleve's W_NN + mu W_NT d <= 0 need no
// special case. With q_N = 0 the direction comes from W_NN + mu W_NT d = 0, and r_N from
// d' . u_T = 0.

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "nonsmooth/friction_enumerate.h"

// In data scaled to 1: r_N, s and differences of directions above this are not zero ..
static const double SIGN_TOLERANCE = 1e-9;
// .. and coefficients and singular values below this are.
static const double ZERO = 1e-13;
static const double FULL_TURN = 6.283185307179586;
// Intervals of the root search: below this width a root is double, to rounding.
static const double WIDTH_LEAST = 1e-9;
enum { ROOTS_MAX = 16, STACK_MAX = 128, BISECTIONS = 60, DIRECTIONS_TRIED = 720 };

// c0 + c1 cos a + s1 sin a + c2 cos 2a + s2 sin 2a
typedef struct trig_polynomial {
    double c0, c1, s1, c2, s2;
} trig_polynomial;

static double trig_value(const trig_polynomial *p, double a)
{
    return p->c0 + p->c1 * cos(a) + p->s1 * sin(a) + p->c2 * cos(2.0 * a) + p->s2 * sin(2.0 * a);
}

static double trig_slope(const trig_polynomial *p, double a)
{
    return -p->c1 * sin(a) + p->s1 * cos(a) - 2.0 * p->c2 * sin(2.0 * a) +
           2.0 * p->s2 * cos(2.0 * a);
}

static double bisect(const trig_polynomial *p, double low, double high)
{
    const bool rising = trig_value(p, low) < 0.0;
    for (int step = 0; step < BISECTIONS; step++) {
        const double middle = 0.5 * (low + high);
        if ((trig_value(p, middle) < 0.0) == rising)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static int32_t add_root(double *root, int32_t count, double a)
{
    for (int32_t i = 0; i < count; i++) {
        const double distance = fabs(remainder(root[i] - a, FULL_TURN));
        if (distance < 8.0 * WIDTH_LEAST)
            return count;
    }
    if (count < ROOTS_MAX)
        root[count++] = a;
    return count;
}

// All roots on the circle. An interval of half width h around m has none if |p(m)| > h max|p'|, and
// at most one if |p'(m)| > h max|p''|; else it is halved. Small and undecided: a double root.
static int32_t trig_roots(const trig_polynomial *p, double *root)
{
    const double first = hypot(p->c1, p->s1), second = hypot(p->c2, p->s2);
    const double slope_max = first + 2.0 * second, curvature_max = first + 4.0 * second;
    struct {
        double low, high;
    } stack[STACK_MAX];
    int32_t depth = 0, count = 0;
    stack[depth].low = 0.1; // an arbitrary cut, off the usual directions
    stack[depth++].high = 0.1 + FULL_TURN;
    while (depth > 0) {
        const double low = stack[--depth].low, high = stack[depth].high;
        const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
        if (fabs(trig_value(p, middle)) > half * slope_max + 4.0 * DBL_EPSILON * slope_max)
            continue;
        if (fabs(trig_slope(p, middle)) > half * curvature_max) {
            if (trig_value(p, low) * trig_value(p, high) <= 0.0)
                count = add_root(root, count, bisect(p, low, high));
        } else if (half < WIDTH_LEAST) {
            count = add_root(root, count, middle);
        } else if (depth + 2 <= STACK_MAX) {
            stack[depth].low = low;
            stack[depth++].high = middle;
            stack[depth].low = middle;
            stack[depth++].high = high;
        }
    }
    return count;
}

typedef struct contact_search {
    const double *W, *q; // scaled to 1
    double mu;
    int32_t count, capacity;
    double *solutions;
    double scale; // of r
} contact_search;

static void keep(contact_search *s, const double *r)
{
    if (s->solutions && s->count < s->capacity)
        for (int i = 0; i < 3; i++)
            s->solutions[3 * s->count + i] = s->scale * r[i];
    s->count++;
}

static void keep_continuum(contact_search *s, const double *r)
{
    s->count = 0;
    keep(s, r);
    s->count = PCS_SOLUTIONS_MANY;
}

static bool in_cone(const contact_search *s, const double *r)
{
    const double slack = SIGN_TOLERANCE * fmax(1.0, fabs(r[0]));
    return r[0] > slack && hypot(r[1], r[2]) <= s->mu * r[0] + slack;
}

// r = p + t n: mu^2 r_N^2 >= |r_T|^2 and r_N >= 0 change only at the roots in t, and the pieces
// between them are inside or outside the cone as a whole.
static void stick_on_line(contact_search *s, const double *p, const double *n)
{
    const double a = s->mu * s->mu * n[0] * n[0] - n[1] * n[1] - n[2] * n[2];
    const double b = s->mu * s->mu * p[0] * n[0] - p[1] * n[1] - p[2] * n[2];
    const double c = s->mu * s->mu * p[0] * p[0] - p[1] * p[1] - p[2] * p[2];
    const double root = sqrt(fmax(0.0, b * b - a * c));
    double t[5] = {0.0, 0.0, 0.0, 0.0, 0.0}, reach = 1.0;
    int32_t breaks = 0;
    if (fabs(a) > ZERO) {
        t[breaks++] = (-b - root) / a;
        t[breaks++] = (-b + root) / a;
    } else if (fabs(b) > ZERO) {
        t[breaks++] = -0.5 * c / b;
    }
    if (fabs(n[0]) > ZERO)
        t[breaks++] = -p[0] / n[0];
    for (int32_t i = 0; i < breaks; i++)
        reach = fmax(reach, 2.0 * fabs(t[i]));
    t[breaks++] = -reach;
    t[breaks++] = reach;
    double low = INFINITY, high = -INFINITY, inside[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < breaks; i++) // a point of every piece, and the ends of the pieces
        for (int32_t j = i; j < breaks; j++) {
            const double value = 0.5 * (t[i] + t[j]);
            const double r[3] = {p[0] + value * n[0], p[1] + value * n[1], p[2] + value * n[2]};
            if (!in_cone(s, r))
                continue;
            low = fmin(low, value);
            high = fmax(high, value);
            memcpy(inside, r, sizeof inside);
        }
    if (high - low > SIGN_TOLERANCE * reach) // the cone is convex: all between is inside too
        keep_continuum(s, inside);
    else if (low <= high) // the line touches the cone
        keep(s, inside);
}

// W of rank 1 is a plane w . r = -q_i: it meets the inside of the cone or not at all, apart from 0.
static void stick_on_plane(contact_search *s, const double *p, const double *w)
{
    const double level = w[0] * p[0] + w[1] * p[1] + w[2] * p[2];
    const double length = hypot(w[1], w[2]);
    const double most = w[0] + s->mu * length, least = w[0] - s->mu * length;
    const double d[2] = {length > 0.0 ? w[1] / length : 1.0, length > 0.0 ? w[2] / length : 0.0};
    double r[3] = {1.0, 0.0, 0.0}, side = 0.0;
    if (level > ZERO && most > ZERO)
        side = 1.0;
    else if (level < -ZERO && least < -ZERO)
        side = -1.0;
    else if (fabs(level) > ZERO || most < -ZERO || least > ZERO)
        return;
    // Along (1, x d) the functional is w_N + x |w_T|, with |x| <= mu.
    const double x = side == 0.0 ? fmax(-s->mu, fmin(s->mu, length > 0.0 ? -w[0] / length : 0.0))
                                 : side * s->mu;
    const double size = side == 0.0 ? 1.0 : level / (w[0] + x * length);
    r[0] = size;
    r[1] = size * x * d[0];
    r[2] = size * x * d[1];
    keep_continuum(s, r);
}

// The longest cross product of two rows: the null vector of a matrix of rank 2.
static void null_vector(const double *W, double *n)
{
    double best = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *a = W + 3 * i, *b = W + 3 * ((i + 1) % 3);
        const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                             a[0] * b[1] - a[1] * b[0]};
        const double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        if (length > best) {
            best = length;
            for (int j = 0; j < 3; j++)
                n[j] = c[j] / length;
        }
    }
}

static void find_stick(contact_search *s)
{
    enum { WORK_SIZE = 160 }; // pcs_dense_least_squares_work_size(3, 3)
    double r[3], n[3] = {1.0, 0.0, 0.0}, error[3], work[WORK_SIZE], rhs[3];
    int32_t index[3];
    for (int i = 0; i < 3; i++)
        rhs[i] = error[i] = -s->q[i];
    const int32_t rank = pcs_dense_least_squares(3, 3, s->W, rhs, ZERO, r, index, work,
                                                 pcs_dense_least_squares_work_size(3, 3));
    pcs_dense_vector_add(3, 3, -1.0, s->W, r, error);
    if (fmax(fabs(error[0]), fmax(fabs(error[1]), fabs(error[2]))) > SIGN_TOLERANCE)
        return;
    if (rank == 3) {
        if (in_cone(s, r))
            keep(s, r);
    } else if (rank == 2) {
        null_vector(s->W, n);
        stick_on_line(s, r, n);
    } else if (rank == 1) {
        const double *w = s->W;
        for (int i = 1; i < 3; i++)
            if (hypot(s->W[3 * i], hypot(s->W[3 * i + 1], s->W[3 * i + 2])) >
                hypot(w[0], hypot(w[1], w[2])))
                w = s->W + 3 * i;
        stick_on_plane(s, r, w);
    } else {
        keep_continuum(s, n); // W = 0 and q = 0: any r
    }
}

// r_N and u_T . d at direction d, for q_N /= 0; true if r_N > 0 there.
static bool evaluate_slip(const contact_search *s, const double *d, double *r, double *along)
{
    const double *W = s->W, *q = s->q;
    const double rate = W[0] + s->mu * (W[1] * d[0] + W[2] * d[1]);
    r[0] = -q[0] / rate;
    r[1] = s->mu * r[0] * d[0];
    r[2] = s->mu * r[0] * d[1];
    *along = 0.0;
    for (int i = 0; i < 2; i++)
        *along += d[i] *
                  (q[i + 1] + W[3 * i + 3] * r[0] + W[3 * i + 4] * r[1] + W[3 * i + 5] * r[2]);
    return isfinite(r[0]) && r[0] > SIGN_TOLERANCE;
}

// p vanishes for all directions: look around the circle.
static void find_any_slip(contact_search *s)
{
    for (int i = 0; i < DIRECTIONS_TRIED; i++) {
        const double a = FULL_TURN * i / DIRECTIONS_TRIED, d[2] = {cos(a), sin(a)};
        double r[3], along;
        if (evaluate_slip(s, d, r, &along) && -along > SIGN_TOLERANCE) {
            keep_continuum(s, r);
            return;
        }
    }
}

static void find_slip(contact_search *s)
{
    const double *W = s->W, *q = s->q;
    const double b[2] = {W[0] * q[1] - q[0] * W[3], W[0] * q[2] - q[0] * W[6]};
    const double S[4] = {q[1] * W[1] - q[0] * W[4], q[1] * W[2] - q[0] * W[5],
                         q[2] * W[1] - q[0] * W[7], q[2] * W[2] - q[0] * W[8]};
    // d = (cos a, sin a), d' = (-sin a, cos a)
    const trig_polynomial p = {0.5 * s->mu * (S[2] - S[1]), b[1], -b[0],
                               0.5 * s->mu * (S[2] + S[1]), 0.5 * s->mu * (S[3] - S[0])};
    double root[ROOTS_MAX];
    if (fabs(p.c0) + hypot(p.c1, p.s1) + hypot(p.c2, p.s2) <= ZERO * fmax(1.0, s->mu)) {
        find_any_slip(s);
        return;
    }
    const int32_t roots = trig_roots(&p, root);
    for (int32_t i = 0; i < roots; i++) {
        const double d[2] = {cos(root[i]), sin(root[i])};
        double r[3], along;
        if (evaluate_slip(s, d, r, &along) && -along > SIGN_TOLERANCE)
            keep(s, r);
    }
}

// q_N = 0: u_N = 0 asks for W_NN + mu W_NT d = 0, or r = 0.
static void find_slip_at_rest(contact_search *s)
{
    const double *W = s->W, *q = s->q;
    const trig_polynomial p = {W[0], s->mu * W[1], s->mu * W[2], 0.0, 0.0};
    double root[ROOTS_MAX];
    if (fabs(p.c0) + hypot(p.c1, p.s1) <= ZERO) {
        // No impulse moves the normal: each r_N is a problem of its own, which has a solution.
        const double r[3] = {0.0, 0.0, 0.0};
        keep_continuum(s, r);
        return;
    }
    const int32_t roots = trig_roots(&p, root);
    for (int32_t i = 0; i < roots; i++) {
        const double d[2] = {cos(root[i]), sin(root[i])};
        double v[2]; // u_T = q_T + r_N v
        for (int j = 0; j < 2; j++)
            v[j] = W[3 * j + 3] + s->mu * (W[3 * j + 4] * d[0] + W[3 * j + 5] * d[1]);
        const double across_v = -d[1] * v[0] + d[0] * v[1], across_q = -d[1] * q[1] + d[0] * q[2];
        const double along_v = d[0] * v[0] + d[1] * v[1], along_q = d[0] * q[1] + d[1] * q[2];
        const double r_N = -across_q / across_v;
        const double r[3] = {r_N, s->mu * r_N * d[0], s->mu * r_N * d[1]};
        if (fabs(across_v) > ZERO) {
            if (r_N > SIGN_TOLERANCE && -(along_q + r_N * along_v) > SIGN_TOLERANCE)
                keep(s, r);
        } else if (fabs(across_q) <= ZERO && fmin(along_v, along_q) < -SIGN_TOLERANCE) {
            const double any = along_q < 0.0 ? (along_v > 0.0 ? -0.5 * along_q / along_v : 1.0)
                                             : 2.0 * along_q / -along_v + 1.0;
            keep_continuum(s, (const double[3]){any, s->mu * any * d[0], s->mu * any * d[1]});
            return;
        }
    }
}

int32_t pcs_one_contact_enumerate(const double *W, const double *q, double mu, int32_t capacity,
                                  double *solutions)
{
    double scaled_W[9], scaled_q[3], W_size = 0.0, q_size = 0.0;
    const double zero[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 9; i++)
        W_size = fmax(W_size, fabs(W[i]));
    for (int i = 0; i < 3; i++)
        q_size = fmax(q_size, fabs(q[i]));
    W_size = W_size > 0.0 ? W_size : 1.0;
    q_size = q_size > 0.0 ? q_size : 1.0;
    for (int i = 0; i < 9; i++)
        scaled_W[i] = W[i] / W_size;
    for (int i = 0; i < 3; i++)
        scaled_q[i] = q[i] / q_size;
    contact_search s = {scaled_W, scaled_q, mu, 0, capacity, solutions, q_size / W_size};
    if (q[0] >= 0.0)
        keep(&s, zero);
    find_stick(&s);
    if (s.count < PCS_SOLUTIONS_MANY) {
        if (q[0] == 0.0)
            find_slip_at_rest(&s);
        else
            find_slip(&s);
    }
    return s.count < PCS_SOLUTIONS_MANY ? s.count : PCS_SOLUTIONS_MANY;
}

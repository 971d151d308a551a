// Laws for corners of bilateral constraints (Glocker): energy, the new constraint, known angles,
// and the time scaling against the differential equation that defines it.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "schemes/corner_impact.h"
#include "support/near.h"

enum { N = 4 };

static const double PI = 3.14159265358979323846;
static const double ROUNDING = 1e-13; // a few hundred eps for numbers of order 1

typedef struct plane {
    double P[N][N], M[N][N]; // inverse mass and mass: P = A A^T, M by elimination
    double n1[N], n2[N], x1[N], x2[N], v[N];
} plane;

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

static void times(double A[N][N], const double *x, double *y)
{
    for (int i = 0; i < N; i++)
        y[i] = dot(A[i], x);
}

// Gauss-Jordan for a small positive definite matrix.
static void invert(double A[N][N], double B[N][N])
{
    double W[N][2 * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            W[i][j] = A[i][j];
            W[i][N + j] = i == j;
        }
    for (int k = 0; k < N; k++) {
        double pivot = W[k][k];
        for (int j = 0; j < 2 * N; j++)
            W[k][j] /= pivot;
        for (int i = 0; i < N; i++) {
            double factor = W[i][k];
            for (int j = 0; j < 2 * N && i != k; j++)
                W[i][j] -= factor * W[k][j];
        }
    }
    for (int i = 0; i < N; i++)
        memcpy(B[i], W[i] + N, sizeof B[i]);
}

static void random_plane(pcs_random *random, plane *s, bool on_first)
{
    double A[N][N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            A[i][j] = pcs_random_between(random, -1.0, 1.0) + (i == j ? 2.0 : 0.0);
        s->n1[i] = pcs_random_between(random, -1.0, 1.0);
        s->n2[i] = pcs_random_between(random, -1.0, 1.0);
        s->v[i] = pcs_random_between(random, -1.0, 1.0);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s->P[i][j] = dot(A[i], A[j]);
    invert(s->P, s->M);
    times(s->P, s->n1, s->x1);
    times(s->P, s->n2, s->x2);
    double away = dot(s->n1, s->v) / dot(s->n1, s->x1);
    for (int i = 0; i < N && on_first; i++)
        s->v[i] -= away * s->x1[i];
}

static double energy(plane *s, const double *v)
{
    double y[N];
    times(s->M, v, y);
    return 0.5 * dot(v, y);
}

static void apply(const plane *s, void (*law)(const pcs_corner *, double *), double *after)
{
    pcs_corner corner = pcs_corner_of(N, s->n1, s->n2, s->x1, s->x2, s->v);
    double p[2];
    law(&corner, p);
    for (int i = 0; i < N; i++)
        after[i] = s->v[i] + p[0] * s->x1[i] + p[1] * s->x2[i];
}

// On the curve before: on the curve behind, with the same energy, and both laws say the same.
static void test_energy_and_constraint(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 3);
    for (int trial = 0; trial < 200; trial++) {
        plane s;
        random_plane(&random, &s, true);
        double reflected[N], scaled[N];
        apply(&s, pcs_corner_reflection, reflected);
        apply(&s, pcs_corner_time_scaling, scaled);
        // The pair is conditioned by the angle between the gradients.
        pcs_corner k = pcs_corner_of(N, s.n1, s.n2, s.x1, s.x2, s.v);
        double c = k.a12 / sqrt(k.a11 * k.a22), tolerance = ROUNDING * 10.0 / (1.0 - c * c);
        assert_near(energy(&s, reflected), energy(&s, s.v), tolerance);
        assert_near(energy(&s, scaled), energy(&s, s.v), tolerance);
        assert_near(dot(s.n2, reflected), 0.0, tolerance);
        assert_near(dot(s.n2, scaled), 0.0, tolerance);
        for (int i = 0; i < N; i++)
            assert_near(reflected[i], scaled[i], tolerance);
        // Back again: the laws do not know a direction of time.
        plane back = s;
        for (int i = 0; i < N; i++)
            back.v[i] = -reflected[i];
        memcpy(back.n1, s.n2, sizeof s.n1);
        memcpy(back.n2, s.n1, sizeof s.n1);
        memcpy(back.x1, s.x2, sizeof s.x1);
        memcpy(back.x2, s.x1, sizeof s.x1);
        apply(&back, pcs_corner_reflection, reflected);
        for (int i = 0; i < N; i++)
            assert_near(reflected[i], -s.v[i], tolerance);
        // The lengths of the gradients do not matter (n_P.P n_P need not be 1).
        plane longer = s;
        for (int i = 0; i < N; i++) {
            longer.n1[i] *= 3.7;
            longer.x1[i] *= 3.7;
            longer.n2[i] *= 0.2;
            longer.x2[i] *= 0.2;
        }
        apply(&longer, pcs_corner_reflection, reflected);
        for (int i = 0; i < N; i++)
            assert_near(reflected[i], scaled[i], tolerance);
    }
}

// A bead of mass m on a wire that turns by an angle: its speed stays, its direction turns.
static void test_bead(void **state)
{
    (void)state;
    for (int degrees = -150; degrees <= 150; degrees += 30) {
        const double turn = degrees * PI / 180.0, m = 2.3, speed = 1.7, at = 0.4;
        const double n1[2] = {-sin(at), cos(at)}, n2[2] = {-sin(at + turn), cos(at + turn)};
        const double x1[2] = {n1[0] / m, n1[1] / m}, x2[2] = {n2[0] / m, n2[1] / m};
        const double v[2] = {speed * cos(at), speed * sin(at)};
        pcs_corner corner = pcs_corner_of(2, n1, n2, x1, x2, v);
        for (int law = 0; law < 2; law++) {
            double p[2];
            (law ? pcs_corner_time_scaling : pcs_corner_reflection)(&corner, p);
            assert_near(v[0] + p[0] * x1[0] + p[1] * x2[0], speed * cos(at + turn), 100 * ROUNDING);
            assert_near(v[1] + p[0] * x1[1] + p[1] * x2[1], speed * sin(at + turn), 100 * ROUNDING);
        }
    }
    // Without a corner nothing happens.
    const pcs_corner straight = {.a11 = 2.0, .a12 = 2.0, .a22 = 2.0};
    double p[2] = {1.0, 1.0};
    pcs_corner_time_scaling(&straight, p);
    assert_true(p[0] == 0.0 && p[1] == 0.0);
    p[0] = p[1] = 1.0;
    pcs_corner_reflection(&straight, p);
    assert_true(p[0] == 0.0 && p[1] == 0.0);
}

// dv/ds = -P n (n'.v)/(n.P n), n = (1 - s) n1 + s n2.
static void slope(const plane *s, double at, const double *v, double *dv)
{
    double n[N], change[N], x[N];
    for (int i = 0; i < N; i++) {
        change[i] = s->n2[i] - s->n1[i];
        n[i] = s->n1[i] + at * change[i];
        x[i] = s->x1[i] + at * (s->x2[i] - s->x1[i]);
    }
    double lambda = -dot(change, v) / dot(n, x);
    for (int i = 0; i < N; i++)
        dv[i] = lambda * x[i];
}

// Classical Runge-Kutta with 4000 steps: the error is below 1e-10 unless n comes near 0.
static void test_time_scaling(void **state)
{
    (void)state;
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    pcs_random random;
    pcs_random_init(&random, 8);
    for (int trial = 0; trial < 12; trial++) {
        plane s;
        random_plane(&random, &s, false);
        pcs_corner k = pcs_corner_of(N, s.n1, s.n2, s.x1, s.x2, s.v);
        if (k.a12 < -0.5 * sqrt(k.a11 * k.a22))
            continue;
        double v[N], k1[N], k2[N], k3[N], k4[N], y[N], after[N];
        memcpy(v, s.v, sizeof v);
        for (int step = 0; step < STEPS; step++) {
            slope(&s, step * h, v, k1);
            for (int i = 0; i < N; i++)
                y[i] = v[i] + 0.5 * h * k1[i];
            slope(&s, (step + 0.5) * h, y, k2);
            for (int i = 0; i < N; i++)
                y[i] = v[i] + 0.5 * h * k2[i];
            slope(&s, (step + 0.5) * h, y, k3);
            for (int i = 0; i < N; i++)
                y[i] = v[i] + h * k3[i];
            slope(&s, (step + 1) * h, y, k4);
            for (int i = 0; i < N; i++)
                v[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        apply(&s, pcs_corner_time_scaling, after);
        for (int i = 0; i < N; i++)
            assert_near(after[i], v[i], 1e-10);
        assert_near(dot(s.n2, after), dot(s.n1, s.v), 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_and_constraint),
        cmocka_unit_test(test_bead),
        cmocka_unit_test(test_time_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

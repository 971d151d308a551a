// Roots of a polynomial of small degree in an interval. Between two neighbouring roots of the
// derivative a polynomial is monotone and has one root or none. So the roots of the derivatives,
// from the straight line upwards, isolate all of them; each is found by Newton steps kept in its
// bracket.
#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/curve.h"

static double horner(const double *c, int32_t degree, double s)
{
    double sum = c[degree];
    for (int32_t k = degree - 1; k >= 0; k--)
        sum = sum * s + c[k];
    return sum;
}

static double horner_slope(const double *c, int32_t degree, double s)
{
    double sum = 0.0;
    for (int32_t k = degree; k >= 1; k--)
        sum = sum * s + k * c[k];
    return sum;
}

// The root in [a, b] with f(a) and f(b) of different signs. Halving every other time at least, a
// bracket of doubles closes within 2 * 64 steps whatever the function.
static double bracketed(const double *c, int32_t degree, double a, double b, double f_a)
{
    enum { STEPS_MAX = 128 };
    double s = 0.5 * (a + b), last = b - a;
    for (int i = 0; i < STEPS_MAX; i++) {
        double f = horner(c, degree, s);
        if (f == 0.0)
            return s;
        if ((f < 0.0) == (f_a < 0.0))
            a = s;
        else
            b = s;
        double slope = horner_slope(c, degree, s), next = s - f / slope;
        bool good = slope != 0.0 && next > a && next < b && fabs(next - s) < 0.5 * last;
        if (!good)
            next = 0.5 * (a + b);
        last = fabs(next - s);
        s = next;
        if (last <= DBL_EPSILON * fabs(s) || last < DBL_MIN)
            break;
    }
    return s;
}

int32_t pcs_polynomial_roots(const double *c, int32_t degree, double low, double high, bool rising,
                             double roots[PCS_ROOTS_DEGREE_MAX])
{
    double d[PCS_ROOTS_DEGREE_MAX + 1][PCS_ROOTS_DEGREE_MAX + 1] = {{0.0}};
    double split[PCS_ROOTS_DEGREE_MAX + 2];
    memcpy(d[degree], c, sizeof *c * (size_t)(degree + 1));
    for (int32_t n = degree; n > 1; n--) // d[n] has degree n
        for (int32_t k = 1; k <= n; k++)
            d[n - 1][k - 1] = k * d[n][k];
    int32_t count = 0;
    for (int32_t n = 1; n <= degree; n++) {
        int32_t found = 0;
        split[0] = low;
        for (int32_t i = 0; i < count; i++)
            split[i + 1] = roots[i];
        split[count + 1] = high;
        for (int32_t i = 0; i <= count; i++) {
            double f_a = horner(d[n], n, split[i]), f_b = horner(d[n], n, split[i + 1]);
            bool up = f_a < 0.0 && f_b >= 0.0, down = f_a > 0.0 && f_b <= 0.0;
            if (up || (down && !(rising && n == degree)))
                roots[found++] = f_b == 0.0 ? split[i + 1]
                                            : bracketed(d[n], n, split[i], split[i + 1], f_a);
        }
        count = found;
    }
    return count;
}

// Comparison of numbers in tests, with both values in the message.
#ifndef PCS_TESTS_SUPPORT_NEAR_H
#define PCS_TESTS_SUPPORT_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_near(a, b, tolerance) near_check((a), (b), (tolerance), #a, __FILE__, __LINE__)
#define assert_at_most(a, limit) near_limit((a), (limit), #a, __FILE__, __LINE__)
// Both ends of a published number: it is `digits` when rounded to the decimal of its last digit.
#define assert_digits(a, digits, last) assert_near((a), (digits), 0.5 * (last))

static inline void near_check(double a, double b, double tolerance, const char *what,
                              const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s = %.17g, expected %.17g; they differ by %.3g > %.3g\n", what, a, b, a - b,
                    tolerance);
        _fail(file, line);
    }
}

static inline void near_limit(double a, double limit, const char *what, const char *file, int line)
{
    if (!(a <= limit)) {
        print_error("%s = %.17g, allowed are %.17g\n", what, a, limit);
        _fail(file, line);
    }
}

#endif

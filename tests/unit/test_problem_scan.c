// Numbers of contact-problem texts are read to the nearest double, as strtod does it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "io/problem_scan.h"

static void check_decimal(const char *text)
{
    double found = 0.0;
    const double expected = strtod(text, NULL);
    if (!pcs_decimal_read(text, strlen(text), &found) ||
        memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("%s is read as %a instead of %a", text, found, expected);
}

static void test_decimals(void **state)
{
    (void)state;
    static const char *const special[] = {
        "0",
        "-0",
        "1.",
        "+.5",
        "1e400",
        "-1e400",
        "1e-400",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.2250738585072011e-308",
        "1.7976931348623158e308",
        "9007199254740993",
        "1e22",
        "1e23",
        "9007199254740992.99999999999999999999",
        "100000000000000000000000000000000000000000000",
        "0.00000000000000000000000000000000000000000000000000000000000000000001",
        "1.00000000000000011102230246251565404236316680908203125", // a tie, and its neighbours
        "1.00000000000000011102230246251565404236316680908203126",
        "1.00000000000000011102230246251565404236316680908203124"};
    for (size_t k = 0; k < sizeof special / sizeof *special; k++)
        check_decimal(special[k]);
    static const char *const wrong[] = {"",      ".",    "-",   "e5",   "1e", "1e+",
                                        "1.0.0", "0x10", "1d5", "nano", "in", "1,5"};
    double value;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_false(pcs_decimal_read(wrong[k], strlen(wrong[k]), &value));
    pcs_random random;
    pcs_random_init(&random, 17);
    for (int k = 0; k < 50000; k++) {
        char text[128];
        const double x = pcs_random_between(&random, -10.0, 10.0) *
                         pow(10.0, floor(pcs_random_between(&random, -60.0, 60.0)));
        snprintf(text, sizeof text, "%.24e", x);
        check_decimal(text);
        snprintf(text, sizeof text, "%.*g", 1 + k % 40, x);
        check_decimal(text);
        // The decimal half way to the next number, with and without something behind it.
        const double half = x + (nextafter(x, INFINITY) - x) / 2; // rounds to one of the two
        snprintf(text, sizeof text, "%.*e", 16 + k % 8, half);
        check_decimal(text);
    }
    char *zeros = calloc(2000, 1);
    memset(zeros, '0', 1500);
    memcpy(zeros, "0.", 2);
    memcpy(zeros + 1400, "123456789012345678901234567890e1400", 36);
    check_decimal(zeros);
    free(zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decimals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

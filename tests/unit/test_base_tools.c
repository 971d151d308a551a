// Random numbers, hash, timer and word distance, against published values where there are some.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "base/timer.h"

static void test_random_reference_sequence(void **state)
{
    (void)state;
    // xoshiro256** from the state (1, 2, 3, 4), as in the test vectors of its other ports
    pcs_random random = {{1, 2, 3, 4}};
    const uint64_t expected[] = {UINT64_C(11520),
                                 UINT64_C(0),
                                 UINT64_C(1509978240),
                                 UINT64_C(1215971899390074240),
                                 UINT64_C(1216172134540287360),
                                 UINT64_C(607988272756665600),
                                 UINT64_C(16172922978634559625),
                                 UINT64_C(8476171486693032832),
                                 UINT64_C(10595114339597558777),
                                 UINT64_C(2904607092377533576)};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(pcs_random_next(&random) == expected[i]);

    // splitmix64 from the seed 1234567
    pcs_random_init(&random, 1234567);
    assert_true(random.state[0] == UINT64_C(6457827717110365317));
    assert_true(random.state[1] == UINT64_C(3203168211198807973));
    assert_true(random.state[2] == UINT64_C(9817491932198370423));
}

static void test_random_uniform(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    pcs_random random, again;
    pcs_random_init(&random, 0);
    pcs_random_init(&again, 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) {
        double x = pcs_random_uniform(&random);
        assert_true(x == pcs_random_uniform(&again));
        assert_true(x >= 0 && x < 1);
        sum += x;
        squares += x * x;
    }
    // five standard deviations of the means of x (variance 1/12) and x^2 (variance 4/45)
    assert_true(fabs(sum / COUNT - 1.0 / 2) < 5 * sqrt(1.0 / 12 / COUNT));
    assert_true(fabs(squares / COUNT - 1.0 / 3) < 5 * sqrt(4.0 / 45 / COUNT));
    for (int i = 0; i < 1000; i++) {
        double x = pcs_random_between(&random, -2.385, 0.71);
        assert_true(x >= -2.385 && x <= 0.71);
    }
}

static void test_hash_reference_values(void **state)
{
    (void)state;
    // from the list of test vectors of Fowler, Noll and Vo
    assert_true(pcs_hash_bytes(PCS_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(pcs_hash_bytes(PCS_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(pcs_hash_bytes(PCS_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    // in pieces
    uint64_t hash = pcs_hash_bytes(PCS_HASH_START, "foo", 3);
    assert_true(pcs_hash_bytes(hash, "bar", 3) == UINT64_C(0x85944171f73967e8));
}

static void test_timer_is_monotonic(void **state)
{
    (void)state;
    double last = pcs_timer_now();
    for (int i = 0; i < 1000; i++) {
        double now = pcs_timer_now();
        assert_true(now >= last);
        last = now;
    }
}

static void test_text_distance(void **state)
{
    (void)state;
    assert_int_equal(pcs_text_distance("", ""), 0);
    assert_int_equal(pcs_text_distance("", "joint"), 5);
    assert_int_equal(pcs_text_distance("kitten", "sitting"), 3);
    assert_int_equal(pcs_text_distance("sitting", "kitten"), 3);
    assert_int_equal(pcs_text_distance("freind", "friend"), 1); // neighbours swapped
    assert_int_equal(pcs_text_distance("Mass", "mass"), 1);

    char a[400], b[400];
    memset(a, 'a', sizeof a);
    memset(b, 'a', sizeof b);
    a[399] = b[399] = '\0';
    assert_int_equal(pcs_text_distance(a, b), 0);
    b[7] = 'b';
    assert_int_equal(pcs_text_distance(a, b), 399); // too long: not compared further
    a[127] = b[127] = '\0';
    assert_int_equal(pcs_text_distance(a, b), 1); // the longest word that is
}

static void test_text_nearest(void **state)
{
    (void)state;
    const char *words[] = {"restitution", "friction",  "mass", "max_iterations",
                           NULL,          "tolerance", "mu",   "moreau_jean",
                           "Mass"};
    int count = (int)(sizeof words / sizeof *words);
    assert_string_equal(pcs_text_nearest("restituton", words, count), "restitution");
    assert_string_equal(pcs_text_nearest("fricton", words, count), "friction");
    assert_string_equal(pcs_text_nearest("MAX-ITERATIONS", words, count), "max_iterations");
    assert_string_equal(pcs_text_nearest("Moreau-Jean", words, count), "moreau_jean");
    assert_string_equal(pcs_text_nearest("mas", words, count), "mass");
    assert_string_equal(pcs_text_nearest("Mass", words, count), "Mass"); // the exact one of two
    assert_string_equal(pcs_text_nearest("nu", words, count), "mu");
    assert_null(pcs_text_nearest("x", words, count));
    assert_null(pcs_text_nearest("gravity", words, count));
    assert_null(pcs_text_nearest("", words, count));
    assert_null(pcs_text_nearest("mass", NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_reference_sequence),
        cmocka_unit_test(test_random_uniform),
        cmocka_unit_test(test_hash_reference_values),
        cmocka_unit_test(test_timer_is_monotonic),
        cmocka_unit_test(test_text_distance),
        cmocka_unit_test(test_text_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

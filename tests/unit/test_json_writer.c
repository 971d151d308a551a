// JSON and base64 as the report page gets them: texts that cannot end a script, numbers that read
// back with the same bits in any locale, arrays in pieces of any length.
#include <locale.h>
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
#include "io/base64.h"
#include "io/json_writer.h"
#include "support/json_check.h"

typedef struct page {
    FILE *stream;
    char *text;
    size_t size;
    pcs_json json;
} page;

static void begin(page *p)
{
    *p = (page){0};
    p->stream = open_memstream(&p->text, &p->size);
    assert_non_null(p->stream);
    pcs_json_init(&p->json, p->stream);
}

static void expect(page *p, const char *text)
{
    assert_int_equal(fclose(p->stream), 0);
    assert_string_equal(p->text, text);
    assert_null(json_find_mistake(p->text, p->size));
    free(p->text);
}

// ---- Base64 ----

static void encode(const char *bytes, size_t piece, char *text)
{
    pcs_base64 state = {.n_rest = 0};
    size_t length = 0, n = strlen(bytes);
    for (size_t i = 0; i < n; i += piece)
        length += pcs_base64_encode(&state, (const unsigned char *)bytes + i,
                                    n - i < piece ? n - i : piece, text + length);
    length += pcs_base64_finish(&state, text + length);
    text[length] = '\0';
}

// The examples of RFC 4648, in pieces of every length.
static void test_base64(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xff\xfe\xfb\xef", "//777w=="},
    };
    char text[64];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (size_t piece = 1; piece < 8; piece++) {
            encode(pairs[i][0], piece, text);
            assert_string_equal(text, pairs[i][1]);
        }
    }
}

// ---- Texts ----

static void test_texts(void **state)
{
    (void)state;
    page p;
    begin(&p);
    pcs_json_begin_list(&p.json, NULL);
    pcs_json_text(&p.json, NULL, "</script><!-- & \"x\" \\ \n\t\x7f");
    pcs_json_text(&p.json, NULL, "k\xc3\xb6rper \xe2\x88\x9a \xf0\x9f\x8e\xb1");
    pcs_json_text(&p.json, NULL, "\xff cut \xc3");
    pcs_json_text(&p.json, NULL, "\xed\xa0\x80|\xc0\xaf|\xf4\x90\x80\x80"); // not allowed in UTF-8
    pcs_json_end_list(&p.json);
    expect(&p, "[\"\\u003c/script\\u003e\\u003c!-- \\u0026 \\\"x\\\" \\\\ \\n\\u0009\\u007f\","
               "\"k\xc3\xb6rper \xe2\x88\x9a \xf0\x9f\x8e\xb1\","
               "\"\\ufffd cut \\ufffd\","
               "\"\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd\"]");
}

// Whatever bytes a name has, the text is JSON, and UTF-8 without '<', '>', '&'.
static void test_random_bytes(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 2385);
    for (int round = 0; round < 2000; round++) {
        char bytes[24] = {0};
        for (int i = 0; i < 20; i++)
            bytes[i] = (char)(1 + (int)(254.999 * pcs_random_uniform(&random)));
        page p;
        begin(&p);
        pcs_json_text(&p.json, NULL, bytes);
        assert_int_equal(fclose(p.stream), 0);
        assert_null(json_find_mistake(p.text, p.size));
        assert_null(strpbrk(p.text, "<>&"));
        free(p.text);
    }
}

// ---- Numbers ----

static void test_structure(void **state)
{
    (void)state;
    page p;
    begin(&p);
    pcs_json_begin_object(&p.json, NULL);
    pcs_json_begin_list(&p.json, "empty");
    pcs_json_end_list(&p.json);
    pcs_json_begin_object(&p.json, "inner");
    pcs_json_integer(&p.json, "i", INT64_MIN);
    pcs_json_boolean(&p.json, "yes", true);
    pcs_json_boolean(&p.json, "no", false);
    pcs_json_end_object(&p.json);
    pcs_json_begin_list(&p.json, "numbers");
    const double numbers[] = {0.1, -2.385, 1e300, NAN, INFINITY, -INFINITY, 3};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pcs_json_number(&p.json, NULL, numbers[i]);
    pcs_json_end_list(&p.json);
    pcs_json_end_object(&p.json);
    expect(&p, "{\"empty\":[],\"inner\":{\"i\":-9223372036854775808,\"yes\":true,\"no\":false},"
               "\"numbers\":[0.1,-2.385,1e+300,null,null,null,3]}");
}

static void test_numbers_read_back(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 731);
    for (int round = 0; round < 20000; round++) {
        double value = ldexp(pcs_random_uniform(&random) - 0.5,
                             (int)(600 * (pcs_random_uniform(&random) - 0.5)));
        page p;
        begin(&p);
        pcs_json_number(&p.json, NULL, value);
        fclose(p.stream);
        assert_true(strtod(p.text, NULL) == value);
        free(p.text);
    }
}

static void test_decimal_comma(void **state)
{
    (void)state;
    char old[64];
    snprintf(old, sizeof old, "%s", setlocale(LC_NUMERIC, NULL));
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        skip();
    page p;
    begin(&p);
    pcs_json_number(&p.json, NULL, 2.385);
    setlocale(LC_NUMERIC, old);
    expect(&p, "2.385");
}

// ---- Arrays ----

static void test_arrays(void **state)
{
    (void)state;
    page p;
    const int64_t shape[] = {2, 1}, one = 1, none = 0;
    const double reals[] = {1, -2.5}, huge[] = {1e300, NAN};
    const int32_t whole = -2;
    const uint8_t byte = 255;
    begin(&p);
    pcs_json_begin_object(&p.json, NULL);
    pcs_json_begin_array(&p.json, "d", PCS_JSON_F64, 2, shape);
    pcs_json_put_f64(&p.json, reals, 1); // pieces
    pcs_json_put_f64(&p.json, reals + 1, 1);
    pcs_json_end_array(&p.json);
    pcs_json_begin_array(&p.json, "f", PCS_JSON_F32, 2, shape);
    pcs_json_put_f32(&p.json, reals, 2);
    pcs_json_end_array(&p.json);
    pcs_json_begin_array(&p.json, "n", PCS_JSON_F32, 2, shape);
    pcs_json_put_f32(&p.json, huge, 2); // beyond float: not a number
    pcs_json_end_array(&p.json);
    pcs_json_begin_array(&p.json, "i", PCS_JSON_I32, 1, &one);
    pcs_json_put_i32(&p.json, &whole, 1);
    pcs_json_end_array(&p.json);
    pcs_json_begin_array(&p.json, "u", PCS_JSON_U8, 1, &one);
    pcs_json_put_u8(&p.json, &byte, 1);
    pcs_json_end_array(&p.json);
    pcs_json_begin_array(&p.json, "z", PCS_JSON_U8, 1, &none);
    pcs_json_end_array(&p.json);
    pcs_json_end_object(&p.json);
    expect(&p, "{\"d\":{\"type\":\"f64\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAEwA==\"},"
               "\"f\":{\"type\":\"f32\",\"shape\":[2,1],\"data\":\"AACAPwAAIMA=\"},"
               "\"n\":{\"type\":\"f32\",\"shape\":[2,1],\"data\":\"AADAfwAAwH8=\"},"
               "\"i\":{\"type\":\"i32\",\"shape\":[1],\"data\":\"/v///w==\"},"
               "\"u\":{\"type\":\"u8\",\"shape\":[1],\"data\":\"/w==\"},"
               "\"z\":{\"type\":\"u8\",\"shape\":[0],\"data\":\"\"}}");
}

// Long arrays are encoded in several pieces; the text is that of one.
static void test_long_array(void **state)
{
    (void)state;
    enum { N = 5000 };
    static uint8_t bytes[N];
    static char text[PCS_BASE64_ROOM(N)];
    page p;
    const int64_t shape = N;
    for (int i = 0; i < N; i++)
        bytes[i] = (uint8_t)(i * 37 + i / 251);
    pcs_base64 whole = {.n_rest = 0};
    size_t length = pcs_base64_encode(&whole, bytes, N, text);
    length += pcs_base64_finish(&whole, text + length);
    begin(&p);
    pcs_json_begin_array(&p.json, NULL, PCS_JSON_U8, 1, &shape);
    pcs_json_put_u8(&p.json, bytes, 1234);
    pcs_json_put_u8(&p.json, bytes + 1234, N - 1234);
    pcs_json_end_array(&p.json);
    fclose(p.stream);
    const char *data = strstr(p.text, "\"data\":\"");
    assert_non_null(data);
    assert_memory_equal(data + 8, text, length);
    free(p.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_numbers_read_back),
        cmocka_unit_test(test_decimal_comma),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_long_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

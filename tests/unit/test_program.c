// Programs: many outputs from one graph in stages, against hand-written values and finite
// differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "formula/program.h"

static const double EPS = 2.3e-16;

// x, y, z are variables 0, 1, 2; a is 2.385.
static pcs_symbol resolve(void *user, const char *name, size_t length)
{
    (void)user;
    if (length == 1 && *name >= 'x' && *name <= 'z')
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = *name - 'x'};
    if (length == 1 && *name == 'a')
        return (pcs_symbol){.kind = PCS_SYMBOL_CONSTANT, .value = 2.385};
    return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN};
}

typedef struct bench {
    pcs_context *ctx;
    pcs_terms *terms;
    pcs_program *program;
    double *slots;
} bench;

static void begin(bench *b)
{
    memset(b, 0, sizeof *b);
    b->ctx = pcs_context_create(NULL);
    assert_int_equal(pcs_terms_create(b->ctx, &b->terms), PCS_OK);
}

static void end(bench *b)
{
    free(b->slots);
    pcs_program_destroy(b->program);
    pcs_terms_destroy(b->terms);
    assert_int_equal(pcs_context_heap_bytes(b->ctx), 0);
    pcs_context_destroy(b->ctx);
}

static pcs_term parse(bench *b, const char *text)
{
    pcs_term term;
    if (pcs_terms_parse(b->terms, text, resolve, NULL, &term) != PCS_OK)
        fail_msg("%s", pcs_context_error(b->ctx));
    return term;
}

static void compile(bench *b, int32_t n, const pcs_term *outputs, const uint8_t *stage)
{
    assert_int_equal(pcs_program_compile(b->terms, n, outputs, stage, 3, &b->program), PCS_OK);
    b->slots = calloc((size_t)pcs_program_slots(b->program), sizeof *b->slots);
    assert_non_null(b->slots);
    pcs_program_prepare(b->program, b->slots);
}

static void set(bench *b, double x, double y, double z)
{
    const double value[3] = {x, y, z};
    for (int i = 0; i < 3; ++i)
        b->slots[pcs_program_variable(b->program, i)] = value[i];
}

static double output(const bench *b, int32_t i)
{
    return b->slots[pcs_program_outputs(b->program)[i]];
}

static void test_outputs_and_derivatives(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    pcs_term f = parse(&b, "a*sin(x*y)*exp(-z) + sqrt(x^2 + cos(x*y)^2)"), out[3];
    out[0] = f;
    pcs_terms_differentiate(b.terms, 1, &f, 0, &out[1]);
    pcs_terms_differentiate(b.terms, 1, &out[1], 1, &out[2]);
    compile(&b, 3, out, (const uint8_t[3]){0, 0, 0});
    const double x = 0.731, y = 1.274, z = 0.391, a = 2.385, e = exp(-z), p = x * y;
    set(&b, x, y, z);
    pcs_program_run(b.program, 1, 0, b.slots);
    const double r = sqrt(x * x + cos(p) * cos(p)), n = x - y * cos(p) * sin(p);
    // d/dx of the root is n/r; d/dy of n and of r follow from the chain rule.
    const double n_y = -cos(p) * sin(p) - y * x * cos(2 * p), r_y = -x * cos(p) * sin(p) / r;
    assert_true(fabs(output(&b, 0) - (a * sin(p) * e + r)) <= 20 * EPS);
    assert_true(fabs(output(&b, 1) - (a * y * cos(p) * e + n / r)) <= 40 * EPS);
    double mixed = a * e * (cos(p) - y * x * sin(p)) + n_y / r - n * r_y / (r * r);
    assert_true(fabs(output(&b, 2) - mixed) <= 200 * EPS);
    end(&b);
}

// A stage evaluates what it needs and no more, and does not repeat what another one has left.
static void test_stages(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    const pcs_term out[4] = {parse(&b, "sin(x)*y"), parse(&b, "sin(x) + z^3"),
                             parse(&b, "exp(z)*cos(x)"), parse(&b, "7")};
    compile(&b, 4, out, (const uint8_t[4]){0, 1, 2, 0});
    assert_int_equal(pcs_program_operations(b.program, 1), 2);     // sin, *
    assert_int_equal(pcs_program_operations(b.program, 1 | 2), 4); // ^, + beside them
    set(&b, 0.4, 3.1, 1.7);
    pcs_program_run(b.program, 1, 0, b.slots);
    assert_true(output(&b, 0) == sin(0.4) * 3.1);
    assert_true(output(&b, 1) == 0); // not wanted
    assert_true(output(&b, 3) == 7);
    // The sine is kept although x has changed: stage 0 counts as done.
    set(&b, 99, 3.1, 1.7);
    pcs_program_run(b.program, 2, 1, b.slots);
    assert_true(output(&b, 1) == sin(0.4) + pow(1.7, 3));
    set(&b, 0.4, 3.1, 1.7);
    pcs_program_run(b.program, 7, 0, b.slots);
    assert_true(output(&b, 2) == exp(1.7) * cos(0.4));
    end(&b);
}

// Sine and cosine of one operand become one instruction, whichever comes first.
static void test_sine_and_cosine_together(void **state)
{
    (void)state;
    static const char *const texts[2] = {"cos(x*y) + sin(x*y)", "sin(x*y) - cos(x*y)"};
    for (int k = 0; k < 2; ++k) {
        bench b;
        begin(&b);
        const pcs_term out = parse(&b, texts[k]);
        compile(&b, 1, &out, (const uint8_t[1]){0});
        assert_int_equal(pcs_program_operations(b.program, 1), 3);
        set(&b, 1.93, 0.77, 0);
        pcs_program_run(b.program, 1, 0, b.slots);
        const double p = 1.93 * 0.77, expected = k == 0 ? cos(p) + sin(p) : sin(p) - cos(p);
        assert_true(fabs(output(&b, 0) - expected) <= 2 * EPS);
        end(&b);
    }
}

static void test_questions(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    int32_t which = -1;
    double value;
    const pcs_term sums[2] = {parse(&b, "a*z + y"), parse(&b, "a*z")};
    assert_true(pcs_terms_contain(b.terms, 2, sums, 0, 3, &which));
    assert_int_equal(which, 1);
    assert_false(pcs_terms_contain(b.terms, 1, &sums[1], 0, 2, NULL));
    assert_true(pcs_terms_is_number(b.terms, parse(&b, "2*a"), &value));
    assert_true(value == 2 * 2.385);
    pcs_term zero = parse(&b, "y");
    pcs_terms_differentiate(b.terms, 1, &zero, 0, &zero);
    assert_int_equal(zero, PCS_TERM_ZERO);
    pcs_term unused;
    assert_int_equal(pcs_terms_parse(b.terms, "x + w", resolve, NULL, &unused), PCS_ERROR_INPUT);
    assert_non_null(strstr(pcs_context_error(b.ctx), "column 5: unknown name 'w'"));
    end(&b);
}

// More values than a formula may have: a program has no limit.
static void test_long_program(void **state)
{
    (void)state;
    enum { N = 20000 };
    bench b;
    begin(&b);
    pcs_term sum = PCS_TERM_ZERO, x = pcs_terms_variable(b.terms, 0);
    for (int i = 1; i <= N; ++i) {
        pcs_term term = pcs_terms_add(b.terms, x, pcs_terms_number(b.terms, i));
        sum = pcs_terms_add(b.terms, sum, pcs_terms_multiply(b.terms, term, term));
    }
    pcs_term out[2] = {sum, sum};
    pcs_terms_differentiate(b.terms, 1, &sum, 0, &out[1]);
    compile(&b, 2, out, (const uint8_t[2]){0, 1});
    set(&b, 0.5, 0, 0);
    pcs_program_run(b.program, 3, 0, b.slots);
    double slope = 0;
    for (int i = 1; i <= N; ++i)
        slope += 2 * (0.5 + i);
    assert_true(fabs(output(&b, 1) / slope - 1) <= N * EPS);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs_and_derivatives),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_sine_and_cosine_together),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_long_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

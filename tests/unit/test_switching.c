// Switching times of formulas: those of pulses written in many ways, one by one and without end;
// curved conditions; branches that are not taken; nothing is passed over.
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "formula/switching.h"
#include "support/near.h"

static const double ROUNDING = 1e-14; // s, of a run of a few seconds

typedef struct bench {
    pcs_context *ctx;
    pcs_formula *formula;
    pcs_switching *switching;
} bench;

static pcs_symbol resolve(void *user, const char *name, size_t length)
{
    (void)user;
    if (length == 1 && *name == 't')
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = 0};
    if (length == 1 && (*name == 'x' || *name == 'y'))
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = 1 + (*name == 'y')};
    return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN};
}

static void open_bench(bench *b, const char *text, pcs_switching_kind kind)
{
    b->ctx = pcs_context_create(NULL);
    if (pcs_formula_create(b->ctx, text, resolve, NULL, &b->formula) != PCS_OK)
        fail_msg("%s: %s", text, pcs_context_error(b->ctx));
    assert_int_equal(pcs_switching_of_formula(b->ctx, b->formula, kind, &b->switching), PCS_OK);
}

static void close_bench(bench *b)
{
    pcs_switching_destroy(b->switching);
    pcs_formula_destroy(b->formula);
    assert_int_equal(pcs_context_heap_bytes(b->ctx), 0);
    pcs_context_destroy(b->ctx);
}

// All switches of (start, limit] are `wanted`, in this order.
static void expect(const char *text, double start, double limit, int n, const double *wanted)
{
    bench b;
    open_bench(&b, text, PCS_SWITCHING_TIME);
    double t = start;
    for (int i = 0; i <= n; ++i) {
        const double next = b.switching ? pcs_switching_next(b.switching, t, limit, ROUNDING)
                                        : HUGE_VAL;
        const double right = i < n ? wanted[i] : HUGE_VAL;
        if (!(fabs(next - right) <= 2 * ROUNDING) && next != right)
            fail_msg("%s: switch %d is %.17g, expected %.17g", text, i, next, right);
        t = next;
    }
    close_bench(&b);
}

static void straight(void **state)
{
    (void)state;
    const double pulse[] = {0.5, 0.51}, jump[] = {0.3337};
    expect("if(t < 0.3337, 0, 1)", 0, 1, 1, jump);
    expect("t <= 0.3337", 0, 1, 1, jump);
    expect("0.3337 >= t ? 1 : 2", 0, 1, 1, jump);
    expect("step(3*t - 3*0.3337)", 0, 1, 1, jump);
    expect("ramp(0.3337 - t)", 0, 1, 1, jump);
    expect("abs(t - 0.3337)", 0, 1, 1, jump);
    expect("max(t, 0.6674 - t)", 0, 1, 1, jump);
    expect("!(t > 0.3337)", 0, 1, 1, jump);
    expect("t > 0.5 && t < 0.51 ? 100 : 0", 0, 2, 2, pulse);
    expect("if(t < 0.5, 0, if(t < 0.51, 100, 0))", 0, 2, 2, pulse);
    expect("100*step(t - 0.5)*step(0.51 - t)", 0, 2, 2, pulse);
    expect("50*(sign(t - 0.5) - sign(t - 0.51))", 0, 2, 2, pulse);
    expect("abs(t - 0.505) < 0.005", 0, 2, 3, (const double[]){0.5, 0.505, 0.51});
    expect("clamp(t, 0.5, 0.51)", 0, 2, 2, pulse);
    expect("min(max(t, 0.5), 0.51)", 0, 2, 2, pulse);
    expect("smoothstep(0.5, 0.51, t)", 0, 2, 2, pulse);
    expect("smooth5(0.5, 0.51, t)", 0, 2, 2, pulse);
    expect("floor(t)", 0.2, 3.5, 3, (const double[]){1, 2, 3});
    expect("ceil(-t)", 0.2, 3.5, 3, (const double[]){1, 2, 3});
    expect("round(t)", 0.2, 3.4, 3, (const double[]){0.5, 1.5, 2.5});
    expect("floor(t/0.1)", 0.25, 0.55, 3, (const double[]){0.3, 0.4, 0.5});
    expect("mod(-t, 0.3)", 0, 1, 3, (const double[]){0.3, 0.6, 0.9});
    expect("if(mod(t, 0.1) < 0.01, 5, 0)", 0, 0.25, 5,
           (const double[]){0.01, 0.1, 0.11, 0.2, 0.21});
    expect("floor(2*t) == 1", 0, 2, 4, (const double[]){0.5, 1, 1.5, 2});
    // Nested: the inner pulse counts in its branch alone.
    expect("if(t < 0.25, mod(t, 0.1), 0)", 0, 9, 3, (const double[]){0.1, 0.2, 0.25});
    expect("if(t < 0.25, 0, mod(t, 0.1))", 0, 0.45, 3, (const double[]){0.25, 0.3, 0.4});
    expect("sin(t) + t^2", 0, 100, 0, NULL);
    expect("x < 0 ? 1 : 2", 0, 100, 0, NULL); // a condition on the state
    expect("if(x < 0, t < 0.3337, 3)", 0, 1, 1, jump);
}

static void curved(void **state)
{
    (void)state;
    const double third = asin(1.0 / 3), pi = acos(-1.0);
    expect("sin(t) > 1/3", 0, 10, 4,
           (const double[]){third, pi - third, 2 * pi + third, 3 * pi - third});
    expect("t^2 < 0.5 ? 1 : 0", 0, 10, 1, (const double[]){sqrt(0.5)});
    expect("exp(-t) < 0.2", 0, 10, 1, (const double[]){log(5)});
    expect("abs(cos(2*t))", 0, 3, 2, (const double[]){pi / 4, 3 * pi / 4});
    expect("max(sin(t), cos(t))", 0, 5, 2, (const double[]){pi / 4, 5 * pi / 4});
    expect("floor(3*sin(t))", 0.1, 1.5, 2, (const double[]){third, asin(2.0 / 3)});
    expect("atan2(sin(t), cos(t))", 1, 5, 1, (const double[]){pi});
    expect("sin(t)*cos(t) > 0.6", 0, 50, 0, NULL);
    // Two switches nearer to each other than any sample would see.
    const double w = acos(1 - 1e-9);
    bench b;
    open_bench(&b, "cos(t) > 1 - 1e-9", PCS_SWITCHING_TIME);
    const double first = pcs_switching_next(b.switching, 1, 20, ROUNDING);
    const double second = pcs_switching_next(b.switching, first, 20, ROUNDING);
    assert_near(first, 2 * pi - w, 1e-10); // 1 - 1e-9 has that many digits
    assert_near(second, 2 * pi + w, 1e-10);
    close_bench(&b);
}

// A million pulses, each found from the one before it.
static void without_end(void **state)
{
    (void)state;
    enum { PULSES = 100000 };
    bench b;
    open_bench(&b, "if(mod(t, 0.1) < 0.03, 1, 0)", PCS_SWITCHING_TIME);
    const size_t bytes = pcs_context_heap_bytes(b.ctx);
    const double rounding = 1e-11; // of 10,000 s
    double t = 0;
    for (int i = 0; i < PULSES; ++i) {
        t = pcs_switching_next(b.switching, t, HUGE_VAL, rounding);
        assert_near(t, 0.1 * i + 0.03, 1e-11);
        t = pcs_switching_next(b.switching, t, HUGE_VAL, rounding);
        assert_near(t, 0.1 * (i + 1), 1e-11);
    }
    assert_int_equal(pcs_context_heap_bytes(b.ctx), bytes);
    close_bench(&b);
}

// Between two switches that follow each other no condition changes, whatever the formula: all ways
// of writing, random places, against many samples.
static void samples_agree(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "if(t < %.17g, t > %.17g && t < %.17g, mod(t, 0.37) < 0.11)",
        "floor(%.17g*t) + 10*(sin(%.17g*t) > 0.3) + 100*step(t - %.17g)",
        "(mod(%.17g*t, 1) < 0.4) + 10*(abs(t - %.17g) < 0.2) + 100*round(t*%.17g)",
        "sign(cos(%.17g*t + %.17g) - 0.5*t/%.17g)",
        "floor(4*sin(%.17g*t)*cos(%.17g*t) + %.17g)",
    };
    enum { FORMS = sizeof forms / sizeof *forms, TRIES = 20, SAMPLES = 50, TEXT = 256 };
    pcs_random random;
    pcs_random_init(&random, 7);
    for (int k = 0; k < FORMS * TRIES; ++k) {
        char text[TEXT];
        double p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = 0.1 + 2.7 * pcs_random_uniform(&random);
        snprintf(text, sizeof text, forms[k % FORMS], p[0], p[1], p[2]);
        bench b;
        open_bench(&b, text, PCS_SWITCHING_TIME);
        double from = 0;
        while (from < 3) {
            const double to = fmin(pcs_switching_next(b.switching, from, 3, ROUNDING), 3);
            const double middle = 0.5 * (from + to);
            for (int i = 0; i < SAMPLES; ++i) {
                const double t = from + 2 * ROUNDING +
                                 pcs_random_uniform(&random) * (to - from - 4 * ROUNDING);
                if (to - from > 8 * ROUNDING &&
                    pcs_formula_evaluate(b.formula, &t) != pcs_formula_evaluate(b.formula, &middle))
                    fail_msg("%s: a switch between %.17g and %.17g is missed", text, from, to);
            }
            from = to;
        }
        close_bench(&b);
    }
}

static void sides(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, "if(x < 0.5, floor(y), 0) + (t < 1)", PCS_SWITCHING_STATE);
    assert_int_equal(pcs_switching_count(b.switching), 2);
    double side[2], distance[2];
    const double at[3] = {0, 0.2, 3.25}, later[3] = {0, 0.4, 4.5};
    pcs_switching_sides(b.switching, at, NULL, side, NULL);
    const bool order_first = side[0] == -1;
    const int order = order_first ? 0 : 1, whole = 1 - order;
    assert_true(side[order] == -1 && side[whole] == 3);
    const double before[2] = {side[0], side[1]};
    pcs_switching_sides(b.switching, later, before, side, distance);
    assert_near(distance[order], 0.1, 1e-15);
    assert_near(distance[whole], -0.5, 1e-15);
    const double elsewhere[3] = {0, 0.6, 4.5}; // the whole part is not looked at there
    pcs_switching_sides(b.switching, elsewhere, before, side, distance);
    assert_true(side[order] == 1 && isnan(side[whole]));
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight),      cmocka_unit_test(curved), cmocka_unit_test(without_end),
        cmocka_unit_test(samples_agree), cmocka_unit_test(sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

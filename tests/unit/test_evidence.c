// The judgement of a run: where good ends, what the words say, and that nothing that is not a
// number passes as good.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "percuss/evidence.h"

typedef struct fixture {
    pcs_statistics statistics;
    pcs_run_facts facts;
    pcs_finding findings[PCS_FINDING_KIND_COUNT];
    char text[400];
} fixture;

static const char *name_contact(const void *owner, int32_t slot)
{
    (void)slot;
    return owner;
}

static void begin(fixture *f)
{
    *f = (fixture){.statistics = {.steps = 1000, .energy = {.kinetic = 3, .potential = 4}},
                   .facts = {.contacts = 2, .joints = 1, .size = 1, .contact_name = name_contact, .owner = "tip"}};
    f->facts.energy = (pcs_energy_scale){true, 4, 3};
}

static pcs_level judge(fixture *f)
{
    f->facts.statistics = &f->statistics;
    pcs_run_judge(&f->facts, f->findings);
    return pcs_run_verdict(f->findings, f->text, sizeof f->text);
}

static void expect(fixture *f, pcs_finding_kind kind, pcs_level level, const char *words)
{
    pcs_level verdict = judge(f);
    assert_int_equal(f->findings[kind].level, level);
    if (!strstr(f->findings[kind].text, words))
        fail_msg("'%s' lacks '%s'", f->findings[kind].text, words);
    assert_int_equal(verdict, level);
}

static void test_good_run(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    assert_int_equal(judge(&f), PCS_LEVEL_GOOD);
    assert_string_equal(pcs_level_name(PCS_LEVEL_GOOD), "good");
    assert_non_null(strstr(f.text, "sound"));
    for (int k = 0; k < PCS_FINDING_KIND_COUNT; k++) {
        assert_non_null(f.findings[k].label);
        assert_true(strlen(f.findings[k].text) > 10);
    }
}

static void test_limits(void **state)
{
    (void)state;
    fixture f;
    const struct {
        size_t field;
        pcs_finding_kind kind;
        double good, notice, bad; // 0: the level does not exist
        const char *words;
    } rows[] = {
#define ROW(field, ...) {offsetof(pcs_statistics, field), __VA_ARGS__}
        ROW(worst_residual, PCS_FINDING_RESIDUAL, 1e-9, 1e-6, 1e-2, "contact laws"),
        ROW(worst_newton, PCS_FINDING_MOMENTUM, 1e-9, 1e-6, 1e-2, "momentum"),
        ROW(worst_penetration, PCS_FINDING_PENETRATION, 1e-7, 1e-5, 0.1, "m"),
        ROW(worst_drift, PCS_FINDING_DRIFT, 1e-7, 1e-5, 0.1, "joints"),
        ROW(worst_velocity_drift, PCS_FINDING_VELOCITY_DRIFT, 1e-7, 1e-5, 0.1, "velocities"),
        ROW(initial_penetration, PCS_FINDING_INITIAL_PENETRATION, 1e-10, 1e-4, 0.1, "started"),
        ROW(assembly_moved, PCS_FINDING_ASSEMBLY, 1e-6, 0.1, 0, "initial positions"),
        ROW(energy.numerical, PCS_FINDING_ENERGY, 1e-3, 0.1, 1, "largest energy"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double values[] = {rows[i].good, rows[i].notice, rows[i].bad};
        for (int level = PCS_LEVEL_GOOD; level <= PCS_LEVEL_BAD; level++) {
            begin(&f);
            double *field = (double *)(void *)((char *)&f.statistics + rows[i].field);
            *field = values[level];
            if (level == PCS_LEVEL_GOOD || values[level] > 0)
                expect(&f, rows[i].kind, (pcs_level)level,
                       level > 0 || strcmp(rows[i].words, "started") != 0 ? rows[i].words : "");
            *field = NAN;
            judge(&f);
            assert_true(f.findings[rows[i].kind].level != PCS_LEVEL_GOOD);
        }
    }
}

static void test_counts(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.statistics.unconverged_steps = 1;
    expect(&f, PCS_FINDING_UNCONVERGED, PCS_LEVEL_NOTICE, "1 step did not converge");
    f.statistics.unconverged_steps = 100;
    expect(&f, PCS_FINDING_UNCONVERGED, PCS_LEVEL_BAD, "100 steps did not converge");
    begin(&f);
    f.statistics.rejected_steps = 3;
    expect(&f, PCS_FINDING_REJECTED, PCS_LEVEL_GOOD, "3 steps");
    f.statistics.rejected_steps = 300;
    expect(&f, PCS_FINDING_REJECTED, PCS_LEVEL_NOTICE, "300 steps");
    begin(&f);
    f.statistics.redundant_rows = f.statistics.redundant_most = 2;
    expect(&f, PCS_FINDING_REDUNDANT, PCS_LEVEL_NOTICE, "arbitrarily");
    f.statistics.redundant_most = 3;
    expect(&f, PCS_FINDING_SINGULAR, PCS_LEVEL_NOTICE, "singular position");
    assert_non_null(strstr(f.text, "singular positions, redundant constraint rows"));
}

// What the model does not have is not judged.
static void test_what_does_not_apply(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.facts.joints = f.facts.contacts = 0;
    f.statistics.worst_drift = f.statistics.worst_penetration = 1;
    assert_int_equal(judge(&f), PCS_LEVEL_GOOD);
    assert_false(f.findings[PCS_FINDING_DRIFT].applies);
    assert_false(f.findings[PCS_FINDING_PENETRATION].applies);
}

// The remainder of bodies at rest is rounding, wherever the potential is counted from.
static void test_rounding_of_energies(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.statistics.energy = (pcs_energy_account){
        .kinetic = 1e-12, .potential = 1e6, .numerical = 1e-5};
    f.facts.energy.largest = 1e-6;
    expect(&f, PCS_FINDING_ENERGY, PCS_LEVEL_GOOD, "energy");
    assert_true(fabs(pcs_energy_at_start(&f.statistics.energy) - 1e6) < 1e-4);
    pcs_energy_scale scale = {0};
    pcs_energy_scale_update(&scale, 2, -100);
    pcs_energy_scale_update(&scale, 1, -107);
    assert_true(scale.largest == 7);
}

// Words that do not fit are cut, not written beyond the end.
static void test_long_names(void **state)
{
    (void)state;
    fixture f;
    char name[1000], small[20];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    begin(&f);
    f.facts.owner = name;
    f.statistics.initial_penetration = 1e-3;
    judge(&f);
    assert_true(strlen(f.findings[PCS_FINDING_INITIAL_PENETRATION].text) ==
                PCS_FINDING_TEXT_SIZE - 1);
    pcs_run_verdict(f.findings, small, sizeof small);
    assert_true(strlen(small) == sizeof small - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_run),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_what_does_not_apply),
        cmocka_unit_test(test_rounding_of_energies),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

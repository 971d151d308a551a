// The judgement of a run: where good ends, what the words say, and that nothing that is not a
// number passes as good.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
    *f = (fixture){
        .statistics = {.steps = 1000, .energy = {.kinetic = 3, .potential = 4}},
        .facts = {
            .contacts = 2, .joints = 1, .size = 1, .contact_name = name_contact, .owner = "tip"}};
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
        ROW(momentum_drift, PCS_FINDING_ANGULAR_MOMENTUM, 1e-4, 1e-2, 1, "angular momentum"),
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
    begin(&f);
    f.statistics.force_components = 12;
    expect(&f, PCS_FINDING_FORCES, PCS_LEVEL_GOOD, "are unique");
    f.statistics.free_forces = (pcs_extreme){6, 0.4, 1};
    expect(&f, PCS_FINDING_FORCES, PCS_LEVEL_GOOD,
           "of 12 components of the contact forces 6 are free (contact 'tip' at t = 0.4 s)");
}

// Every row has an explanation in four parts, whole and without a gap, and advises what makes a run
// finer under its scheme: --step is only the step of the output where a scheme chooses its own.
static void test_explanations(void **state)
{
    (void)state;
    static const char *const option[PCS_REFINED_COUNT] = {
        "step, or",    "--step",       ".tolerance=", ".first_step=", ".largest_time_step=",
        ".tolerance=", ".first_step=",
    };
    fixture f;
    begin(&f);
    judge(&f);
    for (int by = 0; by < PCS_REFINED_COUNT; by++) {
        f.statistics.refined_by = by;
        for (int k = 0; k < PCS_FINDING_KIND_COUNT; k++) {
            pcs_explanation e;
            pcs_finding_explain(&f.facts, (pcs_finding_kind)k, &e);
            const char *const texts[] = {e.measured, e.matters, e.limits, e.remedy};
            for (int i = 0; i < 4; i++) {
                const size_t length = strlen(texts[i]);
                if (length < 20 || length >= PCS_EXPLANATION_SIZE - 1 ||
                    texts[i][length - 1] != '.' || strpbrk(texts[i], "{}"))
                    fail_msg("'%s', part %d: '%s'", f.findings[k].label, i, texts[i]);
            }
            if (strstr(e.remedy, "Run again") && !strstr(e.remedy, option[by]))
                fail_msg("'%s': '%s' lacks '%s'", f.findings[k].label, e.remedy, option[by]);
        }
    }
}

// Limits in the explanations are those of the judgement, in metres where they go with the model's size.
static void test_explained_limits(void **state)
{
    (void)state;
    const struct {
        pcs_finding_kind kind;
        const char *words;
    } rows[] = {
        {PCS_FINDING_ERROR, "above 5\u00a0% of the largest displacement"},
        {PCS_FINDING_RESIDUAL, "above 1e-8"},
        {PCS_FINDING_PENETRATION, "above 1\u00a0% of the model's size (here 0.024\u00a0m)"},
        {PCS_FINDING_ENERGY, "above 10\u00a0%"},
        {PCS_FINDING_DRIFT, "0.001 m or rad"},
    };
    fixture f;
    pcs_explanation e;
    begin(&f);
    f.facts.size = 2.385;
    judge(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pcs_finding_explain(&f.facts, rows[i].kind, &e);
        if (!strstr(e.limits, rows[i].words))
            fail_msg("'%s' lacks '%s'", e.limits, rows[i].words);
    }
    f.facts.size = 0;
    pcs_finding_explain(&f.facts, PCS_FINDING_PENETRATION, &e);
    assert_null(strstr(e.limits, "here"));
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

// Bodies that are held, where nothing but rounding is left, and motions so slow that their energy is
// nothing beside the works of forces.
static void test_energies_near_zero(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    const pcs_energy_account held = {.potential = 4e-14, .numerical = 4e-14};
    const pcs_energy_account slow = {
        .kinetic = 1e-13, .driver = 2.385, .damping = -2.385, .numerical = 1e-6};
    f.statistics.energy = held;
    f.statistics.energy_rounding = 1e-12;
    f.facts.energy = (pcs_energy_scale){true, 0, 4e-14};
    expect(&f, PCS_FINDING_ENERGY, PCS_LEVEL_GOOD, "energy");
    double largest = 1;
    assert_true(pcs_energy_remainder(&f.statistics, &f.facts.energy, &largest) < 1e-3);
    assert_true(largest == 0);
    f.statistics.energy.numerical = 1; // a remainder that is no rounding
    expect(&f, PCS_FINDING_ENERGY, PCS_LEVEL_BAD, "%");
    begin(&f);
    f.statistics.energy = slow;
    f.facts.energy = (pcs_energy_scale){true, 0, 1e-13};
    expect(&f, PCS_FINDING_ENERGY, PCS_LEVEL_GOOD, "4.2e-07 of the largest energy or work");
    f.statistics.energy = (pcs_energy_account){0};
    f.facts.energy = (pcs_energy_scale){true, 0, 0};
    expect(&f, PCS_FINDING_ENERGY, PCS_LEVEL_GOOD, "to 0 of");
}

// No percentage of what is no number; the place to look at instead.
static void test_energies_that_are_no_numbers(void **state)
{
    (void)state;
    const struct {
        pcs_energy_account energy;
        const char *words;
    } rows[] = {
        {{.kinetic = NAN, .numerical = NAN}, "kinetic energy"},
        {{.potential = NAN, .numerical = NAN}, "potential energy"},
        {{.potential = INFINITY, .numerical = INFINITY}, "potential energy"},
        {{.applied = NAN, .numerical = NAN}, "work of a force"},
        {{.driver = INFINITY, .numerical = -INFINITY}, "work of a force"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        begin(&f);
        f.statistics.energy = rows[i].energy;
        expect(&f, PCS_FINDING_ENERGY, PCS_LEVEL_BAD, rows[i].words);
        assert_null(strchr(f.findings[PCS_FINDING_ENERGY].text, '%'));
    }
}

// What is to be made smaller is what the scheme has; --step is often that of the output only.
static void test_remedies(void **state)
{
    (void)state;
    const struct {
        pcs_refinement by;
        const char *words;
    } rows[] = {
        {PCS_REFINED_UNKNOWN, "a smaller step or tolerance"},
        {PCS_REFINED_STEP, "a smaller --step"},
        {PCS_REFINED_TOLERANCE, "a smaller tolerance"},
        {PCS_REFINED_FIRST_STEP, "a smaller first_step"},
        {PCS_REFINED_HYBRID, "a smaller tolerance or largest_time_step"},
        {PCS_REFINED_HYBRID_FIXED, "a smaller first_step or largest_time_step"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        begin(&f);
        f.facts.projection = "none";
        f.statistics.refined_by = (int32_t)rows[i].by;
        f.statistics.unconverged_steps = 900;
        f.statistics.rejected_steps = 900;
        f.statistics.worst_penetration = f.statistics.worst_drift = 1;
        f.statistics.worst_velocity_drift = f.statistics.worst_residual = 1;
        f.statistics.worst_newton = f.statistics.energy.numerical = 3;
        judge(&f);
        const pcs_finding_kind kinds[] = {
            PCS_FINDING_UNCONVERGED, PCS_FINDING_PENETRATION,    PCS_FINDING_DRIFT,
            PCS_FINDING_ENERGY,      PCS_FINDING_VELOCITY_DRIFT, PCS_FINDING_RESIDUAL,
            PCS_FINDING_MOMENTUM,
        };
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (!strstr(f.findings[kinds[k]].text, rows[i].words))
                fail_msg("'%s' lacks '%s'", f.findings[kinds[k]].text, rows[i].words);
        for (int k = 0; k < PCS_FINDING_KIND_COUNT; k++)
            assert_true(rows[i].by == PCS_REFINED_STEP || !strstr(f.findings[k].text, "--step"));
    }
}

// Where and when bodies were deepest in each other.
static void test_place_of_penetration(void **state)
{
    (void)state;
    const char *const contacts[] = {"tip", "crank.upper"}, *units[] = {"m", "m or rad"};
    for (int i = 0; i < 2; i++) {
        fixture f;
        char words[100];
        begin(&f);
        f.statistics.worst_penetration = 3e-5;
        f.statistics.penetration_time = 0.731;
        f.statistics.refined_by = PCS_REFINED_STEP;
        f.facts.owner = contacts[i];
        snprintf(words, sizeof words, "%s '%s' was 3.0e-05 %s deep at t = 0.731 s",
                 i == 0 ? "contact" : "limit", contacts[i], units[i]);
        expect(&f, PCS_FINDING_PENETRATION, PCS_LEVEL_NOTICE, words);
        f.statistics.refined_by = PCS_REFINED_UNKNOWN; // a file of an earlier version
        expect(&f, PCS_FINDING_PENETRATION, PCS_LEVEL_NOTICE, "bodies penetrated each other");
    }
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
        cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_explained_limits),
        cmocka_unit_test(test_what_does_not_apply),
        cmocka_unit_test(test_rounding_of_energies),
        cmocka_unit_test(test_energies_near_zero),
        cmocka_unit_test(test_energies_that_are_no_numbers),
        cmocka_unit_test(test_remedies),
        cmocka_unit_test(test_place_of_penetration),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

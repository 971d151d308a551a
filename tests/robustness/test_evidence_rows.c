// Rows of the judgement by runs in which they must say something, with level, contact and time: chatter,
// forces across gaps, energy gained by impacts, contact forces that are not unique. And runs beside them
// in which they must not.
#include <stdio.h>
#include <string.h>

#include "math/rotation.h"
#include "percuss/evidence.h"
#include "percuss/io.h"
#include "support/near.h"

typedef struct trial {
    pcs_context *ctx;
    pcs_model_file *file;
    const pcs_model *model;
    pcs_simulation *simulation;
    const pcs_statistics *statistics;
    pcs_finding findings[PCS_FINDING_KIND_COUNT];
    pcs_extreme hover; // as a look at each step from outside sees it
} trial;

static const char *name_contact(const void *model, int32_t slot)
{
    return pcs_model_contact_name(model, slot);
}

// A contact that was not struck in the step, has a force, and is open at its end.
static void look_for_hovering(trial *t, int64_t first_event)
{
    for (int32_t i = 0; i < pcs_model_contact_count(t->model); ++i) {
        pcs_contact_view view;
        pcs_event event;
        bool struck = false;
        for (int64_t k = first_event; pcs_simulation_event(t->simulation, k, &event); ++k)
            struck = struck || (event.kind == PCS_EVENT_IMPACT && event.object == i);
        pcs_simulation_contact(t->simulation, i, &view);
        if (!struck && view.force[0] > 0 && view.gap > t->hover.value)
            t->hover = (pcs_extreme){view.gap, pcs_simulation_time(t->simulation), i};
    }
}

// The model under a scheme, to `end` in steps h; projection: NULL for the scheme's own.
static void run(trial *t, const char *text, const char *scheme, const char *projection, double h,
                double end)
{
    memset(t, 0, sizeof *t);
    t->ctx = pcs_context_create(NULL);
    if (pcs_model_file_read_memory(t->ctx, "trial", text, strlen(text), NULL, 0, &t->file) < 0)
        fail_msg("%s", pcs_context_error(t->ctx));
    t->model = pcs_model_file_model(t->file);
    pcs_simulation_def def = pcs_simulation_default();
    def.scheme = scheme;
    def.step = h;
    def.end = end;
    if (pcs_simulation_create(t->ctx, t->model, &def, &t->simulation) < 0)
        fail_msg("%s: %s", scheme, pcs_context_error(t->ctx));
    if (projection && pcs_simulation_set(t->simulation, "projection", projection) < 0)
        fail_msg("%s: %s", scheme, pcs_context_error(t->ctx));
    t->statistics = pcs_simulation_statistics(t->simulation);
    pcs_run_facts facts = {.statistics = t->statistics,
                           .contacts = pcs_model_contact_count(t->model),
                           .joints = pcs_model_row_count(t->model),
                           .contact_name = name_contact,
                           .owner = t->model};
    if (pcs_simulation_start(t->simulation) < 0)
        fail_msg("%s: %s", scheme, pcs_context_error(t->ctx));
    const pcs_energy_account *energy = &t->statistics->energy;
    pcs_energy_scale_update(&facts.energy, energy->kinetic, energy->potential);
    while (!pcs_simulation_finished(t->simulation)) {
        const int64_t events = pcs_simulation_event_count(t->simulation);
        if (pcs_simulation_step(t->simulation) < 0)
            fail_msg("%s: %s", scheme, pcs_context_error(t->ctx));
        pcs_energy_scale_update(&facts.energy, energy->kinetic, energy->potential);
        look_for_hovering(t, events);
    }
    pcs_run_judge(&facts, t->findings);
}

static void end_trial(trial *t)
{
    pcs_simulation_destroy(t->simulation);
    pcs_model_file_destroy(t->file);
    pcs_context_destroy(t->ctx);
}

static void expect_level(const trial *t, pcs_finding_kind kind, pcs_level level)
{
    const pcs_finding *f = &t->findings[kind];
    assert_true(f->applies);
    if (f->level != level)
        fail_msg("%s is %s, not %s: %s", f->label, pcs_level_name(f->level), pcs_level_name(level),
                 f->text);
}

// The row names the contact, and a time between the two.
static void expect_place(const trial *t, pcs_finding_kind kind, const pcs_extreme *e,
                         const char *contact, double from, double to)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "'%s'", contact);
    if (!strstr(t->findings[kind].text, quoted))
        fail_msg("'%s' does not name %s", t->findings[kind].text, quoted);
    if (!(e->time >= from && e->time <= to))
        fail_msg("%s: at %g s, expected between %g and %g s", contact, e->time, from, to);
}

// ---- Chatter ----

// A force that shakes a mass off its floor and back every few steps.
static void test_chatter(void **state)
{
    (void)state;
    static const char pattern[] =
        "dimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  still: {point: true, mass: 1, position: [1, 0]}\n"
        "  mass: {point: true, mass: 1, position: [0, 0]}\n"
        "forces: {f: {body: mass, force: [0, \"200*sin(2*pi*t/%.17g) - 90\"]}}\n"
        "contacts:\n"
        "  rest: {type: point-plane, bodies: [ground, still]}\n"
        "  floor: {type: point-plane, bodies: [ground, mass]}\n";
    static const struct {
        double h, period; // in steps
        const char *scheme;
        bool chatters;
    } cases[] = {
        {1e-3, 4, "moreau-jean", true},     {1.3e-3, 5, "moreau-jean", true},
        {1.7e-3, 4.6, "moreau-jean", true}, {1e-3, 4.3, "nonsmooth-alpha", true},
        {1e-3, 8, "moreau-jean", false},    {1e-3, 10.7, "nonsmooth-alpha", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[800];
        trial t;
        const double period = cases[i].period * cases[i].h, end = 200 * cases[i].h;
        snprintf(text, sizeof text, pattern, period);
        run(&t, text, cases[i].scheme, NULL, cases[i].h, end);
        const pcs_extreme *chatter = &t.statistics->chatter;
        expect_level(&t, PCS_FINDING_CHATTER,
                     cases[i].chatters ? PCS_LEVEL_NOTICE : PCS_LEVEL_GOOD);
        if (cases[i].chatters) { // off and on once in a period, to the end
            expect_place(&t, PCS_FINDING_CHATTER, chatter, "floor", end - 2 * period, end);
            assert_true(chatter->value <= 2 * 200 / cases[i].period + 2);
            assert_true(chatter->value >= 200 / cases[i].period);
        }
        end_trial(&t);
    }
}

// ---- Force across a gap ----

// A ball that comes to rest above its floor, because a step is longer than its last jumps, and one that
// rolls over a round one in long steps.
static void test_hover(void **state)
{
    (void)state;
    static const char falls[] = "dimension: 2\ngravity: [0, -9.81]\n"
                                "bodies: {ball: {point: true, mass: 1.3, position: [0, %g]}}\n"
                                "contacts: {floor: {type: point-plane, bodies: [ground, ball], "
                                "restitution: %g}}\n";
    static const char rolls[] =
        "dimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {ball: {mass: 1, shape: {sphere: 0.1}, position: [-1.03, %g], velocity: [3, 0]}}\n"
        "contacts: {floor: {type: circle-circle, bodies: [ground, ball], radii: [1, 0.1], a: {at: "
        "[0, -1]}, friction: 0.2, restitution: %g}}\n";
    static const struct {
        const char *pattern, *scheme;
        double height, e, h;
        pcs_level level;
    } cases[] = {
        {falls, "moreau-jean", 1, 0.5, 0.05, PCS_LEVEL_BAD},
        {falls, "moreau-jean", 1, 0.5, 0.02, PCS_LEVEL_NOTICE},
        {rolls, "moreau-jean", 0.25, 0, 0.05, PCS_LEVEL_NOTICE},
        {rolls, "capturing", 0.25, 0, 0.1, PCS_LEVEL_BAD},
        {rolls, "capturing", 0.25, 0.5, 0.05, PCS_LEVEL_BAD},
        {falls, "moreau-jean", 1, 0, 0.1, PCS_LEVEL_GOOD},
        {falls, "event-driven", 1, 0.5, 0.05, PCS_LEVEL_GOOD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[800];
        trial t;
        snprintf(text, sizeof text, cases[i].pattern, cases[i].height, cases[i].e);
        run(&t, text, cases[i].scheme, NULL, cases[i].h, 1.5);
        const pcs_extreme *hover = &t.statistics->hover;
        if (hover->value != t.hover.value || (hover->value > 0 && hover->time != t.hover.time))
            fail_msg("case %zu: %g m at %g s, seen %g m at %g s", i, hover->value, hover->time,
                     t.hover.value, t.hover.time);
        expect_level(&t, PCS_FINDING_HOVER, cases[i].level);
        if (cases[i].level != PCS_LEVEL_GOOD)
            expect_place(&t, PCS_FINDING_HOVER, hover, "floor", 0.5, 1.5);
        end_trial(&t);
    }
}

// ---- Energy gained by impacts ----

// Kane's double pendulum: two uniform bars of 1 kg and 1 m, 20 and 30 degrees from the vertical, turn
// with -0.1 and -0.2 rad/s, and the tip strikes a rough floor. Newton's law, applied at once to a
// tangential velocity that sticks, gains energy [Kane and Levinson 1985].
static double kane_gain(double e, double friction, double *energy)
{
    const double a = 20 * PCS_PI / 180, b = 30 * PCS_PI / 180, c = 0.5 * cos(b - a);
    const double omega[2] = {-0.1, -0.2};
    const double Ht[2] = {cos(a), cos(b)}, Hn[2] = {sin(a), sin(b)};
    const double det = 4.0 / 9 - c * c;
    const double inverse[2][2] = {{1.0 / 3 / det, -c / det}, {-c / det, 4.0 / 3 / det}};
    double W[3] = {0, 0, 0}, u[2] = {0, 0}; // tt, tn, nn
    for (int i = 0; i < 2; ++i) {
        u[0] += Ht[i] * omega[i];
        u[1] += Hn[i] * omega[i];
        for (int k = 0; k < 2; ++k) {
            W[0] += Ht[i] * inverse[i][k] * Ht[k];
            W[1] += Ht[i] * inverse[i][k] * Hn[k];
            W[2] += Hn[i] * inverse[i][k] * Hn[k];
        }
    }
    const double d[2] = {-u[0], -(1 + e) * u[1]}, D = W[0] * W[2] - W[1] * W[1];
    double P[2] = {(W[2] * d[0] - W[1] * d[1]) / D, (W[0] * d[1] - W[1] * d[0]) / D};
    if (fabs(P[0]) > friction * P[1]) { // slips
        const double sign = copysign(friction, P[0]);
        P[1] = d[1] / (W[2] + sign * W[1]);
        P[0] = sign * P[1];
    }
    const double slip = u[0] + W[0] * P[0] + W[1] * P[1];
    *energy = 0.5 * (4.0 / 3 * omega[0] * omega[0] + omega[1] * omega[1] / 3) +
              c * omega[0] * omega[1];
    return 0.5 * (P[0] * (u[0] + slip) + P[1] * (1 - e) * u[1]);
}

static void test_gain(void **state)
{
    (void)state;
    static const char pattern[] =
        "dimension: 2\n"
        "bodies:\n"
        "  upper: {mass: 1, inertia: 1/12, position: [%.17g, %.17g], angle: %.17g, velocity: "
        "[%.17g, %.17g], angular_velocity: -0.1}\n"
        "  lower: {mass: 1, inertia: 1/12, position: [%.17g, %.17g], angle: %.17g, velocity: "
        "[%.17g, %.17g], angular_velocity: -0.2}\n"
        "joints:\n"
        "  top: {type: revolute, bodies: [ground, upper], at: [0, %.17g]}\n"
        "  knee: {type: revolute, bodies: [upper, lower], at: [%.17g, %.17g]}\n"
        "contacts: {tip: {type: point-plane, bodies: [ground, lower], b: {at: [0.5, 0]}, friction: "
        "%g, restitution: %g}}\n";
    static const struct {
        double e, friction;
        pcs_level level;
        const char *scheme;
    } cases[] = {
        {0.5, 0.5, PCS_LEVEL_BAD, "moreau-jean"},
        {0.7, 0.5, PCS_LEVEL_BAD, "capturing"},
        {1, 0.5, PCS_LEVEL_BAD, "nonsmooth-alpha"},
        {0.63, 0.9, PCS_LEVEL_BAD, "event-driven"},
        {0.405, 1.5, PCS_LEVEL_NOTICE, "moreau-jean"},
        {0.41, 1.5, PCS_LEVEL_NOTICE, "event-driven"},
        {0.35, 1.5, PCS_LEVEL_GOOD, "moreau-jean"},
        {0, 2, PCS_LEVEL_GOOD, "moreau-jean"},
    };
    const double a = 20 * PCS_PI / 180, b = 30 * PCS_PI / 180, top = cos(a) + cos(b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2000];
        trial t;
        double energy;
        snprintf(text, sizeof text, pattern, sin(a) / 2, top - cos(a) / 2, a - PCS_PI / 2,
                 -0.05 * cos(a), -0.05 * sin(a), sin(a) + sin(b) / 2, cos(b) / 2, b - PCS_PI / 2,
                 -0.1 * cos(a) - 0.1 * cos(b), -0.1 * sin(a) - 0.1 * sin(b), top, sin(a), cos(b),
                 cases[i].friction, cases[i].e);
        const double gain = kane_gain(cases[i].e, cases[i].friction, &energy), h = 1e-6;
        run(&t, text, cases[i].scheme, NULL, h, 10 * h);
        const pcs_extreme *e = &t.statistics->impact_gain;
        // In the first step, through which the bars turn by 2e-7 rad.
        assert_near(e->value, fmax(gain, 0), 1e-5 * energy);
        expect_level(&t, PCS_FINDING_IMPACT_GAIN, cases[i].level);
        if (gain > 0)
            expect_place(&t, PCS_FINDING_IMPACT_GAIN, e, "tip", 0, 1.5 * h);
        end_trial(&t);
    }
}

// ---- Contact forces that are not unique ----

// A body in space has six velocities: of n contacts that stick 3 n - 6 components are free, of n without
// friction n - 3 where their normals are parallel; in the plane 2 n - 3 and n - 2.
static void test_free_forces(void **state)
{
    (void)state;
    static const char box[] =
        "dimension: 3\ngravity: [0, 0, -9.81]\n"
        "bodies: {box: {mass: 1, shape: {box: [0.41, 0.3, 0.2]}, position: [0, 0, 0.1]}}\n"
        "contacts: {floor: {type: box-plane, bodies: [ground, box], size: [0.41, 0.3, 0.2], "
        "friction: %g}}\n";
    static const char plane_box[] =
        "dimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {box: {mass: 1, shape: {box: [0.41, 0.2, 0.3]}, position: [0, 0.1]}}\n"
        "contacts: {floor: {type: box-plane, bodies: [ground, box], size: [0.41, 0.2], friction: "
        "%g}}\n";
    static const char stool[] =
        "dimension: 3\ngravity: [0, 0, -9.81]\n"
        "bodies: {stool: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5]}}\n"
        "contacts:\n"
        "  a: {type: point-plane, bodies: [ground, stool], b: {at: [0.2, 0, -0.5]}, friction: %g}\n"
        "  b: {type: point-plane, bodies: [ground, stool], b: {at: [-0.1, 0.17, -0.5]}}\n"
        "  c: {type: point-plane, bodies: [ground, stool], b: {at: [-0.1, -0.13, -0.5]}}\n";
    static const char groove[] = // of 90 degrees
        "dimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {disc: {mass: 1, shape: {sphere: 0.1}, position: [0, 0.14142135623730951]}}\n"
        "contacts:\n"
        "  left: {type: circle-plane, bodies: [ground, disc], a: {angle: -pi/4}, radius: 0.1, "
        "friction: %g}\n"
        "  right: {type: circle-plane, bodies: [ground, disc], a: {angle: pi/4}, radius: 0.1, "
        "friction: %g}\n";
    static const struct {
        const char *model, *contact;
        double friction;
        int free, components;
    } cases[] = {
        {box, "floor.", 0.5, 6, 12}, {box, "floor.", 0, 1, 4}, {plane_box, "floor.", 0.31, 1, 4},
        {plane_box, "", 0, 0, 2},    {stool, "", 0, 0, 3},     {stool, "", 0.4, 0, 5},
        {groove, "", 0, 0, 2},       {groove, "", 0.6, 1, 4},
    };
    static const char *const schemes[] = {"moreau-jean", "nonsmooth-alpha", "event-driven"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; ++k) {
            char text[1600];
            trial t;
            snprintf(text, sizeof text, cases[i].model, cases[i].friction, cases[i].friction);
            run(&t, text, schemes[k], NULL, 7e-3, 0.35);
            const pcs_extreme *most = &t.statistics->free_forces;
            const pcs_finding *f = &t.findings[PCS_FINDING_FORCES];
            if (most->value != cases[i].free ||
                t.statistics->force_components != cases[i].components)
                fail_msg("case %zu, %s: %g of %d components are free, expected %d of %d", i,
                         schemes[k], most->value, (int)t.statistics->force_components,
                         cases[i].free, cases[i].components);
            expect_level(&t, PCS_FINDING_FORCES, PCS_LEVEL_GOOD);
            assert_non_null(strstr(f->text, cases[i].free > 0 ? "are free" : "are unique"));
            assert_non_null(strstr(f->text, cases[i].contact));
            assert_true(most->time <= 0.05);
            end_trial(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chatter),
        cmocka_unit_test(test_hover),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_free_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

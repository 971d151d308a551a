// Impacts that fall on the beginning or the end of a step of the march: round numbers put them on
// output times, where steps end with `output: exact` and with inputs, and on the march's own steps.
// Between impacts the height above the floor and the speed of whatever falls obey
// y + v^2 / 2 g = e^(2k) h after k impacts. The flights that count as rest are lower than 1e-10 m.
#include <stdio.h>

#include "support/family.h"
#include "support/model_text.h"
#include "support/near.h"

static const double peak_tolerance = 1e-8; // m

typedef struct fall {
    double gravity, height, restitution, step;
} fall;

typedef struct way_to_fall {
    const char *name, *text;
    const char *height, *speed; // signals
} way_to_fall;

// Each is read with the parameters g, h and e.
static const way_to_fall ways[] = {
    {"point",
     "dimension: 2\n"
     "gravity: [0, -g]\n"
     "bodies: {b: {point: true, mass: 2.385, position: [0, h]}}\n"
     "contacts: {floor: {type: point-plane, bodies: [ground, b], restitution: e}}\n",
     "body.b.position.y", "body.b.velocity.y"},
    {"formulas",
     "systems:\n"
     "  p:\n"
     "    coordinates: {q: {initial: h, rate: 0}}\n"
     "    kinetic: 0.5*q.rate^2\n"
     "    potential: g*q\n"
     "    contacts: {c: {gap: q, restitution: e}}\n"
     "dimension: 2\n",
     "system.p.q", "system.p.q.rate"},
    {"joint limit",
     "dimension: 2\n"
     "gravity: [0, -g]\n"
     "bodies: {b: {mass: 1, inertia: 1, position: [0, h]}}\n"
     "joints:\n"
     "  rail: {type: prismatic, bodies: [ground, b], a: {at: [0, 0], axis: [0, 1]},\n"
     "         b: {at: [0, 0], axis: [0, 1]},\n"
     "         limits: {lower: 0, restitution: e}}\n",
     "body.b.position.y", "body.b.velocity.y"},
    {"curve",
     "dimension: 2\n"
     "gravity: [0, -g]\n"
     "bodies: {b: {point: true, mass: 1, position: [0, h]}}\n"
     "contacts:\n"
     "  floor:\n"
     "    type: point-curve\n"
     "    bodies: [ground, b]\n"
     "    restitution: e\n"
     "    curve: [{type: parabola, coefficients: [0, 0, 0.05], x: [-2, 2]}]\n",
     "body.b.position.y", "body.b.velocity.y"},
    {"friction",
     "dimension: 2\n"
     "gravity: [0, -g]\n"
     "bodies: {b: {point: true, mass: 1, position: [0, h], velocity: [0.7, 0]}}\n"
     "contacts: {floor: {type: point-plane, bodies: [ground, b], restitution: e, friction: 0.3}}\n",
     "body.b.position.y", "body.b.velocity.y"},
    {"inputs",
     "dimension: 2\n"
     "gravity: [0, -g]\n"
     "inputs: {push: 0}\n"
     "bodies: {b: {point: true, mass: 1, position: [0, h]}}\n"
     "forces: {across: {body: b, force: [input.push, 0]}}\n"
     "contacts: {floor: {type: point-plane, bodies: [ground, b], restitution: e}}\n",
     "body.b.position.y", "body.b.velocity.y"},
    {"box on two corners",
     "dimension: 2\n"
     "gravity: [0, -g]\n"
     "bodies: {b: {mass: 1, inertia: 0.01, position: [0, h + 0.05]}}\n"
     "contacts: {floor: {type: box-plane, bodies: [ground, b], size: [0.2, 0.1],\n"
     "           restitution: e, friction: 0.2}}\n",
     "contact.floor.0.gap", "body.b.velocity.y"},
    {"three balls at once",
     "dimension: 2\n"
     "gravity: [0, -g]\n"
     "bodies:\n"
     "  a: {point: true, mass: 1, position: [-1, h]}\n"
     "  b: {point: true, mass: 2, position: [0, h]}\n"
     "  c: {point: true, mass: 3, position: [1, h]}\n"
     "contacts:\n"
     "  of_a: {type: point-plane, bodies: [ground, a], restitution: e}\n"
     "  of_b: {type: point-plane, bodies: [ground, b], restitution: e}\n"
     "  of_c: {type: point-plane, bodies: [ground, c], restitution: e}\n",
     "body.c.position.y", "body.c.velocity.y"},
    {"sphere in space",
     "dimension: 3\n"
     "gravity: [0, 0, -g]\n"
     "bodies: {b: {shape: {sphere: 0.1, mass: 1}, position: [0, 0, h + 0.1],\n"
     "             angular_velocity: [0, 0, 5]}}\n"
     "contacts: {floor: {type: sphere-plane, bodies: [ground, b], radius: 0.1, restitution: e,\n"
     "           friction: 0.3}}\n",
     "contact.floor.gap", "body.b.velocity.z"},
    {"box in space",
     "dimension: 3\n"
     "gravity: [0, 0, -g]\n"
     "bodies: {b: {shape: {box: [0.2, 0.3, 0.1], mass: 1}, position: [0, 0, h + 0.05]}}\n"
     "contacts: {floor: {type: box-plane, bodies: [ground, b], size: [0.2, 0.3, 0.1],\n"
     "           restitution: e}}\n",
     "contact.floor.0.gap", "body.b.velocity.z"},
};

// The motion between impacts is exact for all of them. Heun's estimate would take steps of 1e-4 s.
static const char *const integrators[] = {"heun", "bs32",   "rk4",    "rkf45", "dopri5",
                                          "hem5", "phem56", "alpha2", "alpha3"};

static void read_fall(model_text *f, const way_to_fall *way, const fall *drop, double end,
                      const char *run)
{
    char text[2048];
    const int length = snprintf(
        text, sizeof text,
        "parameters: {g: %.17g, h: %.17g, e: %.17g}\n%ssimulation: {end: %.17g, step: "
        "%.17g, %s}\n",
        drop->gravity, drop->height, drop->restitution, way->text, end, drop->step, run);
    assert_in_range(length, 1, sizeof text - 1);
    model_text_read(f, way->name, text, NULL, 0);
    const pcs_simulation_def def = pcs_model_file_simulation(f->file);
    const pcs_setting *options;
    assert_true(pcs_simulation_create(f->ctx, f->model, &def, &f->simulation) >= 0);
    const int32_t n = pcs_model_file_options(f->file, &options);
    for (int32_t i = 0; i < n; ++i)
        assert_true(pcs_simulation_set(f->simulation, options[i].key, options[i].text) >= 0);
}

// How far y + v^2 / 2 g is from the peak of the flight at hand. At an instant of impact itself it
// may be that of the flight before or behind.
static double defect(const fall *drop, double t, double y, double v)
{
    const double g = drop->gravity, e = drop->restitution, now = y + v * v / (2 * g);
    const double at_impact = 1e-7; // s; the errors of the times of many impacts
    double peak = drop->height, begin = -HUGE_VAL, end = sqrt(2 * peak / g);
    while (t > end && peak > 1e-20) {
        peak *= e * e;
        begin = end;
        end += 2 * sqrt(2 * peak / g);
    }
    double least = fabs(now - peak);
    if (t - begin < at_impact)
        least = fmin(least, fabs(now - peak / (e * e)));
    if (end - t < at_impact)
        least = fmin(least, fabs(now - peak * e * e));
    return least;
}

static void run_fall(model_text *f, const way_to_fall *way, const fall *drop, double end,
                     const char *run)
{
    double worst = 0;
    pcs_signal height, speed;
    read_fall(f, way, drop, end, run);
    assert_true(pcs_model_find_signal(f->ctx, f->model, way->height, &height) >= 0);
    assert_true(pcs_model_find_signal(f->ctx, f->model, way->speed, &speed) >= 0);
    for (int k = 0; !pcs_simulation_finished(f->simulation); ++k) {
        if (!isnan(pcs_simulation_input(f->simulation, 0)))
            assert_true(pcs_simulation_set_input(f->simulation, 0, k % 3 - 1) >= 0);
        const pcs_status status = pcs_simulation_step(f->simulation);
        if (status < 0)
            fail_msg("%s, %s: %s", way->name, run, pcs_context_error(f->ctx));
        worst = fmax(worst, defect(drop, pcs_simulation_time(f->simulation),
                                   pcs_simulation_signal(f->simulation, height),
                                   pcs_simulation_signal(f->simulation, speed)));
    }
    if (!(worst <= peak_tolerance))
        fail_msg("%s, %s, g = %g, h = %g, e = %g, step %g: a peak is wrong by %.3g m", way->name,
                 run, drop->gravity, drop->height, drop->restitution, drop->step, worst);
}

// Falls from round numbers, every fifth of them from others; number i of `falls_all`.
enum { GRAVITIES = 5, HEIGHTS = 4, RESTITUTIONS = 5, STEPS = 4 };
static fall fall_number(int i)
{
    static const double gravities[GRAVITIES] = {2, 8, 9.81, 10, 1};
    static const double heights[HEIGHTS] = {1, 0.5, 1.25, 2};
    static const double restitutions[RESTITUTIONS] = {0.5, 1, 0.9, 0.25, 0.7};
    static const double steps[STEPS] = {0.01, 0.25, 0.1, 0.02};
    const int n = 7 * i; // no common divisor with the number of all: another one for each i
    fall f = {gravities[n % GRAVITIES], heights[n / GRAVITIES % HEIGHTS],
              restitutions[n / (GRAVITIES * HEIGHTS) % RESTITUTIONS],
              steps[n / (GRAVITIES * HEIGHTS * RESTITUTIONS) % STEPS]};
    if (i % 5 == 4) {
        f.height *= 1.0371;
        f.step *= 0.9173;
    }
    return f;
}

// Until some impacts have passed, whatever the gravity.
static double end_of(const fall *f)
{
    return 6 * sqrt(2 * f->height / f->gravity);
}

static void test_integrators(void **state)
{
    enum { FALLS = 200, INTEGRATORS = sizeof integrators / sizeof *integrators };
    for (int i = 0; i < FALLS; i += CASE_STRIDE) {
        const fall f = fall_number(i);
        char run[96];
        for (int k = 0; k < INTEGRATORS; ++k) {
            snprintf(run, sizeof run, "scheme: event-driven, integrator: %s, output: %s%s",
                     integrators[k], (i + k) % 3 == 0 ? "dense" : "exact",
                     k == 0 ? ", tolerance: 1e-3" : "");
            run_fall(*state, &ways[0], &f, end_of(&f), run);
        }
        run_fall(*state, &ways[0], &f, end_of(&f),
                 i % 3 == 0 ? "scheme: hybrid, output: dense" : "scheme: hybrid, output: exact");
    }
}

// With friction the hybrid scheme time-steps what rests; its runs end before the accumulation of
// the impacts, t_1 (1 + e)/(1 - e).
static void test_ways(void **state)
{
    enum { FALLS = 12, WAYS = sizeof ways / sizeof *ways };
    static const char *const runs[] = {
        "scheme: phem56, output: exact", "scheme: alpha2, output: exact",
        "scheme: dopri5, output: dense", "scheme: hem5, output: exact",
        "scheme: hybrid, output: exact"};
    const size_t hybrid = sizeof runs / sizeof *runs - 1;
    for (int i = 0; i < FALLS; i += CASE_STRIDE) {
        const fall f = fall_number(3 * i);
        const double e = f.restitution, first = sqrt(2 * f.height / f.gravity);
        const double end = end_of(&f), before = fmin(end, 0.95 * first * (1 + e) / (1 - e));
        for (int k = 0; k < WAYS; ++k)
            for (size_t r = 0; r <= hybrid; ++r)
                run_fall(*state, &ways[k], &f, r == hybrid ? before : end, runs[r]);
    }
}

// The lecture's ball [AcaryLectures]: impacts at 1, 2, 2.5, 2.75 ..., rest at 3 s.
static void test_lecture_ball(void **state)
{
    model_text *f = *state;
    const fall ball = {2, 1, 0.5, 7.69e-4};
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; ++k) {
        char run[96];
        snprintf(run, sizeof run, "scheme: event-driven, integrator: %s%s", integrators[k],
                 k == 0 ? ", tolerance: 1e-3" : "");
        read_fall(f, &ways[1], &ball, 4, run);
        while (!pcs_simulation_finished(f->simulation))
            assert_true(pcs_simulation_step(f->simulation) >= 0);
        double time = 1, last = 0;
        int impacts = 0;
        pcs_event event;
        for (int64_t i = 0; pcs_simulation_event(f->simulation, i, &event); ++i) {
            if (event.kind != PCS_EVENT_IMPACT)
                continue;
            assert_near(event.time, time, 1e-7);
            time = last == 0 ? 2 : time + 0.5 * (time - last);
            last = event.time;
            ++impacts;
        }
        assert_in_range(impacts, 20, 40);
        assert_near(last, 3, 1e-6);
        assert_near(model_text_signal(f, "system.p.q"), 0, 1e-12);
        assert_near(model_text_signal(f, "energy.numerical"), 0, 1e-10);
    }
}

int main(void)
{
#define TEST(function) \
    cmocka_unit_test_setup_teardown(function, model_text_set_up, model_text_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_integrators),
        TEST(test_ways),
        TEST(test_lecture_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

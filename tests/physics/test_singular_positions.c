// Mechanisms that pass singular positions, in which joints depend on each other: parallelograms in a
// row that lie flat twice a turn (IFToMM A02 has two of them), and a slider-crank with equal arms at
// its dead points. Each has one degree of freedom on its branch, whose equation of motion is
// integrated here by Runge-Kutta with small steps. Every scheme stays on the branch and says what it
// has passed.
#include <stdio.h>
#include <string.h>

#include "support/model_text.h"
#include "support/near.h"

#include "math/vector.h"

enum { TEXT = 40000 };
static const double g = 9.81;

static const struct {
    const char *name;
    double error; // rad, after two to three turns with the tolerance 1e-8 or steps of 1 ms
} schemes[] = {
    {"phem56", 1e-5},
    {"hem5", 1e-5},
    {"dopri5", 1e-5},
    {"rkf45", 1e-4},
    {"rk4", 1e-5},
    {"hybrid", 1e-5},
    {"alpha2", 2e-3},
    {"alpha3", 2e-2},
    {"capturing", 1e-5},
    {"moreau-jean", 1e-3},
    {"moreau-jean-adaptive", 1e-2},
    {"nonsmooth-alpha", 1e-3},
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

// theta'' = -(weight cos + turning sin cos theta'^2) / (inertia + turning sin^2)
typedef struct motion {
    double angle, speed, inertia, turning, weight;
} motion;

static double acceleration(const motion *m, double angle, double speed)
{
    const double s = sin(angle), c = cos(angle);
    return -(m->weight * c + m->turning * s * c * speed * speed) /
           (m->inertia + m->turning * s * s);
}

static double angle_at(const motion *m, double t)
{
    enum { STEPS = 20000 };
    const double h = t / STEPS;
    double x = m->angle, v = m->speed;
    for (int i = 0; i < STEPS; ++i) {
        const double a1 = acceleration(m, x, v), v2 = v + 0.5 * h * a1;
        const double a2 = acceleration(m, x + 0.5 * h * v, v2), v3 = v + 0.5 * h * a2;
        const double a3 = acceleration(m, x + 0.5 * h * v2, v3), v4 = v + h * a3;
        const double a4 = acceleration(m, x + h * v3, v4);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

static void add(char text[TEXT], const char *format, double a, double b, double c, double d,
                double e, double f, double i)
{
    const size_t at = strlen(text);
    assert_true(snprintf(text + at, TEXT - at, format, a, b, c, d, e, f, i) < (int)(TEXT - at));
}

// `loops` windows side by side, cranks of length r, couplers of length l.
static motion windows(char text[TEXT], int loops, double r, double l, double angle, double speed)
{
    const double x = r * cos(angle), y = r * sin(angle), u = -speed * y, w = speed * x;
    text[0] = 0;
    add(text, "dimension: 2\ngravity: [0, %.17g]\nbodies:\n", -g, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i <= loops; ++i)
        add(text,
            "  v%.0f: {mass: 1, shape: {rod: {length: %.17g}}, position: [%.17g, %.17g], angle: "
            "%.17g, velocity: [%.17g, %.17g], ",
            i, r, i * l + 0.5 * x, 0.5 * y, angle, 0.5 * u, 0.5 * w),
            add(text, "angular_velocity: %.17g}\n", speed, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < loops; ++i)
        add(text,
            "  c%.0f: {mass: 1.3, shape: {rod: {length: %.17g}}, position: [%.17g, %.17g], "
            "velocity: [%.17g, %.17g]}\n",
            i, l, (i + 0.5) * l + x, y, u, w, 0);
    add(text, "joints:\n", 0, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i <= loops; ++i)
        add(text, "  g%.0f: {type: revolute, bodies: [ground, v%.0f], at: [%.17g, 0]}\n", i, i,
            i * l, 0, 0, 0, 0);
    for (int i = 0; i < loops; ++i) {
        add(text, "  l%.0f: {type: revolute, bodies: [v%.0f, c%.0f], at: [%.17g, %.17g]}\n", i, i,
            i, i * l + x, y, 0, 0);
        add(text, "  r%.0f: {type: revolute, bodies: [c%.0f, v%.0f], at: [%.17g, %.17g]}\n", i, i,
            i + 1, (i + 1) * l + x, y, 0, 0);
    }
    const double cranks = loops + 1, couplers = 1.3 * loops;
    return (motion){.angle = angle,
                    .speed = speed,
                    .inertia = (cranks / 3 + couplers) * r * r,
                    .weight = g * r * (0.5 * cranks + couplers)};
}

// Both arms of length r: the slider is at 2 r cos theta, the coupler turns by -theta; at theta = 90
// degrees the slider is in the pivot and the arms could turn together.
static motion equal_arms(char text[TEXT], double r, double angle, double speed)
{
    const double x = r * cos(angle), y = r * sin(angle), u = -speed * y, w = speed * x;
    text[0] = 0;
    add(text, "dimension: 2\ngravity: [0, %.17g]\nbodies:\n", -g, 0, 0, 0, 0, 0, 0);
    add(text,
        "  v0: {mass: 1, shape: {rod: {length: %.17g}}, position: [%.17g, %.17g], angle: %.17g, "
        "velocity: [%.17g, %.17g], angular_velocity: %.17g}\n",
        r, 0.5 * x, 0.5 * y, angle, 0.5 * u, 0.5 * w, speed);
    add(text,
        "  k: {mass: 1, shape: {rod: {length: %.17g}}, position: [%.17g, %.17g], angle: %.17g, "
        "velocity: [%.17g, %.17g], angular_velocity: %.17g}\n",
        r, 1.5 * x, 0.5 * y, -angle, 1.5 * u, 0.5 * w, -speed);
    add(text, "  s: {mass: 0.7, inertia: 1, position: [%.17g, 0], velocity: [%.17g, 0]}\njoints:\n",
        2 * x, 2 * u, 0, 0, 0, 0, 0);
    add(text,
        "  a: {type: revolute, bodies: [ground, v0], at: [0, 0]}\n"
        "  b: {type: revolute, bodies: [v0, k], at: [%.17g, %.17g]}\n"
        "  d: {type: revolute, bodies: [k, s], at: [%.17g, 0]}\n"
        "  e: {type: prismatic, bodies: [ground, s], at: [%.17g, 0], axis: [1, 0]}\n",
        x, y, 2 * x, 2 * x, 0, 0, 0);
    const double rr = r * r;
    return (motion){.angle = angle,
                    .speed = speed,
                    .inertia = rr / 3 + rr / 12 + 0.25 * rr,
                    .turning = 2 * rr + 4 * 0.7 * rr,
                    .weight = g * r};
}

static void run(model_text *f, const char *text, const char *scheme)
{
    const pcs_setting setting = {"simulation.scheme", scheme};
    model_text_read(f, "singular.yaml", text, &setting, 1);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
}

static void check(model_text *f, char text[TEXT], const motion *m, double end, double step)
{
    add(text, "simulation: {end: %.17g, step: %.17g}\n", end, step, 0, 0, 0, 0, 0);
    const double right = angle_at(m, end);
    assert_true(fabs(right - m->angle) > PCS_PI); // it has passed
    for (int i = 0; i < SCHEMES; ++i) {
        run(f, text, schemes[i].name);
        assert_near(model_text_signal(f, "body.v0.angle"), right, schemes[i].error);
        const pcs_statistics *statistics = pcs_simulation_statistics(f->simulation);
        assert_int_equal(statistics->redundant_rows, 0);
        assert_true(statistics->redundant_most > 0); // the report says so
    }
}

static void test_windows(void **state)
{
    static char text[TEXT];
    static const int loops[] = {1, 2, 4, 7};
    static const double r[] = {1, 0.73, 1, 0.4}, l[] = {1, 1.37, 1, 0.4};
    for (int k = 0; k < 4; ++k) {
        const double speed = (k % 2 ? 1 : -1) * sqrt(6 * g / r[k]);
        const motion m = windows(text, loops[k], r[k], l[k], k == 2 ? 0.5 * PCS_PI : 0.9, speed);
        check(*state, text, &m, 1.5, 1e-3);
    }
}

static void test_equal_arms(void **state)
{
    static char text[TEXT];
    static const double r[] = {1, 0.317}, angle[] = {0, 0.4}, speed[] = {7, -13.3};
    for (int k = 0; k < 2; ++k) {
        const motion m = equal_arms(text, r[k], angle[k], speed[k]);
        check(*state, text, &m, 1.5, 1e-3);
    }
}

// ---- Tight tolerances ----

// The end of a run, or its error.
static pcs_status run_to(model_text *f, const char *text, const char *scheme, double tolerance)
{
    char number[40];
    snprintf(number, sizeof number, "%g", tolerance);
    const pcs_setting settings[] = {{"simulation.scheme", scheme},
                                    {"simulation.tolerance", number}};
    model_text_read(f, "singular.yaml", text, settings, 2);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation)) {
        const pcs_status status = pcs_simulation_step(f->simulation);
        if (status < 0)
            return status;
    }
    return PCS_OK;
}

// Short steps of a tight tolerance come nearer to the position, where constraints that hold to
// projection_tolerance alone leave the direction of the velocity open. Every window stays on its
// branch, or the run stops and says where it is: no mechanism parts in silence.
static void test_tight_tolerances(void **state)
{
    model_text *f = *state;
    static char text[TEXT];
    static const struct {
        const char *scheme;
        double tolerance, end, error;
        int loops;
        bool may_stop; // index 3 divides the rounding of positions by h^2 and by the distance
    } cases[] = {
        {"dopri5", 1e-12, 4, 1e-7, 10, false},  {"rkf45", 1e-12, 4, 1e-7, 10, false},
        {"phem56", 1e-12, 4, 1e-7, 10, false},  {"hem5", 1e-10, 3, 1e-7, 10, false},
        {"rk4", 1e-12, 3, 1e-7, 5, false},      {"hybrid", 1e-12, 3, 1e-7, 10, false},
        {"dopri5", 1e-6, 4, 1e-3, 12, false},   {"rkf45", 1e-6, 4, 1e-2, 12, false},
        {"alpha2", 1e-11, 0.8, 1e-5, 2, false}, {"alpha3", 1e-12, 1.5, 1e-5, 2, true},
        {"hem5", 1e-10, 2, 1e-7, 40, false},    {"alpha2", 1e-12, 0.4, 1e-5, 5, false},
        {"alpha3", 1e-12, 0.5, 1e-5, 10, true}, {"alpha3", 1e-11, 0.4, 1e-5, 5, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const motion m = windows(text, cases[k].loops, 1, 1, 0.5 * PCS_PI, -4);
        add(text, "simulation: {end: %.17g, step: 0.01}\n", cases[k].end, 0, 0, 0, 0, 0, 0);
        const pcs_status status = run_to(f, text, cases[k].scheme, cases[k].tolerance);
        print_message("%s, %g, %d loops: %s\n", cases[k].scheme, cases[k].tolerance, cases[k].loops,
                      status < 0 ? pcs_context_error(f->ctx) : "passes");
        if (status < 0) {
            assert_true(cases[k].may_stop);
            assert_non_null(strstr(pcs_context_error(f->ctx), "singular position"));
        }
        const double t = pcs_simulation_time(f->simulation), right = angle_at(&m, t);
        for (int i = 0; i <= cases[k].loops; ++i) {
            char path[40];
            snprintf(path, sizeof path, "body.v%d.angle", i);
            assert_near(model_text_signal(f, path), right, cases[k].error);
        }
    }
}

// A crank-rocker comes near none: nothing is projected and nothing is said.
static void test_ordinary(void **state)
{
    static char text[TEXT];
    text[0] = 0;
    add(text,
        "dimension: 2\ngravity: [0, %.17g]\nbodies:\n"
        "  v0: {mass: 1, shape: {rod: {length: 1}}, position: [0, 0.5], angle: pi/2, velocity: [4, "
        "0], angular_velocity: -8}\n"
        "  c: {mass: 1, shape: {rod: {length: sqrt(13)}}, position: [1.5, 2], angle: 'atan2(2, "
        "3)'}\n"
        "  r: {mass: 1, shape: {rod: {length: 3}}, position: [3, 1.5], angle: pi/2}\n"
        "joints:\n"
        "  a: {type: revolute, bodies: [ground, v0], at: [0, 0]}\n"
        "  b: {type: revolute, bodies: [v0, c], at: [0, 1]}\n"
        "  d: {type: revolute, bodies: [c, r], at: [3, 3]}\n"
        "  e: {type: revolute, bodies: [ground, r], at: [3, 0]}\n"
        "simulation: {end: 2, step: 1e-3}\n",
        -g, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < SCHEMES; ++i) {
        run(*state, text, schemes[i].name);
        assert_int_equal(
            pcs_simulation_statistics(((model_text *)*state)->simulation)->redundant_most, 0);
    }
}

// A run taken up again just before and behind the first singular position goes on with the same bits.
static void resume(const char *text, const char *scheme, int at)
{
    enum { SIZE = 1 << 16 };
    static char saved[SIZE];
    static double ends[2][200];
    void *fixture;
    int32_t n = 0;
    for (int part = 0; part < 2; ++part) {
        assert_int_equal(model_text_set_up(&fixture), 0);
        model_text *f = fixture;
        const pcs_setting setting = {"simulation.scheme", scheme};
        model_text_read(f, "singular.yaml", text, &setting, 1);
        model_text_start(f);
        for (int i = 0; part == 0 && i < at; ++i)
            assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
        const size_t size = pcs_simulation_save(f->simulation, NULL, 0);
        assert_true(size <= SIZE);
        if (part == 0)
            assert_int_equal(pcs_simulation_save(f->simulation, saved, SIZE), size);
        else
            assert_int_equal(pcs_simulation_load(f->simulation, saved, size), PCS_OK);
        while (!pcs_simulation_finished(f->simulation))
            assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
        n = pcs_model_coordinate_count(f->model);
        assert_true(n <= 200);
        memcpy(ends[part], pcs_simulation_q(f->simulation), sizeof(double) * (size_t)n);
        assert_int_equal(model_text_tear_down(&fixture), 0);
    }
    assert_memory_equal(ends[0], ends[1], sizeof(double) * (size_t)n);
}

static void test_resumed(void **state)
{
    (void)state;
    static char text[TEXT];
    windows(text, 3, 1, 1, 0.5 * PCS_PI, -7);
    add(text, "simulation: {end: 1, step: %.17g}\n", 0.004, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < SCHEMES; ++i)
        for (int at = 40; at <= 80; at += 10)
            resume(text, schemes[i].name, at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_windows, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_equal_arms, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_ordinary, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_tight_tolerances, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test(test_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

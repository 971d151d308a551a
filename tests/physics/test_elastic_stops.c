// A mass on a spring between elastic stops: impacts give back what arrives, so that no scheme gains
// energy, however many there are. Each impact of a fixed step may be wrong by (w h)^2 of the energy;
// an impact law that gives back the speed of another place than the stop is wrong by w h, always in
// the same direction, since the spring slows every approach.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/model_text.h"
#include "support/near.h"

static const char *const SCHEMES[] = {"moreau-jean",     "moreau-jean-adaptive", "capturing",
                                      "nonsmooth-alpha", "event-driven",         "hybrid",
                                      "alpha2"};
enum { SCHEME_COUNT = sizeof SCHEMES / sizeof *SCHEMES };

typedef struct stops {
    double k, upper, lower, v, h, gravity;
} stops;

static const stops CASES[] = {
    {32.47, 0.04122, -0.08244, 0.51365, 0.017056, 0},
    {100, 0.05, -0.07, 1, 1e-3, 0},
    {100, 0.05, -0.07, 1, 1e-2, 0},
    {500, 0.02, -0.02, 1, 2e-3, 0},
    {20, 0.113, -0.031, 0.9, 3e-3, 3.7},
};

static void check(model_text *f, const stops *c, const char *scheme)
{
    enum { IMPACTS = 30 };
    char text[600];
    const double end = IMPACTS * (c->upper - c->lower) / c->v;
    snprintf(text, sizeof text,
             "dimension: 2\n"
             "gravity: [%.17g, 0]\n"
             "bodies: {b: {mass: 1, inertia: 1, velocity: [%.17g, 0]}}\n"
             "joints: {slide: {type: prismatic, bodies: [ground, b], axis: [1, 0],\n"
             "                 spring: {stiffness: %.17g, rest: 0},\n"
             "                 limits: {upper: %.17g, lower: %.17g, restitution: 1}}}\n"
             "simulation: {end: %.17g, step: %.17g, scheme: %s}\n",
             c->gravity, c->v, c->k, c->upper, c->lower, end, c->h, scheme);
    model_text_read(f, "stops.yaml", text, NULL, 0);
    model_text_start(f);
    const pcs_statistics *statistics = pcs_simulation_statistics(f->simulation);
    const double start = statistics->energy.kinetic + statistics->energy.potential;
    const double scale = 0.5 * c->v * c->v + c->gravity * (c->upper - c->lower);
    const double tolerance = 1e-2; // adaptive: (1e-4 m / 0.05 m)^(2/3)
    double most = 0;
    while (!pcs_simulation_finished(f->simulation)) {
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        most = fmax(most, statistics->energy.kinetic + statistics->energy.potential - start);
    }
    assert_true(statistics->impacts >= IMPACTS / 2);
    const bool fixed = strcmp(scheme, "moreau-jean-adaptive") != 0;
    const double allowed = fixed ? (1 + (double)statistics->impacts) * c->k * c->h * c->h
                                 : tolerance;
    if (!(most <= allowed * scale))
        fail_msg("%s, h = %g: gains %g of %g J in %d impacts", scheme, c->h, most, scale,
                 (int)statistics->impacts);
}

static void test_energy(void **state)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i)
        for (int k = 0; k < SCHEME_COUNT; ++k)
            check(*state, &CASES[i], SCHEMES[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_energy, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Walls of bricks, each a mesh of its own, laid on each other with flush sides: they stand under
// every implicit scheme. Flush sides are what makes it hard: the bricks spread under their load by
// parts of a micrometre, and nodes come to lie beside the faces that carry them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "support/family.h"
#include "support/fixture.h"
#include "support/model_text.h"
#include "support/near.h"

typedef struct wall {
    const char *name;
    int courses, bricks; // bricks in a course
    double bond;         // shift of a course against the one below, in lengths
    double young, friction;
    double narrower; // m, width of a course against the one below
    const char *element;
    int divisions;
} wall;

static const double HEIGHT = 0.065, DENSITY = 1800, STEP = 1e-3;

static void write_wall(const wall *w, const char *scheme, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size,
                                 "title: wall\ndimension: 3\ngravity: [0, 0, -9.81]\nmeshes:\n");
    for (int c = 0; c < w->courses; ++c)
        for (int i = 0; i < w->bricks; ++i)
            at += (size_t)snprintf(text + at, size - at,
                                   "  b%d_%d: {block: {size: [0.2, %.17g, 0.065], divisions: "
                                   "[%d, %d, %d], element: %s}, material: {young: %g, density: "
                                   "%g}, position: [%.17g, 0, %.17g]}\n",
                                   c, i, 0.1 - c * w->narrower, w->divisions, w->divisions,
                                   w->divisions, w->element, w->young, DENSITY,
                                   c % 2 * w->bond * 0.2 + i * 0.201, (c + 0.5) * HEIGHT);
    at += (size_t)snprintf(text + at, size - at,
                           "contacts:\n  all: {type: all-surfaces, planes: [{normal: [0, 0, 1]}], "
                           "friction: %g}\nsimulation: {end: 1, step: %g, scheme: %s}\n",
                           w->friction, STEP, scheme);
    assert_true(at < size);
}

// The largest way of a coordinate over some steps; all of them must converge.
static double largest_way(model_text *f, const wall *w, const char *scheme, int steps,
                          double *kinetic)
{
    enum { TEXT_SIZE = 16384, COORDINATES_MAX = 4096 };
    static char text[TEXT_SIZE];
    static double start[COORDINATES_MAX];
    write_wall(w, scheme, text, sizeof text);
    model_text_read(f, "wall.yaml", text, NULL, 0);
    model_text_start(f);
    const int32_t n = f->model->n_q;
    assert_true(n <= COORDINATES_MAX);
    memcpy(start, pcs_simulation_q(f->simulation), sizeof(double) * (size_t)n);
    double way = 0;
    *kinetic = 0;
    for (int k = 0; k < steps; ++k) {
        assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
        for (int32_t i = 0; i < n; ++i)
            way = fmax(way, fabs(pcs_simulation_q(f->simulation)[i] - start[i]));
        *kinetic = fmax(*kinetic, model_text_signal(f, "energy.kinetic"));
    }
    return way;
}

// A column of the height H under its weight is shortened by rho g H^2/(2 E), twice that where the
// weight comes at once. Bricks that lie with half their length on air, as the last one does, are just
// in balance and go on tilting.
static void check_stands(model_text *f, const wall *w, const char *scheme, int steps)
{
    const double H = w->courses * HEIGHT, g = 9.81;
    const double settlement = DENSITY * g * H * H / w->young;
    double kinetic;
    const double way = largest_way(f, w, scheme, steps, &kinetic);
    print_message("%s, %s: largest way %.2g m = %.2g settlements, kinetic energy %.2g J\n", w->name,
                  scheme, way, way / settlement, kinetic);
    assert_true(way < 30 * settlement);
    const pcs_statistics *statistics = pcs_simulation_statistics(f->simulation);
    assert_true(statistics->worst_penetration < 1e-3 * settlement);
}

static const char *const schemes[] = {"moreau-jean", "moreau-jean-adaptive", "nonsmooth-alpha",
                                      "capturing"};

static void test_six_bricks(void **state)
{
    const wall w = {"six", 3, 2, 0.5, 1e8, 0.6, 0, "hexahedron", 1};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; ++i)
        check_stands(*state, &w, schemes[i], 40);
}

static void test_many_bricks(void **state)
{
    const wall w = {"24", 6, 4, 0.5, 1e8, 0.6, 0, "hexahedron", 1};
    check_stands(*state, &w, "moreau-jean", 10);
    check_stands(*state, &w, "nonsmooth-alpha", 5);
}

static void test_family(void **state)
{
    static const wall walls[] = {
        {"soft", 3, 2, 0.5, 1e6, 0.6, 0, "hexahedron", 1},
        {"hard", 3, 2, 0.5, 1e9, 0.6, 0, "hexahedron", 1},
        {"smooth", 3, 2, 0.5, 1e8, 0, 0, "hexahedron", 1},
        {"rough, third of a length", 3, 2, 1.0 / 3, 1e8, 1, 0, "hexahedron", 1},
        {"on top of each other", 4, 1, 0, 1e8, 0.6, 0, "hexahedron", 1},
        {"narrower", 3, 2, 0.4, 1e8, 0.6, 0.003, "hexahedron", 1},
        {"tetrahedra", 3, 2, 0.5, 1e8, 0.6, 0, "tetrahedron", 1},
        {"eight elements", 2, 1, 0.25, 1e8, 0.6, 0, "hexahedron", 2},
    };
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i += CASE_STRIDE) {
        check_stands(*state, &walls[i], "moreau-jean", 30);
        check_stands(*state, &walls[i], "nonsmooth-alpha", 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_six_bricks, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_many_bricks, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_family, model_text_set_up, model_text_tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

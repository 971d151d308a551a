// Lagrangian systems that cannot be built or run: messages, and no memory left behind whichever
// allocation fails.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "percuss/io.h"
#include "percuss/simulation.h"

static const pcs_coordinate_def xy[2] = {{"x", 1, 0}, {"y", 2, 0}};

static pcs_system_def two_coordinates(void)
{
    pcs_system_def def = pcs_system_default();
    def.name = "s";
    def.coordinates = xy;
    def.n_coordinates = 2;
    def.kinetic = pcs_expression("(x.rate^2 + y.rate^2)/2");
    return def;
}

static void unused_mass(void *user, double t, const double *q, double *M)
{
    (void)user;
    (void)t;
    (void)q;
    M[0] = M[3] = 1;
}

static void refuse(const pcs_system_def *def, const char *message)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_builder *builder;
    assert_int_equal(pcs_builder_create(ctx, 2, &builder), PCS_OK);
    pcs_model *model = NULL;
    pcs_status status = pcs_builder_add_system(builder, def, NULL);
    if (status == PCS_OK)
        status = pcs_builder_finish(builder, &model);
    assert_true(status < 0);
    assert_null(model);
    if (!strstr(pcs_context_error(ctx), message))
        fail_msg("'%s' instead of '%s'", pcs_context_error(ctx), message);
    pcs_builder_destroy(builder);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

static void test_definitions(void **state)
{
    (void)state;
    pcs_system_def def = two_coordinates();
    def.name = "no name";
    refuse(&def, "system 'no name': a name has letters, digits and _");
    const pcs_coordinate_def twice[2] = {{"x", 1, 0}, {"x", 2, 0}};
    def = two_coordinates();
    def.coordinates = twice;
    refuse(&def, "system 's': there are two coordinates 'x'");
    const pcs_coordinate_def infinite[2] = {{"x", INFINITY, 0}, {"y", 2, 0}};
    def.coordinates = infinite;
    refuse(&def, "system 's': coordinate 'x': 'initial' and 'rate' must be finite");
    const pcs_coordinate_def time[1] = {{"t", 0, 0}};
    def.coordinates = time;
    def.n_coordinates = 1;
    refuse(&def, "coordinate 't': the name has a meaning of its own");
    def = two_coordinates();
    def.potential = pcs_number(NAN);
    refuse(&def, "system 's': all numbers must be finite");
    def = two_coordinates();
    const pcs_value mass[4] = {{1, NULL}, {0, NULL}, {0, NULL}, {1, NULL}};
    def.mass = mass;
    refuse(&def, "system 's': give either 'kinetic' or 'mass', not both");
    def = two_coordinates();
    const int32_t line[1][2] = {{0, 1}};
    def.lines = line;
    def.n_lines = 1;
    refuse(&def, "system 's': line 1: there is no point 0");
    def = two_coordinates();
    const pcs_gap_def gap = {.name = "g", .gap = pcs_expression("x"), .law = {-1, 0, 0}};
    def.gaps = &gap;
    def.n_gaps = 1;
    refuse(&def, "system 's': contact 'g': needs friction >= 0");
    def = two_coordinates();
    const pcs_system_functions functions = {.mass = unused_mass};
    def.functions = &functions;
    refuse(&def, "system 's': the function 'force' is missing");
}

// A refused model can be mended and finished.
static void test_mended(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_builder *builder;
    pcs_model *model = NULL;
    assert_int_equal(pcs_builder_create(ctx, 2, &builder), PCS_OK);
    pcs_system_def def = two_coordinates();
    const pcs_value forces[2] = {pcs_expression("k*x"), pcs_number(0)};
    def.forces = forces;
    assert_int_equal(pcs_builder_add_system(builder, &def, NULL), PCS_OK);
    assert_true(pcs_builder_finish(builder, &model) < 0);
    assert_non_null(strstr(pcs_context_error(ctx), "system 's': force of 'x': \"k*x\": column 1"));
    assert_int_equal(pcs_builder_set_parameter(builder, "k", 3), PCS_OK);
    assert_int_equal(pcs_builder_finish(builder, &model), PCS_OK);
    pcs_builder_destroy(builder);
    pcs_model_destroy(model);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

static const char text[] = "dimension: 2\n"
                           "bodies: {b: {mass: 1, inertia: 1}}\n"
                           "systems:\n"
                           "  s:\n"
                           "    coordinates: {x: 1, y: 0}\n"
                           "    kinetic: x.rate^2/2*(1 + y^2) + y.rate^2\n"
                           "    potential: cos(x)*y\n"
                           "    forces: {x: body.b.velocity.x - log(2 - 3*t)}\n"
                           "    constraints: {c: x*y - body.b.position.x*t}\n"
                           "    contacts: {k: {gap: y + 1, tangential: x, friction: 0.2}}\n"
                           "    points: {P: [x, y], Q: [0, 0]}\n"
                           "    lines: [[P, Q]]\n"
                           "simulation: {end: 1, step: 0.01}\n";

// A force that stops being a number is reported with coordinate, system and time.
static void test_not_a_number(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_model_file *file;
    pcs_simulation *simulation;
    assert_int_equal(pcs_model_file_read_memory(ctx, "text", text, strlen(text), NULL, 0, &file),
                     PCS_OK);
    pcs_simulation_def def = pcs_model_file_simulation(file);
    assert_int_equal(pcs_simulation_create(ctx, pcs_model_file_model(file), &def, &simulation),
                     PCS_OK);
    pcs_status status = PCS_OK;
    while (status >= 0 && !pcs_simulation_finished(simulation))
        status = pcs_simulation_step(simulation);
    assert_int_equal(status, PCS_ERROR_NUMERIC);
    assert_non_null(strstr(
        pcs_context_error(ctx),
        "the force of coordinate 'x' of system 's': \"body.b.velocity.x - log(2 - 3*t)\" is "));
    pcs_simulation_destroy(simulation);
    pcs_model_file_destroy(file);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

// ---- A failing allocator ----

static void test_failing_allocator(void **state)
{
    (void)state;
    enum { TRIES_MOST = 20000 };
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_status status = PCS_ERROR_MEMORY;
    for (uint64_t n = 1; n < TRIES_MOST && status != PCS_OK; ++n) {
        pcs_model_file *file = NULL;
        pcs_context_fail_heap_call(ctx, n);
        status = pcs_model_file_read_memory(ctx, "text", text, strlen(text), NULL, 0, &file);
        pcs_context_fail_heap_call(ctx, 0);
        if (status != PCS_OK)
            assert_int_equal(status, PCS_ERROR_MEMORY);
        pcs_model_file_destroy(file);
        assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    }
    assert_int_equal(status, PCS_OK);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_mended),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Cost of a step of flexible bodies: no heap calls in contact, and factors of a constant matrix
// that are kept. The cube of [Galvez2020, benchmark B4] lands on the floor with its lower face.
#include <math.h>

#include "support/flexible_scenes.h"
#include "support/near.h"

#include "schemes/moreau_jean.h"
#include "schemes/nonsmooth_alpha.h"
#include "simulation/simulation.h"

enum { WARM_UP = 4, STEPS = 12 };

// At rest on its face after the first step; the second one begins in contact.
static void build(scene *s, const char *scheme)
{
    scene_landing_cube(s, 3, PCS_ELEMENT_HEXAHEDRON, 0.05 + 3.7e-5, 0.83);
    s->scheme = scheme;
    scene_finish(s, 1e-4, 1);
}

static void advance(scene *s, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(scene_step(s), PCS_OK);
        assert_true(i == 0 || pcs_simulation_statistics(s->simulation)->contacts_now > 0);
    }
}

static void check_heap(const char *scheme)
{
    scene s;
    build(&s, scheme);
    advance(&s, WARM_UP);
    const uint64_t calls = pcs_context_heap_calls(s.ctx);
    advance(&s, STEPS);
    assert_int_equal(pcs_context_heap_calls(s.ctx), calls);
    scene_end(&s);
}

static void test_no_heap_calls(void **state)
{
    (void)state;
    check_heap("nonsmooth-alpha");
    check_heap("moreau-jean");
}

// The matrix of the velocity problem is M: factorised at the start and never again. The other two
// problems take one factorisation each, or few more where their corrections contract slowly.
static void test_kept_factors(void **state)
{
    (void)state;
    scene s;
    build(&s, "nonsmooth-alpha");
    advance(&s, WARM_UP);
    const nonsmooth_alpha *alpha = (const nonsmooth_alpha *)s.simulation->scheme;
    assert_ptr_not_equal(alpha->of_velocity, alpha->saddle);
    const int64_t before = pcs_saddle_factorisations(alpha->saddle);
    const int64_t iterations = alpha->counts.sum[NA_SMOOTH] + alpha->counts.sum[NA_POSITION];
    advance(&s, STEPS);
    assert_int_equal(pcs_saddle_factorisations(alpha->of_velocity), 1);
    assert_true(alpha->counts.sum[NA_VELOCITY] >= STEPS);
    const int64_t made = pcs_saddle_factorisations(alpha->saddle) - before;
    assert_true(made >= 2 * STEPS);
    assert_true(made <= alpha->counts.sum[NA_SMOOTH] + alpha->counts.sum[NA_POSITION] - iterations);
    scene_end(&s);
}

// The explicit integrators solve with M at every stage: one factorisation for the whole flight.
static void test_constant_mass(void **state)
{
    (void)state;
    scene s;
    scene_flexible_cube(&s, 3, PCS_ELEMENT_HEXAHEDRON);
    s.scheme = "moreau-jean";
    scene_finish(&s, 1e-4, 1);
    const pcs_model *m = s.model;
    pcs_configuration c;
    pcs_saddle *saddle;
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = m->n_pairs;
    def.coupling = (const int32_t(*)[2])m->pairs;
    assert_int_equal(pcs_configuration_init(s.ctx, m, &c), PCS_OK);
    assert_int_equal(pcs_model_saddle_create(s.ctx, m, &def, &saddle), PCS_OK);
    for (int i = 0; i < 4; ++i) {
        advance(&s, i > 0);
        const pcs_state *now = &s.simulation->state;
        pcs_configuration_update(m, &c, *now->t, now->q, now->v, now->turns, now->external);
        pcs_model_matrix(m, &c, i == 3 ? 1e-6 : 0, 0, saddle);
        assert_int_equal(pcs_saddle_factor(saddle), PCS_OK);
        assert_int_equal(pcs_saddle_factorisations(saddle), i == 3 ? 2 : 1);
    }
    pcs_saddle_destroy(saddle);
    pcs_configuration_free(s.ctx, &c);
    scene_end(&s);
}

// Nodes outside of the coupled islands are factorised every time, and the count tells.
static void test_mixed_islands(void **state)
{
    (void)state;
    enum { CHAIN = 14, NODES = CHAIN + 1 };
    int32_t size[NODES], coupling[CHAIN - 1][2];
    double x[3 * NODES];
    for (int32_t i = 0; i < NODES; ++i)
        size[i] = 3;
    for (int32_t i = 0; i + 1 < CHAIN; ++i) {
        coupling[i][0] = i;
        coupling[i][1] = i + 1;
    }
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = NODES;
    def.node_size = size;
    def.n_couplings = CHAIN - 1;
    def.coupling = (const int32_t(*)[2])coupling;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_saddle *saddle;
    assert_int_equal(pcs_saddle_create(ctx, &def, &saddle), PCS_OK);
    int64_t count = 0;
    for (int round = 0; round < 3; ++round) {
        for (int32_t i = 0; i < NODES; ++i)
            for (int32_t d = 0; d < 3; ++d)
                pcs_saddle_diagonal(saddle, i)[4 * d] = i < CHAIN ? 2.385 : 0.71 + round;
        assert_int_equal(pcs_saddle_factor(saddle), PCS_OK);
        assert_true(pcs_saddle_factorisations(saddle) > count);
        count = pcs_saddle_factorisations(saddle);
        for (int32_t i = 0; i < 3 * NODES; ++i)
            x[i] = 1;
        pcs_saddle_solve(saddle, x, NULL);
        assert_true(fabs(x[0] - 1 / 2.385) <= 1e-15);
        assert_true(fabs(x[3 * CHAIN] - 1 / (0.71 + round)) <= 1e-15);
    }
    pcs_saddle_destroy(saddle);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_heap_calls),
        cmocka_unit_test(test_kept_factors),
        cmocka_unit_test(test_constant_mass),
        cmocka_unit_test(test_mixed_islands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

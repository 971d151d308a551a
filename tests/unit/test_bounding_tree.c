// The bounding volume tree against looking at everything: items within a radius, the nearest item,
// after the items have moved; and how little of a large tree a search looks at.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/bounding_tree.h"
#include "math/vector.h"

enum { ITEMS_MAX = 20000 };

typedef struct world {
    pcs_context *ctx;
    pcs_bounding_tree *tree;
    int32_t n;
    pcs_box items[ITEMS_MAX], boxes[2 * ITEMS_MAX + 1];
    uint8_t seen[ITEMS_MAX];
    int32_t looks;
    pcs_vec3 point;
    double nearest;
} world;

static pcs_vec3 random_vector(pcs_random *random, double size)
{
    const double x = pcs_random_between(random, -size, size);
    const double y = pcs_random_between(random, -size, size);
    return pcs_v3(x, y, pcs_random_between(random, -size, size));
}

static void place_items(world *w, pcs_random *random)
{
    for (int32_t i = 0; i < w->n; i++) {
        const pcs_vec3 a = random_vector(random, 3.0);
        const pcs_vec3 b = pcs_v3_add(a, random_vector(random, 0.07));
        w->items[i] = pcs_box_join((pcs_box){a, a}, (pcs_box){b, b});
    }
}

static void begin(world *w, pcs_random *random, int32_t n)
{
    memset(w, 0, sizeof *w);
    w->ctx = pcs_context_create(NULL);
    assert_non_null(w->ctx);
    w->n = n;
    place_items(w, random);
    assert_int_equal(pcs_bounding_tree_create(w->ctx, n, w->items, &w->tree), PCS_OK);
    assert_true(w->tree->n_nodes <= 2 * n + 1);
}

static void end(world *w)
{
    pcs_bounding_tree_destroy(w->ctx, w->tree);
    assert_int_equal(pcs_context_heap_bytes(w->ctx), 0);
    pcs_context_destroy(w->ctx);
}

static double see(void *user, int32_t item, double radius)
{
    world *w = user;
    assert_int_equal(w->seen[item], 0);
    w->seen[item] = 1;
    return radius;
}

static double approach(void *user, int32_t item, double radius)
{
    world *w = user;
    w->looks++;
    w->nearest = fmin(w->nearest, pcs_box_distance(&w->items[item], w->point));
    return fmin(radius, w->nearest);
}

static void check_radius(world *w, double radius)
{
    memset(w->seen, 0, sizeof w->seen);
    pcs_bounding_tree_visit(w->tree, w->items, w->boxes, w->point, radius, see, w);
    for (int32_t i = 0; i < w->n; i++)
        assert_int_equal(w->seen[i], pcs_box_distance(&w->items[i], w->point) <= radius);
}

static void check_nearest(world *w)
{
    double expected = HUGE_VAL;
    for (int32_t i = 0; i < w->n; i++)
        expected = fmin(expected, pcs_box_distance(&w->items[i], w->point));
    w->nearest = HUGE_VAL;
    pcs_bounding_tree_visit(w->tree, w->items, w->boxes, w->point, HUGE_VAL, approach, w);
    assert_true(w->nearest == expected);
}

static void test_against_all(void **state)
{
    (void)state;
    static world w;
    static const int32_t counts[] = {0, 1, 4, 5, 9, 137, 1024};
    pcs_random random;
    pcs_random_init(&random, 97);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        begin(&w, &random, counts[k]);
        for (int turn = 0; turn < 3; turn++) {
            pcs_bounding_tree_refit(w.tree, w.items, w.boxes);
            for (int i = 0; i < 50; i++) {
                w.point = random_vector(&random, 3.5);
                check_radius(&w, pcs_random_between(&random, 0.0, 1.9));
                check_nearest(&w);
            }
            place_items(&w, &random); // everything somewhere else: a bad tree, but a right one
        }
        end(&w);
    }
}

// Things at one place cannot be told apart by their centres.
static void test_all_at_one_place(void **state)
{
    (void)state;
    static world w;
    pcs_random random;
    pcs_random_init(&random, 3);
    begin(&w, &random, 100);
    pcs_bounding_tree_destroy(w.ctx, w.tree);
    for (int32_t i = 0; i < w.n; i++)
        w.items[i] = (pcs_box){pcs_v3(0.3, -0.2, 0.7), pcs_v3(0.4, 0.1, 0.9)};
    assert_int_equal(pcs_bounding_tree_create(w.ctx, w.n, w.items, &w.tree), PCS_OK);
    pcs_bounding_tree_refit(w.tree, w.items, w.boxes);
    w.point = pcs_v3(0.5, 0.0, 0.8);
    check_radius(&w, 0.05);
    check_radius(&w, 0.2);
    end(&w);
}

// 20000 boxes of 0.07 in a cube of 6: a search for the nearest looks at a few dozen.
static void test_few_looks(void **state)
{
    (void)state;
    static world w;
    pcs_random random;
    pcs_random_init(&random, 41);
    begin(&w, &random, ITEMS_MAX);
    pcs_bounding_tree_refit(w.tree, w.items, w.boxes);
    w.looks = 0;
    for (int i = 0; i < 100; i++) {
        w.point = random_vector(&random, 3.0);
        check_nearest(&w);
    }
    assert_true(w.looks < 100 * 100);
    end(&w);
}

static void test_memory(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    const pcs_box items[3] = {
        {{0, 0, 0}, {1, 1, 1}}, {{2, 0, 0}, {3, 1, 1}}, {{0, 4, 0}, {1, 5, 1}}};
    pcs_bounding_tree *tree;
    for (uint64_t n = 1; n <= 4; n++) {
        pcs_context_fail_heap_call(ctx, n);
        assert_int_equal(pcs_bounding_tree_create(ctx, 3, items, &tree), PCS_ERROR_MEMORY);
        assert_null(tree);
        assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    }
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all),
        cmocka_unit_test(test_all_at_one_place),
        cmocka_unit_test(test_few_looks),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

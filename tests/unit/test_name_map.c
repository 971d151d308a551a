// Names: found by kind, taken back in the opposite order, and adding parts costs what their number
// says.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/name_map.h"
#include "support/builder_bench.h"
#include "support/near.h"

enum { NAMES = 3000, KINDS = 3, NAME_SIZE = 24 };

static void kinds_and_order(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    static char text[NAMES][NAME_SIZE];
    pcs_name_map map = {0};
    assert_int_equal(pcs_name_map_find(&map, 0, "a", 1), -1);
    for (int32_t i = 0; i < NAMES; ++i) {
        snprintf(text[i], sizeof text[i], "part_%d", (int)i * i % 7919);
        const size_t length = strlen(text[i]);
        if (pcs_name_map_find(&map, i % KINDS, text[i], length) >= 0)
            continue; // squares repeat modulo a prime
        assert_true(pcs_name_map_reserve(ctx, &map));
        pcs_name_map_add(&map, i % KINDS, text[i], i);
        assert_int_equal(pcs_name_map_find(&map, i % KINDS, text[i], length), i);
        assert_int_equal(pcs_name_map_find(&map, KINDS, text[i], length), -1);
        assert_int_equal(pcs_name_map_find(&map, i % KINDS, text[i], length - 1) == i, false);
    }
    const int32_t all = map.entries.count;
    for (int32_t left = all; left >= 0; left -= 97) { // some are taken back, others stay
        pcs_name_map_shorten(&map, left);
        assert_int_equal(map.entries.count, left);
        for (int32_t k = 0; k < all; ++k) {
            const pcs_name_entry *e = &map.entries.data[k];
            const int32_t found = pcs_name_map_find(&map, e->kind, e->name, strlen(e->name));
            assert_int_equal(found, k < left ? e->number : -1);
        }
    }
    pcs_name_map_free(ctx, &map);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

// Processor time of adding n contacts.
static double time_of_adding(int32_t n)
{
    builder_bench b;
    bench_begin(&b, 3);
    pcs_contact_def def = pcs_contact_default();
    def.kind = PCS_CONTACT_SPHERE_PLANE;
    def.b.body = 0;
    def.radius_b = 0.1;
    char name[NAME_SIZE];
    def.name = name;
    const clock_t begin = clock();
    for (int32_t i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "contact_number_%d", (int)i);
        if (pcs_builder_add_contact(b.builder, &def) != PCS_OK)
            fail_msg("%s", pcs_context_error(b.ctx));
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    bench_expect(&b, pcs_builder_add_contact(b.builder, &def), PCS_ERROR_MODEL, "contact_number_");
    bench_end(&b);
    return seconds;
}

// 16 times as many contacts take 16 times as long; names compared one by one would take 256. The
// best of some runs is taken, since other programs disturb.
static void adding_is_linear(void **state)
{
    (void)state;
    enum { FEW = 2000, RATIO = 16, RUNS = 5 };
    double few = HUGE_VAL, many = HUGE_VAL;
    for (int run = 0; run < RUNS; ++run) {
        few = fmin(few, time_of_adding(FEW));
        many = fmin(many, time_of_adding(FEW * RATIO));
    }
    // Beyond the cache each of the many costs a few times more.
    assert_at_most(many, 5 * RATIO * fmax(few, 1.0 / CLOCKS_PER_SEC));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_order),
        cmocka_unit_test(adding_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Nested dissection: an order of the nodes of any graph, also where there is nothing to divide.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/ordering.h"

static void *get(int64_t count, size_t size)
{
    void *block = calloc((size_t)count, size);
    assert_non_null(block);
    return block;
}

static void check_permutation(int32_t n, const int32_t *order)
{
    uint8_t *seen = get(n, 1);
    for (int32_t k = 0; k < n; ++k) {
        assert_true(order[k] >= 0 && order[k] < n && !seen[order[k]]);
        seen[order[k]] = 1;
    }
    free(seen);
}

// Graphs that a division could stumble over: in pieces, complete, a star, a path, random
static void dissections_are_permutations(void **state)
{
    (void)state;
    enum { N = 400 };
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_random random;
    pcs_random_init(&random, 5);
    uint8_t *edge = get(N * N, 1);
    int32_t start[N + 1], order[N], weight[N];
    int32_t *neighbour = get(N * N, sizeof(int32_t));
    for (int kind = 0; kind < 6; ++kind) {
        memset(edge, 0, N * N);
        for (int32_t i = 0; i < N; ++i) {
            weight[i] = 1 + (7 * i) % 6;
            for (int32_t j = 0; j < i; ++j) {
                const bool joined = (kind == 1 && i / 90 == j / 90) || (kind == 2) ||
                                    (kind == 3 && j == 0) || (kind == 4 && j + 1 == i) ||
                                    (kind == 5 && pcs_random_uniform(&random) < 0.02);
                edge[i * N + j] = edge[j * N + i] = joined;
            }
        }
        start[0] = 0;
        for (int32_t i = 0; i < N; ++i) {
            start[i + 1] = start[i];
            for (int32_t j = 0; j < N; ++j)
                if (edge[i * N + j])
                    neighbour[start[i + 1]++] = j;
        }
        assert_int_equal(pcs_ordering_dissect(ctx, N, start, neighbour, weight, order), PCS_OK);
        check_permutation(N, order);
    }
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    free(edge);
    free(neighbour);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dissections_are_permutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Orders of sweeps: a colouring is valid if no two members of a colour touch, complete if every
// node is a member once, and depends on nothing but the graph; levels go out from their roots.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/colouring.h"
#include "nonsmooth/run_order.h"
#include "support/fixture.h"

enum { MAX_NODES = 600, MAX_ENTRIES = MAX_NODES * MAX_NODES };

typedef struct fixture {
    pcs_test_memory memory;
    int32_t n, bodies;
    int32_t body[2 * MAX_NODES];
    int32_t row_start[MAX_NODES + 1], column[MAX_ENTRIES];
} fixture;

static int set_up(void **state)
{
    return pcs_test_fixture_create(state, sizeof(fixture));
}

static bool touch(const fixture *f, int32_t i, int32_t j)
{
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            if (f->body[2 * i + a] >= 0 && f->body[2 * i + a] == f->body[2 * j + b])
                return true;
    return false;
}

// Nodes between random pairs of bodies, some with the ground alone; `hub` makes body 0 popular.
static void make_graph(fixture *f, pcs_random *random, int32_t n, int32_t bodies, double hub)
{
    int32_t entries = 0;
    f->n = n;
    f->bodies = bodies;
    for (int32_t i = 0; i < n; i++) {
        int32_t *body = f->body + 2 * i;
        body[0] = pcs_random_between(random, 0.0, 1.0) < hub
                      ? 0
                      : (int32_t)(pcs_random_between(random, 0.0, 1.0) * bodies) % bodies;
        body[1] = (int32_t)(pcs_random_between(random, 0.0, 1.0) * (bodies + 2)) - 2;
        body[1] = body[1] == body[0] || body[1] < 0 ? -1 : body[1] % bodies;
    }
    for (int32_t i = 0; i < n; i++) {
        f->row_start[i] = entries;
        for (int32_t j = 0; j < n; j++)
            if (i == j || touch(f, i, j))
                f->column[entries++] = j;
    }
    f->row_start[n] = entries;
}

static void assert_valid(const fixture *f, const pcs_colouring *c)
{
    uint8_t seen[MAX_NODES] = {0};
    assert_int_equal(c->start[0], 0);
    assert_int_equal(c->start[c->n_colours + 1], f->n);
    for (int32_t k = 0; k < f->n; k++) {
        assert_true(c->member[k] >= 0 && c->member[k] < f->n && !seen[c->member[k]]);
        seen[c->member[k]] = 1;
    }
    for (int32_t colour = 0; colour < c->n_colours; colour++)
        for (int32_t a = c->start[colour]; a < c->start[colour + 1]; a++) {
            assert_true(a == c->start[colour] || c->member[a - 1] < c->member[a]);
            for (int32_t b = c->start[colour]; b < a; b++)
                assert_false(touch(f, c->member[a], c->member[b]));
        }
}

static void colours_are_valid(void **state)
{
    fixture *f = *state;
    pcs_random random;
    pcs_random_init(&random, 3);
    for (int k = 0; k < 40; k++) {
        pcs_colouring graph, pairs;
        make_graph(f, &random, 1 + 14 * k, 3 + 7 * k, 0.0);
        assert_int_equal(
            pcs_colouring_compute(&graph, &f->memory.arena, f->n, f->row_start, f->column), PCS_OK);
        assert_int_equal(
            pcs_colouring_compute_pairs(&pairs, &f->memory.arena, f->n, f->bodies, f->body),
            PCS_OK);
        assert_valid(f, &graph);
        // the same graph, told in two ways
        assert_int_equal(graph.n_colours, pairs.n_colours);
        assert_memory_equal(graph.start, pairs.start,
                            sizeof(int32_t) * (size_t)(graph.n_colours + 2));
        assert_memory_equal(graph.member, pairs.member, sizeof(int32_t) * (size_t)f->n);
        assert_int_equal(pcs_arena_reset(&f->memory.arena), PCS_OK);
    }
}

// Together the lanes have every run once, each in the order of the visits, and no run needs one
// that comes later.
static void assert_lanes(const pcs_run_order *order, const int32_t *place)
{
    int32_t count = 0;
    for (int l = 0; l < PCS_TASK_LANES; l++) {
        const pcs_task_lane *lane = &order->lanes.lane[l];
        count += lane->count;
        for (int32_t k = 1; k < lane->count; k++)
            assert_true(place[lane->piece[k - 1]] < place[lane->piece[k]]);
        for (int32_t run = 0; run < order->count; run++) {
            const int32_t needs = order->lanes.needs[run][l];
            assert_in_range(needs, 0, lane->count);
            assert_true(needs == 0 || place[lane->piece[needs - 1]] < place[run]);
        }
    }
    assert_int_equal(count, order->count);
}

// Whether `run` begins only when `other` is done
static bool waits(const pcs_run_order *order, int32_t run, int32_t other)
{
    for (int l = 0; l < PCS_TASK_LANES; l++) {
        const pcs_task_lane *lane = &order->lanes.lane[l];
        bool seen = false; // the run itself in this lane: what stands before it is done
        for (int32_t k = 0; k < lane->count; k++) {
            seen = seen || lane->piece[k] == run;
            if (lane->piece[k] == other && k < order->lanes.needs[run][l])
                return true;
        }
        for (int32_t k = 0; seen && lane->piece[k] != run; k++)
            if (lane->piece[k] == other)
                return true;
    }
    return false;
}

// Every run is visited once, and of two that touch the later one waits for the earlier one.
static void runs_are_valid(void **state)
{
    static const int32_t lengths[] = {1, 3, 16, 1000};
    fixture *f = *state;
    pcs_random random;
    pcs_tasks *tasks;
    pcs_random_init(&random, 11);
    assert_int_equal(pcs_tasks_create(f->memory.ctx, 2, &tasks), PCS_OK);
    for (int k = 0; k < 4 * 10; k++) {
        const int32_t length = lengths[k % 4];
        pcs_run_order order, shared;
        int32_t place[MAX_NODES];
        memset(place, -1, sizeof place);
        make_graph(f, &random, 1 + 14 * k, 3 + 40 * k, k % 3 == 0 ? 0.2 : 0.0);
        const int32_t runs = (f->n + length - 1) / length;
        assert_int_equal(pcs_run_order_compute(&order, &f->memory.arena, NULL, f->n, f->row_start,
                                               f->column, length),
                         PCS_OK);
        assert_int_equal(order.count, runs);
        for (int32_t visit = 0; visit < runs; visit++) {
            assert_true(order.run[visit] >= 0 && order.run[visit] < runs);
            assert_int_equal(place[order.run[visit]], -1);
            place[order.run[visit]] = visit;
        }
        assert_lanes(&order, place);
        for (int32_t i = 0; i < f->n; i++)
            for (int32_t j = 0; j < f->n; j++)
                if (place[i / length] < place[j / length] && touch(f, i, j))
                    assert_true(waits(&order, j / length, i / length));
        assert_true(order.speed_up >= 1.0 && order.speed_up <= PCS_TASK_LANES);
        // threads find the same order
        assert_int_equal(pcs_run_order_compute(&shared, &f->memory.arena, tasks, f->n, f->row_start,
                                               f->column, length),
                         PCS_OK);
        assert_memory_equal(order.run, shared.run, sizeof(int32_t) * (size_t)runs);
        assert_memory_equal(order.lanes.needs, shared.lanes.needs,
                            sizeof *order.lanes.needs * (size_t)runs);
        assert_int_equal(pcs_arena_reset(&f->memory.arena), PCS_OK);
    }
    pcs_tasks_destroy(tasks);
}

// A chain needs two colours, and they share its nodes evenly.
static void chain_has_two_colours(void **state)
{
    fixture *f = *state;
    pcs_colouring c;
    f->n = 501;
    f->bodies = 501;
    for (int32_t i = 0; i < f->n; i++) {
        f->body[2 * i] = i;
        f->body[2 * i + 1] = i - 1;
    }
    assert_int_equal(pcs_colouring_compute_pairs(&c, &f->memory.arena, f->n, f->bodies, f->body),
                     PCS_OK);
    assert_int_equal(c.n_colours, 2);
    assert_int_equal(c.start[1], 251);
    assert_int_equal(c.start[2], 501); // nothing is left to the serial rest
    assert_valid(f, &c);
}

// More nodes at one body than there are colours: what is left over is serial, and nothing is lost.
static void crowded_body_has_a_serial_rest(void **state)
{
    fixture *f = *state;
    pcs_random random;
    pcs_colouring c;
    pcs_random_init(&random, 5);
    make_graph(f, &random, 400, 900, 0.5);
    assert_int_equal(pcs_colouring_compute_pairs(&c, &f->memory.arena, f->n, f->bodies, f->body),
                     PCS_OK);
    assert_int_equal(c.n_colours, PCS_COLOURS_MAX);
    assert_true(c.start[c.n_colours] < f->n);
    assert_valid(f, &c);
    assert_int_equal(pcs_colouring_compute(&c, &f->memory.arena, f->n, f->row_start, f->column),
                     PCS_OK);
    assert_valid(f, &c);
}

static void levels_go_out_from_the_roots(void **state)
{
    fixture *f = *state;
    pcs_random random;
    int32_t order[MAX_NODES], place[MAX_NODES];
    uint8_t root[MAX_NODES];
    pcs_random_init(&random, 8);
    make_graph(f, &random, 300, 400, 0.0);
    for (int32_t i = 0; i < f->n; i++)
        root[i] = i % 50 == 7;
    assert_int_equal(
        pcs_levels_compute(&f->memory.arena, f->n, f->row_start, f->column, root, order), PCS_OK);
    memset(place, -1, sizeof place);
    for (int32_t k = 0; k < f->n; k++) {
        assert_int_equal(place[order[k]], -1);
        place[order[k]] = k;
    }
    for (int32_t i = 0; i < f->n; i++)
        assert_true(!root[i] || place[i] < 6);
    // distances from the roots never fall along the order; what is out of reach comes last
    int32_t distance[MAX_NODES], before = 0;
    for (int32_t k = 0; k < f->n; k++) {
        const int32_t i = order[k];
        distance[i] = root[i] ? 0 : MAX_NODES;
        for (int32_t e = f->row_start[i]; !root[i] && e < f->row_start[i + 1]; e++) {
            const int32_t j = f->column[e];
            if (place[j] < k && distance[j] + 1 < distance[i])
                distance[i] = distance[j] + 1;
        }
        assert_true(distance[i] >= before);
        before = distance[i];
    }
    // without any root the order is the natural one
    memset(root, 0, sizeof root);
    assert_int_equal(
        pcs_levels_compute(&f->memory.arena, f->n, f->row_start, f->column, root, order), PCS_OK);
    for (int32_t k = 0; k < f->n; k++)
        assert_int_equal(order[k], k);
}

static void empty_graph(void **state)
{
    fixture *f = *state;
    pcs_colouring c;
    const int32_t start[1] = {0};
    assert_int_equal(pcs_colouring_compute(&c, &f->memory.arena, 0, start, NULL), PCS_OK);
    assert_int_equal(c.n_colours, 0);
    assert_int_equal(c.start[1], 0);
    pcs_run_order order;
    assert_int_equal(pcs_run_order_compute(&order, &f->memory.arena, NULL, 0, start, NULL, 64),
                     PCS_OK);
    assert_int_equal(order.count, 0);
    assert_true(order.speed_up == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_valid),
        cmocka_unit_test(runs_are_valid),
        cmocka_unit_test(chain_has_two_colours),
        cmocka_unit_test(crowded_body_has_a_serial_rest),
        cmocka_unit_test(levels_go_out_from_the_roots),
        cmocka_unit_test(empty_graph),
    };
    return cmocka_run_group_tests(tests, set_up, pcs_test_fixture_destroy);
}

// Nested dissection of a graph: a small set of vertices that splits the rest into two halves goes
// last, and the halves are treated likewise [George1973]; small pieces take the minimum degree.
//
// Separators are found on a sequence of coarser graphs, made by joining the ends of heavy edges
// [KarypisKumar1998]. On the coarsest one a few regions are grown from different vertices and the
// best is taken; on the way back the separator is refined by moves of single vertices
// [FiducciaMattheyses1982]: vertex v goes from the separator to side s, its neighbours on the other
// side come in, which changes the weight of the separator by
//
//     -gain(v, s) = sum of weight(u) over u in N(v) on the other side - weight(v).
//
// All choices are fixed by the graph alone.
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/ordering.h"

enum {
    LEAF = 100,         // smaller pieces are not divided
    COARSEST = 100,     // vertices from which no coarser graph is made
    TRIALS = 10,        // regions grown on the coarsest graph
    LARGE = 500,        // above, the best of several separators is taken
    RUNS = 5,           //
    PASSES = 8,         // of the refinement at each level
    PATIENCE = 120,     // moves without a better separator that end a pass
    LEVELS_MAX = 40,    //
    SIDE_PERCENT = 55,  // largest weight of one side
    COARSE_PERCENT = 92 // a coarser graph must have fewer vertices than this
};
enum { SEPARATOR = 2 }; // side of a vertex: 0, 1 or this

#define GET(type, pointer, count)                             \
    do {                                                      \
        (pointer) = PCS_ARENA_ARRAY(d->arena, type, (count)); \
        if (!(pointer))                                       \
            return PCS_ERROR_MEMORY;                          \
    } while (0)

typedef struct graph {
    int32_t n;
    int32_t *start, *adjacent; // as in ordering.h
    int32_t *edge;             // weight of each entry of adjacent
    int32_t *weight;           // by vertex
    int64_t total;             // of the weights
} graph;

typedef struct dissection {
    pcs_context *ctx;
    pcs_arena *arena;
    const pcs_watch *watch;
    int32_t *order;
} dissection;

// The separator's vertices by gain for one side: a heap with the place of each vertex
typedef struct heap {
    int32_t n;
    int32_t *item, *place; // place -1: not in the heap
    int32_t *gain;         // by vertex
} heap;

typedef struct refinement {
    const graph *g;
    uint8_t *side;
    int64_t weight[3]; // of the sides and the separator
    heap heap[2];      // by the side to move to
    uint8_t *locked;
    int32_t *changed; // vertices in the order of their changes, and their sides before
    uint8_t *before;
    int32_t n_changed;
} refinement;

static bool above(const heap *h, int32_t u, int32_t v)
{
    return h->gain[u] != h->gain[v] ? h->gain[u] > h->gain[v] : u < v;
}

static void heap_set(heap *h, int32_t at, int32_t v)
{
    h->item[at] = v;
    h->place[v] = at;
}

// Moves the vertex at place `at` to where its gain belongs
static void heap_settle(heap *h, int32_t at)
{
    const int32_t v = h->item[at];
    for (; at > 0 && above(h, v, h->item[(at - 1) / 2]); at = (at - 1) / 2)
        heap_set(h, at, h->item[(at - 1) / 2]);
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child + 1 < h->n && above(h, h->item[child + 1], h->item[child]))
            ++child;
        if (child >= h->n || above(h, v, h->item[child]))
            break;
        heap_set(h, at, h->item[child]);
        at = child;
    }
    heap_set(h, at, v);
}

static void heap_add(heap *h, int32_t v, int32_t gain)
{
    h->gain[v] = gain;
    heap_set(h, h->n++, v);
    heap_settle(h, h->n - 1);
}

static void heap_remove(heap *h, int32_t v)
{
    const int32_t at = h->place[v];
    if (at < 0)
        return;
    h->place[v] = -1;
    if (at < --h->n) {
        heap_set(h, at, h->item[h->n]);
        heap_settle(h, at);
    }
}

static void heap_change(heap *h, int32_t v, int32_t difference)
{
    h->gain[v] += difference;
    if (h->place[v] >= 0)
        heap_settle(h, h->place[v]);
}

static void set_side(refinement *r, int32_t v, uint8_t side)
{
    r->weight[r->side[v]] -= r->g->weight[v];
    r->weight[side] += r->g->weight[v];
    r->side[v] = side;
}

// A vertex of the separator enters both heaps
static void offer(refinement *r, int32_t v)
{
    const graph *g = r->g;
    int32_t gain[2] = {g->weight[v], g->weight[v]};
    for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e) {
        const int32_t u = g->adjacent[e];
        if (r->side[u] != SEPARATOR)
            gain[1 - r->side[u]] -= g->weight[u];
    }
    heap_add(&r->heap[0], v, gain[0]);
    heap_add(&r->heap[1], v, gain[1]);
}

static void record(refinement *r, int32_t v, uint8_t side)
{
    r->changed[r->n_changed] = v;
    r->before[r->n_changed++] = r->side[v];
    set_side(r, v, side);
}

// v leaves the separator for side s, its neighbours on the other side come in
static void move(refinement *r, int32_t v, uint8_t s)
{
    const graph *g = r->g;
    const uint8_t other = (uint8_t)(1 - s);
    heap_remove(&r->heap[0], v);
    heap_remove(&r->heap[1], v);
    r->locked[v] = 1;
    record(r, v, s);
    for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e) {
        const int32_t u = g->adjacent[e];
        if (r->side[u] == SEPARATOR) { // v would have to come back in
            heap_change(&r->heap[other], u, -g->weight[v]);
        } else if (r->side[u] == other) {
            record(r, u, SEPARATOR);
            for (int32_t k = g->start[u]; k < g->start[u + 1]; ++k)
                if (r->side[g->adjacent[k]] == SEPARATOR)
                    heap_change(&r->heap[s], g->adjacent[k], g->weight[u]);
            if (!r->locked[u])
                offer(r, u);
        }
    }
}

// Best move that keeps the sides below `limit`; returns the vertex, -1: none
static int32_t choose(refinement *r, int64_t limit, uint8_t *side)
{
    int32_t best = -1;
    for (uint8_t k = 0; k < 2; ++k) { // the lighter side has the first word
        const uint8_t s = (uint8_t)(r->weight[0] <= r->weight[1] ? k : 1 - k);
        heap *h = &r->heap[s];
        while (h->n > 0 && r->weight[s] + r->g->weight[h->item[0]] > limit)
            heap_remove(h, h->item[0]); // too heavy for this pass
        if (h->n > 0 && (best < 0 || h->gain[h->item[0]] > r->heap[1 - s].gain[best])) {
            best = h->item[0];
            *side = s;
        }
    }
    return best;
}

static int64_t difference(const refinement *r)
{
    return r->weight[0] > r->weight[1] ? r->weight[0] - r->weight[1] : r->weight[1] - r->weight[0];
}

// All vertices free to move, those of the separator in the heaps
static void start_pass(refinement *r)
{
    const graph *g = r->g;
    r->n_changed = r->heap[0].n = r->heap[1].n = 0;
    memset(r->locked, 0, (size_t)g->n);
    for (int32_t v = 0; v < g->n; ++v) {
        r->heap[0].place[v] = r->heap[1].place[v] = -1;
        if (r->side[v] == SEPARATOR)
            offer(r, v);
    }
}

static void take_back(refinement *r, int32_t kept)
{
    while (r->n_changed > kept) {
        --r->n_changed;
        set_side(r, r->changed[r->n_changed], r->before[r->n_changed]);
    }
}

// One pass; the moves after the best separator are taken back. True if it found a better one.
static bool refine_once(refinement *r)
{
    const graph *g = r->g;
    const int64_t limit = g->total * SIDE_PERCENT / 100;
    int64_t least = r->weight[SEPARATOR], even = difference(r);
    int32_t kept = 0, idle = 0;
    bool better = false;
    start_pass(r);
    while (idle < PATIENCE) {
        uint8_t s = 0;
        const int32_t v = choose(r, limit, &s);
        if (v < 0)
            break;
        move(r, v, s);
        ++idle;
        if (r->weight[SEPARATOR] < least ||
            (r->weight[SEPARATOR] == least && difference(r) < even)) {
            better = better || r->weight[SEPARATOR] < least;
            least = r->weight[SEPARATOR];
            even = difference(r);
            kept = r->n_changed;
            idle = 0;
        }
    }
    take_back(r, kept);
    return better;
}

static pcs_status get_memory(dissection *d, const graph *g, uint8_t *side, refinement *r)
{
    int32_t *memory;
    *r = (refinement){.g = g, .side = side};
    // a vertex changes sides at most three times: in, out and, locked, in again
    GET(int32_t, memory, (int64_t)g->n * 9);
    GET(uint8_t, r->locked, (int64_t)g->n * 4);
    for (int s = 0; s < 2; ++s) {
        r->heap[s].item = memory + (int64_t)g->n * (3 * s);
        r->heap[s].place = memory + (int64_t)g->n * (3 * s + 1);
        r->heap[s].gain = memory + (int64_t)g->n * (3 * s + 2);
    }
    r->changed = memory + (int64_t)g->n * 6;
    r->before = r->locked + g->n;
    return PCS_OK;
}

static void refine(refinement *r)
{
    memset(r->weight, 0, sizeof r->weight);
    for (int32_t v = 0; v < r->g->n; ++v)
        r->weight[r->side[v]] += r->g->weight[v];
    for (int pass = 0; pass < PASSES && refine_once(r); ++pass)
        ;
}

// Order in which the vertices are matched: scattered, so that no direction of a mesh is favoured
static int32_t scattered(int32_t n, int32_t k)
{
    int64_t step = (int64_t)(0.6180339887498949 * n) | 1;
    for (int64_t a = step, b = n;; a = step, b = n) { // the next step without a common divisor
        while (b != 0) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            break;
        step += 2;
    }
    return (int32_t)(k * step % n);
}

// Joins each vertex with the free neighbour of the heaviest edge; coarse[v]: new number.
// Returns how many there are.
static int32_t match(const graph *g, int64_t heaviest, int32_t offset, int32_t *coarse)
{
    int32_t n = 0;
    for (int32_t v = 0; v < g->n; ++v)
        coarse[v] = -1;
    const int32_t step = scattered(g->n, 1);
    for (int32_t k = 0; k < g->n; ++k) {
        const int32_t v = (int32_t)(((int64_t)k * step + offset) % g->n);
        if (coarse[v] >= 0)
            continue;
        int32_t best = -1, most = 0;
        for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e) {
            const int32_t u = g->adjacent[e];
            if (coarse[u] < 0 && g->edge[e] > most &&
                (int64_t)g->weight[u] + g->weight[v] <= heaviest) {
                best = u;
                most = g->edge[e];
            }
        }
        coarse[v] = n;
        if (best >= 0)
            coarse[best] = n;
        ++n;
    }
    return n;
}

// Edges of the vertex `to` that v and u become, with the weights of equal ones added
static int32_t join_edges(const graph *g, const int32_t *coarse, int32_t to, int32_t v, graph *c,
                          int32_t count, int32_t *seen)
{
    const int32_t first = c->start[to];
    for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e) {
        const int32_t u = coarse[g->adjacent[e]];
        if (u == to)
            continue;
        if (seen[u] >= first && seen[u] < count && c->adjacent[seen[u]] == u) {
            c->edge[seen[u]] += g->edge[e];
        } else {
            seen[u] = count;
            c->adjacent[count] = u;
            c->edge[count++] = g->edge[e];
        }
    }
    return count;
}

static pcs_status coarsen(dissection *d, const graph *g, int32_t n, const int32_t *coarse, graph *c)
{
    int32_t *seen, *member;
    *c = (graph){.n = n, .total = g->total};
    GET(int32_t, c->start, (int64_t)n + 1);
    GET(int32_t, c->weight, n);
    GET(int32_t, c->adjacent, g->start[g->n]);
    GET(int32_t, c->edge, g->start[g->n]);
    const pcs_arena_mark mark = pcs_arena_get_mark(d->arena);
    GET(int32_t, seen, n);
    GET(int32_t, member, 2 * (int64_t)n);
    for (int32_t i = 0; i < n; ++i) {
        seen[i] = member[2 * i] = member[2 * i + 1] = -1;
        c->weight[i] = 0;
    }
    for (int32_t v = 0; v < g->n; ++v) {
        member[2 * coarse[v] + (member[2 * coarse[v]] >= 0)] = v;
        c->weight[coarse[v]] += g->weight[v];
    }
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i) {
        c->start[i] = count;
        for (int k = 0; k < 2; ++k)
            if (member[2 * i + k] >= 0)
                count = join_edges(g, coarse, i, member[2 * i + k], c, count, seen);
    }
    c->start[n] = count;
    pcs_arena_release(d->arena, mark);
    return PCS_OK;
}

// Side 0 grows from `seed` to half the weight, always by the vertex whose edges go to side 0 for
// the most part; what it touches becomes the separator
static void grow(refinement *r, int32_t seed)
{
    const graph *g = r->g;
    heap *h = &r->heap[0];
    int64_t weight = 0;
    int32_t next = 0;
    h->n = 0;
    for (int32_t v = 0; v < g->n; ++v) {
        r->side[v] = 1;
        h->place[v] = -1;
        h->gain[v] = 0;
        for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e)
            h->gain[v] -= g->edge[e];
    }
    heap_add(h, seed, h->gain[seed]);
    while (2 * weight < g->total) {
        if (h->n == 0) { // the next piece of a graph in pieces
            while (r->side[next] == 0)
                ++next;
            heap_add(h, next, h->gain[next]);
        }
        const int32_t v = h->item[0];
        heap_remove(h, v);
        r->side[v] = 0;
        weight += g->weight[v];
        for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e) {
            const int32_t u = g->adjacent[e];
            if (r->side[u] == 0)
                continue;
            heap_change(h, u, 2 * g->edge[e]);
            if (h->place[u] < 0)
                heap_add(h, u, h->gain[u]);
        }
    }
    while (h->n > 0) {
        r->side[h->item[0]] = SEPARATOR; // met, but not taken
        heap_remove(h, h->item[0]);
    }
}

static pcs_status separate_coarsest(dissection *d, const graph *g, uint8_t *side)
{
    const pcs_arena_mark mark = pcs_arena_get_mark(d->arena);
    refinement r;
    uint8_t *trial;
    GET(uint8_t, trial, g->n);
    PCS_TRY(get_memory(d, g, trial, &r));
    int64_t least = -1;
    for (int32_t k = 0; k < TRIALS; ++k) {
        grow(&r, scattered(g->n, k % g->n));
        refine(&r);
        if (least < 0 || r.weight[SEPARATOR] < least) {
            least = r.weight[SEPARATOR];
            memcpy(side, trial, (size_t)g->n);
        }
    }
    pcs_arena_release(d->arena, mark);
    return PCS_OK;
}

// One descent through coarser graphs and back; `run` varies the joined pairs
static pcs_status separate_once(dissection *d, const graph *g, int32_t run, uint8_t *side)
{
    graph level[LEVELS_MAX];
    int32_t *coarse[LEVELS_MAX], depth = 0;
    level[0] = *g;
    const pcs_arena_mark mark = pcs_arena_get_mark(d->arena);
    while (level[depth].n > COARSEST && depth + 1 < LEVELS_MAX) {
        GET(int32_t, coarse[depth], level[depth].n);
        const int64_t heaviest = 3 * g->total / (2 * COARSEST) + 1;
        const int32_t n = match(&level[depth], heaviest, run, coarse[depth]);
        if ((int64_t)n * 100 > (int64_t)level[depth].n * COARSE_PERCENT)
            break;
        PCS_TRY(coarsen(d, &level[depth], n, coarse[depth], &level[depth + 1]));
        ++depth;
    }
    uint8_t *above_side;
    GET(uint8_t, above_side, g->n);
    PCS_TRY(separate_coarsest(d, &level[depth], side));
    while (depth-- > 0) {
        const pcs_arena_mark scratch = pcs_arena_get_mark(d->arena);
        refinement r;
        memcpy(above_side, side, (size_t)level[depth + 1].n);
        for (int32_t v = 0; v < level[depth].n; ++v)
            side[v] = above_side[coarse[depth][v]];
        PCS_TRY(get_memory(d, &level[depth], side, &r));
        refine(&r);
        pcs_arena_release(d->arena, scratch);
    }
    pcs_arena_release(d->arena, mark);
    return PCS_OK;
}

// Separator over the product of the sides: small and even
static double quality(const graph *g, const uint8_t *side)
{
    double weight[3] = {0.0, 0.0, 0.0};
    for (int32_t v = 0; v < g->n; ++v)
        weight[side[v]] += g->weight[v];
    return weight[SEPARATOR] / (1.0 + weight[0] * weight[1]);
}

static pcs_status separate(dissection *d, const graph *g, uint8_t *side)
{
    const pcs_arena_mark mark = pcs_arena_get_mark(d->arena);
    uint8_t *trial;
    GET(uint8_t, trial, g->n);
    double best = -1.0;
    for (int32_t run = 0; run < (g->n > LARGE ? RUNS : 1); ++run) {
        if (run > 0 && pcs_watch_is_over(d->watch))
            break;
        PCS_TRY(separate_once(d, g, run, trial));
        const double found = quality(g, trial);
        if (best < 0.0 || found < best) {
            best = found;
            memcpy(side, trial, (size_t)g->n);
        }
    }
    pcs_arena_release(d->arena, mark);
    return PCS_OK;
}

// The graph of the vertices of one side; label: names in the whole graph
static pcs_status extract(dissection *d, const graph *g, const int32_t *label, const uint8_t *side,
                          uint8_t which, graph *part, int32_t **part_label)
{
    int32_t n = 0, edges = 0, *number;
    GET(int32_t, number, g->n);
    for (int32_t v = 0; v < g->n; ++v)
        if (side[v] == which) {
            number[v] = n++;
            edges += g->start[v + 1] - g->start[v];
        }
    *part = (graph){.n = n};
    GET(int32_t, part->start, (int64_t)n + 1);
    GET(int32_t, part->adjacent, edges);
    GET(int32_t, part->edge, edges);
    GET(int32_t, part->weight, n);
    GET(int32_t, *part_label, n);
    int32_t i = 0, count = 0;
    for (int32_t v = 0; v < g->n; ++v) {
        if (side[v] != which)
            continue;
        part->start[i] = count;
        part->weight[i] = g->weight[v];
        part->total += g->weight[v];
        (*part_label)[i++] = label[v];
        for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e)
            if (side[g->adjacent[e]] == which) {
                part->adjacent[count] = number[g->adjacent[e]];
                part->edge[count++] = g->edge[e];
            }
    }
    part->start[n] = count;
    return PCS_OK;
}

// Orders the vertices of g from place `first` on
static pcs_status dissect(dissection *d, const graph *g, const int32_t *label, int32_t first)
{
    const pcs_arena_mark mark = pcs_arena_get_mark(d->arena);
    uint8_t *side = NULL;
    int32_t count[3] = {0, 0, 0};
    if (g->n > LEAF && pcs_watch_is_over(d->watch))
        return PCS_INTERRUPTED;
    if (g->n > LEAF) {
        GET(uint8_t, side, g->n);
        PCS_TRY(separate(d, g, side));
        for (int32_t v = 0; v < g->n; ++v)
            ++count[side[v]];
    }
    if (count[0] == 0 || count[1] == 0) { // small, or not to be divided: nearly complete
        int32_t *order;
        GET(int32_t, order, g->n);
        PCS_TRY(pcs_ordering_compute(d->ctx, g->n, g->start, g->adjacent, order));
        for (int32_t k = 0; k < g->n; ++k)
            d->order[first + k] = label[order[k]];
        pcs_arena_release(d->arena, mark);
        return PCS_OK;
    }
    int32_t last = first + count[0] + count[1];
    for (int32_t v = 0; v < g->n; ++v)
        if (side[v] == SEPARATOR)
            d->order[last++] = label[v];
    for (uint8_t s = 0; s < 2; ++s) {
        const pcs_arena_mark half = pcs_arena_get_mark(d->arena);
        graph part;
        int32_t *part_label;
        PCS_TRY(extract(d, g, label, side, s, &part, &part_label));
        const pcs_status status = dissect(d, &part, part_label, first);
        if (status != PCS_OK)
            return status;
        first += count[s];
        pcs_arena_release(d->arena, half);
    }
    pcs_arena_release(d->arena, mark);
    return PCS_OK;
}

static pcs_status dissect_all(dissection *d, int32_t n, const int32_t *start,
                              const int32_t *neighbour, const int32_t *weight)
{
    graph g = {.n = n};
    int32_t *label;
    GET(int32_t, g.start, (int64_t)n + 1);
    GET(int32_t, g.adjacent, start[n]);
    GET(int32_t, g.edge, start[n]);
    GET(int32_t, g.weight, n);
    GET(int32_t, label, n);
    memcpy(g.start, start, sizeof(int32_t) * ((size_t)n + 1));
    memcpy(g.adjacent, neighbour, sizeof(int32_t) * (size_t)start[n]);
    for (int32_t e = 0; e < start[n]; ++e)
        g.edge[e] = 1;
    for (int32_t v = 0; v < n; ++v) {
        g.weight[v] = weight[v];
        g.total += weight[v];
        label[v] = v;
    }
    return dissect(d, &g, label, 0);
}

pcs_status pcs_ordering_dissect_within(pcs_context *ctx, int32_t n, const int32_t *start,
                                       const int32_t *neighbour, const int32_t *weight,
                                       const pcs_watch *watch, int32_t *order)
{
    pcs_arena arena;
    pcs_arena_init(&arena, ctx);
    dissection d = {.ctx = ctx, .arena = &arena, .watch = watch, .order = order};
    const pcs_status status = dissect_all(&d, n, start, neighbour, weight);
    pcs_arena_free(&arena);
    return status;
}

pcs_status pcs_ordering_dissect(pcs_context *ctx, int32_t n, const int32_t *start,
                                const int32_t *neighbour, const int32_t *weight, int32_t *order)
{
    return pcs_ordering_dissect_within(ctx, n, start, neighbour, weight, NULL, order);
}

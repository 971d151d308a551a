// Greedy balanced colouring with one word of colours, and breadth-first levels (colouring.h).
#include "nonsmooth/colouring.h"

#include <string.h>

enum { UNCOLOURED = PCS_COLOURS_MAX }; // also the mark of the serial rest

// Least used colour outside `taken`, the first of several; a new one if all are taken.
static int32_t choose_colour(uint64_t taken, const int32_t *count, int32_t *n_colours)
{
    int32_t best = -1;
    for (int32_t c = 0; c < *n_colours; c++)
        if (!(taken >> c & 1) && (best < 0 || count[c] < count[best]))
            best = c;
    if (best < 0)
        best = *n_colours < PCS_COLOURS_MAX ? (*n_colours)++ : UNCOLOURED;
    return best;
}

// Members of each colour by counting, in ascending order.
static void collect_members(pcs_colouring *colouring, int32_t n, const uint8_t *colour,
                            const int32_t *count)
{
    int32_t at[PCS_COLOURS_MAX + 1];
    int32_t sum = 0;
    for (int32_t c = 0; c < colouring->n_colours; c++) {
        colouring->start[c] = at[c] = sum;
        sum += count[c];
    }
    colouring->start[colouring->n_colours] = at[UNCOLOURED] = sum;
    colouring->start[colouring->n_colours + 1] = n;
    for (int32_t i = 0; i < n; i++)
        colouring->member[at[colour[i]]++] = i;
}

pcs_status pcs_colouring_compute(pcs_colouring *colouring, pcs_arena *arena, int32_t n,
                                 const int32_t *row_start, const int32_t *column)
{
    int32_t count[PCS_COLOURS_MAX + 1] = {0};
    *colouring = (pcs_colouring){.member = PCS_ARENA_ARRAY(arena, int32_t, n)};
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    uint8_t *colour = PCS_ARENA_ARRAY(arena, uint8_t, n);
    if (colouring->member == NULL || colour == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        uint64_t taken = 0;
        for (int32_t e = row_start[i]; e < row_start[i + 1]; e++)
            if (column[e] < i && colour[column[e]] < PCS_COLOURS_MAX)
                taken |= (uint64_t)1 << colour[column[e]];
        colour[i] = (uint8_t)choose_colour(taken, count, &colouring->n_colours);
        count[colour[i]]++;
    }
    collect_members(colouring, n, colour, count);
    pcs_arena_release(arena, mark);
    return PCS_OK;
}

pcs_status pcs_colouring_compute_pairs(pcs_colouring *colouring, pcs_arena *arena, int32_t n,
                                       int32_t bodies, const int32_t *body)
{
    int32_t count[PCS_COLOURS_MAX + 1] = {0};
    *colouring = (pcs_colouring){.member = PCS_ARENA_ARRAY(arena, int32_t, n)};
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    uint8_t *colour = PCS_ARENA_ARRAY(arena, uint8_t, n);
    uint64_t *taken = PCS_ARENA_ARRAY(arena, uint64_t, bodies); // colours at each body
    if (colouring->member == NULL || colour == NULL || taken == NULL)
        return PCS_ERROR_MEMORY;
    memset(taken, 0, (size_t)bodies * sizeof *taken);
    for (int32_t i = 0; i < n; i++) {
        const int32_t a = body[2 * i], b = body[2 * i + 1];
        const uint64_t both = (a >= 0 ? taken[a] : 0) | (b >= 0 ? taken[b] : 0);
        colour[i] = (uint8_t)choose_colour(both, count, &colouring->n_colours);
        count[colour[i]]++;
        const uint64_t bit = colour[i] < PCS_COLOURS_MAX ? (uint64_t)1 << colour[i] : 0;
        if (a >= 0)
            taken[a] |= bit;
        if (b >= 0)
            taken[b] |= bit;
    }
    collect_members(colouring, n, colour, count);
    pcs_arena_release(arena, mark);
    return PCS_OK;
}

pcs_status pcs_levels_compute(pcs_arena *arena, int32_t n, const int32_t *row_start,
                              const int32_t *column, const uint8_t *root, int32_t *order)
{
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    uint8_t *seen = PCS_ARENA_ARRAY(arena, uint8_t, n);
    if (seen == NULL)
        return PCS_ERROR_MEMORY;
    int32_t tail = 0;
    for (int32_t i = 0; i < n; i++) {
        seen[i] = root[i] != 0;
        if (seen[i])
            order[tail++] = i;
    }
    for (int32_t head = 0; head < tail; head++) {
        const int32_t i = order[head];
        for (int32_t e = row_start[i]; e < row_start[i + 1]; e++) {
            const int32_t j = column[e];
            if (!seen[j]) {
                seen[j] = 1;
                order[tail++] = j;
            }
        }
    }
    for (int32_t i = 0; i < n; i++)
        if (!seen[i])
            order[tail++] = i;
    pcs_arena_release(arena, mark);
    return PCS_OK;
}

#include "base/name_map.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

enum { FIRST_CHAINS = 16 }; // a power of two, as the doubled numbers after it

static uint64_t hash_of(int32_t kind, const char *name, size_t length)
{
    return pcs_hash_bytes(pcs_hash_bytes(PCS_HASH_START, &kind, sizeof kind), name, length);
}

static int32_t *chain_of(const pcs_name_map *map, uint64_t hash)
{
    return &map->first.data[hash & (uint64_t)(map->first.count - 1)];
}

int32_t pcs_name_map_find(const pcs_name_map *map, int32_t kind, const char *name, size_t length)
{
    if (map->first.count == 0)
        return -1;
    const uint64_t hash = hash_of(kind, name, length);
    for (int32_t i = *chain_of(map, hash); i >= 0; i = map->entries.data[i].next) {
        const pcs_name_entry *entry = &map->entries.data[i];
        if (entry->hash == hash && entry->kind == kind && strlen(entry->name) == length &&
            memcmp(entry->name, name, length) == 0)
            return entry->number;
    }
    return -1;
}

// Puts entry i at the head of its chain, so that the newest entry of a chain is its first.
static void link_entry(pcs_name_map *map, int32_t i)
{
    pcs_name_entry *entry = &map->entries.data[i];
    int32_t *first = chain_of(map, entry->hash);
    entry->next = *first;
    *first = i;
}

bool pcs_name_map_reserve(pcs_context *ctx, pcs_name_map *map)
{
    const int32_t needed = map->entries.count + 1;
    if (!pcs_array_reserve(ctx, (void **)&map->entries.data, &map->entries.capacity, needed,
                           sizeof *map->entries.data))
        return false;
    int32_t chains = map->first.count > 0 ? map->first.count : FIRST_CHAINS;
    while (chains < needed && chains <= INT32_MAX / 2)
        chains *= 2;
    if (chains == map->first.count)
        return true;
    if (!pcs_array_reserve(ctx, (void **)&map->first.data, &map->first.capacity, chains,
                           sizeof *map->first.data))
        return false;
    map->first.count = chains;
    for (int32_t i = 0; i < chains; ++i)
        map->first.data[i] = -1;
    for (int32_t i = 0; i < map->entries.count; ++i)
        link_entry(map, i);
    return true;
}

void pcs_name_map_add(pcs_name_map *map, int32_t kind, const char *name, int32_t number)
{
    assert(map->entries.count < map->entries.capacity && map->first.count > 0);
    const size_t length = strlen(name);
    assert(pcs_name_map_find(map, kind, name, length) < 0);
    map->entries.data[map->entries.count] = (pcs_name_entry){name, kind, number, -1,
                                                             hash_of(kind, name, length)};
    link_entry(map, map->entries.count++);
}

void pcs_name_map_shorten(pcs_name_map *map, int32_t count)
{
    while (map->entries.count > count) {
        const pcs_name_entry *last = &map->entries.data[--map->entries.count];
        *chain_of(map, last->hash) = last->next;
    }
}

void pcs_name_map_free(pcs_context *ctx, pcs_name_map *map)
{
    PCS_ARRAY_FREE(ctx, &map->entries);
    PCS_ARRAY_FREE(ctx, &map->first);
}

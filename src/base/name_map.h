// Names and what they stand for: a hash table with chains, so that n names are added in O(n). A
// name belongs to a kind; two kinds may have the same name. The map keeps pointers to names that
// their owner keeps alive. Entries leave in the opposite order of their arrival, as whoever gives
// up half of its work takes it back.
#ifndef PCS_BASE_NAME_MAP_H
#define PCS_BASE_NAME_MAP_H

#include "base/array.h"

typedef struct pcs_name_entry {
    const char *name;
    int32_t kind;
    int32_t number; // what the owner calls the thing
    int32_t next;   // entry behind this one in its chain, -1: none
    uint64_t hash;
} pcs_name_entry;

typedef struct pcs_name_map {
    PCS_ARRAY(pcs_name_entry) entries; // in the order of their arrival
    PCS_ARRAY(int32_t) first;          // first entry of each chain; a power of two of them
} pcs_name_map;

// Number of the thing of this kind that is called by the first `length` bytes of `name`; -1: none.
int32_t pcs_name_map_find(const pcs_name_map *map, int32_t kind, const char *name, size_t length);

// Makes room for one more name; false when memory is out (error recorded).
bool pcs_name_map_reserve(pcs_context *ctx, pcs_name_map *map);

// Adds a name that is not there yet. There must be room for it.
void pcs_name_map_add(pcs_name_map *map, int32_t kind, const char *name, int32_t number);

// Takes back the names added last, until `count` are left.
void pcs_name_map_shorten(pcs_name_map *map, int32_t count);

void pcs_name_map_free(pcs_context *ctx, pcs_name_map *map);

#endif

#include "base/pool.h"

#include <string.h>

// Blocks have a header and 2^k bytes; those that are free hang in a list for each k. A larger one will
// do: the next use of what was freed may have one more of one size and one less of another.
enum { SMALLEST = 6, CLASSES = 8 * sizeof(size_t) };

typedef union header {
    struct {
        union header *next; // while it is free
        int k;
    } block;
    _Alignas(16) unsigned char padding[16];
} header;

struct pcs_pool {
    pcs_context *parent, *context;
    header *free[CLASSES];
};

static header *header_of(void *payload)
{
    return (header *)payload - 1;
}

static void *take(pcs_pool *pool, size_t size)
{
    int k = SMALLEST;
    while (k < CLASSES - 1 && ((size_t)1 << k) < size)
        ++k;
    if (((size_t)1 << k) < size)
        return NULL;
    for (int larger = k; larger < CLASSES; ++larger) {
        header *h = pool->free[larger];
        if (!h)
            continue;
        pool->free[larger] = h->block.next;
        return h + 1;
    }
    header *h = pcs_realloc(pool->parent, NULL, 1 + ((size_t)1 << k) / sizeof *h, sizeof *h);
    if (!h)
        return NULL;
    h->block.k = k;
    return h + 1;
}

static void give_back(pcs_pool *pool, void *payload)
{
    header *h = header_of(payload);
    h->block.next = pool->free[h->block.k];
    pool->free[h->block.k] = h;
}

static void *resize(void *user, void *payload, size_t old_size, size_t new_size)
{
    pcs_pool *pool = user;
    if (payload && new_size > 0 && new_size <= (size_t)1 << header_of(payload)->block.k)
        return payload;
    void *moved = new_size > 0 ? take(pool, new_size) : NULL;
    if (payload && moved)
        memcpy(moved, payload, old_size < new_size ? old_size : new_size);
    if (payload && (moved || new_size == 0))
        give_back(pool, payload);
    return moved;
}

static bool stop(void *user)
{
    return pcs_context_stop_hook(user) != 0;
}

pcs_status pcs_pool_create(pcs_context *parent, pcs_pool **out)
{
    pcs_pool *pool = PCS_NEW(parent, pcs_pool);
    *out = pool;
    if (!pool)
        return PCS_ERROR_MEMORY;
    pool->parent = parent;
    const pcs_context_def def = {
        .resize = resize, .resize_user = pool, .stop = stop, .stop_user = parent};
    pool->context = pcs_context_create(&def);
    if (pool->context)
        return PCS_OK;
    pcs_pool_destroy(pool);
    *out = NULL;
    return PCS_ERROR_MEMORY;
}

void pcs_pool_destroy(pcs_pool *pool)
{
    if (!pool)
        return;
    pcs_context_destroy(pool->context);
    for (int k = 0; k < CLASSES; ++k)
        while (pool->free[k]) {
            header *next = pool->free[k]->block.next;
            pcs_free(pool->parent, pool->free[k]);
            pool->free[k] = next;
        }
    pcs_free(pool->parent, pool);
}

pcs_context *pcs_pool_context(pcs_pool *pool)
{
    return pool->context;
}

// Memory that will be read soon. Processors foresee a stream inside a page and no farther, so that
// a loop over an array larger than the caches waits at each page unless it says what comes.
#ifndef PCS_BASE_PREFETCH_H
#define PCS_BASE_PREFETCH_H

#include <stddef.h>

enum { PCS_PREFETCH_LINE = 64 };

// Asks for the cache lines from here on; any address is allowed.
static inline void pcs_prefetch(const void *from, size_t bytes)
{
#if defined(__GNUC__)
    for (size_t k = 0; k < bytes; k += PCS_PREFETCH_LINE)
        __builtin_prefetch((const char *)from + k, 0, 2);
#else
    (void)from;
    (void)bytes;
#endif
}

#endif

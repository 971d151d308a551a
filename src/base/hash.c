#include "base/hash.h"

uint64_t pcs_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3); // the FNV prime for 64 bits
    return hash;
}

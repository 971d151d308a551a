// FNV-1a hash (64 bits) of bytes; compares results of runs bit by bit.
#ifndef PCS_BASE_HASH_H
#define PCS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PCS_HASH_START UINT64_C(0xcbf29ce484222325)

// Hash of the bytes hashed so far (PCS_HASH_START for none) followed by `size` bytes at `data`.
uint64_t pcs_hash_bytes(uint64_t hash, const void *data, size_t size);

#endif

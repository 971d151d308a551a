// Pseudo-random numbers: xoshiro256** (Blackman, Vigna), seeded through splitmix64. The same seed
// gives the same numbers on every platform.
#ifndef PCS_BASE_RANDOM_H
#define PCS_BASE_RANDOM_H

#include <stdint.h>

typedef struct pcs_random {
    uint64_t state[4];
} pcs_random;

void pcs_random_init(pcs_random *random, uint64_t seed); // any seed, also 0
uint64_t pcs_random_next(pcs_random *random);            // 64 random bits
double pcs_random_uniform(pcs_random *random);           // in [0, 1), a multiple of 2^-53
double pcs_random_between(pcs_random *random, double low, double high); // in [low, high]

#endif

// xoshiro256** 1.0 and splitmix64, after the public-domain reference code of Blackman and Vigna.
#include "base/random.h"

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

// splitmix64: fills the state so that near seeds give unrelated sequences and never all zeros.
void pcs_random_init(pcs_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        random->state[i] = z ^ (z >> 31);
    }
}

uint64_t pcs_random_next(pcs_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double pcs_random_uniform(pcs_random *random)
{
    return (double)(pcs_random_next(random) >> 11) * 0x1p-53; // the 53 upper bits
}

double pcs_random_between(pcs_random *random, double low, double high)
{
    return low + (high - low) * pcs_random_uniform(random);
}

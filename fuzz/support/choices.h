// The fuzzer's bytes as a list of choices, read from the front. Where they end every choice is the
// first one, so that a short input is a short list and each added byte adds one thing.
#ifndef PERCUSS_FUZZ_CHOICES_H
#define PERCUSS_FUZZ_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_choices {
    const uint8_t *data;
    size_t size, used;
} fuzz_choices;

static inline bool fuzz_has_choices(const fuzz_choices *c)
{
    return c->used < c->size;
}

// From 0 to n - 1, n <= 256.
static inline int fuzz_pick(fuzz_choices *c, int n)
{
    return c->used < c->size ? c->data[c->used++] % n : 0;
}

// True once in n bytes, n <= 256; no longer where the bytes have ended.
static inline bool fuzz_once_in(fuzz_choices *c, int n)
{
    return fuzz_pick(c, n) == n - 1;
}

static inline uint32_t fuzz_word(fuzz_choices *c)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word = word << 8 | (uint32_t)fuzz_pick(c, 256);
    return word;
}

#endif

#include "io/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes are four digits of six bits.
static void put_group(const unsigned char bytes[3], char text[4])
{
    uint32_t group = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
    text[0] = digits[group >> 18];
    text[1] = digits[group >> 12 & 63];
    text[2] = digits[group >> 6 & 63];
    text[3] = digits[group & 63];
}

size_t pcs_base64_encode(pcs_base64 *state, const unsigned char *bytes, size_t n, char *text)
{
    char *start = text;
    size_t i = 0;
    while (i < n && state->n_rest > 0) { // complete the group that was begun
        state->rest[state->n_rest++] = bytes[i++];
        if (state->n_rest == 3) {
            put_group(state->rest, text);
            text += 4;
            state->n_rest = 0;
        }
    }
    for (; n - i >= 3; i += 3, text += 4)
        put_group(bytes + i, text);
    while (i < n)
        state->rest[state->n_rest++] = bytes[i++];
    return (size_t)(text - start);
}

size_t pcs_base64_finish(pcs_base64 *state, char *text)
{
    if (state->n_rest == 0)
        return 0;
    for (int i = state->n_rest; i < 3; i++)
        state->rest[i] = 0;
    put_group(state->rest, text);
    for (int i = state->n_rest + 1; i < 4; i++)
        text[i] = '=';
    state->n_rest = 0;
    return 4;
}

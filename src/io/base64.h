// Base64 (RFC 4648), piece by piece: pieces of any length give the text of the whole.
#ifndef PCS_IO_BASE64_H
#define PCS_IO_BASE64_H

#include <stddef.h>

typedef struct pcs_base64 {
    unsigned char rest[3]; // bytes that do not fill a group of three yet
    int n_rest;
} pcs_base64;

// Room that the text of `n` bytes needs, whatever was left from the piece before.
#define PCS_BASE64_ROOM(n) (4 * (((n) + 2) / 3) + 4)

// Encode `n` more bytes, and the end; both return the length of the text, which has no closing
// zero.
size_t pcs_base64_encode(pcs_base64 *state, const unsigned char *bytes, size_t n, char *text);
size_t pcs_base64_finish(pcs_base64 *state, char *text);

#endif

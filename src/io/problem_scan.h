// Scanner of contact-problem texts: whitespace-separated tokens, numbers read to the nearest double
// whatever the locale, errors with file and line.
#ifndef PCS_IO_PROBLEM_SCAN_H
#define PCS_IO_PROBLEM_SCAN_H

#include "base/context.h"

typedef struct pcs_scan {
    pcs_context *ctx;
    const char *name; // of the file, for messages
    const char *start, *at, *end;
} pcs_scan;

typedef struct pcs_token_text {
    const char *text;
    size_t length; // 0: end of the file
} pcs_token_text;

pcs_token_text pcs_scan_token(pcs_scan *scan);
// Where the next token begins, for messages.
const char *pcs_scan_place(pcs_scan *scan);
// True, and the scanner moves on, if the next token is this word.
bool pcs_scan_word(pcs_scan *scan, const char *word);
// Number of tokens from here to the end of the file, at most `limit`.
int64_t pcs_scan_count(const pcs_scan *scan, int64_t limit);
// The next token if it is digits alone (a sign apart) and fits int32_t; false leaves the scanner.
bool pcs_scan_peek_integer(pcs_scan *scan, int32_t *value);

// Records "name:line: text" for the place `at` and returns PCS_ERROR_INPUT.
pcs_status pcs_scan_error(const pcs_scan *scan, const char *at, const char *format, ...)
    PCS_PRINTF(3, 4);

// An integer in [low, high], digits alone; `what` names it in messages.
pcs_status pcs_scan_integer(pcs_scan *scan, const char *what, int64_t low, int64_t high,
                            int32_t *value) PCS_MUST_CHECK;
// An integer in [low, high] that may be written as a real, such as 1e+06.
pcs_status pcs_scan_index(pcs_scan *scan, const char *what, int64_t low, int64_t high,
                          int32_t *value) PCS_MUST_CHECK;
// A finite number; `what` with `done` of `count` describe what is cut off at the end of the file.
pcs_status pcs_scan_real(pcs_scan *scan, const char *what, int64_t done, int64_t count,
                         double *value) PCS_MUST_CHECK;
// Error unless `count` values of `tokens` tokens each may still follow: a guard before allocating
// for a claimed size.
pcs_status pcs_scan_expect(const pcs_scan *scan, const char *what, int64_t count, int32_t tokens)
    PCS_MUST_CHECK;
// Allocates and reads `count` finite numbers.
pcs_status pcs_scan_vector(pcs_scan *scan, const char *what, int32_t count, double **out)
    PCS_MUST_CHECK;

// The double nearest to a decimal number of `length` characters; false if it is not one. NaN and
// infinities are read as such.
bool pcs_decimal_read(const char *text, size_t length, double *value);

#endif

// Fewer points of long signals without losing an extreme: the frames are cut into intervals, and
// each gives its smallest and its largest value in the order in which they occur. NaN counts only
// where an interval has nothing else.
#ifndef PCS_IO_THINNING_H
#define PCS_IO_THINNING_H

#include "base/context.h"

typedef struct pcs_thinning {
    int64_t frames;
    int64_t points; // at most `frames`; equal: nothing is left out
} pcs_thinning;

// `most` points at most, at least two.
pcs_thinning pcs_thinning_choose(int64_t frames, int64_t most);
// The frame whose time point i carries: the first or last of its interval.
int64_t pcs_thinning_frame(const pcs_thinning *thinning, int64_t point);

// Several signals at once, from rows of numbers that come in the order of the frames.
typedef struct pcs_thinner pcs_thinner;

// Signal i is column[i] of the rows; its points go to values[i * thinning->points].
pcs_status pcs_thinner_create(pcs_context *ctx, const pcs_thinning *thinning, int32_t signals,
                              const int64_t *column, float *values, pcs_thinner **out)
    PCS_MUST_CHECK;
void pcs_thinner_destroy(pcs_thinner *thinner); // NULL is allowed
// The next `count` rows of `width` numbers.
void pcs_thinner_add(pcs_thinner *thinner, const double *rows, int64_t count, int64_t width);

#endif

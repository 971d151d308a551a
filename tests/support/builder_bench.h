// A builder with a few parts in it, to add right and wrong ones to.
#ifndef PCS_TESTS_BUILDER_BENCH_H
#define PCS_TESTS_BUILDER_BENCH_H

#include "model/builder.h"

typedef struct builder_bench {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
} builder_bench;

// Two bodies, a point and a hinge between ground and the first body; ids 0, 1, 2 and 0.
void bench_begin(builder_bench *b, int32_t dimension);
// Checks that all memory was given back.
void bench_end(builder_bench *b);
// The status is the wanted one, and the message contains `text`.
void bench_expect(builder_bench *b, pcs_status found, pcs_status wanted, const char *text);

// A body "part" and a cylindrical joint "arm" between the two bodies; the builder takes both.
pcs_body_def bench_body(void);
pcs_joint_def bench_joint(void);

#endif

// A folder of its own and a running simulation, pendulum and ball above a floor, for tests of the
// files that a run writes.
#ifndef PCS_TESTS_RESULT_FIXTURE_H
#define PCS_TESTS_RESULT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "percuss/io.h"

enum { RESULT_PATH_MAX = 256 };

typedef struct result_fixture {
    char folder[64];
    char path[128], part[RESULT_PATH_MAX]; // run.h5 in the folder, and run.h5.part
    pcs_context *ctx;
    pcs_model *model;
    pcs_simulation *simulation;
} result_fixture;

int result_set_up(void **state);
int result_set_up_spatial(void **state);
// Checks that all memory and every HDF5 identifier was given back.
int result_tear_down(void **state);

// Another simulation of the model, started.
pcs_simulation *result_simulate(pcs_context *ctx, const pcs_model *model);
pcs_result_writer *result_create(result_fixture *f, double flush_interval);
void result_step_and_append(result_fixture *f, pcs_result_writer *writer, int frames);
pcs_result *result_open(result_fixture *f, const char *path);
int64_t result_open_and_count(result_fixture *f);

bool result_exists(const char *path);
void result_write_text(const char *path, const char *text);
// Byte ^= change; a second time brings the old one back.
void result_change_byte(const char *path, long place, int change);
void result_assert_message(const result_fixture *f, const char *part);

static inline void assert_same_bits(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
        fail_msg("%.17g and %.17g differ", a, b);
}

#endif

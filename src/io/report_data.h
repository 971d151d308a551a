// What the report page is given about a run (viewer/DATA.md), part by part.
#ifndef PCS_IO_REPORT_DATA_H
#define PCS_IO_REPORT_DATA_H

#include "base/array.h"
#include "io/json_writer.h"
#include "io/report_meshes.h"
#include "percuss/evidence.h"
#include "percuss/io.h"

// How much of a run may go into the page.
typedef struct pcs_report_budget {
    int64_t frame_bytes, frames;       // arrays of the drawn frames; their number
    int64_t signal_bytes;              // all signals
    int64_t points_most, points_least; // of one signal
    int64_t events;
} pcs_report_budget;

// For each of n runs in one page, which stays below 25 MB.
pcs_report_budget pcs_report_budget_of(int32_t n);

typedef struct pcs_report {
    pcs_context *ctx;
    pcs_result *result;
    pcs_json json;
    pcs_report_budget budget;
    PCS_ARRAY(char *) warnings;
    // Drawn frames: every `stride`-th, and the last one.
    int64_t stride, drawn;
    // Contacts in the page, in order, and the place of each contact among them (-1: left out).
    int32_t *contact, *contact_place;
    int32_t contacts;
    pcs_report_meshes meshes;
} pcs_report;

// The whole run; `name` is that of its file.
pcs_status pcs_report_put_run(pcs_report *report, const char *name) PCS_MUST_CHECK;

// Its parts. Frames come first: they choose the contacts.
pcs_status pcs_report_choose_frames(pcs_report *report) PCS_MUST_CHECK;
pcs_status pcs_report_put_frames(pcs_report *report) PCS_MUST_CHECK;
pcs_status pcs_report_put_meshes(pcs_report *report) PCS_MUST_CHECK;
pcs_status pcs_report_put_signals(pcs_report *report) PCS_MUST_CHECK;
pcs_status pcs_report_put_events(pcs_report *report) PCS_MUST_CHECK;
void pcs_report_put_drawings(pcs_report *report);
pcs_status pcs_report_put_evidence(pcs_report *report) PCS_MUST_CHECK;

// Drawn frames first, first + 1, ... of a quantity.
pcs_status pcs_report_read_drawn(pcs_report *report, const char *quantity, int64_t first,
                                 int64_t count, double *values) PCS_MUST_CHECK;
// Hands out all frames of a quantity, block by block; nothing if the file does not have it.
typedef void (*pcs_rows_fn)(void *user, const double *rows, int64_t count, int64_t width);
pcs_status pcs_report_each_row(pcs_report *report, const char *quantity, pcs_rows_fn function,
                               void *user) PCS_MUST_CHECK;
enum { PCS_REPORT_BLOCK_NUMBERS = 1 << 19 }; // numbers that are read at once

// Adds to the list of warnings, which is written last.
pcs_status pcs_report_warn(pcs_report *report, const char *format, ...) PCS_PRINTF(2, 3);
void pcs_report_free(pcs_report *report);

#endif

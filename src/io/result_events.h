// Events on their way from the simulation, which keeps the latest ones alone, to the result file.
#ifndef PCS_IO_RESULT_EVENTS_H
#define PCS_IO_RESULT_EVENTS_H

#include "io/hdf5_table.h"
#include "io/result_layout.h"

enum { PCS_EVENT_BATCH = 1024 }; // events that are gathered before they are written, and of a chunk

typedef struct pcs_event_store {
    hid_t dataset[PCS_EVENT_COLUMN_COUNT];
    hid_t kind_type; // enumeration of the kinds
    int64_t next;    // index of the event to take next
    int64_t stored;
    int64_t dropped, dropped_stored; // lost in all; as the file says
    int32_t gathered;
    double time[PCS_EVENT_BATCH], value[PCS_EVENT_BATCH], impulse[3][PCS_EVENT_BATCH];
    int32_t object[PCS_EVENT_BATCH];
    uint8_t kind[PCS_EVENT_BATCH];
} pcs_event_store;

// Marks everything as closed, so that free() may be called at any time.
void pcs_event_store_init(pcs_event_store *store);
// Creates the group and its datasets; events from now on are taken.
bool pcs_event_store_create(pcs_event_store *store, hid_t file, const pcs_simulation *simulation);
// Gathers what is new, and writes whenever a batch is full. Costs nothing where nothing is new.
bool pcs_event_store_take(pcs_event_store *store, const pcs_simulation *simulation);
// Writes what is gathered, and the number of lost events.
bool pcs_event_store_write(pcs_event_store *store, hid_t file);
void pcs_event_store_close(pcs_event_store *store);

#endif

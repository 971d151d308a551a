// Inside of an open result, for the files that read from it.
#ifndef PCS_IO_RESULT_FILE_H
#define PCS_IO_RESULT_FILE_H

#include "base/array.h"
#include "io/hdf5_driver.h"
#include "io/hdf5_table.h"
#include "io/result_drawings.h"
#include "io/result_layout.h"
#include "io/result_meshes.h"

typedef struct pcs_stored_signal {
    int32_t quantity, object, component;
} pcs_stored_signal;

// Texts of equal size, one behind the other.
typedef struct pcs_name_list {
    char *texts;
    size_t size;
} pcs_name_list;

struct pcs_result {
    pcs_context *ctx;
    pcs_hdf5_guard guard;
    pcs_hdf5_note note;
    char *path;
    hid_t driver, file;                // the driver is that of a file that was cut off
    hid_t dataset[PCS_QUANTITY_COUNT]; // negative: not in this file
    hid_t event[PCS_EVENT_COLUMN_COUNT];
    int32_t dimension;
    int32_t objects[PCS_OWNER_COUNT];
    pcs_name_list names[PCS_OWNER_COUNT];
    pcs_name_list coordinate_names, rate_names; // of joint j from PCS_JOINT_COORDINATES_MAX * j on
    int64_t frames, events, events_dropped;
    bool complete, has_summary;
    char *title, *command, *version, *model_text;
    char warning[256];
    pcs_statistics statistics;
    pcs_drawing_list drawings;
    pcs_mesh_list meshes;
    PCS_ARRAY(pcs_stored_signal) signals;
    unsigned char *checkpoint;
    size_t checkpoint_size;
};

// Errors with the path in front: of HDF5 or the system, and of the content.
pcs_status pcs_result_cannot(pcs_result *result, const char *what);
pcs_status pcs_result_damaged(pcs_result *result, const char *what);

// Lists the signals that the open datasets give.
pcs_status pcs_result_list_signals(pcs_result *result);
// For a path such as "mesh.beam.node.12.velocity.y", which is not in the list: the column that has
// it.
bool pcs_result_find_mesh_signal(const pcs_result *result, const char *path,
                                 pcs_stored_signal *found);
// Whether the nodes of a group turn.
bool pcs_result_group_turns(const pcs_result *result, int32_t group);
// Name of joint coordinate or rate, NULL if the joint has fewer or it is another quantity.
const char *pcs_result_joint_component(const pcs_result *result, int quantity, int32_t object,
                                       int32_t component);
// Name of object i; NULL beyond the last.
const char *pcs_result_object_name(const pcs_result *result, pcs_owner owner, int32_t i);

#endif

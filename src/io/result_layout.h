// Layout of result files (docs/result-file.md), in one place for the writer and the reader: every
// stored quantity with its dataset, shape, unit and signal name, and every statistic.
#ifndef PCS_IO_RESULT_LAYOUT_H
#define PCS_IO_RESULT_LAYOUT_H

#include "percuss/io.h"

// Counts up when a reader of the older layout would misunderstand the file. 1: contact impulses and
// forces of a frame were those of its last step alone, and impacts had no impulses.
enum { PCS_RESULT_FORMAT = 2 };

// Attributes of the root group.
#define PCS_RESULT_ATTRIBUTE_FORMAT "percuss_format"
#define PCS_RESULT_ATTRIBUTE_VERSION "percuss_version"
#define PCS_RESULT_ATTRIBUTE_TITLE "title"
#define PCS_RESULT_ATTRIBUTE_COMMAND "command"
#define PCS_RESULT_ATTRIBUTE_DIMENSION "dimension"
#define PCS_RESULT_ATTRIBUTE_COMPLETE "complete"
#define PCS_RESULT_ATTRIBUTE_HEADER "header_bytes" // everything but frames lies in as many bytes
// Attributes of the datasets.
#define PCS_RESULT_ATTRIBUTE_UNIT "unit"
#define PCS_RESULT_ATTRIBUTE_DESCRIPTION "description"
// What is stored once.
#define PCS_RESULT_MODEL "/model"
#define PCS_RESULT_SUMMARY "/summary"
#define PCS_RESULT_CHECKPOINT "/checkpoint"
#define PCS_RESULT_BODY_SHAPES "/body/shape"
#define PCS_RESULT_JOINT_KINDS "/joint/kinds"
#define PCS_RESULT_JOINT_COORDINATES "/joint/coordinate_names"
#define PCS_RESULT_JOINT_RATES "/joint/rate_names"
#define PCS_RESULT_DRAWING "/drawing"
#define PCS_RESULT_DRAWING_ITEMS "/drawing/items"
#define PCS_RESULT_DRAWING_NAMES "/drawing/names"
#define PCS_RESULT_DRAWING_VERTICES "/drawing/vertices"
// Meshes, if there are any: tables, and the lists that their rows point into.
#define PCS_RESULT_MESH "/mesh"
#define PCS_RESULT_MESH_ITEMS "/mesh/items"
#define PCS_RESULT_MESH_START "/mesh/start"
#define PCS_RESULT_MESH_PARTS "/mesh/parts"
#define PCS_RESULT_MESH_PART_NAMES "/mesh/part_names"
#define PCS_RESULT_MESH_ELEMENTS "/mesh/elements"
#define PCS_RESULT_MESH_RESULT_NAMES "/mesh/result_names"
#define PCS_RESULT_MESH_GROUPS "/mesh/groups"
#define PCS_RESULT_MESH_GROUP_NODES "/mesh/group_nodes"
#define PCS_RESULT_MESH_GROUP_FACES "/mesh/group_faces"
// Events, and the attribute of their group with the number of those that were lost.
#define PCS_RESULT_EVENT "/event"
#define PCS_RESULT_ATTRIBUTE_DROPPED "dropped"

// What the second index of a quantity counts. PCS_OWNER_NONE: one entry for each frame.
typedef enum pcs_owner {
    PCS_OWNER_NONE,
    PCS_OWNER_BODY,
    PCS_OWNER_JOINT,
    PCS_OWNER_CONTACT,
    PCS_OWNER_INPUT,
    PCS_OWNER_COORDINATE, // of Lagrangian systems
    PCS_OWNER_CONSTRAINT,
    PCS_OWNER_MESH,
    PCS_OWNER_EXTREME, // results of a mesh that differ by name
    PCS_OWNER_GROUP,   // of nodes
    PCS_OWNER_NODE,    // of all meshes, one after the other; without names
    PCS_OWNER_FRAME,   // nodes that turn; without names
    PCS_OWNER_RESULT,  // numbers of all elements; without names
    PCS_OWNER_COUNT
} pcs_owner;

typedef struct pcs_owner_row {
    const char *prefix; // of the signals: "body" in body.crank.position.x
    const char *group;
    const char *names; // dataset with the names; NULL: they have none
} pcs_owner_row;

extern const pcs_owner_row pcs_owner_table[PCS_OWNER_COUNT];

typedef enum pcs_quantity {
    PCS_QUANTITY_TIME,
    PCS_QUANTITY_BODY_POSITION,
    PCS_QUANTITY_BODY_ROTATION,
    PCS_QUANTITY_BODY_ANGLE,
    PCS_QUANTITY_BODY_VELOCITY,
    PCS_QUANTITY_BODY_ANGULAR_VELOCITY,
    PCS_QUANTITY_JOINT_COORDINATE,
    PCS_QUANTITY_JOINT_RATE,
    PCS_QUANTITY_JOINT_FORCE,
    PCS_QUANTITY_JOINT_TORQUE,
    PCS_QUANTITY_CONTACT_GAP,
    PCS_QUANTITY_CONTACT_IMPULSE,
    PCS_QUANTITY_CONTACT_FORCE,
    PCS_QUANTITY_CONTACT_LOAD,
    PCS_QUANTITY_CONTACT_FORCE_MAX,
    PCS_QUANTITY_CONTACT_VELOCITY,
    PCS_QUANTITY_CONTACT_STATE,
    PCS_QUANTITY_CONTACT_POINT,
    PCS_QUANTITY_CONTACT_NORMAL,
    PCS_QUANTITY_CONTACT_TANGENT1,
    PCS_QUANTITY_INPUT_VALUE,
    PCS_QUANTITY_SYSTEM_COORDINATE,
    PCS_QUANTITY_SYSTEM_RATE,
    PCS_QUANTITY_SYSTEM_ACCELERATION,
    PCS_QUANTITY_SYSTEM_FORCE,
    PCS_QUANTITY_MESH_KINETIC, // from here to the mark: gathered in io/result_mesh_frames.c
    PCS_QUANTITY_MESH_STRAIN,
    PCS_QUANTITY_EXTREME_MIN,
    PCS_QUANTITY_EXTREME_MAX,
    PCS_QUANTITY_GROUP_POSITION,
    PCS_QUANTITY_GROUP_VELOCITY,
    PCS_QUANTITY_GROUP_ANGLE,
    PCS_QUANTITY_GROUP_ANGULAR_VELOCITY,
    PCS_QUANTITY_NODE_POSITION,
    PCS_QUANTITY_NODE_VELOCITY,
    PCS_QUANTITY_FRAME_ROTATION,
    PCS_QUANTITY_FRAME_ANGLE,
    PCS_QUANTITY_FRAME_ANGULAR_VELOCITY,
    PCS_QUANTITY_RESULT_VALUE,
    PCS_QUANTITY_MESH_END,
    PCS_QUANTITY_ENERGY_KINETIC = PCS_QUANTITY_MESH_END,
    PCS_QUANTITY_ENERGY_POTENTIAL,
    PCS_QUANTITY_ENERGY_TOTAL,
    PCS_QUANTITY_ENERGY_APPLIED,
    PCS_QUANTITY_ENERGY_ACTUATOR,
    PCS_QUANTITY_ENERGY_DRIVER,
    PCS_QUANTITY_ENERGY_DAMPING,
    PCS_QUANTITY_ENERGY_FRICTION,
    PCS_QUANTITY_ENERGY_IMPACT,
    PCS_QUANTITY_ENERGY_NUMERICAL,
    PCS_QUANTITY_SOLVER_RESIDUAL,
    PCS_QUANTITY_COUNT
} pcs_quantity;

enum { PCS_QUANTITY_WIDTH_MAX = 4 };

typedef enum pcs_storage { PCS_STORED_DOUBLE, PCS_STORED_BYTE, PCS_STORED_SINGLE } pcs_storage;

typedef struct pcs_quantity_row {
    const char *dataset;
    pcs_owner owner;
    // Numbers for one object; 1 drops the last index of the dataset.
    int32_t width;
    int32_t dimension; // 0: in every model, 2 or 3: in planar or spatial ones alone
    pcs_storage storage;
    // Signal name: "energy.kinetic", or behind the object's name "position". NULL: not a signal, or
    // named by the joint's own coordinate names. "": the object itself is the signal.
    const char *signal;
    // Name of each number behind the signal name; NULL: the number has no signal. A quantity of
    // width 1 is a signal by itself.
    const char *component[PCS_QUANTITY_WIDTH_MAX];
    const char *unit;
    const char *description;
} pcs_quantity_row;

extern const pcs_quantity_row pcs_quantity_table[PCS_QUANTITY_COUNT];

// A planar model offers the signals of the plane alone (no position.z, no impulse.t2).
bool pcs_quantity_has_component(pcs_quantity quantity, int32_t component, int32_t dimension);

// Statistics: attributes of the summary group.
typedef enum pcs_number_type {
    PCS_NUMBER_REAL,
    PCS_NUMBER_INT32,
    PCS_NUMBER_INT64
} pcs_number_type;

typedef struct pcs_statistic_row {
    const char *name;
    pcs_number_type type;
    size_t offset; // in pcs_statistics
} pcs_statistic_row;

extern const pcs_statistic_row pcs_statistic_table[];
extern const int32_t pcs_statistic_count;

// Events: one dataset for each column.
typedef enum pcs_event_column {
    PCS_EVENT_COLUMN_TIME,
    PCS_EVENT_COLUMN_KIND,
    PCS_EVENT_COLUMN_OBJECT,
    PCS_EVENT_COLUMN_VALUE,
    PCS_EVENT_COLUMN_IMPULSE, // three of them; files of format 1 have none
    PCS_EVENT_COLUMN_COUNT = PCS_EVENT_COLUMN_IMPULSE + 3
} pcs_event_column;

typedef struct pcs_event_column_row {
    const char *dataset, *unit, *description;
} pcs_event_column_row;

extern const pcs_event_column_row pcs_event_column_table[PCS_EVENT_COLUMN_COUNT];

#endif

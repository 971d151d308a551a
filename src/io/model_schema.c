// What may stand in a model file. To add a key: one row here, and the reader of its section.
#include "io/model_schema.h"

#define NUMBER PCS_SCHEMA_NUMBER
#define TEXT PCS_SCHEMA_TEXT
#define FLAG PCS_SCHEMA_FLAG
#define LIST PCS_SCHEMA_LIST
#define MAP PCS_SCHEMA_MAP

// Rows: a number or formula; a list of numbers; a text; a map with keys of its own.
#define NUMBER_KEY(name)               \
    {                                  \
        .key = name, .accepts = NUMBER \
    }
#define NUMBERS_KEY(name)                             \
    {                                                 \
        .key = name, .accepts = LIST, .items = NUMBER \
    }
#define TEXT_KEY(name)               \
    {                                \
        .key = name, .accepts = TEXT \
    }
#define MAP_KEY(name, schema)                            \
    {                                                    \
        .key = name, .accepts = MAP, .inside = &(schema) \
    }
#define SCHEMA(text, table)                                                                   \
    {                                                                                         \
        .what = text, .fields = table, .n_fields = (int32_t)(sizeof(table) / sizeof *(table)) \
    }

// ---- Rotations and frames ----

static const pcs_schema_field rotation_fields[] = {
    {.key = "axis", .accepts = LIST, .items = NUMBER, .required = true},
    {.key = "angle", .accepts = NUMBER, .required = true},
};
static const pcs_schema rotation_schema = SCHEMA("a rotation", rotation_fields);

// A map, four numbers or a list of maps.
#define ROTATION_KEY(name)                                                                    \
    {                                                                                         \
        .key = name, .accepts = MAP | LIST, .items = NUMBER | MAP, .inside = &rotation_schema \
    }

static const pcs_schema_field frame_fields[] = {
    NUMBERS_KEY("at"),        NUMBERS_KEY("axis"),      NUMBERS_KEY("normal"),
    NUMBERS_KEY("reference"), ROTATION_KEY("rotation"), NUMBER_KEY("angle"),
};
static const pcs_schema frame_schema = SCHEMA("a frame", frame_fields);

#define FRAME_KEY(name)                                                              \
    {                                                                                \
        .key = name, .accepts = MAP | LIST, .items = NUMBER, .inside = &frame_schema \
    }
// One point, or two points (a list of lists) in the world.
#define POINTS_KEY(name)                                     \
    {                                                        \
        .key = name, .accepts = LIST, .items = NUMBER | LIST \
    }
#define BODIES_KEY                                      \
    {                                                   \
        .key = "bodies", .accepts = LIST, .items = TEXT \
    }

// ---- Bodies ----

static const pcs_schema_field round_fields[] = {
    {.key = "radius", .accepts = NUMBER, .required = true},
    {.key = "length", .accepts = NUMBER, .required = true},
};
static const pcs_schema cylinder_schema = SCHEMA("a cylinder", round_fields);
static const pcs_schema capsule_schema = SCHEMA("a capsule", round_fields);

static const pcs_schema_field rod_fields[] = {
    {.key = "length", .accepts = NUMBER, .required = true},
};
static const pcs_schema rod_schema = SCHEMA("a rod", rod_fields);

static const pcs_schema_field shape_fields[] = {
    NUMBERS_KEY("box"),
    NUMBER_KEY("sphere"),
    MAP_KEY("cylinder", cylinder_schema),
    MAP_KEY("capsule", capsule_schema),
    MAP_KEY("rod", rod_schema),
    NUMBER_KEY("density"),
    NUMBER_KEY("mass"),
    NUMBERS_KEY("at"),
    NUMBERS_KEY("axis"),
    ROTATION_KEY("rotation"),
    NUMBER_KEY("angle"),
};
static const pcs_schema shape_schema = SCHEMA("a shape", shape_fields);

static const pcs_schema_field body_fields[] = {
    NUMBER_KEY("mass"),
    {.key = "inertia", .accepts = NUMBER | LIST, .items = NUMBER | LIST},
    ROTATION_KEY("inertia_rotation"),
    NUMBERS_KEY("center"),
    NUMBERS_KEY("position"),
    NUMBER_KEY("angle"),
    ROTATION_KEY("rotation"),
    NUMBERS_KEY("velocity"),
    {.key = "angular_velocity", .accepts = NUMBER | LIST, .items = NUMBER},
    {.key = "shapes", .accepts = LIST, .items = MAP, .inside = &shape_schema},
    MAP_KEY("shape", shape_schema),
    {.key = "point", .accepts = FLAG},
};
static const pcs_schema body_schema = SCHEMA("a body", body_fields);

// ---- Joints ----

static const pcs_schema_field joint_spring_fields[] = {
    NUMBER_KEY("stiffness"),
    NUMBER_KEY("damping"),
    NUMBER_KEY("rest"),
};
static const pcs_schema joint_spring_schema = SCHEMA("the spring of a joint", joint_spring_fields);

static const pcs_schema_field limits_fields[] = {
    NUMBER_KEY("lower"),
    NUMBER_KEY("upper"),
    NUMBER_KEY("restitution"),
};
static const pcs_schema limits_schema = SCHEMA("the limits of a joint", limits_fields);

#define DRIVE_KEYS                                                                        \
    MAP_KEY("spring", joint_spring_schema), NUMBER_KEY("actuator"), NUMBER_KEY("motion"), \
        MAP_KEY("limits", limits_schema)

static const pcs_schema_field coordinate_fields[] = {DRIVE_KEYS};
static const pcs_schema coordinate_schema = SCHEMA("a joint coordinate", coordinate_fields);

static const pcs_schema_field joint_fields[] = {
    {.key = "type", .accepts = TEXT, .required = true},
    BODIES_KEY,
    POINTS_KEY("at"),
    NUMBERS_KEY("axis"),
    NUMBERS_KEY("axis2"),
    NUMBERS_KEY("reference"),
    FRAME_KEY("a"),
    FRAME_KEY("b"),
    NUMBER_KEY("pitch"),
    NUMBER_KEY("length"),
    DRIVE_KEYS,
    {.key = "coordinates",
     .accepts = MAP | LIST,
     .items = MAP | TEXT,
     .keys = PCS_SCHEMA_NAMES,
     .inside = &coordinate_schema},
    {.key = "joints", .accepts = LIST, .items = TEXT},
    NUMBER_KEY("ratio"),
};
static const pcs_schema joint_schema = SCHEMA("a joint", joint_fields);

// ---- Springs and forces ----

static const pcs_schema_field spring_fields[] = {
    {.key = "type", .accepts = TEXT, .required = true},
    BODIES_KEY,
    POINTS_KEY("at"),
    NUMBERS_KEY("axis"),
    NUMBERS_KEY("reference"),
    FRAME_KEY("a"),
    FRAME_KEY("b"),
    {.key = "stiffness", .accepts = NUMBER | LIST, .items = NUMBER},
    {.key = "damping", .accepts = NUMBER | LIST, .items = NUMBER},
    NUMBER_KEY("rest"),
};
static const pcs_schema spring_schema = SCHEMA("a spring", spring_fields);

static const pcs_schema_field force_fields[] = {
    {.key = "body", .accepts = TEXT, .required = true},
    NUMBERS_KEY("at"),
    NUMBERS_KEY("force"),
    {.key = "torque", .accepts = NUMBER | LIST, .items = NUMBER},
    TEXT_KEY("frame"),
};
static const pcs_schema force_schema = SCHEMA("a force", force_fields);

// ---- Contacts ----

#define LAW_KEYS \
    NUMBER_KEY("friction"), NUMBER_KEY("restitution"), NUMBER_KEY("tangential_restitution")

static const pcs_schema_field law_fields[] = {LAW_KEYS};
static const pcs_schema law_schema = SCHEMA("a contact law", law_fields);

static const pcs_schema_field contact_fields[] = {
    {.key = "type", .accepts = TEXT, .required = true},
    BODIES_KEY,
    NUMBERS_KEY("at"),
    NUMBERS_KEY("normal"),
    NUMBERS_KEY("axis"),
    NUMBERS_KEY("reference"),
    FRAME_KEY("a"),
    FRAME_KEY("b"),
    NUMBER_KEY("radius"),
    NUMBERS_KEY("radii"),
    NUMBERS_KEY("size"),
    NUMBER_KEY("length"),
    NUMBER_KEY("width"),
    {.key = "vertices", .accepts = LIST, .items = LIST},
    {.key = "closed", .accepts = FLAG},
    {.key = "extent", .accepts = NUMBER | LIST, .items = NUMBER},
    TEXT_KEY("law"),
    LAW_KEYS,
    {.key = "surface_speed", .accepts = NUMBER | LIST, .items = NUMBER},
};
static const pcs_schema contact_schema = SCHEMA("a contact", contact_fields);

// ---- Simulation and output ----

static const pcs_schema_field simulation_fields[] = {
    TEXT_KEY("scheme"),
    NUMBER_KEY("start"),
    NUMBER_KEY("end"),
    NUMBER_KEY("step"),
};
// The options of the scheme are further keys.
static const pcs_schema simulation_schema = {
    .what = "'simulation'", .fields = simulation_fields, .n_fields = 4, .open = true};

static const pcs_schema_field output_fields[] = {
    NUMBER_KEY("step"),
    {.key = "signals", .accepts = LIST | PCS_SCHEMA_NULL, .items = TEXT},
};
static const pcs_schema output_schema = SCHEMA("'output'", output_fields);

// ---- The file ----

// A map of named things; it may be empty.
#define SECTION_KEY(name, schema)                                                              \
    {                                                                                          \
        .key = name, .accepts = MAP | PCS_SCHEMA_NULL, .keys = PCS_SCHEMA_NAMES, .items = MAP, \
        .inside = &(schema)                                                                    \
    }

static const pcs_schema_field model_fields[] = {
    TEXT_KEY("title"),
    {.key = "parameters",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .keys = PCS_SCHEMA_NAMES,
     .items = NUMBER},
    {.key = "inputs", .accepts = MAP | PCS_SCHEMA_NULL, .keys = PCS_SCHEMA_NAMES, .items = NUMBER},
    {.key = "include", .accepts = TEXT | LIST, .items = TEXT},
    {.key = "dimension", .accepts = NUMBER, .required = true},
    NUMBERS_KEY("gravity"),
    {.key = "bodies",
     .accepts = MAP,
     .keys = PCS_SCHEMA_NAMES,
     .items = MAP,
     .inside = &body_schema,
     .required = true},
    SECTION_KEY("joints", joint_schema),
    SECTION_KEY("springs", spring_schema),
    SECTION_KEY("forces", force_schema),
    SECTION_KEY("laws", law_schema),
    SECTION_KEY("contacts", contact_schema),
    {.key = "simulation", .accepts = MAP | PCS_SCHEMA_NULL, .inside = &simulation_schema},
    {.key = "output", .accepts = MAP | PCS_SCHEMA_NULL, .inside = &output_schema},
};
const pcs_schema pcs_model_schema = SCHEMA("a model file", model_fields);

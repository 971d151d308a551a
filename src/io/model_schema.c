// What may stand in a model file. To add a key: one row here, and the reader of its section.
#include "io/model_schema.h"

#define NUMBER PCS_SCHEMA_NUMBER
#define TEXT PCS_SCHEMA_TEXT
#define FLAG PCS_SCHEMA_FLAG
#define LIST PCS_SCHEMA_LIST
#define MAP PCS_SCHEMA_MAP

// Rows, each with its line of the reference: a number or formula; a list of numbers; a text; a map
// with keys of its own.
#define NUMBER_KEY(name, text)                       \
    {                                                \
        .key = name, .accepts = NUMBER, .help = text \
    }
#define NUMBERS_KEY(name, text)                                     \
    {                                                               \
        .key = name, .accepts = LIST, .items = NUMBER, .help = text \
    }
#define TEXT_KEY(name, text)                       \
    {                                              \
        .key = name, .accepts = TEXT, .help = text \
    }
#define MAP_KEY(name, schema, text)                                    \
    {                                                                  \
        .key = name, .accepts = MAP, .inside = &(schema), .help = text \
    }
#define SCHEMA(text, table)                                                                   \
    {                                                                                         \
        .what = text, .fields = table, .n_fields = (int32_t)(sizeof(table) / sizeof *(table)) \
    }

// ---- Rotations and frames ----

static const pcs_schema_field rotation_fields[] = {
    {.key = "axis",
     .accepts = LIST,
     .items = NUMBER,
     .required = true,
     .help = "direction of the axis, any length; axes of the surrounding frame"},
    {.key = "angle", .accepts = NUMBER, .required = true, .help = "rad, by the right-hand rule"},
};
static const pcs_schema rotation_schema = SCHEMA("a rotation", rotation_fields);

// A map, four numbers or a list of maps.
#define ROTATION_KEY(name, text)                                                               \
    {                                                                                          \
        .key = name, .accepts = MAP | LIST, .items = NUMBER | MAP, .inside = &rotation_schema, \
        .help = text                                                                           \
    }

static const pcs_schema_field frame_fields[] = {
    NUMBERS_KEY("at", "origin in the coordinates of the body"),
    NUMBERS_KEY("axis", "direction of the z axis; in the plane of the x axis"),
    NUMBERS_KEY("normal", "direction of the z axis; in the plane of the y axis"),
    NUMBERS_KEY("reference", "direction near which the x axis is laid (space)"),
    ROTATION_KEY("rotation", "orientation (space)"),
    NUMBER_KEY("angle", "orientation, rad (plane)"),
};
static const pcs_schema frame_schema = SCHEMA("a frame", frame_fields);

#define FRAME_KEY(name, text)                                                                      \
    {                                                                                              \
        .key = name, .accepts = MAP | LIST, .items = NUMBER, .inside = &frame_schema, .help = text \
    }
// One point, or two points (a list of lists) in the world.
#define POINTS_KEY(name, text)                                             \
    {                                                                      \
        .key = name, .accepts = LIST, .items = NUMBER | LIST, .help = text \
    }
#define BODIES_KEY                                                            \
    {                                                                         \
        .key = "bodies", .accepts = LIST, .items = TEXT,                      \
        .help = "names of the two bodies, a and b; ground is the fixed world" \
    }

// ---- Bodies ----

static const pcs_schema_field round_fields[] = {
    {.key = "radius", .accepts = NUMBER, .required = true, .help = "m"},
    {.key = "length",
     .accepts = NUMBER,
     .required = true,
     .help = "m, along z; of a capsule between the two centres"},
};
static const pcs_schema cylinder_schema = SCHEMA("a cylinder", round_fields);
static const pcs_schema capsule_schema = SCHEMA("a capsule", round_fields);

static const pcs_schema_field rod_fields[] = {
    {.key = "length", .accepts = NUMBER, .required = true, .help = "m"},
};
static const pcs_schema rod_schema = SCHEMA("a rod", rod_fields);

static const pcs_schema_field shape_fields[] = {
    NUMBERS_KEY("box", "edge lengths, m"),
    NUMBER_KEY("sphere", "radius, m"),
    MAP_KEY("cylinder", cylinder_schema, "round, with flat ends"),
    MAP_KEY("capsule", capsule_schema, "round, with half spheres at the ends"),
    MAP_KEY("rod", rod_schema, "thin"),
    NUMBER_KEY("density", "kg/m^3; of a rod kg/m"),
    NUMBER_KEY("mass", "kg, in place of the density"),
    NUMBERS_KEY("at", "centre in the body frame; its origin if left out"),
    NUMBERS_KEY("axis", "direction of the shape's z axis"),
    ROTATION_KEY("rotation", "orientation in the body frame"),
    NUMBER_KEY("angle", "orientation in the body frame, rad (plane)"),
};
static const pcs_schema shape_schema = SCHEMA("a shape", shape_fields);

static const pcs_schema_field body_fields[] = {
    NUMBER_KEY("mass", "kg, > 0; from the shapes if left out"),
    {.key = "inertia",
     .accepts = NUMBER | LIST,
     .items = NUMBER | LIST,
     .help = "about the centre of mass, kg m^2: one number, three (diagonal) or a symmetric "
             "matrix; from the shapes if left out"},
    ROTATION_KEY("inertia_rotation", "axes of the inertia in the body frame (space)"),
    NUMBERS_KEY("center", "centre of mass in the body frame; its origin if left out"),
    NUMBERS_KEY("position", "origin of the body frame in the world; the origin if left out"),
    NUMBER_KEY("angle", "orientation, rad (plane); 0 if left out"),
    ROTATION_KEY("rotation", "orientation (space); not turned if left out"),
    NUMBERS_KEY("velocity", "of the origin of the body frame, m/s; at rest if left out"),
    {.key = "angular_velocity",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "rad/s: a number (plane) or a vector in world axes (space); at rest if left out"},
    {.key = "shapes",
     .accepts = LIST,
     .items = MAP,
     .inside = &shape_schema,
     .help = "several shapes, fixed to the body"},
    MAP_KEY("shape", shape_schema, "one shape, fixed to the body"),
    {.key = "point",
     .accepts = FLAG,
     .help = "true: a point mass without rotation and inertia; false if left out"},
};
static const pcs_schema body_schema = SCHEMA("a body", body_fields);

// ---- Joints ----

static const pcs_schema_field joint_spring_fields[] = {
    NUMBER_KEY("stiffness", "N/m or N m/rad; 0 if left out"),
    NUMBER_KEY("damping", "N s/m or N m s/rad; 0 if left out"),
    NUMBER_KEY("rest", "coordinate without force, m or rad; 0 if left out"),
};
static const pcs_schema joint_spring_schema = SCHEMA("the spring of a joint", joint_spring_fields);

static const pcs_schema_field limits_fields[] = {
    NUMBER_KEY("lower", "smallest value of the coordinate; none if left out"),
    NUMBER_KEY("upper", "largest value of the coordinate; none if left out"),
    NUMBER_KEY("restitution", "of the impact at a stop, in [0, 1]; 0 if left out"),
};
static const pcs_schema limits_schema = SCHEMA("the limits of a joint", limits_fields);

#define DRIVE_KEYS                                                                             \
    MAP_KEY("spring", joint_spring_schema, "spring and damper on the coordinate"),             \
        NUMBER_KEY("actuator", "force or torque on the coordinate; formula of t and signals"), \
        NUMBER_KEY("motion", "prescribes the coordinate; formula of t"),                       \
        MAP_KEY("limits", limits_schema, "stops of the coordinate")

static const pcs_schema_field coordinate_fields[] = {DRIVE_KEYS};
static const pcs_schema coordinate_schema = SCHEMA("a joint coordinate", coordinate_fields);

static const pcs_schema_field curve_fields[] = {
    {.key = "type",
     .accepts = TEXT,
     .required = true,
     .help = "of the piece: line, arc, parabola or spline"},
    NUMBERS_KEY("from",
                "first point [x, y] of a line or arc; the end of the piece before if left out"),
    NUMBERS_KEY("to", "last point of a line or arc"),
    NUMBERS_KEY("through", "a point of an arc between its ends"),
    NUMBERS_KEY("coefficients", "c0, c1, c2 of a parabola y = c0 + c1 x + c2 x^2"),
    NUMBERS_KEY("x", "first and last x of a parabola"),
    {.key = "points",
     .accepts = LIST,
     .items = LIST,
     .help = "points [x, y] of a spline, its ends among them"},
    NUMBERS_KEY("start_direction", "of travel at the first point of a spline; not curved there if "
                                   "left out"),
    NUMBERS_KEY("end_direction", "the same at the last point"),
};
static const pcs_schema curve_schema = SCHEMA("a piece of a curve", curve_fields);

#define CURVE_KEY                                                                        \
    {                                                                                    \
        .key = "curve", .accepts = LIST, .items = MAP, .inside = &curve_schema,          \
        .help = "pieces of the curve in frame a, in order; the free side is on the left" \
    }

static const pcs_schema_field joint_fields[] = {
    {.key = "type", .accepts = TEXT, .required = true, .help = "kind of joint, gear or rack"},
    BODIES_KEY,
    POINTS_KEY("at", "place in the world, initial configuration; the origin if left out; of a "
                     "distance joint two points"),
    NUMBERS_KEY("axis", "direction of the z axis of the frames in the world (plane: x axis)"),
    NUMBERS_KEY("axis2", "second axis of a universal joint"),
    NUMBERS_KEY("reference", "direction near which the x axis is laid"),
    FRAME_KEY("a", "frame on the first body, in its coordinates"),
    FRAME_KEY("b", "frame on the second body, in its coordinates"),
    NUMBER_KEY("pitch", "of a screw, m a turn"),
    NUMBER_KEY("length", "of a distance joint, m; the initial distance if left out"),
    CURVE_KEY,
    {.key = "closed",
     .accepts = FLAG,
     .help = "true: the last piece of the curve joins the first; false if left out"},
    DRIVE_KEYS,
    {.key = "coordinates",
     .accepts = MAP | LIST,
     .items = MAP | TEXT,
     .keys = PCS_SCHEMA_NAMES,
     .inside = &coordinate_schema,
     .help = "what acts on each coordinate, by its name; of gears and racks the two names"},
    {.key = "joints",
     .accepts = LIST,
     .items = TEXT,
     .help = "names of the two joints of a gear or rack"},
    NUMBER_KEY("ratio", "of a gear or rack: x1 + ratio x2 stays constant"),
};
static const pcs_schema joint_schema = SCHEMA("a joint", joint_fields);

// ---- Springs and forces ----

static const pcs_schema_field spring_fields[] = {
    {.key = "type", .accepts = TEXT, .required = true, .help = "point, torsion or bushing"},
    BODIES_KEY,
    POINTS_KEY("at", "place in the world, initial configuration; of a point spring two points"),
    NUMBERS_KEY("axis", "direction of the z axis of the frames (space)"),
    NUMBERS_KEY("reference", "direction near which the x axis is laid"),
    FRAME_KEY("a", "frame or point on the first body"),
    FRAME_KEY("b", "frame or point on the second body"),
    {.key = "stiffness",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "N/m or N m/rad; of a bushing a list"},
    {.key = "damping",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "N s/m or N m s/rad; of a bushing a list; 0 if left out"},
    NUMBER_KEY("rest",
               "free length, m (the initial length if left out) or angle, rad (0 if left out)"),
};
static const pcs_schema spring_schema = SCHEMA("a spring", spring_fields);

static const pcs_schema_field force_fields[] = {
    {.key = "body", .accepts = TEXT, .required = true, .help = "name of the body"},
    NUMBERS_KEY("at", "point of application in the body frame; its origin if left out"),
    NUMBERS_KEY("force", "components, N; formulas of t and signals"),
    {.key = "torque",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "N m: a number (plane) or three (space); formulas of t and signals"},
    TEXT_KEY("frame", "axes of the components: world (if left out) or body"),
};
static const pcs_schema force_schema = SCHEMA("a force", force_fields);

// ---- Contacts ----

#define LAW_KEYS                                                        \
    NUMBER_KEY("friction", "Coulomb coefficient, >= 0; 0 if left out"), \
        NUMBER_KEY("restitution", "normal, in [0, 1]; 0 if left out"),  \
        NUMBER_KEY("tangential_restitution", "in [0, 1]; 0 if left out")

static const pcs_schema_field law_fields[] = {LAW_KEYS};
static const pcs_schema law_schema = SCHEMA("a contact law", law_fields);

static const pcs_schema_field contact_fields[] = {
    {.key = "type", .accepts = TEXT, .required = true, .help = "kind of contact"},
    BODIES_KEY,
    NUMBERS_KEY("at", "origin of frame a in the world, initial configuration"),
    NUMBERS_KEY("normal", "of the plane of a, to the free side"),
    NUMBERS_KEY("axis", "of a hole or guide"),
    NUMBERS_KEY("reference", "direction near which the x axis of frame a is laid"),
    FRAME_KEY("a", "frame on the first body, in its coordinates"),
    FRAME_KEY("b", "frame or point on the second body, in its coordinates"),
    NUMBER_KEY("radius", "of the sphere, circle or cylinder of b, m"),
    NUMBERS_KEY("radii", "of a and of b, m"),
    NUMBERS_KEY("size", "edge lengths of the box or slider, m"),
    NUMBER_KEY("length", "of the cylinder, m"),
    NUMBER_KEY("width", "of the guide, wall to wall, m"),
    {.key = "vertices",
     .accepts = LIST,
     .items = LIST,
     .help = "points [x, y] of the polyline in frame a; the free side is on the left"},
    CURVE_KEY,
    {.key = "closed",
     .accepts = FLAG,
     .help = "true: the last vertex or piece joins the first; false if left out"},
    {.key = "extent",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "half lengths of the plane along the axes of frame a, m; unbounded if left out"},
    TEXT_KEY("law", "name of a law, in place of the numbers"),
    LAW_KEYS,
    {.key = "surface_speed",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "velocity of a's surface along x and y of frame a, m/s; formulas of t"},
};
static const pcs_schema contact_schema = SCHEMA("a contact", contact_fields);

// ---- Lagrangian systems ----

static const pcs_schema_field system_coordinate_fields[] = {
    NUMBER_KEY("initial", "value at the start; 0 if left out"),
    NUMBER_KEY("rate", "rate at the start; 0 if left out"),
};
static const pcs_schema system_coordinate_schema = SCHEMA("a coordinate", system_coordinate_fields);

static const pcs_schema_field gap_fields[] = {
    {.key = "gap",
     .accepts = NUMBER,
     .required = true,
     .help = "formula that stays >= 0: of the coordinates, t and positions of bodies and joints"},
    {.key = "tangential",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help =
         "displacement along the surface, needed for friction: a formula (plane) or two (space)"},
    TEXT_KEY("law", "name of a law, in place of the numbers"),
    LAW_KEYS,
};
static const pcs_schema gap_schema = SCHEMA("a contact of a system", gap_fields);

static const pcs_schema_field system_fields[] = {
    {.key = "coordinates",
     .accepts = MAP,
     .keys = PCS_SCHEMA_NAMES,
     .items = NUMBER | MAP | PCS_SCHEMA_NULL,
     .inside = &system_coordinate_schema,
     .required = true,
     .help = "generalised coordinates by name: the initial value, or a map"},
    NUMBER_KEY("kinetic", "kinetic energy, J; formula of the coordinates x, their rates x.rate, t"),
    {.key = "mass",
     .accepts = LIST,
     .items = LIST,
     .help = "mass matrix by rows, formulas of the coordinates and t; in place of 'kinetic'"},
    {.key = "force",
     .accepts = LIST,
     .items = NUMBER,
     .help =
         "right-hand side for 'mass', one formula for each coordinate, gyroscopic terms and all"},
    NUMBER_KEY("potential", "potential energy, J; formula of the coordinates and t; 0 if left out"),
    NUMBER_KEY("dissipation",
               "dissipation function, W: forces -d/d(x.rate); formula of x, x.rate, t; 0 if left "
               "out"),
    {.key = "forces",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .keys = PCS_SCHEMA_NAMES,
     .items = NUMBER,
     .help = "generalised forces by coordinate; formulas of x, x.rate, t, inputs and signals"},
    {.key = "constraints",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .keys = PCS_SCHEMA_NAMES,
     .items = NUMBER,
     .help = "formulas that stay 0, by name: of x, t and positions of bodies and joints"},
    {.key = "contacts",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .keys = PCS_SCHEMA_NAMES,
     .items = MAP,
     .inside = &gap_schema,
     .help = "gaps with their laws, by name"},
    {.key = "points",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .keys = PCS_SCHEMA_NAMES,
     .items = LIST,
     .help = "places for pictures, by name: formulas [x, y] or [x, y, z] of the coordinates and t"},
    {.key = "lines",
     .accepts = LIST | PCS_SCHEMA_NULL,
     .items = LIST,
     .help = "pairs of points that pictures join: [A, B]"},
};
static const pcs_schema system_schema = SCHEMA("a system", system_fields);

// ---- Simulation and output ----

static const pcs_schema_field simulation_fields[] = {
    TEXT_KEY(
        "scheme",
        "time integration; moreau-jean if left out; the options of the scheme are further keys"),
    NUMBER_KEY("start", "time at the start, s; 0 if left out"),
    NUMBER_KEY("end", "time at the end, s; 1 if left out"),
    NUMBER_KEY("step", "time step, s; 1e-3 if left out"),
    {.key = "events",
     .accepts = LIST,
     .items = NUMBER,
     .help = "times at which forces jump, s; schemes that locate events end a step there"},
};
// The options of the scheme are further keys.
static const pcs_schema simulation_schema = {
    .what = "'simulation'", .fields = simulation_fields, .n_fields = 5, .open = true};

static const pcs_schema_field output_fields[] = {
    NUMBER_KEY("step", "time between stored frames, s; 0 (every step) if left out"),
    {.key = "signals",
     .accepts = LIST | PCS_SCHEMA_NULL,
     .items = TEXT,
     .help = "paths of the signals for CSV output"},
};
static const pcs_schema output_schema = SCHEMA("'output'", output_fields);

// ---- The file ----

// A map of named things; it may be empty.
#define SECTION_KEY(name, schema, text)                                                        \
    {                                                                                          \
        .key = name, .accepts = MAP | PCS_SCHEMA_NULL, .keys = PCS_SCHEMA_NAMES, .items = MAP, \
        .inside = &(schema), .help = text                                                      \
    }

static const pcs_schema_field model_fields[] = {
    TEXT_KEY("title", "a text for reports"),
    {.key = "parameters",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .keys = PCS_SCHEMA_NAMES,
     .items = NUMBER,
     .help = "names for numbers, for use in formulas"},
    {.key = "inputs",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .keys = PCS_SCHEMA_NAMES,
     .items = NUMBER,
     .help = "numbers that a program sets between steps, with their initial values"},
    {.key = "include",
     .accepts = TEXT | LIST,
     .items = TEXT,
     .help = "other files that belong to the model"},
    {.key = "dimension",
     .accepts = NUMBER,
     .required = true,
     .help = "2: motion in the x-y plane; 3: in space"},
    NUMBERS_KEY("gravity", "acceleration, m/s^2; none if left out"),
    {.key = "bodies",
     .accepts = MAP,
     .keys = PCS_SCHEMA_NAMES,
     .items = MAP,
     .inside = &body_schema,
     .help = "bodies by name"},
    SECTION_KEY("joints", joint_schema, "joints, gears and racks by name"),
    SECTION_KEY("springs", spring_schema, "springs and dampers between bodies, by name"),
    SECTION_KEY("forces", force_schema, "forces and torques on bodies, by name"),
    SECTION_KEY("systems", system_schema, "Lagrangian systems: coordinates with formulas, by name"),
    SECTION_KEY("laws", law_schema, "friction and restitution by name"),
    SECTION_KEY("contacts", contact_schema, "pairs that may touch, by name"),
    {.key = "simulation",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .inside = &simulation_schema,
     .help = "scheme, times and options"},
    {.key = "output",
     .accepts = MAP | PCS_SCHEMA_NULL,
     .inside = &output_schema,
     .help = "what is stored"},
};
const pcs_schema pcs_model_schema = SCHEMA("a model file", model_fields);

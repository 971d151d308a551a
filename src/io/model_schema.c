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

// A node of a mesh, where a body may stand.
#define NODE_KEYS                                                                               \
    TEXT_KEY("mesh", "name of the mesh"), TEXT_KEY("group", "group of the mesh with one node"), \
        NUMBER_KEY("node", "number of a node of the mesh, from 0"),                             \
        NUMBER_KEY("tag", "number of the node in the file of the mesh")

static const pcs_schema_field holder_fields[] = {NODE_KEYS};
static const pcs_schema holder_schema = SCHEMA("a node of a mesh", holder_fields);

#define BODIES_KEY                                                                                \
    {                                                                                             \
        .key = "bodies", .accepts = LIST, .items = TEXT | MAP, .inside = &holder_schema,          \
        .help = "the two bodies, a and b: names (ground is the fixed world) or nodes of meshes, " \
                "{mesh: M, group: G}"                                                             \
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

// ---- Meshes ----

static const pcs_schema_field material_fields[] = {
    {.key = "young", .accepts = NUMBER, .required = true, .help = "Young's modulus, Pa"},
    NUMBER_KEY("poisson", "Poisson's ratio; 0.3 if left out"),
    {.key = "density", .accepts = NUMBER, .required = true, .help = "kg/m^3"},
    TEXT_KEY("law", "of solids: st-venant (if left out) or neo-hookean"),
    NUMBER_KEY("damping", "s: stress grows by damping times the strain rate; 0 if left out"),
};
static const pcs_schema material_schema = SCHEMA("a material", material_fields);

#define MATERIAL_KEY                                                          \
    {                                                                         \
        .key = "material", .accepts = TEXT | MAP, .inside = &material_schema, \
        .help = "name of a material, or a map with its numbers"               \
    }

static const pcs_schema_field section_fields[] = {
    NUMBERS_KEY("rectangle", "edge lengths along the local y and z, m; in the plane y is the one "
                             "in the plane"),
    NUMBER_KEY("circle", "diameter, m"),
    NUMBERS_KEY("tube", "outer and inner diameter, m"),
    NUMBER_KEY("area", "m^2, in place of a shape"),
    {.key = "inertia",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "second moments of area about the local y and z, m^4; one number for both"},
    NUMBER_KEY("torsion", "torsion constant, m^4 (space)"),
    {.key = "shear_area",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "for shear along the local y and z, m^2; one number for both; 5/6 of the area if "
             "left out"},
    NUMBERS_KEY("y", "direction near which the local y axis is laid, in the mesh frame (space)"),
};
static const pcs_schema section_schema = SCHEMA("a section", section_fields);

static const pcs_schema_field block_fields[] = {
    {.key = "size",
     .accepts = LIST,
     .items = NUMBER,
     .required = true,
     .help = "edge lengths, m; the centre is at the origin of the mesh frame"},
    {.key = "divisions",
     .accepts = LIST,
     .items = NUMBER,
     .required = true,
     .help = "numbers of bricks along x, y and z"},
    TEXT_KEY("element",
             "hexahedron (if left out), plain-hexahedron, or tetrahedron, six in each brick"),
};
static const pcs_schema block_schema = SCHEMA("a block", block_fields);

static const pcs_schema_field line_fields[] = {
    NUMBERS_KEY("from", "first point in the mesh frame"),
    NUMBERS_KEY("to", "last point"),
    NUMBERS_KEY("through", "a point between them: the line is an arc"),
    {.key = "points",
     .accepts = LIST,
     .items = LIST,
     .help = "points of a line with corners, in place of 'from' and 'to'"},
    {.key = "closed",
     .accepts = FLAG,
     .help = "true: the last of the points is joined to the first; false if left out"},
    {.key = "divisions",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .required = true,
     .help = "number of elements; between points a number for all segments or one for each"},
    TEXT_KEY("element", "kind of element; beam if left out"),
};
static const pcs_schema line_schema = SCHEMA("a line", line_fields);

static const pcs_schema_field part_fields[] = {
    MATERIAL_KEY,
    MAP_KEY("section", section_schema, "of bars and beams"),
    TEXT_KEY("element", "kind of element"),
};
static const pcs_schema part_schema = SCHEMA("a part", part_fields);

static const pcs_schema_field group_fields[] = {
    NUMBERS_KEY("nearest", "the node nearest to this point of the mesh frame"),
    {.key = "box",
     .accepts = LIST,
     .items = LIST,
     .help = "nodes, and faces of the surface, between two corners in the mesh frame"},
    NUMBERS_KEY("nodes", "numbers of nodes, from 0"),
    NUMBERS_KEY("tags", "numbers of nodes in the file of the mesh"),
};
static const pcs_schema group_schema = SCHEMA("a group", group_fields);

static const pcs_schema_field fixation_fields[] = {
    {.key = "group", .accepts = TEXT, .required = true, .help = "of the mesh"},
    {.key = "components",
     .accepts = LIST,
     .items = TEXT,
     .help = "which of x, y, z, rx, ry, rz (world); all if left out"},
};
static const pcs_schema fixation_schema = SCHEMA("a fixation", fixation_fields);

static const pcs_schema_field link_fields[] = {
    {.key = "group", .accepts = TEXT, .required = true, .help = "of the mesh"},
    {.key = "body", .accepts = TEXT, .required = true, .help = "that carries its nodes rigidly"},
};
static const pcs_schema link_schema = SCHEMA("a link", link_fields);

static const pcs_schema_field load_fields[] = {
    {.key = "group", .accepts = TEXT, .required = true, .help = "of the mesh"},
    NUMBERS_KEY("force", "on each node, N; formulas of t, inputs and signals"),
    NUMBERS_KEY("total", "on all nodes together, N, the same part for each; formulas"),
    NUMBER_KEY("pressure", "on the faces, Pa, > 0 pushes against the surface; a formula"),
};
static const pcs_schema load_schema = SCHEMA("a load", load_fields);

static const pcs_schema_field mesh_damping_fields[] = {
    NUMBER_KEY("mass", "1/s: the a of C = a M + b K; 0 if left out"),
    NUMBER_KEY("stiffness", "s: the b of C = a M + b K, in place of the materials' damping"),
};
static const pcs_schema mesh_damping_schema = SCHEMA("the damping of a mesh", mesh_damping_fields);

static const pcs_schema_field mesh_fields[] = {
    MAP_KEY("block", block_schema, "a box of solid elements"),
    MAP_KEY("line", line_schema, "bars or beams along a line, an arc or a polygon"),
    TEXT_KEY("file", "mesh file of gmsh (.msh, version 2.2 or 4.1), relative to this file"),
    NUMBER_KEY("scale", "factor for the coordinates of a file; 1 if left out"),
    {.key = "only",
     .accepts = LIST,
     .items = TEXT,
     .help = "groups of a file whose elements are used; all if left out"},
    TEXT_KEY("element", "kind of element for a file; lines are beams if left out"),
    MATERIAL_KEY,
    MAP_KEY("section", section_schema, "of bars and beams"),
    {.key = "parts",
     .accepts = MAP,
     .keys = PCS_SCHEMA_TEXTS,
     .items = MAP,
     .inside = &part_schema,
     .help = "materials, sections and kinds of elements by group of the mesh"},
    NUMBERS_KEY("position", "origin of the mesh frame in the world; the origin if left out"),
    NUMBER_KEY("angle", "orientation, rad (plane); 0 if left out"),
    ROTATION_KEY("rotation", "orientation (space); not turned if left out"),
    NUMBERS_KEY("velocity", "of the origin of the mesh frame, m/s; at rest if left out"),
    {.key = "angular_velocity",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "rad/s: a number (plane) or a vector in world axes (space); at rest if left out"},
    TEXT_KEY("mass", "mass matrix: consistent (if left out) or lumped"),
    MAP_KEY("damping", mesh_damping_schema, "C = a M + b K"),
    {.key = "groups",
     .accepts = MAP,
     .keys = PCS_SCHEMA_NAMES,
     .items = MAP,
     .inside = &group_schema,
     .help = "more groups, by name"},
    {.key = "fixed",
     .accepts = LIST,
     .items = TEXT | MAP,
     .inside = &fixation_schema,
     .help = "groups that are held: names, or maps with components"},
    {.key = "links",
     .accepts = LIST,
     .items = MAP,
     .inside = &link_schema,
     .help = "groups that bodies carry"},
    {.key = "loads",
     .accepts = LIST,
     .items = MAP,
     .inside = &load_schema,
     .help = "forces and pressures on groups"},
};
static const pcs_schema mesh_schema = SCHEMA("a mesh", mesh_fields);

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
    TEXT_KEY("body", "name of the body; or a node of a mesh:"),
    NODE_KEYS,
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

static const pcs_schema_field target_fields[] = {
    NUMBERS_KEY("plane", "normal of a plane, to the free side; axes of the body"),
    NUMBER_KEY("sphere", "radius, m; in the plane a circle"),
    NUMBERS_KEY("box", "edge lengths, m"),
    MAP_KEY("cylinder", cylinder_schema, "round, with flat ends"),
    MAP_KEY("capsule", capsule_schema, "round, with half spheres at the ends"),
    TEXT_KEY("mesh", "whose faces are touched"),
    TEXT_KEY("group", "of that mesh; surface if left out"),
    TEXT_KEY("body", "that carries the shape; ground if left out"),
    NUMBERS_KEY("at", "place of the shape in the body frame; its origin if left out"),
    NUMBERS_KEY("axis", "direction of the shape's z axis; in the plane of its x axis"),
    NUMBERS_KEY("reference", "direction near which the x axis is laid (space)"),
    ROTATION_KEY("rotation", "orientation in the body frame (space)"),
    NUMBER_KEY("angle", "orientation in the body frame, rad (plane)"),
    {.key = "extent",
     .accepts = NUMBER | LIST,
     .items = NUMBER,
     .help = "half lengths of the plane along its axes, m; unbounded if left out"},
};
static const pcs_schema target_schema = SCHEMA("a target", target_fields);

static const pcs_schema_field contact_plane_fields[] = {
    {.key = "normal",
     .accepts = LIST,
     .items = NUMBER,
     .required = true,
     .help = "to the free side; axes of the body"},
    NUMBERS_KEY("at", "a point of the plane in the body frame; its origin if left out"),
    TEXT_KEY("body", "that carries the plane; ground if left out"),
};
static const pcs_schema contact_plane_schema = SCHEMA("a plane", contact_plane_fields);

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
    TEXT_KEY("mesh", "of a surface contact: whose nodes touch"),
    TEXT_KEY("group", "of that mesh; surface if left out, for bars and beams all"),
    MAP_KEY("target", target_schema, "of a surface contact: what the nodes touch"),
    NUMBER_KEY("node_radius", "the nodes are spheres of this radius, m; points if left out"),
    NUMBER_KEY("reach", "faces farther from a node than this are not seen, m; twice the longest "
                        "face if left out"),
    {.key = "shapes",
     .accepts = FLAG,
     .help = "of all-surfaces: false leaves the shapes of bodies out; true if left out"},
    {.key = "one_pass",
     .accepts = FLAG,
     .help = "of all-surfaces: only the surface with more nodes sends its nodes; false if left "
             "out"},
    {.key = "planes",
     .accepts = LIST,
     .items = MAP,
     .inside = &contact_plane_schema,
     .help = "of all-surfaces: planes beside the bodies"},
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
    TEXT_KEY(
        "estimate",
        "whether some steps are repeated as two halves to estimate the error of the run, for at "
        "most a tenth more work: on (if left out) or off"),
};
// The options of the scheme are further keys.
static const pcs_schema simulation_schema = {
    .what = "'simulation'", .fields = simulation_fields, .n_fields = 6, .open = true};

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
    SECTION_KEY("materials", material_schema, "materials of meshes, by name"),
    SECTION_KEY("meshes", mesh_schema, "flexible bodies, by name"),
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

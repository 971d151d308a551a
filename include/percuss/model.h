// A model: bodies, joints, springs, forces and contacts. It is described to a builder and immutable
// once finished; everything that changes lives in a pcs_state (percuss/simulation.h).
//
// SI units. In a planar model (dimension 2) the motion is in the x-y plane: z components of
// positions and forces and x, y components of rotations and torques must be zero, a body has the
// three coordinates (x, y, angle) and a rotation is `angle` about z.
// A definition struct comes from its default function; names are copied.
#ifndef PERCUSS_MODEL_H
#define PERCUSS_MODEL_H

#include <stdbool.h>

#include "percuss/base.h"
#include "percuss/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pcs_builder pcs_builder;
typedef struct pcs_model pcs_model;

// What a definition may refer to before it exists in the model: a body or joint by its index (the
// order of adding), PCS_GROUND for the fixed world.
typedef int32_t pcs_body_id;
typedef int32_t pcs_joint_id;
typedef int32_t pcs_system_id;
enum { PCS_GROUND = -1 };

// A number or, if `formula` is not NULL, a formula of the parameters, of t and, where the field
// says so, of inputs (input.torque) or of inputs and signals such as joint.hinge.angle.
typedef struct pcs_value {
    double number;
    const char *formula;
} pcs_value;

static inline pcs_value pcs_number(double number)
{
    pcs_value value = {number, 0};
    return value;
}

static inline pcs_value pcs_expression(const char *formula)
{
    pcs_value value = {0, formula};
    return value;
}

// ---- Shapes ----

typedef enum pcs_shape_kind {
    PCS_SHAPE_SPHERE,   // size.x = radius
    PCS_SHAPE_BOX,      // size = edge lengths
    PCS_SHAPE_CYLINDER, // size.x = radius, size.z = length, axis z
    PCS_SHAPE_CAPSULE,  // size.x = radius, size.z = length between the two centres, axis z
    PCS_SHAPE_ROD       // size.z = length, axis z, thin; density is mass per length
} pcs_shape_kind;

typedef struct pcs_shape_def {
    pcs_shape_kind kind;
    pcs_vec3 size;
    pcs_vec3 position; // of the shape's centre in the body frame
    pcs_quat rotation; // shape axes in the body frame
    double density;    // kg/m^3 (rod: kg/m); 0: the shape is drawn but has no mass
    double mass;       // if > 0: replaces the density
} pcs_shape_def;

PCS_API pcs_shape_def pcs_shape_default(void);
// "sphere", "box", ... as model files write it; NULL beyond the last kind.
PCS_API const char *pcs_shape_kind_name(pcs_shape_kind kind);

// ---- Bodies ----

typedef struct pcs_body_def {
    const char *name;
    bool point;                // a point mass: no rotation, no inertia
    double mass;               // with mass 0 the mass properties come from the shapes
    pcs_vec3 center;           // centre of mass in the body frame
    pcs_mat3 inertia;          // about the centre of mass, in the inertia frame; planar: m[2][2]
    pcs_quat inertia_rotation; // inertia frame in the body frame
    pcs_vec3 position;         // origin of the body frame
    pcs_quat rotation;
    double angle;              // planar models use this instead of `rotation`; any number of turns
    pcs_vec3 velocity;         // of the origin of the body frame
    pcs_vec3 angular_velocity; // world frame
    const pcs_shape_def *shapes;
    int32_t n_shapes;
} pcs_body_def;

PCS_API pcs_body_def pcs_body_default(void);

// A frame fixed to a body, in the body frame (in the world for PCS_GROUND), or to a node of a mesh:
// then in the axes of the mesh at the start, from the node. A node that is a point carries no
// rotation: its frames keep their directions in space.
typedef struct pcs_frame {
    pcs_body_id body;
    pcs_vec3 position;
    pcs_quat rotation;
    int32_t node; // of a mesh, from pcs_builder_mesh_node(), in place of a body; 0: none
} pcs_frame;

PCS_API pcs_frame pcs_frame_default(void); // ground, origin, no rotation
// The frame on `body` that coincides, in the initial configuration, with the given world frame.
PCS_API pcs_status pcs_builder_frame_at(pcs_builder *builder, pcs_body_id body, pcs_vec3 position,
                                        pcs_quat rotation, pcs_frame *out) PCS_MUST_CHECK;

// ---- Curves ----

// A plane curve in the x-y plane of a frame, piece after piece; the free side is on the left of the
// direction of travel. Each piece begins where the one before ends.
typedef enum pcs_curve_kind {
    PCS_CURVE_LINE,
    PCS_CURVE_ARC,
    PCS_CURVE_PARABOLA, // y = c0 + c1 x + c2 x^2
    PCS_CURVE_SPLINE,   // cubic, through points
    PCS_CURVE_KIND_COUNT
} pcs_curve_kind;

typedef struct pcs_curve_piece {
    pcs_curve_kind kind;
    pcs_vec2 from, to;      // line and arc
    pcs_vec2 through;       // arc: a point between the ends
    double coefficients[3]; // parabola
    double x_from, x_to;    // parabola: the way goes from the one x to the other
    const pcs_vec2 *points; // spline
    int32_t n_points;
    pcs_vec2 direction[2]; // spline: of travel at its two ends; (0, 0): the end is not curved
} pcs_curve_piece;

typedef struct pcs_curve_def {
    const pcs_curve_piece *pieces;
    int32_t n_pieces;
    bool closed; // the last piece ends where the first begins; one closed spline is periodic
} pcs_curve_def;

// "line", "arc", ... as model files write it; NULL beyond the last kind.
PCS_API const char *pcs_curve_kind_name(pcs_curve_kind kind);

// ---- Joints ----

typedef enum pcs_joint_kind {
    PCS_JOINT_FIXED,
    PCS_JOINT_REVOLUTE,    // about z
    PCS_JOINT_PRISMATIC,   // along z (planar models: along x)
    PCS_JOINT_CYLINDRICAL, // about and along z
    PCS_JOINT_SPHERICAL,
    PCS_JOINT_UNIVERSAL,      // about x of frame a, then y of frame b
    PCS_JOINT_PLANAR,         // in the x-y plane of frame a
    PCS_JOINT_SCREW,          // about z, advancing `pitch` metres a turn
    PCS_JOINT_DISTANCE,       // rigid massless rod between the two origins
    PCS_JOINT_POINT_ON_LINE,  // origin of b on the z axis of a (planar models: x axis)
    PCS_JOINT_POINT_ON_PLANE, // origin of b on the x-y plane of a
    PCS_JOINT_POINT_ON_CURVE, // planar: origin of b on the curve in frame a
    PCS_JOINT_KIND_COUNT
} pcs_joint_kind;

enum { PCS_JOINT_COORDINATES_MAX = 3 };

// What may act on one coordinate of a joint.
typedef struct pcs_joint_drive {
    double stiffness, rest; // torque or force -stiffness*(x - rest)
    double damping;         // -damping*x'
    pcs_value actuator;     // torque or force; formula of t and signals
    pcs_value motion;       // prescribed coordinate, formula of t; used if has_motion
    bool has_motion;
    bool has_lower, has_upper; // limits
    double lower, upper;
    double restitution; // of the limits
} pcs_joint_drive;

typedef struct pcs_joint_def {
    const char *name;
    pcs_joint_kind kind;
    pcs_frame a, b;
    double length;       // distance joint: 0 means the initial distance
    double pitch;        // screw
    pcs_curve_def curve; // point on curve
    pcs_joint_drive drive[PCS_JOINT_COORDINATES_MAX];
} pcs_joint_def;

PCS_API pcs_joint_def pcs_joint_default(void);

// Names and coordinates of the joint kinds, for listings and files.
PCS_API const char *pcs_joint_kind_name(pcs_joint_kind kind);
PCS_API bool pcs_joint_kind_allowed(pcs_joint_kind kind, int32_t dimension);
// Coordinate i (value and rate signal names, "angle" and "rate"); NULL beyond the last.
PCS_API const char *pcs_joint_coordinate_name(pcs_joint_kind kind, int32_t dimension, int32_t i);
PCS_API const char *pcs_joint_rate_name(pcs_joint_kind kind, int32_t dimension, int32_t i);

// Linear coupling of two joint coordinates, x_first + ratio * x_second = constant (its initial
// value): a gear pair for two angles, a rack and pinion for an angle and a displacement.
typedef struct pcs_coupling_def {
    const char *name;
    pcs_joint_id joint[2];
    int32_t coordinate[2];
    double ratio;
} pcs_coupling_def;

PCS_API pcs_coupling_def pcs_coupling_default(void);

// ---- Springs and forces ----

typedef enum pcs_spring_kind {
    PCS_SPRING_POINT,   // between the origins of the frames
    PCS_SPRING_TORSION, // angle of b about z of a
    PCS_SPRING_BUSHING  // three translations along and three rotations about the axes of a
} pcs_spring_kind;

typedef struct pcs_spring_def {
    const char *name;
    pcs_spring_kind kind;
    pcs_frame a, b;
    double stiffness, damping;
    double rest;          // free length or angle; NaN: initial length (point), 0 (torsion)
    double stiffness6[6]; // bushing
    double damping6[6];
} pcs_spring_def;

PCS_API pcs_spring_def pcs_spring_default(void);

typedef struct pcs_force_def {
    const char *name;
    pcs_body_id body;
    int32_t node;       // of a mesh, in place of the body; 0: none
    pcs_vec3 position;  // point of application in the body frame
    bool body_frame;    // components turn with the body; otherwise world
    pcs_value force[3]; // formulas of t and signals
    pcs_value torque[3];
} pcs_force_def;

PCS_API pcs_force_def pcs_force_default(void);

// ---- Contacts ----

typedef struct pcs_law {
    double friction;               // mu >= 0
    double restitution;            // e_N in [0, 1]
    double tangential_restitution; // e_T in [0, 1]
} pcs_law;

typedef enum pcs_contact_kind {
    PCS_CONTACT_POINT_PLANE, // point of b (its frame's origin) above the x-y plane of a (planar: the
                             // line along x of a, normal +y)
    PCS_CONTACT_SPHERE_PLANE,     // sphere of radius_b around the origin of b
    PCS_CONTACT_SPHERE_SPHERE,    // circles in planar models
    PCS_CONTACT_SPHERE_IN_SPHERE, // b (radius_b) inside a (radius_a > radius_b): pin in hole
    PCS_CONTACT_PIN_IN_HOLE, // 3D: circle around z of b inside the circle around z of a; no axial
                             // constraint; planar: same as SPHERE_IN_SPHERE
    PCS_CONTACT_BOX_PLANE,   // corners of the box `size` centred in frame b against the plane of a
    PCS_CONTACT_CYLINDER_PLANE, // rims of the cylinder (radius_b, size.z, axis z of b)
    PCS_CONTACT_POINT_POLYLINE, // planar: point of b outside (left of) the polyline in frame a
    PCS_CONTACT_SLIDER_GUIDE, // planar: four corners of the slider `size` (x, y) in frame b between
                              // the two walls y = +-width/2 of frame a
    PCS_CONTACT_POINT_CURVE, // planar: point of b, or disc of radius_b around it, outside (left of)
                             // the curve in frame a
    PCS_CONTACT_KIND_COUNT
} pcs_contact_kind;

typedef struct pcs_contact_def {
    const char *name;
    pcs_contact_kind kind;
    pcs_frame a, b;
    double radius_a, radius_b;
    pcs_vec3 size;
    double width;             // slider in guide
    const pcs_vec2 *vertices; // polyline, in frame a
    int32_t n_vertices;
    bool closed;         // the polyline's last vertex joins the first
    pcs_curve_def curve; // point on curve, in frame a
    // A plane may be bounded: |x| <= extent.x and |y| <= extent.y in frame a; 0: unbounded.
    pcs_vec2 extent;
    pcs_law law;
    pcs_value surface_speed
        [2]; // velocity of a's surface along x and y of frame a (belt); formulas of t and inputs
} pcs_contact_def;

PCS_API pcs_contact_def pcs_contact_default(void);
PCS_API const char *pcs_contact_kind_name(pcs_contact_kind kind);
PCS_API bool pcs_contact_kind_allowed(pcs_contact_kind kind, int32_t dimension);

// ---- Lagrangian systems ----

// Generalised coordinates q with formulas instead of bodies. From the kinetic energy T(q, q', t),
// the potential V(q, t), the dissipation D(q, q', t) and generalised forces Q come
//     d/dt dT/dq' - dT/dq + dV/dq + dD/dq' = Q + G^T lambda + contact forces;
// or M and the whole right-hand side are given directly. All derivatives are exact.
//
// In the formulas of a system x and x.rate are its own coordinate and its rate. Forces may read
// inputs and signals of bodies, joints and other systems; constraints and gaps may read their
// positions, which is how a system is joined to the rest of a model. The rest reads
// system.NAME.COORDINATE and system.NAME.COORDINATE.rate.
typedef struct pcs_coordinate_def {
    const char *name;
    double initial, rate; // at the start
} pcs_coordinate_def;

// g(q, t) = 0
typedef struct pcs_constraint_def {
    const char *name;
    pcs_value value;
} pcs_constraint_def;

// gap(q, t) >= 0 and, for friction, displacements along the surface (one in the plane, two in
// space), whose rates are the sliding velocities.
typedef struct pcs_gap_def {
    const char *name;
    pcs_value gap, tangential[2];
    int32_t n_tangential;
    pcs_law law;
} pcs_gap_def;

// A place in the world that pictures show.
typedef struct pcs_point_def {
    const char *name;
    pcs_value position[3];
} pcs_point_def;

// The same by functions of one's own. Matrices are row-major and zero when a function is called;
// f(t, q, v) is the whole right-hand side of M q'' = f + G^T lambda. The rows of `gaps` are, for
// each gap of the definition, its gap and its tangential displacements. An optional function may be
// NULL: then the term counts as zero, which costs implicit schemes their convergence but not their
// truth. A function may be called from several threads if simulations are run in several threads.
typedef struct pcs_system_functions {
    void *user;
    void (*mass)(void *user, double t, const double *q, double *M);
    void (*force)(void *user, double t, const double *q, const double *v, double *f);
    // df/dq and df/dv; optional
    void (*force_tangent)(void *user, double t, const double *q, const double *v, double *f_q,
                          double *f_v);
    // d(M a)/dq; optional
    void (*mass_tangent)(void *user, double t, const double *q, const double *a, double *Ma_q);
    // V and its gradient; optional. Without it f counts as applied force as a whole.
    double (*potential)(void *user, double t, const double *q, double *V_q);
    // g, its Jacobian G = dg/dq and dg/dt; and d2g = (dG/dt) v + 2 g_tq v + g_tt, for q'' = 0.
    // Needed if the definition has constraints, as the next two if it has gaps.
    void (*constraints)(void *user, double t, const double *q, double *g, double *G, double *g_t);
    void (*constraint_curvature)(void *user, double t, const double *q, const double *v,
                                 double *d2g);
    // d(G^T lambda)/dq; optional
    void (*constraint_tangent)(void *user, double t, const double *q, const double *lambda,
                               double *Gl_q);
    void (*gaps)(void *user, double t, const double *q, double *g, double *G, double *g_t);
    void (*gap_curvature)(void *user, double t, const double *q, const double *v, double *d2g);
} pcs_system_functions;

typedef struct pcs_system_def {
    const char *name;
    const pcs_coordinate_def *coordinates;
    int32_t n_coordinates;
    pcs_value kinetic;
    const pcs_value *mass; // n x n, row-major, in place of `kinetic`; NULL: from the kinetic energy
    pcs_value potential, dissipation;
    const pcs_value *forces; // n, or NULL; with `mass` they contain the gyroscopic terms
    const pcs_constraint_def *constraints;
    int32_t n_constraints;
    const pcs_gap_def *gaps;
    int32_t n_gaps;
    const pcs_point_def *points;
    int32_t n_points;
    const int32_t (*lines)[2]; // pairs of points, by their places
    int32_t n_lines;
    // In place of all formulas; the names and laws above stay in use, their values do not.
    const pcs_system_functions *functions;
} pcs_system_def;

PCS_API pcs_system_def pcs_system_default(void);

// ---- Building ----

PCS_API pcs_status pcs_builder_create(pcs_context *ctx, int32_t dimension, pcs_builder **out)
    PCS_MUST_CHECK;
PCS_API void pcs_builder_destroy(pcs_builder *builder);
// A parameter is a name that formulas may use, in any order. Redefinition replaces it.
PCS_API pcs_status pcs_builder_set_parameter(pcs_builder *builder, const char *name, double value)
    PCS_MUST_CHECK;
// An input is a number that the caller of a simulation may set between two steps
// (pcs_simulation_set_input), constant during a step. Formulas of forces, torques, actuators and
// surface speeds read it as input.NAME. `value` is what it has until it is set.
PCS_API pcs_status pcs_builder_add_input(pcs_builder *builder, const char *name, double value)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_set_gravity(pcs_builder *builder, pcs_vec3 gravity) PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_add_body(pcs_builder *builder, const pcs_body_def *def,
                                        pcs_body_id *id) PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_add_joint(pcs_builder *builder, const pcs_joint_def *def,
                                         pcs_joint_id *id) PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_add_coupling(pcs_builder *builder, const pcs_coupling_def *def)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_add_spring(pcs_builder *builder, const pcs_spring_def *def)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_add_force(pcs_builder *builder, const pcs_force_def *def)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_add_contact(pcs_builder *builder, const pcs_contact_def *def)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_add_system(pcs_builder *builder, const pcs_system_def *def,
                                          pcs_system_id *id) PCS_MUST_CHECK;
// Compiles formulas, checks everything and hands out the model; once. The builder must still be
// destroyed; the model does not refer to it.
PCS_API pcs_status pcs_builder_finish(pcs_builder *builder, pcs_model **out) PCS_MUST_CHECK;

PCS_API void pcs_model_destroy(pcs_model *model);

// ---- Looking at a model ----

PCS_API int32_t pcs_model_dimension(const pcs_model *model);
PCS_API int32_t pcs_model_body_count(const pcs_model *model);
// Bodies and, behind them, the points of systems: what pictures are fixed to. To
// pcs_model_body_name and pcs_simulation_body a point is a body that does not turn.
PCS_API int32_t pcs_model_place_count(const pcs_model *model);
PCS_API const char *pcs_model_body_name(const pcs_model *model, pcs_body_id body);
PCS_API int32_t pcs_model_body_shapes(const pcs_model *model, pcs_body_id body,
                                      const pcs_shape_def **shapes);
PCS_API int32_t pcs_model_joint_count(const pcs_model *model);
PCS_API const char *pcs_model_joint_name(const pcs_model *model, pcs_joint_id joint);
PCS_API pcs_joint_kind pcs_model_joint_kind(const pcs_model *model, pcs_joint_id joint);
PCS_API int32_t pcs_model_coupling_count(const pcs_model *model); // gears and racks
PCS_API const char *pcs_model_coupling_name(const pcs_model *model, int32_t coupling);
PCS_API int32_t pcs_model_system_count(const pcs_model *model);
PCS_API const char *pcs_model_system_name(const pcs_model *model, pcs_system_id system);
// Coordinates of a system, and its constraints; NULL beyond the last name.
PCS_API int32_t pcs_model_system_size(const pcs_model *model, pcs_system_id system);
PCS_API const char *pcs_model_system_coordinate(const pcs_model *model, pcs_system_id system,
                                                int32_t i);
PCS_API const char *pcs_model_system_constraint(const pcs_model *model, pcs_system_id system,
                                                int32_t i);
PCS_API int32_t pcs_model_contact_count(const pcs_model *model); // contact points (slots)
// "tip" for a declared contact with one point, "foot.2" for its third point.
PCS_API const char *pcs_model_contact_name(const pcs_model *model, int32_t slot);
PCS_API int32_t pcs_model_input_count(const pcs_model *model);
PCS_API const char *pcs_model_input_name(const pcs_model *model, int32_t input);
// Index of an input; the error suggests the nearest name.
PCS_API pcs_status pcs_model_find_input(pcs_context *ctx, const pcs_model *model, const char *name,
                                        int32_t *input) PCS_MUST_CHECK;
PCS_API int32_t pcs_model_coordinate_count(const pcs_model *model); // numbers in q
PCS_API int32_t pcs_model_velocity_count(const pcs_model *model);   // numbers in v
// d = q2 [-] q1, as many numbers as in v: the displacement that leads from q1 to q2. Rotations in
// space count as rotation vectors, so that the length of d does not depend on the sign of
// quaternions.
PCS_API void pcs_model_difference(const pcs_model *model, const double *q2, const double *q1,
                                  double *d);
PCS_API int32_t pcs_model_row_count(const pcs_model *model); // bilateral constraint rows
// Name of constraint row i, such as "joint.hinge (row 2: x)".
PCS_API const char *pcs_model_row_name(const pcs_model *model, int32_t row);

// ---- What a picture of the model shows ----

// The first five are those of pcs_shape_kind. Planar models lie in the x-y plane.
typedef enum pcs_drawing_kind {
    PCS_DRAWING_SPHERE,   // size.x = radius, around the origin of frame a
    PCS_DRAWING_BOX,      // size = edge lengths
    PCS_DRAWING_CYLINDER, // size.x = radius, size.z = length, axis z
    PCS_DRAWING_CAPSULE,  // size.x = radius, size.z = length between the two centres, axis z
    PCS_DRAWING_ROD,      // size.z = length, axis z, thin
    PCS_DRAWING_PLANE,    // x-y plane of frame a (planar models: its x axis, normal y); size = half
                          // extents in x and y, 0: unbounded
    PCS_DRAWING_HOLE,     // inside of a circle or sphere of radius size.x; a circle lies in x-y
    PCS_DRAWING_POINT,    // origin of frame a
    PCS_DRAWING_POLYLINE, // vertices in the x-y plane of frame a
    PCS_DRAWING_GUIDE,    // the lines y = +-size.y/2 of frame a
    PCS_DRAWING_JOINT,    // glyph for joint_kind at frames a and b
    PCS_DRAWING_LINK,     // line from the origin of a to that of b: distance joint
    PCS_DRAWING_SPRING,   // coil from the origin of a to that of b
    PCS_DRAWING_TORSION,  // spiral about z of frame a; bushings too
    PCS_DRAWING_KIND_COUNT
} pcs_drawing_kind;

typedef enum pcs_drawing_owner {
    PCS_DRAWING_OF_BODY,    // object: body
    PCS_DRAWING_OF_JOINT,   // object: joint
    PCS_DRAWING_OF_SPRING,  // object: place among the springs
    PCS_DRAWING_OF_CONTACT, // object: first contact slot of the declared contact
    PCS_DRAWING_OF_SYSTEM,  // object: system
    PCS_DRAWING_OWNER_COUNT
} pcs_drawing_owner;

typedef struct pcs_drawing {
    pcs_drawing_kind kind;
    pcs_drawing_owner owner;
    int32_t object;
    const char *name;          // of the owner; lives as long as the model
    pcs_frame a, b;            // b = a where there is one frame
    pcs_vec3 size;             // 0 where the kind has none
    pcs_joint_kind joint_kind; // PCS_DRAWING_JOINT
    const pcs_vec2 *vertices;  // PCS_DRAWING_POLYLINE
    int32_t n_vertices;
    bool closed;
} pcs_drawing;

PCS_API const char *pcs_drawing_kind_name(pcs_drawing_kind kind);    // NULL beyond the last
PCS_API const char *pcs_drawing_owner_name(pcs_drawing_owner owner); // "body"
// Calls `draw` for every item: shapes of the bodies, joints, springs, contacts, lines of systems. A
// negative status ends the walk and comes back.
typedef pcs_status (*pcs_draw_fn)(void *user, const pcs_drawing *drawing);
PCS_API pcs_status pcs_model_draw(const pcs_model *model, pcs_draw_fn draw, void *user)
    PCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif

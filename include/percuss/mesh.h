// Flexible bodies: meshes of bars, beams and solids. A mesh is nodes, parts (elements of one kind
// with their material and section) and groups (named sets of nodes and faces), to which fixations,
// links, loads and contacts refer. Meshes come from a generator, from a gmsh file or from arrays.
//
// Nodes of bars and solids are points; nodes of beams are frames, as those of rigid bodies. Joints,
// springs, forces and contacts may sit on a node of a mesh as they do on a body (pcs_frame.node).
// All displacements are measured in the inertial frame; bars, beams and solids may turn and bend as
// far as they like, linear beams only a little.
#ifndef PERCUSS_MESH_H
#define PERCUSS_MESH_H

#include "percuss/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pcs_element_kind {
    PCS_ELEMENT_BAR,               // 2 points, axial force
    PCS_ELEMENT_BEAM,              // 2 frames, geometrically exact (Reissner, Simo)
    PCS_ELEMENT_LINEAR_BEAM,       // 2 frames, Euler-Bernoulli, small displacements
    PCS_ELEMENT_LINEAR_TIMOSHENKO, // 2 frames, with shear, small displacements
    PCS_ELEMENT_HEXAHEDRON,        // 8 points, enhanced strains
    PCS_ELEMENT_HEXAHEDRON_PLAIN,  // 8 points, trilinear; locks, for comparison
    PCS_ELEMENT_TETRAHEDRON,       // 4 points
    PCS_ELEMENT_KIND_COUNT
} pcs_element_kind;

// "bar", "beam", ... as model files write it; NULL beyond the last kind.
PCS_API const char *pcs_element_kind_name(pcs_element_kind kind);
PCS_API const char *pcs_element_kind_help(pcs_element_kind kind);
PCS_API bool pcs_element_kind_allowed(pcs_element_kind kind, int32_t dimension);

typedef enum pcs_material_law {
    PCS_MATERIAL_ST_VENANT,   // St Venant-Kirchhoff: S = lambda tr(E) I + 2 mu E
    PCS_MATERIAL_NEO_HOOKEAN, // W = mu/2 (tr C - 3 - 2 ln J) + lambda/2 (ln J)^2
    PCS_MATERIAL_LAW_COUNT
} pcs_material_law;

PCS_API const char *pcs_material_law_name(pcs_material_law law);
PCS_API const char *pcs_material_law_help(pcs_material_law law);

typedef struct pcs_material {
    pcs_material_law law; // of solids; bars and beams are linear in their strains
    double young, poisson, density;
    double
        damping; // s: stress = elastic law of (strain + damping * strain rate); the b of C = a M + b K
} pcs_material;

PCS_API pcs_material pcs_material_default(void);

// Cross-section of bars and beams in the local axes y, z of the element; x runs from its first node
// to its second. In planar models only area, inertia[1] (about z, for bending in the plane) and
// shear_area[0] (shear along y) count.
typedef struct pcs_section {
    double area;
    double inertia[2];    // second moments of area about y and about z
    double torsion;       // torsion constant
    double shear_area[2]; // for shear forces along y and z; 0: 5/6 of the area
    pcs_vec3 y;           // direction of the local y in the mesh frame, made normal to x; 0: chosen
    pcs_vec2 drawn;       // edge lengths along y and z for pictures; 0: from the area
    bool round;           // drawn as a circle of diameter drawn.x
} pcs_section;

PCS_API pcs_section pcs_section_default(void);
// Section properties of b (along y) by h (along z) and of a tube (inner radius 0: a circle).
PCS_API pcs_section pcs_section_rectangle(double b, double h);
PCS_API pcs_section pcs_section_tube(double outer, double inner);

// Elements of one kind with one material.
typedef struct pcs_mesh_part_def {
    const char *name; // may be NULL in a mesh with one part
    pcs_element_kind kind;
    const int32_t *nodes; // of one element after the other, numbers from 0; see docs/meshes.md
    int32_t n_elements;
    pcs_material material;
    pcs_section section;
} pcs_mesh_part_def;

enum { PCS_FACE_NODES_MAX = 4 };

// A named set of nodes and of faces. Faces have 3 or 4 nodes (the fourth is -1 for 3), or 2 (the
// others -1) where beams or bars are a surface in the plane, counterclockwise seen from outside.
typedef struct pcs_mesh_group_def {
    const char *name;
    const int32_t *nodes;
    int32_t n_nodes;
    const int32_t (*faces)[PCS_FACE_NODES_MAX];
    int32_t n_faces; // their nodes need not be in `nodes` as well
} pcs_mesh_group_def;

// What holds a group: components that are fixed (x, y, z; rotations about x, y, z of the world).
// With a body, the nodes are linked rigidly to it as they stand at the start; then `fixed` is not
// used.
typedef struct pcs_mesh_fixation_def {
    const char *group;
    bool fixed[6];
    bool linked;
    pcs_body_id body; // for links
} pcs_mesh_fixation_def;

// A load on a group: a force on each node, a force shared by the nodes, or a pressure on the faces
// that stays normal to them. Formulas of t, inputs and signals.
typedef enum pcs_mesh_load_kind {
    PCS_MESH_LOAD_NODAL,   // `value` on each node
    PCS_MESH_LOAD_TOTAL,   // `value` in all, the same part for each node
    PCS_MESH_LOAD_PRESSURE // value[0], > 0 pushes against the surface
} pcs_mesh_load_kind;

typedef struct pcs_mesh_load_def {
    const char *group;
    pcs_mesh_load_kind kind;
    pcs_value value[3];
} pcs_mesh_load_def;

typedef struct pcs_mesh_def {
    const char *name;
    const pcs_vec3 *nodes; // in the mesh frame
    int32_t n_nodes;
    const pcs_mesh_part_def *parts;
    int32_t n_parts;
    const pcs_mesh_group_def
        *groups; // beside "all" and, for solids, "surface", which every mesh has
    int32_t n_groups;
    pcs_vec3 position; // of the mesh frame in the world
    pcs_quat rotation;
    double angle;                        // planar models, in place of `rotation`
    pcs_vec3 velocity, angular_velocity; // initial, of the mesh frame's origin; world axes
    bool lumped;                         // mass matrix
    double mass_damping;                 // 1/s: the a of C = a M + b K
    const pcs_mesh_fixation_def *fixations;
    int32_t n_fixations;
    const pcs_mesh_load_def *loads;
    int32_t n_loads;
} pcs_mesh_def;

PCS_API pcs_mesh_def pcs_mesh_default(void);

typedef int32_t pcs_mesh_id;

PCS_API pcs_status pcs_builder_add_mesh(pcs_builder *builder, const pcs_mesh_def *def,
                                        pcs_mesh_id *id) PCS_MUST_CHECK;
// For pcs_frame.node: node `node` of the mesh, or the one node of a group.
PCS_API pcs_status pcs_builder_mesh_node(pcs_builder *builder, pcs_mesh_id mesh, int32_t node,
                                         int32_t *id) PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_mesh_group_node(pcs_builder *builder, pcs_mesh_id mesh,
                                               const char *group, int32_t *id) PCS_MUST_CHECK;

// Where that node is at the start, and the frame on it that coincides there with the given world
// frame.
PCS_API pcs_status pcs_builder_node_position(pcs_builder *builder, int32_t id, pcs_vec3 *position)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_builder_node_frame_at(pcs_builder *builder, int32_t id, pcs_vec3 position,
                                             pcs_quat rotation, pcs_frame *out) PCS_MUST_CHECK;

// ---- Contact of surfaces ----

// Nodes of a group against something: each node is a contact of its own that finds the face it is
// nearest to. The target is a shape on a body or on the ground, or the faces of another group.
typedef enum pcs_target_kind {
    PCS_TARGET_PLANE,  // x-y plane of the frame, free side +z (planar models: x axis, free side +y)
    PCS_TARGET_SPHERE, // radius (planar: circle)
    PCS_TARGET_BOX,    // size, centred in the frame
    PCS_TARGET_CYLINDER, // radius and length size.z, axis z; not in planar models, as the next
    PCS_TARGET_CAPSULE,  // radius and length size.z between the centres, axis z
    PCS_TARGET_FACES,    // of a mesh group
    PCS_TARGET_KIND_COUNT
} pcs_target_kind;

PCS_API const char *pcs_target_kind_name(pcs_target_kind kind);

typedef struct pcs_surface_contact_def {
    const char *name;
    pcs_mesh_id mesh;  // whose nodes touch
    const char *group; // NULL: "surface" (meshes without faces: "all")
    pcs_target_kind target;
    pcs_frame frame; // of a shape
    double radius;
    pcs_vec3 size;
    pcs_vec2 extent; // of a plane: |x| <= extent.x and |y| <= extent.y; 0: unbounded
    pcs_mesh_id target_mesh;
    const char *target_group; // NULL: "surface"
    double node_radius;       // the nodes are spheres of this radius; 0: points
    double reach; // faces farther from a node are not seen; 0: twice the largest face + node_radius
    pcs_law law;
    pcs_value surface_speed[2]; // of a plane
} pcs_surface_contact_def;

PCS_API pcs_surface_contact_def pcs_surface_contact_default(void);
PCS_API pcs_status pcs_builder_add_surface_contact(pcs_builder *builder,
                                                   const pcs_surface_contact_def *def)
    PCS_MUST_CHECK;

// Contacts between everything that is there, so that pairs need not be declared: the surface of
// every mesh against those of all other meshes, the spheres, boxes, cylinders and capsules of
// bodies, and planes. A body that a mesh is linked to is left out for that mesh. Call it behind the
// last body and mesh. The contacts are called NAME_MESH_TARGET; the target is a mesh, a body
// (BODY_2 for its second shape and so on) or plane1, plane2, ...
typedef struct pcs_auto_contact_def {
    const char *name;
    pcs_law law;
    double node_radius, reach; // as above
    bool one_pass;             // of two meshes only the one with more nodes sends its nodes
    bool without_bodies;
    const pcs_frame *planes; // free side as that of PCS_TARGET_PLANE
    int32_t n_planes;
} pcs_auto_contact_def;

PCS_API pcs_auto_contact_def pcs_auto_contact_default(void);
PCS_API pcs_status pcs_builder_add_all_surface_contacts(pcs_builder *builder,
                                                        const pcs_auto_contact_def *def)
    PCS_MUST_CHECK;

// ---- Looking at meshes ----

PCS_API int32_t pcs_model_mesh_count(const pcs_model *model);
PCS_API const char *pcs_model_mesh_name(const pcs_model *model, pcs_mesh_id mesh);
PCS_API int32_t pcs_model_mesh_node_count(const pcs_model *model, pcs_mesh_id mesh);
PCS_API double pcs_model_mesh_mass(const pcs_model *model, pcs_mesh_id mesh);
// Whether its nodes are frames, as those of beams are, and where they stand at the start.
PCS_API bool pcs_model_mesh_turns(const pcs_model *model, pcs_mesh_id mesh);
PCS_API const pcs_vec3 *pcs_model_mesh_start(const pcs_model *model, pcs_mesh_id mesh);
PCS_API int32_t pcs_model_mesh_part_count(const pcs_model *model, pcs_mesh_id mesh);

// A part as it was given; the arrays belong to the model.
typedef struct pcs_mesh_part_view {
    const char *name;
    pcs_element_kind kind;
    int32_t nodes_per_element, n_elements;
    const int32_t *nodes;
    const pcs_section *section;
    int32_t n_results; // numbers for each element in pcs_simulation_mesh_results()
    const char *const *results_names;
} pcs_mesh_part_view;
PCS_API pcs_mesh_part_view pcs_model_mesh_part(const pcs_model *model, pcs_mesh_id mesh,
                                               int32_t part);
// Unit of an element result by its name: "Pa" of "mises", "N" of "axial_force"; "1" if unknown.
PCS_API const char *pcs_mesh_result_unit(const char *name);

// Group i: its name, nodes and faces; the name is NULL beyond the last.
typedef struct pcs_mesh_group_view {
    const char *name;
    const int32_t *nodes;
    int32_t n_nodes;
    const int32_t (*faces)[PCS_FACE_NODES_MAX];
    int32_t n_faces;
} pcs_mesh_group_view;
PCS_API pcs_mesh_group_view pcs_model_mesh_group(const pcs_model *model, pcs_mesh_id mesh,
                                                 int32_t group);

#ifdef __cplusplus
}
#endif
#endif

// Turns nodes of a checked document into numbers, vectors, frames and definitions for the builder.
// Every function raises its error with the place of the node.
#ifndef PCS_IO_MODEL_READER_H
#define PCS_IO_MODEL_READER_H

#include "io/schema.h"
#include "io/yaml_document.h"
#include "math/rotation.h"
#include "percuss/formula.h"
#include "percuss/mesh.h"

// Names of a section. Bodies and joints have the builder's index beside the name.
typedef struct pcs_name_table {
    pcs_yaml_node **sorted; // entries of the section by name
    int32_t *index;         // of sorted[k]
    int32_t count;
} pcs_name_table;

enum { PCS_INDEX_COUPLING = -2 }; // stands among the joints but is none

// What a frame is fixed to: a body or the ground, or a node of a mesh.
typedef struct pcs_holder {
    pcs_body_id body;
    int32_t node; // 0: none
} pcs_holder;

// A mesh that was read: the numbers its file gives to its nodes.
typedef struct pcs_mesh_entry {
    const int64_t *tags; // ascending; NULL: not from a file
    int32_t n_nodes;
} pcs_mesh_entry;

typedef struct pcs_model_reader {
    pcs_context *ctx;
    pcs_yaml_document *doc;
    const pcs_yaml_node *root;
    pcs_builder *builder;
    int32_t dimension;
    pcs_name_table parameters;
    double *parameter_values; // of the sorted names
    pcs_name_table inputs, bodies, materials, meshes, joints, laws, contacts, systems;
    pcs_mesh_entry *mesh_entries;     // by index
    const pcs_yaml_node *coordinates; // of the system whose formulas are being read, or NULL
    pcs_joint_kind *joint_kinds;      // by index
    char remark[320];                 // what is wrong with a name in a formula, for the message
} pcs_model_reader;

// ---- Numbers and formulas (model_numbers.c) ----

// Evaluates all parameters, whatever their order, and tells the builder.
pcs_status pcs_reader_read_parameters(pcs_model_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_reader_read_number(pcs_model_reader *reader, const pcs_yaml_node *node,
                                  double *number) PCS_MUST_CHECK;

// Which names a formula may use.
typedef enum pcs_formula_names {
    PCS_NAMES_PARAMETERS,
    PCS_NAMES_TIME,   // and t
    PCS_NAMES_INPUTS, // and t and inputs
    PCS_NAMES_STATE   // and t, inputs and signals
} pcs_formula_names;

// A number, or a formula for the builder; the text lives in the document.
pcs_status pcs_reader_read_value(pcs_model_reader *reader, const pcs_yaml_node *node,
                                 pcs_formula_names names, pcs_value *value) PCS_MUST_CHECK;

// The number under `key`; *number stays as it is if the map has no such key.
pcs_status pcs_reader_get_number(pcs_model_reader *reader, const pcs_yaml_node *map,
                                 const char *key, double *number) PCS_MUST_CHECK;
pcs_status pcs_reader_get_positive(pcs_model_reader *reader, const pcs_yaml_node *map,
                                   const char *key, double *number) PCS_MUST_CHECK;
pcs_status pcs_reader_get_in_range(pcs_model_reader *reader, const pcs_yaml_node *map,
                                   const char *key, double lowest, double highest, double *number)
    PCS_MUST_CHECK;

// ---- Vectors, rotations and frames (model_frames.c) ----

// Exactly n numbers.
pcs_status pcs_reader_read_numbers(pcs_model_reader *reader, const pcs_yaml_node *list, int32_t n,
                                   double *numbers) PCS_MUST_CHECK;
// As many numbers as the model has dimensions; z is 0 in the plane.
pcs_status pcs_reader_read_vector(pcs_model_reader *reader, const pcs_yaml_node *list,
                                  pcs_vec3 *vector) PCS_MUST_CHECK;
pcs_status pcs_reader_get_vector(pcs_model_reader *reader, const pcs_yaml_node *map,
                                 const char *key, pcs_vec3 *vector) PCS_MUST_CHECK;
// A vector that is not zero.
pcs_status pcs_reader_get_direction(pcs_model_reader *reader, const pcs_yaml_node *map,
                                    const char *key, pcs_vec3 *direction) PCS_MUST_CHECK;
pcs_status pcs_reader_get_rotation(pcs_model_reader *reader, const pcs_yaml_node *map,
                                   const char *key, pcs_quat *rotation) PCS_MUST_CHECK;

// Which axis of a frame a direction gives.
typedef enum pcs_frame_axis { PCS_AXIS_X, PCS_AXIS_Y, PCS_AXIS_Z } pcs_frame_axis;

// What the key `axis` means: z, in the plane x.
pcs_frame_axis pcs_reader_default_axis(const pcs_model_reader *reader);
// Rotation with `direction` as the given axis and the axis after it (cyclically) near `reference`.
pcs_quat pcs_frame_rotation(pcs_frame_axis axis, pcs_vec3 direction, pcs_vec3 reference);
// Orientation from the keys axis, normal, reference, rotation and angle; no turn without them.
pcs_status pcs_reader_read_orientation(pcs_model_reader *reader, const pcs_yaml_node *map,
                                       pcs_frame_axis axis, pcs_quat *rotation) PCS_MUST_CHECK;
// A frame in the holder's own coordinates: a point, or a map with `at` and an orientation.
pcs_status pcs_reader_read_frame(pcs_model_reader *reader, const pcs_yaml_node *node,
                                 pcs_holder holder, pcs_frame_axis axis, pcs_frame *frame)
    PCS_MUST_CHECK;
// The frame on the holder that coincides, in the initial configuration, with the given world frame.
pcs_status pcs_reader_frame_at(pcs_model_reader *reader, pcs_holder holder, pcs_vec3 position,
                               pcs_quat rotation, pcs_frame *frame) PCS_MUST_CHECK;
// The world point under `at`. Without it: the place of the node that is one of the holders, or the
// origin.
pcs_status pcs_reader_get_place(pcs_model_reader *reader, const pcs_yaml_node *element,
                                const pcs_holder holders[2], pcs_vec3 *at) PCS_MUST_CHECK;
// The two frames of an element: `a` and `b` in the bodies' coordinates, both of them or none. If
// none, *given is false and the frames stay as they are.
pcs_status pcs_reader_read_frames(pcs_model_reader *reader, const pcs_yaml_node *element,
                                  const pcs_holder holders[2], const pcs_frame_axis axes[2],
                                  pcs_frame *a, pcs_frame *b, bool *given) PCS_MUST_CHECK;
// Two world points under `at` for an element that spans from one to the other.
pcs_status pcs_reader_read_two_points(pcs_model_reader *reader, const pcs_yaml_node *element,
                                      const pcs_holder holders[2], pcs_frame *a, pcs_frame *b)
    PCS_MUST_CHECK;

// ---- Curves (model_file_curve.c) ----

// The pieces under `curve` with the flag `closed`; *curve stays as it is without that key. The
// points live in the document.
pcs_status pcs_reader_get_curve(pcs_model_reader *reader, const pcs_yaml_node *map,
                                pcs_curve_def *curve) PCS_MUST_CHECK;

// ---- Meshes (model_file_materials.c, model_file_mesh_source.c) ----

struct pcs_mesh_data;

// A material by name or as a map; a section as a map.
pcs_status pcs_reader_read_material(pcs_model_reader *reader, const pcs_yaml_node *node,
                                    pcs_material *material) PCS_MUST_CHECK;
pcs_status pcs_reader_read_section(pcs_model_reader *reader, const pcs_yaml_node *node,
                                   pcs_section *section) PCS_MUST_CHECK;
// Checks all materials, used or not.
pcs_status pcs_reader_read_all_materials(pcs_model_reader *reader) PCS_MUST_CHECK;
// Nodes, cells and groups of a mesh from `block`, `line` or `file`, and its further groups.
pcs_status pcs_reader_read_mesh_data(pcs_model_reader *reader, const pcs_yaml_node *mesh,
                                     struct pcs_mesh_data *data) PCS_MUST_CHECK;
// Raises the error for a group that the mesh does not have, with the nearest name.
pcs_status pcs_reader_unknown_group(const pcs_model_reader *reader, const pcs_yaml_node *node,
                                    const char *group, const struct pcs_mesh_data *data);
// A whole number from `low` on.
pcs_status pcs_reader_read_whole(pcs_model_reader *reader, const pcs_yaml_node *node,
                                 const char *what, int64_t low, int64_t *number) PCS_MUST_CHECK;

// ---- Names and keys (model_names.c) ----

// Tables of the names in the file, for references in any order.
pcs_status pcs_reader_make_names(pcs_model_reader *reader) PCS_MUST_CHECK;
// Position of a name in the sorted table, -1 if unknown.
int32_t pcs_name_table_find(const pcs_name_table *table, const char *name);
// The name that was probably meant, or NULL.
const char *pcs_name_table_nearest(const pcs_model_reader *reader, const pcs_name_table *table,
                                   const char *name);
pcs_status pcs_reader_unknown_name(const pcs_model_reader *reader, const pcs_yaml_node *node,
                                   const char *what, const pcs_name_table *table);
// A body's name; `ground` is PCS_GROUND.
pcs_status pcs_reader_read_body(pcs_model_reader *reader, const pcs_yaml_node *node,
                                pcs_body_id *body) PCS_MUST_CHECK;
// The node of a mesh under the keys `mesh` and `node`, `tag` or `group`.
pcs_status pcs_reader_read_node(pcs_model_reader *reader, const pcs_yaml_node *map, int32_t *id)
    PCS_MUST_CHECK;
// The two different holders of an element.
pcs_status pcs_reader_read_bodies(pcs_model_reader *reader, const pcs_yaml_node *element,
                                  pcs_holder holders[2]) PCS_MUST_CHECK;
// Index of a text in a table of choices; an error with a suggestion otherwise.
pcs_status pcs_reader_read_choice(pcs_model_reader *reader, const pcs_yaml_node *node,
                                  const char *what, const char *const *choices, int32_t n_choices,
                                  int32_t *index) PCS_MUST_CHECK;
bool pcs_reader_get_flag(const pcs_yaml_node *map, const char *key);
// Refuses a key that makes no sense for the `owner` ("a revolute joint").
pcs_status pcs_reader_refuse_key(const pcs_model_reader *reader, const pcs_yaml_node *element,
                                 const char *key, const char *owner) PCS_MUST_CHECK;
pcs_status pcs_reader_require_key(const pcs_model_reader *reader, const pcs_yaml_node *element,
                                  const char *key, const char *owner) PCS_MUST_CHECK;
// Puts a place before the builder's error about an element: that of the key which the text
// mentions, or else of the element's name.
pcs_status pcs_reader_locate(const pcs_model_reader *reader, const pcs_yaml_node *element,
                             pcs_status status);

// ---- Sections ----

pcs_status pcs_reader_read_all_bodies(pcs_model_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_reader_read_all_meshes(pcs_model_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_reader_read_all_joints(pcs_model_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_reader_read_all_springs(pcs_model_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_reader_read_all_forces(pcs_model_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_reader_read_all_contacts(pcs_model_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_reader_read_all_systems(pcs_model_reader *reader) PCS_MUST_CHECK;
// Contacts of the types `surface` and `all-surfaces` (model_file_surfaces.c).
bool pcs_reader_is_surface_contact(const pcs_yaml_node *contact);
pcs_status pcs_reader_read_surface_contact(pcs_model_reader *reader, const pcs_yaml_node *contact)
    PCS_MUST_CHECK;
// Friction and restitution of a contact: from `law` or from its own numbers.
pcs_status pcs_reader_read_law(pcs_model_reader *reader, const pcs_yaml_node *contact, pcs_law *law)
    PCS_MUST_CHECK;

#endif

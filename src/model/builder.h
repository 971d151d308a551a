// The builder: a model under construction, its parameters, and the formulas still to be compiled
// (a formula may name joints that are added later, so compiling waits for finish()).
#ifndef PCS_MODEL_BUILDER_H
#define PCS_MODEL_BUILDER_H

#include "base/name_map.h"
#include "model/model.h"

typedef struct pcs_parameter {
    char *name;
    double value;
} pcs_parameter;

// Where a formula goes once compiled.
typedef enum pcs_formula_place {
    PCS_PLACE_FORCE,     // forces[index].force[component]
    PCS_PLACE_TORQUE,    // forces[index].torque[component]
    PCS_PLACE_ACTUATOR,  // actuators[index].force
    PCS_PLACE_MOTION,    // joints[index].motion[component]; of t alone
    PCS_PLACE_MESH_LOAD, // mesh_loads[index].formula[component]
    PCS_PLACE_FACES,     // surface_contacts[index].surface[component]; of t alone
    PCS_PLACE_SURFACE    // contact_pairs[index].surface[component]; of t alone
} pcs_formula_place;

typedef struct pcs_pending_formula {
    char *text;
    pcs_formula_place place;
    int32_t index, component;
} pcs_pending_formula;

// Things whose names must differ from each other.
typedef enum pcs_named_kind {
    PCS_NAMED_PARAMETER, // parameters[number]
    PCS_NAMED_INPUT,     // externals[number]
    PCS_NAMED_BODY,      // bodies[number]
    PCS_NAMED_JOINT,     // joints[number]
    PCS_NAMED_MESH,      // meshes[number]
    PCS_NAMED_SYSTEM,    // systems[number]
    PCS_NAMED_CONTACT    // contact_pairs[number] or surface_contacts[number]
} pcs_named_kind;

struct pcs_builder {
    pcs_context *ctx;
    pcs_model *model;   // NULL once handed out
    pcs_name_map names; // of pcs_named_kind
    PCS_ARRAY(pcs_parameter) parameters;
    PCS_ARRAY(pcs_pending_formula) formulas;
};

// What names in formulas mean.
typedef struct pcs_resolver {
    pcs_builder *builder;
    bool time_only; // signals are not allowed here
    bool no_inputs; // nor are external inputs
    bool failed;    // memory
    bool signal_refused;
} pcs_resolver;

// A pcs_symbol_fn with a pcs_resolver as its user: t is variable 0, and a signal that is read
// becomes input i of the model and variable i + 1.
pcs_symbol pcs_builder_resolve(void *user, const char *name, size_t length);

// Appends a name in the manner of printf; false without memory.
bool pcs_builder_push_name(pcs_context *ctx, pcs_model_names *list, const char *format, ...)
    PCS_PRINTF(3, 4);

// How far the arrays reach that adding one thing may lengthen before it fails; release() takes back
// what was added since, so that a refused joint, spring, force or contact leaves no trace.
typedef struct pcs_builder_mark {
    int32_t formulas, springs, actuators, limits, turns;
} pcs_builder_mark;

pcs_builder_mark pcs_builder_get_mark(const pcs_builder *builder);
void pcs_builder_release(pcs_builder *builder, const pcs_builder_mark *mark);

// Lagrangian systems when the model is finished (builder_systems.c), in this order.
pcs_status pcs_builder_add_system_nodes(pcs_builder *builder) PCS_MUST_CHECK;
pcs_status pcs_builder_derive_systems(pcs_builder *builder) PCS_MUST_CHECK;
pcs_status pcs_builder_number_system_rows(pcs_builder *builder, pcs_system *system) PCS_MUST_CHECK;
pcs_status pcs_builder_number_system_slots(pcs_builder *builder, pcs_system *system) PCS_MUST_CHECK;
pcs_status pcs_builder_check_system_masses(pcs_builder *builder) PCS_MUST_CHECK;
void pcs_builder_drop_system_nodes(pcs_builder *builder); // when finishing fails

// Joints for the fixations and links of meshes, made when the model is finished (builder_mesh.c).
pcs_status pcs_builder_add_holds(pcs_builder *builder) PCS_MUST_CHECK;
void pcs_builder_drop_holds(pcs_builder *builder); // when finishing fails

// Slots of surface contacts, and places of surfaces in a configuration (builder_surfaces.c).
pcs_status pcs_builder_number_surface_slots(pcs_builder *builder) PCS_MUST_CHECK;
// The group of this name; the message suggests the nearest one.
pcs_status pcs_builder_find_group(pcs_builder *builder, const pcs_mesh *mesh, const char *name,
                                  int32_t *group) PCS_MUST_CHECK;

// PCS_ERROR_ARGUMENT once the model is handed out.
pcs_status pcs_builder_check_open(pcs_builder *builder) PCS_MUST_CHECK;

// Initial pose of a frame in the world.
pcs_pose pcs_builder_frame_pose(const pcs_builder *builder, const pcs_frame *frame);
pcs_attachment pcs_builder_attach(const pcs_builder *builder, const pcs_frame *frame);

// Checks with messages "what 'name': ...".
pcs_status pcs_builder_check_name(pcs_builder *builder, const char *what, const char *name)
    PCS_MUST_CHECK;
// The same, and nothing else of this kind has the name; makes room to keep it.
pcs_status pcs_builder_check_new_name(pcs_builder *builder, pcs_named_kind kind, const char *name)
    PCS_MUST_CHECK;
// Keeps a checked name once its owner is in the model; `name` is the owner's copy.
void pcs_builder_keep_name(pcs_builder *builder, pcs_named_kind kind, const char *name,
                           int32_t number);
pcs_status pcs_builder_check_frame(pcs_builder *builder, const char *what, const char *name,
                                   const pcs_frame *frame) PCS_MUST_CHECK;
// Takes over a value: a number is checked to be finite, a formula is queued.
pcs_status pcs_builder_take_value(pcs_builder *builder, const char *what, const char *name,
                                  const pcs_value *value, pcs_formula_place place, int32_t index,
                                  int32_t component, double *number) PCS_MUST_CHECK;

#endif

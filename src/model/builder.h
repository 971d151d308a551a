// The builder: a model under construction, its parameters, and the formulas still to be compiled
// (a formula may name joints that are added later, so compiling waits for finish()).
#ifndef PCS_MODEL_BUILDER_H
#define PCS_MODEL_BUILDER_H

#include "model/model.h"

typedef struct pcs_parameter {
    char *name;
    double value;
} pcs_parameter;

// Where a formula goes once compiled.
typedef enum pcs_formula_place {
    PCS_PLACE_FORCE,    // forces[index].force[component]
    PCS_PLACE_TORQUE,   // forces[index].torque[component]
    PCS_PLACE_ACTUATOR, // actuators[index].force
    PCS_PLACE_MOTION,   // joints[index].motion[component]; of t alone
    PCS_PLACE_SURFACE   // contact_pairs[index].surface[component]; of t alone
} pcs_formula_place;

typedef struct pcs_pending_formula {
    char *text;
    pcs_formula_place place;
    int32_t index, component;
} pcs_pending_formula;

struct pcs_builder {
    pcs_context *ctx;
    pcs_model *model; // NULL once handed out
    PCS_ARRAY(pcs_parameter) parameters;
    PCS_ARRAY(pcs_pending_formula) formulas;
};

// How far the arrays reach that adding one thing may lengthen before it fails; release() takes back
// what was added since, so that a refused joint, spring, force or contact leaves no trace.
typedef struct pcs_builder_mark {
    int32_t formulas, springs, actuators, limits, turns;
} pcs_builder_mark;

pcs_builder_mark pcs_builder_get_mark(const pcs_builder *builder);
void pcs_builder_release(pcs_builder *builder, const pcs_builder_mark *mark);

// PCS_ERROR_ARGUMENT once the model is handed out.
pcs_status pcs_builder_check_open(pcs_builder *builder) PCS_MUST_CHECK;

// Initial pose of a frame in the world.
pcs_pose pcs_builder_frame_pose(const pcs_builder *builder, const pcs_frame *frame);
pcs_attachment pcs_builder_attach(const pcs_builder *builder, const pcs_frame *frame);

// Checks with messages "what 'name': ...".
pcs_status pcs_builder_check_name(pcs_builder *builder, const char *what, const char *name)
    PCS_MUST_CHECK;
pcs_status pcs_builder_check_frame(pcs_builder *builder, const char *what, const char *name,
                                   const pcs_frame *frame) PCS_MUST_CHECK;
// Takes over a value: a number is checked to be finite, a formula is queued.
pcs_status pcs_builder_take_value(pcs_builder *builder, const char *what, const char *name,
                                  const pcs_value *value, pcs_formula_place place, int32_t index,
                                  int32_t component, double *number) PCS_MUST_CHECK;

#endif

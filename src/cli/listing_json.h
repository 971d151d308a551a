// Listings as JSON, for programs: what a model file may name, and what a picture of a model shows.
#ifndef PCS_CLI_LISTING_JSON_H
#define PCS_CLI_LISTING_JSON_H

#include "percuss/io.h"
#include "percuss/mesh.h"
#include "percuss/problem.h"

// All that `percuss list` knows, as one object on standard output.
void cli_list_json(void);
// The drawings of a model (pcs_model_draw) and the names of its bodies, as one object.
pcs_status cli_drawings_json(const pcs_model *model);

// What `percuss list` says of a contact, a shape or the target of a surface contact.
const char *cli_contact_meaning(pcs_contact_kind kind);
const char *cli_shape_meaning(pcs_shape_kind kind);
const char *cli_target_meaning(pcs_target_kind kind);
// The classes of contact problems in the order of the lists; NULL beyond the last.
const char *cli_problem_class(int32_t index, pcs_problem_class *problem_class);

#endif

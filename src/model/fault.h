// Which formula of a model is not a finite number at a configuration: what a failed step says.
#ifndef PCS_MODEL_FAULT_H
#define PCS_MODEL_FAULT_H

#include "model/model.h"

enum { PCS_FAULT_SIZE = 512 };

// "force 'push' on body 'arm': \"sqrt(1 - t)\" is not a number", of the first formula whose variables are finite
// and whose value is not; false if there is none.
bool pcs_model_find_fault(const pcs_model *model, const pcs_configuration *c,
                          char text[PCS_FAULT_SIZE]);

#endif

// What statics shares with the modes.
#ifndef PCS_SIMULATION_STATICS_H
#define PCS_SIMULATION_STATICS_H

#include "simulation/simulation.h"

// A length that stands for the model at a configuration.
double pcs_statics_model_size(const pcs_model *model, const pcs_configuration *c);

#endif

// Signals of meshes: energies, extremes of the element results, means over groups; and, by their
// numbers, single nodes and elements, which are too many for a list.
#ifndef PCS_SIMULATION_MESH_SIGNAL_H
#define PCS_SIMULATION_MESH_SIGNAL_H

#include "simulation/simulation.h"

// Stops the walk by returning true. Kinds of signals count from `first_kind` on.
typedef bool (*pcs_signal_visit_fn)(void *user, const char *path, pcs_signal signal);

// Those that are listed, and how many they are; true if `visit` stopped.
bool pcs_mesh_signal_walk(const pcs_model *model, int32_t mesh, int32_t first_kind,
                          pcs_signal_visit_fn visit, void *user);
int32_t pcs_mesh_signal_count(const pcs_model *model, int32_t mesh);
// Those of the node or element that a path such as "mesh.beam.node.12.angle" names; none if it
// names no node or element. PCS_ERROR_INPUT for a number that the mesh does not have.
pcs_status pcs_mesh_signal_walk_one(pcs_context *ctx, const pcs_model *model, const char *path,
                                    int32_t first_kind, pcs_signal_visit_fn visit, void *user)
    PCS_MUST_CHECK;
// The kind counts from 0.
double pcs_mesh_signal_value(const pcs_simulation *simulation, pcs_signal signal);

#endif

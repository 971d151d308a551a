// Lemke's method on the circular cones, for small problems that all else failed on.
#ifndef PCS_NONSMOOTH_CONTACT_PATH_H
#define PCS_NONSMOOTH_CONTACT_PATH_H

#include "nonsmooth/friction_solver.h"

typedef struct pcs_contact_path pcs_contact_path;

// Memory is twice rows^2 values, for a dense W and the factors of one step.
pcs_status pcs_contact_path_create(const pcs_friction_contact *problem, pcs_arena *arena,
                                   pcs_contact_path **out) PCS_MUST_CHECK;
// Follows the path of one covering vector: 0 the plain one, else the seed of a random one. True,
// with r a solution up to rounding, if it arrives; false if it leads to infinity, winds for more
// than max_steps or is lost in rounding, with r untouched. Factorisations are added to *steps.
bool pcs_contact_path_follow(pcs_contact_path *path, uint64_t random, int32_t max_steps,
                             pcs_monitor *monitor, double *r, int32_t *steps);
// Follows a path from the centre, displaced at random but for the seed 0, or, for an odd seed, from
// anywhere; r and steps as before. The nearest point of all paths becomes the centre.
void pcs_contact_path_set_centre(pcs_contact_path *path, const double *r);
bool pcs_contact_path_search(pcs_contact_path *path, uint64_t random, int32_t max_steps,
                             pcs_monitor *monitor, double *r, int32_t *steps);

#endif

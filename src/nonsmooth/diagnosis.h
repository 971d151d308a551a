// Why a friction contact problem was not solved.
#ifndef PCS_NONSMOOTH_DIAGNOSIS_H
#define PCS_NONSMOOTH_DIAGNOSIS_H

#include "nonsmooth/friction_solver.h"

// Replaces info->reason by a cause that the data show, if there is one; r is the best iterate and
// u = W r + q.
void pcs_friction_diagnose(const pcs_friction_contact *problem, const double *r, const double *u,
                           pcs_solve_info *info);

// First contact that closes although no impulse moves it, a proof that there is no solution; -1:
// none
int32_t pcs_friction_find_immobile(const pcs_friction_contact *problem);

#endif

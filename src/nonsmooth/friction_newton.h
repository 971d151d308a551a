// Semismooth Newton methods for the friction contact problem, and their step for other solvers.
#ifndef PCS_NONSMOOTH_FRICTION_NEWTON_H
#define PCS_NONSMOOTH_FRICTION_NEWTON_H

#include "linalg/block_lu.h"
#include "nonsmooth/contact_function.h"
#include "nonsmooth/friction_solver.h"

extern const pcs_friction_solver pcs_solver_newton_ac, pcs_solver_newton_jm, pcs_solver_newton_fb,
    pcs_solver_newton_nm;

// Options of the rows, in the order of their table.
enum { PCS_NEWTON_SEARCH, PCS_NEWTON_START, PCS_NEWTON_START_ITERATIONS, PCS_NEWTON_OPTIONS };
typedef enum pcs_newton_search {
    PCS_SEARCH_NONE,
    PCS_SEARCH_ARMIJO, // nonmonotone
    PCS_SEARCH_GOLDSTEIN_PRICE
} pcs_newton_search;
enum { PCS_START_GAUSS_SEIDEL, PCS_START_EXTRAGRADIENT };

enum { PCS_NEWTON_MEMORY = 6 }; // merits that a nonmonotone search compares with

// u = W r + q + D (r - centre): the proximal problem if `centre` is set.
typedef struct pcs_newton_work {
    const pcs_friction_contact *problem;
    pcs_contact_function function;
    pcs_newton_search search;
    int32_t n, rows;
    pcs_contact_data *contact;
    double *trace;                                   // per block: mean diagonal entry of W_ii
    double *D;                                       // per block; zero without a proximal term
    double *centre;                                  // NULL: none
    double *u, *value, *direction, *trial, *trial_u; // rows
    double *E, *F;                                   // PCS_BLOCK_LU_STRIDE per block
    pcs_block_lu *lu;
    double bend; // regularisation of a singular matrix over trace; stays once it was needed
    double recent[PCS_NEWTON_MEMORY]; // merits
    int32_t count;                    // steps since the last reset
    int32_t factorisations;
} pcs_newton_work;

pcs_status pcs_newton_work_init(pcs_newton_work *work, const pcs_friction_contact *problem,
                                pcs_contact_function function, pcs_newton_search search,
                                pcs_arena *arena) PCS_MUST_CHECK;
// Proximal term with D_i = delta trace(W_ii)/size_i around centre (rows values, read as it stands
// at each step); NULL: none.
void pcs_newton_set_proximal(pcs_newton_work *work, double delta, double *centre);
// Velocities, function and merit |F| at r; forgets the merits before.
double pcs_newton_reset(pcs_newton_work *work, const double *r);
// One step on r with line search; *merit is |F| after it. False if no direction can be had.
bool pcs_newton_step(pcs_newton_work *work, double *r, double *merit);

#endif

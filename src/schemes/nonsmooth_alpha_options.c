// The options table of the nonsmooth generalized-alpha scheme.
#include "schemes/nonsmooth_alpha_options.h"

static const char *const variants[] = {"decoupled", "no_forces", "coupled", NULL};
static const char *const contact_solvers[] = {"newton", "complementarity", NULL};
static const char *const resting_contacts[] = {"corrected", "smooth", NULL};
static const char *const answers[] = {"no", "yes", NULL};
static const char *const policies[] = {"accept", "shrink_step", "stop", NULL};

const pcs_option pcs_na_options[NA_OPTION_COUNT] = {
    [NA_VARIANT] = PCS_CHOICE_ROW(
        "variant", NA_DECOUPLED, NA_COUPLED, variants,
        "decoupled: three problems, each solved once; no_forces: without the force differences "
        "between them; coupled: repeated until all three agree (small steps only)"),
    [NA_RHO_INFINITY] = PCS_REAL_ROW(
        "rho_infinity", 0.8, 0, 1,
        "part of the highest frequencies that a step keeps: 1 damps nothing, 0 removes them"),
    [NA_CONTACT_SOLVER] = PCS_CHOICE_ROW(
        "contact_solver", NA_SOLVE_NEWTON, NA_SOLVE_COMPLEMENTARITY, contact_solvers,
        "newton: contacts and forces in one semismooth Newton method, complementarity where it "
        "fails; complementarity: a contact problem in every iteration"),
    [NA_POSITION_FRICTION] = PCS_CHOICE_ROW(
        "position_friction", NA_YES, NA_YES, answers,
        "friction in the position problem too; without it what sticks creeps"),
    [NA_RESTING_CONTACTS] = PCS_CHOICE_ROW(
        "resting_contacts", NA_IN_SMOOTH, NA_IN_SMOOTH, resting_contacts,
        "contacts that stay closed: smooth, with forces of second order in the smooth problem "
        "(variant decoupled with position_friction), or corrected in every step, as in the thesis"),
    [NA_NEWTON_TOLERANCE] = PCS_REAL_ROW(
        "newton_tolerance", 1e-10, 1e-14, 1e-2,
        "balance of each node, relative to the terms in it; the thesis has 1e-5"),
    [NA_FORCE_TOLERANCE] = PCS_REAL_ROW(
        "force_tolerance", 1e-8, 0, 1e9,
        "N, added to the terms that the balance is relative to (times h for velocities, h^2 for "
        "positions); the thesis has 1e-5"),
    [NA_CONSTRAINT_TOLERANCE] = PCS_REAL_ROW(
        "constraint_tolerance", 1e-12, 1e-15, 1,
        "joint error and penetration at the end of a step, m or rad; for velocities relative to "
        "the fastest, at least 1 m/s; the thesis leaves them to newton_tolerance"),
    [NA_NEWTON_ITERATIONS] = PCS_INTEGER_ROW(
        "newton_iterations", 30, 1, 1000,
        "largest number of Newton iterations in one of the three problems of a step"),
    [NA_CONTRACTION] = PCS_REAL_ROW(
        "contraction", 0.1, 0, 1,
        "models with meshes keep the factors of a matrix for the next iteration when the residual "
        "has "
        "shrunk to this part; 0: a new matrix in every iteration, as in the thesis"),
    [NA_LINE_SEARCH] = PCS_INTEGER_ROW(
        "line_search", 6, 0, 100,
        "shorter corrections tried when the residual grows; 0 takes the full one"),
    [NA_SOLVER_TOLERANCE] = PCS_REAL_ROW("solver_tolerance", 1e-10, 1e-15, 1,
                                         "contact problem of contact_solver complementarity, "
                                         "residual relative to its driving terms"),
    [NA_SOLVER_ITERATIONS] = PCS_INTEGER_ROW(
        "solver_iterations", 10000, 1, 1e9,
        "largest number of sweeps and linear solves in such a contact solve"),
    [NA_SCALE_MASS] = PCS_REAL_ROW(
        "scale_mass", 0, 0, 1e300,
        "kg, scales constraints against forces: no influence on the result; 0: the mean mass for "
        "joints, the mass that a contact feels for contacts"),
    [NA_ON_FAILURE] = PCS_CHOICE_ROW(
        "on_failure", NA_SHRINK_STEP, NA_STOP, policies,
        "when a problem does not converge: accept what was reached, shrink_step, or stop"),
    [NA_IMPACT_SPEED] = PCS_REAL_ROW(
        "impact_speed", 1e-9, 0, 1e9,
        "approach speed above which a closing contact counts as an impact, m/s"),
    [NA_ASSEMBLY_LIMIT] = PCS_REAL_ROW(
        "assembly_limit", 0.1, 0, 1e9,
        "largest initial correction, as a part of the model's size (or rad)"),
};

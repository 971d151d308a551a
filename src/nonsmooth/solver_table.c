// The table of contact solvers and their options; the defaults of the settings come from it.
#include "nonsmooth/friction_contact.h"
#include "percuss/options.h"

enum { SWEEPS_MAX = 1000000000 }; // "as many as you like"

enum { TOLERANCE, ITERATIONS, SWEEPS_BEFORE, NEWTON_ITERATIONS, NEWTON_ROWS, FRICTION_COUNT };

static const pcs_option friction_options[FRICTION_COUNT] = {
    [TOLERANCE] = {"tolerance", PCS_OPTION_REAL, 1e-10, 0, 1, NULL,
                   "scaled residual; set by solver_tolerance of the scheme"},
    [ITERATIONS] = {"max_iterations", PCS_OPTION_INTEGER, 10000, 1, SWEEPS_MAX, NULL,
                    "Gauss-Seidel sweeps in all; set by solver_iterations of the scheme"},
    [SWEEPS_BEFORE] = {"sweeps_before_newton", PCS_OPTION_INTEGER, 30, 1, SWEEPS_MAX, NULL,
                       "sweeps before the first Newton polish; doubles after a failed one"},
    [NEWTON_ITERATIONS] = {"newton_iterations", PCS_OPTION_INTEGER, 60, 0, SWEEPS_MAX, NULL,
                           "linear solves of one polish; 0 never polishes"},
    [NEWTON_ROWS] = {"newton_max_rows", PCS_OPTION_INTEGER, 1500, 0, SWEEPS_MAX, NULL,
                     "problems with more rows stay with the sweeps"},
};

enum { RELAXATION = ITERATIONS + 1, NSGS_COUNT };

static const pcs_option nsgs_options[NSGS_COUNT] = {
    [TOLERANCE] = {"tolerance", PCS_OPTION_REAL, 1e-10, 0, 1, NULL,
                   "scaled residual; set by solver_tolerance of the scheme"},
    [ITERATIONS] = {"max_iterations", PCS_OPTION_INTEGER, 10000, 1, SWEEPS_MAX, NULL,
                    "sweeps; as second solver ten times solver_iterations of the scheme"},
    [RELAXATION] = {"relaxation", PCS_OPTION_REAL, 1, 0, 2, NULL,
                    "factor of each change, above 0 and below 2: 1 is none; as second solver 0.8"},
};

static const struct {
    const char *name, *help;
    const pcs_option *options;
    int32_t n_options;
} solvers[] = {
    {"gauss-seidel-newton",
     "sweeps of one-contact solves, polished by Newton's method where they are slow; the default",
     friction_options, FRICTION_COUNT},
    {"gauss-seidel", "sweeps of one-contact solves alone; tried second by on_failure: next_solver",
     nsgs_options, NSGS_COUNT},
};
enum { SOLVER_COUNT = sizeof solvers / sizeof *solvers };

const char *pcs_solver_name(int32_t i, const char **help, const pcs_option **options,
                            int32_t *n_options)
{
    if (i < 0 || i >= SOLVER_COUNT)
        return NULL;
    if (help)
        *help = solvers[i].help;
    if (options)
        *options = solvers[i].options;
    if (n_options)
        *n_options = solvers[i].n_options;
    return solvers[i].name;
}

pcs_friction_opts pcs_friction_default(void)
{
    const pcs_option *option = friction_options;
    return (pcs_friction_opts){
        .tolerance = option[TOLERANCE].fallback,
        .max_iterations = (int32_t)option[ITERATIONS].fallback,
        .sweeps_before_newton = (int32_t)option[SWEEPS_BEFORE].fallback,
        .newton_iterations = (int32_t)option[NEWTON_ITERATIONS].fallback,
        .newton_max_rows = (int32_t)option[NEWTON_ROWS].fallback,
    };
}

pcs_nsgs_opts pcs_nsgs_default(void)
{
    const pcs_option *option = nsgs_options;
    return (pcs_nsgs_opts){
        .tolerance = option[TOLERANCE].fallback,
        .max_iterations = (int32_t)option[ITERATIONS].fallback,
        .relaxation = option[RELAXATION].fallback,
    };
}

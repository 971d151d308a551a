// The table of options of the event-driven and the hybrid scheme.
#include "schemes/event_driven_options.h"

#include "schemes/march.h"
#include "schemes/moreau_jean.h"

static const char *const integrators[] = {"heun",   "bs32",   "rk4",    "rkf45", "dopri5", "hem5",
                                          "phem56", "alpha2", "alpha3", "auto",  NULL};
static const char *const controls[] = {"adaptive", "fixed", NULL};
static const char *const norms[] = {"euclidean", "weighted", NULL};
static const char *const stabilisations[] = {
    "none", "baumgarte", "projection", "compensation", "compensation_velocity",
    "ggl",  "auto",      NULL};
static const char *const locators[] = {"linear", "quadratic", "bracket", NULL};
static const char *const outputs[] = {"dense", "exact", NULL};
enum { INTEGRATOR_AUTO = 9 }; // place among the integrators
static const char *const switches[] = {"sticking", "turning", NULL};
static const char *const projections[] = {"none", "bilateral", "all", NULL};

const pcs_option pcs_ed_options[HY_OPTION_COUNT] = {
    [ED_INTEGRATOR] = {"integrator", PCS_OPTION_CHOICE, INTEGRATOR_AUTO, 0, INTEGRATOR_AUTO,
                       integrators,
                       "of the smooth phases: heun, bs32, rk4, rkf45, dopri5 (index 1), "
                       "hem5, phem56 (index 2), "
                       "alpha2, alpha3 (generalized-alpha, for stiff systems), "
                       "auto (alpha2 for a model with meshes, else phem56)"},
    [ED_TOLERANCE] = {"tolerance", PCS_OPTION_REAL, 1e-8, 1e-15, 1, NULL,
                      "error of a step, m or rad, in the chosen norm"},
    [ED_STEP_CONTROL] = {"step_control", PCS_OPTION_CHOICE, 0, 0, 1, controls,
                         "adaptive, or fixed: steps of first_step whatever the error"},
    [ED_ERROR_NORM] = {"error_norm", PCS_OPTION_CHOICE, PCS_NORM_EUCLIDEAN, 0, 1, norms,
                       "euclidean, or weighted: each component against its own size"},
    [ED_RELATIVE] = {"relative", PCS_OPTION_REAL, 1, 0, 1e9, NULL,
                     "weighted norm: part of a component's size in its weight"},
    [ED_FIRST_STEP] = {"first_step", PCS_OPTION_REAL, 0, 0, 1e9, NULL,
                       "first step, s; 0: chosen from the accelerations; fixed steps: all of them"},
    [ED_SMALLEST_STEP] = {"smallest_step", PCS_OPTION_REAL, 1e-12, 0, 1, NULL,
                          "the run stops when the error asks for a shorter one, s"},
    [ED_LARGEST_STEP] = {"largest_step", PCS_OPTION_REAL, 1, 1e-15, 1e9, NULL, "longest step, s"},
    [ED_SAFETY] = {"safety", PCS_OPTION_REAL, 0.9, 0.1, 1, NULL,
                   "part of the step that the error would allow"},
    [ED_GROWTH] = {"growth", PCS_OPTION_REAL, 10, 1, 100, NULL,
                   "largest ratio of a step to the one before"},
    [ED_DRIFT_MAX] = {"drift_max", PCS_OPTION_REAL, 0, 0, 1e9, NULL,
                      "rejects a step that leaves joints open by more, m or rad; 0: never"},
    [ED_STABILISATION] = {"stabilisation", PCS_OPTION_CHOICE, PCS_STABILISE_AUTO, 0, 6,
                          stabilisations,
                          "against drift: none, baumgarte or compensation (index-1 integrators), "
                          "projection after each step, ggl (alpha2); auto: projection from the "
                          "first singular position on"},
    [ED_BAUMGARTE_ALPHA] = {"baumgarte_alpha", PCS_OPTION_REAL, 0, 0, 1e9, NULL,
                            "damping of the drift, 1/s"},
    [ED_BAUMGARTE_BETA] = {"baumgarte_beta", PCS_OPTION_REAL, 0, 0, 1e9, NULL,
                           "frequency of the drift, 1/s"},
    [ED_PROJECTION_TOLERANCE] = {"projection_tolerance", PCS_OPTION_REAL, 1e-12, 1e-15, 1, NULL,
                                 "joint error left by a projection, m or rad"},
    [ED_RHO_INFINITY] = {"rho_infinity", PCS_OPTION_REAL, 0.8, 0, 1, NULL,
                         "generalized-alpha: 1 keeps high frequencies, 0 damps them fully"},
    [ED_NEWTON_TOLERANCE] = {"newton_tolerance", PCS_OPTION_REAL, 1e-10, 1e-15, 1e-2, NULL,
                             "generalized-alpha: residual of a step"},
    [ED_NEWTON_ITERATIONS] = {"newton_iterations", PCS_OPTION_INTEGER, 20, 1, 1000, NULL,
                              "generalized-alpha: largest number in a step"},
    [ED_ESTIMATE_CONSTANT] = {"estimate_constant", PCS_OPTION_REAL, 0.01, 1e-6, 1e6, NULL,
                              "hem5: c of its error estimate; larger means a smaller estimate"},
    [ED_LOCATOR] = {"locator", PCS_OPTION_CHOICE, ED_BRACKET, 0, 2, locators,
                    "of closing contacts: bracket, to event_tolerance; linear and quadratic "
                    "interpolation for order studies"},
    [ED_EVENT_TOLERANCE] = {"event_tolerance", PCS_OPTION_REAL, 1e-14, 0, 1, NULL,
                            "precision of an event's time, s, where rounding allows it"},
    [ED_SAMPLES] =
        {"samples", PCS_OPTION_INTEGER, 4, 1, 1000, NULL,
         "parts of a step in which forces, friction and faces are looked at; gaps need none"},
    [ED_GAP_TOLERANCE] = {"gap_tolerance", PCS_OPTION_REAL, 1e-8, 0, 1, NULL,
                          "a contact touches when its gap is not larger, m"},
    [ED_VELOCITY_TOLERANCE] = {"velocity_tolerance", PCS_OPTION_REAL, 1e-8, 0, 1e9, NULL,
                               "slower than this a contact closes without impact, does not rebound "
                               "and does not slide, m/s"},
    [ED_CLUSTER] = {"cluster", PCS_OPTION_REAL, 1e-10, 0, 1, NULL,
                    "events this close to each other are handled together, s"},
    [ED_ZENO_COUNT] = {"zeno_count", PCS_OPTION_INTEGER, 200, 1, 1e9, NULL,
                       "the run stops when more events than this fall into zeno_time"},
    [ED_ZENO_TIME] = {"zeno_time", PCS_OPTION_REAL, 1e-6, 0, 1, NULL, "see zeno_count, s"},
    [ED_OUTPUT] = {"output", PCS_OPTION_CHOICE, ED_DENSE, 0, 1, outputs,
                   "dense: steps run ahead of the output times, which are interpolated; exact: "
                   "steps end on them (always so with inputs)"},
    [ED_SOLVER_TOLERANCE] = {"solver_tolerance", PCS_OPTION_REAL, 1e-12, 1e-15, 1, NULL,
                             "contact problems of events, residual relative to what drives them"},
    [ED_SOLVER_ITERATIONS] = {"solver_iterations", PCS_OPTION_INTEGER, 10000, 1, 1e9, NULL,
                              "largest number of sweeps and linear solves in a contact solve"},
    [ED_ASSEMBLY_LIMIT] = {"assembly_limit", PCS_OPTION_REAL, 0.1, 0, 1e9, NULL,
                           "largest initial correction, as a part of the model's size (or rad)"},
    [HY_SMALLEST_TIME_STEP] = {"smallest_time_step", PCS_OPTION_REAL, 1e-5, 1e-12, 1, NULL,
                               "shortest step of the time stepping, s"},
    [HY_LARGEST_TIME_STEP] = {"largest_time_step", PCS_OPTION_REAL, 1e-4, 1e-12, 1, NULL,
                              "longest step of the time stepping, s"},
    [HY_STEADY_STEPS] = {"steady_steps", PCS_OPTION_INTEGER, 3, 1, 1000000, NULL,
                         "steps without a change of contact status that end the time stepping"},
    [HY_FRICTION_SWITCH] =
        {"friction_switch", PCS_OPTION_CHOICE, HY_TURNING, 0, 1, switches,
         "turning: time stepping where changes between slip and stick accumulate; "
         "sticking: at each of them, while a contact sticks, and for all "
         "friction in space"},
    [HY_THETA] = {"theta", PCS_OPTION_REAL, 0.5, 0.5, 1, NULL,
                  "time stepping: weight of the end of the step"},
    [HY_PROJECTION] = {"projection", PCS_OPTION_CHOICE, MJ_PROJECT_ALL, 0, 2, projections,
                       "time stepping, after a step: none, bilateral (joints), all"},
};

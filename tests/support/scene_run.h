// One run of a generated scene with one scheme, in a process of its own: a run that crawls or
// crashes is a result like any other.
#ifndef PCS_TESTS_SUPPORT_SCENE_RUN_H
#define PCS_TESTS_SUPPORT_SCENE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "percuss/simulation.h"
#include "support/scene_generator.h"

enum {
    RUN_VALUES_MAX = 512, // further coordinates of large models are left out
    RUN_IMPACTS_MAX = 400,
    RUN_TEXT_SIZE = 240
};

typedef enum run_outcome {
    RUN_FINISHED,
    RUN_REFUSED,
    RUN_STOPPED,
    RUN_TIMEOUT,
    RUN_CRASHED
} run_outcome;

typedef struct run_impact {
    double time, speed; // rad/s at the limit of an angle
    int32_t slot;
    double size; // what a sample of the contact's motion is relative to: the length, or 1 rad
} run_impact;

typedef struct run_result {
    run_outcome outcome;
    char message[RUN_TEXT_SIZE];
    double reached, seconds; // simulated time, CPU time
    int64_t steps;           // inner ones, where the scheme has them
    // Samples at the times end*k/SCENE_SAMPLES, k = 0 to SCENE_SAMPLES, of n_values numbers: positions
    // over the length of the scene, angles, quaternions; at last the energy in J, whose scale
    // depends on the times at which a scheme is looked at.
    int n_samples, n_values;
    double sample[SCENE_SAMPLES + 1][RUN_VALUES_MAX];
    bool struck[SCENE_SAMPLES + 1];  // there is an impact at the sample
    bool quaternion[RUN_VALUES_MAX]; // first of four numbers whose common sign means nothing
    // Energy: largest value of kinetic + potential - start - work of forces, actuators and drivers,
    // which only impacts, friction and damping may change, and never upwards; scale of both.
    double energy_gain, energy_gain_time, energy_scale;
    double
        numerical; // remainder of the account at the end, of either sign, relative to the largest
                   // energy or what was fed in
    double penetration, drift;
    double momentum;  // largest deviation of the sums that are kept, relative to sum |m v|
    double rest_time; // kinetic energy is below 1e-12 of the largest from here on; HUGE_VAL: never
    double rest_kinetic; // at the end, relative to the largest
    // Of the sum of normal forces in the last steps, relative, beyond what the motion that still
    // counts as rest makes; -1: no rest
    double force_ripple;
    bool steady; // kinetic energy and normal forces of the last steps are constant
    int64_t impacts, unconverged, rejected;
    int verdict; // pcs_level: what the run says of itself
    char finding[RUN_TEXT_SIZE];
    int64_t events[PCS_EVENT_KIND_COUNT];
    double first_event[PCS_EVENT_KIND_COUNT]; // s, where there is one
    int n_impacts;                            // kept, the first ones
    run_impact impact[RUN_IMPACTS_MAX];
} run_result;

typedef struct run_def {
    const char *path;    // a model file in place of the text of the scene; NULL: none
    const char *scheme;  // NULL: that of the file, with its options
    const char *options; // "key=value key=value"
    double step;         // s
    double seconds;      // CPU time, after which the run is given up
    double accuracy;     // m, tolerance of the scheme; 0: it has none
} run_def;

void scene_run_model(const scene_model *model, const run_def *def, run_result *result);
// How far apart the motions of two runs are at their samples, over the size of that of the second, or
// over the length of the scene and 1 rad where it is smaller.
double scene_run_distance(const run_result *a, const run_result *b);

#endif

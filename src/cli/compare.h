// percuss compare: schemes on models, at several tolerances or steps. What is asked for, what one
// run gave, and the parts that make it: schemes by name (compare_schemes.c), runs and their errors
// (compare_run.c), tables and CSV (compare_table.c), published values (compare_beside.c), pictures
// (compare_figure.c).
#ifndef PCS_CLI_COMPARE_H
#define PCS_CLI_COMPARE_H

#include "commands.h"
#include "profile.h"

enum {
    COMPARE_OPTIONS_MAX = 16,
    COMPARE_LEVELS_MAX = 16,
    COMPARE_LABEL_SIZE = 64,
    COMPARE_SIGNALS_MAX = 2
};

// What the levels of a scheme are.
typedef enum compare_level_kind {
    COMPARE_TOLERANCE,  // its option `tolerance`
    COMPARE_STEP,       // the step of the simulation
    COMPARE_INNER_STEP, // its option `first_step`, with step_control=fixed
} compare_level_kind;

// "event-driven:integrator=hem5:safety=0.8", or "hem5" for short.
typedef struct compare_scheme {
    char label[COMPARE_LABEL_SIZE]; // as it was written
    char *text;                     // that the options point into, from malloc
    const char *name;               // of the library's scheme
    compare_level_kind kind;
    pcs_setting options[COMPARE_OPTIONS_MAX];
    int32_t n_options;
} compare_scheme;

// Reads one scheme; `where` names the option in messages. False, with a message, if there is no
// such scheme or option. `scheme` is to be freed in any case.
bool compare_scheme_read(compare_scheme *scheme, const char *text, const char *where);
void compare_scheme_free(compare_scheme *scheme);

typedef enum compare_outcome {
    COMPARE_NOT_RUN, // interrupted before
    COMPARE_FINISHED,
    COMPARE_REFUSED, // the scheme does not take the model or the options
    COMPARE_FAILED,
    COMPARE_TIMEOUT
} compare_outcome;

const char *compare_outcome_name(compare_outcome outcome);

// Which error of q stands for a run in pictures and profiles.
typedef enum compare_error {
    COMPARE_ERROR_END,   // at the end
    COMPARE_ERROR_WORST, // at the worst output time
    COMPARE_ERROR_L1     // relative, over all output times
} compare_error;

// One model with one scheme at one level.
typedef struct compare_run {
    int32_t model, scheme;
    double level; // tolerance, or step in s
    compare_outcome outcome;
    char message[256]; // why it did not finish, or the first warning
    double seconds;    // CPU time of the steps, the best of the repeats
    double time;       // reached, s
    double average_step;
    // Lengths of q [-] q_reference and v - v_reference at the end and at the worst output time.
    double error_q, error_v, error_q_max, error_v_max; // NaN: no reference
    // Sums of these lengths over those of q_reference [-] q(start) and v_reference.
    double error_q_l1, error_v_l1;
    double error_signal[COMPARE_SIGNALS_MAX]; // sum |f - f_reference| / sum |f_reference|
    double energy_error;                      // largest |numerical| at output times, J
    pcs_statistics statistics;
} compare_run;

// The motion to compare with, at the output times start + k (end - start) / samples, k = 1...
typedef struct compare_reference {
    bool exists;
    int32_t samples;
    bool *known;             // a fixed step may miss output times
    double *q, *v, *signals; // of each output time
} compare_reference;

typedef struct compare_model {
    const char *path;
    char name[COMPARE_LABEL_SIZE]; // the file's name without folder and ending
    pcs_model_file *file;
    pcs_signal signals[COMPARE_SIGNALS_MAX]; // those of the table
    int32_t n_signals;
    compare_reference reference;
    char reference_note[320]; // how it was made, or why there is none
} compare_model;

typedef struct compare_table {
    compare_model *models;
    int32_t n_models;
    compare_scheme *schemes;
    int32_t n_schemes;
    double tolerances[COMPARE_LEVELS_MAX], steps[COMPARE_LEVELS_MAX]; // from large to small
    int32_t n_tolerances, n_steps;
    bool by_error; // profile: time to reach an error, not time at a tolerance
    compare_error error;
    const char *signals[COMPARE_SIGNALS_MAX]; // paths, whose L1 errors are wanted as well
    int32_t n_signals;
    compare_run *runs;
    int32_t n_runs;
} compare_table;

// The levels of a scheme.
int32_t compare_levels(const compare_table *table, const compare_scheme *scheme,
                       const double **levels);
// The run of this model, scheme and level; NULL if there is none that began.
const compare_run *compare_find_run(const compare_table *table, int32_t model, int32_t scheme,
                                    double level);

// ---- Running ----

typedef struct compare_limits {
    int32_t samples, repeat;
    double seconds; // CPU time of one run
} compare_limits;

// Fills run->...; model, scheme and level are set. Interrupted: NOT_RUN.
void compare_execute(const compare_table *table, const compare_limits *limits, compare_run *run);
// The reference of a model; its note says why if there is none. False when memory is out.
bool compare_make_reference(compare_model *model, const compare_scheme *scheme, double level,
                            const compare_limits *limits);
void compare_reference_free(compare_reference *reference);
// Tries the options of a scheme on a model without a step. False, with a message, for a value that
// the scheme does not take.
bool compare_check_options(const compare_model *model, const compare_scheme *scheme, double level);

// ---- Statistics and output ----

// Problems are pairs of a model and a tolerance: a scheme's time is that of its run at this
// tolerance, or, by error, that of its fastest run whose error of q is not above it.
bool compare_profile(const compare_table *table, cli_profile *profile);
// The column of the error of q that table->error names.
const char *compare_error_column(const compare_table *table);

void compare_print(FILE *out, const compare_table *table);
void compare_write_csv(FILE *out, const compare_table *table);

// A column of the CSV by name, NaN for what a run does not have; false for an unknown name.
bool compare_value(const compare_run *run, const char *column, double *value);

// Published values beside ours. False, with a message, if the file cannot be read.
typedef struct compare_beside compare_beside;
bool compare_beside_read(const char *path, compare_beside **out);
void compare_beside_print(FILE *out, const compare_beside *beside, const compare_table *table);
void compare_beside_free(compare_beside *beside);

// NAME.svg and NAME.png. False, with a message, if they cannot be written.
bool compare_draw(pcs_context *ctx, const compare_table *table, const cli_profile *profile,
                  const char *name);

#endif

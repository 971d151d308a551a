// Runs a generated scene with every scheme and judges the runs: each by what must hold of any
// motion, and against the most exact one where the motion is predictable.
//
// Invariants: the run comes to its end in time; energy never grows but by forces, actuators and
// drivers; contacts do not penetrate, joints do not open; momentum is kept where nothing acts; what
// must rest rests, and its forces are steady.
// Motion: a scheme is compared with the reference (event-driven, tight tolerance) at the samples up
// to the time at which the reference itself depends on its tolerance. Where a scheme is far off, it
// is run with finer and finer steps: it fails if it converges, but to something else.
#ifndef PCS_TESTS_SUPPORT_SCENE_JUDGE_H
#define PCS_TESTS_SUPPORT_SCENE_JUDGE_H

#include "support/scene_generator.h"

typedef enum judge_check {
    CHECK_RUN,         // refused, stopped, crashed
    CHECK_TIME,        // given up
    CHECK_ENERGY,      // grows
    CHECK_NUMERICAL,   // energy that the account cannot explain
    CHECK_PENETRATION, //
    CHECK_DRIFT,       // joints
    CHECK_MOMENTUM,    //
    CHECK_REST,        // does not rest
    CHECK_FORCE,       // at rest, but its forces are not steady
    CHECK_MOTION,      // converges to another motion than the reference
    CHECK_IMPACT,      // an impact of the reference is missing
    CHECK_COUNT
} judge_check;

const char *judge_check_name(int check);
int judge_scheme_count(void);
const char *judge_scheme_name(int scheme);

typedef struct judge_finding {
    int scheme;
    judge_check check;
    double value, allowed;
    char text[160];
    const char *explained; // by a known limit of the scheme: its reason; NULL: a failure
} judge_finding;

enum { JUDGE_FINDINGS_MAX = 128 };

typedef struct judge_opts {
    double seconds;      // CPU time for one run
    const char *schemes; // names separated by commas; NULL: all
    int verbose;         // prints each run, with its first impacts: as many as this
} judge_opts;

typedef struct scene_judgement {
    int n_findings;
    judge_finding finding[JUDGE_FINDINGS_MAX];
    int n_runs;
    int n_compared; // schemes compared with the reference
    int n_samples;  // up to which the reference is predictable; 0: not at all
    double seconds; // CPU time of all runs
} scene_judgement;

void scene_judge(const scene_model *model, const judge_opts *opts, scene_judgement *judgement);

#endif

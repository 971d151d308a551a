// Runs of a smooth integrator on a scene (support/scenes.h), without contacts: the march of
// schemes/march.h from the projected initial state. What fails prints the library's message and
// aborts.
#ifndef PCS_TESTS_SUPPORT_MARCH_RUN_H
#define PCS_TESTS_SUPPORT_MARCH_RUN_H

#include "schemes/march.h"
#include "support/scenes.h"

typedef struct march_run {
    scene *scene;
    pcs_march *march;
    pcs_phase phase;
    double *turns;
} march_run;

// Takes an unfinished scene; march_run_end() ends the scene too.
void march_run_begin(march_run *r, scene *s, const pcs_march_opts *opts);
// Another march on the same model from its initial state.
void march_run_restart(march_run *r, const pcs_march_opts *opts);
void march_run_to(march_run *r, double t);
void march_run_end(march_run *r);

// Options for fixed steps h of an integrator, and for its control with a tolerance.
pcs_march_opts march_run_fixed(const char *integrator, double h);
pcs_march_opts march_run_controlled(const char *integrator, double tolerance);

#endif

// Text for people: what a model holds, and what a run's statistics say.
#ifndef PCS_CLI_RUN_SUMMARY_H
#define PCS_CLI_RUN_SUMMARY_H

#include <stdio.h>

#include "percuss/evidence.h"

// "label     text" in aligned columns.
void cli_summary_line(FILE *out, const char *label, const char *format, ...) PCS_PRINTF(3, 4);

// Bodies, joints, contacts and degrees of freedom. `redundant` < 0: not known.
void cli_summary_model(FILE *out, const pcs_model *model, int32_t redundant);
// What the initial projection moved; unless `in_full`, only what is more than rounding.
void cli_summary_assembly(FILE *out, const pcs_model *model, const pcs_statistics *statistics,
                          bool in_full);
// The contact that starts deepest inside the other body, and what the scheme will do about it.
void cli_summary_initial_contact(FILE *out, const pcs_simulation *simulation, const char *scheme);
// Names of the redundant constraint rows; nothing if there are none.
void cli_summary_redundant_rows(FILE *out, const pcs_simulation *simulation);

// Steps, impacts, contacts, worst penetration, drift and residual.
void cli_summary_statistics(FILE *out, const pcs_statistics *statistics);
// Contact forces that are not unique; nothing if all are.
void cli_summary_forces(FILE *out, const pcs_run_facts *facts);
// Strain energy and largest results of the meshes now; nothing if there are none.
void cli_summary_meshes(FILE *out, const pcs_simulation *simulation);
// The account from the energy at the start to the energy at the end.
void cli_summary_energy(FILE *out, const pcs_statistics *statistics, const pcs_energy_scale *scale);
// What is known of a run for pcs_run_judge().
pcs_run_facts cli_find_run_facts(const pcs_simulation *simulation, const char *scheme,
                                 const pcs_energy_scale *energy);
// Plain words about what is off, then the verdict. `unfinished`: what the run did before its end
// ("stopped"), which nobody may take for a whole run; NULL: it ended.
pcs_level cli_summary_verdict(FILE *out, const pcs_run_facts *facts, const char *unfinished);
// The first reason of a bad verdict, in one line; nothing for others.
pcs_level cli_message_verdict(const pcs_run_facts *facts);
// One of them, in lines of a width that terminals have.
void cli_summary_warning(FILE *out, const char *text);

#endif

// What the numbers of a run say about its quality, in plain words. The program's summary, the
// report page and everyone else who judges a run take the judgement from here.
#ifndef PERCUSS_EVIDENCE_H
#define PERCUSS_EVIDENCE_H

#include "percuss/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pcs_level {
    PCS_LEVEL_GOOD,
    PCS_LEVEL_NOTICE, // usable, but something to know or to improve
    PCS_LEVEL_BAD     // do not trust the run before this is understood
} pcs_level;

PCS_API const char *pcs_level_name(pcs_level level); // "good", "notice", "bad"

// ---- Energy ----

// Largest energies seen during a run; the scale for its numerical remainder. Starts as zeros.
typedef struct pcs_energy_scale {
    bool started;
    double first_potential;
    double largest; // of kinetic energy and of the change of potential energy
} pcs_energy_scale;

PCS_API void pcs_energy_scale_update(pcs_energy_scale *scale, double kinetic, double potential);
// Energy at the start: what the account leaves of the energy at the end.
PCS_API double pcs_energy_at_start(const pcs_energy_account *energy);

// The numerical remainder relative to the largest energy of the run or work of its forces, J; that
// is zero, and the remainder relative to rounding, if there is no more than rounding.
PCS_API double pcs_energy_remainder(const pcs_statistics *statistics, const pcs_energy_scale *scale,
                                    double *largest);

// ---- Findings ----

// What is known of a run. Zeros and NULL stand for what is not known.
typedef struct pcs_run_facts {
    const pcs_statistics *statistics;
    pcs_energy_scale energy;
    int32_t contacts, joints; // in the model
    const char *projection;   // choice of the scheme's option
    const char *deepest;      // name of the contact with the smallest gap at the end
    double gap;               // its gap, m
    double size;              // of the model, m, where the statistics do not know it
    // Names of contact slots and bodies, as statistics number them; may be NULL, and return NULL.
    const char *(*contact_name)(const void *owner, int32_t slot);
    const char *(*body_name)(const void *owner, int32_t body);
    const void *owner; // the model or the result
} pcs_run_facts;

typedef enum pcs_finding_kind {
    PCS_FINDING_INITIAL_PENETRATION,
    PCS_FINDING_UNCONVERGED,
    PCS_FINDING_PENETRATION,
    PCS_FINDING_HOVER,
    PCS_FINDING_DRIFT,
    PCS_FINDING_ENERGY,
    PCS_FINDING_ERROR,      // of the motion, estimated
    PCS_FINDING_RESOLUTION, // of the motion by the steps
    PCS_FINDING_IMPACT_GAIN,
    PCS_FINDING_CHATTER,
    PCS_FINDING_ANGULAR_MOMENTUM, // of bodies that nothing outside acts on
    PCS_FINDING_SINGULAR,         // more redundant rows than at the start
    PCS_FINDING_RESIDUAL,
    PCS_FINDING_MOMENTUM,
    PCS_FINDING_VELOCITY_DRIFT,
    PCS_FINDING_REJECTED,
    PCS_FINDING_REDUNDANT, // at the start
    PCS_FINDING_FORCES,    // of contacts that are not unique: a note, never more
    PCS_FINDING_ASSEMBLY,
    PCS_FINDING_KIND_COUNT
} pcs_finding_kind;

enum { PCS_FINDING_TEXT_SIZE = 400 };

typedef struct pcs_finding {
    const char *label; // "penetration"
    const char *unit;
    double value;
    pcs_level level;
    bool applies; // false: the model has nothing that this speaks of (no joints, no contacts)
    char text[PCS_FINDING_TEXT_SIZE]; // a sentence without capital and full stop
} pcs_finding;

// Fills all PCS_FINDING_KIND_COUNT findings.
PCS_API void pcs_run_judge(const pcs_run_facts *facts, pcs_finding *findings);
// The verdict over all findings that apply: the worst level, and one plain sentence or two.
PCS_API pcs_level pcs_run_verdict(const pcs_finding *findings, char *text, size_t size);

// ---- Explanations ----

enum { PCS_EXPLANATION_SIZE = 600 };

// What a finding is about, whatever its value: plain sentences for readers who do not know the theory.
typedef struct pcs_explanation {
    char measured[PCS_EXPLANATION_SIZE]; // what, and in which unit
    char matters[PCS_EXPLANATION_SIZE];  // why
    char limits[PCS_EXPLANATION_SIZE];   // from where on a notice, or a problem, and why there
    char remedy[PCS_EXPLANATION_SIZE];   // what to do under the scheme of this run
} pcs_explanation;

PCS_API void pcs_finding_explain(const pcs_run_facts *facts, pcs_finding_kind kind,
                                 pcs_explanation *explanation);

#ifdef __cplusplus
}
#endif
#endif

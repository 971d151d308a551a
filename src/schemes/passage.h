// Contacts that a step of time stepping would pass: closed somewhere on its way, but not where the
// scheme looks, or found behind the centre of what they hit, with a normal that points on. Such a step
// is cut just behind the first touch, where the contact is seen.
#ifndef PCS_SCHEMES_PASSAGE_H
#define PCS_SCHEMES_PASSAGE_H

#include "schemes/gap_search.h"

typedef struct pcs_passage_step {
    double t, h;
    const double *q;       // at its start
    const double *way;     // d of the end q [+] d
    const double *onwards; // d of the end without the impacts of the step
    const double *gap;     // of the slots at its start
    const bool *carries;   // by slot: it has an impulse in the step
    const double *rate;    // by slot, where it has: normal velocity that the impact began with
    const double *turns, *external; // as in the state
    double tolerance;               // of gaps, m
    const double *load;             // impulses of the slots in the step before, 3 each; NULL: none
    int32_t n_near;                 // slots that may be closed on the way, ascending
    const int32_t *near;            // NULL: the first n_near
} pcs_passage_step;

// A slot that the step would pass, or -1; *cut: length of a step that ends just behind its first
// touch, 0 without any.
int32_t pcs_passage_find(pcs_gap_search *search, const pcs_passage_step *step, double *cut);
// Warns that a slot may have been passed by a step that was not cut any more.
void pcs_passage_warn(pcs_context *ctx, const pcs_model *model, const pcs_passage_step *step,
                      int32_t slot);

// Parts of a step after which contacts that are passed are no longer looked for, but named.
enum { PCS_PASSAGE_CUTS = 60 };

#endif

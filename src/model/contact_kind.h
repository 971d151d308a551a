// The table of contact kinds: what the evaluation needs to know about each.
#ifndef PCS_MODEL_CONTACT_KIND_H
#define PCS_MODEL_CONTACT_KIND_H

#include "geometry/contact_rates.h"
#include "percuss/model.h"

typedef pcs_status (*pcs_contact_check_fn)(pcs_context *ctx, const pcs_contact_def *def);

typedef struct pcs_contact_kind_row {
    const char *name;
    int32_t slots[2]; // in planar and in spatial models; 0: not allowed there
    pcs_contact_points_fn compute;
    pcs_contact_rates_fn rate;
    unsigned sizes;             // those that must be > 0, bits
    pcs_contact_check_fn check; // whether the sizes fit together; NULL: nothing more to check
} pcs_contact_kind_row;

// NULL if there is no such kind.
const pcs_contact_kind_row *pcs_contact_kind_find(pcs_contact_kind kind);

#endif

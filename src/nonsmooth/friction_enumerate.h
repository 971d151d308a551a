// All solutions of small friction contact problems: the oracle for Painleve's zero, one, two,
// three.
#ifndef PCS_NONSMOOTH_FRICTION_ENUMERATE_H
#define PCS_NONSMOOTH_FRICTION_ENUMERATE_H

#include "nonsmooth/friction_contact.h"
#include "nonsmooth/mlcp.h"

// Counts the distinct solutions (a continuum counts as PCS_SOLUTIONS_MANY) and keeps the first
// `capacity` of them in `solutions` (rows of W each; may be NULL). Contacts of one and two rows are
// enumerated by their modes, 2^a 4^b <= 2^PCS_FRICTION_ENUMERATE_BITS; one spatial contact with
// friction by the roots of its slip condition, if it is the only contact. Bilateral blocks may be
// added to both. W may be singular, indefinite or nonsymmetric.
// PCS_NOT_CONVERGED: the problem is too large (*count = -1), or singular modes could not be decided
// (*count is a lower bound).
enum { PCS_FRICTION_ENUMERATE_BITS = 18 };
pcs_status pcs_friction_enumerate(const pcs_friction_contact *problem, pcs_arena *arena,
                                  int32_t capacity, double *solutions, int32_t *count)
    PCS_MUST_CHECK;

// The spatial contact u = W r + q alone, W 3 x 3 row-major, mu > 0: solutions (3 values each, at
// most `capacity` are kept) and their number. Never fails.
enum { PCS_ONE_CONTACT_SOLUTIONS = 6 }; // open, stick and four slips: no more can be isolated
int32_t pcs_one_contact_enumerate(const double *W, const double *q, double mu, int32_t capacity,
                                  double *solutions);

#endif

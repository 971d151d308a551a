// Where formulas switch. A comparison, if, min, max, abs, sign, step, floor, mod... is smooth as
// long as its operands keep their order (or their whole part); a switch is an instant at which that
// changes. docs/theory/switching.md has the equations.
//
// What depends on time alone is known beforehand: next() finds the first switch after a time, in
// closed form where the operands are linear in t between switches, and by bisection with interval
// bounds otherwise, which passes over no switch. Nothing is listed, so a pulse that repeats for
// ever costs no memory. What depends on the state is known along a motion: sides() says on which
// side of each switch a point lies and how far.
#ifndef PCS_FORMULA_SWITCHING_H
#define PCS_FORMULA_SWITCHING_H

#include "formula/program.h"

typedef struct pcs_switching pcs_switching;

typedef enum pcs_switching_kind {
    PCS_SWITCHING_TIME, // operands that depend on variable 0 alone
    PCS_SWITCHING_STATE // operands that depend on other variables too
} pcs_switching_kind;

// Switches of one kind of a formula or a program; *out is NULL if it has none.
pcs_status pcs_switching_of_formula(pcs_context *ctx, const pcs_formula *formula,
                                    pcs_switching_kind kind, pcs_switching **out) PCS_MUST_CHECK;
pcs_status pcs_switching_of_program(pcs_context *ctx, const pcs_program *program,
                                    pcs_switching_kind kind, pcs_switching **out) PCS_MUST_CHECK;
void pcs_switching_destroy(pcs_switching *switching);

// Number of switch functions.
int32_t pcs_switching_count(const pcs_switching *switching);

// First switch after `t` and not after `limit`, HUGE_VAL: none. `rounding` is the resolution of
// time: switches nearer than that to `t` count as passed. No heap call.
double pcs_switching_next(pcs_switching *switching, double t, double limit, double rounding);

// For each switch function the side of the point (-1, 0, 1, or the whole part), and the signed
// distance of its operands from the switch with respect to the side `from` (positive: still on that
// side). `from` may be NULL: then `distance` is not written. Functions in branches that are not
// taken keep the side NAN.
void pcs_switching_sides(pcs_switching *switching, const double *variables, const double *from,
                         double *side, double *distance);

#endif

// Intervals: what the operations of formulas make of all numbers between two bounds. The result
// holds every value that the operation takes there, and may be wider; a NaN makes it everything.
// Bounds are rounded as values are: a bound is good to the rounding of the operation itself.
#ifndef PCS_FORMULA_INTERVAL_H
#define PCS_FORMULA_INTERVAL_H

typedef struct pcs_interval {
    double low, high;
} pcs_interval;

// op(x[0], x[1], x[2]); unused operands are not looked at.
pcs_interval pcs_interval_apply(int op, const pcs_interval *x);

#endif

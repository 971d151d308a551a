// Wall clock for statistics and time limits.
#ifndef PCS_BASE_TIMER_H
#define PCS_BASE_TIMER_H

// Seconds since an arbitrary origin; never runs backwards.
double pcs_timer_now(void);

#endif

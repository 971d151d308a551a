// A look at the clock from inside long computations.
#ifndef PCS_BASE_WATCH_H
#define PCS_BASE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

// Nonzero: give up. Called every few milliseconds of work.
typedef int (*pcs_watch_fn)(void *user);

typedef struct pcs_watch {
    pcs_watch_fn is_over; // NULL: never
    void *user;
} pcs_watch;

static inline bool pcs_watch_is_over(const pcs_watch *watch)
{
    return watch != NULL && watch->is_over != NULL && watch->is_over(watch->user) != 0;
}

#endif

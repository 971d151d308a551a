#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L // clock_gettime
#endif
#include "base/timer.h"

#include <time.h>

double pcs_timer_now(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0; // no such clock: every interval then measures zero
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define _GNU_SOURCE // sched_setaffinity
#include "support/measure.h"

#include <sched.h>
#include <time.h>

double bench_cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_use_one_core(void)
{
#ifdef __linux__
    int cpu = sched_getcpu();
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu < 0)
        return;
    CPU_SET((unsigned)cpu, &set);
    (void)!sched_setaffinity(0, sizeof set, &set); // a refusal only makes the figures noisier
#endif
}

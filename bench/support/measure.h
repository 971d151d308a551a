// Measuring: CPU time of one core, best of several runs.
#ifndef PCS_BENCH_MEASURE_H
#define PCS_BENCH_MEASURE_H

// Seconds of CPU time of this process.
double bench_cpu_time(void);
// Binds the process to the core it runs on, where the system can do that.
void bench_use_one_core(void);

#endif

// The benchmark scenes in other engines: what they return and what is linked in where the engine is
// installed (PERCUSS_PEER_MUJOCO, PERCUSS_PEER_ODE). The scenes are those of
// tests/support/mechanisms.h.
#ifndef PCS_BENCH_PEERS_H
#define PCS_BENCH_PEERS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// N-link chain over 2 s.
typedef struct chain_result {
    double steps_per_second;
    double energy_error; // largest |E - E(0)| at step ends, J
    double joint_gap;    // largest distance of the two sides of a hinge, m
    double tip[2];       // (x, z) at 1 s
} chain_result;

// Stack of boxes over 5 s.
typedef struct stack_result {
    double steps_per_second;
    double penetration; // deepest interface at the end, m
    double drift;       // horizontal distance of the top box from its start at the end, m
    double tilt;        // largest angle of a box's z axis from the vertical at the end, rad
    double kinetic;     // largest kinetic energy over the last half, J
} stack_result;

typedef struct bench_run {
    int n;                  // links or boxes
    double h;               // step, s
    double end;             // s
    int repeat;             // timed runs, of which the best counts
    double top_mass_factor; // stack: mass of the top box against the others
} bench_run;

// `method`: Euler, RK4 or implicit for the chain; Newton or PGS for the stack.
bool peer_mujoco_chain(const char *method, const bench_run *run, chain_result *out);
bool peer_mujoco_stack(const char *method, const bench_run *run, stack_result *out);
// `iterations` of QuickStep; 0: WorldStep.
bool peer_ode_chain(int iterations, const bench_run *run, chain_result *out);
bool peer_ode_stack(int iterations, const bench_run *run, stack_result *out);

#ifdef __cplusplus
}
#endif
#endif

// A probe: a small model under the microscope of a unit test. It owns context, builder, model,
// state and all the storage that the terms of model/assembly.h are evaluated into.
//
// Derivatives are taken by the five-point formula; with PROBE_STEP = 5e-4 its truncation
// h^4 f^(5)/30 is 2e-15 f^(5) and its rounding 1.5 eps |f|/h is 7e-13 |f|.
#ifndef PCS_TESTS_PROBE_H
#define PCS_TESTS_PROBE_H

#include "base/random.h"
#include "model/assembly.h"
#include "model/builder.h"

#define PROBE_STEP 5e-4
// Covers |f| up to a hundred and |f^(5)| up to 5e4: rotations of a few rad/s, arms of a few metres.
#define PROBE_TOLERANCE 1e-10

enum { PROBE_Q_MAX = 64, PROBE_ROWS_MAX = 64, PROBE_TURNS_MAX = 32 };

typedef struct probe {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
    pcs_configuration c;
    pcs_saddle *saddle;
    pcs_row_block *blocks;
    double *block_values;
    double t;
    double q[PROBE_Q_MAX], v[PROBE_Q_MAX], turns[PROBE_TURNS_MAX];
} probe;

void probe_begin(probe *p, int32_t dimension);
// Finishes the model; q and v are its initial state.
void probe_finish(probe *p);
void probe_end(probe *p);
void probe_must(const probe *p, pcs_status status); // fails with the message of the context

// A body with unsymmetrical inertia and an eccentric centre of mass at a random pose.
pcs_body_id probe_add_body(probe *p, pcs_random *random, const char *name);
pcs_body_id probe_add_point(probe *p, pcs_random *random, const char *name);

pcs_vec3 probe_vector(pcs_random *random, int32_t dimension, double size);
pcs_quat probe_rotation(pcs_random *random, int32_t dimension); // any rotation
pcs_frame probe_frame(pcs_random *random, int32_t dimension, pcs_body_id body);

// Random state: initial q moved by up to `size` in every direction, velocities up to `speed`.
void probe_randomise(probe *p, pcs_random *random, double size, double speed);
// Configuration at (t + s, q [+] s d, v).
void probe_move(probe *p, double s, const double *d);
// Configuration at (t, q [+] s e_j, v).
void probe_nudge(probe *p, int32_t j, double s);
// Joint angles of more than a turn count from the present configuration.
void probe_set_turns(probe *p);

// A = M + scale_K K + scale_C C at the configuration, dense row-major n_v x n_v.
void probe_matrix(probe *p, double scale_K, double scale_C, double *A);
// What stands in the saddle system now.
void probe_read_matrix(probe *p, double *A);

// Five-point derivative from the values at -2h, -h, h, 2h.
double probe_derivative(const double f[4], double h);
double probe_place(int k, double h); // -2h, -h, h, 2h for k = 0..3

void probe_assert_near(double found, double expected, double tolerance, const char *what, int i,
                       int j);

#endif

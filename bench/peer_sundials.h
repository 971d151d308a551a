// Mechanisms for SUNDIALS' IDA, with hand-written residuals and Jacobians:
//     M(q) v' = F(q, v) + G^T lambda,     g(q) = 0.
// The constraints are sums of sines and cosines of angles that are a coordinate or the sum of two.
#ifndef PCS_BENCH_PEER_SUNDIALS_H
#define PCS_BENCH_PEER_SUNDIALS_H

#include <stdbool.h>

enum { IDA_COORDINATES_MAX = 8, IDA_ROWS_MAX = 6, IDA_ANGLES_MAX = 8, IDA_TERMS_MAX = 32 };

typedef struct ida_term {
    int row, angle;
    double c, s; // adds c cos(angle) + s sin(angle) to the row
} ida_term;

typedef struct ida_mechanism {
    const char *name;
    int n, m, n_angles, n_terms;
    int angle[IDA_ANGLES_MAX][2]; // coordinates; the second is -1 if there is none
    ida_term term[IDA_TERMS_MAX];
    double constant[IDA_ROWS_MAX]; // of the rows
    double start[IDA_COORDINATES_MAX], end;
    // M (n x n) and F.
    void (*terms)(const double *q, const double *v, double *M, double *F);
    // K += d(M a - F)/dq, C = -dF/dv, both n x n by rows and zero before.
    void (*tangents)(const double *q, const double *v, const double *a, double *K, double *C);
    double q_end[IDA_COORDINATES_MAX], v_end[IDA_COORDINATES_MAX]; // reference at the end
} ida_mechanism;

typedef enum ida_form {
    IDA_INDEX_1, // G v' + (dG/dt) v = 0
    IDA_INDEX_2, // G v = 0
    IDA_GGL,     // G v = 0 and g = 0, q' = v + G^T mu
    IDA_FORMS
} ida_form;

const char *ida_form_name(ida_form form);

typedef struct ida_result {
    bool finished;
    double seconds; // CPU time from the (re)start to the end
    double q[IDA_COORDINATES_MAX],
        v[IDA_COORDINATES_MAX];               // at the end, projected on the constraints
    long steps, residuals, jacobians, failed; // failed: error tests and Newton iterations
    double drift;                             // |g| at the end, before the projection
} ida_result;

// One integration with relative and absolute tolerance `tolerance`, the best of `repeat` times. The
// multipliers have an absolute tolerance of their own: nothing depends on their history, and in the
// forms of index 2 they carry rounding errors over the step length, on which Newton's iteration
// need not wait; the form GGL fails at tight tolerances without it. IDA has no place for a
// projection within the run (a new start after each step would bring it back to order 1), so that
// the forms without position constraint are projected at the end, which is not in the time.
bool peer_sundials_ida(const ida_mechanism *mechanism, ida_form form, double tolerance,
                       double of_multipliers, int repeat, ida_result *out);

#endif

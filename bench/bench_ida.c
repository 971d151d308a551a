// PHEM56 at tolerance 1e-8, model from formulas, against SUNDIALS' IDA at equal measured error: the
// four-bar linkage [Haddouni2015, 3.1] and Andrews' squeezer (IVP Test Set). IDA gets hand-written
// residuals and Jacobians and the largest tolerance with which its error is not above ours, in the
// fastest of three forms of the constraints. Run in the folder of the sources.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer_sundials.h"
#include "percuss/io.h"
#include "support/measure.h"

// ---- Four-bar linkage, three absolute angles ----

static const double BAR_L1 = 0.3, BAR_L3 = 0.4, BAR_MASS = 1, BAR_TORQUE = 6, GRAVITY = 9.81;
#define BAR_L2 0.36055512754639896 // sqrt(0.13)

static void bar_terms(const double *q, const double *v, double *M, double *F)
{
    const double m = BAR_MASS, h = 0.5 * m * BAR_L1 * BAR_L2, third = m / 3;
    const double s = sin(q[1] - q[0]);
    M[0] = third * BAR_L1 * BAR_L1 + m * BAR_L1 * BAR_L1;
    M[4] = third * BAR_L2 * BAR_L2;
    M[8] = third * BAR_L3 * BAR_L3;
    M[1] = M[3] = h * cos(q[0] - q[1]);
    F[0] = -1.5 * m * BAR_L1 * GRAVITY * cos(q[0]) + h * s * v[1] * v[1] + BAR_TORQUE;
    F[1] = -0.5 * m * BAR_L2 * GRAVITY * cos(q[1]) - h * s * v[0] * v[0];
    F[2] = -0.5 * m * BAR_L3 * GRAVITY * cos(q[2]);
}

static void bar_tangents(const double *q, const double *v, const double *a, double *K, double *C)
{
    const double m = BAR_MASS, h = 0.5 * m * BAR_L1 * BAR_L2;
    const double s = sin(q[1] - q[0]), c = cos(q[1] - q[0]);
    // M12 = h cos(q1 - q0): dM12/dq0 = h s, dM12/dq1 = -h s
    K[0] = h * s * a[1] - 1.5 * m * BAR_L1 * GRAVITY * sin(q[0]) + h * c * v[1] * v[1];
    K[1] = -h * s * a[1] - h * c * v[1] * v[1];
    K[3] = h * s * a[0] - h * c * v[0] * v[0];
    K[4] = -h * s * a[0] - 0.5 * m * BAR_L2 * GRAVITY * sin(q[1]) + h * c * v[0] * v[0];
    K[8] = -0.5 * m * BAR_L3 * GRAVITY * sin(q[2]);
    C[1] = -2 * h * s * v[1];
    C[3] = 2 * h * s * v[0];
}

static const ida_mechanism four_bar = {
    .name = "four-bar",
    .n = 3,
    .m = 2,
    .n_angles = 3,
    .angle = {{0, -1}, {1, -1}, {2, -1}},
    .n_terms = 6,
    .term = {{0, 0, 0.3, 0},
             {0, 1, BAR_L2, 0},
             {0, 2, -0.4, 0},
             {1, 0, 0, 0.3},
             {1, 1, 0, BAR_L2},
             {1, 2, 0, -0.4}},
    .constant = {-0.7, 0},
    .start = {1.0471975511965976, 0.24256387409548533, 2.0943951023931953},
    .end = 2,
    .terms = bar_terms,
    .tangents = bar_tangents,
    // Converged to the digits shown.
    .q_end = {0.2701647217, -1.2613123892, 3.8602783870},
    .v_end = {6.1958043856, -2.4366483250, -5.0611138612},
};

// ---- Andrews' squeezer: beta, Theta, gamma, Phi, delta, Omega, epsilon ----

static const double SM[] = {.04325, .00365, .02373, .00706, .07050, .00706, .05498};
static const double SI[] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
static const double DA = .0115, E_ = .02, EA = .01421, RR = .007, RA = .00092, SA = .01874;
static const double SB = .01043, SC = .018, SD = .02, TA = .02308, TB = .00916, ZT = .04, U_ = .04;
static const double UA = .01228, UB = .00449, ZF = .02, FA = .01421, MOMENT = .033;
static const double SPRING = 4530, SPRING_LENGTH = .07785;
static const double XB = -.03635, YB = .03273, XC = .014, YC = .072;

typedef struct squeezer_spring {
    double force, slope; // torque on gamma, and its derivative
} squeezer_spring;

// The spring from D to C acts on the angle gamma alone: torque -c0 (l - l0) dl/dgamma.
static squeezer_spring find_spring(double gamma)
{
    const double s = sin(gamma), c = cos(gamma);
    const double x = SD * c + SC * s + XB - XC, y = SD * s - SC * c + YB - YC;
    const double dx = -SD * s + SC * c,
                 dy = SD * c + SC * s; // d(x, y)/dgamma; second: -(x - xb...)
    const double ddx = -SD * c - SC * s, ddy = -SD * s + SC * c;
    const double l = sqrt(x * x + y * y), rate = (x * dx + y * dy) / l;
    const double second = (dx * dx + dy * dy + x * ddx + y * ddy - rate * rate) / l;
    return (squeezer_spring){-SPRING * (l - SPRING_LENGTH) * rate,
                             -SPRING * (rate * rate + (l - SPRING_LENGTH) * second)};
}

static void squeezer_terms(const double *q, const double *v, double *M, double *F)
{
    const double e = E_ - EA, f = ZF - FA;
    const double st = sin(q[1]), ct = cos(q[1]), sp = sin(q[3]), cp = cos(q[3]);
    const double so = sin(q[5]), co = cos(q[5]);
    M[0] = SM[0] * RA * RA + SM[1] * (RR * RR - 2 * DA * RR * ct + DA * DA) + SI[0] + SI[1];
    M[1] = M[7] = SM[1] * (DA * DA - DA * RR * ct) + SI[1];
    M[8] = SM[1] * DA * DA + SI[1];
    M[16] = SM[2] * (SA * SA + SB * SB) + SI[2];
    M[24] = SM[3] * e * e + SI[3];
    M[25] = M[31] = SM[3] * (e * e + ZT * e * sp) + SI[3];
    M[32] = SM[3] * (ZT * ZT + 2 * ZT * e * sp + e * e) + SM[4] * (TA * TA + TB * TB) + SI[3] +
            SI[4];
    M[40] = SM[5] * f * f + SI[5];
    M[41] = M[47] = SM[5] * (f * f - U_ * f * so) + SI[5];
    M[48] = SM[5] * (f * f - 2 * U_ * f * so + U_ * U_) + SM[6] * (UA * UA + UB * UB) + SI[5] +
            SI[6];
    F[0] = MOMENT - SM[1] * DA * RR * v[1] * (v[1] + 2 * v[0]) * st;
    F[1] = SM[1] * DA * RR * v[0] * v[0] * st;
    F[2] = find_spring(q[2]).force;
    F[3] = SM[3] * ZT * e * v[4] * v[4] * cp;
    F[4] = -SM[3] * ZT * e * v[3] * (v[3] + 2 * v[4]) * cp;
    F[5] = -SM[5] * U_ * f * v[6] * v[6] * co;
    F[6] = SM[5] * U_ * f * v[5] * (v[5] + 2 * v[6]) * co;
}

static void squeezer_tangents(const double *q, const double *v, const double *a, double *K,
                              double *C)
{
    const double t = SM[1] * DA * RR, p = SM[3] * ZT * (E_ - EA), o = SM[5] * U_ * (ZF - FA);
    const double st = sin(q[1]), ct = cos(q[1]), sp = sin(q[3]), cp = cos(q[3]);
    const double so = sin(q[5]), co = cos(q[5]);
    K[1] = t * st * (2 * a[0] + a[1]) + t * v[1] * (v[1] + 2 * v[0]) * ct;
    K[8] = t * st * a[0] - t * v[0] * v[0] * ct;
    K[16] = -find_spring(q[2]).slope;
    K[24] = p * cp * a[4] + p * v[4] * v[4] * sp;
    K[31] = p * cp * (a[3] + 2 * a[4]) - p * v[3] * (v[3] + 2 * v[4]) * sp;
    K[40] = -o * co * a[6] - o * v[6] * v[6] * so;
    K[47] = -o * co * (a[5] + 2 * a[6]) + o * v[5] * (v[5] + 2 * v[6]) * so;
    C[0] = 2 * t * v[1] * st;
    C[1] = 2 * t * (v[1] + v[0]) * st;
    C[7] = -2 * t * v[0] * st;
    C[25] = -2 * p * v[4] * cp;
    C[31] = 2 * p * (v[3] + v[4]) * cp;
    C[32] = 2 * p * v[3] * cp;
    C[41] = 2 * o * v[6] * co;
    C[47] = -2 * o * (v[5] + v[6]) * co;
    C[48] = -2 * o * v[5] * co;
}

enum { BETA, BETA_THETA, GAMMA, PHI_DELTA, DELTA, OMEGA_EPS, EPS };

static const ida_mechanism squeezer = {
    .name = "squeezer",
    .n = 7,
    .m = 6,
    .n_angles = 7,
    .angle = {{0, -1}, {0, 1}, {2, -1}, {3, 4}, {4, -1}, {5, 6}, {6, -1}},
    .n_terms = 22,
    .term = {{0, BETA, .007, 0},        {0, BETA_THETA, -.028, 0}, {0, GAMMA, 0, -.035},
             {1, BETA, 0, .007},        {1, BETA_THETA, 0, -.028}, {1, GAMMA, .035, 0},
             {2, BETA, .007, 0},        {2, BETA_THETA, -.028, 0}, {2, PHI_DELTA, 0, -.02},
             {2, DELTA, -.04, 0},       {3, BETA, 0, .007},        {3, BETA_THETA, 0, -.028},
             {3, PHI_DELTA, .02, 0},    {3, DELTA, 0, -.04},       {4, BETA, .007, 0},
             {4, BETA_THETA, -.028, 0}, {4, OMEGA_EPS, -.02, 0},   {4, EPS, 0, -.04},
             {5, BETA, 0, .007},        {5, BETA_THETA, 0, -.028}, {5, OMEGA_EPS, 0, -.02},
             {5, EPS, .04, 0}},
    .constant = {.03635, -.03273, .06934, .00227, .06934, .00227},
    .start = {-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
              0.487364979543842550, -0.222668390165885885, 1.23054744454982119},
    .end = 0.03,
    .terms = squeezer_terms,
    .tangents = squeezer_tangents,
    // IVP Test Set, PSIDE with tolerance 1e-14.
    .q_end = {15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
              0.5244099658805304, 0.5347301163226948, 1.048080741042263},
    .v_end = {1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385,
              0.5735699284790808, -19.29337464421385, 0.3231791658026955},
};

// ---- Errors ----

static double distance(const double *x, const double *reference, int n)
{
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        sum += (x[i] - reference[i]) * (x[i] - reference[i]);
        size += reference[i] * reference[i];
    }
    return sqrt(sum / size);
}

// The larger of the relative errors of q and v at the end.
static double find_error(const ida_mechanism *m, const double *q, const double *v)
{
    return fmax(distance(q, m->q_end, m->n), distance(v, m->v_end, m->n));
}

// ---- Percuss ----

typedef struct own_result {
    bool finished;
    double seconds, error, drift;
    long long steps, rejected, evaluations;
} own_result;

static void run_once(pcs_context *ctx, const pcs_model_file *file, const ida_mechanism *m,
                     own_result *out)
{
    pcs_simulation_def def = pcs_model_file_simulation(file);
    pcs_simulation *simulation = NULL;
    def.scheme = "event-driven";
    def.start = 0;
    def.end = def.step = m->end;
    pcs_status status = pcs_simulation_create(ctx, pcs_model_file_model(file), &def, &simulation);
    if (status >= 0)
        status = pcs_simulation_set(simulation, "integrator", "phem56");
    if (status >= 0)
        status = pcs_simulation_set(simulation, "tolerance", "1e-8");
    if (status >= 0)
        status = pcs_simulation_start(simulation);
    double begin = bench_cpu_time();
    while (status >= 0 && !pcs_simulation_finished(simulation))
        status = pcs_simulation_step(simulation);
    double seconds = bench_cpu_time() - begin;
    out->finished = status >= 0;
    if (status >= 0) {
        const pcs_statistics *s = pcs_simulation_statistics(simulation);
        out->seconds = fmin(out->seconds, seconds);
        out->error = find_error(m, pcs_simulation_q(simulation), pcs_simulation_v(simulation));
        out->drift = s->worst_drift;
        out->steps = s->inner_steps;
        out->rejected = s->rejected_steps;
        out->evaluations = s->evaluations;
    } else
        printf("%-10s %-10s %s\n", m->name, "PHEM56", pcs_context_error(ctx));
    pcs_simulation_destroy(simulation);
}

// More runs of ours; `out` keeps the best time.
static void measure_own(const char *path, const ida_mechanism *m, int repeat, own_result *out)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    pcs_model_file *file = NULL;
    if (ctx && pcs_model_file_read(ctx, path, NULL, 0, &file) < 0)
        printf("%-10s %-10s %s\n", m->name, "PHEM56", pcs_context_error(ctx));
    for (int i = 0; file && i < repeat && (i == 0 || out->finished); i++)
        run_once(ctx, file, m, out);
    pcs_model_file_destroy(file);
    pcs_context_destroy(ctx);
}

// ---- IDA ----

#ifdef PERCUSS_PEER_SUNDIALS
// Absolute tolerance of the multipliers: that of the state, or one that leaves them alone. Which is
// faster differs from case to case, so that both are tried.
static double of_multipliers(double tolerance, bool loose)
{
    return loose ? 1 : tolerance;
}

// The largest tolerance, eight to a decade, with which the error is within the target, be it by
// luck (errors do not fall evenly); 0 if there is none.
static double find_tolerance(const ida_mechanism *m, ida_form form, bool loose, double target)
{
    enum { PER_DECADE = 8 };
    for (int k = 3 * PER_DECADE; k <= 13 * PER_DECADE; k++) {
        ida_result r;
        double tolerance = pow(10, -(double)k / PER_DECADE);
        if (peer_sundials_ida(m, form, tolerance, of_multipliers(tolerance, loose), 1, &r) &&
            find_error(m, r.q, r.v) <= target)
            return tolerance;
    }
    return 0;
}

// One form of IDA with the tolerance that it needs; none: it does not reach the error.
typedef struct contender {
    ida_form form;
    bool loose;
    double tolerance;
    ida_result best;
} contender;

enum { CONTENDERS = 2 * IDA_FORMS };

static void find_contenders(const ida_mechanism *m, double target, contender *list)
{
    for (int i = 0; i < CONTENDERS; i++) {
        contender *c = &list[i];
        *c = (contender){.form = (ida_form)(i / 2), .loose = i % 2, .best = {.seconds = INFINITY}};
        c->tolerance = find_tolerance(m, c->form, c->loose, target);
    }
}

static void measure_contenders(const ida_mechanism *m, int repeat, contender *list)
{
    for (int i = 0; i < CONTENDERS; i++) {
        contender *c = &list[i];
        ida_result r;
        if (c->tolerance > 0 &&
            peer_sundials_ida(m, c->form, c->tolerance, of_multipliers(c->tolerance, c->loose),
                              repeat, &r) &&
            r.seconds < c->best.seconds)
            c->best = r;
    }
}

static void print_contenders(const ida_mechanism *m, const own_result *own, const contender *list)
{
    double best = INFINITY;
    for (int form = 0; form < IDA_FORMS; form++) {
        const contender *c = &list[2 * form];
        char name[24];
        c = c[1].best.seconds < c->best.seconds ? c + 1 : c;
        snprintf(name, sizeof name, "IDA %s", ida_form_name(c->form));
        if (!isfinite(c->best.seconds)) {
            printf("%-10s %-11s does not reach the error\n", m->name, name);
            continue;
        }
        printf("%-10s %-11s %7.0e %10.1f %8ld %8ld %12ld %10.2e %10.1e %8.2f\n", m->name, name,
               c->tolerance, 1e6 * c->best.seconds, c->best.steps, c->best.failed,
               c->best.residuals, find_error(m, c->best.q, c->best.v), c->best.drift,
               c->best.seconds / own->seconds);
        best = fmin(best, c->best.seconds);
    }
    printf("%-10s PHEM56 is %.2f times as fast as the fastest form of IDA\n", m->name,
           best / own->seconds);
}
#endif

static void print_own(const ida_mechanism *m, const own_result *own)
{
    printf("%-10s %-10s %8.0e %10.1f %8lld %8lld %12lld %10.2e %10.1e\n", m->name, "PHEM56", 1e-8,
           1e6 * own->seconds, own->steps, own->rejected, own->evaluations, own->error, own->drift);
}

// In turns, so that a disturbance of the machine meets all.
static void measure(const ida_mechanism *m, const char *path, int rounds)
{
    enum { RUNS_IN_ROUND = 10 };
    own_result own = {.seconds = INFINITY};
    measure_own(path, m, 1, &own);
    if (!own.finished)
        return;
#ifdef PERCUSS_PEER_SUNDIALS
    contender list[CONTENDERS];
    find_contenders(m, own.error, list);
#endif
    for (int i = 0; i < rounds; i++) {
        measure_own(path, m, RUNS_IN_ROUND, &own);
#ifdef PERCUSS_PEER_SUNDIALS
        measure_contenders(m, RUNS_IN_ROUND, list);
#endif
    }
    print_own(m, &own);
#ifdef PERCUSS_PEER_SUNDIALS
    print_contenders(m, &own, list);
#else
    puts("SUNDIALS is not installed (Debian: libsundials-dev): no ratio");
#endif
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    bench_use_one_core();
    printf("PHEM56 against IDA at equal error at the end, best of %d rounds of 10 runs, one core\n",
           rounds);
    printf("%-10s %-10s %8s %10s %8s %8s %12s %10s %10s %8s\n", "model", "method", "tol", "CPU us",
           "steps", "rejected", "evaluations", "error", "drift", "ratio");
    measure(&four_bar, "examples/four_bar_formulas.yaml", rounds);
    measure(&squeezer, "examples/andrews_squeezer_formulas.yaml", rounds);
    puts("error: larger of |q - q_ref|/|q_ref| and |v - v_ref|/|v_ref|; evaluations: of the "
         "equations of\nmotion, for IDA residuals; ratio: time of IDA over time of PHEM56");
    return 0;
}

// IDA of SUNDIALS 6: dense linear solver, Jacobian by hand, three forms of the constraints.
#include "peer_sundials.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

enum { N = IDA_COORDINATES_MAX, ROWS = IDA_ROWS_MAX, STEPS_MAX = 10000000 };

typedef struct equations {
    const ida_mechanism *m;
    ida_form form;
    int size;
} equations;

const char *ida_form_name(ida_form form)
{
    static const char *const names[IDA_FORMS] = {"index 1", "index 2", "GGL"};
    return names[form];
}

static double cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- Constraints ----

typedef struct waves {
    double cos[IDA_ANGLES_MAX], sin[IDA_ANGLES_MAX];
} waves;

static void find_waves(const ida_mechanism *m, const double *q, waves *w)
{
    for (int k = 0; k < m->n_angles; k++) {
        double angle = q[m->angle[k][0]] + (m->angle[k][1] >= 0 ? q[m->angle[k][1]] : 0);
        w->cos[k] = cos(angle);
        w->sin[k] = sin(angle);
    }
}

static double rate_of(const ida_mechanism *m, int angle, const double *x)
{
    return x[m->angle[angle][0]] + (m->angle[angle][1] >= 0 ? x[m->angle[angle][1]] : 0);
}

static void find_g(const ida_mechanism *m, const waves *w, double *g)
{
    memcpy(g, m->constant, (size_t)m->m * sizeof *g);
    for (int i = 0; i < m->n_terms; i++) {
        const ida_term *t = &m->term[i];
        g[t->row] += t->c * w->cos[t->angle] + t->s * w->sin[t->angle];
    }
}

// out += d(terms)/dq with the factor of each term and row: by[row][j] += factor * slope * d
// angle/dq_j
static void add_row(const ida_mechanism *m, const ida_term *t, double value, double by[ROWS][N])
{
    by[t->row][m->angle[t->angle][0]] += value;
    if (m->angle[t->angle][1] >= 0)
        by[t->row][m->angle[t->angle][1]] += value;
}

static void find_G(const ida_mechanism *m, const waves *w, double G[ROWS][N])
{
    memset(G, 0, sizeof(double) * ROWS * N);
    for (int i = 0; i < m->n_terms; i++) {
        const ida_term *t = &m->term[i];
        add_row(m, t, -t->c * w->sin[t->angle] + t->s * w->cos[t->angle], G);
    }
}

// d(G x)/dq
static void find_G_tangent(const ida_mechanism *m, const waves *w, const double *x,
                           double out[ROWS][N])
{
    memset(out, 0, sizeof(double) * ROWS * N);
    for (int i = 0; i < m->n_terms; i++) {
        const ida_term *t = &m->term[i];
        double second = -t->c * w->cos[t->angle] - t->s * w->sin[t->angle];
        add_row(m, t, second * rate_of(m, t->angle, x), out);
    }
}

// (dG/dt) v and its derivative with respect to q
static void find_convective(const ida_mechanism *m, const waves *w, const double *v, double *gamma,
                            double out[ROWS][N])
{
    memset(gamma, 0, (size_t)m->m * sizeof *gamma);
    if (out)
        memset(out, 0, sizeof(double) * ROWS * N);
    for (int i = 0; i < m->n_terms; i++) {
        const ida_term *t = &m->term[i];
        double rate = rate_of(m, t->angle, v), square = rate * rate;
        gamma[t->row] -= (t->c * w->cos[t->angle] + t->s * w->sin[t->angle]) * square;
        if (out)
            add_row(m, t, (t->c * w->sin[t->angle] - t->s * w->cos[t->angle]) * square, out);
    }
}

// K += factor d(G^T x)/dq
static void add_geometric(const ida_mechanism *m, const waves *w, const double *x, double factor,
                          double K[N][N])
{
    for (int i = 0; i < m->n_terms; i++) {
        const ida_term *t = &m->term[i];
        double second = -t->c * w->cos[t->angle] - t->s * w->sin[t->angle];
        double value = factor * x[t->row] * second;
        int a = m->angle[t->angle][0], b = m->angle[t->angle][1];
        K[a][a] += value;
        if (b >= 0) {
            K[a][b] += value;
            K[b][a] += value;
            K[b][b] += value;
        }
    }
}

// ---- Residual: (q, v, lambda) or (q, v, lambda, mu) ----

static int residual(realtype time, N_Vector y, N_Vector y_rate, N_Vector r, void *user)
{
    const equations *s = user;
    const ida_mechanism *m = s->m;
    const int n = m->n, rows = m->m;
    const double *q = N_VGetArrayPointer(y), *v = q + n, *lambda = v + n, *mu = lambda + rows;
    const double *q_rate = N_VGetArrayPointer(y_rate), *a = q_rate + n;
    double *out = N_VGetArrayPointer(r), M[N * N] = {0}, F[N], G[ROWS][N];
    waves w;
    (void)time;
    m->terms(q, v, M, F);
    find_waves(m, q, &w);
    find_G(m, &w, G);
    for (int i = 0; i < n; i++) {
        double sum = -F[i], slip = q_rate[i] - v[i];
        for (int j = 0; j < n; j++)
            sum += M[i * n + j] * a[j];
        for (int k = 0; k < rows; k++)
            sum -= G[k][i] * lambda[k];
        for (int k = 0; s->form == IDA_GGL && k < rows; k++)
            slip -= G[k][i] * mu[k];
        out[i] = slip;
        out[n + i] = sum;
    }
    const double *x = s->form == IDA_INDEX_1 ? a : v;
    double *row = out + 2 * n;
    if (s->form == IDA_INDEX_1)
        find_convective(m, &w, v, row, NULL);
    else
        memset(row, 0, (size_t)rows * sizeof *row);
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < n; j++)
            row[k] += G[k][j] * x[j];
    if (s->form == IDA_GGL)
        find_g(m, &w, row + rows);
    return 0;
}

// ---- Jacobian dR/dy + c dR/dy' ----

static int jacobian(realtype time, realtype c, N_Vector y, N_Vector y_rate, N_Vector r,
                    SUNMatrix matrix, void *user, N_Vector one, N_Vector two, N_Vector three)
{
    const equations *s = user;
    const ida_mechanism *m = s->m;
    const int n = m->n, rows = m->m;
    const double *q = N_VGetArrayPointer(y), *v = q + n, *lambda = v + n, *mu = lambda + rows;
    const double *a = N_VGetArrayPointer(y_rate) + n;
    double M[N * N] = {0}, F[N], K[N][N] = {{0}}, slip[N][N] = {{0}}, flat[N * N] = {0};
    double C[N * N] = {0}, G[ROWS][N], along[ROWS][N], bend[ROWS][N], gamma[ROWS];
    realtype **J = SUNDenseMatrix_Cols(matrix); // J[column][row]
    waves w;
    (void)time, (void)r, (void)one, (void)two, (void)three;
    m->terms(q, v, M, F);
    m->tangents(q, v, a, flat, C);
    find_waves(m, q, &w);
    find_G(m, &w, G);
    add_geometric(m, &w, lambda, -1, K);
    if (s->form == IDA_GGL)
        add_geometric(m, &w, mu, -1, slip);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            J[j][i] = slip[i][j];
            J[j][n + i] = K[i][j] + flat[i * n + j];
            J[n + j][n + i] = c * M[i * n + j] + C[i * n + j];
        }
        J[j][j] += c;
        J[n + j][j] = -1;
        for (int k = 0; k < rows; k++) {
            J[2 * n + k][n + j] = -G[k][j];
            if (s->form == IDA_GGL) {
                J[2 * n + rows + k][j] = -G[k][j];
                J[j][2 * n + rows + k] = G[k][j];
            }
        }
    }
    find_G_tangent(m, &w, v, along);
    if (s->form == IDA_INDEX_1) {
        find_convective(m, &w, v, gamma, bend);
        for (int k = 0; k < rows; k++)
            for (int j = 0; j < n; j++) {
                J[j][2 * n + k] = bend[k][j];
                J[n + j][2 * n + k] = c * G[k][j] + 2 * along[k][j];
            }
        find_G_tangent(m, &w, a, along);
        for (int k = 0; k < rows; k++)
            for (int j = 0; j < n; j++)
                J[j][2 * n + k] += along[k][j];
        return 0;
    }
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < n; j++) {
            J[j][2 * n + k] = along[k][j];
            J[n + j][2 * n + k] = G[k][j];
        }
    return 0;
}

// ---- Start and projection: [M -G^T; G 0] (x, y) = (top, bottom), by elimination with pivots ----

static void solve_saddle(const ida_mechanism *m, const double *q, const double *top,
                         const double *bottom, double *x, double *y)
{
    enum { MOST = N + ROWS };
    double A[MOST][MOST + 1], M[N * N] = {0}, F[N], G[ROWS][N];
    const int n = m->n, size = n + m->m;
    waves w;
    memset(A, 0, sizeof A);
    m->terms(q, q, M, F); // M alone is needed
    find_waves(m, q, &w);
    find_G(m, &w, G);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A[i][j] = M[i * n + j];
        for (int k = 0; k < m->m; k++) {
            A[i][n + k] = -G[k][i];
            A[n + k][i] = G[k][i];
        }
        A[i][size] = top[i];
    }
    for (int k = 0; k < m->m; k++)
        A[n + k][size] = bottom[k];
    for (int p = 0; p < size; p++) {
        int best = p;
        for (int i = p + 1; i < size; i++)
            best = fabs(A[i][p]) > fabs(A[best][p]) ? i : best;
        for (int j = 0; j <= size; j++) {
            double other = A[p][j];
            A[p][j] = A[best][j];
            A[best][j] = other;
        }
        for (int i = 0; i < size; i++) {
            double factor = i == p ? 0 : A[i][p] / A[p][p];
            for (int j = p; factor != 0 && j <= size; j++)
                A[i][j] -= factor * A[p][j];
        }
    }
    for (int i = 0; i < n; i++)
        x[i] = A[i][size] / A[i][i];
    for (int k = 0; k < m->m; k++)
        y[k] = A[n + k][size] / A[n + k][n + k];
}

// Accelerations and multipliers.
static void solve_start(const ida_mechanism *m, const double *q, const double *v, double *a,
                        double *lambda)
{
    double M[N * N] = {0}, F[N], gamma[ROWS];
    waves w;
    m->terms(q, v, M, F);
    find_waves(m, q, &w);
    find_convective(m, &w, v, gamma, NULL);
    for (int k = 0; k < m->m; k++)
        gamma[k] = -gamma[k];
    solve_saddle(m, q, F, gamma, a, lambda);
}

// Onto g = 0 and G v = 0, along M^-1 G^T.
static void project(const ida_mechanism *m, double *q, double *v)
{
    enum { ITERATIONS = 3 }; // from 1e-8 two are enough
    double none[N] = {0}, miss[ROWS], step[N], multipliers[ROWS], G[ROWS][N];
    waves w;
    for (int i = 0; i < ITERATIONS; i++) {
        find_waves(m, q, &w);
        find_g(m, &w, miss);
        for (int k = 0; k < m->m; k++)
            miss[k] = -miss[k];
        solve_saddle(m, q, none, miss, step, multipliers);
        for (int j = 0; j < m->n; j++)
            q[j] += step[j];
    }
    find_waves(m, q, &w);
    find_G(m, &w, G);
    for (int k = 0; k < m->m; k++) {
        miss[k] = 0;
        for (int j = 0; j < m->n; j++)
            miss[k] -= G[k][j] * v[j];
    }
    solve_saddle(m, q, none, miss, step, multipliers);
    for (int j = 0; j < m->n; j++)
        v[j] += step[j];
}

// ---- The run ----

typedef struct solver {
    SUNContext context;
    void *ida;
    N_Vector y, y_rate, id, weight;
    SUNMatrix matrix;
    SUNLinearSolver linear;
} solver;

static void set_start(const equations *s, N_Vector y, N_Vector y_rate)
{
    const ida_mechanism *m = s->m;
    double *x = N_VGetArrayPointer(y), *rate = N_VGetArrayPointer(y_rate);
    memset(x, 0, (size_t)s->size * sizeof *x);
    memset(rate, 0, (size_t)s->size * sizeof *rate);
    memcpy(x, m->start, (size_t)m->n * sizeof *x);
    solve_start(m, x, x + m->n, rate + m->n, x + 2 * m->n);
}

static bool open_solver(equations *s, double tolerance, double of_multipliers, solver *o)
{
    const ida_mechanism *m = s->m;
    if (SUNContext_Create(NULL, &o->context) != 0)
        return false;
    o->y = N_VNew_Serial(s->size, o->context);
    o->y_rate = N_VNew_Serial(s->size, o->context);
    o->id = N_VNew_Serial(s->size, o->context);
    o->weight = N_VNew_Serial(s->size, o->context);
    o->matrix = SUNDenseMatrix(s->size, s->size, o->context);
    o->linear = SUNLinSol_Dense(o->y, o->matrix, o->context);
    o->ida = IDACreate(o->context);
    if (!o->y || !o->y_rate || !o->id || !o->weight || !o->matrix || !o->linear || !o->ida)
        return false;
    double *id = N_VGetArrayPointer(o->id), *weight = N_VGetArrayPointer(o->weight);
    for (int i = 0; i < s->size; i++) {
        id[i] = i < 2 * m->n; // 1: differential
        weight[i] = i < 2 * m->n ? tolerance : of_multipliers;
    }
    set_start(s, o->y, o->y_rate);
    return IDAInit(o->ida, residual, 0, o->y, o->y_rate) == IDA_SUCCESS &&
           IDASVtolerances(o->ida, tolerance, o->weight) == IDA_SUCCESS &&
           IDASetUserData(o->ida, s) == IDA_SUCCESS &&
           IDASetErrFile(o->ida, NULL) == IDA_SUCCESS && // a failure is a result here
           IDASetId(o->ida, o->id) == IDA_SUCCESS &&
           IDASetSuppressAlg(o->ida, SUNTRUE) == IDA_SUCCESS && // no test of the multipliers
           IDASetMaxNumSteps(o->ida, STEPS_MAX) == IDA_SUCCESS &&
           IDASetLinearSolver(o->ida, o->linear, o->matrix) == IDA_SUCCESS &&
           IDASetJacFn(o->ida, jacobian) == IDA_SUCCESS;
}

static void close_solver(solver *o)
{
    if (o->ida)
        IDAFree(&o->ida);
    if (o->linear)
        SUNLinSolFree(o->linear);
    if (o->matrix)
        SUNMatDestroy(o->matrix);
    N_Vector vectors[] = {o->y, o->y_rate, o->id, o->weight};
    for (int i = 0; i < 4; i++)
        if (vectors[i])
            N_VDestroy(vectors[i]);
    SUNContext_Free(&o->context);
}

static void collect(const equations *s, const solver *o, ida_result *out)
{
    const ida_mechanism *m = s->m;
    const double *y = N_VGetArrayPointer(o->y);
    double g[ROWS];
    long tests = 0, newton = 0;
    waves w;
    memcpy(out->q, y, (size_t)m->n * sizeof *y);
    memcpy(out->v, y + m->n, (size_t)m->n * sizeof *y);
    IDAGetNumSteps(o->ida, &out->steps);
    IDAGetNumResEvals(o->ida, &out->residuals);
    IDAGetNumJacEvals(o->ida, &out->jacobians);
    IDAGetNumErrTestFails(o->ida, &tests);
    IDAGetNumNonlinSolvConvFails(o->ida, &newton);
    out->failed = tests + newton;
    find_waves(m, y, &w);
    find_g(m, &w, g);
    out->drift = 0;
    for (int k = 0; k < m->m; k++)
        out->drift = fmax(out->drift, fabs(g[k]));
    project(m, out->q, out->v);
}

bool peer_sundials_ida(const ida_mechanism *mechanism, ida_form form, double tolerance,
                       double of_multipliers, int repeat, ida_result *out)
{
    equations s = {mechanism, form, 2 * mechanism->n + (form == IDA_GGL ? 2 : 1) * mechanism->m};
    solver o = {0};
    *out = (ida_result){.seconds = INFINITY};
    bool good = open_solver(&s, tolerance, of_multipliers, &o);
    for (int i = 0; good && i < repeat; i++) {
        realtype reached;
        double begin = cpu_time();
        set_start(&s, o.y, o.y_rate);
        good = IDAReInit(o.ida, 0, o.y, o.y_rate) == IDA_SUCCESS &&
               IDASetStopTime(o.ida, mechanism->end) == IDA_SUCCESS &&
               IDASolve(o.ida, mechanism->end, &reached, o.y, o.y_rate, IDA_NORMAL) >= 0;
        out->seconds = fmin(out->seconds, cpu_time() - begin);
    }
    if (good)
        collect(&s, &o, out);
    out->finished = good;
    close_solver(&o);
    return good;
}

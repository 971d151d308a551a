// Enumeration of the modes of a friction contact problem. In each mode the law is linear:
//
//     open    r = 0,                        u_N >= 0
//     closed  u_N = 0,                      r_N >= 0           (no friction: r_T = 0)
//     stick   u_N = u_T = 0,                |r_T| <= mu r_N    (planar)
//     slip+-  u_N = 0, r_T = -+ mu r_N,     r_N >= 0, +- u_T >= 0
//
// so that a choice of modes for all contacts is a square system with inequalities (face.h), u = 0
// on bilateral rows. A solution is counted in one mode only: closed, stick and slip need r_N > 0,
// and slip needs u_T /= 0. Spatial contacts: friction_enumerate_space.c.
#include "nonsmooth/friction_enumerate.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "nonsmooth/face.h"

typedef enum contact_mode {
    MODE_OPEN,
    MODE_CLOSED,
    MODE_STICK,
    MODE_SLIP_PLUS,
    MODE_SLIP_MINUS
} contact_mode;
static const contact_mode normal_modes[] = {MODE_OPEN, MODE_CLOSED};
static const contact_mode planar_modes[] = {MODE_OPEN, MODE_STICK, MODE_SLIP_PLUS, MODE_SLIP_MINUS};

// r_N and |u_T| above this (data ~ 1) are not zero.
static const double SIGN_TOLERANCE = 1e-9;
// Singular values below this part of the largest are zero.
static const double RANK_TOLERANCE = 1e-11;

typedef struct mode_search {
    const pcs_friction_contact *problem;
    int32_t rows;
    double *W, *q;      // dense; the blocks scaled: W' = D W D, q' = D q / s, r = s D r'
    double *scale;      // s D
    contact_mode *mode; // of each block
    int32_t k;          // unknowns x of the present modes
    double *Q;          // rows x rows: r = Q x, row-major with k columns
    double *WQ;         // u = WQ x + q
    double *B, *b, *G, *g;
    int32_t inequalities;
    double *x, *r, *u;
} mode_search;

static bool has_friction(const pcs_friction_contact *problem, int32_t block)
{
    const int32_t size = problem->W->offset[block + 1] - problem->W->offset[block];
    return !pcs_is_bilateral(problem, block) && size > 1 && problem->mu[block] > 0.0;
}

static pcs_status search_init(mode_search *s, const pcs_friction_contact *problem, pcs_arena *arena)
{
    const int32_t rows = problem->W->offset[problem->W->n];
    const int64_t square = (int64_t)rows * rows;
    *s = (mode_search){.problem = problem, .rows = rows};
    s->W = PCS_ARENA_ARRAY(arena, double, square);
    s->q = PCS_ARENA_ARRAY(arena, double, rows);
    s->scale = PCS_ARENA_ARRAY(arena, double, rows);
    s->mode = PCS_ARENA_ARRAY(arena, contact_mode, problem->W->n);
    s->Q = PCS_ARENA_ARRAY(arena, double, square);
    s->WQ = PCS_ARENA_ARRAY(arena, double, square);
    s->B = PCS_ARENA_ARRAY(arena, double, square);
    s->b = PCS_ARENA_ARRAY(arena, double, rows);
    s->G = PCS_ARENA_ARRAY(arena, double, 2 * square);
    s->g = PCS_ARENA_ARRAY(arena, double, 2 * rows);
    s->x = PCS_ARENA_ARRAY(arena, double, rows);
    s->r = PCS_ARENA_ARRAY(arena, double, rows);
    s->u = PCS_ARENA_ARRAY(arena, double, rows);
    return s->W && s->q && s->scale && s->mode && s->Q && s->WQ && s->B && s->b && s->G && s->g &&
                   s->x && s->r && s->u
               ? PCS_OK
               : PCS_ERROR_MEMORY;
}

// One scale for each block, because the cone mixes its components.
static void search_scale(mode_search *s)
{
    const pcs_block_matrix *W = s->problem->W;
    const int32_t rows = s->rows;
    double largest = 0.0;
    pcs_block_matrix_to_dense(W, s->W);
    for (int32_t block = 0; block < W->n; block++) {
        double size = 0.0;
        for (int32_t i = W->offset[block]; i < W->offset[block + 1]; i++)
            for (int32_t j = W->offset[block]; j < W->offset[block + 1]; j++)
                size = fmax(size, fabs(s->W[(int64_t)i * rows + j]));
        for (int32_t i = W->offset[block]; i < W->offset[block + 1]; i++)
            s->scale[i] = size > 0.0 ? 1.0 / sqrt(size) : 1.0;
    }
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < rows; j++)
            s->W[(int64_t)i * rows + j] *= s->scale[i] * s->scale[j];
        s->q[i] = s->scale[i] * s->problem->q[i];
        largest = fmax(largest, fabs(s->q[i]));
    }
    for (int32_t i = 0; i < rows && largest > 0.0; i++) {
        s->q[i] /= largest;
        s->scale[i] *= largest;
    }
}

static void add_unknown(mode_search *s, int32_t row)
{
    for (int32_t i = 0; i < s->rows; i++)
        s->Q[(int64_t)i * s->rows + s->k] = i == row ? 1.0 : 0.0;
    s->k++;
}

// Q for the present modes, then WQ; the columns stand in rows of length `rows`.
static void build_unknowns(mode_search *s)
{
    const pcs_block_matrix *W = s->problem->W;
    const int32_t rows = s->rows;
    s->k = 0;
    for (int32_t block = 0; block < W->n; block++) {
        const int32_t N = W->offset[block], end = W->offset[block + 1];
        const contact_mode mode = s->mode[block];
        if (pcs_is_bilateral(s->problem, block)) {
            for (int32_t i = N; i < end; i++)
                add_unknown(s, i);
            continue;
        }
        if (mode == MODE_OPEN)
            continue;
        add_unknown(s, N);
        if (mode == MODE_STICK)
            add_unknown(s, N + 1);
        else if (mode == MODE_SLIP_PLUS || mode == MODE_SLIP_MINUS)
            s->Q[(int64_t)(N + 1) * rows + s->k - 1] = mode == MODE_SLIP_PLUS
                                                           ? -s->problem->mu[block]
                                                           : s->problem->mu[block];
    }
    for (int32_t i = 0; i < rows; i++)
        for (int32_t c = 0; c < s->k; c++) {
            double sum = 0.0;
            for (int32_t j = 0; j < rows; j++)
                sum += s->W[(int64_t)i * rows + j] * s->Q[(int64_t)j * rows + c];
            s->WQ[(int64_t)i * rows + c] = sum;
        }
}

// u_row = 0 as equation number `place`
static void add_equation(mode_search *s, int32_t place, int32_t row)
{
    memcpy(s->B + (int64_t)place * s->k, s->WQ + (int64_t)row * s->rows,
           (size_t)s->k * sizeof *s->B);
    s->b[place] = s->q[row];
}

// a_N v_N + a_T v_(N+1) >= 0 with v = u (or r)
static void add_inequality(mode_search *s, bool velocity, int32_t row, double a_N, double a_T)
{
    const double *V = (velocity ? s->WQ : s->Q) + (int64_t)row * s->rows;
    double *G = s->G + (int64_t)s->inequalities * s->k;
    for (int32_t c = 0; c < s->k; c++)
        G[c] = a_N * V[c] + (a_T != 0.0 ? a_T * V[s->rows + c] : 0.0);
    s->g[s->inequalities++] = velocity ? a_N * s->q[row] + (a_T != 0.0 ? a_T * s->q[row + 1] : 0.0)
                                       : 0.0;
}

static void build_face(mode_search *s)
{
    const pcs_block_matrix *W = s->problem->W;
    int32_t place = 0;
    build_unknowns(s);
    s->inequalities = 0;
    for (int32_t block = 0; block < W->n; block++) {
        const int32_t N = W->offset[block], end = W->offset[block + 1];
        const double mu = s->problem->mu ? s->problem->mu[block] : 0.0;
        if (pcs_is_bilateral(s->problem, block)) {
            for (int32_t i = N; i < end; i++)
                add_equation(s, place++, i);
            continue;
        }
        if (s->mode[block] == MODE_OPEN) {
            add_inequality(s, true, N, 1.0, 0.0);
            continue;
        }
        add_equation(s, place++, N);
        if (s->mode[block] == MODE_STICK) {
            add_equation(s, place++, N + 1);
            add_inequality(s, false, N, mu, 1.0);
            add_inequality(s, false, N, mu, -1.0);
            continue;
        }
        add_inequality(s, false, N, 1.0, 0.0);
        if (s->mode[block] == MODE_SLIP_PLUS)
            add_inequality(s, true, N, 0.0, 1.0);
        else if (s->mode[block] == MODE_SLIP_MINUS)
            add_inequality(s, true, N, 0.0, -1.0);
    }
}

// r and u of x; whether each contact is in the mode that its solution is counted in.
static bool evaluate(mode_search *s)
{
    const pcs_block_matrix *W = s->problem->W;
    double size = 1.0;
    for (int32_t i = 0; i < s->rows; i++) {
        s->r[i] = 0.0;
        s->u[i] = s->q[i];
        for (int32_t c = 0; c < s->k; c++) {
            s->r[i] += s->Q[(int64_t)i * s->rows + c] * s->x[c];
            s->u[i] += s->WQ[(int64_t)i * s->rows + c] * s->x[c];
        }
        size = fmax(size, fabs(s->r[i]));
    }
    for (int32_t block = 0; block < W->n; block++) {
        const int32_t N = W->offset[block];
        const contact_mode mode = s->mode[block];
        if (pcs_is_bilateral(s->problem, block) || mode == MODE_OPEN)
            continue;
        if (s->r[N] <= SIGN_TOLERANCE * size)
            return false;
        if ((mode == MODE_SLIP_PLUS || mode == MODE_SLIP_MINUS) &&
            fabs(s->u[N + 1]) <= SIGN_TOLERANCE * size)
            return false;
    }
    return true;
}

static void keep(const mode_search *s, int32_t place, int32_t capacity, double *solutions)
{
    if (!solutions || place >= capacity)
        return;
    for (int32_t i = 0; i < s->rows; i++)
        solutions[(int64_t)place * s->rows + i] = s->scale[i] * s->r[i];
}

// Number of modes of a block, as a power of two
static int32_t mode_bits(const pcs_friction_contact *problem, int32_t block)
{
    if (pcs_is_bilateral(problem, block))
        return 0;
    return has_friction(problem, block) ? 2 : 1;
}

static void set_modes(mode_search *s, uint32_t choice)
{
    for (int32_t block = 0; block < s->problem->W->n; block++) {
        const int32_t bits = mode_bits(s->problem, block);
        const uint32_t digit = choice & ((1u << bits) - 1u);
        s->mode[block] = bits == 2 ? planar_modes[digit] : normal_modes[digit];
        choice >>= bits;
    }
}

static pcs_status enumerate_modes(mode_search *s, int32_t bits, pcs_arena *arena, int32_t capacity,
                                  double *solutions, int32_t *count)
{
    int32_t found = 0, undecided = 0;
    search_scale(s);
    for (uint32_t choice = 0; choice < 1u << bits; choice++) {
        pcs_face_kind kind;
        set_modes(s, choice);
        build_face(s);
        const pcs_face face = {s->k, s->inequalities, s->B, s->b, s->G, s->g};
        PCS_TRY(pcs_face_probe(&face, arena, s->x, &kind));
        undecided += kind == PCS_FACE_UNDECIDED;
        if (kind == PCS_FACE_EMPTY || kind == PCS_FACE_UNDECIDED)
            continue;
        const bool counts = evaluate(s);
        if (kind == PCS_FACE_MANY) {
            keep(s, found, capacity, solutions);
            *count = PCS_SOLUTIONS_MANY;
            return PCS_OK;
        }
        if (counts)
            keep(s, found++, capacity, solutions);
    }
    *count = found;
    return undecided > 0 ? PCS_NOT_CONVERGED : PCS_OK;
}

// The spatial contact with the bilateral rows eliminated, where they can be:
//     r_B = -W_BB^+ (W_Bc r + q_B),   W <- W_cc - W_cB W_BB^+ W_Bc,   q <- q_c - W_cB W_BB^+ q_B.
typedef struct bilateral_elimination {
    int32_t n, rank;
    bool consistent; // the rows and columns of W belong to the range of W_BB
    double *X;       // n x 4: W_BB^+ [W_Bc, q_B], column-major
} bilateral_elimination;

static pcs_status eliminate_bilateral(const mode_search *s, int32_t contact, pcs_arena *arena,
                                      bilateral_elimination *out, double *W, double *q)
{
    const int32_t rows = s->rows, n = rows - 3, N = s->problem->W->offset[contact];
    const int32_t work_size = pcs_dense_least_squares_work_size(n, n);
    const int64_t square = (int64_t)n * n;
    double *A = PCS_ARENA_ARRAY(arena, double, square);
    double *T = PCS_ARENA_ARRAY(arena, double, square);
    double *rhs = PCS_ARENA_ARRAY(arena, double, n), *y = PCS_ARENA_ARRAY(arena, double, n);
    double *work = PCS_ARENA_ARRAY(arena, double, work_size);
    int32_t *index = PCS_ARENA_ARRAY(arena, int32_t, n);
    *out = (bilateral_elimination){n, n, true, PCS_ARENA_ARRAY(arena, double, 4 * (int64_t)n)};
    if (!A || !T || !rhs || !y || !work || !index || !out->X)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            const double entry = s->W[(int64_t)(i < N ? i : i + 3) * rows + (j < N ? j : j + 3)];
            A[(int64_t)i * n + j] = T[(int64_t)j * n + i] = entry;
        }
    for (int32_t c = 0; c < 4; c++) {
        double *x = out->X + (int64_t)c * n;
        for (int32_t i = 0; i < n; i++) {
            const int32_t row = i < N ? i : i + 3;
            rhs[i] = c < 3 ? s->W[(int64_t)row * rows + N + c] : s->q[row];
        }
        out->rank = pcs_dense_least_squares(n, n, A, rhs, RANK_TOLERANCE, x, index, work,
                                            work_size);
        pcs_dense_vector_add(n, n, -1.0, A, x, rhs);
        for (int32_t i = 0; i < n; i++)
            out->consistent = out->consistent && fabs(rhs[i]) <= SIGN_TOLERANCE;
    }
    for (int32_t c = 0; c < 3; c++) {
        for (int32_t j = 0; j < n; j++)
            rhs[j] = s->W[(int64_t)(N + c) * rows + (j < N ? j : j + 3)];
        for (int32_t l = 0; l < 4; l++) {
            const double *x = out->X + (int64_t)l * n;
            double sum = l < 3 ? s->W[(int64_t)(N + c) * rows + N + l] : s->q[N + c];
            for (int32_t j = 0; j < n; j++)
                sum -= rhs[j] * x[j];
            if (l < 3)
                W[3 * c + l] = sum;
            else
                q[c] = sum;
        }
        (void)pcs_dense_least_squares(n, n, T, rhs, RANK_TOLERANCE, y, index, work, work_size);
        pcs_dense_vector_add(n, n, -1.0, T, y, rhs);
        for (int32_t i = 0; i < n; i++)
            out->consistent = out->consistent && fabs(rhs[i]) <= SIGN_TOLERANCE;
    }
    return PCS_OK;
}

static pcs_status enumerate_space(mode_search *s, int32_t contact, pcs_arena *arena,
                                  int32_t capacity, double *solutions, int32_t *count)
{
    const int32_t N = s->problem->W->offset[contact];
    bilateral_elimination bilateral;
    double W[9], q[3], r[3 * PCS_ONE_CONTACT_SOLUTIONS];
    search_scale(s);
    PCS_TRY(eliminate_bilateral(s, contact, arena, &bilateral, W, q));
    if (!bilateral.consistent)
        return PCS_NOT_CONVERGED;
    *count = pcs_one_contact_enumerate(W, q, s->problem->mu[contact], PCS_ONE_CONTACT_SOLUTIONS, r);
    const int32_t kept = *count < PCS_ONE_CONTACT_SOLUTIONS ? *count
                         : *count == PCS_SOLUTIONS_MANY     ? 1
                                                            : PCS_ONE_CONTACT_SOLUTIONS;
    for (int32_t l = 0; l < kept; l++) {
        for (int32_t i = 0; i < bilateral.n; i++) {
            const double *X = bilateral.X + i;
            double sum = -X[3 * (int64_t)bilateral.n];
            for (int32_t c = 0; c < 3; c++)
                sum -= X[c * (int64_t)bilateral.n] * r[3 * l + c];
            s->r[i < N ? i : i + 3] = sum;
        }
        memcpy(s->r + N, r + 3 * l, 3 * sizeof *r);
        keep(s, l, capacity, solutions);
    }
    if (*count > 0 && bilateral.rank < bilateral.n)
        *count = PCS_SOLUTIONS_MANY; // r_B is free in the null space of W_BB
    return PCS_OK;
}

pcs_status pcs_friction_enumerate(const pcs_friction_contact *problem, pcs_arena *arena,
                                  int32_t capacity, double *solutions, int32_t *count)
{
    int32_t bits = 0, contacts = 0, spatial = -1;
    *count = -1;
    PCS_TRY(pcs_friction_contact_check(problem, arena->ctx, problem->q)); // q for want of a start
    for (int32_t block = 0; block < problem->W->n; block++) {
        contacts += !pcs_is_bilateral(problem, block);
        if (bits <= PCS_FRICTION_ENUMERATE_BITS)
            bits += mode_bits(problem, block);
        if (has_friction(problem, block) &&
            problem->W->offset[block + 1] - problem->W->offset[block] == 3)
            spatial = block;
    }
    if (bits > PCS_FRICTION_ENUMERATE_BITS || (spatial >= 0 && contacts > 1))
        return PCS_NOT_CONVERGED;
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    mode_search search;
    pcs_status status = search_init(&search, problem, arena);
    if (status == PCS_OK)
        status = spatial >= 0 ? enumerate_space(&search, spatial, arena, capacity, solutions, count)
                              : enumerate_modes(&search, bits, arena, capacity, solutions, count);
    pcs_arena_release(arena, mark);
    return status;
}

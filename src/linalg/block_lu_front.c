// Dense fronts: recursive LU with row exchanges, recursive triangular solves, and the product
// C <- C - A^T B that nearly all the work goes through, in tiles of 6 x 8 held in registers. Large
// products copy their operands into contiguous panels first [GotoGeijn2008].
//
// The inner loops use vectors of four doubles in the compiler's notation. They are compiled for the
// base instruction set and, on x86-64, for AVX2 (without fused operations: same bits), one of which
// is chosen when the program runs.
#include "linalg/block_lu_front.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"

enum {
    VECTOR = 4,        // doubles in a vector
    TILE_ROWS = 6,     // tile of C in registers: 6 x 8 fills 12 of 16 vector registers
    TILE_COLUMNS = 8,  //
    PANEL = 16,        // columns factored one by one; half as many in large fronts
    SMALL_FRONT = 32,  //
    SOLVE_DIRECT = 16, // rows of a triangular solve done one by one
    PACK_DEPTH = 256,  // terms of a packed product: panels of B stay in the first cache,
    PACK_ROWS = 96,    // panels of A in the second
    PACK_FROM = 24,    // smaller products do not repay the copying
    SOLVE_ROWS = 48    // triangular solves are split down to this size
};

// Products with fewer terms take less than some 50 microseconds: not worth waking a thread
static const double SHARED_TERMS = 1e6;

// Coefficients of B_i <- (B_i - sum_{q<i} T[i row + q column] B_q) scale_i; scale NULL: 1
typedef struct triangle {
    const double *T, *scale;
    int32_t row, column; // strides
} triangle;

struct pcs_front_kernels {
    // C (m x n) -= A^T B, A k x m in panels of TILE_ROWS columns that are `panel` values apart,
    // with rows `lda` apart inside a panel; n a multiple of VECTOR
    void (*product)(int32_t k, int32_t m, int32_t n, const double *A, int32_t lda, int64_t panel,
                    const double *B, int32_t ldb, double *C, int32_t ldc);
    void (*solve)(int32_t rows, int32_t n, const triangle *t, double *B, int32_t ldb);
    // Rows i = 0 .. rows-1 of a panel of `width` columns: a_i -= l_i u, l_i = a_i[column] inverse,
    // which replaces a_i[column]; u has zeros up to `column`. Returns the row with the largest
    // |a_i[next]| weight_i
    int32_t (*eliminate)(int32_t rows, int32_t width, int32_t column, int32_t next, double inverse,
                         const double *u, const double *weight, double *A, int32_t lda);
    void (*combine)(int32_t k, int32_t n, const double *y, const double *B, int32_t ldb,
                    double *w);                                 // w += B^T y
    double (*dot)(int32_t n, const double *a, const double *b); // n a multiple of VECTOR
};

#if defined(__GNUC__)
typedef double vector __attribute__((vector_size(32), aligned(8), may_alias));
#define LOAD(x) (*(const vector *)(x))
#define STORE(x, v) (*(vector *)(x) = (v))
#define SCALE(s, v) ((s) * (v))
#define ADD(a, b) ((a) + (b))
#define SUBTRACT(a, b) ((a) - (b))
#define ZERO_VECTOR ((vector){0.0, 0.0, 0.0, 0.0})
#define SUM_LANES(v) (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))
#else
#error "block_lu_front.c needs the vector notation of GCC and Clang"
#endif

// rows (1..6) x 4 or 8 entries of C -= A^T B. The constants make the unused vectors vanish.
static PCS_ALWAYS_INLINE void tile(const int rows, const bool wide, int32_t k,
                                   const double *restrict A, int32_t lda, const double *restrict B,
                                   int32_t ldb, double *restrict C, int32_t ldc)
{
    vector a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5; // left and right half of each row
    a0 = a1 = a2 = a3 = a4 = a5 = b0 = b1 = b2 = b3 = b4 = b5 = ZERO_VECTOR;
#define ON_ROWS(DO) \
    DO(0, a0, b0)   \
    DO(1, a1, b1) DO(2, a2, b2) DO(3, a3, b3) DO(4, a4, b4) DO(5, a5, b5)
#define LOAD_ROW(i, a, b)                              \
    if (rows > i) {                                    \
        a = LOAD(C + (ptrdiff_t)(i)*ldc);              \
        if (wide)                                      \
            b = LOAD(C + (ptrdiff_t)(i)*ldc + VECTOR); \
    }
#define STORE_ROW(i, a, b)                             \
    if (rows > i) {                                    \
        STORE(C + (ptrdiff_t)(i)*ldc, a);              \
        if (wide)                                      \
            STORE(C + (ptrdiff_t)(i)*ldc + VECTOR, b); \
    }
#define UPDATE_ROW(i, a, b)                      \
    if (rows > i) {                              \
        a = SUBTRACT(a, SCALE(A[i], left));      \
        if (wide)                                \
            b = SUBTRACT(b, SCALE(A[i], right)); \
    }
    ON_ROWS(LOAD_ROW)
    for (int32_t q = 0; q < k; ++q, A += lda, B += ldb) {
        const vector left = LOAD(B), right = wide ? LOAD(B + VECTOR) : ZERO_VECTOR;
        ON_ROWS(UPDATE_ROW)
    }
    ON_ROWS(STORE_ROW)
#undef ON_ROWS
#undef LOAD_ROW
#undef STORE_ROW
#undef UPDATE_ROW
}

// One panel of A (m <= TILE_ROWS columns) times one panel of B; `tallest` rows fit the registers
static PCS_ALWAYS_INLINE void tiles(const int tallest, const bool wide, int32_t k, int32_t m,
                                    const double *A, int32_t lda, const double *B, int32_t ldb,
                                    double *C, int32_t ldc)
{
    if (tallest == 6 && m == 6) {
        tile(6, wide, k, A, lda, B, ldb, C, ldc);
        return;
    }
    if (tallest == 6 && m >= 3) {
        tile(3, wide, k, A, lda, B, ldb, C, ldc);
        A += 3;
        C += 3 * (ptrdiff_t)ldc;
        m -= 3;
    }
    for (; m >= 2; m -= 2) {
        tile(2, wide, k, A, lda, B, ldb, C, ldc);
        A += 2;
        C += 2 * (ptrdiff_t)ldc;
    }
    if (m == 1)
        tile(1, wide, k, A, lda, B, ldb, C, ldc);
}

static PCS_ALWAYS_INLINE void product_body(const int tallest, int32_t k, int32_t m, int32_t n,
                                           const double *A, int32_t lda, int64_t panel,
                                           const double *B, int32_t ldb, double *C, int32_t ldc)
{
    for (int32_t j = 0; j < n; j += TILE_COLUMNS) {
        const double *a = A;
        for (int32_t i = 0; i < m; i += TILE_ROWS, a += panel) {
            const int32_t rows = m - i < TILE_ROWS ? m - i : TILE_ROWS;
            double *c = C + (ptrdiff_t)i * ldc + j;
            if (n - j >= TILE_COLUMNS)
                tiles(tallest, true, k, rows, a, lda, B + j, ldb, c, ldc);
            else
                tiles(tallest, false, k, rows, a, lda, B + j, ldb, c, ldc);
        }
    }
}

// `count` vectors of each row, row by row
static PCS_ALWAYS_INLINE void solve_strip(const int count, int32_t rows, const triangle *t,
                                          double *restrict B, int32_t ldb)
{
    for (int32_t i = 0; i < rows; ++i) {
        double *row = B + (ptrdiff_t)i * ldb;
        const double *T = t->T + (ptrdiff_t)i * t->row;
        vector v0 = LOAD(row), v1 = v0, v2 = v0, v3 = v0;
        if (count > 1)
            v1 = LOAD(row + VECTOR);
        if (count > 2) {
            v2 = LOAD(row + 2 * VECTOR);
            v3 = LOAD(row + 3 * VECTOR);
        }
        for (int32_t q = 0; q < i; ++q) {
            const double *b = B + (ptrdiff_t)q * ldb;
            const double s = T[(ptrdiff_t)q * t->column];
            v0 = SUBTRACT(v0, SCALE(s, LOAD(b)));
            if (count > 1)
                v1 = SUBTRACT(v1, SCALE(s, LOAD(b + VECTOR)));
            if (count > 2) {
                v2 = SUBTRACT(v2, SCALE(s, LOAD(b + 2 * VECTOR)));
                v3 = SUBTRACT(v3, SCALE(s, LOAD(b + 3 * VECTOR)));
            }
        }
        const double scale = t->scale ? t->scale[i] : 1.0;
        STORE(row, SCALE(scale, v0));
        if (count > 1)
            STORE(row + VECTOR, SCALE(scale, v1));
        if (count > 2) {
            STORE(row + 2 * VECTOR, SCALE(scale, v2));
            STORE(row + 3 * VECTOR, SCALE(scale, v3));
        }
    }
}

static PCS_ALWAYS_INLINE void solve_body(int32_t rows, int32_t n, const triangle *t, double *B,
                                         int32_t ldb)
{
    int32_t j = 0;
    for (; j + 4 * VECTOR <= n; j += 4 * VECTOR)
        solve_strip(4, rows, t, B + j, ldb);
    if (j + 2 * VECTOR <= n) {
        solve_strip(2, rows, t, B + j, ldb);
        j += 2 * VECTOR;
    }
    if (j < n)
        solve_strip(1, rows, t, B + j, ldb);
}

static PCS_ALWAYS_INLINE int32_t eliminate_rows(const int count, int32_t rows, int32_t column,
                                                int32_t next, double inverse, const double *u,
                                                const double *restrict weight, double *restrict A,
                                                int32_t lda)
{
    const vector u0 = LOAD(u), u1 = LOAD(u + VECTOR), u2 = LOAD(u + 2 * VECTOR),
                 u3 = LOAD(u + 3 * VECTOR);
    int32_t best = 0;
    double largest = -1.0;
    for (int32_t i = 0; i < rows; ++i, A += lda) {
        const double l = A[column] * inverse;
        STORE(A, SUBTRACT(LOAD(A), SCALE(l, u0)));
        if (count > 1)
            STORE(A + VECTOR, SUBTRACT(LOAD(A + VECTOR), SCALE(l, u1)));
        if (count > 2)
            STORE(A + 2 * VECTOR, SUBTRACT(LOAD(A + 2 * VECTOR), SCALE(l, u2)));
        if (count > 3)
            STORE(A + 3 * VECTOR, SUBTRACT(LOAD(A + 3 * VECTOR), SCALE(l, u3)));
        A[column] = l;
        const double size = fabs(A[next]) * weight[i];
        best = size > largest ? i : best;
        largest = size > largest ? size : largest;
    }
    return best;
}

static PCS_ALWAYS_INLINE int32_t eliminate_body(int32_t rows, int32_t width, int32_t column,
                                                int32_t next, double inverse, const double *u,
                                                const double *weight, double *A, int32_t lda)
{
    switch (width / VECTOR) {
    case 1:
        return eliminate_rows(1, rows, column, next, inverse, u, weight, A, lda);
    case 2:
        return eliminate_rows(2, rows, column, next, inverse, u, weight, A, lda);
    case 3:
        return eliminate_rows(3, rows, column, next, inverse, u, weight, A, lda);
    default:
        return eliminate_rows(4, rows, column, next, inverse, u, weight, A, lda);
    }
}

static PCS_ALWAYS_INLINE void combine_body(int32_t k, int32_t n, const double *y, const double *B,
                                           int32_t ldb, double *restrict w)
{
    int32_t j = 0;
    for (; j + 2 * VECTOR <= n; j += 2 * VECTOR) {
        vector v0 = LOAD(w + j), v1 = LOAD(w + j + VECTOR);
        for (int32_t q = 0; q < k; ++q) {
            const double *b = B + (ptrdiff_t)q * ldb + j;
            v0 = ADD(v0, SCALE(y[q], LOAD(b)));
            v1 = ADD(v1, SCALE(y[q], LOAD(b + VECTOR)));
        }
        STORE(w + j, v0);
        STORE(w + j + VECTOR, v1);
    }
    if (j < n) {
        vector v0 = LOAD(w + j);
        for (int32_t q = 0; q < k; ++q)
            v0 = ADD(v0, SCALE(y[q], LOAD(B + (ptrdiff_t)q * ldb + j)));
        STORE(w + j, v0);
    }
}

static PCS_ALWAYS_INLINE double dot_body(int32_t n, const double *a, const double *b)
{
    vector v0 = ZERO_VECTOR, v1 = ZERO_VECTOR;
    int32_t j = 0;
    for (; j + 2 * VECTOR <= n; j += 2 * VECTOR) {
        v0 = ADD(v0, LOAD(a + j) * LOAD(b + j));
        v1 = ADD(v1, LOAD(a + j + VECTOR) * LOAD(b + j + VECTOR));
    }
    if (j < n)
        v0 = ADD(v0, LOAD(a + j) * LOAD(b + j));
    const vector sum = ADD(v0, v1);
    return SUM_LANES(sum);
}

// One set of functions for an instruction set; `tallest` is the tile that its registers hold.
#define DEFINE_KERNELS(set, attribute, tallest)                                                   \
    attribute static void product_##set(int32_t k, int32_t m, int32_t n, const double *A,         \
                                        int32_t lda, int64_t panel, const double *B, int32_t ldb, \
                                        double *C, int32_t ldc)                                   \
    {                                                                                             \
        product_body(tallest, k, m, n, A, lda, panel, B, ldb, C, ldc);                            \
    }                                                                                             \
    attribute static void solve_##set(int32_t rows, int32_t n, const triangle *t, double *B,      \
                                      int32_t ldb)                                                \
    {                                                                                             \
        solve_body(rows, n, t, B, ldb);                                                           \
    }                                                                                             \
    attribute static int32_t eliminate_##set(int32_t rows, int32_t width, int32_t column,         \
                                             int32_t next, double inverse, const double *u,       \
                                             const double *weight, double *A, int32_t lda)        \
    {                                                                                             \
        return eliminate_body(rows, width, column, next, inverse, u, weight, A, lda);             \
    }                                                                                             \
    attribute static void combine_##set(int32_t k, int32_t n, const double *y, const double *B,   \
                                        int32_t ldb, double *w)                                   \
    {                                                                                             \
        combine_body(k, n, y, B, ldb, w);                                                         \
    }                                                                                             \
    attribute static double dot_##set(int32_t n, const double *a, const double *b)                \
    {                                                                                             \
        return dot_body(n, a, b);                                                                 \
    }                                                                                             \
    static const pcs_front_kernels kernels_##set = {product_##set, solve_##set, eliminate_##set,  \
                                                    combine_##set, dot_##set};

DEFINE_KERNELS(portable, , 2)
#if defined(__x86_64__)
DEFINE_KERNELS(avx2, __attribute__((target("avx2"))), 6)
#endif

const pcs_front_kernels *pcs_front_kernels_portable(void)
{
    return &kernels_portable;
}

const pcs_front_kernels *pcs_front_kernels_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return &kernels_avx2;
#endif
    return &kernels_portable;
}

static int32_t round_up(int32_t n, int32_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

int32_t pcs_front_stride(int32_t n)
{
    enum { SHORT_ROW = 16, WAY = 64 }; // rows a multiple of 512 bytes apart compete for cache lines
    if (n <= SHORT_ROW)
        return round_up(n, VECTOR);
    const int32_t stride = round_up(n, TILE_COLUMNS);
    return stride % WAY == 0 ? stride + TILE_COLUMNS : stride;
}

int64_t pcs_front_pack_size(int32_t p, int32_t c)
{
    const int32_t m = p > c ? p : c;
    const int64_t depth = round_up(smaller(p, PACK_DEPTH), TILE_COLUMNS);
    return depth * (round_up(smaller(m, PACK_ROWS), TILE_ROWS) + TILE_COLUMNS) + TILE_COLUMNS;
}

// Panels of A (A_qr = A[q column + r row]) for rows r = 0 .. m-1, TILE_ROWS values for each q
static void pack_rows(int32_t k, int32_t m, const double *A, int32_t row, int32_t column,
                      double *pack)
{
    for (int32_t i = 0; i < m; i += TILE_ROWS, pack += (ptrdiff_t)k * TILE_ROWS) {
        const int32_t count = smaller(m - i, TILE_ROWS);
        if (row == 1) { // a few neighbours from each row of memory
            for (int32_t q = 0; q < k; ++q)
                memcpy(pack + (ptrdiff_t)q * TILE_ROWS, A + (ptrdiff_t)q * column + i,
                       sizeof(double) * (size_t)count);
            continue;
        }
        for (int32_t r = 0; r < count; ++r) {
            const double *a = A + (ptrdiff_t)(i + r) * row;
            for (int32_t q = 0; q < k; ++q)
                pack[(ptrdiff_t)q * TILE_ROWS + r] = a[(ptrdiff_t)q * column];
        }
    }
}

// C (m x n) -= A^T B with A_qr = A[q column + r row]
typedef struct product {
    const pcs_front_team *team;
    int32_t k, m, n;
    const double *A;
    int32_t row, column;
    const double *B;
    int32_t ldb;
    double *C;
    int32_t ldc;
    bool by_rows; // shares are rows or columns of C
} product;

bool pcs_front_watch_is_over(pcs_front_watch *watch)
{
    if (watch && !watch->over)
        watch->over = pcs_watch_is_over(&watch->watch);
    return watch && watch->over;
}

static void subtract_packed(const product *x, bool large, double *pack)
{
    const pcs_front_kernels *kernels = x->team->kernels;
    for (int32_t q = 0; q < x->k; q += PACK_DEPTH) {
        const int32_t depth = smaller(x->k - q, PACK_DEPTH);
        const int64_t a_panel = (int64_t)depth * TILE_ROWS;
        const double *B = x->B + (ptrdiff_t)q * x->ldb;
        double *b_panel = pack + round_up(depth * round_up(smaller(x->m, PACK_ROWS), TILE_ROWS),
                                          TILE_COLUMNS);
        for (int32_t i = 0; i < x->m; i += PACK_ROWS) {
            const int32_t rows = smaller(x->m - i, PACK_ROWS);
            double *C = x->C + (ptrdiff_t)i * x->ldc;
            if (large && pcs_front_watch_is_over(x->team->tasks ? NULL : x->team->watch))
                return;
            pack_rows(depth, rows, x->A + (ptrdiff_t)q * x->column + (ptrdiff_t)i * x->row, x->row,
                      x->column, pack);
            if (!large)
                kernels->product(depth, rows, x->n, pack, TILE_ROWS, a_panel, B, x->ldb, C, x->ldc);
            for (int32_t j = 0; large && j < x->n; j += TILE_COLUMNS) {
                const int32_t columns = smaller(x->n - j, TILE_COLUMNS);
                for (int32_t r = 0; r < depth; ++r)
                    memcpy(b_panel + (ptrdiff_t)r * TILE_COLUMNS, B + (ptrdiff_t)r * x->ldb + j,
                           sizeof(double) * (size_t)columns);
                kernels->product(depth, rows, columns, pack, TILE_ROWS, a_panel, b_panel,
                                 TILE_COLUMNS, C + j, x->ldc);
            }
        }
    }
}

// Share `lane` of a product
static void subtract_share(void *user, int32_t lane)
{
    const product *whole = user;
    const pcs_front_team *team = whole->team;
    product x = *whole;
    const int32_t length = x.by_rows ? x.m : x.n;
    const int32_t share = round_up((length + team->lanes - 1) / team->lanes,
                                   x.by_rows ? TILE_ROWS : TILE_COLUMNS);
    const int32_t first = lane * share, count = smaller(share, length - first);
    if (count <= 0)
        return;
    if (x.by_rows) {
        x.A += (ptrdiff_t)first * x.row;
        x.C += (ptrdiff_t)first * x.ldc;
        x.m = count;
    } else {
        x.B += first;
        x.C += first;
        x.n = count;
    }
    subtract_packed(&x, true, team->pack + lane * team->pack_size);
}

static void subtract_product(const pcs_front_team *team, int32_t k, int32_t m, int32_t n,
                             const double *A, int32_t row, int32_t column, const double *B,
                             int32_t ldb, double *C, int32_t ldc)
{
    const bool large = k >= PACK_FROM && m >= PACK_FROM && n >= PACK_FROM;
    product x = {team, k, m, n, A, row, column, B, ldb, C, ldc, m > n};
    if (team->tasks && large && (double)k * m * n >= SHARED_TERMS)
        pcs_tasks_run(team->tasks, subtract_share, &x, team->lanes);
    else if (row == 1 && !large)
        team->kernels->product(k, m, n, A, column, TILE_ROWS, B, ldb, C, ldc);
    else
        subtract_packed(&x, large, team->pack);
}

// The triangle from its row and column i on
static triangle triangle_from(const triangle *t, int32_t i)
{
    return (triangle){t->T + (ptrdiff_t)i * (t->row + t->column), t->scale ? t->scale + i : NULL,
                      t->row, t->column};
}

// B (m x n) <- T^{-1} B
static void solve_triangle(const pcs_front_team *team, int32_t m, int32_t n, const triangle *t,
                           double *B, int32_t ldb)
{
    if (m <= SOLVE_DIRECT) {
        team->kernels->solve(m, n, t, B, ldb);
        return;
    }
    const int32_t half = m > SOLVE_ROWS ? round_up(m / 2, TILE_ROWS)
                                        : round_up(m - TILE_ROWS, TILE_ROWS);
    const triangle lower = triangle_from(t, half);
    double *rest = B + (ptrdiff_t)half * ldb;
    solve_triangle(team, half, n, t, B, ldb);
    subtract_product(team, half, m - half, n, t->T + (ptrdiff_t)half * t->row, t->row, t->column, B,
                     ldb, rest, ldb);
    solve_triangle(team, m - half, n, &lower, rest, ldb);
}

static void exchange(double *a, double *b, int32_t n)
{
    for (int32_t j = 0; j < n; ++j) {
        const double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

// Row at or below k with the largest |a_ik| weight_i: entries count by their size relative to the
// row, so that the choice does not depend on the units of rows
static int32_t pivot_row(int32_t p, const double *F11, int32_t ld, int32_t k, const double *weight)
{
    int32_t best = k;
    double largest = -1.0;
    for (int32_t i = k; i < p; ++i) {
        const double size = fabs(F11[(ptrdiff_t)i * ld + k]) * weight[i];
        best = size > largest ? i : best;
        largest = size > largest ? size : largest;
    }
    return best;
}

// Columns first .. last-1 (at most PANEL) of F11, all rows from `first` on. The weights of the rows
// that are not yet pivots are kept in `inverse`.
static int32_t factor_panel(const pcs_front_team *team, const pcs_front *front, int32_t first,
                            int32_t last, double *row_scale, const double *column_scale)
{
    const int32_t p = front->p, ld = pcs_front_stride(p);
    const int32_t width = round_up(last - first, VECTOR);
    double *weight = front->inverse;
    int32_t r = pivot_row(p, front->F11, ld, first, weight);
    for (int32_t k = first; k < last; ++k) {
        double *row = front->F11 + (ptrdiff_t)k * ld;
        const double size = fabs(front->F11[(ptrdiff_t)r * ld + k]);
        const double scale = row_scale[r] < column_scale[k] ? row_scale[r] : column_scale[k];
        // the last two: 1 / pivot must be a number
        if (!(size > PCS_DENSE_SINGULAR * scale && size >= DBL_MIN && size <= DBL_MAX))
            return k;
        front->pivot[k] = r;
        if (r != k) {
            exchange(row, front->F11 + (ptrdiff_t)r * ld, ld);
            exchange(row_scale + k, row_scale + r, 1);
            exchange(weight + k, weight + r, 1);
        }
        front->inverse[k] = 1.0 / row[k];
        double u[PANEL] = {0.0};
        for (int32_t j = k + 1 - first; j < width; ++j)
            u[j] = row[first + j];
        const int32_t next = k + 1 < last ? k + 1 - first : k - first;
        r = k + 1 +
            team->kernels->eliminate(p - k - 1, width, k - first, next, front->inverse[k], u,
                                     weight + k + 1, row + ld + first, ld);
    }
    return -1;
}

// Columns first .. last-1 of F11: left half, update of the right half, right half
static int32_t factor_columns(const pcs_front_team *team, const pcs_front *front, int32_t first,
                              int32_t last, double *row_scale, const double *column_scale)
{
    if (last - first <= (front->p <= SMALL_FRONT ? PANEL : PANEL / 2))
        return factor_panel(team, front, first, last, row_scale, column_scale);
    const int32_t p = front->p, ld = pcs_front_stride(p);
    const int32_t middle = first + round_up((last - first) / 2, PANEL / 2);
    const int32_t n = round_up(last, VECTOR) - middle;
    int32_t bad = factor_columns(team, front, first, middle, row_scale, column_scale);
    if (bad >= 0)
        return bad;
    double *L = front->F11 + (ptrdiff_t)first * ld + first;
    double *U = L + (middle - first);
    double *rest = U + (ptrdiff_t)(middle - first) * ld;
    const triangle lower = {L, NULL, ld, 1};
    solve_triangle(team, middle - first, n, &lower, U, ld);
    subtract_product(team, middle - first, p - middle, n, L + (ptrdiff_t)(middle - first) * ld, ld,
                     1, U, ld, rest, ld);
    return factor_columns(team, front, middle, last, row_scale, column_scale);
}

int32_t pcs_front_factor(const pcs_front_team *team, const pcs_front *front, double *row_scale,
                         const double *column_scale)
{
    const int32_t p = front->p, ld = pcs_front_stride(p), ldc = pcs_front_stride(front->c);
    if (p == 0)
        return -1;
    for (int32_t i = 0; i < p; ++i)
        front->inverse[i] = row_scale[i] >= DBL_MIN ? 1.0 / row_scale[i] : 1.0;
    const int32_t bad = factor_columns(team, front, 0, p, row_scale, column_scale);
    if (bad >= 0 || front->c == 0)
        return bad;
    const triangle lower = {front->F11, NULL, ld, 1};
    const triangle upper = {front->F11, front->inverse, 1, ld};
    for (int32_t k = 0; k < p; ++k)
        if (front->pivot[k] != k)
            exchange(front->F12 + (ptrdiff_t)k * ldc, front->F12 + (ptrdiff_t)front->pivot[k] * ldc,
                     ldc);
    const int32_t n = round_up(front->c, VECTOR);
    solve_triangle(team, p, n, &lower, front->F12, ldc); // U12 = L11^{-1} P F12
    solve_triangle(team, p, n, &upper, front->G, ldc);   // L21^T = U11^{-T} F21^T
    subtract_product(team, p, front->c, n, front->G, 1, ldc, front->F12, ldc, front->F22, ldc);
    return -1;
}

void pcs_front_forward(const pcs_front_kernels *kernels, const pcs_front *front, double *y,
                       double *w)
{
    const int32_t p = front->p, ld = pcs_front_stride(p), ldc = pcs_front_stride(front->c);
    for (int32_t k = 0; k < p; ++k)
        if (front->pivot[k] != k)
            exchange(y + k, y + front->pivot[k], 1);
    for (int32_t k = 1; k < p; ++k)
        y[k] -= pcs_kernel_dot(k, front->F11 + (ptrdiff_t)k * ld, y);
    kernels->combine(p, round_up(front->c, VECTOR), y, front->G, ldc, w);
}

void pcs_front_backward(const pcs_front_kernels *kernels, const pcs_front *front, double *y,
                        const double *w)
{
    const int32_t p = front->p, ld = pcs_front_stride(p), ldc = pcs_front_stride(front->c);
    const int32_t n = round_up(front->c, VECTOR);
    for (int32_t k = p - 1; k >= 0; --k) {
        const double *row = front->F11 + (ptrdiff_t)k * ld;
        const double outer = kernels->dot(n, front->F12 + (ptrdiff_t)k * ldc, w);
        const double inner = pcs_kernel_dot(p - 1 - k, row + k + 1, y + k + 1);
        y[k] = (y[k] - outer - inner) * front->inverse[k];
    }
}

void pcs_front_forward_columns(const pcs_front_team *team, const pcs_front *front, bool transposed,
                               int32_t n, double *Y, int32_t ldy, double *W, int32_t ldw)
{
    const int32_t p = front->p, ld = pcs_front_stride(p), ldc = pcs_front_stride(front->c);
    const int32_t width = round_up(n, VECTOR);
    const triangle lower = {front->F11, NULL, ld, 1};
    const triangle upper = {front->F11, front->inverse, 1, ld};
    if (p == 0)
        return;
    for (int32_t k = 0; k < p && !transposed; ++k)
        if (front->pivot[k] != k)
            exchange(Y + (ptrdiff_t)k * ldy, Y + (ptrdiff_t)front->pivot[k] * ldy, width);
    solve_triangle(team, p, width, transposed ? &upper : &lower, Y, ldy);
    if (front->c > 0)
        subtract_product(team, p, front->c, width, transposed ? front->F12 : front->G, 1, ldc, Y,
                         ldy, W, ldw);
}

void pcs_front_subtract_product(const pcs_front_team *team, int32_t k, int32_t m, int32_t n,
                                const double *A, int32_t lda, const double *B, int32_t ldb,
                                double *C, int32_t ldc)
{
    if (k > 0)
        subtract_product(team, k, m, round_up(n, VECTOR), A, 1, lda, B, ldb, C, ldc);
}

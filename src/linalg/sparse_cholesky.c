// Numbers of the sparse Cholesky factorisation (linalg/sparse_cholesky.h). A front collects its
// entries of A and the updates of its children, then
//
//     F11 = U11^T U11,   U12 = U11^{-T} F12,   F22 <- F22 - U12^T U12,
//
// and F22 goes to the parent. Updates make a stack: those of the children lie on top, and the
// parent's takes their place. Rows of U are made in panels, each from the finished rows above it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/sparse_cholesky_internal.h"

enum {
    STRIP = 96, // rows of an update at a time: the kernel's panels
    LANES = 16  // shares of a product, for any number of threads
};
// Multiplications between two looks at the clock: some 5 ms, and of one product: some 20 ms.
#define LOOK_TERMS 2e7
#define PIECE_TERMS 8e7

// ---- Work under the clock ----

pcs_status pcs_cholesky_crew_init(cholesky_crew *crew, pcs_context *ctx, pcs_tasks *tasks,
                                  const pcs_watch *watch)
{
    enum { LINE = 8, MANY = 1 << 20 }; // doubles; more rows than any buffer takes
    const int32_t lanes = pcs_tasks_threads(tasks) > 1 ? LANES : 1;
    const int64_t size = (pcs_front_pack_size(MANY, MANY) + LINE - 1) / LINE * LINE;
    *crew = (cholesky_crew){.watch = watch};
    pcs_arena_init(&crew->memory, ctx);
    crew->team = (pcs_front_team){.kernels = pcs_front_kernels_best(),
                                  .tasks = lanes > 1 ? tasks : NULL,
                                  .pack = PCS_ARENA_ARRAY(&crew->memory, double, size *lanes),
                                  .pack_size = size,
                                  .lanes = lanes};
    return crew->team.pack != NULL ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_cholesky_crew_free(cholesky_crew *crew)
{
    pcs_arena_free(&crew->memory);
}

bool pcs_cholesky_crew_spend(cholesky_crew *crew, double terms)
{
    crew->work += terms;
    if (crew->work >= LOOK_TERMS) {
        crew->work = 0.0;
        crew->is_over = crew->is_over || pcs_watch_is_over(crew->watch);
    }
    return crew->is_over;
}

bool pcs_cholesky_subtract(cholesky_crew *crew, int32_t k, int32_t m, int32_t n, const double *A,
                           int32_t lda, const double *B, int32_t ldb, double *C, int32_t ldc)
{
    enum { ROWS = 2 * STRIP, COLUMNS = 64 }; // of a piece: at most, and in multiples of
    for (int32_t i = 0; i < m && k > 0; i += ROWS) {
        const int32_t rows = m - i < ROWS ? m - i : ROWS;
        const double most = fmax(PIECE_TERMS / ((double)k * rows), COLUMNS);
        const int32_t piece = most < n ? (int32_t)most / COLUMNS * COLUMNS : n;
        for (int32_t j = 0; j < n; j += piece) {
            const int32_t columns = n - j < piece ? n - j : piece;
            pcs_front_subtract_product(&crew->team, k, rows, columns, A + i, lda, B + j, ldb,
                                       C + (int64_t)i * ldc + j, ldc);
            if (pcs_cholesky_crew_spend(crew, (double)k * rows * columns))
                return false;
        }
    }
    return true;
}

bool pcs_cholesky_clear(cholesky_crew *crew, int64_t count, double *x)
{
    enum { PIECE = 1 << 18 }; // values: two megabytes of fresh pages
    for (int64_t k = 0; k < count; k += PIECE) {
        const int64_t values = count - k < PIECE ? count - k : PIECE;
        memset(x + k, 0, sizeof(double) * (size_t)values);
        if (pcs_cholesky_crew_spend(crew, LOOK_TERMS / PIECE * (double)values))
            return false;
    }
    return true;
}

void pcs_cholesky_solve_panel(cholesky_crew *crew, const cholesky_front *front, int32_t first,
                              int32_t end, int32_t n, double *Y, int32_t ldy)
{
    double triangle[PCS_CHOLESKY_PANEL * (PCS_CHOLESKY_PANEL + 8)], inverse[PCS_CHOLESKY_PANEL];
    const int32_t rows = end - first, ld = pcs_front_stride(rows);
    if (n == 0)
        return;
    for (int32_t i = 0; i < rows; ++i) {
        const double *row = front->U + (int64_t)(first + i) * front->ld + first;
        inverse[i] = 1.0 / row[i];
        memcpy(triangle + i * ld + i, row + i, sizeof(double) * (size_t)(rows - i));
    }
    const pcs_front panel = {.p = rows, .F11 = triangle, .inverse = inverse};
    pcs_front_forward_columns(&crew->team, &panel, true, n, Y, ldy, NULL, 0);
    (void)pcs_cholesky_crew_spend(crew, 0.5 * rows * rows * n);
}

// ---- Factorisation ----

typedef struct factorisation {
    pcs_sparse_cholesky *f;
    const pcs_sparse *A;
    cholesky_crew crew;
    double *stack;
    int64_t stack_size;
    int64_t *update; // by front: first value of its update in the stack
    int32_t *column; // by place: column of the front
    double *scale;   // by pivot of the front: its diagonal entry in A
    int32_t defect;
} factorisation;

static int64_t update_size(const pcs_sparse_cholesky *f, int32_t s)
{
    const cholesky_front front = pcs_cholesky_front(f, s);
    return (int64_t)front.c * front.ldc;
}

// Places in the stack: over the children while the front is worked on, then in their place
static void place_updates(factorisation *x)
{
    const pcs_sparse_cholesky *f = x->f;
    int64_t top = 0;
    for (int32_t s = 0; s < f->n_fronts; ++s) {
        const int64_t size = update_size(f, s);
        x->stack_size = top + size > x->stack_size ? top + size : x->stack_size;
        x->update[s] = f->child[s] >= 0 ? x->update[f->child[s]] : top;
        top = x->update[s] + size;
    }
}

static void enter_matrix(factorisation *x, int32_t s, const cholesky_front *front)
{
    const pcs_sparse_cholesky *f = x->f;
    const pcs_sparse_pattern *P = &x->A->pattern;
    const int32_t first = f->first[s];
    for (int32_t k = 0; k < front->p; ++k)
        x->column[first + k] = k;
    for (int32_t t = 0; t < front->c; ++t)
        x->column[f->rest[f->rest_start[s] + t]] = front->p4 + t;
    for (int32_t k = 0; k < front->p; ++k) {
        const int32_t j = f->order[first + k];
        double *row = front->U + (int64_t)k * front->ld;
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e) {
            const int32_t place = f->place[P->index[e]];
            if (place >= first + k)
                row[x->column[place]] += x->A->value[e];
        }
        x->scale[k] = fabs(row[k]);
    }
}

// Adds the update of a child to the rows of the front and to its update
static void add_child(const factorisation *x, int32_t child, const cholesky_front *front,
                      double *F22)
{
    const pcs_sparse_cholesky *f = x->f;
    const int32_t *target = f->target + f->rest_start[child];
    const cholesky_front from = pcs_cholesky_front(f, child);
    for (int32_t i = 0; i < from.c; ++i) {
        const double *row = x->stack + x->update[child] + (int64_t)i * from.ldc;
        double *to = target[i] < front->p
                         ? front->U + (int64_t)target[i] * front->ld
                         : F22 + (int64_t)(target[i] - front->p4) * front->ldc - front->p4;
        for (int32_t j = i; j < from.c; ++j)
            to[target[j]] += row[j];
    }
}

// U^T U = F for the rows first .. end-1 within the columns of the same numbers; the pivot that is
// not positive, or -1
static int32_t factor_triangle(const cholesky_front *front, int32_t first, int32_t end,
                               const double *scale)
{
    for (int32_t k = first; k < end; ++k) {
        double *row = front->U + (int64_t)k * front->ld;
        for (int32_t q = first; q < k; ++q) {
            const double *above = front->U + (int64_t)q * front->ld, u = above[k];
            for (int32_t j = k; j < end; ++j)
                row[j] -= u * above[j];
        }
        if (!(row[k] > PCS_DENSE_SINGULAR * scale[k] && row[k] <= DBL_MAX))
            return k;
        row[k] = sqrt(row[k]);
        for (int32_t j = k + 1; j < end; ++j)
            row[j] /= row[k];
        for (int32_t j = first; j < k; ++j)
            row[j] = 0.0;
    }
    return -1;
}

// Rows of U of the front, panel by panel; false: time is up or a pivot is not positive
static bool factor_rows(factorisation *x, int32_t s, const cholesky_front *front)
{
    const int32_t ld = front->ld, width = front->p4 + front->c;
    for (int32_t first = 0; first < front->p; first += PCS_CHOLESKY_PANEL) {
        const int32_t left = front->p - first;
        const int32_t rows = left < PCS_CHOLESKY_PANEL ? left : PCS_CHOLESKY_PANEL;
        double *panel = front->U + (int64_t)first * ld + first;
        if (!pcs_cholesky_subtract(&x->crew, first, rows, width - first, front->U + first, ld,
                                   front->U + first, ld, panel, ld))
            return false;
        const int32_t bad = factor_triangle(front, first, first + rows, x->scale);
        if (bad >= 0) {
            x->defect = x->f->order[x->f->first[s] + bad];
            return false;
        }
        const int32_t next = cholesky_round4(rows); // only the last panel is not a multiple of 4
        pcs_cholesky_solve_panel(&x->crew, front, first, first + rows, width - first - next,
                                 panel + next, ld);
    }
    return !x->crew.is_over;
}

static bool factor_front(factorisation *x, int32_t s)
{
    const pcs_sparse_cholesky *f = x->f;
    const cholesky_front front = pcs_cholesky_front(f, s);
    const int32_t c = front.c, ldc = front.ldc;
    const double *U12 = front.U + front.p4;
    int64_t top = x->update[s];
    for (int32_t child = f->child[s]; child >= 0; child = f->sibling[child])
        top = x->update[child] + update_size(f, child);
    double *F22 = x->stack + top;
    if (!pcs_cholesky_clear(&x->crew, (int64_t)c * ldc, F22) ||
        !pcs_cholesky_clear(&x->crew, (int64_t)front.p * front.ld, front.U))
        return false;
    enter_matrix(x, s, &front);
    for (int32_t child = f->child[s]; child >= 0; child = f->sibling[child])
        add_child(x, child, &front, F22);
    if (!factor_rows(x, s, &front))
        return false;
    for (int32_t i = 0; i < c; i += STRIP)
        if (!pcs_cholesky_subtract(&x->crew, front.p, c - i < STRIP ? c - i : STRIP, c - i, U12 + i,
                                   front.ld, U12 + i, front.ld, F22 + (int64_t)i * ldc + i, ldc))
            return false;
    memmove(x->stack + x->update[s], F22, sizeof(double) * (size_t)c * (size_t)ldc);
    return !pcs_cholesky_crew_spend(&x->crew, 4.0 * c * c);
}

#define GET(arena, type, pointer, count)                   \
    do {                                                   \
        (pointer) = PCS_ARENA_ARRAY(arena, type, (count)); \
        if (!(pointer))                                    \
            return PCS_ERROR_MEMORY;                       \
    } while (0)

// The factors are cleared front by front: to touch all of their memory at once takes seconds.
static pcs_status factor_all(factorisation *x)
{
    pcs_sparse_cholesky *f = x->f;
    pcs_arena *scratch = &x->crew.memory;
    GET(scratch, int64_t, x->update, f->n_fronts);
    GET(scratch, int32_t, x->column, f->n);
    GET(scratch, double, x->scale, f->largest_p);
    GET(&f->memory, double, f->factor, f->start[f->n_fronts]);
    GET(&f->memory, double, f->work, (int64_t)f->n + f->largest_c);
    place_updates(x);
    GET(scratch, double, x->stack, x->stack_size);
    for (int32_t s = 0; s < f->n_fronts; ++s)
        if (!factor_front(x, s))
            return x->defect >= 0 ? PCS_ERROR_SINGULAR : PCS_INTERRUPTED;
    return PCS_OK;
}

static pcs_status factor(pcs_sparse_cholesky *f, const pcs_sparse *A, pcs_tasks *tasks,
                         const pcs_watch *watch, int32_t *defect)
{
    factorisation x = {.f = f, .A = A, .defect = -1};
    pcs_status status = pcs_cholesky_crew_init(&x.crew, f->ctx, tasks, watch);
    if (status == PCS_OK)
        status = factor_all(&x);
    pcs_cholesky_crew_free(&x.crew);
    if (defect != NULL)
        *defect = x.defect;
    return status;
}

pcs_status pcs_sparse_cholesky_create(pcs_context *ctx, const pcs_sparse *A, pcs_tasks *tasks,
                                      const pcs_watch *watch, pcs_sparse_cholesky **out,
                                      int32_t *defect)
{
    *out = NULL;
    pcs_sparse_cholesky *f = PCS_NEW(ctx, pcs_sparse_cholesky);
    if (f == NULL)
        return PCS_ERROR_MEMORY;
    f->ctx = ctx;
    f->n = A->pattern.n_columns;
    pcs_arena_init(&f->memory, ctx);
    pcs_status status = pcs_cholesky_analyse(f, A, watch);
    if (status == PCS_OK)
        status = factor(f, A, tasks, watch, defect);
    if (status == PCS_OK)
        *out = f;
    else
        pcs_sparse_cholesky_destroy(f);
    return status;
}

void pcs_sparse_cholesky_destroy(pcs_sparse_cholesky *cholesky)
{
    if (cholesky == NULL)
        return;
    pcs_arena_free(&cholesky->memory);
    pcs_free(cholesky->ctx, cholesky);
}

int64_t pcs_sparse_cholesky_entries(const pcs_sparse_cholesky *cholesky)
{
    return cholesky->entries;
}

double pcs_sparse_cholesky_operations(const pcs_sparse_cholesky *cholesky)
{
    return cholesky->operations;
}

// ---- Solution ----

// y <- U^{-T} y: each pivot row is subtracted from what follows, w collects it for the rest
static void forward(const pcs_sparse_cholesky *f, int32_t s, double *y, double *w)
{
    const cholesky_front front = pcs_cholesky_front(f, s);
    const int32_t *rest = f->rest + f->rest_start[s];
    double *pivot = y + f->first[s];
    memset(w, 0, sizeof(double) * (size_t)front.c);
    for (int32_t k = 0; k < front.p; ++k) {
        const double *row = front.U + (int64_t)k * front.ld, value = pivot[k] /= row[k];
        for (int32_t j = k + 1; j < front.p; ++j)
            pivot[j] -= row[j] * value;
        for (int32_t t = 0; t < front.c; ++t)
            w[t] += row[front.p4 + t] * value;
    }
    for (int32_t t = 0; t < front.c; ++t)
        y[rest[t]] -= w[t];
}

// y <- U^{-1} y
static void backward(const pcs_sparse_cholesky *f, int32_t s, double *y, double *w)
{
    const cholesky_front front = pcs_cholesky_front(f, s);
    const int32_t *rest = f->rest + f->rest_start[s];
    double *pivot = y + f->first[s];
    for (int32_t t = 0; t < front.c; ++t)
        w[t] = y[rest[t]];
    for (int32_t k = front.p - 1; k >= 0; --k) {
        const double *row = front.U + (int64_t)k * front.ld;
        const double inner = pcs_kernel_dot(front.p - 1 - k, row + k + 1, pivot + k + 1);
        const double outer = pcs_kernel_dot(front.c, row + front.p4, w);
        pivot[k] = (pivot[k] - inner - outer) / row[k];
    }
}

void pcs_sparse_cholesky_solve(pcs_sparse_cholesky *cholesky, double *x)
{
    const pcs_sparse_cholesky *f = cholesky;
    double *y = f->work, *w = f->work + f->n;
    for (int32_t k = 0; k < f->n; ++k)
        y[k] = x[f->order[k]];
    for (int32_t s = 0; s < f->n_fronts; ++s)
        forward(f, s, y, w);
    for (int32_t s = f->n_fronts - 1; s >= 0; --s)
        backward(f, s, y, w);
    for (int32_t k = 0; k < f->n; ++k)
        x[f->order[k]] = y[k];
}

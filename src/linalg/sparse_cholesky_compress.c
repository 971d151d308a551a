// X = H^T A^{-1} H = Y^T Y with Y = U^{-T} P H, front by front. A front has the columns of H that
// touch its subtree, and no others. Its pivot rows of Y add Y_s^T Y_s to X and are forgotten; what
// they do to later rows, -U12^T Y_s, goes to the parent like an update matrix.
#include <string.h>

#include "linalg/sparse_cholesky_internal.h"

enum { STRIP = 96 }; // rows of a term at a time

#define GET(type, pointer, count)                              \
    do {                                                       \
        (pointer) = PCS_ARENA_ARRAY(&x->arena, type, (count)); \
        if (!(pointer))                                        \
            return PCS_ERROR_MEMORY;                           \
    } while (0)

typedef struct compression {
    const pcs_sparse_cholesky *f;
    const pcs_sparse *H;
    pcs_arena arena;
    cholesky_crew crew;
    // entries of H by fronts
    int64_t *entry_start; // n_fronts+1
    int32_t *entry_row;   // pivot of the front
    int32_t *entry_column;
    double *entry_value;
    int32_t *owner;     // by place: front
    int32_t *n_columns; // by front; 0: not visited
    int32_t **column;   // ascending
    int32_t *mark;      // by column of H: front that has it
    int32_t *position;  // by column of H: among those of the present front
    int64_t *update;    // by front: first value in the stack
    int64_t stack_size;
    int64_t largest_Y;
    int32_t largest_n;
    double *stack, *Y, *term;
} compression;

static pcs_status list_entries(compression *x)
{
    const pcs_sparse_cholesky *f = x->f;
    const pcs_sparse_pattern *P = &x->H->pattern;
    const int32_t count = P->start[P->n_columns];
    int64_t *next;
    GET(int32_t, x->owner, f->n);
    GET(int64_t, x->entry_start, (int64_t)f->n_fronts + 1);
    GET(int64_t, next, f->n_fronts);
    GET(int32_t, x->entry_row, count);
    GET(int32_t, x->entry_column, count);
    GET(double, x->entry_value, count);
    memset(x->entry_start, 0, sizeof(int64_t) * ((size_t)f->n_fronts + 1));
    for (int32_t s = 0; s < f->n_fronts; ++s)
        for (int32_t k = f->first[s]; k < f->first[s + 1]; ++k)
            x->owner[k] = s;
    for (int32_t e = 0; e < count; ++e)
        ++x->entry_start[x->owner[f->place[P->index[e]]] + 1];
    for (int32_t s = 0; s < f->n_fronts; ++s) {
        next[s] = x->entry_start[s];
        x->entry_start[s + 1] += x->entry_start[s];
    }
    for (int32_t j = 0; j < P->n_columns; ++j)
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e) {
            const int32_t place = f->place[P->index[e]], s = x->owner[place];
            x->entry_row[next[s]] = place - f->first[s];
            x->entry_column[next[s]] = j;
            x->entry_value[next[s]++] = x->H->value[e];
        }
    return PCS_OK;
}

// Marks a column for front s; widens the range of its columns
static void mark_column(compression *x, int32_t s, int32_t j, int32_t range[2])
{
    x->mark[j] = s;
    range[0] = j < range[0] ? j : range[0];
    range[1] = j > range[1] ? j : range[1];
}

static pcs_status find_columns(compression *x)
{
    const pcs_sparse_cholesky *f = x->f;
    const int32_t n = x->H->pattern.n_columns;
    GET(int32_t, x->n_columns, f->n_fronts);
    GET(int32_t *, x->column, f->n_fronts);
    GET(int32_t, x->mark, n);
    GET(int32_t, x->position, n);
    for (int32_t j = 0; j < n; ++j)
        x->mark[j] = -1;
    for (int32_t s = 0; s < f->n_fronts; ++s) {
        int32_t range[2] = {n, -1}, count = 0;
        for (int64_t e = x->entry_start[s]; e < x->entry_start[s + 1]; ++e)
            mark_column(x, s, x->entry_column[e], range);
        for (int32_t child = f->child[s]; child >= 0; child = f->sibling[child])
            for (int32_t k = 0; k < x->n_columns[child]; ++k)
                mark_column(x, s, x->column[child][k], range);
        for (int32_t j = range[0]; j <= range[1]; ++j)
            count += x->mark[j] == s;
        x->n_columns[s] = count;
        GET(int32_t, x->column[s], count);
        for (int32_t j = range[0], k = 0; j <= range[1]; ++j)
            if (x->mark[j] == s)
                x->column[s][k++] = j;
    }
    return PCS_OK;
}

static int64_t update_size(const compression *x, int32_t s)
{
    return (x->f->rest_start[s + 1] - x->f->rest_start[s]) * pcs_front_stride(x->n_columns[s]);
}

// Places in the stack, as in the factorisation; fronts without columns have updates of size 0
static pcs_status place_updates(compression *x)
{
    const pcs_sparse_cholesky *f = x->f;
    int64_t top = 0;
    GET(int64_t, x->update, f->n_fronts);
    for (int32_t s = 0; s < f->n_fronts; ++s) {
        const int32_t n = x->n_columns[s];
        const int64_t size = update_size(x, s);
        const int64_t Y = (int64_t)(f->first[s + 1] - f->first[s]) * pcs_front_stride(n);
        x->stack_size = top + size > x->stack_size ? top + size : x->stack_size;
        x->largest_Y = Y > x->largest_Y ? Y : x->largest_Y;
        x->largest_n = n > x->largest_n ? n : x->largest_n;
        x->update[s] = f->child[s] >= 0 ? x->update[f->child[s]] : top;
        top = x->update[s] + size;
    }
    GET(double, x->stack, x->stack_size);
    GET(double, x->Y, x->largest_Y);
    GET(double, x->term, (int64_t)STRIP *pcs_front_stride(x->largest_n));
    return PCS_OK;
}

static void add_child(compression *x, int32_t child, const cholesky_front *front, int32_t width,
                      double *V)
{
    const pcs_sparse_cholesky *f = x->f;
    const int32_t n = x->n_columns[child], from_width = pcs_front_stride(n);
    const double *from = x->stack + x->update[child];
    for (int64_t k = f->rest_start[child]; n > 0 && k < f->rest_start[child + 1];
         ++k, from += from_width) {
        const int32_t row = f->target[k];
        double *to = row < front->p ? x->Y + (int64_t)row * width
                                    : V + (int64_t)(row - front->p4) * width;
        for (int32_t i = 0; i < n; ++i)
            to[x->position[x->column[child][i]]] += from[i];
    }
}

// Y <- U11^{-T} Y; false when time is up
static bool solve_rows(compression *x, const cholesky_front *front, int32_t n, int32_t width)
{
    for (int32_t first = 0; first < front->p; first += PCS_CHOLESKY_PANEL) {
        const int32_t left = front->p - first;
        const int32_t rows = left < PCS_CHOLESKY_PANEL ? left : PCS_CHOLESKY_PANEL;
        double *Y = x->Y + (int64_t)first * width;
        if (!pcs_cholesky_subtract(&x->crew, first, rows, n, front->U + first, front->ld, x->Y,
                                   width, Y, width))
            return false;
        pcs_cholesky_solve_panel(&x->crew, front, first, first + rows, n, Y, width);
    }
    return !x->crew.is_over;
}

static bool give_terms(compression *x, int32_t s, int32_t p, int32_t width, pcs_cholesky_put_fn put,
                       void *user)
{
    const int32_t n = x->n_columns[s];
    for (int32_t first = 0; first < n; first += STRIP) {
        const int32_t count = n - first < STRIP ? n - first : STRIP;
        memset(x->term, 0, sizeof(double) * (size_t)count * (size_t)width);
        if (!pcs_cholesky_subtract(&x->crew, p, count, n - first, x->Y + first, width, x->Y + first,
                                   width, x->term + first, width))
            return false;
        const pcs_cholesky_term term = {first, count, n, x->column[s], x->term, width};
        put(user, &term);
        if (pcs_cholesky_crew_spend(&x->crew, 4.0 * count * n))
            return false;
    }
    return true;
}

static bool visit(compression *x, int32_t s, pcs_cholesky_put_fn put, void *user)
{
    const pcs_sparse_cholesky *f = x->f;
    const cholesky_front front = pcs_cholesky_front(f, s);
    const int32_t n = x->n_columns[s], width = pcs_front_stride(n);
    const int64_t size = (int64_t)front.c * width;
    int64_t top = x->update[s];
    for (int32_t child = f->child[s]; child >= 0; child = f->sibling[child])
        top = x->update[child] + update_size(x, child);
    double *V = x->stack + top;
    if (!pcs_cholesky_clear(&x->crew, size, V) ||
        !pcs_cholesky_clear(&x->crew, (int64_t)front.p * width, x->Y))
        return false;
    for (int32_t k = 0; k < n; ++k)
        x->position[x->column[s][k]] = k;
    for (int64_t e = x->entry_start[s]; e < x->entry_start[s + 1]; ++e)
        x->Y[(int64_t)x->entry_row[e] * width + x->position[x->entry_column[e]]] +=
            x->entry_value[e];
    for (int32_t child = f->child[s]; child >= 0; child = f->sibling[child])
        add_child(x, child, &front, width, V);
    if (!solve_rows(x, &front, n, width) ||
        !pcs_cholesky_subtract(&x->crew, front.p, front.c, n, front.U + front.p4, front.ld, x->Y,
                               width, V, width) ||
        !give_terms(x, s, front.p, width, put, user))
        return false;
    memmove(x->stack + x->update[s], V, sizeof(double) * (size_t)size);
    return !pcs_cholesky_crew_spend(&x->crew, 4.0 * front.c * n);
}

static pcs_status compress(compression *x, pcs_tasks *tasks, const pcs_watch *watch,
                           pcs_cholesky_put_fn put, void *user)
{
    PCS_TRY(pcs_cholesky_crew_init(&x->crew, x->f->ctx, tasks, watch));
    PCS_TRY(list_entries(x));
    PCS_TRY(find_columns(x));
    PCS_TRY(place_updates(x));
    for (int32_t s = 0; s < x->f->n_fronts; ++s)
        if (x->n_columns[s] > 0 && !visit(x, s, put, user))
            return PCS_INTERRUPTED;
    return PCS_OK;
}

pcs_status pcs_sparse_cholesky_compress(const pcs_sparse_cholesky *cholesky, const pcs_sparse *H,
                                        pcs_tasks *tasks, const pcs_watch *watch,
                                        pcs_cholesky_put_fn put, void *user)
{
    compression x = {.f = cholesky, .H = H};
    pcs_arena_init(&x.arena, cholesky->ctx);
    const pcs_status status = compress(&x, tasks, watch, put, user);
    pcs_arena_free(&x.arena);
    pcs_cholesky_crew_free(&x.crew);
    return status;
}

// Blocks of hexahedra as global contact problems.
#include "support/elastic_block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

typedef struct triplets {
    int32_t count, room;
    int32_t *row, *column;
    double *value;
} triplets;

static bool start(triplets *t, int64_t room)
{
    *t = (triplets){.room = (int32_t)room};
    t->row = malloc(sizeof(int32_t) * (size_t)room);
    t->column = malloc(sizeof(int32_t) * (size_t)room);
    t->value = malloc(sizeof(double) * (size_t)room);
    return t->row && t->column && t->value;
}

static void add(triplets *t, int32_t row, int32_t column, double value)
{
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = value;
}

static void clear(triplets *t)
{
    free(t->row);
    free(t->column);
    free(t->value);
}

elastic_block_def pcs_test_elastic_block_default(void)
{
    return (elastic_block_def){
        .nodes = {4, 4, 4}, .contacts = 5, .stiffness = 3.7, .mu = 0.45, .seed = 1};
}

// k d d^T between the nodes a and b; b < 0: the ground
static void add_spring(triplets *M, double k, double skew, const int32_t step[3], int32_t a,
                       int32_t b)
{
    const double length2 = (double)(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    for (int32_t i = 0; i < 3; i++)
        for (int32_t j = 0; j < 3; j++) {
            const double s = k * step[i] * step[j] / length2;
            add(M, 3 * a + i, 3 * a + j, s);
            if (b < 0)
                continue;
            add(M, 3 * b + i, 3 * b + j, s);
            add(M, 3 * a + i, 3 * b + j, -s + skew * k);
            add(M, 3 * b + j, 3 * a + i, -s - skew * k);
        }
}

static void fill_M(const elastic_block_def *def, triplets *M)
{
    const int32_t *n = def->nodes;
    for (int32_t node = 0; node < n[0] * n[1] * n[2]; node++) {
        const int32_t x = node % n[0], y = node / n[0] % n[1], z = node / (n[0] * n[1]);
        for (int32_t i = 0; i < 3; i++)
            add(M, 3 * node + i, 3 * node + i, 1.0);
        for (int32_t k = 0; k < 27; k++) { // each pair once: upwards, then backwards, then left
            const int32_t step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
            const int32_t to[3] = {x + step[0], y + step[1], z + step[2]};
            if (k >= 13 || to[0] < 0 || to[0] >= n[0] || to[1] < 0 || to[1] >= n[1])
                continue;
            const int32_t other = to[2] < 0 ? -1 : to[0] + n[0] * (to[1] + n[1] * to[2]);
            add_spring(M, def->stiffness, def->skew, step, node, other);
        }
    }
}

// Rows of one contact: a tilted frame (n, t1, t2), n about -z, at a point between four nodes
static void fill_contact(const elastic_block_def *def, pcs_random *random, int32_t contact,
                         triplets *H)
{
    const int32_t *n = def->nodes;
    const double a = pcs_random_between(random, -0.2, 0.2),
                 b = pcs_random_between(random, -3.0, 3.0);
    const double frame[3][3] = {{sin(a) * cos(b), sin(a) * sin(b), -cos(a)},
                                {cos(a) * cos(b), cos(a) * sin(b), sin(a)},
                                {-sin(b), cos(b), 0.0}};
    const double x = pcs_random_between(random, 0.0, n[0] - 1.001);
    const double y = pcs_random_between(random, 0.0, n[1] - 1.001);
    const int32_t i = (int32_t)x, j = (int32_t)y;
    for (int32_t corner = 0; corner < 4; corner++) {
        const int32_t p = corner % 2, q = corner / 2;
        const int32_t node = i + p + n[0] * (j + q + n[1] * (n[2] - 1));
        const double weight = fabs(1.0 - p - (x - i)) * fabs(1.0 - q - (y - j));
        for (int32_t row = 0; row < 3; row++)
            for (int32_t d = 0; d < 3; d++)
                add(H, 3 * node + d, 3 * contact + row, weight * frame[row][d]);
    }
}

static pcs_triplets view(const triplets *t, int32_t rows, int32_t columns)
{
    return (pcs_triplets){rows, columns, t->count, t->row, t->column, t->value};
}

pcs_status pcs_test_elastic_block_create(pcs_context *ctx, const elastic_block_def *def,
                                         pcs_problem **out)
{
    const int32_t nodes = def->nodes[0] * def->nodes[1] * def->nodes[2], dofs = 3 * nodes;
    const int32_t rows = 3 * def->contacts;
    triplets M, H;
    double *vectors = calloc((size_t)(dofs + 2 * rows) + 1, sizeof *vectors);
    double *f = vectors, *w = vectors + dofs, *mu = w + rows;
    const bool has_M = start(&M, 13 * 36 * (int64_t)nodes + dofs);
    const bool has_H = start(&H, 36 * (int64_t)def->contacts + 1);
    pcs_status status = PCS_ERROR_MEMORY;
    if (has_M && has_H && vectors != NULL) {
        pcs_random random;
        pcs_random_init(&random, def->seed);
        fill_M(def, &M);
        for (int32_t c = 0; c < def->contacts; c++) {
            fill_contact(def, &random, c, &H);
            w[3 * c] = pcs_random_between(&random, -0.02, 0.05);
            mu[c] = def->mu;
        }
        for (int32_t i = 0; i < dofs; i++) // upwards and sideways
            f[i] = pcs_random_between(&random, -0.05, i % 3 == 2 ? 0.15 : 0.1);
        const pcs_triplets M_view = view(&M, dofs, dofs), H_view = view(&H, dofs, rows);
        status = pcs_problem_create_global(ctx, 3, def->contacts, 0, &M_view, &H_view, f, w, mu,
                                           out);
    }
    clear(&M);
    clear(&H);
    free(vectors);
    return status;
}

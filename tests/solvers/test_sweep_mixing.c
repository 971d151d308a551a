// Anderson mixing on a linear map whose load enters block by block: blocks that are still zero take
// no part, and the iterates are those of mixing all rows, in double precision, by least squares.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/dense.h"
#include "nonsmooth/sweep_mixing.h"
#include "support/fixture.h"

enum { BLOCKS = 40, PIECE = 7, MEMORY = 6, SWEEPS = 30 };

typedef struct fixture {
    pcs_test_memory memory;
    int32_t offset[BLOCKS + 1], row_start[BLOCKS + 1], column[BLOCKS];
    int64_t value_start[BLOCKS];
    double value[9 * BLOCKS];
    uint8_t kind[BLOCKS];
    double q[3 * BLOCKS], mu[BLOCKS];
    pcs_block_matrix W;
    pcs_friction_contact problem;
} fixture;

static int create(void **state)
{
    return pcs_test_fixture_create(state, sizeof(fixture));
}

// Bilateral blocks of 1, 2 and 3 rows, so that no cone comes in; trace(W_ii) = 3, the weights are
// 1.
static void make_blocks(fixture *f)
{
    int64_t values = 0;
    for (int32_t i = 0; i < BLOCKS; i++) {
        const int32_t size = 1 + i % 3;
        f->offset[i + 1] = f->offset[i] + size;
        f->row_start[i + 1] = i + 1;
        f->column[i] = i;
        f->value_start[i] = values;
        f->kind[i] = PCS_BLOCK_BILATERAL;
        for (int32_t k = 0; k < size; k++)
            f->value[values + k * (size + 1)] = 3.0 / size;
        values += (int64_t)size * size;
    }
    f->W = (pcs_block_matrix){.n = BLOCKS,
                              .offset = f->offset,
                              .row_start = f->row_start,
                              .column = f->column,
                              .value_start = f->value_start,
                              .diagonal = f->column,
                              .value = f->value};
    f->problem = (pcs_friction_contact){.W = &f->W, .q = f->q, .mu = f->mu, .kind = f->kind};
}

// A load on the first row that travels one row further in each sweep
static void apply_map(int32_t rows, const double *r, double *G)
{
    for (int32_t k = 0; k < rows; k++)
        G[k] = 0.55 * (k > 0 ? r[k - 1] : 1.0) + 0.4 * (k < rows - 1 ? r[k + 1] : 0.0);
}

typedef struct history {
    double f[SWEEPS][3 * BLOCKS], G[SWEEPS][3 * BLOCKS];
} history;

// The next iterate from those of sweeps 0..k, all rows, at most MEMORY differences
static void mix_plainly(const history *h, int32_t k, int32_t rows, double *r)
{
    const int32_t count = k < MEMORY ? k : MEMORY;
    double df[3 * BLOCKS * MEMORY], c[MEMORY], work[20000];
    int32_t index[MEMORY];
    memcpy(r, h->G[k], (size_t)rows * sizeof *r);
    if (count == 0)
        return;
    for (int32_t row = 0; row < rows; row++)
        for (int32_t j = 0; j < count; j++)
            df[row * count + j] = h->f[k - j][row] - h->f[k - j - 1][row];
    const int32_t size = pcs_dense_least_squares_work_size(rows, count);
    assert_true(size <= 20000);
    pcs_dense_least_squares(rows, count, df, h->f[k], 1e-14, c, index, work, size);
    for (int32_t row = 0; row < rows; row++)
        for (int32_t j = 0; j < count; j++)
            r[row] -= c[j] * (h->G[k - j][row] - h->G[k - j - 1][row]);
}

static void load_enters_block_by_block(void **state)
{
    fixture *f = *state;
    static history h;
    double r[3 * BLOCKS] = {0.0}, before[3 * BLOCKS], plain[3 * BLOCKS];
    pcs_sweep_mixing mixing;
    make_blocks(f);
    const int32_t rows = f->offset[BLOCKS];
    pcs_run_order runs = {.n = BLOCKS, .length = PIECE, .count = (BLOCKS + PIECE - 1) / PIECE};
    assert_int_equal(
        pcs_sweep_mixing_init(&mixing, &f->problem, MEMORY, &runs, NULL, &f->memory.arena), PCS_OK);
    for (int32_t k = 0; k < SWEEPS; k++) {
        memcpy(before, r, sizeof before);
        apply_map(rows, before, r);
        for (int32_t row = 0; row < rows; row++)
            h.f[k][row] = r[row] - before[row];
        memcpy(h.G[k], r, sizeof r);
        for (int32_t piece = 0; piece < mixing.pieces; piece++) {
            const int32_t start = f->offset[piece * PIECE];
            pcs_sweep_mixing_add(&mixing, piece, before + start, r + start);
        }
        pcs_sweep_mixing_close(&mixing);
        pcs_sweep_mixing_apply(&mixing, r);
        mix_plainly(&h, k, rows, plain);
        double error = 0.0, size = 0.0, step = 0.0;
        int32_t members = 0, moved = 0;
        for (int32_t row = 0; row < rows; row++) {
            error = fmax(error, fabs(r[row] - plain[row]));
            size = fmax(size, fabs(r[row] - h.G[k][row]));
            step = fmax(step, fabs(h.f[k][row]));
        }
        // of the change that mixing makes, single precision and the ridge of the normal equations
        assert_true(error <= 1e-6 * fmax(size, step));
        for (int32_t piece = 0; piece < mixing.pieces; piece++)
            members += mixing.members[piece].count;
        for (int32_t i = 0; i < BLOCKS; i++)
            moved += h.G[k][f->offset[i]] != 0.0;
        assert_int_equal(members, moved);
    }
    assert_true(mixing.members[mixing.pieces - 1].count == 0); // the load has not come so far
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(load_enters_block_by_block, create,
                                        pcs_test_fixture_destroy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

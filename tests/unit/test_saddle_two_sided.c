// The saddle system [A -B^T; G 0] with B different from G: against a dense LU, with redundant rows,
// couplings, and with the rank held while the rows move apart.
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "linalg/dense.h"
#include "linalg/saddle.h"
#include "support/near.h"

enum { NODES = 5, BLOCKS = 5, UNKNOWNS_MAX = 24, ROWS_MAX = 12, VALUES_MAX = 3 * 6 };

static const int32_t node_size[NODES] = {3, 6, 2, 3, 6};
static const int32_t node_offset[NODES + 1] = {0, 3, 9, 11, 14, 20};
static const int32_t couplings[1][2] = {{0, 2}};
// Block 4 touches the nodes of blocks 0 and 1, so that it can be made a combination of them.
static const struct {
    int32_t size, n_nodes, node[2];
} shape[BLOCKS] = {{2, 2, {0, 1}}, {2, 2, {0, 1}}, {2, 2, {1, 3}}, {1, 1, {4, 0}}, {2, 2, {0, 1}}};

typedef struct rows {
    pcs_row_block block[BLOCKS];
    double value[BLOCKS][2][VALUES_MAX];
} rows;

typedef struct two_sided {
    pcs_context *ctx;
    pcs_random random;
    rows G, B;
    int32_t n_couplings, n, m;
    pcs_saddle *saddle;
} two_sided;

static double uniform(two_sided *s)
{
    return pcs_random_between(&s->random, -1.0, 1.0);
}

static void randomise(two_sided *s, rows *r)
{
    for (int k = 0; k < BLOCKS; ++k) {
        r->block[k] = (pcs_row_block){.size = shape[k].size, .n_nodes = shape[k].n_nodes};
        for (int e = 0; e < shape[k].n_nodes; ++e) {
            r->block[k].node[e] = shape[k].node[e];
            r->block[k].J[e] = r->value[k][e];
            for (int i = 0; i < VALUES_MAX; ++i)
                r->value[k][e][i] = 1.713 * uniform(s);
        }
    }
}

// Block 4 = mix of blocks 0 and 1: row i = first row_i(0) + second row_{1-i}(1)
static void make_dependent(rows *r, double first, double second)
{
    for (int e = 0; e < 2; ++e) {
        const int32_t n = node_size[shape[4].node[e]];
        for (int i = 0; i < 2; ++i)
            for (int32_t c = 0; c < n; ++c)
                r->value[4][e][i * n + c] = first * r->value[0][e][i * n + c] +
                                            second * r->value[1][e][(1 - i) * n + c];
    }
}

// B = G and a change of a third of its size, so that G A^-1 B^T is as regular as in a stage.
static void move_left(two_sided *s)
{
    randomise(s, &s->B);
    for (int k = 0; k < BLOCKS; ++k)
        for (int e = 0; e < shape[k].n_nodes; ++e)
            for (int i = 0; i < VALUES_MAX; ++i)
                s->B.value[k][e][i] = s->G.value[k][e][i] + s->B.value[k][e][i] / 3;
}

static void begin(two_sided *s, uint64_t seed, bool coupled)
{
    memset(s, 0, sizeof *s);
    s->ctx = pcs_context_create(NULL);
    pcs_random_init(&s->random, seed);
    randomise(s, &s->G);
    move_left(s);
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = NODES;
    def.node_size = node_size;
    def.n_couplings = coupled ? 1 : 0;
    def.coupling = couplings;
    def.n_rows = BLOCKS;
    def.rows = s->G.block;
    def.left = s->B.block;
    s->n_couplings = def.n_couplings;
    assert_int_equal(pcs_saddle_create(s->ctx, &def, &s->saddle), PCS_OK);
    s->n = pcs_saddle_unknowns(s->saddle);
    s->m = pcs_saddle_row_count(s->saddle);
    int64_t count;
    double *value = pcs_saddle_values(s->saddle, &count);
    for (int64_t i = 0; i < count; ++i)
        value[i] = 0.2 * uniform(s);
    for (int32_t k = 0; k < NODES; ++k)
        for (int32_t i = 0; i < node_size[k]; ++i)
            pcs_saddle_diagonal(s->saddle, k)[i * (node_size[k] + 1)] = 3.1 + uniform(s);
}

static void end(two_sided *s)
{
    pcs_saddle_destroy(s->saddle);
    assert_int_equal(pcs_context_heap_bytes(s->ctx), 0);
    pcs_context_destroy(s->ctx);
}

// Dense m x n of a set of rows
static void dense_rows(const two_sided *s, const rows *r, double *out)
{
    memset(out, 0, sizeof(double) * (size_t)(s->m * s->n));
    int32_t at = 0;
    for (int k = 0; k < BLOCKS; at += shape[k++].size)
        for (int e = 0; e < shape[k].n_nodes; ++e)
            for (int i = 0; i < shape[k].size; ++i)
                for (int32_t c = 0; c < node_size[shape[k].node[e]]; ++c)
                    out[(at + i) * s->n + node_offset[shape[k].node[e]] + c] =
                        r->value[k][e][i * node_size[shape[k].node[e]] + c];
}

static void dense_solve(two_sided *s, const uint8_t *skip, double *z)
{
    enum { MAX = UNKNOWNS_MAX + ROWS_MAX };
    static double K[MAX * MAX], G[ROWS_MAX * UNKNOWNS_MAX], B[ROWS_MAX * UNKNOWNS_MAX];
    int32_t pivot[MAX];
    const int32_t n = s->n, size = s->n + s->m;
    memset(K, 0, sizeof K);
    dense_rows(s, &s->G, G);
    dense_rows(s, &s->B, B);
    for (int32_t k = 0; k < NODES; ++k)
        for (int32_t i = 0; i < node_size[k]; ++i)
            for (int32_t j = 0; j < node_size[k]; ++j)
                K[(node_offset[k] + i) * size + node_offset[k] + j] = pcs_saddle_diagonal(
                    s->saddle, k)[i * node_size[k] + j];
    for (int side = 0; side < 2 && s->n_couplings > 0; ++side) {
        const int32_t a = couplings[0][side], b = couplings[0][1 - side];
        for (int32_t i = 0; i < node_size[a]; ++i)
            for (int32_t j = 0; j < node_size[b]; ++j)
                K[(node_offset[a] + i) * size + node_offset[b] + j] = pcs_saddle_coupling(
                    s->saddle, 0, side == 1)[i * node_size[b] + j];
    }
    for (int32_t r = 0; r < s->m; ++r) {
        if (skip && skip[r]) {
            K[(n + r) * (size + 1)] = 1;
            z[n + r] = 0;
            continue;
        }
        for (int32_t i = 0; i < n; ++i) {
            K[(n + r) * size + i] = G[r * n + i];
            K[i * size + n + r] = -B[r * n + i];
        }
    }
    assert_int_equal(pcs_dense_lu_factor(size, K, pivot), -1);
    pcs_dense_lu_solve(size, K, pivot, 1, z);
}

// B^T p
static void forces(const two_sided *s, const double *p, double *out)
{
    double B[ROWS_MAX * UNKNOWNS_MAX];
    dense_rows(s, &s->B, B);
    memset(out, 0, sizeof(double) * (size_t)s->n);
    for (int32_t r = 0; r < s->m; ++r)
        for (int32_t i = 0; i < s->n; ++i)
            out[i] += B[r * s->n + i] * p[r];
}

// Condition numbers of these systems stay below 1e5: cond * eps, relative to the largest number.
static const double TOLERANCE = 2e-11;

// Factorises and compares x and B^T p with the dense solution without the rows in `skip`, which
// gets the right-hand side of a row that depends on others from them. Returns the redundant rows.
static int32_t check(two_sided *s, const uint8_t *skip, double first, double second)
{
    double z[UNKNOWNS_MAX + ROWS_MAX], expected[UNKNOWNS_MAX + ROWS_MAX], f[2][UNKNOWNS_MAX];
    assert_int_equal(pcs_saddle_factor(s->saddle), PCS_OK);
    for (int32_t i = 0; i < s->n + s->m; ++i)
        z[i] = 1.913 * uniform(s);
    if (skip)
        for (int i = 0; i < 2; ++i)
            z[s->n + s->m - 2 + i] = first * z[s->n + i] + second * z[s->n + 2 + (1 - i)];
    memcpy(expected, z, sizeof z);
    dense_solve(s, skip, expected);
    pcs_saddle_solve(s->saddle, z, z + s->n);
    forces(s, z + s->n, f[0]);
    forces(s, expected + s->n, f[1]);
    double scale = 1;
    for (int32_t i = 0; i < s->n; ++i)
        scale = fmax(scale, fmax(fabs(expected[i]), fabs(f[1][i])));
    for (int32_t i = 0; i < s->n; ++i) {
        assert_near(z[i], expected[i], TOLERANCE * scale);
        assert_near(f[0][i], f[1][i], TOLERANCE * scale);
    }
    int32_t redundant = 0;
    for (int32_t i = 0; i < s->m; ++i)
        redundant += pcs_saddle_redundant_rows(s->saddle)[i];
    return redundant;
}

static void test_against_dense(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; ++seed)
        for (int coupled = 0; coupled < 2; ++coupled) {
            two_sided s;
            begin(&s, seed, coupled);
            assert_int_equal(check(&s, NULL, 0, 0), 0);
            end(&s);
        }
}

// Setting B = G gives the solution of the symmetric way, and back.
static void test_exchange_of_rows(void **state)
{
    (void)state;
    two_sided s;
    begin(&s, 7, false);
    assert_int_equal(check(&s, NULL, 0, 0), 0);
    const rows B = s.B;
    memcpy(s.B.value, s.G.value, sizeof s.B.value);
    pcs_saddle_set_rows(s.saddle, s.G.block, NULL);
    assert_int_equal(check(&s, NULL, 0, 0), 0);
    memcpy(s.B.value, B.value, sizeof s.B.value);
    pcs_saddle_set_rows(s.saddle, s.G.block, s.B.block);
    assert_int_equal(check(&s, NULL, 0, 0), 0);
    end(&s);
}

static const uint8_t last_two[ROWS_MAX] = {0, 0, 0, 0, 0, 0, 0, 1, 1};

// The rows of block 4 depend on others in G and in B, by different factors: x and B^T p are unique.
static void test_redundant_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; ++seed)
        for (int coupled = 0; coupled < 2; ++coupled) {
            two_sided s;
            begin(&s, seed, coupled);
            make_dependent(&s.G, 0.7, -1.3);
            make_dependent(&s.B, -0.4, 0.9);
            assert_int_equal(check(&s, last_two, 0.7, -1.3), 2);
            end(&s);
        }
}

static void shift(two_sided *s, double by)
{
    for (int e = 0; e < 2; ++e)
        for (int i = 0; i < VALUES_MAX; ++i)
            s->G.value[4][e][i] += by * uniform(s);
}

// Rows that were dependent and move apart by 1e-4, as at a stage beside the constraints: DECIDE
// takes them as independent, HOLD and RENEW do not. When they are far apart RENEW sees it.
static void test_held_rank(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        two_sided s;
        begin(&s, 11, coupled);
        make_dependent(&s.G, 0.7, -1.3);
        make_dependent(&s.B, 0.7, -1.3);
        assert_int_equal(check(&s, last_two, 0.7, -1.3), 2);
        shift(&s, 1e-4);
        pcs_saddle_set_rank(s.saddle, PCS_RANK_HOLD);
        assert_int_equal(check(&s, last_two, 0.7, -1.3), 2);
        pcs_saddle_set_rank(s.saddle, PCS_RANK_RENEW);
        assert_int_equal(check(&s, last_two, 0.7, -1.3), 2);
        shift(&s, 0.5);
        pcs_saddle_set_rank(s.saddle, PCS_RANK_HOLD);
        assert_int_equal(check(&s, last_two, 0.7, -1.3), 2);
        move_left(&s);
        pcs_saddle_set_rank(s.saddle, PCS_RANK_RENEW);
        assert_int_equal(check(&s, NULL, 0, 0), 0);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense),
        cmocka_unit_test(test_exchange_of_rows),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_held_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

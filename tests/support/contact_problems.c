#include "support/contact_problems.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "nonsmooth/problem.h"

// ---- Random problems with a known solution ----

typedef struct draft {
    const contact_problem_def *def;
    pcs_context *ctx;
    pcs_arena arena;
    pcs_random random;
    int32_t blocks, rows, rank; // rank: rows of L
    int32_t coordinates;        // of one body: 3 or 6; without bodies all rows of L
    int32_t *offset;            // blocks + 1
    double *mu;                 // blocks
    double *L, *S;              // rank x rows; rank x rank, skew
    double *W;                  // rows x rows
    double *r, *u, *q;
} draft;

contact_problem_def pcs_test_problem_default(void)
{
    return (contact_problem_def){.dimension = 3,
                                 .contacts = 10,
                                 .bodies = true,
                                 .open = 0.3,
                                 .slip = 0.35,
                                 .condition = 1.0,
                                 .rank_ratio = 1.0,
                                 .mass_ratio = 1.0,
                                 .mass_unit = 1.0,
                                 .mu_lowest = 0.1,
                                 .mu_highest = 0.9};
}

static double uniform(draft *d, double low, double high)
{
    return pcs_random_between(&d->random, low, high);
}

static bool chance(draft *d, double probability)
{
    return pcs_random_uniform(&d->random) < probability;
}

static int32_t below(draft *d, int32_t n)
{
    return (int32_t)(pcs_random_next(&d->random) % (uint64_t)n);
}

// Log-uniform in [1, ratio]
static double spread(draft *d, double ratio)
{
    return pow(ratio, pcs_random_uniform(&d->random));
}

// Standard normal numbers [BoxMuller1958]
static double normal(draft *d)
{
    const double pi = 3.14159265358979323846;
    const double length = sqrt(-2.0 * log(1.0 - pcs_random_uniform(&d->random)));
    return length * cos(2.0 * pi * pcs_random_uniform(&d->random));
}

static void unit_vector(draft *d, int32_t n, double *x)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++) {
        x[k] = normal(d);
        sum += x[k] * x[k];
    }
    for (int32_t k = 0; k < n; k++)
        x[k] /= sqrt(sum);
}

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Random orthonormal frame: e[0] the normal. Planar: in the xy plane.
static void random_frame(draft *d, bool planar, double e[3][3])
{
    double other[3], sum = 0.0;
    memset(e, 0, sizeof(double[3][3]));
    if (planar) {
        unit_vector(d, 2, e[0]);
        e[1][0] = -e[0][1];
        e[1][1] = e[0][0];
        e[2][2] = 1.0;
        return;
    }
    unit_vector(d, 3, e[0]);
    unit_vector(d, 3, other);
    cross(e[0], other, e[1]);
    for (int32_t k = 0; k < 3; k++)
        sum += e[1][k] * e[1][k];
    for (int32_t k = 0; k < 3; k++)
        e[1][k] /= sqrt(sum);
    cross(e[0], e[1], e[2]);
}

// Adds the rows of one block for one body: [e, p x e] M^-1/2 with a random lever arm p.
static void touch_body(draft *d, int32_t block, int32_t body, double mass, double sign,
                       double e[3][3])
{
    const bool planar = d->coordinates == 3;
    const double inertia = 0.4 * mass; // of a sphere with radius 1
    double p[3] = {0.0, 0.0, 0.0}, moment[3];
    unit_vector(d, planar ? 2 : 3, p);
    for (int32_t k = d->offset[block]; k < d->offset[block + 1]; k++) {
        const double *direction = e[k - d->offset[block]];
        cross(p, direction, moment);
        for (int32_t c = 0; c < d->coordinates; c++) {
            const int32_t moves = planar ? 2 : 3;
            const double entry = c < moves ? direction[c] / sqrt(mass)
                                           : moment[planar ? 2 : c - 3] / sqrt(inertia);
            d->L[(int64_t)(body * d->coordinates + c) * d->rows + k] = sign * entry;
        }
    }
}

static pcs_status fill_bodies(draft *d)
{
    const int32_t bodies = d->rank / d->coordinates;
    double *mass = PCS_ARENA_ARRAY(&d->arena, double, bodies);
    if (mass == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t b = 0; b < bodies; b++)
        mass[b] = d->def->mass_unit * spread(d, d->def->mass_ratio);
    for (int32_t i = 0; i < d->blocks; i++) {
        double e[3][3];
        const int32_t first = below(d, bodies);
        random_frame(d, d->coordinates == 3, e);
        touch_body(d, i, first, mass[first], 1.0, e);
        if (bodies > 1 && chance(d, 0.7)) { // else against the ground
            const int32_t second = (first + 1 + below(d, bodies - 1)) % bodies;
            touch_body(d, i, second, mass[second], -1.0, e);
        }
    }
    return PCS_OK;
}

// L = D B: B has orthonormal rows from `rows` random reflections, D the singular values.
static pcs_status fill_spectrum(draft *d)
{
    const int32_t n = d->rows;
    const double root_condition = sqrt(d->def->condition);
    double *axis = PCS_ARENA_ARRAY(&d->arena, double, n);
    if (axis == NULL)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < d->rank; k++)
        d->L[(int64_t)k * n + k] = 1.0;
    for (int32_t step = 0; step < n; step++) {
        unit_vector(d, n, axis);
        for (int32_t k = 0; k < d->rank; k++) {
            double *row = d->L + (int64_t)k * n, dot = 0.0;
            for (int32_t j = 0; j < n; j++)
                dot += row[j] * axis[j];
            for (int32_t j = 0; j < n; j++)
                row[j] -= 2.0 * dot * axis[j];
        }
    }
    for (int32_t k = 0; k < d->rank; k++) {
        const double share = d->rank > 1 ? (double)k / (double)(d->rank - 1) : 0.0;
        const double value = pow(root_condition, -share) / sqrt(d->def->mass_unit);
        for (int32_t j = 0; j < n; j++)
            d->L[(int64_t)k * n + j] *= value;
    }
    return PCS_OK;
}

// Skew S, inside each body alone; its norm is about `asymmetry`.
static void fill_skew(draft *d)
{
    const double size = d->def->asymmetry / sqrt((double)d->coordinates);
    for (int32_t a = 0; a < d->rank; a++)
        for (int32_t b = a + 1; b < d->rank && size > 0.0; b++) {
            if (a / d->coordinates != b / d->coordinates)
                continue;
            const double entry = size * uniform(d, -1.0, 1.0);
            d->S[(int64_t)a * d->rank + b] = entry;
            d->S[(int64_t)b * d->rank + a] = -entry;
        }
}

// W = L^T L + L^T S L, the parts exactly symmetric and skew. column: rank values of S L.
static void fill_W(draft *d, double *column)
{
    const int32_t n = d->rows, rank = d->rank;
    const double *L = d->L;
    for (int32_t j = 0; j < n; j++) {
        for (int32_t a = 0; a < rank; a++) {
            double sum = 0.0;
            for (int32_t b = 0; b < rank && d->def->asymmetry > 0.0; b++)
                sum += d->S[(int64_t)a * rank + b] * L[(int64_t)b * n + j];
            column[a] = sum;
        }
        for (int32_t i = 0; i <= j; i++) {
            double even = 0.0, odd = 0.0;
            for (int32_t a = 0; a < rank; a++) {
                even += L[(int64_t)a * n + i] * L[(int64_t)a * n + j];
                odd += L[(int64_t)a * n + i] * column[a];
            }
            d->W[(int64_t)i * n + j] = even + (i < j ? odd : 0.0);
            d->W[(int64_t)j * n + i] = even - (i < j ? odd : 0.0);
        }
    }
}

// One contact in a random state: impulses and velocities that obey the law.
static void choose_contact(draft *d, int32_t i)
{
    const contact_problem_def *def = d->def;
    const int32_t tangents = d->offset[i + 1] - d->offset[i] - 1;
    double *r = d->r + d->offset[i], *u = d->u + d->offset[i], direction[2] = {0.0, 0.0};
    const double state = pcs_random_uniform(&d->random);
    const bool degenerate = chance(d, def->degenerate);
    const double impulse = def->mass_unit * spread(d, def->mass_ratio) * uniform(d, 0.1, 1.0);
    const double speed = uniform(d, 0.1, 1.0);
    d->mu[i] = uniform(d, def->mu_lowest, def->mu_highest);
    if (tangents > 0)
        unit_vector(d, tangents, direction);
    if (state < def->open) {
        u[0] = degenerate ? 0.0 : speed;
        for (int32_t k = 0; k < tangents; k++)
            u[1 + k] = degenerate ? 0.0 : direction[k] * uniform(d, 0.0, 1.0);
        return;
    }
    r[0] = impulse;
    if (state < def->open + def->slip) {
        for (int32_t k = 0; k < tangents; k++) {
            u[1 + k] = degenerate ? 0.0 : speed * direction[k];
            r[1 + k] = -d->mu[i] * impulse * direction[k];
        }
        return;
    }
    const double inside = degenerate ? 1.0 : 0.95 * pcs_random_uniform(&d->random);
    for (int32_t k = 0; k < tangents; k++)
        r[1 + k] = inside * d->mu[i] * impulse * direction[k];
}

static void choose_solution(draft *d)
{
    for (int32_t i = 0; i < d->def->contacts; i++)
        choose_contact(d, i);
    for (int32_t k = d->offset[d->def->contacts]; k < d->rows; k++)
        d->r[k] = d->def->mass_unit * spread(d, d->def->mass_ratio) * uniform(d, -1.0, 1.0);
    for (int32_t i = 0; i < d->rows; i++) {
        long double sum = d->u[i]; // one rounding of q in all
        for (int32_t j = 0; j < d->rows; j++)
            sum -= (long double)d->W[(int64_t)i * d->rows + j] * d->r[j];
        d->q[i] = (double)sum;
    }
}

static void choose_sizes(draft *d)
{
    const contact_problem_def *def = d->def;
    for (int32_t i = 0; i < d->blocks; i++) {
        int32_t size = 1;
        if (i < def->contacts)
            size = def->dimension != 0 ? def->dimension : 1 + below(d, 3);
        d->offset[i + 1] = d->offset[i] + size;
    }
    d->rows = d->offset[d->blocks];
    if (def->bodies) {
        d->coordinates = def->dimension == 2 ? 3 : 6;
        d->rank = (int32_t)ceil(d->rows / (def->rank_ratio * d->coordinates)) * d->coordinates;
    } else {
        d->rank = (int32_t)ceil(d->rows / def->rank_ratio);
        d->coordinates = d->rank;
    }
}

static double *zeros(draft *d, int64_t count)
{
    double *x = PCS_ARENA_ARRAY(&d->arena, double, count);
    if (x != NULL)
        memset(x, 0, sizeof(double) * (size_t)count);
    return x;
}

static pcs_status make_draft(draft *d)
{
    d->blocks = d->def->contacts + d->def->bilateral_rows;
    d->offset = PCS_ARENA_ARRAY(&d->arena, int32_t, d->blocks + 1);
    d->mu = zeros(d, d->blocks);
    if (d->offset == NULL || d->mu == NULL)
        return PCS_ERROR_MEMORY;
    d->offset[0] = 0;
    choose_sizes(d);
    d->L = zeros(d, (int64_t)d->rank * d->rows);
    d->S = zeros(d, (int64_t)d->rank * d->rank);
    d->W = zeros(d, (int64_t)d->rows * d->rows);
    d->r = zeros(d, d->rows);
    d->u = zeros(d, d->rows);
    d->q = zeros(d, d->rows);
    double *column = zeros(d, d->rank);
    if (!d->L || !d->S || !d->W || !d->r || !d->u || !d->q || !column)
        return PCS_ERROR_MEMORY;
    PCS_TRY(d->def->bodies ? fill_bodies(d) : fill_spectrum(d));
    fill_skew(d);
    fill_W(d, column);
    choose_solution(d);
    return PCS_OK;
}

static void *copy(pcs_context *ctx, const void *data, int64_t count, size_t size)
{
    void *block = pcs_calloc(ctx, (size_t)count, size);
    if (block != NULL && count > 0)
        memcpy(block, data, (size_t)count * size);
    return block;
}

static bool is_zero_block(const draft *d, int32_t i, int32_t j)
{
    for (int32_t a = d->offset[i]; a < d->offset[i + 1]; a++)
        for (int32_t b = d->offset[j]; b < d->offset[j + 1]; b++)
            if (d->W[(int64_t)a * d->rows + b] != 0.0 || d->W[(int64_t)b * d->rows + a] != 0.0)
                return false;
    return true;
}

// The dense W in blocks, those of zeros left out (sizes may differ from contact to contact, which
// the public constructor cannot express).
static pcs_status fill_blocks(const draft *d, pcs_problem *problem)
{
    const int32_t n = d->blocks;
    int32_t *offset = copy(d->ctx, d->offset, n + 1, sizeof(int32_t));
    int32_t *row_start = PCS_NEW_ARRAY(d->ctx, int32_t, n + 1);
    int32_t *column = PCS_NEW_ARRAY(d->ctx, int32_t, (int64_t)n * n);
    int32_t *diagonal = PCS_NEW_ARRAY(d->ctx, int32_t, n);
    int64_t *value_start = PCS_NEW_ARRAY(d->ctx, int64_t, (int64_t)n * n + 1);
    double *value = PCS_NEW_ARRAY(d->ctx, double, (int64_t)d->rows * d->rows);
    problem->W = (pcs_block_matrix){n, offset, row_start, column, value_start, diagonal, value};
    if (!offset || !row_start || !column || !diagonal || !value_start || !value)
        return PCS_ERROR_MEMORY;
    int64_t at = 0;
    for (int32_t i = 0, e = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (i != j && is_zero_block(d, i, j))
                continue;
            if (i == j)
                diagonal[i] = e;
            column[e] = j;
            value_start[e++] = at;
            for (int32_t a = offset[i]; a < offset[i + 1]; a++)
                for (int32_t b = offset[j]; b < offset[j + 1]; b++)
                    value[at++] = d->W[(int64_t)a * d->rows + b];
        }
        row_start[i + 1] = e;
        value_start[e] = at;
    }
    return PCS_OK;
}

static pcs_status finish_draft(const draft *d, contact_problem *out)
{
    pcs_problem *problem = pcs_problem_new(d->ctx);
    if (problem == NULL)
        return PCS_ERROR_MEMORY;
    out->problem = problem;
    problem->problem_class = PCS_PROBLEM_LOCAL;
    problem->dimension = d->def->dimension != 0 ? d->def->dimension : 3;
    problem->contacts = d->def->contacts;
    problem->bilateral_rows = d->def->bilateral_rows;
    problem->rows = d->rows;
    problem->q = copy(d->ctx, d->q, d->rows, sizeof(double));
    problem->mu = copy(d->ctx, d->mu, d->blocks, sizeof(double));
    problem->kind = PCS_NEW_ARRAY(d->ctx, uint8_t, d->blocks);
    out->r = copy(d->ctx, d->r, d->rows, sizeof(double));
    out->u = copy(d->ctx, d->u, d->rows, sizeof(double));
    if (!problem->q || !problem->mu || !problem->kind || !out->r || !out->u)
        return PCS_ERROR_MEMORY;
    for (int32_t i = d->def->contacts; i < d->blocks; i++)
        problem->kind[i] = PCS_BLOCK_BILATERAL;
    return fill_blocks(d, problem);
}

pcs_status pcs_test_problem_create(pcs_context *ctx, const contact_problem_def *def, uint64_t seed,
                                   contact_problem *out)
{
    draft d = {.def = def, .ctx = ctx};
    memset(out, 0, sizeof *out);
    pcs_arena_init(&d.arena, ctx);
    pcs_random_init(&d.random, seed);
    pcs_status status = make_draft(&d);
    if (status == PCS_OK)
        status = finish_draft(&d, out);
    pcs_arena_free(&d.arena);
    if (status != PCS_OK)
        pcs_test_problem_destroy(ctx, out);
    return status;
}

void pcs_test_problem_destroy(pcs_context *ctx, contact_problem *problem)
{
    pcs_problem_destroy(problem->problem);
    pcs_free(ctx, problem->r);
    pcs_free(ctx, problem->u);
    memset(problem, 0, sizeof *problem);
}

// ---- The mixture ----

enum {
    PLANAR,
    SPATIAL,
    MIXED,
    CONDITION,
    REDUNDANT_BODIES,
    REDUNDANT_DENSE,
    MASS_RATIO,
    BILATERAL,
    ASYMMETRIC,
    ALL_AT_ONCE
};

const char *pcs_test_problem_class_name(int32_t problem_class)
{
    static const char *const names[TEST_PROBLEM_CLASSES] = {
        "planar bodies",    "spatial bodies",  "sizes 1, 2, 3", "condition to 1e10",
        "redundant bodies", "redundant dense", "masses to 1e6", "bilateral rows",
        "not symmetric",    "all at once"};
    return names[problem_class];
}

// Friction from none to 5, states in every mixture (also pure ones), units of mass over 6 decades.
static void draw_common(pcs_random *random, contact_problem_def *def)
{
    const double kind = pcs_random_uniform(random), states = pcs_random_uniform(random);
    def->contacts = (int32_t)pow(64.0, pcs_random_uniform(random)); // 1 .. 63
    if (kind < 0.5) {
        def->mu_lowest = 0.0;
        def->mu_highest = 1.0;
    } else if (kind < 0.85) {
        def->mu_lowest = 0.0;
        def->mu_highest = 5.0;
    } else {
        def->mu_lowest = def->mu_highest = kind < 0.9 ? 0.0 : kind < 0.95 ? 0.3 : 5.0;
    }
    const double open = pcs_random_uniform(random), slip = pcs_random_uniform(random);
    const double stick = pcs_random_uniform(random), sum = open + slip + stick;
    def->open = states < 0.1 ? 0.0 : open / sum;
    def->slip = states < 0.05 ? 1.0 : states < 0.1 ? 0.0 : slip / sum;
    def->degenerate = pcs_random_uniform(random) < 0.1 ? 0.2 : 0.0;
    def->mass_unit = pow(10.0, pcs_random_between(random, -3.0, 3.0));
}

contact_problem_def pcs_test_problem_draw(int32_t problem_class, uint64_t seed)
{
    contact_problem_def def = pcs_test_problem_default();
    pcs_random random;
    pcs_random_init(&random, ~seed); // another sequence than that of the problem itself
    draw_common(&random, &def);
    const bool all = problem_class == ALL_AT_ONCE;
    const double coin = pcs_random_uniform(&random);
    def.dimension = problem_class == PLANAR || (problem_class > MIXED && coin < 0.3) ? 2 : 3;
    if (problem_class == MIXED || (all && coin > 0.6))
        def.dimension = 0;
    def.bodies = problem_class != CONDITION && problem_class != REDUNDANT_DENSE &&
                 !(all && pcs_random_uniform(&random) < 0.5);
    if (!def.bodies)
        def.condition = pow(10.0, pcs_random_between(&random, 0.0, 10.0));
    if (problem_class == REDUNDANT_BODIES || problem_class == REDUNDANT_DENSE || all)
        def.rank_ratio = pcs_random_between(&random, 1.0, 3.0);
    else if (def.bodies)
        def.rank_ratio = pcs_random_between(&random, 0.5, 1.5);
    if (problem_class == MASS_RATIO || all)
        def.mass_ratio = pow(10.0, pcs_random_between(&random, 0.0, 6.0));
    if (problem_class == BILATERAL || all)
        def.bilateral_rows = 1 + (int32_t)pcs_random_between(&random, 0.0, def.contacts);
    if (problem_class == ASYMMETRIC || all)
        def.asymmetry = pcs_random_between(&random, 0.0, 0.1);
    return def;
}

// ---- The pile ----

typedef struct pile {
    int32_t n, contacts, entries;
    double *centre;        // 3 for each sphere
    int32_t *row, *column; // triplets of H
    double *value;
} pile;

static const double pile_radius = 0.1, pile_density = 2000.0, pile_friction = 0.5;
static const double pile_step = 5e-3, pile_gravity = 9.81;

static void add_entry(pile *p, int32_t row, int32_t column, double value)
{
    if (value == 0.0)
        return;
    p->row[p->entries] = row;
    p->column[p->entries] = column;
    p->value[p->entries++] = value;
}

// sign [e, arm x e] of each direction into the rows of one sphere
static void add_sphere(pile *p, int32_t sphere, double sign, const double *arm, double e[3][3])
{
    for (int32_t k = 0; k < 3; k++) {
        double moment[3];
        cross(arm, e[k], moment);
        for (int32_t c = 0; c < 3; c++) {
            add_entry(p, 6 * sphere + c, 3 * p->contacts + k, sign * e[k][c]);
            add_entry(p, 6 * sphere + 3 + c, 3 * p->contacts + k, sign * moment[c]);
        }
    }
}

// Contact of sphere a on sphere b, or on the floor for b < 0; the normal points to a.
static void add_contact(pile *p, int32_t a, int32_t b)
{
    double e[3][3] = {{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, length = 0.0;
    double arm_a[3], arm_b[3], tangent = 0.0;
    if (b >= 0) {
        for (int32_t c = 0; c < 3; c++) {
            e[0][c] = p->centre[3 * a + c] - p->centre[3 * b + c];
            length += e[0][c] * e[0][c];
        }
        for (int32_t c = 0; c < 3; c++)
            e[0][c] /= sqrt(length);
    }
    // first tangent: in the plane of the normal and the axis it is farthest from
    int32_t axis = 0;
    for (int32_t c = 1; c < 3; c++)
        axis = fabs(e[0][c]) < fabs(e[0][axis]) ? c : axis;
    for (int32_t c = 0; c < 3; c++) {
        e[1][c] = (c == axis ? 1.0 : 0.0) - e[0][axis] * e[0][c];
        tangent += e[1][c] * e[1][c];
    }
    for (int32_t c = 0; c < 3; c++) {
        e[1][c] /= sqrt(tangent);
        arm_a[c] = -pile_radius * e[0][c];
        arm_b[c] = pile_radius * e[0][c];
    }
    cross(e[0], e[1], e[2]);
    add_sphere(p, a, 1.0, arm_a, e);
    if (b >= 0)
        add_sphere(p, b, -1.0, arm_b, e);
    p->contacts++;
}

static void fill_pile(pile *p, double jitter, pcs_random *random)
{
    const int32_t n = p->n;
    for (int32_t s = 0; s < n * n * n; s++) {
        const int32_t place[3] = {s % n, s / n % n, s / (n * n)};
        for (int32_t c = 0; c < 3; c++)
            p->centre[3 * s + c] = pile_radius * (2 * place[c] + 1 +
                                                  jitter * pcs_random_between(random, -1.0, 1.0));
    }
    for (int32_t s = 0; s < n * n * n; s++) {
        add_contact(p, s, s / (n * n) > 0 ? s - n * n : -1);
        if (s % n > 0)
            add_contact(p, s, s - 1);
        if (s / n % n > 0)
            add_contact(p, s, s - n);
    }
}

static pcs_status create_pile(pcs_context *ctx, const pile *p, pcs_arena *arena, pcs_problem **out)
{
    const int32_t dofs = 6 * p->n * p->n * p->n, rows = 3 * p->contacts;
    const double pi = 3.14159265358979323846;
    const double mass = 4.0 / 3.0 * pi * pow(pile_radius, 3) * pile_density;
    int32_t *place = PCS_ARENA_ARRAY(arena, int32_t, dofs);
    double *M = PCS_ARENA_ARRAY(arena, double, dofs), *f = PCS_ARENA_ARRAY(arena, double, dofs);
    double *w = PCS_ARENA_ARRAY(arena, double, rows);
    double *mu = PCS_ARENA_ARRAY(arena, double, p->contacts);
    if (!place || !M || !f || !w || !mu)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < dofs; i++) {
        place[i] = i;
        M[i] = i % 6 < 3 ? mass : 0.4 * mass * pile_radius * pile_radius;
        f[i] = i % 6 == 2 ? -mass * pile_gravity * pile_step : 0.0;
    }
    memset(w, 0, sizeof(double) * (size_t)rows);
    for (int32_t i = 0; i < p->contacts; i++)
        mu[i] = pile_friction;
    const pcs_triplets mass_matrix = {dofs, dofs, dofs, place, place, M};
    const pcs_triplets H = {dofs, rows, p->entries, p->row, p->column, p->value};
    return pcs_problem_create_global(ctx, 3, p->contacts, 0, &mass_matrix, &H, f, w, mu, out);
}

pcs_status pcs_test_pile_create(pcs_context *ctx, int32_t n, double jitter, uint64_t seed,
                                pcs_problem **out)
{
    const int64_t contacts = 3 * (int64_t)n * n * n - 2 * (int64_t)n * n;
    pcs_arena arena;
    pcs_random random;
    *out = NULL;
    if (n < 1 || 36 * contacts > INT32_MAX)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "pile: %d spheres along an edge", (int)n);
    pcs_arena_init(&arena, ctx);
    pcs_random_init(&random, seed);
    pile p = {.n = n,
              .centre = PCS_ARENA_ARRAY(&arena, double, 3 * (int64_t)n * n * n),
              .row = PCS_ARENA_ARRAY(&arena, int32_t, 36 * contacts),
              .column = PCS_ARENA_ARRAY(&arena, int32_t, 36 * contacts),
              .value = PCS_ARENA_ARRAY(&arena, double, 36 * contacts)};
    pcs_status status = PCS_ERROR_MEMORY;
    if (p.centre && p.row && p.column && p.value) {
        fill_pile(&p, jitter, &random);
        status = create_pile(ctx, &p, &arena, out);
    }
    pcs_arena_free(&arena);
    return status;
}

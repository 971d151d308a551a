// Multi-contact problems: Gauss-Seidel and the default solver. The problems are
// free bodies with W = H M^-1 H^T built here; a solution is judged by pcs_friction_contact_measure
// and by the law itself (cone, complementarity, dissipation), never by what the solver reports.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/nsgs.h"
#include "support/fixture.h"

enum { MAX_CONTACTS = 64, MAX_ROWS = 3 * MAX_CONTACTS, MAX_DOF = 6 * MAX_CONTACTS };
static const double TOLERANCE = 1e-10;

// Contacts between free bodies; filled row by row, then closed by set_up.
typedef struct system_of_bodies {
    int32_t bodies, contacts;
    int32_t offset[MAX_CONTACTS + 1], row_start[MAX_CONTACTS + 1], diagonal[MAX_CONTACTS];
    int32_t column[MAX_CONTACTS * MAX_CONTACTS];
    int64_t value_start[MAX_CONTACTS * MAX_CONTACTS];
    double H[MAX_ROWS][MAX_DOF], inverse_mass[MAX_DOF], velocity[MAX_DOF];
    double value[MAX_ROWS * MAX_ROWS], q[MAX_ROWS], mu[MAX_CONTACTS];
    double r[MAX_ROWS], u[MAX_ROWS];
    pcs_block_matrix W;
    pcs_friction_contact problem;
} system_of_bodies;

typedef struct fixture {
    pcs_test_memory memory;
    system_of_bodies s;
} fixture;

static int set_up(void **state)
{
    return pcs_test_fixture_create(state, sizeof(fixture));
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        print_error("%.17g, expected %.17g within %.3g\n", value, expected, tolerance);
    assert_true(fabs(value - expected) <= tolerance);
}

static void clear(system_of_bodies *s, int32_t bodies)
{
    memset(s, 0, sizeof *s);
    s->bodies = bodies;
}

static void add_body(system_of_bodies *s, int32_t body, double mass, double inertia)
{
    for (int k = 0; k < 3; k++) {
        s->inverse_mass[6 * body + k] = 1.0 / mass;
        s->inverse_mass[6 * body + 3 + k] = 1.0 / inertia;
    }
}

// Rows of the velocity of the point `arm` of a body along the frame: f . v + (arm x f) . omega
static void add_point(system_of_bodies *s, int32_t contact, int32_t size, int32_t body, double sign,
                      const double arm[3], double frame[3][3])
{
    for (int32_t k = 0; k < size; k++) {
        double *h = &s->H[s->offset[contact] + k][6 * body];
        const double *f = frame[k];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            h[a] += sign * f[a];
            h[3 + a] += sign * (arm[b] * f[c] - arm[c] * f[b]);
        }
    }
}

static int32_t add_contact(system_of_bodies *s, int32_t size, double mu)
{
    int32_t i = s->contacts++;
    s->offset[i + 1] = s->offset[i] + size;
    s->mu[i] = mu;
    return i;
}

// W = H M^-1 H^T without its zero blocks, q = H v, r = 0
static void close_system(system_of_bodies *s)
{
    const int32_t n = s->contacts, dof = 6 * s->bodies;
    int32_t entry = 0;
    int64_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        s->row_start[i] = entry;
        for (int32_t j = 0; j < n; j++) {
            bool coupled = i == j;
            int64_t first = at;
            for (int32_t a = s->offset[i]; a < s->offset[i + 1]; a++)
                for (int32_t b = s->offset[j]; b < s->offset[j + 1]; b++) {
                    double sum = 0.0;
                    for (int32_t k = 0; k < dof; k++)
                        sum += s->H[a][k] * s->inverse_mass[k] * s->H[b][k];
                    s->value[at++] = sum;
                    coupled = coupled || sum != 0.0;
                }
            if (!coupled) {
                at = first;
                continue;
            }
            s->column[entry] = j;
            s->value_start[entry] = first;
            if (i == j)
                s->diagonal[i] = entry;
            entry++;
        }
    }
    s->row_start[n] = entry;
    for (int32_t a = 0; a < s->offset[n]; a++) {
        s->q[a] = s->r[a] = 0.0;
        for (int32_t k = 0; k < dof; k++)
            s->q[a] += s->H[a][k] * s->velocity[k];
    }
    s->W = (pcs_block_matrix){n,           s->offset, s->row_start, s->column, s->value_start,
                              s->diagonal, s->value};
    s->problem = (pcs_friction_contact){.W = &s->W, .q = s->q, .mu = s->mu};
}

static double largest_q(const system_of_bodies *s)
{
    double largest = 0.0;
    for (int32_t k = 0; k < s->offset[s->contacts]; k++)
        largest = fmax(largest, fabs(s->q[k]));
    return largest > 0.0 ? largest : 1.0;
}

// The velocity that rounding r to double may change, relative to |q|: (eps/2) (1+mu) |W| |r|.
static double rounding_level(const system_of_bodies *s)
{
    double largest = 0.0;
    for (int32_t i = 0; i < s->contacts; i++)
        for (int32_t a = 0; a < s->offset[i + 1] - s->offset[i]; a++) {
            double sum = 0.0;
            for (int32_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
                const int32_t j = s->column[k], m = s->offset[j + 1] - s->offset[j];
                for (int32_t b = 0; b < m; b++)
                    sum += fabs(s->value[s->value_start[k] + a * m + b] * s->r[s->offset[j] + b]);
            }
            largest = fmax(largest, (1.0 + s->mu[i]) * sum);
        }
    return 0.5 * DBL_EPSILON * largest / largest_q(s);
}

// The law, contact by contact; errors as velocities relative to |q|.
static void assert_law(const system_of_bodies *s, double tolerance)
{
    const double scale = largest_q(s);
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t size = s->offset[i + 1] - s->offset[i];
        const double *r = s->r + s->offset[i], *u = s->u + s->offset[i];
        const double *W = s->value + s->value_start[s->diagonal[i]];
        double w = 0.0, r_T = 0.0, u_T = 0.0, dot = 0.0, mu = size > 1 ? s->mu[i] : 0.0;
        for (int32_t k = 0; k < size; k++)
            w += W[k * size + k];
        for (int32_t k = 1; k < size; k++) {
            r_T = hypot(r_T, r[k]);
            u_T = hypot(u_T, u[k]);
            dot += r[k] * u[k];
        }
        // an error e of the natural map allows e (1 + mu) in each of these, e/rho as an impulse
        double bound = 4.0 * (1.0 + mu) * (1.0 + mu) * tolerance * scale;
        assert_true(u[0] >= -bound);
        assert_true(r[0] * w >= -bound);
        assert_true((r_T - mu * r[0]) * w <= bound);
        assert_true(fmin(r[0] * w, u[0]) <= bound);
        assert_true(dot * w <= bound * (bound + w * r_T + u_T)); // friction does not drive
        double limit = mu * r[0]; // of friction; reached, against the slip, where u_T != 0
        if (limit * w > bound)
            assert_true(fmin(dot / limit + u_T, u_T) <= bound + u_T * bound / (limit * w));
    }
}

static pcs_status run(fixture *f, const char *name, const pcs_solve_opts *opts,
                      const double *option, pcs_solve_info *info)
{
    const pcs_friction_solver *solver = pcs_friction_solver_find(name);
    assert_non_null(solver);
    return pcs_friction_solve(&f->s.problem, solver, opts, option, &f->memory.arena, f->s.r, f->s.u,
                              info);
}

static pcs_solve_opts scaled_opts(void)
{
    pcs_solve_opts opts = pcs_solve_default();
    opts.tolerance = TOLERANCE;
    opts.measure = PCS_MEASURE_SCALED;
    return opts;
}

static pcs_solve_info solve(fixture *f, pcs_status expected)
{
    const pcs_solve_opts opts = scaled_opts();
    pcs_solve_info info;
    pcs_status status = run(f, "auto", &opts, NULL, &info);
    if (status != expected && !info.at_rounding)
        print_error("status %d, residual %.3e, %d iterations: %s\n", (int)status,
                    info.residual.scaled, (int)info.iterations, pcs_context_error(f->memory.ctx));
    // a residual that rounding alone explains is as good as solved
    if (expected != PCS_OK || !info.at_rounding)
        assert_int_equal(status, expected);
    return info;
}

// Solved, as the data tell.
static pcs_solve_info assert_solves(fixture *f)
{
    system_of_bodies *s = &f->s;
    double u[MAX_ROWS];
    pcs_solve_info info = solve(f, PCS_OK);
    pcs_residual residual = pcs_friction_contact_measure(&s->problem, s->r, u);
    double tolerance = fmax(TOLERANCE, rounding_level(s));
    assert_true(residual.scaled <= tolerance);
    assert_true(residual.scaled == info.residual.scaled);
    assert_memory_equal(u, s->u, (size_t)s->offset[s->contacts] * sizeof *u);
    assert_law(s, tolerance);
    return info;
}

static void random_frame(pcs_random *random, double frame[3][3])
{
    double norm = 0.0, *n = frame[0], *t = frame[1], *b = frame[2];
    while (norm < 0.1) {
        for (int k = 0; k < 3; k++)
            n[k] = pcs_random_between(random, -1.0, 1.0);
        norm = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    for (int k = 0; k < 3; k++)
        n[k] /= norm;
    int axis = fabs(n[0]) < 0.6 ? 0 : 1;
    norm = sqrt(1.0 - n[axis] * n[axis]);
    for (int k = 0; k < 3; k++)
        t[k] = ((k == axis ? 1.0 : 0.0) - n[axis] * n[k]) / norm;
    for (int k = 0; k < 3; k++)
        b[k] = n[(k + 1) % 3] * t[(k + 2) % 3] - n[(k + 2) % 3] * t[(k + 1) % 3];
}

// n contacts between random bodies and the ground; one in five repeats the contact before it, so
// that W is singular. fixed_size 0: any size.
static void random_system(system_of_bodies *s, pcs_random *random, int32_t n, int32_t fixed_size,
                          double mu_max)
{
    int32_t bodies = 1 + (int32_t)(n * pcs_random_between(random, 0.15, 0.9));
    clear(s, bodies);
    for (int32_t b = 0; b < bodies; b++) {
        double mass = pow(10.0, pcs_random_between(random, -0.5, 0.5));
        add_body(s, b, mass, mass * pcs_random_between(random, 0.05, 0.3));
    }
    for (int32_t k = 0; k < 6 * bodies; k++)
        s->velocity[k] = pcs_random_between(random, -1.0, 1.0);
    for (int32_t k = 0; k < n; k++) {
        int32_t any_size = 1 + (int32_t)(3.0 * pcs_random_uniform(random));
        int32_t size = fixed_size > 0 ? fixed_size : any_size;
        if (k > 2 && pcs_random_uniform(random) < 0.2) {
            size = s->offset[k] - s->offset[k - 1];
            int32_t i = add_contact(s, size, s->mu[k - 1]);
            memcpy(s->H[s->offset[i]], s->H[s->offset[i - 1]], (size_t)size * sizeof s->H[0]);
            continue;
        }
        int32_t i = add_contact(s, size, mu_max * pcs_random_uniform(random));
        int32_t A = (int32_t)(bodies * pcs_random_uniform(random));
        int32_t B = (int32_t)((bodies + 1) * pcs_random_uniform(random));
        double frame[3][3], arm[2][3];
        random_frame(random, frame);
        for (int a = 0; a < 6; a++)
            arm[a / 3][a % 3] = pcs_random_between(random, -0.5, 0.5);
        add_point(s, i, size, A, 1.0, arm[0], frame);
        if (B < bodies && B != A)
            add_point(s, i, size, B, -1.0, arm[1], frame);
    }
    close_system(s);
}

// q so that a random mixture of open, sticking and slipping contacts is a solution
static void impose_solution(system_of_bodies *s, pcs_random *random)
{
    double r[MAX_ROWS] = {0}, u[MAX_ROWS] = {0};
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t at = s->offset[i], size = s->offset[i + 1] - at;
        double kind = pcs_random_uniform(random), angle = pcs_random_between(random, 0.0, 6.28);
        double t[2] = {size == 2 ? copysign(1.0, cos(angle)) : cos(angle), sin(angle)};
        bool open = kind<0.3, slip = kind> 0.6;
        r[at] = open ? 0.0 : pcs_random_between(random, 0.1, 1.0);
        u[at] = open ? pcs_random_uniform(random) : 0.0;
        double friction = s->mu[i] * r[at] * (slip ? 1.0 : 0.9 * pcs_random_uniform(random));
        double speed = open || slip ? pcs_random_uniform(random) : 0.0;
        for (int32_t k = 1; k < size; k++) {
            r[at + k] = friction * t[k - 1];
            u[at + k] = -speed * t[k - 1];
        }
    }
    for (int32_t i = 0; i < s->contacts; i++) {
        double w[3] = {0.0, 0.0, 0.0};
        pcs_block_matrix_multiply_row(&s->W, i, r, w);
        for (int32_t k = s->offset[i]; k < s->offset[i + 1]; k++)
            s->q[k] = u[k] - w[k - s->offset[i]];
    }
}

// k cubes of side 0.7 on the ground, four corners for each interface, the top one `ratio` times
// heavier, under the impulse of gravity in one step, tilted by `slope`.
static void stack_of_boxes(system_of_bodies *s, int32_t boxes, double ratio, double slope)
{
    const double half = 0.35, impulse = 9.81 * 1e-3;
    double frame[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    clear(s, boxes);
    for (int32_t b = 0; b < boxes; b++) {
        double mass = b == boxes - 1 ? ratio : 1.0;
        add_body(s, b, mass, mass * 8.0 * half * half / 12.0);
        s->velocity[6 * b] = slope * impulse;
        s->velocity[6 * b + 2] = -impulse;
        for (int corner = 0; corner < 4; corner++) {
            int32_t i = add_contact(s, 3, 0.5);
            double x = corner & 1 ? half : -half, y = corner & 2 ? half : -half;
            add_point(s, i, 3, b, 1.0, (double[3]){x, y, -half}, frame);
            if (b > 0)
                add_point(s, i, 3, b - 1, -1.0, (double[3]){x, y, half}, frame);
        }
    }
    close_system(s);
}

// Spheres on top of each other, each touching the one below in one point: rows of H are
// independent.
static void stack_of_spheres(system_of_bodies *s, pcs_random *random, int32_t spheres)
{
    clear(s, spheres);
    for (int32_t b = 0; b < spheres; b++) {
        double frame[3][3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
        add_body(s, b, pcs_random_between(random, 0.5, 2.0), 0.1);
        int32_t i = add_contact(s, 3, pcs_random_between(random, 0.1, 0.9));
        add_point(s, i, 3, b, 1.0, (double[3]){0.0, 0.0, -0.385}, frame);
        if (b > 0)
            add_point(s, i, 3, b - 1, -1.0, (double[3]){0.0, 0.0, 0.385}, frame);
        for (int k = 0; k < 6; k++)
            s->velocity[6 * b + k] = pcs_random_between(random, -1.0, 1.0);
        s->velocity[6 * b + 2] -= 2.0;
    }
    close_system(s);
}

static void random_problems(void **state)
{
    fixture *f = *state;
    pcs_random random;
    int open = 0, stick = 0, slip = 0;
    pcs_random_init(&random, 12);
    for (int32_t n = 1; n <= 60; n++)
        for (int k = 0; k < 4; k++) {
            system_of_bodies *s = &f->s;
            random_system(s, &random, n, k < 2 ? 3 : 0, 0.8);
            if (k % 2 == 1)
                impose_solution(s, &random);
            assert_solves(f);
            for (int32_t i = 0; i < n; i++) {
                const double *r = s->r + s->offset[i], *u = s->u + s->offset[i];
                bool spatial = s->offset[i + 1] - s->offset[i] == 3;
                open += r[0] == 0.0;
                stick += spatial && r[0] > 0.0 && hypot(u[1], u[2]) < 1e-9;
                slip += spatial && r[0] > 0.0 && hypot(u[1], u[2]) > 1e-9;
            }
        }
    assert_true(open > 500 && stick > 500 && slip > 500);
}

static void stacks_with_a_heavy_top(void **state)
{
    fixture *f = *state;
    static const double ratios[3] = {1.0, 1e3, 1e6}, slopes[2] = {0.0, 0.3};
    for (int32_t boxes = 1; boxes <= 8; boxes++)
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 2; l++) {
                system_of_bodies *s = &f->s;
                double load = 0.0, weight = ((boxes - 1) + ratios[k]) * 9.81e-3;
                stack_of_boxes(s, boxes, ratios[k], slopes[l]);
                pcs_solve_info info = assert_solves(f);
                if (ratios[k] < 1e6)
                    assert_true(info.residual.scaled <= TOLERANCE);
                // upright, the ground carries the weight; on the slope the higher ones tip over
                for (int corner = 0; corner < 4; corner++)
                    load += s->r[3 * corner];
                if (slopes[l] == 0.0)
                    assert_near(load / weight, 1.0, 1e-8);
            }
}

static void newton_closes_what_sweeps_leave_open(void **state)
{
    fixture *f = *state;
    pcs_solve_opts opts = scaled_opts();
    pcs_solve_info info;
    stack_of_boxes(&f->s, 4, 1e3, 0.0);
    opts.max_iterations = 500;
    assert_int_equal(run(f, "gauss-seidel", &opts, NULL, &info), PCS_NOT_CONVERGED);
    assert_int_equal(info.iterations, 500);
    assert_true(info.residual.scaled > 1e-4);
    assert_true(info.reason[0] != '\0');
    pcs_residual residual = pcs_friction_contact_measure(&f->s.problem, f->s.r, NULL);
    assert_true(residual.scaled == info.residual.scaled);
    memset(f->s.r, 0, sizeof f->s.r);
    assert_solves(f);
}

// Gauss-Seidel alone is enough for contacts that are not stacked.
static void sweeps_alone(void **state)
{
    fixture *f = *state;
    const pcs_solve_opts opts = scaled_opts();
    pcs_solve_info info;
    for (int k = 0; k < 2; k++) {
        const double option[3] = {k == 0 ? 1.0 : 1.2, PCS_ORDER_AUTO, 0};
        stack_of_boxes(&f->s, 1, 2.385, 0.3);
        assert_int_equal(run(f, "gauss-seidel", &opts, option, &info), PCS_OK);
        assert_true(info.residual.scaled <= TOLERANCE && info.iterations < 100);
        assert_law(&f->s, TOLERANCE);
    }
}

// Every measure stops the sweeps, and neither long before nor long after it is met: the change of
// a sweep foretells the residual.
static void measures_stop_the_sweeps(void **state)
{
    fixture *f = *state;
    static const pcs_measure measures[3] = {PCS_MEASURE_SCALED, PCS_MEASURE_UNSCALED,
                                            PCS_MEASURE_RELATIVE};
    pcs_solve_opts opts = scaled_opts();
    pcs_random random;
    pcs_solve_info info;
    pcs_random_init(&random, 7);
    for (int k = 0; k < 30; k++) {
        random_system(&f->s, &random, 25, 3, 0.4);
        opts.measure = measures[k % 3];
        opts.tolerance = 1e-7;
        opts.max_iterations = 0;
        pcs_status status = run(f, "gauss-seidel", &opts, NULL, &info);
        assert_int_equal(status, PCS_OK);
        pcs_residual residual = pcs_friction_contact_measure(&f->s.problem, f->s.r, NULL);
        assert_true(pcs_residual_in(&residual, opts.measure) <= opts.tolerance);
        // measuring every sweep cannot need less than 80 % of these sweeps, up to a few
        const int32_t sweeps = info.iterations, fewer = (4 * sweeps) / 5 - 4;
        if (fewer < 1)
            continue;
        memset(f->s.r, 0, sizeof f->s.r);
        opts.max_iterations = fewer;
        assert_int_equal(run(f, "gauss-seidel", &opts, NULL, &info), PCS_NOT_CONVERGED);
    }
}

// Bodies with one contact each in a chain of springs of contact: W is regular, so r is unique, and
// every order of the sweeps finds it.
static void orders_agree(void **state)
{
    fixture *f = *state;
    const pcs_solve_opts opts = scaled_opts();
    pcs_random random;
    pcs_solve_info info;
    pcs_random_init(&random, 31);
    for (int k = 0; k < 5; k++) {
        double expected[MAX_ROWS];
        stack_of_spheres(&f->s, &random, 5);
        for (int order = PCS_ORDER_AUTO; order <= PCS_ORDER_LEVELS; order++) {
            const double option[3] = {1.0, order, 0};
            memset(f->s.r, 0, sizeof f->s.r);
            assert_int_equal(run(f, "gauss-seidel", &opts, option, &info), PCS_OK);
            assert_law(&f->s, TOLERANCE);
            if (order == PCS_ORDER_AUTO)
                memcpy(expected, f->s.u, sizeof expected);
            // the smallest eigenvalue of W of the chain is 1/n^2 of the largest: errors of r, and
            // with them of u, are n^2 times the residual
            for (int32_t a = 0; a < f->s.offset[f->s.contacts]; a++)
                assert_near(f->s.u[a], expected[a], 100.0 * TOLERANCE * largest_q(&f->s));
        }
    }
}

static void warm_start_ends_at_once(void **state)
{
    fixture *f = *state;
    stack_of_boxes(&f->s, 6, 1.0, 0.2);
    assert_solves(f);
    double before[MAX_ROWS];
    memcpy(before, f->s.r, sizeof before);
    pcs_solve_info info = assert_solves(f);
    assert_int_equal(info.iterations, 0);
    assert_memory_equal(before, f->s.r, sizeof before);
    // from a slightly different load: the states are known already
    for (int32_t k = 0; k < f->s.offset[f->s.contacts]; k++)
        f->s.q[k] *= 1.01;
    info = assert_solves(f);
    assert_true(info.factorisations <= 5);
}

static void same_input_same_bits(void **state)
{
    fixture *f = *state;
    pcs_random random;
    double first[MAX_ROWS];
    pcs_random_init(&random, 99);
    random_system(&f->s, &random, 40, 3, 0.8);
    assert_solves(f);
    memcpy(first, f->s.r, sizeof first);
    memset(f->s.r, 0, sizeof f->s.r);
    assert_solves(f);
    assert_memory_equal(first, f->s.r, sizeof first);
}

// Newton's cradle [Brogliato2002]: three equal balls in contact, v = (1, 0, 0), q = (1 + e) u-.
// Moreau's impact gives v+ = (-1/3, 2/3, 2/3), p = (4/3, 2/3) for e = 1, (0, 1/2, 1/2) for e = 0.5
// and (1/3, 1/3, 1/3) for e = 0.
static void cradle_of_three_balls(void **state)
{
    fixture *f = *state;
    static const double expected[3][4] = {
        {1.0, -1.0 / 3, 2.0 / 3, 2.0 / 3}, {0.5, 0.0, 0.5, 0.5}, {0.0, 1.0 / 3, 1.0 / 3, 1.0 / 3}};
    double frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        system_of_bodies *s = &f->s;
        const double e = expected[k][0], none[3] = {0};
        clear(s, 3);
        for (int32_t ball = 0; ball < 3; ball++)
            add_body(s, ball, 1.0, 0.4);
        for (int32_t gap = 0; gap < 2; gap++) {
            int32_t i = add_contact(s, 1, 0.0);
            add_point(s, i, 1, gap, -1.0, none, frame);
            add_point(s, i, 1, gap + 1, 1.0, none, frame);
        }
        s->velocity[0] = 1.0;
        close_system(s);
        for (int32_t i = 0; i < 2; i++)
            s->q[i] *= 1.0 + e;
        assert_solves(f);
        assert_near(1.0 - s->r[0], expected[k][1], 1e-9); // tolerance / smallest eigenvalue of W
        assert_near(s->r[0] - s->r[1], expected[k][2], 1e-9);
        assert_near(s->r[1], expected[k][3], 1e-9);
    }
}

static void no_contacts(void **state)
{
    fixture *f = *state;
    clear(&f->s, 0);
    close_system(&f->s);
    pcs_solve_info info = solve(f, PCS_OK);
    assert_int_equal(info.iterations, 0);
    const pcs_solve_opts opts = scaled_opts();
    assert_int_equal(run(f, "gauss-seidel", &opts, NULL, &info), PCS_OK);
}

// An immobile contact that is driven together has no solution; the solver says so and stops.
static void problem_without_solution(void **state)
{
    fixture *f = *state;
    stack_of_boxes(&f->s, 2, 1.0, 0.0);
    memset(f->s.H[0], 0, 3 * sizeof f->s.H[0]);
    close_system(&f->s);
    f->s.q[0] = -0.01;
    pcs_solve_info info = solve(f, PCS_NOT_CONVERGED);
    assert_int_equal(info.residual.worst, 0);
    assert_true(isfinite(f->s.r[3]));
}

static void bad_numbers_are_refused(void **state)
{
    fixture *f = *state;
    static const double bad[2] = {NAN, INFINITY};
    for (int k = 0; k < 8; k++) {
        double start[MAX_ROWS];
        stack_of_boxes(&f->s, 2, 1.0, 0.1);
        for (int32_t a = 0; a < 24; a++)
            f->s.r[a] = 0.01 * a;
        double *victim[4] = {&f->s.q[13], &f->s.value[200], &f->s.mu[5], &f->s.r[7]};
        *victim[k / 2] = bad[k % 2];
        memcpy(start, f->s.r, sizeof start);
        solve(f, PCS_ERROR_NUMERIC);
        assert_memory_equal(start, f->s.r, sizeof start);
        const pcs_solve_opts opts = scaled_opts();
        pcs_solve_info info;
        assert_int_equal(run(f, "gauss-seidel", &opts, NULL, &info), PCS_ERROR_NUMERIC);
        assert_memory_equal(start, f->s.r, sizeof start);
    }
    stack_of_boxes(&f->s, 2, 1.0, 0.1);
    f->s.mu[3] = -0.2;
    solve(f, PCS_ERROR_ARGUMENT);
}

// Every heap call that may fail does so once: an error, r as it was, and the next call works.
static void memory_runs_out(void **state)
{
    fixture *f = *state;
    const pcs_solve_opts opts = scaled_opts();
    pcs_solve_info info;
    stack_of_boxes(&f->s, 8, 1e3, 0.0);
    pcs_status status = PCS_ERROR_MEMORY;
    int failures = -1;
    for (uint64_t n = 1; status == PCS_ERROR_MEMORY; n++, failures++) {
        pcs_arena_free(&f->memory.arena);
        memset(f->s.r, 0, sizeof f->s.r);
        pcs_context_fail_heap_call(f->memory.ctx, n);
        status = run(f, "auto", &opts, NULL, &info);
        for (int32_t k = 0; status < 0 && k < MAX_ROWS; k++)
            assert_true(f->s.r[k] == 0.0);
        assert_true(n < 100);
    }
    pcs_context_fail_heap_call(f->memory.ctx, 0);
    assert_int_equal(status, PCS_OK);
    assert_true(failures >= 1);
}

static void no_heap_calls_after_warm_up(void **state)
{
    fixture *f = *state;
    stack_of_boxes(&f->s, 8, 1e3, 0.0);
    assert_solves(f);
    assert_int_equal(pcs_arena_reset(&f->memory.arena), PCS_OK);
    uint64_t calls = pcs_context_heap_calls(f->memory.ctx);
    memset(f->s.r, 0, sizeof f->s.r);
    assert_solves(f);
    assert_true(pcs_context_heap_calls(f->memory.ctx) == calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems),
        cmocka_unit_test(stacks_with_a_heavy_top),
        cmocka_unit_test(newton_closes_what_sweeps_leave_open),
        cmocka_unit_test(sweeps_alone),
        cmocka_unit_test(measures_stop_the_sweeps),
        cmocka_unit_test(orders_agree),
        cmocka_unit_test(warm_start_ends_at_once),
        cmocka_unit_test(same_input_same_bits),
        cmocka_unit_test(cradle_of_three_balls),
        cmocka_unit_test(no_contacts),
        cmocka_unit_test(problem_without_solution),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(no_heap_calls_after_warm_up),
    };
    return cmocka_run_group_tests(tests, set_up, pcs_test_fixture_destroy);
}

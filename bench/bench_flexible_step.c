// A step with contact of flexible bodies: the cube of [Galvez2020, benchmark B4] with n x n x n
// hexahedra, landing with 1 m/s on its lower face, all of it in contact. Prints the CPU time of a
// step (best of three), the Newton iterations of its problems, the shares of its parts, the ratio
// to one factorisation, and the exponents of both times against the number of unknowns. The parts
// are timed one by one at the state that the steps have reached and multiplied by how often a step
// needs them; factorisations and Delassus operators W are counted.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "schemes/moreau_jean.h"
#include "schemes/nonsmooth_alpha.h"
#include "simulation/simulation.h"
#include "support/flexible_scenes.h"
#include "support/measure.h"

enum { STEPS = 3, SIZES = 5 };
static const int32_t sizes[SIZES] = {5, 8, 10, 14, 20};
static const double H = 1e-4; // s

// Seconds of each part, done once.
typedef struct parts {
    double force, matrix, factor, solve, delassus;
} parts;

// What a step took, and how often it did what.
typedef struct cost {
    double step;
    double newton[NA_LEVELS]; // iterations; Moreau-Jean: all in the first
    double factors, forces, matrices, solves, delassus;
    int32_t contacts;
} cost;

static double best(double before, double start)
{
    const double elapsed = bench_cpu_time() - start;
    return before == 0 || elapsed < before ? elapsed : before;
}

static const pcs_saddle *saddle_of(const scene *s, int k)
{
    const pcs_scheme *scheme = s->simulation->scheme;
    if (k == 0 && scheme->class == &pcs_moreau_jean_class)
        return ((const moreau_jean *)scheme)->saddle;
    if (scheme->class != &pcs_nonsmooth_alpha_class)
        return NULL;
    const nonsmooth_alpha *alpha = (const nonsmooth_alpha *)scheme;
    return k == 0 ? alpha->saddle : alpha->of_velocity != alpha->saddle ? alpha->of_velocity : NULL;
}

static int64_t factorisations(const scene *s)
{
    int64_t count = 0;
    for (int k = 0; k < 2; ++k)
        if (saddle_of(s, k))
            count += pcs_saddle_factorisations(saddle_of(s, k));
    return count;
}

static cost measure_steps(scene *s, bool alpha, int steps)
{
    cost c = {0};
    na_counts before = {0}, after = {0};
    for (int k = 0; k < 2; ++k) // the second one begins in contact
        scene_require(s, scene_step(s));
    if (alpha)
        before = *pcs_nonsmooth_alpha_counts(s->simulation->scheme);
    const int64_t factors = factorisations(s);
    const int64_t newton = pcs_simulation_statistics(s->simulation)->newton_iterations;
    for (int k = 0; k < steps; ++k) {
        const double start = bench_cpu_time();
        scene_require(s, scene_step(s));
        c.step = best(c.step, start);
    }
    c.factors = (double)(factorisations(s) - factors) / steps;
    c.contacts = pcs_simulation_statistics(s->simulation)->contacts_now;
    const int64_t iterations = pcs_simulation_statistics(s->simulation)->newton_iterations - newton;
    if (!alpha) { // the matrix of every iteration; the start, and two measures of energy
        c.newton[0] = (double)iterations / steps;
        c.matrices = c.factors;
        c.forces = c.newton[0] + 2;
        c.solves = 2 * c.newton[0];
        c.delassus = c.newton[0];
        return c;
    }
    after = *pcs_nonsmooth_alpha_counts(s->simulation->scheme);
    for (int k = 0; k < NA_LEVELS; ++k)
        c.newton[k] = (double)(after.sum[k] - before.sum[k]) / steps;
    // The last problem has M alone; forces at the first iterates are those of the problem before,
    // and the energy costs as much as they.
    c.matrices = c.factors;
    c.forces = 2 + c.newton[NA_SMOOTH] + c.newton[NA_POSITION] + c.newton[NA_VELOCITY];
    c.solves = c.newton[NA_SMOOTH] + 2 * (c.newton[NA_POSITION] + c.newton[NA_VELOCITY]);
    c.delassus = (double)(after.operators - before.operators) / steps;
    return c;
}

// The parts at the present state, with W of the contacts that are closed
static parts measure_parts(const scene *s, int rounds)
{
    const pcs_model *m = s->model;
    const pcs_state *state = &s->simulation->state;
    parts p = {0};
    pcs_arena arena;
    pcs_configuration c;
    pcs_saddle *saddle;
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = m->n_pairs;
    def.coupling = (const int32_t(*)[2])m->pairs;
    pcs_contact *contacts = pcs_model_contacts_create(s->ctx, m);
    const pcs_row_block **H_rows = calloc((size_t)m->n_slots, sizeof *H_rows);
    double *f = calloc((size_t)m->n_v, sizeof *f);
    if (!contacts || !H_rows || !f)
        abort();
    pcs_arena_init(&arena, s->ctx);
    scene_require(s, pcs_configuration_init(s->ctx, m, &c));
    scene_require(s, pcs_model_saddle_create(s->ctx, m, &def, &saddle));
    pcs_configuration_update(m, &c, *state->t, state->q, state->v, state->turns, state->external);
    pcs_model_contacts(m, &c, true, contacts);
    for (int k = 0; k < rounds; ++k) {
        pcs_block_matrix W;
        int32_t n = 0;
        double start = bench_cpu_time();
        pcs_model_forces(m, &c, f, NULL);
        p.force = best(p.force, start);
        start = bench_cpu_time();
        pcs_model_matrix(m, &c, H * H * (1 + 1e-3 * k), 0, saddle);
        p.matrix = best(p.matrix, start);
        start = bench_cpu_time();
        scene_require(s, pcs_saddle_factor(saddle));
        p.factor = best(p.factor, start);
        start = bench_cpu_time();
        pcs_saddle_solve(saddle, f, NULL);
        p.solve = best(p.solve, start);
        for (int32_t i = 0; i < m->n_slots; ++i)
            if (state->status[i] != PCS_OPEN)
                H_rows[n++] = &contacts[i].row;
        scene_require(s, pcs_arena_reset(&arena));
        start = bench_cpu_time();
        if (n > 0)
            scene_require(s, pcs_saddle_delassus(saddle, n, H_rows, &arena, &W));
        p.delassus = best(p.delassus, start);
    }
    pcs_arena_free(&arena);
    pcs_saddle_destroy(saddle);
    pcs_configuration_free(s->ctx, &c);
    pcs_model_contacts_destroy(s->ctx, contacts);
    free(H_rows);
    free(f);
    return p;
}

static void report(int32_t n, int32_t unknowns, bool alpha, const cost *c, const parts *p)
{
    const double force = c->forces * p->force, matrix = c->matrices * p->matrix;
    const double factor = c->factors * p->factor, solve = c->solves * p->solve;
    const double delassus = c->delassus * p->delassus;
    const double rest = c->step - force - matrix - factor - solve - delassus;
    const double percent = 100 / c->step;
    printf("%2d^3 %6d %4d %9.2f ", (int)n, (int)unknowns, (int)c->contacts, 1e3 * c->step);
    if (alpha)
        printf("%4.1f %4.1f %4.1f", c->newton[0], c->newton[1], c->newton[2]);
    else
        printf("%14.1f", c->newton[0]);
    printf(" %5.1f  %5.0f %5.0f %5.0f %5.0f %5.0f %5.0f  %9.2f %6.1f\n", c->factors,
           percent * force, percent * matrix, percent * factor, percent * solve, percent * delassus,
           percent * rest, 1e3 * p->factor, c->step / p->factor);
    fflush(stdout);
}

static void run(const char *scheme, int32_t largest)
{
    const bool alpha = scheme[0] == 'n';
    double last[3] = {0}; // unknowns, step, factorisation
    printf("%s, h = %g s; times in ms, shares in %%\n", scheme, H);
    printf(" cube unknw. cont.     step  Newton (s,p,v) fact. force matr. fact. solve   W   rest   "
           "one fact. ratio\n");
    for (int k = 0; k < SIZES && sizes[k] <= largest; ++k) {
        scene s;
        scene_landing_cube(&s, sizes[k], PCS_ELEMENT_HEXAHEDRON, 0.05 + 0.5 * H, 1);
        s.scheme = scheme;
        scene_finish(&s, H, 1);
        const cost c = measure_steps(&s, alpha, sizes[k] >= 20 ? 1 : STEPS);
        const parts p = measure_parts(&s, sizes[k] >= 20 ? 1 : STEPS);
        report(sizes[k], s.model->n_v, alpha, &c, &p);
        const double now[3] = {s.model->n_v, c.step, p.factor};
        if (k > 0)
            printf("      exponent of the step %.2f, of the factorisation %.2f\n",
                   log(now[1] / last[1]) / log(now[0] / last[0]),
                   log(now[2] / last[2]) / log(now[0] / last[0]));
        for (int i = 0; i < 3; ++i)
            last[i] = now[i];
        scene_end(&s);
    }
}

// The largest n, if not 20, may be given.
int main(int argc, char **argv)
{
    const int32_t largest = argc > 1 ? (int32_t)atoi(argv[1]) : sizes[SIZES - 1];
    bench_use_one_core();
    run("nonsmooth-alpha", largest);
    run("moreau-jean", largest);
    return 0;
}

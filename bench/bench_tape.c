// Formulas against hand-written C: M, F, G and the convective terms of the four-bar linkage
// [Haddouni2015, 3.4.1] from the program of a Lagrangian system, and from the formulas of the
// thesis written out in C. Best of many, because other processes only add time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/timer.h"
#include "model/assembly.h"
#include "model/model.h"

enum { N = 3, ROWS = 2, CALLS = 2000, REPEATS = 400 };

typedef struct constants {
    double m, l1, l2, l3, d, g, torque, I1, I2, I3;
} constants;

typedef struct terms {
    double M[N][N], F[N], G[ROWS][N], values[ROWS], convective[ROWS];
} terms;

// As an engineer would write it, with shared sines and cosines.
__attribute__((noinline)) static void by_hand(const constants *c, const double *q, const double *v,
                                              terms *out)
{
    const double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]);
    const double s3 = sin(q[2]), c3 = cos(q[2]);
    const double c12 = cos(q[0] - q[1]), s12 = sin(q[0] - q[1]), k = 0.5 * c->m * c->l1 * c->l2;
    out->M[0][0] = c->I1 + 1.25 * c->m * c->l1 * c->l1;
    out->M[0][1] = out->M[1][0] = k * c12;
    out->M[1][1] = c->I2 + 0.25 * c->m * c->l2 * c->l2;
    out->M[2][2] = c->I3 + 0.25 * c->m * c->l3 * c->l3;
    out->M[0][2] = out->M[2][0] = out->M[1][2] = out->M[2][1] = 0;
    out->F[0] = -1.5 * c->m * c->l1 * c->g * c1 - k * s12 * v[1] * v[1] + c->torque;
    out->F[1] = -0.5 * c->m * c->g * c->l2 * c2 + k * s12 * v[0] * v[0];
    out->F[2] = -0.5 * c->m * c->g * c->l3 * c3;
    out->G[0][0] = -c->l1 * s1;
    out->G[0][1] = -c->l2 * s2;
    out->G[0][2] = c->l3 * s3;
    out->G[1][0] = c->l1 * c1;
    out->G[1][1] = c->l2 * c2;
    out->G[1][2] = -c->l3 * c3;
    out->values[0] = out->G[1][0] + out->G[1][1] + out->G[1][2] - c->d;
    out->values[1] = -(out->G[0][0] + out->G[0][1] + out->G[0][2]);
    const double w1 = v[0] * v[0], w2 = v[1] * v[1], w3 = v[2] * v[2];
    out->convective[0] = -out->G[1][0] * w1 - out->G[1][1] * w2 - out->G[1][2] * w3;
    out->convective[1] = out->G[0][0] * w1 + out->G[0][1] * w2 + out->G[0][2] * w3;
}

static void check(pcs_status status, pcs_context *ctx)
{
    if (status == PCS_OK)
        return;
    fprintf(stderr, "bench_tape: %s\n", pcs_context_error(ctx));
    exit(EXIT_FAILURE);
}

static pcs_model *build(pcs_context *ctx, const constants *c)
{
    static const pcs_coordinate_def angles[N] = {{"phi1", 1.0471975511965976, 0},
                                                 {"phi2", 0.242563874095, 0},
                                                 {"phi3", 2.0943951023931953, 0}};
    static const pcs_constraint_def constraints[ROWS] = {
        {"close_x", {0, "l1*cos(phi1) + l2*cos(phi2) - l3*cos(phi3) - d"}},
        {"close_y", {0, "l1*sin(phi1) + l2*sin(phi2) - l3*sin(phi3)"}}};
    static const pcs_value forces[N] = {{0, "torque"}, {0, NULL}, {0, NULL}};
    const struct {
        const char *name;
        double value;
    } parameters[] = {{"m", c->m},   {"l1", c->l1}, {"l2", c->l2},         {"l3", c->l3},
                      {"d", c->d},   {"g", c->g},   {"torque", c->torque}, {"I1", c->I1},
                      {"I2", c->I2}, {"I3", c->I3}};
    pcs_builder *builder;
    pcs_model *model;
    check(pcs_builder_create(ctx, 2, &builder), ctx);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; ++i)
        check(pcs_builder_set_parameter(builder, parameters[i].name, parameters[i].value), ctx);
    pcs_system_def def = pcs_system_default();
    def.name = "fourbar";
    def.coordinates = angles;
    def.n_coordinates = N;
    def.kinetic = pcs_expression(
        "(I1 + m*l1^2/4)/2*phi1.rate^2 + m/2*(l1^2*phi1.rate^2 + (l2/2)^2*phi2.rate^2"
        " + l1*l2*cos(phi1 - phi2)*phi1.rate*phi2.rate) + I2/2*phi2.rate^2"
        " + (I3 + m*l3^2/4)/2*phi3.rate^2");
    def.potential = pcs_expression(
        "m*g*(l1/2*sin(phi1) + (l1*sin(phi1) + l2/2*sin(phi2)) + l3/2*sin(phi3))");
    def.forces = forces;
    def.constraints = constraints;
    def.n_constraints = ROWS;
    check(pcs_builder_add_system(builder, &def, NULL), ctx);
    check(pcs_builder_finish(builder, &model), ctx);
    pcs_builder_destroy(builder);
    return model;
}

// The two agree, or the comparison is worth nothing.
static double difference(const pcs_system *s, const double *w, const terms *t)
{
    double most = 0;
    for (int i = 0; i < N; ++i) {
        most = fmax(most, fabs(w[s->slots.f[i]] - t->F[i]));
        for (int j = 0; j < N; ++j)
            most = fmax(most, fabs(w[s->slots.M[i * N + j]] - t->M[i][j]));
        for (int k = 0; k < ROWS; ++k)
            most = fmax(most, fabs(w[s->slots.G[k * N + i]] - t->G[k][i]));
    }
    for (int k = 0; k < ROWS; ++k) {
        most = fmax(most, fabs(w[s->slots.g[k]] - t->values[k]));
        most = fmax(most, fabs(w[s->slots.convective[k]] - t->convective[k]));
    }
    return most;
}

int main(void)
{
    constants c = {1, 0.3, sqrt(0.13), 0.4, 0.7, 9.81, 6, 0, 0, 0};
    c.I1 = c.m * c.l1 * c.l1 / 12;
    c.I2 = c.m * c.l2 * c.l2 / 12;
    c.I3 = c.m * c.l3 * c.l3 / 12;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_model *model = build(ctx, &c);
    pcs_configuration configuration;
    check(pcs_configuration_init(ctx, model, &configuration), ctx);
    const pcs_system *s = &model->systems.data[0];
    const uint32_t stages = 1u << PCS_STAGE_MASS | 1u << PCS_STAGE_FORCE | 1u << PCS_STAGE_ROWS |
                            1u << PCS_STAGE_CONVECTIVE;
    double q[N] = {1.1, 0.3, 2.2}, v[N] = {0.7, -1.3, 2.1}, hand = HUGE_VAL, tape = HUGE_VAL;
    double worst = 0, sum = 0;
    terms t;
    for (int r = 0; r < REPEATS; ++r) {
        double start = pcs_timer_now();
        for (int i = 0; i < CALLS; ++i) {
            q[0] = 1.1 + 1e-4 * i;
            by_hand(&c, q, v, &t);
            sum += t.F[0];
        }
        hand = fmin(hand, pcs_timer_now() - start);
        start = pcs_timer_now();
        const double *w = NULL;
        for (int i = 0; i < CALLS; ++i) {
            q[0] = 1.1 + 1e-4 * i;
            pcs_configuration_update(model, &configuration, 0, q, v, NULL, NULL);
            w = pcs_system_evaluate(model, &configuration, 0, stages);
            sum += w[s->slots.f[0]];
        }
        tape = fmin(tape, pcs_timer_now() - start);
        worst = fmax(worst, difference(s, w, &t));
    }
    printf(
        "four-bar M, F, g, G, convective: %d instructions, largest difference %.1e (checksum %g)\n",
        pcs_program_operations(s->program, stages), worst, sum);
    printf("hand-written C %.1f ns, formulas %.1f ns, ratio %.2f (target 5)\n", 1e9 * hand / CALLS,
           1e9 * tape / CALLS, tape / hand);
    pcs_configuration_free(ctx, &configuration);
    pcs_model_destroy(model);
    pcs_context_destroy(ctx);
    return worst < 1e-12 && tape < 5 * hand ? EXIT_SUCCESS : EXIT_FAILURE;
}

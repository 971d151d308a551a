// Lagrangian systems: Lagrange's equations against a kinetic energy differentiated numerically, all
// Jacobians, convective terms and tangents against finite differences, in the plane and in space,
// alone and joined to bodies; published accelerations and multipliers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/element.h"
#include "support/probe.h"

// ---- Lagrange's equations ----

// Two coordinates, a rheonomic kinetic energy with all its kinds of terms: a bead on a rod that
// turns with 1.3 t about a moving pivot, and a wheel geared to it.
#define T_TEXT                                                                          \
    "0.7*x.rate^2*(1 + 0.3*sin(y)^2) + 0.45*y.rate^2*exp(0.2*x) + 0.31*x.rate*y.rate*x" \
    " + 0.9*x^2*cos(1.3*t) + x.rate*sin(0.8*t)*y + 0.2*y.rate*t"
#define V_TEXT "1.7*cos(x) + 0.4*x^2*y + 0.21*sin(2*t)*y"
#define D_TEXT "0.3*x.rate^2 + 0.1*y.rate^4*(1 + x^2)"

static double kinetic(const double *q, const double *v, double t)
{
    const double x = q[0], y = q[1], s = sin(y);
    return 0.7 * v[0] * v[0] * (1 + 0.3 * s * s) + 0.45 * v[1] * v[1] * exp(0.2 * x) +
           0.31 * v[0] * v[1] * x + 0.9 * x * x * cos(1.3 * t) + v[0] * sin(0.8 * t) * y +
           0.2 * v[1] * t;
}

static double lagrangian(const double *q, const double *v, double t)
{
    return kinetic(q, v, t) -
           (1.7 * cos(q[0]) + 0.4 * q[0] * q[0] * q[1] + 0.21 * sin(2 * t) * q[1]);
}

// Five-point derivative of L along (dq, dv, dt).
static double slope(const double *q, const double *v, double t, const double *dq, const double *dv,
                    double dt)
{
    double f[4];
    for (int k = 0; k < 4; ++k) {
        const double h = probe_place(k, PROBE_STEP);
        double a[2], b[2];
        for (int i = 0; i < 2; ++i) {
            a[i] = q[i] + h * dq[i];
            b[i] = v[i] + h * dv[i];
        }
        f[k] = lagrangian(a, b, t + h * dt);
    }
    return probe_derivative(f, PROBE_STEP);
}

static pcs_system_def two_coordinates(void)
{
    static const pcs_coordinate_def xy[2] = {{"x", 0.4, 0}, {"y", 0.7, 0}};
    pcs_system_def def = pcs_system_default();
    def.name = "two";
    def.coordinates = xy;
    def.n_coordinates = 2;
    def.kinetic = pcs_expression(T_TEXT);
    def.potential = pcs_expression(V_TEXT);
    def.dissipation = pcs_expression(D_TEXT);
    return def;
}

// d/dt dL/dv - dL/dq at acceleration a equals M a - f without dissipation. The outer derivative is
// taken of inner ones: 7e-13 |f|/h of rounding, some 1e-8.
static void test_lagrange_equations(void **state)
{
    (void)state;
    const double tolerance = 1e-8, zero[2] = {0, 0};
    probe p;
    probe_begin(&p, 2);
    pcs_system_def def = two_coordinates();
    def.dissipation = pcs_number(0);
    probe_must(&p, pcs_builder_add_system(p.builder, &def, NULL));
    probe_finish(&p);
    p.t = 0.37;
    p.v[0] = 1.1;
    p.v[1] = -0.8;
    const double a[2] = {0.9, -1.7};
    pcs_configuration_update(p.model, &p.c, p.t, p.q, p.v, p.turns, NULL);
    double f[2], Ma[2];
    pcs_model_forces(p.model, &p.c, f, NULL);
    pcs_model_mass_multiply(p.model, &p.c, a, Ma);
    for (int i = 0; i < 2; ++i) {
        double unit[2] = {i == 0, i == 1}, momentum[4];
        for (int k = 0; k < 4; ++k) {
            const double h = probe_place(k, PROBE_STEP);
            double q[2], v[2];
            for (int j = 0; j < 2; ++j) {
                q[j] = p.q[j] + h * p.v[j];
                v[j] = p.v[j] + h * a[j];
            }
            momentum[k] = slope(q, v, p.t + h, zero, unit, 0);
        }
        const double expected = probe_derivative(momentum, PROBE_STEP) -
                                slope(p.q, p.v, p.t, unit, zero, 0);
        probe_assert_near(Ma[i] - f[i], expected, tolerance, "equation", i, 0);
    }
    probe_end(&p);
}

// The accounts: d/dt (v.M v/2 + V) along the motion v' = M^-1 f is the power of all accounts.
static void test_energy_accounts(void **state)
{
    (void)state;
    probe p;
    probe_begin(&p, 2);
    pcs_system_def def = two_coordinates();
    const pcs_value forces[2] = {pcs_expression("3*sin(t) - 0.2*y.rate"), pcs_number(-0.7)};
    def.forces = forces;
    probe_must(&p, pcs_builder_add_system(p.builder, &def, NULL));
    probe_finish(&p);
    p.t = 0.37;
    p.v[0] = 1.1;
    p.v[1] = -0.8;
    pcs_configuration_update(p.model, &p.c, p.t, p.q, p.v, p.turns, NULL);
    double a[2], A[4];
    pcs_power power = {.v = p.v};
    pcs_model_forces(p.model, &p.c, a, &power);
    probe_matrix(&p, 0, 0, A);
    assert_int_equal(pcs_saddle_factor(p.saddle), PCS_OK);
    pcs_saddle_solve(p.saddle, a, NULL);
    double energy[4];
    for (int k = 0; k < 4; ++k) {
        const double h = probe_place(k, PROBE_STEP);
        double q[2], v[2];
        for (int j = 0; j < 2; ++j) {
            q[j] = p.q[j] + h * p.v[j];
            v[j] = p.v[j] + h * a[j];
        }
        pcs_configuration_update(p.model, &p.c, p.t + h, q, v, p.turns, NULL);
        energy[k] = pcs_model_kinetic(p.model, &p.c) + pcs_model_potential(p.model, &p.c);
    }
    const double damping = -0.6 * p.v[0] * p.v[0] - 0.4 * pow(p.v[1], 4) * (1 + p.q[0] * p.q[0]);
    probe_assert_near(power.damping, damping, 1e-14, "damping", 0, 0);
    probe_assert_near(power.applied + power.damping, probe_derivative(energy, PROBE_STEP),
                      PROBE_TOLERANCE, "power", 0, 0);
    probe_end(&p);
}

// ---- A system joined to bodies ----

// A system with forces, constraints and contacts that read two bodies, a joint and another system;
// and forces on the bodies that read the system.
static void build_joined(probe *p, int32_t dimension)
{
    pcs_random random;
    pcs_random_init(&random, 4711);
    const bool flat = dimension == 2;
    probe_begin(p, dimension);
    pcs_body_id a = probe_add_body(p, &random, "a"), b = probe_add_body(p, &random, "b");
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "arm";
    joint.kind = PCS_JOINT_REVOLUTE;
    joint.a = probe_frame(&random, dimension, a);
    joint.b = probe_frame(&random, dimension, b);
    probe_must(p, pcs_builder_add_joint(p->builder, &joint, NULL));
    static const pcs_coordinate_def xyz[3] = {{"x", 0.4, 0.3}, {"y", -0.2, 0}, {"z", 0.7, 0}};
    static const pcs_coordinate_def u[1] = {{"u", 0.9, 0}};
    const pcs_value forces[3] = {
        pcs_expression(flat ? "-3*(x - body.a.position.y)*cos(y) - 0.4*body.b.velocity.x*y.rate"
                            : "-3*(x - body.a.position.z)*cos(y) - 0.4*body.b.velocity.x*y.rate"),
        pcs_expression("0.7*joint.arm.rate*joint.arm.angle + sin(t)*body.a.angular_velocity.z"),
        pcs_expression("0.3*system.other.u*x.rate - system.other.u.rate*z")};
    const pcs_constraint_def constraints[3] = {
        {"own", pcs_expression("sin(x)*y + z^2 - 0.3*sin(1.7*t)*x")},
        {"bodies", pcs_expression("x*body.a.position.x*body.b.position.y + 0.2*t*y - z")},
        {"mixed", pcs_expression("joint.arm.angle*y + system.other.u^2*x + body.a.position.y*t")},
    };
    pcs_gap_def gaps[2] = {
        {.name = "rough",
         .gap = pcs_expression("x*y - body.a.position.x^2 + 0.3*sin(2*t)*z"),
         .tangential = {pcs_expression("cos(z) + body.b.position.y*x"), pcs_expression("y*z*t")},
         .n_tangential = dimension - 1,
         .law = {0.3, 0.5, 0}},
        {.name = "smooth", .gap = pcs_expression("2 - system.other.u*z")}};
    pcs_system_def def = pcs_system_default();
    def.name = "main";
    def.coordinates = xyz;
    def.n_coordinates = 3;
    def.kinetic = pcs_expression("(1 + 0.2*cos(y))*x.rate^2 + 0.8*y.rate^2 + 0.6*z.rate^2"
                                 " + 0.3*x*x.rate*z.rate + 0.1*sin(z)*y.rate*x.rate");
    def.potential = pcs_expression("2.1*x^2*sin(z)");
    def.dissipation = pcs_expression("0.2*(x.rate - y.rate)^2*(1 + z^2)");
    def.forces = forces;
    def.constraints = constraints;
    def.n_constraints = 3;
    def.gaps = gaps;
    def.n_gaps = 2;
    probe_must(p, pcs_builder_add_system(p->builder, &def, NULL));
    pcs_system_def other = pcs_system_default();
    other.name = "other";
    other.coordinates = u;
    other.n_coordinates = 1;
    other.kinetic = pcs_expression("0.65*u.rate^2*(1 + 0.1*u^2)");
    probe_must(p, pcs_builder_add_system(p->builder, &other, NULL));
    pcs_force_def force = pcs_force_default();
    force.name = "push";
    force.body = a;
    force.position = (pcs_vec3){0.2, -0.3, flat ? 0 : 0.4};
    force.force[0] = pcs_expression("1.3*system.main.x*system.other.u - system.main.z.rate");
    force.torque[2] = pcs_expression("sin(system.main.y)");
    probe_must(p, pcs_builder_add_force(p->builder, &force));
    p->t = 0.61;
    probe_finish(p);
    probe_randomise(p, &random, 0.3, 0.9);
    probe_set_turns(p);
}

static void test_forces_and_tangents(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        probe p;
        build_joined(&p, dimension);
        const int32_t n = p.model->n_v;
        double M[PROBE_Q_MAX * PROBE_Q_MAX], K[PROBE_Q_MAX * PROBE_Q_MAX];
        double C[PROBE_Q_MAX * PROBE_Q_MAX], f[4][PROBE_Q_MAX];
        probe_matrix(&p, 0, 0, M);
        probe_matrix(&p, 1, 0, K);
        probe_matrix(&p, 0, 1, C);
        for (int32_t j = 0; j < n; ++j) {
            double x[PROBE_Q_MAX] = {0}, y[PROBE_Q_MAX];
            x[j] = 1;
            pcs_model_mass_multiply(p.model, &p.c, x, y);
            for (int32_t i = 0; i < n; ++i)
                probe_assert_near(y[i], M[i * n + j], 1e-15, "M", i, j);
            for (int k = 0; k < 4; ++k) {
                probe_nudge(&p, j, probe_place(k, PROBE_STEP));
                pcs_model_forces(p.model, &p.c, f[k], NULL);
            }
            for (int32_t i = 0; i < n; ++i) {
                const double g[4] = {f[0][i], f[1][i], f[2][i], f[3][i]};
                probe_assert_near(M[i * n + j] - K[i * n + j], probe_derivative(g, PROBE_STEP),
                                  PROBE_TOLERANCE, "K", i, j);
            }
            for (int k = 0; k < 4; ++k) {
                double v[PROBE_Q_MAX];
                memcpy(v, p.v, sizeof v);
                v[j] += probe_place(k, PROBE_STEP);
                pcs_configuration_update(p.model, &p.c, p.t, p.q, v, p.turns, NULL);
                pcs_model_forces(p.model, &p.c, f[k], NULL);
            }
            pcs_configuration_update(p.model, &p.c, p.t, p.q, p.v, p.turns, NULL);
            for (int32_t i = 0; i < n; ++i) {
                const double g[4] = {f[0][i], f[1][i], f[2][i], f[3][i]};
                probe_assert_near(M[i * n + j] - C[i * n + j], probe_derivative(g, PROBE_STEP),
                                  PROBE_TOLERANCE, "C", i, j);
            }
        }
        probe_end(&p);
    }
}

// G and the prescribed rate are the derivatives of g, the convective term that of G v - rate.
static void test_constraints(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        probe p;
        build_joined(&p, dimension);
        const pcs_model *m = p.model;
        const int32_t first = m->n_rows - 3; // behind the joint
        double g[4][PROBE_ROWS_MAX], rate[PROBE_ROWS_MAX], convective[PROBE_ROWS_MAX];
        double Gv[4][PROBE_ROWS_MAX], other[PROBE_ROWS_MAX], still[PROBE_Q_MAX] = {0};
        for (int32_t j = 0; j < m->n_v; ++j) {
            double unit[PROBE_Q_MAX] = {0}, column[PROBE_ROWS_MAX];
            unit[j] = 1;
            for (int k = 0; k < 4; ++k) {
                probe_nudge(&p, j, probe_place(k, PROBE_STEP));
                pcs_model_rows(m, &p.c, &(pcs_rows){.g = g[k]});
            }
            probe_nudge(&p, j, 0);
            pcs_model_rows(m, &p.c, &(pcs_rows){.blocks = p.blocks});
            pcs_model_rows_multiply(m, p.blocks, unit, column);
            for (int32_t i = first; i < m->n_rows; ++i) {
                const double f[4] = {g[0][i], g[1][i], g[2][i], g[3][i]};
                probe_assert_near(column[i], probe_derivative(f, PROBE_STEP), PROBE_TOLERANCE, "G",
                                  i, j);
            }
        }
        pcs_configuration_update(m, &p.c, p.t, p.q, p.v, p.turns, NULL);
        pcs_model_rows(m, &p.c, &(pcs_rows){.rate = rate, .convective = convective});
        double prescribed[PROBE_ROWS_MAX], acceleration[PROBE_ROWS_MAX];
        pcs_model_prescribed(m, &p.c, p.t, prescribed, acceleration);
        for (int k = 0; k < 4; ++k) {
            probe_move(&p, probe_place(k, PROBE_STEP), still);
            pcs_model_rows(m, &p.c, &(pcs_rows){.g = g[k], .rate = Gv[k]});
        }
        for (int32_t i = first; i < m->n_rows; ++i) {
            const double f[4] = {g[0][i], g[1][i], g[2][i], g[3][i]};
            const double r[4] = {Gv[0][i], Gv[1][i], Gv[2][i], Gv[3][i]};
            probe_assert_near(-rate[i], probe_derivative(f, PROBE_STEP), PROBE_TOLERANCE, "g_t", i,
                              0);
            probe_assert_near(prescribed[i], rate[i], 1e-15, "prescribed rate", i, 0);
            probe_assert_near(acceleration[i], probe_derivative(r, PROBE_STEP), PROBE_TOLERANCE,
                              "prescribed acceleration", i, 0);
        }
        // At another time, with the positions of c.
        pcs_configuration_update(m, &p.c, p.t, p.q, p.v, p.turns, NULL);
        pcs_model_prescribed(m, &p.c, p.t + PROBE_STEP, other, NULL);
        for (int32_t i = first; i < m->n_rows; ++i)
            probe_assert_near(other[i], Gv[2][i], 1e-15, "rate at another time", i, 0);
        for (int k = 0; k < 4; ++k) {
            probe_move(&p, probe_place(k, PROBE_STEP), p.v);
            pcs_model_rows(m, &p.c, &(pcs_rows){.blocks = p.blocks, .rate = other});
            pcs_model_rows_multiply(m, p.blocks, p.v, Gv[k]);
            for (int32_t i = first; i < m->n_rows; ++i)
                Gv[k][i] -= other[i];
        }
        for (int32_t i = first; i < m->n_rows; ++i) {
            const double f[4] = {Gv[0][i], Gv[1][i], Gv[2][i], Gv[3][i]};
            probe_assert_near(convective[i], probe_derivative(f, PROBE_STEP), PROBE_TOLERANCE,
                              "convective", i, 0);
        }
        probe_end(&p);
    }
}

static void clear(probe *p)
{
    int64_t count;
    double *values = pcs_saddle_values(p->saddle, &count);
    memset(values, 0, sizeof(double) * (size_t)count);
}

// d(M a)/dq, d(G^T lambda)/dq and d(G v - rate)/dq
static void test_geometric_tangents(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        probe p;
        build_joined(&p, dimension);
        const pcs_model *m = p.model;
        const int32_t n = m->n_v, first = m->n_rows - 3;
        double a[PROBE_Q_MAX], lambda[PROBE_ROWS_MAX] = {0};
        double A[PROBE_Q_MAX * PROBE_Q_MAX], B[PROBE_Q_MAX * PROBE_Q_MAX];
        double y[4][PROBE_Q_MAX], w[4][PROBE_Q_MAX], r[4][PROBE_ROWS_MAX], rate[PROBE_ROWS_MAX];
        for (int32_t i = 0; i < n; ++i)
            a[i] = cos(1 + 1.7 * i);
        for (int32_t i = first; i < m->n_rows; ++i)
            lambda[i] = sin(1 + 2.3 * i);
        clear(&p);
        pcs_system_class.mass_tangent(m, &p.c, a, 1.3, p.saddle);
        probe_read_matrix(&p, A);
        clear(&p);
        pcs_system_class.row_tangent(m, &p.c, lambda, 1.3, p.saddle);
        probe_read_matrix(&p, B);
        for (int32_t j = 0; j < n; ++j) {
            double unit[PROBE_Q_MAX] = {0}, column[PROBE_ROWS_MAX];
            unit[j] = 1;
            for (int k = 0; k < 4; ++k) {
                probe_nudge(&p, j, probe_place(k, PROBE_STEP));
                memset(y[k], 0, sizeof y[k]);
                pcs_system_class.mass_multiply(m, &p.c, a, y[k]);
                pcs_model_rows(m, &p.c, &(pcs_rows){.blocks = p.blocks, .rate = rate});
                memset(w[k], 0, sizeof w[k]);
                pcs_model_rows_add_transposed(m, p.blocks, lambda, w[k]);
                pcs_model_rows_multiply(m, p.blocks, p.v, r[k]);
                for (int32_t i = 0; i < m->n_rows; ++i)
                    r[k][i] -= rate[i];
            }
            probe_nudge(&p, j, 0);
            for (int32_t i = 0; i < m->row_blocks.count; ++i)
                for (int32_t e = 0; e < p.blocks[i].n_nodes; ++e)
                    memset(p.blocks[i].J[e], 0,
                           sizeof(double) * (size_t)(p.blocks[i].size *
                                                     pcs_model_node(m, p.blocks[i].node[e])->n_v));
            pcs_system_class.rate_tangent(m, &p.c, 1.3, p.blocks);
            pcs_model_rows_multiply(m, p.blocks, unit, column);
            for (int32_t i = 0; i < n; ++i) {
                const double f[4] = {y[0][i], y[1][i], y[2][i], y[3][i]};
                const double g[4] = {w[0][i], w[1][i], w[2][i], w[3][i]};
                probe_assert_near(A[i * n + j], 1.3 * probe_derivative(f, PROBE_STEP),
                                  PROBE_TOLERANCE, "d(M a)/dq", i, j);
                probe_assert_near(B[i * n + j], 1.3 * probe_derivative(g, PROBE_STEP),
                                  PROBE_TOLERANCE, "d(G^T lambda)/dq", i, j);
            }
            for (int32_t i = first; i < m->n_rows; ++i) {
                const double f[4] = {r[0][i], r[1][i], r[2][i], r[3][i]};
                probe_assert_near(column[i], 1.3 * probe_derivative(f, PROBE_STEP), PROBE_TOLERANCE,
                                  "d(G v - rate)/dq", i, j);
            }
        }
        probe_end(&p);
    }
}

// The normal velocity is the rate of the gap, and the convective term the rate of the velocities.
static void test_contacts(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        probe p;
        build_joined(&p, dimension);
        const pcs_model *m = p.model;
        assert_int_equal(m->n_slots, 2);
        assert_string_equal(m->slot_names.data[0], "main.rough");
        pcs_contact *contacts = pcs_model_contacts_create(p.ctx, m);
        assert_non_null(contacts);
        pcs_model_contacts(m, &p.c, true, contacts);
        double u[2][3] = {{0}}, moved[4][2][3] = {{{0}}}, gap[4][2], convective[2][3];
        for (int s = 0; s < 2; ++s) {
            pcs_contact_velocity(m, &contacts[s], p.v, u[s]);
            memcpy(convective[s], contacts[s].convective, sizeof convective[s]);
        }
        assert_int_equal(contacts[0].row.size, dimension);
        assert_int_equal(contacts[1].row.size, 1);
        assert_int_equal(contacts[1].row.n_nodes, 2); // both systems
        for (int k = 0; k < 4; ++k) {
            probe_move(&p, probe_place(k, PROBE_STEP), p.v);
            pcs_model_contacts(m, &p.c, true, contacts);
            for (int s = 0; s < 2; ++s) {
                gap[k][s] = contacts[s].gap;
                pcs_contact_velocity(m, &contacts[s], p.v, moved[k][s]);
            }
        }
        for (int s = 0; s < 2; ++s) {
            const double f[4] = {gap[0][s], gap[1][s], gap[2][s], gap[3][s]};
            probe_assert_near(u[s][0], probe_derivative(f, PROBE_STEP), PROBE_TOLERANCE, "u_N", s,
                              0);
            for (int i = 0; i < (s == 0 ? dimension : 1); ++i) {
                const double g[4] = {moved[0][s][i], moved[1][s][i], moved[2][s][i],
                                     moved[3][s][i]};
                probe_assert_near(convective[s][i], probe_derivative(g, PROBE_STEP),
                                  PROBE_TOLERANCE, "contact convective", s, i);
            }
        }
        pcs_model_contacts_destroy(p.ctx, contacts);
        probe_end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lagrange_equations),  cmocka_unit_test(test_energy_accounts),
        cmocka_unit_test(test_forces_and_tangents), cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_geometric_tangents),  cmocka_unit_test(test_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

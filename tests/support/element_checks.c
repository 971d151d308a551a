// Checks of the force terms of a whole model; see the header.
#include "support/element_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void check_tangents(probe *p, unsigned which, const char *name)
{
    const int32_t n = p->model->n_v;
    double M[PROBE_Q_MAX * PROBE_Q_MAX], A[PROBE_Q_MAX * PROBE_Q_MAX], f[4][PROBE_Q_MAX];
    for (unsigned level = CHECK_K; level <= CHECK_C; ++level) {
        if (!(which & level))
            continue;
        bool of_q = level == CHECK_K;
        probe_move(p, 0, p->v);
        probe_matrix(p, 0, 0, M);
        probe_matrix(p, of_q, !of_q, A);
        for (int32_t j = 0; j < n; ++j) {
            for (int k = 0; k < 4; ++k) {
                double s = probe_place(k, PROBE_STEP), v = p->v[j];
                if (!of_q)
                    p->v[j] += s;
                probe_nudge(p, j, of_q ? s : 0);
                pcs_model_forces(p->model, &p->c, f[k], NULL);
                p->v[j] = v;
            }
            for (int32_t i = 0; i < n; ++i) {
                const double at[4] = {f[0][i], f[1][i], f[2][i], f[3][i]};
                // Forces up to some hundreds: a hundred times the tolerance of unit quantities.
                probe_assert_near(A[i * n + j] - M[i * n + j], -probe_derivative(at, PROBE_STEP),
                                  100 * PROBE_TOLERANCE, name, of_q ? i : 100 + i, j);
            }
        }
    }
    probe_move(p, 0, p->v);
}

// Forces without damping are -dV/dq, weight included.
void check_conservative(probe *p, const char *name)
{
    double f[PROBE_Q_MAX], v[PROBE_Q_MAX];
    memcpy(v, p->v, sizeof v);
    memset(p->v, 0, sizeof p->v);
    probe_move(p, 0, p->v);
    pcs_model_forces(p->model, &p->c, f, NULL);
    for (int32_t j = 0; j < p->model->n_v; ++j) {
        double V[4];
        for (int k = 0; k < 4; ++k) {
            probe_nudge(p, j, probe_place(k, PROBE_STEP));
            V[k] = pcs_model_potential(p->model, &p->c);
        }
        probe_assert_near(f[j], -probe_derivative(V, PROBE_STEP), 100 * PROBE_TOLERANCE, name, j,
                          -1);
    }
    memcpy(p->v, v, sizeof v);
    probe_move(p, 0, p->v);
}

// d(T + V)/dt = f.v + dV/dt; what springs and weight take from the motion goes into V, the rest is
// the sum of the powers.
void check_powers(probe *p, const char *name)
{
    double f[PROBE_Q_MAX], V[4], fv = 0;
    pcs_power power = {.v = p->v};
    probe_move(p, 0, p->v);
    pcs_model_forces(p->model, &p->c, f, &power);
    for (int32_t i = 0; i < p->model->n_v; ++i)
        fv += f[i] * p->v[i];
    for (int k = 0; k < 4; ++k) {
        probe_move(p, probe_place(k, PROBE_STEP), p->v);
        V[k] = pcs_model_potential(p->model, &p->c);
    }
    double conservative = -probe_derivative(V, PROBE_STEP);
    probe_assert_near(fv, conservative + power.applied + power.actuator + power.damping,
                      1000 * PROBE_TOLERANCE, name, -2, 0);
    assert_true(power.damping <= 0);
    probe_move(p, 0, p->v);
}

// The kinetic energy is v.M v/2, and M x by multiplication is that of the matrix.
void check_mass(probe *p, const char *name)
{
    const int32_t n = p->model->n_v;
    double M[PROBE_Q_MAX * PROBE_Q_MAX], Mv[PROBE_Q_MAX], T = 0;
    probe_matrix(p, 0, 0, M);
    pcs_model_mass_multiply(p->model, &p->c, p->v, Mv);
    for (int32_t i = 0; i < n; ++i) {
        double sum = 0;
        for (int32_t j = 0; j < n; ++j)
            sum += M[i * n + j] * p->v[j];
        probe_assert_near(Mv[i], sum, CHECK_ROUNDING, name, -3, i);
        T += 0.5 * Mv[i] * p->v[i];
    }
    probe_assert_near(pcs_model_kinetic(p->model, &p->c), T, CHECK_ROUNDING, name, -4, 0);
}

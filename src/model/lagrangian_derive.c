// From the formulas of a Lagrangian system to its program. With p = dT/dv, everything by exact
// differentiation in one expression graph:
//
//   M_ij = dp_i/dv_j
//   f_i  = Q_i - dV/dq_i - dD/dv_i + dT/dq_i - sum_j dp_i/dq_j v_j - dp_i/dt
//   G    = dg/dq,  G_z = dg/dz for inputs z of other parts of the model,
//   r    = g_t + G v + G_z z'  (rate of g),   convective = r_t + sum_j r_qj v_j + sum_k r_zk z'_k
//
// and tangents as derivatives of f, of M a and of lambda.g. If M is given, f = Q - dV/dq - dD/dv.
// The energy of a system is v.M v/2 + V. What time in M, T or V and terms of T that are linear in v
// do to it, and gyroscopic terms inside a given Q, is the power
//   v.(dT/dq_i - ...) + d/dt(v.M v/2) at v' = 0 + V_t,
// which vanishes for a kinetic energy that is a quadratic form of q alone.
#include <string.h>

#include "model/builder.h"
#include "model/input.h"

// ---- Layout of the results ----

typedef struct group {
    int32_t **slots;
    int32_t count;
    pcs_system_stage stage;
} group;

enum { GROUPS_MAX = 32 };

static int32_t list_groups(pcs_system *s, group *out)
{
    const int32_t n = s->n, m = s->n_constraints, r = s->n_gap_rows, z = s->n_inputs;
    pcs_system_slots *x = &s->slots;
    const group all[] = {
        {&x->M, n * n, PCS_STAGE_MASS},
        {&x->f, n, PCS_STAGE_FORCE},
        {&x->applied, n, PCS_STAGE_POWER},
        {&x->damping, n, PCS_STAGE_POWER},
        {&x->moving, 1, PCS_STAGE_POWER},
        {&x->potential, 1, PCS_STAGE_POTENTIAL},
        {&x->g, m, PCS_STAGE_ROWS},
        {&x->G, m * n, PCS_STAGE_ROWS},
        {&x->G_z, m * z, PCS_STAGE_ROWS},
        {&x->g_t, m, PCS_STAGE_PRESCRIBED},
        {&x->g_tt, m, PCS_STAGE_PRESCRIBED},
        {&x->convective, m, PCS_STAGE_CONVECTIVE},
        {&x->gap, r, PCS_STAGE_GAPS},
        {&x->H, r * n, PCS_STAGE_GAP_ROWS},
        {&x->H_z, r * z, PCS_STAGE_GAP_ROWS},
        {&x->gap_t, r, PCS_STAGE_GAP_ROWS},
        {&x->gap_convective, r, PCS_STAGE_GAP_CONVECTIVE},
        {&x->f_q, n * n, PCS_STAGE_TANGENT},
        {&x->f_v, n * n, PCS_STAGE_TANGENT},
        {&x->f_z, n * z, PCS_STAGE_TANGENT},
        {&x->Ma_q, n * n, PCS_STAGE_MASS_TANGENT},
        {&x->Gl_q, n * n, PCS_STAGE_ROW_TANGENT},
        {&x->Gl_z, n * z, PCS_STAGE_ROW_TANGENT},
        {&x->Gl_zz, z * z, PCS_STAGE_ROW_TANGENT},
        {&x->r_q, m * n, PCS_STAGE_RATE_TANGENT},
        {&x->r_z, m * z, PCS_STAGE_RATE_TANGENT},
        {&x->point, 3 * s->n_points, PCS_STAGE_POINTS},
        {&x->point_rate, 3 * s->n_points, PCS_STAGE_POINTS},
    };
    memcpy(out, all, sizeof all);
    return (int32_t)(sizeof all / sizeof *all);
}

// Points the arrays of slots into one block; returns its length, or -1 without memory.
static int32_t make_slots(pcs_context *ctx, pcs_system *s)
{
    group groups[GROUPS_MAX];
    int32_t n = list_groups(s, groups), total = 0;
    for (int32_t i = 0; i < n; ++i)
        total += groups[i].count;
    s->slot_storage = PCS_NEW_ARRAY(ctx, int32_t, total);
    if (!s->slot_storage)
        return -1;
    int32_t *next = s->slot_storage;
    for (int32_t i = 0; i < n; ++i) {
        *groups[i].slots = next;
        next += groups[i].count;
    }
    return total;
}

// Functions write their results one behind the other.
pcs_status pcs_system_lay_out(pcs_context *ctx, pcs_system *s)
{
    int32_t total = make_slots(ctx, s);
    if (total < 0)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < total; ++i)
        s->slot_storage[i] = 1 + i;
    s->zero = 0;
    s->at_t = 1 + total;
    s->at_q = s->at_t + 1;
    s->at_v = s->at_q + s->n;
    s->at_a = s->at_v + s->n;
    s->at_l = s->at_a + s->n;
    s->at_z = s->at_l + s->n_constraints;
    s->work_size = s->at_z;
    for (int32_t i = 0; i < s->n_constraints; ++i)
        s->driven[i] = true; // it cannot be known
    return PCS_OK;
}

// ---- Terms of the formulas ----

typedef struct derivation {
    pcs_builder *builder;
    pcs_system *system;
    pcs_terms *terms;
    pcs_resolver resolver;
    pcs_system_part part; // of the formula that is read
    const char *refused;  // why a name cannot be used in it
    PCS_ARRAY(int32_t) inputs;
    pcs_term T, V, D;
    pcs_term *given, *Q, *g, *gap, *point; // as in the formulas
    pcs_term *out, *scratch;
    uint8_t *stage;
} derivation;

static int32_t variable_q(const derivation *d, int32_t i)
{
    (void)d;
    return 1 + i;
}

static int32_t variable_v(const derivation *d, int32_t i)
{
    return 1 + d->system->n + i;
}

static int32_t variable_a(const derivation *d, int32_t i)
{
    return 1 + 2 * d->system->n + i;
}

static int32_t variable_l(const derivation *d, int32_t i)
{
    return 1 + 3 * d->system->n + i;
}

// Value of input k; its rate is the next.
static int32_t variable_z(const derivation *d, int32_t k)
{
    return 1 + 3 * d->system->n + d->system->n_constraints + 2 * k;
}

static bool is_named(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && strncmp(known, name, length) == 0;
}

// Own coordinates, as "x", "x.rate" or with the system's path before; the variable or -1.
static int32_t own_name(const derivation *d, const char *name, size_t length)
{
    static const char rate[] = ".rate", prefix[] = "system.";
    const size_t tail = sizeof rate - 1, head = sizeof prefix - 1;
    const pcs_system *s = d->system;
    const size_t own = strlen(s->name);
    if (length > head + own + 1 && strncmp(name, prefix, head) == 0 &&
        strncmp(name + head, s->name, own) == 0 && name[head + own] == '.') {
        name += head + own + 1;
        length -= head + own + 1;
    }
    bool is_rate = length > tail && strncmp(name + length - tail, rate, tail) == 0;
    for (int32_t i = 0; i < s->n; ++i) {
        if (is_named(s->coordinate[i], name, length))
            return variable_q(d, i);
        if (is_rate && is_named(s->coordinate[i], name, length - tail))
            return variable_v(d, i);
    }
    return -1;
}

// What may be read where, beside the own coordinates.
static const char *refuse_input(const derivation *d, const pcs_input *input)
{
    if (d->part == PCS_SYSTEM_FORCE)
        return NULL;
    if (d->part != PCS_SYSTEM_CONSTRAINT && d->part != PCS_SYSTEM_GAP)
        return "only t, parameters and the system's own coordinates may appear; what other parts "
               "of "
               "the model do to it belongs in 'forces' or 'constraints'";
    if (!pcs_input_is_position(input))
        return "constraints and contacts depend on positions and t, not on velocities or inputs";
    return NULL;
}

static pcs_symbol resolve(void *user, const char *name, size_t length)
{
    derivation *d = user;
    const pcs_symbol unknown = {.kind = PCS_SYMBOL_UNKNOWN};
    int32_t own = own_name(d, name, length);
    if (own >= 0) {
        bool is_rate = own >= variable_v(d, 0);
        bool rates = d->part == PCS_SYSTEM_KINETIC || d->part == PCS_SYSTEM_DISSIPATION ||
                     d->part == PCS_SYSTEM_FORCE;
        if (is_rate && !rates) {
            d->refused = "it must not depend on rates";
            return unknown;
        }
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = own};
    }
    pcs_symbol symbol = pcs_builder_resolve(&d->resolver, name, length);
    if (symbol.kind != PCS_SYMBOL_VARIABLE || symbol.variable == 0)
        return symbol;
    const int32_t input = symbol.variable - 1;
    d->refused = refuse_input(d, &d->builder->model->inputs.data[input]);
    if (d->refused)
        return unknown;
    int32_t k = 0;
    while (k < d->inputs.count && d->inputs.data[k] != input)
        ++k;
    if (k == d->inputs.count && !PCS_PUSH(d->builder->ctx, &d->inputs, input))
        d->resolver.failed = true;
    return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = variable_z(d, k)};
}

static const char *part_name(const pcs_system *s, const pcs_system_formula *f, const char **owner)
{
    *owner = NULL;
    switch (f->part) {
    case PCS_SYSTEM_KINETIC:
        return "kinetic";
    case PCS_SYSTEM_MASS:
        return "mass";
    case PCS_SYSTEM_POTENTIAL:
        return "potential";
    case PCS_SYSTEM_DISSIPATION:
        return "dissipation";
    case PCS_SYSTEM_FORCE:
        *owner = s->coordinate[f->index];
        return "force of";
    case PCS_SYSTEM_CONSTRAINT:
        *owner = s->constraint[f->index];
        return "constraint";
    case PCS_SYSTEM_GAP:
        for (int32_t i = 0; i < s->n_gaps; ++i)
            if (f->index >= s->gap[i].first && f->index < s->gap[i].first + s->gap[i].size)
                *owner = s->gap[i].name;
        return "contact";
    case PCS_SYSTEM_POINT:
    case PCS_SYSTEM_PART_COUNT:
        break;
    }
    *owner = s->point[f->index / 3];
    return "point";
}

static pcs_term *part_terms(derivation *d, pcs_system_part part)
{
    switch (part) {
    case PCS_SYSTEM_KINETIC:
        return &d->T;
    case PCS_SYSTEM_MASS:
        return d->given;
    case PCS_SYSTEM_POTENTIAL:
        return &d->V;
    case PCS_SYSTEM_DISSIPATION:
        return &d->D;
    case PCS_SYSTEM_FORCE:
        return d->Q;
    case PCS_SYSTEM_CONSTRAINT:
        return d->g;
    case PCS_SYSTEM_GAP:
        return d->gap;
    case PCS_SYSTEM_POINT:
    case PCS_SYSTEM_PART_COUNT:
        break;
    }
    return d->point;
}

static pcs_status read_formula(derivation *d, const pcs_system_formula *f)
{
    pcs_context *ctx = d->builder->ctx;
    pcs_term *term = &part_terms(d, f->part)[f->index];
    if (!f->text) {
        *term = pcs_terms_number(d->terms, f->number);
        return PCS_OK;
    }
    d->part = f->part;
    d->refused = NULL;
    const char *owner, *what = part_name(d->system, f, &owner);
    pcs_status status = pcs_terms_parse(d->terms, f->text, resolve, d, term);
    if (d->resolver.failed)
        return pcs_error(ctx, PCS_ERROR_MEMORY, "out of memory");
    if (status >= 0)
        return status;
    const char *open = owner ? " '" : "", *close = owner ? "'" : "";
    if (d->refused)
        return pcs_error(ctx, PCS_ERROR_MODEL, "system '%s': %s%s%s%s: \"%s\": %s", d->system->name,
                         what, open, owner ? owner : "", close, f->text, d->refused);
    return pcs_error_prefix(ctx, status, "system '%s': %s%s%s%s: \"%s\"", d->system->name, what,
                            open, owner ? owner : "", close, f->text);
}

static pcs_status read_formulas(derivation *d)
{
    const pcs_system *s = d->system;
    pcs_context *ctx = d->builder->ctx;
    d->given = PCS_NEW_ARRAY(ctx, pcs_term, s->n * s->n);
    d->Q = PCS_NEW_ARRAY(ctx, pcs_term, s->n);
    d->g = PCS_NEW_ARRAY(ctx, pcs_term, s->n_constraints);
    d->gap = PCS_NEW_ARRAY(ctx, pcs_term, s->n_gap_rows);
    d->point = PCS_NEW_ARRAY(ctx, pcs_term, 3 * s->n_points);
    if (!d->given || !d->Q || !d->g || !d->gap || !d->point)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < s->formulas.count; ++i)
        PCS_TRY(read_formula(d, &s->formulas.data[i]));
    return PCS_OK;
}

// ---- Derivatives ----

// The terms that go to a group of slots.
static pcs_term *terms_of(const derivation *d, const int32_t *slots)
{
    return d->out + (slots - d->system->slot_storage);
}

// out[i * stride] = d of[i] / d variable
static void differentiate(derivation *d, int32_t n, const pcs_term *of, int32_t variable,
                          pcs_term *out, int32_t stride)
{
    if (n == 0)
        return;
    pcs_terms_differentiate(d->terms, n, of, variable, d->scratch);
    for (int32_t i = 0; i < n; ++i)
        out[i * stride] = d->scratch[i];
}

static void add_product(derivation *d, pcs_term *sum, pcs_term a, pcs_term b)
{
    *sum = pcs_terms_add(d->terms, *sum, pcs_terms_multiply(d->terms, a, b));
}

static void subtract_product(derivation *d, pcs_term *sum, pcs_term a, pcs_term b)
{
    *sum = pcs_terms_subtract(d->terms, *sum, pcs_terms_multiply(d->terms, a, b));
}

static pcs_term V_of(derivation *d, int32_t i)
{
    return pcs_terms_variable(d->terms, variable_v(d, i));
}

static pcs_status check_quadratic(derivation *d, const pcs_term *M)
{
    const pcs_system *s = d->system;
    const int32_t n = s->n, first = variable_v(d, 0);
    if (!pcs_terms_contain(d->terms, n * n, M, first, first + n, NULL))
        return PCS_OK;
    int32_t i = 0, which = first;
    while (!pcs_terms_contain(d->terms, 1, &M[i], first, first + n, &which) && i < n * n - 1)
        ++i;
    return pcs_error(
        d->builder->ctx, PCS_ERROR_MODEL,
        "system '%s': the kinetic energy is not a quadratic function of the rates: "
        "d2T/d(%s.rate)d(%s.rate) depends on %s.rate; write it as a sum of products of "
        "rates, or give 'mass' and 'force'",
        s->name, s->coordinate[i / n], s->coordinate[i % n], s->coordinate[which - first]);
}

// M and the terms of T in f.
static pcs_status derive_kinetic(derivation *d)
{
    pcs_system *s = d->system;
    const int32_t n = s->n;
    pcs_term *M = terms_of(d, s->slots.M), *f = terms_of(d, s->slots.f);
    if (s->has_mass) {
        memcpy(M, d->given, sizeof *M * (size_t)(n * n));
        return PCS_OK;
    }
    pcs_term *p = PCS_NEW_ARRAY(d->builder->ctx, pcs_term, 2 * n);
    if (!p)
        return PCS_ERROR_MEMORY;
    pcs_term *p_q = p + n;
    for (int32_t i = 0; i < n; ++i)
        differentiate(d, 1, &d->T, variable_v(d, i), &p[i], 1);
    for (int32_t j = 0; j < n; ++j)
        differentiate(d, n, p, variable_v(d, j), M + j, n);
    for (int32_t i = 0; i < n; ++i)
        differentiate(d, 1, &d->T, variable_q(d, i), &f[i], 1);
    for (int32_t j = 0; j < n; ++j) {
        differentiate(d, n, p, variable_q(d, j), p_q, 1);
        for (int32_t i = 0; i < n; ++i)
            subtract_product(d, &f[i], p_q[i], V_of(d, j));
    }
    differentiate(d, n, p, 0, p_q, 1);
    for (int32_t i = 0; i < n; ++i)
        f[i] = pcs_terms_subtract(d->terms, f[i], p_q[i]);
    pcs_free(d->builder->ctx, p);
    return check_quadratic(d, M);
}

// All of f, the parts that the accounts need, and the power of moving parts.
static void derive_force(derivation *d)
{
    pcs_system *s = d->system;
    const int32_t n = s->n;
    const pcs_system_slots *x = &s->slots;
    pcs_term *f = terms_of(d, x->f), *applied = terms_of(d, x->applied), slope;
    pcs_term *damping = terms_of(d, x->damping), *M = terms_of(d, x->M);
    pcs_term *moving = terms_of(d, x->moving), energy = PCS_TERM_ZERO;
    for (int32_t i = 0; i < n; ++i) {
        add_product(d, moving, V_of(d, i), f[i]);
        pcs_term momentum = PCS_TERM_ZERO;
        for (int32_t j = 0; j < n; ++j)
            add_product(d, &momentum, M[i * n + j], V_of(d, j));
        add_product(d, &energy, V_of(d, i), momentum);
    }
    energy = pcs_terms_multiply(d->terms, pcs_terms_number(d->terms, 0.5), energy);
    for (int32_t j = 0; j < n; ++j) {
        differentiate(d, 1, &energy, variable_q(d, j), &slope, 1);
        add_product(d, moving, slope, V_of(d, j));
    }
    energy = pcs_terms_add(d->terms, energy, d->V);
    differentiate(d, 1, &energy, 0, &slope, 1);
    *moving = pcs_terms_add(d->terms, *moving, slope);
    for (int32_t i = 0; i < n; ++i) {
        applied[i] = d->Q[i];
        differentiate(d, 1, &d->D, variable_v(d, i), &slope, 1);
        damping[i] = pcs_terms_subtract(d->terms, PCS_TERM_ZERO, slope);
        f[i] = pcs_terms_add(d->terms, f[i], d->Q[i]);
        f[i] = pcs_terms_subtract(d->terms, f[i], slope);
        differentiate(d, 1, &d->V, variable_q(d, i), &slope, 1);
        f[i] = pcs_terms_subtract(d->terms, f[i], slope);
    }
    *terms_of(d, x->potential) = d->V;
}

static pcs_status derive_tangents(derivation *d)
{
    pcs_system *s = d->system;
    const int32_t n = s->n;
    const pcs_system_slots *x = &s->slots;
    pcs_term *f = terms_of(d, x->f), *M = terms_of(d, x->M), *Ma_q = terms_of(d, x->Ma_q);
    for (int32_t j = 0; j < n; ++j) {
        differentiate(d, n, f, variable_q(d, j), terms_of(d, x->f_q) + j, n);
        differentiate(d, n, f, variable_v(d, j), terms_of(d, x->f_v) + j, n);
    }
    for (int32_t k = 0; k < s->n_inputs; ++k)
        differentiate(d, n, f, variable_z(d, k), terms_of(d, x->f_z) + k, s->n_inputs);
    pcs_term *Ma = PCS_NEW_ARRAY(d->builder->ctx, pcs_term, n);
    if (!Ma)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n * n; ++i)
        add_product(d, &Ma[i / n], M[i], pcs_terms_variable(d->terms, variable_a(d, i % n)));
    for (int32_t j = 0; j < n; ++j)
        differentiate(d, n, Ma, variable_q(d, j), Ma_q + j, n);
    pcs_free(d->builder->ctx, Ma);
    return PCS_OK;
}

typedef struct row_terms {
    const pcs_term *value; // m
    pcs_term *J, *J_z, *t, *convective;
    pcs_term *r_q, *r_z; // or NULL
} row_terms;

// First and second derivatives of constraints or of gaps along the motion.
static pcs_status derive_rows(derivation *d, int32_t m, const row_terms *rows)
{
    const int32_t n = d->system->n, z = d->system->n_inputs;
    pcs_term *rate = PCS_NEW_ARRAY(d->builder->ctx, pcs_term, 2 * m);
    if (!rate)
        return PCS_ERROR_MEMORY;
    pcs_term *slope = rate + m;
    differentiate(d, m, rows->value, 0, rows->t, 1);
    memcpy(rate, rows->t, sizeof *rate * (size_t)m);
    for (int32_t j = 0; j < n; ++j) {
        differentiate(d, m, rows->value, variable_q(d, j), rows->J + j, n);
        for (int32_t i = 0; i < m; ++i)
            add_product(d, &rate[i], rows->J[i * n + j], V_of(d, j));
    }
    for (int32_t k = 0; k < z; ++k) {
        differentiate(d, m, rows->value, variable_z(d, k), rows->J_z + k, z);
        for (int32_t i = 0; i < m; ++i)
            add_product(d, &rate[i], rows->J_z[i * z + k],
                        pcs_terms_variable(d->terms, variable_z(d, k) + 1));
    }
    differentiate(d, m, rate, 0, rows->convective, 1);
    for (int32_t j = 0; j < n + z; ++j) {
        int32_t of = j < n ? variable_q(d, j) : variable_z(d, j - n);
        int32_t speed = j < n ? variable_v(d, j) : variable_z(d, j - n) + 1;
        differentiate(d, m, rate, of, slope, 1);
        for (int32_t i = 0; i < m; ++i)
            add_product(d, &rows->convective[i], slope[i], pcs_terms_variable(d->terms, speed));
        for (int32_t i = 0; i < m && rows->r_q; ++i)
            *(j < n ? &rows->r_q[i * n + j] : &rows->r_z[i * z + j - n]) = slope[i];
    }
    pcs_free(d->builder->ctx, rate);
    return PCS_OK;
}

// Second derivatives of lambda.g.
static pcs_status derive_row_tangents(derivation *d)
{
    pcs_system *s = d->system;
    const pcs_system_slots *x = &s->slots;
    const int32_t n = s->n, m = s->n_constraints, z = s->n_inputs;
    pcs_term sum = PCS_TERM_ZERO;
    for (int32_t i = 0; i < m; ++i)
        add_product(d, &sum, pcs_terms_variable(d->terms, variable_l(d, i)), d->g[i]);
    pcs_term *slope = PCS_NEW_ARRAY(d->builder->ctx, pcs_term, n + z);
    if (!slope)
        return PCS_ERROR_MEMORY;
    for (int32_t j = 0; j < n; ++j)
        differentiate(d, 1, &sum, variable_q(d, j), &slope[j], 1);
    for (int32_t k = 0; k < z; ++k)
        differentiate(d, 1, &sum, variable_z(d, k), &slope[n + k], 1);
    for (int32_t j = 0; j < n; ++j)
        differentiate(d, n, slope, variable_q(d, j), terms_of(d, x->Gl_q) + j, n);
    for (int32_t k = 0; k < z; ++k) {
        differentiate(d, n, slope, variable_z(d, k), terms_of(d, x->Gl_z) + k, z);
        differentiate(d, z, slope + n, variable_z(d, k), terms_of(d, x->Gl_zz) + k, z);
    }
    pcs_free(d->builder->ctx, slope);
    return PCS_OK;
}

static void derive_points(derivation *d)
{
    const int32_t n = 3 * d->system->n_points;
    pcs_term *rate = terms_of(d, d->system->slots.point_rate);
    differentiate(d, n, d->point, 0, rate, 1);
    for (int32_t j = 0; j < d->system->n && n > 0; ++j) {
        pcs_terms_differentiate(d->terms, n, d->point, variable_q(d, j), d->scratch);
        for (int32_t i = 0; i < n; ++i)
            add_product(d, &rate[i], d->scratch[i], V_of(d, j));
    }
}

static pcs_status derive_all(derivation *d)
{
    pcs_system *s = d->system;
    const pcs_system_slots *x = &s->slots;
    const int32_t m = s->n_constraints, r = s->n_gap_rows;
    PCS_TRY(derive_kinetic(d));
    derive_force(d);
    PCS_TRY(derive_tangents(d));
    memcpy(terms_of(d, x->g), d->g, sizeof(pcs_term) * (size_t)m);
    memcpy(terms_of(d, x->gap), d->gap, sizeof(pcs_term) * (size_t)r);
    memcpy(terms_of(d, x->point), d->point, sizeof(pcs_term) * (size_t)(3 * s->n_points));
    derive_points(d);
    PCS_TRY(derive_rows(d, m,
                        &(row_terms){d->g, terms_of(d, x->G), terms_of(d, x->G_z),
                                     terms_of(d, x->g_t), terms_of(d, x->convective),
                                     terms_of(d, x->r_q), terms_of(d, x->r_z)}));
    PCS_TRY(derive_rows(d, r,
                        &(row_terms){d->gap, terms_of(d, x->H), terms_of(d, x->H_z),
                                     terms_of(d, x->gap_t), terms_of(d, x->gap_convective), NULL,
                                     NULL}));
    differentiate(d, m, terms_of(d, x->g_t), 0, terms_of(d, x->g_tt), 1);
    for (int32_t i = 0; i < m; ++i)
        s->driven[i] = pcs_terms_contain(d->terms, 1, &d->g[i], 0, 1, NULL);
    return derive_row_tangents(d);
}

// ---- The program ----

static pcs_status compile(derivation *d, int32_t total)
{
    pcs_system *s = d->system;
    group groups[GROUPS_MAX];
    int32_t n_groups = list_groups(s, groups);
    for (int32_t i = 0; i < n_groups; ++i)
        memset(d->stage + (*groups[i].slots - s->slot_storage), (int)groups[i].stage,
               (size_t)groups[i].count);
    PCS_TRY(pcs_program_compile(d->terms, total, d->out, d->stage, variable_z(d, s->n_inputs),
                                &s->program));
    memcpy(s->slot_storage, pcs_program_outputs(s->program), sizeof(int32_t) * (size_t)total);
    s->zero = pcs_program_zero(s->program);
    s->at_t = pcs_program_variable(s->program, 0);
    s->at_q = pcs_program_variable(s->program, variable_q(d, 0));
    s->at_v = pcs_program_variable(s->program, variable_v(d, 0));
    s->at_a = pcs_program_variable(s->program, variable_a(d, 0));
    s->at_l = pcs_program_variable(s->program, variable_l(d, 0));
    s->at_z = pcs_program_variable(s->program, variable_z(d, 0));
    s->work_size = pcs_program_slots(s->program);
    return PCS_OK;
}

static pcs_status derive(derivation *d)
{
    pcs_system *s = d->system;
    pcs_context *ctx = d->builder->ctx;
    PCS_TRY(pcs_terms_create(ctx, &d->terms));
    PCS_TRY(read_formulas(d));
    s->n_inputs = d->inputs.count;
    s->input = PCS_NEW_ARRAY(ctx, int32_t, s->n_inputs);
    int32_t total = make_slots(ctx, s),
            most = s->n + s->n_constraints + s->n_gap_rows + 3 * s->n_points;
    if (!s->input || total < 0)
        return PCS_ERROR_MEMORY;
    if (s->n_inputs > 0)
        memcpy(s->input, d->inputs.data, sizeof *s->input * (size_t)s->n_inputs);
    d->out = PCS_NEW_ARRAY(ctx, pcs_term, total);
    d->stage = PCS_NEW_ARRAY(ctx, uint8_t, total);
    d->scratch = PCS_NEW_ARRAY(ctx, pcs_term, most + s->n_inputs + 1);
    if (!d->out || !d->stage || !d->scratch)
        return PCS_ERROR_MEMORY;
    PCS_TRY(derive_all(d));
    return compile(d, total);
}

pcs_status pcs_system_derive(pcs_builder *builder, int32_t k)
{
    pcs_context *ctx = builder->ctx;
    derivation d = {.builder = builder,
                    .system = &builder->model->systems.data[k],
                    .resolver = {.builder = builder}};
    pcs_status status = derive(&d);
    pcs_terms_destroy(d.terms);
    PCS_ARRAY_FREE(ctx, &d.inputs);
    void *arrays[] = {d.given, d.Q, d.g, d.gap, d.point, d.out, d.stage, d.scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    return status;
}

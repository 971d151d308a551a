// Tangential displacement of contacts over a step.
//
// A material point of b on a face that is fixed to a has, in the axes of frame a,
//   g_T = T . (d_to - d_from),   d = R_a^T (point_b - x_a),   T = R_a^T t      [Galvez2020, 4.1]
// exactly. Where the touching point travels over both bodies (spheres, rims, curves) the
// displacement is the integral of u_T; the mean of the rows at both ends times q_to [-] q_from has
// an error of order 3 in the step. A driven surface adds the integral of its speed by the
// trapezoidal rule. Formulas of a system give tangential displacements themselves.
#include <math.h>
#include <string.h>

#include "model/contact_pair.h"
#include "model/model.h"
#include "model/surface_contact.h"

// Whether the kind has a material point of b against a face fixed to a.
static bool is_point_on_face(const pcs_contact_pair *pair, const pcs_contact *from,
                             const pcs_contact *to)
{
    switch (pair->kind) {
    case PCS_CONTACT_POINT_PLANE:
    case PCS_CONTACT_BOX_PLANE:
    case PCS_CONTACT_SLIDER_GUIDE:
        return true;
    case PCS_CONTACT_POINT_POLYLINE:
        return from->face == to->face && to->face >= 0;
    default:
        return false;
    }
}

// slip += s H_T (q_to [-] q_from) with the tangential rows of one contact
static void add_rows(const pcs_model *model, const pcs_configuration *from,
                     const pcs_configuration *to, const pcs_contact *contact, double s,
                     double *slip)
{
    const pcs_row_block *row = &contact->row;
    for (int32_t k = 0; k < row->n_nodes; k++) {
        const pcs_node *node = pcs_model_node(model, row->node[k]);
        const double *q2 = to->q + node->q, *q1 = from->q + node->q;
        double d[PCS_NODE_V_MAX];
        if (memcmp(q2, q1, sizeof(double) * (size_t)node->n_q) == 0)
            continue; // at rest: the logarithm of a rotation would leave rounding
        if (node->kind != PCS_NODE_VECTOR)
            pcs_node_difference(node->kind, q2, q1, d);
        for (int32_t i = 1; i < row->size; i++)
            for (int32_t j = 0; j < node->n_v; j++)
                slip[i - 1] += s * row->J[k][i * node->n_v + j] *
                               (node->kind == PCS_NODE_VECTOR ? q2[j] - q1[j] : d[j]);
    }
}

void pcs_contact_slip_by_rows(const pcs_model *model, const pcs_configuration *from,
                              const pcs_contact *at_from, const pcs_configuration *to,
                              const pcs_contact *at_to, double *slip)
{
    bool both = isfinite(at_from->gap) && isfinite(at_to->gap) &&
                at_from->row.size == at_to->row.size;
    add_rows(model, from, to, at_to, both ? 0.5 : 1.0, slip);
    if (both)
        add_rows(model, from, to, at_from, 0.5, slip);
}

void pcs_contact_slip_of_surface(const pcs_configuration *from, const pcs_contact *at_from,
                                 const pcs_configuration *to, const pcs_contact *at_to,
                                 double *slip)
{
    double half = 0.5 * (to->t - from->t);
    for (int32_t i = 1; i < at_to->row.size; i++)
        slip[i - 1] += half * (at_from->surface[i] + at_to->surface[i]);
}

static void slip_of_pair(const pcs_model *model, const pcs_configuration *from,
                         const pcs_contact *at_from, const pcs_configuration *to,
                         const pcs_contact *at_to, const pcs_contact_pair *pair, double *slip)
{
    if (pair->row_size == 1 || pair->copy_of >= 0)
        return;
    pcs_placement a0 = pcs_contact_place(from, &pair->pair.a);
    pcs_placement a1 = pcs_contact_place(to, &pair->pair.a);
    for (int32_t i = 0; i < pair->n_slots; i++, slip += 2) {
        const pcs_contact *first = &at_from[i], *last = &at_to[i];
        if (is_point_on_face(pair, first, last)) {
            pcs_vec3 d0 = pcs_m3_tmul_v3(&a0.R, pcs_v3_sub(first->point, a0.x));
            pcs_vec3 d1 = pcs_m3_tmul_v3(&a1.R, pcs_v3_sub(last->point, a1.x));
            pcs_vec3 way = pcs_m3_mul_v3(&a1.R, pcs_v3_sub(d1, d0));
            slip[0] = pcs_v3_dot(last->tangent1, way);
            if (pair->row_size > 2)
                slip[1] = pcs_v3_dot(last->tangent2, way);
        } else {
            pcs_contact_slip_by_rows(model, from, first, to, last, slip);
        }
        pcs_contact_slip_of_surface(from, first, to, last, slip);
    }
}

static void slip_of_systems(const pcs_model *model, const pcs_configuration *from,
                            const pcs_configuration *to, double *slip)
{
    const uint32_t gaps = UINT32_C(1) << PCS_STAGE_GAPS;
    for (int32_t k = 0; k < model->systems.count; k++) {
        const pcs_system *s = &model->systems.data[k];
        if (s->n_gaps == 0)
            continue;
        const double *w0 = pcs_system_evaluate(model, from, k, gaps);
        const double *w1 = pcs_system_evaluate(model, to, k, gaps);
        for (int32_t i = 0; i < s->n_gaps; i++) {
            const pcs_system_gap *gap = &s->gap[i];
            const int32_t *value = s->slots.gap + gap->first;
            for (int32_t j = 1; j < gap->used; j++)
                slip[2 * gap->slot + j - 1] = w1[value[j]] - w0[value[j]];
        }
    }
}

void pcs_model_contacts_slip(const pcs_model *model, const pcs_configuration *from,
                             const pcs_contact *at_from, const pcs_configuration *to,
                             const pcs_contact *at_to, double *slip)
{
    memset(slip, 0, sizeof(double) * 2 * (size_t)model->n_slots);
    for (int32_t i = 0; i < model->contact_pairs.count; i++) {
        const pcs_contact_pair *pair = &model->contact_pairs.data[i];
        slip_of_pair(model, from, at_from + pair->first_slot, to, at_to + pair->first_slot, pair,
                     slip + 2 * pair->first_slot);
    }
    slip_of_systems(model, from, to, slip);
    pcs_surface_contacts_slip(model, from, at_from, to, at_to, slip);
}

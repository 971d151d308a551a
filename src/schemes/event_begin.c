// The beginning of a phase: positions and velocities on the rows of its joints and closed contacts, the
// march, and what counts as rounding in it.
#include <string.h>

#include "schemes/event_driven.h"

void pcs_ed_look_here(event_driven *s)
{
    pcs_smooth_point here = s->march->to;
    here.q = s->q;
    here.v = s->v;
    pcs_ed_look(s, &here, true);
}

// A contact that slides in space too slowly to have a direction of its own: its slip begins.
static bool begins_to_slip(const event_driven *s, int32_t slot)
{
    const pcs_contact *contact = &s->contacts[slot];
    double u[3];
    if (s->phase.mode[slot] != PCS_MODE_SLIDE || contact->row.size != 3 ||
        contact->law.friction == 0)
        return false;
    pcs_contact_velocity(s->base.model, contact, s->v, u);
    return !(hypot(u[1], u[2]) > s->base.options[ED_VELOCITY_TOLERANCE]);
}

// A slip that begins in space has no velocity, and its direction is that of the forces. The
// projection of the new phase does not hold the tangents and would give it one made of the drift of
// the joints, which friction would follow: the velocities are projected with the tangents first.
static pcs_status hold_beginning_slips(event_driven *s, double t)
{
    const pcs_model *model = s->base.model;
    pcs_phase *held = &s->march->phase; // of the march, which takes the new one next
    bool any = false;
    pcs_phase_copy(model, held, &s->phase);
    for (int32_t i = 0; i < model->n_slots; ++i)
        if (begins_to_slip(s, i)) {
            held->mode[i] = PCS_MODE_STICK;
            any = true;
        }
    if (!any)
        return PCS_OK;
    PCS_TRY(pcs_smooth_set_phase(s->march->smooth, held));
    return pcs_smooth_project(s->march->smooth, t, s->q, s->v,
                              s->base.options[ED_PROJECTION_TOLERANCE], false, true);
}

// Velocities on the rows of the new phase and, if asked for, positions. Contacts that hold each other,
// a row of bodies from wall to wall, all touch within gap_tolerance, but there need not be a place in
// which all their gaps vanish: the phase holds closed contacts at the gaps that are left.
static pcs_status project_phase(event_driven *s, double t, bool positions)
{
    const pcs_model *model = s->base.model;
    pcs_smooth *smooth = s->march->smooth;
    const double tolerance = s->base.options[ED_PROJECTION_TOLERANCE];
    memset(s->phase.gap, 0, sizeof(double) * (size_t)model->n_slots);
    PCS_TRY(pcs_smooth_set_phase(smooth, &s->phase));
    pcs_smooth_project_to_rounding(smooth, positions);
    pcs_status status = pcs_smooth_project(smooth, t, s->q, s->v, tolerance, positions, true);
    pcs_smooth_project_to_rounding(smooth, false);
    if (status == PCS_NOT_CONVERGED)
        status = pcs_smooth_project(smooth, t, s->q, s->v, tolerance, false, true);
    pcs_ed_look_here(s);
    if (!positions || status < 0)
        return status;
    for (int32_t i = 0; i < model->n_slots; ++i)
        s->phase.gap[i] = s->phase.mode[i] == PCS_MODE_OPEN ? 0 : s->contacts[i].gap;
    return pcs_smooth_set_phase(smooth, &s->phase);
}

pcs_status pcs_ed_begin(event_driven *s, double t)
{
    const pcs_model *model = s->base.model;
    pcs_march *march = s->march;
    double most = 0;
    // A method of index 3 puts the positions on the constraints in its first step: what they are off
    // would be an error of that step at any length, and its multipliers would have it over h^2.
    const bool index_3 = march->opts.class->index == 3;
    bool closed = model->n_faces > model->n_slots || index_3, off = index_3;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        if (s->phase.mode[i] == PCS_MODE_OPEN)
            continue;
        closed = true;
        off = off || fabs(s->contacts[i].gap) > s->base.options[ED_GAP_TOLERANCE];
    }
    if (closed) { // the velocities of closed contacts are zero to a tolerance so far
        pcs_ed_look_here(s);
        s->work_base[PCS_WORK_IMPACT] -= pcs_model_kinetic(model, &s->c);
        PCS_TRY(hold_beginning_slips(s, t));
        PCS_TRY(project_phase(s, t, off));
        s->work_base[PCS_WORK_IMPACT] += pcs_model_kinetic(model, &s->c);
    }
    for (int32_t i = 0; i < PCS_WORK_COUNT; ++i)
        s->work_base[i] += march->to.work[i];
    PCS_TRY(pcs_march_begin(march, &s->phase, t, s->q, s->v, true));
    for (int32_t i = 0; i < PCS_WORK_COUNT; ++i)
        s->work_base[i] -= march->to.work[i];
    s->has_step = false;
    // Statically indeterminate contacts: rows that depend on others beyond those of the joints.
    const int32_t rows = pcs_smooth_row_count(march->smooth);
    const uint8_t *redundant = pcs_smooth_redundant(march->smooth);
    const uint8_t *of_joints = pcs_saddle_redundant_rows(s->saddle);
    int32_t surplus = 0;
    for (int32_t i = 0; closed && i < rows; ++i)
        surplus += redundant[i] != 0;
    for (int32_t i = 0; closed && i < model->n_rows; ++i)
        surplus -= of_joints[i] != 0;
    s->indeterminate = surplus > 0;
    const double noise = 1e-11; // rounding of a solve, of forces relative to the largest
    pcs_model_forces(model, &s->c, s->f, NULL);
    for (int32_t i = 0; i < model->n_v; ++i)
        most = fmax(most, fabs(s->f[i]));
    for (int32_t i = 0; i < rows; ++i)
        most = fmax(most, fabs(march->to.lambda[i]));
    s->force_noise = noise * most;
    for (int32_t i = 0; i < model->n_v; ++i)
        s->force_noise = fmax(s->force_noise, s->rounding[i]);
    const double position_noise = 1e-14; // some forty roundings of the coordinates
    most = 1;
    for (int32_t i = 0; i < model->n_q; ++i)
        most = fmax(most, fabs(march->to.q[i]));
    s->gap_noise = position_noise * most;
    return PCS_OK;
}

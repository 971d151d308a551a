// What the outside sees of the present state: bodies, joints, contacts.
#include <string.h>

#include "model/joint.h"
#include "simulation/simulation.h"

const pcs_present *pcs_simulation_present(const pcs_simulation *s, bool contacts)
{
    pcs_present *now = s->present;
    if (!now->configuration_valid) {
        pcs_configuration_update(s->model, &now->c, *s->state.t, s->state.q, s->state.v,
                                 s->state.turns, s->state.external);
        now->configuration_valid = true;
    }
    if (contacts && !now->contacts_valid) {
        pcs_model_contacts(s->model, &now->c, true, now->contacts); // with tangents
        now->contacts_valid = true;
    }
    return now;
}

// Point i of all systems' points, as a body that does not turn.
static void view_point(const pcs_simulation *s, const pcs_present *now, int32_t i,
                       pcs_body_view *view)
{
    int32_t k = 0;
    for (; i >= s->model->systems.data[k].n_points; ++k)
        i -= s->model->systems.data[k].n_points;
    *view = (pcs_body_view){.rotation = {1, 0, 0, 0}};
    pcs_system_point(s->model, &now->c, k, i, &view->position, &view->velocity);
}

void pcs_simulation_body(const pcs_simulation *s, pcs_body_id id, pcs_body_view *view)
{
    *view = (pcs_body_view){0};
    if (id < 0 || id >= pcs_model_place_count(s->model))
        return;
    const pcs_present *now = pcs_simulation_present(s, false);
    if (id >= s->model->bodies.count) {
        view_point(s, now, id - s->model->bodies.count, view);
        return;
    }
    const pcs_body *body = &s->model->bodies.data[id];
    const pcs_node *node = pcs_model_node(s->model, body->node);
    const pcs_pose *pose = &now->c.pose[body->node];
    const pcs_twist *twist = &now->c.twist[body->node];
    const double *q = s->state.q + node->q;
    pcs_vec3 arm = pcs_v3_scale(-1, pcs_m3_mul_v3(&pose->R, body->center));
    *view = (pcs_body_view){
        .position = pcs_v3_add(pose->x, arm),
        .rotation = {1, 0, 0, 0},
        .velocity = pcs_v3_add(twist->v, pcs_v3_cross(twist->w, arm)),
        .angular_velocity = twist->w,
    };
    if (node->kind == PCS_NODE_PLANAR) {
        view->angle = q[2];
        view->rotation = (pcs_quat){cos(0.5 * q[2]), 0, 0, sin(0.5 * q[2])};
    }
    if (node->kind == PCS_NODE_SPATIAL)
        view->rotation = (pcs_quat){q[3], q[4], q[5], q[6]};
}

void pcs_simulation_joint(const pcs_simulation *s, pcs_joint_id id, pcs_joint_view *view)
{
    *view = (pcs_joint_view){0};
    if (!PCS_HAS(&s->model->joints, id))
        return;
    const pcs_present *now = pcs_simulation_present(s, false);
    const pcs_joint *joint = &s->model->joints.data[id];
    pcs_pair_state pair = pcs_joint_pair(s->model, &now->c, joint);
    for (int32_t i = 0; i < joint->n_coordinates; ++i) {
        const pcs_coordinate *x = &joint->coordinate[i];
        pcs_rate_form form = pcs_coordinate_rate_form(x, &pair);
        view->coordinate[i] = pcs_coordinate_value(x, &pair,
                                                   x->turn >= 0 ? s->state.turns[x->turn] : 0);
        view->rate[i] = pcs_coordinate_rate(&form, &pair);
    }
    if (!(*s->state.h > 0))
        return;
    // Sum of the row forces on b: force and moment about b's node, moved to the origin of frame a.
    pcs_vec3 moment = {0, 0, 0};
    for (int32_t i = 0; i < joint->n_rows; ++i) {
        pcs_rate_form form;
        double lambda = s->state.lambda[joint->first_row + i];
        pcs_joint_row(joint, i, &now->c, &pair, &form, NULL);
        view->force = pcs_v3_axpy(view->force, lambda, form.d_b);
        moment = pcs_v3_axpy(moment, lambda, form.w_b);
    }
    pcs_vec3 from_a = pcs_v3_sub(pair.d, pair.s_b); // from a's origin to b's node
    view->torque = pcs_v3_add(moment, pcs_v3_cross(from_a, view->force));
}

void pcs_simulation_system(const pcs_simulation *s, pcs_system_id id, pcs_system_view *view)
{
    *view = (pcs_system_view){0};
    if (!PCS_HAS(&s->model->systems, id))
        return;
    const pcs_node *node = pcs_model_node(s->model, s->model->systems.data[id].node);
    *view = (pcs_system_view){s->state.q + node->q, s->state.v + node->v, s->state.a + node->v};
}

double pcs_simulation_constraint_force(const pcs_simulation *s, pcs_system_id id,
                                       int32_t constraint)
{
    if (!pcs_model_system_constraint(s->model, id, constraint))
        return NAN;
    return *s->state.h > 0 ? s->state.lambda[s->model->systems.data[id].row[constraint]] : 0;
}

int32_t pcs_simulation_stand_in(const pcs_simulation *s, int32_t slot)
{
    return s->model->stand_in ? s->model->stand_in[slot] : slot;
}

// Slots of a contact given several times carry equal parts.
static double part_of(const pcs_simulation *s, const double *of_slots, int32_t slot,
                      int32_t component)
{
    const double all = of_slots[3 * pcs_simulation_stand_in(s, slot) + component];
    return s->model->times_given ? all / s->model->times_given[slot] : all;
}

double pcs_simulation_contact_impulse(const pcs_simulation *s, int32_t slot, int32_t component)
{
    return part_of(s, s->state.impulse, slot, component);
}

static double force_now(const pcs_simulation *s, int32_t slot, int32_t component)
{
    return *s->state.h > 0 ? part_of(s, s->state.force, slot, component) : 0;
}

double pcs_simulation_contact_force(const pcs_simulation *s, int32_t slot, int32_t component)
{
    const double time = *s->state.frame;
    return time > 0 ? pcs_simulation_contact_impulse(s, slot, component) / time
                    : force_now(s, slot, component);
}

double pcs_simulation_contact_load(const pcs_simulation *s, int32_t slot, int32_t component)
{
    const double time = *s->state.frame;
    const double impacts = part_of(s, s->state.impact, slot, component);
    return pcs_simulation_contact_force(s, slot, component) - (time > 0 ? impacts / time : 0);
}

double pcs_simulation_contact_force_max(const pcs_simulation *s, int32_t slot, int32_t component)
{
    return part_of(s, s->state.peak, slot, component);
}

// Schemes have the velocities of the contacts they solved for; those of the others follow from the
// motion.
void pcs_simulation_contact_velocity(const pcs_simulation *s, int32_t slot, double velocity[3])
{
    const int32_t place = pcs_simulation_stand_in(s, slot);
    memcpy(velocity, s->state.u + 3 * place, 3 * sizeof *velocity);
    if ((int)s->state.status[place] != PCS_OPEN)
        return;
    const pcs_contact *contact = &pcs_simulation_present(s, true)->contacts[place];
    memset(velocity, 0, 3 * sizeof *velocity);
    if (contact->gap != HUGE_VAL) // a point that may touch
        pcs_contact_velocity(s->model, contact, s->state.v, velocity);
}

void pcs_simulation_contact(const pcs_simulation *s, int32_t slot, pcs_contact_view *view)
{
    *view = (pcs_contact_view){0};
    if (slot < 0 || slot >= pcs_model_contact_count(s->model))
        return;
    const pcs_present *now = pcs_simulation_present(s, true);
    const int32_t place = pcs_simulation_stand_in(s, slot);
    const pcs_contact *contact = &now->contacts[place];
    *view = (pcs_contact_view){
        .gap = s->state.gap[place],
        .point = contact->point,
        .normal = contact->normal,
        .tangent1 = contact->tangent1,
        .tangent2 = contact->tangent2,
        .state = (pcs_contact_state)(int)s->state.status[place],
    };
    for (int32_t k = 0; k < 3; ++k) {
        view->impulse[k] = pcs_simulation_contact_impulse(s, slot, k);
        view->force[k] = pcs_simulation_contact_force(s, slot, k);
        view->load[k] = pcs_simulation_contact_load(s, slot, k);
        view->force_max[k] = pcs_simulation_contact_force_max(s, slot, k);
        view->force_now[k] = force_now(s, slot, k);
    }
    pcs_simulation_contact_velocity(s, slot, view->velocity);
}

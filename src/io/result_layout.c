#include "io/result_layout.h"

const pcs_owner_row pcs_owner_table[PCS_OWNER_COUNT] = {
    [PCS_OWNER_BODY] = {"body", "/body", "/body/names"},
    [PCS_OWNER_JOINT] = {"joint", "/joint", "/joint/names"},
    [PCS_OWNER_CONTACT] = {"contact", "/contact", "/contact/names"},
    [PCS_OWNER_INPUT] = {"input", "/input", "/input/names"},
    [PCS_OWNER_COORDINATE] = {"system", "/system", "/system/coordinate_names"},
    [PCS_OWNER_CONSTRAINT] = {"system", "/system", "/system/constraint_names"},
    [PCS_OWNER_MESH] = {"mesh", "/mesh", "/mesh/names"},
    [PCS_OWNER_EXTREME] = {"mesh", "/mesh", "/mesh/extreme_names"},
    [PCS_OWNER_GROUP] = {"mesh", "/mesh", "/mesh/group_names"},
    [PCS_OWNER_NODE] = {"mesh", "/mesh", NULL},
    [PCS_OWNER_FRAME] = {"mesh", "/mesh", NULL},
    [PCS_OWNER_RESULT] = {"mesh", "/mesh", NULL},
};

// clang-format off
#define XYZ {"x", "y", "z"}
#define NONE PCS_OWNER_NONE
#define BODY PCS_OWNER_BODY
#define JOINT PCS_OWNER_JOINT
#define CONTACT PCS_OWNER_CONTACT
#define INPUT PCS_OWNER_INPUT
#define GROUP PCS_OWNER_GROUP
#define NODE PCS_OWNER_NODE
#define FRAME PCS_OWNER_FRAME
#define REAL64 PCS_STORED_DOUBLE
#define REAL32 PCS_STORED_SINGLE
#define BYTE PCS_STORED_BYTE

const pcs_quantity_row pcs_quantity_table[PCS_QUANTITY_COUNT] = {
    [PCS_QUANTITY_TIME] = {"/time", NONE, 1, 0, REAL64, "time", {0}, "s",
        "simulated time of the frame"},
    [PCS_QUANTITY_BODY_POSITION] = {"/body/position", BODY, 3, 0, REAL64, "position", XYZ, "m",
        "origin of the body frame, world axes"},
    [PCS_QUANTITY_BODY_ROTATION] = {"/body/rotation", BODY, 4, 3, REAL64, "rotation",
        {"w", "x", "y", "z"}, "1", "unit quaternion (w, x, y, z) from body to world axes"},
    [PCS_QUANTITY_BODY_ANGLE] = {"/body/angle", BODY, 1, 2, REAL64, "angle", {0}, "rad",
        "rotation about z, any number of turns"},
    [PCS_QUANTITY_BODY_VELOCITY] = {"/body/velocity", BODY, 3, 0, REAL64, "velocity", XYZ, "m/s",
        "velocity of the origin of the body frame, world axes"},
    [PCS_QUANTITY_BODY_ANGULAR_VELOCITY] = {"/body/angular_velocity", BODY, 3, 0, REAL64,
        "angular_velocity", XYZ, "rad/s", "angular velocity, world axes"},
    [PCS_QUANTITY_JOINT_COORDINATE] = {"/joint/coordinate", JOINT, 3, 0, REAL64, NULL, {0},
        "rad or m", "coordinates named in coordinate_names; NaN where the joint has fewer"},
    [PCS_QUANTITY_JOINT_RATE] = {"/joint/rate", JOINT, 3, 0, REAL64, NULL, {0}, "rad/s or m/s",
        "rates of the coordinates, named in rate_names; NaN where the joint has fewer"},
    [PCS_QUANTITY_JOINT_FORCE] = {"/joint/force", JOINT, 3, 0, REAL64, "force", XYZ, "N",
        "reaction on body b, mean over the last step, world axes"},
    [PCS_QUANTITY_JOINT_TORQUE] = {"/joint/torque", JOINT, 3, 0, REAL64, "torque", XYZ, "N m",
        "reaction on body b about the origin of frame a, mean over the last step, world axes"},
    [PCS_QUANTITY_CONTACT_GAP] = {"/contact/gap", CONTACT, 1, 0, REAL64, "gap", {0}, "m",
        "distance, negative when the bodies penetrate"},
    [PCS_QUANTITY_CONTACT_IMPULSE] = {"/contact/impulse", CONTACT, 3, 0, REAL64, "impulse",
        {"n", "t1", "t2"}, "N s",
        "impulse since the frame before, along normal, tangent 1, tangent 2"},
    [PCS_QUANTITY_CONTACT_FORCE] = {"/contact/force", CONTACT, 3, 0, REAL64, "force",
        {"n", "t1", "t2"}, "N", "mean since the frame before: impulse / time"},
    [PCS_QUANTITY_CONTACT_LOAD] = {"/contact/load", CONTACT, 3, 0, REAL64, "load",
        {"n", "t1", "t2"}, "N", "the same without the impulses of impacts, which are in /event"},
    [PCS_QUANTITY_CONTACT_FORCE_MAX] = {"/contact/force_max", CONTACT, 3, 0, REAL64, "force_max",
        {"n", "t1", "t2"}, "N",
        "of the single step since the frame before with the largest normal force"},
    [PCS_QUANTITY_CONTACT_VELOCITY] = {"/contact/velocity", CONTACT, 3, 0, REAL64, "velocity",
        {"n", "t1", "t2"}, "m/s", "relative velocity after the last step along the same axes"},
    [PCS_QUANTITY_CONTACT_STATE] = {"/contact/state", CONTACT, 1, 0, BYTE, "state", {0}, "1",
        "0 open, 1 slip, 2 stick, 3 closed"},
    [PCS_QUANTITY_CONTACT_POINT] = {"/contact/point", CONTACT, 3, 0, REAL64, NULL, {0}, "m",
        "contact point in the world"},
    [PCS_QUANTITY_CONTACT_NORMAL] = {"/contact/normal", CONTACT, 3, 0, REAL64, NULL, {0}, "1",
        "unit normal from body a to body b, world axes"},
    [PCS_QUANTITY_CONTACT_TANGENT1] = {"/contact/tangent1", CONTACT, 3, 0, REAL64, NULL, {0}, "1",
        "first unit tangent, world axes; the second is normal x tangent1"},
    [PCS_QUANTITY_INPUT_VALUE] = {"/input/value", INPUT, 1, 0, REAL64, "", {0}, "",
        "input that was set from outside, as held over the last step; unit as the model uses it"},
    [PCS_QUANTITY_SYSTEM_COORDINATE] = {"/system/coordinate", PCS_OWNER_COORDINATE, 1, 0, REAL64, "",
        {0}, "", "generalised coordinates of Lagrangian systems; units as their formulas use them"},
    [PCS_QUANTITY_SYSTEM_RATE] = {"/system/rate", PCS_OWNER_COORDINATE, 1, 0, REAL64, "rate", {0},
        "", "rates of the coordinates, per second"},
    [PCS_QUANTITY_SYSTEM_ACCELERATION] = {"/system/acceleration", PCS_OWNER_COORDINATE, 1, 0, REAL64,
        "acceleration", {0}, "", "accelerations of the coordinates, per second squared"},
    [PCS_QUANTITY_SYSTEM_FORCE] = {"/system/force", PCS_OWNER_CONSTRAINT, 1, 0, REAL64, "force", {0},
        "", "multipliers of the constraints: generalised forces are force times dg/dq"},
    [PCS_QUANTITY_MESH_KINETIC] = {"/mesh/kinetic", PCS_OWNER_MESH, 1, 0, REAL64, "energy.kinetic",
        {0}, "J", "kinetic energy of the mesh"},
    [PCS_QUANTITY_MESH_STRAIN] = {"/mesh/strain", PCS_OWNER_MESH, 1, 0, REAL64, "energy.strain", {0},
        "J", "strain energy of the mesh"},
    [PCS_QUANTITY_EXTREME_MIN] = {"/mesh/extreme_min", PCS_OWNER_EXTREME, 1, 0, REAL64, "min", {0},
        "", "smallest value of a result over the elements of the mesh; unit by its name"},
    [PCS_QUANTITY_EXTREME_MAX] = {"/mesh/extreme_max", PCS_OWNER_EXTREME, 1, 0, REAL64, "max", {0},
        "", "largest value of a result over the elements of the mesh; unit by its name"},
    [PCS_QUANTITY_GROUP_POSITION] = {"/mesh/group_position", GROUP, 3, 0, REAL64, "position", XYZ,
        "m", "mean over the nodes of the group, world axes"},
    [PCS_QUANTITY_GROUP_VELOCITY] = {"/mesh/group_velocity", GROUP, 3, 0, REAL64, "velocity", XYZ,
        "m/s", "mean over the nodes of the group, world axes"},
    [PCS_QUANTITY_GROUP_ANGLE] = {"/mesh/group_angle", GROUP, 1, 2, REAL64, "angle", {0}, "rad",
        "mean over the nodes of the group; NaN for points"},
    [PCS_QUANTITY_GROUP_ANGULAR_VELOCITY] = {"/mesh/group_angular_velocity", GROUP, 3, 0, REAL64,
        "angular_velocity", XYZ, "rad/s", "mean over the nodes of the group, world axes; NaN for "
        "points"},
    [PCS_QUANTITY_NODE_POSITION] = {"/mesh/position", NODE, 3, 0, REAL64, NULL, {0}, "m",
        "nodes of all meshes, world axes"},
    [PCS_QUANTITY_NODE_VELOCITY] = {"/mesh/velocity", NODE, 3, 0, REAL64, NULL, {0}, "m/s",
        "velocities of the nodes, world axes"},
    [PCS_QUANTITY_FRAME_ROTATION] = {"/mesh/rotation", FRAME, 4, 3, REAL64, NULL, {0}, "1",
        "unit quaternions (w, x, y, z) from node to world axes, of the nodes that turn"},
    [PCS_QUANTITY_FRAME_ANGLE] = {"/mesh/angle", FRAME, 1, 2, REAL64, NULL, {0}, "rad",
        "rotation about z, of the nodes that turn"},
    [PCS_QUANTITY_FRAME_ANGULAR_VELOCITY] = {"/mesh/angular_velocity", FRAME, 3, 0, REAL64, NULL,
        {0}, "rad/s", "of the nodes that turn, world axes"},
    [PCS_QUANTITY_RESULT_VALUE] = {"/mesh/result", PCS_OWNER_RESULT, 1, 0, REAL32, NULL, {0}, "",
        "results of the elements, part by part (/mesh/parts); units by their names"},
    [PCS_QUANTITY_ENERGY_KINETIC] = {"/energy/kinetic", NONE, 1, 0, REAL64, "energy.kinetic", {0},
        "J", "kinetic energy"},
    [PCS_QUANTITY_ENERGY_POTENTIAL] = {"/energy/potential", NONE, 1, 0, REAL64, "energy.potential",
        {0}, "J", "potential energy of gravity and springs"},
    [PCS_QUANTITY_ENERGY_TOTAL] = {"/energy/total", NONE, 1, 0, REAL64, "energy.total", {0}, "J",
        "kinetic plus potential energy"},
    [PCS_QUANTITY_ENERGY_APPLIED] = {"/energy/applied", NONE, 1, 0, REAL64, "energy.applied", {0},
        "J", "work of applied forces since the start"},
    [PCS_QUANTITY_ENERGY_ACTUATOR] = {"/energy/actuator", NONE, 1, 0, REAL64, "energy.actuator", {0},
        "J", "work of joint actuators since the start"},
    [PCS_QUANTITY_ENERGY_DRIVER] = {"/energy/driver", NONE, 1, 0, REAL64, "energy.driver", {0}, "J",
        "work of prescribed motions and moving surfaces since the start"},
    [PCS_QUANTITY_ENERGY_DAMPING] = {"/energy/damping", NONE, 1, 0, REAL64, "energy.damping", {0},
        "J", "work of dampers since the start"},
    [PCS_QUANTITY_ENERGY_FRICTION] = {"/energy/friction", NONE, 1, 0, REAL64, "energy.friction", {0},
        "J", "work of tangential contact impulses since the start"},
    [PCS_QUANTITY_ENERGY_IMPACT] = {"/energy/impact", NONE, 1, 0, REAL64, "energy.impact", {0}, "J",
        "work of normal contact impulses and joint limits since the start"},
    [PCS_QUANTITY_ENERGY_NUMERICAL] = {"/energy/numerical", NONE, 1, 0, REAL64, "energy.numerical",
        {0}, "J", "what the works leave of the change of kinetic and potential energy"},
    [PCS_QUANTITY_SOLVER_RESIDUAL] = {"/solver/residual", NONE, 1, 0, REAL64, "solver.residual", {0},
        "1", "scaled residual of the contact problem in the last step"},
};

#undef XYZ
#undef NONE
#undef BODY
#undef JOINT
#undef CONTACT
#undef INPUT
#undef GROUP
#undef NODE
#undef FRAME
#undef REAL64
#undef REAL32
#undef BYTE

#define REAL(field) {#field, PCS_NUMBER_REAL, offsetof(pcs_statistics, field)}
#define COUNT32(field) {#field, PCS_NUMBER_INT32, offsetof(pcs_statistics, field)}
#define COUNT64(field) {#field, PCS_NUMBER_INT64, offsetof(pcs_statistics, field)}
#define ENERGY(field) \
    {"energy_" #field, PCS_NUMBER_REAL, \
     offsetof(pcs_statistics, energy) + offsetof(pcs_energy_account, field)}

#define EXTREME_PART(field, part, type) \
    {#field "_" #part, type, offsetof(pcs_statistics, field) + offsetof(pcs_extreme, part)}
#define EXTREME(field) \
    EXTREME_PART(field, value, PCS_NUMBER_REAL), EXTREME_PART(field, time, PCS_NUMBER_REAL), \
    EXTREME_PART(field, where, PCS_NUMBER_INT32)

const pcs_statistic_row pcs_statistic_table[] = {
    COUNT64(steps), COUNT64(rejected_steps), COUNT64(unconverged_steps),
    COUNT64(impacts), COUNT64(contact_steps), COUNT32(contacts_now), COUNT32(contacts_most),
    COUNT64(newton_iterations), COUNT64(solver_iterations),
    REAL(worst_residual), REAL(worst_newton), REAL(worst_penetration),
    REAL(penetration_time), COUNT32(penetration_slot),
    REAL(worst_drift), REAL(worst_velocity_drift), REAL(last_residual),
    ENERGY(kinetic), ENERGY(potential), ENERGY(applied), ENERGY(actuator), ENERGY(driver),
    ENERGY(damping), ENERGY(friction), ENERGY(impact), ENERGY(numerical),
    REAL(energy_rounding), COUNT32(refined_by),
    REAL(assembly_moved), COUNT32(assembly_body),
    REAL(assembly_velocity), COUNT32(assembly_velocity_body),
    REAL(initial_penetration), COUNT32(initial_contact),
    COUNT32(redundant_rows), COUNT32(redundant_most),
    COUNT64(inner_steps), COUNT64(evaluations),
    REAL(smallest_step), REAL(time_stepping),
    COUNT64(switches_zeno), COUNT64(switches_friction), COUNT64(switches_edge),
    REAL(size), EXTREME(hover), EXTREME(impact_gain), EXTREME(chatter),
    EXTREME(free_forces), COUNT32(force_components),
    REAL(momentum_drift), EXTREME(turn), EXTREME(way), REAL(rate),
    COUNT64(estimates), REAL(error_step), EXTREME(error), REAL(error_length), REAL(error_velocity),
    REAL(growth), REAL(horizon), REAL(stiffness),
};
// clang-format on

const int32_t pcs_statistic_count = (int32_t)(sizeof pcs_statistic_table /
                                              sizeof *pcs_statistic_table);

const pcs_event_column_row pcs_event_column_table[PCS_EVENT_COLUMN_COUNT] = {
    [PCS_EVENT_COLUMN_TIME] = {"/event/time", "s", "end of the step in which it happened"},
    [PCS_EVENT_COLUMN_KIND] = {"/event/kind", "1", "what happened; the type names the kinds"},
    [PCS_EVENT_COLUMN_OBJECT] = {"/event/object", "1",
                                 "index in /contact/names; -1: the whole model"},
    [PCS_EVENT_COLUMN_VALUE] = {"/event/value", "m/s, s or 1",
                                "impact: approach speed; rejected: length of the step; "
                                "unconverged: residual; 0 otherwise"},
    [PCS_EVENT_COLUMN_IMPULSE] = {"/event/impulse_n", "N s", "impact: impulse along the normal"},
    [PCS_EVENT_COLUMN_IMPULSE + 1] = {"/event/impulse_t1", "N s", "along tangent 1"},
    [PCS_EVENT_COLUMN_IMPULSE + 2] = {"/event/impulse_t2", "N s", "along tangent 2"},
};

bool pcs_quantity_has_component(pcs_quantity quantity, int32_t component, int32_t dimension)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    if (component >= row->width || !row->component[component])
        return false;
    if (dimension == 3)
        return true;
    switch (quantity) {
    case PCS_QUANTITY_BODY_ANGULAR_VELOCITY:
    case PCS_QUANTITY_JOINT_TORQUE:
    case PCS_QUANTITY_GROUP_ANGULAR_VELOCITY:
        return component == 2;
    default:
        return component < 2;
    }
}

#include "plot_units.h"

#include <stdio.h>
#include <string.h>

typedef struct unit_row {
    const char *quantity; // whole part of the path, or its beginning if it ends in *
    const char *unit, *unit_of_angle;
} unit_row;

static const unit_row body_units[] = {
    {"position", "m", NULL},
    {"angle", "rad", NULL},
    {"rotation", "", NULL},
    {"velocity", "m/s", NULL},
    {"angular_velocity", "rad/s", NULL},
    {NULL, NULL, NULL},
};
static const unit_row joint_units[] = {
    {"force", "N", NULL},
    {"torque", "N m", NULL},
    {NULL, NULL, NULL},
};
static const unit_row coordinate_units[] = {
    {"angle*", "rad", NULL},  {"rotation*", "rad", NULL},
    {"rate*", "rad/s", NULL}, {"displacement", "m", NULL},
    {"length", "m", NULL},    {"speed*", "m/s", NULL},
    {"x", "m", NULL},         {"y", "m", NULL},
    {NULL, NULL, NULL},
};
static const unit_row contact_units[] = {
    {"gap", "m", "rad"},          {"impulse", "N s", "N m s"}, {"force", "N", "N m"},
    {"velocity", "m/s", "rad/s"}, {"state", "state", "state"}, {NULL, NULL, NULL},
};

static const char *look_up(const unit_row *rows, const char *word, size_t length, bool angle)
{
    for (; rows->quantity; rows++) {
        size_t known = strcspn(rows->quantity, "*");
        bool open_end = rows->quantity[known] == '*';
        if (length < known || strncmp(word, rows->quantity, known) != 0 ||
            (length > known && !open_end))
            continue;
        return angle && rows->unit_of_angle ? rows->unit_of_angle : rows->unit;
    }
    return NULL;
}

static bool starts_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool has_signal(const pcs_result *result, const char *wanted)
{
    char path[256];
    for (int32_t i = 0; pcs_result_signal_path(result, i, path, sizeof path); i++)
        if (strcmp(path, wanted) == 0)
            return true;
    return false;
}

// contact.hinge.lower.gap or contact.ball.rotation_x_upper.gap: the limit of an angle?
static bool is_limit_of_angle(const pcs_result *result, const char *path)
{
    char joint[256];
    const char *name = path + strlen("contact."), *limit = strchr(name, '.');
    if (!limit)
        return false;
    limit++;
    if (starts_with(limit, "angle") || starts_with(limit, "rotation"))
        return true;
    if (!starts_with(limit, "lower.") && !starts_with(limit, "upper."))
        return false;
    snprintf(joint, sizeof joint, "joint.%.*s.angle", (int)(limit - name - 1), name);
    return has_signal(result, joint);
}

// The quantity is the last part of the path, or the one before if the last is a component.
static const char *look_up_contact(const pcs_result *result, const char *path)
{
    bool angle = is_limit_of_angle(result, path);
    const char *last = strrchr(path, '.') + 1, *before = last - 1;
    const char *unit = look_up(contact_units, last, strlen(last), angle);
    while (before > path && before[-1] != '.')
        before--;
    return unit ? unit : look_up(contact_units, before, (size_t)(last - before) - 1, angle);
}

const char *plot_signal_unit(const pcs_result *result, const char *path)
{
    const char *unit = NULL;
    if (strcmp(path, "time") == 0)
        unit = "s";
    else if (starts_with(path, "energy."))
        unit = "J";
    else if (starts_with(path, "solver."))
        unit = "";
    else if (starts_with(path, "contact."))
        unit = look_up_contact(result, path);
    else if (starts_with(path, "body.") || starts_with(path, "joint.")) {
        const char *name = strchr(path, '.') + 1, *word = strchr(name, '.');
        size_t length = word ? strcspn(++word, ".") : 0;
        bool is_body = path[0] == 'b';
        if (word && word[length] == '.') // a vector's component
            unit = look_up(is_body ? body_units : joint_units, word, length, false);
        else if (word)
            unit = look_up(is_body ? body_units : coordinate_units, word, length, false);
    }
    return unit ? unit : "?";
}

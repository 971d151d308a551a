// The signals of a report: chosen by importance, thinned to what the page has room for.
#include <stdio.h>
#include <string.h>

#include "io/report_data.h"
#include "io/result_file.h"
#include "io/thinning.h"

enum { PATH_SIZE = 1024 };

// In the order in which they get room; those that come last are the first to be left out.
typedef enum group { ENERGY, SOLVER, SYSTEMS, JOINTS, MESHES, CONTACTS, BODIES, GROUP_COUNT } group;

static const char *const group_names[GROUP_COUNT] = {"Energy", "Solver",   "Systems", "Joints",
                                                     "Meshes", "Contacts", "Bodies"};

static group find_group(pcs_stored_signal signal)
{
    switch (pcs_quantity_table[signal.quantity].owner) {
    case PCS_OWNER_BODY:
        return BODIES;
    case PCS_OWNER_JOINT:
        return JOINTS;
    case PCS_OWNER_CONTACT:
        return CONTACTS;
    case PCS_OWNER_COORDINATE:
    case PCS_OWNER_CONSTRAINT:
        return SYSTEMS;
    case PCS_OWNER_MESH:
    case PCS_OWNER_EXTREME:
    case PCS_OWNER_GROUP:
        return MESHES;
    default:
        return signal.quantity == PCS_QUANTITY_SOLVER_RESIDUAL ? SOLVER : ENERGY;
    }
}

typedef struct selection {
    int32_t *index; // of the signals in the result, most important first
    int32_t count;
    int32_t left_out[GROUP_COUNT];
    pcs_thinning thinning;
    float *values;  // of all signals, those of one quantity together
    float **points; // of selected signal i, into `values`
} selection;

// ---- Choice ----

static int32_t count_signals(const pcs_result *result)
{
    int32_t count = 0;
    for (int32_t i = 0; i < result->signals.count; i++)
        count += result->signals.data[i].quantity != PCS_QUANTITY_TIME;
    return count;
}

// Points of each signal, and how many signals there is room for.
static int32_t share_budget(const pcs_report *report, int32_t count, pcs_thinning *thinning)
{
    const pcs_report_budget *budget = &report->budget;
    const int64_t frames = pcs_result_frames(report->result);
    const int64_t numbers = budget->signal_bytes / (int64_t)sizeof(float);
    int64_t points = count > 0 ? numbers / count : budget->points_most;
    points = points > budget->points_most ? budget->points_most : points;
    points = points < budget->points_least ? budget->points_least : points;
    *thinning = pcs_thinning_choose(frames, points);
    int64_t room = thinning->points > 0 ? numbers / thinning->points : count;
    return room < count ? (int32_t)room : count;
}

static pcs_status select_signals(pcs_report *report, selection *s)
{
    const pcs_result *result = report->result;
    const int32_t all = count_signals(result);
    const int32_t room = share_budget(report, all, &s->thinning);
    s->index = PCS_NEW_ARRAY(report->ctx, int32_t, room);
    s->points = PCS_NEW_ARRAY(report->ctx, float *, room);
    s->values = PCS_NEW_ARRAY(report->ctx, float, room * s->thinning.points);
    if (!s->index || !s->points || !s->values)
        return PCS_ERROR_MEMORY;
    for (int g = 0; g < GROUP_COUNT; g++) {
        for (int32_t i = 0; i < result->signals.count; i++) {
            pcs_stored_signal signal = result->signals.data[i];
            if (signal.quantity == PCS_QUANTITY_TIME || find_group(signal) != (group)g)
                continue;
            if (s->count < room)
                s->index[s->count++] = i;
            else
                s->left_out[g]++;
        }
    }
    return PCS_OK;
}

// ---- Reading ----

static void add_rows(void *user, const double *rows, int64_t count, int64_t width)
{
    pcs_thinner_add(user, rows, count, width);
}

// All selected signals of one quantity in one pass. `column` has room for all selected signals;
// `done` counts those whose points have been placed.
static pcs_status read_quantity(pcs_report *report, selection *s, int quantity, int64_t *column,
                                int32_t *done)
{
    const pcs_result *result = report->result;
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    float *values = s->values + *done * s->thinning.points;
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        pcs_stored_signal signal = result->signals.data[s->index[i]];
        if (signal.quantity != quantity)
            continue;
        s->points[i] = values + count * s->thinning.points;
        column[count++] = (int64_t)signal.object * row->width + signal.component;
    }
    if (count == 0)
        return PCS_OK;
    *done += count;
    pcs_thinner *thinner = NULL;
    PCS_TRY(pcs_thinner_create(report->ctx, &s->thinning, count, column, values, &thinner));
    pcs_status status = pcs_report_each_row(report, row->dataset, add_rows, thinner);
    pcs_thinner_destroy(thinner);
    return status;
}

static pcs_status read_signals(pcs_report *report, selection *s)
{
    int64_t *column = PCS_NEW_ARRAY(report->ctx, int64_t, s->count);
    pcs_status status = column ? PCS_OK : PCS_ERROR_MEMORY;
    int32_t done = 0;
    for (int k = 0; status >= 0 && k < PCS_QUANTITY_COUNT; k++)
        status = read_quantity(report, s, k, column, &done);
    pcs_free(report->ctx, column);
    return status;
}

// ---- Writing ----

static pcs_status put_times(pcs_report *report, const pcs_thinning *thinning)
{
    const pcs_frame_range all = {0, thinning->frames, 1};
    double *time = PCS_NEW_ARRAY(report->ctx, double, thinning->frames);
    if (!time)
        return PCS_ERROR_MEMORY;
    pcs_status status = pcs_result_read(report->result, "time", all, time);
    pcs_json_begin_array(&report->json, "signal_time", PCS_JSON_F64, 1, &thinning->points);
    for (int64_t i = 0; status >= 0 && i < thinning->points; i++)
        pcs_json_put_f64(&report->json, &time[pcs_thinning_frame(thinning, i)], 1);
    pcs_json_end_array(&report->json);
    pcs_free(report->ctx, time);
    return status;
}

// "body.ball.angular_velocity.x" is "ball angular velocity x", "energy.kinetic" is "kinetic".
static void make_label(const pcs_result *result, pcs_stored_signal signal, const char *path,
                       char *label)
{
    pcs_owner owner = pcs_quantity_table[signal.quantity].owner;
    size_t start = strcspn(path, ".") + 1, name = 0;
    if (owner != PCS_OWNER_NONE)
        name = strlen(pcs_result_object_name(result, owner, signal.object));
    snprintf(label, PATH_SIZE, "%s", path + start);
    for (size_t i = name; i < strlen(label); i++) { // names may have dots of their own
        if (label[i] == '.' || label[i] == '_')
            label[i] = ' ';
    }
}

static void put_signal(pcs_report *report, const selection *s, int32_t i)
{
    const pcs_result *result = report->result;
    pcs_stored_signal signal = result->signals.data[s->index[i]];
    const group g = find_group(signal);
    char path[PATH_SIZE] = "", label[PATH_SIZE];
    pcs_result_signal_path(result, s->index[i], path, sizeof path);
    make_label(result, signal, path, label);
    pcs_json_begin_object(&report->json, NULL);
    pcs_json_text(&report->json, "path", path);
    pcs_json_text(&report->json, "group", group_names[g]);
    pcs_json_text(&report->json, "label", label);
    pcs_json_text(&report->json, "unit", pcs_result_signal_unit(result, s->index[i]));
    if (g == BODIES || g == JOINTS)
        pcs_json_integer(&report->json, g == BODIES ? "body" : "joint", signal.object);
    else if (g == CONTACTS)
        pcs_json_integer(&report->json, "contact", report->contact_place[signal.object]);
    pcs_json_begin_array(&report->json, "values", PCS_JSON_F32, 1, &s->thinning.points);
    pcs_json_put_floats(&report->json, s->points[i], (size_t)s->thinning.points);
    pcs_json_end_array(&report->json);
    pcs_json_end_object(&report->json);
}

static pcs_status warn(pcs_report *report, const selection *s)
{
    if (s->thinning.points < s->thinning.frames && s->count > 0)
        PCS_TRY(pcs_report_warn(report,
                                "Signals are thinned to %lld points: of each interval the smallest "
                                "and the largest of its values are kept, at its ends (%lld frames "
                                "are stored).",
                                (long long)s->thinning.points, (long long)s->thinning.frames));
    for (int g = 0; g < GROUP_COUNT; g++) {
        if (s->left_out[g] > 0)
            PCS_TRY(pcs_report_warn(report,
                                    "%ld signals of the group %s are left out to keep the page "
                                    "small; percuss plot shows them.",
                                    (long)s->left_out[g], group_names[g]));
    }
    return PCS_OK;
}

static void put_counts(pcs_report *report, const pcs_thinning *thinning)
{
    pcs_json_begin_object(&report->json, "frames");
    pcs_json_integer(&report->json, "stored", thinning->frames);
    pcs_json_integer(&report->json, "drawn", report->drawn);
    pcs_json_integer(&report->json, "points", thinning->points);
    pcs_json_end_object(&report->json);
}

static pcs_status put_selection(pcs_report *report, selection *s)
{
    PCS_TRY(select_signals(report, s));
    PCS_TRY(read_signals(report, s));
    put_counts(report, &s->thinning);
    PCS_TRY(put_times(report, &s->thinning));
    pcs_json_begin_list(&report->json, "signals");
    for (int32_t i = 0; i < s->count; i++)
        put_signal(report, s, i);
    pcs_json_end_list(&report->json);
    return warn(report, s);
}

pcs_status pcs_report_put_signals(pcs_report *report)
{
    selection s = {0};
    pcs_status status = put_selection(report, &s);
    pcs_free(report->ctx, s.index);
    pcs_free(report->ctx, s.points);
    pcs_free(report->ctx, s.values);
    return status;
}

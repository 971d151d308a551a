// Verdict, evidence and summary of a report: what the statistics of the run say; for a run without
// a summary, what its stored frames and events say.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/report_data.h"

typedef struct run_numbers {
    pcs_statistics statistics;
    pcs_run_facts facts;
    double first_time, last_time;
} run_numbers;

// ---- Numbers from the frames ----

static pcs_status read_all(pcs_report *report, const char *quantity, double *values)
{
    const pcs_frame_range all = {0, pcs_result_frames(report->result), 1};
    return pcs_result_read(report->result, quantity, all, values);
}

// Energies of all frames, for their scale. `a` and `b` have room for a number of each frame.
static pcs_status read_energy(pcs_report *report, run_numbers *n, double *a, double *b)
{
    const int64_t frames = pcs_result_frames(report->result);
    PCS_TRY(read_all(report, "time", a));
    n->first_time = frames > 0 ? a[0] : 0;
    n->last_time = frames > 0 ? a[frames - 1] : 0;
    if (pcs_result_width(report->result, "energy/kinetic") == 0 ||
        pcs_result_width(report->result, "energy/potential") == 0)
        return PCS_OK;
    PCS_TRY(read_all(report, "energy/kinetic", a));
    PCS_TRY(read_all(report, "energy/potential", b));
    for (int64_t i = 0; i < frames; i++)
        pcs_energy_scale_update(&n->facts.energy, a[i], b[i]);
    return PCS_OK;
}

// The last number of a quantity with one number for each frame; 0 if there is none.
static pcs_status read_last(pcs_report *report, const char *quantity, double *value)
{
    const int64_t frames = pcs_result_frames(report->result);
    *value = 0;
    if (frames == 0 || pcs_result_width(report->result, quantity) == 0)
        return PCS_OK;
    return pcs_result_read(report->result, quantity, (pcs_frame_range){frames - 1, 1, 1}, value);
}

// Deepest contact in the last frame.
static pcs_status find_deepest(pcs_report *report, run_numbers *n)
{
    const int64_t frames = pcs_result_frames(report->result);
    const int32_t contacts = pcs_result_contact_count(report->result);
    if (frames == 0 || pcs_result_width(report->result, "contact/gap") == 0)
        return PCS_OK;
    double *gap = PCS_NEW_ARRAY(report->ctx, double, contacts);
    pcs_status status = gap ? PCS_OK : PCS_ERROR_MEMORY;
    if (gap)
        status = pcs_result_read(report->result, "contact/gap", (pcs_frame_range){frames - 1, 1, 1},
                                 gap);
    for (int32_t i = 0; status >= 0 && i < contacts; i++) {
        if (!n->facts.deepest || gap[i] < n->facts.gap) {
            n->facts.gap = gap[i];
            n->facts.deepest = pcs_result_contact_name(report->result, i);
        }
    }
    pcs_free(report->ctx, gap);
    return status;
}

// Diameter of the model in its first frame: bodies with the reach of what is drawn of them. Planes,
// which may be as large as one likes, do not count.
static pcs_status measure_size(pcs_report *report, run_numbers *n)
{
    pcs_result *result = report->result;
    const int32_t bodies = pcs_result_body_count(result);
    const int64_t width = pcs_result_width(result, "body/position");
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < result->objects[PCS_OWNER_NODE]; i++) {
        const pcs_vec3 x =
            result->meshes.items[0].start[i]; // nodes of all meshes, one after the other
        const double at[3] = {x.x, x.y, x.z};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    if (pcs_result_frames(result) == 0 ||
        ((bodies == 0 || width != 3 * (int64_t)bodies) && result->meshes.count == 0))
        return PCS_OK;
    double *position = PCS_NEW_ARRAY(report->ctx, double, width);
    pcs_status status = position ? PCS_OK : PCS_ERROR_MEMORY;
    if (position && width > 0)
        status = pcs_result_read(result, "body/position", (pcs_frame_range){0, 1, 1}, position);
    const pcs_drawing *d;
    for (int32_t i = 0; status >= 0 && (d = pcs_result_drawing(result, i)); i++) {
        const pcs_frame *frames[2] = {&d->a, &d->b};
        const double part = d->kind == PCS_DRAWING_PLANE
                                ? 0
                                : sqrt(d->size.x * d->size.x + d->size.y * d->size.y +
                                       d->size.z * d->size.z);
        for (int side = 0; side < 2; side++) {
            const pcs_vec3 p = frames[side]->position;
            const double reach = part + sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
            if (frames[side]->body < 0 || width == 0)
                continue;
            for (int x = 0; x < 3; x++) {
                const double at = position[3 * frames[side]->body + x];
                low[x] = fmin(low[x], at - reach);
                high[x] = fmax(high[x], at + reach);
            }
        }
    }
    pcs_free(report->ctx, position);
    double squares = 0;
    for (int x = 0; x < 3; x++)
        squares += high[x] > low[x] ? (high[x] - low[x]) * (high[x] - low[x]) : 0;
    n->facts.size = isfinite(squares) ? sqrt(squares) : 0;
    return status;
}

// ---- Statistics of a run without a summary ----

static void count_event(pcs_statistics *s, const pcs_event *event)
{
    s->impacts += event->kind == PCS_EVENT_IMPACT && event->value > 0; // others pass one on
    s->rejected_steps += event->kind == PCS_EVENT_REJECTED;
    s->unconverged_steps += event->kind == PCS_EVENT_UNCONVERGED;
}

static pcs_status count_events(pcs_report *report, pcs_statistics *s)
{
    enum { AT_ONCE = 256 };
    pcs_event block[AT_ONCE];
    const int64_t count = pcs_result_event_count(report->result);
    for (int64_t first = 0; first < count; first += AT_ONCE) {
        int64_t n = count - first < AT_ONCE ? count - first : AT_ONCE;
        PCS_TRY(pcs_result_events(report->result, first, n, block));
        for (int64_t i = 0; i < n; i++)
            count_event(s, &block[i]);
    }
    return PCS_OK;
}

static void keep_largest(void *user, const double *rows, int64_t count, int64_t width)
{
    double *largest = user;
    for (int64_t i = 0; i < count * width; i++)
        *largest = fmax(*largest, rows[i]);
}

static void keep_deepest(void *user, const double *rows, int64_t count, int64_t width)
{
    double *depth = user;
    for (int64_t i = 0; i < count * width; i++)
        *depth = fmax(*depth, -rows[i]);
}

static pcs_status estimate_statistics(pcs_report *report, pcs_statistics *s)
{
    *s = (pcs_statistics){.assembly_body = PCS_GROUND};
    s->steps = pcs_result_frames(report->result); // at least
    PCS_TRY(count_events(report, s));
    PCS_TRY(pcs_report_each_row(report, "solver/residual", keep_largest, &s->worst_residual));
    PCS_TRY(pcs_report_each_row(report, "contact/gap", keep_deepest, &s->worst_penetration));
    PCS_TRY(read_last(report, "energy/kinetic", &s->energy.kinetic));
    PCS_TRY(read_last(report, "energy/potential", &s->energy.potential));
    PCS_TRY(read_last(report, "energy/applied", &s->energy.applied));
    PCS_TRY(read_last(report, "energy/actuator", &s->energy.actuator));
    PCS_TRY(read_last(report, "energy/driver", &s->energy.driver));
    PCS_TRY(read_last(report, "energy/damping", &s->energy.damping));
    PCS_TRY(read_last(report, "energy/friction", &s->energy.friction));
    PCS_TRY(read_last(report, "energy/impact", &s->energy.impact));
    return read_last(report, "energy/numerical", &s->energy.numerical);
}

static const char *name_contact(const void *result, int32_t slot)
{
    return pcs_result_contact_name(result, slot);
}

static const char *name_body(const void *result, int32_t body)
{
    return pcs_result_body_name(result, body);
}

static pcs_status gather_numbers(pcs_report *report, run_numbers *n)
{
    pcs_result *result = report->result;
    const size_t room = (size_t)pcs_result_frames(result);
    double *a = PCS_NEW_ARRAY(report->ctx, double, room),
           *b = PCS_NEW_ARRAY(report->ctx, double, room);
    pcs_status status = a && b ? read_energy(report, n, a, b) : PCS_ERROR_MEMORY;
    pcs_free(report->ctx, a);
    pcs_free(report->ctx, b);
    PCS_TRY(status);
    if (pcs_result_has_summary(result))
        n->statistics = *pcs_result_statistics(result);
    else
        PCS_TRY(estimate_statistics(report, &n->statistics));
    n->facts.statistics = &n->statistics;
    n->facts.contacts = pcs_result_contact_count(result);
    n->facts.joints = pcs_result_joint_count(result) + pcs_result_constraint_count(result);
    n->facts.contact_name = name_contact;
    n->facts.body_name = name_body;
    n->facts.owner = result;
    PCS_TRY(find_deepest(report, n));
    return measure_size(report, n);
}

// ---- Writing ----

// The order on the page.
static const pcs_finding_kind order[] = {
    PCS_FINDING_ERROR,
    PCS_FINDING_RESOLUTION,
    PCS_FINDING_ENERGY,
    PCS_FINDING_PENETRATION,
    PCS_FINDING_HOVER,
    PCS_FINDING_CHATTER,
    PCS_FINDING_IMPACT_GAIN,
    PCS_FINDING_ANGULAR_MOMENTUM,
    PCS_FINDING_DRIFT,
    PCS_FINDING_VELOCITY_DRIFT,
    PCS_FINDING_SINGULAR,
    PCS_FINDING_REDUNDANT,
    PCS_FINDING_FORCES,
    PCS_FINDING_RESIDUAL,
    PCS_FINDING_MOMENTUM,
    PCS_FINDING_UNCONVERGED,
    PCS_FINDING_REJECTED,
    PCS_FINDING_INITIAL_PENETRATION,
    PCS_FINDING_ASSEMBLY,
};
_Static_assert(sizeof order / sizeof *order == PCS_FINDING_KIND_COUNT, "every row is on the page");

// Findings that only the summary of a run can tell.
static bool needs_summary(pcs_finding_kind kind)
{
    return kind == PCS_FINDING_MOMENTUM || kind == PCS_FINDING_DRIFT ||
           kind == PCS_FINDING_VELOCITY_DRIFT || kind == PCS_FINDING_INITIAL_PENETRATION ||
           kind == PCS_FINDING_ASSEMBLY || kind == PCS_FINDING_REDUNDANT ||
           kind == PCS_FINDING_SINGULAR;
}

static void put_explanation(pcs_json *json, const pcs_run_facts *facts, pcs_finding_kind kind)
{
    pcs_explanation explanation;
    pcs_finding_explain(facts, kind, &explanation);
    pcs_json_begin_object(json, "explanation");
    pcs_json_text(json, "measured", explanation.measured);
    pcs_json_text(json, "matters", explanation.matters);
    pcs_json_text(json, "limits", explanation.limits);
    pcs_json_text(json, "remedy", explanation.remedy);
    pcs_json_end_object(json);
}

static void put_findings(pcs_json *json, const pcs_run_facts *facts, const pcs_finding *findings)
{
    pcs_json_begin_list(json, "evidence");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const pcs_finding *f = &findings[order[i]];
        char sentence[PCS_FINDING_TEXT_SIZE + 2];
        if (!f->applies)
            continue;
        snprintf(sentence, sizeof sentence, "%s.", f->text);
        sentence[0] = (char)toupper((unsigned char)sentence[0]);
        pcs_json_begin_object(json, NULL);
        pcs_json_text(json, "label", f->label);
        pcs_json_number(json, "value", f->value);
        pcs_json_text(json, "unit", f->unit);
        pcs_json_text(json, "level", pcs_level_name(f->level));
        pcs_json_text(json, "text", sentence);
        put_explanation(json, facts, order[i]);
        pcs_json_end_object(json);
    }
    pcs_json_end_list(json);
}

static void put_verdict(pcs_report *report, const pcs_finding *findings, double end)
{
    char text[512], whole[640];
    pcs_level level = pcs_run_verdict(findings, text, sizeof text);
    snprintf(whole, sizeof whole, "%s", text);
    if (!pcs_result_is_complete(report->result)) {
        level = level > PCS_LEVEL_NOTICE ? level : PCS_LEVEL_NOTICE;
        snprintf(whole, sizeof whole, "The run did not reach its end: it stops at %g s. %s", end,
                 text);
    }
    pcs_json_begin_object(&report->json, "verdict");
    pcs_json_text(&report->json, "level", pcs_level_name(level));
    pcs_json_text(&report->json, "text", whole);
    pcs_json_end_object(&report->json);
}

static void put_summary_row(pcs_json *json, const char *label, double value, const char *unit)
{
    pcs_json_begin_object(json, NULL);
    pcs_json_text(json, "label", label);
    pcs_json_number(json, "value", value);
    pcs_json_text(json, "unit", unit);
    pcs_json_end_object(json);
}

// Points of systems stand among the bodies under names with a dot.
static int32_t count_bodies(const pcs_result *result)
{
    int32_t count = 0;
    for (int32_t i = 0; i < pcs_result_body_count(result); i++)
        count += strchr(pcs_result_body_name(result, i), '.') == NULL;
    return count;
}

static void put_mesh_rows(pcs_report *report)
{
    const pcs_mesh_list *meshes = &report->result->meshes;
    double nodes = 0, elements = 0, mass = 0;
    for (int32_t k = 0; k < meshes->count; k++) {
        nodes += meshes->items[k].n_nodes;
        mass += meshes->items[k].mass;
        for (int32_t p = 0; p < meshes->items[k].n_parts; p++)
            elements += meshes->items[k].parts[p].view.n_elements;
    }
    if (meshes->count == 0)
        return;
    put_summary_row(&report->json, "meshes", meshes->count, "1");
    put_summary_row(&report->json, "nodes of meshes", nodes, "1");
    put_summary_row(&report->json, "elements", elements, "1");
    put_summary_row(&report->json, "mass of meshes", mass, "kg");
}

static void put_summary(pcs_report *report, const run_numbers *n)
{
    enum { ROWS_OF_THE_MODEL = 3 };
    const pcs_statistics *s = &n->statistics;
    const pcs_energy_account *e = &s->energy;
    const struct {
        const char *label, *unit;
        double value;
        bool of_summary; // not known without one
    } rows[] = {
        {"bodies", "1", count_bodies(report->result), false},
        {"joints", "1", pcs_result_joint_count(report->result), false},
        {"contact points", "1", pcs_result_contact_count(report->result), false},
        {"start", "s", n->first_time, false},
        {"end", "s", n->last_time, false},
        {"stored frames", "1", (double)pcs_result_frames(report->result), false},
        {"steps", "1", (double)s->steps, true},
        {"rejected steps", "1", (double)s->rejected_steps, false},
        {"steps that did not converge", "1", (double)s->unconverged_steps, false},
        {"impacts", "1", (double)s->impacts, false},
        {"closed contacts at most", "1", s->contacts_most, true},
        {"closed contacts at the end", "1", s->contacts_now, true},
        {"Newton iterations", "1", (double)s->newton_iterations, true},
        {"solver iterations", "1", (double)s->solver_iterations, true},
        {"energy at the start", "J", pcs_energy_at_start(e), false},
        {"work of applied forces", "J", e->applied, false},
        {"work of actuators", "J", e->actuator, false},
        {"work of prescribed motions", "J", e->driver, false},
        {"work of damping", "J", e->damping, false},
        {"work of friction", "J", e->friction, false},
        {"work of impacts", "J", e->impact, false},
        {"numerical remainder", "J", e->numerical, false},
        {"energy at the end", "J", e->kinetic + e->potential, false},
    };
    pcs_json_begin_list(&report->json, "summary");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i == ROWS_OF_THE_MODEL)
            put_mesh_rows(report);
        if (!rows[i].of_summary || pcs_result_has_summary(report->result))
            put_summary_row(&report->json, rows[i].label, rows[i].value, rows[i].unit);
    }
    pcs_json_end_list(&report->json);
}

pcs_status pcs_report_put_evidence(pcs_report *report)
{
    run_numbers n = {0};
    pcs_finding findings[PCS_FINDING_KIND_COUNT];
    PCS_TRY(gather_numbers(report, &n));
    pcs_run_judge(&n.facts, findings);
    if (!pcs_result_has_summary(report->result)) {
        for (int k = 0; k < PCS_FINDING_KIND_COUNT; k++)
            findings[k].applies = findings[k].applies && !needs_summary((pcs_finding_kind)k);
        PCS_TRY(pcs_report_warn(report, "The run left no summary: the evidence is that of the "
                                        "stored frames alone."));
    }
    put_verdict(report, findings, n.last_time);
    put_findings(&report->json, &n.facts, findings);
    put_summary(report, &n);
    return PCS_OK;
}

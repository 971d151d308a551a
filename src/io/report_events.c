// The events of a report. Where there are too many, each kind gives an even selection, and the rare
// kinds are kept whole.
#include <math.h>

#include "io/report_data.h"

enum { EVENTS_AT_ONCE = 4096 };

typedef struct columns {
    double *time, *value;
    double *normal, *tangential; // impulses of impacts, N s
    int32_t *object;
    uint8_t *kind;
    int64_t count;
} columns;

typedef struct choice {
    int64_t there[PCS_EVENT_KIND_COUNT], kept[PCS_EVENT_KIND_COUNT], seen[PCS_EVENT_KIND_COUNT];
} choice;

typedef void (*event_fn)(pcs_report *report, choice *c, columns *to, const pcs_event *event);

// Calls the function for every event of a kind that this program knows.
static pcs_status each_event(pcs_report *report, event_fn function, choice *c, columns *to)
{
    const int64_t count = pcs_result_event_count(report->result);
    pcs_event *block = PCS_NEW_ARRAY(report->ctx, pcs_event, EVENTS_AT_ONCE);
    pcs_status status = block ? PCS_OK : PCS_ERROR_MEMORY;
    for (int64_t first = 0; status >= 0 && first < count; first += EVENTS_AT_ONCE) {
        int64_t n = count - first < EVENTS_AT_ONCE ? count - first : EVENTS_AT_ONCE;
        status = pcs_result_events(report->result, first, n, block);
        for (int64_t i = 0; status >= 0 && i < n; i++) {
            if (pcs_event_kind_name(block[i].kind))
                function(report, c, to, &block[i]);
        }
    }
    pcs_free(report->ctx, block);
    return status;
}

static void count_event(pcs_report *report, choice *c, columns *to, const pcs_event *event)
{
    (void)report;
    (void)to;
    c->there[event->kind]++;
}

// Shares the room: a kind that needs less than its share leaves the rest to the others.
static void share_room(choice *c, int64_t room)
{
    bool settled[PCS_EVENT_KIND_COUNT] = {false};
    for (int left = PCS_EVENT_KIND_COUNT; left > 0; left--) {
        int rarest = -1;
        for (int k = 0; k < PCS_EVENT_KIND_COUNT; k++) {
            if (!settled[k] && (rarest < 0 || c->there[k] < c->there[rarest]))
                rarest = k;
        }
        int64_t share = room / left;
        c->kept[rarest] = c->there[rarest] < share ? c->there[rarest] : share;
        room -= c->kept[rarest];
        settled[rarest] = true;
    }
}

static bool is_of_contact(pcs_event_kind kind)
{
    return kind <= PCS_EVENT_SLIP;
}

static void keep_event(pcs_report *report, choice *c, columns *to, const pcs_event *event)
{
    const pcs_event_kind k = event->kind;
    const int64_t n = c->seen[k]++, there = c->there[k], kept = c->kept[k];
    if ((n + 1) * kept / there == n * kept / there)
        return; // evenly spread
    int32_t object = -1;
    if (is_of_contact(k) && event->object >= 0 &&
        event->object < pcs_result_contact_count(report->result))
        object = report->contact_place[event->object];
    to->time[to->count] = event->time;
    to->kind[to->count] = (uint8_t)k;
    to->object[to->count] = object;
    to->normal[to->count] = event->impulse[0];
    to->tangential[to->count] = hypot(event->impulse[1], event->impulse[2]);
    to->value[to->count++] = event->value;
}

static void put_numbers(pcs_json *json, const char *name, const double *values, int64_t count)
{
    pcs_json_begin_array(json, name, PCS_JSON_F64, 1, &count);
    pcs_json_put_f64(json, values, (size_t)count);
    pcs_json_end_array(json);
}

static void put_columns(pcs_json *json, const columns *c, int64_t dropped)
{
    const size_t count = (size_t)c->count;
    pcs_json_begin_object(json, "events");
    pcs_json_begin_list(json, "kinds");
    for (int k = 0; k < PCS_EVENT_KIND_COUNT; k++)
        pcs_json_text(json, NULL, pcs_event_kind_name((pcs_event_kind)k));
    pcs_json_end_list(json);
    put_numbers(json, "time", c->time, c->count);
    pcs_json_begin_array(json, "kind", PCS_JSON_U8, 1, &c->count);
    pcs_json_put_u8(json, c->kind, count);
    pcs_json_end_array(json);
    pcs_json_begin_array(json, "object", PCS_JSON_I32, 1, &c->count);
    pcs_json_put_i32(json, c->object, count);
    pcs_json_end_array(json);
    put_numbers(json, "value", c->value, c->count);
    put_numbers(json, "normal", c->normal, c->count);
    put_numbers(json, "tangential", c->tangential, c->count);
    pcs_json_integer(json, "dropped", dropped);
    pcs_json_end_object(json);
}

static pcs_status gather(pcs_report *report, columns *c)
{
    choice chosen = {.there = {0}};
    int64_t count = 0;
    PCS_TRY(each_event(report, count_event, &chosen, NULL));
    share_room(&chosen, report->budget.events);
    for (int k = 0; k < PCS_EVENT_KIND_COUNT; k++)
        count += chosen.kept[k];
    c->time = PCS_NEW_ARRAY(report->ctx, double, count);
    c->value = PCS_NEW_ARRAY(report->ctx, double, count);
    c->normal = PCS_NEW_ARRAY(report->ctx, double, count);
    c->tangential = PCS_NEW_ARRAY(report->ctx, double, count);
    c->object = PCS_NEW_ARRAY(report->ctx, int32_t, count);
    c->kind = PCS_NEW_ARRAY(report->ctx, uint8_t, count);
    if (!c->time || !c->value || !c->normal || !c->tangential || !c->object || !c->kind)
        return PCS_ERROR_MEMORY;
    return each_event(report, keep_event, &chosen, c);
}

pcs_status pcs_report_put_events(pcs_report *report)
{
    columns c = {0};
    const int64_t there = pcs_result_event_count(report->result);
    const int64_t lost = pcs_result_events_dropped(report->result);
    pcs_status status = gather(report, &c);
    if (status >= 0)
        put_columns(&report->json, &c, lost + there - c.count);
    if (status >= 0 && there > c.count)
        status = pcs_report_warn(
            report,
            "%lld of %lld events are shown, an even selection of each kind, to "
            "keep the page small.",
            (long long)c.count, (long long)there);
    if (status >= 0 && lost > 0)
        status = pcs_report_warn(report, "%lld events were lost because frames were stored rarely.",
                                 (long long)lost);
    pcs_free(report->ctx, c.time);
    pcs_free(report->ctx, c.value);
    pcs_free(report->ctx, c.normal);
    pcs_free(report->ctx, c.tangential);
    pcs_free(report->ctx, c.object);
    pcs_free(report->ctx, c.kind);
    return status;
}

#include "plot_impacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char HEAD[] = "contact.", TAIL[] = ".impact";
enum { EVENTS_AT_ONCE = 256, POINTS = 3 };

int32_t plot_impacts_contact(const pcs_result *result, const char *path)
{
    const size_t head = strlen(HEAD), tail = strlen(TAIL), length = strlen(path);
    if (length <= head + tail || strncmp(path, HEAD, head) != 0 ||
        strcmp(path + length - tail, TAIL) != 0)
        return -1;
    for (int32_t i = 0; i < pcs_result_contact_count(result); i++) {
        const char *name = pcs_result_contact_name(result, i);
        if (strlen(name) == length - head - tail && strncmp(name, path + head, strlen(name)) == 0)
            return i;
    }
    return -1;
}

// Impacts of the contact; with x and y their points.
static pcs_status each_impact(pcs_result *result, int32_t contact, double *x, double *y,
                              int64_t *impacts)
{
    pcs_event block[EVENTS_AT_ONCE];
    const int64_t events = pcs_result_event_count(result);
    *impacts = 0;
    for (int64_t first = 0; first < events; first += EVENTS_AT_ONCE) {
        const int64_t n = events - first < EVENTS_AT_ONCE ? events - first : EVENTS_AT_ONCE;
        const pcs_status status = pcs_result_events(result, first, n, block);
        if (status < 0)
            return status;
        for (int64_t i = 0; i < n; i++) {
            if (block[i].kind != PCS_EVENT_IMPACT || block[i].object != contact)
                continue;
            const int64_t at = POINTS * (*impacts)++;
            if (!x)
                continue;
            x[at] = x[at + 1] = x[at + 2] = block[i].time;
            y[at] = 0;
            y[at + 1] = block[i].impulse[0];
            y[at + 2] = NAN;
        }
    }
    return PCS_OK;
}

pcs_status plot_impacts_read(pcs_result *result, int32_t contact, double **x, double **y,
                             int64_t *count)
{
    int64_t impacts;
    *x = *y = NULL;
    *count = 0;
    pcs_status status = each_impact(result, contact, NULL, NULL, &impacts);
    if (status < 0)
        return status;
    *x = malloc((size_t)(POINTS * impacts + 1) * sizeof **x);
    *y = malloc((size_t)(POINTS * impacts + 1) * sizeof **y);
    if (!*x || !*y) {
        free(*x);
        free(*y);
        *x = *y = NULL;
        return PCS_ERROR_MEMORY;
    }
    *count = POINTS * impacts;
    return each_impact(result, contact, *x, *y, &impacts);
}

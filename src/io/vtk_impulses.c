// Sums of contact impulses between exported frames. A stored frame holds the impulse since the frame
// before it along the axes of the contact in it; impacts are events in between, and are turned into the
// world by the axes of the first frame that is not before them.
#include "io/vtk_impulses.h"

#include <string.h>

enum { EVENTS_AT_ONCE = 256 };

pcs_vec3 pcs_vtk_contact_vector(const double *normal, const double *tangent, const double *r)
{
    const pcs_vec3 n = pcs_v3_load(normal), t1 = pcs_v3_load(tangent);
    return pcs_v3_axpy(pcs_v3_axpy(pcs_v3_scale(r[0], n), r[1], t1), r[2], pcs_v3_cross(n, t1));
}

pcs_status pcs_vtk_impulses_create(pcs_context *ctx, pcs_result *result, const double *times,
                                   int64_t first, pcs_vtk_impulses *sums)
{
    const int32_t contacts = result->objects[PCS_OWNER_CONTACT];
    double **const arrays[] = {&sums->all, &sums->impact, &sums->impulse, &sums->normal,
                               &sums->tangent};
    *sums = (pcs_vtk_impulses){.ctx = ctx, .result = result, .times = times, .next_frame = first};
    sums->stored = contacts > 0 && result->dataset[PCS_QUANTITY_CONTACT_IMPULSE] >= 0;
    if (!sums->stored)
        return PCS_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = PCS_NEW_ARRAY(ctx, double, 3 * (int64_t)contacts);
        if (!*arrays[i])
            return PCS_ERROR_MEMORY;
    }
    sums->impacts = PCS_NEW_ARRAY(ctx, int32_t, contacts);
    return sums->impacts ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_vtk_impulses_free(pcs_vtk_impulses *sums)
{
    pcs_free(sums->ctx, sums->all);
    pcs_free(sums->ctx, sums->impact);
    pcs_free(sums->ctx, sums->impacts);
    pcs_free(sums->ctx, sums->impulse);
    pcs_free(sums->ctx, sums->normal);
    pcs_free(sums->ctx, sums->tangent);
}

static void add(pcs_vtk_impulses *sums, double *to, int32_t slot, const double *r)
{
    const pcs_vec3 p = pcs_vtk_contact_vector(sums->normal + 3 * slot, sums->tangent + 3 * slot, r);
    pcs_v3_store(to + 3 * slot, pcs_v3_add(pcs_v3_load(to + 3 * slot), p));
}

// Impacts up to the time of a frame. Those before the first frame summed are passed over.
static pcs_status add_impacts(pcs_vtk_impulses *sums, int64_t frame, bool counts)
{
    pcs_event block[EVENTS_AT_ONCE];
    const int64_t count = pcs_result_event_count(sums->result);
    while (sums->next_event < count) {
        const int64_t left = count - sums->next_event;
        const int64_t n = left < EVENTS_AT_ONCE ? left : EVENTS_AT_ONCE;
        PCS_TRY(pcs_result_events(sums->result, sums->next_event, n, block));
        for (int64_t i = 0; i < n; i++) {
            const pcs_event *e = &block[i];
            if (e->time > sums->times[frame])
                return PCS_OK;
            sums->next_event++;
            if (!counts || e->kind != PCS_EVENT_IMPACT || e->object < 0 ||
                e->object >= sums->result->objects[PCS_OWNER_CONTACT])
                continue;
            add(sums, sums->impact, e->object, e->impulse);
            sums->impacts[e->object] += e->value > 0; // a contact at rest passes one on
        }
    }
    return PCS_OK;
}

static pcs_status read(pcs_vtk_impulses *sums, pcs_quantity quantity, int64_t frame, double *values)
{
    if (sums->result->dataset[quantity] < 0)
        return PCS_OK; // zeros
    return pcs_result_read(sums->result, pcs_quantity_table[quantity].dataset,
                           (pcs_frame_range){frame, 1, 1}, values);
}

pcs_status pcs_vtk_impulses_gather(pcs_vtk_impulses *sums, int64_t frame)
{
    const int32_t contacts = sums->result->objects[PCS_OWNER_CONTACT];
    if (!sums->stored)
        return PCS_OK;
    memset(sums->all, 0, 3 * (size_t)contacts * sizeof *sums->all);
    memset(sums->impact, 0, 3 * (size_t)contacts * sizeof *sums->impact);
    memset(sums->impacts, 0, (size_t)contacts * sizeof *sums->impacts);
    if (sums->next_event == 0 && sums->next_frame > 0)
        PCS_TRY(add_impacts(sums, sums->next_frame - 1, false));
    for (; sums->next_frame <= frame; sums->next_frame++) {
        PCS_TRY(read(sums, PCS_QUANTITY_CONTACT_IMPULSE, sums->next_frame, sums->impulse));
        PCS_TRY(read(sums, PCS_QUANTITY_CONTACT_NORMAL, sums->next_frame, sums->normal));
        PCS_TRY(read(sums, PCS_QUANTITY_CONTACT_TANGENT1, sums->next_frame, sums->tangent));
        for (int32_t i = 0; i < contacts; i++)
            add(sums, sums->all, i, sums->impulse + 3 * i);
        PCS_TRY(add_impacts(sums, sums->next_frame, true));
    }
    return PCS_OK;
}

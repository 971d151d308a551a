// Scenes under schemes that locate events: another simulation of a finished scene, and its events.
#ifndef PCS_TESTS_SUPPORT_EVENT_SCENES_H
#define PCS_TESTS_SUPPORT_EVENT_SCENES_H

#include <math.h>

#include "support/scenes.h"

// The scene's model, finished if it is not, under `scheme`; the old simulation is destroyed.
static inline void scene_use(scene *s, const char *scheme, double h, double end)
{
    if (!s->model)
        scene_finish(s, h, end);
    pcs_simulation_def def = pcs_simulation_default();
    def.scheme = scheme;
    def.step = h;
    def.end = end;
    pcs_simulation_destroy(s->simulation);
    s->simulation = NULL;
    scene_require(s, pcs_simulation_create(s->ctx, s->model, &def, &s->simulation));
}

// Event number `which` (from 0) of a kind at a contact (-1: any), or one at time NAN.
static inline pcs_event scene_event(const scene *s, pcs_event_kind kind, int32_t object,
                                    int64_t which)
{
    pcs_event event;
    const int64_t n = pcs_simulation_event_count(s->simulation);
    for (int64_t i = 0; i < n; ++i)
        if (pcs_simulation_event(s->simulation, i, &event) && event.kind == kind &&
            (object < 0 || event.object == object) && which-- == 0)
            return event;
    return (pcs_event){.time = NAN, .value = NAN, .kind = kind, .object = -1};
}

#endif

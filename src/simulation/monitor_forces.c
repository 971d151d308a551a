// Which contact forces are not determined. Forces lambda of closed contacts move the bodies by
// G^T lambda alone: where rows of G depend on each other (four corners of a box on a floor, sticking
// contacts that push against each other) there are lambda with G^T lambda = 0, as many as G lacks rank,
// and a rigid model does not say how much of them acts. The rank of W = G M^-1 G^T on the closed
// contacts is that of G; the factorisation of the smooth equations has found it (saddle_rank.c).
#include "simulation/monitor.h"

// A contact whose row depends on others; -1 if the factorisation named rows of joints.
static int32_t find_contact(const pcs_simulation *s, const pcs_smooth *smooth,
                            const uint8_t *redundant)
{
    for (int32_t i = 0; i < s->model->n_slots; ++i) {
        const int32_t first = pcs_smooth_slot_row(smooth, i);
        const bool sticks = pcs_smooth_phase(smooth)->mode[i] == PCS_MODE_STICK;
        const int32_t size = sticks ? pcs_smooth_slot_size(smooth, i) : 1;
        for (int32_t k = 0; first >= 0 && k < size; ++k)
            if (redundant[first + k])
                return i;
    }
    return -1;
}

void pcs_monitor_look_at_forces(pcs_simulation *s, const pcs_smooth *smooth)
{
    pcs_statistics *st = &s->statistics;
    const int32_t rows = pcs_smooth_row_count(smooth), components = rows - s->model->n_rows;
    const uint8_t *redundant = pcs_smooth_redundant(smooth);
    int32_t free_components = -st->redundant_rows; // joints alone are told as such
    for (int32_t i = 0; i < rows; ++i)
        free_components += redundant[i] != 0;
    if (components == 0)
        return;
    if (free_components > st->free_forces.value) {
        st->free_forces = (pcs_extreme){free_components, *s->state.t,
                                        find_contact(s, smooth, redundant)};
        st->force_components = components;
    } else if (st->free_forces.value == 0 && components > st->force_components) {
        st->force_components = components;
    }
}

#include "io/result_events.h"

static hid_t create_kind_type(void)
{
    hid_t type = H5Tenum_create(H5T_NATIVE_UINT8);
    bool ok = type >= 0;
    for (uint8_t k = 0; ok && k < PCS_EVENT_KIND_COUNT; k++)
        ok = H5Tenum_insert(type, pcs_event_kind_name((pcs_event_kind)k), &k) >= 0;
    if (ok)
        return type;
    pcs_hdf5_close(type);
    return H5I_INVALID_HID;
}

static bool put_dropped(hid_t file, int64_t dropped, bool first)
{
    hid_t group = H5Gopen2(file, PCS_RESULT_EVENT, H5P_DEFAULT);
    bool ok = group >= 0 &&
              (first ? pcs_hdf5_put_integer(group, PCS_RESULT_ATTRIBUTE_DROPPED, dropped)
                     : pcs_hdf5_set_integer(group, PCS_RESULT_ATTRIBUTE_DROPPED, dropped));
    pcs_hdf5_close(group);
    return ok;
}

void pcs_event_store_init(pcs_event_store *store)
{
    *store = (pcs_event_store){.kind_type = H5I_INVALID_HID};
    for (int c = 0; c < PCS_EVENT_COLUMN_COUNT; c++)
        store->dataset[c] = H5I_INVALID_HID;
}

bool pcs_event_store_create(pcs_event_store *store, hid_t file, const pcs_simulation *simulation)
{
    store->next = pcs_simulation_event_count(simulation);
    store->kind_type = create_kind_type();
    if (store->kind_type < 0 || !pcs_hdf5_create_group(file, PCS_RESULT_EVENT) ||
        !put_dropped(file, 0, true))
        return false;
    const hid_t type[PCS_EVENT_COLUMN_COUNT] = {
        [PCS_EVENT_COLUMN_TIME] = H5T_IEEE_F64LE,
        [PCS_EVENT_COLUMN_KIND] = store->kind_type,
        [PCS_EVENT_COLUMN_OBJECT] = H5T_STD_I32LE,
        [PCS_EVENT_COLUMN_VALUE] = H5T_IEEE_F64LE,
        [PCS_EVENT_COLUMN_IMPULSE] = H5T_IEEE_F64LE,
        [PCS_EVENT_COLUMN_IMPULSE + 1] = H5T_IEEE_F64LE,
        [PCS_EVENT_COLUMN_IMPULSE + 2] = H5T_IEEE_F64LE,
    };
    for (int c = 0; c < PCS_EVENT_COLUMN_COUNT; c++) {
        const pcs_event_column_row *row = &pcs_event_column_table[c];
        store->dataset[c] = pcs_hdf5_create_column(file, row->dataset, type[c], PCS_EVENT_BATCH,
                                                   row->unit, row->description);
        if (store->dataset[c] < 0)
            return false;
    }
    return true;
}

static bool write_batch(pcs_event_store *store)
{
    const int64_t stored = store->stored, count = store->gathered;
    if (count == 0)
        return true;
    bool ok = pcs_hdf5_append_column(store->dataset[PCS_EVENT_COLUMN_TIME], H5T_NATIVE_DOUBLE,
                                     stored, count, store->time) &&
              pcs_hdf5_append_column(store->dataset[PCS_EVENT_COLUMN_KIND], store->kind_type,
                                     stored, count, store->kind) &&
              pcs_hdf5_append_column(store->dataset[PCS_EVENT_COLUMN_OBJECT], H5T_NATIVE_INT32,
                                     stored, count, store->object) &&
              pcs_hdf5_append_column(store->dataset[PCS_EVENT_COLUMN_VALUE], H5T_NATIVE_DOUBLE,
                                     stored, count, store->value);
    for (int k = 0; ok && k < 3; k++)
        ok = pcs_hdf5_append_column(store->dataset[PCS_EVENT_COLUMN_IMPULSE + k], H5T_NATIVE_DOUBLE,
                                    stored, count, store->impulse[k]);
    if (ok) {
        store->stored += count;
        store->gathered = 0;
    }
    return ok;
}

bool pcs_event_store_take(pcs_event_store *store, const pcs_simulation *simulation)
{
    const int64_t end = pcs_simulation_event_count(simulation);
    if (store->next > end)
        store->next = end; // another state was loaded, which begins its count anew
    for (; store->next < end; store->next++) {
        pcs_event event;
        if (!pcs_simulation_event(simulation, store->next, &event)) {
            store->dropped++;
            continue;
        }
        if (store->gathered == PCS_EVENT_BATCH && !write_batch(store))
            return false;
        store->time[store->gathered] = event.time;
        store->kind[store->gathered] = (uint8_t)event.kind;
        store->object[store->gathered] = event.object;
        for (int k = 0; k < 3; k++)
            store->impulse[k][store->gathered] = event.impulse[k];
        store->value[store->gathered++] = event.value;
    }
    return true;
}

bool pcs_event_store_write(pcs_event_store *store, hid_t file)
{
    if (!write_batch(store))
        return false;
    if (store->dropped == store->dropped_stored)
        return true;
    store->dropped_stored = store->dropped;
    return put_dropped(file, store->dropped, false);
}

void pcs_event_store_close(pcs_event_store *store)
{
    for (int c = 0; c < PCS_EVENT_COLUMN_COUNT; c++)
        pcs_hdf5_close(store->dataset[c]);
    pcs_hdf5_close(store->kind_type);
    pcs_event_store_init(store);
}

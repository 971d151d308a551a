#include "io/hdf5_record.h"

static hid_t enumeration(const char *(*names)(int32_t value))
{
    hid_t type = H5Tenum_create(H5T_NATIVE_INT32);
    const char *name;
    bool ok = type >= 0;
    for (int32_t k = 0; ok && (name = names(k)); k++)
        ok = H5Tenum_insert(type, name, &k) >= 0;
    if (ok)
        return type;
    pcs_hdf5_close(type);
    return H5I_INVALID_HID;
}

static bool insert_member(hid_t table, const pcs_hdf5_member *m, bool with_names)
{
    hid_t number = m->is_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    hid_t own = H5I_INVALID_HID;
    if (m->names && with_names)
        own = enumeration(m->names);
    else if (m->length > 1)
        own = H5Tarray_create2(number, 1, &m->length);
    bool has_own = (m->names && with_names) || m->length > 1;
    bool ok = (!has_own || own >= 0) &&
              H5Tinsert(table, m->name, m->offset, has_own ? own : number) >= 0;
    pcs_hdf5_close(own);
    return ok;
}

hid_t pcs_hdf5_record_type(const pcs_hdf5_member *members, int count, size_t size, bool with_names)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, size);
    bool ok = type >= 0;
    for (int i = 0; ok && i < count; i++)
        ok = insert_member(type, &members[i], with_names);
    if (ok)
        return type;
    pcs_hdf5_close(type);
    return H5I_INVALID_HID;
}

pcs_status pcs_hdf5_read_rows(pcs_context *ctx, hid_t file, const char *path, int32_t columns,
                              hid_t type, int32_t *count, void **data)
{
    hsize_t extent[3] = {0, 1, 1};
    *data = NULL;
    *count = 0;
    if (type < 0)
        return PCS_ERROR_INPUT;
    hid_t dataset = pcs_hdf5_open_dataset(file, path, columns > 1 ? 2 : 1, extent);
    if (dataset < 0)
        return PCS_ERROR_INPUT;
    pcs_status status = PCS_ERROR_INPUT;
    if (extent[0] <= INT32_MAX && extent[1] == (hsize_t)columns && pcs_hdf5_is_stored(dataset)) {
        *data = pcs_calloc(ctx, (size_t)(extent[0] * extent[1]), H5Tget_size(type));
        status = *data ? PCS_OK : PCS_ERROR_MEMORY;
        if (*data && extent[0] > 0 &&
            H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0)
            status = PCS_ERROR_INPUT;
        *count = status >= 0 ? (int32_t)extent[0] : 0;
    }
    pcs_hdf5_close(dataset);
    return status;
}

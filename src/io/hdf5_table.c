#include "io/hdf5_table.h"

#include <stdio.h>
#include <string.h>

#include "io/result_layout.h"

// ---- Writing ----

bool pcs_hdf5_create_group(hid_t file, const char *path)
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = H5I_INVALID_HID;
    if (creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
        group = H5Gcreate2(file, path, H5P_DEFAULT, creation, H5P_DEFAULT);
    pcs_hdf5_close(creation);
    pcs_hdf5_close(group);
    return group >= 0;
}

bool pcs_hdf5_put_table(hid_t file, const char *path, hid_t type, int rank, const hsize_t *size,
                        const void *data)
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;
    if (space >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
        dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool ok = dataset >= 0 &&
              (size[0] == 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    pcs_hdf5_close(dataset);
    pcs_hdf5_close(creation);
    pcs_hdf5_close(space);
    return ok;
}

pcs_status pcs_hdf5_put_names(pcs_context *ctx, hid_t file, const char *path,
                              const char *const *names, int32_t count, int32_t columns)
{
    hsize_t size[2] = {(hsize_t)count, (hsize_t)columns};
    size_t length = 0, n = (size_t)count * (size_t)columns;
    for (size_t i = 0; i < n; i++)
        length = strlen(names[i]) > length ? strlen(names[i]) : length;
    char *block = pcs_calloc(ctx, n, length + 1);
    if (!block)
        return PCS_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        memcpy(block + i * (length + 1), names[i], strlen(names[i]));
    hid_t type = pcs_hdf5_text_type(length);
    bool ok = type >= 0 && pcs_hdf5_put_table(file, path, type, columns > 1 ? 2 : 1, size, block);
    pcs_hdf5_close(type);
    pcs_free(ctx, block);
    return ok ? PCS_OK : PCS_ERROR_IO;
}

hid_t pcs_hdf5_growing_access(void)
{
    hid_t properties = H5Pcreate(H5P_DATASET_ACCESS);
    if (properties >= 0 && H5Pset_chunk_cache(properties, 1, 0, 1) >= 0)
        return properties;
    pcs_hdf5_close(properties);
    return H5I_INVALID_HID;
}

hid_t pcs_hdf5_create_column(hid_t file, const char *path, hid_t type, hsize_t chunk,
                             const char *unit, const char *description)
{
    const hsize_t none = 0, most = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &none, &most);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t growing = pcs_hdf5_growing_access();
    hid_t dataset = H5I_INVALID_HID;
    if (space >= 0 && creation >= 0 && growing >= 0 && H5Pset_chunk(creation, 1, &chunk) >= 0 &&
        H5Pset_obj_track_times(creation, false) >= 0)
        dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, growing);
    bool ok = dataset >= 0 && pcs_hdf5_put_text(dataset, PCS_RESULT_ATTRIBUTE_UNIT, unit) &&
              pcs_hdf5_put_text(dataset, PCS_RESULT_ATTRIBUTE_DESCRIPTION, description);
    pcs_hdf5_close(growing);
    pcs_hdf5_close(creation);
    pcs_hdf5_close(space);
    if (ok)
        return dataset;
    pcs_hdf5_close(dataset);
    return H5I_INVALID_HID;
}

bool pcs_hdf5_append_column(hid_t dataset, hid_t type, int64_t stored, int64_t count,
                            const void *data)
{
    const hsize_t start = (hsize_t)stored, number = (hsize_t)count, whole = start + number;
    if (H5Dset_extent(dataset, &whole) < 0)
        return false;
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(1, &number, NULL);
    bool ok = space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &number, NULL) >= 0 &&
              H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, data) >= 0;
    pcs_hdf5_close(memory);
    pcs_hdf5_close(space);
    return ok;
}

// ---- Opening ----

// HDF5 itself wants to be asked part by part.
bool pcs_hdf5_has_object(hid_t file, const char *path)
{
    char part[64];
    for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Lexists(file, path, H5P_DEFAULT) > 0;
}

hid_t pcs_hdf5_open_dataset(hid_t file, const char *path, int rank, hsize_t extent[3])
{
    if (!pcs_hdf5_has_object(file, path))
        return H5I_INVALID_HID;
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, extent, NULL) == rank;
    pcs_hdf5_close(space);
    if (fits)
        return dataset;
    pcs_hdf5_close(dataset);
    return H5I_INVALID_HID;
}

hsize_t pcs_hdf5_numbers_stored(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset);
    const size_t size = type >= 0 ? H5Tget_size(type) : 0;
    pcs_hdf5_close(type);
    return size > 0 ? H5Dget_storage_size(dataset) / (hsize_t)size : 0;
}

bool pcs_hdf5_is_stored(hid_t dataset)
{
    hid_t space = H5Dget_space(dataset);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    pcs_hdf5_close(space);
    return count == 0 || (count > 0 && (hsize_t)count <= pcs_hdf5_numbers_stored(dataset));
}

// ---- Files that were cut off ----

// True if a dataset without chunks lies in the first `size` bytes.
static bool is_there(hid_t dataset, hsize_t size)
{
    hid_t creation = H5Dget_create_plist(dataset);
    H5D_layout_t layout = creation >= 0 ? H5Pget_layout(creation) : H5D_LAYOUT_ERROR;
    pcs_hdf5_close(creation);
    if (layout == H5D_COMPACT)
        return true; // it lies in the header, which has been read
    hsize_t stored = H5Dget_storage_size(dataset);
    if (layout != H5D_CONTIGUOUS || stored == 0)
        return layout == H5D_CONTIGUOUS;
    haddr_t address = H5Dget_offset(dataset);
    return address != HADDR_UNDEF && address <= size && stored <= size - address;
}

int64_t pcs_hdf5_rows_there(hid_t dataset, hsize_t rows, hsize_t size)
{
#if H5_VERSION_GE(1, 10, 5)
    hsize_t chunk[3] = {0, 0, 0}, place[3] = {0, 0, 0};
    hid_t creation = H5Dget_create_plist(dataset);
    bool chunked = creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED &&
                   H5Pget_chunk(creation, 3, chunk) > 0 && chunk[0] > 0;
    pcs_hdf5_close(creation);
    if (!chunked)
        return is_there(dataset, size) ? (int64_t)rows : 0;
    // Chunks span all other indices, so that only the first index moves from one to the next.
    for (; place[0] < rows; place[0] += chunk[0]) {
        unsigned filters = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t stored = 0;
        if (H5Dget_chunk_info_by_coord(dataset, place, &filters, &address, &stored) < 0 ||
            address == HADDR_UNDEF || address > size || stored > size - address)
            return (int64_t)place[0];
    }
    return (int64_t)rows;
#else
    return is_there(dataset, size) ? (int64_t)rows : 0;
#endif
}

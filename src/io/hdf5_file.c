#include "io/hdf5_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file_error.h"

// ---- Errors ----

// Called for each entry of HDF5's error stack, innermost first.
static herr_t note_entry(unsigned n, const H5E_error2_t *entry, void *user)
{
    pcs_hdf5_guard *guard = user;
    const char *text = entry->desc ? entry->desc : "";
    if (n == 0 && !guard->failed)
        snprintf(guard->text, sizeof guard->text, "%s", text);
    // The system's error number is only to be had from the words of the file driver.
    static const char key[] = "errno = ";
    const char *found = strstr(text, key);
    if (found && guard->error_number == 0)
        guard->error_number = (int)strtol(found + sizeof key - 1, NULL, 10);
    return 0;
}

// HDF5 calls this instead of printing, once for each of its functions that fails.
static herr_t note_failure(hid_t stack, void *user)
{
    pcs_hdf5_guard *guard = user;
    H5Ewalk2(stack, H5E_WALK_UPWARD, note_entry, guard);
    guard->failed = true;
    return 0;
}

void pcs_hdf5_enter(pcs_hdf5_guard *guard)
{
    *guard = (pcs_hdf5_guard){.is_version_2 = 1};
    H5Eauto_is_v2(H5E_DEFAULT, &guard->is_version_2);
    if (guard->is_version_2)
        H5Eget_auto2(H5E_DEFAULT, &guard->old_function_2, &guard->old_user);
    else
        H5Eget_auto1(&guard->old_function_1, &guard->old_user);
    H5Eset_auto2(H5E_DEFAULT, note_failure, guard);
}

void pcs_hdf5_leave(pcs_hdf5_guard *guard)
{
    if (guard->is_version_2)
        H5Eset_auto2(H5E_DEFAULT, guard->old_function_2, guard->old_user);
    else
        H5Eset_auto1(guard->old_function_1, guard->old_user);
}

bool pcs_hdf5_says_cut_off(const pcs_hdf5_guard *guard)
{
    return guard->failed && strstr(guard->text, "truncated");
}

pcs_status pcs_hdf5_error(pcs_context *ctx, const pcs_hdf5_guard *guard, const char *path,
                          const char *what)
{
    char words[128];
    const char *reason;
    if (guard->error_number != 0)
        reason = pcs_file_error_text(guard->error_number, words, sizeof words);
    else if (pcs_hdf5_says_cut_off(guard))
        reason = "the file is cut off; copy it again or repeat the run";
    else
        reason = guard->failed ? guard->text : "unknown reason";
    return pcs_error(ctx, PCS_ERROR_IO, "%s: cannot %s: %s", path, what, reason);
}

void pcs_hdf5_close(hid_t id)
{
    if (id < 0)
        return;
    switch (H5Iget_type(id)) {
    case H5I_FILE:
        H5Fclose(id);
        break;
    case H5I_DATASET:
        H5Dclose(id);
        break;
    case H5I_GROUP:
        H5Gclose(id);
        break;
    case H5I_DATATYPE:
        H5Tclose(id);
        break;
    case H5I_DATASPACE:
        H5Sclose(id);
        break;
    case H5I_ATTR:
        H5Aclose(id);
        break;
    case H5I_GENPROP_LST:
        H5Pclose(id);
        break;
    default:
        break;
    }
}

// ---- Attributes ----

hid_t pcs_hdf5_text_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, length + 1) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
        H5Tset_strpad(type, H5T_STR_NULLTERM) >= 0)
        return type;
    pcs_hdf5_close(type);
    return H5I_INVALID_HID;
}

static bool put(hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5I_INVALID_HID;
    if (space >= 0)
        attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    pcs_hdf5_close(attribute);
    pcs_hdf5_close(space);
    return ok;
}

bool pcs_hdf5_put_text(hid_t object, const char *name, const char *text)
{
    hid_t type = pcs_hdf5_text_type(strlen(text));
    bool ok = type >= 0 && put(object, name, type, type, text);
    pcs_hdf5_close(type);
    return ok;
}

bool pcs_hdf5_put_integer(hid_t object, const char *name, int64_t value)
{
    return put(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

bool pcs_hdf5_put_real(hid_t object, const char *name, double value)
{
    return put(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

// Opens an attribute that is one number, or one string if `text`; negative if there is none.
static hid_t open_scalar(hid_t object, const char *name, bool text)
{
    if (H5Aexists(object, name) <= 0)
        return H5I_INVALID_HID;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return attribute;
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    H5T_class_t kind = H5Tget_class(type);
    bool fits = H5Sget_simple_extent_npoints(space) == 1 &&
                (text ? kind == H5T_STRING : kind == H5T_INTEGER || kind == H5T_FLOAT);
    pcs_hdf5_close(type);
    pcs_hdf5_close(space);
    if (fits)
        return attribute;
    H5Aclose(attribute);
    return H5I_INVALID_HID;
}

bool pcs_hdf5_set_integer(hid_t object, const char *name, int64_t value)
{
    hid_t attribute = open_scalar(object, name, false);
    bool ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0;
    pcs_hdf5_close(attribute);
    return ok;
}

bool pcs_hdf5_get_integer(hid_t object, const char *name, int64_t *value)
{
    hid_t attribute = open_scalar(object, name, false);
    bool ok = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;
    pcs_hdf5_close(attribute);
    return ok;
}

bool pcs_hdf5_get_real(hid_t object, const char *name, double *value)
{
    hid_t attribute = open_scalar(object, name, false);
    bool ok = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
    pcs_hdf5_close(attribute);
    return ok;
}

pcs_status pcs_hdf5_read_texts(pcs_context *ctx, hid_t object, int64_t count, char **out,
                               size_t *size)
{
    *out = NULL;
    bool is_attribute = H5Iget_type(object) == H5I_ATTR;
    hid_t stored = is_attribute ? H5Aget_type(object) : H5Dget_type(object);
    bool fits = stored >= 0 && H5Tget_class(stored) == H5T_STRING &&
                H5Tis_variable_str(stored) == 0;
    size_t length = fits ? H5Tget_size(stored) : 0;
    pcs_hdf5_close(stored);
    if (!fits || length == 0)
        return PCS_ERROR_INPUT;
    // One byte more than stored: a damaged text may lack its terminating zero.
    *size = length + 1;
    char *texts = pcs_calloc(ctx, (size_t)count, *size);
    if (!texts)
        return PCS_ERROR_MEMORY;
    hid_t type = pcs_hdf5_text_type(length);
    herr_t status = -1;
    if (type >= 0)
        status = is_attribute ? H5Aread(object, type, texts)
                              : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts);
    pcs_hdf5_close(type);
    if (status >= 0) {
        *out = texts;
        return PCS_OK;
    }
    pcs_free(ctx, texts);
    return PCS_ERROR_INPUT;
}

pcs_status pcs_hdf5_get_text(pcs_context *ctx, hid_t object, const char *name, char **out)
{
    *out = NULL;
    size_t size = 0;
    hid_t attribute = open_scalar(object, name, true);
    if (attribute < 0)
        return PCS_ERROR_INPUT;
    pcs_status status = pcs_hdf5_read_texts(ctx, attribute, 1, out, &size);
    H5Aclose(attribute);
    return status;
}

#include "support/hdf5_edit.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/checks.h"

enum { OBJECTS_MOST = 256, NAME_SIZE = 96, EDITS_MOST = 6, BYTES_MOST = 1 << 16 };

typedef struct editor {
    hid_t file;
    fuzz_choices *c;
    int count;
    char name[OBJECTS_MOST][NAME_SIZE]; // of groups and datasets
} editor;

// ---- Types and spaces ----

static hid_t make_type(fuzz_choices *c)
{
    const hid_t numbers[] = {H5T_IEEE_F64LE, H5T_STD_I32LE,  H5T_STD_I64LE,
                             H5T_STD_U8LE,   H5T_IEEE_F32BE, H5T_STD_U64LE,
                             H5T_STD_B16LE,  H5T_STD_I16BE,  H5T_STD_REF_OBJ};
    hid_t type;
    switch (fuzz_pick(c, 8)) {
    case 0: // text of a fixed length
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, (size_t)1 + (size_t)fuzz_pick(c, 40));
        return type;
    case 1:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    case 2:
        type = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(type, fuzz_once_in(c, 2) ? "kind" : "x", 0, H5T_STD_I32LE);
        H5Tinsert(type, "value", 8, H5T_IEEE_F64LE);
        return type;
    case 3:
        type = H5Tenum_create(H5T_STD_I32LE);
        H5Tenum_insert(type, "one", &(int32_t){fuzz_pick(c, 3)});
        return type;
    case 4:
        return H5Tvlen_create(H5T_IEEE_F64LE);
    default:
        return H5Tcopy(numbers[fuzz_pick(c, (int)(sizeof numbers / sizeof *numbers))]);
    }
}

static hsize_t choose_extent(fuzz_choices *c, hsize_t old)
{
    const hsize_t extents[] = {old,
                               old + 1,
                               old > 0 ? old - 1 : 0,
                               0,
                               1,
                               2,
                               3,
                               10,
                               2 * old,
                               1000,
                               (hsize_t)1 << 31,
                               (hsize_t)1 << 40,
                               (hsize_t)1 << 62};
    return extents[fuzz_pick(c, (int)(sizeof extents / sizeof *extents))];
}

// ---- Values ----

static void put_strange_number(fuzz_choices *c, unsigned char *to, size_t size, H5T_class_t class)
{
    static const int64_t integers[] = {-1,        0,         1,         2,          3,   INT32_MAX,
                                       INT32_MIN, INT64_MAX, INT64_MIN, 1000000000, 255, -2};
    static const double reals[] = {NAN, INFINITY, -INFINITY, -1, 1e300, -1e300, 1e-310, 0, 1e10};
    if (class == H5T_FLOAT && size == sizeof(double)) {
        memcpy(to, &reals[fuzz_pick(c, (int)(sizeof reals / sizeof *reals))], size);
    } else if (class == H5T_INTEGER && size <= sizeof(int64_t)) {
        memcpy(to, &integers[fuzz_pick(c, (int)(sizeof integers / sizeof *integers))], size);
    } else {
        for (size_t i = 0; i < size; i++)
            to[i] = (unsigned char)fuzz_pick(c, 256);
    }
}

// Members of compound types are numbers of their own.
static void change_element(fuzz_choices *c, unsigned char *element, hid_t type)
{
    if (H5Tget_class(type) == H5T_COMPOUND) {
        const unsigned member = (unsigned)fuzz_pick(c, H5Tget_nmembers(type));
        const hid_t inner = H5Tget_member_type(type, member);
        put_strange_number(c, element + H5Tget_member_offset(type, member), H5Tget_size(inner),
                           H5Tget_class(inner));
        H5Tclose(inner);
    } else {
        put_strange_number(c, element, H5Tget_size(type), H5Tget_class(type));
    }
}

// Pointers of variable lengths stay as they are.
static bool has_plain_values(hid_t type)
{
    return type >= 0 && H5Tdetect_class(type, H5T_VLEN) <= 0 && H5Tis_variable_str(type) <= 0 &&
           H5Tdetect_class(type, H5T_REFERENCE) <= 0;
}

static void change_values(editor *e, const char *name)
{
    const hid_t dataset = H5Dopen2(e->file, name, H5P_DEFAULT);
    const hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    const size_t size = type >= 0 ? H5Tget_size(type) : 0;
    if (has_plain_values(type) && n > 0 && n <= (hssize_t)(BYTES_MOST / size)) {
        unsigned char *bytes = calloc((size_t)n, size);
        if (bytes && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0) {
            for (int k = 1 + fuzz_pick(e->c, 4); k > 0; k--)
                change_element(e->c, bytes + size * (fuzz_word(e->c) % (uint64_t)n), type);
            H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
        }
        free(bytes);
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
}

static void change_rows(editor *e, const char *name)
{
    hsize_t extent[H5S_MAX_RANK];
    const hid_t dataset = H5Dopen2(e->file, name, H5P_DEFAULT);
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : 0;
    if (rank > 0) {
        extent[0] = choose_extent(e->c, extent[0]);
        H5Dset_extent(dataset, extent); // of a dataset that cannot grow it fails
    }
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
}

// ---- Objects ----

// A dataset of the same name with another type, rank or extent; a part of it keeps those of the old.
static void replace(editor *e, const char *name)
{
    hsize_t extent[H5S_MAX_RANK] = {1, 1, 1, 1}, chunk[4] = {1, 1, 1, 1};
    const hid_t old = H5Dopen2(e->file, name, H5P_DEFAULT);
    const hid_t old_space = old >= 0 ? H5Dget_space(old) : -1;
    int rank = old_space >= 0 ? H5Sget_simple_extent_dims(old_space, extent, NULL) : 1;
    const hid_t type = old >= 0 && fuzz_once_in(e->c, 2) ? H5Dget_type(old) : make_type(e->c);
    if (old_space >= 0)
        H5Sclose(old_space);
    if (old >= 0)
        H5Dclose(old);
    if (fuzz_once_in(e->c, 2))
        rank = fuzz_pick(e->c, 5);
    for (int i = 0; i < rank && rank <= 4; i++) {
        if (fuzz_once_in(e->c, 2))
            extent[i] = choose_extent(e->c, extent[i]);
    }
    const hid_t space = rank <= 4 ? H5Screate_simple(rank, extent, NULL) : -1;
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const int layout = fuzz_pick(e->c, 4);
    if (layout > 1 && rank > 0)
        H5Pset_chunk(creation, rank, chunk);
    if (layout == 3)
        H5Pset_deflate(creation, 6);
    // Room for a large extent is only declared.
    H5Pset_alloc_time(creation, layout > 1 ? H5D_ALLOC_TIME_INCR : H5D_ALLOC_TIME_LATE);
    H5Ldelete(e->file, name, H5P_DEFAULT);
    const hid_t made = space >= 0 ? H5Dcreate2(e->file, name, type, space, H5P_DEFAULT, creation,
                                               H5P_DEFAULT)
                                  : -1;
    if (made >= 0)
        H5Dclose(made);
    H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    H5Tclose(type);
    if (fuzz_once_in(e->c, 2))
        change_values(e, name);
}

// Walks over attributes until as many have been passed, or to the last one.
typedef struct attribute_walk {
    int left;
    char name[NAME_SIZE];
} attribute_walk;

static herr_t walk_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user)
{
    (void)object;
    (void)info;
    attribute_walk *walk = user;
    snprintf(walk->name, NAME_SIZE, "%s", name);
    return walk->left-- <= 0;
}

static void change_attribute(editor *e, const char *name)
{
    attribute_walk walk = {.left = fuzz_pick(e->c, 64)};
    const hid_t object = H5Oopen(e->file, name, H5P_DEFAULT);
    if (object >= 0)
        H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &(hsize_t){0}, walk_attribute, &walk);
    const char *attribute = walk.name;
    const hid_t old = *attribute ? H5Aopen(object, attribute, H5P_DEFAULT) : -1;
    if (old >= 0) {
        hid_t type = H5Aget_type(old);
        const hid_t old_space = H5Aget_space(old);
        const bool scalar = H5Sget_simple_extent_npoints(old_space) == 1;
        unsigned char value[256] = {0};
        H5Sclose(old_space);
        if (scalar && has_plain_values(type) && H5Tget_size(type) <= sizeof value &&
            fuzz_once_in(e->c, 2)) {
            change_element(e->c, value, type);
            H5Awrite(old, type, value);
            H5Aclose(old);
        } else {
            H5Aclose(old);
            H5Adelete(object, attribute);
            if (fuzz_once_in(e->c, 2)) {
                H5Tclose(type);
                type = make_type(e->c);
            }
            const hsize_t extent[2] = {(hsize_t)fuzz_pick(e->c, 4), 2};
            const hid_t space = H5Screate_simple(fuzz_pick(e->c, 3), extent, NULL);
            const hid_t made = fuzz_once_in(e->c, 3) ? -1
                                                     : H5Acreate2(object, attribute, type, space,
                                                                  H5P_DEFAULT, H5P_DEFAULT);
            if (made >= 0)
                H5Aclose(made);
            H5Sclose(space);
        }
        H5Tclose(type);
    }
    if (object >= 0)
        H5Oclose(object);
}

static void edit(editor *e)
{
    const char *name = e->name[(uint32_t)fuzz_pick(e->c, 256) % (uint32_t)e->count];
    const char *other = e->name[(uint32_t)fuzz_pick(e->c, 256) % (uint32_t)e->count];
    hid_t group;
    switch (fuzz_pick(e->c, 12)) {
    case 0:
    case 1:
    case 2:
    case 3:
        change_values(e, name);
        break;
    case 4:
        change_rows(e, name);
        break;
    case 5:
    case 6:
        replace(e, name);
        break;
    case 7:
        change_attribute(e, fuzz_once_in(e->c, 2) ? "." : name);
        break;
    case 8:
        H5Ldelete(e->file, name, H5P_DEFAULT);
        break;
    case 9: // a group in place of a dataset
        H5Ldelete(e->file, name, H5P_DEFAULT);
        group = H5Gcreate2(e->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (group >= 0)
            H5Gclose(group);
        break;
    case 10: // another object, or itself
        H5Ldelete(e->file, name, H5P_DEFAULT);
        if (fuzz_once_in(e->c, 2))
            H5Lcreate_hard(e->file, other, e->file, name, H5P_DEFAULT, H5P_DEFAULT);
        else
            H5Lcreate_soft(other, e->file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    default: // in another file
        H5Ldelete(e->file, name, H5P_DEFAULT);
        H5Lcreate_external("/dev/null", other, e->file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    }
}

// ---- The file ----

static herr_t note_object(hid_t file, const char *name, const H5L_info_t *info, void *user)
{
    (void)file;
    (void)info;
    editor *e = user;
    if (e->count < OBJECTS_MOST && strlen(name) < NAME_SIZE)
        snprintf(e->name[e->count++], NAME_SIZE, "%s", name);
    return 0;
}

const char *fuzz_edit_hdf5(const fuzz_image *image, fuzz_choices *c)
{
    static editor e;
    const char *path = fuzz_file(image->bytes, image->size);
    e.count = 0;
    e.c = c;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    e.file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (e.file < 0 || H5Lvisit(e.file, H5_INDEX_NAME, H5_ITER_NATIVE, note_object, &e) < 0)
        abort();
    for (int i = 0; i < EDITS_MOST && e.count > 0 && fuzz_has_choices(c); i++)
        edit(&e);
    H5Fclose(e.file);
    return path;
}

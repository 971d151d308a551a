#include "io/hdf5_driver.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// HDF5 owns the life of this object and frees it through close_file; hence malloc.
typedef struct driver_file {
    H5FD_t base; // must come first
    int descriptor;
    haddr_t allocated; // HDF5's end of allocation
    haddr_t size;
    pcs_hdf5_note *note;
} driver_file;

// What the property list carries; HDF5 copies it byte by byte.
typedef struct driver_info {
    pcs_hdf5_note *note;
} driver_info;

static const haddr_t LARGEST_ADDRESS = ((haddr_t)1 << (8 * sizeof(off_t) - 1)) - 1;

static H5FD_t *open_file(const char *name, unsigned flags, hid_t properties, haddr_t largest)
{
    (void)largest;
    const driver_info *info = H5Pget_driver_info(properties);
    driver_file *file = info ? calloc(1, sizeof *file) : NULL;
    if (!file)
        return NULL;
    int mode = (flags & H5F_ACC_RDWR) ? O_RDWR : O_RDONLY;
    mode |= (flags & H5F_ACC_TRUNC) ? O_TRUNC : 0;
    mode |= (flags & H5F_ACC_CREAT) ? O_CREAT : 0;
    mode |= (flags & H5F_ACC_EXCL) ? O_EXCL : 0;
    struct stat status;
    file->note = info->note;
    file->descriptor = open(name, mode | O_CLOEXEC, 0666);
    if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0) {
        file->note->error_number = errno;
        if (file->descriptor >= 0)
            close(file->descriptor);
        free(file);
        return NULL;
    }
    file->size = file->note->size = (haddr_t)status.st_size;
    return &file->base;
}

static herr_t close_file(H5FD_t *base)
{
    driver_file *file = (driver_file *)base;
    // Some file systems report a failed write only here.
    if (close(file->descriptor) != 0 && !file->note->write_failed) {
        file->note->write_failed = true;
        file->note->error_number = errno;
    }
    free(file);
    return 0;
}

static herr_t query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t get_allocated(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->allocated;
}

static herr_t set_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((driver_file *)base)->allocated = address;
    return 0;
}

static haddr_t get_size(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    const driver_file *file = (const driver_file *)base;
    return file->note->cut_off ? LARGEST_ADDRESS / 2 : file->size;
}

static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t size, void *buffer)
{
    (void)transfer;
    const driver_file *file = (driver_file *)base;
    char *to = buffer;
    // Metadata are read ahead and may end before the cut; numbers are needed to the last byte.
    bool is_raw = type == H5FD_MEM_DRAW;
    if (file->note->cut_off && (is_raw ? address + size > file->size : address >= file->size))
        return -1;
    while (size > 0) {
        ssize_t count = pread(file->descriptor, to, size, (off_t)address);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -1;
        if (count == 0)
            break;
        to += count;
        address += (haddr_t)count;
        size -= (size_t)count;
    }
    memset(to, 0, size); // allocated, but never written
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, const void *buffer)
{
    (void)type;
    (void)transfer;
    driver_file *file = (driver_file *)base;
    const char *from = buffer;
    while (size > 0 && !file->note->write_failed) {
        ssize_t count = pwrite(file->descriptor, from, size, (off_t)address);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            file->note->write_failed = true;
            file->note->error_number = errno;
            break;
        }
        from += count;
        address += (haddr_t)count;
        size -= (size_t)count;
    }
    address += size; // where HDF5 believes to be after a dropped write
    if (address > file->size)
        file->size = address;
    return 0;
}

// HDF5 wants the file exactly as long as what it allocated.
static herr_t truncate_file(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    driver_file *file = (driver_file *)base;
    if (file->allocated == file->size)
        return 0;
    if (!file->note->write_failed && ftruncate(file->descriptor, (off_t)file->allocated) != 0) {
        file->note->write_failed = true;
        file->note->error_number = errno;
    }
    file->size = file->allocated;
    return 0;
}

// The same lock that HDF5's own driver takes, so that other programs notice the writer.
static herr_t lock_file(H5FD_t *base, hbool_t for_writing)
{
    driver_file *file = (driver_file *)base;
    if (flock(file->descriptor, (for_writing ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
        return 0;
    if (errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK)
        return 0; // a file system without locks
    file->note->error_number = errno;
    return -1;
}

static herr_t unlock_file(H5FD_t *base)
{
    (void)flock(((driver_file *)base)->descriptor, LOCK_UN);
    return 0;
}

hid_t pcs_hdf5_driver_properties(pcs_hdf5_note *note, hid_t *driver)
{
    const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
        .version = H5FD_CLASS_VERSION,
        .value = 511, // HDF5 leaves the numbers from 256 to 511 to tests and private drivers
#endif
        .name = "percuss",
        .maxaddr = LARGEST_ADDRESS,
        .fc_degree = H5F_CLOSE_WEAK,
        .fapl_size = sizeof(driver_info),
        .open = open_file,
        .close = close_file,
        .query = query,
        .get_eoa = get_allocated,
        .set_eoa = set_allocated,
        .get_eof = get_size,
        .read = read_bytes,
        .write = write_bytes,
        .truncate = truncate_file,
        .lock = lock_file,
        .unlock = unlock_file,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    *driver = H5FDregister(&driver_class);
    if (*driver < 0)
        return H5I_INVALID_HID;
    driver_info info = {note};
    hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
    if (properties >= 0 && H5Pset_driver(properties, *driver, &info) >= 0)
        return properties;
    if (properties >= 0)
        H5Pclose(properties);
    pcs_hdf5_driver_close(*driver);
    *driver = H5I_INVALID_HID;
    return H5I_INVALID_HID;
}

void pcs_hdf5_driver_close(hid_t driver)
{
    if (driver >= 0)
        H5FDunregister(driver);
}

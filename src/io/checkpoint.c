// Checkpoint files: a header of 32 bytes, then the bytes of pcs_simulation_save().
//   0  magic "PCSCHECK"      8  version, 4 bytes      12  byte-order mark, 4 bytes
//  16  number of bytes, 8   24  FNV-1a hash of them, 8
// Version, size and hash are little-endian; the mark is in the machine's own order, since the
// state's numbers are.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/hash.h"
#include "io/file_error.h"
#include "percuss/io.h"

enum { HEADER_SIZE = 32, CHECKPOINT_VERSION = 1 };
static const char magic[8] = {'P', 'C', 'S', 'C', 'H', 'E', 'C', 'K'};
static const uint32_t byte_order_mark = 0x01020304;

static void put_little_endian(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i) & 0xff);
}

static uint64_t get_little_endian(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static pcs_status cannot_read(pcs_context *ctx, const char *path, int error_number)
{
    char words[128];
    return pcs_error(ctx, PCS_ERROR_IO, "%s: cannot read the checkpoint: %s", path,
                     pcs_file_error_text(error_number, words, sizeof words));
}

static pcs_status write_file(pcs_context *ctx, const char *path, const unsigned char *bytes,
                             size_t size)
{
    unsigned char header[HEADER_SIZE];
    pcs_output_file *file;
    memcpy(header, magic, sizeof magic);
    put_little_endian(header + 8, CHECKPOINT_VERSION, 4);
    memcpy(header + 12, &byte_order_mark, 4);
    put_little_endian(header + 16, size, 8);
    put_little_endian(header + 24, pcs_hash_bytes(PCS_HASH_START, bytes, size), 8);

    PCS_TRY(pcs_output_file_create(ctx, path, "the checkpoint", &file));
    fwrite(header, 1, sizeof header, pcs_output_file_stream(file));
    fwrite(bytes, 1, size, pcs_output_file_stream(file));
    return pcs_output_file_commit(file);
}

pcs_status pcs_checkpoint_write(pcs_context *ctx, const pcs_simulation *simulation,
                                const char *path)
{
    size_t size = pcs_simulation_save(simulation, NULL, 0);
    unsigned char *bytes = pcs_calloc(ctx, size, 1);
    if (!bytes)
        return PCS_ERROR_MEMORY;
    size = pcs_simulation_save(simulation, bytes, size);
    pcs_status status = write_file(ctx, path, bytes, size);
    pcs_free(ctx, bytes);
    return status;
}

// Checks the header; *size is the number of bytes that follow.
static pcs_status check_header(pcs_context *ctx, const char *path, const unsigned char *header,
                               size_t length, uint64_t *size)
{
    if (length < sizeof magic || memcmp(header, magic, sizeof magic) != 0)
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: not a checkpoint file", path);
    if (length < HEADER_SIZE)
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: the checkpoint is cut off; use another one",
                         path);
    uint64_t version = get_little_endian(header + 8, 4);
    if (version != CHECKPOINT_VERSION)
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s: checkpoint of another Percuss (version %llu; this one reads %d); "
                         "resume with the Percuss that wrote it",
                         path, (unsigned long long)version, (int)CHECKPOINT_VERSION);
    uint32_t mark;
    memcpy(&mark, header + 12, sizeof mark);
    if (mark != byte_order_mark)
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s: the checkpoint comes from a machine with another byte order", path);
    *size = get_little_endian(header + 16, 8);
    return PCS_OK;
}

static pcs_status read_bytes(pcs_context *ctx, FILE *file, const char *path, uint64_t size,
                             uint64_t hash, unsigned char **out)
{
    // The size in the header is believed only after comparing it with the file's.
    long start = ftell(file);
    if (start < 0 || fseek(file, 0, SEEK_END) != 0)
        return cannot_read(ctx, path, errno);
    long end = ftell(file);
    if (end < start || fseek(file, start, SEEK_SET) != 0)
        return cannot_read(ctx, path, errno);
    if ((uint64_t)(end - start) != size)
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s: the checkpoint has %ld bytes of state where %llu belong; use another "
                         "one",
                         path, end - start, (unsigned long long)size);
    unsigned char *bytes = pcs_calloc(ctx, (size_t)size, 1);
    if (!bytes)
        return PCS_ERROR_MEMORY;
    pcs_status status = PCS_OK;
    if (fread(bytes, 1, (size_t)size, file) != (size_t)size)
        status = cannot_read(ctx, path, errno);
    else if (pcs_hash_bytes(PCS_HASH_START, bytes, (size_t)size) != hash)
        status = pcs_error(ctx, PCS_ERROR_INPUT,
                           "%s: the checkpoint is damaged (wrong checksum); use another one", path);
    if (status >= 0)
        *out = bytes;
    else
        pcs_free(ctx, bytes);
    return status;
}

// The bytes of the state, checked; the caller frees them.
static pcs_status read_file(pcs_context *ctx, const char *path, unsigned char **bytes,
                            uint64_t *size)
{
    *bytes = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return cannot_read(ctx, path, errno);
    unsigned char header[HEADER_SIZE] = {0};
    errno = 0;
    size_t length = fread(header, 1, sizeof header, file);
    pcs_status status = PCS_OK;
    if (ferror(file))
        status = cannot_read(ctx, path, errno);
    if (status >= 0)
        status = check_header(ctx, path, header, length, size);
    if (status >= 0)
        status = read_bytes(ctx, file, path, *size, get_little_endian(header + 24, 8), bytes);
    fclose(file);
    return status;
}

pcs_status pcs_checkpoint_read(pcs_context *ctx, pcs_simulation *simulation, const char *path)
{
    unsigned char *bytes;
    uint64_t size = 0;
    PCS_TRY(read_file(ctx, path, &bytes, &size));
    pcs_status status = pcs_simulation_load(simulation, bytes, (size_t)size);
    if (status < 0)
        (void)pcs_error_prefix(ctx, status, "%s", path);
    pcs_free(ctx, bytes);
    return status;
}

pcs_status pcs_checkpoint_check(pcs_context *ctx, const char *path)
{
    unsigned char *bytes;
    uint64_t size = 0;
    PCS_TRY(read_file(ctx, path, &bytes, &size));
    pcs_free(ctx, bytes);
    return PCS_OK;
}

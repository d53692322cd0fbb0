#include "recorder/agent/storage/disk.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define PIECE_MAX (64u << 10)  /* of one write */
#define CHECK_MAX (256u << 10) /* of all of them at one check */

/* -- what was written -- */

static bool overlaps(const struct pm_disk_piece *piece, uint64_t begin, uint64_t end)
{
    return piece->size > 0 && piece->offset < end && begin < piece->offset + piece->size;
}

static void forget(struct pm_disk *disk, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < PM_DISK_PIECES; i++)
        if (overlaps(&disk->pieces[i], begin, end))
            disk->pieces[i].size = 0;
}

static void remember(struct pm_disk *disk, uint64_t offset, const void *bytes, size_t size)
{
    if (offset < PM_DISK_HEADER) {
        size_t room = PM_DISK_HEADER - (size_t)offset;
        memcpy(disk->header + offset, bytes, size < room ? size : room);
        disk->header_known = true;
        return;
    }
    if (size == 0)
        return;
    size_t kept = size < PIECE_MAX ? size : PIECE_MAX;
    disk->pieces[disk->next_piece++ % PM_DISK_PIECES] =
        (struct pm_disk_piece){offset, (uint32_t)kept, XXH3_64bits(bytes, kept)};
}

/* -- the sink -- */

static bool is_ours(const struct pm_disk *disk, struct pm_inode *ret_now)
{
    return pm_inode_of_fd(disk->fd, ret_now) == 0 && pm_inode_is_same(ret_now, &disk->inode);
}

/* Somebody else wrote to it since our last write, or changed its time. */
static bool is_touched(struct pm_disk *disk, const struct pm_inode *now)
{
    bool touched = disk->written_ns != 0 && now->written_ns != disk->written_ns;
    disk->touched |= touched;
    disk->written_ns = touched ? now->written_ns : disk->written_ns;
    return touched;
}

/* Before a call that writes: not over the bytes of others. */
static int begin_call(struct pm_disk *disk)
{
    struct pm_inode now;
    bool ours = is_ours(disk, &now);
    if (ours && is_touched(disk, &now))
        (void)pm_disk_check(disk);
    if (!ours || disk->foreign) {
        disk->error_number = disk->failed_number = ours ? ESTALE : EBADF;
        disk->n_failed++;
        return PM_ERROR_IO;
    }
    errno = 0;
    return 0;
}

static int end_call(struct pm_disk *disk, int error)
{
    disk->error_number = error ? errno : 0;
    if (error) {
        disk->n_failed++;
        disk->failed_number = disk->error_number;
    }
    struct pm_inode now;
    disk->written_ns = is_ours(disk, &now) ? now.written_ns : 0;
    return error;
}

static int write_at(void *context, uint64_t offset, const void *bytes, size_t size)
{
    struct pm_disk *disk = context;
    int error = begin_call(disk);
    if (error)
        return error;
    error = end_call(disk, disk->file.write_at(disk->file.context, offset, bytes, size));
    forget(disk, offset, offset + size);
    if (error) {
        disk->header_known &= offset >= PM_DISK_HEADER;
        return error;
    }
    remember(disk, offset, bytes, size);
    if (offset + size > disk->size)
        disk->size = offset + size;
    return 0;
}

/* For a smaller maxsize: what fits moves. */
static int read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    struct pm_disk *disk = context;
    return disk->file.read_at(disk->file.context, offset, bytes, size);
}

static int allocate(void *context, uint64_t size)
{
    struct pm_disk *disk = context;
    int error = begin_call(disk);
    if (error)
        return error;
    error = end_call(disk, disk->file.allocate(disk->file.context, size));
    if (!error && size > disk->size)
        disk->size = size;
    return error;
}

static int truncate_at(void *context, uint64_t size)
{
    struct pm_disk *disk = context;
    int error = begin_call(disk);
    if (error)
        return error;
    error = end_call(disk, disk->file.truncate(disk->file.context, size));
    if (!error) {
        forget(disk, size, UINT64_MAX);
        disk->size = size;
    }
    return error;
}

static void close_file(void *context)
{
    struct pm_disk *disk = context;
    struct pm_inode now;
    if (is_ours(disk, &now))
        disk->file.close(disk->file.context);
}

int pm_disk_open(struct pm_disk *disk, int fd, struct pm_sink *ret_sink)
{
    struct pm_disk opened = {.fd = fd};
    int error = pm_sink_from_fd(fd, &opened.file);
    if (error)
        return error;
    if (pm_inode_of_fd(fd, &opened.inode))
        return PM_ERROR_IO;
    *disk = opened;
    *ret_sink = (struct pm_sink){.context = disk,
                                 .write_at = write_at,
                                 .allocate = allocate,
                                 .truncate = truncate_at,
                                 .read_at = read_at,
                                 .close = close_file};
    return 0;
}

void pm_disk_reopen(struct pm_disk *disk, int fd)
{
    disk->fd = fd;
    (void)pm_sink_from_fd(fd, &disk->file);
}

/* -- what is there -- */

static enum pm_disk_state check_header(const struct pm_disk *disk)
{
    uint8_t bytes[PM_DISK_HEADER];
    if (!disk->header_known || disk->size < sizeof bytes)
        return PM_DISK_WELL;
    int error = disk->file.read_at(disk->file.context, 0, bytes, sizeof bytes);
    return error == PM_ERROR_TRUNCATED                                ? PM_DISK_CUT
           : !error && memcmp(bytes, disk->header, sizeof bytes) != 0 ? PM_DISK_OVERWRITTEN
                                                                      : PM_DISK_WELL;
}

/* The newest first. */
static enum pm_disk_state check_pieces(const struct pm_disk *disk)
{
    uint8_t bytes[PIECE_MAX];
    size_t n_read = 0;
    for (unsigned i = 1; i <= PM_DISK_PIECES; i++) {
        const struct pm_disk_piece *piece = &disk->pieces[(disk->next_piece - i) % PM_DISK_PIECES];
        if (n_read + piece->size > CHECK_MAX)
            break;
        int error = disk->file.read_at(disk->file.context, piece->offset, bytes, piece->size);
        if (error == PM_ERROR_TRUNCATED)
            return PM_DISK_CUT;
        if (!error && piece->size > 0 && XXH3_64bits(bytes, piece->size) != piece->hash)
            return PM_DISK_OVERWRITTEN;
        n_read += piece->size;
    }
    return PM_DISK_WELL;
}

enum pm_disk_state pm_disk_check(struct pm_disk *disk)
{
    struct pm_inode now;
    int error = pm_inode_of_fd(disk->fd, &now);
    if (error && error != EBADF)
        return error == ESTALE ? PM_DISK_REMOVED : PM_DISK_WELL;
    if (error || !pm_inode_is_same(&now, &disk->inode))
        return PM_DISK_CLOSED;
    if (now.links == 0)
        return PM_DISK_REMOVED;
    is_touched(disk, &now);
    enum pm_disk_state state = now.size < disk->size ? PM_DISK_CUT : check_header(disk);
    state = state != PM_DISK_WELL ? state : check_pieces(disk);
    disk->foreign = state != PM_DISK_WELL;
    return state;
}

static int source_size(void *context, uint64_t *ret_size)
{
    const struct pm_disk *disk = context;
    struct pm_inode now;
    if (!is_ours(disk, &now))
        return PM_ERROR_IO;
    *ret_size = now.size;
    return 0;
}

static void close_nothing(void *context)
{
}

struct pm_source pm_disk_source(struct pm_disk *disk)
{
    return (struct pm_source){
        .context = disk, .read_at = read_at, .size = source_size, .close = close_nothing};
}

const char *pm_disk_reason(const struct pm_disk *disk, int error)
{
    return error == PM_ERROR_IO && disk->error_number ? strerror(disk->error_number)
                                                      : pm_error_name(error);
}

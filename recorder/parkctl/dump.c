/* `dump`: copies the wanted chunks of the rolling file, whose descriptor the recorder passes, into
 * a compact file. It is written without a name, or beside its own where the file system has no such
 * files, and gets its name at the end, so that a failure leaves neither half a file nor a lost one.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "format/copy.h"
#include "recorder/parkctl/target.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/unit.h"

#define MAX_KEPT 1000

/* FILE.1, or the first number that is free: a third dump must not cost the first one. */
static gboolean keep_old(const char *path, char **ret_kept)
{
    for (guint i = 1; i < MAX_KEPT; i++) {
        g_autofree char *kept = g_strdup_printf("%s.%u", path, i);
        /* link refuses an existing name, so that two dumps at once do not take the same. */
        if (link(path, kept) == 0) {
            *ret_kept = g_steal_pointer(&kept);
            return TRUE;
        }
        if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) {
            /* No hard links on this file system. */
            if (g_file_test(kept, G_FILE_TEST_EXISTS))
                continue;
            if (rename(path, kept) == 0) {
                *ret_kept = g_steal_pointer(&kept);
                return TRUE;
            }
        }
        if (errno != EEXIST)
            break;
    }
    pm_complain(PM_EXIT_FAILED, "dump: %s exists and cannot be kept as %s.1: %s", path, path,
                g_strerror(errno));
    return FALSE;
}

/* A new file that lies in a folder but has no name there, so that nothing is left of it if we are
 * killed. */
typedef struct {
    int fd;     /* closed by who writes to it */
    int link;   /* the same file, by which it gets its name; -1: it has one */
    char *name; /* that, beside the wanted one; made for `link` in the end */
} NewFile;

static void new_file_clear(NewFile *file)
{
    if (file->link >= 0)
        close(file->link);
    g_free(file->name);
}

/* FALSE: the file system, or a host without /proc, has none. */
static gboolean open_nameless(const char *folder, NewFile *file)
{
    file->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file->fd < 0)
        return FALSE;
    g_autofree char *same = g_strdup_printf("/proc/self/fd/%d", file->fd);
    file->link = access(same, F_OK) == 0 ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (file->link < 0)
        close(file->fd);
    return file->link >= 0;
}

/* Opens one beside `path`; FALSE after a complaint. */
static gboolean open_beside(const char *path, NewFile *file)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *base = g_path_get_basename(path);
    struct stat old;

    if (g_str_has_suffix(path, "/") || g_file_test(path, G_FILE_TEST_IS_DIR)) {
        pm_complain(PM_EXIT_FAILED, "dump: %s is a folder; name a file: filename=%s%sa.park", path,
                    path, g_str_has_suffix(path, "/") ? "" : "/");
        return FALSE;
    }
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) {
        pm_complain(PM_EXIT_FAILED, "dump: %s is not a regular file", path);
        return FALSE;
    }
    /* A long name leaves no room for the suffix; cut it, the name is not seen. */
    file->name = g_strdup_printf("%s/.%.200s.XXXXXX", folder, base);
    if (open_nameless(folder, file))
        return TRUE;
    file->fd = g_mkstemp_full(file->name, O_RDWR | O_CLOEXEC, 0600);
    if (file->fd >= 0)
        return TRUE;
    pm_complain(PM_EXIT_FAILED, "dump: %s cannot be written: %s", path, g_strerror(errno));
    return FALSE;
}

/* Gives it the name that it has for an instant only: a link cannot replace an older file, as a
 * rename does. */
static gboolean name_file(NewFile *file)
{
    if (file->link < 0)
        return TRUE;
    g_autofree char *same = g_strdup_printf("/proc/self/fd/%d", file->link);
    for (guint tries = 0; tries < MAX_KEPT; tries++) {
        g_autofree char *name = g_strdup_printf("%.*s%06x", (int)strlen(file->name) - 6, file->name,
                                                g_random_int_range(0, 1 << 24));
        if (linkat(AT_FDCWD, same, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            close(file->link);
            file->link = -1;
            g_free(file->name);
            file->name = g_steal_pointer(&name);
            return TRUE;
        }
        if (errno != EEXIST)
            break;
    }
    return FALSE;
}

static gboolean copy(struct pm_reader *reader, gint64 maxage_ns, int fd, const char *path,
                     struct pm_copy_result *result)
{
    struct pm_error_info info = {0};
    struct pm_sink sink;
    gint64 from = maxage_ns ? MAX(1, pm_target_last(reader) - maxage_ns) : 0;
    int code = pm_sink_from_fd(fd, &sink);

    if (code < 0) {
        close(fd);
        pm_complain(PM_EXIT_FAILED, "dump: %s cannot be written (%s)", path, pm_error_name(code));
        return FALSE;
    }
    errno = 0;
    code = pm_copy(reader, from, sink, result, &info);
    /* Errors of a network disk come with fsync at the latest. */
    if (code == 0 && fsync(fd) < 0 && errno != EINVAL && errno != ENOSYS)
        code = PM_ERROR_IO;
    if (code == PM_ERROR_IO && errno != 0)
        pm_error_set(&info, code, -1, "%s", g_strerror(errno));
    if (sink.close)
        sink.close(sink.context);
    if (code < 0) {
        pm_complain(PM_EXIT_FAILED, "dump: %s cannot be written: %s", path,
                    *info.text ? info.text : pm_error_name(code));
        return FALSE;
    }
    return TRUE;
}

static void describe(const char *path, const char *kept, const struct pm_copy_result *result,
                     GString *out)
{
    g_autofree char *bytes = pm_label_bytes(result->bytes);
    g_autofree char *chunks = pm_unit_count((gint64)result->chunks, "chunk", "chunks");
    g_autofree char *clean = pm_text_clean(path);

    g_string_append_printf(out, "%s: %s, %s", clean, bytes, chunks);
    if (result->skipped_chunks > 0)
        g_string_append_printf(out, "; %" G_GUINT64_FORMAT " left out or overwritten meanwhile",
                               result->skipped_chunks);
    if (result->damaged_blocks > 0)
        g_string_append_printf(out, "; %" G_GUINT64_FORMAT " damaged blocks left out",
                               result->damaged_blocks);
    if (kept)
        g_string_append_printf(out, "   (the old one is now %s)", kept);
    g_string_append_printf(out, "\nNext: parkctl report %s\n", clean);
}

static gboolean write_new(struct pm_reader *reader, gint64 maxage_ns, const char *path,
                          NewFile *file, GString *out)
{
    struct pm_copy_result result = {0};
    g_autofree char *kept = NULL;

    if (!copy(reader, maxage_ns, file->fd, path, &result) ||
        (g_file_test(path, G_FILE_TEST_EXISTS) && !keep_old(path, &kept)))
        return FALSE;
    if (!name_file(file) || rename(file->name, path) < 0) {
        pm_complain(PM_EXIT_FAILED, "dump: %s cannot be written: %s", path, g_strerror(errno));
        return FALSE;
    }
    describe(path, kept, &result, out);
    return TRUE;
}

static int write_dump(struct pm_reader *reader, gint64 maxage_ns, const char *path, GString *out)
{
    NewFile file = {.link = -1};
    gboolean done = FALSE;

    if (open_beside(path, &file)) {
        done = write_new(reader, maxage_ns, path, &file, out);
        if (!done && file.link < 0)
            unlink(file.name);
    }
    new_file_clear(&file);
    return done ? PM_EXIT_OK : PM_EXIT_FAILED;
}

/* The file that the recorder writes to is no place for a dump: it would be moved aside. */
static gboolean is_file_of(int fd, const char *path)
{
    struct stat rolling, named;

    return fstat(fd, &rolling) == 0 && stat(path, &named) == 0 && rolling.st_dev == named.st_dev &&
           rolling.st_ino == named.st_ino;
}

int pm_command_dump(const PmInvocation *invocation, GString *out)
{
    const char *path = pm_invocation_value(invocation, PM_OPTION_FILENAME);
    g_autofree char *name = NULL;
    g_autofree char *chosen = NULL;
    struct pm_error_info info = {0};
    struct pm_source source;
    struct pm_reader *reader;
    gint64 maxage_ns;

    if (!pm_target_maxage(invocation, &maxage_ns))
        return PM_EXIT_USAGE;
    if (!path) {
        g_autoptr(GDateTime) now = g_date_time_new_now_utc();
        g_autofree char *stamp = g_date_time_format(now, "%Y%m%dT%H%M%SZ");
        path = chosen = g_strdup_printf("parkmeter-%d-%s.park", invocation->pid, stamp);
    }
    const int fd = pm_target_recording(invocation, maxage_ns, &name);
    if (fd < 0)
        return PM_EXIT_FAILED;
    if (is_file_of(fd, path)) {
        close(fd);
        return pm_complain(PM_EXIT_FAILED, "dump: the recorder writes to %s; name another file",
                           path);
    }
    pm_source_from_fd(fd, &source);
    if (pm_reader_open(source, &reader, &info) < 0) {
        source.close(source.context);
        return pm_complain(PM_EXIT_FAILED, "%d: the recorder's file cannot be read: %s",
                           invocation->pid, info.text);
    }
    int status = write_dump(reader, maxage_ns, path, out);
    pm_reader_free(reader);
    return status;
}

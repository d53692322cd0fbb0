/* `dump`: copies the wanted chunks of the rolling file, whose descriptor the recorder passes, into
 * a compact file. It is written beside its name and renamed at the end, so that a failure leaves
 * neither half a file nor a lost one. */
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

/* Opens a new file beside `path`. Owned name; -1 after a complaint. */
static int open_beside(const char *path, char **ret_name)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *base = g_path_get_basename(path);
    g_autofree char *name = NULL;
    struct stat old;

    if (g_str_has_suffix(path, "/") || g_file_test(path, G_FILE_TEST_IS_DIR)) {
        pm_complain(PM_EXIT_FAILED, "dump: %s is a folder; name a file: filename=%s%sa.park", path,
                    path, g_str_has_suffix(path, "/") ? "" : "/");
        return -1;
    }
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) {
        pm_complain(PM_EXIT_FAILED, "dump: %s is not a regular file", path);
        return -1;
    }
    /* A long name leaves no room for the suffix; cut it, the name is not seen. */
    name = g_strdup_printf("%s/.%.200s.XXXXXX", folder, base);
    int fd = g_mkstemp_full(name, O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        pm_complain(PM_EXIT_FAILED, "dump: %s cannot be written: %s", path, g_strerror(errno));
        return -1;
    }
    *ret_name = g_steal_pointer(&name);
    return fd;
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

static int write_dump(struct pm_reader *reader, gint64 maxage_ns, const char *path, GString *out)
{
    struct pm_copy_result result = {0};
    g_autofree char *temporary = NULL;
    g_autofree char *kept = NULL;
    int fd = open_beside(path, &temporary);

    if (fd < 0)
        return PM_EXIT_FAILED;
    if (!copy(reader, maxage_ns, fd, path, &result))
        goto failed;
    if (g_file_test(path, G_FILE_TEST_EXISTS) && !keep_old(path, &kept))
        goto failed;
    if (rename(temporary, path) < 0) {
        pm_complain(PM_EXIT_FAILED, "dump: %s cannot be written: %s", path, g_strerror(errno));
        goto failed;
    }
    describe(path, kept, &result, out);
    return PM_EXIT_OK;

failed:
    unlink(temporary);
    return PM_EXIT_FAILED;
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

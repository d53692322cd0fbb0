#include "recorder/agent/storage/volume.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/reader.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/tables/tables.h"

#define RETRY_NS 2000000000    /* between tries to make a new file */
#define SAY_NS   3600000000000 /* between lines on stderr */
/* A file that is lost again and again is not made again and again: one in FILE_NS, but for the
 * first BURST. */
#define FILE_NS 30000000000
#define BURST   12
/* Whoever wrote into the file, all of it is looked at, so much at one check; not sooner again than
 * this after the last time, for some only change its time, and some file systems do. */
#define LOOK_BYTES (8u << 20)
#define LOOK_NS    60000000000

/* -- words -- */

static void add_text(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `text` is of PM_STATUS_TEXT; what does not fit is left out. */
static void add_text(char *text, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, PM_STATUS_TEXT - length, format, arguments);
    va_end(arguments);
}

static void add_time(char *text)
{
    time_t seconds = (time_t)(pm_clock_now_unix() / 1000000000);
    struct tm utc;
    char at[32];
    gmtime_r(&seconds, &utc);
    strftime(at, sizeof at, " at %Y-%m-%dT%H:%M:%SZ", &utc);
    add_text(text, "%s", at);
}

static void begin_event(struct pm_volume *volume, const char *what)
{
    snprintf(volume->event, sizeof volume->event, "%.260s %s", volume->file.path, what);
    add_time(volume->event);
}

static void say(struct pm_volume *volume, const char *text, int64_t now_ns)
{
    if (volume->say && (volume->said_ns == 0 || now_ns - volume->said_ns > SAY_NS)) {
        volume->said_ns = now_ns;
        volume->say(text);
    }
}

/* -- a file and what is over it -- */

static struct pm_disk *disk_of(struct pm_volume *volume)
{
    return &volume->disks[volume->disk];
}

/* The other disk, which is idle, takes `file`. */
static int open_disk(struct pm_volume *volume, const struct pm_file *file, struct pm_sink *ret_sink)
{
    volume->n_failed += disk_of(volume)->n_failed;
    disk_of(volume)->n_failed = 0;
    volume->disk ^= 1;
    return pm_disk_open(disk_of(volume), file->fd, ret_sink);
}

/* Why a writer could not begin in `file`. */
static void explain(const struct pm_volume *volume, const struct pm_file *file, int error,
                    struct pm_error_info *info)
{
    const struct pm_disk *disk = &volume->disks[volume->disk];
    struct pm_error_info why = *info;
    if (disk->error_number) {
        pm_error_set(info, PM_ERROR_IO, -1,
                     "cannot write %.100s (%llu MiB): %s; see file= and maxsize=", file->path,
                     (unsigned long long)(volume->max_size >> 20), strerror(disk->error_number));
    } else {
        pm_error_set(info, error, -1, "cannot write %.80s: %.100s", file->path,
                     why.code ? why.text : pm_error_name(error));
    }
}

static void take(struct pm_volume *volume, const struct pm_file *file)
{
    volume->file = *file;
    volume->n_files++;
    volume->yielded = volume->hidden = false;
    volume->doubt = 0;
    volume->doubted_ns = 0;
    volume->error[0] = volume->notice[0] = 0;
}

/* The writer goes on in `file`, or it is removed. */
static int move_to(struct pm_volume *volume, struct pm_file *file, struct pm_error_info *ret_info)
{
    struct pm_sink sink;
    int error = open_disk(volume, file, &sink);
    if (!error)
        error = pm_writer_move(volume->writer, sink, ret_info);
    if (error) {
        explain(volume, file, error, ret_info);
        pm_file_discard(file);
        return error;
    }
    take(volume, file);
    return 0;
}

static void add_kept(struct pm_volume *volume, const char *kept)
{
    if (*kept)
        add_text(volume->event, "; the file found there is now %.200s", kept);
}

/* There is no file. A new one is made if that is possible now. */
static void go_on(struct pm_volume *volume, int64_t now_ns, bool last)
{
    struct pm_error_info info = {0};
    struct pm_file file;
    char kept[PM_FILE_KEPT_SIZE] = "";
    int64_t early_ns = volume->spared_ns - now_ns - (BURST - 1) * FILE_NS;
    int error = 0;
    if (early_ns > 0 && !last) {
        volume->next_try_ns = now_ns + early_ns;
        error = pm_error_set(&info, PM_ERROR_IO, -1,
                             "%d files in a row were lost; the next one is created in %d s", BURST,
                             (int)(early_ns / 1000000000) + 1);
    } else {
        volume->next_try_ns = now_ns + RETRY_NS;
        error = pm_file_create_again(&volume->file, &file, kept, &info);
        if (!error)
            error = move_to(volume, &file, &info);
    }
    add_kept(volume, kept);
    if (error) {
        snprintf(volume->error, sizeof volume->error,
                 "%.400s; no new one: %.200s; waits are counted, not stored", volume->event,
                 info.text);
        return;
    }
    volume->spared_ns = (volume->spared_ns > now_ns ? volume->spared_ns : now_ns) + FILE_NS;
    struct pm_writer_stats stats;
    pm_writer_get_stats(volume->writer, &stats);
    add_text(volume->event, "; recording continues in a new file");
    if (stats.lost_waits > volume->lost_waits) {
        unsigned long long lost = stats.lost_waits - volume->lost_waits;
        add_text(volume->event, ", %llu wait%s ended before it could be made", lost,
                 lost == 1 ? "" : "s");
    }
}

/* -- a file is lost -- */

/* From here on waits are lost. */
static void let_go(struct pm_volume *volume)
{
    struct pm_writer_stats stats;
    pm_writer_get_stats(volume->writer, &stats);
    volume->lost_waits = stats.lost_waits;
    pm_file_forget(&volume->file);
}

/* Closed whole where it is now, which is not its name any more. */
static void leave_whole(struct pm_volume *volume, const char *what, int64_t now_ns)
{
    char name[200];
    char text[300];
    pm_file_name_now(&volume->file, name, sizeof name);
    int error = pm_writer_seal(volume->writer, now_ns);
    snprintf(text, sizeof text, "%s %s", what, name);
    begin_event(volume, text);
    if (error) {
        add_text(volume->event, " and could not be closed whole there: %s",
                 pm_disk_reason(disk_of(volume), error));
    } else {
        add_text(volume->event, " and closed whole there");
    }
    let_go(volume);
}

static void leave_as_it_is(struct pm_volume *volume, const char *what)
{
    struct pm_writer_stats before, after;
    pm_writer_get_stats(volume->writer, &before);
    pm_writer_give_up(volume->writer);
    pm_writer_get_stats(volume->writer, &after);
    begin_event(volume, what);
    unsigned long long left = after.left_waits - before.left_waits;
    add_text(volume->event,
             left == 1 ? " and its %llu wait is lost" : " and its %llu waits are lost", left);
    let_go(volume);
}

static void lose(struct pm_volume *volume, const char *what, bool whole, int64_t now_ns, bool last)
{
    if (whole)
        leave_whole(volume, what, now_ns);
    else
        leave_as_it_is(volume, what);
    if (whole && last)
        return; /* all is stored */
    go_on(volume, now_ns, last);
    say(volume, pm_volume_is_there(volume) ? volume->event : volume->error, now_ns);
}

/* The program closed our descriptor, as one that closes all it does not know. */
static void open_again(struct pm_volume *volume, int64_t now_ns, bool last)
{
    int fd = pm_file_reopen(&volume->file);
    if (fd < 0) {
        lose(volume, "was lost because the program closed its descriptor,", false, now_ns, last);
        return;
    }
    pm_disk_reopen(disk_of(volume), fd);
    volume->file.fd = fd;
    begin_event(volume, "was reopened because the program closed its descriptor,");
    say(volume, volume->event, now_ns);
}

/* The file is where it was but its path does not lead there. It is as good as before, until a new
 * one can be made where the path leads now. */
static void follow_path(struct pm_volume *volume, int64_t now_ns, bool last)
{
    struct pm_error_info info = {0};
    struct pm_file file;
    char kept[PM_FILE_KEPT_SIZE] = "";
    char name[200];
    if (volume->hidden && (now_ns < volume->next_try_ns || last))
        return;
    volume->next_try_ns = now_ns + RETRY_NS;
    if (!last && volume->spared_ns - now_ns <= (BURST - 1) * FILE_NS &&
        pm_file_create_again(&volume->file, &file, kept, &info) == 0) {
        volume->spared_ns = (volume->spared_ns > now_ns ? volume->spared_ns : now_ns) + FILE_NS;
        leave_whole(volume, "is in a folder that was renamed or hidden, now", now_ns);
        int error = move_to(volume, &file, &info);
        add_kept(volume, kept);
        if (error)
            go_on(volume, now_ns, false);
        else
            add_text(volume->event, "; recording continues in a new file");
        say(volume, pm_volume_is_there(volume) ? volume->event : volume->error, now_ns);
        return;
    }
    pm_file_name_now(&volume->file, name, sizeof name);
    snprintf(volume->notice, sizeof volume->notice,
             "%.260s is in a folder that was renamed or hidden; recording continues in %s",
             volume->file.path, name);
    if (!volume->hidden) {
        volume->hidden = true;
        say(volume, volume->notice, now_ns);
    }
}

/* Another JVM was given the same name, and moved our file aside as its rule is. Whoever took the
 * name back would be moved aside in turn: the file has its new name from now on. */
static void yield(struct pm_volume *volume)
{
    char name[sizeof volume->file.path];
    pm_file_name_now(&volume->file, name, sizeof name);
    snprintf(volume->notice, sizeof volume->notice,
             "%.260s now belongs to another JVM; recording continues in %.260s; put %%p into file=",
             volume->file.path, name);
    if (*name == '/')
        strcpy(volume->file.path, name);
    volume->yielded = true;
}

/* -- a closer look -- */

/* Some chunks more, the newest first. True: one is damaged; `ret_written`: that is being written.
 */
static bool look_at_chunks(struct pm_volume *volume, struct pm_reader *reader, bool *ret_written)
{
    struct pm_writer_stats stats;
    uint64_t n_bytes = 0, until = volume->doubt;
    size_t n_chunks = pm_reader_n_chunks(reader);
    pm_writer_get_stats(volume->writer, &stats);
    volume->doubt = 0;
    *ret_written = false;
    if (n_chunks < stats.file_chunks)
        return true;
    for (size_t i = n_chunks; i-- > 0;) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        if (chunk->number > until)
            continue;
        if (n_bytes >= LOOK_BYTES) {
            volume->doubt = chunk->number; /* at the next check */
            break;
        }
        int error = pm_reader_check_chunk(reader, i, NULL);
        if (error && error != PM_ERROR_MEMORY && error != PM_ERROR_IO) {
            volume->doubt = 0;
            *ret_written =
                chunk->number == stats.data_chunk || chunk->number == stats.overview_chunk;
            return true;
        }
        n_bytes += chunk->size;
    }
    return false;
}

/* Whether somebody else wrote where none of the last writes lies. True: into what is being written.
 */
static bool look_closer(struct pm_volume *volume, int64_t now_ns)
{
    struct pm_disk *disk = disk_of(volume);
    bool again = volume->doubted_ns == 0 || now_ns - volume->doubted_ns >= LOOK_NS;
    if (volume->doubt == 0 && disk->touched && again) {
        disk->touched = false;
        volume->doubt = UINT64_MAX;
        volume->doubted_ns = now_ns;
    }
    if (volume->doubt == 0)
        return false;
    struct pm_reader *reader;
    int error = pm_reader_open(pm_disk_source(disk), &reader, NULL);
    if (error) {
        volume->doubt = 0;
        return error != PM_ERROR_MEMORY && error != PM_ERROR_IO;
    }
    bool written;
    bool damaged = look_at_chunks(volume, reader, &written);
    pm_reader_free(reader);
    if (damaged && !written) {
        begin_event(volume, "was partly overwritten");
        add_text(volume->event,
                 "; recording continues in it; parkctl verify shows what is damaged");
        say(volume, volume->event, now_ns);
    }
    return written;
}

/* -- the outside -- */

/* What the disk says is lost. True: the file is not what it was. */
static bool look_at_disk(struct pm_volume *volume, int64_t now_ns, bool last)
{
    switch (pm_disk_check(disk_of(volume))) {
    case PM_DISK_CLOSED:
        open_again(volume, now_ns, last);
        return true;
    case PM_DISK_REMOVED:
        lose(volume, pm_file_is_taken(&volume->file) ? "was removed or replaced" : "was removed",
             false, now_ns, last);
        return true;
    case PM_DISK_CUT:
        lose(volume, "was cut", false, now_ns, last);
        return true;
    case PM_DISK_OVERWRITTEN:
        lose(volume, "was overwritten", false, now_ns, last);
        return true;
    case PM_DISK_WELL:
        break;
    }
    if (look_closer(volume, now_ns)) {
        lose(volume, "was overwritten", false, now_ns, last);
        return true;
    }
    return false;
}

static void look_at_name(struct pm_volume *volume, int64_t now_ns, bool last)
{
    int error;
    if (volume->yielded)
        return;
    switch (pm_file_look(&volume->file, &error)) {
    case PM_FILE_YIELDED:
        yield(volume);
        break;
    case PM_FILE_RENAMED:
        /* Or it was removed since the disk was looked at. */
        if (!look_at_disk(volume, now_ns, last))
            lose(volume, "was renamed to", true, now_ns, last);
        return;
    case PM_FILE_HIDDEN:
        follow_path(volume, now_ns, last);
        return;
    case PM_FILE_UNSEEN:
        snprintf(volume->notice, sizeof volume->notice,
                 "%.260s cannot be checked: %s; recording continues in it", volume->file.path,
                 strerror(error));
        break;
    case PM_FILE_IN_PLACE:
        volume->notice[0] = 0;
        break;
    }
    volume->hidden = false;
}

void pm_volume_check(struct pm_volume *volume, int64_t now_ns, bool last)
{
    if (!pm_volume_is_there(volume)) {
        if (now_ns >= volume->next_try_ns || last)
            go_on(volume, now_ns, last);
    } else if (!look_at_disk(volume, now_ns, last)) {
        look_at_name(volume, now_ns, last);
    }
}

bool pm_volume_is_there(const struct pm_volume *volume)
{
    return volume->file.fd >= 0;
}

uint64_t pm_volume_n_failed(const struct pm_volume *volume)
{
    return volume->n_failed + volume->disks[volume->disk].n_failed;
}

void pm_volume_note(struct pm_volume *volume, int error)
{
    if (error && pm_volume_is_there(volume)) {
        /* Others may have gone well since. */
        int number = disk_of(volume)->failed_number;
        snprintf(volume->error, sizeof volume->error, "cannot write %.300s: %.60s",
                 volume->file.path,
                 error == PM_ERROR_IO && number ? strerror(number) : pm_error_name(error));
    }
}

void pm_volume_flushed(struct pm_volume *volume, int error)
{
    uint64_t n_failed = pm_volume_n_failed(volume);
    pm_volume_note(volume, error);
    if (error == 0 && pm_volume_is_there(volume) && n_failed == volume->flushed_failed)
        volume->error[0] = 0;
    volume->flushed_failed = n_failed;
}

void pm_volume_get_status(const struct pm_volume *volume, struct pm_status *status)
{
    struct pm_writer_stats stats;
    pm_writer_get_stats(volume->writer, &stats);
    status->files = volume->n_files;
    strcpy(status->file, volume->file.path);
    status->lost_waits = stats.left_waits;
    status->storing = pm_volume_is_there(volume);
    memcpy(status->error, volume->error, sizeof status->error);
    memcpy(status->warning, volume->notice[0] ? volume->notice : volume->event,
           sizeof status->warning);
}

/* -- begin and end -- */

static int open_at(struct pm_volume *volume, unsigned place, const struct pm_options *options,
                   const struct pm_facts *facts, const struct pm_writer_options *writer_options,
                   struct pm_error_info *ret_info)
{
    struct pm_file file;
    struct pm_sink sink;
    struct pm_error_info info = {0};
    int error = pm_file_create(options, place, pm_clock_now_unix(), &file, ret_info);
    if (error)
        return error;
    error = open_disk(volume, &file, &sink);
    if (!error) {
        error = pm_writer_open(sink, facts, pm_tables_dictionary(), writer_options, &volume->writer,
                               &info);
    }
    if (error) {
        explain(volume, &file, error, &info);
        if (ret_info)
            *ret_info = info;
        pm_file_discard(&file);
        return error;
    }
    take(volume, &file);
    return 0;
}

int pm_volume_open(struct pm_volume *volume, const struct pm_options *options,
                   const struct pm_facts *facts, const struct pm_writer_options *writer_options,
                   void (*say_loss)(const char *text), struct pm_writer **ret_writer,
                   struct pm_error_info *ret_info)
{
    struct pm_writer_options with_sizes = *writer_options;
    with_sizes.max_size = options->maxsize;
    with_sizes.max_age_ns = options->maxage_ns;
    with_sizes.preallocate = true;
    *volume = (struct pm_volume){
        .file = {.fd = -1, .folder = -1}, .say = say_loss, .max_size = options->maxsize};
    int error = PM_ERROR_ARGUMENT;
    for (unsigned place = 0; place < pm_file_n_places(options); place++) {
        error = open_at(volume, place, options, facts, &with_sizes, ret_info);
        if (!error) {
            if (options->file[0] == 0) {
                struct pm_file file = volume->file;
                *strrchr(file.path, '/') = 0;
                pm_file_remove_old(file.path, options->keep);
            }
            *ret_writer = volume->writer;
            return 0;
        }
    }
    return error;
}

int pm_volume_resize(struct pm_volume *volume, uint64_t max_size, struct pm_error_info *ret_info)
{
    int error = pm_writer_resize(volume->writer, max_size, ret_info);
    if (!error)
        volume->max_size = max_size;
    return error;
}

void pm_volume_close(struct pm_volume *volume, int64_t now_ns)
{
    int error = pm_writer_close(volume->writer, now_ns);
    volume->writer = NULL;
    pm_volume_note(volume, error);
    if (error && volume->say && pm_volume_is_there(volume)) { /* nobody asks `status` any more */
        add_text(volume->error, "; the end of the recording is missing");
        volume->say(volume->error);
    }
    pm_file_forget(&volume->file);
}

void pm_volume_abandon(struct pm_volume *volume)
{
    pm_writer_abandon(volume->writer);
    volume->writer = NULL;
    pm_file_remove(&volume->file);
    pm_file_forget(&volume->file);
}

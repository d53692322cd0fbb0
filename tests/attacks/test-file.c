/* The rolling file of a recording JVM is removed, renamed, cut, replaced or overwritten: within
 * seconds `status` says so and a new file goes on, in which no later wait is missing. The workload
 * counts its parks itself. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/reader.h"
#include "tests/jvm/jvm.h"

#define NOTICED_NS  5000000000
#define MAXSIZE     (4u << 20)
#define HEADER_SIZE 4096
#define CLASS       "Stretches$Stretch"

/* -- what a file holds -- */

struct content {
    GHashTable *stretch_classes, *stretches; /* ids */
    GHashTable *begins;                      /* of waits for a Stretch; each thread's differ */
    GHashTable *times;                       /* blocker << 8 | kind → ended, as last told */
    gint64 n_waits, n_missing;               /* ended ones; of gaps */
    gint64 begin_ns;                         /* of the oldest chunk */
    gboolean closed;
};

static int on_class(void *context, const struct pm_class *value)
{
    struct content *content = context;

    if (value->name.length == strlen(CLASS) &&
        memcmp(value->name.bytes, CLASS, value->name.length) == 0)
        g_hash_table_add(content->stretch_classes, GUINT_TO_POINTER(value->id.n));
    return 0;
}

static int on_blocker(void *context, const struct pm_blocker *value)
{
    struct content *content = context;

    if (g_hash_table_contains(content->stretch_classes, GUINT_TO_POINTER(value->class_id.n)))
        g_hash_table_add(content->stretches, GUINT_TO_POINTER(value->id.n));
    return 0;
}

static int on_waits(void *context, const struct pm_wait_columns *columns)
{
    struct content *content = context;

    content->n_waits += (gint64)columns->n;
    for (size_t i = 0; i < columns->n; i++) {
        gint64 begin_ns = columns->begin_ns[i];
        if (g_hash_table_contains(content->stretches, GUINT_TO_POINTER(columns->blocker[i])))
            g_assert_true(g_hash_table_add(content->begins, g_memdup2(&begin_ns, sizeof begin_ns)));
    }
    return 0;
}

static int on_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    struct content *content = context;

    for (size_t i = 0; i < snapshot->n_counters; i++) {
        const struct pm_counters *counters = &snapshot->counters[i];
        gint64 ended = counters->times - counters->now;
        g_hash_table_replace(content->times,
                             GUINT_TO_POINTER(counters->blocker.n << 8 | counters->kind),
                             g_memdup2(&ended, sizeof ended));
    }
    return 0;
}

static int on_gap(void *context, const struct pm_gap *gap)
{
    struct content *content = context;

    g_assert_cmpint(gap->reason, ==, PM_GAP_WRITE);
    g_assert_cmpint(gap->begin_ns, <=, gap->end_ns);
    content->n_missing += gap->waits;
    return 0;
}

static void content_clear(struct content *content)
{
    g_hash_table_unref(content->stretch_classes);
    g_hash_table_unref(content->stretches);
    g_hash_table_unref(content->begins);
    g_hash_table_unref(content->times);
}

static void read_content(const char *path, struct content *ret_content)
{
    struct content content = {
        .stretch_classes = g_hash_table_new(NULL, NULL),
        .stretches = g_hash_table_new(NULL, NULL),
        .begins = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
        .times = g_hash_table_new_full(NULL, NULL, NULL, g_free),
        .begin_ns = G_MAXINT64,
        .closed = TRUE,
    };
    const struct pm_visitor visitor = {.context = &content,
                                       .on_class = on_class,
                                       .on_blocker = on_blocker,
                                       .on_waits = on_waits,
                                       .on_snapshot = on_snapshot,
                                       .on_gap = on_gap};
    struct pm_error_info info = {0};
    struct pm_source source;
    struct pm_reader *reader;

    if (pm_source_open(path, &source, &info) != 0 || pm_reader_open(source, &reader, &info) != 0)
        g_error("%s: %s", path, info.text);
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        if (chunk->overview)
            continue;
        g_assert_cmpint(pm_reader_read_chunk(reader, i, &visitor, NULL, &info), ==, 0);
        content.begin_ns = MIN(content.begin_ns, chunk->begin_ns);
        content.closed &= chunk->closed;
    }
    pm_reader_free(reader);
    *ret_content = content;
}

static guint n_between(const struct content *content, gint64 from_ns, gint64 to_ns)
{
    GHashTableIter iter;
    gpointer begin_ns;
    guint n = 0;

    g_hash_table_iter_init(&iter, content->begins);
    while (g_hash_table_iter_next(&iter, &begin_ns, NULL))
        n += *(gint64 *)begin_ns > from_ns && *(gint64 *)begin_ns < to_ns;
    return n;
}

static gint64 n_counted(const struct content *content)
{
    GHashTableIter iter;
    gpointer ended;
    gint64 n = 0;

    g_hash_table_iter_init(&iter, content->times);
    while (g_hash_table_iter_next(&iter, NULL, &ended))
        n += *(gint64 *)ended;
    return n;
}

static void verify(const char *path)
{
    g_auto(PmRun) run = {0};

    pm_parkctl(&run, "verify %s", path);
    if (run.status != 0)
        g_error("verify: %s%s", run.out, run.err);
}

/* -- a victim -- */

typedef struct {
    char *folder, *path;
    PmJvm *jvm;
    guint64 id; /* of the file that is attacked */
    guint line; /* the last line of the workload that was waited for */
} Victim;

/* What the workload says of its n-th stretch: parks so far, and when. */
static void wait_stretch(Victim *victim, guint n, gint64 *ret_parks, gint64 *ret_ns)
{
    g_autofree char *line = pm_jvm_wait_line(victim->jvm, "stretch", (int)n);
    g_auto(GStrv) words = g_strsplit(line, " ", -1);

    g_assert_cmpuint(g_strv_length(words), ==, 4);
    *ret_parks = g_ascii_strtoll(words[2], NULL, 10);
    *ret_ns = g_ascii_strtoll(words[3], NULL, 10);
    victim->line = n;
}

static guint n_stretches(Victim *victim)
{
    g_autofree char *text = pm_jvm_stdout(victim->jvm);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = 0;

    for (char **line = lines; *line != NULL && line[1] != NULL; line++)
        n += g_str_has_prefix(*line, "stretch ");
    return n;
}

/* A recording's file_id (docs/format.md §2.1); 0 when there is none under that name. */
static guint64 id_of(const char *path)
{
    guint8 header[32] = {0};
    guint64 id;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return 0;
    ssize_t n = pread(fd, header, sizeof header, 0);
    close(fd);
    memcpy(&id, header + 24, sizeof id);
    return n == sizeof header && memcmp(header, "\x89PARK", 5) == 0 ? GUINT64_FROM_LE(id) : 0;
}

static void begin(Victim *victim, const char *name)
{
    gint64 parks, at_ns;

    *victim = (Victim){.folder = pm_jvm_path("%s", name)};
    g_assert_cmpint(g_mkdir(victim->folder, 0700), ==, 0);
    victim->path = g_build_filename(victim->folder, "a.park", NULL);
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=%u", victim->path, MAXSIZE);
    victim->jvm = pm_jvm_start(options, "Stretches 0 20");
    wait_stretch(victim, 10, &parks, &at_ns);
    victim->id = id_of(victim->path);
    g_assert_cmpuint(victim->id, !=, 0);
}

static void victim_clear(Victim *victim)
{
    pm_jvm_free(victim->jvm);
    g_free(victim->folder);
    g_free(victim->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Victim, victim_clear)

static char *beside(const Victim *victim, const char *name)
{
    return g_build_filename(victim->folder, name, NULL);
}

/* The longest time between two stretches: how long this machine stalls. */
static gint64 longest_stall(Victim *victim)
{
    g_autofree char *text = pm_jvm_stdout(victim->jvm);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    gint64 before = 0, longest = 0;

    for (char **line = lines; *line != NULL && line[1] != NULL; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", -1);
        if (g_strv_length(words) == 4) {
            gint64 at = g_ascii_strtoll(words[3], NULL, 10);
            if (before != 0)
                longest = MAX(longest, at - before);
            before = at;
        }
    }
    return longest;
}

/* Until a recording that is neither the victim's nor `other` lies under the name; nobody asks the
 * recorder, which has to see for itself. */
static void await_file_but(Victim *victim, guint64 other)
{
    gint64 from_us = g_get_monotonic_time();
    guint64 id;

    while ((id = id_of(victim->path)) == 0 || id == victim->id || id == other) {
        gint64 took_ns = (g_get_monotonic_time() - from_us) * 1000;
        if (took_ns > NOTICED_NS + longest_stall(victim))
            g_error("no new file at %s after %.1f s", victim->path, (double)took_ns / 1e9);
        g_usleep(20000);
    }
    victim->id = id;
}

static void await_new_file(Victim *victim)
{
    await_file_but(victim, 0);
}

static JsonNode *status_of(const Victim *victim)
{
    return pm_parkctl_json("%d status", pm_jvm_pid(victim->jvm));
}

/* `status` says what happened, as JSON and as text; `error`: and that waits are lost right now. */
static void assert_said(const Victim *victim, const char *word, gboolean error)
{
    g_autoptr(JsonNode) node = status_of(victim);
    JsonObject *status = json_node_get_object(node);
    g_auto(PmRun) run = {0};

    const char *warning =
        json_object_has_member(status, "warning") ? pm_json_string(status, "warning") : NULL;
    if (warning == NULL || strstr(warning, word) == NULL)
        g_error("status does not say \"%s\" but \"%s\"", word, warning ? warning : "(nothing)");
    if (error)
        g_assert_nonnull(pm_json_string(status, "error"));
    else
        g_assert_null(pm_json_string(status, "error"));
    g_assert_true(json_object_get_boolean_member(status, "recording"));
    g_assert_cmpstr(pm_json_string(status, "file"), ==, victim->path);
    pm_parkctl(&run, "%d status", pm_jvm_pid(victim->jvm));
    g_assert_cmpint(run.status, ==, 0);
    g_assert_nonnull(strstr(run.out, "WARNING"));
    g_assert_nonnull(strstr(run.out, word));
}

static gboolean names_the_workload(const char *target)
{
    g_auto(PmRun) run = {0};

    pm_parkctl(&run, "report %s --idle", target);
    return run.status == 0 && strstr(run.out, "Stretch") != NULL;
}

/* What parkctl answers of the running JVM is from the file that lies there now. */
static void assert_answers(Victim *victim)
{
    g_autofree char *dump = beside(victim, "dump.park");
    g_autofree char *pid = g_strdup_printf("%d", pm_jvm_pid(victim->jvm));
    struct content held;

    g_assert_true(pm_parkctl_succeeds("%s dump filename=%s", pid, dump));
    verify(dump);
    g_assert_true(names_the_workload(dump));
    g_assert_true(names_the_workload(pid));
    g_assert_true(pm_parkctl_succeeds("%s now", pid));
    read_content(dump, &held);
    g_assert_cmpint(held.n_waits, >, 0);
    content_clear(&held);
    g_unlink(dump);
}

/* The JVM is ended; its output is what it always is but for `n_lines` of ours. */
static void end(Victim *victim, guint n_lines)
{
    pm_jvm_kill(victim->jvm, SIGTERM);
    g_assert_cmpint(pm_jvm_wait(victim->jvm), ==, 128 + SIGTERM);
    g_autofree char *out = pm_jvm_stdout(victim->jvm);
    g_autofree char *err = pm_jvm_stderr(victim->jvm);
    g_auto(GStrv) out_lines = g_strsplit(out, "\n", -1);
    g_auto(GStrv) err_lines = g_strsplit(err, "\n", -1);

    for (char **line = out_lines; *line != NULL && line[1] != NULL; line++)
        g_assert_true(g_str_equal(*line, "ready") || g_str_has_prefix(*line, "stretch "));
    for (char **line = err_lines; *line != NULL && **line != '\0'; line++) {
        g_assert_true(g_str_has_prefix(*line, "parkmeter: "));
        g_assert_nonnull(strstr(*line, victim->path));
    }
    g_assert_cmpuint(g_strv_length(err_lines) - 1, ==, n_lines);
}

/* From here on everything is in the file that lies there at the end. */
typedef struct {
    gint64 parks, at_ns;
} Mark;

static Mark mark(Victim *victim)
{
    Mark mark;

    wait_stretch(victim, n_stretches(victim) + 2, &mark.parks, &mark.at_ns);
    return mark;
}

/* Every park that the workload counted between the marks is in the file, once. */
static void assert_holds(const struct content *held, Mark from, Mark to)
{
    g_assert_cmpuint(n_between(held, from.at_ns, to.at_ns), ==, (guint)(to.parks - from.parks));
}

/* After an attack that was survived: the file that lies there stands alone, holds every later wait,
 * and its counters know the others. `old`: where the one before lies, closed and whole, so that
 * nothing is lost at all; NULL when it is gone. */
static void assert_goes_on(Victim *victim, const char *old, guint n_lines)
{
    Mark first = {0}, from = mark(victim), to;
    struct content held, before;
    g_auto(PmRun) run = {0};

    assert_answers(victim);
    wait_stretch(victim, victim->line + 8, &to.parks, &to.at_ns);
    end(victim, n_lines);
    wait_stretch(victim, 1, &first.parks, &first.at_ns);
    verify(victim->path);
    read_content(victim->path, &held);
    g_assert_true(held.closed);
    assert_holds(&held, from, to);
    g_assert_cmpint(n_counted(&held), >=, to.parks);
    if (old != NULL) {
        GHashTableIter iter;
        gpointer begin_ns;

        verify(old);
        read_content(old, &before);
        g_assert_true(before.closed);
        g_assert_cmpint(held.n_missing, ==, 0);
        g_assert_cmpint(before.n_missing, ==, 0);
        g_hash_table_iter_init(&iter, before.begins);
        while (g_hash_table_iter_next(&iter, &begin_ns, NULL))
            g_assert_true(g_hash_table_add(held.begins, g_memdup2(begin_ns, sizeof(gint64))));
        assert_holds(&held, first, to);
        g_assert_cmpint(held.n_waits + before.n_waits, ==, n_counted(&held));
        GStatBuf status;
        g_assert_cmpint(g_stat(old, &status), ==, 0);
        g_assert_cmpint(status.st_size, <, MAXSIZE / 2); /* cut to what it uses */
        content_clear(&before);
    } else {
        g_assert_cmpint(held.n_missing, >, 0);
        g_assert_cmpint(held.n_waits + held.n_missing, ==, n_counted(&held));
        pm_parkctl(&run, "info %s", victim->path);
        g_assert_nonnull(strstr(run.out, "Gap"));
    }
    content_clear(&held);
}

static void assert_holds_text(const char *path, const char *text)
{
    g_autofree char *found = NULL;

    g_assert_true(g_file_get_contents(path, &found, NULL, NULL));
    g_assert_cmpstr(found, ==, text);
}

static void overwrite(const char *path, off_t offset, gsize size)
{
    g_autofree char *bytes = g_malloc(size);
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    g_assert_cmpint(fd, >=, 0);
    memset(bytes, 0xa5, size);
    g_assert_cmpint(pwrite(fd, bytes, size, offset), ==, (gssize)size);
    close(fd);
}

/* -- the attacks -- */

static void test_removed(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "removed");
    g_assert_cmpint(g_unlink(victim.path), ==, 0);
    await_new_file(&victim);
    assert_said(&victim, "removed", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

static void test_renamed(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "renamed");
    g_autofree char *old = beside(&victim, "b.park");
    g_assert_cmpint(g_rename(victim.path, old), ==, 0);
    await_new_file(&victim);
    assert_said(&victim, "renamed", FALSE);
    assert_goes_on(&victim, old, 1);
}

/* The file gets the name `old`, and another one its own, at once: in between, the recorder would
 * begin a new one. */
static void change_places(const Victim *victim, const char *old, const char *bytes, gsize size)
{
    g_assert_true(g_file_set_contents(old, bytes, (gssize)size, NULL));
    g_assert_cmpint(renameat2(AT_FDCWD, victim->path, AT_FDCWD, old, RENAME_EXCHANGE), ==, 0);
}

/* As logrotate does with `create`. */
static void test_rotated(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "rotated");
    g_autofree char *old = beside(&victim, "a.park.1");
    change_places(&victim, old, "", 0);
    await_new_file(&victim);
    assert_said(&victim, "renamed", FALSE);
    assert_goes_on(&victim, old, 1);
}

static void test_emptied(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "emptied");
    g_assert_cmpint(truncate(victim.path, 0), ==, 0);
    await_new_file(&victim);
    assert_said(&victim, "cut", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

static void test_cut(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "cut");
    g_assert_cmpint(truncate(victim.path, MAXSIZE / 2), ==, 0);
    await_new_file(&victim);
    assert_said(&victim, "cut", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

/* By mistake: what was put there is nobody's to write over. */
static void test_copied_over(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "mistake");
    g_autofree char *kept = beside(&victim, "a.park.1");
    int fd = open(victim.path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    g_usleep(50000);
    g_assert_cmpint(write(fd, "evidence", 8), ==, 8);
    close(fd);
    await_new_file(&victim);
    assert_said(&victim, "cut", FALSE);
    assert_holds_text(kept, "evidence");
    assert_goes_on(&victim, NULL, 1);
    assert_holds_text(kept, "evidence");
}

/* It comes back over the one that followed it. */
static void test_moved_away_and_back(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "back");
    g_autofree char *aside = beside(&victim, "aside.park");
    g_autofree char *kept = beside(&victim, "a.park.1");
    guint64 first = victim.id;
    g_assert_cmpint(g_rename(victim.path, aside), ==, 0);
    await_new_file(&victim);
    mark(&victim);
    g_assert_cmpint(g_rename(aside, victim.path), ==, 0);
    await_file_but(&victim, first);
    assert_said(&victim, "replaced", FALSE);
    verify(kept);
    Mark from = mark(&victim), to;
    wait_stretch(&victim, victim.line + 8, &to.parks, &to.at_ns);
    end(&victim, 1);
    struct content held, before;
    read_content(victim.path, &held);
    read_content(kept, &before);
    assert_holds(&held, from, to);
    g_assert_cmpint(held.n_waits + held.n_missing + before.n_waits, ==, n_counted(&held));
    content_clear(&held);
    content_clear(&before);
}

/* It has its size again, but not what was in it. */
static void test_cut_and_grown(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "grown");
    g_assert_cmpint(truncate(victim.path, HEADER_SIZE), ==, 0);
    g_assert_cmpint(truncate(victim.path, MAXSIZE), ==, 0);
    await_new_file(&victim);
    assert_said(&victim, "overwritten", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

static void test_replaced(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "replaced");
    g_autofree char *other = beside(&victim, "other");
    g_autofree char *kept = beside(&victim, "a.park.1");
    g_assert_true(g_file_set_contents(other, "evidence", -1, NULL));
    g_assert_cmpint(g_rename(other, victim.path), ==, 0);
    await_new_file(&victim);
    assert_said(&victim, "replaced", FALSE);
    assert_holds_text(kept, "evidence");
    assert_goes_on(&victim, NULL, 1);
}

/* A copy of it is not it. */
static void test_replaced_by_its_copy(void)
{
    g_auto(Victim) victim = {0};
    g_autofree char *bytes = NULL;
    gsize size;

    begin(&victim, "copied");
    g_autofree char *old = beside(&victim, "b.park");
    g_assert_true(g_file_get_contents(victim.path, &bytes, &size, NULL));
    change_places(&victim, old, bytes, size);
    await_new_file(&victim);
    assert_said(&victim, "renamed", FALSE);
    assert_goes_on(&victim, old, 1);
}

static void test_overwritten_wholly(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "wholly");
    overwrite(victim.path, 0, MAXSIZE);
    await_new_file(&victim);
    assert_said(&victim, "overwritten", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

static void test_overwritten_header(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "header");
    overwrite(victim.path, 0, 128);
    await_new_file(&victim);
    assert_said(&victim, "overwritten", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

/* The first slot is in use. */
static void test_overwritten_slot(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "slot");
    overwrite(victim.path, HEADER_SIZE, 65536);
    await_new_file(&victim);
    assert_said(&victim, "overwritten", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

/* Not what was written last, but what was written first. */
static void test_overwritten_block(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "block");
    overwrite(victim.path, HEADER_SIZE + 200, 64);
    await_new_file(&victim);
    assert_said(&victim, "overwritten", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

/* Nothing is written through a link, and recording goes on once it is gone. */
static void test_replaced_by_a_link(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "link");
    g_autofree char *prey = beside(&victim, "prey");
    g_assert_true(g_file_set_contents(prey, "mine", -1, NULL));
    g_assert_cmpint(g_unlink(victim.path), ==, 0);
    g_assert_cmpint(symlink(prey, victim.path), ==, 0);
    g_usleep(2 * G_USEC_PER_SEC);
    assert_said(&victim, "removed", TRUE);
    assert_said(&victim, "not a regular file", TRUE);
    assert_holds_text(prey, "mine");
    g_assert_cmpint(g_unlink(victim.path), ==, 0);
    await_new_file(&victim);
    assert_said(&victim, "removed", FALSE);
    assert_holds_text(prey, "mine");
    assert_goes_on(&victim, NULL, 1);
}

/* Where there is no folder no file can be made: waits are counted and told, and it is tried again.
 */
static void test_folder_removed(void)
{
    g_auto(Victim) victim = {0};
    g_auto(PmRun) run = {0};

    begin(&victim, "folder");
    g_assert_cmpint(g_unlink(victim.path), ==, 0);
    g_assert_cmpint(g_rmdir(victim.folder), ==, 0);
    g_usleep(3 * G_USEC_PER_SEC);
    assert_said(&victim, "removed", TRUE);
    assert_said(&victim, "No such file or directory", TRUE);
    g_autoptr(JsonNode) status = status_of(&victim);
    g_assert_cmpint(pm_json_int(json_node_get_object(status), "dropped"), >, 0);
    pm_parkctl(&run, "%d now", pm_jvm_pid(victim.jvm));
    g_assert_cmpint(run.status, ==, 1);
    g_assert_nonnull(strstr(run.err, victim.path));
    g_assert_cmpint(g_mkdir(victim.folder, 0700), ==, 0);
    await_new_file(&victim);
    assert_said(&victim, "removed", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

/* The file is where it was, in its folder: nothing is lost until a new one can be made, and nothing
 * then. */
static void test_folder_renamed(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "moved");
    g_autofree char *folder = pm_jvm_path("moved-away");
    g_autofree char *old = g_build_filename(folder, "a.park", NULL);
    g_assert_cmpint(g_rename(victim.folder, folder), ==, 0);
    g_usleep(3 * G_USEC_PER_SEC);
    assert_said(&victim, folder, FALSE);
    g_autoptr(JsonNode) status = status_of(&victim);
    g_assert_cmpint(pm_json_int(json_node_get_object(status), "dropped"), ==, 0);
    g_assert_cmpint(g_mkdir(victim.folder, 0700), ==, 0);
    await_new_file(&victim);
    assert_goes_on(&victim, old, 1);
}

/* One attack after the other. */
static void test_again_and_again(void)
{
    g_auto(Victim) victim = {0};

    begin(&victim, "again");
    for (int i = 0; i < 5; i++) {
        g_assert_cmpint(g_unlink(victim.path), ==, 0);
        await_new_file(&victim);
    }
    assert_said(&victim, "removed", FALSE);
    assert_goes_on(&victim, NULL, 1);
}

static gboolean is_ours(const char *target)
{
    return g_str_has_prefix(target, "socket:") || strstr(target, "parkmeter-jvm-");
}

static void assert_closed_by_exec(const char *info)
{
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(info, &text, NULL, NULL));
    const char *flags = strstr(text, "flags:");
    g_assert_nonnull(flags);
    g_assert_cmpuint(g_ascii_strtoull(flags + strlen("flags:"), NULL, 8) & O_CLOEXEC, !=, 0);
}

/* Nothing of the recorder's is open in the programs that its host executes. */
static void test_children_inherit_nothing(void)
{
    g_autofree char *recording = pm_jvm_path("inherited.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=1m", "ParkedForever");
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_parkctl_succeeds("%d status", pm_jvm_pid(jvm)));
    g_autofree char *folder = g_strdup_printf("/proc/%d/fd", pm_jvm_pid(jvm));
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    guint n = 0;
    for (const char *name; (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *link = g_build_filename(folder, name, NULL);
        g_autofree char *info = g_strdup_printf("%sinfo/%s", folder, name);
        g_autofree char *target = g_file_read_link(link, NULL);
        if (atoi(name) <= STDERR_FILENO || !target || !is_ours(target))
            continue;
        assert_closed_by_exec(info);
        n++;
    }
    g_assert_cmpuint(n, >=, 2); /* the file and the socket */
}

/* report= names a pipe: first nobody opens it, then nobody reads. */
static void test_nobody_reads_the_report(void)
{
    g_autofree char *pipe = pm_jvm_path("pipe");
    g_autofree char *recording = pm_jvm_path("unread.park");
    g_autofree char *copy = pm_jvm_path("unread-copy.park");
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=1m,report=%s", recording, pipe);
    g_assert_cmpint(mkfifo(pipe, 0600), ==, 0);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, "ParkedForever");
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    for (int opened = 0; opened < 2; opened++) {
        int fd = opened ? open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
        while (opened && write(fd, pipe, 1) == 1) {
        }
        pm_jvm_kill(jvm, SIGQUIT);
        g_free(pm_jvm_wait_line(jvm, "JNI global refs", opened + 1));
        g_usleep(G_USEC_PER_SEC / 10);
        g_assert_true(pm_parkctl_succeeds("%d dump filename=%s", pm_jvm_pid(jvm), copy));
        g_unlink(copy);
        if (opened)
            close(fd);
    }
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/attacks/file/removed", test_removed);
    pm_jvm_add("/attacks/file/renamed-loses-nothing", test_renamed);
    pm_jvm_add("/attacks/file/rotated-loses-nothing", test_rotated);
    pm_jvm_add("/attacks/file/emptied", test_emptied);
    pm_jvm_add("/attacks/file/cut", test_cut);
    pm_jvm_add("/attacks/file/copied-over-by-mistake", test_copied_over);
    pm_jvm_add("/attacks/file/moved-away-and-back", test_moved_away_and_back);
    pm_jvm_add("/attacks/file/cut-and-grown", test_cut_and_grown);
    pm_jvm_add("/attacks/file/replaced", test_replaced);
    pm_jvm_add("/attacks/file/replaced-by-its-copy-loses-nothing", test_replaced_by_its_copy);
    pm_jvm_add("/attacks/file/overwritten-wholly", test_overwritten_wholly);
    pm_jvm_add("/attacks/file/overwritten-header", test_overwritten_header);
    pm_jvm_add("/attacks/file/overwritten-slot", test_overwritten_slot);
    pm_jvm_add("/attacks/file/overwritten-block", test_overwritten_block);
    pm_jvm_add("/attacks/file/replaced-by-a-link", test_replaced_by_a_link);
    pm_jvm_add("/attacks/file/folder-removed", test_folder_removed);
    pm_jvm_add("/attacks/file/folder-renamed-loses-nothing", test_folder_renamed);
    pm_jvm_add("/attacks/file/again-and-again", test_again_and_again);
    pm_jvm_add("/attacks/file/nobody-reads-the-report", test_nobody_reads_the_report);
    pm_jvm_add("/attacks/file/children-inherit-nothing", test_children_inherit_nothing);
    return pm_jvm_run();
}

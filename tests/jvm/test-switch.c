/* Recording is switched off and on, its options are set and an attach is tried while threads wait
 * and write each of their waits down. Then the recording is held against what they wrote: a wait
 * inside a recorded span is there once, one across an edge is cut there, nothing is told of the
 * rest, and the totals are those of the waits; what finds no room is counted. PM_SWITCHES: how
 * often (30). */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "format/reader.h"
#include "tests/jvm/jvm.h"

#define N_THREADS 9 /* of Diary.java */
/* The recorder's clock follows the kernel's within a microsecond where it is compared regularly,
 * and within as much as this where its thread gets no processor (base/clock.h). What one processor
 * writes before it reads the clock, another that reads it later may not see for a tenth of a
 * microsecond. */
#define EDGE_NS 5000

/* Its threads are virtual. 0, 1 and 7 are unparked at any time; a virtual thread that finds its
 * permit does not wait, though it writes so. */
static bool is_virtual;

static bool may_find_permit(int thread)
{
    return is_virtual && (thread < 2 || thread == 7);
}

/* -- what the threads wrote -- */

struct entry {
    int64_t kind, begin_ns, end_ns;
};

static void read_diary(const char *path, GArray *diaries[N_THREADS])
{
    g_autoptr(GError) error = NULL;
    g_autofree char *bytes = NULL;
    gsize size;

    g_file_get_contents(path, &bytes, &size, &error);
    g_assert_no_error(error);
    const int64_t *at = (const int64_t *)(void *)bytes;
    for (int i = 0; i < N_THREADS; i++) {
        guint n = (guint)*at++;
        diaries[i] = g_array_new(FALSE, FALSE, sizeof(struct entry));
        g_array_append_vals(diaries[i], at, n);
        at += 3 * n;
    }
    g_assert_true((const char *)at == bytes + size);
}

/* -- what was recorded -- */

struct span {
    int64_t begin_ns, end_ns;
};

struct content {
    GHashTable *numbers;      /* thread's id → number + 1 */
    GHashTable *pages;        /* ids of Diary$Page … */
    pm_class_id page;         /* … its own */
    GArray *waits[N_THREADS]; /* struct pm_wait, by begin */
    GHashTable *stopped;      /* begin → end */
    GArray *recorded;         /* struct span, the complement, by begin */
    guint n_gaps, n_damaged;
};

static int on_thread(void *context, const struct pm_thread *thread)
{
    struct content *content = context;
    g_autofree char *name = g_strndup(thread->name.bytes, thread->name.length);

    if (g_str_has_prefix(name, "diary-"))
        g_hash_table_insert(content->numbers, GUINT_TO_POINTER(thread->id.n),
                            GINT_TO_POINTER(atoi(name + strlen("diary-")) + 1));
    return 0;
}

static int on_class(void *context, const struct pm_class *class)
{
    struct content *content = context;

    if (class->name.length == strlen("Diary$Page") &&
        memcmp(class->name.bytes, "Diary$Page", class->name.length) == 0)
        content->page = class->id;
    return 0;
}

static int on_blocker(void *context, const struct pm_blocker *blocker)
{
    struct content *content = context;

    if (content->page.n != 0 && blocker->class_id.n == content->page.n)
        g_hash_table_add(content->pages, GUINT_TO_POINTER(blocker->id.n));
    return 0;
}

static int on_waits(void *context, const struct pm_wait_columns *columns)
{
    struct content *content = context;

    for (size_t i = 0; i < columns->n; i++) {
        int number = GPOINTER_TO_INT(
            g_hash_table_lookup(content->numbers, GUINT_TO_POINTER(columns->thread[i])));
        struct pm_wait wait = {.begin_ns = columns->begin_ns[i],
                               .duration_ns = columns->duration_ns[i],
                               .kind = columns->kind[i],
                               .flags = columns->flags[i]};
        if (number > 0 && wait.kind != PM_KIND_ENTER &&
            g_hash_table_contains(content->pages, GUINT_TO_POINTER(columns->blocker[i])))
            g_array_append_val(content->waits[number - 1], wait);
    }
    return 0;
}

static int on_span(void *context, const struct pm_span *span)
{
    struct content *content = context;

    if (span->kind == PM_SPAN_STOPPED && span->end_ns != 0)
        g_hash_table_insert(content->stopped, g_memdup2(&span->begin_ns, sizeof(int64_t)),
                            g_memdup2(&span->end_ns, sizeof(int64_t)));
    return 0;
}

static int on_gap(void *context, const struct pm_gap *gap)
{
    ((struct content *)context)->n_gaps++;
    return 0;
}

static int on_damage(void *context, const struct pm_damage *damage)
{
    ((struct content *)context)->n_damaged++;
    return 0;
}

static int compare_ns(gconstpointer a, gconstpointer b)
{
    /* both structs begin with their begin */
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return left < right ? -1 : left > right;
}

static void find_recorded_spans(struct content *content, int64_t begin_ns)
{
    GHashTableIter iter;
    int64_t *stop_ns, *start_ns;
    g_autoptr(GArray) stopped = g_array_new(FALSE, FALSE, sizeof(struct span));

    g_hash_table_iter_init(&iter, content->stopped);
    while (g_hash_table_iter_next(&iter, (gpointer *)&stop_ns, (gpointer *)&start_ns)) {
        struct span span = {*stop_ns, *start_ns};
        g_array_append_val(stopped, span);
    }
    g_array_sort(stopped, compare_ns);
    content->recorded = g_array_new(FALSE, FALSE, sizeof(struct span));
    for (guint i = 0; i <= stopped->len; i++) {
        struct span span = {begin_ns, INT64_MAX};
        if (i < stopped->len) {
            span.end_ns = g_array_index(stopped, struct span, i).begin_ns;
            begin_ns = g_array_index(stopped, struct span, i).end_ns;
        }
        g_assert_cmpint(span.begin_ns, <=, span.end_ns);
        g_array_append_val(content->recorded, span);
    }
}

static void read_content(const char *path, struct content *content)
{
    struct pm_error_info info = {0};
    struct pm_source source;
    struct pm_reader *reader;
    const struct pm_visitor visitor = {.context = content,
                                       .on_class = on_class,
                                       .on_thread = on_thread,
                                       .on_blocker = on_blocker,
                                       .on_waits = on_waits,
                                       .on_span = on_span,
                                       .on_gap = on_gap,
                                       .on_damage = on_damage};

    memset(content, 0, sizeof(*content));
    content->numbers = g_hash_table_new(NULL, NULL);
    content->pages = g_hash_table_new(NULL, NULL);
    content->stopped = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    for (int i = 0; i < N_THREADS; i++)
        content->waits[i] = g_array_new(FALSE, FALSE, sizeof(struct pm_wait));
    g_assert_cmpint(pm_source_open(path, &source, &info), ==, 0);
    g_assert_cmpint(pm_reader_open(source, &reader, &info), ==, 0);
    g_assert_cmpuint(pm_reader_n_chunks(reader), >, 0);
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++)
        if (!pm_reader_chunk(reader, i)->overview)
            g_assert_cmpint(pm_reader_read_chunk(reader, i, &visitor, NULL, &info), ==, 0);
    find_recorded_spans(content, pm_reader_info(reader)->facts.begin_ns);
    pm_reader_free(reader);
    for (int i = 0; i < N_THREADS; i++)
        g_array_sort(content->waits[i], compare_ns);
}

static void content_clear(struct content *content)
{
    g_hash_table_unref(content->numbers);
    g_hash_table_unref(content->pages);
    g_hash_table_unref(content->stopped);
    for (int i = 0; i < N_THREADS; i++)
        g_array_unref(content->waits[i]);
    g_array_unref(content->recorded);
}

/* -- one held against the other -- */

struct tally {
    guint n_whole;          /* entries inside a recorded span */
    guint n_begun, n_cut;   /* … that reach beyond its end; with a wait that is cut there */
    guint n_anew;           /* waits already going on at a span's begin */
    guint n_times;          /* waits that count as begun */
    int64_t thread_time_ns; /* of all of them */
    guint n_lost, n_doubled, n_odd; /* what must not be */
};

#define COMPLAINTS 12

static void complain(struct tally *tally, guint *count, const char *what, int thread,
                     const struct entry *entry, const struct pm_wait *wait, const struct span *span)
{
    ++*count;
    if (tally->n_lost + tally->n_doubled + tally->n_odd > COMPLAINTS)
        return;
    int64_t zero_ns = span ? span->begin_ns : entry ? entry->begin_ns : wait->begin_ns;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "diary-%d: %s;", thread, what);
    if (span)
        g_string_append_printf(text, " span 0…%" G_GINT64_FORMAT, span->end_ns - zero_ns);
    if (entry)
        g_string_append_printf(
            text, " written %" G_GINT64_FORMAT "…%" G_GINT64_FORMAT " kind %" G_GINT64_FORMAT,
            entry->begin_ns - zero_ns, entry->end_ns - zero_ns, entry->kind);
    if (wait)
        g_string_append_printf(
            text, " recorded %" G_GINT64_FORMAT "…%" G_GINT64_FORMAT " kind %u flags %x",
            wait->begin_ns - zero_ns, wait->begin_ns + wait->duration_ns - zero_ns, wait->kind,
            wait->flags);
    g_test_message("%s", text->str);
}

/* The waits of a thread against its diary in one recorded span. `*at_entry`, `*at_wait`: where the
 * span before ended. */
static void check_span(struct tally *tally, int thread, const GArray *diary, const GArray *waits,
                       const struct span *span, guint *at_entry, guint *at_wait)
{
    for (; *at_wait < waits->len; ++*at_wait) {
        const struct pm_wait *wait = &g_array_index(waits, struct pm_wait, *at_wait);
        int64_t end_ns = wait->begin_ns + wait->duration_ns;
        const struct entry *entry = NULL;
        if (wait->begin_ns >= span->end_ns)
            break;
        tally->n_times += !(wait->flags & PM_WAIT_BEGIN_UNKNOWN);
        tally->thread_time_ns += wait->duration_ns;
        if (wait->begin_ns < span->begin_ns || end_ns > span->end_ns)
            complain(tally, &tally->n_odd, "not in a recorded span", thread, NULL, wait, span);
        /* The entry it belongs to: the first that ends at its begin or later. Those passed over
         * were not recorded. */
        for (; *at_entry < diary->len; ++*at_entry) {
            entry = &g_array_index(diary, struct entry, *at_entry);
            if (entry->end_ns >= wait->begin_ns ||
                (entry->end_ns + EDGE_NS >= wait->begin_ns &&
                 (*at_entry + 1 == diary->len || entry[1].begin_ns > wait->begin_ns)))
                break;
            if (entry->begin_ns >= span->begin_ns + EDGE_NS && !may_find_permit(thread))
                complain(tally, &tally->n_lost, "lost", thread, entry, wait, span);
            entry = NULL;
        }
        if (wait->flags & PM_WAIT_BEGIN_UNKNOWN) {
            /* Going on as the recorder came. Where it was only looked at later, it may seem to last
             * until its thread waits again. */
            tally->n_anew++;
            if (!entry)
                complain(tally, &tally->n_odd, "not written", thread, NULL, wait, span);
            else if (entry->begin_ns >= span->begin_ns && wait->begin_ns == span->begin_ns)
                complain(tally, &tally->n_odd, "begun anew", thread, entry, wait, span);
            continue;
        }
        if (!entry || entry->begin_ns > wait->begin_ns + EDGE_NS) {
            complain(tally, &tally->n_doubled, "not written", thread, entry, wait, span);
            continue;
        }
        /* not past one that goes on in the next span */
        *at_entry += entry->end_ns < span->end_ns;
        if (entry->kind != wait->kind)
            complain(tally, &tally->n_odd, "another kind", thread, entry, wait, span);
        if (wait->flags & PM_WAIT_CUT ? end_ns != span->end_ns || entry->end_ns + EDGE_NS < end_ns
                                      : end_ns > entry->end_ns + EDGE_NS)
            complain(tally, &tally->n_odd, "wrong end", thread, entry, wait, span);
        tally->n_whole += entry->end_ns < span->end_ns;
        tally->n_cut += (wait->flags & PM_WAIT_CUT) != 0;
    }
    for (; *at_entry < diary->len; ++*at_entry) {
        const struct entry *entry = &g_array_index(diary, struct entry, *at_entry);
        if (entry->end_ns >= span->end_ns) {
            tally->n_begun += entry->begin_ns >= span->begin_ns && entry->begin_ns < span->end_ns;
            break;
        }
        if (entry->begin_ns >= span->begin_ns + EDGE_NS && !may_find_permit(thread))
            complain(tally, &tally->n_lost, "lost", thread, entry, NULL, span);
    }
}

static void check(const char *diary_path, const char *recording, guint n_stopped,
                  struct tally *tally)
{
    GArray *diaries[N_THREADS];
    struct content content;

    read_diary(diary_path, diaries);
    read_content(recording, &content);
    memset(tally, 0, sizeof(*tally));
    for (int i = 0; i < N_THREADS; i++) {
        guint at_entry = 0, at_wait = 0;
        for (guint j = 0; j < content.recorded->len; j++)
            check_span(tally, i, diaries[i], content.waits[i],
                       &g_array_index(content.recorded, struct span, j), &at_entry, &at_wait);
        g_assert_cmpuint(at_wait, ==, content.waits[i]->len);
        g_assert_cmpuint(diaries[i]->len, >, 0);
        g_array_unref(diaries[i]);
    }
    g_test_message("%u waits inside %u recorded spans, %u beyond an end, %u of them cut, %u at a "
                   "begin; %u lost, %u doubled, %u odd",
                   tally->n_whole, content.recorded->len, tally->n_begun, tally->n_cut,
                   tally->n_anew, tally->n_lost, tally->n_doubled, tally->n_odd);
    g_assert_cmpuint(content.n_gaps, ==, 0);
    g_assert_cmpuint(content.n_damaged, ==, 0);
    g_assert_cmpuint(content.recorded->len, ==, n_stopped + 1);
    g_assert_cmpuint(tally->n_lost, ==, 0);
    g_assert_cmpuint(tally->n_doubled, ==, 0);
    g_assert_cmpuint(tally->n_odd, ==, 0);
    content_clear(&content);
}

/* When waits found no room: how many began in recorded spans, at least and at most. */
static void check_times(const char *diary_path, const char *recording)
{
    GArray *diaries[N_THREADS];
    struct content content;
    int64_t least = 0, most = 0, times = 0;

    read_diary(diary_path, diaries);
    read_content(recording, &content);
    for (int i = 0; i < N_THREADS; i++) {
        guint at = 0;
        for (guint j = 0; j < diaries[i]->len; j++) {
            const struct entry *entry = &g_array_index(diaries[i], struct entry, j);
            const struct span *span = &g_array_index(content.recorded, struct span, at);
            while (entry->begin_ns >= span->end_ns)
                span = &g_array_index(content.recorded, struct span, ++at);
            least += entry->begin_ns >= span->begin_ns && entry->end_ns < span->end_ns &&
                     !may_find_permit(i);
            most += entry->end_ns >= span->begin_ns;
        }
        g_array_unref(diaries[i]);
    }
    g_autoptr(JsonNode) report =
        pm_parkctl_json("report %s --idle --limit=0 --since-start", recording);
    JsonObject *root = json_node_get_object(report);
    JsonArray *rows = json_object_get_array_member(root, "blockers");
    for (guint i = 0; i < json_array_get_length(rows); i++) {
        JsonObject *row = json_array_get_object_element(rows, i);
        if (g_strcmp0(pm_json_string(row, "class"), "Diary$Page") == 0 &&
            g_strcmp0(pm_json_string(row, "kind"), "enter") != 0)
            times += pm_json_int(row, "times_parked");
    }
    g_test_message("%" G_GINT64_FORMAT " waits counted, %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                   " written, %" G_GINT64_FORMAT " dropped",
                   times, least, most,
                   pm_json_int(json_object_get_object_member(root, "recording"), "dropped"));
    g_assert_cmpint(times, >=, least);
    g_assert_cmpint(times, <=, most);
    content_clear(&content);
}

static void check_report(const char *options, const char *recording, const struct tally *tally)
{
    g_autoptr(JsonNode) report =
        pm_parkctl_json("report %s --idle --limit=0%s", recording, options);
    JsonArray *rows = pm_json_array(report, "blockers");
    int64_t times = 0, thread_time_ns = 0;

    for (guint i = 0; i < json_array_get_length(rows); i++) {
        JsonObject *row = json_array_get_object_element(rows, i);
        if (g_strcmp0(pm_json_string(row, "class"), "Diary$Page") != 0 ||
            g_strcmp0(pm_json_string(row, "kind"), "enter") == 0)
            continue;
        times += pm_json_int(row, "times_parked");
        thread_time_ns += pm_json_int(row, "thread_time_ns");
    }
    g_test_message("report%s: times parked %" G_GINT64_FORMAT ", thread-time %" G_GINT64_FORMAT,
                   options, times, thread_time_ns);
    g_assert_cmpint(times, ==, tally->n_times);
    g_assert_cmpint(thread_time_ns, ==, tally->thread_time_ns);
}

/* -- switching -- */

enum where { LOADED, ATTACHED, TINY_BUFFERS };

static void switch_often(enum where where)
{
    const char *wish = g_getenv("PM_SWITCHES");
    guint n = wish ? (guint)atoi(wish) : 20;
    guint megabytes = MAX(64, n); /* each time it shrinks a chunk ends */
    g_autofree char *recording = pm_jvm_path("switch.park");
    g_autofree char *diary = pm_jvm_path("switch.diary");
    g_autofree char *end = pm_jvm_path("switch.end");
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=%um%s", recording, megabytes,
                                               where == TINY_BUFFERS ? ",test_buffer=1" : "");
    g_autofree char *arguments = g_strdup_printf(
        "%sDiary %s %s%s", pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading " : "", diary,
        end, is_virtual ? " virtual" : "");
    g_autoptr(PmJvm) jvm = pm_jvm_start(where == ATTACHED ? NULL : options, arguments);
    g_autoptr(GRand) random = g_rand_new_with_seed(n);
    int pid = pm_jvm_pid(jvm);
    struct tally tally;

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_usleep(50000);
    if (where == ATTACHED)
        g_assert_true(pm_parkctl_succeeds("%d attach %s", pid, options));
    for (guint i = 0; i < n; i++) {
        g_usleep((gulong)g_rand_int_range(random, 1, 40000));
        g_assert_true(pm_parkctl_succeeds("%d stop", pid));
        if (i == n / 2)
            g_usleep(5 * G_USEC_PER_SEC / 2); /* the JVM reports no monitors any more */
        else if (i % 2)
            g_usleep((gulong)g_rand_int_range(random, 1, 20000));
        if (i % 16 == 5)
            g_assert_true(pm_parkctl_succeeds("%d set maxsize=%um", pid, megabytes + 32 + i % 32));
        g_assert_true(pm_parkctl_succeeds("%d start", pid));
        if (i % 8 == 3)
            g_assert_true(pm_parkctl_succeeds("%d set maxsize=%um", pid, megabytes + i % 32));
        if (i % 16 == 9) /* it is there already, and stays what it is */
            g_assert_false(pm_parkctl_succeeds("%d attach maxsize=16m", pid));
    }
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    if (where == TINY_BUFFERS) {
        check_times(diary, recording);
    } else {
        check(diary, recording, n, &tally);
        g_assert_cmpuint(tally.n_whole, >, n);
        g_assert_cmpuint(2 * tally.n_cut, >, tally.n_begun);
        g_assert_cmpuint(tally.n_anew, >, 0);
        check_report("", recording, &tally);
        check_report(" --since-start", recording, &tally);
    }
    g_unlink(end);
    g_unlink(recording);
}

static void test_loaded(void)
{
    switch_often(LOADED);
}

static void test_attached(void)
{
    switch_often(ATTACHED);
}

static void test_tiny_buffers(void)
{
    switch_often(TINY_BUFFERS);
}

static void switch_virtual(enum where where)
{
    if (pm_jvm_major() < 21) {
        g_test_skip("no virtual threads, or none that unmount");
        return;
    }
    is_virtual = true;
    switch_often(where);
    is_virtual = false;
}

static void test_virtual_loaded(void)
{
    switch_virtual(LOADED);
}

static void test_virtual_attached(void)
{
    switch_virtual(ATTACHED);
}

static void test_virtual_tiny_buffers(void)
{
    switch_virtual(TINY_BUFFERS);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/switch/stop-start-set-attach-lose-and-double-no-wait", test_loaded);
    pm_jvm_add("/switch/after-an-attach-too", test_attached);
    pm_jvm_add("/switch/buffers-too-small-lose-no-count", test_tiny_buffers);
    pm_jvm_add("/switch/virtual-threads-lose-and-double-no-wait", test_virtual_loaded);
    pm_jvm_add("/switch/virtual-threads-after-an-attach-too", test_virtual_attached);
    pm_jvm_add("/switch/virtual-threads-with-tiny-buffers-lose-no-count",
               test_virtual_tiny_buffers);
    return pm_jvm_run();
}

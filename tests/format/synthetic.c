#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

struct chain_entry {
    struct pm_frame *frames;
    guint n_frames;
};

struct memory_snapshot {
    struct pm_memory_head head;
    GArray *cells; /* struct pm_memory_cell */
};

static void memory_snapshot_free(gpointer data)
{
    struct memory_snapshot *snapshot = data;
    g_array_unref(snapshot->cells);
    g_free(snapshot);
}

struct syn {
    bool with_fields;
    struct pm_facts facts;
    struct pm_writer_options options;
    GPtrArray *classes; /* char *; index = id - 1 */
    GHashTable *class_ids;
    GArray *methods; /* struct pm_method; texts are interned */
    GHashTable *method_ids;
    GArray *chains; /* struct chain_entry */
    GHashTable *chain_ids;
    GArray *threads;  /* struct pm_thread */
    GArray *blockers; /* struct pm_blocker */
    GStringChunk *strings;
    GArray *waits, *progress, *samples, *spans, *gaps, *counters;
    GArray *allocations, *live;
    GPtrArray *snapshots; /* struct memory_snapshot */
    struct pm_memory *memory;
    int64_t end_ns;
    int64_t now_ns; /* for the writer's clock */
};

static struct pm_text text_of(const char *string)
{
    return (struct pm_text){string, (uint32_t)strlen(string)};
}

static void chain_clear(gpointer entry)
{
    g_free(((struct chain_entry *)entry)->frames);
}

struct syn *syn_new(void)
{
    struct syn *s = g_new0(struct syn, 1);
    s->facts = (struct pm_facts){
        .pid = 4711,
        .begin_ns = SYN_BEGIN_NS,
        .begin_unix_ns = SYN_BEGIN_UNIX_NS,
        .jvm = text_of("OpenJDK 17.0.15"),
        .main = text_of("demo.Main"),
        .host = text_of("testhost"),
        .options = text_of(""),
        .zone = text_of("UTC"),
        .not_recorded = text_of(""),
    };
    s->classes = g_ptr_array_new();
    s->class_ids = g_hash_table_new(g_str_hash, g_str_equal);
    s->methods = g_array_new(FALSE, TRUE, sizeof(struct pm_method));
    s->method_ids = g_hash_table_new(g_str_hash, g_str_equal);
    s->chains = g_array_new(FALSE, TRUE, sizeof(struct chain_entry));
    g_array_set_clear_func(s->chains, chain_clear);
    s->chain_ids = g_hash_table_new(g_str_hash, g_str_equal);
    s->threads = g_array_new(FALSE, TRUE, sizeof(struct pm_thread));
    s->blockers = g_array_new(FALSE, TRUE, sizeof(struct pm_blocker));
    s->strings = g_string_chunk_new(4096);
    s->waits = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
    s->progress = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
    s->samples = g_array_new(FALSE, TRUE, sizeof(struct pm_owner_sample));
    s->spans = g_array_new(FALSE, TRUE, sizeof(struct pm_span));
    s->gaps = g_array_new(FALSE, TRUE, sizeof(struct pm_gap));
    s->counters = g_array_new(FALSE, TRUE, sizeof(struct pm_counters));
    s->allocations = g_array_new(FALSE, TRUE, sizeof(struct pm_allocation));
    s->live = g_array_new(FALSE, TRUE, sizeof(struct pm_allocation));
    s->snapshots = g_ptr_array_new_with_free_func(memory_snapshot_free);
    return s;
}

void syn_free(struct syn *s)
{
    if (s == NULL)
        return;
    g_ptr_array_unref(s->classes);
    g_hash_table_unref(s->class_ids);
    g_array_unref(s->methods);
    g_hash_table_unref(s->method_ids);
    g_array_unref(s->chains);
    g_hash_table_unref(s->chain_ids);
    g_array_unref(s->threads);
    g_array_unref(s->blockers);
    g_array_unref(s->waits);
    g_array_unref(s->progress);
    g_array_unref(s->samples);
    g_array_unref(s->spans);
    g_array_unref(s->gaps);
    g_array_unref(s->counters);
    g_array_unref(s->allocations);
    g_array_unref(s->live);
    g_ptr_array_unref(s->snapshots);
    g_string_chunk_free(s->strings);
    pm_memory_free(s->memory);
    g_free(s);
}

struct pm_facts *syn_facts(struct syn *s)
{
    return &s->facts;
}

struct pm_writer_options *syn_options(struct syn *s)
{
    return &s->options;
}

/* ---- definitions ---- */

void syn_give_fields(struct syn *s)
{
    s->with_fields = true;
}

pm_class_id syn_class(struct syn *s, const char *name)
{
    guint id = GPOINTER_TO_UINT(g_hash_table_lookup(s->class_ids, name));
    if (id == 0) {
        char *copy = g_string_chunk_insert(s->strings, name);
        g_ptr_array_add(s->classes, copy);
        id = s->classes->len;
        g_hash_table_insert(s->class_ids, copy, GUINT_TO_POINTER(id));
    }
    return (pm_class_id){id};
}

/* "pkg.Class.method" with "File.java" or "". */
static pm_method_id method_of(struct syn *s, const char *qualified, const char *file)
{
    g_autofree char *key = g_strdup_printf("%s(%s", qualified, file);
    guint id = GPOINTER_TO_UINT(g_hash_table_lookup(s->method_ids, key));
    if (id == 0) {
        const char *dot = strrchr(qualified, '.');
        g_autofree char *class_name =
            dot == NULL ? g_strdup("?") : g_strndup(qualified, (gsize)(dot - qualified));
        struct pm_method method = {
            .class_id = syn_class(s, class_name),
            .name = text_of(g_string_chunk_insert(s->strings, dot == NULL ? qualified : dot + 1)),
            .file = text_of(g_string_chunk_insert(s->strings, file)),
        };
        id = s->methods->len + 1;
        method.id.n = id;
        g_array_append_val(s->methods, method);
        g_hash_table_insert(s->method_ids, g_string_chunk_insert(s->strings, key),
                            GUINT_TO_POINTER(id));
    }
    return (pm_method_id){id};
}

static struct pm_frame frame_of(struct syn *s, const char *text)
{
    const char *open = strchr(text, '(');
    g_autofree char *qualified =
        open == NULL ? g_strdup(text) : g_strndup(text, (gsize)(open - text));
    struct pm_frame frame = {.line = 0};
    g_autofree char *file = g_strdup("");
    if (open != NULL && g_str_has_prefix(open, "(Native Method")) {
        frame.line = -1;
    } else if (open != NULL && !g_str_has_prefix(open, "(Unknown Source")) {
        const char *colon = strchr(open, ':');
        gsize length = colon != NULL ? (gsize)(colon - open - 1) : strcspn(open + 1, ")");
        g_free(file);
        file = g_strndup(open + 1, length);
        frame.line = colon == NULL ? 0 : atoi(colon + 1);
    }
    frame.method = method_of(s, qualified, file);
    return frame;
}

pm_chain_id syn_chain_v(struct syn *s, const char *const *frames)
{
    g_autofree char *key = g_strjoinv("\n", (char **)frames);
    guint id = GPOINTER_TO_UINT(g_hash_table_lookup(s->chain_ids, key));
    if (id == 0) {
        struct chain_entry entry = {.n_frames = g_strv_length((char **)frames)};
        entry.frames = g_new(struct pm_frame, entry.n_frames);
        for (guint i = 0; i < entry.n_frames; i++)
            entry.frames[i] = frame_of(s, frames[i]);
        g_array_append_val(s->chains, entry);
        id = s->chains->len;
        g_hash_table_insert(s->chain_ids, g_string_chunk_insert(s->strings, key),
                            GUINT_TO_POINTER(id));
    }
    return (pm_chain_id){id};
}

pm_chain_id syn_chain(struct syn *s, const char *frame, ...)
{
    g_autoptr(GPtrArray) frames = g_ptr_array_new();
    va_list arguments;
    va_start(arguments, frame);
    for (const char *f = frame; f != NULL; f = va_arg(arguments, const char *))
        g_ptr_array_add(frames, (gpointer)f);
    va_end(arguments);
    g_ptr_array_add(frames, NULL);
    return syn_chain_v(s, (const char *const *)frames->pdata);
}

pm_thread_id syn_thread(struct syn *s, const char *name)
{
    struct pm_thread thread = {
        .id = {s->threads->len + 1},
        .tid = s->threads->len + 11,
        .name = text_of(g_string_chunk_insert(s->strings, name)),
    };
    g_array_append_val(s->threads, thread);
    return thread.id;
}

pm_blocker_id syn_blocker(struct syn *s, pm_class_id class_id, uint32_t hash)
{
    struct pm_blocker blocker = {
        .id = {s->blockers->len + 1},
        .class_id = class_id,
        .hash = hash,
    };
    g_array_append_val(s->blockers, blocker);
    return blocker.id;
}

struct pm_thread *syn_thread_of(struct syn *s, pm_thread_id id)
{
    g_assert(id.n > 0 && id.n <= s->threads->len);
    return &g_array_index(s->threads, struct pm_thread, id.n - 1);
}

struct pm_blocker *syn_blocker_of(struct syn *s, pm_blocker_id id)
{
    g_assert(id.n > 0 && id.n <= s->blockers->len);
    return &g_array_index(s->blockers, struct pm_blocker, id.n - 1);
}

static int get_class(void *context, pm_class_id id, struct pm_class *ret)
{
    struct syn *s = context;
    if (id.n == 0 || id.n > s->classes->len)
        return PM_ERROR_ARGUMENT;
    *ret = (struct pm_class){id, text_of(s->classes->pdata[id.n - 1])};
    return PM_OK;
}

static int get_method(void *context, pm_method_id id, struct pm_method *ret)
{
    struct syn *s = context;
    if (id.n == 0 || id.n > s->methods->len)
        return PM_ERROR_ARGUMENT;
    *ret = g_array_index(s->methods, struct pm_method, id.n - 1);
    return PM_OK;
}

static int get_chain(void *context, pm_chain_id id, struct pm_chain *ret)
{
    struct syn *s = context;
    if (id.n == 0 || id.n > s->chains->len)
        return PM_ERROR_ARGUMENT;
    struct chain_entry *entry = &g_array_index(s->chains, struct chain_entry, id.n - 1);
    *ret = (struct pm_chain){.id = id, .n_frames = entry->n_frames, .frames = entry->frames};
    if (s->with_fields) {
        ret->field = entry->frames[0].method;
        ret->field_frame = entry->n_frames - 1;
    }
    return PM_OK;
}

static int get_thread(void *context, pm_thread_id id, struct pm_thread *ret)
{
    struct syn *s = context;
    if (id.n == 0 || id.n > s->threads->len)
        return PM_ERROR_ARGUMENT;
    *ret = *syn_thread_of(s, id);
    return PM_OK;
}

static int get_blocker(void *context, pm_blocker_id id, struct pm_blocker *ret)
{
    struct syn *s = context;
    if (id.n == 0 || id.n > s->blockers->len)
        return PM_ERROR_ARGUMENT;
    *ret = *syn_blocker_of(s, id);
    return PM_OK;
}

struct pm_dictionary syn_dictionary(struct syn *s)
{
    return (struct pm_dictionary){s, get_class, get_method, get_chain, get_thread, get_blocker};
}

struct pm_writer *syn_writer(struct syn *s, struct pm_sink sink,
                             const struct pm_writer_options *options)
{
    struct pm_dictionary dictionary = syn_dictionary(s);
    struct pm_writer *writer = NULL;
    struct pm_error_info info = {0};
    if (pm_writer_open(sink, &s->facts, &dictionary, options, &writer, &info) != PM_OK)
        g_error("synthetic recording: %s", info.text);
    return writer;
}

struct pm_memory *syn_new_memory(void)
{
    struct pm_memory *memory = NULL;
    if (pm_memory_new(0, &memory) != PM_OK)
        g_error("synthetic recording: no memory");
    return memory;
}

void syn_define_fifty(struct syn *s)
{
    for (guint i = 0; i < 50; i++) {
        syn_thread(s, "worker-1");
        syn_blocker(s, syn_class(s, "demo.Lock"), i);
    }
}

struct pm_wait syn_wait_number(unsigned i)
{
    return (struct pm_wait){
        .begin_ns = SYN_BEGIN_NS + i * SYN_US,
        .duration_ns = 100 + i % 97,
        .thread = {1 + i % 50},
        .blocker = {1 + i * 7 % 50},
    };
}

/* ---- records ---- */

struct pm_wait *syn_wait(struct syn *s, pm_thread_id thread, pm_blocker_id blocker,
                         int64_t begin_ns, int64_t duration_ns)
{
    struct pm_wait wait = {
        .begin_ns = SYN_BEGIN_NS + begin_ns,
        .duration_ns = duration_ns,
        .thread = thread,
        .blocker = blocker,
    };
    g_array_append_val(s->waits, wait);
    return &g_array_index(s->waits, struct pm_wait, s->waits->len - 1);
}

struct pm_wait *syn_progress(struct syn *s, pm_thread_id thread, pm_blocker_id blocker,
                             int64_t begin_ns)
{
    struct pm_wait *wait = syn_wait(s, thread, blocker, begin_ns, 0);
    wait->flags = PM_WAIT_IN_PROGRESS;
    return wait;
}

void syn_owner_sample(struct syn *s, struct pm_owner_sample sample)
{
    sample.at_ns += SYN_BEGIN_NS;
    g_array_append_val(s->samples, sample);
}

void syn_span(struct syn *s, struct pm_span span)
{
    /* 0 means "not known" and "not ended": it stays 0. */
    span.begin_ns += span.begin_ns == 0 ? 0 : SYN_BEGIN_NS;
    span.end_ns += span.end_ns == 0 ? 0 : SYN_BEGIN_NS;
    g_array_append_val(s->spans, span);
}

void syn_gap(struct syn *s, struct pm_gap gap)
{
    gap.begin_ns += SYN_BEGIN_NS;
    gap.end_ns += SYN_BEGIN_NS;
    g_array_append_val(s->gaps, gap);
}

void syn_allocation(struct syn *s, struct pm_allocation allocation)
{
    allocation.at_ns += SYN_BEGIN_NS;
    g_array_append_val(s->allocations, allocation);
}

void syn_live(struct syn *s, struct pm_allocation object)
{
    object.at_ns += SYN_BEGIN_NS;
    g_array_append_val(s->live, object);
}

/* Errors of sums add up as squares. */
static void add_to_sum(struct pm_memory_sum *to, const struct pm_memory_sum *part)
{
    to->samples += part->samples;
    to->objects += part->objects;
    to->bytes += part->bytes;
    to->objects_error = (int64_t)hypot((double)to->objects_error, (double)part->objects_error);
    to->bytes_error = (int64_t)hypot((double)to->bytes_error, (double)part->bytes_error);
}

void syn_memory(struct syn *s, struct pm_memory_head head, const struct pm_memory_cell *cells,
                size_t n_cells)
{
    struct memory_snapshot *snapshot = g_new0(struct memory_snapshot, 1);
    head.at_ns += SYN_BEGIN_NS;
    head.live_at_ns += SYN_BEGIN_NS;
    head.exact_from_ns = head.interval_bytes == 0 ? SYN_BEGIN_NS : 0;
    for (size_t i = 0; i < n_cells; i++) {
        add_to_sum(&head.total, &cells[i].total);
        add_to_sum(&head.live, &cells[i].live);
    }
    snapshot->head = head;
    snapshot->cells = g_array_new(FALSE, FALSE, sizeof(struct pm_memory_cell));
    g_array_append_vals(snapshot->cells, cells, (guint)n_cells);
    g_ptr_array_add(s->snapshots, snapshot);
}

void syn_counters(struct syn *s, struct pm_counters counters)
{
    counters.first_ns += SYN_BEGIN_NS;
    counters.last_ns += SYN_BEGIN_NS;
    g_array_append_val(s->counters, counters);
}

struct edge {
    guint64 key; /* blocker and kind */
    int64_t at;
    int step;
};

static gint by_key_and_time(gconstpointer a, gconstpointer b)
{
    const struct edge *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->step - y->step; /* an end before a begin at the same instant */
}

/* Brute force: all edges of a blocker in time order. Waits in progress have no end edge; what they
 * add up to the end is added in syn_finish. */
void syn_ledger(struct syn *s)
{
    s->end_ns = -1; /* made in write_all, once the end is known */
}

static void make_ledger(struct syn *s, int64_t end_ns)
{
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(struct edge));
    for (guint i = 0; i < s->waits->len; i++) {
        const struct pm_wait *w = &g_array_index(s->waits, struct pm_wait, i);
        struct edge begin = {(guint64)w->blocker.n << 8 | w->kind, w->begin_ns, 1};
        g_array_append_val(edges, begin);
        if ((w->flags & PM_WAIT_IN_PROGRESS) == 0) {
            struct edge end = {begin.key, w->begin_ns + w->duration_ns, -1};
            g_array_append_val(edges, end);
        }
    }
    g_array_sort(edges, by_key_and_time);
    guint i = 0;
    while (i < edges->len) {
        struct edge first = g_array_index(edges, struct edge, i);
        struct pm_counters c = {
            .blocker = {(uint32_t)(first.key >> 8)},
            .kind = (uint8_t)first.key,
            .first_ns = first.at,
        };
        int64_t previous = first.at;
        for (; i < edges->len; i++) {
            struct edge edge = g_array_index(edges, struct edge, i);
            if (edge.key != first.key)
                break;
            c.thread_time_ns += c.now * (edge.at - previous);
            c.real_time_ns += (c.now > 0) * (edge.at - previous);
            c.now = (uint32_t)((int64_t)c.now + edge.step);
            c.peak = c.now > c.peak ? c.now : c.peak;
            c.times += edge.step > 0;
            previous = edge.at;
        }
        if (c.now > 0) {
            c.thread_time_ns += c.now * (end_ns - previous);
            c.real_time_ns += end_ns - previous;
        }
        c.last_ns = previous;
        for (guint k = 0; k < s->waits->len; k++) {
            const struct pm_wait *w = &g_array_index(s->waits, struct pm_wait, k);
            if (w->blocker.n == c.blocker.n && w->kind == c.kind) {
                int64_t length =
                    (w->flags & PM_WAIT_IN_PROGRESS) != 0 ? end_ns - w->begin_ns : w->duration_ns;
                c.longest_ns = length > c.longest_ns ? length : c.longest_ns;
            }
        }
        g_array_append_val(s->counters, c);
    }
}

static gint by_end(gconstpointer a, gconstpointer b)
{
    const struct pm_wait *x = a, *y = b;
    int64_t p = x->begin_ns + x->duration_ns, q = y->begin_ns + y->duration_ns;
    if (p != q)
        return p < q ? -1 : 1;
    return x->begin_ns != y->begin_ns ? (x->begin_ns < y->begin_ns ? -1 : 1)
                                      : (int)x->thread.n - (int)y->thread.n;
}

static int on_chunk_end(void *context, struct pm_writer *writer)
{
    struct syn *s = context;
    return s->counters->len == 0
               ? 0
               : pm_writer_add_snapshot(writer, PM_SNAPSHOT_END, s->now_ns,
                                        (const struct pm_counters *)s->counters->data,
                                        s->counters->len);
}

static int clock_of(void *context, struct pm_clock *ret)
{
    struct syn *s = context;
    *ret = (struct pm_clock){s->now_ns, SYN_BEGIN_UNIX_NS + s->now_ns - SYN_BEGIN_NS};
    return 0;
}

static void expect(int result, const char *what)
{
    if (result != PM_OK)
        g_error("synthetic recording: %s: %s", what, pm_error_name(result));
}

static void write_all(struct syn *s, struct pm_sink sink, int64_t end_ns)
{
    end_ns += SYN_BEGIN_NS;
    if (s->end_ns == -1)
        make_ledger(s, end_ns);
    for (guint i = 0; i < s->waits->len; i++) {
        const struct pm_wait *w = &g_array_index(s->waits, struct pm_wait, i);
        struct pm_blocker *blocker = w->blocker.n <= s->blockers->len && w->blocker.n > 0
                                         ? syn_blocker_of(s, w->blocker)
                                         : NULL;
        if (blocker != NULL && blocker->first_thread.n == 0) {
            blocker->first_thread = w->thread;
            blocker->first_chain = blocker->first_chain.n != 0 ? blocker->first_chain : w->chain;
        }
    }
    for (guint i = 0; i < s->waits->len;) {
        struct pm_wait *w = &g_array_index(s->waits, struct pm_wait, i);
        if ((w->flags & PM_WAIT_IN_PROGRESS) == 0) {
            i++;
            continue;
        }
        w->duration_ns = end_ns - w->begin_ns;
        g_array_append_val(s->progress, *w);
        g_array_remove_index(s->waits, i);
    }
    g_array_sort(s->waits, by_end);
    s->now_ns = SYN_BEGIN_NS;
    s->options.clock = clock_of;
    s->options.on_chunk_end = on_chunk_end;
    s->options.context = s;
    struct pm_writer *writer = syn_writer(s, sink, &s->options);
    for (guint i = 0; i < s->waits->len; i++) {
        const struct pm_wait *w = &g_array_index(s->waits, struct pm_wait, i);
        s->now_ns = MAX(s->now_ns, w->begin_ns + w->duration_ns);
        expect(pm_writer_add_wait(writer, w), "a wait");
    }
    for (guint i = 0; i < s->samples->len; i++) {
        expect(pm_writer_add_owner_sample(writer,
                                          &g_array_index(s->samples, struct pm_owner_sample, i)),
               "an owner sample");
    }
    for (guint i = 0; i < s->spans->len; i++)
        expect(pm_writer_add_span(writer, &g_array_index(s->spans, struct pm_span, i)), "a span");
    for (guint i = 0; i < s->gaps->len; i++)
        expect(pm_writer_add_gap(writer, &g_array_index(s->gaps, struct pm_gap, i)), "a gap");
    for (guint i = 0; i < s->allocations->len; i++)
        expect(pm_writer_add_allocation(writer,
                                        &g_array_index(s->allocations, struct pm_allocation, i)),
               "an allocation");
    for (guint i = 0; i < s->snapshots->len; i++) {
        const struct memory_snapshot *snapshot = s->snapshots->pdata[i];
        expect(pm_writer_add_memory(writer, &snapshot->head,
                                    (const struct pm_memory_cell *)snapshot->cells->data,
                                    snapshot->cells->len),
               "a snapshot of memory");
    }
    s->now_ns = end_ns;
    if (s->live->len > 0)
        expect(pm_writer_add_live(writer, (const struct pm_allocation *)s->live->data, s->live->len,
                                  end_ns),
               "what lives");
    expect(pm_writer_add_progress(writer, (const struct pm_wait *)s->progress->data,
                                  s->progress->len, true, end_ns),
           "the waits in progress");
    expect(pm_writer_close(writer, end_ns), "the end");
}

struct pm_source syn_finish(struct syn *s, int64_t end_ns)
{
    expect(pm_memory_new(0, &s->memory), "memory");
    write_all(s, pm_memory_sink(s->memory), end_ns);
    return pm_memory_source(s->memory);
}

const void *syn_bytes(struct syn *s, size_t *ret_size)
{
    return pm_memory_bytes(s->memory, ret_size);
}

static struct pm_sink sink_of_path(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct pm_sink sink;
    if (fd < 0 || pm_sink_from_fd(fd, &sink) != PM_OK)
        g_error("synthetic recording: %s: %s", path, g_strerror(errno));
    return sink;
}

void syn_finish_file(struct syn *s, int64_t end_ns, const char *path)
{
    write_all(s, sink_of_path(path), end_ns);
}

struct syn *syn_small(void)
{
    struct syn *s = syn_new();
    pm_thread_id threads[] = {syn_thread(s, "http-1"), syn_thread(s, "http-2"),
                              syn_thread(s, "main")};
    pm_chain_id park =
        syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                  "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)",
                  "demo.Shop.order(Shop.java:31)", "java.lang.Thread.run(Thread.java:840)", NULL);
    pm_chain_id unpark =
        syn_chain(s, "java.util.concurrent.locks.LockSupport.unpark(LockSupport.java:177)",
                  "java.util.concurrent.locks.ReentrantLock.unlock(ReentrantLock.java:494)",
                  "demo.Shop.order(Shop.java:35)", "java.lang.Thread.run(Thread.java:840)", NULL);
    pm_blocker_id lock = syn_blocker(
        s, syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync"), 0x1f2e3d);
    pm_blocker_id condition = syn_blocker(
        s, syn_class(s, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"),
        0x55);
    syn_blocker_of(s, condition)->parent = lock;
    for (guint i = 0; i < 40; i++) {
        struct pm_wait *w = syn_wait(s, threads[i % 2], i % 5 == 0 ? condition : lock,
                                     i * 20 * SYN_MS, (1 + i % 7) * SYN_MS + i);
        w->chain = park;
        w->owner = threads[(i + 1) % 2];
        w->waker = w->owner;
        w->waker_chain = unpark;
        w->wake_ns = w->begin_ns + w->duration_ns - 3 * SYN_US - i;
        w->wake_cause = i % 5 == 0 ? PM_WAKE_SIGNAL : PM_WAKE_RELEASE;
        w->aqs_state = i % 5 == 0 ? 0 : 1;
        w->flags = i % 11 == 0 ? PM_WAIT_TIMED : 0;
    }
    struct pm_wait *going_on = syn_progress(s, threads[0], lock, SYN_S);
    going_on->chain = park;
    going_on->owner = threads[1];
    syn_owner_sample(s, (struct pm_owner_sample){SYN_S + SYN_MS, threads[0], lock, threads[1],
                                                 unpark, PM_OWNER_RUNNING});
    syn_span(s, (struct pm_span){PM_SPAN_THREAD, threads[0], 1, 0});
    syn_span(s, (struct pm_span){PM_SPAN_GC, {0}, 700 * SYN_MS, 712 * SYN_MS});
    syn_gap(s, (struct pm_gap){SYN_MS, 2 * SYN_MS, PM_GAP_BUFFER_FULL, 3, 9 * SYN_MS});
    pm_class_id bytes = syn_class(s, "byte[]");
    const struct pm_allocation object = {600 * SYN_MS, 4096, 524288, threads[0], bytes, park, 0, 0};
    syn_allocation(s, object);
    syn_live(s, (struct pm_allocation){600 * SYN_MS, 4096, 524288, threads[0], bytes, park, 3, 1});
    const struct pm_memory_cell cell = {
        bytes, park, {2, 257, 1052672, 182, 742000}, {1, 129, 526336, 128, 525000}};
    syn_memory(s,
               (struct pm_memory_head){.at_ns = 712 * SYN_MS,
                                       .live_at_ns = 712 * SYN_MS,
                                       .interval_bytes = 524288,
                                       .gcs = 1,
                                       .flags = PM_MEMORY_AFTER_GC,
                                       .place = PM_SNAPSHOT_PERIODIC},
               &cell, 1);
    syn_ledger(s);
    return s;
}

/* ---- by chance ---- */

uint64_t syn_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t syn_random_spread(uint64_t *state, unsigned max_bits)
{
    unsigned bits = (unsigned)syn_random_below(state, max_bits + 1);
    return bits == 0 ? 0 : syn_random(state) >> (64 - bits);
}

/* A duration around `typical` with a long tail upwards: typical * 2^(-2 … 3), rarely much more. */
static int64_t duration_around(uint64_t *state, int64_t typical)
{
    uint64_t r = syn_random(state);
    int64_t base = typical / 4 + (int64_t)(r % (uint64_t)(typical + 1));
    base += (int64_t)((r >> 40) % (uint64_t)(typical / 4 + 1));
    unsigned tail = (unsigned)__builtin_ctzll(r | 1u << 20);
    return base << (tail / 3);
}

enum role { ROLE_QUEUE, ROLE_LOCK, ROLE_POOL, ROLE_MONITOR, ROLE_FUTURE, N_ROLES };

static const struct {
    const char *class_name, *site;
    uint8_t kind;
    int64_t typical_ns;
} roles[N_ROLES] = {
    [ROLE_QUEUE] = {"java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
                    "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
                    PM_KIND_PARK, 20 * SYN_MS},
    [ROLE_LOCK] = {"java.util.concurrent.locks.ReentrantLock$NonfairSync",
                   "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)",
                   PM_KIND_PARK, 300 * SYN_US},
    [ROLE_POOL] = {"java.util.concurrent.Semaphore$NonfairSync",
                   "java.util.concurrent.Semaphore.acquire(Semaphore.java:318)", PM_KIND_PARK,
                   2 * SYN_MS},
    [ROLE_MONITOR] = {"com.acme.orders.Cache", "com.acme.orders.Cache.get(Cache.java:41)",
                      PM_KIND_ENTER, 60 * SYN_US},
    [ROLE_FUTURE] = {"java.util.concurrent.CompletableFuture$Signaller",
                     "java.util.concurrent.CompletableFuture.get(CompletableFuture.java:2005)",
                     PM_KIND_PARK, 5 * SYN_MS},
};

static const char *const group_names[] = {
    "http-nio-8080-exec-%u", "orders-worker-%u", "ForkJoinPool-1-worker-%u",
    "scheduler-%u",          "db-connection-%u",
};
#define N_GROUPS G_N_ELEMENTS(group_names)

#define CHAINS_EACH 8

struct place {
    pm_blocker_id blocker;
    enum role role;
    pm_chain_id chains[CHAINS_EACH], waker_chains[CHAINS_EACH];
    pm_thread_id last; /* who waited here last: it owns a lock now and will wake the next */
};

struct generation {
    struct syn *s;
    struct syn_totals *totals;
    guint32 counter_of[512 * PM_N_KINDS];
};

static int generation_end(void *context, struct pm_writer *writer)
{
    struct generation *g = context;
    return pm_writer_add_snapshot(writer, PM_SNAPSHOT_END, g->s->now_ns, g->totals->counters,
                                  g->totals->n_counters);
}

static int generation_clock(void *context, struct pm_clock *ret)
{
    return clock_of(((struct generation *)context)->s, ret);
}

static void count(struct generation *g, const struct pm_wait *w)
{
    guint32 *slot = &g->counter_of[w->blocker.n * PM_N_KINDS + w->kind];
    int64_t end = w->begin_ns + w->duration_ns;
    struct syn_totals *t = g->totals;
    if (*slot == 0) {
        g_assert_cmpuint(t->n_counters, <, G_N_ELEMENTS(t->counters));
        t->counters[t->n_counters++] = (struct pm_counters){
            .blocker = w->blocker, .kind = w->kind, .bound = true, .first_ns = w->begin_ns};
        *slot = t->n_counters;
    }
    struct pm_counters *c = &t->counters[*slot - 1];
    c->times++;
    c->thread_time_ns += w->duration_ns;
    c->longest_ns = MAX(c->longest_ns, w->duration_ns);
    c->first_ns = MIN(c->first_ns, w->begin_ns);
    c->last_ns = MAX(c->last_ns, end);
    t->waits++;
    t->thread_time_ns += w->duration_ns;
    t->end_ns = MAX(t->end_ns, end - SYN_BEGIN_NS);
}

static pm_chain_id random_chain(struct syn *s, const char *top, const char *site, guint number)
{
    g_autoptr(GPtrArray) frames = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(frames, g_strdup(top));
    if (site != NULL)
        g_ptr_array_add(frames, g_strdup(site));
    guint depth = 4 + number % 13;
    for (guint i = 0; i < depth; i++) {
        guint class_number = (number * 7 + i * i) % 40;
        g_ptr_array_add(frames,
                        g_strdup_printf("com.acme.orders.Service%u.step%u(Service%u.java:%u)",
                                        class_number, i, class_number, 20 + number % 90));
    }
    g_ptr_array_add(frames, g_strdup("java.lang.Thread.run(Thread.java:840)"));
    g_ptr_array_add(frames, NULL);
    return syn_chain_v(s, (const char *const *)frames->pdata);
}

static void make_places(struct syn *s, struct place *places, guint n_blockers, guint n_chains,
                        uint64_t *state)
{
    for (guint i = 0; i < n_blockers; i++) {
        struct place *p = &places[i];
        p->role = i < N_GROUPS ? ROLE_QUEUE : (enum role)(1 + i % (N_ROLES - 1));
        p->blocker = syn_blocker(s, syn_class(s, roles[p->role].class_name),
                                 (uint32_t)(syn_random(state) >> 38));
        for (guint k = 0; k < CHAINS_EACH; k++) {
            guint number = (i * CHAINS_EACH + k) % MAX(n_chains / 2, 1);
            p->chains[k] = random_chain(
                s,
                roles[p->role].kind == PM_KIND_PARK ? "jdk.internal.misc.Unsafe.park(Native Method)"
                                                    : roles[p->role].site,
                roles[p->role].kind == PM_KIND_PARK ? roles[p->role].site : NULL, number);
            p->waker_chains[k] = random_chain(
                s, "java.util.concurrent.locks.LockSupport.unpark(LockSupport.java:177)", NULL,
                number);
        }
        struct pm_blocker *blocker = syn_blocker_of(s, p->blocker);
        blocker->first_chain = p->chains[0];
        blocker->first_thread.n = 1;
    }
}

/* The thread's next wait, after some work. */
static void next_wait(struct pm_wait *r, struct place *places, guint n_places, guint n_threads,
                      guint group, uint64_t *state)
{
    uint64_t dice = syn_random(state);
    /* Three of four waits are at the group's own queue; the rest where everybody meets. */
    guint index = dice % 4 != 0 || n_places <= N_GROUPS
                      ? group % n_places
                      : (guint)(N_GROUPS + (dice >> 8) % (n_places - N_GROUPS));
    struct place *p = &places[index];
    int64_t begin = r->begin_ns + r->duration_ns + duration_around(state, 400 * SYN_US);
    int64_t duration = duration_around(state, roles[p->role].typical_ns);
    pm_thread_id self = r->thread;
    guint way = (guint)(dice >> 32) % CHAINS_EACH;
    way = way < 5 ? 0 : way;
    bool timed = p->role == ROLE_QUEUE && group == 3;
    bool timed_out = timed && (dice >> 40) % 2 == 0;
    *r = (struct pm_wait){
        .begin_ns = begin,
        .duration_ns = duration,
        .thread = self,
        .blocker = p->blocker,
        .chain = p->chains[way],
        .kind = roles[p->role].kind,
        .flags = timed ? PM_WAIT_TIMED : 0,
    };
    pm_thread_id other = {1 + (uint32_t)((dice >> 20) % n_threads)};
    if (p->role == ROLE_LOCK || p->role == ROLE_MONITOR) {
        r->owner = p->last;
        r->aqs_state = p->role == ROLE_LOCK;
        other = p->last.n != 0 ? p->last : other;
    }
    if (timed_out) {
        r->wake_cause = PM_WAKE_TIME_OUT;
    } else if (r->kind == PM_KIND_PARK) {
        r->waker = other;
        r->waker_chain = p->waker_chains[other.n % CHAINS_EACH];
        r->wake_ns = begin + duration - duration_around(state, 8 * SYN_US);
        r->wake_ns = MAX(r->wake_ns, begin);
        r->wake_cause = p->role == ROLE_QUEUE    ? PM_WAKE_SIGNAL
                        : p->role == ROLE_FUTURE ? PM_WAKE_COMPLETION
                                                 : PM_WAKE_RELEASE;
    } else {
        r->wake_cause = PM_WAKE_RELEASE;
    }
    p->last = self;
}

static bool ends_before(const struct pm_wait *a, const struct pm_wait *b)
{
    int64_t p = a->begin_ns + a->duration_ns, q = b->begin_ns + b->duration_ns;
    return p != q ? p < q : a->thread.n < b->thread.n;
}

/* Moves the first of the heap down to where it belongs. */
static void sink_down(struct pm_wait **heap, guint n)
{
    for (guint i = 0;;) {
        guint least = i, left = 2 * i + 1, right = left + 1;
        least = left < n && ends_before(heap[left], heap[least]) ? left : least;
        least = right < n && ends_before(heap[right], heap[least]) ? right : least;
        if (least == i)
            return;
        struct pm_wait *swap = heap[i];
        heap[i] = heap[least];
        heap[least] = swap;
        i = least;
    }
}

static void generate_hand_off(struct generation *g, struct pm_writer *writer, uint64_t waits,
                              uint64_t *state)
{
    struct syn *s = g->s;
    pm_class_id class_id = syn_class(s, "java.util.concurrent.Exchanger");
    pm_thread_id threads[2] = {syn_thread(s, "ping"), syn_thread(s, "pong")};
    pm_blocker_id blockers[2] = {syn_blocker(s, class_id, 0x11), syn_blocker(s, class_id, 0x22)};
    pm_chain_id chains[2], wakers[2];
    for (guint i = 0; i < 2; i++) {
        chains[i] = random_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                                 "demo.HandOff.await(HandOff.java:30)", i);
        wakers[i] =
            random_chain(s, "java.util.concurrent.locks.LockSupport.unpark(LockSupport.java:177)",
                         "demo.HandOff.pass(HandOff.java:44)", i);
    }
    /* Each runs for a few microseconds, wakes the other and waits until it is woken. */
    int64_t begun[2] = {SYN_BEGIN_NS + 5000, SYN_BEGIN_NS + 9000};
    int64_t now = SYN_BEGIN_NS + 10000;
    for (uint64_t i = 0; i < waits; i++) {
        guint who = i & 1;
        int64_t wake = now + duration_around(state, 1500);
        int64_t end = wake + duration_around(state, 2500);
        struct pm_wait wait = {
            .begin_ns = begun[who],
            .duration_ns = end - begun[who],
            .wake_ns = wake,
            .thread = threads[who],
            .blocker = blockers[who],
            .chain = chains[who],
            .waker = threads[!who],
            .waker_chain = wakers[!who],
            .wake_cause = PM_WAKE_UNKNOWN,
        };
        begun[!who] = wake + duration_around(state, 700);
        begun[!who] = begun[!who] > end ? end : begun[!who];
        now = end;
        s->now_ns = end;
        count(g, &wait);
        begun[who] = end; /* until it has woken the other, next turn */
        expect(pm_writer_add_wait(writer, &wait), "a wait");
    }
}

void syn_generate(const struct syn_shape *shape, struct pm_sink sink, struct syn_totals *ret_totals)
{
    uint64_t state = shape->seed != 0 ? shape->seed : 1;
    guint n_threads = shape->threads != 0 ? shape->threads : 200;
    guint n_blockers = MIN(shape->blockers != 0 ? shape->blockers : 40, 500);
    guint n_chains = shape->chains != 0 ? shape->chains : 300;
    int64_t flush_ns = shape->flush_ns != 0 ? shape->flush_ns : SYN_S;
    struct syn *s = syn_new();
    struct generation *g = g_new0(struct generation, 1);
    struct syn_totals *totals = g_new0(struct syn_totals, 1);
    g->s = s;
    g->totals = totals;
    s->now_ns = SYN_BEGIN_NS;
    struct pm_writer_options options = shape->options;
    options.clock = generation_clock;
    options.on_chunk_end = generation_end;
    options.context = g;
    struct pm_writer *writer = syn_writer(s, sink, &options);
    if (shape->hand_off) {
        generate_hand_off(g, writer, shape->waits, &state);
    } else {
        g_autofree struct place *places = g_new0(struct place, n_blockers);
        g_autofree struct pm_wait *runners = g_new0(struct pm_wait, n_threads);
        g_autofree struct pm_wait **heap = g_new0(struct pm_wait *, n_threads);
        make_places(s, places, n_blockers, n_chains, &state);
        for (guint i = 0; i < n_threads; i++) {
            g_autofree char *name =
                g_strdup_printf(group_names[i % N_GROUPS], 1 + i / (guint)N_GROUPS);
            runners[i].thread = syn_thread(s, name);
            syn_thread_of(s, runners[i].thread)->is_daemon = i % N_GROUPS != 1;
            runners[i].begin_ns = SYN_BEGIN_NS + (int64_t)syn_random_below(&state, 20 * SYN_MS);
            next_wait(&runners[i], places, n_blockers, n_threads, i % N_GROUPS, &state);
            heap[i] = &runners[i];
        }
        for (guint i = n_threads; i-- > 0;) {
            /* Building by sinking each in turn would need a start index; a sort does as well. */
            for (guint k = i; k + 1 < n_threads && ends_before(heap[k + 1], heap[k]); k++) {
                struct pm_wait *swap = heap[k];
                heap[k] = heap[k + 1];
                heap[k + 1] = swap;
            }
        }
        int64_t next_flush = SYN_BEGIN_NS + flush_ns;
        for (uint64_t i = 0; i < shape->waits; i++) {
            struct pm_wait *r = heap[0];
            s->now_ns = r->begin_ns + r->duration_ns;
            if (s->now_ns > next_flush) {
                expect(pm_writer_flush(writer, next_flush), "a flush");
                next_flush = s->now_ns - (s->now_ns - next_flush) % flush_ns + flush_ns;
            }
            count(g, r);
            expect(pm_writer_add_wait(writer, r), "a wait");
            next_wait(r, places, n_blockers, n_threads, (guint)(r - runners) % N_GROUPS, &state);
            sink_down(heap, n_threads);
        }
    }
    expect(pm_writer_flush(writer, s->now_ns), "the last flush");
    pm_writer_get_stats(writer, &totals->stats);
    expect(pm_writer_close(writer, s->now_ns), "the end");
    if (ret_totals != NULL)
        *ret_totals = *totals;
    g_free(totals);
    g_free(g);
    syn_free(s);
}

void syn_generate_file(const struct syn_shape *shape, const char *path,
                       struct syn_totals *ret_totals)
{
    syn_generate(shape, sink_of_path(path), ret_totals);
}

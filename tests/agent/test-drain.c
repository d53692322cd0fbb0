/* The drain without a JVM: threads leave waits in slots as the hooks do, and what the file then
 * holds is compared with what they say they did. */
#include <glib.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/reader.h"
#include "format/verify.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/drain/drain.h"
#include "recorder/agent/drain/sampler.h"
#include "recorder/agent/sampling/sample.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/slot.h"
#include "recorder/agent/waits/vthread-slot.h"
#include "tests/folder.h"

#define LONG_NS 120000000000 /* a deadline that only a hang meets */

/* -- what the agent would do in a JVM -- */

static pm_thread_id owner_now;

void pm_sample_on_pause(bool (*pause)(int64_t ns))
{
}

int pm_sample_thread(pm_thread_id *thread, pm_chain_id *ret_chain, uint8_t *ret_owner_state,
                     struct pm_sample_cost *ret_cost)
{
    ret_chain->n = 0;
    *ret_owner_state = PM_OWNER_RUNNING;
    return 0;
}

int pm_sample_monitor_owner(pm_blocker_id blocker, pm_thread_id waiter, pm_thread_id *ret_owner)
{
    return pm_sample_owner(blocker, ret_owner);
}

bool pm_sample_wait_of(pm_thread_id thread, struct pm_raw_wait *ret_wait)
{
    return false;
}

int pm_sample_owner(pm_blocker_id blocker, pm_thread_id *ret_owner)
{
    *ret_owner = owner_now;
    return 0;
}

bool pm_sample_owner_has_ended(pm_blocker_id blocker)
{
    return false;
}

/* -- what a file holds -- */

struct key {
    uint32_t thread;
    int64_t begin_ns;
};

static guint key_hash(gconstpointer key)
{
    const struct key *k = key;
    return k->thread * 2654435761u ^ (guint)(k->begin_ns * 31);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const struct key *left = a;
    const struct key *right = b;
    return left->thread == right->thread && left->begin_ns == right->begin_ns;
}

struct content {
    GHashTable *ended;    /* key → struct pm_wait */
    GHashTable *progress; /* of the last blocks */
    GHashTable *counters; /* blocker << 8 | kind → struct pm_counters, the last told */
    GArray *spans, *gaps, *samples;
    guint n_doubled;
};

static int on_waits(void *context, const struct pm_wait_columns *columns)
{
    struct content *content = context;
    for (size_t i = 0; i < columns->n; i++) {
        struct key *key = g_new(struct key, 1);
        *key = (struct key){columns->thread[i], columns->begin_ns[i]};
        struct pm_wait *wait = g_new0(struct pm_wait, 1);
        wait->begin_ns = columns->begin_ns[i];
        wait->duration_ns = columns->duration_ns[i];
        wait->thread.n = columns->thread[i];
        wait->blocker.n = columns->blocker[i];
        wait->kind = columns->kind[i];
        wait->flags = columns->flags[i];
        content->n_doubled += g_hash_table_contains(content->ended, key);
        g_hash_table_replace(content->ended, key, wait);
    }
    return 0;
}

static int on_progress(void *context, const struct pm_wait *waits, size_t n, bool complete,
                       int64_t at_ns)
{
    struct content *content = context;
    if (complete)
        g_hash_table_remove_all(content->progress);
    for (size_t i = 0; i < n; i++) {
        struct key *key = g_new(struct key, 1);
        *key = (struct key){waits[i].thread.n, waits[i].begin_ns};
        g_assert_true(waits[i].flags & PM_WAIT_IN_PROGRESS);
        g_hash_table_replace(content->progress, key, g_memdup2(&waits[i], sizeof(waits[i])));
    }
    return 0;
}

static int on_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    struct content *content = context;
    for (size_t i = 0; i < snapshot->n_counters; i++) {
        const struct pm_counters *counters = &snapshot->counters[i];
        g_hash_table_replace(content->counters,
                             GUINT_TO_POINTER(counters->blocker.n << 8 | counters->kind),
                             g_memdup2(counters, sizeof(*counters)));
    }
    return 0;
}

static int on_span(void *context, const struct pm_span *span)
{
    g_array_append_val(((struct content *)context)->spans, *span);
    return 0;
}

static int on_gap(void *context, const struct pm_gap *gap)
{
    g_array_append_val(((struct content *)context)->gaps, *gap);
    return 0;
}

static int on_owner_sample(void *context, const struct pm_owner_sample *sample)
{
    g_array_append_val(((struct content *)context)->samples, *sample);
    return 0;
}

static void content_clear(struct content *content)
{
    g_hash_table_unref(content->ended);
    g_hash_table_unref(content->progress);
    g_hash_table_unref(content->counters);
    g_array_unref(content->spans);
    g_array_unref(content->gaps);
    g_array_unref(content->samples);
}

static void read_content(const char *path, struct content *ret_content)
{
    struct content content = {
        .ended = g_hash_table_new_full(key_hash, key_equal, g_free, g_free),
        .progress = g_hash_table_new_full(key_hash, key_equal, g_free, g_free),
        .counters = g_hash_table_new_full(NULL, NULL, NULL, g_free),
        .spans = g_array_new(FALSE, FALSE, sizeof(struct pm_span)),
        .gaps = g_array_new(FALSE, FALSE, sizeof(struct pm_gap)),
        .samples = g_array_new(FALSE, FALSE, sizeof(struct pm_owner_sample)),
    };
    struct pm_source source;
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_source_open(path, &source, &info), ==, 0);
    struct pm_reader *reader;
    int error = pm_reader_open(source, &reader, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    struct pm_visitor visitor = {.context = &content,
                                 .on_waits = on_waits,
                                 .on_progress = on_progress,
                                 .on_snapshot = on_snapshot,
                                 .on_span = on_span,
                                 .on_gap = on_gap,
                                 .on_owner_sample = on_owner_sample};
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        if (!pm_reader_chunk(reader, i)->overview) {
            int64_t end_ns;
            error = pm_reader_read_chunk(reader, i, &visitor, &end_ns, &info);
            g_assert_cmpstr(error ? info.text : "", ==, "");
        }
    }
    pm_reader_free(reader);
    g_assert_cmpuint(content.n_doubled, ==, 0);
    *ret_content = content;
}

/* All 0 when none were told: nothing happened there. */
static const struct pm_counters *counters_of(const struct content *content, pm_blocker_id blocker,
                                             uint8_t kind)
{
    static const struct pm_counters none;
    const struct pm_counters *counters =
        g_hash_table_lookup(content->counters, GUINT_TO_POINTER(blocker.n << 8 | kind));
    return counters ? counters : &none;
}

static void assert_verified(const char *path)
{
    struct pm_source source;
    struct pm_error_info info = {0};
    struct pm_verify_result result;
    g_assert_cmpint(pm_source_open(path, &source, &info), ==, 0);
    int error = pm_verify(source, &result, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    g_assert_cmpstr(result.first_problem, ==, "");
    g_assert_true(result.ok);
}

static void read_verified(const char *path, struct content *ret_content)
{
    assert_verified(path);
    read_content(path, ret_content);
}

/* -- a recorder under test -- */

struct recorder {
    char *folder;
    char *path;
    struct pm_options options;
};

static void prepare(struct recorder *recorder, const char *text,
                    const struct pm_slot_limits *limits)
{
    struct pm_error_info info = {0};
    recorder->folder = g_dir_make_tmp("drain-XXXXXX", NULL);
    g_assert_nonnull(recorder->folder);
    recorder->path = g_build_filename(recorder->folder, "a.park", NULL);
    pm_options_default(&recorder->options);
    g_strlcpy(recorder->options.file, recorder->path, sizeof(recorder->options.file));
    recorder->options.maxsize = 8 << 20;
    int error = *text ? pm_options_parse(&recorder->options, text, &info) : 0;
    g_assert_cmpstr(error ? info.text : "", ==, "");
    g_assert_cmpint(pm_slot_pool_init(limits), ==, 0);
    g_assert_cmpint(pm_vthread_slot_init(64), ==, 0);
}

static int start(struct recorder *recorder, struct pm_error_info *ret_info)
{
    struct pm_facts facts = {.pid = (uint32_t)getpid(),
                             .begin_ns = pm_clock_now(),
                             .begin_unix_ns = pm_clock_now_unix(),
                             .jvm = {"JVM 0", 5},
                             .main = {"Test", 4},
                             .host = {"host", 4},
                             .zone = {"UTC", 3}};
    return pm_drain_start(&recorder->options, &facts, ret_info);
}

static void begin(struct recorder *recorder, const char *text, const struct pm_slot_limits *limits)
{
    struct pm_error_info info = {0};
    prepare(recorder, text, limits);
    int error = start(recorder, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
}

static void clear(struct recorder *recorder)
{
    pm_remove_folder(recorder->folder);
    g_free(recorder->folder);
    g_free(recorder->path);
    pm_vthread_slot_clear();
    pm_slot_pool_clear();
}

static int64_t next_tid = 100;

static pm_thread_id add_thread(int64_t *ret_tid)
{
    char name[32];
    *ret_tid = next_tid++;
    g_snprintf(name, sizeof(name), "worker-%d", (int)*ret_tid);
    return pm_thread_add(*ret_tid, name, false, false, pm_clock_now());
}

static pm_blocker_id add_blocker(uint32_t hash)
{
    struct pm_blocker blocker = {.hash = hash};
    return pm_blocker_add(&blocker);
}

/* The slot of a new thread. */
static struct pm_slot *claim_slot(void)
{
    int64_t tid;
    pm_thread_id thread = add_thread(&tid);
    struct pm_slot *slot = pm_slot_claim(thread, tid);
    g_assert_nonnull(slot);
    return slot;
}

static int64_t begin_owned(struct pm_slot *slot, pm_blocker_id blocker, pm_thread_id owner)
{
    struct pm_raw_wait raw = {.blocker = blocker, .owner = owner};
    pm_slot_enter(slot);
    return pm_slot_begin(slot, &raw);
}

static int64_t begin_wait(struct pm_slot *slot, pm_blocker_id blocker)
{
    return begin_owned(slot, blocker, (pm_thread_id){0});
}

static void wait_often(struct pm_slot *slot, pm_blocker_id blocker, int n)
{
    for (int i = 0; i < n; i++) {
        begin_wait(slot, blocker);
        pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    }
}

static void flush(void)
{
    g_assert_cmpint(pm_drain_flush(LONG_NS), ==, 0);
}

static void stop_and_read(const struct recorder *recorder, struct content *ret_content)
{
    pm_drain_stop(LONG_NS);
    read_verified(recorder->path, ret_content);
}

/* A file-size limit stands for a disk that fails: writes beyond it meet EFBIG. */
static struct rlimit let_writes_fail(void)
{
    struct rlimit before;
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    struct rlimit small = {.rlim_cur = 1, .rlim_max = before.rlim_max};
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
    return before;
}

static void let_writes_succeed(struct rlimit before)
{
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
}

/* One application thread and what it did. */
struct worker {
    pthread_t pthread;
    pm_thread_id thread;
    int64_t tid;
    const pm_blocker_id *blockers;
    size_t n_blockers;
    int n_waits;
    _Atomic bool *stop; /* NULL: n_waits */
    GArray *done;       /* struct pm_wait */
    guint32 seed;
};

/* A virtual thread; workers are the carriers of those in the queue. */
struct virtual_thread {
    pm_thread_id thread;
    int64_t tid;
};

static GAsyncQueue *virtual_threads; /* NULL: workers wait themselves */
static _Atomic int n_virtual_waits;  /* open */
static bool some_are_pinned;

/* It is mounted: its wait ends here, or it was pinned and did not wait. */
static void mount_virtual(struct worker *worker, struct pm_slot *slot,
                          const struct virtual_thread *virtual, GRand *random)
{
    struct pm_vthread_slot *vslot = pm_vthread_slot_find(virtual->tid);
    if (!vslot)
        return;
    struct pm_wait wait = {.begin_ns = vslot->open.begin_ns,
                           .thread = virtual->thread,
                           .blocker = vslot->open.blocker,
                           .kind = vslot->open.kind};
    if (some_are_pinned && !vslot->is_bare && g_rand_int_range(random, 0, 16) == 0) {
        pm_vthread_slot_cancel(vslot);
    } else {
        pm_vthread_slot_end(vslot, slot, &(struct pm_raw_wait){.wake_cause = PM_WAKE_UNKNOWN});
        g_array_append_val(worker->done, wait);
    }
    n_virtual_waits--;
}

static void unmount_virtual(struct worker *worker, struct pm_slot *slot,
                            const struct virtual_thread *virtual, GRand *random)
{
    struct pm_vthread_slot *vslot = pm_vthread_slot_open(virtual->tid);
    g_assert_nonnull(vslot);
    struct pm_raw_wait raw = {
        .blocker = worker->blockers[g_rand_int_range(random, 0, (gint32)worker->n_blockers)],
        .kind = (uint8_t)g_rand_int_range(random, 0, PM_N_KINDS),
        .thread = virtual->thread};
    pm_vthread_slot_enter(vslot, slot);
    pm_vthread_slot_begin(vslot, slot, &raw);
    n_virtual_waits++;
}

static void *carry(void *context)
{
    struct worker *worker = context;
    GRand *random = g_rand_new_with_seed(worker->seed);
    struct pm_slot *slot = pm_slot_claim(worker->thread, worker->tid);
    g_assert_nonnull(slot);
    for (int i = 0;;) {
        bool over = worker->stop ? *worker->stop : i == worker->n_waits;
        struct virtual_thread *virtual = g_async_queue_try_pop(virtual_threads);
        if (virtual) {
            mount_virtual(worker, slot, virtual, random);
            if (!over && pm_gate_open()) {
                unmount_virtual(worker, slot, virtual, random);
                i++;
            }
            g_async_queue_push(virtual_threads, virtual);
        }
        if (over && n_virtual_waits == 0)
            break;
        if (!virtual || !pm_gate_open() || (worker->stop && i % 8 == 0))
            g_usleep(100); /* a file has its bounds */
    }
    pm_slot_release(slot);
    g_rand_free(random);
    return NULL;
}

static void *work(void *context)
{
    struct worker *worker = context;
    GRand *random = g_rand_new_with_seed(worker->seed);
    struct pm_slot *slot = pm_slot_claim(worker->thread, worker->tid);
    g_assert_nonnull(slot);
    for (int i = 0; worker->stop ? !*worker->stop : i < worker->n_waits; i++) {
        if (!pm_gate_open()) {
            g_usleep(100);
            continue;
        }
        struct pm_raw_wait raw = {
            .blocker = worker->blockers[g_rand_int_range(random, 0, (gint32)worker->n_blockers)],
            .kind = (uint8_t)g_rand_int_range(random, 0, PM_N_KINDS)};
        pm_slot_enter(slot);
        int64_t begin_ns = pm_slot_begin(slot, &raw);
        if (i % 16 == 0)
            g_usleep((gulong)g_rand_int_range(random, 1, 2000));
        pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
        struct pm_wait wait = {.begin_ns = begin_ns,
                               .thread = worker->thread,
                               .blocker = raw.blocker,
                               .kind = raw.kind};
        g_array_append_val(worker->done, wait);
    }
    pm_slot_release(slot);
    g_rand_free(random);
    return NULL;
}

#define N_WORKERS 8

static void add_virtual_threads(gconstpointer n)
{
    if (GPOINTER_TO_INT(n) > 0)
        virtual_threads = g_async_queue_new_full(g_free);
    for (int i = 0; i < GPOINTER_TO_INT(n); i++) {
        struct virtual_thread *virtual = g_new0(struct virtual_thread, 1);
        virtual->thread = add_thread(&virtual->tid);
        g_async_queue_push(virtual_threads, virtual);
    }
}

static void start_workers(struct worker *workers, const pm_blocker_id *blockers, size_t n_blockers,
                          int n_waits, _Atomic bool *stop)
{
    for (int i = 0; i < N_WORKERS; i++) {
        workers[i] = (struct worker){.blockers = blockers,
                                     .n_blockers = n_blockers,
                                     .n_waits = n_waits,
                                     .stop = stop,
                                     .seed = (guint32)i + 1,
                                     .done = g_array_new(FALSE, FALSE, sizeof(struct pm_wait))};
        workers[i].thread = add_thread(&workers[i].tid);
        g_assert_cmpint(
            pthread_create(&workers[i].pthread, NULL, virtual_threads ? carry : work, &workers[i]),
            ==, 0);
    }
}

static void join_workers(struct worker *workers)
{
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(workers[i].pthread, NULL);
}

static void clear_workers(struct worker *workers)
{
    for (int i = 0; i < N_WORKERS; i++)
        g_array_unref(workers[i].done);
    g_clear_pointer(&virtual_threads, g_async_queue_unref);
}

/* Sums of what was stored, to compare with the counters. */
struct sum {
    int64_t times, thread_time_ns, longest_ns;
};

static struct sum sum_of(const struct content *content, pm_blocker_id blocker, uint8_t kind)
{
    struct sum sum = {0};
    GHashTableIter iter;
    struct pm_wait *wait;
    g_hash_table_iter_init(&iter, content->ended);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&wait)) {
        if (wait->blocker.n == blocker.n && wait->kind == kind) {
            sum.times += !(wait->flags & PM_WAIT_BEGIN_UNKNOWN);
            sum.thread_time_ns += wait->duration_ns;
            sum.longest_ns = MAX(sum.longest_ns, wait->duration_ns);
        }
    }
    return sum;
}

struct totals {
    int64_t times, not_stored, not_stored_time_ns;
};

/* Of two blockers, whose counters hold what is stored and what is not; where waits were `lost`,
 * peak and real-time may be bounds. */
static struct totals totals_of(const struct content *content, const pm_blocker_id *blockers,
                               bool lost)
{
    struct totals totals = {0};
    for (int b = 0; b < 2; b++) {
        for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
            const struct pm_counters *counters = counters_of(content, blockers[b], kind);
            struct sum sum = sum_of(content, blockers[b], kind);
            g_assert_cmpint(counters->times, ==, sum.times + counters->not_stored);
            g_assert_cmpint(counters->thread_time_ns, ==,
                            sum.thread_time_ns + counters->not_stored_time_ns);
            g_assert_cmpuint(counters->now, ==, 0);
            g_assert_true(lost ? counters->bound || counters->not_stored == 0 : !counters->bound);
            totals.times += counters->times;
            totals.not_stored += counters->not_stored;
            totals.not_stored_time_ns += counters->not_stored_time_ns;
        }
    }
    return totals;
}

static gint compare_begins(gconstpointer a, gconstpointer b)
{
    const struct pm_wait *left = *(struct pm_wait *const *)a, *right = *(struct pm_wait *const *)b;
    return left->begin_ns < right->begin_ns ? -1 : left->begin_ns > right->begin_ns;
}

/* For how long at least one of the stored waits was in progress. */
static int64_t real_time_of(const struct content *content, pm_blocker_id blocker, uint8_t kind)
{
    GPtrArray *waits = g_ptr_array_new();
    GHashTableIter iter;
    struct pm_wait *wait;
    g_hash_table_iter_init(&iter, content->ended);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&wait))
        if (wait->blocker.n == blocker.n && wait->kind == kind)
            g_ptr_array_add(waits, wait);
    g_ptr_array_sort(waits, compare_begins);
    int64_t real_time_ns = 0, until_ns = 0;
    for (guint i = 0; i < waits->len; i++) {
        wait = waits->pdata[i];
        int64_t end_ns = wait->begin_ns + wait->duration_ns;
        int64_t from_ns = MAX(wait->begin_ns, until_ns);
        real_time_ns += MAX(end_ns - from_ns, 0);
        until_ns = MAX(until_ns, end_ns);
    }
    g_ptr_array_unref(waits);
    return real_time_ns;
}

static void test_every_wait_is_in_the_file(gconstpointer n_virtual)
{
    struct recorder recorder;
    struct worker workers[N_WORKERS];
    pm_blocker_id blockers[] = {add_blocker(1), add_blocker(2), add_blocker(3)};
    begin(&recorder, "maxsize=64m", NULL);
    add_virtual_threads(n_virtual);
    start_workers(workers, blockers, 3, 4000, NULL);
    join_workers(workers);
    struct content content;
    stop_and_read(&recorder, &content);
    guint n_done = 0;
    for (int i = 0; i < N_WORKERS; i++) {
        for (guint j = 0; j < workers[i].done->len; j++) {
            const struct pm_wait *did = &g_array_index(workers[i].done, struct pm_wait, j);
            struct key key = {did->thread.n, did->begin_ns};
            const struct pm_wait *wait = g_hash_table_lookup(content.ended, &key);
            g_assert_nonnull(wait);
            g_assert_cmpuint(wait->blocker.n, ==, did->blocker.n);
            g_assert_cmpuint(wait->kind, ==, did->kind);
            n_done++;
        }
    }
    g_assert_cmpuint(g_hash_table_size(content.ended), ==, n_done);
    for (int b = 0; b < 3; b++) {
        for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
            const struct pm_counters *counters = counters_of(&content, blockers[b], kind);
            struct sum sum = sum_of(&content, blockers[b], kind);
            g_assert_cmpint(counters->times, ==, sum.times);
            g_assert_cmpint(counters->thread_time_ns, ==, sum.thread_time_ns);
            g_assert_cmpint(counters->longest_ns, ==, sum.longest_ns);
            g_assert_cmpint(counters->real_time_ns, ==, real_time_of(&content, blockers[b], kind));
            g_assert_cmpuint(counters->now, ==, 0);
            g_assert_cmpuint(counters->peak, >=, sum.times > 0);
            g_assert_cmpuint(counters->peak, <=, MAX(N_WORKERS, GPOINTER_TO_UINT(n_virtual)));
            g_assert_false(counters->bound);
            g_assert_cmpint(counters->not_stored, ==, 0);
        }
    }
    content_clear(&content);
    clear_workers(workers);
    clear(&recorder);
}

static void test_wait_in_progress_is_in_the_file(void)
{
    struct recorder recorder;
    pm_blocker_id blocker = add_blocker(4);
    begin(&recorder, "", NULL);
    struct pm_slot *slot = claim_slot();
    struct key key = {pm_slot_thread(slot).n, begin_wait(slot, blocker)};
    flush();

    struct content content;
    read_content(recorder.path, &content);
    const struct pm_wait *wait = g_hash_table_lookup(content.progress, &key);
    g_assert_nonnull(wait);
    g_assert_cmpuint(wait->blocker.n, ==, blocker.n);
    g_assert_null(g_hash_table_lookup(content.ended, &key));
    content_clear(&content);

    struct pm_status status;
    pm_drain_get_status(&status);
    g_assert_cmpuint(status.in_progress, ==, 1);
    g_assert_cmpint(status.longest_in_progress_ns, >, 0);

    pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    flush();
    read_content(recorder.path, &content);
    g_assert_nonnull(g_hash_table_lookup(content.ended, &key));
    content_clear(&content);

    /* And one that goes on as the recording ends. */
    key.begin_ns = begin_wait(slot, blocker);
    stop_and_read(&recorder, &content);
    g_assert_nonnull(g_hash_table_lookup(content.progress, &key));
    const struct pm_counters *counters = counters_of(&content, blocker, PM_KIND_PARK);
    g_assert_cmpint(counters->times, ==, 2);
    g_assert_cmpuint(counters->now, ==, 1);
    content_clear(&content);
    clear(&recorder);
}

/* No flush is asked for: what the recorder does by itself must do. */
static void test_killed_recorder_leaves_its_waits(void)
{
    struct recorder recorder;
    pm_blocker_id blocker = add_blocker(5);
    prepare(&recorder, "flush=100ms", NULL);
    int ready[2];
    g_assert_cmpint(pipe(ready), ==, 0);
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        if (start(&recorder, NULL))
            _exit(1);
        wait_often(claim_slot(), blocker, 100);
        if (write(ready[1], "r", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char byte;
    g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
    guint n = 0;
    for (int i = 0; n < 100 && i < 1200; i++) {
        struct content content;
        read_content(recorder.path, &content);
        n = g_hash_table_size(content.ended);
        content_clear(&content);
        g_usleep(100000);
    }
    g_assert_cmpint(kill(child, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    g_assert_cmpuint(n, ==, 100);
    assert_verified(recorder.path);
    close(ready[0]);
    close(ready[1]);
    clear(&recorder);
}

static void test_stop_and_start_lose_and_double_nothing(gconstpointer n_virtual)
{
    struct recorder recorder;
    struct worker workers[N_WORKERS];
    pm_blocker_id blockers[] = {add_blocker(6), add_blocker(7)};
    _Atomic bool stop = false;
    begin(&recorder, "maxsize=64m", NULL);
    add_virtual_threads(n_virtual);
    some_are_pinned = true;
    start_workers(workers, blockers, 2, 0, &stop);
    for (int i = 0; i < 60; i++) {
        g_usleep(2000);
        g_assert_cmpint(pm_drain_set_recording(false), ==, 0);
        g_assert_cmpint(pm_drain_set_recording(false), ==, 0); /* again: nothing */
        g_usleep(500);
        g_assert_cmpint(pm_drain_set_recording(true), ==, 0);
    }
    stop = true;
    join_workers(workers);
    some_are_pinned = false;
    struct content content;
    stop_and_read(&recorder, &content);
    int64_t times = 0;
    for (int b = 0; b < 2; b++) {
        for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
            const struct pm_counters *counters = counters_of(&content, blockers[b], kind);
            struct sum sum = sum_of(&content, blockers[b], kind);
            g_assert_cmpint(counters->times, ==, sum.times);
            g_assert_cmpint(counters->thread_time_ns, ==, sum.thread_time_ns);
            g_assert_cmpuint(counters->now, ==, 0);
            times += counters->times;
        }
    }
    /* Every stored wait was done, lies inside a recorded span, and no wait inside one is missing
     * but those a hook began just as the gate closed. */
    GArray *stopped = g_array_new(FALSE, FALSE, sizeof(struct pm_span));
    for (guint i = 0; i < content.spans->len; i++) {
        struct pm_span span = g_array_index(content.spans, struct pm_span, i);
        if (span.kind == PM_SPAN_STOPPED && span.end_ns != 0)
            g_array_append_val(stopped, span);
    }
    g_assert_cmpuint(stopped->len, ==, 60);
    GHashTableIter iter;
    struct pm_wait *wait;
    g_hash_table_iter_init(&iter, content.ended);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&wait)) {
        for (guint i = 0; i < stopped->len; i++) {
            struct pm_span span = g_array_index(stopped, struct pm_span, i);
            g_assert_true(wait->begin_ns >= span.end_ns ||
                          wait->begin_ns + wait->duration_ns <= span.begin_ns);
        }
    }
    for (int i = 0; i < N_WORKERS; i++) {
        for (guint j = 0; j < workers[i].done->len; j++) {
            const struct pm_wait *did = &g_array_index(workers[i].done, struct pm_wait, j);
            struct key key = {did->thread.n, did->begin_ns};
            bool inside = true;
            for (guint k = 0; k < stopped->len; k++) {
                struct pm_span span = g_array_index(stopped, struct pm_span, k);
                inside &= did->begin_ns < span.begin_ns || did->begin_ns >= span.end_ns;
            }
            g_assert_true(!inside || g_hash_table_contains(content.ended, &key));
        }
    }
    g_assert_cmpint(times, >, 0);
    g_array_unref(stopped);
    content_clear(&content);
    clear_workers(workers);
    clear(&recorder);
}

static void test_stop_cuts_and_start_begins_anew(void)
{
    struct recorder recorder;
    pm_blocker_id blocker = add_blocker(8);
    begin(&recorder, "", NULL);
    struct pm_slot *slot = claim_slot();
    struct key key = {pm_slot_thread(slot).n, begin_wait(slot, blocker)};
    g_assert_cmpint(pm_drain_set_recording(false), ==, 0);

    struct content content;
    read_content(recorder.path, &content);
    const struct pm_wait *wait = g_hash_table_lookup(content.ended, &key);
    g_assert_nonnull(wait);
    g_assert_true(wait->flags & PM_WAIT_CUT);
    int64_t cut_ns = wait->begin_ns + wait->duration_ns;
    content_clear(&content);
    struct pm_status status;
    pm_drain_get_status(&status);
    g_assert_false(status.recording);

    g_assert_cmpint(pm_drain_set_recording(true), ==, 0);
    pm_drain_get_status(&status);
    g_assert_true(status.recording);
    g_assert_cmpuint(status.in_progress, ==, 1);
    pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    pm_drain_stop(LONG_NS);

    read_content(recorder.path, &content);
    g_assert_cmpuint(g_hash_table_size(content.ended), ==, 2);
    GHashTableIter iter;
    g_hash_table_iter_init(&iter, content.ended);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&wait)) {
        if (wait->begin_ns != key.begin_ns) {
            g_assert_true(wait->flags & PM_WAIT_BEGIN_UNKNOWN);
            g_assert_cmpint(wait->begin_ns, >=, cut_ns);
        }
    }
    g_assert_cmpint(counters_of(&content, blocker, 0)->times, ==, 1);
    content_clear(&content);
    clear(&recorder);
}

static void run_filtered(const char *options, bool has_stored, enum pm_gap_reason reason)
{
    struct recorder recorder;
    struct worker workers[N_WORKERS];
    pm_blocker_id blockers[] = {add_blocker(9), add_blocker(10)};
    begin(&recorder, options, NULL);
    start_workers(workers, blockers, 2, 1500, NULL);
    join_workers(workers);
    struct content content;
    stop_and_read(&recorder, &content);
    const struct totals totals = totals_of(&content, blockers, false);
    g_assert_cmpint(totals.times, ==, N_WORKERS * 1500);
    g_assert_cmpint(totals.not_stored, >, 0);
    g_assert_true((g_hash_table_size(content.ended) > 0) == has_stored);
    int64_t gap_waits = 0;
    int64_t gap_time_ns = 0;
    for (guint i = 0; i < content.gaps->len; i++) {
        struct pm_gap gap = g_array_index(content.gaps, struct pm_gap, i);
        g_assert_cmpint(gap.reason, ==, reason);
        g_assert_cmpint(gap.begin_ns, <=, gap.end_ns);
        gap_waits += gap.waits;
        gap_time_ns += gap.thread_time_ns;
    }
    g_assert_cmpint(gap_waits, ==, totals.not_stored);
    g_assert_cmpint(gap_time_ns, ==, totals.not_stored_time_ns);
    content_clear(&content);
    clear_workers(workers);
    clear(&recorder);
}

static void test_mintime_counts_what_it_does_not_store(void)
{
    run_filtered("mintime=50us", true, PM_GAP_MINTIME);
}

static void test_minparks_counts_what_it_does_not_store(void)
{
    run_filtered("minparks=100", true, PM_GAP_MINPARKS);
}

static void test_events_off_counts_everything(void)
{
    run_filtered("events=off", false, PM_GAP_EVENTS_OFF);
}

static void test_full_buffers_lose_no_time(gconstpointer n_virtual)
{
    struct recorder recorder;
    struct worker workers[N_WORKERS];
    struct pm_slot_limits limits = {.buffer_waits = 8, .max_buffers = 8};
    pm_blocker_id blockers[] = {add_blocker(11), add_blocker(12)};
    limits.max_slots = 128; /* not all virtual threads have a slot */
    begin(&recorder, "maxsize=64m", &limits);
    add_virtual_threads(n_virtual);
    start_workers(workers, blockers, 2, 3000, NULL);
    join_workers(workers);
    int64_t n_done = 0;
    for (int i = 0; i < N_WORKERS; i++)
        n_done += workers[i].done->len;
    flush();
    flush(); /* what a thread was just writing */
    struct pm_status status;
    pm_drain_get_status(&status);
    g_assert_cmpuint(status.dropped, >, 0);
    g_assert_cmpuint(status.waits, ==, n_done);
    struct content content;
    stop_and_read(&recorder, &content);
    const struct totals totals = totals_of(&content, blockers, true);
    g_assert_cmpint(totals.times, ==, n_done);
    g_assert_cmpint(totals.not_stored, ==, (int64_t)status.dropped);
    content_clear(&content);
    clear_workers(workers);
    clear(&recorder);
}

/* A wait that `stop` cut is told by its pieces, whether or not there is room for its end: one that
 * ends after `start`, one that ends before. */
static void test_full_buffers_count_a_cut_wait_once(void)
{
    struct pm_slot_limits limits = {.buffer_waits = 8, .max_buffers = 1};
    enum { STOPPED_NS = 20000000 };
    for (int ends_stopped = 0; ends_stopped < 2; ends_stopped++) {
        struct recorder recorder;
        pm_blocker_id blocker = add_blocker(13), other = add_blocker(14);
        begin(&recorder, "", &limits);
        struct pm_slot *slot = claim_slot(), *busy_slot = claim_slot();
        int64_t begin_ns = begin_wait(slot, blocker);
        g_assert_cmpint(pm_drain_set_recording(false), ==, 0);
        g_usleep(STOPPED_NS / 1000);
        if (!ends_stopped)
            g_assert_cmpint(pm_drain_set_recording(true), ==, 0);
        wait_often(busy_slot, other, 5000);
        pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
        if (ends_stopped)
            g_assert_cmpint(pm_drain_set_recording(true), ==, 0);
        int64_t end_ns = pm_clock_now();
        struct content content;
        stop_and_read(&recorder, &content);
        const struct pm_counters *counters = counters_of(&content, blocker, PM_KIND_PARK);
        g_assert_cmpint(counters->times, ==, 1);
        g_assert_cmpint(counters->thread_time_ns, >, 0);
        g_assert_cmpint(counters->thread_time_ns, <, end_ns - begin_ns - STOPPED_NS);
        g_assert_cmpuint(counters->now, ==, 0);
        content_clear(&content);
        clear(&recorder);
    }
}

static void test_gone_blocker_leaves_its_counters(void)
{
    struct recorder recorder;
    begin(&recorder, "", NULL);
    struct pm_slot *slot = claim_slot();
    pm_blocker_id collected[50];
    for (int i = 0; i < 50; i++) {
        collected[i] = add_blocker(100 + (uint32_t)i);
        wait_often(slot, collected[i], 1);
        pm_blocker_leave(collected[i], PM_BLOCKER_COLLECTED);
    }
    int n_told = 0;
    for (int i = 0; i < 1200 && n_told < 50; i++) {
        struct content content;
        flush();
        read_content(recorder.path, &content);
        n_told = 0;
        for (int j = 0; j < 50; j++)
            n_told += counters_of(&content, collected[j], 0)->times == 1;
        content_clear(&content);
        g_usleep(10000);
    }
    g_assert_cmpint(n_told, ==, 50);
    pm_drain_stop(LONG_NS);
    assert_verified(recorder.path);
    clear(&recorder);
}

/* More than can have a row each: what they add up to is exact all the same. */
static void test_one_park_blockers_share_a_row(void)
{
    struct recorder recorder;
    begin(&recorder, "maxsize=2m", NULL);
    struct pm_slot *slot = claim_slot();
    int64_t time_ns = 0;
    uint32_t before = pm_blocker_last_id();
    for (int i = 0; i < 30000; i++) {
        pm_blocker_id blocker = add_blocker(1000 + (uint32_t)i);
        g_assert_cmpuint(blocker.n, !=, 0);
        wait_often(slot, blocker, 1);
        pm_blocker_leave(blocker, PM_BLOCKER_COLLECTED);
        if (i % 3000 == 2999)
            for (int j = 0; j < 4; j++)
                flush();
    }
    struct pm_status status;
    pm_drain_get_status(&status);
    g_assert_cmpuint(status.blockers, <, 12000);
    struct content content;
    stop_and_read(&recorder, &content);
    int64_t times = 0;
    GHashTableIter iter;
    struct pm_counters *counters;
    g_hash_table_iter_init(&iter, content.counters);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&counters)) {
        g_assert_cmpuint(counters->blocker.n, !=, 0);
        times += counters->times;
        time_ns += counters->thread_time_ns;
    }
    g_assert_cmpuint(before, >, 0);
    g_assert_cmpint(times, ==, 30000);
    g_assert_cmpint(time_ns, >=, 30000);
    content_clear(&content);
    clear(&recorder);
}

static void test_owner_is_sampled_at_dump(void)
{
    struct recorder recorder;
    int64_t owner_tid;
    pm_thread_id owner = add_thread(&owner_tid);
    pm_blocker_id blocker = add_blocker(13);
    begin(&recorder, "", NULL);
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    owner_now = owner;
    struct pm_slot *slot = claim_slot();
    begin_owned(slot, blocker, owner);
    g_assert_cmpint(pm_drain_sample_owners(LONG_NS), ==, 0);
    struct content content;
    read_content(recorder.path, &content);
    g_assert_cmpuint(content.samples->len, >=, 1);
    struct pm_owner_sample sample = g_array_index(content.samples, struct pm_owner_sample, 0);
    g_assert_cmpuint(sample.waiter.n, ==, pm_slot_thread(slot).n);
    g_assert_cmpuint(sample.owner.n, ==, owner.n);
    g_assert_cmpuint(sample.blocker.n, ==, blocker.n);
    g_assert_cmpuint(sample.owner_state, ==, PM_OWNER_RUNNING);
    content_clear(&content);
    pm_sampler_stop();
    pm_drain_stop(LONG_NS);
    owner_now.n = 0;
    clear(&recorder);
}

/* Somebody waits for 30 ms each 100 ms: at whatever time of them, a tick sees it now and then. */
static void test_ticks_keep_no_step(void)
{
    enum { N_PHASES = 3, N_WAITS = 25 };
    const int64_t period_ns = 100000000;
    struct recorder recorder;
    int64_t owner_tid;
    const pm_thread_id owner = add_thread(&owner_tid);
    pm_blocker_id blockers[N_PHASES];
    begin(&recorder, "", NULL);
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    owner_now = owner;
    struct pm_slot *slot = claim_slot();
    for (guint phase = 0; phase < N_PHASES; phase++) {
        blockers[phase] = add_blocker(100 + phase);
        for (guint k = 0; k < N_WAITS; k++) {
            const int64_t since_ns = phase * period_ns / N_PHASES;
            while (pm_clock_now() % period_ns < since_ns ||
                   pm_clock_now() % period_ns > since_ns + period_ns / 10)
                g_usleep(1000);
            begin_owned(slot, blockers[phase], owner);
            g_usleep(30000);
            pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
        }
    }
    pm_sampler_stop();
    owner_now.n = 0;
    struct content content;
    stop_and_read(&recorder, &content);
    for (guint phase = 0; phase < N_PHASES; phase++) {
        guint n = 0;
        for (guint i = 0; i < content.samples->len; i++)
            n += g_array_index(content.samples, struct pm_owner_sample, i).blocker.n ==
                 blockers[phase].n;
        g_test_message("%u samples in phase %u", n, phase);
        g_assert_cmpuint(n, >, 0);
    }
    content_clear(&content);
    clear(&recorder);
}

/* A program that does something every 50 ms is not always looked at as it does it. */
static void test_samples_keep_no_step(void)
{
    enum { N_GAPS = 12 };
    int64_t owner_tid;
    const struct pm_sample_wish wish = {.owner = add_thread(&owner_tid),
                                        .weight = 1,
                                        .kind = PM_KIND_WAIT,
                                        .role = PM_SAMPLE_OWNER,
                                        .queue = PM_SAMPLE_QUEUE_LOW};
    struct pm_owner_sample samples[N_GAPS + 1];
    size_t n = 0;
    int64_t shortest_ns = INT64_MAX;
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    const int64_t from_ns = pm_clock_now();
    pm_sampler_offer(&wish, 1);
    while (n <= N_GAPS) {
        g_usleep(10000);
        n += pm_sampler_take(samples + n, N_GAPS + 1 - n);
    }
    pm_sampler_stop();
    for (size_t i = 1; i <= N_GAPS; i++)
        shortest_ns = MIN(shortest_ns, samples[i].at_ns - samples[i - 1].at_ns);
    g_assert_cmpint(shortest_ns, <, 45000000);
    g_assert_cmpint(samples[N_GAPS].at_ns - from_ns, >=, (N_GAPS - 1) * INT64_C(50000000));
}

static void test_deadlock_is_counted(void)
{
    struct recorder recorder;
    struct pm_slot *slots[3];
    begin(&recorder, "", NULL);
    for (int i = 0; i < 3; i++)
        slots[i] = claim_slot();
    /* 0 and 1 wait for each other, 2 behind them. */
    for (int i = 0; i < 3; i++)
        begin_owned(slots[i], add_blocker(20), pm_slot_thread(slots[i == 0 ? 1 : 0]));
    struct pm_status status = {0};
    for (int i = 0; i < 1200 && status.deadlocks == 0; i++) {
        g_usleep(50000);
        flush();
        pm_drain_get_status(&status);
    }
    g_assert_cmpuint(status.deadlocks, ==, 1);
    pm_drain_stop(LONG_NS);
    clear(&recorder);
}

static void test_spans_are_in_the_file(void)
{
    struct recorder recorder;
    int64_t tid;
    pm_thread_id thread = add_thread(&tid);
    begin(&recorder, "", NULL);
    int64_t now_ns = pm_clock_now();
    pm_drain_gc(now_ns, now_ns + 5);
    pm_drain_thread_span(thread, now_ns, now_ns + 7);
    pm_drain_stop(LONG_NS);
    struct content content;
    read_content(recorder.path, &content);
    bool gc = false;
    bool life = false;
    for (guint i = 0; i < content.spans->len; i++) {
        struct pm_span span = g_array_index(content.spans, struct pm_span, i);
        gc |= span.kind == PM_SPAN_GC && span.begin_ns == now_ns && span.end_ns == now_ns + 5;
        life |=
            span.kind == PM_SPAN_THREAD && span.thread.n == thread.n && span.end_ns == now_ns + 7;
    }
    g_assert_true(gc);
    g_assert_true(life);
    content_clear(&content);
    clear(&recorder);
}

/* So many wait that a chunk of a small file has hardly room for more than what it begins with: it
 * does not make the next one necessary, and that one the next, though nothing happens. */
static void test_crowd_does_not_churn_chunks(void)
{
    enum { N_WAITING = 3000, N_FLUSHES = 30 };
    struct recorder recorder;
    struct pm_slot **slots = g_new(struct pm_slot *, N_WAITING);
    pm_thread_id *threads = g_new(pm_thread_id, N_WAITING);
    begin(&recorder, "maxsize=4m", NULL);
    for (int i = 0; i < N_WAITING; i++) {
        int64_t tid;
        threads[i] = add_thread(&tid);
        slots[i] = pm_slot_claim(threads[i], tid);
        pm_drain_thread_span(threads[i], pm_clock_now(), 0);
        begin_wait(slots[i], add_blocker(1000 + (uint32_t)i));
    }
    for (int i = 0; i < N_FLUSHES; i++)
        flush();
    struct pm_source source;
    struct pm_reader *reader;
    g_assert_cmpint(pm_source_open(recorder.path, &source, NULL), ==, 0);
    g_assert_cmpint(pm_reader_open(source, &reader, NULL), ==, 0);
    g_assert_cmpuint(pm_reader_n_chunks(reader), <, N_FLUSHES / 3);
    pm_reader_free(reader);
    pm_drain_stop(LONG_NS);
    for (int i = 0; i < N_WAITING; i++) {
        pm_slot_release(slots[i]);
        pm_thread_end(threads[i], pm_clock_now());
    }
    g_free(slots);
    g_free(threads);
    clear(&recorder);
}

/* Which threads a chunk says live. */
static int on_life(void *context, const struct pm_span *span)
{
    if (span->kind == PM_SPAN_THREAD && span->end_ns == 0)
        g_hash_table_add(context, GUINT_TO_POINTER(span->thread.n));
    return 0;
}

/* A chunk stands alone, however many live: the others may be overwritten by then. */
static void check_lives(const char *options, bool flushes)
{
    enum { N_LIVING = 1000, N_CHUNKS = 4 };
    struct recorder recorder;
    pm_thread_id threads[N_LIVING];
    int64_t tid = 0;
    pm_blocker_id blocker = add_blocker(28);
    begin(&recorder, options, NULL);
    for (int i = 0; i < N_LIVING; i++) {
        threads[i] = add_thread(&tid);
        pm_drain_thread_span(threads[i], pm_clock_now(), 0);
    }
    struct pm_slot *slot = pm_slot_claim(threads[N_LIVING - 1], tid);
    struct pm_source source;
    struct pm_reader *reader;
    g_assert_cmpint(pm_source_open(recorder.path, &source, NULL), ==, 0);
    g_assert_cmpint(pm_reader_open(source, &reader, NULL), ==, 0);
    /* The newest may not have told yet, and one is an overview. */
    size_t n = 0;
    while (n < N_CHUNKS + 3) {
        wait_often(slot, blocker, 2000);
        if (flushes)
            flush();
        else
            g_usleep(1000);
        g_assert_cmpint(pm_reader_refresh(reader, NULL), ==, 0);
        n = pm_reader_n_chunks(reader);
    }
    for (size_t i = 0, n_read = 0; n_read < N_CHUNKS; i++) {
        GHashTable *living = g_hash_table_new(NULL, NULL);
        struct pm_visitor visitor = {.context = living, .on_span = on_life};
        if (!pm_reader_chunk(reader, i)->overview) {
            g_assert_cmpint(pm_reader_read_chunk(reader, i, &visitor, NULL, NULL), ==, 0);
            for (int j = 0; j < N_LIVING; j++)
                g_assert_true(g_hash_table_contains(living, GUINT_TO_POINTER(threads[j].n)));
            n_read++;
        }
        g_hash_table_unref(living);
    }
    pm_reader_free(reader);
    pm_drain_stop(LONG_NS);
    for (int i = 0; i < N_LIVING; i++)
        pm_thread_end(threads[i], pm_clock_now());
    clear(&recorder);
}

static void test_every_chunk_tells_who_lives(void)
{
    check_lives("maxsize=16m", true);
}

static void test_chunks_between_flushes_tell_who_lives(void)
{
    check_lives("maxsize=16m,flush=60s", false);
}

static void test_options_change_while_recording(void)
{
    struct recorder recorder;
    struct pm_error_info info = {0};
    struct pm_options options;
    begin(&recorder, "", NULL);
    pm_drain_get_options(&options);
    options.maxsize = 2 << 20;
    options.mintime_ns = 1000;
    int error = pm_drain_set(&options, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    pm_drain_get_options(&options);
    g_assert_cmpint(options.mintime_ns, ==, 1000);
    struct pm_status status;
    pm_drain_get_status(&status);
    g_assert_cmpuint(status.max_size, ==, 2 << 20);
    g_assert_cmpuint(status.file_size, <=, 2 << 20);
    options.stackdepth += 1;
    g_assert_cmpint(pm_drain_set(&options, &info), ==, PM_ERROR_ARGUMENT);
    g_assert_nonnull(strstr(info.text, "maxsize"));
    pm_drain_stop(LONG_NS);
    assert_verified(recorder.path);
    clear(&recorder);
}

/* What fits stays, each time. */
static void test_smaller_file_keeps_its_waits(void)
{
    struct recorder recorder;
    pm_blocker_id blocker = add_blocker(29);
    begin(&recorder, "maxsize=8m", NULL);
    struct pm_slot *slot = claim_slot();
    for (int megabytes = 7; megabytes >= 2; megabytes--) {
        struct pm_options options;
        wait_often(slot, blocker, 500);
        pm_drain_get_options(&options);
        options.maxsize = (uint64_t)megabytes << 20;
        g_assert_cmpint(pm_drain_set(&options, NULL), ==, 0);
    }
    struct content content;
    stop_and_read(&recorder, &content);
    g_assert_cmpuint(g_hash_table_size(content.ended), ==, 6 * 500);
    content_clear(&content);
    clear(&recorder);
}

static void test_failing_disk_does_not_stop_counting(void)
{
    struct recorder recorder;
    pm_blocker_id blocker = add_blocker(30);
    begin(&recorder, "", NULL);
    struct pm_slot *slot = claim_slot();
    wait_often(slot, blocker, 1000);
    flush();

    struct rlimit before = let_writes_fail();
    wait_often(slot, blocker, 1000);
    int flushed = pm_drain_flush(LONG_NS);
    struct pm_status status;
    pm_drain_get_status(&status);
    let_writes_succeed(before);
    g_assert_cmpint(flushed, ==, 0);
    g_assert_nonnull(strstr(status.error, recorder.path));
    g_assert_cmpuint(status.waits, ==, 2000);

    wait_often(slot, blocker, 1000);
    flush();
    pm_drain_get_status(&status);
    g_assert_cmpuint(status.waits, ==, 3000);
    g_assert_cmpstr(status.error, ==, "");
    g_assert_cmpuint(status.dropped, >, 0);
    struct content content;
    stop_and_read(&recorder, &content);
    g_assert_cmpint(counters_of(&content, blocker, 0)->times, ==, 3000);
    g_assert_cmpuint(g_hash_table_size(content.ended), >=, 2000);
    int64_t gap_waits = 0;
    for (guint i = 0; i < content.gaps->len; i++) {
        struct pm_gap gap = g_array_index(content.gaps, struct pm_gap, i);
        g_assert_cmpint(gap.reason, ==, PM_GAP_WRITE);
        gap_waits += gap.waits;
    }
    g_assert_cmpint(gap_waits, ==, 3000 - (int64_t)g_hash_table_size(content.ended));
    content_clear(&content);
    clear(&recorder);
}

/* A chunk whose waits are not all stored tells the counters before it ends, as with filters. */
static void test_losses_are_in_counters_soon(void)
{
    struct recorder recorder;
    int64_t times = 0;
    pm_blocker_id blocker = add_blocker(31);
    begin(&recorder, "snapshot=1s", NULL);
    struct pm_slot *slot = claim_slot();
    struct rlimit before = let_writes_fail();
    wait_often(slot, blocker, 1000);
    int flushed = pm_drain_flush(LONG_NS);
    let_writes_succeed(before);
    g_assert_cmpint(flushed, ==, 0);
    for (guint i = 0; i < 1200 && times < 1000; i++) {
        struct content content;
        g_usleep(50000);
        flush();
        read_content(recorder.path, &content);
        times = counters_of(&content, blocker, 0)->times;
        content_clear(&content);
    }
    g_assert_cmpint(times, ==, 1000);
    pm_drain_stop(LONG_NS);
    clear(&recorder);
}

/* What stands still since the disk failed is told once it works. */
static void test_wait_in_progress_outlives_a_failing_disk(void)
{
    struct recorder recorder;
    pm_blocker_id blocker = add_blocker(32);
    begin(&recorder, "flush=60s", NULL);
    flush();
    struct pm_slot *slot = claim_slot();
    struct rlimit before = let_writes_fail();
    struct key key = {pm_slot_thread(slot).n, begin_wait(slot, blocker)};
    int flushed = pm_drain_flush(LONG_NS);
    let_writes_succeed(before);
    g_assert_cmpint(flushed, ==, 0);
    flush();
    struct content content;
    read_content(recorder.path, &content);
    g_assert_true(g_hash_table_contains(content.progress, &key));
    content_clear(&content);
    pm_drain_stop(LONG_NS);
    clear(&recorder);
}

/* Sums over the file that is there at the end: whatever became of the others, every wait was
 * counted, and is stored or told as missing. */
static void assert_all_is_told(const struct recorder *recorder, const struct worker *workers,
                               const pm_blocker_id *blockers, size_t n_blockers)
{
    struct content content;
    int64_t n_done = 0, times = 0, not_stored = 0, filtered = 0, missing = 0;
    assert_verified(recorder->path);
    read_content(recorder->path, &content);
    for (int i = 0; i < N_WORKERS; i++)
        n_done += workers[i].done->len;
    for (size_t b = 0; b < n_blockers; b++) {
        for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
            const struct pm_counters *counters = counters_of(&content, blockers[b], kind);
            times += counters->times;
            not_stored += counters->not_stored;
            g_assert_cmpuint(counters->now, ==, 0);
            g_assert_false(counters->bound);
        }
    }
    for (guint i = 0; i < content.gaps->len; i++) {
        const struct pm_gap *gap = &g_array_index(content.gaps, struct pm_gap, i);
        g_assert_true(gap->reason == PM_GAP_WRITE || gap->reason == PM_GAP_MINTIME);
        *(gap->reason == PM_GAP_WRITE ? &missing : &filtered) += gap->waits;
    }
    g_assert_cmpint(times, ==, n_done);
    g_assert_cmpint(filtered, ==, not_stored);
    g_assert_cmpint(g_hash_table_size(content.ended) + missing + filtered, ==, n_done);
    g_assert_cmpint(missing, >, 0);
    content_clear(&content);
}

static guint64 inode_behind(int fd)
{
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* Under load the file is removed again and again, and for a while no new one can be made. */
static void run_without_its_file(const char *options)
{
    struct recorder recorder;
    struct worker workers[N_WORKERS];
    pm_blocker_id blockers[] = {add_blocker(40), add_blocker(41)};
    struct pm_status status;
    GStatBuf found;
    _Atomic bool stop = false;
    begin(&recorder, options, NULL);
    start_workers(workers, blockers, 2, 0, &stop);
    for (guint i = 0; i < 4; i++) {
        g_usleep(50000);
        g_assert_cmpint(g_unlink(recorder.path), ==, 0);
        flush();
        int fd = pm_drain_open_fd();
        g_assert_cmpint(g_stat(recorder.path, &found), ==, 0);
        g_assert_cmpuint(inode_behind(fd), ==, found.st_ino);
        close(fd);
    }
    pm_drain_get_status(&status);
    g_assert_cmpuint(status.files, ==, 5);
    g_assert_true(status.storing);
    g_assert_cmpstr(status.error, ==, "");
    g_assert_nonnull(strstr(status.warning, "removed"));
    uint64_t dropped = status.dropped;

    g_assert_cmpint(g_unlink(recorder.path), ==, 0);
    g_assert_cmpint(g_mkdir(recorder.path, 0700), ==, 0);
    for (guint i = 0; i < 10; i++) {
        g_usleep(20000);
        flush();
        g_assert_cmpint(pm_drain_open_fd(), <, 0);
    }
    struct pm_options changed;
    pm_drain_get_options(&changed);
    changed.maxsize = 16 << 20;
    g_assert_cmpint(pm_drain_set(&changed, NULL), ==, 0);
    pm_drain_get_status(&status);
    g_assert_false(status.storing);
    g_assert_cmpuint(status.dropped, >, dropped);
    g_assert_nonnull(strstr(status.error, "not a regular file"));
    g_assert_cmpint(g_rmdir(recorder.path), ==, 0);
    for (guint i = 0; i < 600 && !status.storing; i++) {
        g_usleep(100000);
        pm_drain_get_status(&status);
    }
    g_assert_true(status.storing);
    g_usleep(50000);
    stop = true;
    join_workers(workers);
    pm_drain_stop(LONG_NS);
    g_assert_cmpint(g_stat(recorder.path, &found), ==, 0);
    g_assert_cmpint(found.st_size, <=, 16 << 20);
    assert_all_is_told(&recorder, workers, blockers, 2);
    clear_workers(workers);
    clear(&recorder);
}

static void test_removed_file_is_followed_by_another(void)
{
    run_without_its_file("maxsize=64m");
}

static void test_gaps_outlive_a_removed_file(void)
{
    run_without_its_file("maxsize=64m,mintime=50us,flush=100ms");
}

/* Whatever became of its mode, and of this process's rights. */
static void test_unreadable_file_is_dumped(void)
{
    struct recorder recorder;
    char magic[5];
    begin(&recorder, "", NULL);
    g_assert_cmpint(g_chmod(recorder.path, 0), ==, 0);
    bool root = geteuid() == 0;
    g_assert_cmpint(root ? seteuid(65534) : 0, ==, 0);
    int fd = pm_drain_open_fd();
    g_assert_cmpint(root ? seteuid(0) : 0, ==, 0);
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(pread(fd, magic, 5, 0), ==, 5);
    g_assert_cmpmem(magic, 5, "\x89PARK", 5);
    close(fd);
    pm_drain_stop(LONG_NS);
    clear(&recorder);
}

/* A blocker that goes while there is no file is in the counters of the next, and so is one whose
 * last counters were in the file that is lost. */
static void test_gone_blocker_waits_for_the_next_file(void)
{
    struct recorder recorder;
    pm_blocker_id collected[20];
    begin(&recorder, "", NULL);
    struct pm_slot *slot = claim_slot();
    for (guint i = 0; i < 20; i++) {
        if (i == 10) {
            g_assert_cmpint(g_unlink(recorder.path), ==, 0);
            g_assert_cmpint(g_mkdir(recorder.path, 0700), ==, 0);
        }
        collected[i] = add_blocker(200 + i);
        wait_often(slot, collected[i], 2);
        pm_blocker_leave(collected[i], PM_BLOCKER_COLLECTED);
        flush();
    }
    g_assert_cmpint(g_rmdir(recorder.path), ==, 0);
    struct content content;
    stop_and_read(&recorder, &content);
    g_assert_cmpuint(g_hash_table_size(content.ended), ==, 0);
    for (guint i = 0; i < 20; i++)
        g_assert_cmpint(counters_of(&content, collected[i], 0)->times, ==, 2);
    content_clear(&content);
    clear(&recorder);
}

/* Waits in progress are in the new file too, and their ends find them. */
static void test_wait_in_progress_is_in_the_next_file(void)
{
    struct recorder recorder;
    pm_blocker_id blocker = add_blocker(42);
    begin(&recorder, "", NULL);
    struct pm_slot *slot = claim_slot();
    struct key key = {pm_slot_thread(slot).n, begin_wait(slot, blocker)};
    flush();
    g_autofree char *other = g_strconcat(recorder.path, ".other", NULL);
    g_assert_cmpint(g_rename(recorder.path, other), ==, 0);
    flush();
    struct content content;
    for (guint i = 0; i < 2; i++) {
        read_content(i == 0 ? other : recorder.path, &content);
        g_assert_true(g_hash_table_contains(content.progress, &key));
        g_assert_false(g_hash_table_contains(content.ended, &key));
        content_clear(&content);
    }
    pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    pm_drain_stop(LONG_NS);
    assert_verified(other);
    read_verified(recorder.path, &content);
    g_assert_true(g_hash_table_contains(content.ended, &key));
    g_assert_cmpint(counters_of(&content, blocker, 0)->times, ==, 1);
    content_clear(&content);
    clear(&recorder);
}

static void test_report_is_printed_at_the_end(void)
{
    struct recorder recorder;
    prepare(&recorder, "printminparks=2", NULL);
    char *report = g_build_filename(recorder.folder, "report.txt", NULL);
    g_strlcpy(recorder.options.report, report, sizeof(recorder.options.report));
    g_assert_cmpint(start(&recorder, NULL), ==, 0);
    struct pm_slot *slot = claim_slot();
    struct pm_blocker blocker = {.hash = 0xabc, .first_thread = pm_slot_thread(slot)};
    wait_often(slot, add_blocker(0xdef), 1);
    wait_often(slot, pm_blocker_add(&blocker), 2);
    pm_drain_stop(LONG_NS);
    char *text;
    g_assert_true(g_file_get_contents(report, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, "2 blockers, 3 waits"));
    g_assert_nonnull(strstr(text, "(none) 00000abc  park"));
    g_assert_nonnull(strstr(text, "Times parked                             2\n"));
    g_assert_nonnull(strstr(text, "worker-"));
    g_assert_null(strstr(text, "00000def"));
    g_assert_nonnull(strstr(text, "1 blocker parked on less than 2 times is left out"));
    g_free(text);
    g_free(report);
    clear(&recorder);
}

static void test_recorder_without_a_file_can_be_started_again(void)
{
    struct recorder recorder;
    struct pm_error_info info = {0};
    prepare(&recorder, "", NULL);
    g_strlcpy(recorder.options.file, "/dev/null", sizeof(recorder.options.file));
    g_assert_cmpint(start(&recorder, &info), <, 0);
    g_assert_nonnull(strstr(info.text, "/dev/null"));
    g_assert_false(pm_gate_open());
    g_assert_null(pm_drain_facts());
    g_assert_cmpint(pm_drain_flush(LONG_NS), ==, PM_ERROR_IO);
    g_strlcpy(recorder.options.file, recorder.path, sizeof(recorder.options.file));
    g_assert_cmpint(start(&recorder, &info), ==, 0);
    flush();
    pm_drain_stop(LONG_NS);
    assert_verified(recorder.path);
    clear(&recorder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_tables_init(), ==, 0);
    /* First, while there is one thread: it forks. */
    g_test_add_func("/agent/drain/killed-recorder-leaves-its-waits",
                    test_killed_recorder_leaves_its_waits);
    g_test_add_data_func("/agent/drain/every-wait-is-in-the-file", NULL,
                         test_every_wait_is_in_the_file);
    g_test_add_data_func("/agent/drain/every-virtual-threads-wait-is-in-the-file",
                         GINT_TO_POINTER(100), test_every_wait_is_in_the_file);
    g_test_add_func("/agent/drain/wait-in-progress-is-in-the-file",
                    test_wait_in_progress_is_in_the_file);
    g_test_add_data_func("/agent/drain/stop-and-start-lose-and-double-nothing", NULL,
                         test_stop_and_start_lose_and_double_nothing);
    g_test_add_data_func("/agent/drain/stop-and-start-lose-and-double-nothing-of-virtual-threads",
                         GINT_TO_POINTER(100), test_stop_and_start_lose_and_double_nothing);
    g_test_add_func("/agent/drain/stop-cuts-and-start-begins-anew",
                    test_stop_cuts_and_start_begins_anew);
    g_test_add_func("/agent/drain/mintime-counts-what-it-does-not-store",
                    test_mintime_counts_what_it_does_not_store);
    g_test_add_func("/agent/drain/minparks-counts-what-it-does-not-store",
                    test_minparks_counts_what_it_does_not_store);
    g_test_add_func("/agent/drain/events-off-counts-everything", test_events_off_counts_everything);
    g_test_add_data_func("/agent/drain/full-buffers-lose-no-time", NULL,
                         test_full_buffers_lose_no_time);
    g_test_add_data_func("/agent/drain/full-buffers-and-slots-lose-no-time-of-virtual-threads",
                         GINT_TO_POINTER(150), test_full_buffers_lose_no_time);
    g_test_add_func("/agent/drain/full-buffers-count-a-cut-wait-once",
                    test_full_buffers_count_a_cut_wait_once);
    g_test_add_func("/agent/drain/collected-blocker-leaves-its-counters",
                    test_gone_blocker_leaves_its_counters);
    g_test_add_func("/agent/drain/one-park-blockers-share-a-row",
                    test_one_park_blockers_share_a_row);
    g_test_add_func("/agent/drain/owner-is-sampled-at-dump", test_owner_is_sampled_at_dump);
    g_test_add_func("/agent/drain/samples-keep-no-step", test_samples_keep_no_step);
    g_test_add_func("/agent/drain/ticks-keep-no-step", test_ticks_keep_no_step);
    g_test_add_func("/agent/drain/deadlock-is-counted", test_deadlock_is_counted);
    g_test_add_func("/agent/drain/spans-are-in-the-file", test_spans_are_in_the_file);
    g_test_add_func("/agent/drain/a-crowd-does-not-churn-chunks", test_crowd_does_not_churn_chunks);
    g_test_add_func("/agent/drain/every-chunk-tells-who-lives", test_every_chunk_tells_who_lives);
    g_test_add_func("/agent/drain/chunks-between-flushes-tell-who-lives",
                    test_chunks_between_flushes_tell_who_lives);
    g_test_add_func("/agent/drain/options-change-while-recording",
                    test_options_change_while_recording);
    g_test_add_func("/agent/drain/smaller-file-keeps-its-waits", test_smaller_file_keeps_its_waits);
    g_test_add_func("/agent/drain/failing-disk-does-not-stop-counting",
                    test_failing_disk_does_not_stop_counting);
    g_test_add_func("/agent/drain/losses-are-in-counters-soon", test_losses_are_in_counters_soon);
    g_test_add_func("/agent/drain/wait-in-progress-outlives-a-failing-disk",
                    test_wait_in_progress_outlives_a_failing_disk);
    g_test_add_func("/agent/drain/removed-file-is-followed-by-another",
                    test_removed_file_is_followed_by_another);
    g_test_add_func("/agent/storage/gaps-outlive-a-removed-file", test_gaps_outlive_a_removed_file);
    g_test_add_func("/agent/drain/unreadable-file-is-dumped", test_unreadable_file_is_dumped);
    g_test_add_func("/agent/drain/collected-blocker-waits-for-the-next-file",
                    test_gone_blocker_waits_for_the_next_file);
    g_test_add_func("/agent/drain/wait-in-progress-is-in-the-next-file",
                    test_wait_in_progress_is_in_the_next_file);
    g_test_add_func("/agent/drain/report-is-printed-at-the-end", test_report_is_printed_at_the_end);
    g_test_add_func("/agent/drain/recorder-without-a-file-can-be-started-again",
                    test_recorder_without_a_file_can_be_started_again);
    return g_test_run();
}

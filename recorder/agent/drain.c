#include "recorder/agent/drain.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#include "recorder/agent/chain.h"
#include "recorder/agent/deadlock.h"
#include "recorder/agent/file.h"
#include "recorder/agent/follow.h"
#include "recorder/agent/gate.h"
#include "recorder/agent/ledger.h"
#include "recorder/agent/native-thread.h"
#include "recorder/agent/print.h"
#include "recorder/agent/ring.h"
#include "recorder/agent/sampler.h"
#include "recorder/agent/slot.h"
#include "recorder/agent/tables.h"

#define TICK_NS         100000000
#define SHORT_TICK_NS   4000000
#define WAITS_PER_TICK  4096      /* more than that, and the next tick comes sooner */
#define MANY_PAGES      128       /* of buffers filled since the last tick: it comes at once */
#define MAX_ROUNDS      64        /* in one tick, while buffers are not empty */
#define MAX_PENDING     2000000   /* edges; beyond, the watermark is not held back any more */
#define DEADLOCK_AGE_NS 100000000 /* a cycle of younger waits may be one of stale owners */
#define TIDY_NS         1000000000
#define STALE_AGE_NS    1000000000 /* a wait this old is shown whatever the filters say */
#define MAX_GONE        8192       /* blockers kept for the chunk's END snapshot */
#define GONE_AT_ONCE    1024
#define FOLD_ABOVE      1024 /* cells; beyond, blockers parked on once share rows in snapshots */
#define FOLD_ALL_ABOVE  8192 /* … and in the ledger */

/* A blocker whose object is gone. */
struct gone {
    pm_blocker_id blocker;
    uint64_t tick;  /* as it was told */
    uint64_t chunk; /* that holds its last counters; 0 = none yet */
    bool folded;    /* they are in another's now */
};

struct gap_sum {
    int64_t begin_ns, end_ns, waits, thread_time_ns;
};

struct rows {
    struct pm_counters *rows;
    size_t n, capacity;
};

/* Rows on their way to the writer. */
struct scratch {
    struct pm_wait *waits;
    size_t wait_capacity;
    struct rows rows;
};

enum request_what {
    REQUEST_NONE = 0,
    REQUEST_FLUSH,
    REQUEST_RECORD,
    REQUEST_SET,
    REQUEST_WISHES,
    REQUEST_PRINT,
};

static struct {
    /* Set before the thread starts, then only read. */
    struct pm_facts facts;
    char *facts_text; /* kept after the end: who answers a client may be reading it */
    char path[PM_OPTIONS_PATH_MAX + 64];
    int fd;
    pthread_t thread;

    /* The drain thread's own. */
    struct pm_sink file_sink; /* inside the one the writer was given */
    struct pm_writer *writer;
    struct pm_ledger *ledger;
    struct pm_follower follower;
    uint64_t tick;  /* that left no buffer with anything in it; counted */
    size_t n_taken; /* ended waits in the last tick */
    uint64_t chunk;
    int64_t next_flush_ns, next_snapshot_ns, next_tidy_ns;
    int64_t chunk_base_ns, snapshot_base_ns; /* ledger's instants */
    bool hidden_shown_end;                   /* a shown wait ended and was not stored */
    bool dropped_since_snapshot;
    bool ending;
    uint64_t n_waits, n_dropped;
    bool lives_due;      /* this chunk has not been told yet which threads live */
    uint64_t lost_waits; /* as last seen */
    struct gap_sum gaps[PM_N_GAP_REASONS];
    struct gone *gone;
    size_t n_gone, gone_capacity;
    struct scratch scratch[2]; /* [1]: inside the writer's callbacks, while it may read [0] */
    bool in_callback;
    uint64_t spans_lost_seen;

    /* Shared, under `lock`. */
    pthread_mutex_t lock;
    pthread_cond_t wake; /* of the drain */
    pthread_cond_t done; /* of who asked, or waits to ask */
    bool asked;          /* one request at a time */
    bool runs, stopping, ended;
    enum request_what request;
    bool request_on;
    struct pm_options request_options;
    uint64_t request_number, answer_number;
    int answer;
    struct pm_error_info answer_info;
    struct pm_options options;
    struct pm_drain_status status;
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    size_t n_wishes;
    int disk_errno;

    struct pm_ring ring;
    _Atomic uint64_t spans_lost;
    _Atomic bool hurried;
} drain = {.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* -- the file, and what goes wrong with it -- */

static void note_result(int error)
{
    if (error == 0) {
        return;
    }
    pthread_mutex_lock(&drain.lock);
    if (error == PM_ERROR_IO && drain.disk_errno) {
        snprintf(drain.status.error, sizeof(drain.status.error), "cannot write %.100s: %.60s",
                 drain.path, strerror(drain.disk_errno));
    } else {
        snprintf(drain.status.error, sizeof(drain.status.error), "cannot write %.100s: %s",
                 drain.path, pm_error_name(error));
    }
    pthread_mutex_unlock(&drain.lock);
}

static int sink_write_at(void *context, uint64_t offset, const void *bytes, size_t size)
{
    errno = 0;
    int error = drain.file_sink.write_at(drain.file_sink.context, offset, bytes, size);
    drain.disk_errno = error ? errno : 0;
    return error;
}

/* For a smaller maxsize: what fits moves. */
static int sink_read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    return drain.file_sink.read_at(drain.file_sink.context, offset, bytes, size);
}

static int sink_allocate(void *context, uint64_t size)
{
    errno = 0;
    int error = drain.file_sink.allocate(drain.file_sink.context, size);
    drain.disk_errno = error ? errno : 0;
    return error;
}

static int sink_truncate(void *context, uint64_t size)
{
    errno = 0;
    int error = drain.file_sink.truncate(drain.file_sink.context, size);
    drain.disk_errno = error ? errno : 0;
    return error;
}

static void sink_close(void *context)
{
    drain.file_sink.close(drain.file_sink.context);
}

/* -- gaps -- */

static void add_gap(enum pm_gap_reason reason, int64_t begin_ns, int64_t end_ns, int64_t waits,
                    int64_t thread_time_ns)
{
    struct gap_sum *gap = &drain.gaps[reason];
    if (gap->waits == 0 && gap->thread_time_ns == 0) {
        *gap = (struct gap_sum){begin_ns, end_ns, 0, 0};
    }
    gap->begin_ns = begin_ns < gap->begin_ns ? begin_ns : gap->begin_ns;
    gap->end_ns = end_ns > gap->end_ns ? end_ns : gap->end_ns;
    gap->waits += waits;
    gap->thread_time_ns += thread_time_ns;
}

static void write_gaps(void)
{
    for (int reason = 0; reason < PM_N_GAP_REASONS; reason++) {
        struct gap_sum *sum = &drain.gaps[reason];
        if (sum->waits > 0 || sum->thread_time_ns > 0) {
            struct pm_gap gap = {sum->begin_ns, sum->end_ns, (uint8_t)reason, sum->waits,
                                 sum->thread_time_ns};
            *sum = (struct gap_sum){0};
            note_result(pm_writer_add_gap(drain.writer, &gap));
        }
    }
}

/* -- ended waits -- */

/* Stores an ended wait, or says why not. `shown`: a progress block of this chunk holds it. */
static void store(const struct pm_wait *wait, bool shown)
{
    drain.n_waits++;
    const struct pm_options *options = &drain.options;
    enum pm_gap_reason reason;
    if (!options->events) {
        reason = PM_GAP_EVENTS_OFF;
    } else if (wait->duration_ns < options->mintime_ns) {
        reason = PM_GAP_MINTIME;
    } else if (options->minparks > 0 &&
               pm_ledger_arrivals(drain.ledger, wait->blocker, wait->kind) < options->minparks) {
        reason = PM_GAP_MINPARKS;
    } else if (!options->idle && pm_chain_is_idle(wait->chain)) {
        reason = PM_GAP_IDLE;
    } else {
        note_result(pm_writer_add_wait(drain.writer, wait));
        return;
    }
    pm_ledger_not_stored(drain.ledger, wait->blocker, wait->kind, wait->duration_ns);
    add_gap(reason, wait->begin_ns, wait->begin_ns + wait->duration_ns, 1, wait->duration_ns);
    drain.hidden_shown_end |= shown;
}

static void note_lost(bool shown)
{
    drain.hidden_shown_end |= shown;
}

static void note_overflow(const struct pm_overflow *overflow)
{
    add_gap(overflow->no_slot ? PM_GAP_NO_SLOT : PM_GAP_BUFFER_FULL, overflow->first_begin_ns,
            overflow->last_end_ns, overflow->waits, overflow->thread_time_ns);
    drain.n_waits += (uint64_t)overflow->waits;
    drain.n_dropped += (uint64_t)overflow->waits;
    drain.dropped_since_snapshot = true;
}

/* -- progress -- */

static bool is_worth_showing(const struct pm_follow *follow)
{
    if (!follow->open) {
        return false;
    }
    const struct pm_options *options = &drain.options;
    if (!options->idle && pm_chain_is_idle(follow->wait.chain)) {
        return false;
    }
    int64_t age_ns = drain.follower.now_ns - follow->wait.begin_ns;
    if (age_ns >= STALE_AGE_NS) {
        return true;
    }
    return options->events && age_ns >= options->mintime_ns &&
           (options->minparks == 0 || pm_ledger_arrivals(drain.ledger, follow->wait.blocker,
                                                         follow->wait.kind) >= options->minparks);
}

/* Waits in progress that this chunk does not hold yet; all of them when `complete`. */
static void write_progress(struct pm_writer *writer, bool complete)
{
    struct scratch *scratch = &drain.scratch[drain.in_callback];
    if (scratch->wait_capacity < drain.follower.n) {
        struct pm_wait *more =
            realloc(scratch->waits, drain.follower.capacity * sizeof(*scratch->waits));
        if (!more) {
            return;
        }
        scratch->waits = more;
        scratch->wait_capacity = drain.follower.capacity;
    }
    size_t n = 0;
    for (size_t i = 0; i < drain.follower.n; i++) {
        struct pm_follow *follow = &drain.follower.slots[i];
        if (!is_worth_showing(follow) || (follow->shown && !complete)) {
            continue;
        }
        scratch->waits[n++] = pm_follower_open_wait(&drain.follower, follow);
        follow->shown = true;
    }
    if (n > 0 || complete) {
        note_result(
            pm_writer_add_progress(writer, scratch->waits, n, complete, drain.follower.now_ns));
    }
}

/* -- snapshots -- */

static int add_row(void *context, const struct pm_counters *counters)
{
    struct rows *rows = context;
    if (rows->n == rows->capacity) {
        size_t capacity = rows->capacity ? rows->capacity * 2 : 64;
        struct pm_counters *more = realloc(rows->rows, capacity * sizeof(*more));
        if (!more) {
            return PM_ERROR_MEMORY;
        }
        rows->rows = more;
        rows->capacity = capacity;
    }
    rows->rows[rows->n++] = *counters;
    return 0;
}

static void tell_ages(void)
{
    int64_t swept_ns = pm_ledger_swept_ns(drain.ledger);
    for (size_t i = 0; i < drain.follower.n; i++) {
        const struct pm_follow *follow = &drain.follower.slots[i];
        /* Before the first sweep that instant is no time at all. */
        if (follow->open && swept_ns > follow->wait.begin_ns) {
            pm_ledger_age(drain.ledger, follow->wait.blocker, follow->wait.kind,
                          swept_ns - follow->wait.begin_ns);
        }
    }
}

static int64_t snapshot_ns(void)
{
    int64_t swept_ns = pm_ledger_swept_ns(drain.ledger);
    return swept_ns > drain.facts.begin_ns ? swept_ns : drain.facts.begin_ns;
}

static void write_snapshot(struct pm_writer *writer, enum pm_snapshot_place place, int64_t since_ns)
{
    struct rows *rows = &drain.scratch[drain.in_callback].rows;
    tell_ages();
    rows->n = 0;
    struct pm_ledger_telling telling = {.since_ns = since_ns,
                                        .with_gone = place != PM_SNAPSHOT_BASE,
                                        .fold_above = FOLD_ABOVE,
                                        .fold_of = pm_tables_blocker_fold,
                                        .each = add_row,
                                        .context = rows};
    note_result(pm_ledger_tell(drain.ledger, &telling));
    if (rows->n > 0 || place == PM_SNAPSHOT_BASE) {
        note_result(pm_writer_add_snapshot(writer, place, snapshot_ns(), rows->rows, rows->n));
    }
}

static bool is_all_stored(void)
{
    const struct pm_options *options = &drain.options;
    return options->events && options->mintime_ns == 0 && options->minparks == 0 && options->idle &&
           !drain.dropped_since_snapshot;
}

/* -- chunks -- */

static void write_living_threads(struct pm_writer *writer)
{
    struct pm_span span = {.kind = PM_SPAN_THREAD};
    int64_t end_ns;
    for (uint32_t i = 0; pm_tables_visit_thread(i, &span.thread, &span.begin_ns, &end_ns); i++) {
        if (span.thread.n && end_ns == 0) {
            note_result(pm_writer_add_span(writer, &span));
        }
    }
}

static void write_stopped(struct pm_writer *writer)
{
    if (!drain.follower.recording) {
        struct pm_span span = {PM_SPAN_STOPPED, {0}, drain.follower.off_since_ns, 0};
        note_result(pm_writer_add_span(writer, &span));
    }
}

static int on_chunk_begin(void *context, struct pm_writer *writer)
{
    if (drain.in_callback) {
        return 0; /* what was to open a chunk filled it */
    }
    drain.in_callback = true;
    drain.chunk++;
    for (size_t i = 0; i < drain.follower.n; i++) {
        drain.follower.slots[i].shown = false;
    }
    drain.hidden_shown_end = false;
    write_progress(writer, true);
    drain.chunk_base_ns = pm_ledger_swept_ns(drain.ledger);
    write_snapshot(writer, PM_SNAPSHOT_BASE, INT64_MIN);
    write_stopped(writer);
    drain.lives_due = true; /* more than a chunk that opens takes at once */
    drain.in_callback = false;
    return 0;
}

static int on_chunk_end(void *context, struct pm_writer *writer)
{
    if (drain.in_callback) {
        return 0;
    }
    drain.in_callback = true;
    write_snapshot(writer, PM_SNAPSHOT_END, drain.chunk_base_ns);
    drain.in_callback = false;
    return 0;
}

/* -- blockers whose object is gone -- */

static void take_gone(void)
{
    pm_blocker_id ids[GONE_AT_ONCE];
    size_t n;
    do {
        n = pm_tables_take_gone_blockers(ids, GONE_AT_ONCE);
        if (drain.n_gone + n > drain.gone_capacity) {
            size_t capacity = drain.gone_capacity ? drain.gone_capacity * 2 : 2 * GONE_AT_ONCE;
            struct gone *more = realloc(drain.gone, capacity * sizeof(*more));
            if (!more) {
                return;
            }
            drain.gone = more;
            drain.gone_capacity = capacity;
        }
        for (size_t i = 0; i < n; i++) {
            drain.gone[drain.n_gone++] = (struct gone){.blocker = ids[i], .tick = drain.tick};
        }
    } while (n == GONE_AT_ONCE);
}

static void tell_renamed(void)
{
    pm_thread_id ids[64];
    size_t n = pm_tables_take_renamed_threads(ids, 64);
    for (size_t i = 0; i < n; i++) {
        pm_writer_redefine_thread(drain.writer, ids[i]);
    }
}

/* Writes the last counters of those that left. */
static void write_gone(void)
{
    struct rows *rows = &drain.scratch[0].rows;
    const struct pm_ledger_telling telling = {.fold_above = FOLD_ABOVE,
                                              .fold_of = pm_tables_blocker_fold};
    rows->n = 0;
    for (size_t i = 0; i < drain.n_gone; i++) {
        struct gone *gone = &drain.gone[i];
        /* Its last waits were in buffers at the latest when it was told to be gone; two ticks
         * later they are swept. */
        if (gone->chunk || drain.tick < gone->tick + 2 ||
            !pm_ledger_is_settled(drain.ledger, gone->blocker)) {
            continue;
        }
        gone->chunk = drain.chunk;
        gone->folded = pm_ledger_fold(drain.ledger, gone->blocker, &telling);
        if (gone->folded) {
            continue;
        }
        pm_writer_redefine_blocker(drain.writer, gone->blocker);
        for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
            struct pm_counters counters;
            if (pm_ledger_get(drain.ledger, gone->blocker, kind, &counters)) {
                note_result(add_row(rows, &counters));
            }
        }
        pm_ledger_mark_gone(drain.ledger, gone->blocker);
    }
    if (rows->n > 0) {
        note_result(pm_writer_add_snapshot(drain.writer, PM_SNAPSHOT_PERIODIC, snapshot_ns(),
                                           rows->rows, rows->n));
    }
}

/* After a flush nothing gathered mentions them any more. The chunk's END snapshot should tell them
 * too, so they are kept until then unless they are too many. */
static void forget_gone(void)
{
    bool too_many = drain.n_gone > MAX_GONE;
    size_t n_left = 0;
    for (size_t i = 0; i < drain.n_gone; i++) {
        const struct gone *gone = &drain.gone[i];
        if (gone->chunk && (gone->folded || too_many || gone->chunk < drain.chunk)) {
            pm_ledger_forget(drain.ledger, gone->blocker);
            pm_tables_blocker_forget(gone->blocker);
        } else {
            drain.gone[n_left++] = *gone;
        }
    }
    drain.n_gone = n_left;
}

/* -- owners -- */

static void take_samples(void)
{
    struct pm_owner_sample samples[64];
    size_t n;
    do {
        n = pm_sampler_take(samples, sizeof(samples) / sizeof(samples[0]));
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < drain.follower.n; j++) {
                struct pm_follow *follow = &drain.follower.slots[j];
                if (follow->open && follow->wait.blocker.n == samples[i].blocker.n &&
                    follow->wait.begin_ns <= samples[i].at_ns) {
                    follow->owner = samples[i].owner;
                    follow->owner_known = true;
                }
            }
            if (samples[i].owner.n) {
                note_result(pm_writer_add_owner_sample(drain.writer, &samples[i]));
            }
        }
    } while (n == sizeof(samples) / sizeof(samples[0]));
}

static bool has_wish_for(const struct pm_sample_wish *wishes, size_t n, pm_blocker_id blocker)
{
    for (size_t i = 0; i < n; i++) {
        if (wishes[i].blocker.n == blocker.n) {
            return true;
        }
    }
    return false;
}

/* A monitor has an owner even when it could not be read as the wait began. */
static bool may_have_owner(const struct pm_raw_wait *wait)
{
    return wait->owner.n != 0 || wait->kind == PM_KIND_ENTER;
}

/* `all`: every wait in progress, those with an owner first; else one for each blocker whose waits
 * are old enough and have an owner. */
static size_t gather_wishes(struct pm_sample_wish *ret_wishes, bool all)
{
    size_t n = 0;
    for (int pass = 0; pass < (all ? 2 : 1); pass++) {
        for (size_t i = 0; i < drain.follower.n && n < PM_SAMPLER_MAX_WISHES; i++) {
            const struct pm_follow *follow = &drain.follower.slots[i];
            if (!follow->open || may_have_owner(&follow->wait) != (pass == 0)) {
                continue;
            }
            if (!all && (drain.follower.now_ns - follow->wait.begin_ns < PM_SAMPLER_AGE_NS ||
                         has_wish_for(ret_wishes, n, follow->wait.blocker))) {
                continue;
            }
            ret_wishes[n++] = (struct pm_sample_wish){follow->thread, follow->wait.blocker,
                                                      follow->wait.owner, follow->wait.kind};
        }
    }
    return n;
}

static uint32_t count_deadlocks(void)
{
    struct pm_deadlock_edge *edges = NULL;
    size_t n = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < drain.follower.n; i++) {
        const struct pm_follow *follow = &drain.follower.slots[i];
        if (!follow->open || follow->owner.n == 0 ||
            drain.follower.now_ns - follow->wait.begin_ns < DEADLOCK_AGE_NS) {
            continue;
        }
        if (n == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            struct pm_deadlock_edge *more = realloc(edges, capacity * sizeof(*more));
            if (!more) {
                break;
            }
            edges = more;
        }
        edges[n++] = (struct pm_deadlock_edge){follow->thread, follow->owner};
    }
    uint32_t n_cycles = pm_deadlock_count(edges, n);
    free(edges);
    return n_cycles;
}

/* -- a tick -- */

static void take_spans(void)
{
    struct pm_span span;
    while (pm_ring_take(&drain.ring, &span)) {
        note_result(pm_writer_add_span(drain.writer, &span));
    }
    uint64_t lost = atomic_load_explicit(&drain.spans_lost, memory_order_relaxed);
    if (lost != drain.spans_lost_seen) {
        drain.spans_lost_seen = lost;
        write_living_threads(drain.writer);
    }
}

/* Buffers fill: a burst is not left to grow for a whole tick. On the thread that filled a page, so
 * no lock: should the drain just be about to wait, it misses this and the tick comes when it is
 * due. */
static void hurry(void)
{
    atomic_store_explicit(&drain.hurried, true, memory_order_relaxed);
    pthread_cond_signal(&drain.wake);
}

static void tick(void)
{
    take_gone();
    int rounds = 0;
    drain.n_taken = 0;
    do {
        int64_t watermark_ns = pm_follower_tick(&drain.follower);
        drain.n_taken += drain.follower.n_taken;
        if (pm_ledger_n_pending(drain.ledger) > MAX_PENDING) {
            watermark_ns = drain.follower.previous_ns;
        }
        pm_ledger_sweep(drain.ledger, watermark_ns);
        if (pm_ledger_n_cells(drain.ledger) > FOLD_ALL_ABOVE) {
            const struct pm_ledger_telling telling = {.fold_above = FOLD_ALL_ABOVE / 2,
                                                      .fold_of = pm_tables_blocker_fold};
            pm_ledger_fold_all(drain.ledger, drain.follower.previous_ns, &telling);
        }
    } while (drain.follower.more && ++rounds < MAX_ROUNDS);
    pm_slot_pool_watch(MANY_PAGES, hurry);
    if (drain.ending) {
        pm_ledger_sweep(drain.ledger, pm_clock_now() + 1);
    }
    drain.tick += !drain.follower.more;

    take_spans();
    take_samples();
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    pm_sampler_offer(wishes, drain.follower.recording ? gather_wishes(wishes, false) : 0);
}

static void flush(void)
{
    write_progress(drain.writer, drain.hidden_shown_end);
    drain.hidden_shown_end = false;
    tell_renamed();
    if (drain.lives_due) {
        drain.lives_due = false;
        write_living_threads(drain.writer);
    }
    write_gone();
    if (!is_all_stored() && drain.follower.now_ns >= drain.next_snapshot_ns) {
        int64_t since_ns = drain.snapshot_base_ns;
        drain.snapshot_base_ns = pm_ledger_swept_ns(drain.ledger);
        drain.next_snapshot_ns = drain.follower.now_ns + drain.options.snapshot_ns;
        drain.dropped_since_snapshot = false;
        write_snapshot(drain.writer, PM_SNAPSHOT_PERIODIC, since_ns);
    }
    struct pm_writer_stats stats;
    pm_writer_get_stats(drain.writer, &stats);
    /* The writer itself tells of the gap, once it can write again. */
    drain.n_dropped += stats.lost_waits - drain.lost_waits;
    drain.lost_waits = stats.lost_waits;
    write_gaps();
    int error = pm_writer_flush(drain.writer, drain.follower.now_ns);
    note_result(error);
    if (error == 0 && drain.disk_errno == 0) {
        pthread_mutex_lock(&drain.lock);
        drain.status.error[0] = 0; /* well again */
        pthread_mutex_unlock(&drain.lock);
    }
    forget_gone();
    /* Sooner than promised: a tick may be late on a busy machine. */
    drain.next_flush_ns = drain.follower.now_ns + drain.options.flush_ns * 3 / 4;
    if (drain.follower.now_ns >= drain.next_tidy_ns) {
        drain.next_tidy_ns = drain.follower.now_ns + TIDY_NS;
        pm_slot_pool_tidy();
    }
}

static void publish(bool with_deadlocks)
{
    struct pm_writer_stats stats;
    pm_writer_get_stats(drain.writer, &stats);
    struct timespec cpu = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    uint64_t in_progress = 0;
    int64_t oldest_begin_ns = INT64_MAX;
    for (size_t i = 0; i < drain.follower.n; i++) {
        const struct pm_follow *follow = &drain.follower.slots[i];
        if (follow->open) {
            in_progress++;
            if (follow->wait.begin_ns < oldest_begin_ns) {
                oldest_begin_ns = follow->wait.begin_ns;
            }
        }
    }
    uint32_t deadlocks = with_deadlocks ? count_deadlocks() : 0;
    uint64_t memory =
        pm_slot_pool_memory() + pm_tables_memory() + pm_ledger_memory(drain.ledger) +
        stats.memory_bytes + pm_follower_memory(&drain.follower) +
        (drain.scratch[0].wait_capacity + drain.scratch[1].wait_capacity) * sizeof(struct pm_wait) +
        (drain.scratch[0].rows.capacity + drain.scratch[1].rows.capacity) *
            sizeof(struct pm_counters) +
        drain.gone_capacity * sizeof(struct gone);
    pthread_mutex_lock(&drain.lock);
    struct pm_drain_status *status = &drain.status;
    status->recording = drain.follower.recording;
    status->file_size = stats.file_bytes;
    status->max_size = drain.options.maxsize;
    status->begin_ns = drain.facts.begin_ns;
    status->oldest_ns = stats.oldest_ns;
    status->waits = drain.n_waits;
    status->wait_bytes = stats.wait_bytes;
    status->dropped = drain.n_dropped;
    status->in_progress = in_progress;
    status->longest_in_progress_ns = in_progress && drain.follower.now_ns > oldest_begin_ns
                                         ? drain.follower.now_ns - oldest_begin_ns
                                         : 0;
    if (with_deadlocks) {
        status->deadlocks = deadlocks;
    }
    status->blockers = pm_ledger_n_cells(drain.ledger);
    status->cpu_ns = (int64_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec;
    status->memory_bytes = memory;
    pthread_mutex_unlock(&drain.lock);
}

/* -- start and stop -- */

static void set_recording(bool on)
{
    struct pm_follower *follower = &drain.follower;
    if (on == follower->recording) {
        return;
    }
    /* The gate is open all through a recorded span: what begins in one is recorded, and what a hook
     * let in beside it begins outside. */
    if (!on) {
        pm_follower_stop(follower, pm_clock_now());
        pm_gate_set(false);
        tick();
        pm_follower_cut(follower);
        write_stopped(drain.writer);
    } else {
        pm_follower_uproot(follower);
        tick();
        pm_gate_set(true);
        pm_follower_start(follower, pm_clock_now());
        struct pm_span span = {PM_SPAN_STOPPED, {0}, follower->off_since_ns, follower->on_since_ns};
        note_result(pm_writer_add_span(drain.writer, &span));
        tick();
    }
    flush();
}

static int set_options(const struct pm_options *changed, struct pm_error_info *info)
{
    if (changed->maxsize != drain.options.maxsize) {
        int error = pm_writer_resize(drain.writer, changed->maxsize, info);
        if (error) {
            return error;
        }
    }
    pm_writer_set_max_age(drain.writer, changed->maxage_ns);
    pthread_mutex_lock(&drain.lock);
    drain.options = *changed;
    pthread_mutex_unlock(&drain.lock);
    drain.next_flush_ns = 0;
    drain.next_snapshot_ns = 0;
    return 0;
}

struct printed {
    pm_blocker_id *ids;
    size_t n;
};

static int note_printed(void *context, const struct pm_counters *counters)
{
    struct printed *printed = context;
    if (counters->times > 0 && (uint64_t)counters->times >= drain.options.printminparks) {
        printed->ids[printed->n++] = counters->blocker;
    }
    return 0;
}

/* 004 §3.3.3: what was printed is forgotten; a blocker that is parked on begins anew. */
static void free_printed(void)
{
    struct printed printed = {
        .ids = malloc((pm_ledger_n_cells(drain.ledger) + 1) * sizeof(*printed.ids))};
    if (!printed.ids) {
        return;
    }
    (void)pm_ledger_each(drain.ledger, INT64_MIN, true, note_printed, &printed);
    for (size_t i = 0; i < printed.n; i++) {
        if (pm_ledger_is_settled(drain.ledger, printed.ids[i])) {
            pm_ledger_forget(drain.ledger, printed.ids[i]);
        }
    }
    free(printed.ids);
}

/* The table at exit and on demand: to stderr, or to a file of the user's name. */
static void print_report(void)
{
    const char *where = drain.options.report;
    if (!*where || strcmp(where, "off") == 0) {
        return;
    }
    bool to_stderr = strcmp(where, "stderr") == 0;
    int fd = to_stderr ? STDERR_FILENO
                       : open(where, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        dprintf(STDERR_FILENO, "parkmeter: cannot write report=%s: %s\n", where, strerror(errno));
        return;
    }
    struct pm_print_options options = {.run_time_ns = drain.follower.now_ns - drain.facts.begin_ns,
                                       .min_parks = drain.options.printminparks,
                                       .main = drain.facts.main,
                                       .pid = (uint32_t)getpid()};
    note_result(pm_print_report(fd, drain.ledger, pm_tables_dictionary(), &options));
    if (!to_stderr) {
        close(fd);
    }
}

static void answer_request(enum request_what what, uint64_t number, bool on,
                           const struct pm_options *options)
{
    int answer = 0;
    struct pm_error_info info = {0};
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    size_t n_wishes = 0;
    switch (what) {
    case REQUEST_FLUSH:
        flush();
        break;
    case REQUEST_RECORD:
        set_recording(on);
        break;
    case REQUEST_SET:
        answer = set_options(options, &info);
        break;
    case REQUEST_WISHES:
        n_wishes = gather_wishes(wishes, true);
        break;
    case REQUEST_PRINT:
        print_report();
        if (drain.options.freeonprint) {
            free_printed();
        }
        break;
    case REQUEST_NONE:
        return;
    }
    publish(true);
    pthread_mutex_lock(&drain.lock);
    memcpy(drain.wishes, wishes, n_wishes * sizeof(wishes[0]));
    drain.n_wishes = n_wishes;
    drain.answer = answer;
    drain.answer_info = info;
    drain.answer_number = number;
    if (drain.request_number == number) {
        drain.request = REQUEST_NONE;
    }
    pthread_cond_broadcast(&drain.done);
    pthread_mutex_unlock(&drain.lock);
}

static int64_t next_tick_ns(void)
{
    int64_t pause_ns = TICK_NS;
    if (drain.n_taken > WAITS_PER_TICK) {
        pause_ns = (int64_t)(TICK_NS * (uint64_t)WAITS_PER_TICK / drain.n_taken);
        pause_ns = pause_ns < SHORT_TICK_NS ? SHORT_TICK_NS : pause_ns;
    }
    return drain.follower.now_ns + pause_ns;
}

/* Until the instant, or until something is asked for, or buffers fill. Under the lock. */
static void pause_until(int64_t until_ns)
{
    while (!drain.stopping && drain.request == REQUEST_NONE &&
           !atomic_exchange_explicit(&drain.hurried, false, memory_order_relaxed) &&
           pm_native_thread_wait(&drain.wake, &drain.lock, until_ns) == 0) {
    }
}

static void close_recording(void)
{
    drain.ending = true;
    pm_gate_set(false);
    tick();
    /* The flush before this one may have been long ago; what goes on now is in the last chunk. */
    flush();
    note_result(pm_writer_close(drain.writer, pm_clock_now()));
    drain.writer = NULL;
    print_report();
}

static void *run(void *context)
{
    pm_slot_pool_watch(MANY_PAGES, hurry);
    pthread_mutex_lock(&drain.lock);
    while (!drain.stopping) {
        int64_t until_ns = next_tick_ns();
        if (drain.next_flush_ns < until_ns && drain.next_flush_ns > drain.follower.now_ns) {
            until_ns = drain.next_flush_ns;
        }
        pause_until(until_ns);
        if (drain.stopping) {
            break;
        }
        enum request_what what = drain.request;
        uint64_t number = drain.request_number;
        bool on = drain.request_on;
        struct pm_options options = drain.request_options;
        pthread_mutex_unlock(&drain.lock);

        tick();
        if (what != REQUEST_NONE) {
            answer_request(what, number, on, &options);
        }
        bool due = drain.follower.now_ns >= drain.next_flush_ns || drain.n_gone > MAX_GONE;
        if (due) {
            flush();
        }
        publish(due);
        pthread_mutex_lock(&drain.lock);
    }
    pthread_mutex_unlock(&drain.lock);
    close_recording();
    pthread_mutex_lock(&drain.lock);
    drain.ended = true;
    pthread_cond_broadcast(&drain.done);
    pthread_mutex_unlock(&drain.lock);
    return NULL;
}

/* -- the outside -- */

static struct pm_text keep_text(struct pm_text text, char **at)
{
    struct pm_text kept = {*at, text.length};
    if (text.length) {
        memcpy(*at, text.bytes, text.length);
    }
    *at += text.length;
    return kept;
}

static int keep_facts(const struct pm_facts *facts)
{
    size_t size = 1 + facts->jvm.length + facts->main.length + facts->host.length +
                  facts->options.length + facts->zone.length + facts->not_recorded.length;
    free(drain.facts_text);
    drain.facts_text = malloc(size);
    if (!drain.facts_text) {
        return PM_ERROR_MEMORY;
    }
    char *at = drain.facts_text;
    drain.facts = *facts;
    drain.facts.jvm = keep_text(facts->jvm, &at);
    drain.facts.main = keep_text(facts->main, &at);
    drain.facts.host = keep_text(facts->host, &at);
    drain.facts.options = keep_text(facts->options, &at);
    drain.facts.zone = keep_text(facts->zone, &at);
    drain.facts.not_recorded = keep_text(facts->not_recorded, &at);
    return 0;
}

static int open_writer(struct pm_file *file, const struct pm_facts *facts,
                       struct pm_error_info *ret_info)
{
    int error = pm_sink_from_fd(file->fd, &drain.file_sink);
    if (error) {
        return pm_error_set(ret_info, error, -1, "cannot write %.120s", file->path);
    }
    struct pm_sink sink = {.context = &drain,
                           .write_at = sink_write_at,
                           .allocate = sink_allocate,
                           .truncate = sink_truncate,
                           .read_at = sink_read_at,
                           .close = sink_close};
    struct pm_writer_options options = {.max_size = drain.options.maxsize,
                                        .max_age_ns = drain.options.maxage_ns,
                                        .preallocate = true,
                                        .on_chunk_begin = on_chunk_begin,
                                        .on_chunk_end = on_chunk_end};
    drain.disk_errno = 0;
    struct pm_error_info info = {0};
    error = pm_writer_open(sink, facts, pm_tables_dictionary(), &options, &drain.writer, &info);
    if (error && drain.disk_errno) {
        return pm_error_set(
            ret_info, PM_ERROR_IO, -1,
            "cannot write %.100s (%llu MiB): %s; see file= and maxsize=", file->path,
            (unsigned long long)(drain.options.maxsize >> 20), strerror(drain.disk_errno));
    }
    if (error) {
        return pm_error_set(ret_info, error, -1, "cannot write %.80s: %.100s", file->path,
                            info.code ? info.text : pm_error_name(error));
    }
    return 0;
}

/* The first place that takes a whole recording. */
static int open_recording(const struct pm_facts *facts, struct pm_error_info *ret_info)
{
    int error = PM_ERROR_ARGUMENT;
    for (unsigned place = 0; place < pm_file_n_places(&drain.options); place++) {
        struct pm_file file;
        error = pm_file_create(&drain.options, place, pm_clock_now_unix(), &file, ret_info);
        if (error) {
            continue;
        }
        error = open_writer(&file, facts, ret_info);
        if (!error) {
            drain.fd = file.fd;
            snprintf(drain.path, sizeof(drain.path), "%s", file.path);
            if (drain.options.file[0] == 0) {
                *strrchr(file.path, '/') = 0;
                pm_file_remove_old(file.path, drain.options.keep);
            }
            return 0;
        }
        pm_file_discard(&file);
    }
    return error;
}

static void clear(void)
{
    pm_ledger_free(drain.ledger);
    pm_follower_clear(&drain.follower);
    for (int i = 0; i < 2; i++) {
        free(drain.scratch[i].waits);
        free(drain.scratch[i].rows.rows);
        drain.scratch[i] = (struct scratch){0};
    }
    free(drain.gone);
    drain.ledger = NULL;
    drain.gone = NULL;
    drain.n_gone = drain.gone_capacity = 0;
    drain.fd = -1;
}

int pm_drain_start(const struct pm_options *options, const struct pm_facts *facts,
                   struct pm_error_info *ret_info)
{
    if (drain.runs) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "the recorder runs already");
    }
    drain.options = *options;
    drain.next_flush_ns = pm_clock_now();
    drain.next_snapshot_ns = drain.next_tidy_ns = 0;
    drain.chunk_base_ns = drain.snapshot_base_ns = INT64_MIN;
    drain.tick = drain.chunk = 0;
    drain.hidden_shown_end = drain.dropped_since_snapshot = drain.ending = false;
    drain.n_waits = drain.n_dropped = drain.lost_waits = 0;
    pm_ring_init(&drain.ring);
    drain.spans_lost_seen = atomic_load(&drain.spans_lost);
    memset(drain.gaps, 0, sizeof(drain.gaps));
    memset(&drain.status, 0, sizeof(drain.status));
    drain.stopping = drain.ended = false;
    drain.request = REQUEST_NONE;
    drain.request_number = drain.answer_number = 0;
    pm_native_thread_condition_init(&drain.wake);
    pm_native_thread_condition_init(&drain.done);
    int error = keep_facts(facts);
    if (!error) {
        error = pm_ledger_new(&drain.ledger);
    }
    if (error) {
        clear();
        return pm_error_set(ret_info, error, -1, "no memory for the recorder");
    }
    /* Before the file is made, which takes its time: a wait that begins after the recording does is
     * recorded, however soon. */
    pm_gate_set(!options->paused);
    drain.facts.begin_ns = pm_clock_now();
    drain.facts.begin_unix_ns = pm_clock_now_unix();
    pm_follower_init(&drain.follower, drain.ledger, !options->paused, drain.facts.begin_ns);
    drain.follower.ended = store;
    drain.follower.lost = note_lost;
    drain.follower.overflow = note_overflow;
    drain.follower.failed = note_result;
    error = open_recording(&drain.facts, ret_info);
    if (error) {
        pm_gate_set(false);
        clear();
        return error;
    }
    publish(false);
    error = pm_native_thread_start(&drain.thread, "parkmeter-drain", 512 << 10, run, NULL);
    if (error) {
        pm_gate_set(false);
        pm_writer_abandon(drain.writer);
        unlink(drain.path);
        clear();
        return pm_error_set(ret_info, error, -1, "no thread for the recorder");
    }
    drain.runs = true;
    return 0;
}

void pm_drain_stop(int64_t deadline_ns)
{
    int64_t until_ns = pm_clock_now() + deadline_ns;
    pthread_mutex_lock(&drain.lock);
    if (!drain.runs || drain.stopping) {
        pthread_mutex_unlock(&drain.lock);
        return;
    }
    drain.stopping = true;
    pthread_cond_broadcast(&drain.wake);
    pthread_cond_broadcast(&drain.done);
    while (!drain.ended && pm_native_thread_wait(&drain.done, &drain.lock, until_ns) == 0) {
    }
    bool ended = drain.ended;
    pthread_mutex_unlock(&drain.lock);
    if (ended) {
        pthread_join(drain.thread, NULL);
        clear();
        drain.runs = false;
    } else {
        pthread_detach(drain.thread); /* a disk that hangs: the JVM need not */
    }
}

static int ask(enum request_what what, bool on, const struct pm_options *options,
               int64_t deadline_ns, struct pm_error_info *ret_info)
{
    int64_t until_ns = pm_clock_now() + deadline_ns;
    int result = PM_ERROR_IO;
    pthread_mutex_lock(&drain.lock);
    while (drain.asked && drain.runs && !drain.stopping &&
           pm_native_thread_wait(&drain.done, &drain.lock, until_ns) == 0) {
    }
    if (drain.runs && !drain.stopping && !drain.asked) {
        drain.asked = true;
        drain.request = what;
        drain.request_on = on;
        if (options) {
            drain.request_options = *options;
        }
        uint64_t number = ++drain.request_number;
        pthread_cond_signal(&drain.wake);
        while (drain.answer_number < number && !drain.stopping &&
               pm_native_thread_wait(&drain.done, &drain.lock, until_ns) == 0) {
        }
        if (drain.answer_number >= number) {
            result = drain.answer;
            if (result && ret_info) {
                *ret_info = drain.answer_info;
            }
        } else if (drain.request == what) {
            drain.request = REQUEST_NONE;
        }
        drain.asked = false;
        pthread_cond_broadcast(&drain.done);
    }
    pthread_mutex_unlock(&drain.lock);
    return result;
}

int pm_drain_flush(int64_t deadline_ns)
{
    return ask(REQUEST_FLUSH, false, NULL, deadline_ns, NULL);
}

int pm_drain_sample_owners(int64_t deadline_ns)
{
    int64_t until_ns = pm_clock_now() + deadline_ns;
    int error = ask(REQUEST_WISHES, false, NULL, deadline_ns, NULL);
    if (error) {
        return error;
    }
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    pthread_mutex_lock(&drain.lock);
    size_t n = drain.n_wishes;
    memcpy(wishes, drain.wishes, n * sizeof(wishes[0]));
    pthread_mutex_unlock(&drain.lock);
    int64_t left_ns = until_ns - pm_clock_now();
    if (n > 0) {
        pm_sampler_run(wishes, n, left_ns > 0 ? left_ns / 2 : 0);
        left_ns = until_ns - pm_clock_now();
    }
    return pm_drain_flush(left_ns > 0 ? left_ns : 0);
}

int pm_drain_open_fd(void)
{
    if (!drain.runs || drain.fd < 0) {
        return -1;
    }
    /* Opened anew by what it is, not by name: the file may have been renamed. */
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", drain.fd);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fd : open(drain.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

const char *pm_drain_path(void)
{
    return drain.path;
}

const struct pm_facts *pm_drain_facts(void)
{
    return drain.runs ? &drain.facts : NULL;
}

void pm_drain_get_options(struct pm_options *ret_options)
{
    pthread_mutex_lock(&drain.lock);
    *ret_options = drain.options;
    pthread_mutex_unlock(&drain.lock);
}

static void add_span(const struct pm_span *span)
{
    if (drain.runs && !pm_ring_add(&drain.ring, span)) {
        atomic_fetch_add_explicit(&drain.spans_lost, 1, memory_order_relaxed);
    }
}

void pm_drain_gc(int64_t begin_ns, int64_t end_ns)
{
    struct pm_span span = {PM_SPAN_GC, {0}, begin_ns, end_ns};
    add_span(&span);
}

void pm_drain_thread_span(pm_thread_id thread, int64_t begin_ns, int64_t end_ns)
{
    struct pm_span span = {PM_SPAN_THREAD, thread, begin_ns, end_ns};
    add_span(&span);
}

int pm_drain_set_recording(bool on)
{
    return ask(REQUEST_RECORD, on, NULL, 10000000000, NULL);
}

int pm_drain_print(int64_t deadline_ns)
{
    return ask(REQUEST_PRINT, false, NULL, deadline_ns, NULL);
}

int pm_drain_set(const struct pm_options *changed, struct pm_error_info *ret_info)
{
    struct pm_options now;
    pm_drain_get_options(&now);
    int error = pm_options_check_live(&now, changed, ret_info);
    if (error) {
        return error;
    }
    struct pm_error_info info = {0};
    error = ask(REQUEST_SET, false, changed, 10000000000, &info);
    if (error && info.code == 0) {
        return pm_error_set(ret_info, error, -1, "the recorder did not answer");
    }
    if (error && ret_info) {
        *ret_info = info;
    }
    return error;
}

void pm_drain_get_status(struct pm_drain_status *ret_status)
{
    pthread_mutex_lock(&drain.lock);
    *ret_status = drain.status;
    pthread_mutex_unlock(&drain.lock);
}

#include "recorder/agent/drain/journal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/allocation/memory-log.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/reservation.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/sampling/census.h"
#include "recorder/agent/counters/collected.h"
#include "recorder/agent/drain/ender.h"
#include "recorder/agent/counters/follow.h"
#include "recorder/agent/storage/gap.h"
#include "recorder/agent/counters/ledger.h"
#include "recorder/agent/drain/owner.h"
#include "recorder/agent/drain/recent-wishes.h"
#include "recorder/agent/counters/print.h"
#include "recorder/agent/hotspot/frames.h"
#include "recorder/agent/hotspot/frozen.h"
#include "recorder/agent/storage/volume.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/reclaim.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/vthread-slot.h"

/* A thread that lost its core within an end gets so long to tell it before `stop` cuts. */
#define LEAVING_TICKS    50
#define LEAVING_PAUSE_NS 1000000
#define TICK_NS          100000000
#define SHORT_TICK_NS    4000000
#define WAITS_PER_TICK   4096    /* more than that, and the next tick comes sooner */
#define MANY_PAGES       128     /* of buffers filled since the last tick: it comes at once */
#define SLOTS_A_PAGE     32      /* one more page, and … */
#define SLOTS_A_WAIT     2       /* … one more wait, for so many slots: a tick looks at each */
#define MAX_ROUNDS       64      /* in one tick, while buffers are not empty */
#define MAX_PENDING      2000000 /* transitions; beyond, the watermark is not held back any more */
#define TIDY_NS          1000000000
#define CHECK_NS         1000000000 /* between looks at the file */
#define STALE_AGE_NS     1000000000 /* a wait this old is shown whatever the filters say */
#define SNAPSHOT_SHARE   50         /* of the time, one part may go into snapshots now and then */
#define LOOK_SHARE       200        /* … and into looking at all waits in progress */
#define FOLD_ABOVE       1024 /* cells; beyond, blockers parked on once share rows in snapshots */
#define FOLD_IDLE_ABOVE                                                                            \
    2048 /* … and in the ledger, if nothing has happened to them for a while, … */
#define FOLD_IDLE_NS   INT64_C(4000000000)
#define FOLD_ALL_ABOVE 8192 /* … or whenever that was */

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

struct pm_journal {
    /* Set as it opens, then only read. */
    struct pm_facts facts;
    struct pm_ring *spans;
    void (*on_many)(void);
    struct pm_options options;
    bool leaves_some_out;    /* the options do, of ended waits */
    struct pm_volume volume; /* under the writer */
    struct pm_writer *writer;
    struct pm_ledger *ledger;
    struct pm_follower follower;
    uint64_t tick;  /* that left no buffer with anything in it; counted */
    size_t n_taken; /* ended waits in the last tick */
    uint64_t chunk;
    int64_t next_flush_ns, next_snapshot_ns, next_tidy_ns, next_offer_ns, next_count_ns;
    int64_t chunk_base_ns, snapshot_base_ns; /* ledger's instants */
    bool hidden_shown_end;                   /* a shown wait ended and was not stored */
    bool dropped_since_snapshot;
    bool ending;
    bool lives_due;     /* this chunk has not been told yet which threads live */
    uint32_t next_life; /* with which the listing goes on: the last chunk was full; else 0 */
    uint64_t n_waits, n_dropped;
    uint64_t n_crowd; /* waits in progress that are only counted */
    int64_t crowd_since_ns;
    uint64_t lost_waits; /* as last seen */
    int64_t flushed_ns;
    int64_t emptied_ns;  /* the tick before the last flush that left nothing in any buffer */
    uint64_t n_unseen;   /* of pm_self_metrics, told */
    uint64_t lost_spans; /* as last seen */
    struct pm_gaps gaps;
    struct pm_collected collected;
    struct pm_enders *enders;
    struct pm_recent_wishes recent;
    struct pm_census census;
    struct pm_memory_log *memory; /* NULL until allocations are sampled */
    struct scratch scratch[2];    /* [1]: inside the writer's callbacks, while it may read [0] */
    bool in_callback;
    int64_t checked_ns;      /* the file */
    uint64_t n_failed_calls; /* as last seen */
};

static void note_result(struct pm_journal *journal, int error)
{
    pm_volume_note(&journal->volume, error);
}

/* -- lives -- */

#define LIVES_AT_ONCE 256

/* Those of the numbers `from` up to `to`. False: the chunk has no room for number `*ret_next`. */
static bool write_lives(struct pm_journal *journal, uint32_t from, uint32_t to, uint32_t *ret_next)
{
    struct pm_span span = {.kind = PM_SPAN_THREAD};
    int64_t end_ns;
    for (uint32_t i = from;
         i < to && pm_tables_visit_thread(i, &span.thread, &span.begin_ns, &end_ns); i++) {
        if (i % LIVES_AT_ONCE == 0 && pm_writer_is_crowded(journal->writer)) {
            *ret_next = i;
            return false;
        }
        if (span.thread.n && end_ns == 0)
            note_result(journal, pm_writer_add_span(journal->writer, &span));
    }
    return true;
}

/* Once a chunk, soon after it was opened: it is more than a chunk that opens takes at once. In a
 * small file of very many threads each chunk tells as many of them as it has room for, the next one
 * goes on with the others: a listing that filled a chunk would be due anew in the next. */
static void tell_lives(struct pm_journal *journal)
{
    if (!journal->lives_due)
        return;
    journal->lives_due = false;
    uint32_t first = journal->next_life;
    if (write_lives(journal, first, UINT32_MAX, &journal->next_life) &&
        write_lives(journal, 0, first, &journal->next_life))
        journal->next_life = 0;
}

/* -- which waits are stored -- */

/* `wait` NULL: may any wait be left out? */
static bool is_unwanted(const struct pm_journal *journal, const struct pm_wait *wait)
{
    return !journal->options.events;
}

static bool is_short(const struct pm_journal *journal, const struct pm_wait *wait)
{
    return (wait ? wait->duration_ns : 0) < journal->options.mintime_ns;
}

static bool is_early(const struct pm_journal *journal, const struct pm_wait *wait)
{
    uint64_t least = journal->options.minparks;
    return least &&
           (!wait || pm_ledger_arrivals(journal->ledger, wait->blocker, wait->kind) < least);
}

static bool is_idle(const struct pm_journal *journal, const struct pm_wait *wait)
{
    return !journal->options.idle && (!wait || pm_chain_is_idle(wait->chain));
}

/* The options that leave waits out, each with its gap. Of the first that does. */
static const struct filter {
    enum pm_gap_reason reason;
    bool (*leaves_out)(const struct pm_journal *journal, const struct pm_wait *wait);
    bool even_stale; /* and those that last for long, while they are in progress */
} filters[] = {
    {PM_GAP_EVENTS_OFF, is_unwanted, false},
    {PM_GAP_MINTIME, is_short, false},
    {PM_GAP_MINPARKS, is_early, false},
    {PM_GAP_IDLE, is_idle, true},
};

#define N_FILTERS (sizeof filters / sizeof *filters)

/* NULL: it is stored. */
static const struct filter *filter_of(const struct pm_journal *journal, const struct pm_wait *wait,
                                      bool stale)
{
    for (size_t i = 0; i < N_FILTERS; i++)
        if ((!stale || filters[i].even_stale) && filters[i].leaves_out(journal, wait))
            return &filters[i];
    return NULL;
}

static void take_options(struct pm_journal *journal, const struct pm_options *options)
{
    journal->options = *options;
    journal->leaves_some_out = filter_of(journal, NULL, false);
    journal->follower.one_by_one = journal->leaves_some_out; /* minparks counts */
}

/* Stores an ended wait, or says why not. `shown`: a progress block of this chunk holds it. */
static void store_filtered(struct pm_journal *journal, const struct pm_wait *wait, bool shown)
{
    const struct filter *filter = filter_of(journal, wait, false);
    if (!filter) {
        note_result(journal, pm_writer_add_wait(journal->writer, wait));
        return;
    }
    pm_ledger_not_stored(journal->ledger, wait->blocker, wait->kind, wait->duration_ns);
    pm_gaps_add(&journal->gaps, &(struct pm_gap){wait->begin_ns, wait->begin_ns + wait->duration_ns,
                                                 (uint8_t)filter->reason, 1, wait->duration_ns});
    journal->hidden_shown_end |= shown;
}

static void store(void *context, const struct pm_wait *waits, size_t n, bool shown)
{
    struct pm_journal *journal = context;
    journal->n_waits += n;
    if (journal->options.enders)
        pm_enders_note(journal->enders, waits, n);
    if (!journal->leaves_some_out)
        note_result(journal, pm_writer_add_waits(journal->writer, waits, n));
    for (size_t i = 0; i < n && journal->leaves_some_out; i++)
        store_filtered(journal, &waits[i], shown);
    tell_lives(journal); /* chunks may fill between two flushes */
}

static void note_lost(void *context, bool shown)
{
    struct pm_journal *journal = context;
    journal->hidden_shown_end |= shown;
}

static void note_overflow(void *context, const struct pm_overflow *overflow)
{
    struct pm_journal *journal = context;
    uint8_t reason = overflow->no_slot ? PM_GAP_NO_SLOT : PM_GAP_BUFFER_FULL;
    pm_gaps_add(&journal->gaps,
                &(struct pm_gap){overflow->first_begin_ns, overflow->last_end_ns, reason,
                                 overflow->waits, overflow->thread_time_ns});
    journal->n_waits += (uint64_t)overflow->waits;
    journal->n_dropped += (uint64_t)overflow->waits;
    journal->dropped_since_snapshot = true;
}

static void note_failed(void *context, int error)
{
    note_result(context, error);
}

/* -- waits in progress -- */

static bool is_worth_showing(const struct pm_journal *journal, const struct pm_follow *follow)
{
    if (!follow->open)
        return false;
    const struct pm_wait wait = {.blocker = follow->wait.blocker,
                                 .chain = follow->wait.chain,
                                 .kind = follow->wait.kind,
                                 .duration_ns = journal->follower.now_ns - follow->wait.begin_ns};
    return !filter_of(journal, &wait, wait.duration_ns >= STALE_AGE_NS);
}

/* Waits in progress that this chunk does not hold yet, or not that they were woken; all of them
 * when `complete`. */
static void write_progress(struct pm_journal *journal, struct pm_writer *writer, bool complete)
{
    struct scratch *scratch = &journal->scratch[journal->in_callback];
    if (scratch->wait_capacity < journal->follower.n) {
        struct pm_wait *more =
            realloc(scratch->waits, journal->follower.capacity * sizeof *scratch->waits);
        if (!more)
            return;
        scratch->waits = more;
        scratch->wait_capacity = journal->follower.capacity;
    }
    journal->hidden_shown_end = journal->hidden_shown_end && !complete;
    size_t n = 0;
    for (size_t i = 0; i < journal->follower.n; i++) {
        struct pm_follow *follow = &journal->follower.slots[i];
        if (!is_worth_showing(journal, follow) ||
            (follow->shown && !complete &&
             (follow->shown_woken || !pm_follower_woken_ns(&journal->follower, i))))
            continue;
        scratch->waits[n] = pm_follower_open_wait(&journal->follower, follow);
        follow->shown = true;
        follow->shown_woken = scratch->waits[n++].wake_ns != 0;
    }
    if (n > 0 || complete) {
        int error =
            pm_writer_add_progress(writer, scratch->waits, n, complete, journal->follower.now_ns);
        journal->hidden_shown_end |= error == PM_ERROR_MEMORY;
        note_result(journal, error);
    }
}

/* -- snapshots -- */

static int add_row(void *context, const struct pm_counters *counters)
{
    struct rows *rows = context;
    if (rows->n == rows->capacity) {
        size_t capacity = rows->capacity ? rows->capacity * 2 : 64;
        struct pm_counters *more = realloc(rows->rows, capacity * sizeof *more);
        if (!more)
            return PM_ERROR_MEMORY;
        rows->rows = more;
        rows->capacity = capacity;
    }
    rows->rows[rows->n++] = *counters;
    return 0;
}

static void tell_ages(struct pm_journal *journal)
{
    int64_t swept_ns = pm_ledger_swept_ns(journal->ledger);
    for (size_t i = 0; i < journal->follower.n; i++) {
        const struct pm_follow *follow = &journal->follower.slots[i];
        /* Before the first sweep that instant is no time at all. */
        if (follow->open && swept_ns > follow->wait.begin_ns) {
            pm_ledger_age(journal->ledger, follow->wait.blocker, follow->wait.kind,
                          swept_ns - follow->wait.begin_ns);
        }
    }
}

static int64_t snapshot_ns(const struct pm_journal *journal)
{
    int64_t swept_ns = pm_ledger_swept_ns(journal->ledger);
    return swept_ns > journal->facts.begin_ns ? swept_ns : journal->facts.begin_ns;
}

static void write_snapshot(struct pm_journal *journal, struct pm_writer *writer,
                           enum pm_snapshot_place place, int64_t since_ns)
{
    struct rows *rows = &journal->scratch[journal->in_callback].rows;
    /* In a new file's first: what the chunk before told of them is in another. */
    bool is_new_file = !pm_volume_is_there(&journal->volume);
    tell_ages(journal);
    rows->n = 0;
    struct pm_ledger_telling telling = {.since_ns = since_ns,
                                        .with_collected = place != PM_SNAPSHOT_BASE || is_new_file,
                                        .fold_above = FOLD_ABOVE,
                                        .fold_of = pm_tables_blocker_fold,
                                        .each = add_row,
                                        .context = rows};
    note_result(journal, pm_ledger_tell(journal->ledger, &telling));
    if (rows->n > 0 || place == PM_SNAPSHOT_BASE) {
        note_result(journal, pm_writer_add_snapshot(writer, place, snapshot_ns(journal), rows->rows,
                                                    rows->n));
    }
}

static void add_to_crowd(void *context, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns)
{
    struct pm_journal *journal = context;
    note_result(journal, pm_ledger_add_to_crowd(journal->ledger, blocker, kind, begin_ns));
    journal->n_crowd++;
    if (begin_ns < journal->crowd_since_ns)
        journal->crowd_since_ns = begin_ns;
}

/* Waits in progress of virtual threads that found no slot: their number is told, and no more. */
static void take_crowds(struct pm_journal *journal)
{
    bool are_some = journal->follower.recording && pm_vthread_slot_count_bare() > 0;
    if (!are_some && !journal->n_crowd)
        return;
    journal->n_crowd = 0;
    journal->crowd_since_ns = INT64_MAX;
    pm_ledger_clear_crowds(journal->ledger, pm_ledger_swept_ns(journal->ledger));
    if (are_some)
        pm_vthread_slot_visit_bare(add_to_crowd, journal);
    journal->dropped_since_snapshot = true;
}

static bool is_all_stored(const struct pm_journal *journal)
{
    return !journal->leaves_some_out && !journal->dropped_since_snapshot;
}

/* -- chunks -- */

static void write_stopped(struct pm_journal *journal, struct pm_writer *writer)
{
    if (!journal->follower.recording) {
        struct pm_span span = {PM_SPAN_STOPPED, {0}, journal->follower.off_since_ns, 0};
        note_result(journal, pm_writer_add_span(writer, &span));
    }
}

static int on_chunk_begin(void *context, struct pm_writer *writer)
{
    struct pm_journal *journal = context;
    if (journal->in_callback)
        return 0; /* what was to open a chunk filled it */
    journal->in_callback = true;
    journal->chunk++;
    for (size_t i = 0; i < journal->follower.n; i++)
        journal->follower.slots[i].shown = false;
    write_progress(journal, writer, true);
    journal->chunk_base_ns = pm_ledger_swept_ns(journal->ledger);
    write_snapshot(journal, writer, PM_SNAPSHOT_BASE, INT64_MIN);
    note_result(journal, pm_memory_log_tell(&journal->memory, writer, PM_SNAPSHOT_BASE));
    write_stopped(journal, writer);
    journal->lives_due = true;
    journal->in_callback = false;
    return 0;
}

static int on_chunk_end(void *context, struct pm_writer *writer)
{
    struct pm_journal *journal = context;
    if (journal->in_callback)
        return 0;
    journal->in_callback = true;
    write_snapshot(journal, writer, PM_SNAPSHOT_END, journal->chunk_base_ns);
    note_result(journal, pm_memory_log_tell(&journal->memory, writer, PM_SNAPSHOT_END));
    journal->in_callback = false;
    return 0;
}

/* -- a tick -- */

static void tell_renamed(struct pm_journal *journal)
{
    pm_thread_id ids[64];
    size_t n = pm_tables_take_renamed_threads(ids, 64);
    for (size_t i = 0; i < n; i++)
        pm_writer_redefine_thread(journal->writer, ids[i]);
}

/* Writes the last counters of blockers that left. */
static void write_collected(struct pm_journal *journal)
{
    struct rows *rows = &journal->scratch[0].rows;
    const struct pm_ledger_telling telling = {.fold_above = FOLD_ABOVE,
                                              .fold_of = pm_tables_blocker_fold,
                                              .each = add_row,
                                              .context = rows};
    rows->n = 0;
    note_result(journal, pm_collected_tell(&journal->collected, journal->ledger, journal->writer,
                                           journal->tick, journal->chunk, &telling));
    if (rows->n > 0) {
        note_result(journal, pm_writer_add_snapshot(journal->writer, PM_SNAPSHOT_PERIODIC,
                                                    snapshot_ns(journal), rows->rows, rows->n));
    }
}

static void take_samples(struct pm_journal *journal)
{
    struct pm_owner_sample samples[64];
    size_t n;
    do {
        n = pm_sampler_take(samples, sizeof samples / sizeof samples[0]);
        for (size_t i = 0; i < n; i++) {
            if (samples[i].role == PM_SAMPLE_OWNER)
                pm_owner_learn(&journal->follower, &samples[i]);
            if (samples[i].owner.n)
                note_result(journal, pm_writer_add_owner_sample(journal->writer, &samples[i]));
        }
    } while (n == sizeof samples / sizeof samples[0]);
}

#define GROUP_BUSY UINT32_MAX

#define AWAY_AFTER_NS INT64_C(10000000000)
#define AWAY_UNTIL_NS 800000000 /* before the next census */

_Static_assert(PM_CENSUS_BUSY + PM_CENSUS_AWAY <= PM_SAMPLER_MAX_BUSY, "all wishes have room");

/* Of a thread that nobody is known to wait for; `weight` 0: it is away. */
static struct pm_sample_wish wish_of(pm_thread_id thread, uint32_t weight)
{
    return (struct pm_sample_wish){.owner = thread,
                                   .group = GROUP_BUSY,
                                   .weight = weight,
                                   .role = PM_SAMPLE_ENDER,
                                   .queue = PM_SAMPLE_QUEUE_LOW};
}

/* A look or two a second; none in a short program, which none of our threads is attached to. */
static bool looks_for_away(const struct pm_journal *journal)
{
    const int64_t now_ns = journal->follower.now_ns;
    return journal->options.enders && journal->census.next_ns - now_ns > AWAY_UNTIL_NS &&
           now_ns - atomic_load(&pm_gate_opened_ns) > AWAY_AFTER_NS;
}

static void offer_samples(struct pm_journal *journal)
{
    struct pm_sample_wish wishes[PM_SAMPLER_MAX];
    size_t n = 0;
    if (journal->follower.recording) {
        n = pm_owner_wishes(&journal->follower, false, wishes);
        if (journal->options.enders)
            n += pm_enders_wishes(journal->enders, &journal->follower, wishes + n);
        n = pm_recent_wishes_add(&journal->recent, journal->follower.now_ns, wishes, n);
        for (size_t i = 0; i < journal->census.busy.n; i++)
            wishes[n++] = wish_of(journal->census.busy.threads[i], 1);
        for (size_t i = 0; i < journal->census.away.n && looks_for_away(journal); i++)
            wishes[n++] = wish_of(journal->census.away.threads[i], 0);
    }
    pm_sampler_offer(wishes, n);
}

static void add_census_row(void *context, const struct pm_census_row *row)
{
    struct pm_journal *journal = context;
    note_result(journal, pm_writer_add_census(journal->writer, row));
}

static void take_spans(struct pm_journal *journal)
{
    struct pm_span span;
    while (pm_ring_take(journal->spans, &span))
        note_result(journal, pm_writer_add_span(journal->writer, &span));
    uint64_t lost = atomic_load_explicit(&journal->spans->n_lost, memory_order_relaxed);
    if (lost != journal->lost_spans) {
        journal->lost_spans = lost;
        journal->lives_due = true;
    }
}

static void check_file(struct pm_journal *journal)
{
    journal->checked_ns = journal->follower.now_ns;
    pm_volume_check(&journal->volume, journal->follower.now_ns, journal->ending);
}

static void fold(struct pm_journal *journal, uint32_t above, int64_t before_ns)
{
    const struct pm_ledger_telling telling = {.fold_above = above / 2,
                                              .fold_of = pm_tables_blocker_fold};
    if (pm_ledger_n_cells(journal->ledger) > above)
        pm_ledger_fold_all(journal->ledger, before_ns, &telling);
}

void pm_journal_tick(struct pm_journal *journal)
{
    pm_collected_take(&journal->collected, journal->tick);
    int rounds = 0;
    journal->n_taken = 0;
    do {
        int64_t watermark_ns = pm_follower_tick(&journal->follower);
        journal->n_taken += journal->follower.n_taken;
        if (pm_ledger_n_pending(journal->ledger) > MAX_PENDING)
            watermark_ns = journal->follower.previous_ns;
        pm_ledger_sweep(journal->ledger, watermark_ns);
        fold(journal, FOLD_ALL_ABOVE, journal->follower.previous_ns);
    } while (journal->follower.more && ++rounds < MAX_ROUNDS);
    pm_slot_pool_free_released();
    pm_slot_pool_watch(MANY_PAGES + journal->follower.n / SLOTS_A_PAGE, journal->on_many);
    if (journal->ending)
        pm_ledger_sweep(journal->ledger, pm_clock_now() + 1);
    journal->tick += !journal->follower.more;

    take_spans(journal);
    take_samples(journal);
    note_result(journal, pm_memory_log_take(&journal->memory, journal->writer));
    if (journal->follower.now_ns - journal->checked_ns >= CHECK_NS)
        check_file(journal); /* flushes may be rare */
    if (journal->follower.now_ns >= journal->next_offer_ns) {
        int64_t begin_ns = pm_clock_now();
        offer_samples(journal);
        journal->next_offer_ns = begin_ns + (pm_clock_now() - begin_ns) * LOOK_SHARE;
    }
    if (journal->options.census && journal->follower.recording)
        pm_census_take(&journal->census, journal->follower.now_ns, add_census_row, journal);
}

/* Parks that went by unseen since the last flush: how often such a thread was met. */
static void tell_unseen(struct pm_journal *journal)
{
    uint64_t n = atomic_load_explicit(&pm_self_metrics.parks_unseen, memory_order_relaxed);
    if (n != journal->n_unseen) {
        const struct pm_gap gap = {.begin_ns = journal->flushed_ns,
                                   .end_ns = journal->follower.now_ns,
                                   .reason = PM_GAP_UNSEEN,
                                   .waits = (int64_t)(n - journal->n_unseen)};
        pm_gaps_add(&journal->gaps, &gap);
    }
    journal->n_unseen = n;
    journal->flushed_ns = journal->follower.now_ns;
}

/* What could not be written is told anew, but for ended waits, which are counted: the writer itself
 * tells of the gap, once it can write again. */
static void count_losses(struct pm_journal *journal)
{
    struct pm_writer_stats stats;
    pm_writer_get_stats(journal->writer, &stats);
    journal->n_dropped += stats.lost_waits - journal->lost_waits;
    journal->dropped_since_snapshot |= stats.lost_waits != journal->lost_waits;
    journal->lost_waits = stats.lost_waits;
    uint64_t n_failed = pm_volume_n_failed(&journal->volume) + stats.lost_waits; /* both grow */
    if (n_failed != journal->n_failed_calls) {
        journal->n_failed_calls = n_failed;
        journal->hidden_shown_end = journal->lives_due = true;
    }
}

/* Where there is no file all of it is lost, and told as the next one opens its first chunk. */
void pm_journal_flush(struct pm_journal *journal)
{
    check_file(journal);
    tell_unseen(journal);
    write_progress(journal, journal->writer, journal->hidden_shown_end);
    tell_renamed(journal);
    tell_lives(journal);
    write_collected(journal);
    take_crowds(journal);
    if (!is_all_stored(journal) && journal->follower.now_ns >= journal->next_snapshot_ns) {
        int64_t since_ns = journal->snapshot_base_ns;
        journal->snapshot_base_ns = pm_ledger_swept_ns(journal->ledger);
        journal->dropped_since_snapshot = false;
        int64_t begin_ns = pm_clock_now();
        write_snapshot(journal, journal->writer, PM_SNAPSHOT_PERIODIC, since_ns);
        int64_t pause_ns = (pm_clock_now() - begin_ns) * SNAPSHOT_SHARE;
        if (pause_ns < journal->options.snapshot_ns)
            pause_ns = journal->options.snapshot_ns;
        journal->next_snapshot_ns = journal->follower.now_ns + pause_ns;
    }
    note_result(journal, pm_gaps_write(&journal->gaps, journal->writer));
    pm_volume_flushed(&journal->volume, pm_writer_flush(journal->writer, journal->follower.now_ns));
    count_losses(journal);
    pm_collected_forget(&journal->collected, journal->ledger, journal->chunk);
    /* With some time to spare, for who is met as he ends. */
    pm_thread_told(journal->emptied_ns);
    if (!journal->follower.more)
        journal->emptied_ns = journal->follower.now_ns;
    pm_reclaim_step(journal->tick, journal->follower.now_ns);
    /* Sooner than promised: a tick may be late on a busy machine. */
    journal->next_flush_ns = journal->follower.now_ns + journal->options.flush_ns * 3 / 4;
    if (journal->follower.now_ns >= journal->next_tidy_ns) {
        journal->next_tidy_ns = journal->follower.now_ns + TIDY_NS;
        fold(journal, FOLD_IDLE_ABOVE, journal->follower.now_ns - FOLD_IDLE_NS);
        pm_slot_pool_tidy();
        pm_reservation_unlock_closed();
    }
}

void pm_journal_set_recording(struct pm_journal *journal, bool on)
{
    struct pm_follower *follower = &journal->follower;
    if (on == follower->recording)
        return;
    /* The gate is open all through a recorded span: what begins in one is recorded, and what a hook
     * let in beside it begins outside. */
    if (!on) {
        pm_follower_stop(follower, pm_clock_now());
        pm_gate_set(false);
        pm_journal_tick(journal);
        for (int i = 0; i < LEAVING_TICKS && pm_follower_is_any_leaving(follower); i++) {
            nanosleep(&(struct timespec){.tv_nsec = LEAVING_PAUSE_NS}, NULL);
            pm_journal_tick(journal);
        }
        pm_follower_cut(follower);
        write_stopped(journal, journal->writer);
    } else {
        pm_follower_end_in_progress(follower);
        pm_journal_tick(journal);
        pm_gate_set(true);
        pm_follower_start(follower, pm_clock_now());
        pm_gate_tell_open(); /* not before: what is in progress begins in the span */
        struct pm_span span = {PM_SPAN_STOPPED, {0}, follower->off_since_ns, follower->on_since_ns};
        note_result(journal, pm_writer_add_span(journal->writer, &span));
        pm_journal_tick(journal);
    }
    pm_journal_flush(journal);
}

int pm_journal_set_options(struct pm_journal *journal, const struct pm_options *changed,
                           struct pm_error_info *ret_info)
{
    if (changed->maxsize != journal->options.maxsize) {
        int error = pm_volume_resize(&journal->volume, changed->maxsize, ret_info);
        if (error)
            return error;
    }
    pm_writer_set_max_age(journal->writer, changed->maxage_ns);
    take_options(journal, changed);
    journal->next_flush_ns = 0;
    journal->next_snapshot_ns = 0;
    return 0;
}

/* The table at exit and on demand. */
static void print_report(struct pm_journal *journal)
{
    struct pm_print_options options = {.run_time_ns =
                                           journal->follower.now_ns - journal->facts.begin_ns,
                                       .min_parks = journal->options.printminparks,
                                       .main = journal->facts.main,
                                       .pid = (uint32_t)getpid()};
    note_result(journal, pm_print_report(journal->options.report, journal->ledger,
                                         pm_tables_dictionary(), &options));
}

void pm_journal_print(struct pm_journal *journal)
{
    print_report(journal);
    if (journal->options.freeonprint)
        pm_ledger_forget_collected(journal->ledger);
}

/* From half to one and a half times as long, at random: a tick sees who waits now, and what a
 * program does each 100 ms it would see always, or never. */
static int64_t vary(int64_t pause_ns, int64_t now_ns)
{
    const uint64_t random = (uint64_t)now_ns * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return pause_ns / 2 + (int64_t)(random * (uint64_t)pause_ns >> 32);
}

int64_t pm_journal_next_ns(const struct pm_journal *journal)
{
    int64_t pause_ns = vary(TICK_NS, journal->follower.now_ns);
    uint64_t n_waits = WAITS_PER_TICK + journal->follower.n / SLOTS_A_WAIT;
    if (journal->n_taken > n_waits) {
        pause_ns = (int64_t)(TICK_NS * n_waits / journal->n_taken);
        pause_ns = pause_ns < SHORT_TICK_NS ? SHORT_TICK_NS : pause_ns;
    }
    int64_t next_ns = journal->follower.now_ns + pause_ns;
    bool flush_is_sooner =
        journal->next_flush_ns < next_ns && journal->next_flush_ns > journal->follower.now_ns;
    return flush_is_sooner ? journal->next_flush_ns : next_ns;
}

bool pm_journal_is_flush_due(const struct pm_journal *journal)
{
    return journal->follower.now_ns >= journal->next_flush_ns ||
           journal->collected.n > PM_COLLECTED_MAX;
}

/* -- what others ask -- */

const struct pm_file *pm_journal_file(const struct pm_journal *journal)
{
    return &journal->volume.file;
}

const struct pm_facts *pm_journal_facts(const struct pm_journal *journal)
{
    return &journal->facts;
}

size_t pm_journal_wishes(const struct pm_journal *journal, struct pm_sample_wish *ret_wishes)
{
    return pm_owner_wishes(&journal->follower, true, ret_wishes);
}

/* All but the library itself and the stacks of its threads; of tables that grow a little more than
 * is used. */
static uint64_t memory_of(const struct pm_journal *journal)
{
    uint64_t bytes = pm_reservation_memory() - pm_slot_pool_given_back() - pm_frozen_unused() +
                     pm_stack_key_bytes() + atomic_load(&pm_self_metrics.thread_bytes) +
                     sizeof *journal + pm_ledger_memory(journal->ledger) +
                     pm_follower_memory(&journal->follower) + pm_enders_memory() +
                     pm_memory_log_memory() +
                     journal->collected.capacity * sizeof *journal->collected.blockers;
    for (int i = 0; i < 2; i++) {
        const struct scratch *scratch = &journal->scratch[i];
        bytes += scratch->wait_capacity * sizeof *scratch->waits +
                 scratch->rows.capacity * sizeof *scratch->rows.rows;
    }
    return bytes;
}

static void count_in_progress(struct pm_journal *journal, struct pm_status *status)
{
    const struct pm_follower *follower = &journal->follower;
    uint64_t in_progress = journal->n_crowd;
    int64_t oldest_begin_ns = journal->n_crowd ? journal->crowd_since_ns : INT64_MAX;
    for (size_t i = 0; i < follower->n; i++) {
        const struct pm_follow *follow = &follower->slots[i];
        if (follow->open) {
            in_progress++;
            if (follow->wait.begin_ns < oldest_begin_ns)
                oldest_begin_ns = follow->wait.begin_ns;
        }
    }
    status->in_progress = in_progress;
    status->slots = pm_slot_pool_used();
    status->longest_in_progress_ns =
        in_progress && follower->now_ns > oldest_begin_ns ? follower->now_ns - oldest_begin_ns : 0;
}

void pm_journal_get_status(struct pm_journal *journal, bool with_deadlocks,
                           struct pm_status *status)
{
    const struct pm_follower *follower = &journal->follower;
    struct pm_writer_stats stats;
    pm_writer_get_stats(journal->writer, &stats);
    if (with_deadlocks || follower->now_ns >= journal->next_count_ns) {
        int64_t begin_ns = pm_clock_now();
        count_in_progress(journal, status);
        journal->next_count_ns = begin_ns + (pm_clock_now() - begin_ns) * LOOK_SHARE;
    }
    status->recording = follower->recording;
    status->file_size = stats.file_bytes;
    status->max_size = journal->options.maxsize;
    status->begin_ns = journal->facts.begin_ns;
    status->oldest_ns = stats.oldest_ns;
    status->waits = journal->n_waits;
    status->wait_bytes = stats.wait_bytes;
    status->dropped = journal->n_dropped;
    if (with_deadlocks)
        status->deadlocks = pm_owner_deadlocks(follower);
    status->blockers = pm_ledger_n_cells(journal->ledger);
    status->memory_bytes = memory_of(journal) + stats.memory_bytes;
    pm_volume_get_status(&journal->volume, status);
}

/* -- begin and end -- */

int pm_journal_open(const struct pm_options *options, const struct pm_facts *facts,
                    struct pm_ring *spans, void (*on_many)(void), void (*say)(const char *text),
                    struct pm_journal **ret_journal, struct pm_error_info *ret_info)
{
    struct pm_journal *journal = calloc(1, sizeof *journal);
    if (journal)
        pm_census_init(&journal->census);
    if (!journal || pm_ledger_new(&journal->ledger) || !(journal->enders = pm_enders_new())) {
        pm_journal_free(journal);
        return pm_error_set(ret_info, PM_ERROR_MEMORY, -1, "no memory for the recorder");
    }
    journal->facts = *facts;
    take_options(journal, options);
    journal->spans = spans;
    journal->on_many = on_many;
    journal->next_flush_ns = pm_clock_now();
    journal->chunk_base_ns = journal->snapshot_base_ns = INT64_MIN;
    /* Before the file is made, which takes its time: a wait that begins after the recording does is
     * recorded, however soon. */
    pm_gate_set(!options->paused);
    journal->facts.begin_ns = pm_clock_now_both(&journal->facts.begin_unix_ns);
    pm_follower_init(&journal->follower, journal->ledger, !options->paused,
                     journal->facts.begin_ns);
    journal->follower.context = journal;
    journal->follower.ended = store;
    journal->follower.lost = note_lost;
    journal->follower.overflow = note_overflow;
    journal->follower.failed = note_failed;
    const struct pm_writer_options writer_options = {
        .context = journal, .on_chunk_begin = on_chunk_begin, .on_chunk_end = on_chunk_end};
    int error = pm_volume_open(&journal->volume, options, &journal->facts, &writer_options, say,
                               &journal->writer, ret_info);
    if (error) {
        pm_gate_set(false);
        pm_journal_free(journal);
        return error;
    }
    pm_slot_pool_watch(MANY_PAGES, on_many);
    *ret_journal = journal;
    return 0;
}

void pm_journal_close(struct pm_journal *journal)
{
    journal->ending = true;
    pm_gate_set(false);
    pm_memory_log_want_all();
    pm_journal_tick(journal);
    pm_journal_flush(journal); /* what goes on now is in the last chunk */
    pm_volume_close(&journal->volume, pm_clock_now());
    journal->writer = NULL;
    print_report(journal);
}

void pm_journal_abandon(struct pm_journal *journal)
{
    pm_gate_set(false);
    pm_volume_abandon(&journal->volume);
    journal->writer = NULL;
}

void pm_journal_free(struct pm_journal *journal)
{
    if (!journal)
        return;
    pm_ledger_free(journal->ledger);
    pm_enders_free(journal->enders);
    pm_census_clear(&journal->census);
    pm_follower_clear(&journal->follower);
    pm_collected_clear(&journal->collected);
    pm_memory_log_free(journal->memory);
    for (int i = 0; i < 2; i++) {
        free(journal->scratch[i].waits);
        free(journal->scratch[i].rows.rows);
    }
    free(journal);
}

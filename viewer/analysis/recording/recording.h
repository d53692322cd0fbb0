/* A recording in memory: immutable once loaded, shared by reference between threads.
 *
 * Times are ns since the recording's begin (`facts.begin_ns`), so negative for waits that began
 * before it. Ids become dense indices; index 0 of every table is "none". Waits are columns sorted
 * by begin; those still in progress at the end are rows too, with PM_WAIT_IN_PROGRESS and `end` =
 * the recording's end. */
#pragma once

#include <glib.h>

#include "format/reader.h"
#include "viewer/analysis/recording/outline.h"
#include "viewer/analysis/base/packed.h"

typedef struct PmRecording PmRecording;

typedef struct {
    const char *name; /* "java.util.concurrent.locks.ReentrantLock$NonfairSync"; "" for none */
} PmClass;

typedef struct {
    guint32 class_index;
    const char *name;
    const char *file; /* "" = not known */
} PmMethod;

typedef struct {
    guint32 method;
    gint32 line;
} PmFrame;

typedef struct {
    guint32 n_frames;
    gboolean truncated;
    const PmFrame *frames; /* innermost first */
    guint32 site;          /* index of the first frame outside java.base's locking code */
    guint32 field; /* the field that the site waits for, represented as a method; 0 = unknown */
    guint32 field_frame; /* while loading: the frame that was the site for the recorder */
} PmChain;

typedef struct {
    gint64 tid;
    const char *name;
    guint32 group; /* index into groups */
    gboolean is_virtual, is_daemon;
    gint64 begin, end; /* of its life within the recording; clipped to it */
    gboolean begin_known, ended;
} PmThread;

typedef struct {
    const char *name;  /* "http-nio-8080-exec-*" */
    const char *shown; /* the same; of a group of one, that thread's own name */
    guint32 n_threads;
} PmGroup;

typedef struct {
    guint32 class_index;
    guint32 hash;
    guint32 parent; /* blocker index */
    guint32 flags;  /* enum pm_blocker_flags */
    guint32 first_chain, first_thread;
} PmBlocker;

/* The columns of waits, packed so that 100 million waits fit in memory. Read them through the
 * functions below. */
enum pm_wait_column {
    PM_WAIT_COLUMN_BEGIN,
    PM_WAIT_COLUMN_LENGTH,
    PM_WAIT_COLUMN_WAKE, /* 0 = not known, else 1 + 2 · (end − wake) */
    PM_WAIT_COLUMN_THREAD,
    PM_WAIT_COLUMN_BLOCKER,
    PM_WAIT_COLUMN_CHAIN,
    PM_WAIT_COLUMN_OWNER,
    PM_WAIT_COLUMN_WAKER,
    PM_WAIT_COLUMN_WAKER_CHAIN,
    PM_WAIT_COLUMN_AQS_STATE,
    PM_WAIT_COLUMN_FLAGS,
    PM_WAIT_COLUMN_KIND,
    PM_WAIT_COLUMN_WAKE_CAUSE,
    PM_WAIT_COLUMN_CATEGORY,
    PM_N_WAIT_COLUMNS,
};

typedef struct {
    gsize n;
    PmPacked columns[PM_N_WAIT_COLUMNS];
} PmWaits;

static inline gint64 pm_wait_column(const PmWaits *waits, enum pm_wait_column column, gsize row)
{
    return pm_packed_get(&waits->columns[column], row);
}

/* Rows that begin before `limit`. O(log n) */
gsize pm_waits_before(const PmWaits *waits, gint64 limit);

/* Of the `n` rows from `first` on. */
static inline void pm_wait_columns(const PmWaits *waits, enum pm_wait_column column, gsize first,
                                   gsize n, gint64 *ret_values)
{
    pm_packed_read(&waits->columns[column], first, n, ret_values);
}

static inline gint64 pm_wait_begin(const PmWaits *waits, gsize row)
{
    return pm_wait_column(waits, PM_WAIT_COLUMN_BEGIN, row);
}

static inline gint64 pm_wait_length(const PmWaits *waits, gsize row)
{
    return pm_wait_column(waits, PM_WAIT_COLUMN_LENGTH, row);
}

static inline gint64 pm_wait_end(const PmWaits *waits, gsize row)
{
    return pm_wait_begin(waits, row) + pm_wait_length(waits, row);
}

/* When the waiter of a wait that ended at `end` was woken, as the column keeps it; 0 = not known.
 */
static inline gint64 pm_wake_of(gint64 stored, gint64 end)
{
    return stored == 0 ? 0 : end - (stored - 1) / 2;
}

static inline gint64 pm_wait_wake(const PmWaits *waits, gsize row)
{
    return pm_wake_of(pm_wait_column(waits, PM_WAIT_COLUMN_WAKE, row), pm_wait_end(waits, row));
}

/* Who was woken so long ago and still has not run waits for a carrier or a processor. */
#define PM_WOKEN_NS G_GINT64_CONSTANT(10000000)

/* Of a park that goes on at `at`: when its thread was woken; 0: it was not, or less than
 * PM_WOKEN_NS before. Who was notified of a monitor may still wait for that. */
static inline gint64 pm_wait_woken_at(const PmWaits *waits, gsize row, gint64 at)
{
    const gint64 wake = pm_wait_column(waits, PM_WAIT_COLUMN_KIND, row) == PM_KIND_PARK
                            ? pm_wait_wake(waits, row)
                            : 0;
    return wake >= pm_wait_begin(waits, row) && wake <= at - PM_WOKEN_NS ? wake : 0;
}

#define PM_WAIT_GETTER(type, name, column)                                                         \
    static inline type pm_wait_##name(const PmWaits *waits, gsize row)                             \
    {                                                                                              \
        return (type)pm_wait_column(waits, PM_WAIT_COLUMN_##column, row);                          \
    }
PM_WAIT_GETTER(guint32, thread, THREAD)
PM_WAIT_GETTER(guint32, blocker, BLOCKER)
PM_WAIT_GETTER(guint32, chain, CHAIN)
PM_WAIT_GETTER(guint32, owner, OWNER)
PM_WAIT_GETTER(guint32, waker, WAKER)
PM_WAIT_GETTER(guint32, waker_chain, WAKER_CHAIN)
PM_WAIT_GETTER(gint32, aqs_state, AQS_STATE)
PM_WAIT_GETTER(guint16, flags, FLAGS) /* enum pm_wait_flags */
PM_WAIT_GETTER(guint8, kind, KIND)    /* enum pm_kind */
PM_WAIT_GETTER(guint8, wake_cause, WAKE_CAUSE)
PM_WAIT_GETTER(guint8, category, CATEGORY) /* enum PmCategory, set at load */
#undef PM_WAIT_GETTER

typedef struct {
    gint64 at;
    guint32 waiter, blocker, owner, chain;
    guint32 weight; /* waits in progress it stands for */
    guint8 state;   /* enum pm_owner_state */
    guint8 role;    /* enum pm_sample_role; `owner` is the sampled thread in every role */
} PmOwnerSample;

/* A thread's processor time in (since, at]. Without progress there is no row. */
typedef struct {
    gint64 at, since;
    guint32 thread;
    gint64 cpu, run_delay;
} PmCensusRow;

/* A sampled object (docs/format.md §4.12), which represents others. */
typedef struct {
    gint64 at; /* born */
    gint64 size, interval;
    guint32 thread, class_index, chain;
    guint32 age; /* GCs survived, of objects that live */
    guint8 halvings;
} PmAllocation;

/* A class at a stack trace. */
typedef struct {
    guint32 class_index, chain;
    struct pm_memory_sum total, live;
} PmMemoryCell;

/* A memory snapshot: the cells it contains, and the sums of all. */
typedef struct {
    gint64 at;
    gint64 live_at;    /* when liveness was checked; G_MININT64: not yet */
    gint64 exact_from; /* G_MININT64: it is not exact */
    gint64 interval, gcs, old_gcs, not_stored;
    struct pm_memory_sum total, live;
    guint8 flags; /* enum pm_memory_flags */
    guint32 first_cell, n_cells;
} PmMemorySnapshot;

typedef struct {
    gint64 begin, end;
} PmInterval;

typedef struct {
    gint64 begin, end;
    guint8 reason; /* enum pm_gap_reason */
    gint64 waits, thread_time;
} PmGap;

/* Whether its waits were lost, rather than omitted by an option. */
static inline gboolean pm_gap_is_drop(const PmGap *gap)
{
    return gap->reason == PM_GAP_BUFFER_FULL || gap->reason == PM_GAP_NO_SLOT ||
           gap->reason == PM_GAP_WRITE;
}

/* Until `at`, a thread had a name different from PmThread's, which is its last. Names are polled:
 * it was renamed then or up to ten seconds earlier. */
typedef struct {
    gint64 at;
    guint32 thread;
    const char *name;
} PmFormerName;

/* What could not be read of the file. */
typedef struct {
    guint64 offset, length; /* bytes */
    gint64 begin, end;      /* from the last wait before it to the first after it, in its chunk */
    const char *text;       /* "stored bytes are not what was written" */
} PmDamage;

/* The ledger's last counters of one blocker and kind, as of `ledger_at`; later waits are counted
 * individually (report --since-start, counters-only recordings). */
typedef struct {
    guint32 blocker;
    struct pm_counters counters; /* ids are file ids; times since the recording's begin */
} PmLedgerRow;

typedef struct {
    const char *file; /* as named by the user */
    guint32 pid;
    const char *jvm, *main, *host, *options, *zone, *not_recorded;
    gint64 begin_unix_ns;
    gint64 utc_offset_s; /* of the recorded machine's zone, from `zone` */
    guint32 n_chunks, damaged_blocks;
    guint64 lost_bytes, file_bytes;
    gint64 dropped; /* waits not stored because a buffer was full */
} PmRecordingFacts;

#define PM_MAX_DAMAGE 1000

struct PmRecording {
    int ref_count;
    PmRecordingFacts facts;
    gint64 duration;     /* last instant known: the range is [0, duration] */
    gint64 window_begin; /* the span whose waits are stored: [window_begin, duration] */
    guint32 n_classes, n_methods, n_chains, n_threads, n_groups, n_blockers;
    const PmClass *classes;
    const PmMethod *methods;
    const PmChain *chains;
    const PmThread *threads;
    const PmGroup *groups;
    const PmBlocker *blockers;
    PmWaits waits;
    guint32 n_samples, n_census, n_gc, n_stopped, n_gaps, n_ledger, n_former_names, n_damage;
    const PmOwnerSample *samples;     /* by time */
    const PmCensusRow *census;        /* by `at` */
    const PmFormerName *former_names; /* by thread, those of one by time */
    const PmInterval *gc, *stopped;
    guint32 n_allocations, n_snapshots, n_cells, n_live;
    const PmAllocation *allocations;   /* by time; those that are stored */
    const PmMemorySnapshot *snapshots; /* by time */
    const PmMemoryCell *cells;         /* those of each snapshot */
    const PmAllocation *live;          /* the last listing of live objects, by allocation time */
    gint64 listed_at;                  /* then; G_MININT64: never */
    const PmGap *gaps;
    const PmLedgerRow *ledger;
    gint64 ledger_at;       /* time of the last snapshot; G_MININT64 = there is none */
    const PmDamage *damage; /* in order of the file; the first PM_MAX_DAMAGE of them */
    gpointer priv;
};

#define PM_RECORDING_ERROR (pm_recording_error_quark())
GQuark pm_recording_error_quark(void); /* codes: enum pm_error, negated */

PmRecording *pm_recording_ref(PmRecording *recording);
void pm_recording_unref(PmRecording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmRecording, pm_recording_unref)

/* What a thread was called at an instant. */
const char *pm_recording_thread_name(const PmRecording *recording, guint32 thread, gint64 at);
/* The class of a method, and that of a frame: "com.acme.PriceCache". Borrowed. */
static inline const char *pm_recording_class_of(const PmRecording *recording, guint32 method)
{
    return recording->classes[recording->methods[method].class_index].name;
}
static inline const char *pm_recording_class_at(const PmRecording *recording, const PmChain *chain,
                                                guint32 frame)
{
    return pm_recording_class_of(recording, chain->frames[frame].method);
}
/* The method at a chain's site; 0 = none. */
guint32 pm_recording_site_method(const PmRecording *recording, guint32 chain);
/* Whether two waits, as rows, are for objects of one class, in one method. */
gboolean pm_recording_are_alike(const PmRecording *recording, guint32 a, guint32 b);
/* Is it anywhere on the chain? */
gboolean pm_recording_has_method(const PmRecording *recording, guint32 chain, guint32 method);

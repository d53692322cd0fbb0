/* What a recording is made of: the plain values that the recorder hands to the writer and that the
 * reader hands to the viewer. No pointers into files, no encoding: docs/format.md covers that.
 *
 * Ids are assigned by the recorder from 1 upwards, 0 = none, and mean the same in the whole
 * recording. Every time is int64_t nanoseconds of CLOCK_MONOTONIC of the recorded machine; a
 * `struct pm_clock` pair turns it into wall-clock time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times that a recording can hold: 0 ≤ t < PM_TIME_LIMIT, so that sums of two never overflow. */
#define PM_TIME_LIMIT (INT64_C(1) << 62)

/* The recorder's own threads that are attached to the JVM, by name. They are none of the program's.
 */
#define PM_SAMPLER_THREAD "parkmeter-sampler"
#define PM_SWEEP_THREAD   "parkmeter-sweep"

typedef struct {
    uint32_t n;
} pm_class_id;
typedef struct {
    uint32_t n;
} pm_method_id;
typedef struct {
    uint32_t n;
} pm_chain_id;
typedef struct {
    uint32_t n;
} pm_thread_id;
typedef struct {
    uint32_t n;
} pm_blocker_id;

enum pm_kind {
    PM_KIND_PARK = 0,  /* LockSupport.park */
    PM_KIND_ENTER = 1, /* contended monitor; "synchronized" on screen */
    PM_KIND_WAIT = 2,  /* Object.wait */
    PM_N_KINDS = 3,
};

/* Why a wait ended, read from the waker's first frames, the interrupt flag and the timeout. */
enum pm_wake_cause {
    PM_WAKE_UNKNOWN = 0,
    PM_WAKE_RELEASE = 1,      /* an owner released the lock (or permit) */
    PM_WAKE_PROPAGATION = 2,  /* a woken waiter woke the next one (latch, read lock) */
    PM_WAKE_CANCELLATION = 3, /* a waiter that gave up woke the next one */
    PM_WAKE_SIGNAL = 4,       /* Condition.signal and the like */
    PM_WAKE_COMPLETION = 5,   /* a future, latch or barrier was completed, a thread ended */
    PM_WAKE_NOTIFY = 6,       /* Object.notify */
    PM_WAKE_INTERRUPT = 7,
    PM_WAKE_TIME_OUT = 8,
    PM_WAKE_PERMIT = 9, /* the unpark came before the park */
    PM_N_WAKE_CAUSES = 10,
};

enum pm_wait_flags {
    PM_WAIT_TIMED = 1 << 0,         /* the wait had a timeout */
    PM_WAIT_BEGIN_UNKNOWN = 1 << 1, /* already waiting when recording began (attach, start) */
    PM_WAIT_CUT = 1 << 2,           /* ended by `stop` or the recording's end, not by a wake */
    PM_WAIT_AMBIGUOUS = 1 << 3,     /* two wakers, or a wake while the timeout expired */
    PM_WAIT_AFTER_WAIT = 1 << 4,    /* monitor re-entered after Object.wait */
    PM_WAIT_VIRTUAL = 1 << 5,       /* the waiter is an unmounted virtual thread */
    PM_WAIT_IN_PROGRESS = 1 << 6,   /* not ended when last seen; `duration_ns` is up to then */
    PM_WAIT_AT_MOST = 1 << 7,       /* its end was missed: the end is when that was noticed */
    PM_WAIT_KNOWN_FLAGS = (1 << 8) - 1,
};

/* One wait. A wait in progress has PM_WAIT_IN_PROGRESS, a waker only if its thread was woken and
 * has not run since, and the same (thread, begin_ns) as the ended wait that replaces it later. */
struct pm_wait {
    int64_t begin_ns;
    int64_t duration_ns;
    int64_t wake_ns; /* the waker's clock when it woke the waiter; 0 = not known */
    pm_thread_id thread;
    pm_blocker_id blocker; /* never 0: a null blocker has a pseudo-blocker of class 0 per site */
    pm_chain_id chain;
    pm_thread_id owner; /* held the blocker when the wait began; 0 = none or not known */
    pm_thread_id waker;
    pm_chain_id waker_chain;
    int32_t aqs_state; /* AbstractQueuedSynchronizer.state when the wait began; for
                        * AbstractQueuedLongSynchronizer the two halves, at most 65535 each; for a
                        * StampedLock its readers in the upper half, 1 in the lower half for a
                        * writer; 0 if there is none */
    uint8_t kind;      /* enum pm_kind */
    uint8_t wake_cause;
    uint16_t flags;
};

/* A string of a definition: UTF-8, not zero-terminated, borrowed for the duration of the call. */
struct pm_text {
    const char *bytes;
    uint32_t length;
};

struct pm_class {
    pm_class_id id;
    struct pm_text name; /* as in source: "java.util.concurrent.locks.ReentrantLock$NonfairSync" */
};

struct pm_method {
    pm_method_id id;
    pm_class_id class_id;
    struct pm_text name; /* "awaitNanos" */
    struct pm_text file; /* "ReentrantLock.java"; empty when not known */
};

struct pm_frame {
    pm_method_id method;
    int32_t line; /* -1 native, 0 not known */
};

/* A stack trace, innermost frame first, including LockSupport.park's own frames as HotSpot reports
 * them. `truncated`: there were more frames than stackdepth. */
struct pm_chain {
    pm_chain_id id;
    uint32_t n_frames;
    const struct pm_frame *frames;
    bool truncated;
    pm_method_id field;   /* as in struct pm_reached; 0 = not known */
    uint32_t field_frame; /* its frame */
};

/* The field through which the first frame of a stack trace outside java.base's locking code reached
 * the blocker: `lock` of PriceCache if that code is `lock.lock()`. It is stored like a method, with
 * class and name but no file. */
struct pm_reached {
    pm_chain_id chain;
    uint32_t frame; /* which one that is */
    pm_method_id field;
};

struct pm_thread {
    pm_thread_id id;
    int64_t tid; /* Thread.tid (Thread.threadId()) */
    struct pm_text name;
    bool is_virtual;
    bool is_daemon;
};

enum pm_blocker_flags {
    PM_BLOCKER_NULL = 1 << 0,      /* park() without a blocker: one pseudo-blocker per site */
    PM_BLOCKER_FOLDED = 1 << 1,    /* many blockers of one class and site, parked on once each */
    PM_BLOCKER_COLLECTED = 1 << 2, /* the object was collected by the GC */
    PM_BLOCKER_EVICTED = 1 << 3,   /* left the bounded table; may return under a new id */
    PM_BLOCKER_KNOWN_FLAGS = (1 << 4) - 1,
};

struct pm_blocker {
    pm_blocker_id id;
    pm_class_id class_id;
    uint32_t hash;        /* identity hash code; 0 for pseudo-blockers */
    pm_blocker_id parent; /* the lock behind a condition; 0 = none */
    uint32_t flags;
    pm_chain_id first_chain; /* of the first wait on it: gives the site in its name */
    pm_thread_id first_thread;
};

/* Cumulative counters of one blocker and kind since the recording began: from the ledger, exact
 * regardless of what was stored. `real_time_ns` and `peak` are lower bounds when `bound` is set.
 * Waits in progress at the snapshot's `at_ns` are included in times, now, thread_time and
 * real_time. */
struct pm_counters {
    pm_blocker_id blocker;
    uint8_t kind;
    bool bound;
    uint32_t now;
    uint32_t peak;
    int64_t times;
    int64_t thread_time_ns;
    int64_t real_time_ns;
    int64_t longest_ns;
    int64_t first_ns;           /* first event */
    int64_t last_ns;            /* last event */
    int64_t not_stored;         /* waits counted and not stored (mintime, events=off, drops) */
    int64_t not_stored_time_ns; /* their thread-time */
};

enum pm_snapshot_place {
    PM_SNAPSHOT_BASE = 0,     /* opens a chunk: only blockers still in the table */
    PM_SNAPSHOT_PERIODIC = 1, /* those changed since the last snapshot */
    PM_SNAPSHOT_END = 2,      /* closes a chunk: those changed within it */
};

/* Why a thread was sampled: its relation to a wait in progress. */
enum pm_sample_role {
    PM_SAMPLE_OWNER = 0, /* owns the blocker */
    PM_SAMPLE_ENDER = 1, /* the blocker has no owner; the thread usually ends such waits, or at
                          * least runs */
    PM_N_SAMPLE_ROLES = 2,
};

/* The stack trace of a thread that others wait for, sampled meanwhile; without a waiter and a
 * blocker, where it called Runtime.gc. */
struct pm_owner_sample {
    int64_t at_ns;
    pm_thread_id waiter;
    pm_blocker_id blocker;
    pm_thread_id owner; /* or expected ender: the sampled thread */
    pm_chain_id chain;
    uint8_t owner_state; /* enum pm_owner_state */
    uint8_t role;        /* enum pm_sample_role */
    uint32_t weight;     /* number of waits represented; `waiter` and `blocker` are those of one */
};

enum pm_owner_state {
    PM_OWNER_UNKNOWN = 0,
    PM_OWNER_WAITING = 1,
    PM_OWNER_RUNNING = 2,
    PM_OWNER_ENDED = 3, /* and owns it still */
};

/* A thread's processor time between two readings. There is no row for a reading without progress.
 */
struct pm_census_row {
    int64_t since_ns, at_ns; /* the readings; the first may be the thread's start */
    pm_thread_id thread;
    int64_t cpu_ns;
    int64_t run_delay_ns; /* it was runnable but had no processor */
};

/* An object whose allocation was sampled. It represents 1 / (1 − exp(−size / interval)) objects, or
 * one if the interval is 0, and twice as many for each halving. */
struct pm_allocation {
    int64_t at_ns;
    int64_t size_bytes;
    int64_t interval_bytes; /* mean bytes between samples at that time; 0 = every object was sampled
                             */
    pm_thread_id thread;
    pm_class_id class_id;
    pm_chain_id chain;
    uint32_t age;     /* GCs survived, for live objects; else 0 */
    uint8_t halvings; /* how often it was kept when half of the objects were dropped at random, for
                       * live objects */
};

#define PM_HALVINGS_MAX 40

/* Totals represented by sampled objects: estimates with their standard errors, exact if those are
 * 0. */
struct pm_memory_sum {
    int64_t samples;
    int64_t objects, bytes;
    int64_t objects_error, bytes_error;
};

/* What was allocated of one class at one stack trace since the recording began, and what of it was
 * live when last checked. Without a stack trace: those that did not fit in the table. */
struct pm_memory_cell {
    pm_class_id class_id;
    pm_chain_id chain;
    struct pm_memory_sum total, live;
};

enum pm_memory_flags {
    PM_MEMORY_AFTER_GC = 1 << 0,     /* there was a GC since the previous snapshot */
    PM_MEMORY_AFTER_OLD_GC = 1 << 1, /* including one that examines the old generation */
    PM_MEMORY_LIVE_BOUND = 1 << 2,   /* some live objects could not be followed: live is a lower
                                      * bound */
    PM_MEMORY_LIVE_THINNED = 1 << 3, /* some live objects were dropped at random; the rest
                                      * represent more */
    PM_MEMORY_KNOWN_FLAGS = (1 << 4) - 1,
};

/* The state of all cells at an instant. */
struct pm_memory_head {
    int64_t at_ns;
    int64_t live_at_ns;     /* when liveness was last checked */
    int64_t interval_bytes; /* now */
    int64_t exact_from_ns;  /* every object since then was counted; 0 = not the case */
    int64_t gcs, old_gcs;   /* since the recording began, and those that examine the old generation
                             */
    int64_t not_stored;     /* samples counted here and stored nowhere else */
    struct pm_memory_sum total, live; /* of all cells, including those not listed */
    uint8_t place;                    /* enum pm_snapshot_place: which cells are listed */
    uint8_t flags;                    /* enum pm_memory_flags */
};

enum pm_span_kind {
    PM_SPAN_THREAD = 0,  /* a thread's life; end 0 = alive; begin 0 = before the recording */
    PM_SPAN_GC = 1,      /* a stop-the-world pause */
    PM_SPAN_STOPPED = 2, /* the recorder was stopped; end 0 = still */
};

struct pm_span {
    uint8_t kind;
    pm_thread_id thread; /* PM_SPAN_THREAD */
    int64_t begin_ns;
    int64_t end_ns;
};

/* Words for what is missing from a recording, one for each way:
 *   refused      a wait that is not recorded at all, counters included (waits/refusal.h)
 *   not stored   counted, but an option omits its details (events, mintime, minparks, idle)
 *   dropped      counted, but no space for its details (buffer full, no slot)
 *   lost         stored in a file that could not be written or was removed (write)
 *   unseen       parks that bypassed the recorder */
enum pm_gap_reason {
    PM_GAP_BUFFER_FULL = 0, /* a thread's buffer was full */
    PM_GAP_EVENTS_OFF = 1,
    PM_GAP_MINTIME = 2,
    PM_GAP_MINPARKS = 3,
    PM_GAP_NO_SLOT = 4, /* more threads than slots */
    PM_GAP_WRITE = 5,   /* the file could not be written or was lost, or memory was short */
    PM_GAP_IDLE = 6,    /* idle=off: an idle pool thread's */
    PM_GAP_UNSEEN = 7,  /* at least this many threads parked in calls that bypassed the recorder */
    PM_N_GAP_REASONS = 8,
};

/* What was not stored between two instants, and why. The counters include it. */
struct pm_gap {
    int64_t begin_ns;
    int64_t end_ns;
    uint8_t reason;
    int64_t waits;
    int64_t thread_time_ns;
};

/* Facts of the recorded JVM, one per recording, repeated in every chunk. */
struct pm_facts {
    uint32_t pid;
    int64_t begin_ns;      /* the recording's begin */
    int64_t begin_unix_ns; /* the same instant as CLOCK_REALTIME */
    struct pm_text jvm;    /* "OpenJDK 17.0.15" */
    struct pm_text main;   /* "LargeCriticalSection 64" or "orders.jar" */
    struct pm_text host;
    struct pm_text options;      /* the recorder's options, as given */
    struct pm_text zone;         /* "UTC+1" */
    struct pm_text not_recorded; /* "Object.wait, synchronized, virtual threads" or empty */
};

/* One pair per chunk, to convert monotonic to wall-clock time. */
struct pm_clock {
    int64_t monotonic_ns;
    int64_t unix_ns;
};

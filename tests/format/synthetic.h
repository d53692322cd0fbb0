/* Recordings made by hand or by chance, for tests and benchmarks: everything goes through
 * pm_writer, so what a test reads was really written.
 *
 * By hand:
 *     struct syn *s = syn_new();
 *     pm_thread_id worker = syn_thread(s, "worker-1");
 *     pm_blocker_id lock = syn_blocker(s, syn_class(s, "demo.Lock"), 0x1b2c);
 *     struct pm_wait *wait = syn_wait(s, worker, lock, 5 * SYN_MS, 2 * SYN_MS);
 *     wait->chain = syn_chain(s, "demo.Lock.lock(Lock.java:12)", "demo.Main.run(Main.java:7)",
 * NULL); struct pm_source source = syn_finish(s, 20 * SYN_MS); … syn_free(s);
 *
 * Times are ns since the recording's begin; the recorded monotonic clock starts at SYN_BEGIN_NS.
 * Failures abort: a test has no use for them. */
#pragma once

#include "format/writer.h"
#include "tests/format/in-memory.h"

#define SYN_BEGIN_NS      INT64_C(1000000000000)
#define SYN_BEGIN_UNIX_NS INT64_C(1714824000000000000) /* 2024-05-04 12:00:00 UTC */
#define SYN_US            INT64_C(1000)
#define SYN_MS            INT64_C(1000000)
#define SYN_S             INT64_C(1000000000)

struct syn;

struct syn *syn_new(void);
void syn_free(struct syn *s);

/* The facts, to change before syn_finish; texts of static storage. */
struct pm_facts *syn_facts(struct syn *s);
/* Every chain has its innermost method as the field that its outermost frame reached. */
void syn_give_fields(struct syn *s);

/* Definitions. Equal classes, methods and chains get equal ids; threads and blockers are new with
 * each call. */
pm_class_id syn_class(struct syn *s, const char *name);
/* Frames innermost first, each "pkg.Class.method(File.java:12)", "(Native Method)" or
 * "(Unknown Source)"; NULL ends them. */
pm_chain_id syn_chain(struct syn *s, const char *frame, ...) __attribute__((sentinel));
pm_chain_id syn_chain_v(struct syn *s, const char *const *frames);
pm_thread_id syn_thread(struct syn *s, const char *name);
pm_blocker_id syn_blocker(struct syn *s, pm_class_id class_id, uint32_t hash);
/* To change a definition before syn_finish: is_virtual, parent, first_chain, flags … Valid until
 * the next thread or blocker is made. */
struct pm_thread *syn_thread_of(struct syn *s, pm_thread_id id);
struct pm_blocker *syn_blocker_of(struct syn *s, pm_blocker_id id);

/* Records, in any order. The wait returned may be completed (chain, owner, waker, kind, …) until
 * the next call. With PM_WAIT_IN_PROGRESS among its flags it goes into the progress block at the
 * end instead, its duration up to then. A blocker's first chain and thread, when not set, are those
 * of its first wait. */
struct pm_wait *syn_wait(struct syn *s, pm_thread_id thread, pm_blocker_id blocker,
                         int64_t begin_ns, int64_t duration_ns);
struct pm_wait *syn_progress(struct syn *s, pm_thread_id thread, pm_blocker_id blocker,
                             int64_t begin_ns);
void syn_owner_sample(struct syn *s, struct pm_owner_sample sample);
void syn_span(struct syn *s, struct pm_span span);
void syn_gap(struct syn *s, struct pm_gap gap);
void syn_allocation(struct syn *s, struct pm_allocation allocation);
/* A snapshot of memory; its sums over all cells are those of `cells`. Exact from the begin on when
 * its interval is 0. */
void syn_memory(struct syn *s, struct pm_memory_head head, const struct pm_memory_cell *cells,
                size_t n_cells);
/* An object of the one listing of what lives, at the end. */
void syn_live(struct syn *s, struct pm_allocation object);
/* Rows for the END snapshot; syn_ledger makes them from all the waits, exactly. */
void syn_counters(struct syn *s, struct pm_counters counters);
void syn_ledger(struct syn *s);

/* Writes the recording, waits in the order they ended, and ends it at `end_ns`. The memory, and
 * the source over it, live until syn_free. */
struct pm_source syn_finish(struct syn *s, int64_t end_ns);
void syn_finish_file(struct syn *s, int64_t end_ns, const char *path);
/* Options of the writer for both (block_waits, max_size, slot_size …); callbacks are ours. */
struct pm_writer_options *syn_options(struct syn *s);
const void *syn_bytes(struct syn *s, size_t *ret_size); /* after syn_finish */

/* The definitions as a writer's dictionary, for a test that drives a writer itself. */
struct pm_dictionary syn_dictionary(struct syn *s);
/* A writer of these facts and definitions. */
struct pm_writer *syn_writer(struct syn *s, struct pm_sink sink,
                             const struct pm_writer_options *options);
/* Memory to write to, without a limit. pm_memory_free. */
struct pm_memory *syn_new_memory(void);
/* For waits that are many: 50 threads and blockers, and of them the i-th wait. */
void syn_define_fifty(struct syn *s);
struct pm_wait syn_wait_number(unsigned i);

/* By hand, ready made: a few of every kind of record, not yet finished; it ends at SYN_SMALL_END.
 */
#define SYN_SMALL_END (2 * SYN_S)
struct syn *syn_small(void);

/* By chance: a server's shape, the same for the same seed. Threads in five groups (web, workers, a
 * fork-join pool, a scheduler, database), a queue to idle at for each, locks, connection pools,
 * monitors and futures; chains shared among them. */
struct syn_shape {
    uint64_t waits;
    uint32_t threads, blockers, chains; /* 0 = 200, 40, 300 */
    uint64_t seed;                      /* 0 = 1 */
    bool hand_off;                      /* two threads that wake each other instead */
    struct pm_writer_options options;   /* max_size … ; callbacks are ours */
    int64_t flush_ns;                   /* flushes as recorded time passes; 0 = each second */
};

/* Totals as a brute force sum over everything generated. */
struct syn_totals {
    uint64_t waits;
    int64_t thread_time_ns;
    int64_t end_ns; /* since the begin */
    struct pm_writer_stats stats;
    uint32_t n_counters;
    struct pm_counters counters[512]; /* by blocker and kind; times and thread-time only */
};

/* Takes the sink. Needs little memory whatever the number of waits. */
void syn_generate(const struct syn_shape *shape, struct pm_sink sink,
                  struct syn_totals *ret_totals);
void syn_generate_file(const struct syn_shape *shape, const char *path,
                       struct syn_totals *ret_totals);

/* A reproducible stream of numbers (splitmix64), for property tests. */
uint64_t syn_random(uint64_t *state);
static inline uint64_t syn_random_below(uint64_t *state, uint64_t limit)
{
    return syn_random(state) % limit;
}
/* A number whose length in bits is even likely: small ones are as frequent as giants. */
uint64_t syn_random_spread(uint64_t *state, unsigned max_bits);

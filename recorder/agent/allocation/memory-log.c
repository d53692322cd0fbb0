#include "recorder/agent/allocation/memory-log.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/allocation/cells.h"
#include "recorder/agent/allocation/followed.h"
#include "recorder/agent/allocation/samples.h"
#include "recorder/agent/allocation/thinning.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/hotspot/collections.h"

#define SHORTEST_NS 1000000000
#define LONGEST_NS  60000000000
#define AGE_PARTS   20
#define BASE_CELLS  512 /* told as a chunk begins: those with the most bytes */

/* What was last told of a cell: no more than tells that it changed. */
struct told {
    int64_t samples;
    int64_t live_samples, live_bytes;
};

struct pm_memory_log {
    int64_t begin_ns, told_ns;
    int64_t told_live_ns; /* when that was looked at which was told last */
    int64_t told_gcs, told_old;
    struct told told[PM_CELLS_MAX];        /* by the last snapshot … */
    struct told chunk_begin[PM_CELLS_MAX]; /* … and as the chunk began */
    struct pm_memory_cell all[PM_CELLS_MAX];
    /* On their way to the writer: [1] as a chunk begins or ends, while it may read [0]. */
    struct pm_memory_cell rows[2][PM_CELLS_MAX];
};

/* Made when there is something to tell; else NULL. */
static struct pm_memory_log *log_of(struct pm_memory_log **log, int *ret_error)
{
    *ret_error = 0;
    if (!*log && pm_cells_count() > 0) {
        *log = calloc(1, sizeof **log);
        if (*log)
            (*log)->begin_ns = pm_clock_now();
        *ret_error = *log ? 0 : PM_ERROR_MEMORY;
    }
    return *log;
}

void pm_memory_log_free(struct pm_memory_log *log)
{
    free(log);
}

static int take_samples(struct pm_writer *writer)
{
    struct pm_allocation samples[64];
    size_t n;
    int result = 0;
    do {
        n = pm_samples_take(samples, sizeof samples / sizeof *samples);
        for (size_t i = 0; i < n; i++) {
            int error = pm_writer_add_allocation(writer, &samples[i]);
            result = result ? result : error;
        }
    } while (n == sizeof samples / sizeof *samples);
    return result;
}

static bool is_due(const struct pm_memory_log *log, int64_t now_ns)
{
    int64_t pause_ns = (now_ns - log->begin_ns) / AGE_PARTS;
    pause_ns = pause_ns < SHORTEST_NS ? SHORTEST_NS : pause_ns > LONGEST_NS ? LONGEST_NS : pause_ns;
    return pm_cells_live_look().at_ns > log->told_live_ns && now_ns - log->told_ns >= pause_ns;
}

static struct told told_of(const struct pm_memory_cell *cell)
{
    return (struct told){cell->total.samples, cell->live.samples, cell->live.bytes};
}

static int64_t greater_of(const struct pm_memory_cell *cell)
{
    return cell->live.bytes > cell->total.bytes ? cell->live.bytes : cell->total.bytes;
}

static int compare_bytes(const void *a, const void *b)
{
    int64_t x = greater_of(a), y = greater_of(b);
    return (x < y) - (x > y);
}

static size_t choose_rows(const struct pm_memory_log *log, uint32_t n, enum pm_snapshot_place place,
                          struct pm_memory_cell *ret_rows)
{
    const struct told *since = place == PM_SNAPSHOT_END ? log->chunk_begin : log->told;
    size_t n_rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct told now = told_of(&log->all[i]);
        bool is_empty = now.samples == 0 && now.live_samples == 0;
        if (place == PM_SNAPSHOT_BASE ? !is_empty : memcmp(&now, &since[i], sizeof now) != 0)
            ret_rows[n_rows++] = log->all[i];
    }
    if (place == PM_SNAPSHOT_BASE && n_rows > BASE_CELLS) {
        qsort(ret_rows, n_rows, sizeof *ret_rows, compare_bytes);
        n_rows = BASE_CELLS;
    }
    return n_rows;
}

static void keep_told(struct pm_memory_log *log, uint32_t n, enum pm_snapshot_place place)
{
    for (uint32_t i = 0; i < n; i++)
        if (place == PM_SNAPSHOT_PERIODIC)
            log->told[i] = told_of(&log->all[i]);
        else if (place == PM_SNAPSHOT_BASE)
            log->chunk_begin[i] = told_of(&log->all[i]);
}

static int tell(struct pm_memory_log *log, struct pm_writer *writer, enum pm_snapshot_place place)
{
    int64_t now_ns = pm_clock_now(), interval = pm_thinning_interval();
    struct pm_memory_head head = {.at_ns = now_ns,
                                  .interval_bytes = interval > 0 ? interval : 0,
                                  .exact_from_ns = pm_cells_exact_from_ns(),
                                  .not_stored = (int64_t)pm_samples_lost(),
                                  .place = (uint8_t)place};
    uint32_t n = pm_cells_copy(log->all, &head);
    head.flags |= (head.gcs != log->told_gcs ? PM_MEMORY_AFTER_GC : 0) |
                  (head.old_gcs != log->told_old ? PM_MEMORY_AFTER_OLD_GC : 0) |
                  (pm_followed_refused() ? PM_MEMORY_LIVE_BOUND : 0);
    struct pm_memory_cell *rows = log->rows[place != PM_SNAPSHOT_PERIODIC];
    size_t n_rows = choose_rows(log, n, place, rows);
    keep_told(log, n, place);
    if (place == PM_SNAPSHOT_PERIODIC) {
        log->told_ns = now_ns;
        log->told_live_ns = head.live_at_ns;
        log->told_gcs = head.gcs;
        log->told_old = head.old_gcs;
    }
    return pm_writer_add_memory(writer, &head, rows, n_rows);
}

static int tell_live(struct pm_writer *writer)
{
    size_t max = pm_followed_count();
    struct pm_allocation *objects = malloc((max + 1) * sizeof *objects);
    if (!objects)
        return PM_ERROR_MEMORY;
    size_t n = pm_followed_list(objects, max, pm_collections_count());
    int result = n > 0 ? pm_writer_add_live(writer, objects, n, pm_clock_now()) : 0;
    free(objects);
    return result;
}

static _Atomic bool wants_all;

void pm_memory_log_want_all(void)
{
    atomic_store(&wants_all, true);
}

int pm_memory_log_take(struct pm_memory_log **log, struct pm_writer *writer)
{
    int error, told = 0, listed = 0;
    if (!log_of(log, &error))
        return error;
    const bool all = atomic_exchange(&wants_all, false);
    error = take_samples(writer);
    if (all || is_due(*log, pm_clock_now()))
        told = tell(*log, writer, PM_SNAPSHOT_PERIODIC);
    if (all)
        listed = tell_live(writer);
    return error ? error : told ? told : listed;
}

int pm_memory_log_tell(struct pm_memory_log **log, struct pm_writer *writer,
                       enum pm_snapshot_place place)
{
    int error;
    return log_of(log, &error) ? tell(*log, writer, place) : error;
}

uint64_t pm_memory_log_memory(void)
{
    /* Of the log, what was never touched is not there. */
    const size_t each = 2 * sizeof(struct told) + 3 * sizeof(struct pm_memory_cell);
    return pm_cells_count() * each + pm_cells_memory();
}

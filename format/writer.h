/* The writer of a recording: turns records into blocks, blocks into chunks, chunks into the slots
 * of a rolling file. One thread at a time; in the agent it is the drain thread. No allocation grows
 * with time: its memory is bounded by the ids used in one chunk and by the rows of one block.
 *
 * Definitions are pulled, not pushed: when a record refers to an id that the current chunk has not
 * defined, the writer asks the dictionary for it (and for what that refers to in turn) and stores
 * it before the record's block. So every chunk stands alone, and no caller has to track
 * definitions.
 *
 * When a chunk is full the writer closes it (`on_chunk_end` may add an END snapshot; then the
 * footer), reuses the oldest slot and calls `on_chunk_begin`, which adds the waits in progress and
 * the BASE snapshot. The footer and END snapshot are kept a second time in the overview ring (one
 * slot in eight), so hours of overview outlive the stored waits. */
#pragma once

#include "format/record.h"
#include "format/stream.h"

/* Each returns 0 and a definition borrowed until the writer's call returns, or PM_ERROR_ARGUMENT if
 * the id is unknown: then "?" is stored and the id stays defined. */
struct pm_dictionary {
    void *context;
    int (*get_class)(void *context, pm_class_id id, struct pm_class *ret);
    int (*get_method)(void *context, pm_method_id id, struct pm_method *ret);
    int (*get_chain)(void *context, pm_chain_id id, struct pm_chain *ret);
    int (*get_thread)(void *context, pm_thread_id id, struct pm_thread *ret);
    int (*get_blocker)(void *context, pm_blocker_id id, struct pm_blocker *ret);
};

struct pm_writer;

struct pm_writer_options {
    uint64_t max_size;    /* of the whole file; at least PM_WRITER_MIN_SIZE; 0: a growing compact
                           * file without a ring, as used for dumps */
    uint32_t slot_size;   /* 0 = chosen from max_size: 1/64 of it, 64 KiB to 4 MiB; a power of two;
                           * compact: maximum size of a chunk, 0 = 4 MiB */
    int64_t max_age_ns;   /* 0 = none; chunks that ended longer ago are dropped over time */
    uint32_t block_waits; /* rows per wait block; 0 = 4096; at most slot_size / 64 */
    bool preallocate;
    int (*clock)(void *context, struct pm_clock *ret); /* for chunk headers; NULL = the system's */
    int (*on_chunk_begin)(void *context, struct pm_writer *writer);
    int (*on_chunk_end)(void *context, struct pm_writer *writer);
    void *context;
};

#define PM_WRITER_MIN_SIZE (1u << 20)

/* Takes the sink (closed by pm_writer_close/_abandon; not on failure). Writes the file header and
 * opens the first chunk, on_chunk_begin included; `facts` is copied. */
int pm_writer_open(struct pm_sink sink, const struct pm_facts *facts,
                   const struct pm_dictionary *dictionary, const struct pm_writer_options *options,
                   struct pm_writer **ret_writer, struct pm_error_info *ret_info);

/* Add records. Rows gather in memory until a block is full or pm_writer_flush. A failing sink is
 * reported once, by the call that encountered it; what could not be stored is lost, counted in
 * stats, and reported as a gap (PM_GAP_WRITE) once the sink works again; gaps themselves are kept
 * until then. PM_ERROR_ARGUMENT, nothing stored: a time not in [0, 2^62), an unknown kind, cause,
 * reason or flag, a wait without thread or blocker. PM_ERROR_LIMIT: what a callback added does not
 * fit its chunk; the rest is lost and counted. */
int pm_writer_add_wait(struct pm_writer *writer, const struct pm_wait *wait);
/* Add several; return the first error. */
int pm_writer_add_waits(struct pm_writer *writer, const struct pm_wait *waits, size_t n_waits);
int pm_writer_add_progress(struct pm_writer *writer, const struct pm_wait *waits, size_t n_waits,
                           bool complete, int64_t at_ns); /* complete: the list is complete */
int pm_writer_add_snapshot(struct pm_writer *writer, enum pm_snapshot_place place, int64_t at_ns,
                           const struct pm_counters *counters, size_t n_counters);
int pm_writer_add_owner_sample(struct pm_writer *writer, const struct pm_owner_sample *sample);
int pm_writer_add_span(struct pm_writer *writer, const struct pm_span *span);
int pm_writer_add_census(struct pm_writer *writer, const struct pm_census_row *row);
int pm_writer_add_allocation(struct pm_writer *writer, const struct pm_allocation *allocation);
/* As pm_writer_add_snapshot: the END of a chunk goes into the overview, too. */
int pm_writer_add_memory(struct pm_writer *writer, const struct pm_memory_head *head,
                         const struct pm_memory_cell *cells, size_t n_cells);
/* All sampled objects that are live at `at_ns`. */
int pm_writer_add_live(struct pm_writer *writer, const struct pm_allocation *objects,
                       size_t n_objects, int64_t at_ns);
int pm_writer_add_gap(struct pm_writer *writer, const struct pm_gap *gap);

/* Writes the gathered rows as complete blocks, so that everything up to `now_ns` is readable and
 * survives a crash, and drops chunks older than max_age. */
int pm_writer_flush(struct pm_writer *writer, int64_t now_ns);

/* The definition of `id` changed (a thread was renamed, a blocker was collected): it is stored
 * again before its next use, that of a thread with whatever is stored next; the reader takes the
 * last. */
void pm_writer_redefine_thread(struct pm_writer *writer, pm_thread_id id);
void pm_writer_redefine_blocker(struct pm_writer *writer, pm_blocker_id id);

/* Changes max_size while recording (set maxsize=…). A smaller one keeps the newest chunks that fit
 * and, with few slots left, makes the slots smaller. PM_ERROR_ARGUMENT below PM_WRITER_MIN_SIZE and
 * for a compact file. */
int pm_writer_resize(struct pm_writer *writer, uint64_t max_size, struct pm_error_info *ret_info);
void pm_writer_set_max_age(struct pm_writer *writer, int64_t max_age_ns);

struct pm_writer_stats {
    uint64_t waits;        /* ended waits accepted since the begin */
    uint64_t chunks;       /* begun since the begin */
    uint64_t stored_bytes; /* written since the begin, blocks with their headers */
    uint64_t wait_bytes;   /* of these, in wait blocks */
    uint64_t lost_rows;    /* lost to a failing or missing sink, or to a chunk without room */
    uint64_t lost_waits;   /* of these, ended waits */
    uint64_t left_waits;   /* ended waits stored in sinks that were given up */
    uint64_t file_bytes;   /* the file's present size */
    uint64_t file_chunks;  /* in a rolling file now, overviews included */
    uint64_t data_chunk, overview_chunk; /* numbers of those being written; 0 = none */
    uint64_t memory_bytes;               /* held by the writer */
    int64_t oldest_ns;                   /* begin of the oldest stored chunk */
};
void pm_writer_get_stats(const struct pm_writer *writer, struct pm_writer_stats *ret_stats);
/* Three quarters of what the open chunk can take before its end are taken: what can be left out
 * should be, or it makes the next chunk necessary. */
bool pm_writer_is_crowded(const struct pm_writer *writer);

/* A recording continues in another sink when its sink is lost or needed elsewhere. Between the end
 * of the first and pm_writer_move there is none: rows are lost, counted and reported as a gap.
 *
 * pm_writer_seal: as pm_writer_close, but keeps the writer; the sink is closed. Returns the result
 * of the last writes; in any case there is no sink afterwards. PM_ERROR_ARGUMENT: there was none.
 * pm_writer_give_up: the sink is closed as it is, nothing is written to it; rows already gathered
 * are kept for the next. The next sink reports its waits as a gap, which ends before that sink
 * begins, and repeats the gaps that it contained. */
int pm_writer_seal(struct pm_writer *writer, int64_t now_ns);
void pm_writer_give_up(struct pm_writer *writer);
/* Continues in `sink`, which is empty, and takes ownership of it (not on failure; then there is
 * still none). The new file has its own id and stands alone: its first chunk begins where the
 * previous sink ended, as if that had been overwritten; on_chunk_begin is called. Rolling
 * recordings only. */
int pm_writer_move(struct pm_writer *writer, struct pm_sink sink, struct pm_error_info *ret_info);

/* Flushes, closes the chunk with its footer, truncates the file to its used length, frees. Also
 * frees on failure, PM_ERROR_IO if there is no sink. `now_ns` ends the recording. */
int pm_writer_close(struct pm_writer *writer, int64_t now_ns);
/* Frees without writing: after a fork, or if the sink is unusable. */
void pm_writer_abandon(struct pm_writer *writer);

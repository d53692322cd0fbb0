/* The reader of a recording: finds the chunks of a file, decodes them block by block, and says what
 * it skipped. It trusts nothing: every length is checked before it is used, no input makes it
 * crash, hang, or allocate more than PM_READER_BLOCK_CAP per call and block. A file may be read
 * while its recorder writes it. */
#pragma once

#include "format/record.h"
#include "format/stream.h"

#define PM_READER_BLOCK_CAP (16u << 20) /* decoded bytes of one block */

struct pm_reader;

struct pm_file_info {
    struct pm_facts facts; /* texts borrowed from the reader */
    uint32_t version;
    uint64_t file_size;
    uint64_t max_size; /* of the rolling file; 0 for a dump */
};

struct pm_chunk_info {
    uint64_t number; /* rises with time */
    uint64_t offset;
    uint64_t size;    /* of the slot */
    bool overview;    /* of the second ring: footers and snapshots only */
    bool closed;      /* has its footer */
    int64_t begin_ns; /* 0 ≤ begin_ns ≤ end_ns */
    int64_t end_ns;   /* complete up to this time: from the footer, else of the last flush */
    int64_t waits;    /* stored up to end_ns; -1 if the chunk's head is damaged */
    struct pm_clock clock;
};

/* Opens and lists the chunks, oldest first, without decoding waits. Takes the source; on failure
 * the caller still owns it. Cost: one read per slot. */
int pm_reader_open(struct pm_source source, struct pm_reader **ret_reader,
                   struct pm_error_info *ret_info);
void pm_reader_free(struct pm_reader *reader);

const struct pm_file_info *pm_reader_info(const struct pm_reader *reader);
size_t pm_reader_n_chunks(const struct pm_reader *reader);
const struct pm_chunk_info *pm_reader_chunk(const struct pm_reader *reader, size_t index);

/* Ended waits of one block, by column, `n` rows each; valid during the call. Rows are in whichever
 * order was smaller to store: as added, or grouped by thread. */
struct pm_wait_columns {
    size_t n;
    const int64_t *begin_ns;
    const int64_t *duration_ns;
    const int64_t *wake_ns;
    const uint32_t *thread; /* ids' n */
    const uint32_t *blocker;
    const uint32_t *chain;
    const uint32_t *owner;
    const uint32_t *waker;
    const uint32_t *waker_chain;
    const int32_t *aqs_state;
    const uint16_t *flags;
    const uint8_t *kind;
    const uint8_t *wake_cause;
};

/* A snapshot of very many rows comes in several calls with the same `at_ns`. */
struct pm_snapshot {
    enum pm_snapshot_place place;
    int64_t at_ns;
    const struct pm_counters *counters;
    size_t n_counters;
};

/* The same for memory cells. */
struct pm_memory_snapshot {
    struct pm_memory_head head;
    const struct pm_memory_cell *cells;
    size_t n_cells;
};

/* Sampled objects that are live at an instant, in several calls; the last one is `complete`. */
struct pm_live_objects {
    bool complete;
    int64_t at_ns;
    const struct pm_allocation *objects;
    size_t n;
};

struct pm_footer {
    uint64_t chunk; /* the data chunk's number, also in an overview chunk */
    int64_t begin_ns, end_ns;
    int64_t waits; /* stored ended waits */
    int64_t stored_bytes;
};

struct pm_damage {
    uint64_t offset;
    uint64_t length; /* bytes skipped */
    int code;        /* enum pm_error */
    const char *text;
};

/* Called in file order; a NULL member is skipped (and waits are then not even decoded). A nonzero
 * return value stops the read, which returns it. `on_times` is used instead of `on_waits`, which is
 * then NULL: only the columns begin, duration, thread, blocker, chain and kind are decoded and
 * checked, the others are NULL. */
struct pm_visitor {
    void *context;
    int (*on_class)(void *context, const struct pm_class *value);
    int (*on_method)(void *context, const struct pm_method *value);
    int (*on_chain)(void *context, const struct pm_chain *value);
    int (*on_thread)(void *context, const struct pm_thread *value);
    int (*on_blocker)(void *context, const struct pm_blocker *value);
    int (*on_waits)(void *context, const struct pm_wait_columns *columns);
    int (*on_progress)(void *context, const struct pm_wait *waits, size_t n, bool complete,
                       int64_t at_ns);
    int (*on_snapshot)(void *context, const struct pm_snapshot *snapshot);
    int (*on_owner_sample)(void *context, const struct pm_owner_sample *sample);
    int (*on_span)(void *context, const struct pm_span *span);
    int (*on_gap)(void *context, const struct pm_gap *gap);
    int (*on_footer)(void *context, const struct pm_footer *footer);
    int (*on_damage)(void *context, const struct pm_damage *damage);
    int (*on_times)(void *context, const struct pm_wait_columns *columns);
    int (*on_reached)(void *context, const struct pm_reached *reached);
    int (*on_census)(void *context, const struct pm_census_row *row);
    int (*on_allocation)(void *context, const struct pm_allocation *allocation);
    int (*on_memory)(void *context, const struct pm_memory_snapshot *snapshot);
    int (*on_live)(void *context, const struct pm_live_objects *live);
};

/* A visitor of everything. The functions are named as the members are, so that the compiler reports
 * one that is missing. */
#define PM_VISITOR_OF_ALL(context_)                                                                \
    {                                                                                              \
        .context = (context_), .on_class = on_class, .on_method = on_method, .on_chain = on_chain, \
        .on_thread = on_thread, .on_blocker = on_blocker, .on_waits = on_waits,                    \
        .on_progress = on_progress, .on_snapshot = on_snapshot,                                    \
        .on_owner_sample = on_owner_sample, .on_span = on_span, .on_gap = on_gap,                  \
        .on_footer = on_footer, .on_damage = on_damage, .on_reached = on_reached,                  \
        .on_census = on_census, .on_allocation = on_allocation, .on_memory = on_memory,            \
        .on_live = on_live                                                                         \
    }

/* Decodes one chunk. Different chunks may be read by different threads at once. Damaged blocks are
 * reported and skipped; PM_ERROR_OVERWRITTEN if the recorder reused the slot meanwhile (what was
 * delivered until then is correct). `ret_end_ns`, if not NULL: the instant up to which the chunk is
 * complete (last flush). */
int pm_reader_read_chunk(struct pm_reader *reader, size_t index, const struct pm_visitor *visitor,
                         int64_t *ret_end_ns, struct pm_error_info *ret_info);

/* Checks that every block of a chunk, including its head, is as it was written, without decoding.
 * 0, PM_ERROR_CHECKSUM, otherwise as pm_reader_read_chunk. */
int pm_reader_check_chunk(struct pm_reader *reader, size_t index, struct pm_error_info *ret_info);

/* Lists the chunks again, to find those begun or extended since (live view). */
int pm_reader_refresh(struct pm_reader *reader, struct pm_error_info *ret_info);

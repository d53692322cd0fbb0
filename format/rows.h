/* The payloads of the blocks: records to bytes and back (docs/format.md §4). Encoders append to a
 * buffer; decoders read from a cursor that PM_COLUMN_SLACK readable bytes follow, and set `bad`
 * for anything that breaks a rule. Inside format/ only. */
#pragma once

#include "format/column.h"
#include "format/fields.h"
#include "format/reader.h"
#include "format/record.h"

#define PM_FRAMES_MAX 4096
#define PM_TEXT_MAX   (64u << 10)

/* Scratch memory of the encoders: grows to the rows of the largest block. */
struct pm_rows_scratch {
    uint64_t *column;
    struct pm_rows_run {
        uint32_t begin, thread; /* index of its first row, and of the thread that has it */
    } * runs;                   /* of rows of one thread */
    size_t capacity;
    struct pm_wait *sorted;
    size_t sorted_capacity;
    uint32_t *starts; /* of each thread's rows while they are grouped by thread */
    uint32_t *slots;
    uint32_t *keys;
    size_t table_capacity;
};
void pm_rows_scratch_clear(struct pm_rows_scratch *scratch);
size_t pm_rows_scratch_bytes(const struct pm_rows_scratch *scratch);

static inline bool pm_rows_is_wait_valid(const struct pm_wait *w)
{
    uint64_t times = (uint64_t)(w->begin_ns | w->duration_ns | w->wake_ns); /* none is negative */
    return times < (uint64_t)PM_TIME_LIMIT && w->kind < PM_N_KINDS &&
           w->wake_cause < PM_N_WAKE_CAUSES && (w->flags & ~PM_WAIT_KNOWN_FLAGS) == 0 &&
           w->thread.n != 0 && w->blocker.n != 0;
}
bool pm_rows_waits_valid(const struct pm_wait *waits, size_t n);
bool pm_rows_memory_head_valid(const struct pm_memory_head *head);

void pm_rows_encode_facts(struct pm_bytes *to, const struct pm_facts *facts);
void pm_rows_encode_class(struct pm_bytes *to, const struct pm_class *value);
void pm_rows_encode_method(struct pm_bytes *to, const struct pm_method *value);
void pm_rows_encode_chain(struct pm_bytes *to, const struct pm_chain *value);
void pm_rows_encode_reached(struct pm_bytes *to, const struct pm_reached *value);
void pm_rows_encode_thread(struct pm_bytes *to, const struct pm_thread *value);
void pm_rows_encode_blocker(struct pm_bytes *to, const struct pm_blocker *value);

/* PM_ERROR_MEMORY, or 0 with `to` filled (check to->failed as well). `ret_rows`: the waits in
 * stored order, in `scratch` or in place; neighbours share most ids. */
int pm_rows_encode_waits(struct pm_bytes *to, const struct pm_wait *waits, size_t n,
                         struct pm_rows_scratch *scratch, const struct pm_wait **ret_rows);
/* The head of a block whose rows all belong to one instant: the place of a snapshot; for progress
 * and live objects, whether the list is complete. */
void pm_rows_encode_head(struct pm_bytes *to, unsigned mark, int64_t at_ns);
void pm_rows_encode_memory_head(struct pm_bytes *to, const struct pm_memory_head *head);
/* Rows of every type of format/fields.h. PM_ERROR_MEMORY; PM_ERROR_ARGUMENT: another type. */
int pm_rows_encode(struct pm_bytes *to, enum pm_block_type type, const void *rows, size_t n,
                   struct pm_rows_scratch *scratch);
void pm_rows_encode_footer(struct pm_bytes *to, const struct pm_footer *footer);

/* Output of the decoders: grows to the rows of the largest block, at most PM_BLOCK_ROWS_MAX. */
struct pm_rows {
    size_t capacity;
    int64_t *begin_ns, *duration_ns, *wake_ns;
    uint32_t *thread, *blocker, *chain, *owner, *waker, *waker_chain;
    int32_t *aqs_state;
    uint16_t *flags;
    uint8_t *kind, *wake_cause;
    void *records; /* structs of the other record kinds */
    size_t records_bytes;
};
void pm_rows_clear(struct pm_rows *rows);

/* Each returns PM_OK, PM_ERROR_MEMORY or PM_ERROR_MALFORMED. Results live in `rows` or in the
 * payload. */
int pm_rows_decode_facts(struct pm_cursor *from, struct pm_facts *ret);
int pm_rows_decode_waits(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                         struct pm_wait_columns *ret);
/* Begin, duration, thread, blocker, chain and kind alone; the other columns are NULL. */
int pm_rows_decode_times(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                         struct pm_wait_columns *ret);
int pm_rows_decode_progress(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                            struct pm_wait **ret_waits, bool *ret_complete, int64_t *ret_at_ns);
int pm_rows_decode_snapshot(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                            struct pm_snapshot *ret);
/* Rows of a block without head: owner samples, spans, gaps, census, allocations. */
int pm_rows_decode(struct pm_cursor *from, enum pm_block_type type, size_t n, struct pm_rows *rows,
                   const void **ret);
/* Owner samples of a file without PM_INCOMPATIBLE_ROLES. */
int pm_rows_decode_old_samples(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                               const void **ret);
int pm_rows_decode_reached(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                           const void **ret);
int pm_rows_decode_memory(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                          struct pm_memory_snapshot *ret);
int pm_rows_decode_live(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                        struct pm_live_objects *ret);
int pm_rows_decode_footer(struct pm_cursor *from, struct pm_footer *ret);
/* `n` entries, each passed to the visitor's member; its nonzero return value is passed on as
 * `*ret_stop`. */
int pm_rows_decode_definitions(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                               const struct pm_visitor *visitor, int *ret_stop);

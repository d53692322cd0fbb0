/* Buffers of ended waits: chains of fixed-size segments from one bounded pool, one writer (the
 * thread of the slot) and one reader (the drain). The first segment of a buffer, and those of a
 * thread that rarely waits, are short; the others are pages: a head and 63 waits. A thread without
 * waits holds none. Used by slot.c only. */
#pragma once

#include <stdatomic.h>

#include "recorder/agent/waits/raw-wait.h"

struct pm_segment;

struct pm_buffer {
    /* high half: index + 1 of the segment being written; low half: waits in it. 0: there is none.
     * All bits: a writer is using it at the moment. */
    _Atomic uint64_t writing;
    /* the oldest segment not completely read; NULL: there is none. Set by the writer only if it
     * found `writing` 0, by the reader only if it set that to 0 or advances. */
    _Atomic(struct pm_segment *) first;
    uint32_t read; /* waits read from `first`; the reader's */
    bool is_idle;  /* nothing was taken since the last tidy; reader only */
};

/* The pool. PM_ERROR_MEMORY. */
int pm_buffer_pool_init(uint32_t segment_waits, uint32_t max_segments);
void pm_buffer_pool_clear(void);
uint64_t pm_buffer_pool_memory(void);
/* Of its open memory, what it has given back to the system. */
uint64_t pm_buffer_pool_given_back(void);
/* See pm_slot_pool_watch. Reader only. */
void pm_buffer_pool_watch(uint32_t more_pages, void (*on_many)(void));
/* Returns memory of free segments to the system. Reader only, occasionally. */
void pm_buffer_pool_tidy(void);

/* Where to write the next wait, which the reader sees once it is closed; NULL if the pool is
 * exhausted, or another thread writes there just now. `begin_ns`: the wait's. `*ret_opened`: for
 * pm_buffer_close. Writers only. */
struct pm_raw_wait *pm_buffer_open(struct pm_buffer *buffer, int64_t begin_ns,
                                   uint64_t *ret_opened);
void pm_buffer_close(struct pm_buffer *buffer, uint64_t opened);
/* Reader only. */
size_t pm_buffer_take(struct pm_buffer *buffer, struct pm_raw_wait *ret_waits, size_t max);
/* Frees the segment of a buffer that was idle since the last call (or now). Reader only. True if
 * the buffer holds none. */
bool pm_buffer_tidy(struct pm_buffer *buffer, bool now);

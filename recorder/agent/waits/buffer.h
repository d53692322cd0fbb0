/* Buffers of ended waits: chains of fixed-size segments from one bounded pool, one writer (the
 * thread of the slot) and one reader (the drain). The first segment of a buffer is short, and
 * those of a thread that waits seldom; the others are pages: a head and 63 waits. A thread without
 * waits holds none. Used by slot.c alone.
 */
#pragma once

#include <stdatomic.h>

#include "recorder/agent/waits/raw-wait.h"

struct pm_segment;

struct pm_buffer {
    /* index + 1 of the segment written to in the high half, waits in it in the low half. 0: there
     * is none, or the writer has it out just now. */
    _Atomic uint64_t writing;
    /* the oldest segment not wholly read; NULL: there is none. Set by the writer only when it
     * found `writing` 0, by the reader only when it made it so or moves on. */
    _Atomic(struct pm_segment *) first;
    uint64_t opened; /* what `writing` will be; the writer's */
    uint32_t read;   /* waits read from `first`; the reader's */
    bool is_idle;    /* nothing was taken since the last tidy; the reader's */
};

/* The pool. PM_ERROR_MEMORY. */
int pm_buffer_pool_init(uint32_t segment_waits, uint32_t max_segments);
void pm_buffer_pool_clear(void);
uint64_t pm_buffer_pool_memory(void);
/* What pm_slot_pool_watch promises. Reader only. */
void pm_buffer_pool_watch(uint32_t more_pages, void (*on_many)(void));
/* Gives memory of free segments back to the system. Reader only, now and then. */
void pm_buffer_pool_tidy(void);

/* Where one more wait is to be written, which the reader sees once it is closed; NULL when the pool
 * is used up. `begin_ns`: the wait's. Writer only. */
struct pm_raw_wait *pm_buffer_open(struct pm_buffer *buffer, int64_t begin_ns);
void pm_buffer_close(struct pm_buffer *buffer);
/* Reader only. */
size_t pm_buffer_take(struct pm_buffer *buffer, struct pm_raw_wait *ret_waits, size_t max);
/* Gives back the segment of a buffer that was idle since the last call (or now). Reader only. True
 * when the buffer holds none. */
bool pm_buffer_tidy(struct pm_buffer *buffer, bool now);

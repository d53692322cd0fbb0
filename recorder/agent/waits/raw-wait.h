/* A raw wait: the data of a wait in progress in a slot, or of an ended wait in a buffer. */
#pragma once

#include "format/record.h"

/* A timeout of a hundred days or more counts as none: callers that mean "forever" pass
 * Long.MAX_VALUE. */
#define PM_WAIT_FOREVER_NS (100 * INT64_C(86400000000000))

/* An ended wait as the application thread leaves it; one cache line. */
struct pm_raw_wait {
    int64_t begin_ns;
    int64_t end_ns;
    int64_t wake_ns;
    uint32_t sequence;
    pm_blocker_id blocker;
    pm_chain_id chain;
    pm_thread_id owner;
    pm_thread_id waker;
    pm_chain_id waker_chain;
    int32_t aqs_state;
    uint8_t kind;
    uint8_t wake_cause;
    uint16_t flags;
    pm_thread_id thread; /* 0 = the slot's thread; else a virtual thread on the slot's carrier */
    union {
        uint32_t identity; /* in a slot: the blocker's reference in identity.h; not for the drain */
        uint32_t home;     /* in a buffer: number + 1 of the unbound slot it was in; 0: the buffer's
                            * own slot */
    };
};

_Static_assert(sizeof(struct pm_raw_wait) == 64, "a raw wait is one cache line");

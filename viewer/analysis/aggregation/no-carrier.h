/* A shortage of carriers, the threads that run virtual threads: time in which woken virtual threads
 * of a view waited for one, because all were busy, or pinned by a thread that waits with a native
 * frame or a class initialiser on its stack; and what pins them, also where nobody was woken:
 * threads that have not run yet are in no wait. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

/* By which frame virtual threads keep their carriers as they wait. */
typedef struct {
    guint32 chain, frame, thread; /* of one of them */
    gboolean is_known;            /* else one of those that called the frame does */
    guint n_threads;              /* all of them */
    gint64 time;                  /* of `covered` */
    gint64 waits, thread_time, longest;
} PmCarrierPin;

/* What virtual threads were seen to run while others waited for a carrier. */
typedef struct {
    guint32 chain, thread; /* of one of those that were seen most often, by method */
    guint n, n_all;        /* samples of them, of all */
} PmCarrierUse;

typedef struct {
    gint64 waits, thread_time, longest; /* of those of a millisecond or more, from the wake on */
    gint64 covered;                     /* of the time, by any of them */
    guint32 chain;                      /* where one of them stood */
    guint32 group, n_threads;           /* that waited longest; its threads that did */
    PmCarrierPin pin;                   /* that kept one longest meanwhile; waits 0: nobody */
    PmCarrierUse use;
} PmNoCarrier;

PmNoCarrier pm_no_carrier(const PmView *view);
/* Whether the wait is a virtual thread's park that was seen to keep its carrier. */
gboolean pm_keeps_carrier(const PmRecording *recording, guint32 row);

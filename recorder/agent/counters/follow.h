/* The follower reads the slots at each tick: which wait each thread is in, which have ended, and
 * which part of each is in a recorded span (`stop` cuts waits in progress, `start` begins them
 * again). Passes every transition to the ledger, returns ended waits, and determines the watermark
 * before which no transition can be missing. Drain thread only; knows no file. */
#pragma once

#include "recorder/agent/counters/ledger.h"

/* What is known of one slot. */
struct pm_follow {
    bool open;          /* a wait in progress, told to the ledger */
    bool counted;       /* false: begin unknown */
    bool shown;         /* for the caller: in a progress block of this chunk */
    bool shown_woken;   /* … that says by whom it was woken */
    uint32_t operation; /* for the caller: from ender.h; 0 = not queried yet */
    bool rests;         /* for the caller: it waits for a task; known with `operation` */
    bool cut;           /* a wait was closed by `stop` and may still go on */
    bool resumed;       /* … and is to begin anew */
    uint32_t marked;    /* its sequence */
    uint8_t transit;    /* ENTERING or LEAVING as last seen, else 0 */
    uint32_t transit_sequence;
    uint32_t done; /* highest sequence of a wait dealt with */
    pm_thread_id thread;
    pm_thread_id owner;       /* of the blocker: when the wait began, then as sampled */
    int64_t transit_since_ns; /* the tick before it was first seen so */
    int64_t seen_ns;          /* last instant at which `wait` was certainly in progress */
    struct pm_raw_wait wait;  /* begins where its recorded part does */
};

/* The contents of an unbound slot at the beginning of a tick. Its ended waits are in the buffers of
 * carriers, so all of those are read before it is known whether the wait continues. */
struct pm_follow_sight {
    struct pm_slot_view view;
    bool whole;
    bool dealt; /* the end of that wait was seen before, or in this tick */
};

/* Apart from the rest and small, as it is read of every slot at each tick, of which most show what
 * they did the last time where thousands of threads wait. */
struct pm_follow_mark {
    uint32_t sequence;
    uint8_t state;   /* that its slot was in when all it had to tell was told; 0: it was not */
    bool is_still;   /* it is in this tick, too */
    bool is_unbound; /* the slot is */
};

struct pm_follower {
    struct pm_follow *slots;
    struct pm_follow_mark *marks;   /* as many */
    struct pm_follow_sight *sights; /* by slot number; NULL while there is none */
    size_t n_sights, sight_capacity;
    size_t n, capacity;
    int64_t now_ns, previous_ns; /* begins of this tick and the one before */
    int64_t watermark_ns;        /* as last returned, but for cuts */
    size_t n_taken;              /* ended waits in this tick */
    size_t n_busy;               /* slots they came from */
    size_t take_max;             /* the most taken from one slot */
    bool more;                   /* some slot has more: tick again */
    bool one_by_one; /* from the caller: called for each ended wait before the next one reaches the
                      * ledger */
    bool recording;
    bool cut_due; /* between `stop` and the cut */
    int64_t on_since_ns, off_since_ns;
    struct pm_ledger *ledger;

    /* Set once. `shown`: the slot's pm_follow while that wait was open. */
    void *context;
    void (*ended)(void *context, const struct pm_wait *waits, size_t n, bool shown);
    void (*lost)(void *context, bool shown); /* an open wait is not told after all */
    void (*overflow)(void *context, const struct pm_overflow *overflow);
    void (*failed)(void *context, int error); /* no memory */
};

void pm_follower_init(struct pm_follower *follower, struct pm_ledger *ledger, bool recording,
                      int64_t begin_ns);
void pm_follower_clear(struct pm_follower *follower);

/* Reads every slot, then its buffer (not completely, if `more` is then true). Returns the
 * watermark: all transitions before it have been passed on. */
int64_t pm_follower_tick(struct pm_follower *follower);

/* `stop`: from now on nothing is recorded; a tick must follow, then pm_follower_cut. */
void pm_follower_stop(struct pm_follower *follower, int64_t at_ns);
/* Whether a thread was ending its wait while its slot was read: the end may be from before `stop`,
 * and not yet reported. */
bool pm_follower_is_any_leaving(const struct pm_follower *follower);
/* Closes waits that are still open at the instant of `stop`. */
void pm_follower_cut(struct pm_follower *follower);
/* Before `start`: ends the waits in progress, whose threads may have continued unseen; those still
 * waiting are found again. A tick must follow. */
void pm_follower_end_in_progress(struct pm_follower *follower);
/* `start`: waits that were cut and still continue begin again at the next tick, with an unknown
 * begin. */
void pm_follower_start(struct pm_follower *follower, int64_t at_ns);

/* When the virtual thread of the open wait in this slot was woken, as it has not run since; 0: it
 * was not, or it is another's. */
int64_t pm_follower_woken_ns(const struct pm_follower *follower, size_t index);
/* The row of an open wait as it is now, PM_WAIT_IN_PROGRESS set. */
struct pm_wait pm_follower_open_wait(const struct pm_follower *follower,
                                     const struct pm_follow *follow);
uint64_t pm_follower_memory(const struct pm_follower *follower);

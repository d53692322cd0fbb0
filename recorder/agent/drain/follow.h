/* The follower, which reads the slots from tick to tick: which wait each thread is in, which have
 * ended since, and which part of each lies in a recorded span (`stop` cuts waits in progress,
 * `start` begins them anew). Tells the ledger every transition and hands out ended waits; finds the
 * watermark before which no transition can still be missing. The drain's own; knows no file. */
#pragma once

#include "recorder/agent/drain/ledger.h"

/* What is known of one slot. */
struct pm_follow {
    bool open;          /* a wait in progress, told to the ledger */
    bool counted;       /* false: begin unknown */
    bool shown;         /* the caller's: in a progress block of this chunk */
    bool owner_known;   /* the caller's: `owner` was sampled since it began */
    uint32_t operation; /* the caller's: of ender.h; 0 = not asked yet */
    bool rests;         /* the caller's: it waits for a task; known with `operation` */
    bool cut;           /* a wait was closed by `stop` and may still go on */
    bool resumed;       /* … and is to begin anew */
    uint32_t marked;    /* its sequence */
    uint8_t transit;    /* ENTERING or LEAVING as last seen, else 0 */
    uint32_t transit_sequence;
    uint32_t done; /* highest sequence of a wait dealt with */
    pm_thread_id thread;
    pm_thread_id owner;       /* of what is waited for: as it began, then as sampled */
    int64_t transit_since_ns; /* the tick before it was first seen so */
    int64_t seen_ns;          /* last instant `wait` was surely in progress */
    struct pm_raw_wait wait;  /* begins where its recorded part does */
};

/* What an unbound slot showed at the begin of a tick. Its ended waits are in the buffers of
 * carriers, so all of those are read before it is known whether the wait still goes on. */
struct pm_follow_sight {
    struct pm_slot_view view;
    bool whole;
    bool dealt; /* that wait's end was seen before, or in this tick */
};

struct pm_follower {
    struct pm_follow *slots;
    struct pm_follow_sight *sights; /* by number of the slot; NULL while there is none */
    size_t n_sights, sight_capacity;
    size_t n, capacity;
    int64_t now_ns, previous_ns; /* begins of this tick and the one before */
    int64_t watermark_ns;        /* as last returned, but for cuts */
    size_t n_taken;              /* ended waits in this tick */
    size_t n_busy;               /* slots they came from */
    size_t take_max;             /* the most taken from one slot */
    bool more;                   /* some slot has more: tick again */
    bool one_by_one; /* the caller's: each ended wait is told to it before the next to the ledger */
    bool recording;
    bool cut_due; /* between `stop` and the cut */
    int64_t on_since_ns, off_since_ns;
    struct pm_ledger *ledger;

    /* Set once. `shown`: as it was in the slot's pm_follow while the one wait was open. */
    void *context;
    void (*ended)(void *context, const struct pm_wait *waits, size_t n, bool shown);
    void (*lost)(void *context, bool shown); /* an open wait is not told after all */
    void (*overflow)(void *context, const struct pm_overflow *overflow);
    void (*failed)(void *context, int error); /* no memory */
};

void pm_follower_init(struct pm_follower *follower, struct pm_ledger *ledger, bool recording,
                      int64_t begin_ns);
void pm_follower_clear(struct pm_follower *follower);

/* Reads every slot, then its buffer (not all of it, if `more` is true then). Returns the watermark:
 * transitions before it are all told. */
int64_t pm_follower_tick(struct pm_follower *follower);

/* `stop`: from now on nothing is recorded; a tick must follow, then pm_follower_cut. */
void pm_follower_stop(struct pm_follower *follower, int64_t at_ns);
/* Some thread was ending its wait as its slot was read: its end may be from before `stop`, and not
 * told yet. */
bool pm_follower_is_any_leaving(const struct pm_follower *follower);
/* Closes what is still open at the instant of `stop`. */
void pm_follower_cut(struct pm_follower *follower);
/* Before `start`: ends the waits in progress, whose threads may have gone on unseen; those that
 * stand still are found anew. A tick must follow. */
void pm_follower_end_in_progress(struct pm_follower *follower);
/* `start`: what was cut and still goes on begins anew at the next tick, begin unknown. */
void pm_follower_start(struct pm_follower *follower, int64_t at_ns);

/* The row of an open wait as it is now, PM_WAIT_IN_PROGRESS set. */
struct pm_wait pm_follower_open_wait(const struct pm_follower *follower,
                                     const struct pm_follow *follow);
uint64_t pm_follower_memory(const struct pm_follower *follower);

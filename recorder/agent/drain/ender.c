#include "recorder/agent/drain/ender.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/agent/drain/operation.h"
#include "recorder/agent/drain/owner.h"
#include "recorder/agent/sampling/census.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/thread.h"

#define N_SETS        128 /* of the hash table, of WAYS operations each */
#define WAYS          8
#define KEPT          8 /* enders of an operation */
#define N_WAITERS     1024
#define N_SOUGHT      61 /* operations looked at in a tick */
#define N_ACTIVE      8  /* threads offered where nobody is expected */
#define N_CARRIERS    7
#define VIRTUAL_GROUP 2  /* of the sampler, for all waits that virtual threads end; keys are odd */
#define VISITS        64 /* rows of the table of threads, in search of those, in a tick */
#define PASSED_ON_NS  10000000 /* a waker woken longer ago acts on its own */

struct operation {
    uint32_t key;              /* 0: free */
    uint32_t used;             /* by the first of a run of waits */
    pm_thread_id enders[KEPT]; /* the latest first */
};

/* The last wait of a thread: who ended it. */
struct waiter {
    pm_thread_id thread, origin;
    pm_blocker_id blocker;
    int64_t end_ns;
};

_Static_assert(N_SOUGHT *KEPT + 2 * N_ACTIVE + N_CARRIERS + 1 <= PM_SAMPLER_MAX_ENDERS,
               "all wishes have room");

struct pm_enders {
    struct operation operations[N_SETS][WAYS];
    struct waiter waiters[N_WAITERS]; /* by thread; of two at one place the later */
    uint32_t clock;                   /* counts notes */
    uint32_t next_visited;            /* row of the table of threads */
    uint32_t round;                   /* of the slots, where to begin */
    /* Waits come in runs of the same stack traces and blocker; ids never come back. */
    struct {
        pm_chain_id chain;
        pm_blocker_id blocker;
        uint32_t key;                /* 0 = none yet */
        struct operation *operation; /* that had this key; NULL: none */
        pm_chain_id waits_at, wakes_at;
        bool is_one_site; /* of those two */
    } last;
};

struct pm_enders *pm_enders_new(void)
{
    struct pm_enders *enders = calloc(1, sizeof *enders);
    if (enders)
        enders->last.is_one_site = true; /* no stack trace, twice */
    return enders;
}

void pm_enders_free(struct pm_enders *enders)
{
    free(enders);
}

uint64_t pm_enders_memory(void)
{
    return sizeof(struct pm_enders);
}

static uint32_t key_of(struct pm_enders *enders, pm_chain_id chain, pm_blocker_id id)
{
    if (enders->last.key && enders->last.chain.n == chain.n && enders->last.blocker.n == id.n)
        return enders->last.key;
    bool known;
    const uint32_t key = pm_operation_of(chain, id, &known);
    if (known) {
        enders->last.chain = chain;
        enders->last.blocker = id;
        enders->last.key = key;
        enders->last.operation = NULL;
    }
    return key;
}

/* Do both stack traces come from the same method of the program? */
static bool is_one_site(struct pm_enders *enders, pm_chain_id waits_at, pm_chain_id wakes_at)
{
    if (enders->last.waits_at.n != waits_at.n || enders->last.wakes_at.n != wakes_at.n) {
        enders->last.waits_at = waits_at;
        enders->last.wakes_at = wakes_at;
        enders->last.is_one_site =
            pm_chain_site_method(wakes_at).n == pm_chain_site_method(waits_at).n;
    }
    return enders->last.is_one_site;
}

/* NULL: not known. */
static struct operation *find(struct pm_enders *enders, uint32_t key)
{
    struct operation *set = enders->operations[(key >> 1) % N_SETS];
    for (int i = 0; i < WAYS; i++)
        if (set[i].key == key)
            return &set[i];
    return NULL;
}

/* A new one takes the place that was not used for longest. */
static struct operation *add(struct pm_enders *enders, uint32_t key)
{
    struct operation *oldest = enders->operations[(key >> 1) % N_SETS];
    for (int i = 1; i < WAYS; i++) {
        struct operation *other = &enders->operations[(key >> 1) % N_SETS][i];
        if (enders->clock - other->used > enders->clock - oldest->used)
            oldest = other;
    }
    *oldest = (struct operation){.key = key};
    return oldest;
}

static struct operation *find_or_add(struct pm_enders *enders, uint32_t key)
{
    struct operation *operation = enders->last.operation;
    if (operation && operation->key == key)
        return operation;
    operation = find(enders, key);
    if (!operation)
        operation = add(enders, key);
    if (key == enders->last.key)
        enders->last.operation = operation;
    return operation;
}

static void put_first(struct operation *operation, pm_thread_id ender)
{
    size_t at = 0;
    while (at < KEPT - 1 && operation->enders[at].n != ender.n)
        at++;
    memmove(operation->enders + 1, operation->enders, at * sizeof ender);
    operation->enders[0] = ender;
}

static struct waiter *waiter_at(struct pm_enders *enders, pm_thread_id thread)
{
    return &enders->waiters[thread.n % N_WAITERS];
}

static pm_thread_id origin_of(struct pm_enders *enders, const struct pm_wait *wait)
{
    const struct waiter *waker = waiter_at(enders, wait->waker);
    bool passed_on = waker->thread.n == wait->waker.n && waker->blocker.n == wait->blocker.n &&
                     wait->wake_ns >= waker->end_ns &&
                     wait->wake_ns - waker->end_ns <= PASSED_ON_NS &&
                     (wait->wake_cause == PM_WAKE_PROPAGATION ||
                      is_one_site(enders, wait->chain, wait->waker_chain));
    return passed_on ? waker->origin : wait->waker;
}

static bool tells_an_ender(const struct pm_wait *wait)
{
    const unsigned nobody =
        1u << PM_WAKE_CANCELLATION | 1u << PM_WAKE_TIME_OUT | 1u << PM_WAKE_INTERRUPT;
    return wait->waker.n && !pm_owner_is_expected(wait->owner, wait->kind) &&
           !(nobody >> wait->wake_cause & 1);
}

/* The wait before was of the same operation, and ended by the same thread. */
static bool is_as_before(const struct pm_enders *enders, const struct pm_wait *wait,
                         pm_thread_id ender)
{
    const struct operation *operation = enders->last.operation;
    return operation && enders->last.chain.n == wait->chain.n &&
           enders->last.blocker.n == wait->blocker.n && operation->key == enders->last.key &&
           operation->enders[0].n == ender.n;
}

static void note_ender(struct pm_enders *enders, const struct pm_wait *wait, pm_thread_id ender)
{
    struct operation *operation = find_or_add(enders, key_of(enders, wait->chain, wait->blocker));
    operation->used = ++enders->clock;
    if (operation->enders[0].n != ender.n)
        put_first(operation, ender);
}

void pm_enders_note(struct pm_enders *enders, const struct pm_wait *waits, size_t n)
{
    for (const struct pm_wait *wait = waits; wait < waits + n; wait++) {
        if (!tells_an_ender(wait))
            continue;
        pm_thread_id ender = origin_of(enders, wait);
        *waiter_at(enders, wait->thread) =
            (struct waiter){wait->thread, ender, wait->blocker, wait->begin_ns + wait->duration_ns};
        if (!is_as_before(enders, wait, ender))
            note_ender(enders, wait, ender);
    }
}

/* -- whom to look at -- */

/* Waits in progress of one operation. */
struct sought {
    uint32_t key;
    bool rests;
    struct pm_sample_wish wish;
};

static struct sought *seek(struct sought sought[2 * N_SOUGHT], uint32_t key)
{
    uint32_t at = key >> 1;
    while (sought[at % (2 * N_SOUGHT)].key && sought[at % (2 * N_SOUGHT)].key != key)
        at++;
    return &sought[at % (2 * N_SOUGHT)];
}

/* One more of those that share their looks, whatever their group. */
static void join_wish(struct pm_sample_wish *all, const struct pm_sample_wish *wish)
{
    const uint32_t weight = all->weight + wish->weight;
    *all = *wish;
    all->weight = weight;
    all->group = 0;
}

/* `ret_woken`: for all that have been woken, without anybody to look at. */
static void gather(struct pm_enders *enders, struct pm_follower *follower,
                   struct sought sought[2 * N_SOUGHT], struct pm_sample_wish *ret_woken)
{
    size_t n = 0, n_rest = 0;
    enders->round++;
    size_t at = follower->n ? enders->round % follower->n : 0;
    for (size_t i = 0; i < follower->n; i++) {
        at = at + 1 < follower->n ? at + 1 : 0;
        struct pm_follow *follow = &follower->slots[at];
        struct pm_blocker blocker;
        if (!follow->open || follower->now_ns - follow->wait.begin_ns < PM_SAMPLER_AGE_NS)
            continue;
        const int64_t woken_ns = pm_follower_woken_ns(follower, at);
        if (woken_ns && follower->now_ns - woken_ns >= PM_SAMPLER_AGE_NS) { /* has no carrier */
            const struct pm_sample_wish wish = {.waiter = follow->thread,
                                                .blocker = follow->wait.blocker,
                                                .kind = follow->wait.kind,
                                                .role = PM_SAMPLE_ENDER,
                                                .weight = 1,
                                                .queue = PM_SAMPLE_QUEUE_ENDER};
            join_wish(ret_woken, &wish);
            continue;
        }
        if (pm_owner_is_expected(follow->owner, follow->wait.kind))
            continue;
        if (!follow->operation) {
            follow->operation = key_of(enders, follow->wait.chain, follow->wait.blocker);
            follow->rests = pm_chain_is_idle(follow->wait.chain);
        }
        struct sought *found = seek(sought, follow->operation);
        if (found->key) {
            found->wish.weight++;
        } else if (n < N_SOUGHT && (!follow->rests || n_rest < N_SOUGHT / 2) &&
                   pm_blocker_get(follow->wait.blocker, &blocker)) {
            n++;
            n_rest += follow->rests; /* many pools leave room for others */
            *found =
                (struct sought){.key = follow->operation,
                                .rests = follow->rests,
                                .wish = {.waiter = follow->thread,
                                         .blocker = follow->wait.blocker,
                                         .kind = follow->wait.kind,
                                         .role = PM_SAMPLE_ENDER,
                                         .weight = 1,
                                         .queue = follow->rests || blocker.flags & PM_BLOCKER_NULL
                                                      ? PM_SAMPLE_QUEUE_LOW
                                                      : PM_SAMPLE_QUEUE_ENDER,
                                         .group = follow->operation}};
        }
    }
}

/* The next of all living threads, some in each tick. */
static size_t find_active(struct pm_enders *enders, pm_thread_id ret_threads[N_ACTIVE])
{
    size_t n = 0;
    for (int visits = 0; visits < VISITS && n < N_ACTIVE; visits++) {
        struct pm_thread_row row;
        pm_thread_id id;
        if (!pm_thread_visit(enders->next_visited++, &id, &row)) {
            enders->next_visited = 0;
            if (n > 0)
                break; /* none twice */
        } else if (id.n && pm_census_can_learn(&row) && !pm_thread_is_of_jvm(&row)) {
            ret_threads[n++] = id;
        }
    }
    return n;
}

/* What lives of an operation's enders, a bit each. Nobody tells when a virtual thread ends; that it
 * has, its carrier tells those who wait for it. */
enum living { NONE = 0, VIRTUAL = 1, PLATFORM = 2 };

static bool is_carrier(const struct pm_thread_row *row)
{
    const struct pm_slot *slot = pm_slot_find(row->tid);
    return slot && pm_slot_is_carrier(slot);
}

/* Those of its enders that may be looked at. Virtual threads come and go: what ends such waits now
 * is run by some carrier. */
static unsigned add_enders(const struct operation *operation, const struct pm_sample_wish *wish,
                           struct pm_sample_wish *wishes, size_t *n)
{
    unsigned living = NONE;
    for (size_t k = 0; k < KEPT; k++) {
        struct pm_thread_row row;
        if (operation->enders[k].n && pm_thread_get(operation->enders[k], &row) && !row.end_ns) {
            const bool is_virtual = row.is_virtual || is_carrier(&row);
            living |= is_virtual ? VIRTUAL : PLATFORM;
            if (!is_virtual && pm_census_can_learn(&row) && !pm_thread_is_reference_handler(&row)) {
                wishes[*n] = *wish;
                wishes[(*n)++].owner = operation->enders[k];
            }
        }
    }
    return living;
}

/* The carriers, some in each tick: one of them has to become free. */
static size_t add_carriers(const struct pm_follower *follower, uint32_t round,
                           const struct pm_sample_wish *wish, struct pm_sample_wish *ret_wishes)
{
    size_t n = 0;
    for (size_t i = 0; wish->weight && i < follower->n && n < N_CARRIERS; i++) {
        const struct pm_slot *slot = pm_slot_pool_at((i + round) % follower->n);
        if (pm_slot_is_carrier(slot)) {
            ret_wishes[n] = *wish;
            ret_wishes[n++].owner = pm_slot_thread(slot);
        }
    }
    return n;
}

size_t pm_enders_wishes(struct pm_enders *enders, struct pm_follower *follower,
                        struct pm_sample_wish ret_wishes[PM_SAMPLER_MAX_ENDERS])
{
    struct sought sought[2 * N_SOUGHT] = {{0}};
    struct pm_sample_wish orphans[2] = {{{0}}};
    pm_thread_id active[N_ACTIVE];
    size_t n = 0;
    struct pm_sample_wish on_carriers = {{0}}, any_virtual = {{0}};
    gather(enders, follower, sought, &on_carriers);
    for (size_t i = 0; i < 2 * N_SOUGHT; i++) {
        const struct operation *operation = sought[i].key ? find(enders, sought[i].key) : NULL;
        if (!sought[i].key)
            continue;
        const struct pm_sample_wish *wish = &sought[i].wish;
        const unsigned living = operation ? add_enders(operation, wish, ret_wishes, &n) : NONE;
        if (sought[i].rests)
            continue;
        if (living & VIRTUAL) {
            join_wish(&on_carriers, wish);
            join_wish(&any_virtual, wish);
        } else if (living == NONE) {
            join_wish(&orphans[wish->queue == PM_SAMPLE_QUEUE_LOW], wish);
        }
    }
    on_carriers.group = any_virtual.group = VIRTUAL_GROUP;
    const size_t n_carriers = add_carriers(follower, enders->round, &on_carriers, ret_wishes + n);
    n += n_carriers;
    if (on_carriers.weight && n_carriers == 0) /* none has a slot: they always had work */
        join_wish(&orphans[0], &on_carriers);
    if (any_virtual.weight) /* for what sleeps, or waits for a socket */
        ret_wishes[n++] = any_virtual;
    size_t n_active = orphans[0].weight || orphans[1].weight ? find_active(enders, active) : 0;
    for (size_t k = 0; k < 2 * n_active; k++) {
        if (orphans[k % 2].weight) {
            ret_wishes[n] = orphans[k % 2];
            ret_wishes[n++].owner = active[k / 2];
        }
    }
    return n;
}

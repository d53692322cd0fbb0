#include "recorder/agent/drain/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/native-thread.h"
#include "recorder/agent/drain/operation.h"
#include "recorder/agent/sampling/census.h"
#include "recorder/agent/sampling/sample.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/slot.h"

#define PAUSE_NS    50000000    /* 20 samples a second, at most, */
#define SHORT_NS    20000000    /* or 50 of who is waited for: */
#define SHORT_EACH  1000000000  /* one more in each second, */
#define N_SHORT     1500        /* up to so many */
#define LATE_NS     500000000   /* its turn has passed, even where processors are short */
#define MAX_PAID_NS 1000000000  /* of one sample, in how long samples take on average */
#define MEAN_OF     16          /* samples, about */
#define STOP_SHARE  1000        /* one part in so many of the time may a thread be stopped */
#define WALK_SHARE  200         /* of a processor, one part in so many may go into samples */
#define ASKED_SHARE 10          /* a search that somebody waits for pauses one part in so many */
#define CREDIT_NS   2000000000  /* what of that was not used so long may be used later */
#define MAX_DEBT_NS 20000000000 /* what samples that are asked for may use of it beforehand */
#define MAX_SAMPLES 1024        /* not taken yet by the drain; more are dropped */
#define MAX_FAILS   8           /* threads that cannot be walked, in search of one that can */
#define N_QUEUES    4
#define N_PLACES    256
#define MAX_AGE     (1 << 24) /* in looks */
#define MAX_WEIGHT  16        /* who waits for a group: it is looked at so many times as often */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* of the sampler */
    pthread_cond_t done; /* of pm_sampler_run */
    bool running, ended;
    _Atomic bool stopping;
    bool attached;
    int64_t attach_ns, attach_pause_ns; /* when it is tried next, and how long later then */
    struct pm_native_thread thread;
    int (*attach)(const char *name);
    void (*detach)(void);

    struct pm_sample_wish offered[PM_SAMPLER_MAX];
    size_t n_offered;
    bool is_waited; /* somebody waits for one of those, who does not just rest */
    /* When a group or a thread was last looked at, by a hash of it: two at one place share it. */
    uint32_t group_looks[N_PLACES], thread_looks[N_PLACES];
    uint32_t n_looks;
    struct pm_sample_wish asked[PM_SAMPLER_MAX_WISHES];
    size_t n_asked;
    uint64_t asked_number, begun_number, answered_number;

    /* The sampler's own. */
    uint32_t queue;   /* whose turn it is */
    int64_t slice_ns; /* the slice of time of the next sample of what is offered, */
    int64_t pause_ns; /* so long, */
    int64_t next_ns;  /* which is taken once: */
    int64_t paid_ns;  /* when all samples so far are paid for */
    int64_t short_ns; /* when all short pauses so far are */
    int64_t spent_ns; /* by the sample that is being taken, */
    int64_t mean_ns;  /* and by all on average, with those that found nobody to look at */
    uint64_t random;
    bool answers;    /* somebody waits for the samples that are being taken */
    uint32_t hold;   /* of the epoch, given up while a search pauses */
    uint32_t pauses; /* of searches, so far */

    struct pm_owner_sample samples[MAX_SAMPLES];
    size_t n_samples;
} sampler = {.lock = PTHREAD_MUTEX_INITIALIZER};

void pm_sampler_set_hooks(int (*attach)(const char *name), void (*detach)(void))
{
    sampler.attach = attach;
    sampler.detach = detach;
}

/* It may fail, as while the heap is full, and is tried again ever more rarely. */
static bool attach_once(void)
{
    const int64_t now_ns = sampler.attached ? 0 : pm_clock_now();
    if (!sampler.attached && now_ns >= sampler.attach_ns) {
        sampler.attached = !sampler.attach || sampler.attach(PM_SAMPLER_THREAD) == 0;
        sampler.attach_ns = now_ns + sampler.attach_pause_ns;
        sampler.attach_pause_ns = pm_attach_pause(sampler.attach_pause_ns);
    }
    return sampler.attached;
}

void pm_sampler_keep(const struct pm_owner_sample *sample)
{
    pthread_mutex_lock(&sampler.lock);
    if (sampler.n_samples < MAX_SAMPLES)
        sampler.samples[sampler.n_samples++] = *sample;
    pthread_mutex_unlock(&sampler.lock);
}

/* Its stack, which may keep the thread as long as that takes. */
static int sample_stack(struct pm_owner_sample *sample)
{
    struct pm_sample_cost cost = {0};
    pm_thread_id thread = sample->owner;
    int64_t now_ns = pm_clock_now();
    if (sampler.paid_ns - now_ns > MAX_DEBT_NS)
        return PM_ERROR_LIMIT;
    int error = pm_sample_thread(&thread, &sample->chain, &sample->owner_state, &cost);
    if (!error && sample->role == PM_SAMPLE_ENDER)
        sample->owner = thread; /* what a carrier runs, not the carrier, may end the wait */
    const int64_t for_stop_ns = cost.stopped_ns * STOP_SHARE,
                  for_walk_ns = cost.processor_ns * WALK_SHARE;
    sample->at_ns = pm_clock_now(); /* a search may have come before */
    const int64_t least_ns = sample->at_ns - CREDIT_NS;
    const int64_t spent_ns = for_stop_ns > for_walk_ns ? for_stop_ns : for_walk_ns;
    sampler.paid_ns = (sampler.paid_ns > least_ns ? sampler.paid_ns : least_ns) + spent_ns;
    sampler.spent_ns += spent_ns;
    return error;
}

/* The present owner of what is wished to be looked at; false where it cannot be read. */
static bool read_owner(const struct pm_sample_wish *wish, pm_thread_id *ret_owner)
{
    *ret_owner = (pm_thread_id){0};
    switch (wish->kind) {
    case PM_KIND_PARK:
        return pm_sample_owner(wish->blocker, ret_owner) == 0;
    case PM_KIND_ENTER:
        /* Whoever waits no more leaves the owner at 0: who held it is over, too. */
        return pm_sample_monitor_owner(wish->blocker, wish->waiter, ret_owner) != PM_ERROR_LIMIT;
    default:
        return false;
    }
}

/* Its waiter may wait for something else by now, in the same way: for that then, which may have
 * another owner. False: a wish that counts only if it waits there again, and it does not. */
static bool follow_waiter(struct pm_sample_wish *wish)
{
    struct pm_raw_wait wait;
    if ((!wish->again && wish->role != PM_SAMPLE_OWNER) || !wish->waiter.n)
        return true;
    if (!pm_sample_wait_of(wish->waiter, &wait) || wait.kind != wish->kind)
        return !wish->again;
    if (wish->again && pm_clock_now() - wait.begin_ns < PM_SAMPLER_AGE_NS)
        return false;
    if (wish->role == PM_SAMPLE_ENDER) {
        wish->blocker = wait.blocker;
        return pm_operation_of(wait.chain, wait.blocker, NULL) == wish->group;
    }
    const bool is_other = wait.blocker.n != wish->blocker.n;
    if (is_other && wait.kind == PM_KIND_PARK && !wait.owner.n)
        return !wish->again; /* it may wait for what has no owner */
    if (is_other || wish->again)
        wish->owner = wait.owner;
    wish->blocker = wait.blocker;
    return true;
}

/* Who is to be looked at: the wish's present owner, or its ender. A lock may have had no owner as
 * the wait began, for it was being handed to a thread that did not run yet: if it has one now, that
 * is who ends the wait. */
static pm_thread_id present_of(struct pm_sample_wish *wish)
{
    pm_thread_id present;
    if (wish->role == PM_SAMPLE_OWNER)
        return read_owner(wish, &present) ? present : wish->owner;
    if (wish->kind == PM_KIND_PARK && wish->blocker.n && read_owner(wish, &present) && present.n) {
        wish->role = PM_SAMPLE_OWNER;
        return present;
    }
    return wish->owner;
}

/* May the owner have let go while its stack was read? Then that tells nothing of the hold. */
static bool let_go(const struct pm_sample_wish *wish, pm_thread_id owner)
{
    pm_thread_id present;
    return wish->role == PM_SAMPLE_OWNER && read_owner(wish, &present) && present.n != owner.n;
}

/* The last thread that was looked at. */
struct look {
    pm_thread_id who;
    uint32_t pauses;               /* of searches, before */
    struct pm_owner_sample sample; /* whose owner may be what that thread carries */
};

enum outcome {
    DONE,
    NOTHING, /* an ender of which there is nothing to learn now: nothing is kept */
    OVER,    /* nobody waits for it again */
};

/* What was not written down may have been freed in a pause. */
static bool is_outdated(const struct pm_sample_wish *wish)
{
    struct pm_blocker blocker;
    struct pm_thread_row waiter;
    return (wish->blocker.n && !pm_blocker_get(wish->blocker, &blocker)) ||
           (wish->waiter.n && !pm_thread_get(wish->waiter, &waiter));
}

/* One thread's chain is read once for all wishes of a run. */
static enum outcome sample_wish(const struct pm_sample_wish *wished, struct look *last)
{
    struct pm_sample_wish present = *wished, *wish = &present;
    const uint32_t pauses = sampler.pauses;
    if (!follow_waiter(wish))
        return OVER;
    const pm_thread_id who = present_of(wish);
    struct pm_owner_sample sample = {.owner = who,
                                     .at_ns = pm_clock_now(),
                                     .waiter = wish->waiter,
                                     .blocker = wish->blocker,
                                     .weight = wish->weight,
                                     .role = wish->role};
    bool is_ender = wish->role == PM_SAMPLE_ENDER;
    struct pm_thread_row row;
    const bool is_any = is_ender && who.n == 0;
    if (is_ender && !is_any && !(pm_thread_get(sample.owner, &row) && pm_census_can_learn(&row)))
        return NOTHING;
    if (sample.owner.n == 0 && !is_any) {
        if (wish->owner.n != 0)
            pm_sampler_keep(&sample); /* it let go meanwhile */
        return DONE;
    }
    if (last->who.n == who.n && !is_any && last->sample.role == sample.role &&
        last->pauses == sampler.pauses) {
        sample.owner = last->sample.owner;
        sample.chain = last->sample.chain;
        sample.owner_state = last->sample.owner_state;
    } else if (sample_stack(&sample) != 0) {
        sample.chain.n = 0;
        const bool has_ended = wish->role == PM_SAMPLE_OWNER && wish->kind == PM_KIND_PARK &&
                               pm_sample_owner_has_ended(wish->blocker);
        sample.owner_state = has_ended ? PM_OWNER_ENDED : PM_OWNER_UNKNOWN;
    }
    const uint32_t walked = sampler.pauses;
    *last = (struct look){who, walked, sample};
    if (let_go(wish, who) || sampler.pauses != walked) { /* the stack trace may have been freed */
        sample.chain.n = 0;
        sample.owner_state = PM_OWNER_UNKNOWN;
    }
    if (sampler.pauses != pauses && is_outdated(wish))
        return DONE;
    if (is_ender && !sample.chain.n)
        return NOTHING;
    pm_sampler_keep(&sample);
    return DONE;
}

static uint32_t *looks_at(uint32_t looks[N_PLACES], uint32_t id)
{
    return &looks[id * 0x9e3779b1u >> 24];
}

/* What one sample is to be of. */
struct choice {
    struct pm_sample_wish wish;
    uint32_t group_look, thread_look;         /* before this one */
    uint32_t over[PM_SAMPLER_MAX_RECENT + 1]; /* groups that nobody waits for again */
    int n_over;
};

static bool is_over(const struct choice *choice, const struct pm_sample_wish *wish)
{
    for (int i = 0; wish->again && i < choice->n_over; i++)
        if (choice->over[i] == wish->group)
            return true;
    return false;
}

/* Whose queue it is: those of the queue's kind that were looked at longest ago for their weight,
 * the group before the thread. Under the lock. */
static bool choose(uint32_t queue, struct choice *choice)
{
    /* The kinds to look for in each queue, a bit each, one kind after the other. */
    static const enum pm_sample_queue order[N_QUEUES][3] = {
        {PM_SAMPLE_QUEUE_OWNER, PM_SAMPLE_QUEUE_ENDER, PM_SAMPLE_QUEUE_LOW},
        {PM_SAMPLE_QUEUE_ENDER, PM_SAMPLE_QUEUE_OWNER, PM_SAMPLE_QUEUE_ENDER},
        {PM_SAMPLE_QUEUE_OWNER, PM_SAMPLE_QUEUE_ENDER, PM_SAMPLE_QUEUE_ENDER},
        {PM_SAMPLE_QUEUE_LOW, PM_SAMPLE_QUEUE_ENDER, PM_SAMPLE_QUEUE_OWNER},
    };
    struct pm_sample_wish *best = NULL;
    uint64_t best_age = 0;
    for (int k = 0; k < 3 && !best; k++) {
        for (size_t i = 0; i < sampler.n_offered; i++) {
            struct pm_sample_wish *wish = &sampler.offered[i];
            if (wish->queue != order[queue % N_QUEUES][k] || is_over(choice, wish))
                continue;
            uint32_t group_age = sampler.n_looks - *looks_at(sampler.group_looks, wish->group);
            group_age = group_age < MAX_AGE ? group_age : MAX_AGE;
            uint32_t thread_age = sampler.n_looks - *looks_at(sampler.thread_looks, wish->owner.n);
            /* Of those whose ender may be anybody each look tells little; who is away is offered
             * for a moment only. */
            const bool most = !wish->weight || wish->weight > MAX_WEIGHT;
            uint32_t weight = !wish->group ? 1 : most ? MAX_WEIGHT : wish->weight;
            uint64_t age = ((uint64_t)group_age + 1) * weight << 32 | thread_age;
            if (!best || age > best_age) {
                best = wish;
                best_age = age;
            }
        }
    }
    if (!best)
        return false;
    uint32_t *group = looks_at(sampler.group_looks, best->group),
             *thread = looks_at(sampler.thread_looks, best->owner.n);
    choice->wish = *best;
    choice->group_look = *group;
    choice->thread_look = *thread;
    *group = *thread = ++sampler.n_looks;
    if (!best->weight) /* nobody waits for it: it is looked at once */
        *best = sampler.offered[--sampler.n_offered];
    return true;
}

/* Nobody waits for it: that was no look, and others come before it this time. Under the lock. */
static void note_over(struct choice *choice)
{
    *looks_at(sampler.group_looks, choice->wish.group) = choice->group_look;
    *looks_at(sampler.thread_looks, choice->wish.owner.n) = choice->thread_look;
    choice->over[choice->n_over++] = choice->wish.group;
}

/* Looks at one of what is offered. With the lock, which it gives up meanwhile. */
static void run_offered(uint32_t queue)
{
    struct choice choice = {.n_over = 0};
    struct look last = {0};
    enum outcome outcome = NOTHING;
    int n_failed = 0;
    while (outcome != DONE && n_failed < MAX_FAILS && choice.n_over <= PM_SAMPLER_MAX_RECENT &&
           choose(queue, &choice)) {
        outcome = NOTHING;
        pthread_mutex_unlock(&sampler.lock);
        if (attach_once()) {
            const uint32_t outer = sampler.hold;
            sampler.hold = pm_epoch_enter();
            outcome = sample_wish(&choice.wish, &last);
            pm_epoch_leave(sampler.hold);
            sampler.hold = outer;
        }
        pthread_mutex_lock(&sampler.lock);
        n_failed += outcome == NOTHING;
        if (outcome == OVER)
            note_over(&choice);
    }
}

static void run_asked(void)
{
    struct pm_sample_wish asked[PM_SAMPLER_MAX_WISHES];
    pthread_mutex_lock(&sampler.lock);
    size_t n = sampler.n_asked;
    uint64_t number = sampler.begun_number = sampler.asked_number;
    memcpy(asked, sampler.asked, n * sizeof asked[0]);
    pthread_mutex_unlock(&sampler.lock);

    struct look last = {0};
    bool can = attach_once();
    const bool answered = sampler.answers;
    sampler.answers = true;
    const uint32_t outer = sampler.hold;
    sampler.hold = pm_epoch_enter();
    const int64_t spent_ns = sampler.spent_ns;
    for (size_t i = 0; can && i < n && !sampler.stopping; i++)
        sample_wish(&asked[i], &last);
    sampler.spent_ns = spent_ns; /* that of what is offered */
    pm_epoch_leave(sampler.hold);
    sampler.hold = outer;
    sampler.answers = answered;

    pthread_mutex_lock(&sampler.lock);
    if (sampler.answered_number < number)
        sampler.answered_number = number;
    pthread_cond_broadcast(&sampler.done);
    pthread_mutex_unlock(&sampler.lock);
}

/* Whoever looks into a program does so for some tens of seconds, and is to have enough samples by
 * then; a recorder that is always on need not pay for as many. */
static int64_t choose_pause(int64_t now_ns)
{
    if (!sampler.is_waited || sampler.short_ns > now_ns)
        return PAUSE_NS;
    const int64_t least_ns = now_ns - (int64_t)N_SHORT * SHORT_EACH;
    sampler.short_ns = (sampler.short_ns > least_ns ? sampler.short_ns : least_ns) + SHORT_EACH;
    return SHORT_NS;
}

/* One in each slice, at any time of it. What keeps time, as most programs do, must not keep step
 * with the samples: what it does at one time of its period would be all that is seen of it, or
 * never be seen. For the same reason a slice is so long that samples can be paid for, whether or
 * not there was anybody to look at in the one before: else the first sample of each wait would be
 * paid for by the rest of it, and what waits begin with be seen too often. */
static void plan_next(void)
{
    const int64_t now_ns = pm_clock_now(), end_ns = sampler.slice_ns + sampler.pause_ns;
    sampler.slice_ns = end_ns > now_ns ? end_ns : now_ns;
    const int64_t least_ns = choose_pause(now_ns);
    sampler.pause_ns = sampler.mean_ns > least_ns ? sampler.mean_ns : least_ns;
    sampler.random = sampler.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    sampler.next_ns =
        sampler.slice_ns + (int64_t)((sampler.random >> 32) * (uint64_t)sampler.pause_ns >> 32);
}

static void note_spent(void)
{
    const int64_t spent_ns = sampler.spent_ns < MAX_PAID_NS ? sampler.spent_ns : MAX_PAID_NS;
    sampler.mean_ns += (spent_ns - sampler.mean_ns) / MEAN_OF;
    sampler.spent_ns = 0;
}

/* With the lock, which it gives up meanwhile. */
static void serve(int64_t until_ns)
{
    int64_t now_ns;
    while (!sampler.stopping && (now_ns = pm_clock_now()) < until_ns) {
        int64_t due_ns = sampler.next_ns > sampler.paid_ns ? sampler.next_ns : sampler.paid_ns;
        if (sampler.begun_number != sampler.asked_number) {
            pthread_mutex_unlock(&sampler.lock);
            run_asked();
            pthread_mutex_lock(&sampler.lock);
        } else if (sampler.n_offered > 0 && due_ns <= now_ns) {
            if (now_ns - sampler.next_ns <= LATE_NS) {
                run_offered(sampler.queue++);
                note_spent();
            } /* else nobody was to be looked at for a while, or it was not paid for */
            plan_next();
        } else {
            due_ns = sampler.n_offered > 0 && due_ns < until_ns ? due_ns : until_ns;
            (void)pm_native_thread_wait(&sampler.wake, &sampler.lock, due_ns);
        }
    }
}

/* In the middle of a search, on the sampler's thread: all the other samples are taken meanwhile,
 * and what is no longer used is freed, as it takes seconds. */
static bool pause_search(int64_t ns)
{
    sampler.pauses++;
    pm_epoch_leave(sampler.hold);
    pthread_mutex_lock(&sampler.lock);
    serve(pm_clock_now() + (sampler.answers ? ns / ASKED_SHARE : ns));
    const bool goes_on = !sampler.stopping;
    pthread_mutex_unlock(&sampler.lock);
    sampler.hold = pm_epoch_enter();
    return goes_on;
}

static void *run(void *context)
{
    pthread_mutex_lock(&sampler.lock);
    serve(INT64_MAX);
    bool attached = sampler.attached && sampler.attach;
    sampler.running = false;
    sampler.ended = true;
    pthread_cond_broadcast(&sampler.done);
    pthread_mutex_unlock(&sampler.lock);
    if (attached && sampler.detach)
        sampler.detach(); /* may never return while the JVM ends */
    return NULL;
}

int pm_sampler_start(void)
{
    /* The drain may run before, and the thread may have ended before this returns. */
    pthread_mutex_lock(&sampler.lock);
    pm_native_thread_condition_init(&sampler.wake);
    pm_native_thread_condition_init(&sampler.done);
    sampler.stopping = sampler.ended = false;
    sampler.attached = false;
    sampler.attach_ns = 0;
    sampler.attach_pause_ns = PM_ATTACH_PAUSE_NS;
    sampler.n_offered = sampler.n_samples = 0;
    sampler.short_ns = sampler.spent_ns = sampler.mean_ns = 0;
    sampler.paid_ns = pm_clock_now();
    sampler.asked_number = sampler.begun_number = sampler.answered_number = 0;
    sampler.answers = false;
    pm_sample_on_pause(pause_search);
    /* The JVM puts guard pages of its own on the stack of a thread that attaches. */
    int error = pm_native_thread_start(&sampler.thread, "parkmeter-look", 512 << 10, run, NULL);
    sampler.running = error == 0;
    pthread_mutex_unlock(&sampler.lock);
    return error;
}

void pm_sampler_stop(void)
{
    pthread_mutex_lock(&sampler.lock);
    if (!sampler.running) {
        pthread_mutex_unlock(&sampler.lock);
        return;
    }
    sampler.stopping = true;
    pthread_cond_broadcast(&sampler.wake);
    int64_t until_ns = pm_clock_now() + 200000000;
    while (!sampler.ended && pm_native_thread_wait(&sampler.done, &sampler.lock, until_ns) == 0) {
    }
    bool ended = sampler.ended;
    pthread_mutex_unlock(&sampler.lock);
    if (ended && !sampler.attach)
        pm_native_thread_join(&sampler.thread);
    else
        pm_native_thread_detach(&sampler.thread);
}

void pm_sampler_offer(const struct pm_sample_wish *wishes, size_t n)
{
    pthread_mutex_lock(&sampler.lock);
    bool idle = sampler.n_offered == 0;
    memcpy(sampler.offered, wishes, n * sizeof *wishes);
    sampler.n_offered = n;
    sampler.is_waited = false;
    for (size_t i = 0; i < n && !sampler.is_waited; i++)
        sampler.is_waited = wishes[i].queue != PM_SAMPLE_QUEUE_LOW;
    if (sampler.running && idle && n > 0)
        pthread_cond_signal(&sampler.wake);
    pthread_mutex_unlock(&sampler.lock);
}

int pm_sampler_run(const struct pm_sample_wish *wishes, size_t n, int64_t deadline_ns)
{
    n = n < PM_SAMPLER_MAX_WISHES ? n : PM_SAMPLER_MAX_WISHES;
    int64_t until_ns = pm_clock_now() + deadline_ns;
    pthread_mutex_lock(&sampler.lock);
    if (!sampler.running || sampler.stopping) {
        pthread_mutex_unlock(&sampler.lock);
        return PM_ERROR_CANCELLED;
    }
    memcpy(sampler.asked, wishes, n * sizeof *wishes);
    sampler.n_asked = n;
    uint64_t number = ++sampler.asked_number;
    pthread_cond_signal(&sampler.wake);
    int result = 0;
    while (result == 0 && sampler.answered_number < number && sampler.running)
        result = pm_native_thread_wait(&sampler.done, &sampler.lock, until_ns);
    result = sampler.answered_number >= number ? 0 : PM_ERROR_IO;
    pthread_mutex_unlock(&sampler.lock);
    return result;
}

size_t pm_sampler_take(struct pm_owner_sample *ret_samples, size_t max)
{
    pthread_mutex_lock(&sampler.lock);
    size_t n = sampler.n_samples < max ? sampler.n_samples : max;
    memcpy(ret_samples, sampler.samples, n * sizeof *ret_samples);
    memmove(sampler.samples, sampler.samples + n, (sampler.n_samples - n) * sizeof *ret_samples);
    sampler.n_samples -= n;
    pthread_mutex_unlock(&sampler.lock);
    return n;
}

#include "recorder/agent/drain/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/native-thread.h"
#include "recorder/agent/sampling/sample.h"
#include "recorder/agent/waits/epoch.h"

#define PAUSE_NS    50000000    /* 20 samples a second */
#define STOP_SHARE  1000        /* one part in so many of the time may go into samples */
#define MAX_DEBT_NS 20000000000 /* what samples that are asked for may use of it beforehand */
#define MAX_SAMPLES 1024        /* not taken yet by the drain; more are dropped */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* of the sampler */
    pthread_cond_t done; /* of pm_sampler_run */
    bool running, ended;
    _Atomic bool stopping;
    bool attached, cannot_attach;
    struct pm_native_thread thread;
    int (*attach)(const char *name);
    void (*detach)(void);

    struct pm_sample_wish offered[PM_SAMPLER_MAX_WISHES];
    size_t n_offered, next_offered;
    struct pm_sample_wish asked[PM_SAMPLER_MAX_WISHES];
    size_t n_asked;
    uint64_t asked_number, answered_number;

    int64_t paid_ns; /* the sampler's own: when all samples so far are paid for */

    struct pm_owner_sample samples[MAX_SAMPLES];
    size_t n_samples;
} sampler = {.lock = PTHREAD_MUTEX_INITIALIZER};

void pm_sampler_set_hooks(int (*attach)(const char *name), void (*detach)(void))
{
    sampler.attach = attach;
    sampler.detach = detach;
}

static bool attach_once(void)
{
    if (!sampler.attached && !sampler.cannot_attach) {
        if (sampler.attach && sampler.attach("parkmeter-sampler") != 0) {
            sampler.cannot_attach = true;
        } else {
            sampler.attached = true;
        }
    }
    return sampler.attached;
}

static void keep_sample(const struct pm_owner_sample *sample)
{
    pthread_mutex_lock(&sampler.lock);
    if (sampler.n_samples < MAX_SAMPLES) {
        sampler.samples[sampler.n_samples++] = *sample;
    }
    pthread_mutex_unlock(&sampler.lock);
}

/* Its stack, which may keep the thread as long as that takes. */
static int sample_stack(struct pm_owner_sample *sample)
{
    int64_t stopped_ns = 0;
    int64_t now_ns = pm_clock_now();
    if (sampler.paid_ns - now_ns > MAX_DEBT_NS) {
        return PM_ERROR_LIMIT;
    }
    int error = pm_sample_thread(sample->owner, &sample->chain, &sample->owner_state, &stopped_ns);
    int64_t from_ns = sampler.paid_ns > now_ns ? sampler.paid_ns : now_ns;
    sampler.paid_ns = from_ns + stopped_ns * STOP_SHARE;
    return error;
}

/* Looks at the wish's present owner; one owner's chain is read once for all wishes of a run. */
static void sample_wish(const struct pm_sample_wish *wish, struct pm_owner_sample *last)
{
    pm_thread_id owner = wish->owner;
    pm_thread_id present;
    if ((wish->kind == PM_KIND_PARK && pm_sample_owner(wish->blocker, &present) == 0) ||
        (wish->kind == PM_KIND_ENTER &&
         pm_sample_monitor_owner(wish->blocker, wish->waiter, &present) == 0)) {
        owner = present;
    }
    struct pm_owner_sample sample = {
        .at_ns = pm_clock_now(), .waiter = wish->waiter, .blocker = wish->blocker, .owner = owner};
    if (owner.n == 0) {
        if (wish->owner.n != 0) {
            keep_sample(&sample); /* it let go meanwhile */
        }
        return;
    }
    if (last->owner.n == owner.n) {
        sample.chain = last->chain;
        sample.owner_state = last->owner_state;
    } else if (sample_stack(&sample) != 0) {
        sample.chain.n = 0;
        sample.owner_state = PM_OWNER_UNKNOWN;
    }
    *last = sample;
    keep_sample(&sample);
}

static void run_asked(void)
{
    struct pm_sample_wish asked[PM_SAMPLER_MAX_WISHES];
    pthread_mutex_lock(&sampler.lock);
    size_t n = sampler.n_asked;
    uint64_t number = sampler.asked_number;
    memcpy(asked, sampler.asked, n * sizeof(asked[0]));
    pthread_mutex_unlock(&sampler.lock);

    struct pm_owner_sample last = {0};
    bool can = attach_once();
    uint32_t hold = pm_epoch_enter();
    for (size_t i = 0; can && i < n && !sampler.stopping; i++) {
        sample_wish(&asked[i], &last);
    }
    pm_epoch_leave(hold);

    pthread_mutex_lock(&sampler.lock);
    sampler.answered_number = number;
    pthread_cond_broadcast(&sampler.done);
    pthread_mutex_unlock(&sampler.lock);
}

static void *run(void *context)
{
    pthread_mutex_lock(&sampler.lock);
    while (!sampler.stopping) {
        if (sampler.asked_number != sampler.answered_number) {
            pthread_mutex_unlock(&sampler.lock);
            run_asked();
            pthread_mutex_lock(&sampler.lock);
        } else if (sampler.n_offered > 0) {
            struct pm_sample_wish wish =
                sampler.offered[sampler.next_offered++ % sampler.n_offered];
            pthread_mutex_unlock(&sampler.lock);
            if (attach_once()) {
                struct pm_owner_sample last = {0};
                uint32_t hold = pm_epoch_enter();
                sample_wish(&wish, &last);
                pm_epoch_leave(hold);
            }
            pthread_mutex_lock(&sampler.lock);
            int64_t until_ns = pm_clock_now() + PAUSE_NS;
            until_ns = until_ns > sampler.paid_ns ? until_ns : sampler.paid_ns;
            while (!sampler.stopping && sampler.asked_number == sampler.answered_number &&
                   pm_native_thread_wait(&sampler.wake, &sampler.lock, until_ns) == 0) {
            }
        } else {
            pthread_cond_wait(&sampler.wake, &sampler.lock);
        }
    }
    bool attached = sampler.attached && sampler.attach;
    sampler.running = false;
    sampler.ended = true;
    pthread_cond_broadcast(&sampler.done);
    pthread_mutex_unlock(&sampler.lock);
    if (attached && sampler.detach) {
        sampler.detach(); /* may never return while the JVM ends */
    }
    return NULL;
}

int pm_sampler_start(void)
{
    pm_native_thread_condition_init(&sampler.wake);
    pm_native_thread_condition_init(&sampler.done);
    sampler.stopping = sampler.ended = false;
    sampler.attached = sampler.cannot_attach = false;
    sampler.n_offered = sampler.n_samples = 0;
    sampler.asked_number = sampler.answered_number = 0;
    /* The JVM puts guard pages of its own on the stack of a thread that attaches. */
    int error = pm_native_thread_start(&sampler.thread, "parkmeter-look", 512 << 10, run, NULL);
    sampler.running = error == 0;
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
    if (ended && !sampler.attach) {
        pm_native_thread_join(&sampler.thread);
    } else {
        pm_native_thread_detach(&sampler.thread);
    }
}

void pm_sampler_offer(const struct pm_sample_wish *wishes, size_t n)
{
    n = n < PM_SAMPLER_MAX_WISHES ? n : PM_SAMPLER_MAX_WISHES;
    pthread_mutex_lock(&sampler.lock);
    bool idle = sampler.n_offered == 0;
    memcpy(sampler.offered, wishes, n * sizeof(*wishes));
    sampler.n_offered = n;
    if (sampler.running && idle && n > 0) {
        pthread_cond_signal(&sampler.wake);
    }
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
    memcpy(sampler.asked, wishes, n * sizeof(*wishes));
    sampler.n_asked = n;
    uint64_t number = ++sampler.asked_number;
    pthread_cond_signal(&sampler.wake);
    int result = 0;
    while (result == 0 && sampler.answered_number < number && sampler.running) {
        result = pm_native_thread_wait(&sampler.done, &sampler.lock, until_ns);
    }
    result = sampler.answered_number >= number ? 0 : PM_ERROR_IO;
    pthread_mutex_unlock(&sampler.lock);
    return result;
}

size_t pm_sampler_take(struct pm_owner_sample *ret_samples, size_t max)
{
    pthread_mutex_lock(&sampler.lock);
    size_t n = sampler.n_samples < max ? sampler.n_samples : max;
    memcpy(ret_samples, sampler.samples, n * sizeof(*ret_samples));
    memmove(sampler.samples, sampler.samples + n, (sampler.n_samples - n) * sizeof(*ret_samples));
    sampler.n_samples -= n;
    pthread_mutex_unlock(&sampler.lock);
    return n;
}

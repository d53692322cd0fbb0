#include "recorder/agent/walk.h"

#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/chain.h"
#include "recorder/agent/fingerprint.h"
#include "recorder/agent/generation.h"
#include "recorder/agent/health.h"
#include "recorder/agent/quirks.h"
#include "recorder/agent/resolve.h"

#define MIN_SETS        2 /* as most threads know a few stacks only, memory grows with need */
#define MAX_SETS        16
#define SHARED_SETS     256
#define N_WAYS          4
#define MAX_INTERPRETED 64
/* Frames are kept on the stack in arrays just as long as needed: what a thread's stack once touched
 * stays resident, for thousands of threads. */
#define REWALK_EVERY 4096
#define MAX_TRIES    64 /* stacks with interpreter words, none of them as expected */

struct interpreted {
    uint32_t position; /* of the return address, in words from the native method's frame */
    uintptr_t method;
    uintptr_t bcp;
    struct pm_quirk_identity identity;
};

struct known {
    uint64_t hash;
    uint32_t chain; /* 0 = empty */
    uint32_t n_interpreted;
    struct interpreted *interpreted;
};

struct pm_walk_memory {
    const uintptr_t *stack_end;
    const uintptr_t *java_base; /* highest code word seen; NULL: scan to the end */
    bool learns_base;
    uint32_t epoch;
    uint32_t hits;
    uint32_t told_hits; /* of them, in pm_health */
    uint32_t next;      /* way to fill */
    uint32_t n_sets;    /* a power of two */
    struct known *sets; /* n_sets * N_WAYS */
};

static uint32_t depth = 64;
static bool compare_all;

void pm_walk_init(uint32_t max_frames, bool compare)
{
    depth = max_frames < PM_WALK_MAX_FRAMES ? max_frames : PM_WALK_MAX_FRAMES;
    compare_all = compare;
    atomic_store(&pm_health.chain_cache, pm_quirks_have_code());
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

/* The chain of `n` raw frames; one more than `depth` means there are more. */
static pm_chain_id chain_of(const jvmtiFrameInfo *raw, uint32_t n)
{
    bool truncated = n > depth;
    if (truncated)
        n = depth;
    uint64_t key = mix(0x9e3779b97f4a7c15u, (uint64_t)n * 2 + truncated);
    for (uint32_t i = 0; i < n; i++)
        key = mix(mix(key, (uint64_t)(uintptr_t)raw[i].method), (uint64_t)raw[i].location);

    pm_chain_id chain = pm_chain_find_key(key);
    if (chain.n || n == 0)
        return chain;
    struct pm_frame *frames = alloca(n * sizeof *frames);
    uint32_t hold = pm_generation_hold(); /* its methods, until it is there */
    for (uint32_t i = 0; i < n; i++)
        frames[i] = pm_resolve_frame(raw[i].method, raw[i].location);
    chain = pm_chain_add(frames, n, truncated);
    pm_generation_release(hold);
    if (chain.n)
        pm_chain_keep_key(key, chain);
    return chain;
}

/* -- what a thread remembers -- */

static struct pm_walk_memory *memory_new(bool started_by_java)
{
    pthread_attr_t attributes;
    void *base;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return NULL;
    int error = pthread_attr_getstack(&attributes, &base, &size);
    pthread_attr_destroy(&attributes);
    struct pm_walk_memory *memory = error ? NULL : calloc(1, sizeof *memory);
    if (memory)
        memory->sets = calloc(MIN_SETS * N_WAYS, sizeof *memory->sets);
    if (memory && !memory->sets) {
        free(memory);
        memory = NULL;
    }
    if (memory) {
        memory->n_sets = MIN_SETS;
        memory->stack_end = (const uintptr_t *)((char *)base + size);
        memory->learns_base = started_by_java;
        memory->epoch = atomic_load(&pm_health.chain_epochs);
    }
    return memory;
}

static void forget(struct pm_walk_memory *memory)
{
    for (uint32_t i = 0; i < memory->n_sets * N_WAYS; i++) {
        free(memory->sets[i].interpreted);
        memory->sets[i] = (struct known){0};
    }
}

static void tell_hits(struct pm_walk_memory *memory)
{
    atomic_fetch_add_explicit(&pm_health.chain_hits, memory->hits - memory->told_hits,
                              memory_order_relaxed);
    memory->told_hits = memory->hits;
}

void pm_walk_memory_free(struct pm_walk_memory *memory)
{
    if (!memory)
        return;
    tell_hits(memory);
    forget(memory);
    free(memory->sets);
    free(memory);
}

static struct known *set_of(struct pm_walk_memory *memory, uint64_t hash)
{
    return &memory->sets[(hash >> 40 & (memory->n_sets - 1)) * N_WAYS];
}

/* Rule 2. Every place that is read lies within the stack: the fingerprint is that of a stack at
 * which `position` was one, and rbp is checked. */
static bool same_interpreted(const struct known *known, const uintptr_t *from, const uintptr_t *end)
{
    for (uint32_t i = 0; i < known->n_interpreted; i++) {
        const struct interpreted *was = &known->interpreted[i];
        uintptr_t method, bcp;
        if (!pm_quirks_interpreted(from + was->position, end, &method, &bcp) ||
            method != was->method || bcp != was->bcp || !pm_quirks_is_same(&was->identity))
            return false;
    }
    return true;
}

static struct known *find(struct pm_walk_memory *memory, uint64_t hash, const uintptr_t *from,
                          const uintptr_t *end)
{
    struct known *set = set_of(memory, hash);
    for (int w = 0; w < N_WAYS; w++) {
        if (set[w].hash == hash && set[w].chain && same_interpreted(&set[w], from, end))
            return &set[w];
    }
    return NULL;
}

static const jvmtiFrameInfo *find_in_walk(uintptr_t method, uintptr_t bcp,
                                          const jvmtiFrameInfo *raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (pm_quirks_is_frame(method, bcp, &raw[i]))
            return &raw[i];
    }
    return NULL;
}

/* Notes the interpreted frames of a stack that was walked just now. -1 when there are too many. */
static int note_interpreted(const uintptr_t *from, const uintptr_t *to, const uintptr_t *end,
                            const jvmtiFrameInfo *raw, uint32_t n, struct interpreted *ret)
{
    int found = 0;
    bool looked_at_any = false, seen_any = false;
    for (const uintptr_t *at = from + 1; at < to; at++) {
        uintptr_t method, bcp;
        if (!pm_quirks_interpreted(at, end, &method, &bcp))
            continue;
        looked_at_any = true;
        const jvmtiFrameInfo *frame = find_in_walk(method, bcp, raw, n);
        if (frame)
            seen_any = true;
        else if (!pm_quirks_may_be_redefined(method, bcp, raw, n))
            continue; /* a left-over: in the fingerprint only */
        if (found == MAX_INTERPRETED)
            return -1;
        ret[found++] = (struct interpreted){.position = (uint32_t)(at - from),
                                            .method = method,
                                            .bcp = bcp,
                                            .identity = pm_quirks_identify(frame)};
    }
    /* The self-check: a stack that shows frames as we expect them settles it; many that show none
     * settle it the other way. */
    if (seen_any && atomic_load(&pm_quirks.frames) == PM_FRAMES_UNCHECKED) {
        atomic_store(&pm_quirks.frames, PM_FRAMES_RIGHT);
    } else if (looked_at_any && !seen_any &&
               atomic_load(&pm_quirks.frames) == PM_FRAMES_UNCHECKED &&
               atomic_fetch_add(&pm_quirks.frames_tried, 1) >= MAX_TRIES) {
        atomic_store(&pm_quirks.frames, PM_FRAMES_WRONG);
        atomic_store(&pm_health.chain_cache, false);
    }
    return found;
}

/* Twice as many sets; each splits in two, so nothing is pushed out. */
static bool grow(struct pm_walk_memory *memory)
{
    uint32_t n = memory->n_sets;
    struct known *old = memory->sets;
    struct known *sets = n < MAX_SETS ? calloc((size_t)n * 2 * N_WAYS, sizeof *sets) : NULL;
    if (!sets)
        return false;
    memory->sets = sets;
    memory->n_sets = n * 2;
    for (uint32_t i = 0; i < n * N_WAYS; i++) {
        if (old[i].chain) {
            struct known *set = set_of(memory, old[i].hash);
            while (set->chain)
                set++;
            *set = old[i];
        }
    }
    free(old);
    return true;
}

static void remember(struct pm_walk_memory *memory, uint64_t hash, pm_chain_id chain,
                     const struct interpreted *interpreted, uint32_t n)
{
    struct known *set, *to = NULL;
    do {
        set = set_of(memory, hash);
        for (int w = 0; w < N_WAYS && !to; w++)
            to = set[w].chain ? NULL : &set[w];
    } while (!to && grow(memory));
    if (!to)
        to = &set[memory->next++ % N_WAYS];
    struct interpreted *copy = NULL;
    if (n) {
        copy = malloc(n * sizeof *copy);
        if (!copy)
            return;
        memcpy(copy, interpreted, n * sizeof *copy);
    }
    free(to->interpreted);
    *to = (struct known){.hash = hash, .chain = chain.n, .n_interpreted = n, .interpreted = copy};
}

/* What all threads have learnt: threads of a pool stand in the same stacks, and positions count
 * from the hook's frame, so that a new thread need not walk what another one has. A walk by the JVM
 * also makes 16 KiB of the thread's stack resident. */
static struct {
    struct pm_walk_memory memory;
    pthread_mutex_t lock;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void share(uint32_t epoch, uint64_t hash, pm_chain_id chain,
                  const struct interpreted *interpreted, uint32_t n)
{
    pthread_mutex_lock(&shared.lock);
    struct pm_walk_memory *memory = &shared.memory;
    if (!memory->sets) {
        memory->sets = calloc(SHARED_SETS * N_WAYS, sizeof *memory->sets);
        memory->n_sets = memory->sets ? SHARED_SETS : 0;
    }
    if (memory->epoch != epoch)
        forget(memory);
    memory->epoch = epoch;
    if (memory->sets)
        remember(memory, hash, chain, interpreted, n);
    pthread_mutex_unlock(&shared.lock);
}

/* The chain another thread learnt for this stack, now remembered here too; 0 when none did. */
static __attribute__((noinline)) pm_chain_id adopt(struct pm_walk_memory *memory,
                                                   const struct pm_fingerprint *fingerprint,
                                                   const uintptr_t *from)
{
    struct interpreted interpreted[MAX_INTERPRETED];
    uint32_t n = 0;
    pm_chain_id chain = {0};
    pthread_mutex_lock(&shared.lock);
    const struct known *known =
        shared.memory.sets && shared.memory.epoch == memory->epoch
            ? find(&shared.memory, fingerprint->hash, from, memory->stack_end)
            : NULL;
    if (known) {
        chain.n = known->chain;
        n = known->n_interpreted;
        if (n)
            memcpy(interpreted, known->interpreted, n * sizeof *interpreted);
    }
    pthread_mutex_unlock(&shared.lock);
    if (chain.n) {
        if (memory->learns_base && fingerprint->last > memory->java_base)
            memory->java_base = fingerprint->last;
        remember(memory, fingerprint->hash, chain, interpreted, n);
    }
    return chain;
}

static bool walk(jvmtiFrameInfo *raw, uint32_t *ret_n)
{
    jint n = 0;
    if ((*pm_host.jvmti)->GetStackTrace(pm_host.jvmti, NULL, 0, (jint)depth + 1, raw, &n))
        return false;
    *ret_n = (uint32_t)n;
    return true;
}

/* Apart from walk_anew, so that its array is not on the stack while the JVM walks. */
static __attribute__((noinline)) void learn(struct pm_walk_memory *memory,
                                            const struct pm_fingerprint *fingerprint,
                                            const uintptr_t *from, const jvmtiFrameInfo *raw,
                                            uint32_t n, pm_chain_id chain)
{
    struct interpreted interpreted[MAX_INTERPRETED];
    if (memory->learns_base && fingerprint->last > memory->java_base)
        memory->java_base = fingerprint->last;
    int found = note_interpreted(from, fingerprint->last + 1, memory->stack_end, raw,
                                 n > depth ? depth : n, interpreted);
    if (found >= 0 && atomic_load(&pm_quirks.frames) == PM_FRAMES_RIGHT) {
        remember(memory, fingerprint->hash, chain, interpreted, (uint32_t)found);
        share(memory->epoch, fingerprint->hash, chain, interpreted, (uint32_t)found);
    }
}

static __attribute__((noinline)) pm_chain_id
walk_anew(struct pm_walk_memory *memory, struct pm_fingerprint *fingerprint, const uintptr_t *from)
{
    jvmtiFrameInfo *raw = alloca((depth + 1) * sizeof *raw);
    uint32_t n;
    if (!walk(raw, &n))
        return (pm_chain_id){0};
    atomic_fetch_add_explicit(&pm_health.chain_misses, 1, memory_order_relaxed);
    pm_chain_id chain = chain_of(raw, n);
    /* A scan that saw no code knows nothing of the stack. */
    if (memory && fingerprint->last && chain.n)
        learn(memory, fingerprint, from, raw, n, chain);
    return chain;
}

/* Compares a hit with a walk; forgets everything, on all threads, when they differ. */
static __attribute__((noinline)) pm_chain_id rewalk(pm_chain_id chain)
{
    jvmtiFrameInfo *raw = alloca((depth + 1) * sizeof *raw);
    uint32_t n;
    if (!walk(raw, &n))
        return chain;
    pm_chain_id right = chain_of(raw, n);
    if (right.n && right.n != chain.n) {
        atomic_fetch_add_explicit(&pm_health.chain_mismatches, 1, memory_order_relaxed);
        pm_quirks_forget();
        return right;
    }
    return chain;
}

pm_chain_id pm_walk_current(struct pm_self *self, const void *frame)
{
    struct pm_walk_memory *memory = self->walk_memory;
    struct pm_fingerprint fingerprint = {0};
    const uintptr_t *from = frame;
    if (__builtin_expect(!frame, 0))
        return walk_anew(NULL, &fingerprint, NULL);
    if (__builtin_expect(!memory, 0)) {
        if (!self->is_carrier && atomic_load(&pm_health.chain_cache))
            memory = self->walk_memory = memory_new(self->started_by_java);
        if (!memory)
            return walk_anew(NULL, &fingerprint, NULL);
    }

    uint32_t epoch = atomic_load_explicit(&pm_health.chain_epochs, memory_order_acquire);
    if (__builtin_expect(memory->epoch != epoch, 0)) {
        forget(memory);
        memory->epoch = epoch;
    }
    /* A margin, so that a base that moved up a little is seen and learnt. */
    const uintptr_t *to = memory->java_base ? memory->java_base + 9 : memory->stack_end;
    if (to > memory->stack_end)
        to = memory->stack_end;
    fingerprint = pm_fingerprint_take(from, to, pm_quirks.code_low, pm_quirks.code_high);
    const struct known *known =
        fingerprint.last ? find(memory, fingerprint.hash, from, memory->stack_end) : NULL;
    pm_chain_id chain = {known ? known->chain : 0};
    if (__builtin_expect(!known, 0)) {
        if (fingerprint.last)
            chain = adopt(memory, &fingerprint, from);
        if (!chain.n)
            return walk_anew(memory, &fingerprint, from);
    }
    uint32_t hits = ++memory->hits;
    if (__builtin_expect(hits % 256 == 0, 0))
        tell_hits(memory);
    if (__builtin_expect(hits % REWALK_EVERY == 0 || compare_all, 0))
        chain = rewalk(chain);
    return chain;
}

int pm_walk_thread(jthread thread, pm_chain_id *ret_chain)
{
    jvmtiFrameInfo *raw = alloca((depth + 1) * sizeof *raw);
    jint n = 0;
    jvmtiError error =
        (*pm_host.jvmti)->GetStackTrace(pm_host.jvmti, thread, 0, (jint)depth + 1, raw, &n);
    if (error == JVMTI_ERROR_THREAD_NOT_ALIVE || error == JVMTI_ERROR_INVALID_THREAD)
        return PM_ERROR_ARGUMENT;
    if (error)
        return PM_ERROR_IO;
    *ret_chain = chain_of(raw, (uint32_t)n);
    return 0;
}

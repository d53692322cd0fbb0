#include "recorder/agent/hooks/walk.h"

#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hotspot/frames.h"
#include "recorder/agent/hotspot/frozen.h"
#include "recorder/agent/hotspot/lock-support.h"
#include "recorder/agent/hotspot/quirks.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/meaning.h"
#include "recorder/agent/waits/epoch.h"

#define MIN_KNOWN   8 /* as most threads know a few stacks only, memory grows with need */
#define MAX_KNOWN   256
#define MAX_PROBES  16
#define SHARED_SETS 1024
#define N_WAYS      4
/* Walking another thread takes no longer; the call does, where that must first get a processor. */
#define LONGEST_STOP_NS 200000
/* Arrays lie on the stack just as long as needed: what a thread's stack once touched stays
 * resident, for thousands of threads. */
#define REWALK_EVERY 4096
#define MAX_TRIES    256 /* stacks that were not as expected, before the first one that was */

/* What a thread remembers: stacks by where their innermost frame lies, as the same code waits at
 * the same depth. */
struct known {
    const uintptr_t *sp; /* NULL = empty */
    struct pm_stack_key *key;
};

/* The stack that is walked. */
struct stack {
    struct pm_anchor anchor; /* sp NULL: where it lies is not known */
    const uintptr_t *end;
    int64_t frozen; /* of a virtual thread: frozen.h's number of the frames on the heap */
    uint32_t skip;  /* frames of our own, innermost */
};

/* Those that lie above LockSupport while a virtual thread parks, at most. */
#define YIELD_FRAMES 12

struct pm_walk_memory {
    const uintptr_t *stack_end;
    uint32_t epoch;
    uint32_t hits;
    uint32_t told_hits; /* of them, in pm_self_metrics */
    uint32_t next;      /* to be replaced */
    uint32_t max;       /* a power of two */
    struct known *known;
};

static uint32_t depth = 64;

/* Were stacks ever found as expected? Where none is, none is remembered. */
static _Atomic bool proven;
static _Atomic uint32_t n_tries;

void pm_walk_init(uint32_t max_frames, bool compare)
{
    depth = max_frames < PM_WALK_MAX_FRAMES ? max_frames : PM_WALK_MAX_FRAMES;
    pm_chain_cache.compares = compare;
    atomic_store(&pm_chain_cache.is_on, pm_quirks.knows_frames);
}

uint32_t pm_walk_depth(void)
{
    return depth;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

/* Another one once the method was redefined, as its lines may be others then. */
static uint64_t version_of(jmethodID method)
{
    return pm_quirks.knows_methods ? pm_quirks_method_of(method) : 0;
}

/* Of `n` raw frames, one more than `depth` if there are more, as their methods are now. */
static uint64_t key_of(const jvmtiFrameInfo *raw, uint32_t n)
{
    bool truncated = n > depth;
    if (truncated)
        n = depth;
    uint64_t key = mix(0x9e3779b97f4a7c15u, (uint64_t)n * 2 + truncated);
    for (uint32_t i = 0; i < n; i++)
        key = mix(mix(mix(key, (uint64_t)(uintptr_t)raw[i].method), (uint64_t)raw[i].location),
                  version_of(raw[i].method));
    return key;
}

/* The chain of these frames, whose key it is. */
static pm_chain_id chain_of(const jvmtiFrameInfo *raw, uint32_t n, uint64_t key)
{
    bool truncated = n > depth;
    if (truncated)
        n = depth;
    pm_chain_id chain = pm_chain_find_key(key);
    if (chain.n || n == 0)
        return chain;
    struct pm_frame *frames = alloca(n * sizeof *frames);
    uint32_t hold = pm_epoch_enter(); /* its methods, until it is there */
    for (uint32_t i = 0; i < n; i++)
        frames[i] = pm_resolve_frame(raw[i].method, raw[i].location);
    struct pm_chain value = {.n_frames = n, .frames = frames, .truncated = truncated};
    value.field_frame = pm_meaning_site_frame(frames, n);
    if (value.field_frame < n) {
        const jvmtiFrameInfo *site = &raw[value.field_frame];
        value.field = pm_resolve_field(site->method, site->location, value.field_frame > 0);
    }
    chain = pm_chain_add(&value);
    pm_epoch_leave(hold);
    for (uint32_t i = 0; i < n; i++)
        if (!frames[i].method.n)
            return chain; /* once there is memory for its names it is another */
    if (chain.n)
        pm_chain_keep_key(key, chain);
    return chain;
}

/* -- what a thread remembers -- */

static void count_bytes(int64_t more)
{
    atomic_fetch_add_explicit(&pm_self_metrics.thread_bytes, (uint64_t)more, memory_order_relaxed);
}

static struct pm_walk_memory *memory_new(const char *own)
{
    struct pm_walk_memory *memory = calloc(1, sizeof *memory);
    if (memory)
        memory->known = calloc(MIN_KNOWN, sizeof *memory->known);
    if (memory && !memory->known) {
        free(memory);
        memory = NULL;
    }
    if (memory) {
        memory->max = MIN_KNOWN;
        memory->stack_end = pm_vm_thread_stack_end(own);
        memory->epoch = atomic_load(&pm_chain_cache.epochs);
        count_bytes((int64_t)(sizeof *memory + MIN_KNOWN * sizeof *memory->known));
    }
    return memory;
}

static void forget(struct pm_walk_memory *memory)
{
    for (uint32_t i = 0; i < memory->max; i++) {
        pm_stack_key_leave(memory->known[i].key);
        memory->known[i] = (struct known){0};
    }
}

static void tell_hits(struct pm_walk_memory *memory)
{
    atomic_fetch_add_explicit(&pm_self_metrics.chain_hits, memory->hits - memory->told_hits,
                              memory_order_relaxed);
    memory->told_hits = memory->hits;
}

void pm_walk_memory_free(struct pm_walk_memory *memory)
{
    if (!memory)
        return;
    tell_hits(memory);
    forget(memory);
    count_bytes(-(int64_t)(sizeof *memory + memory->max * sizeof *memory->known));
    free(memory->known);
    free(memory);
}

/* Where a stack that begins there is looked for first. */
static uint32_t first_place(const uintptr_t *sp, uintptr_t pc, int64_t frozen)
{
    uint64_t hash = ((uint64_t)(uintptr_t)sp + pc + (uint64_t)frozen) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 40);
}

static struct known *place_at(const struct pm_walk_memory *memory, uint32_t place)
{
    return &memory->known[place & (memory->max - 1)];
}

static bool fits(const struct pm_stack_key *key, const struct stack *stack)
{
    return key->frozen == stack->frozen && pm_stack_key_fits(key, &stack->anchor, stack->end);
}

/* What comes often moves to where it is looked for first, if what lies there is found here too. */
static void move_to_front(const struct pm_walk_memory *memory, uint32_t first, uint32_t probe)
{
    struct known *front = place_at(memory, first), *here = place_at(memory, first + probe);
    struct known moved = *front;
    uint32_t home = first_place(moved.sp, moved.key->pc, moved.key->frozen);
    if (((first + probe - home) & (memory->max - 1)) >= MAX_PROBES)
        return;
    *front = *here;
    *here = moved;
}

static __attribute__((noinline)) const struct pm_stack_key *
find_further(const struct pm_walk_memory *memory, const struct stack *stack, uint32_t first)
{
    for (uint32_t probe = 0; probe < MAX_PROBES; probe++) {
        const struct known *known = place_at(memory, first + probe);
        if (!known->sp)
            break;
        if (known->sp != stack->anchor.sp || !fits(known->key, stack))
            continue;
        const struct pm_stack_key *key = known->key;
        move_to_front(memory, first, probe);
        return key;
    }
    return NULL;
}

static inline const struct pm_stack_key *find(const struct pm_walk_memory *memory,
                                              const struct stack *stack)
{
    uint32_t first = first_place(stack->anchor.sp, stack->anchor.pc, stack->frozen);
    const struct known *known = place_at(memory, first);
    bool is_first = known->sp == stack->anchor.sp && fits(known->key, stack);
    return __builtin_expect(is_first, 1) ? known->key : find_further(memory, stack, first);
}

static struct known *find_free(const struct pm_walk_memory *memory, uint32_t first)
{
    for (uint32_t probe = 0; probe < MAX_PROBES && probe < memory->max; probe++) {
        struct known *known = place_at(memory, first + probe);
        if (!known->sp)
            return known;
    }
    return NULL;
}

/* Twice the room. Who finds no place there is forgotten. */
static bool grow(struct pm_walk_memory *memory)
{
    uint32_t n = memory->max;
    struct known *old = memory->known;
    struct known *known = n < MAX_KNOWN ? calloc((size_t)n * 2, sizeof *known) : NULL;
    if (!known)
        return false;
    memory->known = known;
    memory->max = n * 2;
    count_bytes((int64_t)(n * sizeof *known));
    for (uint32_t i = 0; i < n; i++) {
        const struct pm_stack_key *key = old[i].key;
        struct known *to =
            key ? find_free(memory, first_place(old[i].sp, key->pc, key->frozen)) : NULL;
        if (to)
            *to = old[i];
        else
            pm_stack_key_leave(old[i].key);
    }
    free(old);
    return true;
}

/* Takes over the caller's use of the key. */
static void remember(struct pm_walk_memory *memory, const uintptr_t *sp, struct pm_stack_key *key)
{
    struct known *to;
    uint32_t first = first_place(sp, key->pc, key->frozen);
    while (!(to = find_free(memory, first)) && grow(memory)) {
    }
    if (!to)
        to = place_at(memory, first + memory->next++ % MAX_PROBES);
    pm_stack_key_leave(to->key);
    *to = (struct known){sp, key};
}

/* What all threads have learnt, by hash: threads of a pool stand in the same stacks, and positions
 * count from the innermost frame, so that a new thread need not walk what another one has. A walk
 * by the JVM also makes 16 KiB of the thread's stack resident. */
static struct {
    struct pm_stack_key **ways; /* SHARED_SETS * N_WAYS */
    uint32_t epoch;
    uint32_t next;
    pthread_mutex_t lock;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct pm_stack_key **shared_set(uint64_t hash)
{
    return &shared.ways[(hash >> 40 & (SHARED_SETS - 1)) * N_WAYS];
}

/* Under the lock. False: there is no memory. */
static bool open_shared(uint32_t epoch)
{
    if (!shared.ways)
        shared.ways = calloc(SHARED_SETS * N_WAYS, sizeof *shared.ways);
    for (uint32_t i = 0; shared.ways && shared.epoch != epoch && i < SHARED_SETS * N_WAYS; i++) {
        pm_stack_key_leave(shared.ways[i]);
        shared.ways[i] = NULL;
    }
    shared.epoch = epoch;
    return shared.ways != NULL;
}

static void share(uint32_t epoch, struct pm_stack_key *key)
{
    pthread_mutex_lock(&shared.lock);
    if (open_shared(epoch)) {
        struct pm_stack_key **set = shared_set(key->hash);
        int w = 0;
        while (w < N_WAYS && set[w] && set[w]->hash != key->hash)
            w++;
        w = w < N_WAYS ? w : (int)(shared.next++ % N_WAYS);
        pm_stack_key_leave(set[w]);
        set[w] = pm_stack_key_use(key);
    }
    pthread_mutex_unlock(&shared.lock);
}

/* The chain another thread learnt for this stack, now remembered here too; 0 when none did. */
static pm_chain_id adopt(struct pm_walk_memory *memory, const struct stack *stack, uint64_t hash)
{
    struct pm_stack_key *key = NULL;
    pthread_mutex_lock(&shared.lock);
    if (open_shared(memory->epoch)) {
        struct pm_stack_key **set = shared_set(hash);
        for (int w = 0; w < N_WAYS && !key; w++)
            if (set[w] && set[w]->hash == hash && fits(set[w], stack))
                key = pm_stack_key_use(set[w]);
    }
    pthread_mutex_unlock(&shared.lock);
    if (!key)
        return (pm_chain_id){0};
    pm_chain_id chain = {key->chain};
    remember(memory, stack->anchor.sp, key);
    return chain;
}

/* -- learning -- */

/* The most frames that matter: one more than are kept tells whether there are more. */
static uint32_t max_frames(const struct stack *stack)
{
    return depth + 1 + stack->skip;
}

/* At least those that are left out. */
static bool walk(const struct stack *stack, jvmtiFrameInfo *raw, uint32_t *ret_n)
{
    jint n = 0;
    if ((*pm_host.jvmti)->GetStackTrace(pm_host.jvmti, NULL, 0, (jint)max_frames(stack), raw, &n) ||
        (uint32_t)n < stack->skip)
        return false;
    *ret_n = (uint32_t)n;
    return true;
}

static void add_method(struct pm_frames *frames, jmethodID method)
{
    uint32_t n = frames->n_facts[PM_FACT_METHOD];
    struct pm_fact *facts = frames->facts[PM_FACT_METHOD];
    if (n && facts[n - 1].where == (uintptr_t)method)
        return; /* it calls itself */
    facts[n] = (struct pm_fact){(uintptr_t)method, pm_quirks_method_of(method)};
    frames->n_facts[PM_FACT_METHOD] = n + 1;
}

/* Do the frames that were seen lead through the methods that the JVM tells of the same stack?
 * Compiled code stands for one method or more, of which only the outermost is known; so from frame
 * to frame there is a set of places in the JVM's walk where the next one may begin. `*ret_n`: how
 * many frames surely cover `max_methods`. Adds the
 * identity of each method that is interpreted. */
static bool match(struct pm_frames *frames, const jvmtiFrameInfo *raw, uint32_t n,
                  uint32_t max_methods, uint32_t *ret_n)
{
    bool *may_begin = alloca(2 * (n + 1) * sizeof *may_begin);
    bool *next = may_begin + n + 1;
    uint32_t first = 0;
    memset(may_begin, 0, n + 1);
    may_begin[0] = true;
    for (uint32_t f = 0; f < frames->n; f++) {
        const struct pm_frame_seen *seen = &frames->seen[f];
        jmethodID interpreted = NULL;
        uint32_t next_first = n + 1;
        memset(next, 0, n + 1);
        for (uint32_t i = first; i < n; i++) {
            bool fits = seen->is_interpreted
                            ? may_begin[i] && pm_quirks_is_frame(seen->method, seen->bcp, &raw[i])
                            : pm_quirks_method_of(raw[i].method) == seen->method;
            if (!fits)
                continue;
            next[i + 1] = true;
            if (i + 1 < next_first)
                next_first = i + 1;
            interpreted = raw[i].method;
        }
        if (next_first > n)
            return false;
        if (seen->is_interpreted)
            add_method(frames, interpreted);
        first = next_first;
        memcpy(may_begin, next, n + 1);
        *ret_n = f + 1;
        if (first >= max_methods)
            return true;
    }
    return frames->is_complete && may_begin[n];
}

static void count_try(bool as_expected)
{
    if (atomic_load_explicit(&proven, memory_order_relaxed))
        return;
    if (as_expected)
        atomic_store(&proven, true);
    else if (atomic_fetch_add(&n_tries, 1) >= MAX_TRIES)
        atomic_store(&pm_chain_cache.is_on, false);
}

/* What a walk of up to `max` frames gathers. Not on the stack: near its end the JVM vouches for 80
 * KiB only, of which a deep walk would take more. */
static bool make_frames(uint32_t max, struct pm_frames *ret_frames)
{
    *ret_frames = (struct pm_frames){.max = max, .max_facts = 3 * max + 64};
    size_t facts = ret_frames->max_facts * sizeof(struct pm_fact);
    char *room = malloc(max * sizeof *ret_frames->seen + 4 * facts);
    if (!room)
        return false;
    for (int kind = 0; kind < 4; kind++, room += facts)
        ret_frames->facts[kind] = (struct pm_fact *)(void *)room;
    ret_frames->seen = (struct pm_frame_seen *)(void *)room;
    return true;
}

static void free_frames(struct pm_frames *frames)
{
    free(frames->facts[0]);
}

static void learn_frames(struct pm_walk_memory *memory, const struct stack *stack, uint64_t hash,
                         const jvmtiFrameInfo *raw, uint32_t n, uint64_t chain_key,
                         pm_chain_id chain, struct pm_frames *frames)
{
    uint32_t covering = 0;
    if (!pm_frames_walk(&stack->anchor, stack->end, frames) ||
        (stack->frozen && frames->is_complete && !pm_frozen_add(stack->frozen, frames)))
        return;
    bool as_expected = match(frames, raw, n, frames->max, &covering);
    count_try(as_expected);
    /* Code in use is left as soon as a method in it is redefined, which its stamp tells. */
    for (uint32_t i = 0; frames->has_old_code && i < n; i++)
        add_method(frames, raw[i].method);
    if (key_of(raw + stack->skip, n - stack->skip) != chain_key)
        return; /* a method was redefined since */
    if (!as_expected && stack->frozen)
        pm_frozen_forget(stack->frozen);
    struct pm_stack_key *key =
        as_expected ? pm_stack_key_new(&stack->anchor, frames, covering) : NULL;
    if (!key)
        return;
    key->chain = chain.n;
    key->hash = hash;
    key->frozen = stack->frozen;
    share(memory->epoch, key);
    remember(memory, stack->anchor.sp, key);
}

static void learn(struct pm_walk_memory *memory, const struct stack *stack, uint64_t hash,
                  const jvmtiFrameInfo *raw, uint32_t n, uint64_t chain_key, pm_chain_id chain)
{
    struct pm_frames frames;
    if (!make_frames(max_frames(stack), &frames))
        return;
    learn_frames(memory, stack, hash, raw, n, chain_key, chain, &frames);
    free_frames(&frames);
}

static __attribute__((noinline)) pm_chain_id walk_by_jvm(struct pm_walk_memory *memory,
                                                         const struct stack *stack, uint64_t hash)
{
    jvmtiFrameInfo *raw = alloca(max_frames(stack) * sizeof *raw);
    uint32_t n;
    if (!walk(stack, raw, &n))
        return (pm_chain_id){0};
    atomic_fetch_add_explicit(&pm_self_metrics.chain_misses, 1, memory_order_relaxed);
    uint64_t key = key_of(raw + stack->skip, n - stack->skip);
    pm_chain_id chain = chain_of(raw + stack->skip, n - stack->skip, key);
    if (hash && n && chain.n && pm_chain_find_key(key).n == chain.n)
        learn(memory, stack, hash, raw, n, key, chain);
    return chain;
}

/* Not remembered here: by another thread, or not at all. */
static __attribute__((noinline)) pm_chain_id
look_elsewhere(struct pm_walk_memory *memory, const struct stack *stack, bool *ret_known)
{
    uint64_t hash = pm_frames_hash(&stack->anchor, stack->end, max_frames(stack));
    if (hash && stack->frozen)
        hash = mix(hash, (uint64_t)stack->frozen) | 1;
    pm_chain_id chain = hash ? adopt(memory, stack, hash) : (pm_chain_id){0};
    *ret_known = chain.n != 0;
    return chain.n ? chain : walk_by_jvm(memory, stack, hash);
}

/* Compares a hit with a walk; forgets everything, on all threads, when they differ while the key
 * still fits. Does it not, the JVM changed a method in between, and both were right in their time.
 */
static __attribute__((noinline)) pm_chain_id rewalk(const struct pm_walk_memory *memory,
                                                    const struct stack *stack, pm_chain_id chain)
{
    jvmtiFrameInfo *raw = alloca(max_frames(stack) * sizeof *raw);
    uint32_t n;
    if (!walk(stack, raw, &n))
        return chain;
    pm_chain_id right =
        chain_of(raw + stack->skip, n - stack->skip, key_of(raw + stack->skip, n - stack->skip));
    if (!right.n || right.n == chain.n)
        return chain;
    const struct pm_stack_key *key = find(memory, stack);
    if (key && key->chain == chain.n) {
        atomic_fetch_add_explicit(&pm_self_metrics.chain_mismatches, 1, memory_order_relaxed);
        pm_quirks_forget();
    }
    return right;
}

PM_HOT bool pm_walker_runs_virtual(const struct pm_walker *walker)
{
    return pm_vm_thread_layout.has_identity
               ? pm_vm_thread_runs_virtual(walker->vm_thread, walker->tid)
               : walker->is_carrier;
}

/* Where it lies, in `stack`; sp stays NULL when that is not known. */
static void find_stack(const struct pm_walker *walker, bool is_virtual, struct stack *stack)
{
    if (!is_virtual)
        stack->end = walker->memory->stack_end;
    else if (stack->frozen != PM_FROZEN_UNKNOWN)
        stack->end = pm_vm_thread_virtual_end(walker->vm_thread);
    if (stack->end)
        pm_vm_thread_anchor(walker->vm_thread, &stack->anchor);
    stack->anchor.is_virtual = is_virtual;
}

PM_HOT static pm_chain_id walk_stack(struct pm_walker *walker, bool is_virtual, struct stack *stack)
{
    struct pm_walk_memory *memory = walker->memory;
    if (!atomic_load_explicit(&pm_chain_cache.is_on, memory_order_relaxed) || !walker->vm_thread)
        return walk_by_jvm(NULL, stack, 0);
    if (__builtin_expect(!memory, 0)) {
        memory = walker->memory = memory_new(walker->vm_thread);
        if (!memory)
            return walk_by_jvm(NULL, stack, 0);
    }
    uint32_t epoch = atomic_load_explicit(&pm_chain_cache.epochs, memory_order_acquire);
    if (__builtin_expect(memory->epoch != epoch, 0)) {
        forget(memory);
        memory->epoch = epoch;
    }
    find_stack(walker, is_virtual, stack);
    if (!stack->anchor.sp)
        return walk_by_jvm(NULL, stack, 0);
    const struct pm_stack_key *key = find(memory, stack);
    pm_chain_id chain = {key ? key->chain : 0};
    if (__builtin_expect(!key, 0)) {
        bool known;
        chain = look_elsewhere(memory, stack, &known);
        if (!known)
            return chain;
    }
    uint32_t hits = ++memory->hits;
    if (__builtin_expect(hits % 256 == 0, 0))
        tell_hits(memory);
    if (__builtin_expect(hits % REWALK_EVERY == 0 || pm_chain_cache.compares, 0))
        chain = rewalk(memory, stack, chain);
    return chain;
}

PM_HOT pm_chain_id pm_walk_current(struct pm_walker *walker)
{
    bool is_virtual = pm_walker_runs_virtual(walker);
    struct stack stack = {.frozen = is_virtual ? PM_FROZEN_UNKNOWN : 0};
    return walk_stack(walker, is_virtual, &stack);
}

PM_HOT pm_chain_id pm_walk_hooked(struct pm_walker *walker, bool is_virtual, int64_t frozen)
{
    struct stack stack = {.frozen = frozen, .skip = pm_lock_support_frames()};
    return walk_stack(walker, is_virtual, &stack);
}

/* Another thread's frames, one more than are kept at most. */
static int walk_other(jthread thread, jvmtiFrameInfo *raw, uint32_t max, uint32_t *ret_n)
{
    jint n = 0;
    jvmtiError error =
        (*pm_host.jvmti)->GetStackTrace(pm_host.jvmti, thread, 0, (jint)max, raw, &n);
    *ret_n = (uint32_t)n;
    if (error == JVMTI_ERROR_THREAD_NOT_ALIVE || error == JVMTI_ERROR_INVALID_THREAD)
        return PM_ERROR_ARGUMENT;
    return error ? PM_ERROR_IO : 0;
}

int pm_walk_thread(jthread thread, bool runs, pm_chain_id *ret_chain, int64_t *ret_stopped_ns)
{
    jvmtiFrameInfo *raw = alloca((depth + 1) * sizeof *raw);
    uint32_t n = 0;
    const int64_t begin_ns = pm_clock_now();
    int error = walk_other(thread, raw, depth + 1, &n);
    const int64_t took_ns = pm_clock_now() - begin_ns;
    *ret_stopped_ns = !runs ? 0 : took_ns < LONGEST_STOP_NS ? took_ns : LONGEST_STOP_NS;
    if (!error)
        *ret_chain = chain_of(raw, n, key_of(raw, n));
    return error;
}

static bool is_lock_support(JNIEnv *env, jmethodID method)
{
    jclass class = NULL;
    char *signature = NULL;
    bool is = (*pm_host.jvmti)->GetMethodDeclaringClass(pm_host.jvmti, method, &class) == 0 &&
              (*pm_host.jvmti)->GetClassSignature(pm_host.jvmti, class, &signature, NULL) == 0 &&
              strcmp(signature, "Ljava/util/concurrent/locks/LockSupport;") == 0;
    pm_host_free(signature);
    (*env)->DeleteLocalRef(env, class);
    return is;
}

int pm_walk_parked(JNIEnv *env, jthread thread, pm_chain_id *ret_chain)
{
    uint32_t max = depth + 1 + YIELD_FRAMES;
    jvmtiFrameInfo *raw = alloca(max * sizeof *raw);
    uint32_t n = 0, above = 0;
    int error = walk_other(thread, raw, max, &n);
    if (error)
        return error;
    while (above < n && above < YIELD_FRAMES && !is_lock_support(env, raw[above].method))
        above++;
    if (above == n || !is_lock_support(env, raw[above].method))
        return PM_ERROR_ARGUMENT;
    n -= above;
    n = n < depth + 1 ? n : depth + 1;
    *ret_chain = chain_of(raw + above, n, key_of(raw + above, n));
    return 0;
}

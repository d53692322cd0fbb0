#include "recorder/agent/hooks/identity.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/reservation.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/quirks.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/grace-period.h"
#include "recorder/agent/waits/slot.h"

#define LOG2_BUCKETS 16 /* more than objects: most that are new fall into an empty one */

/* The ration of new rows. */
#define NEW_IN_A_BURST 8192
#define NEW_PER_S      1024

/* Objects that are waited on but once, such as futures and threads that end, may go long before
 * they are collected, if there are many: after two such stretches without use, threads after one.
 */
#define MANY       4096
#define STRETCH_NS INT64_C(2000000000)
#define NEVER      UINT32_MAX

/* Of what was refused a new row, or has left so, some of the hash is remembered. */
#define LOG2_HASHES 15

#define MAX_STEPS 128 /* in a bucket */
#define CROWDED   UINT32_MAX

struct place {
    jweak ref;
    uint32_t hash;
    uint32_t blocker;
    uint32_t traits;
    _Atomic uint32_t used; /* the sweep that saw it used last */
    _Atomic uint32_t next; /* in its bucket: number + 1; kept while readers may pass */
    union {
        _Atomic uint32_t once; /* `used`, if it was used then only; NEVER */
        uint32_t next_free;
    };
    bool taken_out;
};

static struct {
    _Alignas(64) struct place *places;
    _Atomic uint32_t epoch; /* moves on when a sweep takes places out */
    _Atomic uint32_t sweep;
    struct pm_reservation reservation; /* of places */
    uint32_t max;
    uint32_t n_places; /* ever used */
    uint32_t free;     /* number + 1 */
    _Atomic uint32_t n_used;
    void (*on_scarce)(void);
    pthread_mutex_t lock; /* places, links; never held over a call of the JVM */
} table PM_HOT_DATA = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What each new object comes past is small, as it lies elsewhere for each: an empty bucket is a
 * bit, and is not read. */
static _Atomic uint32_t buckets[1u << LOG2_BUCKETS]; /* place number + 1 */
static _Atomic uint64_t filled[(1u << LOG2_BUCKETS) / 64];

/* Bits of hashes, each at its place. Two whose hashes are alike are taken for one, which costs a
 * row or its memory, and no truth. */
struct hashes {
    _Atomic uint16_t bits[1u << LOG2_HASHES];
};
static struct hashes refused; /* a new row */
static struct hashes left;    /* after their only use; whoever returns stays */

/* The sweep's own. */
static struct {
    /* Places taken out, until every slot that was entering then has moved on. */
    struct pm_reservation out; /* of uint32_t */
    uint32_t n_out;
    struct pm_grace_period grace_period;
    uint32_t stretches[3]; /* the sweeps at which this one began, the last, and the one before */
    int64_t stretch_ns;
    /* Held by whoever follows a weak reference outside a slot's entering: the sampler; and by the
     * sweep as it deletes. No application thread ever takes it. */
    pthread_mutex_t refs;
} sweeper = {.refs = PTHREAD_MUTEX_INITIALIZER};

int pm_identity_init(uint32_t max, void (*on_scarce)(void))
{
    table.on_scarce = on_scarce;
    table.max = max ? max : 32768;
    atomic_store(&table.epoch, 1);
    if (pm_reservation_init(&table.reservation, table.max * sizeof *table.places) ||
        pm_reservation_init(&sweeper.out, table.max * sizeof(uint32_t)))
        return PM_ERROR_MEMORY;
    table.places = (struct place *)(void *)table.reservation.base;
    return pm_grace_period_init(&sweeper.grace_period);
}

/* How many there can be, as things are. */
static uint32_t limit(void)
{
    size_t places = pm_reservation_limit(&table.reservation) / sizeof *table.places;
    return places < table.max ? (uint32_t)places : table.max;
}

static uint32_t *out_at(uint32_t number)
{
    return (uint32_t *)(void *)sweeper.out.base + number;
}

uint32_t pm_identity_count(void)
{
    return atomic_load_explicit(&table.n_used, memory_order_relaxed);
}

static uint32_t bucket_of(uint32_t hash)
{
    return (hash * 0x9e3779b1u) >> (32 - LOG2_BUCKETS);
}

static uint32_t first_in(uint32_t bucket)
{
    uint64_t some = atomic_load_explicit(&filled[bucket / 64], memory_order_acquire);
    return some >> bucket % 64 & 1 ? atomic_load_explicit(&buckets[bucket], memory_order_acquire)
                                   : 0;
}

static uint32_t traits_of(JNIEnv *env, jobject object)
{
    uint32_t traits = 0;
    if (pm_host.ownable_owner && (*env)->IsInstanceOf(env, object, pm_host.ownable))
        traits |= PM_IDENTITY_OWNABLE;
    if (pm_host.aqs_state && (*env)->IsInstanceOf(env, object, pm_host.aqs))
        traits |= PM_IDENTITY_AQS;
    if (pm_host.long_aqs_state && (*env)->IsInstanceOf(env, object, pm_host.long_aqs))
        traits |= PM_IDENTITY_LONG_AQS;
    if (pm_host.stamped_state && (*env)->IsInstanceOf(env, object, pm_host.stamped))
        traits |= PM_IDENTITY_STAMPED;
    if ((*env)->IsInstanceOf(env, object, pm_host.thread))
        traits |= PM_IDENTITY_THREAD;
    return traits;
}

static bool is_same(JNIEnv *env, jobject object, jweak ref)
{
    return (pm_quirks.knows_references && pm_quirks_same(object, ref)) ||
           (*env)->IsSameObject(env, object, ref);
}

/* The same of what was met lately: a false "no" only makes it be looked for. */
static bool is_same_recent(JNIEnv *env, jobject object, jweak ref)
{
    return pm_quirks.knows_references ? pm_quirks_same(object, ref)
                                      : (*env)->IsSameObject(env, object, ref);
}

/* From `number` on, up to but not including `end`. CROWDED: not among the first MAX_STEPS, as where
 * the JVM gives many objects one hash code. */
static uint32_t seek(JNIEnv *env, jobject object, uint32_t hash, uint32_t number, uint32_t end)
{
    for (uint32_t steps = 0; number && number != end; steps++) {
        if (steps == MAX_STEPS)
            return CROWDED;
        struct place *place = &table.places[number - 1];
        if (place->hash == hash && is_same(env, object, place->ref))
            return number;
        number = atomic_load_explicit(&place->next, memory_order_acquire);
    }
    return 0;
}

static struct pm_identity identity_at(uint32_t number)
{
    struct place *place = &table.places[number - 1];
    uint32_t sweep = atomic_load_explicit(&table.sweep, memory_order_relaxed);
    if (atomic_load_explicit(&place->used, memory_order_relaxed) != sweep)
        atomic_store_explicit(&place->used, sweep, memory_order_relaxed);
    return (struct pm_identity){
        .blocker = {place->blocker}, .place = number, .traits = place->traits, .hash = place->hash};
}

/* Whether one more new row is within the ration. `paid_ns`: up to when all rows so far are paid
 * for, at NEW_PER_S. */
static bool is_affordable(void)
{
    const int64_t price_ns = 1000000000 / NEW_PER_S;
    static _Atomic int64_t paid_ns;
    int64_t now_ns = pm_clock_now();
    int64_t paid = atomic_load_explicit(&paid_ns, memory_order_relaxed);
    int64_t from;
    do {
        from = paid > now_ns ? paid : now_ns;
        if (from - now_ns > NEW_IN_A_BURST * price_ns)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&paid_ns, &paid, from + price_ns,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static bool is_among(struct hashes *hashes, uint32_t hash)
{
    uint32_t mixed = hash * 0x9e3779b1u;
    return atomic_load_explicit(&hashes->bits[mixed >> (32 - LOG2_HASHES)], memory_order_relaxed) ==
           (uint16_t)(mixed | 1);
}

static void remember(struct hashes *hashes, uint32_t hash)
{
    uint32_t mixed = hash * 0x9e3779b1u;
    atomic_store_explicit(&hashes->bits[mixed >> (32 - LOG2_HASHES)], (uint16_t)(mixed | 1),
                          memory_order_relaxed);
}

/* Whether an object of this hash came here not long ago; from now on it did. */
static bool was_refused(uint32_t hash)
{
    bool was = is_among(&refused, hash);
    remember(&refused, hash);
    return was;
}

static pm_class_id learn_class(JNIEnv *env, struct pm_recent_identities *recent, jobject object,
                               jclass class, uint32_t *ret_traits)
{
    uint32_t epoch = pm_epoch_now(); /* before the id is given */
    pm_class_id id = pm_resolve_class(class);
    *ret_traits = traits_of(env, object);
    if (!pm_quirks.knows_references || id.n == pm_class_unknown().n)
        return id;
    uint32_t at = recent->next_class++ & 3;
    if (recent->classes[at].ref)
        (*env)->DeleteWeakGlobalRef(env, recent->classes[at].ref);
    recent->classes[at].ref = (*env)->NewWeakGlobalRef(env, class);
    if (!recent->classes[at].ref && (*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env); /* OutOfMemoryError, of our own asking */
    recent->classes[at].epoch = epoch;
    recent->classes[at].traits = *ret_traits;
    recent->classes[at].id = id;
    return id;
}

/* Of a new object. An id that was given in this epoch is still in use. */
static pm_class_id class_of(JNIEnv *env, struct pm_recent_identities *recent, jobject object,
                            uint32_t *ret_traits)
{
    jclass class = (*env)->GetObjectClass(env, object);
    uint32_t epoch = pm_epoch_now();
    pm_class_id id = {0};
    for (int i = 0; i < 4 && !id.n; i++) {
        if (recent->classes[i].ref && recent->classes[i].epoch == epoch &&
            pm_quirks_same(class, recent->classes[i].ref)) {
            id = recent->classes[i].id;
            *ret_traits = recent->classes[i].traits;
        }
    }
    if (!id.n)
        id = learn_class(env, recent, object, class, ret_traits);
    (*env)->DeleteLocalRef(env, class);
    return id;
}

void pm_recent_identities_free(JNIEnv *env, struct pm_recent_identities *recent)
{
    for (int i = 0; i < 4; i++)
        if (recent->classes[i].ref)
            (*env)->DeleteWeakGlobalRef(env, recent->classes[i].ref);
    memset(recent, 0, sizeof *recent);
}

/* When there is no room: one row for all of a class at a site. One that was given in this epoch is
 * still in use. */
static struct pm_identity folded(JNIEnv *env, struct pm_recent_identities *recent, jobject object,
                                 pm_chain_id chain, pm_thread_id thread)
{
    struct pm_identity identity = {0};
    uint32_t epoch = pm_epoch_now();
    pm_class_id class = class_of(env, recent, object, &identity.traits);
    for (int i = 0; i < 2; i++) {
        identity.blocker = recent->folds[i].blocker;
        if (identity.blocker.n && recent->folds[i].epoch == epoch &&
            recent->folds[i].class_id.n == class.n && recent->folds[i].chain.n == chain.n)
            return identity;
    }
    identity.blocker = pm_blocker_add_folded(class, chain, thread);
    uint32_t at = recent->next_fold++ & 1;
    recent->folds[at].epoch = epoch;
    recent->folds[at].class_id = class;
    recent->folds[at].chain = chain;
    recent->folds[at].blocker = identity.blocker;
    return identity;
}

static pm_blocker_id parent_of(JNIEnv *env, struct pm_recent_identities *recent, jobject object,
                               pm_chain_id chain, pm_thread_id thread)
{
    pm_blocker_id parent = {0};
    for (int i = 0; i < 2; i++) {
        if (pm_host.condition_outer[i] && (*env)->IsInstanceOf(env, object, pm_host.condition[i])) {
            jobject lock = pm_field_object(env, object, pm_host.condition_outer[i]);
            if (lock) {
                struct pm_identity identity = pm_identity_of(env, recent, lock, chain, thread);
                parent = identity.blocker;
                if (identity.place) /* others refer to it */
                    atomic_store(&table.places[identity.place - 1].once, NEVER);
                (*env)->DeleteLocalRef(env, lock);
            }
        }
    }
    return parent;
}

static struct pm_identity add(JNIEnv *env, struct pm_recent_identities *recent, jobject object,
                              uint32_t hash, uint32_t head, pm_chain_id chain, pm_thread_id thread)
{
    uint32_t n_used = atomic_load_explicit(&table.n_used, memory_order_relaxed), max = limit();
    if (n_used >= max - max / 4)
        table.on_scarce();
    if (n_used >= table.max || (!is_affordable() && !was_refused(hash)))
        return folded(env, recent, object, chain, thread);
    uint32_t traits;
    pm_class_id class = class_of(env, recent, object, &traits);
    /* It has a row of its own once there is memory for its names. */
    bool has_names = class.n != pm_class_unknown().n && (!chain.n || pm_chain_site_method(chain).n);
    jweak ref = has_names ? (*env)->NewWeakGlobalRef(env, object) : NULL;
    if (!ref) {
        if ((*env)->ExceptionCheck(env))
            (*env)->ExceptionClear(env); /* OutOfMemoryError, of our own asking */
        return folded(env, recent, object, chain, thread);
    }
    struct pm_blocker row = {.class_id = class,
                             .hash = hash,
                             .parent = parent_of(env, recent, object, chain, thread),
                             .first_chain = chain,
                             .first_thread = thread};
    uint32_t bucket = bucket_of(hash), number = 0, same = 0;
    for (;;) {
        /* Someone may have added it meanwhile: look at what came since, outside the lock. */
        uint32_t end = head;
        head = first_in(bucket);
        same = head != end ? seek(env, object, hash, head, end) : 0;
        if (same)
            break;
        pthread_mutex_lock(&table.lock);
        if (first_in(bucket) == head) {
            if (table.free) {
                number = table.free;
                table.free = table.places[number - 1].next_free;
            } else if (table.n_places < table.max &&
                       pm_reservation_open(&table.reservation,
                                           (table.n_places + 1) * sizeof *table.places)) {
                number = ++table.n_places;
            }
            pm_blocker_id id = number ? pm_blocker_add(&row) : (pm_blocker_id){0};
            if (id.n) {
                struct place *place = &table.places[number - 1];
                place->ref = ref;
                place->hash = hash;
                place->blocker = id.n;
                place->traits = traits;
                place->taken_out = false;
                uint32_t sweep = atomic_load(&table.sweep);
                atomic_store(&place->used, sweep);
                atomic_store(&place->once, is_among(&left, hash) ? NEVER : sweep);
                atomic_store(&place->next, head);
                atomic_store_explicit(&buckets[bucket], number, memory_order_release);
                atomic_fetch_or(&filled[bucket / 64], UINT64_C(1) << bucket % 64);
                atomic_fetch_add(&table.n_used, 1);
            } else if (number) {
                table.places[number - 1].next_free = table.free;
                table.free = number;
                number = 0;
            }
            pthread_mutex_unlock(&table.lock);
            break;
        }
        pthread_mutex_unlock(&table.lock);
    }
    if (!number)
        (*env)->DeleteWeakGlobalRef(env, ref);
    if (number || (same && same != CROWDED))
        return identity_at(number ? number : same);
    return folded(env, recent, object, chain, thread);
}

PM_HOT struct pm_identity pm_identity_of(JNIEnv *env, struct pm_recent_identities *recent,
                                         jobject object, pm_chain_id chain, pm_thread_id thread)
{
    uint32_t epoch = atomic_load(&table.epoch);
    if (__builtin_expect(recent->epoch != epoch, 0)) {
        memset(recent->items, 0, sizeof recent->items);
        recent->epoch = epoch;
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t at = (recent->next + 3 - i) & 3; /* newest first */
        if (recent->items[at].ref && is_same_recent(env, object, recent->items[at].ref))
            return identity_at(recent->items[at].identity.place);
    }

    jint hash = 0;
    (*pm_host.jvmti)->GetObjectHashCode(pm_host.jvmti, object, &hash);
    uint32_t head = first_in(bucket_of((uint32_t)hash));
    uint32_t number = seek(env, object, (uint32_t)hash, head, 0);
    struct pm_identity identity =
        number == CROWDED ? folded(env, recent, object, chain, thread)
        : number          ? identity_at(number)
                          : add(env, recent, object, (uint32_t)hash, head, chain, thread);
    if (identity.place) {
        uint32_t at = recent->next++ & 3;
        recent->items[at] = (struct pm_recent_identity){.ref = table.places[identity.place - 1].ref,
                                                        .identity = identity};
    }
    return identity;
}

/* The one that is there now. Where each was last is tried first, as where each is now is a cache
 * line for each. */
PM_HOT static const struct pm_recent_identity *recent_at(struct pm_recent_identities *recent,
                                                         uintptr_t address)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct pm_recent_identity *item = &recent->items[i];
        if (item->seen == address && item->ref && pm_quirks_address(item->ref) == address)
            return item;
    }
    for (uint32_t i = 0; i < 4; i++) {
        struct pm_recent_identity *item = &recent->items[i];
        if (!item->ref || pm_quirks_address(item->ref) != address)
            continue;
        item->seen = address;
        return item;
    }
    return NULL;
}

PM_HOT jweak pm_identity_recent_in(JNIEnv *env, struct pm_recent_identities *recent, jobject holder,
                                   jfieldID field, struct pm_identity *ret_identity)
{
    if (!pm_quirks.field_bytes || recent->epoch != atomic_load(&table.epoch))
        return NULL;
    uintptr_t address = pm_quirks_field(env, holder, field);
    const struct pm_recent_identity *item = address ? recent_at(recent, address) : NULL;
    /* A collection in between has moved it, so that the field now says so, or has not. */
    if (!item || pm_quirks_field(env, holder, field) != address)
        return NULL;
    *ret_identity = identity_at(item->identity.place);
    return item->ref;
}

uint32_t pm_identity_recent_hash(JNIEnv *env, const struct pm_recent_identities *recent,
                                 jobject object)
{
    uint32_t at = (recent->next + 3) & 3;
    return recent->epoch == atomic_load(&table.epoch) && recent->items[at].ref &&
                   is_same_recent(env, object, recent->items[at].ref)
               ? recent->items[at].identity.hash
               : 0;
}

jobject pm_identity_object(JNIEnv *env, pm_blocker_id blocker, uint32_t *ret_traits)
{
    jobject object = NULL;
    pthread_mutex_lock(&sweeper.refs);
    pthread_mutex_lock(&table.lock);
    jweak ref = NULL;
    for (uint32_t i = 0; i < table.n_places && !ref; i++) {
        if (table.places[i].blocker == blocker.n && table.places[i].ref) {
            ref = table.places[i].ref;
            *ret_traits = table.places[i].traits;
        }
    }
    pthread_mutex_unlock(&table.lock);
    if (ref)
        object = (*env)->NewLocalRef(env, ref);
    pthread_mutex_unlock(&sweeper.refs);
    return object;
}

/* -- the sweep -- */

static void give_back(JNIEnv *env)
{
    for (uint32_t i = 0; i < sweeper.n_out; i++) {
        struct place *place = &table.places[*out_at(i)];
        pthread_mutex_lock(&sweeper.refs);
        jweak ref = place->ref;
        bool collected = (*env)->IsSameObject(env, ref, NULL);
        pthread_mutex_lock(&table.lock);
        place->ref = NULL;
        pthread_mutex_unlock(&table.lock);
        (*env)->DeleteWeakGlobalRef(env, ref);
        pthread_mutex_unlock(&sweeper.refs);
        pm_blocker_leave((pm_blocker_id){place->blocker},
                         collected ? PM_BLOCKER_COLLECTED : PM_BLOCKER_EVICTED);
        pthread_mutex_lock(&table.lock);
        place->blocker = 0;
        place->next_free = table.free;
        table.free = *out_at(i) + 1;
        pthread_mutex_unlock(&table.lock);
        atomic_fetch_sub(&table.n_used, 1);
    }
    sweeper.n_out = 0;
}

static void take_out(uint32_t index)
{
    struct place *place = &table.places[index];
    if (!pm_reservation_open(&sweeper.out, (sweeper.n_out + 1) * sizeof(uint32_t)))
        return; /* the next sweep finds it */
    pthread_mutex_lock(&table.lock);
    uint32_t bucket = bucket_of(place->hash);
    for (_Atomic uint32_t *link = &buckets[bucket]; *link; link = &table.places[*link - 1].next) {
        if (*link == index + 1) {
            /* `next` of the place itself stays: a reader may be standing on it */
            atomic_store_explicit(link, atomic_load(&place->next), memory_order_release);
            break;
        }
    }
    if (!atomic_load(&buckets[bucket]))
        atomic_fetch_and(&filled[bucket / 64], ~(UINT64_C(1) << bucket % 64));
    place->taken_out = true;
    pthread_mutex_unlock(&table.lock);
    *out_at(sweeper.n_out++) = index;
}

/* In a wait that lasts it is used but once all the same. */
static void touch(struct place *place, uint32_t sweep)
{
    if (atomic_load(&place->once) == atomic_load(&place->used))
        atomic_store(&place->once, sweep);
    atomic_store(&place->used, sweep);
}

/* What threads wait on now is in use, however long ago they came. */
static void touch_waited_on(uint32_t sweep)
{
    size_t n = pm_slot_pool_count();
    for (size_t i = 0; i < n; i++) {
        struct pm_slot_view view;
        if (pm_slot_look(pm_slot_pool_at(i), &view) && view.wait.identity &&
            view.wait.identity <= table.max)
            touch(&table.places[view.wait.identity - 1], sweep);
    }
}

/* Of those that may have been in use since, and are not now. */
static bool is_here(const struct place *place)
{
    return place->ref && !place->taken_out;
}

static bool is_over(const struct place *place)
{
    uint32_t used = atomic_load(&place->used);
    uint32_t since = sweeper.stretches[place->traits & PM_IDENTITY_THREAD ? 1 : 2];
    return is_here(place) && atomic_load(&place->once) == used && (int32_t)(used - since) < 0;
}

static void take_out_over(uint32_t sweep, uint32_t n_places)
{
    const int64_t now_ns = pm_clock_now();
    if (now_ns - sweeper.stretch_ns < STRETCH_NS)
        return;
    sweeper.stretches[2] = sweeper.stretches[1];
    sweeper.stretches[1] = sweeper.stretches[0];
    sweeper.stretches[0] = sweep;
    sweeper.stretch_ns = now_ns;
    if (atomic_load(&table.n_used) - sweeper.n_out <= MANY)
        return;
    touch_waited_on(sweep);
    for (uint32_t i = 0; i < n_places; i++)
        if (is_over(&table.places[i])) {
            remember(&left, table.places[i].hash);
            take_out(i);
        }
}

bool pm_identity_reclaim(JNIEnv *env)
{
    if (sweeper.n_out && pm_grace_period_is_over(&sweeper.grace_period))
        give_back(env);
    if (sweeper.n_out)
        return true; /* one batch at a time */

    uint32_t sweep = atomic_fetch_add(&table.sweep, 1) + 1;
    pthread_mutex_lock(&table.lock);
    uint32_t n_places = table.n_places;
    pthread_mutex_unlock(&table.lock);
    for (uint32_t i = 0; i < n_places; i++) {
        struct place *place = &table.places[i];
        pthread_mutex_lock(&table.lock);
        jweak ref = place->taken_out ? NULL : place->ref;
        pthread_mutex_unlock(&table.lock);
        if (ref && (*env)->IsSameObject(env, ref, NULL))
            take_out(i);
    }
    take_out_over(sweep, n_places);

    /* Still nearly full: those unused for longest make room, an eighth of the table. */
    uint32_t n_used = atomic_load(&table.n_used) - sweeper.n_out, max = limit();
    if (n_used > max - max / 4) {
        touch_waited_on(sweep);
        uint32_t by_age[64] = {0}, age, sum = 0;
        for (uint32_t i = 0; i < n_places; i++) {
            if (is_here(&table.places[i])) {
                age = sweep - atomic_load(&table.places[i].used);
                by_age[age < 63 ? age : 63]++;
            }
        }
        for (age = 63; age > 1 && sum + by_age[age] < max / 8; age--)
            sum += by_age[age];
        for (uint32_t i = 0; i < n_places && sweeper.n_out < max / 8; i++)
            if (is_here(&table.places[i]) && sweep - atomic_load(&table.places[i].used) >= age)
                take_out(i);
    }
    if (sweeper.n_out) {
        atomic_fetch_add(&table.epoch, 1);
        pm_grace_period_note(&sweeper.grace_period);
    }
    return sweeper.n_out > 0;
}

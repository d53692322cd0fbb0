#include "recorder/agent/allocation/reporting.h"

#include <stdatomic.h>
#include <unistd.h>

#include "recorder/agent/allocation/cells.h"
#include "recorder/agent/allocation/followed.h"
#include "recorder/agent/allocation/samples.h"
#include "recorder/agent/allocation/thinning.h"
#include "recorder/agent/allocation/wish.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/hooks/current-thread.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hotspot/collections.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"

#define DEFAULT_INTERVAL (512 << 10) /* the JVM's */
#define EXACT_FOLLOWED   (10 * PM_FOLLOWED_MAX)
#define UNBIASED_SINCE   25 /* JDK-8356372 */
#define LOOK_PAUSE_NS    200000000
#define LOOK_SHARE       100 /* of the time, one part may go into looking at what lives */
#define LOOK_ANYWAY_NS   INT64_C(5000000000) /* where the JVM does not tell of collections */

static struct {
    _Atomic bool on; /* reports are taken */
    bool has_capability;
    int64_t interval; /* asked for; PM_THINNING_OFF */
    atomic_flag looking;
    uint32_t looked_gcs;
    int64_t looked_old, looked_ns, next_look_ns;
    uint64_t looks_seen; /* of those wished */
} reporting = {.interval = PM_THINNING_OFF, .looking = ATOMIC_FLAG_INIT};

bool pm_reporting_is_on(void)
{
    return atomic_load_explicit(&reporting.on, memory_order_relaxed);
}

/* ---- on and off ---- */

static bool hold_capability(bool hold)
{
    const jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1};
    if (hold == reporting.has_capability)
        return true;
    jvmtiError error = hold ? (*pm_host.jvmti)->AddCapabilities(pm_host.jvmti, &wanted)
                            : (*pm_host.jvmti)->RelinquishCapabilities(pm_host.jvmti, &wanted);
    if (error)
        return false;
    reporting.has_capability = hold;
    return true;
}

static void set_base(int64_t bytes)
{
    (*pm_host.jvmti)->SetHeapSamplingInterval(pm_host.jvmti, (jint)bytes);
}

static bool set_event(bool on)
{
    return (*pm_host.jvmti)
               ->SetEventNotificationMode(pm_host.jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                          JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL) == 0;
}

static void say_refused(void)
{
    pm_host_say("alloc= stays off: another tool in this JVM uses its allocation sampler "
                "(can_generate_sampled_object_alloc_events)");
}

void pm_reporting_load(int64_t interval_bytes)
{
    if (interval_bytes < 0 || !hold_capability(true))
        return;
    /* Threads draw their first sample as they begin: every object's is known only to those that
     * begin with it. */
    set_base(interval_bytes);
}

static void begin(void)
{
    atomic_store(&reporting.on, true);
    reporting.looked_gcs = pm_collections_count();
    pm_collections_old(&reporting.looked_old);
}

/* False: the JVM refuses. */
static bool apply(int64_t interval)
{
    bool exact = interval == 0;
    pm_cells_set_exact_from(0);
    if (interval < 0) {
        set_event(false);
        atomic_store(&reporting.on, false);
        pm_thinning_want(interval);
        set_base(DEFAULT_INTERVAL); /* as the next tool may expect it */
        hold_capability(false);
    } else {
        if (pm_cells_init() || pm_followed_init() || !hold_capability(true))
            return false;
        pm_followed_bound(exact ? EXACT_FOLLOWED : PM_FOLLOWED_MAX);
        pm_thinning_want(interval);
        begin();
        if (!set_event(true))
            return false;
    }
    reporting.interval = interval;
    return true;
}

void pm_reporting_start(bool attached, int64_t interval_bytes)
{
    jint version = pm_host.version;
    pm_thinning_init(version < UNBIASED_SINCE, (unsigned)sysconf(_SC_NPROCESSORS_ONLN), set_base);
    pm_collections_learn();
    if (interval_bytes < 0)
        return;
    if (!apply(interval_bytes)) {
        say_refused();
    } else if (interval_bytes == 0 && !attached) {
        /* What threads hold of memory to allocate from was taken before anything was reported; a
         * collection takes it from them. */
        (*pm_host.jvmti)->ForceGarbageCollection(pm_host.jvmti);
        pm_cells_set_exact_from(pm_clock_now());
    }
}

/* ---- a report ---- */

/* A weak reference that tells whether it lives. */
static void follow(JNIEnv *env, jobject object, const struct pm_allocation *sample, uint32_t cell)
{
    struct pm_followed followed = {.born_ns = sample->at_ns,
                                   .size_bytes = sample->size_bytes,
                                   .interval_bytes = sample->interval_bytes,
                                   .cell = cell,
                                   .thread = sample->thread.n,
                                   .born_gc = pm_collections_count()};
    if (pm_followed_admit(&followed.halvings)) {
        followed.reference = (*env)->NewWeakGlobalRef(env, object);
        if (!followed.reference)
            (*env)->ExceptionClear(env);
        pm_followed_add(&followed);
    }
    if (pm_followed_is_crowded())
        pm_wish_hurry();
}

void JNICALL pm_reporting_on_sample(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                    jclass class, jlong size)
{
    struct pm_allocation sample = {.at_ns = pm_clock_now(), .size_bytes = size};
    if (!pm_reporting_is_on() || !pm_thinning_keep(size, sample.at_ns, &sample.interval_bytes))
        return;
    if (!pm_gate_open()) {
        pm_cells_set_exact_from(0);
        return;
    }
    uint32_t hold = pm_epoch_enter();
    struct pm_current_thread *self = pm_current_thread_get(env);
    if (self) {
        sample.chain = pm_walk_current(&self->walker);
        sample.thread = pm_current_thread_running_id(env, self);
    }
    sample.class_id = pm_resolve_class(class);
    double weight = 1 / pm_estimate_probability(size, sample.interval_bytes);
    uint32_t cell = pm_cells_add(sample.class_id, sample.chain, size, weight);
    follow(env, object, &sample, cell);
    pm_samples_add(&sample);
    pm_epoch_leave(hold);
}

/* ---- what lives ---- */

static bool is_collected(void *context, void *reference)
{
    JNIEnv *env = context;
    return (*env)->IsSameObject(env, reference, NULL);
}

static void drop(void *context, void *reference)
{
    JNIEnv *env = context;
    (*env)->DeleteWeakGlobalRef(env, reference);
}

/* On one thread at a time: another that comes meanwhile does without. */
static void look(JNIEnv *env)
{
    const struct pm_followed_hooks hooks = {
        .context = env, .is_collected = is_collected, .drop = drop};
    if (atomic_flag_test_and_set(&reporting.looking))
        return;
    uint64_t wished = pm_wish_looks();
    uint32_t gcs = pm_collections_count(), lag = pm_collections_lag() - 1;
    int64_t old = 0, begin_ns = pm_clock_now();
    pm_collections_old(&old);
    struct pm_live_look what = {.at_ns = begin_ns, .gcs = gcs, .old_gcs = old};
    if (pm_reporting_is_on())
        pm_followed_look(&hooks, gcs - lag, what);
    else
        pm_followed_drop_all(&hooks);
    reporting.looked_gcs = gcs;
    reporting.looked_old = old;
    reporting.looked_ns = pm_clock_now();
    int64_t pause_ns = (reporting.looked_ns - begin_ns) * LOOK_SHARE;
    reporting.next_look_ns =
        reporting.looked_ns + (pause_ns > LOOK_PAUSE_NS ? pause_ns : LOOK_PAUSE_NS);
    pm_wish_answer_look(wished);
    atomic_flag_clear(&reporting.looking);
}

void pm_reporting_visit_oldest(bool (*wanted)(void *context, const struct pm_followed *followed),
                               void *wanted_context, uint32_t max,
                               void (*visit)(void *context, void *reference), void *visit_context)
{
    if (atomic_flag_test_and_set(&reporting.looking))
        return;
    pm_followed_visit_oldest(wanted, wanted_context, max, visit, visit_context);
    atomic_flag_clear(&reporting.looking);
}

static bool is_look_due(int64_t now_ns)
{
    int64_t old = reporting.looked_old;
    pm_collections_old(&old);
    bool collected = pm_collections_count() != reporting.looked_gcs || old != reporting.looked_old;
    bool anyway = now_ns - reporting.looked_ns > LOOK_ANYWAY_NS && pm_followed_count() > 0;
    return pm_followed_is_crowded() || ((collected || anyway) && now_ns >= reporting.next_look_ns);
}

static bool is_look_wished(void)
{
    uint64_t wished = pm_wish_looks();
    bool is = wished != reporting.looks_seen;
    reporting.looks_seen = wished;
    return is;
}

bool pm_reporting_work(JNIEnv *env)
{
    int64_t interval, now_ns = pm_clock_now();
    if (pm_wish_next_interval(&interval)) {
        bool done = apply(interval);
        if (!done && interval >= 0)
            apply(PM_THINNING_OFF);
        pm_wish_answer_interval(interval, !done);
    }
    bool on = pm_reporting_is_on();
    if (on)
        pm_thinning_settle(now_ns);
    if (on && reporting.interval != 0)
        pm_followed_bound(pm_followed_bearable(pm_collections_young_pause()));
    bool wished = is_look_wished();
    if (wished || (on ? is_look_due(now_ns) : pm_followed_count() > 0))
        look(env);
    return on && pm_followed_is_crowded();
}

void pm_reporting_stop(JNIEnv *env)
{
    if (pm_reporting_is_on()) {
        look(env);
        atomic_store(&reporting.on, false);
    }
}

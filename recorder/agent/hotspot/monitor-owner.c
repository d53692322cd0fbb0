#include "recorder/agent/hotspot/monitor-owner.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/probe.h"
#include "recorder/agent/tables/java-thread.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/hotspot/vmstructs.h"

/* The owner's marks for "it is in a lock stack" and "the monitor goes". */
#define ANONYMOUS 1
#define DEFLATED  2

#define HAS_MONITOR    2 /* in an object's header, beside the monitor's address */
#define HEADER_BITS    3
#define WEAK_REFERENCE 1 /* in a jobject */

#define MAX_LOCKS 8 /* in a lock stack */
#define N_HINTS   256

#define MAX_LOCK_STACK 128 /* bytes that are copied of one */

/* Searching all threads may take one part in so many of the time, and so long at a time on a thread
 * of the program. */
#define SEARCH_SHARE 20
#define LONGEST_NS   200000
#define AT_ONCE      64

/* Beyond that, in all: to look at what waits from before, once a start. */
#define MOST_PATIENCE_NS 100000000

static struct {
    bool known;
    bool is_tid;
    bool has_stack_locker;
    size_t owner_at;
    bool has_object;
    bool is_in_table; /* what monitor an object has */
    size_t object_at;
    size_t stack_locker_at; /* where the owner is a tid but locks lie on stacks */
} layout;

void pm_monitor_owner_prepare(void)
{
    assert(!layout.known);
    struct pm_vmstruct owner, stack_locker, object;
    if (!pm_vm_thread_layout.has_pending)
        return;
    if (pm_jdk_is_hidden(PM_JDK_MONITOR_OWNER) ||
        !pm_vmstruct_find("ObjectMonitor", "_owner", &owner)) {
        pm_host_lose(PM_JDK_MONITOR_OWNER);
        return;
    }
    layout.owner_at = owner.offset;
    layout.is_tid = owner.type && strstr(owner.type, "int64");
    layout.has_stack_locker = pm_vmstruct_find("ObjectMonitor", "_stack_locker", &stack_locker);
    layout.stack_locker_at = layout.has_stack_locker ? stack_locker.offset : 0;
    layout.has_object =
        pm_vmstruct_find("ObjectMonitor", "_object", &object) && !pm_host.checks_jni;
    if (!pm_vmstruct_switch("UseObjectMonitorTable", &layout.is_in_table))
        layout.is_in_table = false;
    layout.object_at = layout.has_object ? object.offset : 0;
    layout.known = true;
}

/* -- lock stacks -- */

/* Whose lock stack had the object of a monitor when it was searched for last: it is asked first, as
 * many may come while it holds it. By a hash of the monitor's address. */
static struct hint {
    _Atomic uintptr_t monitor, thread;
} hints[N_HINTS];

/* Of the next search of all threads; of those that must be probed, which takes a hundred times as
 * long, and of the `own`. */
static _Atomic int64_t not_before_ns[2];

/* Spent beyond that on the owners of waits from before. */
static _Atomic int64_t patience_ns;

static uintptr_t object_at(jobject object)
{
    return *(const volatile uintptr_t *)(const void *)object;
}

/* A lock stack tells its top as bytes from its JavaThread. */
static size_t n_locks(const char *bytes)
{
    const struct pm_vm_thread_layout *of = &pm_vm_thread_layout;
    uint32_t top;
    memcpy(&top, bytes + of->lock_stack_top_at, sizeof top);
    size_t base = of->lock_stack_at + of->lock_stack_base_at;
    size_t n = top > base ? (top - base) / sizeof(uintptr_t) : 0;
    return n < MAX_LOCKS ? n : MAX_LOCKS;
}

/* A copy of a lock stack. Who holds java-thread.h's table may read `own` threads directly. */
static bool read_lock_stack(uintptr_t thread, bool is_own, char ret_bytes[MAX_LOCK_STACK])
{
    uintptr_t from = thread + pm_vm_thread_layout.lock_stack_at;
    size_t bytes = pm_vm_thread_layout.lock_stack_base_at + MAX_LOCKS * sizeof(uintptr_t);
    if (bytes > MAX_LOCK_STACK)
        return false;
    if (!is_own)
        return pm_probe_read(from, ret_bytes, bytes);
    /* Most hold nothing: their top tells. */
    size_t top_at = pm_vm_thread_layout.lock_stack_top_at;
    memcpy(ret_bytes + top_at, (const char *)from + top_at, sizeof(uint32_t));
    if (n_locks(ret_bytes))
        memcpy(ret_bytes, (const char *)from, bytes);
    return true;
}

static bool holds(uintptr_t thread, bool is_own, uintptr_t object)
{
    char bytes[MAX_LOCK_STACK];
    if (!read_lock_stack(thread, is_own, bytes))
        return false;
    size_t n = n_locks(bytes);
    for (size_t i = 0; i < n; i++) {
        uintptr_t lock;
        size_t at = pm_vm_thread_layout.lock_stack_base_at + i * sizeof lock;
        memcpy(&lock, bytes + at, sizeof lock);
        if (lock == object)
            return true;
    }
    return false;
}

static bool read_word(uintptr_t from, bool is_own, void *to)
{
    if (!is_own)
        return pm_probe_read(from, to, sizeof(uintptr_t));
    memcpy(to, (const void *)from, sizeof(uintptr_t));
    return true;
}

/* Who runs on it: a virtual thread's locks lie there, too. */
static int64_t identity_of(uintptr_t thread, bool is_own)
{
    const struct pm_vm_thread_layout *of = &pm_vm_thread_layout;
    int64_t tid = 0;
    uintptr_t handles[2], objects[2];
    if (!of->has_identity)
        return pm_java_thread_tid(thread);
    if (!of->identity_is_handles)
        return read_word(thread + of->identity_at, is_own, &tid) ? tid : 0;
    if (!read_word(thread + of->thread_at, is_own, &handles[0]) ||
        !read_word(thread + of->virtual_at, is_own, &handles[1]) ||
        !pm_probe_read(handles[0], &objects[0], sizeof objects[0]) ||
        !pm_probe_read(handles[1], &objects[1], sizeof objects[1]))
        return 0;
    return objects[0] == objects[1] ? pm_java_thread_tid(thread) : 0;
}

/* The tid of who runs there and holds the object; looks twice, as a GC may move objects. */
static int64_t check(uintptr_t thread, bool is_own, jobject object)
{
    uintptr_t at = object_at(object);
    if (!holds(thread, is_own, at))
        return 0;
    int64_t tid = identity_of(thread, is_own);
    return holds(thread, is_own, at) && object_at(object) == at ? tid : 0;
}

static struct hint *hint_of(uintptr_t monitor)
{
    return &hints[(monitor * 0x9e3779b97f4a7c15u) >> 56];
}

/* Some of the threads, from `*at` on; false past the last. Those that are read directly are held
 * meanwhile, whose end has to wait for that. */
static bool check_some(bool own, jobject object, size_t *at, int64_t *ret_tid,
                       uintptr_t *ret_thread)
{
    struct pm_java_thread thread;
    bool more = true;
    uint32_t hold = own ? pm_java_thread_hold() : 0;
    for (int i = 0; i < AT_ONCE && !*ret_tid && (more = pm_java_thread_visit(at, &thread)); i++) {
        *ret_tid = thread.is_own == own ? check(thread.address, own, object) : 0;
        *ret_thread = thread.address;
    }
    if (own)
        pm_java_thread_release(hold);
    return more;
}

/* How long to look: for a moment, on a thread of the program, and the next one goes on where this
 * one stopped; as long as it takes, as long as all of them take up their share of the time; beyond
 * that, for waits from before. */
enum patience { BRIEF, USUAL, PATIENT };

static int64_t search_all(bool own, enum patience patience, jobject object, uintptr_t *ret_thread)
{
    static _Atomic size_t next[2];
    int64_t tid = 0;
    int64_t begin_ns = pm_clock_now(), end_ns = begin_ns;
    bool early = begin_ns < atomic_load_explicit(&not_before_ns[own], memory_order_relaxed);
    if (early && (patience != PATIENT ||
                  atomic_load_explicit(&patience_ns, memory_order_relaxed) > MOST_PATIENCE_NS))
        return 0;
    const size_t first =
        patience != BRIEF ? 0 : atomic_load_explicit(&next[own], memory_order_relaxed);
    size_t at = first;
    bool wrapped = first == 0, over = false;
    while (!tid && !over && (patience != BRIEF || end_ns - begin_ns < LONGEST_NS)) {
        if (!check_some(own, object, &at, &tid, ret_thread)) {
            over = wrapped;
            wrapped = true;
            at = 0;
        }
        over |= wrapped && first > 0 && at >= first;
        end_ns = pm_clock_now();
    }
    if (patience == BRIEF)
        atomic_store_explicit(&next[own], tid || over ? 0 : at, memory_order_relaxed);
    if (early) {
        atomic_fetch_add_explicit(&patience_ns, end_ns - begin_ns, memory_order_relaxed);
        return tid;
    }
    atomic_store_explicit(&not_before_ns[own], end_ns + (end_ns - begin_ns) * SEARCH_SHARE,
                          memory_order_relaxed);
    return tid;
}

/* Is it who held it last? */
static int64_t check_hint(const struct hint *hint, uintptr_t monitor, jobject object)
{
    const uintptr_t thread = atomic_load_explicit(&hint->thread, memory_order_relaxed);
    int64_t tid = 0;
    const uint32_t hold = pm_java_thread_hold();
    if (thread && atomic_load_explicit(&hint->monitor, memory_order_relaxed) == monitor &&
        pm_java_thread_is_own(thread))
        tid = check(thread, true, object);
    pm_java_thread_release(hold);
    return tid;
}

static int64_t search(uintptr_t monitor, jobject object, enum patience patience)
{
    struct hint *hint = hint_of(monitor);
    uintptr_t thread;
    if (!object || !pm_vm_thread_layout.has_lock_stack)
        return 0;
    int64_t tid = check_hint(hint, monitor, object);
    if (!tid && ((tid = search_all(true, patience, object, &thread)) ||
                 (tid = search_all(false, patience, object, &thread)))) {
        atomic_store_explicit(&hint->thread, thread, memory_order_relaxed);
        atomic_store_explicit(&hint->monitor, monitor, memory_order_relaxed);
    }
    return tid;
}

/* -- a monitor -- */

static int64_t tid_of(uintptr_t monitor, uint64_t owner, uintptr_t stack_locker, jobject object,
                      enum patience patience)
{
    if (owner == ANONYMOUS)
        return stack_locker ? pm_java_thread_tid_of_stack(stack_locker)
                            : search(monitor, object, patience);
    if (owner == 0 || owner == DEFLATED)
        return 0;
    if (layout.is_tid)
        return (int64_t)owner;
    int64_t tid = pm_java_thread_tid((uintptr_t)owner);
    return tid ? tid : pm_java_thread_tid_of_stack((uintptr_t)owner);
}

int64_t pm_monitor_owner_of_pending(const char *own, jobject object)
{
    /* Kept alive by our being about to enter it. */
    const char *monitor = layout.known ? pm_vm_thread_pending_monitor(own) : NULL;
    if (!monitor)
        return 0;
    uint64_t owner = *(const volatile uint64_t *)(const void *)(monitor + layout.owner_at);
    uintptr_t stack_locker =
        layout.has_stack_locker
            ? *(const volatile uintptr_t *)(const void *)(monitor + layout.stack_locker_at)
            : 0;
    return tid_of((uintptr_t)monitor, owner, stack_locker, object, BRIEF);
}

bool pm_monitor_place_of(const char *vm_thread, int64_t tid, struct pm_monitor_place *ret_place)
{
    uintptr_t thread = layout.known ? (uintptr_t)vm_thread : 0;
    uintptr_t pending, waiting;
    if (!thread ||
        !pm_probe_read(thread + pm_vm_thread_layout.pending_at, &pending, sizeof pending) ||
        !pm_probe_read(thread + pm_vm_thread_layout.waiting_at, &waiting, sizeof waiting) ||
        !(pending | waiting) || pm_java_thread_tid(thread) != tid)
        return false;
    *ret_place = (struct pm_monitor_place){.monitor = pending ? pending : waiting,
                                           .enters = pending,
                                           .again = pending && pending == waiting};
    return true;
}

bool pm_monitor_objects_known(void)
{
    return layout.has_object;
}

/* Does the header of the object that the place refers to name this monitor, or, where the VM finds
 * monitors by a table, say that it has one? ZGC colours what it
 * keeps, from JDK 21 on by a shift. */
static bool is_object_of(uintptr_t place, uintptr_t monitor)
{
    static const unsigned char shifts[] = {0, 13, 14, 15, 16};
    uintptr_t object, header;
    if (!pm_probe_read(place, &object, sizeof object) || !object)
        return false;
    for (size_t i = 0; i < sizeof shifts; i++)
        if (pm_probe_read(object >> shifts[i], &header, sizeof header) &&
            (layout.is_in_table ? (header & HEADER_BITS) == HAS_MONITOR
                                : header == (monitor | HAS_MONITOR)))
            return true;
    return false;
}

/* The monitor refers to its object as a weak global reference does, from a place that every GC
 * keeps up to date; so that is what we make of it. */
jobject pm_monitor_object(JNIEnv *env, uintptr_t monitor)
{
    uintptr_t place;
    if (!layout.has_object || !pm_probe_read(monitor + layout.object_at, &place, sizeof place))
        return NULL;
    for (int tries = 0; tries < 3; tries++) /* a GC may move the object as we look */
        if (place && is_object_of(place, monitor))
            return (*env)->NewLocalRef(env, (jobject)(void *)(place | WEAK_REFERENCE));
    return NULL;
}

bool pm_monitor_owner_of_waiter(int64_t tid, jobject object, bool patient, int64_t *ret_owner)
{
    uintptr_t thread = layout.known ? pm_java_thread_address(tid) : 0;
    uintptr_t monitor = 0, again = 0, stack_locker = 0;
    uint64_t owner;
    if (!thread ||
        !pm_probe_read(thread + pm_vm_thread_layout.pending_at, &monitor, sizeof monitor) ||
        !monitor || !pm_probe_read(monitor + layout.owner_at, &owner, sizeof owner) ||
        (layout.has_stack_locker &&
         !pm_probe_read(monitor + layout.stack_locker_at, &stack_locker, sizeof stack_locker)) ||
        !pm_probe_read(thread + pm_vm_thread_layout.pending_at, &again, sizeof again) ||
        again != monitor || pm_java_thread_tid(thread) != tid)
        return false;
    int64_t found = tid_of(monitor, owner, stack_locker, object, patient ? PATIENT : USUAL);
    *ret_owner = !found && owner == ANONYMOUS ? PM_MONITOR_OWNED : found;
    return true;
}

/* Of an object that a reference keeps alive; 0: none. Where monitors are found by a table, it is
 * not known which one it is, but that there is one. */
static uintptr_t monitor_of(jobject object)
{
    uintptr_t header;
    if (!pm_probe_read(object_at(object), &header, sizeof header))
        return 0;
    return (header & HEADER_BITS) == HAS_MONITOR ? header - HAS_MONITOR : 0;
}

bool pm_monitor_owner_of_object(jobject object, int64_t *ret_owner)
{
    uintptr_t monitor = layout.known && object ? monitor_of(object) : 0;
    uint64_t owner = ANONYMOUS;
    if (!monitor ||
        (!layout.is_in_table && !pm_probe_read(monitor + layout.owner_at, &owner, sizeof owner)) ||
        monitor_of(object) != monitor)
        return false;
    int64_t found = tid_of(monitor, owner, 0, object, USUAL);
    *ret_owner = !found && owner == ANONYMOUS ? PM_MONITOR_OWNED : found;
    return true;
}

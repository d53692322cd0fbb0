/* The agent's life cycle: options at load, start of the recorder's parts at VMInit, the end at
 * VMDeath; and the thread and GC events. Parts are started in dependency order and stopped in
 * reverse. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/agent/allocation/cells.h"
#include "recorder/agent/allocation/reporting.h"
#include "recorder/agent/allocation/thinning.h"
#include "recorder/agent/allocation/wish.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/options.h"
#include "recorder/agent/base/reservation.h"
#include "recorder/agent/control/control.h"
#include "recorder/agent/control/facts.h"
#include "recorder/agent/drain/drain.h"
#include "recorder/agent/drain/sampler.h"
#include "recorder/agent/hooks/admission.h"
#include "recorder/agent/hooks/current-thread.h"
#include "recorder/agent/hooks/explicit-gc.h"
#include "recorder/agent/hooks/guard.h"
#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/hooks/monitor.h"
#include "recorder/agent/hooks/notify.h"
#include "recorder/agent/hooks/park.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hooks/vthread.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/collections.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/host.h"
#include "recorder/agent/tables/java-thread.h"
#include "recorder/agent/hotspot/lock-support.h"
#include "recorder/agent/hotspot/native-hooks.h"
#include "recorder/agent/hotspot/quirks.h"
#include "recorder/agent/hotspot/thread-facts.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/sampling/sweep.h"
#include "recorder/agent/tables/reclaim.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/slot.h"
#include "recorder/agent/waits/vthread-slot.h"

#define EXIT_DEADLINE_NS 1000000000
#define TABLES_BYTES     ((size_t)640 << 20) /* of address space, all of them */
/* How often an attach looks whether the JVM has started; less than parkctl waits for an answer. */
#define START_PAUSES   1600
#define START_PAUSE_US 5000
#define END_PAUSE_US   1000

/* Of a recorder in this JVM. The JVM may end while it starts, as on a signal. */
enum stage { NOT_BEGUN, STARTS, BEGUN, ENDED };

static struct {
    struct pm_options options;
    char text[PM_OPTIONS_TEXT_MAX]; /* the options as given */
    bool broken;                    /* something failed at load: nothing is started */
    _Atomic enum stage stage;       /* BEGUN: VMInit or an attach has started what it could */
    bool prepared;                  /* tables and the JVM's fields are there */
    bool watches_monitors;
    bool records; /* the drain runs */
    bool swept, sampled;
    bool controlled; /* the socket is there */
    pid_t late; /* the process, if the JVM has ended before the end of the recording was stored */
    int64_t gc_begin_ns;
} agent;

/* The environment fails: print one line and let the JVM continue, unless `strict` is set. */
static void fail(const char *text)
{
    pm_host_say("%s%s", text, agent.options.strict ? "" : "; nothing is recorded");
    if (agent.options.strict)
        exit(1);
}

static void say_loss(const char *text)
{
    pm_host_say("%s", text);
}

/* -- events -- */

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    pm_current_thread_begin();
    pm_thinning_note_thread();
    if (!thread || !pm_host.ready || !agent.records)
        return;
    pm_guard_look(env);
    int64_t now_ns = pm_clock_now();
    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    pm_thread_id id = pm_resolve_thread(env, thread, tid, now_ns);
    pm_vm_thread_begin(env, thread, tid, true);
    if (id.n) {
        pm_thread_begin(id, now_ns, (int32_t)gettid(), pm_clock_processor());
        pm_drain_thread_span(id, now_ns, 0);
    }
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    pm_current_thread_end(env);
    if (!thread || !pm_host.ready || !agent.records)
        return;
    pm_vm_thread_end(env, thread);
    int64_t now_ns = pm_clock_now();
    int64_t begin_ns, end_ns;
    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    pm_thread_id id = pm_thread_find(tid);
    if (id.n)
        pm_resolve_renamed(env, thread, id);
    if (id.n && pm_tables_thread_life(id, &begin_ns, &end_ns)) {
        pm_thread_end(id, now_ns);
        pm_drain_thread_span(id, begin_ns, now_ns);
    }
    /* A slot that was claimed for a wait in progress; a thread that claims it now checks for its
     * own end afterwards. */
    struct pm_slot *slot = pm_slot_find(tid);
    if (slot) {
        pm_slot_end_in_progress(slot);
        pm_slot_release_of(tid);
    }
}

/* Both run in the VM thread, at a safepoint: no calls into the JVM. */
static void JNICALL on_gc_start(jvmtiEnv *jvmti)
{
    agent.gc_begin_ns = pm_clock_now();
}

static void JNICALL on_gc_finish(jvmtiEnv *jvmti)
{
    int64_t end_ns = pm_clock_now();
    pm_collections_note(end_ns - agent.gc_begin_ns);
    if (agent.records && agent.gc_begin_ns)
        pm_drain_gc(agent.gc_begin_ns, end_ns);
}

/* SIGQUIT, as for a thread dump: `report=` on demand. */
static void JNICALL on_data_dump(jvmtiEnv *jvmti)
{
    if (agent.records)
        pm_drain_print(EXIT_DEADLINE_NS);
}

/* The threads that existed before us; `own`: the calling thread. */
static void note_threads(JNIEnv *env, jthread own)
{
    jint n = 0;
    jthread *threads = NULL;
    if (!pm_host_threads(env, &threads, &n))
        return;
    for (jint i = 0; i < n; i++) {
        int64_t tid = pm_field_long(env, threads[i], pm_host.thread_tid);
        pm_thread_id id = pm_resolve_thread(env, threads[i], tid, 0);
        if (id.n) {
            pm_thread_set_native(id, pm_vm_thread_native_id(env, threads[i]), 0);
            pm_drain_thread_span(id, 0, 0);
        }
        pm_vm_thread_begin(env, threads[i], tid, (*env)->IsSameObject(env, threads[i], own));
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    pm_host_free(threads);
}

/* -- start and end -- */

static void enable(const jvmtiEvent *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (*pm_host.jvmti)->SetEventNotificationMode(pm_host.jvmti, JVMTI_ENABLE, events[i], NULL);
}

/* Once, although a failed start may be repeated: hooks stay installed. */
static void watch_monitors(JNIEnv *env)
{
    if (agent.watches_monitors)
        return;
    agent.watches_monitors = true;
    pm_monitor_prepare();
    if (pm_notify_prepare(env))
        pm_monitor_hook_waits(env);
    else
        pm_host_lose(PM_JDK_NOTIFY);
}

static void mark_chains(void)
{
    pm_notify_use_chains();
    pm_cells_use();
}

static void forget_stacks(void)
{
    pm_resolve_forget();
    pm_quirks_forget();
}

static bool has_all_threads(void)
{
    return agent.swept && agent.sampled && agent.controlled;
}

/* Those beside the drain's that do not run yet. */
static void start_threads(void)
{
    struct pm_error_info info = {0};
    if (!agent.swept) {
        agent.swept = pm_sweep_start(!agent.options.paused) == 0;
        if (!agent.swept) {
            pm_host_say("no thread to look after blockers");
            pm_monitor_listen(true); /* who else would, at `start`? */
        }
    }
    if (!agent.sampled) {
        agent.sampled = pm_sampler_start() == 0;
        if (!agent.sampled)
            pm_host_say("no thread to look at other threads");
    }
    if (!agent.controlled) {
        agent.controlled = pm_control_start(&agent.options, &info) == 0;
        if (!agent.controlled)
            pm_host_say("%s; parkctl cannot reach this JVM", info.text);
    }
}

static void start(JNIEnv *env, jthread own, bool attached)
{
    struct pm_error_info info = {0};
    struct pm_slot_limits limits = {.max_slots = agent.options.test_slots,
                                    .buffer_waits = agent.options.test_buffer,
                                    .max_buffers = agent.options.test_buffer ? 64 : 0};
    const char *failed;
    pm_jdk_hide(agent.options.test_missing);
    if (!agent.prepared && !pm_host_prepare(env)) {
        fail(pm_host_is_starved() ? "the JVM's heap is full: attach again later"
                                  : "this JVM's Thread class lacks the required fields");
        return;
    }
    if (!agent.prepared) {
        pm_quirks_learn(env);
        pm_field_prepare(env);
        pm_thread_facts_prepare(env);
        pm_guard_prepare(env);
    }
    static const struct pm_reclaim_hooks hooks = {.forget = forget_stacks, .mark = mark_chains};
    if (!agent.prepared &&
        (!pm_reservation_fit(TABLES_BYTES) || pm_tables_init() || pm_slot_pool_init(&limits) ||
         pm_vthread_slot_init(0) || pm_resolve_init() || pm_identity_init(0, pm_sweep_hurry) ||
         pm_java_thread_init() || pm_reclaim_init(&hooks, agent.options.test_reclaim))) {
        fail("this process has no address space left for its tables");
        return;
    }
    agent.prepared = true;
    /* Already in place if an earlier start failed, for example because of its file. */
    if (!pm_hooks_in_place() &&
        pm_hooks_install_parks(env, (void *)pm_park_hook, (void *)pm_unpark_hook, &failed)) {
        fail(failed);
        return;
    }
    pm_walk_init(agent.options.stackdepth, agent.options.test_chains);
    pm_admission_set_virtual(agent.options.vthreads);
    if (agent.options.vthreads)
        pm_vthread_watch(env);

    /* Before the recording begins, so that waits in progress are known from its first instant. */
    if (agent.options.monitors)
        watch_monitors(env);
    pm_monitor_listen(!agent.options.paused);
    pm_explicit_gc_hook(env, pm_sampler_keep);

    struct pm_facts facts;
    pm_facts_read(&agent.options, agent.text, attached, &facts);
    pm_drain_on_loss(say_loss);
    if (pm_drain_start(&agent.options, &facts, &info)) {
        fail(info.text);
        return;
    }
    agent.records = true;
    /* Events first: threads that start or end meanwhile are then reported twice rather than never.
     */
    static const jvmtiEvent events[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END,
                                        JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                        JVMTI_EVENT_GARBAGE_COLLECTION_FINISH};
    enable(events, sizeof events / sizeof *events);
    note_threads(env, own);
    pm_wish_set_hurry(pm_sweep_hurry);
    pm_reporting_start(attached, agent.options.alloc_bytes);
    pm_drain_on_switch(pm_sweep_listen);
    pm_gate_on_open(pm_sweep_record_in_progress);
    pm_sampler_set_hooks(pm_host_attach, pm_host_detach);
    start_threads();
    if (!agent.controlled && agent.options.strict)
        exit(1);
}

/* Once more, if a start has failed. False: the JVM ends. */
static bool begin_start(void)
{
    enum stage stage = atomic_load(&agent.stage);
    while (stage != ENDED && !atomic_compare_exchange_weak(&agent.stage, &stage, STARTS)) {
    }
    return stage != ENDED;
}

static void end_start(void)
{
    enum stage stage = STARTS;
    atomic_compare_exchange_strong(&agent.stage, &stage, BEGUN);
}

/* None begins any more; one that is under way has some time to become whole, so that it can be
 * stopped. */
static void end_starts(void)
{
    const int64_t until_ns = pm_clock_now() + EXIT_DEADLINE_NS;
    enum stage stage = atomic_load(&agent.stage);
    while (stage == STARTS || !atomic_compare_exchange_weak(&agent.stage, &stage, ENDED)) {
        if (pm_clock_now() >= until_ns) {
            atomic_store(&agent.stage, ENDED);
            break;
        }
        if (stage == STARTS) {
            usleep(END_PAUSE_US);
            stage = atomic_load(&agent.stage);
        }
    }
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    if (!begin_start())
        return;
    if (!agent.broken)
        start(env, thread, false);
    end_start();
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    end_starts();
    pm_reporting_stop(env);
    pm_gate_seal();
    pm_sweep_stop();
    pm_sampler_stop();
    pm_control_stop();
    agent.late = agent.records && !pm_drain_stop(EXIT_DEADLINE_NS) ? getpid() : 0;
    agent.records = agent.controlled = false;
}

/* As the process exits. At VMDeath the program's threads still run, and if they use all processors
 * the drain gets so little of them that it cannot catch up. By now the JVM has stopped them. A
 * child of a launcher that goes on has no such thread. */
static __attribute__((destructor)) void at_exit(void)
{
    if (agent.late && agent.late == getpid() && !pm_drain_await_end(EXIT_DEADLINE_NS))
        pm_host_say("the end of the recording was not stored in time, and may be missing");
}

/* JNI_EDETACHED: the JVM is starting, and JVMTI is not to be had before it has started. Only an
 * attach may come so early. */
static jint get_jvmti(JavaVM *vm)
{
    jint error;
    int pauses = START_PAUSES;
    while ((error = (*vm)->GetEnv(vm, (void **)&pm_host.jvmti, JVMTI_VERSION_9)) == JNI_EDETACHED &&
           pauses-- > 0)
        usleep(START_PAUSE_US);
    return error;
}

static int get_in(JavaVM *vm)
{
    if (get_jvmti(vm))
        return -1;
    pm_host.vm = vm;
    jvmtiCapabilities wanted = {.can_get_line_numbers = 1,
                                .can_get_source_file_name = 1,
                                .can_get_bytecodes = 1,
                                .can_get_constant_pool = 1,
                                .can_generate_garbage_collection_events = 1,
                                .can_generate_monitor_events = 1};
    (*pm_host.jvmti)->AddCapabilities(pm_host.jvmti, &wanted); /* names without lines do as well */
    pm_hooks_want();
    pm_vthread_want();
    const jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init,
                                           .VMDeath = on_vm_death,
                                           .ThreadStart = on_thread_start,
                                           .ThreadEnd = on_thread_end,
                                           .DataDumpRequest = on_data_dump,
                                           .NativeMethodBind = pm_hooks_on_bind,
                                           .ClassFileLoadHook = pm_lock_support_on_load,
                                           .MonitorContendedEnter = pm_monitor_on_enter,
                                           .MonitorContendedEntered = pm_monitor_on_entered,
                                           .MonitorWait = pm_monitor_on_wait,
                                           .MonitorWaited = pm_monitor_on_waited,
                                           .GarbageCollectionStart = on_gc_start,
                                           .GarbageCollectionFinish = on_gc_finish,
                                           .SampledObjectAlloc = pm_reporting_on_sample};
    if ((*pm_host.jvmti)->SetEventCallbacks(pm_host.jvmti, &callbacks, sizeof callbacks))
        return -1;
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_DATA_DUMP_REQUEST};
    enable(events, sizeof events / sizeof *events);
    return 0;
}

/* An error after a message. What is malformed stops a JVM that starts; what is only too long, as a
 * path may be that was put together from others, is a failure of the environment. */
static int read_options(const char *text, bool attached)
{
    struct pm_error_info info = {0};
    pm_options_default(&agent.options);
    snprintf(agent.text, sizeof agent.text, "%s", text ? text : "");
    const int error = pm_options_parse(&agent.options, text, &info);
    agent.options.strict &= !attached; /* a running program is never stopped */
    if (error == PM_ERROR_LIMIT) {
        fail(info.text);
    } else if (error) {
        pm_host_say("%s", info.text);
        pm_host_say("options: %s; =help explains them", pm_options_names());
    }
    return error;
}

static void say_help(void)
{
    pm_host_say("options of attach:");
    for (const char *line = pm_options_help(); *line;) {
        int length = (int)strcspn(line, "\n");
        pm_host_say("%.*s", length, line);
        line += length + (line[length] == '\n');
    }
}

#define PM_EXPORT __attribute__((visibility("default")))

PM_EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    if (pm_host.vm) {
        pm_host_say("loaded twice into this JVM; only the first -agentpath is used");
        return JNI_OK;
    }
    const int error = read_options(text, false);
    if (error)
        return error == PM_ERROR_LIMIT ? JNI_OK : JNI_ERR;
    if (agent.options.help) {
        printf("-agentpath:…/libparkmeter.so=OPTION=VALUE,…\n%s", pm_options_help());
        fflush(stdout);
        exit(0); /* as with -agentlib:jdwp=help: no program is run */
    }
    if (get_in(vm)) {
        agent.broken = true;
        atomic_store(&agent.stage, BEGUN);
        fail("this JVM does not grant the required capabilities");
    } else {
        enable(&(const jvmtiEvent){JVMTI_EVENT_VM_INIT}, 1);
        pm_reporting_load(agent.options.alloc_bytes);
    }
    return JNI_OK;
}

/* Two threads must not start it: an attach that comes before VMInit waits for that. */
static enum stage wait_for_vm_init(void)
{
    for (int pauses = START_PAUSES; atomic_load(&agent.stage) < BEGUN && pauses > 0; pauses--)
        usleep(START_PAUSE_US);
    return atomic_load(&agent.stage);
}

static jint refuse(const char *why)
{
    pm_host_say("%s", why);
    return JNI_ERR;
}

static jint attach(JavaVM *vm, const char *text)
{
    JNIEnv *env;
    const enum stage stage = pm_host.vm ? wait_for_vm_init() : BEGUN;
    if (stage == ENDED)
        return refuse("this JVM is ending");
    if (stage < BEGUN)
        return refuse("this JVM is still starting: attach again later");
    if (agent.records && !has_all_threads()) {
        start_threads();
        return has_all_threads() ? JNI_OK : JNI_ERR;
    }
    if (agent.records)
        return JNI_EEXIST; /* which parkctl understands: nothing of it concerns the program */
    if (read_options(text, true))
        return JNI_ERR;
    if (agent.options.help) {
        say_help();
        return JNI_OK;
    }
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) || (!pm_host.vm && get_in(vm)))
        return refuse("this JVM does not grant the required capabilities");
    if (!begin_start())
        return refuse("this JVM is ending");
    start(env, NULL, true);
    end_start();
    if (agent.records && pm_gate_open())
        pm_sweep_record_in_progress();
    return agent.records ? JNI_OK : JNI_ERR;
}

/* One after the other: the JVM's own attaches are, but a program may load a library on any of its
 * threads. */
PM_EXPORT JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    static atomic_flag attaches = ATOMIC_FLAG_INIT;
    int pauses = START_PAUSES;
    while (atomic_flag_test_and_set(&attaches)) {
        if (pauses-- == 0) {
            pm_host_say("another attach has not ended yet");
            return JNI_ERR;
        }
        usleep(START_PAUSE_US);
    }
    const jint result = attach(vm, text);
    atomic_flag_clear(&attaches);
    return result;
}

PM_EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    pm_gate_seal();
}

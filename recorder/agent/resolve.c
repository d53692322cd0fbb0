#include "recorder/agent/resolve.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/names.h"
#include "recorder/agent/quirks.h"
#include "recorder/agent/store.h"
#include "recorder/agent/text.h"
#include "recorder/agent/thread.h"

/* Methods seen, with their line tables. HotSpot never gives a jmethodID to a second method, so rows
 * need no end; when the tables are full they are emptied and fill anew, as in each generation. */
#define MAX_METHODS    (1u << 17)
#define LINE_BYTES     (32u << 20)
#define N_BUCKETS      (1u << 12)
#define CLASS_NAME_MAX 1024

struct line {
    int32_t start; /* bytecode index */
    int32_t number;
};

struct row {
    jmethodID method;
    uint32_t id;
    uint32_t first_line, n_lines; /* in the store */
    uint32_t next;                /* in its bucket: number + 1 */
};

static struct {
    struct row *rows;
    uint32_t n;
    uint32_t buckets[N_BUCKETS];
    struct pm_store lines;
    pthread_mutex_t lock;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pm_resolve_init(void)
{
    table.rows = pm_reserve(MAX_METHODS * sizeof *table.rows);
    return table.rows && pm_store_init(&table.lines, LINE_BYTES) == 0 ? 0 : PM_ERROR_MEMORY;
}

static uint32_t *bucket_of(jmethodID method)
{
    return &table.buckets[(uint64_t)(uintptr_t)method * 0x9e3779b97f4a7c15u >> 52];
}

static bool find(jmethodID method, jlocation location, struct pm_frame *ret_frame)
{
    bool found = false;
    pthread_mutex_lock(&table.lock);
    for (uint32_t n = *bucket_of(method); n; n = table.rows[n - 1].next) {
        const struct row *row = &table.rows[n - 1];
        if (row->method == method) {
            const struct line *lines = (const struct line *)table.lines.base + row->first_line;
            int32_t number = 0, start = -1;
            for (uint32_t i = 0; i < row->n_lines; i++) {
                if (lines[i].start <= location && lines[i].start >= start) {
                    start = lines[i].start;
                    number = lines[i].number;
                }
            }
            *ret_frame = (struct pm_frame){.method = {row->id}, .line = location < 0 ? -1 : number};
            found = true;
            break;
        }
    }
    pthread_mutex_unlock(&table.lock);
    return found;
}

static void empty(void)
{
    table.n = 0;
    memset(table.buckets, 0, sizeof table.buckets);
    pm_store_empty(&table.lines);
}

void pm_resolve_forget(void)
{
    pthread_mutex_lock(&table.lock);
    empty();
    pthread_mutex_unlock(&table.lock);
}

static void keep(jmethodID method, pm_method_id id, const jvmtiLineNumberEntry *lines,
                 uint32_t n_lines)
{
    pthread_mutex_lock(&table.lock);
    pm_method_use(id); /* all may have been forgotten since it was added */
    struct line *to = pm_store_append(&table.lines, n_lines * sizeof *to);
    if (!to || table.n == MAX_METHODS) {
        empty();
        to = pm_store_append(&table.lines, n_lines * sizeof *to);
    }
    if (to) {
        for (uint32_t i = 0; i < n_lines; i++)
            to[i] = (struct line){(int32_t)lines[i].start_location, lines[i].line_number};
        uint32_t *bucket = bucket_of(method);
        table.rows[table.n] =
            (struct row){.method = method,
                         .id = id.n,
                         .first_line = (uint32_t)(to - (struct line *)table.lines.base),
                         .n_lines = n_lines,
                         .next = *bucket};
        *bucket = ++table.n;
    }
    pthread_mutex_unlock(&table.lock);
}

static pm_class_id class_of_signature(const char *signature)
{
    char name[CLASS_NAME_MAX];
    pm_class_name_from_signature(signature, name, sizeof name);
    return pm_class_add(name);
}

pm_class_id pm_resolve_class(jclass class)
{
    char *signature = NULL;
    if ((*pm_host.jvmti)->GetClassSignature(pm_host.jvmti, class, &signature, NULL))
        return (pm_class_id){0};
    pm_class_id id = class_of_signature(signature);
    pm_host_free(signature);
    return id;
}

struct pm_frame pm_resolve_frame(jmethodID method, jlocation location)
{
    struct pm_frame frame = {.line = location < 0 ? -1 : 0};
    if (find(method, location, &frame))
        return frame;

    jvmtiEnv *jvmti = pm_host.jvmti;
    JNIEnv *env;
    jclass class = NULL;
    char *name = NULL, *file = NULL;
    jvmtiLineNumberEntry *lines = NULL;
    jint n_lines = 0;
    if ((*pm_host.vm)->GetEnv(pm_host.vm, (void **)&env, JNI_VERSION_1_8) ||
        (*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL))
        return frame;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == 0) {
        if ((*jvmti)->GetSourceFileName(jvmti, class, &file))
            file = NULL;
        if ((*jvmti)->GetLineNumberTable(jvmti, method, &n_lines, &lines)) {
            lines = NULL;
            n_lines = 0;
        }
        /* Their memory is ours until it is freed. */
        pm_text_from_java(name, SIZE_MAX, name);
        if (file)
            pm_text_from_java(file, SIZE_MAX, file);
        pm_method_id id = pm_method_add(pm_resolve_class(class), name, file);
        if (id.n)
            keep(method, id, lines, (uint32_t)n_lines);
        frame.method = id;
        find(method, location, &frame);
        (*env)->DeleteLocalRef(env, class);
    }
    pm_host_free(lines);
    pm_host_free(file);
    pm_host_free(name);
    return frame;
}

static bool is_virtual_thread(JNIEnv *env, jthread thread)
{
    char *signature = NULL;
    bool is = false;
    jclass class = (*env)->GetObjectClass(env, thread);
    if ((*pm_host.jvmti)->GetClassSignature(pm_host.jvmti, class, &signature, NULL) == 0)
        is = strcmp(signature, "Ljava/lang/VirtualThread;") == 0 ||
             strcmp(signature, "Ljava/lang/ThreadBuilders$BoundVirtualThread;") == 0;
    pm_host_free(signature);
    (*env)->DeleteLocalRef(env, class);
    return is;
}

void pm_resolve_renamed(JNIEnv *env, jthread thread, pm_thread_id id)
{
    jvmtiThreadInfo info = {0};
    if ((*pm_host.jvmti)->GetThreadInfo(pm_host.jvmti, thread, &info))
        return;
    pm_thread_rename(id, info.name ? info.name : "");
    pm_host_free(info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
}

pm_thread_id pm_resolve_thread(JNIEnv *env, jthread thread, int64_t tid, int64_t begin_ns)
{
    pm_thread_id id = pm_thread_find(tid);
    if (id.n)
        return id;
    jvmtiThreadInfo info = {0};
    if ((*pm_host.jvmti)->GetThreadInfo(pm_host.jvmti, thread, &info))
        return (pm_thread_id){0};
    id = pm_thread_add(tid, info.name, pm_host.version >= 19 && is_virtual_thread(env, thread),
                       info.is_daemon, begin_ns);
    pm_host_free(info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
    return id;
}

int pm_resolve_monitor_owner(JNIEnv *env, jobject object, pm_thread_id *ret_owner)
{
    jvmtiMonitorUsage usage = {0};
    if (!pm_quirks.has_monitor_usage ||
        (*pm_host.jvmti)->GetObjectMonitorUsage(pm_host.jvmti, object, &usage))
        return PM_ERROR_IO;
    pm_host_expect_references(env, usage.waiter_count + usage.notify_waiter_count);
    pm_thread_id id = {0};
    if (usage.owner) {
        id = pm_resolve_thread(env, usage.owner,
                               (*env)->GetLongField(env, usage.owner, pm_host.thread_tid), 0);
        (*env)->DeleteLocalRef(env, usage.owner);
    }
    for (jint i = 0; i < usage.waiter_count; i++)
        (*env)->DeleteLocalRef(env, usage.waiters[i]);
    for (jint i = 0; i < usage.notify_waiter_count; i++)
        (*env)->DeleteLocalRef(env, usage.notify_waiters[i]);
    pm_host_free(usage.waiters);
    pm_host_free(usage.notify_waiters);
    *ret_owner = id;
    return 0;
}

#include "recorder/agent/hooks/resolve.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/arena.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/text.h"
#include "recorder/agent/bytecode/receiver.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/quirks.h"
#include "recorder/agent/hotspot/thread-facts.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/thread.h"

/* Methods seen, with their line tables. HotSpot never gives a jmethodID to a second method, so rows
 * need no end; when the tables are full they are emptied and fill anew, as in each epoch. */
#define MAX_METHODS    (1u << 17)
#define LINE_BYTES     (32u << 20)
#define N_BUCKETS      (1u << 12)
#define CLASS_NAME_MAX 1024

#define N_FIELDS 1024 /* places whose field is remembered */

struct line {
    int32_t start; /* bytecode index */
    int32_t number;
};

struct row {
    jmethodID method;
    uintptr_t version; /* its Method*, where that can be known: another once it was redefined */
    uint32_t id;
    uint32_t first_line, n_lines; /* in the store */
    uint32_t next;                /* in its bucket: number + 1 */
};

/* What is known of a place that calls, or enters a monitor. */
struct field {
    jmethodID method;
    uintptr_t version;
    jlocation location;
    pm_method_id id;
};

static struct {
    struct pm_reservation rows;
    uint32_t n;
    uint32_t buckets[N_BUCKETS];
    struct pm_arena lines;
    struct field fields[N_FIELDS]; /* by a hash; the last one that fell there */
    pthread_mutex_t lock;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pm_resolve_init(void)
{
    int error = pm_reservation_init(&table.rows, MAX_METHODS * sizeof(struct row));
    return error ? error : pm_arena_init(&table.lines, LINE_BYTES);
}

static struct row *row_at(uint32_t number)
{
    return (struct row *)(void *)table.rows.base + number;
}

static uint32_t *bucket_of(jmethodID method)
{
    return &table.buckets[(uint64_t)(uintptr_t)method * 0x9e3779b97f4a7c15u >> 52];
}

static uintptr_t version_of(jmethodID method)
{
    return pm_quirks.knows_methods ? pm_quirks_method_of(method) : 0;
}

static bool find(jmethodID method, jlocation location, struct pm_frame *ret_frame)
{
    bool found = false;
    uintptr_t version = version_of(method);
    pthread_mutex_lock(&table.lock);
    for (uint32_t n = *bucket_of(method); n; n = row_at(n - 1)->next) {
        const struct row *row = row_at(n - 1);
        if (row->method == method && row->version == version) {
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
    memset(table.fields, 0, sizeof table.fields);
    pm_arena_empty(&table.lines);
}

void pm_resolve_forget(void)
{
    pthread_mutex_lock(&table.lock);
    empty();
    pthread_mutex_unlock(&table.lock);
}

/* For one more row and its lines; NULL: there is none, or no memory. */
static struct line *make_room(uint32_t n_lines)
{
    if (!pm_reservation_open(&table.rows, (table.n + 1) * sizeof(struct row)))
        return NULL;
    return pm_arena_append(&table.lines, n_lines * sizeof(struct line));
}

static void keep(jmethodID method, uintptr_t version, pm_method_id id,
                 const jvmtiLineNumberEntry *lines, uint32_t n_lines)
{
    pthread_mutex_lock(&table.lock);
    pm_method_use(id); /* all may have been forgotten since it was added */
    struct line *to = make_room(n_lines);
    if (!to) {
        empty();
        to = make_room(n_lines);
    }
    if (to) {
        for (uint32_t i = 0; i < n_lines; i++)
            to[i] = (struct line){(int32_t)lines[i].start_location, lines[i].line_number};
        uint32_t *bucket = bucket_of(method);
        *row_at(table.n) =
            (struct row){.method = method,
                         .version = version,
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
        return pm_class_unknown();
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
    uintptr_t version = version_of(method); /* before its lines are asked for */
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
            keep(method, version, id, lines, (uint32_t)n_lines);
        frame.method = id;
        find(method, location, &frame);
        (*env)->DeleteLocalRef(env, class);
    }
    pm_host_free(lines);
    pm_host_free(file);
    pm_host_free(name);
    return frame;
}

static struct field *field_at(jmethodID method, jlocation location)
{
    uint64_t hash = ((uint64_t)(uintptr_t)method ^ (uint64_t)location << 20) * 0x9e3779b97f4a7c15u;
    return &table.fields[(hash >> 32) % N_FIELDS];
}

static bool find_field(jmethodID method, uintptr_t version, jlocation location, pm_method_id *ret)
{
    pthread_mutex_lock(&table.lock);
    const struct field *field = field_at(method, location);
    bool found =
        field->method == method && field->version == version && field->location == location;
    *ret = found ? field->id : (pm_method_id){0};
    pthread_mutex_unlock(&table.lock);
    return found;
}

static void keep_field(jmethodID method, uintptr_t version, jlocation location, pm_method_id id)
{
    pthread_mutex_lock(&table.lock);
    if (id.n)
        pm_method_use(id); /* all may have been forgotten since it was added */
    *field_at(method, location) = (struct field){method, version, location, id};
    pthread_mutex_unlock(&table.lock);
}

/* A local variable that a lambda or an inner class captured is called by its own name. */
static pm_method_id add_field(const struct pm_receiver *receiver)
{
    static const char captured[] = "val$";
    char name[PM_RECEIVER_NAME_MAX + 2], class[CLASS_NAME_MAX];
    const char *field = receiver->field;
    if (strncmp(field, captured, strlen(captured)) == 0)
        field += strlen(captured);
    bool is_array = receiver->class_name[0] == '['; /* a class as object may be one */
    snprintf(name, sizeof name, is_array ? "%s" : "L%s;", receiver->class_name);
    pm_class_name_from_signature(name, class, sizeof class);
    pm_text_from_java(name, sizeof name, field);
    return pm_method_add(pm_class_add(class), name, NULL);
}

/* It enters a static synchronised method: the object is the class. */
static bool enters_class(jmethodID method, jlocation location)
{
    const jint both = 0x8 | 0x20; /* ACC_STATIC, ACC_SYNCHRONIZED */
    jint flags = 0;
    return location == 0 &&
           (*pm_host.jvmti)->GetMethodModifiers(pm_host.jvmti, method, &flags) == 0 &&
           (flags & both) == both;
}

static pm_method_id read_field(jclass class, jmethodID method, jlocation location, bool call)
{
    jvmtiEnv *jvmti = pm_host.jvmti;
    pm_method_id id = {0};
    unsigned char *code = NULL, *constants = NULL;
    jint code_size = 0, n = 0, size = 0, n_arguments = 0;
    struct pm_receiver receiver;
    if (!call && enters_class(method, location))
        return pm_method_add(pm_resolve_class(class), "class", NULL);
    if ((*jvmti)->GetBytecodes(jvmti, method, &code_size, &code))
        return id;
    /* Interpreted code that enters a monitor stands behind the instruction. */
    if (!call && location > 0 && location < code_size &&
        !pm_bytecode_has_receiver(code[location], false))
        location--;
    if (location < code_size && pm_bytecode_has_receiver(code[location], call) &&
        (*jvmti)->GetArgumentsSize(jvmti, method, &n_arguments) == 0 &&
        (*jvmti)->GetConstantPool(jvmti, class, &n, &size, &constants) == 0) {
        const struct pm_bytecode bytecode = {
            code, (size_t)code_size, constants, (size_t)size, (uint32_t)n, (uint32_t)n_arguments};
        if (pm_bytecode_receiver(&bytecode, (size_t)location, &receiver) == 0)
            id = add_field(&receiver);
    }
    pm_host_free(constants);
    pm_host_free(code);
    return id;
}

pm_method_id pm_resolve_field(jmethodID method, jlocation location, bool call)
{
    uintptr_t version = version_of(method); /* before its code is asked for */
    pm_method_id id = {0};
    JNIEnv *env;
    jclass class = NULL;
    if (location < 0 || find_field(method, version, location, &id) ||
        (*pm_host.vm)->GetEnv(pm_host.vm, (void **)&env, JNI_VERSION_1_8) ||
        (*pm_host.jvmti)->GetMethodDeclaringClass(pm_host.jvmti, method, &class))
        return id;
    id = read_field(class, method, location, call);
    (*env)->DeleteLocalRef(env, class);
    keep_field(method, version, location, id);
    return id;
}

/* A virtual thread without a name, as most have none: the JVM need not be asked for it. */
static bool has_no_name(JNIEnv *env, jthread thread)
{
    jobject name = pm_field_object(env, thread, pm_host.virtual_name);
    bool is_empty = !name || (*env)->GetStringLength(env, name) == 0;
    (*env)->DeleteLocalRef(env, name);
    return is_empty;
}

void pm_resolve_renamed(JNIEnv *env, jthread thread, pm_thread_id id)
{
    char name[PM_THREAD_FACTS_NAME];
    if (pm_thread_facts_name(env, thread, name))
        pm_thread_rename(id, name);
}

pm_thread_id pm_resolve_thread(JNIEnv *env, jthread thread, int64_t tid, int64_t begin_ns)
{
    pm_thread_id id = pm_thread_find(tid);
    if (id.n || tid <= 0) /* without a tid: its constructor has not run */
        return id;
    bool is_virtual =
        pm_host.virtual_name && (*env)->IsInstanceOf(env, thread, pm_host.virtual_thread);
    if (is_virtual && has_no_name(env, thread))
        return pm_thread_virtual(tid, false);
    char name[PM_THREAD_FACTS_NAME] = "";
    pm_thread_facts_name(env, thread, name);
    const bool is_daemon = is_virtual || pm_thread_facts_is_daemon(env, thread);
    id = pm_thread_add(tid, name, is_virtual, is_daemon, begin_ns);
    if (!is_virtual && pm_vm_thread_layout.eetop && !pm_vm_thread_of(env, thread))
        pm_thread_set_absent(id, pm_clock_now());
    return id;
}

pm_thread_id pm_resolve_joined(JNIEnv *env, jobject thread, bool lives)
{
    /* What another thread waits for may be another object by now. */
    if (!thread || !(*env)->IsInstanceOf(env, thread, pm_host.thread))
        return (pm_thread_id){0};
    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    bool is_virtual =
        pm_host.virtual_name && (*env)->IsInstanceOf(env, thread, pm_host.virtual_thread);
    pm_thread_id id = is_virtual ? (pm_thread_id){0} : pm_thread_find(tid);
    /* Of a platform thread that lives and is not known yet the JVM is about to tell that it began.
     */
    return id.n || !(is_virtual || lives)
               ? id
               : pm_resolve_thread(env, thread, tid, is_virtual ? 0 : pm_clock_now());
}

pm_thread_id pm_resolve_tid(int64_t tid)
{
    pm_thread_id id = tid ? pm_thread_find(tid) : (pm_thread_id){0};
    /* Platform threads are known from their begin on. */
    return id.n || pm_host.version < 24 ? id : pm_thread_virtual(tid, true);
}

#include "recorder/agent/allocation/path-walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/allocation/path-names.h"
#include "recorder/agent/allocation/path-request.h"
#include "recorder/agent/allocation/path-search.h"
#include "recorder/agent/allocation/reporting.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/thread.h"

#define MAX_CLASSES (1 << 20)
#define MAX_WALKS   16
#define MAX_STEPS   48
#define POLL        256 /* references between looks at the clock */
#define TAG_OF_NODE (INT64_C(1) << 32)

/* What has a tag before it is met: a class or a thread. The tag is its number here and one. */
struct row {
    int64_t tid; /* of a thread */
    bool ours;   /* it is one of the recorder's */
    uint32_t node;
    bool wanted;      /* the class that is looked for */
    bool of_program;  /* and not the platform's */
    bool can_go;      /* its loader is one of the program's, that can be collected */
    bool leaf;        /* its objects refer to nothing that matters */
    int16_t referent; /* the field of a java.lang.ref.Reference that does not keep; else -1 */
};

static struct {
    struct pm_path_request request;
    struct pm_path_search *search; /* NULL: nothing is searched for */
    jvmtiEnv *jvmti;
    struct row *rows;
    int64_t n_rows;
    bool found_class;
    uint64_t n_objects, n_weak;
    int n_walks;
    int64_t stopped_ns, longest_ns, until_ns;
    uint64_t n_references;
    bool aborted;
    uint32_t moved; /* the node that the object had that is being visited, of a list */
} walk;

/* ---- a reference ---- */

static struct row *row_of(jlong tag)
{
    return tag > 0 && tag <= walk.n_rows ? &walk.rows[tag - 1] : NULL;
}

static uint32_t node_of(const jlong *tag)
{
    if (!tag || !*tag)
        return 0;
    const struct row *row = row_of(*tag);
    return row ? row->node : (uint32_t)(*tag - TAG_OF_NODE);
}

static void set_node(jlong *tag, uint32_t node)
{
    struct row *row = tag ? row_of(*tag) : NULL;
    if (row)
        row->node = node;
    else if (tag && node)
        *tag = TAG_OF_NODE + node;
}

/* Where a root is. False: it is of our own making. */
static bool find_place(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                       const jlong *tag, struct pm_path_place *ret_place)
{
    const struct row *thread = NULL;
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
        thread = row_of(info->stack_local.thread_tag);
        *ret_place = (struct pm_path_place){info->stack_local.thread_id, info->stack_local.method,
                                            info->stack_local.location};
    } else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
        thread = row_of(info->jni_local.thread_tag);
        *ret_place = (struct pm_path_place){info->jni_local.thread_id, info->jni_local.method, 0};
    } else if (kind == JVMTI_HEAP_REFERENCE_THREAD) {
        thread = row_of(*tag);
        ret_place->tid = thread ? thread->tid : 0;
    }
    return !thread || !thread->ours;
}

static enum pm_path_kind kind_of(jvmtiHeapReferenceKind kind)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_FIELD:
        return PM_PATH_FIELD;
    case JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT:
        return PM_PATH_ELEMENT;
    case JVMTI_HEAP_REFERENCE_STATIC_FIELD:
        return PM_PATH_STATIC;
    case JVMTI_HEAP_REFERENCE_CLASS:
        return PM_PATH_CLASS_OF;
    case JVMTI_HEAP_REFERENCE_CLASS_LOADER:
        return PM_PATH_LOADER_OF;
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
        return PM_PATH_JNI_GLOBAL;
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
        return PM_PATH_SYSTEM_CLASS;
    case JVMTI_HEAP_REFERENCE_MONITOR:
        return PM_PATH_MONITOR;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
        return PM_PATH_LOCAL;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
        return PM_PATH_JNI_LOCAL;
    case JVMTI_HEAP_REFERENCE_THREAD:
        return PM_PATH_THREAD;
    case JVMTI_HEAP_REFERENCE_OTHER:
        return PM_PATH_OTHER_ROOT;
    default:
        return PM_PATH_OF_CLASS;
    }
}

/* At a safepoint, on the thread that stands in FollowReferences or the JVM's own: no calls. */
static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                                 jlong class_tag, jlong from_class_tag, jlong size, jlong *tag,
                                 jlong *from_tag, jint length, void *context)
{
    if (walk.n_references++ % POLL == 0 && pm_clock_now() > walk.until_ns) {
        walk.aborted = true;
        return JVMTI_VISIT_ABORT;
    }
    const struct row *class = row_of(class_tag), *of_class = row_of(from_class_tag);
    struct pm_path_reference r = {.kind = kind_of(kind),
                                  .from_class = (uint32_t)from_class_tag,
                                  .to_class = (uint32_t)class_tag,
                                  .length = length > 0 ? (uint32_t)length : 0,
                                  .size = (uint64_t)size,
                                  .to_leaf = class && class->leaf,
                                  .to_wanted = class && class->wanted,
                                  .to_any = walk.request.n_births > 0};
    if (kind == JVMTI_HEAP_REFERENCE_CLASS) {
        walk.n_objects += walk.n_walks == 0 && of_class && of_class->wanted;
        walk.moved = 0; /* an object's class is the first that it refers to */
        const struct row *to = row_of(*tag);
        if (!to || !to->can_go)
            return JVMTI_VISIT_OBJECTS; /* always there */
    } else if (r.kind == PM_PATH_FIELD) {
        r.index = info->field.index;
        if (of_class && r.index == of_class->referent) {
            walk.n_weak += walk.n_walks == 0 && r.to_wanted;
            return 0;
        }
    } else if (r.kind == PM_PATH_ELEMENT) {
        r.index = info->array.index;
    } else if (from_tag) { /* of a class */
        of_class = row_of(*from_tag);
        r.from_class = of_class ? (uint32_t)*from_tag : 0;
        if (r.kind == PM_PATH_STATIC) {
            r.index = info->field.index;
            r.kind = of_class && of_class->can_go ? PM_PATH_STATIC_OF : PM_PATH_STATIC;
        }
    } else if (!find_place(kind, info, tag, &r.place)) {
        return 0;
    }
    r.of_program = of_class && of_class->of_program;
    r.from = node_of(from_tag);
    if (!r.from && r.kind == PM_PATH_FIELD)
        r.from = walk.moved;
    uint32_t to = r.to = node_of(tag), from = r.from;
    pm_path_take(walk.search, &r);
    if (r.to != to)
        set_node(tag, r.to);
    if (r.from != from)
        set_node(from_tag, r.from);
    if (r.moves && from_tag && *from_tag > TAG_OF_NODE) {
        *from_tag = 0; /* one tag goes along the list */
        walk.moved = r.from;
    }
    return JVMTI_VISIT_OBJECTS;
}

/* ---- before the first walk ---- */

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void describe(struct row *row, const char *signature)
{
    static const char *const platform[] = {"Ljava/", "Ljavax/", "Ljdk/", "Lsun/", "Lcom/sun/"};
    static const char *const leaves[] = {"Ljava/lang/String;", "Ljava/lang/Integer;",
                                         "Ljava/lang/Long;", "Ljava/lang/Double;",
                                         "Ljava/lang/Boolean;"};
    char name[PM_PATH_NAME_MAX];
    const char *element = signature + strspn(signature, "[");
    row->of_program = *element == 'L';
    for (size_t i = 0; i < sizeof platform / sizeof *platform; i++)
        row->of_program = row->of_program && !begins_with(element, platform[i]);
    row->leaf = *element != 'L' && element - signature < 2;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        row->leaf = row->leaf || strcmp(signature, leaves[i]) == 0;
    pm_class_name_from_signature(signature, name, sizeof name);
    row->wanted = walk.request.class_name[0] && strcmp(name, walk.request.class_name) == 0;
    walk.found_class |= row->wanted;
}

/* Loaders of classes that stay: none, and the two of the platform's. */
struct loaders {
    jobject stay[2], goes;
    int n;
};

static bool can_go(JNIEnv *env, jclass class, struct loaders *loaders)
{
    jobject loader = NULL;
    if ((*walk.jvmti)->GetClassLoader(walk.jvmti, class, &loader) || !loader)
        return false;
    for (int i = 0; i < loaders->n; i++)
        if ((*env)->IsSameObject(env, loader, loaders->stay[i])) {
            (*env)->DeleteLocalRef(env, loader);
            return false;
        }
    if (loaders->goes && (*env)->IsSameObject(env, loader, loaders->goes)) {
        (*env)->DeleteLocalRef(env, loader);
        return true;
    }
    jclass of = (*env)->GetObjectClass(env, loader);
    char *signature = NULL;
    bool stays = loaders->n < 2 &&
                 (*walk.jvmti)->GetClassSignature(walk.jvmti, of, &signature, NULL) == 0 &&
                 begins_with(signature, "Ljdk/internal/loader/ClassLoaders$");
    pm_host_free(signature);
    (*env)->DeleteLocalRef(env, of);
    if (stays) {
        loaders->stay[loaders->n++] = loader;
    } else {
        if (loaders->goes)
            (*env)->DeleteLocalRef(env, loaders->goes);
        loaders->goes = loader;
    }
    return !stays;
}

static void tag_class(JNIEnv *env, jclass class, jclass reference, struct loaders *loaders)
{
    struct row *row = &walk.rows[walk.n_rows];
    char *signature = NULL;
    if ((*walk.jvmti)->GetClassSignature(walk.jvmti, class, &signature, NULL) ||
        (*walk.jvmti)->SetTag(walk.jvmti, class, walk.n_rows + 1)) {
        pm_host_free(signature);
        return;
    }
    describe(row, signature);
    pm_host_free(signature);
    row->can_go = can_go(env, class, loaders);
    row->referent = -1;
    if (reference && (*env)->IsAssignableFrom(env, class, reference))
        row->referent = (int16_t)pm_path_field_index(env, walk.jvmti, class, reference, "referent");
    walk.n_rows++;
}

static bool tag_classes(JNIEnv *env, jint n_threads)
{
    struct loaders loaders = {.n = 0};
    jint n = 0;
    jclass *classes = NULL;
    if ((*walk.jvmti)->GetLoadedClasses(walk.jvmti, &n, &classes))
        return false;
    /* So many local references were made that nobody announced: JNI's checks want to know. */
    if ((*env)->EnsureLocalCapacity(env, n + 64))
        (*env)->ExceptionClear(env);
    jclass reference = pm_host_find_class(env, "java/lang/ref/Reference");
    walk.rows = n < MAX_CLASSES ? calloc((size_t)(n + n_threads) + 1, sizeof *walk.rows) : NULL;
    for (jint i = 0; i < n; i++) {
        if (walk.rows)
            tag_class(env, classes[i], reference, &loaders);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    jobject others[] = {reference, loaders.stay[0], loaders.stay[1], loaders.goes};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i])
            (*env)->DeleteLocalRef(env, others[i]);
    pm_host_free(classes);
    return walk.rows != NULL;
}

static void tag_thread(JNIEnv *env, jthread thread)
{
    struct pm_thread_row row;
    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    bool known = pm_thread_get(pm_thread_find(tid), &row);
    if ((*walk.jvmti)->SetTag(walk.jvmti, thread, walk.n_rows + 1) == 0)
        walk.rows[walk.n_rows++] =
            (struct row){.tid = tid, .ours = known && pm_thread_is_ours(&row), .referent = -1};
}

static bool tag_known(JNIEnv *env)
{
    jint n = 0;
    jthread *threads = NULL;
    if (!pm_host_threads(env, &threads, &n))
        return false;
    bool done = tag_classes(env, n);
    for (jint i = 0; i < n; i++) {
        if (done)
            tag_thread(env, threads[i]);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    pm_host_free(threads);
    return done;
}

static bool is_wanted(void *context, const struct pm_followed *followed)
{
    pm_class_id wanted = *(const pm_class_id *)context, class_id;
    pm_chain_id chain;
    if (walk.request.n_births == 0) {
        pm_cells_name(followed->cell, &class_id, &chain);
        return class_id.n == wanted.n;
    }
    for (uint32_t i = 0; i < walk.request.n_births; i++)
        if (walk.request.births[i] == followed->born_ns)
            return true;
    return false;
}

static void add_sample(void *context, void *reference)
{
    JNIEnv *env = context;
    jlong tag = 0;
    jobject object = (*env)->NewLocalRef(env, reference);
    if (!object)
        return; /* collected meanwhile */
    if ((*walk.jvmti)->GetTag(walk.jvmti, object, &tag) == 0 && !tag) {
        jclass class = (*env)->GetObjectClass(env, object);
        (*walk.jvmti)->GetTag(walk.jvmti, class, &tag);
        uint32_t node = pm_path_add_target(walk.search, (uint32_t)tag);
        if (node)
            (*walk.jvmti)->SetTag(walk.jvmti, object, TAG_OF_NODE + node);
        (*env)->DeleteLocalRef(env, class);
    }
    (*env)->DeleteLocalRef(env, object);
}

/* Sampled objects that live, the oldest: what a leak keeps is among them. */
static void add_samples(JNIEnv *env)
{
    pm_class_id class_id = {0};
    if (!pm_reporting_is_on() || pm_cells_count() == 0)
        return;
    if (walk.request.n_births == 0)
        class_id = pm_class_add(walk.request.class_name);
    if (class_id.n == pm_class_unknown().n)
        return;
    pm_reporting_visit_oldest(is_wanted, &class_id, PM_PATH_BIRTHS, add_sample, env);
}

static bool begin(JNIEnv *env)
{
    const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    if ((*pm_host.vm)->GetEnv(pm_host.vm, (void **)&walk.jvmti, JVMTI_VERSION_9)) {
        walk.jvmti = NULL;
        return false;
    }
    walk.search = pm_path_new();
    if (!walk.search || (*walk.jvmti)->AddCapabilities(walk.jvmti, &wanted) || !tag_known(env))
        return false;
    if (walk.found_class || walk.request.n_births)
        add_samples(env);
    return true;
}

/* ---- after the last ---- */

static void end(const char *text)
{
    if (walk.jvmti)
        (*walk.jvmti)->DisposeEnvironment(walk.jvmti); /* with all tags */
    pm_path_free(walk.search);
    free(walk.rows);
    memset(&walk, 0, sizeof walk);
    pm_path_answer(text);
}

static void answer(JNIEnv *env)
{
    static char text[PM_PATH_TEXT_MAX];
    struct pm_path_step steps[MAX_STEPS];
    size_t n_broken = 0;
    uint32_t class_n = 0, alike = 0;
    size_t n = pm_path_best(walk.search, steps, MAX_STEPS, &class_n, &alike, &n_broken);
    struct pm_path_names names;
    pm_path_names_init(&names, env, walk.jvmti, text, sizeof text);
    if (!walk.found_class && walk.request.n_births == 0)
        pm_path_names_number(&names, "unknown", 1);
    pm_path_names_number(&names, "walks", walk.n_walks);
    pm_path_names_number(&names, "stopped", walk.stopped_ns);
    pm_path_names_number(&names, "longest", walk.longest_ns);
    pm_path_names_number(&names, "aborted", walk.aborted);
    pm_path_names_number(&names, "objects", (int64_t)walk.n_objects);
    pm_path_names_number(&names, "weak", (int64_t)walk.n_weak);
    pm_path_names_number(&names, "targets", pm_path_n_targets(walk.search));
    pm_path_names_number(&names, "alike", alike);
    pm_path_names_number(&names, "steps", (int64_t)n);
    pm_path_names_number(&names, "broken", (int64_t)n_broken);
    if (class_n)
        pm_path_names_steps(&names, steps, n + n_broken < MAX_STEPS ? n + n_broken : MAX_STEPS,
                            class_n);
    pm_path_names_referrers(&names, walk.search);
    end(text);
}

static void go(void)
{
    const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    int64_t begin_ns = pm_clock_now();
    walk.until_ns = begin_ns + walk.request.stop_ns - walk.stopped_ns;
    pm_path_begin_walk(walk.search);
    if ((*walk.jvmti)->FollowReferences(walk.jvmti, 0, NULL, NULL, &callbacks, NULL))
        walk.aborted = true;
    int64_t took_ns = pm_clock_now() - begin_ns;
    walk.n_walks++;
    walk.stopped_ns += took_ns;
    walk.longest_ns = took_ns > walk.longest_ns ? took_ns : walk.longest_ns;
}

bool pm_path_work(JNIEnv *env)
{
    if (!walk.search) {
        if (!pm_path_next(&walk.request))
            return false;
        if (!begin(env)) {
            end("refused\t1\n");
            return false;
        }
        return true;
    }
    bool searches = walk.found_class || walk.request.n_births;
    if (searches && !walk.aborted && walk.n_walks < MAX_WALKS &&
        (walk.n_walks == 0 || pm_path_wants_walk(walk.search))) {
        go();
        return true;
    }
    answer(env);
    return false;
}

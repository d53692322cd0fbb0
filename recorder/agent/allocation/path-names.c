#include "recorder/agent/allocation/path-names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "recorder/agent/base/text.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/thread.h"

#define MAX_INTERFACES 128
#define MAX_SUPERS     64
#define MAX_REFERRERS  8
#define MAX_NAME       300

/* ---- fields ---- */

/* JVMTI numbers the fields that an object has from 0: those of all interfaces first, then of
 * java.lang.Object and so on down to its own class. */
struct kinship {
    jclass interfaces[MAX_INTERFACES], supers[MAX_SUPERS]; /* supers: the class itself first */
    int n_interfaces, n_supers;
    bool whole;
};

static jint count_fields(jvmtiEnv *jvmti, jclass class)
{
    jint n = 0;
    jfieldID *fields = NULL;
    if ((*jvmti)->GetClassFields(jvmti, class, &n, &fields))
        return 0;
    pm_host_free(fields);
    return n;
}

static void add_interfaces(JNIEnv *env, jvmtiEnv *jvmti, jclass class, struct kinship *kin)
{
    jint n = 0;
    jclass *found = NULL;
    if ((*jvmti)->GetImplementedInterfaces(jvmti, class, &n, &found))
        return;
    for (jint i = 0; i < n; i++) {
        bool known = false;
        for (int k = 0; k < kin->n_interfaces && !known; k++)
            known = (*env)->IsSameObject(env, found[i], kin->interfaces[k]);
        if (known || kin->n_interfaces == MAX_INTERFACES) {
            kin->whole = kin->whole && known;
            (*env)->DeleteLocalRef(env, found[i]);
        } else {
            kin->interfaces[kin->n_interfaces++] = found[i];
            add_interfaces(env, jvmti, found[i], kin);
        }
    }
    pm_host_free(found);
}

static bool find_kin(JNIEnv *env, jvmtiEnv *jvmti, jclass class, struct kinship *kin)
{
    *kin = (struct kinship){.whole = true};
    if ((*env)->PushLocalFrame(env, MAX_INTERFACES + MAX_SUPERS + 64)) {
        (*env)->ExceptionClear(env);
        return false;
    }
    jclass at = (*env)->NewLocalRef(env, class);
    for (; at && kin->n_supers < MAX_SUPERS; at = (*env)->GetSuperclass(env, at)) {
        kin->supers[kin->n_supers++] = at;
        add_interfaces(env, jvmti, at, kin);
    }
    kin->whole = kin->whole && !at;
    return true;
}

static jint count_of_interfaces(jvmtiEnv *jvmti, const struct kinship *kin)
{
    jint n = 0;
    for (int i = 0; i < kin->n_interfaces; i++)
        n += count_fields(jvmti, kin->interfaces[i]);
    return n;
}

static int32_t index_in(jvmtiEnv *jvmti, jclass class, const char *name)
{
    jint n = 0;
    int32_t found = -1;
    jfieldID *fields = NULL;
    if ((*jvmti)->GetClassFields(jvmti, class, &n, &fields))
        return -1;
    for (jint i = 0; i < n && found < 0; i++) {
        char *of_field = NULL;
        if ((*jvmti)->GetFieldName(jvmti, class, fields[i], &of_field, NULL, NULL) == 0 &&
            strcmp(of_field, name) == 0)
            found = i;
        pm_host_free(of_field);
    }
    pm_host_free(fields);
    return found;
}

int32_t pm_path_field_index(JNIEnv *env, jvmtiEnv *jvmti, jclass class, jclass declaring,
                            const char *name)
{
    struct kinship kin;
    int32_t index = -1;
    if (!find_kin(env, jvmti, class, &kin))
        return -1;
    jint n = count_of_interfaces(jvmti, &kin);
    for (int i = kin.n_supers - 1; i >= 0 && index < 0 && kin.whole; i--) {
        if ((*env)->IsSameObject(env, kin.supers[i], declaring)) {
            int32_t own = index_in(jvmti, declaring, name);
            index = own < 0 ? -1 : n + own;
        }
        n += count_fields(jvmti, kin.supers[i]);
    }
    (*env)->PopLocalFrame(env, NULL);
    return index;
}

static void name_in(jvmtiEnv *jvmti, jclass class, jint index, char *ret_name, size_t size)
{
    jint n = 0;
    jfieldID *fields = NULL;
    char *name = NULL;
    if ((*jvmti)->GetClassFields(jvmti, class, &n, &fields))
        return;
    if (index < n && (*jvmti)->GetFieldName(jvmti, class, fields[index], &name, NULL, NULL) == 0)
        pm_text_from_java(ret_name, size, name);
    pm_host_free(name);
    pm_host_free(fields);
}

static void field_name(JNIEnv *env, jvmtiEnv *jvmti, jclass class, jint index, char *ret_name,
                       size_t size)
{
    struct kinship kin;
    *ret_name = '\0';
    if (!find_kin(env, jvmti, class, &kin))
        return;
    jint n = index - count_of_interfaces(jvmti, &kin);
    for (int i = kin.n_supers - 1; i >= 0 && n >= 0 && kin.whole; i--) {
        jint own = count_fields(jvmti, kin.supers[i]);
        if (n < own)
            name_in(jvmti, kin.supers[i], n, ret_name, size);
        n -= own;
    }
    (*env)->PopLocalFrame(env, NULL);
}

/* ---- lines ---- */

void pm_path_names_init(struct pm_path_names *names, JNIEnv *env, jvmtiEnv *jvmti, char *text,
                        size_t size)
{
    *names = (struct pm_path_names){env, jvmti, text, size, 0};
    *text = '\0';
}

/* A line that has no room is left out whole. */
__attribute__((format(printf, 2, 3))) static void add(struct pm_path_names *names,
                                                      const char *format, ...)
{
    va_list arguments;
    size_t room = names->size - names->length;
    va_start(arguments, format);
    int n = vsnprintf(names->text + names->length, room, format, arguments);
    va_end(arguments);
    if (n > 0 && (size_t)n < room)
        names->length += (size_t)n;
    names->text[names->length] = '\0';
}

void pm_path_names_number(struct pm_path_names *names, const char *word, int64_t number)
{
    add(names, "%s\t%lld\n", word, (long long)number);
}

static void plain(char *text, size_t size)
{
    pm_text_plain(text, size, (struct pm_text){text, (uint32_t)strlen(text)});
}

/* Of a class by its number, and of a field of it where there is one. */
static void name_class(struct pm_path_names *names, uint32_t class_n, bool has_field, int32_t index,
                       char *ret_class, char *ret_field)
{
    JNIEnv *env = names->env;
    jvmtiEnv *jvmti = names->jvmti;
    const jlong tag = class_n;
    jint n = 0;
    jobject *found = NULL;
    char *signature = NULL;
    *ret_class = *ret_field = '\0';
    if (class_n == 0 || (*jvmti)->GetObjectsWithTags(jvmti, 1, &tag, &n, &found, NULL))
        return;
    if (n > 0 && (*jvmti)->GetClassSignature(jvmti, found[0], &signature, NULL) == 0) {
        pm_class_name_from_signature(signature, ret_class, MAX_NAME);
        plain(ret_class, MAX_NAME);
        if (has_field)
            field_name(env, jvmti, found[0], index, ret_field, MAX_NAME);
        plain(ret_field, MAX_NAME);
    }
    pm_host_free(signature);
    for (jint i = 0; i < n; i++)
        (*env)->DeleteLocalRef(env, found[i]);
    pm_host_free(found);
}

static bool has_field(enum pm_path_kind kind)
{
    return kind == PM_PATH_FIELD || kind == PM_PATH_STATIC || kind == PM_PATH_STATIC_OF;
}

/* A thread's name, and the method that it is in. */
static void name_place(const struct pm_path_place *place, char *ret_thread, char *ret_method)
{
    struct pm_thread_row row;
    struct pm_method method;
    struct pm_class class;
    *ret_thread = *ret_method = '\0';
    if (place->tid && pm_thread_get(pm_thread_find(place->tid), &row))
        snprintf(ret_thread, MAX_NAME, "%.*s", (int)row.name_length, row.name);
    struct pm_frame frame = place->method ? pm_resolve_frame(place->method, place->location)
                                          : (struct pm_frame){{0}, 0};
    if (frame.method.n && pm_method_get(frame.method, &method) &&
        pm_class_get(method.class_id, &class))
        snprintf(ret_method, MAX_NAME, "%.*s.%.*s", (int)class.name.length, class.name.bytes,
                 (int)method.name.length, method.name.bytes);
    plain(ret_thread, MAX_NAME);
    plain(ret_method, MAX_NAME);
}

void pm_path_names_steps(struct pm_path_names *names, const struct pm_path_step *steps, size_t n,
                         uint32_t class_n)
{
    char class[MAX_NAME], field[MAX_NAME], thread[MAX_NAME], method[MAX_NAME];
    for (size_t i = 0; i < n; i++) {
        const struct pm_path_step *step = &steps[i];
        name_class(names, step->from_class, has_field(step->kind), step->index, class, field);
        name_place(&step->place, thread, method);
        add(names, "step\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", pm_path_kind_names[step->kind], class,
            field, step->kind == PM_PATH_ELEMENT ? step->index : -1, step->repeats, thread, method);
    }
    name_class(names, class_n, false, 0, class, field);
    add(names, "end\t%s\n", class);
}

void pm_path_names_referrers(struct pm_path_names *names, const struct pm_path_search *search)
{
    char class[MAX_NAME], field[MAX_NAME];
    uint64_t others, below = UINT64_MAX;
    uint32_t n_told = 0, last = PM_PATH_REFERRERS;
    const struct pm_path_referrer *all = pm_path_referrers(search, &others);
    while (n_told < MAX_REFERRERS) {
        uint32_t best = PM_PATH_REFERRERS; /* the next: as many as the last, behind it, or fewer */
        for (uint32_t i = 0; i < PM_PATH_REFERRERS; i++)
            if (all[i].n > 0 && (all[i].n < below || (all[i].n == below && i > last)) &&
                (best == PM_PATH_REFERRERS || all[i].n > all[best].n))
                best = i;
        if (best == PM_PATH_REFERRERS)
            break;
        below = all[best].n;
        last = best;
        name_class(names, all[best].from_class, has_field(all[best].kind), all[best].index, class,
                   field);
        add(names, "referrer\t%s\t%s\t%s\t%llu\n", pm_path_kind_names[all[best].kind], class, field,
            (unsigned long long)below);
        n_told++;
    }
    for (uint32_t i = 0; i < PM_PATH_REFERRERS; i++)
        if (all[i].n > 0 && (all[i].n < below || (all[i].n == below && i > last)))
            others += all[i].n;
    pm_path_names_number(names, "others", (int64_t)others);
}

/* An agent that wraps Unsafe.park as BlockHound does: what was the native is a Java method now,
 * which calls the native by a name with a prefix that the JVM was told of. Needs
 * -XX:+AllowRedefinitionToAddDeleteMethods. Prints "wrapped" when it is done. */
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

#define PREFIX   "$$wrapped$$_"
#define CLASS    "jdk/internal/misc/Unsafe"
#define NAME     "park"
#define MAX_MORE 200 /* bytes that the class grows by */

static jvmtiEnv *jvmti;

static unsigned read_u2(const unsigned char *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static unsigned read_u4(const unsigned char *at)
{
    return read_u2(at) << 16 | read_u2(at + 2);
}

/* -- reading a class file -- */

static const unsigned char *after_constant(const unsigned char *at, unsigned *number)
{
    static const unsigned char sizes[] = {
        [3] = 5,  [4] = 5,  [5] = 9,  [6] = 9,  [7] = 3,  [8] = 3,  [9] = 5,  [10] = 5,
        [11] = 5, [12] = 5, [15] = 4, [16] = 3, [17] = 5, [18] = 5, [19] = 3, [20] = 3};
    *number += *at == 5 || *at == 6 ? 2 : 1; /* long and double take two */
    return at + (*at == 1 ? 3 + read_u2(at + 1) : sizes[*at]);
}

static unsigned find_text(const unsigned char *class, unsigned n, const char *text)
{
    const unsigned char *at = class + 10;
    for (unsigned i = 1, next = 1; i < n; i = next) {
        const unsigned char *constant = at;
        at = after_constant(at, &next);
        if (*constant == 1 && read_u2(constant + 1) == strlen(text) &&
            memcmp(constant + 3, text, strlen(text)) == 0)
            return i;
    }
    return 0;
}

static const unsigned char *after_member(const unsigned char *at)
{
    unsigned n = read_u2(at + 6);
    for (at += 8; n; n--)
        at += 6 + read_u4(at + 2);
    return at;
}

/* -- writing one -- */

static unsigned char *put_u2(unsigned char *to, unsigned value)
{
    *to++ = (unsigned char)(value >> 8);
    *to++ = (unsigned char)value;
    return to;
}

static unsigned char *put(unsigned char *to, const void *bytes, size_t n)
{
    memcpy(to, bytes, n);
    return to + n;
}

/* The text of its name, `constant`, its name and type, and the method that it calls. */
static unsigned char *put_constants(unsigned char *to, unsigned constant, unsigned class,
                                    unsigned signature)
{
    *to++ = 1;
    to = put_u2(to, sizeof PREFIX NAME - 1);
    to = put(to, PREFIX NAME, sizeof PREFIX NAME - 1);
    *to++ = 12;
    to = put_u2(put_u2(to, constant), signature);
    *to++ = 10;
    return put_u2(put_u2(to, class), constant + 1);
}

/* The native by its new name, private and final, and the method that calls it. */
static unsigned char *put_methods(unsigned char *to, const unsigned char *native, unsigned constant,
                                  unsigned code)
{
    static const unsigned char head[] = {0, 0, 0, 19, 0, 4, 0, 4, 0, 0, 0, 7};
    static const unsigned char loads[] = {0x2a, 0x1b, 0x20, 0xb7}; /* this, int, long; invoke */
    static const unsigned char end[] = {0xb1, 0, 0, 0, 0};         /* return; no handlers */
    to = put_u2(put_u2(to, 0x112), constant);
    to = put(to, native + 4, 2);
    to = put_u2(to, 0);
    to = put_u2(to, read_u2(native) & ~0x100u);
    to = put(to, native + 2, 4);
    to = put_u2(put_u2(to, 1), code);
    /* the attribute's length: 12 and the code's */
    to = put(to, head, sizeof head);
    to = put_u2(put(to, loads, sizeof loads), constant + 2);
    return put(to, end, sizeof end);
}

static void JNICALL on_load(jvmtiEnv *env, JNIEnv *jni, jclass class, jobject loader,
                            const char *name, jobject domain, jint size, const unsigned char *data,
                            jint *ret_size, unsigned char **ret_data)
{
    unsigned char *to;
    if (!name || strcmp(name, CLASS) != 0 || (*env)->Allocate(env, size + MAX_MORE, ret_data))
        return;
    unsigned n = read_u2(data + 8), next = 1;
    unsigned code = find_text(data, n, "Code"), park = find_text(data, n, NAME);
    unsigned signature = find_text(data, n, "(ZJ)V");
    const unsigned char *head = data + 10;
    while (next < n)
        head = after_constant(head, &next);
    const unsigned char *at = head + 8 + 2 * read_u2(head + 6); /* fields */
    unsigned n_members = read_u2(at);
    for (at += 2; n_members; n_members--)
        at = after_member(at);
    to = put_u2(put(*ret_data, data, 8), n + 3);
    to = put(to, data + 10, (size_t)(head - data - 10));
    to = put_constants(to, n, read_u2(head + 2), signature);
    n_members = read_u2(at);
    to = put_u2(put(to, head, (size_t)(at - head)), n_members + 1);
    for (at += 2; n_members; n_members--) {
        const unsigned char *end = after_member(at);
        if (read_u2(at + 2) == park && read_u2(at + 4) == signature)
            to = put_methods(to, at, n, code);
        else
            to = put(to, at, (size_t)(end - at));
        at = end;
    }
    to = put(to, at, (size_t)(data + size - at));
    *ret_size = (jint)(to - *ret_data);
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jclass class = (*jni)->FindClass(jni, CLASS);
    jvmtiError error = (*env)->RetransformClasses(env, 1, &class);
    if (error)
        printf("not wrapped: %d\n", error);
    else
        printf("wrapped\n");
    fflush(stdout);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const jvmtiCapabilities wanted = {.can_retransform_classes = 1,
                                      .can_set_native_method_prefix = 1};
    const jvmtiEventCallbacks callbacks = {.VMInit = on_init, .ClassFileLoadHook = on_load};
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK};
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) ||
        (*jvmti)->AddCapabilities(jvmti, &wanted) ||
        (*jvmti)->SetNativeMethodPrefix(jvmti, PREFIX) ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks))
        return JNI_ERR;
    for (int i = 0; i < 2; i++)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
    return JNI_OK;
}

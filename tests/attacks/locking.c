/* A host that cares for its memory, or has little of it, as an agent beside the recorder. Options,
 * joined by commas: when it acts (`load`, `init`, `dump`: at SIGQUIT) and what it does then: `lock`
 * locks all memory there is and all that comes, `future` all that comes, `onfault` what is there
 * and comes as it is touched; before that, `limited` gives up the right to lock more than
 * limit=MIB; `space` lets the address space grow by limit=MIB and no more; `heap` has no room in
 * the heap as the recorder looks for what locks are owned by, once. Prints what failed, and `done`.
 */
#include <errno.h>
#include <jvmti.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static char options[256];

static int has(const char *word)
{
    size_t length = strlen(word);
    for (const char *at = options; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return 1;
    }
    return 0;
}

static void check(const char *what, int result)
{
    if (result)
        printf("%s: %s\n", what, strerror(errno));
}

static rlim_t mapped(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* That of this thread and of those that it starts. */
static void drop_right_to_lock(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    check("capget", (int)syscall(SYS_capget, &header, data));
    data[0].effective &= ~(1u << CAP_IPC_LOCK);
    data[0].permitted &= ~(1u << CAP_IPC_LOCK);
    check("capset", (int)syscall(SYS_capset, &header, data));
}

static void limit(int resource, const char *name, rlim_t bytes)
{
    struct rlimit both;
    getrlimit(resource, &both);
    if (both.rlim_max == RLIM_INFINITY || both.rlim_max > bytes)
        both.rlim_max = bytes;
    both.rlim_cur = both.rlim_max;
    check(name, setrlimit(resource, &both));
    printf("limit %lu\n", (unsigned long)(both.rlim_cur >> 20));
}

static jfieldID(JNICALL *find_field)(JNIEnv *env, jclass class, const char *name, const char *type);
static _Atomic int has_starved;

static jfieldID JNICALL find_no_field(JNIEnv *env, jclass class, const char *name, const char *type)
{
    if (strcmp(name, "exclusiveOwnerThread") != 0 || has_starved++)
        return find_field(env, class, name, type);
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/OutOfMemoryError"), "Java heap space");
    return NULL;
}

static void starve(jvmtiEnv *jvmti)
{
    jniNativeInterface *functions;
    if ((*jvmti)->GetJNIFunctionTable(jvmti, &functions))
        return;
    find_field = functions->GetFieldID;
    functions->GetFieldID = find_no_field;
    (*jvmti)->SetJNIFunctionTable(jvmti, functions);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)functions);
}

static void act(void)
{
    const char *at = strstr(options, "limit=");
    rlim_t bytes = (at ? (rlim_t)atoi(at + 6) : 0) << 20;
    if (has("limited")) {
        limit(RLIMIT_MEMLOCK, "setrlimit", bytes);
        drop_right_to_lock();
    }
    if (has("lock"))
        check("mlockall", mlockall(MCL_CURRENT | MCL_FUTURE));
    if (has("future"))
        check("mlockall", mlockall(MCL_FUTURE));
    if (has("onfault"))
        check("mlockall", mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT));
    if (has("space"))
        limit(RLIMIT_AS, "setrlimit", mapped() + bytes);
    printf("done\n");
    fflush(stdout);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    if (has("heap"))
        starve(jvmti);
    if (has("init"))
        act();
}

static void JNICALL on_data_dump(jvmtiEnv *jvmti)
{
    if (has("dump"))
        act();
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text,
                                                                           void *reserved)
{
    jvmtiEnv *jvmti;
    const jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init, .DataDumpRequest = on_data_dump};
    snprintf(options, sizeof options, "%s", text ? text : "");
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9) ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_DATA_DUMP_REQUEST,
                                           NULL))
        return JNI_ERR;
    if (has("load"))
        act();
    return JNI_OK;
}

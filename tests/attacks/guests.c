/* Natives of the workloads NativeThreads: threads that attach, enter a monitor, leave;
 * NativeFrames: two that call back; and Charges: objects made by JNI. */
#include <jni.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static JavaVM *vm;
static jobjectArray locks;
static _Atomic long long n_entered;
static _Atomic int is_over;

static void *come_and_go(void *context)
{
    unsigned step = (unsigned)(size_t)context;
    while (!atomic_load(&is_over)) {
        JNIEnv *env;
        if ((*vm)->AttachCurrentThread(vm, (void **)&env, NULL))
            return NULL;
        if (++step % 4 == 0) {
            jobject lock = (*env)->GetObjectArrayElement(
                env, locks, (jsize)(step / 4 % (unsigned)(*env)->GetArrayLength(env, locks)));
            if (lock && (*env)->MonitorEnter(env, lock) == 0) {
                atomic_fetch_add(&n_entered, 1);
                (*env)->MonitorExit(env, lock);
            }
        }
        (*vm)->DetachCurrentThread(vm);
    }
    return NULL;
}

JNIEXPORT jlong JNICALL Java_NativeThreads_comeAndGo(JNIEnv *, jclass, jobjectArray, jint, jlong);

JNIEXPORT jlong JNICALL Java_NativeThreads_comeAndGo(JNIEnv *env, jclass class, jobjectArray of,
                                                     jint threads, jlong millis)
{
    pthread_t natives[16];
    (*env)->GetJavaVM(env, &vm);
    locks = (*env)->NewGlobalRef(env, of);
    for (jint i = 0; i < threads && i < 16; i++)
        pthread_create(&natives[i], NULL, come_and_go, (void *)(size_t)i);
    nanosleep(&(struct timespec){millis / 1000, millis % 1000 * 1000000}, NULL);
    atomic_store(&is_over, 1);
    for (jint i = 0; i < threads && i < 16; i++)
        pthread_join(natives[i], NULL);
    (*env)->DeleteGlobalRef(env, locks);
    return atomic_load(&n_entered);
}

static void call_back(JNIEnv *env, jobject deed)
{
    jclass class = (*env)->GetObjectClass(env, deed);
    (*env)->CallVoidMethod(env, deed, (*env)->GetMethodID(env, class, "run", "()V"));
    (*env)->DeleteLocalRef(env, class);
}

JNIEXPORT void JNICALL Java_NativeFrames_00024Left_go(JNIEnv *, jobject, jobject);
JNIEXPORT void JNICALL Java_NativeFrames_00024Right_go(JNIEnv *, jobject, jobject);

JNIEXPORT void JNICALL Java_NativeFrames_00024Left_go(JNIEnv *env, jobject side, jobject deed)
{
    call_back(env, deed);
}

JNIEXPORT void JNICALL Java_NativeFrames_00024Right_go(JNIEnv *env, jobject side, jobject deed)
{
    call_back(env, deed);
}

JNIEXPORT void JNICALL Java_Charges_00024Natives_make(JNIEnv *, jclass, jclass, jclass, jint);

JNIEXPORT void JNICALL Java_Charges_00024Natives_make(JNIEnv *env, jclass natives, jclass made,
                                                      jclass raw, jint n)
{
    jmethodID constructor = (*env)->GetMethodID(env, made, "<init>", "()V");
    for (jint i = 0; i < n; i++) {
        jobject all[] = {(*env)->NewObject(env, made, constructor), (*env)->AllocObject(env, raw),
                         (*env)->NewObjectArray(env, 4, made, NULL), (*env)->NewFloatArray(env, 7)};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            (*env)->DeleteLocalRef(env, all[k]);
    }
}

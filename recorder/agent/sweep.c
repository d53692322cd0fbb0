#include "recorder/agent/sweep.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "recorder/agent/host.h"
#include "recorder/agent/identity.h"
#include "recorder/agent/native-thread.h"
#include "recorder/agent/seed.h"

#define STACK_BYTES (512u << 10) /* the JVM wants its guard zones in it */

static struct {
    pthread_t thread;
    bool runs;
    bool stop;
    _Atomic bool hurry, plant;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} sweep = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wake(_Atomic bool *wish)
{
    if (!sweep.runs || atomic_exchange(wish, true))
        return;
    pthread_mutex_lock(&sweep.lock);
    pthread_cond_signal(&sweep.wake);
    pthread_mutex_unlock(&sweep.lock);
}

void pm_sweep_hurry(void)
{
    wake(&sweep.hurry);
}

void pm_sweep_plant(void)
{
    wake(&sweep.plant);
}

static void *run(void *context)
{
    JNIEnv *env = NULL;
    if (pm_host_attach("Parkmeter sweep"))
        return NULL;
    (*pm_host.vm)->GetEnv(pm_host.vm, (void **)&env, JNI_VERSION_1_8);
    int64_t pause_ns = 1000000000;
    pthread_mutex_lock(&sweep.lock);
    while (!sweep.stop) {
        if (!atomic_load(&sweep.plant))
            pm_native_thread_wait(&sweep.wake, &sweep.lock, pm_clock_now() + pause_ns);
        if (sweep.stop)
            break;
        pthread_mutex_unlock(&sweep.lock);
        atomic_store(&sweep.hurry, false);
        if (atomic_exchange(&sweep.plant, false))
            pm_seed_plant(env);
        bool has_seeds = pm_seed_tend(env);
        bool soon = pm_identity_sweep(env);
        pause_ns = soon ? 20000000 : has_seeds ? 100000000 : 1000000000;
        pthread_mutex_lock(&sweep.lock);
    }
    pthread_mutex_unlock(&sweep.lock);
    pm_host_detach();
    return NULL;
}

int pm_sweep_start(void)
{
    pm_native_thread_condition_init(&sweep.wake);
    int error = pm_native_thread_start(&sweep.thread, "parkmeter-sweep", STACK_BYTES, run, NULL);
    sweep.runs = error == 0;
    return error;
}

void pm_sweep_stop(void)
{
    if (!sweep.runs)
        return;
    pthread_mutex_lock(&sweep.lock);
    sweep.stop = true;
    pthread_cond_signal(&sweep.wake);
    pthread_mutex_unlock(&sweep.lock);
    sweep.runs = false;
}

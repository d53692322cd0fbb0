/* recorder/agent/base/native-thread.h: what a thread costs its host. */
#include <glib.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/native-thread.h"
#include "tests/agent/memory.h"

#define N_THREADS 8

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int n_there;
    gboolean over;
} meeting = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *stand(void *context)
{
    char deep[64 << 10]; /* far down the stack, and up again */
    memset(deep, (int)(gintptr)context, sizeof deep);
    pthread_mutex_lock(&meeting.lock);
    meeting.n_there++;
    pthread_cond_broadcast(&meeting.changed);
    while (!meeting.over)
        pm_native_thread_wait(&meeting.changed, &meeting.lock, pm_clock_now() + 1000000000);
    meeting.n_there -= deep[1] == deep[sizeof deep - 1];
    pthread_mutex_unlock(&meeting.lock);
    return NULL;
}

/* Stacks of a host that locks what it maps: as much is resident as was touched, and what is mapped
 * is their size. All of it goes with them. */
static void test_stacks_are_not_locked(void)
{
    struct pm_native_thread threads[N_THREADS] = {0};
    if (!pm_memory_in_process_that_locks())
        return;
    pm_native_thread_condition_init(&meeting.changed);
    g_assert_cmpint(mlockall(MCL_CURRENT | MCL_FUTURE), ==, 0);
    long resident = pm_memory_kib("VmRSS"), locked = pm_memory_kib("VmLck");
    long mapped = pm_memory_kib("VmSize");
    for (gintptr i = 0; i < N_THREADS; i++)
        g_assert_cmpint(
            pm_native_thread_start(&threads[i], "stand", 2 << 20, stand, (void *)(i + 1)), ==, 0);
    pthread_mutex_lock(&meeting.lock);
    while (meeting.n_there < N_THREADS)
        pm_native_thread_wait(&meeting.changed, &meeting.lock, pm_clock_now() + 1000000000);
    g_assert_cmpint(pm_memory_kib("VmRSS") - resident, <=, N_THREADS * 200);
    g_assert_cmpint(pm_memory_kib("VmLck") - locked, <=, 512);
    g_assert_cmpint(pm_memory_kib("VmSize") - mapped, <=, N_THREADS * (2 << 10) + 1024);
    meeting.over = TRUE;
    pthread_cond_broadcast(&meeting.changed);
    pthread_mutex_unlock(&meeting.lock);
    for (int i = 0; i < N_THREADS; i++)
        pm_native_thread_join(&threads[i]);
    g_assert_cmpint(meeting.n_there, ==, 0);
    g_assert_cmpint(pm_memory_kib("VmSize") - mapped, <=, 1024);
}

static void *nothing(void *context)
{
    return NULL;
}

/* One that nobody joined may be running still: started again, it is another. */
static void test_started_again(void)
{
    struct pm_native_thread thread = {0};
    meeting.over = FALSE;
    pm_native_thread_condition_init(&meeting.changed);
    for (gintptr i = 0; i < 3; i++)
        g_assert_cmpint(pm_native_thread_start(&thread, "stand", 128 << 10, stand, NULL), ==, 0);
    pm_native_thread_detach(&thread);
    g_assert_cmpint(pm_native_thread_start(&thread, "nothing", 0, nothing, NULL), ==, 0);
    pm_native_thread_join(&thread);
    pthread_mutex_lock(&meeting.lock);
    while (meeting.n_there < 3)
        pm_native_thread_wait(&meeting.changed, &meeting.lock, pm_clock_now() + 1000000000);
    meeting.over = TRUE;
    pthread_cond_broadcast(&meeting.changed);
    pthread_mutex_unlock(&meeting.lock);
    for (int left = 3; left;) {
        pthread_mutex_lock(&meeting.lock);
        left = meeting.n_there;
        pthread_mutex_unlock(&meeting.lock);
        g_usleep(1000);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/native-thread/stacks-are-not-locked", test_stacks_are_not_locked);
    g_test_add_func("/agent/native-thread/started-again", test_started_again);
    return g_test_run();
}

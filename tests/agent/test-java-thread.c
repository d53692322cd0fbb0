/* recorder/agent/java-thread.h: addresses that belong to ever new threads. */
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "recorder/agent/java-thread.h"

#define N_ALIVE 500

static uintptr_t address_of(uint64_t n)
{
    return 0x7f0000000000u + (uintptr_t)n * 0x740;
}

static int64_t tid_of(uint64_t n)
{
    return (int64_t)n + 100;
}

/* Nobody came yet; and what was read as a thread's address may be any word. */
static void test_nobody(void)
{
    static const uintptr_t words[] = {0, 1, 64, 0x7f0000000000u, UINTPTR_MAX};
    for (int round = 0; round < 2; round++) {
        for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
            g_assert_cmpint(pm_java_thread_tid(words[i]), ==, 0);
            pm_java_thread_end(words[i]);
        }
        pm_java_thread_begin(address_of(999), 9);
        pm_java_thread_end(address_of(999));
    }
}

/* More addresses in all than there are places. */
static void test_weeks(void)
{
    for (uint64_t n = 0; n < 20 * PM_JAVA_THREADS; n++) {
        pm_java_thread_begin(address_of(n), tid_of(n));
        g_assert_cmpint(pm_java_thread_tid(address_of(n)), ==, tid_of(n));
        if (n >= N_ALIVE) {
            uint64_t oldest = n - N_ALIVE;
            g_assert_cmpint(pm_java_thread_tid(address_of(oldest)), ==, tid_of(oldest));
            pm_java_thread_end(address_of(oldest));
            g_assert_cmpint(pm_java_thread_tid(address_of(oldest)), ==, 0);
        }
    }
    /* The same memory, another thread. */
    pm_java_thread_begin(address_of(1), 7);
    g_assert_cmpint(pm_java_thread_tid(address_of(1)), ==, 7);
    pm_java_thread_end(address_of(1));
    g_assert_cmpint(pm_java_thread_tid(address_of(1)), ==, 0);
}

static _Atomic bool over;

static void *come_and_go(void *context)
{
    for (uint64_t n = 0; n < 300000; n++) {
        pm_java_thread_begin(address_of(n), tid_of(n));
        if (n > 3)
            pm_java_thread_end(address_of(n - 3));
    }
    atomic_store(&over, true);
    return NULL;
}

/* A place that changes hands while it is read. */
static void test_never_another(void)
{
    pthread_t thread;
    g_assert_cmpint(pthread_create(&thread, NULL, come_and_go, NULL), ==, 0);
    for (uint64_t n = 0; !atomic_load(&over); n = (n + 1) % 300000) {
        int64_t tid = pm_java_thread_tid(address_of(n));
        if (tid)
            g_assert_cmpint(tid, ==, tid_of(n));
    }
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/java-thread/nobody-is-no-thread", test_nobody);
    g_test_add_func("/agent/java-thread/ended-ones-make-room", test_weeks);
    g_test_add_func("/agent/java-thread/never-another-threads", test_never_another);
    return g_test_run();
}

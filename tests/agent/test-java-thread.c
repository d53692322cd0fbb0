/* recorder/agent/tables/java-thread.h: addresses and stacks that belong to ever new threads. */
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/tables/java-thread.h"

#define N_ALIVE 500

static uintptr_t address_of(uint64_t n)
{
    return 0x7f0000000000u + (uintptr_t)n * 0x740;
}

static int64_t tid_of(uint64_t n)
{
    return (int64_t)n + 100;
}

static void begin(uint64_t n, int64_t tid)
{
    uintptr_t low = 0x100000000u + (uintptr_t)n * 0x101000;
    const struct pm_java_thread thread = {address_of(n), tid, low, low + 0x100000, n % 2};
    pm_java_thread_begin(&thread);
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
        begin(999, 9);
        pm_java_thread_end(address_of(999));
    }
}

/* More addresses in all than there are places. */
static void test_weeks(void)
{
    for (uint64_t n = 0; n < 20 * PM_JAVA_THREADS; n++) {
        begin(n, tid_of(n));
        g_assert_cmpint(pm_java_thread_tid(address_of(n)), ==, tid_of(n));
        if (n >= N_ALIVE) {
            uint64_t oldest = n - N_ALIVE;
            g_assert_cmpint(pm_java_thread_tid(address_of(oldest)), ==, tid_of(oldest));
            pm_java_thread_end(address_of(oldest));
            g_assert_cmpint(pm_java_thread_tid(address_of(oldest)), ==, 0);
        }
    }
    /* The same memory, another thread. */
    begin(1, 7);
    g_assert_cmpint(pm_java_thread_tid(address_of(1)), ==, 7);
    pm_java_thread_end(address_of(1));
    g_assert_cmpint(pm_java_thread_tid(address_of(1)), ==, 0);
}

/* Stacks of every size, many beside one another: each address is the one thread's or nobody's. */
static void test_stacks(void)
{
    static const size_t sizes[] = {0x20000, 0x100000, 0x101000, 0x800000, 0x4000000};
    struct pm_java_thread threads[200];
    uintptr_t low = 0x200000000000u;
    for (uint64_t n = 0; n < G_N_ELEMENTS(threads); n++) {
        size_t size = sizes[n % G_N_ELEMENTS(sizes)];
        threads[n] = (struct pm_java_thread){address_of(n + 20000000), tid_of(n + 20000000), low,
                                             low + size, n % 4 == 0};
        low += size + (n % 3) * 0x1000;
        pm_java_thread_begin(&threads[n]);
    }
    for (int round = 0; round < 2; round++) {
        for (uint64_t n = 0; n < G_N_ELEMENTS(threads); n++) {
            const struct pm_java_thread *thread = &threads[n];
            int64_t tid = round == 1 && n % 2 ? 0 : thread->tid;
            for (uintptr_t at = thread->stack_low; at < thread->stack_high; at += 0x1f000)
                g_assert_cmpint(pm_java_thread_tid_of_stack(at), ==, tid);
            g_assert_cmpint(pm_java_thread_tid_of_stack(thread->stack_high - 1), ==, tid);
            g_assert_cmpint(pm_java_thread_tid(thread->address), ==, tid);
            g_assert_cmphex(pm_java_thread_address(thread->tid), ==, tid ? thread->address : 0);
        }
        for (uint64_t n = 1; round == 0 && n < G_N_ELEMENTS(threads); n += 2)
            pm_java_thread_end(threads[n].address);
    }
    g_assert_cmpint(pm_java_thread_tid_of_stack(0x1ff000000000u), ==, 0);
    g_assert_cmpint(pm_java_thread_tid_of_stack(low + 0x10000), ==, 0);
    size_t n_living = 0;
    struct pm_java_thread thread;
    for (size_t at = 0; pm_java_thread_visit(&at, &thread);) {
        n_living += thread.address >= address_of(20000000);
        g_assert_true(pm_java_thread_is_own(thread.address) == thread.is_own);
    }
    g_assert_cmpuint(n_living, ==, G_N_ELEMENTS(threads) / 2);
}

static _Atomic bool over;

static void *come_and_go(void *context)
{
    for (uint64_t n = 0; n < 300000; n++) {
        begin(n, tid_of(n));
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

struct ending {
    _Atomic bool done;
    int64_t used_ns; /* of the processor */
};

static void *end_one(void *context)
{
    struct ending *ending = context;
    pm_java_thread_end(address_of(5));
    ending->used_ns = pm_clock_processor();
    atomic_store(&ending->done, true);
    return NULL;
}

/* Those that read when a thread ends are waited for; however many come later are not. */
static void test_stream_of_readers(void)
{
    struct ending ending = {0};
    pthread_t thread;
    begin(5, tid_of(5));
    uint32_t hold = pm_java_thread_hold();
    g_assert_cmpint(pthread_create(&thread, NULL, end_one, &ending), ==, 0);
    g_usleep(50000);
    g_assert_false(atomic_load(&ending.done));
    for (int i = 0; i < 100 && !atomic_load(&ending.done); i++) {
        uint32_t next = pm_java_thread_hold();
        pm_java_thread_release(hold);
        hold = next;
        g_usleep(20000);
    }
    g_assert_true(atomic_load(&ending.done));
    pm_java_thread_release(hold);
    pthread_join(thread, NULL);
}

/* A reader may have lost its processor to the thread that ends. */
static void test_leaves_the_processor(void)
{
    struct ending ending = {0};
    pthread_t thread;
    begin(5, tid_of(5));
    const uint32_t hold = pm_java_thread_hold();
    g_assert_cmpint(pthread_create(&thread, NULL, end_one, &ending), ==, 0);
    g_usleep(200000);
    pm_java_thread_release(hold);
    pthread_join(thread, NULL);
    g_assert_cmpint(ending.used_ns, <, 60000000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_java_thread_init(), ==, 0);
    g_test_add_func("/agent/java-thread/nobody-is-no-thread", test_nobody);
    g_test_add_func("/agent/java-thread/ended-ones-make-room", test_weeks);
    g_test_add_func("/agent/java-thread/never-another-threads", test_never_another);
    g_test_add_func("/agent/java-thread/stacks-of-every-size", test_stacks);
    g_test_add_func("/agent/java-thread/ends-beside-a-stream-of-readers", test_stream_of_readers);
    g_test_add_func("/agent/java-thread/leaves-the-processor-to-readers",
                    test_leaves_the_processor);
    return g_test_run();
}

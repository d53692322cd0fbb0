/* recorder/agent/base/reservation.h: what is closed costs nothing, what is open is zeroed and
 * stays. */
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "recorder/agent/base/reservation.h"
#include "tests/agent/memory.h"
#include "tests/forbid.h"

#define LARGE ((size_t)256 << 20)

static void test_closed_costs_nothing(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_reservation reservation;
    long data = pm_memory_kib("VmData"), resident = pm_memory_kib("VmRSS");
    const uint64_t before = pm_reservation_memory();
    g_assert_cmpint(pm_reservation_init(&reservation, LARGE), ==, 0);
    g_assert_cmpint(pm_memory_kib("VmData") - data, <=, 16);
    g_assert_cmpint(pm_memory_kib("VmRSS") - resident, <=, 256);
    g_assert_cmpint(pm_memory_flagged_kib(reservation.base, LARGE, "rd"), ==, 0);
    g_assert_cmpint(pm_memory_flagged_kib(reservation.base, LARGE, "ac"), ==, 0);
    g_assert_cmpint(pm_memory_flagged_kib(reservation.base, LARGE, "dd"), ==, LARGE >> 10);

    /* Open is as much as is asked for, and a quarter more. */
    size_t open = 0;
    for (size_t bytes = 1; bytes <= 4 << 20; bytes += 777) {
        g_assert_true(pm_reservation_open(&reservation, bytes));
        if (reservation.open != open) {
            for (size_t i = open; i < reservation.open; i++)
                g_assert_cmpint(reservation.base[i], ==, 0);
            open = reservation.open;
            g_assert_cmpuint(open, <=, bytes + MAX(bytes / 4, 16 << 10) + 4096);
        }
        reservation.base[bytes - 1] = 1;
    }
    g_assert_cmpint(pm_memory_flagged_kib(reservation.base, LARGE, "ac"), ==, open >> 10);
    g_assert_cmpint(pm_memory_flagged_kib(reservation.base, LARGE, "wr"), ==, open >> 10);
    g_assert_cmpuint(pm_reservation_memory() - before, ==, open);

    g_assert_true(pm_reservation_open(&reservation, LARGE));
    reservation.base[LARGE - 1] = 1;
    g_assert_false(pm_reservation_open(&reservation, LARGE + 1));
    g_assert_cmpuint(pm_reservation_limit(&reservation), ==, LARGE);
    pm_reservation_clear(&reservation);
    pm_reservation_clear(&reservation);
}

static void test_refused_and_granted(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_reservation reservation;
    g_assert_cmpint(pm_reservation_init(&reservation, LARGE), ==, 0);
    g_assert_true(pm_reservation_open(&reservation, 1000));
    pm_memory_allow_more(128);
    g_assert_true(pm_reservation_open(&reservation, 64 << 10));
    g_assert_false(pm_reservation_open(&reservation, 1 << 20));
    g_assert_cmpuint(pm_reservation_limit(&reservation), <=, 256 << 10);
    g_assert_cmpuint(pm_reservation_limit(&reservation), >=, 64 << 10);
    g_assert_true(pm_reservation_open(&reservation, 64 << 10)); /* what it has stays */
    for (size_t i = 0; i < 64 << 10; i++)
        reservation.base[i] = 1;
    pm_memory_allow_all();
    g_assert_true(pm_reservation_open(&reservation, 1 << 20));
    g_assert_cmpuint(pm_reservation_limit(&reservation), ==, LARGE);
    pm_reservation_clear(&reservation);
}

/* The last of it: what was asked for, though not the quarter more. */
static void test_refused_all_but_what_is_needed(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_reservation reservation;
    g_assert_cmpint(pm_reservation_init(&reservation, LARGE), ==, 0);
    g_assert_true(pm_reservation_open(&reservation, 4 << 20));
    pm_memory_allow_more(256);
    g_assert_true(pm_reservation_open(&reservation, reservation.open + 1));
    pm_memory_allow_all();
    pm_reservation_clear(&reservation);
}

#define N_THREADS 4
#define N_CELLS   (1 << 20)

static struct {
    struct pm_reservation reservation;
    _Atomic uint32_t n;
} shared;

static void *take_cells(void *context)
{
    uint32_t n = atomic_load(&shared.n);
    while (n < N_CELLS) {
        g_assert_true(pm_reservation_open(&shared.reservation, (n + 1) * sizeof(uint32_t)));
        if (atomic_compare_exchange_weak(&shared.n, &n, n + 1))
            ((uint32_t *)(void *)shared.reservation.base)[n] += n + 1;
    }
    return NULL;
}

static void test_many_open_at_once(void)
{
    pthread_t threads[N_THREADS];
    g_assert_cmpint(pm_reservation_init(&shared.reservation, N_CELLS * sizeof(uint32_t)), ==, 0);
    for (int i = 0; i < N_THREADS; i++)
        g_assert_cmpint(pthread_create(&threads[i], NULL, take_cells, NULL), ==, 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t n = 0; n < N_CELLS; n++)
        g_assert_cmpuint(((uint32_t *)(void *)shared.reservation.base)[n], ==, n + 1);
    pm_reservation_clear(&shared.reservation);
}

/* All that was locked though it is closed counts no more; what is open stays as it is. */
static void test_closed_is_unlocked(void)
{
    struct pm_reservation reservations[3];
    if (!pm_memory_in_process_that_locks())
        return;
    for (int i = 0; i < 3; i++) {
        g_assert_cmpint(pm_reservation_init(&reservations[i], LARGE), ==, 0);
        g_assert_true(pm_reservation_open(&reservations[i], 1 << 20));
    }
    pm_reservation_clear(&reservations[1]);
    g_assert_cmpint(mlockall(MCL_CURRENT), ==, 0);
    long locked = pm_memory_kib("VmLck");
    pm_reservation_unlock_closed();
    g_assert_cmpint(locked - pm_memory_kib("VmLck"), >=, (2 * LARGE - (4 << 20)) >> 10);
    g_assert_cmpint(pm_memory_flagged_kib(reservations[0].base, LARGE, "lo"), >=, 1024);
    g_assert_true(pm_reservation_open(&reservations[0], 2 << 20));
    reservations[0].base[(2 << 20) - 1] = 1;
}

/* What a burst took comes back, though the host has locked it meanwhile. */
static void test_gives_back(void)
{
    struct pm_reservation reservation;
    if (!pm_memory_in_process_that_locks())
        return;
    g_assert_cmpint(pm_reservation_init(&reservation, LARGE), ==, 0);
    g_assert_true(pm_reservation_open(&reservation, 16 << 20));
    for (int locked = 0; locked < 2; locked++) {
        memset(reservation.base, 1, 16 << 20);
        if (locked)
            g_assert_cmpint(mlockall(MCL_CURRENT | MCL_FUTURE), ==, 0);
        long resident = pm_memory_kib("VmRSS");
        for (size_t at = 0; at < 8 << 20; at += 8192) /* every other page */
            g_assert_true(pm_reservation_give_back(&reservation, at, 4096));
        g_assert_cmpint(resident - pm_memory_kib("VmRSS"), >=, 4000);
        g_assert_cmpint(reservation.base[0], ==, 0);
        g_assert_cmpint(reservation.base[4096], ==, 1);
    }
}

/* A host that may lock little more than what it has locked, and locks what comes: a new mapping of
 * this size would fail. */
static void test_host_that_may_lock_little(void)
{
    struct pm_reservation reservation;
    const struct rlimit little = {8 << 20, 8 << 20};
    if (geteuid() != 0) {
        g_test_skip("only root can give up the right to lock");
        return;
    }
    if (!pm_memory_in_process_that_locks())
        return;
    g_assert_cmpint(setrlimit(RLIMIT_MEMLOCK, &little), ==, 0);
    g_assert_cmpint(setuid(65534), ==, 0);
    g_assert_cmpint(mlockall(MCL_FUTURE), ==, 0);
    g_assert_true(mmap(NULL, LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    g_assert_true(pm_reservation_fit(LARGE));
    g_assert_cmpint(pm_reservation_init(&reservation, LARGE), ==, 0);
    g_assert_true(pm_reservation_open(&reservation, 16 << 20));
    reservation.base[(16 << 20) - 1] = 1;
    g_assert_cmpint(pm_memory_kib("VmLck"), <=, 1024);

    /* Hardly anything is left: that is for the host. */
    g_assert_true(mmap(NULL, 6 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    g_assert_false(pm_reservation_fit(LARGE));
}

static void limit_space(size_t more)
{
    struct rlimit limit;
    g_assert_cmpint(getrlimit(RLIMIT_AS, &limit), ==, 0);
    limit.rlim_cur = ((rlim_t)pm_memory_kib("VmSize") << 10) + more;
    g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
}

/* Little address space: smaller reservations, or none. */
static void test_host_of_little_space(void)
{
    struct pm_reservation reservation, small;
    if (!pm_memory_in_process_of_its_own())
        return;
    limit_space((size_t)8 << 30);
    g_assert_true(pm_reservation_fit(LARGE));
    g_assert_cmpint(pm_reservation_init(&reservation, LARGE), ==, 0);
    g_assert_cmpuint(reservation.size, ==, LARGE);
    pm_reservation_clear(&reservation);

    limit_space(LARGE + ((size_t)512 << 20));
    g_assert_true(pm_reservation_fit(LARGE));
    g_assert_cmpint(pm_reservation_init(&reservation, LARGE), ==, 0);
    g_assert_cmpuint(reservation.size, <=, LARGE / 4);
    g_assert_cmpuint(reservation.size, >=, LARGE / 16);
    g_assert_cmpuint(pm_reservation_limit(&reservation), ==, reservation.size);
    g_assert_true(pm_reservation_open(&reservation, reservation.size));
    g_assert_false(pm_reservation_open(&reservation, reservation.size + 1));
    g_assert_cmpint(pm_reservation_init(&small, 64 << 10), ==, 0);
    g_assert_cmpuint(small.size, ==, 64 << 10);
    pm_reservation_clear(&reservation);
    pm_reservation_clear(&small);

    limit_space((size_t)512 << 20);
    g_assert_false(pm_reservation_fit(LARGE));
    g_assert_cmpint(pm_memory_kib("VmSize"), <=, 512 << 10); /* and nothing was kept */
    limit_space(LARGE / 2);
    g_assert_cmpint(pm_reservation_init(&reservation, 64 * LARGE), <, 0);
    pm_reservation_clear(&reservation);
}

/* A container whose filter of system calls does not know mremap. */
static void test_host_that_refuses_to_grow(void)
{
    static const unsigned errors[] = {EPERM, ENOSYS, EACCES};
    struct pm_reservation reservation;
    if (!pm_memory_in_process_of_its_own())
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        if (!pm_forbid_call(__NR_mremap, errors[i])) {
            g_test_skip("seccomp is not to be had here");
            return;
        }
        g_assert_true(pm_reservation_fit(LARGE));
        g_assert_cmpint(pm_reservation_init(&reservation, LARGE), ==, 0);
        g_assert_true(pm_reservation_open(&reservation, 64 << 10));
        reservation.base[(64 << 10) - 1] = 1;
        g_assert_cmpint(pm_memory_flagged_kib(reservation.base, LARGE, "wr"), <, LARGE >> 12);
        pm_reservation_clear(&reservation);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/reservation/closed-costs-nothing", test_closed_costs_nothing);
    g_test_add_func("/agent/reservation/refused-and-granted", test_refused_and_granted);
    g_test_add_func("/agent/reservation/refused-all-but-what-is-needed",
                    test_refused_all_but_what_is_needed);
    g_test_add_func("/agent/reservation/many-open-at-once", test_many_open_at_once);
    g_test_add_func("/agent/reservation/closed-is-unlocked", test_closed_is_unlocked);
    g_test_add_func("/agent/reservation/gives-back", test_gives_back);
    g_test_add_func("/agent/reservation/host-that-may-lock-little", test_host_that_may_lock_little);
    g_test_add_func("/agent/reservation/host-of-little-space", test_host_of_little_space);
    g_test_add_func("/agent/reservation/host-that-refuses-to-grow", test_host_that_refuses_to_grow);
    return g_test_run();
}

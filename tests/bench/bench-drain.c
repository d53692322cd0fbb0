/* bench-drain PATTERN WAITS FILE: what the drain costs a wait, without a JVM. Waits of a pattern
 * are left in slots as the hooks leave them, by a clock of its own, and the journal ticks and
 * flushes as often as the drain would. Prints the CPU time a wait as JSON; to the instruction,
 * which no other load disturbs: `valgrind --tool=callgrind --toggle-collect=drain …`. */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/drain/journal.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/slot.h"
#include "recorder/agent/waits/vthread-slot.h"

#define MAX_THREADS 64
#define N_RING      10000
#define FIRST_TID   1000

/* -- the clock -- */

static int64_t now_ns = 1000000000000;
static guint32 noise = 1;

static void pass(int64_t at_least_ns, guint32 at_most_more_ns)
{
    noise = noise * 1664525 + 1013904223;
    now_ns += at_least_ns + (at_most_more_ns ? (noise >> 8) % at_most_more_ns : 0);
}

/* Instead of libc's, for the agent too. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
        return (int)syscall(SYS_clock_gettime, clock, ret);
    pass(20, 5);
    *ret = (struct timespec){now_ns / 1000000000, now_ns % 1000000000};
    return 0;
}

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* -- patterns -- */

static struct {
    pm_thread_id thread;
    int64_t tid;
    struct pm_slot *slot;
} players[MAX_THREADS];

static pm_chain_id waits_at, wakes_at;
static pm_blocker_id blockers[8];

static pm_chain_id wakers_chain(void *context, uint8_t *ret_cause)
{
    *ret_cause = pm_chain_cause(wakes_at);
    return wakes_at;
}

static void begin(int player, enum pm_kind kind, int blocker, pm_thread_id owner)
{
    struct pm_raw_wait wait = {.kind = (uint8_t)kind,
                               .blocker = blockers[blocker],
                               .chain = waits_at,
                               .owner = owner,
                               .aqs_state = owner.n != 0};
    pm_slot_enter(players[player].slot);
    pm_slot_begin(players[player].slot, &wait);
}

static void wake(int player, int by)
{
    pm_slot_wake(players[player].slot, players[player].tid, players[by].thread, wakers_chain, NULL);
}

static void end(int player, enum pm_kind kind, int by, int64_t wake_ns)
{
    if (kind == PM_KIND_PARK)
        pm_slot_end(players[player].slot, PM_WAKE_UNKNOWN, 0);
    else if (pm_slot_leave(players[player].slot))
        pm_slot_end_woken(players[player].slot, &(struct pm_raw_wait){.wake_cause = PM_WAKE_NOTIFY,
                                                                      .waker = players[by].thread,
                                                                      .waker_chain = wakes_at,
                                                                      .wake_ns = wake_ns});
}

/* Two threads that wake each other in turn: `step` wakes the other, and waits. */
static void hand_off(int step, enum pm_kind kind)
{
    int me = step % 2, other = 1 - me;
    int64_t wake_ns = pm_clock_now();
    if (kind == PM_KIND_PARK)
        wake(other, me);
    pass(300, 50);
    begin(me, kind, 0, (pm_thread_id){0});
    pass(1500, 400);
    if (step > 0)
        end(other, kind, me, wake_ns);
    pass(100, 20);
}

/* Threads in turn at a fair lock, most of them waiting all the time. */
static void queue(int step, int n)
{
    int me = step % n, next = (step + 1) % n;
    if (step >= n) {
        end(me, PM_KIND_PARK, 0, 0);
        pass(5000, 3000);
    }
    if (step >= n - 1)
        wake(next, me);
    pass(200, 50);
    begin(me, PM_KIND_PARK, step / 64 % 4, players[next].thread);
    pass(1500, 400);
}

static bool is_parked(void *context)
{
    return false;
}

/* Virtual threads on one carrier, each woken by the one before it. */
static void ring(int step)
{
    static struct pm_vthread_slot *waits[N_RING];
    int me = step % N_RING, next = (step + 1) % N_RING;
    struct pm_raw_wait wait = {.kind = PM_KIND_PARK,
                               .flags = PM_WAIT_VIRTUAL,
                               .blocker = blockers[0],
                               .chain = waits_at,
                               .thread = pm_thread_virtual(FIRST_TID + me, false)};
    if (waits[me])
        pm_vthread_slot_end(waits[me], players[0].slot, &(struct pm_raw_wait){0});
    if (waits[next])
        pm_vthread_slot_wake(FIRST_TID + next, wait.thread, wakers_chain, is_parked, NULL);
    waits[me] = pm_vthread_slot_open(FIRST_TID + me);
    pm_vthread_slot_enter(waits[me], players[0].slot);
    pm_vthread_slot_begin(waits[me], players[0].slot, &wait);
    pass(900, 200);
}

static void play(const char *pattern, int step)
{
    if (strcmp(pattern, "ring") == 0) {
        ring(step);
        return;
    }
    if (strcmp(pattern, "park") == 0)
        hand_off(step, PM_KIND_PARK);
    else if (strcmp(pattern, "notify") == 0)
        hand_off(step, PM_KIND_WAIT);
    else
        queue(step, 8);
}

static int64_t cpu_of_drain_ns;

/* Of this name for callgrind. */
void drain(struct pm_journal *journal);

__attribute__((noinline)) void drain(struct pm_journal *journal)
{
    int64_t before_ns = cpu_ns();
    pm_journal_tick(journal);
    if (pm_journal_is_flush_due(journal))
        pm_journal_flush(journal);
    cpu_of_drain_ns += cpu_ns() - before_ns;
}

/* -- */

static bool is_in_a_hurry;

static void hurry(void)
{
    is_in_a_hurry = true;
}

static void prepare(void)
{
    if (pm_tables_init() || pm_slot_pool_init(NULL) || pm_vthread_slot_init(0))
        exit(1);
    pm_class_id class_id = pm_class_add("shop.Orders");
    struct pm_frame frames[9];
    for (int i = 0; i < 9; i++)
        frames[i] = (struct pm_frame){pm_method_add(class_id, "descend", "Orders.java"), i + 1};
    waits_at = pm_chain_add(&(struct pm_chain){.frames = frames, .n_frames = 9});
    frames[0].line = 99;
    wakes_at = pm_chain_add(&(struct pm_chain){.frames = frames, .n_frames = 9});
    for (int i = 0; i < 8; i++) {
        struct pm_blocker row = {.class_id = class_id, .hash = (uint32_t)i + 1};
        blockers[i] = pm_blocker_add(&row);
    }
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "player-%d", i);
        players[i].tid = 100 + i;
        players[i].thread = pm_thread_add(players[i].tid, name, false, false, now_ns);
        players[i].slot = pm_slot_claim(players[i].thread, players[i].tid);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s park|notify|queue|ring WAITS FILE\n", argv[0]);
        return 2;
    }
    prepare();
    struct pm_error_info info = {0};
    struct pm_options options;
    struct pm_journal *journal;
    static struct pm_ring spans;
    struct pm_facts facts = {.pid = 1, .begin_ns = pm_clock_now()};
    pm_options_default(&options);
    g_strlcpy(options.file, argv[3], sizeof options.file);
    pm_ring_init(&spans);
    if (pm_journal_open(&options, &facts, &spans, hurry, NULL, &journal, &info)) {
        fprintf(stderr, "%s\n", info.text);
        return 1;
    }
    int n = atoi(argv[2]), n_ticks = 0;
    for (int step = 0; step < n; step++) {
        play(argv[1], step);
        if (is_in_a_hurry || now_ns >= pm_journal_next_ns(journal)) {
            is_in_a_hurry = false;
            drain(journal);
            n_ticks++;
        }
    }
    printf("{\"waits\": %d, \"ticks\": %d, \"ns_per_wait\": %.1f}\n", n, n_ticks,
           (double)cpu_of_drain_ns / n);
    pm_journal_close(journal);
    pm_journal_free(journal);
    return 0;
}

#include "viewer/analysis/whatif/whatif.h"

#include <math.h>
#include <time.h>

#include "tests/analysis/made.h"
#include "tests/analysis/see.h"
#include "viewer/analysis/aggregation/diff.h"

#define MS G_GINT64_CONSTANT(1000000)

/* Really plays threads that go round: think, take the lock first come first served, hold it. What
 * the recorder would see of it is the recording. */
static PmRecording *play(guint n_threads, gint64 think, gint64 hold, guint rounds, gint64 *ret_end)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x77, m.lock_chain);
    g_autofree guint32 *threads = g_new(guint32, n_threads);
    g_autofree gint64 *asks = g_new(gint64, n_threads);
    g_autofree guint *done = g_new0(guint, n_threads);
    for (guint i = 0; i < n_threads; i++) {
        threads[i] = pm_made_thread(&m, "w-%u", i);
        asks[i] = (gint64)i * 1000;
    }
    gint64 is_free = 0, end = 0;
    guint32 owner = 0;
    g_autofree gint64 *taken = g_new(gint64, n_threads * rounds + 1); /* round after round */
    g_autofree guint32 *takers = g_new(guint32, n_threads * rounds + 1);
    guint n_taken = 0;
    for (;;) {
        guint next = n_threads;
        for (guint i = 0; i < n_threads; i++)
            if (done[i] < rounds && (next == n_threads || asks[i] < asks[next]))
                next = i;
        if (next == n_threads)
            break;
        gint64 got = MAX(asks[next], is_free);
        if (asks[next] < is_free) {
            guint at = n_taken - 1; /* who held it as the thread asked */
            while (at > 0 && taken[at] > asks[next])
                at--;
            PM_MADE_WAIT(m.assembly, asks[next], got, threads[next], lock, m.lock_chain,
                         .wake = got, .owner = takers[at], .waker = owner,
                         .waker_chain = m.lock_chain, .wake_cause = PM_WAKE_RELEASE);
        }
        is_free = got + hold;
        owner = threads[next];
        taken[n_taken] = got;
        takers[n_taken++] = owner;
        asks[next] = is_free + think;
        done[next]++;
        end = MAX(end, is_free);
    }
    m.assembly->duration = end;
    *ret_end = end;
    return pm_assembly_finish(m.assembly);
}

static void predict(PmRecording *r, double factor, PmWhatIf *what)
{
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_assert_true(pm_whatif_compute(v, pm_recording_contention(r, NULL), 1, &factor, 1, what));
}

static void prediction_is_what_happens(void)
{
    static const struct {
        guint threads;
        gint64 think, hold;
    } cases[] = {
        {8, 20 * MS, 10 * MS}, {16, 5 * MS, 10 * MS}, {4, 22 * MS, 10 * MS}, {32, 0, 2 * MS}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        gint64 end_now = 0, end_then = 0;
        g_autoptr(PmRecording) now =
            play(cases[i].threads, cases[i].think, cases[i].hold, 60, &end_now);
        g_autoptr(PmRecording) then =
            play(cases[i].threads, cases[i].think, cases[i].hold / 2, 60, &end_then);
        gint64 waiting_then = 0;
        for (gsize k = 0; k < then->waits.n; k++)
            waiting_then += pm_wait_end(&then->waits, k) - pm_wait_begin(&then->waits, k);
        PmWhatIf what;
        predict(now, 0.5, &what);
        double truth = (double)end_now / (double)end_then;
        g_test_message("speed-up %.3f, really %.3f; waiting %.3f s, really %.3f s; model %.3f",
                       what.speed_up, truth, (double)what.waiting_then / 1e9,
                       (double)waiting_then / 1e9, what.model_quality);
        g_assert_cmpfloat(fabs(what.speed_up / truth - 1), <, 0.05);
        g_assert_cmpfloat(fabs((double)(what.waiting_then - waiting_then)), <,
                          0.06 * (double)what.waiting);
        g_assert_cmpint(ABS(what.hold - cases[i].hold), <=, cases[i].hold / 100);
        g_assert_cmpfloat(fabs(what.model_quality - 1), <, 0.05);
        g_assert_false(what.is_once);
    }
}

static void the_same_hold_changes_nothing(void)
{
    gint64 end = 0;
    g_autoptr(PmRecording) r = play(8, 20 * MS, 10 * MS, 40, &end);
    PmWhatIf what;
    predict(r, 1, &what);
    g_assert_cmpint(what.waiting_then, ==, what.waiting);
    g_assert_cmpfloat(what.speed_up, ==, 1);
    predict(r, 0, &what);
    g_assert_cmpint(what.waiting_then, <, what.waiting / 50);
}

/* Each request has a thread of its own, which takes the lock once, for 20 ms: whatever that takes,
 * the next one comes when it comes. */
static void threads_that_come_once_are_not_faster(void)
{
    PmMade m = pm_made_begin();
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 owner = pm_made_thread(&m, "request-0");
    m.assembly->duration = 1000 * MS;
    for (guint i = 1; i <= 40; i++) {
        const guint32 thread = pm_made_thread(&m, "request-%u", i);
        pm_made_held_wait(&m, thread, lock, m.lock_chain, owner, i * 18 * MS, i * 20 * MS, 0);
        owner = thread;
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    PmWhatIf what;
    predict(r, 0.5, &what);
    g_assert_true(what.is_once);
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
    guint n_told = 0;
    for (guint i = 0; i < findings->n; i++)
        for (guint k = 0; k < findings->findings[i].n_evidence; k++) {
            const char *text = findings->findings[i].evidence[k].text;
            g_assert_null(strstr(text, "times as fast"));
            n_told += strstr(text, ", if as many threads come as now (model)") != NULL;
        }
    g_assert_cmpuint(n_told, ==, 2);
}

/* -- many worlds, played by brute force -- */

#define MOST_THREADS 24
#define MOST_LOCKS   3
#define REPARKS      (5 * 1000)

/* Threads that go round: think, choose a lock, ask for it, hold it. */
typedef struct {
    guint n_threads, n_locks;
    guint n_readers; /* the first of the threads; they share the first lock */
    gint64 think;
    gint64 hold[MOST_LOCKS];
    double chance[MOST_LOCKS]; /* to be chosen; they add up to 1 */
    gint64 handoff;            /* from the release to the resume of who was woken */
    gboolean fair, random;     /* random: exponential times, else all alike */
} World;

typedef struct {
    gint64 at; /* when it has thought, or releases; G_MAXINT64: it waits */
    gint64 parked;
    guint lock, holds; /* lock + 1 */
    guint32 owner;     /* as it parked */
    gint32 state;      /* the same: AQS's */
} Player;

typedef struct {
    guint owner; /* player + 1 */
    guint n_sharing;
    GQueue queue;
    gint64 woken, resumes; /* the first of the queue; 0 = nobody was woken */
    guint waker;
    guint8 cause;
    guint64 taken;
} Prize;

static gboolean shares(const World *world, guint who, guint lock)
{
    return lock == 0 && who < world->n_readers;
}

static guint first_of(const Prize *prize)
{
    return GPOINTER_TO_UINT(g_queue_peek_head((GQueue *)&prize->queue));
}

static gboolean is_free_for(const World *world, const Prize *prize, guint who, guint lock)
{
    return prize->owner == 0 && (prize->n_sharing == 0 || shares(world, who, lock));
}

/* Who asks goes before those that wait, as ReentrantLock and ReentrantReadWriteLock have it. */
static gboolean goes_first(const World *world, const Prize *prize, guint who, guint lock)
{
    if (g_queue_is_empty((GQueue *)&prize->queue))
        return TRUE;
    return !world->fair && (!shares(world, who, lock) || shares(world, first_of(prize), lock));
}

static void wake_first(const World *world, Prize *prize, guint waker, guint8 cause, gint64 now)
{
    if (g_queue_is_empty(&prize->queue) || prize->woken != 0)
        return;
    prize->woken = now;
    prize->resumes = now + world->handoff;
    prize->waker = waker + 1;
    prize->cause = cause;
}

static gint32 state_of(const Prize *prize)
{
    return (gint32)(prize->n_sharing << 16 | (prize->owner != 0));
}

static gint64 length_of(const World *world, GRand *rand, gint64 mean)
{
    return world->random ? (gint64)(-log(1 - g_rand_double(rand)) * (double)mean) : mean;
}

static guint choose(const World *world, GRand *rand)
{
    double dice = g_rand_double(rand);
    guint lock = 0;
    while (lock + 1 < world->n_locks && dice >= world->chance[lock])
        dice -= world->chance[lock++];
    return lock;
}

static void take(const World *world, GRand *rand, Prize *prize, Player *player, guint who,
                 gint64 now, gint64 counted_from)
{
    if (shares(world, who, player->lock))
        prize->n_sharing++;
    else
        prize->owner = who + 1;
    prize->taken += now >= counted_from;
    player->holds = player->lock + 1;
    player->at = now + length_of(world, rand, world->hold[player->lock]);
}

/* Plays until `duration`. Returns the acquisitions in a second of the first lock from
 * `counted_from` on; what a recorder sees goes to `made` if there is one. */
static double play_world(const World *world, guint32 seed, gint64 duration, gint64 counted_from,
                         PmMade *made)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    Player players[MOST_THREADS] = {0};
    Prize prizes[MOST_LOCKS] = {0};
    guint32 threads[MOST_THREADS + 1] = {0}, blockers[MOST_LOCKS] = {0};
    for (guint i = 0; made && i < world->n_threads; i++)
        threads[i + 1] = pm_made_thread(made, "w-%u", i);
    guint32 reader_chain = 0;
    for (guint i = 0; made && i < world->n_locks; i++) {
        g_autofree char *name =
            g_strdup_printf("java.util.concurrent.locks.%s$%sSync",
                            i == 0 && world->n_readers ? "ReentrantReadWriteLock" : "ReentrantLock",
                            world->fair ? "Fair" : "Nonfair");
        blockers[i] = pm_made_blocker(made, pm_assembly_add_class(made->assembly, name), i + 1,
                                      made->lock_chain);
    }
    if (made) {
        PmFrame frame = {
            pm_made_method(made->assembly,
                           "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock", "lock",
                           "ReentrantReadWriteLock.java"),
            738};
        reader_chain = pm_assembly_add_chain(made->assembly, &frame, 1, FALSE);
    }
    for (guint i = 0; i < world->n_threads; i++)
        players[i].at = length_of(world, rand, world->think) + i;

    for (;;) {
        guint who = 0, freed = G_MAXUINT;
        gint64 now = G_MAXINT64;
        for (guint i = 0; i < world->n_threads; i++)
            if (players[i].at < now)
                now = players[who = i].at;
        for (guint i = 0; i < world->n_locks; i++)
            if (prizes[i].woken != 0 && prizes[i].resumes <= now)
                now = prizes[freed = i].resumes;
        if (now >= duration)
            break;
        if (freed != G_MAXUINT) {
            Prize *prize = &prizes[freed];
            who = first_of(prize);
            Player *player = &players[who];
            PmWaitRow row = {.begin = player->parked,
                             .end = now,
                             .wake = prize->woken,
                             .thread = threads[who + 1],
                             .blocker = blockers[freed],
                             .owner = player->owner,
                             .waker = threads[prize->waker],
                             .aqs_state = player->state,
                             .wake_cause = prize->cause};
            if (made) {
                row.chain = shares(world, who, freed) ? reader_chain : made->lock_chain;
                row.waker_chain =
                    shares(world, prize->waker - 1, freed) ? reader_chain : made->lock_chain;
                pm_assembly_add_wait(made->assembly, &row);
            }
            prize->woken = 0;
            if (is_free_for(world, prize, who, freed)) {
                g_queue_pop_head(&prize->queue);
                take(world, rand, prize, player, who, now, counted_from);
                if (shares(world, who, freed) && !g_queue_is_empty(&prize->queue) &&
                    shares(world, first_of(prize), freed))
                    wake_first(world, prize, who, PM_WAKE_PROPAGATION, now);
            } else {
                player->parked = now + REPARKS;
                player->owner = threads[prize->owner];
                player->state = state_of(prize);
            }
            continue;
        }
        Player *player = &players[who];
        if (player->holds > 0) {
            Prize *prize = &prizes[player->holds - 1];
            if (shares(world, who, player->holds - 1))
                prize->n_sharing--;
            else
                prize->owner = 0;
            player->holds = 0;
            if (prize->n_sharing == 0)
                wake_first(world, prize, who, PM_WAKE_RELEASE, now);
            player->at = now + length_of(world, rand, world->think);
            continue;
        }
        player->lock = choose(world, rand);
        Prize *prize = &prizes[player->lock];
        if (is_free_for(world, prize, who, player->lock) &&
            goes_first(world, prize, who, player->lock)) {
            take(world, rand, prize, player, who, now, counted_from);
            continue;
        }
        player->parked = now;
        player->owner = threads[prize->owner];
        player->state = state_of(prize);
        player->at = G_MAXINT64;
        g_queue_push_tail(&prize->queue, GUINT_TO_POINTER(who));
    }
    for (guint i = 0; i < world->n_locks; i++) {
        for (GList *link = prizes[i].queue.head; link; link = link->next) {
            guint who = GPOINTER_TO_UINT(link->data);
            PmWaitRow row = {.begin = players[who].parked,
                             .end = duration,
                             .thread = threads[who + 1],
                             .blocker = blockers[i],
                             .owner = players[who].owner,
                             .flags = PM_WAIT_IN_PROGRESS};
            if (made && row.begin < duration) {
                row.chain = shares(world, who, i) ? reader_chain : made->lock_chain;
                pm_assembly_add_wait(made->assembly, &row);
            }
        }
        g_queue_clear(&prizes[i].queue);
    }
    if (made)
        made->assembly->duration = duration;
    return (double)prizes[0].taken / (double)(duration - counted_from) * 1e9;
}

static World world_of(guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    World world = {.n_threads = (guint)g_rand_int_range(rand, 3, MOST_THREADS + 1),
                   .n_locks = (guint)g_rand_int_range(rand, 1, MOST_LOCKS + 1),
                   .think = g_rand_int_range(rand, 0, 40) * MS,
                   .handoff = g_rand_int_range(rand, 20, 400) * 1000,
                   .fair = g_rand_boolean(rand),
                   .random = g_rand_boolean(rand)};
    double left = 1;
    for (guint i = 0; i < world.n_locks; i++) {
        world.hold[i] = g_rand_int_range(rand, 2, 20) * MS;
        world.chance[i] = i + 1 < world.n_locks ? left * g_rand_double_range(rand, .3, .7) : left;
        left -= world.chance[i];
    }
    return world;
}

/* What is predicted ÷ what happens when the first lock's holds are `factor` times as long; 0 when
 * too little was seen of it. */
static double predicted_to_real(const World *world, guint32 seed, double factor)
{
    PmMade m = pm_made_begin();
    play_world(world, seed, 30000 * MS, 0, &m);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    PmWhatIf what;
    if (!pm_whatif_compute(v, pm_recording_contention(r, NULL), 1, &factor, 1, &what))
        return 0;

    World shorter = *world;
    shorter.hold[0] = (gint64)((double)world->hold[0] * factor);
    double now = play_world(world, seed + 1000, 200000 * MS, 10000 * MS, NULL);
    double then = play_world(&shorter, seed + 1000, 200000 * MS, 10000 * MS, NULL);
    g_test_message("%s %s: %u threads (%u readers), %u locks, think %" G_GINT64_FORMAT
                   " ms, hold %" G_GINT64_FORMAT
                   " ms x %.2f, used %.2f: %.3f, really %.3f; model %.2f, %u + %u rounds",
                   world->fair ? "fair" : "barging", world->random ? "random" : "regular",
                   world->n_threads, world->n_readers, world->n_locks, world->think / MS,
                   world->hold[0] / MS, factor, now * (double)world->hold[0] / 1e9, what.speed_up,
                   then / now, what.model_quality, what.n_holds, what.n_unseen);
    return what.speed_up / (then / now);
}

/* One lock, of any use: fair or not, regular or random, from seldom to always held. */
static void one_lock_is_predicted(void)
{
    static const double factors[] = {0.25, 0.5, 2};
    guint n = 0;
    for (guint32 seed = 1; seed <= 24; seed++) {
        World world = world_of(seed);
        world.n_locks = 1;
        world.chance[0] = 1;
        for (guint i = 0; i < G_N_ELEMENTS(factors); i++) {
            double ratio = predicted_to_real(&world, seed, factors[i]);
            if (ratio == 0)
                continue;
            g_assert_cmpfloat(ratio, >, 0.92);
            g_assert_cmpfloat(ratio, <, 1.08);
            n++;
        }
    }
    g_assert_cmpuint(n, >, 40);
}

/* Several locks: when the first is held for less the others are asked for more often, and one of
 * them may become the bottleneck; of their use only the contended part was seen. */
static void other_locks_are_in_the_way(void)
{
    double sum = 0;
    guint n = 0;
    for (guint32 seed = 1; seed <= 40; seed++) {
        World world = world_of(seed);
        if (world.n_locks == 1)
            continue;
        double ratio = predicted_to_real(&world, seed, 0.5);
        if (ratio == 0)
            continue;
        g_assert_cmpfloat(ratio, >, 0.9);
        g_assert_cmpfloat(ratio, <, 1.16);
        sum += fabs(ratio - 1);
        n++;
    }
    g_test_message("off by %.3f on average", sum / n);
    g_assert_cmpuint(n, >, 15);
    g_assert_cmpfloat(sum / n, <, 0.03);
}

/* Readers share the lock, writers do not. */
static void readers_share(void)
{
    double sum = 0;
    guint n = 0;
    for (guint32 seed = 1; seed <= 40; seed++) {
        World world = world_of(seed);
        world.n_locks = 1;
        world.chance[0] = 1;
        world.n_readers = 1 + seed % (world.n_threads - 1);
        double ratio = predicted_to_real(&world, seed, 0.5);
        if (ratio == 0)
            continue;
        g_assert_cmpfloat(ratio, >, 0.8);
        g_assert_cmpfloat(ratio, <, 1.25);
        sum += fabs(ratio - 1);
        n++;
    }
    g_test_message("off by %.3f on average", sum / n);
    g_assert_cmpuint(n, >, 25);
    g_assert_cmpfloat(sum / n, <, 0.04);
}

static void without_holds_nothing_is_predicted(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    pm_made_wait(&m, pm_made_thread(&m, "a"), lock, m.lock_chain, 0, MS, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    const double half = 0.5;
    PmWhatIf what;
    g_assert_false(pm_whatif_compute(v, pm_recording_contention(r, NULL), lock, &half, 1, &what));
    g_assert_false(pm_whatif_compute(v, pm_recording_contention(r, NULL), 0, &half, 1, &what));
    g_assert_false(pm_whatif_compute(v, pm_recording_contention(r, NULL), 99, &half, 1, &what));
}

static void diff_matches_by_name(void)
{
    gint64 end = 0;
    g_autoptr(PmRecording) a = play(8, 20 * MS, 10 * MS, 40, &end);
    g_autoptr(PmRecording) b = play(8, 20 * MS, 5 * MS, 40, &end);
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) before = pm_view_new(a, f, NULL);
    g_autoptr(PmView) after = pm_view_new(b, f, NULL);
    static const PmAspect by[] = {PM_ASPECT_BLOCKER, PM_ASPECT_GROUP};
    g_autoptr(PmDiff) diff = pm_diff_new(before, after, by, 2, NULL);
    g_assert_cmpuint(diff->root->n_children, ==, 1);
    const PmDiffNode *lock = diff->root->children[0];
    g_assert_cmpstr(lock->key, ==, "ReentrantLock · PriceCache.get");
    g_assert_cmpint(lock->before.thread_time, ==, before->thread_time);
    g_assert_cmpint(lock->after.thread_time, ==, after->thread_time);
    g_assert_cmpfloat(lock->change, <, 0);
    g_assert_cmpuint(lock->n_children, ==, 1);
    g_assert_cmpstr(lock->children[0]->key, ==, "w-*");

    g_autoptr(PmDiff) same = pm_diff_new(before, before, by, 2, NULL);
    g_assert_cmpfloat(same->root->change, ==, 0);
    g_assert_cmpint(same->root->before.count, ==, same->root->after.count);
}

/* Predictions that make threads slower for shorter holds are a bad fit, all of them. */
static void predictions_do_not_contradict(void)
{
    static const struct {
        double speeds[3]; /* for 0.5, 0.25 and 2 times the hold */
        gboolean contradict;
    } tests[] = {
        {{1.3, 1.6, 0.7}, FALSE},  {{1.3, 1.29, 0.7}, FALSE}, {{1.19, 1.06, 0.7}, TRUE},
        {{0.95, 0.99, 0.7}, TRUE}, {{1.0, 1.0, 1.0}, FALSE},  {{1.1, 1.2, 1.3}, TRUE},
    };
    for (guint t = 0; t < G_N_ELEMENTS(tests); t++) {
        PmWhatIf all[3] = {{.factor = 0.5}, {.factor = 0.25}, {.factor = 2}};
        for (guint i = 0; i < G_N_ELEMENTS(all); i++)
            all[i].speed_up = tests[t].speeds[i];
        g_assert_cmpint(pm_whatif_contradict(all, G_N_ELEMENTS(all)), ==, tests[t].contradict);
        all[0].model_quality = 1;
        all[0].contradicts_itself = tests[t].contradict;
        g_assert_cmpint(pm_whatif_fits(&all[0]), ==, !tests[t].contradict);
    }
}

static gint64 cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * G_GINT64_CONSTANT(1000000000) + now.tv_nsec;
}

/* Very many locks that are waited for three times, and one that is used all the time: it alone can
 * be predicted, in about the time that it takes to ask for it. */
static void locks_that_are_seldom_used_cost_nothing(void)
{
    enum { N_SELDOM = 4000, MOST_TIMES = 20 };
    PmMade m = pm_made_begin();
    const double half = 0.5;
    g_autoptr(GArray) factors = g_array_new(FALSE, FALSE, sizeof half);
    g_array_append_val(factors, half);
    g_autoptr(GArray) locks = g_array_new(FALSE, FALSE, sizeof(guint32));
    const guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b");
    for (guint32 i = 0; i <= N_SELDOM; i++) {
        const guint32 lock = pm_made_blocker(&m, m.lock_class, i + 1, m.lock_chain);
        g_array_append_val(locks, lock);
        for (gint64 k = 0; k < (i == N_SELDOM ? 300 : 3); k++)
            pm_made_held_wait(&m, k % 2 ? a : b, lock, m.lock_chain, k % 2 ? b : a,
                              (i * 4 + k) * MS, (i * 4 + k + 1) * MS, 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) view = pm_made_view(r);
    const PmContention *contention = pm_recording_contention(r, NULL);
    PmWhatIf one;
    const gint64 begin = cpu_time();
    g_assert_true(pm_whatif_compute(view, contention, g_array_index(locks, guint32, N_SELDOM),
                                    &half, 1, &one));
    const gint64 asked = cpu_time();
    g_autoptr(GArray) all = pm_whatif_first(view, contention, locks, 3, factors);
    g_assert_cmpint(cpu_time() - asked, <, MOST_TIMES * (asked - begin));
    g_assert_cmpuint(all->len, ==, 1);
    g_assert_cmpuint(g_array_index(all, PmWhatIf, 0).blocker, ==, one.blocker);
    g_assert_cmpfloat(g_array_index(all, PmWhatIf, 0).speed_up, ==, one.speed_up);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/whatif/predictions-do-not-contradict",
                    predictions_do_not_contradict);
    g_test_add_func("/analysis/whatif/prediction-is-what-happens", prediction_is_what_happens);
    g_test_add_func("/analysis/whatif/the-same-hold-changes-nothing",
                    the_same_hold_changes_nothing);
    g_test_add_func("/analysis/whatif/threads-that-come-once-are-not-faster",
                    threads_that_come_once_are_not_faster);
    g_test_add_func("/analysis/whatif/one-lock-is-predicted", one_lock_is_predicted);
    g_test_add_func("/analysis/whatif/other-locks-are-in-the-way", other_locks_are_in_the_way);
    g_test_add_func("/analysis/whatif/readers-share", readers_share);
    g_test_add_func("/analysis/whatif/without-holds-nothing-is-predicted",
                    without_holds_nothing_is_predicted);
    g_test_add_func("/analysis/diff/matches-by-name", diff_matches_by_name);
    g_test_add_func("/analysis/whatif/locks-that-are-seldom-used-cost-nothing",
                    locks_that_are_seldom_used_cost_nothing);
    return g_test_run();
}

/* What is behind a wait when whoever is responsible waited itself. */
#include "viewer/analysis/causes/contention-private.h"

#include "viewer/analysis/aggregation/aspect.h"
#include "viewer/analysis/evidence/evidence.h"
#include "tests/analysis/parts.h"

#define JUC "java.util.concurrent."
#define MS  G_GINT64_CONSTANT(1000000)

typedef struct {
    PmMade made;
    guint32 victim, a, b, c;
    guint32 locks[3];
    guint32 future, future_chain;
} Scene;

static Scene scene_begin(void)
{
    Scene s = {.made = pm_made_begin()};
    s.victim = pm_made_thread(&s.made, "victim");
    s.a = pm_made_thread(&s.made, "alpha");
    s.b = pm_made_thread(&s.made, "beta");
    s.c = pm_made_thread(&s.made, "gamma");
    for (guint i = 0; i < G_N_ELEMENTS(s.locks); i++)
        s.locks[i] = pm_made_blocker(&s.made, s.made.lock_class, 1 + i, s.made.lock_chain);
    s.future_chain =
        pm_made_chain(s.made.assembly, "jdk.internal.misc.Unsafe.park",
                      "java.util.concurrent.locks.LockSupport.park",
                      "java.util.concurrent.FutureTask.get", "com.acme.Shop.show", NULL);
    s.future = pm_made_blocker(
        &s.made, pm_assembly_add_class(s.made.assembly, "java.util.concurrent.FutureTask"), 9,
        s.future_chain);
    return s;
}

/* `thread` waits for the lock of that index, which `owner` releases at `end`. */
static void scene_lock(Scene *s, guint32 thread, guint lock, guint32 owner, gint64 begin,
                       gint64 end)
{
    pm_made_held_wait(&s->made, thread, s->locks[lock], s->made.lock_chain, owner, begin, end, 0);
}

/* `thread` waits for something that has no owner, until `waker` ends it at `end`. */
static void scene_signal(Scene *s, guint32 thread, guint32 blocker, guint32 chain, guint32 waker,
                         gint64 begin, gint64 end)
{
    PM_MADE_WAIT(s->made.assembly, begin, end, thread, blocker, chain, .wake = end, .waker = waker,
                 .waker_chain = s->made.other_chain, .wake_cause = PM_WAKE_RELEASE);
}

static PmRecording *scene_end(Scene *s)
{
    s->made.assembly->duration = 1000 * MS;
    return pm_assembly_finish(s->made.assembly);
}

static GArray *split(const PmRecording *r, guint32 thread, gint64 begin)
{
    return pm_parts_of(r, pm_row_of(r, thread, begin), pm_contention_split);
}

/* What one thread is charged with. */
static gint64 time_of(const GArray *parts, guint32 thread)
{
    gint64 time = 0;
    for (guint i = 0; i < parts->len; i++)
        if (g_array_index(parts, PmPart, i).thread == thread)
            time += g_array_index(parts, PmPart, i).end - g_array_index(parts, PmPart, i).begin;
    return time;
}

/* Each holds the lock the one before waits for; with `late`, their own waits were over before. */
static GArray *split_chain(Scene *s, gint64 late)
{
    scene_lock(s, s->victim, 0, s->a, 100 * MS + late, 900 * MS + late);
    scene_lock(s, s->a, 1, s->b, 100 * MS, 800 * MS);
    scene_lock(s, s->b, 2, s->c, 100 * MS, 700 * MS);
    g_autoptr(PmRecording) r = scene_end(s);
    return split(r, s->victim, 100 * MS + late);
}

static void chain_of_three_is_followed_to_its_end(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_chain(&s, 0);
    g_assert_cmpuint(parts->len, ==, 3);
    check_part(parts, 0, 100 * MS, 700 * MS, PM_CAUSE_OWNER, s.c);
    check_part(parts, 1, 700 * MS, 800 * MS, PM_CAUSE_OWNER, s.b);
    check_part(parts, 2, 800 * MS, 900 * MS, PM_CAUSE_OWNER, s.a);
}

/* Who owns what the victim waits for is so all the time, whatever it waits for itself. */
static void owner_that_waits_owns_meanwhile(void)
{
    Scene s = scene_begin();
    scene_lock(&s, s.victim, 0, s.a, 100 * MS, 900 * MS);
    scene_lock(&s, s.a, 1, s.b, 100 * MS, 800 * MS);
    scene_signal(&s, s.c, s.future, s.future_chain, s.b, 100 * MS, 900 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    g_autoptr(GArray) unowned = split(r, s.c, 100 * MS);
    for (guint i = 0; i < parts->len; i++)
        g_assert_cmpuint(pm_part_key(r, PM_ASPECT_OWNER, &g_array_index(parts, PmPart, i)), ==,
                         s.a);
    g_assert_cmpint(time_of(parts, s.b), ==, 700 * MS);
    g_assert_cmpuint(pm_part_key(r, PM_ASPECT_OWNER, &g_array_index(unowned, PmPart, 0)), ==, 0);
}

/* Each of twelve waits all the time for the lock of the next, as woken ones do that wake another.
 */
static void a_queue_of_twelve_is_followed_to_its_end(void)
{
    Scene s = scene_begin();
    guint32 threads[12], first = pm_made_thread(&s.made, "first");
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = pm_made_thread(&s.made, "delta-%c", 'a' + (char)i);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
        guint32 lock = pm_made_blocker(&s.made, s.made.lock_class, 20 + i, s.made.lock_chain);
        pm_made_held_wait(&s.made, i ? threads[i - 1] : first, lock, s.made.lock_chain, threads[i],
                          100 * MS, (950 - 10 * (gint64)i) * MS, 0);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, first, 100 * MS);
    check_part(parts, 0, 100 * MS, 840 * MS, PM_CAUSE_OWNER, threads[11]);
}

static void owner_whose_wait_is_over_is_at_work(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_chain(&s, 700 * MS);
    g_assert_cmpuint(parts->len, ==, 1);
    check_part(parts, 0, 800 * MS, 1600 * MS, PM_CAUSE_OWNER, s.a);
}

/* Who waits in a circle is not followed round it again. */
static void circle_ends(void)
{
    Scene s = scene_begin();
    pm_made_held_wait(&s.made, s.victim, s.locks[0], s.made.lock_chain, s.a, 200 * MS, 1000 * MS,
                      PM_WAIT_IN_PROGRESS);
    pm_made_held_wait(&s.made, s.a, s.locks[1], s.made.lock_chain, s.b, 100 * MS, 1000 * MS,
                      PM_WAIT_IN_PROGRESS);
    pm_made_held_wait(&s.made, s.b, s.locks[0], s.made.lock_chain, s.a, 100 * MS, 1000 * MS,
                      PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 200 * MS);
    g_assert_cmpuint(parts->len, ==, 1);
    check_part(parts, 0, 200 * MS, 1000 * MS, PM_CAUSE_OWNER, s.b);
}

static GArray *split_future(Scene *s, gboolean ender_waits)
{
    scene_signal(s, s->victim, s->future, s->future_chain, s->a, 100 * MS, 900 * MS);
    if (ender_waits)
        scene_lock(s, s->a, 0, s->b, 200 * MS, 600 * MS);
    g_autoptr(PmRecording) r = scene_end(s);
    return split(r, s->victim, 100 * MS);
}

static void what_an_ender_waited_for_is_behind_it(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_future(&s, TRUE);
    g_assert_cmpuint(parts->len, ==, 3);
    check_part(parts, 0, 100 * MS, 200 * MS, PM_CAUSE_WAKER, s.a);
    /* That it waited for the lock because of this future is likely, not proven. */
    g_assert_true(check_part(parts, 1, 200 * MS, 600 * MS, PM_CAUSE_OWNER, s.b)->inferred);
    check_part(parts, 2, 600 * MS, 900 * MS, PM_CAUSE_WAKER, s.a);
}

/* That it woke there is exact; that what it did so long before was the same is not. */
static void ender_at_work_is_the_cause(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_future(&s, FALSE);
    g_assert_cmpuint(parts->len, ==, 1);
    g_assert_true(check_part(parts, 0, 100 * MS, 900 * MS, PM_CAUSE_WAKER, s.a)->inferred);
}

static void ender_just_before_is_exact(void)
{
    Scene s = scene_begin();
    scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 100 * MS + MS / 2);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    g_assert_cmpuint(parts->len, ==, 1);
    g_assert_false(
        check_part(parts, 0, 100 * MS, 100 * MS + MS / 2, PM_CAUSE_WAKER, s.a)->inferred);
}

static void sample_of_a(Scene *s, gint64 at, guint32 chain)
{
    pm_made_sample(s->made.assembly, PM_SAMPLE_ENDER, s->victim, s->future, s->a, chain, at);
}

/* A takes a row in line 70, charges in line 71, commits in line 76, and sleeps in line 78, where it
 * is seen nearest in time: the wait for the row was for what is done in between. So it is for a
 * mutex made at home, `parks`, whose threads park. */
static void check_kept_between_lines(gboolean parks)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 run = pm_made_method_once(a, "com.acme.Till", "run"),
                  sleep = pm_made_method_once(a, "java.lang.Thread", "sleep"),
                  wait_for = parks ? pm_made_method_once(a, "com.acme.Mutex", "lock")
                                   : pm_made_method_once(a, "org.h2.mvstore.tx.Transaction",
                                                         "waitForThisToEnd"),
                  commit = parks ? pm_made_method_once(a, "com.acme.Mutex", "unlock")
                                 : pm_made_method_once(a, "org.h2.jdbc.JdbcConnection", "commit"),
                  charge = pm_made_method_once(a, "com.acme.Cards", "charge");
    const PmFrame take[] = {{wait_for, 1}, {run, 70}}, give[] = {{commit, 1}, {run, 76}},
                  works[] = {{sleep, 1}, {charge, 36}, {run, 71}},
                  rests[] = {{sleep, 1}, {run, 78}};
    const guint32 takes = pm_assembly_add_chain(a, take, 2, FALSE),
                  gives = pm_assembly_add_chain(a, give, 2, FALSE),
                  charges = pm_assembly_add_chain(a, works, 3, FALSE),
                  sleeps = pm_assembly_add_chain(a, rests, 2, FALSE);
    const guint32 of =
        pm_assembly_add_class(a, parks ? "com.acme.Mutex" : "org.h2.mvstore.tx.Transaction");
    PM_MADE_WAIT(a, 880 * MS, 900 * MS, s.victim, pm_made_blocker(&s.made, of, 9, takes), takes,
                 .wake = 900 * MS, .waker = s.a, .waker_chain = gives,
                 .kind = parks ? PM_KIND_PARK : PM_KIND_WAIT,
                 .wake_cause = parks ? PM_WAKE_UNKNOWN : PM_WAKE_NOTIFY);
    sample_of_a(&s, 400 * MS, charges);
    sample_of_a(&s, 500 * MS, charges);
    sample_of_a(&s, 905 * MS, sleeps);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 880 * MS);
    g_assert_cmpuint(check_part(parts, 0, 880 * MS, 900 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                     charges);
    g_assert_cmpint(pm_activity_hold_place(r, takes, gives, charges), ==, PM_HOLD_PLACE_WITHIN);
    g_assert_cmpint(pm_activity_hold_place(r, takes, gives, sleeps), ==, PM_HOLD_PLACE_OUTSIDE);
    g_assert_cmpint(pm_activity_hold_place(r, gives, takes, sleeps), ==, PM_HOLD_PLACE_WITHIN);
    g_assert_cmpint(pm_activity_hold_place(r, gives, takes, charges), ==, PM_HOLD_PLACE_OUTSIDE);
    g_assert_cmpint(pm_activity_hold_place(r, takes, s.made.other_chain, sleeps), ==,
                    PM_HOLD_PLACE_UNKNOWN);
}

static void a_row_is_kept_between_the_lines_that_take_and_give(void)
{
    check_kept_between_lines(FALSE);
}

static void a_mutex_of_parks_is_kept_between_those_lines(void)
{
    check_kept_between_lines(TRUE);
}

/* A takes one lock in line 10, and another one, for which it once waited, in line 50; it is seen in
 * line 30, in which it has the first one, and gives that back in line 90. */
static void a_wait_for_another_lock_is_not_where_one_is_taken(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 run = pm_made_method_once(a, "com.acme.Till", "run"),
                  sleep = pm_made_method_once(a, "java.lang.Thread", "sleep"),
                  lock = pm_made_method_once(a, "java.util.concurrent.locks.ReentrantLock", "lock"),
                  unlock =
                      pm_made_method_once(a, "java.util.concurrent.locks.ReentrantLock", "unlock"),
                  show = pm_made_method_once(a, "com.acme.Shop", "show");
    const PmFrame wants[] = {{lock, 1}, {show, 5}}, second[] = {{lock, 1}, {run, 50}},
                  give[] = {{unlock, 1}, {run, 90}}, before[] = {{sleep, 1}, {run, 30}},
                  behind[] = {{sleep, 1}, {run, 60}};
    const guint32 waits = pm_assembly_add_chain(a, wants, 2, FALSE),
                  takes = pm_assembly_add_chain(a, second, 2, FALSE),
                  gives = pm_assembly_add_chain(a, give, 2, FALSE),
                  works = pm_assembly_add_chain(a, before, 2, FALSE),
                  goes_on = pm_assembly_add_chain(a, behind, 2, FALSE);
    PM_MADE_WAIT(a, 100 * MS, 110 * MS, s.a, s.locks[1], takes, .wake = 110 * MS, .waker = s.b,
                 .waker_chain = s.made.other_chain, .wake_cause = PM_WAKE_RELEASE);
    PM_MADE_WAIT(a, 880 * MS, 900 * MS, s.victim, s.locks[0], waits, .wake = 900 * MS, .waker = s.a,
                 .waker_chain = gives, .wake_cause = PM_WAKE_RELEASE);
    sample_of_a(&s, 400 * MS, goes_on);
    sample_of_a(&s, 500 * MS, goes_on);
    sample_of_a(&s, 890 * MS, works);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 880 * MS);
    g_assert_cmpuint(check_part(parts, 0, 880 * MS, 900 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                     works);
}

/* What A was seen in while it worked is its cause, rather than where it woke. */
static void sample_tells_what_an_ender_did(void)
{
    Scene s = scene_begin();
    guint32 load = pm_made_chain(s.made.assembly, "java.lang.Thread.sleep", "com.acme.Prices.load",
                                 "com.acme.Worker.run", NULL);
    sample_of_a(&s, 500 * MS, load);
    g_autoptr(GArray) parts = split_future(&s, FALSE);
    g_assert_cmpuint(parts->len, ==, 1);
    const PmPart *part = check_part(parts, 0, 100 * MS, 900 * MS, PM_CAUSE_WAKER, s.a);
    g_assert_cmpuint(part->chain, ==, load);
    g_assert_true(part->inferred);
}

/* A gives results in Texts.send, which its loop calls; while such a result was waited for it was
 * mostly seen in Hook.deliver, which that calls, too: then one for which it was not looked at was
 * late because of that. Not if it was seen as often where it gives. */
static void what_comes_before_a_result_makes_it_late(void)
{
    for (guint n_before = 3; n_before <= 4; n_before++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 sends = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Texts.send",
                                            "com.acme.Loop.run", NULL);
        const guint32 delivers = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Hook.deliver",
                                               "com.acme.Loop.run", NULL);
        s.made.other_chain = pm_made_chain(a, "java.util.concurrent.FutureTask.set",
                                           "com.acme.Texts.send", "com.acme.Loop.run", NULL);
        for (gint64 i = 0; i < 3 + n_before; i++) {
            scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * i * MS,
                         (100 * i + 60) * MS);
            sample_of_a(&s, (100 * i + 30) * MS, i < 3 ? sends : delivers);
        }
        const gint64 begin = 100 * (3 + n_before) * MS;
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, begin, begin + 60 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, begin);
        g_assert_cmpuint(parts->len, ==, 1);
        g_assert_cmpuint(check_part(parts, 0, begin, begin + 60 * MS, PM_CAUSE_WAKER, s.a)->chain,
                         ==, n_before == 4 ? delivers : sends);
    }
}

/* A was looked at three times: each look tells of the time around it. */
static void each_sample_tells_of_its_time(void)
{
    Scene s = scene_begin();
    guint32 load = pm_made_chain(s.made.assembly, "java.lang.Thread.sleep", "com.acme.Prices.load",
                                 "com.acme.Worker.run", NULL);
    guint32 sum =
        pm_made_chain(s.made.assembly, "com.acme.Prices.sum", "com.acme.Worker.run", NULL);
    sample_of_a(&s, 200 * MS, load);
    sample_of_a(&s, 400 * MS, load);
    sample_of_a(&s, 800 * MS, sum);
    g_autoptr(GArray) parts = split_future(&s, FALSE);
    g_assert_cmpuint(parts->len, ==, 2);
    g_assert_cmpuint(check_part(parts, 0, 100 * MS, 600 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                     load);
    g_assert_cmpuint(check_part(parts, 1, 600 * MS, 900 * MS, PM_CAUSE_WAKER, s.a)->chain, ==, sum);
}

/* A works now briefly, now for long, and was looked at in each but the long stretch in question:
 * that is taken for like the other long one, not for like the brief ones nearest to it. */
static void sample_tells_of_stretches_about_as_long(void)
{
    static const gint64 waits[][2] = {{1, 10}, {50, 60}, {63, 70}, {73, 90}, {93, 99}, {140, 150}};
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 writes = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Report.save",
                                         "com.acme.Report.render", NULL);
    const guint32 adds = pm_made_chain(a, "com.acme.Report.add", "com.acme.Report.render", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(waits); i++)
        scene_lock(&s, s.a, 0, s.b, waits[i][0] * MS, waits[i][1] * MS);
    scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 139 * MS);
    sample_of_a(&s, 30 * MS, writes);
    for (guint i = 1; i < 4; i++)
        sample_of_a(&s, (waits[i][1] + 1) * MS, adds);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    g_assert_cmpuint(check_part(parts, 0, 100 * MS, 139 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                     writes);
}

/* A reads briefly and then writes for long. The wait in question began as it had read: it is taken
 * for like where it was seen at such a time, not for like what is nearer but came before. */
static void sample_tells_of_such_a_time_of_a_stretch(void)
{
    static const gint64 waits[][2] = {{1, 10}, {50, 60}, {100, 110}, {150, 160}, {200, 210}};
    static const gint64 seen[][2] = {{30, 62}, {92, 162}}; /* writing, and reading */
    for (guint k = 0; k < G_N_ELEMENTS(seen); k++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 writes = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Report.save",
                                             "com.acme.Report.render", NULL);
        const guint32 reads = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Report.load",
                                            "com.acme.Report.render", NULL);
        for (guint i = 0; i < G_N_ELEMENTS(waits); i++)
            scene_lock(&s, s.a, 0, s.b, waits[i][0] * MS, waits[i][1] * MS);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 120 * MS, 149 * MS);
        sample_of_a(&s, seen[k][0] * MS, writes);
        sample_of_a(&s, seen[k][1] * MS, reads);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 120 * MS);
        g_assert_cmpuint(check_part(parts, 0, 120 * MS, 149 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                         writes);
    }
}

/* A checks for long, briefly places what the victim waits for, and rests. In the stretch in
 * question, as long as the wait, it was not looked at: it checked, as in the one like it that is
 * nearest, even if others tell of the call that ended the wait. Of a stretch much longer than the
 * wait, what A did before is not what it did, and neither is what it does at the end of one: then
 * the call tells, also when it was seen in short ones. */
static void sample_tells_of_a_stretch_as_long_as_the_wait(void)
{
    enum { NO_REST, RESTS, PAUSES, N };
    static const gint64 short_ones[][2] = {{355, 365}, {367, 377}, {379, 409}};
    for (guint how = 0; how < N; how++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 checks = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Desk.check",
                                             "com.acme.Desk.run", NULL);
        const guint32 places = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Book.place",
                                             "com.acme.Desk.run", NULL);
        s.made.other_chain = pm_made_chain(a, "java.util.concurrent.FutureTask.set",
                                           "com.acme.Book.place", "com.acme.Desk.run", NULL);
        for (gint64 at = 60; how != NO_REST && at < 480; at += 70)
            scene_lock(&s, s.a, 0, s.b, at * MS, (at + 10) * MS);
        for (guint i = 0; how == PAUSES && i < G_N_ELEMENTS(short_ones); i++)
            scene_lock(&s, s.a, 0, s.b, short_ones[i][0] * MS, short_ones[i][1] * MS);
        for (gint64 at = 72; at < 400; at += 70)
            scene_signal(&s, s.victim, s.future, s.future_chain, s.a, at * MS,
                         (at + (at == 72 ? 58 : 56)) * MS);
        sample_of_a(&s, (how == PAUSES ? 129 : 110) * MS, checks);
        sample_of_a(&s, (how == PAUSES ? 366 : 265) * MS, places);
        sample_of_a(&s, (how == PAUSES ? 378 : 335) * MS, places);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 142 * MS);
        g_assert_cmpuint(check_part(parts, 0, 142 * MS, 198 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                         how == RESTS ? checks : places);
    }
}

/* A answers the victim and another thread by turns, each in its own method and after as long. Where
 * it was not looked at it did what it does for the victim, even if what it does for the other one
 * was seen nearer by. */
static void sample_tells_of_what_ends_the_same_waits(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 works[] = {pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Desk.price",
                                           "com.acme.Desk.run", NULL),
                             pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Desk.audit",
                                           "com.acme.Desk.run", NULL)};
    const guint32 gives[] = {pm_made_chain(a, "java.util.concurrent.FutureTask.set",
                                           "com.acme.Desk.tell", "com.acme.Desk.run", NULL),
                             pm_made_chain(a, "java.util.concurrent.FutureTask.set",
                                           "com.acme.Desk.file", "com.acme.Desk.run", NULL)};
    for (gint64 k = 0; k < 5; k++) {
        const gint64 begin = (72 + 70 * k) * MS;
        scene_lock(&s, s.a, 0, s.b, begin - 12 * MS, begin - 2 * MS);
        s.made.other_chain = gives[k % 2];
        scene_signal(&s, k % 2 ? s.b : s.victim, s.future, s.future_chain, s.a, begin,
                     begin + 56 * MS);
        if (k != 2)
            sample_of_a(&s, begin + 28 * MS, works[k % 2]);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 212 * MS);
    g_assert_cmpuint(check_part(parts, 0, 212 * MS, 268 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                     works[0]);
}

/* A was looked at once as a call returned, where it was mostly seen in that call. */
static void sample_at_a_return_tells_of_the_call(void)
{
    for (guint calls = 1; calls < 4; calls++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 run = pm_made_method_once(a, "com.acme.Worker", "run");
        const PmFrame call[] = {{pm_made_method_once(a, "com.acme.Prices", "load"), 7}, {run, 12}};
        const guint32 load = pm_assembly_add_chain(a, call, 2, FALSE);
        const guint32 back = pm_assembly_add_chain(a, call + 1, 1, FALSE);
        for (guint i = 0; i < calls; i++)
            sample_of_a(&s, (200 + 10 * i) * MS, load);
        sample_of_a(&s, 700 * MS, back);
        g_autoptr(GArray) parts = split_future(&s, FALSE);
        const PmPart *last = &g_array_index(parts, PmPart, parts->len - 1);
        g_assert_cmpuint(last->chain, ==, calls < 2 ? back : load);
    }
}

/* A was looked at once as it waited, where it was mostly seen otherwise. */
static void sample_of_who_waits_tells_nothing(void)
{
    static const char *const calls[] = {"jdk.internal.misc.Unsafe.park", "java.lang.Object.wait0",
                                        "com.acme.Bell.ring"};
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        for (guint others = 1; others < 4; others++) {
            Scene s = scene_begin();
            PmAssembly *a = s.made.assembly;
            const guint32 load = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Prices.load",
                                               "com.acme.Worker.run", NULL);
            const guint32 passes = pm_made_chain(a, calls[i], "com.acme.Worker.run", NULL);
            for (guint k = 0; k < others; k++)
                sample_of_a(&s, (200 + 10 * k) * MS, load);
            sample_of_a(&s, 700 * MS, passes);
            g_autoptr(GArray) parts = split_future(&s, FALSE);
            const PmPart *last = &g_array_index(parts, PmPart, parts->len - 1);
            g_assert_cmpuint(last->chain, ==,
                             others < 2 || i + 1 == G_N_ELEMENTS(calls) ? passes : load);
        }
}

/* A was looked at once, as it woke somebody: after the victim's wait, or in it. */
static void sample_of_who_wakes_tells_of_then(void)
{
    static const char *const calls[] = {"jdk.internal.misc.Unsafe.unpark",
                                        "java.lang.Object.notify", "com.acme.Bell.ring"};
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        for (gint64 at = 700; at <= 905; at += 205) {
            Scene s = scene_begin();
            const guint32 wakes =
                pm_made_chain(s.made.assembly, calls[i], "com.acme.Report.render", NULL);
            sample_of_a(&s, at * MS, wakes);
            g_autoptr(GArray) parts = split_future(&s, FALSE);
            const PmPart *last = &g_array_index(parts, PmPart, parts->len - 1);
            g_assert_cmpint(last->chain == wakes, ==, at < 900 || i + 1 == G_N_ELEMENTS(calls));
        }
}

/* Who shares a lock is no owner that is looked at, but may be seen as one that should end waits. */
static void who_shares_a_lock_is_told_by_samples_of_enders(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 loads = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Prices.load",
                                        "com.acme.Shop.pay", "com.acme.Shop.run", NULL);
    s.made.other_chain =
        pm_made_chain(a, "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.unlock",
                      "com.acme.Shop.pay", "com.acme.Shop.run", NULL);
    for (guint i = 0; i < 3; i++)
        sample_of_a(&s, (910 + i) * MS, loads);
    scene_lock(&s, s.victim, 0, s.a, 100 * MS, 900 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    g_assert_cmpuint(parts->len, ==, 1);
    g_assert_cmpuint(check_part(parts, 0, 100 * MS, 900 * MS, PM_CAUSE_OWNER, s.a)->chain, ==,
                     loads);
}

/* Nothing tells what a pool's thread did before and after it waited within its task. */
static void who_waits_within_a_task_was_in_it_before(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 follows = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Tail.follow", NULL);
    const guint32 news = pm_made_blocker(&s.made, 0, 8, follows);
    scene_signal(&s, s.a, news, follows, s.b, 200 * MS, 600 * MS);
    s.made.other_chain = pm_made_chain(a, "java.util.concurrent.FutureTask.run",
                                       "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
    g_autoptr(GArray) parts = split_future(&s, FALSE);
    g_assert_cmpuint(parts->len, ==, 3);
    g_assert_cmpuint(check_part(parts, 0, 100 * MS, 200 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                     follows);
    g_assert_cmpuint(check_part(parts, 2, 600 * MS, 900 * MS, PM_CAUSE_WAKER, s.a)->chain, ==,
                     follows);
}

/* What A did before, in another method than the one that ends the wait, it did not do meanwhile: it
 * is told by others of its group that were seen in that method, twice at least. */
static void what_an_ender_did_before_is_not_what_it_did(void)
{
    for (guint seen = 1; seen < 3; seen++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        guint32 pays = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Shop.pay", NULL);
        guint32 loads = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Loader.load",
                                      "com.acme.Rates.of", "com.acme.Shop.pay", NULL);
        for (guint i = 0; i < seen; i++)
            sample_of_a(&s, (700 + i) * MS, loads);
        sample_of_a(&s, 95 * MS, pays);
        s.made.other_chain = pm_made_chain(a, "java.util.concurrent.FutureTask.set",
                                           "com.acme.Rates.of", "com.acme.Shop.pay", NULL);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 110 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        g_assert_cmpuint(parts->len, ==, 1);
        const PmPart *part = check_part(parts, 0, 100 * MS, 110 * MS, PM_CAUSE_WAKER, s.a);
        g_assert_cmpint(part->chain == loads, ==, seen > 1);
    }
}

/* A cache has the program load what it does not have, and then wakes who waits for that; the
 * program also rests where it asks the cache. What it was seen loading, if that was often enough,
 * is the cause. */
static void what_a_library_has_made_is_waited_for(void)
{
    for (guint seen = 1; seen < 3; seen++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 rests =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Shop.show", NULL);
        const guint32 loads =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Loader.load",
                          "java.util.concurrent.FutureTask.run", "com.acme.Shop.show", NULL);
        for (guint i = 0; i < seen; i++)
            sample_of_a(&s, (700 + i) * MS, loads);
        sample_of_a(&s, 95 * MS, rests);
        s.made.other_chain =
            pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                          "java.util.concurrent.FutureTask.set",
                          "java.util.concurrent.FutureTask.run", "com.acme.Shop.show", NULL);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 110 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        g_assert_cmpuint(parts->len, ==, 1);
        const PmPart *part = check_part(parts, 0, 100 * MS, 110 * MS, PM_CAUSE_WAKER, s.a);
        g_assert_cmpuint(part->chain, ==, seen > 1 ? loads : rests);
        g_assert_true(part->inferred);
    }
}

/* The call that gives the signal is short: what else its caller was seen in is the cause, near that
 * time or not. */
static void callers_samples_tell_what_an_ender_did(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    guint32 confirm = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Broker.confirm",
                                    "com.acme.Broker.read", "com.acme.Runner.run", NULL);
    guint32 other = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Sweeper.sweep",
                                  "com.acme.Runner.run", NULL);
    guint32 give = pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Acks.give",
                                 "com.acme.Broker.read", "com.acme.Runner.run", NULL);
    for (guint i = 0; i < 6; i++) {
        pm_made_sample(a, PM_SAMPLE_ENDER, s.victim, s.future, s.a, i < 3 ? other : confirm,
                       (600 + 10 * i) * MS);
    }
    s.made.other_chain = give;
    scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 110 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    const PmPart *part = check_part(parts, 0, 100 * MS, 110 * MS, PM_CAUSE_WAKER, s.a);
    g_assert_cmpuint(part->chain, ==, confirm);
    g_assert_true(part->inferred);
}

/* Nothing of the program's own gave the signal, as where a pool's thread completes a task, or only
 * what it called back: what threads of that pool were seen in about then is the cause, but not much
 * sooner or later. */
static void check_library_giver(const char *giver, gint64 seen_at, gboolean told)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    guint32 locate = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Geo.locate", NULL);
    guint32 give =
        pm_made_chain(a, giver, "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
    guint32 first = pm_made_thread(&s.made, "part-1"), second = pm_made_thread(&s.made, "part-2");
    for (guint i = 0; i < 3; i++)
        pm_made_sample(a, PM_SAMPLE_ENDER, s.victim, s.future, first, locate, seen_at + i * MS);
    s.made.other_chain = give;
    scene_signal(&s, s.victim, s.future, s.future_chain, second, 100 * MS, 200 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    const PmPart *part = check_part(parts, 0, 100 * MS, 200 * MS, PM_CAUSE_WAKER, second);
    g_assert_cmpuint(part->chain, ==, told ? locate : give);
    g_assert_true(part->inferred);
}

static void pools_samples_tell_what_a_task_did(void)
{
    static const char *const givers[] = {"java.util.concurrent.FutureTask.run",
                                         "com.acme.Asked.onResponse"};
    for (gsize i = 0; i < G_N_ELEMENTS(givers); i++) {
        check_library_giver(givers[i], 600 * MS, TRUE);
        check_library_giver(givers[i], 5000 * MS, FALSE);
    }
}

/* A pool's thread counts sales, which a till waits for. While it did, the thread was seen sending
 * mail before, in another task, or in what the counting does, or nowhere in the program's code: in
 * a library, or until something came from outside. It was not seen in the last wait. */
static void who_is_late_was_in_other_tasks_before(void)
{
    enum { MAILS, ADDS, UNPACKS, SELECTS, N };
    for (guint does = 0; does < N; does++) {
        const char *pool = "java.util.concurrent.ThreadPoolExecutor.runWorker";
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 chains[N] = {
            [MAILS] = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Mail.run", pool, NULL),
            [ADDS] = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Sale.run", pool, NULL),
            [UNPACKS] = pm_made_chain(a, "java.util.zip.Inflater.inflate", pool, NULL),
            [SELECTS] = pm_made_chain(a, "sun.nio.ch.EPoll.wait", pool, NULL)};
        s.made.other_chain = pm_made_chain(a, "java.util.concurrent.CountDownLatch.countDown",
                                           "com.acme.Sale.run", pool, NULL);
        for (guint i = 0; i < 9; i++) {
            scene_signal(&s, s.victim, s.future, s.future_chain, s.a, (100 + 40 * i) * MS,
                         (130 + 40 * i) * MS);
            if (i < 8)
                sample_of_a(&s, (115 + 40 * i) * MS, chains[does]);
        }
        for (guint i = 0; i < 4; i++)
            sample_of_a(&s, (800 + i) * MS, chains[ADDS]);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 420 * MS);
        if (does == SELECTS)
            check_part(parts, 0, 420 * MS, 450 * MS, PM_CAUSE_ARRIVAL, 0);
        else
            g_assert_cmpuint(check_part(parts, 0, 420 * MS, 450 * MS, PM_CAUSE_WAKER, s.a)->chain,
                             ==, chains[does]);
    }
}

/* So was one that was last seen long before: its like were, in the loop that calls both. */
static void who_is_late_was_in_what_its_loop_calls(void)
{
    const char *pool = "java.util.concurrent.ThreadPoolExecutor.runWorker";
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 mails = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Mail.send",
                                        "com.acme.Actor.run", pool, NULL);
    s.made.other_chain = pm_made_chain(a, "java.util.concurrent.CountDownLatch.countDown",
                                       "com.acme.Sale.count", "com.acme.Actor.run", pool, NULL);
    for (guint i = 0; i < 9; i++) {
        const gint64 begin = (i < 8 ? 100 + 40 * i : 4100) * MS;
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, begin, begin + 30 * MS);
        if (i < 8)
            sample_of_a(&s, begin + 15 * MS, mails);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 4100 * MS);
    const PmPart *part = check_part(parts, 0, 4100 * MS, 4130 * MS, PM_CAUSE_WAKER, s.a);
    g_assert_cmpuint(part->chain, ==, mails);
}

/* A had the lock in Limits.read, and was seen as its owner in Gateway.open: it took it again. */
static void owner_seen_elsewhere_has_taken_it_again(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    guint32 read = pm_made_chain(a, "com.acme.Limits.read", "com.acme.Worker.limits", NULL);
    guint32 open = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Gateway.open",
                                 "com.acme.Worker.connect", NULL);
    PM_MADE_WAIT(a, 50 * MS, 90 * MS, s.a, s.locks[0], read, .kind = PM_KIND_ENTER,
                 .wake_cause = PM_WAKE_RELEASE);
    PM_MADE_WAIT(a, 100 * MS, 900 * MS, s.victim, s.locks[0], s.made.lock_chain,
                 .kind = PM_KIND_ENTER, .owner = s.a, .wake_cause = PM_WAKE_RELEASE);
    pm_made_sample(a, PM_SAMPLE_OWNER, s.victim, s.locks[0], s.a, open, 500 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    g_assert_cmpuint(check_part(parts, 0, 100 * MS, 900 * MS, PM_CAUSE_OWNER, s.a)->chain, ==,
                     open);
}

/* A gives locks back in a call of its own, after what it held them for: `n` of its holds were
 * looked at. One of another lock, which was not, is like those if there are enough. */
static void hold_is_like_those_that_ended_alike(void)
{
    for (guint n = 1; n <= 2; n++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 loads = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Store.load",
                                            "com.acme.Store.page", NULL);
        const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                            "com.acme.Keys.unlock", "com.acme.Store.put",
                                            "com.acme.Store.page", NULL);
        for (guint i = 0; i < 3; i++) {
            const gint64 begin = (100 + 200 * i) * MS;
            PM_MADE_WAIT(a, begin, begin + 100 * MS, s.victim, s.locks[i == 2], s.made.lock_chain,
                         .owner = s.a, .waker = s.a, .waker_chain = gives, .wake = begin + 100 * MS,
                         .wake_cause = PM_WAKE_RELEASE);
            const PmOwnerSample sample = {.at = begin + 50 * MS,
                                          .waiter = s.victim,
                                          .blocker = s.locks[0],
                                          .owner = s.a,
                                          .chain = loads,
                                          .weight = 1,
                                          .role = PM_SAMPLE_OWNER};
            if (i < n)
                g_array_append_val(a->samples, sample);
        }
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 500 * MS);
        const PmPart *part = check_part(parts, 0, 500 * MS, 600 * MS, PM_CAUSE_OWNER, s.a);
        g_assert_cmpuint(part->chain, ==, n < 2 ? gives : loads);
        g_assert_cmpint(part->inferred, ==, n == 2);
    }
}

/* Who is waited for to end is the cause, exactly, whether it ends or not. */
static void end_of_a_thread_is_waited_for_because_of_it(void)
{
    Scene s = scene_begin();
    for (guint goes_on = 0; goes_on < 2; goes_on++) {
        PM_MADE_WAIT(s.made.assembly, (100 + 500 * goes_on) * MS, (500 + 500 * goes_on) * MS,
                     s.victim, s.future, s.future_chain, .kind = PM_KIND_WAIT, .owner = s.a,
                     .wake_cause = goes_on ? 0 : PM_WAKE_COMPLETION,
                     .flags = goes_on ? PM_WAIT_IN_PROGRESS : 0);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) ended = split(r, s.victim, 100 * MS);
    g_autoptr(GArray) lasts = split(r, s.victim, 600 * MS);
    g_assert_false(check_part(ended, 0, 100 * MS, 500 * MS, PM_CAUSE_OWNER, s.a)->inferred);
    g_assert_false(check_part(lasts, 0, 600 * MS, 1000 * MS, PM_CAUSE_OWNER, s.a)->inferred);
}

/* Nobody looked at the thread whose end, or lock, is waited for, but at others of its group, which
 * were in one call and owned what they did. Of a lock that tells nothing. */
static void thread_that_ends_is_like_others_of_its_group(void)
{
    for (guint lock = 0; lock < 2; lock++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 score =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Risk.score", NULL);
        const guint32 seen = pm_made_thread(&s.made, "risk-1");
        const guint32 unseen = pm_made_thread(&s.made, "risk-2");
        for (guint i = 0; i < 3; i++)
            pm_made_sample(a, PM_SAMPLE_OWNER, s.victim, s.locks[1], seen, score, (600 + i) * MS);
        PM_MADE_WAIT(a, 100 * MS, 500 * MS, s.victim, lock ? s.locks[0] : s.future,
                     lock ? s.made.lock_chain : s.future_chain,
                     .kind = lock ? PM_KIND_ENTER : PM_KIND_WAIT, .owner = unseen,
                     .wake_cause = lock ? PM_WAKE_RELEASE : PM_WAKE_COMPLETION);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        const PmPart *part = check_part(parts, 0, 100 * MS, 500 * MS, PM_CAUSE_OWNER, unseen);
        g_assert_cmpint(part->chain == score, ==, !lock);
    }
}

/* A worker ends the victim's wait, after it rested twice: until gamma, and then until beta gave it
 * something to do. What it did before the last of those was for others. */
static void who_gave_the_task_is_behind_all_before(void)
{
    Scene s = scene_begin();
    const guint32 pool = pm_made_blocker(&s.made, s.made.queue_class, 7, s.made.idle_chain);
    scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 900 * MS);
    scene_signal(&s, s.a, pool, s.made.idle_chain, s.c, 150 * MS, 200 * MS);
    scene_signal(&s, s.a, pool, s.made.idle_chain, s.b, 500 * MS, 700 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    g_assert_cmpuint(parts->len, ==, 2);
    check_part(parts, 0, 100 * MS, 700 * MS, PM_CAUSE_WAKER, s.b);
    check_part(parts, 1, 700 * MS, 900 * MS, PM_CAUSE_WAKER, s.a);
}

/* The worker had something to do as soon as it rested. */
static void who_rests_for_no_time_is_not_followed(void)
{
    Scene s = scene_begin();
    const guint32 pool = pm_made_blocker(&s.made, s.made.queue_class, 7, s.made.idle_chain);
    scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 900 * MS);
    scene_signal(&s, s.a, pool, s.made.idle_chain, s.b, 500 * MS, 500 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    check_part(parts, 0, 100 * MS, 900 * MS, PM_CAUSE_WAKER, s.a);
}

/* A virtual thread, which is expected to end the victim's wait, is looked at. */
static void look_at_virtual(Scene *s, guint32 thread, gint64 at, guint32 chain, gboolean runs)
{
    const PmOwnerSample sample = {.at = at,
                                  .waiter = s->victim,
                                  .blocker = s->future,
                                  .owner = thread,
                                  .chain = chain,
                                  .weight = 1,
                                  .state = runs ? PM_OWNER_RUNNING : PM_OWNER_WAITING,
                                  .role = PM_SAMPLE_ENDER};
    g_array_index(s->made.assembly->threads, PmThread, thread).is_virtual = TRUE;
    g_array_append_val(s->made.assembly->samples, sample);
}

/* A carrier, which rested meanwhile until its scheduler had something for it, wakes who waits for
 * the end of a virtual thread, or for what a task gives. Somebody looked at such a thread then, or
 * not. */
static void end_of_a_virtual_thread_comes_from_within(void)
{
    enum { TASK, UNSEEN, SEEN, N_CASES };
    for (guint which = TASK; which < N_CASES; which++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 idle = pm_made_blocker(&s.made, s.made.queue_class, 8, s.made.idle_chain);
        const guint32 score = pm_made_chain(a, "com.acme.Risk.score", NULL);
        pm_made_wait(&s.made, s.a, idle, s.made.idle_chain, 100 * MS, 895 * MS, 0);
        s.made.other_chain = pm_made_chain(a, "java.util.concurrent.CountDownLatch.countDown",
                                           which == TASK ? "java.util.concurrent.F.run"
                                                         : "java.lang.VirtualThread.afterDone",
                                           "java.util.concurrent.ForkJoinPool.runWorker", NULL);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 900 * MS);
        look_at_virtual(&s, s.c, 200 * MS, s.future_chain, FALSE); /* as the victim does */
        if (which == SEEN)
            look_at_virtual(&s, s.b, 300 * MS, score, FALSE);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        const PmPart *part = &g_array_index(parts, PmPart, 0);
        g_assert_cmpint(part->kind, ==, which == TASK ? PM_CAUSE_ARRIVAL : PM_CAUSE_WAKER);
        g_assert_cmpuint(part->chain, ==,
                         which == TASK     ? 0
                         : which == UNSEEN ? s.future_chain
                                           : score);
        g_assert_true(part->inferred);
    }
}

/* A virtual thread gives a result, at 900 ms; from 300 ms on the carrier always runs others. How
 * much of the wait is theirs; `sleeps`: nor was it seen to wait for a carrier. */
static gint64 time_of_others(gboolean sleeps)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 carrier = pm_made_thread(&s.made, "ForkJoinPool-1-worker-1");
    const guint32 idle = pm_made_blocker(&s.made, s.made.queue_class, 8, s.made.idle_chain);
    const guint32 simulate = pm_made_chain(a, "com.acme.Risk.simulate", NULL);
    const guint32 pause = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Quote.run", NULL);
    s.made.other_chain = pm_made_chain(a, "java.util.concurrent.CompletableFuture.complete",
                                       "com.acme.Quote.run", NULL);
    pm_made_wait(&s.made, carrier, idle, s.made.idle_chain, 50 * MS, 300 * MS, 0);
    scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 900 * MS);
    g_array_index(a->threads, PmThread, s.a).is_virtual = TRUE;
    for (gint64 k = 0; k < 6; k++) {
        look_at_virtual(&s, s.b, (350 + 100 * k) * MS, simulate, TRUE);
        if (sleeps)
            look_at_virtual(&s, pm_made_thread(&s.made, "alpha"), (400 + 100 * k) * MS, pause,
                            FALSE);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    return time_of(parts, s.b);
}

static void who_has_no_carrier_waits_for_what_they_run(void)
{
    g_assert_cmpint(time_of_others(FALSE), ==, 600 * MS);
    g_assert_cmpint(time_of_others(TRUE), ==, 0);
}

/* A holds the lock and rests in its pool meanwhile. `is_inferred`: nobody saw it release the lock,
 * and D has it afterwards. */
static GArray *split_idle_owner(Scene *s, gboolean is_inferred)
{
    guint32 pool = pm_made_blocker(&s->made, s->made.queue_class, 7, s->made.idle_chain);
    scene_lock(s, s->b, 0, is_inferred ? s->c : s->a, 500 * MS, is_inferred ? 900 * MS : 501 * MS);
    pm_made_held_wait(&s->made, s->victim, s->locks[0], s->made.lock_chain, s->a, 100 * MS,
                      is_inferred ? 900 * MS : 500 * MS, is_inferred ? PM_WAIT_IN_PROGRESS : 0);
    pm_made_wait(&s->made, s->a, pool, s->made.idle_chain, 200 * MS, 400 * MS, 0);
    g_autoptr(PmRecording) r = scene_end(s);
    return split(r, s->victim, 100 * MS);
}

static void owner_that_rests_is_not_followed_where_inferred(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_idle_owner(&s, TRUE);
    g_assert_true(check_part(parts, 0, 100 * MS, 500 * MS, PM_CAUSE_OWNER, s.a)->inferred);
}

static void owner_that_rests_has_nothing_to_do(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_idle_owner(&s, FALSE);
    check_part(parts, 0, 100 * MS, 200 * MS, PM_CAUSE_OWNER, s.a);
    check_part(parts, 1, 200 * MS, 400 * MS, PM_CAUSE_ARRIVAL, 0);
    check_part(parts, 2, 400 * MS, 500 * MS, PM_CAUSE_OWNER, s.a);
}

/* Who lets a time pass by parkNanos keeps the lock meanwhile as one that sleeps does. */
static void owner_that_pauses_keeps_the_lock(void)
{
    Scene s = scene_begin();
    const guint32 pause = pm_made_chain(s.made.assembly, "jdk.internal.misc.Unsafe.park",
                                        "java.util.concurrent.locks.LockSupport.parkNanos",
                                        "com.acme.Shop.pause", NULL);
    scene_lock(&s, s.victim, 0, s.a, 100 * MS, 500 * MS);
    PM_MADE_WAIT(s.made.assembly, 150 * MS, 450 * MS, s.a, 0, pause,
                 .wake_cause = PM_WAKE_TIME_OUT);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_assert_cmpint(pm_wait_category(&r->waits, pm_row_of(r, s.a, 150 * MS)), ==,
                    PM_CATEGORY_TIMER);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    const PmPart *pauses = check_part(parts, 1, 150 * MS, 450 * MS, PM_CAUSE_OWNER, s.a);
    g_assert_cmpuint(pauses->chain, ==, pause);
}

/* So does who parks for a while before it gives a result, or makes room: but not where it gives, as
 * what keeps time, where others take what comes. */
static void giver_that_pauses_is_at_work(void)
{
    for (guint queued = 0; queued < 2; queued++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 pause = pm_made_chain(
            a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.LockSupport.parkNanos",
            queued ? "com.acme.Clock.run" : "com.acme.Uploader.send",
            queued ? "java.lang.Thread.run" : "com.acme.Uploader.run", NULL);
        const guint32 gives =
            pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                          queued ? "java.util.concurrent.LinkedBlockingQueue.put"
                                 : "java.util.concurrent.FutureTask.set",
                          queued ? "com.acme.Clock.run" : "com.acme.Uploader.run", NULL);
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                                            "java.util.concurrent.LinkedBlockingQueue.take",
                                            "com.acme.Shop.run", NULL);
        const guint32 queue = pm_made_blocker(&s.made, s.made.queue_class, 6, takes);
        PM_MADE_WAIT(a, 100 * MS, 500 * MS, s.victim, queued ? queue : s.future,
                     queued ? takes : s.future_chain, .wake = 500 * MS, .waker = s.a,
                     .waker_chain = gives, .wake_cause = PM_WAKE_RELEASE);
        PM_MADE_WAIT(a, 50 * MS, 450 * MS, s.a, 0, pause, .wake_cause = PM_WAKE_TIME_OUT);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        const PmPart *pauses =
            check_part(parts, 0, 100 * MS, 450 * MS, queued ? PM_CAUSE_ARRIVAL : PM_CAUSE_WAKER,
                       queued ? 0 : s.a);
        if (!queued)
            g_assert_cmpuint(pauses->chain, ==, pause);
    }
}

/* It keeps the lock until an answer comes, for which somebody waits at rest: no one else can. */
static void owner_that_waits_for_an_answer_keeps_the_lock(void)
{
    Scene s = scene_begin();
    const guint32 queue = pm_made_blocker(&s.made, s.made.queue_class, 7, s.made.idle_chain);
    scene_lock(&s, s.victim, 0, s.a, 100 * MS, 500 * MS);
    scene_signal(&s, s.a, s.future, s.future_chain, s.b, 200 * MS, 450 * MS);
    pm_made_wait(&s.made, s.b, queue, s.made.idle_chain, 150 * MS, 400 * MS, 0);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    check_part(parts, 0, 100 * MS, 200 * MS, PM_CAUSE_OWNER, s.a);
    const PmPart *waits = check_part(parts, 1, 200 * MS, 400 * MS, PM_CAUSE_OWNER, s.a);
    g_assert_cmpuint(waits->chain, ==, s.future_chain);
    g_assert_cmpint(time_of(parts, 0), ==, 0);
}

/* A gives the victim's result; before that it waits for an answer, or for others at a barrier. */
static void who_waits_for_an_answer_keeps_a_result(void)
{
    for (guint at_barrier = 0; at_barrier < 2; at_barrier++) {
        Scene s = scene_begin();
        const guint32 meets =
            pm_made_chain(s.made.assembly, "java.util.concurrent.locks.LockSupport.park",
                          "java.util.concurrent.CyclicBarrier.dowait", "com.acme.Rates.meet", NULL);
        const guint32 asks = at_barrier ? meets : s.future_chain;
        const guint32 answer =
            at_barrier ? pm_made_blocker(&s.made, s.made.queue_class, 6, meets) : s.future;
        const guint32 queue = pm_made_blocker(&s.made, s.made.queue_class, 7, s.made.idle_chain);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 500 * MS);
        scene_signal(&s, s.a, answer, asks, s.b, 150 * MS, 450 * MS);
        pm_made_wait(&s.made, s.b, queue, s.made.idle_chain, 150 * MS, 449 * MS, 0);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        const PmPart *waits = &g_array_index(parts, PmPart, 1);
        g_assert_cmpint(waits->kind, ==, at_barrier ? PM_CAUSE_ARRIVAL : PM_CAUSE_WAKER);
        g_assert_cmpuint(waits->chain, ==, at_barrier ? 0 : asks);
    }
}

/* A lock that readers share has no owner: two releases, or only the last of them. */
static GArray *split_shared(Scene *s, gboolean two)
{
    if (two)
        scene_signal(s, s->c, s->locks[0], s->made.lock_chain, s->a, 100 * MS, 300 * MS);
    scene_signal(s, s->victim, s->locks[0], s->made.lock_chain, s->b, 100 * MS, 900 * MS);
    g_autoptr(PmRecording) r = scene_end(s);
    return split(r, s->victim, 100 * MS);
}

/* The victim waits until a process ends; or, `served`, for A's result, which does. Its end is told
 * by a thread of the platform. */
static GArray *split_process(Scene *s, gboolean served)
{
    PmAssembly *a = s->made.assembly;
    const guint32 converts =
        pm_made_chain(a, "java.lang.Object.wait", "java.lang.ProcessImpl.waitFor",
                      "com.acme.Converter.convert", NULL);
    const guint32 reaps = pm_made_chain(a, "java.lang.ProcessHandleImpl.waitForProcessExit0",
                                        "java.lang.ProcessHandleImpl$1.run", NULL);
    const guint32 process =
        pm_made_blocker(&s->made, pm_assembly_add_class(a, "java.lang.ProcessImpl"), 7, converts);
    const PmOwnerSample sample = {
        .at = 500 * MS, .owner = s->b, .chain = reaps, .role = PM_SAMPLE_ENDER};
    s->made.other_chain = reaps;
    scene_signal(s, served ? s->a : s->victim, process, converts, s->b, 100 * MS, 900 * MS);
    if (served)
        scene_signal(s, s->victim, s->future, s->future_chain, s->a, 100 * MS, 900 * MS);
    g_array_append_val(a->samples, sample);
    g_autoptr(PmRecording) r = scene_end(s);
    return split(r, s->victim, 100 * MS);
}

/* A process ends as what comes from outside does; whose result others wait for meanwhile is told by
 * the code that waits for it. */
static void end_of_a_process_comes_from_outside(void)
{
    Scene alone = scene_begin(), served = scene_begin();
    g_autoptr(GArray) of_process = split_process(&alone, FALSE);
    g_autoptr(GArray) of_result = split_process(&served, TRUE);
    const PmPart *arrives = check_part(of_process, 0, 100 * MS, 900 * MS, PM_CAUSE_ARRIVAL, 0);
    const PmPart *works = check_part(of_result, 0, 100 * MS, 900 * MS, PM_CAUSE_WAKER, served.a);
    g_assert_cmpuint(arrives->brought, ==, alone.made.other_chain);
    g_assert_cmpuint(works->brought, ==, 0);
}

static void shared_lock_is_held_up_to_each_release(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_shared(&s, TRUE);
    g_assert_cmpuint(parts->len, ==, 2);
    g_assert_true(check_part(parts, 0, 100 * MS, 300 * MS, PM_CAUSE_WAKER, s.a)->inferred);
    check_part(parts, 1, 300 * MS, 900 * MS, PM_CAUSE_WAKER, s.b);
}

/* Who gave up waits for the same as who was let in. */
static void shared_lock_is_held_up_to_a_time_out(void)
{
    Scene s = scene_begin();
    PM_MADE_WAIT(s.made.assembly, 100 * MS, 200 * MS, s.b, s.locks[0], s.made.lock_chain,
                 .wake_cause = PM_WAKE_TIME_OUT);
    scene_signal(&s, s.victim, s.locks[0], s.made.lock_chain, s.a, 100 * MS, 300 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.b, 100 * MS);
    g_assert_true(check_part(parts, 0, 100 * MS, 200 * MS, PM_CAUSE_WAKER, s.a)->inferred);
}

static void shared_lock_with_one_release_is_its_makers(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_shared(&s, FALSE);
    g_assert_cmpuint(parts->len, ==, 1);
    g_assert_true(check_part(parts, 0, 100 * MS, 900 * MS, PM_CAUSE_WAKER, s.b)->inferred);
}

/* The victim comes first to a barrier, `n` more come and wait, and C comes last and opens it. */
/* After `before` rounds of the victim's. */
static GArray *split_barrier_in(Scene *s, guint n, guint before, const char *method)
{
    guint32 chain = pm_made_chain(s->made.assembly, "java.util.concurrent.locks.LockSupport.park",
                                  "java.util.concurrent.CyclicBarrier.dowait", method, NULL);
    guint32 barrier = pm_made_blocker(&s->made, s->made.queue_class, 5, chain);
    for (guint i = 0; i < before; i++)
        scene_signal(s, s->victim, barrier, chain, s->c, i * MS, (i + 1) * MS);
    scene_signal(s, s->victim, barrier, chain, s->c, 100 * MS, 400 * MS);
    if (n > 0)
        scene_signal(s, s->a, barrier, chain, s->c, 200 * MS, 400 * MS);
    if (n > 1)
        scene_signal(s, s->b, barrier, chain, s->c, 300 * MS, 400 * MS);
    g_autoptr(PmRecording) r = scene_end(s);
    return split(r, s->victim, 100 * MS);
}

static GArray *split_barrier(Scene *s, guint n)
{
    return split_barrier_in(s, n, 0, "com.acme.Phase.run");
}

/* Also behind `n_before` waits of another kind: blocks of rows without a barrier are passed over.
 */
static void check_barrier(guint n_before)
{
    Scene s = scene_begin();
    for (guint i = 0; i < n_before; i++)
        pm_made_wait(&s.made, s.a, s.locks[0], s.made.lock_chain, i * 10000, i * 10000 + 5000, 0);
    g_autoptr(GArray) parts = split_barrier(&s, 2);
    for (guint i = 0; i < parts->len; i++)
        g_assert_cmpint(g_array_index(parts, PmPart, i).kind, ==, PM_CAUSE_WAKER);
    g_assert_cmpint(time_of(parts, s.a), ==, 33333333);
    g_assert_cmpint(time_of(parts, s.b), ==, 33333334 + 50 * MS);
    g_assert_cmpint(time_of(parts, s.c), ==, 33333333 + 50 * MS + 100 * MS);
}

static void barrier_waits_for_all_that_have_not_come(void)
{
    check_barrier(0);
    check_barrier(9000);
}

/* C opens the barrier. It was seen asleep before: where it comes, as what keeps time is, or by a
 * helper, as who polls is, or in what it has to do, or where all come. */
static void party_that_keeps_time_is_no_fault(void)
{
    enum { KEEPS_TIME, MAY_BE_LAST_BY_CHANCE, BY_A_HELPER, WORKS_ELSEWHERE, WORKS_AS_ALL };
    for (guint works = KEEPS_TIME; works <= WORKS_AS_ALL; works++) {
        const gboolean alike = works == MAY_BE_LAST_BY_CHANCE || works == WORKS_AS_ALL;
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 seen =
            works == WORKS_ELSEWHERE || works == BY_A_HELPER
                ? pm_made_chain(a, "java.lang.Thread.sleep",
                                works == BY_A_HELPER ? "com.acme.Times.sleepFor"
                                                     : "com.acme.Clock.work",
                                "com.acme.Clock.tick", NULL)
                : pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Clock.tick", NULL);
        for (gint64 at = 110 * MS; at < 400 * MS; at += 50 * MS)
            pm_made_sample(a, PM_SAMPLE_ENDER, s.victim, s.future, s.c, seen, at);
        s.made.other_chain = pm_made_chain(a, "java.util.concurrent.CyclicBarrier.await",
                                           "com.acme.Clock.tick", NULL);
        g_autoptr(GArray) parts =
            split_barrier_in(&s, 0, works == WORKS_AS_ALL ? 10 : 5,
                             alike ? "com.acme.Clock.tick" : "com.acme.Phase.run");
        g_assert_cmpint(time_of(parts, s.c), ==, works >= BY_A_HELPER ? 300 * MS : 0);
    }
}

/* A owns a monitor that the victim wants to enter; it was seen in it in one stack trace. Consumes
 * the scene. */
static gint64 owner_seen_in(Scene *s, guint32 enters, guint32 seen)
{
    PmAssembly *a = s->made.assembly;
    for (gint64 at = 110 * MS; at < 400 * MS; at += 50 * MS)
        pm_made_sample(a, PM_SAMPLE_OWNER, s->victim, s->locks[0], s->a, seen, at);
    PM_MADE_WAIT(a, 100 * MS, 400 * MS, s->victim, s->locks[0], enters, .kind = PM_KIND_ENTER,
                 .owner = s->a);
    g_autoptr(PmRecording) r = scene_end(s);
    g_autoptr(GArray) parts = split(r, s->victim, 100 * MS);
    return time_of(parts, s->a);
}

/* It was seen in `called`, in the method in which the victim wants to enter it; `deep`: which it
 * does in a request. */
static gint64 owner_that_listens(const char *called, gboolean deep)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const char *caller = deep ? "com.acme.Request.serve" : "com.acme.Desk.run";
    const guint32 enters =
        pm_made_chain(a, "com.acme.Door.lead", caller, deep ? "com.acme.Desk.run" : NULL, NULL);
    return owner_seen_in(&s, enters,
                         pm_made_chain(a, called, "com.acme.Door.lead", caller,
                                       deep ? "com.acme.Desk.run" : NULL, NULL));
}

/* It listens in a method that Door.lead calls, in which the victim wants to enter. */
static gint64 owner_whose_helper_listens(const char *called, const char *caller, gboolean deep)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const char *base = deep ? "com.acme.Request.serve" : NULL;
    const guint32 enters = pm_made_chain(a, "com.acme.Door.lead", "com.acme.Desk.run", base, NULL);
    return owner_seen_in(
        &s, enters,
        pm_made_chain(a, called, "com.acme.Door.listen", caller, "com.acme.Desk.run", base, NULL));
}

/* Both read, by `victims` and by `owners`, in one method, from a socket; `deep`: in a request. */
static gint64 owner_that_reads(const char *victims, const char *owners, gboolean deep)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const char *caller = deep ? "com.acme.Shop.ask" : NULL;
    const guint32 enters =
        pm_made_chain(a, "jdk.internal.misc.InternalLock.lock", victims, "com.acme.Line.next",
                      deep ? caller : "com.acme.Desk.run", deep ? "com.acme.Desk.run" : NULL, NULL);
    return owner_seen_in(&s, enters,
                         pm_made_chain(a, "sun.nio.ch.NioSocketImpl.read", owners,
                                       "com.acme.Line.next", deep ? caller : "com.acme.Desk.run",
                                       deep ? "com.acme.Desk.run" : NULL, NULL));
}

static void who_listens_too_is_no_fault(void)
{
    g_assert_cmpint(owner_that_listens("java.net.ServerSocket.accept", TRUE), ==, 0);
    g_assert_cmpint(owner_that_listens("java.net.DatagramSocket.receive", FALSE), ==, 0);
    g_assert_cmpint(owner_that_listens("java.net.DatagramSocket.receive", TRUE), ==, 300 * MS);
    g_assert_cmpint(owner_that_listens("java.net.Socket.read", FALSE), ==, 300 * MS);
    const char *accept = "java.net.ServerSocket.accept", *select = "sun.nio.ch.SelectorImpl.select";
    g_assert_cmpint(owner_whose_helper_listens(accept, "com.acme.Door.lead", FALSE), ==, 0);
    g_assert_cmpint(owner_whose_helper_listens(accept, "com.acme.Door.lead", TRUE), ==, 300 * MS);
    g_assert_cmpint(owner_whose_helper_listens(accept, "com.acme.Door.open", FALSE), ==, 300 * MS);
    /* It may have asked for what it waits for. */
    g_assert_cmpint(owner_whose_helper_listens(select, "com.acme.Door.lead", FALSE), ==, 300 * MS);
    const char *line = "java.io.BufferedReader.readLine";
    g_assert_cmpint(owner_that_reads(line, line, FALSE), ==, 0);
    g_assert_cmpint(owner_that_reads(line, line, TRUE), ==, 300 * MS);
    g_assert_cmpint(owner_that_reads(line, "java.io.BufferedReader.skip", FALSE), ==, 300 * MS);
    g_assert_cmpint(owner_that_reads("org.db.Session.query", "org.db.Session.query", FALSE), ==,
                    300 * MS);
}

/* A waits in a queue while it owns the lock that the victim wants: for what beta adds, which was
 * seen in `call` in `where_seen`. How long the victim waits for either. */
static gint64 owner_that_takes(const char *where, const char *call, const char *where_seen)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 takes = pm_made_chain(
        a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.LockSupport.park",
        "java.util.concurrent.LinkedBlockingQueue.take", where, NULL);
    const guint32 queue = pm_made_blocker(&s.made, s.made.queue_class, 12, takes);
    const guint32 wants = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                        "java.util.concurrent.locks.ReentrantLock.lock",
                                        "com.acme.Taker.serve", NULL);
    for (gint64 at = 110 * MS; at < 400 * MS; at += 50 * MS) {
        pm_made_sample(a, PM_SAMPLE_ENDER, s.a, queue, s.b,
                       pm_made_chain(a, call, where_seen, NULL), at);
    }
    PM_MADE_WAIT(a, 100 * MS, 400 * MS, s.a, queue, takes, .wake = 400 * MS, .waker = s.b,
                 .waker_chain = pm_made_chain(a, "java.util.concurrent.LinkedBlockingQueue.put",
                                              "com.acme.Feed.run", NULL),
                 .wake_cause = PM_WAKE_RELEASE);
    pm_made_held_wait(&s.made, s.victim, s.locks[0], wants, s.a, 100 * MS, 401 * MS, 0);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    return time_of(parts, s.a) - 1 * MS + time_of(parts, s.b); /* it gives back in the last one */
}

/* Nobody of those who take in turns is held up by another; unless what they take may be answers. */
static void who_takes_under_a_lock_has_nothing_to_do(void)
{
    const char *serves = "com.acme.Taker.serve", *feeds = "com.acme.Feed.run",
               *loads = "com.acme.Prices.load", *sleep = "java.lang.Thread.sleep";
    g_assert_cmpint(owner_that_takes(serves, sleep, feeds), ==, 0);
    g_assert_cmpint(owner_that_takes(loads, sleep, feeds), ==, 300 * MS);
    g_assert_cmpint(owner_that_takes(serves, sleep, loads), ==, 300 * MS);
    g_assert_cmpint(owner_that_takes(serves, "java.net.Socket.read", feeds), ==, 300 * MS);
}

/* Each that waits for a phaser has an object of its own there, and may wake the others. C opens it;
 * the victim is woken by A, and was interrupted twice. */
static void phaser_waits_for_all_that_have_not_come(void)
{
    Scene s = scene_begin();
    guint32 chain = pm_made_chain(s.made.assembly, "java.util.concurrent.locks.LockSupport.park",
                                  "java.util.concurrent.Phaser$QNode.block",
                                  "java.util.concurrent.Phaser.arriveAndAwaitAdvance",
                                  "com.acme.Phase.run", NULL);
    guint32 node = pm_assembly_add_class(s.made.assembly, "java.util.concurrent.Phaser$QNode");
    guint32 its = pm_made_blocker(&s.made, node, 5, chain);
    PmWaitRow row = {.thread = s.victim, .blocker = its, .chain = chain};
    for (guint i = 0; i < 3; i++) {
        row.begin = (gint64)(100 + 50 * i) * MS;
        row.end = row.wake = i < 2 ? row.begin + 50 * MS : 401 * MS;
        row.waker = i < 2 ? 0 : s.a;
        row.wake_cause = i < 2 ? PM_WAKE_INTERRUPT : PM_WAKE_PROPAGATION;
        pm_assembly_add_wait(s.made.assembly, &row);
    }
    scene_signal(&s, s.a, pm_made_blocker(&s.made, node, 6, chain), chain, s.c, 300 * MS, 400 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    gint64 alpha = 0, gamma = 0;
    for (gint64 begin = 100; begin <= 200; begin += 50) {
        g_autoptr(GArray) parts = split(r, s.victim, begin * MS);
        for (guint i = 0; i < parts->len; i++)
            g_assert_true(begin == 200 || g_array_index(parts, PmPart, i).inferred);
        alpha += time_of(parts, s.a);
        gamma += time_of(parts, s.c);
    }
    g_assert_cmpint(alpha, ==, 100 * MS);
    g_assert_cmpint(gamma, ==, 200 * MS);
}

/* Whether the last part of a wait for a phaser until 300 ms is exact: it was woken by A, of which
 * it is `known` where, and A by C. */
static gboolean is_exact_at_a_phaser(guint8 cause, gboolean known, guint32 *ret_thread)
{
    Scene s = scene_begin();
    guint32 chain = pm_made_chain(s.made.assembly, "java.util.concurrent.locks.LockSupport.park",
                                  "java.util.concurrent.Phaser$QNode.block",
                                  "java.util.concurrent.Phaser.arriveAndAwaitAdvance",
                                  "com.acme.Phase.run", NULL);
    guint32 node = pm_assembly_add_class(s.made.assembly, "java.util.concurrent.Phaser$QNode");
    PM_MADE_WAIT(s.made.assembly, 100 * MS, 300 * MS + 2000, s.victim,
                 pm_made_blocker(&s.made, node, 5, chain), chain, .wake = 300 * MS + 2000,
                 .waker = s.a, .waker_chain = known ? s.made.other_chain : 0, .wake_cause = cause);
    scene_signal(&s, s.a, pm_made_blocker(&s.made, node, 6, chain), chain, s.c, 200 * MS, 300 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts =
        pm_parts_of(r, pm_row_of(r, s.victim, 100 * MS), pm_contention_split_here);
    gboolean exact = FALSE;
    for (guint i = 0; i < parts->len; i++) {
        const PmPart *part = &g_array_index(parts, PmPart, i);
        if (part->kind != PM_CAUSE_WAKER || part->end <= 200 * MS)
            continue;
        exact = !part->inferred;
        *ret_thread = part->thread == s.c ? 'c' : 'a';
    }
    return exact;
}

static void only_who_came_last_opens_a_phaser_exactly(void)
{
    guint32 thread;
    g_assert_true(is_exact_at_a_phaser(PM_WAKE_COMPLETION, TRUE, &thread));
    g_assert_cmpuint(thread, ==, 'a');
    /* It came as the victim resumed: A may well have passed on what C did. */
    g_assert_false(is_exact_at_a_phaser(PM_WAKE_UNKNOWN, FALSE, &thread));
    g_assert_cmpuint(thread, ==, 'c');
    /* A may have met C at another phaser. */
    g_assert_false(is_exact_at_a_phaser(PM_WAKE_PROPAGATION, TRUE, &thread));
    g_assert_cmpuint(thread, ==, 'c');
}

static void barrier_of_two_waits_for_the_other(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) parts = split_barrier(&s, 0);
    g_assert_cmpuint(parts->len, ==, 1);
    check_part(parts, 0, 100 * MS, 400 * MS, PM_CAUSE_WAKER, s.c);
}

/* Another hands one out to each that waits; or each gives it back itself, to a queue that all wait
 * at, in a pool with an object for each wait, or to a synchronizer of the program's own. */
typedef enum { HANDED_OUT, POOL, KEYED_POOL, OWN_SHARED } Lender;

/* One thing goes round from the slow thread to four quick ones, twelve times, for 8 ms and for 1.
 * `patient`: somebody (0: nobody) gets one in the end only. */
static PmRecording *make_round(Scene *s, Lender lender, guint32 patient, guint32 *ret_slow,
                               guint32 *ret_quick, guint32 *ret_blocker)
{
    guint32 chain = pm_made_chain(
        s->made.assembly, "java.util.concurrent.locks.LockSupport.park",
        lender == KEYED_POOL   ? "org.apache.commons.pool2.impl.GenericKeyedObjectPool.borrowObject"
        : lender == OWN_SHARED ? JUC
            "locks.AbstractQueuedLongSynchronizer.acquireSharedInterruptibly"
                               : JUC "LinkedBlockingQueue.take",
        "com.acme.Sessions.borrow", NULL);
    guint32 threads[5], other = pm_made_thread(&s->made, "producer");
    gint64 at = 0, gave[5] = {0};
    *ret_blocker = pm_made_blocker(
        &s->made,
        lender == OWN_SHARED ? pm_assembly_add_class(s->made.assembly, "com.acme.Memory$Sync")
                             : s->made.queue_class,
        6, chain);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = pm_made_thread(&s->made, i ? "exec-1" : "newsletter");
    for (guint k = 0; k < 60; k++) {
        guint now = k % 5, next = (k + 1) % 5;
        at += now ? MS : 8 * MS;
        if (lender == KEYED_POOL)
            *ret_blocker = pm_made_blocker(&s->made, s->made.queue_class, 10 + k, chain);
        scene_signal(s, threads[next], *ret_blocker, chain,
                     lender == HANDED_OUT ? other : threads[now], gave[next], at);
        gave[now] = at;
    }
    if (patient)
        scene_signal(s, patient, *ret_blocker, chain, threads[4], MS, at);
    *ret_slow = threads[0];
    *ret_quick = threads[3];
    return scene_end(s);
}

static void check_pool(gsize at_once, Lender lender)
{
    const gsize before = pm_contention_uses_at_once;
    guint32 slow, quick, blocker;
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = make_round(&s, lender, 0, &slow, &quick, &blocker);
    pm_contention_uses_at_once = at_once;
    const PmContention *contention = pm_recording_contention(r, NULL);
    pm_contention_uses_at_once = before;
    g_assert_true(pm_contention_is_resource(contention, blocker));
    PmFinding finding = {.blocker = blocker};
    pm_evidence_add_held(&finding, contention);
    g_assert_cmpuint(finding.n_evidence, ==, 1);
    g_assert_true(g_str_has_prefix(finding.evidence[0].text, "as far as seen 1 is held at a time"));
    pm_finding_clear(&finding);
    /* From its give after 59 ms to its take at 70 ms others had it, the slow one for 8. */
    g_autoptr(GArray) parts = split(r, quick, 59 * MS);
    g_assert_cmpint(time_of(parts, slow), ==, 8 * MS);
    g_assert_cmpint(time_of(parts, 0), ==, 0);
}

/* Also where its uses are so many that they are looked at in slices. */
static void who_keeps_what_a_pool_has_is_the_cause(void)
{
    check_pool(8192, POOL);
    check_pool(1, POOL);
}

/* Shared acquires may be a latch's, too: but who waits for that does not give it. */
static void own_synchronizer_may_lend(void)
{
    check_pool(8192, OWN_SHARED);
}

static void pool_with_an_object_for_each_wait_is_one(void)
{
    check_pool(8192, KEYED_POOL);
}

/* Whoever keeps it was seen elsewhere than where it gives it back, also in stretches too short to
 * be followed: those of a quick one in a long wait. */
static void who_keeps_what_a_pool_has_is_seen_at_work(void)
{
    guint32 slow, quick, blocker;
    Scene s = scene_begin();
    const guint32 first = s.c + 2; /* of the round, behind the producer */
    const guint32 loads =
        pm_made_chain(s.made.assembly, "java.lang.Thread.sleep", "com.acme.Prices.load",
                      "com.acme.Report.render", "java.lang.Thread.run", NULL);
    for (gint64 at = 24 * MS; at < 140 * MS; at += 12 * MS) {
        const PmOwnerSample samples[] = {
            {.at = at + 4 * MS, .owner = first, .chain = loads, .role = PM_SAMPLE_ENDER},
            {.at = at + 10 * MS + 1, .owner = first + 3, .chain = loads, .role = PM_SAMPLE_ENDER}};
        g_array_append_vals(s.made.assembly->samples, samples, 2);
    }
    g_autoptr(PmRecording) r = make_round(&s, POOL, s.victim, &slow, &quick, &blocker);
    g_assert_cmpuint(slow, ==, first);
    g_assert_cmpuint(quick, ==, first + 3);
    g_autoptr(GArray) parts = split(r, s.victim, MS);
    gint64 seen[2] = {0};
    for (guint k = 0; k < parts->len; k++) {
        const PmPart *part = &g_array_index(parts, PmPart, k);
        if (part->chain == loads && (part->thread == slow || part->thread == quick))
            seen[part->thread == quick] += part->end - part->begin;
    }
    g_assert_cmpint(seen[0], ==, time_of(parts, slow));
    g_assert_cmpint(seen[1], ==, time_of(parts, quick));
    g_assert_cmpint(seen[0], >, 80 * MS);
    g_assert_cmpint(seen[1], >, 8 * MS);
}

/* Who keeps it waits meanwhile until a client reads, which a thread of the platform tells: it is no
 * less the cause than at work, and keeps it as long. */
static void who_waits_for_outside_with_what_a_pool_has_is_the_cause(void)
{
    guint32 slow, quick, blocker;
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 first = s.c + 2;
    const guint32 writes = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Report.write",
                                         "java.lang.Thread.run", NULL);
    const guint32 polls = pm_made_chain(a, "sun.nio.ch.EPoll.wait", "java.lang.Thread.run", NULL);
    const guint32 socket =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "java.lang.Object"), 7, writes);
    for (gint64 at = 24 * MS; at < 700 * MS; at += 12 * MS) {
        const PmOwnerSample sample = {
            .at = at + 4 * MS, .owner = s.a, .chain = polls, .role = PM_SAMPLE_ENDER};
        g_array_append_val(a->samples, sample);
        PM_MADE_WAIT(a, at + MS, at + 7 * MS, first, socket, writes, .kind = PM_KIND_WAIT,
                     .wake = at + 7 * MS, .waker = s.a, .waker_chain = polls,
                     .wake_cause = PM_WAKE_NOTIFY);
    }
    g_autoptr(PmRecording) r = make_round(&s, POOL, s.victim, &slow, &quick, &blocker);
    g_autoptr(GArray) parts = split(r, s.victim, MS);
    gint64 seen = 0;
    for (guint k = 0; k < parts->len; k++) {
        const PmPart *part = &g_array_index(parts, PmPart, k);
        g_assert_cmpint(part->kind, !=, PM_CAUSE_ARRIVAL);
        if (part->thread == slow && part->chain == writes) {
            seen += part->end - part->begin;
            g_assert_cmpint(part->held, ==, 8 * MS);
        }
    }
    g_assert_cmpint(seen, >=, 60 * MS);
}

/* Most holds of a lock are short, and one is long, of which there are more samples: a short one
 * that was not looked at is taken for like a short one, not for like the long one nearest in time.
 */
static void unseen_hold_is_like_one_as_long(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 gives = pm_made_chain(a, "jdk.internal.misc.Unsafe.unpark",
                                        "java.util.concurrent.locks.ReentrantLock.unlock",
                                        "com.acme.World.turn", "com.acme.Main.main", NULL);
    const guint32 ticks = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.World.tick",
                                        "com.acme.World.turn", "com.acme.Main.main", NULL);
    const guint32 saves = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.SaveFile.write",
                                        "com.acme.World.turn", "com.acme.Main.main", NULL);
    for (gint64 k = 0; k < 9; k++) {
        const gint64 begin = 100 * k * MS + 20 * MS, end = begin + (k == 3 ? 60 : 4) * MS;
        PM_MADE_WAIT(a, begin, end, s.victim, s.locks[0], s.made.lock_chain, .owner = s.a,
                     .wake = end, .waker = s.a, .waker_chain = gives,
                     .wake_cause = PM_WAKE_RELEASE);
        for (gint64 at = begin + 2 * MS; at < end && k < 4; at += 20 * MS) {
            const PmOwnerSample sample = {.at = at,
                                          .waiter = s.victim,
                                          .blocker = s.locks[0],
                                          .owner = s.a,
                                          .chain = k == 3 ? saves : ticks};
            g_array_append_val(a->samples, sample);
        }
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    for (gint64 k = 0; k < 9; k++) {
        g_autoptr(GArray) parts = split(r, s.victim, 100 * k * MS + 20 * MS);
        g_assert_cmpuint(g_array_index(parts, PmPart, 0).thread, ==, s.a);
        g_assert_cmpuint(g_array_index(parts, PmPart, 0).chain, ==, k == 3 ? saves : ticks);
    }
}

/* A library that the program calls with a lock calls itself so often that what called it is cut off
 * in half of the samples: those tell no less that its owner was in that call. */
static void trace_that_is_cut_off_is_like_the_others(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 gives = pm_made_chain(a, "jdk.internal.misc.Unsafe.unpark",
                                        "java.util.concurrent.locks.ReentrantLock.unlock",
                                        "com.acme.Rules.replace", "com.acme.Main.main", NULL);
    const guint32 compiles = pm_made_chain(a, "javax.tools.Parser.next",
                                           "javax.tools.Compiler.call", "com.acme.Rules.compile",
                                           "com.acme.Rules.replace", "com.acme.Main.main", NULL);
    PmFrame frames[64] = {{0}};
    for (guint i = 0; i < G_N_ELEMENTS(frames); i++)
        frames[i] = (PmFrame){pm_made_method_once(a, "javax.tools.Types", "visit"), (gint32)i + 1};
    const guint32 deep = pm_assembly_add_chain(a, frames, G_N_ELEMENTS(frames), TRUE);
    for (gint64 k = 0; k < 8; k++) {
        const gint64 begin = 100 * k * MS + 20 * MS, end = begin + 40 * MS;
        const PmOwnerSample sample = {.at = begin + 20 * MS,
                                      .waiter = s.victim,
                                      .blocker = s.locks[0],
                                      .owner = s.a,
                                      .chain = k % 2 ? deep : compiles};
        g_array_append_val(a->samples, sample);
        PM_MADE_WAIT(a, begin, end, s.victim, s.locks[0], s.made.lock_chain, .owner = s.a,
                     .wake = end, .waker = s.a, .waker_chain = gives,
                     .wake_cause = PM_WAKE_RELEASE);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    for (gint64 k = 0; k < 8; k++) {
        g_autoptr(GArray) parts = split(r, s.victim, 100 * k * MS + 20 * MS);
        g_assert_cmpuint(g_array_index(parts, PmPart, 0).thread, ==, s.a);
        g_assert_cmpuint(g_array_index(parts, PmPart, 0).chain, ==, compiles);
    }
}

/* A library's helper, which gives back where no code of the program's is, does something of the
 * program's meanwhile, as who makes connections for a pool. */
static void what_a_librarys_helper_keeps_is_seen_at_work(void)
{
    guint32 slow, quick, blocker;
    Scene s = scene_begin();
    const guint32 first = s.c + 2;
    const guint32 makes = pm_made_chain(s.made.assembly, "java.lang.Thread.sleep",
                                        "com.acme.Branch.connect", "java.lang.Thread.run", NULL);
    s.made.other_chain =
        pm_made_chain(s.made.assembly, "java.util.concurrent.LinkedBlockingQueue.offer",
                      "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
    for (gint64 at = 24 * MS; at < 140 * MS; at += 12 * MS) {
        const PmOwnerSample sample = {
            .at = at + 4 * MS, .owner = first, .chain = makes, .role = PM_SAMPLE_ENDER};
        g_array_append_val(s.made.assembly->samples, sample);
    }
    g_autoptr(PmRecording) r = make_round(&s, POOL, s.victim, &slow, &quick, &blocker);
    g_autoptr(GArray) parts = split(r, s.victim, MS);
    gint64 seen = 0;
    for (guint k = 0; k < parts->len; k++) {
        const PmPart *part = &g_array_index(parts, PmPart, k);
        if (part->chain == makes && part->thread == slow)
            seen += part->end - part->begin;
    }
    g_assert_cmpint(seen, >, 80 * MS);
}

/* Visitors wait in a counter's monitor for a clerk, and that for them; `sides`: each in a method of
 * its own. Is the counter a resource? */
static gboolean lends_at_a_counter(gboolean sides)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 asks = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Counter.submit",
                                       "com.acme.Visitor.run", NULL);
    const guint32 rests = pm_made_chain(a, "java.lang.Object.wait",
                                        sides ? "com.acme.Counter.next" : "com.acme.Counter.submit",
                                        "com.acme.Clerk.run", NULL);
    const guint32 counter =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "com.acme.Counter"), 7, asks);
    const guint32 visitors[] = {s.a, s.b, s.c};
    for (gint64 k = 0; k < 24; k++) {
        const guint32 visitor = visitors[k % 3];
        PmWaitRow row = {.begin = (30 * k + 2) * MS,
                         .end = 30 * (k + 1) * MS,
                         .wake = 30 * (k + 1) * MS,
                         .kind = PM_KIND_WAIT,
                         .thread = s.victim,
                         .blocker = counter,
                         .chain = rests,
                         .waker = visitors[(k + 1) % 3],
                         .waker_chain = asks,
                         .wake_cause = PM_WAKE_NOTIFY};
        pm_assembly_add_wait(a, &row);
        row.begin = 30 * k * MS + MS / 10;
        row.end = row.wake = (30 * k + 2) * MS;
        row.thread = visitor;
        row.chain = asks;
        row.waker = s.victim;
        row.waker_chain = rests;
        pm_assembly_add_wait(a, &row);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    return pm_contention_is_resource(contention, counter);
}

static void a_monitor_with_sides_lends_nothing(void)
{
    g_assert_true(lends_at_a_counter(FALSE));
    g_assert_false(lends_at_a_counter(TRUE));
}

/* Five parties meet at a monitor of the program's own, or at a condition, the last of which tells
 * all others, or, as a pool does, one. Each is last at times. */
static gboolean lends_where_parties_meet(gboolean all, gboolean in_monitor)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const char *waits = in_monitor ? "java.lang.Object.wait"
                                   : JUC "locks.AbstractQueuedSynchronizer$ConditionObject.await";
    const guint32 meets =
        pm_made_chain(a, waits, "com.acme.Meeting.meet", "com.acme.Party.run", NULL);
    const guint32 tells = pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Meeting.meet",
                                        "com.acme.Party.run", NULL);
    const guint32 meeting = pm_made_blocker(
        &s.made, in_monitor ? pm_assembly_add_class(a, "com.acme.Meeting") : s.made.queue_class, 7,
        meets);
    const guint32 parties[] = {s.victim, s.a, s.b, s.c};
    for (gint64 k = 0; k < 30; k++)
        for (gint64 i = 1; i < 4; i++) {
            const gint64 end = (30 * (k + 1) - 4 + (all ? 0 : i)) * MS;
            PM_MADE_WAIT(a, (30 * k + i) * MS, end, parties[(k + i) % 4], meeting, meets,
                         .kind = in_monitor ? PM_KIND_WAIT : PM_KIND_PARK, .wake = end,
                         .waker = parties[(all ? k : k + i - 1) % 4], .waker_chain = tells,
                         .wake_cause = in_monitor ? PM_WAKE_NOTIFY : PM_WAKE_RELEASE);
        }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    return pm_contention_is_resource(contention, meeting);
}

static void where_all_go_on_at_once_nothing_is_lent(void)
{
    for (guint in_monitor = 0; in_monitor < 2; in_monitor++) {
        g_assert_true(lends_where_parties_meet(FALSE, in_monitor != 0));
        g_assert_false(lends_where_parties_meet(TRUE, in_monitor != 0));
    }
}

/* The victim takes results as they come, one right after the other: each wait is due to who brought
 * that one. Of one result it is told in vain first. */
static void results_in_a_queue_come_one_by_one(void)
{
    for (guint in_queue = 0; in_queue < 2; in_queue++) {
        Scene s = scene_begin();
        if (in_queue)
            s.future_chain =
                pm_made_chain(s.made.assembly, "java.util.concurrent.locks.LockSupport.park",
                              "java.util.concurrent.LinkedBlockingQueue.take",
                              "java.util.concurrent.ExecutorCompletionService.take",
                              "com.acme.Report.build", NULL);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 110 * MS);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.b, 110 * MS + 20000, 150 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        g_assert_cmpint(time_of(parts, s.a), ==, in_queue ? 10 * MS : 0);
        g_assert_cmpint(time_of(parts, s.b), ==, in_queue ? 0 : 10 * MS);
    }
}

/* Two poll for news, each by a result of its own, and go without after 200 ms: at the first, third
 * and so on the editor, who sleeps until there are some, has told both, or one after the other. */
static PmCauseKind cause_of_news(gboolean together)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 sleeps = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Editor.run", NULL);
    const guint32 tells = pm_made_chain(a, "java.util.concurrent.CompletableFuture.complete",
                                        "com.acme.Editor.run", NULL);
    const guint32 pollers[] = {s.victim, s.a};
    for (gint64 k = 0; k < 8; k++)
        for (guint i = 0; i < 2; i++) {
            const gint64 begin = 120 * k * MS;
            const gint64 end = begin + 100 * MS + (together ? 0 : 5 * i * MS);
            const guint32 result = pm_made_blocker(
                &s.made, pm_assembly_add_class(a, "java.util.concurrent.FutureTask"),
                100 + (guint32)k * 2 + i, s.future_chain);
            PM_MADE_WAIT(a, begin, end, pollers[i], result, s.future_chain, .flags = PM_WAIT_TIMED,
                         .wake = k % 2 ? 0 : end, .waker = k % 2 ? 0 : s.b,
                         .waker_chain = k % 2 ? 0 : tells,
                         .wake_cause = k % 2 ? PM_WAKE_TIME_OUT : PM_WAKE_COMPLETION);
        }
    for (gint64 at = 50; at < 950; at += 60) {
        const PmOwnerSample sample = {.at = at * MS,
                                      .waiter = s.victim,
                                      .owner = s.b,
                                      .chain = sleeps,
                                      .role = PM_SAMPLE_ENDER,
                                      .weight = 1};
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) timed_out = split(r, s.victim, 120 * MS);
    g_assert_cmpint(g_array_index(timed_out, PmPart, 0).kind, ==,
                    together ? PM_CAUSE_TIME_OUT : PM_CAUSE_WAKER);
    g_autoptr(GArray) parts = split(r, s.victim, 240 * MS);
    return g_array_index(parts, PmPart, 0).kind;
}

static void news_for_all_come_by_the_clock(void)
{
    g_assert_cmpint(cause_of_news(TRUE), ==, PM_CAUSE_ARRIVAL);
    g_assert_cmpint(cause_of_news(FALSE), ==, PM_CAUSE_WAKER);
}

/* A worker that rests ends the victim's wait by the task that a poller, who listens, gives it then.
 * `lender`: where the victim waits for what the worker gives back; NULL: for a result.
 */
static PmCauseKind cause_before_task(const char *lender)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 waits = lender ? pm_made_chain(a, "java.util.concurrent.SynchronousQueue.poll",
                                                 lender, "com.acme.Shop.show", NULL)
                                 : s.future_chain;
    const guint32 listens = pm_made_chain(
        a, "sun.nio.ch.EPoll.wait", "org.apache.tomcat.util.net.NioEndpoint$Poller.run", NULL);
    const guint32 tasks = pm_made_blocker(&s.made, s.made.queue_class, 7, s.made.idle_chain);
    const guint32 wanted =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "com.acme.Wanted"), 8, waits);
    scene_signal(&s, s.a, tasks, s.made.idle_chain, s.b, 50 * MS, 890 * MS);
    scene_signal(&s, s.victim, wanted, waits, s.a, 100 * MS, 900 * MS);
    for (gint64 at = 60; at < 900; at += 50) {
        const PmOwnerSample sample = {.at = at * MS,
                                      .waiter = s.a,
                                      .owner = s.b,
                                      .chain = listens,
                                      .role = PM_SAMPLE_ENDER,
                                      .weight = 1};
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    return g_array_index(parts, PmPart, 0).kind;
}

static void what_a_pool_lends_comes_from_nowhere_else(void)
{
    g_assert_cmpint(cause_before_task(NULL), ==, PM_CAUSE_ARRIVAL);
    g_assert_cmpint(cause_before_task("com.zaxxer.hikari.util.ConcurrentBag.borrow"), ==,
                    PM_CAUSE_UNKNOWN);
    /* Who closes a connection is outside. */
    g_assert_cmpint(cause_before_task("org.apache.tomcat.util.threads.LimitLatch.countUpOrAwait"),
                    ==, PM_CAUSE_ARRIVAL);
}

/* Who gives something before the client waits, and to whom. */
typedef enum {
    CLIENT_TO_BROKER,
    CLIENT_TO_OTHER, /* who gives nothing that comes to the client */
    OTHER_TO_BROKER,
} Asking;

/* The client waits for a message, by one timeout after the other, which a broker passes on from the
 * shipper, who sleeps before it gives it that; in the same method somebody gives something first.
 */
static PmCauseKind cause_of_message(Asking asking)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 sends = pm_made_chain(a, "java.lang.Object.notify", "org.mq.Broker.send",
                                        "com.acme.Client.ask", NULL);
    const guint32 receives = pm_made_chain(a, "java.lang.Object.wait", "org.mq.Inbox.dequeue",
                                           "org.mq.Inbox.receive", "com.acme.Client.ask", NULL);
    const guint32 rests =
        pm_made_chain(a, "java.lang.Object.wait", "org.mq.Broker.next", "org.mq.Broker.run", NULL);
    const guint32 passes = pm_made_chain(a, "java.lang.Object.notify", "org.mq.Inbox.enqueue",
                                         "org.mq.Broker.run", NULL);
    const guint32 sleeps = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Shipper.ship",
                                         "com.acme.Shipper.run", NULL);
    const guint32 ships = pm_made_chain(a, "java.lang.Object.notify", "org.mq.Broker.send",
                                        "com.acme.Shipper.run", NULL);
    const guint32 object = pm_assembly_add_class(a, "java.lang.Object");
    const guint32 gamma = pm_made_blocker(&s.made, object, 102, rests);
    const guint32 desk = pm_made_blocker(&s.made, object, 103, rests);
    const guint32 inbox = pm_made_blocker(&s.made, object, 100, receives);
    const guint32 queue = pm_made_blocker(&s.made, object, 101, rests);
    for (gint64 k = 1; k < 8; k++) {
        const gint64 begin = 120 * k * MS, end = begin + 110 * MS;
        const gboolean other = asking == CLIENT_TO_OTHER;
        PM_MADE_WAIT(a, begin - 5 * MS, begin - 10000, other ? s.c : s.a, other ? gamma : queue,
                     rests, .kind = PM_KIND_WAIT, .wake = begin - 10000,
                     .waker = asking == OTHER_TO_BROKER ? s.c : s.victim, .waker_chain = sends,
                     .wake_cause = PM_WAKE_NOTIFY);
        PM_MADE_WAIT(a, begin + 1 * MS, begin + 2 * MS, s.b, desk, rests, .kind = PM_KIND_WAIT,
                     .wake = begin + 2 * MS, .waker = s.a, .waker_chain = passes,
                     .wake_cause = PM_WAKE_NOTIFY);
        PM_MADE_WAIT(a, begin, end, s.victim, inbox, receives, .kind = PM_KIND_WAIT,
                     .flags = PM_WAIT_TIMED, .wake = end, .waker = s.a, .waker_chain = passes,
                     .wake_cause = PM_WAKE_NOTIFY);
        PM_MADE_WAIT(a, begin + 10000, end - 10000, s.a, queue, rests, .kind = PM_KIND_WAIT,
                     .wake = end - 10000, .waker = s.b, .waker_chain = ships,
                     .wake_cause = PM_WAKE_NOTIFY);
        const PmOwnerSample sample = {.at = begin + 50 * MS,
                                      .waiter = s.a,
                                      .owner = s.b,
                                      .chain = sleeps,
                                      .role = PM_SAMPLE_ENDER,
                                      .weight = 1};
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 480 * MS);
    const PmPart *longest = &g_array_index(parts, PmPart, 0);
    for (guint i = 1; i < parts->len; i++) {
        const PmPart *part = &g_array_index(parts, PmPart, i);
        longest = part->end - part->begin > longest->end - longest->begin ? part : longest;
    }
    return longest->kind;
}

static void who_asks_first_waits_for_an_answer(void)
{
    g_assert_cmpint(cause_of_message(CLIENT_TO_BROKER), ==, PM_CAUSE_WAKER);
    g_assert_cmpint(cause_of_message(CLIENT_TO_OTHER), ==, PM_CAUSE_ARRIVAL);
    g_assert_cmpint(cause_of_message(OTHER_TO_BROKER), ==, PM_CAUSE_ARRIVAL);
}

/* Two boards do nothing but await news, by a result of their own each time, and never go without:
 * the desk tells both, once it is given some by the editor, who sleeps until there are any, and
 * its time, for which it waits by a timeout, has come. `asked`: the board that waits has given the
 * desk that to do.
 */
static void news_are_passed_on_by_the_clock(void)
{
    for (guint asked = 0; asked < 2; asked++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 sleeps =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Editor.run", NULL);
        const guint32 gives =
            pm_made_chain(a, "java.lang.Object.notify", "com.acme.Editor.run", NULL);
        const guint32 tells = pm_made_chain(a, "java.util.concurrent.CompletableFuture.complete",
                                            "com.acme.Desk.tell", "com.acme.Desk.run", NULL);
        const guint32 rests = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Desk.next",
                                            "com.acme.Desk.run", NULL);
        const guint32 desk =
            pm_made_blocker(&s.made, pm_assembly_add_class(a, "com.acme.Desk"), 7, rests);
        const guint32 task = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        const guint32 boards[] = {s.victim, s.a};
        for (gint64 k = 0; k < 8; k++) {
            const gint64 begin = 120 * k * MS, end = begin + 120 * MS - 10000;
            for (guint i = 0; i < 2; i++) {
                const guint32 result =
                    pm_made_blocker(&s.made, task, 100 + (guint32)k * 2 + i, s.future_chain);
                PM_MADE_WAIT(a, begin, end, boards[i], result, s.future_chain,
                             .flags = PM_WAIT_TIMED, .wake = end, .waker = s.b,
                             .waker_chain = tells, .wake_cause = PM_WAKE_COMPLETION);
            }
            PM_MADE_WAIT(a, begin, begin + 80 * MS, s.b, desk, rests, .kind = PM_KIND_WAIT,
                         .wake = begin + 80 * MS, .waker = asked ? s.victim : s.c,
                         .waker_chain = gives, .wake_cause = PM_WAKE_NOTIFY);
            PM_MADE_WAIT(a, begin + 80 * MS, end - 10000, s.b, desk, rests, .kind = PM_KIND_WAIT,
                         .flags = PM_WAIT_TIMED, .wake_cause = PM_WAKE_TIME_OUT);
        }
        for (gint64 at = 50; at < 950; at += 60) {
            const PmOwnerSample sample = {.at = at * MS,
                                          .waiter = s.b,
                                          .owner = s.c,
                                          .chain = sleeps,
                                          .role = PM_SAMPLE_ENDER,
                                          .weight = 1};
            g_array_append_val(a->samples, sample);
        }
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 240 * MS);
        gint64 outside = 0;
        for (guint i = 0; i < parts->len; i++) {
            const PmPart *part = &g_array_index(parts, PmPart, i);
            outside += part->kind == PM_CAUSE_ARRIVAL ? part->end - part->begin : 0;
        }
        if (asked)
            g_assert_cmpint(outside, <, 10 * MS);
        else
            g_assert_cmpint(outside, >, 110 * MS);
    }
}

static void who_brings_work_is_the_cause_of_a_queue(void)
{
    guint32 slow, quick, blocker;
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = make_round(&s, HANDED_OUT, 0, &slow, &quick, &blocker);
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    g_assert_false(pm_contention_is_resource(contention, blocker));
    g_autoptr(GArray) parts = split(r, quick, 59 * MS);
    g_assert_cmpint(time_of(parts, slow), ==, 0);
}

static void parts_add_up_to_the_wait(void)
{
    for (guint32 seed = 1; seed <= 30; seed++) {
        const gint64 second = 1000 * MS; /* long enough to be followed */
        g_autoptr(PmRecording) r = pm_made_random(seed, 600, 12, second);
        pm_check_parts_add_up(r, G_MININT64, G_MAXINT64, pm_contention_split);
        pm_check_parts_add_up(r, second / 5, second / 4 * 3 + 7, pm_contention_split);
    }
}

/* A future's own timeout is one of who waits for it; code of the program's that ran before it woke
 * the waiter is not. */
static void timeout_of_a_future_is_nobodys(void)
{
    for (guint own = 0; own < 2; own++) {
        Scene s = scene_begin();
        s.made.other_chain =
            pm_made_chain(s.made.assembly, "java.util.concurrent.CompletableFuture.postComplete",
                          own ? "com.acme.Shop.sorry"
                              : "java.util.concurrent.CompletableFuture.completeExceptionally",
                          "java.util.concurrent.CompletableFuture$Timeout.run",
                          "java.util.concurrent.FutureTask.run", NULL);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 110 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        g_assert_cmpuint(parts->len, ==, 1);
        check_part(parts, 0, 100 * MS, 110 * MS, own ? PM_CAUSE_WAKER : PM_CAUSE_TIME_OUT,
                   own ? s.a : 0);
    }
}

/* The victim waits from 100 ms on for 64 ms for what its timer ends; a worker, beta, rests until
 * `rests_to`, when `giver` gives it something to do, and from `rests_from` on again. */
static GArray *split_late(Scene *s, gint64 rests_to, guint32 giver, gint64 rests_from)
{
    PmAssembly *a = s->made.assembly;
    const guint32 queue = pm_made_blocker(&s->made, s->made.queue_class, 11, s->made.idle_chain);
    const guint32 timer = pm_made_chain(a, "java.util.concurrent.CompletableFuture.postComplete",
                                        "java.util.concurrent.CompletableFuture$Timeout.run",
                                        "java.util.concurrent.FutureTask.run", NULL);
    scene_signal(s, s->b, queue, s->made.idle_chain, giver, rests_to - 40 * MS, rests_to);
    scene_signal(s, s->b, queue, s->made.idle_chain, s->c, rests_from, 500 * MS);
    s->made.other_chain = timer;
    scene_signal(s, s->victim, s->future, s->future_chain, s->a, 100 * MS, 164 * MS);
    g_autoptr(PmRecording) r = scene_end(s);
    return split(r, s->victim, 100 * MS);
}

/* A result that does not come in time is due to whom it was asked of, as long as that one works. */
static void late_result_is_due_to_whom_it_was_asked_of(void)
{
    Scene s = scene_begin();
    g_autoptr(GArray) late = split_late(&s, 99 * MS, s.victim, 300 * MS);
    g_assert_cmpuint(late->len, ==, 1);
    g_assert_true(check_part(late, 0, 100 * MS, 164 * MS, PM_CAUSE_WAKER, s.b)->inferred);

    s = scene_begin();
    g_autoptr(GArray) given_up = split_late(&s, 99 * MS, s.victim, 132 * MS);
    g_assert_cmpuint(given_up->len, ==, 2);
    check_part(given_up, 0, 100 * MS, 132 * MS, PM_CAUSE_WAKER, s.b);
    check_part(given_up, 1, 132 * MS, 164 * MS, PM_CAUSE_TIME_OUT, 0);

    s = scene_begin();
    g_autoptr(GArray) others = split_late(&s, 99 * MS, s.c, 300 * MS);
    g_assert_cmpuint(others->len, ==, 1);
    check_part(others, 0, 100 * MS, 164 * MS, PM_CAUSE_TIME_OUT, 0);
}

/* Where it is not seen whom it was asked of, it is one of those who were asked at other times. */
static void late_result_is_due_to_who_is_asked_as_a_rule(void)
{
    for (guint n_known = 2; n_known <= 3; n_known++) {
        Scene s = scene_begin();
        const guint32 queue = pm_made_blocker(&s.made, s.made.queue_class, 12, s.made.idle_chain);
        const guint32 timer =
            pm_made_chain(s.made.assembly, "java.util.concurrent.CompletableFuture.postComplete",
                          "java.util.concurrent.CompletableFuture$Timeout.run", NULL);
        const guint32 other = s.made.other_chain;
        for (guint i = 0; i < n_known; i++) {
            const gint64 at = (600 + 50 * (gint64)i) * MS;
            s.made.other_chain = other;
            scene_signal(&s, s.b, queue, s.made.idle_chain, s.victim, at - 5 * MS, at - MS);
            s.made.other_chain = timer;
            scene_signal(&s, s.victim, s.future, s.future_chain, s.a, at, at + 20 * MS);
        }
        s.made.other_chain = other;
        g_autoptr(GArray) parts = split_late(&s, 90 * MS, s.c, 300 * MS);
        g_assert_cmpuint(parts->len, ==, 1);
        check_part(parts, 0, 100 * MS, 164 * MS, n_known == 3 ? PM_CAUSE_WAKER : PM_CAUSE_TIME_OUT,
                   n_known == 3 ? s.b : 0);
    }
}

/* Beta brings results in time, so often; then one is late, and it was at work. */
static void late_result_is_due_to_who_brings_such_in_time(void)
{
    for (guint n_known = 2; n_known <= 3; n_known++) {
        Scene s = scene_begin();
        for (guint i = 0; i < n_known; i++)
            scene_signal(&s, s.victim, s.future, s.future_chain, s.b, (600 + 50 * i) * MS,
                         (620 + 50 * i) * MS);
        g_autoptr(GArray) parts = split_late(&s, 90 * MS, s.c, 300 * MS);
        g_assert_cmpuint(parts->len, ==, 1);
        check_part(parts, 0, 100 * MS, 164 * MS, n_known == 3 ? PM_CAUSE_WAKER : PM_CAUSE_TIME_OUT,
                   n_known == 3 ? s.b : 0);
    }
}

/* Gamma sees to delays: alpha adds one, and gamma waits on until the time of another one is up, and
 * gives beta that to do, which ends the victim's wait: it was for the clock, not for alpha. If
 * gamma is woken and gives it at once, it was for alpha. */
static void who_adds_a_delay_is_not_behind_others(void)
{
    for (guint waits_on = 0; waits_on < 2; waits_on++) {
        Scene s = scene_begin();
        const guint32 delays = pm_made_blocker(&s.made, s.made.queue_class, 11, s.made.idle_chain);
        const guint32 tasks = pm_made_blocker(&s.made, s.made.queue_class, 12, s.made.idle_chain);
        const gint64 woken = waits_on ? 120 * MS : 159 * MS;
        scene_signal(&s, s.c, delays, s.made.idle_chain, s.a, 50 * MS, woken);
        if (waits_on)
            PM_MADE_WAIT(s.made.assembly, woken, 159 * MS, s.c, delays, s.made.idle_chain,
                         .flags = PM_WAIT_TIMED, .wake_cause = PM_WAKE_TIME_OUT);
        scene_signal(&s, s.b, tasks, s.made.idle_chain, s.c, 40 * MS, 160 * MS);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.b, 100 * MS, 161 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        g_assert_cmpint(time_of(parts, s.a), ==, waits_on ? 0 : 59 * MS);
        if (waits_on)
            check_part(parts, 0, 100 * MS, 159 * MS, PM_CAUSE_ARRIVAL, 0);
    }
}

/* A keeper waits to be rung by one of the desks, another of which was seen at other times in the
 * very call that rings: at rest there or in a method of its own for that, or at work. */
static void who_rests_where_it_rings_brings_from_outside(void)
{
    static const char *const rests[] = {NULL, "com.acme.Desk.pause", "com.acme.Prices.load"};
    for (guint n = 0; n < G_N_ELEMENTS(rests); n++) {
        const gboolean works = n == 2;
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 seen =
            rests[n]
                ? pm_made_chain(a, "java.lang.Thread.sleep", rests[n], "com.acme.Desk.serve", NULL)
                : pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Desk.serve", NULL);
        const guint32 takes =
            pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                          "java.util.concurrent.Semaphore.acquire", "com.acme.Keeper.sweep", NULL);
        const guint32 bell = pm_made_blocker(
            &s.made, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"), 7,
            takes);
        const guint32 desks[] = {pm_made_thread(&s.made, "desk-1"),
                                 pm_made_thread(&s.made, "desk-2")};
        for (guint i = 0; i < 3; i++)
            pm_made_sample(a, PM_SAMPLE_ENDER, s.victim, bell, desks[0], seen, (600 + i) * MS);
        s.made.other_chain =
            pm_made_chain(a, "java.util.concurrent.Semaphore.release", "com.acme.Desk.serve", NULL);
        scene_signal(&s, s.victim, bell, takes, desks[1], 100 * MS, 110 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        g_assert_cmpuint(parts->len, ==, 1);
        check_part(parts, 0, 100 * MS, 110 * MS, works ? PM_CAUSE_WAKER : PM_CAUSE_ARRIVAL,
                   works ? desks[1] : 0);
    }
}

/* Whoever waits for nothing but the end of the program, which it brings about, gives of its own. */
static void who_exits_is_a_source(void)
{
    for (guint exits = 0; exits < 2; exits++) {
        PmMade m = pm_made_begin();
        const guint32 thread = pm_made_thread(&m, "main"),
                      chain = pm_made_chain(
                          m.assembly, "java.lang.Object.wait", "java.lang.Thread.join",
                          exits ? "java.lang.Shutdown.runHooks" : "com.acme.Main.run", NULL);
        const guint32 hook =
            pm_made_blocker(&m, pm_assembly_add_class(m.assembly, "java.lang.Thread"), 1, chain);
        PM_MADE_WAIT(m.assembly, 0, MS, thread, hook, chain, .kind = PM_KIND_WAIT);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmContention) c = pm_contention_new(r, NULL);
        g_assert_cmpint(pm_contention_is_source(c, thread), ==, exits);
    }
}

/* Of two hosts only one ever waits for work, as they always have some: neither decides by itself.
 */
static void one_that_waits_tells_of_its_group(void)
{
    for (guint waits = 0; waits < 2; waits++) {
        PmMade m = pm_made_begin();
        const guint32 hosts[] = {pm_made_thread(&m, "host-1"), pm_made_thread(&m, "host-2")};
        const guint32 queue = pm_made_blocker(&m, m.queue_class, 1, m.idle_chain);
        if (waits)
            pm_made_wait(&m, hosts[1], queue, m.idle_chain, 0, MS, 0);
        m.assembly->duration = 10 * MS;
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmContention) c = pm_contention_new(r, NULL);
        g_assert_cmpint(pm_contention_is_source(c, hosts[0]), ==, !waits);
    }
}

/* A worker waits in a board's monitor for what a planner posts, which was seen in a call that a
 * method makes; `asks`: the planner waits for answers itself; so many times the worker has let
 * another one go on there, in the method `leaves`. */
static gint64 planner_seen_in(const char *call, const char *method, gboolean asks, guint n_admitted,
                              const char *leaves)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 seen = pm_made_chain(a, call, method, "com.acme.Planner.plan", NULL);
    const guint32 claims = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Board.claim",
                                         "com.acme.Worker.run", NULL);
    const guint32 board =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "com.acme.Board"), 7, claims);
    for (gint64 at = 110 * MS; at < 400 * MS; at += 50 * MS)
        pm_made_sample(a, PM_SAMPLE_ENDER, s.victim, board, s.a, seen, at);
    if (asks)
        scene_signal(&s, s.a, s.future, s.future_chain, s.b, 10 * MS, 20 * MS);
    for (guint i = 0; i < n_admitted; i++) {
        PM_MADE_WAIT(a, (30 + 10 * i) * MS, (35 + 10 * i) * MS, s.b, board, claims,
                     .wake = (35 + 10 * i) * MS, .kind = PM_KIND_WAIT, .waker = s.victim,
                     .waker_chain = pm_made_chain(a, "java.lang.Object.notifyAll", leaves,
                                                  "com.acme.Worker.run", NULL),
                     .wake_cause = PM_WAKE_NOTIFY);
    }
    PmWaitRow row = {.begin = 100 * MS,
                     .end = 400 * MS,
                     .wake = 400 * MS,
                     .kind = PM_KIND_WAIT,
                     .thread = s.victim,
                     .blocker = board,
                     .chain = claims,
                     .waker = s.a,
                     .waker_chain =
                         pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Board.post",
                                       "com.acme.Planner.plan", NULL),
                     .wake_cause = PM_WAKE_RELEASE};
    pm_assembly_add_wait(a, &row);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    return time_of(parts, s.a);
}

static gint64 planner_that_sleeps(const char *method, gboolean asks, guint n_admitted,
                                  const char *leaves)
{
    return planner_seen_in("java.lang.Thread.sleep", method, asks, n_admitted, leaves);
}

static void who_accepts_connections_brings_from_outside(void)
{
    const char *reads = "java.net.SocketInputStream.read", *line = "com.acme.Line.next";
    g_assert_cmpint(planner_seen_in(reads, line, FALSE, 0, NULL), ==, 300 * MS);
    g_assert_cmpint(planner_seen_in("java.net.ServerSocket.accept", line, FALSE, 0, NULL), ==, 0);
    g_assert_cmpint(
        planner_seen_in("java.util.stream.ReferencePipeline.accept", line, FALSE, 0, NULL), ==,
        300 * MS);
}

static void who_gives_by_itself_brings_from_outside(void)
{
    g_assert_cmpint(planner_that_sleeps("com.acme.Planner.nap", FALSE, 0, NULL), ==, 0);
    g_assert_cmpint(planner_that_sleeps("com.acme.Planner.nap", TRUE, 0, NULL), ==, 300 * MS);
    g_assert_cmpint(planner_that_sleeps("com.acme.Prices.load", FALSE, 0, NULL), ==, 300 * MS);
    g_assert_cmpint(planner_that_sleeps("com.acme.Clocks.sleepFor", FALSE, 0, NULL), ==, 0);
    g_assert_cmpint(planner_that_sleeps("com.acme.Clocks.sleepFor", TRUE, 0, NULL), ==, 300 * MS);
}

static void who_lets_in_is_no_source_where_others_do(void)
{
    const char *nap = "com.acme.Planner.nap", *leave = "com.acme.Board.leave";
    g_assert_cmpint(planner_that_sleeps(nap, FALSE, 2, leave), ==, 0);
    g_assert_cmpint(planner_that_sleeps(nap, FALSE, 3, leave), ==, 300 * MS);
    g_assert_cmpint(planner_that_sleeps(nap, FALSE, 3, "com.acme.Board.claim"), ==, 0);
}

/* A library's handler waits to be told by its timer, which waits for its time meanwhile; `asks`:
 * the program waits there for the handler's thread; `naps`: it is the program's timer. */
static gint64 time_of_librarys_timer(gboolean asks, gboolean naps)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    pm_made_chain(a, "com.acme.Main.main", NULL);
    const guint32 takes = asks ? pm_made_chain(a, "java.lang.Object.wait", "org.lib.Queue.remove",
                                               "com.acme.Board.next", "com.acme.Main.main", NULL)
                               : pm_made_chain(a, "java.lang.Object.wait", "org.lib.Queue.remove",
                                               "org.lib.Handler.run", NULL);
    const guint32 keeps = pm_made_chain(a, "java.lang.Object.wait",
                                        naps ? "com.acme.Timer.tick" : "org.lib.Timer.tick", NULL);
    const guint32 queue =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "org.lib.Queue"), 7, takes);
    const guint32 clock =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "org.lib.Timer"), 8, keeps);
    PmWaitRow keeper = {.begin = 50 * MS,
                        .end = 398 * MS,
                        .kind = PM_KIND_WAIT,
                        .thread = s.a,
                        .blocker = clock,
                        .chain = keeps,
                        .flags = PM_WAIT_TIMED,
                        .wake_cause = PM_WAKE_TIME_OUT};
    PmWaitRow row = {.begin = 100 * MS,
                     .end = 400 * MS,
                     .wake = 400 * MS,
                     .kind = PM_KIND_WAIT,
                     .thread = s.victim,
                     .blocker = queue,
                     .chain = takes,
                     .waker = s.a,
                     .waker_chain = pm_made_chain(a, "java.lang.Object.notifyAll",
                                                  "org.lib.Queue.add", "org.lib.Timer.run", NULL),
                     .wake_cause = PM_WAKE_RELEASE};
    pm_assembly_add_wait(a, &keeper);
    pm_assembly_add_wait(a, &row);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    return time_of(parts, s.a);
}

static void librarys_timer_is_at_rest(void)
{
    g_assert_cmpint(time_of_librarys_timer(FALSE, FALSE), ==, 2 * MS);
    g_assert_cmpint(time_of_librarys_timer(TRUE, FALSE), ==, 300 * MS);
    g_assert_cmpint(time_of_librarys_timer(FALSE, TRUE), ==, 300 * MS);
}

/* A victim waits for a signal, or for a future, which a thread ends that nobody looked at. */
static PmCauseKind cause_of_unseen(gboolean is_virtual, gboolean future)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const PmThread t = {.tid = 90, .name = "connection", .is_virtual = is_virtual};
    const guint32 connection = pm_assembly_add_thread(a, &t);
    const guint32 reaps =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                      "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
                      "com.acme.Server.reap", NULL);
    const guint32 used = pm_made_blocker(&s.made, s.made.queue_class, 7, reaps);
    s.made.other_chain = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                       "java.util.concurrent.locks.ReentrantLock.unlock",
                                       "com.acme.Server.serve", NULL);
    scene_signal(&s, s.victim, future ? s.future : used, future ? s.future_chain : reaps,
                 connection, 100 * MS, 400 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    g_assert_cmpuint(parts->len, ==, 1);
    return g_array_index(parts, PmPart, 0).kind;
}

/* A victim waits for a future from 100 to 400 ms, which a thread completes that began at that time;
 * `own`: in the program's own code. */
static PmCauseKind cause_of_begun(gint64 begin, gboolean own)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const PmThread t = {.tid = 90, .name = "Thread-7", .begin = begin, .begin_known = TRUE};
    const guint32 completer = pm_assembly_add_thread(a, &t);
    s.made.other_chain =
        pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                      "java.util.concurrent.CompletableFuture.postComplete",
                      own ? "com.acme.Quotes.answer" : "java.lang.Thread.run", NULL);
    scene_signal(&s, s.victim, s.future, s.future_chain, completer, 100 * MS, 400 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    g_assert_cmpuint(parts->len, ==, 1);
    return g_array_index(parts, PmPart, 0).kind;
}

/* A thread is not why others waited before it began, unless it is the program's and began late. */
static void a_thread_that_had_not_begun_brings_what_came(void)
{
    g_assert_cmpint(cause_of_begun(399 * MS, FALSE), ==, PM_CAUSE_ARRIVAL);
    g_assert_cmpint(cause_of_begun(399 * MS, TRUE), ==, PM_CAUSE_WAKER);
    g_assert_cmpint(cause_of_begun(150 * MS, FALSE), ==, PM_CAUSE_WAKER);
}

/* How much of the wait for a party is charged to it, that nobody looked at, after so many rounds in
 * which it came last. */
static gint64 time_of_unseen_party(gboolean is_virtual, guint rounds)
{
    Scene s = scene_begin();
    g_array_index(s.made.assembly->threads, PmThread, s.c).is_virtual = is_virtual;
    s.made.other_chain = pm_made_chain(s.made.assembly, "java.util.concurrent.CyclicBarrier.await",
                                       "com.acme.Table.sit", NULL);
    g_autoptr(GArray) parts = split_barrier_in(&s, 0, rounds, "com.acme.Table.sit");
    return time_of(parts, s.c);
}

static void unseen_virtual_party_is_no_fault(void)
{
    g_assert_cmpint(time_of_unseen_party(FALSE, 5), ==, 300 * MS);
    g_assert_cmpint(time_of_unseen_party(TRUE, 5), ==, 0);
    g_assert_cmpint(time_of_unseen_party(TRUE, 10), ==, 300 * MS);
}

static void unseen_virtual_thread_brings_messages(void)
{
    g_assert_cmpint(cause_of_unseen(FALSE, FALSE), ==, PM_CAUSE_WAKER);
    g_assert_cmpint(cause_of_unseen(TRUE, FALSE), ==, PM_CAUSE_ARRIVAL);
    g_assert_cmpint(cause_of_unseen(TRUE, TRUE), ==, PM_CAUSE_WAKER);
}

/* A client asks a server and waits for its answer at one desk, both alone in their group; the
 * server takes questions in another method than it answers in, or in the same. It may be woken by
 * its colleague, who was told and passes it on. Does it take? */
static gboolean takes_questions(gboolean apart, gboolean passed_on)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 servers[] = {pm_made_thread(&s.made, "server-1"),
                               pm_made_thread(&s.made, "server-2")};
    const guint32 asks =
        pm_made_chain(a, "java.lang.Object.wait", "com.acme.Desk.ask", "com.acme.Client.run", NULL);
    const guint32 takes = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Desk.take",
                                        "com.acme.Server.run", NULL);
    const guint32 answers = pm_made_chain(a, "java.lang.Object.notifyAll",
                                          apart ? "com.acme.Desk.answer" : "com.acme.Desk.take",
                                          "com.acme.Server.run", NULL);
    const guint32 desk =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "com.acme.Desk"), 7, asks);
    PmWaitRow row = {.begin = 10 * MS,
                     .end = 100 * MS,
                     .wake = 100 * MS,
                     .kind = PM_KIND_WAIT,
                     .thread = servers[0],
                     .blocker = desk,
                     .chain = takes,
                     .waker = s.a,
                     .waker_chain = asks,
                     .wake_cause = PM_WAKE_NOTIFY};
    if (passed_on) {
        row.thread = servers[1];
        pm_assembly_add_wait(a, &row);
        row.thread = servers[0];
        row.waker = servers[1];
        row.waker_chain = takes;
        row.wake_cause = PM_WAKE_PROPAGATION;
    }
    pm_assembly_add_wait(a, &row);
    row.wake_cause = PM_WAKE_NOTIFY;
    row.begin = 100 * MS + MS / 10;
    row.end = row.wake = 102 * MS;
    row.thread = s.a;
    row.chain = asks;
    row.waker = servers[0];
    row.waker_chain = answers;
    pm_assembly_add_wait(a, &row);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(PmContention) c = pm_contention_new(r, NULL);
    return pm_contention_takes(c, pm_row_of(r, servers[0], 10 * MS), s.a);
}

/* A client takes the lock, rests without it for 100 ms, takes it again and signals a worker, which
 * alone waits, for the condition: nobody sees that the lock was free meanwhile. It is seen resting,
 * or, if it `keeps` the lock, in the method that gives it back. */
static void check_signal(gboolean keeps)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 await =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                      "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
                      "com.acme.Pool.next", "com.acme.Worker.run", NULL);
    const guint32 call = pm_made_chain(a, "com.acme.Pool.call", "com.acme.Client.run", NULL);
    const guint32 seen = pm_made_chain(a, "java.lang.Thread.sleep",
                                       keeps ? "com.acme.Pool.call" : "com.acme.Client.run",
                                       keeps ? "com.acme.Client.run" : NULL, NULL);
    const PmBlocker condition = {.class_index = s.made.queue_class,
                                 .hash = 0xc0de,
                                 .parent = s.locks[0],
                                 .first_chain = await};
    PM_MADE_WAIT(a, 10 * MS, 190 * MS, s.victim, pm_assembly_add_blocker(a, &condition), await,
                 .wake = 190 * MS, .waker = s.a, .waker_chain = call,
                 .wake_cause = PM_WAKE_RELEASE);
    scene_lock(&s, s.a, 0, s.b, 50 * MS, 60 * MS);
    sample_of_a(&s, 120 * MS, seen);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 10 * MS);
    gint64 kept = 0;
    for (guint i = 0; i < parts->len; i++) {
        const PmPart *part = &g_array_index(parts, PmPart, i);
        kept += part->thread == s.a && part->kind == PM_CAUSE_OWNER ? part->end - part->begin : 0;
    }
    g_assert_cmpint(kept, ==, keeps ? 130 * MS : 0);
}

static void who_signals_may_have_taken_the_lock_again(void)
{
    check_signal(TRUE);
    check_signal(FALSE);
}

static void who_asks_is_told_by_the_methods(void)
{
    g_assert_true(takes_questions(TRUE, FALSE));
    g_assert_false(takes_questions(FALSE, FALSE));
    g_assert_true(takes_questions(TRUE, TRUE));
}

typedef enum {
    ONE_TICKET,
    OWN_TICKETS,
    LATE_TICKETS,
    LATER_TICKETS,
    RUNG_CLERK,
    BUSY_CLERK,
    RUNG_BETWEEN,
    RINGS_OTHERS,
    SLEEPY_CLERK,
    OPEN_TICKET,
} Ticket;

/* A visitor waits three times 20 ms for each of five tickets, or for one ticket five times, the
 * third time until it is told: the cause of a wait that timed out. It may come back a millisecond
 * later each time, or four. Before that the visitor may ring the clerk, which may also wait for
 * other things more often than for that; or it does so between two of its waits, or rings somebody
 * else then. The clerk may be seen sleeping. The last time it may still wait. */
static PmCauseKind cause_of_a_time_out(Ticket kind)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 waits = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Ticket.await",
                                        "com.acme.Visitor.ask", NULL);
    const guint32 ticket_class = pm_assembly_add_class(a, "com.acme.Ticket");
    const guint32 sleeps = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Job.run", NULL);
    const gint64 late = kind == LATE_TICKETS ? 1 : kind == LATER_TICKETS ? 4 : 0;
    const gboolean own = kind >= OWN_TICKETS && kind < RUNG_CLERK;
    guint32 ticket = 0;
    for (gint64 k = 0; k < 15; k++) {
        const gint64 begin = (100 * (k / 3) + 20 * (k % 3)) * MS;
        const gint64 end = begin + (20 - late) * MS;
        const gboolean open = kind == OPEN_TICKET && k == 14, told = k % 3 == 2 && !open;
        if (kind >= RUNG_CLERK && k >= 3 && k % 3 == 0) {
            const guint32 bell = pm_made_blocker(&s.made, s.made.none_class, 5, waits);
            const gint64 at = kind == RUNG_BETWEEN ? end : begin;
            PmWaitRow rung = {.begin = at - 10 * MS,
                              .end = at,
                              .wake = at,
                              .kind = PM_KIND_WAIT,
                              .thread = s.a,
                              .blocker = bell,
                              .chain = s.made.other_chain,
                              .waker = s.victim,
                              .waker_chain = waits,
                              .wake_cause = PM_WAKE_NOTIFY};
            pm_assembly_add_wait(a, &rung);
            if (kind == RINGS_OTHERS) {
                rung.begin = end - 10 * MS;
                rung.end = rung.wake = end;
                rung.thread = s.c;
                pm_assembly_add_wait(a, &rung);
            }
            rung.waker = rung.waker_chain = 0;
            rung.wake = 0;
            rung.wake_cause = PM_WAKE_TIME_OUT;
            rung.flags = PM_WAIT_TIMED;
            for (gint64 i = 2; i < 4 && kind == BUSY_CLERK; i++) {
                rung.begin = begin - 10 * i * MS;
                rung.end = rung.begin + 9 * MS;
                pm_assembly_add_wait(a, &rung);
            }
        }
        if (k == 0 || (own && k % 3 == 0))
            ticket = pm_made_blocker(&s.made, ticket_class, 10 + (guint32)k, waits);
        PM_MADE_WAIT(a, begin, end, s.victim, ticket, waits, .wake = told ? end : 0,
                     .kind = PM_KIND_WAIT,
                     .flags = PM_WAIT_TIMED | (open ? PM_WAIT_IN_PROGRESS : 0),
                     .waker = told ? s.a : 0, .waker_chain = told ? s.made.other_chain : 0,
                     .wake_cause = told   ? PM_WAKE_NOTIFY
                                   : open ? PM_WAKE_UNKNOWN
                                          : PM_WAKE_TIME_OUT);
        const PmOwnerSample sample = {.at = begin + 10 * MS,
                                      .waiter = s.victim,
                                      .blocker = ticket,
                                      .owner = s.a,
                                      .chain = sleeps,
                                      .weight = 1,
                                      .role = PM_SAMPLE_ENDER};
        if (kind == SLEEPY_CLERK)
            g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, (kind == OPEN_TICKET ? 400 : 300) * MS);
    return g_array_index(parts, PmPart, 0).kind;
}

static void who_waits_on_for_a_result_goes_by_the_end(void)
{
    g_assert_cmpint(cause_of_a_time_out(ONE_TICKET), ==, PM_CAUSE_TIME_OUT);
    g_assert_cmpint(cause_of_a_time_out(OWN_TICKETS), ==, PM_CAUSE_WAKER);
    g_assert_cmpint(cause_of_a_time_out(LATE_TICKETS), ==, PM_CAUSE_WAKER);
    g_assert_cmpint(cause_of_a_time_out(LATER_TICKETS), ==, PM_CAUSE_WAKER); /* alpha brings them */
}

static void who_waits_on_for_whom_it_set_going_goes_by_the_end(void)
{
    g_assert_cmpint(cause_of_a_time_out(RUNG_CLERK), ==, PM_CAUSE_WAKER);
    g_assert_cmpint(cause_of_a_time_out(BUSY_CLERK), ==, PM_CAUSE_TIME_OUT);
    g_assert_cmpint(cause_of_a_time_out(RUNG_BETWEEN), ==, PM_CAUSE_TIME_OUT);
    g_assert_cmpint(cause_of_a_time_out(RINGS_OTHERS), ==, PM_CAUSE_TIME_OUT);
    g_assert_cmpint(cause_of_a_time_out(SLEEPY_CLERK), ==, PM_CAUSE_WAKER);
    g_assert_cmpint(cause_of_a_time_out(OPEN_TICKET), ==, PM_CAUSE_STILL_WAITING);
}

typedef enum { IN_VAIN, NOT_IN_VAIN, AMBIGUOUS, BY_ANOTHER } Ring;

/* A visitor waits at a counter twice; another one rings for the clerk, and then waits there too:
 * who the visitor's other wait is due to. That was in vain, or both may have ended it; or who rings
 * does not wait there. */
static guint32 waker_of_visitor(Ring ring)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 submits = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Counter.submit",
                                          "com.acme.Visitor.run", NULL);
    const guint32 rings = pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Counter.submit",
                                        "com.acme.Visitor.run", NULL);
    const guint32 counter =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "com.acme.Counter"), 10, submits);
    const gint64 begins[] = {100 * MS, ring == AMBIGUOUS ? 300 * MS : 200 * MS + MS / 20};
    const guint rung = ring == AMBIGUOUS; /* that of the two waits */
    for (guint i = 0; i < 2; i++) {
        const PmWaitRow row = {.begin = begins[i],
                               .end = (i ? 400 : 200) * MS,
                               .wake = (i ? 400 : 200) * MS,
                               .kind = PM_KIND_WAIT,
                               .thread = s.victim,
                               .blocker = counter,
                               .chain = submits,
                               .waker = i == rung ? s.b : s.a,
                               .waker_chain = i == rung ? rings : s.made.other_chain,
                               .wake_cause = PM_WAKE_NOTIFY,
                               .flags = i && ring == AMBIGUOUS ? PM_WAIT_AMBIGUOUS : 0};
        if (i != 1 || ring != NOT_IN_VAIN)
            pm_assembly_add_wait(a, &row);
    }
    const PmWaitRow other = {.begin = (rung ? 400 : 200) * MS + MS / 10,
                             .end = 900 * MS,
                             .kind = PM_KIND_WAIT,
                             .thread = s.b,
                             .blocker = counter,
                             .chain = submits,
                             .flags = PM_WAIT_IN_PROGRESS};
    if (ring != BY_ANOTHER)
        pm_assembly_add_wait(a, &other);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, begins[rung]);
    const guint32 waker = g_array_index(parts, PmPart, 0).thread;
    return waker == s.a ? 1 : waker == s.b ? 2 : 0;
}

/* Of two that wait for a latch, the other gives up and wakes the victim, which waits on until its
 * own time is over. */
static void who_is_woken_by_one_that_gives_up_waits_on(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 class_index =
        pm_assembly_add_class(a, "java.util.concurrent.CountDownLatch$Sync");
    const guint32 awaits =
        pm_made_chain(a, "java.util.concurrent.CountDownLatch.await", "com.acme.Keeper.run", NULL);
    const guint32 latch = pm_made_blocker(&s.made, class_index, 10, awaits);
    const PmWaitRow waits[] = {{.begin = 100 * MS,
                                .end = 150 * MS,
                                .wake = 150 * MS,
                                .thread = s.victim,
                                .blocker = latch,
                                .chain = awaits,
                                .waker = s.b,
                                .waker_chain = awaits,
                                .wake_cause = PM_WAKE_CANCELLATION,
                                .flags = PM_WAIT_TIMED},
                               {.begin = 150 * MS + MS / 20,
                                .end = 300 * MS,
                                .thread = s.victim,
                                .blocker = latch,
                                .chain = awaits,
                                .wake_cause = PM_WAKE_TIME_OUT,
                                .flags = PM_WAIT_TIMED}};
    for (guint i = 0; i < G_N_ELEMENTS(waits); i++)
        pm_assembly_add_wait(a, &waits[i]);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
    check_part(parts, 0, 100 * MS, 150 * MS, PM_CAUSE_TIME_OUT, 0);
}

/* Of a writer that waits 50 ms at a time until a library has merged, and looks again at once: what
 * it waits for at `begin`. Somebody ends a wait after each timeout, and `more` waits besides. */
static GArray *split_backstop(Scene *s, guint more, gint64 begin)
{
    PmAssembly *a = s->made.assembly;
    const guint32 stalls = pm_made_chain(a, "java.lang.Object.wait", "org.merge.Merges.stall",
                                         "org.merge.Index.add", "com.acme.Letters.file", NULL);
    const guint32 merged = pm_made_chain(a, "java.lang.Object.notifyAll", "org.merge.Merges.end",
                                         "org.merge.Merger.run", NULL);
    const guint32 mirrors = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Mirror.announce",
                                          "org.merge.Merger.run", NULL);
    const guint32 merges =
        pm_made_blocker(&s->made, pm_assembly_add_class(a, "org.merge.Merges"), 10, stalls);
    gint64 at = 10 * MS;
    pm_made_chain(a, "com.acme.Main.main", NULL);
    for (guint i = 0; i < 20 + more; i++) {
        const gboolean ends = i >= 20 || i % 2;
        PM_MADE_WAIT(a, at, at + 20 * MS, s->victim, merges, stalls, .kind = PM_KIND_WAIT,
                     .flags = PM_WAIT_TIMED, .waker = ends ? s->a : 0,
                     .wake = ends ? at + 20 * MS : 0, .waker_chain = ends ? merged : 0,
                     .wake_cause = ends ? PM_WAKE_NOTIFY : PM_WAKE_TIME_OUT);
        const PmOwnerSample sample = {
            .at = at + 10 * MS, .owner = s->a, .chain = mirrors, .role = PM_SAMPLE_ENDER};
        g_array_append_val(a->samples, sample);
        at += 20 * MS + MS / 20;
    }
    g_autoptr(PmRecording) r = scene_end(s);
    return split(r, s->victim, begin);
}

static void timeout_of_who_looks_again_at_once_is_no_end(void)
{
    Scene s = scene_begin(), twin = scene_begin();
    g_autoptr(GArray) parts = split_backstop(&s, 2, 10 * MS);
    g_autoptr(GArray) polls = split_backstop(&twin, 0, 10 * MS);
    check_part(parts, 0, 10 * MS, 30 * MS, PM_CAUSE_WAKER, s.a);
    check_part(polls, 0, 10 * MS, 30 * MS, PM_CAUSE_TIME_OUT, 0);
}

static void who_is_woken_for_others_waits_for_another(void)
{
    g_assert_cmpuint(waker_of_visitor(IN_VAIN), ==, 1);
    g_assert_cmpuint(waker_of_visitor(AMBIGUOUS), ==, 1);
    g_assert_cmpuint(waker_of_visitor(NOT_IN_VAIN), ==, 2);
    g_assert_cmpuint(waker_of_visitor(BY_ANOTHER), ==, 2);
}

typedef enum { MESSAGES, SHARED_TICKETS, NEWS, TICKETS, QUESTIONS } Desk;

/* A visitor waits for a clerk that sleeps in the method in which it gives: what that is worth of
 * the last wait. */
static gint64 clerk_that_sleeps(Desk desk)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    const guint32 visitors[] = {pm_made_thread(&s.made, "visitor-1"),
                                pm_made_thread(&s.made, "visitor-2")};
    const guint32 seen = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Clerk.serve", NULL);
    const guint32 gives = pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Ticket.done",
                                        "com.acme.Clerk.serve", NULL);
    const guint32 waits = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Ticket.await",
                                        "com.acme.Visitor.ask", NULL);
    const guint32 asks = pm_made_chain(a, "java.lang.Object.notify", "com.acme.Line.add",
                                       "com.acme.Ticket.await", "com.acme.Visitor.ask", NULL);
    const guint32 rests = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Line.next",
                                        "com.acme.Clerk.serve", NULL);
    const guint32 ticket_class = pm_assembly_add_class(a, "com.acme.Ticket");
    const guint32 line =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, "com.acme.Line"), 6, rests);
    guint32 ticket = 0;
    for (gint64 k = 0; k < 5; k++) {
        const gint64 begin = (100 + 100 * k) * MS, end = begin + 60 * MS;
        if (k == 0 || (desk != MESSAGES && desk != QUESTIONS))
            ticket = pm_made_blocker(&s.made, ticket_class, 10 + (guint32)k, waits);
        pm_made_sample(a, PM_SAMPLE_ENDER, visitors[0], ticket, s.a, seen, begin + 30 * MS);
        PmWaitRow row = {.begin = begin,
                         .end = end,
                         .wake = end,
                         .kind = PM_KIND_WAIT,
                         .thread = visitors[0],
                         .blocker = ticket,
                         .chain = waits,
                         .waker = s.a,
                         .waker_chain = gives,
                         .wake_cause = PM_WAKE_NOTIFY};
        pm_assembly_add_wait(a, &row);
        row.thread = visitors[1];
        if (desk == SHARED_TICKETS)
            pm_assembly_add_wait(a, &row);
        const PmWaitRow rest = {.begin = begin - 20 * MS,
                                .end = begin,
                                .wake = begin - MS / 2,
                                .kind = PM_KIND_WAIT,
                                .thread = s.a,
                                .blocker = line,
                                .chain = rests,
                                .waker = desk == QUESTIONS ? visitors[0] : s.c,
                                .waker_chain = asks,
                                .wake_cause = PM_WAKE_NOTIFY};
        if (desk != NEWS) /* who brings those waits for nothing */
            pm_assembly_add_wait(a, &rest);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, visitors[0], 500 * MS);
    return time_of(parts, s.a);
}

static void who_is_asked_answers(void)
{
    g_assert_cmpint(clerk_that_sleeps(MESSAGES), ==, 0);
    g_assert_cmpint(clerk_that_sleeps(SHARED_TICKETS), ==, 0);
    g_assert_cmpint(clerk_that_sleeps(NEWS), ==, 0);
    g_assert_cmpint(clerk_that_sleeps(TICKETS), ==, 60 * MS);
    g_assert_cmpint(clerk_that_sleeps(QUESTIONS), ==, 60 * MS);
}

/* A worker waits at a semaphore: for work that main releases, unless another of the group of main
 * waits there too, or permits are left. */
static void semaphore_is_a_signal_of_who_never_takes_of_it(void)
{
    static const struct {
        gboolean others_take;
        gint32 permits;
    } tests[] = {{FALSE, 0}, {TRUE, 0}, {FALSE, 2}};
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 1000 * MS;
        guint32 takes =
            pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                          "java.util.concurrent.Semaphore.acquire", "com.acme.W.run", NULL);
        guint32 semaphore = pm_made_blocker(
            &m, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"), 1, takes);
        guint32 worker = pm_made_thread(&m, "worker"), giver = pm_made_thread(&m, "desk-1"),
                other = pm_made_thread(&m, "desk-2");
        PM_MADE_WAIT(a, 10 * MS, 20 * MS, worker, semaphore, takes, .aqs_state = tests[i].permits);
        if (tests[i].others_take)
            pm_made_wait(&m, other, semaphore, takes, 30 * MS, 40 * MS, 0);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        const PmContention *c = pm_recording_contention(r, NULL);
        g_assert_cmpint(pm_contention_takes(c, pm_row_of(r, worker, 10 * MS), giver), ==, i == 0);
    }
}

/* The victim's result is late as its worker waits for news: in a task of a pool, or as who asks the
 * editor. */
static void a_task_that_waits_for_news_keeps_its_worker(void)
{
    for (guint pool = 0; pool < 2; pool++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 waits = pm_made_chain(
            a, "java.lang.Object.wait", "com.acme.News.await",
            pool ? "java.util.concurrent.ThreadPoolExecutor.runWorker" : "com.acme.Reader.run",
            NULL);
        const guint32 gives = pm_made_chain(a, "java.lang.Object.notifyAll",
                                            "com.acme.News.publish", "com.acme.Editor.run", NULL);
        const guint32 seen =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Editor.run", NULL);
        const guint32 news =
            pm_made_blocker(&s.made, pm_assembly_add_class(a, "com.acme.News"), 6, waits);
        const PmWaitRow row = {.begin = 100 * MS,
                               .end = 190 * MS,
                               .wake = 190 * MS,
                               .kind = PM_KIND_WAIT,
                               .thread = s.a,
                               .blocker = news,
                               .chain = waits,
                               .waker = s.b,
                               .waker_chain = gives,
                               .wake_cause = PM_WAKE_NOTIFY};
        const PmOwnerSample sample = {.at = 150 * MS,
                                      .waiter = s.a,
                                      .blocker = news,
                                      .owner = s.b,
                                      .chain = seen,
                                      .weight = 1,
                                      .role = PM_SAMPLE_ENDER};
        pm_assembly_add_wait(a, &row);
        g_array_append_val(a->samples, sample);
        scene_signal(&s, s.victim, s.future, s.future_chain, s.a, 100 * MS, 200 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, s.victim, 100 * MS);
        const PmPart *part =
            check_part(parts, 0, 100 * MS, 190 * MS, PM_CAUSE_WAKER, pool ? s.a : s.b);
        g_assert_cmpuint(part->chain, ==, pool ? waits : seen);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/follow/chain-of-three-is-followed-to-its-end",
                    chain_of_three_is_followed_to_its_end);
    g_test_add_func("/analysis/follow/owner-that-waits-owns-meanwhile",
                    owner_that_waits_owns_meanwhile);
    g_test_add_func("/analysis/follow/a-queue-of-twelve-is-followed-to-its-end",
                    a_queue_of_twelve_is_followed_to_its_end);
    g_test_add_func("/analysis/follow/owner-whose-wait-is-over-is-at-work",
                    owner_whose_wait_is_over_is_at_work);
    g_test_add_func("/analysis/follow/circle-ends", circle_ends);
    g_test_add_func("/analysis/follow/what-an-ender-waited-for-is-behind-it",
                    what_an_ender_waited_for_is_behind_it);
    g_test_add_func("/analysis/follow/ender-at-work-is-the-cause", ender_at_work_is_the_cause);
    g_test_add_func("/analysis/follow/ender-just-before-is-exact", ender_just_before_is_exact);
    g_test_add_func("/analysis/follow/a-row-is-kept-between-the-lines-that-take-and-give",
                    a_row_is_kept_between_the_lines_that_take_and_give);
    g_test_add_func("/analysis/follow/a-mutex-of-parks-is-kept-between-those-lines",
                    a_mutex_of_parks_is_kept_between_those_lines);
    g_test_add_func("/analysis/follow/a-wait-for-another-lock-is-not-where-one-is-taken",
                    a_wait_for_another_lock_is_not_where_one_is_taken);
    g_test_add_func("/analysis/follow/sample-tells-what-an-ender-did",
                    sample_tells_what_an_ender_did);
    g_test_add_func("/analysis/follow/sample-tells-of-stretches-about-as-long",
                    sample_tells_of_stretches_about_as_long);
    g_test_add_func("/analysis/follow/sample-tells-of-such-a-time-of-a-stretch",
                    sample_tells_of_such_a_time_of_a_stretch);
    g_test_add_func("/analysis/follow/sample-tells-of-a-stretch-as-long-as-the-wait",
                    sample_tells_of_a_stretch_as_long_as_the_wait);
    g_test_add_func("/analysis/follow/sample-tells-of-what-ends-the-same-waits",
                    sample_tells_of_what_ends_the_same_waits);
    g_test_add_func("/analysis/follow/each-sample-tells-of-its-time",
                    each_sample_tells_of_its_time);
    g_test_add_func("/analysis/follow/sample-at-a-return-tells-of-the-call",
                    sample_at_a_return_tells_of_the_call);
    g_test_add_func("/analysis/follow/sample-of-who-waits-tells-nothing",
                    sample_of_who_waits_tells_nothing);
    g_test_add_func("/analysis/follow/sample-of-who-wakes-tells-of-then",
                    sample_of_who_wakes_tells_of_then);
    g_test_add_func("/analysis/follow/who-shares-a-lock-is-told-by-samples-of-enders",
                    who_shares_a_lock_is_told_by_samples_of_enders);
    g_test_add_func("/analysis/follow/who-waits-within-a-task-was-in-it-before",
                    who_waits_within_a_task_was_in_it_before);
    g_test_add_func("/analysis/follow/what-an-ender-did-before-is-not-what-it-did",
                    what_an_ender_did_before_is_not_what_it_did);
    g_test_add_func("/analysis/follow/what-a-library-has-made-is-waited-for",
                    what_a_library_has_made_is_waited_for);
    g_test_add_func("/analysis/follow/callers-samples-tell-what-an-ender-did",
                    callers_samples_tell_what_an_ender_did);
    g_test_add_func("/analysis/follow/pools-samples-tell-what-a-task-did",
                    pools_samples_tell_what_a_task_did);
    g_test_add_func("/analysis/follow/who-is-late-was-in-other-tasks-before",
                    who_is_late_was_in_other_tasks_before);
    g_test_add_func("/analysis/follow/who-is-late-was-in-what-its-loop-calls",
                    who_is_late_was_in_what_its_loop_calls);
    g_test_add_func("/analysis/follow/owner-seen-elsewhere-has-taken-it-again",
                    owner_seen_elsewhere_has_taken_it_again);
    g_test_add_func("/analysis/follow/hold-is-like-those-that-ended-alike",
                    hold_is_like_those_that_ended_alike);
    g_test_add_func("/analysis/follow/end-of-a-thread-is-waited-for-because-of-it",
                    end_of_a_thread_is_waited_for_because_of_it);
    g_test_add_func("/analysis/follow/thread-that-ends-is-like-others-of-its-group",
                    thread_that_ends_is_like_others_of_its_group);
    g_test_add_func("/analysis/follow/who-gave-the-task-is-behind-all-before",
                    who_gave_the_task_is_behind_all_before);
    g_test_add_func("/analysis/follow/who-rests-for-no-time-is-not-followed",
                    who_rests_for_no_time_is_not_followed);
    g_test_add_func("/analysis/follow/end-of-a-virtual-thread-comes-from-within",
                    end_of_a_virtual_thread_comes_from_within);
    g_test_add_func("/analysis/follow/who-has-no-carrier-waits-for-what-they-run",
                    who_has_no_carrier_waits_for_what_they_run);
    g_test_add_func("/analysis/follow/owner-that-rests-is-not-followed-where-inferred",
                    owner_that_rests_is_not_followed_where_inferred);
    g_test_add_func("/analysis/follow/owner-that-rests-has-nothing-to-do",
                    owner_that_rests_has_nothing_to_do);
    g_test_add_func("/analysis/follow/owner-that-pauses-keeps-the-lock",
                    owner_that_pauses_keeps_the_lock);
    g_test_add_func("/analysis/follow/giver-that-pauses-is-at-work", giver_that_pauses_is_at_work);
    g_test_add_func("/analysis/follow/owner-that-waits-for-an-answer-keeps-the-lock",
                    owner_that_waits_for_an_answer_keeps_the_lock);
    g_test_add_func("/analysis/follow/who-waits-for-an-answer-keeps-a-result",
                    who_waits_for_an_answer_keeps_a_result);
    g_test_add_func("/analysis/follow/shared-lock-is-held-up-to-each-release",
                    shared_lock_is_held_up_to_each_release);
    g_test_add_func("/analysis/follow/shared-lock-is-held-up-to-a-time-out",
                    shared_lock_is_held_up_to_a_time_out);
    g_test_add_func("/analysis/follow/shared-lock-with-one-release-is-its-makers",
                    shared_lock_with_one_release_is_its_makers);
    g_test_add_func("/analysis/follow/barrier-waits-for-all-that-have-not-come",
                    barrier_waits_for_all_that_have_not_come);
    g_test_add_func("/analysis/follow/only-who-came-last-opens-a-phaser-exactly",
                    only_who_came_last_opens_a_phaser_exactly);
    g_test_add_func("/analysis/follow/phaser-waits-for-all-that-have-not-come",
                    phaser_waits_for_all_that_have_not_come);
    g_test_add_func("/analysis/follow/barrier-of-two-waits-for-the-other",
                    barrier_of_two_waits_for_the_other);
    g_test_add_func("/analysis/follow/who-keeps-what-a-pool-has-is-the-cause",
                    who_keeps_what_a_pool_has_is_the_cause);
    g_test_add_func("/analysis/follow/own-synchronizer-may-lend", own_synchronizer_may_lend);
    g_test_add_func("/analysis/follow/pool-with-an-object-for-each-wait-is-one",
                    pool_with_an_object_for_each_wait_is_one);
    g_test_add_func("/analysis/follow/who-keeps-what-a-pool-has-is-seen-at-work",
                    who_keeps_what_a_pool_has_is_seen_at_work);
    g_test_add_func("/analysis/follow/who-waits-for-outside-with-what-a-pool-has-is-the-cause",
                    who_waits_for_outside_with_what_a_pool_has_is_the_cause);
    g_test_add_func("/analysis/follow/unseen-hold-is-like-one-as-long",
                    unseen_hold_is_like_one_as_long);
    g_test_add_func("/analysis/follow/trace-that-is-cut-off-is-like-the-others",
                    trace_that_is_cut_off_is_like_the_others);
    g_test_add_func("/analysis/follow/what-a-librarys-helper-keeps-is-seen-at-work",
                    what_a_librarys_helper_keeps_is_seen_at_work);
    g_test_add_func("/analysis/follow/party-that-keeps-time-is-no-fault",
                    party_that_keeps_time_is_no_fault);
    g_test_add_func("/analysis/follow/who-listens-too-is-no-fault", who_listens_too_is_no_fault);
    g_test_add_func("/analysis/follow/who-takes-under-a-lock-has-nothing-to-do",
                    who_takes_under_a_lock_has_nothing_to_do);
    g_test_add_func("/analysis/follow/who-is-woken-for-others-waits-for-another",
                    who_is_woken_for_others_waits_for_another);
    g_test_add_func("/analysis/follow/who-is-woken-by-one-that-gives-up-waits-on",
                    who_is_woken_by_one_that_gives_up_waits_on);
    g_test_add_func("/analysis/follow/timeout-of-who-looks-again-at-once-is-no-end",
                    timeout_of_who_looks_again_at_once_is_no_end);
    g_test_add_func("/analysis/follow/end-of-a-process-comes-from-outside",
                    end_of_a_process_comes_from_outside);
    g_test_add_func("/analysis/follow/timeout-of-a-future-is-nobodys",
                    timeout_of_a_future_is_nobodys);
    g_test_add_func("/analysis/follow/who-rests-where-it-rings-brings-from-outside",
                    who_rests_where_it_rings_brings_from_outside);
    g_test_add_func("/analysis/follow/who-gives-by-itself-brings-from-outside",
                    who_gives_by_itself_brings_from_outside);
    g_test_add_func("/analysis/follow/who-accepts-connections-brings-from-outside",
                    who_accepts_connections_brings_from_outside);
    g_test_add_func("/analysis/follow/who-exits-is-a-source", who_exits_is_a_source);
    g_test_add_func("/analysis/follow/who-lets-in-is-no-source-where-others-do",
                    who_lets_in_is_no_source_where_others_do);
    g_test_add_func("/analysis/follow/librarys-timer-is-at-rest", librarys_timer_is_at_rest);
    g_test_add_func("/analysis/follow/where-all-go-on-at-once-nothing-is-lent",
                    where_all_go_on_at_once_nothing_is_lent);
    g_test_add_func("/analysis/follow/results-in-a-queue-come-one-by-one",
                    results_in_a_queue_come_one_by_one);
    g_test_add_func("/analysis/follow/news-for-all-come-by-the-clock",
                    news_for_all_come_by_the_clock);
    g_test_add_func("/analysis/follow/news-are-passed-on-by-the-clock",
                    news_are_passed_on_by_the_clock);
    g_test_add_func("/analysis/follow/a-monitor-with-sides-lends-nothing",
                    a_monitor_with_sides_lends_nothing);
    g_test_add_func("/analysis/follow/a-thread-that-had-not-begun-brings-what-came",
                    a_thread_that_had_not_begun_brings_what_came);
    g_test_add_func("/analysis/follow/unseen-virtual-party-is-no-fault",
                    unseen_virtual_party_is_no_fault);
    g_test_add_func("/analysis/follow/what-a-pool-lends-comes-from-nowhere-else",
                    what_a_pool_lends_comes_from_nowhere_else);
    g_test_add_func("/analysis/follow/who-asks-first-waits-for-an-answer",
                    who_asks_first_waits_for_an_answer);
    g_test_add_func("/analysis/follow/unseen-virtual-thread-brings-messages",
                    unseen_virtual_thread_brings_messages);
    g_test_add_func("/analysis/follow/who-waits-on-for-a-result-goes-by-the-end",
                    who_waits_on_for_a_result_goes_by_the_end);
    g_test_add_func("/analysis/follow/who-waits-on-for-whom-it-set-going-goes-by-the-end",
                    who_waits_on_for_whom_it_set_going_goes_by_the_end);
    g_test_add_func("/analysis/follow/who-signals-may-have-taken-the-lock-again",
                    who_signals_may_have_taken_the_lock_again);
    g_test_add_func("/analysis/follow/who-asks-is-told-by-the-methods",
                    who_asks_is_told_by_the_methods);
    g_test_add_func("/analysis/follow/who-is-asked-answers", who_is_asked_answers);
    g_test_add_func("/analysis/follow/who-brings-work-is-the-cause-of-a-queue",
                    who_brings_work_is_the_cause_of_a_queue);
    g_test_add_func("/analysis/follow/semaphore-is-a-signal-of-who-never-takes-of-it",
                    semaphore_is_a_signal_of_who_never_takes_of_it);
    g_test_add_func("/analysis/follow/what-comes-before-a-result-makes-it-late",
                    what_comes_before_a_result_makes_it_late);
    g_test_add_func("/analysis/follow/late-result-is-due-to-whom-it-was-asked-of",
                    late_result_is_due_to_whom_it_was_asked_of);
    g_test_add_func("/analysis/follow/late-result-is-due-to-who-is-asked-as-a-rule",
                    late_result_is_due_to_who_is_asked_as_a_rule);
    g_test_add_func("/analysis/follow/one-that-waits-tells-of-its-group",
                    one_that_waits_tells_of_its_group);
    g_test_add_func("/analysis/follow/late-result-is-due-to-who-brings-such-in-time",
                    late_result_is_due_to_who_brings_such_in_time);
    g_test_add_func("/analysis/follow/who-adds-a-delay-is-not-behind-others",
                    who_adds_a_delay_is_not_behind_others);
    g_test_add_func("/analysis/follow/parts-add-up-to-the-wait", parts_add_up_to_the_wait);
    g_test_add_func("/analysis/follow/a-task-that-waits-for-news-keeps-its-worker",
                    a_task_that_waits_for_news_keeps_its_worker);
    return g_test_run();
}

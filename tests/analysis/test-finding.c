#include "viewer/analysis/code/account.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/blocker-cost.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/findings/findings.h"

#include <math.h>
#include <string.h>

#include "tests/analysis/made.h"
#include "tests/analysis/see.h"

#define MS     G_GINT64_CONSTANT(1000000)
#define SECOND G_GINT64_CONSTANT(1000000000)

static PmFindings *find(PmRecording *r, PmSummary **ret_summary)
{
    PmFindings *findings = pm_find_all(r, ret_summary);
    pm_see(findings);
    for (guint i = 0; i < findings->n; i++) {
        /* Whoever reads them as data finds who and because of whom, if only that it is not known.
         */
        g_assert_cmpuint(findings->findings[i].n_causes, >, 0);
        g_assert_cmpuint(findings->findings[i].n_victims, >, 0);
    }
    return findings;
}

static void deadlock_is_told_once(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 60 * SECOND;
    guint32 first = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 second = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a-1"), b = pm_made_thread(&m, "a-2");
    pm_made_held_wait(&m, a, second, m.lock_chain, b, SECOND, 60 * SECOND, PM_WAIT_IN_PROGRESS);
    pm_made_held_wait(&m, b, first, m.lock_chain, a, SECOND, 60 * SECOND, PM_WAIT_IN_PROGRESS);
    for (guint i = 0; i < 5; i++) {
        pm_made_held_wait(&m, pm_made_thread(&m, "b-%u", i), first, m.lock_chain, a, 2 * SECOND,
                          60 * SECOND, PM_WAIT_IN_PROGRESS);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpint(f->findings[0].rule, ==, PM_RULE_DEADLOCK);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_STUCK);
    g_assert_cmpstr(f->verdict.sentence, ==, f->findings[0].title);
    g_assert_true(g_str_has_prefix(f->findings[0].title, "Deadlock: a-1 and a-2 wait"));
    g_assert_nonnull(strstr(f->findings[0].title, "5 threads wait behind them"));
    g_assert_cmpint(f->findings[0].waits, ==, 7);
    g_assert_cmpuint(f->findings[0].victims[0].n_threads, ==, 5);
}

/* Ten times each, for 43 % of a second, from its begin on. */
static void four_wait_for(PmMade *m, guint32 lock, guint32 owner)
{
    for (guint i = 0; i < 4; i++) {
        guint32 t = pm_made_thread(m, "exec-%u", i);
        for (gint64 k = 0; k < 10; k++)
            pm_made_held_wait(m, t, lock, m->lock_chain, owner, k * SECOND, k * SECOND + 430 * MS,
                              0);
    }
}

static void hot_lock_names_who_holds_it(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 10 * SECOND;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, m.lock_chain);
    guint32 owner = pm_made_thread(&m, "ticker");
    four_wait_for(&m, lock, owner);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    const PmFinding *x = &f->findings[0];
    g_assert_cmpint(x->rule, ==, PM_RULE_LOCK_DOMINATES);
    g_assert_cmpint(x->severity, ==, PM_SEVERITY_HIGH);
    g_assert_cmpstr(x->title, ==,
                    "One lock takes 43 % of the busy time of exec-* (4): Report.render holds it");
    g_assert_cmpstr(x->command, ==, "--blocker=4f3c91d2 --by=cause-site,site");
    g_assert_cmpstr(f->verdict.sentence, ==, x->title);
    double shares = 0;
    for (guint i = 0; i < x->n_causes; i++)
        shares += x->causes[i].share;
    g_assert_cmpfloat(shares, >, 0.999);
    g_assert_cmpfloat(shares, <, 1.001);
}

/* Who holds the lock waits for an answer: the one who gives that is responsible, and holds nothing.
 */
static void who_is_behind_the_owner_holds_nothing(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, m.lock_chain);
    guint32 acks = pm_made_blocker(&m, m.none_class, 0x9a1e07c4, m.other_chain);
    guint32 owner = pm_made_thread(&m, "publisher"), broker = pm_made_thread(&m, "broker");
    guint32 confirm = pm_made_chain(a, "com.acme.Broker.confirm", "com.acme.Broker.run", NULL);
    for (gint64 k = 0; k < 10; k++) {
        PM_MADE_WAIT(a, k * SECOND, k * SECOND + 430 * MS, owner, acks, m.other_chain,
                     .wake = k * SECOND + 430 * MS, .kind = PM_KIND_WAIT, .waker = broker,
                     .waker_chain = confirm, .wake_cause = PM_WAKE_NOTIFY);
    }
    four_wait_for(&m, lock, owner);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, >=, 1);
    g_assert_cmpstr(
        f->findings[0].title, ==,
        "One lock takes 43 % of the busy time of exec-* (4), because of Broker.confirm");
}

/* Sixteen samples of an owner in Thread.sleep, as the JDK carries it out; and a lock of the JDK's,
 * which the program can only ask for less often: where that is known, else its holder. */
static void check_advice(gboolean released)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    guint32 state = pm_assembly_add_class(a, "com.acme.State");
    PmFrame asleep[] = {{pm_made_method(a, "java.lang.Thread", "sleepNanos0", "Thread.java"), -1},
                        {pm_made_method(a, "java.lang.Thread", "sleep", "Thread.java"), 509},
                        {pm_made_method(a, "com.acme.Socket", "close", "Socket.java"), 14}};
    PmFrame wakeup[] = {
        {pm_made_method(a, "sun.nio.ch.EPollSelectorImpl", "wakeup", "EPollSelectorImpl.java"), 1},
        {pm_made_method(a, "com.acme.Poller", "wake", "Poller.java"), 2}};
    guint32 asleep_chain = pm_assembly_add_chain(a, asleep, G_N_ELEMENTS(asleep), FALSE);
    asleep[2] = (PmFrame){pm_made_method(a, "com.acme.Socket", "retry", "Socket.java"), 21};
    guint32 retry_chain = pm_assembly_add_chain(a, asleep, G_N_ELEMENTS(asleep), FALSE);
    guint32 wakeup_chain = pm_assembly_add_chain(a, wakeup, G_N_ELEMENTS(wakeup), FALSE);
    guint32 slow = pm_made_blocker(&m, state, 1, m.lock_chain);
    guint32 selector = pm_made_blocker(&m, state, 2, wakeup_chain);
    guint32 owner = pm_made_thread(&m, "closer");
    for (guint i = 0; i < 2; i++) {
        guint32 t = pm_made_thread(&m, i ? "exec-2" : "exec-1");
        for (gint64 k = 0; k < 10; k++) {
            PmWaitRow row = {.begin = k * SECOND,
                             .end = k * SECOND + 400 * MS,
                             .kind = PM_KIND_ENTER,
                             .thread = t,
                             .blocker = slow,
                             .chain = m.lock_chain,
                             .owner = owner};
            pm_assembly_add_wait(a, &row);
            row.begin += 500 * MS;
            row.end += 400 * MS;
            row.blocker = selector;
            row.chain = wakeup_chain;
            if (released) {
                row.wake = row.end;
                row.wake_cause = PM_WAKE_RELEASE;
                row.waker = owner;
                row.waker_chain = wakeup_chain;
            }
            pm_assembly_add_wait(a, &row);
        }
    }
    for (gint64 k = 0; k < 16; k++) {
        PmOwnerSample sample = {.at = k * SECOND / 4,
                                .blocker = slow,
                                .owner = owner,
                                .chain = k % 4 == 0 ? retry_chain : asleep_chain};
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 2);
    const PmFinding *x = &f->findings[f->findings[0].blocker == slow ? 0 : 1];
    const PmFinding *y = &f->findings[f->findings[0].blocker == slow ? 1 : 0];
    g_assert_cmpint(x->rule, ==, PM_RULE_LOCK_HELD_OVER_IO);
    g_assert_cmpstr(
        x->title, ==,
        "A lock of class State, held during Thread.sleep, takes 40 % of the busy time of "
        "exec-* (2): Socket.close holds it");
    g_assert_cmpstr(x->evidence[0].text, ==,
                    "owner seen in Thread.sleep < Socket.close (Socket.java:14) in 75 % of 16 "
                    "samples, in other slow calls in 25 %");
    g_assert_cmpint(y->rule, ==, PM_RULE_LOCK_DOMINATES);
    g_assert_cmpstr(y->advice, ==,
                    released ? "the lock is inside the JDK: call it less often from Poller.wake"
                             : "the lock is inside the JDK: call it less often from Socket.close");
}

/* Pages wait for a lock that a library's cache takes, or a queue of the JDK's, and whose owner
 * stores something meanwhile: `called` by that, or not. */
static void advice_tells_of_a_library_that_calls_under_its_lock(void)
{
    static const char *const takes[] = {"org.lib.Cache.clean",
                                        "java.util.concurrent.LinkedBlockingQueue.put"},
                             *calls[] = {"org.lib.Cache.evict",
                                         "java.util.concurrent.LinkedBlockingQueue.contains"},
                             *told[] = {"Cache calls Store.equals while it holds its lock",
                                        "LinkedBlockingQueue calls Store.equals while it holds"};
    for (guint i = 0; i < 4; i++) {
        const guint called = i % 2, of = i / 2;
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        a->facts.main = "com.acme.Main";
        const guint32 cleans = pm_made_chain(
            a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.ReentrantLock.lock",
            takes[of], "com.acme.Site.page", "java.lang.Thread.run", NULL);
        const guint32 stores =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Store.keep",
                          "com.acme.Store.equals", called ? calls[of] : "com.acme.Site.keep",
                          "com.acme.Site.page", "java.lang.Thread.run", NULL);
        const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, cleans);
        const guint32 owner = pm_made_thread(&m, "page-1"), waiter = pm_made_thread(&m, "page-2");
        for (gint64 k = 0; k < 16; k++) {
            const PmOwnerSample sample = {.at = (600 * k + 200) * MS,
                                          .blocker = lock,
                                          .owner = owner,
                                          .chain = stores,
                                          .weight = 1};
            pm_made_held_wait(&m, waiter, lock, cleans, owner, 600 * k * MS, (600 * k + 500) * MS,
                              0);
            g_array_append_val(a->samples, sample);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpint(f->findings[0].rule, ==, PM_RULE_LOCK_HELD_OVER_IO);
        g_assert_cmpint(g_str_has_prefix(f->findings[0].advice, told[of]), ==, called);
    }
}

/* Pages get a lock one after the other, for which a clerk kept both waiting, and have it for 50 µs:
 * how long the clerk has it is not known, and theirs is not told in its stead. */
static void holds_of_others_are_not_told_as_the_culprits(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 10 * SECOND;
    const guint32 clerk = pm_made_thread(&m, "clerk");
    const guint32 pages[] = {pm_made_thread(&m, "page-1"), pm_made_thread(&m, "page-2")};
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    for (gint64 k = 0; k < 10; k++) {
        const gint64 released = k * SECOND + 700 * MS;
        pm_made_held_wait(&m, pages[0], lock, m.lock_chain, clerk, k * SECOND, released, 0);
        PM_MADE_WAIT(m.assembly, k * SECOND + MS, released + MS / 10, pages[1], lock, m.lock_chain,
                     .owner = clerk, .wake_cause = PM_WAKE_RELEASE, .wake = released + MS / 20,
                     .waker = pages[0], .waker_chain = m.lock_chain);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    const PmFinding *finding = &f->findings[0];
    gboolean unknown = FALSE;
    for (guint i = 0; i < finding->n_evidence; i++) {
        unknown |= g_str_equal(finding->evidence[i].text,
                               "how long Report.render held it at a time was not measured");
        g_assert_null(strstr(finding->evidence[i].text, "by any thread"));
    }
    g_assert_true(unknown);
}

/* Who gives permits sleeps before each, as where a rate is limited: that is where the time goes, if
 * nobody can be blamed for it. */
static void permits_given_at_a_pace_are_a_note(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    const guint32 takes =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.Semaphore.acquire",
                      "com.acme.Bucket.take", "com.acme.Main.main", NULL);
    const guint32 gives = pm_made_chain(a, "java.util.concurrent.Semaphore.release",
                                        "com.acme.Bucket.refill", "java.lang.Thread.run", NULL);
    const guint32 sleeps = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Bucket.refill",
                                         "java.lang.Thread.run", NULL);
    const guint32 permits = pm_made_blocker(
        &m, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"), 1, takes);
    const guint32 sender = pm_made_thread(&m, "sender"), refill = pm_made_thread(&m, "refill");
    for (gint64 k = 0; k < 50; k++) {
        pm_made_sample(a, PM_SAMPLE_ENDER, sender, permits, refill, sleeps, (200 * k + 90) * MS);
        PM_MADE_WAIT(a, 200 * k * MS, (200 * k + 180) * MS, sender, permits, takes,
                     .wake_cause = PM_WAKE_RELEASE, .wake = (200 * k + 180) * MS, .waker = refill,
                     .waker_chain = gives);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_NOTE);
    g_assert_true(g_str_has_suffix(f->findings[0].title, "Bucket.take waits for what comes from "
                                                         "outside or by the clock, "
                                                         "through Bucket.refill"));
}

/* Who takes a lock calls what takes long, and gives it back itself: how long it held it is told of
 * it by name, as it may call more than that. */
static PmFindings *find_kept(PmMade *m, guint32 takes, guint32 gives, guint32 keeps,
                             PmRecording **ret_recording, PmSummary **ret_summary)
{
    PmAssembly *a = m->assembly;
    a->duration = 10 * SECOND;
    guint32 pages[3];
    for (guint i = 0; i < 3; i++)
        pages[i] = pm_made_thread(m, "page-%u", i);
    const guint32 lock = pm_made_blocker(m, m->lock_class, 1, takes);
    for (gint64 k = 1; k < 100; k++) {
        const PmOwnerSample sample = {.at = (100 * k - 50) * MS,
                                      .blocker = lock,
                                      .owner = pages[k % 3],
                                      .chain = keeps,
                                      .weight = 1};
        PM_MADE_WAIT(a, 100 * (k - 1) * MS, 100 * k * MS, pages[(k + 1) % 3], lock, takes,
                     .owner = pages[k % 3], .wake_cause = PM_WAKE_RELEASE, .wake = 100 * k * MS,
                     .waker = pages[k % 3], .waker_chain = gives);
        g_array_append_val(a->samples, sample);
    }
    *ret_recording = pm_assembly_finish(a);
    return find(*ret_recording, ret_summary);
}

/* Transfers keep an account for 300 ms at a time while they try for another one, unless they have
 * waited for it: then for 10 µs. Those few short holds are not told as what they do. */
static void few_short_holds_are_not_told_as_all(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    const guint32 moves = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.tryLock",
                                        "com.acme.Bank.transfer", "java.lang.Thread.run", NULL);
    const guint32 threads[] = {pm_made_thread(&m, "transfer-1"), pm_made_thread(&m, "transfer-2"),
                               pm_made_thread(&m, "transfer-3")};
    const guint32 account = pm_made_blocker(&m, m.lock_class, 1, moves);
    const guint32 fair_class =
        pm_assembly_add_class(a, "java.util.concurrent.locks.ReentrantLock$FairSync");
    const guint32 other = pm_made_blocker(&m, fair_class, 2, moves); /* told apart */
    for (gint64 k = 0; k < 20; k++) {
        const gint64 at = k * 500 * MS;
        PM_MADE_WAIT(a, at, at + 300 * MS, threads[0], other, moves, .owner = threads[2],
                     .flags = PM_WAIT_TIMED, .wake_cause = PM_WAKE_TIME_OUT);
        PM_MADE_WAIT(a, at, at + 301 * MS, threads[1], account, moves, .owner = threads[0],
                     .wake = at + 301 * MS, .wake_cause = PM_WAKE_RELEASE, .waker = threads[0],
                     .waker_chain = moves);
        PM_MADE_WAIT(a, at + MS, at + 301 * MS + MS / 100, threads[2], account, moves,
                     .owner = threads[0], .wake = at + 301 * MS + MS / 100,
                     .wake_cause = PM_WAKE_RELEASE, .waker = threads[1], .waker_chain = moves);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    gboolean told = FALSE;
    for (guint k = 0; k < f->n; k++)
        for (guint i = 0; f->findings[k].blocker == account && i < f->findings[k].n_evidence; i++) {
            const char *text = f->findings[k].evidence[i].text;
            told |= g_str_has_prefix(text, "the holds by Bank.transfer that were measured (");
            g_assert_null(strstr(text, " at a time, measured"));
            g_assert_null(strstr(text, " at a time, by any thread"));
        }
    g_assert_true(told);
}

static void holds_of_who_took_it_are_the_culprits(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const guint32 takes = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                        "java.util.concurrent.locks.ReentrantLock.lock",
                                        "com.acme.Site.page", "java.lang.Thread.run", NULL);
    const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                        "com.acme.Site.page", "java.lang.Thread.run", NULL);
    const guint32 keeps = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Store.keep",
                                        "com.acme.Site.page", "java.lang.Thread.run", NULL);
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find_kept(&m, takes, gives, keeps, &r, &s);
    const PmFinding *finding = &f->findings[0];
    gboolean told = FALSE;
    g_assert_cmpstr(finding->causes[0].culprit, ==, "Store.keep");
    for (guint i = 0; i < finding->n_evidence; i++) {
        told |= g_str_has_prefix(finding->evidence[i].text,
                                 "Site.page held it 100 ms at a time, measured ");
        g_assert_false(g_str_has_prefix(finding->evidence[i].text, "held 100 ms"));
        g_assert_null(strstr(finding->evidence[i].text, "not measured"));
    }
    g_assert_true(told);
}

/* Everybody takes the lock by one helper: for whom it was taken is told behind that. */
static void who_had_a_helper_take_it_is_told(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const guint32 takes = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                        "java.util.concurrent.locks.ReentrantLock.lock",
                                        "com.acme.Guarded.locked", "com.acme.Guarded.reading",
                                        "com.acme.Prices.price", "java.lang.Thread.run", NULL);
    const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                        "com.acme.Guarded.locked", "com.acme.Guarded.writing",
                                        "com.acme.Prices.applyAll", "java.lang.Thread.run", NULL);
    const guint32 keeps = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Prices.change",
                                        "com.acme.Guarded.locked", "com.acme.Guarded.writing",
                                        "com.acme.Prices.applyAll", "java.lang.Thread.run", NULL);
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find_kept(&m, takes, gives, keeps, &r, &s);
    g_assert_cmpstr(f->findings[0].causes[0].text, ==,
                    "Prices.change (Prices.java:2) in Thread.sleep < Guarded.locked "
                    "(Guarded.java:3) < … < Prices.applyAll (Prices.java:5)");
}

/* A method is seen at work at a line for so long, and what it calls at another one, or at the same,
 * for 60 ms. Who is the culprit of those? */
static char *culprit_of_called(gint64 time, gint32 line)
{
    PmMade m = pm_made_begin();
    const guint32 spin = pm_made_method_once(m.assembly, "com.acme.Util", "scale");
    const guint32 render = pm_made_method_once(m.assembly, "com.acme.Renderer", "render");
    const PmFrame inner[] = {{.method = spin, .line = 7}, {.method = render, .line = 20}};
    const PmFrame outer[] = {{.method = render, .line = line}};
    const PmCulprit called = {
        .cause = {.kind = PM_CAUSE_WAKER,
                  .thread = 1,
                  .chain = pm_assembly_add_chain(m.assembly, inner, 2, FALSE)},
        .time = 60 * MS};
    const PmCulprit caller = {
        .cause = {.kind = PM_CAUSE_WAKER,
                  .thread = 1,
                  .chain = pm_assembly_add_chain(m.assembly, outer, 1, FALSE)},
        .time = time};
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(GArray) culprits = g_array_new(FALSE, TRUE, sizeof(PmCulprit));
    const PmTotals none = {0};
    g_array_append_val(culprits, called);
    g_array_append_val(culprits, caller);
    pm_culprits_find(r, &none, &none, culprits);
    return pm_culprit_name(r, &g_array_index(culprits, PmCulprit, 0));
}

/* Two take a store's lock by its begin(), and give it back by its commit(); one of them, a method
 * of that class, saves with it meanwhile. */
static char *culprit_between(const char *holder, const char *other)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const char *const users[] = {holder, other};
    g_auto(PmTotals) takers = {0}, givers = {0};
    for (guint i = 0; i < G_N_ELEMENTS(users); i++) {
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.lock",
                                            "com.acme.Store.begin", users[i], NULL);
        const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                            "com.acme.Store.commit", users[i], NULL);
        pm_totals_at(&takers, takes);
        pm_totals_at(&givers, gives);
    }
    const PmCulprit saves = {
        .cause = {.kind = PM_CAUSE_OWNER,
                  .thread = 1,
                  .chain = pm_made_chain(a, "java.io.RandomAccessFile.write", "com.acme.Store.save",
                                         "com.acme.Rows.each", holder, NULL)},
        .time = MS};
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(GArray) culprits = g_array_new(FALSE, TRUE, sizeof(PmCulprit));
    g_array_append_val(culprits, saves);
    pm_culprits_find(r, &takers, &givers, culprits);
    return pm_culprit_name(r, &g_array_index(culprits, PmCulprit, 0));
}

static void what_the_holder_has_the_locks_class_do_is_the_holders(void)
{
    g_autofree char *user = culprit_between("com.acme.Sync.push", "com.acme.Till.sell");
    g_autofree char *own = culprit_between("com.acme.Store.push", "com.acme.Store.sell");
    g_assert_cmpstr(user, ==, "Rows.each");
    g_assert_cmpstr(own, ==, "Store.save");
}

/* Who takes a connection, works with it, and gives it back: for `first` and `second`. */
static char *culprit_for_callers(const char *first, const char *second)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const char *const callers[] = {first, second, "com.acme.App.find"};
    g_auto(PmTotals) takers = {0}, givers = {0};
    for (guint i = 0; i < G_N_ELEMENTS(callers); i++) {
        const char *holder = i < 2 ? "com.acme.App$Importer.load" : "com.acme.App$Reader.read";
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.lock",
                                            holder, callers[i], NULL);
        const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                            holder, callers[i], NULL);
        pm_totals_at(&takers, takes);
        pm_totals_at(&givers, gives);
    }
    const PmCulprit loads = {
        .cause = {.kind = PM_CAUSE_OWNER,
                  .thread = 1,
                  .chain = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.App$Importer.load",
                                         first, NULL)},
        .time = MS};
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(GArray) culprits = g_array_new(FALSE, TRUE, sizeof(PmCulprit));
    g_array_append_val(culprits, loads);
    pm_culprits_find(r, &takers, &givers, culprits);
    return pm_culprit_name(r, &g_array_index(culprits, PmCulprit, 0));
}

/* Parts of one class that call it tell less than what it does; other classes tell more. */
static void who_takes_and_gives_back_is_the_holder(void)
{
    g_autofree char *around = culprit_for_callers("com.acme.App.lambda$1", "com.acme.App.lambda$2");
    g_autofree char *apart = culprit_for_callers("com.acme.North.copy", "com.acme.South.read");
    g_assert_cmpstr(around, ==, "App$Importer.load");
    g_assert_cmpstr(apart, ==, "North.copy");
}

/* Ten poll for news, and go without now and then. News come by the clock; once one of them passed
 * them on to the others, which was not seen. */
static void who_goes_without_news_blames_nobody(void)
{
    for (guint n_passed = 1; n_passed < 40; n_passed += 38) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 12 * SECOND;
        const guint32 of_class =
            pm_assembly_add_class(a, "java.util.concurrent.CompletableFuture$Signaller");
        const guint32 polls = pm_made_chain(a, "java.util.concurrent.CompletableFuture.get",
                                            "com.acme.Browser.run", NULL);
        const guint32 sleeps =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Editor.run", NULL);
        const guint32 tells = pm_made_chain(a, "java.util.concurrent.CompletableFuture.complete",
                                            "com.acme.Editor.run", NULL);
        const guint32 editor = pm_made_thread(&m, "editor");
        guint32 browsers[4];
        guint n = 0;
        for (guint i = 0; i < G_N_ELEMENTS(browsers); i++)
            browsers[i] = pm_made_thread(&m, "browser-%u", i);
        for (gint64 k = 0; k < 20; k++)
            for (guint i = 0; i < G_N_ELEMENTS(browsers); i++, n++) {
                const gboolean vain = k % 2, passed = !vain && n < n_passed;
                const gint64 begin = 600 * k * MS, end = begin + (vain ? 590 : 400) * MS;
                const guint32 news = pm_made_blocker(&m, of_class, 100 + n, polls);
                PM_MADE_WAIT(a, begin, end, browsers[i], news, polls, .flags = PM_WAIT_TIMED,
                             .wake = vain ? 0 : end,
                             .waker = vain     ? 0
                                      : passed ? browsers[(i + 1) % 4]
                                               : editor,
                             .waker_chain = vain     ? 0
                                            : passed ? polls
                                                     : tells,
                             .wake_cause = vain     ? PM_WAKE_TIME_OUT
                                           : passed ? PM_WAKE_PROPAGATION
                                                    : PM_WAKE_COMPLETION);
            }
        for (gint64 at = 100; at < 12000; at += 50) {
            const PmOwnerSample sample = {.at = at * MS,
                                          .waiter = browsers[0],
                                          .owner = editor,
                                          .chain = sleeps,
                                          .role = PM_SAMPLE_ENDER,
                                          .weight = 1};
            g_array_append_val(a->samples, sample);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        const gboolean is_high = f->n > 0 && f->findings[0].severity == PM_SEVERITY_HIGH;
        g_assert_cmpint(is_high, ==, n_passed > 1);
    }
}

/* A thread is often stopped as a call ends, and then seen in its caller. */
static void what_is_seen_at_the_line_of_its_call_is_the_callers(void)
{
    g_autofree char *same = culprit_of_called(50 * MS, 20);
    g_autofree char *other = culprit_of_called(50 * MS, 21),
                    *seldom = culprit_of_called(20 * MS, 20);
    g_assert_cmpstr(same, ==, "Renderer.render");
    g_assert_cmpstr(other, ==, "Util.scale");
    g_assert_cmpstr(seldom, ==, "Util.scale");
}

/* Who keeps all connections takes them without waiting; whoever wants one gives up mostly. */
static void keeper_of_a_pool_need_not_wait_for_it(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    a->facts.main = "com.acme.Main";
    const guint32 queue = pm_assembly_add_class(a, "java.util.concurrent.SynchronousQueue");
    const guint32 wants = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                        "java.util.concurrent.SynchronousQueue.poll",
                                        "com.zaxxer.hikari.util.ConcurrentBag.borrow",
                                        "com.acme.Checkout.sell", "java.lang.Thread.run", NULL);
    const guint32 gives =
        pm_made_chain(a, "java.util.concurrent.SynchronousQueue.offer",
                      "com.zaxxer.hikari.util.ConcurrentBag.requite", "com.acme.Reconciler.compare",
                      "java.lang.Thread.run", NULL);
    const guint32 pool = pm_made_blocker(&m, queue, 1, wants);
    const guint32 keeper = pm_made_thread(&m, "reconciler");
    const guint32 wanting = pm_made_thread(&m, "checkout");
    for (gint64 at = 0; at < 9500 * MS; at += 500 * MS) {
        PM_MADE_WAIT(a, at, at + 250 * MS, wanting, pool, wants, .flags = PM_WAIT_TIMED,
                     .wake_cause = PM_WAKE_TIME_OUT);
        PM_MADE_WAIT(a, at + 255 * MS, at + 400 * MS, wanting, pool, wants, .flags = PM_WAIT_TIMED,
                     .wake_cause = PM_WAKE_SIGNAL, .wake = at + 400 * MS, .waker = keeper,
                     .waker_chain = gives);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpstr(f->findings[0].causes[0].culprit, ==, "Reconciler.compare");
    g_assert_cmpint(f->findings[0].causes[0].kind, ==, PM_CAUSE_OWNER);
    g_assert_cmpfloat(f->findings[0].causes[0].share, >, 0.9);
}

/* Bellhops wait at a bell of the program's own, made like a latch, which a doorman rings who sleeps
 * in between: again and again, or `once` each at one of its own, as for a start. */
static void bell_of_ones_own_is_no_latch(void)
{
    for (gboolean once = FALSE; once <= TRUE; once++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 40 * SECOND;
        a->facts.main = "com.acme.Main";
        const guint32 of_class = pm_assembly_add_class(a, "com.acme.Bell");
        const guint32 listens = pm_made_chain(
            a, "java.util.concurrent.locks.LockSupport.park",
            "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquireSharedInterruptibly",
            "com.acme.Bell.listen", "com.acme.Bellhop.run", NULL);
        const guint32 rings = pm_made_chain(a, "com.acme.Bell.ring", "com.acme.Door.keep", NULL);
        const guint32 sleeps =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Door.keep", NULL);
        const guint32 doorman = pm_made_thread(&m, "doorman");
        const guint32 bell = pm_made_blocker(&m, of_class, 1, listens);
        guint32 hops[2];
        for (guint i = 0; i < 2; i++)
            hops[i] = pm_made_thread(&m, "bellhop-%u", i);
        for (gint64 k = 0; k < 40; k++) {
            const PmOwnerSample sample = {.at = k * SECOND + 500 * MS,
                                          .owner = doorman,
                                          .role = PM_SAMPLE_ENDER,
                                          .chain = sleeps,
                                          .weight = 1};
            const guint32 its =
                once ? pm_made_blocker(&m, of_class, 2 + (guint32)k, listens) : bell;
            PM_MADE_WAIT(a, k * SECOND + MS, (k + 1) * SECOND - MS, hops[k % 2], its, listens,
                         .wake = (k + 1) * SECOND - MS, .wake_cause = PM_WAKE_RELEASE,
                         .waker = doorman, .waker_chain = rings);
            g_array_append_val(a->samples, sample);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n > 0 && f->findings[0].severity == PM_SEVERITY_HIGH, ==, once);
    }
}

static void advice_is_about_what_can_be_changed(void)
{
    check_advice(FALSE);
    check_advice(TRUE);
}

static void nothing_wrong_gives_no_finding(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 60 * SECOND;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 latch = pm_made_blocker(&m, m.queue_class, 2, m.other_chain);
    guint32 idle = pm_made_blocker(&m, m.queue_class, 3, m.idle_chain);
    guint32 main_thread = pm_made_thread(&m, "main");
    pm_made_held_wait(&m, main_thread, latch, m.other_chain, 0, SECOND, 60 * SECOND,
                      PM_WAIT_IN_PROGRESS);
    for (guint i = 0; i < 4; i++) {
        guint32 t = pm_made_thread(&m, "exec-%u", i);
        pm_made_held_wait(&m, t, lock, m.lock_chain, main_thread, SECOND, SECOND + MS, 0);
        pm_made_held_wait(&m, t, idle, m.idle_chain, 0, 40 * SECOND, 60 * SECOND,
                          PM_WAIT_IN_PROGRESS);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 0);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_NONE);
}

/* A pool that did nothing but lose a millisecond at a lock is not in trouble. */
static void little_is_no_finding(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 60 * SECOND;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 idle = pm_made_blocker(&m, m.queue_class, 3, m.idle_chain);
    guint32 owner = pm_made_thread(&m, "owner");
    for (guint i = 0; i < 4; i++) {
        guint32 t = pm_made_thread(&m, "exec-%u", i);
        pm_made_held_wait(&m, t, lock, m.lock_chain, owner, 0, MS, 0);
        pm_made_held_wait(&m, t, idle, m.idle_chain, 0, 2 * MS, 60 * SECOND, PM_WAIT_IN_PROGRESS);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 0);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_NONE);
}

/* Three of a thousand threads wait all the time: what would be written 0 % is told otherwise. */
static void no_title_names_nothing(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 20 * SECOND;
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 owner = pm_made_thread(&m, "owner");
    for (guint i = 0; i < 1000; i++) {
        const guint32 thread = pm_made_thread(&m, "crowd-%u", i);
        for (gint64 k = 0; k < 20 && i < 3; k++)
            pm_made_held_wait(&m, thread, lock, m.lock_chain, owner, k * SECOND,
                              k * SECOND + 999 * MS, 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpfloat(f->findings[0].busy_share, <, 0.005);
    g_assert_cmpstr(f->findings[0].title, ==,
                    "One lock takes the time of 3 threads of crowd-* (3): Report.render holds it");
}

/* What a filter leaves out may be what stands out. */
static void a_filter_makes_nothing_calm(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 20 * SECOND;
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 owner = pm_made_thread(&m, "owner");
    for (guint i = 0; i < 20; i++)
        pm_made_held_wait(&m, pm_made_thread(&m, "exec-%u", i), lock, m.lock_chain, owner, 0,
                          4 * SECOND, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_of_thread(r, "exec-1", &s);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_NONE);
    g_assert_true(g_str_has_prefix(f->verdict.sentence,
                                   "Of what the filter shows, no wait stands out by itself"));
}

/* Two of three threads wait for each other: a filter that shows one of them tells it all the same,
 * one that shows neither does not. */
static void a_filter_ends_no_hang(void)
{
    for (guint shown = 0; shown < 3; shown++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        const guint32 locks[] = {pm_made_blocker(&m, m.lock_class, 1, m.lock_chain),
                                 pm_made_blocker(&m, m.lock_class, 2, m.lock_chain)};
        const guint32 threads[] = {pm_made_thread(&m, "left"), pm_made_thread(&m, "right"),
                                   pm_made_thread(&m, "other")};
        for (guint i = 0; i < 2; i++)
            pm_made_held_wait(&m, threads[i], locks[i], m.lock_chain, threads[1 - i], SECOND,
                              20 * SECOND, PM_WAIT_IN_PROGRESS);
        pm_made_held_wait(&m, threads[2], locks[0], m.lock_chain, threads[1], 0, SECOND / 2, 0);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmFilter) filter = pm_filter_new();
        pm_filter_add_chip(filter, PM_ASPECT_THREAD, r->threads[threads[shown]].name, FALSE);
        g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
        g_autoptr(PmSummary) s = pm_summary_new(view, r->duration, NULL);
        g_autoptr(PmFindings) f = pm_findings_new(s, pm_recording_contention(r, NULL), NULL);
        g_assert_cmpint(f->verdict.level, ==, shown < 2 ? PM_VERDICT_STUCK : PM_VERDICT_NONE);
        g_assert_cmpuint(f->n, ==, shown < 2);
    }
}

/* Of who ends the waits no code is known: findings and trees name its group alike, and a filter by
 * that name selects the waits. */
static void a_cause_without_code_has_one_name(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 20 * SECOND;
    const guint32 latch = pm_assembly_add_class(m.assembly, "java.util.concurrent.FutureTask");
    const guint32 future = pm_made_blocker(&m, latch, 1, m.other_chain);
    const guint32 pool = pm_made_thread(&m, "report-pool-1");
    pm_made_thread(&m, "report-pool-2");
    for (guint i = 0; i < 4; i++) {
        PM_MADE_WAIT(m.assembly, SECOND, 19 * SECOND, pm_made_thread(&m, "exec-%u", i), future,
                     m.other_chain, .wake = 19 * SECOND, .waker = pool,
                     .wake_cause = PM_WAKE_COMPLETION);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpstr(f->findings[0].causes[0].text, ==, "report-pool-*");
    const PmAspect aspect = PM_ASPECT_CAUSE_SITE;
    g_autoptr(PmTree) tree = pm_tree_new(s->metrics->view, &aspect, 1, NULL);
    g_assert_cmpuint(tree->root->n_children, ==, 1);
    g_autofree char *text = pm_aspect_key_text(r, aspect, tree->root->children[0]->key);
    g_assert_cmpstr(text, ==, "report-pool-*");
    g_autoptr(PmFilter) filter = pm_filter_new();
    pm_filter_add_chip(filter, aspect, text, FALSE);
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    g_assert_cmpuint(view->n, ==, 4);
}

/* A lock per row: none of the twenty is long waited for, together they take 40 %. */
static void many_small_locks_are_told_together(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 20 * SECOND;
    guint32 owner = pm_made_thread(&m, "owner"), locks[20], clients[2];
    for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
        locks[i] = pm_made_blocker(&m, m.lock_class, 0x100 + i, m.lock_chain);
    clients[0] = pm_made_thread(&m, "client-1");
    clients[1] = pm_made_thread(&m, "client-2");
    for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
        for (guint c = 0; c < G_N_ELEMENTS(clients); c++)
            pm_made_held_wait(&m, clients[c], locks[i], m.lock_chain, owner, i * SECOND,
                              i * SECOND + 400 * MS, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    const PmFinding *x = &f->findings[0];
    g_assert_cmpstr(x->title, ==,
                    "Locks of class ReentrantLock (20) take 40 % of the busy time of client-* "
                    "(2): Report.render holds them");
    g_assert_cmpstr(x->command, ==, "--category=lock --by=class,cause-site,site");
    g_assert_cmpuint(x->blocker, ==, 0);
    g_assert_cmpint(x->waits, ==, 40);
    g_assert_cmpint(x->thread_time, ==, 16 * SECOND);
    g_assert_cmpuint(x->n_victims, ==, 1);
    g_assert_cmpuint(x->victims[0].n_threads, ==, 2);
    g_assert_cmpstr(f->verdict.sentence, ==, x->title);

    /* Of a part of the time it says how many there are in all, as a tree's row does. */
    g_autoptr(PmFilter) half = pm_filter_new();
    half->from = 0;
    half->to = 10 * SECOND;
    g_autoptr(PmView) view = pm_view_new(r, half, NULL);
    g_autoptr(PmSummary) of_half = NULL;
    g_autoptr(PmFindings) then = pm_find_in(view, &of_half);
    g_autofree char *alike = pm_label_alike(r, locks[0]);
    g_assert_nonnull(strstr(alike, "(20)"));
    g_assert_cmpstr(then->verdict.sentence, ==,
                    "Locks of class ReentrantLock (10 of 20) take 40 % of the busy time of "
                    "client-* (2): Report.render holds them");
}

/* Four workers wait each at a queue of its own, and give a desk something before that, or after it
 * (`gives_after`); what they wait for comes from that desk, or from a client (`pulls`), which
 * nobody gives anything: only in the first case is it a reply.
 * `busy`: that desk waited itself only once. */
static PmFindings *find_replies(gboolean gives_after, gboolean pulls, gboolean busy,
                                PmRecording **ret_recording, PmSummary **ret_summary)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    const guint32 takes = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                        "java.util.concurrent.LinkedBlockingQueue.take",
                                        "com.acme.Shop.ask", "java.lang.Thread.run", NULL);
    /* The more calls, the higher are the lines of the callers. */
    const guint32 gives =
        gives_after ? pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                    "java.util.concurrent.LinkedBlockingQueue.signalNotEmpty",
                                    "java.util.concurrent.LinkedBlockingQueue.put",
                                    "com.acme.Shop.ask", "java.lang.Thread.run", NULL)
                    : pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                    "com.acme.Shop.ask", "java.lang.Thread.run", NULL);
    const guint32 answers = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                          "com.acme.Desk.render", "com.acme.Desk.serve", NULL);
    const guint32 desk = pm_made_thread(&m, "desk"), client = pm_made_thread(&m, "client");
    const guint32 orders = pm_made_blocker(&m, m.queue_class, 1, m.idle_chain);
    for (guint i = 0; i < 4; i++) {
        const guint32 worker = pm_made_thread(&m, "worker-%u", i + 1);
        const guint32 mine = pm_made_blocker(&m, m.queue_class, 0x100 + i, takes);
        for (guint k = 0; k < 20; k++) {
            const gint64 begin = k * SECOND + i * 10 * MS, end = begin + 600 * MS;
            if (!busy || (i == 0 && k == 0))
                PM_MADE_WAIT(a, begin - 5 * MS, begin - MS, desk, orders, m.idle_chain,
                             .waker = worker, .waker_chain = gives, .wake = begin - MS,
                             .wake_cause = PM_WAKE_SIGNAL);
            PM_MADE_WAIT(a, begin, end, worker, mine, takes, .waker = pulls ? client : desk,
                         .waker_chain = answers, .wake = end, .wake_cause = PM_WAKE_SIGNAL);
        }
    }
    *ret_recording = pm_assembly_finish(a);
    return find(*ret_recording, ret_summary);
}

static void replies_are_awaited_not_work(void)
{
    for (guint i = 0; i < 4; i++) {
        const gboolean tells = i == 0 || i == 3;
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find_replies(i == 1, i == 2, i == 3, &r, &s);
        g_assert_cmpuint(f->n, ==, tells);
        if (!tells)
            continue;
        g_assert_true(g_str_has_suffix(f->findings[0].title, "because of Desk.render"));
        g_assert_cmpint(f->findings[0].severity == PM_SEVERITY_NOTE, ==, i == 3);
    }
}

/* A lock for each entry of a cache, one of which has a third of the waiting: told together where
 * one method holds them all, or each of them for most of the time; by themselves where the biggest
 * has another holder, or it is first with less. */
static void alike_locks_with_one_culprit_are_told_together(void)
{
    static const gint64 lasts[] = {700, 500, 500, 400};
    enum { ANOTHER, ONE, MOSTLY, AT_TIMES };
    for (guint holder = ANOTHER; holder <= AT_TIMES; holder++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        const guint32 owner = pm_made_thread(&m, "owner"), client = pm_made_thread(&m, "client-1");
        const guint32 idle = m.idle_chain, other = m.other_chain;
        const guint32 chains[][5] = {
            [ONE] = {other, other, other, other, other},
            [MOSTLY] = {other, other, other, idle, idle},
            [AT_TIMES] = {other, other, idle,
                          pm_made_chain(m.assembly, "com.acme.Till.close", NULL),
                          pm_made_chain(m.assembly, "com.acme.Till.open", NULL)}};
        guint32 locks[4];
        for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
            locks[i] = pm_made_blocker(&m, m.lock_class, 0x100 + i, m.lock_chain);
        for (guint k = 0; k < 20; k++) {
            const guint i = k % 4;
            const gint64 begin = k * SECOND, end = begin + lasts[i] * MS;
            const guint32 chain =
                holder == ANOTHER ? (i > 0 ? other : idle) : chains[holder][k / 4];
            PM_MADE_WAIT(m.assembly, begin, end, client, locks[i], m.lock_chain, .owner = owner,
                         .waker = owner, .waker_chain = chain, .wake = end,
                         .wake_cause = PM_WAKE_RELEASE);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, holder == ANOTHER || holder == AT_TIMES ? 4 : 1);
        g_assert_cmpint(f->findings[0].waits, ==, holder == ANOTHER || holder == AT_TIMES ? 5 : 20);
    }
}

/* Two locks alike, both or neither of which would be felt by itself: told together where one method
 * holds both, each by itself where it is two, or where each has a field of its own and is felt. Two
 * of which neither would be told by itself: a note of both, or nothing where it is two methods. */
static void two_locks_alike_are_told_together(void)
{
    for (guint i = 0; i < 7; i++) {
        const gboolean small = i >= 5, felt = i >= 2 && !small, named = i == 4, one = i % 2 == 1;
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        const guint32 owner = pm_made_thread(&m, "owner"), client = pm_made_thread(&m, "client-1");
        guint32 locks[2], takes[2];
        for (guint k = 0; k < 2; k++) {
            takes[k] =
                pm_made_chain(m.assembly, "java.util.concurrent.locks.ReentrantLock.lock",
                              "com.acme.Store.add", k ? "com.acme.A.run" : "com.acme.B.run", NULL);
            PmChain *chain = &g_array_index(m.assembly->chains, PmChain, takes[k]);
            if (named)
                chain->field =
                    pm_made_method(m.assembly, "com.acme.Store", k ? "index" : "journal", NULL);
            chain->field_frame = 1;
            locks[k] = pm_made_blocker(&m, m.lock_class, 0x100 + k, takes[k]);
        }
        for (guint k = 0; k < 20; k++) {
            const gint64 begin = k * SECOND, end = begin + (felt    ? 6
                                                            : small ? 1
                                                                    : 3) *
                                                               (k % 2 ? 80 : 83) * MS;
            PM_MADE_WAIT(m.assembly, begin, end, client, locks[k % 2], takes[k % 2], .owner = owner,
                         .waker = owner,
                         .waker_chain = one || named || k % 2 ? m.other_chain : m.idle_chain,
                         .wake = end, .wake_cause = PM_WAKE_RELEASE);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, one ? 1 : small ? 0 : 2);
        if (f->n == 0)
            continue;
        g_assert_cmpint(f->findings[0].severity, ==,
                        felt || (one && !small) ? PM_SEVERITY_HIGH : PM_SEVERITY_NOTE);
        g_assert_cmpint(f->findings[0].waits, ==, one ? 20 : 10);
    }
}

/* A stage waits for the next one most, and two clients for the stage and for each other: with
 * `one`, all because of the same method. Then the clients are told first, as they lose more. */
static void whose_victims_lose_most_is_told_first(void)
{
    for (guint one = 0; one < 2; one++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        const guint32 owner = pm_made_thread(&m, "owner"), stage = pm_made_thread(&m, "stage"),
                      client[] = {pm_made_thread(&m, "left"), pm_made_thread(&m, "right")};
        guint32 locks[3];
        for (guint i = 0; i < G_N_ELEMENTS(locks); i++) {
            g_autofree char *name = g_strdup_printf("com.acme.Lock%u", i);
            locks[i] = pm_made_blocker(&m, pm_assembly_add_class(m.assembly, name), 0x100 + i,
                                       m.lock_chain);
        }
        for (guint k = 0; k < 20; k++)
            for (guint i = 0; i < 3; i++) {
                const gint64 begin = k * SECOND + (i == 2) * 500 * MS,
                             end = begin + (i == 0 ? 480 : 400) * MS;
                PM_MADE_WAIT(m.assembly, begin, end, i ? client[k % 2] : stage, locks[i],
                             m.lock_chain, .owner = owner, .waker = owner,
                             .waker_chain = one || i ? m.other_chain : m.idle_chain, .wake = end,
                             .wake_cause = PM_WAKE_RELEASE, .kind = PM_KIND_ENTER);
            }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 3);
        g_assert_cmpint(f->findings[0].victims[0].group == r->threads[stage].group, ==, !one);
    }
}

/* A thread alone in its group waits for others: a note if it does so again and again because of
 * one group, whatever that does, else as it is meant to. */
static void who_sets_the_pace_of_a_thread_alone_is_noted(void)
{
    static const struct {
        guint rounds, percent, each;
        const char *second; /* waited for each so many times, in another method; NULL: nobody */
        gboolean noted;
    } cases[] = {{40, 90, 1, NULL, TRUE},        {40, 90, 2, "parser-2", TRUE},
                 {40, 90, 4, "mailer-1", TRUE},  {40, 70, 2, "parser-2", TRUE},
                 {40, 70, 2, "mailer-1", FALSE}, {5, 90, 1, NULL, FALSE}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        const guint32 loader = pm_made_thread(&m, "loader"), first = pm_made_thread(&m, "parser-1");
        const guint32 second = cases[i].second ? pm_made_thread(&m, cases[i].second) : 0;
        const guint32 thread_class = pm_assembly_add_class(m.assembly, "java.lang.Thread");
        const guint32 joins = pm_made_chain(m.assembly, "java.lang.Object.wait",
                                            "java.lang.Thread.join", "com.acme.Loader.load", NULL);
        for (guint k = 0; k < cases[i].rounds; k++) {
            const gint64 each = 20 * SECOND / cases[i].rounds, begin = k * each,
                         end = begin + each * cases[i].percent / 100;
            const guint32 ended = pm_made_blocker(&m, thread_class, 0x100 + k, joins);
            const gboolean is_second = second && k % cases[i].each == 0;
            PM_MADE_WAIT(m.assembly, begin, end, loader, ended, joins,
                         .owner = is_second ? second : first, .waker = is_second ? second : first,
                         .waker_chain = is_second ? m.idle_chain : m.other_chain, .wake = end,
                         .kind = PM_KIND_WAIT, .wake_cause = PM_WAKE_NOTIFY);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, cases[i].noted);
        if (f->n > 0)
            g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_NOTE);
    }
}

/* Who came first to a queue that serves the last one first waits while others are served: what is
 * tried first is to make it fair, where it is not. */
static void who_is_served_last_is_advised_to_make_it_fair(void)
{
    static const char *const classes[] = {"java.util.concurrent.SynchronousQueue$TransferStack",
                                          "java.util.concurrent.SynchronousQueue$TransferQueue"};
    for (guint i = 0; i < G_N_ELEMENTS(classes); i++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        const guint32 queue_class = pm_assembly_add_class(m.assembly, classes[i]);
        const guint32 takes = pm_made_chain(
            m.assembly, "java.util.concurrent.locks.LockSupport.park",
            "java.util.concurrent.SynchronousQueue.put", "com.acme.Ingest.send", NULL);
        const guint32 queue = pm_made_blocker(&m, queue_class, 1, takes);
        const guint32 first = pm_made_thread(&m, "ingest-1"), last = pm_made_thread(&m, "ingest-2");
        const guint32 writer = pm_made_thread(&m, "writer");
        pm_made_wait(&m, first, queue, takes, SECOND, 20 * SECOND, PM_WAIT_IN_PROGRESS);
        for (guint k = 0; k < 180; k++) {
            const gint64 begin = (11 + k) * 100 * MS, end = begin + 90 * MS;
            PM_MADE_WAIT(m.assembly, begin, end, last, queue, takes, .waker = writer,
                         .waker_chain = m.other_chain, .wake = end, .wake_cause = PM_WAKE_SIGNAL);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, >=, 1);
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpint(strstr(f->findings[0].advice, "SynchronousQueue<>(true)") != NULL, ==,
                        i == 0);
    }
}

/* Each task of two builders waits for a helper of its own, which only a timer's tick wakes. */
static void who_is_behind_many_conditions_is_told(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 20 * SECOND;
    guint32 builders[] = {pm_made_thread(&m, "builder-1"), pm_made_thread(&m, "builder-2")};
    guint32 helpers[] = {pm_made_thread(&m, "helper-1"), pm_made_thread(&m, "helper-2")};
    guint32 timer = pm_made_thread(&m, "timer");
    const guint32 takes =
        pm_made_chain(m.assembly, "java.util.concurrent.locks.LockSupport.park",
                      "java.util.concurrent.ForkJoinPool.unmanagedBlock",
                      "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
                      "java.util.concurrent.LinkedBlockingQueue.take", NULL);
    for (guint i = 0; i < 20; i++) {
        gint64 begin = i * SECOND, end = begin + 500 * MS;
        guint32 done = pm_made_blocker(&m, m.queue_class, 0x100 + i, m.other_chain);
        guint32 command = pm_made_blocker(&m, m.queue_class, 0x200 + i, m.idle_chain);
        PmWaitRow builder = {.begin = begin,
                             .end = end,
                             .wake = end,
                             .thread = builders[i % 2],
                             .blocker = done,
                             .chain = m.other_chain,
                             .waker = helpers[i % 2],
                             .waker_chain = m.other_chain,
                             .wake_cause = PM_WAKE_SIGNAL};
        PmWaitRow helper = {.begin = begin,
                            .end = end,
                            .wake = end,
                            .thread = helpers[i % 2],
                            .blocker = command,
                            .chain = m.idle_chain,
                            .waker = timer,
                            .waker_chain = m.lock_chain,
                            .wake_cause = PM_WAKE_SIGNAL};
        pm_assembly_add_wait(m.assembly, &builder);
        pm_assembly_add_wait(m.assembly, &helper);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    const PmFinding *x = &f->findings[0];
    g_assert_cmpstr(
        x->title, ==,
        "Waiting for conditions of Report (20) takes 25 % of the busy time of builder-* "
        "(2), because of PriceCache.get");
    g_autofree char *objects = pm_label_objects(r, 1, takes);
    g_assert_cmpstr(objects, ==, "conditions of LinkedBlockingQueue");
    g_assert_cmpint(x->waits, ==, 20);
    g_assert_cmpuint(x->n_causes, >=, 1);
    g_assert_cmpuint(x->causes[0].thread, ==, timer);
    g_assert_cmpuint(x->n_evidence, ==, 1);
}

/* Sessions that wait each on a latch of its own, which another thread opens: one finding, that
 * names the other. Of one session alone, whose latch stood at one, nobody is the last of several.
 */
static void latches_of_one_each_are_told_together(void)
{
    static const guint n_sessions[] = {3, 1, 1};
    static const gint32 counts[] = {1, 1, 4};
    static const char *const titles[] = {
        "Waiting for objects of class CountDownLatch (3) takes 60 % of the busy time of session-* "
        "(3), because of PriceCache.get",
        "Waiting for CountDownLatch 00000100 · Session.run takes 20 % of the busy time of "
        "session-* "
        "(1), because of PriceCache.get",
        "Waiting for the last thread takes 20 % of the busy time of session-* (1): CountDownLatch "
        "00000100 · Session.run",
    };
    for (guint t = 0; t < G_N_ELEMENTS(titles); t++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        guint32 latch_class =
            pm_assembly_add_class(m.assembly, "java.util.concurrent.CountDownLatch$Sync");
        guint32 waits_in = pm_made_chain(
            m.assembly, "jdk.internal.misc.Unsafe.park",
            "java.util.concurrent.locks.LockSupport.park",
            "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquireSharedInterruptibly",
            "java.util.concurrent.CountDownLatch.await", "com.acme.Session.run", NULL);
        guint32 exporter = pm_made_thread(&m, "exporter");
        for (guint i = 0; i < 3; i++) {
            guint32 latch = pm_made_blocker(&m, latch_class, 0x100 + i, waits_in);
            guint32 session = pm_made_thread(&m, "session-%u", i + 1);
            for (guint k = 0; i < n_sessions[t] && k < 20; k++) {
                PM_MADE_WAIT(m.assembly, k * SECOND, k * SECOND + 600 * MS, session, latch,
                             waits_in, .wake = k * SECOND + 600 * MS, .waker = exporter,
                             .waker_chain = m.lock_chain, .wake_cause = PM_WAKE_SIGNAL,
                             .aqs_state = counts[t]);
            }
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpstr(f->findings[0].title, ==, titles[t]);
    }
}

/* A runner waits for its next time, or until it is given something: that is told, but no fault,
 * also if such a wait is still in progress. */
static void wait_in_progress_for_its_time_is_nobodys(void)
{
    PmMade m = pm_made_begin();
    const guint32 runner = pm_made_thread(&m, "runner"), giver = pm_made_thread(&m, "giver");
    const guint32 queue = pm_made_blocker(&m, m.queue_class, 0x100, m.other_chain);
    m.assembly->duration = 20 * SECOND;
    for (guint i = 0; i < 36; i++) {
        const gboolean given = i >= 15 && i < 35;
        const gint64 begin = i < 15 ? i * SECOND : 15 * SECOND + (i - 15) * 100 * MS;
        PM_MADE_WAIT(m.assembly, begin, i == 35 ? 20 * SECOND : begin + (given ? 100 * MS : SECOND),
                     runner, queue, m.other_chain, .wake = given ? begin + 100 * MS : 0,
                     .waker = given ? giver : 0, .waker_chain = given ? m.lock_chain : 0,
                     .flags = PM_WAIT_TIMED | (i == 35 ? PM_WAIT_IN_PROGRESS : 0),
                     .wake_cause = given     ? PM_WAKE_SIGNAL
                                   : i == 35 ? PM_WAKE_UNKNOWN
                                             : PM_WAKE_TIME_OUT);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_NOTE);
}

/* Each of four probes hands its buffers to an analyst of its own; `shared`: two probes have one
 * exchanger. Both sides wait there, the probes for longer. */
static void exchangers_of_a_pair_each_are_told_together(void)
{
    for (guint shared = 0; shared < 2; shared++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        guint32 exchanger_class =
            pm_assembly_add_class(m.assembly, "java.util.concurrent.Exchanger");
        guint32 chain =
            pm_made_chain(m.assembly, "jdk.internal.misc.Unsafe.park",
                          "java.util.concurrent.locks.LockSupport.park",
                          "java.util.concurrent.Exchanger.exchange", "com.acme.Probe.hand", NULL);
        for (guint i = 0; i < 4; i++) {
            guint32 exchanger = pm_made_blocker(&m, exchanger_class, 0x100 + i, chain);
            guint32 analyst = pm_made_thread(&m, "analyst-%u", i + 1);
            guint32 probes[] = {pm_made_thread(&m, "probe-%u", 2 * i + 1),
                                shared ? pm_made_thread(&m, "probe-%u", 2 * i + 2) : 0};
            for (guint k = 0; k < 40; k++) {
                const gboolean asks = k % 4 == 0;
                PM_MADE_WAIT(m.assembly, k * 500 * MS, k * 500 * MS + (asks ? 20 : 300) * MS,
                             asks ? analyst : probes[shared ? k % 2 : 0], exchanger, chain,
                             .wake = k * 500 * MS + (asks ? 20 : 300) * MS,
                             .waker = asks ? probes[0] : analyst, .waker_chain = m.lock_chain,
                             .wake_cause = PM_WAKE_SIGNAL);
            }
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, >=, 1);
        g_assert_cmpint(strstr(f->findings[0].title, "objects of class Exchanger (4)") != NULL, ==,
                        !shared);
    }
}

/* Two probes swap buffers with two analysts, who upload for 300 ms of each 500; a probe fills one
 * for 150 ms, for which an analyst waits. That is no reason why probes wait. */
static void who_waits_for_who_waits_for_it_is_the_other_side(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    const guint32 swaps = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                        "java.util.concurrent.locks.LockSupport.park",
                                        "java.util.concurrent.Exchanger.exchange", NULL);
    const guint32 uploads = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Archive.upload",
                                          "com.acme.Analyst.run", NULL);
    const guint32 fills = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Probe.fill",
                                        "com.acme.Probe.run", NULL);
    const guint32 comes = pm_made_chain(a, "java.util.concurrent.Exchanger.exchange",
                                        "com.acme.Analyst.run", NULL),
                  brings = pm_made_chain(a, "java.util.concurrent.Exchanger.exchange",
                                         "com.acme.Probe.run", NULL);
    const guint32 exchanger = pm_made_blocker(
        &m, pm_assembly_add_class(a, "java.util.concurrent.Exchanger"), 0x100, swaps);
    for (guint i = 0; i < 2; i++) {
        const guint32 analyst = pm_made_thread(&m, "analyst-%u", i + 1),
                      probe = pm_made_thread(&m, "probe-%u", i + 1);
        for (gint64 at = 0; at + 500 * MS <= a->duration; at += 500 * MS) {
            const PmOwnerSample samples[] = {
                {.at = at + 150 * MS, .owner = analyst, .chain = uploads, .role = PM_SAMPLE_ENDER},
                {.at = at + 400 * MS, .owner = probe, .chain = fills, .role = PM_SAMPLE_ENDER}};
            PM_MADE_WAIT(a, at, at + 300 * MS, probe, exchanger, swaps, .wake = at + 300 * MS,
                         .waker = analyst, .waker_chain = comes, .wake_cause = PM_WAKE_SIGNAL);
            PM_MADE_WAIT(a, at + 310 * MS, at + 460 * MS, analyst, exchanger, swaps,
                         .wake = at + 460 * MS, .waker = probe, .waker_chain = brings,
                         .wake_cause = PM_WAKE_SIGNAL);
            g_array_append_vals(a->samples, samples, 2);
        }
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, >=, 1);
    g_assert_cmpfloat(f->findings[0].causes[0].share, >, 0.99);
    g_assert_true(g_str_has_prefix(f->findings[0].causes[0].text, "Archive.upload"));
}

/* 60 000 waits of random lengths, three of four for one holder of the lock, whose holds are half as
 * long as the other's: 60 % of the time, to the nanosecond known here. */
static void causes_of_very_many_waits_are_estimated(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    g_autoptr(GRand) rand = g_rand_new_with_seed(17);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 holder = pm_made_thread(&m, "holder"), waiter = pm_made_thread(&m, "waiter");
    guint32 often = pm_made_chain(a, "com.acme.Often.hold", "java.lang.Thread.run", NULL);
    guint32 seldom = pm_made_chain(a, "com.acme.Seldom.hold", "java.lang.Thread.run", NULL);
    gint64 now = SECOND, time[2] = {0};
    for (guint i = 0; i < 60000; i++) {
        gboolean is_often = g_rand_int_range(rand, 0, 4) > 0;
        gint64 length = g_rand_int_range(rand, 1000, 100000) * (is_often ? 1 : 2);
        PM_MADE_WAIT(a, now, now + length, waiter, lock, m.lock_chain, .wake = now + length,
                     .wake_cause = PM_WAKE_RELEASE, .owner = holder, .waker = holder,
                     .waker_chain = is_often ? often : seldom);
        time[is_often] += length;
        now += length + g_rand_int_range(rand, 1000, 20000);
    }
    a->duration = now;
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    const PmFinding *x = &f->findings[0];
    g_assert_cmpuint(x->n_causes, ==, 2);
    g_assert_cmpstr(x->causes[0].text, ==, "Often.hold (Often.java:1)");
    double truth = (double)time[TRUE] / (double)(time[FALSE] + time[TRUE]);
    g_assert_cmpfloat(fabs(x->causes[0].share - truth), <, 0.02);
    g_assert_cmpfloat(fabs(x->causes[0].share + x->causes[1].share - 1), <, 1e-9);
    g_assert_true(x->causes[0].inferred);
    g_assert_cmpint(x->thread_time, ==, time[FALSE] + time[TRUE]);
    const PmEvidence *last = &x->evidence[x->n_evidence - 1];
    g_assert_false(last->exact);
    g_assert_true(g_str_has_prefix(last->text, "causes estimated from "));
    g_assert_true(
        g_str_has_suffix(last->text, " of 60000 waits, longer ones more likely to be chosen"));
}

static void add_future(PmMade *m, guint32 class_index, guint32 chain, guint32 waiter, guint32 ender,
                       guint32 ender_chain, gint64 begin, gint64 end)
{
    static guint32 hash = 100;
    PmWaitRow row = {.begin = begin,
                     .end = end,
                     .thread = waiter,
                     .blocker = pm_made_blocker(m, class_index, hash++, chain),
                     .chain = chain,
                     .flags = ender ? 0 : PM_WAIT_IN_PROGRESS};
    if (ender) {
        row.wake = end;
        row.wake_cause = PM_WAKE_RELEASE;
        row.waker = ender;
        row.waker_chain = ender_chain;
    }
    pm_assembly_add_wait(m->assembly, &row);
}

/* Tasks that took some time are waited for since `age`; who ran them waits for a process. */
static PmFindings *find_overdue(gint64 took, gint64 age, PmRecording **ret_recording,
                                PmSummary **ret_summary)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    guint32 future = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
    guint32 process = pm_assembly_add_class(a, "java.lang.ProcessImpl");
    guint32 get = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                "java.util.concurrent.locks.LockSupport.park",
                                "java.util.concurrent.FutureTask.awaitDone",
                                "java.util.concurrent.FutureTask.get", "com.acme.Upload.run", NULL);
    guint32 done = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                 "java.util.concurrent.FutureTask.finishCompletion",
                                 "com.acme.Converter.run", NULL);
    guint32 tool = pm_made_chain(a, "java.lang.Object.wait", "java.lang.ProcessImpl.waitFor",
                                 "com.acme.Converter.convert", "com.acme.Converter.run", NULL);
    guint32 converter = pm_made_thread(&m, "convert-1");
    for (guint i = 0; i < 3; i++) {
        guint32 thread = pm_made_thread(&m, "upload-%u", i);
        for (gint64 k = 0; k < 4; k++)
            add_future(&m, future, get, thread, converter, done, k * SECOND, k * SECOND + took);
        add_future(&m, future, get, thread, 0, 0, a->duration - age, a->duration);
    }
    PM_MADE_WAIT(a, a->duration - age, a->duration, converter,
                 pm_made_blocker(&m, process, 9, tool), tool, .kind = PM_KIND_WAIT,
                 .flags = PM_WAIT_IN_PROGRESS);
    *ret_recording = pm_assembly_finish(a);
    return find(*ret_recording, ret_summary);
}

static void what_is_overdue_is_stuck(void)
{
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find_overdue(100 * MS, 6 * SECOND, &r, &s);
    g_assert_cmpuint(f->n, >, 0);
    const PmFinding *x = &f->findings[0];
    g_assert_cmpint(x->severity, ==, PM_SEVERITY_STUCK);
    g_assert_cmpint(x->waits, ==, 3);
    g_assert_nonnull(strstr(x->title, "upload-* (3) wait for 3 objects of class FutureTask"));
    g_assert_nonnull(
        strstr(x->title, "; convert-1, which ended such waits before, waits in Converter.convert"));
    g_assert_nonnull(strstr(x->causes[0].text, "Converter.convert"));
    g_assert_true(x->causes[0].inferred);
}

/* Virtual threads wait for a lock, and keep their carriers, or not; main has given it to another
 * one, which has not run since. */
static char *find_successor(guint16 flags)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 main_thread = pm_made_thread(&m, "main");
    const guint32 successor = pm_made_thread(&m, "successor");
    guint32 keepers[] = {pm_made_thread(&m, "keeper-1"), pm_made_thread(&m, "keeper-2")};
    PM_MADE_WAIT(a, SECOND, 20 * SECOND, successor, lock, m.lock_chain, .owner = main_thread,
                 .wake = 2 * SECOND, .waker = main_thread, .waker_chain = m.other_chain,
                 .wake_cause = PM_WAKE_RELEASE, .flags = PM_WAIT_IN_PROGRESS | PM_WAIT_VIRTUAL);
    for (guint i = 0; i < G_N_ELEMENTS(keepers); i++) {
        pm_made_held_wait(&m, keepers[i], lock, m.lock_chain, main_thread, SECOND + 1, 20 * SECOND,
                          PM_WAIT_IN_PROGRESS | flags);
        g_array_index(a->threads, PmThread, keepers[i]).is_virtual = TRUE;
    }
    g_array_index(a->threads, PmThread, successor).is_virtual = TRUE;
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, >, 0);
    const PmFinding *x = &f->findings[0];
    g_assert_cmpint(x->severity, ==, PM_SEVERITY_STUCK);
    g_assert_cmpint(x->waits, ==, 2); /* who was woken is not stuck in its wait */
    g_assert_null(strstr(x->title, "main"));
    for (guint i = 0; i < s->n_still; i++) {
        const gboolean is_woken = s->still[i].first_thread == successor;
        g_assert_cmpint(s->still[i].woken, ==, is_woken ? 2 * SECOND : 0);
        g_assert_cmpuint(s->still[i].owner, ==, is_woken ? 0 : successor);
    }
    return g_strdup(x->title);
}

static void who_was_given_a_lock_and_does_not_run_is_told(void)
{
    g_autofree char *kept = find_successor(0), *busy = find_successor(PM_WAIT_VIRTUAL);
    g_assert_nonnull(strstr(kept, "; successor, next in line for it, waits for a carrier, while 2 "
                                  "that wait for it keep theirs"));
    g_assert_true(g_str_has_suffix(busy, "; successor, next in line for it, waits for a carrier"));
}

/* Three clients wait for tasks of virtual threads, while those of a fourth end one after the other;
 * virtual threads were seen to run lately, or not, or a carrier is idle. Owned title of the first
 * finding. */
static char *find_behind(gboolean runs, gboolean is_idle)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    const guint32 future = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
    const guint32 get = pm_made_chain(
        a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.LockSupport.park",
        "java.util.concurrent.FutureTask.awaitDone", "java.util.concurrent.FutureTask.get",
        "com.acme.Client.run", NULL);
    const guint32 done =
        pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                      "java.util.concurrent.FutureTask.run", "java.lang.VirtualThread.run", NULL);
    const guint32 quote =
        pm_made_chain(a, "com.acme.Quote.price", "java.lang.VirtualThread.run", NULL);
    const guint32 task = pm_made_thread(&m, "task");
    g_array_index(a->threads, PmThread, task).is_virtual = TRUE;
    for (guint i = 0; i < 3; i++)
        add_future(&m, future, get, pm_made_thread(&m, "client-%u", i), 0, 0, SECOND, 20 * SECOND);
    const guint32 last = pm_made_thread(&m, "client-3");
    for (gint64 k = 20; k < 199; k++)
        add_future(&m, future, get, last, task, done, k * 100 * MS, (k * 100 + 99) * MS);
    for (gint64 k = 0; runs && k < 10; k++) {
        const PmOwnerSample sample = {.at = 18 * SECOND + k * 100 * MS,
                                      .owner = task,
                                      .chain = quote,
                                      .weight = 1,
                                      .state = PM_OWNER_RUNNING,
                                      .role = PM_SAMPLE_ENDER};
        g_array_append_val(a->samples, sample);
    }
    if (is_idle)
        pm_made_wait(&m, pm_made_thread(&m, "ForkJoinPool-1-worker-1"),
                     pm_made_blocker(&m, m.queue_class, 7, m.idle_chain), m.idle_chain, SECOND,
                     20 * SECOND, PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, >, 0);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
    g_assert_cmpint(f->findings[0].waits, ==, 3);
    return g_strdup(f->findings[0].title);
}

static void what_has_no_carrier_is_not_forgotten(void)
{
    g_autofree char *behind = find_behind(TRUE, FALSE), *forgotten = find_behind(FALSE, FALSE);
    g_autofree char *idle = find_behind(TRUE, TRUE);
    g_assert_true(g_str_has_suffix(
        behind, "; what they wait for may not have begun: carriers run Quote.price"));
    g_assert_nonnull(strstr(forgotten, "later waits there were ended"));
    g_assert_nonnull(strstr(idle, "later waits there were ended"));
}

/* What is stuck is not counted again among what takes most time. */
static void what_is_stuck_is_told_once(void)
{
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find_overdue(900 * MS, 6 * SECOND, &r, &s);
    g_assert_cmpuint(f->n, ==, 2);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
    g_assert_cmpint(f->findings[0].waits, ==, 3);
    g_assert_cmpint(f->findings[1].waits, ==, 12);
}

/* Three threads wait for futures, which are done at once, but a processor is free much later; or
 * which are done late. */
static void who_is_told_late_waits_for_a_processor(void)
{
    static const struct {
        gint64 told, ends; /* ms */
        PmSeverity severity;
    } rows[] = {{750, 800, PM_SEVERITY_HIGH},
                {50, 800, PM_SEVERITY_NOTE},
                {180, 180, PM_SEVERITY_HIGH},
                {120, 180, PM_SEVERITY_NOTE}}; /* what is left is less than is worth a finding */
    for (guint n = 0; n < G_N_ELEMENTS(rows); n++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        const guint32 future = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        const guint32 get =
            pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.FutureTask.get",
                          "com.acme.Upload.run", NULL);
        const guint32 done = pm_made_chain(a, "java.util.concurrent.FutureTask.finishCompletion",
                                           "com.acme.Converter.run", NULL);
        const guint32 converter = pm_made_thread(&m, "convert-1");
        for (guint i = 0; i < 3; i++) {
            const guint32 thread = pm_made_thread(&m, "upload-%u", i);
            for (gint64 k = 0; k < 18; k++) {
                PmWaitRow row = {.begin = k * SECOND,
                                 .end = k * SECOND + rows[n].ends * MS,
                                 .wake = k * SECOND + rows[n].told * MS,
                                 .thread = thread,
                                 .blocker =
                                     pm_made_blocker(&m, future, 100 + i * 20 + (guint32)k, get),
                                 .chain = get,
                                 .waker = converter,
                                 .waker_chain = done,
                                 .wake_cause = PM_WAKE_COMPLETION};
                pm_assembly_add_wait(a, &row);
            }
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].severity, ==, rows[n].severity);
    }
}

/* One thread alone waits for a task, whose like took 100 ms; who ran those waits itself, or
 * `works`.
 */
static PmFindings *find_given_up(gboolean works, PmRecording **ret_recording,
                                 PmSummary **ret_summary)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    guint32 future = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
    guint32 get = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                "java.util.concurrent.locks.LockSupport.park",
                                "java.util.concurrent.FutureTask.get", "com.acme.Order.take", NULL);
    guint32 hook = pm_made_chain(a, "java.lang.Object.wait", "java.lang.Thread.join",
                                 "com.acme.Ledger.terminate", NULL);
    guint32 done = pm_made_chain(a, "java.util.concurrent.FutureTask.finishCompletion",
                                 "com.acme.Ledger.post", NULL);
    guint32 thread = pm_made_thread(&m, "orders"), settles = pm_made_thread(&m, "settles");
    for (gint64 k = 0; k < 6; k++)
        add_future(&m, future, get, thread, settles, done, k * SECOND, k * SECOND + 100 * MS);
    add_future(&m, future, get, thread, 0, 0, 11 * SECOND, 20 * SECOND);
    PM_MADE_WAIT(a, (works ? 19 : 11) * SECOND, 20 * SECOND, settles,
                 pm_made_blocker(&m, m.queue_class, 9, hook), hook, .kind = PM_KIND_WAIT,
                 .flags = PM_WAIT_IN_PROGRESS);
    *ret_recording = pm_assembly_finish(a);
    return find(*ret_recording, ret_summary);
}

/* A feed waits for a lock whose owner waits for room, which an indexer gave `n` times before, seen
 * at work of its own; or was it? What is told first of who should end that. */
static char *giver_of_owner(guint n, gboolean seen)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 30 * SECOND;
    const guint32 submit = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                                         "org.feeds.Lane.submit", "com.acme.Feed.publish", NULL);
    const guint32 consumed = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                           "java.lang.Thread.run", NULL);
    const guint32 works = pm_made_chain(a, "java.lang.Math.sin", "com.acme.Indexer.index",
                                        "java.lang.Thread.run", NULL);
    const guint32 lane = pm_made_blocker(&m, pm_assembly_add_class(a, "org.feeds.Lane"), 8, submit);
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 9, m.lock_chain);
    const guint32 owner = pm_made_thread(&m, "owner"), feed = pm_made_thread(&m, "feed");
    const guint32 indexer = pm_made_thread(&m, "indexer");
    for (guint i = 0; i < n; i++) {
        PM_MADE_WAIT(a, i * 100 * MS, (i * 100 + 50) * MS, owner, lane, submit,
                     .wake = (i * 100 + 50) * MS, .waker = indexer, .waker_chain = consumed,
                     .wake_cause = PM_WAKE_NOTIFY);
    }
    pm_made_wait(&m, owner, lane, submit, 10 * SECOND, 30 * SECOND, PM_WAIT_IN_PROGRESS);
    pm_made_held_wait(&m, feed, lock, m.lock_chain, owner, 11 * SECOND, 30 * SECOND,
                      PM_WAIT_IN_PROGRESS);
    pm_made_sample(a, PM_SAMPLE_ENDER, owner, lane, indexer, seen ? works : consumed, 20 * MS);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    for (guint i = 0; i < f->n; i++)
        if (f->findings[i].blocker == lock)
            return g_strdup(f->findings[i].causes[0].text);
    return g_strdup("");
}

static void who_gave_what_the_owner_waits_for_is_named(void)
{
    g_autofree char *named = giver_of_owner(8, TRUE), *few = giver_of_owner(2, TRUE);
    g_autofree char *unseen = giver_of_owner(8, FALSE);
    g_assert_nonnull(strstr(named, "Indexer.index"));
    g_assert_cmpstr(few, !=, "");
    g_assert_cmpstr(unseen, !=, "");
    g_assert_null(strstr(few, "indexer"));
    g_assert_null(strstr(unseen, "indexer"));
}

/* Two nodes try to get a lock for 5 ms, again and again, in vain, and half of the tries last
 * longer; `timed`: they give up, else they wait until they have it. */
static PmSeverity severity_of_tries(gboolean timed)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 owner = pm_made_thread(&m, "owner");
    for (guint t = 0; t < 2; t++) {
        const guint32 node = pm_made_thread(&m, "node-%u", t);
        for (gint64 k = 0; k < 20; k++) {
            const gint64 end = k * 500 * MS + (k % 2 ? 400 * MS : 5 * MS);
            PM_MADE_WAIT(a, k * 500 * MS, end, node, lock, m.lock_chain, .wake = timed ? 0 : end,
                         .owner = owner, .waker = timed ? 0 : owner,
                         .waker_chain = timed ? 0 : m.other_chain,
                         .wake_cause = timed ? PM_WAKE_TIME_OUT : PM_WAKE_RELEASE,
                         .flags = timed ? PM_WAIT_TIMED : 0);
        }
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    return f->findings[0].severity;
}

static void who_gives_up_late_had_no_processor(void)
{
    g_assert_cmpint(severity_of_tries(FALSE), ==, PM_SEVERITY_HIGH);
    g_assert_cmpint(severity_of_tries(TRUE), ==, PM_SEVERITY_NOTE);
}

/* Two tellers wait for a connection for eight seconds, and a third, further on in the same method
 * or not, for another one; `signalled`: for 15, the program's own pool gives them by signals;
 * `fourth`: one more is at work. The title, "" where nothing is stuck. */
static char *title_of_tellers(gboolean signalled, gboolean further, gboolean fourth)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 30 * SECOND;
    const char *waits = signalled ? "java.lang.Object.wait" : "java.util.concurrent.Semaphore.park",
               *takes = signalled ? "com.acme.Pool.take" : "java.util.concurrent.Semaphore.acquire";
    const guint32 next =
        pm_made_chain(a, waits, takes, "com.acme.Teller.next", "com.acme.Main.run", NULL);
    const guint32 audit = pm_made_chain(a, waits, takes, "com.acme.Audit.record",
                                        further ? "com.acme.Teller.next" : "com.acme.Teller.close",
                                        "com.acme.Main.run", NULL);
    const char *of_class =
        signalled ? "com.acme.Pool" : "java.util.concurrent.Semaphore$NonfairSync";
    const guint32 permits = pm_made_blocker(&m, pm_assembly_add_class(a, of_class), 1, next);
    for (guint i = 0; i < 3; i++)
        PM_MADE_WAIT(a, (signalled ? 15 : 22) * SECOND + i, 30 * SECOND,
                     pm_made_thread(&m, "teller-%u", i), permits, i < 2 ? next : audit,
                     .flags = PM_WAIT_IN_PROGRESS, .kind = signalled ? PM_KIND_WAIT : PM_KIND_PARK);
    if (fourth)
        pm_made_thread(&m, "teller-9");
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    const gboolean stuck = f->n > 0 && f->findings[0].severity == PM_SEVERITY_STUCK;
    return g_strdup(stuck ? f->findings[0].title : "");
}

static void who_wants_more_of_a_pool_than_it_has_is_stuck(void)
{
    for (guint signalled = 0; signalled < 2; signalled++) {
        g_autofree char *stuck = title_of_tellers(signalled, TRUE, FALSE),
                        *apart = title_of_tellers(signalled, FALSE, FALSE),
                        *works = title_of_tellers(signalled, TRUE, TRUE);
        g_assert_nonnull(
            strstr(stuck, "teller-2, further on in Teller.next, waits in Audit.record"));
        g_assert_cmpstr(apart, ==, "");
        g_assert_cmpstr(works, ==, "");
    }
}

/* One listing and three moves wait for what a pool lends; the listing's wait began first, or was
 * met first as the recorder came, which says nothing: then it is told where most wait. */
static void who_waits_most_is_told_where_nobody_knows_since_when(void)
{
    for (guint known = 0; known < 2; known++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 30 * SECOND;
        const guint32 lists =
            pm_made_chain(a, "java.util.concurrent.Semaphore.park",
                          "java.util.concurrent.Semaphore.acquire", "com.acme.Listing.list", NULL);
        const guint32 moves =
            pm_made_chain(a, "java.util.concurrent.Semaphore.park",
                          "java.util.concurrent.Semaphore.acquire", "com.acme.Move.copy", NULL);
        const guint32 permits = pm_made_blocker(
            &m, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"), 1, lists);
        const guint16 flags = PM_WAIT_IN_PROGRESS | (known ? 0 : PM_WAIT_BEGIN_UNKNOWN);
        pm_made_wait(&m, pm_made_thread(&m, "listing"), permits, lists, SECOND, 30 * SECOND, flags);
        for (guint i = 0; i < 3; i++)
            pm_made_wait(&m, pm_made_thread(&m, "move-%u", i), permits, moves,
                         SECOND + (i + 1) * MS, 30 * SECOND, flags);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_true(g_str_has_prefix(f->findings[0].title, "move-* (3) and 1 more group wait"));
        g_assert_nonnull(
            strstr(f->findings[0].title, known ? " in Listing.list" : " in Move.copy"));
    }
}

static void what_nobody_can_run_any_more_is_stuck(void)
{
    for (guint works = 0; works < 2; works++) {
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find_given_up(works != 0, &r, &s);
        gboolean stuck = f->n > 0 && f->findings[0].severity == PM_SEVERITY_STUCK;
        g_assert_cmpint(stuck, ==, !works);
        if (works)
            continue;
        g_assert_nonnull(strstr(f->findings[0].title, "orders waits for FutureTask"));
        g_assert_nonnull(strstr(f->findings[0].causes[0].text, "Ledger.terminate"));
    }
}

static const char *const await_frame =
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await";

static gboolean is_stuck(PmRecording *recording)
{
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(recording, &s);
    return f->n > 0 && f->findings[0].severity == PM_SEVERITY_STUCK;
}

/* A thread that is alone got each of its results in ten milliseconds, from who had waited for work
 * that it gave or who came by itself, and then waits for one for nearly all of its life: only what
 * it asked for is missing. */
static void a_result_that_is_missing_is_told_of_a_thread_alone(void)
{
    for (guint asked = 0; asked < 2; asked++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = 20 * SECOND;
        const guint32 signaller =
            pm_assembly_add_class(m.assembly, "java.util.concurrent.CompletableFuture$Signaller");
        const guint32 joins =
            pm_made_chain(m.assembly, "java.util.concurrent.locks.LockSupport.park",
                          "java.util.concurrent.CompletableFuture.join", "com.acme.Desk.ask", NULL);
        const guint32 completes = pm_made_chain(
            m.assembly, "java.util.concurrent.locks.LockSupport.unpark",
            "java.util.concurrent.CompletableFuture.complete", "com.acme.Parser.run", NULL);
        const guint32 desk = pm_made_thread(&m, "desk"), parser = pm_made_thread(&m, "parser");
        const guint32 work = pm_made_blocker(&m, m.queue_class, 1, m.idle_chain);
        for (guint k = 0; k < 41; k++) {
            const guint32 result = pm_made_blocker(&m, signaller, 0x100 + k, joins);
            const gint64 begin = k * 20 * MS, end = begin + 10 * MS;
            PM_MADE_WAIT(m.assembly, begin - 8 * MS, begin, parser, work, m.idle_chain,
                         .waker = asked ? desk : 0, .waker_chain = joins, .wake = asked ? begin : 0,
                         .wake_cause = PM_WAKE_SIGNAL);
            if (k < 40)
                PM_MADE_WAIT(m.assembly, begin, end, desk, result, joins, .waker = parser,
                             .waker_chain = completes, .wake = end,
                             .wake_cause = PM_WAKE_COMPLETION);
            else
                pm_made_wait(&m, desk, result, joins, begin, 20 * SECOND, PM_WAIT_IN_PROGRESS);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_assert_cmpint(is_stuck(r), ==, asked);
    }
}

/* Three threads wait for a signal each, from their begin on; later; or since nobody knows when.
 * Nobody else is held up: they may have nothing to do. */
static void threads_that_only_wait_for_a_signal_rest(void)
{
    static const struct {
        gint64 since;
        guint16 flags;
        const char *frame;
    } tests[] = {{0, 0, NULL},
                 {3 * SECOND, 0, NULL},
                 {0, PM_WAIT_BEGIN_UNKNOWN, NULL},
                 {3 * SECOND, 0, "com.acme.Loop.idle"}};
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        guint32 chain = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                      tests[i].frame ? tests[i].frame : await_frame,
                                      "com.acme.Lease.awaitLoss", NULL);
        for (guint t = 0; t < 3; t++) {
            guint32 thread = pm_made_thread(&m, "standby-%u", t);
            g_array_index(a->threads, PmThread, thread).end = a->duration;
            pm_made_wait(&m, thread, pm_made_blocker(&m, m.queue_class, 7 + t, chain), chain,
                         tests[i].since, 20 * SECOND, PM_WAIT_IN_PROGRESS | tests[i].flags);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_assert_false(is_stuck(r));
    }
}

/* Three listeners wait for a latch of so many, from their begin on or later: of one, as for the
 * program's end, no part is missing. If they waited before the recording began, they rest if all
 * that they run waits, and no part of a task. */
static void whose_life_is_to_wait_for_a_latch_rests(void)
{
    static const struct {
        gint32 count;
        gint64 since;
        guint8 before;      /* flags: since before the recording began */
        const char *caller; /* of the method that waits */
        gboolean stuck;
    } tests[] = {
        {1, 0, 0, "java.lang.Thread.run", FALSE},
        {2, 0, 0, "java.lang.Thread.run", TRUE},
        {1, 3 * SECOND, 0, "java.lang.Thread.run", TRUE},
        {1, 0, PM_WAIT_BEGIN_UNKNOWN, "java.lang.Thread.run", FALSE},
        {2, 0, PM_WAIT_BEGIN_UNKNOWN, "java.lang.Thread.run", TRUE},
        {1, 0, PM_WAIT_BEGIN_UNKNOWN, "com.acme.Worker.work", TRUE},
        {1, 0, PM_WAIT_BEGIN_UNKNOWN, "java.util.concurrent.ThreadPoolExecutor.runWorker", TRUE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        const guint32 chain = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                            "java.util.concurrent.CountDownLatch.await",
                                            "com.acme.Main.run", tests[i].caller, NULL);
        const guint32 latch = pm_made_blocker(
            &m, pm_assembly_add_class(a, "java.util.concurrent.CountDownLatch$Sync"), 1, chain);
        for (guint t = 0; t < 3; t++) {
            PmWaitRow row = {.begin = tests[i].since,
                             .end = 20 * SECOND,
                             .thread = pm_made_thread(&m, "listener-%u", t),
                             .blocker = latch,
                             .chain = chain,
                             .aqs_state = tests[i].count,
                             .flags = PM_WAIT_IN_PROGRESS | tests[i].before};
            g_array_index(a->threads, PmThread, row.thread).end = a->duration;
            pm_assembly_add_wait(a, &row);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_assert_cmpint(is_stuck(r), ==, tests[i].stuck);
    }
}

typedef enum { TASK, LATCH, THREAD } Awaited;

/* Main has worked for nine seconds, and waits since for the next of its tasks to end, of which a
 * worker runs one, or nobody does; for the worker itself; or for a latch, of which nobody knows
 * whose it is. */
static gboolean main_is_stuck(Awaited awaited, gboolean at_work)
{
    static const struct {
        const char *parks, *waits, *class_name;
    } of[] = {{"jdk.internal.misc.Unsafe.park",
               "java.util.concurrent.ExecutorCompletionService.take",
               "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"},
              {"jdk.internal.misc.Unsafe.park", "java.util.concurrent.CountDownLatch.await",
               "java.util.concurrent.CountDownLatch$Sync"},
              {"java.lang.Object.wait", "java.lang.Thread.join", "java.lang.Thread"}};
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    const guint32 waits =
        pm_made_chain(a, of[awaited].parks, of[awaited].waits, "com.acme.Build.main", NULL);
    const guint32 works =
        pm_made_chain(a, "com.acme.Compiler.compile", "java.util.concurrent.FutureTask.run", NULL);
    const guint32 class_index = pm_assembly_add_class(a, of[awaited].class_name);
    const guint32 main = pm_made_thread(&m, "main"), worker = pm_made_thread(&m, "worker");
    g_array_index(a->threads, PmThread, main).tid = 1;
    g_array_index(a->threads, PmThread, main).end = a->duration;
    g_array_index(a->threads, PmThread, worker).end = a->duration;
    PM_MADE_WAIT(a, 9 * SECOND, a->duration, main, pm_made_blocker(&m, class_index, 1, waits),
                 waits, .aqs_state = awaited == LATCH, .owner = awaited == THREAD ? worker : 0,
                 .kind = awaited == THREAD ? PM_KIND_WAIT : PM_KIND_PARK,
                 .flags = PM_WAIT_IN_PROGRESS);
    for (gint64 at = SECOND; at < a->duration && at_work; at += SECOND) {
        const PmCensusRow census = {.at = at, .thread = worker};
        const PmOwnerSample sample = {.at = at, .owner = worker, .chain = works};
        g_array_append_val(a->census, census);
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    return is_stuck(r);
}

/* Three of one group wait from the beginning, for a latch of two or for results of tasks, while
 * `n_at_work` threads go on, of those `n_waiting` until they wait for one another. */
static gboolean supervisors_are_stuck(gboolean latch, gboolean in_tasks, guint n_at_work,
                                      guint n_waiting)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    const char *class_name =
        latch ? "java.util.concurrent.CountDownLatch$Sync" : "java.util.concurrent.FutureTask";
    const guint32 waits = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                        latch ? "java.util.concurrent.CountDownLatch.await"
                                              : "java.util.concurrent.FutureTask.get",
                                        "com.acme.Watch.run", NULL);
    const guint32 works =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "com.acme.Feed.next",
                      in_tasks ? "java.util.concurrent.FutureTask.run" : "com.acme.Feed.run", NULL);
    const guint32 class_index = pm_assembly_add_class(a, class_name);
    for (guint t = 0; t < 3; t++) {
        PmWaitRow row = {.end = a->duration,
                         .thread = pm_made_thread(&m, "watch-%u", t),
                         .blocker = pm_made_blocker(&m, class_index, latch ? 1 : t + 1, waits),
                         .chain = waits,
                         .aqs_state = latch ? 2 : 0,
                         .flags = PM_WAIT_IN_PROGRESS};
        g_array_index(a->threads, PmThread, row.thread).end = a->duration;
        pm_assembly_add_wait(a, &row);
    }
    for (guint t = 0; t < n_at_work; t++) {
        const guint32 feed = pm_made_thread(&m, "feed-%u", t);
        const guint32 own = pm_made_blocker(&m, m.queue_class, 10 + t, works);
        g_array_index(a->threads, PmThread, feed).end = a->duration;
        for (gint64 at = 0; at < a->duration; at += SECOND) {
            const gboolean hangs = t < n_waiting && at >= 5 * SECOND;
            PM_MADE_WAIT(a, at, hangs ? a->duration : at + SECOND / 2, feed, own, works,
                         .flags = hangs ? PM_WAIT_IN_PROGRESS : 0);
            if (hangs)
                break;
        }
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    return is_stuck(r);
}

/* A thread for each request waits for the result of a task, nearly as long as it lives, or as is
 * known of it; two workers go on with such tasks. */
static gint64 waits_told_of_requests(gboolean is_virtual)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    const guint32 waits =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.FutureTask.get",
                      "com.acme.Orders.show", NULL);
    const guint32 works =
        pm_made_chain(a, "java.util.concurrent.FutureTask.finishCompletion", "com.acme.Render.draw",
                      "java.util.concurrent.FutureTask.run", NULL);
    const guint32 class_index = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
    const guint32 workers[] = {pm_made_thread(&m, "render-1"), pm_made_thread(&m, "render-2")};
    for (guint i = 0; i < 100; i++) {
        const gint64 begin = i * 190 * MS, end = begin + 500 * MS;
        const PmThread t = {.tid = 100 + i,
                            .name = "request",
                            .is_virtual = is_virtual,
                            .begin = begin - MS,
                            .begin_known = !is_virtual,
                            .end = end + MS,
                            .ended = !is_virtual};
        PM_MADE_WAIT(a, begin, end, pm_assembly_add_thread(a, &t),
                     pm_made_blocker(&m, class_index, i + 1, waits), waits, .wake = end,
                     .waker = workers[i % 2], .waker_chain = works,
                     .wake_cause = PM_WAKE_COMPLETION);
        PM_MADE_WAIT(a, begin, begin + MS, workers[i % 2],
                     pm_made_blocker(&m, m.queue_class, 1000 + i, works), works, .flags = 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    gint64 most = 0;
    for (guint i = 0; i < f->n; i++)
        if (f->findings[i].category == PM_CATEGORY_FUTURE)
            most = MAX(most, f->findings[i].waits);
    return most;
}

static void a_thread_for_each_request_is_busy(void)
{
    g_assert_cmpint(waits_told_of_requests(FALSE), ==, 100);
    g_assert_cmpint(waits_told_of_requests(TRUE), ==, 100);
}

static void who_waits_for_those_at_work_rests(void)
{
    g_assert_false(supervisors_are_stuck(TRUE, FALSE, 2, 0));
    g_assert_true(supervisors_are_stuck(TRUE, FALSE, 2, 1)); /* one of two counts down no more */
    g_assert_true(supervisors_are_stuck(TRUE, FALSE, 1, 0));
    g_assert_false(supervisors_are_stuck(FALSE, TRUE, 3, 0));
    g_assert_true(supervisors_are_stuck(FALSE, TRUE, 3, 1));  /* a task hangs */
    g_assert_true(supervisors_are_stuck(FALSE, TRUE, 2, 0));  /* a task is gone */
    g_assert_true(supervisors_are_stuck(FALSE, FALSE, 9, 0)); /* nobody runs a task */
    g_assert_false(main_is_stuck(TASK, TRUE));
    g_assert_true(main_is_stuck(TASK, FALSE));
    g_assert_true(main_is_stuck(LATCH, TRUE));
    g_assert_false(main_is_stuck(THREAD, TRUE));
    g_assert_true(main_is_stuck(THREAD, FALSE));
}

/* Met by the recorder: takers wait for a signal, and putters at the same monitor (or other takers,
 * or at its like), or main does. */
static void both_sides_of_a_queue_do_not_rest_at_once(void)
{
    static const struct {
        gboolean puts, same_monitor, main_waits, stuck;
    } tests[] = {{TRUE, TRUE, FALSE, TRUE},
                 {FALSE, TRUE, FALSE, FALSE},
                 {TRUE, FALSE, FALSE, FALSE},
                 {TRUE, TRUE, TRUE, FALSE}};
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        guint32 takes = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Box.pause",
                                      "com.acme.Box.take", "com.acme.A.run", NULL);
        guint32 puts = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Box.pause",
                                     tests[i].puts ? "com.acme.Box.put" : "com.acme.Box.take",
                                     "com.acme.B.run", NULL);
        guint32 box = pm_made_blocker(&m, m.queue_class, 1, takes);
        guint32 other = pm_made_blocker(&m, m.queue_class, 2, takes);
        for (guint t = 0; t < 4; t++) {
            guint32 thread = pm_made_thread(&m, t < 2 ? "taker-%u" : "putter-%u", t);
            g_array_index(a->threads, PmThread, thread).tid =
                t > 1 && tests[i].main_waits ? 1 : 70 + t;
            PM_MADE_WAIT(a, 0, 20 * SECOND, thread, t < 2 || tests[i].same_monitor ? box : other,
                         t < 2 ? takes : puts, .kind = PM_KIND_WAIT,
                         .flags = PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_assert_cmpint(is_stuck(r), ==, tests[i].stuck);
    }
}

/* For six seconds a broker's thread has waited in a listener for an answer to what the program gave
 * the broker by `called`, and `desks` threads for answers that it brought often before. */
static PmRecording *listener_that_waits(const char *called, guint desks)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 9 * SECOND;
    a->facts.main = "com.acme.Main";
    const guint32 asks =
        pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.take", "org.broker.Slot.get",
                      called, "com.acme.Cashier.onMessage", "org.broker.Transport.run", NULL);
    const guint32 receives = pm_made_chain(a, "java.lang.Object.wait", "org.broker.Mailbox.next",
                                           "org.broker.Mailbox.receive", "com.acme.Desk.pay", NULL);
    const guint32 brings = pm_made_chain(a, "java.lang.Object.notify", "org.broker.Mailbox.add",
                                         "org.broker.Transport.run", NULL);
    const guint32 transport = pm_made_thread(&m, "transport");
    pm_made_wait(&m, transport, pm_made_blocker(&m, m.queue_class, 1, asks), asks, 3 * SECOND,
                 9 * SECOND, PM_WAIT_IN_PROGRESS);
    for (guint t = 0; t < 3; t++) {
        const guint32 desk = pm_made_thread(&m, "desk-%u", t);
        const guint32 mailbox = pm_made_blocker(&m, m.none_class, 7 + t, receives);
        for (gint64 at = MS; at < 200 * MS; at += 20 * MS)
            PM_MADE_WAIT(a, at, at + 10 * MS, desk, mailbox, receives, .kind = PM_KIND_WAIT,
                         .wake = at + 10 * MS, .waker = transport, .waker_chain = brings,
                         .wake_cause = PM_WAKE_NOTIFY);
        if (t < desks)
            PM_MADE_WAIT(a, 3 * SECOND, 9 * SECOND, desk, mailbox, receives, .kind = PM_KIND_WAIT,
                         .flags = PM_WAIT_IN_PROGRESS);
    }
    return pm_assembly_finish(a);
}

static void who_awaits_an_answer_where_it_is_called_is_stuck(void)
{
    g_autoptr(PmRecording) r = listener_that_waits("org.broker.Producer.send", 3);
    g_autoptr(PmRecording) alone = listener_that_waits("org.broker.Producer.send", 0);
    g_autoptr(PmRecording) takes = listener_that_waits("org.broker.Consumer.receive", 3);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
    g_assert_nonnull(strstr(f->findings[0].title, "transport waits for "));
    g_assert_nonnull(strstr(f->findings[0].title, " in Cashier.onMessage"));
    const PmEvidence *last = &f->findings[0].evidence[f->findings[0].n_evidence - 1];
    g_assert_true(g_str_has_prefix(last->text, "since then desk-* (3) wait far longer than ever"));
    g_assert_false(is_stuck(alone));
    g_assert_false(is_stuck(takes));
}

/* Met by the recorder: two threads of different groups wait for a signal, each at an object of its
 * own, in what they call: a library's write or read, or their own. */
static void who_gives_does_not_rest(void)
{
    static const struct {
        const char *waits, *calls;
        gboolean stuck;
    } tests[] = {{"org.channels.Channel.write", "com.acme.Station.exchange", TRUE},
                 {"org.channels.Channel.read", "com.acme.Station.exchange", FALSE},
                 {"com.acme.Sender.send", "com.acme.Sender.run", FALSE},
                 {"org.channels.Writer.write", "org.channels.Writer.run", FALSE}};
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        a->facts.main = "com.acme.Main";
        const guint32 chain = pm_made_chain(a, "java.lang.Object.wait", tests[i].waits,
                                            tests[i].calls, "java.lang.Thread.run", NULL);
        for (guint t = 0; t < 2; t++) {
            const PmWaitRow row = {.begin = 0,
                                   .end = 20 * SECOND,
                                   .kind = PM_KIND_WAIT,
                                   .thread = pm_made_thread(&m, t ? "west" : "east"),
                                   .blocker = pm_made_blocker(&m, m.none_class, 7 + t, chain),
                                   .chain = chain,
                                   .flags = PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN};
            g_array_index(a->threads, PmThread, row.thread).end = a->duration;
            pm_assembly_add_wait(a, &row);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, tests[i].stuck);
        if (!f->n)
            continue;
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpuint(f->findings[0].n_victims, ==, 2);
        g_assert_nonnull(strstr(f->findings[0].title, " in Channel.write since"));
        g_assert_true(g_str_has_suffix(f->findings[0].title, "; nobody takes what is given there"));
        g_assert_nonnull(strstr(f->findings[0].evidence[0].text, "in Station.exchange"));
    }
}

/* Shops have an answer sent by a library's client, whose thread gave five of them one each before,
 * where nothing is the program's. Nobody takes anything there: an answer has not come. */
static void who_awaits_an_answer_gives_nothing(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    a->facts.main = "com.acme.Main";
    const guint32 asks = pm_made_chain(
        a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.CompletableFuture.get",
        "org.lib.Client.send", "com.acme.Prices.tax", "java.lang.Thread.run", NULL);
    const guint32 answers = pm_made_chain(a, "java.util.concurrent.CompletableFuture.complete",
                                          "org.lib.Client.read", "java.lang.Thread.run", NULL);
    const guint32 future =
        pm_assembly_add_class(a, "java.util.concurrent.CompletableFuture$Signaller");
    const guint32 worker = pm_made_thread(&m, "Client-Worker");
    for (guint t = 0; t < 3; t++) {
        const guint32 shop = pm_made_thread(&m, "shop-%u", t);
        for (guint n = 0; n < 5; n++)
            PM_MADE_WAIT(a, 100 * n * MS, (100 * n + 20) * MS, shop,
                         pm_made_blocker(&m, future, 10 * t + n, asks), asks,
                         .wake = (100 * n + 20) * MS, .kind = PM_KIND_PARK, .waker = worker,
                         .waker_chain = answers, .wake_cause = PM_WAKE_COMPLETION);
        pm_made_wait(&m, shop, pm_made_blocker(&m, future, 100 + t, asks), asks, 5 * SECOND,
                     20 * SECOND, PM_WAIT_IN_PROGRESS);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    const PmFinding *first = &f->findings[0];
    g_assert_cmpint(first->severity, ==, PM_SEVERITY_STUCK);
    g_test_message("%s", first->title);
    g_assert_nonnull(strstr(first->title, " in Prices.tax"));
    g_assert_null(strstr(first->title, "nobody takes"));
    g_assert_cmpuint(first->n_causes, ==, 1);
    g_assert_true(g_str_has_prefix(first->causes[0].text, "Prices.tax "));
}

/* Met by the recorder: shops wait for room in a bus, and a listener of it, or another one, too. */
static void who_is_called_by_a_full_queue_is_named(void)
{
    for (guint called = 0; called < 2; called++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        const guint32 sells = pm_made_chain(
            a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.ArrayBlockingQueue.put",
            "com.acme.Bus.publish", "com.acme.Shop.sell", "java.lang.Thread.run", NULL);
        const guint32 orders = pm_made_chain(
            a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.ArrayBlockingQueue.put",
            "com.acme.Bus.publish", "com.acme.Stock.onEvent",
            called ? "com.acme.Bus.dispatch" : "com.acme.Feed.read", "java.lang.Thread.run", NULL);
        const guint32 room = pm_made_blocker(&m, m.queue_class, 1, sells);
        for (guint t = 0; t < 4; t++) {
            g_autofree char *name = t < 3 ? g_strdup_printf("shop-%u", t) : g_strdup("bus");
            const guint32 thread = pm_made_thread(&m, "%s", name);
            pm_made_wait(&m, thread, room, t < 3 ? sells : orders, 0, 20 * SECOND,
                         PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpint(strstr(f->findings[0].title,
                               "; bus waits for it too, in Stock.onEvent, called from "
                               "Bus.dispatch") != NULL,
                        ==, called);
        g_assert_cmpint(g_str_has_prefix(f->findings[0].causes[0].text, "Stock.onEvent "), ==,
                        called);
    }
}

/* Visitors, and one that asks for permits in another method, or in the same, have waited for a
 * semaphore since before the recorder. */
static void who_wants_permits_elsewhere_is_named(void)
{
    for (guint elsewhere = 0; elsewhere < 2; elsewhere++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 6 * SECOND;
        const guint32 semaphore =
            pm_assembly_add_class(a, "java.util.concurrent.Semaphore$FairSync");
        const guint32 visits = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                             "com.acme.Visitor.visit", NULL);
        const guint32 loads =
            pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                          elsewhere ? "com.acme.Import.load" : "com.acme.Visitor.visit", NULL);
        const guint32 doors = pm_made_blocker(&m, semaphore, 1, visits);
        for (guint t = 0; t < 4; t++) {
            g_autofree char *name = t < 3 ? g_strdup_printf("visitor-%u", t) : g_strdup("import");
            pm_made_wait(&m, pm_made_thread(&m, "%s", name), doors, t < 3 ? visits : loads, 0,
                         6 * SECOND, PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpint(strstr(f->findings[0].title, "; import waits for it in Import.load") !=
                            NULL,
                        ==, elsewhere);
    }
}

/* Doors wait until a shop has started, and two services of it, where the library starts them, until
 * the other one has; or one of them for something else. */
static void who_starts_after_each_other_is_named(void)
{
    for (guint each_other = 0; each_other < 2; each_other++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 12 * SECOND;
        const char *const runs = "org.lib.Service.run";
        const guint32 enters = pm_made_chain(a, await_frame, "org.lib.Shop.awaitHealthy",
                                             "com.acme.Door.enter", "com.acme.Main.main", NULL);
        const guint32 stock = pm_made_chain(a, await_frame, "org.lib.Service.awaitRunning",
                                            "com.acme.Stock.startUp", runs, NULL);
        const guint32 bills =
            each_other ? pm_made_chain(a, await_frame, "org.lib.Service.awaitRunning",
                                       "com.acme.Billing.startUp", runs, NULL)
                       : pm_made_chain(a, await_frame, "com.acme.Billing.startUp", runs, NULL);
        static const char *const names[] = {"door-1", "door-2", "stock", "billing"};
        const guint32 chains[] = {enters, enters, stock, bills};
        guint32 guard = 0;
        for (guint t = 0; t < 4; t++) {
            if (t != 1) /* both doors are of one shop */
                guard = pm_made_blocker(&m, m.queue_class, 1 + t, chains[t]);
            pm_made_wait(&m, pm_made_thread(&m, "%s", names[t]), guard, chains[t], SECOND,
                         12 * SECOND, PM_WAIT_IN_PROGRESS);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpuint(f->findings[0].n_causes, ==, 1 + each_other);
        g_assert_cmpint(strstr(f->findings[0].causes[0].text, "startUp") != NULL, ==, each_other);
        g_assert_cmpfloat(f->findings[0].causes[0].share, ==, each_other ? 0.5 : 1);
    }
}

/* Shops put a question and take the answer from a queue of its own, or all from one queue. */
static void an_answer_from_a_queue_of_its_own_is_a_result(void)
{
    for (guint own = 0; own < 2; own++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        const guint32 asks = pm_made_chain(
            a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.ArrayBlockingQueue.take",
            "org.lib.Answer.get", "com.acme.Shop.sell", "com.acme.Main.main", NULL);
        const guint32 answers = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.offer",
                                              "com.acme.Broker.reply", NULL);
        const guint32 broker = pm_made_thread(&m, "broker");
        guint32 queue = pm_made_blocker(&m, m.queue_class, 1, asks);
        for (guint t = 0; t < 2; t++) {
            const guint32 shop = pm_made_thread(&m, "shop-%u", t + 1);
            for (guint k = 0; k < 20; k++) {
                if (own)
                    queue = pm_made_blocker(&m, m.queue_class, 10 + 2 * k + t, asks);
                PM_MADE_WAIT(a, k * 500 * MS, (k * 500 + 400) * MS, shop, queue, asks,
                             .wake = (k * 500 + 400) * MS, .waker = broker, .waker_chain = answers,
                             .wake_cause = PM_WAKE_SIGNAL);
            }
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, own);
        if (own)
            g_assert_nonnull(strstr(f->findings[0].title, "because of Broker.reply"));
    }
}

/* Two threads wait for the end of virtual ones, which carriers tell, again and again; at last, if
 * it `hangs`, for twelve seconds, as virtual threads wait for permits. */
static PmRecording *checkouts_that_join(gboolean hangs)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = (hangs ? 22 : 10) * SECOND;
    const guint32 takes = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                        "com.acme.Parcel.pack", "java.lang.Thread.run", NULL);
    const guint32 permits = pm_made_blocker(
        &m, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"), 7, takes);
    const guint32 latch = pm_assembly_add_class(a, "java.util.concurrent.CountDownLatch$Sync");
    const guint32 joins = pm_made_chain(
        a, "java.util.concurrent.CountDownLatch.await", "java.lang.VirtualThread.joinNanos",
        "java.lang.Thread.join", "com.acme.Checkout.serve", "com.acme.Main.main", NULL);
    const guint32 ends = pm_made_chain(a, "java.util.concurrent.CountDownLatch.countDown",
                                       "java.lang.VirtualThread.afterDone",
                                       "java.util.concurrent.ForkJoinPool.runWorker", NULL);
    const guint32 carrier = pm_made_thread(&m, "carrier");
    const guint32 idle = pm_made_blocker(&m, m.queue_class, 1, m.idle_chain);
    for (guint t = 0; t < 2; t++) {
        const guint32 checkout = pm_made_thread(&m, "checkout-%u", t + 1);
        for (guint k = 0; k < 20; k++) {
            PM_MADE_WAIT(a, k * 500 * MS, (k * 500 + 400) * MS, checkout,
                         pm_made_blocker(&m, latch, 10 + 2 * k + t, joins), joins,
                         .wake = (k * 500 + 400) * MS, .waker = carrier, .waker_chain = ends,
                         .wake_cause = PM_WAKE_COMPLETION);
            if (t == 0)
                pm_made_wait(&m, carrier, idle, m.idle_chain, k * 500 * MS, (k * 500 + 395) * MS,
                             0);
        }
        if (!hangs)
            continue;
        const guint32 parcel = pm_made_thread(&m, "parcel-%u", t + 1);
        g_array_index(a->threads, PmThread, parcel).is_virtual = TRUE;
        pm_made_wait(&m, checkout, pm_made_blocker(&m, latch, 90 + t, joins), joins, 10 * SECOND,
                     22 * SECOND, PM_WAIT_IN_PROGRESS);
        pm_made_wait(&m, parcel, permits, takes, 10 * SECOND + MS, 22 * SECOND,
                     PM_WAIT_IN_PROGRESS);
    }
    return pm_assembly_finish(a);
}

static void who_joins_one_that_hangs_is_told_with_it(void)
{
    g_autoptr(PmRecording) r = checkouts_that_join(TRUE);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    guint n_stuck = 0;
    for (guint i = 0; i < f->n; i++)
        n_stuck += f->findings[i].severity == PM_SEVERITY_STUCK;
    g_assert_cmpuint(n_stuck, ==, 1);
    g_assert_true(g_str_has_prefix(f->findings[0].title, "parcel-* (2) wait for Semaphore"));
    const PmEvidence *last = &f->findings[0].evidence[f->findings[0].n_evidence - 1];
    g_assert_true(g_str_has_prefix(last->text, "waiting for virtual threads to end"));
}

/* What virtual threads did is not seen. */
static void end_of_virtual_threads_is_a_finding(void)
{
    g_autoptr(PmRecording) r = checkouts_that_join(FALSE);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_HIGH);
    g_assert_nonnull(strstr(f->findings[0].title, "because of Checkout.serve"));
    g_assert_nonnull(strstr(f->findings[0].advice, "what the virtual threads do whose end"));
}

/* Three threads waited twenty times at a semaphore, released by another thread or by each other,
 * and wait again. Who only takes may have nothing to do; else permits are missing. */
static void takers_of_a_semaphore_that_others_release_rest(void)
{
    for (guint own = 0; own < 2; own++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 30 * SECOND;
        guint32 class_index =
            pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync");
        guint32 takes =
            pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                          "java.util.concurrent.Semaphore.acquire", "com.acme.Consumer.next", NULL);
        guint32 gives = pm_made_chain(a, "java.util.concurrent.Semaphore.release",
                                      "com.acme.Producer.add", NULL);
        guint32 items = pm_made_blocker(&m, class_index, 1, takes);
        guint32 threads[3], producer = pm_made_thread(&m, "producer");
        for (guint t = 0; t < 3; t++)
            threads[t] = pm_made_thread(&m, "consumer-%u", t);
        for (guint i = 0; i < 20; i++) {
            PM_MADE_WAIT(a, i * 100 * MS, (i * 100 + 50) * MS, threads[i % 3], items, takes,
                         .wake = (i * 100 + 50) * MS,
                         .waker = own ? threads[(i + 1) % 3] : producer, .waker_chain = gives,
                         .wake_cause = PM_WAKE_PERMIT);
        }
        for (guint t = 0; t < 3; t++)
            pm_made_wait(&m, threads[t], items, takes, 5 * SECOND, 30 * SECOND,
                         PM_WAIT_IN_PROGRESS);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_assert_cmpint(is_stuck(r), ==, own);
    }
}

/* Callers wait for permits that a task adds each 100 ms, until it throws: a scheduler that has
 * nothing to run waits without a timeout, unlike one with other tasks; a timer's thread ends. */
static void whose_schedule_is_empty_adds_nothing(void)
{
    for (guint n = 0; n < 3; n++) {
        const gboolean others = n == 1, timer = n == 2;
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 15 * SECOND;
        guint32 takes =
            pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                          "java.util.concurrent.Semaphore.acquire", "com.acme.Quota.take", NULL);
        guint32 adds =
            pm_made_chain(a, "java.util.concurrent.Semaphore.release", "com.acme.Quota.refill",
                          timer ? "java.util.TimerThread.mainLoop"
                                : "java.util.concurrent.FutureTask.runAndReset",
                          NULL);
        guint32 rests =
            pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                          "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take",
                          "java.util.concurrent.ThreadPoolExecutor.getTask",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        guint32 permits = pm_made_blocker(
            &m, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"), 1, takes);
        guint32 schedule = pm_made_blocker(&m, m.queue_class, 2, rests);
        guint32 scheduler = pm_made_thread(&m, "refill");
        guint32 callers[] = {pm_made_thread(&m, "caller-1"), pm_made_thread(&m, "caller-2")};
        for (guint i = 0; i < 40; i++) {
            PM_MADE_WAIT(a, (i / 2 * 100 + 10) * MS, (i / 2 * 100 + 100) * MS, callers[i % 2],
                         permits, takes, .wake = (i / 2 * 100 + 100) * MS, .waker = scheduler,
                         .waker_chain = adds, .wake_cause = PM_WAKE_PERMIT);
        }
        if (timer) {
            PmThread *thread = &g_array_index(a->threads, PmThread, scheduler);
            thread->ended = TRUE;
            thread->end = 2100 * MS;
        } else {
            pm_made_wait(&m, scheduler, schedule, rests, 2100 * MS, 15 * SECOND,
                         PM_WAIT_IN_PROGRESS | (others ? PM_WAIT_TIMED : 0));
        }
        for (guint t = 0; t < 2; t++)
            pm_made_wait(&m, callers[t], permits, takes, 2200 * MS, 15 * SECOND,
                         PM_WAIT_IN_PROGRESS);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        const gboolean stuck = f->n > 0 && f->findings[0].severity == PM_SEVERITY_STUCK;
        g_assert_cmpint(stuck, ==, !others);
        if (stuck)
            g_assert_true(g_str_has_prefix(f->findings[0].causes[0].text, "Quota.refill"));
    }
}

/* Tills wait for a lock that the import keeps, which is elsewhere now. `seen`: it gave it back to
 * one of them before. */
static char *keeper_of_a_lock(gboolean seen, gboolean inside)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 30 * SECOND;
    guint32 redeem = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                   "java.util.concurrent.locks.ReentrantLock.lock",
                                   "com.acme.Book.redeem", "com.acme.Till.run", NULL);
    guint32 redeemed = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                     "com.acme.Book.redeem", "com.acme.Till.run", NULL);
    guint32 issued = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                   "com.acme.Book.issue", "com.acme.Import.run", NULL);
    guint32 rests =
        inside ? pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "com.acme.Book.issue",
                               "com.acme.Import.run", NULL)
               : pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "com.acme.Import.run", NULL);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, redeem);
    guint32 tills[] = {pm_made_thread(&m, "till-1"), pm_made_thread(&m, "till-2")};
    guint32 import = pm_made_thread(&m, "import");
    for (guint i = 0; i < 4; i++) {
        PM_MADE_WAIT(
            a, i * 100 * MS, (i * 100 + 5) * MS, tills[i % 2], lock, redeem,
            .wake = (i * 100 + 5) * MS, .waker = seen && i == 1 ? import : tills[1 - i % 2],
            .waker_chain = seen && i == 1 ? issued : redeemed, .wake_cause = PM_WAKE_RELEASE);
    }
    for (guint t = 0; t < 2; t++)
        pm_made_held_wait(&m, tills[t], lock, redeem, import, 10 * SECOND, 30 * SECOND,
                          PM_WAIT_IN_PROGRESS);
    PmOwnerSample sample = {.at = 20 * SECOND,
                            .waiter = tills[0],
                            .blocker = lock,
                            .owner = import,
                            .chain = rests,
                            .weight = 1};
    g_array_append_val(a->samples, sample);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, >, 0);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
    return g_strdup(inside ? f->findings[0].title : f->findings[0].causes[0].text);
}

/* It is told by where it had the lock, never by what the waiters do. Who is in the method in which
 * it used it last has not forgotten it. */
static void who_keeps_a_lock_is_told_by_its_own_code(void)
{
    g_autofree char *seen = keeper_of_a_lock(TRUE, FALSE);
    g_autofree char *unseen = keeper_of_a_lock(FALSE, FALSE);
    g_autofree char *inside = keeper_of_a_lock(TRUE, TRUE);
    g_assert_true(g_str_has_suffix(inside, "; import holds it in Book.issue"));
    g_assert_nonnull(strstr(seen, "Book.issue"));
    g_assert_nonnull(strstr(unseen, "Import.run"));
    g_assert_null(strstr(unseen, "Book.redeem"));
}

/* Viewers wait for a lock whose owner has ended, or not; it gave it back before. */
static void who_ended_with_a_lock_is_told_by_where_it_used_it(void)
{
    for (guint ended = 0; ended < 2; ended++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                            "com.acme.Ledger.post", NULL);
        const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
        const guint32 viewers[] = {pm_made_thread(&m, "viewer-1"), pm_made_thread(&m, "viewer-2")};
        const guint32 poster = pm_made_thread(&m, "poster");
        PmThread *thread = &g_array_index(a->threads, PmThread, poster);
        thread->ended = ended;
        thread->end = ended ? 2 * SECOND : 20 * SECOND;
        PM_MADE_WAIT(a, SECOND, SECOND + MS, viewers[0], lock, m.lock_chain, .wake = SECOND + MS,
                     .owner = poster, .waker = poster, .waker_chain = gives,
                     .wake_cause = PM_WAKE_RELEASE);
        for (guint t = 0; t < 2; t++)
            pm_made_held_wait(&m, viewers[t], lock, m.lock_chain, poster, 3 * SECOND, 20 * SECOND,
                              PM_WAIT_IN_PROGRESS);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpint(g_str_has_prefix(f->findings[0].causes[0].text, "Ledger.post"), ==, ended);
    }
}

/* Users of a pool got an element back from Report.send, or gave up; the latter waited for the same
 * ones. With another class it is no pool's. */
static void waits_given_up_for_a_pool_are_its_keepers(void)
{
    static const char *const classes[] = {"java.util.concurrent.Semaphore$NonfairSync",
                                          "java.util.concurrent.locks.AbstractQueuedSynchronizer$"
                                          "ConditionObject"};
    for (guint i = 0; i < G_N_ELEMENTS(classes); i++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        guint32 permits =
            pm_made_blocker(&m, pm_assembly_add_class(a, classes[i]), 7, m.other_chain);
        guint32 keeps =
            pm_made_chain(a, "java.util.concurrent.Semaphore.release", "com.acme.Mail.send", NULL);
        guint32 keeper = pm_made_thread(&m, "mail");
        guint32 users[] = {pm_made_thread(&m, "user-1"), pm_made_thread(&m, "user-2")};
        for (gint64 k = 0; k < 20; k++) {
            gboolean got = k / 2 % 2 == 0;
            PM_MADE_WAIT(a, k / 2 * SECOND, k / 2 * SECOND + 500 * MS, users[k % 2], permits,
                         m.other_chain, .wake = got ? k / 2 * SECOND + 500 * MS : 0,
                         .waker = got ? keeper : 0, .waker_chain = got ? keeps : 0,
                         .wake_cause = got ? PM_WAKE_RELEASE : PM_WAKE_TIME_OUT,
                         .flags = PM_WAIT_TIMED);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        const PmFindingCause *first = f->findings[0].causes;
        g_assert_cmpint(strstr(first->text, "Mail.send") && first->share > 0.95, ==, i == 0);
    }
}

/* Three permits: one is always a report's, for 500 ms at a time, two are lookups', for 50 ms. Each
 * third of the waiting is one permit's, and who keeps it longest is named; not who took one `once`,
 * as all began, and was never seen again. */
static void check_longest_keeper(gboolean once)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    guint32 permits =
        pm_made_blocker(&m, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"),
                        7, m.other_chain);
    for (guint lane = 0; lane < 3; lane++) {
        const char *name = lane ? "lookup-%u" : "report-%u";
        const gint64 hold = lane ? 50 * MS : 500 * MS, asks = lane ? 80 * MS : 100 * MS;
        guint32 gives =
            pm_made_chain(a, "java.util.concurrent.Semaphore.release",
                          lane ? "com.acme.Lookup.find" : "com.acme.Report.render", NULL);
        guint32 threads[3];
        for (guint t = 0; t < G_N_ELEMENTS(threads); t++)
            threads[t] = pm_made_thread(&m, name, 3 * lane + t);
        if (once && lane == 1)
            PM_MADE_WAIT(a, 0, 10 * MS, pm_made_thread(&m, "main"), permits,
                         pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                       "com.acme.Start.prepare", NULL),
                         .wake = 10 * MS, .waker = threads[0], .waker_chain = gives,
                         .wake_cause = PM_WAKE_RELEASE);
        for (gint64 i = 1; i * hold < 10 * SECOND; i++) {
            PmWaitRow row = {.begin = i * hold + lane - asks,
                             .end = i * hold + lane,
                             .wake = i * hold + lane,
                             .thread = threads[i % 3],
                             .blocker = permits,
                             .chain = m.other_chain,
                             .waker = threads[(i + 2) % 3],
                             .waker_chain = gives,
                             .wake_cause = PM_WAKE_RELEASE};
            row.begin = MAX(row.begin, 0);
            pm_assembly_add_wait(a, &row);
        }
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    const PmFindingCause *first = f->findings[0].causes;
    g_assert_true(g_str_has_prefix(first->text, "Report.render"));
    g_assert_cmpfloat_with_epsilon(first->share, once ? 1 / 4.0 : 1 / 3.0, 0.03);
    g_assert_nonnull(strstr(f->findings[0].title, "Report.render"));
}

static void longest_keeper_is_named_first(void)
{
    check_longest_keeper(FALSE);
    check_longest_keeper(TRUE);
}

/* Pages wait for a latch of their own each, 400 ms at most; widgets count every `each`th down after
 * 5 ms, or none where that is 0: then the latch is a timer that can be stopped. */
static PmFindings *find_given_up_latches(guint each, PmRecording **ret_recording,
                                         PmSummary **ret_summary)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    guint32 latch = pm_assembly_add_class(a, "java.util.concurrent.CountDownLatch$Sync");
    guint32 waits =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                      "java.util.concurrent.CountDownLatch.await", "com.acme.Page.assemble", NULL);
    guint32 counts = pm_made_chain(a, "java.util.concurrent.CountDownLatch.countDown",
                                   "com.acme.Widget.run", NULL);
    guint32 widgets = pm_made_thread(&m, "widgets");
    guint32 pages[] = {pm_made_thread(&m, "page-1"), pm_made_thread(&m, "page-2")};
    for (gint64 k = 0; k < 80; k++) {
        const gboolean counted = each && k / 2 % each == 0;
        const gint64 begin = k / 2 * 500 * MS, end = begin + (counted ? 5 : 400) * MS;
        PM_MADE_WAIT(
            a, begin, end, pages[k % 2], pm_made_blocker(&m, latch, 100 + (guint32)k, waits), waits,
            .wake = counted ? end : 0, .waker = counted ? widgets : 0,
            .waker_chain = counted ? counts : 0,
            .wake_cause = counted ? PM_WAKE_COMPLETION : PM_WAKE_TIME_OUT, .flags = PM_WAIT_TIMED);
    }
    *ret_recording = pm_assembly_finish(a);
    return find(*ret_recording, ret_summary);
}

static void results_given_up_are_due_to_who_brings_others(void)
{
    for (guint each = 0; each < 3; each++) {
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find_given_up_latches(each, &r, &s);
        const PmFinding *first = f->n ? &f->findings[0] : NULL;
        const gboolean is_high = first && first->severity == PM_SEVERITY_HIGH;
        g_assert_cmpint(is_high, ==, each == 2);
        if (!is_high)
            continue;
        gboolean told = FALSE;
        g_assert_nonnull(strstr(first->title, "because of Widget.run"));
        g_assert_true(first->causes[0].inferred);
        for (guint i = 0; i < first->n_evidence; i++)
            told |= strstr(first->evidence[i].text, "40 of 80 waits timed out") != NULL;
        g_assert_true(told);
    }
}

/* Pages wait 400 ms for a widget, and, as the recording ends, one still does: `open` so long. */
static void who_still_waits_waits_for_the_same(void)
{
    for (gint64 open = 300; open <= 500; open += 200) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        const guint32 latch = pm_assembly_add_class(a, "java.util.concurrent.CountDownLatch$Sync");
        const guint32 counts = pm_made_chain(a, "java.util.concurrent.CountDownLatch.countDown",
                                             "com.acme.Widget.run", NULL);
        const guint32 page = pm_made_thread(&m, "page-1"), widget = pm_made_thread(&m, "widget");
        pm_made_thread(&m, "page-2"); /* or it would wait by design */
        for (gint64 k = 0; k < 16; k++) {
            const gint64 begin = k < 15 ? k * 500 * MS : 10 * SECOND - open * MS;
            PM_MADE_WAIT(a, begin, k < 15 ? begin + 400 * MS : 10 * SECOND, page,
                         pm_made_blocker(&m, latch, 100 + (guint32)k, m.other_chain), m.other_chain,
                         .wake = k < 15 ? begin + 400 * MS : 0, .waker = k < 15 ? widget : 0,
                         .waker_chain = k < 15 ? counts : 0,
                         .wake_cause = k < 15 ? PM_WAKE_COMPLETION : PM_WAKE_UNKNOWN,
                         .flags = k < 15 ? 0 : PM_WAIT_IN_PROGRESS);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpuint(f->findings[0].n_causes, ==, open < 400 ? 1 : 2);
        g_assert_nonnull(strstr(f->findings[0].causes[0].text, "Widget.run"));
    }
}

/* A coordinator waits for two workers that it has given something to do; `late`: when the other one
 * comes to rest, of the 400 ms that it waits. */
static PmFindings *find_awaited(gint64 late, PmRecording **ret_recording, PmSummary **ret_summary)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    const guint32 awaits = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Board.await",
                                         "com.acme.Coordinator.round", NULL);
    const guint32 done = pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Board.done",
                                       "com.acme.Worker.run", NULL);
    const guint32 takes = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Worker.take",
                                        "com.acme.Worker.run", NULL);
    const guint32 gives = pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Worker.give",
                                        "com.acme.Coordinator.round", NULL);
    const guint32 board =
        pm_made_blocker(&m, pm_assembly_add_class(a, "com.acme.Board"), 1, awaits);
    const guint32 worker_class = pm_assembly_add_class(a, "com.acme.Worker");
    const guint32 coordinator = pm_made_thread(&m, "coordinator");
    const guint32 workers[] = {pm_made_thread(&m, "grid-1"), pm_made_thread(&m, "grid-2")};
    const guint32 own[] = {pm_made_blocker(&m, worker_class, 2, takes),
                           pm_made_blocker(&m, worker_class, 3, takes)};
    for (gint64 k = 0; k < 20; k++) {
        const gint64 begin = k * 500 * MS;
        PmWaitRow row = {.begin = begin,
                         .end = begin + 400 * MS,
                         .wake = begin + 400 * MS,
                         .kind = PM_KIND_WAIT,
                         .thread = coordinator,
                         .blocker = board,
                         .chain = awaits,
                         .waker = workers[k % 2],
                         .waker_chain = done,
                         .wake_cause = PM_WAKE_NOTIFY};
        pm_assembly_add_wait(a, &row);
        for (gint64 i = 0; i < 2; i++) {
            row.begin = begin + (i == k % 2 ? 401 : late) * MS;
            row.end = row.wake = begin + 499 * MS;
            row.thread = workers[i];
            row.blocker = own[i];
            row.chain = takes;
            row.waker = coordinator;
            row.waker_chain = gives;
            pm_assembly_add_wait(a, &row);
        }
    }
    *ret_recording = pm_assembly_finish(a);
    return find(*ret_recording, ret_summary);
}

static void who_waits_for_all_that_it_set_going_is_no_victim(void)
{
    for (gint64 late = 300; late <= 450; late += 150) {
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find_awaited(late, &r, &s);
        g_assert_cmpint(f->n > 0 && f->findings[0].severity == PM_SEVERITY_HIGH, ==, late > 400);
    }
}

/* A ticker waits 150 ms at a time; the only thread that ever rings does so each `each`th time. */
static void whoever_waits_at_a_pace_of_its_own_has_no_culprit(void)
{
    for (guint each = 1; each < 20; each += 9) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 15 * SECOND;
        guint32 bell = pm_made_blocker(&m, pm_assembly_add_class(a, "java.lang.Object"), 9, 0);
        guint32 waits = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Ticker.tick", NULL);
        guint32 rings = pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Job.run", NULL);
        guint32 ticker = pm_made_thread(&m, "ticker"), helper = pm_made_thread(&m, "helper");
        for (gint64 k = 0; k < 100; k++) {
            const gboolean rung = k % each == 0;
            const gint64 begin = k * 150 * MS, end = begin + 149 * MS;
            PM_MADE_WAIT(
                a, begin, end, ticker, bell, waits, .wake = rung ? end - MS : 0,
                .waker = rung ? helper : 0, .waker_chain = rung ? rings : 0, .kind = PM_KIND_WAIT,
                .wake_cause = rung ? PM_WAKE_SIGNAL : PM_WAKE_TIME_OUT, .flags = PM_WAIT_TIMED);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        const gboolean is_high = f->n && f->findings[0].severity == PM_SEVERITY_HIGH;
        g_assert_cmpint(is_high, ==, each == 1);
    }
}

/* A watchdog is fed twice a second. Nearly always the one that feeds it was seen asleep meanwhile:
 * that it was not, now and then, makes no fault of it. */
static void who_nearly_always_rests_is_none(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    guint32 watches = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Watchdog.watch", NULL);
    guint32 sleeps = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Loop.run", NULL);
    guint32 feeds = pm_made_chain(a, "java.lang.Object.notifyAll", "com.acme.Watchdog.feed",
                                  "com.acme.Loop.run", NULL);
    guint32 dog = pm_made_blocker(&m, pm_assembly_add_class(a, "com.acme.Watchdog"), 7, watches);
    guint32 watchdog = pm_made_thread(&m, "watchdog"), loop = pm_made_thread(&m, "loop");
    for (gint64 k = 0; k < 20; k++) {
        PM_MADE_WAIT(a, k * 500 * MS, (k + 1) * 500 * MS - 1, watchdog, dog, watches,
                     .wake = (k + 1) * 500 * MS - 1, .kind = PM_KIND_WAIT, .waker = loop,
                     .waker_chain = feeds, .wake_cause = PM_WAKE_NOTIFY, .flags = PM_WAIT_TIMED);
        PmOwnerSample sample = {.at = k * 500 * MS + 200 * MS,
                                .waiter = watchdog,
                                .blocker = dog,
                                .owner = loop,
                                .chain = sleeps,
                                .weight = 1,
                                .state = PM_OWNER_WAITING,
                                .role = PM_SAMPLE_ENDER};
        if (k % 10)
            g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    for (guint i = 0; i < f->n; i++)
        g_assert_cmpint(f->findings[i].severity, ==, PM_SEVERITY_NOTE);
}

static void what_may_take_as_long_is_not(void)
{
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find_overdue(100 * MS, 4 * SECOND, &r, &s);
    for (guint i = 0; i < f->n; i++)
        g_assert_cmpint(f->findings[i].severity, !=, PM_SEVERITY_STUCK);
}

static void semaphore_of_others_is_a_signal(void)
{
    for (guint test = 0; test < 4; test++) {
        gboolean given_back = (test & 1) != 0, slow_to_run = (test & 2) != 0;
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        guint32 permits = pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync");
        guint32 semaphore = pm_made_blocker(&m, permits, 7, m.lock_chain);
        guint32 users[] = {pm_made_thread(&m, "user-1"), pm_made_thread(&m, "user-2")};
        guint32 giver = pm_made_thread(&m, "giver");
        for (guint i = 0; i < 20; i++) {
            PM_MADE_WAIT(a, i / 2 * SECOND, i / 2 * SECOND + 500 * MS, users[i % 2], semaphore,
                         m.lock_chain, .wake = i / 2 * SECOND + (slow_to_run ? 100 : 500) * MS,
                         .waker = given_back ? users[1 - i % 2] : giver,
                         .waker_chain = m.other_chain, .wake_cause = PM_WAKE_RELEASE);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].rule, ==,
                        given_back ? PM_RULE_RESOURCE_EXHAUSTED : PM_RULE_WAIT_DOMINATES);
        g_assert_cmpstr(
            f->findings[0].advice, ==,
            given_back    ? "give it back sooner, or make the pool larger; if it has fewer than "
                            "it was made with, some were never given back, and by whom "
                            "is not known"
            : slow_to_run ? "check the machine's load: woken threads wait for a core"
                          : "look at why Report.render takes so long, or begins so late");
    }
}

/* Whoever waits for a signal in the loop that its thread is for has nothing to do; in a task, or
 * where a loop's own task may wait, it is held up. */
static void who_waits_in_its_own_loop_has_nothing_to_do(void)
{
    static const struct {
        const char *waits, *site, *runs, *base;
        gboolean is_told;
        const char *main;
    } loops[] = {
        {"java.lang.Object.wait", "com.pool.Runner$PoolThread.run", NULL, NULL, FALSE},
        {"java.lang.Object.wait", "com.acme.Shop.run", "java.lang.Thread.run", NULL, FALSE},
        {"java.lang.Object.wait", "com.acme.Shop.run", "java.lang.VirtualThread.run",
         "jdk.internal.vm.Continuation.enter", FALSE},
        {"java.util.concurrent.locks.LockSupport.park", "com.acme.Worker.rest",
         "com.acme.Worker.run", NULL, FALSE},
        {"java.util.concurrent.locks.LockSupport.park", "com.acme.Worker.rest",
         "com.acme.Worker.run", "java.lang.Thread.run", TRUE},
        {"java.lang.Object.wait", "com.acme.Prices.await", "com.acme.Shop.run",
         "java.lang.Thread.run", TRUE},
        {"java.lang.Object.wait", "org.lib.Master.await", "org.lib.loop.MasterThread.run", NULL,
         FALSE, "com.acme.Main"},
        {"java.lang.Object.wait", "org.lib.Master.await", "org.pool.Worker.run",
         "java.lang.Thread.run", TRUE, "com.acme.Main"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(loops); i++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        a->facts.main = loops[i].main;
        const guint32 chain =
            pm_made_chain(a, loops[i].waits, loops[i].site, loops[i].runs, loops[i].base, NULL);
        const guint32 thing =
            pm_made_blocker(&m, pm_assembly_add_class(a, "com.acme.Thing"), 7, chain);
        const guint32 users[] = {pm_made_thread(&m, "user-1"), pm_made_thread(&m, "user-2")};
        const guint32 giver = pm_made_thread(&m, "giver");
        for (guint k = 0; k < 20; k++) {
            PM_MADE_WAIT(a, k / 2 * SECOND, k / 2 * SECOND + 900 * MS, users[k % 2], thing, chain,
                         .wake = k / 2 * SECOND + 900 * MS, .waker = giver,
                         .waker_chain = m.other_chain,
                         .kind = strstr(loops[i].waits, "park") ? PM_KIND_PARK : PM_KIND_WAIT,
                         .wake_cause = PM_WAKE_NOTIFY);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, loops[i].is_told);
    }
}

/* What is lent is told by who lends it. */
static void elements_of_pools_have_names(void)
{
    static const struct {
        const char *class_name, *method, *wanted;
    } lenders[] = {
        {"java.util.concurrent.Semaphore$NonfairSync", "com.acme.Gate.enter",
         "Waiting for a permit takes"},
        {"java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
         "com.zaxxer.hikari.pool.HikariPool.getConnection",
         "Waiting for a pooled connection takes"},
        {"java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
         "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject",
         "Waiting for an element of a pool takes"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(lenders); i++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        guint32 chain = pm_made_chain(a, "jdk.internal.misc.Unsafe.park", lenders[i].method,
                                      "java.lang.Thread.run", NULL);
        guint32 class_index = pm_assembly_add_class(a, lenders[i].class_name);
        guint32 pool = pm_made_blocker(&m, class_index, 7, chain);
        guint32 users[] = {pm_made_thread(&m, "user-1"), pm_made_thread(&m, "user-2")};
        for (guint k = 0; k < 20; k++) {
            PM_MADE_WAIT(a, k * 500 * MS, (k + 1) * 500 * MS, users[k % 2], pool, chain,
                         .wake = (k + 1) * 500 * MS, .waker = users[1 - k % 2],
                         .waker_chain = m.other_chain, .wake_cause = PM_WAKE_RELEASE);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_true(g_str_has_prefix(f->findings[0].title, lenders[i].wanted));
    }
}

/* What a library's own monitor lets in one at a time is told by its class. */
static void permits_of_a_monitor_are_told_by_its_class(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    a->facts.main = "com.acme.Main";
    const guint32 waits = pm_made_chain(a, "java.lang.Object.wait", "org.lib.LogFile.flush",
                                        "com.acme.Till.pay", "java.lang.Thread.run", NULL);
    const guint32 tells = pm_made_chain(a, "java.lang.Object.notify", "org.lib.LogFile.flush",
                                        "com.acme.Till.pay", "java.lang.Thread.run", NULL);
    const guint32 file = pm_made_blocker(&m, pm_assembly_add_class(a, "org.lib.LogFile"), 7, waits);
    guint32 tills[4];
    for (guint i = 0; i < G_N_ELEMENTS(tills); i++)
        tills[i] = pm_made_thread(&m, "till-%u", i);
    for (gint64 k = 4; k < 100; k++)
        PM_MADE_WAIT(a, (100 * k - 290) * MS, 100 * k * MS, tills[k % 4], file, waits,
                     .kind = PM_KIND_WAIT, .waker = tills[(k + 3) % 4], .waker_chain = tells,
                     .wake = 100 * k * MS, .wake_cause = PM_WAKE_NOTIFY);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpstr(f->findings[0].title, ==,
                    "Waiting for a permit of LogFile takes 70 % of the busy time of till-* (4): "
                    "Till.pay keeps it");
    g_assert_cmpstr(f->findings[0].advice, ==,
                    "give it back sooner, take it less often, or let more in at once");
}

/* A client waits for a lock whose owner works, and at times for a permit that a user keeps long and
 * the owner, when that waits for the user's turn, for a moment: how long one is kept puts nobody
 * before who does most of it without. */
static void who_keeps_permits_behind_a_lock_is_not_told_first(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 20 * SECOND;
    const guint32 permits = pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync");
    const guint32 takes =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.Semaphore.acquire",
                      "com.acme.Till.enter", NULL);
    const guint32 uses = pm_made_chain(a, "com.acme.User.use", NULL);
    const guint32 client = pm_made_thread(&m, "client"), owner = pm_made_thread(&m, "owner"),
                  user = pm_made_thread(&m, "user");
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain),
                  semaphore = pm_made_blocker(&m, permits, 2, takes);
    for (gint64 k = 0; k < 20; k++) {
        const gint64 t = k * SECOND;
        const struct {
            gint64 from, to;
            guint32 thread, blocker, chain, owner, waker_chain;
        } waits[] = {
            {10, 400, owner, semaphore, takes, user, uses},
            {405, 410, user, semaphore, takes, owner, m.other_chain},
            {k % 8 ? 420 : 20, k % 8 ? 990 : 399, client, lock, m.lock_chain, owner, m.other_chain},
            {406, 409, client, lock, m.lock_chain, user, uses}};
        for (guint i = 0; i < G_N_ELEMENTS(waits) - (k % 8 > 0); i++)
            PM_MADE_WAIT(a, t + waits[i].from * MS, t + waits[i].to * MS, waits[i].thread,
                         waits[i].blocker, waits[i].chain,
                         .owner = waits[i].blocker == lock ? waits[i].owner : 0,
                         .waker = waits[i].owner, .waker_chain = waits[i].waker_chain,
                         .wake = t + waits[i].to * MS, .wake_cause = PM_WAKE_RELEASE);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    guint n = 0;
    while (n < f->n && f->findings[n].blocker != lock)
        n++;
    g_assert_cmpuint(n, <, f->n);
    g_assert_cmpstr(f->findings[n].causes[0].culprit, ==, "Report.render");
    g_assert_cmpfloat(f->findings[n].causes[0].share, >, 0.8);
}

/* A cause is called inferred when most of its time is. */
static void a_cause_is_as_sure_as_most_of_its_time(void)
{
    for (guint inferred = 0; inferred <= 10; inferred++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 2 * SECOND;
        guint32 permits = pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync");
        guint32 semaphore = pm_made_blocker(&m, permits, 7, m.lock_chain);
        guint32 user = pm_made_thread(&m, "user"), giver = pm_made_thread(&m, "giver");
        for (guint i = 0; i < 2000; i++) {
            PM_MADE_WAIT(a, i * MS, i * MS + MS / 2, user, semaphore, m.lock_chain,
                         .wake = i * MS + MS / 2, .waker = giver, .waker_chain = m.other_chain,
                         .wake_cause = PM_WAKE_RELEASE,
                         .flags = i % 10 < inferred ? PM_WAIT_AMBIGUOUS : 0);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpuint(f->findings[0].n_causes, ==, 1);
        g_assert_cmpint(f->findings[0].causes[0].inferred, ==, inferred > 5);
    }
}

/* Ten waits for one lock of each thread in ten seconds. */
static void check_severity(guint n_threads, gint64 length, PmSeverity severity)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 10 * SECOND;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 owner = pm_made_thread(&m, "owner");
    for (guint i = 0; i < n_threads; i++) {
        guint32 poller = pm_made_thread(&m, "poller-%u", i);
        for (gint64 k = 0; k < 10; k++)
            pm_made_held_wait(&m, poller, lock, m.lock_chain, owner, k * SECOND,
                              k * SECOND + length, 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_cmpint(f->findings[0].severity, ==, severity);
    g_assert_cmpint(f->verdict.level, ==,
                    severity == PM_SEVERITY_NOTE ? PM_VERDICT_NONE : PM_VERDICT_HIGH);
}

/* Workers that lose less than a tenth of their time to a lock are worth a note; with many of them
 * it is a processor's worth of waiting. */
static void a_tenth_of_few_threads_is_a_note(void)
{
    check_severity(1, 70 * MS, PM_SEVERITY_NOTE);
    check_severity(4, 90 * MS, PM_SEVERITY_NOTE);
    check_severity(4, 200 * MS, PM_SEVERITY_HIGH);
    check_severity(12, 120 * MS, PM_SEVERITY_HIGH);
}

/* An eighth of the time, for a lock that is kept by a method of the program's, or by a library that
 * nothing of the program's calls, as a server's selector. */
static void a_tenth_that_own_code_keeps_from_several_is_felt(void)
{
    for (gboolean own = FALSE; own <= TRUE; own++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
        const guint32 owner = pm_made_thread(&m, "owner");
        const guint32 keeps = pm_made_chain(
            a, own ? "com.acme.Prices.reload" : "sun.nio.ch.SelectorImpl.select", NULL);
        for (guint i = 0; i < 4; i++) {
            const guint32 reader = pm_made_thread(&m, "reader-%u", i);
            for (gint64 k = 0; k < 10; k++)
                PM_MADE_WAIT(a, k * SECOND + 10 * MS, k * SECOND + 135 * MS, reader, lock,
                             m.lock_chain, .wake = k * SECOND + 135 * MS, .owner = owner,
                             .waker = owner, .waker_chain = keeps, .wake_cause = PM_WAKE_RELEASE);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].severity, ==, own ? PM_SEVERITY_HIGH : PM_SEVERITY_NOTE);
    }
}

/* Three quarters by one account, a quarter by another, next to nothing by a third. */
static void add_allocations(PmMade *m)
{
    static const struct {
        const char *method;
        gint64 bytes;
    } rows[] = {
        {"com.acme.web.Page.draw", 24}, {"com.acme.db.Row.read", 75}, {"org.h2.Log.add", 1}};
    PmMemorySnapshot snapshot = {.at = 9 * SECOND, .interval = 1, .n_cells = G_N_ELEMENTS(rows)};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        PmMemoryCell cell = {.class_index = 1};
        cell.chain = pm_made_chain(m->assembly, rows[i].method, NULL);
        cell.total =
            (struct pm_memory_sum){rows[i].bytes, rows[i].bytes, rows[i].bytes << 20, 1, 1};
        snapshot.total.samples += cell.total.samples;
        snapshot.total.bytes += cell.total.bytes;
        g_array_append_val(m->assembly->cells, cell);
    }
    g_array_append_val(m->assembly->snapshots, snapshot);
}

/* Ten pauses of a length in ten seconds, each told by two records that overlap; a thread was seen
 * to ask for one. */
static PmFindings *find_pauses(gint64 length, gboolean asked, gboolean sampled,
                               PmRecording **ret_recording, PmSummary **ret_summary)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 10 * SECOND;
    guint32 asker = pm_made_thread(&m, "cleaner");
    pm_made_thread(&m, "exec-1");
    pm_made_wait(&m, asker, pm_made_blocker(&m, m.queue_class, 1, m.idle_chain), m.idle_chain, 0,
                 10 * MS, 0);
    for (gint64 k = 0; k < 10; k++) {
        PmInterval whole = {k * SECOND, k * SECOND + length},
                   within = {k * SECOND + length / 4, k * SECOND + length / 2};
        g_array_append_val(m.assembly->gc, whole);
        g_array_append_val(m.assembly->gc, within);
    }
    PmOwnerSample sample = {.at = SECOND, .owner = asker, .weight = 1};
    sample.chain = pm_made_chain(m.assembly, "java.lang.Runtime.gc", "java.lang.System.gc",
                                 "com.acme.Cleaner.run", NULL);
    if (asked)
        g_array_append_val(m.assembly->samples, sample);
    if (sampled)
        add_allocations(&m);
    *ret_recording = pm_assembly_finish(m.assembly);
    return find(*ret_recording, ret_summary);
}

static void pauses_of_a_tenth_are_a_finding(void)
{
    for (guint asked = 0; asked < 2; asked++) {
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find_pauses(200 * MS, asked, FALSE, &r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        const PmFinding *x = &f->findings[0];
        g_assert_cmpint(x->rule, ==, PM_RULE_GC);
        g_assert_cmpint(x->severity, ==, PM_SEVERITY_HIGH);
        g_assert_cmpstr(x->title, ==, "GC pauses stop the program for 20 % of the time");
        g_assert_cmpint(x->thread_time, ==, 2 * SECOND);
        g_assert_cmpuint(x->n_victims, ==, s->n_groups);
        g_assert_cmpuint(x->n_causes, ==, 1 + asked);
        g_assert_cmpint(x->causes[0].kind, ==, PM_CAUSE_GC_PAUSE);
        if (asked)
            g_assert_true(g_str_has_prefix(x->causes[1].text, "Cleaner.run"));
        g_assert_cmpstr(f->verdict.sentence, ==, x->title);
    }
}

static void pauses_name_the_accounts_that_allocate(void)
{
    for (guint sampled = 0; sampled < 2; sampled++) {
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) none = find_pauses(200 * MS, FALSE, sampled, &r, &s);
        g_autoptr(PmAccounts) accounts = pm_accounts_parse("com.acme.db;com.acme.web;org.h2", NULL);
        pm_recording_set_accounts(r, accounts);
        g_autoptr(PmSummary) again = NULL;
        g_autoptr(PmFindings) f = find(r, &again);
        g_assert_cmpint(f->findings[0].rule, ==, PM_RULE_GC);
        g_assert_cmpuint(f->findings[0].n_evidence, ==, none->findings[0].n_evidence);
        const PmEvidence *last = &f->findings[0].evidence[f->findings[0].n_evidence - 1];
        if (sampled)
            g_assert_cmpstr(last->text, ==,
                            "allocations: 75 % by com.acme.db, 24 % by com.acme.web");
        else
            g_assert_null(strstr(last->text, "allocated"));
        g_assert_false(sampled && last->exact);
    }
}

static void short_pauses_are_none(void)
{
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find_pauses(50 * MS, TRUE, FALSE, &r, &s);
    g_assert_cmpuint(f->n, ==, 0);
}

/* One thread that loses most of its time, and `n` that lose a third of theirs. */
static void check_order(guint n, gboolean many_first)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 10 * SECOND;
    guint32 owner = pm_made_thread(&m, "owner"), lonely = pm_made_thread(&m, "lonely");
    guint32 first = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 second = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    for (gint64 k = 0; k < 10; k++)
        pm_made_held_wait(&m, lonely, first, m.lock_chain, owner, k * SECOND, k * SECOND + 800 * MS,
                          0);
    for (guint i = 0; i < n; i++) {
        guint32 t = pm_made_thread(&m, i ? "exec-1" : "exec-2");
        for (gint64 k = 0; k < 10; k++)
            pm_made_held_wait(&m, t, second, m.lock_chain, owner, k * SECOND, k * SECOND + 300 * MS,
                              0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 2);
    g_assert_cmpuint(f->findings[0].blocker, ==, many_first ? second : first);
    g_assert_cmpint(f->findings[0].blamed, >, f->findings[1].blamed);
}

static void most_time_comes_first(void)
{
    check_order(4, TRUE);
    check_order(2, FALSE);
}

/* A lock is held by callers of one helper, in nine waits of half a second, each caller in as many
 * as `times` says; `inner`: what the helper is in, NULL: one that only sleeps; `released`: it calls
 * another one for that. */
static PmFindings *find_callers(const char *inner, gboolean released, const guint *times,
                                PmRecording **ret_recording, PmSummary **ret_summary)
{
    static const char *const callers[] = {"com.acme.Newsletter.send", "com.acme.Shop.show",
                                          "com.acme.Cart.pay"};
    PmMade m = pm_made_begin();
    m.assembly->duration = 10 * SECOND;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 victim = pm_made_thread(&m, "victim");
    gint64 at = 0;
    for (guint c = 0; c < G_N_ELEMENTS(callers); c++) {
        guint32 owner = pm_made_thread(&m, "%s", callers[c]);
        guint32 chain =
            released ? pm_made_chain(m.assembly, inner, "com.acme.Sessions.release",
                                     "com.acme.Sessions$Session.close", callers[c], NULL)
            : !inner
                ? pm_made_chain(m.assembly, "java.lang.Thread.sleep", "com.acme.Clocks.sleepFor",
                                "com.acme.Sessions.close", callers[c], NULL)
                : pm_made_chain(m.assembly, inner, "com.acme.Sessions.close", callers[c], NULL);
        for (guint i = 0; i < times[c]; i++, at += SECOND) {
            PM_MADE_WAIT(m.assembly, at, at + 500 * MS, victim, lock, m.lock_chain,
                         .wake = at + 500 * MS, .owner = owner, .waker = owner,
                         .waker_chain = chain, .wake_cause = PM_WAKE_RELEASE);
        }
    }
    *ret_recording = pm_assembly_finish(m.assembly);
    PmFindings *f = find(*ret_recording, ret_summary);
    g_assert_cmpuint(f->n, ==, 1);
    return f;
}

static void caller_of_a_shared_helper_is_named(void)
{
    for (gboolean released = FALSE; released <= TRUE; released++) {
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find_callers("java.util.concurrent.locks.ReentrantLock.unlock",
                                               released, (guint[]){7, 1, 1}, &r, &s);
        const PmFindingCause *first = f->findings[0].causes;
        g_assert_cmpuint(f->findings[0].n_causes, ==, 3);
        g_assert_true(g_str_has_prefix(first->text, "Newsletter.send (Newsletter.java:"));
        g_assert_cmpstr(first->culprit, ==, "Newsletter.send");
        g_assert_cmpfloat_with_epsilon(first->share, 7 / 9.0, 1e-6);
    }
}

static void helper_of_many_callers_is_named_itself(void)
{
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find_callers("java.util.concurrent.locks.ReentrantLock.unlock", FALSE,
                                           (guint[]){3, 3, 3}, &r, &s);
    g_assert_cmpuint(f->findings[0].n_causes, ==, 1);
    g_assert_true(g_str_has_prefix(f->findings[0].causes[0].text, "Sessions.close"));
    g_assert_true(g_str_has_suffix(f->findings[0].causes[0].text,
                                   ", 33 % of it from there, the rest from other callers"));
}

static void helper_that_sleeps_for_many_callers_is_not(void)
{
    for (guint wrapped = 0; wrapped < 2; wrapped++) {
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find_callers(wrapped ? NULL : "java.lang.Thread.sleep", FALSE,
                                               (guint[]){3, 3, 3}, &r, &s);
        g_assert_cmpuint(f->findings[0].n_causes, ==, 3);
        for (guint i = 0; i < 3; i++)
            g_assert_cmpfloat_with_epsilon(f->findings[0].causes[i].share, 1 / 3.0, 1e-6);
        g_assert_cmpstr(f->findings[0].causes[0].culprit, ==, "Cart.pay");
        g_assert_cmpstr(f->findings[0].causes[0].text, ==,
                        wrapped ? "Cart.pay (Cart.java:4) in Clocks.sleepFor in Thread.sleep"
                                : "Cart.pay (Cart.java:3) in Sessions.close in Thread.sleep");
    }
}

/* Owned name of who keeps a lock: a lambda of main(), called by Letter.text as that method of an
 * interface. */
static char *find_given_by_main(const char *as)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 10 * SECOND;
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 victim = pm_made_thread(&m, "victim"), owner = pm_made_thread(&m, "owner");
    m.other_chain =
        pm_made_chain(m.assembly, "java.lang.Thread.sleep", "com.acme.Shop.lambda$main$0", as,
                      "com.acme.Letter.text", "com.acme.Tray.lay", NULL);
    for (gint64 at = 0; at < 9 * SECOND; at += SECOND)
        pm_made_held_wait(&m, victim, lock, m.lock_chain, owner, at, at + 500 * MS, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    return g_strdup(f->findings[0].causes[0].culprit);
}

static void who_calls_what_main_gave_is_named(void)
{
    g_autofree char *text = find_given_by_main("com.acme.Shop$$Lambda/0x1.text");
    g_autofree char *task = find_given_by_main("com.acme.Shop$$Lambda/0x1.run");
    g_assert_cmpstr(text, ==, "Letter.text");
    g_assert_cmpstr(task, ==, "Shop.lambda$main$0");
}

/* Ten pauses of 100 ms in ten seconds; `asked`: of so many it is known who asked for them; as
 * others waited for it the same thread was seen to. */
static void who_asks_for_collections_is_named(void)
{
    for (guint asked = 0; asked <= 10; asked += 5) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 2 * SECOND;
        guint32 janitor = pm_made_thread(&m, "janitor"), other = pm_made_thread(&m, "client");
        guint32 chain = pm_made_chain(a, "java.lang.Runtime.gc", "java.lang.System.gc",
                                      "com.acme.Janitor.tidy", "com.acme.Janitor.run", NULL);
        pm_made_wait(&m, other, pm_made_blocker(&m, m.lock_class, 1, m.lock_chain), m.lock_chain, 0,
                     MS, 0);
        for (guint i = 0; i < 10; i++) {
            PmInterval pause = {i * 200 * MS + MS, i * 200 * MS + 101 * MS};
            PmOwnerSample sample = {.at = i * 200 * MS,
                                    .waiter = i < asked ? 0 : other,
                                    .owner = janitor,
                                    .chain = chain,
                                    .role = PM_SAMPLE_ENDER,
                                    .weight = 1};
            g_array_append_val(a->gc, pause);
            g_array_append_val(a->samples, sample);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        const PmFinding *x = &f->findings[0];
        g_autofree char *times =
            g_strdup_printf("requested at least %u times, mostly by janitor", asked);
        g_assert_cmpint(x->rule, ==, PM_RULE_GC);
        g_assert_cmpint(strstr(x->title, "; Janitor.tidy requests them") != NULL, ==, asked > 0);
        g_assert_cmpint(x->n_evidence > 1 && strstr(x->evidence[1].text, times) != NULL, ==,
                        asked > 0);
    }
}

/* Clerks have waited for results since before the recorder, and so has one printer in a task of its
 * pool, or in a listener of a library: it may be behind them. Where there are two, of two pools,
 * neither is told. */
static void task_that_waits_as_long_may_be_why(void)
{
    static const char *const callers[] = {"java.util.concurrent.ThreadPoolExecutor.runWorker",
                                          "sun.net.httpserver.ServerImpl$Exchange.run",
                                          "java.lang.Thread.run"};
    for (guint k = 0; k < 2 * G_N_ELEMENTS(callers); k++) {
        const guint n = 1 + k % 2;
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 6 * SECOND;
        const guint32 task = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        const guint32 print = pm_made_chain(a, "java.util.concurrent.FutureTask.get",
                                            "com.acme.Clerk.print", "java.lang.Thread.run", NULL);
        const guint32 renew =
            pm_made_chain(a, "java.util.concurrent.ThreadPoolExecutor.awaitTermination",
                          "com.acme.Printer.renew", callers[k / 2], "java.lang.Thread.run", NULL);
        for (guint i = 0; i < 3 + n; i++) {
            g_autofree char *name = i < 3 ? g_strdup_printf("clerk-%u", i + 1)
                                          : g_strdup(i == 3 ? "printer" : "plotter");
            const guint32 chain = i < 3 ? print : renew;
            const guint32 blocker = pm_made_blocker(&m, i < 3 ? task : m.queue_class, i + 1, chain);
            pm_made_wait(&m, pm_made_thread(&m, "%s", name), blocker, chain, 0, 6 * SECOND,
                         PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN | (i < 3 ? 0 : PM_WAIT_TIMED));
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpint(strstr(f->findings[0].causes[0].text, "Printer.renew") != NULL, ==,
                        n == 1 && k / 2 < 2);
    }
}

/* Two threads run tasks in a loop of their own, and each waits in one for a task of the other,
 * behind which sellers wait; `seen`: such waits have ended before. */
static void tasks_that_wait_for_each_other_are_named(void)
{
    for (guint seen = 0; seen < 2; seen++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        const guint32 task = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        const char *const get = "java.util.concurrent.FutureTask.get", *const ask =
                                                                           "com.acme.A.ask";
        const char *const run = "java.util.concurrent.FutureTask.run";
        const guint32 sells =
            pm_made_chain(a, get, ask, "com.acme.Seller.sell", "java.lang.Thread.run", NULL);
        const guint32 chains[] = {
            sells, sells,
            pm_made_chain(a, get, ask, "com.acme.Stock.reserve", run, "com.acme.A.next", NULL),
            pm_made_chain(a, get, ask, "com.acme.Price.price", run, "com.acme.A.next", NULL)};
        static const char *const names[] = {"seller-1", "seller-2", "stock", "price"};
        guint32 threads[4];
        for (guint t = 0; t < 4; t++)
            threads[t] = pm_made_thread(&m, "%s", names[t]);
        m.other_chain = pm_made_chain(a, run, "com.acme.A.next", NULL);
        for (guint t = 0; t < 4; t++) {
            for (guint k = 0; k < 6 * seen; k++) {
                PM_MADE_WAIT(a, k * 100 * MS, k * 100 * MS + 20 * MS, threads[t],
                             pm_made_blocker(&m, task, t * 10 + k, sells), chains[t],
                             .wake = k * 100 * MS + 20 * MS, .waker = threads[t == 2 ? 3 : 2],
                             .waker_chain = m.other_chain, .wake_cause = PM_WAKE_COMPLETION);
            }
            pm_made_wait(&m, threads[t], pm_made_blocker(&m, task, 100 + t, sells), chains[t],
                         seen * 2 * SECOND, 20 * SECOND,
                         PM_WAIT_IN_PROGRESS | (seen ? 0 : PM_WAIT_BEGIN_UNKNOWN));
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        const PmFinding *first = &f->findings[0];
        g_assert_cmpint(first->severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpuint(first->n_causes, ==, 2);
        g_assert_true(g_str_has_prefix(first->causes[0].text, "Stock.reserve "));
        g_assert_true(g_str_has_prefix(first->causes[1].text, "Price.price "));
    }
}

/* Of ten questions that a desk waits for six come from who listens outside, or `most`, seven; the
 * others from threads that pass them on: a library's, or ones of the program's own. `late`: it
 * takes as long until the desk runs again. */
static void what_comes_through_a_library_is_no_fault(void)
{
    for (guint k = 0; k < 5; k++) {
        const gboolean most = k == 4, own = k == 1 || most, late = k == 2, toolkit = k == 3;
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        const guint32 serves = pm_made_chain(
            a, "jdk.internal.misc.Unsafe.park",
            "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
            "com.acme.Mailbox.next", "com.acme.Desk.serve", "com.acme.Desk.open", NULL);
        const guint32 listens = toolkit ? pm_made_chain(a, "sun.awt.X11.XToolkit.waitForEvents",
                                                        "sun.awt.X11.XToolkit.run", NULL)
                                        : pm_made_chain(a, "sun.nio.ch.EPoll.wait",
                                                        "sun.rmi.transport.Listener.run", NULL);
        const guint32 passes =
            own ? pm_made_chain(a, "com.acme.Courier.carry", "com.acme.Courier.run", NULL)
                : pm_made_chain(a, "sun.rmi.transport.Channel.send",
                                "sun.rmi.transport.Courier.run", NULL);
        const guint32 box = pm_made_blocker(&m, m.queue_class, 1, serves);
        const guint32 desk = pm_made_thread(&m, "desk"), listener = pm_made_thread(&m, "listener");
        const guint32 courier = pm_made_thread(&m, "courier");
        for (gint64 n = 0; n < 100; n++) {
            const gboolean outside = n % 10 < (most ? 7 : 6);
            PmWaitRow row = {.begin = (100 * n + 2) * MS,
                             .end = (100 * n + 100) * MS,
                             .wake = (100 * n + (late ? 50 : 100)) * MS,
                             .kind = PM_KIND_PARK,
                             .thread = desk,
                             .blocker = box,
                             .chain = serves,
                             .waker = outside ? listener : courier,
                             .waker_chain = passes,
                             .wake_cause = PM_WAKE_PERMIT};
            const PmOwnerSample sample = {.at = (100 * n + 25) * MS,
                                          .owner = row.waker,
                                          .chain = outside ? listens : passes,
                                          .role = PM_SAMPLE_ENDER};
            pm_assembly_add_wait(a, &row);
            g_array_append_val(a->samples, sample);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].severity, ==,
                        own && !most ? PM_SEVERITY_HIGH : PM_SEVERITY_NOTE);
    }
}

/* A library's thread waits until a desk gives something back to the library, or for 150 ms; the
 * desk gives it back when it has served somebody. `asked`: the desk waits for that thread, too. */
static void librarys_housekeeper_is_at_rest(void)
{
    for (guint asked = 0; asked < 2; asked++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        a->facts.main = "com.acme.Main";
        const guint32 keeps = pm_made_chain(a, "java.lang.Object.wait", "org.lib.Pool.evict",
                                            "org.lib.Pool$1.run", "java.lang.Thread.run", NULL);
        const guint32 serves = pm_made_chain(a, "com.acme.Bill.sum", "com.acme.Desk.serve",
                                             "java.lang.Thread.run", NULL);
        const guint32 gives = pm_made_chain(a, "java.lang.Object.notifyAll", "org.lib.Pool.give",
                                            "com.acme.Desk.serve", "java.lang.Thread.run", NULL);
        const guint32 asks = pm_made_chain(a, "java.lang.Object.wait", "org.lib.Pool.await",
                                           "com.acme.Desk.open", "java.lang.Thread.run", NULL);
        const guint32 evicts = pm_made_chain(a, "java.lang.Object.notifyAll", "org.lib.Pool.evict",
                                             "org.lib.Pool$1.run", "java.lang.Thread.run", NULL);
        const guint32 library = pm_assembly_add_class(a, "org.lib.Pool");
        const guint32 pool = pm_made_blocker(&m, library, 1, keeps);
        const guint32 other = pm_made_blocker(&m, library, 2, asks);
        const guint32 keeper = pm_made_thread(&m, "Pool Keeper"), desk = pm_made_thread(&m, "desk");
        for (gint64 n = 0; n < 99; n++) {
            const gint64 at = 100 * n * MS;
            const PmOwnerSample sample = {
                .at = at + 50 * MS, .owner = desk, .chain = serves, .role = PM_SAMPLE_ENDER};
            PM_MADE_WAIT(a, at + MS, at + 99 * MS, keeper, pool, keeps, .wake = at + 99 * MS,
                         .kind = PM_KIND_WAIT, .waker = desk, .waker_chain = gives,
                         .flags = PM_WAIT_TIMED, .wake_cause = PM_WAKE_NOTIFY);
            g_array_append_val(a->samples, sample);
        }
        if (asked)
            PM_MADE_WAIT(a, 9910 * MS, 9911 * MS, desk, other, asks, .wake = 9911 * MS,
                         .kind = PM_KIND_WAIT, .waker = keeper, .waker_chain = evicts,
                         .wake_cause = PM_WAKE_NOTIFY);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, asked);
    }
}

/* Two runners wait at a barrier, which a clock opens in `n_paced` of ten rounds, and else who works
 * until then. A round that mostly goes by the clock takes as long whatever anybody works. */
static void what_goes_by_the_clock_is_no_fault(void)
{
    for (guint n_paced = 5; n_paced <= 7; n_paced += 2) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 10 * SECOND;
        const guint32 waits =
            pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                          "java.util.concurrent.CyclicBarrier.dowait", "com.acme.Round.run", NULL);
        const guint32 ticks = pm_made_chain(a, "java.util.concurrent.CyclicBarrier.await",
                                            "com.acme.Clock.tick", NULL);
        const guint32 sleeps =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Clock.tick", NULL);
        const guint32 works = pm_made_chain(a, "com.acme.Late.work", "com.acme.Late.run", NULL);
        const guint32 barrier = pm_made_blocker(&m, m.queue_class, 1, waits);
        const guint32 clock = pm_made_thread(&m, "clock"), late = pm_made_thread(&m, "late");
        const guint32 runners[] = {pm_made_thread(&m, "runner-1"), pm_made_thread(&m, "runner-2")};
        for (gint64 n = 0; n < 100; n++) {
            const gboolean paced = n % 10 < n_paced;
            const PmOwnerSample sample = {.at = (100 * n + 50) * MS,
                                          .owner = paced ? clock : late,
                                          .chain = paced ? sleeps : works,
                                          .role = PM_SAMPLE_ENDER};
            for (guint i = 0; i < G_N_ELEMENTS(runners); i++) {
                PM_MADE_WAIT(a, (100 * n + 2) * MS, (100 * n + 100) * MS, runners[i], barrier,
                             waits, .wake = (100 * n + 100) * MS, .kind = PM_KIND_PARK,
                             .waker = paced ? clock : late, .waker_chain = paced ? ticks : works,
                             .wake_cause = PM_WAKE_NOTIFY);
            }
            g_array_append_val(a->samples, sample);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].severity, ==,
                        n_paced == 5 ? PM_SEVERITY_HIGH : PM_SEVERITY_NOTE);
    }
}

/* A worker and three callers of it have waited since before the recorder: the callers come first,
 * as they are more, though it was seen first. */
static void since_before_the_most_come_first(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 8 * SECOND;
    const guint32 asks = pm_made_chain(a, "java.util.concurrent.FutureTask.get",
                                       "com.acme.Clerk.ask", "java.lang.Thread.run", NULL);
    const guint32 reads = pm_made_chain(a, "java.util.concurrent.CountDownLatch.await",
                                        "com.acme.Reader.onLine", "java.lang.Thread.run", NULL);
    const guint32 task = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
    const guint32 latch = pm_assembly_add_class(a, "java.util.concurrent.CountDownLatch$Sync");
    for (guint i = 0; i < 4; i++) {
        const guint32 chain = i ? asks : reads;
        pm_made_wait(&m, i ? pm_made_thread(&m, "clerk-%u", i) : pm_made_thread(&m, "reader-1"),
                     pm_made_blocker(&m, i ? task : latch, i + 1, chain), chain, i, 8 * SECOND,
                     PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
    }
    pm_made_wait(&m, pm_made_thread(&m, "reader-2"),
                 pm_made_blocker(&m, m.queue_class, 9, m.idle_chain), m.idle_chain, 0, 8 * SECOND,
                 PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 2);
    g_assert_cmpuint(f->findings[0].waits, ==, 3);
}

/* Two sessions wait for what comes after a pool's end, which somebody awaits, for nearly all of
 * their lives: a task of it waits on, unless `rests`: its thread waits for tasks. */
static void task_that_keeps_a_pool_from_ending_is_told(void)
{
    for (guint rests = 0; rests < 2; rests++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 8 * SECOND;
        const guint32 closes = pm_made_chain(a, "java.util.concurrent.CountDownLatch.await",
                                             "com.acme.Session.close", NULL);
        const guint32 stops =
            pm_made_chain(a, "java.util.concurrent.ThreadPoolExecutor.awaitTermination",
                          "com.acme.Gateway.stop", NULL);
        const guint32 forwards = pm_made_chain(
            a, "java.util.concurrent.LinkedBlockingQueue.take", "com.acme.Uplink.forward",
            "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        const guint32 latch = pm_made_blocker(
            &m, pm_assembly_add_class(a, "java.util.concurrent.CountDownLatch$Sync"), 1, closes);
        const struct {
            const char *name;
            guint32 blocker, chain;
            guint16 flags;
        } waits[] = {
            {"uplink", pm_made_blocker(&m, m.queue_class, 2, forwards),
             rests ? m.idle_chain : forwards, 0},
            {"stopper", pm_made_blocker(&m, m.queue_class, 3, stops), stops, PM_WAIT_TIMED},
            {"session-1", latch, closes, 0},
            {"session-2", latch, closes, 0},
        };
        for (guint i = 0; i < G_N_ELEMENTS(waits); i++)
            pm_made_wait(&m, pm_made_thread(&m, "%s", waits[i].name), waits[i].blocker,
                         waits[i].chain, (1000 + i) * MS, 8 * SECOND,
                         waits[i].flags | PM_WAIT_IN_PROGRESS);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        const gboolean stuck = f->n > 0 && f->findings[0].severity == PM_SEVERITY_STUCK;
        g_assert_cmpint(stuck, ==, !rests);
        if (stuck)
            g_assert_true(g_str_has_prefix(f->findings[0].causes[0].text, "Uplink.forward"));
    }
}

/* Main has given a mailer work by two threads, and awaits the end of its pool for a day: but the
 * mailer waits for work. Not where one that gave it some lives (1), nor where it got some since
 * main does that (2). */
static void pool_that_waits_for_who_has_ended_is_told(void)
{
    for (guint k = 0; k < 3; k++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        const guint32 stops =
            pm_made_chain(a, "java.util.concurrent.ThreadPoolExecutor.awaitTermination",
                          "com.acme.Shop.stop", "com.acme.Shop.main", NULL);
        const guint32 sends =
            pm_made_chain(a, "java.util.concurrent.LinkedBlockingQueue.take", "com.acme.Mailer.run",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        const guint32 gives = pm_made_chain(a, "java.util.concurrent.LinkedBlockingQueue.add",
                                            "com.acme.Web.order", NULL);
        const guint32 queue = pm_made_blocker(&m, m.queue_class, 1, sends);
        const guint32 main = pm_made_thread(&m, "main"), mailer = pm_made_thread(&m, "mailer");
        const guint32 web[] = {pm_made_thread(&m, "web-1"), pm_made_thread(&m, "web-2")};
        for (gint64 i = 0; i < 40; i++)
            PM_MADE_WAIT(a, i * 100 * MS, i * 100 * MS + 90 * MS, mailer, queue, sends,
                         .wake = i * 100 * MS + 90 * MS, .waker = web[i % 2], .waker_chain = gives,
                         .wake_cause = PM_WAKE_SIGNAL);
        pm_made_wait(&m, mailer, queue, sends, 4 * SECOND, 20 * SECOND, PM_WAIT_IN_PROGRESS);
        pm_made_wait(&m, main, pm_made_blocker(&m, m.queue_class, 2, stops), stops,
                     k == 2 ? 100 * MS : 7 * SECOND, 20 * SECOND,
                     PM_WAIT_IN_PROGRESS | PM_WAIT_TIMED);
        for (guint i = 0; i < 2; i++) {
            PmThread *thread = &g_array_index(a->threads, PmThread, web[i]);
            thread->end = 5 * SECOND;
            thread->ended = k != 1;
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        const gboolean stuck = f->n > 0 && f->findings[0].severity == PM_SEVERITY_STUCK;
        g_assert_cmpint(stuck, ==, k == 0);
        if (!stuck)
            continue;
        g_assert_nonnull(strstr(f->findings[0].title, "main waits for the end of a pool in "));
        g_assert_nonnull(
            strstr(f->findings[0].title, "mailer runs a task of it that waits in Mailer.run"));
        g_assert_true(g_str_has_prefix(f->findings[0].causes[0].text, "Mailer.run"));
    }
}

/* Three clerks have waited for a printer far longer than ever: who ended such waits before, and
 * waits for nothing now, is named with what it was seen in since (1), not where it gave others a
 * result. */
static void who_is_at_it_since_is_named(void)
{
    for (guint seen = 0; seen < 2; seen++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        const guint32 class_index = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        const guint32 asks = pm_made_chain(a, "java.util.concurrent.FutureTask.get",
                                           "com.acme.Clerk.print", "com.acme.Clerk.run", NULL);
        const guint32 gives =
            pm_made_chain(a, "java.util.concurrent.FutureTask.run",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        const guint32 prints =
            pm_made_chain(a, "com.acme.Font.load", "com.acme.Printer.print",
                          "java.util.concurrent.FutureTask.run",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        const guint32 printer = pm_made_thread(&m, "printer");
        g_array_index(a->threads, PmThread, printer).end = a->duration;
        for (guint t = 0; t < 3; t++) {
            const guint32 clerk = pm_made_thread(&m, "clerk-%u", t);
            for (gint64 i = 0; i < 10; i++) {
                const guint32 result = pm_made_blocker(&m, class_index, 10 * t + (guint)i, asks);
                if (i < 9)
                    PM_MADE_WAIT(a, i * 200 * MS, i * 200 * MS + 50 * MS, clerk, result, asks,
                                 .wake = i * 200 * MS + 50 * MS, .waker = printer,
                                 .waker_chain = gives, .wake_cause = PM_WAKE_COMPLETION);
                else
                    pm_made_wait(&m, clerk, result, asks, 2 * SECOND, 20 * SECOND,
                                 PM_WAIT_IN_PROGRESS);
            }
        }
        const PmOwnerSample sample = {.at = (seen ? 15 : 1) * SECOND,
                                      .owner = printer,
                                      .chain = prints,
                                      .weight = 1,
                                      .state = PM_OWNER_RUNNING,
                                      .role = PM_SAMPLE_ENDER};
        g_array_append_val(a->samples, sample);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        const PmFinding *first = &f->findings[0];
        g_assert_cmpint(first->severity, ==, PM_SEVERITY_STUCK);
        g_assert_cmpint(
            g_str_has_suffix(first->title,
                             "; printer, which ended such waits before, is in Font.load"),
            ==, seen);
        g_assert_cmpint(g_str_has_prefix(first->causes[0].text, "Font.load"), ==, seen);
    }
}

/* Two bookings wait for connections, which they also give back: that one keeps them is not told by
 * its giving back. */
static void who_gives_back_kept_it_before(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    a->facts.main = "com.acme.Main";
    const guint32 takes = pm_made_chain(
        a, "java.lang.Object.wait", "com.mchange.v2.resourcepool.BasicResourcePool.awaitAvailable",
        "com.acme.Booking.book", "java.lang.Thread.run", NULL);
    const guint32 gives = pm_made_chain(a, "com.mchange.v2.resourcepool.BasicResourcePool.giveBack",
                                        "com.acme.Booking.book", "java.lang.Thread.run", NULL);
    const guint32 threads[] = {pm_made_thread(&m, "booking-1"), pm_made_thread(&m, "booking-2")};
    const guint32 pool = pm_made_blocker(
        &m, pm_assembly_add_class(a, "com.mchange.v2.resourcepool.BasicResourcePool"), 1, takes);
    for (gint64 i = 0; i < 90; i++)
        PM_MADE_WAIT(a, i * 100 * MS, i * 100 * MS + 90 * MS, threads[i % 2], pool, takes,
                     .wake = i * 100 * MS + 90 * MS, .waker = threads[(i + 1) % 2],
                     .waker_chain = gives, .wake_cause = PM_WAKE_NOTIFY, .kind = PM_KIND_WAIT);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, ==, 1);
    g_assert_true(g_str_has_suffix(f->findings[0].title, ": Booking.book keeps it"));
}

/* Two threads of a pool have waited for futures since before the recorder; `idle`: a third, in the
 * pool's queue. */
static void pool_whose_threads_all_wait_is_told(void)
{
    for (guint idle = 0; idle < 2; idle++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 6 * SECOND;
        guint32 class_index = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        guint32 chain =
            pm_made_chain(a, "java.util.concurrent.FutureTask.get", "com.acme.Invoices.collect",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        for (guint i = 0; i < 2 + idle; i++) {
            gboolean waits = i < 2;
            guint32 blocker = pm_made_blocker(&m, waits ? class_index : m.queue_class, i, chain);
            pm_made_wait(&m, pm_made_thread(&m, "billing-%u", i + 1), blocker,
                         waits ? chain : m.idle_chain, 0, 6 * SECOND,
                         PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].rule, ==, idle ? PM_RULE_STUCK_WAIT : PM_RULE_OWN_POOL);
        g_assert_cmpint(strstr(f->findings[0].title, "no thread of their pool is left") != NULL, ==,
                        !idle);
        g_assert_nonnull(strstr(f->findings[0].causes[0].text, "Invoices.collect"));
    }
}

/* The only worker of a pool waits in a task for another one, while another thread sleeps, as the
 * samples say; or runs that other task; or they say nothing; or a thread waits until it is due. */
static void worker_that_waits_for_its_own_pool_is_told(void)
{
    enum { SLEEPS, RUNS, UNKNOWN, IS_DUE, N_CASES };
    for (guint what = 0; what < N_CASES; what++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 20 * SECOND;
        const guint32 class_index = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        const guint32 chain =
            pm_made_chain(a, "java.util.concurrent.FutureTask.get", "com.acme.Mailer.sendAll",
                          "java.util.concurrent.FutureTask.run",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        const guint32 sleeps =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Clock.run", NULL);
        const guint32 runs =
            pm_made_chain(a, "java.net.Socket.read", "com.acme.Mailer.render",
                          "java.util.concurrent.FutureTask.run",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        const guint32 due = pm_made_chain(
            a, "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take",
            "java.util.concurrent.ThreadPoolExecutor.getTask", NULL);
        const guint32 mailer = pm_made_thread(&m, "mailer"), other = pm_made_thread(&m, "other");
        const guint32 future = pm_made_blocker(&m, class_index, 1, chain);
        pm_made_wait(&m, mailer, future, chain, 5 * SECOND, 20 * SECOND, PM_WAIT_IN_PROGRESS);
        if (what == IS_DUE)
            pm_made_wait(&m, pm_made_thread(&m, "timer"),
                         pm_made_blocker(&m, m.queue_class, 2, due), due, SECOND, 20 * SECOND,
                         PM_WAIT_IN_PROGRESS | PM_WAIT_TIMED);
        for (guint i = 0; i < 30 && what != UNKNOWN; i++) {
            pm_made_sample(a, PM_SAMPLE_ENDER, mailer, future, other, what == RUNS ? runs : sleeps,
                           5 * SECOND + i * 400 * MS);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        if (what != SLEEPS) {
            g_assert_true(f->n == 0 || f->findings[0].severity != PM_SEVERITY_STUCK);
            continue;
        }
        g_assert_cmpint(f->findings[0].rule, ==, PM_RULE_OWN_POOL);
        g_assert_true(g_str_has_prefix(f->findings[0].title, "mailer waits for FutureTask"));
        g_assert_nonnull(strstr(f->findings[0].title, "Mailer.sendAll"));
    }
}

/* Three pollers wait for results, each until its time is up, while main sleeps and nobody else was
 * seen: a pause by the clock. Not if a task was seen, or nobody was looked at; but if those tasks
 * are given by others, or if what was seen is no task. */
static void results_that_nobody_works_on_are_a_pause(void)
{
    enum { SLEEPS, WORKS, AT_ONCE, UNKNOWN, FOR_OTHERS, FOR_THEM, NO_TASK, MANY, N_CASES };
    for (guint what = 0; what < N_CASES; what++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 12 * SECOND;
        const guint32 class_index =
            pm_assembly_add_class(a, "java.util.concurrent.CompletableFuture$Signaller");
        const guint32 polls = pm_made_chain(a, "java.util.concurrent.CompletableFuture.join",
                                            "com.acme.Inbox.next", "com.acme.Poll.serve", NULL);
        const guint32 sleeps =
            pm_made_chain(a, "java.lang.Thread.sleepNanos0", "java.lang.Thread.sleepNanos",
                          "java.lang.Thread.sleep", "com.acme.Main.main", NULL);
        const guint32 asks =
            pm_made_chain(a, "java.net.Socket.read", "com.acme.Rates.ask",
                          "java.util.concurrent.CompletableFuture$AsyncSupply.run",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        const guint32 done =
            pm_made_chain(a, "java.util.concurrent.CompletableFuture$DelayedCompleter.run", NULL);
        const PmThread first = {.tid = 3, .name = "main", .end = 12 * SECOND};
        const guint32 main_thread = pm_assembly_add_thread(a, &first);
        const guint32 timer = pm_made_thread(&m, "CompletableFutureDelayScheduler");
        const guint32 rates = pm_made_thread(&m, "rates-1");
        const guint32 desk = pm_made_thread(&m, "desk");
        const guint32 walks =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Desk.walk", NULL);
        const guint32 seen = what == NO_TASK || what == MANY ? walks : asks;
        const gboolean is_seen =
            what != SLEEPS && what != UNKNOWN; /* `AT_ONCE`: they go on as soon as told */
        guint32 pollers[3], blocker = 0;
        for (guint i = 0; i < 3; i++)
            pollers[i] = pm_made_thread(&m, "poller-%u", i);
        for (gint64 k = 0; k < 18; k++) {
            blocker = pm_made_blocker(&m, class_index, (guint)k + 1, polls);
            PM_MADE_WAIT(a, k / 3 * 2 * SECOND, (k / 3 + 1) * 2 * SECOND, pollers[k % 3], blocker,
                         polls, .wake = (k / 3 + 1) * 2 * SECOND - (what == AT_ONCE ? 0 : MS),
                         .waker = timer, .waker_chain = done, .wake_cause = PM_WAKE_COMPLETION);
        }
        if (what == FOR_OTHERS || what == FOR_THEM) /* before any of the pollers waited */
            PM_MADE_WAIT(a, 0, MS, rates, pm_made_blocker(&m, m.queue_class, 99, m.idle_chain),
                         m.idle_chain, .wake = MS, .waker = what == FOR_THEM ? pollers[2] : desk,
                         .waker_chain = walks, .wake_cause = PM_WAKE_SIGNAL);
        for (guint i = 0; i < 40 && what != UNKNOWN; i++) {
            pm_made_sample(a, PM_SAMPLE_ENDER, pollers[0], blocker,
                           what == MANY       ? pm_made_thread(&m, "page-%u", i)
                           : is_seen && i % 2 ? rates
                                              : main_thread,
                           is_seen && (i % 2 || what == MANY) ? seen : sleeps, (250 * i + 1) * MS);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(f->findings[0].severity, ==,
                        what == SLEEPS || what == FOR_OTHERS || what >= NO_TASK ? PM_SEVERITY_NOTE
                                                                                : PM_SEVERITY_HIGH);
    }
}

/* Ten uploads wait for permits since before the recording, of which nobody is known to have some:
 * those of the program who were seen at work meanwhile are told, if they are few. */
static void few_at_work_are_told_where_nobody_is_known(void)
{
    for (guint n = 0; n <= 3; n++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 7 * SECOND;
        const guint32 writes = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                             "com.acme.Upload.write", "com.acme.Upload.run", NULL);
        const guint32 permits = pm_made_blocker(
            &m, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$FairSync"), 1, writes);
        guint32 upload = 0;
        for (guint i = 0; i < 10; i++) {
            upload = pm_made_thread(&m, "upload-%u", i);
            pm_made_wait(&m, upload, permits, writes, 0, 7 * SECOND,
                         PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
        }
        static const char *const seen[] = {"com.acme.Bulk.load", "com.acme.Clock.tick",
                                           "com.acme.Mail.send"};
        for (guint i = 0; i < n; i++) {
            pm_made_sample(
                a, PM_SAMPLE_ENDER, upload, permits, pm_made_thread(&m, "worker%c", 'a' + (char)i),
                pm_made_chain(a, "java.lang.Thread.sleep", seen[i], NULL), (2 + i) * SECOND);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1);
        const char *told = NULL;
        for (guint i = 0; i < f->findings[0].n_evidence; i++)
            told = strstr(f->findings[0].evidence[i].text, "at work meanwhile: ")
                       ? f->findings[0].evidence[i].text
                       : told;
        g_assert_cmpint(told != NULL, ==, n == 1 || n == 2);
        g_assert_true(!told || strstr(told, "workera in Bulk.load (Bulk.java:2) in Thread.sleep"));
        g_assert_true(n != 2 || strstr(told, ", workerb in Clock.tick"));
    }
}

/* Ten guests wait for results since before the recording. Others that wait, too, are told, if they
 * are few: not who wants work, nor who waits for a time. */
static void others_that_wait_are_told_where_nobody_is_known(void)
{
    for (guint n = 0; n <= 3; n++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 7 * SECOND;
        const guint32 future =
            pm_assembly_add_class(a, "java.util.concurrent.CompletableFuture$Signaller");
        const guint32 asks = pm_made_chain(a, "java.util.concurrent.CompletableFuture.join",
                                           "com.acme.Guest.ask", "com.acme.Guest.run", NULL);
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.LinkedBlockingQueue.take",
                                            "com.acme.Motor.next", "com.acme.Motor.run", NULL);
        const guint16 flags = PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN;
        for (guint i = 0; i < 10; i++)
            pm_made_wait(&m, pm_made_thread(&m, "guest-%u", i),
                         pm_made_blocker(&m, future, i, asks), asks, 0, 7 * SECOND, flags);
        pm_made_wait(&m, pm_made_thread(&m, "motor"), pm_made_blocker(&m, m.queue_class, 20, takes),
                     takes, 0, 7 * SECOND, flags);
        static const char *const others[] = {"com.acme.Desk.transfer", "com.acme.Lift.ride",
                                             "com.acme.Bell.wait"};
        for (guint i = 0; i <= n; i++) { /* the last one for a time */
            const guint32 chain = pm_made_chain(a, "java.util.concurrent.CompletableFuture.join",
                                                others[i % 3], "com.acme.Main.loop", NULL);
            pm_made_wait(&m, pm_made_thread(&m, "other%c", 'a' + (char)i),
                         pm_made_blocker(&m, future, 30 + i, chain), chain, 0, 7 * SECOND,
                         flags | (i == n ? PM_WAIT_TIMED : 0));
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, >, 0);
        g_assert_true(g_str_has_prefix(f->findings[0].title, "guest-* (10) wait for 10 objects"));
        const char *told = NULL;
        for (guint i = 0; i < f->findings[0].n_evidence; i++)
            told = g_str_has_prefix(f->findings[0].evidence[i].text, "waiting as well: ")
                       ? f->findings[0].evidence[i].text
                       : told;
        g_assert_cmpint(told != NULL, ==, n == 1 || n == 2);
        g_assert_true(!told || strstr(told, "othera for CompletableFuture$Signaller in "
                                            "Desk.transfer (Desk.java:2) < Main.loop"));
        g_assert_true(n != 2 || strstr(told, ", otherb for "));
    }
}

/* A report waits for a result while it owns a lock, for which two desks wait and somebody else, in
 * a task of a pool or not; `timed`: the report waits for a time. */
static PmFindings *findings_of_circle(gboolean in_task, gboolean timed, PmRecording **ret_recording,
                                      PmSummary **ret_summary)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 12 * SECOND;
    const guint32 asks = pm_made_chain(a, "java.util.concurrent.CompletableFuture.join",
                                       "com.acme.Report.total", "com.acme.Report.run", NULL);
    const guint32 sums = in_task
                             ? pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.lock",
                                             "com.acme.Sums.add", "com.acme.Sums.run",
                                             "java.util.concurrent.ThreadPoolExecutor.runWorker",
                                             "java.lang.Thread.run", NULL)
                             : pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.lock",
                                             "com.acme.Sums.add", "com.acme.Sums.run", NULL);
    const guint32 future = pm_made_blocker(
        &m, pm_assembly_add_class(a, "java.util.concurrent.CompletableFuture$Signaller"), 1, asks);
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    const guint32 report = pm_made_thread(&m, "report"), worker = pm_made_thread(&m, "sums");
    pm_made_wait(&m, report, future, asks, SECOND, 12 * SECOND,
                 PM_WAIT_IN_PROGRESS | (timed ? PM_WAIT_TIMED : 0));
    pm_made_held_wait(&m, worker, lock, sums, report, SECOND + MS, 12 * SECOND,
                      PM_WAIT_IN_PROGRESS);
    for (guint i = 0; i < 2; i++)
        pm_made_held_wait(&m, pm_made_thread(&m, "desk-%u", i), lock, m.lock_chain, report,
                          SECOND + 2 * MS, 12 * SECOND, PM_WAIT_IN_PROGRESS);
    *ret_recording = pm_assembly_finish(a);
    return find(*ret_recording, ret_summary);
}

/* Who owns a lock waits for a result, which may be that of a task that waits for the lock: that is
 * one hang. */
static void result_of_a_task_that_needs_the_lock_is_one_hang(void)
{
    for (guint what = 0; what < 3; what++) {
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = findings_of_circle(what != 1, what == 2, &r, &s);
        g_assert_cmpuint(f->n, >, 0);
        const PmFinding *first = &f->findings[0];
        const char *told =
            strstr(first->title, "report waits for a result in Report.total and keeps "
                                 "ReentrantLock");
        g_assert_cmpint(told != NULL, ==, what == 0);
        if (what != 0)
            continue;
        g_assert_nonnull(strstr(told, ", which sums needs in a task"));
        g_assert_cmpuint(f->n, ==, 1);
        g_assert_cmpint(first->waits, ==, 4);
        g_assert_nonnull(strstr(first->causes[0].text, "Report.total"));
        g_assert_nonnull(strstr(first->causes[1].text, "Sums.add"));
    }
}

/* Two pickers wait for room in a queue, and two packers in another one or in the same, since before
 * the recording; `takes`: those wait for an element. Of how many findings is it told? */
static guint n_of_full_queues(gboolean same, gboolean takes)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 7 * SECOND;
    const guint32 picks = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.put",
                                        "com.acme.Picker.run", NULL);
    const guint32 packs = pm_made_chain(a,
                                        takes ? "java.util.concurrent.ArrayBlockingQueue.take"
                                              : "java.util.concurrent.ArrayBlockingQueue.put",
                                        "com.acme.Packer.run", NULL);
    const guint32 parcels = pm_made_blocker(&m, m.queue_class, 1, picks);
    const guint32 orders = same ? parcels : pm_made_blocker(&m, m.queue_class, 2, packs);
    for (guint i = 0; i < 4; i++)
        pm_made_wait(&m, pm_made_thread(&m, i < 2 ? "picker-%u" : "packer-%u", i),
                     i < 2 ? parcels : orders, i < 2 ? picks : packs, 0, 7 * SECOND,
                     PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, >, 0);
    g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_STUCK);
    if (f->findings[0].n_causes == 2)
        g_assert_nonnull(strstr(f->findings[0].title, " wait for room in full queues, at "));
    else
        g_assert_null(strstr(f->findings[0].title, "full queues"));
    return f->n;
}

/* Pickers take orders and put parcels in one method; packers put some of those among the orders
 * again. A front, which puts orders, is alive, or waits for room as well: then nobody can go on. */
static void who_takes_does_not_make_room(void)
{
    for (guint waits = 0; waits < 2; waits++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 12 * SECOND;
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.take",
                                            "com.acme.Picker.run", NULL);
        const guint32 puts = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.put",
                                           "com.acme.Picker.run", NULL);
        const guint32 returns = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.put",
                                              "com.acme.Packer.run", NULL);
        const guint32 fronts = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.put",
                                             "com.acme.Front.run", NULL);
        const guint32 any_order = pm_made_blocker(&m, m.queue_class, 1, takes);
        const guint32 parcels = pm_made_blocker(&m, m.queue_class, 2, puts);
        const guint32 orders = pm_made_blocker(&m, m.queue_class, 3, returns);
        const guint32 picker = pm_made_thread(&m, "picker"), packer = pm_made_thread(&m, "packer");
        const guint32 front = pm_made_thread(&m, "front");
        for (gint64 k = 0; k < 12; k++) {
            PM_MADE_WAIT(a, 100 * k * MS, (100 * k + 30) * MS, picker, any_order, takes,
                         .wake = (100 * k + 30) * MS, .waker = front, .waker_chain = fronts,
                         .wake_cause = PM_WAKE_SIGNAL);
            PM_MADE_WAIT(a, (100 * k + 40) * MS, (100 * k + 60) * MS, picker, parcels, puts,
                         .wake = (100 * k + 60) * MS, .waker = packer, .waker_chain = returns,
                         .wake_cause = PM_WAKE_SIGNAL);
            PM_MADE_WAIT(a, (100 * k + 65) * MS, (100 * k + 90) * MS, packer, orders, returns,
                         .wake = (100 * k + 90) * MS, .waker = picker, .waker_chain = takes,
                         .wake_cause = PM_WAKE_SIGNAL);
        }
        pm_made_wait(&m, picker, parcels, puts, 2 * SECOND, 12 * SECOND, PM_WAIT_IN_PROGRESS);
        pm_made_wait(&m, packer, orders, returns, 2 * SECOND, 12 * SECOND, PM_WAIT_IN_PROGRESS);
        if (waits)
            pm_made_wait(&m, front, orders, fronts, 2 * SECOND, 12 * SECOND, PM_WAIT_IN_PROGRESS);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, 1 + waits); /* of the front's nobody was seen to end any */
        g_assert_cmpint(f->findings[0].rule, ==, PM_RULE_NOBODY_LEFT);
        g_assert_nonnull(strstr(f->findings[0].title, "Picker.run and Packer.run"));
    }
}

/* That each may wait for the other is one finding. */
static void full_queues_both_ways_are_one_finding(void)
{
    g_assert_cmpuint(n_of_full_queues(FALSE, FALSE), ==, 1);
    g_assert_cmpuint(n_of_full_queues(FALSE, TRUE), ==, 1); /* the packers rest */
    g_assert_cmpuint(n_of_full_queues(TRUE, FALSE), ==, 2);
}

/* The tasks of a pool, all of a library, wait for others of it, and more desks than the pool has
 * threads wait for them; `seen`: such waits have ended before. */
static void who_asks_a_pool_of_library_tasks_is_told(void)
{
    for (guint seen = 0; seen < 2; seen++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        guint32 task_class = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        guint32 task = pm_made_chain(a, "java.util.concurrent.FutureTask.get", "org.lib.Init.get",
                                     "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        guint32 asks = pm_made_chain(a, "java.util.concurrent.FutureTask.get", "org.lib.Init.get",
                                     "com.acme.Desk.open", "com.acme.Main.main", NULL);
        guint32 threads[5];
        a->duration = 20 * SECOND;
        for (guint i = 0; i < 5; i++)
            threads[i] = pm_made_thread(&m, i < 2 ? "opener-%u" : "desk-%u", i + 1);
        for (guint i = 0; i < 5; i++) {
            const gboolean is_task = i < 2;
            for (guint k = 0; k < 6 * seen; k++) {
                PM_MADE_WAIT(a, k * 100 * MS, k * 100 * MS + 20 * MS, threads[i],
                             pm_made_blocker(&m, task_class, i * 10 + k, asks),
                             is_task ? task : asks, .wake = k * 100 * MS + 20 * MS,
                             .waker = threads[i == 0], .waker_chain = m.other_chain,
                             .wake_cause = PM_WAKE_COMPLETION);
            }
            pm_made_wait(&m, threads[i], pm_made_blocker(&m, task_class, 100 + i, asks),
                         is_task ? task : asks, seen * 2 * SECOND, 20 * SECOND,
                         PM_WAIT_IN_PROGRESS | (seen ? 0 : PM_WAIT_BEGIN_UNKNOWN));
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, >=, 1);
        g_assert_cmpint(f->findings[0].rule, ==, PM_RULE_OWN_POOL);
        g_assert_nonnull(strstr(f->findings[0].title, "opener-* (2) wait"));
        g_assert_nonnull(
            strstr(f->findings[0].title, "desk-* waits for such results in Desk.open"));
        g_assert_cmpuint(f->findings[0].n_causes, ==, 2);
    }
}

static void random_recordings_are_survived(void)
{
    for (guint32 seed = 1; seed <= 8; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 2000, 12, 30 * SECOND);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        guint high = 0;
        for (guint i = 0; i < f->n; i++) {
            const PmFinding *x = &f->findings[i];
            high += x->severity != PM_SEVERITY_NOTE;
            g_assert_nonnull(x->title);
            g_assert_nonnull(x->advice);
            g_assert_true(g_utf8_validate(x->title, -1, NULL));
            if (i > 0)
                g_assert_cmpint(f->findings[i - 1].severity, <=, x->severity);
        }
        g_assert_cmpuint(high, <=, 5);
    }
}

/* Parks of a millisecond without an object: idle each by itself, a note together; a timer that
 * sleeps now and then is none. */
static void loops_that_back_off_are_a_note(void)
{
    for (guint n = 0; n < 3; n++) {
        const gboolean often = n > 0, platform = n == 2; /* the platform's own timer */
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 2 * SECOND;
        guint32 chain = pm_made_chain(
            a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.LockSupport.parkNanos",
            platform ? "java.util.concurrent.DelayScheduler.loop" : "com.acme.Ring.await",
            platform ? "java.util.concurrent.DelayScheduler.run" : "com.acme.Consumer.run", NULL);
        PmBlocker null = {.flags = PM_BLOCKER_NULL, .first_chain = chain};
        guint32 none = pm_assembly_add_blocker(a, &null);
        guint32 thread = pm_made_thread(&m, "consumer-1");
        for (gint64 at = 0; at < 2 * SECOND; at += often ? 2 * MS : 400 * MS) {
            PM_MADE_WAIT(a, at, at + (often ? MS : 300 * MS), thread, none, chain,
                         .flags = PM_WAIT_TIMED, .kind = PM_KIND_PARK,
                         .wake_cause = PM_WAKE_TIME_OUT);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = find(r, &s);
        g_assert_cmpuint(f->n, ==, n == 1);
        if (n != 1)
            continue;
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_NOTE);
        g_assert_cmpstr(f->findings[0].title, ==,
                        "consumer-1 backs off 500 times a second in Ring.await (Ring.java:3), left "
                        "out as idle; what it waits for is not recorded");
        g_assert_cmpint(f->findings[0].thread_time, ==, SECOND);
        g_assert_cmpint(f->verdict.level, !=, PM_VERDICT_HIGH);
    }
}

/* What each of 50 locks cost is added up by several threads: it is what it is one by one. */
static void costs_of_very_many_waits_add_up(void)
{
    enum { N_LOCKS = 50, N_THREADS = 60, N_WAITS = 80000 };
    PmMade m = pm_made_begin();
    guint32 locks[N_LOCKS], threads[N_THREADS];
    for (guint i = 0; i < N_LOCKS; i++)
        locks[i] = pm_made_blocker(&m, m.lock_class, i + 1, m.lock_chain);
    for (guint i = 0; i < N_THREADS; i++)
        threads[i] = pm_made_thread(&m, "%c-%u", 'a' + i % 5, i);
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    for (guint i = 0; i < N_WAITS; i++) {
        const gint64 begin = i * MS / 10;
        pm_made_wait(&m, threads[g_rand_int_range(rand, 0, N_THREADS)],
                     locks[g_rand_int_range(rand, 0, N_LOCKS) * g_rand_int_range(rand, 0, 2)],
                     i % 3 != 0 ? m.lock_chain : m.other_chain, begin,
                     begin + g_rand_int_range(rand, 0, 20 * MS), 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    g_autoptr(PmSummary) s = pm_summary_new(v, r->duration, NULL);
    g_autoptr(GHashTable) costs =
        pm_blocker_costs_gather(s, pm_recording_contention(r, NULL), NULL);
    for (guint i = 0; i < N_LOCKS; i++) {
        PmBlockerCost *cost = pm_blocker_costs_find(costs, locks[i], PM_KIND_PARK);
        g_autoptr(GHashTable) waiters = g_hash_table_new(NULL, NULL);
        gint64 n = 0, time = 0, longest = 0, by_chain[2] = {0}, victims = 0, n_victims = 0;
        for (gsize row = 0; row < r->waits.n; row++) {
            if (pm_wait_blocker(&r->waits, row) != locks[i])
                continue;
            const gint64 its = pm_view_clip(v, (guint32)row);
            n++;
            time += its;
            longest = MAX(longest, its);
            by_chain[pm_wait_chain(&r->waits, row) == m.lock_chain] += its;
            g_hash_table_add(waiters, GUINT_TO_POINTER(pm_wait_thread(&r->waits, row)));
        }
        g_assert_cmpint(cost->waits, ==, n);
        g_assert_cmpint(cost->thread_time, ==, time);
        g_assert_cmpint(cost->longest, ==, longest);
        g_assert_cmpint(pm_blocker_cost_chain(cost), ==,
                        by_chain[1] >= by_chain[0] ? m.lock_chain : m.other_chain);
        guint n_groups;
        g_autofree PmVictim *each = pm_blocker_cost_victims(cost, s, &n_groups);
        for (guint k = 0; k < n_groups; k++) {
            victims += each[k].thread_time;
            n_victims += each[k].n_threads;
        }
        g_assert_cmpint(victims, ==, time);
        g_assert_cmpint(n_victims, ==, g_hash_table_size(waiters));
    }
}

/* Each tenth of a second a task of a pool waits 40 ms for another one of that pool, and one of
 * four desks for the task if it is `asked` for, or one teller, who is `busy` with that. */
static PmSeverity severity_of_nested_tasks(gboolean asked, gboolean busy)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    const guint32 class_index =
        pm_assembly_add_class(a, "java.util.concurrent.CompletableFuture$Signaller");
    const guint32 enrich = pm_made_chain(
        a, "java.util.concurrent.CompletableFuture.join", "com.acme.Desk.enrich",
        "java.util.concurrent.ThreadPoolExecutor.runWorker", "java.lang.Thread.run", NULL);
    const guint32 ask = pm_made_chain(a, "java.util.concurrent.CompletableFuture.join",
                                      "com.acme.Desk.ask", "com.acme.Desk.run", NULL);
    const guint32 completes = pm_made_chain(
        a, "java.util.concurrent.CompletableFuture$AsyncSupply.run",
        "java.util.concurrent.ThreadPoolExecutor.runWorker", "java.lang.Thread.run", NULL);
    const guint32 queue = pm_made_blocker(&m, m.queue_class, 1, m.idle_chain);
    const guint32 pool[] = {pm_made_thread(&m, "pool-1"), pm_made_thread(&m, "pool-2")};
    const guint32 desks[] = {pm_made_thread(&m, "desk-1"), pm_made_thread(&m, "desk-2"),
                             pm_made_thread(&m, "desk-3"), pm_made_thread(&m, "desk-4"),
                             pm_made_thread(&m, "teller")};
    for (guint32 k = 0; k < 100; k++) {
        const gint64 at = k * 100 * MS;
        for (guint i = 0; i < (asked ? 2u : 1u); i++) {
            PmWaitRow row = {
                .begin = at + (gint64)(1 - i) * MS,
                .end = at + (gint64)(40 + i) * MS,
                .wake = at + (gint64)(40 + i) * MS,
                .thread = i ? desks[busy ? 4 : k % 4] : pool[0],
                .blocker = pm_made_blocker(&m, class_index, 100 + 2 * k + i, i ? ask : enrich),
                .chain = i ? ask : enrich,
                .waker = pool[1 - i],
                .waker_chain = completes,
                .wake_cause = PM_WAKE_PERMIT};
            pm_assembly_add_wait(a, &row);
        }
        pm_made_wait(&m, pool[0], queue, m.idle_chain, at + 42 * MS, at + 99 * MS, 0);
        pm_made_wait(&m, pool[1], queue, m.idle_chain, at + 42 * MS, at + 99 * MS, 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    for (guint i = 0; i < f->n; i++)
        if (strstr(f->findings[i].title, "of the busy time of pool-* (")) {
            g_assert_true(g_str_has_suffix(f->findings[i].title, ", because of a task of pool-*"));
            return f->findings[i].severity;
        }
    g_assert_not_reached();
}

static void tasks_within_a_pool_cost_what_those_outside_lose(void)
{
    g_assert_cmpint(severity_of_nested_tasks(TRUE, FALSE), ==, PM_SEVERITY_NOTE);
    g_assert_cmpint(severity_of_nested_tasks(TRUE, TRUE), ==, PM_SEVERITY_HIGH);
    g_assert_cmpint(severity_of_nested_tasks(FALSE, FALSE), ==, PM_SEVERITY_HIGH);
}

/* Ten pauses in two seconds. A feed has `part` of ten parts of the processor time, and was `seen`
 * at work, or only as it waited; a look at it while it hardly ran (of weight 0) says nothing. */
static char *seen_between_pauses(guint part, gboolean seen)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 2 * SECOND;
    const guint32 book = pm_made_chain(a, "com.acme.Trades.book", "com.acme.Feed.run", NULL);
    const guint32 feed = pm_made_thread(&m, "feed"), other = pm_made_thread(&m, "desk");
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const PmOwnerSample sample = {
        .at = MS, .owner = feed, .chain = book, .state = PM_OWNER_RUNNING, .weight = seen};
    pm_made_wait(&m, feed, lock, m.lock_chain, 0, MS, 0);
    g_array_append_val(a->samples, sample);
    for (gint64 i = 0; i < 10; i++) {
        const PmInterval pause = {i * 200 * MS + MS, i * 200 * MS + 101 * MS};
        const PmCensusRow row = {.at = (i + 1) * 200 * MS,
                                 .since = i * 200 * MS,
                                 .thread = i < part ? feed : other,
                                 .cpu = 50 * MS};
        g_array_append_val(a->gc, pause);
        g_array_append_val(a->census, row);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    const PmFinding *x = &f->findings[0];
    g_assert_cmpint(x->rule, ==, PM_RULE_GC);
    g_assert_cmpuint(x->n_causes, ==, 2);
    g_assert_cmpfloat(x->causes[1].share, ==, 0);
    g_assert_true(x->causes[1].inferred);
    g_assert_nonnull(strstr(x->evidence[1].text, "of the program's processor time"));
    return g_strdup(x->causes[1].text);
}

static void who_runs_between_pauses_is_told(void)
{
    g_autofree char *seen = seen_between_pauses(7, TRUE);
    g_autofree char *waited = seen_between_pauses(7, FALSE);
    g_assert_true(g_str_has_prefix(seen, "Trades.book"));
    g_assert_true(g_str_has_prefix(waited, "PriceCache.get"));
}

/* A feed parks in a ring's code, for room; the ring's thread stores something `n_works` of twelve
 * times that it is looked at, or waits for work. */
static PmSeverity severity_of_full_ring(gint64 n_works)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 12 * SECOND;
    pm_made_chain(a, "com.acme.Main.main", NULL);
    const guint32 next = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                       "java.util.concurrent.locks.LockSupport.parkNanos",
                                       "org.ring.Ring.next", "com.acme.Feed.publish", NULL);
    const guint32 works = pm_made_chain(a, "com.acme.Keeper.store", "org.ring.Processor.run", NULL);
    const guint32 rests =
        pm_made_chain(a, "org.ring.Processor.await", "org.ring.Processor.run", NULL);
    const PmBlocker null = {.flags = PM_BLOCKER_NULL, .first_chain = next};
    const guint32 none = pm_assembly_add_blocker(a, &null);
    const guint32 feed = pm_made_thread(&m, "feed"), keeper = pm_made_thread(&m, "keeper");
    for (gint64 at = 0; at < a->duration; at += 2 * MS)
        PM_MADE_WAIT(a, at, at + MS, feed, none, next, .flags = PM_WAIT_TIMED,
                     .wake_cause = PM_WAKE_TIME_OUT);
    for (gint64 i = 0; i < 12; i++) {
        const PmOwnerSample sample = {.at = i * SECOND,
                                      .owner = keeper,
                                      .chain = i < n_works ? works : rests,
                                      .role = PM_SAMPLE_ENDER};
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    const PmFinding *x = &f->findings[0];
    g_assert_cmpuint(f->n, ==, 1);
    if (x->severity == PM_SEVERITY_HIGH) {
        g_assert_true(g_str_has_suffix(x->title, ", because of Keeper.store"));
        g_assert_cmpfloat_with_epsilon(x->causes[0].share, (double)n_works / 12, 1e-6);
    }
    return x->severity;
}

static void who_fills_a_ring_waits_for_who_empties_it(void)
{
    g_assert_cmpint(severity_of_full_ring(12), ==, PM_SEVERITY_HIGH);
    g_assert_cmpint(severity_of_full_ring(10), ==, PM_SEVERITY_HIGH);
    g_assert_cmpint(severity_of_full_ring(5), ==, PM_SEVERITY_NOTE);
}

/* Three clients wait for answers, each with an object of its own, for `length` of each `step`: they
 * are read from outside, and passed on in one place, or in three. `queues`: the objects are queues
 * of one. */
static char *title_of_answers(gint64 step, gint64 length, gboolean apart, gboolean queues,
                              const char *verdict)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    pm_made_chain(a, "com.acme.Main.main", NULL);
    const guint32 asks =
        queues
            ? pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                            "java.util.concurrent.ArrayBlockingQueue.take", "org.net.Response.get",
                            "com.acme.Client.ask", "java.lang.Thread.run", NULL)
            : pm_made_chain(a, "java.util.concurrent.CompletableFuture.get", "com.acme.Client.ask",
                            "java.lang.Thread.run", NULL);
    static const char *const handlers[] = {"org.net.Text.on", "org.net.Binary.on",
                                           "org.net.Ping.on"};
    guint32 gives[G_N_ELEMENTS(handlers)];
    for (guint i = 0; i < G_N_ELEMENTS(handlers); i++)
        gives[i] =
            apart ? pm_made_chain(a, "java.util.concurrent.CompletableFuture.complete", handlers[i],
                                  "org.net.Selector.run", "java.lang.Thread.run", NULL)
                  : pm_made_chain(a, "java.util.concurrent.CompletableFuture.complete",
                                  "org.net.Selector.run", "java.lang.Thread.run", NULL);
    const guint32 reads = pm_made_chain(a, "sun.nio.ch.EPoll.wait", "org.net.Selector.run",
                                        "java.lang.Thread.run", NULL);
    const guint32 class_index = pm_assembly_add_class(
        a, queues ? "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"
                  : "java.util.concurrent.CompletableFuture$Signaller");
    const guint32 selector = pm_made_thread(&m, "selector");
    const guint32 clients[] = {pm_made_thread(&m, "client-1"), pm_made_thread(&m, "client-2"),
                               pm_made_thread(&m, "client-3")};
    for (guint32 n = 0; (n + 2) * step <= 10 * SECOND; n++) {
        const gint64 end = (n + 1) * step - MS;
        const PmOwnerSample sample = {
            .at = end - 10 * MS, .owner = selector, .chain = reads, .role = PM_SAMPLE_ENDER};
        for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
            PM_MADE_WAIT(a, end - length, end, clients[i],
                         pm_made_blocker(&m, class_index, 10 * n + i + 1, asks), asks, .wake = end,
                         .waker = selector, .waker_chain = gives[i], .wake_cause = PM_WAKE_PERMIT);
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = find(r, &s);
    g_assert_cmpuint(f->n, <=, 1);
    if (f->n) {
        g_assert_cmpint(f->findings[0].severity, ==, PM_SEVERITY_NOTE);
        g_assert_cmpstr(f->findings[0].causes[0].text, ==,
                        apart ? "(arrival)" : "(arrival) through Selector.run");
    }
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_NONE);
    g_assert_true(g_str_has_prefix(f->verdict.sentence, verdict));
    return f->n ? g_strdup(f->findings[0].title) : NULL;
}

static void answers_that_come_from_outside_are_a_note(void)
{
    g_autofree char *much = title_of_answers(
        100 * MS, 90 * MS, FALSE, FALSE,
        "89 % of the busy time of client-* (3) is waiting for answers from outside, or for "
        "the clock, in Client.ask, through Selector.run; nothing in the program stands out, 1 "
        "note. Longest ");
    g_autofree char *few = title_of_answers(
        4 * SECOND, 3 * SECOND, FALSE, FALSE,
        "30 % of the busy time of client-* (3) is waiting for answers from outside, or for "
        "the clock, in Client.ask, through Selector.run; nothing in the program stands out, 1 "
        "note. Longest 3.00 s");
    g_autofree char *little =
        title_of_answers(100 * MS, 12 * MS, FALSE, FALSE, "No wait stands out. Longest ");
    g_assert_cmpstr(
        much, ==,
        "Waiting for objects of class CompletableFuture$Signaller (297) takes 89 % of "
        "the busy time of client-* (3): Client.ask waits for what comes from outside or "
        "by the clock, through Selector.run");
    g_assert_nonnull(few);
    g_assert_null(little);
    g_autofree char *apart = title_of_answers(
        100 * MS, 90 * MS, TRUE, FALSE,
        "89 % of the busy time of client-* (3) is waiting for answers from outside, or for "
        "the clock, in Client.ask; nothing in the program stands out");
    g_autofree char *in_queues = title_of_answers(
        100 * MS, 90 * MS, FALSE, TRUE,
        "89 % of the busy time of client-* (3) is waiting for answers from outside, or for "
        "the clock, in Client.ask, through Selector.run; nothing in the program stands out");
    g_assert_true(g_str_has_suffix(in_queues, "by the clock, through Selector.run"));
    g_assert_true(g_str_has_suffix(apart, "for what comes from outside or by the clock"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/finding/bell-of-ones-own-is-no-latch", bell_of_ones_own_is_no_latch);
    g_test_add_func("/analysis/finding/what-the-holder-has-the-locks-class-do-is-the-holders",
                    what_the_holder_has_the_locks_class_do_is_the_holders);
    g_test_add_func("/analysis/finding/who-takes-and-gives-back-is-the-holder",
                    who_takes_and_gives_back_is_the_holder);
    g_test_add_func("/analysis/finding/who-goes-without-news-blames-nobody",
                    who_goes_without_news_blames_nobody);
    g_test_add_func("/analysis/finding/holds-of-others-are-not-told-as-the-culprits",
                    holds_of_others_are_not_told_as_the_culprits);
    g_test_add_func("/analysis/finding/permits-given-at-a-pace-are-a-note",
                    permits_given_at_a_pace_are_a_note);
    g_test_add_func("/analysis/finding/few-short-holds-are-not-told-as-all",
                    few_short_holds_are_not_told_as_all);
    g_test_add_func("/analysis/finding/holds-of-who-took-it-are-the-culprits",
                    holds_of_who_took_it_are_the_culprits);
    g_test_add_func("/analysis/finding/who-had-a-helper-take-it-is-told",
                    who_had_a_helper_take_it_is_told);
    g_test_add_func("/analysis/finding/what-is-seen-at-the-line-of-its-call-is-the-callers",
                    what_is_seen_at_the_line_of_its_call_is_the_callers);
    g_test_add_func("/analysis/finding/keeper-of-a-pool-need-not-wait-for-it",
                    keeper_of_a_pool_need_not_wait_for_it);
    g_test_add_func("/analysis/finding/loops-that-back-off-are-a-note",
                    loops_that_back_off_are_a_note);
    g_test_add_func("/analysis/finding/deadlock-is-told-once", deadlock_is_told_once);
    g_test_add_func("/analysis/finding/hot-lock-names-who-holds-it", hot_lock_names_who_holds_it);
    g_test_add_func("/analysis/finding/who-is-behind-the-owner-holds-nothing",
                    who_is_behind_the_owner_holds_nothing);
    g_test_add_func("/analysis/finding/advice-tells-of-a-library-that-calls-under-its-lock",
                    advice_tells_of_a_library_that_calls_under_its_lock);
    g_test_add_func("/analysis/finding/advice-is-about-what-can-be-changed",
                    advice_is_about_what_can_be_changed);
    g_test_add_func("/analysis/finding/nothing-wrong-gives-no-finding",
                    nothing_wrong_gives_no_finding);
    g_test_add_func("/analysis/finding/little-is-no-finding", little_is_no_finding);
    g_test_add_func("/analysis/finding/no-title-names-nothing", no_title_names_nothing);
    g_test_add_func("/analysis/finding/a-filter-makes-nothing-calm", a_filter_makes_nothing_calm);
    g_test_add_func("/analysis/finding/a-filter-ends-no-hang", a_filter_ends_no_hang);
    g_test_add_func("/analysis/finding/a-cause-without-code-has-one-name",
                    a_cause_without_code_has_one_name);
    g_test_add_func("/analysis/finding/many-small-locks-are-told-together",
                    many_small_locks_are_told_together);
    g_test_add_func("/analysis/finding/replies-are-awaited-not-work", replies_are_awaited_not_work);
    g_test_add_func("/analysis/finding/alike-locks-with-one-culprit-are-told-together",
                    alike_locks_with_one_culprit_are_told_together);
    g_test_add_func("/analysis/finding/who-is-served-last-is-advised-to-make-it-fair",
                    who_is_served_last_is_advised_to_make_it_fair);
    g_test_add_func("/analysis/finding/a-result-that-is-missing-is-told-of-a-thread-alone",
                    a_result_that_is_missing_is_told_of_a_thread_alone);
    g_test_add_func("/analysis/finding/two-locks-alike-are-told-together",
                    two_locks_alike_are_told_together);
    g_test_add_func("/analysis/finding/whose-victims-lose-most-is-told-first",
                    whose_victims_lose_most_is_told_first);
    g_test_add_func("/analysis/finding/who-sets-the-pace-of-a-thread-alone-is-noted",
                    who_sets_the_pace_of_a_thread_alone_is_noted);
    g_test_add_func("/analysis/finding/who-is-behind-many-conditions-is-told",
                    who_is_behind_many_conditions_is_told);
    g_test_add_func("/analysis/finding/latches-of-one-each-are-told-together",
                    latches_of_one_each_are_told_together);
    g_test_add_func("/analysis/finding/wait-in-progress-for-its-time-is-nobodys",
                    wait_in_progress_for_its_time_is_nobodys);
    g_test_add_func("/analysis/finding/exchangers-of-a-pair-each-are-told-together",
                    exchangers_of_a_pair_each_are_told_together);
    g_test_add_func("/analysis/finding/who-waits-for-who-waits-for-it-is-the-other-side",
                    who_waits_for_who_waits_for_it_is_the_other_side);
    g_test_add_func("/analysis/finding/causes-of-very-many-waits-are-estimated",
                    causes_of_very_many_waits_are_estimated);
    g_test_add_func("/analysis/finding/costs-of-very-many-waits-add-up",
                    costs_of_very_many_waits_add_up);
    g_test_add_func("/analysis/finding/who-awaits-an-answer-gives-nothing",
                    who_awaits_an_answer_gives_nothing);
    g_test_add_func("/analysis/finding/who-awaits-an-answer-where-it-is-called-is-stuck",
                    who_awaits_an_answer_where_it_is_called_is_stuck);
    g_test_add_func("/analysis/finding/who-gives-does-not-rest", who_gives_does_not_rest);
    g_test_add_func("/analysis/finding/who-is-called-by-a-full-queue-is-named",
                    who_is_called_by_a_full_queue_is_named);
    g_test_add_func("/analysis/finding/who-is-told-late-waits-for-a-processor",
                    who_is_told_late_waits_for_a_processor);
    g_test_add_func("/analysis/finding/what-is-overdue-is-stuck", what_is_overdue_is_stuck);
    g_test_add_func("/analysis/finding/what-is-stuck-is-told-once", what_is_stuck_is_told_once);
    g_test_add_func("/analysis/finding/what-has-no-carrier-is-not-forgotten",
                    what_has_no_carrier_is_not_forgotten);
    g_test_add_func("/analysis/finding/successor-without-carrier",
                    who_was_given_a_lock_and_does_not_run_is_told);
    g_test_add_func("/analysis/finding/what-nobody-can-run-any-more-is-stuck",
                    what_nobody_can_run_any_more_is_stuck);
    g_test_add_func("/analysis/finding/who-wants-more-of-a-pool-than-it-has-is-stuck",
                    who_wants_more_of_a_pool_than_it_has_is_stuck);
    g_test_add_func("/analysis/finding/who-waits-most-is-told-where-nobody-knows-since-when",
                    who_waits_most_is_told_where_nobody_knows_since_when);
    g_test_add_func("/analysis/finding/who-gives-up-late-had-no-processor",
                    who_gives_up_late_had_no_processor);
    g_test_add_func("/analysis/finding/who-gave-what-the-owner-waits-for-is-named",
                    who_gave_what_the_owner_waits_for_is_named);
    g_test_add_func("/analysis/finding/threads-that-only-wait-for-a-signal-rest",
                    threads_that_only_wait_for_a_signal_rest);
    g_test_add_func("/analysis/finding/whose-life-is-to-wait-for-a-latch-rests",
                    whose_life_is_to_wait_for_a_latch_rests);
    g_test_add_func("/analysis/finding/a-thread-for-each-request-is-busy",
                    a_thread_for_each_request_is_busy);
    g_test_add_func("/analysis/finding/who-waits-for-those-at-work-rests",
                    who_waits_for_those_at_work_rests);
    g_test_add_func("/analysis/finding/both-sides-of-a-queue-do-not-rest-at-once",
                    both_sides_of_a_queue_do_not_rest_at_once);
    g_test_add_func("/analysis/finding/who-keeps-a-lock-is-told-by-its-own-code",
                    who_keeps_a_lock_is_told_by_its_own_code);
    g_test_add_func("/analysis/finding/who-ended-with-a-lock-is-told-by-where-it-used-it",
                    who_ended_with_a_lock_is_told_by_where_it_used_it);
    g_test_add_func("/analysis/finding/takers-of-a-semaphore-that-others-release-rest",
                    takers_of_a_semaphore_that_others_release_rest);
    g_test_add_func("/analysis/finding/who-wants-permits-elsewhere-is-named",
                    who_wants_permits_elsewhere_is_named);
    g_test_add_func("/analysis/finding/who-starts-after-each-other-is-named",
                    who_starts_after_each_other_is_named);
    g_test_add_func("/analysis/finding/who-joins-one-that-hangs-is-told-with-it",
                    who_joins_one_that_hangs_is_told_with_it);
    g_test_add_func("/analysis/finding/end-of-virtual-threads-is-a-finding",
                    end_of_virtual_threads_is_a_finding);
    g_test_add_func("/analysis/finding/tasks-that-wait-for-each-other-are-named",
                    tasks_that_wait_for_each_other_are_named);
    g_test_add_func("/analysis/finding/an-answer-from-a-queue-of-its-own-is-a-result",
                    an_answer_from_a_queue_of_its_own_is_a_result);
    g_test_add_func("/analysis/finding/whose-schedule-is-empty-adds-nothing",
                    whose_schedule_is_empty_adds_nothing);
    g_test_add_func("/analysis/finding/waits-given-up-for-a-pool-are-its-keepers",
                    waits_given_up_for_a_pool_are_its_keepers);
    g_test_add_func("/analysis/finding/who-nearly-always-rests-is-none",
                    who_nearly_always_rests_is_none);
    g_test_add_func("/analysis/finding/results-given-up-are-due-to-who-brings-others",
                    results_given_up_are_due_to_who_brings_others);
    g_test_add_func("/analysis/finding/who-waits-for-all-that-it-set-going-is-no-victim",
                    who_waits_for_all_that_it_set_going_is_no_victim);
    g_test_add_func("/analysis/finding/who-still-waits-waits-for-the-same",
                    who_still_waits_waits_for_the_same);
    g_test_add_func("/analysis/finding/what-may-take-as-long-is-not", what_may_take_as_long_is_not);
    g_test_add_func("/analysis/finding/semaphore-of-others-is-a-signal",
                    semaphore_of_others_is_a_signal);
    g_test_add_func("/analysis/finding/who-waits-in-its-own-loop-has-nothing-to-do",
                    who_waits_in_its_own_loop_has_nothing_to_do);
    g_test_add_func("/analysis/finding/elements-of-pools-have-names", elements_of_pools_have_names);
    g_test_add_func("/analysis/finding/who-keeps-permits-behind-a-lock-is-not-told-first",
                    who_keeps_permits_behind_a_lock_is_not_told_first);
    g_test_add_func("/analysis/finding/permits-of-a-monitor-are-told-by-its-class",
                    permits_of_a_monitor_are_told_by_its_class);
    g_test_add_func("/analysis/finding/a-cause-is-as-sure-as-most-of-its-time",
                    a_cause_is_as_sure_as_most_of_its_time);
    g_test_add_func("/analysis/finding/a-tenth-that-own-code-keeps-from-several-is-felt",
                    a_tenth_that_own_code_keeps_from_several_is_felt);
    g_test_add_func("/analysis/finding/a-tenth-of-few-threads-is-a-note",
                    a_tenth_of_few_threads_is_a_note);
    g_test_add_func("/analysis/finding/pauses-of-a-tenth-are-a-finding",
                    pauses_of_a_tenth_are_a_finding);
    g_test_add_func("/analysis/finding/pauses-name-the-accounts-that-allocate",
                    pauses_name_the_accounts_that_allocate);
    g_test_add_func("/analysis/finding/short-pauses-are-none", short_pauses_are_none);
    g_test_add_func("/analysis/finding/whoever-waits-at-a-pace-of-its-own-has-no-culprit",
                    whoever_waits_at_a_pace_of_its_own_has_no_culprit);
    g_test_add_func("/analysis/finding/most-time-comes-first", most_time_comes_first);
    g_test_add_func("/analysis/finding/longest-keeper-is-named-first",
                    longest_keeper_is_named_first);
    g_test_add_func("/analysis/finding/who-calls-what-main-gave-is-named",
                    who_calls_what_main_gave_is_named);
    g_test_add_func("/analysis/finding/caller-of-a-shared-helper-is-named",
                    caller_of_a_shared_helper_is_named);
    g_test_add_func("/analysis/finding/helper-of-many-callers-is-named-itself",
                    helper_of_many_callers_is_named_itself);
    g_test_add_func("/analysis/finding/helper-that-sleeps-for-many-callers-is-not",
                    helper_that_sleeps_for_many_callers_is_not);
    g_test_add_func("/analysis/finding/tasks-within-a-pool-cost-what-those-outside-lose",
                    tasks_within_a_pool_cost_what_those_outside_lose);
    g_test_add_func("/analysis/finding/who-runs-between-pauses-is-told",
                    who_runs_between_pauses_is_told);
    g_test_add_func("/analysis/finding/who-fills-a-ring-waits-for-who-empties-it",
                    who_fills_a_ring_waits_for_who_empties_it);
    g_test_add_func("/analysis/finding/answers-that-come-from-outside-are-a-note",
                    answers_that_come_from_outside_are_a_note);
    g_test_add_func("/analysis/finding/who-asks-for-collections-is-named",
                    who_asks_for_collections_is_named);
    g_test_add_func("/analysis/finding/task-that-waits-as-long-may-be-why",
                    task_that_waits_as_long_may_be_why);
    g_test_add_func("/analysis/finding/what-goes-by-the-clock-is-no-fault",
                    what_goes_by_the_clock_is_no_fault);
    g_test_add_func("/analysis/finding/librarys-housekeeper-is-at-rest",
                    librarys_housekeeper_is_at_rest);
    g_test_add_func("/analysis/finding/what-comes-through-a-library-is-no-fault",
                    what_comes_through_a_library_is_no_fault);
    g_test_add_func("/analysis/finding/since-before-the-most-come-first",
                    since_before_the_most_come_first);
    g_test_add_func("/analysis/finding/task-that-keeps-a-pool-from-ending-is-told",
                    task_that_keeps_a_pool_from_ending_is_told);
    g_test_add_func("/analysis/finding/pool-that-waits-for-who-has-ended-is-told",
                    pool_that_waits_for_who_has_ended_is_told);
    g_test_add_func("/analysis/finding/who-is-at-it-since-is-named", who_is_at_it_since_is_named);
    g_test_add_func("/analysis/finding/who-gives-back-kept-it-before",
                    who_gives_back_kept_it_before);
    g_test_add_func("/analysis/finding/pool-whose-threads-all-wait-is-told",
                    pool_whose_threads_all_wait_is_told);
    g_test_add_func("/analysis/finding/few-at-work-are-told-where-nobody-is-known",
                    few_at_work_are_told_where_nobody_is_known);
    g_test_add_func("/analysis/finding/others-that-wait-are-told-where-nobody-is-known",
                    others_that_wait_are_told_where_nobody_is_known);
    g_test_add_func("/analysis/finding/result-of-a-task-that-needs-the-lock-is-one-hang",
                    result_of_a_task_that_needs_the_lock_is_one_hang);
    g_test_add_func("/analysis/finding/who-takes-does-not-make-room", who_takes_does_not_make_room);
    g_test_add_func("/analysis/finding/full-queues-both-ways-are-one-finding",
                    full_queues_both_ways_are_one_finding);
    g_test_add_func("/analysis/finding/results-that-nobody-works-on-are-a-pause",
                    results_that_nobody_works_on_are_a_pause);
    g_test_add_func("/analysis/finding/worker-that-waits-for-its-own-pool-is-told",
                    worker_that_waits_for_its_own_pool_is_told);
    g_test_add_func("/analysis/finding/who-asks-a-pool-of-library-tasks-is-told",
                    who_asks_a_pool_of_library_tasks_is_told);
    g_test_add_func("/analysis/finding/random-recordings-are-survived",
                    random_recordings_are_survived);
    return g_test_run();
}

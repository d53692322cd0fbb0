/* Who takes permits and was never seen to give one back. */

#include "tests/analysis/made.h"
#include "tests/analysis/see.h"
#include "viewer/analysis/findings/findings.h"

#define MS     G_GINT64_CONSTANT(1000000)
#define SECOND G_GINT64_CONSTANT(1000000000)

typedef struct {
    PmRecording *recording;
    PmSummary *summary;
    PmFindings *findings;
} Scene;

/* Two threads pay `n` times in turn, with permits of each other's; a third exports now and then,
 * and at last all wait. `returns`: what the exports take is seen to come back. */
static Scene scene_make(guint n, gboolean returns)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 30 * SECOND;
    guint32 class_index = pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync");
    guint32 pay = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                "com.acme.Checkout.pay", "com.acme.Main.run", NULL);
    guint32 export = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                   "com.acme.Export.write", "com.acme.Main.run", NULL);
    guint32 give = pm_made_chain(a, "java.util.concurrent.Semaphore.release",
                                 returns ? "com.acme.Export.write" : "com.acme.Checkout.pay",
                                 "com.acme.Main.run", NULL);
    guint32 pays = pm_made_chain(a, "java.util.concurrent.Semaphore.release",
                                 "com.acme.Checkout.pay", "com.acme.Main.run", NULL);
    guint32 permits = pm_made_blocker(&m, class_index, 1, pay);
    guint32 threads[] = {pm_made_thread(&m, "pay-1"), pm_made_thread(&m, "pay-2"),
                         pm_made_thread(&m, "export")};
    for (guint i = 0; i < n; i++) {
        PM_MADE_WAIT(a, i * 100 * MS, (i * 100 + 50) * MS, threads[i % 2], permits, pay,
                     .wake = (i * 100 + 50) * MS,
                     .waker = threads[i == 3 && returns ? 2 : 1 - i % 2],
                     .waker_chain = i == 3 ? give : pays, .wake_cause = PM_WAKE_PERMIT);
    }
    for (guint i = 0; i < 3; i++)
        pm_made_wait(&m, threads[i], permits, i < 2 ? pay : export, 5 * SECOND, 30 * SECOND,
                     PM_WAIT_IN_PROGRESS);
    Scene s = {.recording = pm_assembly_finish(a)};
    g_autoptr(PmView) view = pm_made_view(s.recording);
    s.summary = pm_summary_new(view, 30 * SECOND, NULL);
    s.findings = pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    return s;
}

static gboolean tells_keeper(guint n, gboolean returns)
{
    Scene s = scene_make(n, returns);
    g_assert_cmpuint(s.findings->n, >, 0);
    const PmFinding *first = &s.findings->findings[0];
    g_assert_cmpint(first->severity, ==, PM_SEVERITY_STUCK);
    gboolean tells = strstr(first->title, "Export.write takes it") != NULL;
    g_assert_cmpint(strstr(first->causes[0].text, "Export.write") != NULL, ==, tells);
    pm_findings_free(s.findings);
    pm_summary_free(s.summary);
    pm_recording_unref(s.recording);
    return tells;
}

static void who_never_gives_back_is_told(void)
{
    g_assert_true(tells_keeper(20, FALSE));
}

static void who_gives_back_once_is_not(void)
{
    g_assert_false(tells_keeper(20, TRUE));
}

static void few_gives_tell_nothing(void)
{
    g_assert_false(tells_keeper(9, FALSE));
}

typedef enum { SEEN, GAVE, SIGNAL, UNSEEN, UNSEEN_GAVE, OTHER_AT_WORK } AlbumScene;

/* Pages take one permit each; an album got one while a page waited, and waits for another. GAVE: it
 * has given that one back; SIGNAL: another thread gives all of them; UNSEEN: nobody waited for a
 * while after it got one; OTHER_AT_WORK: nor does a third page wait, which gave one. */
static const char *album_told(AlbumScene scene)
{
    const gboolean signal = scene == SIGNAL, gave = scene == GAVE || scene == UNSEEN_GAVE,
                   unseen = scene >= UNSEEN;
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 30 * SECOND;
    const guint32 class_index =
        pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync");
    const guint32 convert = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                          "com.acme.Page.convert", "com.acme.Main.run", NULL);
    const guint32 gather = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                         "com.acme.Album.gather", "com.acme.Main.run", NULL);
    const guint32 offer = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                                        "com.acme.Feed.offer", "com.acme.Main.run", NULL);
    const guint32 gives = pm_made_chain(a, "java.util.concurrent.Semaphore.release",
                                        "com.acme.Page.convert", "com.acme.Main.run", NULL);
    const guint32 permits = pm_made_blocker(&m, class_index, 1, convert);
    const guint32 one = pm_made_thread(&m, "page-1"), two = pm_made_thread(&m, "page-2");
    const guint32 album = pm_made_thread(&m, "album"), giver = pm_made_thread(&m, "giver");
    const guint32 third = pm_made_thread(&m, "page-3");
    const struct {
        guint32 thread, chain, waker;
        gint64 begin, end;
    } waits[] = {{one, convert, two, 100 * MS, 150 * MS},
                 {two, convert, one, 200 * MS, 250 * MS},
                 {album, gather, scene == OTHER_AT_WORK ? third : one, 400 * MS, 500 * MS},
                 {two, convert, album, gave ? 450 * MS : 350 * MS, gave ? 560 * MS : 360 * MS},
                 {one, convert, 0, (unseen ? 520 : 480) * MS, 30 * SECOND},
                 {album, gather, 0, 600 * MS, 30 * SECOND},
                 {two, convert, 0, gave ? 560 * MS + 1 : 700 * MS, 30 * SECOND}};
    for (guint i = 0; i < G_N_ELEMENTS(waits); i++) {
        const guint32 waker = waits[i].waker && signal ? giver : waits[i].waker;
        PM_MADE_WAIT(a, waits[i].begin, waits[i].end, waits[i].thread, permits, waits[i].chain,
                     .wake = waker ? waits[i].end : 0, .waker = waker,
                     .waker_chain = waker ? gives : 0, .wake_cause = waker ? PM_WAKE_RELEASE : 0,
                     .flags = waker ? 0 : PM_WAIT_IN_PROGRESS);
    }
    const guint32 room = pm_made_blocker(&m, class_index, 2, convert);
    for (gint64 k = 0; k < 3 && signal; k++) { /* who gives waits for room that album gave before */
        PM_MADE_WAIT(a, (20 + 400 * k) * MS, k < 2 ? (30 + 400 * k) * MS : 30 * SECOND, giver, room,
                     offer, .wake = k < 2 ? (30 + 400 * k) * MS : 0, .waker = k < 2 ? album : 0,
                     .waker_chain = k < 2 ? gives : 0, .wake_cause = k < 2 ? PM_WAKE_RELEASE : 0,
                     .flags = k < 2 ? 0 : PM_WAIT_IN_PROGRESS);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &s);
    static const char *const told[] = {"holds some", "may hold some"};
    const char *tells = NULL;
    for (guint i = 0; i < findings->n; i++)
        for (guint k = 0; k < G_N_ELEMENTS(told); k++) {
            const PmFinding *x = &findings->findings[i];
            g_autofree char *title =
                g_strdup_printf("Album.gather %s while it waits for more", told[k]);
            if (strstr(x->title, title) && strstr(x->causes[0].text, "Album.gather") &&
                g_str_has_prefix(x->advice, "take all that is needed at once"))
                tells = told[k];
        }
    g_assert_cmpuint(findings->n, >, 0);
    return tells;
}

static void who_holds_one_and_waits_for_another_is_told(void)
{
    g_assert_cmpstr(album_told(SEEN), ==, "holds some");
    g_assert_null(album_told(GAVE));
    g_assert_null(album_told(SIGNAL));
}

static void who_may_hold_one_is_told_where_all_wait(void)
{
    g_assert_cmpstr(album_told(UNSEEN), ==, "may hold some");
    g_assert_null(album_told(UNSEEN_GAVE));
    g_assert_null(album_told(OTHER_AT_WORK));
}

/* Three threads wait for permits; at 600 ms one gets the last that anybody gave, in an upload, and
 * from then on all wait in vain. */
typedef struct {
    gboolean again;   /* that one asks for another, too, and as its time is over wakes the next one,
                         as any does */
    gboolean gave;    /* it was seen to give one back then */
    gboolean vain;    /* it woke another one as it gave it back, who did not get it */
    gboolean watched; /* somebody waits until it asks again */
    gboolean lone;    /* nobody wakes who waits in vain */
} Upload;

static char *title_of_drained(Upload upload)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    const guint32 class_index =
        pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync");
    const guint32 down = pm_made_chain(a, "java.util.concurrent.Semaphore.tryAcquire",
                                       "com.acme.Gateway.download", "com.acme.Main.run", NULL);
    const guint32 up = pm_made_chain(a, "java.util.concurrent.Semaphore.tryAcquire",
                                     "com.acme.Gateway.upload", "com.acme.Main.run", NULL);
    const guint32 gives = pm_made_chain(a, "java.util.concurrent.Semaphore.release",
                                        "com.acme.Gateway.download", "com.acme.Main.run", NULL);
    const guint32 permits = pm_made_blocker(&m, class_index, 1, down);
    const guint32 threads[] = {pm_made_thread(&m, "transfer-1"), pm_made_thread(&m, "transfer-2"),
                               pm_made_thread(&m, "transfer-3")};
    for (guint32 i = 0; i < 12; i++) {
        const gint64 end = (50 * (gint64)i + 50) * MS;
        const gboolean last = i == 11;
        PM_MADE_WAIT(a, end - 20 * MS, end, threads[i % 3], permits, last ? up : down, .wake = end,
                     .waker = threads[(i + 2) % 3], .waker_chain = gives,
                     .wake_cause = PM_WAKE_RELEASE);
    }
    for (guint32 i = 0; i < 87; i++) {
        const guint32 thread = i % 3;
        const gint64 first = thread == 2 || !upload.watched ? 640 : 560;
        const gint64 begin = first * MS + (gint64)(i / 3) * 310 * MS + thread * MS;
        if (thread == 2 && !upload.again)
            continue;
        const gboolean got = upload.gave && i == 9, woken = upload.again && thread == 0;
        const gboolean vain = upload.vain && i == 9;
        PM_MADE_WAIT(a, begin, begin + 300 * MS, threads[thread], permits, down,
                     .flags = PM_WAIT_TIMED, .wake = begin + 300 * MS,
                     .waker = woken && !upload.lone ? threads[2] : 0,
                     .waker_chain = woken && !upload.lone ? gives : 0,
                     .wake_cause = got || vain ? PM_WAKE_RELEASE
                                   : woken     ? PM_WAKE_CANCELLATION
                                               : PM_WAKE_TIME_OUT);
        if (vain) /* waits on at once */
            PM_MADE_WAIT(a, begin + 300 * MS + 1000, begin + 305 * MS, threads[thread], permits,
                         down, .flags = PM_WAIT_TIMED, .wake = begin + 305 * MS,
                         .wake_cause = PM_WAKE_TIME_OUT);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &s);
    g_assert_cmpuint(findings->n, >, 0);
    char *title = g_strdup(findings->findings[0].title);
    if (g_str_has_suffix(title, "Gateway.upload keeps it"))
        g_assert_cmpfloat(findings->findings[0].causes[0].share, >, 0.9);
    return title;
}

static void who_took_the_last_permit_keeps_it(void)
{
    static const Upload uploads[] = {
        {.again = TRUE, .watched = TRUE},
        {.again = TRUE, .watched = TRUE, .lone = TRUE},
        {.watched = TRUE},
        {.again = TRUE, .watched = TRUE, .gave = TRUE},
        {.again = TRUE, .watched = TRUE, .vain = TRUE},
        {.again = TRUE}, /* what is given back while nobody waits is not seen */
    };
    for (guint i = 0; i < G_N_ELEMENTS(uploads); i++) {
        g_autofree char *title = title_of_drained(uploads[i]);
        g_test_message("%u: %s", i, title);
        g_assert_cmpint(g_str_has_suffix(title, ": Gateway.upload keeps it"), ==, i < 2);
    }
}

/* A listener gets a connection of a pool that was just made; since then four checkouts ask for one,
 * and again when their time is over, after a pause. `once`: until they are interrupted. */
static char *title_of_kept_connection(gint64 pause, gboolean once)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const gint64 each = once ? 15 * SECOND : 500 * MS;
    a->duration = once ? 16 * SECOND : 10 * SECOND;
    a->facts.main = "com.acme.Main";
    const guint32 class_index =
        pm_assembly_add_class(a, "java.util.concurrent.SynchronousQueue$TransferQueue");
    const guint32 pay = pm_made_chain(a, "java.util.concurrent.SynchronousQueue.poll",
                                      "com.zaxxer.hikari.util.ConcurrentBag.borrow",
                                      "com.zaxxer.hikari.pool.HikariPool.getConnection",
                                      "com.acme.Checkout.pay", "com.acme.Main.run", NULL);
    const guint32 listen = pm_made_chain(a, "java.util.concurrent.SynchronousQueue.poll",
                                         "com.zaxxer.hikari.util.ConcurrentBag.borrow",
                                         "com.zaxxer.hikari.pool.HikariPool.getConnection",
                                         "com.acme.Listener.listen", "com.acme.Main.run", NULL);
    const guint32 adds = pm_made_chain(a, "java.util.concurrent.SynchronousQueue.offer",
                                       "com.zaxxer.hikari.util.ConcurrentBag.add", NULL);
    const guint32 queue = pm_made_blocker(&m, class_index, 1, pay);
    const guint32 listener = pm_made_thread(&m, "listener"), adder = pm_made_thread(&m, "adder");
    PM_MADE_WAIT(a, 10 * MS, 60 * MS, listener, queue, listen, .flags = PM_WAIT_TIMED,
                 .wake = 60 * MS, .waker = adder, .waker_chain = adds,
                 .wake_cause = PM_WAKE_SIGNAL);
    guint32 checkouts[4];
    for (guint i = 0; i < G_N_ELEMENTS(checkouts); i++)
        checkouts[i] = pm_made_thread(&m, "checkout-%u", i);
    for (gint64 begin = 70 * MS; begin < (once ? SECOND : 9 * SECOND); begin += each + pause)
        for (guint i = 0; i < G_N_ELEMENTS(checkouts); i++)
            PM_MADE_WAIT(a, begin + i, begin + each, checkouts[i], queue, pay,
                         .flags = PM_WAIT_TIMED,
                         .wake_cause = once ? PM_WAKE_INTERRUPT : PM_WAKE_TIME_OUT);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &s);
    g_assert_cmpuint(findings->n, >, 0);
    g_assert_cmpint(findings->findings[0].severity, ==, PM_SEVERITY_HIGH);
    return g_strdup(findings->findings[0].title);
}

/* That nobody gets a connection is told, though all give up, or are interrupted as the server is
 * ended; and who has it, if gives are seen. */
static void who_never_gives_a_connection_back_is_told(void)
{
    g_autofree char *kept = title_of_kept_connection(10 * MS, FALSE);
    g_autofree char *unknown = title_of_kept_connection(200 * MS, FALSE);
    g_autofree char *ended = title_of_kept_connection(10 * MS, TRUE);
    g_assert_nonnull(strstr(ended, "Listener.listen keeps it"));
    g_assert_nonnull(strstr(kept, "Listener.listen keeps it"));
    g_assert_nonnull(strstr(unknown, "busy time of checkout-* (4)"));
    g_assert_nonnull(strstr(unknown, ": none is given back any more"));
}

/* Each wait for a connection has an object of its own, and all give up: it is the pool's
 * connections that are told, not those objects. */
static void many_objects_of_one_pool_are_its_connections(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    const guint32 class_index =
        pm_assembly_add_class(a, "java.util.concurrent.CountDownLatch$Sync");
    const guint32 asks =
        pm_made_chain(a, "java.util.concurrent.CountDownLatch.await",
                      "org.apache.tomcat.jdbc.pool.FairBlockingQueue.poll",
                      "org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection",
                      "com.acme.Desk.answer", "com.acme.Main.run", NULL);
    const guint32 desks[] = {pm_made_thread(&m, "desk-1"), pm_made_thread(&m, "desk-2")};
    for (guint i = 0; i < 40; i++)
        PM_MADE_WAIT(a, i / 2 * 450 * MS, (i / 2 * 450 + 400) * MS, desks[i % 2],
                     pm_made_blocker(&m, class_index, 1 + i, asks), asks, .flags = PM_WAIT_TIMED,
                     .wake_cause = PM_WAKE_TIME_OUT);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &s);
    g_assert_cmpuint(findings->n, ==, 1);
    g_assert_true(g_str_has_prefix(findings->findings[0].title,
                                   "Waiting for a pooled connection in FairBlockingQueue.poll"));
    g_assert_true(g_str_has_suffix(findings->findings[0].title, ": Desk.answer"));
}

/* Two sessions for all tenants, for each of which the pool has a queue of its own. What is given
 * back is for whoever waits longest, every other time of the same tenant. Three threads of one
 * tenant keep theirs for 400 ms, five of the other for 5 ms. */
static void a_pool_with_a_queue_for_each_key_is_one(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    const guint32 class_index = pm_assembly_add_class(
        a, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject");
    static const char *const who[] = {"com.acme.Archive.copy", "com.acme.Reader.read"};
    guint32 asks[2], gives[2], queues[2], threads[8];
    gint64 begins[8] = {0}, until[8] = {400 * MS, 0, 0, 5 * MS};
    for (guint i = 0; i < 2; i++) {
        asks[i] = pm_made_chain(a, "org.apache.commons.pool2.impl.LinkedBlockingDeque.takeFirst",
                                "org.apache.commons.pool2.impl.GenericKeyedObjectPool.borrowObject",
                                who[i], "com.acme.Main.run", NULL);
        gives[i] =
            pm_made_chain(a, "org.apache.commons.pool2.impl.GenericKeyedObjectPool.returnObject",
                          who[i], "com.acme.Main.run", NULL);
    }
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = pm_made_thread(&m, i < 3 ? "archive-%u" : "reader-%u", i);
    gint64 at = 0, kept[2] = {0};
    for (guint n = 0; at < 9 * SECOND; n++) {
        guint giver = 0, taker = G_MAXUINT;
        for (guint i = 0; i < 2 && n % 24 == 0; i++) /* a queue ends when nobody needs it */
            queues[i] = pm_made_blocker(&m, class_index, 1 + n + i, asks[0]);
        for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
            if (until[i] > 0 && (until[giver] == 0 || until[i] < until[giver]))
                giver = i;
        for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
            if (until[i] == 0 && (n % 2 == 0 || (i < 3) == (giver < 3)) &&
                (taker == G_MAXUINT || begins[i] < begins[taker]))
                taker = i;
        at = until[giver];
        PM_MADE_WAIT(a, begins[taker], at, threads[taker], queues[taker >= 3], asks[taker >= 3],
                     .wake = at, .waker = threads[giver], .waker_chain = gives[giver >= 3],
                     .wake_cause = PM_WAKE_SIGNAL);
        until[giver] = 0;
        begins[giver] = at + MS;
        until[taker] = at + (taker < 3 ? 400 : 5) * MS;
        kept[taker >= 3] += taker < 3 ? 400 : 5;
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &s);
    g_assert_cmpuint(findings->n, >, 0);
    const PmFinding *first = &findings->findings[0];
    g_assert_cmpstr(first->causes[0].culprit, ==, "Archive.copy");
    g_assert_cmpfloat_with_epsilon(first->causes[0].share,
                                   (double)kept[0] / (double)(kept[0] + kept[1]), 0.05);
}

/* Quotes and an importer wait for a lock that does not know who has it, the importer first, and in
 * a call of its own; `others`: somebody who gave it back before is at work. */
static char *title_of_lock_taken_twice(gboolean others)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 30 * SECOND;
    const guint32 find = pm_made_chain(a, "java.util.concurrent.locks.StampedLock.readLock",
                                       "com.acme.Book.find", "com.acme.Quotes.run", NULL);
    const guint32 correct =
        pm_made_chain(a, "java.util.concurrent.locks.StampedLock.readLock", "com.acme.Book.find",
                      "com.acme.Book.correct", "com.acme.Importer.run", NULL);
    const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.StampedLock.unlockWrite",
                                        "com.acme.Book.set", "com.acme.Importer.run", NULL);
    const guint32 lock = pm_made_blocker(
        &m, pm_assembly_add_class(a, "java.util.concurrent.locks.StampedLock"), 1, find);
    const guint32 quotes[] = {pm_made_thread(&m, "quote-1"), pm_made_thread(&m, "quote-2")};
    const guint32 importer = pm_made_thread(&m, "importer"), other = pm_made_thread(&m, "other");
    for (guint i = 0; i < 8; i++) {
        PM_MADE_WAIT(a, i * 100 * MS, (i * 100 + 5) * MS, quotes[i % 2], lock, find,
                     .wake = (i * 100 + 5) * MS, .waker = others && i == 7 ? other : importer,
                     .waker_chain = gives, .wake_cause = PM_WAKE_RELEASE);
    }
    pm_made_wait(&m, importer, lock, correct, SECOND, 30 * SECOND, PM_WAIT_IN_PROGRESS);
    for (guint i = 0; i < 2; i++)
        pm_made_wait(&m, quotes[i], lock, find, SECOND + (i + 1) * MS, 30 * SECOND,
                     PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &s);
    g_assert_cmpuint(findings->n, ==, 1);
    return g_strdup(findings->findings[0].title);
}

static void who_asks_once_more_for_what_it_has_is_told(void)
{
    g_autofree char *told = title_of_lock_taken_twice(FALSE);
    g_autofree char *not_told = title_of_lock_taken_twice(TRUE);
    g_assert_true(g_str_has_prefix(told, "quote-* (2) and 1 more group wait for StampedLock"));
    g_assert_true(g_str_has_suffix(told, "; Book.correct may already hold it"));
    g_assert_null(strstr(not_told, "may already hold it"));
}

/* Of the recording that is assembled, looked at as it ends. Owned. */
static char *first_title(PmAssembly *a)
{
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &s);
    g_assert_cmpuint(findings->n, >, 0);
    return g_strdup(findings->findings[0].title);
}

/* Readers wait behind a writer for a lock that readers share; a crawler, which gave it back before,
 * does not wait for it. `others`: somebody else who did does not either; `owned`: a writer is known
 * to have it; `waits`: the crawler waits for a result. */
static char *title_of_kept_read_lock(gboolean others, gboolean owned, gboolean waits)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 30 * SECOND;
    const guint32 read =
        pm_made_chain(a, "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock",
                      "com.acme.Wiki.read", "com.acme.Visitor.run", NULL);
    const guint32 write =
        pm_made_chain(a, "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock",
                      "com.acme.Wiki.write", "com.acme.Editor.run", NULL);
    const guint32 gives =
        pm_made_chain(a, "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.unlock",
                      "com.acme.Wiki.linksOf", "com.acme.Crawler.run", NULL);
    const guint32 lock = pm_made_blocker(
        &m,
        pm_assembly_add_class(a, "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync"),
        1, write);
    const guint32 visitor = pm_made_thread(&m, "visitor"), editor = pm_made_thread(&m, "editor");
    const guint32 crawler = pm_made_thread(&m, "crawler"), other = pm_made_thread(&m, "other");
    for (guint i = 0; i < 8; i++) {
        PM_MADE_WAIT(a, i * 100 * MS, (i * 100 + 5) * MS, editor, lock, write,
                     .wake = (i * 100 + 5) * MS, .waker = others && i == 3 ? other : crawler,
                     .waker_chain = gives, .wake_cause = PM_WAKE_RELEASE);
    }
    for (guint i = 0; i < 2; i++) {
        PM_MADE_WAIT(a, SECOND + i * MS, 30 * SECOND, i ? visitor : editor, lock, i ? read : write,
                     .owner = owned ? other : 0, .flags = PM_WAIT_IN_PROGRESS);
    }
    const guint32 page = pm_made_chain(a, "java.util.concurrent.FutureTask.get",
                                       "com.acme.Pages.fetch", "com.acme.Crawler.run", NULL);
    const guint32 task =
        pm_made_blocker(&m, pm_assembly_add_class(a, "java.util.concurrent.FutureTask"), 2, page);
    if (waits)
        pm_made_wait(&m, crawler, task, page, SECOND, 30 * SECOND, PM_WAIT_IN_PROGRESS);
    return first_title(a);
}

static void the_only_one_that_does_not_wait_is_told(void)
{
    g_autofree char *told = title_of_kept_read_lock(FALSE, FALSE, FALSE);
    g_autofree char *not_alone = title_of_kept_read_lock(TRUE, FALSE, FALSE);
    g_autofree char *owned = title_of_kept_read_lock(FALSE, TRUE, FALSE);
    g_autofree char *waits = title_of_kept_read_lock(FALSE, FALSE, TRUE);
    g_assert_true(g_str_has_suffix(
        told, "; crawler, which last released it in Wiki.linksOf, may still hold it"));
    g_assert_nonnull(strstr(waits, "in Wiki.linksOf, may still hold it and waits in Pages.fetch"));
    g_assert_null(strstr(not_alone, "may still hold it"));
    g_assert_null(strstr(owned, "may still hold it"));
}

/* Attached to a hang: all that is known of a lock that readers keep is how often they hold it. */
static char *title_of_readers(gint32 state, guint16 flags)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 30 * SECOND;
    const guint32 write =
        pm_made_chain(a, "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock",
                      "com.acme.Wiki.write", "com.acme.Editor.run", NULL);
    const guint32 lock = pm_made_blocker(
        &m,
        pm_assembly_add_class(a, "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync"),
        1, write);
    for (guint i = 0; i < 2; i++) {
        PM_MADE_WAIT(a, 0, 30 * SECOND, pm_made_thread(&m, i ? "editor-1" : "editor-2"), lock,
                     write, .aqs_state = state, .flags = PM_WAIT_IN_PROGRESS | flags);
    }
    return first_title(a);
}

static void readers_since_before_the_recording_are_counted(void)
{
    g_autofree char *one = title_of_readers(1 << 16, PM_WAIT_BEGIN_UNKNOWN);
    g_autofree char *three = title_of_readers(3 << 16, PM_WAIT_BEGIN_UNKNOWN);
    g_autofree char *written = title_of_readers(1, PM_WAIT_BEGIN_UNKNOWN);
    g_autofree char *seen = title_of_readers(1 << 16, 0);
    g_assert_true(g_str_has_suffix(one, "; it was held for reading 1 time when recording began"));
    g_assert_true(
        g_str_has_suffix(three, "; it was held for reading 3 times when recording began"));
    g_assert_null(strstr(written, "when recording began"));
    g_assert_null(strstr(seen, "when recording began"));
}

/* Attached to a hang: readers do not wait for other readers, but behind the only one that wants to
 * write. Which of two is before them is not known. */
static void readers_wait_behind_the_only_writer(void)
{
    for (guint n_writers = 0; n_writers < 3; n_writers++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = 30 * SECOND;
        const guint32 write =
            pm_made_chain(a, "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock",
                          "com.acme.Wiki.set", "com.acme.Wiki.correct", NULL);
        const guint32 read =
            pm_made_chain(a, "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock",
                          "com.acme.Wiki.read", "com.acme.Visitor.run", NULL);
        const guint32 lock =
            pm_made_blocker(&m,
                            pm_assembly_add_class(
                                a, "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync"),
                            1, write);
        for (guint i = 0; i < 3 + n_writers; i++)
            PM_MADE_WAIT(a, 0, 30 * SECOND,
                         pm_made_thread(&m, i < 3 ? "visitor-%u" : "editor-%u", i), lock,
                         i < 3 ? read : write, .aqs_state = 1 << 16,
                         .flags = PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &s);
        gboolean told = FALSE;
        g_assert_cmpuint(f->n, >, 0);
        for (guint i = 0; i < f->findings[0].n_evidence; i++)
            told |= g_str_has_prefix(f->findings[0].evidence[i].text,
                                     "who wants to read waits behind editor-3, which wants to "
                                     "write in Wiki.set (Wiki.java:2) < Wiki.correct");
        g_assert_cmpint(told, ==, n_writers == 1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/keeper/who-never-gives-back-is-told", who_never_gives_back_is_told);
    g_test_add_func("/analysis/keeper/who-gives-back-once-is-not", who_gives_back_once_is_not);
    g_test_add_func("/analysis/keeper/few-gives-tell-nothing", few_gives_tell_nothing);
    g_test_add_func("/analysis/keeper/who-holds-one-and-waits-for-another-is-told",
                    who_holds_one_and_waits_for_another_is_told);
    g_test_add_func("/analysis/keeper/who-may-hold-one-is-told-where-all-wait",
                    who_may_hold_one_is_told_where_all_wait);
    g_test_add_func("/analysis/keeper/who-took-the-last-permit-keeps-it",
                    who_took_the_last_permit_keeps_it);
    g_test_add_func("/analysis/keeper/many-objects-of-one-pool-are-its-connections",
                    many_objects_of_one_pool_are_its_connections);
    g_test_add_func("/analysis/keeper/a-pool-with-a-queue-for-each-key-is-one",
                    a_pool_with_a_queue_for_each_key_is_one);
    g_test_add_func("/analysis/keeper/who-never-gives-a-connection-back-is-told",
                    who_never_gives_a_connection_back_is_told);
    g_test_add_func("/analysis/keeper/who-asks-once-more-for-what-it-has-is-told",
                    who_asks_once_more_for_what_it_has_is_told);
    g_test_add_func("/analysis/keeper/readers-since-before-the-recording-are-counted",
                    readers_since_before_the_recording_are_counted);
    g_test_add_func("/analysis/keeper/readers-wait-behind-the-only-writer",
                    readers_wait_behind_the_only_writer);
    g_test_add_func("/analysis/keeper/the-only-one-that-does-not-wait-is-told",
                    the_only_one_that_does_not_wait_is_told);
    return g_test_run();
}

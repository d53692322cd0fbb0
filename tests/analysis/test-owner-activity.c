#include "viewer/analysis/aggregation/owner-activity.h"

#include "tests/analysis/made.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

static void add_samples(PmMade *m, guint32 blocker, guint32 chain, gint64 from, guint n)
{
    for (guint i = 0; i < n; i++) {
        PmOwnerSample sample = {.at = from + i, .blocker = blocker, .owner = 1, .chain = chain};
        g_array_append_val(m->assembly->samples, sample);
    }
}

/* Named as the program calls it, not as the JDK carries it out; the one seen most. */
static void slow_call_seen_most_is_told(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 10 * SECOND;
    guint32 park = pm_made_method(a, "sun.nio.ch.Net", "poll", "Net.java");
    guint32 read = pm_made_method(a, "java.net.Socket$SocketInputStream", "read", "Socket.java");
    guint32 sleep0 = pm_made_method(a, "java.lang.Thread", "sleep0", "Thread.java");
    guint32 sleep = pm_made_method(a, "java.lang.Thread", "sleep", "Thread.java");
    guint32 fetch = pm_made_method(a, "com.acme.Feed", "fetch", "Feed.java");
    PmFrame reading[] = {{park, -1}, {read, 9}, {fetch, 20}};
    PmFrame asleep[] = {{sleep0, -1}, {sleep, 5}, {fetch, 30}};
    PmFrame busy[] = {{fetch, 40}};
    guint32 reads = pm_assembly_add_chain(a, reading, G_N_ELEMENTS(reading), FALSE);
    guint32 sleeps = pm_assembly_add_chain(a, asleep, G_N_ELEMENTS(asleep), FALSE);
    guint32 computes = pm_assembly_add_chain(a, busy, G_N_ELEMENTS(busy), FALSE);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 other = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    guint32 thread = pm_made_thread(&m, "worker");
    pm_made_wait(&m, thread, lock, m.lock_chain, 0, SECOND, 0);
    add_samples(&m, lock, reads, 1 * SECOND, 3);
    add_samples(&m, lock, sleeps, 2 * SECOND, 2);
    add_samples(&m, lock, computes, 3 * SECOND, 4);
    add_samples(&m, other, sleeps, 4 * SECOND, 50);
    add_samples(&m, lock, sleeps, 8 * SECOND, 50); /* after the view */
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->from = 0;
    filter->to = 5 * SECOND;
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    PmOwnerActivity doing;

    pm_owner_activity(view, lock, &doing);
    g_assert_cmpuint(doing.n, ==, 9);
    g_assert_cmpuint(doing.n_slow, ==, 5);
    g_assert_cmpstr(doing.frame, ==, "Socket$SocketInputStream.read");
    g_assert_cmpstr(doing.caller, ==, "Feed.fetch (Feed.java:20)");
    pm_owner_activity_clear(&doing);
}

static void who_only_computes_does_nothing_slow(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = SECOND;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    pm_made_wait(&m, pm_made_thread(&m, "worker"), lock, m.lock_chain, 0, SECOND, 0);
    add_samples(&m, lock, m.other_chain, 1, 3);
    add_samples(&m, lock, 0, 10, 3); /* it was not seen what it did */
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) view = pm_made_view(r);
    PmOwnerActivity doing;

    pm_owner_activity(view, lock, &doing);
    g_assert_cmpuint(doing.n, ==, 3);
    g_assert_cmpuint(doing.n_slow, ==, 0);
    g_assert_null(doing.frame);
    pm_owner_activity_clear(&doing);
}

/* The owner of a monitor cannot be read again on behalf of a virtual thread: what was seen when
 * that had entered is not what the owner did. */
static void once_the_waiter_has_entered_the_owner_is_none(void)
{
    for (guint is_virtual = 0; is_virtual < 2; is_virtual++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = SECOND;
        const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
        const guint32 owner = pm_made_thread(&m, "owner"), waiter = pm_made_thread(&m, "waiter");
        g_array_index(m.assembly->threads, PmThread, waiter).is_virtual = is_virtual != 0;
        for (gint64 at = 0; at < 300; at += 100)
            PM_MADE_WAIT(m.assembly, at, at + 50, waiter, lock, m.lock_chain, .owner = owner,
                         .kind = PM_KIND_ENTER);
        add_samples(&m, lock, m.other_chain, 110, 3);
        add_samples(&m, lock, m.other_chain, 160, 2);
        for (guint i = 0; i < m.assembly->samples->len; i++)
            g_array_index(m.assembly->samples, PmOwnerSample, i).waiter = waiter;
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmView) view = pm_made_view(r);
        PmOwnerActivity doing;

        pm_owner_activity(view, lock, &doing);
        g_assert_cmpuint(doing.n, ==, is_virtual ? 3 : 5);
        pm_owner_activity_clear(&doing);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/doing/slow-call-seen-most-is-told", slow_call_seen_most_is_told);
    g_test_add_func("/analysis/doing/who-only-computes-does-nothing-slow",
                    who_only_computes_does_nothing_slow);
    g_test_add_func("/analysis/doing/once-the-waiter-has-entered-the-owner-is-none",
                    once_the_waiter_has_entered_the_owner_is_none);
    return g_test_run();
}

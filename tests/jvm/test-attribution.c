/* Who is charged with a wait, on programs that write down who held what and who gave what: each
 * thread's share of the waiting is within 2 points of what the program saw itself, and nobody is
 * charged that had nothing to do with it. */
#include "viewer/analysis/loading/load.h"
#include "tests/jvm/jvm.h"
#include "tests/jvm/witness.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define POINTS 0.02 /* of the waiting */

/* -- shares -- */

static char *complain(const PmAccount *account, const char *what, const char *which)
{
    g_autofree char *text = pm_account_text(account);
    return g_strdup_printf("%s (%s): %s", which, what, text);
}

/* Who is charged had it then, as far as that is said to be exact. */
static char *check_exact(const PmAccount *account, const char *what)
{
    if (account->n_waits < 10)
        return complain(account, what, "too few waits");
    if (account->foreign > 0)
        return complain(account, what, "charged to a thread that never had it");
    if (pm_account_share(account, account->misplaced - account->guessed) > POINTS)
        return complain(account, what, "charged to a thread that did not have it then");
    return NULL;
}

/* And when nobody had it, nobody is charged. Of those that had it together one is. */
static char *check_together(const PmAccount *account, const char *what)
{
    gint64 pseudo = 0;
    for (guint i = 0; i < PM_N_CAUSES; i++)
        pseudo += account->pseudo[i];
    if (fabs(pm_account_share(account, pseudo) - pm_account_share(account, account->nobody)) >
        POINTS)
        return complain(account, what, "charged to nobody");
    if (pm_account_share(account, account->misplaced) > POINTS)
        return complain(account, what, "charged to a thread that did not have it then");
    return check_exact(account, what);
}

static char *check_shares(const PmAccount *account, const char *what)
{
    for (guint i = 0; i < account->charges->len; i++) {
        const char *thread = g_array_index(account->charges, PmCharge, i).thread;
        if (fabs(pm_account_truth(account, thread) - pm_account_charged(account, thread)) > POINTS)
            return complain(account, what, thread);
    }
    return check_together(account, what);
}

/* Runs a workload; its waits for each of `whats` (separated by spaces) go through `check`. */
static char *run(const char *workload, const char *whats,
                 char *(*check)(const PmAccount *account, const char *what))
{
    g_autofree char *path = pm_jvm_path("attribution.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(path, "maxsize=64m", "%s", workload);
    g_auto(GStrv) names = g_strsplit(whats, " ", -1);
    char *why = NULL;

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autoptr(PmWitness) witness = pm_witness_new(out);
    for (char **name = names; *name && !why; name++) {
        g_auto(PmAccount) account = {0};
        pm_account_init(&account, witness, path, *name);
        g_autofree char *text = pm_account_text(&account);
        g_test_message("%s: %s: %s", workload, *name, text);
        why = check(&account, *name);
    }
    pm_parkctl_sees(path);
    g_unlink(path);
    return why;
}

static char *fair(void)
{
    return run("UnevenOwners 1000 fair", "lock", check_shares);
}

static char *unfair(void)
{
    return run("UnevenOwners 1000 unfair", "lock", check_shares);
}

static char *monitor(void)
{
    return run("UnevenOwners 1000 monitor", "lock", check_shares);
}

/* A hold that began and ended before a woken thread came to look is seen by nobody. */
static char *barging(void)
{
    return run("Barging 800", "lock", check_exact);
}

/* Who writes has it alone, and its share is known. Of readers one at a time is charged, so together
 * they are charged with the time in which any of them had it. */
static char *check_sides(const PmAccount *account, const char *what)
{
    double readers = 0, left = 1 - pm_account_share(account, account->nobody);
    for (guint i = 0; i < account->charges->len; i++) {
        const char *thread = g_array_index(account->charges, PmCharge, i).thread;
        double truth = pm_account_truth(account, thread);
        double charged = pm_account_charged(account, thread);
        if (g_str_has_prefix(thread, "reader-")) {
            readers += charged;
            continue;
        }
        left -= truth;
        if (fabs(truth - charged) > POINTS)
            return complain(account, what, thread);
    }
    if (fabs(readers - left) > POINTS)
        return complain(account, what, "readers");
    return check_together(account, what);
}

static char *readers_writers(void)
{
    return run("ReadersWriters 800", "lock", check_sides);
}

static char *nested(void)
{
    return run("NestedLocks 800", "outer middle inner", check_shares);
}

static char *convoy(void)
{
    return run("Convoy 300", "lock", check_shares);
}

static char *semaphore(void)
{
    return run("StarvedSemaphore 1000", "permit", check_shares);
}

static char *signaller(void)
{
    return run("SlowSignaller 1000", "news", check_shares);
}

static char *notifier(void)
{
    return run("SlowSignaller 1000 monitor", "news", check_shares);
}

static char *latch(void)
{
    return run("Latch 15", "latch", check_shares);
}

static char *read_lock(void)
{
    return run("ReadLock 15", "lock", check_together);
}

static char *time_out(void)
{
    return run("ImpatientQueue 800 timeout", "lock", check_shares);
}

static char *interrupt(void)
{
    return run("ImpatientQueue 800 interrupt", "lock", check_shares);
}

/* Either may wake the client, whoever of them it was that completed the future: only what both are
 * charged with together is known. */
static char *completers(void)
{
    return run("TwoCompleters 40", "future", check_together);
}

/* The VM wakes who waits for a thread as it ends. */
static char *joins(void)
{
    return run("Joins 5", "end", check_shares);
}

/* -- pauses -- */

static char *check_pauses(const PmAccount *account, const char *what)
{
    if (pm_account_share(account, account->pseudo[PM_CAUSE_GC_PAUSE]) < 0.1)
        return complain(account, what, "pauses are not told");
    if (pm_account_share(account, account->misplaced) > POINTS)
        return complain(account, what, "owners pay for pauses");
    return NULL;
}

static char *pauses(void)
{
    return run("-XX:+UseSerialGC -Xms640m -Xmx640m -Xmn160m GcPauses 2 10", "lock", check_pauses);
}

#define SHARES_TEST(attempt)                                                                       \
    static void test_##attempt(void)                                                               \
    {                                                                                              \
        pm_attempts(8, attempt);                                                                   \
    }

SHARES_TEST(fair)
SHARES_TEST(unfair)
SHARES_TEST(monitor)
SHARES_TEST(barging)
SHARES_TEST(readers_writers)
SHARES_TEST(nested)
SHARES_TEST(convoy)
SHARES_TEST(semaphore)
SHARES_TEST(signaller)
SHARES_TEST(notifier)
SHARES_TEST(latch)
SHARES_TEST(read_lock)
SHARES_TEST(time_out)
SHARES_TEST(interrupt)
SHARES_TEST(completers)
SHARES_TEST(joins)
SHARES_TEST(pauses)

/* -- a deadlock is told while it lasts -- */

static bool sees_deadlock(void *context)
{
    g_autoptr(JsonNode) status = pm_parkctl_json("%d status", *(int *)context);
    return pm_json_int(json_node_get_object(status), "deadlocks") > 0;
}

static char *deadlock(void)
{
    g_autofree char *path = pm_jvm_path("deadlock.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(path, "maxsize=16m", "Deadlock");
    int pid = pm_jvm_pid(jvm);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    gint64 begin_us = g_get_monotonic_time();
    if (!pm_poll(sees_deadlock, &pid))
        g_error("no deadlock is told");
    double seconds = (double)(g_get_monotonic_time() - begin_us) / G_USEC_PER_SEC;
    g_test_message("told after %.2f s", seconds);
    return seconds <= 2 ? NULL : g_strdup_printf("told after %.2f s", seconds);
}

SHARES_TEST(deadlock)

/* -- findings -- */

static bool has_findings(JsonNode *node)
{
    JsonArray *findings = pm_json_array(node, "findings");
    return json_array_get_length(findings) != 0;
}

/* Asked while it runs and afterwards. */
static char *healthy(void)
{
    g_autofree char *path = pm_jvm_path("healthy.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(path, "maxsize=16m", "Healthy");

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_usleep(3 * G_USEC_PER_SEC / 2);
    g_autoptr(JsonNode) live = pm_parkctl_json("%d findings", pm_jvm_pid(jvm));
    pm_jvm_kill(jvm, 15);
    pm_jvm_wait(jvm);
    g_autoptr(JsonNode) ended = pm_parkctl_json("findings %s", path);
    g_unlink(path);
    return has_findings(live)    ? json_to_string(live, FALSE)
           : has_findings(ended) ? json_to_string(ended, FALSE)
                                 : NULL;
}

static char *socket_read(void)
{
    g_autofree char *path = pm_jvm_path("socket.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(path, "maxsize=16m", "SocketRead 1500");

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(JsonNode) node = pm_parkctl_json("findings %s", path);
    JsonArray *findings = pm_json_array(node, "findings");
    pm_parkctl_sees(path);
    g_unlink(path);
    if (json_array_get_length(findings) == 0)
        return g_strdup("no finding");
    JsonObject *first = json_array_get_object_element(findings, 0);
    g_test_message("%s", pm_json_string(first, "title"));
    if (strcmp(pm_json_string(first, "rule"), "lock-held-over-io") != 0 ||
        !strstr(pm_json_string(first, "title"), "SocketInputStream.read"))
        return json_to_string(node, FALSE);
    return NULL;
}

/* Most looks at owners are at who holds what is waited for then, though each lock is waited for but
 * once, and for a moment. */
static char *loaded_anew(void)
{
    g_autofree char *path = pm_jvm_path("loaded.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(path, "maxsize=16m", "LoadedAnew 3000");

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(PmRecording) recording = pm_recording_load(path, 0, NULL, NULL, NULL, NULL);
    g_unlink(path);
    guint n = 0, n_loading = 0;
    for (guint i = 0; i < recording->n_samples; i++) {
        const PmOwnerSample *sample = &recording->samples[i];
        const PmChain *chain = &recording->chains[sample->chain];
        gboolean loading = FALSE;
        if (sample->role != PM_SAMPLE_OWNER || !sample->chain)
            continue;
        for (guint f = 0; f < chain->n_frames; f++)
            loading |= strcmp(recording->methods[chain->frames[f].method].name, "load") == 0;
        n++;
        n_loading += loading;
    }
    g_test_message("%u of %u samples of owners are of the load", n_loading, n);
    return n >= 10 && n_loading * 10 >= n * 8 ? NULL : g_strdup("owners of something else");
}

SHARES_TEST(healthy)
SHARES_TEST(socket_read)
SHARES_TEST(loaded_anew)

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/attribution/owners-of-a-fair-lock", test_fair);
    pm_jvm_add("/attribution/owners-of-an-unfair-lock", test_unfair);
    pm_jvm_add("/attribution/owners-of-a-monitor", test_monitor);
    pm_jvm_add("/attribution/barging-threads", test_barging);
    pm_jvm_add("/attribution/readers-and-writers", test_readers_writers);
    pm_jvm_add("/attribution/nested-locks", test_nested);
    pm_jvm_add("/attribution/a-convoy", test_convoy);
    pm_jvm_add("/attribution/a-starved-semaphore", test_semaphore);
    pm_jvm_add("/attribution/a-slow-signaller", test_signaller);
    pm_jvm_add("/attribution/a-slow-notifier", test_notifier);
    pm_jvm_add("/attribution/a-latch-whose-waiters-wake-each-other", test_latch);
    pm_jvm_add("/attribution/a-read-lock-whose-waiters-wake-each-other", test_read_lock);
    pm_jvm_add("/attribution/timeouts-in-the-middle-of-a-queue", test_time_out);
    pm_jvm_add("/attribution/interrupts-in-the-middle-of-a-queue", test_interrupt);
    pm_jvm_add("/attribution/a-future-with-two-completers", test_completers);
    pm_jvm_add("/attribution/the-end-of-a-thread", test_joins);
    pm_jvm_add("/attribution/gc-pauses-are-nobodys", test_pauses);
    pm_jvm_add("/attribution/a-deadlock-is-told-within-two-seconds", test_deadlock);
    pm_jvm_add("/attribution/nothing-wrong-no-finding", test_healthy);
    pm_jvm_add("/attribution/a-lock-held-over-a-socket-read-names-the-read", test_socket_read);
    pm_jvm_add("/attribution/owners-of-locks-that-are-waited-for-once", test_loaded_anew);
    return pm_jvm_run();
}

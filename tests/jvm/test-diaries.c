/* Programs made of chance, held against what they wrote down themselves: no part of their waits
 * that is said to be exact is charged to a thread that had nothing to do with it then. One seed of
 * each kind; with PM_LONG=1 as many as PM_SEEDS says (20), from PM_FIRST_SEED (1) on, and each
 * thread's share of the waiting is within the kind's margin too. With PM_DIARIES=FOLDER what was
 * recorded is kept there, and read again by the next run. */
#include "viewer/analysis/loading/load.h"
#include "tests/jvm/jvm.h"
#include "tests/jvm/witness.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS         20
#define ATTEMPTS      4
#define MOST_OFF      0.1 /* of the seeds, by chance of what went unseen */
#define MIN_WAITING_S 0.1 /* of less there is no share to speak of */

/* What it may be off by, of the waiting: 2 points where what is needed is seen. Where it is not, as
 * takes that did not wait, readers that are not the last to go or push in, and elements that
 * another consumer got, what is measured (docs/accuracy.md). */
static const struct kind {
    const char *name, *whats;
    double margin;
} kinds[] = {
    {"read-write", "lock", 0.05}, {"stamped", "lock", 0.20},   {"semaphore", "permit", 0.30},
    {"condition", "news", 0.15},  {"condition", "lock", 0.02}, {"phaser", "phase", 0.02},
    {"queue", "element", 0.05},   {"queue", "room", 0.15},     {"future", "future", 0.02},
};

static double worst_share(const PmAccount *account)
{
    double worst = 0;
    for (guint i = 0; i < account->charges->len; i++) {
        const PmCharge *charge = &g_array_index(account->charges, PmCharge, i);
        worst = MAX(worst, fabs(pm_account_share(account, charge->charged - charge->truth)));
    }
    return worst;
}

/* Runs the program, or takes what is kept of it. */
static char *recorded(const char *name, guint seed, const char *path)
{
    g_autofree char *told = g_strdup_printf("%s.txt", path);
    g_autofree char *program = g_strdup_printf("Diaries %s %u 2000", name, seed);
    char *out = NULL;
    if (g_getenv("PM_DIARIES") && g_file_get_contents(told, &out, NULL, NULL))
        return out;
    g_autoptr(PmJvm) jvm = pm_jvm_record(path, "maxsize=64m", "%s", program);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    out = pm_jvm_stdout(jvm);
    if (g_getenv("PM_DIARIES"))
        g_file_set_contents(told, out, -1, NULL);
    return out;
}

/* Whether some wait for the lock began while readers held it, and tells how many. */
static gboolean counts_readers(const char *path)
{
    g_autoptr(PmRecording) recording = pm_recording_load(path, 0, NULL, NULL, NULL, NULL);
    gboolean counts = FALSE;
    for (gsize row = 0; recording && row < recording->waits.n; row++)
        counts |= pm_wait_kind(&recording->waits, row) == PM_KIND_PARK &&
                  (guint32)pm_wait_aqs_state(&recording->waits, row) >> 16 > 0;
    return counts;
}

/* One run; of each thing wanted, whether a share is off is counted. */
static char *check(const char *name, guint seed, guint *n_off)
{
    const char *folder = g_getenv("PM_DIARIES");
    g_autofree char *file = g_strdup_printf("%s-%u-%d.park", name, seed, pm_jvm_major());
    g_autofree char *path = folder ? g_build_filename(folder, file, NULL) : pm_jvm_path("%s", file);
    g_autofree char *out = recorded(name, seed, path);
    g_autoptr(PmWitness) witness = pm_witness_new(out);
    char *why = NULL;

    for (gsize i = 0; i < G_N_ELEMENTS(kinds) && !why; i++) {
        const struct kind *kind = &kinds[i];
        g_auto(PmAccount) account = {0};
        if (strcmp(kind->name, name) != 0)
            continue;
        pm_account_init(&account, witness, path, kind->whats);
        g_autofree char *text = pm_account_text(&account);
        double worst = worst_share(&account);
        g_test_message("%s %u: %s: worst share %.4f; %s", name, seed, kind->whats, worst, text);
        if (account.n_wrong > 0)
            why = g_strdup_printf("%s %u: %s: exact and wrong: %s", name, seed, kind->whats, text);
        n_off[i] += worst > kind->margin && (double)account.waiting > MIN_WAITING_S * 1e9;
    }
    if (strcmp(kinds[0].name, name) == 0 || strcmp(kinds[1].name, name) == 0)
        g_assert_true(counts_readers(path));
    if (!folder)
        g_unlink(path);
    return why;
}

/* Between a look at the clock and what it is of a thread may lose its core: such a run does not
 * count, if one of four is right. */
static void check_all(const char *name)
{
    const gboolean is_long = g_getenv("PM_LONG") != NULL;
    const guint n = !is_long ? 1 : g_getenv("PM_SEEDS") ? (guint)atoi(g_getenv("PM_SEEDS")) : SEEDS;
    const guint first = g_getenv("PM_FIRST_SEED") ? (guint)atoi(g_getenv("PM_FIRST_SEED")) : 1;
    guint n_off[G_N_ELEMENTS(kinds)] = {0};

    for (guint seed = first; seed < first + n; seed++) {
        g_autofree char *why = NULL;
        for (guint attempt = 0; attempt < ATTEMPTS && (attempt == 0 || why); attempt++) {
            g_free(why);
            why = check(name, seed, attempt == 0 ? n_off : (guint[G_N_ELEMENTS(kinds)]){0});
        }
        if (why) {
            g_test_message("%s", why);
            g_test_fail();
        }
    }
    for (gsize i = 0; i < G_N_ELEMENTS(kinds) && is_long; i++)
        if (n_off[i] > MOST_OFF * n) {
            g_test_message("%s: %s: of %u seeds %u are off by more than %.0f points", name,
                           kinds[i].whats, n, n_off[i], 100 * kinds[i].margin);
            g_test_fail();
        }
}

#define KIND_TEST(name, kind)                                                                      \
    static void test_##name(void)                                                                  \
    {                                                                                              \
        check_all(kind);                                                                           \
    }

KIND_TEST(read_write, "read-write")
KIND_TEST(stamped, "stamped")
KIND_TEST(semaphore, "semaphore")
KIND_TEST(condition, "condition")
KIND_TEST(phaser, "phaser")
KIND_TEST(queue, "queue")
KIND_TEST(future, "future")

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/diaries/read-write", test_read_write);
    pm_jvm_add("/diaries/stamped", test_stamped);
    pm_jvm_add("/diaries/semaphore", test_semaphore);
    pm_jvm_add("/diaries/condition", test_condition);
    pm_jvm_add("/diaries/phaser", test_phaser);
    pm_jvm_add("/diaries/queue", test_queue);
    pm_jvm_add("/diaries/future", test_future);
    return pm_jvm_run();
}

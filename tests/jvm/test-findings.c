/* Each finding of a program that has the problem, asked for while it runs. */
#include "tests/jvm/jvm.h"

#include <string.h>

/* A row a rule; check-tables says when one is missing. */
#define BUSY "Troubles busy 600"

static const struct shown {
    const char *rule, *options, *arguments;
    int since; /* the first JDK that has what it takes */
} shown[] = {
    {"deadlock", "", "Deadlock 1", 17},
    {"own-pool", "", "Troubles own-pool 600", 17},
    {"nobody-left", "", "Troubles mutual 600", 17},
    {"forgotten", "", "Troubles forgotten 600", 17},
    {"stuck-wait", "", "SleepingOwner 2", 17},
    {"gc", "", "-Xmx600m GcPauses 0 4", 17},
    {"carriers", "", "BusyCarriers busy 600", 21},
    {"timed-polling", "", "Troubles polling 600", 17},
    {"resource-exhausted", "", "StarvedSemaphore 0", 17},
    {"lock-held-over-io", "", "ImpatientQueue 0 timeout", 17},
    {"convoy", "", "NestedLocks 0", 17},
    {"fair-hand-over", "", "ContendedLock 600 0 8 500 500 fair", 17},
    {"lock-dominates", "", "ContendedLock 600 0 8 500 500 barging", 17},
    {"last-thread", "", "Troubles last 600", 17},
    {"leak", "alloc=on", "-Xmx1g Leaks map 600", 17},
    {"over-quota", "alloc=0,accounts=Leaks$Guilty quota=64k", "-Xmx1g Leaks map 600", 17},
    {"allocation-hot-spot", "alloc=on",
     "-Xmx256m -Xmn48m -XX:SurvivorRatio=1 -XX:+UseSerialGC Troubles garbage 600", 17},
    {"wait-dominates", "", "Futures 600 0", 17},
    {"busy-pool", "", BUSY, 17},
    {"event-loop", "", BUSY, 17},
};

static PmJvm *busy; /* seen after ten seconds: begun first */

struct question {
    int pid;
    const char *rule;
};

/* False also as long as the recorder is not there yet. */
static bool is_found(void *context)
{
    const struct question *question = context;
    g_auto(PmRun) run = {0};
    pm_parkctl(&run, "%d findings --format=json", question->pid);
    g_autoptr(JsonNode) node = run.status == 0 ? json_from_string(run.out, NULL) : NULL;
    JsonArray *findings = node ? pm_json_array(node, "findings") : NULL;
    for (guint i = 0; findings && i < json_array_get_length(findings); i++)
        if (strcmp(pm_json_string(json_array_get_object_element(findings, i), "rule"),
                   question->rule) == 0)
            return true;
    return false;
}

static PmJvm *begin(const struct shown *row)
{
    g_autofree char *recording = pm_jvm_path("%s.park", row->rule);
    return pm_jvm_record(recording, row->options, "%s", row->arguments);
}

static void test_shown(gconstpointer data)
{
    const struct shown *row = data;
    if (pm_jvm_major() < row->since) {
        g_test_skip("no JDK of this version on this machine, or one without virtual threads");
        return;
    }
    const bool is_busy = strcmp(row->arguments, BUSY) == 0;
    g_autoptr(PmJvm) jvm = is_busy ? NULL : begin(row);
    struct question question = {pm_jvm_pid(is_busy ? busy : jvm), row->rule};
    /* a busy machine makes earlier waits long, and what is stuck must have lasted longer */
    if (!pm_poll(is_found, &question) && !pm_poll(is_found, &question) &&
        !pm_poll(is_found, &question))
        g_error("%s is not found", row->rule);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    if (pm_jvm_major() > 0)
        busy = begin(&shown[G_N_ELEMENTS(shown) - 1]);
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        g_autofree char *path =
            g_strdup_printf("/jvm-%s/findings/%s", g_getenv("PM_JAVA_MAJOR"), shown[i].rule);
        g_test_add_data_func(path, &shown[i], test_shown);
    }
    const int status = pm_jvm_run();
    g_clear_pointer(&busy, pm_jvm_free);
    return status;
}

/* Waits in progress that are counted and not listed. */
#include <json-glib/json-glib.h>

#include "tests/analysis/made.h"
#include "viewer/report/now.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

/* How many wait, as told of `n` at a lock of whom two have rows; the snapshot that counts them is
 * of `snapshot_at`, the recording ends after ten seconds. */
static gint64 threads_told(guint32 n, guint64 not_stored, gint64 snapshot_at)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    PmLedgerRow row = {.blocker = lock};
    row.counters.now = n;
    row.counters.not_stored = not_stored;
    m.assembly->duration = 10 * SECOND;
    m.assembly->ledger_at = snapshot_at;
    g_array_append_val(m.assembly->ledger, row);
    for (int i = 0; i < 2; i++)
        pm_made_wait(&m, pm_made_thread(&m, i ? "a" : "b"), lock, m.lock_chain, SECOND, 10 * SECOND,
                     PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) view = pm_made_view(r);
    g_autoptr(PmSummary) summary = pm_summary_new(view, r->duration, NULL);
    g_autoptr(GString) out = g_string_new(NULL);
    const PmOutput output = {.format = PM_FORMAT_JSON};
    g_assert_true(pm_now_write(summary, &output, out));
    g_autoptr(JsonNode) now = json_from_string(out->str, NULL);
    return json_object_get_int_member(json_node_get_object(now), "threads");
}

/* The last flush and the last snapshot need not be of one instant. */
static void each_is_told_once(void)
{
    g_assert_cmpint(threads_told(3, 1, 9 * SECOND), ==, 3);
    g_assert_cmpint(threads_told(3, 1, 10 * SECOND), ==, 3);
    g_assert_cmpint(threads_told(3, 1, 10 * SECOND + 5), ==, 3);
}

/* None was dropped, but a small chunk has no room for all rows. */
static void what_has_no_row_is_counted(void)
{
    g_assert_cmpint(threads_told(9000, 0, 10 * SECOND), ==, 9000);
    g_assert_cmpint(threads_told(3, 0, 10 * SECOND), ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/now/each-is-told-once", each_is_told_once);
    g_test_add_func("/report/now/what-has-no-row-is-counted", what_has_no_row_is_counted);
    return g_test_run();
}

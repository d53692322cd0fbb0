/* bench-analysis FILE [threads [no-causes]]: loads a recording and asks each question of the
 * analysis once, a tree by causes last; prints seconds of each, and memory, as JSON: what was
 * resident after each, and at the most while it was computed. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/curves/series.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/findings/findings.h"

static double now_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static guint64 memory_kib(const char *name)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL))
        return 0;
    const char *at = strstr(text, name);
    return at != NULL ? g_ascii_strtoull(at + strlen(name) + 1, NULL, 10) : 0;
}

static double began, wall_began;

/* From here on the most that is resident is counted anew. */
static void start(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file != NULL) {
        fputs("5", file);
        fclose(file);
    }
    began = now_s(CLOCK_PROCESS_CPUTIME_ID);
    wall_began = now_s(CLOCK_MONOTONIC);
}

static void done(const char *name)
{
    const double cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - began,
                 wall_s = now_s(CLOCK_MONOTONIC) - wall_began;
    malloc_trim(0); /* as the window does: what was freed is not resident */
    printf(",\n \"%s\":{\"cpu_s\":%.3f,\"wall_s\":%.3f,\"resident_mib\":%.0f,\"peak_mib\":%.0f,"
           "\"file_mib\":%.0f}",
           name, cpu_s, wall_s, (double)memory_kib("VmRSS:") / 1024,
           (double)memory_kib("VmHWM:") / 1024, (double)pm_region_file_bytes() / (1 << 20));
    fflush(stdout);
}

static void tree(PmView *view, const char *name, const PmAspect *aspects, guint n)
{
    start();
    PmTree *t = pm_tree_new_closed(view, aspects, n, NULL);
    done(name);
    pm_tree_free(t);
}

/* As parkctl finds them, from all causes, or as the window does. */
static PmFindings *findings_new(const PmSummary *summary, gboolean of_all)
{
    PmRecording *r = summary->metrics->view->recording;

    return of_all ? pm_findings_new(summary, pm_recording_contention(r, NULL), NULL)
                  : pm_findings_new_bounded(summary, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [threads [no-causes]]\n", argv[0]);
        return 2;
    }
    g_autoptr(GError) error = NULL;
    double wall = now_s(CLOCK_MONOTONIC);
    start();
    guint threads = argc > 2 ? (guint)g_ascii_strtoull(argv[2], NULL, 10) : 0;
    g_autoptr(PmRecording) r = pm_recording_load(argv[1], threads, NULL, NULL, NULL, &error);
    if (r == NULL) {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    printf("{\"waits\":%" G_GSIZE_FORMAT ",\"load_wall_s\":%.3f", r->waits.n,
           now_s(CLOCK_MONOTONIC) - wall);
    done("load");
    printf(",\n \"column_bits\":[");
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) {
        const PmPacked *column = &r->waits.columns[c];
        double bits = 0;
        for (gsize b = 0; b < column->n_blocks; b++)
            bits += column->blocks[b].width;
        printf("%s%.1f", c > 0 ? "," : "", bits / (double)MAX(column->n_blocks, 1));
    }
    printf("]");

    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->idle = TRUE;
    start();
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    done("view");
    start();
    g_autoptr(PmMetrics) metrics = pm_metrics_new(view, NULL);
    done("metrics");
    tree(view, "tree_class", (PmAspect[]){PM_ASPECT_CLASS}, 1);
    tree(view, "tree_class_blocker_chain",
         (PmAspect[]){PM_ASPECT_CLASS, PM_ASPECT_BLOCKER, PM_ASPECT_CHAIN}, 3);
    tree(view, "tree_group_thread_site",
         (PmAspect[]){PM_ASPECT_GROUP, PM_ASPECT_THREAD, PM_ASPECT_SITE}, 3);
    start();
    g_autoptr(PmParkedNow) parked = pm_parked_now_new(view, NULL);
    done("parked_now");
    start();
    PmBucket buckets[1600];
    for (guint i = 0; i < 20; i++)
        pm_parked_now_read(parked, view->from, view->to - i, G_N_ELEMENTS(buckets), buckets);
    printf(",\"parked_now_read_ms\":%.2f", (now_s(CLOCK_PROCESS_CPUTIME_ID) - began) * 1e3 / 20);
    start();
    g_autoptr(PmBandOrder) order = pm_band_order_new(r, PM_ASPECT_BLOCKER, TRUE);
    done("band_order");
    start();
    g_autoptr(PmBands) bands = pm_bands_new(parked, order, NULL);
    done("bands");
    start();
    static double means[1600 * (PM_N_BANDS + 1)];
    for (guint i = 0; i < 20; i++)
        pm_bands_read(bands, view->from, view->to - i, 1600, means);
    printf(",\"bands_read_ms\":%.2f", (now_s(CLOCK_PROCESS_CPUTIME_ID) - began) * 1e3 / 20);
    start();
    g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
    done("summary");
    start();
    if (argc <= 3) {
        pm_recording_contention(r, NULL);
        done("contention");
        start();
    }
    g_autoptr(PmFindings) findings = findings_new(summary, argc <= 3);
    done("findings");
    /* As after a drag over half of it, with what is known of the whole. */
    const gint64 quarter = (view->to - view->from) / 4;
    const PmAspect on_what[] = {PM_ASPECT_ALIKE, PM_ASPECT_BLOCKER, PM_ASPECT_SITE};
    tree(view, "tree_on_what", on_what, 3);
    start();
    g_autoptr(PmView) half =
        pm_view_new_range(view, view->from + quarter, view->to - quarter, NULL);
    done("half_view");
    tree(half, "half_tree_on_what", on_what, 3);
    start();
    g_autoptr(PmSummary) half_summary = pm_summary_new(half, half->to, NULL);
    done("half_summary");
    start();
    g_autoptr(PmFindings) half_findings = findings_new(half_summary, argc <= 3);
    done("half_findings");
    if (argc <= 3)
        tree(view, "tree_cause_site", (PmAspect[]){PM_ASPECT_CAUSE_SITE, PM_ASPECT_SITE}, 2);
    printf("}\n");
    return 0;
}

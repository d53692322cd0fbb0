/* Memory as a recording tells it: states, trees and what grows, beside sums over the rows that the
 * recording was made of. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "tests/analysis/made.h"
#include "tests/analysis/see.h"
#include "tests/format/synthetic.h"
#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/analysis/code/account.h"
#include "viewer/analysis/memory/growth.h"
#include "viewer/analysis/memory/held.h"
#include "viewer/analysis/memory/hot-spot.h"
#include "viewer/analysis/memory/memory-series.h"
#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/analysis/memory/quota.h"
#include "viewer/analysis/memory/trend.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

typedef struct {
    struct syn *s;
    pm_class_id order, line;
    pm_chain_id parse, take;
    pm_thread_id worker;
} Made;

static Made made_new(void)
{
    Made m = {.s = syn_new()};
    m.order = syn_class(m.s, "com.acme.Order");
    m.line = syn_class(m.s, "byte[]");
    m.parse = syn_chain(m.s, "java.util.Arrays.copyOf(Arrays.java:10)",
                        "com.acme.Xml.parse(Xml.java:20)", NULL);
    m.take = syn_chain(m.s, "com.acme.Orders.take(Orders.java:5)", NULL);
    m.worker = syn_thread(m.s, "worker-1");
    return m;
}

static PmRecording *finish(Made *m, int64_t end_ns)
{
    g_autoptr(GError) error = NULL;
    PmRecording *r = pm_recording_load_source(syn_finish(m->s, end_ns), "made.park", 1, NULL, NULL,
                                              NULL, &error);
    g_assert_no_error(error);
    syn_free(m->s);
    return r;
}

static struct pm_memory_sum estimated(int64_t samples)
{
    return (struct pm_memory_sum){samples, samples * 512, samples * 512 * KIB,
                                  (int64_t)(512 * sqrt((double)samples)),
                                  (int64_t)(512 * (double)KIB * sqrt((double)samples))};
}

static void snapshot(Made *m, int64_t at, int64_t old_gcs, int64_t orders, int64_t lines)
{
    const struct pm_memory_cell cells[] = {
        {m->order, m->take, estimated(2 * orders), estimated(orders)},
        {m->line, m->parse, estimated(lines + old_gcs), estimated(lines)}};
    syn_memory(m->s,
               (struct pm_memory_head){.at_ns = at,
                                       .live_at_ns = at,
                                       .interval_bytes = 512 * KIB,
                                       .gcs = 2 * old_gcs,
                                       .old_gcs = old_gcs,
                                       .place = PM_SNAPSHOT_PERIODIC},
               cells, 2);
}

/* ---- estimates ---- */

static void test_bounds(void)
{
    const struct pm_memory_sum sum = estimated(100);
    const PmEstimate e = pm_estimate_of_sum(&sum);
    const PmBounds b = pm_estimate_bytes(&e);
    /* Where the truth is a bound, what was seen lies three of its own errors away. */
    const double c = e.bytes_variance / e.bytes;
    g_assert_cmpfloat(fabs(b.low + 3 * sqrt(c * b.low) - e.bytes), <, 1);
    g_assert_cmpfloat(fabs(b.high - 3 * sqrt(c * b.high) - e.bytes), <, 1);
    const struct pm_memory_sum exact = {5, 5, 120, 0, 0};
    const PmEstimate x = pm_estimate_of_sum(&exact);
    g_assert_true(pm_estimate_is_exact(&x));
    g_assert_cmpfloat(pm_estimate_bytes(&x).low, ==, 120);
    g_assert_cmpfloat(pm_estimate_bytes(&x).high, ==, 120);
    const PmAllocation small = {.size = 16, .interval = 512 * KIB};
    const PmEstimate one = pm_estimate_of_object(&small);
    g_assert_cmpfloat(fabs(one.bytes - 512 * (double)KIB), <, 16);
    const PmAllocation halved = {.size = 16, .interval = 512 * KIB, .halvings = 3};
    g_assert_cmpfloat(fabs(pm_estimate_of_object(&halved).bytes / one.bytes - 8), <, 1e-9);
    const PmAllocation every = {.size = 16};
    const PmEstimate counted = pm_estimate_of_object(&every);
    g_assert_true(pm_estimate_is_exact(&counted));
}

/* ---- states and trees ---- */

static void test_states(void)
{
    Made m = made_new();
    snapshot(&m, 1 * SYN_S, 1, 10, 20);
    snapshot(&m, 3 * SYN_S, 2, 30, 20);
    g_autoptr(PmRecording) r = finish(&m, 5 * SYN_S);
    g_assert_null(pm_memory_state_new(r, SYN_S / 2));
    g_autoptr(PmMemoryState) first = pm_memory_state_new(r, 2 * SYN_S);
    g_autoptr(PmMemoryState) last = pm_memory_state_new(r, 5 * SYN_S);
    g_assert_cmpuint(last->n_parts, ==, 2);
    g_assert_cmpint(first->live.samples, ==, 30);
    g_assert_cmpint(last->live.samples, ==, 50);
    g_assert_cmpint(last->last->old_gcs, ==, 2);
    g_assert_null(pm_memory_state_find(last, 99, 0));
}

static const PmMemoryNode *child_of(const PmMemoryTree *tree, const PmMemoryNode *node,
                                    const char *text)
{
    for (guint i = 0; i < node->children->len; i++) {
        const PmMemoryNode *child = node->children->pdata[i];
        g_autofree char *key = pm_memory_key_text(tree->recording, child->aspect, child->key);
        if (strcmp(key, text) == 0)
            return child;
    }
    g_error("no %s", text);
}

static PmMemoryTree *tree_by(PmRecording *r, const PmFilter *filter, const char *by)
{
    g_auto(GStrv) names = g_strsplit(by, ",", -1);
    PmMemoryAspect aspects[PM_MEMORY_MOST];
    g_autoptr(GError) error = NULL;
    const guint n = g_strv_length(names);
    for (guint i = 0; i < n; i++)
        g_assert_true(pm_memory_aspect_parse(names[i], &aspects[i]));
    PmMemoryTree *tree = pm_memory_tree_new(r, filter, aspects, n, &error);
    g_assert_no_error(error);
    return tree;
}

static void test_tree(void)
{
    Made m = made_new();
    snapshot(&m, 1 * SYN_S, 1, 10, 20);
    snapshot(&m, 3 * SYN_S, 2, 30, 20);
    g_autoptr(PmRecording) r = finish(&m, 5 * SYN_S);
    g_autoptr(PmMemoryTree) all = tree_by(r, NULL, "site,class");
    g_assert_cmpint(all->root->live.samples, ==, 50);
    /* The frame that wanted it, not the platform's. */
    const PmMemoryNode *parse = child_of(all, all->root, "Xml.parse (Xml.java:20)");
    g_assert_cmpint(parse->live.samples, ==, 20);
    g_assert_cmpint(child_of(all, parse, "byte[]")->live.samples, ==, 20);

    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->from = 2 * SYN_S;
    filter->to = 4 * SYN_S;
    g_autoptr(PmMemoryTree) between = tree_by(r, filter, "class");
    const PmMemoryNode *order = child_of(between, between->root, "Order");
    PmBounds bounds;
    g_assert_cmpint(order->total.samples, ==, 40);
    g_assert_cmpfloat(pm_memory_growth(order, &bounds), ==, 20 * 512 * (double)KIB);
    g_assert_cmpfloat(bounds.low, <, 20 * 512 * (double)KIB);
    g_assert_cmpfloat(bounds.low, >, 0);
    g_assert_cmpfloat(pm_memory_rate(between, order), ==, 40 * 512 * (double)KIB / 2);
    pm_filter_add_chip(filter, PM_ASPECT_CLASS, "com.acme.*", FALSE);
    g_autoptr(PmMemoryTree) chosen = tree_by(r, filter, "class");
    g_assert_cmpuint(chosen->root->children->len, ==, 1);
    pm_filter_add_chip(filter, PM_ASPECT_OWNER, "x", FALSE);
    g_autoptr(GError) error = NULL;
    g_assert_null(pm_memory_tree_new(r, filter, NULL, 0, &error));
    g_assert_nonnull(strstr(error->message, "allocations have no owner"));
    PmMemoryAspect aspect;
    g_assert_false(pm_memory_aspect_parse("blocker", &aspect));
}

/* Thread and age are told of samples and of what was listed. */
static void test_samples(void)
{
    Made m = made_new();
    snapshot(&m, 1 * SYN_S, 1, 10, 20);
    for (guint i = 0; i < 7; i++)
        syn_allocation(m.s, (struct pm_allocation){SYN_S, 24, 0, m.worker, m.order, m.take, 0, 0});
    syn_live(m.s, (struct pm_allocation){SYN_S, 24, 0, m.worker, m.order, m.take, 5, 0});
    syn_live(m.s, (struct pm_allocation){SYN_S, 24, 0, m.worker, m.order, m.take, 1, 2});
    g_autoptr(PmRecording) r = finish(&m, 5 * SYN_S);
    g_autoptr(PmMemoryTree) threads = tree_by(r, NULL, "thread,class");
    g_assert_true(threads->from_samples);
    const PmMemoryNode *worker = child_of(threads, threads->root, "worker-1");
    g_assert_cmpfloat(worker->total.bytes, ==, 7 * 24);
    g_assert_cmpfloat(worker->live.objects, ==, 1 + 4);
    /* A rate is one of what was recorded, however long the range is. */
    g_autoptr(PmFilter) ever = pm_filter_new();
    ever->from = G_MININT64;
    ever->to = G_MAXINT64;
    g_autoptr(PmMemoryTree) whole = tree_by(r, ever, "thread");
    g_assert_cmpfloat(pm_memory_rate(whole, whole->root), ==, 7 * 24 / 5.0);
    ever->from = -3600 * SYN_S;
    ever->to = 3600 * SYN_S;
    g_autoptr(PmMemoryTree) hours = tree_by(r, ever, "thread");
    g_assert_cmpfloat(pm_memory_rate(hours, hours->root), ==, 7 * 24 / 5.0);
    g_autoptr(PmMemoryTree) ages = tree_by(r, NULL, "age");
    g_assert_cmpfloat(child_of(ages, ages->root, "4 to 7 GCs")->live.objects, ==, 1);
    g_assert_cmpfloat(child_of(ages, ages->root, "1 GC")->live.objects, ==, 4);
}

/* A class of which ten samples were taken at a small interval and none since at one 32 times as
 * long: as much of it may have been allocated as those could have missed. */
static void test_raised(void)
{
    Made m = made_new();
    const struct pm_memory_cell before[] = {{m.order, m.take, estimated(10), estimated(0)}};
    struct pm_memory_sum all = estimated(10);
    syn_memory(m.s,
               (struct pm_memory_head){.at_ns = SYN_S, .interval_bytes = 512 * KIB, .total = all},
               before, 1);
    all.bytes += 99 * all.bytes;
    const struct pm_memory_sum lines = {31, 31 << 14, all.bytes - before[0].total.bytes, 91221,
                                        93 * MIB};
    const struct pm_memory_cell after[] = {{m.line, m.parse, lines, estimated(0)}};
    syn_memory(
        m.s, (struct pm_memory_head){.at_ns = 3 * SYN_S, .interval_bytes = 16 * MIB, .total = all},
        after, 1);
    g_autoptr(PmRecording) r = finish(&m, 5 * SYN_S);
    r->facts.jvm = "OpenJDK 25.0.3";
    g_autoptr(PmMemoryTree) tree = tree_by(r, NULL, "class");
    const PmMemoryNode *order = child_of(tree, tree->root, "Order");
    const PmBounds late = pm_estimate_bytes(&order->total);
    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->to = 2 * SYN_S;
    g_autoptr(PmMemoryTree) first = tree_by(r, filter, "class");
    const PmBounds early = pm_estimate_bytes(&child_of(first, first->root, "Order")->total);
    /* What is missed at an interval with a chance of e⁻⁹ are nine of it. */
    g_assert_cmpfloat(early.high, <, 26 * 512 * (double)KIB);
    g_assert_cmpfloat(late.high, >, 9 * 15 * (double)MIB);
    g_assert_cmpfloat(late.high, <, 9 * 16 * (double)MIB + 6 * order->total.bytes);
    g_assert_cmpfloat(late.low, <, early.low);
}

/* Up to JDK 24 what was sampled at long intervals may be wrong by the sampler's own bias. */
static void test_biased(void)
{
    static const char *const jvms[] = {"OpenJDK 25.0.3", "OpenJDK 17.0.15", "JVM"};
    static const int64_t intervals[] = {512 * KIB, 8 * MIB};
    for (guint k = 0; k < 2; k++) {
        Made m = made_new();
        const struct pm_memory_cell cell = {m.order, m.take, estimated(100), estimated(100)};
        const struct pm_memory_head head = {
            .at_ns = SYN_S, .interval_bytes = intervals[k], .total = cell.total};
        PmBounds bounds[G_N_ELEMENTS(jvms)];
        syn_memory(m.s, head, &cell, 1);
        g_autoptr(PmRecording) r = finish(&m, 5 * SYN_S);
        for (guint i = 0; i < G_N_ELEMENTS(jvms); i++) {
            r->facts.jvm = jvms[i];
            g_autoptr(PmMemoryTree) tree = tree_by(r, NULL, "class");
            bounds[i] = pm_estimate_bytes(&tree->root->total);
        }
        const double factor = k == 0 ? 1 : 2.52;
        g_assert_cmpfloat(fabs(bounds[1].high / bounds[0].high - factor), <, 0.01);
        g_assert_cmpfloat(fabs(bounds[0].low / bounds[1].low - factor), <, 0.01);
        g_assert_cmpfloat(bounds[2].high, ==, bounds[0].high);
    }
}

/* So may, on any JDK, those of a program whose threads allocate little and end. */
static void test_short_threads(void)
{
    static const guint n_threads[] = {50, 200};
    double high[2];
    for (guint k = 0; k < 2; k++) {
        Made m = made_new();
        const struct pm_memory_cell cell = {m.order, m.take, estimated(100), estimated(100)};
        const struct pm_memory_head head = {
            .at_ns = SYN_S, .interval_bytes = 8 * MIB, .total = cell.total};
        for (guint i = 0; i < n_threads[k]; i++)
            syn_span(m.s, (struct pm_span){.kind = PM_SPAN_THREAD,
                                           .thread = syn_thread(m.s, "task"),
                                           .begin_ns = SYN_MS,
                                           .end_ns = 2 * SYN_MS});
        syn_memory(m.s, head, &cell, 1);
        g_autoptr(PmRecording) r = finish(&m, 5 * SYN_S);
        r->facts.jvm = "OpenJDK 25.0.3";
        g_autoptr(PmMemoryTree) tree = tree_by(r, NULL, "class");
        high[k] = pm_estimate_bytes(&tree->root->total).high;
    }
    g_assert_cmpfloat(fabs(high[1] / high[0] - 2.52), <, 0.01);
}

/* A steady stock that is told to be twice as much since the interval rose is no leak. */
static void test_bias_is_no_growth(void)
{
    static const char *const jvms[] = {"OpenJDK 25.0.3", "OpenJDK 17.0.15"};
    Made m = made_new();
    for (guint i = 0; i < 20; i++) {
        const struct pm_memory_cell cell = {m.order, m.take, estimated(4000 + 10000 * (int64_t)i),
                                            estimated(4000 + 200 * (int64_t)i)};
        syn_memory(m.s,
                   (struct pm_memory_head){.at_ns = (i + 1) * SYN_S,
                                           .live_at_ns = (i + 1) * SYN_S,
                                           .interval_bytes = i < 8 ? 512 * KIB : 16 * MIB,
                                           .old_gcs = i + 1,
                                           .total = cell.total,
                                           .place = PM_SNAPSHOT_PERIODIC},
                   &cell, 1);
    }
    g_autoptr(PmRecording) r = finish(&m, 21 * SYN_S);
    for (guint i = 0; i < G_N_ELEMENTS(jvms); i++) {
        r->facts.jvm = jvms[i];
        g_autoptr(GArray) found = pm_growth_find(r, 0, r->duration);
        g_test_message("%s: %u", jvms[i], found->len);
        g_assert_cmpuint(found->len, ==, i == 0 ? 1 : 0);
    }
}

/* What a lost chunk told is in the sums of all: it is not lost, only not told apart. */
static void test_rest(void)
{
    Made m = made_new();
    const struct pm_memory_cell cell = {m.order, m.take, estimated(4), estimated(3)};
    syn_memory(
        m.s,
        (struct pm_memory_head){
            .at_ns = SYN_S, .interval_bytes = 1, .total = estimated(6), .live = estimated(2)},
        &cell, 1);
    g_autoptr(PmRecording) r = finish(&m, 5 * SYN_S);
    g_autoptr(PmMemoryTree) tree = tree_by(r, NULL, "class");
    g_assert_cmpint(child_of(tree, tree->root, "(others)")->total.samples, ==, 6);
    g_assert_cmpint(tree->root->live.samples, ==, 5);
}

/* ---- what grows ---- */

static guint n_growths(const int64_t *orders, guint n, guint old_every)
{
    Made m = made_new();
    for (guint i = 0; i < n; i++)
        snapshot(&m, (int64_t)(i + 1) * SYN_S, old_every ? 1 + i / old_every : 0, orders[i], 50);
    g_autoptr(PmRecording) r = finish(&m, (int64_t)(n + 1) * SYN_S);
    g_autoptr(GArray) found = pm_growth_find(r, 0, r->duration);
    if (found->len > 0) {
        const PmGrowth *growth = &g_array_index(found, PmGrowth, 0);
        g_assert_cmpstr(r->classes[growth->class_index].name, ==, "com.acme.Order");
        g_assert_cmpfloat(growth->slope_low, >, 0);
        g_assert_cmpfloat(growth->slope, >, growth->slope_low);
    }
    return found->len;
}

static void test_growth(void)
{
    int64_t leak[20], full[20], flat[20], noisy[20], fell[20], waves[20];
    for (guint i = 0; i < 20; i++) {
        leak[i] = 100 + 40 * (int64_t)i;
        full[i] = MIN(100 + 80 * (int64_t)i, 800); /* a cache with a bound, reached half way */
        flat[i] = 500;
        noisy[i] = 500 + (i % 2 ? 20 : -20) + (int64_t)i;
        waves[i] = 100 + 200 * (int64_t)(i % 4); /* batches, the last of them at its end */
        fell[i] = i < 19 ? leak[i] : 100;        /* it was given back */
    }
    g_assert_cmpuint(n_growths(leak, 20, 1), ==, 1);
    g_assert_cmpuint(n_growths(leak, 20, 2), ==, 1);
    g_assert_cmpuint(n_growths(full, 20, 1), ==, 0);
    g_assert_cmpuint(n_growths(flat, 20, 1), ==, 0);
    g_assert_cmpuint(n_growths(noisy, 20, 1), ==, 0);
    g_assert_cmpuint(n_growths(fell, 20, 1), ==, 0);
    g_assert_cmpuint(n_growths(waves, 20, 1), ==, 0);
    /* Nobody looked at old objects, or not often enough. */
    g_assert_cmpuint(n_growths(leak, 20, 0), ==, 0);
    g_assert_cmpuint(n_growths(leak, 20, 10), ==, 0);
    g_assert_cmpuint(n_growths(leak, 3, 1), ==, 0);
}

/* Of twenty snapshots in twenty seconds. */
static void check_leak_is_told(int64_t end_s, const char *rise)
{
    Made m = made_new();
    for (guint i = 0; i < 20; i++)
        snapshot(&m, (int64_t)(i + 1) * SYN_S, 1 + i, 100 + 40 * (int64_t)i, 50);
    g_autoptr(PmRecording) r = finish(&m, end_s * SYN_S);
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
    g_assert_cmpuint(findings->n, >, 0);
    g_test_message("%s", findings->findings[0].title);
    g_assert_nonnull(strstr(findings->findings[0].title, rise));
}

static void what_rose_once_is_told_until_when(void)
{
    check_leak_is_told(21, " rise by ~");
    check_leak_is_told(60, " a minute until ");
}

/* Few instants tell a leak from what comes and goes in waves and was met higher each time, if it is
 * known that what they met still lives. What does was made since `first`, in halves of a second. */
static guint n_growths_of_few(guint first)
{
    Made m = made_new();
    for (guint i = 0; i < 5; i++)
        snapshot(&m, (int64_t)(i + 1) * SYN_S, i + 1, 10 + 40 * (int64_t)i, 50);
    for (guint i = first; i < 12; i++)
        for (guint k = 0; k < 20; k++)
            syn_live(m.s, (struct pm_allocation){.at_ns = i * SYN_S / 2,
                                                 .size_bytes = 100,
                                                 .interval_bytes = 512 * KIB,
                                                 .class_id = m.order,
                                                 .chain = m.take,
                                                 .thread = m.worker});
    g_autoptr(PmRecording) r = finish(&m, 6 * SYN_S);
    g_autoptr(GArray) found = pm_growth_find(r, 0, r->duration);
    return found->len;
}

static void test_waves(void)
{
    g_assert_cmpuint(n_growths_of_few(1), ==, 1);
    g_assert_cmpuint(n_growths_of_few(3), ==, 1); /* a queue that is filled faster than drained */
    g_assert_cmpuint(n_growths_of_few(9), ==, 0);
    g_assert_cmpuint(n_growths_of_few(12), ==, 0); /* nothing is known of it */
}

/* What lives of one array, in KiB, at 24 instants. */
static guint n_growths_of_array(const int64_t *kib)
{
    Made m = made_new();
    for (guint i = 0; i < 24; i++) {
        const struct pm_memory_sum live = {1, 1, kib[i] * KIB, 0, 0};
        const struct pm_memory_sum total = {i + 1, i + 1, 2 * kib[i] * KIB, 0, 0};
        const struct pm_memory_cell cells[] = {{m.line, m.parse, total, live},
                                               {m.order, m.take, estimated(9), estimated(9)}};
        syn_memory(m.s,
                   (struct pm_memory_head){.at_ns = (i + 1) * SYN_S,
                                           .live_at_ns = (i + 1) * SYN_S,
                                           .interval_bytes = 512 * KIB,
                                           .old_gcs = i + 1,
                                           .place = PM_SNAPSHOT_PERIODIC},
                   cells, 2);
    }
    g_autoptr(PmRecording) r = finish(&m, 25 * SYN_S);
    g_autoptr(GArray) found = pm_growth_find(r, 0, r->duration);
    return found->len;
}

/* An array that is replaced by one twice as long when it is full, while as much is added as before;
 * but not one that has been long enough for longer than that explains, that fills ever more slowly,
 * that is emptied, or that took but one step. */
static void test_steps(void)
{
    int64_t even[24], half[24], ended[24], slower[24], emptied[24], once[24];
    for (guint i = 0; i < 24; i++) {
        even[i] = half[i] = 64;
        for (guint at = 1; at <= i; at *= 2)
            even[i] *= 2;
        for (double at = 1; at <= i; at *= 1.5)
            half[i] = half[i] * 3 / 2;
        ended[i] = even[MIN(i, 5)];
        slower[i] = 512 << ((i >= 1) + (i >= 3) + (i >= 12));
        emptied[i] = i < 20 ? even[i] : 64;
        once[i] = i < 14 ? 512 : 4096;
    }
    g_assert_cmpuint(n_growths_of_array(even), ==, 1);
    g_assert_cmpuint(n_growths_of_array(half), ==, 1);
    g_assert_cmpuint(n_growths_of_array(ended), ==, 0);
    g_assert_cmpuint(n_growths_of_array(slower), ==, 0);
    g_assert_cmpuint(n_growths_of_array(emptied), ==, 0);
    g_assert_cmpuint(n_growths_of_array(once), ==, 0);
}

/* Of all orders of 7 values the share that rises at least as much as one order does. */
static void test_trend(void)
{
    enum { N = 7, ORDERS = 5040 };
    guint n_of_falls[N * (N - 1) / 2 + 1] = {0}, n_up_to = 0;
    double orders[ORDERS][N];
    for (guint i = 0; i < ORDERS; i++) {
        guint rest = i, falls = 0;
        for (guint k = 0; k < N; k++) { /* the digits of its number say which of the rest is next */
            double left[N];
            guint n_left = 0;
            for (guint value = 0; value < N; value++) {
                gboolean used = FALSE;
                for (guint j = 0; j < k; j++)
                    used |= orders[i][j] == value;
                if (!used)
                    left[n_left++] = value;
            }
            orders[i][k] = left[rest % n_left];
            rest /= n_left;
            for (guint j = 0; j < k; j++)
                falls += orders[i][j] > orders[i][k];
        }
        n_of_falls[falls]++;
    }
    for (guint falls = 0; falls < G_N_ELEMENTS(n_of_falls); falls++) {
        n_up_to += n_of_falls[falls];
        for (guint i = 0; i < ORDERS; i += 97) {
            guint own = 0;
            for (guint k = 0; k < N * N; k++)
                own += k % N < k / N && orders[i][k % N] > orders[i][k / N];
            if (own == falls)
                g_assert_cmpfloat(fabs(pm_trend_chance(orders[i], N) - n_up_to / (double)ORDERS), <,
                                  1e-12);
        }
    }
    double same[PM_TREND_MOST] = {0}, rising[PM_TREND_MOST];
    for (guint i = 0; i < PM_TREND_MOST; i++)
        rising[i] = i;
    g_assert_cmpfloat(pm_trend_chance(same, PM_TREND_MOST), >, 0.4);
    g_assert_cmpfloat(pm_trend_chance(rising, PM_TREND_MOST), <, 1e-9);
    g_assert_cmpfloat(fabs(pm_trend_chance(rising, 4) - 1 / 24.0), <, 1e-12);
    g_assert_cmpfloat(pm_trend_chance(rising, 1), ==, 1);
}

/* What charts draw: as much as a tree at that instant, and what grows is marked. */
static void test_series(void)
{
    const PmMemoryAspect by_class[] = {PM_ASPECT_CLASS, PM_ASPECT_SITE};
    const PmMemoryAspect by_thread[] = {PM_ASPECT_THREAD};
    g_autoptr(PmFilter) filter = pm_filter_new();
    Made m = made_new();
    for (guint i = 0; i < 20; i++)
        snapshot(&m, (i + 1) * SYN_S, i + 1, 100 + 40 * (int64_t)i, 500);
    g_autoptr(PmRecording) r = finish(&m, 25 * SYN_S);
    g_autoptr(PmMemorySeries) series = pm_memory_series_new(r, filter, by_class, 2, NULL);
    g_assert_cmpuint(series->n_instants, ==, 20);
    g_assert_cmpuint(series->n_bands, ==, 2);
    const char *first = r->classes[series->bands[0].key].name; /* it has most at its peak */
    g_assert_true(g_str_has_suffix(first, "Order"));
    g_assert_true(series->bands[0].rises);
    g_assert_false(series->bands[1].rises);
    g_assert_cmpint(pm_memory_series_find(series, SYN_S - 1), ==, -1);
    g_assert_cmpint(pm_memory_series_find(series, 10 * SYN_S), ==, 9);
    g_assert_cmpint(pm_memory_series_find(series, 24 * SYN_S), ==, 19);
    filter->to = 10 * SYN_S;
    g_autoptr(PmMemoryTree) tree = pm_memory_tree_new(r, filter, by_class, 2, NULL);
    const PmMemoryInstant *then = &series->instants[9];
    for (guint i = 0; i < 2; i++) {
        const PmMemoryNode *node = tree->root->children->pdata[i];
        const guint band = pm_memory_series_band(series, node->key);
        const guint64 path = pm_memory_path(0, PM_ASPECT_CLASS, node->key);
        const float *curve = g_hash_table_lookup(series->paths, &path);
        g_assert_cmpfloat(fabs(then->live[band] - node->live.bytes), <, 1e-6 * node->live.bytes);
        g_assert_cmpfloat(fabs(curve[9] - node->live.bytes), <, 1e-6 * node->live.bytes);
    }
    const PmBounds bounds = pm_estimate_bytes(&tree->root->live);
    g_assert_cmpfloat(then->bounds.low, ==, bounds.low);
    g_assert_cmpfloat(then->bounds.high, ==, bounds.high);
    /* 80 orders and one line more in each second. */
    g_assert_cmpfloat(fabs(then->rate / (81 * 512 * (double)KIB) - 1), <, 1e-9);
    g_assert_true(pm_memory_series_is_of(series, r, filter, by_class, 2)); /* whatever the range */
    g_assert_false(pm_memory_series_is_of(series, r, filter, by_class, 1));
    pm_filter_add_chip(filter, PM_ASPECT_CLASS, "Order", FALSE);
    g_assert_false(pm_memory_series_is_of(series, r, filter, by_class, 2));
    /* Threads have no past: the chart is of classes. */
    g_autoptr(PmMemorySeries) threads = pm_memory_series_new(r, filter, by_thread, 1, NULL);
    g_assert_true(threads->live_known);
    g_assert_cmpint(threads->band_aspect, ==, PM_ASPECT_CLASS);
    g_assert_cmpuint(threads->n_bands, ==, 1);
    pm_filter_add_chip(filter, PM_ASPECT_KIND, "park", FALSE);
    g_assert_null(pm_memory_series_new(r, filter, by_class, 2, NULL));
}

/* Much that stays errs in favour of neither end: a rise of less than their two errors is told where
 * little else is allocated; not where a coin left out some of it meanwhile. */
static void test_stock(void)
{
    for (guint churn = 0; churn < 3; churn++) {
        Made m = made_new();
        for (guint i = 0; i < 20; i++) {
            const int64_t live = 250 + 5 * (int64_t)i;
            const int64_t all = live * (churn == 1 ? 20 * (i + 1) : 1);
            const struct pm_memory_cell cell = {m.order, m.take, estimated(all), estimated(live)};
            syn_memory(
                m.s,
                (struct pm_memory_head){.at_ns = (i + 1) * SYN_S,
                                        .live_at_ns = (i + 1) * SYN_S,
                                        .interval_bytes = 512 * KIB,
                                        .old_gcs = i + 1,
                                        .flags = churn == 2 && i > 9 ? PM_MEMORY_LIVE_THINNED : 0,
                                        .place = PM_SNAPSHOT_PERIODIC},
                &cell, 1);
        }
        g_autoptr(PmRecording) r = finish(&m, 21 * SYN_S);
        g_autoptr(GArray) found = pm_growth_find(r, 0, r->duration);
        g_assert_cmpuint(found->len, ==, churn ? 0 : 1);
    }
}

/* ---- quotas ---- */

static guint n_over(PmRecording *r, const char *text)
{
    g_autoptr(PmAccounts) accounts = pm_accounts_parse(text, NULL);
    g_assert_nonnull(accounts);
    pm_recording_set_accounts(r, accounts);
    g_autoptr(GArray) over = pm_quota_find(r, 0, r->duration);
    for (guint i = 0; i < over->len; i++) {
        const PmOverQuota *o = &g_array_index(over, PmOverQuota, i);
        g_assert_cmpint(o->quota, ==, pm_accounts_quota(accounts, o->account));
        g_assert_cmpstr(r->classes[o->class_index].name, ==, "com.acme.Order");
        g_assert_cmpfloat(o->share, ==, 1);
    }
    return over->len;
}

static void test_quota(void)
{
    Made m = made_new();
    snapshot(&m, 1 * SYN_S, 1, 900, 20);
    snapshot(&m, 2 * SYN_S, 2, 400, 20);
    snapshot(&m, 3 * SYN_S, 2, 900, 20); /* nobody looked at old objects since */
    g_autoptr(PmRecording) r = finish(&m, 5 * SYN_S);
    g_assert_cmpuint(n_over(r, "com.acme.Orders quota=100m;com.acme.Xml quota=11m"), ==, 1);
    /* 200 MiB are seen, give or take some 30: errors could make that of 180. */
    g_assert_cmpuint(n_over(r, "com.acme.Orders quota=180m"), ==, 0);
    g_assert_cmpuint(n_over(r, "com.acme.Orders quota=300m"), ==, 0);
    g_assert_cmpuint(n_over(r, "com.acme.Orders"), ==, 0);
    Made young = made_new();
    snapshot(&young, 1 * SYN_S, 0, 900, 20);
    g_autoptr(PmRecording) unknown = finish(&young, 5 * SYN_S);
    g_assert_cmpuint(n_over(unknown, "com.acme.Orders quota=1m"), ==, 0);
}

/* ---- hot spots ---- */

typedef struct {
    gint64 pause, orders, lines; /* a second */
    gint64 gcs, old_gcs;         /* in all */
} Load;

static gboolean is_hot(Load load)
{
    Made m = made_new();
    struct pm_memory_sum order, line;
    for (gint64 i = 0; i <= 10; i++) {
        order = estimated(load.orders * (i + 1));
        line = estimated(load.lines * (i + 1));
        const struct pm_memory_cell cells[] = {{m.order, m.take, order, estimated(0)},
                                               {m.line, m.parse, line, estimated(0)}};
        syn_memory(m.s,
                   (struct pm_memory_head){.at_ns = (i + 1) * SYN_S,
                                           .live_at_ns = (i + 1) * SYN_S,
                                           .interval_bytes = 512 * KIB,
                                           .gcs = load.gcs * i / 10,
                                           .old_gcs = load.old_gcs * i / 10,
                                           .place = PM_SNAPSHOT_PERIODIC},
                   cells, 2);
        syn_span(m.s, (struct pm_span){.kind = PM_SPAN_GC,
                                       .begin_ns = (i + 1) * SYN_S,
                                       .end_ns = (i + 1) * SYN_S + load.pause});
    }
    g_autoptr(PmRecording) r = finish(&m, 12 * SYN_S);
    PmHotSpot spot;
    if (!pm_hot_spot_find(r, 0, r->duration, &spot))
        return FALSE;
    g_assert_cmpstr(r->classes[spot.class_index].name, ==, "com.acme.Order");
    g_assert_cmpfloat(spot.share_low, <, spot.share);
    return TRUE;
}

static void test_hot_spot(void)
{
    const gint64 ms = SYN_MS;
    g_assert_true(is_hot((Load){100 * ms, 1000, 300, 100, 0}));
    g_assert_true(is_hot((Load){100 * ms, 1000, 300, 100, 12}));
    g_assert_false(is_hot((Load){40 * ms, 1000, 300, 100, 0}));    /* the pauses are short */
    g_assert_false(is_hot((Load){100 * ms, 1000, 980, 100, 0}));   /* half: or less, by errors */
    g_assert_false(is_hot((Load){100 * ms, 50, 9, 100, 0}));       /* it is little */
    g_assert_false(is_hot((Load){100 * ms, 1000, 300, 100, 100})); /* they look at what lives */
    g_assert_false(is_hot((Load){100 * ms, 1000, 300, 4, 0})); /* what pauses is no collection */
}

/* ---- held locks ---- */

static const char *evidence_of_allocations(PmRecording *r)
{
    static char text[300];
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &summary);
    g_assert_cmpuint(f->n, >, 0);
    *text = 0;
    for (guint i = 0; i < f->findings[0].n_evidence; i++)
        if (strstr(f->findings[0].evidence[i].text, "allocated"))
            g_strlcpy(text, f->findings[0].evidence[i].text, sizeof text);
    return text;
}

static void test_held(void)
{
    g_autoptr(PmRecording) r = pm_made_holding(1024 * KIB);
    const PmContention *contention = pm_recording_contention(r, NULL);
    const PmHeldAllocations held = pm_held_allocations(r, contention, 1, 0, r->duration);
    g_assert_cmpint(held.total.samples, ==, 20 * 4); /* at 0, 100, 200 and 300 ms */
    g_assert_cmpfloat(held.share, ==, 1);
    const PmHeldAllocations half = pm_held_allocations(r, contention, 1, 0, 10 * SYN_S);
    g_assert_cmpint(half.total.samples, ==, 40);
    const char *text = evidence_of_allocations(r);
    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, "while others waited for it, 100 % of that in Report.render"));
    g_autoptr(PmRecording) none = pm_made_random(1, 200, 4, 1000000);
    g_assert_cmpint(
        pm_held_allocations(none, pm_recording_contention(none, NULL), 1, 0, none->duration)
            .total.samples,
        ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/memory/bounds-are-those-of-scores", test_bounds);
    g_test_add_func("/analysis/memory/states-are-the-snapshots", test_states);
    g_test_add_func("/analysis/memory/trees-sum-the-cells", test_tree);
    g_test_add_func("/analysis/memory/what-a-raised-interval-missed-is-in-the-bounds", test_raised);
    g_test_add_func("/analysis/memory/threads-and-ages-are-of-samples", test_samples);
    g_test_add_func("/analysis/memory/the-samplers-bias-is-in-the-bounds", test_biased);
    g_test_add_func("/analysis/memory/short-threads-widen-the-bounds", test_short_threads);
    g_test_add_func("/analysis/memory/the-samplers-bias-is-no-growth", test_bias_is_no_growth);
    g_test_add_func("/analysis/memory/what-is-not-told-apart-is-not-lost", test_rest);
    g_test_add_func("/analysis/memory/what-rises-to-the-end-grows", test_growth);
    g_test_add_func("/analysis/memory/what-rose-once-is-told-until-when",
                    what_rose_once_is_told_until_when);
    g_test_add_func("/analysis/memory/few-instants-may-have-met-a-wave", test_waves);
    g_test_add_func("/analysis/memory/an-array-that-only-gets-longer-grows", test_steps);
    g_test_add_func("/analysis/memory/the-chance-of-a-trend-is-that-of-all-orders", test_trend);
    g_test_add_func("/analysis/memory/charts-are-trees-over-time", test_series);
    g_test_add_func("/analysis/memory/what-stays-does-not-hide-what-comes", test_stock);
    g_test_add_func("/analysis/memory/quotas-are-surely-exceeded", test_quota);
    g_test_add_func("/analysis/memory/hot-spots-make-the-pauses", test_hot_spot);
    g_test_add_func("/analysis/memory/owners-allocate-while-others-wait", test_held);
    return g_test_run();
}

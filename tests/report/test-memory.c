/* `parkctl memory` and `heap` as text: what is exact is said so, what is estimated has its bounds,
 * and a histogram of the JVM's is read as what it is, or not at all. */
#include <glib.h>
#include <string.h>

#include "tests/analysis/made.h"
#include "tests/format/synthetic.h"
#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/report/findings.h"
#include "viewer/report/heap-path.h"
#include "viewer/report/heap.h"
#include "viewer/report/memory.h"

#define KIB INT64_C(1024)

static PmRecording *made(gint64 interval, gboolean error)
{
    struct syn *s = syn_new();
    pm_class_id order = syn_class(s, "com.acme.Order");
    pm_chain_id take = syn_chain(s, "com.acme.Orders.take(Orders.java:5)", NULL);
    const int64_t e = error ? 100 : 0;
    const struct pm_memory_cell cell = {
        order, take, {400, 4000, 4096 * KIB, e, e * KIB}, {200, 2000, 2048 * KIB, e, e * KIB}};
    syn_memory(s,
               (struct pm_memory_head){.at_ns = SYN_S,
                                       .live_at_ns = SYN_S,
                                       .interval_bytes = interval,
                                       .gcs = 7,
                                       .old_gcs = 2},
               &cell, 1);
    PmRecording *r =
        pm_recording_load_source(syn_finish(s, 2 * SYN_S), "made.park", 1, NULL, NULL, NULL, NULL);
    syn_free(s);
    return r;
}

static char *written(gint64 interval, gboolean error, PmFormat format)
{
    g_autoptr(PmRecording) r = made(interval, error);
    const PmMemoryAspect by[] = {PM_ASPECT_CLASS, PM_ASPECT_SITE};
    g_autoptr(PmMemoryTree) tree = pm_memory_tree_new(r, NULL, by, 2, NULL);
    const PmOutput output = {.format = format, .terminal = {.utf8 = TRUE, .columns = 100}};
    GString *out = g_string_new(NULL);
    g_assert_true(pm_memory_write(tree, FALSE, &output, out));
    return g_string_free(out, FALSE);
}

static void says(const char *text, const char *part)
{
    if (!strstr(text, part))
        g_error("no '%s' in\n%s", part, text);
}

static void certainty(void)
{
    g_autofree char *exact = written(0, FALSE, PM_FORMAT_TEXT);
    says(exact, "Every object is counted: exact from 2024-05-04 12:00:00.000 UTC");
    says(exact, "after 7 GC events");
    says(exact, "    2.00            2000      4.00");
    says(exact, "└ Orders.take (Orders.java:5)");
    g_assert_null(strstr(exact, "~"));
    g_autofree char *sampled = written(512 * KIB, TRUE, PM_FORMAT_TEXT);
    says(sampled, "Sampled, one in 512 KiB; ~ estimated, ± at three standard errors");
    says(sampled, "~2.00");
    says(sampled, "±");
    /* Every object is a sample, but nobody proved that it was so from the begin on. */
    g_autofree char *late = written(512 * KIB, FALSE, PM_FORMAT_TEXT);
    says(late, "≥2.00");
}

static void machine_formats(void)
{
    g_autofree char *json = written(512 * KIB, TRUE, PM_FORMAT_JSON);
    says(json, "\"live_bytes\" : 2097152");
    says(json, "\"live_is\" : \"estimated\"");
    says(json, "\"interval_bytes\" : 524288");
    g_autofree char *csv = written(0, FALSE, PM_FORMAT_CSV);
    says(csv, "class,site,live_bytes,live_bytes_low,live_bytes_high,live_objects");
    says(csv, "Order,Orders.take (Orders.java:5),2097152,2097152,2097152,2000,200,4194304");
}

/* Flame graphs: what lives, and all that was allocated. */
static void folded(void)
{
    static const char *const bytes[] = {"4194304", "2097152"};
    g_autoptr(PmRecording) r = made(512 * KIB, TRUE);
    const PmMemoryAspect by[] = {PM_ASPECT_CHAIN, PM_ASPECT_CLASS};
    g_autoptr(PmMemoryTree) tree = pm_memory_tree_new(r, NULL, by, 2, NULL);
    for (guint live = 0; live < 2; live++) {
        g_autoptr(GString) out = g_string_new(NULL);
        g_autofree char *line = g_strdup_printf("com.acme.Orders.take;Order %s\n", bytes[live]);
        pm_memory_write_folded(tree, live, out);
        g_assert_cmpstr(out->str, ==, line);
    }
}

/* A finding about a lock says what its owners allocated while others waited for it. */
static char *findings_of(PmFormat format)
{
    g_autoptr(PmRecording) r = pm_made_holding(1024 * KIB);
    g_autoptr(PmView) view = pm_made_view(r);
    g_autoptr(PmSummary) summary = pm_summary_new(view, r->duration, NULL);
    g_autoptr(PmFindings) f = pm_findings_new(summary, pm_recording_contention(r, NULL), NULL);
    const PmOutput output = {.format = format, .terminal = {.utf8 = TRUE, .columns = 200}};
    GString *out = g_string_new(NULL);
    pm_findings_write(f, "%s made.park", &output, out);
    return g_string_free(out, FALSE);
}

static void allocated_under_a_lock(void)
{
    g_autofree char *text = findings_of(PM_FORMAT_TEXT);
    says(text, "~owners allocated 92.5 MiB (at least ");
    says(text, " while others waited for it, 100 % of that in Report.render");
    g_autofree char *json = findings_of(PM_FORMAT_JSON);
    says(json, "\"text\" : \"owners allocated 92.5 MiB (at least ");
}

static void histogram(void)
{
    g_autoptr(PmHeap) heap =
        pm_heap_parse(" num     #instances         #bytes  class name (module)\n"
                      "-------------------------------------------------------\n"
                      "   1:          10        240  com.acme.Order\n"
                      "   2:           5        400  [B (java.base@17.0.15)\n"
                      "   3:           1         32  [[Ljava.lang.String; (java.base@17.0.15)\n"
                      "   4:          -1         32  broken\n"
                      "Total           16        672\n");
    g_assert_cmpuint(heap->classes->len, ==, 3);
    g_assert_cmpint(heap->objects, ==, 16);
    g_assert_cmpint(heap->bytes, ==, 672);
    g_assert_cmpstr(g_array_index(heap->classes, PmHeapClass, 0).name, ==, "byte[]");
    g_assert_cmpstr(g_array_index(heap->classes, PmHeapClass, 2).name, ==, "java.lang.String[][]");
    g_assert_null(pm_heap_parse(""));
    g_assert_null(pm_heap_parse("java.lang.NullPointerException\n\tat Main.main"));
}

static void pause_is_predicted(void)
{
    g_assert_cmpint(pm_heap_used(" garbage-first heap   total 262144K, used 10240K [0x0, 0x1)\n"
                                 "  region size 1024K, 2 young (2048K), 0 survivors (0K)\n"
                                 " Metaspace       used 123K, committed 320K\n"
                                 "  class space    used 5K, committed 128K\n"),
                    ==, 10240 * KIB);
    g_assert_cmpint(pm_heap_used(" def new generation   total 78656K, used 1000K [0x0)\n"
                                 "  eden space 69952K,   2% used [0x0)\n"
                                 " tenured generation   total 174784K, used 2000K [0x0)\n"
                                 "   the space 174784K,   0% used [0x0)\n"),
                    ==, 3000 * KIB);
    g_assert_cmpint(pm_heap_used(" ZHeap           used 12M, capacity 256M"), ==, 12 << 20);
    g_assert_cmpint(pm_heap_used("nothing"), ==, 0);
    const PmHeapPause pause = pm_heap_pause(G_GINT64_CONSTANT(2) << 30);
    /* 79 million small objects took 1.9 to 3.9 s; of that size they are the upper bound. */
    g_assert_cmpfloat(pause.low, <, pause.likely);
    g_assert_cmpfloat(pause.likely, <, pause.high);
    g_assert_cmpfloat(pause.high, >, 3.9);
    g_assert_cmpfloat(pause.low, <, 1.9);
}

static char *path_of(const char *text, PmFormat format)
{
    g_autoptr(PmHeapPath) path = pm_heap_path_parse(text);
    const PmOutput output = {.format = format, .terminal = {.utf8 = TRUE, .columns = 100}};
    GString *out = g_string_new(NULL);
    g_assert_nonnull(path);
    pm_heap_path_write(path, 7, "com.acme.Item", FALSE, &output, out);
    return g_string_free(out, FALSE);
}

static void path_in_words(void)
{
    static const char head[] = "done\nwalks\t2\nstopped\t1500000000\nlongest\t1000000000\n"
                               "aborted\t0\nobjects\t40\ntargets\t20\nalike\t19\n";
    static const char tail[] = "end\tcom.acme.Item\n"
                               "referrer\telement\tjava.lang.Object[]\t\t39\nothers\t1\n";
    static const char item[] = "step\telement\tjava.lang.Object[]\t\t17\t0\t\t\n";
    g_autofree char *field =
        g_strconcat(head,
                    "steps\t3\nstep\tstatic\tcom.acme.Registry\tITEMS\t-1\t0\t\t\n"
                    "step\tfield\tjava.util.Node\tnext\t-1\t1\t\t\n",
                    item, tail, NULL);
    g_autofree char *text = path_of(field, PM_FORMAT_TEXT);
    says(text, "7: what keeps an object of com.acme.Item alive; the program was stopped for "
               "1.50 s, 1.00 s at a\ntime, in 2 walks.");
    says(text, "  static Registry.ITEMS → Node.next … → Object[17] → Item\n");
    says(text, "Of 20 objects examined, 19 are kept alive like this.");
    says(text, "40 objects of com.acme.Item are kept, and referred to by:\n"
               "          39  elements of java.lang.Object[]\n           1  elsewhere\n");
    g_autofree char *local = g_strconcat(
        head, "steps\t60\nstep\tlocal\t\t\t-1\t0\tmain\x1b[2J\tMain.run\n", item, tail, NULL);
    g_autofree char *of_thread = path_of(local, PM_FORMAT_TEXT);
    says(of_thread, ", in Main.run → (58 more) → Object[17] → Item\n");
    g_assert_null(strchr(of_thread, '\x1b'));
    g_autofree char *broken = g_strconcat(head, "steps\t0\naborted\t1\n", item, tail, NULL);
    g_autofree char *of_none = path_of(broken, PM_FORMAT_TEXT);
    says(of_none, "  (not known) → Object[17] → Item\n");
    says(of_none, "was not found within the time limit");
    g_autofree char *csv = path_of(field, PM_FORMAT_CSV);
    says(csv, "element,java.lang.Object[],,17,0,,");
}

/* What is not as the recorder says it. */
static void path_of_a_stranger(void)
{
    static const char *const texts[] = {"done\n",
                                        "done\nstep\n",
                                        "done\nstep\tfield\tA\n",
                                        "done\nsteps\t99999999999999999999\nend\n",
                                        "done\nsteps\t-5\nstep\t\t\t\t\t\t\t\nend\t\n",
                                        "done\nreferrer\tx\t\xff\t\t-9\n"};
    g_assert_null(pm_heap_path_parse(""));
    g_assert_null(pm_heap_path_parse("running\n"));
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        for (PmFormat format = PM_FORMAT_TEXT; format <= PM_FORMAT_JSON; format++) {
            g_autofree char *text = path_of(texts[i], format);
            g_assert_true(g_utf8_validate(text, -1, NULL));
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/memory/certainty-is-said", certainty);
    g_test_add_func("/report/memory/machine-formats", machine_formats);
    g_test_add_func("/report/memory/flame-graphs", folded);
    g_test_add_func("/report/memory/allocated-under-a-lock", allocated_under_a_lock);
    g_test_add_func("/report/heap/histogram-is-read", histogram);
    g_test_add_func("/report/heap/pause-is-predicted", pause_is_predicted);
    g_test_add_func("/report/heap/a-path-in-words", path_in_words);
    g_test_add_func("/report/heap/a-path-of-a-stranger", path_of_a_stranger);
    return g_test_run();
}

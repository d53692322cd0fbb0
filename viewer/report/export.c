#include "viewer/report/export.h"

#include <string.h>

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/csv.h"
#include "viewer/report/fold.h"
#include "viewer/report/output.h"

#define PIECE_BYTES 65536

static const char *const names[] = {"csv", "json", "collapsed", "chrome-trace", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(names) == PM_N_EXPORTS + 1);

const char *const *pm_export_names(void)
{
    return names;
}

typedef struct {
    const PmView *view;
    const PmRecording *recording;
    PmExportSink sink;
    gpointer data;
    GString *out;
    gboolean failed;
    char **labels; /* of blockers, classes of the collapsed stacks; made when first asked for */
    char **chains;
} Export;

/* Passes on what was gathered; `all`: also a small piece. */
static void flush(Export *export, gboolean all)
{
    if (export->failed || (!all && export->out->len < PIECE_BYTES))
        return;
    if (export->out->len > 0)
        export->failed = !export->sink(export->out->str, export->out->len, export->data);
    g_string_truncate(export->out, 0);
}

static const char *blocker_label(Export *export, guint32 blocker)
{
    if (!export->labels[blocker])
        export->labels[blocker] = pm_label_blocker_short(export->recording, blocker);
    return export->labels[blocker];
}

static const char *chain_label(Export *export, guint32 chain)
{
    if (!export->chains[chain])
        export->chains[chain] = pm_chain_csv(export->recording, chain);
    return export->chains[chain];
}

static void append_member(GString *out, const char *key, const char *text)
{
    g_string_append_printf(out, ",\"%s\":", key);
    if (text)
        pm_json_append_string(out, text);
    else
        g_string_append(out, "null");
}

/* ---- a row a wait ---- */

typedef struct {
    gint64 begin, duration, wake; /* wake: 0 = not known */
    gint64 tid;                   /* of the thread: names repeat */
    guint32 id;                   /* the blocker's, as `report` names it */
    const char *thread, *group, *kind, *category, *class_name, *blocker, *owner, *waker, *cause,
        *chain, *waker_chain;                 /* waker_chain: NULL = not known */
    char hash[16];                            /* "": pm_label_hash gives none */
    gboolean timed, in_progress, begin_known; /* begin_known: else it is not in times parked */
} Row;

static const char *thread_name(const PmRecording *recording, guint32 thread, gint64 at)
{
    return thread ? pm_recording_thread_name(recording, thread, at) : NULL;
}

static void take_row(Export *export, guint32 i, Row *row)
{
    const PmRecording *recording = export->recording;
    const PmWaits *waits = &recording->waits;
    const PmThread *thread = &recording->threads[pm_wait_thread(waits, i)];
    const PmBlocker *blocker = &recording->blockers[pm_wait_blocker(waits, i)];

    row->begin = pm_wait_begin(waits, i);
    row->duration = pm_wait_end(waits, i) - pm_wait_begin(waits, i);
    row->wake = pm_wait_wake(waits, i);
    row->tid = thread->tid;
    row->id = pm_wait_blocker(waits, i);
    row->thread = thread_name(recording, pm_wait_thread(waits, i), row->begin);
    row->group = recording->groups[thread->group].name;
    row->kind = pm_kind_name(pm_wait_kind(waits, i));
    row->category = pm_category_name(pm_wait_category(waits, i));
    row->class_name = recording->classes[blocker->class_index].name;
    row->blocker = blocker_label(export, pm_wait_blocker(waits, i));
    row->owner = thread_name(recording, pm_wait_owner(waits, i), row->begin);
    row->waker = thread_name(recording, pm_wait_waker(waits, i), row->begin + row->duration);
    row->cause = pm_wake_cause_name(pm_wait_wake_cause(waits, i));
    row->chain = chain_label(export, pm_wait_chain(waits, i));
    row->waker_chain =
        pm_wait_waker_chain(waits, i) ? chain_label(export, pm_wait_waker_chain(waits, i)) : NULL;
    row->timed = (pm_wait_flags(waits, i) & PM_WAIT_TIMED) != 0;
    row->in_progress = (pm_wait_flags(waits, i) & PM_WAIT_IN_PROGRESS) != 0;
    row->begin_known = (pm_wait_flags(waits, i) & PM_WAIT_BEGIN_UNKNOWN) == 0;
    g_autofree char *hash = pm_label_hash(recording, pm_wait_blocker(waits, i));
    g_strlcpy(row->hash, hash ? hash : "", sizeof row->hash);
}

static void write_csv(Export *export)
{
    static const char *const titles[] = {
        "begin_ns", "duration_ns", "thread",  "group",       "kind",  "category",   "class",
        "hash",     "label",       "owner",   "waker",       "timed", "wake_cause", "in_progress",
        "chain",    "id",          "wake_ns", "waker_chain", "tid",   "begin_known"};
    PmCsv csv = {export->out, FALSE};

    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles));
    for (gsize i = 0; i < export->view->n && !export->failed; i++) {
        Row row;
        take_row(export, pm_view_row(export->view, i), &row);
        pm_csv_int(&csv, row.begin);
        pm_csv_int(&csv, row.duration);
        pm_csv_text(&csv, row.thread);
        pm_csv_text(&csv, row.group);
        pm_csv_text(&csv, row.kind);
        pm_csv_text(&csv, row.category);
        pm_csv_text(&csv, row.class_name);
        pm_csv_text(&csv, row.hash);
        pm_csv_text(&csv, row.blocker);
        pm_csv_text(&csv, row.owner);
        pm_csv_text(&csv, row.waker);
        pm_csv_text(&csv, row.timed ? "true" : "false");
        pm_csv_text(&csv, row.in_progress ? NULL : row.cause);
        pm_csv_text(&csv, row.in_progress ? "true" : "false");
        pm_csv_text(&csv, row.chain);
        pm_csv_int(&csv, row.id);
        if (row.wake != 0)
            pm_csv_int(&csv, row.wake);
        else
            pm_csv_text(&csv, NULL);
        pm_csv_text(&csv, row.waker_chain);
        pm_csv_int(&csv, row.tid);
        pm_csv_text(&csv, row.begin_known ? "true" : "false");
        pm_csv_end_row(&csv);
        flush(export, FALSE);
    }
}

static void append_frames(Export *export, guint32 chain)
{
    const PmChain *c = &export->recording->chains[chain];

    g_string_append_c(export->out, '[');
    for (guint i = 0; i < c->n_frames; i++) {
        g_autofree char *frame = pm_label_frame_full(export->recording, c->frames[i]);
        if (i > 0)
            g_string_append_c(export->out, ',');
        pm_json_append_string(export->out, frame);
    }
    g_string_append_c(export->out, ']');
}

static void write_json(Export *export)
{
    const PmRecordingFacts *facts = &export->recording->facts;
    g_autofree char *begin = pm_heading_rfc3339(export->recording, 0);
    GString *out = export->out;

    g_string_append_printf(
        out, "{\"schema\":%d,\"recording\":{\"pid\":%u,\"duration_ns\":%" G_GINT64_FORMAT,
        PM_OUTPUT_SCHEMA, facts->pid, export->recording->duration);
    append_member(out, "file", facts->file);
    append_member(out, "jvm", facts->jvm);
    append_member(out, "main", facts->main);
    append_member(out, "begin", begin);
    g_string_append(out, "},\"waits\":[");
    for (gsize i = 0; i < export->view->n && !export->failed; i++) {
        guint32 index = pm_view_row(export->view, i);
        Row row;
        take_row(export, index, &row);
        g_string_append_printf(
            out, "%s\n{\"begin_ns\":%" G_GINT64_FORMAT ",\"duration_ns\":%" G_GINT64_FORMAT,
            i > 0 ? "," : "", row.begin, row.duration);
        append_member(out, "thread", row.thread);
        g_string_append_printf(out, ",\"tid\":%" G_GINT64_FORMAT, row.tid);
        append_member(out, "group", row.group);
        append_member(out, "kind", row.kind);
        append_member(out, "category", row.category);
        append_member(out, "class", row.class_name);
        append_member(out, "hash", row.hash[0] ? row.hash : NULL);
        g_string_append_printf(out, ",\"id\":%u", row.id);
        append_member(out, "label", row.blocker);
        append_member(out, "owner", row.owner);
        append_member(out, "waker", row.waker);
        g_string_append_printf(out, ",\"timed\":%s,\"in_progress\":%s",
                               row.timed ? "true" : "false", row.in_progress ? "true" : "false");
        g_string_append_printf(out, ",\"begin_known\":%s", row.begin_known ? "true" : "false");
        append_member(out, "wake_cause", row.in_progress ? NULL : row.cause);
        if (row.wake != 0)
            g_string_append_printf(out, ",\"wake_ns\":%" G_GINT64_FORMAT, row.wake);
        else
            append_member(out, "wake_ns", NULL);
        g_string_append(out, ",\"chain\":");
        append_frames(export, pm_wait_chain(&export->recording->waits, index));
        if (row.waker_chain) {
            g_string_append(out, ",\"waker_chain\":");
            append_frames(export, pm_wait_waker_chain(&export->recording->waits, index));
        } else {
            append_member(out, "waker_chain", NULL);
        }
        g_string_append_c(out, '}');
        flush(export, FALSE);
    }
    g_string_append(out, "\n]}\n");
}

/* ---- folded ---- */

/* Every leaf below `node`, whose own stack is `stack`. */
static void fold_node(Export *export, const PmTreeNode *node, GString *stack)
{
    if (node->n_children == 0)
        g_string_append_printf(export->out, "%s %" G_GINT64_FORMAT "\n", stack->str,
                               node->thread_time);
    flush(export, FALSE);
    for (guint i = 0; i < node->n_children && !export->failed; i++) {
        const PmTreeNode *child = node->children[i];
        gsize length = stack->len;
        if (!pm_aspect_is_chain(child->aspect) ||
            !pm_fold_chain(stack, export->recording, child->key)) {
            g_autofree char *text =
                pm_aspect_key_text(export->recording, child->aspect, child->key);
            pm_fold_text(stack, *text ? text : "(none)");
        }
        fold_node(export, child, stack);
        g_string_truncate(stack, length);
    }
}

static void write_collapsed(Export *export, PmView *view, const PmAspect *by, guint n_by)
{
    static const PmAspect usual[] = {PM_ASPECT_CHAIN, PM_ASPECT_CLASS};
    g_autoptr(PmTree) tree =
        pm_tree_new(view, by ? by : usual, by ? n_by : G_N_ELEMENTS(usual), NULL);
    g_autoptr(GString) stack = g_string_new(NULL);

    if (tree && tree->root->n_children > 0)
        fold_node(export, tree->root, stack);
}

/* ---- trace events ---- */

static void append_us(GString *out, const char *key, gint64 ns)
{
    const char *sign = ns < 0 ? "-" : "";
    guint64 size = ns < 0 ? -(guint64)ns : (guint64)ns;

    g_string_append_printf(out, ",\"%s\":%s%" G_GUINT64_FORMAT ".%03u", key, sign, size / 1000,
                           (guint)(size % 1000));
}

static void write_chrome_trace(Export *export)
{
    const PmRecording *recording = export->recording;
    const PmWaits *waits = &recording->waits;
    GString *out = export->out;
    guint32 pid = recording->facts.pid;

    g_string_append_printf(out,
                           "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
                           "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"x\":0",
                           pid);
    append_member(out, "name", recording->facts.main);
    g_string_append(out, "}}");
    for (guint32 t = 1; t < recording->n_threads; t++) {
        g_string_append_printf(out,
                               ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
                               "\"args\":{\"java_tid\":%" G_GINT64_FORMAT,
                               pid, t, recording->threads[t].tid);
        append_member(out, "name", recording->threads[t].name);
        g_string_append(out, "}}");
        flush(export, FALSE);
    }
    for (gsize i = 0; i < export->view->n && !export->failed; i++) {
        guint32 index = pm_view_row(export->view, i);
        Row row;
        take_row(export, index, &row);
        g_string_append_printf(out, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u", pid,
                               pm_wait_thread(waits, index));
        append_us(out, "ts", row.begin);
        append_us(out, "dur", row.duration);
        append_member(out, "name", row.blocker);
        append_member(out, "cat", row.category);
        g_string_append_printf(out, ",\"args\":{\"in_progress\":%s",
                               row.in_progress ? "true" : "false");
        append_member(out, "owner", row.owner);
        append_member(out, "waker", row.waker);
        append_member(out, "wake_cause", row.in_progress ? NULL : row.cause);
        append_member(out, "chain", row.chain);
        append_member(out, "waker_chain", row.waker_chain);
        g_string_append(out, "}}");
        flush(export, FALSE);
    }
    g_string_append(out, "\n]}\n");
}

gboolean pm_export_write(PmView *view, PmExport to, const PmAspect *by, guint n_by,
                         PmExportSink sink, gpointer data)
{
    g_return_val_if_fail(view != NULL && to < PM_N_EXPORTS && sink != NULL, FALSE);
    Export export = {.view = view,
                     .recording = view->recording,
                     .sink = sink,
                     .data = data,
                     .out = g_string_sized_new(2 * PIECE_BYTES),
                     .labels = g_new0(char *, view->recording->n_blockers + 1),
                     .chains = g_new0(char *, view->recording->n_chains + 1)};

    switch (to) {
    case PM_EXPORT_CSV:
        write_csv(&export);
        break;
    case PM_EXPORT_JSON:
        write_json(&export);
        break;
    case PM_EXPORT_COLLAPSED:
        write_collapsed(&export, view, by, n_by);
        break;
    case PM_EXPORT_CHROME_TRACE:
        write_chrome_trace(&export);
        break;
    case PM_N_EXPORTS:
        break;
    }
    flush(&export, TRUE);
    for (guint32 i = 0; i < view->recording->n_blockers; i++)
        g_free(export.labels[i]);
    for (guint32 i = 0; i < view->recording->n_chains; i++)
        g_free(export.chains[i]);
    g_free(export.labels);
    g_free(export.chains);
    g_string_free(export.out, TRUE);
    return !export.failed;
}

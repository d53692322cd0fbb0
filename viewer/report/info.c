#include "viewer/report/info.h"

#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/report/unit.h"

static void line(GString *out, const char *title, const char *text)
{
    g_autofree char *clean = pm_text_clean(text ? text : "");

    if (*clean)
        g_string_append_printf(out, "%-14s%s\n", title, clean);
}

/* Owned. */
static char *gap_reason(const PmRecording *recording, const PmGap *gap)
{
    static const char *const reasons[PM_N_GAP_REASONS] = {
        [PM_GAP_BUFFER_FULL] = "a buffer was full",
        [PM_GAP_EVENTS_OFF] = "events=off",
        [PM_GAP_MINTIME] = "mintime",
        [PM_GAP_MINPARKS] = "minparks",
        [PM_GAP_NO_SLOT] = "no slot for their threads",
        [PM_GAP_WRITE] = "the file could not be written, or there was no memory",
        [PM_GAP_IDLE] = "idle=off",
        [PM_GAP_UNSEEN] = "parks that bypass the recorder",
    };

    if (gap->reason == PM_GAP_WRITE && gap->end < recording->window_begin)
        return g_strdup("the previous file was lost");
    return gap->reason < PM_N_GAP_REASONS ? g_strdup(reasons[gap->reason])
                                          : g_strdup_printf("reason %u", gap->reason);
}

static gsize in_progress(const PmRecording *recording)
{
    gsize n = 0;

    for (gsize i = 0; i < recording->waits.n; i++)
        n += (pm_wait_flags(&recording->waits, i) & PM_WAIT_IN_PROGRESS) != 0;
    return n;
}

/* What a thread was called after that. */
static const char *new_name(const PmRecording *recording, const PmFormerName *former)
{
    return pm_recording_thread_name(recording, former->thread, former->at);
}

static void write_text(const PmRecording *recording, GString *out)
{
    const PmRecordingFacts *facts = &recording->facts;
    g_autofree char *pid = g_strdup_printf("%u", facts->pid);
    g_autofree char *range = pm_heading_range(recording, 0, recording->duration);
    g_autofree char *window =
        pm_heading_range(recording, recording->window_begin, recording->duration);
    g_autofree char *size = pm_label_bytes(facts->file_bytes);
    g_autofree char *chunks = pm_unit_count(facts->n_chunks, "chunk", "chunks");
    g_autofree char *stored = g_strdup_printf("%s in %s", size, chunks);
    g_autofree char *waits =
        g_strdup_printf("%" G_GSIZE_FORMAT " stored, %" G_GSIZE_FORMAT
                        " of them in progress at the end, %" G_GINT64_FORMAT " dropped",
                        recording->waits.n, in_progress(recording), facts->dropped);
    g_autofree char *blockers =
        pm_unit_count(MAX(recording->n_blockers, 1) - 1, "blocker", "blockers");
    g_autofree char *chains =
        pm_unit_count(MAX(recording->n_chains, 1) - 1, "stack trace", "stack traces");
    g_autofree char *threads = pm_unit_count(MAX(recording->n_threads, 1) - 1, "thread", "threads");
    g_autofree char *groups = pm_unit_count(MAX(recording->n_groups, 1) - 1, "group", "groups");
    g_autofree char *pauses = pm_unit_count(recording->n_gc, "GC pause", "GC pauses");
    g_autofree char *seen =
        g_strdup_printf("%s   %s   %s in %s   %s", blockers, chains, threads, groups, pauses);

    line(out, "File", facts->file);
    line(out, "JVM", facts->jvm);
    line(out, "Program", facts->main);
    line(out, "Pid", pid);
    line(out, "Host", facts->host);
    line(out, "Options", facts->options);
    line(out, "Recorded", range);
    line(out, "Waits of", window);
    line(out, "Size", stored);
    line(out, "Waits", waits);
    line(out, "Seen", seen);
    line(out, "Not recorded", facts->not_recorded);
    for (guint32 i = 0; i < recording->n_former_names; i++) {
        const PmFormerName *former = &recording->former_names[i];
        g_autofree char *clock = pm_label_clock(recording, former->at, 0);
        g_autofree char *text = g_strdup_printf("%s until %s at the latest, then %s", former->name,
                                                clock, new_name(recording, former));
        line(out, i == 0 ? "Renamed" : "", text);
    }
    for (guint32 i = 0; i < recording->n_stopped; i++) {
        g_autofree char *span =
            pm_heading_range(recording, recording->stopped[i].begin, recording->stopped[i].end);
        line(out, "Stopped", span);
    }
    for (guint32 i = 0; i < recording->n_gaps; i++) {
        const PmGap *gap = &recording->gaps[i];
        g_autofree char *span = pm_heading_range(recording, gap->begin, gap->end);
        g_autofree char *count = pm_unit_count(gap->waits, "wait", "waits");
        g_autofree char *time = pm_label_duration(gap->thread_time);
        g_autofree char *reason = gap_reason(recording, gap);
        g_autofree char *text =
            g_strdup_printf("%s: %s (%s) not stored, %s", span, count, time, reason);
        line(out, "Gap", text);
    }
    if (facts->damaged_blocks > 0) {
        g_autofree char *lost = pm_label_bytes(facts->lost_bytes);
        g_autofree char *blocks =
            pm_unit_count(facts->damaged_blocks, "damaged block", "damaged blocks");
        g_autofree char *text = g_strdup_printf("%s (%s) left out", blocks, lost);
        line(out, "Damage", text);
    }
}

static void write_json(const PmRecording *recording, GString *out)
{
    const PmRecordingFacts *facts = &recording->facts;
    g_autoptr(JsonBuilder) builder = json_builder_new();
    gint64 stopped = 0;

    for (guint32 i = 0; i < recording->n_stopped; i++)
        pm_sum_add(&stopped, recording->stopped[i].end - recording->stopped[i].begin);
    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_recording_json(builder, recording, FALSE, recording->window_begin, recording->duration,
                      MAX(recording->duration - recording->window_begin - stopped, 0),
                      (gint64)recording->waits.n);
    pm_json_text(builder, "host", facts->host);
    pm_json_text(builder, "options", facts->options);
    pm_json_text(builder, "zone", facts->zone);
    pm_json_int(builder, "window_begin_ns", recording->window_begin);
    pm_json_int(builder, "file_bytes", (gint64)facts->file_bytes);
    pm_json_int(builder, "lost_bytes", (gint64)facts->lost_bytes);
    pm_json_begin_array(builder, "renamed");
    for (guint32 i = 0; i < recording->n_former_names; i++) {
        const PmFormerName *former = &recording->former_names[i];
        json_builder_begin_object(builder);
        pm_json_text(builder, "name", former->name);
        pm_json_text(builder, "then", new_name(recording, former));
        pm_json_int(builder, "until_ns", former->at);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pm_json_int(builder, "in_progress", (gint64)in_progress(recording));
    pm_json_int(builder, "blockers", MAX(recording->n_blockers, 1) - 1);
    pm_json_int(builder, "chains", MAX(recording->n_chains, 1) - 1);
    pm_json_int(builder, "threads", MAX(recording->n_threads, 1) - 1);
    pm_json_int(builder, "groups", MAX(recording->n_groups, 1) - 1);
    pm_json_int(builder, "gc_pauses", recording->n_gc);
    pm_json_begin_array(builder, "gaps");
    for (guint32 i = 0; i < recording->n_gaps; i++) {
        const PmGap *gap = &recording->gaps[i];
        g_autofree char *reason = gap_reason(recording, gap);
        json_builder_begin_object(builder);
        pm_json_int(builder, "from_ns", gap->begin);
        pm_json_int(builder, "to_ns", gap->end);
        pm_json_text(builder, "reason", reason);
        pm_json_int(builder, "count", gap->waits);
        pm_json_int(builder, "thread_time_ns", gap->thread_time);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    pm_json_finish(builder, out);
}

void pm_info_write(const PmRecording *recording, const PmOutput *output, GString *out)
{
    g_return_if_fail(recording != NULL && output && out != NULL);
    if (output->format == PM_FORMAT_JSON)
        write_json(recording, out);
    else
        write_text(recording, out);
}

void pm_verify_write(const char *name, const struct pm_verify_result *result,
                     const PmOutput *output, GString *out)
{
    g_return_if_fail(name != NULL && result && out != NULL);
    if (output->format == PM_FORMAT_JSON) {
        g_autoptr(JsonBuilder) builder = json_builder_new();
        json_builder_begin_object(builder);
        pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
        pm_json_text(builder, "file", name);
        pm_json_bool(builder, "ok", result->ok);
        pm_json_int(builder, "chunks", (gint64)result->chunks);
        pm_json_int(builder, "waits", (gint64)result->waits);
        pm_json_int(builder, "stored_bytes", (gint64)result->stored_bytes);
        pm_json_int(builder, "damaged_blocks", (gint64)result->damaged_blocks);
        pm_json_int(builder, "lost_bytes", (gint64)result->lost_bytes);
        pm_json_int(builder, "first_ns", result->first_ns);
        pm_json_int(builder, "last_ns", result->last_ns);
        pm_json_text(builder, "first_problem", result->ok ? NULL : result->first_problem);
        json_builder_end_object(builder);
        pm_json_finish(builder, out);
        return;
    }

    g_autofree char *chunks = pm_unit_count((gint64)result->chunks, "chunk", "chunks");
    g_autofree char *waits = pm_unit_count((gint64)result->waits, "wait", "waits");
    g_autofree char *bytes = pm_label_bytes(result->stored_bytes);
    g_autofree char *span = pm_heading_span(MAX(0, result->last_ns - result->first_ns));
    g_autofree char *clean = pm_text_clean(name);

    g_string_append_printf(out, "%s: %s   %s, %s, %s stored, %s long\n", clean,
                           result->ok ? "ok" : "DAMAGED", chunks, waits, bytes, span);
    if (!result->ok) {
        g_autofree char *blocks =
            pm_unit_count((gint64)result->damaged_blocks, "damaged block", "damaged blocks");
        g_autofree char *lost = pm_label_bytes(result->lost_bytes);
        g_autofree char *problem = pm_text_clean(result->first_problem);
        g_string_append_printf(out,
                               "%s, %s lost. The first: %s\nEverything else can be read: "
                               "parkctl report leaves out only what is damaged.\n",
                               blocks, lost, problem);
    }
}

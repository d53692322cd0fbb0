#include "viewer/report/heap-path.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/report/csv.h"

/* ---- reading ---- */

static void step_free(gpointer data)
{
    PmHeapStep *step = data;
    g_free(step->kind);
    g_free(step->class);
    g_free(step->field);
    g_free(step->thread);
    g_free(step->method);
    g_free(step);
}

void pm_heap_path_free(PmHeapPath *path)
{
    if (!path)
        return;
    g_ptr_array_unref(path->steps);
    g_ptr_array_unref(path->referrers);
    g_free(path->end);
    g_free(path);
}

static gint64 number_of(const char *word)
{
    gint64 value = 0;
    return g_ascii_string_to_signed(word, 10, -1, G_MAXINT64 / 4, &value, NULL) ? value : 0;
}

/* "step KIND CLASS FIELD INDEX REPEATS THREAD METHOD", "referrer KIND CLASS FIELD NUMBER" */
static void add_step(PmHeapPath *path, char **words, guint n)
{
    const gboolean referrer = strcmp(words[0], "referrer") == 0;
    if (n < (referrer ? 5 : 8))
        return;
    PmHeapStep *step = g_new0(PmHeapStep, 1);
    step->kind = pm_text_clean(words[1]);
    step->class = pm_text_clean(words[2]);
    step->field = pm_text_clean(words[3]);
    step->index = referrer ? -1 : number_of(words[4]);
    step->references = referrer ? number_of(words[4]) : 0;
    step->repeats = !referrer && number_of(words[5]) > 0;
    step->thread = pm_text_clean(referrer ? "" : words[6]);
    step->method = pm_text_clean(referrer ? "" : words[7]);
    g_ptr_array_add(referrer ? path->referrers : path->steps, step);
}

static void add_number(PmHeapPath *path, const char *word, gint64 number)
{
    const struct {
        const char *word;
        gint64 *to;
    } numbers[] = {
        {"walks", &path->walks},     {"stopped", &path->stopped}, {"longest", &path->longest},
        {"objects", &path->objects}, {"weak", &path->weak},       {"targets", &path->looked_at},
        {"alike", &path->alike},     {"steps", &path->n_steps},   {"others", &path->others}};
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (strcmp(word, numbers[i].word) == 0)
            *numbers[i].to = number;
    if (strcmp(word, "unknown") == 0)
        path->is_known = FALSE;
    else if (strcmp(word, "refused") == 0)
        path->refused = TRUE;
    else if (strcmp(word, "aborted") == 0)
        path->aborted = number > 0;
}

PmHeapPath *pm_heap_path_parse(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    if (strcmp(lines[0] ? lines[0] : "", "done") != 0)
        return NULL;
    PmHeapPath *path = g_new0(PmHeapPath, 1);
    path->is_known = TRUE;
    path->steps = g_ptr_array_new_with_free_func(step_free);
    path->referrers = g_ptr_array_new_with_free_func(step_free);
    for (guint i = 1; lines[i]; i++) {
        g_auto(GStrv) words = g_strsplit(lines[i], "\t", -1);
        const guint n = g_strv_length(words);
        if (n < 2)
            continue;
        if (strcmp(words[0], "step") == 0 || strcmp(words[0], "referrer") == 0)
            add_step(path, words, n);
        else if (strcmp(words[0], "end") == 0 && !path->end)
            path->end = pm_text_clean(words[1]);
        else
            add_number(path, words[0], number_of(words[1]));
    }
    path->found = path->n_steps > 0 && path->steps->len > 0 && path->end;
    return path;
}

/* ---- text ---- */

/* "Object[17]" of element 17 of an Object[]. Owned. */
static char *element_text(const char *class, gint64 index)
{
    g_autofree char *label = pm_label_class(class);
    const char *at = strstr(label, "[]");
    if (!at || index < 0)
        return g_steal_pointer(&label);
    return g_strdup_printf("%.*s[%" G_GINT64_FORMAT "]%s", (int)(at - label), label, index,
                           at + strlen("[]"));
}

static char *root_text(const PmHeapStep *step)
{
    g_autofree char *thread =
        *step->thread ? g_strdup_printf("thread \"%s\"", step->thread) : g_strdup("a thread");
    if (strcmp(step->kind, "local") == 0 && *step->method)
        return g_strdup_printf("%s, in %s", thread, step->method);
    if (strcmp(step->kind, "jni-local") == 0)
        return g_strdup_printf("%s, in native code%s%s", thread, *step->method ? " of " : "",
                               step->method);
    if (strcmp(step->kind, "local") == 0 || strcmp(step->kind, "thread") == 0)
        return g_steal_pointer(&thread);
    if (strcmp(step->kind, "monitor") == 0)
        return g_strdup("a monitor in use");
    if (strcmp(step->kind, "jni-global") == 0)
        return g_strdup("a JNI global reference");
    if (strcmp(step->kind, "system-class") == 0)
        return g_strdup("the boot loader's classes");
    return g_strdup("the JVM itself");
}

static char *step_text(const PmHeapStep *step, gboolean is_first)
{
    g_autofree char *class =
        *step->class ? pm_label_class(step->class) : g_strdup("(a class loaded meanwhile)");
    const char *field = *step->field ? step->field : "(a field)";
    if (strcmp(step->kind, "static") == 0)
        return g_strdup_printf("%s %s.%s", is_first ? "static" : "class", class, field);
    if (strcmp(step->kind, "field") == 0)
        return g_strdup_printf("%s.%s%s", class, field, step->repeats ? " …" : "");
    if (strcmp(step->kind, "element") == 0)
        return element_text(step->class, step->index);
    if (strcmp(step->kind, "class") == 0)
        return g_strdup_printf("%s, whose class", class);
    if (strcmp(step->kind, "loader") == 0)
        return g_strdup_printf("class %s, whose loader", class);
    if (strcmp(step->kind, "class-part") == 0)
        return g_strdup_printf("class %s", class);
    return root_text(step);
}

static void append_path(const PmHeapPath *path, const PmOutput *output, GString *out)
{
    g_autoptr(GString) line = g_string_new(path->found ? "" : "(not known) → ");
    g_autofree char *end = pm_label_class(path->end);
    const gint64 left_out = path->n_steps - (gint64)path->steps->len;
    for (guint i = 0; i < path->steps->len; i++) {
        g_autofree char *text = step_text(path->steps->pdata[i], i == 0);
        g_string_append_printf(line, "%s → ", text);
        if (left_out > 0 && i + 1 == path->steps->len / 2)
            g_string_append_printf(line, "(%" G_GINT64_FORMAT " more) → ", left_out);
    }
    g_string_append(line, end);
    pm_text_append_wrapped(out, "  ", "    ", line->str, output->terminal.columns);
    g_string_append_c(out, '\n');
}

static void append_referrers(const PmHeapPath *path, guint limit, GString *out)
{
    for (guint i = 0; i < path->referrers->len && i < limit; i++) {
        const PmHeapStep *referrer = path->referrers->pdata[i];
        g_autofree char *text = strcmp(referrer->kind, "element") == 0
                                    ? g_strdup_printf("elements of %s", referrer->class)
                                : strcmp(referrer->kind, "local") == 0
                                    ? g_strdup("local variables of methods that threads are in")
                                : strcmp(referrer->kind, "thread") == 0
                                    ? g_strdup("the JVM's list of threads")
                                    : step_text(referrer, TRUE);
        g_string_append_printf(out, "%12" G_GINT64_FORMAT "  %s\n", referrer->references, text);
    }
    if (path->others > 0)
        g_string_append_printf(out, "%12" G_GINT64_FORMAT "  elsewhere\n", path->others);
}

/* Why there is no path. */
static void append_nothing(const PmHeapPath *path, const char *what, gboolean is_account,
                           const PmOutput *output, GString *out)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (path->aborted)
        g_string_append_printf(text, "What keeps %s alive was not found within the time limit.",
                               is_account ? "them" : "one");
    else if (path->looked_at == 0 && path->weak == 0)
        g_string_append_printf(text, "No GC root leads to an object of %s.", what);
    else if (path->looked_at == 0)
        g_string_append_printf(text,
                               "Nothing keeps an object of %s alive: there are only weak, soft or "
                               "phantom references to it, %" G_GINT64_FORMAT " times.",
                               what, path->weak);
    else
        g_string_append(text, "No path was found from the GC roots that the JVM reports.");
    pm_text_append_wrapped(out, "", "", text->str, output->terminal.columns);
}

static void append_alike(const PmHeapPath *path, GString *out)
{
    if (path->looked_at == 1)
        g_string_append(out, "It is the only object that was examined.\n");
    else
        g_string_append_printf(out,
                               "Of %" G_GINT64_FORMAT " objects examined, %" G_GINT64_FORMAT
                               " %s kept alive like this.\n",
                               path->looked_at, path->alike, path->alike == 1 ? "is" : "are");
}

static void write_text(const PmHeapPath *path, int pid, const char *what, gboolean is_account,
                       const PmOutput *output, GString *out)
{
    g_autofree char *clean = pm_text_clean(what);
    g_autofree char *heading =
        g_strdup_printf("%d: what keeps %s %s alive; the program was stopped for %.2f s, %.2f s at "
                        "a time, in %" G_GINT64_FORMAT " %s.",
                        pid, is_account ? "objects of the account" : "an object of", clean,
                        (double)path->stopped / 1e9, (double)path->longest / 1e9, path->walks,
                        path->walks == 1 ? "walk" : "walks");
    pm_text_append_wrapped(out, "", "", heading, output->terminal.columns);
    g_string_append_c(out, '\n');
    if (path->end)
        append_path(path, output, out);
    if (!path->found)
        append_nothing(path, clean, is_account, output, out);
    else
        append_alike(path, out);
    if (path->referrers->len == 0)
        return;
    g_autofree char *kept =
        is_account || path->objects == 0
            ? g_strdup("They are referred to by:")
            : g_strdup_printf("%s%" G_GINT64_FORMAT " %s of %s %s kept, and referred to by:",
                              path->aborted && path->walks == 1 ? "At least " : "", path->objects,
                              path->objects == 1 ? "object" : "objects", clean,
                              path->objects == 1 ? "is" : "are");
    pm_text_append_wrapped(out, "", "", kept, output->terminal.columns);
    append_referrers(path, output->limit ? output->limit : G_MAXUINT, out);
}

/* ---- for programs ---- */

static void step_json(JsonBuilder *builder, const PmHeapStep *step, gboolean referrer)
{
    json_builder_begin_object(builder);
    pm_json_text(builder, "kind", step->kind);
    pm_json_text(builder, "class", *step->class ? step->class : NULL);
    pm_json_text(builder, "field", *step->field ? step->field : NULL);
    if (referrer) {
        pm_json_int(builder, "references", step->references);
    } else {
        if (step->index >= 0)
            pm_json_int(builder, "index", step->index);
        else
            pm_json_null(builder, "index");
        pm_json_bool(builder, "repeats", step->repeats);
        pm_json_text(builder, "thread", *step->thread ? step->thread : NULL);
        pm_json_text(builder, "method", *step->method ? step->method : NULL);
    }
    json_builder_end_object(builder);
}

static void write_json(const PmHeapPath *path, int pid, const char *what, gboolean is_account,
                       guint limit, GString *out)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_json_int(builder, "pid", pid);
    pm_json_text(builder, is_account ? "account" : "class", what);
    pm_json_int(builder, "walks", path->walks);
    pm_json_int(builder, "stopped_ns", path->stopped);
    pm_json_int(builder, "longest_stop_ns", path->longest);
    pm_json_bool(builder, "aborted", path->aborted);
    if (!is_account) {
        pm_json_int(builder, "objects", path->objects);
        pm_json_int(builder, "weak_references", path->weak);
    }
    pm_json_int(builder, "looked_at", path->looked_at);
    pm_json_int(builder, "alike", path->alike);
    pm_json_bool(builder, "found", path->found);
    pm_json_int(builder, "steps", path->n_steps);
    pm_json_begin_array(builder, "path");
    for (guint i = 0; i < path->steps->len; i++)
        step_json(builder, path->steps->pdata[i], FALSE);
    json_builder_end_array(builder);
    pm_json_text(builder, "end", path->end);
    pm_json_begin_array(builder, "referrers");
    for (guint i = 0; i < path->referrers->len && i < limit; i++)
        step_json(builder, path->referrers->pdata[i], TRUE);
    json_builder_end_array(builder);
    pm_json_int(builder, "other_references", path->others);
    pm_answer_json_end(builder, out);
}

static void write_csv(const PmHeapPath *path, GString *out)
{
    static const char *const titles[] = {"kind",    "class",  "field", "index",
                                         "repeats", "thread", "method"};
    PmCsv csv = {out, FALSE};
    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles));
    for (guint i = 0; i < path->steps->len; i++) {
        const PmHeapStep *step = path->steps->pdata[i];
        pm_csv_text(&csv, step->kind);
        pm_csv_text(&csv, step->class);
        pm_csv_text(&csv, step->field);
        pm_csv_int(&csv, step->index);
        pm_csv_int(&csv, step->repeats);
        pm_csv_text(&csv, step->thread);
        pm_csv_text(&csv, step->method);
        pm_csv_end_row(&csv);
    }
}

void pm_heap_path_write(const PmHeapPath *path, int pid, const char *what, gboolean is_account,
                        const PmOutput *output, GString *out)
{
    if (output->format == PM_FORMAT_JSON)
        write_json(path, pid, what, is_account, output->limit ? output->limit : G_MAXUINT, out);
    else if (output->format == PM_FORMAT_CSV)
        write_csv(path, out);
    else
        write_text(path, pid, what, is_account, output, out);
}

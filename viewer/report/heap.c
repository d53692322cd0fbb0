#include "viewer/report/heap.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/report/csv.h"
#include "viewer/report/table.h"
#include "viewer/analysis/recording/label.h"

#define TEXT_LIMIT 30

/* Objects are 25 to 100 bytes on average, and a thread of the JVM counts 20 to 40 million of them a
 * second. */
#define SMALL_OBJECT  25.0
#define OBJECT        45.0
#define LARGE_OBJECT  100.0
#define SLOW_A_SECOND 20e6
#define A_SECOND      28e6
#define FAST_A_SECOND 40e6

/* Seconds an object takes where the recorder is told of each reference. */
#define FAST_REFERRED 0.2e-6
#define REFERRED      0.35e-6
#define SLOW_REFERRED 0.8e-6

/* "[Ljava.lang.String;" is "java.lang.String[]". Owned. */
static char *name_of(const char *word)
{
    static const char *const primitives[] = {"Zboolean", "Bbyte", "Cchar",  "Sshort",
                                             "Iint",     "Jlong", "Ffloat", "Ddouble"};
    const gsize dimensions = strspn(word, "[");
    const char *element = word + dimensions;
    GString *name = g_string_new(NULL);
    if (dimensions == 0)
        g_string_assign(name, word);
    else if (*element == 'L')
        g_string_append_len(name, element + 1, (gssize)strcspn(element + 1, ";"));
    else
        for (guint i = 0; i < G_N_ELEMENTS(primitives); i++)
            if (*element == primitives[i][0])
                g_string_assign(name, primitives[i] + 1);
    for (gsize i = 0; i < dimensions; i++)
        g_string_append(name, "[]");
    char *clean = pm_text_clean(name->str);
    g_string_free(name, TRUE);
    return clean;
}

static void class_clear(gpointer data)
{
    g_free(((PmHeapClass *)data)->name);
}

void pm_heap_free(PmHeap *heap)
{
    if (!heap)
        return;
    g_array_unref(heap->classes);
    g_free(heap);
}

static gint64 number_of(const char *word)
{
    gint64 value = 0;
    return g_ascii_string_to_signed(word, 10, 0, G_MAXINT64 / 4, &value, NULL) ? value : -1;
}

/* "   1:    5000    240000  java.lang.String (java.base@17)" */
static gboolean parse_line(char *line, PmHeapClass *ret_class)
{
    g_auto(GStrv) words = g_regex_split_simple("\\s+", g_strstrip(line), 0, 0);
    if (g_strv_length(words) < 4 || !g_str_has_suffix(words[0], ":"))
        return FALSE;
    *ret_class = (PmHeapClass){NULL, number_of(words[1]), number_of(words[2])};
    if (ret_class->objects < 0 || ret_class->bytes < 0)
        return FALSE;
    ret_class->name = name_of(words[3]);
    return TRUE;
}

static int compare_classes(gconstpointer a, gconstpointer b)
{
    const PmHeapClass *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

PmHeap *pm_heap_parse(const char *text)
{
    g_autoptr(PmHeap) heap = g_new0(PmHeap, 1);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    heap->classes = g_array_new(FALSE, TRUE, sizeof(PmHeapClass));
    g_array_set_clear_func(heap->classes, class_clear);
    for (guint i = 0; lines[i]; i++) {
        PmHeapClass class;
        if (!parse_line(lines[i], &class))
            continue;
        heap->objects += class.objects;
        heap->bytes += class.bytes;
        g_array_append_val(heap->classes, class);
    }
    g_array_sort(heap->classes, compare_classes);
    return heap->classes->len > 0 ? g_steal_pointer(&heap) : NULL;
}

gint64 pm_heap_used(const char *info)
{
    g_auto(GStrv) lines = g_strsplit(info, "\n", -1);
    gint64 used = 0;
    for (guint i = 0; lines[i]; i++) {
        const char *at = strstr(lines[i], "used ");
        if (!at || strstr(lines[i], "space") || strstr(lines[i], "Metaspace"))
            continue;
        char *unit = NULL;
        const gint64 n = (gint64)g_ascii_strtoull(at + strlen("used "), &unit, 10);
        const gint64 factor = *unit == 'K'   ? 1 << 10
                              : *unit == 'M' ? 1 << 20
                              : *unit == 'G' ? 1 << 30
                                             : 1;
        if (n > 0 && n < G_MAXINT64 / (4 * factor))
            used += n * factor;
    }
    return used;
}

PmHeapPause pm_heap_pause(gint64 used_bytes)
{
    const double used = (double)used_bytes;
    return (PmHeapPause){used / LARGE_OBJECT / FAST_A_SECOND, used / OBJECT / A_SECOND,
                         used / SMALL_OBJECT / SLOW_A_SECOND};
}

PmHeapPause pm_heap_path_pause(gint64 used_bytes)
{
    const double used = (double)used_bytes;
    return (PmHeapPause){used / LARGE_OBJECT * FAST_REFERRED, used / OBJECT * REFERRED,
                         used / SMALL_OBJECT * SLOW_REFERRED};
}

static void write_text(const PmHeap *heap, int pid, gint64 took_ns, guint limit,
                       const PmOutput *output, GString *out)
{
    const PmTableColumn columns[] = {{"Bytes", "", 12, 0, TRUE, 0},
                                     {"Objects", "", 10, 2, TRUE, 0},
                                     {"Class", "", 20, 2, FALSE, 20}};
    g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));
    g_autofree char *bytes = pm_label_bytes((guint64)heap->bytes);
    g_string_append_printf(out,
                           "%d: %" G_GINT64_FORMAT " objects of %u classes, %s; garbage that is "
                           "not collected yet is among them. It took %.2f s.\n\n",
                           pid, heap->objects, heap->classes->len, bytes, (double)took_ns / 1e9);
    for (guint i = 0; i < heap->classes->len && i < limit; i++) {
        const PmHeapClass *class = &g_array_index(heap->classes, PmHeapClass, i);
        pm_table_add_row(table);
        pm_table_printf(table, 0, "%" G_GINT64_FORMAT, class->bytes);
        pm_table_printf(table, 1, "%" G_GINT64_FORMAT, class->objects);
        pm_table_set(table, 2, class->name);
    }
    if (heap->classes->len > limit) {
        g_autofree char *more =
            g_strdup_printf("%u more classes: --limit=0", heap->classes->len - limit);
        pm_table_add_line(table, more);
    }
    pm_table_write(table, &output->terminal, out);
}

static void write_json(const PmHeap *heap, int pid, gint64 took_ns, guint limit, GString *out)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_json_int(builder, "pid", pid);
    pm_json_int(builder, "took_ns", took_ns);
    pm_json_int(builder, "objects", heap->objects);
    pm_json_int(builder, "bytes", heap->bytes);
    pm_json_begin_array(builder, "classes");
    for (guint i = 0; i < heap->classes->len && i < limit; i++) {
        const PmHeapClass *class = &g_array_index(heap->classes, PmHeapClass, i);
        json_builder_begin_object(builder);
        pm_json_text(builder, "class", class->name);
        pm_json_int(builder, "objects", class->objects);
        pm_json_int(builder, "bytes", class->bytes);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pm_answer_json_end(builder, out);
}

static void write_csv(const PmHeap *heap, guint limit, GString *out)
{
    static const char *const titles[] = {"class", "objects", "bytes"};
    PmCsv csv = {out, FALSE};
    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles));
    for (guint i = 0; i < heap->classes->len && i < limit; i++) {
        const PmHeapClass *class = &g_array_index(heap->classes, PmHeapClass, i);
        pm_csv_text(&csv, class->name);
        pm_csv_int(&csv, class->objects);
        pm_csv_int(&csv, class->bytes);
        pm_csv_end_row(&csv);
    }
}

void pm_heap_write(const PmHeap *heap, int pid, gint64 took_ns, const PmOutput *output,
                   GString *out)
{
    const guint limit = output->limit                      ? output->limit
                        : output->format == PM_FORMAT_TEXT ? TEXT_LIMIT
                                                           : G_MAXUINT;
    if (output->format == PM_FORMAT_JSON)
        write_json(heap, pid, took_ns, limit, out);
    else if (output->format == PM_FORMAT_CSV)
        write_csv(heap, limit, out);
    else
        write_text(heap, pid, took_ns, limit, output, out);
}

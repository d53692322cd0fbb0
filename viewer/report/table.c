#include "viewer/report/table.h"

#include <string.h>

#include "viewer/report/frame-text.h"

typedef struct {
    char **cells; /* n_columns of them, or NULL: `line` */
    char *line;
} Row;

struct PmTable {
    guint n_columns;
    PmTableColumn *columns;
    GArray *rows; /* of Row */
};

PmTable *pm_table_new(const PmTableColumn *columns, guint n_columns)
{
    g_return_val_if_fail(columns != NULL && n_columns > 0, NULL);
    PmTable *table = g_new0(PmTable, 1);

    table->n_columns = n_columns;
    table->columns = g_memdup2(columns, n_columns * sizeof *columns);
    table->rows = g_array_new(FALSE, TRUE, sizeof(Row));
    return table;
}

void pm_table_free(PmTable *table)
{
    if (!table)
        return;
    for (guint r = 0; r < table->rows->len; r++) {
        Row *row = &g_array_index(table->rows, Row, r);
        for (guint c = 0; row->cells && c < table->n_columns; c++)
            g_free(row->cells[c]);
        g_free(row->cells);
        g_free(row->line);
    }
    g_array_free(table->rows, TRUE);
    g_free(table->columns);
    g_free(table);
}

void pm_table_add_row(PmTable *table)
{
    Row row = {g_new0(char *, table->n_columns), NULL};

    g_array_append_val(table->rows, row);
}

void pm_table_set(PmTable *table, guint column, const char *text)
{
    g_return_if_fail(table->rows->len > 0 && column < table->n_columns);
    Row *row = &g_array_index(table->rows, Row, table->rows->len - 1);
    g_return_if_fail(row->cells);
    g_free(row->cells[column]);
    row->cells[column] = pm_text_clean(text);
}

void pm_table_printf(PmTable *table, guint column, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    pm_table_set(table, column, text);
}

void pm_table_add_line(PmTable *table, const char *text)
{
    Row row = {NULL, pm_text_clean(text)};

    g_array_append_val(table->rows, row);
}

void pm_table_add_wrapped(PmTable *table, const char *first, const char *indent, const char *text,
                          int columns)
{
    g_autofree char *clean = pm_text_clean(text);
    g_autoptr(GString) wrapped = g_string_new(NULL);

    pm_text_append_wrapped(wrapped, first, indent, clean, columns);
    g_auto(GStrv) lines = g_strsplit(wrapped->str, "\n", -1);
    for (guint i = 0; lines[i] && *lines[i]; i++)
        pm_table_add_line(table, lines[i]);
}

/* What a column's texts need. */
static int content_width(const PmTable *table, guint c)
{
    const PmTableColumn *column = &table->columns[c];
    int width = MAX(pm_text_width(column->title), pm_text_width(column->unit));

    for (guint r = 0; r < table->rows->len; r++) {
        const Row *row = &g_array_index(table->rows, Row, r);
        if (row->cells && row->cells[c])
            width = MAX(width, pm_text_width(row->cells[c]));
    }
    return width;
}

/* Takes `*excess` columns at most from the widest of the flexible columns, each of which keeps
 * `least`. */
static void take(const PmTable *table, int *excess, const int *least, int *widths)
{
    while (*excess > 0) {
        int widest = -1;
        for (guint c = 0; c < table->n_columns; c++)
            if (table->columns[c].least > 0 && widths[c] > least[c] &&
                (widest < 0 || widths[c] > widths[widest]))
                widest = (int)c;
        if (widest < 0)
            return;
        widths[widest]--;
        --*excess;
    }
}

/* Natural widths without the columns that are left out (-1), then takes what is too much from the
 * flexible columns, widest first: blanks before letters, what is last after all others. FALSE: it
 * is still too much. */
static gboolean fit(const PmTable *table, int columns, int *widths)
{
    g_autofree int *content = g_new0(int, table->n_columns);
    g_autofree int *least = g_new0(int, table->n_columns), *first = g_new0(int, table->n_columns);
    int excess = -columns;

    for (guint c = 0; c < table->n_columns; c++) {
        const PmTableColumn *column = &table->columns[c];
        content[c] = content_width(table, c);
        least[c] = column->least;
        first[c] = column->last ? MAX(content[c], column->least) : column->least;
        if (widths[c] < 0)
            continue;
        widths[c] = MAX(column->width, content[c]);
        excess += column->gap + widths[c];
    }
    take(table, &excess, content, widths);
    take(table, &excess, first, widths);
    take(table, &excess, least, widths);
    return excess <= 0;
}

static void layout(const PmTable *table, int columns, int *widths)
{
    guint next = table->n_columns; /* the last optional one goes first */

    while (!fit(table, columns, widths)) {
        while (next > 0 && !table->columns[next - 1].optional)
            next--;
        if (next == 0)
            break;
        widths[--next] = -1;
    }
}

/* Frames lose their files first, which say little; an object keeps its number, by which commands
 * take it. */
static char *fit_cell(const char *text, int width)
{
    if (pm_text_width(text) <= width)
        return g_strdup(text);
    char *fitted = pm_frame_text_short(text), *shorter;
    while (pm_text_width(fitted) > width &&
           (shorter = pm_frame_text_shorter_numbered(fitted)) != NULL) {
        g_free(fitted);
        fitted = shorter;
    }
    shorter = pm_text_fit(fitted, width);
    g_free(fitted);
    return shorter;
}

static void append_cell(GString *out, const PmTableColumn *column, int width, const char *text)
{
    g_autofree char *fitted = column->least > 0 ? fit_cell(text, width) : g_strdup(text);
    int pad = MAX(0, width - pm_text_width(fitted));

    if (width < 0)
        return;
    g_string_append_printf(out, "%*s", column->gap, "");
    if (column->right)
        g_string_append_printf(out, "%*s%s", pad, "", fitted);
    else
        g_string_append_printf(out, "%s%*s", fitted, pad, "");
}

static void append_header(const PmTable *table, const int *widths, gboolean unit,
                          const PmTerminal *terminal, GString *out)
{
    g_autoptr(GString) line = g_string_new(NULL);

    for (guint c = 0; c < table->n_columns; c++) {
        const PmTableColumn *column = &table->columns[c];
        append_cell(line, column, widths[c], unit ? column->unit : column->title);
    }
    pm_text_trim_end(line);
    if (line->len == 0)
        return;
    pm_text_append_styled(out, terminal, unit ? PM_STYLE_DIM : PM_STYLE_STRONG, line->str);
    g_string_append_c(out, '\n');
}

void pm_table_write(const PmTable *table, const PmTerminal *terminal, GString *out)
{
    g_return_if_fail(table != NULL && terminal && out != NULL);
    g_autofree int *widths = g_new0(int, table->n_columns);

    layout(table, terminal->columns, widths);
    append_header(table, widths, FALSE, terminal, out);
    append_header(table, widths, TRUE, terminal, out);
    for (guint r = 0; r < table->rows->len; r++) {
        const Row *row = &g_array_index(table->rows, Row, r);
        if (row->line) {
            g_autofree char *fitted = fit_cell(row->line, terminal->columns);
            g_string_append(out, fitted);
        } else {
            for (guint c = 0; c < table->n_columns; c++)
                append_cell(out, &table->columns[c], widths[c], row->cells[c] ? row->cells[c] : "");
        }
        pm_text_trim_end(out);
        g_string_append_c(out, '\n');
    }
}

/* A table of text: columns as wide as their widest cell, numbers right-aligned, one unit a column
 * under its title. If the table is wider than the terminal, the flexible columns shrink: frames in
 * their cells lose the file ("PriceCache.get:41"), then what matters least, never an object's
 * number (frame-text.h); whatever is still too long is shortened in the middle. */
#pragma once

#include "viewer/report/text.h"

typedef struct {
    const char *title; /* "" for none */
    const char *unit;  /* second line; "" for none */
    int width;         /* at least */
    int gap;           /* blanks before it */
    gboolean right;
    int least;         /* minimum width when shrinking; 0 = does not shrink */
    gboolean optional; /* left out where there still is no room */
    gboolean last;     /* shrinks only once the others cannot any more */
} PmTableColumn;

typedef struct PmTable PmTable;

/* `columns` are copied; their texts must live as long as the table. */
PmTable *pm_table_new(const PmTableColumn *columns, guint n_columns);
void pm_table_free(PmTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmTable, pm_table_free)

/* Begins a row; cells not set stay blank. */
void pm_table_add_row(PmTable *table);
/* Sets a cell of the last row; the text is cleaned (pm_text_clean). */
void pm_table_set(PmTable *table, guint column, const char *text);
void pm_table_printf(PmTable *table, guint column, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* A separate line after the last row, truncated to the terminal. */
void pm_table_add_line(PmTable *table, const char *text);
/* As many lines as pm_text_append_wrapped makes of the text, which is cleaned. */
void pm_table_add_wrapped(PmTable *table, const char *first, const char *indent, const char *text,
                          int columns);

void pm_table_write(const PmTable *table, const PmTerminal *terminal, GString *out);

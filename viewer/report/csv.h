/* Comma-separated values as RFC 4180 writes them, in UTF-8, lines ended by a line feed. Fields are
 * safe whatever a thread is called: of the control characters (format/character.h) only line feeds
 * are kept, in quotes, and text that a spreadsheet would take for a formula is prefixed with an
 * apostrophe. Numbers are never changed. */
#pragma once

#include <glib.h>

typedef struct {
    GString *out;
    gboolean in_row;
} PmCsv;

/* Text that a spreadsheet shows instead of computing: an apostrophe is inserted before text that,
 * after blanks and quotes, begins with = + - @ or their full-width forms; also after each semicolon
 * and line feed followed by such text, because some readers split fields there. Removing one
 * apostrophe before such a character restores the text (docs/guide/terminal.md). Owned. */
char *pm_csv_guard(const char *text);

/* Appends a field, guarded, and quoted if necessary. NULL is an empty field. */
void pm_csv_text(PmCsv *csv, const char *text);
void pm_csv_int(PmCsv *csv, gint64 value);
/* Nine significant digits; NAN is an empty field. */
void pm_csv_double(PmCsv *csv, double value);
void pm_csv_end_row(PmCsv *csv);
/* The rest of the header: `n` more titles and its end. */
void pm_csv_titles(PmCsv *csv, const char *const *titles, gsize n);

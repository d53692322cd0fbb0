/* Comma-separated values as RFC 4180 writes them, in UTF-8, lines ended by a line feed. Whatever a
 * thread is called, a field shows it and does nothing else: of the characters that act
 * (format/character.h) only line feeds are left, in quotes, and where a spreadsheet would take text
 * for a formula an apostrophe stands before it. Numbers are written as they are. */
#pragma once

#include <glib.h>

typedef struct {
    GString *out;
    gboolean in_row;
} PmCsv;

/* Text that a spreadsheet shows and does not compute: an apostrophe goes before the text where,
 * after blanks and quotes, it begins with = + - @ or their full-width forms; and behind each
 * semicolon and line feed where what follows begins so, as some readers part fields there. One
 * apostrophe taken from before such a sign gives the text back (docs/guide/terminal.md). Owned. */
char *pm_csv_guard(const char *text);

/* Appends a field, guarded, quoted where its text needs it. NULL is an empty field. */
void pm_csv_text(PmCsv *csv, const char *text);
void pm_csv_int(PmCsv *csv, gint64 value);
/* Nine significant digits; NAN is an empty field. */
void pm_csv_double(PmCsv *csv, double value);
void pm_csv_end_row(PmCsv *csv);
/* The rest of the header: `n` more titles and its end. */
void pm_csv_titles(PmCsv *csv, const char *const *titles, gsize n);

/* Comma-separated values as RFC 4180 writes them, in UTF-8, lines ended by a line feed. */
#pragma once

#include <glib.h>

typedef struct {
    GString *out;
    gboolean in_row;
} PmCsv;

/* Appends a field, quoted where its text needs it. NULL is an empty field. */
void pm_csv_text(PmCsv *csv, const char *text);
void pm_csv_int(PmCsv *csv, gint64 value);
/* Nine significant digits; NAN is an empty field. */
void pm_csv_double(PmCsv *csv, double value);
void pm_csv_end_row(PmCsv *csv);

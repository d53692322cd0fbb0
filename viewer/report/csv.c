#include "viewer/report/csv.h"

#include <math.h>
#include <string.h>

static void separate(PmCsv *csv)
{
    if (csv->in_row)
        g_string_append_c(csv->out, ',');
    csv->in_row = TRUE;
}

void pm_csv_text(PmCsv *csv, const char *text)
{
    separate(csv);
    if (!text)
        return;
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    /* Blanks at the ends are kept by some readers only when quoted. */
    gsize n = strlen(valid);
    gboolean quote =
        strpbrk(valid, ",\"\r\n") || (n > 0 && (valid[0] == ' ' || valid[n - 1] == ' '));
    if (!quote) {
        g_string_append(csv->out, valid);
        return;
    }
    g_string_append_c(csv->out, '"');
    for (const char *p = valid; *p; p++) {
        if (*p == '"')
            g_string_append_c(csv->out, '"');
        g_string_append_c(csv->out, *p);
    }
    g_string_append_c(csv->out, '"');
}

void pm_csv_int(PmCsv *csv, gint64 value)
{
    separate(csv);
    g_string_append_printf(csv->out, "%" G_GINT64_FORMAT, value);
}

void pm_csv_double(PmCsv *csv, double value)
{
    char text[64];

    separate(csv);
    if (!isnan(value))
        g_string_append(csv->out, g_ascii_formatd(text, sizeof text, "%.9g", value));
}

void pm_csv_end_row(PmCsv *csv)
{
    g_string_append_c(csv->out, '\n');
    csv->in_row = FALSE;
}

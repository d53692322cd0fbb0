#include "viewer/report/csv.h"

#include <math.h>
#include <string.h>

#include "format/character.h"
#include "viewer/report/text.h"

/* OWASP's list, and the forms that East Asian spreadsheets take for the same. */
static gboolean is_sign(gunichar c)
{
    return c == '=' || c == '+' || c == '-' || c == '@' || c == 0xff1d || c == 0xff0b ||
           c == 0xff0d || c == 0xff20;
}

/* Does `text` begin with a sign, once a reader has taken off what it may? A line feed ends the
 * search: what is behind it is looked at on its own. */
static gboolean begins_formula(const char *text)
{
    for (; *text && *text != '\n'; text = g_utf8_next_char(text)) {
        gunichar c = g_utf8_get_char(text);
        if (is_sign(c))
            return TRUE;
        if (!g_unichar_isspace(c) && !pm_character_acts(c) && c != '\'' && c != '"')
            return FALSE;
    }
    return FALSE;
}

/* Nearly all that is written: names without anything to look at. */
static gboolean is_plain(const char *text)
{
    if (is_sign((guchar)*text) || strchr(" '\"", *text))
        return *text == '\0';
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e || *text == ';')
            return FALSE;
    return TRUE;
}

char *pm_csv_guard(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *out = g_string_sized_new(strlen(valid) + 1);
    gboolean begins = TRUE;

    for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (begins && begins_formula(p))
            g_string_append_c(out, '\'');
        begins = c == ';' || c == '\n';
        g_string_append_unichar(out, c != '\n' && pm_character_acts(c) ? PM_TEXT_UNSHOWN : c);
    }
    return g_string_free(out, FALSE);
}

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
    g_autofree char *guarded = is_plain(text) ? NULL : pm_csv_guard(text);
    const char *field = guarded ? guarded : text;
    /* Blanks at the ends are kept by some readers only when quoted. */
    gsize n = strlen(field);
    gboolean quote =
        strpbrk(field, ",;\"\n") || (n > 0 && (field[0] == ' ' || field[n - 1] == ' '));
    if (!quote) {
        g_string_append(csv->out, field);
        return;
    }
    g_string_append_c(csv->out, '"');
    for (const char *p = field; *p; p++) {
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

void pm_csv_titles(PmCsv *csv, const char *const *titles, gsize n)
{
    for (gsize i = 0; i < n; i++)
        pm_csv_text(csv, titles[i]);
    pm_csv_end_row(csv);
}

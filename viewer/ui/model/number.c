#include "viewer/ui/model/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No number has more than five digits, seconds excepted. */
#define MOST 1e5

static const PmUnit units[] = {{"s", 1e9, 0}, {"ms", 1e6, 0}, {"µs", 1e3, 0}, {"ns", 1, 0}};

static guint unit_index(double ns)
{
    guint i = 0;

    while (i + 1 < G_N_ELEMENTS(units) && ns < units[i].ns)
        i++;
    return i;
}

PmUnit pm_number_unit(gint64 biggest_ns)
{
    const guint i = biggest_ns > 0 ? unit_index((double)biggest_ns) : 0;
    PmUnit unit = units[i];
    const double biggest = (double)biggest_ns / unit.ns;
    unit.decimals = i + 1 == G_N_ELEMENTS(units) || biggest >= MOST / 10 ? 0
                    : biggest >= 10                                      ? 1
                                                                         : 2;
    return unit;
}

static int compare_doubles(gconstpointer a, gconstpointer b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

PmUnit pm_number_unit_of(double *values_ns, gsize n)
{
    gsize known = 0;

    for (gsize i = 0; i < n; i++)
        if (!isnan(values_ns[i]))
            values_ns[known++] = values_ns[i];
    if (known == 0)
        return pm_number_unit(0);
    qsort(values_ns, known, sizeof *values_ns, compare_doubles);
    const double biggest = values_ns[known - 1], median = values_ns[known / 2];
    const guint i = unit_index(biggest);
    if (median >= units[i].ns / 5 || i + 1 == G_N_ELEMENTS(units))
        return pm_number_unit((gint64)biggest);
    if (biggest >= MOST * units[i + 1].ns) {
        PmUnit unit = pm_number_unit((gint64)biggest);
        if (biggest < MOST / 100 * unit.ns)
            unit.decimals = 2;
        return unit;
    }
    PmUnit unit = units[i + 1];
    const gboolean whole =
        median >= 10 * unit.ns || biggest >= MOST / 10 * unit.ns || i + 2 == G_N_ELEMENTS(units);
    unit.decimals = whole ? 0 : 1;
    return unit;
}

/* Digits of the locale's C kind with U+202F between thousands. */
static char *with_thousands(const char *plain)
{
    GString *text = g_string_new(NULL);
    const char *digits = *plain == '-' ? plain + 1 : plain;
    const gsize whole = strspn(digits, "0123456789");

    if (*plain == '-')
        g_string_append(text, "−");
    for (gsize i = 0; i < whole; i++) {
        if (i && whole > 3 && (whole - i) % 3 == 0)
            g_string_append(text, "\u202f");
        g_string_append_c(text, digits[i]);
    }
    g_string_append(text, digits + whole);
    return g_string_free(text, FALSE);
}

char *pm_number_bound(gboolean bound, const char *text)
{
    return g_strconcat(bound ? "≥\u202f" : "", text, NULL);
}

static char *number_text(double value, int decimals)
{
    char format[8], buffer[G_ASCII_DTOSTR_BUF_SIZE + 32];

    g_snprintf(format, sizeof format, "%%.%df", decimals);
    g_ascii_formatd(buffer, sizeof buffer, format, value);
    return with_thousands(buffer);
}

char *pm_number_time(const PmUnit *unit, double ns)
{
    if (isnan(ns))
        return g_strdup("–");
    /* What is there does not look like nothing. */
    const double value = ns / unit->ns, least = pow(10, -unit->decimals);
    const gboolean little = value > 0 && value < least / 2;
    g_autofree char *rounded = number_text(little ? least : value, unit->decimals);
    g_autofree char *number = g_strconcat(little ? "<" : "", rounded, NULL);
    return g_strdup_printf("%s\u202f%s", number, unit->name);
}

char *pm_number_count(gint64 count)
{
    g_autofree char *plain = g_strdup_printf("%" G_GINT64_FORMAT, count);

    return with_thousands(plain);
}

char *pm_number_percent(double fraction)
{
    if (isnan(fraction))
        return g_strdup("–");
    if (fraction > 0 && fraction < 0.0005)
        return g_strdup("<0.1\u202f%");
    g_autofree char *number = number_text(100 * fraction, 1);
    return g_strdup_printf("%s\u202f%%", number);
}

char *pm_number_plural(gint64 count, const char *one, const char *many)
{
    g_autofree char *number = pm_number_count(count);

    return g_strdup_printf("%s %s", number, count == 1 ? one : many);
}

/* Three significant digits. */
static char *significant_text(double value)
{
    if (value == 0 || !isfinite(value))
        return g_strdup("0");
    const int magnitude = (int)floor(log10(fabs(value)));
    return number_text(value, CLAMP(2 - magnitude, 0, 6));
}

char *pm_number_tenths(double threads)
{
    return number_text(threads, 1);
}

char *pm_number_mean(double threads)
{
    if (threads > 0 && threads < 0.005)
        return g_strdup("<0.01");
    if (threads > 0 && threads < 1)
        return number_text(threads, 2);
    return significant_text(threads);
}

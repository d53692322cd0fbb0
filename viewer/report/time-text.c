#include "viewer/report/time-text.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/base/sum.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

static const struct {
    const char *name;
    double ns;
} units[] = {{"ns", 1},  {"us", 1e3}, {"µs", 1e3},   {"ms", 1e6},   {"min", 60e9},
             {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}};

/* "90s", "5m", "1m30s", "1.5h"; a bare number is seconds. */
static gboolean parse_span(const char *text, gint64 *ret_ns)
{
    double sum = 0;
    if (*text == 0)
        return FALSE;
    while (*text != 0) {
        char *end = NULL;
        if (!g_ascii_isdigit(*text) && *text != '.')
            return FALSE;
        double value = g_ascii_strtod(text, &end);
        if (end == text || !isfinite(value))
            return FALSE;
        text = end;
        double unit = 1e9;
        gboolean found = *text == 0;
        for (gsize i = 0; i < G_N_ELEMENTS(units) && !found; i++) {
            gsize length = strlen(units[i].name);
            if (strncmp(text, units[i].name, length) == 0) {
                found = TRUE;
                unit = units[i].ns;
                text += length;
            }
        }
        if (!found)
            return FALSE;
        sum += value * unit;
    }
    if (sum >= 9e18)
        return FALSE;
    *ret_ns = pm_rounded(sum);
    return TRUE;
}

static gboolean parse_digits(const char **text, guint n, int *ret)
{
    int value = 0;
    for (guint i = 0; i < n; i++) {
        if (!g_ascii_isdigit((*text)[i]))
            return FALSE;
        value = 10 * value + ((*text)[i] - '0');
    }
    *text += n;
    *ret = value;
    return TRUE;
}

/* "14:02", "14:02:10", "14:02:10.118": ns of the day. */
static gboolean parse_clock(const char **text, gint64 *ret_ns)
{
    int hour = 0, minute = 0, second = 0;
    if (!parse_digits(text, 2, &hour) || **text != ':')
        return FALSE;
    ++*text;
    if (!parse_digits(text, 2, &minute))
        return FALSE;
    gint64 fraction = 0;
    if (**text == ':') {
        ++*text;
        if (!parse_digits(text, 2, &second))
            return FALSE;
        if (**text == '.') {
            ++*text;
            if (!g_ascii_isdigit(**text))
                return FALSE;
            gint64 unit = SECOND / 10;
            for (; g_ascii_isdigit(**text); ++*text, unit /= 10)
                fraction += (**text - '0') * unit;
        }
    }
    if (hour > 23 || minute > 59 || second > 60)
        return FALSE;
    *ret_ns = ((hour * 60 + minute) * 60 + second) * SECOND + fraction;
    return TRUE;
}

/* Days since 1970-01-01 of a date of the Gregorian calendar. */
static gint64 days_of(int year, int month, int day)
{
    gint64 y = year - (month <= 2);
    gint64 era = (y >= 0 ? y : y - 399) / 400;
    gint64 of_era = y - era * 400;
    gint64 of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Beyond this nanoseconds cannot count: as far as they go either way. */
#define MOST_DAYS 100000

gboolean pm_time_parse(const PmRecording *r, const char *text, gint64 *ret_at, const char **ret_why)
{
    g_return_val_if_fail(r != NULL && text && ret_at != NULL, FALSE);
    static const char why[] =
        "a time is 14:02:10, 2026-11-21T14:02:10Z, -5m (before the end) or +90s (after the begin)";
    gint64 ns = 0;

    if (text[0] == '-' || text[0] == '+') {
        if (!parse_span(text + 1, &ns))
            goto wrong;
        *ret_at = text[0] == '-' ? r->duration - ns : ns;
        return TRUE;
    }

    const char *rest = text;
    gint64 offset = r->facts.utc_offset_s * SECOND;
    const gint64 day_ns = 86400 * SECOND;
    if (strlen(text) > 10 && text[4] == '-') {
        int year = 0, month = 0, day = 0;
        if (!parse_digits(&rest, 4, &year) || *rest++ != '-' || !parse_digits(&rest, 2, &month) ||
            *rest++ != '-' || !parse_digits(&rest, 2, &day) || month < 1 || month > 12 || day < 1 ||
            day > 31 || (*rest != 'T' && *rest != 't' && *rest != ' '))
            goto wrong;
        rest++;
        if (!parse_clock(&rest, &ns))
            goto wrong;
        if (*rest == 'Z' || *rest == 'z') {
            offset = 0;
            rest++;
        } else if (*rest == '+' || *rest == '-') {
            int sign = *rest++ == '-' ? -1 : 1, hours = 0, minutes = 0;
            if (!parse_digits(&rest, 2, &hours))
                goto wrong;
            if (*rest == ':')
                rest++;
            if (!parse_digits(&rest, 2, &minutes))
                goto wrong;
            offset = sign * (hours * 60 + minutes) * 60 * SECOND;
        }
        if (*rest != 0)
            goto wrong;
        gint64 days = days_of(year, month, day);
        gint64 unix_ns = CLAMP(days, -MOST_DAYS, MOST_DAYS) * day_ns + ns - offset;
        *ret_at = pm_difference(unix_ns, r->facts.begin_unix_ns);
        return TRUE;
    }

    if (!parse_clock(&rest, &ns) || *rest != 0)
        goto wrong;
    /* The day on which the recording holds that time; of several the last, of none the begin's. */
    gint64 begin_local = r->facts.begin_unix_ns + offset;
    gint64 day = begin_local / day_ns - (begin_local % day_ns < 0);
    gint64 at = day * day_ns + ns - begin_local;
    while (at + day_ns <= r->duration)
        at += day_ns;
    /* "00:01" of a recording that began at 23:59 and is shorter than a day. */
    if (at < 0 && at + day_ns <= r->duration)
        at += day_ns;
    *ret_at = at;
    return TRUE;

wrong:
    if (ret_why)
        *ret_why = why;
    return FALSE;
}

#include "viewer/ui/widgets/timescale.h"

#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"

#include <math.h>
#include <string.h>

#define SECOND ((gint64)1000000000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

double pm_timescale_x(const PmTimescale *scale, gint64 at)
{
    return (double)(at - scale->from) / (double)(scale->to - scale->from) * scale->width_px;
}

gint64 pm_timescale_at(const PmTimescale *scale, double x)
{
    double part = scale->width_px > 0 ? x / scale->width_px : 0;

    part = CLAMP(part, 0, 1);
    return scale->from + pm_rounded(part * (double)(scale->to - scale->from));
}

/* The round step for marks at least `min` apart. */
static gint64 round_step(gint64 min)
{
    static const gint64 steps[] = {
        SECOND,     2 * SECOND, 5 * SECOND,  10 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE,
        2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR,        2 * HOUR,
        3 * HOUR,   6 * HOUR,   12 * HOUR,   DAY,         2 * DAY,     7 * DAY,
    };

    for (gint64 power = 1; power < SECOND; power *= 10) {
        for (guint i = 0; i < 3; i++) {
            gint64 step = power * ((const gint64[]){1, 2, 5})[i];
            if (step >= min)
                return step;
        }
    }
    for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
        if (steps[i] >= min)
            return steps[i];
    return (min + 7 * DAY - 1) / (7 * DAY) * (7 * DAY);
}

static int digits_of(gint64 step)
{
    int digits = 0;

    for (gint64 unit = SECOND; digits < 9 && step % unit != 0; unit /= 10)
        digits++;
    return digits;
}

static void tick_clear(gpointer data)
{
    g_free(((PmTick *)data)->label);
}

/* "21 Nov": midnights are told apart by their day. */
static char *day_label(gint64 local_ns)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    g_autoptr(GDateTime) day = g_date_time_new_from_unix_utc(local_ns / SECOND);

    return day ? g_strdup_printf("%d %s", g_date_time_get_day_of_month(day),
                                 months[g_date_time_get_month(day) - 1])
               : g_strdup("");
}

GArray *pm_timescale_ticks(const PmTimescale *scale, const PmRecording *recording, double char_px,
                           double gap_px)
{
    GArray *ticks = g_array_new(FALSE, FALSE, sizeof(PmTick));
    double ns_per_px = (double)(scale->to - scale->from) / MAX(scale->width_px, 1);
    gint64 step = 1;

    g_array_set_clear_func(ticks, tick_clear);
    for (;;) {
        int digits = digits_of(step);
        int chars = step >= MINUTE ? 5 : digits > 0 ? 9 + digits : 8;
        gint64 wanted = round_step((gint64)ceil(ns_per_px * (chars * char_px + gap_px)));
        if (wanted <= step)
            break;
        step = wanted;
    }
    gint64 zone = recording->facts.begin_unix_ns + recording->facts.utc_offset_s * SECOND;
    gint64 past = (zone % step + scale->from % step) % step;
    gint64 at = scale->from - past + (past > 0 ? step : 0);
    for (; at <= scale->to && ticks->len < 1000; at += step) {
        PmTick tick = {.x = pm_timescale_x(scale, at), .at = at};
        tick.label =
            step >= DAY ? day_label(zone + at) : pm_label_clock(recording, at, digits_of(step));
        if (step >= MINUTE && step < DAY && strlen(tick.label) >= 8)
            tick.label[5] = '\0';
        g_array_append_val(ticks, tick);
    }
    return ticks;
}

double pm_axis_top(double value)
{
    static const double tops[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    double power = 1;

    if (!(value > 1))
        return 1;
    while (value > 10 * power)
        power *= 10;
    for (guint i = 0; i < G_N_ELEMENTS(tops); i++) {
        double top = tops[i] * power;
        if (top >= value && top == floor(top))
            return top;
    }
    return 10 * power;
}

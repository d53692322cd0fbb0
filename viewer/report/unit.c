#include "viewer/report/unit.h"

#include <math.h>

static const struct {
    const char *name;
    double ns;
} steps[] = {
    [PM_UNIT_S] = {"s", 1e9},
    [PM_UNIT_MS] = {"ms", 1e6},
    [PM_UNIT_US] = {"µs", 1e3},
    [PM_UNIT_NS] = {"ns", 1},
};

PmUnit pm_unit_choose(double max_ns, PmUnitStep preferred, int decimals)
{
    guint step = preferred;

    if (isnan(max_ns) || max_ns <= 0)
        return (PmUnit){steps[step].name, steps[step].ns, decimals};
    while (step < PM_UNIT_NS && max_ns / steps[step].ns < 10 * pow(10, -decimals))
        step++;
    while (step > PM_UNIT_S && max_ns / steps[step].ns >= 1e5)
        step--;
    return (PmUnit){steps[step].name, steps[step].ns, step == PM_UNIT_NS ? 0 : decimals};
}

char *pm_unit_text(PmUnit unit, double ns)
{
    char text[64];
    char format[16];

    if (isnan(ns))
        return g_strdup("");
    g_snprintf(format, sizeof format, "%%.%df", unit.decimals);
    return g_strdup(g_ascii_formatd(text, sizeof text, format, ns / unit.ns));
}

char *pm_unit_count(gint64 n, const char *one, const char *many)
{
    return g_strdup_printf("%" G_GINT64_FORMAT " %s", n, n == 1 ? one : many);
}

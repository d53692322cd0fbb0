#include "recorder/parkctl/option.h"

#include <string.h>

const PmOption pm_options_table[PM_N_OPTIONS] = {
    [PM_OPTION_FORMAT] = {"format", "text|csv|json", "how to print the answer"},
    [PM_OPTION_FROM] = {"from", "TIME", "only what happened after: 14:02:10, -5m, +90s, RFC 3339"},
    [PM_OPTION_TO] = {"to", "TIME", "only what happened before"},
    [PM_OPTION_KIND] = {"kind", "park|enter|wait", "only waits of this kind"},
    [PM_OPTION_CATEGORY] = {"category", "NAME", "only waits of this category: lock, queue, …"},
    [PM_OPTION_CLASS] = {"class", "PATTERN", "only blockers of this class; * matches any text"},
    [PM_OPTION_THREAD] = {"thread", "PATTERN", "only this thread's waits"},
    [PM_OPTION_GROUP] = {"group", "PATTERN", "only waits of this thread group"},
    [PM_OPTION_BLOCKER] = {"blocker", "HASH", "only waits for this object"},
    [PM_OPTION_LIMIT] = {"limit", "N", "at most so many rows, of a tree: per level; 0 = all"},
    [PM_OPTION_SORT] = {"sort", "KEY", "the column to order rows by"},
    [PM_OPTION_IDLE] = {"idle", NULL, "do not leave out idle threads"},
    [PM_OPTION_SINCE_START] = {"since-start", NULL,
                               "totals since the recorder started, also of waits no longer stored"},
    [PM_OPTION_BY] = {"by", "ASPECT,…", "what to aggregate by, outermost first"},
    [PM_OPTION_AT] = {"at", "TIME", "the instant asked for; default: the recording's end"},
    [PM_OPTION_CHAINS] = {"chains", NULL, "print whole stack traces"},
    [PM_OPTION_FILENAME] = {"filename", "FILE",
                            "where to write the recording; an existing one is renamed FILE.1"},
    [PM_OPTION_TO_FORMAT] =
        {"to", "csv|json|collapsed|chrome-trace",
         "for which program: flame graphs read collapsed, Perfetto chrome-trace"},
    [PM_OPTION_CATEGORIES] = {"categories", "FILE",
                              "rules of your own that say what waits mean; see the manual"},
    [PM_OPTION_POOLS] = {"pools", NULL, "the thread pools instead: how many threads were idle"},
    [PM_OPTION_HOLD] = {"hold", "FACTOR",
                        "how long locks are held, 1 = as recorded; default: 0.5 and 0.25"},
    [PM_OPTION_MAXAGE] = {"maxage", "DURATION", "only the last 5m, 90s, 2h, …"},
};

int pm_option_find(const char *name, gsize length, guint allowed)
{
    for (int i = 0; i < PM_N_OPTIONS; i++)
        if ((allowed & PM_OPTION_BIT(i)) && strlen(pm_options_table[i].name) == length &&
            strncmp(pm_options_table[i].name, name, length) == 0)
            return i;
    return -1;
}

#include "recorder/parkctl/option.h"

#include <string.h>

static const PmOption table[PM_N_TABLE_OPTIONS] = {
    [PM_OPTION_FORMAT] = {"format", "text|csv|json", "the output format"},
    [PM_OPTION_FROM] = {"from", "TIME", "only what happened after: 14:02:10, -5m, +90s, RFC 3339"},
    [PM_OPTION_TO] = {"to", "TIME", "only what happened before"},
    [PM_OPTION_ASPECT] = {"ASPECT", "VALUE",
                          "only waits with this value; * matches any text, !VALUE excludes"},
    [PM_OPTION_LIMIT] = {"limit", "N", "maximum number of rows (tree: per level); 0 = all"},
    [PM_OPTION_SORT] = {"sort", "KEY", "the column to order rows by"},
    [PM_OPTION_IDLE] = {"idle", NULL, "include idle threads"},
    [PM_OPTION_SINCE_START] =
        {"since-start", NULL,
         "totals since the recorder started, including waits no longer stored"},
    [PM_OPTION_BY] = {"by", "ASPECT,…", "what to aggregate by, outermost first"},
    [PM_OPTION_AT] = {"at", "TIME", "the instant to show; default: the recording's end"},
    [PM_OPTION_BETWEEN] = {"between", "TIME,TIME",
                           "what is live at the second and was not at the first"},
    [PM_OPTION_GC] = {"gc", NULL,
                      "have the JVM collect all garbage first, which stops the program"},
    [PM_OPTION_COLLAPSED] = {"collapsed", "live|allocated",
                             "stack traces with such bytes, as flame graphs read them"},
    [PM_OPTION_PATH] = {"path", "CLASS|ACCOUNT",
                        "what keeps an object of it alive: the references from a GC root"},
    [PM_OPTION_YES] = {"yes", NULL, "stop the program for as long as it takes"},
    [PM_OPTION_CHAINS] = {"chains", NULL, "print whole stack traces"},
    [PM_OPTION_FILENAME] = {"filename", "FILE",
                            "where to write the recording; an existing one is renamed FILE.1"},
    [PM_OPTION_TO_FORMAT] = {"to", "csv|json|collapsed|chrome-trace",
                             "the format: collapsed for flame graphs, chrome-trace for Perfetto"},
    [PM_OPTION_CATEGORIES] = {"categories", "FILE",
                              "user-defined rules for what waits mean; see the manual"},
    [PM_OPTION_ACCOUNTS] = {"accounts", "FILE|PATTERNS",
                            "accounts to charge: com.acme.*;db=org.h2.*; see the manual"},
    [PM_OPTION_POOLS] = {"pools", NULL, "show thread pools instead: how many threads were idle"},
    [PM_OPTION_HOLD] = {"hold", "FACTOR",
                        "how long locks are held, 1 = as recorded; default: 0.5 and 0.25"},
    [PM_OPTION_ALL] = {"all", NULL, "include JVMs without a recorder"},
    [PM_OPTION_MAXAGE] = {"maxage", "DURATION", "only the most recent 5m, 90s, 2h, …"},
};

PmOption pm_option_row(int id)
{
    if (id < PM_OPTION_FIRST_ASPECT)
        return table[id];
    const PmAspectRow *aspect = &pm_aspects[id - PM_OPTION_FIRST_ASPECT];
    const char *value = id == PM_OPTION_OF_ASPECT(PM_ASPECT_KIND)      ? "park|enter|wait"
                        : id == PM_OPTION_OF_ASPECT(PM_ASPECT_BLOCKER) ? "HASH"
                                                                       : "VALUE";
    return (PmOption){aspect->name, value, aspect->help};
}

gboolean pm_option_is_allowed(int id, guint allowed)
{
    if (id >= PM_OPTION_FIRST_ASPECT)
        return (allowed & PM_OPTION_BIT(PM_OPTION_ASPECT)) != 0;
    return id != PM_OPTION_ASPECT && (allowed & PM_OPTION_BIT(id));
}

int pm_option_find(const char *name, gsize length, guint allowed)
{
    for (int i = 0; i < PM_N_OPTIONS; i++) {
        if (!pm_option_is_allowed(i, allowed))
            continue;
        const char *option = pm_option_row(i).name;
        if (strlen(option) == length && strncmp(option, name, length) == 0)
            return i;
    }
    return -1;
}

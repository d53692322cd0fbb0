/* The options of parkctl's commands: one table (option.c) from which parser, help, completion and
 * manual are made or checked. The recorder's own options (agent/options.h) are passed through. */
#pragma once

#include <glib.h>

typedef enum {
    PM_OPTION_FORMAT,
    PM_OPTION_FROM,
    PM_OPTION_TO,
    PM_OPTION_KIND,
    PM_OPTION_CATEGORY,
    PM_OPTION_CLASS,
    PM_OPTION_THREAD,
    PM_OPTION_GROUP,
    PM_OPTION_BLOCKER,
    PM_OPTION_LIMIT,
    PM_OPTION_SORT,
    PM_OPTION_IDLE,
    PM_OPTION_SINCE_START,
    PM_OPTION_BY,
    PM_OPTION_AT,
    PM_OPTION_CHAINS,
    PM_OPTION_FILENAME,
    PM_OPTION_MAXAGE,
    PM_OPTION_POOLS,
    PM_OPTION_CATEGORIES,
    PM_OPTION_HOLD,
    PM_OPTION_TO_FORMAT, /* export's "to": has no end of a range */
    PM_N_OPTIONS,
} PmOptionId;

typedef struct {
    const char *name;  /* "format": given as --format=…, after a pid also as format=… */
    const char *value; /* what stands after '=', for help; NULL = a flag */
    const char *help;
} PmOption;

extern const PmOption pm_options_table[PM_N_OPTIONS];

/* Sets of options, as bits. */
#define PM_OPTION_BIT(id) (1u << (id))
#define PM_OPTIONS_FILTER                                                                          \
    (PM_OPTION_BIT(PM_OPTION_FROM) | PM_OPTION_BIT(PM_OPTION_TO) | PM_OPTION_BIT(PM_OPTION_KIND) | \
     PM_OPTION_BIT(PM_OPTION_CATEGORY) | PM_OPTION_BIT(PM_OPTION_CLASS) |                          \
     PM_OPTION_BIT(PM_OPTION_THREAD) | PM_OPTION_BIT(PM_OPTION_GROUP) |                            \
     PM_OPTION_BIT(PM_OPTION_BLOCKER) | PM_OPTION_BIT(PM_OPTION_IDLE) |                            \
     PM_OPTION_BIT(PM_OPTION_CATEGORIES))
#define PM_OPTIONS_ROWS                                                                            \
    (PM_OPTION_BIT(PM_OPTION_FORMAT) | PM_OPTION_BIT(PM_OPTION_LIMIT) |                            \
     PM_OPTION_BIT(PM_OPTION_SORT))

/* The option of `allowed` with this name; -1 = none. */
int pm_option_find(const char *name, gsize length, guint allowed);

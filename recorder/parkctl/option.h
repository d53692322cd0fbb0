/* The options of parkctl's commands: one table (option.c) that defines the parser and help;
 * completion and manual are checked against it. The recorder's own options (agent/base/options.h)
 * are passed through. */
#pragma once

#include "viewer/analysis/aggregation/aspect.h"

typedef enum {
    PM_OPTION_FORMAT,
    PM_OPTION_FROM,
    PM_OPTION_TO,
    PM_OPTION_ASPECT, /* in a command's set, represents the options of all aspects, below */
    PM_OPTION_LIMIT,
    PM_OPTION_SORT,
    PM_OPTION_IDLE,
    PM_OPTION_SINCE_START,
    PM_OPTION_BY,
    PM_OPTION_AT,
    PM_OPTION_BETWEEN,
    PM_OPTION_GC,
    PM_OPTION_COLLAPSED,
    PM_OPTION_YES,
    PM_OPTION_PATH,
    PM_OPTION_CHAINS,
    PM_OPTION_FILENAME,
    PM_OPTION_MAXAGE,
    PM_OPTION_POOLS,
    PM_OPTION_CATEGORIES,
    PM_OPTION_ACCOUNTS,
    PM_OPTION_HOLD,
    PM_OPTION_ALL,
    PM_OPTION_TO_FORMAT, /* export's "to": has no end of a range */
    PM_N_TABLE_OPTIONS,
    /* After those of the table, one for each aspect, with its name: `--site=…`. */
    PM_OPTION_FIRST_ASPECT = PM_N_TABLE_OPTIONS,
    PM_N_OPTIONS = PM_OPTION_FIRST_ASPECT + PM_N_ASPECTS,
} PmOptionId;

#define PM_OPTION_OF_ASPECT(aspect) ((PmOptionId)(PM_OPTION_FIRST_ASPECT + (aspect)))

typedef struct {
    const char *name;  /* "format": given as --format=…, or after a pid also as format=… */
    const char *value; /* the form of its value, for help; NULL = a flag */
    const char *help;
} PmOption;

PmOption pm_option_row(int id);

/* Sets of options, as bits. */
#define PM_OPTION_BIT(id) (1u << (id))
#define PM_OPTIONS_FILTER                                                                          \
    (PM_OPTION_BIT(PM_OPTION_FROM) | PM_OPTION_BIT(PM_OPTION_TO) |                                 \
     PM_OPTION_BIT(PM_OPTION_ASPECT) | PM_OPTION_BIT(PM_OPTION_IDLE) |                             \
     PM_OPTION_BIT(PM_OPTION_CATEGORIES) | PM_OPTION_BIT(PM_OPTION_ACCOUNTS))
#define PM_OPTIONS_ROWS                                                                            \
    (PM_OPTION_BIT(PM_OPTION_FORMAT) | PM_OPTION_BIT(PM_OPTION_LIMIT) |                            \
     PM_OPTION_BIT(PM_OPTION_SORT))

/* Whether a command with these bits takes the option. */
gboolean pm_option_is_allowed(int id, guint allowed);
/* The option of `allowed` with this name; -1 = none. */
int pm_option_find(const char *name, gsize length, guint allowed);

/* What a wait means, by the class of its blocker and the frames of its chain: one table of rules
 * (category.c), tried in order; the first match wins. */
#pragma once

#include <glib.h>

typedef enum {
    PM_CATEGORY_LOCK,
    PM_CATEGORY_CLASS_INIT,
    PM_CATEGORY_SEMAPHORE,
    PM_CATEGORY_RESOURCE,
    PM_CATEGORY_CONDITION,
    PM_CATEGORY_QUEUE,
    PM_CATEGORY_TRANSFER,
    PM_CATEGORY_LATCH,
    PM_CATEGORY_BARRIER,
    PM_CATEGORY_FUTURE,
    PM_CATEGORY_POOL_IDLE,
    PM_CATEGORY_TIMER,
    PM_CATEGORY_OTHER,
    PM_N_CATEGORIES,
} PmCategory;

typedef enum {
    PM_FAMILY_LOCK,
    PM_FAMILY_RESOURCE,
    PM_FAMILY_SIGNAL,
    PM_FAMILY_JOIN,
    PM_FAMILY_IDLE,
    PM_FAMILY_OTHER,
    PM_N_FAMILIES,
} PmFamily;

const char *pm_category_name(PmCategory category); /* "pool-idle" */
const char *pm_family_name(PmFamily family);
PmFamily pm_category_family(PmCategory category);
static inline gboolean pm_category_is_idle(PmCategory c)
{
    return c == PM_CATEGORY_POOL_IDLE || c == PM_CATEGORY_TIMER;
}
/* The name of a wait on screen: its kind's title, or "class initialisation". */
const char *pm_category_wait_title(PmCategory category, int kind);
gboolean pm_category_parse(const char *name, PmCategory *ret_category);

/* `frames`: "java.util.concurrent.ThreadPoolExecutor.getTask", innermost first. `class_name`: ""
 * for none. Pure; cost: the table times the frames,
 * so call it once per (class, chain). */
PmCategory pm_category_of(const char *class_name, const char *const *frames, gsize n_frames,
                          int kind);

/* User-defined rules, tried before the table in file order: one per line, `CLASS-PATTERN
 * FRAME-PATTERN CATEGORY`; `*` matches any text, the class `(none)` means no blocker, `#` starts a
 * comment. A frame pattern matches any frame of the chain.
 *
 * Replaces earlier rules for the whole process, so read them before loading a recording, from one
 * thread. FALSE and nothing replaced on failure; the message (G_FILE_ERROR) names the file and the
 * line. */
gboolean pm_category_read_rules(const char *path, GError **error);
/* The same for $XDG_CONFIG_HOME/parkmeter/categories; TRUE if there is none. */
gboolean pm_category_read_default_rules(GError **error);
/* Back to the table alone. */
void pm_category_forget_rules(void);

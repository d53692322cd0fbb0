/* What a wait means, by the class of its blocker and the frames of its chain: one data table
 * (category.c), in the order in which it is asked; first match wins. */
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
gboolean pm_category_parse(const char *name, PmCategory *ret_category);

/* `frames`: "java.util.concurrent.ThreadPoolExecutor.getTask", innermost first. `class_name` "" for
 * none. `parent_class` of a condition's lock, or "". Pure; cost: the table times the frames, so
 * call it once per (class, chain). */
PmCategory pm_category_of(const char *class_name, const char *parent_class,
                          const char *const *frames, gsize n_frames, int kind);

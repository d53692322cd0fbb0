/* The keys to aggregate waits by. One table (aspect.c): name, title, whether its keys are split
 * over a wait's parts (cause, owner) or one per wait. Key values are guint64, unique within an
 * aspect. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef enum {
    PM_ASPECT_KIND,
    PM_ASPECT_CATEGORY,
    PM_ASPECT_CLASS,
    PM_ASPECT_BLOCKER,
    PM_ASPECT_THREAD,
    PM_ASPECT_GROUP,
    PM_ASPECT_CHAIN,
    PM_ASPECT_SITE,
    PM_ASPECT_CAUSE,
    PM_ASPECT_CAUSE_CHAIN,
    PM_ASPECT_CAUSE_SITE,
    PM_ASPECT_OWNER,
    PM_ASPECT_OWNER_CHAIN,
    PM_ASPECT_OWNER_SITE,
    PM_ASPECT_WAKER,
    PM_ASPECT_WAKER_CHAIN,
    PM_ASPECT_WAKER_SITE,
    PM_ASPECT_WAKE_CAUSE,
    PM_ASPECT_ACCOUNT,
    PM_N_ASPECTS,
} PmAspect;

const char *pm_aspect_name(PmAspect aspect);  /* "owner-site", as in --by */
const char *pm_aspect_title(PmAspect aspect); /* "Owner's site", on screen */
gboolean pm_aspect_parse(const char *name, PmAspect *ret_aspect);
/* False for aspects that need a later issue's data; the tree then answers PM_ERROR_ARGUMENT. */
gboolean pm_aspect_available(PmAspect aspect);

/* The key of wait `row` under an aspect with one key a wait. */
guint64 pm_aspect_key(const PmRecording *recording, PmAspect aspect, guint32 row);
/* Its label, as on screen: "ReentrantLock 4f3c91d2 · PriceCache.get"; pseudo-keys in parentheses.
 * Owned by the caller. */
char *pm_aspect_key_text(const PmRecording *recording, PmAspect aspect, guint64 key);
/* "(none)", "(unknown)", …: sorted last. */
gboolean pm_aspect_key_is_pseudo(const PmRecording *recording, PmAspect aspect, guint64 key);

/* Whether a user's word means this key: its text, the full class name, a blocker's hash, a site's
 * method, or "#123" for the key itself. A star stands for any run of characters. */
gboolean pm_aspect_key_matches(const PmRecording *recording, PmAspect aspect, guint64 key,
                               const char *pattern);

/* Keys that stand for a reason where no thread can be blamed (ui.md, "cause"). */
typedef enum {
    PM_PSEUDO_TIME_OUT,
    PM_PSEUDO_INTERRUPT,
    PM_PSEUDO_HAND_OVER,
    PM_PSEUDO_GC_PAUSE,
    PM_PSEUDO_ARRIVAL,
    PM_PSEUDO_STILL_WAITING,
    PM_PSEUDO_UNKNOWN,
    PM_N_PSEUDO,
} PmPseudo;

guint64 pm_pseudo_key(PmPseudo pseudo);
/* Its text, "(time-out)"; NULL when the key is no pseudo-key. */
const char *pm_pseudo_text(guint64 key);

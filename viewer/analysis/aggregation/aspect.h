/* The keys that waits are aggregated and filtered by. One table: a row defines an aspect's name,
 * where its key comes from, and how a key is formatted, parsed and matched between recordings.
 * Everything else (trees, chips, help, completion, the window's menus) reads the table. */
#pragma once

#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/recording/recording.h"

typedef enum {
    PM_ASPECT_KIND,
    PM_ASPECT_CATEGORY,
    PM_ASPECT_CLASS,
    PM_ASPECT_ALIKE,
    PM_ASPECT_BLOCKER,
    PM_ASPECT_THREAD,
    PM_ASPECT_GROUP,
    PM_ASPECT_CHAIN,
    PM_ASPECT_SITE,
    PM_ASPECT_METHOD,
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
    PM_ASPECT_PRINCIPAL,
    PM_N_ASPECTS,
} PmAspect;

/* Which parts of a wait have their own key. The others have key 0 or that of their kind. */
typedef enum {
    PM_SPLIT_NONE,   /* a wait has one key */
    PM_SPLIT_CAUSES, /* owners and wakers */
    PM_SPLIT_OWNERS,
} PmSplit;

typedef struct {
    const char *name;  /* "owner-site", as in --by */
    const char *title; /* "Owner's site", on screen */
    const char *help;  /* what it tells, half a line */
    const char *none;  /* the text of key 0; "": key 0 is like any other */
    PmSplit split;
    /* Without split: the column that determines the key, and the key of one of its values. */
    enum pm_wait_column column;
    guint64 (*key)(const PmRecording *recording, guint32 value);
    /* The key of a wait whose column holds 0; NULL: that of value 0. */
    guint64 (*missing_key)(const PmWaits *waits, guint32 row);
    /* With split: the key of a part that has its own. */
    guint64 (*part_key)(const PmRecording *recording, const PmPart *part);
    /* A key as text, owned; NULL: no such key in this recording. */
    char *(*text)(const PmRecording *recording, guint64 key);
    /* Whether a user's input denotes the key, in addition to its text. */
    gboolean (*matches)(const PmRecording *recording, guint64 key, const char *pattern);
    /* The key's name, stable across runs of the program, owned; NULL: no such key. */
    char *(*lasting_name)(const PmRecording *recording, guint64 key);
} PmAspectRow;

extern const PmAspectRow pm_aspects[PM_N_ASPECTS];

const char *pm_aspect_name(PmAspect aspect);
const char *pm_aspect_title(PmAspect aspect);
gboolean pm_aspect_parse(const char *name, PmAspect *ret_aspect);
gboolean pm_aspect_is_split(PmAspect aspect);
/* Its keys are stack traces, indices into recording->chains. */
gboolean pm_aspect_is_chain(PmAspect aspect);
/* Its keys are written as frames, "Shop.load < Cart.show"; names of the program may look so, too.
 */
gboolean pm_aspect_is_of_frames(PmAspect aspect);

/* How many values a column has that decides keys. */
guint32 pm_aspect_column_size(const PmRecording *recording, enum pm_wait_column column);

/* The key of wait `row` under an aspect that does not split waits. Unique within the aspect. */
guint64 pm_aspect_key(const PmRecording *recording, PmAspect aspect, guint32 row);
/* The key of one part under an aspect that does. */
guint64 pm_part_key(const PmRecording *recording, PmAspect aspect, const PmPart *part);

/* Its label, as on screen: "ReentrantLock 4f3c91d2 · PriceCache.get"; pseudo-keys in parentheses.
 * Owned by the caller. */
char *pm_aspect_key_text(const PmRecording *recording, PmAspect aspect, guint64 key);
/* The same without parts that differ between runs: identity hashes, thread numbers, lines. Owned.
 */
char *pm_aspect_lasting_name(const PmRecording *recording, PmAspect aspect, guint64 key);
/* The key that means the same in another recording of the same run: the same one if all of its text
 * is the same there, of a stack trace each frame, else the only one of which it is. FALSE: there is
 * none, or several. Cost: a text for each key, of at most 65 536 values. */
gboolean pm_aspect_find_same(const PmRecording *recording, PmAspect aspect, guint64 key,
                             const PmRecording *other, guint64 *ret_key);
/* "(handoff)"; NULL for owner and waker, which are identified by their thread. */
const char *pm_cause_pseudo_name(PmCauseKind kind);
/* "(none)", "(unknown)", …: sorted last. */
gboolean pm_aspect_key_is_pseudo(PmAspect aspect, guint64 key);
/* Whether a user's input denotes this key: its text, the full class name, a blocker's hash, a
 * site's method, or "#123" for the key itself; a pseudo-key without its parentheses. A star matches
 * any text. */
gboolean pm_aspect_key_matches(const PmRecording *recording, PmAspect aspect, guint64 key,
                               const char *pattern);

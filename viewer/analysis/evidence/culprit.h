/* Chooses the method of the program that a cause is named after: the one that the user should
 * examine.
 *
 * That is the innermost own frame of the cause's stack trace that is not a helper: neither a method
 * that works, sleeps, reads or writes for several callers, nor one that takes and gives back for
 * all of them. Instead of a helper, its caller is used, unless it has many callers and none of them
 * accounts for half of its time; and instead of a lambda of main() the method that calls it. A
 * caller that is seen at the line of its call itself, at least half as often as what it calls, has
 * the time of both. */
#pragma once

#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/evidence/finding.h"

typedef struct {
    PmFindingCause cause; /* without its text, share and culprit */
    gint64 time, inferred_time, longest;
    double kept;      /* time × how long it holds one of a resource */
    gint64 kept_time; /* the time that this is known of */
    guint32 method;   /* 0: none, as for pseudo-causes and without own code */
    gint frame;       /* its own, in the cause's chain */
    gint taker;       /* its frame further out that took what it holds; -1 = none, or unknown */
    gint asker; /* the same, or, if that takes it for several callers, the frame that called it */
    guint32 helper; /* private to culprit.c: the method that called it */
} PmCulprit;

/* Finds the method and frame of each of `culprits` (PmCulprit). `takers` and `givers` have as keys
 * the stack traces that waited for the object and those that ended waits for it. */
void pm_culprits_find(const PmRecording *recording, const PmTotals *takers, const PmTotals *givers,
                      GArray *culprits);
/* "Prices.load (Prices.java:88) in Http.get in Socket.read < Prices.total (Prices.java:51) < … <
 * Cart.show (Cart.java:17)": the culprit, the helper and the call it is in, its caller, and the
 * frame that took what it holds, or had a helper take it. Owned by the caller, as the following. */
char *pm_culprit_text(const PmRecording *recording, const PmCulprit *culprit);
/* "Prices.load"; "a task of pool-*", if nothing else is known of them; NULL for a pseudo-cause. */
char *pm_culprit_name(const PmRecording *recording, const PmCulprit *culprit);
/* The own method that calls it; 0 = none, or unknown. */
guint32 pm_culprit_caller(const PmRecording *recording, const PmCulprit *culprit);
/* The method of its taker; 0 = none, or unknown. */
guint32 pm_culprit_taker(const PmRecording *recording, const PmCulprit *culprit);
/* The innermost own frame whose method is on none of the `others` (keys: stack traces), else the
 * innermost one; -1 for none. */
gint pm_culprit_frame_apart(const PmRecording *recording, guint32 chain, GHashTable *others);
/* The own methods common to all of these stack traces, keys of `chains`, ignoring those without own
 * code; NULL with fewer than two traces. Owned by the caller. */
GHashTable *pm_culprit_shared_methods(const PmRecording *recording, GHashTable *chains);

/* Which of the program's methods a cause is named after: the one that its reader should look at.
 *
 * That is the innermost own frame of the cause's stack trace, but no helper: neither a method that
 * works, sleeps, reads or writes for several callers, nor one that takes and gives back for them
 * all. Then it is the helper's caller; unless many call it and none of them has half of its time.
 */
#pragma once

#include "viewer/analysis/evidence/finding.h"

typedef struct {
    PmFindingCause cause; /* without its text, share and culprit */
    gint64 time, inferred_time;
    guint32 method; /* 0: none, as of pseudo-causes and where there is no own code */
    gint frame;     /* its own, in the cause's chain */
    gint taker;     /* its frame that took what it holds, further out; -1 = none, or not known */
    guint32 helper; /* culprit.c's: the method that it was called by */
} PmCulprit;

/* Finds the method and frame of each of `culprits` (PmCulprit). `takers` and `givers` have as keys
 * the stack traces that waited for the object and those that ended waits for it. */
void pm_culprits_find(const PmRecording *recording, GHashTable *takers, GHashTable *givers,
                      GArray *culprits);
/* "Prices.load (Prices.java:88) in Http.get in Socket.read < Prices.total (Prices.java:51) < … <
 * Cart.show (Cart.java:17)": the culprit, by which helper in what, its caller, and who took what it
 * holds. Owned by the caller, as the following. */
char *pm_culprit_text(const PmRecording *recording, const PmCulprit *culprit);
/* "Prices.load"; NULL where text is a pseudo-cause's. */
char *pm_culprit_name(const PmRecording *recording, const PmCulprit *culprit);
/* The own methods that lie on each of these stack traces, keys of `chains`, as far as they have own
 * code; NULL with fewer than two of those. Owned by the caller. */
GHashTable *pm_culprit_shared_methods(const PmRecording *recording, GHashTable *chains);

/* The internals of contention.c that follow.c uses. */
#pragma once

#include "viewer/analysis/causes/activity.h"
#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/code/own-code.h"

const PmActivity *pm_contention_activity(const PmContention *contention);
const PmOwnCode *pm_contention_own(const PmContention *contention);
/* Does the wait of `row` look like one of a consumer: for a signal, an element or a message, from
 * a thread `giver` that never waits for it itself (of a semaphore, nor its group)? */
gboolean pm_contention_takes(const PmContention *contention, guint32 row, guint32 giver);
/* What a thread like it was seen in while it held one of a resource: pm_tokens_seen_holding; 0 for
 * any other blocker. */
guint32 pm_contention_seen_holding(const PmContention *contention, guint32 blocker, guint32 thread,
                                   guint32 chain, gint64 at);
/* Appends a part; one that continues the last is joined with it. */
void pm_parts_add(GArray *parts, PmPart part);

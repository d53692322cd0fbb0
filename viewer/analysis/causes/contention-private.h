/* The internals of contention.c that follow.c uses. */
#pragma once

#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/code/own-code.h"

/* Rows of what may be a resource whose gives and takes lie in memory at once. Tests make them
 * fewer. */
extern gsize pm_contention_uses_at_once;

/* Whether the thread decides by itself when it gives, as it never waits for work or for an answer.
 */
gboolean pm_contention_is_source(const PmContention *contention, guint32 thread);
/* Whether the wait of `row` looks like a consumer's: for a signal, an element or a message, from a
 * thread `giver` that never waits for it itself (nor, for a semaphore, does its group), where
 * those that wait do not end waits of each other as they leave, and not for an answer: at an object
 * of its own each time, unless `giver` is a source, or of a giver that waits to be asked; or from
 * one that then waits for an answer. */
gboolean pm_contention_takes(const PmContention *contention, guint32 row, guint32 giver);
/* Whether who waits in `row`, by one timeout after the other, waits for what it set `giver` going
 * for: not, if it does something else as its waits time out. */
gboolean pm_contention_is_done_for(const PmContention *contention, guint32 row, guint32 giver);
/* Whether who ends waits like that of `row` in a call as `chain` was mostly seen meanwhile in
 * others of what runs both: the call then came late, behind those. */
gboolean pm_contention_is_behind(const PmContention *c, guint32 row, guint32 chain);
/* What a similar thread was sampled in while it held a resource: pm_tokens_seen_holding; 0 for any
 * other blocker. */
guint32 pm_contention_seen_holding(const PmContention *contention, guint32 blocker, guint32 thread,
                                   guint32 chain, gint64 at);
/* Appends a part, merging it with the previous one if it continues that. */
void pm_parts_add(GArray *parts, PmPart part);

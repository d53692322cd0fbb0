/* Epochs, by which it is known which rows of the tables of chains, methods and classes are still in
 * use. Time is cut into
 * epochs; whoever gets a row's id from its table marks the row as used in the present one. A
 * row that no one used since an epoch began, and that nothing written down mentions, is freed
 * (reclaim.h). Ids never come back. Free of JVM. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Its number, from 1 up. */
uint32_t pm_epoch_now(void);
void pm_epoch_advance(void); /* the next one; drain thread */
/* Marks `*used`, the epoch of a row: never back, who read the number long ago may come last.
 */
void pm_epoch_mark(uint32_t *used, uint32_t epoch);

/* Between the two nothing is freed of what the caller got from the tables, or took from where it
 * was written down, and has not written down in a slot, a row, a note or a sample yet. Never wait;
 * any thread, any number at a time. For the slow paths: a slot that is being entered or left does
 * without (grace-period.h). `hold`: what pm_epoch_enter gave. */
uint32_t pm_epoch_enter(void);
void pm_epoch_leave(uint32_t hold);

/* Who holds is noted once and waited for; who comes later is not, so that many who come and go keep
 * nobody waiting. Drain thread; not anew before all that were noted have released. */
void pm_epoch_note_readers(void);
bool pm_epoch_has_readers(void); /* by one that was noted */

/* Epochs, which determine which rows of the tables of chains, methods and classes are still in use.
 * Code that gets a row's id from its table marks the row as used in the current epoch. A row that
 * has not been used since an epoch began, and that nothing written down refers to, is freed
 * (reclaim.h). Ids are never reused. Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Its number, from 1 up. */
uint32_t pm_epoch_now(void);
void pm_epoch_advance(void); /* the next one; drain thread */
/* Marks `*used`, the epoch of a row. Never decreases it: a thread that read the number long ago may
 * come last. */
void pm_epoch_mark(uint32_t *used, uint32_t epoch);

/* Between these two calls, nothing is freed that the caller got from the tables, or read from where
 * it was written down, and has not yet written to a slot, a row, a note or a sample. They never
 * wait; any thread, any number at a time. For slow paths: a slot that is being entered or left does
 * not need them (grace-period.h). `hold`: the result of pm_epoch_enter. */
uint32_t pm_epoch_enter(void);
void pm_epoch_leave(uint32_t hold);

/* Current holders are noted and waited for; later ones are not, so a steady stream of them delays
 * nothing. Any thread, any number at a time. */
uint32_t pm_epoch_note_readers(void);
bool pm_epoch_has_readers(uint32_t noted); /* by one that was noted then */

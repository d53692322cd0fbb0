/* Which rows of the tables of chains, methods and classes are still in use. Time is cut into
 * generations; whoever gets a row's id from its table marks the row as used in the present one. A
 * row that no one used since a generation began, and that nothing written down mentions, is freed
 * (reclaim.h). Ids never come back. Free of JVM. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Its number, from 1 up. */
uint32_t pm_generation_now(void);
void pm_generation_begin(void); /* the next one; drain thread */

/* Between the two nothing is freed of what the caller got from the tables and has not written down
 * in a slot, a row or a sample yet. Never wait; any thread, any number at a time. For the slow
 * paths: a slot that is being entered or left does without (crossing.h). */
void pm_generation_hold(void);
void pm_generation_release(void);
bool pm_generation_is_held(void);

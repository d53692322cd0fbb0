/* Requests to the one thread that speaks to the JVM about allocations (reporting.h): to report them
 * at another interval, or to look at live objects now. Free of JVM. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Wakes the thread that grants wishes; any thread calls it. Before the first wish. */
void pm_wish_set_hurry(void (*hurry)(void));
void pm_wish_hurry(void);

/* Wishes an interval as pm_thinning_want takes it, and waits until that is so. PM_ERROR_ARGUMENT:
 * the JVM refuses, as another tool in it has its sampler. PM_ERROR_IO: not before the deadline. */
int pm_wish_interval(int64_t interval_bytes, int64_t deadline_ns);
/* Wishes that what lives is looked at, and waits until it was. PM_ERROR_IO: not in time. */
int pm_wish_look(int64_t deadline_ns);

/* ---- who grants them ---- */

/* The interval wished last. False: it was granted, or refused. */
bool pm_wish_next_interval(int64_t *ret_interval_bytes);
void pm_wish_answer_interval(int64_t interval_bytes, bool refused);
/* How many looks were wished so far; to be told when one that began after that is done. */
uint64_t pm_wish_looks(void);
void pm_wish_answer_look(uint64_t n);

/* Requests to the one thread that controls allocation reporting (reporting.h): to change the
 * interval, or to check liveness now. Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sets the function that wakes the handling thread; called on any thread. Before the first request.
 */
void pm_wish_set_hurry(void (*hurry)(void));
void pm_wish_hurry(void);

/* Requests an interval as for pm_thinning_want, and waits until it is in effect. PM_ERROR_ARGUMENT:
 * the JVM refuses, because another tool has its sampler. PM_ERROR_IO: the deadline passed. */
int pm_wish_interval(int64_t interval_bytes, int64_t deadline_ns);
/* Requests a liveness check, and waits until it is done. PM_ERROR_IO: not in time. */
int pm_wish_look(int64_t deadline_ns);

/* ---- who grants them ---- */

/* The last requested interval. False: it was granted, or refused. */
bool pm_wish_next_interval(int64_t *ret_interval_bytes);
void pm_wish_answer_interval(int64_t interval_bytes, bool refused);
/* How many checks were requested so far; pass it back when one that began later is done. */
uint64_t pm_wish_looks(void);
void pm_wish_answer_look(uint64_t n);

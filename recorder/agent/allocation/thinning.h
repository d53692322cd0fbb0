/* Which of the allocations that the JVM reports are samples.
 *
 * The JVM draws its samples at a *base* interval, and of them a generator of our own keeps as many
 * as the *interval* wants: up to JDK 24 the JVM's sampler is biased (JDK-8356372: small objects
 * after large arrays come up to three times too often), on any JDK where threads come and go (all
 * start from one generator); of a base 16 times as dense, 64 times with many threads, that bias is
 * gone. While the JVM reports more than a budget of samples a second the base becomes less dense
 * where that does no harm, then both intervals rise; and sink again afterwards. Each sample keeps
 * the interval that was in force.
 *
 * Any thread, lock-free. Free of JVM. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PM_THINNING_OFF (-1)

/* `must_thin`: the JVM's sampler is biased. `n_processors`: the budget is for each. `set_base`
 * tells the JVM another base; on any thread that is attached. Once, before the others here. */
void pm_thinning_init(bool must_thin, unsigned n_processors, void (*set_base)(int64_t bytes));

/* The interval wanted from now on: PM_THINNING_OFF, 0 for every object (then no budget counts), or
 * bytes. An attached thread. */
void pm_thinning_want(int64_t interval_bytes);

/* An object was reported: is it a sample? Then `*ret_interval` is the interval in force. */
bool pm_thinning_keep(int64_t size_bytes, int64_t now_ns, int64_t *ret_interval);

/* Looks at the rates, and at how many threads began since; about once a second. An attached
 * thread. */
void pm_thinning_settle(int64_t now_ns);
void pm_thinning_note_thread(void); /* one began */

int64_t pm_thinning_interval(void); /* in force; PM_THINNING_OFF */
int64_t pm_thinning_base(void);     /* told to the JVM */
uint64_t pm_thinning_reported(void);

/* A random number, even in [0, 1), of the calling thread. */
double pm_thinning_random(void);

/* Decides which of the allocations that the JVM reports are samples.
 *
 * The JVM samples at a *base* interval, and a random generator of our own keeps as many of these as
 * the *interval* requires. The reason: the JVM's sampler is biased up to JDK 24 (JDK-8356372: small
 * objects after large arrays are sampled up to three times too often), and on any JDK if threads
 * come and go (all start from one generator); with a base that is 16 times as dense, 64 times with
 * many threads, the bias disappears. While the JVM reports more samples per second than the budget,
 * the base becomes less dense where that does no harm, then both intervals rise; they fall again
 * afterwards. Each sample stores the interval in effect.
 *
 * Any thread, lock-free. Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PM_THINNING_OFF (-1)

/* `must_thin`: the JVM's sampler is biased. `n_processors`: the budget is for each. `set_base` sets
 * the JVM's base interval; on any attached thread. Once, before the others here. */
void pm_thinning_init(bool must_thin, unsigned n_processors, void (*set_base)(int64_t bytes));

/* Sets the desired interval: PM_THINNING_OFF, 0 for every object (without a budget), or bytes. On
 * an attached thread. */
void pm_thinning_want(int64_t interval_bytes);

/* Whether a reported object is a sample; if so, `*ret_interval` is the interval in effect. */
bool pm_thinning_keep(int64_t size_bytes, int64_t now_ns, int64_t *ret_interval);

/* Adjusts to the rates, and to the number of threads started since; about once a second. On an
 * attached thread. */
void pm_thinning_settle(int64_t now_ns);
void pm_thinning_note_thread(void); /* one began */

int64_t pm_thinning_interval(void); /* in force; PM_THINNING_OFF */
int64_t pm_thinning_base(void);     /* told to the JVM */
uint64_t pm_thinning_reported(void);

/* A random number, uniform in [0, 1), from the calling thread's generator. */
double pm_thinning_random(void);

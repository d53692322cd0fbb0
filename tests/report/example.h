/* Small recordings with the shape of docs/ui.md's examples, made by hand and written by the real
 * writer: what the golden texts were worked out from. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* Three locks of the thesis' first pattern: 64, 16 and 4 ms held by four threads, and an idle
 * pool. The third lock's owner keeps it at the end, two wait. */
PmRecording *pm_example_pattern(void);
/* A server: a cache's lock, a pooled connection, a queue, a monitor, an Object.wait. */
PmRecording *pm_example_orders(void);
/* Two threads in a deadlock, three behind them, and a lock held by a thread that sleeps. */
PmRecording *pm_example_deadlock(void);
/* No wait at all. */
PmRecording *pm_example_quiet(void);
/* Writes one of them ("pattern", "orders", …) to a file, for tests of the command line. */
void pm_example_write(const char *name, const char *path);

/* The sweep: housekeeping that needs the JVM, on a separate thread that is attached as a daemon. It
 * removes collected blockers from their table, records and refreshes waits that began before
 * recording, checks all threads for what no event reports, and checks which sampled objects are
 * alive (allocation/reporting.h). About once a second. */
#pragma once

#include <stdbool.h>

/* `listens`: recording is starting, or has started (pm_sweep_listen). 0 or PM_ERROR_MEMORY. */
int pm_sweep_start(bool listens);
/* Tells it to end. It is not joined, because it may be inside a JVM that is shutting down. Waits at
 * most 50 ms for its last check, if there are waits in progress that it found. */
void pm_sweep_stop(void);

/* Space is short: sweep now. Any thread; free if already requested. */
void pm_sweep_hurry(void);
/* Enables the JVM's monitor events before recording starts, or disables them some time after it has
 * stopped (pm_monitor_listen). Waits for that, up to some seconds. False: not yet done. */
bool pm_sweep_listen(bool listens);
/* The gate opened: look for threads that already wait. */
void pm_sweep_record_in_progress(void);

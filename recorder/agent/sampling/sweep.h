/* The sweep: the recorder's housekeeping that needs the JVM, on a thread of its own, attached as a
 * daemon: collected blockers leave their table, waits that began before the recorder came are
 * recorded and refreshed, all threads are looked at for what no event tells, and what becomes of
 * sampled objects is looked at (allocation/reporting.h). About once a second. */
#pragma once

#include <stdbool.h>

/* `listens`: recording starts, or has (pm_sweep_listen). 0 or PM_ERROR_MEMORY. */
int pm_sweep_start(bool listens);
/* Tells it to end, which it does by itself, as it may be inside a JVM that is going down. Waits at
 * most 50 ms for its last look, if there are waits in progress that it found. */
void pm_sweep_stop(void);

/* Room is short: sweep now. Any thread; one that already asked makes it free. */
void pm_sweep_hurry(void);
/* Has the JVM report waits for monitors, before recording starts, or no more, some time after it
 * has stopped (pm_monitor_listen). Waits until it does, for some seconds. False: not yet. */
bool pm_sweep_listen(bool listens);
/* The gate opened: look for threads that already wait. */
void pm_sweep_record_in_progress(void);

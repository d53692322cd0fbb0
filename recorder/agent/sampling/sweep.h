/* The sweep: the recorder's housekeeping that needs the JVM, on a thread of its own, attached as a
 * daemon: collected blockers leave their table, waits that began before the recorder came are
 * recorded and refreshed, and all threads are looked at for what no event tells. About once a
 * second.
 */
#pragma once

int pm_sweep_start(void); /* 0 or PM_ERROR_MEMORY */
/* Tells it to end; does not wait, as it may be inside a JVM that is going down. */
void pm_sweep_stop(void);

/* Room is short: sweep now. Any thread; one that already asked makes it free. */
void pm_sweep_hurry(void);
/* The gate opened: look for threads that already wait. */
void pm_sweep_record_in_progress(void);

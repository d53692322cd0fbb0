/* Why waits were not recorded: counters by reason, incremented by hooks/admission.h and by the code
 * that tracks waits in progress, read by `status`. A wait while the gate is closed does not count
 * as refused. Any thread. */
#pragma once

#include <stdint.h>

enum pm_refusal {
    PM_REFUSAL_THREAD,       /* its thread cannot be identified: out of memory, or no ids left */
    PM_REFUSAL_VTHREADS_OFF, /* a virtual thread's, with `vthreads=off` */
    PM_REFUSAL_NOT_A_WAIT,   /* a virtual thread sleeps or waits for a socket */
    PM_REFUSAL_NESTED,       /* for a monitor, within another wait of its thread */
    PM_REFUSAL_THROWS,       /* Object.wait that throws at once */
    PM_REFUSAL_NO_SPACE,     /* no slot left to keep it in while it lasts */
    PM_REFUSAL_MOVED_ON,     /* in progress when recording began, over before it was read */
    PM_N_REFUSALS
};

/* As in the keys of `status`. */
extern const char *const pm_refusal_names[PM_N_REFUSALS];

/* One more, if the gate is open. */
void pm_refusal_note(enum pm_refusal reason);
uint64_t pm_refusal_count(enum pm_refusal reason);

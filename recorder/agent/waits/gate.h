/* Whether waits are being recorded: the flag that every hook tests first. Closed until the drain
 * runs, by `paused` and `stop`, and permanently from VMDeath on. Makes no JVM calls. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic bool pm_gate_is_open;
/* When it was last opened. While it is closed, parks that consume permits are not seen, so an older
 * wake record says nothing about a later park. */
extern _Atomic int64_t pm_gate_opened_ns;

/* Opens or closes it; opening has no effect once sealed. */
void pm_gate_set(bool open);
void pm_gate_seal(void);
/* Changes each time it is opened or closed. */
unsigned pm_gate_version(void);
/* Sets the function that pm_gate_tell_open calls while the gate is open; NULL: none. Whoever opens
 * it again calls that once the recorded span has begun. */
void pm_gate_on_open(void (*opened)(void));
void pm_gate_tell_open(void);

static inline bool pm_gate_open(void)
{
    return atomic_load_explicit(&pm_gate_is_open, memory_order_relaxed);
}

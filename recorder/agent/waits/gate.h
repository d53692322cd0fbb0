/* Whether waits are recorded now: the one flag that every hook tests first. Closed until the drain
 * runs, by `paused` and `stop`, and for ever from VMDeath on. Free of JVM. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic bool pm_gate_is_open;
/* When it was opened last. While it is shut nobody sees parks take what unparks left, so what is
 * older says nothing of a later park. */
extern _Atomic int64_t pm_gate_opened_ns;

/* Opens or closes; opening does nothing once sealed. */
void pm_gate_set(bool open);
void pm_gate_seal(void);
/* Changes each time it is opened or closed. */
unsigned pm_gate_version(void);
/* Called each time the gate opens, by who opens it. Before the first time; NULL: nobody. */
void pm_gate_on_open(void (*opened)(void));

static inline bool pm_gate_open(void)
{
    return atomic_load_explicit(&pm_gate_is_open, memory_order_relaxed);
}

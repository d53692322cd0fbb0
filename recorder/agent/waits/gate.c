#include "recorder/agent/waits/gate.h"

#include <stddef.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"

_Atomic bool pm_gate_is_open PM_HOT_SMALL;
_Atomic int64_t pm_gate_opened_ns PM_HOT_SMALL;
static _Atomic bool sealed;
static _Atomic unsigned version;
static void (*on_open)(void);

void pm_gate_on_open(void (*opened)(void))
{
    on_open = opened;
}

unsigned pm_gate_version(void)
{
    return atomic_load(&version);
}

void pm_gate_set(bool open)
{
    if (open && !pm_gate_open())
        atomic_store(&pm_gate_opened_ns, pm_clock_now());
    atomic_fetch_add(&version, 1);
    atomic_store(&pm_gate_is_open, open && !atomic_load(&sealed));
    if (atomic_load(&sealed))
        atomic_store(&pm_gate_is_open, false);
}

void pm_gate_tell_open(void)
{
    if (pm_gate_open() && on_open)
        on_open();
}

void pm_gate_seal(void)
{
    atomic_store(&sealed, true);
    atomic_store(&pm_gate_is_open, false);
}

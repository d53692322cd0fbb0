#include "recorder/agent/gate.h"

_Atomic bool pm_gate_is_open;
static _Atomic bool sealed;

void pm_gate_set(bool open)
{
    atomic_store(&pm_gate_is_open, open && !atomic_load(&sealed));
    if (atomic_load(&sealed))
        atomic_store(&pm_gate_is_open, false);
}

void pm_gate_seal(void)
{
    atomic_store(&sealed, true);
    atomic_store(&pm_gate_is_open, false);
}

/* What a hook finds of its thread at once: one variable of all, as where it lies is one cache line
 * for each. Little enough for the room that the loader keeps for libraries loaded late, and found
 * without a call. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pm_current_thread;

extern _Thread_local struct pm_thread_local {
    struct pm_current_thread *current; /* current-thread.h's; NULL: none yet */
    bool has_ended;
    uint8_t hooks_inside; /* bits of the hooks whose next hook, of another agent, is running */
} pm_thread_local __attribute__((tls_model("initial-exec")));

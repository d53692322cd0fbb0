/* The thread-local state that hooks read first: one variable, because locating each one costs a
 * cache line. It is small enough for the static TLS space that the loader reserves for libraries
 * loaded late, so it is accessed without a call. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pm_current_thread;

extern _Thread_local struct pm_thread_local {
    struct pm_current_thread *current; /* current-thread.h's; NULL: none yet */
    int64_t lost_since_ns; /* admission.h's: a wait that only counts began then; 0: none did */
    uint8_t lost_kind;
    bool has_ended;
    bool lacks_memory;    /* there was none for its entry */
    uint8_t hooks_inside; /* bits of the hooks whose next hook, of another agent, is running */
} pm_thread_local __attribute__((tls_model("initial-exec")));

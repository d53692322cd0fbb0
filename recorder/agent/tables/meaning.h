/* The meaning of a stack trace, from its first frames: why a waker woke a thread, and the site of a
 * wait in the program. Data tables of class and method names; makes no JVM calls. */
#pragma once

#include "format/record.h"

/* The enum pm_wake_cause that the frames of an unpark indicate; PM_WAKE_UNKNOWN if no rule matches.
 */
uint8_t pm_meaning_cause(const struct pm_frame *frames, uint32_t n_frames);

/* The first frame outside java.base's locking code; `n_frames` if there is none. */
uint32_t pm_meaning_site_frame(const struct pm_frame *frames, uint32_t n_frames);
/* The method of that frame; if there is none, of the first frame outside LockSupport; 0 for an
 * empty chain. */
pm_method_id pm_meaning_site(const struct pm_frame *frames, uint32_t n_frames);

/* Whether this is the stack of a thread with nothing to do: one of a pool, a timer or a cleaner,
 * between two tasks. For `idle=off`; the viewer has its own, more complete table of idle waits. */
bool pm_meaning_is_idle(const struct pm_frame *frames, uint32_t n_frames);

/* It waits in Thread.join. */
bool pm_meaning_joins(const struct pm_frame *frames, uint32_t n_frames);

/* Whether a virtual thread parks here until a socket is ready. */
bool pm_meaning_polls(const struct pm_frame *frames, uint32_t n_frames);

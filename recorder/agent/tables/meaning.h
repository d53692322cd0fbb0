/* The meaning of a stack trace, by its first frames: why a waker woke, and at which site of the
 * program a wait lies. Data tables over class and method names; free of JVM. */
#pragma once

#include "format/record.h"

/* The enum pm_wake_cause that the frames of an unpark stand for; PM_WAKE_UNKNOWN when no rule
 * fits. */
uint8_t pm_meaning_cause(const struct pm_frame *frames, uint32_t n_frames);

/* The first frame outside java.base's locking code; `n_frames` when there is none. */
uint32_t pm_meaning_site_frame(const struct pm_frame *frames, uint32_t n_frames);
/* The method of that frame; of the first outside LockSupport when there is none; 0 for an empty
 * chain. */
pm_method_id pm_meaning_site(const struct pm_frame *frames, uint32_t n_frames);

/* A thread with nothing to do stands here: a pool's, a timer's or a cleaner's, between two tasks.
 * For `idle=off`; what the viewer calls idle is its own, fuller table. */
bool pm_meaning_is_idle(const struct pm_frame *frames, uint32_t n_frames);

/* It waits in Thread.join. */
bool pm_meaning_joins(const struct pm_frame *frames, uint32_t n_frames);

/* A virtual thread parks there until a socket is ready. */
bool pm_meaning_polls(const struct pm_frame *frames, uint32_t n_frames);

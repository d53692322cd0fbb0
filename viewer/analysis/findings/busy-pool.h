/* Pools of which no thread is free, and event loops that are held up: what comes then has to wait,
 * seen by no wait in the recording. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

/* Of each pool of platform threads that were all in tasks, and there mostly in calls that are not
 * recorded: for how long, and where they were seen; the mean number of threads is of those that
 * went on each second. Cost: a pass over the waits if there may be one of a library's own, and one
 * if there is any. */
void pm_busy_pool_find(const PmSearch *search, GArray *findings);
/* Of each event loop, of one thread or of several that were never seen to listen: for which part of
 * the time it was in its handlers' calls, estimated from samples, and where. */
void pm_event_loop_find(const PmSearch *search, GArray *findings);

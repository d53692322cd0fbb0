/* Pools of which no thread is free, and event loops that are held up: what comes then has to wait,
 * seen by no wait in the recording. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

/* Of each pool of platform threads that were all in tasks, and there mostly in calls that are not
 * recorded: for how long, and where they were seen; the mean number of threads is of those that
 * went on each second. Cost: a pass over the waits if there is one. */
void pm_busy_pool_find(const PmSearch *search, GArray *findings);
/* The same of threads that listen for events and handle them in one loop, one thread is enough: how
 * often they were seen elsewhere when they used hardly any processor time. */
void pm_event_loop_find(const PmSearch *search, GArray *findings);

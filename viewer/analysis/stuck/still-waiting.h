/* What may be known of a wait that is still in progress at the end of a view. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* What is so old, and like this many earlier waits, can be overdue. */
#define PM_STILL_OVERDUE_NS  G_GINT64_CONSTANT(5000000000)
#define PM_STILL_MIN_EARLIER 5

/* What one thread does on, and others because of it. */
#define PM_STILL_AT_ONCE_NS G_GINT64_CONSTANT(100000000)

/* Did a task that is run again and again end such waits, or a timer's? */
gboolean pm_still_is_periodic(const PmRecording *r, const PmOperation *operation);
/* Is none of those at work, or free to begin, who ended such waits before? The thread of a
 * scheduler or timer that ran them periodically is not when nothing is scheduled any more, or when
 * it has ended. */
gboolean pm_still_is_given_up(const PmSummary *summary, const PmOperations *operations,
                              const PmOperation *operation);
/* Does it wait for a lock, with no timeout, whose owner was seen to have ended with it? */
gboolean pm_still_is_abandoned(const PmStillWaiting *still);
/* Many threads that wait far longer than any like them ever did, or one of them in a lock or for a
 * permit. A lock that several wait for is given back sooner. Whoever waits for messages may. */
gboolean pm_still_is_overdue(const PmSummary *summary, const PmOperations *operations,
                             const PmStillWaiting *still);
/* The other side of what it waits for, as takers and putters are of one queue: they wait too, at
 * the same lock in another method. Both are not at rest at once: one side had something to do.
 * NULL: there is none, or somebody was seen to end such waits, which knots judge. */
const PmStillWaiting *pm_still_other_side(const PmSummary *summary, const PmOperations *operations,
                                          const PmStillWaiting *still);
/* Does it wait for somebody to take what it gives to a library? Not, if an answer comes back. */
gboolean pm_still_waits_for_taker(const PmRecording *r, const PmStillWaiting *still);
/* Does it wait for a pool's tasks to end? */
gboolean pm_still_awaits_end_of_pool(const PmRecording *r, const PmStillWaiting *still);
/* Does somebody await the end of a pool, since before `still` or not much later? Then that may be
 * what it waits for. NULL: nobody does. */
const PmStillWaiting *pm_still_end_of_pool(const PmSummary *summary, const PmStillWaiting *still);
/* Has `other`, of another group than `still`, waited long in a task of an executor, or of any
 * library's? */
gboolean pm_still_is_long_task(const PmSummary *summary, const PmStillWaiting *still,
                               const PmStillWaiting *other, gboolean of_executor);
/* May those in tasks that wait like `task` be several? Who waits for a start may wait for more than
 * one; and tasks may wait for each other, where others wait for such ones. */
gboolean pm_still_may_be_several(const PmRecording *r, const PmStillWaiting *still,
                                 const PmStillWaiting *task);
/* Nobody was seen to end such waits for results of tasks, or while a pool should end; but one
 * thread alone, or group of threads, waits as long within a task of a pool of its own, or where a
 * library calls the program back: what is waited for may be queued behind that. */
const PmStillWaiting *pm_still_waiting_worker(const PmSummary *summary,
                                              const PmOperations *operations,
                                              const PmStillWaiting *still);
/* Does it wait for what comes after the end of a pool that a task of it keeps from ending? */
gboolean pm_still_waits_for_end(const PmSummary *summary, const PmOperations *operations,
                                const PmStillWaiting *still);
/* The wait of one like those in `still` that has gone further on in the same method; G_MAXUINT32:
 * there is none among those of `other`. */
guint32 pm_still_row_further_on(const PmSummary *summary, const PmStillWaiting *still,
                                const PmStillWaiting *other, guint32 *ret_method);
/* Of those that want something out of a pool, or for which others give signals, one that has gone
 * further in a method in which others like it wait: it may have got some. G_MAXUINT32: there is
 * none. */
guint32 pm_still_row_that_wants_more(const PmSummary *summary, const PmStillWaiting *still,
                                     guint32 *ret_method);
/* Is it a semaphore that others release, as often as there is work? Its takers may have none. */
gboolean pm_still_counts_work(const PmSearch *search, const PmStillWaiting *still);
/* Was the lock, or a permit, handed on to others not long ago, or did others find somebody to hand
 * over to? Then whoever waits for it is only overtaken. */
gboolean pm_still_is_handed_on(const PmSummary *summary, const PmStillWaiting *still);

#include "viewer/analysis/findings/rule.h"

#include "viewer/analysis/findings/advice.h"
#include "viewer/analysis/findings/back-off.h"
#include "viewer/analysis/findings/busy-pool.h"
#include "viewer/analysis/findings/collection.h"
#include "viewer/analysis/findings/memory-finding.h"
#include "viewer/analysis/stuck/stuck.h"

static const PmRule rules[PM_N_RULES] = {
    [PM_RULE_DEADLOCK] =
        {.name = "deadlock",
         .when = "threads have waited in a cycle for 0.1 s (for 10 s, where a timeout may end it), "
                 "each for a lock that the next one owns",
         .advice = "take the locks in the same order everywhere, or use tryLock with a timeout",
         .disproof =
             "one of its threads continues later: a longer recording shows that its wait ended",
         .severity = PM_SEVERITY_STUCK,
         .find = pm_stuck_find_deadlocks},
    [PM_RULE_OWN_POOL] = {.name = "own-pool",
                          .when = "tasks wait for tasks of their own pool, or for tasks of a kind "
                                  "that never ended, and the pool has no free thread",
                          .advice = "run such tasks in the caller or in a separate pool; do not "
                                    "wait in a pool thread for other tasks of that pool",
                          .disproof =
                              "the pool grows, or a thread outside it ends such waits later",
                          .severity = PM_SEVERITY_STUCK,
                          .find = pm_stuck_find_own_pools},
    [PM_RULE_NOBODY_LEFT] = {.name = "nobody-left",
                             .when = "all threads that ever ended such waits are waiting "
                                     "themselves, without a timeout, or have ended",
                             .advice = "look at what should have woken them: a signal that came "
                                       "too early, went to the wrong thread or never came",
                             .disproof =
                                 "a thread that never ended such a wait before ends these later",
                             .severity = PM_SEVERITY_STUCK,
                             .find = pm_stuck_find_mutual},
    [PM_RULE_FORGOTTEN] = {.name = "forgotten",
                           .when = "later waits of the same kind (and for the same object, unless "
                                   "they are for a result) were ended, these were not",
                           .advice = "look for paths that never complete them: an exception, a "
                                     "branch without completion; give the wait a timeout",
                           .disproof = "they end later: their work only took longer",
                           .severity = PM_SEVERITY_STUCK,
                           .find = pm_stuck_find_forgotten},
    [PM_RULE_STUCK_WAIT] =
        {.name = "stuck-wait",
         .when = "a wait without a timeout has lasted for 10 s; or for any time, if the owner of "
                 "the lock has ended without releasing it; or for 5 s, if that is five times "
                 "as long as any similar one, it began before recording, it is in a task of a "
                 "pool that should end, all of its group wait, one for more than it has of what "
                 "others want, or it is for an answer, where a library calls the program, and "
                 "others have waited since for what came often before; or for the end of a pool "
                 "whose last task waits for what only threads gave that have ended",
         .advice = "look at what should have ended the wait; give it a timeout",
         .by_design =
             "idle threads, threads that have spent most of their life in this wait (of several "
             "alike, for a signal, or for others that go on with their work; not a pool's worker, "
             "if nobody runs such a task as it waits for; nor while it handles a window's event, "
             "nor for a result that it asked for, if twenty of them came in a hundredth of that "
             "time), waits for a lock, a permit or somebody to hand over to that other threads got "
             "in the last 5 s, and waits for a signal, unless both sides of one queue wait, the "
             "program gives something to a library there, or the signal came from a periodic task "
             "that is no longer scheduled",
         .disproof = "it ends later, and what it waited for really took that long",
         .severity = PM_SEVERITY_STUCK,
         .find = pm_stuck_find_waits},
    [PM_RULE_GC] =
        {.name = "gc",
         .when = "pauses of the collector take a tenth of the recorded time",
         .advice =
             "look at what allocates so much or requests collections; give the heap more room",
         .disproof = "the JVM's own log (-Xlog:gc) shows shorter pauses",
         .severity = PM_SEVERITY_HIGH,
         .find = pm_collection_find},
    [PM_RULE_CARRIERS] =
        {.name = "carriers",
         .when =
             "woken virtual threads wait for a carrier, for 1 ms or more, during a tenth of "
             "the recorded time; or (a note) virtual threads that wait pin a tenth of a carrier "
             "on average, by a native frame or a class initialiser",
         .advice = "let tasks that occupy carriers for long yield, or run them on platform "
                   "threads; if processors are free, set -Djdk.virtualThreadScheduler.parallelism",
         .disproof = "with more carriers and processors they wait just as long",
         .severity = PM_SEVERITY_HIGH,
         .find = pm_carrier_find},
    [PM_RULE_BUSY_POOL] =
        {.name = "busy-pool",
         .when = "for five seconds or more, and a fifth of the recorded time, no thread of a pool "
                 "was free, and they were mostly in calls that are not recorded, as for a socket",
         .advice = "look at what takes so long there, and give it a timeout; more threads help "
                   "only if what they call can bear more at once",
         .disproof = "nothing waited in the pool's queue meanwhile; or its tasks are connections "
                     "on which nothing is to be read",
         .severity = PM_SEVERITY_NOTE,
         .find = pm_busy_pool_find},
    [PM_RULE_EVENT_LOOP] =
        {.name = "event-loop",
         .when = "a thread that listens for events and handles them in one loop of a library was "
                 "mostly seen in a call of a handler that is not recorded, as for a socket or to "
                 "sleep",
         .advice = "do that in a thread of its own: whatever else comes to this event loop waits "
                   "meanwhile",
         .disproof = "nothing else came to it meanwhile, or another thread listened for it",
         .severity = PM_SEVERITY_NOTE,
         .find = pm_event_loop_find},
    [PM_RULE_TIMED_POLLING] = {.name = "timed-polling",
                               .when = "nine of ten waits end by timeout, ten times a second for "
                                       "each thread; or a thread parks briefly over and over "
                                       "(high, if the library that it parks in calls a thread that "
                                       "is at work)",
                               .advice = "wait for the event itself instead of polling",
                               .disproof =
                                   "the timeouts are the work: a clock, a frame, a heartbeat",
                               .severity = PM_SEVERITY_NOTE,
                               .find = pm_back_off_find,
                               .applies = pm_candidate_is_polling,
                               .title = pm_candidate_title_of_polling},
    [PM_RULE_RESOURCE_EXHAUSTED] =
        {.name = "resource-exhausted",
         .when = "threads wait for permits, connections or other elements of a pool",
         .advice = "give it back sooner, or make the pool larger; if it has fewer than it was made "
                   "with, some were never given back, and by whom is not known",
         .disproof = "with a larger pool the waits remain: the limit is elsewhere",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_exhausted,
         .title = pm_candidate_title_of_permits,
         .advise = pm_advice_of_permits},
    [PM_RULE_LOCK_HELD_OVER_IO] =
        {.name = "lock-held-over-io",
         .when = "a lock's owner was in I/O or asleep in most samples",
         .advice =
             "do the slow work before taking the lock, then swap in the result under the lock",
         .disproof = "the samples' stack traces show that the lock is taken inside the slow call",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_held_over_io,
         .title = pm_candidate_title_of_io,
         .advise = pm_advice_of_callback},
    [PM_RULE_CONVOY] =
        {.name = "convoy",
         .when = "a lock's owners themselves wait for another lock during half of that time",
         .advice = "do not wait for the second lock while holding the first",
         .disproof = "the second lock is quickly available and threads still wait for the first",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_convoy,
         .title = pm_candidate_title_of_convoy},
    [PM_RULE_FAIR_HAND_OVER] =
        {.name = "fair-hand-over",
         .when = "most of the waiting for a fair lock is the handoff from one thread to the next",
         .advice = "make the lock unfair: new ReentrantLock(false)",
         .disproof = "with an unfair lock the threads are no faster",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_fair,
         .title = pm_candidate_title_of_fair},
    [PM_RULE_LOCK_DOMINATES] =
        {.name = "lock-dominates",
         .when = "threads wait for any other lock",
         .advice = "do less while holding it, or give each part of the data its own lock",
         .disproof = "with the shorter holds of the prediction, the threads are no faster",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_lock,
         .title = pm_candidate_title_of_lock,
         .advise = pm_advice_of_lock},
    [PM_RULE_LAST_THREAD] =
        {.name = "last-thread",
         .when = "a latch or barrier waits for the last of several threads",
         .advice = "divide the work into more even parts",
         .by_design = "a thread that is alone in its group, such as main waiting for its tasks (a "
                      "note, if it does so again and again, for much of its time because of one "
                      "group)",
         .disproof =
             "the last thread has no more work than the others: it started late or had no core",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_join,
         .title = pm_candidate_title_of_join,
         .is_by_design = pm_candidate_waits_alone},
    [PM_RULE_LEAK] =
        {.name = "leak",
         .when = "live data increases from one collection of the old generation to the next",
         .advice = "look at what keeps them alive: a collection that only grows, a listener or a "
                   "ThreadLocal that is never removed; give caches a bound",
         .disproof = "a longer recording shows that it levels off: a cache that fills up",
         .severity = PM_SEVERITY_HIGH,
         .of_memory = TRUE,
         .find = pm_memory_find_leaks},
    [PM_RULE_OVER_QUOTA] = {.name = "over-quota",
                            .when = "an account keeps more alive than its `quota=` after a "
                                    "collection of the old generation",
                            .advice = "look at what it keeps; raise the quota if that is intended",
                            .disproof =
                                "after the next collection of the old generation it keeps less",
                            .severity = PM_SEVERITY_HIGH,
                            .of_memory = TRUE,
                            .find = pm_memory_find_quotas},
    [PM_RULE_HOT_SPOT] = {.name = "allocation-hot-spot",
                          .when = "one site allocates half of all bytes, and its share of the GC "
                                  "pauses that this triggers is 5 % of the time",
                          .advice = "allocate less there: reuse objects that are created over and "
                                    "over, or give the young generation more room",
                          .disproof =
                              "with less allocated there the pauses remain: live data causes them",
                          .severity = PM_SEVERITY_HIGH,
                          .of_memory = TRUE,
                          .find = pm_memory_find_hot_spot},
    [PM_RULE_WAIT_DOMINATES] =
        {.name = "wait-dominates",
         .when = "threads wait for anything else",
         .advice = "look at what ends these waits, and why so late",
         .by_design =
             "threads that wait for work at a queue (a note, if one thread brings it to "
             "several and always has a processor, or wants one; a finding, if it is for a "
             "reply: in the same call they gave something to who brings it; a note, if that "
             "was seldom seen), or for a signal in their own main loop, a thread of a "
             "library that waits for a signal while nobody waits for it, and a thread alone "
             "in its group that waits for others (a note, if it does so again and again, for much "
             "of its time because of one group)",
         .disproof = "they had nothing else to do: nothing waits for them meanwhile",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_any,
         .title = pm_candidate_title_of_wait,
         .advise = pm_advice_of_wait,
         .is_by_design = pm_candidate_is_idle},
};

const PmRule *pm_rule(PmRuleId id)
{
    g_return_val_if_fail(id < PM_N_RULES, &rules[PM_RULE_WAIT_DOMINATES]);
    return &rules[id];
}

const char *pm_rule_name(PmRuleId id)
{
    return id < PM_N_RULES ? rules[id].name : "?";
}

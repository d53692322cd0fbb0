#include "viewer/analysis/findings/rule.h"

#include "viewer/analysis/findings/advice.h"
#include "viewer/analysis/findings/back-off.h"
#include "viewer/analysis/findings/collection.h"
#include "viewer/analysis/findings/memory-finding.h"
#include "viewer/analysis/findings/stuck.h"

static const PmRule rules[PM_N_RULES] = {
    [PM_RULE_DEADLOCK] =
        {.name = "deadlock",
         .when =
             "threads have waited in a circle for 0.1 s, each for a lock that the next one owns",
         .advice = "take the locks in one order everywhere, or with tryLock and a timeout",
         .disproof = "one of its threads goes on later: a longer recording shows its wait ended",
         .severity = PM_SEVERITY_STUCK,
         .find = pm_stuck_find_deadlocks},
    [PM_RULE_OWN_POOL] =
        {.name = "own-pool",
         .when = "tasks wait for tasks of their own pool, or for any whose like never ended, and "
                 "no thread of it is left",
         .advice = "let such tasks run in the caller or in a pool of their own; do not wait in a "
                   "pool's thread for its other tasks",
         .disproof = "the pool grows, or a thread outside of it ends such waits later",
         .severity = PM_SEVERITY_STUCK,
         .find = pm_stuck_find_own_pools},
    [PM_RULE_NOBODY_LEFT] =
        {.name = "nobody-left",
         .when = "all who ever ended such waits wait themselves, without a timeout, or have ended",
         .advice = "look at what should have woken them: a signal that came too early, went to the "
                   "wrong one or never came",
         .disproof = "somebody who never ended such a wait before ends these later",
         .severity = PM_SEVERITY_STUCK,
         .find = pm_stuck_find_mutual},
    [PM_RULE_FORGOTTEN] =
        {.name = "forgotten",
         .when = "later waits of the same kind (of those for no result, at the same object) were "
                 "ended, these were not",
         .advice = "look at the ways on which their end is lost: an exception, a branch without "
                   "completion; give the wait a timeout",
         .disproof = "they are ended later: their work only took longer",
         .severity = PM_SEVERITY_STUCK,
         .find = pm_stuck_find_forgotten},
    [PM_RULE_STUCK_WAIT] =
        {.name = "stuck-wait",
         .when = "a wait without a timeout has lasted for 10 s; or for 5 s, and five times as long "
                 "as any like it, since before the recorder came, or while a pool should end and a "
                 "task of it waits",
         .advice = "look at what should have ended the wait; give it a timeout",
         .by_design =
             "idle threads, those that have only waited so for most of their life, waits for a "
             "lock that was handed on to others in the last 5 s, and waits for a signal, unless "
             "both sides of one queue wait or a periodic task gave it that is not scheduled any "
             "more",
         .disproof = "it ends later, and what it waited for took so long",
         .severity = PM_SEVERITY_STUCK,
         .find = pm_stuck_find_waits},
    [PM_RULE_GC] =
        {.name = "gc",
         .when = "pauses of the collector take a tenth of the recorded time",
         .advice = "look at what allocates so much or asks for collections; give the heap more "
                   "room",
         .disproof = "the JVM's own log (-Xlog:gc) shows shorter pauses",
         .severity = PM_SEVERITY_HIGH,
         .find = pm_collection_find},
    [PM_RULE_CARRIERS] =
        {.name = "carriers",
         .when = "woken virtual threads wait for a carrier, for 1 ms or more, in a tenth of the "
                 "recorded time",
         .advice = "let what keeps carriers for long give way, or run on platform threads; with "
                   "processors to spare, set -Djdk.virtualThreadScheduler.parallelism",
         .disproof = "with more carriers and processors they wait as long",
         .severity = PM_SEVERITY_HIGH,
         .find = pm_carrier_find},
    [PM_RULE_TIMED_POLLING] =
        {.name = "timed-polling",
         .when =
             "nine of ten waits end by timeout, ten times a second for each thread; or a thread "
             "parks for a moment again and again",
         .advice = "wait for the event itself instead of looking again and again",
         .disproof = "the timeouts are the work: a clock, a frame, a heartbeat",
         .severity = PM_SEVERITY_NOTE,
         .find = pm_back_off_find,
         .applies = pm_candidate_is_polling,
         .title = pm_candidate_title_of_polling},
    [PM_RULE_RESOURCE_EXHAUSTED] =
        {.name = "resource-exhausted",
         .when = "permits, connections or other elements of a pool are waited for",
         .advice = "give it back sooner, or make the pool bigger",
         .disproof = "with a bigger pool the waits stay: the limit lies behind it",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_exhausted,
         .title = pm_candidate_title_of_permits},
    [PM_RULE_LOCK_HELD_OVER_IO] =
        {.name = "lock-held-over-io",
         .when = "a lock's owner was seen in I/O or asleep in most samples",
         .advice = "do the slow work before taking the lock, swap the result in under it",
         .disproof = "the samples' stack traces take the lock further in than the slow call",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_held_over_io,
         .title = pm_candidate_title_of_io},
    [PM_RULE_CONVOY] =
        {.name = "convoy",
         .when = "a lock's owners themselves wait for another lock for half of that time",
         .advice = "do not wait for the second lock while holding the first",
         .disproof = "the second lock is quick to get and the first is still waited for",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_convoy,
         .title = pm_candidate_title_of_convoy},
    [PM_RULE_FAIR_HAND_OVER] =
        {.name = "fair-hand-over",
         .when = "most of the waiting for a fair lock is its handoff from one thread to the next",
         .advice = "make the lock unfair: new ReentrantLock(false)",
         .disproof = "an unfair lock makes the threads no faster",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_fair,
         .title = pm_candidate_title_of_fair},
    [PM_RULE_LOCK_DOMINATES] =
        {.name = "lock-dominates",
         .when = "any other lock is waited for",
         .advice = "do less while holding it, or give each part of the data a lock of its own",
         .disproof = "held for less, as the prediction says, the threads are no faster",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_lock,
         .title = pm_candidate_title_of_lock,
         .advise = pm_advice_of_lock},
    [PM_RULE_LAST_THREAD] =
        {.name = "last-thread",
         .when = "a latch or barrier waits for its last thread",
         .advice = "cut the work into more even parts",
         .by_design = "a thread that is alone in its group: main, which waits for its tasks",
         .disproof = "the last thread has no more to do than the others: it started late or had no "
                     "core",
         .severity = PM_SEVERITY_HIGH,
         .applies = pm_candidate_is_join,
         .title = pm_candidate_title_of_join,
         .is_by_design = pm_candidate_waits_alone},
    [PM_RULE_LEAK] = {.name = "leak",
                      .when = "what lives rises from one collection of old objects to the next",
                      .advice =
                          "look at what keeps them: a collection that only grows, a listener or a "
                          "ThreadLocal that is never removed; give a cache a bound",
                      .disproof = "a longer recording shows it level off: a cache that fills",
                      .severity = PM_SEVERITY_HIGH,
                      .of_memory = TRUE,
                      .find = pm_memory_find_leaks},
    [PM_RULE_OVER_QUOTA] =
        {.name = "over-quota",
         .when = "an account keeps more alive than its `quota=`, after a collection of old objects",
         .advice = "look at what it keeps; raise the quota if it is meant to",
         .disproof = "the next collection of old objects leaves less of it",
         .severity = PM_SEVERITY_HIGH,
         .of_memory = TRUE,
         .find = pm_memory_find_quotas},
    [PM_RULE_HOT_SPOT] =
        {.name = "allocation-hot-spot",
         .when = "one site allocates half of all bytes, and its part of the pauses of collections "
                 "that this makes due takes 5 % of the time",
         .advice = "allocate less there: keep and reuse what is made again and again, or give the "
                   "young generation more room",
         .disproof = "with less allocated there the pauses stay: they come of what lives",
         .severity = PM_SEVERITY_HIGH,
         .of_memory = TRUE,
         .find = pm_memory_find_hot_spot},
    [PM_RULE_WAIT_DOMINATES] =
        {.name = "wait-dominates",
         .when = "anything else is waited for",
         .advice = "look at who ends these waits, and why so late",
         .by_design =
             "threads that wait for work at a queue, or for a signal in the very loop that "
             "they run, and a thread alone in its group that waits for others",
         .disproof = "they had nothing else to do: nobody waits for them meanwhile",
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

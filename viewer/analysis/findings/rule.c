#include "viewer/analysis/findings/rule.h"

typedef struct {
    const char *name;
    const char *advice;
} Rule;

static const Rule rules[PM_N_RULES] = {
    [PM_RULE_DEADLOCK] = {"deadlock", "take the locks in one order everywhere, or with tryLock and "
                                      "a timeout"},
    [PM_RULE_OWN_POOL] = {"own-pool",
                          "let such tasks run in the caller or in a pool of their own; do "
                          "not wait in a pool's thread for its other tasks"},
    [PM_RULE_NOBODY_LEFT] = {"nobody-left",
                             "look at what should have woken them: a signal that came "
                             "too early, went to the wrong one or never came"},
    [PM_RULE_FORGOTTEN] = {"forgotten",
                           "look at the ways on which their end is lost: an exception, a "
                           "branch without completion; give the wait a timeout"},
    [PM_RULE_GC] = {"gc", "look at what allocates so much or asks for collections; give the heap "
                          "more room"},
    [PM_RULE_STUCK_WAIT] = {"stuck-wait", "look at what should have ended the wait; give it a "
                                          "timeout"},
    [PM_RULE_LOCK_DOMINATES] = {"lock-dominates", "do less while holding it, or give each part of "
                                                  "the data a lock of its own"},
    [PM_RULE_LOCK_HELD_OVER_IO] = {"lock-held-over-io", "do the slow work before taking the lock, "
                                                        "swap the result in under it"},
    [PM_RULE_FAIR_HAND_OVER] = {"fair-hand-over", "make the lock unfair: new ReentrantLock(false)"},
    [PM_RULE_CONVOY] = {"convoy", "do not wait for the second lock while holding the first"},
    [PM_RULE_RESOURCE_EXHAUSTED] = {"resource-exhausted", "give it back sooner, or make the pool "
                                                          "bigger"},
    [PM_RULE_LAST_THREAD] = {"last-thread", "cut the work into more even parts"},
    [PM_RULE_WAIT_DOMINATES] = {"wait-dominates", "look at who ends these waits, and why so late"},
    [PM_RULE_TIMED_POLLING] = {"timed-polling",
                               "wait for the event itself instead of looking again "
                               "and again"},
    [PM_RULE_LEAK] = {"leak",
                      "look at what keeps them: a collection that only grows, a listener or a "
                      "ThreadLocal that is never removed; give a cache a bound"},
};

const char *pm_rule_name(PmRule rule)
{
    return rule < PM_N_RULES ? rules[rule].name : "?";
}

const char *pm_rule_advice(PmRule rule)
{
    return rules[rule].advice;
}

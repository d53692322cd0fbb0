/* Finds the code that does not return what it takes from a pool. The first of these that applies:
 * a method that takes and was never seen giving anything back, while others do; for permits, the
 * method that most often kept what it took (its thread took more later, while some thread was
 * always waiting); a thread that holds a permit, or may, while it waits for another one, if all
 * threads wait; the methods that take, as candidates, the rarest first. For a lock without an owner
 * for which all threads seen at it wait, it is the one that began first; if all but one wait, that
 * one. Inferred, because takes and gives while no thread waits are not recorded. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* What to try where something is not given back. */
#define PM_KEEPER_ADVICE                                                                           \
    "look for paths that take it without giving it back, for example after an exception: give it " \
    "back in a finally block"

/* Adds that to the finding: in its title, as its last cause, in the evidence and in the advice.
 * FALSE, without changes, if there is none. Cost: two passes over the waits. */
gboolean pm_keeper_tell(const PmSearch *search, PmFinding *finding);
/* Of permits that are all gone, so that since nobody got any more. */
typedef enum {
    PM_DRAINED_NOT,        /* it is not so, or for less than half of the waiting */
    PM_DRAINED_BY_UNKNOWN, /* of a pool; who keeps them is not known */
    PM_DRAINED_BY_METHOD,  /* told first of the causes */
} PmDrained;

/* Blames who took the last one, if it asked for another one later, for what of the waiting came
 * after that and for what nobody is known to be responsible for, and says so in the evidence, as it
 * does where nobody can be blamed. Cost: three passes over the waits. */
PmDrained pm_keeper_blame(const PmSearch *search, PmFinding *finding);

/* Finds who keeps what it took from a pool. That is a method that takes and was never seen giving
 * anything back, while others do. Otherwise, for permits, the one that most often kept what it
 * took: its thread took more later, and somebody waited all the time. Otherwise, a thread that
 * holds a permit while it waits for another, or may, where all wait. Otherwise the methods that
 * take are named as candidates, the rarest first. For a lock without an owner that all threads seen
 * at it wait for, it is the one that began first; if all but one wait, that one. Inferred, because
 * takes and gives while nobody waits are not recorded. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Adds that to the finding: in its title, as its last cause, and in the evidence. FALSE, without
 * changes, if there is none. Cost: two passes over the waits. */
gboolean pm_keeper_tell(const PmSearch *search, PmFinding *finding);
/* Of permits that are all gone, so that since nobody got any more: blames who took the last one, if
 * it asked for another one later, for what of the waiting came after that and for what nobody is
 * known to be responsible for, and says so in the evidence. FALSE, without changes, if that is not
 * so, or is less than half of the waiting. Cost: three passes over the waits. */
gboolean pm_keeper_blame(const PmSearch *search, PmFinding *finding);

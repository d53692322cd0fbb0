/* Finds threads that take from a pool and were never seen giving anything back, while others do: a
 * thread that leaks an element is among them. Otherwise, a thread that holds a permit while it
 * waits for another: it was given one while some thread waited, and nothing given back at such a
 * time is missed. For a lock without an owner that all threads seen at it wait for, the one that
 * began first. Inferred, because takes and gives while nobody waits are not recorded. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Adds that to the finding: in its title, as its last cause, and in the evidence. FALSE, without
 * changes, unless there is exactly one such method, while others give back what they took in one
 * method, or exactly one such thread. Cost: two passes over the waits. */
gboolean pm_keeper_tell(const PmSearch *search, PmFinding *finding);

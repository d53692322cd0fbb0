/* Who takes from a pool and was never seen to give anything back, as others do: whoever leaks an
 * element of it is among them. Else who holds a permit while it waits for another: it was given one
 * while somebody waited, and nothing that is given back then is unseen. Of a lock without an owner
 * that all who were seen at it wait for, who began first. Inferred: what is taken or given back
 * while nobody waits is not recorded. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Says so of the finding's blocker: in its title, as its last cause, with the evidence. FALSE, and
 * nothing is said, unless there is one such method, while others give back what they took in one
 * method, or one such thread. Cost: two passes over the waits. */
gboolean pm_keeper_tell(const PmSearch *search, PmFinding *finding);

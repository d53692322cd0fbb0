/* Threads that ask for something and wait at a queue until the reply comes: what makes the reply
 * late can be told, whereas who waits at a queue for work has nothing to do. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

typedef enum {
    PM_REPLIES_NONE,
    PM_REPLIES_PERHAPS, /* who is told first was seldom given anything, but then by those threads:
                         * it may always have had more to do, or need not be given anything */
    PM_REPLIES_AWAITED,
} PmReplies;

/* Whether its threads mostly give something to others just before they wait, in the same call of
 * one method, and who is told first is one of those or, at whatever remove, given it by them. A
 * worker that says that it is free, and then waits, is told from that: whoever has work for it was
 * not given anything. Cost: a pass over the waits, once for a search. */
PmReplies pm_replies_awaited(const PmCandidate *candidate);

/* Empty, for PmSearch. Owned by the caller. */
GArray *pm_replies_gives_new(void);

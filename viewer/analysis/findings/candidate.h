/* A candidate for a finding: the cost of one or many blockers, with the predicates and titles that
 * the rules use. */
#pragma once

#include "viewer/analysis/aggregation/owner-activity.h"
#include "viewer/analysis/evidence/blocker-cost.h"

typedef struct {
    const PmSearch *search;
    const PmBlockerCost *cost;
    gboolean many;            /* small blockers of one class, told together */
    const PmFinding *finding; /* all but rule, title, advice and evidence */
    PmOwnerActivity doing;    /* of one lock's owners */
    gboolean owner_is_slow;   /* in most samples of them */
    guint32 next;             /* the lock that this lock's owners wait for; 0 = none */
    gboolean is_drained;      /* a pool whose elements are all gone; who keeps them is not known */
} PmCandidate;

/* Whether nearly all of its waits end by a timeout. */
gboolean pm_candidate_ends_by_timeout(const PmCandidate *candidate);
/* Whether a rule applies. */
gboolean pm_candidate_is_polling(const PmCandidate *candidate);
gboolean pm_candidate_is_exhausted(const PmCandidate *candidate);
gboolean pm_candidate_is_held_over_io(const PmCandidate *candidate);
gboolean pm_candidate_is_convoy(const PmCandidate *candidate);
gboolean pm_candidate_is_fair(const PmCandidate *candidate);
gboolean pm_candidate_is_lock(const PmCandidate *candidate);
gboolean pm_candidate_is_join(const PmCandidate *candidate);
gboolean pm_candidate_is_any(const PmCandidate *candidate);
/* Is who is told first none of those that were seen to want elements of a pool? It may be one that
 * should bring some, or whom those that keep them wait for. */
gboolean pm_candidate_is_brought(const PmCandidate *candidate);

/* Whether its threads do what they are meant to: a single one that waits for others; either that,
 * or threads that wait for work. */
gboolean pm_candidate_waits_alone(const PmCandidate *candidate);
gboolean pm_candidate_is_idle(const PmCandidate *candidate);
/* Whether several threads wait for work that a single one brings, which always has a processor, or
 * wants one: they are idle because it is slow, though that may be as it should. Or perhaps it is a
 * reply that they wait for (replies.h). */
gboolean pm_candidate_is_starved(const PmCandidate *candidate);
/* Whether a single thread that waits for others does so again and again, for much of its time
 * because of what one group does: that sets its pace. */
gboolean pm_candidate_coordinates(const PmCandidate *candidate);

/* One sentence without a full stop. Owned by the caller. */
char *pm_candidate_title_of_many(const PmCandidate *candidate);
char *pm_candidate_title_of_polling(const PmCandidate *candidate);
char *pm_candidate_title_of_permits(const PmCandidate *candidate);
char *pm_candidate_title_of_io(const PmCandidate *candidate);
char *pm_candidate_title_of_convoy(const PmCandidate *candidate);
char *pm_candidate_title_of_fair(const PmCandidate *candidate);
char *pm_candidate_title_of_lock(const PmCandidate *candidate);
char *pm_candidate_title_of_join(const PmCandidate *candidate);
char *pm_candidate_title_of_wait(const PmCandidate *candidate);

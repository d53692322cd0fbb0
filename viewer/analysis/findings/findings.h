/* What stands out in a view, by the rules of rule.h, and the verdict that this comes to. A wait is
 * reported when something is stuck, or when it takes at least 5 % of the busy time of a thread
 * group (busy = life − idle) and a tenth of a thread on average, or keeps at least one thread
 * waiting on average. Many small blockers of one class and site are one finding. Stuck ones come
 * first, then by busy share; five at most, what is left becomes notes. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

typedef enum {
    PM_VERDICT_STUCK,
    PM_VERDICT_HIGH,
    PM_VERDICT_NONE,
    PM_VERDICT_EMPTY
} PmVerdictLevel;

typedef struct {
    PmVerdictLevel level;
    char *sentence;  /* without its sign: "Deadlock: a and b wait for each other since …" */
    guint32 blocker; /* 0 = none */
} PmVerdict;

typedef struct {
    const PmSummary *summary; /* borrowed */
    PmVerdict verdict;        /* the first finding that is no note, or that there is none */
    guint n;
    PmFinding *findings; /* at most five that are no notes, then the notes */
} PmFindings;

/* Cost: one pass over the view's waits, one over their parts. NULL when `cancel` was set. */
PmFindings *pm_findings_new(const PmSummary *summary, const PmContention *contention,
                            const gint *cancel);
void pm_findings_free(PmFindings *findings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmFindings, pm_findings_free)

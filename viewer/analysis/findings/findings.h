/* The findings of a view, by the rules of rule.h, and the resulting verdict. A wait is reported if
 * something is stuck, or if it takes at least 5 % of the busy time of a thread group (busy = life −
 * idle) and a tenth of a thread on average, or keeps at least one thread waiting on average. Many
 * small blockers of one class and site are one finding. Stuck ones come first, then by busy share;
 * at most five, the rest become notes. */
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
    char *sentence;   /* without its symbol: "Deadlock: a and b wait for each other since …" */
    guint32 blocker;  /* 0 = none */
    gboolean of_note; /* PM_VERDICT_NONE, but a note says why threads may wait */
} PmVerdict;

typedef struct {
    const PmSummary *summary; /* borrowed */
    PmVerdict verdict;        /* the first finding that is not a note, or that there is none */
    guint n;
    PmFinding *findings; /* at most five that are not notes, then the notes */
} PmFindings;

/* Whether a filter leaves waits out, so that nothing may stand out though something does. Hangs are
 * looked for among all waits of the range, and told if the filter shows any of theirs. */
gboolean pm_findings_are_of_part(const PmSummary *summary);
/* Cost: one pass over the view's waits, one over their parts. NULL if `cancel` was set. */
PmFindings *pm_findings_new(const PmSummary *summary, const PmContention *contention,
                            const gint *cancel);
/* The same, of a huge recording by what stands for the view (excerpt-view.h): its shares are then
 * estimates, and say so. */
PmFindings *pm_findings_new_bounded(const PmSummary *summary, const gint *cancel);
/* Does beforehand what that does for the view without its summary, and keeps it with the view. */
void pm_findings_prepare(PmView *view, const gint *cancel);
void pm_findings_free(PmFindings *findings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmFindings, pm_findings_free)
